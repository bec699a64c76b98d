static double A[100];
void f(void)
{
    for (unsigned i = 0; i < sizeof(A) / sizeof(A[0]); i++)
        A[i] = 1;
}
