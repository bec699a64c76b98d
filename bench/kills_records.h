/* What a session holds, for bench/kills. */
#ifndef BENCH_KILLS_RECORDS_H
#define BENCH_KILLS_RECORDS_H

#include "core/store/store.h"

struct records {
    struct strvec answer; /* "variant|other|json" */
    json_t *report;       /* NULL = unfinished */
};

/* Replaces what was there. -1 when the database does not open or has no such session. */
int records_read(const char *database, long long session, struct records *records);
void records_release(struct records *records);

/* Answers of `before` that `after` does not have. */
long long records_lost(const struct records *before, const struct records *after);
/* Measurements of a variant that are none of: the first, a repetition that adds launches,
 * the first that explains it. */
long long records_twice(const struct records *records);

/* Plan of the best variant. */
const char *records_winner(const struct records *records);
/* What the reports say was found (winner, ties, gains, advice, what was pruned, why it
 * ended) is the same; numbers but for a millionth. The first that is not is in `where`.
 */
bool records_same_end(const struct records *a, const struct records *b,
                      struct buf *where);

#endif
