/*
 * Answers from recorded measurements first: an interrupted session goes on, a recorded
 * space replays without a compiler.
 *
 * A session's own records answer in the order in which they were made: the first question
 * about a variant gets the first answer, a repeated measurement the next. So a session
 * that goes on takes the way that it took, to the point where it ended. What other
 * sessions measured answers where the own records have nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/machine/machine.h"
#include "search/records/records.h"
#include "search/session/measured.h"
#include "search/session/pace.h"
#include "search/session/subject.h"
#include "variants/kernel/kernel_view.h"

struct record {
    bool explained, timed, checked;
    unsigned launches;
    double seconds, cost_s;
    double at_least_s; /* above 0: stopped for slow */
    struct recorded_source source;
    json_t *document;
};

/* All of one candidate. */
struct series_of {
    char *plan;
    struct environment environment;
    struct record *item; /* this session's, in order */
    size_t nr, alloc, next;
    struct record other; /* the best of other sessions; document NULL = none */
};

struct recorded_pair {
    struct compared comparison; /* its plans belong to the document */
    json_t *document;
    struct recorded_source source;
    bool answered;
};

struct recorded {
    const struct search_runner *behind;
    const struct search_subject *subject;
    struct machine *machine; /* the subject's; NULL = stays as it is */
    int cores;
    double skipped_s;
    struct series_of *item;
    size_t nr, alloc;
    struct recorded_pair *pair;
    size_t pair_nr, pair_alloc;
    struct compared last;
};

struct recorded *recorded_new(const struct search_runner *behind,
                              const struct search_subject *subject, int cores)
{
    struct recorded *recorded = xcalloc(1, sizeof(*recorded));
    *recorded = (struct recorded){.behind = behind, .subject = subject, .cores = cores};
    return recorded;
}

static void series_release(struct series_of *series)
{
    for (size_t i = 0; i < series->nr; i++)
        json_decref(series->item[i].document);
    json_decref(series->other.document);
    free(series->item);
    free(series->plan);
}

void recorded_free(struct recorded *recorded)
{
    if (!recorded)
        return;
    for (size_t i = 0; i < recorded->nr; i++)
        series_release(&recorded->item[i]);
    for (size_t i = 0; i < recorded->pair_nr; i++)
        json_decref(recorded->pair[i].document);
    free(recorded->item);
    free(recorded->pair);
    free(recorded);
}

size_t recorded_nr(const struct recorded *recorded)
{
    return recorded->nr;
}

const double *recorded_skipped_s(const struct recorded *recorded)
{
    return &recorded->skipped_s;
}

void recorded_adjusts(struct recorded *recorded, struct machine *machine)
{
    recorded->machine = machine;
}

static struct series_of *find(const struct recorded *recorded, const char *plan,
                              const struct environment *environment)
{
    for (size_t i = 0; i < recorded->nr; i++)
        if (!strcmp(recorded->item[i].plan, plan) &&
            environments_equal(&recorded->item[i].environment, environment))
            return &recorded->item[i];
    return NULL;
}

static struct series_of *find_or_add(struct recorded *recorded, const char *plan,
                                     const struct environment *environment)
{
    struct series_of *series = find(recorded, plan, environment);
    if (series)
        return series;
    GROW(recorded->item, recorded->nr + 1, recorded->alloc);
    series = &recorded->item[recorded->nr++];
    *series = (struct series_of){.plan = xstrdup(plan), .environment = *environment};
    return series;
}

static int read_document(json_t *document, struct measurement *out, struct error *err)
{
    struct json_at at = json_top("recorded measurement", document);
    return measurement_from_json(&at, out, err);
}

/* ---- taking records in ---- */

/* One more of this session; a quick run behind an explained one says nothing new. */
static void add_own(struct series_of *series, const struct record *record)
{
    if (series->nr && series->item[series->nr - 1].explained && !record->explained) {
        json_decref(record->document);
        return;
    }
    GROW(series->item, series->nr + 1, series->alloc);
    series->item[series->nr++] = *record;
}

/* The last one, but an explained one stays. */
static void add_other(struct series_of *series, const struct record *record)
{
    if (series->other.document && series->other.explained && !record->explained) {
        json_decref(record->document);
        return;
    }
    json_decref(series->other.document);
    series->other = *record;
}

static int add_measurement(struct recorded *recorded, json_t *document,
                           const struct recorded_source *source, struct error *err)
{
    struct measurement read = {0};
    if (read_document(document, &read, err))
        return -1;
    struct record record = {.explained = read.has_traffic,
                            .timed = read.time_s.known,
                            .checked = read.checked,
                            .launches = read.launches,
                            .seconds = read.time_s.value,
                            .at_least_s = read.at_least_s,
                            .cost_s = read.cost_s,
                            .source = *source};
    if (read.outcome != RUN_OUTCOME_INTERRUPTED) {
        struct series_of *series = find_or_add(recorded, read.plan, &read.environment);
        record.document = json_incref(document);
        (source->origin ? add_other : add_own)(series, &record);
    }
    measurement_release(&read);
    return 0;
}

static int add_comparison(struct recorded *recorded, json_t *document,
                          const struct recorded_source *source, struct error *err)
{
    struct json_at at = json_top("recorded comparison", document);
    struct recorded_pair pair = {.source = *source};
    if (comparison_from_json(&at, &pair.comparison, err))
        return -1;
    pair.document = json_incref(document);
    GROW(recorded->pair, recorded->pair_nr + 1, recorded->pair_alloc);
    recorded->pair[recorded->pair_nr++] = pair;
    return 0;
}

int recorded_add_from(struct recorded *recorded, json_t *document,
                      const struct recorded_source *source, struct error *err)
{
    const char *schema = json_string_value(json_object_get(document, "schema"));
    bool pair = schema && !strcmp(schema, "inflight.comparison/1");
    return (pair ? add_comparison : add_measurement)(recorded, document, source, err);
}

int recorded_add(struct recorded *recorded, json_t *measurement, struct error *err)
{
    struct recorded_source own = {0};
    return recorded_add_from(recorded, measurement, &own, err);
}

/* ---- answering ---- */

/* To what it was when this was measured. */
static void adjust_latency(struct machine *machine, double memory_latency_ns)
{
    if (machine && memory_latency_ns > 0 && machine->memory_latency_ns.known)
        machine_scale_latency(machine,
                              memory_latency_ns / machine->memory_latency_ns.value);
}

int recorded_explain(struct measurement *out, const struct search_subject *subject,
                     struct machine *machine, int cores, struct error *err)
{
    if (!out->has_traffic || !out->time_s.known)
        return 0;
    struct kernel_counts counts = subject->counts(subject->data);
    adjust_latency(machine, out->memory_latency_ns);
    return measurement_explain(out, subject->machine, cores, &counts, err);
}

static int answer(const struct recorded *recorded, const struct record *record,
                  struct measurement *out, struct error *err)
{
    const struct search_subject *subject = recorded->subject;
    if (read_document(record->document, out, err))
        return -1;
    out->replayed = true;
    out->reused = record->source.reused || !recorded->behind;
    out->origin = record->source.origin;
    return recorded_explain(out, subject, recorded->machine, recorded->cores, err);
}

/* The run before it, whose results were compared at the full size since. */
static bool tells_again(const struct series_of *series, size_t i)
{
    return i && series->item[i].checked && !series->item[i].explained &&
           series->item[i].launches == series->item[i - 1].launches;
}

/* Time that the session spent on it before it was interrupted. A repeated measurement
 * tells of all its runs. */
static void skip(struct recorded *recorded, const struct series_of *series, size_t i)
{
    const struct record *record = &series->item[i],
                        *before = i ? &series->item[i - 1] : NULL;
    bool repeated = before && !record->explained &&
                    (record->launches > before->launches || tells_again(series, i));
    if (!record->source.reused)
        recorded->skipped_s += record->cost_s - (repeated ? before->cost_s : 0);
}

struct question {
    enum measure_effort effort;
    double stop_at_s;
};

/* A longer measurement answers for a shorter one, a failure for all; one that was stopped
 * for slow, only where it would be stopped again. */
static bool answers(const struct record *record, const struct question *asked)
{
    if (record->at_least_s > 0)
        return asked->effort == MEASURE_QUICK &&
               measurement_still_stops(record->at_least_s, asked->stop_at_s);
    return asked->effort == MEASURE_QUICK || record->explained || !record->timed ||
           (asked->effort == MEASURE_CHECK && record->checked);
}

/* Has it, given once, no more to say? */
static bool is_final(const struct record *record, const struct question *asked)
{
    const struct question longer = {.effort = MEASURE_FULL};
    return answers(record, record->at_least_s > 0 ? asked : &longer);
}

/* The place of this session's next answer; series->nr when there is none. */
static size_t next_own(const struct series_of *series, const struct question *asked)
{
    for (size_t i = series->next; i < series->nr; i++)
        if (answers(&series->item[i], asked) &&
            !(tells_again(series, i) && asked->effort != MEASURE_CHECK))
            return i;
    /* given already, and says all there is to say */
    return series->nr && is_final(&series->item[series->nr - 1], asked) ? series->nr - 1
                                                                        : series->nr;
}

static const struct record *next_record(struct recorded *recorded,
                                        const struct candidate *candidate,
                                        const struct question *asked)
{
    struct series_of *series = find(recorded, candidate->plan, &candidate->environment);
    if (!series)
        return NULL;
    if (!recorded->behind)
        return series->nr ? &series->item[series->nr - 1] : &series->other;
    size_t i = next_own(series, asked);
    if (i < series->nr) {
        if (i >= series->next)
            skip(recorded, series, i);
        series->next = i + 1;
        return &series->item[i];
    }
    bool other = series->other.document && answers(&series->other, asked) &&
                 (series->nr == 0 || asked->effort != MEASURE_QUICK);
    return other ? &series->other : NULL;
}

static void missing(const struct candidate *candidate, struct measurement *out)
{
    *out = measurement_begun(candidate, RUN_OUTCOME_NOT_BUILT);
    out->detail = xstrdup("not among the recorded measurements");
}

static int measure(void *data, const struct candidate *candidate,
                   enum measure_effort effort, double stop_at_s, struct measurement *out,
                   struct error *err)
{
    struct recorded *recorded = data;
    const struct record *record =
        next_record(recorded, candidate, &(struct question){effort, stop_at_s});
    if (record)
        return answer(recorded, record, out, err);
    if (recorded->behind)
        return recorded->behind->measure(recorded->behind->data, candidate, effort,
                                         stop_at_s, out, err);
    missing(candidate, out);
    return 0;
}

/* ---- comparisons ---- */

static bool same_candidate(const struct candidate *a, const struct candidate *b)
{
    return !strcmp(a->plan, b->plan) &&
           environments_equal(&a->environment, &b->environment);
}

/* This session's next answer to the question; else one of another session that took as
 * long as is asked for. */
static struct recorded_pair *find_pair(struct recorded *recorded,
                                       const struct compared *asked)
{
    struct recorded_pair *other = NULL;
    for (size_t i = 0; i < recorded->pair_nr; i++) {
        struct recorded_pair *pair = &recorded->pair[i];
        if (pair->comparison.file != asked->file ||
            pair->comparison.look != asked->look ||
            !same_candidate(&pair->comparison.a, &asked->a) ||
            !same_candidate(&pair->comparison.b, &asked->b))
            continue;
        if (!pair->source.origin && !pair->answered)
            return pair;
        if (pair->source.origin && pair->comparison.seconds >= asked->seconds)
            other = pair;
    }
    return other;
}

bool recorded_comparison(struct recorded *recorded, struct compared *comparison)
{
    struct recorded_pair *pair = find_pair(recorded, comparison);
    if (!pair)
        return false;
    pair->answered = true;
    if (!pair->source.reused)
        recorded->skipped_s += pair->comparison.cost_s;
    *comparison = pair->comparison;
    comparison->replayed = true;
    comparison->reused = pair->source.reused;
    comparison->origin = pair->source.origin;
    return true;
}

static void compare_times(const struct recorded *recorded, struct compared *comparison)
{
    const struct series_of *a = find(recorded, comparison->a.plan,
                                     &comparison->a.environment),
                           *b = find(recorded, comparison->b.plan,
                                     &comparison->b.environment);
    const struct record *left = a && a->nr ? &a->item[a->nr - 1] : NULL,
                        *right = b && b->nr ? &b->item[b->nr - 1] : NULL;
    if (left && right && left->timed && right->timed && right->seconds > 0)
        comparison->ratio =
            quantity_exact(left->seconds / right->seconds, PROVENANCE_RECORDED);
}

static int ask(struct recorded *recorded, struct compared comparison,
               struct quantity *ratio, struct error *err)
{
    const struct search_runner *behind = recorded->behind;
    double began_s = clock_s();
    int status = 0;
    if (!behind)
        compare_times(recorded, &comparison);
    else if (!recorded_comparison(recorded, &comparison)) {
        status = (comparison.look ? behind->look : behind->compare)(
            behind->data, &comparison.a, &comparison.b, comparison.seconds,
            &comparison.ratio, err);
        comparison.cost_s = clock_s() - began_s;
    }
    recorded->last = comparison;
    *ratio = comparison.ratio;
    return status;
}

static int compare(void *data, const struct candidate *a, const struct candidate *b,
                   double seconds, struct quantity *ratio, struct error *err)
{
    const struct compared comparison = {
        .a = *a, .b = *b, .seconds = seconds, .ratio = quantity_unknown()};
    return ask(data, comparison, ratio, err);
}

static int look(void *data, const struct candidate *a, const struct candidate *b,
                double seconds, struct quantity *ratio, struct error *err)
{
    const struct compared comparison = {
        .a = *a, .b = *b, .look = true, .seconds = seconds, .ratio = quantity_unknown()};
    return ask(data, comparison, ratio, err);
}

const struct compared *recorded_last(const struct recorded *recorded)
{
    return &recorded->last;
}

/* Only what will really be measured. */
static int prepare(void *data, const struct candidate *candidate, size_t nr,
                   struct error *err)
{
    const struct recorded *recorded = data;
    const struct search_runner *behind = recorded->behind;
    struct candidate *missing = xcalloc(nr + 1, sizeof(*missing));
    size_t missing_nr = 0;
    for (size_t i = 0; i < nr; i++)
        if (!find(recorded, candidate[i].plan, &candidate[i].environment))
            missing[missing_nr++] = candidate[i];
    int status = missing_nr ? behind->prepare(behind->data, missing, missing_nr, err) : 0;
    free(missing);
    return status;
}

static void costs(void *data, struct search_costs *costs)
{
    const struct search_runner *behind = ((struct recorded *)data)->behind;
    behind->costs(behind->data, costs);
}

static void window(void *data, size_t *max, size_t *ahead)
{
    const struct search_runner *behind = ((struct recorded *)data)->behind;
    behind->window(behind->data, max, ahead);
}

static void no_more(void *data)
{
    const struct search_runner *behind = ((struct recorded *)data)->behind;
    behind->no_more(behind->data);
}

static double left_s(void *data)
{
    const struct search_runner *behind = ((struct recorded *)data)->behind;
    return behind->left_s(behind->data);
}

struct search_runner recorded_runner(struct recorded *recorded)
{
    const struct search_runner *behind = recorded->behind;
    bool prepares = behind && behind->prepare;
    return (struct search_runner){.data = recorded,
                                  .measure = measure,
                                  .compare = compare,
                                  .look = behind && behind->look ? look : NULL,
                                  .prepare = prepares ? prepare : NULL,
                                  .prepare_min = prepares ? behind->prepare_min : 0,
                                  .prepare_max = prepares ? behind->prepare_max : 0,
                                  .window = behind && behind->window ? window : NULL,
                                  .asks_legality = behind && behind->asks_legality,
                                  .no_more = behind && behind->no_more ? no_more : NULL,
                                  .costs = behind && behind->costs ? costs : NULL,
                                  .left_s = behind && behind->left_s ? left_s : NULL,
                                  .left_of = behind ? behind->left_of : NULL};
}
