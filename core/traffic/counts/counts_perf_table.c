/*
 * perf stat's table for people:
 *
 *      Performance counter stats for 'sleep 0.1' (3 runs):
 *
 *                   1.05 msec task-clock   #  0.010 CPUs utilized   ( +-  9.49% )
 *                     76      page-faults  # 82.318 K/sec  ( +-  0.44% )  (83.31%)
 *
 *               0.101693 +- 0.000142 seconds time elapsed  ( +-  0.14% )
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/traffic/counts/counts_perf.h"

/* A row in pieces; owned. */
struct pieces {
    struct strvec word; /* before the '#' and the first bracket */
    char *variance, *percent, *metric, *measure;
};

static void pieces_release(struct pieces *pieces)
{
    strvec_release(&pieces->word);
    free(pieces->variance);
    free(pieces->percent);
    free(pieces->metric);
    free(pieces->measure);
}

/* "1,234,567.8" -> "1234567.8"; other commas stay, and are refused as numbers. */
static void ungroup(char *text)
{
    size_t lead = strspn(text, "0123456789"), at = lead;
    char *to = text + lead;
    if (!lead || lead > 3 || text[lead] != ',')
        return;
    while (text[at] == ',' && strspn(text + at + 1, "0123456789") == 3)
        at += 4;
    if (text[at] && text[at] != '.')
        return;
    for (const char *from = text + lead; *from; from++)
        if (*from != ',')
            *to++ = *from;
    *to = '\0';
}

/* "<not counted>" is one word. */
static void split_words(const char *text, size_t length, struct strvec *out)
{
    const char *end = text + length;
    while (text < end) {
        size_t one = *text == '<' ? strcspn(text, ">") + 1 : strcspn(text, " \t");
        if (one > (size_t)(end - text))
            one = (size_t)(end - text);
        char *word = xstrndup(text, one);
        ungroup(word);
        if (*word)
            strvec_push(out, word);
        free(word);
        text += one;
        text += strspn(text, " \t");
    }
}

static char *behind(const char *text, const char *mark, const char *stop)
{
    const char *at = strstr(text, mark);
    if (!at)
        return NULL;
    at += strlen(mark);
    at += strspn(at, " ");
    return xstrndup(at, strcspn(at, stop));
}

/* The last "(83.31%)": brackets with a digit. */
static char *percent_in(const char *text)
{
    const char *found = NULL;
    for (const char *at = text; (at = strchr(at, '(')); at++)
        if (isdigit((unsigned char)at[1]) && strstr(at, "%)"))
            found = at + 1;
    return found ? xstrndup(found, strcspn(found, "%")) : NULL;
}

static void take_apart(const char *line, struct pieces *out)
{
    size_t blank = strspn(line, " \t");
    const char *hash = strstr(line, " # ");
    split_words(line + blank, strcspn(line, "#(") - blank, &out->word);
    out->variance = behind(line, "+-", "% )");
    out->percent = percent_in(line);
    if (!hash)
        return;
    out->metric = behind(hash, "#", " ");
    const char *unit = hash + 3 + strspn(hash + 3, " ");
    unit += strcspn(unit, " ");
    unit += strspn(unit, " ");
    size_t length = strcspn(unit, "(");
    while (length && unit[length - 1] == ' ')
        length--;
    out->measure = xstrndup(unit, length);
}

static bool is_count(const char *text)
{
    return *text == '<' || isdigit((unsigned char)*text);
}

static int not_a_row(const struct perf_rows *rows, struct error *err)
{
    return csv_fail(&rows->lines, err,
                    "expected a count, a unit and an event, as 'perf stat' "
                    "writes them, got '%s'",
                    buf_str(&rows->lines.line));
}

/* [time] [place [members]] value [unit] event */
static int take_pieces(struct perf_rows *rows, const struct pieces *pieces,
                       struct error *err)
{
    const struct strvec *word = &pieces->word;
    struct perf_row row = {.variance = pieces->variance,
                           .percent = pieces->percent,
                           .metric = pieces->metric,
                           .measure = pieces->measure};
    size_t at = 0;
    if (!word->nr) /* a metric of the row above */
        return 0;
    if (perf_is_interval(word->v[0]))
        row.interval_s = strtod(word->v[at++], NULL);
    if (at < word->nr && !is_count(word->v[at]) && perf_is_place(word->v[at]))
        row.place = word->v[at++];
    if (row.place && at + 2 < word->nr && is_count(word->v[at + 1]))
        at++;
    size_t left = word->nr - at;
    if (left < 2 || left > 3 || !is_count(word->v[at]))
        return not_a_row(rows, err);
    row.value = word->v[at];
    row.unit = left == 3 ? word->v[at + 1] : "";
    row.event = word->v[word->nr - 1];
    return perf_rows_take(rows, &row, err);
}

/* "0.101693 +- 0.000142 seconds time elapsed  ( +-  0.14% )" */
static int take_elapsed(struct perf_rows *rows, struct error *err)
{
    const char *line = buf_str(&rows->lines.line);
    const char *why, *variance = strrchr(line, '+');
    char *text = behind(line, "", " ");
    double seconds;
    enum count_word word = count_number(text, &seconds, &why);
    double percent = variance && variance[1] == '-' ? strtod(variance + 2, NULL) : 0;
    free(text);
    if (word != COUNT_NUMBER)
        return csv_fail(&rows->lines, err, "the time elapsed %s", why);
    rows->elapsed = count_quantity(seconds, 0, percent / 100, rows->runs);
    return 0;
}

static int take_line(struct perf_rows *rows, bool *over, struct error *err)
{
    const char *line = buf_str(&rows->lines.line);
    struct pieces pieces = {0};
    *over = strstr(line, "seconds time elapsed") != NULL;
    if (*over)
        return take_elapsed(rows, err);
    if (csv_is_blank(line) || *line == '#')
        return 0;
    take_apart(line, &pieces);
    int status = take_pieces(rows, &pieces, err);
    pieces_release(&pieces);
    return status;
}

/* The heading; false if the text ends before there is one. What the program itself
 * printed stands before it. */
static bool find_table(struct perf_rows *rows, bool *intervals)
{
    while (csv_next(&rows->lines)) {
        const char *line = buf_str(&rows->lines.line), *runs;
        *intervals = strstr(line, "counts unit events") != NULL;
        if (!*intervals && !strstr(line, "Performance counter stats for"))
            continue;
        if ((runs = strrchr(line, '(')) && strstr(runs, "runs)"))
            rows->runs = strtoul(runs + 1, NULL, 10);
        return true;
    }
    return false;
}

static int read_table(struct perf_rows *rows, struct error *err)
{
    bool over = false, intervals = false;
    int status = 0;
    find_table(rows, &intervals);
    while (!status && !over && csv_next(&rows->lines))
        status = take_line(rows, &over, err);
    if (status)
        return -1;
    if (!over && !intervals)
        return csv_fail(&rows->lines, err,
                        "the text ends before 'seconds time elapsed': a part of "
                        "perf's output is missing");
    if (find_table(rows, &intervals))
        return csv_fail(&rows->lines, err,
                        "a second run begins here: give one file for each");
    return 0;
}

int counts_read_perf_table(const char *name, const char *text, struct count_set *set,
                           struct error *err)
{
    struct perf_rows rows = {.lines = {.file = name, .rest = text}};
    int status = read_table(&rows, err);
    if (status)
        perf_rows_release(&rows);
    else
        perf_rows_finish(&rows, set);
    return status;
}
