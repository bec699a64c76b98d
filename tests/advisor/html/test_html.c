/*
 * The page as text: what is in it and in which order, that nothing of a session is taken
 * for markup, old and damaged documents, what becomes of gnuplot's pictures, and the
 * diffs that the document keeps.
 */
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_text.h"
#include "advisor/report/report.h"
#include "advisor/session/code_diffs.h"
#include "advisor/session/emitted.h"
#include "tests/check.h"
#include "variants/kernel/kernel.h"
#include "variants/plan/plan.h"

SUITE(advisor_html);

static json_t *golden(void)
{
    struct error err = {0};
    json_t *report = NULL;

    check_ok(json_read_file(INFLIGHT_SOURCE_DIR "/tests/data/advisor/html/report.json",
                            "inflight.report/1", &report, &err),
             &err);
    return report;
}

/* Caller frees. */
static char *page_of(const json_t *report)
{
    struct error err = {0};
    struct buf page = {0};
    char *why = NULL;

    check_ok(report_html(report, &page, &why, &err), &err);
    free(why);
    return buf_detach(&page);
}

static size_t count_of(const char *text, const char *part)
{
    size_t nr = 0;

    for (; (text = strstr(text, part)); text += strlen(part))
        nr++;
    return nr;
}

/* ---- the whole page ---- */

TEST("sections in order")
{
    static const char *const part[] = {"<h1><code>dgemm</code>",
                                       "id=\"limits\"",
                                       "id=\"gains\"",
                                       ">Source<",
                                       ">76.4x<",
                                       "95 %: 75.1 to 77.7",
                                       ">Environment<",
                                       ">1.22x<",
                                       ">Both together<",
                                       "79.0 or more",
                                       "id=\"advice\"",
                                       "id=\"plots\"",
                                       "id=\"figure-memory\"",
                                       "id=\"figure-roof\"",
                                       "id=\"figure-course\"",
                                       "id=\"figure-predicted\"",
                                       "id=\"figure-traffic\"",
                                       "id=\"variants\"",
                                       "id=\"v0\"",
                                       "id=\"v11\"",
                                       "id=\"pruned\"",
                                       "id=\"left\"",
                                       "id=\"time\"",
                                       "id=\"about\"",
                                       "id=\"data\""};
    json_t *report = golden();
    char *page = page_of(report);
    const char *at = page;

    for (size_t i = 0; i < ARRAY_SIZE(part) && at; i++) {
        at = strstr(at, part[i]);
        check_contains(at ? part[i] : "", part[i]);
    }
    free(page);
    json_decref(report);
}

/* Tags may only be ours. */
TEST("nothing of a session is markup")
{
    static const char *const ours[] = {"<script>alert", "<b>loop", "<b>1</b>",
                                       "<i>&quot;",     "<EPYC",   "</details>\"",
                                       "<u>",           "onmouse"};
    json_t *report = golden();
    char *page = page_of(report);

    for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
        check(!strstr(page, ours[i]));
    check_eq(count_of(page, "</script>"), 2);
    check_eq(count_of(page, "<script"), 2);
    check(!strstr(page, "<!--"));
    check_contains(page, "it&#39;s &quot;mine&quot; &amp; &lt;b&gt;loop&lt;/b&gt;");
    check_contains(page, "expected &#39;2&#39;&lt;/script&gt;&lt;script&gt;alert(1)");
    check_contains(page, "\\u003c/script\\u003e\\u003c!-- \\u0026 \\u2028 'x'");
    check_contains(page, "AMD &lt;EPYC&gt;");
    free(page);
    json_decref(report);
}

TEST("nothing is loaded")
{
    static const char *const part[] = {
        "http:", "https:", " src=", "@import", "url(", "<link rel=\"style"};
    json_t *report = golden();
    char *page = page_of(report);

    for (size_t i = 0; i < ARRAY_SIZE(part); i++)
        check(!strstr(page, part[i]));
    check_contains(page, "default-src 'none'");
    free(page);
    json_decref(report);
}

static void check_row(const char *page, size_t i, const char *class, const char *why)
{
    char *key = xasprintf("<tbody id=\"v%zu\"", i);
    const char *row = strstr(page, key), *end = row ? strstr(row, "</tbody>") : NULL;
    char *text = end ? xstrndup(row, (size_t)(end - row)) : xstrdup("");
    char *mark = xasprintf("class=\"%s\"", class);

    check_contains(text, mark);
    check_contains(text, why);
    free(mark);
    free(text);
    free(key);
}

TEST("why each won or lost")
{
    static const struct {
        const char *class, *why;
    } row[] = {
        {"written", "The kernel as written: all others are compared with it."},
        {"faster",
         "Faster than as written, but it takes 1.5 times as long as the winner."},
        {"winner",
         "Won: 76.4x as fast as written, beyond the noise, with equal results."},
        {"faster", "Timed in turn with the winner it takes"},
        {"stopped", "given up because it is slow, a call takes longer than"},
        {"failed", "its results are not those of the kernel as written (C[3] is"},
        {"failed", "Lost: it crashed (ended by signal 11)."},
        {"failed", "Lost: it could not be built (error:"},
        {"environment", "Not another source but another environment"},
        {"slower", "Lost: it takes 1.8 times as long as the kernel as written."},
        {"failed", "Lost: it ran into the time limit (no answer after 60 s)."},
        {"failed", "Not measured to the end: interrupted."},
    };
    json_t *report = golden();
    char *page = page_of(report);

    for (size_t i = 0; i < ARRAY_SIZE(row); i++)
        check_row(page, i, row[i].class, row[i].why);
    free(page);
    json_decref(report);
}

/* ---- documents that lack something ---- */

TEST("an old document")
{
    static const char *const newer[] = {"code", "profile", "searched",
                                        "time", "left",    "ties"};
    json_t *report = golden();
    char *page;

    for (size_t i = 0; i < ARRAY_SIZE(newer); i++)
        json_object_del(report, newer[i]);
    page = page_of(report);
    check_contains(page, "did not keep the machine&#39;s profile");
    check_contains(page, "did not keep the C of its variants");
    check_contains(page, "Its C is not in this session&#39;s record");
    check_contains(page, "The evidence gives no bound on what is left.");
    check_contains(page, "Not recorded in this session.");
    check(!strstr(page, "class=\"open\""));
    check_contains(page, "id=\"v11\"");
    free(page);
    json_decref(report);
}

TEST("damaged documents")
{
    static const char *const document[] = {
        "{}",
        "{\"kernel\": 3, \"machine\": [], \"advice\": {}, \"variants\": null}",
        "{\"left\": {\"bound\": {\"value\": 2}, \"resource\": \"warp drive\"}}",
        "{\"baseline\": {\"queues\": [{\"utilization\": {}}, 7, null]}, \"advice\": [1]}",
        "{\"variants\": [{\"plan\": 5, \"time_ns\": {}}], \"pruned\": [[]], \"best\": 4}",
        "{\"code\": {\"lines\": 3, \"diffs\": [1]}, \"profile\": {\"cores\": \"x\"}}",
        "{\"time\": {\"wall_s\": -1}, \"ties\": 3, \"record\": [2], \"reused\": []}",
    };

    for (size_t i = 0; i < ARRAY_SIZE(document); i++) {
        json_t *report = json_loads(document[i], 0, NULL);
        char *page = page_of(report);

        check_contains(page, "id=\"about\"");
        check_contains(page, "</html>");
        free(page);
        json_decref(report);
    }
}

TEST("other kinds are refused")
{
    struct error err = {0};
    json_t *series = json_pack("{s:s}", "schema", "inflight.series/1"),
           *numbers =
               json_pack("{s:s, s:s}", "schema", "inflight.report/1", "machine", "skl");

    check_fails(report_html_write(series, "never.html", &err), &err, STATUS_USAGE,
                "'measure --plot'");
    check_fails(report_html_write(numbers, "never.html", &err), &err, STATUS_USAGE,
                "what tune and advise found");
    json_decref(series);
    json_decref(numbers);
}

/* ---- pictures ---- */

TEST("without gnuplot")
{
    char *before = xstrdup(getenv("PATH"));
    struct error err = {0};
    json_t *report = golden();
    struct buf page = {0};
    char *why = NULL;

    setenv("PATH", "/nowhere", 1);
    check_ok(report_html(report, &page, &why, &err), &err);
    setenv("PATH", before ? before : "", 1);
    check_contains(why ? why : "", "apt install gnuplot-nox");
    check_contains(buf_str(&page), "The pictures are missing: --html needs gnuplot");
    check_contains(buf_str(&page), "id=\"v11\"");
    check(!strstr(buf_str(&page), "<svg"));
    free(before);
    free(why);
    buf_release(&page);
    json_decref(report);
}

TEST("a picture is made fit")
{
    static const char svg[] =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE svg PUBLIC \"x\" \"http://y\">\n"
        "<svg width=\"9\" height=\"8\" viewBox=\"0 0 9 8\" "
        "xmlns=\"http://www.w3.org/2000/svg\""
        " xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n<title>p</title>\n<desc>by</"
        "desc>\n"
        "<g id=\"gnuplot_canvas\"><defs><circle id='gpPt5' r='1'/></defs>\n"
        "<g fill=\"none\" color=\"black\" stroke=\"currentColor\">\n</g>\n"
        "<g color=\"white\" stroke='black'><text> a &lt; b </text></g>\n"
        "<g onmousemove=\"gnuplot_svg.showHypertext(evt,'@1')\" onmouseout=\"x()\">"
        "<title> </title>\n<use xlink:href='#gpPt5' color='rgb(  0, 114, 178)'/></g>\n"
        "<image xlink:href=\"http://z/x.png\"/><script>bad()</script></g></svg>\n";
    struct strvec tip = {0};
    struct buf out = {0};

    strvec_push(&tip, "none");
    strvec_push(&tip, "try 1: <b>&\"");
    check(html_svg(svg, "p", "what \"it\" is", &tip, &out));
    check_str(buf_str(&out),
              "<svg role=\"img\" class=\"plot\" aria-label=\"what &quot;it&quot; is\" "
              "viewBox=\"0 0 9 8\"><g><defs><circle id=\"p-gpPt5\" r=\"1\"/></defs>"
              "<g stroke=\"currentColor\"><text> a &lt; b </text></g>"
              "<g><title>try 1: &lt;b&gt;&amp;&quot;</title>"
              "<use href=\"#p-gpPt5\" color=\"#0072b2\"/></g><image/></g></svg>\n");
    buf_reset(&out);
    check(!html_svg("no picture", "p", "", &tip, &out));
    check_str(buf_str(&out), "");
    strvec_release(&tip);
    buf_release(&out);
}

/* ---- diffs ---- */

static struct kernel *open_gather(void)
{
    struct kernel_request request = {.path = INFLIGHT_SOURCE_DIR
                                     "/tests/data/advisor/gather.c"};
    struct kernel *kernel = NULL;
    struct error err = {0};

    check_ok(kernel_open(&request, &kernel, &err), &err);
    return kernel;
}

/* What `apply --patch` writes, without its comment. */
static void check_diff(const json_t *code, struct kernel *kernel, const char *text)
{
    struct buf got = {0}, want = {0};
    struct plan *plan = NULL;
    struct error err = {0};

    if (check_ok(plan_parse(text, &plan, &err), &err) &&
        check_ok(emitted_text(kernel, plan, "", "gather.c", &want, &err), &err) &&
        check(code_diffs_text(code, text, &got)))
        check_str(buf_str(&got), buf_str(&want));
    plan_free(plan);
    buf_release(&got);
    buf_release(&want);
}

TEST("diffs are kept")
{
    static const char *const plans[] = {"unroll(i:2)", "unroll(i:4)", "simd"};
    struct kernel *kernel = open_gather();
    struct code_diffs code = {0};
    struct buf out = {0};
    json_t *document;

    check(!code_diffs_json(&code));
    for (size_t i = 0; i < ARRAY_SIZE(plans); i++)
        code_diffs_add(&code, kernel, plans[i]);
    code_diffs_add(&code, kernel, "unroll(nothing:4)");
    code_diffs_add(&code, kernel, "");
    document = code_diffs_json(&code);
    for (size_t i = 0; i < ARRAY_SIZE(plans); i++)
        check_diff(document, kernel, plans[i]);
    check_eq(json_object_size(json_object_get(document, "diffs")), 3);
    check_contains(report_word(json_object_get(document, "refused"), "unroll(nothing:4)"),
                   "nothing");
    check(!code_diffs_text(document, "unroll(nothing:4)", &out));
    check_eq(out.length, 0);
    json_decref(document);
    code_diffs_release(&code);
    kernel_free(kernel);
    buf_release(&out);
}

TEST("damaged diffs")
{
    static const char *const places[] = {"3", "0-3", "2-1", "x", "0,1", "-1", "0 ", "1-"};
    struct buf out = {0};

    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        json_t *code = json_pack("{s:[s, s, s], s:{s:s}}", "lines", "a", "b", "c",
                                 "diffs", "simd", places[i]);
        bool read = code_diffs_text(code, "simd", &out);

        check_str(read ? "0 " : places[i], places[i]);
        check_str(buf_str(&out), read ? "a\n" : "");
        buf_reset(&out);
        json_decref(code);
    }
    buf_release(&out);
}

/* Beside the queues; what is damaged in it is left out. */
TEST("counters stand beside the queues")
{
    static const char counted[] =
        "{\"definitions\": \"made <up>\", \"metrics\": ["
        "{\"name\": \"In_flight\", \"unit\": \"lines\", \"of\": \"\", \"counted\": "
        "{\"value\": 3, \"low\": 3, \"high\": 3}, \"value\": {\"value\": 3, \"low\": 3, "
        "\"high\": 3}, \"by_bandwidth\": {\"value\": 4, \"low\": 3.5, \"high\": null}}, "
        "{\"name\": 7, \"counted\": {}, \"value\": 1}, 5, {\"name\": \"Not_counted\"}]}";
    json_t *report = golden();
    json_object_set_new(report, "counted", json_loads(counted, 0, NULL));
    char *page = page_of(report);

    check_contains(page, "by the definitions of made &lt;up&gt;");
    check_contains(page,
                   "<th scope=\"row\">In_flight</th><td data-label=\"Counted\">3 "
                   "lines; by bandwidth and latency 4 lines [3.5 or more]: more, so");
    check(!strstr(page, "Not_counted"));
    free(page);
    json_object_set_new(report, "counted", json_string("many"));
    page = page_of(report);
    check(!strstr(page, "Counters beside"));
    free(page);
    json_decref(report);
}
