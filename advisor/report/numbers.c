#include "advisor/report/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "core/base.h"
#include "search/session/advice.h"
#include "search/session/measured.h"

/* ---- the machine as asked ---- */

/* A latency that was told goes before the curves, and is taken to hold up to their end.
 */
static void tell_latency(struct machine *machine, double gbs, double latency_ns)
{
    double end = gbs;
    for (size_t i = 0; i < machine->curve_nr; i++) {
        const struct machine_curve *curve = &machine->curve[i];
        if (curve->point_nr)
            end = fmax(end, curve->point[curve->point_nr - 1].gbs);
        free(curve->point);
    }
    machine->curve = xrealloc(machine->curve, 1, sizeof(*machine->curve));
    machine->curve[0] =
        (struct machine_curve){.read_share = 1,
                               .ceiling_gbs = quantity_unknown(),
                               .point = xcalloc(1, sizeof(struct machine_point)),
                               .point_nr = 1};
    machine->curve[0].point[0] = (struct machine_point){
        .gbs = end, .latency_ns = quantity_exact(latency_ns, PROVENANCE_DECLARED)};
    machine->curve_nr = machine->curve_alloc = 1;
}

static void tell_limit(struct machine_limit *limit, double entries)
{
    if (!(entries > 0))
        return;
    limit->used = limit->table = quantity_exact(entries, PROVENANCE_DECLARED);
    limit->probe = quantity_unknown();
    limit->probe_is_floor = false;
}

static int load(const struct question *question, struct machine *machine,
                struct error *err)
{
    if (profile_load(question->machine, question->memory, machine, err))
        return -1;
    if (question->line_bytes > 0) {
        machine->line_bytes = (int)question->line_bytes;
        machine->transfer_bytes = 0;
    }
    tell_limit(&machine->l1_mshrs, question->l1_mshrs);
    tell_limit(&machine->l2_mshrs, question->l2_mshrs);
    if (question->ceiling_gbs > 0) {
        machine->node_read_gbs = machine->node_copy_gbs =
            quantity_exact(question->ceiling_gbs, PROVENANCE_DECLARED);
        for (size_t i = 0; i < machine->curve_nr; i++)
            machine->curve[i].ceiling_gbs = machine->node_read_gbs;
    }
    if (question->latency_ns > 0)
        tell_latency(machine, question->gbs, question->latency_ns);
    return 0;
}

/* ---- how it reaches for memory ---- */

int access_parse(const char *text, const char *what, struct quantity *random_share,
                 struct error *err)
{
    double share = 0;
    bool random = !strcmp(text, "random");
    if (random || !strcmp(text, "streaming")) {
        *random_share = quantity_exact(random, PROVENANCE_DECLARED);
        return 0;
    }
    if (parse_number(text, what, &share, NULL) || share < 0 || share > 1)
        return fail(err, STATUS_USAGE,
                    "%s: expected random or streaming, or the random share such as 0.3, "
                    "got '%s'",
                    what, text);
    *random_share = quantity_exact(share, PROVENANCE_DECLARED);
    return 0;
}

int question_check(const struct settings *settings, struct error *err)
{
    struct machine machine = {0};
    struct rule_set *rules = NULL;
    struct quantity share;
    int status = rule_set_load_given(&settings->rules, &rules, err);
    rule_set_free(rules);
    if (!status && (settings->machine || settings->memory)) {
        status = profile_load(settings->machine ? settings->machine : "here",
                              settings->memory, &machine, err);
        machine_release(&machine);
    }
    if (!status && settings->access)
        status = access_parse(settings->access, "--access", &share, err);
    return status;
}

char *access_text(struct quantity share)
{
    if (!share.known)
        return xstrdup("access not told");
    if (share.value >= 1 || share.value <= 0)
        return xstrdup(share.value > 0 ? "random access" : "streaming access");
    return xasprintf("%.0f %% random access", 100 * share.value);
}

/* ---- the occupancy ---- */

/* Lines that moved so many bytes: a random miss may move less than a line. */
static struct quantity lines_of(const struct answer *answer, struct quantity bytes)
{
    int line = answer->machine.line_bytes,
        moved = machine_transfer_bytes(&answer->machine);
    struct quantity share = answer->random_share;
    if (share.known && share.low > 0.5)
        return quantity_scale(bytes, 1.0 / moved);
    if (share.known || !bytes.known)
        return quantity_scale(bytes, 1.0 / line);
    return quantity_between(bytes.value / line, bytes.low / line, bytes.high / moved,
                            bytes.runs, bytes.provenance);
}

/*
 * One second of one core. Only memory traffic is known; fills from caches count as none,
 * and a bandwidth that was typed as reads alone, as the paper's counters give it.
 */
static struct occupancy_case second_of(const struct answer *answer)
{
    const struct machine *machine = &answer->machine;
    struct quantity zero = quantity_exact(0, answer->read_gbs.provenance);
    struct quantity streaming = quantity_subtract(
        quantity_exact(1, answer->random_share.provenance), answer->random_share);
    struct quantity bytes = quantity_scale(answer->read_gbs, 1e9 / answer->cores);
    struct quantity lines = lines_of(answer, bytes);
    struct occupancy_case input = {.machine = machine,
                                   .time_s = answer->time_s,
                                   .cores = answer->cores,
                                   .chains = quantity_unknown(),
                                   .l1_misses_per_instruction = quantity_unknown()};
    int levels = machine->level_nr ? machine->level_nr : 1;
    input.work = (struct occupancy_work){
        .level_nr = levels,
        .l2_fill_from_l3 = zero,
        .l2_fill_from_memory = lines,
        .memory_read_bytes = bytes,
        .memory_write_bytes = quantity_scale(answer->write_gbs, 1e9 / answer->cores),
        .page_walks = quantity_unknown(),
        .flops = quantity_unknown(),
        .instructions = quantity_unknown(),
        .translation_hidden = true};
    for (int k = 0; k < levels; k++)
        input.work.l1_fill_from[k] = input.work.l1_covered_from[k] = zero;
    input.work.l1_fill_from[levels - 1] = lines;
    input.work.l1_covered_from[levels - 1] = quantity_multiply(lines, streaming);
    return input;
}

/* What was measured may lie a little above what the profile knows. */
static int check_reach(const struct answer *answer, struct error *err)
{
    const struct occupancy_resource *memory =
        &answer->occupancy.resource[RESOURCE_MEMORY];
    if (!memory->utilization.known || memory->utilization.low < 1.25)
        return 0;
    return fail(err, answer->given ? STATUS_INPUT : STATUS_USAGE,
                "%s: %.4g GB/s is %.1f times what '%s' reaches on %d cores; %s",
                answer->given ? answer->given->source : "--bandwidth", answer->gbs,
                memory->utilization.value, answer->machine.name, answer->cores,
                answer->given ? "check the counts, the time they cover, --machine and "
                                "--cores"
                              : "check the figure and its unit");
}

void answer_find_end(struct answer *answer)
{
    const struct machine *machine = &answer->machine;
    double share = answer->gbs > 0 ? answer->read_gbs.value / answer->gbs : 1;
    const struct machine_curve *used = machine_curve_near(machine, share);
    if (used && !machine_latency_ns(machine, answer->gbs, share).known)
        answer->end_gbs = used->point[used->point_nr - 1].gbs;
}

static int compute(struct answer *answer, struct error *err)
{
    struct occupancy_case input = second_of(answer);
    answer_find_end(answer);
    return occupancy_compute(&input, &answer->occupancy, err) || check_reach(answer, err)
               ? -1
               : 0;
}

/* ---- the verdicts ---- */

struct facts {
    struct rule_facts *facts;
    struct error *err;
    int status;
};

static void take_number(void *context, const char *metric, struct quantity value)
{
    struct facts *facts = context;
    if (!facts->status && value.known)
        facts->status = rule_facts_number(facts->facts, metric, value, facts->err);
}

static void take_word(void *context, const char *metric, const char *word)
{
    struct facts *facts = context;
    if (!facts->status)
        facts->status = rule_facts_word(facts->facts, metric, word, facts->err);
}

static void put_counted(void *context, const char *fact, struct quantity share)
{
    (void)counted_put(context, fact, share);
}

static void hear_counters(struct answer *answer)
{
    struct counted counted = {0};
    metrics_facts_tell(&answer->given->facts, put_counted, &counted);
    diagnosis_count(&answer->occupancy.diagnosis, &answer->occupancy, &counted);
}

int answer_judge(struct answer *answer, const struct rule_set *rules, struct error *err)
{
    if (answer->given)
        hear_counters(answer);
    struct facts facts = {rule_facts_new(), err, 0};
    struct occupancy_sink sink = {take_number, take_word, &facts};
    occupancy_metrics(&answer->occupancy, &sink);
    if (answer->pages) {
        bool available =
            answer->machine.huge_pages_available && strcmp(answer->pages, "huge");
        take_word(&facts, "pages", answer->pages);
        take_word(&facts, "hugepages_available", available ? "yes" : "no");
    }
    take_number(&facts, "threads_used", quantity_exact(1, PROVENANCE_DECLARED));
    take_number(&facts, "prefetch_l2_gain", answer->machine.prefetch_l2_gain);
    take_number(&facts, "free_threads",
                quantity_exact(answer->machine.threads_per_core - 1, PROVENANCE_TABLE));
    if (answer->given)
        metrics_facts_tell(&answer->given->facts, take_number, &facts);
    int status =
        facts.status ? -1 : rule_set_judge(rules, facts.facts, &answer->verdicts, err);
    rule_facts_free(facts.facts);
    for (size_t i = 0; !status && i < answer->verdicts.nr; i++) {
        struct rule_verdict *verdict = &answer->verdicts.item[i];
        if ((verdict->verdict == VERDICT_TRY || verdict->verdict == VERDICT_ALLOW) &&
            answer_bound(answer, verdict).value < ADVICE_MIN_BOUND)
            verdict->verdict = VERDICT_STOP; /* it cannot pay */
    }
    return status;
}

/* What was typed is taken as reads. */
static void take_rates(const struct question *question, struct answer *answer)
{
    bool counted = question->read_gbs.known;
    answer->read_gbs =
        counted ? question->read_gbs : quantity_exact(question->gbs, PROVENANCE_DECLARED);
    answer->write_gbs =
        counted ? question->write_gbs : quantity_exact(0, PROVENANCE_DECLARED);
    answer->gbs = quantity_add(answer->read_gbs, answer->write_gbs).value;
}

int answer_question(const struct question *question, const struct rule_set *rules,
                    struct answer *answer, struct error *err)
{
    *answer = (struct answer){.random_share = question->random_share,
                              .time_s = quantity_exact(1, PROVENANCE_DECLARED),
                              .given = question->given};
    take_rates(question, answer);
    int status = load(question, &answer->machine, err);
    answer->cores = question->cores ? question->cores : answer->machine.cores;
    if (!status)
        status = compute(answer, err);
    if (!status)
        status = answer_judge(answer, rules, err);
    if (status)
        answer_release(answer);
    return status;
}

void given_release(struct given *given)
{
    free(given->title);
    free(given->source);
    strvec_release(&given->note);
    json_decref(given->document);
    metrics_facts_release(&given->facts);
    *given = (struct given){0};
}

void answer_release(struct answer *answer)
{
    rule_verdicts_release(&answer->verdicts);
    occupancy_release(&answer->occupancy);
    machine_release(&answer->machine);
    *answer = (struct answer){0};
}

struct quantity answer_bound(const struct answer *answer,
                             const struct rule_verdict *verdict)
{
    return verdict_bound(verdict, &answer->occupancy, answer->time_s);
}
