#include "variants/model/recurrence.h"

#include <string.h>

#include "variants/ir/sum.h"

struct scan {
    struct ir_arena *arena;
    bool (*varies)(const struct ir_symbol *, const void *);
    const void *data;
    const struct ir_symbol *root; /* of the target */
    struct recurrence found;
    bool failed;
};

static void refuse(struct scan *scan, const char *why, int line)
{
    if (!scan->failed) {
        scan->found.kind = RECURRENCE_NONE;
        scan->found.why = why;
        scan->found.line = line;
    }
    scan->failed = true;
}

static bool mentions(const struct scan *scan, const struct ir_expr *expr)
{
    return expr && expr_mentions(expr, scan->root);
}

static bool is_target(const struct scan *scan, const struct ir_expr *expr)
{
    return expr_root(expr) == scan->root && expr_equal(expr, scan->found.target);
}

/* ---- types ---- */

static bool is_float(const struct ir_type *type)
{
    return type->scalar == IR_FLOAT && !type->pointers;
}

/* Whether partial results of integers are those of the whole, but for bits that are lost
 * in any case: nothing is made in a type wider than the target. */
static bool type_fits(const struct scan *scan, const struct ir_type *term, bool sum)
{
    const struct ir_type *type = &scan->found.target->type;
    if (is_float(type))
        return !term->pointers && (is_float(term) || term->scalar == IR_INT);
    if (type->scalar != IR_INT || term->scalar != IR_INT || term->pointers)
        return false;
    return type->bytes >= 4 ? term->bytes <= type->bytes : sum && term->bytes <= 2;
}

bool recurrence_rounds(const struct recurrence *recurrence)
{
    return is_float(&recurrence->target->type);
}

bool recurrence_overflows(const struct recurrence *recurrence)
{
    const struct ir_type *type = &recurrence->target->type;
    return type->scalar == IR_INT && !type->is_unsigned &&
           (recurrence->kind == RECURRENCE_SUM ||
            recurrence->kind == RECURRENCE_PRODUCT ||
            recurrence->kind == RECURRENCE_LINEAR);
}

bool recurrence_of_tables(const struct recurrence *recurrence)
{
    const struct ir_expr *target = recurrence->target;
    enum recurrence_kind kind = recurrence->kind;
    return target->kind == IR_INDEX &&
           !expr_mentions(target->arg[1], expr_root(target)) &&
           (kind == RECURRENCE_SUM || kind == RECURRENCE_OR || kind == RECURRENCE_XOR);
}

const char *recurrence_word(enum recurrence_kind kind)
{
    static const char *const words[] = {"",
                                        "sum",
                                        "product",
                                        "and",
                                        "or",
                                        "xor",
                                        "minimum or maximum",
                                        "linear recurrence"};
    return words[kind];
}

/* ---- s * factor + rest ---- */

struct linear {
    struct ir_expr *factor, *rest; /* NULL = 0 */
    bool one;                      /* the factor is 1 */
};

struct fixed {
    const struct scan *scan;
    bool all;
};

static void look_fixed(struct ir_expr *expr, void *data)
{
    struct fixed *fixed = data;
    bool plain = expr->kind == IR_LITERAL || expr->kind == IR_CAST ||
                 expr_is_polynomial(expr) ||
                 (expr->kind == IR_UNARY && !strcmp(expr->op, "-"));
    if (expr->kind == IR_NAME)
        plain =
            !expr->type.pointers && !fixed->scan->varies(expr->symbol, fixed->scan->data);
    fixed->all = fixed->all && plain;
}

static bool is_fixed(const struct scan *scan, struct ir_expr *expr)
{
    struct fixed fixed = {scan, true};
    ir_visit(expr, look_fixed, &fixed);
    return fixed.all;
}

/* As the source would write it. */
static struct ir_expr *both(const struct scan *scan, const char *op, struct ir_expr *a,
                            struct ir_expr *b)
{
    struct ir_expr *expr = ir_binary(scan->arena, op, a, b);
    expr->is_ours = false;
    return expr;
}

static struct ir_expr *plus(const struct scan *scan, const char *op, struct ir_expr *a,
                            struct ir_expr *b)
{
    return a && b ? both(scan, op, a, b) : a ? a : b;
}

static struct ir_expr *negated(const struct scan *scan, struct ir_expr *expr)
{
    struct ir_expr *minus = ir_expr_new(scan->arena, IR_UNARY, 1);
    minus->op = "-";
    minus->type = expr->type;
    minus->arg[0] = expr;
    return minus;
}

static bool linear_of(const struct scan *scan, struct ir_expr *expr, struct linear *out);

static bool linear_sum(const struct scan *scan, struct ir_expr *expr, struct linear *out)
{
    struct linear a, b;
    if (!linear_of(scan, expr->arg[0], &a) || !linear_of(scan, expr->arg[1], &b) ||
        ((a.factor || a.one) && (b.factor || b.one)))
        return false;
    if (*expr->op == '-' && (b.factor || b.one))
        return false;
    if (*expr->op == '-' && !a.rest) /* s - t */
        b.rest = negated(scan, b.rest);
    out->factor = a.factor ? a.factor : b.factor;
    out->one = a.one || b.one;
    out->rest = plus(scan, expr->op, a.rest, b.rest);
    return true;
}

static bool linear_product(const struct scan *scan, struct ir_expr *a, struct ir_expr *b,
                           struct linear *out)
{
    bool left = mentions(scan, a);
    struct ir_expr *with = left ? a : b, *by = left ? b : a;
    struct linear inner;
    if (mentions(scan, by) || !is_fixed(scan, by) || !linear_of(scan, with, &inner))
        return false;
    out->factor = inner.one ? by : both(scan, "*", inner.factor, by);
    out->rest = inner.rest ? both(scan, "*", inner.rest, by) : NULL;
    out->one = false;
    return true;
}

static bool linear_of(const struct scan *scan, struct ir_expr *expr, struct linear *out)
{
    *out = (struct linear){0};
    if (!mentions(scan, expr)) {
        out->rest = expr;
        return true;
    }
    if (is_target(scan, expr)) {
        out->one = true;
        return true;
    }
    if (expr->kind == IR_CALL && expr_is_math(expr) && expr->arg_nr == 3 &&
        !strncmp(expr->text, "fma", 3))
        return linear_of(
            scan,
            ir_binary(scan->arena, "+",
                      ir_binary(scan->arena, "*", expr->arg[0], expr->arg[1]),
                      expr->arg[2]),
            out);
    if (expr->kind != IR_BINARY || expr->op[1])
        return false;
    if (*expr->op == '*')
        return linear_product(scan, expr->arg[0], expr->arg[1], out);
    return strchr("+-", *expr->op) && linear_sum(scan, expr, out);
}

/* New sums of what the source adds one after the other may overflow where they are
 * signed: there only s * factor + rest as it stands. */
static bool linear_is_safe(const struct scan *scan, const struct linear *linear,
                           const struct ir_expr *expr)
{
    const struct ir_type *type = &scan->found.target->type;
    if (is_float(type) || type->is_unsigned)
        return true;
    for (size_t i = 0; i < expr->arg_nr; i++)
        if (linear->rest == expr->arg[i])
            return true;
    return !linear->rest;
}

static void take_linear(struct scan *scan, struct ir_expr *expr, bool at_times, int line)
{
    struct linear linear;
    if (scan->found.kind != RECURRENCE_NONE || at_times ||
        !linear_of(scan, expr, &linear) || !linear.factor ||
        !linear_is_safe(scan, &linear, expr) ||
        !type_fits(scan, &linear.factor->type, false) ||
        (linear.rest && !type_fits(scan, &linear.rest->type, false))) {
        refuse(scan, "is computed from its previous value in another way", line);
        return;
    }
    scan->found.kind = RECURRENCE_LINEAR;
    scan->found.factor = linear.factor;
    scan->found.rest = linear.rest;
}

/* ---- updates ---- */

static enum recurrence_kind kind_of(char op)
{
    switch (op) {
    case '+':
    case '-':
        return RECURRENCE_SUM;
    case '*':
        return RECURRENCE_PRODUCT;
    case '&':
        return RECURRENCE_AND;
    case '|':
        return RECURRENCE_OR;
    case '^':
        return RECURRENCE_XOR;
    default:
        return RECURRENCE_NONE;
    }
}

static void take(struct scan *scan, enum recurrence_kind kind, const struct ir_type *term,
                 int line)
{
    bool bits = kind >= RECURRENCE_AND;
    if (scan->found.kind != RECURRENCE_NONE && scan->found.kind != kind)
        refuse(scan, "is computed in several ways", line);
    else if (!type_fits(scan, term, kind == RECURRENCE_SUM || bits) &&
             kind != RECURRENCE_SELECT)
        refuse(scan, "is computed in a wider type", line);
    else
        scan->found.kind = kind;
}

/* The other way round where the two sides change places. */
static const char *swapped(const char *op)
{
    static const char *const pair[][2] = {
        {"<", ">"}, {">", "<"}, {"<=", ">="}, {">=", "<="}};
    for (size_t i = 0; i < sizeof(pair) / sizeof(pair[0]); i++)
        if (!strcmp(op, pair[i][0]))
            return pair[i][1];
    return NULL;
}

static const char *opposite(const char *op)
{
    static const char *const pair[][2] = {
        {"<", ">="}, {">", "<="}, {"<=", ">"}, {">=", "<"}};
    for (size_t i = 0; i < sizeof(pair) / sizeof(pair[0]); i++)
        if (!strcmp(op, pair[i][0]))
            return pair[i][1];
    return NULL;
}

/* `value op s`, or the same with its sides changed: the operator as in the former; NULL =
 * it is none. */
static const char *compares(const struct scan *scan, const struct ir_expr *cond,
                            const struct ir_expr *value)
{
    if (!cond || cond->kind != IR_BINARY || !swapped(cond->op) || mentions(scan, value))
        return NULL;
    if (is_target(scan, cond->arg[1]) && expr_equal(cond->arg[0], value))
        return cond->op;
    if (is_target(scan, cond->arg[0]) && expr_equal(cond->arg[1], value))
        return swapped(cond->op);
    return NULL;
}

static void take_select(struct scan *scan, const char *op, const struct ir_expr *call,
                        const struct ir_expr *value, int line)
{
    bool other = scan->found.kind == RECURRENCE_SELECT &&
                 (!scan->found.op != !op || (op && scan->found.op[0] != op[0]) ||
                  (call && strcmp(call->text, scan->found.call->text)));
    take(scan, other ? RECURRENCE_NONE : RECURRENCE_SELECT, &value->type, line);
    if (other)
        refuse(scan, "is computed in several ways", line);
    scan->found.op = op;
    scan->found.call = call;
}

static bool is_extreme(const struct ir_expr *call)
{
    const char *name =
        call->text && !strncmp(call->text, "std::", 5) ? call->text + 5 : call->text;
    return expr_is_math(call) && call->arg_nr == 2 && name &&
           (!strncmp(name, "fmin", 4) || !strncmp(name, "fmax", 4));
}

/* s = c ? v : s and the like, s = fmax(s, v); false when it is none of these. */
static bool assigns_select(struct scan *scan, const struct ir_expr *right, int line)
{
    if (right->kind == IR_CALL && is_extreme(right))
        for (size_t i = 0; i < 2; i++)
            if (is_target(scan, right->arg[i]) && !mentions(scan, right->arg[!i])) {
                take_select(scan, NULL, right, right->arg[!i], line);
                return true;
            }
    if (right->kind != IR_COND)
        return false;
    for (size_t i = 1; i < 3; i++) {
        const struct ir_expr *value = right->arg[i], *kept = right->arg[3 - i];
        const char *op = compares(scan, right->arg[0], value);
        if (!op || !is_target(scan, kept))
            continue;
        take_select(scan, i == 1 ? op : opposite(op), NULL, value, line);
        return true;
    }
    return false;
}

static void assigns(struct scan *scan, const struct ir_expr *expr, bool at_times)
{
    struct ir_expr *right = expr->arg[1];
    if (assigns_select(scan, right, expr->line))
        return;
    if (right->kind == IR_BINARY && !right->op[1] && kind_of(*right->op))
        for (size_t i = 0; i < (*right->op == '-' ? 1 : 2); i++)
            if (is_target(scan, right->arg[i]) && !mentions(scan, right->arg[!i])) {
                take(scan, kind_of(*right->op), &right->arg[!i]->type, expr->line);
                return;
            }
    take_linear(scan, right, at_times, expr->line);
}

static void look_at_expr(struct scan *scan, const struct ir_expr *expr, bool at_times)
{
    if (!mentions(scan, expr))
        return;
    bool moves = expr_is_step(expr) && is_target(scan, expr->arg[0]);
    if (moves) {
        take(scan, RECURRENCE_SUM, &expr->arg[0]->type, expr->line);
        return;
    }
    if (expr->kind != IR_ASSIGN || !is_target(scan, expr->arg[0])) {
        refuse(scan, "is used otherwise", expr->line);
        return;
    }
    if (!strcmp(expr->op, "=")) {
        if (mentions(scan, expr->arg[1]))
            assigns(scan, expr, at_times);
        else
            refuse(scan, "is set anew", expr->line);
        return;
    }
    if (mentions(scan, expr->arg[1]) || strlen(expr->op) != 2 || !kind_of(*expr->op))
        refuse(scan, "is computed from its previous value in another way", expr->line);
    else
        take(scan, kind_of(*expr->op), &expr->arg[1]->type, expr->line);
}

/* ---- statements ---- */

/* if (v > s) s = v; and nothing else in it */
static bool is_select_if(struct scan *scan, const struct ir_stmt *stmt)
{
    const struct ir_stmt *then = stmt->child_nr ? stmt->child[0] : NULL;
    while (then && then->kind == IR_BLOCK && then->child_nr == 1)
        then = then->child[0];
    if (!then || then->kind != IR_EXPR || (stmt->child_nr > 1 && stmt->child[1]) ||
        then->expr->kind != IR_ASSIGN || strcmp(then->expr->op, "=") ||
        !is_target(scan, then->expr->arg[0]))
        return false;
    const char *op = compares(scan, stmt->cond, then->expr->arg[1]);
    if (op)
        take_select(scan, op, NULL, then->expr->arg[1], stmt->line);
    return op != NULL;
}

static void look_at(struct scan *scan, const struct ir_stmt *stmt, bool at_times)
{
    const struct ir_expr *part[] = {stmt->cond, stmt->lower, stmt->upper, stmt->increment,
                                    stmt->kind == IR_EXPR ? NULL : stmt->expr};
    if (stmt->kind == IR_IF && mentions(scan, stmt->cond) && is_select_if(scan, stmt))
        return;
    for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
        if (mentions(scan, part[i]))
            refuse(scan, "is used otherwise", stmt->line);
    if (stmt->kind == IR_EXPR)
        look_at_expr(scan, stmt->expr, at_times);
    if (stmt->init)
        look_at(scan, stmt->init, true);
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (stmt->child[i])
            look_at(scan, stmt->child[i], at_times || stmt->kind != IR_BLOCK);
}

struct recurrence recurrence_of(struct ir_arena *arena, const struct ir_stmt *const *stmt,
                                size_t nr, const struct ir_expr *target,
                                bool (*varies)(const struct ir_symbol *, const void *),
                                const void *data)
{
    const struct ir_symbol *root = expr_root(target);
    struct scan scan = {.arena = arena,
                        .varies = varies,
                        .data = data,
                        .root = root,
                        .found = {.target = target}};
    if (!root || root->type.is_volatile ||
        (target->kind == IR_NAME && root->address_taken))
        refuse(&scan, "may change behind the loop's back", target->line);
    for (size_t i = 0; i < nr; i++)
        look_at(&scan, stmt[i], false);
    if (scan.failed)
        scan.found.kind = RECURRENCE_NONE;
    return scan.found;
}
