/* Divisions that became multiplications: what they compute, where the code of each
 * stands, and what stays a division. */
#include "tests/check.h"
#include "tests/variants/loop_models.h"
#include "tests/variants/programs.h"

SUITE(variants_reciprocal);

#ifndef INFLIGHT_CC
#define INFLIGHT_CC "cc"
#endif

static void run_with(const char *compiler, const char *traps)
{
    static const char *const plans[] = {
        "reciprocal(i)",
        "reciprocal(i) tile(i:16) unroll(i:3)",
        "tile(i:32) reciprocal(it) simd",
    };
    struct programs programs;
    struct loops loops;
    if (!programs_start(&programs, compiler))
        return;
    if (loops_open(&loops, "division", NULL)) {
        programs_add(&programs, "untransformed", loops.function->source);
        for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
            struct buf text = {0};
            struct error err = {0};
            if (check_ok(loops_emit(&loops, plans[i], &text, &err), &err))
                programs_add(&programs, plans[i], buf_str(&text));
            buf_release(&text);
        }
        programs_run(&programs, LOOPS_DATA "/run/division.h", traps);
    }
    loops_close(&loops);
    programs_release(&programs);
}

TEST("quotients are exact, in each rounding mode")
{
    run_with(
        INFLIGHT_CC
        " -std=c17 -O2 -frounding-math -fopenmp -Wall -Wextra -Werror -fsanitize=undefined,"
        "float-cast-overflow,float-divide-by-zero -fsanitize-undefined-trap-on-error",
        "1");
}

TEST("and where compilers need not be")
{
    run_with(INFLIGHT_CC " -std=c17 -O3 -ffast-math -fopenmp -Wall -Wextra", "0");
}
