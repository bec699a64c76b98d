/* Expressions and declarations and statements as C text. */
#include "variants/ir/print.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/ir/ir.h"

/* ---- precedence: what a C compiler needs, and what keeps -Wall quiet ---- */

enum {
    PREC_COMMA = 1,
    PREC_ASSIGN,
    PREC_COND,
    PREC_OR,
    PREC_AND,
    PREC_BITOR,
    PREC_BITXOR,
    PREC_BITAND,
    PREC_EQUAL,
    PREC_RELATION,
    PREC_SHIFT,
    PREC_SUM,
    PREC_PRODUCT,
    PREC_UNARY,
    PREC_POSTFIX,
    PREC_PRIMARY
};

static const struct {
    const char *op;
    int precedence;
} binary_ops[] = {
    {",", PREC_COMMA},     {"||", PREC_OR},      {"&&", PREC_AND},
    {"|", PREC_BITOR},     {"^", PREC_BITXOR},   {"&", PREC_BITAND},
    {"==", PREC_EQUAL},    {"!=", PREC_EQUAL},   {"<", PREC_RELATION},
    {"<=", PREC_RELATION}, {">", PREC_RELATION}, {">=", PREC_RELATION},
    {"<<", PREC_SHIFT},    {">>", PREC_SHIFT},   {"+", PREC_SUM},
    {"-", PREC_SUM},       {"*", PREC_PRODUCT},  {"/", PREC_PRODUCT},
    {"%", PREC_PRODUCT},
};

static int binary_precedence(const char *op)
{
    for (size_t i = 0; i < ARRAY_SIZE(binary_ops); i++)
        if (strcmp(binary_ops[i].op, op) == 0)
            return binary_ops[i].precedence;
    return PREC_COMMA;
}

static int precedence(const struct ir_expr *expr)
{
    switch (expr->kind) {
    case IR_LITERAL:
        return expr->text && expr->text[0] == '-' ? PREC_UNARY : PREC_PRIMARY;
    case IR_NAME:
        return PREC_PRIMARY;
    case IR_INDEX:
    case IR_MEMBER:
    case IR_CALL:
        return PREC_POSTFIX;
    case IR_UNARY:
        return strncmp(expr->op, "post", 4) == 0 ? PREC_POSTFIX : PREC_UNARY;
    case IR_BINARY:
        return binary_precedence(expr->op);
    case IR_ASSIGN:
        return PREC_ASSIGN;
    case IR_COND:
        return PREC_COND;
    case IR_SPELT:
        return expr->arg_nr ? precedence(expr->arg[0]) : PREC_PRIMARY;
    case IR_CAST:
    case IR_RAW:
        break;
    }
    return PREC_UNARY;
}

static bool is_op(const struct ir_expr *expr, const char *op)
{
    return expr->op && strcmp(expr->op, op) == 0;
}

/* The least precedence an operand of a binary operator may have without parentheses. */
static int operand_precedence(const struct ir_expr *parent, const struct ir_expr *operand,
                              bool right)
{
    int own = binary_precedence(parent->op);
    switch (own) {
    case PREC_BITOR:
    case PREC_BITXOR:
    case PREC_BITAND:
        if (is_op(operand, "!"))
            return PREC_POSTFIX;
        return is_op(operand, parent->op) && !right ? own : PREC_UNARY;
    case PREC_SHIFT:
        return PREC_UNARY;
    case PREC_EQUAL:
    case PREC_RELATION:
        return is_op(operand, "!") ? PREC_POSTFIX : PREC_SHIFT;
    case PREC_OR:
        return right ? PREC_BITOR : is_op(operand, "||") ? PREC_OR : PREC_BITOR;
    default:
        return right ? own + 1 : own;
    }
}

/* ---- sums of integers: i + 1 - 1 is i ---- */

static bool is_integral(const struct ir_expr *expr)
{
    return expr->type.pointers > 0 || expr->type.scalar == IR_INT ||
           expr->type.scalar == IR_BOOL;
}

/* A plain decimal int: folding 1u, sizeof or an enumerator would change a type or lose
 * a name. */
static bool is_plain_integer(const struct ir_expr *expr)
{
    if (expr->kind != IR_LITERAL || !expr->has_value || !expr->text)
        return false;
    const char *digits = expr->text + (expr->text[0] == '-');
    bool decimal = *digits && strspn(digits, "0123456789") == strlen(digits) &&
                   (digits[0] != '0' || !digits[1]);
    return decimal && expr->value > INT_MIN && expr->value <= INT_MAX;
}

static bool is_sum(const struct ir_expr *expr)
{
    return expr->kind == IR_BINARY && (is_op(expr, "+") || is_op(expr, "-")) &&
           is_integral(expr);
}

/* A plain integer or a sum of such. */
static bool constant_of(const struct ir_expr *expr, long long *value)
{
    long long a, b;
    if (is_plain_integer(expr)) {
        *value = expr->value;
        return true;
    }
    if (!is_sum(expr) || !constant_of(expr->arg[0], &a) || !constant_of(expr->arg[1], &b))
        return false;
    *value = is_op(expr, "+") ? a + b : a - b;
    return *value > INT_MIN && *value <= INT_MAX;
}

struct sum {
    const struct ir_expr *base; /* NULL = only the constant */
    long long constant;
    int terms;     /* constants seen */
    bool negative; /* or a negative one */
};

static bool sum_add(struct sum *sum, long long value, int sign)
{
    sum->terms++;
    sum->negative = sum->negative || value < 0;
    sum->constant += sign * value; /* both within int */
    return sum->constant > INT_MIN && sum->constant <= INT_MAX;
}

/* expr as base + constant; false when the constant overflows. */
static bool sum_of(const struct ir_expr *expr, struct sum *sum)
{
    long long value;
    struct sum trial = *sum;
    if (is_plain_integer(expr))
        return sum_add(sum, expr->value, 1);
    sum->base = expr;
    if (!is_sum(expr))
        return true;
    const struct ir_expr *a = expr->arg[0], *b = expr->arg[1];
    bool minus = is_op(expr, "-"), done = false;
    if (constant_of(b, &value) && is_integral(a))
        done = sum_add(&trial, value, minus ? -1 : 1) && sum_of(a, &trial);
    else if (!minus && constant_of(a, &value) && is_integral(b))
        done = sum_add(&trial, value, 1) && sum_of(b, &trial);
    if (done)
        *sum = trial;
    return true;
}

/* ---- expressions ---- */

static void print_at(struct buf *out, const struct ir_expr *expr, int min);

static void print_binary(struct buf *out, const struct ir_expr *expr)
{
    print_at(out, expr->arg[0], operand_precedence(expr, expr->arg[0], false));
    buf_addf(out, is_op(expr, ",") ? "%s " : " %s ", expr->op);
    print_at(out, expr->arg[1], operand_precedence(expr, expr->arg[1], true));
}

static void print_unary(struct buf *out, const struct ir_expr *expr)
{
    const char *op = ir_op_text(expr->op);
    if (op != expr->op) {
        print_at(out, expr->arg[0], PREC_POSTFIX);
        buf_add(out, op);
        return;
    }
    buf_add(out, op);
    size_t at = out->length;
    if (op[0] == '_')
        buf_add(out, " ");
    print_at(out, expr->arg[0], PREC_UNARY);
    const char *operand = buf_str(out) + at;
    /* - -x */
    if (*operand && strchr("+-&", *operand) && *operand == op[strlen(op) - 1]) {
        buf_truncate(out, at);
        buf_add(out, "(");
        print_at(out, expr->arg[0], PREC_COMMA);
        buf_add(out, ")");
    }
}

static void print_call(struct buf *out, const struct ir_expr *expr)
{
    buf_addf(out, "%s(", expr->text ? expr->text : expr->symbol->name);
    for (size_t i = 0; i < expr->arg_nr; i++) {
        if (i)
            buf_add(out, ", ");
        print_at(out, expr->arg[i], PREC_ASSIGN);
    }
    buf_add(out, ")");
}

static void print_qualifiers(struct buf *out, const struct ir_type *type)
{
    buf_add(out, type->is_const ? "const " : "");
    buf_add(out, type->is_volatile ? "volatile " : "");
}

static void print_cast(struct buf *out, const struct ir_expr *expr)
{
    const struct ir_type *type = &expr->type;
    buf_add(out, "(");
    if (type->full)
        buf_add(out, type->full);
    else {
        print_qualifiers(out, type);
        buf_addf(out, "%s%s", type->text, type->pointers ? " " : "");
        buf_add_repeat(out, '*', (size_t)type->pointers);
    }
    buf_add(out, ")");
    print_at(out, expr->arg[0], PREC_UNARY);
}

/* Sums and bit operations before a question mark get parentheses, as -Wparentheses
 * wants. */
static void print_cond(struct buf *out, const struct ir_expr *expr)
{
    int test = precedence(expr->arg[0]);
    bool arithmetic = test >= PREC_SHIFT || (test >= PREC_BITOR && test <= PREC_BITAND);
    print_at(out, expr->arg[0], arithmetic ? PREC_UNARY : PREC_OR);
    buf_add(out, " ? ");
    print_at(out, expr->arg[1], PREC_ASSIGN);
    buf_add(out, " : ");
    print_at(out, expr->arg[2], PREC_COND);
}

static void print_plain(struct buf *out, const struct ir_expr *expr)
{
    switch (expr->kind) {
    case IR_INDEX:
        print_at(out, expr->arg[0], PREC_POSTFIX);
        buf_add(out, "[");
        print_at(out, expr->arg[1], PREC_COMMA);
        buf_add(out, "]");
        return;
    case IR_MEMBER:
        print_at(out, expr->arg[0], PREC_POSTFIX);
        buf_addf(out, "%s%s", expr->is_arrow ? "->" : ".", expr->text);
        return;
    case IR_UNARY:
        print_unary(out, expr);
        return;
    case IR_BINARY:
        print_binary(out, expr);
        return;
    case IR_ASSIGN:
        print_at(out, expr->arg[0], PREC_UNARY);
        buf_addf(out, " %s ", expr->op);
        print_at(out, expr->arg[1], PREC_ASSIGN);
        return;
    case IR_COND:
        print_cond(out, expr);
        return;
    case IR_CALL:
        print_call(out, expr);
        return;
    case IR_CAST:
        print_cast(out, expr);
        return;
    case IR_NAME:
        buf_add(out, expr->symbol->name);
        return;
    case IR_LITERAL:
    case IR_RAW:
    case IR_SPELT:
        buf_add(out, expr->text);
        return;
    }
}

static void print_parenthesised(struct buf *out, const struct ir_expr *expr, bool wrap)
{
    buf_add(out, wrap ? "(" : "");
    print_plain(out, expr);
    buf_add(out, wrap ? ")" : "");
}

/* base + constant, folded. */
static void print_sum(struct buf *out, const struct sum *sum, int min)
{
    if (!sum->base) {
        bool wrap = sum->constant < 0 && min > PREC_UNARY;
        buf_addf(out, wrap ? "(%lld)" : "%lld", sum->constant);
        return;
    }
    if (!sum->constant) {
        print_at(out, sum->base, min);
        return;
    }
    bool wrap = min > PREC_SUM;
    buf_add(out, wrap ? "(" : "");
    print_at(out, sum->base, PREC_SUM);
    long long size = sum->constant < 0 ? -sum->constant : sum->constant;
    buf_addf(out, " %c %lld%s", sum->constant < 0 ? '-' : '+', size, wrap ? ")" : "");
}

/* Several constants, x + 0 or x + -1; anything else stays as the user wrote it. */
static bool is_foldable(const struct sum *sum)
{
    return sum->terms > 1 || sum->negative || (sum->terms == 1 && sum->constant == 0);
}

static void print_at(struct buf *out, const struct ir_expr *expr, int min)
{
    struct sum sum = {0};
    if (is_sum(expr) && sum_of(expr, &sum) && is_foldable(&sum))
        print_sum(out, &sum, min);
    else
        print_parenthesised(out, expr, precedence(expr) < min);
}

void ir_print_expr(struct buf *out, const struct ir_expr *expr)
{
    print_at(out, expr, PREC_COMMA);
}

void ir_print_extent(struct buf *out, const struct ir_expr *size, bool more)
{
    buf_add(out, more ? " x " : "");
    print_at(out, size, size->kind == IR_BINARY ? PREC_UNARY : PREC_COMMA);
}

static int part_precedence(const struct ir_expr *expr, size_t index,
                           const struct ir_expr *part)
{
    switch (expr->kind) {
    case IR_INDEX:
        return index ? PREC_COMMA : PREC_POSTFIX;
    case IR_MEMBER:
        return PREC_POSTFIX;
    case IR_UNARY:
        return ir_op_text(expr->op) == expr->op ? PREC_UNARY : PREC_POSTFIX;
    case IR_BINARY:
        return operand_precedence(expr, part, index > 0);
    case IR_COND:
        return index == 1 ? PREC_ASSIGN : index ? PREC_COND : PREC_UNARY;
    case IR_ASSIGN:
        return index ? PREC_ASSIGN : PREC_UNARY;
    case IR_CALL:
        return PREC_ASSIGN;
    default:
        return PREC_UNARY;
    }
}

void print_part(struct buf *out, const struct ir_expr *expr, size_t index,
                const struct ir_expr *part)
{
    print_at(out, part, part_precedence(expr, index, part));
}

void print_factor(struct buf *out, const struct ir_expr *expr)
{
    print_at(out, expr, PREC_POSTFIX);
}

void print_operand(struct buf *out, const struct ir_expr *expr)
{
    print_at(out, expr, PREC_ASSIGN);
}

void print_bound(struct buf *out, const struct ir_expr *expr)
{
    print_at(out, expr, PREC_SHIFT);
}

/* ---- declarations ---- */

void print_declarator(struct buf *out, const struct ir_symbol *symbol)
{
    const struct ir_type *type = &symbol->type;
    int stars = type->pointers - (int)symbol->dim_nr;
    const char *restricted = type->is_restrict ? "restrict" : "";
    bool array_param = symbol->dim_nr > 0 && !symbol->pointer_to_array;
    if (symbol->pointer_to_array)
        buf_addf(out, "(*%s%s%s)", restricted, type->is_restrict ? " " : "",
                 symbol->name);
    else {
        buf_add_repeat(out, '*', stars > 0 ? (size_t)stars : 0);
        if (stars > 0 && !array_param && type->is_restrict)
            buf_add(out, "restrict ");
        buf_add(out, symbol->name);
    }
    for (size_t i = symbol->pointer_to_array; i < symbol->dim_nr; i++) {
        const char *word = i == 0 && array_param ? restricted : "";
        buf_addf(out, "[%s%s", word, *word && symbol->dim[i] ? " " : "");
        if (symbol->dim[i])
            print_at(out, symbol->dim[i], PREC_ASSIGN);
        buf_add(out, "]");
    }
}

void ir_print_declaration(struct buf *out, const struct ir_symbol *symbol)
{
    const struct ir_type *type = &symbol->type;
    if (symbol->as_written) {
        buf_add(out, symbol->as_written);
        return;
    }
    if (symbol->is_static)
        buf_add(out, "static ");
    print_qualifiers(out, type);
    buf_addf(out, "%s ", type->text);
    print_declarator(out, symbol);
}

/* Statements as C text, four spaces a level. */
static void margin(struct buf *out, int indent)
{
    buf_add_repeat(out, ' ', (size_t)indent * 4);
}

static bool is_block(const struct ir_stmt *stmt)
{
    return stmt->kind == IR_BLOCK;
}

/* What may stand under a control statement without braces: neither a declaration (C
 * has none there) nor an `if` whose else could be taken for another's, nor something
 * led by a pragma. */
static bool needs_braces(const struct ir_stmt *body, bool under_if)
{
    if (body->pragma || body->kind == IR_DECL || (body->kind == IR_OPAQUE && body->why))
        return true;
    return under_if && (body->kind == IR_IF || body->kind == IR_FOR ||
                        body->kind == IR_WHILE || body->kind == IR_EMPTY);
}

static void print_block_lines(struct buf *out, const struct ir_stmt *block, int indent)
{
    for (size_t i = 0; i < block->child_nr; i++)
        ir_print_stmt(out, block->child[i], indent);
}

/* The rest of a line that ends in a control head: the body, in braces when they are
 * needed. True when it ended in "}" without a newline, so that else or while may
 * follow on the line. */
static bool print_body(struct buf *out, const struct ir_stmt *body, int indent,
                       bool under_if)
{
    if (!is_block(body) && !needs_braces(body, under_if)) {
        buf_add(out, "\n");
        ir_print_stmt(out, body, indent + 1);
        return false;
    }
    buf_add(out, " {\n");
    if (is_block(body))
        print_block_lines(out, body, indent + 1);
    else
        ir_print_stmt(out, body, indent + 1);
    margin(out, indent);
    buf_add(out, "}");
    return true;
}

/* `if ((a = b))`: the second pair tells the compiler that it is meant. */
static void print_condition(struct buf *out, const struct ir_expr *cond)
{
    bool assigns = cond->kind == IR_ASSIGN;
    buf_add(out, assigns ? "((" : "(");
    ir_print_expr(out, cond);
    buf_add(out, assigns ? "))" : ")");
}

static void print_init(struct buf *out, const struct ir_stmt *stmt, bool more)
{
    if (more)
        print_declarator(out, stmt->symbol);
    else
        ir_print_declaration(out, stmt->symbol);
    if (stmt->expr) {
        buf_add(out, " = ");
        print_operand(out, stmt->expr);
    }
}

/* The first part of a for that is not canonical: an expression, one declaration, or
 * several in a block. */
static void print_for_init(struct buf *out, const struct ir_stmt *init)
{
    if (!init)
        return;
    if (init->kind == IR_EXPR) {
        ir_print_expr(out, init->expr);
        return;
    }
    if (init->kind == IR_DECL)
        print_init(out, init, false);
    for (size_t i = 0; i < init->child_nr; i++) {
        buf_add(out, i ? ", " : "");
        print_init(out, init->child[i], i > 0);
    }
}

static void print_step(struct buf *out, const char *iterator, long long step)
{
    if (step == 1 || step == -1)
        buf_addf(out, "%s%s", iterator, step > 0 ? "++" : "--");
    else
        buf_addf(out, "%s %s %lld", iterator,
                 step > 0 ? "+=" : "-=", step > 0 ? step : -step);
}

/* An unsigned iterator is never below 0: `for (i = n; i-- > 0;)`, n - 1 the first. */
static bool is_unsigned_countdown(const struct ir_stmt *loop)
{
    const struct ir_expr *lower = loop->lower, *upper = loop->upper;
    return loop->iterator->type.is_unsigned && loop->step == -1 &&
           strcmp(loop->cmp, ">=") == 0 && upper->has_value && upper->value == 0 &&
           lower->kind == IR_BINARY && strcmp(lower->op, "-") == 0 &&
           lower->arg[1]->has_value && lower->arg[1]->value == 1;
}

static void print_canonical(struct buf *out, const struct ir_stmt *loop)
{
    bool countdown = is_unsigned_countdown(loop);
    if (loop->declares_iterator)
        ir_print_declaration(out, loop->iterator);
    else
        buf_add(out, loop->iterator->name);
    buf_add(out, " = ");
    print_operand(out, countdown ? loop->lower->arg[0] : loop->lower);
    if (countdown) {
        buf_addf(out, "; %s-- > 0;", loop->iterator->name);
        return;
    }
    buf_addf(out, "; %s %s ", loop->iterator->name, loop->cmp);
    print_bound(out, loop->upper);
    buf_add(out, "; ");
    print_step(out, loop->iterator->name, loop->step);
}

static void print_for(struct buf *out, const struct ir_stmt *loop, int indent)
{
    buf_add(out, "for (");
    if (loop->canonical)
        print_canonical(out, loop);
    else {
        print_for_init(out, loop->init);
        buf_add(out, loop->cond ? "; " : ";");
        if (loop->cond)
            ir_print_expr(out, loop->cond);
        buf_add(out, loop->increment ? "; " : ";");
        if (loop->increment)
            ir_print_expr(out, loop->increment);
    }
    buf_add(out, ")");
    if (print_body(out, loop->child[0], indent, false))
        buf_add(out, "\n");
}

static void print_while(struct buf *out, const struct ir_stmt *loop, int indent)
{
    buf_add(out, loop->is_do ? "do" : "while ");
    if (!loop->is_do)
        print_condition(out, loop->cond);
    bool braces = print_body(out, loop->child[0], indent, false);
    if (loop->is_do) {
        if (!braces)
            margin(out, indent);
        buf_add(out, braces ? " while " : "while ");
        print_condition(out, loop->cond);
        buf_add(out, ";");
    }
    if (loop->is_do || braces)
        buf_add(out, "\n");
}

static void print_if(struct buf *out, const struct ir_stmt *stmt, int indent)
{
    const struct ir_stmt *otherwise = stmt->child_nr > 1 ? stmt->child[1] : NULL;
    buf_add(out, "if ");
    print_condition(out, stmt->cond);
    bool braces = print_body(out, stmt->child[0], indent, true);
    if (otherwise) {
        if (!braces)
            margin(out, indent);
        buf_add(out, braces ? " else" : "else");
        if (otherwise->kind == IR_IF && !otherwise->pragma) {
            buf_add(out, " ");
            print_if(out, otherwise, indent);
            return;
        }
        braces = print_body(out, otherwise, indent, true);
    }
    if (braces)
        buf_add(out, "\n");
}

static void print_pragmas(struct buf *out, const struct ir_pragma *pragma)
{
    for (; pragma; pragma = pragma->next)
        if (!pragma->ours)
            buf_addf(out, "#pragma %s\n", pragma->text);
}

/* ---- long lines ---- */

enum { LINE_MAX_COLUMNS = 90 };

static size_t behind_quotes(const char *text)
{
    size_t i = 1;
    while (text[i] && text[i] != text[0])
        i += text[i] == '\\' && text[i + 1] ? 2 : 1;
    return text[i] ? i + 1 : i;
}

/* Where a line may be broken: behind a comma or `=`, before an operator; 0 = not here. */
static size_t break_length(const char *text)
{
    static const char *const before[] = {" + ", " - ", " && ", " || ", " ? ", " : "};
    if (strncmp(text, ", ", 2) == 0)
        return 2;
    if (strncmp(text, " = ", 3) == 0)
        return 3;
    for (size_t i = 0; i < ARRAY_SIZE(before); i++)
        if (strncmp(text, before[i], strlen(before[i])) == 0)
            return 1;
    return 0;
}

/* The last place within `columns` that is nested least; 0 = none. */
static size_t find_break(const char *line, size_t columns)
{
    size_t best = 0;
    int depth = 0, best_depth = 1000;
    for (size_t i = 0; line[i] && i < columns;) {
        size_t length = break_length(line + i);
        depth += line[i] == '(' || line[i] == '[' || line[i] == '{';
        depth -= line[i] == ')' || line[i] == ']' || line[i] == '}';
        if (length > 0 && depth <= best_depth && i + length <= columns) {
            best = i + length;
            best_depth = depth;
        }
        i += line[i] == '"' || line[i] == '\'' ? behind_quotes(line + i) : 1;
    }
    return best;
}

/* Breaks the statement that was printed from `start` on, unless it has lines of its own.
 */
static void wrap(struct buf *out, size_t start, int indent)
{
    size_t used = (size_t)indent * 4, at;
    if (used > LINE_MAX_COLUMNS / 2 || used + out->length - start <= LINE_MAX_COLUMNS ||
        strchr(buf_str(out) + start, '\n'))
        return;
    char *text = xstrdup(buf_str(out) + start), *line = text;
    buf_truncate(out, start);
    while (used + strlen(line) > LINE_MAX_COLUMNS &&
           (at = find_break(line, LINE_MAX_COLUMNS - used)) > 0) {
        size_t length = line[at - 1] == ' ' ? at - 1 : at;
        buf_add_n(out, line, length);
        buf_add(out, "\n");
        margin(out, indent + 2);
        line += at;
        used = (size_t)(indent + 2) * 4;
    }
    buf_add(out, line);
    free(text);
}

static void print_simple(struct buf *out, const struct ir_stmt *stmt, int indent)
{
    size_t start = out->length;
    switch (stmt->kind) {
    case IR_EXPR:
        ir_print_expr(out, stmt->expr);
        break;
    case IR_DECL:
        print_init(out, stmt, false);
        break;
    case IR_RETURN:
        buf_add(out, stmt->expr ? "return " : "return");
        if (stmt->expr)
            ir_print_expr(out, stmt->expr);
        break;
    case IR_JUMP:
        buf_add(out, stmt->text);
        break;
    case IR_OPAQUE: /* with its own end */
        buf_addf(out, "%s\n", stmt->text);
        return;
    default:
        break;
    }
    buf_add(out, ";");
    wrap(out, start, indent);
    buf_add(out, "\n");
}

static void print_comments(struct buf *out, const char *lines, int indent)
{
    while (*lines) {
        size_t length = strcspn(lines, "\n") + 1;
        margin(out, indent);
        buf_add_n(out, lines, length);
        lines += length;
    }
}

static void print_remark(struct buf *out, const char *remark)
{
    if (out->length && out->data[out->length - 1] == '\n')
        buf_truncate(out, out->length - 1);
    buf_addf(out, " %s\n", remark);
}

static void print_bare(struct buf *out, const struct ir_stmt *stmt, int indent)
{
    margin(out, indent);
    switch (stmt->kind) {
    case IR_BLOCK:
        buf_add(out, "{\n");
        print_block_lines(out, stmt, indent + 1);
        margin(out, indent);
        buf_add(out, "}\n");
        break;
    case IR_FOR:
        print_for(out, stmt, indent);
        break;
    case IR_WHILE:
        print_while(out, stmt, indent);
        break;
    case IR_IF:
        print_if(out, stmt, indent);
        break;
    default:
        print_simple(out, stmt, indent);
        break;
    }
}

void ir_print_stmt(struct buf *out, const struct ir_stmt *stmt, int indent)
{
    if (stmt->is_spelt && stmt->comments)
        print_comments(out, stmt->comments, indent);
    print_pragmas(out, stmt->pragma);
    print_bare(out, stmt, indent);
    if (stmt->is_spelt && stmt->remark)
        print_remark(out, stmt->remark);
}
