/* Statements as C text, four spaces a level. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/ir/ir.h"
#include "variants/ir/print.h"

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
    if (body->pragma || body->kind == IR_DECL || body->kind == IR_OPAQUE)
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

void ir_print_stmt(struct buf *out, const struct ir_stmt *stmt, int indent)
{
    print_pragmas(out, stmt->pragma);
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
