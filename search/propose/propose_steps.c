#include "search/propose/propose_steps.h"

#include <math.h>
#include <stdio.h>
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
    for (size_t d = 0; d < nest->nr; d++) {
        long want = d == 0              ? block.steps
                    : d + 1 == nest->nr ? block.inner
                    : d == 1            ? block.side
                                        : 2 * block.side;
        long most = power_of_two(nest->trips[d]);
        choice.skew[choice.skew_nr++] =
            (struct loop_size){nest->loop[d]->name, want < most ? want
                                                    : most < 2  ? 2
                                                                : most};
    }
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

/* A block is swept once a step and slides by an element a step: a quarter of the L2 share
 * leaves room for what comes in beside it. Shorter rows than INNER_LEAST cost more at
 * their slanted ends than they save. */
enum { INNER_LEAST = 256 };

static long inner_side(const struct propose *about, long side)
{
    const struct machine *machine = about->machine;
    double bytes = machine_share_guess_bytes(machine, machine->level_nr > 1);
    double points = bytes / 4 / point_bytes(about->nest);
    for (size_t d = 1; d + 1 < about->nest->nr; d++)
        points /= (double)side;
    return (long)exp2(floor(log2(fmax(points, INNER_LEAST))));
}

static void add_time_blocks(const struct propose *about, struct choices *out)
{
    static const struct time_block flat[] = {{8, 16, 0}, {8, 32, 0},  {16, 16, 0},
                                             {4, 16, 0}, {16, 32, 0}, {8, 64, 0}},
                                   deep[] = {{4, 16, 0}, {4, 32, 0}, {8, 16, 0},
                                             {4, 8, 0},  {8, 32, 0}, {2, 16, 0}};
    /* With three loops of space no block of many steps fits: fewer of them. */
    if (about->nest->nr == 2) {
        long inner = inner_side(about, 1);
        for (long steps = 32; steps >= 8; steps /= 2) {
            add_skewed(about, (struct time_block){steps, 0, inner}, out);
            add_skewed(about, (struct time_block){steps, 0, inner / 4}, out);
        }
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(flat); i++) {
        long steps = about->nest->nr > 3 ? deep[i].steps : flat[i].steps,
             side = about->nest->nr > 3 ? deep[i].side : flat[i].side;
        add_skewed(about, (struct time_block){steps, side, inner_side(about, side)}, out);
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
    if (nest->nr < 2 || !carries_itself(nest))
        return;
    const char *inner = nest->loop[nest->nr - 1]->name,
               *outer = nest->loop[nest->nr - 2]->name;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        for (size_t k = 0; k < ARRAY_SIZE(shifts); k++) {
            struct choice choice = choice_unshaped(about->now);
            snprintf(choice.shape, sizeof(choice.shape),
                     "skew(%s,%s:%d) unroll_jam(%s:%d)", inner, outer, shifts[k], outer,
                     rows[i]);
            choices_add(out, &choice);
        }
}

void propose_skew(const struct propose *about, struct choices *out, struct buf *why_not)
{
    const struct nest *nest = about->nest;
    if (!has_time_loop(nest) || nest->nr > 4) {
        buf_add(why_not, "no loop goes over the same data again and again");
        return;
    }
    if (about->now->order_nr || about->now->tile_nr || about->now->jam_nr ||
        *about->now->shape) {
        buf_add(why_not, "blocks in time start from the loops as they are written");
        return;
    }
    if (nest->nr > 2)
        add_wavefronts(about, out);
    add_time_blocks(about, out);
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
    if (choice.nest) {
        buf_add(why_not, "the nests have plans of their own");
        return;
    }
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

/* ---- sizes next to others ---- */

/* `size` lies inside `near`. */
static void add_scaled(const struct choice *near, struct loop_size *size, size_t nr,
                       long least, struct choices *out)
{
    for (size_t i = 0; i < nr; i++)
        for (int twice = 0; twice < 2; twice++) {
            long old = size[i].size;
            size[i].size = twice ? old * 2 : old / 2;
            if (size[i].size >= least)
                choices_add(out, near);
            size[i].size = old;
        }
}

void propose_neighbours(const char *transformation, const struct choice *best,
                        struct choices *out)
{
    struct choice near = *best;
    if (!strcmp(transformation, "skew"))
        add_scaled(&near, near.skew, near.skew_nr, 2, out);
    else if (!strcmp(transformation, "tile"))
        add_scaled(&near, near.tile, near.tile_nr, 4, out);
    else if (!strcmp(transformation, "unroll_jam"))
        add_scaled(&near, near.jam, near.jam_nr, 2, out);
    else if (!strncmp(transformation, "prefetch", 8) && near.prefetch_nr) {
        long old = near.prefetch[near.prefetch_nr - 1].distance;
        for (int twice = 0; twice < 2; twice++) {
            near.prefetch[near.prefetch_nr - 1].distance = twice ? old * 2 : old / 2;
            if (near.prefetch[near.prefetch_nr - 1].distance >= 1)
                choices_add(out, &near);
        }
    }
}
