#include "core/occupancy/diagnosis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/figures.h"
#include "core/machine/machine.h"
#include "core/occupancy/occupancy_parts.h"
#include "core/pipeline/pipeline_account.h"

/* The model of the core and the clock agree: the clock of a core, latencies and counts of
 * instructions are each known to a tenth or so. Where they differ the model is refuted:
 * what it says of causes is a guess. */
static const double agrees = 1.33, differs = 1.5;
/* What explains less of the time is named beside others, but not as the cause. */
static const double headline_share = 0.25;
/* What the next cause would have to cost less for the first to be called certain. */
static const double ahead = 0.15;
/* Where causes overlap so that without one of them the others take as long, the run
 * without it saves nothing, though it is on the critical path: that counts a third. */
static const double path_weight = 1.0 / 3;
/* Of what is used less on average it is not guessed that it is at its limit, however far
 * the interval reaches. */
static const double may_be_full_from = 0.3;
/* Less than half of each line that comes is used. */
static const double little_use = 0.5;

const char *confidence_word(enum confidence confidence)
{
    static const char *const word[] = {
#define X(name, word) [CONFIDENCE_##name] = word,
        CONFIDENCE_MAP(X)
#undef X
    };

    return word[confidence];
}

void diagnosis_release(struct diagnosis *diagnosis)
{
    free(diagnosis->array);
    buf_release(&diagnosis->sentence);
    buf_release(&diagnosis->reason);
    *diagnosis = (struct diagnosis){0};
}

/* ---- what each cause would save ---- */

struct weighing {
    const struct occupancy_case *input;
    const struct occupancy *now;
    const struct pipeline_account *account; /* NULL = none */
    double weight[CAUSE_NR];
    double agreement;  /* time by the model over the time measured; 0 = not known */
    bool is_full;      /* the first one is a resource that was measured to be full */
    bool is_by_queues; /* nothing but the queues names it */
};

/* Of what is on the path beside others: no more than this cause takes alone, or the core
 * with what else is in it. */
static double alone(const struct pipeline_account *account, enum cause cause)
{
    switch (cause) {
    case CAUSE_RECURRENCE:
        return fmin(account->recurrence_alone, 1);
    case CAUSE_ISSUE_WIDTH:
    case CAUSE_ARITHMETIC:
    case CAUSE_L1_BANDWIDTH:
        return fmin(account->core_alone, 1);
    default:
        return 1;
    }
}

static void weigh_account(struct weighing *weighing)
{
    const struct pipeline_account *account = weighing->account;

    for (int c = 0; c < CAUSE_NR; c++)
        weighing->weight[c] =
            account->saved[c] + path_weight * alone(account, (enum cause)c) *
                                    fmax(account->share[c] - account->saved[c], 0);
    if (account->call_s > 0 && weighing->input->time_s.known)
        weighing->agreement = account->call_s / weighing->input->time_s.value;
}

static bool is_much_used(const struct occupancy *now, enum resource resource)
{
    struct quantity use = now->resource[resource].utilization;

    return use.known && use.value >= may_be_full_from;
}

/* Time that the model has no cause for: that of what may be at its limit by what was
 * measured. Else, where many lines come, those that it takes for prefetched come late: at
 * the end of each small page a prefetcher begins anew; where huge pages gained nothing it
 * does not run far enough ahead. */
static void weigh_rest(struct weighing *weighing)
{
    const struct occupancy_case *input = weighing->input;
    double rest = 1 - weighing->agreement;
    bool short_runs =
        (input->streams.known && input->streams.value > OCCUPANCY_STREAMS) ||
        (input->run_bytes.known &&
         input->run_bytes.value < PREFETCHER_SHORT_LINES * input->machine->line_bytes);
    const struct quantity *huge = &weighing->account->tried[EXPERIMENT_HUGE_PAGES];
    bool refuted = huge->known && !huge->doubted && huge->low <= 1;
    enum resource busiest = weighing->now->busiest;
    bool may_be_full =
        weighing->now->resource[busiest].saturation == SATURATION_UNDECIDED &&
        is_much_used(weighing->now, busiest);
    bool many_lines = is_much_used(weighing->now, RESOURCE_MEMORY) ||
                      is_much_used(weighing->now, RESOURCE_L3_LINK) ||
                      is_much_used(weighing->now, RESOURCE_L2_LINK);
    enum cause cause = may_be_full   ? cause_of_resource(busiest)
                       : !many_lines ? CAUSE_UNKNOWN
                       : short_runs || input->work.huge_pages || refuted
                           ? CAUSE_PREFETCHER
                           : CAUSE_PAGE_WALKS;

    if (weighing->agreement <= 0 || weighing->agreement >= 1 / agrees ||
        weighing->account->covered_share < 0.5)
        return;
    for (int c = 0; c < CAUSE_NR; c++)
        weighing->weight[c] *= weighing->agreement;
    if (cause != CAUSE_UNKNOWN)
        weighing->weight[cause] = fmax(weighing->weight[cause], rest);
}

/* The resource that the cause says to be full; NULL = it says that of none. */
static const struct occupancy_resource *full_by(const struct occupancy *now,
                                                enum cause cause)
{
    for (int r = 0; r < RESOURCE_NONE; r++)
        if (cause_of_resource((enum resource)r) == cause && r != RESOURCE_PAGE_WALKERS &&
            r != RESOURCE_ARITHMETIC)
            return &now->resource[r];
    return NULL;
}

/* It is so no more of the time than it is in use on average, and of a use that cannot be
 * nothing is concluded. */
static void weigh_measured_use(struct weighing *weighing)
{
    for (int c = 0; c < CAUSE_NR; c++) {
        const struct occupancy_resource *full = full_by(weighing->now, (enum cause)c);
        double *weight = &weighing->weight[c];

        if (full && full->saturation == SATURATION_IMPOSSIBLE)
            *weight = 0;
        else if (full && full->saturation == NOT_SATURATED)
            *weight = fmin(*weight, full->utilization.high);
    }
}

static enum cause cause_of_experiment(enum experiment experiment)
{
    return experiment == EXPERIMENT_HUGE_PAGES ? CAUSE_PAGE_WALKS : CAUSE_RECURRENCE;
}

/* Less of the walks gone, and huge pages say nothing of what walks cost. */
static const double some_gone = 0.1;

double diagnosis_walks_gone(const struct occupancy_case *input,
                            const struct occupancy *now)
{
    const struct machine *machine = input->machine;
    struct quantity latency = quantity_divide(machine->huge_pages.translation_ns,
                                              machine->small_pages.translation_ns),
                    rate = now->hugepages_walk_ratio;
    double left = fmax(latency.known ? latency.value : 0, rate.known ? rate.value : 0);

    return 1 - left < some_gone ? 0 : 1 - left;
}

static void weigh_huge_pages(struct weighing *weighing, struct quantity gain)
{
    double gone = diagnosis_walks_gone(weighing->input, weighing->now),
           *weight = &weighing->weight[CAUSE_PAGE_WALKS];

    if (gone <= 0)
        return;
    if (gain.low > 1)
        *weight = fmin((1 - 1 / gain.value) / gone, 1);
    else
        *weight = fmin(*weight, fmax((1 - 1 / gain.high) / gone, 0));
}

/* What an experiment showed goes before what the model says: what its cause costs at
 * least if it gained, no more than the interval allows if it did not. That reassociation
 * gains nothing proves nothing: a compiler may find no way to use its freedom. */
static void weigh_experiments(struct weighing *weighing)
{
    struct quantity huge = weighing->account->tried[EXPERIMENT_HUGE_PAGES],
                    reassociated = weighing->account->tried[EXPERIMENT_REASSOCIATED];
    double *recurrence = &weighing->weight[CAUSE_RECURRENCE];

    if (huge.known && !huge.doubted)
        weigh_huge_pages(weighing, huge);
    if (reassociated.known && !reassociated.doubted && reassociated.low > 1)
        *recurrence = fmax(*recurrence, 1 - 1 / reassociated.value);
}

static bool is_limited(const struct weighing *weighing)
{
    const struct occupancy *now = weighing->now;

    return near_limit(now) != RESOURCE_NONE &&
           is_at_limit(&now->resource[near_limit(now)]);
}

/* What was measured to be at its limit is, whatever a model of the core says: without it
 * the time would be that of the next one. */
static void weigh_full(struct weighing *weighing)
{
    const struct occupancy *now = weighing->now;
    enum resource near = near_limit(now);
    enum cause cause = cause_of_resource(near);
    double most = 0;

    if (!is_limited(weighing))
        return;
    for (int c = 0; c < CAUSE_NR; c++)
        most = fmax(most, weighing->weight[c]);
    weighing->is_full = now->resource[near].saturation == SATURATED;
    weighing->weight[cause] =
        fmax(weighing->weight[cause], most + (weighing->is_full ? ahead : ahead / 2));
}

/*
 * What is part of a chain of loads counts to the chain: page walks of its loads, which
 * would overlap without it, and arithmetic between one load and the next, which is on the
 * path in turn with them.
 */
static void weigh_chains(struct weighing *weighing)
{
    const struct pipeline_account *account = weighing->account;
    double *weight = weighing->weight, *chain = &weight[CAUSE_DEPENDENT_LOADS],
           loads = account->share[CAUSE_DEPENDENT_LOADS],
           chained_walks = account->saved[CAUSE_DEPENDENT_LOADS] - loads;

    if (chained_walks > account->share[CAUSE_PAGE_WALKS] / 2)
        *chain = fmax(*chain, weight[CAUSE_PAGE_WALKS] + ahead / 2);
    if (loads > account->share[CAUSE_RECURRENCE] / 2 && *chain > 0)
        *chain = fmin(*chain + weight[CAUSE_RECURRENCE], 1);
}

static bool is_about_lines(enum cause cause)
{
    return cause_kind(cause) == CAUSE_KIND_MEMORY;
}

/* Where the lines are that are waited for. Causes that are not on the path of the model
 * have no place of their own: it is that of the one that most of the path waits for. */
static const struct pipeline_blame *blame_of(const struct pipeline_account *account,
                                             enum cause cause)
{
    enum cause most = cause;

    for (int c = 0; c < CAUSE_NR && account->share[cause] <= 0; c++)
        if (is_about_lines((enum cause)c) && account->share[c] > account->share[most])
            most = (enum cause)c;
    return &account->blame[most];
}

static enum cause heaviest(const struct weighing *weighing, enum cause but)
{
    enum cause first = CAUSE_UNKNOWN;

    for (int c = 0; c < CAUSE_NR; c++)
        if (c != (int)but && weighing->weight[c] > 0 &&
            (first == but || weighing->weight[c] > weighing->weight[first]))
            first = (enum cause)c;
    return first;
}

/* Of the time, by the run without the cause or by the path, but of what is full no more
 * than it is in use. */
static double explained(const struct weighing *weighing, enum cause cause)
{
    const struct occupancy_resource *full = full_by(weighing->now, cause);
    double share = weighing->account->share[cause];

    if (full && full->saturation == NOT_SATURATED)
        share = fmin(share, full->utilization.high);
    return fmax(weighing->weight[cause], share);
}

/* Of those that explain enough of the time; all of them where a limit is reached. */
static enum cause first_cause(const struct weighing *weighing)
{
    struct weighing left = *weighing;
    enum cause first = heaviest(&left, CAUSE_NR);

    while (!is_limited(weighing) && left.weight[first] > 0 &&
           explained(weighing, first) < headline_share) {
        left.weight[first] = 0;
        first = heaviest(&left, CAUSE_NR);
    }
    return left.weight[first] > 0 ? first : CAUSE_UNKNOWN;
}

static bool is_regular(const struct pipeline_blame *blame)
{
    return blame->array && !isnan(blame->stride) && blame->stride != 0;
}

/* Regular steps along an array that leave most of each line unused: fewer lines for the
 * same work would relieve whatever these lines wait for. */
static void weigh_stride(struct weighing *weighing)
{
    enum cause first = heaviest(weighing, CAUSE_NR);
    const struct pipeline_blame *blame = blame_of(weighing->account, first);

    if (!is_about_lines(first) || !is_regular(blame) || !(blame->line_use > 0) ||
        blame->line_use > little_use)
        return;
    weighing->weight[CAUSE_STRIDED] = weighing->weight[first] + ahead;
}

static bool is_room_for_misses(enum cause cause)
{
    return cause == CAUSE_SCHEDULER || cause == CAUSE_LOAD_BUFFER ||
           cause == CAUSE_REORDER_BUFFER || cause == CAUSE_L1_MSHRS ||
           cause == CAUSE_L2_MSHRS;
}

/* Regular steps along an array that use all of each line, and the core waits for them:
 * the prefetcher, which should have brought them, does not follow. What the core lacks
 * room for then is all its doing. */
static void weigh_streams(struct weighing *weighing)
{
    enum cause first = heaviest(weighing, CAUSE_NR), most = CAUSE_UNKNOWN;
    double all = 0;

    for (int c = 0; c < CAUSE_NR; c++)
        if (is_room_for_misses((enum cause)c)) {
            all += weighing->weight[c];
            if (weighing->weight[c] >= weighing->weight[most])
                most = (enum cause)c;
        }
    const struct pipeline_blame *blame = blame_of(weighing->account, most);
    if (most == CAUSE_UNKNOWN || is_limited(weighing) || !is_regular(blame) ||
        blame->line_use <= little_use || weighing->account->covered_share >= 0.5)
        return;
    if (is_room_for_misses(first))
        all = fmax(all, weighing->weight[first] + ahead);
    weighing->weight[CAUSE_PREFETCHER] = fmax(weighing->weight[CAUSE_PREFETCHER], all);
}

/* ---- words ---- */

/* " of 'a' in line 12" */
static void add_place(const struct diagnosis *out, struct buf *text)
{
    if (out->array)
        buf_addf(text, " of '%s'", out->array);
    if (out->line > 0)
        buf_addf(text, " in line %d", out->line);
}

static void say_stride(const struct pipeline_blame *blame, int line_bytes,
                       struct diagnosis *out)
{
    buf_add(&out->sentence, "Strided access: the loads and stores");
    add_place(out, &out->sentence);
    buf_addf(&out->sentence,
             " go in regular steps, but use only %.0f of the %d bytes of each cache line "
             "that they bring.",
             fmax(blame->line_use * line_bytes, 1), line_bytes);
}

static void say_in_flight(const struct occupancy *now, struct buf *text)
{
    struct quantity n = now->in_flight;

    if (!n.known || (isinf(n.high) && n.low < n.value / 2)) /* "at least 0" */
        return;
    buf_add(text, " (on average ");
    buf_add_between(text, n, 1);
    buf_add(text, " misses in flight)");
}

void say_cause(enum cause cause, const char *place, struct buf *text)
{
    const char *pattern = cause_sentence(cause);
    size_t before = (size_t)(strstr(pattern, "%s") - pattern);

    buf_addf(text, "%.*s%s%s", (int)before, pattern, place, pattern + before + 2);
}

static void say(const struct weighing *weighing, struct diagnosis *out)
{
    struct buf place = {0};

    if (out->cause == CAUSE_STRIDED) {
        say_stride(blame_of(weighing->account, out->other[0].cause),
                   weighing->input->machine->line_bytes, out);
        return;
    }
    if (!cause_sentence(out->cause)) {
        buf_addf(&out->sentence, "Nothing that was counted or modelled explains %s",
                 out->other_nr ? "a quarter of the time" : "the time");
    } else {
        add_place(out, &place);
        say_cause(out->cause, buf_str(&place), &out->sentence);
    }
    if (out->cause == CAUSE_DEPENDENT_LOADS && weighing->account)
        buf_addf(&out->sentence, " (%.3g misses in flight)",
                 weighing->account->n_in_flight);
    else if (is_about_lines(out->cause))
        say_in_flight(weighing->now, &out->sentence);
    const struct occupancy_resource *full = full_by(weighing->now, out->cause);
    if (full && full->saturation == NOT_SATURATED)
        buf_add(&out->sentence, ", part of the time");
    if (full && full->saturation == SATURATION_UNDECIDED)
        buf_add(&out->sentence, ", though the figures do not decide it");
    buf_add(&out->sentence, ".");
    buf_release(&place);
}

/* By what factor model and clock differ; infinite without a time of the model. */
static double off_by(const struct weighing *weighing)
{
    return weighing->agreement > 0 ? fmax(weighing->agreement, 1 / weighing->agreement)
                                   : INFINITY;
}

static void say_queues(const struct weighing *weighing, struct diagnosis *out)
{
    struct buf *text = &out->reason;

    buf_add(text, text->length ? " " : "");
    if (weighing->is_by_queues || weighing->now->busiest != RESOURCE_NONE)
        say_busiest(weighing->input, weighing->now, text);
    if (!weighing->is_by_queues)
        return;
    buf_add(text, " ");
    say_flight(weighing->input, weighing->now, text);
}

static void say_reason(const struct weighing *weighing, struct diagnosis *out)
{
    bool is_modelled = out->cause != CAUSE_STRIDED && out->cause != CAUSE_PREFETCHER;
    enum cause without = is_modelled ? out->cause : out->other[0].cause;

    if (weighing->account && off_by(weighing) > differs && weighing->agreement > 0) {
        buf_addf(
            &out->reason,
            "A model of the core, run on the loop's instructions, predicts a %s time "
            "than was measured, by more than a factor of %g: what it says of causes "
            "is a guess.",
            weighing->agreement > 1 ? "longer" : "shorter", differs);
    } else if (weighing->account && weighing->agreement > 0) {
        buf_addf(&out->reason,
                 "A model of the core, run on the loop's instructions, predicts %.2f of "
                 "the measured time",
                 weighing->agreement);
        if (weighing->account->saved[without] > 0)
            buf_addf(&out->reason, ", and %.0f %% less without %s",
                     100 * weighing->account->saved[without],
                     is_modelled ? "this cause" : cause_phrase(without));
        buf_add(&out->reason, ".");
    }
    for (int e = 0; weighing->account && e < EXPERIMENT_NR; e++)
        if (weighing->account->tried[e].known && !weighing->account->tried[e].doubted) {
            buf_addf(&out->reason, "%sIt runs ", out->reason.length ? " " : "");
            buf_add_ratio(&out->reason, weighing->account->tried[e]);
            buf_addf(&out->reason, " as fast %s.", experiment_phrase((enum experiment)e));
        }
    if (weighing->account && weighing->is_by_queues && out->cause != CAUSE_UNKNOWN)
        buf_add(&out->reason, " Nothing that it models explains a quarter of the time.");
    say_queues(weighing, out);
    if (!weighing->account)
        buf_add(&out->reason, " The instructions of the loop were not analyzed.");
}

/* ---- how sure ---- */

static enum confidence confidence_of(const struct weighing *weighing,
                                     const struct diagnosis *out)
{
    /* the first other one of a strided access is what its lines wait for */
    size_t rival = out->cause == CAUSE_STRIDED;
    double next = rival < out->other_nr ? out->other[rival].share : 0;
    double off = off_by(weighing);
    bool is_ahead = out->share - next >= ahead;

    if (out->cause == CAUSE_UNKNOWN)
        return CONFIDENCE_LOW;
    if (weighing->is_by_queues)
        return weighing->is_full ? CONFIDENCE_HIGH : CONFIDENCE_LOW;
    if (weighing->is_full || (off <= agrees && is_ahead && weighing->account->documented))
        return CONFIDENCE_HIGH;
    /* without a time of the model, what it says of shares alone */
    if (weighing->agreement <= 0)
        return is_ahead ? CONFIDENCE_MEDIUM : CONFIDENCE_LOW;
    return off <= differs && out->share >= ahead ? CONFIDENCE_MEDIUM : CONFIDENCE_LOW;
}

/* ---- what would tell more ---- */

bool diagnosis_wants(const struct occupancy_case *input, const struct diagnosis *found,
                     enum experiment experiment)
{
    const double near = 0.4; /* of the first one's share */
    enum cause about = cause_of_experiment(experiment);
    bool among = found->cause == about || found->cause == CAUSE_UNKNOWN;

    if (!input->account || input->account->tried[experiment].known ||
        (found->confidence == CONFIDENCE_HIGH && found->cause != CAUSE_PAGE_WALKS))
        return false;
    if (experiment == EXPERIMENT_HUGE_PAGES
            ? input->work.huge_pages || !input->machine->huge_pages_available
            : !input->account->fp_recurrence)
        return false;
    for (size_t i = 0; i < found->other_nr; i++)
        among = among || (found->other[i].cause == about &&
                          found->other[i].share >= near * found->share);
    return among;
}

/* ---- the outward calls ---- */

static void take_others(struct weighing *weighing, struct diagnosis *out)
{
    const double worth_saying = 0.05;

    weighing->weight[out->cause] = 0;
    for (size_t i = 0; i < DIAGNOSIS_OTHERS_MAX; i++) {
        enum cause next = heaviest(weighing, CAUSE_NR);

        if (weighing->weight[next] < worth_saying)
            return;
        out->other[out->other_nr].cause = next;
        out->other[out->other_nr++].share = fmin(weighing->weight[next], 1);
        weighing->weight[next] = 0;
    }
}

static void take_place(const struct weighing *weighing, struct diagnosis *out)
{
    enum cause of = out->cause == CAUSE_STRIDED ? out->other[0].cause : out->cause;
    const struct pipeline_blame *blame = blame_of(weighing->account, of);

    out->line = blame->line;
    out->array = blame->array ? xstrdup(blame->array) : NULL;
}

void diagnosis_make(const struct occupancy_case *input, const struct occupancy *now,
                    struct diagnosis *out)
{
    struct weighing weighing = {.input = input, .now = now, .account = input->account};

    *out = (struct diagnosis){.cause = CAUSE_UNKNOWN, .is_modelled = input->account};
    out->divides = input->account && input->account->divides;
    if (weighing.account) {
        weigh_account(&weighing);
        weigh_rest(&weighing);
        weigh_measured_use(&weighing);
        weigh_experiments(&weighing);
        weigh_chains(&weighing);
        weigh_full(&weighing);
        weigh_stride(&weighing);
        weigh_streams(&weighing);
        out->cause = first_cause(&weighing);
    } else {
        weighing.is_full = is_limited(&weighing) &&
                           now->resource[near_limit(now)].saturation == SATURATED;
    }
    weighing.is_by_queues = out->cause == CAUSE_UNKNOWN;
    if (weighing.is_by_queues)
        out->cause = now->by_queues;
    out->share = fmin(weighing.weight[out->cause], 1);
    take_others(&weighing, out);
    if (weighing.account)
        take_place(&weighing, out);
    out->confidence = confidence_of(&weighing, out);
    say(&weighing, out);
    say_reason(&weighing, out);
}

json_t *diagnosis_to_json(const struct diagnosis *diagnosis)
{
    json_t *others = json_array();

    for (size_t i = 0; i < diagnosis->other_nr; i++)
        json_array_append_new(others, json_pack("{s:s, s:f}", "cause",
                                                cause_word(diagnosis->other[i].cause),
                                                "share", diagnosis->other[i].share));
    return json_pack("{s:s, s:s, s:f, s:s?, s:o, s:s, s:s, s:o}", "cause",
                     cause_word(diagnosis->cause), "confidence",
                     confidence_word(diagnosis->confidence), "share", diagnosis->share,
                     "array", diagnosis->array, "line",
                     diagnosis->line > 0 ? json_integer(diagnosis->line) : json_null(),
                     "sentence", buf_str(&diagnosis->sentence), "reason",
                     buf_str(&diagnosis->reason), "others", others);
}
