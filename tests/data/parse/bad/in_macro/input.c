#define BOTH                                                                             \
    switch (n) {                                                                         \
    }                                                                                    \
    switch (n) {                                                                         \
    }
void in_macro(int n, double *a)
{
    for (int i = 0; i < n; i++)
        a[i] = 0;
    BOTH
}
