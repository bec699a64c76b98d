#include "histogram.h"

#include <stddef.h>

/* Below 8 a bucket for each number; above, three bits behind the first. */
static size_t bucket_of(uint64_t ns)
{
    int bits = 0;

    while (ns >> bits > 15)
        bits++;
    return ns < 8 ? (size_t)ns : (size_t)bits * 8 + (size_t)(ns >> bits);
}

static uint64_t bucket_end(size_t bucket)
{
    if (bucket < 16)
        return bucket;
    size_t bits = (bucket - 8) / 8;

    return ((((uint64_t)bucket - bits * 8) + 1) << bits) - 1;
}

void histogram_add(struct histogram *histogram, uint64_t ns)
{
    size_t bucket = bucket_of(ns);

    histogram->nr++;
    histogram->bucket[bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1]++;
}

uint64_t histogram_quantile(const struct histogram *histogram, double at)
{
    double want = at * (double)histogram->nr;
    uint64_t seen = 0;

    if (!histogram->nr)
        return 0;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += histogram->bucket[i];
        if (seen && (double)seen >= want)
            return bucket_end(i);
    }
    return bucket_end(HISTOGRAM_BUCKETS - 1);
}
