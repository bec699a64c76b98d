/* Our own counts as PAPI's software-defined events: read here by the code that reads
 * hardware counters, and in a traced program by a tool that knows nothing of us. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/traffic/counters/papi_source.h"
#include "core/traffic/counters/perf.h"
#include "tests/check.h"

SUITE(traffic_export);

static struct quantity model(double value)
{
    return quantity_exact(value, PROVENANCE_MODEL);
}

#ifdef INFLIGHT_HAS_SDE

static bool open_own(struct papi_bandwidth *bandwidth, struct papi_counter **counter)
{
    static const struct papi_asker ask = {papi_event_known, perf_uncore_expand_here,
                                          papi_events_start, false};
    struct error err = {0};

    return check_ok(papi_bandwidth_for("software-defined", &ask, bandwidth, &err),
                    &err) &&
           check_ok(papi_counter_new((const char *const *)bandwidth->event.v,
                                     bandwidth->event.nr, NULL, counter, &err),
                    &err);
}

/* Event, formula, bytes: the same as the model's. */
static void check_own_bytes(const struct papi_bandwidth *bandwidth,
                            struct papi_counter *counter, const struct traffic *traffic)
{
    struct count_set set = {0};
    struct quantity read, write;
    struct error err = {0};
    char *source = NULL;

    check_ok(papi_counter_end(counter, &set, &err), &err);
    check_ok(papi_bandwidth_bytes(bandwidth, &set, &read, &write, &err), &err);
    check_near(read.value, traffic_read_bytes(traffic).value, 1e-3);
    check_near(write.value, traffic_write_bytes(traffic).value, 1e-3);
    check_eq(read.provenance, PROVENANCE_PAPI);
    check_ok(traffic_bandwidth_from_counts(NULL, &set, &read, &write, &source, &err),
             &err);
    check_near(read.value, traffic_read_bytes(traffic).value, 1e-3);
    check_contains(source, "the cache model's own counts");
    free(source);
    count_set_release(&set);
}

TEST("own counts through the bandwidth row")
{
    struct traffic first = {.level_nr = 2, .line_bytes = 128},
                   second = {.level_nr = 3, .line_bytes = 256};
    struct papi_bandwidth bandwidth;
    struct papi_counter *counter;
    struct error err = {0};

    first.edge[1].fills = model(1e6);
    first.edge[1].writebacks = model(3e5);
    second.edge[0].fills = model(77);
    second.edge[1].fills = model(66);
    second.edge[2].fills = model(5e9);
    second.edge[2].writebacks = model(4e9);
    second.nontemporal_lines = model(1e9);
    check(traffic_export(&first));
    if (!open_own(&bandwidth, &counter))
        return;
    /* only what is added between begin and end counts */
    check_ok(papi_counter_begin(counter, NULL, 0, &err), &err);
    traffic_export(&second);
    check_own_bytes(&bandwidth, counter, &second);
    check_ok(papi_counter_begin(counter, NULL, 0, &err), &err);
    traffic_export(&first);
    check_own_bytes(&bandwidth, counter, &first);
    papi_counter_free(counter);
    papi_bandwidth_release(&bandwidth);
}

TEST("levels are read")
{
    static const char *const events[] = {
        "sde:::inflight::L1_FILLS", "sde:::inflight::L2_FILLS",
        "sde:::inflight::PAGE_WALKS", "sde:::inflight::CALLS",
        "sde:::inflight::LINE_BYTES"};
    static const double want[] = {20, 10, 0, 2, 64};
    struct traffic traffic = {.level_nr = 2, .line_bytes = 64};
    struct papi_counter *counter;
    struct count_set set = {0};
    struct error err = {0};

    traffic.edge[0].fills = model(10);
    traffic.edge[1].fills = model(5.2);
    traffic.page_walks = quantity_unknown();
    traffic_export(&traffic);
    if (!check_ok(papi_counter_new(events, 5, NULL, &counter, &err), &err))
        return;
    check_ok(papi_counter_begin(counter, NULL, 0, &err), &err);
    traffic_export(&traffic);
    traffic_export(&traffic);
    check_ok(papi_counter_end(counter, &set, &err), &err);
    for (size_t i = 0; i < 5; i++)
        check_near(set.count[i].value.value, want[i], 0);
    papi_counter_free(counter);
    count_set_release(&set);
}

/*
 * A traced program.
 */

static bool compile(char *const argv[])
{
    struct spawn_request request = {.argv = (const char *const *)argv,
                                    .timeout_s = PATIENCE_S};
    struct spawn_outcome outcome = {0};
    struct error err = {0};
    bool done = spawn_run(&request, &outcome, &err) == 0 && outcome.end == SPAWN_EXITED &&
                outcome.code == 0;

    if (outcome.end != SPAWN_NOT_STARTED && !done)
        check_str(buf_str(&outcome.err), "");
    spawn_outcome_release(&outcome);
    return done;
}

static bool build_traced(const char *path)
{
    struct strvec argv = {0};
    struct error err = {0};
    char *object = xasprintf("%s.o", path);
    bool done;

    strvec_split(&argv, "gcc -O2 -fsanitize=thread -fno-tree-vectorize "
                        "-fno-tree-loop-distribute-patterns -c -I");
    strvec_push(&argv, INFLIGHT_SOURCE_DIR);
    strvec_push(&argv, INFLIGHT_SOURCE_DIR "/tests/data/traffic/traced_kernels.c");
    strvec_push(&argv, "-o");
    strvec_push(&argv, object);
    done = compile(argv.v);
    strvec_release(&argv);
    strvec_split(&argv, "gcc -O2 -I");
    strvec_push(&argv, INFLIGHT_SOURCE_DIR);
    strvec_push(&argv, INFLIGHT_SOURCE_DIR "/tests/data/traffic/traced_main.c");
    check_ok(traffic_tracer_sources(&argv, &err), &err);
    strvec_push(&argv, object);
    strvec_push(&argv, "-o");
    strvec_push(&argv, path);
    done = done && compile(argv.v);
    strvec_release(&argv);
    free(object);
    return done;
}

static const char *const tool_events =
    "sde:::inflight::ACCESSES,sde:::inflight::STORES,sde:::inflight::L1_HITS,"
    "sde:::inflight::L1_FROM_L2,sde:::inflight::L1_FROM_MEMORY,sde:::inflight::L1_FILLS,"
    "sde:::inflight::MEMORY_FILLS,"
    "sde:::inflight::MEMORY_WRITEBACKS,sde:::inflight::LINE_BYTES";

static double given(const char *text, const char *event)
{
    const char *at = strstr(text, event);

    return at ? strtod(at + strlen(event), NULL) : -1;
}

static char *run_with_tool(const char *program, const char *scratch)
{
    const char *argv[] = {program,
                          "--kernel",
                          "triad",
                          "--n",
                          "65536",
                          "--geometry",
                          "line=64 page=4096 tlb=64 streams=16 level=16384:8:0 "
                          "level=131072:8:0 overwritten=0",
                          "--total",
                          "0",
                          "--budget",
                          "0",
                          "--out",
                          NULL,
                          NULL};
    char *traced = path_join(scratch, "traced.txt"),
         *out = path_join(scratch, "tool.txt"), *tool = path_join(scratch, "tool.so");
    char *env[] = {xasprintf("LD_PRELOAD=%s", tool), /* no path with a space */
                   xasprintf("PAPI_TOOL_EVENTS=%s", tool_events),
                   xasprintf("PAPI_TOOL_OUT=%s", out), NULL};
    struct spawn_request request = {
        .argv = argv, .env_extra = (const char *const *)env, .timeout_s = PATIENCE_S};
    struct spawn_outcome outcome = {0};
    struct buf text = {0};
    struct error err = {0};

    argv[ARRAY_SIZE(argv) - 2] = traced;
    check_eq(symlink(INFLIGHT_BINARY_DIR "/inflight_papi_tool.so", tool), 0);
    if (check_ok(spawn_run(&request, &outcome, &err), &err)) {
        check_eq(outcome.end, SPAWN_EXITED);
        if (!check_eq(outcome.code, 0))
            check_str(buf_str(&outcome.err), "");
        check_ok(file_read(out, &text, &err), &err);
    }
    spawn_outcome_release(&outcome);
    for (size_t i = 0; env[i]; i++)
        free(env[i]);
    free(traced);
    free(tool);
    free(out);
    return buf_detach(&text);
}

/* a = b + s * c, three arrays of 65536 doubles: 8192 lines each, all three read, one
 * written; twice, since the first call warms. */
TEST("a tool reads a traced program")
{
    struct error err = {0};
    char *scratch, *program, *text;

    if (!check_ok(scratch_make(&scratch, &err), &err))
        return;
    program = path_join(scratch, "traced");
    if (build_traced(program)) {
        text = run_with_tool(program, scratch);
        check_near(given(text, "ACCESSES "), 2 * 3 * 65536, 0.01);
        check_near(given(text, "STORES "), 2 * 65536, 0.01);
        check_near(given(text, "L1_HITS "), 2 * 3 * (65536 - 8192), 0.01);
        check_near(given(text, "L1_FROM_L2 "), 0, 0);
        check_near(given(text, "L1_FROM_MEMORY "), 2 * 3 * 8192, 0.01);
        check_near(given(text, "L1_FILLS "), 2 * 3 * 8192, 0.01);
        check_near(given(text, "MEMORY_FILLS "), 2 * 3 * 8192, 0.01);
        check(given(text, "MEMORY_WRITEBACKS ") > 8192);
        check_near(given(text, "LINE_BYTES "), 64, 0);
        free(text);
    } else {
        check_skip("no compiler for the traced program");
    }
    free(program);
    scratch_remove(scratch);
}

/* PAPI's own utility lists them. */
TEST("PAPI's own utility lists them")
{
    static const char *const argv[] = {
        "papi_native_avail", "-sde", INFLIGHT_BINARY_DIR "/libinflight_events.so", NULL};
    struct spawn_request request = {.argv = argv, .timeout_s = PATIENCE_S};
    struct spawn_outcome outcome = {0};
    struct error err = {0};

    check_ok(spawn_run(&request, &outcome, &err), &err);
    if (outcome.end == SPAWN_NOT_STARTED) {
        check_skip("papi_native_avail is not there (papi-tools)");
    } else {
        check_contains(buf_str(&outcome.out), "sde:::inflight::MEMORY_FILLS");
        check_contains(buf_str(&outcome.out), "lines written past the caches");
    }
    spawn_outcome_release(&outcome);
}

#else

static void not_here(void)
{
    struct traffic traffic = {.level_nr = 1, .line_bytes = 64};

    check(!traffic_export(&traffic));
    check_skip("libsde is not there");
}
#define own_counts_are_read           not_here
#define levels_are_read               not_here
#define a_tool_reads_a_traced_program not_here
#define papi_lists_them               not_here

#endif

/* With what it is not known for, and the levels that there are not. */
TEST("figures as counts")
{
    static const struct {
        const char *event, *why;
        double want;
    } cases[] = {
        {"STORES", NULL, 30},
        {"L1_HITS", NULL, 70},
        {"L1_FROM_L2", NULL, 8},
        {"L1_FROM_MEMORY", NULL, 2},
        {"MEMORY_FILLS", NULL, 5.25},
        {"L1_COVERED_MEMORY", NULL, 1},
        {"LINE_BYTES", NULL, 64},
        {"L3_FILLS", "2 levels", 0},
        {"L1_FROM_L3", NULL, 0},
        {"L1_FROM_L4", NULL, 0},
        {"FLOPS", "not known for this call", 0},
    };
    struct traffic traffic = {.level_nr = 2, .line_bytes = 64, .note = xstrdup("n")};
    struct count_set set = {0};

    traffic.stores = model(30);
    traffic.edge[0].hits = model(70);
    traffic.l1_from[0] = model(8);
    traffic.l1_from[1] = model(2);
    traffic.l1_covered_from[1] = model(1);
    traffic.edge[1].fills = quantity_between(5.25, 5, 6, 3, PROVENANCE_MODEL);
    traffic_to_counts(&traffic, &set);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *name = xasprintf("sde:::inflight::%s", cases[i].event);
        const struct event_count *count = count_set_find(&set, name);

        if (check(count != NULL) && check_eq(count->value.known, !cases[i].why)) {
            if (cases[i].why)
                check_contains(count->why, cases[i].why);
            else
                check_near(count->value.value, cases[i].want, 0);
        }
        free(name);
    }
    check_near(count_set_value(&set, "sde:::inflight::MEMORY_FILLS").high, 6, 0);
    check_str(set.note.v[0], "n");
    count_set_release(&set);
    traffic_release(&traffic);
}
