#define _GNU_SOURCE /* gethostname */
#include "advisor/metrics/metrics_regions.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/metrics/metrics_cpu.h"
#include "advisor/metrics/metrics_text.h"
#include "observe/report/regions_report.h"

enum { MISSING_SHOWN = 6 };

/* The runs, read. */
struct reading {
    const struct metrics_regions *from;
    struct region_profile *profile;
    size_t nr;
    bool here;
    char *definition;   /* NULL = as for any counts */
    struct strvec note; /* of all regions */
};

static void reading_release(struct reading *reading)
{
    for (size_t i = 0; i < reading->nr; i++)
        region_profile_release(&reading->profile[i]);
    free(reading->profile);
    free(reading->definition);
    strvec_release(&reading->note);
}

/* ---- the runs ---- */

static int read_profile(struct reading *reading, struct error *err)
{
    const struct metrics_regions *from = reading->from;
    struct region_profile *profile = &reading->profile[reading->nr];
    const char *folder = from->folder->v[reading->nr], *name = from->name->v[reading->nr];
    if (region_profile_read(folder, from->end ? &from->end[reading->nr] : NULL, profile,
                            err))
        return -1;
    reading->nr++;
    if (!profile->process_nr && from->here)
        return fail(err, STATUS_INPUT,
                    "no process of %s has region markers: mark what is to be looked at, "
                    "and link the library (docs/regions.md)",
                    name);
    if (!profile->process_nr)
        return fail(err, STATUS_INPUT,
                    "no process left anything in '%s': link the program with markers "
                    "(docs/regions.md), and run it with INFLIGHT_REGIONS naming the "
                    "folder",
                    name);
    return profile->region_nr
               ? 0
               : fail(err, STATUS_INPUT,
                      "no region was entered by the program of '%s': mark what is to be "
                      "looked at (docs/regions.md)",
                      name);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "solver, writer"; caller frees. */
static char *programs_of(const struct region_profile *profile)
{
    struct strvec list = {0};
    for (size_t i = 0; i < profile->process_nr; i++)
        strvec_push_once(&list, profile->process[i].program);
    qsort(list.v, list.nr, sizeof(*list.v), by_text);
    char *all = strvec_join(&list, ", ");
    strvec_release(&list);
    return all;
}

/* Runs to be made one are of the same work. */
static int check_work(struct reading *reading, size_t i, struct error *err)
{
    const struct region_profile *first = &reading->profile[0],
                                *here = &reading->profile[i];
    const char *const *name = (const char *const *)reading->from->name->v;
    char *left = programs_of(first), *right = programs_of(here);
    int status = 0;
    if (strcmp(left, right) != 0)
        status = fail(err, STATUS_INPUT,
                      "'%s' is of '%s' and '%s' of '%s': folders between commas are runs "
                      "of one program with other events",
                      name[0], left, name[i], right);
    else if (first->process_nr != here->process_nr)
        strvec_pushf(&reading->note,
                     "'%s' is of %zu processes and '%s' of %zu: is that the same work?",
                     name[0], first->process_nr, name[i], here->process_nr);
    free(left);
    free(right);
    return status;
}

static void note_uncounted(struct reading *reading, size_t run)
{
    const struct region_profile *profile = &reading->profile[run];
    const char *why = NULL;
    size_t nr = 0;
    for (size_t i = 0; i < profile->process_nr; i++) {
        nr += profile->process[i].why != NULL;
        why = why ? why : profile->process[i].why;
    }
    if (nr)
        strvec_pushf(&reading->note, "%zu of %zu processes in '%s' count no events: %s",
                     nr, profile->process_nr, reading->from->name->v[run], why);
    else if (!profile->event_nr && !reading->from->here)
        strvec_pushf(&reading->note, "no events were counted in '%s'",
                     reading->from->name->v[run]);
}

static bool is_of_this_host(const struct reading *reading)
{
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    for (size_t i = 0; i < reading->nr; i++)
        for (size_t k = 0; k < reading->profile[i].process_nr; k++)
            if (strcmp(reading->profile[i].process[k].host, host) != 0)
                return false;
    return true;
}

static int read_all(struct reading *reading, struct error *err)
{
    size_t nr = reading->from->folder->nr;
    reading->profile = xcalloc(nr + 1, sizeof(*reading->profile));
    for (size_t i = 0; i < nr; i++)
        if (read_profile(reading, err) || check_work(reading, i, err))
            return -1;
    for (size_t i = 0; i < nr; i++)
        note_uncounted(reading, i);
    reading->here = reading->from->here || is_of_this_host(reading);
    return 0;
}

/* ---- the definitions ---- */

static bool counts_anything(const struct reading *reading)
{
    for (size_t i = 0; i < reading->nr; i++)
        if (reading->profile[i].event_nr)
            return true;
    return false;
}

static bool declares_bytes(const struct reading *reading)
{
    for (size_t i = 0; i < reading->nr; i++)
        for (size_t k = 0; k < reading->profile[i].region_nr; k++)
            if (reading->profile[i].region[k].numbers.declared > 0)
                return true;
    return false;
}

/* This machine's where events were counted or bytes declared; of nothing but times the
 * kernel's, which describe no CPU. */
static void find_definition(const struct metrics_report *report, struct reading *reading)
{
    struct metric_set *set = NULL;
    bool known = reading->here && !metrics_set_here(&set, NULL);
    bool some = counts_anything(reading);
    if (report->settings->cpu)
        reading->definition = NULL;
    else if (known && (some || declares_bytes(reading)))
        reading->definition = xstrdup(set->name);
    else if (!some)
        reading->definition = xstrdup(metrics_software);
    metric_set_free(set);
}

/* ---- one region ---- */

static const struct region *find_region(const struct region_profile *profile,
                                        const char *name)
{
    for (size_t i = 0; i < profile->region_nr; i++)
        if (!strcmp(profile->region[i].name, name))
            return &profile->region[i];
    return NULL;
}

static bool has_ended(const struct region *region)
{
    return region && region->numbers.calls > 0;
}

static bool ends_anywhere(const struct reading *reading, const char *name)
{
    for (size_t i = 0; i < reading->nr; i++)
        if (has_ended(find_region(&reading->profile[i], name)))
            return true;
    return false;
}

static bool tells_memory(const struct metrics_column *column)
{
    bool tells = false;
    for (size_t i = 0; i < column->run_nr; i++) {
        struct traffic_memory memory = {0};
        tells |= !traffic_memory_from_counts(column->run[i].cpu, &column->run[i], &memory,
                                             NULL) &&
                 memory.both.known;
    }
    return tells;
}

/* Where nobody counts what goes through memory, the program's own word; of the first run,
 * as the counts are made one by its calls. */
static void give_declared(const struct region *region, struct metrics_column *column)
{
    double read = region->numbers.read_bytes + region->inner_read_bytes,
           write = region->numbers.write_bytes + region->inner_write_bytes;
    const struct metric_given given[] = {
        {"memory_read_bytes", quantity_exact(read, PROVENANCE_DECLARED)},
        {"memory_write_bytes", quantity_exact(write, PROVENANCE_DECLARED)},
        {"memory_bytes", quantity_exact(read + write, PROVENANCE_DECLARED)}};
    if (!(region->numbers.declared > 0) || tells_memory(column))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(given); i++)
        metrics_give(column, given[i].name, given[i].value);
    strvec_push(&column->note, "bytes through memory are those that the program declares "
                               "(inflight_region_bytes)");
}

static void take_runs(const struct metrics_report *report, const struct reading *reading,
                      const char *name, struct metrics_column *column)
{
    bool ended = ends_anywhere(reading, name);
    column->run = xcalloc(reading->nr + 1, sizeof(*column->run));
    for (size_t i = 0; i < reading->nr; i++) {
        const struct region_profile *profile = &reading->profile[i];
        const struct region *region = find_region(profile, name);
        if (!region || (ended && !has_ended(region)))
            continue;
        column->run[column->run_nr] = metrics_region_counts(profile, region);
        if (reading->here && !report->settings->cpu)
            column->run[column->run_nr].cpu = machine_cpu_model();
        if (!column->run_nr++) {
            metrics_region_notes(profile, region, &column->note);
            give_declared(region, column);
        }
    }
    if (column->run_nr < reading->nr)
        strvec_pushf(&column->note,
                     "it is in %zu of the %zu runs: what the others would have counted "
                     "of it is not known",
                     column->run_nr, reading->nr);
}

static int add_region(struct metrics_report *report, const struct reading *reading,
                      const char *name, struct error *err)
{
    struct metrics_column column = {.origin = xstrdup(reading->from->origin),
                                    .label = region_shown(name)};
    bool here = false;
    take_runs(report, reading, name, &column);
    strvec_push_all(&column.note, &reading->note);
    if (metrics_choose_set(report, reading->definition, &column, &here, err)) {
        metrics_column_release(&column);
        return -1;
    }
    return metrics_add_column(report, &column, here || reading->here, err);
}

/* ---- all of them ---- */

struct ranked {
    const char *name;
    double own_s;
};

static int by_own_time(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    return (left->own_s < right->own_s) - (left->own_s > right->own_s);
}

/* Those of all runs, each with its time in the first that has it. Caller frees. */
static struct ranked *list_regions(const struct reading *reading, size_t *nr)
{
    struct ranked *list = NULL;
    size_t alloc = 0;
    *nr = 0;
    for (size_t i = 0; i < reading->nr; i++)
        for (size_t k = 0; k < reading->profile[i].region_nr; k++) {
            const struct region *region = &reading->profile[i].region[k];
            bool known =
                !region->process.nr; /* ended, or told of, where it never began */
            for (size_t m = 0; m < i; m++)
                known = known || find_region(&reading->profile[m], region->name);
            if (known)
                continue;
            GROW(list, *nr + 1, alloc);
            list[(*nr)++] = (struct ranked){region->name, region->numbers.own_s};
        }
    if (list)
        qsort(list, *nr, sizeof(*list), by_own_time);
    return list;
}

/* "Top-down, of slots: not counted are A, B and 3 more events". */
static void note_missing(const struct metrics_report *report,
                         struct metrics_column *column, size_t model)
{
    struct strvec missing = {0};
    struct buf line = {0};
    metrics_missing(column, model, &missing);
    for (size_t i = 0; i < missing.nr && i < MISSING_SHOWN; i++)
        buf_addf(&line, "%s%s", i ? ", " : "", missing.v[i]);
    if (missing.nr > MISSING_SHOWN)
        buf_addf(&line, " and %zu more events", missing.nr - MISSING_SHOWN);
    const char *wanted = report->settings->model;
    if (missing.nr && (!wanted || !strcmp(wanted, column->set->model[model].name)))
        strvec_pushf(&column->note, "%s: not counted %s %s",
                     column->set->model[model].title, missing.nr > 1 ? "are" : "is",
                     buf_str(&line));
    buf_release(&line);
    strvec_release(&missing);
}

/* The tree of one column says it itself, a table does not. */
static void note_all_missing(struct metrics_report *report)
{
    for (size_t i = 0; report->nr > 1 && i < report->nr; i++)
        for (size_t k = 0; k < report->column[i].set->model_nr; k++)
            note_missing(report, &report->column[i], k);
}

int metrics_add_regions(struct metrics_report *report, const struct metrics_regions *from,
                        const struct strvec *note, struct error *err)
{
    struct reading reading = {.from = from};
    struct ranked *list = NULL;
    size_t nr = 0;
    strvec_push_all(&reading.note, note);
    int status = read_all(&reading, err);
    if (!status) {
        find_definition(report, &reading);
        list = list_regions(&reading, &nr);
    }
    for (size_t i = 0; !status && i < nr; i++)
        status = add_region(report, &reading, list[i].name, err);
    if (!status && counts_anything(&reading))
        note_all_missing(report);
    free(list);
    reading_release(&reading);
    return status;
}

/* A folder that exists as it is written goes before ','. */
static void split_folders(const char *folders, struct strvec *out)
{
    while (!dir_exists(folders) && strchr(folders, ',')) {
        size_t length = strcspn(folders, ",");
        strvec_pushf(out, "%.*s", (int)length, folders);
        folders += length + 1;
    }
    strvec_push(out, folders);
}

int metrics_read_regions(struct metrics_report *report, struct error *err)
{
    struct strvec folder = {0}, note = {0};
    struct metrics_regions from = {
        .origin = report->settings->regions, .folder = &folder, .name = &folder};
    split_folders(from.origin, &folder);
    int status = metrics_add_regions(report, &from, &note, err);
    strvec_release(&folder);
    return status;
}
