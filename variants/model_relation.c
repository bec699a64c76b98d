/* From subscripts to relations between statement instances and elements. */
#include "variants/poly.h"

#include <stdio.h>

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
