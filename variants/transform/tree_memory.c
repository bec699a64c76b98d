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

struct uses {
    const struct ir_symbol *symbol;
    bool other; /* used otherwise than by all its subscripts */
    int line, now;
};

static void look_at(struct uses *uses, const struct ir_expr *expr)
{
    size_t subscripts = 0;
    const struct ir_expr *root = expr;
    for (; root->kind == IR_INDEX; root = root->arg[0])
        subscripts++;
    if (root->kind == IR_NAME && root->symbol == uses->symbol) {
        if (subscripts < root->symbol->dim_nr && !uses->other) {
            uses->other = true;
            uses->line = uses->now;
        }
        for (; expr->kind == IR_INDEX; expr = expr->arg[0])
            look_at(uses, expr->arg[1]);
        return;
    }
    for (size_t i = 0; i < expr->arg_nr; i++)
        look_at(uses, expr->arg[i]);
}

/* The expressions of one statement, then those below. */
static void look_below(struct uses *uses, const struct ir_stmt *stmt)
{
    if (!stmt)
        return;
    uses->now = stmt->line;
    const struct ir_expr *part[] = {stmt->expr, stmt->cond, stmt->lower, stmt->upper,
                                    stmt->increment};
    for (size_t i = 0; i < ARRAY_SIZE(part); i++)
        if (part[i])
            look_at(uses, part[i]);
    look_below(uses, stmt->init);
    for (size_t i = 0; i < stmt->child_nr; i++)
        look_below(uses, stmt->child[i]);
}

/* `sizeof tmp`, which the front end folds into a number. */
static bool has_sizeof(const struct ir_function *function, const char *name)
{
    const char *at = function->source + function->body_begin,
               *end = function->source + function->body_end;
    size_t length = strlen(name);
    for (; (at = strstr(at, "sizeof")) && at < end; at += strlen("sizeof")) {
        const char *word = at + strlen("sizeof");
        word += strspn(word, " \t\n(*&");
        if (!strncmp(word, name, length) && !isalnum((unsigned char)word[length]) &&
            word[length] != '_')
            return true;
    }
    return false;
}

static bool declares(const struct ir_stmt *stmt, const void *symbol)
{
    return stmt->kind == IR_DECL && stmt->symbol == symbol;
}

/* NULL when its rows may be longer. */
static const char *why_not_padded(const struct nest *nest, const struct ir_symbol *symbol,
                                  struct uses *uses)
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
    look_below(uses, function->body);
    if (uses->other)
        return "is used as a whole or by rows";
    if (has_sizeof(function, symbol->name))
        return "its size is asked for by sizeof";
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
        struct uses uses = {.symbol = symbol};
        const char *why = why_not_padded(nest, symbol, &uses);
        if (why && uses.other)
            return fail(err, STATUS_ILLEGAL,
                        "'%s' %s at line %d, so its rows stay as "
                        "long as they are",
                        symbol->name, why, uses.line);
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
}
