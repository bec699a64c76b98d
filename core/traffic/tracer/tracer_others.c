#include "core/traffic/tracer/tracer_others.h"

#include <string.h>

#include "core/traffic/tracer/tracer_hot.h"
#include "core/traffic/tracer/tracer_state.h"

int tracer_other_nr;
struct cache_model tracer_other[TRACER_OTHERS_MAX];
int tracer_apart_nr;
struct cache_model *tracer_apart[TRACER_OTHERS_MAX];

static struct {
    struct cache_counts base;
    uint64_t dirty[CACHE_LEVELS_MAX];
    struct tracer_window window[TRACER_WINDOWS_MAX];
} others[TRACER_OTHERS_MAX];

int tracer_others_add(const struct cache_geometry *geometry, const char **why)
{
    struct cache_model *other = &tracer_other[tracer_other_nr];

    *why = "too many caches besides the one that is traced";
    if (tracer_other_nr == TRACER_OTHERS_MAX ||
        cache_model_init_beside(other, &tracer_hot.model, geometry, why))
        return -1;
    tracer_other_nr++;
    if (!cache_model_is_beside(other))
        tracer_apart[tracer_apart_nr++] = other;
    return 0;
}

void tracer_others_empty(void)
{
    for (int i = 0; i < tracer_other_nr; i++)
        cache_model_empty(&tracer_other[i]);
}

void tracer_others_drain(void)
{
    for (int i = 0; i < tracer_other_nr; i++)
        cache_model_drain(&tracer_other[i]);
}

void tracer_others_recall(double lines_max)
{
    for (int i = 0; i < tracer_other_nr; i++)
        tracer_parts_recall(&tracer_other[i], lines_max);
}

void tracer_others_base(void)
{
    tracer_others_drain();
    for (int i = 0; i < tracer_other_nr; i++)
        others[i].base = cache_model_counts(&tracer_other[i]);
}

static struct cache_counts counts_since_base(int i)
{
    struct cache_counts now = cache_model_counts(&tracer_other[i]);

    return cache_counts_since(&now, &others[i].base);
}

void tracer_others_warm(int window)
{
    for (int i = 0; i < tracer_other_nr; i++) {
        struct cache_counts counts = counts_since_base(i);

        memset(&others[i].window[window], 0, sizeof(others[i].window[window]));
        memcpy(others[i].window[window].warm, counts.fills, sizeof(counts.fills));
    }
}

void tracer_others_dirty(void)
{
    for (int i = 0; i < tracer_other_nr; i++)
        cache_model_dirty(&tracer_other[i], others[i].dirty, NULL);
}

void tracer_others_take(int window, bool counting)
{
    for (int i = 0; i < tracer_other_nr; i++) {
        uint64_t left[CACHE_LEVELS_MAX];
        struct tracer_window *taken = &others[i].window[window];

        taken->first = tracer_state.window[window].first;
        taken->counts = counts_since_base(i);
        if (!counting)
            continue;
        cache_model_dirty(&tracer_other[i], left, NULL);
        for (int k = 0; k < tracer_other[i].level_nr; k++)
            tracer_settle_writebacks(taken, k, others[i].dirty[k], left[k],
                                     cache_model_capacity(&tracer_other[i], k));
    }
}

void tracer_others_left(void)
{
    for (int i = 0; i < tracer_other_nr; i++)
        cache_model_dirty(&tracer_other[i], others[i].window[0].left, NULL);
}

void tracer_others_write(FILE *file, int window)
{
    for (int i = 0; i < tracer_other_nr; i++) {
        fprintf(file, "other %d %llu\n", i,
                (unsigned long long)others[i].window[window].first);
        tracer_write_counts(file, &others[i].window[window]);
    }
}
