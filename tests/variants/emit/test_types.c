/* C's arithmetic: what may be summed in another order, counters that are narrow, numbers
 * near the ends of their types, unsigned numbers that wrap around. */

#include "tests/variants/loop_models.h"
#include "tests/variants/programs.h"

SUITE(variants_types);

#ifndef INFLIGHT_CC
#define INFLIGHT_CC "cc"
#endif

#define TYPES_DATA INFLIGHT_SOURCE_DIR "/tests/data/types"

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

TEST("sums are made in their own type")
{
    for (size_t i = 0; i < ARRAY_SIZE(sum_cases); i++) {
        check_sum(&sum_cases[i], false);
        check_sum(&sum_cases[i], true);
    }
}

/* The first value of an unsigned counter, in what stands for the iterators. */
TEST("first values are made long")
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

/* A counter in long that is a number in the new code: what the source makes of it in
 * long is made so again; what it makes in int stays as it is, and so do lanes. */
TEST("numbers for counters are long")
{
    static const struct {
        const char *text, *plan, *has[2];
    } cases[] = {
        {"void kernel(int n, double *restrict a, const double *restrict b)\n{\n"
         "    for (long i = 0; i < 3; i++)\n        for (int j = 0; j < n; j++)\n"
         "            a[i * n + j] += b[j * n + 1];\n}\n",
         "interchange(j,i) unroll(i:3)",
         {"a[2 * (long)n + j]", "b[j * n + 1]"}},
        {"void kernel(int n, int *restrict a, const int *restrict b)\n{\n"
         "    for (int i = 0; i < n; i++)\n        for (int j = 0; j < n; j++)\n"
         "            a[i * 48 + j] = b[i] & 127;\n}\n",
         "vec(j:4)",
         {"a[i * 48 + j] = (b[i] & 127) - (kernel_int4){0};", ""}},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct buf out = {0};
        struct error err = {0};
        struct loops loops;
        if (!open_text(&loops, cases[i].text, NULL))
            return;
        check_ok(loops_emit(&loops, cases[i].plan, &out, &err), &err);
        check_contains(buf_str(&out), cases[i].has[0]);
        check_contains(buf_str(&out), cases[i].has[1]);
        buf_release(&out);
        loops_close(&loops);
    }
}

/* ---- numbers near the ends of their types ---- */

static const char *const flat_plans[] = {
    "tile(i:64)",
    "tile(i:50)",
    "unroll(i:3)",
    "unroll(i:4)",
    "vec(i:4)",
    "simd(i)",
    "parallel(i)",
    "tile(i:64) parallel(it)",
    "tile(i:64) unroll(i:4)",
    "tile(i:32) full(i) vec(i:4)",
    "prefetch(b:16)",
    "prefetch(b:16) simd(i)",
    "unroll(i:4) prefetch(b:8)",
    "nontemporal(a)",
};

static const char *const deep_plans[] = {
    "tile(i:8,j:8)",
    "interchange(j,i)",
    "unroll_jam(i:3)",
    "unroll_jam(i:2,j:2)",
    "skew(j,i:1)",
    "skew(j,i:3) interchange(j,i)",
    "skew_tile(i:8,j:8)",
    "tile(i:8,j:8) full(i,j)",
    "tile(i:16) parallel(it)",
    "tile(j:16) unroll_jam(i:2)",
    "vec(j:4)",
    "prefetch(b:16)",
    "prefetch(b:16,at:i)",
    "pack(b,j)",
    "nontemporal(a) skew(j,i:-3)",
};

/* Values for the parameters of one call each; every one is legal C for the loop, which
 * adds to a what b has. */
static const struct end_case {
    bool deep;
    const char *params, *loop, *call[6];
} end_cases[] = {
    {false,
     "signed char n",
     "for (signed char i = 0; i < n; i++)\n        a[i] += b[i];",
     {"127", "126", "-128", "1"}},
    {false,
     "signed char n",
     "for (signed char i = n; i >= -127; i -= 1)\n        a[i + 128] += b[i + 128];",
     {"127", "-127", "-128"}},
    {false,
     "int16_t first, int16_t last",
     "for (int16_t i = first; i <= last; i++)\n        a[i + 32768] += b[i + 32768];",
     {"-32768, 32760", "32700, 32766", "32760, -32768"}},
    {false,
     "uint8_t n",
     "for (uint8_t i = 0; i < n; i++)\n        a[i] += b[i];",
     {"255", "254", "0"}},
    {false,
     "int lo, int hi",
     "for (int i = lo; i < hi; i++)\n        a[i - lo] += b[i - lo];",
     {"INT_MAX - 130, INT_MAX", "INT_MIN, INT_MIN + 1", "INT_MIN, INT_MIN + 130",
      "INT_MIN, INT_MIN", "INT_MAX - 1, INT_MAX"}},
    {false,
     "int hi, int lo",
     "for (int i = hi; i > lo; i--)\n        a[i - lo] += b[i - lo];",
     {"INT_MIN + 130, INT_MIN", "INT_MAX, INT_MAX - 130", "INT_MIN, INT_MIN"}},
    {false,
     "int lo, int hi",
     "for (int i = lo; i < hi; i += 7)\n        a[i - lo] += b[i - lo];",
     {"INT_MAX - 136, INT_MAX - 6", "INT_MIN, INT_MIN + 1", "INT_MIN, INT_MIN + 200"}},
    {false,
     "long lo, long hi",
     "for (long i = lo; i < hi; i++)\n        a[i - lo] += b[i - lo];",
     {"LONG_MAX - 37, LONG_MAX", "LONG_MIN, LONG_MIN + 100", "0, 100", "5, LONG_MIN"}},
    {false,
     "uint32_t n, uint32_t pad",
     "for (uint32_t i = 0; i < n + pad; i++)\n        a[i] += b[i];",
     {"80, (uint32_t)-3", "2, (uint32_t)-3 + 1", "80, 3", "1, UINT32_MAX"}},
    {false,
     "uint32_t n",
     "for (uint32_t i = 0; i < n * 65536u; i++)\n        a[i] += b[i];",
     {"1", "65536", "65537"}},
    {false,
     "uint64_t n, uint64_t pad",
     "for (uint64_t i = 0; i < n + pad; i++)\n        a[i] += b[i];",
     {"80, (uint64_t)-3", "80, 3", "0, 0"}},
    {false,
     "uint32_t first, uint32_t last",
     "for (uint32_t i = first; i < last; i++)\n        a[i - first] += b[i - first];",
     {"UINT32_MAX - 100, UINT32_MAX", "UINT32_MAX, 0", "INT_MAX - 5u, INT_MAX + 95u"}},
    {false,
     "int n",
     "for (int i = 0; i < n * 3 - 1; i++)\n        a[i] = b[i];",
     {"40", "0", "-715827882"}},
    {true,
     "uint32_t n, uint32_t pad, int m",
     "for (uint32_t i = 0; i < n + pad; i++)\n        for (int j = 0; j < m; j++)\n"
     "            a[j] = a[j] * 0.5 + b[i];",
     {"80, (uint32_t)-3, 33", "9, 8, 33", "80, (uint32_t)-3, INT_MIN"}},
    {true,
     "signed char n, int16_t m",
     "for (signed char i = 0; i < n; i++)\n        for (int16_t j = 0; j <= m; j++)\n"
     "            a[j] = a[j] * 0.5 + b[i];",
     {"127, 1000", "1, 32766", "127, -32768"}},
    {true,
     "int lo, int hi, int m",
     "for (int i = lo; i < hi; i++)\n        for (int j = 0; j < m; j++)\n"
     "            a[j] = b[i - lo] * 0.5;",
     {"INT_MAX - 37, INT_MAX, 33", "INT_MIN, INT_MIN + 20, 9", "5, 2, 9"}},
    {true,
     "int lo, int hi, int m",
     "for (int i = lo; i < hi; i++)\n        for (int j = m; j < m + 40; j++)\n"
     "            a[j - m] = a[j - m] * 0.5 + b[i - lo];",
     {"INT_MAX - 130, INT_MAX, INT_MAX - 40", "INT_MIN, INT_MIN + 130, INT_MIN",
      "0, 20, 0"}},
    {true,
     "int lo, int hi, int m",
     "for (int i = lo; i <= hi; i++)\n        for (int j = 0; j < m; j++)\n"
     "            a[j] += b[(i - lo) * 48 + j];",
     {"INT_MAX - 40, INT_MAX - 1, 33", "INT_MIN, INT_MIN + 20, 9", "3, 20, 40",
      "9, 3, INT_MIN"}},
    {true,
     "uint64_t lo, uint64_t hi, int m",
     "for (uint64_t i = lo; i < hi; i++)\n        for (int j = 0; j < m; j++)\n"
     "            a[j] += b[(i - lo) * 48 + j];",
     {"0, 20, 33", "UINT64_MAX - 20, UINT64_MAX, 9", "5, 2, 9", "7, 90, INT_MIN"}},
    {true,
     "uint32_t first, uint32_t last, long m",
     "for (uint32_t i = first; i < last; i++)\n        for (long j = 0; j < m; j++)\n"
     "            a[j] = a[j] * 0.5 + b[i - first];",
     {"UINT32_MAX - 37, UINT32_MAX, 50", "3, 60, 50", "3, 60, LONG_MIN"}},
    {true,
     "unsigned first, unsigned last, unsigned char m",
     "for (unsigned i = first; i < last; i++)\n"
     "        for (unsigned char j = 0; j < m; j++)\n"
     "            a[i - first] = a[i - first] * 0.5 + b[j * 48 + (i - first)];",
     {"UINT32_MAX - 37, UINT32_MAX, 33", "3, 37, 21", "5, 2, 9"}},
};

enum { LEGAL_AT_LEAST = 6 };

/* What runs kernel_0, the original, and the variants with each call's values and says
 * which differ. Signed overflow traps. */
static char *comparing_main(const struct end_case *item, const struct strvec *plans)
{
    struct buf text = {0};
    buf_addf(&text, "#include \"%s/ends.h\"\ntypedef void kernel_fn(%s, ARRAYS);\n",
             TYPES_DATA, item->params);
    for (size_t i = 0; i <= plans->nr; i++)
        buf_addf(&text, "kernel_fn kernel_%zu;\n", i);
    buf_add(&text, "int main(void)\n{\n");
    for (size_t k = 0; k < ARRAY_SIZE(item->call) && item->call[k]; k++) {
        buf_addf(&text, "    start();\n    kernel_0(%s, a, b);\n    keep();\n",
                 item->call[k]);
        for (size_t i = 0; i < plans->nr; i++)
            buf_addf(
                &text,
                "    start();\n    kernel_%zu(%s, a, b);\n    compare(\"%s: %s\");\n",
                i + 1, item->call[k], plans->v[i], item->call[k]);
    }
    buf_add(&text, "    return 0;\n}\n");
    return buf_detach(&text);
}

static void check_ends(const struct end_case *item)
{
    const char *const *plan = item->deep ? deep_plans : flat_plans;
    size_t plan_nr = item->deep ? ARRAY_SIZE(deep_plans) : ARRAY_SIZE(flat_plans);
    struct programs programs;
    struct strvec legal = {0};
    struct loops loops;
    char *text = xasprintf("#include <stdint.h>\nvoid kernel(%s, double *restrict a, "
                           "const double *restrict b)\n{\n    %s\n}\n",
                           item->params, item->loop),
         *main;
    if (programs_start(&programs,
                       INFLIGHT_CC " -std=gnu17 -O1 -w -ffp-contract=off -fopenmp "
                                   "-fsanitize=undefined "
                                   "-fsanitize-undefined-trap-on-error") &&
        open_text(&loops, text, NULL)) {
        programs_add(&programs, "", text);
        for (size_t i = 0; i < plan_nr; i++) {
            struct buf variant = {0};
            struct error why = {0};
            if (loops_emit(&loops, plan[i], &variant, &why) == 0) {
                strvec_push(&legal, plan[i]);
                programs_add(&programs, plan[i], buf_str(&variant));
            }
            buf_release(&variant);
        }
        check(legal.nr >= LEGAL_AT_LEAST);
        main = comparing_main(item, &legal);
        programs_build(&programs, main);
        free(main);
        loops_close(&loops);
    }
    programs_release(&programs);
    strvec_release(&legal);
    free(text);
}

TEST("nothing overflows that did not")
{
    for (size_t i = 0; i < ARRAY_SIZE(end_cases); i++)
        check_ends(&end_cases[i]);
}

/* ---- what can never be ---- */

TEST("what never runs is refused")
{
    static const char *const texts[] = {
        "void kernel(unsigned n, double *restrict a)\n{\n"
        "    for (int i = -3; i < n; i++)\n        a[i + 3] = 1;\n}\n",
        "void kernel(int n, double *restrict a)\n{\n"
        "    for (int i = 0; i < n; i++)\n        if (i - 5 < 1000u)\n"
        "            a[i] = 2;\n}\n"};
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        struct loops loops;
        struct error err = {0};
        if (!open_text(&loops, texts[i], NULL))
            continue;
        check(loops_check(&loops, "tile(i:8)", NULL, &err) != 0);
        check_contains(err.text,
                       "it would rest on something impossible: what is compared with "
                       "an unsigned number at line");
        loops_close(&loops);
    }
}
