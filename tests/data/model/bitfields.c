struct flags {
    unsigned low : 4, high : 4;
};

void kernel(int n, struct flags *f)
{
    for (int i = 1; i < n; i++)
        f[i].low = f[i - 1].high;
}
