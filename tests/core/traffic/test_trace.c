/* Tracing programs built with the compilers that are there, run and read back. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/fs.h"
#include "core/traffic/traffic.h"
#include "tests/check.h"
#include "tests/core/traffic/traced_program.h"

SUITE(traffic_trace);

static void check_exact(struct quantity got, double want)
{
    check(got.known);
    check_near(got.value, want, 0);
    check_near(got.low, want, 0);
    check_near(got.high, want, 0);
}

enum { n = 400000 };

static void triad_with(const struct toolchain *tools)
{
    struct traced what = {.kernel = "triad", .n = n, .total = 3.0 * n};
    struct traffic traffic;

    if (!traced_well(tools, &what, &traffic))
        return;
    for (int k = 0; k < 3; k++) {
        check_exact(traffic.edge[k].fills, 3 * n / 8);
        check_exact(traffic.edge[k].writebacks, n / 8);
    }
    check_exact(traffic_read_bytes(&traffic), 24.0 * n);
    check_exact(traffic_write_bytes(&traffic), 8.0 * n);
    check_exact(traffic.accesses, 3.0 * n);
    check_exact(traffic.bytes, 24.0 * n);
    check_exact(traffic.stores, 1.0 * n);
    check_exact(traffic.stored_bytes, 8.0 * n);
    check_exact(traffic.l1_from[2], 3 * n / 8);
    check_near(traffic.l1_covered_from[2].value, 3 * n / 8 * 62 / 64.0, 0.001);
    check_near(traffic.page_walks.value, 3 * n * 8 / 4096, 0.01);
    check_near(traffic.traced_share, 1, 0);
    check(traffic.note == NULL);
    traffic_release(&traffic);
}

TEST("a triad with gcc moves exactly 24 bytes an iteration")
{
    triad_with(&traced_gcc);
}

TEST("a triad with clang moves exactly 24 bytes an iteration")
{
    triad_with(&traced_clang);
    triad_with(&traced_clang_thread);
}

/* Whoever makes one call only starts from empty caches. */
TEST("one call from empty caches")
{
    struct traced what = {.kernel = "copy", .n = n, .total = 2.0 * n, .calls = 1};
    struct traffic traffic;

    if (!traced_well(&traced_gcc, &what, &traffic))
        return;
    check_exact(traffic.edge[2].fills, 2 * n / 8);
    check_near(traffic.edge[2].writebacks.value, n / 8, 0);
    check(traffic.edge[2].writebacks.low < n / 8 && traffic.edge[2].writebacks.low > 0);
    check_contains(traffic.note, "empty caches");
    traffic_release(&traffic);
}

/* So does who asks for it, however often the harness would call. */
TEST("cold caches are asked for")
{
    struct traced what = {
        .kernel = "triad", .n = 4000, .total = 3.0 * 4000, .cold = true};
    struct traffic traffic;

    if (!traced_well(&traced_gcc, &what, &traffic))
        return;
    check_exact(traffic.edge[2].fills, 3 * 4000 / 8);
    traffic_release(&traffic);
}

/* What fits is not fetched again by the second call. */
TEST("what fits is not fetched by the second call")
{
    struct traced what = {.kernel = "triad", .n = 4000, .total = 3.0 * 4000};
    struct traffic traffic;

    if (!traced_well(&traced_gcc, &what, &traffic))
        return;
    check_exact(traffic.edge[2].fills, 0);
    check_exact(traffic.edge[1].fills, 0);
    check_near(traffic.edge[0].fills.value, 3 * 4000 / 8, 0);
    traffic_release(&traffic);
}

TEST("reads that a CPU evades")
{
    struct traffic_geometry geometry = traced_small;
    struct traced what = {
        .kernel = "copy", .n = n, .total = 2.0 * n, .geometry = &geometry};
    struct traffic traffic;

    geometry.store_read_factor = 0.25;
    if (!traced_well(&traced_gcc, &what, &traffic))
        return;
    check_exact(traffic_read_bytes(&traffic), 8.0 * n + 8.0 * n / 4);
    check_exact(traffic.edge[1].fills, 2 * n / 8);
    traffic_release(&traffic);
}

TEST("what the harness announces")
{
    static const struct {
        const char *kernel;
        double accesses, fills, writebacks, nontemporal, software;
    } cases[] = {
        {"nontemporal", 2.0 * n, n / 8, 0, n / 8,
         0}, /* b is read, a written past the caches */
        {"block_copy", 2.0 * n / 8, 2 * n / 8, n / 8, 0, 0},
        {"prefetched", 2.0 * n, 2 * n / 8 + 2 * 8, n / 8, 0, 2 * n / 8},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct traced what = {
            .kernel = cases[i].kernel, .n = n, .total = cases[i].accesses};
        struct traffic traffic;

        if (!traced_well(&traced_gcc, &what, &traffic))
            return;
        check_exact(traffic.accesses, cases[i].accesses);
        check_near(traffic.edge[2].fills.value, cases[i].fills, 1e-3);
        check_near(traffic.edge[2].writebacks.value, cases[i].writebacks, 1e-3);
        check_exact(traffic.nontemporal_lines, cases[i].nontemporal);
        check_near(traffic.edge[2].software.value, cases[i].software, 1e-3);
        check_near(traffic.edge[0].software.value, cases[i].software / 2,
                   1e-3); /* b only */
        traffic_release(&traffic);
    }
}

TEST("bytes and odd addresses")
{
    struct traced what = {.kernel = "bytes", .n = n, .total = 2.0 * n};
    const struct toolchain *tools[] = {&traced_gcc, &traced_clang};
    struct traffic traffic;

    for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
        if (!traced_well(tools[i], &what, &traffic))
            continue;
        check_exact(traffic.bytes, 9.0 * n);
        check_near(traffic.edge[2].fills.value, n / 64 + n / 2 * 9 / 64, 1e-3);
        traffic_release(&traffic);
    }
}

TEST("contradictions and ends")
{
    static const struct {
        struct traced what;
        const struct toolchain *tools;
        const char *part;
    } cases[] = {
        {{"triad", n, .total = 2.9 * n},
         &traced_gcc,
         "1200000 loads and stores, the loop model counts 1160000"},
        {{"triad", n, .total = 2.0 * n}, &traced_gcc, "at least"},
        {{"triad", n, .total = 7.0 * n},
         &traced_gcc,
         "at least 1400000 where values stay in registers"},
        {{"triad", n, .total = 4.0 * n, .min = 3.5 * n}, &traced_gcc, "at least 1400000"},
        {{"triad", n, .total = 2.5 * n, .budget = n},
         &traced_gcc,
         "the loop model counts 1000000"},
        {{"triad", n, .total = 0}, &traced_no_callbacks, "reported no load or store"},
        {{"triad", n, .total = 3.0 * n},
         &traced_no_callbacks,
         "reported no load or store"},
        {{"crash", n, .total = 1}, &traced_gcc, "ended by signal 11"},
        {{"hang", n, .limit_s = 0.5, .total = 1e12, .budget = 1e5}, &traced_gcc, ""},
        {{"unknown", n, .total = 1}, &traced_gcc, "ended with status 2"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};
        struct traffic traffic = {0};
        int result = traced_try(cases[i].tools, &cases[i].what, &traffic, &err);

        if (result > 0)
            return;
        if (*cases[i].part)
            check_fails(result, &err, STATUS_FAILED, cases[i].part);
        traffic_release(&traffic);
    }
}

TEST("values in registers are allowed")
{
    struct traced what = {.kernel = "triad", .n = n, .total = 4.0 * n};
    struct traffic traffic;

    if (!traced_well(&traced_gcc, &what, &traffic))
        return;
    check_exact(traffic.accesses, 3.0 * n);
    traffic_release(&traffic);
}

TEST("a call of unknown length")
{
    struct traced what = {.kernel = "triad", .n = n, .budget = 3.0 * n + 1};
    struct traffic traffic;

    if (!traced_well(&traced_gcc, &what, &traffic))
        return;
    check_exact(traffic_read_bytes(&traffic), 24.0 * n);
    check_contains(traffic.note, "not compared");
    traffic_release(&traffic);
    what.budget = n;
    if (!traced_well(&traced_gcc, &what, &traffic))
        return;
    check_contains(traffic.note, "first 400000 accesses only");
    check_near(traffic.traced_share, 0, 0);
    check(traffic_is_beginning(&traffic));
    traffic_release(&traffic);
}

TEST("the accesses of a call are counted to its end, or not known")
{
    struct traced what = {
        .kernel = "triad", .n = n, .total = 1e15, .budget = 1, .counting = true};
    struct traffic traffic;

    if (!traced_well(&traced_gcc, &what, &traffic))
        return;
    check_exact(traffic.accesses, 3.0 * n);
    traffic_release(&traffic);
    what.total = n; /* it makes more */
    if (!traced_well(&traced_gcc, &what, &traffic))
        return;
    check(!traffic.accesses.known);
    traffic_release(&traffic);
}

static void check_close(struct quantity sampled, struct quantity whole, double relative)
{
    check_near(sampled.value, whole.value, relative);
    check(sampled.low <= sampled.value && sampled.value <= sampled.high);
    check(sampled.runs >= 2);
}

/* Windows against the whole call. */
TEST("windows give what the whole call gives")
{
    static const struct {
        struct traced what;
        double sampled, relative;
    } cases[] = {
        {{"triad", 4 * n, .total = 12.0 * n}, 2.0 * n, 0.01},
        {{"prefetched", 4 * n, .total = 8.0 * n}, 2.0 * n, 0.01},
        {{"multiply", 240, .total = 4.0 * 240 * 240 * 240, .min = 3e7}, 6e6, 0.05},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct traced what = cases[i].what;
        struct traffic whole, sampled;

        what.budget = 1e8;
        if (!traced_well(&traced_gcc, &what, &whole))
            return;
        what.budget = cases[i].sampled;
        if (!traced_well(&traced_gcc, &what, &sampled)) {
            traffic_release(&whole);
            return;
        }
        for (int k = 0; k < 2; k++) {
            check_close(sampled.edge[k].fills, whole.edge[k].fills, cases[i].relative);
            check_close(sampled.edge[k].writebacks, whole.edge[k].writebacks,
                        cases[i].relative);
        }
        check(sampled.edge[2].fills.low <= whole.edge[2].fills.value &&
              sampled.edge[2].fills.high >= 0.95 * whole.edge[2].fills.value);
        check_exact(sampled.accesses, whole.accesses.value);
        check(sampled.traced_share < 0.3 && sampled.traced_share > 0.02);
        check_contains(sampled.note, "windows spread over the call");
        traffic_release(&whole);
        traffic_release(&sampled);
    }
}

/* All arrays fit into the last level, where the call before left them: most of their
 * lines are first touched in a window, and yet are no misses. */
TEST("windows of a call whose arrays fit")
{
    struct traffic_geometry other[2] = {traced_small, traced_small};
    struct traced what = {.kernel = "multiply",
                          .n = 160,
                          .total = 4.0 * 160 * 160 * 160,
                          .min = 8e6,
                          .budget = 1.5e6,
                          .arrays = true,
                          .other = other,
                          .other_nr = 2};
    struct traffic traffic;

    other[0].level[2].bytes = 700000;
    other[1].level[2].bytes = 2 << 20;
    if (!traced_well(&traced_gcc, &what, &traffic))
        return;
    check_contains(traffic.note, "windows spread over the call");
    check(traffic.edge[1].fills.value > 2000);
    check_near(traffic.edge[2].fills.value, 0, 0);
    check(traffic.edge[2].fills.high < 0.01 * traffic.edge[1].fills.value);
    traffic_release(&traffic);
    what.cold = true; /* then there was no call before */
    if (!traced_well(&traced_gcc, &what, &traffic))
        return;
    check(traffic.edge[2].fills.value > 0);
    traffic_release(&traffic);
}

/* Windows at the same place of different sweeps do not find what the one before left. */
TEST("sweeps over the same arrays")
{
    struct traced what = {
        .kernel = "sweeps", .n = n / 4, .total = 64 * 2.0 * n / 4, .budget = 1e6};
    struct traffic traffic;

    if (!traced_well(&traced_gcc, &what, &traffic))
        return;
    check_near(traffic.edge[2].fills.value, 64 * 2.0 * n / 4 / 8, 0.01);
    check_near(traffic.edge[2].writebacks.value, 64.0 * n / 4 / 8, 0.03);
    check(traffic.edge[2].fills.low <= 64 * 2.0 * n / 4 / 8);
    traffic_release(&traffic);
}

/* A call too long to be passed within the limit is ended after its last window. */
TEST("a call out of reach")
{
    struct traced what = {
        .kernel = "hang", .n = n, .total = 1e12, .budget = 1e5, .limit_s = 2};
    struct traffic traffic;

    if (!traced_well(&traced_gcc, &what, &traffic))
        return;
    check_exact(traffic.accesses, 1e12);
    check_contains(traffic.note, "within the time limit");
    traffic_release(&traffic);
}

/* Late before the first window, as beside other processes: there is one all the same. */
TEST("a call without time for a window")
{
    struct traced what = {
        .kernel = "hang", .n = n, .total = 1e12, .budget = 1e5, .limit_s = 1e-3};
    struct traffic traffic;

    if (!traced_well(&traced_gcc, &what, &traffic))
        return;
    check_exact(traffic.accesses, 1e12);
    check_contains(traffic.note, "with one window the interval is a guess");
    traffic_release(&traffic);
}

TEST("the tracer's sources are there")
{
    struct strvec sources = {0};
    struct error err = {0};

    check_ok(traffic_tracer_sources(&sources, &err), &err);
    check(sources.nr > 0);
    for (size_t i = 0; i < sources.nr; i++)
        check(file_exists(sources.v[i]));
    strvec_release(&sources);
}

/* One run with two further caches spans what runs with each of them would give. */
static void others_of(long elements, double budget)
{
    struct traffic_geometry other[2] = {traced_small, traced_small};
    struct traced what = {.kernel = "triad",
                          .n = elements,
                          .total = 3.0 * (double)elements,
                          .budget = budget},
                  both = what;
    struct traffic each[2], main, together;

    other[0].level[2].bytes = 1 << 18;
    other[1].level[2].bytes = 32 << 20;
    both.other = other;
    both.other_nr = 2;
    for (size_t i = 0; i < 2; i++) {
        what.geometry = &other[i];
        if (!traced_well(&traced_gcc, &what, &each[i]))
            return;
    }
    what.geometry = NULL;
    if (!traced_well(&traced_gcc, &what, &main) ||
        !traced_well(&traced_gcc, &both, &together))
        return;
    traffic_span(&main, &each[0]);
    traffic_span(&main, &each[1]);
    for (int k = 0; k < 3; k++) {
        check_near(together.edge[k].fills.value, main.edge[k].fills.value, 0.01);
        if (budget > 0) /* windows are as long as their own cache needs to be warm */
            continue;
        check_near(together.edge[k].fills.low, main.edge[k].fills.low, 0);
        check_near(together.edge[k].fills.high, main.edge[k].fills.high, 0);
        check_near(together.edge[k].writebacks.low, main.edge[k].writebacks.low, 0);
        check_near(together.edge[k].writebacks.high, main.edge[k].writebacks.high, 0);
        check_near(together.l1_from[k].high, main.l1_from[k].high, 0);
    }
    if (budget >
        0) /* what may be stale in the largest one is all that it was asked for */
        check_near(together.edge[2].fills.low, 0, 0);
    traffic_release(&each[0]);
    traffic_release(&each[1]);
    traffic_release(&main);
    traffic_release(&together);
}

TEST("caches beside the one that is traced")
{
    others_of(40000, 0); /* 0.96 MB: in the largest, in none but for that, whole */
    others_of(n, 0);
    others_of(4 * n, 400000); /* windows */
}

/* Where a call is not reached in time, the likely number of accesses counts. */
TEST("as many accesses as are likely")
{
    struct traced what = {.kernel = "triad",
                          .n = 200 * (long)n,
                          .total = 900.0 * n,
                          .budget = 200000,
                          .min = 1,
                          .wall_s = 0.05,
                          .likely = 600.0 * n};
    struct traffic traffic;

    if (!traced_well(&traced_gcc, &what, &traffic))
        return;
    check_near(traffic.accesses.value, 600.0 * n, 0);
    check_contains(traffic.note, "within the time limit");
    traffic_release(&traffic);
}
