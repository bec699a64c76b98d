/* Parallel plans under the thread sanitizer. */
#ifndef BENCH_PLAN_RACE_H
#define BENCH_PLAN_RACE_H

#include "bench/plan_try.h"

/* Plan number `number`, if it is parallel and was right so far: with a report of the
 * sanitizer its verdict is PLAN_RACE. What an unlucky order of threads would do does not
 * show in a run or two; that two threads touch the same element does. */
int plan_race_look(struct plan_bench *bench, size_t number, struct error *err);

#endif
