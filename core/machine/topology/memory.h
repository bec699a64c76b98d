/* Private to core/machine: big pieces of memory with the page size that a probe wants. */
#ifndef CORE_MACHINE_MEMORY_H
#define CORE_MACHINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

struct error;

enum { HUGE_PAGE_BYTES = 2 << 20 };

struct region {
    char *base; /* 2 MiB aligned, every page touched by the thread that mapped it */
    size_t bytes;
    double huge_share; /* of the bytes backed by huge pages, as the kernel says; NaN = not
                          told */
    void *mapping;
    size_t mapping_bytes;
};

int region_map(struct region *region, size_t bytes, bool huge, struct error *err);
void region_release(struct region *region);

double memory_total_bytes(void); /* installed or allowed, the smaller; 0 = not known */
/* The smallest memory limit of our cgroups, INFINITY if there is none. */
double memory_limit_bytes(void);

#endif
