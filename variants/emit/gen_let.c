/*
 * Names for the iterators of skewed and shifted loops: where the body would say `is - t`
 * in many subscripts, it says `const int i = is - t;` once and `i` after that. The last
 * pass over the code, so that no other has to see through the names.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/emit/gen.h"
#include "variants/ir/sum.h"

enum { LETS_MAX = 8, USES_MIN = 3 };

struct let {
    const struct ir_symbol *iterator; /* the user's */
    struct sum value;
    size_t uses;
    struct ir_symbol *symbol;
};

struct lets {
    struct gen *gen;
    struct let item[LETS_MAX];
    size_t nr;
};

/* All terms of the iterator are there: *rest is what stands beside them. */
static bool contains(const struct let *let, const struct sum *sum, struct sum *rest)
{
    *rest = sum_add(sum, &let->value, -1);
    return rest->nr + let->value.nr == sum->nr;
}

static void note_iterators(struct lets *lets, const struct code *code)
{
    const struct statement *statement = &lets->gen->nest->statement[code->statement];
    for (size_t i = 0; i < code->iterator_nr && i < statement->depth; i++) {
        struct let let = {.iterator = statement->loop[i]->stmt->iterator,
                          .value = sum_of_expr(lets->gen->arena, code->iterator[i])};
        bool known = let.value.nr < 2;
        for (size_t k = 0; !known && k < lets->nr; k++) {
            struct sum rest = sum_add(&lets->item[k].value, &let.value, -1);
            known = rest.nr == 0; /* another shift of the same loop */
        }
        if (!known && lets->nr < LETS_MAX)
            lets->item[lets->nr++] = let;
    }
}

static void count_use(struct ir_expr *expr, void *data)
{
    struct lets *lets = data;
    struct sum rest;
    if (expr->kind != IR_INDEX)
        return;
    struct sum sum = sum_of_expr(lets->gen->arena, expr->arg[1]);
    for (size_t i = 0; i < lets->nr; i++)
        if (contains(&lets->item[i], &sum, &rest)) {
            lets->item[i].uses++;
            sum = rest;
        }
}

static void put_name(struct ir_expr *expr, void *data)
{
    struct lets *lets = data;
    if (expr->kind != IR_INDEX)
        return;
    struct sum sum = sum_of_expr(lets->gen->arena, expr->arg[1]), rest;
    bool changed = false;
    for (size_t i = 0; i < lets->nr; i++) {
        const struct let *let = &lets->item[i];
        if (!let->symbol || !contains(let, &sum, &rest))
            continue;
        struct sum name =
            sum_of_expr(lets->gen->arena, ir_name(lets->gen->arena, let->symbol));
        sum = sum_add(&name, &rest, 1);
        changed = true;
    }
    if (changed)
        expr->arg[1] = sum_expr(lets->gen->arena, &sum);
}

static void visit_statements(struct lets *lets, const struct code *code,
                             void (*visit)(struct ir_expr *expr, void *data))
{
    if (code->kind == CODE_STMT)
        stmt_exprs(code->stmt, visit, lets);
    for (size_t i = 0; i < code->child_nr; i++)
        visit_statements(lets, code->child[i], visit);
}

static void collect(struct lets *lets, const struct code *code)
{
    if (code->kind == CODE_STMT)
        note_iterators(lets, code);
    for (size_t i = 0; i < code->child_nr; i++)
        collect(lets, code->child[i]);
}

/* The user's name for it, unless something in this place has it already. */
static const char *let_name(struct gen *gen, const struct code *block, const char *name)
{
    bool taken = false;
    for (const struct code *at = block; !taken && at; at = at->parent)
        taken = at->var && !strcmp(at->var->name, name);
    for (size_t i = 0; !taken && i < block->child_nr; i++)
        taken = block->child[i]->kind == CODE_LET &&
                !strcmp(block->child[i]->var->name, name);
    return taken ? gen_name(gen, name, true) : name;
}

static void declare(struct lets *lets, struct code *block, struct let *let)
{
    struct gen *gen = lets->gen;
    struct ir_expr *value = sum_expr(gen->arena, &let->value);
    struct ir_type type = let->iterator->type;
    if (let->uses < USES_MIN || type.is_unsigned || type.bytes < 4)
        return;
    if (value->type.bytes > type.bytes)
        type = value->type;
    type.is_const = false;
    let->symbol = gen_symbol(gen, let_name(gen, block, let->iterator->name), &type);
    struct code *line = code_new(CODE_LET);
    line->var = let->symbol;
    line->lower = value;
    code_insert(block, 0, line);
}

static void name_in_block(struct gen *gen, struct code *block)
{
    struct lets lets = {.gen = gen};
    collect(&lets, block);
    if (!lets.nr)
        return;
    visit_statements(&lets, block, count_use);
    for (size_t i = lets.nr; i > 0; i--)
        declare(&lets, block, &lets.item[i - 1]);
    visit_statements(&lets, block, put_name);
}

void gen_lets(struct gen *gen, struct code *code)
{
    bool innermost = code->kind == CODE_FOR && !code_has_loop(code->child[0]);
    if (innermost)
        name_in_block(gen, code->child[0]);
    for (size_t i = 0; !innermost && i < code->child_nr; i++)
        gen_lets(gen, code->child[i]);
}

/* ---- declarations that nothing uses ---- */

static bool texts_mention(const struct code *code, const char *name)
{
    bool found = code->text && text_has_word(code->text, name);
    for (size_t i = 0; !found && i < code->child_nr; i++)
        found = texts_mention(code->child[i], name);
    return found;
}

static bool is_used_behind(const struct code *block, size_t at,
                           const struct ir_symbol *symbol)
{
    bool used = false;
    for (size_t i = at + 1; !used && i < block->child_nr; i++)
        used = code_mentions(block->child[i], symbol) ||
               texts_mention(block->child[i], symbol->name);
    return used;
}

/* Of a loop of one iteration; a pointer to what is read from a packed copy instead. */
static const struct ir_symbol *declared(const struct code *code)
{
    if (code->kind == CODE_LET)
        return code->var;
    const struct ir_stmt *stmt = code->kind == CODE_STMT ? code->stmt : NULL;
    bool pointer = stmt && stmt->kind == IR_DECL && stmt->symbol->type.pointers &&
                   !stmt->symbol->dim_nr && stmt->expr && !expr_has_effect(stmt->expr);
    return pointer ? stmt->symbol : NULL;
}

void gen_drop_lets(struct code *code)
{
    for (size_t i = code->child_nr; i-- > 0;) {
        gen_drop_lets(code->child[i]);
        const struct ir_symbol *symbol = declared(code->child[i]);
        if (!symbol || is_used_behind(code, i, symbol))
            continue;
        code_free(code->child[i]);
        memmove(&code->child[i], &code->child[i + 1],
                (--code->child_nr - i) * sizeof(code->child[0]));
    }
}
