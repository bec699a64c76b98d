#include "tests/core/traffic/traced_program.h"

#include <stdlib.h>

#include "core/base.h"
#include "tests/check.h"

const struct toolchain traced_gcc = {
    "gcc", "gcc",
    "-fsanitize=thread -fno-tree-vectorize -fno-tree-loop-distribute-patterns"};
const struct toolchain traced_clang = {
    "clang", "clang-19",
    "-fsanitize-coverage=func,trace-pc-guard,trace-loads,trace-stores -fno-vectorize "
    "-fno-slp-vectorize -fno-builtin"};
const struct toolchain traced_clang_thread = {
    "clang_thread", "clang-19",
    "-fsanitize=thread -fno-vectorize -fno-slp-vectorize -fno-builtin"};
const struct toolchain traced_no_callbacks = {"none", "gcc", "-fno-tree-vectorize"};

const struct traffic_geometry traced_small = {
    .line_bytes = 64,
    .level_nr = 3,
    .level = {{.bytes = 16384, .ways = 8},
              {.bytes = 131072, .ways = 8},
              {.bytes = 1 << 20, .ways = 16}},
    .page_bytes = 4096,
    .store_read_factor = 1,
};

static char *scratch;

/* Runs `command` (white space separates, quotes group); "not there" is told from
 * "failed". */
static bool compile(const char *compiler, const char *command)
{
    struct strvec argv = {0};
    struct spawn_request request = {.timeout_s = PATIENCE_S};
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

int traced_try(const struct toolchain *tools, const struct traced *what,
               struct traffic *traffic, struct error *err)
{
    struct strvec args = {0};
    struct traffic_trace_request request = {
        .args = &args,
        .geometry = what->geometry ? *what->geometry : traced_small,
        .accesses_total = what->total,
        .accesses_budget = what->budget,
        .counting = what->counting,
        .accesses_min = what->min,
        .accesses_likely = what->likely,
        .other = what->other,
        .other_nr = what->other_nr,
        .limit_s = what->limit_s,
        .wall_s = what->wall_s,
        .cold = what->cold,
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

bool traced_well(const struct toolchain *tools, const struct traced *what,
                 struct traffic *traffic)
{
    struct error err = {0};
    int result = traced_try(tools, what, traffic, &err);

    return result <= 0 && check_ok(result, &err);
}
