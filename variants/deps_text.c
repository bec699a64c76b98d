/* Dependences as sentences. */
#include "variants/poly.h"

#include <stdlib.h>
#include <string.h>

/* ---- distances ---- */

/* Between the common loops, outermost first, in iterations of the source. */
static isl_set *distances(const struct nest *nest, isl_map *map, size_t *dims)
{
    size_t a = statement_of_tuple(isl_map_get_tuple_name(map, isl_dim_in));
    size_t b = statement_of_tuple(isl_map_get_tuple_name(map, isl_dim_out));
    const struct statement *first = &nest->statement[a], *second = &nest->statement[b];
    *dims = common_loops(first, second);
    map = isl_map_copy(map);
    map = isl_map_project_out(map, isl_dim_in, (unsigned)*dims, (unsigned)(first->depth - *dims));
    map = isl_map_project_out(map, isl_dim_out, (unsigned)*dims, (unsigned)(second->depth - *dims));
    map = isl_map_reset_tuple_id(isl_map_reset_tuple_id(map, isl_dim_in), isl_dim_out);
    return isl_set_coalesce(isl_map_deltas(map));
}

static void add_bound(struct buf *out, isl_val *val, long long step)
{
    if (val && isl_val_is_int(val) == isl_bool_true)
        buf_addf(out, "%ld", isl_val_get_num_si(val) / (long)(step ? step : 1));
    isl_val_free(val);
}

/* 2, 1.., ..-1, 1..3, or * */
static void add_distance(struct buf *out, isl_set *set, size_t dim, long long step)
{
    isl_val *low = isl_set_dim_min_val(isl_set_copy(set), (int)dim), *high = isl_set_dim_max_val(isl_set_copy(set), (int)dim);
    bool least = low && isl_val_is_int(low) == isl_bool_true, most = high && isl_val_is_int(high) == isl_bool_true;
    if (least && most && isl_val_eq(low, high) == isl_bool_true) {
        isl_val_free(high);
        add_bound(out, low, step);
        return;
    }
    if (!least && !most)
        buf_add(out, "*");
    add_bound(out, step < 0 ? high : low, step);
    if (least || most)
        buf_add(out, "..");
    add_bound(out, step < 0 ? low : high, step);
}

static void add_distances(const struct nest *nest, isl_map *map, struct buf *out)
{
    size_t dims, a = statement_of_tuple(isl_map_get_tuple_name(map, isl_dim_in));
    isl_set *set = distances(nest, map, &dims);
    buf_add(out, "[");
    for (size_t i = 0; i < dims; i++) {
        buf_add(out, i ? ", " : "");
        add_distance(out, set, i, nest->statement[a].loop[i]->stmt->step);
    }
    buf_add(out, "]");
    isl_set_free(set);
}

/* ---- what `show` prints ---- */

static const struct access *find_access(const struct nest *nest, size_t cell, size_t statement, bool write)
{
    for (size_t i = nest->statement[statement].access_begin; i < nest->statement[statement].access_end; i++)
        if (nest->access[i].cell == cell && nest->access[i].write == write)
            return &nest->access[i];
    return NULL;
}

struct describe {
    const struct nest *nest;
    size_t cell;
    bool from_write, to_write;
    const char *kind;
    struct strvec *out;
};

static isl_stat describe_map(isl_map *map, void *data)
{
    struct describe *at = data;
    size_t a = statement_of_tuple(isl_map_get_tuple_name(map, isl_dim_in));
    size_t b = statement_of_tuple(isl_map_get_tuple_name(map, isl_dim_out));
    const struct access *from = find_access(at->nest, at->cell, a, at->from_write);
    const struct access *to = find_access(at->nest, at->cell, b, at->to_write);
    struct buf text = {0};
    if (from && to) {
        ir_print_expr(&text, from->expr);
        buf_addf(&text, " %s at line %d, ", at->from_write ? "written" : "read", from->line);
        ir_print_expr(&text, to->expr);
        buf_addf(&text, " %s at line %d: %s, distance ", at->to_write ? "written" : "read", to->line, at->kind);
        add_distances(at->nest, map, &text);
        strvec_push(at->out, buf_str(&text));
    }
    buf_release(&text);
    isl_map_free(map);
    return isl_stat_ok;
}

/* Pairs through one cell in source order, with no must-write between them where the kind is flow. */
static void describe_cell(struct nest *nest, size_t cell, struct strvec *out)
{
    struct describe at = {.nest = nest, .cell = cell, .out = out, .from_write = true, .kind = "flow"};
    isl_union_map *flow = cell_flow(nest, cell, nest->order, NULL, NULL);
    if (flow)
        isl_union_map_foreach_map(flow, describe_map, &at);
    isl_union_map_free(flow);
    isl_union_map *reads = cell_accesses(nest, cell, access_reads), *writes = cell_accesses(nest, cell, access_writes);
    isl_union_map *anti = isl_union_map_apply_range(reads, isl_union_map_reverse(isl_union_map_copy(writes)));
    anti = isl_union_map_intersect(anti, isl_union_map_copy(nest->strict));
    at = (struct describe){.nest = nest, .cell = cell, .out = out, .to_write = true, .kind = "anti"};
    if (anti)
        isl_union_map_foreach_map(anti, describe_map, &at);
    isl_union_map_free(anti);
    isl_union_map *back = isl_union_map_reverse(isl_union_map_copy(writes));
    isl_union_map *output = isl_union_map_apply_range(writes, back);
    output = isl_union_map_intersect(output, isl_union_map_copy(nest->strict));
    at = (struct describe){.nest = nest, .cell = cell, .out = out, .from_write = true, .to_write = true, .kind = "output"};
    if (output)
        isl_union_map_foreach_map(output, describe_map, &at);
    isl_union_map_free(output);
}

void deps_describe(struct nest *nest, struct strvec *sentences)
{
    for (size_t i = 0; i < nest->cell_nr; i++)
        if (!nest->cell[i].is_private)
            describe_cell(nest, i, sentences);
}

/* ---- why a plan is not legal ---- */

struct culprit {
    const struct access *first, *second;
    isl_map *map;
    int rank;
};

/* A value that is written and then read says most; a subscript that is known says more than one that is not. */
static int rank(const struct access *first, const struct access *second)
{
    int rank = first->write && !second->write ? 0 : first->write ? 2 : 1;
    return rank + (first->exact && second->exact ? 0 : 3);
}

static void consider(struct culprit *best, const struct access *first, const struct access *second, isl_union_map *pairs)
{
    int new_rank = rank(first, second);
    if (best->map && new_rank >= best->rank)
        return;
    isl_map *map = isl_map_apply_range(isl_map_copy(first->map), isl_map_reverse(isl_map_copy(second->map)));
    isl_union_map *both = isl_union_map_intersect(isl_union_map_from_map(map), isl_union_map_copy(pairs));
    if (isl_union_map_is_empty(both) != isl_bool_false) {
        isl_union_map_free(both);
        return;
    }
    isl_map_free(best->map);
    *best = (struct culprit){.first = first, .second = second, .rank = new_rank, .map = isl_map_from_union_map(both)};
}

static const char *happens(const struct culprit *culprit)
{
    if (!culprit->first->write)
        return "overwritten";
    return culprit->second->write ? "written again" : "read";
}

static void blame_subscript(const struct access *access, struct buf *out)
{
    if (access->exact)
        return;
    buf_add(out, "; which elements ");
    ir_print_expr(out, access->expr);
    buf_add(out, " names cannot be told from the source (if they never meet, say so: `assume independent(...)`)");
}

static void print_culprit(const struct nest *nest, const struct culprit *culprit, const char *verdict, struct buf *out)
{
    ir_print_expr(out, culprit->first->expr);
    buf_addf(out, " %s at line %d is %s", culprit->first->write ? "written" : "read", culprit->first->line, happens(culprit));
    buf_add(out, " as ");
    ir_print_expr(out, culprit->second->expr);
    buf_addf(out, " at line %d later (distance ", culprit->second->line);
    add_distances(nest, culprit->map, out);
    buf_addf(out, "), %s", verdict);
    blame_subscript(culprit->first->exact ? culprit->second : culprit->first, out);
}

void deps_explain(struct nest *nest, isl_union_map *pairs, const char *verdict, struct buf *out)
{
    struct culprit best = {0};
    for (size_t i = 0; i < nest->access_nr; i++)
        for (size_t k = 0; k < nest->access_nr; k++)
            if (nest->access[i].cell == nest->access[k].cell && (nest->access[i].write || nest->access[k].write))
                consider(&best, &nest->access[i], &nest->access[k], pairs);
    if (best.map)
        print_culprit(nest, &best, verdict, out);
    else
        buf_addf(out, "one statement depends on another, %s", verdict);
    isl_map_free(best.map);
}
