#include "bench/plan_try.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "variants/verify/verify_lines.h"

/* Around 2, 3, 4, 5, 7, 8, 16 and 32, which random plans use, with primes and 0: of all
 * sizes, and of each where the others are not. */
static const long long alike[] = {0, 1, 2, 3, 5, 8, 9, 13, 16, 17, 31, 33, 67};
static const long long unlike[] = {3, 37, 8, 61, 2, 19, 33, 0};
/* Of innermost statements: a few milliseconds with sanitizers, so that what a plan costs
 * is compiling it. */
static const double case_iterations_max = 60e3, all_iterations_max = 250e3,
                    bytes_max = 64e6;
static const double run_limit_s = 30;
/* Who lets sums be reordered has them rounded otherwise: by as many units in the last
 * place as there are terms, which do not cancel in the kernels that say so. */
static const char exact[] =
    "--full-precision --relative-double 1e-300 --relative-float 1e-300";
static const char rounded[] =
    "--full-precision --relative-double 1e-11 --relative-float 1e-3";

static int run(const struct plan_bench *bench, const char *program, size_t variant,
               const char *mode, const struct strvec *args, struct spawn_outcome *outcome,
               struct verify_lines *lines, struct error *err)
{
    char *number = xasprintf("INFLIGHT_VARIANT=%zu", variant);
    char *out = xasprintf("%s/out", bench->dir);
    /* threads that wait take no processor from those that work: there may be fewer */
    const char *const env[] = {
        number,     "OMP_NUM_THREADS=3",           "OMP_WAIT_POLICY=passive",
        "LC_ALL=C", "ASAN_OPTIONS=detect_leaks=0", NULL};
    struct strvec argv = {0};

    strvec_push(&argv, program);
    strvec_split(&argv, bench->kernel->model_request.reassociate ? rounded : exact);
    if (mode)
        strvec_push(&argv, mode);
    strvec_push(&argv, "--out");
    strvec_push(&argv, out);
    strvec_push_all(&argv, args);
    unlink(out);
    int result = spawn_run(&(struct spawn_request){.argv = (const char *const *)argv.v,
                                                   .env_extra = env,
                                                   .timeout_s = run_limit_s},
                           outcome, err);
    *lines = (struct verify_lines){0};
    if (result == 0)
        verify_lines_read(out, lines);
    strvec_release(&argv);
    free(number);
    free(out);
    return result;
}

/* ---- the sizes ---- */

static char *text_of(const struct kernel *kernel)
{
    struct buf text = {0};

    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (kernel->scalar[i].is_integer)
            buf_addf(&text, "%s%s=%lld", text.length ? " " : "",
                     kernel->scalar[i].symbol->name, kernel->scalar[i].integer);
    return text.length ? buf_detach(&text) : xstrdup("its only size");
}

static void case_release(struct plan_case *item)
{
    strvec_release(&item->args);
    free(item->text);
    *item = (struct plan_case){0};
}

/* Keeps the kernel's present sizes if they are new and not too much work. */
static void add_case(struct plan_bench *bench, double max, double *left)
{
    struct plan_case new = {0};

    if (kernel_bind(bench->kernel, NULL) || kernel_bytes(bench->kernel) > bytes_max)
        return;
    struct quantity iterations = kernel_counts(bench->kernel).iterations;
    double cost = iterations.known ? iterations.value : 0;
    if (cost > max || cost > *left)
        return;
    new.text = text_of(bench->kernel);
    for (size_t i = 0; i < bench->item_nr; i++)
        if (!strcmp(bench->item[i].text, new.text)) {
            case_release(&new);
            return;
        }
    *left -= cost;
    variant_args(bench->kernel, &new.args);
    GROW(bench->item, bench->item_nr + 1, bench->item_alloc);
    bench->item[bench->item_nr++] = new;
}

static void all_args(const struct plan_bench *bench, struct strvec *args)
{
    for (size_t i = 0; i < bench->item_nr; i++) {
        if (i)
            strvec_push(args, "--next");
        strvec_push_all(args, &bench->item[i].args);
    }
}

/* Drops the sizes at which the untransformed kernel is not clean. */
static int keep_clean(struct plan_bench *bench, const char *program, struct error *err)
{
    struct buf why = {0};

    while (bench->item_nr) {
        struct strvec args = {0};
        struct spawn_outcome outcome;
        struct verify_lines lines;

        all_args(bench, &args);
        int result =
            run(bench, program, 0, "--reference-only", &args, &outcome, &lines, err);
        strvec_release(&args);
        if (result)
            return -1;
        bool done = lines.is_done;
        size_t bad = lines.case_nr ? lines.case_nr - 1 : 0;
        buf_reset(&why);
        buf_add_n(&why, buf_str(&outcome.err), strcspn(buf_str(&outcome.err), "\n"));
        spawn_outcome_release(&outcome);
        verify_lines_release(&lines);
        if (done) {
            buf_release(&why);
            return 0;
        }
        case_release(&bench->item[bad]);
        memmove(&bench->item[bad], &bench->item[bad + 1],
                (--bench->item_nr - bad) * sizeof(bench->item[0]));
    }
    fail(err, STATUS_INPUT, "'%s' is clean at no small size: %s",
         kernel_name(bench->kernel), buf_str(&why));
    buf_release(&why);
    return -1;
}

/* Of no array's extent: steps in time, rounds. */
static bool is_rounds(struct kernel *kernel, size_t scalar)
{
    double bytes[2];

    for (int i = 0; i < 2; i++) {
        kernel_override(kernel, scalar, 5 + 8 * i);
        if (kernel_refresh(kernel, NULL))
            return false;
        bytes[i] = kernel_bytes(kernel);
    }
    return bytes[0] == bytes[1];
}

static void override_all(struct kernel *kernel, const bool *rounds, size_t turn)
{
    size_t place = turn;

    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (kernel->scalar[i].is_size)
            kernel_override(kernel, i,
                            rounds[i] ? (long long)((turn + 1) % 4)
                            : turn < ARRAY_SIZE(alike)
                                ? alike[turn]
                                : unlike[place++ % ARRAY_SIZE(unlike)]);
}

static void find_rounds(struct kernel *kernel, bool *rounds)
{
    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (kernel->scalar[i].is_size)
            kernel_override(kernel, i, 5);
    for (size_t i = 0; i < kernel->scalar_nr; i++) {
        if (!kernel->scalar[i].is_size)
            continue;
        rounds[i] = is_rounds(kernel, i);
        kernel_override(kernel, i, 5);
    }
}

int plan_cases_make(struct plan_bench *bench, char *const *program, struct error *err)
{
    bool *rounds = xcalloc(bench->kernel->scalar_nr + 1, sizeof(*rounds));
    double left = all_iterations_max;
    int result = 0;

    find_rounds(bench->kernel, rounds);
    for (size_t turn = 0; turn < ARRAY_SIZE(alike) + ARRAY_SIZE(unlike); turn++) {
        override_all(bench->kernel, rounds, turn);
        add_case(bench, case_iterations_max, &left);
    }
    override_all(bench->kernel, rounds, 0);
    if (!bench->item_nr) /* sizes are constants */
        add_case(bench, HUGE_VAL, &(double){HUGE_VAL});
    for (size_t c = 0; c < bench->build_nr && !result; c++)
        result = keep_clean(bench, program[c], err);
    free(rounds);
    return result;
}

/* ---- a run ---- */

static enum plan_verdict verdict_of(const struct spawn_outcome *outcome,
                                    const struct verify_lines *lines)
{
    const char *output = buf_str(&outcome->err);

    if (outcome->end == SPAWN_TIMED_OUT)
        return PLAN_TIMEOUT;
    if (strstr(output, "Sanitizer") || strstr(output, "runtime error"))
        return PLAN_SANITIZER;
    if (lines->differ || lines->outside)
        return PLAN_WRONG;
    return outcome->end == SPAWN_EXITED && outcome->code == 0 && lines->is_done
               ? PLAN_GOOD
               : PLAN_CRASH;
}

static char *detail_of(const struct plan_bench *bench,
                       const struct spawn_outcome *outcome,
                       const struct verify_lines *lines)
{
    struct buf text = {0};
    const char *output = buf_str(&outcome->err), *at = strstr(output, "runtime error");

    if (lines->case_nr && lines->case_nr <= bench->item_nr)
        buf_addf(&text, "%s: ", bench->item[lines->case_nr - 1].text);
    if (lines->differ)
        buf_addf(&text, "%s[%s] is %s instead of %s; ", lines->differ, lines->index,
                 lines->got, lines->want);
    if (lines->outside)
        buf_addf(&text, "writes outside %s; ", lines->outside);
    if (lines->fault)
        buf_addf(&text, "it %s; ", lines->fault);
    at = at ? at : strstr(output, "ERROR: ");
    at = at ? at : output;
    buf_add_n(&text, at, strcspn(at, "\n"));
    return buf_detach(&text);
}

int plan_case_run_all(struct plan_bench *bench, const char *program, size_t variant,
                      size_t compiler, struct error *err)
{
    struct plan_try *try = &bench->try[variant];
    struct spawn_outcome outcome;
    struct verify_lines lines;
    struct strvec args = {0};

    all_args(bench, &args);
    int result = run(bench, program, variant, NULL, &args, &outcome, &lines, err);
    strvec_release(&args);
    if (result)
        return -1;
    enum plan_verdict verdict = verdict_of(&outcome, &lines);
    if (verdict < try->verdict[compiler]) {
        try->verdict[compiler] = verdict;
        free(try->detail[compiler]);
        try->detail[compiler] = detail_of(bench, &outcome, &lines);
    }
    spawn_outcome_release(&outcome);
    verify_lines_release(&lines);
    return 0;
}

int plan_case_report(const struct plan_bench *bench, const char *program, char **report,
                     struct error *err)
{
    struct spawn_outcome outcome;
    struct verify_lines lines;
    struct strvec args = {0};
    char *path = xasprintf("%s/out.report", bench->dir);

    *report = NULL;
    all_args(bench, &args);
    int result = run(bench, program, 0, NULL, &args, &outcome, &lines, err);
    if (result == 0) {
        if (!lines.has_sanitizer)
            result =
                fail(err, STATUS_FAILED, "the thread sanitizer does not run here: %s",
                     buf_str(&outcome.err));
        else if (lines.has_reference) /* else it is about the untransformed kernel */
            *report = sanitizer_report(path);
        if (!*report && lines.differ)
            *report = detail_of(bench, &outcome, &lines);
        spawn_outcome_release(&outcome);
        verify_lines_release(&lines);
    }
    strvec_release(&args);
    free(path);
    return result;
}
