/* What parallel loops, stores past the caches, longer rows and prefetches refuse, and how
 * the text keeps to the user's file. */
#include <CUnit/CUnit.h>

#include "tests/test_variants_loops.h"

static void refused(const char *kernel, const char *plan, const char *part, bool sums)
{
    struct model_request request = {.reassociate = sums};
    struct loops loops;
    struct error err = {0};
    if (loops_open(&loops, kernel, &request))
        check_fails(loops_check(&loops, plan, NULL, &err), &err, STATUS_ILLEGAL, part);
    loops_close(&loops);
}

static void emitted(const char *kernel, const char *plan, const char *part, bool sums)
{
    struct model_request request = {.reassociate = sums};
    struct loops loops;
    struct error err = {0};
    struct buf text = {0};
    if (loops_open(&loops, kernel, &request) &&
        check_ok(loops_emit(&loops, plan, &text, &err), &err))
        check_contains(buf_str(&text), part);
    buf_release(&text);
    loops_close(&loops);
}

static void loops_that_cannot_be_parallel(void)
{
    refused("gemm", "parallel(k)",
            "the loop over k at line 6 cannot be parallel: c[i][j]", false);
    refused("gemm", "parallel(k)", "all iterations of the loop over k add to the same",
            true);
    refused("gemm", "parallel(i) parallel(j)",
            "the loop over j lies inside of the loop over i, which is parallel", false);
    refused("gemm", "parallel(j) parallel(i)", "drop j from parallel()", false);
    refused("jacobi", "parallel(t)", "cannot be parallel", false);
    refused("seidel", "parallel(j)", "cannot be parallel: a[i][j]", false);
    refused("team", "parallel(i)", "sum written at line 11", false);
    refused("team", "parallel(i)", "elements of 'h', and no clause", true);
    refused("never/inner", "interchange(j,i)",
            "the plan moves the loop that the OpenMP pragma of line 5 shares out", false);
    refused("collapse", "tile(i:4)", "line 3 needs the loops below it as they are",
            false);
}

/* Of what an iteration makes of the last one's number, with --reassociate: only sums. */
static void steps_that_are_no_sums_stay_in_order(void)
{
    static const char *const plans[] = {"simd(j)", "simd(k)", "simd(l)", "parallel(j)"};
    for (size_t i = 0; i < ARRAY_SIZE(plans); i++)
        refused("never/steps", plans[i], "of this loop", true);
    emitted("never/steps", "simd(i)", "#pragma omp simd reduction(+:s)\n", true);
    emitted("never/steps", "simd(m)", "#pragma omp simd reduction(*:p)\n", true);
    emitted("never/steps", "simd", "    for (int j = 0; j < n; j++)\n        w =", true);
}

static void sums_and_schedules(void)
{
    emitted("gemm", "parallel(i,schedule:guided,chunk:3)",
            "#pragma omp parallel for schedule(guided, 3)\n", false);
    emitted("matvec", "parallel(j)", "reduction(+:", true);
    emitted("openmp", "interchange(j,i)",
            " #pragma omp parallel for schedule(dynamic, 2)\n", false);
    emitted("collapse", "parallel(i,chunk:2)",
            "#pragma omp parallel for schedule(static, "
            "2)\n",
            false);
}

static void stores_and_rows_that_are_refused(void)
{
    refused("gemm", "nontemporal(c)", "'c' is read in the nest", false);
    refused("matvec", "nontemporal(a)", "'a' is", false);
    refused("stream", "nontemporal(a) interchange(j,i)", "no innermost loop of the nest",
            false);
    refused("local", "pad(a:8)", "others see how it lies in memory", false);
    refused("team", "pad(t:8)", "'t' is used as a whole or by rows at line 19", false);
}

static void elements_with_others_between_are_no_vectors(void)
{
    refused("never/apart", "vec(i:4)", "b[2 * i] is not contiguous along the loop",
            false);
    refused("never/apart", "vec(j:4)", "a[3 * j] is not contiguous along the loop",
            false);
}

static void names_of_helpers_are_new(void)
{
    emitted("team", "tile(i:2)", "static inline long team_1_min(long a, long b)\n",
            false);
}

CU_TestInfo variants_emit_tests[] = {
    {"loops that cannot be parallel", loops_that_cannot_be_parallel},
    {"steps that are no sums stay in order", steps_that_are_no_sums_stay_in_order},
    {"sums and schedules", sums_and_schedules},
    {"stores and rows that are refused", stores_and_rows_that_are_refused},
    {"elements with others between are no vectors",
     elements_with_others_between_are_no_vectors},
    {"names of helpers are new", names_of_helpers_are_new},
    CU_TEST_INFO_NULL,
};
