/* Advice from numbers as JSON and as text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/report/numbers.h"
#include "core/base/figures.h"

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

static json_t *access_json(struct quantity share)
{
    if (!share.known)
        return json_null();
    return json_string(share.value >= 1   ? "random"
                       : share.value <= 0 ? "streaming"
                                          : "mixed");
}

static void add_given(const struct given *given, json_t *root)
{
    json_object_set_new(root, "source", text_json(given->source));
    json_object_set_new(root, "notes", json_strvec(&given->note));
    if (given->document)
        json_object_set(root, given->key, given->document);
}

json_t *answer_json(const struct answer *answer)
{
    const struct occupancy *occupancy = &answer->occupancy;
    json_t *root = json_pack(
        "{s:s, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
        "inflight.report/1", "machine", text_json(answer->machine.name), "access",
        access_json(answer->random_share), "cores", answer->cores, "random_share",
        json_quantity(answer->random_share), "read_gbs", json_quantity(answer->read_gbs),
        "write_gbs", json_quantity(answer->write_gbs), "curve_end_gbs",
        answer->end_gbs > 0 ? json_real(answer->end_gbs) : json_null(), "cause",
        diagnosis_to_json(&occupancy->diagnosis), "analysis",
        occupancy_to_json(occupancy), "advice", advice_json(answer));
    if (answer->given)
        add_given(answer->given, root);
    if (answer->given && answer->given->facts.set)
        json_object_set_new(root, "counted",
                            metrics_facts_json(&answer->given->facts, occupancy));
    return root;
}

/* ---- as text ---- */

static void add_sentence(struct buf *out, const char *sentence)
{
    buf_add(out, "  ");
    buf_add_wrapped(out, sentence, 2, 79);
    buf_add(out, "\n");
}

/* " (95.1 to 101)" where the interval says more than the value; "" else. Caller frees. */
static char *spread_text(struct quantity quantity)
{
    struct buf text = {0};
    if (!(quantity.high - quantity.low > 0.005 * quantity.value))
        return xstrdup("");
    buf_add(&text, " (");
    buf_add_number(&text, quantity.low);
    if (isinf(quantity.high)) {
        buf_add(&text, " or more)");
        return buf_detach(&text);
    }
    buf_add(&text, " to ");
    buf_add_number(&text, quantity.high);
    buf_add(&text, ")");
    return buf_detach(&text);
}

static void add_beyond(const struct answer *answer, struct buf *out)
{
    struct buf text = {0};
    if (!(answer->end_gbs > 0))
        return;
    buf_addf(&text,
             "The profile's curve ends at %.4g GB/s, and beyond it the latency is known "
             "only not to fall: the lines in flight are a lower "
             "bound.",
             answer->end_gbs);
    add_sentence(out, buf_str(&text));
    buf_release(&text);
}

/* Beyond the curve's end the interval is open, and "at least" says so. */
static void add_load(const struct answer *answer, struct buf *out)
{
    const struct occupancy *occupancy = &answer->occupancy;
    struct buf text = {0};
    bool beyond = answer->end_gbs > 0;
    const char *min = beyond ? "at least " : "";
    if (!occupancy->paper_n.known)
        return;
    char *latency = beyond ? xstrdup("") : spread_text(occupancy->latency_ns);
    char *n = beyond ? xstrdup("") : spread_text(occupancy->paper_n);
    bool given = answer->given; /* what was typed is exact: the curve's own spread only */
    buf_addf(&text, "latency at this load %s%.0f ns%s; %s%.2f lines in flight per core%s",
             min, occupancy->latency_ns.value, given ? latency : "", min,
             occupancy->paper_n.value, given ? n : "");
    add_sentence(out, buf_str(&text));
    add_beyond(answer, out);
    buf_release(&text);
    free(latency);
    free(n);
}

/* Columns of the list of verdicts. */
enum { VERDICT_INDENT = 18, NAME_WIDTH = 13, NAME_INDENT = 32 };

static bool is_deciding(const struct answer *answer, const struct rule_verdict *verdict)
{
    return rule_verdicts_deciding(&answer->verdicts, verdict->transformation) == verdict;
}

/* One rule may say the same of several: that stands once. What is promised has a bound of
 * its own. */
static bool says_same(const struct rule_verdict *one, const struct rule_verdict *other)
{
    return one->verdict > VERDICT_ALLOW && !strcmp(one->rule, other->rule);
}

static void add_verdict(const struct answer *answer, const struct rule_verdict *verdict,
                        struct buf *out)
{
    const struct rule_verdict *end = answer->verdicts.item + answer->verdicts.nr;
    struct quantity bound = answer_bound(answer, verdict);
    struct buf names = {0}, line = {0};
    buf_add(&names, verdict->transformation);
    for (const struct rule_verdict *next = verdict + 1; next < end; next++)
        if (says_same(verdict, next) && is_deciding(answer, next))
            buf_addf(&names, ", %s", next->transformation);
    buf_addf(out, "  %-16s", verdict_phrase(verdict->verdict));
    if (names.length <= NAME_WIDTH) {
        buf_addf(out, "%-*s ", NAME_WIDTH, buf_str(&names));
    } else {
        buf_add_wrapped(out, buf_str(&names), VERDICT_INDENT, 79);
        buf_addf(out, "\n%*s", NAME_INDENT, "");
    }
    if (bound.known && verdict->verdict == VERDICT_TRY)
        buf_addf(&line, "at most %.2fx; ", bound.value);
    buf_addf(&line, "%s [%s]", verdict->reason, verdict->rule);
    buf_add_wrapped(out, buf_str(&line), NAME_INDENT, 79);
    buf_add(out, "\n");
    buf_release(&names);
    buf_release(&line);
}

static bool was_said(const struct answer *answer, const struct rule_verdict *verdict)
{
    for (const struct rule_verdict *one = answer->verdicts.item; one < verdict; one++)
        if (says_same(one, verdict) && is_deciding(answer, one))
            return true;
    return false;
}

/* What may pay first. */
static void add_verdicts(const struct answer *answer, struct buf *out)
{
    for (enum verdict of = VERDICT_TRY; of <= VERDICT_STOP; of++)
        for (size_t i = 0; i < answer->verdicts.nr; i++) {
            const struct rule_verdict *verdict = &answer->verdicts.item[i];
            if (verdict->verdict == of && is_deciding(answer, verdict) &&
                !was_said(answer, verdict))
                add_verdict(answer, verdict, out);
        }
}

static void add_head(const struct answer *answer, struct buf *out)
{
    const struct given *given = answer->given;
    struct quantity all = answer->occupancy.bandwidth_gbs;
    char *access = access_text(answer->random_share);
    char *spread = given ? spread_text(all) : xstrdup("");
    if (given && given->title)
        buf_addf(out, "%s\n  ", given->title);
    buf_addf(out, "%s, %d core%s, %.4g GB/s%s, %s\n", answer->machine.name, answer->cores,
             answer->cores == 1 ? "" : "s", answer->gbs, spread, access);
    free(access);
    free(spread);
    if (!given)
        return;
    add_sentence(out, given->source);
    for (size_t i = 0; i < given->note.nr; i++)
        add_sentence(out, given->note.v[i]);
}

/* Nothing where no counter said more than the bandwidth. */
static void add_counted(const struct answer *answer, struct buf *out)
{
    if (!answer->given || !answer->given->facts.set)
        return;
    json_t *facts = metrics_facts_json(&answer->given->facts, &answer->occupancy);
    metrics_facts_text(facts, 79, out);
    json_decref(facts);
}

void answer_text(const struct answer *answer, struct buf *out)
{
    add_head(answer, out);
    add_load(answer, out);
    add_sentence(out, buf_str(&answer->occupancy.diagnosis.sentence));
    add_sentence(out, buf_str(&answer->occupancy.diagnosis.reason));
    add_counted(answer, out);
    add_verdicts(answer, out);
}
