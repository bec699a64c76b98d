#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "search/finish/close.h"
#include "search/finish/headroom.h"
#include "search/strategy/blind.h"
#include "search/strategy/guided.h"
#include "search/strategy/pool.h"
#include "search/strategy/strategy.h"

static const struct strategy {
    struct search_strategy public;
    int (*run)(struct session *session, struct error *err);
} strategies[] = {
    {{"guided", "measure, ask the rules, try the most promising (default)"}, guided_run},
    {{"exhaustive", "every plan of the grid, in order, as far as the budget goes"},
     exhaustive_run},
    {{"random", "plans of the grid in random order"}, random_run},
    {{"local",
      "hill climbing over the grid: from plan to better neighbour, with restarts"},
     local_run},
    {{"population", "a genetic algorithm over the grid"}, population_run},
};

const struct search_strategy *search_strategies(size_t *nr)
{
    static struct search_strategy list[ARRAY_SIZE(strategies)];
    for (size_t i = 0; i < ARRAY_SIZE(strategies); i++)
        list[i] = strategies[i].public;
    *nr = ARRAY_SIZE(strategies);
    return list;
}

static const struct strategy *find_strategy(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(strategies); i++)
        if (!name || !strcmp(strategies[i].public.name, name))
            return &strategies[i];
    return NULL;
}

static int unknown_strategy(const char *name, struct error *err)
{
    struct buf known = {0};
    for (size_t i = 0; i < ARRAY_SIZE(strategies); i++)
        buf_addf(&known, "%s%s", i ? ", " : "", strategies[i].public.name);
    fail(err, STATUS_USAGE, "there is no strategy '%s'; known are %s", name,
         buf_str(&known));
    buf_release(&known);
    return -1;
}

int search_run(const struct search_subject *subject, const struct search_runner *runner,
               const struct search_observer *observer, const struct search_opts *opts,
               struct search_result *result, struct error *err)
{
    struct session session = {.subject = subject,
                              .runner = runner,
                              .observer = observer,
                              .opts = opts,
                              .result = result};
    const struct strategy *strategy = find_strategy(opts->strategy);
    if (!strategy)
        return unknown_strategy(opts->strategy, err);
    int status = session_start(&session, err);
    if (!status)
        status = session_baseline(&session, err);
    if (!status)
        status = strategy->run(&session, err);
    session_no_more(&session);
    if (!status)
        status = session_close(&session, err);
    if (!status)
        guided_remeasure(result);
    session_release(&session);
    return status;
}

int search_grid(const struct search_subject *subject, struct strvec *plans,
                struct error *err)
{
    struct search_result result = {0};
    struct search_opts opts = {0};
    struct session session = {.subject = subject, .opts = &opts, .result = &result};
    struct choices list = {0};
    session.view = subject->view(subject->data);
    nest_find(&session.view, &session.nest);
    int status = grid_choices(&session, &list, err);
    for (size_t i = 0; i < list.nr; i++) {
        char *plan = choice_text(&list.item[i]);
        strvec_push(plans, plan);
        free(plan);
    }
    choices_release(&list);
    search_result_release(&result);
    return status;
}

static void advice_release(struct advice *advice)
{
    free(advice->transformation);
    free(advice->rule);
    free(advice->reason);
    free(advice->source);
    free(advice->tried_plan);
    free(advice->plan);
    free(advice->outcome);
}

void search_result_release(struct search_result *result)
{
    for (size_t i = 0; i < result->measurement_nr; i++)
        measurement_release(&result->measurement[i]);
    for (size_t i = 0; i < result->advice_nr; i++)
        advice_release(&result->advice[i]);
    for (size_t i = 0; i < result->pruned_nr; i++) {
        free(result->pruned[i].plan);
        free(result->pruned[i].rule);
        free(result->pruned[i].reason);
    }
    for (size_t i = 0; i < result->environment_nr; i++) {
        free(result->environment[i].plan);
        free(result->environment[i].outcome);
    }
    headroom_release(&result->left);
    strvec_release(&result->left_out);
    audit_release(&result->audit);
    free(result->environment);
    free(result->tie);
    free(result->measurement);
    free(result->gain);
    free(result->advice);
    free(result->pruned);
    free(result->stop);
    free(result->first_tried);
    *result = (struct search_result){0};
}
