#pragma inflght set n = 100
void near_miss(int n, double *a)
{
    for (int i = 0; i < n; i++)
        a[i] *= 2;
}
