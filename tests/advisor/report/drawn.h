/* Numbers drawn from a row that a seed decides. */
#ifndef TESTS_ADVISOR_DRAWN_H
#define TESTS_ADVISOR_DRAWN_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/base/random.h"

/* 0 .. 1 */
static inline double uniform(uint64_t *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

static inline double between(uint64_t *state, double low, double high)
{
    return low + uniform(state) * (high - low);
}

/* As likely a tenth as ten times. */
static inline double spread(uint64_t *state, double low, double high)
{
    return low * exp(uniform(state) * log(high / low));
}

static inline bool chance(uint64_t *state, double share)
{
    return uniform(state) < share;
}

static inline size_t one_of(uint64_t *state, size_t nr)
{
    return random_next(state) % nr;
}

#endif
