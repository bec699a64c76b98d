#include "search/strategy/nearby.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "search/finish/ties.h"
#include "search/propose/propose.h"
#include "search/strategy/grid.h"
#include "search/strategy/tunables.h"

/* ---- the space, or the values of the grid ---- */

static struct choice member(void *data, size_t i)
{
    const struct session *session = data;
    const struct choice none = {0};
    return i ? session->space.item[i - 1] : none;
}

static int is_legal(void *data, const struct choice *choice)
{
    struct session *session = data;
    char *plan = choice_text(choice);
    struct error why = {0};
    int status = session->subject->check(session->subject->data, plan, &why);
    free(plan);
    return status;
}

void near_open(struct session *session, struct near *near)
{
    *near = (struct near){.session = session};
    if (!session->has_space) {
        const struct grid_check check = {is_legal, session};
        grid_steps(&session->nest, &check, &near->steps);
        return;
    }
    dimensions_find(&session->view, member, session, session->space.nr + 1,
                    &near->dimensions);
    for (size_t i = 0; i <= session->space.nr; i++) {
        struct choice choice = member(session, i);
        char *plan = choice_text(&choice);
        strvec_push(&near->plans, plan);
        free(plan);
    }
}

void near_close(struct near *near)
{
    dimensions_release(&near->dimensions);
    strvec_release(&near->plans);
    choices_release(&near->steps);
}

/* ---- kinds of steps ---- */

static bool same_sizes(const struct loop_size *a, size_t a_nr, const struct loop_size *b,
                       size_t b_nr)
{
    bool same = a_nr == b_nr;
    for (size_t i = 0; same && i < a_nr; i++)
        same = a[i].size == b[i].size && !strcmp(a[i].loop, b[i].loop);
    return same;
}

static bool same_prefetches(const struct choice *a, const struct choice *b)
{
    bool same = a->prefetch_nr == b->prefetch_nr;
    for (size_t i = 0; same && i < a->prefetch_nr; i++)
        same = a->prefetch[i].distance == b->prefetch[i].distance &&
               a->prefetch[i].to_l2 == b->prefetch[i].to_l2 &&
               !a->prefetch[i].at == !b->prefetch[i].at &&
               !strcmp(a->prefetch[i].array, b->prefetch[i].array);
    return same;
}

/* The kind of the first step in which they differ, by number. */
enum { KINDS = 9 };

static int kind_of(const struct choice *a, const struct choice *b)
{
    const bool same[KINDS - 1] = {
        choice_same_names(a->order, a->order_nr, b->order, b->order_nr),
        !strcmp(a->shape, b->shape),
        a->simd == b->simd,
        same_sizes(a->jam, a->jam_nr, b->jam, b->jam_nr),
        a->unroll.size == b->unroll.size,
        choice_same_names(a->nontemporal, a->nontemporal_nr, b->nontemporal,
                          b->nontemporal_nr),
        same_sizes(a->tile, a->tile_nr, b->tile, b->tile_nr),
        same_prefetches(a, b)};
    int kind = 0;
    while (kind < KINDS - 1 && same[kind])
        kind++;
    return kind;
}

/* ---- in a space ---- */

struct neighbour {
    size_t place;
    double distance;
};

static int by_distance(const void *a, const void *b)
{
    const struct neighbour *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* One dimension, or several of one step. */
static void list_members(const struct near *near, size_t from, struct choices *out)
{
    const struct dimensions *dimensions = &near->dimensions;
    struct neighbour *list = xcalloc(near->plans.nr + 1, sizeof(*list));
    size_t nr = 0;
    for (size_t i = 0; i < near->plans.nr; i++)
        if (dimensions_steps_apart(dimensions, from, i) == 1)
            list[nr++] = (struct neighbour){
                i, dimensions_distance(dimensions, dimensions_row(dimensions, from), i)};
    if (nr)
        qsort(list, nr, sizeof(*list), by_distance);
    for (size_t i = 0; i < nr; i++) {
        struct choice choice = member(near->session, list[i].place);
        choices_add(out, &choice);
    }
    free(list);
}

static bool find_member(const struct near *near, const struct choice *choice, size_t *at)
{
    char *plan = choice_text(choice);
    *at = 0;
    while (*at < near->plans.nr && strcmp(near->plans.v[*at], plan))
        (*at)++;
    free(plan);
    return *at < near->plans.nr;
}

/* ---- anywhere ---- */

static void put_tile(const struct nest *nest, struct loop_size tile,
                     struct choice *choice)
{
    size_t kept = 0;
    for (size_t i = 0; i < choice->tile_nr; i++) { /* without those of whole loops */
        int depth = nest_depth(nest, choice->tile[i].loop);
        bool whole = depth >= 0 && (double)choice->tile[i].size >= nest->trips[depth];
        if (strcmp(choice->tile[i].loop, tile.loop) && !whole)
            choice->tile[kept++] = choice->tile[i];
    }
    choice->tile[kept++] = tile;
    choice->tile_nr = kept;
    propose_order_tiles(nest, choice);
}

static void put_prefetch(const struct choice *step, struct choice *choice)
{
    size_t at = 0;
    while (at < choice->prefetch_nr &&
           (strcmp(choice->prefetch[at].array, step->prefetch[0].array) ||
            choice->prefetch[at].to_l2 != step->prefetch[0].to_l2))
        at++;
    if (at == CHOICE_PREFETCH_MAX)
        return;
    choice->prefetch[at] = step->prefetch[0];
    choice->prefetch_nr += at == choice->prefetch_nr;
}

static void put_nontemporal(const struct choice *step, struct choice *choice)
{
    for (size_t i = 0; i < choice->nontemporal_nr; i++)
        if (!strcmp(choice->nontemporal[i], step->nontemporal[0]))
            return;
    if (choice->nontemporal_nr < CHOICE_ARRAYS_MAX)
        choice->nontemporal[choice->nontemporal_nr++] = step->nontemporal[0];
}

/* The one step of `step` in place of what `choice` has of its kind. A whole shape stands
 * for the order of the loops, and for what is made of them. */
static void put_step(const struct nest *nest, const struct choice *step,
                     struct choice *choice)
{
    bool shaped = *choice->shape || choice->skew_nr;
    if (step->order_nr && !shaped) {
        memcpy(choice->order, step->order, sizeof(choice->order));
        choice->order_nr = step->order_nr;
        choice->order_kept = step->order_kept;
        if (choice->tile_nr)
            propose_order_tiles(nest, choice);
    }
    if (step->tile_nr && !shaped)
        put_tile(nest, step->tile[0], choice);
    if (step->jam_nr && !shaped) {
        choice->jam[0] = step->jam[0];
        choice->jam_nr = 1;
    }
    if (step->unroll.size)
        choice->unroll = step->unroll;
    choice->simd = choice->simd || (step->simd && !shaped);
    if (step->prefetch_nr)
        put_prefetch(step, choice);
    if (step->nontemporal_nr)
        put_nontemporal(step, choice);
    if (step->fuse[0])
        memcpy(choice->fuse, step->fuse, sizeof(choice->fuse));
    if (step->distribute_nr) {
        memcpy(choice->distribute, step->distribute, sizeof(choice->distribute));
        choice->distribute_nr = step->distribute_nr;
    }
}

static void list_sizes(const struct choice *from, struct choices *out)
{
    static const char *const sized[] = {"skew", "tile", "unroll_jam"};
    for (size_t i = 0; i < ARRAY_SIZE(sized); i++)
        propose_neighbours(sized[i], from, out);
    if (from->prefetch_nr)
        propose_neighbours("prefetch_l1", from, out);
    for (int twice = 0; from->unroll.size && twice < 2; twice++) {
        struct choice choice = *from;
        choice.unroll.size = twice ? 2 * choice.unroll.size : choice.unroll.size / 2;
        if (choice.unroll.size >= 2)
            choices_add(out, &choice);
    }
}

/* ---- of a whole shape ---- */

/* `shape` with `length` characters at `at` made another text, unless it is too long. */
static void add_shape(const struct choice *from, size_t at, size_t length,
                      const char *text, struct choices *out)
{
    struct choice choice = *from;
    char *shape =
        xasprintf("%.*s%s%s", (int)at, from->shape, text, from->shape + at + length);
    if (strlen(shape) < sizeof(choice.shape)) {
        memcpy(choice.shape, shape, strlen(shape) + 1);
        choices_add(out, &choice);
    }
    free(shape);
}

/* Each number of it half, twice, two thirds and one and a half as large. */
static void list_shape_sizes(const struct choice *from, struct choices *out)
{
    static const long share[][2] = {{1, 2}, {2, 1}, {2, 3}, {3, 2}};
    const char *shape = from->shape;
    for (const char *at = shape; (at = strchr(at, ':')); at++) {
        char *end;
        long size = strtol(at + 1, &end, 10);
        for (size_t i = 0; end > at + 1 && i < ARRAY_SIZE(share); i++) {
            long other = size * share[i][0] / share[i][1];
            char *text = xasprintf("%ld", other);
            if (other >= 2 && other * share[i][1] == size * share[i][0])
                add_shape(from, (size_t)(at + 1 - shape), (size_t)(end - at - 1), text,
                          out);
            free(text);
        }
    }
}

/* Before what is about the code of innermost loops, which is the last of it. */
static size_t place_of_jam(const char *shape)
{
    static const char *const last[] = {" simd", " vec(", " unroll("};
    size_t at = strlen(shape);
    for (size_t i = 0; i < ARRAY_SIZE(last); i++) {
        const char *found = strstr(shape, last[i]);
        if (found && (size_t)(found - shape) < at)
            at = (size_t)(found - shape);
    }
    return at;
}

static void list_shape_jams(const struct nest *nest, const struct choice *from,
                            struct choices *out)
{
    static const int size[] = {4, 2};
    if (strstr(from->shape, "unroll_jam(") || strstr(from->shape, "full("))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(size); i++)
        for (size_t depth = 0; depth < nest->nr; depth++) {
            char *step =
                xasprintf(" unroll_jam(%s:%d)", nest->loop[depth]->name, size[i]);
            add_shape(from, place_of_jam(from->shape), 0, step, out);
            free(step);
        }
}

static void list_tunings(const struct session *session, const struct choice *from,
                         struct choices *out)
{
    const struct kernel_view *view = &session->view;
    for (size_t i = 0; i < view->tunable_nr; i++)
        for (size_t k = 0; k < view->tunable[i].value_nr; k++) {
            long long value[CHOICE_TUNABLES_MAX];
            struct choice choice = *from;
            choice_values(view, from, value);
            value[i] = view->tunable[i].value[k];
            if (kernel_tunables_allowed(view, value, NULL))
                continue;
            choice_take(view, value, &choice);
            choices_add(out, &choice);
        }
}

static void list_changed(const struct near *near, const struct choice *from,
                         struct choices *out)
{
    list_sizes(from, out);
    if (*from->shape) {
        list_shape_jams(&near->session->nest, from, out);
        list_shape_sizes(from, out);
    }
    for (size_t i = 0; i < near->steps.nr; i++) {
        struct choice choice = *from;
        put_step(&near->session->nest, &near->steps.item[i], &choice);
        choices_add(out, &choice);
    }
    ties_shortened(from, out);
    list_tunings(near->session, from, out);
}

/* One of each kind, then the next of each, so that none waits for all of another. */
static void take_turns(const struct choice *from, struct choices *list)
{
    struct choices sorted = {0};
    size_t *turn = xcalloc(list->nr + 1, sizeof(*turn)), seen[KINDS] = {0};
    for (size_t i = 0; i < list->nr; i++)
        turn[i] = seen[kind_of(from, &list->item[i])]++;
    for (size_t now = 0; sorted.nr < list->nr; now++)
        for (size_t i = 0; i < list->nr; i++)
            if (turn[i] == now)
                choices_add(&sorted, &list->item[i]);
    free(turn);
    choices_release(list);
    *list = sorted;
}

static void list_all(const struct near *near, const struct choice *from,
                     struct choices *out)
{
    size_t at;
    if (!near->session->has_space)
        list_changed(near, from, out);
    else if (find_member(near, from, &at))
        list_members(near, at, out);
}

void near_list(const struct near *near, const struct choice *from, struct choices *out)
{
    struct choices list = {0};
    struct choice plain = *from;
    plain.fallback = false;
    list_all(near, &plain, &list);
    take_turns(&plain, &list);
    for (size_t i = 0; i < list.nr; i++)
        choices_add(out, &list.item[i]);
    choices_release(&list);
}

/* ---- by chance ---- */

bool near_walk(const struct near *near, const struct choice *from, uint64_t *random,
               struct choice *out)
{
    enum { STEPS = 2 };
    *out = *from;
    for (int i = 0; i < STEPS; i++) {
        struct choices list = {0};
        list_all(near, out, &list);
        if (list.nr)
            *out = list.item[random_next(random) % list.nr];
        choices_release(&list);
    }
    return kind_of(from, out) < KINDS - 1;
}

/* ---- what was added ---- */

struct added {
    const char **name;
    size_t nr;
};

static void add_if(struct added *added, bool is_new, const char *name)
{
    if (is_new && added->nr < NEAR_ADDED_MAX)
        added->name[added->nr++] = name;
}

static bool prefetches(const struct choice *choice, bool to_l2)
{
    for (size_t i = 0; i < choice->prefetch_nr; i++)
        if (choice->prefetch[i].to_l2 == to_l2)
            return true;
    return false;
}

size_t near_added(const struct choice *from, const struct choice *to,
                  const char *name[NEAR_ADDED_MAX])
{
    struct added added = {name, 0};
    add_if(&added,
           to->order_nr &&
               !choice_same_names(from->order, from->order_nr, to->order, to->order_nr),
           "interchange");
    add_if(&added, to->tile_nr && !from->tile_nr, "tile");
    add_if(&added, to->skew_nr && !from->skew_nr, "skew");
    add_if(&added, to->jam_nr && !from->jam_nr, "unroll_jam");
    add_if(&added, to->unroll.size && !from->unroll.size, "unroll");
    add_if(&added, to->simd && !from->simd, "simd");
    add_if(&added, prefetches(to, false) && !prefetches(from, false), "prefetch_l1");
    add_if(&added, prefetches(to, true) && !prefetches(from, true), "prefetch_l2");
    add_if(&added, to->nontemporal_nr > from->nontemporal_nr, "nontemporal");
    add_if(&added, to->fuse[0] && !from->fuse[0], "fuse");
    add_if(&added, to->distribute_nr && !from->distribute_nr, "distribute");
    return added.nr;
}
