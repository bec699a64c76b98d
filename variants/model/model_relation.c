/* From subscripts to relations between statement instances and elements. */
#include "variants/model/poly.h"

#include <stdio.h>
#include <stdlib.h>

struct affine affine_of(struct nest *nest, const struct statement *statement)
{
    return (struct affine){.nest = nest,
                           .space = isl_set_get_space(statement->domain),
                           .loop = statement->loop,
                           .depth = statement->depth};
}

/* S -> [ ..., x ] with x free. */
static isl_map *add_free(isl_map *map, const struct affine *at)
{
    isl_space *space = isl_space_map_from_domain_and_range(
        isl_space_copy(at->space),
        isl_space_add_dims(isl_space_set_from_params(isl_space_copy(at->nest->params)),
                           isl_dim_set, 1));
    return isl_map_flat_range_product(map, isl_map_universe(space));
}

static isl_map *add_subscript(isl_map *map, const struct affine *at, isl_set *domain,
                              const struct ir_expr *subscript, bool *exact)
{
    struct doubts doubts = {0};
    struct affine doubtful = *at;
    doubtful.doubts = &doubts;
    isl_pw_aff *pa = affine_expr(&doubtful, subscript);
    bool holds = nest_settle(&doubtful, domain);
    if (pa && holds)
        return isl_map_flat_range_product(map, isl_map_from_pw_aff(pa));
    isl_pw_aff_free(pa);
    *exact = false;
    return add_free(map, at);
}

static isl_map *add_iterator(isl_map *map, const struct affine *at, size_t pos)
{
    isl_local_space *space = isl_local_space_from_space(isl_space_copy(at->space));
    isl_aff *aff = isl_aff_var_on_domain(space, isl_dim_set, (unsigned)pos);
    return isl_map_flat_range_product(map, isl_map_from_aff(aff));
}

isl_map *access_relation(struct nest *nest, const struct access *access, bool *exact)
{
    const struct statement *statement = &nest->statement[access->statement];
    const struct cell *cell = &nest->cell[access->cell];
    struct affine at = affine_of(nest, statement);
    isl_space *none = isl_space_set_from_params(isl_space_copy(nest->params));
    isl_map *map = isl_map_universe(
        isl_space_map_from_domain_and_range(isl_space_copy(at.space), none));
    char name[32];
    *exact = true;
    for (size_t i = 0; cell->is_private && i < cell->depth; i++)
        map = add_iterator(map, &at, i);
    for (size_t i = 0; i < cell->dims; i++)
        map =
            add_subscript(map, &at, statement->domain,
                          access->dim_nr ? access->dim[i] : access->subscript[i], exact);
    snprintf(name, sizeof(name), "A%zu", access->cell);
    map = isl_map_set_tuple_name(map, isl_dim_out, name);
    isl_space_free(at.space);
    return isl_map_intersect_domain(map, isl_set_copy(statement->domain));
}

static int relate(struct nest *nest, struct access *access)
{
    isl_map_free(access->map);
    access->map = access_relation(nest, access, &access->exact);
    if (!access->exact || access->collapsed)
        access->must = false;
    return access->map ? 0 : -1;
}

int nest_relations(struct nest *nest)
{
    bool *tried = xcalloc(nest->cell_nr + 1, sizeof(bool));
    int status = 0;
    for (size_t i = 0; !status && i < nest->access_nr; i++) {
        struct access *access = &nest->access[i];
        status = relate(nest, access);
        if (status || access->exact || tried[access->cell] ||
            nest->cell[access->cell].dims != 1)
            continue;
        tried[access->cell] = true;
        cell_delinearize(nest, access->cell);
        for (size_t k = 0; !status && k <= i; k++)
            if (nest->access[k].cell == access->cell) {
                nest->access[k].must =
                    nest->access[k].write && !nest->access[k].collapsed;
                status = relate(nest, &nest->access[k]);
            }
    }
    for (size_t i = 0; i < nest->access_nr; i++)
        if (!nest->access[i].exact)
            nest->cell[nest->access[i].cell].indirect = true;
    free(tried);
    return status;
}

/* ---- rows ---- */

/* Can it be shown that the subscript is below the size of its dimension? */
static bool stays_within(struct nest *nest, const struct statement *statement,
                         const struct ir_expr *subscript, const struct ir_expr *size)
{
    struct affine at = affine_of(nest, statement);
    isl_pw_aff *value = affine_expr(&at, subscript), *end = affine_expr(&at, size);
    isl_space_free(at.space);
    if (!value || !end) {
        isl_pw_aff_free(value);
        isl_pw_aff_free(end);
        return false;
    }
    isl_set *wrong = isl_pw_aff_ge_set(isl_pw_aff_copy(value), end);
    wrong = isl_set_union(wrong, isl_pw_aff_pos_set(isl_pw_aff_neg(value)));
    wrong = isl_set_intersect(wrong, isl_set_copy(statement->domain));
    wrong = isl_set_intersect_params(wrong, isl_set_copy(nest->vouched));
    bool none = isl_set_is_empty(wrong) == isl_bool_true;
    isl_set_free(wrong);
    return none;
}

static bool access_stays(struct nest *nest, const struct access *access)
{
    const struct ir_symbol *symbol = nest->cell[access->cell].symbol;
    const struct statement *statement = &nest->statement[access->statement];
    for (size_t k = 1; k < symbol->dim_nr && k < access->subscript_nr; k++)
        if (!access->collapsed && symbol->dim[k] &&
            !stays_within(nest, statement, access->subscript[k], symbol->dim[k]))
            return false;
    return true;
}

static bool cell_is_written(const struct nest *nest, size_t cell)
{
    for (size_t i = 0; i < nest->access_nr; i++)
        if (nest->access[i].cell == cell && nest->access[i].write)
            return true;
    return false;
}

void nest_say_rows(struct nest *nest, struct strvec *out)
{
    for (size_t i = 0; i < nest->access_nr; i++) {
        const struct access *access = &nest->access[i];
        const struct cell *cell = &nest->cell[access->cell];
        if (cell->is_private || !cell_is_written(nest, access->cell) ||
            access_stays(nest, access))
            continue;
        char *text = xasprintf("the subscripts of '%s' at line %d stay in their rows",
                               cell->symbol->name, access->line);
        strvec_push_once(out, text);
        free(text);
    }
}
