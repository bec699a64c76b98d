#include "core/machine/profile/limit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/machine/machine.h"

/* Weight of one set's knee in the mean: the resampled spread says how disturbed it was,
 * half a lane is the step in which lanes come. */
static double weight_of(const struct knee *knee)
{
    double half = (knee->high - knee->low) / 2;

    return knee->found ? 1 / (0.25 + half * half) : 0;
}

/* The interval spans both sets, so that sets which contradict each other widen it; one
 * set alone has no second opinion and counts one lane wider. */
static struct quantity knees_together(const struct limit_evidence *evidence)
{
    const struct knee *a = &evidence->knee[0], *b = &evidence->knee[1];
    double weight = weight_of(a) + weight_of(b), chains, low, high,
           widen = a->found && b->found ? 0 : 1;

    if (weight <= 0)
        return quantity_unknown();
    chains = round((weight_of(a) * a->chains + weight_of(b) * b->chains) / weight);
    low = fmin(a->found ? a->low : INFINITY, b->found ? b->low : INFINITY) - widen;
    high = fmax(a->found ? a->high : 0, b->found ? b->high : 0) + widen;
    /* Lanes come in steps of one: nothing is known better than by half a step. */
    return quantity_between(chains, fmax(1, fmin(low, chains - 0.5)),
                            fmax(high, chains + 0.5), evidence->runs, PROVENANCE_PROBE);
}

/* There must be two sets, and they must agree within two lanes. Where the limit is large
 * the translations of the memory set hold more of the entries: 15 %, as on Zen 4 (21 of
 * memory, 23 of L3). */
static bool is_tight(const struct limit_evidence *evidence, const struct quantity *probe)
{
    const struct knee *a = &evidence->knee[0], *b = &evidence->knee[1];
    bool agree =
        a->found && b->found && fabs(a->chains - b->chains) <= fmax(2, 0.15 * a->chains);

    return probe->known && agree &&
           probe->high - probe->low <= fmax(4, 0.25 * probe->value);
}

static double measured_floor(const struct limit_evidence *evidence)
{
    double floor = evidence->floor.known ? evidence->floor.low : 0;

    for (size_t i = 0; i < ARRAY_SIZE(evidence->knee); i++)
        floor = fmax(floor, evidence->knee[i].floor);
    return floor;
}

static struct quantity at_least(double value, size_t runs, enum provenance provenance)
{
    return quantity_between(value, value, INFINITY, runs, provenance);
}

/* Also found again in profiles, which keep no more of how tight a knee was, and of what
 * prefetch brings. */
static const char stepped[] = "bursts of misses fill it, measured here; ",
                  tight[] = "knee of k chases measured here; ",
                  prefetch[] = "; software prefetch to L2 ";

/* What the choice is made of, beside limit->probe. */
struct finding {
    struct cpu_limit table;
    bool stepped, tight;
    double floor, fallback;
};

static void use(struct machine_limit *limit, struct quantity used, char *source)
{
    limit->used = used;
    free(limit->source);
    limit->source = source;
}

static char *table_phrase(const struct cpu_limit *table)
{
    return xasprintf("CPU table: %g (%c, %s)", table->entries.value, table->confidence,
                     table->source);
}

/* What bursts have counted. */
static void use_step(struct machine_limit *limit, const struct cpu_limit *documented)
{
    struct quantity used = limit->probe, entries = documented->entries;
    char *table =
        entries.known ? table_phrase(documented) : xstrdup("the CPU table has no value");

    if (entries.known && documented->confidence == 'V' && entries.value >= used.low &&
        entries.value <= used.high)
        used.value = entries.value;
    use(limit, used, xasprintf("%s%s", stepped, table));
    free(table);
}

static void use_knee(struct machine_limit *limit, const struct cpu_limit *documented,
                     double floor)
{
    struct quantity used = limit->probe;
    double entries = documented->entries.value, error = fmax(2, 0.1 * used.value);
    char *table = documented->entries.known ? table_phrase(documented)
                                            : xstrdup("the CPU table has no value");

    if (documented->entries.known && documented->confidence == 'V' && entries >= floor &&
        entries <= fmax(used.high, used.value + error)) {
        used.value = entries;
        used.low = fmin(used.low, entries);
        used.high = fmax(used.high, entries);
    }
    /* Within the probe's usual error both can be right. */
    if (documented->entries.known && fabs(entries - used.value) <= error) {
        used.low = fmin(used.low, documented->entries.value);
        used.high = fmax(used.high, documented->entries.value);
    }
    use(limit, used, xasprintf("%s%s", tight, table));
    free(table);
}

/* Entries are whole: a floor of 24.6 does not refute 24. One within the table's interval
 * raises its low end. */
static void use_table(struct machine_limit *limit, const struct cpu_limit *documented,
                      double floor_entries)
{
    char *table = table_phrase(documented);
    double min = floor(floor_entries);
    struct quantity used = documented->entries;

    if (min > used.high) {
        use(limit, at_least(floor_entries, limit->probe.runs, PROVENANCE_PROBE),
            xasprintf("at least, measured here: refutes the %s", table));
    } else if (min > used.low) {
        used.low = min;
        used.value = fmax(used.value, min);
        used.provenance = PROVENANCE_DERIVED;
        use(limit, used, xasprintf("%s; at least %g measured here", table, min));
    } else {
        use(limit, used, xstrdup(table));
    }
    free(table);
}

static void use_fallback(struct machine_limit *limit, double fallback)
{
    if (fallback > 0)
        use(limit,
            quantity_between(fallback, fallback / 2, INFINITY, 0, PROVENANCE_PREDICTED),
            xstrdup("heuristic: no source and no probe, good for hints only"));
    else
        use(limit, quantity_unknown(), xstrdup("unknown: no source and no probe"));
}

static void choose(struct machine_limit *limit, const struct finding *finding)
{
    const struct cpu_limit *table = &finding->table;

    limit->table = table->entries;
    free(limit->scope);
    limit->scope = xstrdup(table->scope);
    if (finding->stepped)
        use_step(limit, table);
    else if (finding->tight)
        use_knee(limit, table, finding->floor);
    else if (table->entries.known)
        use_table(limit, table, finding->floor);
    else if (limit->probe.known)
        use(limit, limit->probe,
            xstrdup(limit->probe_is_floor
                        ? "at least, measured here; the CPU table has no value"
                        : "knee of k chases measured here, of one set only or "
                          "with a wide spread"));
    else
        use_fallback(limit, finding->fallback);
}

bool machine_contradicts(const struct machine *machine)
{
    return machine->recognition && strstr(machine->recognition, CPU_CONTRADICTS);
}

struct cpu_limit limit_of_table(const struct machine *machine,
                                const struct cpu_limit *documented)
{
    struct cpu_limit table =
        documented ? *documented
                   : (struct cpu_limit){.entries = quantity_unknown(), .scope = "core"};

    if (machine_contradicts(machine))
        table.confidence = 'I';
    return table;
}

void limit_resolve(struct machine_limit *limit, const struct limit_evidence *evidence)
{
    struct finding finding = {.table = evidence->table,
                              .floor = measured_floor(evidence),
                              .fallback = evidence->fallback};

    finding.stepped = evidence->step.known;
    limit->probe = finding.stepped ? evidence->step : knees_together(evidence);
    limit->probe_is_floor = !limit->probe.known && finding.floor > 0;
    if (limit->probe_is_floor)
        limit->probe = at_least(finding.floor, evidence->runs, PROVENANCE_PROBE);
    finding.tight =
        !finding.stepped && !limit->probe_is_floor && is_tight(evidence, &limit->probe);
    choose(limit, &finding);
}

/* The floor that was seen, as far as it showed in the choice. */
static double kept_floor(const struct machine_limit *limit)
{
    if (limit->used.known && text_begins(limit->source, tight))
        return limit->used.low; /* of what a knee allows it is not kept */
    if (limit->probe_is_floor)
        return limit->probe.value;
    if (limit->used.provenance == PROVENANCE_DERIVED)
        return limit->used.low;
    return text_begins(limit->source, "at least") ? limit->used.value : 0;
}

void limit_resolve_again(struct machine_limit *limit, struct cpu_limit table)
{
    const char *source = limit->source ? limit->source : "", *at;
    struct finding finding = {.table = table,
                              .stepped =
                                  limit->probe.known && text_begins(source, stepped),
                              .tight = limit->probe.known && text_begins(source, tight)};
    char *phrase;

    if (!limit->used.known || !limit->source)
        return;
    at = strstr(source, prefetch);
    phrase = at ? xstrdup(at + strlen("; ")) : NULL;
    finding.floor = kept_floor(limit);
    if (limit->used.provenance == PROVENANCE_PREDICTED)
        finding.fallback = limit->used.value;
    choose(limit, &finding);
    limit_add_phrase(limit, phrase);
    free(phrase);
}

char *limit_prefetch_phrase(struct quantity lines, struct quantity l2_gain,
                            struct quantity l1_gain)
{
    if (!lines.known || !l2_gain.known || !l1_gain.known)
        return NULL;
    return xasprintf("%s%s here: %.2f times the best rate of random "
                     "reads without, %.0f lines in flight (prefetch to L1: %.2f times)",
                     prefetch + strlen("; "),
                     machine_prefetch_gains(l2_gain) ? "gains" : "gains nothing",
                     l2_gain.value, lines.value, l1_gain.value);
}

void limit_add_phrase(struct machine_limit *limit, const char *phrase)
{
    if (phrase)
        use(limit, limit->used, xasprintf("%s; %s", limit->source, phrase));
}
