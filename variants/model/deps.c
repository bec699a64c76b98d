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

static bool access_reads(const struct access *access)
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

static isl_union_map *cell_accesses(const struct nest *nest, size_t cell,
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

/* ---- who stands for whom ---- */

/*
 * Statements that stand together, run in the same iterations and touch an element by the
 * same relation are one to isl: one relation each, of the first of them. What holds
 * between them in one iteration follows from their order in the text. So the work grows
 * with the groups and with the elements that they name, not with the square of the
 * statements.
 */

/* What statements of one group do with one cell. */
struct shape {
    size_t cell, leader;
    isl_map *map; /* of the leader's instances */
};

static isl_map *renamed(isl_map *map, enum isl_dim_type type, size_t statement)
{
    char name[32];
    snprintf(name, sizeof(name), "S%zu", statement);
    return isl_map_set_tuple_name(map, type, name);
}

static size_t shape_of(struct nest *nest, const struct access *access)
{
    size_t leader = nest->groups.leader[access->statement];
    isl_map *map = renamed(isl_map_copy(access->map), isl_dim_in, leader);
    for (size_t i = 0; i < nest->shape_nr; i++) {
        const struct shape *known = &nest->shape[i];
        if (known->cell != access->cell || known->leader != leader ||
            isl_map_plain_is_equal(known->map, map) != isl_bool_true)
            continue;
        isl_map_free(map);
        return i;
    }
    GROW(nest->shape, nest->shape_nr + 1, nest->shape_alloc);
    nest->shape[nest->shape_nr] = (struct shape){access->cell, leader, map};
    return nest->shape_nr++;
}

/* Two subscripts are different constants. */
static bool are_apart(const struct access *a, const struct access *b)
{
    bool apart = false;
    if (a->leaves_row || b->leaves_row)
        return false;
    for (size_t i = 0; i < a->subscript_nr && a->subscript_nr == b->subscript_nr; i++) {
        const struct ir_expr *one = a->dim_nr ? NULL : a->subscript[i],
                             *two = b->dim_nr ? NULL : b->subscript[i];
        apart = apart || (one && two && one->has_value && two->has_value &&
                          one->value != two->value);
    }
    return apart;
}

void nest_group(struct nest *nest)
{
    tree_join(nest, nest->tree);
    nest->groups.leader = tree_leaders(nest, nest->tree);
    tree_part(nest->tree);
}

/* ---- memory-based ---- */

/* Of one group and one cell: the relation, and the statement that only accumulates by it.
 */
struct touch {
    size_t leader, sums; /* SIZE_MAX: the order of the accesses counts */
    isl_map *map;
    bool write;
    const struct access *access; /* one of them */
};
struct touches {
    struct touch *item;
    size_t nr, alloc;
};

/* Relations between the instances of two leaders that touch the same element: each once.
 */
struct pair {
    size_t first, second;
    struct meeting {
        isl_map *map;
        bool fixed; /* not only by accumulating */
    } * meeting;
    size_t nr, alloc;
};
struct pairs {
    struct pair *item;
    size_t nr, alloc;
};

static bool is_relaxed(const struct nest *nest, const struct access *access)
{
    return access->accumulates == ACCUMULATES_EXACTLY ||
           (access->accumulates == ACCUMULATES_ROUNDED &&
            nest->model->request.reassociate);
}

/* The statement writes the cell by accumulating only. */
static bool only_sums(const struct nest *nest, const struct access *access)
{
    const struct statement *statement = &nest->statement[access->statement];
    bool relaxed = false;
    for (size_t i = statement->access_begin; i < statement->access_end; i++)
        relaxed =
            relaxed || (nest->access[i].cell == access->cell && nest->access[i].write &&
                        is_relaxed(nest, &nest->access[i]));
    return relaxed;
}

static void add_touch(struct touches *all, const struct nest *nest, size_t leader,
                      const struct access *access)
{
    size_t sums = only_sums(nest, access) ? access->statement : SIZE_MAX;
    for (size_t i = 0; i < all->nr; i++)
        if (all->item[i].leader == leader && all->item[i].sums == sums &&
            all->item[i].access->shape == access->shape) {
            all->item[i].write = all->item[i].write || access->write;
            return;
        }
    isl_map *map = isl_map_copy(nest->shape[access->shape].map);
    GROW(all->item, all->nr + 1, all->alloc);
    all->item[all->nr++] = (struct touch){.leader = leader,
                                          .sums = sums,
                                          .map = renamed(map, isl_dim_in, leader),
                                          .write = access->write,
                                          .access = access};
}

static struct touches touches_of(const struct nest *nest, const size_t *leader,
                                 size_t cell)
{
    struct touches all = {0};
    for (size_t i = 0; i < nest->access_nr; i++)
        if (nest->access[i].cell == cell)
            add_touch(&all, nest, leader[nest->access[i].statement], &nest->access[i]);
    return all;
}

static void touches_release(struct touches *all)
{
    for (size_t i = 0; i < all->nr; i++)
        isl_map_free(all->item[i].map);
    free(all->item);
}

static struct pair *pair_at(struct pairs *all, size_t first, size_t second)
{
    for (size_t i = 0; i < all->nr; i++)
        if (all->item[i].first == first && all->item[i].second == second)
            return &all->item[i];
    GROW(all->item, all->nr + 1, all->alloc);
    all->item[all->nr] = (struct pair){.first = first, .second = second};
    return &all->item[all->nr++];
}

/* Takes map. */
static void add_meeting(struct pairs *all, size_t first, size_t second, isl_map *map,
                        bool fixed)
{
    struct pair *pair = pair_at(all, first, second);
    for (size_t i = 0; i < pair->nr; i++)
        if (isl_map_plain_is_equal(pair->meeting[i].map, map) == isl_bool_true) {
            pair->meeting[i].fixed = pair->meeting[i].fixed || fixed;
            isl_map_free(map);
            return;
        }
    GROW(pair->meeting, pair->nr + 1, pair->alloc);
    pair->meeting[pair->nr++] = (struct meeting){map, fixed};
}

/* first . second^-1 */
static isl_map *meets(isl_map *first, isl_map *second)
{
    return isl_map_apply_range(isl_map_copy(first),
                               isl_map_reverse(isl_map_copy(second)));
}

static void add_pair(struct pairs *all, const struct touch *a, const struct touch *b)
{
    bool fixed = a->sums != b->sums || a->sums == SIZE_MAX;
    if ((!a->write && !b->write) || are_apart(a->access, b->access))
        return;
    isl_map *map = meets(a->map, b->map);
    if (isl_map_plain_is_empty(map) == isl_bool_true) {
        isl_map_free(map);
        return;
    }
    if (a != b)
        add_meeting(all, b->leader, a->leader, isl_map_reverse(isl_map_copy(map)), fixed);
    add_meeting(all, a->leader, b->leader, map, fixed);
}

static struct pairs all_pairs(const struct nest *nest, const size_t *leader, size_t cell,
                              size_t cell_nr)
{
    struct pairs all = {0};
    for (; cell_nr--; cell++) {
        struct touches touches = touches_of(nest, leader, cell);
        for (size_t i = 0; i < touches.nr; i++)
            for (size_t k = i; k < touches.nr; k++)
                add_pair(&all, &touches.item[i], &touches.item[k]);
        touches_release(&touches);
    }
    return all;
}

static void pairs_release(struct pairs *all)
{
    for (size_t i = 0; i < all->nr; i++) {
        for (size_t k = 0; k < all->item[i].nr; k++)
            isl_map_free(all->item[i].meeting[k].map);
        free(all->item[i].meeting);
    }
    free(all->item);
}

static isl_map *empty_between(const struct nest *nest, size_t first, size_t second)
{
    return isl_map_empty(isl_space_map_from_domain_and_range(
        isl_set_get_space(nest->statement[first].domain),
        isl_set_get_space(nest->statement[second].domain)));
}

static isl_map *meetings_of(const struct nest *nest, const struct pair *pair, bool fixed)
{
    isl_map *all = empty_between(nest, pair->first, pair->second);
    for (size_t i = 0; i < pair->nr; i++)
        if (!fixed || pair->meeting[i].fixed)
            all = isl_map_union(all, isl_map_copy(pair->meeting[i].map));
    return isl_map_coalesce(all);
}

isl_union_map *cell_meetings(const struct nest *nest, const size_t *leader, size_t cell)
{
    isl_union_map *all = isl_union_map_empty(isl_space_copy(nest->params));
    struct pairs pairs = all_pairs(nest, leader, cell, 1);
    for (size_t i = 0; i < pairs.nr; i++)
        all = isl_union_map_union(
            all, isl_union_map_from_map(meetings_of(nest, &pairs.item[i], false)));
    pairs_release(&pairs);
    return all;
}

/* ---- the source's order ---- */

/* Of two statements { a -> b : a is in an earlier iteration of the loop at `pos`, those
 * around it are in the same }. */
static isl_map *earlier_at(const struct nest *nest, size_t first, size_t second,
                           size_t pos)
{
    isl_space *space = isl_space_map_from_domain_and_range(
        isl_set_get_space(nest->statement[first].domain),
        isl_set_get_space(nest->statement[second].domain));
    isl_map *map = isl_map_universe(space);
    for (size_t i = 0; i < pos; i++)
        map = isl_map_equate(map, isl_dim_in, (int)i, isl_dim_out, (int)i);
    bool up = nest->statement[first].loop[pos]->stmt->step > 0;
    return up ? isl_map_order_lt(map, isl_dim_in, (int)pos, isl_dim_out, (int)pos)
              : isl_map_order_gt(map, isl_dim_in, (int)pos, isl_dim_out, (int)pos);
}

/* { a -> b : the source runs a before b }, also outside of their domains. */
static isl_map *before(const struct nest *nest, size_t first, size_t second)
{
    const struct statement *a = &nest->statement[first], *b = &nest->statement[second];
    isl_map *all = empty_between(nest, first, second);
    size_t common = common_loops(a, b);
    for (size_t i = 0; i < common; i++)
        all = isl_map_union(all, earlier_at(nest, first, second, i));
    if (first < second) {
        isl_map *same = isl_map_universe(isl_map_get_space(all));
        for (size_t i = 0; i < common; i++)
            same = isl_map_equate(same, isl_dim_in, (int)i, isl_dim_out, (int)i);
        all = isl_map_union(all, same);
    }
    return all;
}

isl_union_map *deps_before(const struct nest *nest, const size_t *leader)
{
    isl_union_map *all = isl_union_map_empty(isl_space_copy(nest->params));
    for (size_t i = 0; i < nest->statement_nr; i++)
        for (size_t k = 0; k < nest->statement_nr; k++) {
            if (leader[i] != i || leader[k] != k)
                continue;
            isl_map *map = before(nest, i, k);
            map = isl_map_intersect_domain(map, isl_set_copy(nest->statement[i].domain));
            map = isl_map_intersect_range(map, isl_set_copy(nest->statement[k].domain));
            all = isl_union_map_union(all, isl_union_map_from_map(map));
        }
    return all;
}

/* ---- what the user vouches for ---- */

static bool is_independent(const struct nest *nest, const struct loop *loop)
{
    return strvec_has(&nest->model->independent, loop->stmt->iterator->name);
}

/* Without pairs in different iterations of a loop that the user calls independent. */
static isl_map *less_guaranteed(const struct nest *nest, size_t first, size_t second,
                                isl_map *map)
{
    const struct statement *a = &nest->statement[first], *b = &nest->statement[second];
    for (size_t pos = 0; pos < common_loops(a, b); pos++) {
        if (!is_independent(nest, a->loop[pos]))
            continue;
        isl_map *apart = earlier_at(nest, first, second, pos);
        isl_map *back = isl_map_reverse(earlier_at(nest, second, first, pos));
        map = isl_map_subtract(map, isl_map_union(apart, back));
    }
    return map;
}

static isl_map *ordered(const struct nest *nest, size_t first, size_t second,
                        isl_map *pairs)
{
    pairs = isl_map_intersect(pairs, before(nest, first, second));
    return isl_map_coalesce(less_guaranteed(nest, first, second, pairs));
}

/* ---- what may end the program ---- */

/* What follows it in the same iteration runs only where it came back: a check protects
 * what stands behind it. */
static isl_map *behind_in_iteration(const struct nest *nest, const size_t *leader,
                                    size_t first, size_t second)
{
    size_t a = leader[first], b = leader[second];
    size_t common = common_loops(&nest->statement[first], &nest->statement[second]);
    isl_map *same = isl_map_universe(isl_space_map_from_domain_and_range(
        isl_set_get_space(nest->statement[a].domain),
        isl_set_get_space(nest->statement[b].domain)));
    for (size_t i = 0; i < common; i++)
        same = isl_map_equate(same, isl_dim_in, (int)i, isl_dim_out, (int)i);
    same = isl_map_intersect_domain(same, isl_set_copy(nest->statement[a].domain));
    return isl_map_intersect_range(same, isl_set_copy(nest->statement[b].domain));
}

static void relate_ends(const struct nest *nest, struct dependences *groups)
{
    const size_t *leader = groups->leader;
    for (size_t i = 0; i < nest->statement_nr; i++)
        for (size_t k = i + 1; nest->statement[i].ends && k < nest->statement_nr; k++) {
            if (leader[i] == leader[k])
                continue;
            isl_union_map *map =
                isl_union_map_from_map(behind_in_iteration(nest, leader, i, k));
            groups->strict = isl_union_map_union(groups->strict, isl_union_map_copy(map));
            groups->deps = isl_union_map_union(groups->deps, map);
        }
}

/* ---- all of it ---- */

/* Fills deps and strict for its leaders. */
static void relate_groups(const struct nest *nest, struct dependences *groups)
{
    struct pairs pairs = all_pairs(nest, groups->leader, 0, nest->cell_nr);
    groups->deps = isl_union_map_empty(isl_space_copy(nest->params));
    groups->strict = isl_union_map_empty(isl_space_copy(nest->params));
    for (size_t i = 0; i < pairs.nr; i++) {
        const struct pair *pair = &pairs.item[i];
        bool fixed = true;
        for (size_t k = 0; k < pair->nr; k++)
            fixed = fixed && pair->meeting[k].fixed;
        isl_map *strict =
            ordered(nest, pair->first, pair->second, meetings_of(nest, pair, false));
        isl_map *deps = fixed ? isl_map_copy(strict)
                              : ordered(nest, pair->first, pair->second,
                                        meetings_of(nest, pair, true));
        groups->strict =
            isl_union_map_union(groups->strict, isl_union_map_from_map(strict));
        groups->deps = isl_union_map_union(groups->deps, isl_union_map_from_map(deps));
    }
    pairs_release(&pairs);
    relate_ends(nest, groups);
}

static void dependences_release(struct dependences *groups)
{
    free(groups->leader);
    isl_union_map_free(groups->deps);
    isl_union_map_free(groups->strict);
    *groups = (struct dependences){0};
}

void deps_free(struct nest *nest)
{
    for (size_t i = 0; i < nest->shape_nr; i++)
        isl_map_free(nest->shape[i].map);
    free(nest->shape);
    dependences_release(&nest->groups);
    dependences_release(&nest->regrouped);
}

int deps_build(struct nest *nest, struct error *err)
{
    for (size_t i = 0; i < nest->access_nr; i++)
        nest->access[i].shape = shape_of(nest, &nest->access[i]);
    relate_groups(nest, &nest->groups);
    if (!nest->groups.deps || !nest->groups.strict)
        return fail(err, STATUS_FAILED,
                    "the dependences of the nest at line %d are too complex",
                    nest->stmt->line);
    return 0;
}

/* Takes leader; what is a group in the source too. */
static const struct dependences *regroup(struct nest *nest, size_t *leader)
{
    const size_t *source = nest->groups.leader, *old = nest->regrouped.leader;
    bool same = true, known = old;
    for (size_t i = 0; i < nest->statement_nr; i++) {
        size_t begin = leader[i] > source[i] ? leader[i] : source[i];
        leader[i] = begin;
        same = same && begin == source[i];
        known = known && begin == old[i];
    }
    if (same || (known && nest->regrouped.deps && nest->regrouped.strict)) {
        free(leader);
        return same ? &nest->groups : &nest->regrouped;
    }
    dependences_release(&nest->regrouped);
    nest->regrouped.leader = leader;
    relate_groups(nest, &nest->regrouped);
    return &nest->regrouped;
}

const struct dependences *deps_among(struct nest *nest, const struct tree *tree)
{
    return regroup(nest, tree_leaders(nest, tree));
}

const struct dependences *deps_between(struct nest *nest, const struct tree *tree)
{
    struct tree *copy = tree_copy(tree);
    tree_join(nest, copy);
    size_t *leader = tree_leaders(nest, copy);
    tree_free(copy);
    return regroup(nest, leader);
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

/* Takes the three. */
static isl_union_map *flow_of(isl_union_map *reads, isl_union_map *must,
                              isl_union_map *may, isl_union_map *order, bool *live_in)
{
    isl_union_access_info *info = isl_union_access_info_from_sink(reads);
    info = isl_union_access_info_set_must_source(info, must);
    info = isl_union_access_info_set_may_source(info, may);
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
    return flow_of(moved(nest, cell, cell_accesses(nest, cell, access_reads), storage),
                   moved(nest, cell, cell_accesses(nest, cell, access_must), storage),
                   moved(nest, cell, cell_accesses(nest, cell, access_may), storage),
                   order, live_in);
}

/* ---- of one read ---- */

/* In statements of one group, by the same relation. */
static bool same_elements(const struct nest *nest, const struct access *a,
                          const struct access *b)
{
    if (a->cell != b->cell ||
        nest->groups.leader[a->statement] != nest->groups.leader[b->statement])
        return false;
    isl_map *map = renamed(isl_map_copy(b->map), isl_dim_in, a->statement);
    bool same = isl_map_plain_is_equal(a->map, map) == isl_bool_true;
    isl_map_free(map);
    return same;
}

static bool may_meet(const struct access *a, const struct access *b)
{
    if (a->cell != b->cell || are_apart(a, b))
        return false;
    isl_map *map = meets(a->map, b->map);
    bool never = isl_map_plain_is_empty(map) == isl_bool_true;
    isl_map_free(map);
    return !never;
}

/* The write whose value the read always gets, when it stands before it in the same group
 * and nothing that may be the same element is written in between; NULL = not so. */
static const struct access *write_just_before(const struct nest *nest,
                                              const struct access *read)
{
    size_t first = nest->groups.leader[read->statement];
    const struct access *all = nest->access,
                        *at = &all[nest->statement[read->statement].access_begin];
    while (at > all && (--at)->statement >= first)
        if (at->write && may_meet(at, read))
            return at->must && same_elements(nest, at, read) ? at : NULL;
    return NULL;
}

/* Another write of its group always writes the same elements after it, and before the
 * read gets to see them. */
static bool is_overwritten(const struct nest *nest, const struct access *write,
                           const struct access *read)
{
    size_t leader = nest->groups.leader[write->statement];
    bool beside = leader == nest->groups.leader[read->statement] &&
                  write->statement < read->statement;
    for (size_t i = (size_t)(write - nest->access) + 1; i < nest->access_nr; i++) {
        const struct access *next = &nest->access[i];
        if (nest->groups.leader[next->statement] != leader ||
            (beside && next->statement >= read->statement))
            return false;
        if (next->statement > write->statement && next->must &&
            same_elements(nest, write, next))
            return true;
    }
    return false;
}

/* The writes that a read may get its value from. */
static isl_union_map *sources(const struct nest *nest, const struct access *read,
                              bool must)
{
    isl_union_map *all = isl_union_map_empty(isl_space_copy(nest->params));
    for (size_t i = 0; i < nest->access_nr; i++) {
        const struct access *write = &nest->access[i];
        if (write->write && write->must == must && may_meet(write, read) &&
            !is_overwritten(nest, write, read))
            all = isl_union_map_union(all,
                                      isl_union_map_from_map(isl_map_copy(write->map)));
    }
    return all;
}

/* In the source's order; *live_in: it may have no write before it. */
static isl_union_map *access_flow(const struct nest *nest, const struct access *read,
                                  bool *live_in)
{
    const struct access *before = write_just_before(nest, read);
    *live_in = false;
    if (!before)
        return flow_of(isl_union_map_from_map(isl_map_copy(read->map)),
                       sources(nest, read, true), sources(nest, read, false), nest->order,
                       live_in);
    isl_set *domain = isl_set_copy(nest->statement[before->statement].domain);
    isl_map *same = isl_set_identity(domain);
    return isl_union_map_from_map(renamed(same, isl_dim_out, read->statement));
}

/* ---- how long values live ---- */

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

int deps_lifetime(const struct nest *nest, size_t cell, size_t *depth, size_t *shared)
{
    int status = 0;
    *depth = *shared = shared_depth(nest, cell);
    for (size_t i = 0; !status && *depth > 0 && i < nest->access_nr; i++) {
        const struct access *read = &nest->access[i];
        bool live_in;
        if (read->cell != cell || read->write || write_just_before(nest, read))
            continue;
        isl_union_map *flow = access_flow(nest, read, &live_in);
        while (flow && *depth > 0 &&
               (live_in ||
                isl_union_map_foreach_map(flow, check_equal, depth) != isl_stat_ok))
            *depth = live_in ? 0 : *depth - 1;
        status = flow ? 0 : -1;
        isl_union_map_free(flow);
    }
    return status;
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

/* Of the instances of both, those that touch the same element, in the order of the
 * source; takes both. */
static isl_union_map *ordered_pairs(const struct nest *nest, size_t first, size_t second,
                                    isl_map *one, isl_map *other)
{
    isl_map *pairs = isl_map_apply_range(one, isl_map_reverse(other));
    if (isl_map_plain_is_empty(pairs) != isl_bool_true)
        pairs = ordered(nest, first, second, pairs);
    return isl_union_map_from_map(pairs);
}

/* `x += e` reads and writes by one expression; a second read of the same text says
 * nothing new. */
static bool is_repeated(const struct nest *nest, const struct access *read)
{
    for (const struct access *other = nest->access; other < read; other++)
        if (!other->write && other->cell == read->cell &&
            other->statement == read->statement && other->shape == read->shape)
            return true;
    return false;
}

/* What the statement writes of the cell that may meet an access, if there is one: NULL =
 * nothing. */
static isl_map *written_by(const struct nest *nest, size_t cell, size_t statement,
                           const struct access *meeting)
{
    isl_map *all = NULL;
    for (size_t i = nest->statement[statement].access_begin;
         i < nest->statement[statement].access_end; i++) {
        const struct access *write = &nest->access[i];
        if (write->cell != cell || !write->write ||
            (meeting && are_apart(meeting, write)))
            continue;
        isl_map *map = isl_map_copy(write->map);
        all = all ? isl_map_union(all, map) : map;
    }
    return all;
}

static void describe_read(struct nest *nest, const struct access *read,
                          struct strvec *out)
{
    bool live_in;
    struct describe at = {
        .nest = nest, .read = read, .cell = read->cell, .out = out, .kind = "flow"};
    describe_all(&at, access_flow(nest, read, &live_in));
    at.kind = "anti";
    at.read_first = true;
    for (size_t i = 0; i < nest->statement_nr; i++) {
        isl_map *written = written_by(nest, read->cell, i, read);
        if (written)
            describe_all(&at, ordered_pairs(nest, read->statement, i,
                                            isl_map_copy(read->map), written));
    }
}

static void describe_writes(struct nest *nest, size_t cell, struct strvec *out)
{
    struct describe at = {.nest = nest, .cell = cell, .out = out, .kind = "output"};
    for (size_t i = 0; i < nest->statement_nr; i++) {
        isl_map *first = written_by(nest, cell, i, NULL);
        for (size_t k = 0; first && k < nest->statement_nr; k++) {
            isl_map *second = written_by(nest, cell, k, NULL);
            if (second)
                describe_all(&at, ordered_pairs(nest, i, k, isl_map_copy(first), second));
        }
        isl_map_free(first);
    }
}

void deps_describe(struct nest *nest, struct strvec *sentences)
{
    for (size_t i = 0; i < nest->access_nr; i++) {
        const struct access *access = &nest->access[i];
        if (!access->write && !nest->cell[access->cell].is_private &&
            !is_repeated(nest, access))
            describe_read(nest, access, sentences);
    }
    for (size_t i = 0; i < nest->cell_nr; i++)
        if (!nest->cell[i].is_private)
            describe_writes(nest, i, sentences);
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

/* Of the relation of the access, the instances of its leader. */
static isl_map *of_leader(const size_t *leader, const struct access *access)
{
    return renamed(isl_map_copy(access->map), isl_dim_in, leader[access->statement]);
}

static void consider(const size_t *leader, struct culprit *best,
                     const struct access *first, const struct access *second,
                     isl_union_map *pairs)
{
    int new_rank = rank(first, second);
    if ((best->map && new_rank >= best->rank) || are_apart(first, second))
        return;
    isl_map *map = of_leader(leader, second);
    map = isl_map_apply_range(of_leader(leader, first), isl_map_reverse(map));
    isl_map *both = isl_union_map_extract_map(pairs, isl_map_get_space(map));
    both = isl_map_intersect(both, map);
    if (isl_map_is_empty(both) != isl_bool_false) {
        isl_map_free(both);
        return;
    }
    isl_map_free(best->map);
    *best =
        (struct culprit){.first = first, .second = second, .rank = new_rank, .map = both};
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

void deps_explain(struct nest *nest, const size_t *leader, isl_union_map *pairs,
                  const char *verdict, struct buf *out)
{
    struct culprit best = {0};
    for (size_t i = 0; i < nest->access_nr; i++)
        for (size_t k = 0; k < nest->access_nr; k++)
            if (nest->access[i].cell == nest->access[k].cell &&
                (nest->access[i].write || nest->access[k].write))
                consider(leader, &best, &nest->access[i], &nest->access[k], pairs);
    if (best.map)
        print_culprit(nest, &best, verdict, out);
    else
        buf_addf(out, "one statement depends on another, %s", verdict);
    isl_map_free(best.map);
}
