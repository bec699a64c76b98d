#include "variants/model/increment.h"

#include <stdint.h>
#include <string.h>

#include "core/base/array.h"
#include "variants/ir/ir.h"
#include "variants/ir/sum.h"
#include "variants/model/recurrence.h"

enum { GREATEST = 65535, OF_ANY_TYPE = 127 };

static bool is_op(const struct ir_expr *expr, const char *op)
{
    return expr->op && !strcmp(expr->op, op);
}

/* Of the operands, where both are known. */
static long long of_both(const struct ir_expr *expr, long long a, long long b)
{
    if (is_op(expr, "&")) /* with one that is not negative the other one's sign is lost */
        return a < 0 || (b >= 0 && b < a) ? b : a;
    if (a < 0 || b < 0)
        return -1;
    if (is_op(expr, "+"))
        return a + b;
    if (is_op(expr, "*"))
        return a * b;
    return (is_op(expr, "|") || is_op(expr, "^")) && a <= 1 && b <= 1 ? 1 : -1;
}

static long long of_binary(const struct ir_expr *expr)
{
    static const char *const holds[] = {"<", "<=", ">", ">=", "==", "!=", "&&", "||"};
    for (size_t i = 0; i < ARRAY_SIZE(holds); i++)
        if (is_op(expr, holds[i]))
            return 1;
    return of_both(expr, expr_at_most(expr->arg[0]), expr_at_most(expr->arg[1]));
}

static long long of_cast(const struct ir_expr *expr)
{
    long long value = expr_at_most(expr->arg[0]);
    return expr->type.scalar == IR_INT && value <= OF_ANY_TYPE ? value : -1;
}

static long long of_type(const struct ir_type *type)
{
    return !type->is_unsigned || type->bytes > 2 ? -1 : type->bytes == 1 ? 255 : GREATEST;
}

long long expr_at_most(const struct ir_expr *expr)
{
    long long value = -1;
    if (expr->type.pointers ||
        (expr->type.scalar != IR_INT && expr->type.scalar != IR_BOOL))
        return -1;
    if (expr->has_value)
        value = expr->value;
    else if (expr->type.scalar == IR_BOOL)
        value = 1;
    else if (expr->kind == IR_BINARY)
        value = of_binary(expr);
    else if (expr->kind == IR_UNARY && is_op(expr, "!"))
        value = 1;
    else if (expr->kind == IR_CAST)
        value = of_cast(expr);
    else if (expr->kind == IR_COND) {
        long long a = expr_at_most(expr->arg[1]), b = expr_at_most(expr->arg[2]);
        value = a < 0 || b < 0 ? -1 : a > b ? a : b;
    }
    return value >= 0 && value <= GREATEST ? value : of_type(&expr->type);
}

/* ---- statements ---- */

/* What stands beside the target in `s = s + e`. */
static const struct ir_expr *addend(const struct ir_expr *sum,
                                    const struct ir_expr *target)
{
    if (sum->kind != IR_BINARY || strcmp(sum->op, "+"))
        return NULL;
    return sum->arg[expr_equal(sum->arg[0], target)];
}

static long long of_expr(const struct ir_expr *expr)
{
    if (expr->kind == IR_UNARY)
        return strstr(expr->op, "++") ? 1 : -1;
    const struct ir_expr *more = is_op(expr, "+=")  ? expr->arg[1]
                                 : is_op(expr, "=") ? addend(expr->arg[1], expr->arg[0])
                                                    : NULL;
    return more ? expr_at_most(more) : -1;
}

static long long of_stmt(const struct ir_stmt *stmt, const struct ir_expr *target)
{
    long long most = 0;
    if (!stmt_mentions(stmt, expr_root(target)))
        return 0;
    if (stmt->kind == IR_EXPR)
        return of_expr(stmt->expr);
    if (stmt->kind != IR_BLOCK && stmt->kind != IR_IF)
        return -1;
    for (size_t i = 0; i < stmt->child_nr; i++) {
        long long more = stmt->child[i] ? of_stmt(stmt->child[i], target) : 0;
        if (more < 0)
            return -1;
        most = stmt->kind == IR_BLOCK ? most + more : more > most ? more : most;
    }
    return most;
}

long long increment_at_most(const struct recurrence *sum,
                            const struct ir_stmt *const *stmt, size_t nr)
{
    long long most = 0;
    if (sum->kind != RECURRENCE_SUM || recurrence_rounds(sum))
        return -1;
    for (size_t i = 0; i < nr; i++) {
        long long more = of_stmt(stmt[i], sum->target);
        if (more < 0)
            return -1;
        most += more;
    }
    return most <= GREATEST ? most : -1;
}

size_t increment_bytes(const struct recurrence *sum, long long value)
{
    size_t bytes = value <= 255 ? 1 : value <= GREATEST ? 2 : SIZE_MAX;
    return bytes < sum->target->type.bytes ? bytes : 0;
}

static bool is_one_more(const struct ir_expr *expr)
{
    bool steps = expr->kind == IR_UNARY && strstr(expr->op, "++");
    return steps || (expr->kind == IR_ASSIGN && is_op(expr, "+=") &&
                     expr->arg[1]->has_value && expr->arg[1]->value == 1);
}

struct ir_expr *increment_condition(const struct ir_stmt *stmt)
{
    bool branches = stmt->kind == IR_IF && (stmt->child_nr < 2 || !stmt->child[1]);
    const struct ir_stmt *then = branches ? stmt->child[0] : NULL;
    while (then && then->kind == IR_BLOCK && then->child_nr == 1)
        then = then->child[0];
    bool counts = then && then->kind == IR_EXPR && is_one_more(then->expr);
    return counts ? stmt->cond : NULL;
}
