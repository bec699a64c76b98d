#include "search/strategy/grid.h"

#include <math.h>
#include <string.h>

#include "core/base.h"
#include "core/machine/machine.h"
#include "search/propose/propose.h"
#include "search/space/choice.h"

enum { DIMENSIONS_MAX = KERNEL_DEPTH_MAX + STEP_KIND_NR, FIXED_ORDER_LOOPS = 3 };

/* One kind of step: its values as plans of that step alone, the first without it. */
struct dimension {
    struct choices value;
    size_t used; /* of the values, from the first on */
};

struct grid {
    const struct nest *nest;
    const struct grid_check *check;
    struct dimension dimension[DIMENSIONS_MAX];
    size_t nr;
};

/* ---- values ---- */

static struct dimension *begin_dimension(struct grid *grid)
{
    struct dimension *dimension = &grid->dimension[grid->nr++];
    const struct choice none = {0};
    choices_add(&dimension->value, &none);
    dimension->used = 1;
    return dimension;
}

static void add_value(const struct grid *grid, struct dimension *dimension,
                      const struct choice *choice)
{
    if (grid->check->check(grid->check->data, choice) == 0)
        choices_add(&dimension->value, choice);
}

static void names_as_written(const struct nest *nest, const char **name)
{
    for (size_t d = 0; d < nest->nr; d++)
        name[d] = nest->loop[d]->name;
}

/* Permutations of the last loops, nearest to the present order first: those outside of
 * the third from within stay. */
static void permute(const struct grid *grid, struct dimension *dimension,
                    const char *const *order, size_t at)
{
    size_t nr = grid->nest->nr;
    const char *name[KERNEL_DEPTH_MAX];
    if (at + 1 >= nr) {
        struct choice choice = {0};
        names_as_written(grid->nest, name);
        choice_put_order(&choice, order, nr, 0);
        if (memcmp(name, order, nr * sizeof(*name)) != 0)
            add_value(grid, dimension, &choice);
        return;
    }
    for (size_t i = at; i < nr; i++) {
        memcpy(name, order, nr * sizeof(*name));
        name[at] = order[i];
        memcpy(&name[at + 1], &order[at], (i - at) * sizeof(*name));
        permute(grid, dimension, name, at + 1);
    }
}

static void add_orders(struct grid *grid)
{
    struct dimension *dimension = begin_dimension(grid);
    size_t nr = grid->nest->nr;
    const char *name[KERNEL_DEPTH_MAX];
    names_as_written(grid->nest, name);
    if (nr >= 2)
        permute(grid, dimension, name,
                nr > FIXED_ORDER_LOOPS ? nr - FIXED_ORDER_LOOPS : 0);
}

static void add_simd(struct grid *grid)
{
    struct choice choice = {0};
    choice_put(&choice, plan_step_get(&(struct plan_step){.kind = STEP_SIMD}));
    add_value(grid, begin_dimension(grid), &choice);
}

static void add_tiles(struct grid *grid)
{
    static const long sizes[] = {32, 128, 8, 512};
    const struct nest *nest = grid->nest;
    for (size_t d = 0; nest->nr >= 2 && d < nest->nr; d++) {
        struct dimension *dimension = begin_dimension(grid);
        for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
            const struct loop_size tile = {nest->loop[d]->name, sizes[i]};
            struct choice choice = {0};
            choice_put_sizes(&choice, STEP_TILE, &tile, 1);
            if ((double)sizes[i] < nest->trips[d])
                choices_add(&dimension->value, &choice);
        }
    }
}

static void add_jams(struct grid *grid)
{
    static const long sizes[] = {4, 2, 8};
    struct dimension *dimension = begin_dimension(grid);
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
        for (size_t d = grid->nest->nr; d-- > 0;) {
            const struct loop_size jam = {grid->nest->loop[d]->name, sizes[i]};
            struct choice choice = {0};
            choice_put_sizes(&choice, STEP_UNROLL_JAM, &jam, 1);
            if (d + 1 < grid->nest->nr)
                add_value(grid, dimension, &choice);
        }
}

static void add_unrolls(struct grid *grid)
{
    static const long sizes[] = {4, 2, 8};
    struct dimension *dimension = begin_dimension(grid);
    for (size_t i = 0; grid->nest->nr && i < ARRAY_SIZE(sizes); i++) {
        const struct loop_size unroll = {grid->nest->loop[grid->nest->nr - 1]->name,
                                         sizes[i]};
        struct choice choice = {0};
        choice_put_sizes(&choice, STEP_UNROLL, &unroll, 1);
        add_value(grid, dimension, &choice);
    }
}

/* Arrays whose addresses change from iteration to iteration, those found by an index
 * first. */
static size_t find_targets(const struct nest *nest, const struct kernel_access **target)
{
    const struct kernel_view *view = nest->view;
    size_t nr = 0;
    for (int indirect = 1; indirect >= 0; indirect--)
        for (size_t i = 0; i < view->access_nr && nr < CHOICE_PREFETCH_MAX; i++) {
            const struct kernel_access *access = &view->access[i];
            bool known = access->access_class == ACCESS_INVARIANT ||
                         access->access_class == ACCESS_IRREGULAR ||
                         (access->access_class == ACCESS_INDIRECT) != indirect;
            for (size_t k = 0; !known && k < nr; k++)
                known = target[k]->array == access->array;
            if (!known)
                target[nr++] = access;
        }
    return nr;
}

/* The modelled loop around the access's own; NULL = there is none. */
static const char *loop_around(const struct kernel_view *view,
                               const struct kernel_access *access)
{
    int parent = access->loop >= 0 ? view->loop[access->loop].parent : -1;
    return parent >= 0 && view->loop[parent].modelled ? view->loop[parent].name : NULL;
}

static void add_prefetches(struct grid *grid)
{
    static const struct {
        long distance;
        bool to_l2, outer;
    } values[] = {{16, false, false}, {64, true, false}, {2, false, true},
                  {64, false, false}, {4, false, false}, {8, false, true},
                  {16, true, false},  {256, true, false}};
    const struct kernel_access *target[CHOICE_PREFETCH_MAX];
    const struct kernel_view *view = grid->nest->view;
    struct dimension *dimension = begin_dimension(grid);
    size_t nr = find_targets(grid->nest, target);
    for (size_t i = 0; i < ARRAY_SIZE(values); i++)
        for (size_t t = 0; t < nr; t++) {
            struct choice choice = {0};
            const char *around = loop_around(view, target[t]);
            const struct choice_prefetch prefetch = {view->array[target[t]->array].name,
                                                     values[i].distance, values[i].to_l2,
                                                     values[i].outer ? around : NULL};
            choice_put_prefetches(&choice, &prefetch, 1);
            if (!values[i].outer || around)
                add_value(grid, dimension, &choice);
        }
}

static void add_nontemporal(struct grid *grid)
{
    const struct kernel_view *view = grid->nest->view;
    struct dimension *dimension = begin_dimension(grid);
    for (size_t a = 0; a < view->array_nr; a++) {
        struct choice choice = {0};
        choice_put_names(&choice, STEP_NONTEMPORAL, &view->array[a].name, 1);
        if (view->array[a].written)
            add_value(grid, dimension, &choice);
    }
}

/* What is proposed on top of nothing. */
static void add_proposed(struct grid *grid)
{
    enum step_kind kind[STEP_KIND_NR];
    size_t nr = step_kinds_placed(kind);
    for (size_t i = 0; i < nr; i++) {
        if (!transformation_of(kind[i])->search.in_grid)
            continue;
        struct dimension *dimension = begin_dimension(grid);
        struct choice none = {0};
        struct machine machine = {0};
        struct propose about = {.nest = grid->nest, .machine = &machine, .now = &none};
        struct choices list = {0};
        struct buf why_not = {0};
        propose(&about, transformation_of(kind[i])->rule[0].word, &list, &why_not);
        for (size_t k = 0; k < list.nr; k++)
            add_value(grid, dimension, &list.item[k]);
        choices_release(&list);
        buf_release(&why_not);
    }
}

/* ---- how many of each ---- */

/* One value more of each kind in turn, as long as the product stays small. */
static void choose_numbers(struct grid *grid)
{
    size_t product = 1;
    for (bool grown = true; grown;) {
        grown = false;
        for (size_t i = 0; i < grid->nr; i++) {
            struct dimension *dimension = &grid->dimension[i];
            size_t larger = product / dimension->used * (dimension->used + 1);
            if (dimension->used == dimension->value.nr || larger > GRID_MAX)
                continue;
            product = larger;
            dimension->used++;
            grown = true;
        }
    }
}

/* ---- their product ---- */

/* In a grid a dimension is a kind of step, or one of its names. */
static void take_step(const struct choice *from, struct choice *to)
{
    for (size_t i = 0; i < from->plan.step_nr; i++) {
        const struct plan_step *step = from->plan.step[i];
        if (transformation_of(step->kind)->search.joins)
            choice_join(to, step);
        else
            choice_add(to, step);
    }
}

static void multiply(const struct grid *grid, size_t at, const struct choice *now,
                     struct choices *out)
{
    if (at == grid->nr) {
        struct choice whole = *now;
        propose_order_tiles(grid->nest, &whole);
        choices_add(out, &whole);
        return;
    }
    for (size_t i = 0; i < grid->dimension[at].used; i++) {
        struct choice more = *now;
        take_step(&grid->dimension[at].value.item[i], &more);
        multiply(grid, at + 1, &more, out);
    }
}

static void fill_dimensions(struct grid *grid)
{
    add_orders(grid);
    add_simd(grid);
    add_tiles(grid);
    add_jams(grid);
    add_prefetches(grid);
    add_proposed(grid);
    add_nontemporal(grid);
    add_unrolls(grid);
}

static void grid_release(struct grid *grid)
{
    for (size_t i = 0; i < grid->nr; i++)
        choices_release(&grid->dimension[i].value);
}

void grid_make(const struct nest *nest, const struct grid_check *check,
               struct choices *out)
{
    struct grid grid = {.nest = nest, .check = check};
    const struct choice none = {0};
    fill_dimensions(&grid);
    choose_numbers(&grid);
    multiply(&grid, 0, &none, out);
    grid_release(&grid);
}

void grid_steps(const struct nest *nest, const struct grid_check *check,
                struct choices *out)
{
    struct grid grid = {.nest = nest, .check = check};
    fill_dimensions(&grid);
    for (size_t i = 0; i < grid.nr; i++)
        for (size_t k = 1; k < grid.dimension[i].value.nr; k++)
            choices_add(out, &grid.dimension[i].value.item[k]);
    grid_release(&grid);
}
