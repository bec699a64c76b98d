#include "advisor/report/report_nodes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/report/report_read.h"
#include "advisor/report/report_view.h"
#include "core/base.h"
#include "core/base/statistics.h"

/* A node by itself is slow, and not in the noise, beyond that. */
static const double slow_by = 1.10;

struct timed {
    const char *node;
    struct quantity time_s;
};

/* Each node once, by its last worker. */
static size_t timed_nodes(const json_t *report, struct timed **out)
{
    const json_t *list = json_object_get(json_object_get(report, "campaign"), "nodes"),
                 *worker;
    size_t nr = 0, i;
    *out = xcalloc(json_array_size(list) + 1, sizeof(**out));
    json_array_foreach(list, i, worker) {
        struct quantity time_s = report_value(report_quantity(worker, "original_s"));
        size_t k = 0;
        while (k < nr && strcmp((*out)[k].node, report_word(worker, "node")))
            k++;
        if (!report_quantity(worker, "original_s"))
            continue;
        (*out)[k] = (struct timed){report_word(worker, "node"), time_s};
        nr += k == nr;
    }
    return nr;
}

static double median_time(const struct timed *timed, size_t nr)
{
    double *value = xcalloc(nr + 1, sizeof(*value));
    for (size_t i = 0; i < nr; i++)
        value[i] = timed[i].time_s.value;
    double median = median_sorting(value, nr);
    free(value);
    return median;
}

char *report_slow_node(const json_t *report)
{
    struct timed *timed;
    size_t nr = timed_nodes(report, &timed);
    struct buf names = {0};
    double median = nr > 2 ? median_time(timed, nr) : NAN;
    for (size_t i = 0; i < nr && nr > 2; i++)
        if (timed[i].time_s.low > slow_by * median)
            buf_addf(&names, "%s%s takes %.2f times as long as the median of its kind",
                     names.length ? ", " : "", timed[i].node,
                     timed[i].time_s.value / median);
    free(timed);
    char *sentence = names.length
                         ? xasprintf("%s: the node itself is slow; its comparisons are "
                                     "within it, and hold",
                                     buf_str(&names))
                         : NULL;
    buf_release(&names);
    return sentence;
}

char *report_scatter(const json_t *report)
{
    struct timed *timed;
    size_t nr = timed_nodes(report, &timed);
    double least = INFINITY, most = 0;
    struct buf out = {0};
    for (size_t i = 0; i < nr; i++) {
        least = fmin(least, timed[i].time_s.value);
        most = fmax(most, timed[i].time_s.value);
    }
    if (nr > 1)
        buf_addf(&out,
                 "The kernel as written takes %.3g to %.3g ms on its %zu nodes (%.0f %% "
                 "apart)",
                 least * 1e3, most * 1e3, nr, 100 * (most / least - 1));
    free(timed);
    return out.length ? buf_detach(&out) : NULL;
}

/* "n1, n2 and 3 more" */
static void add_names(const json_t *nodes, struct buf *out)
{
    enum { MOST = 4 };
    struct strvec names = {0};
    const json_t *worker;
    size_t i;
    json_array_foreach(nodes, i, worker)
        strvec_push_once(&names, report_word(worker, "node"));
    for (i = 0; i < names.nr && i < MOST; i++)
        buf_addf(out, "%s%s", i ? ", " : "", names.v[i]);
    if (names.nr > MOST)
        buf_addf(out, " and %zu more", names.nr - MOST);
    strvec_release(&names);
}

void view_nodes(struct view *view)
{
    const json_t *campaign = json_object_get(view->report, "campaign");
    struct buf names = {0};
    if (!campaign)
        return;
    double pruned = report_figure(campaign, "pruned");
    add_names(json_object_get(campaign, "nodes"), &names);
    buf_addf(&names, ": %.0f node-seconds, %.3g for each variant",
             report_figure(campaign, "node_seconds"),
             report_figure(campaign, "variant_node_seconds"));
    if (pruned > 0)
        buf_addf(&names,
                 "; the %.0f that were left out by a rule or as not legal would have "
                 "taken %.0f",
                 pruned, report_figure(campaign, "saved_node_seconds"));
    layout_paragraph(&view->layout, "Judged on %s.", buf_str(&names));
    char *sentence[] = {report_scatter(view->report), report_slow_node(view->report)};
    for (size_t i = 0; i < ARRAY_SIZE(sentence); i++) {
        if (sentence[i])
            layout_paragraph(&view->layout, "%s.", sentence[i]);
        free(sentence[i]);
    }
    buf_release(&names);
}
