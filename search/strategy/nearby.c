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
        choices_add(&near->plans, &choice);
    }
}

void near_close(struct near *near)
{
    dimensions_release(&near->dimensions);
    choices_release(&near->plans);
    choices_release(&near->steps);
}

/* ---- kinds of steps ---- */

/* The number of the first kind in which they differ; the last: in none, or other nests.
 */
enum { KINDS = STEP_KIND_NR + 2 };

static int kind_of(const struct choice *a, const struct choice *b)
{
    enum step_kind kind[STEP_KIND_NR];
    size_t nr = step_kinds_placed(kind);
    if (!choice_same_shape(a, b))
        return STEP_KIND_NR;
    for (size_t i = 0; i < nr; i++)
        if (kind[i] == STEP_INTERCHANGE ? !choice_same_order(a, b)
                                        : !choice_same_steps(a, b, kind[i]))
            return (int)kind[i];
    return KINDS - 1;
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
    *at = 0;
    while (*at < near->plans.nr && !choice_equal(&near->plans.item[*at], choice))
        (*at)++;
    return *at < near->plans.nr;
}

/* ---- anywhere ---- */

/* With tiles but for those of whole loops: propose_order_tiles puts these anew. */
static void drop_whole_tiles(const struct nest *nest, struct choice *choice)
{
    struct loop_size tile[CHOICE_LOOPS_MAX];
    size_t nr = choice_sizes(choice, STEP_TILE, tile), kept = 0;
    for (size_t i = 0; i < nr; i++) {
        int depth = nest_depth(nest, tile[i].loop);
        if (depth < 0 || (double)tile[i].size < nest->trips[depth])
            tile[kept++] = tile[i];
    }
    choice_put_sizes(choice, STEP_TILE, tile, kept);
}

/* In place of one with the same words but for its values, or behind the last one. */
static void put_repeated(const struct plan_step *step, struct choice *choice)
{
    const struct plan_step *had[PLAN_STEPS_MAX];
    size_t nr = choice_steps(choice, step->kind, had), at = 0;
    while (at < nr && (strcmp(had[at]->arg[0].name, step->arg[0].name) ||
                       plan_step_rule(had[at]) != plan_step_rule(step)))
        at++;
    if (at == transformation_of(step->kind)->search.steps_max)
        return;
    had[at] = step;
    choice_put_steps(choice, step->kind, had, nr + (at == nr));
}

static bool is_shaped(const struct choice *choice)
{
    bool shaped = choice->shape_nr > 0;
    for (unsigned kind = 0; !shaped && kind < STEP_KIND_NR; kind++)
        shaped = transformation_of(kind)->search.is_shape && choice_step(choice, kind);
    return shaped;
}

/* One step in place of what `choice` has of its kind. A whole shape stands for the order
 * of the loops, and for what is made of them. */
static void put_step(const struct nest *nest, const struct plan_step *step,
                     struct choice *choice)
{
    const struct step_search *search = &transformation_of(step->kind)->search;
    if (search->of_shape && is_shaped(choice))
        return;
    if (step->kind == STEP_TILE)
        drop_whole_tiles(nest, choice);
    if (search->joins)
        choice_join(choice, step);
    else if (search->repeats && search->scaled)
        put_repeated(step, choice);
    else
        choice_put(choice, step);
    if (step->kind == STEP_TILE || step->kind == STEP_INTERCHANGE)
        propose_order_tiles(nest, choice);
}

static void list_sizes(const struct choice *from, struct choices *out)
{
    enum step_kind kind[STEP_KIND_NR];
    size_t nr = step_kinds_placed(kind);
    for (size_t i = 0; i < nr; i++)
        if (transformation_of(kind[i])->search.scaled)
            propose_scaled(kind[i], from, out);
}

/* ---- of a whole shape ---- */

/* Each number of it half, twice, two thirds and one and a half as large. */
static void list_shape_sizes(const struct choice *from, struct choices *out)
{
    static const long long share[][2] = {{1, 2}, {2, 1}, {2, 3}, {3, 2}};
    for (size_t at = 0; at < from->shape_nr; at++) {
        const struct plan_step *step = from->plan.step[from->shape_at + at];
        for (size_t k = 0; k < step->arg_nr * ARRAY_SIZE(share); k++) {
            size_t which = k / ARRAY_SIZE(share);
            const long long *by = share[k % ARRAY_SIZE(share)];
            long long size = step->arg[which].value, other = size * by[0] / by[1];
            struct step_arg arg[CHOICE_LOOPS_MAX];
            struct choice choice = *from;
            if (step->arg_nr > CHOICE_LOOPS_MAX || other < 2 ||
                other * by[1] != size * by[0])
                continue;
            memcpy(arg, step->arg, step->arg_nr * sizeof(*arg));
            arg[which].value = other;
            choice_put_in_shape(&choice, at,
                                plan_step_with_args(step, arg, step->arg_nr));
            choices_add(out, &choice);
        }
    }
}

/* The place of the first of such steps in the shape, behind its first one. */
static size_t place_in_shape(const struct choice *choice, const enum step_kind *kind,
                             size_t nr)
{
    for (size_t at = 0; at < choice->shape_nr; at++)
        for (size_t i = 0; i < nr; i++)
            if (choice->plan.step[choice->shape_at + at]->kind == kind[i])
                return at;
    return choice->shape_nr;
}

static void list_shape_jams(const struct nest *nest, const struct choice *from,
                            struct choices *out)
{
    static const int size[] = {4, 2};
    /* Steps about the code of innermost loops are the last. */
    static const enum step_kind last[] = {STEP_SIMD, STEP_VEC, STEP_UNROLL},
                                no_jam[] = {STEP_UNROLL_JAM, STEP_FULL};
    size_t at = place_in_shape(from, last, ARRAY_SIZE(last));
    if (place_in_shape(from, no_jam, ARRAY_SIZE(no_jam)) < from->shape_nr)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(size); i++)
        for (size_t depth = 0; depth < nest->nr; depth++) {
            const struct step_arg arg = {nest->loop[depth]->name, size[i], true};
            const struct plan_step step = {
                .kind = STEP_UNROLL_JAM, .arg = &arg, .arg_nr = 1};
            struct choice choice = *from;
            if (choice_add_to_shape(&choice, at, plan_step_get(&step)))
                choices_add(out, &choice);
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
    if (from->shape_nr) {
        list_shape_jams(&near->session->nest, from, out);
        list_shape_sizes(from, out);
    }
    for (size_t i = 0; i < near->steps.nr; i++) {
        const struct plan *steps = &near->steps.item[i].plan;
        struct choice choice = *from;
        for (size_t k = 0; k < steps->step_nr; k++)
            put_step(&near->session->nest, steps->step[k], &choice);
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

/* The word that rules have for a step of the choice. */
static bool has_word(const struct choice *choice, enum step_kind kind, const char *word)
{
    const struct plan_step *step[PLAN_STEPS_MAX];
    size_t nr = choice_steps(choice, kind, step);
    for (size_t i = 0; i < nr; i++)
        if (plan_step_rule(step[i]) == word)
            return true;
    return false;
}

static size_t names_of(const struct choice *choice, enum step_kind kind)
{
    const struct plan_step *step = choice_step(choice, kind);
    return step ? step->arg_nr : 0;
}

static bool adds(const struct choice *from, const struct choice *to, enum step_kind kind,
                 const char *word)
{
    const struct step_search *search = &transformation_of(kind)->search;
    if (kind == STEP_INTERCHANGE)
        return has_word(to, kind, word) && !choice_same_order(from, to);
    if (search->joins && !search->scaled)
        return names_of(to, kind) > names_of(from, kind);
    return has_word(to, kind, word) && !has_word(from, kind, word);
}

size_t near_added(const struct choice *from, const struct choice *to,
                  const char *name[NEAR_ADDED_MAX])
{
    enum step_kind kind[STEP_KIND_NR];
    size_t kinds = step_kinds_placed(kind), nr = 0;
    for (size_t i = 0; i < kinds; i++)
        for (size_t k = 0; k < 2; k++) {
            const char *word = transformation_of(kind[i])->rule[k].word;
            if (word && adds(from, to, kind[i], word) && nr < NEAR_ADDED_MAX)
                name[nr++] = word;
        }
    return nr;
}
