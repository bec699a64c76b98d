/* Divisions that became multiplications, branches that became stores and choices: what
 * they compute. What stays as it is stands in judged.cases. */
#include "tests/check.h"
#include "tests/variants/loop_models.h"
#include "tests/variants/programs.h"

SUITE(variants_rewritten);

#ifndef INFLIGHT_CC
#define INFLIGHT_CC "cc"
#endif

enum { PLANS_MAX = 8 };

/* A kernel of tests/data/gen with the main of run/KERNEL.h. */
static void run_with(const char *compiler, const char *kernel,
                     const char *const plan[PLANS_MAX], const char *argument)
{
    struct programs programs;
    struct loops loops;
    if (!programs_start(&programs, compiler))
        return;
    if (loops_open(&loops, kernel, NULL)) {
        char *header = xasprintf(LOOPS_DATA "/run/%s.h", kernel);
        programs_add(&programs, "untransformed", loops.function->source);
        for (size_t i = 0; i < PLANS_MAX && plan[i]; i++) {
            struct buf text = {0};
            struct error err = {0};
            if (check_ok(loops_emit(&loops, plan[i], &text, &err), &err))
                programs_add(&programs, plan[i], buf_str(&text));
            buf_release(&text);
        }
        programs_run(&programs, header, argument);
        free(header);
    }
    loops_close(&loops);
    programs_release(&programs);
}

static const char *const divisions[PLANS_MAX] = {
    "reciprocal(i)",
    "reciprocal(i) tile(i:16) unroll(i:3)",
    "tile(i:32) reciprocal(it) simd",
};

#define TRAPPING                                                                         \
    " -fsanitize=undefined,bounds,float-cast-overflow,float-divide-by-zero"              \
    " -fsanitize-undefined-trap-on-error"

TEST("quotients are exact, in each rounding mode")
{
    run_with(INFLIGHT_CC
             " -std=c17 -O2 -frounding-math -fopenmp -Wall -Wextra -Werror" TRAPPING,
             "division", divisions, "1");
}

TEST("and where compilers need not be")
{
    run_with(INFLIGHT_CC " -std=c17 -O3 -ffast-math -fopenmp -Wall -Wextra", "division",
             divisions, "0");
}

static const char *const branches[PLANS_MAX] = {
    "branch_free(j)",
    "branch_free(i) tile(j:100)",
    "unroll(j:2) branch_free(j)",
    "branch_free(j) when(m:200)",
};

TEST("what is kept and chosen is the same")
{
    run_with(INFLIGHT_CC " -std=c17 -O1 -fopenmp -Wall -Wextra -Werror" TRAPPING, "keep",
             branches, "0");
    run_with(INFLIGHT_CC " -std=c17 -O3 -fopenmp -Wall -Wextra -Werror", "keep", branches,
             "0");
}
