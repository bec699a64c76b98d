/*
 * embedding_bag: Sums of table rows named by lists of eight.
 */
#pragma inflight kernel
#pragma inflight set bags = 60000
#pragma inflight set rows = 500000
#pragma inflight set width = 32
#pragma inflight buffer id = index(rows)
#pragma inflight buffer out = zero
void embedding_bag(int bags, int rows, int width, float out[restrict bags][width],
                   const float table[restrict rows][width], const int id[restrict bags][8])
{
    for (int b = 0; b < bags; b++)
        for (int k = 0; k < 8; k++)
            for (int d = 0; d < width; d++)
                out[b][d] += table[id[b][k]][d];
}
