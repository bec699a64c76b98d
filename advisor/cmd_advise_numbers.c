/* inflight advise from numbers alone: a profile, a bandwidth, how the routine reaches for
 * memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/commands.h"
#include "core/occupancy/occupancy.h"
#include "search/search.h"

struct numbers {
    struct machine machine;
    struct occupancy occupancy;
    struct rule_set *rules;
    struct rule_facts *facts;
    struct rule_verdicts verdicts;
    bool random;
    int cores;
    struct error *err;
    int status;
};

static int check(const struct settings *settings, struct numbers *numbers,
                 struct error *err)
{
    if (!settings->machine || settings->bandwidth_gbs < 0 || !settings->access)
        return fail(err, STATUS_USAGE,
                    "advise takes a C file, or --machine, --bandwidth and --access; try "
                    "'inflight advise --help'");
    numbers->random = !strcmp(settings->access, "random");
    if (!numbers->random && strcmp(settings->access, "streaming"))
        return fail(err, STATUS_USAGE, "--access: expected random or streaming, got '%s'",
                    settings->access);
    if (settings->bandwidth_gbs == 0)
        return fail(err, STATUS_USAGE, "--bandwidth must be above 0");
    return 0;
}

/* A latency that was told goes before the curve, and is taken to hold up to its end. */
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
                               .point = xcalloc(1, sizeof(struct machine_point)),
                               .point_nr = 1};
    machine->curve[0].point[0] = (struct machine_point){
        .gbs = end, .latency_ns = quantity_exact(latency_ns, PROVENANCE_DECLARED)};
    machine->curve_nr = machine->curve_alloc = 1;
}

/*
 * One second of one core. Only memory traffic is known, all of it taken as reads, as the
 * paper's counters give it; fills from caches count as none.
 */
static struct occupancy_case second_of(const struct numbers *numbers, double gbs)
{
    const struct machine *machine = &numbers->machine;
    struct quantity zero = quantity_exact(0, PROVENANCE_DECLARED);
    struct quantity bytes =
        quantity_exact(gbs * 1e9 / numbers->cores, PROVENANCE_DECLARED);
    int moved = numbers->random ? machine_transfer_bytes(machine) : machine->line_bytes;
    struct quantity lines = quantity_scale(bytes, 1.0 / moved);
    struct occupancy_case input = {.machine = machine,
                                   .time_s = quantity_exact(1, PROVENANCE_DECLARED),
                                   .cores = numbers->cores,
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
    input.work.l1_covered_from[levels - 1] = numbers->random ? zero : lines;
    return input;
}

/* A slip of a unit is not to be advised upon. What was measured may lie a little above
 * what the profile knows. */
static int check_reach(const struct numbers *numbers, double gbs, struct error *err)
{
    const struct occupancy_resource *memory =
        &numbers->occupancy.resource[RESOURCE_MEMORY];
    if (!memory->utilization.known || memory->utilization.low < 1.25)
        return 0;
    return fail(err, STATUS_USAGE,
                "--bandwidth: %.4g GB/s is %.1f times what '%s' reaches on %d cores; "
                "check the figure and its unit",
                gbs, memory->utilization.value, numbers->machine.name, numbers->cores);
}

static void take_number(void *context, const char *metric, struct quantity value)
{
    struct numbers *numbers = context;
    if (!numbers->status && value.known)
        numbers->status = rule_facts_number(numbers->facts, metric, value, numbers->err);
}

static void take_word(void *context, const char *metric, const char *word)
{
    struct numbers *numbers = context;
    if (!numbers->status)
        numbers->status = rule_facts_word(numbers->facts, metric, word, numbers->err);
}

static int judge(struct numbers *numbers, struct error *err)
{
    struct occupancy_sink sink = {take_number, take_word, numbers};
    const struct machine *machine = &numbers->machine;
    numbers->err = err;
    numbers->facts = rule_facts_new();
    occupancy_metrics(&numbers->occupancy, &sink);
    take_number(numbers, "threads_used", quantity_exact(1, PROVENANCE_DECLARED));
    take_number(numbers, "free_threads",
                quantity_exact(machine->threads_per_core - 1, PROVENANCE_TABLE));
    return numbers->status
               ? -1
               : rule_set_judge(numbers->rules, numbers->facts, &numbers->verdicts, err);
}

static struct quantity bound_of(const struct numbers *numbers,
                                const struct rule_verdict *verdict)
{
    return verdict_bound(verdict, &numbers->occupancy,
                         quantity_exact(1, PROVENANCE_DECLARED));
}

static json_t *advice_json(const struct numbers *numbers)
{
    json_t *list = json_array();
    for (size_t i = 0; i < numbers->verdicts.nr; i++) {
        const struct rule_verdict *verdict = &numbers->verdicts.item[i];
        if (rule_verdicts_deciding(&numbers->verdicts, verdict->transformation) !=
            verdict)
            continue;
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:s, s:s, s:s?, s:o, s:n}", "transformation",
                      verdict->transformation, "verdict", verdict_word(verdict->verdict),
                      "rule", verdict->rule, "reason", verdict->reason, "source",
                      verdict->source, "bound_speedup",
                      json_quantity(bound_of(numbers, verdict)), "measured_speedup"));
    }
    return list;
}

static json_t *numbers_json(const struct numbers *numbers)
{
    json_t *analysis = occupancy_to_json(&numbers->occupancy);
    return json_pack("{s:s, s:s, s:s, s:i, s:s, s:s, s:s, s:s, s:o, s:o}", "schema",
                     "inflight.report/1", "machine", numbers->machine.name, "access",
                     numbers->random ? "random" : "streaming", "cores", numbers->cores,
                     "limiter", resource_word(numbers->occupancy.limiter),
                     "limiter_sentence", buf_str(&numbers->occupancy.limiter_sentence),
                     "why", occupancy_why_word(numbers->occupancy.why), "why_sentence",
                     buf_str(&numbers->occupancy.why_sentence), "analysis", analysis,
                     "advice", advice_json(numbers));
}

static void add_sentence(struct buf *out, const struct buf *sentence)
{
    buf_add(out, "  ");
    buf_add_wrapped(out, buf_str(sentence), 2, 79);
    buf_add(out, "\n");
}

static void numbers_text(const struct numbers *numbers, double gbs, struct buf *out)
{
    const struct occupancy *occupancy = &numbers->occupancy;
    buf_addf(out, "%s, %d cores, %.4g GB/s, %s access\n", numbers->machine.name,
             numbers->cores, gbs, numbers->random ? "random" : "streaming");
    if (occupancy->paper_n.known)
        buf_addf(out, "  latency at this load %.0f ns; %.2f lines in flight per core\n",
                 occupancy->latency_ns.value, occupancy->paper_n.value);
    add_sentence(out, &occupancy->limiter_sentence);
    add_sentence(out, &occupancy->why_sentence);
    for (size_t i = 0; i < numbers->verdicts.nr; i++) {
        const struct rule_verdict *verdict = &numbers->verdicts.item[i];
        struct quantity bound = bound_of(numbers, verdict);
        struct buf line = {0};
        if (rule_verdicts_deciding(&numbers->verdicts, verdict->transformation) !=
            verdict)
            continue;
        if (bound.known && verdict->verdict == VERDICT_TRY)
            buf_addf(&line, "at most %.2fx; ", bound.value);
        buf_addf(&line, "%s [%s]", verdict->reason, verdict->rule);
        buf_addf(out, "  %-6s%-13s ", verdict_word(verdict->verdict),
                 verdict->transformation);
        buf_add_wrapped(out, buf_str(&line), 22, 79);
        buf_add(out, "\n");
        buf_release(&line);
    }
}

static int print_numbers(const struct settings *settings, const struct numbers *numbers,
                         struct error *err)
{
    int status;
    if (settings->json) {
        json_t *document = numbers_json(numbers);
        status = print_json(document, err);
        json_decref(document);
        return status;
    }
    struct buf text = {0};
    numbers_text(numbers, settings->bandwidth_gbs, &text);
    status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

int advise_numbers(const struct settings *settings, struct error *err)
{
    struct numbers numbers = {0};
    int status = check(settings, &numbers, err);
    if (!status)
        status = machine_load(settings->machine, &numbers.machine, err);
    if (!status)
        status = rule_set_load(settings->rules, &numbers.rules, err);
    if (!status) {
        numbers.cores =
            settings->cores > 0 ? (int)settings->cores : numbers.machine.cores;
        if (settings->latency_ns > 0)
            tell_latency(&numbers.machine, settings->bandwidth_gbs, settings->latency_ns);
        struct occupancy_case input = second_of(&numbers, settings->bandwidth_gbs);
        status = occupancy_compute(&input, &numbers.occupancy, err);
    }
    if (!status)
        status = check_reach(&numbers, settings->bandwidth_gbs, err);
    if (!status)
        status = judge(&numbers, err);
    if (!status)
        status = print_numbers(settings, &numbers, err);
    rule_verdicts_release(&numbers.verdicts);
    if (numbers.facts)
        rule_facts_free(numbers.facts);
    rule_set_free(numbers.rules);
    occupancy_release(&numbers.occupancy);
    machine_release(&numbers.machine);
    return status;
}
