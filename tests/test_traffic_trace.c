/* Tracing programs built with the compilers that are there, run and read back. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/traffic/traffic.h"
#include "tests/check.h"

struct toolchain {
    const char *name, *compiler, *callbacks;
};

static const struct toolchain gcc = {
    "gcc", "gcc",
    "-fsanitize=thread -fno-tree-vectorize -fno-tree-loop-distribute-patterns"};
static const struct toolchain clang = {
    "clang", "clang-19",
    "-fsanitize-coverage=func,trace-pc-guard,trace-loads,trace-stores -fno-vectorize "
    "-fno-slp-vectorize -fno-builtin"};
static const struct toolchain clang_thread = {
    "clang_thread", "clang-19",
    "-fsanitize=thread -fno-vectorize -fno-slp-vectorize -fno-builtin"};
static const struct toolchain no_callbacks = {"none", "gcc", "-fno-tree-vectorize"};

static char *scratch;

/* Runs `command` (white space separates, quotes group); "not there" is told from
 * "failed". */
static bool compile(const char *compiler, const char *command)
{
    struct strvec argv = {0};
    struct spawn_request request = {.timeout_s = 120};
    struct spawn_outcome outcome = {0};
    struct error err = {0};
    bool done = false;

    strvec_push(&argv, compiler);
    strvec_split(&argv, command);
    request.argv = (const char *const *)argv.v;
    if (spawn_run(&request, &outcome, &err) == 0) {
        done = outcome.end == SPAWN_EXITED && outcome.code == 0;
        if (outcome.end == SPAWN_NOT_STARTED)
            check_skip(xasprintf("%s is not there", compiler));
        else if (!check(done))
            fprintf(stderr, "%s %s: %s\n", compiler, command, buf_str(&outcome.err));
    }
    spawn_outcome_release(&outcome);
    strvec_release(&argv);
    return done;
}

static bool build_at(const struct toolchain *tools, const char *path,
                     const struct strvec *sources)
{
    struct buf command = {0};
    char *kernels = xasprintf("%s.kernels.o", path);
    bool done;

    buf_addf(&command,
             "-g -O2 '-I%s' %s -c '%s/tests/data/traffic/traced_kernels.c' -o '%s'",
             INFLIGHT_SOURCE_DIR, tools->callbacks, INFLIGHT_SOURCE_DIR, kernels);
    done = compile(tools->compiler, buf_str(&command));
    buf_reset(&command);
    buf_addf(&command, "-g -O2 '-I%s' -o '%s' '%s/tests/data/traffic/traced_main.c' '%s'",
             INFLIGHT_SOURCE_DIR, path, INFLIGHT_SOURCE_DIR, kernels);
    for (size_t i = 0; i < sources->nr; i++)
        buf_addf(&command, " '%s'", sources->v[i]);
    done = done && compile(tools->compiler, buf_str(&command));
    buf_release(&command);
    free(kernels);
    return done;
}

/* The traced program of a toolchain, built once; NULL = not there, and the test is
 * skipped. */
static char *program(const struct toolchain *tools)
{
    struct error err = {0};
    struct strvec sources = {0};
    char *path;
    bool done;

    if (!scratch && !check_ok(scratch_make(&scratch, &err), &err))
        return NULL;
    path = path_join(scratch, tools->name);
    if (file_exists(path))
        return path;
    done = check_ok(traffic_tracer_sources(&sources, &err), &err) &&
           build_at(tools, path, &sources);
    strvec_release(&sources);
    if (done)
        return path;
    free(path);
    return NULL;
}

/* Small caches, so that small kernels do not fit. */
static const struct traffic_geometry small = {
    .line_bytes = 64,
    .level_nr = 3,
    .level = {{16384, 8}, {131072, 8}, {1 << 20, 16}},
    .page_bytes = 4096,
    .store_read_factor = 1,
};

struct traced {
    const char *kernel;
    long n, calls;
    double total, budget, least, limit_s;
    const struct traffic_geometry *geometry; /* NULL = small */
    bool arrays;                             /* a, b and c are announced */
};

static int trace(const struct toolchain *tools, const struct traced *what,
                 struct traffic *traffic, struct error *err)
{
    struct strvec args = {0};
    struct traffic_trace_request request = {
        .args = &args,
        .geometry = what->geometry ? *what->geometry : small,
        .accesses_total = what->total,
        .accesses_budget = what->budget,
        .accesses_least = what->least,
        .limit_s = what->limit_s,
        .cpu = -1,
    };
    char *path = program(tools);
    int result = 1;

    if (path) {
        strvec_pushf(&args, "--kernel");
        strvec_push(&args, what->kernel);
        strvec_pushf(&args, "--n");
        strvec_pushf(&args, "%ld", what->n);
        strvec_pushf(&args, "--calls");
        strvec_pushf(&args, "%ld", what->calls);
        strvec_push(&args, "--arrays");
        strvec_push(&args, what->arrays ? "1" : "0");
        request.program = path;
        request.scratch = scratch;
        result = traffic_trace(&request, traffic, err);
    }
    strvec_release(&args);
    free(path);
    return result;
}

/* False when the toolchain is not there or the trace failed. */
static bool traced_well(const struct toolchain *tools, const struct traced *what,
                        struct traffic *traffic)
{
    struct error err = {0};
    int result = trace(tools, what, traffic, &err);

    return result <= 0 && check_ok(result, &err);
}

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
    check_exact(traffic.l1_from[2], 3 * n / 8);
    check_near(traffic.l1_covered_from[2].value, 3 * n / 8 * 62 / 64.0, 0.001);
    check_near(traffic.page_walks.value, 3 * n * 8 / 4096, 0.01);
    check_near(traffic.traced_share, 1, 0);
    check(traffic.note == NULL);
    traffic_release(&traffic);
}

static void test_triad_gcc(void)
{
    triad_with(&gcc);
}

static void test_triad_clang(void)
{
    triad_with(&clang);
    triad_with(&clang_thread);
}

/* Whoever makes one call only starts from empty caches. */
static void test_one_call(void)
{
    struct traced what = {.kernel = "copy", .n = n, .total = 2.0 * n, .calls = 1};
    struct traffic traffic;

    if (!traced_well(&gcc, &what, &traffic))
        return;
    check_exact(traffic.edge[2].fills, 2 * n / 8);
    check_near(traffic.edge[2].writebacks.value, n / 8, 0);
    check(traffic.edge[2].writebacks.low < n / 8 && traffic.edge[2].writebacks.low > 0);
    check_contains(traffic.note, "empty caches");
    traffic_release(&traffic);
}

/* What fits is not fetched again by the second call. */
static void test_resident(void)
{
    struct traced what = {.kernel = "triad", .n = 4000, .total = 3.0 * 4000};
    struct traffic traffic;

    if (!traced_well(&gcc, &what, &traffic))
        return;
    check_exact(traffic.edge[2].fills, 0);
    check_exact(traffic.edge[1].fills, 0);
    check_near(traffic.edge[0].fills.value, 3 * 4000 / 8, 0);
    traffic_release(&traffic);
}

static void test_evaded_reads(void)
{
    struct traffic_geometry geometry = small;
    struct traced what = {
        .kernel = "copy", .n = n, .total = 2.0 * n, .geometry = &geometry};
    struct traffic traffic;

    geometry.store_read_factor = 0.25;
    if (!traced_well(&gcc, &what, &traffic))
        return;
    check_exact(traffic_read_bytes(&traffic), 8.0 * n + 8.0 * n / 4);
    check_exact(traffic.edge[1].fills, 2 * n / 8);
    traffic_release(&traffic);
}

static void test_announced(void)
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

        if (!traced_well(&gcc, &what, &traffic))
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

static void test_widths(void)
{
    struct traced what = {.kernel = "bytes", .n = n, .total = 2.0 * n};
    const struct toolchain *tools[] = {&gcc, &clang};
    struct traffic traffic;

    for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
        if (!traced_well(tools[i], &what, &traffic))
            continue;
        check_exact(traffic.bytes, 9.0 * n);
        check_near(traffic.edge[2].fills.value, n / 64 + n / 2 * 9 / 64, 1e-3);
        traffic_release(&traffic);
    }
}

static void test_contradictions(void)
{
    static const struct {
        struct traced what;
        const struct toolchain *tools;
        const char *part;
    } cases[] = {
        {{"triad", n, .total = 2.9 * n},
         &gcc,
         "1200000 loads and stores, the loop model counts 1160000"},
        {{"triad", n, .total = 2.0 * n}, &gcc, "at least"},
        {{"triad", n, .total = 7.0 * n},
         &gcc,
         "at least 1400000 where values stay in registers"},
        {{"triad", n, .total = 4.0 * n, .least = 3.5 * n}, &gcc, "at least 1400000"},
        {{"triad", n, .total = 2.5 * n, .budget = n},
         &gcc,
         "the loop model counts 1000000"},
        {{"triad", n, .total = 0}, &no_callbacks, "reported no load or store"},
        {{"triad", n, .total = 3.0 * n}, &no_callbacks, "reported no load or store"},
        {{"crash", n, .total = 1}, &gcc, "ended by signal 11"},
        {{"hang", n, .limit_s = 0.5, .total = 1e12, .budget = 1e5}, &gcc, ""},
        {{"unknown", n, .total = 1}, &gcc, "ended with status 2"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};
        struct traffic traffic = {0};
        int result = trace(cases[i].tools, &cases[i].what, &traffic, &err);

        if (result > 0)
            return;
        if (*cases[i].part)
            check_fails(result, &err, STATUS_FAILED, cases[i].part);
        traffic_release(&traffic);
    }
}

static void test_registers(void)
{
    struct traced what = {.kernel = "triad", .n = n, .total = 4.0 * n};
    struct traffic traffic;

    if (!traced_well(&gcc, &what, &traffic))
        return;
    check_exact(traffic.accesses, 3.0 * n);
    traffic_release(&traffic);
}

static void test_unknown_total(void)
{
    struct traced what = {.kernel = "triad", .n = n, .budget = 3.0 * n + 1};
    struct traffic traffic;

    if (!traced_well(&gcc, &what, &traffic))
        return;
    check_exact(traffic_read_bytes(&traffic), 24.0 * n);
    check_contains(traffic.note, "not compared");
    traffic_release(&traffic);
    what.budget = n;
    if (!traced_well(&gcc, &what, &traffic))
        return;
    check_contains(traffic.note, "first 400000 accesses only");
    check_near(traffic.traced_share, 0, 0);
    traffic_release(&traffic);
}

static void check_close(struct quantity sampled, struct quantity whole, double relative)
{
    check_near(sampled.value, whole.value, relative);
    check(sampled.low <= sampled.value && sampled.value <= sampled.high);
    check(sampled.runs >= 2);
}

/* Windows against the whole call. */
static void test_sampling(void)
{
    static const struct {
        struct traced what;
        double sampled, relative;
    } cases[] = {
        {{"triad", 4 * n, .total = 12.0 * n}, 2.0 * n, 0.01},
        {{"prefetched", 4 * n, .total = 8.0 * n}, 2.0 * n, 0.01},
        {{"multiply", 240, .total = 4.0 * 240 * 240 * 240, .least = 3e7}, 6e6, 0.05},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct traced what = cases[i].what;
        struct traffic whole, sampled;

        what.budget = 1e8;
        if (!traced_well(&gcc, &what, &whole))
            return;
        what.budget = cases[i].sampled;
        if (!traced_well(&gcc, &what, &sampled)) {
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

/* A call too long to be passed within the limit is ended after its last window. */
static void test_out_of_reach(void)
{
    struct traced what = {
        .kernel = "hang", .n = n, .total = 1e12, .budget = 1e5, .limit_s = 2};
    struct traffic traffic;

    if (!traced_well(&gcc, &what, &traffic))
        return;
    check_exact(traffic.accesses, 1e12);
    check_contains(traffic.note, "within the time limit");
    traffic_release(&traffic);
}

/* The line of traced_kernels.c that has this comment. */
static int marked_line(const char *mark)
{
    char *path = path_join(INFLIGHT_SOURCE_DIR, "tests/data/traffic/traced_kernels.c");
    char *comment = xasprintf("/* LINE %s */", mark);
    struct buf text = {0};
    struct error err = {0};
    const char *at = NULL;
    int line = 1;

    if (check_ok(file_read(path, &text, &err), &err))
        at = strstr(buf_str(&text), comment);
    for (const char *c = buf_str(&text); at && c < at; c++)
        line += *c == '\n';
    buf_release(&text);
    free(comment);
    free(path);
    return at ? line : 0;
}

static const struct traffic_part *part_named(const struct traffic_part *part, size_t nr,
                                             const char *name)
{
    for (size_t i = 0; i < nr; i++)
        if (strcmp(part[i].name, name) == 0)
            return &part[i];
    CU_FAIL("no such part");
    fprintf(stderr, "no part '%s'\n", name);
    return NULL;
}

static void check_part(const struct traffic_part *part, double accesses, double fills,
                       double writebacks, double relative)
{
    if (!part)
        return;
    check_near(part->accesses.value, accesses, 1e-12);
    check_near(part->bytes.value, 8 * accesses, 1e-12);
    check_near(part->fills[2].value, fills, relative);
    check_near(part->writebacks[2].value, writebacks, relative);
}

/* All of it belongs to some part. */
static void check_sums(const struct traffic *traffic, const struct traffic_part *part,
                       size_t nr)
{
    double accesses = 0, bytes = 0, nontemporal = 0;

    for (size_t i = 0; i < nr; i++) {
        accesses += part[i].accesses.value;
        bytes += part[i].bytes.value;
        nontemporal += part[i].nontemporal_lines.value;
    }
    check_near(accesses, traffic->accesses.value, 1e-9);
    check_near(bytes, traffic->bytes.value, 1e-9);
    check_near(nontemporal, traffic->nontemporal_lines.value, 1e-9);
    for (int k = 0; k < traffic->level_nr; k++) {
        double fills = 0, covered = 0, writebacks = 0;

        for (size_t i = 0; i < nr; i++) {
            fills += part[i].fills[k].value;
            covered += part[i].covered[k].value;
            writebacks += part[i].writebacks[k].value;
        }
        check_near(fills, traffic->edge[k].fills.value, 1e-9);
        check_near(covered, traffic->edge[k].covered.value, 1e-9);
        check_near(writebacks, traffic->edge[k].writebacks.value, 1e-9);
    }
}

/* Too small for a random line to be met again. */
static const struct traffic_geometry tiny = {
    .line_bytes = 64,
    .level_nr = 3,
    .level = {{4096, 4}, {8192, 8}, {32768, 16}},
    .page_bytes = 4096,
    .store_read_factor = 1,
};

/* One random array, two streams: bytes of each by array and by line. */
static void scatter_with(const struct toolchain *tools)
{
    struct traced what = {
        .kernel = "scatter", .n = n, .total = 3.0 * n, .geometry = &tiny, .arrays = true};
    static const char *const arrays[] = {"a", "b", "c"};
    struct traffic traffic;

    if (!traced_well(tools, &what, &traffic))
        return;
    check_eq(traffic.array_nr, 3);
    for (size_t i = 0; i < 3; i++) {
        char *line = xasprintf("traced_kernels.c:%d", marked_line(arrays[i]));
        bool random = i == 0;

        check_str(traffic.array[i].name, arrays[i]);
        check_part(&traffic.array[i], n, random ? n : n / 8, random ? n : 0,
                   random ? 0.02 : 0);
        check_part(part_named(traffic.site, traffic.site_nr, line), n, random ? n : n / 8,
                   random ? n : 0, random ? 0.02 : 0);
        free(line);
    }
    check(traffic.site_nr == 3 && traffic.site[0].line == marked_line("a"));
    check_sums(&traffic, traffic.array, traffic.array_nr);
    check_sums(&traffic, traffic.site, traffic.site_nr);
    check_near(traffic.edge[0].hits.value,
               3 * n - traffic.edge[0].fills.value + traffic.edge[0].software.value, 0);
    traffic_release(&traffic);
}

static void test_parts(void)
{
    scatter_with(&gcc);
    scatter_with(&clang);
    scatter_with(&clang_thread);
}

/* What is written back later, evaded, sampled or past the caches belongs to a part too;
 * and without arrays there are lines. */
static void test_parts_of_all(void)
{
    static struct traffic_geometry evading;
    static const struct traced cases[] = {
        {"scatter", n, .total = 3.0 * n, .calls = 1, .arrays = true},
        {"copy", n, .total = 2.0 * n, .geometry = &evading, .arrays = true},
        {"scatter", 4 * n, .total = 12.0 * n, .budget = 2.0 * n, .arrays = true},
        {"nontemporal", n, .total = 2.0 * n, .arrays = true},
        {"prefetched", n, .total = 2.0 * n, .arrays = true},
        {"block_copy", n, .total = 2.0 * n / 8, .arrays = true},
        {"triad", n, .total = 3.0 * n},
    };

    evading = small;
    evading.store_read_factor = 0.25;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct traffic traffic;

        if (!traced_well(&gcc, &cases[i], &traffic))
            return;
        check_eq(traffic.array_nr != 0, cases[i].arrays);
        if (cases[i].arrays)
            check_sums(&traffic, traffic.array, traffic.array_nr);
        check_sums(&traffic, traffic.site, traffic.site_nr);
        traffic_release(&traffic);
    }
}

static void test_sources_there(void)
{
    struct strvec sources = {0};
    struct error err = {0};

    check_ok(traffic_tracer_sources(&sources, &err), &err);
    check(sources.nr > 0);
    for (size_t i = 0; i < sources.nr; i++)
        check(file_exists(sources.v[i]));
    strvec_release(&sources);
}

CU_TestInfo traffic_trace_tests[] = {
    {"the tracer's sources are there", test_sources_there},
    {"a triad with gcc moves exactly 24 bytes an iteration", test_triad_gcc},
    {"a triad with clang moves exactly 24 bytes an iteration", test_triad_clang},
    {"one call from empty caches", test_one_call},
    {"what fits is not fetched by the second call", test_resident},
    {"reads that a CPU evades", test_evaded_reads},
    {"what the harness announces", test_announced},
    {"bytes and odd addresses", test_widths},
    {"contradictions and ends", test_contradictions},
    {"values in registers are allowed", test_registers},
    {"a call of unknown length", test_unknown_total},
    {"windows give what the whole call gives", test_sampling},
    {"a call out of reach", test_out_of_reach},
    {"traffic by array and by line", test_parts},
    {"the parts make the whole", test_parts_of_all},
    CU_TEST_INFO_NULL,
};
