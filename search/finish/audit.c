/* --audit: what the rules had discarded, and what that cost. */
#include <stdlib.h>
#include <string.h>

#include "search/finish/close.h"
#include "search/finish/finish.h"

bool audit_wants(const struct advice *advice)
{
    return (advice->verdict != VERDICT_TRY && !advice->outcome) || advice->no_plan;
}

void audit_begin(struct session *session, size_t best)
{
    session->result->audit.before = session->result->audit.after = best;
    session->result->audit.cost = quantity_unknown();
}

/* Huge pages are no part of a plan: faster with them is faster, but not another winner.
 */
static bool pages_pay(const struct advice *advice)
{
    return !strcmp(advice->transformation, "hugepages") &&
           advice->measured_speedup.known && advice->measured_speedup.low > 1 &&
           advice->measured_speedup.value >= SESSION_MIN_GAIN;
}

void audit_note(struct session *session, const struct advice *advice, size_t before,
                size_t after)
{
    struct search_audit *audit = &session->result->audit;
    bool ran = advice->tried_plan != NULL,
         wrong = after != before || (ran && pages_pay(advice));
    GROW(audit->item, audit->nr + 1, audit->alloc);
    audit->item[audit->nr++] =
        (struct audited){.transformation = xstrdup(advice->transformation),
                         .rule = xstrdup(advice->rule ? advice->rule : ""),
                         .plan = ran ? xstrdup(advice->tried_plan) : NULL,
                         .gain = advice->measured_speedup,
                         .wrong = wrong};
    audit->measured_nr += ran;
    audit->no_plan_nr += !ran;
    audit->wrong_nr += wrong;
    audit->after = after;
}

void audit_unreached(struct session *session)
{
    session->result->audit.unreached_nr++;
}

static bool is_plan(const struct audited *item)
{
    return strcmp(item->transformation, "hugepages") != 0;
}

/* Measured again the winner was none, or no faster than the one without the audit. */
static void take_back(struct search_audit *audit)
{
    for (size_t i = 0; i < audit->nr; i++) {
        audit->wrong_nr -= audit->item[i].wrong && is_plan(&audit->item[i]);
        audit->item[i].wrong = audit->item[i].wrong && !is_plan(&audit->item[i]);
    }
    audit->after = audit->before;
}

int audit_close(struct session *session, struct error *err)
{
    struct search_result *result = session->result;
    struct search_audit *audit = &result->audit;
    if (!audit->measured_nr)
        return 0;
    if (audit->after != audit->before && result->best != audit->after)
        take_back(audit);
    audit->cost = audit->wrong_nr && audit->after == audit->before
                      ? result->environment_gain
                      : quantity_exact(1, PROVENANCE_CLOCK);
    if (audit->after == audit->before)
        return 0;
    if (audit->before == 0) {
        audit->cost = result->source_gain;
        return 0;
    }
    if (!session_affords(session, pace_comparison_s(&session->pace, PACE_MIN_S),
                         "what the wrongly discarded cost")) {
        audit->cost = quantity_unknown();
        return 0;
    }
    session_say(session, "comparing the winners without and with the audit");
    return session_compare(session, audit->before, audit->after,
                           session_closing_s(session, 1), &audit->cost, err);
}

static bool named_before(const struct search_audit *audit, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (audit->item[k].wrong && !strcmp(audit->item[k].rule, audit->item[i].rule))
            return true;
    return false;
}

static void add_rules(const struct search_audit *audit, struct buf *out)
{
    const char *before = " by rule ";
    for (size_t i = 0; i < audit->nr; i++) {
        if (!audit->item[i].wrong || named_before(audit, i))
            continue;
        buf_addf(out, "%s%s", before, audit->item[i].rule);
        before = ", ";
    }
    if (audit->cost.known) {
        buf_add(out, ": that would have cost ");
        buf_add_ratio(out, audit->cost);
        buf_add(out, ", and is kept");
    } else {
        buf_add(out, ": what that would have cost was not compared to the end");
    }
}

static const char *plural(size_t nr)
{
    return nr == 1 ? "" : "s";
}

char *audit_text(const struct search_audit *audit)
{
    struct buf out = {0};
    if (!audit->nr && !audit->unreached_nr)
        return NULL;
    buf_addf(&out, "audit: %zu pruned transformation%s measured, ", audit->measured_nr,
             plural(audit->measured_nr));
    if (audit->wrong_nr)
        buf_addf(&out, "%zu wrongly discarded", audit->wrong_nr);
    else
        buf_add(&out, "none wrongly discarded");
    if (audit->wrong_nr)
        add_rules(audit, &out);
    if (audit->no_plan_nr)
        buf_addf(&out, "; %zu had no plan that could be measured", audit->no_plan_nr);
    if (audit->unreached_nr)
        buf_addf(&out, "; %zu not reached within the budget", audit->unreached_nr);
    buf_add(&out, ".");
    return buf_detach(&out);
}

void audit_release(struct search_audit *audit)
{
    for (size_t i = 0; i < audit->nr; i++) {
        free(audit->item[i].transformation);
        free(audit->item[i].rule);
        free(audit->item[i].plan);
    }
    free(audit->item);
    *audit = (struct search_audit){0};
}
