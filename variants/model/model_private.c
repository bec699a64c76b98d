/* Scalars that belong to one iteration: each iteration gets its own in the model, which
 * frees the order of iterations. */
#include <stdlib.h>

#include "variants/model/deps.h"
#include "variants/model/model_nest.h"
#include "variants/model/tree.h"

struct names {
    const struct ir_symbol *symbol;
    const struct ir_stmt *skip;
    bool found;
};

static void find_symbol(struct ir_expr *expr, void *data)
{
    struct names *names = data;
    if (expr->kind == IR_NAME && expr->symbol == names->symbol)
        names->found = true;
}

static void look_outside(const struct ir_stmt *stmt, struct names *names)
{
    if (!stmt || stmt == names->skip)
        return;
    struct ir_stmt alone = *stmt;
    alone.child_nr = 0;
    stmt_exprs(&alone, find_symbol, names);
    for (size_t i = 0; i < stmt->child_nr; i++)
        look_outside(stmt->child[i], names);
}

static bool used_outside(const struct nest *nest, const struct ir_symbol *symbol)
{
    struct names names = {.symbol = symbol, .skip = nest->stmt};
    look_outside(nest->model->function->body, &names);
    return names.found;
}

/* The loops that enclose every use. */
static size_t shared_depth(const struct nest *nest, size_t cell)
{
    const struct statement *first = NULL;
    size_t depth = DEPTH_MAX;
    for (size_t i = 0; i < nest->access_nr; i++) {
        if (nest->access[i].cell != cell)
            continue;
        const struct statement *statement = &nest->statement[nest->access[i].statement];
        first = first ? first : statement;
        size_t common = common_loops(first, statement);
        depth = common < depth ? common : depth;
    }
    return depth;
}

static isl_stat check_equal(isl_map *map, void *data)
{
    size_t depth = *(size_t *)data;
    isl_map *equal = isl_map_copy(map);
    for (size_t i = 0; i < depth; i++)
        equal = isl_map_equate(equal, isl_dim_in, (int)i, isl_dim_out, (int)i);
    isl_bool same = isl_map_is_subset(map, equal);
    isl_map_free(map);
    isl_map_free(equal);
    return same == isl_bool_true ? isl_stat_ok : isl_stat_error;
}

/* Values stay within one iteration of how many outer loops? */
static size_t private_depth(const struct nest *nest, size_t cell, isl_union_map *flow)
{
    size_t depth = shared_depth(nest, cell);
    while (depth > 0 &&
           isl_union_map_foreach_map(flow, check_equal, &depth) != isl_stat_ok)
        depth--;
    return depth;
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
    bool live_in = true;
    if (cell->symbol->role == IR_GLOBAL || cell->symbol->role == IR_FIELD ||
        cell->symbol->is_static || cell->symbol->address_taken ||
        cell->symbol->is_reference || used_outside(nest, cell->symbol))
        return 0;
    relate_alone(nest, index);
    isl_union_map *flow = cell_flow(nest, index, nest->order, NULL, &live_in);
    if (!flow)
        return -1;
    cell->depth = live_in ? 0 : private_depth(nest, index, flow);
    cell->is_private = cell->depth > 0;
    isl_union_map_free(flow);
    return 0;
}

int nest_privatize(struct nest *nest)
{
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
    bool live_in = true, own = cell->symbol->role == IR_LOCAL && cell->symbol->dim_nr &&
                               cell->dims && !cell->indirect;
    if (!own || cell->symbol->address_taken ||
        (!nest->declared[cell->symbol->id] && used_outside(nest, cell->symbol)))
        return false;
    isl_union_map *flow = cell_flow(nest, index, nest->order, NULL, &live_in);
    size_t depth = shared_depth(nest, index);
    bool temporary = flow && !live_in && depth < DEPTH_MAX && depth > cell->depth &&
                     private_depth(nest, index, flow) == depth;
    isl_union_map_free(flow);
    return temporary;
}
