/*
 * The page of a session of 500 variants: how large it is, how long the program takes to
 * make it, and how long headless Chromium takes until it is ready.
 *
 *     bench/page [--variants N] [--rounds N] [SPACE.json.gz ...]
 *
 * The session is made of a recorded space (default: bench/data/spaces, gemm_textbook and
 * transpose_lda): its measurements as they are, and as many more as are wanted with other
 * numbers in their plans and times near by; the C of each plan is really written. Nothing
 * is built or run. The page stays in build/bench/page_NAME.html, to be looked at. Exit 1
 * when a figure is missed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/report/report.h"
#include "bench/bench.h"
#include "bench/browser.h"

/* Issue 7. */
static const double limit_bytes = 2e6, limit_ready_ms = 1000;

struct made {
    struct settings settings;
    struct workbench bench;
    struct search_result result;
    struct strvec words;
    double
        code_s; /* writing the C of all plans, which a search has done for its builds */
    double diff_s, worst_diff_s; /* then taking it into the document; the slowest */
};

/* ---- a session ---- */

static int read_words(const json_t *kernel, struct strvec *words)
{
    const json_t *word;
    size_t i;

    json_array_foreach(json_object_get(kernel, "words"), i, word)
        strvec_push(words, json_string_value(word));
    return 0;
}

static int open_kernel(struct made *made, const json_t *space, const char *dir,
                       struct error *err)
{
    const json_t *kernel = json_object_get(space, "kernel");
    const char *source = json_string_value(json_object_get(kernel, "source"));
    char *path = path_join(dir, json_string_value(json_object_get(kernel, "file")));
    struct kernel_request request = {.path = path, .words = made->words};
    int status = read_words(kernel, &request.words);

    made->words = request.words;
    if (!status)
        status = file_write(path, source, strlen(source), err);
    if (!status)
        status = kernel_open(&request, &made->bench.kernel, err);
    if (!status)
        status = kernel_bind(made->bench.kernel, err);
    free(path);
    return status;
}

static int open_bench(struct made *made, const json_t *space, const char *dir,
                      struct error *err)
{
    struct json_at at = json_top("space", space), machine;
    struct live_opts opts = {.machine = &made->bench.machine, .copies = 1};

    made->settings = (struct settings){.command = "tune", .compiler = "gcc"};
    made->bench.settings = &made->settings;
    made->bench.toolchain.compiler = xstrdup("gcc");
    made->bench.toolchain.version = xstrdup("gcc");
    if (json_object_at(&at, "machine", &machine, err) ||
        machine_from_json(&machine, &made->bench.machine, err) ||
        open_kernel(made, space, dir, err))
        return -1;
    opts.kernel = made->bench.kernel;
    return live_new(&opts, &made->bench.live, err);
}

/* Numbers behind a colon become greater ones: "tile(i:8)" to "tile(i:16)". Caller frees.
 */
static char *vary(const char *plan, size_t pass)
{
    struct buf out = {0};

    while (*plan) {
        buf_add_n(&out, plan, 1);
        if (*plan++ != ':' || *plan < '0' || *plan > '9')
            continue;
        buf_addf(&out, "%llu", strtoull(plan, NULL, 10) * (pass + 1));
        plan += strspn(plan, "0123456789");
    }
    return buf_detach(&out);
}

static void add_code(struct made *made, const char *text)
{
    struct plan *plan = NULL;
    struct buf source = {0};
    double began_s = clock_s(), written_s;

    if (plan_parse(text, &plan, NULL) == 0)
        kernel_emit(made->bench.kernel, plan, NULL, &source, NULL);
    written_s = clock_s();
    code_diffs_add(&made->bench.code, made->bench.kernel, text);
    double diff_s = clock_s() - written_s;
    made->code_s += written_s - began_s;
    made->diff_s += diff_s;
    made->worst_diff_s = fmax(made->worst_diff_s, diff_s);
    plan_free(plan);
    buf_release(&source);
}

static int add_variant(struct made *made, const json_t *document, size_t pass,
                       struct error *err)
{
    struct search_result *result = &made->result;
    struct json_at at = json_top("space", document);
    struct kernel_counts counts = kernel_counts(made->bench.kernel);
    struct measurement measurement;

    if (measurement_from_json(&at, &measurement, err))
        return -1;
    char *plan = vary(measurement.plan, pass);
    free(measurement.plan);
    measurement.plan = plan;
    measurement.time_s = quantity_scale(measurement.time_s, 1 + 0.01 * (double)pass);
    measurement.cost_s = 0.4;
    if (measurement.has_traffic && measurement.time_s.known &&
        measurement_explain(&measurement, &made->bench.machine, 1, &counts, err))
        return -1;
    GROW(result->measurement, result->measurement_nr + 1, result->measurement_alloc);
    result->measurement[result->measurement_nr++] = measurement;
    add_code(made, plan);
    return 0;
}

static int add_variants(struct made *made, const json_t *space, size_t nr,
                        struct error *err)
{
    const json_t *list = json_object_get(space, "measurements"), *one;
    size_t i, pass = 0;

    for (; made->result.measurement_nr < nr && pass < nr; pass++)
        json_array_foreach(list, i, one)
        {
            if (made->result.measurement_nr < nr && (pass == 0 || i) &&
                add_variant(made, one, pass, err))
                return -1;
        }
    return 0;
}

static void end_search(struct made *made)
{
    struct search_result *result = &made->result;
    struct quantity first = result->measurement[0].time_s;

    for (size_t i = 1; i < result->measurement_nr; i++) {
        struct quantity time = result->measurement[i].time_s;
        if (time.known && time.value < result->measurement[result->best].time_s.value)
            result->best = i;
    }
    result->source_gain =
        quantity_divide(first, result->measurement[result->best].time_s);
    result->environment_gain = result->total_gain = result->left_bound =
        quantity_unknown();
    result->left_resource = RESOURCE_NONE;
    result->left.bound.least = quantity_unknown();
    result->left.bound.least_by = RESOURCE_NONE;
    result->audit.cost = quantity_unknown();
    result->searched_nr = result->measurement_nr;
    result->space_size = -1;
    result->stop = xstrdup("all plans of the recorded space were given");
}

/* As many pruned candidates as variants. */
static void add_pruned(struct made *made)
{
    struct search_result *result = &made->result;

    for (size_t i = 1; i < result->measurement_nr; i++) {
        GROW(result->pruned, result->pruned_nr + 1, result->pruned_alloc);
        result->pruned[result->pruned_nr++] =
            (struct pruned){vary(result->measurement[i].plan, 7), xstrdup("legality"),
                            xstrdup("'C' in line 17 depends on 'C' in line 17 of an "
                                    "earlier iteration of k, at distance (0, 0, 1)")};
    }
}

static void made_release(struct made *made)
{
    live_free(made->bench.live);
    kernel_free(made->bench.kernel);
    machine_release(&made->bench.machine);
    toolchain_release(&made->bench.toolchain);
    code_diffs_release(&made->bench.code);
    search_result_release(&made->result);
    strvec_release(&made->words);
}

/* ---- its page ---- */

struct figures {
    size_t variants, lines, document_bytes, page_bytes, console_lines, requests;
    double make_s, ready_ms, sort_ms; /* medians */
};

static double number_in(const char *dom, const char *key)
{
    const char *at = strstr(dom, key);

    return at ? strtod(at + strlen(key), NULL) : NAN;
}

/* A copy that says when it was ready, and how long sorting takes. */
static void add_clock(const struct buf *page, struct buf *out)
{
    static const char script[] =
        "<script>addEventListener('load',function(){var r=performance.now(),b=document."
        "querySelector('[data-sort=time]');if(b)b.click();document.body.offsetHeight;"
        "document.title='ready '+r+' sorted '+(performance.now()-r)})</script></body>";
    const char *end = strstr(buf_str(page), "</body>");

    buf_add_n(out, buf_str(page), (size_t)(end - buf_str(page)));
    buf_add(out, script);
    buf_add(out, end + strlen("</body>"));
}

static int browse(const struct buf *page, const char *dir, int rounds,
                  struct figures *figures, struct error *err)
{
    struct buf timed = {0};
    char *path = path_join(dir, "timed.html");
    double *ready = xcalloc((size_t)rounds, sizeof(*ready)),
           *sorted = xcalloc((size_t)rounds, sizeof(*sorted));
    int status;

    add_clock(page, &timed);
    status = file_write(path, buf_str(&timed), timed.length, err);
    for (int i = 0; i < rounds && !status; i++) {
        struct browsed browsed;
        status = browser_open(path, "", dir, &browsed, err);
        ready[i] = number_in(buf_str(&browsed.dom), "<title>ready ");
        sorted[i] = number_in(buf_str(&browsed.dom), " sorted ");
        figures->console_lines += browsed.console.length > 0;
        figures->requests += browsed.request_nr;
        browsed_release(&browsed);
    }
    sort_doubles(ready, (size_t)rounds);
    sort_doubles(sorted, (size_t)rounds);
    figures->ready_ms = ready[rounds / 2];
    figures->sort_ms = sorted[rounds / 2];
    free(ready);
    free(sorted);
    free(path);
    buf_release(&timed);
    return status;
}

static int keep(const char *name, const struct buf *page, struct error *err)
{
    char *path = xasprintf(BENCH_DIR "/page_%s.html", name);
    int status = dir_make_all(BENCH_DIR, err);

    if (!status)
        status = file_write(path, buf_str(page), page->length, err);
    free(path);
    return status;
}

static int make_page(struct made *made, const char *dir, int rounds,
                     struct figures *figures, struct error *err)
{
    struct report_input input = {.bench = &made->bench,
                                 .result = &made->result,
                                 .emitted_gain = quantity_unknown()};
    json_t *report = report_json(&input);
    char *text = json_text(report), *why = NULL;
    struct buf page = {0};
    double began_s = clock_s();
    int status = report_html(report, &page, &why, err);

    figures->make_s = clock_s() - began_s;
    figures->document_bytes = strlen(text);
    figures->lines =
        json_array_size(json_object_get(json_object_get(report, "code"), "lines"));
    figures->page_bytes = page.length;
    if (!status && why)
        status = fail(err, STATUS_MISSING, "%s", why);
    if (!status)
        status = keep(kernel_name(made->bench.kernel), &page, err);
    if (!status)
        status = browse(&page, dir, rounds, figures, err);
    free(text);
    free(why);
    buf_release(&page);
    json_decref(report);
    return status;
}

/* ---- the table ---- */

static int judge(double got, double limit)
{
    return got <= limit ? 0 : 1; /* not a number is missed, too */
}

static int print_figures(const struct made *made, const struct figures *figures)
{
    size_t nr = figures->variants;
    int missed = judge((double)figures->page_bytes, limit_bytes) +
                 judge(figures->ready_ms, limit_ready_ms) + (figures->console_lines > 0) +
                 (figures->requests > 0);

    printf("%s, %zu variants, %zu distinct lines of diffs\n",
           kernel_name(made->bench.kernel), nr, figures->lines);
    printf("| what | asked | reached |\n|---|---|---|\n");
    printf("| size of the page | under 2 MB | %.2f MB |\n",
           (double)figures->page_bytes * 1e-6);
    printf("| ready in headless Chromium | under 1 s | %.0f ms |\n", figures->ready_ms);
    printf("| console errors | none | %zu |\n", figures->console_lines);
    printf("| requests of the page | none | %zu |\n", figures->requests);
    printf("| sorting and laying out | | %.0f ms |\n", figures->sort_ms);
    printf("| making the page, gnuplot included | | %.2f s |\n", figures->make_s);
    printf("| the session's document | | %.2f MB |\n",
           (double)figures->document_bytes * 1e-6);
    printf("| a diff from the C of a build: mean, worst | | %.2f ms, %.1f ms |\n",
           1e3 * made->diff_s / (double)nr, 1e3 * made->worst_diff_s);
    printf("| writing that C anew: mean | | %.1f ms |\n\n",
           1e3 * made->code_s / (double)nr);
    return missed;
}

static int run(const char *path, size_t variants, int rounds, int *missed,
               struct error *err)
{
    struct made made = {0};
    struct figures figures = {0};
    json_t *space = NULL;
    char *dir = NULL;
    int status = json_read_file(path, "inflight.space/1", &space, err);

    if (!status)
        status = scratch_make(&dir, err);
    if (!status)
        status = open_bench(&made, space, dir, err);
    if (!status)
        status = add_variants(&made, space, variants, err);
    if (!status) {
        end_search(&made);
        add_pruned(&made);
        figures.variants = made.result.measurement_nr;
        status = make_page(&made, dir, rounds, &figures, err);
    }
    if (!status)
        *missed += print_figures(&made, &figures);
    made_release(&made);
    json_decref(space);
    if (dir)
        scratch_remove(dir);
    return status;
}

int main(int argc, char **argv)
{
    static const char *const shipped[] = {
        INFLIGHT_SOURCE_DIR "/bench/data/spaces/gemm_textbook.json.gz",
        INFLIGHT_SOURCE_DIR "/bench/data/spaces/transpose_lda.json.gz"};
    long long variants = 500, rounds = 5;
    struct error err = {0};
    int missed = 0, status = 0;
    size_t named = 0;

    for (int i = 1; i < argc && !status; i++) {
        long long *number = !strcmp(argv[i], "--variants") ? &variants
                            : !strcmp(argv[i], "--rounds") ? &rounds
                                                           : NULL;
        if (number && i + 1 < argc) {
            status = parse_count(argv[i + 1], argv[i], number, &err);
            i++;
        } else {
            status = run(argv[i], (size_t)variants, (int)rounds, &missed, &err);
            named++;
        }
    }
    for (size_t i = 0; i < ARRAY_SIZE(shipped) && !named && !status; i++)
        status = run(shipped[i], (size_t)variants, (int)rounds, &missed, &err);
    if (status)
        fprintf(stderr, "bench/page: %s\n", err.text);
    return status || missed ? 1 : 0;
}
