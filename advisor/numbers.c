#include "advisor/numbers.h"

#include <math.h>
#include <stdlib.h>

#include "advisor/profiles.h"
#include "search/search.h"

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
    if (question->line_bytes) {
        machine->line_bytes = question->line_bytes;
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

/* ---- the occupancy ---- */

/*
 * One second of one core. Only memory traffic is known, all of it taken as reads, as the
 * paper's counters give it; fills from caches count as none.
 */
static struct occupancy_case second_of(const struct answer *answer)
{
    const struct machine *machine = &answer->machine;
    struct quantity zero = quantity_exact(0, PROVENANCE_DECLARED);
    struct quantity bytes =
        quantity_exact(answer->gbs * 1e9 / answer->cores, PROVENANCE_DECLARED);
    int moved = answer->random ? machine_transfer_bytes(machine) : machine->line_bytes;
    struct quantity lines = quantity_scale(bytes, 1.0 / moved);
    struct occupancy_case input = {.machine = machine,
                                   .time_s = quantity_exact(1, PROVENANCE_DECLARED),
                                   .cores = answer->cores,
                                   .chains = quantity_unknown(),
                                   .l1_misses_per_instruction = quantity_unknown()};
    int levels = machine->level_nr ? machine->level_nr : 1;
    input.work = (struct occupancy_work){.level_nr = levels,
                                         .l2_fill_from_l3 = zero,
                                         .l2_fill_from_memory = lines,
                                         .memory_read_bytes = bytes,
                                         .memory_write_bytes = zero,
                                         .page_walks = quantity_unknown(),
                                         .flops = quantity_unknown(),
                                         .instructions = quantity_unknown(),
                                         .translation_hidden = true};
    for (int k = 0; k < levels; k++)
        input.work.l1_fill_from[k] = input.work.l1_covered_from[k] = zero;
    input.work.l1_fill_from[levels - 1] = lines;
    input.work.l1_covered_from[levels - 1] = answer->random ? zero : lines;
    return input;
}

/* What was measured may lie a little above what the profile knows. */
static int check_reach(const struct answer *answer, struct error *err)
{
    const struct occupancy_resource *memory =
        &answer->occupancy.resource[RESOURCE_MEMORY];
    if (!memory->utilization.known || memory->utilization.low < 1.25)
        return 0;
    return fail(err, STATUS_USAGE,
                "--bandwidth: %.4g GB/s is %.1f times what '%s' reaches on %d cores; "
                "check the figure and its unit",
                answer->gbs, memory->utilization.value, answer->machine.name,
                answer->cores);
}

/* All traffic is taken as reads: the curve of the most reads is the one that was used. */
static void find_end(struct answer *answer)
{
    const struct machine *machine = &answer->machine;
    const struct machine_curve *best = NULL;
    if (machine_latency_ns(machine, answer->gbs, 1).known)
        return;
    for (size_t i = 0; i < machine->curve_nr; i++)
        if (machine->curve[i].point_nr &&
            (!best || machine->curve[i].read_share > best->read_share))
            best = &machine->curve[i];
    if (best)
        answer->end_gbs = best->point[best->point_nr - 1].gbs;
}

static int compute(struct answer *answer, struct error *err)
{
    struct occupancy_case input = second_of(answer);
    find_end(answer);
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

static int judge(struct answer *answer, const struct rule_set *rules, struct error *err)
{
    struct facts facts = {rule_facts_new(), err, 0};
    struct occupancy_sink sink = {take_number, take_word, &facts};
    occupancy_metrics(&answer->occupancy, &sink);
    take_number(&facts, "threads_used", quantity_exact(1, PROVENANCE_DECLARED));
    take_number(&facts, "prefetch_l2_gain", answer->machine.prefetch_l2_gain);
    take_number(&facts, "free_threads",
                quantity_exact(answer->machine.threads_per_core - 1, PROVENANCE_TABLE));
    int status =
        facts.status ? -1 : rule_set_judge(rules, facts.facts, &answer->verdicts, err);
    rule_facts_free(facts.facts);
    return status;
}

int answer_question(const struct question *question, const struct rule_set *rules,
                    struct answer *answer, struct error *err)
{
    *answer = (struct answer){.gbs = question->gbs, .random = question->random};
    int status = load(question, &answer->machine, err);
    answer->cores = question->cores ? question->cores : answer->machine.cores;
    if (!status)
        status = compute(answer, err);
    if (!status)
        status = judge(answer, rules, err);
    if (status)
        answer_release(answer);
    return status;
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
    return verdict_bound(verdict, &answer->occupancy,
                         quantity_exact(1, PROVENANCE_DECLARED));
}

/* ---- as JSON ---- */

static json_t *advice_json(const struct answer *answer)
{
    json_t *list = json_array();
    for (size_t i = 0; i < answer->verdicts.nr; i++) {
        const struct rule_verdict *verdict = &answer->verdicts.item[i];
        if (rule_verdicts_deciding(&answer->verdicts, verdict->transformation) != verdict)
            continue;
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:s, s:s, s:s?, s:o, s:n}", "transformation",
                      verdict->transformation, "verdict", verdict_word(verdict->verdict),
                      "rule", verdict->rule, "reason", verdict->reason, "source",
                      verdict->source, "bound_speedup",
                      json_quantity(answer_bound(answer, verdict)), "measured_speedup"));
    }
    return list;
}

json_t *answer_json(const struct answer *answer)
{
    const struct occupancy *occupancy = &answer->occupancy;
    return json_pack(
        "{s:s, s:o, s:s, s:i, s:o, s:s, s:s, s:s, s:s, s:o, s:o}", "schema",
        "inflight.report/1", "machine", text_json(answer->machine.name), "access",
        answer->random ? "random" : "streaming", "cores", answer->cores, "curve_end_gbs",
        answer->end_gbs > 0 ? json_real(answer->end_gbs) : json_null(), "limiter",
        resource_word(occupancy->limiter), "limiter_sentence",
        buf_str(&occupancy->limiter_sentence), "why", occupancy_why_word(occupancy->why),
        "why_sentence", buf_str(&occupancy->why_sentence), "analysis",
        occupancy_to_json(occupancy), "advice", advice_json(answer));
}

/* ---- as text ---- */

static void add_sentence(struct buf *out, const char *sentence)
{
    buf_add(out, "  ");
    buf_add_wrapped(out, sentence, 2, 79);
    buf_add(out, "\n");
}

static void add_load(const struct answer *answer, struct buf *out)
{
    const struct occupancy *occupancy = &answer->occupancy;
    struct buf text = {0};
    const char *least = answer->end_gbs > 0 ? "at least " : "";
    if (!occupancy->paper_n.known)
        return;
    buf_addf(&text, "latency at this load %s%.0f ns; %s%.2f lines in flight per core",
             least, occupancy->latency_ns.value, least, occupancy->paper_n.value);
    add_sentence(out, buf_str(&text));
    buf_reset(&text);
    if (answer->end_gbs > 0) {
        buf_addf(&text,
                 "The profile's curve ends at %.4g GB/s, and beyond it nothing is known "
                 "of the latency but that it does not fall: the lines in flight are a "
                 "lower bound.",
                 answer->end_gbs);
        add_sentence(out, buf_str(&text));
    }
    buf_release(&text);
}

static void add_verdict(const struct answer *answer, const struct rule_verdict *verdict,
                        struct buf *out)
{
    struct quantity bound = answer_bound(answer, verdict);
    struct buf line = {0};
    if (bound.known && verdict->verdict == VERDICT_TRY)
        buf_addf(&line, "at most %.2fx; ", bound.value);
    buf_addf(&line, "%s [%s]", verdict->reason, verdict->rule);
    buf_addf(out, "  %-6s%-13s ", verdict_word(verdict->verdict),
             verdict->transformation);
    buf_add_wrapped(out, buf_str(&line), 22, 79);
    buf_add(out, "\n");
    buf_release(&line);
}

void answer_text(const struct answer *answer, struct buf *out)
{
    buf_addf(out, "%s, %d cores, %.4g GB/s, %s access\n", answer->machine.name,
             answer->cores, answer->gbs, answer->random ? "random" : "streaming");
    add_load(answer, out);
    add_sentence(out, buf_str(&answer->occupancy.limiter_sentence));
    add_sentence(out, buf_str(&answer->occupancy.why_sentence));
    for (size_t i = 0; i < answer->verdicts.nr; i++) {
        const struct rule_verdict *verdict = &answer->verdicts.item[i];
        if (rule_verdicts_deciding(&answer->verdicts, verdict->transformation) == verdict)
            add_verdict(answer, verdict, out);
    }
}
