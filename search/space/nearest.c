#include "search/space/nearest.h"

#include <math.h>

/* Further than any sum of factors of two: other steps. */
static const double apart = 1e9;
/* A loop that only one of the two names: as far as a factor of eight. */
static const double unnamed = 3;

/* ---- how far one is from another ---- */

static double factor(long long a, long long b)
{
    return a && b ? fabs(log2((double)a / (double)b)) : a == b ? 0 : unnamed;
}

static bool has_values(enum step_kind kind)
{
    const struct step_search *search = &transformation_of(kind)->search;
    return search->scaled && !search->repeats;
}

/* One step each, with sizes; NULL = none. */
static double between_sizes(const struct plan_step *a, const struct plan_step *b)
{
    double sum = 0;
    if (!a || !b)
        return !a == !b ? 0 : apart;
    for (size_t i = 0; i < a->arg_nr; i++) {
        const struct step_arg *other = plan_step_arg(b, a->arg[i].name);
        sum += factor(a->arg[i].value, other ? other->value : 0);
    }
    for (size_t i = 0; i < b->arg_nr; i++)
        sum += plan_step_arg(a, b->arg[i].name) ? 0 : unnamed;
    return sum;
}

/* Steps with the same words, but for the value of the one name. */
static double between_values(const struct plan_step *a, const struct plan_step *b)
{
    const struct step_arg arg = {a->arg[0].name, b->arg[0].value, true};
    return plan_step_with_args(a, &arg, 1) == b ? factor(a->arg[0].value, b->arg[0].value)
                                                : apart;
}

static double between_steps(const struct choice *a, const struct choice *b,
                            enum step_kind kind)
{
    const struct plan_step *x[PLAN_STEPS_MAX], *y[PLAN_STEPS_MAX];
    const struct step_search *search = &transformation_of(kind)->search;
    size_t nr = choice_steps(a, kind, x), other = choice_steps(b, kind, y);
    double sum = nr == other ? 0 : apart;
    if (kind == STEP_INTERCHANGE)
        return choice_same_order(a, b) ? 0 : apart;
    if (has_values(kind))
        return between_sizes(nr ? x[0] : NULL, other ? y[0] : NULL);
    for (size_t i = 0; sum < apart && i < nr; i++)
        sum += search->scaled ? between_values(x[i], y[i]) : x[i] == y[i] ? 0 : apart;
    return sum;
}

static double distance(const struct choice *a, const struct choice *b)
{
    enum step_kind kind[STEP_KIND_NR];
    size_t nr = step_kinds_placed(kind);
    double sum = a->nest == b->nest && choice_same_others(a, b) && choice_same_shape(a, b)
                     ? 0
                     : apart;
    for (size_t i = 0; sum < apart && i < nr; i++)
        sum += between_steps(a, b, kind[i]);
    return sum;
}

/* ---- the nearest ---- */

static const struct choice *nearest(const struct choices *space,
                                    const struct choice *choice)
{
    const struct choice *best = NULL;
    double min = apart;
    for (size_t i = 0; i < space->nr; i++) {
        double d = distance(&space->item[i], choice);
        if (d < min) {
            min = d;
            best = &space->item[i];
        }
    }
    return best;
}

static bool holds(const struct choices *list, const struct choice *choice)
{
    for (size_t i = 0; i < list->nr; i++)
        if (distance(&list->item[i], choice) == 0)
            return true;
    return false;
}

void nearest_list(const struct choices *space, struct choices *list)
{
    struct choices kept = {0};
    for (size_t i = 0; i < list->nr; i++) {
        const struct choice *member = nearest(space, &list->item[i]);
        if (member && !holds(&kept, member))
            choices_add(&kept, member);
    }
    choices_release(list);
    *list = kept;
}

/* ---- neighbours ---- */

/* Steps of both differ in this loop alone: by how much the other's is larger, in factors
 * of two; 0 = they do not. */
static double only_in(const struct plan_step *best, const struct plan_step *other,
                      const char *loop)
{
    const struct step_arg *mine = plan_step_arg(best, loop),
                          *its = other ? plan_step_arg(other, loop) : NULL;
    double all = between_sizes(best, other);
    if (!mine || !its || all >= apart ||
        fabs(all - factor(mine->value, its->value)) > 1e-9)
        return 0;
    return log2((double)its->value / (double)mine->value);
}

/* The member next to best in one loop's size, upwards or downwards. */
static const struct choice *next_in(const struct choices *space, enum step_kind kind,
                                    const struct choice *best, const char *loop, int sign)
{
    const struct choice *next = NULL;
    double min = apart;
    for (size_t i = 0; i < space->nr; i++) {
        const struct choice *member = &space->item[i];
        double by =
            sign * only_in(choice_step(best, kind), choice_step(member, kind), loop);
        if (by > 0 && by < min &&
            distance(member, best) - between_steps(member, best, kind) < 1e-9) {
            min = by;
            next = member;
        }
    }
    return next;
}

static void add_next_sizes(const struct choices *space, enum step_kind kind,
                           const struct choice *best, struct choices *out)
{
    const struct plan_step *step = choice_step(best, kind);
    for (size_t i = 0; step && i < step->arg_nr; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const struct choice *next =
                next_in(space, kind, best, step->arg[i].name, sign);
            if (next)
                choices_add(out, next);
        }
}

/* The member next to best in the value of the last step of the kind. */
static void add_next_values(const struct choices *space, enum step_kind kind,
                            const struct choice *best, struct choices *out)
{
    const struct plan_step *mine[PLAN_STEPS_MAX], *its[PLAN_STEPS_MAX];
    const struct choice *next[2] = {0};
    double min[2] = {apart, apart};
    size_t nr = choice_steps(best, kind, mine);
    for (size_t i = 0; nr && i < space->nr; i++) {
        const struct choice *member = &space->item[i];
        double d = distance(member, best);
        if (d >= apart || fabs(d - between_steps(member, best, kind)) > 1e-9)
            continue;
        choice_steps(member, kind, its);
        bool up = its[nr - 1]->arg[0].value > mine[nr - 1]->arg[0].value;
        if (d > 0 && d < min[up]) {
            min[up] = d;
            next[up] = member;
        }
    }
    for (int up = 0; up < 2; up++)
        if (next[up])
            choices_add(out, next[up]);
}

void nearest_neighbours(const struct choices *space, const char *transformation,
                        const struct choice *best, struct choices *out)
{
    size_t variant;
    enum step_kind kind = step_kind_of_rule(transformation, &variant);
    if (kind == STEP_KIND_NR || !transformation_of(kind)->search.scaled)
        return;
    if (has_values(kind))
        add_next_sizes(space, kind, best, out);
    else
        add_next_values(space, kind, best, out);
}
