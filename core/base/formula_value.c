/* What a formula is worth. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/formula_parts.h"

/* One pass: what each name is, what each node gives. */
struct pass {
    const struct formula *formula;
    double *name, *node;
    const double *centre; /* nodes with all names at their values; NULL = this is it */
    const struct formula_node *zero; /* the division that has no value */
};

static bool divides(struct pass *pass, const struct formula_node *node, double divisor)
{
    bool crosses = pass->centre && (divisor < 0) != (pass->centre[node->right] < 0);

    if (divisor != 0 && !crosses)
        return true;
    pass->zero = node;
    return false;
}

static double node_value(struct pass *pass, const struct formula_node *node)
{
    double left = pass->node[node->left], right = pass->node[node->right];

    switch (node->op) {
    case OP_NUMBER:
        return node->number;
    case OP_NAME:
        return pass->name[node->left];
    case OP_ADD:
        return left + right;
    case OP_SUBTRACT:
        return left - right;
    case OP_MULTIPLY:
        return left * right;
    case OP_MIN:
        return fmin(left, right);
    case OP_MAX:
        return fmax(left, right);
    case OP_DIVIDE:
        break;
    }
    return divides(pass, node, right) ? left / right : NAN;
}

/* The last node is the whole; NaN when a division has no value. */
static double run_pass(struct pass *pass)
{
    const struct formula *formula = pass->formula;

    for (size_t i = 0; i < formula->node_nr; i++) {
        pass->node[i] = node_value(pass, &formula->node[i]);
        if (pass->zero)
            return NAN;
    }
    return pass->node[formula->node_nr - 1];
}

static int ask_parts(const struct formula *formula,
                     struct quantity (*of)(void *data, const char *name), void *data,
                     struct quantity *part, struct strvec *missing, struct error *err)
{
    const char *first = NULL;

    for (size_t i = 0; i < formula->name.nr; i++) {
        part[i] = of(data, formula->name.v[i]);
        if (part[i].known)
            continue;
        first = first ? first : formula->name.v[i];
        if (missing)
            strvec_push(missing, formula->name.v[i]);
    }
    return first ? fail(err, STATUS_MISSING, "'%s' is not known", first) : 0;
}

static int no_value(const struct formula *formula, const struct pass *pass,
                    struct error *err)
{
    if (pass->zero)
        return fail(err, STATUS_MISSING, "formula '%s', column %zu: division by %s",
                    formula->text.v[pass->zero->text], pass->zero->column,
                    pass->centre ? "what may be 0 within its uncertainty" : "0");
    return fail(err, STATUS_MISSING, "formula '%s': its value is too large",
                formula->text.v[0]);
}

/* The excursions of the whole while name i goes to the ends of its interval. */
static int excursion(struct pass *pass, size_t i, struct quantity part, double value,
                     double *down, double *up)
{
    const double end[] = {part.low, part.high};

    *down = *up = 0;
    for (int k = 0; k < 2; k++) {
        pass->name[i] = end[k];
        double there = run_pass(pass);
        if (!isfinite(there))
            return -1;
        *down = fmax(*down, value - there);
        *up = fmax(*up, there - value);
    }
    pass->name[i] = part.value;
    return 0;
}

static int spread(struct pass *pass, const struct quantity *part, double value,
                  double *down, double *up)
{
    *down = *up = 0;
    for (size_t i = 0; i < pass->formula->name.nr; i++) {
        double one_down, one_up;

        if (excursion(pass, i, part[i], value, &one_down, &one_up))
            return -1;
        *down = hypot(*down, one_down);
        *up = hypot(*up, one_up);
    }
    return 0;
}

/* What is behind all parts together. */
static struct quantity pedigree(const struct quantity *part, size_t nr)
{
    struct quantity all = quantity_exact(0, PROVENANCE_DERIVED);

    for (size_t i = 0; i < nr; i++)
        all = i ? quantity_add(all, part[i]) : part[0];
    return all;
}

static struct quantity evaluate(const struct formula *formula, struct pass *pass,
                                const struct quantity *part, struct error *err)
{
    struct quantity all = pedigree(part, formula->name.nr);
    double *centre = xcalloc(formula->node_nr, sizeof(*centre));
    double value, down, up;
    struct quantity result = quantity_unknown();

    for (size_t i = 0; i < formula->name.nr; i++)
        pass->name[i] = part[i].value;
    value = run_pass(pass);
    if (isfinite(value)) {
        memcpy(centre, pass->node, formula->node_nr * sizeof(*centre));
        pass->centre = centre;
        if (spread(pass, part, value, &down, &up) == 0)
            result = quantity_between(value, value - down, value + up, all.runs,
                                      all.provenance);
    }
    if (!result.known || !isfinite(result.high - result.low)) {
        no_value(formula, pass, err);
        result = quantity_unknown();
    }
    free(centre);
    return result;
}

struct quantity formula_value(const struct formula *formula,
                              struct quantity (*of)(void *data, const char *name),
                              void *data, struct strvec *missing, struct error *err)
{
    struct quantity *part = xcalloc(formula->name.nr + 1, sizeof(*part));
    struct quantity result = quantity_unknown();

    if (ask_parts(formula, of, data, part, missing, err) == 0) {
        struct pass pass = {.formula = formula};

        pass.name = xcalloc(formula->name.nr + 1, sizeof(*pass.name));
        pass.node = xcalloc(formula->node_nr, sizeof(*pass.node));
        result = evaluate(formula, &pass, part, err);
        free(pass.name);
        free(pass.node);
    }
    free(part);
    return result;
}
