int opaque(int n, int *a)
{
    int r = 0;
    for (int i = 0; i < n; i++) {
        switch (a[i]) {
        case 1:
            r++; /* one */
        default:
            r--;
        }
        if (a[i] == 7)
            goto out;
        __asm__ volatile("" : "+r"(r));
        struct pair { int x, y; } pair = {1, 2};
        r += pair.x;
        int s = ({ int q = r; q + 1; });
        a[i] = s ?: 3;
        double aligned[4] __attribute__((aligned(64)));
        aligned[0] = ((struct pair){3, 4}).y;
        a[0] = _Generic(r, int: 1, default: 2) + (int)aligned[0];
    }
out:
    return r;
}
