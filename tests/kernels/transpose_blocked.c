/*
 * transpose_blocked: Blocks of 32 x 32 by hand, sizes in blocks.
 */
#pragma inflight kernel
#pragma inflight set nb = 140
void transpose_blocked(int nb, double *restrict b, const double *restrict a)
{
    for (int it = 0; it < nb; it++)
        for (int jt = 0; jt < nb; jt++)
            for (int i = 0; i < 32; i++)
                for (int j = 0; j < 32; j++)
                    b[(32 * it + i) + 32 * nb * (32 * jt + j)] = a[(32 * it + i) * (32 * nb) + 32 * jt + j];
}
