void literals(long n, double *x, float *f, unsigned long long *u, int *c)
{
    for (long i = 0; i < n; i++) {
        x[i] = 1e-3 + .5 + 0x1p-2 + 3. + 1.0e+10 + -2.5;
        f[i] = 1.5f - 2e3F;
        u[i] = 0xFFull + 010 + 1UL + 42u + 0b101;
        c[i] = 'x' + '\n' + '\'' + '\x41' + "\"str\\ing"[i];
    }
}
