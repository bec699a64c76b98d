/* What every access of a traced program passes through. Private to tracer.c and
 * tracer_callbacks.c. */
#ifndef CORE_TRAFFIC_TRACER_HOT_H
#define CORE_TRAFFIC_TRACER_HOT_H

#include "core/traffic/cache_model.h"

struct tracer_hot {
    uint64_t left;   /* accesses until tracer_next() is asked */
    bool simulating; /* else they are only counted */
    /* A non-temporal store was announced; the plain store that stands for it is not seen.
     */
    uintptr_t announced;
    uint64_t announced_bytes; /* still to come */
    struct cache_model model;
};
extern struct tracer_hot tracer_hot __attribute__((visibility("hidden")));
/* Set in the thread that is traced, between start and stop. */
extern __thread bool tracer_here __attribute__((visibility("hidden")));

/* The present phase is over: decides on the next. */
void tracer_next(void);
/* A store that was announced has come. */
void tracer_announced_store(uintptr_t address, uint64_t bytes);

static inline bool tracer_counts(void)
{
    if (!tracer_here)
        return false;
    if (tracer_hot.left-- == 0)
        tracer_next();
    return tracer_hot.simulating;
}

static inline void tracer_load(const void *address, uint64_t bytes)
{
    if (tracer_counts())
        cache_model_load(&tracer_hot.model, (uintptr_t)address, bytes);
}

static inline void tracer_store(const void *address, uint64_t bytes)
{
    if ((uintptr_t)address - tracer_hot.announced < tracer_hot.announced_bytes) {
        tracer_announced_store((uintptr_t)address, bytes);
        return;
    }
    if (tracer_counts())
        cache_model_store(&tracer_hot.model, (uintptr_t)address, bytes);
}

#endif
