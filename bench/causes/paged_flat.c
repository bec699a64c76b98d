/* One whole line of each of 32768 pages, again and again: the lines, 2 MiB, stay in the
 * caches, but no TLB holds so many pages of 4 KiB. A page is 65 lines here, so that the
 * lines spread over all sets. */
#pragma inflight kernel
#pragma inflight set rounds = 20
#pragma inflight set pages = 32768
#pragma inflight buffer a = uniform(3, 3)
long paged_flat(long rounds, long pages, const long a[restrict 520 * pages])
{
    long sum = 0;
    for (long r = 0; r < rounds; r++)
        for (long p = 0; p < pages; p++)
            for (long k = 0; k < 8; k++)
                sum += a[520 * p + k] ^ r;
    return sum;
}

/* As many lines, all of 512 pages. */
long remedy(long rounds, long pages, const long a[restrict 520 * pages])
{
    long sum = 0;
    for (long r = 0; r < rounds; r++)
        for (long p = 0; p < pages; p++)
            for (long k = 0; k < 8; k++)
                sum += a[8 * p + k] ^ r;
    return sum;
}
