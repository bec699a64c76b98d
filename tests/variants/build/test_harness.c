#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base.h"
#include "core/traffic/traffic.h"
#include "tests/check.h"
#include "tests/variants/harness_kernels.h"
#include "variants/kernel/kernel.h"
#include "variants/plan/plan.h"

SUITE(variants_harness);

#define TEMPLATES INFLIGHT_SOURCE_DIR "/templates/harness"

/* Runs argv; its output is what a failed check shows. */
static void check_runs(const struct strvec *argv, const char *want)
{
    struct spawn_outcome outcome;
    struct error err = {0};

    if (!check_ok(spawn_run(&(struct spawn_request){.argv = (const char *const *)argv->v,
                                                    .timeout_s = PATIENCE_S},
                            &outcome, &err),
                  &err))
        return;
    check_str(buf_str(&outcome.err), "");
    check_str(buf_str(&outcome.out), want);
    check_eq(outcome.end, SPAWN_EXITED);
    check_eq(outcome.code, 0);
    spawn_outcome_release(&outcome);
}

/* ---- the templates ---- */

static void compile_template(const struct toolchain *toolchain, const char *file)
{
    struct strvec argv = {0};

    strvec_push(&argv, toolchain->compiler);
    strvec_split(
        &argv,
        "-O2 -Wall -Wextra -Wshadow -Wstrict-prototypes "
        "-Wmissing-prototypes -Wwrite-strings -Wvla -Wundef -Werror -c -I '" TEMPLATES
        "' -I '" INFLIGHT_SOURCE_DIR "' -o /dev/null");
    strvec_pushf(&argv, TEMPLATES "/%s", file);
    check_runs(&argv, "");
    strvec_release(&argv);
}

TEST("templates compile without warnings")
{
    const struct toolchain *toolchain;
    size_t nr = fixture_toolchains(&toolchain);

    for (size_t i = 0; i < nr; i++) {
        compile_template(&toolchain[i], "program_time.c");
        compile_template(&toolchain[i], "program_arena.c");
        compile_template(&toolchain[i], "program_trace.c");
        compile_template(&toolchain[i], "program_verify.c");
    }
}

TEST("contents are what they promise")
{
    const struct toolchain *toolchain;
    size_t nr = fixture_toolchains(&toolchain);
    char *source = fixture_data("contents_check.c");

    for (size_t i = 0; i < nr; i++) {
        char *program = path_join(fixture_dir(), "contents_check");
        struct strvec argv = {0};

        strvec_push(&argv, toolchain[i].compiler);
        strvec_split(&argv, "-O2 -Wall -Wextra -Werror -I '" TEMPLATES "' -o");
        strvec_push(&argv, program);
        strvec_push(&argv, source);
        strvec_push(&argv, "-lm");
        check_runs(&argv, "");
        strvec_release(&argv);
        strvec_push(&argv, program);
        check_runs(&argv, "good\n");
        strvec_release(&argv);
        free(program);
    }
    free(source);
}

/* ---- the measuring program ---- */

/* The program itself, with the arguments of one call, and what it writes. */
static void run_directly(const char *program, const char *args, int want_exit,
                         const char *want_err, const char *want_line)
{
    char *out = path_join(fixture_dir(), "out");
    struct strvec argv = {0};
    struct spawn_outcome outcome;
    struct error err = {0};
    struct buf text = {0};

    strvec_push(&argv, program);
    strvec_push(&argv, "--out");
    strvec_push(&argv, out);
    strvec_split(&argv, args);
    if (check_ok(spawn_run(&(struct spawn_request){.argv = (const char *const *)argv.v,
                                                   .timeout_s = PATIENCE_S},
                           &outcome, &err),
                 &err)) {
        check_eq(outcome.code, want_exit);
        check_contains(buf_str(&outcome.err), want_err);
        check_str(buf_str(&outcome.out), "");
        if (want_line && check_ok(file_read(out, &text, &err), &err))
            check_contains(buf_str(&text), want_line);
        spawn_outcome_release(&outcome);
    }
    buf_release(&text);
    strvec_release(&argv);
    free(out);
}

#define BUFFERS "--set n=5 --buffer a=5:iota --buffer b=5:zero "

TEST("arguments are checked")
{
    static const struct {
        const char *args;
        int exit;
        const char *err, *line;
    } cases[] = {
        {BUFFERS "--samples 2 --sample-min-ns 1", 0, "", "buffers 80\n"},
        {BUFFERS "--samples 1 --pages huge --cpu 0 --seed 3", 0, "", "done\n"},
        {BUFFERS "--samples 100 --sample-min-ns 1000000 --limit-ns 1", 0, "",
         " 1\ndone\n"},
        {"--set n=5 --buffer b=5:zero --buffer a=5:ascending(9) --samples 1", 0, "",
         "done\n"},
        {"--set n=5 --buffer a=5:iota", 2, "no --buffer for array 'b'", NULL},
        {BUFFERS "--relative-float 1", 2, "unknown argument '--relative-float'", NULL},
        {BUFFERS "--set m=1", 2, "no scalar parameter in 'm=1'", NULL},
        {BUFFERS "--set n=x", 2, "'x' is not an integer", NULL},
        {BUFFERS "--set n", 2, "expected NAME=...", NULL},
        {BUFFERS "--set", 2, "--set: no value", NULL},
        {BUFFERS "--buffer c=1:zero", 2, "no array in 'c=1:zero'", NULL},
        {BUFFERS "--buffer a=5", 2, "expected NAME=LENGTH:CONTENTS", NULL},
        {BUFFERS "--buffer a=5:rubbish", 2, "cannot fill array 'a' with 'rubbish'", NULL},
        {BUFFERS "--buffer a=5:uniform(1)", 2, "cannot fill array 'a'", NULL},
        {BUFFERS "--buffer a=5:file(/dev/zero)", 0, "", "done\n"},
        {BUFFERS "--buffer a=5:file(/no/file)", 2,
         "cannot fill 'a' from '/no/file': 0 of 5 elements", NULL},
        {BUFFERS "--pages big", 2, "expected small or huge", NULL},
        {BUFFERS "--cpu 0,x", 2, "expected numbers with commas", NULL},
        {BUFFERS "--copies 2", 2, "do not fit together", NULL},
        {BUFFERS "--start lukewarm", 2,
         "expected warm, cold-data, cold-code or cold, got 'lukewarm'", NULL},
        {BUFFERS "--samples 2 --start warm", 0, "", "clock "},
        {BUFFERS "--samples 2 --start cold", 0, "", "flush by-"},
        {"--background music", 2, "expected arithmetic, memory or disk, got 'music'",
         NULL},
        {BUFFERS "--memory 30000000 --buffer a=10000000:zero", 3,
         "not enough memory for array 'a' of 8", NULL},
    };
    const struct toolchain *toolchain;
    struct kernel *kernel = fixture_bound("plain", NULL);
    char *program;

    if (!kernel || fixture_toolchains(&toolchain) == 0)
        return;
    program = fixture_build(kernel, NULL, &toolchain[0], VARIANT_TIME);
    for (size_t i = 0; program && i < ARRAY_SIZE(cases); i++)
        run_directly(program, cases[i].args, cases[i].exit, cases[i].err, cases[i].line);
    free(program);
    kernel_free(kernel);
}

/* ---- the tracing program ---- */

static void trace_kernel(const char *name, const char *source,
                         const struct toolchain *toolchain, struct traffic *traffic)
{
    struct kernel *kernel = fixture_bound(name, NULL);
    struct strvec args = {0};
    struct error err = {0};
    char *program;

    *traffic = (struct traffic){0};
    if (!kernel)
        return;
    program = fixture_build(kernel, source, toolchain, VARIANT_TRACE);
    variant_args(kernel, &args);
    if (program)
        check_ok(traffic_trace(
                     &(struct traffic_trace_request){
                         .program = program,
                         .args = &args,
                         .geometry = {.line_bytes = 64,
                                      .level_nr = 1,
                                      .level = {{.bytes = 32768, .ways = 8}},
                                      .page_bytes = 4096},
                         .scratch = fixture_dir(),
                         .cpu = -1},
                     traffic, &err),
                 &err);
    free(program);
    strvec_release(&args);
    kernel_free(kernel);
}

/* b[i] once read, once written, a[i] read, in a loop that is not unrolled away. */
TEST("accesses are counted exactly")
{
    const struct toolchain *toolchain;
    size_t nr = fixture_toolchains(&toolchain);

    for (size_t i = 0; i < nr; i++) {
        struct traffic traffic;

        trace_kernel("plain", NULL, &toolchain[i], &traffic);
        check_near(traffic.accesses.value, 15000, 0);
        check_near(traffic.bytes.value, 120000, 0);
        traffic_release(&traffic);
    }
}

static const char prefetching[] =
    "#include <string.h>\n"
    "double scale(int n, double s, const double *a, double *b)\n"
    "{\n"
    "    for (int i = 0; i < n; i++) {\n"
    "        __builtin_prefetch(&a[i + 64]);\n"
    "        __builtin_prefetch(&a[i], 0);\n"
    "        __builtin_prefetch(&a[i], 0, 2);\n"
    "    }\n"
    "    for (int i = 0; i < n; i += 1000)\n"
    "        s += a[i];\n"
    "    memcpy(b, a, n * sizeof(*a));\n"
    "    return s;\n"
    "}\n";

TEST("prefetches and copies are announced")
{
    const struct toolchain *toolchain;
    size_t nr = fixture_toolchains(&toolchain);
    char *source = fixture_file("prefetching.c", prefetching);

    for (size_t i = 0; i < nr; i++) {
        struct traffic traffic;

        trace_kernel("plain", source, &toolchain[i], &traffic);
        check(traffic.edge[0].software.value > 500); /* of 625 lines of a */
        check(traffic.edge[0].fills.value > 1200);   /* a and b */
        traffic_release(&traffic);
    }
    free(source);
}

/* ---- building ---- */

static size_t files_that_begin(const char *dir, const char *start)
{
    DIR *open = opendir(dir);
    struct dirent *entry;
    size_t nr = 0;

    while (open && (entry = readdir(open)))
        nr += strncmp(entry->d_name, start, strlen(start)) == 0 &&
              strcmp(entry->d_name + strlen(entry->d_name) - 2, ".o") == 0;
    if (open)
        closedir(open);
    return nr;
}

/* Points the user's cache to `dir`; NULL = as it was at the first call. */
static void set_cache(const char *dir)
{
    static char *before;
    static bool is_known;

    if (!is_known)
        before = xstrdup(getenv("XDG_CACHE_HOME"));
    is_known = true;
    if (dir) {
        setenv("XDG_CACHE_HOME", dir, 1);
        return;
    }
    if (before)
        setenv("XDG_CACHE_HOME", before, 1);
    else
        unsetenv("XDG_CACHE_HOME");
    free(before);
    is_known = false;
}

/* What no kernel has a part in is compiled once for all runs; a kernel's own objects
 * never leave the folder. */
TEST("the harness is kept for later runs")
{
    const struct toolchain *toolchain;
    struct kernel *kernel = fixture_bound("plain", NULL);
    char *cache = path_join(fixture_dir(), "cache"), *program = NULL;
    char *kept = path_join(cache, "inflight/objects");
    struct error err = {0};
    struct plan *plan = NULL;

    if (!kernel || fixture_toolchains(&toolchain) == 0 ||
        !check_ok(plan_parse("", &plan, &err), &err))
        return;
    set_cache(cache);
    for (int run = 0; run < 2; run++) {
        char *dir = xasprintf("%s/run%d", fixture_dir(), run);

        check_ok(
            variant_build(kernel, plan, toolchain, VARIANT_TIME, dir, &program, &err),
            &err);
        check_eq(files_that_begin(dir, "harness-"), 0);
        check_eq(files_that_begin(dir, "variant-"), 1);
        check_eq(files_that_begin(kept, "harness-"), 1);
        check_eq(files_that_begin(kept, "variant-"), 0);
        free(program);
        free(dir);
    }
    set_cache("/dev/null"); /* no folder there: each run has its own */
    check_ok(variant_build(kernel, plan, toolchain, VARIANT_TIME, cache, &program, &err),
             &err);
    check_eq(files_that_begin(cache, "harness-"), 1);
    set_cache(NULL);
    free(program);
    free(kept);
    free(cache);
    plan_free(plan);
    kernel_free(kernel);
}

TEST("objects are shared")
{
    const struct toolchain *toolchain;
    struct kernel *kernel = fixture_bound("plain", NULL);
    char *dir = path_join(fixture_dir(), "shared"), *first = NULL, *again = NULL;
    struct error err = {0};
    struct plan *plan = NULL;

    if (!kernel || fixture_toolchains(&toolchain) == 0 ||
        !check_ok(plan_parse("", &plan, &err), &err))
        return;
    const struct variant_side side = {.plan = plan};
    check_ok(variant_build_library(kernel, &side, toolchain, dir, &first, &err), &err);
    free(first);
    check_ok(variant_build(kernel, plan, toolchain, VARIANT_VERIFY, dir, &first, &err),
             &err);
    check_ok(variant_build(kernel, plan, toolchain, VARIANT_VERIFY, dir, &again, &err),
             &err);
    check_str(again, first);
    check_eq(files_that_begin(dir, "variant-"), 1);
    check_eq(files_that_begin(dir, "table-"), 1);
    check_eq(files_that_begin(dir, "reference-"), 1);
    free(first);
    free(again);
    free(dir);
    plan_free(plan);
    kernel_free(kernel);
}

/* The kernel's own way leads nowhere else, whatever main and its neighbours call. */
TEST("what the kernel does not reach may be missing")
{
    const char *const words[] = {"set n = 100", NULL};
    const struct toolchain *toolchain;
    size_t nr = fixture_toolchains(&toolchain);
    struct kernel *kernel = fixture_bound("with_main", words);

    for (size_t i = 0; kernel && i < nr; i++)
        for (int what = 0; what < VARIANT_PROGRAM_NR; what++) {
            enum variant_program program = (enum variant_program)what;

            if (toolchain_try(&toolchain[i], program, fixture_dir(), NULL) == 0)
                free(fixture_build(kernel, NULL, &toolchain[i], program));
        }
    kernel_free(kernel);
}

TEST("a refusal is the compiler's first error")
{
    const struct toolchain *toolchain;
    size_t nr = fixture_toolchains(&toolchain);
    struct kernel *kernel = fixture_bound("plain", NULL);
    char *bad = fixture_file("bad.c", "int x;\nint y = nothing;\nint z = more;\n");
    char *other =
        fixture_file("other.c", "void outside(void);\ndouble scale(int n, double "
                                "s, const double *a, double *b)\n{\n    "
                                "outside();\n    return n + s + *a + *b;\n}\n");

    for (size_t i = 0; kernel && i < nr; i++) {
        struct error err = {0};
        char *program;

        check_fails(variant_build_file(kernel, bad, &toolchain[i], VARIANT_TIME,
                                       fixture_dir(), &program, &err),
                    &err, STATUS_FAILED, "a folder/bad.c:2:9: error: ");
        check_fails(variant_build_file(kernel, other, &toolchain[i], VARIANT_TIME,
                                       fixture_dir(), &program, &err),
                    &err, STATUS_FAILED,
                    "it calls or uses 'outside', which is in another file; put it");
        check(program == NULL);
    }
    free(bad);
    free(other);
    kernel_free(kernel);
}

TEST("a missing compiler is told")
{
    struct toolchain toolchain;
    struct strvec flags = {0};
    struct error err = {0};

    check_fails(toolchain_find("no-such-cc", NULL, &toolchain, &err), &err,
                STATUS_MISSING,
                "cannot start the compiler 'no-such-cc': No such file or directory");
    check_fails(toolchain_find("false", NULL, &toolchain, &err), &err, STATUS_MISSING,
                "'false' refuses");
    strvec_push(&flags, "-march=nothing");
    check_fails(toolchain_find(INFLIGHT_CC, &flags, &toolchain, &err), &err,
                STATUS_MISSING, "error:");
    strvec_release(&flags);
}

/* A compiler that says what a real one says when the disk is full. */
TEST("a full disk is told")
{
    char *script =
        fixture_file("full", "#!/bin/sh\necho 'as: Fatal error: cannot write: No "
                             "space left on device' >&2\nexit 1\n");
    struct toolchain toolchain = {.compiler = script};
    struct kernel *kernel = fixture_bound("plain", NULL);
    struct error err = {0};
    char *program = NULL, *source = fixture_data("plain.c");

    check_eq(chmod(script, 0755), 0);
    if (kernel)
        check_fails(variant_build_file(kernel, source, &toolchain, VARIANT_TIME,
                                       fixture_dir(), &program, &err),
                    &err, STATUS_MISSING, "there is no space left in ");
    check(program == NULL);
    free(source);
    free(script);
    kernel_free(kernel);
}
