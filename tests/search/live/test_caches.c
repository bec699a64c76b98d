/* What the cache model is told of the caches: a size that was not measured is never the
 * one that the CPU claims. */
#include <math.h>
#include <stdlib.h>

#include "search/live/live_parts.h"
#include "search/strategy/facts.h"
#include "tests/check.h"
#include "tests/search/scripted_space.h"

SUITE(search_caches);

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

TEST("the claim is no measurement")
{
    struct machine machine = claiming();

    /* profiles of versions that left it unknown */
    check_near(last_mib(&machine, CACHE_GUESS), 1.5, 1e-9);
    check_near(last_mib(&machine, CACHE_MIN), 1.5, 1e-9);
    check_near(last_mib(&machine, CACHE_MAX), 130, 1e-9);
}

TEST("a floor is open above")
{
    struct machine machine = claiming();

    machine.level[2].effective_bytes = machine.level[2].effective_low_bytes = 32 * MIB;
    check_near(last_mib(&machine, CACHE_GUESS), 32, 1e-9);
    check_near(last_mib(&machine, CACHE_MIN), 32, 1e-9);
    check_near(last_mib(&machine, CACHE_MAX), 130, 1e-9);
    machine.level[2].effective_bytes = machine.level[2].effective_low_bytes = 200 * MIB;
    check_near(last_mib(&machine, CACHE_MAX), 200, 1e-9);
}

TEST("a measured one has its interval")
{
    struct machine machine = claiming();

    machine.level[2].effective_bytes = 41 * MIB;
    check_near(last_mib(&machine, CACHE_MAX), 41, 1e-9);
    machine.level[2].effective_low_bytes = 36 * MIB;
    machine.level[2].effective_high_bytes = 44 * MIB;
    check_near(last_mib(&machine, CACHE_GUESS), 41, 1e-9);
    check_near(last_mib(&machine, CACHE_MIN), 36, 1e-9);
    check_near(last_mib(&machine, CACHE_MAX), 44, 1e-9);
}

/* All that a published profile has is what is documented of the CPU. */
TEST("a published one is documented")
{
    struct machine machine = claiming();
    struct traffic_geometry geometry;

    machine.fingerprint = NULL;
    geometry = cache_geometry(&machine, true, 2, CACHE_GUESS);
    check_near(geometry.level[2].bytes, 260 * MIB, 1e-9);
    check_eq(geometry.level[2].sharers, 2);
}

TEST("what two sizes say is an interval")
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

/* What the rules are told of the kernel in the space. */
static json_t *facts_of(struct space *space)
{
    struct rule_set *rules = space_rules();
    struct search_opts opts = {.rules = rules};
    struct search_result result = {0};
    struct session session = {.subject = &space->subject,
                              .runner = &space->runner,
                              .opts = &opts,
                              .result = &result};
    struct rule_facts *facts = rule_facts_new();
    struct choice none = {0};
    struct error err = {0};
    size_t i = 0;

    check_ok(session_start(&session, &err), &err);
    check_ok(session_measure(&session, &none, false, MEASURE_EXPLAIN, 0, &i, &err), &err);
    check_ok(session_facts(&session, i, i, facts, &err), &err);
    json_t *document = rule_facts_to_json(facts);
    rule_facts_free(facts);
    session_release(&session);
    search_result_release(&result);
    rule_set_free(rules);
    return document;
}

/* NAN = not told. */
static double given(const json_t *facts, const char *metric, const char *end)
{
    const json_t *fact = json_object_get(facts, metric);

    return fact ? json_number_value(json_object_get(fact, end)) : NAN;
}

/* Of the 260 MiB of L3 that are claimed at least 4 are proven. No rule reads what that
 * leaves open. */
TEST("what is open is no fact")
{
    struct machine claimed = claiming();
    struct space space = {0};
    struct machine *machine = &space.machine;

    space_transpose(&space.kernel, 2000); /* 64e6 bytes */
    space_init(&space, NULL);
    space.subject.cores = 2;
    machine->fingerprint = claimed.fingerprint;
    machine->cores = claimed.cores;
    for (int i = 1; i < 3; i++) {
        machine->level[i].claimed_bytes = claimed.level[i].claimed_bytes;
        machine->level[i].cores_sharing = claimed.level[i].cores_sharing;
    }
    machine->level[1].effective_bytes = MIB;
    machine->level[1].effective_low_bytes = 0.8 * MIB;
    machine->level[1].effective_high_bytes = 1.5 * MIB;
    machine->level[2].effective_bytes = machine->level[2].effective_low_bytes = 4 * MIB;
    machine->level[2].effective_high_bytes = 0;
    json_t *facts = facts_of(&space);
    check_near(given(facts, "working_set_over_l2", "value"), 64e6 / MIB, 1e-9);
    check_near(given(facts, "working_set_over_l2", "low"), 64e6 / 1.5 / MIB, 1e-9);
    check(isnan(given(facts, "working_set_over_l3", "value")));
    check_near(given(facts, "parallel_memory_ratio", "low"), 0, 0); /* it may hold all */
    json_decref(facts);
    machine->level[1].effective_high_bytes = 0; /* at least */
    machine->level[2].effective_bytes = machine->level[2].effective_low_bytes = 80 * MIB;
    facts = facts_of(&space);
    check(isnan(given(facts, "working_set_over_l2", "value")));
    check(given(facts, "working_set_over_l3", "value") < 1); /* fits in what is proven */
    json_decref(facts);
    machine->fingerprint = NULL;
    space_release(&space);
}
