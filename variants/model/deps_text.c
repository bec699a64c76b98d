/* Dependences as sentences. */
#include <stdlib.h>
#include <string.h>

#include "variants/model/deps.h"

/* ---- distances ---- */

/* Between the common loops, outermost first, in iterations of the source. */
static isl_set *distances(const struct nest *nest, isl_map *map, size_t *dims)
{
    size_t a = statement_of_tuple(isl_map_get_tuple_name(map, isl_dim_in));
    size_t b = statement_of_tuple(isl_map_get_tuple_name(map, isl_dim_out));
    const struct statement *first = &nest->statement[a], *second = &nest->statement[b];
    *dims = common_loops(first, second);
    map = isl_map_copy(map);
    map = isl_map_project_out(map, isl_dim_in, (unsigned)*dims,
                              (unsigned)(first->depth - *dims));
    map = isl_map_project_out(map, isl_dim_out, (unsigned)*dims,
                              (unsigned)(second->depth - *dims));
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
    isl_val *low = isl_set_dim_min_val(isl_set_copy(set), (int)dim),
            *high = isl_set_dim_max_val(isl_set_copy(set), (int)dim);
    bool least = low && isl_val_is_int(low) == isl_bool_true,
         most = high && isl_val_is_int(high) == isl_bool_true;
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

static const struct access *find_write(const struct nest *nest, size_t cell,
                                       size_t statement)
{
    for (size_t i = nest->statement[statement].access_begin;
         i < nest->statement[statement].access_end; i++)
        if (nest->access[i].cell == cell && nest->access[i].write)
            return &nest->access[i];
    return NULL;
}

struct describe {
    const struct nest *nest;
    const struct access *read; /* NULL: both ends are writes */
    bool read_first;
    const char *kind;
    size_t cell;
    struct strvec *out;
};

static void describe_pair(const struct describe *at, const struct access *from,
                          const struct access *to, isl_map *map)
{
    struct buf text = {0};
    ir_print_expr(&text, from->expr);
    buf_addf(&text, " %s at line %d, ", from->write ? "written" : "read", from->line);
    ir_print_expr(&text, to->expr);
    buf_addf(&text, " %s at line %d: %s, distance ", to->write ? "written" : "read",
             to->line, at->kind);
    add_distances(at->nest, map, &text);
    strvec_push(at->out, buf_str(&text));
    buf_release(&text);
}

static isl_stat describe_map(isl_map *map, void *data)
{
    struct describe *at = data;
    size_t a = statement_of_tuple(isl_map_get_tuple_name(map, isl_dim_in));
    size_t b = statement_of_tuple(isl_map_get_tuple_name(map, isl_dim_out));
    const struct access *from =
        at->read && at->read_first ? at->read : find_write(at->nest, at->cell, a);
    const struct access *to =
        at->read && !at->read_first ? at->read : find_write(at->nest, at->cell, b);
    if (from && to)
        describe_pair(at, from, to, map);
    isl_map_free(map);
    return isl_stat_ok;
}

static void describe_all(struct describe *at, isl_union_map *pairs)
{
    if (pairs)
        isl_union_map_foreach_map(pairs, describe_map, at);
    isl_union_map_free(pairs);
}

/* { first -> second : same element, in the order of the source } */
static isl_union_map *ordered_pairs(const struct nest *nest, isl_union_map *first,
                                    isl_union_map *second)
{
    isl_union_map *pairs =
        isl_union_map_apply_range(first, isl_union_map_reverse(second));
    return isl_union_map_intersect(pairs, isl_union_map_copy(nest->strict));
}

/* `x += e` reads and writes by one expression; a second read of the same text says
 * nothing new. */
static bool is_repeated(const struct nest *nest, const struct access *read)
{
    for (const struct access *other = nest->access; other < read; other++)
        if (!other->write && other->cell == read->cell &&
            other->statement == read->statement &&
            isl_map_is_equal(other->map, read->map) == isl_bool_true)
            return true;
    return false;
}

static void describe_read(struct nest *nest, const struct access *read,
                          struct strvec *out)
{
    struct describe at = {
        .nest = nest, .read = read, .cell = read->cell, .out = out, .kind = "flow"};
    describe_all(&at, access_flow(nest, read));
    at.kind = "anti";
    at.read_first = true;
    isl_union_map *reads = isl_union_map_from_map(isl_map_copy(read->map));
    describe_all(
        &at, ordered_pairs(nest, reads, cell_accesses(nest, read->cell, access_writes)));
}

void deps_describe(struct nest *nest, struct strvec *sentences)
{
    for (size_t i = 0; i < nest->access_nr; i++) {
        const struct access *access = &nest->access[i];
        if (!access->write && !nest->cell[access->cell].is_private &&
            !is_repeated(nest, access))
            describe_read(nest, access, sentences);
    }
    for (size_t i = 0; i < nest->cell_nr; i++) {
        struct describe at = {
            .nest = nest, .cell = i, .out = sentences, .kind = "output"};
        isl_union_map *first = cell_accesses(nest, i, access_writes),
                      *second = isl_union_map_copy(first);
        isl_union_map *pairs = ordered_pairs(nest, first, second);
        if (nest->cell[i].is_private)
            isl_union_map_free(pairs);
        else
            describe_all(&at, pairs);
    }
}

/* ---- why a plan is not legal ---- */

struct culprit {
    const struct access *first, *second;
    isl_map *map;
    int rank;
};

/* A value that is written and then read says most; a subscript that is known says more
 * than one that is not. */
static int rank(const struct access *first, const struct access *second)
{
    int rank = first->write && !second->write ? 0 : first->write ? 2 : 1;
    return rank + (first->exact && second->exact ? 0 : 3);
}

static void consider(struct culprit *best, const struct access *first,
                     const struct access *second, isl_union_map *pairs)
{
    int new_rank = rank(first, second);
    if (best->map && new_rank >= best->rank)
        return;
    isl_map *map = isl_map_apply_range(isl_map_copy(first->map),
                                       isl_map_reverse(isl_map_copy(second->map)));
    isl_union_map *both =
        isl_union_map_intersect(isl_union_map_from_map(map), isl_union_map_copy(pairs));
    if (isl_union_map_is_empty(both) != isl_bool_false) {
        isl_union_map_free(both);
        return;
    }
    isl_map_free(best->map);
    *best = (struct culprit){.first = first,
                             .second = second,
                             .rank = new_rank,
                             .map = isl_map_from_union_map(both)};
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
    buf_add(out, " names cannot be told from the source (if they never meet, say so: "
                 "`assume independent(...)`)");
}

static void print_culprit(const struct nest *nest, const struct culprit *culprit,
                          const char *verdict, struct buf *out)
{
    ir_print_expr(out, culprit->first->expr);
    buf_addf(out, " %s at line %d is %s", culprit->first->write ? "written" : "read",
             culprit->first->line, happens(culprit));
    buf_add(out, " as ");
    ir_print_expr(out, culprit->second->expr);
    buf_addf(out, " at line %d later", culprit->second->line);
    if (common_loops(&nest->statement[culprit->first->statement],
                     &nest->statement[culprit->second->statement])) {
        buf_add(out, " (distance ");
        add_distances(nest, culprit->map, out);
        buf_add(out, ")");
    }
    buf_addf(out, ", %s", verdict);
    blame_subscript(culprit->first->exact ? culprit->second : culprit->first, out);
}

void deps_explain(struct nest *nest, isl_union_map *pairs, const char *verdict,
                  struct buf *out)
{
    struct culprit best = {0};
    for (size_t i = 0; i < nest->access_nr; i++)
        for (size_t k = 0; k < nest->access_nr; k++)
            if (nest->access[i].cell == nest->access[k].cell &&
                (nest->access[i].write || nest->access[k].write))
                consider(&best, &nest->access[i], &nest->access[k], pairs);
    if (best.map)
        print_culprit(nest, &best, verdict, out);
    else
        buf_addf(out, "one statement depends on another, %s", verdict);
    isl_map_free(best.map);
}
