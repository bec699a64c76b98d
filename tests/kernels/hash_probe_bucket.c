/*
 * hash_probe_bucket: A join's probe: buckets of four entries, all compared.
 */
#pragma inflight kernel
#pragma inflight set n = 4000000
#pragma inflight set buckets = 8388608
#pragma inflight buffer hash = index(buckets)
#pragma inflight buffer probe = uniform(0, 1000)
#pragma inflight buffer entry = uniform(0, 1000)
void hash_probe_bucket(long n, long buckets, int hits[restrict n], const int hash[restrict n],
                       const int probe[restrict n], const int entry[restrict buckets][4])
{
    for (long i = 0; i < n; i++) {
        int found = 0;
        for (int s = 0; s < 4; s++)
            found += entry[hash[i]][s] == probe[i];
        hits[i] = found;
    }
}
