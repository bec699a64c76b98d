/* Private to core/machine: where the time of a burst of misses has its first step. */
#ifndef CORE_MACHINE_BURST_STEP_H
#define CORE_MACHINE_BURST_STEP_H

#include <stddef.h>

#include "core/base/quantity.h"

/* `burst_ns[n - 1]`: of a burst of n misses, one sample per round; n from 1 to `max`, at
 * most 128. The most misses that are under way at once, in steps of one: the interval is
 * at least one more and one less, and 5 %. Unknown without a step, or when rounds
 * contradict each other. */
struct quantity burst_step(double *const *burst_ns, size_t max, size_t rounds);

#endif
