/* What of an innermost loop several accumulators may share, or narrow ones count. */
#include <string.h>

#include "core/base/buf.h"
#include "variants/ir/sum.h"
#include "variants/model/increment.h"
#include "variants/model/recurrence.h"
#include "variants/model/tree.h"
#include "variants/transform/steps.h"

struct body {
    const struct nest *nest;
    const struct loop *loop;
    const struct ir_stmt *stmt[64];
    size_t statement[64], nr;
    bool too_many;
};

static void gather(struct body *body, const struct tree *tree)
{
    if (tree->kind == TREE_LEAF) {
        const struct statement *statement = &body->nest->statement[tree->statement];
        if (body->nr == ARRAY_SIZE(body->stmt)) {
            body->too_many = true;
            return;
        }
        body->statement[body->nr] = tree->statement;
        body->stmt[body->nr++] = statement->stmt;
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        gather(body, tree->child[i]);
}

static bool may_vary(const struct ir_symbol *symbol, const void *data)
{
    const struct body *body = data;
    return symbol->id < 0 || symbol->role == IR_FUNCTION ||
           body->nest->written[symbol->id] || body->nest->declared[symbol->id];
}

/* One variable or element in all iterations of the loop. */
static bool is_kept(const struct body *body, const struct access *access)
{
    const struct cell *cell = &body->nest->cell[access->cell];
    const struct ir_symbol *symbol = cell->symbol;
    bool own = cell->is_private && cell->depth > (size_t)body->loop->depth;
    bool plain =
        symbol->role == IR_LOCAL || symbol->role == IR_PARAM || symbol->role == IR_GLOBAL;
    if (own || symbol->is_static ||
        (cell->dims ? !access->exact || access->collapsed : !plain))
        return false;
    for (size_t i = 0; i < access->subscript_nr; i++)
        if (expr_mentions(access->subscript[i], body->loop->stmt->iterator))
            return false;
    return true;
}

static bool is_in(const struct body *body, size_t statement)
{
    for (size_t i = 0; i < body->nr; i++)
        if (body->statement[i] == statement)
            return true;
    return false;
}

static void say(struct buf *why, const struct recurrence *found, long long block)
{
    buf_add(why, why->length ? "; '" : "'");
    ir_print_expr(why, found->target);
    buf_add(why, "' ");
    if (found->kind != RECURRENCE_NONE && block)
        buf_addf(why,
                 "may gain more in %lld iterations than a counter narrower than its type "
                 "holds, or it is not known how much",
                 block);
    else if (found->kind != RECURRENCE_NONE)
        buf_addf(why,
                 "is a floating-point %s, which they would round otherwise; with "
                 "--reassociate they may",
                 recurrence_word(found->kind));
    else
        buf_addf(why, "%s at line %d", found->why, found->line);
}

static bool may_be_narrow(const struct body *body, const struct recurrence *found,
                          long long block)
{
    long long most = increment_at_most(found, body->stmt, body->nr);
    return most > 0 && increment_bytes(found, most * block) > 0;
}

bool band_accumulates(const struct nest *nest, const struct tree *band, long long block,
                      bool *element, struct buf *why)
{
    struct body body = {.nest = nest, .loop = band->loop};
    struct strvec seen = {0};
    bool any = false;
    gather(&body, band);
    if (!tree_is_straight(band->child[0]) || body.too_many) {
        buf_add(why, body.too_many ? "it has too many statements"
                                   : "it is not an innermost loop");
        return false;
    }
    for (size_t i = 0; i < nest->statement_nr; i++)
        if (nest->statement[i].calls && is_in(&body, i)) {
            buf_addf(why, "a function that is called at line %d may use them",
                     nest->statement[i].stmt->line);
            return false;
        }
    for (size_t i = 0; i < nest->access_nr; i++) {
        const struct access *access = &nest->access[i];
        if (!access->write || !is_in(&body, access->statement) ||
            !is_kept(&body, access) || strvec_has(&seen, nest->cell[access->cell].name))
            continue;
        struct recurrence found = recurrence_of(nest->model->arena, body.stmt, body.nr,
                                                access->expr, may_vary, &body);
        strvec_push(&seen, nest->cell[access->cell].name);
        bool legal =
            block ? may_be_narrow(&body, &found, block)
                  : found.kind != RECURRENCE_NONE &&
                        (!recurrence_rounds(&found) || nest->model->request.reassociate);
        if (!legal)
            say(why, &found, block);
        any = any || legal;
        *element = *element || (legal && (access->expr->kind != IR_NAME ||
                                          access->expr->symbol->role == IR_GLOBAL));
    }
    if (!any && !why->length)
        buf_add(why, "no variable of it is made from its last value");
    strvec_release(&seen);
    return any;
}
