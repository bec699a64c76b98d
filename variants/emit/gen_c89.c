/*
 * Code for a file of C89: declarations stand at the head of a block, and loops declare
 * nothing. A declaration moves to the head where no other variable of its name is meant
 * before it; else what follows gets a block of its own.
 */
#include <string.h>

#include "core/base.h"
#include "variants/emit/gen.h"
#include "variants/ir/sum.h"

/* ---- statements ---- */

/* Without a value, so no constant. Pointers lose `restrict`, which C89 does not know: it
 * promises, and means nothing. */
static struct ir_stmt *declaration(struct gen *gen, const struct ir_symbol *symbol)
{
    struct ir_stmt *stmt = ir_stmt_new(gen->arena, IR_DECL, 0);
    stmt->symbol = ir_alloc(gen->arena, sizeof(*stmt->symbol));
    *stmt->symbol = *symbol;
    stmt->symbol->type.is_restrict = false;
    stmt->symbol->type.is_const = symbol->type.is_const && symbol->type.pointers;
    return stmt;
}

/* Statements from `first` on, in a block. */
static struct ir_stmt *rest_of(struct gen *gen, const struct ir_stmt *block, size_t first)
{
    struct ir_stmt *rest = ir_stmt_new(gen->arena, IR_BLOCK, block->child_nr - first);
    for (size_t i = first; i < block->child_nr; i++)
        rest->child[i - first] = block->child[i];
    return gen_c89_stmt(gen, rest);
}

static struct ir_stmt *counter_first(struct gen *gen, const struct ir_stmt *loop)
{
    struct ir_stmt *block = ir_stmt_new(gen->arena, IR_BLOCK, 2),
                   *copy = ir_alloc(gen->arena, sizeof(*copy));
    *copy = *loop;
    copy->declares_iterator = false;
    block->child[0] = declaration(gen, loop->iterator);
    block->child[1] = copy;
    return block;
}

/* A copy where something changes: it may be the source's. */
struct ir_stmt *gen_c89_stmt(struct gen *gen, struct ir_stmt *stmt)
{
    struct ir_stmt *new = stmt;
    for (size_t i = 0; stmt && i < stmt->child_nr; i++) {
        struct ir_stmt *child = gen_c89_stmt(gen, stmt->child[i]);
        if (child == stmt->child[i])
            continue;
        if (new == stmt)
            new = stmt_substitute(gen->arena, stmt, NULL, NULL, 0);
        new->child[i] = child;
    }
    bool head = true;
    for (size_t i = 0; new &&new->kind == IR_BLOCK &&i < new->child_nr; i++) {
        bool is = new->child[i]->kind == IR_DECL;
        if (is && !head) {
            struct ir_stmt *copy = ir_stmt_new(gen->arena, IR_BLOCK, i + 1);
            memcpy(copy->child, new->child, i * sizeof(*copy->child));
            copy->child[i] = rest_of(gen, new, i);
            return copy;
        }
        head = is;
    }
    if (new &&new->kind == IR_DECL &&new->symbol->type.is_restrict) {
        struct ir_stmt *copy = declaration(gen, new->symbol);
        copy->expr = new->expr;
        return copy;
    }
    bool counts = new &&new->kind == IR_FOR &&new->canonical &&new->declares_iterator;
    return counts ? counter_first(gen, new) : new;
}

/* ---- who is meant by a name ---- */

struct naming {
    const char *name;
    bool found;
};

static void find_name(struct ir_expr *expr, void *data)
{
    struct naming *naming = data;
    naming->found = naming->found ||
                    (expr->kind == IR_NAME && !strcmp(expr->symbol->name, naming->name));
}

static bool declares_below(const struct ir_stmt *stmt, const void *name)
{
    const struct ir_symbol *symbol = stmt->kind == IR_DECL  ? stmt->symbol
                                     : stmt->kind == IR_FOR ? stmt->iterator
                                                            : NULL;
    return symbol && !strcmp(symbol->name, name);
}

static bool uses_name(const struct code *code, const char *name)
{
    struct naming naming = {.name = name};
    struct ir_expr *const expr[] = {code->lower, code->upper, code->cond};
    naming.found = (code->var && !strcmp(code->var->name, name)) ||
                   (code->text && text_has_word(code->text, name)) ||
                   (code->kept && text_has_word(code->kept, name)) ||
                   strvec_has(&code->sums, name) || strvec_has(&code->products, name) ||
                   strvec_has(&code->privates, name);
    for (size_t i = 0; i < ARRAY_SIZE(expr); i++)
        if (expr[i])
            ir_visit(expr[i], find_name, &naming);
    if (code->stmt) {
        stmt_exprs(code->stmt, find_name, &naming);
        naming.found = naming.found || stmt_find(code->stmt, declares_below, name);
    }
    for (size_t i = 0; !naming.found && i < code->child_nr; i++)
        naming.found = uses_name(code->child[i], name);
    return naming.found;
}

/* ---- blocks ---- */

static bool is_declaration(const struct code *code)
{
    return code->kind == CODE_LET || (code->kind == CODE_TEXT && code->declares) ||
           (code->kind == CODE_STMT && code->stmt->kind == IR_DECL);
}

static struct code *statement(struct ir_stmt *stmt)
{
    struct code *code = code_new(CODE_STMT);
    code->stmt = stmt;
    code->statement = SIZE_MAX;
    return code;
}

/* The children from `first` on, `nr` of them, become a block among them. */
static struct code *enclose(struct code *block, size_t first, size_t nr)
{
    struct code *braces = code_new(CODE_IF), *inner = code_new(CODE_BLOCK);
    for (size_t i = 0; i < nr; i++)
        code_add(inner, block->child[first + i]);
    memmove(&block->child[first], &block->child[first + nr],
            (block->child_nr - first - nr) * sizeof(block->child[0]));
    block->child_nr -= nr;
    code_add(braces, inner);
    code_insert(block, first, braces);
    return inner;
}

static bool same_counter(const struct code *a, const struct code *b)
{
    return b->kind == CODE_FOR && b->declares && !strcmp(a->var->name, b->var->name) &&
           !strcmp(a->var->type.text, b->var->type.text);
}

/* Loops of one block share a counter, unless others mean something else by its name. */
static void counters_first(struct gen *gen, struct code *block)
{
    for (size_t i = 0; i < block->child_nr; i++) {
        struct code *loop = block->child[i];
        bool shared = true;
        if (loop->kind != CODE_FOR || !loop->declares)
            continue;
        for (size_t k = 0; k < block->child_nr; k++)
            shared = shared && (same_counter(loop, block->child[k]) ||
                                !uses_name(block->child[k], loop->var->name));
        struct code *scope = shared ? block : enclose(block, i, 1);
        struct code *line = statement(declaration(gen, loop->var));
        for (size_t k = 0; k < block->child_nr && shared; k++)
            if (block->child[k] != loop && same_counter(loop, block->child[k]))
                block->child[k]->declares = false;
        loop->declares = false;
        code_insert(scope, 0, line);
    }
}

/* Of the declaration: the value that it gives can be given later. */
static bool can_set_later(const struct code *code)
{
    const struct ir_symbol *symbol =
        code->kind == CODE_LET ? code->var : code->stmt->symbol;
    bool is_const = code->kind != CODE_LET && symbol->type.is_const && !symbol->dim_nr &&
                    !symbol->type.pointers;
    return !symbol->as_written && !symbol->is_static && !symbol->is_reference &&
           !is_const && !symbol->dim_nr;
}

static bool is_without_value(const struct code *code)
{
    if (code->kind == CODE_TEXT)
        return true; /* zeros, if any: nothing comes before them */
    bool none = code->kind == CODE_STMT && !code->stmt->expr;
    for (size_t i = 0; none && i < code->stmt->symbol->dim_nr; i++)
        none = code->stmt->symbol->dim[i] && code->stmt->symbol->dim[i]->has_value;
    return none;
}

static void set_later(struct gen *gen, struct code *code)
{
    struct ir_symbol *symbol = code->kind == CODE_LET ? code->var : code->stmt->symbol;
    struct ir_expr *value = code->kind == CODE_LET ? code->lower : code->stmt->expr;
    code->kind = CODE_STMT;
    code->statement = SIZE_MAX;
    code->stmt = ir_stmt_new(gen->arena, IR_EXPR, 0);
    code->stmt->expr = ir_assign(gen->arena, "=", ir_name(gen->arena, symbol), value);
    code->var = NULL;
    code->lower = NULL;
}

static const char *declared_name(const struct code *code)
{
    return code->kind == CODE_STMT ? code->stmt->symbol->name
           : code->var             ? code->var->name
                                   : NULL;
}

static void declarations_first(struct gen *gen, struct code *block)
{
    size_t head = 0;
    while (head < block->child_nr && is_declaration(block->child[head]))
        head++;
    for (size_t i = head; i < block->child_nr; i++) {
        struct code *code = block->child[i];
        if (!is_declaration(code))
            continue;
        const char *name = declared_name(code);
        bool free_name = name != NULL, whole = is_without_value(code);
        for (size_t k = 0; free_name && k < i; k++)
            free_name = !uses_name(block->child[k], name);
        if (!free_name || !(whole || can_set_later(code))) {
            declarations_first(gen, enclose(block, i, block->child_nr - i));
            return;
        }
        if (whole) {
            memmove(&block->child[head + 1], &block->child[head],
                    (i - head) * sizeof(block->child[0]));
            block->child[head] = code;
        } else {
            const struct ir_symbol *symbol =
                code->kind == CODE_LET ? code->var : code->stmt->symbol;
            code_insert(block, head, statement(declaration(gen, symbol)));
            set_later(gen, code);
            i++;
        }
        head++;
    }
}

void gen_c89(struct gen *gen, struct code *code)
{
    for (size_t i = 0; i < code->child_nr; i++)
        gen_c89(gen, code->child[i]);
    if (code->kind == CODE_STMT)
        code->stmt = gen_c89_stmt(gen, code->stmt);
    if (code->kind != CODE_BLOCK)
        return;
    counters_first(gen, code);
    declarations_first(gen, code);
}
