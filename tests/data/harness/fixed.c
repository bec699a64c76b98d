/* The file settles how long the arrays are, and how many steps there are, whatever n is. */
#pragma inflight set n = 200
void fixed(int n, double a[200][200], const double b[200][200])
{
    for (int t = 0; t < 400; t++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[i][j] = a[i][j] + b[i][j];
}
