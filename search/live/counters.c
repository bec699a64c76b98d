#include "search/live/counters.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "core/base/buf.h"
#include "core/base/formula.h"

/* Presets of PAPI; of several formulas for one figure, the first that counts. */
static const struct {
    size_t at; /* in struct traffic */
    const char *formula;
} work_formulas[] = {
    {offsetof(struct traffic, instructions), "PAPI_TOT_INS"},
    {offsetof(struct traffic, flops), "PAPI_DP_OPS + PAPI_SP_OPS"},
    {offsetof(struct traffic, flops), "PAPI_FP_OPS"},
    {offsetof(struct traffic, branches_missed), "PAPI_BR_MSP"},
};

/* ---- opening ---- */

static bool counts(const struct strvec *event)
{
    struct papi_counter *counter = NULL;
    struct count_set set = {0};
    bool works = papi_counter_new((const char *const *)event->v, event->nr, NULL,
                                  &counter, NULL) == 0 &&
                 papi_counter_begin(counter, NULL, 0, NULL) == 0 &&
                 papi_counter_end(counter, &set, NULL) == 0;
    papi_counter_free(counter);
    count_set_release(&set);
    return works;
}

/* Names of the formulas whose events count here. */
static void find_work(struct strvec *event)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < ARRAY_SIZE(work_formulas); i++) {
        struct formula *formula;
        if (work_formulas[i].at == found ||
            formula_parse(work_formulas[i].formula, &formula, NULL))
            continue;
        if (counts(formula_names(formula))) {
            strvec_push_all(event, formula_names(formula));
            found = work_formulas[i].at;
        }
        formula_free(formula);
    }
}

static void open_group(struct counters_group *group, const struct strvec *event)
{
    if (event->nr)
        papi_counter_new((const char *const *)event->v, event->nr, NULL, &group->counter,
                         NULL);
}

void counters_open(struct counters *counters)
{
    struct papi_status status = {0};
    struct strvec work = {0};
    *counters = (struct counters){0};
    bool bandwidth = papi_probe(&status) == 0;
    papi_status_release(&status);
    if (bandwidth && papi_bandwidth_events(&counters->bandwidth, NULL) == 0)
        open_group(&counters->memory, &counters->bandwidth.event);
    find_work(&work);
    open_group(&counters->work, &work);
    strvec_release(&work);
    counters->usable = counters->memory.counter || counters->work.counter;
}

static void close_group(struct counters_group *group)
{
    papi_counter_free(group->counter);
    count_set_release(&group->total);
}

void counters_close(struct counters *counters)
{
    close_group(&counters->memory);
    close_group(&counters->work);
    papi_bandwidth_release(&counters->bandwidth);
    *counters = (struct counters){0};
}

/* ---- counting ---- */

static void reset_group(struct counters_group *group)
{
    count_set_release(&group->total);
    group->failed = !group->counter;
}

void counters_reset(struct counters *counters)
{
    reset_group(&counters->memory);
    reset_group(&counters->work);
    counters->failed = counters->memory.failed && counters->work.failed;
}

void counters_add(struct count_set *total, const struct count_set *launch)
{
    bool first = total->count_nr == 0;
    for (size_t i = 0; i < launch->count_nr; i++) {
        const struct event_count *from = &launch->count[i];
        if (first)
            count_set_add(total, from->event, from->value, from->share);
        struct event_count *to = &total->count[i];
        if (!first) {
            to->value = quantity_add_independent(to->value, from->value);
            to->share = fmin(to->share, from->share);
        }
        if (from->why && !to->why)
            to->why = xstrdup(from->why);
    }
    total->seconds =
        first ? launch->seconds : quantity_add(total->seconds, launch->seconds);
}

static void end_group(struct counters_group *group)
{
    struct count_set launch = {0};
    group->failed = papi_counter_end(group->counter, &launch, NULL) != 0;
    if (!group->failed)
        counters_add(&group->total, &launch);
    count_set_release(&launch);
}

int counters_at_gate(void *data, bool begin, const pid_t *pids, size_t nr,
                     struct error *err)
{
    struct counters *counters = data;
    struct counters_group *groups[] = {&counters->memory, &counters->work};
    (void)err;
    for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
        if (groups[i]->failed)
            continue;
        if (begin)
            groups[i]->failed =
                papi_counter_begin(groups[i]->counter, pids, nr, NULL) != 0;
        else
            end_group(groups[i]);
    }
    counters->failed = counters->memory.failed && counters->work.failed;
    return 0;
}

/* ---- into the traffic ---- */

/* The least share of the time that an event counted. */
static double min_share(const struct count_set *set)
{
    double min = 1;
    for (size_t i = 0; i < set->count_nr; i++)
        min = fmin(min, set->count[i].share);
    return min;
}

/* a - b, at least 0: two counts of about the same differ by their errors. */
static struct quantity rest(struct quantity a, struct quantity b)
{
    struct quantity all = b.known ? quantity_subtract(a, b) : a;
    if (!all.known)
        return all;
    return quantity_between(fmax(0, all.value), fmax(0, all.low), fmax(0, all.high),
                            all.runs, a.provenance);
}

static void say(struct traffic *traffic, const struct counters *counters)
{
    const char *source = counters->bandwidth.source;
    double share = min_share(&counters->memory.total);
    struct buf note = {0};
    buf_addf(&note, "memory traffic counted (%s)", source ? source : "PAPI");
    if (share < 1)
        buf_addf(&note, " in %.0f %% of the time and scaled", 100 * share);
    buf_add(&note, ", caches by the model");
    free(traffic->note);
    traffic->note = buf_detach(&note);
}

static void apply_bytes(const struct counters *counters, double calls,
                        struct traffic *traffic)
{
    struct traffic_edge *edge = &traffic->edge[traffic->level_nr - 1];
    double lines = calls * traffic->line_bytes;
    struct quantity read, written;
    if (papi_bandwidth_bytes(&counters->bandwidth, &counters->memory.total, &read,
                             &written, NULL))
        return;
    read = quantity_scale(read, 1 / lines);
    if (counters->bandwidth.together)
        read = rest(read, quantity_scale(traffic_write_bytes(traffic),
                                         1.0 / traffic->line_bytes));
    edge->fills = read;
    /* what is written past the caches is among the writes counted */
    if (counters->bandwidth.writebacks_included && written.known)
        edge->writebacks =
            rest(quantity_scale(written, 1 / lines), traffic->nontemporal_lines);
    traffic->provenance = PROVENANCE_PAPI;
    say(traffic, counters);
}

static struct quantity value_in(void *data, const char *name)
{
    const struct event_count *count = count_set_find(data, name);
    return count ? count->value : quantity_unknown();
}

static void apply_work(const struct count_set *total, double calls,
                       struct traffic *traffic)
{
    struct count_set set = *total; /* borrowed, for a pointer that is not const */
    for (size_t i = 0; i < ARRAY_SIZE(work_formulas); i++) {
        struct formula *formula;
        if (formula_parse(work_formulas[i].formula, &formula, NULL))
            continue;
        struct quantity value = formula_value(formula, value_in, &set, NULL, NULL);
        if (value.known)
            *(struct quantity *)(void *)((char *)traffic + work_formulas[i].at) =
                quantity_scale(value, 1 / calls);
        formula_free(formula);
    }
}

void counters_apply(const struct counters *counters, double calls,
                    struct traffic *traffic)
{
    if (counters->bandwidth.from && !counters->memory.failed && traffic->level_nr > 0)
        apply_bytes(counters, calls, traffic);
    if (!counters->work.failed)
        apply_work(&counters->work.total, calls, traffic);
}
