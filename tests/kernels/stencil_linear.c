/*
 * stencil_linear: Seven points in an array of one dimension with fixed sizes.
 */
enum { NX = 128, NY = 96, NZ = 80 };
static double field[NZ * NY * NX], result[NZ * NY * NX];

#pragma inflight kernel
#pragma inflight set sweeps = 4
void stencil_linear(int sweeps)
{
    for (int s = 0; s < sweeps; s++) {
        for (int k = 1; k < NZ - 1; k++)
            for (int j = 1; j < NY - 1; j++)
                for (int i = 1; i < NX - 1; i++)
                    result[(k * NY + j) * NX + i] =
                        0.1 * (field[(k * NY + j) * NX + i - 1] + field[(k * NY + j) * NX + i + 1] +
                               field[(k * NY + j - 1) * NX + i] + field[(k * NY + j + 1) * NX + i] +
                               field[((k - 1) * NY + j) * NX + i] + field[((k + 1) * NY + j) * NX + i]) +
                        0.4 * field[(k * NY + j) * NX + i];
        for (int k = 1; k < NZ - 1; k++)
            for (int j = 1; j < NY - 1; j++)
                for (int i = 1; i < NX - 1; i++)
                    field[(k * NY + j) * NX + i] = result[(k * NY + j) * NX + i];
    }
}
