/* pages_hash with an array of indices, double, and int subscripts. */
#pragma inflight kernel
#pragma inflight set n = 1048576
#pragma inflight set lines = 16777216
#pragma inflight buffer index = index(lines)
double pages_index(int n, int lines, const double table[restrict 8L * lines],
                   const int index[restrict n])
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += table[8L * index[i]];
    return sum;
}
