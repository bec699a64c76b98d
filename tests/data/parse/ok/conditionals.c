#if defined(WIDE)
typedef double real;
#else
typedef float real;
#endif
void conditionals(int n, real *a, real *b)
{
    for (int i = 0; i < n; i++) {
#ifdef WIDE
        a[i] += b[i];
#else
        a[i] -= b[i]; /* this one */
#endif
        // and a comment; with a { semicolon
        a[i] = a[i] > b[i] ? a[i] : b[i] > 0 ? b[i] : -b[i];
    }
}
