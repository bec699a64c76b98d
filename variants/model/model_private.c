/* Scalars that belong to one iteration: each iteration gets its own in the model, which
 * frees the order of iterations. */
#include "variants/ir/liveness.h"
#include "variants/model/deps.h"
#include "variants/model/model_nest.h"
#include "variants/model/tree.h"

bool nest_is_needed_behind(const struct nest *nest, const struct ir_symbol *symbol)
{
    const struct ir_stmt *body = nest->model->function->body, *last = nest->stmt;
    if (!stmt_holds(body, last))
        last = last->child[last->child_nr - 1];
    return stmt_read_behind(body, last, symbol);
}

static void relate_alone(struct nest *nest, size_t cell)
{
    for (size_t i = 0; i < nest->access_nr; i++)
        if (nest->access[i].cell == cell) {
            isl_map_free(nest->access[i].map);
            nest->access[i].map =
                access_relation(nest, &nest->access[i], &nest->access[i].exact);
        }
}

static int try_private(struct nest *nest, size_t index)
{
    struct cell *cell = &nest->cell[index];
    size_t shared;
    if (cell->symbol->role == IR_GLOBAL || cell->symbol->role == IR_FIELD ||
        cell->symbol->is_static || cell->symbol->address_taken ||
        cell->symbol->is_reference || nest_is_needed_behind(nest, cell->symbol))
        return 0;
    relate_alone(nest, index);
    if (deps_lifetime(nest, index, &cell->depth, &shared))
        return -1;
    cell->is_private = cell->depth > 0;
    return 0;
}

int nest_privatize(struct nest *nest)
{
    nest_group(nest);
    nest->order = tree_order(nest, nest->tree);
    for (size_t i = 0; i < nest->cell_nr; i++) {
        struct cell *cell = &nest->cell[i];
        if (nest->declared[cell->symbol->id]) {
            cell->is_private = true;
            cell->depth = (size_t)nest->decl_depth[cell->symbol->id];
        } else if (!cell->dims && !*cell->path && try_private(nest, i))
            return -1;
    }
    return nest->order ? 0 : -1;
}

bool cell_is_temporary(const struct nest *nest, size_t index)
{
    const struct cell *cell = &nest->cell[index];
    size_t depth, shared;
    bool own = cell->symbol->role == IR_LOCAL && cell->symbol->dim_nr && cell->dims &&
               !cell->indirect;
    return own && !cell->symbol->address_taken &&
           (nest->declared[cell->symbol->id] ||
            !nest_is_needed_behind(nest, cell->symbol)) &&
           !deps_lifetime(nest, index, &depth, &shared) && depth == shared &&
           depth < DEPTH_MAX && depth > cell->depth;
}
