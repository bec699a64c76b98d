/* The model of the core on loops whose pace follows from how they are made. */
#include <math.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/pipeline/misses.h"
#include "tests/core/pipeline/loops.h"

SUITE(pipeline);

static struct pipeline_result run_on(const struct script *loop,
                                     const struct cpu_core *core,
                                     const struct pipeline_memory *memory,
                                     unsigned without)
{
    struct pipeline_stream stream = script_stream(loop);
    struct pipeline_result result;

    check_eq(pipeline_run(&stream, core, memory, without, &result), 0);
    return result;
}

static struct pipeline_result run(const struct script *loop)
{
    struct cpu_core core = core_made();
    struct pipeline_memory memory = memory_made();

    return run_on(loop, &core, &memory, 0);
}

static double cycles_each(const struct script *loop, double instructions)
{
    struct pipeline_result result = run(loop);

    return result.cycles / result.instructions * instructions;
}

/* More than nine tenths of the path, and a run without it is quicker. */
static void check_cause(const struct script *loop, enum cause cause)
{
    struct cpu_core core = core_made();
    struct pipeline_memory memory = memory_made();
    struct pipeline_result with = run_on(loop, &core, &memory, 0),
                           without = run_on(loop, &core, &memory, 1u << cause);
    enum cause most = CAUSE_UNKNOWN;

    for (int c = 0; c < CAUSE_NR; c++)
        if (with.path[c] > with.path[most])
            most = (enum cause)c;
    check_str(cause_word(most), cause_word(cause));
    check(with.path[cause] > 0.9 * with.cycles);
    check(without.cycles < 0.95 * with.cycles);
}

static void turn(struct script *loop, uint32_t counts, uint32_t jumps)
{
    script_runs(loop, counts);
    script_runs(loop, jumps);
}

/* s += a[i], the lines come ahead of time */
static struct script *sum(enum work_class class)
{
    struct script *loop = script_new();
    uint32_t load = script_loads(loop, V(1), 1),
             add = script_computes(loop, class, V(0), V(0), V(1)),
             count = script_computes(loop, WORK_ALU, 0, 0, NO),
             jump = script_computes(loop, WORK_BRANCH, NO, 0, NO);

    for (uint64_t i = 0; i < 4000; i++) {
        script_touches(loop, load, 8 * i, i % 8 ? 0 : 3, true);
        script_runs(loop, add);
        turn(loop, count, jump);
    }
    return loop;
}

/* k chains of p = *p, in memory */
static struct script *chases(int k)
{
    struct script *loop = script_new();
    uint32_t load[16], count, jump;

    for (int j = 0; j < k; j++)
        load[j] = script_loads(loop, j, j);
    count = script_computes(loop, WORK_ALU, 20, 20, NO);
    jump = script_computes(loop, WORK_BRANCH, NO, 20, NO);
    for (int i = 0; i < 2000 / k; i++) {
        for (int j = 0; j < k; j++)
            script_touches(loop, load[j], 64 * script_random(loop), 3, false);
        turn(loop, count, jump);
    }
    return loop;
}

/* s += t[x[i]] and `between` operations that hang on it */
static struct script *gather(int between, enum work_class class, bool dependent)
{
    struct script *loop = script_new();
    uint32_t index = script_loads(loop, 1, 0), load = script_loads(loop, V(1), 1),
             work[512], count, jump;

    for (int j = 0; j < between; j++)
        work[j] = dependent ? script_computes(loop, class, V(1), V(1), V(9))
                            : script_computes(loop, class, 10 + j % 8, 10 + j % 8, NO);
    count = script_computes(loop, WORK_ALU, 0, 0, NO);
    jump = script_computes(loop, WORK_BRANCH, NO, 0, NO);
    for (uint64_t i = 0; i < 20000 / (uint64_t)(between + 4); i++) {
        script_touches(loop, index, 4 * i, i % 16 ? 0 : 3, true);
        script_touches(loop, load, (1ull << 40) + 64 * script_random(loop), 3, false);
        for (int j = 0; j < between; j++)
            script_runs(loop, work[j]);
        turn(loop, count, jump);
    }
    return loop;
}

/* nr operations a turn, on registers of their own */
static struct script *computes(enum work_class class, int nr, bool dependent)
{
    struct script *loop = script_new();
    uint32_t work[32], jump;

    for (int j = 0; j < nr; j++)
        work[j] = script_computes(loop, class, V(j), dependent ? V(j) : V(30), V(31));
    jump = script_computes(loop, WORK_BRANCH, NO, 0, NO);
    for (int i = 0; i < 20000 / (nr + 1); i++) {
        for (int j = 0; j < nr; j++)
            script_runs(loop, work[j]);
        script_runs(loop, jump);
    }
    return loop;
}

TEST("a sum takes the latency of an addition a turn")
{
    struct script *loop = sum(WORK_FP_ADD);

    check_near(cycles_each(loop, 4), 3, 0.01);
    check_cause(loop, CAUSE_RECURRENCE);
    check_eq(run(loop).blamed[CAUSE_RECURRENCE], 1);
    free(loop);
    loop = sum(WORK_ALU); /* of integers: the lines set the pace */
    struct cpu_core core = core_made();
    struct pipeline_memory memory = memory_made();
    memory.line_cycles[3] = 24;
    struct pipeline_result result = run_on(loop, &core, &memory, 0);
    check_near(result.cycles / result.instructions * 4, 24.0 / 8, 0.02);
    check(result.path[CAUSE_MEMORY_BANDWIDTH] > 0.9 * result.cycles);
    free(loop);
}

TEST("a load that hangs on the end of a chain is none of loads")
{
    struct script *loop = script_new();
    uint32_t load = script_loads(loop, V(1), 0),
             count = script_computes(loop, WORK_ALU, 0, 0, NO),
             jump = script_computes(loop, WORK_BRANCH, NO, 0, NO);

    for (uint64_t i = 0; i < 2000; i++) {
        turn(loop, count, jump);
        if (i % 100 == 99)
            script_touches(loop, load, 64 * i, i == 1999 ? 3 : 0, false);
    }
    check_near(run(loop).path[CAUSE_DEPENDENT_LOADS], 0, 0);
    free(loop);
}

TEST("k chases have k misses in flight")
{
    static const int k[] = {1, 2, 4, 8, 12, 16};

    for (size_t i = 0; i < ARRAY_SIZE(k); i++) {
        struct script *loop = chases(k[i]);

        check_near(run(loop).n_in_flight, k[i], 0.03);
        check_cause(loop, CAUSE_DEPENDENT_LOADS);
        free(loop);
    }
}

TEST("independent misses fill the miss queue")
{
    struct cpu_core core = core_made();
    struct pipeline_memory memory = memory_made();
    struct script *loop = gather(0, WORK_ALU, false);
    struct pipeline_result result;

    memory.line_cycles[3] = 2; /* room for more */
    result = run_on(loop, &core, &memory, 0);
    check_near(result.n_in_flight, 20, 0.03);
    check(result.path[CAUSE_L1_MSHRS] > 0.9 * result.cycles);
    check_near(result.cycles / result.instructions * 4, 400.0 / 20, 0.05);
    free(loop);
}

TEST("an array that is touched in many places has the blame of all of them")
{
    struct script *loop = script_new();
    uint32_t other = script_loads(loop, 1, 1), first = script_loads(loop, 1, 1),
             second = script_loads(loop, 1, 1);
    const struct pipeline_pattern pattern[] = {{.array = 1}, {.array = 0}, {.array = 0}};
    struct cpu_core core = core_made();
    struct pipeline_memory memory = memory_made();
    struct pipeline_result result;

    for (int i = 0; i < 300; i++) {
        script_touches(loop, other, script_random(loop), 3, false);
        script_touches(loop, first, script_random(loop), i % 4 ? 3 : 0, false);
        script_touches(loop, second, script_random(loop), i % 4 ? 3 : 0, false);
    }
    struct pipeline_stream stream = script_stream(loop);
    check_eq(pipeline_run(&stream, &core, &memory, 0, &result), 0);
    check_eq(result.blamed[CAUSE_DEPENDENT_LOADS], other); /* more than each of them */
    stream.pattern = pattern;
    check_eq(pipeline_run(&stream, &core, &memory, 0, &result), 0);
    check(result.blamed[CAUSE_DEPENDENT_LOADS] != other);
    free(loop);
}

TEST("what fills first in front of misses: scheduler, reorder buffer, load buffer")
{
    struct script *loop = gather(16, WORK_FP_FMA, true);

    /* 100 entries / 16 operations that wait */
    check_near(run(loop).n_in_flight, 100.0 / 16, 0.2);
    check_cause(loop, CAUSE_SCHEDULER);
    free(loop);
    loop = gather(46, WORK_ALU, false);
    check_near(run(loop).n_in_flight, 400.0 / 50, 0.2);
    check_cause(loop, CAUSE_REORDER_BUFFER);
    free(loop);

    struct cpu_core core = core_made();
    struct pipeline_memory memory = memory_made();
    struct pipeline_result result;
    core.load_entries = 12; /* of which each miss takes two */
    loop = gather(0, WORK_ALU, false);
    result = run_on(loop, &core, &memory, 0);
    check(result.path[CAUSE_LOAD_BUFFER] > 0.9 * result.cycles);
    check_near(result.n_in_flight, 6, 0.2);
    free(loop);
}

TEST("units, width and ports")
{
    struct script *loop = computes(WORK_FP_DIVIDE, 1, false);

    check_near(cycles_each(loop, 2), 4, 0.01);
    check_cause(loop, CAUSE_ARITHMETIC);
    free(loop);
    loop = computes(WORK_FP_DIVIDE, 1, true);
    check_near(cycles_each(loop, 2), 13, 0.01);
    check_cause(loop, CAUSE_RECURRENCE);
    free(loop);
    loop = computes(WORK_FP_FMA, 2, true); /* two chains, two units */
    check_near(cycles_each(loop, 3), 4, 0.01);
    check_cause(loop, CAUSE_RECURRENCE);
    free(loop);
    loop = computes(WORK_FP_FMA, 16, true); /* sixteen: the units are busy */
    check_near(cycles_each(loop, 17), 8, 0.01);
    struct pipeline_result with = run(loop);
    struct cpu_core core = core_made();
    struct pipeline_memory memory = memory_made();
    check(run_on(loop, &core, &memory, 1u << CAUSE_ARITHMETIC).cycles <
          0.6 * with.cycles);
    check_near(run_on(loop, &core, &memory, 1u << CAUSE_RECURRENCE).cycles, with.cycles,
               0.01);
    free(loop);
    loop = computes(WORK_ALU, 15, false);
    check_near(cycles_each(loop, 16), 2, 0.01);
    check_cause(loop, CAUSE_ISSUE_WIDTH);
    free(loop);

    loop = script_new();
    uint32_t load = script_loads(loop, 1, 0);
    for (uint64_t i = 0; i < 8000; i++)
        script_touches(loop, load, i % 64 * 8, 0, false);
    check_near(cycles_each(loop, 1), 0.5, 0.01);
    check_cause(loop, CAUSE_L1_BANDWIDTH);
    free(loop);
}

TEST("stores leave their buffer one after the other")
{
    struct script *loop = script_new();
    uint32_t store = script_stores(loop, V(0), 0),
             count = script_computes(loop, WORK_ALU, 0, 0, NO);

    for (uint64_t i = 0; i < 6000; i++) {
        script_touches(loop, store, i % 512 * 8, 0, false);
        if (i % 3 == 0)
            script_runs(loop, count);
    }
    check_near(cycles_each(loop, 4), 3, 0.01);
    check_cause(loop, CAUSE_STORES);
    free(loop);
}

TEST("what a store left in its buffer is forwarded to a load")
{
    struct script *loop = script_new();
    uint32_t load = script_loads(loop, V(0), 1),
             add = script_computes(loop, WORK_FP_ADD, V(0), V(0), V(1)),
             store = script_stores(loop, V(0), 1);

    for (int i = 0; i < 3000; i++) {
        script_touches(loop, load, 64, 0, false);
        script_runs(loop, add);
        script_touches(loop, store, 64, 0, false);
    }
    check_near(cycles_each(loop, 3), 3 + 5, 0.02);
    check_cause(loop, CAUSE_RECURRENCE);
    free(loop);
}

TEST("a mispredicted branch costs its way to execution and the refill")
{
    struct script *loop = script_new();
    uint32_t load = script_loads(loop, 1, 0),
             jump = script_computes(loop, WORK_BRANCH, NO, 1, NO),
             count = script_computes(loop, WORK_ALU, 0, 0, NO);

    for (uint64_t i = 0; i < 3000; i++) {
        script_touches(loop, load, 8 * i, 0, false);
        script_runs(loop, jump);
        loop->step[loop->step_nr - 1].mispredicted = i % 2;
        script_runs(loop, count);
    }
    check_near(cycles_each(loop, 6), 15 + 4 + 1 + 1, 0.1);
    check_cause(loop, CAUSE_BRANCHES);
    free(loop);
}

TEST("page walks: their number a second, or what they add to a miss")
{
    struct script *loop = gather(0, WORK_ALU, false);

    for (size_t i = 0; i < loop->access_nr; i++)
        loop->access[i].walk = loop->access[i].from == 3 && !loop->access[i].covered;
    check_near(cycles_each(loop, 4), 60, 0.02);
    check_cause(loop, CAUSE_PAGE_WALKS);
    free(loop);
    loop = chases(1);
    for (size_t i = 0; i < loop->access_nr; i++)
        loop->access[i].walk = true;
    struct pipeline_result result = run(loop);
    check_near(result.path[CAUSE_PAGE_WALKS] / result.cycles, 150.0 / 550, 0.03);
    check_near(result.path[CAUSE_DEPENDENT_LOADS] / result.cycles, 400.0 / 550, 0.03);
    free(loop);
}

TEST("code that no cache holds is fetched again and again")
{
    struct script *loop = script_new();
    uint32_t first = (uint32_t)loop->instruction_nr;

    for (int i = 0; i < 512; i++)
        script_computes(loop, WORK_ALU, i % 16, NO, NO);
    for (int i = 0; i < 512; i++)
        loop->instruction[i].pc = 4096 + 128 * (uint64_t)i;
    for (int turn = 0; turn < 16; turn++)
        for (uint32_t i = 0; i < 512; i++)
            script_runs(loop, first + i);
    check_cause(loop, CAUSE_FRONT_END);
    loop->step_nr = 512; /* not once through all of it */
    for (int i = 0; i < 512; i++)
        loop->instruction[i].bytes = 100; /* 50 KB in all */
    check_cause(loop, CAUSE_FRONT_END);
    free(loop);
}

/* ---- what holds of any stream ---- */

static struct script *anything(uint64_t seed)
{
    struct script *loop = script_new();
    size_t places = 4 + seed % 40;

    loop->random = seed * 7919;
    for (size_t i = 0; i < places; i++) {
        int a = (int)(script_random(loop) % 8), b = (int)(script_random(loop) % 8);

        switch (script_random(loop) % 6) {
        case 0:
            script_loads(loop, script_random(loop) % 2 ? a : V(a), b);
            break;
        case 1:
            script_stores(loop, a, b);
            break;
        case 2:
            script_computes(loop, WORK_BRANCH, NO, a, NO);
            break;
        default:
            script_computes(loop, (enum work_class)(script_random(loop) % WORK_CLASS_NR),
                            script_random(loop) % 2 ? a : V(a), V(b), a);
        }
    }
    while (loop->step_nr < 3000)
        for (uint32_t i = 0; i < places; i++) {
            const struct instruction_work *work = &loop->instruction[i].work;

            if (work->loads || work->stores)
                script_touches(loop, i, 8 * (script_random(loop) % 100000),
                               script_random(loop) % 3 ? 0
                                                       : (int)(script_random(loop) % 4),
                               script_random(loop) % 2);
            else
                script_runs(loop, i);
            loop->step[loop->step_nr - 1].mispredicted =
                work->class == WORK_BRANCH && script_random(loop) % 8 == 0;
        }
    return loop;
}

TEST("every cycle has one cause, and nothing gets slower without one")
{
    struct cpu_core core = core_made();
    struct pipeline_memory memory = memory_made();

    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct script *loop = anything(seed);
        struct pipeline_result with = run_on(loop, &core, &memory, 0);
        double sum = 0;

        for (int c = 0; c < CAUSE_NR; c++) {
            struct pipeline_result without = run_on(loop, &core, &memory, 1u << c);

            check(with.path[c] >= 0);
            sum += with.path[c];
            /* slots are given in the order of the program: another order may lose some */
            check(without.cycles <= 1.1 * with.cycles + 20);
        }
        check_near(sum, with.cycles, 1e-6);
        check(with.path[CAUSE_UNKNOWN] <= 0);
        free(loop);
    }
}

TEST("a stream that is too short, or a core without a width, is not run")
{
    struct script *loop = sum(WORK_ALU);
    struct pipeline_stream stream = script_stream(loop);
    struct cpu_core core = core_made(), none = {0};
    struct pipeline_memory memory = memory_made();
    struct pipeline_result result;

    check_eq(pipeline_run(&stream, &none, &memory, 0, &result), -1);
    stream.step_nr = 1;
    check_eq(pipeline_run(&stream, &core, &memory, 0, &result), -1);
    free(loop);
}
