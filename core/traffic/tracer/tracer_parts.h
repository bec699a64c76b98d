/*
 * Who causes the traffic: each access belongs to a part, which is one place in the code
 * (the return address of the compiler's callback) and one array. Private to the tracer.
 */
#ifndef CORE_TRAFFIC_TRACER_PARTS_H
#define CORE_TRAFFIC_TRACER_PARTS_H

#include <stdio.h>

#include "core/traffic/tracer/cache_model.h"

enum { TRACER_SITES = 8192 };

/* A place in the code and the range of addresses, an array or what lies between two, that
 * its last access went to. Call sites are several bytes apart, so those of 8 KiB of code
 * hardly ever meet in the table, and there is room for a few arrays each. */
struct tracer_site {
    uintptr_t pc;
    uint64_t base, bytes;
    struct cache_part *part;
};
extern struct tracer_site tracer_site[TRACER_SITES] __attribute__((visibility("hidden")));

static inline struct tracer_site *tracer_site_of(uintptr_t pc)
{
    return &tracer_site[pc % TRACER_SITES];
}

static inline bool tracer_site_is(const struct tracer_site *site, uintptr_t pc,
                                  uint64_t address)
{
    return site->pc == pc && address - site->base < site->bytes;
}

struct cache_part *tracer_part(uintptr_t pc, uint64_t address);

/*
 * Puts all arrays into the last level if they fit there together and are no more than
 * `lines_max`: a call that is not the first one finds them there, and the windows of a
 * sampled call, which see little of it, do not take their first touch for a miss.
 */
void tracer_parts_recall(struct cache_model *model, double lines_max);

/* Parts are counted from here on. */
void tracer_parts_base(void);
/* What they had since then is that window's; what later windows had is forgotten. */
void tracer_parts_take(int window);
/* Dirty lines there are, by part and altogether: when counting begins, and now. */
enum tracer_moment { TRACER_BEFORE, TRACER_AFTER, TRACER_MOMENTS };
void tracer_parts_dirty(enum tracer_moment moment, uint64_t left[CACHE_LEVELS_MAX]);
/* The window's write-backs across edge k are taken to be `all`: those that came and what
 * became dirty in it, as far as a part has any. */
void tracer_parts_later(int window, int k, uint64_t all);
/* Write-backs still to come after window 0, by part and altogether. */
void tracer_parts_left(uint64_t left[CACHE_LEVELS_MAX]);
/* "array NAME" in order of announcement; "part ARRAY PC", ARRAY = their number for none,
 * PC as the program's file has it, 0 = not known. */
void tracer_parts_write(FILE *file);
/* "charged PART" and the counts in the order of CACHE_COUNT_MAP, CACHE_LEVEL_COUNT_MAP,
 * what is left; those per level for each. */
void tracer_parts_write_window(FILE *file, int window);

#endif
