/* Answers from recorded measurements first: an interrupted session goes on, a recorded
 * space replays without a compiler. */
#include <stdlib.h>
#include <string.h>

#include "search/search.h"

struct record {
    char *plan;
    struct environment environment;
    bool explained, timed;
    double seconds;
    json_t *document;
    double at_least_s; /* above 0: stopped for slow */
};

struct recorded {
    const struct search_runner *behind;
    const struct search_subject *subject;
    int cores;
    struct record *item;
    size_t nr, alloc;
};

struct recorded *recorded_new(const struct search_runner *behind,
                              const struct search_subject *subject, int cores)
{
    struct recorded *recorded = xcalloc(1, sizeof(*recorded));
    *recorded = (struct recorded){.behind = behind, .subject = subject, .cores = cores};
    return recorded;
}

static void record_release(struct record *record)
{
    free(record->plan);
    json_decref(record->document);
}

void recorded_free(struct recorded *recorded)
{
    if (!recorded)
        return;
    for (size_t i = 0; i < recorded->nr; i++)
        record_release(&recorded->item[i]);
    free(recorded->item);
    free(recorded);
}

size_t recorded_nr(const struct recorded *recorded)
{
    return recorded->nr;
}

static struct record *find(const struct recorded *recorded, const char *plan,
                           const struct environment *environment)
{
    for (size_t i = 0; i < recorded->nr; i++)
        if (!strcmp(recorded->item[i].plan, plan) &&
            environments_equal(&recorded->item[i].environment, environment))
            return &recorded->item[i];
    return NULL;
}

static int read_document(json_t *document, struct measurement *out, struct error *err)
{
    struct json_at at = json_top("recorded measurement", document);
    return measurement_from_json(&at, out, err);
}

int recorded_add(struct recorded *recorded, json_t *measurement, struct error *err)
{
    struct measurement read = {0};
    if (read_document(measurement, &read, err))
        return -1;
    struct record record = {
        xstrdup(read.plan), read.environment,         read.has_traffic, read.time_s.known,
        read.time_s.value,  json_incref(measurement), read.at_least_s};
    bool lost = read.outcome == RUN_OUTCOME_INTERRUPTED;
    measurement_release(&read);
    struct record *old = find(recorded, record.plan, &record.environment);
    if (lost || (old && old->explained && !record.explained)) {
        record_release(&record);
        return 0;
    }
    if (old) {
        record_release(old);
        *old = record;
        return 0;
    }
    GROW(recorded->item, recorded->nr + 1, recorded->alloc);
    recorded->item[recorded->nr++] = record;
    return 0;
}

static int answer(const struct recorded *recorded, const struct record *record,
                  struct measurement *out, struct error *err)
{
    const struct search_subject *subject = recorded->subject;
    if (read_document(record->document, out, err))
        return -1;
    out->replayed = true;
    if (!out->has_traffic || !out->time_s.known)
        return 0;
    struct kernel_counts counts = subject->counts(subject->data);
    return measurement_explain(out, subject->machine, recorded->cores, &counts, err);
}

static void missing(const struct candidate *candidate, struct measurement *out)
{
    *out = (struct measurement){.plan = xstrdup(candidate->plan),
                                .environment = candidate->environment,
                                .outcome = RUN_OUTCOME_NOT_BUILT,
                                .detail = xstrdup("not among the recorded measurements"),
                                .time_s = quantity_unknown(),
                                .huge_bytes = -1};
}

/* A longer measurement answers for a shorter one, a failure for all; one that was stopped
 * for slow, only where it would be stopped again. */
static bool still_holds(const struct record *record, enum measure_effort effort,
                        double stop_at_s)
{
    if (record->at_least_s > 0)
        return effort == MEASURE_QUICK &&
               measurement_still_stops(record->at_least_s, stop_at_s);
    return effort == MEASURE_QUICK || record->explained || !record->timed;
}

static int measure(void *data, const struct candidate *candidate,
                   enum measure_effort effort, double stop_at_s, struct measurement *out,
                   struct error *err)
{
    const struct recorded *recorded = data;
    const struct record *record =
        find(recorded, candidate->plan, &candidate->environment);
    if (record && (!recorded->behind || still_holds(record, effort, stop_at_s)))
        return answer(recorded, record, out, err);
    if (recorded->behind)
        return recorded->behind->measure(recorded->behind->data, candidate, effort,
                                         stop_at_s, out, err);
    missing(candidate, out);
    return 0;
}

static int compare(void *data, const struct candidate *a, const struct candidate *b,
                   double seconds, struct quantity *ratio, struct error *err)
{
    const struct recorded *recorded = data;
    if (recorded->behind)
        return recorded->behind->compare(recorded->behind->data, a, b, seconds, ratio,
                                         err);
    const struct record *left = find(recorded, a->plan, &a->environment);
    const struct record *right = find(recorded, b->plan, &b->environment);
    *ratio = quantity_unknown();
    if (left && right && left->timed && right->timed && right->seconds > 0)
        *ratio = quantity_exact(left->seconds / right->seconds, PROVENANCE_RECORDED);
    return 0;
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

struct search_runner recorded_runner(struct recorded *recorded)
{
    const struct search_runner *behind = recorded->behind;
    bool prepares = behind && behind->prepare;
    return (struct search_runner){recorded, measure, compare, prepares ? prepare : NULL,
                                  prepares ? behind->prepare_most : 0};
}
