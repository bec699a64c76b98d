union word {
    double real;
    long bits;
};

void kernel(int n, union word *u)
{
    for (int i = 1; i < n; i++)
        u[i].real = (double)u[i - 1].bits;
}
