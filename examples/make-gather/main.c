/* Looks keys up and prints the sum: the same number whichever code was built. */
#include <stdio.h>
#include <stdlib.h>

void gather(long n, long m, double *out, const double *table, const int *key);

enum { N = 200000, M = 100000 };

int main(void)
{
    double *out = calloc(N, sizeof(*out)), *table = calloc(M, sizeof(*table)), sum = 0;
    int *key = calloc(N, sizeof(*key));
    unsigned long long random = 1;

    if (!out || !table || !key)
        return 1;
    for (int i = 0; i < M; i++)
        table[i] = i % 1000;
    for (int i = 0; i < N; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u; /* Knuth, MMIX */
        key[i] = (int)((random >> 33) % M);
    }
    gather(N, M, out, table, key);
    for (int i = 0; i < N; i++)
        sum += out[i];
    printf("sum %.1f\n", sum);
    free(out);
    free(table);
    free(key);
    return 0;
}
