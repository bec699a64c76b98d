/* C's arithmetic: what may be summed in another order, counters that are narrow, numbers
 * near the ends of their types, unsigned numbers that wrap around. */
#include <CUnit/CUnit.h>

#include "tests/test_variants_loops.h"

static bool open_text(struct loops *loops, const char *text,
                      const struct model_request *with)
{
    struct model_request request = with ? *with : (struct model_request){0};
    struct strvec flags = {0};
    struct error err = {0};
    *loops = (struct loops){0};
    if (!check_ok(ir_parse(LOOPS_DATA "/probe.c", text, 0, "kernel", &flags,
                           &loops->function, &err),
                  &err))
        return false;
    request.function = loops->function;
    return check_ok(model_build(&request, &loops->model, &err), &err);
}

/* ---- sums ---- */

/* A type that the sum has, what each iteration does to it: may the iterations be run by
 * several threads, and may they with --reassociate? */
static const struct sum_case {
    const char *type, *term_type, *step;
    bool exact, rounded;
} sum_cases[] = {
    {"unsigned", "unsigned", "s += x[i]", true, true},
    {"unsigned", "int", "s += x[i]", true, true},
    {"unsigned", "int", "s = s + x[i]", true, true},
    {"unsigned", "int", "s = x[i] * s", true, true},
    {"unsigned", "int", "s -= x[i]", true, true},
    {"unsigned long", "int", "s += x[i]", true, true},
    {"unsigned", "long", "s += x[i]", false, false}, /* a signed long may overflow */
    {"unsigned", "unsigned long", "s += x[i]", true, true},
    {"unsigned", "float", "s += x[i]", false, false},
    {"unsigned", "double", "s = s + x[i]", false, false},
    {"unsigned", "float", "s += (unsigned)x[i]", true, true},
    {"unsigned", "float", "s *= x[i]", false, false},
    {"unsigned long", "unsigned char", "s += x[i] * 0.5f", false, false},
    {"unsigned char", "unsigned char", "s += x[i]", true, true},
    {"unsigned char", "unsigned char", "s += x[i] * x[i]", true, true},
    {"unsigned char", "unsigned char", "s *= x[i]", true, true},
    {"unsigned short", "unsigned short", "s *= x[i]", false, false}, /* 65535 squared */
    {"unsigned short", "short", "s += x[i]", true, true},
    {"unsigned short", "int", "s += x[i]", false, false},
    {"unsigned char", "float", "s += x[i]", false, false},
    {"_Bool", "int", "s += x[i]", false, false},
    {"_Bool", "_Bool", "s *= x[i]", false, false},
    {"int", "int", "s += x[i]", false, false},
    {"int", "double", "s += x[i]", false, false},
    {"int", "unsigned", "s += x[i]", false, false},
    {"short", "short", "s += x[i]", false, false},
    {"signed char", "float", "s += x[i]", false, false},
    {"long", "double", "s = s + x[i]", false, false},
    {"double", "double", "s += x[i]", false, true},
    {"double", "int", "s += x[i]", false, true},
    {"float", "double", "s += x[i]", false, true},
    {"double", "float", "s *= x[i]", false, true},
};

static void check_sum(const struct sum_case *item, bool reassociate)
{
    static const char *const plans[] = {"parallel(i)", "simd"};
    const struct model_request request = {.reassociate = reassociate};
    bool expected = reassociate ? item->rounded : item->exact;
    struct loops loops;
    char *text = xasprintf("%s kernel(int n, const %s *x)\n{\n    %s s = 1;\n"
                           "    for (int i = 0; i < n; i++)\n        %s;\n"
                           "    return s;\n}\n",
                           item->type, item->term_type, item->type, item->step);
    if (open_text(&loops, text, &request))
        for (size_t i = 0; i < ARRAY_SIZE(plans) - !reassociate; i++) {
            struct error err = {0};
            bool legal = loops_check(&loops, plans[i], NULL, &err) == 0;
            if (legal != expected)
                check_str(text, legal ? "is not legal" : err.text);
            else
                check(legal == expected);
        }
    loops_close(&loops);
    free(text);
}

static void sums_are_made_in_their_own_type(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(sum_cases); i++) {
        check_sum(&sum_cases[i], false);
        check_sum(&sum_cases[i], true);
    }
}

/* The first value of an unsigned counter, in what stands for the iterators. */
static void first_values_are_made_long(void)
{
    static const char text[] =
        "double kernel(unsigned first, unsigned second, long m, const double *b)\n{\n"
        "    double s = 0;\n    for (unsigned i = first; i < second; i++)\n"
        "        for (long j = 0; j < m; j++)\n            s += b[j];\n"
        "    return s;\n}\n";
    struct buf out = {0};
    struct error err = {0};
    struct loops loops;
    if (!open_text(&loops, text, NULL))
        return;
    check_ok(loops_emit(&loops, "skew(j,i:-2)", &out, &err), &err);
    check_contains(buf_str(&out), "2 * (long)first - 2 * i");
    check(!strstr(buf_str(&out), "2 * first"));
    buf_release(&out);
    loops_close(&loops);
}

CU_TestInfo variants_types_tests[] = {
    {"sums are made in their own type", sums_are_made_in_their_own_type},
    {"first values are made long", first_values_are_made_long},
    CU_TEST_INFO_NULL,
};
