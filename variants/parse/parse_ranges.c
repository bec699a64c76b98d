/*
 * Scalars that are declared outside of the loops and used for one thing after another, as
 * old C has it: from where the body of a loop sets such a variable, to where it is set
 * anew or no longer asked for, it becomes a variable of its own, declared there. So each
 * iteration has its own, a loop that uses the name for something else does not hold it
 * back, and an integer or a pointer that is set once stands for what it is set to.
 */
#include <string.h>

#include "variants/ir/liveness.h"
#include "variants/parse/parse_rewrite.h"

struct range {
    struct parse *p;
    struct ir_symbol *symbol, *own;
    struct ir_stmt *block;
    size_t first, end; /* statements of the block */
};

/* ---- which variables ---- */

static bool is_iterator(const struct ir_stmt *stmt, const void *symbol)
{
    return stmt->kind == IR_FOR && stmt->canonical && stmt->iterator == symbol;
}

static bool is_candidate(const struct ir_function *function,
                         const struct ir_symbol *symbol)
{
    return parse_is_own(symbol) && symbol->is_written && !symbol->dim_nr &&
           !symbol->pointer_to_array && !symbol->as_written &&
           (symbol->type.pointers || symbol->type.scalar == IR_BOOL ||
            symbol->type.scalar == IR_INT || symbol->type.scalar == IR_FLOAT) &&
           !stmt_find(function->body, is_iterator, symbol) &&
           !rewrite_in_text(function->body, symbol);
}

/* ---- a range with a variable of its own ---- */

static void rename_own(struct ir_expr *expr, void *data)
{
    struct range *range = data;
    if (expr->kind == IR_NAME && expr->symbol == range->symbol) {
        expr->symbol = range->own;
        expr->text = range->own->name;
    }
    range->own->is_written =
        range->own->is_written || rewrite_assigned(expr) == range->own;
}

static bool is_text(const struct ir_stmt *stmt, const void *data)
{
    (void)data;
    return stmt->kind == IR_WHILE;
}

/* The variable's own name where the block does not use it otherwise. Loops that are
 * printed as their text know no other: NULL. */
static const char *name_of(const struct range *range)
{
    const char *name = range->symbol->name;
    size_t inside = 0;
    for (size_t i = range->first; i < range->end; i++)
        inside += rewrite_count(range->block->child[i], range->symbol);
    if (inside == rewrite_count(range->block, range->symbol))
        return name;
    for (size_t i = range->first; i < range->end; i++)
        if (stmt_find(range->block->child[i], is_text, NULL))
            return NULL;
    for (int i = 2; rewrite_is_name_taken(range->p->function, name); i++)
        name = ir_textf(range->p->arena, "%s_%d", range->symbol->name, i);
    return name;
}

/* `x = e;` becomes the declaration; else there is one before the range. */
static void declare(struct range *range)
{
    struct ir_stmt *block = range->block, *first = block->child[range->first];
    struct ir_expr *value =
        rewrite_sets(first, range->symbol) ? first->expr->arg[1] : NULL;
    if (value) {
        first->kind = IR_DECL;
        first->symbol = range->own;
        first->expr = value;
        return;
    }
    struct ir_stmt *decl = ir_stmt_new(range->p->arena, IR_DECL, 0);
    struct ir_stmt **child =
        ir_alloc(range->p->arena, (block->child_nr + 1) * sizeof(*child));
    decl->symbol = range->own;
    decl->line = decl->end_line = first->line;
    memcpy(child, block->child, range->first * sizeof(*child));
    child[range->first] = decl;
    memcpy(child + range->first + 1, block->child + range->first,
           (block->child_nr - range->first) * sizeof(*child));
    block->child = child;
    block->child_nr++;
    range->end++;
}

static bool take_range(struct range *range)
{
    const char *name = name_of(range);
    if (!name)
        return false;
    struct ir_symbol *own = parse_add_symbol(range->p, NULL);
    int id = own->id;
    *own = *range->symbol;
    own->id = id;
    own->name = name;
    own->role = IR_LOCAL;
    own->in_loop = true;
    own->is_written = own->type.is_restrict = false;
    range->own = own;
    declare(range);
    for (size_t i = range->first; i < range->end; i++)
        visit_stmt(range->block->child[i], rename_own, range);
    return true;
}

/* ---- where ranges are ---- */

static bool leaves(const struct ir_stmt *stmt, const void *data)
{
    (void)data;
    return stmt->kind == IR_JUMP || stmt->kind == IR_RETURN || stmt->kind == IR_OPAQUE;
}

/* Behind it the value is set anew, or the block ends. */
static bool ends_range(const struct range *range, size_t at)
{
    return at == range->block->child_nr ||
           stmt_sets_first(range->block->child[at], range->symbol);
}

static bool declares(const struct ir_stmt *stmt, const void *symbol)
{
    return stmt->kind == IR_DECL && stmt->symbol == symbol;
}

/* The variable itself, up to the end of the range. */
static bool is_declared(const struct range *range)
{
    bool found = false;
    for (size_t i = 0; !found && i < range->end; i++)
        found = stmt_find(range->block->child[i], declares, range->symbol);
    return found;
}

/* Of the body of a loop. */
static void split_block(struct parse *p, struct ir_stmt *block, struct ir_symbol *symbol)
{
    struct range range = {.p = p, .symbol = symbol, .block = block};
    bool one =
        false; /* of the variable that the block declares there is one range less */
    if (!rewrite_count(block, symbol))
        return;
    bool needed =
        stmt_read_behind(p->function->body, block->child[block->child_nr - 1], symbol);
    while (range.first < block->child_nr) {
        bool left = false;
        if (!stmt_sets_first(block->child[range.first], symbol)) {
            range.first++;
            continue;
        }
        range.end = range.first;
        do {
            left = left || stmt_find(block->child[range.end], leaves, NULL);
            range.end++;
        } while (!ends_range(&range, range.end));
        bool kept = needed && (left || range.end == block->child_nr);
        bool declared = is_declared(&range);
        if (!kept && (one || !declared))
            take_range(&range);
        one = one || declared;
        range.first = range.end;
    }
}

static void split_below(struct parse *p, struct ir_stmt *stmt, struct ir_symbol *symbol)
{
    if (!stmt || stmt->kind == IR_WHILE)
        return;
    for (size_t i = 0; i < stmt->child_nr; i++)
        split_below(p, stmt->child[i], symbol);
    if (stmt->kind == IR_FOR && stmt->child[0]->kind == IR_BLOCK)
        split_block(p, stmt->child[0], symbol);
}

void parse_split_ranges(struct parse *p)
{
    struct ir_function *function = p->function;
    for (size_t i = 0, nr = function->symbol_nr; i < nr; i++) {
        struct ir_symbol *symbol = function->symbol[i];
        if (!is_candidate(function, symbol))
            continue;
        split_below(p, function->body, symbol);
        symbol->is_replaced =
            symbol->is_replaced || !rewrite_count(function->body, symbol);
    }
}
