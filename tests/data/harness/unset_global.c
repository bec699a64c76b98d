int length;
void add(double *a, const double *b)
{
    for (int i = 0; i < length; i++)
        a[i] += b[i];
}
