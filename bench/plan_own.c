#include "bench/plan_try.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"

#define STRICT                                                                           \
    "-O1 -march=native -fsanitize=address,undefined,float-cast-overflow "                \
    "-fno-sanitize=vla-bound -fno-sanitize-recover=all "
#define COMMON "-w -DTEST -ffp-contract=off -fno-builtin -I '" INFLIGHT_SOURCE_DIR "'"

/* gcc 12 leaves out the rounding to float between a store and the load behind it where it
 * makes vectors of statements next to each other; in an unrolled
 *
 *     a[0] = a[0] * 0.5 + b[0]; a[1] = a[1] * 0.5 + b[1];
 *     a[0] = a[0] * 0.5 + b[2]; a[1] = a[1] * 0.5 + b[3];
 *
 * of floats it rounds once. clang puts globals into groups of which a linker keeps one:
 * each variant has its own. */
static const char *const flags[PLAN_BUILDS] = {
    STRICT COMMON, STRICT COMMON " -fno-sanitize-address-globals-dead-stripping",
    "-O3 -march=native -fno-tree-slp-vectorize " COMMON, "-O3 -march=native " COMMON};
static const double original_limit_s = 5, variant_limit_s = 120;

/* ---- building ---- */

/* All but its main, which gets a name, stays within the object. What main does on its way
 * to the kernel is not what is checked. */
static bool compile_as(const struct plan_bench *bench, size_t build, const char *stem,
                       const char *text, const char *with, char **object,
                       struct error *err)
{
    char *named = xasprintf("#define main __attribute__((no_sanitize(\"undefined\"))) "
                            "main\n#line 1\n%s",
                            text),
         *name = xasprintf("main=main_%s", stem),
         *entry = xasprintf("--keep-global-symbol=main_%s", stem),
         *all = xasprintf("%s %s", flags[build], with);
    struct buf output = {0};
    struct strvec argv = {0};
    bool ok = plan_compile(bench, build, stem, named, all, object, &output, err);

    strvec_push(&argv, "objcopy");
    strvec_push(&argv, "--redefine-sym"); /* as main it need not return a value */
    strvec_push(&argv, name);
    strvec_push(&argv, entry);
    strvec_push(&argv, *object);
    ok = ok && plan_run_compiler(&argv, &output, err);
    strvec_release(&argv);
    buf_release(&output);
    free(named);
    free(name);
    free(entry);
    free(all);
    return ok;
}

/* Of those without sanitizers each variant is built in one, by turns. */
static bool is_wanted(size_t number, size_t build)
{
    return build < PLAN_SANITIZED || build % 2 == number % 2;
}

static bool is_built(const struct plan_bench *bench, size_t number, size_t build)
{
    return is_wanted(number, build) &&
           bench->try[number].verdict[build] != PLAN_NO_COMPILE &&
           bench->try[number].verdict[build] != PLAN_REFUSED;
}

static void dispatcher(const struct plan_bench *bench, size_t build, struct buf *out)
{
    buf_add(out, "#include <stdlib.h>\n#undef main\nint main_original(int, char **);\n");
    for (size_t i = 0; i < bench->try_nr; i++)
        buf_addf(out, "int main_v%zu(int, char **);\n", i);
    buf_add(out, "int main(int argc, char **argv)\n{\n"
                 "    switch (atoi(getenv(\"INFLIGHT_VARIANT\"))) {\n");
    for (size_t i = 0; i < bench->try_nr; i++)
        if (is_built(bench, i, build))
            buf_addf(out, "    case %zu: return main_v%zu(argc, argv);\n", i, i);
    buf_add(out, "    default: return main_original(argc, argv);\n    }\n}\n");
}

static int link_all(const struct plan_bench *bench, size_t build, char **program,
                    struct error *err)
{
    struct buf text = {0};

    dispatcher(bench, build, &text);
    int result = plan_link(bench, build, buf_str(&text), "-O0 -w", program, err);
    buf_release(&text);
    return result;
}

/* What the generator's kernels are called by, once for all. */
static int add_callers(struct plan_bench *bench, struct error *err)
{
    struct buf text = {0}, output = {0};
    char *object = NULL;

    if (!bench->own->is_generated)
        return 0;
    if (file_read(INFLIGHT_SOURCE_DIR "/bench/kernel_call.c", &text, err))
        return -1;
    bool ok = plan_compile(bench, 0, "callers", buf_str(&text), "-O1 -std=gnu17 " COMMON,
                           &object, &output, err);
    for (size_t b = 0; b < bench->build_nr; b++)
        strvec_push(&bench->base[b], object);
    buf_release(&text);
    buf_release(&output);
    free(object);
    return ok ? 0 : -1;
}

/* ---- running ---- */

static int run(const char *program, long variant, const struct strvec *args,
               double limit_s, struct spawn_outcome *outcome, struct error *err)
{
    char *number = xasprintf("INFLIGHT_VARIANT=%ld", variant);
    const char *const env[] = {
        number,     "OMP_NUM_THREADS=3",           "OMP_WAIT_POLICY=passive",
        "LC_ALL=C", "ASAN_OPTIONS=detect_leaks=0", NULL};
    struct strvec argv = {0};

    strvec_push(&argv, program);
    strvec_push_all(&argv, args);
    int result = spawn_run(&(struct spawn_request){.argv = (const char *const *)argv.v,
                                                   .env_extra = env,
                                                   .timeout_s = limit_s},
                           outcome, err);
    strvec_release(&argv);
    free(number);
    return result;
}

static bool is_clean(const struct spawn_outcome *outcome)
{
    return outcome->end == SPAWN_EXITED && outcome->code == 0 &&
           !strstr(buf_str(&outcome->err), "runtime error");
}

/* Of the original in one build: NULL = not clean. Caller frees. */
static char *output_of(const char *program, const struct plan_case *item)
{
    struct spawn_outcome outcome;
    char *text = NULL;

    if (run(program, -1, &item->args, original_limit_s, &outcome, NULL))
        return NULL;
    if (is_clean(&outcome))
        text = xstrdup(buf_str(&outcome.out));
    spawn_outcome_release(&outcome);
    return text;
}

/* Is the original clean in all builds from `first` on, and the same? */
static bool is_same(const struct plan_bench *bench, char *const *program, size_t first,
                    struct plan_case *item)
{
    bool same = true;

    free(item->want);
    item->want = NULL;
    item->first_build = first;
    for (size_t b = first; b < bench->build_nr && same; b++) {
        char *text = output_of(program[b], item);

        same = text && (!item->want || !strcmp(text, item->want));
        if (same && !item->want)
            item->want = xstrdup(text);
        free(text);
    }
    return same;
}

/* A file's own call with whose values the original is not defined is compared in the
 * builds without sanitizers only. */
static void keep_call(struct plan_bench *bench, char *const *program,
                      struct plan_case *item)
{
    if (is_same(bench, program, 0, item) ||
        (!bench->own->is_generated && is_same(bench, program, PLAN_SANITIZED, item))) {
        GROW(bench->item, bench->item_nr + 1, bench->item_alloc);
        bench->item[bench->item_nr++] = *item;
    } else {
        strvec_release(&item->args);
        free(item->text);
        free(item->want);
    }
}

/* What the original prints in the calls one after the other, as variants are run: what a
 * call leaves in static memory the next one finds. */
static int want_in_turn(struct plan_bench *bench, const char *program, struct error *err)
{
    struct spawn_outcome outcome;
    struct strvec args = {0};
    char *save = NULL;

    for (size_t i = 0; i < bench->item_nr; i++)
        strvec_push_all(&args, &bench->item[i].args);
    int result = run(program, -1, &args, variant_limit_s, &outcome, err);
    strvec_release(&args);
    if (result)
        return -1;
    char *line = strtok_r(outcome.out.data, "\n", &save);
    for (size_t i = 0; i < bench->item_nr && line; i++) {
        free(bench->item[i].want);
        bench->item[i].want = xasprintf("%s\n", line);
        line = strtok_r(NULL, "\n", &save);
    }
    spawn_outcome_release(&outcome);
    return 0;
}

static int find_calls(struct plan_bench *bench, char *const *program, struct error *err)
{
    struct spawn_outcome outcome;
    char *save = NULL;
    size_t nr = 0;

    if (!bench->own->is_generated) {
        for (int i = 0; i < 2; i++) { /* some mains take a choice */
            struct plan_case item = {.text = xstrdup(i ? "with 1" : "without arguments")};

            if (i)
                strvec_push(&item.args, "1");
            keep_call(bench, program, &item);
        }
    } else if (run(program[0], -1, &(struct strvec){0}, original_limit_s, &outcome,
                   err) == 0) {
        for (char *line = strtok_r(outcome.out.data, "\n", &save); line;
             line = strtok_r(NULL, "\n", &save)) {
            struct plan_case item = {.text = xstrdup(line)};

            strvec_pushf(&item.args, "%zu", nr++);
            keep_call(bench, program, &item);
        }
        spawn_outcome_release(&outcome);
        if (want_in_turn(bench, program[0], err))
            return -1;
    }
    return bench->item_nr
               ? 0
               : fail(err, STATUS_INPUT, "'%s' is clean in no call", bench->own->path);
}

int plan_own_open(struct plan_bench *bench, const struct plan_file *file,
                  struct error *err)
{
    struct kernel_request request = {.path = file->path,
                                     .reassociate = file->reassociate};
    char *program[PLAN_BUILDS] = {NULL}, *object;
    int result = -1;

    *bench = (struct plan_bench){.build_nr = PLAN_BUILDS, .own = file};
    strvec_split(&request.cflags, file->flags);
    if (kernel_open(&request, &bench->kernel, err) == 0 &&
        scratch_make(&bench->dir, err) == 0)
        result = add_callers(bench, err);
    for (size_t b = 0; b < bench->build_nr && result == 0; b++) {
        result = compile_as(bench, b, "original", bench->kernel->function->source, "",
                            &object, err)
                     ? 0
                     : -1;
        strvec_push(&bench->base[b], object);
        free(object);
        result = result ? result : link_all(bench, b, &program[b], err);
    }
    if (result == 0)
        result = find_calls(bench, program, err);
    for (size_t b = 0; b < bench->build_nr; b++)
        free(program[b]);
    strvec_release(&request.cflags);
    if (result)
        plan_bench_release(bench);
    return result;
}

void plan_own_compile(struct plan_bench *bench, size_t number, const char *source)
{
    struct plan_try *try = &bench->try[number];
    char *stem = xasprintf("v%zu", number);

    for (size_t b = 0; b < bench->build_nr; b++) {
        struct error err = {0};
        char *object;

        if (!is_wanted(number, b))
            continue;
        if (compile_as(bench, b, stem, source, "", &object, &err)) {
            strvec_push(&bench->objects[b], object);
        } else {
            bool refused = bench->own->other && strstr(err.text, "tuned where");
            try->verdict[b] = refused ? PLAN_REFUSED : PLAN_NO_COMPILE;
            try->detail[b] = refused ? NULL : xstrdup(err.text);
        }
        free(object);
    }
    free(stem);
}

/* ---- judging ---- */

/* What a call of the generator rests on, and how a plan announces that. */
static const struct {
    const char *kind, *announced[2];
} announcements[] = {{"wrap", {"wrap", "does not change"}},
                     {"global", {"stores to", "does not change"}},
                     {"overlap", {"stores to", "overlap"}}};

static bool is_announced(const struct plan_bench *bench, const struct plan_try *try,
                         const struct plan_case *item)
{
    if (!bench->own->is_generated)
        return try->rests && *try->rests;
    for (size_t i = 0; i < ARRAY_SIZE(announcements); i++)
        if (!strncmp(item->text, announcements[i].kind, strlen(announcements[i].kind)))
            return strstr(try->rests, announcements[i].announced[0]) ||
                   strstr(try->rests, announcements[i].announced[1]);
    return false;
}

/* `at`: what the variant printed in this call; is_last: it must end well too. */
static enum plan_verdict verdict_of(const struct spawn_outcome *outcome, const char *at,
                                    const char *want, bool is_last)
{
    const char *output = buf_str(&outcome->err);

    if (strncmp(at, want, strlen(want)) == 0 && (!is_last || is_clean(outcome)))
        return PLAN_GOOD;
    if (*at && strchr(at, '\n') && strncmp(at, want, strlen(want)) != 0)
        return PLAN_WRONG;
    if (outcome->end == SPAWN_TIMED_OUT)
        return PLAN_TIMEOUT;
    if (strstr(output, "Sanitizer") || strstr(output, "runtime error"))
        return PLAN_SANITIZER;
    return is_clean(outcome) ? PLAN_WRONG : PLAN_CRASH;
}

static void note_verdict(struct plan_bench *bench, struct plan_try *try, size_t build,
                         const struct plan_case *item, enum plan_verdict verdict,
                         const struct spawn_outcome *outcome, const char *at)
{
    const char *output = buf_str(&outcome->err), *what = strstr(output, "runtime error");

    if (is_announced(bench, try, item))
        verdict = PLAN_ANNOUNCED;
    if (verdict >= try->verdict[build])
        return;
    what = what ? what : strstr(output, "ERROR: ");
    what = what ? what : at;
    try->verdict[build] = verdict;
    free(try->detail[build]);
    try->detail[build] = xasprintf("%s: %s: %.*s%s%s", item->text,
                                   plan_verdict_word(verdict), (int)strcspn(what, "\n"),
                                   what, *try->rests ? "; rests on: " : "", try->rests);
}

/* The calls from `begin` to `end` in one process. */
static int run_calls(struct plan_bench *bench, const char *program, size_t number,
                     size_t build, size_t begin, size_t end, struct error *err)
{
    struct plan_try *try = &bench->try[number];
    struct spawn_outcome outcome;
    struct strvec args = {0};

    for (size_t i = begin; i < end; i++)
        strvec_push_all(&args, &bench->item[i].args);
    int result = run(program, (long)number, &args, variant_limit_s, &outcome, err);
    strvec_release(&args);
    if (result)
        return -1;
    const char *at = buf_str(&outcome.out);
    for (size_t i = begin; i < end; i++) {
        const struct plan_case *item = &bench->item[i];
        enum plan_verdict verdict = verdict_of(&outcome, at, item->want, i + 1 == end);
        const char *line = strchr(at, '\n');

        if (verdict != PLAN_GOOD)
            note_verdict(bench, try, build, item, verdict, &outcome, at);
        if (verdict != PLAN_GOOD && verdict != PLAN_WRONG)
            break; /* it ended here */
        at = line ? line + 1 : at + strlen(at);
    }
    spawn_outcome_release(&outcome);
    return 0;
}

/* ---- whose fault ---- */

/* What makes plain C of a text that was written: no promises, by directives or otherwise.
 * Threads stay: clauses copy variables. */
static void forget_directives(char *text)
{
    static const char *const words[] = {"GCC ivdep", "clang loop", "omp simd",
                                        "omp for simd", "omp parallel for simd"};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        for (char *at = text; (at = strstr(at, words[i])); at++)
            *at = 'x'; /* a pragma that nobody knows */
}

#define PLAIN "-Drestrict= -D__restrict= -D__restrict__= -fno-strict-aliasing "
static const char *const no_vectors[PLAN_BUILDS] = {
    [PLAN_SANITIZED] = "-fno-tree-vectorize",
    [PLAN_SANITIZED + 1] = "-fno-vectorize -fno-slp-vectorize"};

/* What the variant's verdict in this build is when these flags are added. Its object is
 * replaced. */
static int judge_with(struct plan_bench *bench, size_t number, size_t build,
                      const char *with, enum plan_verdict *verdict, struct error *err)
{
    struct plan_try *try = &bench->try[number], before = *try;
    char *stem = xasprintf("v%zu", number), *object = NULL, *program = NULL,
         *path = xasprintf("%s/%s.c", bench->dir, stem);
    struct buf text = {0};

    try->verdict[build] = PLAN_GOOD;
    try->detail[build] = NULL;
    int result = file_read(path, &text, err);
    if (!result)
        forget_directives(text.data);
    result =
        result || !compile_as(bench, build, stem, buf_str(&text), with, &object, err) ||
                link_all(bench, build, &program, err) ||
                run_calls(bench, program, number, build, 0, bench->item_nr, err)
            ? -1
            : 0;
    *verdict = try->verdict[build];
    free(try->detail[build]);
    *try = before;
    buf_release(&text);
    free(stem);
    free(path);
    free(object);
    free(program);
    return result;
}

/* A variant that is right under the sanitizers of both compilers and wrong as one of them
 * optimises it. The compiler's fault where it stays wrong as plain C, which promises
 * nothing, and is right once that does not make vectors. gcc 12.2 at -O3, seen with
 * distances that the step does not divide:
 *
 *     for (i = 0; i < n - 2; i += 3)
 *         a[i + 4] = a[i] + 1, a[i + 5] = a[i + 1] + 1, a[i + 6] = a[i + 2] + 1;
 */
static int find_miscompiled(struct plan_bench *bench, size_t number, struct error *err)
{
    struct plan_try *try = &bench->try[number];
    size_t build = PLAN_SANITIZED + number % 2;
    enum plan_verdict plain, scalar;
    char *flags_scalar = xasprintf(PLAIN "%s", no_vectors[build]);
    int result = 0;

    if (try->verdict[build] == PLAN_WRONG && try->verdict[0] > PLAN_WARNING &&
        try->verdict[1] > PLAN_WARNING) {
        result = judge_with(bench, number, build, PLAIN, &plain, err) ||
                         judge_with(bench, number, build, flags_scalar, &scalar, err)
                     ? -1
                     : 0;
        if (!result && plain == PLAN_WRONG && scalar >= PLAN_ANNOUNCED)
            try->verdict[build] = PLAN_MISCOMPILED;
    }
    free(flags_scalar);
    return result;
}

int plan_own_run(struct plan_bench *bench, struct error *err)
{
    size_t step = bench->own->is_generated ? bench->item_nr : 1;

    for (size_t b = 0; b < bench->build_nr; b++) {
        char *program;
        int result = link_all(bench, b, &program, err);

        for (size_t i = 0; !result && i < bench->try_nr; i++)
            for (size_t k = 0; !result && k < bench->item_nr; k += step)
                /* what never ends once will not in other builds */
                if (is_built(bench, i, b) && b >= bench->item[k].first_build &&
                    plan_try_worst(&bench->try[i]) != PLAN_TIMEOUT)
                    result = run_calls(bench, program, i, b, k, k + step, err);
        free(program);
        if (result)
            return -1;
    }
    for (size_t i = 0; bench->own->is_generated && i < bench->try_nr; i++)
        if (find_miscompiled(bench, i, err))
            return -1;
    return 0;
}
