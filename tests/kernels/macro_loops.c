/*
 * macro_loops: Loops, bounds and subscripts all behind macros.
 */
#define EACH(i, n) for (int i = 0; i < (n); i++)
#define LAST (size - 1)

#pragma inflight kernel
#pragma inflight set size = 3000
void macro_loops(int size, double T[restrict size][size], const double A[restrict size][size])
{
    EACH(row, LAST)
        EACH(column, LAST)
            T[column][row] = A[row][column] + A[row][column + 1];
}
