#include "core/base/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum formula_op {
    OP_NUMBER,
    OP_NAME,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_MIN,
    OP_MAX
};

/* Operands stand before their operator, so that one pass computes all. */
struct formula_node {
    enum formula_op op;
    size_t left, right; /* nodes; of a name: left = its number */
    double number;
    size_t column; /* in which of the formula's texts */
    size_t text;
};

struct formula {
    struct strvec text; /* what was parsed; behind it those of what was put in */
    struct strvec name;
    struct formula_node *node;
    size_t node_nr, node_alloc;
};

/* Deeper than anybody writes, and no danger to the stack. */
enum { depth_max = 100 };

struct parser {
    struct formula *formula;
    const char *at;
    int depth;
    struct error *err;
};

/*
 * Parsing.
 */

static size_t column(const struct parser *parser)
{
    return (size_t)(parser->at - parser->formula->text.v[0]) + 1;
}

static int expected(const struct parser *parser, const char *what)
{
    char found[16] = "the end";

    if (*parser->at)
        snprintf(found, sizeof(found), "'%c'", *parser->at);
    return fail(parser->err, STATUS_INPUT,
                "formula '%s', column %zu: expected %s, got %s",
                parser->formula->text.v[0], column(parser), what, found);
}

static void skip_blanks(struct parser *parser)
{
    parser->at += strspn(parser->at, " \t\n");
}

static bool take(struct parser *parser, char c)
{
    skip_blanks(parser);
    if (*parser->at != c)
        return false;
    parser->at++;
    return true;
}

static size_t add_node(struct formula *formula, struct formula_node node)
{
    GROW(formula->node, formula->node_nr + 1, formula->node_alloc);
    formula->node[formula->node_nr] = node;
    return formula->node_nr++;
}

static size_t number_of_name(struct formula *formula, const char *text, size_t length)
{
    for (size_t i = 0; i < formula->name.nr; i++)
        if (strlen(formula->name.v[i]) == length &&
            strncmp(formula->name.v[i], text, length) == 0)
            return i;
    strvec_pushf(&formula->name, "%.*s", (int)length, text);
    return formula->name.nr - 1;
}

static int parse_sum(struct parser *parser, size_t *out);

static int parse_number(struct parser *parser, size_t *out)
{
    struct formula_node node = {.op = OP_NUMBER, .column = column(parser)};
    char *end;

    node.number = strtod(parser->at, &end);
    if (end == parser->at || !isfinite(node.number))
        return expected(parser, "a finite number");
    parser->at = end;
    *out = add_node(parser->formula, node);
    return 0;
}

static int add_name(struct parser *parser, size_t length, size_t *out)
{
    struct formula *formula = parser->formula;
    struct formula_node node = {.op = OP_NAME, .column = column(parser)};

    node.left = number_of_name(formula, parser->at, length);
    parser->at += length;
    *out = add_node(formula, node);
    return 0;
}

static int parse_quoted(struct parser *parser, size_t *out)
{
    const char *end = strchr(parser->at + 1, '"');

    if (!end || end == parser->at + 1)
        return expected(parser, "a name in double quotes");
    parser->at++;
    add_name(parser, (size_t)(end - parser->at), out);
    parser->at++;
    return 0;
}

static int parse_call(struct parser *parser, enum formula_op op, size_t *out)
{
    struct formula_node node = {.op = op, .column = column(parser)};

    if (!take(parser, '('))
        return expected(parser, "'('");
    if (parse_sum(parser, &node.left))
        return -1;
    if (!take(parser, ','))
        return expected(parser, "',' and a second operand");
    if (parse_sum(parser, &node.right))
        return -1;
    if (!take(parser, ')'))
        return expected(parser, "')'");
    *out = add_node(parser->formula, node);
    return 0;
}

static size_t name_length(const char *at)
{
    size_t length = 0;

    while (isalnum((unsigned char)at[length]) ||
           (at[length] && strchr("_.:=[]%@-", at[length])))
        length++;
    return length;
}

static int parse_word(struct parser *parser, size_t *out)
{
    static const struct {
        const char *word;
        enum formula_op op;
    } calls[] = {{"min", OP_MIN}, {"max", OP_MAX}, {"d_ratio", OP_DIVIDE}};
    size_t length = name_length(parser->at);
    const char *next = parser->at + length + strspn(parser->at + length, " \t\n");

    for (size_t i = 0; *next == '(' && i < ARRAY_SIZE(calls); i++)
        if (strlen(calls[i].word) == length &&
            strncmp(parser->at, calls[i].word, length) == 0) {
            parser->at += length;
            return parse_call(parser, calls[i].op, out);
        }
    return add_name(parser, length, out);
}

static int parse_operand(struct parser *parser, size_t *out)
{
    skip_blanks(parser);
    if (isdigit((unsigned char)*parser->at) || *parser->at == '.')
        return parse_number(parser, out);
    if (*parser->at == '"')
        return parse_quoted(parser, out);
    if (isalpha((unsigned char)*parser->at) || *parser->at == '_')
        return parse_word(parser, out);
    if (!take(parser, '('))
        return expected(parser, "a number, a name or '('");
    if (parse_sum(parser, out))
        return -1;
    return take(parser, ')') ? 0 : expected(parser, "')' or an operator");
}

/* A sign; 0 - x. */
static int parse_signed(struct parser *parser, size_t *out)
{
    struct formula_node minus = {.op = OP_SUBTRACT};

    skip_blanks(parser);
    minus.column = column(parser);
    if (!take(parser, '-'))
        return parse_operand(parser, out);
    minus.left = add_node(parser->formula, (struct formula_node){.op = OP_NUMBER});
    if (parse_operand(parser, &minus.right))
        return -1;
    *out = add_node(parser->formula, minus);
    return 0;
}

static int parse_product(struct parser *parser, size_t *out)
{
    if (parse_signed(parser, out))
        return -1;
    for (;;) {
        struct formula_node node = {.op = OP_MULTIPLY, .left = *out};

        skip_blanks(parser);
        node.column = column(parser);
        if (take(parser, '/'))
            node.op = OP_DIVIDE;
        else if (!take(parser, '*'))
            return 0;
        if (parse_signed(parser, &node.right))
            return -1;
        *out = add_node(parser->formula, node);
    }
}

static int parse_terms(struct parser *parser, size_t *out)
{
    if (parse_product(parser, out))
        return -1;
    for (;;) {
        struct formula_node node = {.op = OP_ADD, .left = *out};

        skip_blanks(parser);
        node.column = column(parser);
        if (take(parser, '-'))
            node.op = OP_SUBTRACT;
        else if (!take(parser, '+'))
            return 0;
        if (parse_product(parser, &node.right))
            return -1;
        *out = add_node(parser->formula, node);
    }
}

static int parse_sum(struct parser *parser, size_t *out)
{
    int result;

    if (++parser->depth > depth_max)
        return fail(parser->err, STATUS_INPUT,
                    "formula, column %zu: more than %d parentheses within each other",
                    column(parser), depth_max);
    result = parse_terms(parser, out);
    parser->depth--;
    return result;
}

int formula_parse(const char *text, struct formula **formula, struct error *err)
{
    struct parser parser = {.formula = xcalloc(1, sizeof(**formula)), .err = err};
    size_t top;

    *formula = NULL;
    strvec_push(&parser.formula->text, text);
    parser.at = parser.formula->text.v[0];
    if (parse_sum(&parser, &top) == 0) {
        skip_blanks(&parser);
        if (!*parser.at) {
            *formula = parser.formula;
            return 0;
        }
        expected(&parser, "an operator or the end");
    }
    formula_free(parser.formula);
    return -1;
}

void formula_free(struct formula *formula)
{
    if (!formula)
        return;
    strvec_release(&formula->name);
    free(formula->node);
    strvec_release(&formula->text);
    free(formula);
}

const struct strvec *formula_names(const struct formula *formula)
{
    return &formula->name;
}

/*
 * Putting formulas in for names.
 */

/* What stands there already is taken again: with formulas within formulas, copies would
 * double at every level. */
static size_t shared_node(struct formula *formula, struct formula_node node)
{
    for (size_t i = 0; i < formula->node_nr; i++) {
        const struct formula_node *there = &formula->node[i];

        if (there->op == node.op && there->left == node.left &&
            there->right == node.right && there->number == node.number)
            return i;
    }
    return add_node(formula, node);
}

static size_t shared_text(struct formula *formula, const char *text)
{
    for (size_t i = 0; i < formula->text.nr; i++)
        if (strcmp(formula->text.v[i], text) == 0)
            return i;
    strvec_push(&formula->text, text);
    return formula->text.nr - 1;
}

/* Appends `from` with its names and texts; the number of its last node, which is new:
 * nothing is a part of itself. */
static size_t append(struct formula *to, const struct formula *from,
                     const struct formula *(*of)(void *data, const char *name),
                     void *data)
{
    size_t *now = xcalloc(from->node_nr, sizeof(*now)), last;

    for (size_t i = 0; i < from->node_nr; i++) {
        struct formula_node node = from->node[i];
        const char *name = node.op == OP_NAME ? from->name.v[node.left] : NULL;
        const struct formula *inner = name && of ? of(data, name) : NULL;

        node.text = shared_text(to, from->text.v[node.text]);
        if (inner) {
            now[i] = append(to, inner, NULL, NULL);
            continue;
        }
        if (name) {
            node.left = number_of_name(to, name, strlen(name));
        } else if (node.op != OP_NUMBER) {
            node.left = now[node.left];
            node.right = now[node.right];
        }
        now[i] = shared_node(to, node);
    }
    last = now[from->node_nr - 1];
    free(now);
    return last;
}

struct formula *formula_inlined(const struct formula *formula,
                                const struct formula *(*of)(void *data, const char *name),
                                void *data)
{
    struct formula *flat = xcalloc(1, sizeof(*flat));

    append(flat, formula, of, data);
    return flat;
}

/* What a formula is worth. */
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
