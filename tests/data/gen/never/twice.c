static double w;
#define w (w + 1)

void kernel(int n, double *restrict x)
{
    for (int i = 0; i < n; i++)
        x[i] += w;
}
