/* What guided search does around the rules: constants before them, the audit and going on
 * behind them. */
#include <stdlib.h>
#include <string.h>

#include "search/strategy/guided.h"

static int audit_one(struct guided *guided, size_t i, struct error *err)
{
    struct search_result *result = guided->session->result;
    size_t before = guided->now;
    char *name = xstrdup(result->advice[i].transformation);
    int status = result->advice[i].no_plan    ? 0
                 : !strcmp(name, "hugepages") ? guided_try_huge_pages(guided, err)
                                              : guided_try_plans(guided, name, err);
    if (!status)
        audit_note(guided->session, guided_advice(result, name), before, guided->now);
    free(name);
    return status;
}

/* --audit: what the rules pruned is measured too, after the guided part. What is faster
 * is the winner then. */
static int audit(struct guided *guided, struct error *err)
{
    struct search_result *result = guided->session->result;
    audit_begin(guided->session, guided->now);
    for (size_t i = 0; i < result->advice_nr; i++) {
        if (!audit_wants(&result->advice[i]))
            continue;
        if (session_over(guided->session))
            audit_unreached(guided->session);
        else if (audit_one(guided, i, err))
            return -1;
    }
    return 0;
}

static bool may_go_on(const struct session *session)
{
    return !session->opts->advise_only && !session->result->left.nothing_stopped;
}

static int ask_and_go_on(struct guided *guided, struct error *err)
{
    session_ask_legality(guided->session);
    if (guided_ask_rules(guided, true, err))
        return -1;
    guided_note_pruned(guided);
    if ((guided->session->opts->audit && audit(guided, err)) ||
        (may_go_on(guided->session) && guided_go_on(guided, err)))
        return -1;
    return guided_ask_pages(guided, err);
}

/* The constants first, and once more under what was kept: other loops, other tiles. */
static int search_all(struct guided *guided, struct error *err)
{
    struct session *session = guided->session;
    bool tunable = session->view.tunable_nr > 0 && !session->opts->advise_only;
    if (tunable)
        guided_note_tunables(guided);
    if (tunable && guided_try_tunables(guided, err))
        return -1;
    size_t before = guided->now;
    if (!session->result->measurement[0].has_occupancy)
        guided_set_stop(guided, "the traffic of the kernel is not known, so the rules "
                                "cannot be asked");
    else if (ask_and_go_on(guided, err))
        return -1;
    return tunable && guided->now != before ? guided_try_tunables(guided, err) : 0;
}

int guided_run(struct session *session, struct error *err)
{
    struct guided guided = {.session = session};
    int status = search_all(&guided, err);
    guided_withdraw(session->result);
    rule_verdicts_release(&guided.verdicts);
    strvec_release(&guided.tried);
    return status;
}
