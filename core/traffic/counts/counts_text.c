/* Numbers of files that others wrote; sums over their rows. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/traffic/counts/counts.h"
#include "core/traffic/traffic.h"

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
static const double counter_max = 9223372036854775808.0;

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
    *why = "its count is negative: the counter wrapped or was reset";
    if (*number < 0)
        return COUNT_BROKEN;
    *why = "the counter ran backwards or overflowed";
    return *number < counter_max ? COUNT_NUMBER : COUNT_BROKEN;
}

/* ---- sums ---- */

struct quantity count_quantity(double value, double share, double standard_error)
{
    double missed = share > 0 && share < 1 ? 1 - share : 0, mean = 2 * standard_error;
    return quantity_between(value, value * (1 - missed) * (1 - fmin(mean, 1)),
                            value * (1 + missed) * (1 + mean), 0, PROVENANCE_RECORDED);
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
    struct quantity value = count_quantity(row->value, row->share, row->standard_error);
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
