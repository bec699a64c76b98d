#include "advisor/cluster/share.h"

#include <math.h>
#include <stdlib.h>

#include "advisor/cluster/kinds.h"
#include "advisor/report/report_read.h"
#include "advisor/session/context_remote.h"
#include "core/base.h"
#include "search/remote/mailbox.h"

/* ---- node-seconds ---- */

/* If each search had `level` at least, they would have so much together. */
static double all_with(const struct kinds *kinds, double level)
{
    double sum = 0;
    for (size_t i = 0; i < kinds->nr; i++)
        if (!kinds->item[i].ended)
            sum += fmax(kinds->item[i].node_s, level);
    return sum;
}

/* What those that have used less have each: all of `left_node_s`, when those that have
 * used more keep that. */
static double level_of(const struct kinds *kinds, double left_node_s)
{
    enum { HALVINGS = 60 };
    double low = 0, high = fmax(left_node_s, 0);
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (all_with(kinds, middle) <= left_node_s)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void share_node_s(double node_s, const struct kinds *kinds, double *may)
{
    double left_node_s = node_s;
    for (size_t i = 0; i < kinds->nr; i++)
        if (kinds->item[i].ended)
            left_node_s -= kinds->item[i].node_s;
    double level = isinf(node_s) ? node_s : level_of(kinds, left_node_s);
    for (size_t i = 0; i < kinds->nr; i++)
        may[i] = kinds->item[i].ended ? 0 : fmax(kinds->item[i].node_s, level);
}

/* ---- letters ---- */

/* What it said when it failed. */
static const char *why_none(const struct kind *kind)
{
    if (!kind->ended || kind->winner)
        return NULL;
    return kind->report                      ? "its search was interrupted"
           : kind->trouble && *kind->trouble ? kind->trouble
                                             : "its search ended without a report";
}

json_t *share_json(const struct kinds *kinds, const struct kind *kind, double may)
{
    json_t *others = json_array();
    for (size_t i = 0; i < kinds->nr; i++) {
        const struct kind *other = &kinds->item[i];
        if (other == kind)
            continue;
        json_array_append_new(others, json_pack("{s:s, s:o, s:o}", "name", other->name,
                                                "plan", text_json(other->winner), "why",
                                                text_json(why_none(other))));
    }
    return json_pack("{s:s, s:o, s:o}", "message", "told", "node_s",
                     isinf(may) ? json_null() : json_real(may), "others", others);
}

static void hear(struct kind *kind)
{
    json_t *used = mailbox_read(kind->folder, "", KIND_USED),
           *winner = kind->winner ? NULL : mailbox_read(kind->folder, "", KIND_WINNER);
    if (json_is_number(json_object_get(used, "node_s")))
        kind->node_s = json_number_value(json_object_get(used, "node_s"));
    if (kind->ended && kind->report)
        kind->node_s =
            report_figure(json_object_get(kind->report, "campaign"), "node_seconds");
    if (winner)
        kind->winner = xstrdup(report_word(winner, "plan"));
    json_decref(used);
    json_decref(winner);
}

/* Where it cannot be written now, it is tried again. */
static void tell(struct kinds *kinds, struct kind *kind, double may)
{
    const struct mailbox_patience none = {0};
    json_t *told = share_json(kinds, kind, may);
    if (json_equal(told, kind->told) ||
        mailbox_put(kind->folder, "", KIND_TOLD, told, &none, NULL)) {
        json_decref(told);
        return;
    }
    json_decref(kind->told);
    kind->told = told;
}

void share_tell(struct kinds *kinds, double node_s)
{
    double *may = xcalloc(kinds->nr + 1, sizeof(*may));
    for (size_t i = 0; i < kinds->nr; i++)
        hear(&kinds->item[i]);
    share_node_s(node_s, kinds, may);
    for (size_t i = 0; i < kinds->nr; i++)
        if (!kinds->item[i].ended)
            tell(kinds, &kinds->item[i], may[i]);
    free(may);
}
