/* Longer rows of local arrays: only the declaration changes. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "variants/emit/gen.h"
#include "variants/emit/gen_edits.h"
#include "variants/ir/sum.h"

static bool declares(const struct ir_stmt *stmt, const void *symbol)
{
    return stmt->kind == IR_DECL && stmt->symbol == symbol;
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Behind the ']' that belongs to the '[' at `at`; NULL when there is none. */
static const char *behind_bracket(const char *at, const char *end)
{
    int open = 0;
    for (; at < end; at++) {
        open += *at == '[' ? 1 : *at == ']' ? -1 : 0;
        if (!open)
            return at + 1;
    }
    return NULL;
}

/* The text between the last brackets of "name[...][...]" in [at, end). */
static bool last_dimension(const char *at, const char *end,
                           const struct ir_symbol *symbol, const char **first,
                           const char **last)
{
    size_t length = strlen(symbol->name);
    for (; at + length < end; at++)
        if (!strncmp(at, symbol->name, length) && !is_word_char(at[-1]) &&
            !is_word_char(at[length]))
            break;
    at += length;
    for (size_t i = 0; i < symbol->dim_nr; i++) {
        while (at < end && isspace((unsigned char)*at))
            at++;
        if (at >= end || *at != '[')
            return false;
        *first = at + 1;
        at = behind_bracket(at, end);
        if (!at)
            return false;
        *last = at - 1;
    }
    return true;
}

static bool is_simple(const char *first, const char *last)
{
    for (; first < last; first++)
        if (!is_word_char(*first) && !strchr(" +-*()", *first))
            return false;
    return true;
}

static int pad_one(const struct model *model, const struct padding *padding,
                   struct edits *edits, struct error *err)
{
    const struct ir_function *function = model->function;
    const struct ir_stmt *stmt = stmt_find(function->body, declares, padding->array);
    const char *first = NULL, *last = NULL, *source = function->source;
    if (!last_dimension(source + stmt->begin, source + stmt->end, padding->array, &first,
                        &last))
        return fail(
            err, STATUS_ILLEGAL,
            "'%s' cannot be padded: its declaration at line %d comes from a macro",
            padding->array->name, stmt->line);
    bool simple = is_simple(first, last);
    edits_add(edits, (size_t)(first - source), (size_t)(last - source),
              xasprintf("%s%.*s%s + %lld", simple ? "" : "(", (int)(last - first), first,
                        simple ? "" : ")", padding->elements));
    return 0;
}

static bool is_inside(const struct model *model, const struct ir_symbol *symbol)
{
    const struct ir_stmt *stmt = stmt_find(model->function->body, declares, symbol);
    for (size_t i = 0; i < model->nest_nr; i++)
        if (model->nest[i]->stmt->begin <= stmt->begin &&
            stmt->end <= model->nest[i]->stmt->end)
            return true;
    return false;
}

/* Declarations outside of all nests, once each. */
int gen_paddings(const struct model *model, const struct work *works, struct edits *edits,
                 struct error *err)
{
    struct {
        const struct ir_symbol *symbol[DEPTH_MAX * 4];
        size_t nr;
    } done = {.nr = 0};
    for (size_t i = 0; i < model->nest_nr; i++)
        for (size_t k = 0; k < works[i].padding_nr; k++) {
            const struct padding *padding = &works[i].padding[k];
            bool known = is_inside(model, padding->array);
            for (size_t n = 0; n < done.nr; n++)
                known = known || done.symbol[n] == padding->array;
            if (known || done.nr == ARRAY_SIZE(done.symbol))
                continue;
            done.symbol[done.nr++] = padding->array;
            if (pad_one(model, padding, edits, err))
                return -1;
        }
    return 0;
}

static struct ir_symbol *longer(struct gen *gen, const struct padding *padding)
{
    struct ir_symbol *symbol = ir_alloc(gen->arena, sizeof(*symbol));
    *symbol = *padding->array;
    symbol->dim = ir_alloc(gen->arena, symbol->dim_nr * sizeof(*symbol->dim));
    for (size_t i = 0; i < symbol->dim_nr; i++)
        symbol->dim[i] = padding->array->dim[i];
    struct ir_expr **last = &symbol->dim[symbol->dim_nr - 1];
    *last = expr_plus(gen->arena, ir_copy(gen->arena, *last), padding->elements);
    return symbol;
}

static void swap_symbol(struct gen *gen, struct code *code, struct ir_symbol *from,
                        struct ir_expr *to)
{
    if (code->stmt)
        code->stmt = stmt_substitute(gen->arena, code->stmt, &from, &to, 1);
    for (size_t i = 0; i < code->child_nr; i++)
        swap_symbol(gen, code->child[i], from, to);
}

/* Declarations that are part of the new code. */
void gen_pads(struct gen *gen, struct code *code)
{
    for (size_t i = 0; i < gen->work->padding_nr; i++) {
        const struct padding *padding = &gen->work->padding[i];
        if (is_inside(gen->model, padding->array))
            swap_symbol(gen, code, padding->array,
                        ir_name(gen->arena, longer(gen, padding)));
    }
}
