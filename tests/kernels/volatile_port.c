/*
 * volatile_port: A port that must be read each time.
 */
#pragma inflight kernel
#pragma inflight set n = 100000
#pragma inflight buffer port length 1
void volatile_port(long n, double out[restrict n], const volatile double *port)
{
    for (long i = 0; i < n; i++)
        out[i] = *port;
}
