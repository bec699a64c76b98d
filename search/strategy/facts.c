/*
 * What the rules are told. The occupancy part comes from core/occupancy under the same
 * names; this file adds what the source's loop model, the traffic and the machine say.
 * What is not known is not set: a rule that asks for it does not speak.
 */
#include "search/strategy/facts.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/machine.h"
#include "core/occupancy/occupancy.h"
#include "rules/rules.h"
#include "search/propose/least.h"
#include "search/propose/propose.h"
#include "search/propose/propose_steps.h"
#include "search/propose/propose_sums.h"
#include "search/propose/reuse.h"
#include "search/propose/uses.h"
#include "variants/kernel/kernel.h"

struct situation {
    const struct session *session;
    const struct nest *nest;
    const struct choice *choice;
    const struct measurement *measurement;
    const struct machine *machine;
    int innermost; /* depth (in the source) of the loop that is innermost under the
                      choice; -1 = none modelled */
    struct rule_facts *facts;
    struct error *err;
    int status;
    bool is_own;                      /* the measurement is that of the choice */
    const struct kernel_loop *unread; /* session_unread_loop() */
};

/* What is unknown is not said. After a failure nothing more is. */
static void say_quantity(struct situation *now, const char *metric,
                         struct quantity value);
static void say_number(struct situation *now, const char *metric, double value);
static void say_yes_no(struct situation *now, const char *metric, bool yes);
static void say_names(struct situation *now, const char *metric, const struct buf *names);
static double data_bytes(const struct situation *now);

/* ---- left ---- */

/* What plans would leave of the work given to each resource. */

/* ---- what a plan would change, by the static estimate ---- */

static struct propose about_now(const struct situation *now)
{
    return (struct propose){.nest = now->nest,
                            .machine = now->machine,
                            .now = now->choice,
                            .latency_ns = 100};
}

/* NaN: nothing is proposed. */
static double lines_left(const struct situation *now, const char *transformation)
{
    struct choices list = {0};
    struct buf why_not = {0};
    struct propose about = about_now(now);
    propose(&about, transformation, &list, &why_not);
    double before = nest_cost_ns(now->nest, now->machine, now->choice), best = before;
    for (size_t i = 0; i < list.nr; i++)
        best = fmin(best, nest_cost_ns(now->nest, now->machine, &list.item[i]));
    bool known = list.nr && before > 0;
    choices_release(&list);
    buf_release(&why_not);
    return known ? best / before : NAN;
}

static void say_ratio(struct situation *now, const char *metric, double ratio)
{
    if (!isnan(ratio))
        say_number(now, metric, ratio);
}

/* A block does as well as any order or tiling of the loops: it is one of both. */
static double block_left(const struct situation *now, double tiled, double ordered)
{
    struct propose about = about_now(now);
    struct sum_block block;
    double before = nest_cost_ns(now->nest, now->machine, now->choice), left = NAN;
    if (sum_block_find(now->nest, &block) && before > 0)
        left = fmin(sum_block_cost_ns(&about, &block) / before, 1);
    return fmin(left, fmin(tiled, ordered));
}

/* What a plan would leave of the work: by the static estimate, and by what was measured.
 */
static void say_ratios(struct situation *now)
{
    if (now->nest->nr < 2)
        return;
    double tiled = lines_left(now, "tile"), ordered = lines_left(now, "interchange");
    say_ratio(now, "tile_traffic_ratio", tiled);
    say_ratio(now, "interchange_traffic_ratio", ordered);
    say_ratio(now, "unroll_jam_traffic_ratio", lines_left(now, "unroll_jam"));
    say_ratio(now, "block_traffic_ratio", block_left(now, tiled, ordered));
}

/* ---- by what was measured ---- */

/* Lines that no store reads any more, of those that came into L1. */
static void say_store_lines(struct situation *now)
{
    const struct kernel_view *view = now->nest->view;
    const struct traffic *traffic = &now->measurement->traffic;
    struct quantity fills = traffic->edge[0].fills, writes = traffic_write_bytes(traffic);
    double only_written = 0, written = 0;
    for (size_t i = 0; i < view->array_nr; i++) {
        double bytes = view->array[i].written ? fmax(view->array[i].bytes, 0) : 0;
        written += bytes;
        only_written += view->array[i].read ? 0 : bytes;
    }
    if (written > 0 && writes.known && fills.known && fills.value > 0)
        say_number(now, "nontemporal_lines_ratio",
                   fmax(1 - writes.value / traffic->line_bytes * only_written / written /
                                fills.value,
                        0));
}

static void say_min(struct situation *now)
{
    const struct measurement *of = now->measurement;
    struct min_ratios min;
    if (!of->has_traffic || !of->has_occupancy)
        return;
    min_ratios(now->nest, now->machine, &of->traffic, &of->occupancy, &of->environment,
               &min);
    const struct {
        const char *metric;
        struct quantity ratio;
    } all[] = {{"l1_least_ratio", min.l1},
               {"l2_least_ratio", min.l2},
               {"l2_link_least_ratio", min.l2_link},
               {"memory_least_ratio", min.memory},
               {"walks_least_ratio", min.walks}};
    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        say_quantity(now, all[i].metric, all[i].ratio);
}

/* Caches of all cores together may hold what those of one cannot. */
static void say_parallel_memory(struct situation *now)
{
    double all = 0;
    for (int k = 0; k < now->machine->level_nr; k++)
        all += now->machine->cores * machine_share_max_bytes(now->machine, k);
    bool fits = data_bytes(now) <= all;
    say_quantity(now, "parallel_memory_ratio",
                 quantity_between(1, fits ? 0 : 1, 1, 0, PROVENANCE_SOURCE));
}

/* What the model of the core found most busy. */
static void say_divisions(struct situation *now)
{
    const struct measurement *of = now->measurement;
    if (of->has_occupancy &&
        (of->occupancy.diagnosis.is_modelled || of->occupancy.diagnosis.is_counted))
        say_yes_no(now, "divides", of->occupancy.diagnosis.divides);
}

static void say_denormals(struct situation *now)
{
    const char *array = now->measurement->denormal;
    struct buf name = {0};
    say_yes_no(now, "denormals", array != NULL);
    buf_add(&name, array ? array : "");
    say_names(now, "denormal_names", &name);
    buf_release(&name);
}

static void say_headroom(struct situation *now)
{
    say_denormals(now);
    say_divisions(now);
    say_store_lines(now);
    say_parallel_memory(now);
    say_min(now);
}

/* ---- facts ---- */

/* What is unknown is not said. After a failure nothing more is. */
static void say_word(struct situation *now, const char *metric, const char *word)
{
    if (!now->status)
        now->status = rule_facts_word(now->facts, metric, word, now->err);
}

static void say_yes_no(struct situation *now, const char *metric, bool yes)
{
    say_word(now, metric, yes ? "yes" : "no");
}

static void say_answer(struct situation *now, const char *metric, enum answer answer)
{
    if (answer != ANSWER_UNKNOWN)
        say_yes_no(now, metric, answer == ANSWER_YES);
}

static void say_quantity(struct situation *now, const char *metric, struct quantity value)
{
    if (!now->status && value.known)
        now->status = rule_facts_number(now->facts, metric, value, now->err);
}

static void say_number(struct situation *now, const char *metric, double value)
{
    say_quantity(now, metric, quantity_exact(value, PROVENANCE_SOURCE));
}

/* Of what is open above only what surely fits is told: no rule is to read a guess. */
static void say_over_share(struct situation *now, const char *metric, double bytes,
                           int level)
{
    struct quantity share = machine_share_bytes(now->machine, level);
    if (share.known && share.low > 0 && (!isinf(share.high) || bytes <= share.low))
        say_quantity(now, metric,
                     quantity_between(bytes / share.value, bytes / share.high,
                                      bytes / share.low, 0, share.provenance));
}

/* ---- the loop nest ---- */

static double element_bytes(const struct situation *now,
                            const struct kernel_access *access)
{
    return (double)now->nest->view->array[access->array].element_bytes;
}

static bool any_access(const struct situation *now,
                       bool (*is)(const struct situation *now,
                                  const struct kernel_access *access))
{
    const struct kernel_view *view = now->nest->view;
    for (size_t i = 0; i < view->access_nr; i++)
        if (nest_holds(now->nest, &view->access[i]) && is(now, &view->access[i]))
            return true;
    return false;
}

static bool is_indirect(const struct situation *now, const struct kernel_access *access)
{
    (void)now;
    return access->access_class == ACCESS_INDIRECT;
}

const struct kernel_loop *session_unread_loop(const struct session *session,
                                              size_t explained)
{
    const struct measurement *of = &session->result->measurement[explained];
    return of->has_occupancy && !session->has_space
               ? loop_unread_at(&session->view, of->occupancy.diagnosis.line)
               : NULL;
}

/* In the nest, or in a loop that could not be read and is what takes the time. */
static bool any_indirect(const struct situation *now)
{
    const struct kernel_view *view = now->nest->view;
    bool any = any_access(now, is_indirect);
    for (size_t i = 0; now->unread && i < view->access_nr; i++)
        any |= view->access[i].access_class == ACCESS_INDIRECT;
    return any;
}

/* Iterations that use a line, and what they use of it at most, where it counts as brought
 * for little: the three bytes of a pixel, whose loop is the innermost one, are. */
static const double few_iterations = 8, little_use = 0.5;

/* The next line is elsewhere after few iterations, which used little of this one. */
static bool is_strided(const struct situation *now, const struct kernel_access *access)
{
    struct nest_step step[NEST_STEPS_MAX];
    size_t nr = nest_steps(now->nest, now->choice, step);
    double line = now->machine->line_bytes, iterations = 1,
           run = element_bytes(now, access);
    while (nr-- > 0 && run <= line * little_use && iterations <= few_iterations) {
        double stride = fabs(access->stride_at[step[nr].depth]) * step[nr].scale;
        if (step[nr].extent <= 1)
            continue;
        if (!(stride < line))
            return !isnan(stride);
        run += (step[nr].extent - 1) * stride;
        iterations *= step[nr].extent;
    }
    return false;
}

/* Whether the loop goes along some access that now is strided; *strides: and leaps along
 * another. */
static bool is_unit_loop(const struct situation *now, size_t depth, bool *strides)
{
    const struct kernel_view *view = now->nest->view;
    bool any = false;
    *strides = false;
    for (size_t i = 0; i < view->access_nr; i++) {
        const struct kernel_access *access = &view->access[i];
        double stride = fabs(access->stride_at[depth]);
        if (!nest_holds(now->nest, access))
            continue;
        *strides = *strides || stride >= now->machine->line_bytes;
        any = any || (is_strided(now, access) && stride == element_bytes(now, access));
    }
    return any;
}

static const char *unit_loop(const struct situation *now)
{
    const char *found = "no";
    for (size_t d = 0; d < now->nest->nr; d++) {
        bool strides;
        if (!is_unit_loop(now, d, &strides))
            continue;
        if (!strides)
            return "yes";
        found = "mixed";
    }
    return found;
}

static bool is_register_reused(const struct situation *now,
                               const struct kernel_access *access)
{
    for (size_t d = 0; d < now->nest->nr; d++)
        if ((int)d != now->innermost && access->stride_at[d] == 0 &&
            now->nest->trips[d] > 1 && access->stride_at[now->innermost] != 0)
            return true;
    return false;
}

static bool is_reduced(const struct situation *now, const struct kernel_access *access)
{
    return access->write && access->stride_at[now->innermost] == 0;
}

static double streams(const struct situation *now)
{
    const struct kernel_view *view = now->nest->view;
    double nr = 0;
    for (size_t i = 0; i < view->access_nr; i++) {
        double stride = fabs(view->access[i].stride_at[now->innermost]);
        bool again = false;
        for (size_t j = 0; j < i; j++)
            again |= view->access[j].array == view->access[i].array &&
                     nest_holds(now->nest, &view->access[j]);
        nr += nest_holds(now->nest, &view->access[i]) && stride > 0 &&
              stride < now->machine->line_bytes && !again;
    }
    return nr;
}

static void say_nest(struct situation *now)
{
    int nests = 0;
    for (size_t i = 0; i < now->nest->view->loop_nr; i++)
        nests += now->nest->view->loop[i].parent < 0;
    say_number(now, "nests", nests);
    if (now->innermost < 0)
        return;
    say_number(now, "loop_depth", (double)now->nest->nr);
    say_number(now, "inner_trips", now->nest->trips[now->innermost]);
    say_yes_no(now, "has_indirect", any_indirect(now));
    say_yes_no(now, "inner_strided", any_access(now, is_strided));
    say_word(now, "unit_stride_loop", unit_loop(now));
    say_yes_no(now, "has_register_reuse", any_access(now, is_register_reused));
    say_yes_no(now, "has_reduction", any_access(now, is_reduced));
    say_number(now, "streams_per_thread", streams(now));
}

/* Threads of a core that run: one. */
static void say_streams(struct situation *now, const struct kernel_counts *counts)
{
    if (now->innermost >= 0)
        say_number(now, "stream_load", streams(now) / OCCUPANCY_STREAMS);
    if (counts->chains.known)
        say_yes_no(now, "address_chain", counts->chains.value > 0);
}

/* Of a space only what was recorded counts. */
static enum answer is_any_recorded(const struct session *session,
                                   const char *transformation)
{
    char *step = xasprintf("%s(", transformation);
    enum answer any = ANSWER_NO;
    for (size_t i = 0; i < session->subject->space->nr; i++)
        if (strstr(session->subject->space->v[i], step))
            any = ANSWER_YES;
    free(step);
    return any;
}

/* The plan, or the one that its refusal asks for, is legal; NULL = neither. Caller frees.
 */
static char *legal_form(const struct search_subject *subject, const char *plan)
{
    struct error why = {0};
    if (!subject->check(subject->data, plan, &why))
        return xstrdup(plan);
    if (!*why.remedy || subject->check(subject->data, why.remedy, NULL))
        return NULL;
    return xstrdup(why.remedy);
}

static bool is_any_legal(const struct session *session, const struct typical_plan *plan,
                         size_t nr, const char *transformation)
{
    const struct search_subject *subject = session->subject;
    bool legal = false;
    for (size_t i = 0; !legal && i < nr; i++)
        legal = plan[i].plan && !strcmp(plan[i].transformation, transformation) &&
                !subject->check(subject->data, plan[i].plan, NULL);
    return legal;
}

/* Parts of a loop that is none of vectors may be, in loops of their own. Beside a loop
 * inside, which has the most of the work, they would be little of it. */
static bool makes_vectors_apart(const struct session *session)
{
    const struct search_subject *subject = session->subject;
    const struct kernel_view *view = &session->view;
    bool apart = false;
    for (size_t i = 0; !apart && i < view->loop_nr; i++) {
        const struct kernel_loop *loop = &view->loop[i];
        if (!loop->modelled || !loop->innermost || kernel_loop_holds_unread(view, i))
            continue;
        char *divided = xasprintf("distribute(%s)", loop->name);
        char *form = legal_form(subject, divided);
        char *vectors = form ? xasprintf("%s simd", form) : NULL;
        apart = vectors && !subject->check(subject->data, vectors, NULL);
        free(vectors);
        free(form);
        free(divided);
    }
    return apart;
}

/* A loop that is none of vectors, but blocks of the loop around it may be. */
static bool makes_vectors_outside(const struct session *session)
{
    enum { LENGTH = 64 };
    const struct search_subject *subject = session->subject;
    struct nest nest;
    nest_find(&session->view, &nest);
    char *lanes = lanes_plan(&nest, LENGTH);
    bool outside = lanes && !subject->check(subject->data, lanes, NULL);
    free(lanes);
    return outside;
}

/* What is asked of one typical plan, until one of its kind is legal. `rounds`: one is
 * refused for the rounding alone, whose sentence names the option; NULL = not asked. */
static void ask_plan(const struct session *session, const struct typical_plan *plan,
                     enum answer *may, bool *rounds)
{
    const struct search_subject *subject = session->subject;
    struct error why = {0};
    if (*may == ANSWER_YES)
        return;
    if (!subject->check(subject->data, plan->plan, &why))
        *may = ANSWER_YES;
    else if (rounds)
        *rounds |= strstr(why.text, "--reassociate") != NULL;
}

void session_ask_legality(struct session *session)
{
    const struct {
        const char *transformation;
        enum answer *may;
        bool *rounds;
    } ask[] = {{"distribute", &session->may_distribute, NULL},
               {"fuse", &session->may_fuse, NULL},
               {"accumulators", &session->may_accumulate, &session->may_reassociate},
               {"unroll_jam", &session->may_jam, NULL},
               {"reciprocal", &session->may_divide, &session->may_round},
               {"interleave", &session->may_interleave, NULL},
               {"parallel", &session->may_parallel, NULL}};
    struct typical_plan *plan = NULL;
    size_t nr = session->has_space ? 0 : typical_plans(&session->view, &plan);
    for (size_t k = 0; k < ARRAY_SIZE(ask); k++) {
        *ask[k].may = session->has_space ? is_any_recorded(session, ask[k].transformation)
                                         : ANSWER_NO;
        for (size_t i = 0; i < nr; i++)
            if (plan[i].plan && !strcmp(plan[i].transformation, ask[k].transformation))
                ask_plan(session, &plan[i], ask[k].may, ask[k].rounds);
    }
    bool asked = nr && !is_any_legal(session, plan, nr, "simd");
    session->may_vectors_apart =
        asked && makes_vectors_apart(session) ? ANSWER_YES : ANSWER_NO;
    session->may_vectors_outside =
        asked && makes_vectors_outside(session) ? ANSWER_YES : ANSWER_NO;
    session->may_reassociate &= session->may_accumulate == ANSWER_NO;
    session->may_round &= session->may_divide == ANSWER_NO;
    typical_plans_free(plan, nr);
}

/* What is lost is lost to wrong guesses, and no step loads from a place that the one
 * before it decides: lanes that take steps in turn would wait for the longest of them. */
static bool guesses_alone(const struct situation *now)
{
    const struct kernel_view *view = now->nest->view;
    bool alone = now->measurement->has_occupancy &&
                 now->measurement->occupancy.diagnosis.cause == CAUSE_BRANCHES;
    for (size_t i = 0; alone && i < view->access_nr; i++)
        alone = view->access[i].access_class != ACCESS_IRREGULAR &&
                view->access[i].access_class != ACCESS_INDIRECT;
    return alone;
}

/* The innermost loop of the nest has one in its body of which nothing is known: copies of
 * that run one after the other. */
static bool holds_other_loop(const struct situation *now)
{
    const struct kernel_view *view = now->nest->view;
    bool holds = false;
    for (size_t i = 0; now->nest->nr && i < view->loop_nr; i++)
        holds = holds ||
                (view->loop[i].parent >= 0 &&
                 &view->loop[view->loop[i].parent] == now->nest->loop[now->nest->nr - 1]);
    return holds;
}

/* Of the nest: from its line to that of the next one. What is taken from the system is
 * taken before the loops. */
static bool is_of_nest(const struct situation *now, const struct kernel_found *found)
{
    const struct kernel_view *view = now->nest->view;
    int first = now->nest->nr ? now->nest->loop[0]->line : 0, next = INT_MAX;
    for (size_t i = 0; i < view->loop_nr; i++)
        if (view->loop[i].parent < 0 && view->loop[i].line > first && first)
            next = view->loop[i].line < next ? view->loop[i].line : next;
    return found->spot == KERNEL_SPOT_FRESH ||
           (found->line >= first && found->line < next);
}

/* Names with their lines; false = there are none. */
static bool list_spots(const struct situation *now, enum kernel_spot spot,
                       struct buf *names)
{
    const struct kernel_view *view = now->nest->view;
    for (size_t i = 0; i < view->found_nr; i++)
        if (view->found[i].spot == spot && is_of_nest(now, &view->found[i]))
            buf_addf(names, "%s%s (line %d)", names->length ? ", " : "",
                     view->found[i].what, view->found[i].line);
    return names->length > 0;
}

static void say_uses(struct situation *now)
{
    const struct kernel_view *view = now->nest->view;
    int last = now->machine->level_nr - 1;
    double groups = statement_groups(now->nest);
    double reused = reused_bytes(now->nest, now->machine->line_bytes);
    double fused = fuse_ratio(view);
    say_answer(now, "stores_reused",
               stores_reused(now->nest, machine_share_bytes(now->machine, last)));
    say_answer(now, "store_forwarding", store_forwarding(now->nest));
    say_answer(now, "shares_arrays", shares_arrays(view));
    say_answer(now, "distributable", now->session->may_distribute);
    say_answer(now, "vectors_apart", now->session->may_vectors_apart);
    say_answer(now, "vectors_outside", now->session->may_vectors_outside);
    say_answer(now, "fusable", now->session->may_fuse);
    say_answer(now, "jammable",
               holds_other_loop(now) ? ANSWER_NO : now->session->may_jam);
    say_answer(now, "interleavable",
               guesses_alone(now) ? ANSWER_NO : now->session->may_interleave);
    struct buf chains = {0};
    if (list_spots(now, KERNEL_SPOT_CHAIN, &chains))
        say_word(now, "accumulable", "no"); /* another variable is waited for as well */
    else if (now->session->may_reassociate)
        say_word(now, "accumulable", "reassociate");
    else
        say_answer(now, "accumulable", now->session->may_accumulate);
    buf_release(&chains);
    say_answer(now, "fusion_forwards", fusion_forwards(view));
    if (now->nest->nr)
        say_yes_no(now, "row_conflicts", nest_rows_collide(now->nest, now->machine));
    if (shares_arrays(view) == ANSWER_YES && fused > 0)
        say_number(now, "fuse_traffic_ratio", fused);
    if (!isnan(groups))
        say_number(now, "statements", groups);
    if (!isnan(reused))
        say_over_share(now, "reuse_over_cache", reused, last);
}

static void say_names(struct situation *now, const char *metric, const struct buf *names)
{
    if (!now->status && names->length)
        now->status =
            rule_facts_names(now->facts, metric, buf_str((struct buf *)names), now->err);
}

/* Names of some uses, and the answer whether there are any. */
static void say_list(struct situation *now, const char *yes_no, const char *names,
                     size_t (*list)(const struct nest *nest, struct buf *out))
{
    struct buf text = {0};
    size_t nr = list(now->nest, &text);
    if (yes_no)
        say_yes_no(now, yes_no, nr > 0);
    say_names(now, names, &text);
    buf_release(&text);
}

static void say_spots(struct situation *now)
{
    static const struct {
        const char *yes_no, *names;
    } metric[KERNEL_SPOT_NR] = {
        [KERNEL_SPOT_NARROW] = {"counts_narrow", "counter_names"},
        [KERNEL_SPOT_FRESH] = {"fresh_memory", "fresh_names"},
        [KERNEL_SPOT_DIVISOR] = {"divisor_stays", "divisor_names"},
        [KERNEL_SPOT_BORDER] = {"asks_place", "border_names"},
        [KERNEL_SPOT_MET] = {"met_by_store", "met_names"},
        [KERNEL_SPOT_PLACE] = {"keeps_place", "place_names"},
        [KERNEL_SPOT_PREFIX] = {"prefix_sum", "prefix_names"},
        [KERNEL_SPOT_LENGTH] = {"asks_length", "length_names"},
        [KERNEL_SPOT_SEARCH] = {"searches", "search_names"},
        [KERNEL_SPOT_ERRNO] = {"sets_errno", "errno_names"},
    };
    for (size_t i = 0; now->nest->view->found && i < KERNEL_SPOT_NR; i++) {
        struct buf names = {0};
        if (!metric[i].yes_no)
            continue;
        bool any = list_spots(now, (enum kernel_spot)i, &names);
        if (any && i == KERNEL_SPOT_DIVISOR && now->session->may_round)
            say_word(now, metric[i].yes_no, "reassociate");
        else
            say_yes_no(now, metric[i].yes_no, any);
        say_names(now, metric[i].names, &names);
        buf_release(&names);
    }
}

static void say_records(struct situation *now)
{
    struct buf names = {0};
    double used = 1, ratio = record_ratio(now->nest);
    if (record_names(now->nest, &names, &used)) {
        say_number(now, "record_used_share", used);
        say_names(now, "record_names", &names);
        if (!isnan(ratio))
            say_number(now, "record_traffic_ratio", ratio);
    }
    buf_release(&names);
}

/* What the shape of the nest allows, and what others than this function would change. */
static void say_shape(struct situation *now)
{
    double share = lookup_line_share(now->nest, now->machine->line_bytes);
    bool time_loop = has_time_loop(now->nest);
    struct sum_block block;
    say_spots(now);
    if (now->nest->nr == 0)
        return;
    say_yes_no(now, "time_loop", time_loop);
    say_yes_no(now, "contraction",
               is_contraction(now->nest) || sum_block_find(now->nest, &block));
    if (time_loop) /* fetched once in all: what no block can do better */
        say_number(now, "skew_traffic_ratio", 1 / now->nest->trips[0]);
    say_list(now, NULL, "lookup_names", lookup_names);
    say_list(now, "indirect_update", "update_names", update_names);
    say_list(now, "local_temporaries", "local_names", temporary_names);
    if (!isnan(share))
        say_number(now, "lookup_line_share", share);
    say_records(now);
}

/* ---- traffic against the data's size ---- */

static double data_bytes(const struct situation *now)
{
    double bytes = 0;
    for (size_t i = 0; i < now->nest->view->array_nr; i++)
        bytes += fmax(now->nest->view->array[i].bytes, 0);
    return bytes;
}

/* Fills beyond one and a half times the data's lines: some came back after the cache had
 * lost them. */
static void say_reuse(struct situation *now)
{
    const struct traffic *traffic = &now->measurement->traffic;
    double lines = data_bytes(now) / traffic->line_bytes;
    bool lost = false;
    for (int k = 0; k < traffic->level_nr; k++)
        if (traffic->edge[k].fills.known)
            lost |= traffic->edge[k].fills.value > 1.5 * lines;
    bool is_nested = now->unread ? now->unread->level > 0 : now->nest->nr >= 2;
    say_yes_no(now, "has_reuse", lost && is_nested && !any_indirect(now));
}

static void say_working_set(struct situation *now)
{
    say_over_share(now, "working_set_over_l2", data_bytes(now), 1);
    say_over_share(now, "working_set_over_l3", data_bytes(now), 2);
}

/* Every line that is written back was read first; for arrays that are only written that
 * read was for nothing. */
static void say_write_allocate(struct situation *now, double written_share)
{
    double only_written = 0, written = 0;
    for (size_t i = 0; i < now->nest->view->array_nr; i++) {
        const struct kernel_array *array = &now->nest->view->array[i];
        written += array->written ? fmax(array->bytes, 0) : 0;
        only_written += array->written && !array->read ? fmax(array->bytes, 0) : 0;
    }
    if (written <= 0)
        return;
    double share =
        written_share * only_written / written * now->machine->store_read_factor;
    say_number(now, "write_allocate_share", share);
    say_number(now, "nontemporal_traffic_ratio", 1 - share);
}

static void say_traffic(struct situation *now)
{
    const struct traffic *traffic = &now->measurement->traffic;
    struct quantity read = traffic_read_bytes(traffic),
                    written = traffic_write_bytes(traffic);
    struct quantity all = quantity_add(read, written);
    struct kernel_counts counts =
        now->session->subject->counts(now->session->subject->data);
    if (!all.known || all.value <= 0)
        return;
    say_quantity(now, "flops_per_byte", quantity_divide(counts.flops, all));
    say_write_allocate(now, written.value / all.value);
}

/* ---- what the plan did already, what the machine offers ---- */

static const char *prefetch_used(const struct choice *choice)
{
    struct choice_prefetch prefetch[CHOICE_PREFETCH_MAX];
    size_t nr = choice_prefetches(choice, prefetch);
    return !nr ? "none" : prefetch[nr - 1].to_l2 ? "l2" : "l1";
}

/*
 * The traffic counts the accesses of a scalar build, of which each takes an instruction
 * at least: code that runs fewer handles several elements with one.
 */
static bool is_vector_code(const struct situation *now)
{
    const struct measurement *measurement = now->measurement;
    if (choice_step(now->choice, STEP_SIMD))
        return true;
    if (!now->is_own || !measurement->has_traffic ||
        !measurement->traffic.instructions.known || !measurement->traffic.accesses.known)
        return false;
    return measurement->traffic.instructions.high < measurement->traffic.accesses.low;
}

static void say_environment(struct situation *now)
{
    const struct machine *machine = now->machine;
    bool huge = now->measurement->environment.huge_pages;
    say_word(now, "pages", huge ? "huge" : "small");
    say_yes_no(now, "hugepages_available",
               now->session->subject->huge_pages_available && !huge);
    say_word(now, "prefetch_used", prefetch_used(now->choice));
    say_yes_no(now, "nontemporal_used",
               choice_step(now->choice, STEP_NONTEMPORAL) != NULL);
    if (is_vector_code(now))
        say_word(now, "vectorized", "yes");
    if (machine->simd_bytes > 0)
        say_number(now, "simd_lanes", machine->simd_bytes / 8.0);
    say_quantity(now, "prefetch_l2_gain", machine->prefetch_l2_gain);
    say_number(now, "threads_used", 1);
    say_number(now, "free_threads", machine->threads_per_core - 1);
    int cores = now->session->subject->cores;
    if (cores > 0 && machine->cores >= cores) {
        bool can_share =
            now->session->has_space || now->session->may_parallel != ANSWER_NO;
        say_number(now, "idle_cores", can_share ? machine->cores - cores : 0);
        say_number(now, "parallel_share", (double)cores / machine->cores);
    }
}

static int innermost_depth(const struct nest *nest, const struct choice *choice)
{
    const char *name[CHOICE_LOOPS_MAX];
    if (nest->nr == 0)
        return -1;
    return choice_order(choice, name) == nest->nr ? nest_depth(nest, name[nest->nr - 1])
                                                  : (int)nest->nr - 1;
}

/* ---- occupancy speaks for itself ---- */

static void sink_number(void *context, const char *metric, struct quantity value)
{
    say_quantity(context, metric, value);
}

static void sink_word(void *context, const char *metric, const char *word)
{
    say_word(context, metric, word);
}

static void say_occupancy(struct situation *now)
{
    struct occupancy_sink sink = {sink_number, sink_word, now};
    occupancy_metrics(&now->measurement->occupancy, &sink);
}

/* Counted of the kernel as written, not of what became of it. */
static void say_counted(struct situation *now)
{
    const struct search_opts *opts = now->session->opts;
    for (size_t i = 0; i < opts->fact_nr && !opts->hide_occupancy; i++)
        say_quantity(now, opts->fact[i].metric, opts->fact[i].value);
}

int session_facts(const struct session *session, size_t i, size_t explained,
                  struct rule_facts *facts, struct error *err)
{
    struct situation now = {.session = session,
                            .nest = &session->nest,
                            .choice = &session->choice[i],
                            .measurement = &session->result->measurement[explained],
                            .machine = session->subject->machine,
                            .innermost =
                                innermost_depth(&session->nest, &session->choice[i]),
                            .facts = facts,
                            .is_own = i == explained,
                            .unread = session_unread_loop(session, explained),
                            .err = err};
    struct kernel_counts counts = session->subject->counts(session->subject->data);
    say_nest(&now);
    say_streams(&now, &counts);
    say_uses(&now);
    say_shape(&now);
    say_environment(&now);
    say_ratios(&now);
    if (now.measurement->has_occupancy && !session->opts->hide_occupancy)
        say_occupancy(&now);
    if (i == 0)
        say_counted(&now);
    if (now.measurement->has_traffic) {
        say_reuse(&now);
        say_working_set(&now);
        say_traffic(&now);
        say_headroom(&now);
    }
    return now.status;
}
