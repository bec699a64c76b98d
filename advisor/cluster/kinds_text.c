/* Kinds of nodes side by side: where the same plan wins, where not, and why. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cluster/kinds.h"
#include "advisor/report/report_nodes.h"
#include "advisor/report/report_read.h"
#include "advisor/report/report_verdict.h"
#include "core/base.h"
#include "core/cause/cause.h"

/* ---- each kind ---- */

static const char *winner_of(const struct kind *kind)
{
    return report_word(json_object_get(kind->report, "best"), "plan");
}

static void add_kind(const struct kind *kind, struct buf *out)
{
    const json_t *verdict = json_object_get(kind->report, "verdict");
    double node_s =
        report_figure(json_object_get(kind->report, "campaign"), "node_seconds");
    buf_addf(out, "%s: %s\n", kind->name,
             kind->report    ? report_word(verdict, "headline")
             : kind->trouble ? kind->trouble
                             : "no report");
    buf_addf(out, "  %s, %lld core%s; %zu worker%s", kind->model, kind->cores,
             kind->cores == 1 ? "" : "s", kind->worker.nr,
             kind->worker.nr == 1 ? "" : "s");
    if (kind->report)
        buf_addf(out, ", %.0f node-seconds; session %lld", node_s,
                 json_integer_value(json_object_get(kind->report, "session")));
    buf_add(out, "\n");
    char *limit = kind->report ? report_limit_phrase(kind->report) : NULL;
    if (limit)
        buf_addf(out, "  limited by %s\n", limit);
    char *slow = report_slow_node(kind->report), *scatter = report_scatter(kind->report);
    if (scatter)
        buf_addf(out, "  %s\n", scatter);
    if (slow)
        buf_addf(out, "  %s\n", slow);
    free(limit);
    free(slow);
    free(scatter);
}

static bool have_reports(const struct kinds *kinds)
{
    size_t nr = 0;
    for (size_t i = 0; i < kinds->nr; i++)
        nr += kinds->item[i].report != NULL;
    return nr > 1;
}

/* ---- limits ---- */

/* What a limit is about. */
enum {
    ABOUT_MISSES = 1, /* misses in flight */
    ABOUT_MEMORY = 2,
    ABOUT_CACHES = 4,
    ABOUT_CORE = 8,
    ABOUT_PAGES = 16
};

/* Figures of the machine that make one plan win here and another there. */
static const struct row {
    const char *key, *name, *unit;
    double per; /* one of these units */
    int level;  /* of a cache; 0 = it is none */
    unsigned about;
} rows[] = {
    {"l1_mshrs", "L1 miss queue (MSHRs)", "", 1, 0, ABOUT_MISSES},
    {"l2_mshrs", "L2 miss queue", "", 1, 0, ABOUT_MISSES},
    {"memory_latency_ns", "memory latency", " ns", 1, 0, ABOUT_MISSES | ABOUT_PAGES},
    {"memory_read_gbs", "memory bandwidth, one core", " GB/s", 1, 0, ABOUT_MEMORY},
    {"all_read_gbs", "memory bandwidth, all cores", " GB/s", 1, 0, ABOUT_MEMORY},
    {NULL, "L1 cache", " KiB", 1024, 1, ABOUT_CACHES},
    {NULL, "L2 cache", " KiB", 1024, 2, ABOUT_CACHES | ABOUT_MISSES},
    {NULL, "L3 cache", " KiB", 1024, 3, ABOUT_CACHES | ABOUT_MISSES | ABOUT_MEMORY},
    {"simd_bytes", "vector width", " bytes", 1, 0, ABOUT_CORE},
};

static const json_t *row_entry(const json_t *report, const struct row *row)
{
    const json_t *profile = json_object_get(report, "profile"), *level;
    size_t i;
    if (!row->level)
        return json_object_get(profile, row->key);
    json_array_foreach(json_object_get(profile, "levels"), i, level)
        if (report_figure(level, "level") == row->level)
            return level;
    return NULL;
}

/* What was measured of it; the system's word, where it was not. */
static struct quantity level_bytes(const json_t *level)
{
    struct quantity bytes =
        quantity_exact(report_figure(level, "effective_bytes"), PROVENANCE_PROBE);
    if (!(bytes.value > 0))
        return json_is_number(json_object_get(level, "claimed_bytes"))
                   ? quantity_exact(report_figure(level, "claimed_bytes"),
                                    PROVENANCE_TABLE)
                   : quantity_unknown();
    bytes.low = report_figure(level, "effective_low_bytes");
    bytes.high = report_figure(level, "effective_high_bytes");
    return bytes;
}

static struct quantity row_value(const json_t *report, const struct row *row)
{
    const json_t *entry = row_entry(report, row);
    if (row->level)
        return level_bytes(entry);
    if (json_is_number(entry))
        return quantity_exact(json_number_value(entry), PROVENANCE_TABLE);
    const json_t *used = json_object_get(entry, "used");
    return report_value(used ? used : entry);
}

static void add_value(const struct row *row, struct quantity value, struct buf *out)
{
    if (!value.known)
        buf_add(out, "not known");
    else
        buf_addf(out, "%.6g%s%s", round(value.value / row->per * 100) / 100, row->unit,
                 isfinite(value.high) ? "" : " or more");
}

static void add_limits(const struct kinds *kinds, struct buf *out)
{
    buf_add(out, "Limits side by side\n");
    for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
        buf_addf(out, "  %s:", rows[r].name);
        for (size_t i = 0; i < kinds->nr; i++) {
            buf_addf(out, "%s %s ", i ? "," : "", kinds->item[i].name);
            add_value(&rows[r], row_value(kinds->item[i].report, &rows[r]), out);
        }
        buf_add(out, "\n");
    }
}

static unsigned about(const json_t *report)
{
    static const unsigned of[CAUSE_NR] = {
        [CAUSE_DEPENDENT_LOADS] = ABOUT_MISSES,
        [CAUSE_LOAD_BUFFER] = ABOUT_MISSES,
        [CAUSE_REORDER_BUFFER] = ABOUT_MISSES,
        [CAUSE_STRIDED] = ABOUT_MISSES | ABOUT_CACHES,
        [CAUSE_PAGE_WALKS] = ABOUT_PAGES,
        [CAUSE_L1_MSHRS] = ABOUT_MISSES,
        [CAUSE_L2_MSHRS] = ABOUT_MISSES,
        [CAUSE_L2_BANDWIDTH] = ABOUT_CACHES,
        [CAUSE_L3_BANDWIDTH] = ABOUT_CACHES,
        [CAUSE_MEMORY_BANDWIDTH] = ABOUT_MEMORY,
        [CAUSE_STORES] = ABOUT_MEMORY,
        [CAUSE_PREFETCHER] = ABOUT_MISSES,
        [CAUSE_RECURRENCE] = ABOUT_CORE,
        [CAUSE_SCHEDULER] = ABOUT_CORE,
        [CAUSE_L1_BANDWIDTH] = ABOUT_CORE,
        [CAUSE_ISSUE_WIDTH] = ABOUT_CORE,
        [CAUSE_ARITHMETIC] = ABOUT_CORE,
        [CAUSE_BRANCHES] = ABOUT_CORE,
        [CAUSE_FRONT_END] = ABOUT_CORE,
        [CAUSE_CORE] = ABOUT_CACHES,
    };
    const char *word = report_word(json_object_get(report, "cause"), "cause");
    enum cause cause = cause_from_word(word);

    return cause < CAUSE_NR ? of[cause] : 0;
}

static bool is_apart(struct quantity a, struct quantity b)
{
    return a.known && b.known && (a.high < b.low || b.high < a.low);
}

/* ---- winners side by side ---- */

/* Rows of what either is limited by, where the two are apart; of all rows where nobody
 * knows what that is. */
static void add_differences(const struct kind *a, const struct kind *b, struct buf *out)
{
    unsigned limits = about(a->report) | about(b->report);
    bool any = false;
    for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
        struct quantity left = row_value(a->report, &rows[r]),
                        right = row_value(b->report, &rows[r]);
        if ((limits && !(rows[r].about & limits)) || !is_apart(left, right))
            continue;
        buf_addf(out, "%s %s: ", any ? "," : "; this differs:", rows[r].name);
        add_value(&rows[r], left, out);
        buf_add(out, " and ");
        add_value(&rows[r], right, out);
        any = true;
    }
    if (!any)
        buf_add(out, "; no limit that this is about differs beyond its interval");
}

static char *why_differ(const struct kind *a, const struct kind *b)
{
    struct buf out = {0};
    char *one = report_limit_phrase(a->report), *other = report_limit_phrase(b->report);
    if (!strcmp(one, other))
        buf_addf(&out, "why: on %s and on %s the kernel as written is limited by %s",
                 a->name, b->name, one);
    else
        buf_addf(&out, "why: the kernel as written is limited by %s on %s, by %s on %s",
                 one, a->name, other, b->name);
    add_differences(a, b, &out);
    free(one);
    free(other);
    return buf_detach(&out);
}

static const json_t *visit_of(const struct kind *kind, const char *other)
{
    const json_t *entry;
    size_t i;
    json_array_foreach(json_object_get(kind->report, "others"), i, entry)
        if (!strcmp(report_word(entry, "kind"), other))
            return entry;
    return NULL;
}

static const char *plan_words(const char *plan)
{
    return *plan ? plan : "the kernel as written";
}

static void add_range(struct quantity ratio, struct buf *out)
{
    buf_addf(out, " (%.2f to %.2f)", ratio.low, ratio.high);
}

/* Beside its own winner. */
static void add_beside(const struct kind *kind, struct quantity over, struct buf *out)
{
    if (!*winner_of(kind)) {
        buf_add(out, "; its own search kept the kernel as written");
        return;
    }
    buf_addf(out, "; its own, %s, gains ", winner_of(kind));
    add_report_gain(out, report_gain(kind->report), "what is not known");
    if (!over.known || over.doubted)
        return;
    if (report_is_noise(over.low, over.high)) {
        buf_add(out, ", and neither is faster than the other beyond the noise");
        add_range(over, out);
    } else if (over.low > 1) {
        buf_addf(out, ", but measured beside it the other kind's is %.2fx as fast",
                 over.value);
        add_range(over, out);
    } else {
        struct quantity own = quantity_divide(quantity_exact(1, PROVENANCE_CLOCK), over);
        buf_addf(out, ", and measured beside it is %.2fx as fast", own.value);
        add_range(own, out);
    }
}

/* What the winner of `other` is worth on `kind`. */
static char *visit_sentence(const struct kind *kind, const struct kind *other)
{
    const json_t *entry = visit_of(kind, other->name);
    const char *end = report_word(entry, "end");
    struct buf out = {0};
    buf_addf(&out, "on %s the winner of %s, %s, ", kind->name, other->name,
             plan_words(winner_of(other)));
    if (!strcmp(end, "measured")) {
        buf_add(&out, "gains ");
        add_report_gain(&out, report_quantity(entry, "gain"), "what is not known");
        add_beside(kind, report_value(report_quantity(entry, "over_winner")), &out);
    } else if (!*winner_of(other)) {
        buf_addf(&out, "gains nothing; its own, %s, gains ", plan_words(winner_of(kind)));
        add_report_gain(&out, report_gain(kind->report), "what is not known");
    } else if (!strcmp(end, "refused")) {
        buf_addf(&out, "cannot be used: %s", report_word(entry, "reason"));
    } else {
        buf_addf(&out, "was not measured: %s",
                 entry ? report_word(entry, "reason")
                 : report_true(kind->report, "interrupted")
                     ? "the search there was interrupted"
                     : "it came when the search "
                       "there had ended");
    }
    return buf_detach(&out);
}

/* Its own search has not found what is best there: that of the other kind. */
static bool is_beaten(const struct kind *kind, const struct kind *by)
{
    const json_t *entry = visit_of(kind, by->name);
    struct quantity over =
        report_value(report_quantity(entry, *winner_of(kind) ? "over_winner" : "gain"));
    return over.known && !over.doubted && over.low > 1;
}

static char *one_for_both(const struct kind *kind, const struct kind *by)
{
    return xasprintf("so the winner of %s, %s, is the fastest known on both; the search "
                     "on %s did not find it in its time (inflight apply --plan writes "
                     "it)",
                     by->name, winner_of(by), kind->name);
}

static void push(struct strvec *out, char *sentence)
{
    strvec_push(out, sentence);
    free(sentence);
}

static void add_pair(const struct kind *a, const struct kind *b, struct strvec *out)
{
    if (!a->report || !b->report || !strcmp(winner_of(a), winner_of(b)))
        return;
    push(out, visit_sentence(a, b));
    push(out, visit_sentence(b, a));
    if (is_beaten(a, b) != is_beaten(b, a))
        push(out, is_beaten(a, b) ? one_for_both(a, b) : one_for_both(b, a));
    else
        push(out, why_differ(a, b));
}

/* Of the kinds that have a report. */
static bool are_alike(const struct kinds *kinds)
{
    const struct kind *first = NULL;
    for (size_t i = 0; i < kinds->nr; i++) {
        const struct kind *kind = &kinds->item[i];
        if (!kind->report)
            continue;
        first = first ? first : kind;
        if (strcmp(winner_of(kind), winner_of(first)) != 0)
            return false;
    }
    return true;
}

static void add_gains(const struct kinds *kinds, struct buf *out)
{
    bool any = false;
    for (size_t i = 0; i < kinds->nr; i++) {
        const struct kind *kind = &kinds->item[i];
        const json_t *gain = report_gain(kind->report);
        if (!kind->report || !*winner_of(kind) || report_value(gain).doubted)
            continue; /* its headline says why */
        buf_addf(out, "%s on %s ", any ? "," : "; it gains", kind->name);
        add_report_gain(out, gain, "what is not known");
        any = true;
    }
}

void kinds_sentences(const struct kinds *kinds, struct strvec *out)
{
    struct buf first = {0};
    bool alike = are_alike(kinds);
    if (!have_reports(kinds))
        return;
    for (size_t i = 0; i < kinds->nr && alike && !first.length; i++)
        if (kinds->item[i].report)
            buf_addf(&first, "The same plan wins on all kinds: %s",
                     plan_words(winner_of(&kinds->item[i])));
    if (alike)
        add_gains(kinds, &first);
    else
        buf_add(&first, "Different plans win on different kinds");
    strvec_push(out, buf_str(&first));
    buf_release(&first);
    for (size_t i = 0; i < kinds->nr; i++)
        for (size_t k = i + 1; k < kinds->nr; k++)
            add_pair(&kinds->item[i], &kinds->item[k], out);
}

void kinds_text(const struct kinds *kinds, struct buf *out)
{
    struct strvec sentences = {0};
    for (size_t i = 0; i < kinds->nr; i++)
        add_kind(&kinds->item[i], out);
    kinds_sentences(kinds, &sentences);
    for (size_t i = 0; i < sentences.nr; i++)
        buf_addf(out, "%s%s%s\n", i ? "  " : "\n", sentences.v[i],
                 i || sentences.nr == 1 ? "" : ":");
    if (sentences.nr)
        add_limits(kinds, out);
    strvec_release(&sentences);
}
