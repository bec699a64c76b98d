/* select_flat with structs and size_t subscripts, two ways to go. */
#include <stddef.h>

struct sample {
    int value, weight;
};

#pragma inflight kernel
#pragma inflight set rounds = 16
#pragma inflight set n = 524288
#pragma inflight buffer sample.value = uniform(0, 9)
#pragma inflight buffer low = zero
#pragma inflight buffer high = zero
size_t select_struct(size_t rounds, size_t n, int low[restrict n], int high[restrict n],
                     const struct sample sample[restrict n])
{
    size_t lows = 0, highs = 0;
    for (size_t r = 0; r < rounds; r++) {
        lows = 0;
        highs = 0;
        for (size_t i = 0; i < n; i++)
            if (sample[i].value < 5)
                low[lows++] = sample[i].weight;
            else
                high[highs++] = sample[i].weight;
    }
    return lows;
}
