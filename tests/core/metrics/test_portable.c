/* The portable metrics: on kernels with closed forms, with what is to be said of them,
 * and over the cache model's own counts. Cases as data. */
#include <string.h>

#include "core/traffic/tracer/cache_model.h"
#include "tests/check.h"
#include "tests/core/metrics/metric_cases.h"

SUITE(metrics_portable);

TEST("every case comes out")
{
    struct strvec covered = {0};

    metric_cases_run("portable", &covered);
    metric_cases_run("traced", &covered);
    metric_cases_cover("traced", NULL, &covered);
    strvec_release(&covered);
}

/* a[i] = s * a[i] for every `step`-th of 16384 doubles, over and over: lines that L1
 * missed for each hundred accesses once it is warm. */
static double missed(const struct cache_geometry *geometry, uint64_t step)
{
    enum { elements = 16384, times = 50 };
    struct cache_model model;
    const char *why;
    uint64_t accesses = 0, before = 0;

    if (!check(cache_model_init(&model, geometry, &why) == 0))
        return -1;
    for (int time = 0; time <= times; time++) {
        if (time == 1)
            before = cache_model_counts(&model).fills[0];
        for (uint64_t i = 0; i < elements; i += step) {
            cache_model_load(&model, model.part, (UINT64_C(1) << 32) + 8 * i, 8);
            cache_model_store(&model, model.part, (UINT64_C(1) << 32) + 8 * i, 8);
            accesses += time > 0;
        }
    }
    double share =
        (double)(cache_model_counts(&model).fills[0] - before) / (double)accesses;
    cache_model_release(&model);
    return 100 * share;
}

/* Gravelle 2022, algorithm 3: lines of one set exceed its ways at two steps on each CPU,
 * and only there. */
TEST("conflicts are two spikes")
{
    static const struct {
        struct cache_geometry geometry;
        uint64_t spike[2];
    } cpus[] = {
        {{.line_bytes = 64,
          .level_nr = 2,
          .level = {{.bytes = 32768, .ways = 8}, {.bytes = 1048576, .ways = 16}},
          .tlb_entries = -1,
          .streams = -1},
         {1024, 1536}},
        {{.line_bytes = 256,
          .level_nr = 2,
          .level = {{.bytes = 65536, .ways = 4}, {.bytes = 1048576, .ways = 16}},
          .tlb_entries = -1,
          .streams = -1},
         {1024, 2048}},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cpus); i++)
        for (uint64_t step = 896; step <= 2112; step += 32)
            check_near(missed(&cpus[i].geometry, step),
                       step == cpus[i].spike[0] || step == cpus[i].spike[1] ? 100 : 0, 0);
}
