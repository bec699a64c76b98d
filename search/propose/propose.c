#include "search/propose/propose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/machine/machine.h"
#include "search/propose/nest.h"
#include "search/propose/propose_nests.h"
#include "search/propose/propose_orders.h"
#include "search/propose/propose_squares.h"
#include "search/propose/propose_steps.h"
#include "search/propose/propose_sums.h"
#include "search/space/choice.h"

enum { TOP_ORDERS = 3, TOP_TILES = 6, TOP_JAMS = 6, TILE_LOOPS_MAX = 4 };

static const char has_shape[] = "the plan sets the order of all loops already";

struct scored {
    struct choice choice;
    double cost;
};
struct scores {
    struct scored *item;
    size_t nr, alloc;
};

static void score(struct scores *list, const struct choice *choice, double cost)
{
    GROW(list->item, list->nr + 1, list->alloc);
    list->item[list->nr++] = (struct scored){*choice, cost};
}

static int by_cost(const void *a, const void *b)
{
    double left = ((const struct scored *)a)->cost,
           right = ((const struct scored *)b)->cost;
    return left < right ? -1 : left > right;
}

/* The same steps with every size within a factor of two: hill climbing gets there from
 * the other one. */
static bool is_near(const struct choice *a, const struct choice *b)
{
    struct loop_size x[CHOICE_LOOPS_MAX], y[CHOICE_LOOPS_MAX];
    size_t nr = choice_sizes(a, STEP_TILE, x);
    bool near = nr > 0 && nr == choice_sizes(b, STEP_TILE, y) &&
                choice_same_steps(a, b, STEP_UNROLL_JAM);
    for (size_t i = 0; near && i < nr; i++)
        near = !strcmp(x[i].loop, y[i].loop) && x[i].size <= 2 * y[i].size &&
               y[i].size <= 2 * x[i].size;
    return near;
}

static bool near_any(const struct choice *choice, const struct choices *list)
{
    for (size_t i = 0; i < list->nr; i++)
        if (is_near(choice, &list->item[i]))
            return true;
    return false;
}

bool propose_may_be(const struct propose *about, struct choice *choice)
{
    return !about->can_be || about->can_be(about->data, choice);
}

/* To ask takes milliseconds. */
enum { ASKED_MAX = 48 };

/* The cheapest that are legal; with `apart` none that is a neighbour of a cheaper one. */
static void keep_legal(const struct propose *about, struct scores *list, size_t max,
                       bool apart, struct choices *out)
{
    size_t before = out->nr, asked = 0;
    if (list->nr)
        qsort(list->item, list->nr, sizeof(*list->item), by_cost);
    for (size_t i = 0; i < list->nr && out->nr - before < max; i++) {
        struct choice choice = list->item[i].choice;
        if (apart && near_any(&choice, out))
            continue;
        bool asks = about->can_be && asked++ < ASKED_MAX;
        if (!asks || about->can_be(about->data, &choice))
            choices_add(out, &choice);
    }
}

/* Where none is legal, the cheapest, whose refusal is the reason. */
static void keep_best(const struct propose *about, struct scores *list, size_t max,
                      bool apart, struct choices *out)
{
    size_t before = out->nr;
    keep_legal(about, list, max, apart, out);
    if (list->nr && out->nr == before)
        choices_add(out, &list->item[0].choice);
    free(list->item);
}

/* The loops from outermost to innermost under the present order. */
static void names_in_order(const struct propose *about, const char **name)
{
    const struct nest *nest = about->nest;
    if (choice_order(about->now, name) != nest->nr)
        for (size_t d = 0; d < nest->nr; d++)
            name[d] = nest->loop[d]->name;
}

/* ---- interchange ---- */

/* A unit stride in the innermost loop lets vectors and prefetchers work; others cost
 * about a cache access each. */
static double stride_penalty_ns(const struct propose *about, int innermost)
{
    const struct nest *nest = about->nest;
    double cost = 0, calls = 1;
    for (size_t d = 0; d < nest->nr; d++)
        calls *= nest->trips[d];
    for (size_t i = 0; i < nest->view->access_nr; i++) {
        const struct kernel_access *access = &nest->view->access[i];
        double stride = fabs(access->stride_at[innermost]);
        if (nest_holds(nest, access) &&
            stride > (double)nest->view->array[access->array].element_bytes)
            cost += calls * 0.5;
    }
    return cost;
}

static double order_cost_ns(const struct propose *about, const char *const *name,
                            struct choice *choice)
{
    size_t nr = about->nest->nr;
    choice_put_order(choice, name, nr, 0);
    return nest_cost_ns(about->nest, about->machine, choice) +
           stride_penalty_ns(about, nest_depth(about->nest, name[nr - 1]));
}

static void try_orders(const struct propose *about, const char **name, size_t fixed,
                       double now, struct scores *list)
{
    size_t nr = about->nest->nr;
    if (nr == 0)
        return;
    if (fixed == nr) {
        struct choice choice = *about->now;
        double cost = order_cost_ns(about, name, &choice);
        if (cost < now)
            score(list, &choice, cost);
        return;
    }
    for (size_t i = fixed; i < nr; i++) {
        const char *moved = name[i];
        memmove(&name[fixed + 1], &name[fixed], (i - fixed) * sizeof(*name));
        name[fixed] = moved;
        try_orders(about, name, fixed + 1, now, list);
        memmove(&name[fixed], &name[fixed + 1], (i - fixed) * sizeof(*name));
        name[i] = moved;
    }
}

static void propose_order(const struct propose *about, const struct choice *order,
                          struct choices *out)
{
    bool alone = !choice_step(order, STEP_DISTRIBUTE) && !choice_step(order, STEP_TILE) &&
                 !choice_step(order, STEP_UNROLL_JAM);
    add_order(about, order, out);
    if (alone)
        add_strips(about, order, out);
}

void propose_orders(const struct propose *about, struct choices *out, struct buf *why_not)
{
    struct choice choice = *about->now;
    const char *name[CHOICE_LOOPS_MAX];
    struct scores list = {0};
    const struct nest *nest = about->nest;
    if (choice.shape_nr) {
        buf_add(why_not, has_shape);
        return;
    }
    if (nest->nr < 2 || nest->nr > 5) {
        buf_add(why_not, "the hot nest has no two loops to interchange");
        return;
    }
    names_in_order(about, name);
    double now = order_cost_ns(about, name, &choice);
    try_orders(about, name, 0, now * 0.999, &list);
    if (list.nr == 0)
        buf_add(why_not,
                "the present order of loops already has the lowest estimated traffic");
    struct choices best = {0};
    keep_best(about, &list, TOP_ORDERS, false, &best);
    for (size_t i = 0; i < best.nr; i++)
        propose_order(about, &best.item[i], out);
    choices_release(&best);
}

/* ---- tile ---- */

/*
 * Loops outside of the outermost tiled one must be named too, or its tile loops would
 * stand inside of them; they get a tile of their whole extent, rounded up to a power of
 * two, unless a smaller one is chosen.
 */
static void put_tiles(struct choice *choice, const char *const *name, const long *size,
                      const double *trips, size_t nr)
{
    struct loop_size tile[CHOICE_LOOPS_MAX] = {{0}};
    size_t last = 0, tiles = 0;
    for (size_t i = 0; i < nr; i++)
        if (size[i] > 0)
            last = i + 1;
    for (int whole = 0; whole < 2; whole++)
        for (size_t i = 0; i < last; i++) {
            if ((size[i] == 0) != (whole == 1))
                continue;
            long whole_size = (long)exp2(ceil(log2(trips[i])));
            tile[tiles++] = (struct loop_size){name[i], size[i] ? size[i] : whole_size};
        }
    choice_put_sizes(choice, STEP_TILE, tile, tiles);
}

void propose_order_tiles(const struct nest *nest, struct choice *choice)
{
    const struct propose about = {.nest = nest, .now = choice};
    const char *name[KERNEL_DEPTH_MAX];
    double trips[KERNEL_DEPTH_MAX];
    long size[KERNEL_DEPTH_MAX] = {0};
    names_in_order(&about, name);
    for (size_t d = 0; d < nest->nr; d++) {
        trips[d] = nest->trips[nest_depth(nest, name[d])];
        size[d] = choice_size(choice, STEP_TILE, name[d]);
    }
    if (choice_step(choice, STEP_TILE))
        put_tiles(choice, name, size, trips, nest->nr);
}

static void try_tiles(const struct propose *about, const char *const *name,
                      const double *trips, long *size, size_t at, struct scores *list)
{
    static const long sizes[] = {0, 8, 16, 32, 64, 128, 256, 512, 1024};
    if (at == about->nest->nr) {
        struct choice choice = *about->now;
        bool reorders = false; /* tiles of the outermost loop alone run as it does */
        for (size_t d = 1; d < at; d++)
            reorders |= size[d] > 0;
        if (!reorders)
            return;
        put_tiles(&choice, name, size, trips, at);
        if (choice_step(&choice, STEP_TILE))
            score(list, &choice, nest_cost_ns(about->nest, about->machine, &choice));
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        if ((double)sizes[i] >= trips[at])
            break;
        size[at] = sizes[i];
        try_tiles(about, name, trips, size, at + 1, list);
    }
    size[at] = 0;
}

/* Small tiles cost loop control and short vectors: a per cent for every halving below 64
 * of the innermost tile. */
static void add_overhead(struct scores *list, const char *innermost)
{
    for (size_t i = 0; i < list->nr; i++) {
        struct loop_size tile[CHOICE_LOOPS_MAX];
        size_t nr = choice_sizes(&list->item[i].choice, STEP_TILE, tile);
        for (size_t t = 0; t < nr; t++) {
            double halvings = log2(64.0 / (double)tile[t].size);
            if (halvings > 0)
                list->item[i].cost *=
                    1 + (strcmp(tile[t].loop, innermost) ? 0.005 : 0.02) * halvings;
        }
    }
}

void propose_tiles(const struct propose *about, struct choices *out, struct buf *why_not)
{
    const char *name[KERNEL_DEPTH_MAX];
    double trips[KERNEL_DEPTH_MAX];
    long size[KERNEL_DEPTH_MAX] = {0};
    struct scores list = {0};
    const struct nest *nest = about->nest;
    if (about->now->shape_nr) {
        buf_add(why_not, has_shape);
        return;
    }
    if (nest->nr < 2 || nest->nr > TILE_LOOPS_MAX) {
        buf_addf(why_not, "tiling needs a nest of 2 to %d loops, the hot one has %zu",
                 TILE_LOOPS_MAX, nest->nr);
        return;
    }
    names_in_order(about, name);
    for (size_t d = 0; d < nest->nr; d++)
        trips[d] = nest->trips[nest_depth(nest, name[d])];
    try_tiles(about, name, trips, size, 0, &list);
    add_overhead(&list, name[nest->nr - 1]);
    if (list.nr == 0)
        buf_add(why_not, "every loop of the hot nest is shorter than the smallest tile");
    size_t first = out->nr;
    if (!choice_step(about->now, STEP_INTERCHANGE) && !about->now->kept_nr)
        add_squares(about, out);
    keep_best(about, &list, TOP_TILES, true, out);
    add_split_blocks(about, first, out);
}

/* ---- unroll_jam ---- */

/* Memory accesses per innermost operation when the loops are jammed by `jam`: an access
 * invariant in a jammed loop is shared by its copies. */
static double accesses_per_copy(const struct propose *about, const struct loop_size *jam,
                                size_t jams)
{
    const struct nest *nest = about->nest;
    double copies = 1, accesses = 0;
    for (size_t j = 0; j < jams; j++)
        copies *= (double)jam[j].size;
    for (size_t i = 0; i < nest->view->access_nr; i++) {
        const struct kernel_access *access = &nest->view->access[i];
        double needed = 1;
        for (size_t j = 0; j < jams; j++) {
            int depth = nest_depth(nest, jam[j].loop);
            if (!(access->stride_at[depth] == 0))
                needed *= (double)jam[j].size;
        }
        accesses += nest_holds(nest, access) ? needed : 0;
    }
    return accesses / copies;
}

static double jam_factor(const struct loop_size *jam, size_t jams)
{
    double copies = 1;
    for (size_t j = 0; j < jams; j++)
        copies *= (double)jam[j].size;
    return copies;
}

/* Half by accesses that registers save, half by lines, against no jam at all (then it is
 * 1). */
static double jam_cost(const struct propose *about, const struct choice *choice,
                       const struct loop_size *jam, size_t jams)
{
    struct choice none = *choice;
    choice_drop(&none, STEP_UNROLL_JAM);
    double accesses =
        accesses_per_copy(about, jam, jams) / accesses_per_copy(about, NULL, 0);
    double lines = nest_cost_ns(about->nest, about->machine, choice) /
                   fmax(nest_cost_ns(about->nest, about->machine, &none), 1e-9);
    return 0.5 * accesses + 0.5 * lines + 0.002 * jam_factor(jam, jams);
}

enum { JAMMED_MAX = 2 };

/* 32 vector registers (AVX-512, SVE) hold at most some two dozen running values. */
static void try_jams(const struct propose *about, const char *const *name, size_t at,
                     struct loop_size *jam, size_t jams, struct scores *list)
{
    static const long sizes[] = {2, 4, 8};
    if (at + 1 >= about->nest->nr) {
        struct choice choice = *about->now;
        choice_put_sizes(&choice, STEP_UNROLL_JAM, jam, jams);
        if (jams && jam_factor(jam, jams) <= 24)
            score(list, &choice, jam_cost(about, &choice, jam, jams));
        return;
    }
    try_jams(about, name, at + 1, jam, jams, list);
    for (size_t i = 0; i < ARRAY_SIZE(sizes) && jams < JAMMED_MAX; i++) {
        jam[jams] = (struct loop_size){name[at], sizes[i]};
        try_jams(about, name, at + 1, jam, jams + 1, list);
    }
}

void propose_jams(const struct propose *about, struct choices *out, struct buf *why_not)
{
    const char *name[KERNEL_DEPTH_MAX];
    struct loop_size jam[JAMMED_MAX];
    struct scores list = {0};
    if (about->now->shape_nr) {
        buf_add(why_not, has_shape);
        return;
    }
    if (about->nest->nr < 2) {
        buf_add(why_not, "there is no outer loop to unroll and jam");
        return;
    }
    names_in_order(about, name);
    if (!choice_step(about->now, STEP_INTERCHANGE) && !about->now->kept_nr &&
        !choice_step(about->now, STEP_TILE))
        add_wavefronts(about, out);
    try_jams(about, name, 0, jam, 0, &list);
    struct scores useful = {0};
    for (size_t i = 0; i < list.nr; i++)
        if (list.item[i].cost < 0.95)
            score(&useful, &list.item[i].choice, list.item[i].cost);
    if (useful.nr == 0 && out->nr == 0 && !about->chained)
        buf_add(why_not, "jamming an outer loop would save neither accesses nor lines");
    size_t before = out->nr;
    keep_legal(about, &useful, TOP_JAMS, false, out);
    /* The estimate may be wrong: what else is legal. */
    if (out->nr == before && (useful.nr || about->chained))
        keep_best(about, &list, TOP_JAMS, false, out);
    else
        free(list.item);
    free(useful.item);
}

/* ---- unroll ---- */

void propose_unroll(const struct propose *about, struct choices *out, struct buf *why_not)
{
    static const long sizes[] = {4, 8, 2};
    const char *name[KERNEL_DEPTH_MAX];
    struct choice choice = *about->now;
    if (about->nest->nr == 0)
        return;
    if (choice_step(&choice, STEP_SIMD)) {
        buf_add(why_not,
                "the innermost loop is marked for vectors: the compiler unrolls it");
        return;
    }
    names_in_order(about, name);
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        const struct loop_size unroll = {name[about->nest->nr - 1], sizes[i]};
        choice_put_sizes(&choice, STEP_UNROLL, &unroll, 1);
        choices_add(out, &choice);
    }
}

/* ---- accumulators ---- */

/* As many accumulators as the operation takes cycles times what the units do of it a
 * cycle, as of fused multiplications: then these are busy. The next power of two, half
 * and twice as many, all of them registers. */
static size_t accumulators_of(const struct propose *about, long sizes[3])
{
    enum { registers = 16 };
    const struct cpu_core *core = &about->machine->core;
    double busy = core->latency[WORK_FP_FMA] * core->per_cycle[WORK_FP_FMA];
    long most = 2;
    size_t nr = 0;

    if (!(busy > 0))
        busy = 8; /* four cycles, two units */
    while ((double)most < busy && most < registers)
        most *= 2;
    sizes[nr++] = most;
    if (most / 2 >= 2)
        sizes[nr++] = most / 2;
    if (most * 2 <= registers)
        sizes[nr++] = most * 2;
    return nr;
}

void propose_accumulators(const struct propose *about, struct choices *out,
                          struct buf *why_not)
{
    long sizes[3];
    size_t nr = accumulators_of(about, sizes);
    const char *name[KERNEL_DEPTH_MAX];
    struct choice choice = *about->now;
    if (about->nest->nr == 0)
        return;
    if (choice_step(&choice, STEP_SIMD) || choice_step(&choice, STEP_UNROLL)) {
        buf_add(why_not, "the innermost loop is unrolled or marked for vectors already");
        return;
    }
    names_in_order(about, name);
    for (size_t i = 0; i < nr; i++) {
        const struct loop_size accumulators = {name[about->nest->nr - 1], sizes[i]};
        choice_put_sizes(&choice, STEP_ACCUMULATORS, &accumulators, 1);
        choices_add(out, &choice);
    }
}

/* ---- chains side by side ---- */

/* As many chains as the core has misses outstanding, twice and half as many. */
void propose_interleave(const struct propose *about, struct choices *out,
                        struct buf *why_not)
{
    enum { LANES = 32 };
    const struct nest *nest = about->nest;
    long lanes = about->miss_limit > 0 ? 2 : LANES;
    struct choice choice = *about->now;
    if (choice.shape_nr || choice_step(&choice, STEP_TILE) ||
        choice_step(&choice, STEP_DISTRIBUTE)) {
        buf_add(why_not, "chains side by side start from the loops as they are written");
        return;
    }
    while ((double)lanes < about->miss_limit)
        lanes *= 2;
    const long sizes[] = {lanes, 2 * lanes, lanes / 2};
    for (size_t d = nest->nr; d-- > 0;) {
        size_t loop = (size_t)(nest->loop[d] - nest->view->loop);
        for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
            const struct loop_size size = {nest->loop[d]->name, sizes[i]};
            choice_put_sizes(&choice, STEP_INTERLEAVE, &size, 1);
            if (sizes[i] > 1 && kernel_loop_holds_unread(nest->view, loop) &&
                propose_may_be(about, &choice))
                choices_add(out, &choice);
        }
    }
    if (!out->nr)
        buf_add(why_not, "no loop of unknown length can run side by side with others");
}

/* ---- conditions asked ahead ---- */

void propose_skip_blocks(const struct propose *about, struct choices *out,
                         struct buf *why_not)
{
    static const long sizes[] = {1024, 256, 4096}; /* they stay in the L1 */
    const struct nest *nest = about->nest;
    struct choice choice = *about->now;
    if (choice.shape_nr || choice_step(&choice, STEP_TILE) || !nest->nr) {
        buf_add(why_not, "blocks to be skipped start from the loops as they are written");
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        const struct loop_size size = {nest->loop[nest->nr - 1]->name, sizes[i]};
        choice_put_sizes(&choice, STEP_SKIP_BLOCKS, &size, 1);
        if (propose_may_be(about, &choice))
            choices_add(out, &choice);
    }
    if (!out->nr)
        buf_add(why_not,
                "no innermost loop is one if whose condition can be asked ahead");
}

/* ---- several tables ---- */

/* As many as iterations run while a load waits for the store before it; half of them,
 * where caches have no room. */
void propose_privatize(const struct propose *about, struct choices *out,
                       struct buf *why_not)
{
    static const long tables[] = {8, 4};
    const struct kernel_view *view = about->nest->view;
    if (choice_step(about->now, STEP_UNROLL)) {
        buf_add(why_not, "the innermost loop is unrolled already");
        return;
    }
    for (size_t i = 0; i < view->access_nr; i++) {
        const struct kernel_access *access = &view->access[i];
        for (size_t k = 0; access->write && access->update && k < ARRAY_SIZE(tables);
             k++) {
            struct choice choice = *about->now;
            const struct loop_size table = {view->array[access->array].name, tables[k]};
            choice_put_sizes(&choice, STEP_PRIVATIZE, &table, 1);
            choices_add(out, &choice);
        }
    }
    if (!out->nr)
        buf_add(why_not, "no element that is found by an index is updated");
}

/* ---- narrow counters ---- */

/* Bytes of the narrowest element that the nest reads. */
static size_t narrowest(const struct nest *nest)
{
    size_t bytes = SIZE_MAX;
    for (size_t i = 0; i < nest->view->access_nr; i++) {
        const struct kernel_access *access = &nest->view->access[i];
        size_t own = nest->view->array[access->array].element_bytes;
        if (nest_holds(nest, access) && !access->write && own < bytes)
            bytes = own;
    }
    return bytes;
}

/* Whole vectors, one or two times in an iteration; and behind a first iteration of each
 * block, where one asks what the one before did. */
void propose_narrow_counters(const struct propose *about, struct choices *out,
                             struct buf *why_not)
{
    static const long bytes[] = {192, 193, 96}, words[] = {16384, 16385, 4096};
    const struct choice *now = about->now;
    const char *name[KERNEL_DEPTH_MAX];
    if (about->nest->nr == 0)
        return;
    if (choice_step(now, STEP_UNROLL) || choice_step(now, STEP_ACCUMULATORS)) {
        buf_add(why_not, "the innermost loop is unrolled already");
        return;
    }
    names_in_order(about, name);
    const long *sizes = narrowest(about->nest) < 2 ? bytes : words;
    for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
        struct choice choice = *now;
        const struct loop_size block = {name[about->nest->nr - 1], sizes[i]};
        choice_put_sizes(&choice, STEP_NARROW_COUNTERS, &block, 1);
        choices_add(out, &choice);
    }
}

/* ---- simd ---- */

void propose_simd(const struct propose *about, struct choices *out, struct buf *why_not)
{
    struct choice choice = *about->now;
    if (choice.shape_nr) {
        buf_add(why_not, has_shape);
        return;
    }
    if (choice_step(&choice, STEP_SIMD)) {
        buf_add(why_not, "the plan already marks the innermost loop");
        return;
    }
    choice_put(&choice, plan_step_get(&(struct plan_step){.kind = STEP_SIMD}));
    bool may_be = propose_may_be(about, &choice);
    if (may_be)
        choices_add(out, &choice);
    if (!may_be || about->chained)
        add_lanes(about, out);
    if (!out->nr) /* its refusal is the reason */
        choices_add(out, &choice);
}

/* ---- all of them ---- */

static const struct proposer {
    const char *transformation;
    propose_fn propose;
    bool of_all; /* it says what is done to all nests, or to arrays */
} proposers[] = {
#define PROPOSED(word, function, of_all) {#word, function, of_all},
#include "variants/plan/transformations.def"
};

bool propose_knows(const char *transformation)
{
    for (size_t i = 0; i < ARRAY_SIZE(proposers); i++)
        if (!strcmp(proposers[i].transformation, transformation))
            return true;
    return false;
}

void propose(const struct propose *about, const char *transformation, struct choices *out,
             struct buf *why_not)
{
    if (about->nest->nr == 0 && strncmp(transformation, "prefetch", 8)) {
        buf_add(why_not, "no loop of the kernel could be modelled");
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(proposers); i++)
        if (!strcmp(proposers[i].transformation, transformation)) {
            if (proposers[i].of_all || about->nest->nr == 0)
                proposers[i].propose(about, out, why_not);
            else
                propose_nests(about, proposers[i].propose, out, why_not);
            return;
        }
    buf_add(why_not, is_done_by_hand(transformation)
                         ? "not tried: no plan does it, it is done by hand"
                         : "not tried: it changes more than the loop");
}

void propose_on_top(const struct propose *about, const char *transformation,
                    struct choices *out)
{
    static const char *const further[] = {"unroll_jam", "tile"};
    struct buf why_not = {0};
    if (strcmp(transformation, "interchange"))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(further); i++) {
        struct choices list = {0};
        propose(about, further[i], &list, &why_not);
        if (list.nr)
            choices_add(out, &list.item[0]);
        choices_release(&list);
    }
    buf_release(&why_not);
}
