/* Formulas over named quantities: values, intervals, what is wrong with them. */
#include "core/base/formula.h"

#include <math.h>
#include <string.h>

#include "tests/check.h"

SUITE(base_formula);

static const struct {
    const char *name;
    struct quantity value;
} known[] = {
    {"a", {true, 100, 90, 110, 5, PROVENANCE_PAPI, 0, false}},
    {"b", {true, 300, 260, 340, 3, PROVENANCE_PAPI, 0, false}},
    {"exact", {true, 50, 50, 50, 0, PROVENANCE_PAPI, 0, false}},
    {"timed", {true, 2, 1, 3, 7, PROVENANCE_CLOCK, 0, false}},
    {"around", {true, 0.5, -1, 1, 0, PROVENANCE_PAPI, 0, false}},
    {"to_zero", {true, 1, 0, 2, 0, PROVENANCE_PAPI, 0, false}},
    {"zero", {true, 0, 0, 0, 0, PROVENANCE_PAPI, 0, false}},
    {"x_imc%d::CAS:RD", {true, 7, 7, 7, 0, PROVENANCE_PAPI, 0, false}},
    {"uncore_imc_0/cas_count_read/", {true, 11, 11, 11, 0, PROVENANCE_PAPI, 0, false}},
    {"perf::PAGE-FAULTS", {true, 4, 4, 4, 0, PROVENANCE_PAPI, 0, false}},
    {"huge", {true, 1e300, 1e300, 1e300, 0, PROVENANCE_PAPI, 0, false}},
};

static struct quantity of(void *data, const char *name)
{
    ++*(int *)data;
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].value;
    return quantity_unknown();
}

static struct quantity value_of(const char *text, struct strvec *missing,
                                struct error *err)
{
    struct formula *formula;
    struct quantity value = quantity_unknown();
    int asked = 0;

    if (!check_ok(formula_parse(text, &formula, err), err))
        return value;
    value = formula_value(formula, of, &asked, missing, err);
    check_eq(asked, formula_names(formula)->nr);
    formula_free(formula);
    return value;
}

TEST("values and intervals")
{
    const double apart = sqrt(10 * 10 + 40 * 40), share_low = 90.0 / 390,
                 share_high = 110.0 / 410, share_b_low = 100.0 / 440,
                 share_b_high = 100.0 / 360;
    const struct {
        const char *text;
        double value, low, high;
    } cases[] = {
        {"1", 1, 1, 1},
        {" 2 * 3 + 4 * 0x10 - 1e1/ 5 ", 68, 68, 68},
        {"2 - 3 - 4", -5, -5, -5},
        {"24 / 4 / 2", 3, 3, 3},
        {"-(2 + 3) * -2", 10, 10, 10},
        {"a", 100, 90, 110},
        {"a * 64", 6400, 5760, 7040},
        {"a + b", 400, 400 - apart, 400 + apart},
        {"b - a", 200, 200 - apart, 200 + apart},
        {"a + a", 200, 180, 220}, /* one error, not two */
        {"a - a", 0, 0, 0},
        {"a / a", 1, 1, 1},
        {"a / (a + b)", 0.25, 0.25 - hypot(0.25 - share_low, 0.25 - share_b_low),
         0.25 + hypot(share_high - 0.25, share_b_high - 0.25)},
        {"exact / timed", 25, 50.0 / 3, 50},
        {"d_ratio(exact, timed)", 25, 50.0 / 3, 50},
        {"min(a, b) + max(a, b)", 400, 400 - apart, 400 + apart},
        {"min(a, 95)", 95, 90, 95},
        {"x_imc%d::CAS:RD * 2", 14, 14, 14},
        {"\"uncore_imc_0/cas_count_read/\" - 1", 10, 10, 10},
        {"perf::PAGE-FAULTS -1", 3, 3, 3},
        {"(around + 2) * 2", 5, 2, 6},
        {"min (a, 1)", 1, 1, 1},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};
        struct quantity value = value_of(cases[i].text, NULL, &err);

        if (!check(value.known))
            check_str(cases[i].text, err.text);
        check_near(value.value, cases[i].value, 1e-12);
        check_near(value.low, cases[i].low, 1e-12);
        check_near(value.high, cases[i].high, 1e-12);
    }
}

TEST("runs and provenance")
{
    struct error err = {0};
    struct quantity both = value_of("a + b", NULL, &err),
                    mixed = value_of("a / timed", NULL, &err),
                    none = value_of("1 + 1", NULL, &err);

    check_eq(both.provenance, PROVENANCE_PAPI);
    check_eq(both.runs, 3);
    check_eq(mixed.provenance, PROVENANCE_DERIVED);
    check_eq(mixed.runs, 5);
    check_eq(none.provenance, PROVENANCE_DERIVED);
    check_eq(none.runs, 0);
}

TEST("what has no value")
{
    static const struct {
        const char *text, *sentence;
        size_t missing;
    } cases[] = {
        {"a + nothing * (none + nothing)", "'nothing' is not known", 2},
        {"a-b", "'a-b' is not known", 1},
        {"a / zero", "formula 'a / zero', column 3: division by 0", 0},
        {"1 + a / (b - b)", "column 7: division by 0", 0},
        {"d_ratio(a, zero)", "column 8: division by 0", 0},
        {"a / around", "column 3: division by what may be 0 within its", 0},
        {"a / to_zero", "column 3: division by what may be 0 within its", 0},
        {"huge * huge", "formula 'huge * huge': its value is too large", 0},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct strvec missing = {0};
        struct error err = {0};
        struct quantity value = value_of(cases[i].text, &missing, &err);

        check(!value.known);
        check_contains(err.text, cases[i].sentence);
        check_eq(missing.nr, cases[i].missing);
        strvec_release(&missing);
    }
}

TEST("what is no formula")
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"", "column 1: expected a number, a name or '(', got the end"},
        {"a +", "column 4: expected a number, a name or '(', got the end"},
        {"a b", "column 3: expected an operator or the end, got 'b'"},
        {"(a * 2", "column 7: expected ')' or an operator, got the end"},
        {"a * (b + )", "column 10: expected a number, a name or '(', got ')'"},
        {"min(a)", "column 6: expected ',' and a second operand, got ')'"},
        {"max(a, b, c)", "column 9: expected ')', got ','"},
        {"2 * \"open", "column 5: expected a name in double quotes"},
        {"\"\"", "expected a name in double quotes"},
        {"3 $ 4", "column 3: expected an operator or the end, got '$'"},
        {"1e999", "column 1: expected a finite number"},
        {".", "expected a finite number"},
        {"2 * * 3", "column 5: "},
    };
    char deep[400];

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct formula *formula;
        struct error err = {0};

        check_fails(formula_parse(cases[i].text, &formula, &err), &err, STATUS_INPUT,
                    cases[i].part);
        check(formula == NULL);
    }
    memset(deep, '(', sizeof(deep) - 1);
    deep[sizeof(deep) - 1] = '\0';
    struct formula *formula;
    struct error err = {0};
    check_fails(formula_parse(deep, &formula, &err), &err, STATUS_INPUT,
                "more than 100 parentheses");
}

TEST("names once in order")
{
    struct formula *formula;
    struct error err = {0};

    if (!check_ok(formula_parse("b * a + b / \"c d\" + 1", &formula, &err), &err))
        return;
    check_eq(formula_names(formula)->nr, 3);
    check_str(formula_names(formula)->v[0], "b");
    check_str(formula_names(formula)->v[1], "a");
    check_str(formula_names(formula)->v[2], "c d");
    formula_free(formula);
    formula_free(NULL);
}

static const struct formula *half_of_a(void *data, const char *name)
{
    return strcmp(name, "half") == 0 ? data : NULL;
}

/* In two places, but one quantity. */
TEST("formulas within formulas")
{
    struct formula *half, *outer, *flat;
    struct error err = {0};
    int asked = 0;

    if (!check_ok(formula_parse("a / 2", &half, &err), &err) ||
        !check_ok(formula_parse("half / (half + b) + half - half", &outer, &err), &err))
        return;
    flat = formula_inlined(outer, half_of_a, half);
    check_eq(formula_names(flat)->nr, 2);
    check_str(formula_names(flat)->v[0], "a");
    struct quantity value = formula_value(flat, of, &asked, NULL, &err);
    check_near(value.value, 50 / 350.0, 1e-12);
    check_near(value.low,
               50 / 350.0 - hypot(50 / 350.0 - 45 / 345.0, 50 / 350.0 - 50 / 390.0),
               1e-9);
    formula_free(flat);
    formula_free(half);
    formula_free(outer);

    if (!check_ok(formula_parse("a / zero", &half, &err), &err) ||
        !check_ok(formula_parse("1 + 1 + half", &outer, &err), &err))
        return;
    flat = formula_inlined(outer, half_of_a, half);
    check(!formula_value(flat, of, &asked, NULL, &err).known);
    check_str(err.text, "formula 'a / zero', column 3: division by 0");
    formula_free(flat);
    formula_free(half);
    formula_free(outer);
}

/* Each stands twice in the next: no copies are made. */
TEST("formulas do not double")
{
    struct formula *twice, *half;
    struct error err = {0};
    int asked = 0;

    if (!check_ok(formula_parse("a", &half, &err), &err) ||
        !check_ok(formula_parse("half + half", &twice, &err), &err))
        return;
    for (int i = 0; i < 60; i++) {
        struct formula *more = formula_inlined(twice, half_of_a, half);

        formula_free(half);
        half = more;
    }
    check_near(formula_value(half, of, &asked, NULL, &err).value, ldexp(100, 60), 0);
    formula_free(half);
    formula_free(twice);
}
