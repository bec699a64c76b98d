void kernel(int n, int *restrict a, const int *restrict b)
{
    for (int i = 0; i < n; i++) {
        int v = b[i];
        while (v > 1)
            v = v % 2 ? 3 * v + 1 : v / 2;
        if (v > 0)
            a[i] = v;
        for (int j = 0; j < 8; j++) {
            if (b[j] == i)
                break;
            a[i] += j;
        }
    }
}
