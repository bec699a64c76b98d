#include "bench/paper_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/machine.h"

static const char rows_path[] = INFLIGHT_SOURCE_DIR "/tests/data/paper/rows.json";
static const double gain = 1.05, loss = 0.98;

/* ---- reading ---- */

static int number_of(const struct json_at *at, const char *key, double *out,
                     struct error *err)
{
    return json_number_at(at, key, -INFINITY, INFINITY, out, err);
}

static int by_id(const struct json_at *list, const char *id, struct json_at *out,
                 struct error *err)
{
    for (size_t i = 0; i < json_array_size(list->node); i++) {
        const char *other;

        *out = json_element(list, i);
        if (json_string_at(out, "id", &other, err))
            return -1;
        if (strcmp(other, id) == 0)
            return 0;
    }
    return json_fail(list, err, "has no \"%s\"", id);
}

static int read_figures(struct paper_row *row, struct error *err)
{
    const struct {
        const char *key;
        double *out;
    } figure[] = {{"bandwidth_gbs", &row->gbs},
                  {"latency_ns", &row->latency_ns},
                  {"occupancy", &row->occupancy},
                  {"threads", &row->threads}};

    for (size_t i = 0; i < ARRAY_SIZE(figure); i++)
        if (number_of(&row->at, figure[i].key, figure[i].out, err))
            return -1;
    if (row->tried &&
        (number_of(&row->at, "speedup", &row->speedup, err) ||
         json_string_at(&row->at, "transformation", &row->transformation, err)))
        return -1;
    return number_of(&row->application, "random_share", &row->random_share, err);
}

static int read_row(const struct paper *paper, size_t i, struct paper_row *row,
                    struct error *err)
{
    const char *machine;

    *row = (struct paper_row){.at = json_element(&paper->list, i)};
    row->consistent = !json_has(&row->at, "inconsistent");
    row->tried = json_has(&row->at, "speedup");
    if (json_string_at(&row->at, "id", &row->id, err) ||
        json_string_at(&row->at, "app", &row->application_id, err) ||
        json_string_at(&row->at, "machine", &machine, err) ||
        by_id(&paper->applications, row->application_id, &row->application, err) ||
        by_id(&paper->machines, machine, &row->machine, err))
        return -1;
    return read_figures(row, err);
}

int paper_read(struct paper *paper, struct error *err)
{
    size_t nr;

    *paper = (struct paper){0};
    if (json_read_file(rows_path, "inflight.paper-rows/1", &paper->root, err))
        return -1;
    paper->top = json_top(rows_path, paper->root);
    if (json_array_at(&paper->top, "machines", &paper->machines, &nr, err) ||
        json_array_at(&paper->top, "applications", &paper->applications, &nr, err) ||
        json_array_at(&paper->top, "rows", &paper->list, &paper->nr, err))
        return -1;
    paper->row = xcalloc(paper->nr ? paper->nr : 1, sizeof(*paper->row));
    for (size_t i = 0; i < paper->nr; i++)
        if (read_row(paper, i, &paper->row[i], err))
            return -1;
    return 0;
}

void paper_release(struct paper *paper)
{
    free(paper->row);
    json_decref(paper->root);
    *paper = (struct paper){0};
}

enum paper_class paper_class_of(double speedup)
{
    return speedup > gain ? PAPER_GAIN : speedup < loss ? PAPER_LOSS : PAPER_MARGINAL;
}

const char *paper_class_word(enum paper_class class)
{
    static const char *const word[] = {
        [PAPER_GAIN] = "gain", [PAPER_MARGINAL] = "marginal", [PAPER_LOSS] = "loss"};

    return word[class];
}

/* ---- from the row to the facts ---- */

static struct quantity given_as(double value)
{
    return quantity_exact(value, PROVENANCE_TABLE);
}

static int interval_of(const struct json_at *at, struct quantity *out, struct error *err)
{
    double value, low, high;

    if (number_of(at, "value", &value, err) || number_of(at, "low", &low, err) ||
        number_of(at, "high", &high, err))
        return -1;
    *out = quantity_between(value, low, high, 0, PROVENANCE_TABLE);
    return 0;
}

static int read_machine(const struct paper_row *row, struct machine *machine,
                        struct error *err)
{
    struct json_at achievable;
    double cores, line, l1, l2;

    if (number_of(&row->machine, "cores_used", &cores, err) ||
        number_of(&row->machine, "line_bytes", &line, err) ||
        number_of(&row->machine, "l1_mshrs", &l1, err) ||
        number_of(&row->machine, "l2_mshrs", &l2, err) ||
        json_object_at(&row->machine, "achievable_gbs", &achievable, err) ||
        interval_of(&achievable, &machine->node_read_gbs, err))
        return -1;
    machine->cores = (int)cores;
    machine->line_bytes = (int)line;
    machine->l1_mshrs.used = given_as(l1);
    machine->l2_mshrs.used = given_as(l2);
    return 0;
}

static void fill_work(const struct paper_row *row, const struct machine *machine,
                      struct occupancy_work *work)
{
    struct quantity lines =
        given_as(row->gbs * 1e9 / machine->line_bytes / machine->cores);

    *work = (struct occupancy_work){.level_nr = 2, .translation_hidden = true};
    work->l1_fill_from[0] = work->l1_covered_from[0] = given_as(0);
    work->l1_fill_from[1] = work->l2_fill_from_memory = lines;
    work->l1_covered_from[1] = quantity_scale(lines, 1 - row->random_share);
    work->memory_read_bytes = quantity_scale(lines, machine->line_bytes);
    work->memory_write_bytes = given_as(0);
}

/* A curve of the row's own point: rows of one machine have different mixes of reads and
 * writes. */
int paper_occupancy(const struct paper_row *row, struct occupancy *out, struct error *err)
{
    struct machine_point point[] = {
        {.gbs = 0, .latency_ns = given_as(row->latency_ns)},
        {.gbs = row->gbs, .latency_ns = given_as(row->latency_ns)},
        {.gbs = 2 * row->gbs, .latency_ns = given_as(row->latency_ns)}};
    struct machine_curve curve = {.read_share = 1, .point = point, .point_nr = 3};
    struct machine machine = {.curve = &curve, .curve_nr = 1};
    struct occupancy_case input = {.machine = &machine, .time_s = given_as(1)};

    if (read_machine(row, &machine, err))
        return -1;
    input.cores = machine.cores;
    fill_work(row, &machine, &input.work);
    return occupancy_compute(&input, out, err);
}

struct taking {
    struct rule_facts *facts;
    struct error *err;
    int status;
};

static void take_number(void *context, const char *metric, struct quantity value)
{
    struct taking *taking = context;

    if (!taking->status)
        taking->status = rule_facts_number(taking->facts, metric, value, taking->err);
}

static void take_word(void *context, const char *metric, const char *word)
{
    struct taking *taking = context;

    if (!taking->status)
        taking->status = rule_facts_word(taking->facts, metric, word, taking->err);
}

static void take_input(struct taking *taking, const struct json_at *input)
{
    struct quantity value = quantity_unknown();
    const char *metric = "", *word = "";

    if (!taking->status)
        taking->status = json_string_at(input, "metric", &metric, taking->err);
    if (taking->status)
        return;
    if (json_has(input, "word")) {
        taking->status = json_string_at(input, "word", &word, taking->err);
        take_word(taking, metric, word);
    } else {
        taking->status = interval_of(input, &value, taking->err);
        take_number(taking, metric, value);
    }
}

/* Further inputs, of an application or of a row. */
static void take_inputs(struct taking *taking, const struct json_at *owner,
                        enum paper_given given)
{
    const json_t *list = json_object_get(owner->node, "inputs");

    for (size_t i = 0; i < json_array_size(list); i++) {
        struct json_at at = {owner->file, list, owner, "inputs", 0};
        struct json_at input = json_element(&at, i);

        if ((!json_has(&input, "assumed") || given >= PAPER_ASSUMED) &&
            (!json_has(&input, "hindsight") || given >= PAPER_AFTER))
            take_input(taking, &input);
    }
}

static struct rule_facts *paper_facts(const struct paper_row *row, enum paper_given given,
                                      struct error *err)
{
    struct taking taking = {rule_facts_new(), err, 0};
    struct occupancy_sink sink = {take_number, take_word, &taking};
    struct occupancy now;
    double threads = 0;

    taking.status = number_of(&row->machine, "threads_per_core", &threads, err);
    if (!taking.status && paper_occupancy(row, &now, err) == 0) {
        occupancy_metrics(&now, &sink);
        occupancy_release(&now);
        take_number(&taking, "threads_used", given_as(row->threads));
        take_number(&taking, "free_threads", given_as(threads - row->threads));
        take_inputs(&taking, &row->application, given);
        take_inputs(&taking, &row->at, given);
    } else {
        taking.status = -1;
    }
    if (!taking.status)
        return taking.facts;
    rule_facts_free(taking.facts);
    return NULL;
}

/* ---- judging ---- */

int paper_judge(const struct rule_set *set, const struct paper_row *row,
                enum paper_given given, struct paper_opinion *out, struct error *err)
{
    struct rule_facts *facts = paper_facts(row, given, err);
    struct rule_verdicts verdicts = {0};
    const struct rule_verdict *verdict;

    *out = (struct paper_opinion){0};
    if (!facts)
        return -1;
    if (rule_set_judge(set, facts, &verdicts, err) == 0) {
        verdict = rule_verdicts_deciding(&verdicts, row->transformation);
        if (verdict) {
            out->verdict = verdict->verdict;
            out->advised = verdict->verdict == VERDICT_TRY;
            snprintf(out->rule, sizeof(out->rule), "%s", verdict->rule);
        }
        rule_verdicts_release(&verdicts);
    }
    rule_facts_free(facts);
    return 0;
}

void paper_count(struct paper_tally *tally, const struct paper_row *row,
                 const struct paper_opinion *opinion)
{
    enum paper_class class = paper_class_of(row->speedup);

    tally->nr++;
    tally->of[opinion->advised][class]++;
    tally->agree += opinion->advised == (class == PAPER_GAIN);
}
