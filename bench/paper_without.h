/* The recipe as it would be had one application of the paper not been studied
 * (tests/data/paper/derivation.json): shared by bench/paper and the suite `paper`. */
#ifndef BENCH_PAPER_WITHOUT_H
#define BENCH_PAPER_WITHOUT_H

#include "bench/paper_rows.h"

/* `full`: the shipped rules. *said gets what fell away or was derived again, one line
 * each. Free *set. */
int paper_without(const struct paper *paper, const struct rule_set *full,
                  const char *application, enum paper_told told, struct rule_set **set,
                  struct buf *said, struct error *err);

#endif
