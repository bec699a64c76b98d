/* The stop certificate: what bound on the remaining gain the evidence allows. */
#include "search/finish/headroom.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/machine.h"

/* Plans that gained nothing, after which a reached limit is believed. */
enum { HEADROOM_TRIES = 8 };

const char *headroom_word(enum headroom_verdict verdict)
{
    static const char *const words[] = {
#define X(name, word) [HEADROOM_##name] = word,
        HEADROOM_MAP(X)
#undef X
    };
    return words[verdict];
}

bool headroom_is_firm(const struct occupancy_headroom *bound)
{
    const double worth_having = 1.05;
    return (bound->same_by_chains && bound->min_by_chains) ||
           (bound->min.known && bound->min.high < worth_having);
}

/* ---- what a call cannot do without ---- */

/* Which elements are met is decided by data, so not each line may be. */
static bool is_irregular(const struct kernel_view *view, size_t array)
{
    for (size_t i = 0; i < view->access_nr; i++)
        if (view->access[i].array == (int)array &&
            (view->access[i].access_class == ACCESS_INDIRECT ||
             view->access[i].access_class == ACCESS_IRREGULAR))
            return true;
    return false;
}

static bool any_irregular(const struct kernel_view *view)
{
    for (size_t i = 0; i < view->array_nr; i++)
        if (is_irregular(view, i))
            return true;
    return false;
}

/* No more than the data holds, and no more than moves today. */
static struct quantity once(double data_bytes, struct quantity moved, bool irregular)
{
    struct quantity bytes = moved;
    if (!moved.known)
        return moved;
    if (data_bytes >= 0) {
        bytes.value = fmin(bytes.value, data_bytes);
        bytes.low = fmin(bytes.low, data_bytes);
        bytes.high = fmin(bytes.high, data_bytes);
    }
    if (irregular || data_bytes < 0)
        bytes.low = 0;
    return bytes;
}

static struct quantity part_bytes(const struct kernel_view *view,
                                  const struct traffic *traffic, size_t i)
{
    const struct kernel_array *array = &view->array[i];
    const struct traffic_part *part = &traffic->array[i];
    int last = traffic->level_nr - 1;
    bool irregular = is_irregular(view, i);
    struct quantity in = quantity_scale(part->fills[last], traffic->line_bytes),
                    out = quantity_scale(
                        quantity_add(part->writebacks[last], part->nontemporal_lines),
                        traffic->line_bytes);
    struct quantity none = quantity_exact(0, traffic->provenance);
    return quantity_add(array->read ? once(array->bytes, in, irregular) : none,
                        array->written ? once(array->bytes, out, irregular) : none);
}

static bool told_by_array(const struct kernel_view *view, const struct traffic *traffic)
{
    if (!view->array_nr || traffic->array_nr < view->array_nr)
        return false;
    for (size_t i = 0; i < view->array_nr; i++)
        if (!traffic->array[i].name ||
            strcmp(traffic->array[i].name, view->array[i].name))
            return false;
    return true;
}

/* -1 = not known of one of them. */
static double data_bytes(const struct kernel_view *view, bool written)
{
    double bytes = 0;
    for (size_t i = 0; i < view->array_nr; i++) {
        const struct kernel_array *array = &view->array[i];
        if (!(written ? array->written : array->read))
            continue;
        if (array->bytes < 0)
            return -1;
        bytes += array->bytes;
    }
    return bytes;
}

struct quantity headroom_needed_bytes(const struct kernel_view *view,
                                      const struct traffic *traffic, double cache_bytes)
{
    struct quantity sum = quantity_exact(0, traffic->provenance);
    if (told_by_array(view, traffic)) {
        for (size_t i = 0; i < view->array_nr; i++)
            sum = quantity_add(sum, part_bytes(view, traffic, i));
    } else {
        bool irregular = any_irregular(view);
        sum = quantity_add(
            once(data_bytes(view, false), traffic_read_bytes(traffic), irregular),
            once(data_bytes(view, true), traffic_write_bytes(traffic), irregular));
    }
    if (sum.known)
        sum.low = fmax(sum.low - cache_bytes, 0);
    return sum;
}

/* Of the largest level, for one copy. */
static double cache_bytes(const struct machine *machine, int cores)
{
    double max = 0;
    for (int i = 0; i < machine->level_nr; i++) {
        const struct machine_level *level = &machine->level[i];
        int sharing = level->cores_sharing < cores ? level->cores_sharing : cores;
        double bytes = level->claimed_bytes / (sharing > 1 ? sharing : 1);
        max = fmax(max, fmax(bytes, machine_share_max_bytes(machine, i)));
    }
    return max;
}

static double flop_ratio(const struct kernel_view *view, const struct machine *machine)
{
    struct quantity wide = machine->flops_double.fma, narrow = machine->flops_single.fma;
    for (size_t i = 0; i < view->array_nr; i++)
        if (view->array[i].is_float && view->array[i].element_bytes < sizeof(double))
            return wide.known && narrow.known ? fmax(narrow.value / wide.value, 1) : 2;
    return 1;
}

struct occupancy_need headroom_need(const struct kernel_view *view,
                                    const struct measurement *of,
                                    const struct machine *machine, int cores)
{
    struct quantity gbs = of->occupancy.resource[RESOURCE_MEMORY].limit;
    if (gbs.known && machine->node_read_gbs.known)
        gbs.high = fmax(gbs.high, machine->node_read_gbs.high);
    return (struct occupancy_need){
        .memory_bytes = quantity_scale(
            headroom_needed_bytes(view, &of->traffic, cache_bytes(machine, cores)),
            cores),
        .memory_gbs = gbs,
        .flop_ratio = flop_ratio(view, machine)};
}

/* ---- the verdict ---- */

enum headroom_verdict headroom_judge(const struct occupancy_headroom *bound)
{
    if (bound->min.known && bound->min.high < SESSION_MIN_GAIN)
        return HEADROOM_NOTHING;
    if (bound->reached)
        return HEADROOM_REACHED;
    return bound->same.known || bound->min.known ? HEADROOM_SOME : HEADROOM_UNKNOWN;
}

static const char *set_by(enum resource resource, bool chains)
{
    return chains ? "the chain of addresses (each must be loaded before the next is "
                    "known)"
                  : resource_phrase(resource);
}

static void add_same(const struct occupancy_headroom *bound, struct buf *out)
{
    if (!bound->same.known)
        return;
    buf_add(out, "Without less work, such as less traffic, at most ");
    buf_add_ratio(out, bound->same);
    buf_addf(out, " more: %s sets that limit. ",
             set_by(bound->same_by, bound->same_by_chains));
}

static void add_min(const struct occupancy_headroom *bound, struct buf *out)
{
    if (!bound->min.known)
        return;
    if (bound->min_by_chains && bound->same_by_chains) {
        buf_add(out, "No plan breaks the order of a chain. ");
        return;
    }
    buf_addf(out, "With every cache line moved once and all arithmetic in full vectors "
                  "at most ");
    buf_add_ratio(out, bound->min);
    buf_addf(out, ", set by %s. ", set_by(bound->min_by, bound->min_by_chains));
}

static void add_helpless(const struct search_headroom *left, struct buf *out)
{
    const struct occupancy_headroom *bound = &left->bound;
    bool same = bound->same.known;
    buf_addf(out, "Nothing here helps this kernel: %zu tr%s gained nothing, and %s ",
             left->tries, left->tries == 1 ? "y" : "ies",
             same ? set_by(bound->same_by, bound->same_by_chains)
                  : set_by(bound->min_by, bound->min_by_chains));
    buf_add(out, left->verdict == HEADROOM_NOTHING || bound->same_by_chains
                     ? "is at its limit. "
                     : "is at its limit as far as can be told. ");
}

char *headroom_text(const struct search_headroom *left)
{
    const struct occupancy_headroom *bound = &left->bound;
    struct buf out = {0};
    if (left->helpless)
        add_helpless(left, &out);
    if (left->verdict == HEADROOM_NOTHING && !left->helpless)
        buf_add(&out, "Nothing is left beyond the noise. ");
    add_same(bound, &out);
    add_min(bound, &out);
    if (!bound->same.known && !bound->min.known)
        buf_add(&out, "How much is left is not known. ");
    if (left->reason)
        buf_addf(&out, "%s ", left->reason);
    if (bound->same.known || bound->min.known)
        buf_add(&out, "Assumed: this machine, compiler and page size, the same data and "
                      "the same arithmetic.");
    return buf_detach(&out);
}

/* ---- of a session ---- */

static char *why_unbound(const struct measurement *best)
{
    bool caches = best->occupancy.by_queues == CAUSE_CORE;
    if (caches)
        return xstrdup("What limits a loop that lives in the caches is not among the "
                       "counted resources, so the present work gives no bound.");
    return xstrdup("Neither the bytes that must move nor the arithmetic of the call can "
                   "be told, so the least work gives no bound.");
}

/* Bounds, verdict and reason for an explained measurement. */
static void left_of(const struct kernel_view *view, const struct measurement *of,
                    const struct machine *machine, int cores,
                    struct search_headroom *left)
{
    struct occupancy_need need = headroom_need(view, of, machine, cores);
    left->bound = occupancy_headroom(&of->occupancy, of->time_s, &need);
    if (!left->bound.same.known || !left->bound.min.known)
        left->reason = why_unbound(of);
    left->verdict = headroom_judge(&left->bound);
}

/* The winner's own traffic is not known: what every plan needs is that of the kernel as
 * written, less the gain that is there already. */
static void left_of_baseline(struct session *session, struct search_headroom *left)
{
    const struct search_result *result = session->result;
    const struct search_subject *subject = session->subject;
    struct quantity gain = result->source_gain;
    left_of(&session->view, &result->measurement[0], subject->machine, subject->cores,
            left);
    struct occupancy_headroom *bound = &left->bound;
    *bound = (struct occupancy_headroom){.same = quantity_unknown(),
                                         .min = quantity_divide(bound->min, gain),
                                         .same_by = RESOURCE_NONE,
                                         .min_by = bound->min_by,
                                         .min_by_chains = bound->min_by_chains};
    if (bound->min.known) {
        bound->min.value = fmax(bound->min.value, 1);
        bound->min.low = fmax(bound->min.low, 1);
        bound->min.high = fmax(bound->min.high, 1);
    }
    left->verdict = headroom_judge(bound);
    free(left->reason);
    left->reason = xstrdup("The traffic of the best plan is not known: only what every "
                           "plan needs bounds it, by the kernel as written.");
}

static int explain_best(struct session *session, struct error *err)
{
    struct search_result *result = session->result;
    size_t best = result->best;
    bool right;
    if (result->measurement[best].has_occupancy || session->opts->advise_only ||
        spawn_interrupted())
        return 0;
    session_say(session, "explaining the best plan");
    if (session_explain(session, best, &right, err))
        return -1;
    if (right || spawn_interrupted())
        return 0;
    result->best = 0; /* it failed in the longer run */
    result->source_gain = quantity_exact(1, PROVENANCE_CLOCK);
    return 0;
}

static size_t tries_of(const struct session *session)
{
    size_t tries = 0;
    for (size_t i = 1; i < session->result->measurement_nr; i++)
        tries += !session->result->measurement[i].environment.huge_pages &&
                 session->result->measurement[i].outcome != RUN_OUTCOME_INTERRUPTED;
    return tries;
}

/* Advised, and the search did not come to it, or found no legal plan; of plans it does
 * not count where the search ended because they may gain nothing. */
static bool any_untried(const struct search_result *result)
{
    for (size_t i = 0; i < result->advice_nr; i++) {
        const struct advice *advice = &result->advice[i];
        const struct rule_transformation *row =
            transformation_find(advice->transformation);
        bool bounded = advice->verdict == VERDICT_TRY && row && row->in_plan &&
                       (result->left.nothing_stopped || result->left.reached_stopped);
        if ((advice->verdict == VERDICT_TRY || advice->verdict == VERDICT_ALLOW) &&
            !advice->tried_plan && !advice->no_plan && !bounded)
            return true;
    }
    return false;
}

static bool is_helpless(const struct session *session, const struct search_headroom *left)
{
    const struct search_result *result = session->result;
    bool pages_help = result->environment_gain.known && result->environment_gain.low > 1;
    return result->best == 0 && result->advice_nr && !result->interrupted &&
           !session->opts->advise_only && !pages_help && !result->best_total &&
           (left->verdict == HEADROOM_NOTHING ||
            (left->verdict == HEADROOM_REACHED && headroom_is_firm(&left->bound))) &&
           !any_untried(result);
}

int session_headroom(struct session *session, struct error *err)
{
    struct search_result *result = session->result;
    struct search_headroom *left = &result->left;
    if (explain_best(session, err))
        return -1;
    left->tries = tries_of(session);
    if (result->measurement[result->best].has_occupancy)
        left_of(&session->view, &result->measurement[result->best],
                session->subject->machine, session->subject->cores, left);
    else if (result->measurement[0].has_occupancy)
        left_of_baseline(session, left);
    else
        left->reason = xstrdup("How much the kernel moves is not known.");
    left->helpless = is_helpless(session, left);
    left->sentence = headroom_text(left);
    result->headroom_bound = left->bound.same;
    result->headroom_resource = left->bound.same_by;
    return 0;
}

/* What is left for measurement i; its reason is not asked for. */
static struct search_headroom left_now(const struct session *session, size_t i)
{
    struct search_headroom left = {0};
    left_of(&session->view, &session->result->measurement[i], session->subject->machine,
            session->subject->cores, &left);
    free(left.reason);
    left.reason = NULL;
    return left;
}

/* In how many tries nothing was gained over i. */
static size_t tries_over(const struct session *session, size_t i)
{
    return session->result->measurement_nr - i - 1;
}

bool session_reached(const struct session *session, size_t i, struct quantity promised)
{
    bool may_be_nothing = !promised.known || promised.low < SESSION_MIN_GAIN;
    return session->result->measurement[i].has_occupancy && may_be_nothing &&
           tries_over(session, i) >= HEADROOM_TRIES &&
           left_now(session, i).verdict == HEADROOM_REACHED;
}

char *session_no_headroom(const struct session *session, size_t i)
{
    if (!session->result->measurement[i].has_occupancy)
        return NULL;
    struct search_headroom left = left_now(session, i);
    if (left.verdict == HEADROOM_NOTHING)
        return xstrdup("what the evidence still allows is within the noise");
    size_t tries = tries_over(session, i);
    if (left.verdict != HEADROOM_REACHED || tries < HEADROOM_TRIES ||
        !headroom_is_firm(&left.bound))
        return NULL;
    return xasprintf("%zu tries gained nothing, and %s is at its limit as far as can be "
                     "told",
                     tries, set_by(left.bound.same_by, left.bound.same_by_chains));
}

/* By first runs, which scatter by more than a gain worth the name. */
static bool any_faster(const struct session *session, size_t i)
{
    const struct search_result *result = session->result;
    for (size_t k = i + 1; k < result->measurement_nr; k++)
        if (session_timed(session, k) && !result->measurement[k].environment.huge_pages &&
            result->measurement[k].time_s.value * SESSION_MIN_GAIN <
                result->measurement[i].time_s.value)
            return true;
    return false;
}

bool session_enough(const struct session *session, size_t i)
{
    if (!session->judged || any_faster(session, i))
        return false;
    char *why = session_no_headroom(session, i);
    bool enough = why || session_reached(session, i, session->promised);
    free(why);
    return enough;
}

void headroom_release(struct search_headroom *left)
{
    free(left->reason);
    free(left->sentence);
    *left = (struct search_headroom){0};
}
