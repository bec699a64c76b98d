double alpha;
int size;

void kernel(int n, double *x, const double *restrict y, int *mark)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < size; j++) {
            x[j] += y[i] * alpha;
            mark[j] = i;
        }
}
