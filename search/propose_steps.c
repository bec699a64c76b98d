#include "search/propose_steps.h"

#include <math.h>
#include <string.h>

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

static long power_of_two(double least)
{
    return (long)exp2(ceil(log2(fmax(least, 1))));
}

/* `steps` of time, blocks of `side` in all loops of space but the innermost, which gets
 * `inner`. */
static void add_skewed(const struct propose *about, long steps, long side, long inner,
                       struct choices *out)
{
    const struct nest *nest = about->nest;
    struct choice choice = *about->now;
    choice.skew_nr = 0;
    for (size_t d = 0; d < nest->nr; d++) {
        long want = d == 0 ? steps : d + 1 == nest->nr ? inner : side;
        long most = power_of_two(nest->trips[d]);
        choice.skew[choice.skew_nr++] =
            (struct loop_size){nest->loop[d]->name, want < most ? want
                                                    : most < 2  ? 2
                                                                : most};
    }
    choices_add(out, &choice);
}

/* What a block of time holds is swept once a step: its cross section should stay in half
 * of the L2 share (or of L1, where only one loop is in space). */
void propose_skew(const struct propose *about, struct choices *out, struct buf *why_not)
{
    static const long steps[] = {8, 16, 4, 32};
    static const long sides[] = {32, 16, 64};
    const struct nest *nest = about->nest;
    if (!has_time_loop(nest) || nest->nr > 4) {
        buf_add(why_not, "no loop goes over the same data again and again");
        return;
    }
    if (about->now->order_nr || about->now->tile_nr || about->now->jam_nr) {
        buf_add(why_not, "blocks in time start from the loops as they are written");
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        if (nest->nr == 2) {
            add_skewed(about, steps[i], 0, 1024, out);
            add_skewed(about, 4 * steps[i], 0, 2048, out);
            continue;
        }
        for (size_t k = 0; k < ARRAY_SIZE(sides) && i < 3; k++) {
            add_skewed(about, steps[i], sides[k], 256, out);
            if (k == 0)
                add_skewed(about, steps[i], sides[k], 1L << 30, out);
        }
    }
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

static bool is_proposed(const struct choices *out, const char *first, const char *second)
{
    for (size_t i = 0; i < out->nr; i++) {
        const char *const *fuse = out->item[i].fuse;
        if (fuse[0] && !strcmp(fuse[0], first) && !fuse[1] == !second &&
            (!second || !strcmp(fuse[1], second)))
            return true;
    }
    return false;
}

void propose_fuse(const struct propose *about, struct choices *out, struct buf *why_not)
{
    const struct kernel_view *view = about->nest->view;
    struct choice choice = *about->now;
    for (size_t i = 0; i < view->loop_nr && !choice.fuse[0]; i++) {
        size_t next = next_sibling(view, i);
        if (next == view->loop_nr)
            continue;
        bool same = !strcmp(view->loop[i].name, view->loop[next].name);
        struct choice fused = choice;
        fused.fuse[0] = view->loop[i].name;
        fused.fuse[1] = same ? NULL : view->loop[next].name;
        if (!is_proposed(out, fused.fuse[0], fused.fuse[1]))
            choices_add(out, &fused);
    }
    if (out->nr == 0)
        buf_add(why_not, choice.fuse[0]
                             ? "the plan joins loops already"
                             : "no two loops stand beside one another that could be one");
}

/* From the innermost outwards: the more is split, the more is loaded twice. */
void propose_distribute(const struct propose *about, struct choices *out,
                        struct buf *why_not)
{
    struct choice choice = *about->now;
    if (choice.distribute_nr) {
        buf_add(why_not, "the plan splits a loop already");
        return;
    }
    for (size_t d = about->nest->nr; d-- > 0;) {
        choice.distribute[0] = about->nest->loop[d]->name;
        choice.distribute_nr = 1;
        choices_add(out, &choice);
    }
}

/* ---- stores ---- */

static bool is_listed(const struct choice *choice, const char *array)
{
    for (size_t i = 0; i < choice->nontemporal_nr; i++)
        if (!strcmp(choice->nontemporal[i], array))
            return true;
    return false;
}

/* Arrays that are only written, along their lines. */
void propose_nontemporal(const struct propose *about, struct choices *out,
                         struct buf *why_not)
{
    const struct kernel_view *view = about->nest->view;
    struct choice choice = *about->now;
    size_t before = choice.nontemporal_nr;
    for (size_t i = 0; i < view->access_nr; i++) {
        const struct kernel_access *access = &view->access[i];
        const struct kernel_array *array = &view->array[access->array];
        if (access->write && access->access_class == ACCESS_STREAMING && !array->read &&
            choice.nontemporal_nr < CHOICE_ARRAYS_MAX && !is_listed(&choice, array->name))
            choice.nontemporal[choice.nontemporal_nr++] = array->name;
    }
    if (choice.nontemporal_nr > before)
        choices_add(out, &choice);
    else
        buf_add(why_not, before ? "the plan's stores go past the caches already"
                                : "no array is only written, and along its lines");
}
