/*
 * The page in headless Chromium: that it says nothing on the console and asks the network
 * for nothing, and that its table can be sorted, filtered and opened through the fragment
 * of its address.
 */
#include <stdlib.h>
#include <string.h>

#include "advisor/report/report.h"
#include "core/base.h"
#include "tests/check.h"

SUITE(advisor_browser);

/* ---- the browser ---- */

struct browsed {
    struct buf dom;     /* when loading has ended */
    struct buf console; /* what the page and its scripts complained of, a line each */
    size_t request_nr;  /* that the page caused; the browser's own are not counted */
};

static const double timeout_s = 60;

static bool browser_is_there(void)
{
    const char *const argv[] = {"chromium", "--version", NULL};
    struct spawn_request request = {.argv = argv, .timeout_s = timeout_s};
    struct spawn_outcome outcome = {0};
    bool there = spawn_run(&request, &outcome, NULL) == 0 &&
                 outcome.end == SPAWN_EXITED && outcome.code == 0;

    spawn_outcome_release(&outcome);
    return there;
}

/* file:// with all that is not plain escaped. */
static void add_url(struct buf *out, const char *path)
{
    buf_add(out, "file://");
    for (; *path; path++)
        if (strchr("/-_.~", *path) || (*path >= '0' && *path <= '9') ||
            ((*path | 32) >= 'a' && (*path | 32) <= 'z'))
            buf_add_n(out, path, 1);
        else
            buf_addf(out, "%%%02X", (unsigned char)*path);
}

/* "[...:INFO:CONSOLE:1] "text", source: ..." */
static void take_console(const char *log, struct buf *out)
{
    while ((log = strstr(log, ":CONSOLE"))) {
        size_t length = strcspn(log, "\n");
        buf_add_n(out, log + 1, length - 1);
        buf_add(out, "\n");
        log += length;
    }
}

/* Requests of the browser itself have no origin. */
static size_t count_requests(const char *log)
{
    static const char key[] = "\"initiator\":\"";
    size_t nr = 0;
    while ((log = strstr(log, key))) {
        log += strlen(key);
        nr += strncmp(log, "not an origin", strlen("not an origin")) != 0;
    }
    return nr;
}

static int run(char *const *argument, const char *dir, struct spawn_outcome *outcome,
               struct error *err)
{
    const char *home = getenv("HOME") ? NULL : dir;
    char *setting = home ? xasprintf("HOME=%s", home) : NULL;
    const char *const env[] = {setting, NULL};
    const char *const argv[] = {"chromium",
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--no-first-run",
                                "--disable-background-networking",
                                "--disable-component-update",
                                "--disable-dev-shm-usage",
                                "--host-resolver-rules=MAP * ~NOTFOUND",
                                "--enable-logging=stderr",
                                argument[0],
                                argument[1],
                                "--dump-dom",
                                argument[2],
                                NULL};
    struct spawn_request request = {.argv = argv,
                                    .env_extra = setting ? env : NULL,
                                    .timeout_s = timeout_s,
                                    .output_limit = (size_t)64 << 20};
    int status = spawn_run(&request, outcome, err);

    if (!status && (outcome->end != SPAWN_EXITED || outcome->code))
        status =
            fail(err, STATUS_MISSING, "chromium did not open the page (%s %d): %.300s",
                 spawn_end_word(outcome->end), outcome->code, buf_str(&outcome->err));
    free(setting);
    return status;
}

/* Opens the file with a fragment ("" = none), with nothing but `dir` of its own. */
static int browser_open(const char *path, const char *fragment, const char *dir,
                        struct browsed *browsed, struct error *err)
{
    struct spawn_outcome outcome = {0};
    struct buf url = {0}, log = {0};
    char *net = path_join(dir, "net.json"),
         *argument[3] = {xasprintf("--user-data-dir=%s/chromium", dir),
                         xasprintf("--log-net-log=%s", net), NULL};
    int status;

    *browsed = (struct browsed){0};
    add_url(&url, path);
    buf_addf(&url, "%s%s", *fragment ? "#" : "", fragment);
    argument[2] = buf_detach(&url);
    status = run(argument, dir, &outcome, err);
    if (!status)
        status = file_read(net, &log, err);
    if (!status) {
        buf_add(&browsed->dom, buf_str(&outcome.out));
        take_console(buf_str(&outcome.err), &browsed->console);
        browsed->request_nr = count_requests(buf_str(&log));
    }
    for (size_t i = 0; i < ARRAY_SIZE(argument); i++)
        free(argument[i]);
    free(net);
    buf_release(&log);
    spawn_outcome_release(&outcome);
    return status;
}

static void browsed_release(struct browsed *browsed)
{
    buf_release(&browsed->dom);
    buf_release(&browsed->console);
    *browsed = (struct browsed){0};
}

/* ---- the page ---- */

static bool can_browse(void)
{
    bool there = browser_is_there();

    if (!there)
        check_skip("chromium is not installed");
    return there;
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

TEST("sorted and filtered by the address")
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
TEST("the C of a variant")
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
TEST("complaints and requests are seen")
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
