/* What is not tried, and why: plans that rules or legality refuse, and those that do the
 * same as another. */
#include <stdlib.h>
#include <string.h>

#include "search/session/session.h"

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

int session_legal(struct session *session, const struct choice *choice, struct error *err)
{
    struct error reason = {0};
    char *plan = choice_text(choice);
    int status = session->subject->check(session->subject->data, plan, &reason);
    if (status && (reason.status == STATUS_ILLEGAL || reason.status == STATUS_USAGE))
        session_prune(session, plan, "legality", reason.text);
    free(plan);
    return status ? fail_as(err, &reason) : 0;
}

bool session_remedied(struct session *session, struct choice *choice)
{
    enum { REMEDIES_MAX = 4 };
    struct choice tried = *choice;
    for (size_t i = 0; i < REMEDIES_MAX; i++) {
        struct error refusal = {0};
        struct choice next;
        if (!session_legal(session, &tried, &refusal)) {
            *choice = tried;
            return true;
        }
        if (!*refusal.remedy ||
            !choice_from_text(refusal.remedy, &tried, &session->view, &next))
            break;
        next.fallback = tried.fallback;
        tried = next;
    }
    return false;
}

double session_rule_factor(const struct session *session, const char *rule)
{
    const struct search_opts *opts = session->opts;
    for (size_t i = 0; i < opts->record_nr; i++)
        if (!strcmp(opts->record[i].rule, rule))
            return opts->record[i].factor;
    return 1;
}

/* Appends "j:64" of a tile, all of a loop without its size. Returns what follows. */
static const char *add_tile(const struct session *session, const char *at,
                            struct buf *out)
{
    const char *colon = at + strcspn(at, ":,)");
    if (*colon != ':') {
        buf_add_n(out, at, (size_t)(colon - at));
        return colon;
    }
    char *end, *loop = xasprintf("%.*s", (int)(colon - at), at);
    double size = strtod(colon + 1, &end), trips = nest_most_trips(&session->view, loop);
    bool whole = trips > 0 && size >= trips;
    buf_add_n(out, at, (size_t)((whole ? colon : end) - at));
    free(loop);
    return end;
}

/* The plan, the same for all sizes of a tile that hold all of its loop. */
static char *text_alike(const struct session *session, const char *plan)
{
    static const char step[] = "tile(";
    struct buf out = {0};
    while (*plan) {
        const char *tile = strstr(plan, step);
        bool skewed = tile && tile > plan && tile[-1] == '_';
        const char *next = tile ? tile + strlen(step) : plan + strlen(plan);
        buf_add_n(&out, plan, (size_t)(next - plan));
        for (plan = next; tile && !skewed && *plan && *plan != ')';) {
            plan = add_tile(session, plan, &out);
            if (*plan == ',')
                buf_add_n(&out, plan++, 1);
        }
    }
    return buf_detach(&out);
}

size_t session_find_alike(const struct session *session, const struct choice *choice)
{
    const struct environment plain = {0};
    const struct search_result *result = session->result;
    size_t found = session_find(session, choice);
    if (found < result->measurement_nr)
        return found;
    char *plan = choice_text(choice), *wanted = text_alike(session, plan);
    bool alike = false;
    for (found = strstr(plan, "tile(") ? 0 : found;
         !alike && found < result->measurement_nr; found += !alike) {
        char *other = text_alike(session, result->measurement[found].plan);
        alike = !strcmp(wanted, other) &&
                environments_equal(&result->measurement[found].environment, &plain);
        free(other);
    }
    free(wanted);
    free(plan);
    return found;
}
