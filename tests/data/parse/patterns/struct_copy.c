struct v { double x, y; };
void f(int n, struct v *a, const struct v *b)
{
    for (int i = 0; i < n; i++)
        a[i] = b[n - 1 - i];
}
