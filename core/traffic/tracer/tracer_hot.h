/* What every access of a traced program passes through. Private to tracer.c and
 * tracer_callbacks.c. */
#ifndef CORE_TRAFFIC_TRACER_HOT_H
#define CORE_TRAFFIC_TRACER_HOT_H

#include "core/traffic/tracer/cache_model.h"
#include "core/traffic/tracer/tracer_parts.h"

/* In a function that the traced code calls: from where. */
#define FROM ((uintptr_t)__builtin_return_address(0))

struct tracer_hot {
    /* Accesses still to be passed without a look. While it is negative, every access is
     * looked at. The one thing that a passed access costs: a decrement and a branch. */
    int64_t skip;
    uint64_t left; /* of those looked at, until tracer_next() is asked */
    /* A non-temporal store was announced; the plain store that stands for it is not seen.
     */
    uintptr_t announced;
    uint64_t announced_bytes; /* still to come */
    struct cache_model model;
};
extern struct tracer_hot tracer_hot __attribute__((visibility("hidden")));
/* Set in the thread that is traced, between start and stop. */
extern __thread bool tracer_here __attribute__((visibility("hidden")));

/* Caches of other sizes that see the same accesses, charged to nobody. */
enum { TRACER_OTHERS_MAX = 2 };
extern int tracer_other_nr __attribute__((visibility("hidden")));
extern struct cache_model tracer_other[TRACER_OTHERS_MAX]
    __attribute__((visibility("hidden")));
/* Of these, the ones that are no model beside the main one: each access goes there. */
extern int tracer_apart_nr __attribute__((visibility("hidden")));
extern struct cache_model *tracer_apart[TRACER_OTHERS_MAX]
    __attribute__((visibility("hidden")));

static inline void tracer_simulate_load(struct cache_part *part, uint64_t address,
                                        uint64_t bytes)
{
    cache_model_load(&tracer_hot.model, part, address, bytes);
    for (int i = 0; i < tracer_apart_nr; i++)
        cache_model_load(tracer_apart[i], tracer_apart[i]->part, address, bytes);
}

static inline void tracer_simulate_store(struct cache_part *part, uint64_t address,
                                         uint64_t bytes)
{
    cache_model_store(&tracer_hot.model, part, address, bytes);
    for (int i = 0; i < tracer_apart_nr; i++)
        cache_model_store(tracer_apart[i], tracer_apart[i]->part, address, bytes);
}

/* The present phase is over: decides on the next. */
void tracer_next(void);
/* A store that was announced has come. */
void tracer_announced_store(uintptr_t address, uint64_t bytes);

/* Beyond the decrement: an access that is looked at. True if it is to be simulated. */
static inline bool tracer_looks(void)
{
    if (!tracer_here)
        return false;
    if (tracer_hot.left-- == 0)
        tracer_next();
    return tracer_hot.skip < 0;
}

/* pc: where in the code; charged with it is what it does to which array. */
void tracer_look_load(const void *address, uint64_t bytes, uintptr_t pc);
void tracer_look_store(const void *address, uint64_t bytes, uintptr_t pc);

static inline bool tracer_passes(void)
{
    return __builtin_expect(--tracer_hot.skip >= 0, 1);
}

static inline void tracer_load(const void *address, uint64_t bytes, uintptr_t pc)
{
    if (!tracer_passes())
        tracer_look_load(address, bytes, pc);
}

static inline void tracer_store(const void *address, uint64_t bytes, uintptr_t pc)
{
    if (!tracer_passes())
        tracer_look_store(address, bytes, pc);
}

#endif
