/* Which accesses miss, how they lie, and an account from end to end. */
#include <math.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "tests/core/pipeline/loops.h"

SUITE(pipeline_misses);

static double misses_of(const struct script *script, uint32_t place, int from)
{
    double nr = 0;

    for (size_t i = 0; i < script->step_nr; i++)
        for (uint32_t k = 0; k < script->step[i].access_nr; k++)
            nr += script->step[i].place == place &&
                  script->access[script->step[i].access + k].from == from;
    return nr;
}

TEST("as many accesses miss as the call brings lines, of each array from its level")
{
    enum { turns = 4000 };
    struct script *script = script_new();
    uint32_t row = script_loads(script, V(0), 0), table = script_loads(script, V(1), 1),
             near = script_loads(script, V(2), 2);
    struct pipeline_pattern pattern[3];
    /* The call is ten times as long as the stream. */
    const struct pipeline_array arrays[] = {
        {.name = "row",
         .from = 1 << 30,
         .bytes = 1 << 20,
         .accessed_bytes = 8 * turns * 10,
         .lines = {0, 0, 0, turns * 10 / 8.0},
         .covered = {0, 0, 0, turns * 10 / 8.0}},
        {.name = "table",
         .from = 1ull << 40,
         .bytes = 1ull << 39,
         .accessed_bytes = 8 * turns * 10,
         .lines = {0, 0, turns * 4.0, turns * 6.0}},
        {.name = "near",
         .from = 1 << 20,
         .bytes = 4096,
         .accessed_bytes = 8 * turns * 10},
    };
    const struct pipeline_call call = {.array = arrays,
                                       .array_nr = 3,
                                       .instructions = 3.0 * turns * 10,
                                       .page_walks = turns * 5.0,
                                       .page_bytes = 4096};

    for (uint64_t i = 0; i < turns; i++) {
        script_touches(script, row, (1 << 30) + 8 * i, 0, false);
        script_touches(script, table,
                       (1ull << 40) + 64 * (script_random(script) % (1ull << 33)), 0,
                       false);
        script_touches(script, near, (1 << 20) + 8 * (i % 512), 0, false);
    }
    struct pipeline_stream stream = script_stream(script);
    pipeline_assign(&stream, script->access, script->access_nr, &call, 3, pattern);
    check_near(misses_of(script, row, 3), turns / 8.0, 0.01);
    check_near(misses_of(script, table, 3), 0.6 * turns, 0.05);
    check_near(misses_of(script, table, 2), 0.4 * turns, 0.05);
    check_eq(misses_of(script, near, 0), turns);
    double walks = 0;
    for (size_t i = 0; i < script->access_nr; i++) {
        walks += script->access[i].walk;
        check(script->access[i].from == 0 ||
              script->access[i].covered == (script->access[i].address < 1ull << 40));
    }
    check_near(walks, turns / 2.0, 0.06);

    check_eq(pattern[row].array, 0);
    check_near(pattern[row].stride, 8, 1e-9);
    check_near(pattern[row].line_use, 1, 0.01);
    check_eq(pattern[table].array, 1);
    check(isnan(pattern[table].stride));
    check_near(pattern[table].line_use, 0.125, 0.01);
    free(script);
}

TEST("a column of a matrix uses little of each line")
{
    struct script *script = script_new();
    uint32_t load = script_loads(script, V(0), 0);
    struct pipeline_pattern pattern[1];
    const struct pipeline_array array = {.name = "m",
                                         .from = 1 << 30,
                                         .bytes = 1 << 30,
                                         .accessed_bytes = 8 * 2000,
                                         .lines = {0, 0, 0, 2000}};
    const struct pipeline_call call = {.array = &array, .array_nr = 1};

    for (uint64_t i = 0; i < 2000; i++)
        script_touches(script, load, (1 << 30) + 4800 * i, 0, false);
    struct pipeline_stream stream = script_stream(script);
    pipeline_assign(&stream, script->access, script->access_nr, &call, 3, pattern);
    check_eq(misses_of(script, load, 3), 2000);
    check_near(pattern[0].stride, 4800, 1e-9);
    check_near(pattern[0].line_use, 0.125, 0.02);
    free(script);
}

/* p = *p, each in a line and a page of its own */
struct chased {
    struct script *script;
    struct pipeline_pattern pattern[1];
    int line;
    struct pipeline_array array;
    struct pipeline_call call;
    struct pipeline_stream stream;
    struct pipeline_stretches stretches;
};

static void chase(struct chased *chased, double walks)
{
    struct script *script = script_new();
    uint32_t load = script_loads(script, 1, 1);

    for (uint64_t i = 0; i < 2000; i++)
        script_touches(script, load, (1 << 30) + 64 * (script_random(script) % (1 << 30)),
                       0, false);
    *chased = (struct chased){.script = script,
                              .line = 7,
                              .array = {.name = "next",
                                        .from = 1 << 30,
                                        .bytes = 1ull << 36,
                                        .accessed_bytes = 8 * 2e6,
                                        .lines = {0, 0, 0, 2e6}},
                              .stream = script_stream(script)};
    chased->call = (struct pipeline_call){.array = &chased->array,
                                          .array_nr = 1,
                                          .instructions = 2e6,
                                          .page_walks = walks,
                                          .page_bytes = 4096};
    chased->stretches = (struct pipeline_stretches){&chased->stream, 1, chased->pattern,
                                                    &chased->line, &chased->call};
    pipeline_assign(&chased->stream, script->access, script->access_nr, &chased->call, 3,
                    chased->pattern);
}

/* The share of walks in the path when a call takes so many cycles a load by the clock. */
static double walks_share(const struct chased *chased, double cycles_each,
                          struct pipeline_account *account)
{
    struct cpu_core core = core_made();
    struct pipeline_memory memory = memory_made(), near = memory;

    near.walk_cycles = 50;
    near.walk_every = 20;
    check_eq(pipeline_account_fit(&chased->stretches, &core, &memory, &near, 4,
                                  2e6 * cycles_each / 4e9, account),
             0);
    return account->share[CAUSE_PAGE_WALKS];
}

TEST("a walk costs what the clock leaves, between the profile's and that of near tables")
{
    const struct {
        double cycles_each, walk;
    } expected[] = {{700, 150}, {550, 150}, {500, 100}, {450, 50}, {300, 50}};
    struct chased chased;

    chase(&chased, 2e6);
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        struct pipeline_account account;
        double walk = expected[i].walk;

        check_near(walks_share(&chased, expected[i].cycles_each, &account),
                   walk / (400 + walk), 0.03);
        check(account.walkless != NULL);
        check_near(account.walkless ? account.walkless->cycles / account.cycles : 0,
                   400 / (400 + walk), 0.03);
        pipeline_account_release(&account);
    }
    free(chased.script);
    chase(&chased, 0);
    struct pipeline_account account;
    check_eq(walks_share(&chased, 550, &account) > 0, false);
    check(account.walkless == NULL);
    pipeline_account_release(&account);
    free(chased.script);
}

TEST("where huge pages gain nothing, the account goes on without walks")
{
    const struct {
        struct quantity gain;
        double gone;
        bool refuted;
    } tried[] = {
        {quantity_between(1, 0.99, 1.01, 5, PROVENANCE_PROBE), 1, true},
        {quantity_between(1.2, 1.1, 1.3, 5, PROVENANCE_PROBE), 1, false},
        {quantity_between(1, 0.9, 1.2, 5, PROVENANCE_PROBE), 1, false},
        /* so little of a walk goes away that nothing could be seen */
        {quantity_between(1, 0.99, 1.01, 5, PROVENANCE_PROBE), 0.05, false},
        {quantity_between(1, 0.99, 1.01, 5, PROVENANCE_PROBE), 0, false},
        {quantity_unknown(), 1, false},
    };
    struct chased chased;

    chase(&chased, 2e6);
    for (size_t i = 0; i < ARRAY_SIZE(tried); i++) {
        struct pipeline_account account;

        check_near(walks_share(&chased, 550, &account), 150.0 / 550, 0.03);
        account.tried[EXPERIMENT_HUGE_PAGES] = tried[i].gain;
        pipeline_account_refute_walks(&account, tried[i].gone);
        check_eq(account.share[CAUSE_PAGE_WALKS] > 0, !tried[i].refuted);
        check_eq(account.tried[EXPERIMENT_HUGE_PAGES].known, tried[i].gain.known);
        pipeline_account_release(&account);
    }
    free(chased.script);
}

TEST("an account, written and read again")
{
    struct chased chased;
    struct cpu_core core = core_made();
    struct pipeline_memory memory = memory_made();
    struct pipeline_account account, again = {0};
    struct error err = {0};

    chase(&chased, 0);
    check_eq(pipeline_account_make(&chased.stretches, &core, &memory, 4, &account), 0);
    check_near(account.call_s, 2e6 * 400 / 4e9, 0.02);
    check_near(account.n_in_flight, 1, 0.02);
    check(account.share[CAUSE_DEPENDENT_LOADS] > 0.99);
    check(account.saved[CAUSE_DEPENDENT_LOADS] > 0.9);
    check_str(account.blame[CAUSE_DEPENDENT_LOADS].array, "next");
    check_eq(account.blame[CAUSE_DEPENDENT_LOADS].line, 7);
    check(account.recurrence_alone < 0.01);

    json_t *document = pipeline_account_to_json(&account);
    struct json_at at = json_top("account", document);
    check_ok(pipeline_account_from_json(&at, &again, &err), &err);
    json_t *twice = pipeline_account_to_json(&again);
    check(json_equal(document, twice));
    json_object_set_new(json_array_get(json_object_get(document, "causes"), 0), "cause",
                        json_string("laziness"));
    struct pipeline_account none = {0};
    check_fails(pipeline_account_from_json(&at, &none, &err), &err, STATUS_INPUT,
                "laziness");
    json_decref(document);
    json_decref(twice);
    pipeline_account_release(&account);
    pipeline_account_release(&again);
    free(chased.script);
}
