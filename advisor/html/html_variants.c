/* The page: what it reads from the document before it writes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_parts.h"

bool html_ran(const struct html_variant *variant)
{
    const struct measurement *measurement = &variant->measurement;
    return measurement->outcome == RUN_OUTCOME_OK && measurement->time_s.known;
}

char *html_name(const struct html_variant *variant)
{
    struct candidate candidate = {variant->measurement.plan,
                                  variant->measurement.environment};
    return candidate_text(&candidate);
}

static void read_variant(struct html *page, const json_t *json)
{
    struct json_at at = json_top("report", json);
    struct html_variant variant = {.json = json, .gain = quantity_unknown()};
    if (!json_is_object(json) || measurement_from_json(&at, &variant.measurement, NULL)) {
        page->unread_nr++;
        return;
    }
    const json_t *analysis = json_object_get(json, "analysis");
    variant.gbs = doc_quantity(analysis, "bandwidth_gbs");
    variant.latency_ns = doc_quantity(analysis, "latency_ns");
    variant.around = environment_phrase(&variant.measurement.environment);
    page->variant[page->variant_nr++] = variant;
}

/* Ends of both intervals against each other: wider than what was timed in turn. */
static void find_gains(struct html *page)
{
    if (page->variant_nr == 0 || !html_ran(&page->variant[0]))
        return;
    struct quantity written = page->variant[0].measurement.time_s;
    for (size_t i = 0; i < page->variant_nr; i++)
        if (html_ran(&page->variant[i]))
            page->variant[i].gain =
                i ? quantity_divide(written, page->variant[i].measurement.time_s)
                  : quantity_exact(1, PROVENANCE_CLOCK);
}

static void read_variants(struct html *page)
{
    const json_t *list = json_object_get(page->report, "variants"), *one;
    size_t i, nr = json_array_size(list);
    double searched = report_figure(page->report, "searched");
    page->variant = xcalloc(nr + 1, sizeof(*page->variant));
    json_array_foreach(list, i, one)
    {
        read_variant(page, one);
        if (page->variant_nr && searched > 0)
            page->variant[page->variant_nr - 1].closing = (double)i >= searched;
    }
    find_gains(page);
}

static void find_best(struct html *page)
{
    const json_t *best = json_object_get(page->report, "best");
    struct json_at at = json_top("report", best);
    struct measurement wanted = {0};
    if (!json_is_object(best) || measurement_from_json(&at, &wanted, NULL))
        return;
    for (size_t i = 1; i < page->variant_nr && !page->best; i++)
        if (!strcmp(page->variant[i].measurement.plan, wanted.plan) &&
            environments_equal(&page->variant[i].measurement.environment,
                               &wanted.environment))
            page->best = i;
    measurement_release(&wanted);
}

/* All numbers with a point are floats, as far as the arrays tell. */
static bool is_single(const json_t *kernel)
{
    const json_t *array;
    size_t i, floats = 0;
    json_array_foreach(json_object_get(kernel, "arrays"), i, array)
    {
        if (strstr(report_word(array, "type"), "double"))
            return false;
        floats += strstr(report_word(array, "type"), "float") != NULL;
    }
    return floats > 0;
}

static void read_machine(struct html *page)
{
    const json_t *profile = json_object_get(page->report, "profile");
    struct json_at at = json_top("report", profile);
    double copies = report_figure(json_object_get(page->report, "machine"), "copies");
    page->has_machine =
        json_is_object(profile) && machine_from_json(&at, &page->machine, NULL) == 0;
    page->copies = copies >= 1 && copies < 1e6 ? (int)copies : 1;
}

void html_read(struct html *page, const json_t *report, struct buf *out)
{
    *page = (struct html){.report = report, .out = out};
    read_variants(page);
    find_best(page);
    read_machine(page);
    page->single_precision = is_single(json_object_get(report, "kernel"));
    for (size_t i = 0; i < page->variant_nr; i++)
        page->variant[i].why = html_why(page, i);
}

void html_release(struct html *page)
{
    for (size_t i = 0; i < page->variant_nr; i++) {
        measurement_release(&page->variant[i].measurement);
        free(page->variant[i].around);
        free(page->variant[i].why);
    }
    free(page->variant);
    if (page->has_machine)
        machine_release(&page->machine);
}
