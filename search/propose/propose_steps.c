#include "search/propose/propose_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/machine/machine.h"
#include "search/propose/nest.h"
#include "search/space/choice.h"
#include "variants/kernel/kernel_view.h"

/* ---- blocks in time ---- */

static bool moves_nothing(const struct nest *nest, size_t depth)
{
    bool any = false;
    for (size_t i = 0; i < nest->view->access_nr; i++) {
        const struct kernel_access *access = &nest->view->access[i];
        if (!nest_holds(nest, access))
            continue;
        any = true;
        if (access->stride_at[depth] != 0) /* NaN, which is no stride, is not 0 either */
            return false;
    }
    return any;
}

static bool feeds_itself(const struct nest *nest)
{
    const struct kernel_view *view = nest->view;
    for (size_t i = 0; i < view->access_nr; i++) {
        const struct kernel_array *array = &view->array[view->access[i].array];
        if (nest_holds(nest, &view->access[i]) && array->read && array->written)
            return true;
    }
    return false;
}

bool has_time_loop(const struct nest *nest)
{
    return nest->nr >= 2 && nest->trips[0] > 1 && moves_nothing(nest, 0) &&
           feeds_itself(nest);
}

static long power_of_two(double min)
{
    return (long)exp2(ceil(log2(fmax(min, 1))));
}

/* Steps of time, blocks of `side` in the first loop of space, of twice that in those
 * between, of `inner` in the innermost. */
struct time_block {
    long steps, side, inner;
};

static void add_skewed(const struct propose *about, struct time_block block,
                       struct choices *out)
{
    const struct nest *nest = about->nest;
    struct choice choice = choice_unshaped(about->now);
    struct loop_size skew[CHOICE_LOOPS_MAX];
    for (size_t d = 0; d < nest->nr; d++) {
        long want = d == 0              ? block.steps
                    : d + 1 == nest->nr ? block.inner
                    : d == 1            ? block.side
                                        : 2 * block.side;
        long max = power_of_two(nest->trips[d]);
        skew[d] = (struct loop_size){nest->loop[d]->name, want < max ? want
                                                          : max < 2  ? 2
                                                                     : max};
    }
    choice_put_sizes(&choice, STEP_SKEW_TILE, skew, nest->nr);
    choices_add(out, &choice);
}

/* Bytes of all arrays of the nest at one point of space. */
static double point_bytes(const struct nest *nest)
{
    const struct kernel_view *view = nest->view;
    double bytes = 0;
    for (size_t a = 0; a < view->array_nr; a++)
        for (size_t i = 0; i < view->access_nr; i++)
            if (view->access[i].array == (int)a && view->access[i].loop >= 0 &&
                view->loop[view->access[i].loop].nest == nest->loop[0]->nest) {
                bytes += (double)view->array[a].element_bytes;
                break;
            }
    return fmax(bytes, 1);
}

/* A block is swept once a step and slides by an element a step: half of L1 (level 0), or
 * a quarter of the share of L2, leaves room for what comes in beside it. Shorter rows
 * than INNER_MIN cost more at their slanted ends than they save. */
enum { INNER_MIN = 256 };

static long inner_side(const struct propose *about, long side, int level)
{
    const struct machine *machine = about->machine;
    double bytes =
        machine_share_guess_bytes(machine, machine->level_nr > level ? level : 0);
    double points = bytes / (level ? 4 : 2) / point_bytes(about->nest);
    for (size_t d = 1; d + 1 < about->nest->nr; d++)
        points /= (double)side;
    return (long)exp2(floor(log2(fmax(points, INNER_MIN))));
}

static void add_time_blocks(const struct propose *about, struct choices *out)
{
    static const struct time_block flat[] = {{8, 16, 0}, {8, 32, 0},  {16, 16, 0},
                                             {4, 16, 0}, {16, 32, 0}, {8, 64, 0}},
                                   deep[] = {{4, 16, 0}, {4, 32, 0}, {8, 16, 0},
                                             {4, 8, 0},  {8, 32, 0}, {2, 16, 0}};
    /* With three loops of space no block of many steps fits: fewer of them. */
    if (about->nest->nr == 2) {
        for (long steps = 32; steps >= 8; steps /= 2)
            for (int level = 0; level <= 1; level++)
                add_skewed(about,
                           (struct time_block){steps, 0, inner_side(about, 1, level)},
                           out);
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(flat); i++) {
        long steps = about->nest->nr > 3 ? deep[i].steps : flat[i].steps,
             side = about->nest->nr > 3 ? deep[i].side : flat[i].side;
        add_skewed(about, (struct time_block){steps, side, inner_side(about, side, 1)},
                   out);
    }
}

/* ---- chains from one iteration to the next ---- */

/* The innermost loop reads what it stores at other places of the same array. */
static bool carries_itself(const struct nest *nest)
{
    const struct kernel_view *view = nest->view;
    for (size_t i = 0; i < view->access_nr; i++)
        for (size_t k = 0; k < view->access_nr; k++) {
            const struct kernel_access *store = &view->access[i],
                                       *load = &view->access[k];
            if (store->write && !load->write && store->array == load->array &&
                store->loop == load->loop && nest_holds(nest, store) &&
                view->loop[store->loop].innermost && store->text && load->text &&
                strcmp(store->text, load->text) && store->stride_at[nest->nr - 1] != 0 &&
                !memcmp(store->stride_at, load->stride_at,
                        nest->nr * sizeof(load->stride_at[0])))
                return true;
        }
    return false;
}

/* Each row begins two elements behind the one before it (one, where no row reads beyond
 * its own place in another), so that iterations of several rows wait for each other no
 * more: they hide the latency of one chain. */
void add_wavefronts(const struct propose *about, struct choices *out)
{
    static const int rows[] = {8, 4}, shifts[] = {2, 1};
    const struct nest *nest = about->nest;
    struct choice vectors = *about->now;
    if (nest->nr < 2 || !carries_itself(nest))
        return;
    /* iterations that may be side by side in a vector do not wait for each other */
    choice_put(&vectors, plan_step_get(&(struct plan_step){.kind = STEP_SIMD}));
    if (about->can_be && propose_may_be(about, &vectors))
        return;
    const char *inner = nest->loop[nest->nr - 1]->name,
               *outer = nest->loop[nest->nr - 2]->name;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        for (size_t k = 0; k < ARRAY_SIZE(shifts); k++) {
            struct choice choice;
            char *steps = xasprintf("skew(%s,%s:%d) unroll_jam(%s:%d)", inner, outer,
                                    shifts[k], outer, rows[i]);
            if (choice_shaped(about->now, steps, &choice))
                choices_add(out, &choice);
            free(steps);
        }
}

void propose_skew(const struct propose *about, struct choices *out, struct buf *why_not)
{
    const struct nest *nest = about->nest;
    if (!has_time_loop(nest) || nest->nr > 4) {
        buf_add(why_not, "no loop passes over the same data again and again");
        return;
    }
    if (choice_step(about->now, STEP_INTERCHANGE) || about->now->kept_nr ||
        choice_step(about->now, STEP_TILE) || choice_step(about->now, STEP_UNROLL_JAM) ||
        about->now->shape_nr) {
        buf_add(why_not, "blocks in time start from the loops as they are written");
        return;
    }
    add_time_blocks(about, out);
    if (nest->nr > 2)
        add_wavefronts(about, out);
}

/* ---- neighbouring loops ---- */

static bool is_sibling(const struct kernel_view *view, size_t first, size_t second)
{
    const struct kernel_loop *a = &view->loop[first], *b = &view->loop[second];
    return a->modelled && b->modelled && a->parent == b->parent && a->depth == b->depth;
}

/* The next loop beside this one; loop_nr = none. */
static size_t next_sibling(const struct kernel_view *view, size_t first)
{
    size_t second = first + 1;
    while (second < view->loop_nr && !is_sibling(view, first, second))
        second++;
    return second;
}

static bool is_proposed(const struct choices *out, const struct plan_step *fuse)
{
    for (size_t i = 0; i < out->nr; i++)
        if (choice_step(&out->item[i], STEP_FUSE) == fuse)
            return true;
    return false;
}

void propose_fuse(const struct propose *about, struct choices *out, struct buf *why_not)
{
    const struct kernel_view *view = about->nest->view;
    const struct choice *now = about->now;
    bool fuses = choice_step(now, STEP_FUSE) != NULL;
    if (now->nest) {
        buf_add(why_not, "the nests have plans of their own");
        return;
    }
    for (size_t i = 0; i < view->loop_nr && !fuses; i++) {
        size_t next = next_sibling(view, i);
        if (next == view->loop_nr)
            continue;
        bool same = !strcmp(view->loop[i].name, view->loop[next].name);
        struct choice fused = *now;
        const char *name[] = {view->loop[i].name, view->loop[next].name};
        choice_put_names(&fused, STEP_FUSE, name, same ? 1 : 2);
        if (!is_proposed(out, choice_step(&fused, STEP_FUSE)))
            choices_add(out, &fused);
    }
    if (out->nr == 0)
        buf_add(why_not, fuses ? "the plan joins loops already"
                               : "no two adjacent loops could be one");
}

/* From the innermost outwards: the more is split, the more is loaded twice. */
void propose_distribute(const struct propose *about, struct choices *out,
                        struct buf *why_not)
{
    if (choice_step(about->now, STEP_DISTRIBUTE)) {
        buf_add(why_not, "the plan splits a loop already");
        return;
    }
    for (size_t d = about->nest->nr; d-- > 0;) {
        struct choice choice = *about->now;
        choice_put_names(&choice, STEP_DISTRIBUTE, &about->nest->loop[d]->name, 1);
        choices_add(out, &choice);
    }
}

/* ---- stores ---- */

/* Arrays that are only written, along their lines. */
void propose_nontemporal(const struct propose *about, struct choices *out,
                         struct buf *why_not)
{
    const struct kernel_view *view = about->nest->view;
    const size_t max = transformation_of(STEP_NONTEMPORAL)->search.names_max;
    const struct plan_step *step = choice_step(about->now, STEP_NONTEMPORAL);
    const char *name[CHOICE_LOOPS_MAX];
    size_t before = step ? step->arg_nr : 0, nr = before;
    for (size_t i = 0; i < before; i++)
        name[i] = step->arg[i].name;
    for (size_t i = 0; i < view->access_nr; i++) {
        const struct kernel_access *access = &view->access[i];
        const struct kernel_array *array = &view->array[access->array];
        bool listed = !access->write || access->access_class != ACCESS_STREAMING ||
                      array->read || nr == max;
        for (size_t k = 0; !listed && k < nr; k++)
            listed = !strcmp(name[k], array->name);
        if (!listed)
            name[nr++] = array->name;
    }
    if (nr == before) {
        buf_add(why_not, before ? "the plan's stores go past the caches already"
                                : "no array is only written, and that along its lines");
        return;
    }
    struct choice choice = *about->now;
    choice_put_names(&choice, STEP_NONTEMPORAL, name, nr);
    choices_add(out, &choice);
}

/* ---- divisions ---- */

/* From the outermost loop inwards: the first that leaves some divisor alone, and the
 * innermost, which leaves most of them alone. */
void propose_reciprocal(const struct propose *about, struct choices *out,
                        struct buf *why_not)
{
    const struct nest *nest = about->nest;
    size_t before = out->nr;
    bool divides = false;
    for (size_t i = 0; i < nest->view->found_nr; i++)
        divides = divides || nest->view->found[i].spot == KERNEL_SPOT_DIVISOR;
    if (!divides || choice_step(about->now, STEP_RECIPROCAL)) {
        buf_add(why_not, divides ? "the plan multiplies by reciprocals already"
                                 : "no divisor stays the same in a loop");
        return;
    }
    for (size_t d = 0; d < nest->nr; d++) {
        struct choice choice = *about->now;
        choice_put_names(&choice, STEP_RECIPROCAL, &nest->loop[d]->name, 1);
        bool last = d + 1 == nest->nr;
        if (last || (out->nr == before && propose_may_be(about, &choice)))
            choices_add(out, &choice);
    }
}

/* ---- borders ---- */

/* Of so few iterations borders are too large a part. */
static const double border_trips_min = 16;

/* From the outermost loop inwards those that have borders of their own: all of them, then
 * fewer from the inside. */
void propose_split_borders(const struct propose *about, struct choices *out,
                           struct buf *why_not)
{
    const struct nest *nest = about->nest;
    const size_t max = transformation_of(STEP_SPLIT_BORDERS)->search.names_max;
    const char *name[CHOICE_LOOPS_MAX];
    size_t nr = 0;
    bool asks = false;
    for (size_t i = 0; i < nest->view->found_nr; i++)
        asks = asks || nest->view->found[i].spot == KERNEL_SPOT_BORDER ||
               nest->view->found[i].spot == KERNEL_SPOT_MET;
    if (!asks || choice_step(about->now, STEP_SPLIT_BORDERS)) {
        buf_add(why_not, asks ? "the plan splits borders off already"
                              : "nothing asks for the place in a loop");
        return;
    }
    for (size_t d = 0; d < nest->nr && nr < max; d++) {
        struct choice choice = *about->now;
        if (nest->loop[d]->trips >= 0 && nest->loop[d]->trips < border_trips_min)
            continue;
        name[nr] = nest->loop[d]->name;
        choice_put_names(&choice, STEP_SPLIT_BORDERS, name, nr + 1);
        nr += propose_may_be(about, &choice);
    }
    for (size_t from = 0; from < nr; from++) {
        struct choice choice = *about->now;
        choice_put_names(&choice, STEP_SPLIT_BORDERS, name + from, nr - from);
        choices_add(out, &choice);
    }
    if (!nr)
        buf_add(why_not, "no condition comes out otherwise only in the first or last "
                         "iterations of a loop");
}

/* ---- branches ---- */

/* All innermost loops at once. */
void propose_branch_free(const struct propose *about, struct choices *out,
                         struct buf *why_not)
{
    struct choice choice = *about->now;
    if (choice_step(about->now, STEP_BRANCH_FREE) || !about->nest->nr) {
        buf_add(why_not, "the plan does without the branches that it can");
        return;
    }
    choice_put_names(&choice, STEP_BRANCH_FREE, &about->nest->loop[0]->name, 1);
    choices_add(out, &choice);
}

/* ---- values next to others ---- */

void propose_scaled(enum step_kind kind, const struct choice *best, struct choices *out)
{
    const struct plan_step *step[PLAN_STEPS_MAX];
    size_t nr = choice_steps(best, kind, step);
    const struct plan_step *last = nr ? step[nr - 1] : NULL; /* of steps that repeat */
    for (size_t i = 0; last && i < last->arg_nr && i < CHOICE_LOOPS_MAX; i++)
        for (int twice = 0; twice < 2; twice++) {
            struct step_arg arg[CHOICE_LOOPS_MAX];
            struct choice near = *best;
            memcpy(arg, last->arg, last->arg_nr * sizeof(*arg));
            arg[i].value = twice ? arg[i].value * 2 : arg[i].value / 2;
            if (arg[i].value < transformation_of(kind)->search.scaled_min)
                continue;
            step[nr - 1] = plan_step_with_args(last, arg, last->arg_nr);
            choice_put_steps(&near, kind, step, nr);
            choices_add(out, &near);
        }
}

void propose_neighbours(const char *transformation, const struct choice *best,
                        struct choices *out)
{
    size_t variant;
    enum step_kind kind = step_kind_of_rule(transformation, &variant);
    if (kind != STEP_KIND_NR && transformation_of(kind)->search.climbs)
        propose_scaled(kind, best, out);
}
