static int unread(int n)
{
    int add(int x) { return x + n; }
    return 1;
}

void kernel(int n, double *restrict x)
{
    for (int i = 0; i < n; i++)
        x[i] = unread(i);
}
