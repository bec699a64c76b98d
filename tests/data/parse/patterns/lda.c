void f(int n, int lda, double *a)
{
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            a[i + j * lda] /= a[j + j * lda];
}
