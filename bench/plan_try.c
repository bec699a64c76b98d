#include "bench/plan_try.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "variants/build/compile.h"
#include "variants/build/harness.h"
#include "variants/plan/plan.h"

const struct plan_build plan_builds[PLAN_BUILDS] = {
    {"gcc", "gcc"}, {"clang", "clang-19"}, {"gcc -O3", "gcc"}, {"clang -O3", "clang-19"}};

/* Rows of no elements are what C forbids and callers have: a plan must bear them. */
static const char strict_flags[] =
    "-O1 -march=native -ffp-contract=off -fsanitize=address,undefined "
    "-fno-sanitize=vla-bound "
    "-fno-sanitize-recover=all -Wall -Wextra -Wno-unknown-pragmas"; /* ours */
static const char plain_flags[] = "-O1 -w -fsanitize=address,undefined";
static const double compile_limit_s = 120;

const char *plan_verdict_word(enum plan_verdict verdict)
{
    static const char *const words[] = {
        "no compile", "sanitizer", "race",        "crash",   "timeout", "wrong",
        "warning",    "announced", "miscompiled", "refused", "good"};

    return words[verdict];
}

enum plan_verdict plan_try_worst(const struct plan_try *try)
{
    enum plan_verdict worst = PLAN_GOOD;

    for (size_t c = 0; c < PLAN_BUILDS; c++)
        if (try->verdict[c] < worst)
            worst = try->verdict[c];
    return worst;
}

/* ---- compiling ---- */

/* Runs argv; `said` gets what the compiler printed. True when it ended well. */
bool plan_run_compiler(const struct strvec *argv, struct buf *output, struct error *err)
{
    static const char *const env[] = {"LC_ALL=C", NULL};
    struct spawn_outcome outcome;
    bool ok;

    if (spawn_run(&(struct spawn_request){.argv = (const char *const *)argv->v,
                                          .env_extra = env,
                                          .timeout_s = compile_limit_s},
                  &outcome, err))
        return false;
    ok = outcome.end == SPAWN_EXITED && outcome.code == 0;
    buf_add(output, buf_str(&outcome.err));
    if (!ok)
        fail(err, STATUS_FAILED, "%s%s: %s", argv->v[0],
             outcome.end == SPAWN_TIMED_OUT ? " (took too long)" : "",
             buf_str(&outcome.err));
    spawn_outcome_release(&outcome);
    return ok;
}

/* Compiles `text` as STEM.c in the bench's folder. Caller frees *object. */
bool plan_compile(const struct plan_bench *bench, size_t compiler, const char *stem,
                  const char *text, const char *flags, char **object, struct buf *output,
                  struct error *err)
{
    char *source = xasprintf("%s/%s.c", bench->dir, stem), *templates = NULL;
    struct strvec argv = {0};
    bool ok = file_write(source, text, strlen(text), err) == 0 &&
              shipped_path("templates/harness", &templates, err) == 0;

    *object = xasprintf("%s/%s-%zu.o", bench->dir, stem, compiler);
    strvec_push(&argv, plan_builds[compiler].compiler);
    strvec_push_all(&argv, &bench->kernel->cflags);
    if (bench->own && bench->own->other)
        strvec_split(&argv, bench->own->other);
    strvec_push(&argv, bench->own || strstr(text, "pragma omp parallel")
                           ? "-fopenmp"
                           : "-fopenmp-simd");
    strvec_split(&argv, flags); /* the last word on the language is ours */
    strvec_push(&argv, "-I");
    strvec_push(&argv, templates ? templates : ".");
    strvec_split(&argv, "-c -o");
    strvec_push(&argv, *object);
    strvec_push(&argv, source);
    ok = ok && plan_run_compiler(&argv, output, err);
    strvec_release(&argv);
    free(source);
    free(templates);
    return ok;
}

/* The first warning about the code itself, not about how it is called. */
static char *first_warning(const char *output)
{
    for (const char *at = output; (at = strstr(at, "warning:")); at++) {
        const char *line = at, *end = at + strcspn(at, "\n");

        while (line > output && line[-1] != '\n')
            line--;
        char *text = xstrndup(line, (size_t)(end - line));
        if (!strstr(text, "avx10") && !strstr(text, "the calling functions"))
            return text;
        free(text);
    }
    return NULL;
}

static int add_base(struct plan_bench *bench, size_t compiler, const char *stem,
                    const char *text, const char *flags, struct error *err)
{
    struct buf output = {0};
    char *object;
    bool ok = plan_compile(bench, compiler, stem, text, flags, &object, &output, err);

    char *warning = ok && strstr(flags, "-Wall") ? first_warning(buf_str(&output)) : NULL;
    if (ok)
        strvec_push(&bench->base[compiler], object);
    if (warning && !strstr(warning, "pass-failed"))
        ok = !fail(err, STATUS_FAILED, "the untransformed kernel has a warning: %s",
                   warning);
    free(warning);
    buf_release(&output);
    free(object);
    return ok ? 0 : -1;
}

/* The verifying program, the same for all kernels: kept beside the bench's results. What
 * the templates say is in its text, so that another version is compiled anew. */
static int add_harness(struct plan_bench *bench, size_t compiler, const char *shared,
                       struct error *err)
{
    struct toolchain toolchain = {.compiler = (char *)plan_builds[compiler].compiler,
                                  .version = (char *)"",
                                  .is_clang = compiler == 1};
    char *hash = NULL, *templates = NULL, *object = NULL, *text = NULL;
    struct strvec flags = {0};

    strvec_split(&flags, plain_flags);
    int result = shared ? dir_make_all(shared, err) : 0;
    result = result ? result : shipped_path("templates/harness", &templates, err);
    hash = hash_folder(templates ? templates : ".", "ch");
    text = xasprintf("/* %s */\n#include \"program_verify.c\"\n", hash);
    strvec_push(&flags, "-I");
    strvec_push(&flags, templates ? templates : ".");
    if (result == 0)
        result = compile_object(
            &(struct compile_request){.toolchain = &toolchain,
                                      .dir = shared ? shared : bench->dir,
                                      .stem = plan_builds[compiler].compiler,
                                      .text = text,
                                      .what = "the harness",
                                      .flags = &flags},
            &object, err);
    if (result == 0)
        strvec_push(&bench->base[compiler], object);
    strvec_release(&flags);
    free(object);
    free(templates);
    free(text);
    free(hash);
    return result;
}

static int add_bases(struct plan_bench *bench, const char *shared, struct error *err)
{
    const struct ir_function *function = bench->kernel->function;
    struct buf table = {0}, reference = {0};
    int result = 0;

    harness_table(bench->kernel, &table);
    harness_unit(bench->kernel, function->source, function->path, HARNESS_REFERENCE,
                 &reference);
    for (size_t c = 0; c < bench->build_nr && !result; c++)
        if (add_harness(bench, c, shared, err) ||
            add_base(bench, c, "table", buf_str(&table), plain_flags, err) ||
            add_base(bench, c, "reference", buf_str(&reference), strict_flags, err))
            result = -1;
    buf_release(&table);
    buf_release(&reference);
    return result;
}

/* ---- linking ---- */

/* One function of the harness that answers for the variant chosen when the program runs;
 * `none`: what it does where there is none. */
static void dispatch(const struct plan_bench *bench, size_t compiler, const char *head,
                     const char *call, const char *arguments, const char *none,
                     struct buf *out)
{
    buf_addf(out, "%s\n    switch (NUMBER) {\n", head);
    for (size_t i = 0; i < bench->try_nr; i++)
        if (bench->try[i].verdict[compiler] != PLAN_NO_COMPILE)
            buf_addf(out, "    case %zu: %s_%zu(%s); break;\n", i, call, i, arguments);
    buf_addf(out, "    default: %s;\n    }\n    return%s;\n}\n", none,
             strstr(call, "result") ? " result" : "");
}

/* The functions of one variant that the verifying program calls. */
static void dispatcher(const struct plan_bench *bench, size_t compiler, struct buf *out)
{
    buf_add(out,
            "#include <stdlib.h>\n"
            "#define NUMBER atoi(getenv(\"INFLIGHT_VARIANT\"))\n"
            "#define ARGUMENTS void *const *array, const long long *integer, "
            "const double *real, void *out\n"
            "const char inflight_variant_sizes[] = \"\";\n"
            "void *inflight_reference_global(int), *inflight_reference_output(int);\n"
            "void inflight_variant_empty_call(ARGUMENTS)\n"
            "{\n    (void)array; (void)integer; (void)real; (void)out;\n}\n");
    for (size_t i = 0; i < bench->try_nr; i++)
        if (bench->try[i].verdict[compiler] != PLAN_NO_COMPILE)
            buf_addf(out,
                     "void inflight_call_%zu(ARGUMENTS);\n"
                     "void *inflight_global_%zu(int), *inflight_output_%zu(int);\n",
                     i, i, i);
    dispatch(bench, compiler, "void inflight_variant_call(ARGUMENTS)\n{", "inflight_call",
             "array, integer, real, out", "abort()", out);
    dispatch(
        bench, compiler, "void *inflight_variant_global(int i)\n{\n    void *result = 0;",
        "result = inflight_global", "i", "result = inflight_reference_global(i)", out);
    dispatch(
        bench, compiler, "void *inflight_variant_output(int i)\n{\n    void *result = 0;",
        "result = inflight_output", "i", "result = inflight_reference_output(i)", out);
}

int plan_link(const struct plan_bench *bench, size_t build, const char *dispatcher,
              const char *flags, char **program, struct error *err)
{
    struct strvec argv = {0};
    struct buf output = {0};
    char *object;

    *program = xasprintf("%s/all-%zu", bench->dir, build);
    bool ok = plan_compile(bench, build, "dispatcher", dispatcher, flags, &object,
                           &output, err);
    strvec_push(&argv, plan_builds[build].compiler);
    if (build < PLAN_SANITIZED)
        strvec_push(&argv, "-fsanitize=address,undefined");
    strvec_push(&argv, "-fopenmp");
    strvec_push_all(&argv, &bench->base[build]);
    strvec_push_all(&argv, &bench->objects[build]);
    strvec_push(&argv, object);
    strvec_push(&argv, "-o");
    strvec_push(&argv, *program);
    strvec_push(&argv, "-lm");
    ok = ok && plan_run_compiler(&argv, &output, err);
    strvec_release(&argv);
    buf_release(&output);
    free(object);
    return ok ? 0 : -1;
}

static int link_all(const struct plan_bench *bench, size_t compiler, char **program,
                    struct error *err)
{
    struct buf text = {0};

    dispatcher(bench, compiler, &text);
    int result = plan_link(bench, compiler, buf_str(&text), plain_flags, program, err);
    buf_release(&text);
    return result;
}

/* ---- opening ---- */

int plan_bench_open(struct plan_bench *bench, const char *path, const char *shared,
                    struct error *err)
{
    struct kernel_request request = {.path = path};
    char *program[PLAN_SANITIZED] = {NULL};
    int result = -1;

    *bench = (struct plan_bench){.build_nr = PLAN_SANITIZED};
    if (kernel_open(&request, &bench->kernel, err) == 0 &&
        scratch_make(&bench->dir, err) == 0)
        result = add_bases(bench, shared, err);
    for (size_t c = 0; c < bench->build_nr && result == 0; c++)
        result = link_all(bench, c, &program[c], err);
    if (result == 0)
        result = plan_cases_make(bench, program, err);
    for (size_t c = 0; c < bench->build_nr; c++)
        free(program[c]);
    if (result)
        plan_bench_release(bench);
    return result;
}

void plan_bench_release(struct plan_bench *bench)
{
    for (size_t i = 0; i < bench->item_nr; i++) {
        strvec_release(&bench->item[i].args);
        free(bench->item[i].text);
        free(bench->item[i].want);
    }
    for (size_t i = 0; i < bench->try_nr; i++) {
        for (size_t c = 0; c < PLAN_BUILDS; c++)
            free(bench->try[i].detail[c]);
        free(bench->try[i].plan);
        free(bench->try[i].rests);
    }
    for (size_t c = 0; c < PLAN_BUILDS; c++) {
        strvec_release(&bench->base[c]);
        strvec_release(&bench->objects[c]);
    }
    if (bench->dir)
        scratch_remove(bench->dir);
    free(bench->try);
    free(bench->item);
    kernel_free(bench->kernel);
    *bench = (struct plan_bench){0};
}

/* ---- one plan ---- */

/* What sanitizers put in may keep a loop from becoming vectors; clang's warning about
 * that counts when it comes without them too. */
static void warn(struct plan_bench *bench, size_t compiler, const char *text,
                 const char *output, char **warning)
{
    struct buf again = {0};
    char *object = NULL;

    *warning = first_warning(output);
    if (!*warning || !strstr(*warning, "pass-failed"))
        return;
    free(*warning);
    *warning = NULL;
    if (plan_compile(bench, compiler, "again", text,
                     "-O3 -march=native -Wall -Wextra -Wno-unknown-pragmas", &object,
                     &again, NULL))
        *warning = first_warning(buf_str(&again));
    buf_release(&again);
    free(object);
}

static void compile_variant(struct plan_bench *bench, size_t number, const char *source)
{
    struct plan_try *try = &bench->try[number];
    struct buf text = {0};

    buf_addf(&text,
             "#define inflight_variant_kernel kernel_%zu\n"
             "#define inflight_variant_call inflight_call_%zu\n"
             "#define inflight_variant_empty_call inflight_empty_%zu\n"
             "#define inflight_variant_global inflight_global_%zu\n"
             "#define inflight_variant_output inflight_output_%zu\n"
             "#define inflight_variant_sizes inflight_sizes_%zu\n"
             "#define inflight_variant_ran inflight_ran_%zu\n",
             number, number, number, number, number, number, number);
    harness_unit(bench->kernel, source, bench->kernel->function->path, HARNESS_VARIANT,
                 &text);
    for (size_t c = 0; c < bench->build_nr; c++) {
        char *stem = xasprintf("v%zu", number), *object;
        struct buf output = {0};
        struct error err = {0};
        bool ok = plan_compile(bench, c, stem, buf_str(&text), strict_flags, &object,
                               &output, &err);

        if (ok)
            warn(bench, c, buf_str(&text), buf_str(&output), &try->detail[c]);
        else
            try->detail[c] = xstrdup(err.text);
        try->verdict[c] = !ok              ? PLAN_NO_COMPILE
                          : try->detail[c] ? PLAN_WARNING
                                           : PLAN_GOOD;
        if (ok)
            strvec_push(&bench->objects[c], object);
        buf_release(&output);
        free(object);
        free(stem);
    }
    buf_release(&text);
}

int plan_bench_add(struct plan_bench *bench, const char *text, struct error *err)
{
    struct plan_try try = {.verdict = {PLAN_GOOD, PLAN_GOOD, PLAN_GOOD, PLAN_GOOD}};
    struct plan *plan;
    struct buf source = {0}, rests = {0};

    if (plan_parse(text, &plan, err))
        return -1;
    int result = kernel_check(bench->kernel, plan, &rests, err) ||
                 (bench->own ? kernel_emit(bench->kernel, plan, NULL, &source, err)
                             : kernel_emit_marked(bench->kernel, plan, &source, err));
    plan_free(plan);
    if (result == 0) {
        try.plan = xstrdup(text);
        try.rests = xstrdup(buf_str(&rests));
        GROW(bench->try, bench->try_nr + 1, bench->try_alloc);
        bench->try[bench->try_nr++] = try;
        if (bench->own)
            plan_own_compile(bench, bench->try_nr - 1, buf_str(&source));
        else
            compile_variant(bench, bench->try_nr - 1, buf_str(&source));
    }
    buf_release(&source);
    buf_release(&rests);
    return result ? -1 : 0;
}

/* ---- running them ---- */

static const char race_flags[] = "-O1 -march=native -ffp-contract=off";

static int build_threads(struct plan_bench *bench, const struct plan *plan,
                         char **program, struct error *err)
{
    struct toolchain toolchain = {.compiler = (char *)plan_builds[0].compiler,
                                  .version = (char *)""};
    char *dir = xasprintf("%s/threads", bench->dir);

    strvec_split(&toolchain.flags, race_flags);
    int result = variant_build(bench->kernel, plan, &toolchain, VARIANT_THREADS, dir,
                               program, err);
    strvec_release(&toolchain.flags);
    free(dir);
    return result;
}

/* If it is parallel and was right so far: with a report of the sanitizer its verdict is
 * PLAN_RACE. What an unlucky order of threads would do does not show in a run or two;
 * that two threads touch the same element does. */
static int look_for_races(struct plan_bench *bench, size_t number, struct error *err)
{
    struct plan_try *try = &bench->try[number];
    struct plan *plan;
    char *program = NULL, *report = NULL;

    if (plan_try_worst(try) < PLAN_WARNING || !strstr(try->plan, "parallel("))
        return 0;
    if (plan_parse(try->plan, &plan, err))
        return -1;
    int result = build_threads(bench, plan, &program, err);
    if (result == 0)
        result = plan_case_report(bench, program, &report, err);
    if (report) {
        free(try->detail[0]);
        try->detail[0] = xstrdup(report);
        try->verdict[0] = strstr(report, "sanitizer") ? PLAN_RACE : PLAN_WRONG;
    }
    if (program)
        unlink(program);
    plan_free(plan);
    free(program);
    free(report);
    return result;
}

int plan_bench_run(struct plan_bench *bench, struct error *err)
{
    if (bench->own)
        return plan_own_run(bench, err);
    for (size_t c = 0; c < bench->build_nr; c++) {
        char *program;
        int result = link_all(bench, c, &program, err);

        for (size_t i = 0; !result && i < bench->try_nr; i++)
            if (bench->try[i].verdict[c] != PLAN_NO_COMPILE)
                result = plan_case_run_all(bench, program, i, c, err);
        free(program);
        if (result)
            return -1;
    }
    for (size_t i = 0; i < bench->try_nr; i++)
        if (look_for_races(bench, i, err))
            return -1;
    return 0;
}
