int step(double *);

double flow(int n, int steps, double *a)
{
    double sum = 0;
    for (int t = 0; t < steps; t++) {
        step(a);
        for (int i = 0; i < n; i++)
            sum += a[i];
    }
    return sum;
}
