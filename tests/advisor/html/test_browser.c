/*
 * The page in headless Chromium: the verdict first, every string of the document as text,
 * nothing on the console and nothing asked of the network, the table sorted, filtered and
 * opened through the fragment of its address, and documents that lack or damage any key.
 */
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_page.h"
#include "advisor/report/report.h"
#include "advisor/report/report_verdict.h"
#include "core/base.h"
#include "tests/check.h"

SUITE(advisor_browser);

/* ---- the browser ---- */

struct browsed {
    struct buf dom;     /* when loading has ended */
    struct buf console; /* what the page and its scripts complained of, a line each */
    size_t request_nr;  /* that the page caused; the browser's own are not counted */
};

static const double timeout_s = PATIENCE_S;

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
                                "--virtual-time-budget=5000", /* the page's timers */
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

/* As a command reads it. */
static json_t *golden(void)
{
    struct error err = {0};
    json_t *report = NULL;

    check_ok(json_read_file(INFLIGHT_SOURCE_DIR "/tests/data/advisor/html/report.json",
                            "inflight.report/1", &report, &err),
             &err);
    report_settle(report);
    return report;
}

/* The page of a document in a folder whose name is no plain one. */
static bool make_page(const json_t *document, char **dir, char **path)
{
    struct error err = {0};
    struct buf page = {0};
    bool made = check_ok(scratch_make(dir, &err), &err) &&
                check_ok(html_page(document, "a page", &page, &err), &err);

    *path = made ? xasprintf("%s/it's a <page> & \"more\".html", *dir) : NULL;
    if (made)
        made = check_ok(file_write(*path, buf_str(&page), page.length, &err), &err);
    buf_release(&page);
    return made;
}

/* The rows as they stand: " 3 2 1 0 4". */
static char *order_of(const char *dom)
{
    static const char key[] = "\" id=\"v";
    struct buf out = {0};

    while ((dom = strstr(dom, key))) {
        dom += strlen(key);
        if (*dom >= '0' && *dom <= '9')
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
        char *got = order_of(buf_str(&browsed.dom));

        check_quiet(&browsed);
        check_str(got, order);
        free(got);
    }
    browsed_release(&browsed);
}

/* Opens the page of the document, which it takes over, and looks for the parts in this
 * order; nothing may be said on the console, and nothing asked for. */
static void check_parts(json_t *document, const char *fragment, const char *const *part,
                        size_t nr)
{
    char *dir = NULL, *path = NULL;
    struct browsed browsed = {0};
    struct error err = {0};

    if (make_page(document, &dir, &path) &&
        check_ok(browser_open(path, fragment, dir, &browsed, &err), &err)) {
        /* behind the document itself */
        const char *script = strstr(buf_str(&browsed.dom), "</script>");
        const char *at = script ? script : "";

        check_quiet(&browsed);
        for (size_t i = 0; i < nr && at; i++) {
            at = strstr(at, part[i]);
            check_contains(at ? part[i] : "", part[i]);
        }
    }
    browsed_release(&browsed);
    free(path);
    if (dir)
        scratch_remove(dir);
    json_decref(document);
}

static const char verdict[] =
    "{\"kind\": \"faster\", \"headline\": \"76x faster by <img src=x onerror=alert(1)>\","
    " \"gain\": {\"value\": 76.4, \"low\": 75.1, \"high\": 703.9, \"runs\": 5, "
    "\"provenance\": \"clock\"}, \"confidence\": \"high\", \"confidence_reason\": "
    "\"the interval is narrow\", \"why\": \"strided access: 'B' & <b>C</b>\", \"noise\": "
    "\"</script><script>alert(1)</script>\", \"next\": [\"diff\", \"-u\", \"a b.c\", "
    "\"it's.c\"]}";

static void set_verdict(json_t *report)
{
    json_t *words = json_loads(verdict, 0, NULL);

    json_object_update(json_object_get(report, "verdict"), words);
    json_decref(words);
}

TEST("the verdict first, and then what it rests on")
{
    static const char *const part[] = {
        "<main><section class=\"hero faster\"",
        "<h1 id=\"verdict\">76x faster by &lt;img src=x onerror=alert(1)&gt;</h1>",
        "<b>76.4x</b>",
        "95 %: 75.1 to more than 100",
        "high confidence</span> the interval is narrow",
        "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;</p>",
        "Strided access: 'B' &amp; &lt;b&gt;C&lt;/b&gt;.",
        "<dt>Next</dt>",
        "diff -u 'a b.c' 'it'\\''s.c'",
        "<nav aria-label=\"Sections\"><a href=\"#changed\">",
        "<section id=\"changed\"",
        "<button class=\"copy\" type=\"button\" aria-label=\"Copy plan: tile(",
        "<span class=\"add\">",
        "<section id=\"gains\"",
        ">Huge pages<",
        "1.22x",
        "Source and pages together",
        "79.0 or more",
        "<section id=\"limits\"",
        "<th scope=\"row\">L2 bandwidth</th>",
        "<section id=\"advice\"",
        "<summary>Not recommended (",
        "<section id=\"pictures\"",
        "id=\"figure-memory\"",
        "id=\"figure-roof\"",
        "id=\"figure-course\"",
        "id=\"figure-traffic\"",
        "<section id=\"variants\"",
        "aria-sort=\"descending\"",
        "<section id=\"pruned\"",
        "<section id=\"left\"",
        "<section id=\"time\"",
        "<th scope=\"row\">compilers and linkers</th>",
        "<section id=\"about\"",
        "AMD &lt;EPYC&gt;",
        "<section id=\"reproduce\"",
    };
    json_t *report = golden();

    set_verdict(report);
    if (can_browse())
        check_parts(json_incref(report), "", part, ARRAY_SIZE(part));
    json_decref(report);
}

/* A loop that was not searched: no part that could hold nothing is there. */
TEST("advice alone")
{
    static const char *const part[] = {"hero advice",
                                       ">Try pack(A,it) first: about 3.0x expected</h1>",
                                       "<nav aria-label=\"Sections\"><a href=\"#limits\"",
                                       ">Limit</a><a href=\"#advice\">Advice</a>",
                                       "<section id=\"limits\"",
                                       "<dt>Expected</dt><dd>3.0x</dd>"};
    static const char *const gone[] = {
        "best",       "ties",   "code",    "source_gain", "environment_gain",
        "total_gain", "pruned", "variants"};
    json_t *report = golden();

    for (size_t i = 0; i < ARRAY_SIZE(gone); i++)
        json_object_del(report, gone[i]);
    json_object_set_new(report, "command", json_string("advise"));
    json_object_set_new(
        report, "advice",
        json_pack("[{s:s, s:s}, {s:s, s:s, s:s, s:f, s:{s:f}}]", "transformation", "pad",
                  "verdict", "avoid", "transformation", "pack", "verdict", "try", "plan",
                  "pack(A,it)", "trust", 0.5, "bound_speedup", "value", 9.0));
    report_settle(report);
    if (can_browse())
        check_parts(json_incref(report), "", part, ARRAY_SIZE(part));
    json_decref(report);
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
    json_t *report = golden();

    if (can_browse() && make_page(report, &dir, &path))
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
            check_fragment(path, dir, cases[i][0], cases[i][1]);
    free(path);
    if (dir)
        scratch_remove(dir);
    json_decref(report);
}

/* Each line of the diff as text, whatever it holds; why each won or lost. */
TEST("a variant is opened")
{
    static const char *const part[] = {
        "Won: 76.4x as fast as written",
        "id=\"v1\"",
        "aria-expanded=\"true\"",
        "<tr class=\"opened\">",
        "<span class=\"meta\">--- a/dgemm.c\n</span>",
        "puts(\"&lt;/script&gt;&lt;!-- &amp; ",
        "Another environment, not another source.",
        "The kernel as written: all others are compared with it.",
        "Slower: it takes 1.8 times as long as written.",
        "Given up because it is slow: a call takes longer than ",
        "Its results are not those of the kernel as written (C[3] is",
        "It crashed (ended by signal 11).",
        "It could not be built (error:",
        "It ran into the time limit (no answer after 60 s).",
        "Interrupted before it was measured."};

    if (can_browse())
        check_parts(golden(), "open=1", part, ARRAY_SIZE(part));
}

/* ---- any document ---- */

/* In a page without a document of its own: for each key of the golden one down to the
 * third level (of lists in the first entry), that it is missing or is something else. */
static const char try_all[] =
    "const others = [undefined, null, 3, -1e300, 'x<b>', [], [7, null], {}, {value: "
    "2}];\n"
    "const failed = [];\n"
    "let made = 0;\n"
    "function make(name, fragment) {\n"
    "  try {\n"
    "    const page = reportPage(JSON.parse(text(golden)));\n"
    "    document.body.replaceChildren(...page.nodes);\n"
    "    page.rest();\n"
    "    page.follow(fragment);\n"
    "    made++;\n"
    "  } catch (error) { failed.push(name + ': ' + error.message); }\n"
    "}\n"
    "const text = (value) => JSON.stringify(value);\n"
    "function spoil(object, name, depth) {\n"
    "  const keys = Object.keys(object);\n"
    "  for (const key of Array.isArray(object) ? keys.slice(0, 1) : keys) {\n"
    "    const before = object[key];\n"
    "    for (const other of depth ? [others[made % others.length]] : others) {\n"
    "      object[key] = other;\n"
    "      make(name + key + ' = ' + text(other), made % 9 ? '' : 'open=0&open=1');\n"
    "    }\n"
    "    object[key] = before;\n"
    "    if (depth < 2 && before && typeof before === 'object')\n"
    "      spoil(before, name + key + '.', depth + 1);\n"
    "  }\n"
    "}\n"
    "golden.profile = {...golden.profile, notes: []};\n"
    "golden.code.lines.length = 100;\n"
    "golden.variants.length = golden.advice.length = golden.pruned.length = 4;\n"
    "spoil(golden, '', 0);\n"
    "document.body.replaceChildren(`made ${made > 300}, failed: `"
    " + failed.slice(0, 5).join('; '));\n"
    "document.title = made;\n";

static void add_file(struct buf *out, const char *name)
{
    char *path = xasprintf(INFLIGHT_SOURCE_DIR "/%s", name);
    struct error err = {0};

    check_ok(file_read(path, out, &err), &err);
    free(path);
}

TEST("documents that lack or damage anything")
{
    static const char *const scripts[] = {"text.js", "plots.js", "variants.js",
                                          "report.js"};
    char *dir = NULL, *path = NULL;
    struct buf page = {0};
    struct browsed browsed = {0};
    struct error err = {0};

    if (!can_browse() || !check_ok(scratch_make(&dir, &err), &err))
        return;
    buf_add(&page, "<!DOCTYPE html><meta charset=\"utf-8\"><body><script>");
    for (size_t i = 0; i < ARRAY_SIZE(scripts); i++) {
        char *name = xasprintf("templates/report/%s", scripts[i]);
        add_file(&page, name);
        free(name);
    }
    json_t *report = golden();
    set_verdict(report);
    char *text = json_dumps(report, JSON_COMPACT | JSON_ENSURE_ASCII);
    buf_add(&page, "const golden = JSON.parse(decodeURIComponent('");
    for (const char *at = text; *at; at++)
        buf_addf(&page, "%%%02x", (unsigned char)*at);
    buf_addf(&page, "'));\n%s</script></body>", try_all);
    path = path_join(dir, "all.html");
    if (check_ok(file_write(path, buf_str(&page), page.length, &err), &err) &&
        check_ok(browser_open(path, "", dir, &browsed, &err), &err)) {
        check_quiet(&browsed);
        check_contains(buf_str(&browsed.dom), "made true, failed: </body>");
    }
    free(text);
    json_decref(report);
    browsed_release(&browsed);
    buf_release(&page);
    free(path);
    scratch_remove(dir);
}

/* ---- metrics ---- */

static const char metrics[] =
    "{'schema': 'inflight.metrics-result/1', 'columns': [{'label': 'a<b>', 'definition': "
    "{'name': 'toy', 'title': 'a CPU'}, 'seconds': {'value': 0.4}, 'models': [{'name': "
    "'top', 'title': 'Top-down', 'about': 'Where slots went.', 'losses': true, "
    "'computed': "
    "true, 'shown': true}, {'name': 'no', 'title': 'Not here', 'computed': false, "
    "'shown': "
    "false, 'missing': ['X:Y']}], 'metrics': [{'name': 'Back_end', 'model': 'top', "
    "'unit': "
    "'share', 'of': 'slots', 'value': {'value': 0.57, 'low': 0.5, 'high': 0.6}, "
    "'dominant': true, 'about': 'It <had> no room.', 'formula': 'A / B'}, {'name': "
    "'Lines', 'model': 'top', 'parent': 'Back_end', 'unit': 'lines', 'value': {'value': "
    "123456789, 'low': 123456789, 'high': 123456789}}], 'notes': ['a note']}], "
    "'roofline': [{'machine': 'm', 'cores': 2, 'flops_per_s': {'value': 2e9, 'low': "
    "2e9, 'high': 2e9}, 'ai': {'value': 0.5, 'low': 0.5, 'high': 0.5}, 'levels': "
    "[{'level':"
    " 'L1', 'roof_gbs': {'value': 100, 'low': 100, 'high': 100}}], 'flops': [{'kind': "
    "'fma', 'roof_flops_per_s': {'value': 5e10, 'low': 5e10, 'high': 5e10}}], "
    "'sentence': "
    "'no roof is near', 'notes': ['measured']}]}";

TEST("the page of metrics")
{
    static const char *const part[] = {"<h1>a&lt;b&gt;</h1>",
                                       "a&lt;b&gt;: a CPU, 400 ms",
                                       "<section id=\"answer\"",
                                       "<b>Back_end</b>",
                                       "It &lt;had&gt; no room.",
                                       "<section id=\"roofline\"",
                                       "L1: 100 GB/s, ridge 0.500",
                                       "vectors with fused multiply-add: 50.0 GFLOP/s",
                                       "no roof is near.",
                                       ">Top-down</h2>",
                                       "Where slots went.",
                                       "<tr class=\"dominant\">",
                                       "<td class=\"number\">57.0</td>",
                                       "50.0 to 60.0",
                                       "<td class=\"number\">123 M</td>",
                                       "<section id=\"notes\"",
                                       "a note",
                                       "Not here: not computed without X:Y",
                                       "<section id=\"formulas\"",
                                       "Back_end = A / B"};
    char *text = xstrdup(metrics);

    for (char *at = text; *at; at++)
        *at = (char)(*at == '\'' ? '"' : *at);
    json_t *document = json_loads(text, 0, NULL);
    free(text);
    if (check(document != NULL) && can_browse())
        check_parts(json_incref(document), "", part, ARRAY_SIZE(part));
    json_decref(document);
}

/* ---- the tests themselves ---- */

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
