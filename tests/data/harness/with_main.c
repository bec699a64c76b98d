/* main and what stands beside the kernel need other files; the kernel does not. */
void *far_alloc(unsigned long bytes);
void far_print(const double *a);
extern int far_count;
static void (*const far_table[])(const double *) = {far_print};

double beside(const double *a)
{
    far_table[0](a);
    return far_count;
}

double scale(int n, double s, const double *a, double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        b[i] = s * a[i];
        sum += b[i];
    }
    return sum;
}

int main(void)
{
    double *a = far_alloc(8);
    return (int)(beside(a) + scale(1, 1, a, a));
}
