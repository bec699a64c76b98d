/* What counters tell the rules, as a document and as text. */
#include "advisor/metrics/metrics_facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/metrics/metrics_columns.h"
#include "advisor/metrics/metrics_measure.h"
#include "advisor/report/report_read.h"
#include "advisor/session/context.h"
#include "advisor/session/context_remote.h"
#include "core/cpu/cpu.h"
#include "core/occupancy/occupancy.h"
#include "search/live/live.h"
#include "search/session/session.h"

/* ---- which definitions ---- */

/* No definitions are no mistake; wrong ones are. */
static struct metric_set *load(const char *name, const char *cpu, struct strvec *note)
{
    struct metric_set *set = NULL;
    struct error err = {0};
    if (metric_set_load(name, cpu, &set, &err) && err.status == STATUS_INPUT)
        strvec_pushf(note, "the other counts are not used: %s", err.text);
    return set;
}

/* What the CPU's file names. */
static struct metric_set *of_microarchitecture(const char *name, struct strvec *note)
{
    const struct cpu_table *table;
    struct metric_set *set = NULL;
    const struct cpu *cpu;
    int status = cpu_table_get(&table, NULL);
    cpu = cpu_named(table, name);
    if (!status && cpu && cpu->metrics_nr)
        set = load(cpu->metrics[0].name, NULL, note);
    return set;
}

static struct metric_set *found(const struct metrics_facts_question *question,
                                struct strvec *note)
{
    const char *cpu = question->counts->cpu, *name = question->machine->microarchitecture;
    struct metric_set *set = cpu ? load(NULL, cpu, note) : NULL;
    return set || !name ? set : of_microarchitecture(name, note);
}

static int named(const struct metrics_facts_question *question, struct metric_set **set,
                 struct error *err)
{
    const char *cpu = question->counts->cpu;
    if (metric_set_load(question->definitions, NULL, set, err))
        return -1;
    if (!cpu || metric_set_cpu(*set, cpu) != METRIC_CPU_OTHER)
        return 0;
    fail(err, STATUS_INPUT,
         "the counts are of '%s', not of '%s' (%s), which --cpu names: leave --cpu out, "
         "or count there",
         cpu, (*set)->name, (*set)->title);
    metric_set_free(*set);
    *set = NULL;
    return -1;
}

static bool any_known(const struct metrics_facts *facts)
{
    for (size_t i = 0; i < facts->set->metric_nr; i++)
        if (facts->set->metric[i].fact && facts->result.value[i].value.known)
            return true;
    return false;
}

/* By `set`, which is taken over; {0} again where none of its facts is known. */
static void facts_take(struct metric_set *set, const struct count_set *counts,
                       const struct metric_given *given, size_t given_nr,
                       struct metrics_facts *facts)
{
    *facts = (struct metrics_facts){.set = set};
    if (!set)
        return;
    metric_evaluate(&(struct metric_question){set, counts, given, given_nr},
                    &facts->result);
    facts->source = counts->source ? xstrdup(counts->source) : NULL;
    if (!any_known(facts))
        metrics_facts_release(facts);
}

int metrics_facts_of(const struct metrics_facts_question *question,
                     struct metrics_facts *facts, struct strvec *note, struct error *err)
{
    const struct machine *machine = question->machine;
    const struct metric_given given[] = {
        {"line_bytes", quantity_exact(machine->line_bytes, PROVENANCE_TABLE)},
        {"cores", quantity_exact(question->cores, PROVENANCE_DECLARED)},
        {"vector_bits", machine->simd_bytes
                            ? quantity_exact(8.0 * machine->simd_bytes, PROVENANCE_TABLE)
                            : quantity_unknown()}};
    struct metric_set *set = NULL;
    *facts = (struct metrics_facts){0};
    if (question->definitions && named(question, &set, err))
        return -1;
    facts_take(question->definitions ? set : found(question, note), question->counts,
               given, ARRAY_SIZE(given), facts);
    if (question->definitions && !facts->set)
        strvec_pushf(note,
                     "the counters tell the rules nothing: no metric of '%s', which "
                     "--cpu names, can be computed from these counts",
                     question->definitions);
    return 0;
}

void metrics_facts_release(struct metrics_facts *facts)
{
    metric_result_release(&facts->result);
    metric_set_free(facts->set);
    free(facts->source);
    *facts = (struct metrics_facts){0};
}

/* ---- what the rules are told ---- */

static bool in_breach(const struct metrics_facts *facts, const struct metric *metric)
{
    for (size_t i = 0; i < facts->result.breach_nr; i++)
        if (facts->result.breach[i].model == metric->model &&
            facts->result.breach[i].parent == metric->parent)
            return true;
    return false;
}

/*
 * What the rules are told of metric `at`: a share of the parent as that of the whole.
 * Unknown, with the reason in *why (caller frees), where it is not to be trusted: out of
 * its range, part of a sum that does not fit, counted in less than METRIC_SHARE_MIN of
 * the time.
 */
static struct quantity given_of(const struct metrics_facts *facts, size_t at, char **why)
{
    const struct metric *metric = &facts->set->metric[at];
    const struct metric_value *value = &facts->result.value[at];
    bool of_parent = metric->of && !strcmp(metric->of, "parent");
    struct quantity reported = of_parent ? value->whole : value->value;
    *why = NULL;
    if (!reported.known)
        *why = xstrdup(value->why ? value->why : "what it is a share of is not known");
    else if (value->out_of_range)
        *why = xasprintf("%.4g cannot be", value->value.value);
    else if (in_breach(facts, metric))
        *why = xstrdup("it and its siblings do not sum to what they should");
    else if (value->share > 0 && value->share < METRIC_SHARE_MIN)
        *why = xasprintf("its events were counted only %.0f %% of the time",
                         100 * value->share);
    return *why ? quantity_unknown() : reported;
}

static bool was_reported(const struct metrics_facts *facts, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        char *why = NULL;
        bool known = facts->set->metric[i].fact &&
                     !strcmp(facts->set->metric[i].fact, facts->set->metric[at].fact) &&
                     given_of(facts, i, &why).known;
        free(why);
        if (known)
            return true;
    }
    return false;
}

void metrics_facts_tell(const struct metrics_facts *facts,
                        void (*take)(void *context, const char *fact,
                                     struct quantity value),
                        void *context)
{
    for (size_t i = 0; facts->set && i < facts->set->metric_nr; i++) {
        char *why = NULL;
        if (!facts->set->metric[i].fact)
            continue;
        struct quantity value = given_of(facts, i, &why);
        if (value.known && !was_reported(facts, i))
            take(context, facts->set->metric[i].fact, value);
        free(why);
    }
}

/* ---- beside the occupancy ---- */

/* What bandwidth and latency say of the same. */
static struct quantity beside(const struct occupancy *occupancy, const char *fact)
{
    static const struct {
        const char *fact;
        enum resource resource;
        bool lines; /* else the share of the queue that is used */
    } row[] = {{"counted_l1_occupancy", RESOURCE_L1_QUEUE, true},
               {"counted_l2_occupancy", RESOURCE_L2_QUEUE, true},
               {"l1_full_share", RESOURCE_L1_QUEUE, false},
               {"l2_full_share", RESOURCE_L2_QUEUE, false}};
    for (size_t i = 0; occupancy && i < ARRAY_SIZE(row); i++)
        if (!strcmp(row[i].fact, fact))
            return row[i].lines ? occupancy->resource[row[i].resource].n
                                : occupancy->resource[row[i].resource].utilization;
    return quantity_unknown();
}

/* Of what the share is, at the top where it is one of its parent; "" = no share. */
static const char *whole_of(const struct metric_set *set, const struct metric *metric)
{
    while (metric->of && !strcmp(metric->of, "parent"))
        metric = &set->metric[metric->parent];
    return metric->of ? metric->of : "";
}

static json_t *fact_json(const struct metrics_facts *facts, size_t at,
                         const struct occupancy *occupancy)
{
    const struct metric *metric = &facts->set->metric[at];
    char *why = NULL;
    struct quantity reported = given_of(facts, at, &why);
    json_t *json = json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "name", metric->name, "fact",
        metric->fact, "unit", metric->unit, "of", whole_of(facts->set, metric), "value",
        json_quantity(reported), "counted", json_quantity(facts->result.value[at].value),
        "by_bandwidth", json_quantity(beside(occupancy, metric->fact)), "why_not",
        text_json(why));
    free(why);
    return json;
}

json_t *metrics_facts_json(const struct metrics_facts *facts,
                           const struct occupancy *occupancy)
{
    json_t *list;
    if (!facts->set)
        return json_null();
    list = json_array();
    for (size_t i = 0; i < facts->set->metric_nr; i++)
        if (facts->set->metric[i].fact && !facts->result.value[i].absent)
            json_array_append_new(list, fact_json(facts, i, occupancy));
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "definitions", facts->set->name,
                     "title", facts->set->title, "source", text_json(facts->source),
                     "metrics", list, "notes", json_strvec(&facts->result.note));
}

/* "51 % (48 to 55)", "7.9 lines [7.2, 8.6]" */
static void add_figure(const json_t *quantity, const char *unit, struct buf *out)
{
    if (!strcmp(unit, "share"))
        buf_add_share(out, report_value(quantity));
    else
        buf_add_figure(out, report_value(quantity), 1, unit);
}

/* What bandwidth and latency say of the same, and why that may be another number. */
static void add_beside(const json_t *value, const json_t *other, const char *unit,
                       struct buf *out)
{
    bool share = !strcmp(unit, "share");
    buf_add(out, share ? "; by bandwidth and latency, its fill level is "
                       : "; by bandwidth and latency ");
    add_figure(other, unit, out);
    if (share)
        return;
    if (report_figure(value, "low") > report_figure(other, "high"))
        buf_add(out, ": fewer, so misses that other caches serve are not among them, or "
                     "misses take longer than the profile says");
    if (report_figure(value, "high") < report_figure(other, "low"))
        buf_add(out, ": more, so prefetchers fetch some ahead, or memory answers sooner "
                     "than the profile says");
}

/* NULL = it was not counted. Caller frees. */
static char *fact_text(const json_t *fact)
{
    const char *unit = report_word(fact, "unit"), *of = report_word(fact, "of");
    const json_t *value = report_quantity(fact, "value"),
                 *other = report_quantity(fact, "by_bandwidth");
    struct buf line = {0};
    if (!report_quantity(fact, "counted"))
        return NULL;
    if (value)
        add_figure(value, unit, &line);
    else
        buf_addf(&line, "not passed to the rules: %s", report_word(fact, "why_not"));
    if (value && *of)
        buf_addf(&line, " of %s", of);
    if (value && other)
        add_beside(value, other, unit, &line);
    return buf_detach(&line);
}

void metrics_facts_text(const json_t *facts, size_t width, struct buf *out)
{
    const json_t *fact;
    size_t i;
    if (!json_is_object(facts))
        return;
    buf_addf(out, "  Counters beside it, by the definitions of %s:\n",
             report_word(facts, "definitions"));
    json_array_foreach(json_object_get(facts, "metrics"), i, fact) {
        char *line = fact_text(fact);
        if (!line)
            continue;
        buf_addf(out, "    %-18s ", report_word(fact, "name"));
        buf_add_wrapped(out, line, 23, width);
        buf_add(out, "\n");
        free(line);
    }
}

/* ---- counting ---- */

static int count_runs(struct context *bench, struct metrics_measured *measured,
                      struct count_set *counts, struct error *err)
{
    const struct metrics_request request = {
        .settings = bench->settings, .cpu = bench->settings->cpu, .facts = true};
    double variation = 0;
    *counts = (struct count_set){.seconds = quantity_unknown()};
    if (metrics_of_bench(bench, &request, measured, err))
        return -1;
    return measured->run_nr == 0 ? 0
                                 : metric_runs_combine(measured->run, measured->run_nr,
                                                       counts, &variation, err);
}

int metrics_count(struct context *bench, struct count_set *counts, struct error *err)
{
    struct metrics_measured measured = {0};
    int status = count_runs(bench, &measured, counts, err);
    if (!status && !counts->count_nr)
        strvec_push_all(&counts->note, &measured.note);
    metrics_measured_release(&measured);
    return status;
}

static int tell_here(struct context *bench, struct strvec *note, struct error *err)
{
    struct metrics_measured measured = {0};
    struct count_set counts;
    int status = count_runs(bench, &measured, &counts, err);
    if (!status && counts.count_nr) {
        facts_take(measured.set, &counts, measured.given, measured.given_nr,
                   &bench->facts);
        measured.set = NULL;
    }
    strvec_push_all(note, &measured.note);
    count_set_release(&counts);
    metrics_measured_release(&measured);
    return status;
}

/* Counters are read where it runs. Whoever names definitions is believed, as here. */
static int tell_of_node(struct context *bench, struct strvec *note, struct error *err)
{
    const char *named = bench->settings->cpu;
    struct count_set counts;
    struct metrics_facts_question question = {&counts, &bench->machine,
                                              (int)live_copies(bench->live), named};
    if (context_remote_counts(bench, &counts, err))
        return -1;
    if (named) {
        free(counts.cpu);
        counts.cpu = NULL;
    }
    int status = 0;
    if (counts.count_nr)
        status = metrics_facts_of(&question, &bench->facts, note, err);
    else
        strvec_push_all(note, &counts.note);
    count_set_release(&counts);
    return status;
}

int metrics_tell(struct context *bench, struct error *err)
{
    const char *named = bench->settings->cpu;
    struct strvec note = {0};
    struct error why = {0};
    int status =
        bench->remote ? tell_of_node(bench, &note, &why) : tell_here(bench, &note, &why);
    if (!status && named && !bench->facts.set)
        progress_note(&bench->progress, "counters tell the rules nothing: %s",
                      note.nr ? note.v[0] : "--cpu's definitions have no facts for them");
    strvec_release(&note);
    if (status && (spawn_interrupted() || named))
        return fail(err, why.status, "%s", why.text);
    if (status)
        progress_note(&bench->progress, "counters are left out: %s", why.text);
    return 0;
}

/* ---- telling ---- */

struct list {
    struct search_fact *fact;
    size_t nr, alloc;
};

static void take(void *context, const char *fact, struct quantity value)
{
    struct list *list = context;
    GROW(list->fact, list->nr + 1, list->alloc);
    list->fact[list->nr++] = (struct search_fact){fact, value};
}

size_t metrics_reported(const struct context *bench, struct search_fact **fact)
{
    struct list list = {0};
    metrics_facts_tell(&bench->facts, take, &list);
    *fact = list.fact;
    return list.nr;
}
