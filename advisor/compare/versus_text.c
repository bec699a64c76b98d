/* The comparison of two versions, for people and as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/compare/versus.h"

/* ---- text ---- */

static void show_times(const struct versus *versus, struct page *page)
{
    page_heading(page, "Time");
    for (size_t i = 0; i < 2; i++) {
        struct buf text = {0};
        buf_add_time_figure(&text, versus->side[i]->time_s);
        page_line(page, i ? "after" : "before", "%s (%s)", buf_str(&text),
                  versus->name[i]);
        buf_release(&text);
    }
    if (versus->ratio.known) {
        struct buf text = {0};
        buf_add_ratio(&text, versus->ratio);
        page_line(page, "ratio", "%s, before / after, %zu launches, in turn",
                  buf_str(&text), versus->ratio.runs);
        buf_release(&text);
    }
    page_paragraph(page, "%s", versus->ratio_sentence);
}

static void add_times(struct buf *out, struct quantity ratio, int width)
{
    struct buf text = {0};
    buf_add_times(&text, ratio.known ? ratio.value : NAN);
    buf_addf(out, "%*s", width, buf_str(&text));
    buf_release(&text);
}

static void show_work(const struct versus *versus, struct page *page)
{
    page_heading(page, "Less work or faster work?");
    if (versus->work_sentence)
        page_paragraph(page, "%s", versus->work_sentence);
    buf_add(page->out,
            "  one call, per core        before     after    less work  faster work\n");
    for (size_t i = 0; i < VERSUS_WORK_NR; i++) {
        const struct versus_work *work = &versus->work[i];
        if (!work->before.known && !work->after.known)
            continue;
        buf_addf(page->out, "  %-22s", work->name);
        buf_add_cell(page->out, work->before, 1, 10);
        buf_add_cell(page->out, work->after, 1, 10);
        add_times(page->out, work->less, 13);
        add_times(page->out, work->faster, 13);
        buf_add(page->out, "\n");
    }
    page_paragraph(page, "less work: before / after; faster work: what is done a second, "
                         "after / before; their product is the ratio of the times.");
}

static void add_queue(const struct versus *versus, int r, struct buf *out)
{
    const struct occupancy_resource *side[2];
    for (size_t i = 0; i < 2; i++)
        side[i] = &versus->side[i]->occupancy.resource[r];
    buf_addf(out, "  %-13s", resource_word((enum resource)r));
    for (size_t i = 0; i < 2; i++)
        buf_add_cell(out, side[i]->n.known ? side[i]->n : side[i]->rate, 1, 10);
    buf_add_cell(out, side[0]->limit, 1, 10);
    for (size_t i = 0; i < 2; i++)
        buf_add_share_cell(out, side[i]->utilization, 16);
    buf_add(out, "\n");
}

static void show_queues(const struct versus *versus, struct page *page)
{
    if (!versus->side[0]->has_occupancy || !versus->side[1]->has_occupancy)
        return;
    page_heading(page, "Every queue before and after");
    buf_add(page->out, "  resource         before     after     limit     used before    "
                       "  used after\n");
    for (int r = 0; r < RESOURCE_NONE; r++)
        if (versus->side[0]->occupancy.resource[r].utilization.known ||
            versus->side[1]->occupancy.resource[r].utilization.known)
            add_queue(versus, r, page->out);
    for (size_t i = 0; i < 2; i++) {
        const struct occupancy *now = &versus->side[i]->occupancy;
        struct buf text = {0};
        buf_add_figure(&text, now->bandwidth_gbs, 1, "GB/s");
        buf_add(&text, "; n ");
        buf_add_figure(&text, now->paper_n, 1, "lines per core");
        buf_addf(&text, "; limited by %s. %s", resource_phrase(now->limiter),
                 buf_str(&now->why_sentence));
        page_line(page, i ? "after" : "before", "%s", buf_str(&text));
        buf_release(&text);
    }
}

void versus_text(const struct versus *versus, struct page *page)
{
    show_times(versus, page);
    show_work(versus, page);
    show_queues(versus, page);
}

/* ---- JSON ---- */

static json_t *work_json(const struct versus *versus)
{
    json_t *list = json_array();
    for (size_t i = 0; i < VERSUS_WORK_NR; i++) {
        const struct versus_work *work = &versus->work[i];
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "name", work->name, "unit",
                            work->unit, "before", json_quantity(work->before), "after",
                            json_quantity(work->after), "less", json_quantity(work->less),
                            "faster", json_quantity(work->faster)));
    }
    return list;
}

void versus_to_json(const struct versus *versus, json_t *root)
{
    json_object_set_new(root, "ratio", json_quantity(versus->ratio));
    json_object_set_new(root, "verdict", json_string(versus_end_word(versus->end)));
    json_object_set_new(root, "ratio_sentence", json_string(versus->ratio_sentence));
    json_object_set_new(root, "work_sentence", text_json(versus->work_sentence));
    json_object_set_new(root, "decisive_work",
                        versus->decisive < 0
                            ? json_null()
                            : json_string(versus->work[versus->decisive].name));
    json_object_set_new(root, "work", work_json(versus));
    json_object_set_new(root, "before", measurement_to_json(versus->side[0]));
    json_object_set_new(root, "after", measurement_to_json(versus->side[1]));
}
