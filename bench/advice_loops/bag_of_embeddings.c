/* After recommendation models: the rows that a list names, summed; optimizers of that
 * kernel prefetch. Known remedy: the rows that come next prefetched while this one is
 * summed. */
#pragma inflight kernel
#pragma inflight set bags = 40000
#pragma inflight set each = 10
#pragma inflight set n = 1000000
#pragma inflight buffer at = index(n)
#pragma inflight buffer out = zero
void bag_of_embeddings(int bags, int each, int n, float out[restrict bags][48],
                       const float table[restrict n][48],
                       const int at[restrict bags * each])
{
    (void)n;
    for (int b = 0; b < bags; b++)
        for (int k = 0; k < each; k++)
            for (int d = 0; d < 48; d++)
                out[b][d] += table[at[b * each + k]][d];
}

void hand(int bags, int each, int n, float out[restrict bags][48],
          const float table[restrict n][48], const int at[restrict bags * each])
{
    (void)n;
    for (int b = 0; b < bags; b++)
        for (int k = 0; k < each; k++) {
            int i = b * each + k, later = i + 8 < bags * each ? i + 8 : bags * each - 1;
            for (int d = 0; d < 48; d += 16)
                __builtin_prefetch(&table[at[later]][d]);
            for (int d = 0; d < 48; d++)
                out[b][d] += table[at[i]][d];
        }
}
