/* For each transformation the plans that a person would try first on this kernel. Looks
 * at the view only. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_view.h"
#include "variants/plan/plan.h"

enum { TILE = 32, TIME_TILE = 4, UNROLL = 4, AHEAD = 16, VECTOR_BYTES = 64 };

static const char no_loop[] = "no loop is modelled";

struct typical {
    const struct kernel_view *view;
    struct typical_plan *item;
    size_t nr, alloc;
};

static bool is_known(const struct typical *at, const char *plan)
{
    for (size_t i = 0; i < at->nr; i++)
        if (at->item[i].plan && !strcmp(at->item[i].plan, plan))
            return true;
    return false;
}

/* Takes plan. */
static void add(struct typical *at, const char *name, char *plan)
{
    if (is_known(at, plan)) {
        free(plan);
        return;
    }
    GROW(at->item, at->nr + 1, at->alloc);
    at->item[at->nr++] = (struct typical_plan){.transformation = name, .plan = plan};
}

/* Nothing here to use it on. */
static void nothing(struct typical *at, const char *name, size_t before, const char *why)
{
    if (at->nr > before)
        return;
    GROW(at->item, at->nr + 1, at->alloc);
    at->item[at->nr++] = (struct typical_plan){.transformation = name, .why = why};
}

/* ---- loops ---- */

/* The loop around it in its nest; -1 = none. */
static int outer_loop(const struct kernel_view *view, int loop)
{
    int outer = view->loop[loop].parent;
    bool same = outer >= 0 && view->loop[outer].modelled &&
                view->loop[outer].nest == view->loop[loop].nest;
    return same ? outer : -1;
}

/* The first loop of the nest directly below; -1 = none. */
static int inner_loop(const struct kernel_view *view, int loop)
{
    for (size_t i = 0; i < view->loop_nr; i++)
        if (view->loop[i].modelled && outer_loop(view, (int)i) == loop)
            return (int)i;
    return -1;
}

static bool begins_nest(const struct kernel_view *view, size_t loop)
{
    return view->loop[loop].modelled && outer_loop(view, (int)loop) < 0;
}

/* "i:32,j:32" from this loop inwards along the first loops; at most `most`. */
static size_t chain(const struct kernel_view *view, int loop, long long size, size_t max,
                    struct buf *out)
{
    size_t nr = 0;
    for (; loop >= 0 && nr < max; loop = inner_loop(view, loop), nr++)
        buf_addf(out, "%s%s:%lld", nr ? "," : "", view->loop[loop].name, size);
    return nr;
}

static void add_chain(struct typical *at, const char *name, int loop, size_t max)
{
    struct buf text = {0};
    buf_addf(&text, "%s(", name);
    chain(at->view, loop, TILE, max, &text);
    buf_add(&text, ")");
    add(at, name, buf_detach(&text));
}

static void tiles(struct typical *at)
{
    size_t before = at->nr;
    for (size_t i = 0; i < at->view->loop_nr; i++) {
        if (begins_nest(at->view, i))
            add_chain(at, "tile", (int)i, SIZE_MAX);
        if (at->view->loop[i].modelled)
            add_chain(at, "tile", (int)i, 1);
    }
    nothing(at, "tile", before, no_loop);
}

static void skewed_tiles(struct typical *at)
{
    size_t before = at->nr;
    for (size_t i = 0; i < at->view->loop_nr; i++) {
        struct buf text = {0};
        int inner = inner_loop(at->view, (int)i);
        if (!begins_nest(at->view, i) || inner < 0)
            continue;
        buf_addf(&text, "skew_tile(%s:%d,", at->view->loop[i].name, TIME_TILE);
        chain(at->view, inner, TILE, SIZE_MAX, &text);
        buf_add(&text, ")");
        add(at, "skew_tile", buf_detach(&text));
    }
    nothing(at, "skew_tile", before, "for nested loops");
}

/* Each loop with the one around it. */
static void pairs(struct typical *at, const char *name, const char *form)
{
    size_t before = at->nr;
    for (size_t i = 0; i < at->view->loop_nr; i++) {
        const struct kernel_loop *inner = &at->view->loop[i];
        if (inner->modelled && outer_loop(at->view, (int)i) >= 0)
            add(at, name,
                xasprintf("%s(%s,%s%s)", name, inner->name,
                          at->view->loop[inner->parent].name, form));
    }
    nothing(at, name, before, "for nested loops");
}

static bool has_brother(const struct kernel_view *view, size_t loop)
{
    for (size_t i = 0; i < view->loop_nr; i++)
        if (i != loop && view->loop[i].modelled &&
            view->loop[i].parent == view->loop[loop].parent &&
            !strcmp(view->loop[i].name, view->loop[loop].name))
            return true;
    return false;
}

bool kernel_loop_holds_unread(const struct kernel_view *view, size_t loop)
{
    for (size_t i = 0; i < view->loop_nr; i++)
        if (view->loop[i].parent == (int)loop && !view->loop[i].modelled)
            return true;
    return false;
}

bool kernel_nest_is_inside(const struct kernel_view *view, int line)
{
    int at = -1, inner = -1;
    for (size_t i = 0; i < view->loop_nr; i++)
        if (view->loop[i].line <= line &&
            (at < 0 || view->loop[i].line >= view->loop[at].line))
            at = (int)i;
    for (; at >= 0; at = view->loop[at].parent) {
        if (inner >= 0 && view->loop[inner].modelled && !view->loop[at].modelled)
            return true;
        inner = at;
    }
    return false;
}

static bool is_any(const struct kernel_view *view, size_t loop)
{
    (void)view, (void)loop;
    return true;
}

static bool is_innermost(const struct kernel_view *view, size_t loop)
{
    return view->loop[loop].innermost || inner_loop(view, (int)loop) < 0;
}

static bool is_outer(const struct kernel_view *view, size_t loop)
{
    return inner_loop(view, (int)loop) >= 0;
}

/* One plan per loop that is wanted; `form` is what stands around its name. */
static void each_loop(struct typical *at, const char *name, const char *form,
                      bool (*wanted)(const struct kernel_view *, size_t), const char *why)
{
    size_t before = at->nr;
    for (size_t i = 0; i < at->view->loop_nr; i++) {
        const struct kernel_loop *loop = &at->view->loop[i];
        if (!loop->modelled || !wanted(at->view, i))
            continue;
        struct buf text = {0};
        for (const char *c = form; *c; c++)
            if (*c == '@')
                buf_add(&text, loop->name);
            else
                buf_add_n(&text, c, 1);
        add(at, name, buf_detach(&text));
    }
    nothing(at, name, before, why);
}

/* ---- arrays ---- */

static int nest_root(const struct kernel_view *view, int loop)
{
    while (loop >= 0 && outer_loop(view, loop) >= 0)
        loop = outer_loop(view, loop);
    return loop;
}

/* What is read again in each iteration of some loop of the nest is worth a copy. */
static void packs(struct typical *at)
{
    size_t before = at->nr;
    for (size_t i = 0; i < at->view->access_nr; i++) {
        const struct kernel_access *access = &at->view->access[i];
        int root = nest_root(at->view, access->loop);
        struct buf text = {0};
        if (access->write || access->loop < 0 || access->loop == root ||
            !at->view->loop[access->loop].modelled ||
            access->access_class > ACCESS_STRIDED)
            continue;
        buf_add(&text, "tile(");
        size_t nr = chain(at->view, root, TILE, SIZE_MAX, &text);
        int innermost = root;
        while (inner_loop(at->view, innermost) >= 0)
            innermost = inner_loop(at->view, innermost);
        buf_addf(&text, ") pack(%s,%st)", at->view->array[access->array].name,
                 at->view->loop[innermost].name);
        if (nr > 1)
            add(at, "pack", buf_detach(&text));
        buf_release(&text);
    }
    nothing(at, "pack", before, "no array is read again in nested loops");
}

static void vectors(struct typical *at)
{
    size_t before = at->nr, bytes = 8;
    for (size_t i = 0; i < at->view->loop_nr; i++) {
        if (!at->view->loop[i].modelled || !is_innermost(at->view, i))
            continue;
        for (size_t k = 0; k < at->view->access_nr; k++)
            if (at->view->access[k].loop == (int)i)
                bytes = at->view->array[at->view->access[k].array].element_bytes;
        size_t lanes = bytes && bytes < VECTOR_BYTES ? VECTOR_BYTES / bytes : 2;
        add(at, "vec", xasprintf("vec(%s:%zu)", at->view->loop[i].name, lanes));
    }
    nothing(at, "vec", before, "no innermost loop is modelled");
}

static void prefetches(struct typical *at)
{
    size_t before = at->nr;
    for (size_t i = 0; i < at->view->access_nr; i++)
        if (!at->view->access[i].write &&
            at->view->access[i].access_class != ACCESS_INVARIANT)
            add(at, "prefetch",
                xasprintf("prefetch(%s:%d)",
                          at->view->array[at->view->access[i].array].name, AHEAD));
    nothing(at, "prefetch", before, "no array is read at moving addresses");
}

static void streams(struct typical *at)
{
    size_t before = at->nr;
    for (size_t i = 0; i < at->view->access_nr; i++) {
        const struct kernel_access *access = &at->view->access[i];
        if (access->write && access->access_class == ACCESS_STREAMING)
            add(at, "nontemporal",
                xasprintf("nontemporal(%s)", at->view->array[access->array].name));
    }
    nothing(at, "nontemporal", before, "no array is written element after element");
}

static void tables(struct typical *at)
{
    size_t before = at->nr;
    for (size_t i = 0; i < at->view->access_nr; i++) {
        const struct kernel_access *access = &at->view->access[i];
        if (access->write && access->update)
            add(at, "privatize",
                xasprintf("privatize(%s:%d)", at->view->array[access->array].name,
                          UNROLL));
    }
    nothing(at, "privatize", before, "no element found by an index is updated");
}

static void tunables(struct typical *at)
{
    size_t before = at->nr;
    for (size_t i = 0; i < at->view->tunable_nr; i++) {
        const struct kernel_tunable *tunable = &at->view->tunable[i];
        for (size_t k = 0; k < tunable->value_nr; k++)
            if (tunable->value[k] != tunable->now) {
                add(at, "set",
                    xasprintf("set(%s:%lld)", tunable->name, tunable->value[k]));
                break;
            }
    }
    nothing(at, "set", before, "for what `#pragma inflight tunable` names");
}

static void full_tiles(struct typical *at)
{
    each_loop(at, "full", "tile(@:32) full(@)", is_innermost, no_loop);
}

static void interchanges(struct typical *at)
{
    pairs(at, "interchange", "");
}

static void skews(struct typical *at)
{
    pairs(at, "skew", ":1");
}

static void fusions(struct typical *at)
{
    each_loop(at, "fuse", "fuse(@)", has_brother,
              "no two loops of one name are neighbours");
}

static void jams(struct typical *at)
{
    each_loop(at, "unroll_jam", "unroll_jam(@:4)", is_outer,
              "for loops around other loops");
}

static void interleavings(struct typical *at)
{
    each_loop(at, "interleave", "interleave(@:32)", kernel_loop_holds_unread,
              "for loops around one of unknown length");
}

static void skips(struct typical *at)
{
    each_loop(at, "skip_blocks", "skip_blocks(@:1024)", is_innermost, no_loop);
}

static void unrollings(struct typical *at)
{
    each_loop(at, "unroll", "unroll(@:4)", is_innermost, no_loop);
}

static void counters(struct typical *at)
{
    each_loop(at, "narrow_counters", "narrow_counters(@:192)", is_innermost, no_loop);
}

static void pads(struct typical *at)
{
    nothing(at, "pad", at->nr, "for arrays that the function declares itself");
}

static void thresholds(struct typical *at)
{
    nothing(at, "when", at->nr,
            "it goes with other steps, whose code it keeps for large sizes");
}

static void simds(struct typical *at)
{
    each_loop(at, "simd", "simd(@)", is_innermost, no_loop);
}

static void branches(struct typical *at)
{
    each_loop(at, "branch_free", "branch_free(@)", is_innermost, no_loop);
}

static void reciprocals(struct typical *at)
{
    size_t before = at->nr;
    bool divides = false;
    for (size_t i = 0; i < at->view->found_nr; i++)
        divides = divides || at->view->found[i].spot == KERNEL_SPOT_DIVISOR;
    if (divides)
        each_loop(at, "reciprocal", "reciprocal(@)", is_any, no_loop);
    else
        nothing(at, "reciprocal", before, "no divisor stays the same in a loop");
}

static void borders(struct typical *at)
{
    size_t before = at->nr;
    bool asks = false;
    for (size_t i = 0; i < at->view->found_nr; i++)
        asks = asks || at->view->found[i].spot == KERNEL_SPOT_BORDER ||
               at->view->found[i].spot == KERNEL_SPOT_MET;
    if (asks)
        each_loop(at, "split_borders", "split_borders(@)", is_any, no_loop);
    else
        nothing(at, "split_borders", before, "nothing asks for the place in a loop");
}

/* Each loop by itself, with a small value where one is needed. */
static void any_loop(struct typical *at, const struct transformation *row)
{
    char *form = row->values == VALUES_EACH ? xasprintf("%s(@:%d)", row->name, UNROLL)
                                            : xasprintf("%s(@)", row->name);
    each_loop(at, row->name, form, is_any, no_loop);
    free(form);
}

size_t typical_plans(const struct kernel_view *view, struct typical_plan **out)
{
    /* NULL: any_loop. */
    static void (*const by_kind[STEP_KIND_NR])(struct typical * at) = {
        [STEP_TILE] = tiles,
        [STEP_SKEW_TILE] = skewed_tiles,
        [STEP_INTERCHANGE] = interchanges,
        [STEP_SKEW] = skews,
        [STEP_FUSE] = fusions,
        [STEP_UNROLL_JAM] = jams,
        [STEP_INTERLEAVE] = interleavings,
        [STEP_SKIP_BLOCKS] = skips,
        [STEP_UNROLL] = unrollings,
        [STEP_NARROW_COUNTERS] = counters,
        [STEP_PRIVATIZE] = tables,
        [STEP_FULL] = full_tiles,
        [STEP_PACK] = packs,
        [STEP_VEC] = vectors,
        [STEP_PAD] = pads,
        [STEP_SIMD] = simds,
        [STEP_PREFETCH] = prefetches,
        [STEP_NONTEMPORAL] = streams,
        [STEP_BRANCH_FREE] = branches,
        [STEP_RECIPROCAL] = reciprocals,
        [STEP_SPLIT_BORDERS] = borders,
        [STEP_WHEN] = thresholds,
        [STEP_SET] = tunables,
    };
    struct typical at = {.view = view};
    for (unsigned kind = 0; kind < STEP_KIND_NR; kind++)
        if (by_kind[kind])
            by_kind[kind](&at);
        else
            any_loop(&at, transformation_of(kind));
    *out = at.item;
    return at.nr;
}

void typical_plans_free(struct typical_plan *plans, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        free(plans[i].plan);
    free(plans);
}
