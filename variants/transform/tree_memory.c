/* Steps about where data lies and how it is written: longer rows of local arrays, stores
 * past the caches. Here is decided whether that may be; gen_edits.c and gen_stream.c do
 * it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "variants/model/poly.h"
#include "variants/plan/plan.h"
#include "variants/transform/steps.h"

static bool find_cell(const struct nest *nest, const char *name, size_t *cell)
{
    for (*cell = 0; *cell < nest->cell_nr; ++*cell)
        if (nest->cell[*cell].dims && (!strcmp(nest->cell[*cell].name, name) ||
                                       !strcmp(nest->cell[*cell].symbol->name, name)))
            return true;
    return false;
}

/* ---- stores past the caches ---- */

static int stream_one(struct work *work, const char *name, struct error *err)
{
    const struct nest *nest = work->nest;
    size_t cell;
    bool written = false;
    if (!find_cell(nest, name, &cell))
        return 0;
    for (size_t i = 0; i < nest->access_nr; i++) {
        const struct access *access = &nest->access[i];
        if (access->cell != cell)
            continue;
        written = written || access->write;
        if (!access->write || access->accumulates || !access->must)
            return fail(err, STATUS_ILLEGAL,
                        "'%s' is read in the nest at line %d (line %d), or may keep its "
                        "value; stores past the caches pay for arrays that are written "
                        "only",
                        name, nest->stmt->line, access->line);
    }
    if (!written)
        return fail(err, STATUS_ILLEGAL, "'%s' is not written in the nest at line %d",
                    name, nest->stmt->line);
    GROW(work->streamed, work->streamed_nr + 1, work->streamed_alloc);
    work->streamed[work->streamed_nr++] = (struct streamed){.cell = cell};
    return 0;
}

int tree_nontemporal(struct work *work, const struct plan_step *step, struct error *err)
{
    int status = 0;
    work->reorders = true; /* lines are stored late: arrays must not overlap */
    for (size_t i = 0; !status && i < step->arg_nr; i++)
        status = stream_one(work, step->arg[i].name, err);
    return status;
}

/* ---- longer rows ---- */

/* The line in which it is used otherwise than by elements; 0 = nowhere. */
static int other_use(const struct ir_stmt *stmt, const struct ir_symbol *symbol)
{
    const struct ir_expr *part[] = {stmt->expr, stmt->cond, stmt->lower, stmt->upper,
                                    stmt->increment};
    for (size_t i = 0; i < ARRAY_SIZE(part); i++)
        if (part[i] && expr_other_use(part[i], symbol))
            return stmt->line;
    int line = stmt->init ? other_use(stmt->init, symbol) : 0;
    for (size_t i = 0; !line && i < stmt->child_nr; i++)
        line = stmt->child[i] ? other_use(stmt->child[i], symbol) : 0;
    return line;
}

struct mentions {
    const struct ir_symbol *symbol;
    size_t nr;
    bool beyond; /* of a row's end, by a number */
};

static void note_mention(struct ir_expr *expr, void *data)
{
    struct mentions *mentions = data;
    const struct ir_symbol *symbol = mentions->symbol;
    const struct ir_expr *at = expr;
    size_t dim = symbol->dim_nr;
    mentions->nr += expr->kind == IR_NAME && expr->symbol == symbol;
    while (at->kind == IR_INDEX)
        at = at->arg[0];
    if (expr->kind != IR_INDEX || at->kind != IR_NAME || at->symbol != symbol)
        return;
    for (at = expr; at->kind == IR_INDEX && dim-- > 0; at = at->arg[0])
        mentions->beyond =
            mentions->beyond ||
            (at->arg[1]->has_value &&
             (at->arg[1]->value < 0 || (symbol->dim[dim]->has_value &&
                                        at->arg[1]->value >= symbol->dim[dim]->value)));
}

/* Behind a comment or a string; the text itself where neither begins. */
static const char *behind_aside(const char *text)
{
    const char *end = text;
    if (!strncmp(text, "/*", 2))
        end = strstr(text + 2, "*/");
    else if (!strncmp(text, "//", 2))
        end = text + strcspn(text, "\n");
    else if (*text == '"')
        for (end++; *end && *end != '"'; end++)
            end += *end == '\\' && end[1];
    return end ? end : text + strlen(text);
}

/* How often the function has the word. `sizeof tmp`, also by a macro, and typeof are
 * folded by the front end: then the text has it more often than the tree. */
static size_t words_in(const struct ir_function *function, const char *word)
{
    const char *at = function->source + function->body_begin,
               *end = function->source + function->body_end;
    size_t length = strlen(word), nr = 0;
    for (; at < end; at++) {
        at = behind_aside(at);
        bool begins = !isalnum((unsigned char)at[-1]) && at[-1] != '_';
        nr += begins && at < end && !strncmp(at, word, length) &&
              !isalnum((unsigned char)at[length]) && at[length] != '_';
    }
    return nr;
}

/* `t[0][i]` for all elements. */
static bool runs_beyond(const struct nest *nest, const struct ir_symbol *symbol)
{
    bool found = false;
    for (size_t i = 0; !found && i < nest->access_nr; i++)
        found = nest->cell[nest->access[i].cell].symbol == symbol &&
                nest->access[i].leaves_row;
    return found;
}

static bool declares(const struct ir_stmt *stmt, const void *symbol)
{
    return stmt->kind == IR_DECL && stmt->symbol == symbol;
}

/* NULL when its rows may be longer. */
static const char *why_not_padded(const struct nest *nest, const struct ir_symbol *symbol,
                                  int *line)
{
    const struct ir_function *function = nest->model->function;
    const struct ir_stmt *declaration = stmt_find(function->body, declares, symbol);
    if (symbol->role != IR_LOCAL || !declaration)
        return "others see how it lies in memory; only arrays that the function declares "
               "itself can have longer rows";
    if (symbol->is_static || symbol->as_written || symbol->pointer_to_array)
        return "its declaration is not a plain one";
    if (symbol->dim_nr < 2)
        return "it has one dimension only, so no rows";
    if (declaration->expr)
        return "it has an initialiser";
    *line = other_use(function->body, symbol);
    if (*line)
        return "is used otherwise than by its elements";
    struct mentions mentions = {.symbol = symbol};
    stmt_exprs(function->body, note_mention, &mentions);
    for (size_t i = 0; !mentions.beyond && i < nest->model->nest_nr; i++)
        mentions.beyond = runs_beyond(nest->model->nest[i], symbol);
    if (mentions.beyond)
        return "an element beyond the end of a row is named";
    if (words_in(function, symbol->name) != mentions.nr + 1)
        return "the function has its name where that is no element: its size may be "
               "asked "
               "for (sizeof), or a macro hides how it is used";
    return NULL;
}

int tree_pad(struct work *work, const struct plan_step *step, struct error *err)
{
    const struct nest *nest = work->nest;
    for (size_t i = 0; i < step->arg_nr; i++) {
        size_t cell;
        if (!find_cell(nest, step->arg[i].name, &cell))
            continue;
        struct ir_symbol *symbol = nest->cell[cell].symbol;
        int other = 0;
        const char *why = why_not_padded(nest, symbol, &other);
        if (why && other)
            return fail(err, STATUS_ILLEGAL,
                        "'%s' %s at line %d, so its rows stay as "
                        "long as they are",
                        symbol->name, why, other);
        if (why)
            return fail(err, STATUS_ILLEGAL, "'%s' cannot be padded: %s", symbol->name,
                        why);
        GROW(work->padding, work->padding_nr + 1, work->padding_alloc);
        work->padding[work->padding_nr++] =
            (struct padding){.array = symbol, .elements = step->arg[i].value};
    }
    return 0;
}

void work_memory_free(struct work *work)
{
    free(work->padding);
    free(work->streamed);
    free(work->table);
}
