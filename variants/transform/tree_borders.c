/*
 * Loops in which some iterations are special: `x == 0 ? c : c - 1`, `(x + 1) % n`, or the
 * one that writes what all others only read, `a[j] = a[j] + a[k]`. The iterations
 * between, for which each such condition says the same, get a loop of their own, with
 * those before and behind them in loops beside it. What is decided in a loop is put in by
 * the emitter, as are scalars for what is not written in it.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "variants/ir/sum.h"
#include "variants/model/borders.h"
#include "variants/model/tree.h"
#include "variants/plan/plan.h"
#include "variants/transform/packing.h"
#include "variants/transform/steps.h"

/* So many iterations next to one another are a border, at most. */
enum { BORDER_MAX = 4 };

struct splitting {
    struct work *work;
    const char *name;
    const struct tree *above[4 * DEPTH_MAX]; /* bands around, the one in question last */
    size_t nr, done;
    bool met; /* by what is written: scalars need it tested that arrays are apart */
    const struct tree *leaf;
    isl_set *asked;        /* its instances that the condition in question is asked of */
    isl_set *all, *inside; /* [values of `above`] that are run, that remain */
    isl_set *begin;        /* what was taken off at the beginning */
    bool found, cut;       /* cut: what was taken off is to be divided again */
};

/* ---- which values are borders ---- */

static isl_map *values_of(const struct splitting *at, const struct tree *leaf)
{
    const struct nest *nest = at->work->nest;
    return band_values(nest, &nest->statement[leaf->statement], at->above, at->nr);
}

/* x -> the values of the last band that are behind it, all others equal. */
static isl_map *later(isl_set *set)
{
    isl_space *space = isl_space_map_from_set(isl_set_get_space(set));
    int last = (int)isl_set_dim(set, isl_dim_set) - 1;
    isl_map *map = isl_map_universe(space);
    for (int i = 0; i < last; i++)
        map = isl_map_equate(map, isl_dim_in, i, isl_dim_out, i);
    return isl_map_order_lt(map, isl_dim_in, last, isl_dim_out, last);
}

static isl_set *behind(isl_set *set)
{
    return isl_set_apply(isl_set_copy(set), later(set));
}

/* Whether it lies at the beginning shows where something remains. */
static isl_stat note_begin(isl_basic_set *part, void *data)
{
    struct splitting *at = data;
    isl_set *set = isl_set_from_basic_set(part);
    isl_set *later = behind(at->inside);
    if (isl_set_is_disjoint(set, later) == isl_bool_true)
        at->begin = isl_set_union(at->begin, set);
    else
        isl_set_free(set);
    isl_set_free(later);
    return isl_stat_ok;
}

static isl_stat check_thin(isl_basic_set *part, void *data)
{
    long long *most = data;
    isl_set *set = isl_set_from_basic_set(part);
    isl_map *later_pairs = later(set);
    int last = (int)isl_set_dim(set, isl_dim_set) - 1;
    later_pairs = isl_map_intersect_domain(later_pairs, isl_set_copy(set));
    later_pairs = isl_map_intersect_range(later_pairs, set);
    isl_set *distance = isl_map_deltas(later_pairs);
    bool single = isl_set_is_empty(distance) == isl_bool_true;
    isl_val *max = isl_set_dim_max_val(distance, last);
    bool thin = single || (max && isl_val_is_int(max) == isl_bool_true &&
                           isl_val_cmp_si(max, (long)*most) < 0);
    isl_val_free(max);
    return thin ? isl_stat_ok : isl_stat_error;
}

/* Nothing that is run lies between parts of it. */
static bool is_whole(isl_set *all, isl_set *inside)
{
    isl_map *map = later(inside);
    isl_set *between = isl_set_apply(isl_set_copy(inside), isl_map_reverse(map));
    between = isl_set_intersect(between, behind(inside));
    between = isl_set_intersect(between, isl_set_copy(all));
    bool whole = isl_set_is_subset(between, inside) == isl_bool_true;
    isl_set_free(between);
    return whole;
}

/* The values (kept) are no longer inside; false where they are more than borders. */
static bool take_off(struct splitting *at, isl_set *off)
{
    if (isl_set_is_empty(off) == isl_bool_true)
        return true;
    long long most = BORDER_MAX * band_unit(at->above[at->nr - 1]);
    isl_set *left =
        isl_set_coalesce(isl_set_subtract(isl_set_copy(at->inside), isl_set_copy(off)));
    bool fine = isl_set_is_empty(left) == isl_bool_false &&
                isl_set_foreach_basic_set(off, check_thin, &most) == isl_stat_ok &&
                is_whole(at->all, left);
    if (fine) {
        isl_set_free(at->inside);
        at->inside = left;
        at->found = true;
        isl_set_foreach_basic_set(off, note_begin, at);
    } else
        isl_set_free(left);
    return fine;
}

/* At which these instances (taken) of the leaf are run. */
static isl_set *values_taken(const struct splitting *at, isl_set *instances)
{
    isl_set *values = isl_set_apply(instances, values_of(at, at->leaf));
    return isl_set_coalesce(isl_set_intersect(values, isl_set_copy(at->all)));
}

/* Values (taken) in the middle: first they and what is behind them are taken off. Where
 * they are those of one equation, also where it has no solution: i >= k. */
static void cut_before(struct splitting *at, isl_set *values)
{
    long long most = BORDER_MAX * band_unit(at->above[at->nr - 1]);
    isl_set *all = isl_set_from_basic_set(isl_set_affine_hull(isl_set_copy(values)));
    isl_set *from[] = {all, values};
    bool thin = isl_set_is_empty(values) == isl_bool_false &&
                isl_set_foreach_basic_set(values, check_thin, &most) == isl_stat_ok;
    for (size_t i = 0; i < ARRAY_SIZE(from); i++) {
        isl_set *off = isl_set_union(isl_set_copy(from[i]), behind(from[i]));
        off = isl_set_intersect(off, isl_set_copy(at->inside));
        isl_set *left = isl_set_subtract(isl_set_copy(at->inside), isl_set_copy(off));
        if (thin && !at->found && isl_set_is_empty(left) == isl_bool_false) {
            isl_set_free(at->inside);
            at->inside = isl_set_coalesce(left);
            at->found = at->cut = true;
        } else
            isl_set_free(left);
        isl_set_free(off);
        isl_set_free(from[i]);
    }
}

static void look_compared(struct splitting *at, const struct ir_expr *expr)
{
    struct nest *nest = at->work->nest;
    const struct statement *statement = &nest->statement[at->leaf->statement];
    isl_set *yes = border_holds(nest, statement, at->asked, expr);
    if (!yes)
        return;
    isl_set *no = isl_set_subtract(isl_set_copy(at->asked), isl_set_copy(yes));
    no = values_taken(at, no);
    yes = values_taken(at, yes);
    if (!take_off(at, no))
        take_off(at, yes);
    cut_before(at, no);
    cut_before(at, yes);
}

static void look_divided(struct splitting *at, const struct ir_expr *expr)
{
    struct nest *nest = at->work->nest;
    const struct statement *statement = &nest->statement[at->leaf->statement];
    bool done = false;
    for (long times = 0; !done && times <= BORDER_TIMES_MAX; times++) {
        isl_set *set = border_wraps(nest, statement, at->asked, expr, times);
        if (!set)
            return;
        isl_set *others = isl_set_subtract(isl_set_copy(at->asked), isl_set_copy(set));
        others = values_taken(at, others);
        done = isl_set_is_empty(set) == isl_bool_false && take_off(at, others);
        isl_set_free(others);
        isl_set_free(set);
    }
}

static void look(struct ir_expr *expr, void *data)
{
    if (border_compares(expr))
        look_compared(data, expr);
    else if (border_divides(expr))
        look_divided(data, expr);
}

/* [values of `above`] -> the elements that the leaf's access is to */
static isl_map *elements_of(const struct splitting *at, const struct tree *leaf,
                            const struct access *access)
{
    isl_map *map =
        isl_map_intersect_domain(isl_map_copy(access->map), isl_set_copy(leaf->domain));
    return isl_map_apply_range(isl_map_reverse(values_of(at, leaf)), map);
}

static bool changes_with(const struct splitting *at, const struct access *access)
{
    const struct ir_symbol *iterator = at->above[at->nr - 1]->loop->stmt->iterator;
    bool changes = !access->exact;
    for (size_t i = 0; !changes && i < access->subscript_nr; i++)
        changes = expr_mentions(access->subscript[i], iterator);
    return changes;
}

/* Iterations that write the element which all of the loop read. */
static void look_met(struct splitting *at, const struct tree *writer,
                     const struct access *write, const struct tree *reader,
                     const struct access *read)
{
    unsigned last = (unsigned)at->nr - 1;
    isl_map *stays = elements_of(at, reader, read);
    stays = isl_map_insert_dims(isl_map_project_out(stays, isl_dim_in, last, 1),
                                isl_dim_in, last, 1);
    isl_map *both = isl_map_intersect(elements_of(at, writer, write), stays);
    isl_set *met = isl_set_coalesce(isl_map_domain(both));
    if (!at->found)
        take_off(at, met);
    cut_before(at, met);
}

static void look_elements(struct splitting *at, const struct tree *band)
{
    const struct nest *nest = at->work->nest;
    struct leaves leaves = {0};
    leaves_find(band, &leaves);
    for (size_t i = 0; i < nest->access_nr * leaves.nr; i++) {
        const struct access *write = &nest->access[i / leaves.nr];
        const struct tree *writer = leaves.leaf[i % leaves.nr];
        if (!write->write || write->statement != writer->statement ||
            nest->cell[write->cell].is_private || !changes_with(at, write) ||
            !write->exact)
            continue;
        for (size_t k = 0; k < nest->access_nr * leaves.nr && !at->found; k++) {
            const struct access *read = &nest->access[k / leaves.nr];
            const struct tree *reader = leaves.leaf[k % leaves.nr];
            if (!read->write && read->statement == reader->statement &&
                read->cell == write->cell && !changes_with(at, read))
                look_met(at, writer, write, reader, read);
            at->met = at->met || at->found;
        }
    }
    leaves_release(&leaves);
}

/* The leaf's instances with those that ifs around it leave out, as far as the loops
 * around the one in question run it at all. */
static isl_set *looped(const struct splitting *at)
{
    const struct nest *nest = at->work->nest;
    const struct statement *statement = &nest->statement[at->leaf->statement];
    isl_map *outer = band_values(nest, statement, at->above, at->nr - 1);
    isl_set *run = isl_set_apply(isl_set_copy(at->leaf->domain), isl_map_copy(outer));
    run = isl_set_apply(run, isl_map_reverse(outer));
    return isl_set_intersect(run, isl_set_copy(statement->looped));
}

static void look_leaf(struct splitting *at, const struct statement *statement)
{
    at->asked = at->leaf->domain;
    stmt_exprs(statement->stmt, look, at);
    if (!statement->looped)
        return;
    at->asked = looped(at);
    for (size_t i = 0; i < statement->cond_nr; i++)
        ir_visit((struct ir_expr *)statement->cond[i], look, at);
    isl_set_free(at->asked);
}

static void look_below(struct splitting *at, const struct tree *tree)
{
    if (tree->kind == TREE_LEAF && tree->statement < at->work->nest->statement_nr) {
        at->leaf = tree;
        look_leaf(at, &at->work->nest->statement[tree->statement]);
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        look_below(at, tree->child[i]);
}

/* ---- the loops ---- */

static isl_set *run_below(const struct splitting *at, const struct tree *tree,
                          isl_set *all)
{
    if (tree->kind == TREE_LEAF) {
        isl_set *own = isl_set_apply(isl_set_copy(tree->domain), values_of(at, tree));
        all = all ? isl_set_union(all, own) : own;
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        all = run_below(at, tree->child[i], all);
    return all;
}

/* What was taken off, in order; begin: what belongs there, if nothing that does not comes
 * before some of it. Else all that is not behind what remains does. */
static isl_set *before_inside(const struct splitting *at, isl_set *outside)
{
    isl_set *end = isl_set_subtract(isl_set_copy(outside), isl_set_copy(at->begin));
    isl_set *crossing = isl_set_intersect(behind(end), isl_set_copy(at->begin));
    bool crosses = isl_set_is_empty(crossing) != isl_bool_true;
    isl_set_free(crossing);
    isl_set_free(end);
    return crosses ? isl_set_subtract(isl_set_copy(outside), behind(at->inside))
                   : isl_set_intersect(isl_set_copy(outside), isl_set_copy(at->begin));
}

static struct tree *split_at(const struct splitting *at, struct tree *band)
{
    struct leaves leaves = {0};
    isl_set *outside = isl_set_subtract(isl_set_copy(at->all), isl_set_copy(at->inside)),
            *head = isl_set_coalesce(before_inside(at, outside));
    isl_set *value[PART_NR] = {
        [PART_FULL] = isl_set_copy(at->inside),
        [PART_HEAD] = head,
        [PART_REST] = isl_set_coalesce(isl_set_subtract(outside, isl_set_copy(head))),
    };
    static const enum part order[] = {PART_HEAD, PART_FULL, PART_REST};
    struct tree *made[ARRAY_SIZE(order)];
    band->split = true;
    leaves_find(band, &leaves);
    for (size_t k = 0; k < ARRAY_SIZE(order); k++) {
        isl_set **part = leaves.part[order[k]] = xcalloc(leaves.nr, sizeof(*part));
        for (size_t i = 0; i < leaves.nr; i++) {
            const struct tree *leaf = leaves.leaf[i];
            isl_set *own = isl_set_apply(isl_set_copy(value[order[k]]),
                                         isl_map_reverse(values_of(at, leaf)));
            part[i] =
                isl_set_coalesce(isl_set_intersect(own, isl_set_copy(leaf->domain)));
        }
        made[k] = leaves_part(band, &leaves, order[k]);
        isl_set_free(value[order[k]]);
    }
    leaves_release(&leaves);
    return trees_in_order(made, ARRAY_SIZE(made));
}

static struct tree *search_below(struct splitting *at, struct tree *tree)
{
    bool band = tree->kind == TREE_BAND && at->nr < ARRAY_SIZE(at->above), again = false;
    if (band)
        at->above[at->nr++] = tree;
    for (size_t i = 0; i < tree->child_nr; i++)
        tree->child[i] = search_below(at, tree->child[i]);
    if (band && tree->role == BAND_LOOP && !strcmp(tree->name, at->name)) {
        at->all = isl_set_coalesce(run_below(at, tree, NULL));
        at->inside = isl_set_copy(at->all);
        at->begin = isl_set_empty(isl_set_get_space(at->all));
        at->found = at->cut = false;
        look_below(at, tree);
        look_elements(at, tree);
        again = at->found && at->cut;
        if (at->found) {
            struct tree *made = split_at(at, tree);
            tree_free(tree);
            tree = made;
            at->done++;
        }
        isl_set_free(at->all);
        isl_set_free(at->inside);
        isl_set_free(at->begin);
    }
    at->nr -= band;
    return again ? search_below(at, tree) : tree;
}

int tree_split_borders(struct work *work, const struct plan_step *step, struct error *err)
{
    for (size_t i = 0; i < step->arg_nr; i++) {
        struct splitting at = {.work = work, .name = step->arg[i].name};
        work->tree = search_below(&at, work->tree);
        if (!at.done) {
            fail(err, STATUS_USAGE,
                 "in the loop over %s no condition and no remainder says one thing in "
                 "a few iterations next to one another and another in the rest, and none "
                 "writes what the others only read",
                 at.name);
            return STEP_IDLE;
        }
        work->reorders = work->reorders || at.met;
    }
    work->unrolled = true;
    return 0;
}
