/* Numbers that a seed decides. */
#ifndef CORE_BASE_RANDOM_H
#define CORE_BASE_RANDOM_H

#include <stdint.h>

/* splitmix64, S. Vigna's public-domain generator: the next number of the row that the
 * first value of *state starts. */
uint64_t random_next(uint64_t *state);

#endif
