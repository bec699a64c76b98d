#include "bench/suite_kernel.h"

#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "search/search.h"

static const char *const names[] = {"gcc", "clang", "clang with Polly"};

/* ---- compilers ---- */

/* A clang without Polly refuses its options. */
static int find_polly(struct suite *suite)
{
    struct strvec flags = {0};
    struct error err = {0};

    strvec_split(&flags, "-O3 -march=native -mllvm -polly -mllvm "
                         "-polly-vectorizer=stripmine");
    int result = toolchain_find("clang", &flags, &suite->toolchain[SUITE_POLLY], &err);
    if (result)
        fprintf(stderr, "suite: no Polly: %s\n", err.text);
    strvec_release(&flags);
    return result;
}

int suite_open(struct suite *suite, const struct machine_cpus *cpus, const char *budget,
               double seconds, struct error *err)
{
    *suite = (struct suite){.cpus = cpus, .budget = budget, .seconds = seconds};
    for (size_t c = SUITE_GCC; c <= SUITE_CLANG; c++) {
        if (toolchain_find(names[c], NULL, &suite->toolchain[c], err))
            return -1;
        suite->has[c] = true;
    }
    suite->has[SUITE_POLLY] = find_polly(suite) == 0;
    return scratch_make(&suite->scratch, err);
}

void suite_close(struct suite *suite)
{
    for (size_t c = 0; c < SUITE_COMPILER_NR; c++)
        if (suite->has[c])
            toolchain_release(&suite->toolchain[c]);
    if (suite->scratch)
        scratch_remove(suite->scratch);
    *suite = (struct suite){0};
}

/* ---- one comparison ---- */

/* A program of the plan; NULL when it cannot be compiled. Caller frees. */
static char *build(const struct suite *suite, struct kernel *kernel, const char *text,
                   enum suite_compiler compiler, struct error *err)
{
    struct plan *plan;
    char *program = NULL;

    if (!suite->has[compiler] || plan_parse(text, &plan, err))
        return NULL;
    if (variant_build(kernel, plan, &suite->toolchain[compiler], VARIANT_TIME,
                      suite->scratch, &program, err))
        program = NULL;
    plan_free(plan);
    return program;
}

/* A choice between compilers is claimed nowhere: one launch of each does when it is
 * clear, another when it is not. A figure takes three, for an interval. */
enum purpose { A_CHOICE, A_FIGURE };

static void set_effort(const struct suite *suite, enum purpose purpose,
                       struct run_opts *opts)
{
    live_pair_effort(suite->seconds, (struct live_launch_cost){.least = 3}, false, opts);
    if (purpose == A_FIGURE)
        return;
    opts->launches_min = 1;
    opts->launches_max = 2;
    opts->target_spread = 0.1;
}

/* Time of `a` over that of `b`: above 1, b is faster. Unknown when one cannot be run. */
static struct quantity compare(const struct suite *suite, const struct strvec *args,
                               const char *a, const char *b, enum purpose purpose)
{
    struct run_program pair[2] = {{a, args, false, NULL}, {b, args, false, NULL}};
    struct run_opts opts = {.cpu = suite->cpus->cpu,
                            .copies = suite->cpus->cpu_nr,
                            .scratch = suite->scratch};
    struct run_result result[2] = {{0}, {0}};
    struct quantity ratio = quantity_unknown();
    struct error err = {0};

    set_effort(suite, purpose, &opts);
    if (a && b && run_measure_pair(pair, &opts, result, &err) == 0)
        ratio = run_ratio(&result[0], &result[1]);
    else if (*err.text)
        fprintf(stderr, "suite: %s\n", err.text);
    run_result_release(&result[0]);
    run_result_release(&result[1]);
    return ratio;
}

static void set_quantity(json_t *result, const char *key, struct quantity quantity)
{
    if (quantity.known)
        json_object_set_new(result, key,
                            json_pack("{s:f, s:f, s:f}", "value", quantity.value, "low",
                                      quantity.low, "high", quantity.high));
}

/* ---- the kernel ---- */

struct work {
    const struct suite *suite;
    struct kernel *kernel;
    struct strvec args;
    enum suite_compiler base;
    char *plain[SUITE_COMPILER_NR]; /* the untransformed kernel's programs */
};

static int open_kernel(struct work *work, const char *path, struct error *err)
{
    struct kernel_request request = {.path = path};

    if (kernel_open(&request, &work->kernel, err) || kernel_bind(work->kernel, err))
        return -1;
    variant_args(work->kernel, &work->args);
    for (size_t c = 0; c < SUITE_COMPILER_NR; c++)
        work->plain[c] = build(work->suite, work->kernel, "", (enum suite_compiler)c,
                               c == SUITE_POLLY ? NULL : err);
    return work->plain[SUITE_GCC] && work->plain[SUITE_CLANG] ? 0 : -1;
}

static json_t *search(const struct work *work, const char *path, const char *name,
                      struct error *err)
{
    const char *const words[] = {
        "tune",  path,   "--compiler", names[work->base], "--budget", work->suite->budget,
        "--try", "none", "--fresh",    "--json",          NULL};
    char *report_name = xasprintf("suite-%s", name);
    double seconds;
    json_t *report = bench_report(report_name, words, &seconds);

    free(report_name);
    if (!report)
        fail(err, STATUS_FAILED, "inflight tune failed");
    return report;
}

/* The winning plan by either compiler: the faster program, and by whom. Caller frees. */
static char *build_winner(const struct work *work, const char *plan,
                          enum suite_compiler *compiler)
{
    char *program[2];
    struct error err = {0};

    for (size_t c = 0; c < 2; c++)
        program[c] = build(work->suite, work->kernel, plan, (enum suite_compiler)c, &err);
    struct quantity ratio = compare(work->suite, &work->args, program[SUITE_GCC],
                                    program[SUITE_CLANG], A_CHOICE);
    *compiler = ratio.known && ratio.value > 1 ? SUITE_CLANG : SUITE_GCC;
    if (!program[SUITE_GCC])
        *compiler = SUITE_CLANG;
    free(program[!*compiler]);
    return program[*compiler];
}

static void measure_winner(const struct work *work, const char *plan, json_t *result)
{
    enum suite_compiler compiler = work->base;
    char *winner = *plan ? build_winner(work, plan, &compiler) : NULL;
    const char *best = winner ? winner : work->plain[work->base];

    json_object_set_new(result, "compiler", json_string(names[compiler]));
    if (winner)
        set_quantity(
            result, "ratio",
            compare(work->suite, &work->args, work->plain[work->base], winner, A_FIGURE));
    else if (!*plan) /* left as it is */
        set_quantity(result, "ratio", quantity_exact(1, PROVENANCE_DERIVED));
    set_quantity(
        result, "polly_ratio",
        compare(work->suite, &work->args, work->plain[SUITE_POLLY], best, A_FIGURE));
    free(winner);
}

static json_t *do_kernel(struct work *work, const char *path, const char *name,
                         struct error *err)
{
    struct quantity ratio = compare(work->suite, &work->args, work->plain[SUITE_GCC],
                                    work->plain[SUITE_CLANG], A_CHOICE);

    if (!ratio.known) {
        fail(err, STATUS_FAILED, "the kernel as it is cannot be measured");
        return NULL;
    }
    work->base = ratio.value > 1 ? SUITE_CLANG : SUITE_GCC;
    json_t *report = search(work, path, name, err);
    if (!report)
        return NULL;
    const char *plan = bench_text(json_object_get(report, "best"), "plan");
    json_t *result = json_pack("{s:s, s:s}", "base", names[work->base], "plan", plan);
    json_t *claimed = json_object_get(report, "source_gain");
    if (json_is_object(claimed))
        json_object_set(result, "claimed", claimed);
    measure_winner(work, plan, result);
    json_decref(report);
    return result;
}

json_t *suite_kernel(const struct suite *suite, const char *path, const char *name,
                     struct error *err)
{
    struct work work = {.suite = suite};
    json_t *result = NULL;

    if (open_kernel(&work, path, err) == 0)
        result = do_kernel(&work, path, name, err);
    for (size_t c = 0; c < SUITE_COMPILER_NR; c++)
        free(work.plain[c]);
    strvec_release(&work.args);
    kernel_free(work.kernel);
    return result;
}
