/* Times in buckets that are an eighth of a power of two wide. */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_BUCKETS = 64 * 8 };

struct histogram {
    uint64_t nr;
    uint64_t bucket[HISTOGRAM_BUCKETS];
};

void histogram_add(struct histogram *histogram, uint64_t ns);

/* The time, in nanoseconds, that the share `at` (0 to 1) of all does not exceed: the
 * upper end of its bucket; 0 without times. */
uint64_t histogram_quantile(const struct histogram *histogram, double at);

#endif
