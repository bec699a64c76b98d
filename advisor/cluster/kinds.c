#include "advisor/cluster/kinds.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/report/report_nodes.h"
#include "advisor/report/report_read.h"
#include "advisor/report/report_verdict.h"
#include "core/base.h"

static bool name_is_taken(const struct kinds *kinds, const char *name)
{
    for (size_t i = 0; i < kinds->nr; i++)
        if (!strcmp(kinds->item[i].name, name))
            return true;
    return false;
}

static char *free_name(const struct kinds *kinds, const json_t *hello, long long cores)
{
    char *name = xasprintf("%s-%lldc", report_word(hello, "cpu"), cores);
    for (int nr = 2; name_is_taken(kinds, name); nr++) {
        free(name);
        name = xasprintf("%s-%lldc-%d", report_word(hello, "cpu"), cores, nr);
    }
    return name;
}

struct kind *kinds_of(struct kinds *kinds, const char *folder, const json_t *hello)
{
    const char *key = report_word(hello, "kind");
    for (size_t i = 0; i < kinds->nr; i++)
        if (!strcmp(kinds->item[i].key, key))
            return &kinds->item[i];
    long long cores = json_integer_value(json_object_get(hello, "cores"));
    char *name = free_name(kinds, hello, cores);
    GROW(kinds->item, kinds->nr + 1, kinds->alloc);
    struct kind *kind = &kinds->item[kinds->nr++];
    *kind =
        (struct kind){.name = name,
                      .model = xstrdup(report_word(hello, "cpu_model")),
                      .key = xstrdup(key),
                      .folder = xasprintf("%s/kind-%s.%ld", folder, name, (long)getpid()),
                      .cores = cores};
    return kind;
}

void kinds_release(struct kinds *kinds)
{
    for (size_t i = 0; i < kinds->nr; i++) {
        struct kind *kind = &kinds->item[i];
        free(kind->name);
        free(kind->model);
        free(kind->key);
        free(kind->folder);
        free(kind->trouble);
        strvec_release(&kind->worker);
        strvec_release(&kind->job);
        json_decref(kind->report);
    }
    free(kinds->item);
}

/* ---- kinds side by side ---- */

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

/* Figures of the machine that make one plan win here and another there. */
static void add_limits(const struct kinds *kinds, struct buf *out)
{
    static const struct {
        const char *key, *name, *unit;
        double scale;
    } row[] = {{"l1_mshrs", "L1 miss queue (MSHRs)", "", 1},
               {"l2_mshrs", "L2 miss queue", "", 1},
               {"memory_latency_ns", "memory latency", "ns", 1},
               {"memory_read_gbs", "memory bandwidth, one core", "GB/s", 1},
               {"all_read_gbs", "memory bandwidth, all cores", "GB/s", 1},
               {"simd_bytes", "vector width", "bytes", 1}};
    buf_add(out, "Limits side by side\n");
    for (size_t r = 0; r < ARRAY_SIZE(row); r++) {
        buf_addf(out, "  %s:", row[r].name);
        for (size_t i = 0; i < kinds->nr; i++) {
            const json_t *profile = json_object_get(kinds->item[i].report, "profile"),
                         *entry = json_object_get(profile, row[r].key);
            const json_t *used = json_object_get(entry, "used");
            const json_t *value = json_is_object(entry)
                                      ? json_object_get(used ? used : entry, "value")
                                      : entry;
            buf_addf(out, "%s %s ", i ? "," : "", kinds->item[i].name);
            if (json_is_number(value))
                buf_addf(out, "%.4g%s%s", json_number_value(value),
                         *row[r].unit ? " " : "", row[r].unit);
            else
                buf_add(out, "not known");
        }
        buf_add(out, "\n");
    }
}

/* The gain of one kind's winner on another, where its search measured that, too. */
static void add_other(const struct kind *kind, const struct kind *other, struct buf *out)
{
    const char *plan = winner_of(other);
    const json_t *gain = report_plan_gain(kind->report, plan);
    if (!*plan || !strcmp(plan, winner_of(kind)))
        return;
    if (gain)
        buf_addf(out, "  on %s the winner of %s, %s, gains %.2fx\n", kind->name,
                 other->name, plan, report_figure(gain, "value"));
    else
        buf_addf(out, "  on %s the winner of %s, %s, was not measured\n", kind->name,
                 other->name, plan);
}

void kinds_text(const struct kinds *kinds, struct buf *out)
{
    bool alike = true;
    for (size_t i = 0; i < kinds->nr; i++) {
        add_kind(&kinds->item[i], out);
        alike = alike && !strcmp(winner_of(&kinds->item[i]), winner_of(kinds->item));
    }
    if (!have_reports(kinds))
        return;
    buf_add(out, "\n");
    if (alike)
        buf_addf(out, "The same plan wins on all kinds: %s.\n",
                 *winner_of(kinds->item) ? winner_of(kinds->item)
                                         : "the kernel as written");
    else
        buf_add(out, "Each kind has a plan of its own:\n");
    for (size_t i = 0; i < kinds->nr && !alike; i++)
        for (size_t k = 0; k < kinds->nr; k++)
            if (k != i && kinds->item[i].report && kinds->item[k].report)
                add_other(&kinds->item[i], &kinds->item[k], out);
    add_limits(kinds, out);
}

json_t *kinds_json(const struct kinds *kinds)
{
    json_t *list = json_array();
    for (size_t i = 0; i < kinds->nr; i++) {
        const struct kind *kind = &kinds->item[i];
        char *slow = report_slow_node(kind->report),
             *scatter = report_scatter(kind->report);
        json_t *entry = json_pack(
            "{s:s, s:s, s:I, s:I, s:o, s:o, s:o}", "name", kind->name, "cpu_model",
            kind->model, "cores", (json_int_t)kind->cores, "workers",
            (json_int_t)kind->worker.nr, "trouble", text_json(kind->trouble), "scatter",
            text_json(scatter), "slow_node", text_json(slow));
        if (kind->report)
            json_object_set(entry, "report", kind->report);
        json_array_append_new(list, entry);
        free(slow);
        free(scatter);
    }
    return json_pack("{s:s, s:s, s:o}", "schema", "inflight.campaign/1", "version",
                     INFLIGHT_VERSION, "kinds", list);
}
