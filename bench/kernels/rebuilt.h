/* What the kernels of bench/rebuilds share: numbers from a seed, and their sum as text.
 */
#ifndef REBUILT_H
#define REBUILT_H
#include <stdio.h>
#include <stdlib.h>

static double next_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 16) / 4096.0 - 7.0;
}

/* Prints every element of an array of any numbers. */
#define SHOW(array)                                                                      \
    do {                                                                                 \
        for (size_t at_ = 0; at_ < sizeof(array) / sizeof(array)[0]; at_++)              \
            printf("%a\n", (double)(array)[at_]);                                        \
    } while (0)
#define FILL(array, seed)                                                                \
    do {                                                                                 \
        for (size_t at_ = 0; at_ < sizeof(array) / sizeof(array)[0]; at_++)              \
            (array)[at_] = next_number(&(seed));                                         \
    } while (0)
#endif
