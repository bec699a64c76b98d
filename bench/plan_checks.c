/*
 * Does the check that a search makes catch variants that compute something else? For
 * bench/checks.
 *
 *     checks FILE.c [--seed S] [--count N] [--plan P] [--flags F] [--reassociate]
 *
 * Of FILE.c `count` plans are drawn that the legality check refuses, and emitted all the
 * same. Where its text has `WRONG`, its variants are instead the file itself with WRONG
 * defined as 1, 2 and so on, up to the number behind "wrong:" in its first lines. Each is
 * compared with the kernel as written at hundreds of sizes and with several contents, and
 * if it differs anywhere it is wrong; then it is checked by the live runner, as in a
 * search. What became of each is printed as one line of JSON.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/plan_try.h"
#include "core/base.h"
#include "core/files/json.h"
#include "core/process/spawn.h"
#include "search/live/live_parts.h"
#include "variants/plan/plan.h"
#include "variants/verify/verify_lines.h"

/* The full size: a call is so much work at most, and the arrays are so large. */
static const double full_iterations = 2e6, full_bytes = 16 << 20;
/* All sizes together, and one of them. */
static const double all_iterations = 4e7, one_iterations = 2e6, case_bytes = 8 << 20;
enum { ALIKE = 140, UNLIKE = 400, CONTENTS = 3, DRAWS_PER_PLAN = 12, BAD_MAX = 100 };
static const double run_limit_s = 20;

struct job {
    struct kernel_request request;
    const char *path, *plan;
    unsigned long long seed;
    size_t count;
    long long wrong_nr; /* of the file; 0 = plans are drawn */
};

struct checks {
    const struct job *job;
    struct kernel *kernel;
    struct live *live;
    struct toolchain toolchain;
    struct machine machine;
    char *dir;
    struct sizes {
        struct strvec args;
        char *text;
    } * item; /* sizes at which the kernel as written ends well */
    size_t item_nr, item_alloc;
    double left; /* iterations that may still be added */
    uint64_t random;
    json_t *results;
};

static uint64_t draw(struct checks *checks, uint64_t below)
{
    checks->random = checks->random * 6364136223846793005u + 1442695040888963407u;
    return (checks->random >> 33) % below;
}

/* ---- all sizes ---- */

static char *text_of(const struct kernel *kernel)
{
    struct buf text = {0};

    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (kernel->scalar[i].is_integer)
            buf_addf(&text, "%s%s=%lld", text.length ? " " : "",
                     kernel->scalar[i].symbol->name, kernel->scalar[i].integer);
    return buf_detach(&text);
}

static void case_release(struct sizes *item)
{
    strvec_release(&item->args);
    free(item->text);
}

/* The kernel's present sizes, unless they are known, too much work, or none. */
static void add_case(struct checks *checks)
{
    struct kernel *kernel = checks->kernel;
    struct sizes new = {0};

    if (kernel_bind(kernel, NULL) || kernel_bytes(kernel) > case_bytes)
        return;
    struct quantity iterations = kernel_counts(kernel).iterations;
    double cost = fmax(iterations.known ? iterations.value : 0,
                       kernel_bytes(kernel) / sizeof(double));
    if (cost > one_iterations || cost > checks->left)
        return;
    new.text = text_of(kernel);
    for (size_t i = 0; i < checks->item_nr; i++)
        if (!strcmp(checks->item[i].text, new.text)) {
            case_release(&new);
            return;
        }
    checks->left -= cost;
    variant_args(kernel, &new.args);
    GROW(checks->item, checks->item_nr + 1, checks->item_alloc);
    checks->item[checks->item_nr++] = new;
}

static void set_size(struct checks *checks, const struct kernel_scalar *full, size_t i,
                     long long value)
{
    if (full[i].is_size)
        kernel_override(checks->kernel, i,
                        value < full[i].integer ? value : full[i].integer);
}

/* Small ones mostly, then on a scale of logarithms up to the full one. */
static long long any_size(struct checks *checks, long long full)
{
    switch (draw(checks, 4)) {
    case 0:
        return (long long)draw(checks, 9);
    case 1:
        return (long long)draw(checks, 40);
    case 2:
        return (long long)draw(checks, 140);
    default:
        return (long long)exp(log((double)full + 1) * (double)draw(checks, 1001) / 1000);
    }
}

static void make_cases(struct checks *checks)
{
    struct kernel *kernel = checks->kernel;
    struct kernel_scalar *full = xcalloc(kernel->scalar_nr + 1, sizeof(*full));

    checks->left = all_iterations;
    for (size_t i = 0; i < kernel->scalar_nr; i++)
        full[i] = kernel->scalar[i];
    for (long long value = 0; value < ALIKE; value++) {
        for (size_t i = 0; i < kernel->scalar_nr; i++)
            set_size(checks, full, i, value);
        add_case(checks);
    }
    for (size_t turn = 0; turn < UNLIKE; turn++) {
        for (size_t i = 0; i < kernel->scalar_nr; i++)
            set_size(checks, full, i, any_size(checks, full[i].integer));
        add_case(checks);
    }
    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (full[i].is_size)
            kernel_override(kernel, i, full[i].integer);
    checks->left += one_iterations;
    add_case(checks);
    free(full);
}

/* ---- what is true ---- */

static int run(struct checks *checks, const char *program, const char *mode, int seed,
               struct spawn_outcome *outcome, struct verify_lines *lines,
               struct error *err)
{
    char *out = xasprintf("%s/out", checks->dir);
    struct strvec argv = {0};
    static const char *const env[] = {"OMP_NUM_THREADS=4", "OMP_WAIT_POLICY=passive",
                                      NULL};

    strvec_push(&argv, program);
    strvec_split(&argv, "--full-precision --relative-double 1e-9 --relative-float 1e-4");
    if (mode)
        strvec_push(&argv, mode);
    strvec_pushf(&argv, "--seed");
    strvec_pushf(&argv, "%d", seed);
    strvec_push(&argv, "--out");
    strvec_push(&argv, out);
    for (size_t i = 0; i < checks->item_nr; i++) {
        if (i)
            strvec_push(&argv, "--next");
        strvec_push_all(&argv, &checks->item[i].args);
    }
    unlink(out);
    int status = spawn_run(&(struct spawn_request){.argv = (const char *const *)argv.v,
                                                   .env_extra = env,
                                                   .timeout_s = run_limit_s},
                           outcome, err);
    *lines = (struct verify_lines){0};
    if (status == 0)
        verify_lines_read(out, lines);
    strvec_release(&argv);
    free(out);
    return status;
}

/* Leaves out the sizes at which the kernel as written does not end well. */
static int keep_clean(struct checks *checks, const char *program, struct error *err)
{
    size_t bad_nr = 0;

    for (int seed = 1; seed <= CONTENTS;) {
        struct spawn_outcome outcome;
        struct verify_lines lines;

        if (run(checks, program, "--reference-only", seed, &outcome, &lines, err))
            return -1;
        bool done = lines.is_done, hangs = outcome.end == SPAWN_TIMED_OUT;
        size_t bad = lines.case_nr ? lines.case_nr - 1 : 0;
        spawn_outcome_release(&outcome);
        verify_lines_release(&lines);
        seed += done;
        if (done)
            continue;
        if (!checks->item_nr || hangs || ++bad_nr > BAD_MAX)
            return fail(err, STATUS_INPUT, "'%s' ends well at too few sizes",
                        kernel_name(checks->kernel));
        case_release(&checks->item[bad]);
        memmove(&checks->item[bad], &checks->item[bad + 1],
                (--checks->item_nr - bad) * sizeof(checks->item[0]));
    }
    return 0;
}

/* *how: where it differs, NULL = nowhere. Caller frees. */
static int find_truth(struct checks *checks, const char *program, char **how,
                      struct error *err)
{
    *how = NULL;
    for (int seed = 1; seed <= CONTENTS && !*how; seed++) {
        struct spawn_outcome outcome;
        struct verify_lines lines;

        if (run(checks, program, NULL, seed, &outcome, &lines, err))
            return -1;
        const char *at = lines.case_nr && lines.case_nr <= checks->item_nr
                             ? checks->item[lines.case_nr - 1].text
                             : "once";
        if (lines.differ || lines.outside)
            *how = xasprintf("%s[%s] is %s instead of %s at %s (contents %d)",
                             lines.outside ? lines.outside : lines.differ,
                             lines.index ? lines.index : "outside",
                             lines.got ? lines.got : "-", lines.want ? lines.want : "-",
                             at, seed);
        else if (!lines.is_done && lines.has_reference && outcome.end != SPAWN_TIMED_OUT)
            *how = xasprintf("%s at %s (contents %d)", spawn_end_word(outcome.end), at,
                             seed);
        spawn_outcome_release(&outcome);
        verify_lines_release(&lines);
    }
    return 0;
}

/* ---- the check ---- */

/* As the runner does in a search: small sizes for what leads, the full one before a gain
 * is told. */
static int check_one(struct checks *checks, const char *name, struct built *built,
                     struct error *err)
{
    char *how = NULL;
    const char *caught = NULL;
    double began_s, small_s, full_s = 0;

    if (live_build(checks->live, built, VARIANT_VERIFY, err))
        return -1;
    if (built->refused != RUN_OUTCOME_OK) {
        json_array_append_new(checks->results,
                              json_pack("{s:s, s:s, s:s}", "plan", name, "verdict",
                                        "not built", "detail", built->why));
        return 0;
    }
    if (find_truth(checks, built->program[VARIANT_VERIFY], &how, err))
        return -1;
    began_s = clock_s();
    if (live_check(checks->live, built, true, err))
        return -1;
    small_s = clock_s() - began_s;
    if (built->refused != RUN_OUTCOME_OK) {
        caught = "small sizes";
    } else {
        began_s = clock_s();
        checks->live->opts.unsanitized =
            !how; /* of what is right it would find nothing */
        if (live_check(checks->live, built, false, err))
            return -1;
        full_s = clock_s() - began_s;
        caught = built->refused == RUN_OUTCOME_OK  ? NULL
                 : strstr(built->why, "sanitizer") ? "a sanitizer"
                                                   : "full size";
    }
    json_array_append_new(checks->results,
                          json_pack("{s:s, s:s, s:s?, s:s?, s:s?, s:f, s:f}", "plan",
                                    name, "verdict", how || caught ? "wrong" : "right",
                                    "caught", caught, "differs", how, "detail",
                                    built->why, "small_s", small_s, "full_s", full_s));
    free(how);
    return 0;
}

static int check_plan(struct checks *checks, const char *text, struct error *err)
{
    struct candidate candidate = {.plan = (char *)text};
    struct built *built = NULL;

    return live_built_get(checks->live, &candidate, &built, err) ||
                   check_one(checks, text, built, err)
               ? -1
               : 0;
}

/* Illegal, and something that can be emitted. */
static bool is_forced(struct checks *checks, const char *text)
{
    struct plan *plan = NULL;
    struct buf source = {0};
    struct error err = {0};
    bool forced = false;

    if (!plan_parse(text, &plan, NULL))
        forced = kernel_check(checks->kernel, plan, NULL, &err) != 0 &&
                 err.status == STATUS_ILLEGAL &&
                 kernel_emit(checks->kernel, plan, NULL, &source, NULL) == 0;
    plan_free(plan);
    buf_release(&source);
    return forced;
}

static int check_drawn(struct checks *checks, struct error *err)
{
    struct plan_random random = plan_random_begin(checks->kernel, checks->job->seed);
    struct strvec tried = {0};
    int status = 0;

    for (size_t n = 0; !status && tried.nr < checks->job->count &&
                       n < DRAWS_PER_PLAN * checks->job->count;
         n++) {
        char *text = plan_random_next(&random);

        if (!strvec_has(&tried, text) && is_forced(checks, text)) {
            fprintf(stderr, "%s\n", text);
            strvec_push(&tried, text);
            status = check_plan(checks, text, err);
        }
        free(text);
    }
    strvec_release(&tried);
    return status;
}

/* The file as it is with WRONG as that: its constants tell the check which sizes matter.
 */
static int write_variant(const char *from, long long wrong, const char *to,
                         struct error *err)
{
    enum { NESTED = 16 };
    bool on[NESTED] = {true}, done[NESTED] = {true};
    size_t depth = 0;
    struct buf text = {0}, out = {0};
    int status = file_read(from, &text, err);

    for (const char *at = buf_str(&text), *end; *at; at = end) {
        long long asked = 0;

        end = at + strcspn(at, "\n");
        end += *end == '\n';
        if (sscanf(at, "#if WRONG == %lld", &asked) == 1 ||
            !strncmp(at, "#ifndef WRONG", strlen("#ifndef WRONG"))) {
            done[++depth] = asked == wrong;
            on[depth] = on[depth - 1] && done[depth];
        } else if (depth && sscanf(at, "#elif WRONG == %lld", &asked) == 1) {
            on[depth] = on[depth - 1] && !done[depth] && asked == wrong;
            done[depth] |= asked == wrong;
        } else if (depth && !strncmp(at, "#else", strlen("#else"))) {
            on[depth] = on[depth - 1] && !done[depth];
        } else if (depth && !strncmp(at, "#endif", strlen("#endif"))) {
            depth--;
        } else if (on[depth]) {
            buf_add_n(&out, at, (size_t)(end - at));
        }
    }
    if (status == 0)
        status = file_write(to, buf_str(&out), out.length, err);
    buf_release(&text);
    buf_release(&out);
    return status;
}

static int check_written(struct checks *checks, struct error *err)
{
    int status = 0;

    for (long long i = 1; i <= checks->job->wrong_nr && !status; i++) {
        char *name = xasprintf("wrong %lld", i),
             *path = xasprintf("%s/wrong-%lld.c", checks->dir, i);
        struct built *built = NULL;

        fprintf(stderr, "%s\n", name);
        status = write_variant(checks->job->path, i, path, err) ||
                         live_built_file(checks->live, path, NULL,
                                         &(struct environment){0}, &built, err) ||
                         check_one(checks, name, built, err)
                     ? -1
                     : 0;
        free(name);
        free(path);
    }
    return status;
}

/* ---- a kernel ---- */

static int build_original(struct checks *checks, char **program, struct error *err)
{
    struct plan *plan = NULL;
    int status = plan_parse("", &plan, err) ||
                         variant_build(checks->kernel, plan, &checks->toolchain,
                                       VARIANT_VERIFY, checks->dir, program, err)
                     ? -1
                     : 0;
    plan_free(plan);
    return status;
}

/* Where the file says no sizes, they are this. */
static int bind(struct kernel *kernel, struct error *err)
{
    enum { SIZE = 100 };

    if (kernel_bind(kernel, NULL) == 0)
        return 0;
    for (size_t i = 0; i < kernel->scalar_nr; i++)
        if (kernel->scalar[i].is_integer && !kernel->scalar[i].word)
            kernel_override(kernel, i, SIZE);
    return kernel_bind(kernel, err);
}

/* At the sizes that are the full ones here. */
static int work(struct kernel *kernel, void *data, struct error *err)
{
    struct checks *checks = data;
    struct live_opts opts = {.kernel = kernel,
                             .machine = &checks->machine,
                             .toolchain = &checks->toolchain,
                             .copies = 1,
                             .scratch = checks->dir,
                             .unsanitized = true};
    char *program = NULL;

    make_cases(checks);
    if (live_new(&opts, &checks->live, err) || build_original(checks, &program, err) ||
        keep_clean(checks, program, err))
        return -1;
    free(program);
    return checks->job->plan       ? check_plan(checks, checks->job->plan, err)
           : checks->job->wrong_nr ? check_written(checks, err)
                                   : check_drawn(checks, err);
}

static int does_it_fit(struct kernel *kernel, void *data, struct error *err)
{
    struct quantity iterations = kernel_counts(kernel).iterations;

    (void)err;
    *(bool *)data = (!iterations.known || iterations.value <= full_iterations) &&
                    kernel_bytes(kernel) <= full_bytes;
    return 0;
}

static long long full_size(struct kernel *kernel)
{
    long long size = kernel_largest(kernel);
    bool fits = false;

    while (size > 16 && !kernel_at_size(kernel, size, does_it_fit, &fits, NULL) && !fits)
        size /= 2;
    return size;
}

static int check_kernel(struct checks *checks, struct error *err)
{
    struct kernel_request request = checks->job->request;
    int status = scratch_make(&checks->dir, err);
    char *path = status ? NULL : path_join(checks->dir, path_base(checks->job->path));

    if (path && checks->job->wrong_nr) {
        request.path = path;
        status = write_variant(checks->job->path, 0, path, err);
    }
    status = status || kernel_open(&request, &checks->kernel, err) ? -1 : 0;
    free(path);
    if (status || bind(checks->kernel, err) ||
        toolchain_find("gcc", NULL, &checks->toolchain, err))
        return -1;
    long long size = full_size(checks->kernel);
    return size > 0 ? kernel_at_size(checks->kernel, size, work, checks, err)
                    : work(checks->kernel, checks, err);
}

static long long wrong_nr(const char *path)
{
    struct buf text = {0};
    const char *at = NULL;
    long long nr = 0;

    if (file_read(path, &text, NULL) == 0)
        at = strstr(buf_str(&text), "wrong: ");
    if (at)
        nr = strtoll(at + strlen("wrong: "), NULL, 10);
    buf_release(&text);
    return nr;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"seed", required_argument, NULL, 's'},  {"count", required_argument, NULL, 'c'},
        {"plan", required_argument, NULL, 'p'},  {"flags", required_argument, NULL, 'f'},
        {"reassociate", no_argument, NULL, 'r'}, {0}};
    struct job job = {.seed = 1, .count = 10, .request.force = true};
    struct checks checks = {.job = &job, .random = 20261128, .results = json_array()};
    struct error err = {0};

    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == '?')
            return 2;
        job.seed = c == 's' ? strtoull(optarg, NULL, 10) : job.seed;
        job.count = c == 'c' ? strtoull(optarg, NULL, 10) : job.count;
        job.plan = c == 'p' ? optarg : job.plan;
        job.request.reassociate |= c == 'r';
        if (c == 'f')
            strvec_split(&job.request.cflags, optarg);
    }
    if (optind + 1 != argc) {
        fputs("usage: checks FILE.c [--seed S] [--count N] [--plan P] [--flags F] "
              "[--reassociate]\n",
              stderr);
        return 2;
    }
    job.request.path = job.path = argv[optind];
    job.wrong_nr = wrong_nr(job.path);
    int status = check_kernel(&checks, &err);
    if (status)
        fprintf(stderr, "checks: %s\n", err.text);
    json_dumpf(checks.results, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(checks.results);
    live_free(checks.live);
    for (size_t i = 0; i < checks.item_nr; i++)
        case_release(&checks.item[i]);
    free(checks.item);
    toolchain_release(&checks.toolchain);
    kernel_free(checks.kernel);
    scratch_remove(checks.dir);
    strvec_release(&job.request.cflags);
    return status ? 1 : 0;
}
