/*
 * `likwid-perfctr -O` (LIKWID 4 and 5), also with markers and several groups:
 *
 *     STRUCT,Info,3,,
 *     CPU name:,Intel(R) Xeon(R) Platinum 8160 CPU @ 2.10GHz,,
 *     TABLE,Group 1 Raw,MEM,15,
 *     Event,Counter,HWThread 0,HWThread 24
 *     CAS_COUNT_RD,MBOX0C0,25610312,25611033
 *     TABLE,Group 1 Metric,MEM,10,
 *     Metric,HWThread 0,HWThread 24,
 *     Runtime (RDTSC) [s],0.5031,0.5031,
 *
 * Raw tables give events, metric tables the time and the bytes that LIKWID computed.
 * Tables of statistics over the threads are left out. What the program itself printed may
 * stand between them.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/traffic/counts/counts.h"
#include "core/traffic/traffic.h"

enum kind { NONE, RAW, METRIC };

/* One group of one region. */
struct group {
    int number;
    double seconds;
    struct count_sums sums;
};
struct likwid {
    struct csv_lines lines;
    const char *region; /* wanted; NULL = the only one */
    char *found;        /* region of the tables so far */
    struct group *group;
    size_t group_nr;
    struct strvec core_event; /* "EVENT PMC1" of the table at hand */
    enum kind kind;
    int current;                     /* group of the table at hand */
    size_t rows, announced, threads; /* of the table at hand */
    int table_line;
    double calls;
    struct count_set *set;
};

/* ---- the table's heading ---- */

static struct group *group_of(struct likwid *likwid, int number)
{
    for (size_t i = 0; i < likwid->group_nr; i++)
        if (likwid->group[i].number == number)
            return &likwid->group[i];
    likwid->group = xrealloc(likwid->group, likwid->group_nr + 1, sizeof(*likwid->group));
    likwid->group[likwid->group_nr] = (struct group){.number = number};
    return &likwid->group[likwid->group_nr++];
}

/* The tables of the region that is wanted; of the others nothing is taken. */
static int choose_region(struct likwid *likwid, const char *region, bool *wanted,
                         struct error *err)
{
    *wanted = !likwid->region || !strcmp(likwid->region, region);
    if (!*wanted)
        return 0;
    if (!likwid->found)
        likwid->found = xstrdup(region);
    if (strcmp(likwid->found, region) != 0)
        return csv_fail(&likwid->lines, err,
                        "there are several regions, '%s' and '%s': name one of "
                        "them as %s:REGION",
                        likwid->found, region, likwid->lines.file);
    return 0;
}

static int check_whole(const struct likwid *likwid, struct error *err)
{
    if (likwid->kind == NONE || likwid->rows >= likwid->announced)
        return 0;
    return fail(err, STATUS_INPUT,
                "%s:%d: the table announces %zu rows, but %zu are there: a part of the "
                "file is missing",
                likwid->lines.file, likwid->table_line, likwid->announced, likwid->rows);
}

/* TABLE,[Region NAME,]Group 1 Raw,MEM,15 */
static int begin_table(struct likwid *likwid, const struct strvec *field,
                       struct error *err)
{
    bool marked = field->nr > 1 && !strncmp(field->v[1], "Region ", 7), wanted;
    size_t at = marked ? 2 : 1;
    const char *title = at < field->nr ? field->v[at] : "";
    const char *rows = at + 2 < field->nr ? field->v[at + 2] : "";
    char what[16] = "";
    int number = 0, end = 0;
    if (check_whole(likwid, err))
        return -1;
    likwid->kind = NONE;
    if (sscanf(title, "Group %d %15s%n", &number, what, &end) != 2 ||
        !isdigit((unsigned char)*rows))
        return csv_fail(&likwid->lines, err,
                        "expected 'TABLE,Group 1 Raw,NAME,ROWS', got '%s'",
                        buf_str(&likwid->lines.line));
    if (choose_region(likwid, marked ? field->v[1] + 7 : "", &wanted, err))
        return -1;
    likwid->rows = likwid->threads = 0;
    likwid->announced = strtoul(rows, NULL, 10);
    likwid->table_line = likwid->lines.nr;
    strvec_release(&likwid->core_event);
    if (wanted && !title[end])
        likwid->kind = !strcmp(what, "Raw")      ? RAW
                       : !strcmp(what, "Metric") ? METRIC
                                                 : NONE;
    likwid->current = number;
    return 0;
}

static struct group *now(struct likwid *likwid)
{
    return group_of(likwid, likwid->current);
}

/* ---- its rows ---- */

static size_t count_threads(const struct strvec *field)
{
    size_t nr = 0;
    for (size_t i = 0; i < field->nr; i++)
        nr += !strncmp(field->v[i], "HWThread ", 9) || !strncmp(field->v[i], "Core ", 5);
    return nr;
}

/* Number i of the row, behind `skip` fields. */
static enum count_word thread_number(const struct strvec *field, size_t skip, size_t i,
                                     double *number, const char **why)
{
    return count_number(field->v[skip + i], number, why);
}

static int check_width(const struct likwid *likwid, const struct strvec *field,
                       size_t skip, struct error *err)
{
    if (field->nr >= skip + likwid->threads && likwid->threads)
        return 0;
    return csv_fail(&likwid->lines, err,
                    "expected a number for each of %zu threads, got '%s'",
                    likwid->threads, buf_str(&likwid->lines.line));
}

static int bad_number(const struct likwid *likwid, const char *text, const char *name,
                      const char *why, struct error *err)
{
    return csv_fail(&likwid->lines, err, "the count '%s' of '%s' %s", text, name, why);
}

/* The longest of the threads' times, or their sum. */
static int over_threads(const struct likwid *likwid, const struct strvec *field,
                        size_t skip, bool sum, double *out, struct error *err)
{
    if (check_width(likwid, field, skip, err))
        return -1;
    for (size_t i = 0; i < likwid->threads; i++) {
        double number;
        const char *why;
        enum count_word word = thread_number(field, skip, i, &number, &why);
        if (word == COUNT_BAD)
            return bad_number(likwid, field->v[skip + i], field->v[0], why, err);
        if (word == COUNT_NUMBER)
            *out = sum ? *out + number : fmax(*out, number);
    }
    return 0;
}

/* Boxes of the uncore all count for the socket, and their counts add up; the same event
 * on two counters of a core has other options. */
static char *event_name(struct likwid *likwid, const char *event, const char *counter)
{
    bool core = !strncmp(counter, "PMC", 3) || !strncmp(counter, "FIXC", 4);
    bool again = strvec_has(&likwid->core_event, event);
    if (core && !again)
        strvec_push(&likwid->core_event, event);
    return core && again ? xasprintf("%s:%s", event, counter) : xstrdup(event);
}

/* Only one thread of a socket reads its boxes: the others have "-" there or 0. */
static int add_threads(struct likwid *likwid, const struct strvec *field,
                       const char *event, struct error *err)
{
    struct count_row missing = {.event = event};
    size_t counted = 0;
    for (size_t i = 0; i < likwid->threads; i++) {
        struct count_row row = {.event = event};
        const char *why;
        enum count_word word = thread_number(field, 2, i, &row.value, &why);
        if (word == COUNT_BAD)
            return bad_number(likwid, field->v[2 + i], event, why, err);
        if (word == COUNT_MISSING) {
            missing.why = why;
            continue;
        }
        row.why = word == COUNT_NUMBER ? NULL : why;
        row.broken = word == COUNT_BROKEN;
        count_sums_add(&now(likwid)->sums, &row);
        counted++;
    }
    if (!counted)
        count_sums_add(&now(likwid)->sums, &missing);
    return 0;
}

static int take_event(struct likwid *likwid, const struct strvec *field,
                      struct error *err)
{
    if (check_width(likwid, field, 2, err))
        return -1;
    char *event = event_name(likwid, field->v[0], field->v[1]);
    int status = add_threads(likwid, field, event, err);
    free(event);
    return status;
}

static int take_raw(struct likwid *likwid, const struct strvec *field, struct error *err)
{
    const char *name = field->v[0];
    if (!strcmp(name, "RDTSC Runtime [s]") && !likwid->rows)
        return over_threads(likwid, field, 1, false, &now(likwid)->seconds, err);
    if (!strcmp(name, "call count") && !likwid->rows) {
        likwid->calls = 0;
        return over_threads(likwid, field, 1, true, &likwid->calls, err);
    }
    likwid->rows++;
    if (!strcmp(name, "Runtime (RDTSC) [s]"))
        return over_threads(likwid, field, 2, false, &now(likwid)->seconds, err);
    return field->nr > 1 ? take_event(likwid, field, err)
                         : csv_fail(&likwid->lines, err, "expected an event, got '%s'",
                                    buf_str(&likwid->lines.line));
}

/* Metrics that are bytes through memory. */
static const struct {
    const char *metric, *event;
} volumes[] = {
    {"Memory read data volume [GBytes]", "read_bytes"},
    {"Memory load data volume [GBytes]", "read_bytes"},
    {"Memory write data volume [GBytes]", "write_bytes"},
    {"Memory evict data volume [GBytes]", "write_bytes"},
    {"Memory writeback data volume [GBytes]", "write_bytes"},
    {"Memory data volume [GBytes]", "bytes"},
};

static int take_metric(struct likwid *likwid, const struct strvec *field,
                       struct error *err)
{
    double gigabytes = 0;
    likwid->rows++;
    if (!strcmp(field->v[0], "Runtime (RDTSC) [s]"))
        return over_threads(likwid, field, 1, false, &now(likwid)->seconds, err);
    for (size_t i = 0; i < ARRAY_SIZE(volumes); i++) {
        if (strcmp(field->v[0], volumes[i].metric) != 0)
            continue;
        if (over_threads(likwid, field, 1, true, &gigabytes, err))
            return -1;
        struct count_row row = {.event = volumes[i].event, .value = gigabytes * 1e9};
        count_sums_add(&now(likwid)->sums, &row);
    }
    return 0;
}

static void take_info(struct likwid *likwid, const struct strvec *field)
{
    if (!strcmp(field->v[0], "CPU name:") && field->nr > 1 && !likwid->set->cpu)
        likwid->set->cpu = xstrdup(field->v[1]);
}

static bool is_head(const char *word)
{
    return !strcmp(word, "Event") || !strcmp(word, "Metric") ||
           !strcmp(word, "Region Info");
}

/* Behind a table's last row comes what the program or LIKWID says. */
static int take_fields(struct likwid *likwid, const struct strvec *field,
                       struct error *err)
{
    if (!strcmp(field->v[0], "TABLE"))
        return begin_table(likwid, field, err);
    if (!strcmp(field->v[0], "STRUCT")) {
        int status = check_whole(likwid, err);
        likwid->kind = NONE;
        return status;
    }
    take_info(likwid, field);
    if (likwid->kind == NONE || likwid->rows >= likwid->announced)
        return 0;
    if (!is_head(field->v[0]))
        return likwid->kind == RAW ? take_raw(likwid, field, err)
                                   : take_metric(likwid, field, err);
    likwid->threads = count_threads(field);
    if (!likwid->threads)
        return csv_fail(&likwid->lines, err,
                        "expected the threads (HWThread 0 ...), got '%s'",
                        buf_str(&likwid->lines.line));
    if ((int)likwid->threads > likwid->set->cores)
        likwid->set->cores = (int)likwid->threads;
    return 0;
}

/* ---- the groups together ---- */

/* Groups that took turns: each one's counts stand for all of the time. */
static void scale(struct group *group, double share)
{
    for (size_t i = 0; i < group->sums.nr; i++) {
        struct count_sum *sum = &group->sums.item[i];
        if (!sum->value.known)
            continue;
        sum->share = share;
        sum->value = count_quantity(sum->value.value / share, share, 0);
    }
}

static void merge_groups(struct likwid *likwid)
{
    struct count_set *set = likwid->set;
    double total = 0;
    size_t ran = 0;
    for (size_t i = 0; i < likwid->group_nr; i++) {
        total += likwid->group[i].seconds;
        ran += likwid->group[i].seconds > 0;
    }
    for (size_t i = 0; i < likwid->group_nr; i++) {
        struct group *group = &likwid->group[i];
        if (ran > 1 && group->seconds > 0)
            scale(group, group->seconds / total);
        if (ran == 0 || group->seconds > 0)
            count_sums_move(&group->sums, set);
    }
    if (ran > 1)
        strvec_pushf(&set->note,
                     "%zu groups of events took turns: each one's counts are scaled to "
                     "the whole time",
                     ran);
    if (total > 0)
        set->seconds = quantity_exact(total, PROVENANCE_RECORDED);
}

static void finish(struct likwid *likwid)
{
    struct count_set *set = likwid->set;
    set->source = likwid->found && *likwid->found
                      ? xasprintf("LIKWID, region %s", likwid->found)
                      : xstrdup("LIKWID");
    set->calls = likwid->calls;
    merge_groups(likwid);
    if (set->cores > 1)
        strvec_pushf(&set->note, "counts are the sum over %d hardware threads",
                     set->cores);
}

static int check_found(const struct likwid *likwid, struct error *err)
{
    if (likwid->region && !likwid->found)
        return fail(err, STATUS_INPUT, "'%s' has no region '%s'", likwid->lines.file,
                    likwid->region);
    return check_whole(likwid, err);
}

static int read_lines(struct likwid *likwid, struct error *err)
{
    int status = 0;
    while (!status && csv_next(&likwid->lines)) {
        struct strvec field = {0};
        if (csv_is_blank(buf_str(&likwid->lines.line)))
            continue;
        csv_fields(buf_str(&likwid->lines.line), ',', &field);
        status = take_fields(likwid, &field, err);
        strvec_release(&field);
    }
    return status ? -1 : check_found(likwid, err);
}

int counts_read_likwid(const char *name, const char *text, const char *region,
                       struct count_set *set, struct error *err)
{
    struct likwid likwid = {
        .lines = {.file = name, .rest = text}, .region = region, .set = set};
    int status = read_lines(&likwid, err);
    if (!status)
        finish(&likwid);
    for (size_t i = 0; i < likwid.group_nr; i++)
        count_sums_release(&likwid.group[i].sums);
    free(likwid.group);
    free(likwid.found);
    strvec_release(&likwid.core_event);
    buf_release(&likwid.lines.line);
    return status;
}
