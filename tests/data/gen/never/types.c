void kernel(int n, int *a, float *b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[j] = (a[j] ^ ((int)b[i] << 4)) & 0x7fff;
}
