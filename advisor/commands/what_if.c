#include "advisor/commands/what_if.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"

/* ---- the keys ---- */

enum value { ENTRIES, NANOSECONDS, GBS, CORES, LINE, ACCESS, NAME };

#define AT(field) offsetof(struct question, field)
static const struct key {
    const char *name;
    enum value value;
    size_t offset;
    double min, max; /* of numbers: what any machine could have */
} keys[] = {
    {"l1_mshrs", ENTRIES, AT(l1_mshrs), 1, 10000},
    {"l2_mshrs", ENTRIES, AT(l2_mshrs), 1, 10000},
    {"latency", NANOSECONDS, AT(latency_ns), 1, 1e5},
    {"bandwidth", GBS, AT(gbs), 1e-3, 1e5},
    {"ceiling", GBS, AT(ceiling_gbs), 1e-3, 1e5},
    {"cores", CORES, AT(cores), 1, 100000},
    {"line", LINE, AT(line_bytes), 16, 4096},
    {"access", ACCESS, AT(random_share), 0, 0},
    {"memory", NAME, AT(memory), 0, 0},
    {"machine", NAME, AT(machine), 0, 0},
};

const char *what_if_key(size_t i)
{
    return i < ARRAY_SIZE(keys) ? keys[i].name : NULL;
}

static int unknown_key(const char *name, struct error *err)
{
    struct buf known = {0};
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        buf_addf(&known, "%s%s", i ? ", " : "", keys[i].name);
    fail(err, STATUS_USAGE, "--what-if: there is no '%s'; known are %s", name,
         buf_str(&known));
    buf_release(&known);
    return -1;
}

static const struct key *find_key(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (!strcmp(keys[i].name, name))
            return &keys[i];
    return NULL;
}

static int read_number(const struct key *key, const char *text, double *number,
                       struct error *err)
{
    long long count = 0;
    int status;
    switch (key->value) {
    case NANOSECONDS:
        status = parse_latency(text, key->name, number, err);
        break;
    case GBS:
        status = parse_bandwidth(text, key->name, number, err);
        break;
    case ENTRIES:
        status = parse_number(text, key->name, number, err);
        break;
    default:
        status = parse_count(text, key->name, &count, err);
        *number = (double)count;
    }
    if (status)
        return fail_in(err, "--what-if");
    if (*number >= key->min && *number <= key->max)
        return 0;
    return fail(err, STATUS_USAGE, "--what-if: %s must lie between %g and %g, got '%s'",
                key->name, key->min, key->max, text);
}

static int set_number(const struct key *key, double number, void *field,
                      struct error *err)
{
    if (key->value == LINE && ((int)number & ((int)number - 1)))
        return fail(err, STATUS_USAGE,
                    "--what-if: line must be a power of two in bytes, got %g", number);
    if (key->value == LINE || key->value == CORES)
        *(int *)field = (int)number;
    else
        *(double *)field = number;
    return 0;
}

static int set(const struct key *key, const char *text, struct question *question,
               struct error *err)
{
    void *field = (char *)question + key->offset;
    double number = 0;
    if (key->value == NAME) {
        *(const char **)field = text;
        return 0;
    }
    if (key->value == ACCESS)
        return access_parse(text, "--what-if: access", field, err);
    if (key->offset == AT(gbs)) /* another bandwidth than was counted */
        question->read_gbs = question->write_gbs = quantity_unknown();
    return read_number(key, text, &number, err) || set_number(key, number, field, err)
               ? -1
               : 0;
}

/* ---- parsing ---- */

/* The words in pairs: name, value. */
static int split(const char *text, struct strvec *words, struct error *err)
{
    while (*text) {
        size_t length = strcspn(text, ","), name = strcspn(text, "=,");
        char *word = xstrndup(text, length);
        bool whole = name > 0 && name + 1 < length;
        if (whole) {
            word[name] = '\0';
            strvec_push(words, word);
            strvec_push(words, word + name + 1);
        } else {
            fail(err, STATUS_USAGE,
                 "--what-if: expected key=value, got '%s'; try "
                 "'l1_mshrs=24,latency=120ns'",
                 word);
        }
        free(word);
        if (!whole)
            return -1;
        text += length + (text[length] == ',');
    }
    return words->nr ? 0
                     : fail(err, STATUS_USAGE,
                            "--what-if: expected key=value, got "
                            "nothing; try 'l1_mshrs=24'");
}

static const char *value_of(const struct strvec *words, const char *name)
{
    for (size_t i = 0; i < words->nr; i += 2)
        if (!strcmp(words->v[i], name))
            return words->v[i + 1];
    return NULL;
}

/* Two that say the same thing differently, or one thing twice. */
static int check_pairs(const struct strvec *words, struct error *err)
{
    for (size_t i = 0; i < words->nr; i += 2)
        for (size_t j = 0; j < i; j += 2)
            if (!strcmp(words->v[i], words->v[j]))
                return fail(err, STATUS_USAGE, "--what-if: %s is given twice, %s and %s",
                            words->v[i], words->v[j + 1], words->v[i + 1]);
    if (value_of(words, "latency") && value_of(words, "memory"))
        return fail(
            err, STATUS_USAGE,
            "--what-if: latency and memory both say what the latency is; give one "
            "of them");
    return 0;
}

/* What was told of the one machine is not true of another. */
static void start_from(struct question *question, const struct question *base,
                       const struct strvec *words)
{
    *question = *base;
    if (value_of(words, "machine"))
        *question = (struct question){.gbs = base->gbs,
                                      .read_gbs = base->read_gbs,
                                      .write_gbs = base->write_gbs,
                                      .random_share = base->random_share};
    question->given = NULL; /* the source is named once */
    if (value_of(words, "memory"))
        question->latency_ns = 0;
}

int what_if_parse(const char *text, const struct question *base, struct what_if *out,
                  struct error *err)
{
    *out = (struct what_if){0};
    int status = split(text, &out->words, err);
    for (size_t i = 0; !status && i < out->words.nr; i += 2)
        if (!find_key(out->words.v[i]))
            status = unknown_key(out->words.v[i], err);
    if (!status)
        status = check_pairs(&out->words, err);
    if (!status)
        start_from(&out->question, base, &out->words);
    for (size_t i = 0; !status && i < out->words.nr; i += 2) {
        status = set(find_key(out->words.v[i]), out->words.v[i + 1], &out->question, err);
        buf_addf(&out->reported, "%s%s = %s", i ? ", " : "", out->words.v[i],
                 out->words.v[i + 1]);
    }
    if (status)
        what_if_release(out);
    return status;
}

void what_if_release(struct what_if *what_if)
{
    strvec_release(&what_if->words);
    buf_release(&what_if->reported);
}

/* ---- what moved ---- */

static const struct rule_verdict *deciding(const struct answer *answer, const char *name)
{
    return rule_verdicts_deciding(&answer->verdicts, name);
}

static struct quantity bound_of(const struct answer *answer,
                                const struct rule_verdict *verdict)
{
    return verdict ? answer_bound(answer, verdict) : quantity_unknown();
}

static const char *word_of(const struct rule_verdict *verdict)
{
    return verdict ? verdict_phrase(verdict->verdict) : "no opinion";
}

static bool bounds_differ(struct quantity a, struct quantity b)
{
    if (!a.known || !b.known)
        return a.known != b.known;
    return fabs(a.value - b.value) > 0.005 * fmax(a.value, b.value);
}

static void add_name(struct buf *out, const char *name)
{
    buf_addf(out, "  %-13s ", name);
}

/* "10.1 of 10 lines (full)" */
static void add_queue(struct buf *out, const struct occupancy_resource *queue)
{
    if (!queue->n.known || !queue->limit.known) {
        buf_add(out, "unknown");
        return;
    }
    if (isinf(queue->n.high))
        buf_add(out, "at least ");
    buf_add_number(out, queue->n.value);
    buf_add(out, " of ");
    buf_add_number(out, queue->limit.value);
    buf_addf(out, " (%s)", saturation_word(queue->saturation));
}

static void add_share(struct buf *out, const struct occupancy_resource *resource)
{
    if (resource->saturation == SATURATION_IMPOSSIBLE)
        buf_add(out, "more than there is (impossible)");
    else if (resource->utilization.known)
        buf_addf(out, "%.0f %% used (%s)", 100 * resource->utilization.value,
                 saturation_word(resource->saturation));
    else
        buf_add(out, "unknown");
}

static void add_quantity(struct buf *out, struct quantity quantity, const char *unit,
                         bool at_least)
{
    if (!quantity.known) {
        buf_add(out, "unknown");
        return;
    }
    buf_add(out, at_least ? "at least " : "");
    if (strcmp(unit, "x"))
        buf_add_value(out, quantity, 1, unit);
    else
        buf_add_ratio_value(out, quantity);
}

/* One side of the comparison, a line each. */
static void sides(const struct answer *answer, struct buf line[5])
{
    const struct occupancy *now = &answer->occupancy;
    bool beyond = answer->end_gbs > 0;
    buf_addf(&line[0], "%s", cause_phrase(now->diagnosis.cause));
    add_quantity(&line[1], now->latency_ns, "ns", beyond);
    add_quantity(&line[2], now->paper_n, "lines per core", beyond);
    add_queue(&line[3], &now->resource[RESOURCE_L1_QUEUE]);
    add_queue(&line[4], &now->resource[RESOURCE_L2_QUEUE]);
}

static void add_figures(const struct answer *base, const struct answer *then,
                        struct buf *out)
{
    static const char *const name[] = {"bound by", "latency", "in flight", "L1 queue",
                                       "L2 queue"};
    struct buf before[5] = {0}, after[5] = {0}, memory = {0};
    sides(base, before);
    sides(then, after);
    for (size_t i = 0; i < ARRAY_SIZE(name); i++) {
        bool same = !strcmp(buf_str(&before[i]), buf_str(&after[i]));
        add_name(out, name[i]);
        buf_addf(out, "%s%s%s\n", buf_str(&before[i]), same ? ", as before" : " -> ",
                 same ? "" : buf_str(&after[i]));
        buf_release(&before[i]);
        buf_release(&after[i]);
    }
    add_share(&memory, &base->occupancy.resource[RESOURCE_MEMORY]);
    buf_add(&memory, " -> ");
    add_share(&memory, &then->occupancy.resource[RESOURCE_MEMORY]);
    add_name(out, "memory");
    buf_addf(out, "%s\n", buf_str(&memory));
    buf_release(&memory);
}

static void add_paragraph(struct buf *out, const char *text)
{
    buf_add(out, "  ");
    buf_add_wrapped(out, text, 2, 79);
    buf_add(out, "\n");
}

/* A queue cannot hold more than it has places: then the bandwidth that was given is not
 * to be had. */
static void add_overfull(const struct answer *then, enum resource resource,
                         const char *name, struct buf *out)
{
    const struct occupancy_resource *queue = &then->occupancy.resource[resource];
    struct buf text = {0};
    if (!queue->utilization.known || queue->utilization.low < 1.1)
        return;
    buf_addf(&text, "The %s queue would have to hold ", name);
    buf_add_number(&text, queue->n.value);
    buf_add(&text, " lines and has ");
    buf_add_number(&text, queue->limit.value);
    buf_add(&text, " places: the bandwidth would settle lower");
    if (queue->carries_gbs.known && queue->carries_gbs.value < then->gbs) {
        buf_add(&text, ", at about ");
        buf_add_number(&text, queue->carries_gbs.value);
        buf_add(&text, " GB/s");
    }
    buf_add(&text, ".");
    add_paragraph(out, buf_str(&text));
    buf_release(&text);
}

/* "no use -> try", with the bounds. False when nothing moved. */
static bool add_move(const struct answer *base, const struct answer *then,
                     const char *name, struct buf *out)
{
    const struct rule_verdict *before = deciding(base, name),
                              *after = deciding(then, name);
    struct quantity from = bound_of(base, before), to = bound_of(then, after);
    struct buf line = {0};
    bool verdict = strcmp(word_of(before), word_of(after)) != 0;
    if (!verdict && !bounds_differ(from, to))
        return false;
    buf_addf(&line, "%s", word_of(before));
    if (verdict)
        buf_addf(&line, " -> %s", word_of(after));
    buf_add(&line, "; bound ");
    add_quantity(&line, from, "x", false);
    buf_add(&line, " -> ");
    add_quantity(&line, to, "x", false);
    if (after && verdict)
        buf_addf(&line, "; %s [%s]", after->reason, after->rule);
    add_name(out, name);
    buf_add_wrapped(out, buf_str(&line), 16, 79);
    buf_add(out, "\n");
    buf_release(&line);
    return true;
}

static void add_moves(const struct answer *base, const struct answer *then,
                      struct buf *out)
{
    struct buf unmoved = {0};
    size_t nr = 0;
    const struct rule_transformation *list = rule_transformations(&nr);
    for (size_t i = 0; i < nr; i++) {
        const char *name = list[i].name;
        if (!deciding(base, name) && !deciding(then, name))
            continue;
        if (!add_move(base, then, name, out))
            buf_addf(&unmoved, "%s%s (%s)", unmoved.length ? ", " : "", name,
                     word_of(deciding(then, name)));
    }
    if (unmoved.length) {
        add_name(out, "as before");
        buf_add_wrapped(out, buf_str(&unmoved), 16, 79);
        buf_add(out, "\n");
    }
    buf_release(&unmoved);
}

void what_if_text(const struct what_if *what_if, const struct answer *base,
                  const struct answer *then, struct buf *out)
{
    const struct occupancy *now = &then->occupancy;
    char *access = access_text(then->random_share);
    buf_addf(out, "\nWhat if %s (%s, %d cores, %.4g GB/s, %s)\n",
             buf_str(&what_if->reported), then->machine.name, then->cores, then->gbs,
             access);
    free(access);
    add_figures(base, then, out);
    add_overfull(then, RESOURCE_L1_QUEUE, "L1", out);
    add_overfull(then, RESOURCE_L2_QUEUE, "L2", out);
    if (now->diagnosis.cause != base->occupancy.diagnosis.cause)
        add_paragraph(out, buf_str(&now->diagnosis.sentence));
    if (strcmp(buf_str(&base->occupancy.diagnosis.reason),
               buf_str(&now->diagnosis.reason)))
        add_paragraph(out, buf_str(&now->diagnosis.reason));
    add_moves(base, then, out);
}

/* ---- as JSON ---- */

static json_t *moves_json(const struct answer *base, const struct answer *then)
{
    json_t *list = json_array();
    size_t nr = 0;
    const struct rule_transformation *transformation = rule_transformations(&nr);
    for (size_t i = 0; i < nr; i++) {
        const char *name = transformation[i].name;
        const struct rule_verdict *before = deciding(base, name),
                                  *after = deciding(then, name);
        if (!before && !after)
            continue;
        json_array_append_new(
            list,
            json_pack("{s:s, s:s?, s:s?, s:o, s:o}", "transformation", name,
                      "verdict_before", before ? verdict_word(before->verdict) : NULL,
                      "verdict_after", after ? verdict_word(after->verdict) : NULL,
                      "bound_before", json_quantity(bound_of(base, before)),
                      "bound_after", json_quantity(bound_of(then, after))));
    }
    return list;
}

json_t *what_if_json(const struct what_if *what_if, const struct answer *base,
                     const struct answer *then)
{
    json_t *assumed = json_object();
    for (size_t i = 0; i < what_if->words.nr; i += 2)
        json_object_set_new(assumed, what_if->words.v[i],
                            text_json(what_if->words.v[i + 1]));
    return json_pack("{s:o, s:o, s:o}", "assumed", assumed, "answer", answer_json(then),
                     "moves", moves_json(base, then));
}
