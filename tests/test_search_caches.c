/* What the cache model is told of the caches: a size that was not measured is never the
 * one that the CPU claims. */
#include <CUnit/CUnit.h>
#include <stdlib.h>

#include "search/live.h"
#include "tests/check.h"

#define MIB 1048576.0

/* Two cores that share an L3 of 260 MiB, as the system says. */
static struct machine claiming(void)
{
    static char fingerprint[] = "cpu=Test CPU";

    return (struct machine){
        .fingerprint = fingerprint,
        .cores = 2,
        .line_bytes = 64,
        .level_nr = 3,
        .level = {{.level = 1,
                   .claimed_bytes = 48 * 1024,
                   .effective_bytes = 47 * 1024,
                   .cores_sharing = 1},
                  {.level = 2,
                   .claimed_bytes = 2 * MIB,
                   .effective_bytes = 1.5 * MIB,
                   .cores_sharing = 1},
                  {.level = 3, .claimed_bytes = 260 * MIB, .cores_sharing = 2}}};
}

static double last_mib(const struct machine *machine, enum cache_end end)
{
    struct traffic_geometry geometry = cache_geometry(machine, true, 2, end);

    check_eq(geometry.level_nr, 3);
    check_eq(geometry.level[2].sharers, 0);
    return geometry.level[2].bytes / MIB;
}

static void the_claim_is_no_measurement(void)
{
    struct machine machine = claiming();

    /* profiles of versions that left it unknown */
    check_near(last_mib(&machine, CACHE_GUESS), 1.5, 1e-9);
    check_near(last_mib(&machine, CACHE_LEAST), 1.5, 1e-9);
    check_near(last_mib(&machine, CACHE_MOST), 130, 1e-9);
}

static void a_floor_is_open_above(void)
{
    struct machine machine = claiming();

    machine.level[2].effective_bytes = machine.level[2].effective_low_bytes = 32 * MIB;
    check_near(last_mib(&machine, CACHE_GUESS), 32, 1e-9);
    check_near(last_mib(&machine, CACHE_LEAST), 32, 1e-9);
    check_near(last_mib(&machine, CACHE_MOST), 130, 1e-9);
    machine.level[2].effective_bytes = machine.level[2].effective_low_bytes = 200 * MIB;
    check_near(last_mib(&machine, CACHE_MOST), 200, 1e-9);
}

static void a_measured_one_has_its_interval(void)
{
    struct machine machine = claiming();

    machine.level[2].effective_bytes = 41 * MIB;
    check_near(last_mib(&machine, CACHE_MOST), 41, 1e-9);
    machine.level[2].effective_low_bytes = 36 * MIB;
    machine.level[2].effective_high_bytes = 44 * MIB;
    check_near(last_mib(&machine, CACHE_GUESS), 41, 1e-9);
    check_near(last_mib(&machine, CACHE_LEAST), 36, 1e-9);
    check_near(last_mib(&machine, CACHE_MOST), 44, 1e-9);
}

/* All that a published profile has is what is documented of the CPU. */
static void a_published_one_is_documented(void)
{
    struct machine machine = claiming();
    struct traffic_geometry geometry;

    machine.fingerprint = NULL;
    geometry = cache_geometry(&machine, true, 2, CACHE_GUESS);
    check_near(geometry.level[2].bytes, 260 * MIB, 1e-9);
    check_eq(geometry.level[2].sharers, 2);
}

static void what_two_sizes_say_is_an_interval(void)
{
    struct traffic one = {.level_nr = 3}, other = {.level_nr = 3};

    one.edge[2].fills = quantity_exact(435953, PROVENANCE_MODEL);
    other.edge[2].fills = quantity_exact(2097153, PROVENANCE_MODEL);
    one.l1_from[2] = one.edge[2].fills;
    other.l1_from[2] = other.edge[2].fills;
    traffic_span(&one, &other);
    check_near(one.edge[2].fills.value, 435953, 0);
    check_near(one.edge[2].fills.high, 2097153, 0);
    check_near(one.l1_from[2].low, 435953, 0);
    check_near(one.l1_from[2].high, 2097153, 0);
    check(!one.edge[1].fills.known);
}

CU_TestInfo search_caches_tests[] = {
    {"the claim is no measurement", the_claim_is_no_measurement},
    {"a floor is open above", a_floor_is_open_above},
    {"a measured one has its interval", a_measured_one_has_its_interval},
    {"a published one is documented", a_published_one_is_documented},
    {"what two sizes say is an interval", what_two_sizes_say_is_an_interval},
    CU_TEST_INFO_NULL,
};
