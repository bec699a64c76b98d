struct body {
    double x, y;
};

void kernel(int n, struct body *restrict z, const struct body *restrict w,
            double *restrict v)
{
    for (int i = 1; i < n; i++) {
        z[i] = w[i];
        v[i] = z[i - 1].x;
    }
}
