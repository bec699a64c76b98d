/*
 * The page as a file: the document in it, that no string of it can end the script or
 * become markup, what the page's policy allows, and the diffs that the document keeps.
 * What the browser makes of it: test_browser.c.
 */
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_page.h"
#include "advisor/report/report.h"
#include "advisor/report/report_read.h"
#include "advisor/session/code_diffs.h"
#include "advisor/session/emitted.h"
#include "core/process/spawn.h"
#include "tests/check.h"
#include "variants/kernel/kernel.h"
#include "variants/plan/plan.h"

SUITE(advisor_html);

/* Caller frees. */
static char *page_of(const json_t *document, const char *title)
{
    struct error err = {0};
    struct buf page = {0};

    check_ok(html_page(document, title, &page, &err), &err);
    return buf_detach(&page);
}

static size_t count_of(const char *text, const char *part)
{
    size_t nr = 0;

    for (; (text = strstr(text, part)); text += strlen(part))
        nr++;
    return nr;
}

/* What stands between both, "" where one is missing. Caller frees. */
static char *between(const char *text, const char *before, const char *after)
{
    const char *start = strstr(text, before);
    const char *end = start ? strstr(start + strlen(before), after) : NULL;

    start = start ? start + strlen(before) : NULL;
    return end ? xstrndup(start, (size_t)(end - start)) : xstrdup("");
}

/* ---- the document in it ---- */

static const char *const strings[] = {
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!-- <script>",
    "quotes ' and \" and \\ and {{document}}",
    "\xe2\x80\xa8 and \xc3\xa9",
    "&lt;b&gt;",
};

TEST("the document comes back as it was")
{
    json_t *document = json_object(), *variants = json_array();

    for (size_t i = 0; i < ARRAY_SIZE(strings); i++) {
        json_object_set_new(document, strings[i], json_string(strings[i]));
        json_array_append_new(variants, json_string(strings[i]));
    }
    json_object_set_new(document, "variants", variants);
    char *page = page_of(document, strings[0]);
    char *text = between(page, "id=\"document\">", "</script>"),
         *more = between(page, "id=\"evidence\">", "</script>");
    json_t *back = json_loads(text, 0, NULL), *evidence = json_loads(more, 0, NULL);
    check(!json_object_get(back, "variants"));
    json_object_update(back, evidence);
    check(json_equal(document, back));
    check_eq(count_of(page, "<script"), 3);
    check_eq(count_of(page, "</script>"), 3);
    check_eq(count_of(page, "<!--"), 0);
    check_eq(count_of(page, "<img"), 0);
    check_contains(page, "<title>&lt;/script>&lt;script>alert(1)&lt;/script></title>");
    json_decref(back);
    json_decref(evidence);
    json_decref(document);
    free(more);
    free(text);
    free(page);
}

/* By another program than the one that wrote it. */
static void check_hash(const char *page, const char *source, const char *before,
                       const char *after)
{
    char *text = between(page, before, after), *wanted = between(page, source, "'");
    const char *const argv[] = {
        "sh",
        "-c",
        "printf %s \"$1\" | sha256sum | cut -c 1-64 | tr a-f A-F | basenc -d --base16 | "
        "base64",
        "sh",
        text,
        NULL};
    struct spawn_request request = {.argv = argv, .timeout_s = PATIENCE_S};
    struct spawn_outcome outcome = {0};
    struct error err = {0};

    check(*text != 0);
    if (check_ok(spawn_run(&request, &outcome, &err), &err) && outcome.out.length > 1) {
        buf_truncate(&outcome.out, outcome.out.length - 1);
        check_str(wanted, buf_str(&outcome.out));
    }
    spawn_outcome_release(&outcome);
    free(wanted);
    free(text);
}

TEST("only its own style and script are allowed, and nothing is loaded")
{
    static const char *const part[] = {
        "https:",        " src=",          "@import",
        "url(\"",        "innerHTML",      "insertAdjacentHTML",
        "outerHTML",     "document.write", "eval(",
        "unsafe-inline", "style=\""};
    json_t *document = json_pack("{s:s}", "schema", "inflight.report/1");
    char *page = page_of(document, "a page");

    check_contains(page, "content=\"default-src 'none'; style-src 'sha256-");
    for (size_t i = 0; i < ARRAY_SIZE(part); i++)
        check_eq(count_of(page, part[i]), 0);
    check_eq(count_of(page, "http:"), count_of(page, "http://www.w3.org/2000/svg"));
    check_hash(page, "style-src 'sha256-", "<style>", "</style>");
    check_hash(page, "script-src 'sha256-", "<script>", "</script>");
    json_decref(document);
    free(page);
}

TEST("other kinds are refused")
{
    struct error err = {0};
    json_t *series = json_pack("{s:s}", "schema", "inflight.series/1"),
           *numbers =
               json_pack("{s:s, s:s}", "schema", "inflight.report/1", "machine", "skl");

    check_fails(report_html_write(series, "never.html", &err), &err, STATUS_USAGE,
                "inflight-plot -' draws");
    check_fails(report_html_write(numbers, "never.html", &err), &err, STATUS_USAGE,
                "what tune and advise found");
    json_decref(series);
    json_decref(numbers);
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
        check_ok(emitted_text(kernel, plan, "", "gather.c", &want, &err), &err)) {
        check(code_diffs_text(code, text, &got));
        check_str(buf_str(&got), buf_str(&want));
    }
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
