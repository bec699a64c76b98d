/* Dependences: memory-based for legality, value-based for people and for private scalars.
 */
#include "variants/model/deps.h"

#include <isl/flow.h>
#include <isl/schedule.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/error.h"
#include "variants/model/tree.h"

bool access_writes(const struct access *access)
{
    return access->write;
}

bool access_reads(const struct access *access)
{
    return !access->write;
}

static bool access_must(const struct access *access)
{
    return access->write && access->must;
}

static bool access_may(const struct access *access)
{
    return access->write && !access->must;
}

static bool access_any(const struct access *access)
{
    (void)access;
    return true;
}

isl_union_map *cell_accesses(const struct nest *nest, size_t cell,
                             bool (*wanted)(const struct access *))
{
    isl_union_map *all = isl_union_map_empty(isl_space_copy(nest->params));
    for (size_t i = 0; i < nest->access_nr; i++)
        if (nest->access[i].cell == cell && wanted(&nest->access[i]))
            all = isl_union_map_union(
                all, isl_union_map_from_map(isl_map_copy(nest->access[i].map)));
    return all;
}

size_t common_loops(const struct statement *a, const struct statement *b)
{
    size_t nr = 0;
    while (nr < a->depth && nr < b->depth && a->loop[nr] == b->loop[nr])
        nr++;
    return nr;
}

size_t statement_of_tuple(const char *name)
{
    return name ? strtoul(name + 1, NULL, 10) : SIZE_MAX;
}

/* ---- memory-based ---- */

/* first . second^-1 */
static isl_union_map *meets(isl_union_map *first, isl_union_map *second)
{
    return isl_union_map_apply_range(first, isl_union_map_reverse(second));
}

static bool is_relaxed(const struct nest *nest, const struct access *access)
{
    return access->accumulates == ACCUMULATES_EXACTLY ||
           (access->accumulates == ACCUMULATES_ROUNDED &&
            nest->model->request.reassociate);
}

static bool relaxes(const struct nest *nest)
{
    bool any = false;
    for (size_t i = 0; !any && i < nest->access_nr; i++)
        any = nest->access[i].write && is_relaxed(nest, &nest->access[i]);
    return any;
}

/* All pairs of instances of the statements that only accumulate into the cell. */
static isl_union_map *accumulations(const struct nest *nest, size_t cell)
{
    isl_union_map *pairs = isl_union_map_empty(isl_space_copy(nest->params));
    for (size_t i = 0; i < nest->access_nr; i++) {
        const struct access *access = &nest->access[i];
        if (access->cell != cell || !access->write || !is_relaxed(nest, access))
            continue;
        isl_space *space = isl_set_get_space(nest->statement[access->statement].domain);
        isl_map *map = isl_map_universe(isl_space_map_from_set(space));
        pairs = isl_union_map_union(pairs, isl_union_map_from_map(map));
    }
    return pairs;
}

static isl_union_map *cell_pairs(const struct nest *nest, size_t cell)
{
    isl_union_map *writes = cell_accesses(nest, cell, access_writes);
    isl_union_map *all = cell_accesses(nest, cell, access_any);
    isl_union_map *after = meets(isl_union_map_copy(writes), isl_union_map_copy(all));
    isl_union_map *before = meets(all, writes);
    return isl_union_map_coalesce(isl_union_map_union(after, before));
}

/* Pairs in different iterations of a loop that the user calls independent. */
static isl_map *carried_by(const struct statement *a, const struct statement *b,
                           size_t pos)
{
    isl_space *space = isl_space_map_from_domain_and_range(isl_set_get_space(a->domain),
                                                           isl_set_get_space(b->domain));
    isl_map *map = isl_map_universe(isl_space_copy(space));
    for (size_t i = 0; i < pos; i++)
        map = isl_map_equate(map, isl_dim_in, (int)i, isl_dim_out, (int)i);
    isl_map *less = isl_map_order_lt(isl_map_universe(isl_space_copy(space)), isl_dim_in,
                                     (int)pos, isl_dim_out, (int)pos);
    isl_map *more = isl_map_order_gt(isl_map_universe(space), isl_dim_in, (int)pos,
                                     isl_dim_out, (int)pos);
    return isl_map_intersect(map, isl_map_union(less, more));
}

static bool is_independent(const struct nest *nest, const struct loop *loop)
{
    return strvec_has(&nest->model->independent, loop->stmt->iterator->name);
}

static isl_union_map *guaranteed_pairs(const struct nest *nest)
{
    isl_union_map *pairs = isl_union_map_empty(isl_space_copy(nest->params));
    for (size_t i = 0; i < nest->statement_nr; i++)
        for (size_t k = 0; k < nest->statement_nr; k++) {
            const struct statement *a = &nest->statement[i], *b = &nest->statement[k];
            for (size_t pos = 0; pos < common_loops(a, b); pos++)
                if (is_independent(nest, a->loop[pos]))
                    pairs = isl_union_map_union(
                        pairs, isl_union_map_from_map(carried_by(a, b, pos)));
        }
    return pairs;
}

/* The leaders of statements that stand together, in the order of the source:
 * { a -> b : a before b }. Takes order. */
static isl_union_map *leaders_before(isl_union_map *order)
{
    isl_set *range =
        isl_set_from_union_set(isl_union_map_range(isl_union_map_copy(order)));
    isl_map *less = isl_map_lex_lt(isl_set_get_space(range));
    isl_set_free(range);
    isl_union_map *later = isl_union_map_apply_range(isl_union_map_copy(order),
                                                     isl_union_map_from_map(less));
    return isl_union_map_apply_range(later, isl_union_map_reverse(order));
}

/* The same of two statements, from what it is of their leaders. */
static isl_map *pair_before(const struct nest *nest, isl_union_map *leaders, size_t first,
                            size_t second)
{
    size_t a = tree_leader(nest->tree, first), b = tree_leader(nest->tree, second);
    isl_space *space =
        isl_space_map_from_domain_and_range(isl_set_get_space(nest->statement[a].domain),
                                            isl_set_get_space(nest->statement[b].domain));
    isl_map *map = isl_union_map_extract_map(leaders, space);
    const char *from = isl_set_get_tuple_name(nest->statement[first].domain),
               *to = isl_set_get_tuple_name(nest->statement[second].domain);
    if (a == b && first < second) {
        isl_map *same = isl_map_identity(isl_map_get_space(map));
        same = isl_map_intersect_domain(same, isl_set_copy(nest->statement[a].domain));
        map = isl_map_union(map, same);
    }
    map = isl_map_set_tuple_name(map, isl_dim_in, from);
    return isl_map_set_tuple_name(map, isl_dim_out, to);
}

/* Instances in the order in which the source runs them. */
static isl_union_map *before(const struct nest *nest)
{
    isl_union_map *all = isl_union_map_empty(isl_space_copy(nest->params));
    tree_join(nest, nest->tree);
    isl_union_map *leaders = leaders_before(tree_order(nest, nest->tree));
    for (size_t i = 0; i < nest->statement_nr; i++)
        for (size_t k = 0; k < nest->statement_nr; k++)
            all = isl_union_map_union(
                all, isl_union_map_from_map(pair_before(nest, leaders, i, k)));
    isl_union_map_free(leaders);
    tree_part(nest->tree);
    return all;
}

static isl_union_map *ordered(isl_union_map *pairs, isl_union_map *order,
                              isl_union_map *guaranteed)
{
    isl_union_map *deps = isl_union_map_intersect(pairs, isl_union_map_copy(order));
    return isl_union_map_coalesce(
        isl_union_map_subtract(deps, isl_union_map_copy(guaranteed)));
}

static isl_union_map *all_pairs(const struct nest *nest, bool relaxed)
{
    isl_union_map *all = isl_union_map_empty(isl_space_copy(nest->params));
    for (size_t i = 0; i < nest->cell_nr; i++) {
        isl_union_map *pairs = cell_pairs(nest, i);
        if (relaxed)
            pairs = isl_union_map_subtract(pairs, accumulations(nest, i));
        all = isl_union_map_union(all, pairs);
    }
    return all;
}

int deps_build(struct nest *nest, struct error *err)
{
    bool relaxed = relaxes(nest);
    isl_union_map_free(nest->order);
    nest->order = tree_order(nest, nest->tree);
    isl_union_map_free(nest->before);
    nest->before = before(nest);
    isl_union_map *guaranteed = guaranteed_pairs(nest);
    nest->strict = ordered(all_pairs(nest, false), nest->before, guaranteed);
    nest->deps = relaxed ? ordered(all_pairs(nest, true), nest->before, guaranteed)
                         : isl_union_map_copy(nest->strict);
    isl_union_map_free(guaranteed);
    if (!nest->deps || !nest->strict)
        return fail(err, STATUS_FAILED,
                    "the dependences of the nest at line %d are too complex",
                    nest->stmt->line);
    return 0;
}

/* ---- value-based ---- */

/* { A[iterators, element] -> [element] }: what a private cell is without its copies. */
static isl_union_map *element_of(const struct nest *nest, size_t index)
{
    const struct cell *cell = &nest->cell[index];
    char name[32];
    isl_space *space = isl_space_set_from_params(isl_space_copy(nest->params));
    space = isl_space_add_dims(space, isl_dim_set, (unsigned)(cell->depth + cell->dims));
    snprintf(name, sizeof(name), "A%zu", index);
    space = isl_space_set_tuple_name(space, isl_dim_set, name);
    isl_map *map = isl_map_identity(isl_space_map_from_set(space));
    map = isl_map_reset_tuple_id(map, isl_dim_out);
    map = isl_map_project_out(map, isl_dim_out, 0, (unsigned)cell->depth);
    return isl_union_map_from_map(map);
}

/* The accesses as statement -> [place -> element]. */
static isl_union_map *moved(const struct nest *nest, size_t cell, isl_union_map *accesses,
                            isl_union_map *storage)
{
    if (!storage)
        return accesses;
    accesses = isl_union_map_apply_range(accesses, element_of(nest, cell));
    return isl_union_map_range_product(isl_union_map_copy(storage), accesses);
}

static isl_union_map *flow_to(const struct nest *nest, size_t cell, isl_union_map *reads,
                              isl_union_map *order, isl_union_map *storage, bool *live_in)
{
    isl_union_access_info *info =
        isl_union_access_info_from_sink(moved(nest, cell, reads, storage));
    info = isl_union_access_info_set_must_source(
        info, moved(nest, cell, cell_accesses(nest, cell, access_must), storage));
    info = isl_union_access_info_set_may_source(
        info, moved(nest, cell, cell_accesses(nest, cell, access_may), storage));
    info = isl_union_access_info_set_schedule_map(info, isl_union_map_copy(order));
    isl_union_flow *flow = isl_union_access_info_compute_flow(info);
    isl_union_map *deps = isl_union_flow_get_may_dependence(flow);
    isl_union_map *orphans = isl_union_flow_get_may_no_source(flow);
    if (live_in)
        *live_in = isl_union_map_is_empty(orphans) != isl_bool_true;
    isl_union_map_free(orphans);
    isl_union_flow_free(flow);
    return deps;
}

isl_union_map *cell_flow(const struct nest *nest, size_t cell, isl_union_map *order,
                         isl_union_map *storage, bool *live_in)
{
    return flow_to(nest, cell, cell_accesses(nest, cell, access_reads), order, storage,
                   live_in);
}

isl_union_map *access_flow(const struct nest *nest, const struct access *read)
{
    isl_union_map *reads = isl_union_map_from_map(isl_map_copy(read->map));
    return flow_to(nest, read->cell, reads, nest->order, NULL, NULL);
}

/* Dependences as sentences. */
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
    bool min = low && isl_val_is_int(low) == isl_bool_true,
         max = high && isl_val_is_int(high) == isl_bool_true;
    if (min && max && isl_val_eq(low, high) == isl_bool_true) {
        isl_val_free(high);
        add_bound(out, low, step);
        return;
    }
    if (!min && !max)
        buf_add(out, "*");
    add_bound(out, step < 0 ? high : low, step);
    if (min || max)
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
