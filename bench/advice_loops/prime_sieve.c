/* After the sieve of Eratosthenes in contests and shoot-outs of languages: the multiples
 * of each prime are struck out in the whole table, which no near cache holds. Known
 * remedy: one segment after the other, as large as the cache, with all primes. */
#pragma inflight kernel
#pragma inflight set n = 20000000
void prime_sieve(int n, unsigned char composite[restrict n])
{
    for (int i = 0; i < n; i++)
        composite[i] = i < 2;
    for (int p = 2; p < n && p <= (n - 1) / p; p++)
        if (!composite[p])
            for (int m = p * p; m < n && m > 0; m += p)
                composite[m] = 1;
}

enum { SEGMENT = 1 << 18, ROOT = 46341 };

void hand(int n, unsigned char composite[restrict n])
{
    static int prime[ROOT], next[ROOT];
    static unsigned char small[ROOT];
    int primes = 0;
    for (int i = 0; i < ROOT; i++)
        small[i] = 0;
    for (int p = 2; p < n && p <= (n - 1) / p; p++) {
        if (small[p])
            continue;
        prime[primes] = p;
        next[primes++] = p * p;
        for (int m = 2 * p; m < ROOT; m += p)
            small[m] = 1;
    }
    for (int low = 0; low < n; low += SEGMENT) {
        int high = n - low < SEGMENT ? n : low + SEGMENT;
        for (int i = low; i < high; i++)
            composite[i] = i < 2;
        for (int k = 0; k < primes; k++) {
            int m = next[k];
            for (; m < high; m += prime[k])
                composite[m] = 1;
            next[k] = m;
        }
    }
}
