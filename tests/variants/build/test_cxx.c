/* Kernels of C++: built, compared with what they were, and what comes of them compiled.
 */
#include <stdlib.h>
#include <string.h>

#include "core/files/fs.h"
#include "core/process/spawn.h"
#include "tests/check.h"
#include "tests/variants/harness_kernels.h"
#include "variants/kernel/kernel.h"
#include "variants/plan/plan.h"
#include "variants/verify/verify.h"

SUITE(variants_cxx);

#define DATA INFLIGHT_SOURCE_DIR "/tests/data/cxx"

static struct kernel *bound(const char *function)
{
    struct kernel_request request = {.path = DATA "/kernels.cpp", .function = function};
    struct kernel *kernel = NULL;
    struct error err = {0};
    if (check_ok(kernel_open(&request, &kernel, &err), &err) &&
        check_ok(kernel_bind(kernel, &err), &err))
        return kernel;
    kernel_free(kernel);
    return NULL;
}

/* A compiler for C whose sister for C++ is missing is none here. */
static size_t toolchains(const struct toolchain **toolchain)
{
    size_t nr = fixture_toolchains(toolchain);
    for (size_t i = 0; i < nr; i++) {
        const char *const argv[] = {(*toolchain)[i].is_clang ? "clang++-19" : "g++",
                                    "--version", NULL};
        struct spawn_outcome outcome;
        struct error err = {0};
        check_ok(spawn_run(&(struct spawn_request){.argv = argv, .timeout_s = PATIENCE_S},
                           &outcome, &err),
                 &err);
        bool there = outcome.end == SPAWN_EXITED && outcome.code == 0;
        spawn_outcome_release(&outcome);
        if (!there) {
            check_skip("no compiler for C++ beside one of those for C");
            return i;
        }
    }
    return nr;
}

/* ---- results ---- */

static const struct {
    const char *function, *plans[3];
} cases[] = {
    {"blas::limit", {"", "tile(i:32)", "prefetch(a:16)"}},
    {"step", {"tile(y:16,x:16)", "unroll_jam(y:2)", "vec(x:4)"}},
    {"scale", {"interchange(x,y)", "simd(x)"}},
    {"sparse::Csr::multiply", {"prefetch(x:8)"}},
    {"push", {"unroll(i:4)"}},
    {"Matrix::multiply", {"tile(i:8,j:8,k:8)", "tile(j:8,k:8) pack(b.data,kt)"}},
    {"Cloud::drive", {"unroll(j:4)", "tile(j:16)"}},
    {"slow", {"unroll(i:4)", "simd(i)"}},
    {"lambdas", {"unroll(i:4) unroll(k:2)"}},
    {"fill", {"nontemporal(x)"}},
    {"dot", {"unroll(i:4)"}},
    {"rows", {"interchange(j,i)"}},
    {"smooth", {"unroll_jam(i:2)"}},
    {"total", {"tile(i:16)"}},
    {"copies", {"nest(1) unroll(i:4) nest(2) reverse(i)", "nest(2) tile(i:16)"}},
    {"beside", {"nest(1) unroll(i:4) nest(2) simd(i)", "nest(2) reverse(i)"}},
};

static void compare(struct kernel *kernel, const char *plan_text,
                    const struct toolchain *toolchain)
{
    struct plan *plan = NULL;
    struct error err = {0};
    struct verify_opts opts = {.scratch = fixture_dir()};
    struct verify_report report = {.outcome = RUN_OUTCOME_NOT_BUILT};
    char *program = NULL;
    if (check_ok(plan_parse(plan_text, &plan, &err), &err) &&
        check_ok(variant_build(kernel, plan, toolchain, VARIANT_VERIFY, fixture_dir(),
                               &program, &err),
                 &err))
        check_ok(variant_verify(kernel, program, &opts, &report, &err), &err);
    check_eq(report.outcome, RUN_OUTCOME_OK);
    check_str(report.detail ? report.detail : "", "");
    if (report.outcome != RUN_OUTCOME_OK)
        printf("that is %s with '%s'\n", kernel_name(kernel), plan_text);
    verify_report_release(&report);
    plan_free(plan);
    free(program);
}

TEST("results are equal")
{
    const struct toolchain *toolchain;
    size_t nr = toolchains(&toolchain);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct kernel *kernel = bound(cases[i].function);
        for (size_t k = 0; kernel && k < ARRAY_SIZE(cases[i].plans); k++)
            if (cases[i].plans[k])
                compare(kernel, cases[i].plans[k], &toolchain[i % nr]);
        kernel_free(kernel);
    }
}

/* ---- what is written ---- */

static void compile_strictly(const char *path, const struct toolchain *toolchain)
{
    const char *const argv[] = {toolchain->is_clang ? "clang++-19" : "g++", "-O3",
                                "-march=native", "-fopenmp-simd", "-Wall", "-Wextra",
                                "-Wno-unused-function", "-Wno-unknown-pragmas",
                                "-Wno-unused-private-field", "-Wno-unused-const-variable",
                                /* clang 19 of its own -march=native, on avx10.1 */
                                "-Wno-invalid-feature-combination", "-Werror", "-c", path,
                                "-o", "/dev/null", NULL};
    struct spawn_outcome outcome;
    struct error err = {0};
    check_ok(spawn_run(&(struct spawn_request){.argv = argv, .timeout_s = PATIENCE_S},
                       &outcome, &err),
             &err);
    check(outcome.end == SPAWN_EXITED && outcome.code == 0);
    check_str(buf_str(&outcome.err), "");
    spawn_outcome_release(&outcome);
}

/* The lines of a file that include headers. */
static void add_includes(const char *path, struct buf *out)
{
    struct buf text = {0};
    struct error err = {0};
    check_ok(file_read(path, &text, &err), &err);
    for (const char *at = buf_str(&text); at && *at; at = strchr(at, '\n')) {
        at += strspn(at, "\n");
        if (!strncmp(at, "#include", strlen("#include")))
            buf_addf(out, "%.*s\n", (int)strcspn(at, "\n"), at);
    }
    buf_release(&text);
}

/* All in one file, each in a namespace of its own: what takes the time are the headers,
 * which stand before them. extern "C" makes one function of those of all namespaces. */
TEST("what is written compiles")
{
    const struct toolchain *toolchain;
    size_t nr = toolchains(&toolchain);
    struct buf all = {0};
    add_includes(DATA "/kernels.cpp", &all);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct kernel *kernel = bound(cases[i].function);
        for (size_t k = 0; kernel && k < ARRAY_SIZE(cases[i].plans); k++) {
            struct plan *plan = NULL;
            struct buf text = {0};
            struct error err = {0};
            const char *words = cases[i].plans[k];
            if (words && *words && check_ok(plan_parse(words, &plan, &err), &err) &&
                check_ok(kernel_emit(kernel, plan, NULL, &text, &err), &err))
                buf_addf(&all,
                         "/* %s */\n#define dot dot_%zu_%zu\nnamespace case_%zu_%zu "
                         "{\n%s\n}\n#undef dot\n",
                         words, i, k, i, k, buf_str(&text));
            buf_release(&text);
            plan_free(plan);
        }
        kernel_free(kernel);
    }
    char *path = fixture_file("emitted.cpp", buf_str(&all));
    for (size_t c = 0; c < nr; c++)
        compile_strictly(path, &toolchain[c]);
    buf_release(&all);
    free(path);
}

/* The headers of the standard library and of the compiler stand behind the macros that
 * announce what compilers do not report. */
TEST("traced programs are built")
{
    static const char *const plans[] = {"prefetch(x:16)", "nontemporal(x)"};
    const struct toolchain *toolchain;
    size_t nr = toolchains(&toolchain);
    for (size_t i = 0; i < nr * ARRAY_SIZE(plans); i++) {
        struct kernel *kernel = bound("fill");
        struct plan *plan = NULL;
        struct error err = {0};
        char *program = NULL;
        if (kernel && check_ok(plan_parse(plans[i / nr], &plan, &err), &err))
            check_ok(variant_build(kernel, plan, &toolchain[i % nr], VARIANT_TRACE,
                                   fixture_dir(), &program, &err),
                     &err);
        free(program);
        plan_free(plan);
        kernel_free(kernel);
    }
}
