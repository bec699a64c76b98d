struct v { double x, y; };
void f(int n, struct v *a, double *b)
{
    for (int i = 0; i < n; i++)
        a[i] = (struct v){b[i], 1};
    for (int i = 0; i < n; i++)
        b[i] += 1;
}
