/* A small part of bench/plans: random plans of a few kernels, compiled by gcc and clang
 * with sanitizers and run against the untransformed ones, and refused ones. */
#include <stdlib.h>
#include <string.h>

#include "bench/plan_try.h"
#include "core/base.h"
#include "tests/check.h"
#include "variants/build/build.h"
#include "variants/plan/plan.h"

SUITE(variants_plans);

enum { PLANS_PER_KERNEL = 4, DRAWS_MAX = 200 };

static const char *const kernels[] = {
    "gemm_linear",   "jacobi_2d_time",      "trmm_left",         "spmv_csr",
    "steps_of_two",  "accumulate_integers", "accumulate_floats", "rows_product",
    "rows_star",     "rows_triangle",       "side_by_side",      "narrow_counts",
    "private_tables"};

static char *path_of(const char *name)
{
    return xasprintf("%s/tests/kernels/%s.c", INFLIGHT_SOURCE_DIR, name);
}

/* What distributions of clang leave to packages of their own. */
static bool links_teams(void)
{
    static const char text[] = "int main(void)\n{\n    return 0;\n}\n";
    struct strvec argv = {0};
    struct buf output = {0};
    struct error err = {0};
    char *dir = NULL;

    if (!check_ok(scratch_make(&dir, &err), &err))
        return false;
    char *path = path_join(dir, "none.c");
    strvec_split(&argv, "clang-19 -fopenmp -fsanitize=address,undefined -o /dev/null");
    strvec_push(&argv, path);
    bool ok = check_ok(file_write(path, text, strlen(text), &err), &err) &&
              plan_run_compiler(&argv, &output, &err);
    scratch_remove(dir);
    strvec_release(&argv);
    buf_release(&output);
    free(path);
    return ok;
}

static bool have_compilers(void)
{
    for (size_t c = 0; c < PLAN_SANITIZED; c++) {
        struct toolchain toolchain;

        if (toolchain_find(plan_builds[c].compiler, NULL, &toolchain, NULL)) {
            check_skip("gcc and clang-19 are not both here");
            return false;
        }
        toolchain_release(&toolchain);
    }
    if (!links_teams()) {
        check_skip("clang-19 has no libomp-19-dev or no libclang-rt-19-dev");
        return false;
    }
    return true;
}

static void try_kernel(const char *name, const char *shared)
{
    char *path = path_of(name);
    struct plan_bench bench = {0};
    struct error err = {0};

    if (check_ok(plan_bench_open(&bench, path, shared, &err), &err)) {
        struct plan_random random = plan_random_begin(bench.kernel, 1);

        for (size_t i = 0; i < DRAWS_MAX && bench.try_nr < PLANS_PER_KERNEL; i++) {
            char *plan = plan_random_next(&random);

            if (plan_bench_add(&bench, plan, &err) && err.status != STATUS_ILLEGAL)
                check_eq(err.status, STATUS_USAGE);
            free(plan);
        }
        check_ok(plan_bench_run(&bench, &err), &err);
        check_eq(bench.try_nr, PLANS_PER_KERNEL);
        for (size_t i = 0; i < bench.try_nr; i++)
            if (!check_str(plan_verdict_word(plan_try_worst(&bench.try[i])), "good"))
                check_str(bench.try[i].plan, "a right plan");
    }
    plan_bench_release(&bench);
    free(path);
}

TEST("random legal plans are right")
{
    struct error err = {0};
    char *shared;

    if (!have_compilers() || !check_ok(scratch_make(&shared, &err), &err))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
        try_kernel(kernels[i], shared);
    scratch_remove(shared);
}

/* Plans whose C bench/plans found to compute something else once: a shift that was
 * forgotten, a place outside of a buffer. */
TEST("plans that were wrong once")
{
    static const char *const plans[][2] = {
        {"gather_horner", "distribute(i) fuse(i,shift:3) pack(out,i) skew_tile(i:7)"},
        {"conjugate_step", "pack(x,i) distribute(i) skew_tile(i:2) unroll(i:2)"},
    };
    struct error err = {0};
    char *shared;

    if (!have_compilers() || !check_ok(scratch_make(&shared, &err), &err))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
        char *path = path_of(plans[i][0]);
        struct plan_bench bench = {0};

        if (check_ok(plan_bench_open(&bench, path, shared, &err), &err) &&
            check_ok(plan_bench_add(&bench, plans[i][1], &err), &err) &&
            check_ok(plan_bench_run(&bench, &err), &err))
            check_str(plan_verdict_word(plan_try_worst(&bench.try[0])), "good");
        plan_bench_release(&bench);
        free(path);
    }
    scratch_remove(shared);
}

/* One by one, with a rest, in tiles, and with several of one step's kind. */
TEST("several accumulators, narrow ones, tables and loops side by side make the same")
{
    static const char *const plans[][2] = {
        {"off_diagonal", "nest(1) unroll_jam(i:4)"},
        {"off_diagonal", "nest(2) unroll_jam(i:3)"},
        {"off_diagonal", "nest(1) tile(i:32) unroll_jam(i:8)"},
        {"off_diagonal", "nest(1) tile(j:16) unroll_jam(i:4)"},
        {"nearest_row", "unroll_jam(i:4)"},
        {"nearest_row", "tile(i:32) distribute(i)"},
        {"side_by_side", "interleave(i:2)"},
        {"side_by_side", "interleave(i:32) parallel(it)"},
        {"side_by_side", "interleave(i:7) fuse(it)"},
        {"greatest_place", "skip_blocks(i:64)"},
        {"greatest_place", "skip_blocks(i:16) unroll(i:2)"},
        {"greatest_place", "skip_blocks(i:5) when(n:20)"},
        {"accumulate_integers", "accumulators(i:2)"},
        {"accumulate_integers", "tile(i:16) accumulators(i:4)"},
        {"accumulate_integers", "accumulators(i:7)"},
        {"accumulate_floats", "accumulators(i:4)"},
        {"accumulate_floats", "tile(i:32) accumulators(i:3)"},
        {"accumulate_floats", "accumulators(i:8)"},
        {"narrow_counts", "narrow_counters(i:255)"},
        {"narrow_counts", "nest(1) narrow_counters(i:127) unroll(i:4)"},
        {"narrow_counts", "nest(1) narrow_counters(i:256) unroll(i:3)"},
        {"word_starts", "narrow_counters(i:255)"},
        {"word_starts", "narrow_counters(i:2) full(i)"},
        {"word_starts", "tile(i:16) narrow_counters(i:5)"},
        {"private_tables", "privatize(rows:4)"},
        {"private_tables", "privatize(few:3,wide:3)"},
        {"private_tables", "tile(i:64) privatize(wide:2) unroll(c:2)"},
    };
    struct error err = {0};
    char *shared;

    if (!have_compilers() || !check_ok(scratch_make(&shared, &err), &err))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(plans); i += 3) {
        char *path = path_of(plans[i][0]);
        struct plan_bench bench = {0};

        check_ok(plan_bench_open(&bench, path, shared, &err), &err);
        for (size_t k = i; k < i + 3; k++)
            check_ok(plan_bench_add(&bench, plans[k][1], &err), &err);
        check_ok(plan_bench_run(&bench, &err), &err);
        for (size_t k = 0; k < bench.try_nr; k++)
            if (!check_str(plan_verdict_word(plan_try_worst(&bench.try[k])), "good"))
                check_str(bench.try[k].plan, "a right plan");
        plan_bench_release(&bench);
        free(path);
    }
    scratch_remove(shared);
}

static char *text_of(const char *name, const char *steps, bool force)
{
    char *path = path_of(name);
    struct kernel_request request = {.path = path, .force = force};
    struct kernel *kernel = NULL;
    struct plan *plan = NULL;
    struct buf text = {0};
    struct error err = {0};

    if (check_ok(kernel_open(&request, &kernel, &err), &err) &&
        check_ok(plan_parse(steps, &plan, &err), &err))
        check_ok(kernel_emit(kernel, plan, NULL, &text, &err), &err);
    plan_free(plan);
    kernel_free(kernel);
    free(path);
    return buf_detach(&text);
}

static void compile_strictly(const char *compiler, const char *source)
{
    const char *argv[] = {
        compiler,    "-std=c17",
        "-O2",       "-fopenmp",
        "-Wall",     "-Wextra",
        "-Werror",   "-Wno-unknown-pragmas" /* ours, in the file as it was */,
        "-S",        "-o",
        "/dev/null", source,
        NULL};
    struct spawn_outcome outcome = {0};
    struct error err = {0};

    check_ok(spawn_run(&(struct spawn_request){.argv = argv, .timeout_s = PATIENCE_S},
                       &outcome, &err),
             &err);
    check(outcome.end == SPAWN_EXITED);
    check_str(buf_str(&outcome.err), "");
    spawn_outcome_release(&outcome);
}

/* Plans whose C had errors or warnings once: a buffer and a scalar set in a branch;
 * vectors in a parallel loop; a variable named like a field; scalars of iterations shared
 * by two loops; iterators that nothing uses, declared twice, or in one of three loops; a
 * pointer that nothing uses. */
TEST("plans that were unclean once")
{
    static const char *const plans[][2] = {
        {"gemv_rows", "tile(i:2,j:8) unroll_jam(i:2)"},
        {"triad_stream", "parallel(i) simd"},
        {"grid_by_pointer", "unroll_jam(j:3)"},
        {"binary_search_batch", "parallel(i,schedule:static) tile(i:2) full(i)"},
        {"edit_distance", "skew_tile(j:3) skew_tile(j:2) skew_tile(j:32)"},
        {"syr2k_upper", "unroll_jam(j:4,i:2)"},
        {"grid_by_pointer", "nontemporal(g->v) skew(i,j:-3)"},
        {"rows_triangle", "pack(b,j)"},
    };
    struct error err = {0};
    char *folder;

    if (!have_compilers() || !check_ok(scratch_make(&folder, &err), &err))
        return;
    char *source = path_join(folder, "plan.c");
    for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
        char *text = text_of(plans[i][0], plans[i][1], false);

        check_ok(file_write(source, text, strlen(text), &err), &err);
        for (size_t c = 0; c < PLAN_SANITIZED; c++)
            compile_strictly(plan_builds[c].compiler, source);
        free(text);
    }
    free(source);
    scratch_remove(folder);
}

/* Unrolling leaves three parallel loops that share a buffer of their iterations. */
TEST("buffers are private")
{
    char *text = text_of("gemm_macro", "parallel(j) unroll(i:3) pack(c,j)", false);

    check_contains(text, "#pragma omp parallel for private(c_l)");
    free(text);
}

/* Forced, loops of the iteration stand around it: the text ended never. */
TEST("forced plans end")
{
    char *text =
        text_of("gemm_packed",
                "distribute(b) tile(k:8) tile(i:4) skew_tile(j:2,i:3,b:2,k:7)", true);

    check_contains(text, "acc");
    free(text);
}

/* What another order of iterations would break, in words of the check. */
TEST("plans that must be refused")
{
    static const char *const plans[][2] = {
        {"gauss_seidel_2d", "interchange(i,t)"},
        {"trmm_left", "interchange(k,i)"},
        {"heat_1d_time", "tile(t:4,i:16)"},
        {"low_pass", "simd"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
        char *path = path_of(plans[i][0]);
        struct kernel_request request = {.path = path};
        struct kernel *kernel = NULL;
        struct plan *plan = NULL;
        struct error err = {0};

        if (check_ok(kernel_open(&request, &kernel, &err), &err) &&
            check_ok(plan_parse(plans[i][1], &plan, &err), &err))
            check_fails(kernel_check(kernel, plan, NULL, &err), &err, STATUS_ILLEGAL, "");
        plan_free(plan);
        kernel_free(kernel);
        free(path);
    }
}

/* The table alone says how: a new transformation is among them. */
TEST("every step is drawn")
{
    char *path = path_of("gemm_linear");
    struct kernel_request request = {.path = path};
    struct kernel *kernel;
    struct error err = {0};
    bool drawn[STEP_KIND_NR] = {false};

    if (check_ok(kernel_open(&request, &kernel, &err), &err)) {
        struct plan_random random = plan_random_begin(kernel, 3);

        for (int i = 0; i < 500; i++) {
            char *text = plan_random_next(&random);
            struct plan plan;

            for (size_t k = 0; !plan_read(text, &plan, NULL) && k < plan.step_nr; k++)
                drawn[plan.step[k]->kind] = true;
            free(text);
        }
        for (unsigned kind = 0; kind < STEP_KIND_NR; kind++)
            if (!drawn[kind] && kind != STEP_SET) /* the kernel has no tunables */
                check_str(transformation_of(kind)->name, "a step that is drawn");
        kernel_free(kernel);
    }
    free(path);
}

TEST("same seed, same plans")
{
    char *path = path_of("gemm_linear"), *first = NULL, *second = NULL;
    struct kernel_request request = {.path = path};
    struct kernel *kernel;
    struct error err = {0};

    if (check_ok(kernel_open(&request, &kernel, &err), &err)) {
        struct plan_random a = plan_random_begin(kernel, 7),
                           b = plan_random_begin(kernel, 7);

        for (int i = 0; i < 50; i++) {
            free(first);
            free(second);
            first = plan_random_next(&a);
            second = plan_random_next(&b);
            check_str(first, second);
        }
        kernel_free(kernel);
    }
    free(first);
    free(second);
    free(path);
}
