/* Private to core/traffic: what the readers of counts have in common. */
#ifndef CORE_TRAFFIC_COUNTS_H
#define CORE_TRAFFIC_COUNTS_H

#include "core/base/quantity.h"

struct count_set;
struct error;
struct strvec;

/* ---- numbers ---- */

enum count_word { COUNT_NUMBER, COUNT_MISSING, COUNT_BROKEN, COUNT_BAD };
/* MISSING: not counted here, others may have; BROKEN: it was, and the number is garbage;
 * BAD: no number at all. For all but NUMBER *why says what is the matter. */
enum count_word count_number(const char *text, double *number, const char **why);

/* ---- rows of one event summed ---- */

struct count_row {
    const char *event;
    double value;
    double share;          /* 1 = all of the time, 0 = not told */
    double standard_error; /* relative, of a mean over several runs; 0 = no mean */
    const char *why;       /* not NULL: unknown */
    bool broken;           /* unknown, and so is the sum */
};
struct count_sum {
    char *event;
    struct quantity value;
    double share;
    size_t rows, missing;
    char *why;
    bool broken;
};
struct count_sums {
    struct count_sum *item;
    size_t nr, alloc;
};
void count_sums_add(struct count_sums *sums, const struct count_row *row);
/* Into the set, with a note for those that were not counted everywhere; empties `sums`.
 */
void count_sums_move(struct count_sums *sums, struct count_set *set);
void count_sums_release(struct count_sums *sums);

/* The value with its interval: what was counted part of the time is known to +- (1 -
 * share), a mean to two standard errors: nobody tells of how many runs. */
struct quantity count_quantity(double value, double share, double standard_error);

/* ---- the readers; the text ends with NUL ---- */

int counts_read_csv(const char *name, const char *text, struct count_set *set,
                    struct error *err);
/* `json`: as -j writes it, else as -x. */
int counts_read_perf(const char *name, const char *text, bool json, struct count_set *set,
                     struct error *err);

/* Is it a row of perf stat -x? */
bool counts_is_perf_row(const struct strvec *field);

#endif
