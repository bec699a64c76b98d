/*
 * hash_probe_open: Open addressing: go on to the next slot until the key or a hole is found.
 */
#pragma inflight kernel
#pragma inflight set n = 3000000
#pragma inflight set mask = 16777215
#pragma inflight buffer key = index(mask)
#pragma inflight buffer slot = uniform(0, 1)
#pragma inflight buffer slot length mask + 1
void hash_probe_open(long n, int mask, int found[restrict n], const int key[restrict n], const int *restrict slot)
{
    for (long i = 0; i < n; i++) {
        int at = key[i] & mask;
        int steps = 0;

        while (slot[at] != 0 && steps < 8) {
            at = (at + 1) & mask;
            steps++;
        }
        found[i] = at;
    }
}
