/* Which value of a variable is read where: the ways through statements, looked at from
 * the front. */
#include "variants/ir/liveness.h"

#include <string.h>

#include "core/base/text.h"
#include "variants/ir/ir.h"

/* What the way through a statement does with a variable first. */
enum event {
    EVENT_NONE, /* nothing, on some way at least */
    EVENT_READ, /* on some way */
    EVENT_END   /* on every way it is set, or the way ends */
};

struct mention {
    const struct ir_symbol *symbol;
    bool found;
};

static void find_symbol(struct ir_expr *expr, void *data)
{
    struct mention *mention = data;
    bool called = expr->kind == IR_CALL && !expr->symbol; /* table[k](x) is text */
    if ((expr->kind == IR_NAME && expr->symbol == mention->symbol) ||
        (called && text_has_word(expr->text, mention->symbol->name)))
        mention->found = true;
}

static bool mentions(struct ir_expr *expr, const struct ir_symbol *symbol)
{
    struct mention mention = {.symbol = symbol};
    if (expr)
        ir_visit(expr, find_symbol, &mention);
    return mention.found;
}

static enum event first_event(const struct ir_stmt *stmt, const struct ir_symbol *symbol);

/* x = e; */
static enum event event_of_expr(struct ir_expr *expr, const struct ir_symbol *symbol)
{
    bool sets = expr && expr->kind == IR_ASSIGN && !strcmp(expr->op, "=") &&
                expr->arg[0]->kind == IR_NAME && expr->arg[0]->symbol == symbol;
    if (mentions(sets ? expr->arg[1] : expr, symbol))
        return EVENT_READ;
    return sets ? EVENT_END : EVENT_NONE;
}

/* int t[n]; */
static enum event event_of_declaration(const struct ir_stmt *stmt,
                                       const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < stmt->symbol->dim_nr; i++)
        if (mentions(stmt->symbol->dim[i], symbol))
            return EVENT_READ;
    return event_of_expr(stmt->expr, symbol);
}

static enum event event_of_loop(const struct ir_stmt *loop,
                                const struct ir_symbol *symbol)
{
    enum event first = first_event(loop->init, symbol);
    if (first != EVENT_NONE)
        return first;
    if (loop->kind == IR_FOR && loop->canonical) {
        if (mentions(loop->lower, symbol))
            return EVENT_READ;
        if (loop->iterator == symbol)
            return EVENT_END;
    }
    if (mentions(loop->upper, symbol) || mentions(loop->cond, symbol) ||
        mentions(loop->increment, symbol))
        return EVENT_READ;
    first = first_event(loop->child[0], symbol);
    bool always = loop->is_do && !stmt_breaks_out(loop->child[0]);
    return first == EVENT_END && !always ? EVENT_NONE : first;
}

static enum event event_of_if(const struct ir_stmt *stmt, const struct ir_symbol *symbol)
{
    if (mentions(stmt->cond, symbol))
        return EVENT_READ;
    enum event yes = first_event(stmt->child[0], symbol),
               no = stmt->child_nr > 1 ? first_event(stmt->child[1], symbol) : EVENT_NONE;
    if (yes == EVENT_READ || no == EVENT_READ)
        return EVENT_READ;
    return yes == no ? yes : EVENT_NONE;
}

static enum event first_event(const struct ir_stmt *stmt, const struct ir_symbol *symbol)
{
    enum event first = EVENT_NONE;
    if (!stmt)
        return EVENT_NONE;
    switch (stmt->kind) {
    case IR_BLOCK:
        for (size_t i = 0; first == EVENT_NONE && i < stmt->child_nr; i++)
            first = first_event(stmt->child[i], symbol);
        return first;
    case IR_FOR:
    case IR_WHILE:
        return event_of_loop(stmt, symbol);
    case IR_IF:
        return event_of_if(stmt, symbol);
    case IR_RETURN:
        return mentions(stmt->expr, symbol) ? EVENT_READ : EVENT_END;
    case IR_JUMP: /* where it leads to is looked at as what follows the loops around */
        return EVENT_END;
    case IR_DECL:
        return event_of_declaration(stmt, symbol);
    case IR_EXPR:
    case IR_EMPTY:
    case IR_OPAQUE:
        return event_of_expr(stmt->expr, symbol);
    }
    return EVENT_READ;
}

static bool is_label_or_goto(const struct ir_stmt *stmt, const void *data)
{
    (void)data;
    return stmt->kind == IR_OPAQUE ||
           (stmt->kind == IR_JUMP && !strncmp(stmt->text, "goto", 4));
}

/* From the end of `last` on, within `around`, and round again where that is a loop.
 * *over: no way goes on behind it. */
static bool read_behind(const struct ir_stmt *around, const struct ir_stmt *last,
                        const struct ir_symbol *symbol, bool *over)
{
    if (around == last)
        return false;
    size_t at = 0;
    while (at < around->child_nr &&
           (!around->child[at] || !stmt_holds(around->child[at], last)))
        at++;
    if (at == around->child_nr)
        return true;
    if (read_behind(around->child[at], last, symbol, over))
        return true;
    enum event next = EVENT_NONE;
    if (around->kind == IR_BLOCK)
        for (size_t i = at + 1; !*over && i < around->child_nr; i++) {
            next = first_event(around->child[i], symbol);
            *over = next != EVENT_NONE;
        }
    if (around->kind != IR_FOR && around->kind != IR_WHILE)
        return next == EVENT_READ;
    *over = false; /* jumps lead to both */
    struct ir_stmt again = *around;
    again.init = NULL;
    return next == EVENT_READ || (again.canonical && again.iterator == symbol) ||
           event_of_loop(&again, symbol) == EVENT_READ;
}

bool stmt_may_read_first(const struct ir_stmt *stmt, const struct ir_symbol *symbol)
{
    return stmt_find(stmt, is_label_or_goto, NULL) ||
           first_event(stmt, symbol) == EVENT_READ;
}

static bool is_return(const struct ir_stmt *stmt, const void *data)
{
    (void)data;
    return stmt->kind == IR_RETURN;
}

bool stmt_sets_first(const struct ir_stmt *stmt, const struct ir_symbol *symbol)
{
    return !stmt_find(stmt, is_label_or_goto, NULL) &&
           !stmt_find(stmt, is_return, NULL) && !stmt_breaks_out(stmt) &&
           first_event(stmt, symbol) == EVENT_END;
}

bool stmt_read_behind(const struct ir_stmt *body, const struct ir_stmt *last,
                      const struct ir_symbol *symbol)
{
    bool over = false;
    return stmt_find(body, is_label_or_goto, NULL) ||
           read_behind(body, last, symbol, &over);
}
