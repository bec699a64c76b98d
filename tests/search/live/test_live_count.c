/* From stretches of a call to the counts of all of it. */
#include <stdlib.h>
#include <string.h>

#include "search/live/live_parts.h"
#include "tests/check.h"

SUITE(search_count);

enum { LOAD, ADD, BRANCH, ODD, PLACES };
static const uint64_t array_at = 0x10000;

/* A loop of a load of 8 bytes, an addition and a branch that is foreseen; ODD cannot be
 * decoded. */
static void begin(struct stretches *out)
{
    *out = (struct stretches){.place_nr = PLACES, .array_nr = 1};
    out->place = xcalloc(PLACES, sizeof(*out->place));
    for (size_t i = 0; i < PLACES; i++) {
        out->place[i].pc = 4 * i;
        out->place[i].what =
            (struct decoded){.known = i != ODD, .bytes = 4, .flops = i == ADD};
    }
    out->place[LOAD].work = (struct instruction_work){
        .known = true,
        .loads = true,
        .memory = {
            .bytes = 8, .index_vector = WORK_NO_REGISTER, .mask = WORK_NO_REGISTER}};
    out->array = xcalloc(1, sizeof(*out->array));
    out->array[0] = (struct stretch_array){xstrdup("a"), array_at, 1 << 20};
}

static void push(struct stretches *out, uint32_t place, bool mispredicted)
{
    bool loads = place == LOAD;

    GROW(out->address, out->address_nr + 1, out->address_alloc);
    out->address[out->address_nr] = array_at + 8 * out->address_nr;
    GROW(out->step, out->step_nr + 1, out->step_alloc);
    out->step[out->step_nr++] =
        (struct stretch_step){.place = place,
                              .address = (uint32_t)out->address_nr,
                              .address_nr = loads,
                              .mispredicted = mispredicted};
    out->address_nr += loads;
}

/* `extra`: additions more in each iteration. */
static void push_stretch(struct stretches *out, size_t iterations, size_t extra)
{
    GROW(out->begin, out->begin_nr + 1, out->begin_alloc);
    out->begin[out->begin_nr++] = out->step_nr;
    for (size_t i = 0; i < iterations; i++) {
        push(out, LOAD, false);
        for (size_t k = 0; k <= extra; k++)
            push(out, ADD, false);
        push(out, BRANCH, i % 10 == 0);
    }
}

static struct traffic counted(struct stretches *stretches, struct quantity bytes,
                              double flops)
{
    struct kernel_counts counts = {.flops = flops > 0
                                                ? quantity_exact(flops, PROVENANCE_SOURCE)
                                                : quantity_unknown(),
                                   .iterations = quantity_exact(1000, PROVENANCE_SOURCE)};
    struct traffic traffic = {.instructions = quantity_unknown(),
                              .flops = quantity_unknown(),
                              .divisions = quantity_unknown(),
                              .branches_missed = quantity_unknown()};

    live_count(stretches, bytes, &counts, &traffic);
    stretches_release(stretches);
    return traffic;
}

TEST("a steady loop is scaled exactly")
{
    struct stretches stretches;
    struct traffic got;

    begin(&stretches);
    push_stretch(&stretches, 100, 0);
    push_stretch(&stretches, 100, 0);
    got = counted(&stretches, quantity_exact(8e6, PROVENANCE_MODEL), 0);
    check_near(got.instructions.value, 3e6, 1e-9);
    check_near(got.instructions.low, 3e6, 1e-9);
    check_near(got.instructions.high, 3e6, 1e-9);
    check_near(got.flops.value, 1e6, 1e-9);
    check_near(got.branches_missed.value, 1e5, 1e-9);
    check_near(got.divisions.value, 0, 0);
    check_near(got.code_bytes.value, 12, 0);
    check_eq(got.instructions.provenance, PROVENANCE_STEPPED);
    check_contains(got.note, "2 stretches of the call and scaled, +0 to +0 %");
    traffic_release(&got);
}

TEST("stretches that differ leave an interval, as do bytes that are")
{
    struct stretches stretches;
    struct traffic got;

    begin(&stretches);
    push_stretch(&stretches, 100, 0);
    push_stretch(&stretches, 100, 2);
    got = counted(&stretches, quantity_exact(8e6, PROVENANCE_MODEL), 0);
    check_near(got.instructions.value, 4e6, 1e-9);
    check(got.instructions.low < 3e6 && got.instructions.high > 5e6);
    traffic_release(&got);

    begin(&stretches);
    push_stretch(&stretches, 100, 0);
    got = counted(&stretches, quantity_between(8e6, 4e6, 16e6, 1, PROVENANCE_MODEL), 0);
    check_near(got.instructions.value, 3e6, 1e-9);
    check_near(got.instructions.low, 1.5e6, 1e-9);
    check_near(got.instructions.high, 6e6, 1e-9);
    traffic_release(&got);
}

TEST("nobody knows which lanes were on")
{
    struct stretches stretches;
    struct traffic got;

    begin(&stretches);
    push_stretch(&stretches, 100, 0);
    stretches.place[ADD].work = stretches.place[LOAD].work;
    stretches.place[ADD].work.memory.mask = WORK_REGISTER_MASK + 1;
    for (size_t i = 0; i < stretches.step_nr; i++)
        stretches.step[i].address_nr = stretches.step[i].place != BRANCH;
    got = counted(&stretches, quantity_exact(8e6, PROVENANCE_MODEL), 0);
    check_near(got.instructions.value, 2e6, 1e-9);
    check_near(got.instructions.low, 1.5e6, 1e-9);
    check_near(got.instructions.high, 3e6, 1e-9);
    traffic_release(&got);
}

TEST("a whole call is counted, whatever it accesses")
{
    struct stretches stretches;
    struct traffic got;

    begin(&stretches);
    push_stretch(&stretches, 100, 0);
    stretches.whole = true;
    got = counted(&stretches, quantity_unknown(), 0);
    check_near(got.instructions.value, 300, 0);
    check_near(got.instructions.high, 300, 0);
    check_contains(got.note, "by stepping through the call");
    traffic_release(&got);
}

TEST("FLOP of the source go first, and those of unknown instructions are not known")
{
    struct stretches stretches;
    struct traffic got;

    begin(&stretches);
    push_stretch(&stretches, 100, 0);
    got = counted(&stretches, quantity_exact(8e6, PROVENANCE_MODEL), 7e5);
    check(got.instructions.known && !got.flops.known);
    traffic_release(&got);

    begin(&stretches);
    push_stretch(&stretches, 100, 0);
    push(&stretches, ODD, false);
    got = counted(&stretches, quantity_exact(8e6, PROVENANCE_MODEL), 0);
    check(got.instructions.known && !got.flops.known);
    traffic_release(&got);
}

TEST("FLOP that somebody counted stay, also beside unknown instructions")
{
    struct stretches stretches;
    struct kernel_counts counts = {.flops = quantity_unknown()};
    struct traffic traffic = {.flops = quantity_exact(5, PROVENANCE_PAPI)};

    begin(&stretches);
    push_stretch(&stretches, 100, 0);
    push(&stretches, ODD, false);
    live_count(&stretches, quantity_exact(8e6, PROVENANCE_MODEL), &counts, &traffic);
    check(traffic.instructions.known);
    check_near(traffic.flops.value, 5, 0);
    check_eq(traffic.flops.provenance, PROVENANCE_PAPI);
    traffic_release(&traffic);
    stretches_release(&stretches);
}

TEST("what accesses too little is not scaled")
{
    static const size_t at[] = {0, 1}; /* loads in no half, in one */

    for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
        struct stretches stretches;
        struct traffic got;

        begin(&stretches);
        GROW(stretches.begin, 1, stretches.begin_alloc);
        stretches.begin[stretches.begin_nr++] = 0;
        for (size_t k = 0; k < 100; k++)
            push(&stretches, k < at[i] ? LOAD : ADD, false);
        got = counted(&stretches, quantity_exact(8e6, PROVENANCE_MODEL), 0);
        check(!got.instructions.known);
        check_contains(got.note, "too little is known of the bytes");
        traffic_release(&got);
    }
}

TEST("what somebody counted stays, and a loop that is gone is said")
{
    struct stretches stretches;
    struct kernel_counts counts = {.iterations = quantity_exact(1e9, PROVENANCE_SOURCE)};
    struct traffic traffic = {.instructions = quantity_exact(5, PROVENANCE_PAPI)};

    begin(&stretches);
    push_stretch(&stretches, 100, 0);
    stretches.whole = true;
    live_count(&stretches, quantity_unknown(), &counts, &traffic);
    check_near(traffic.instructions.value, 5, 0);
    check(!traffic.note);
    traffic.instructions = quantity_unknown();
    live_count(&stretches, quantity_unknown(), &counts, &traffic);
    check_contains(traffic.note, "replaced the loop by a formula");
    traffic_release(&traffic);
    stretches_release(&stretches);
}
