/* The page: the gain in the application beside that of the kernel alone. */
#include "advisor/html/html_parts.h"

static void add_row(struct html *page, const char *what, struct quantity gain,
                    const char *absent)
{
    struct buf text = {0}, range = {0};
    buf_add(page->out, "<tr>");
    html_element(page->out, "th scope=\"row\"", what);
    buf_add_ratio_value(&text, gain);
    buf_add_ratio_range(&range, gain);
    html_element(page->out, "td class=\"number\"", gain.known ? buf_str(&text) : absent);
    html_elementf(page->out, "td", "%s%s", buf_str(&range),
                  gain.known && !gain.doubted && report_is_noise(gain.low, gain.high)
                      ? ", not beyond the noise"
                      : "");
    buf_add(page->out, "</tr>\n");
    buf_release(&text);
    buf_release(&range);
}

static void add_rows(struct html *page, const json_t *in_app)
{
    buf_add(page->out,
            "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">What</th><th "
            "scope=\"col\">Gain</th><th scope=\"col\">95 %</th></tr></thead>\n<tbody>\n");
    add_row(page, "The kernel alone", doc_quantity(in_app, "isolated_gain"),
            "not measured");
    add_row(page, "The routine in the application", doc_quantity(in_app, "routine_gain"),
            "not known");
    add_row(page, "The whole program", doc_quantity(in_app, "program_gain"), "not known");
    add_row(page, "Expected of the program, from the routine's share and gain",
            doc_quantity(in_app, "expected_gain"), "not known");
    buf_add(page->out, "</tbody></table></div>\n");
}

static void add_causes(struct html *page, const json_t *in_app)
{
    const json_t *cause;
    size_t i;
    html_element(page->out, "p", report_word(in_app, "why"));
    buf_add(page->out, "<ul>\n");
    json_array_foreach(json_object_get(in_app, "causes"), i, cause)
        html_elementf(page->out, "li", "%s: %s", report_word(cause, "cause"),
                      report_word(cause, "sentence"));
    buf_add(page->out, "</ul>\n");
}

void html_add_in_app(struct html *page)
{
    const json_t *in_app = json_object_get(page->report, "in_app");
    if (!json_is_object(in_app))
        return;
    html_element(page->out, "h3", "In the application");
    if (report_has(in_app, "sentence")) {
        html_elementf(page->out, "p", "Nothing is claimed: %s.",
                      report_word(in_app, "sentence"));
        return;
    }
    html_elementf(page->out, "p", "%s && %s, by %.0f pairs of runs.",
                  report_word(in_app, "build"), report_word(in_app, "run"),
                  report_figure(in_app, "pairs"));
    add_rows(page, in_app);
    if (report_has(in_app, "no_routine"))
        html_elementf(page->out, "p", "The routine's gain is not known: %s.",
                      report_word(in_app, "no_routine"));
    if (report_has(in_app, "why"))
        add_causes(page, in_app);
}
