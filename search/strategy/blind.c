/* Strategies that know nothing of the rules, so that guidance can be judged: the grid in
 * order, and in random order. */
#include "search/strategy/blind.h"

#include <stdlib.h>

#include "core/base/random.h"
#include "search/session/prebuild.h"
#include "search/session/race.h"
#include "search/strategy/grid.h"

/* ---- the plans ---- */

static int is_legal(void *data, const struct choice *choice)
{
    return session_legal(data, choice, NULL);
}

/* The kernel as written comes first; it is no plan of the grid. */
static void all_plans(struct session *session, struct choices *all)
{
    const struct grid_check check = {is_legal, session};
    const struct choice none = {0};
    if (!session->has_space) {
        grid_make(&session->nest, &check, all);
        return;
    }
    choices_add(all, &none);
    for (size_t i = 0; i < session->space.nr; i++)
        choices_add(all, &session->space.item[i]);
}

int blind_nothing_legal(struct error *err)
{
    return fail(err, STATUS_FAILED, "the grid holds no legal plan for this kernel");
}

int grid_choices(struct session *session, struct choices *out, struct error *err)
{
    struct choices all = {0};
    all_plans(session, &all);
    for (size_t i = 1; i < all.nr && !spawn_interrupted(); i++)
        if (session_legal(session, &all.item[i], NULL) == 0)
            choices_add(out, &all.item[i]);
    choices_release(&all);
    return out->nr ? 0 : blind_nothing_legal(err);
}

static void shuffle(struct space *space, uint64_t seed)
{
    for (size_t i = space->nr; i > 1; i--) {
        size_t j = random_next(&seed) % i;
        size_t one = space->order[i - 1];
        space->order[i - 1] = space->order[j];
        space->order[j] = one;
    }
}

/* Beyond, the list of all variants would not fit into any memory. */
static const double VARIANTS_MAX = 1e8;

static int too_many(const struct space *space, struct error *err)
{
    return fail(err, STATUS_USAGE,
                "%s%zu combinations of tunables with %zu plans are too many to list; "
                "name fewer values, add a constraint, or take --strategy guided",
                space->tunings.all ? "" : "more than ", space->tunings.nr,
                space->plans.nr + 1);
}

int space_open(struct session *session, struct space *space, struct error *err)
{
    *space = (struct space){0};
    all_plans(session, &space->plans);
    combinations_find(&session->view, &space->tunings);
    double all = (double)space->plans.nr * (double)space->tunings.nr;
    if (!space->tunings.all || all > VARIANTS_MAX)
        return too_many(space, err);
    space->nr = (size_t)all - 1;
    space->order = xcalloc(space->nr + 1, sizeof(*space->order));
    for (size_t i = 0; i < space->nr; i++)
        space->order[i] = i + 1;
    return 0;
}

void space_close(struct space *space)
{
    choices_release(&space->plans);
    combinations_release(&space->tunings);
    free(space->order);
}

struct choice space_variant(const struct session *session, const struct space *space,
                            size_t variant)
{
    struct choice choice = space->plans.item[variant / space->tunings.nr];
    choice_take(&session->view,
                space->tunings.value + variant % space->tunings.nr * space->tunings.width,
                &choice);
    return choice;
}

void space_say(const struct session *session, const struct space *space)
{
    if (session->view.tunable_nr)
        session_say(session,
                    "the space: %zu combinations of tunables, %zu plans, %zu variants "
                    "before legality",
                    space->tunings.nr, space->plans.nr, space->nr);
    else
        session_say(session, "the space: %zu plans before legality", space->nr);
}

/* ---- who was fastest ---- */

/* The fastest of many noisy times owes it to luck in part: those that can be it are
 * compared, and the fastest of them with the kernel as written. */
int blind_confirm(struct session *session, struct error *err)
{
    struct search_result *result = session->result;
    double end_s = session_now_s(session) + 2 * session_closing_s(session, 2);
    struct quantity gain;
    size_t best = 0;
    session_say(session, "comparing those that can be the fastest");
    if (race_remeasure(session, end_s, &best, &gain, err))
        return -1;
    result->best = best;
    return 0;
}

struct listed {
    const struct session *session;
    const struct space *list;
};

static struct choice listed_at(void *data, size_t i)
{
    const struct listed *listed = data;
    return space_variant(listed->session, listed->list, listed->list->order[i]);
}

/* Here, or by whoever measures; *legal: it is measured. */
static int measure_legal(struct session *session, const struct choice *choice,
                         bool *legal, struct error *err)
{
    size_t index = 0;
    struct error reason = {0};
    *legal = session->runner->asks_legality || session_legal(session, choice, NULL) == 0;
    if (!*legal ||
        session_measure(session, choice, false, MEASURE_QUICK, 0, &index, &reason) == 0)
        return 0;
    *legal = !session_note_illegal(session, choice, &reason);
    return *legal ? fail_as(err, &reason) : 0;
}

/* Legality is asked when a plan's turn comes: the whole grid would take longer than most
 * budgets. */
static int run_list(struct session *session, const struct space *list, struct error *err)
{
    struct search_result *result = session->result;
    struct listed listed = {session, list};
    struct ahead_list ahead = {
        .data = &listed, .at = listed_at, .nr = list->nr, .unasked = true};
    size_t legal = 0, i = 0;
    for (; i < list->nr && !session_over(session); i++) {
        bool counts = false;
        struct choice choice = space_variant(session, list, list->order[i]);
        if (session_prebuild(session, &ahead, i, err))
            return -1;
        session_say(session, "variant %zu of %zu", i + 1, list->nr);
        if (measure_legal(session, &choice, &counts, err))
            return -1;
        legal += counts;
    }
    if (i == list->nr && legal == 0)
        return blind_nothing_legal(err);
    result->space_size = i == list->nr ? (double)legal : -1;
    free(result->stop);
    result->used_up = i < list->nr;
    result->stop =
        i == list->nr
            ? xasprintf("all %zu legal variants of the grid were measured", legal)
            : xasprintf("%s ended after %zu of the grid's %zu variants",
                        session_end_of(session), i, list->nr);
    session_no_more(session);
    return blind_confirm(session, err);
}

static int run_grid(struct session *session, bool shuffled, struct error *err)
{
    struct space list;
    int status = space_open(session, &list, err);
    if (!status) {
        space_say(session, &list);
        if (shuffled)
            shuffle(&list, session->opts->seed ? session->opts->seed : 1);
        status = run_list(session, &list, err);
    }
    space_close(&list);
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
