/* Strategies that know nothing of the rules, so that guidance can be judged: the grid in
 * order, and in random order. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "search/propose.h"
#include "search/session.h"

/* ---- the grid: order x tile x unroll-and-jam x simd x prefetch ---- */

static void extend(const struct session *session, const char *transformation,
                   struct choices *list)
{
    size_t nr = list->nr;
    for (size_t i = 0; i < nr; i++) {
        struct choice now = list->item[i];
        struct buf why_not = {0};
        struct propose about = {.nest = &session->nest,
                                .machine = session->subject->machine,
                                .now = &now,
                                .latency_ns = 100,
                                .exhaustive = true};
        propose(&about, transformation, list, &why_not);
        buf_release(&why_not);
    }
}

static void grid_all(const struct session *session, struct choices *all)
{
    static const char *const stage[] = {"interchange", "tile",        "unroll_jam",
                                        "simd",        "prefetch_l1", "prefetch_l2"};
    struct choice none = {0};
    choices_add(all, &none);
    for (size_t i = 0; i < ARRAY_SIZE(stage); i++)
        extend(session, stage[i], all);
    /* the kernel as written is no plan */
    memmove(all->item, all->item + 1, --all->nr * sizeof(*all->item));
}

static int no_legal_plan(struct error *err)
{
    return fail(err, STATUS_FAILED, "the grid holds no legal plan for this kernel");
}

int grid_choices(struct session *session, struct choices *out, struct error *err)
{
    struct choices all = {0};
    grid_all(session, &all);
    for (size_t i = 0; i < all.nr && !spawn_interrupted(); i++)
        if (session_legal(session, &all.item[i], NULL) == 0)
            choices_add(out, &all.item[i]);
    choices_release(&all);
    return out->nr ? 0 : no_legal_plan(err);
}

/* splitmix64: S. Vigna's public-domain generator, constants as published. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void shuffle(struct choices *list, uint64_t seed)
{
    for (size_t i = list->nr; i > 1; i--) {
        size_t j = next_random(&seed) % i;
        struct choice one = list->item[i - 1];
        list->item[i - 1] = list->item[j];
        list->item[j] = one;
    }
}

static int confirm_best(struct session *session, size_t best, struct error *err)
{
    struct search_result *result = session->result;
    struct quantity ratio = quantity_unknown();
    struct choice choice = session->choice[best];
    if (best == 0 || spawn_interrupted())
        return 0;
    if (session_compare(session, 0, best, 8, &ratio, err))
        return -1;
    if (!ratio.known || ratio.low <= 1 || ratio.value < SESSION_LEAST_GAIN)
        return 0;
    if (session_measure(session, &choice, false, MEASURE_EXPLAIN, 0, &best, err))
        return -1;
    if (session_timed(session, best))
        result->best = best;
    return 0;
}

/* Legality is asked when a plan's turn comes: the whole grid would take longer than most
 * budgets. */
static int run_list(struct session *session, const struct choices *list,
                    struct error *err)
{
    struct search_result *result = session->result;
    size_t best = 0, legal = 0, i = 0;
    for (; i < list->nr && !session_over(session); i++) {
        size_t index = 0;
        if (session_legal(session, &list->item[i], NULL))
            continue;
        legal++;
        session_say(session, "variant %zu of %zu", i + 1, list->nr);
        if (session_measure(session, &list->item[i], false, MEASURE_QUICK, 0, &index,
                            err))
            return -1;
        if (session_timed(session, index) && result->measurement[index].time_s.value <
                                                 result->measurement[best].time_s.value)
            best = index;
    }
    if (i == list->nr && legal == 0)
        return no_legal_plan(err);
    result->space_size = i == list->nr ? (double)legal : -1;
    free(result->stop);
    result->stop =
        i == list->nr
            ? xasprintf("all %zu legal variants of the grid were measured", legal)
            : xasprintf("the budget ended after %zu of the grid's %zu variants", i,
                        list->nr);
    return confirm_best(session, best, err);
}

static int run_grid(struct session *session, bool shuffled, struct error *err)
{
    struct choices list = {0};
    grid_all(session, &list);
    if (shuffled)
        shuffle(&list, session->opts->seed ? session->opts->seed : 1);
    int status = run_list(session, &list, err);
    choices_release(&list);
    return status;
}

int exhaustive_run(struct session *session, struct error *err)
{
    return run_grid(session, false, err);
}

int random_run(struct session *session, struct error *err)
{
    return run_grid(session, true, err);
}
