/* The ratio of two results that were taken together. Private to core/run. */
#ifndef CORE_RUN_RUN_PAIRS_H
#define CORE_RUN_RUN_PAIRS_H

#include "core/run/run.h"

/* As run_ratio says; both are usable and `together`. */
struct quantity pairs_ratio(const struct run_result *a, const struct run_result *b);

#endif
