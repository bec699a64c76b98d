/* Counted memory traffic in the place of the modelled one. */
#include "search/live/counters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/traffic/counters/papi_source.h"
#include "tests/check.h"

SUITE(search_counters);

static bool any_event(const char *event)
{
    (void)event;
    return true;
}

static void any_box(const char *pattern, struct strvec *list)
{
    strvec_push(list, pattern);
}

static int any_start(const char *const *event, size_t event_nr, struct error *err)
{
    (void)event;
    (void)event_nr;
    (void)err;
    return 0;
}

static bool open_for(struct counters *counters, const char *cpu)
{
    static const struct papi_asker ask = {any_event, any_box, any_start, false};
    struct error err = {0};

    *counters = (struct counters){0};
    return check_ok(papi_bandwidth_for(cpu, &ask, &counters->bandwidth, &err), &err);
}

static void put(struct count_set *set, const char *event, double value, double half)
{
    count_set_add(set, event,
                  quantity_between(value, value - half, value + half, 0, PROVENANCE_PAPI),
                  half > 0 ? 0.5 : 1);
}

static void put_skylake(struct counters *counters, double half)
{
    put(&counters->memory.total, "skx_unc_imc0::UNC_M_CAS_COUNT:RD", 600, half);
    put(&counters->memory.total, "skx_unc_imc1::UNC_M_CAS_COUNT:RD", 400, 0);
    put(&counters->memory.total, "skx_unc_imc0::UNC_M_CAS_COUNT:WR", 500, 0);
}

/* Two boxes read 1000 lines and one wrote 500 in 10 calls. */
TEST("counts replace the model")
{
    struct counters counters;
    struct traffic traffic = {.level_nr = 2, .line_bytes = 64};

    if (!open_for(&counters, "Skylake-SP"))
        return;
    put_skylake(&counters, 0);
    traffic.edge[0].fills = quantity_exact(7, PROVENANCE_MODEL);
    counters_apply(&counters, 10, &traffic);
    check_near(traffic.edge[1].fills.value, 100, 1e-9);
    check_near(traffic.edge[1].writebacks.value, 50, 1e-9);
    check_eq(traffic.edge[1].fills.provenance, PROVENANCE_PAPI);
    check_eq(traffic.provenance, PROVENANCE_PAPI);
    check_near(traffic.edge[0].fills.value, 7, 1e-9);
    check(!traffic.instructions.known);
    check_contains(traffic.note, "memory traffic counted (CAS commands of the memory");
    check_contains(traffic.note, "socket: other cores, DMA and page walks too), caches "
                                 "by the model");
    traffic_release(&traffic);
    counters_close(&counters);
}

/* Written past the caches and counted among the writes: not twice. */
TEST("non-temporal lines are among the writes")
{
    struct counters counters;
    struct traffic traffic = {.level_nr = 1, .line_bytes = 64};

    if (!open_for(&counters, "Skylake-SP"))
        return;
    put_skylake(&counters, 0);
    traffic.nontemporal_lines = quantity_exact(30, PROVENANCE_MODEL);
    counters_apply(&counters, 10, &traffic);
    check_near(traffic.edge[0].writebacks.value, 20, 1e-9);
    check_near(traffic_write_bytes(&traffic).value, 50 * 64, 1e-9);
    traffic_release(&traffic);
    counters_close(&counters);
}

TEST("uncertainty is carried")
{
    struct counters counters;
    struct traffic traffic = {.level_nr = 1, .line_bytes = 64};

    if (!open_for(&counters, "Skylake-SP"))
        return;
    put_skylake(&counters, 60);
    counters_apply(&counters, 10, &traffic);
    check_near(traffic.edge[0].fills.value, 100, 1e-9);
    check_near(traffic.edge[0].fills.low, 94, 1e-9);
    check_near(traffic.edge[0].fills.high, 106, 1e-9);
    check_contains(traffic.note, "in 50 % of the time and scaled");
    traffic_release(&traffic);
    counters_close(&counters);
}

/* Where write-backs are not counted the model's stay. */
TEST("what is not counted stays")
{
    struct counters counters;
    struct traffic traffic = {.level_nr = 1, .line_bytes = 64};

    if (!open_for(&counters, "Neoverse N1"))
        return;
    put(&counters.memory.total, "arm_n1::LL_CACHE_MISS_RD", 640, 0);
    traffic.edge[0].writebacks = quantity_exact(3, PROVENANCE_MODEL);
    counters_apply(&counters, 64, &traffic);
    check_near(traffic.edge[0].fills.value, 10, 1e-9);
    check_near(traffic.edge[0].writebacks.value, 3, 1e-9);
    traffic_release(&traffic);

    /* an event without a count leaves all as it was */
    count_set_release(&counters.memory.total);
    count_set_add(&counters.memory.total, "arm_n1::LL_CACHE_MISS_RD", quantity_unknown(),
                  0);
    traffic = (struct traffic){.level_nr = 1, .line_bytes = 64};
    traffic.edge[0].fills = quantity_exact(5, PROVENANCE_MODEL);
    traffic.provenance = PROVENANCE_MODEL;
    counters_apply(&counters, 64, &traffic);
    check_near(traffic.edge[0].fills.value, 5, 1e-9);
    check_eq(traffic.provenance, PROVENANCE_MODEL);
    traffic_release(&traffic);
    counters_close(&counters);
}

/* The data fabric counts reads and writes together: the model tells them apart. */
TEST("reads and writes counted together")
{
    struct counters counters;
    struct traffic traffic = {.level_nr = 1, .line_bytes = 64};

    if (!open_for(&counters, "Zen / Zen+"))
        return;
    check(counters.bandwidth.together);
    put(&counters.memory.total, "amd_df/event=0x07,umask=0x38/", 70, 0);
    put(&counters.memory.total, "amd_df/event=0x47,umask=0x38/", 30, 0);
    traffic.edge[0].writebacks = quantity_exact(4, PROVENANCE_MODEL);
    counters_apply(&counters, 10, &traffic);
    check_near(traffic.edge[0].fills.value, 6, 1e-9);
    check_near(traffic.edge[0].writebacks.value, 4, 1e-9);
    traffic_release(&traffic);
    counters_close(&counters);
}

TEST("instructions, operations, branch misses")
{
    struct counters counters = {.memory.failed = true};
    struct traffic traffic = {.level_nr = 1, .line_bytes = 64};

    put(&counters.work.total, "PAPI_TOT_INS", 5000, 0);
    put(&counters.work.total, "PAPI_DP_OPS", 800, 0);
    put(&counters.work.total, "PAPI_SP_OPS", 200, 0);
    counters_apply(&counters, 10, &traffic);
    check_near(traffic.instructions.value, 500, 1e-9);
    check_near(traffic.flops.value, 100, 1e-9);
    check_eq(traffic.flops.provenance, PROVENANCE_PAPI);
    check(!traffic.branches_missed.known);
    check(!traffic.note);
    traffic_release(&traffic);
    counters_close(&counters);
}

TEST("launches add up")
{
    struct count_set total = {0}, launch = {0};

    put(&launch, "a", 100, 30);
    put(&launch, "b", 10, 0);
    launch.seconds = quantity_exact(2, PROVENANCE_CLOCK);
    counters_add(&total, &launch);
    launch.count[1].why = xstrdup("never had a counter");
    launch.count[1].value = quantity_unknown();
    counters_add(&total, &launch);
    check_eq(total.count_nr, 2);
    check_near(total.count[0].value.value, 200, 1e-12);
    check_near(total.count[0].value.high, 200 + 30 * sqrt(2), 1e-12);
    check_near(total.count[0].share, 0.5, 0);
    check(!total.count[1].value.known);
    check_str(total.count[1].why, "never had a counter");
    check_near(total.seconds.value, 4, 1e-12);
    count_set_release(&total);
    count_set_release(&launch);
}
