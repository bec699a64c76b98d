/*
 * The page in headless Chromium: that it says nothing on the console and asks the network
 * for nothing, and that its table can be sorted, filtered and opened through the fragment
 * of its address.
 */
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/report/report.h"
#include "bench/browser.h"
#include "tests/check.h"

static bool can_browse(void)
{
#ifdef INFLIGHT_SANITIZED
    check_skip("Chromium is not started from programs under sanitizers");
    return false;
#else
    bool there = browser_is_there();

    if (!there)
        check_skip("chromium is not installed");
    return there;
#endif
}

/* The page of tests/data/advisor/html/report.json in a folder whose name is no plain one.
 */
static bool make_page(char **dir, char **path)
{
    struct error err = {0};
    json_t *report = NULL;
    struct buf page = {0};
    char *why = NULL;
    bool made = check_ok(scratch_make(dir, &err), &err) &&
                check_ok(json_read_file(INFLIGHT_SOURCE_DIR
                                        "/tests/data/advisor/html/report.json",
                                        "inflight.report/1", &report, &err),
                         &err) &&
                check_ok(report_html(report, &page, &why, &err), &err);

    *path = made ? xasprintf("%s/it's a <page> & \"more\".html", *dir) : NULL;
    if (made)
        made = check_ok(file_write(*path, buf_str(&page), page.length, &err), &err);
    json_decref(report);
    buf_release(&page);
    free(why);
    return made;
}

/* The rows as they stand: " 3 2 1 0 4". */
static char *order_of(const char *dom, bool hidden)
{
    static const char key[] = "<tbody id=\"v";
    struct buf out = {0};

    while ((dom = strstr(dom, key))) {
        const char *end = strchr(dom, '>');
        const char *mark = strstr(dom, "hidden");

        dom += strlen(key);
        if (hidden || !mark || mark > end)
            buf_addf(&out, " %ld", strtol(dom, NULL, 10));
    }
    return buf_detach(&out);
}

static void check_quiet(const struct browsed *browsed)
{
    check_str(buf_str(&browsed->console), "");
    check_eq(browsed->request_nr, 0);
}

static void check_fragment(const char *path, const char *dir, const char *fragment,
                           const char *order)
{
    struct browsed browsed = {0};
    struct error err = {0};

    if (check_ok(browser_open(path, fragment, dir, &browsed, &err), &err)) {
        char *got = order_of(buf_str(&browsed.dom), false);

        check_quiet(&browsed);
        check_str(got, order);
        free(got);
    }
    browsed_release(&browsed);
}

static void sorted_and_filtered(void)
{
    static const char *const cases[][2] = {
        {"sort=-gain", " 3 2 1 8 0 9 4 5 6 7 10 11"},
        {"sort=time", " 3 2 1 8 0 9 4 5 6 7 10 11"},
        {"filter=failed&sort=-order", " 11 10 7 6 5"},
        {"find=tile(j%3A16&sort=plan", " 1"},
        {"sort=%E0%A4%A&filter=&nonsense&=&open=99", " 3 2 1 8 0 9 4 5 6 7 10 11"},
    };
    char *dir = NULL, *path = NULL;

    if (!can_browse())
        return;
    if (make_page(&dir, &path))
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
            check_fragment(path, dir, cases[i][0], cases[i][1]);
    free(path);
    if (dir)
        scratch_remove(dir);
}

/* Each line of the diff as text, whatever it holds. */
static void opened(void)
{
    char *dir = NULL, *path = NULL;
    struct browsed browsed = {0};
    struct error err = {0};

    if (!can_browse())
        return;
    if (make_page(&dir, &path) &&
        check_ok(browser_open(path, "open=1", dir, &browsed, &err), &err)) {
        const char *row = strstr(buf_str(&browsed.dom), "<tbody id=\"v1\"");
        const char *end = row ? strstr(row, "</tbody>") : NULL;
        char *text = end ? xstrndup(row, (size_t)(end - row)) : xstrdup("");

        check_quiet(&browsed);
        check_contains(text, "aria-expanded=\"true\"");
        check_contains(text, "<span class=\"meta\">--- a/dgemm.c</span>");
        check_contains(text, "puts(\"&lt;/script&gt;&lt;!-- &amp; ");
        free(text);
    }
    browsed_release(&browsed);
    free(path);
    if (dir)
        scratch_remove(dir);
}

/* That what the other tests look for can be found at all. */
static void complaints_and_requests_are_seen(void)
{
    static const char page[] = "<!DOCTYPE html><img src=\"http://127.0.0.1:9/x\">"
                               "<script>nothing.of.that.name()</script>";
    char *dir = NULL, *path = NULL;
    struct browsed browsed = {0};
    struct error err = {0};

    if (!can_browse() || !check_ok(scratch_make(&dir, &err), &err))
        return;
    path = path_join(dir, "bad.html");
    if (check_ok(file_write(path, page, strlen(page), &err), &err) &&
        check_ok(browser_open(path, "", dir, &browsed, &err), &err)) {
        check_contains(buf_str(&browsed.console), "ReferenceError");
        check(browsed.request_nr > 0);
    }
    browsed_release(&browsed);
    free(path);
    scratch_remove(dir);
}

CU_TestInfo advisor_browser_tests[] = {
    {"sorted and filtered by the address", sorted_and_filtered},
    {"the C of a variant", opened},
    {"complaints and requests are seen", complaints_and_requests_are_seen},
    CU_TEST_INFO_NULL,
};
