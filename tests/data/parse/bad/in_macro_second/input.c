#define BOTH                                                                             \
    n++;                                                                                 \
    switch (n) {                                                                         \
    }
void in_macro_second(int n, double *a)
{
    for (int i = 0; i < n; i++)
        a[i] = 0;
    BOTH
}
