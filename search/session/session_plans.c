/* What is not tried, and why: plans that rules or legality refuse, and those that do the
 * same as another. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/machine/machine.h"
#include "search/session/engine.h"

void session_prune(struct session *session, const char *plan, const char *rule,
                   const char *reason)
{
    struct search_result *result = session->result;
    for (size_t i = 0; i < result->pruned_nr; i++)
        if (!strcmp(result->pruned[i].plan, plan))
            return;
    GROW(result->pruned, result->pruned_nr + 1, result->pruned_alloc);
    result->pruned[result->pruned_nr++] =
        (struct pruned){xstrdup(plan), xstrdup(rule), xstrdup(reason)};
}

/* The reason alone: its plan is told beside it. */
static const char *behind_plan(const char *reason)
{
    const char *behind =
        !strncmp(reason, "plan '", 6) ? strstr(reason, "' is not legal: ") : NULL;
    return behind ? behind + strlen("' is not legal: ") : reason;
}

const char *session_refusal(const struct session *session, const struct choice *choice)
{
    const struct search_result *result = session->result;
    char *plan = choice_text(choice);
    const char *reason = NULL;
    for (size_t i = 0; i < result->pruned_nr && !reason; i++)
        if (!strcmp(result->pruned[i].plan, plan) &&
            !strcmp(result->pruned[i].rule, "legality"))
            reason = behind_plan(result->pruned[i].reason);
    free(plan);
    return reason;
}

bool session_note_illegal(struct session *session, const struct choice *choice,
                          const struct error *reason)
{
    bool is_about_plan =
        reason->status == STATUS_ILLEGAL || reason->status == STATUS_USAGE;
    char *plan = choice_text(choice);
    if (is_about_plan)
        session_prune(session, plan, "legality", reason->text);
    free(plan);
    return is_about_plan;
}

/* Blocks of a loop that a directive of the user's shares out are what its threads get: no
 * fewer than there are of them, at the sizes that are tuned for. */
static int check_threads(const struct session *session, const struct choice *choice,
                         struct error *err)
{
    for (size_t i = 0; i < session->view.loop_nr; i++) {
        const struct kernel_loop *loop = &session->view.loop[i];
        double threads =
            loop->threads < 0 ? session->subject->machine->cores : (double)loop->threads;
        long tile = choice_size(choice, STEP_TILE, loop->name),
             jam = choice_size(choice, STEP_UNROLL_JAM, loop->name);
        double blocks = ceil(loop->trips / (tile > 0 ? tile : jam > 0 ? jam : 1));
        if (loop->threads && blocks > 0 && blocks < fmin(threads, loop->trips))
            return fail(err, STATUS_ILLEGAL,
                        "%.0f threads share out the loop over '%s' of line %d, of which "
                        "the plan makes %.0f block%s",
                        threads, loop->name, loop->line, blocks, blocks > 1 ? "s" : "");
    }
    return 0;
}

static int check(struct session *session, const struct choice *choice, bool note,
                 struct error *err)
{
    struct error reason = {0};
    char *plan = choice_text(choice);
    int status = session->subject->check(session->subject->data, plan, &reason) ||
                         check_threads(session, choice, &reason)
                     ? -1
                     : 0;
    free(plan);
    if (status && note)
        session_note_illegal(session, choice, &reason);
    return status ? fail_as(err, &reason) : 0;
}

int session_legal(struct session *session, const struct choice *choice, struct error *err)
{
    return check(session, choice, true, err);
}

static bool remedied(struct session *session, struct choice *choice, bool note)
{
    enum { REMEDIES_MAX = 4 };
    struct choice tried = *choice;
    for (size_t i = 0; i < REMEDIES_MAX; i++) {
        struct error refusal = {0};
        struct plan remedy;
        struct choice next;
        if (!check(session, &tried, note, &refusal)) {
            *choice = tried;
            return true;
        }
        if (!*refusal.remedy || plan_read(refusal.remedy, &remedy, NULL) ||
            !choice_from_plan(&remedy, &tried, &session->view, &next))
            break;
        next.fallback = tried.fallback;
        tried = next;
    }
    return false;
}

bool session_remedied(struct session *session, struct choice *choice)
{
    return remedied(session, choice, true);
}

bool session_can_be(struct session *session, struct choice *choice)
{
    return remedied(session, choice, false);
}

double session_rule_factor(const struct session *session, const char *rule)
{
    const struct search_opts *opts = session->opts;
    for (size_t i = 0; i < opts->record_nr; i++)
        if (!strcmp(opts->record[i].rule, rule))
            return opts->record[i].factor;
    return 1;
}

/* The plan, the same for all sizes of a tile that hold all of its loop: these are 0. */
static struct plan plan_alike(const struct session *session, const struct plan *plan)
{
    struct plan alike = *plan;
    for (size_t i = 0; i < alike.step_nr; i++) {
        const struct plan_step *step = alike.step[i];
        struct step_arg arg[CHOICE_LOOPS_MAX];
        if (step->kind != STEP_TILE || step->arg_nr > CHOICE_LOOPS_MAX)
            continue;
        for (size_t k = 0; k < step->arg_nr; k++) {
            double trips = nest_max_trips(&session->view, step->arg[k].name);
            arg[k] = step->arg[k];
            if (trips > 0 && (double)arg[k].value >= trips)
                arg[k].value = 0;
        }
        alike.step[i] = plan_step_with_args(step, arg, step->arg_nr);
    }
    return alike;
}

/* Whoever does the same has the same. */
static size_t first_slot(const struct session *session, const struct plan *alike)
{
    return (size_t)plan_hash(alike) & (session->places.size - 1);
}

static void take_slot(struct session *session, size_t place)
{
    struct plan alike = plan_alike(session, &session->choice[place].plan);
    size_t at = first_slot(session, &alike);
    while (session->places.slot[at])
        at = (at + 1) & (session->places.size - 1);
    session->places.slot[at] = place + 1;
}

void session_add_place(struct session *session)
{
    enum { LEAST = 64 };
    size_t nr = session->result->measurement_nr;
    if (2 * nr <= session->places.size) {
        take_slot(session, nr - 1);
        return;
    }
    session->places.size = LEAST;
    while (session->places.size < 4 * nr)
        session->places.size *= 2;
    free(session->places.slot);
    session->places.slot = xcalloc(session->places.size, sizeof(size_t));
    for (size_t i = 0; i < nr; i++)
        take_slot(session, i);
}

static bool does(const struct session *session, const struct choice *choice,
                 const struct plan *alike)
{
    struct plan what = plan_alike(session, &choice->plan);
    return plans_equal(&what, alike);
}

/* The first that was measured; alike: it does the same, if nothing more. */
static size_t find(const struct session *session, const struct choice *choice,
                   const struct environment *environment, bool alike)
{
    const struct search_result *result = session->result;
    const struct plan wanted = plan_alike(session, &choice->plan);
    size_t at = session->places.size ? first_slot(session, &wanted) : 0, place;
    for (; session->places.size && (place = session->places.slot[at]);
         at = (at + 1) & (session->places.size - 1)) {
        const struct choice *other = &session->choice[place - 1];
        if ((alike ? does(session, other, &wanted) : choice_equal(other, choice)) &&
            environments_equal(&result->measurement[place - 1].environment, environment))
            return place - 1;
    }
    return result->measurement_nr;
}

size_t session_find_in(const struct session *session, const struct choice *choice,
                       const struct environment *environment)
{
    return find(session, choice, environment, false);
}

size_t session_find(const struct session *session, const struct choice *choice)
{
    return session_find_in(session, choice, &(struct environment){0});
}

size_t session_find_alike(const struct session *session, const struct choice *choice)
{
    size_t found = session_find(session, choice);
    return found < session->result->measurement_nr || !plan_has(&choice->plan, STEP_TILE)
               ? found
               : find(session, choice, &(struct environment){0}, true);
}
