void blocks(int n, double *a)
{
    int i;
    {
        double s = 0;
        for (i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                ;
            }
            {
                {
                    s += a[i];
                }
            }
        }
        a[0] = s;
    }
    for (i = 0; i < n; i++)
    {
    }
    if (n) {
    } else {
    }
    do
        for (i = 0; i < n; i++)
            a[i]++;
    while (n--);
}
