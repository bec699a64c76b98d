/* A sparse matrix of equally long rows times a vector. */
#pragma inflight kernel
#pragma inflight set rows = 100000
#pragma inflight set width = 12
#pragma inflight set m = 3000000
#pragma inflight buffer column = index(m)
void sparse_rows(int rows, int width, int m, double y[restrict rows],
                 const double value[restrict rows][width],
                 const int column[restrict rows][width], const double x[restrict m])
{
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int k = 0; k < width; k++)
            sum += value[i][k] * x[column[i][k]];
        y[i] = sum;
    }
}
