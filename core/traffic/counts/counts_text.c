/* Lines, fields and numbers of files that others wrote; sums over their rows. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/traffic/counts/counts.h"

/* ---- lines ---- */

bool count_lines_next(struct count_lines *lines)
{
    if (!*lines->rest)
        return false;
    size_t length = strcspn(lines->rest, "\n");
    size_t kept = length && lines->rest[length - 1] == '\r' ? length - 1 : length;
    buf_reset(&lines->line);
    buf_add_n(&lines->line, lines->rest, kept);
    lines->rest += length + (lines->rest[length] == '\n');
    lines->nr++;
    return true;
}

int count_lines_fail(const struct count_lines *lines, struct error *err,
                     const char *format, ...)
{
    struct buf message = {0};
    va_list args;
    va_start(args, format);
    buf_addf_va(&message, format, args);
    va_end(args);
    fail(err, STATUS_INPUT, "%s:%d: %s", lines->file, lines->nr, buf_str(&message));
    buf_release(&message);
    return -1;
}

bool count_is_blank(const char *text)
{
    return !text[strspn(text, " \t\r\n")];
}

/* ---- fields ---- */

char count_separator(const char *line)
{
    static const char known[] = "\t;|,";
    for (const char *c = known; *c; c++)
        if (strchr(line, *c))
            return *c;
    return ',';
}

static const char *quoted_field(const char *at, struct buf *out)
{
    for (at++; *at; at++) {
        if (*at == '"' && at[1] != '"')
            return at + 1;
        at += *at == '"';
        buf_add_n(out, at, 1);
    }
    return at;
}

static void push_trimmed(const char *text, size_t length, struct strvec *out)
{
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    char *field = xstrndup(text, length);
    strvec_push(out, field);
    free(field);
}

void count_fields(const char *line, char separator, struct strvec *out)
{
    const char stop[] = {separator, '\0'};
    struct buf field = {0};
    for (;;) {
        while (*line == ' ' || (*line == '\t' && separator != '\t'))
            line++;
        buf_reset(&field);
        if (*line == '"')
            line = quoted_field(line, &field);
        size_t length = strcspn(line, stop);
        buf_add_n(&field, line, length);
        push_trimmed(buf_str(&field), field.length, out);
        line += length;
        if (!*line)
            break;
        line++;
    }
    buf_release(&field);
}

/* ---- numbers ---- */

static bool is_one_of(const char *text, const char *const *word, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        if (!strcmp(text, word[i]))
            return true;
    return false;
}

/* "1.234,5", "12,5": how other countries write numbers, and what is not told from
 * thousands. */
static bool has_decimal_comma(const char *text)
{
    size_t length = strspn(text, "0123456789.,+-eE");
    return length && !text[length] && strchr(text, ',');
}

/* Counters are 64 bit wide at most: what lies above half of that ran backwards. */
static const double counter_most = 9223372036854775808.0;

enum count_word count_number(const char *text, double *number, const char **why)
{
    static const char *const missing[] = {"", "-", "<not counted>", "<not supported>"};
    static const char *const broken[] = {"nan", "-nan", "NaN", "inf", "-inf"};
    char *end = NULL;
    *number = 0;
    *why = !strcmp(text, "<not supported>") ? "the event is not supported there"
                                            : "it was not counted";
    if (is_one_of(text, missing, ARRAY_SIZE(missing)))
        return COUNT_MISSING;
    *why = "the counter could not be read";
    if (is_one_of(text, broken, ARRAY_SIZE(broken)))
        return COUNT_BROKEN;
    *why = has_decimal_comma(text) ? "has a decimal comma; write it with LC_ALL=C"
                                   : "is not a number";
    if (!isdigit((unsigned char)text[strspn(text, "+-.")]) ||
        text[strspn(text, "0123456789.eE+-")])
        return COUNT_BAD;
    *number = strtod(text, &end);
    if (*end)
        return COUNT_BAD;
    *why = "its count is negative: the counter wrapped or was set back";
    if (*number < 0)
        return COUNT_BROKEN;
    *why = "the counter ran backwards or overflowed";
    return *number < counter_most ? COUNT_NUMBER : COUNT_BROKEN;
}

/* ---- sums ---- */

/* Half the 95 % interval of a mean in standard errors; two where the runs are not told,
 * and of a single one the widest there is a figure for. */
static double errors_95(size_t runs)
{
    return runs ? student_95(runs > 1 ? runs - 1 : 1) : 2;
}

struct quantity count_quantity(double value, double share, double standard_error,
                               size_t runs)
{
    double missed = share > 0 && share < 1 ? 1 - share : 0;
    double mean = fmin(errors_95(runs) * standard_error, 1);
    return quantity_between(value, value * (1 - missed) * (1 - mean),
                            value * (1 + missed) * (1 + errors_95(runs) * standard_error),
                            runs, PROVENANCE_RECORDED);
}

static struct count_sum *sum_of(struct count_sums *sums, const char *event)
{
    for (size_t i = 0; i < sums->nr; i++)
        if (!strcmp(sums->item[i].event, event))
            return &sums->item[i];
    GROW(sums->item, sums->nr + 1, sums->alloc);
    sums->item[sums->nr] =
        (struct count_sum){.event = xstrdup(event), .value = quantity_unknown()};
    return &sums->item[sums->nr++];
}

void count_sums_add(struct count_sums *sums, const struct count_row *row)
{
    struct count_sum *sum = sum_of(sums, row->event);
    bool first = sum->rows++ == sum->missing;
    if (row->why) {
        sum->missing++;
        if (!sum->why || (row->broken && !sum->broken)) {
            free(sum->why);
            sum->why = xstrdup(row->why);
        }
        sum->broken |= row->broken;
        return;
    }
    struct quantity value =
        count_quantity(row->value, row->share, row->standard_error, row->runs);
    sum->value = first ? value : quantity_add(sum->value, value);
    sum->share = first || row->share < sum->share ? row->share : sum->share;
}

void count_sums_move(struct count_sums *sums, struct count_set *set)
{
    for (size_t i = 0; i < sums->nr; i++) {
        const struct count_sum *sum = &sums->item[i];
        if (sum->broken || !sum->value.known)
            count_set_add_unknown(set, sum->event, sum->why);
        else
            count_set_add(set, sum->event, sum->value, sum->share);
        if (sum->missing && !sum->broken && sum->value.known)
            strvec_pushf(&set->note,
                         "%s was not counted in %zu of %zu rows: the sum is of the rest",
                         sum->event, sum->missing, sum->rows);
    }
    count_sums_release(sums);
}

void count_sums_release(struct count_sums *sums)
{
    for (size_t i = 0; i < sums->nr; i++) {
        free(sums->item[i].event);
        free(sums->item[i].why);
    }
    free(sums->item);
    *sums = (struct count_sums){0};
}
