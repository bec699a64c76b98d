/*
 * interleave(q:32): loops of unknown length, one in each iteration of q, go on side by
 * side. The loop q is divided into blocks, what it does in one iteration into loops of
 * their own within the block, and the loop of unknown length takes one step for each
 * iteration of the block in turn until none is left: as many chains of misses, or of
 * arithmetic, are under way as the block has iterations.
 */
#include <string.h>

#include "core/base/error.h"
#include "variants/ir/ir.h"
#include "variants/model/tree.h"
#include "variants/plan/plan.h"
#include "variants/transform/steps.h"

/* ---- which loops can go in rounds ---- */

static bool leaves_all(const struct ir_stmt *stmt, const void *data)
{
    (void)data;
    return stmt->kind == IR_RETURN || stmt->kind == IR_OPAQUE ||
           (stmt->kind == IR_JUMP && !strncmp(stmt->text, "goto", 4));
}

/* A `continue` that is of the loop with this body. */
static bool continues(const struct ir_stmt *stmt)
{
    bool found = stmt->kind == IR_JUMP && !strncmp(stmt->text, "continue", 8);
    for (size_t i = 0; !found && i < stmt->child_nr; i++)
        found = stmt->child[i] && stmt->child[i]->kind != IR_FOR &&
                stmt->child[i]->kind != IR_WHILE && continues(stmt->child[i]);
    return found;
}

static bool is_endless(const struct ir_stmt *stmt)
{
    return stmt->kind == IR_WHILE || (stmt->kind == IR_FOR && !stmt->canonical);
}

/* What the head does first can be done for each iteration around, in a loop of its own.
 */
static bool is_plain_head(const struct ir_stmt *init)
{
    return !init || init->kind == IR_EXPR ||
           (init->kind == IR_DECL && init->expr && !init->symbol->type.pointers &&
            !init->symbol->type.is_volatile);
}

/* NULL, or why it cannot: a phrase. */
static const char *problem_of(const struct statement *statement)
{
    const struct ir_stmt *stmt = statement->stmt;
    bool is_while = stmt->kind == IR_WHILE && !stmt->is_do;
    if (statement->ends || stmt_find(stmt, leaves_all, NULL))
        return "it may be left by more than break, or is not all C that is read";
    if (!is_while && continues(stmt->child[0]))
        return "it has a continue; put what is behind it under a condition";
    if (!is_plain_head(stmt->init))
        return "its head declares a pointer, or several variables";
    if (stmt->pragma)
        return "a pragma stands before it";
    return NULL;
}

/* ---- the step ---- */

struct marking {
    const struct work *work;
    const struct step_arg *arg;
    size_t done;
    const char *why;
    int line; /* of the loop that `why` is about */
};

static void mark(struct marking *at, struct tree *tree)
{
    const struct tree *only = tree->child_nr == 1 ? tree->child[0] : NULL;
    bool named = tree->kind == TREE_BAND && tree->role == BAND_LOOP && !tree->rest &&
                 !strcmp(tree->name, at->arg->name);
    if (named && only && only->kind == TREE_LEAF) {
        const struct statement *statement = &at->work->nest->statement[only->statement];
        bool endless = is_endless(statement->stmt);
        const char *why = endless ? problem_of(statement) : NULL;
        tree->rounds = endless && !why ? at->arg->value : 0;
        at->done += tree->rounds > 0;
        at->line = why ? statement->stmt->line : at->line;
        at->why = why ? why : at->why;
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        mark(at, tree->child[i]);
}

int tree_interleave(struct work *work, const struct plan_step *step, struct error *err)
{
    struct marking at = {.work = work, .arg = &step->arg[0]};
    struct error one_part = {0};
    const struct ir_stmt *loop = tree_find(work->tree, at.arg->name)->loop->stmt;
    if (tree_tile(work, step, err) || tree_distribute(work, step, &one_part) < 0)
        return -1;
    mark(&at, work->tree);
    work->rounds = work->rounds || at.done;
    if (at.done)
        return 0;
    if (at.why)
        fail(err, STATUS_ILLEGAL, "interleave(%s): the loop at line %d: %s", at.arg->name,
             at.line, at.why);
    else
        fail(err, STATUS_ILLEGAL,
             "interleave(%s): no loop of unknown length (while, do, a for that does not "
             "count) is a statement of its own in the loop over %s at line %d; where a "
             "loop inside counts, unroll_jam is the same",
             at.arg->name, at.arg->name, loop->line);
    return STEP_IDLE;
}

/* ---- of the final tree ---- */

struct chains {
    struct work *work;
    const struct tree *above[4 * DEPTH_MAX];
    size_t nr;
    struct error *err;
};

static int check_chains(struct chains *at, const struct tree *band)
{
    struct buf why = {0};
    int status = band_check_apart(at->work, band, at->above, at->nr,
                                  "so its chains cannot run side by side", &why);
    if (at->work->nest->model->forced)
        status = 0;
    if (status)
        fail(at->err, STATUS_ILLEGAL, "interleave(%s:%lld) is not legal: %s", band->name,
             band->rounds, buf_str(&why));
    buf_release(&why);
    return status;
}

static int check_below(struct chains *at, const struct tree *tree)
{
    bool band = tree->kind == TREE_BAND && at->nr < ARRAY_SIZE(at->above);
    if (tree->rounds && check_chains(at, tree))
        return -1;
    if (band)
        at->above[at->nr++] = tree;
    int status = 0;
    for (size_t i = 0; !status && i < tree->child_nr; i++)
        status = check_below(at, tree->child[i]);
    at->nr -= band;
    return status;
}

int tree_rounds(struct work *work, struct error *err)
{
    struct chains at = {.work = work, .err = err};
    return work->rounds ? check_below(&at, work->tree) : 0;
}

/* ---- private scalars of those loops ---- */

/* The loop uses it, and not only to set it and to read that in the same iteration. */
static bool keeps(const struct nest *nest, size_t statement, size_t cell)
{
    bool uses = false, passes = false;
    for (size_t i = 0; i < nest->access_nr; i++) {
        const struct access *access = &nest->access[i];
        bool own = access->statement == statement;
        if (access->cell != cell)
            continue;
        uses = uses || own;
        passes = passes || !own || !access->write;
    }
    return uses && passes;
}

bool cell_goes_in_rounds(const struct work *work, const struct tree *tree, size_t cell)
{
    const struct nest *nest = work->nest;
    bool found = tree->kind == TREE_BAND && tree->rounds &&
                 (size_t)tree->loop->depth < nest->cell[cell].depth &&
                 keeps(nest, tree->child[0]->statement, cell);
    for (size_t i = 0; !found && i < tree->child_nr; i++)
        found = cell_goes_in_rounds(work, tree->child[i], cell);
    return found;
}
