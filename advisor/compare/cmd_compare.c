/* inflight compare: two versions of one function, or one version and a plan. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/apply/rename_source.h"
#include "advisor/cli/cli.h"
#include "advisor/compare/versus.h"
#include "advisor/program/commands.h"
#include "advisor/report/measure_report.h"
#include "advisor/report/report_parts.h"
#include "advisor/session/emitted.h"
#include "core/base.h"
#include "observe/in_app/in_app_causes.h"
#include "observe/in_app/in_app_text.h"
#include "search/live/live.h"
#include "search/session/measured.h"
#include "variants/kernel/kernel.h"
#include "variants/plan/plan.h"

/* ---- text ---- */

/* The comparison of two versions, for people and as JSON. */

/* ---- text ---- */

static void show_times(const struct versus *versus, struct layout *layout)
{
    layout_heading(layout, "Time");
    for (size_t i = 0; i < 2; i++) {
        struct buf text = {0};
        buf_add_time_figure(&text, versus->side[i]->time_s);
        layout_line(layout, i ? "after" : "before", "%s (%s)", buf_str(&text),
                    versus->name[i]);
        buf_release(&text);
    }
    if (versus->ratio.known) {
        struct buf text = {0};
        buf_add_ratio(&text, versus->ratio);
        layout_line(layout, "ratio", "%s, before / after, %zu launches, in turn",
                    buf_str(&text), versus->ratio.runs);
        buf_release(&text);
    }
    layout_paragraph(layout, "%s", versus->ratio_sentence);
}

static void add_times(struct buf *out, struct quantity ratio, int width)
{
    struct buf text = {0};
    buf_add_times(&text, ratio.known ? ratio.value : NAN);
    buf_addf(out, "%*s", width, buf_str(&text));
    buf_release(&text);
}

static void show_work(const struct versus *versus, struct layout *layout)
{
    layout_heading(layout, "Less work or faster work?");
    if (versus->work_sentence)
        layout_paragraph(layout, "%s", versus->work_sentence);
    buf_add(layout->out,
            "  one call, per core        before     after    less work  faster work\n");
    for (size_t i = 0; i < VERSUS_WORK_NR; i++) {
        const struct versus_work *work = &versus->work[i];
        if (!work->before.known && !work->after.known)
            continue;
        buf_addf(layout->out, "  %-22s", work->name);
        buf_add_cell(layout->out, work->before, 1, 10);
        buf_add_cell(layout->out, work->after, 1, 10);
        add_times(layout->out, work->less, 13);
        add_times(layout->out, work->faster, 13);
        buf_add(layout->out, "\n");
    }
    layout_paragraph(layout,
                     "less work: before / after; faster work: work done per second, "
                     "after / before; their product is the ratio of the times.");
}

static void add_queue(const struct versus *versus, int r, struct buf *out)
{
    const struct occupancy_resource *side[2];
    for (size_t i = 0; i < 2; i++)
        side[i] = &versus->side[i]->occupancy.resource[r];
    buf_addf(out, "  %-16s", resource_word((enum resource)r));
    for (size_t i = 0; i < 2; i++)
        buf_add_cell(out, side[i]->n.known ? side[i]->n : side[i]->rate, 1, 10);
    buf_add_cell(out, side[0]->limit, 1, 10);
    for (size_t i = 0; i < 2; i++)
        buf_add_share_cell(out, side[i]->utilization, 16);
    buf_add(out, "\n");
}

static void show_queues(const struct versus *versus, struct layout *layout)
{
    if (!versus->side[0]->has_occupancy || !versus->side[1]->has_occupancy)
        return;
    layout_heading(layout, "Every queue before and after");
    buf_add(layout->out,
            "  resource            before     after     limit     used before    "
            "  used after\n");
    for (int r = 0; r < RESOURCE_NONE; r++)
        if (versus->side[0]->occupancy.resource[r].utilization.known ||
            versus->side[1]->occupancy.resource[r].utilization.known)
            add_queue(versus, r, layout->out);
    for (size_t i = 0; i < 2; i++) {
        const struct occupancy *now = &versus->side[i]->occupancy;
        struct buf text = {0};
        buf_add_figure(&text, now->bandwidth_gbs, 1, "GB/s");
        buf_add(&text, "; n ");
        buf_add_figure(&text, now->paper_n, 1, "lines per core");
        buf_addf(&text, "; bound by %s. %s", cause_phrase(now->diagnosis.cause),
                 buf_str(&now->diagnosis.reason));
        layout_line(layout, i ? "after" : "before", "%s", buf_str(&text));
        buf_release(&text);
    }
}

void versus_text(const struct versus *versus, struct layout *layout)
{
    show_times(versus, layout);
    show_work(versus, layout);
    show_queues(versus, layout);
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

/* ---- cmd compare ---- */

static const double default_pairs_s = 10;

struct rivalry {
    struct context *bench;
    const struct settings *settings; /* as given; the bench has its own */
    struct kernel *rival;            /* the second version; NULL = a plan */
    char *source;                    /* its file, for building */
    struct strvec cflags;            /* to read it with */
    char *name[2];
    struct measurement side[2];
    struct kernel_counts counts[2];
    struct quantity ratio;
    struct in_app app;
    struct in_app_result in_app;
};

static void rivalry_release(struct rivalry *rivalry)
{
    kernel_free(rivalry->rival);
    free(rivalry->source);
    strvec_release(&rivalry->cflags);
    for (size_t i = 0; i < 2; i++) {
        free(rivalry->name[i]);
        measurement_release(&rivalry->side[i]);
    }
    in_app_release(&rivalry->app);
    in_app_result_release(&rivalry->in_app);
}

/* ---- the second version ---- */

static struct kernel_request rival_request(const struct rivalry *rivalry)
{
    const struct settings *settings = rivalry->settings;
    return (struct kernel_request){.path = settings->rival_file,
                                   .line = settings->rival_line,
                                   .function = settings->rival_version
                                                   ? settings->rival_version
                                                   : settings->function,
                                   .cflags = rivalry->cflags,
                                   .reassociate = settings->reassociate};
}

/* The function that was named; else the one of the same name; else the file's only one.
 */
static int open_rival(struct rivalry *rivalry, struct error *err)
{
    const struct settings *settings = rivalry->settings;
    struct error ignored = {0};
    if (context_cflags(settings, settings->rival_file, &rivalry->cflags, err))
        return -1;
    struct kernel_request request = rival_request(rivalry);
    if (request.function || request.line)
        return kernel_open(&request, &rivalry->rival, err);
    request.function = kernel_name(rivalry->bench->kernel);
    if (kernel_open(&request, &rivalry->rival, &ignored) == 0)
        return 0;
    request.function = NULL;
    return kernel_open(&request, &rivalry->rival, err);
}

/* Sizes as those of the first version, for what the source says it counts; where it
 * cannot be bound alone nothing is known of that. */
static void bind_rival(struct rivalry *rivalry)
{
    struct kernel_request request = rival_request(rivalry);
    struct kernel *bound = NULL;
    request.function = kernel_name(rivalry->rival);
    request.line = 0;
    kernel_same_sizes(rivalry->bench->kernel, rivalry->rival, &request.words);
    if (kernel_open(&request, &bound, NULL) == 0 && kernel_bind(bound, NULL) == 0)
        rivalry->counts[1] = kernel_counts(bound);
    else
        rivalry->counts[1] =
            (struct kernel_counts){.iterations = quantity_unknown(),
                                   .accesses = quantity_unknown(),
                                   .bytes = quantity_unknown(),
                                   .flops = quantity_unknown(),
                                   .footprint_bytes = rivalry->counts[0].footprint_bytes};
    kernel_free(bound);
    strvec_release(&request.words);
}

static bool same_function(const struct rivalry *rivalry)
{
    const struct kernel *first = rivalry->bench->kernel, *second = rivalry->rival;
    char *a = path_absolute(kernel_path(first)), *b = path_absolute(kernel_path(second));
    bool same = !strcmp(a, b) && kernel_line(first) == kernel_line(second);
    free(a);
    free(b);
    return same;
}

/* The harness calls the first version's name. */
static int write_source(struct rivalry *rivalry, struct error *err)
{
    const char *from = kernel_name(rivalry->rival),
               *to = kernel_name(rivalry->bench->kernel);
    struct buf text = {0};
    if (!strcmp(from, to) || kernel_language(rivalry->rival) == KERNEL_CPLUSPLUS) {
        rivalry->source = xstrdup(kernel_path(rivalry->rival));
        return 0;
    }
    rivalry->source = xasprintf("%s/second%s", rivalry->bench->scratch,
                                kernel_ending(rivalry->bench->kernel));
    int status = rename_source(kernel_path(rivalry->rival), from, to, &text, err);
    if (!status)
        status = file_write(rivalry->source, buf_str(&text), text.length, err);
    buf_release(&text);
    return status;
}

static int prepare_rival(struct rivalry *rivalry, struct error *err)
{
    if (open_rival(rivalry, err))
        return -1;
    if (same_function(rivalry))
        return fail(err, STATUS_USAGE,
                    "both versions are '%s' in '%s'; name another with FILE.c:FUNCTION",
                    kernel_name(rivalry->rival), kernel_path(rivalry->rival));
    return kernel_same_call(rivalry->bench->kernel, rivalry->rival, err);
}

/* ---- measuring ---- */

static int measure_plan(struct rivalry *rivalry, const char *plan, size_t side,
                        struct error *err)
{
    struct context *bench = rivalry->bench;
    struct candidate candidate = {plan, context_environment(bench)};
    return bench->live_runner.measure(bench->live_runner.data, &candidate,
                                      MEASURE_EXPLAIN, 0, &rivalry->side[side], err);
}

static int measure_second(struct rivalry *rivalry, struct error *err)
{
    struct context *bench = rivalry->bench;
    struct environment environment = context_environment(bench);
    rivalry->counts[1] = rivalry->counts[0];
    if (!rivalry->rival)
        return measure_plan(rivalry, bench->plan, 1, err);
    bind_rival(rivalry);
    if (write_source(rivalry, err))
        return -1;
    return live_measure_file(bench->live, rivalry->source, &rivalry->counts[1],
                             &environment, &rivalry->side[1], err);
}

static int measure_pairs(struct rivalry *rivalry, struct error *err)
{
    struct context *bench = rivalry->bench;
    double budget_s = rivalry->settings->budget_s;
    double seconds = budget_s > 0 ? budget_s : default_pairs_s;
    struct environment environment = context_environment(bench);
    const struct environment both[2] = {environment, environment};
    struct candidate a = {"", environment}, b = {bench->plan, environment};
    bool verified = false;
    if (spawn_interrupted())
        return 0;
    progress_say(&bench->progress, "timing the two in turn");
    if (rivalry->rival)
        return live_compare_file(bench->live, rivalry->source, NULL, both, seconds,
                                 &rivalry->ratio, &verified, err);
    return bench->live_runner.compare(bench->live_runner.data, &a, &b, seconds,
                                      &rivalry->ratio, err);
}

/* Results first: what computes something else needs no time. */
static int judge_second(const struct rivalry *rivalry, struct error *err)
{
    const struct measurement *second = &rivalry->side[1];
    if (second->outcome == RUN_OUTCOME_OK || second->outcome == RUN_OUTCOME_INTERRUPTED)
        return 0;
    if (second->outcome == RUN_OUTCOME_WRONG_RESULT)
        return fail(err, STATUS_FAILED,
                    "the results differ, so times are not compared: with %s, %s "
                    "(--tolerance X allows for a relative difference)",
                    rivalry->name[1], second->detail ? second->detail : "they differ");
    return fail(err, STATUS_FAILED, "%s cannot be measured: %s: %s", rivalry->name[1],
                run_outcome_word(second->outcome),
                second->detail ? second->detail : "no more is known");
}

static int measure_both(struct rivalry *rivalry, struct error *err)
{
    struct context *bench = rivalry->bench;
    rivalry->counts[0] = kernel_counts(bench->kernel);
    progress_say(&bench->progress,
                 "comparing results, then measuring the second version");
    if (measure_second(rivalry, err) || judge_second(rivalry, err))
        return -1;
    progress_say(&bench->progress, "measuring the first version");
    if (measure_plan(rivalry, "", 0, err))
        return -1;
    return measure_pairs(rivalry, err);
}

/* ---- in the application ---- */

static int second_text(struct rivalry *rivalry, struct buf *out, struct error *err)
{
    struct context *bench = rivalry->bench;
    struct plan *plan = NULL;
    if (rivalry->rival)
        return file_read(kernel_path(rivalry->rival), out, err);
    int status = plan_parse(bench->plan, &plan, err);
    if (!status)
        status = emitted_text(bench->kernel, plan, "A plan of inflight compare.", NULL,
                              out, err);
    plan_free(plan);
    return status;
}

/* A plan has no file yet that the causes could be tested with. */
static int write_plan(struct rivalry *rivalry, const struct buf *text, struct error *err)
{
    if (rivalry->source)
        return 0;
    rivalry->source = context_emitted(rivalry->bench);
    return file_write(rivalry->source, buf_str(text), text->length, err);
}

static int confirm_in_app(struct rivalry *rivalry, struct error *err)
{
    struct environment around = context_environment(rivalry->bench);
    struct buf text = {0};
    if (!rivalry->settings->in_app || spawn_interrupted())
        return 0;
    int status = second_text(rivalry, &text, err) || write_plan(rivalry, &text, err) ||
                 in_app_confirm(&rivalry->app, &text, &rivalry->in_app, err);
    const struct in_app_alone alone = {rivalry->source, {around, around}, rivalry->ratio};
    if (!status)
        status = in_app_causes(rivalry->bench, &alone, &rivalry->in_app, err);
    buf_release(&text);
    if (status && spawn_interrupted()) {
        error_clear(err); /* what was known before is printed */
        return 0;
    }
    return status ? -1 : 0;
}

/* Before anything is measured. The application calls the function by its name. */
static int prepare_in_app(struct rivalry *rivalry, struct error *err)
{
    struct context *bench = rivalry->bench;
    const char *name = kernel_name(bench->kernel);
    if (in_app_check(rivalry->settings, err))
        return -1;
    if (rivalry->settings->in_app && rivalry->rival &&
        (strcmp(name, kernel_name(rivalry->rival)) != 0 ||
         !strcmp(kernel_path(bench->kernel), kernel_path(rivalry->rival))))
        return fail(err, STATUS_USAGE,
                    "--in-app puts the second file in the first one's place: both must "
                    "have a function '%s', in two files",
                    name);
    return in_app_prepare(&rivalry->app, rivalry->settings, &bench->progress,
                          bench->scratch, name, err);
}

/* ---- what comes out ---- */

static void name_sides(struct rivalry *rivalry)
{
    const struct kernel *kernel = rivalry->bench->kernel, *rival = rivalry->rival;
    const char *first = path_base(kernel_path(kernel));
    if (!rival) {
        rivalry->name[0] = xstrdup("as written");
        rivalry->name[1] = xasprintf("plan '%s'", rivalry->bench->plan);
        return;
    }
    bool same_name = !strcmp(kernel_path(kernel), kernel_path(rival));
    rivalry->name[0] = same_name ? xstrdup(kernel_name(kernel))
                                 : xasprintf("%s:%s", first, kernel_name(kernel));
    rivalry->name[1] =
        same_name ? xstrdup(kernel_name(rival))
                  : xasprintf("%s:%s", path_base(kernel_path(rival)), kernel_name(rival));
}

static json_t *document_of(const struct rivalry *rivalry, const struct versus *versus)
{
    const struct context *bench = rivalry->bench;
    char *date = date_now();
    json_t *root = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:[s, s], s:s}",
                             "schema", "inflight.versus/1", "version", INFLIGHT_VERSION,
                             "date", date, "kernel", report_kernel_json(bench->kernel),
                             "machine", report_machine_json(bench), "compiler",
                             report_compiler_json(&bench->toolchain), "environment",
                             environment_json(rivalry->settings), "sides",
                             versus->name[0], versus->name[1], "plan", bench->plan);
    versus_to_json(versus, root);
    if (rivalry->in_app.end != IN_APP_NONE)
        json_object_set_new(root, "in_app",
                            in_app_to_json(&rivalry->in_app, rivalry->ratio));
    free(date);
    return root;
}

/* Many sizes are counted; --json names them. What follows them is told. */
static void show_results(const char *sizes, struct layout *layout)
{
    enum { MANY = 9 };
    size_t length = sizes ? strcspn(sizes, ";") : 0, nr = 1;
    for (size_t i = 0; i < length; i++)
        nr += sizes[i] == ',';
    layout_heading(layout, "Results");
    if (!sizes)
        layout_paragraph(layout, "Equal at all sizes that were tried.");
    else if (nr < MANY)
        layout_paragraph(layout, "Equal for %s.", sizes);
    else
        layout_paragraph(layout, "Equal at %zu sizes%s.", nr, sizes + length);
}

static int print_rivalry(const struct rivalry *rivalry, const struct versus *versus,
                         struct error *err)
{
    const struct settings *settings = rivalry->settings;
    struct buf text = {0};
    int status;
    if (settings->json) {
        json_t *document = document_of(rivalry, versus);
        status = print_json(document, err);
        json_decref(document);
        return status;
    }
    struct layout layout =
        layout_on(&text, term_colour(stdout, settings->colour), term_columns(stdout));
    measure_head(rivalry->bench, &layout);
    versus_text(versus, &layout);
    show_results(rivalry->side[1].verified_sizes, &layout);
    if (rivalry->in_app.end != IN_APP_NONE) {
        json_t *in_app = in_app_to_json(&rivalry->in_app, rivalry->ratio);
        in_app_text(in_app, false, &layout);
        json_decref(in_app);
    }
    status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

static int report(const struct rivalry *rivalry, struct error *err)
{
    struct versus versus;
    progress_clear(&rivalry->bench->progress);
    versus_make((const char *const[]){rivalry->name[0], rivalry->name[1]},
                (const struct measurement *const[]){&rivalry->side[0], &rivalry->side[1]},
                rivalry->counts, rivalry->ratio, &versus);
    int status = print_rivalry(rivalry, &versus, err);
    versus_release(&versus);
    return status;
}

/* ---- the command ---- */

static int check_sides(const struct settings *settings, struct error *err)
{
    if (!settings->file)
        return fail(err, STATUS_USAGE,
                    "compare takes two versions, or one and --plan; try 'inflight "
                    "compare --help'");
    if (settings->rival_file && settings->plan)
        return fail(
            err, STATUS_USAGE,
            "compare takes two versions or --plan, not both: '%s' and a plan were "
            "given",
            settings->rival_file);
    if (!settings->rival_file && !settings->plan)
        return fail(err, STATUS_USAGE,
                    "'%s' alone cannot be compared: name a second version, or --plan",
                    settings->file);
    if (settings->rival_file && access(settings->rival_file, R_OK))
        return fail(err, STATUS_INPUT, "cannot read '%s': %s", settings->rival_file,
                    strerror(errno));
    return 0;
}

static int compare_all(struct rivalry *rivalry, struct error *err)
{
    struct context *bench = rivalry->bench;
    if (context_kernel(bench, true, err) ||
        (rivalry->settings->rival_file && prepare_rival(rivalry, err)) ||
        context_live(bench, err))
        return -1;
    if (!rivalry->rival && !*bench->plan)
        return fail(err, STATUS_USAGE,
                    "--plan: an empty plan is the kernel as written; name a step");
    name_sides(rivalry);
    if (prepare_in_app(rivalry, err) || measure_both(rivalry, err) ||
        confirm_in_app(rivalry, err) || report(rivalry, err))
        return -1;
    return in_app_verdict(&rivalry->in_app, err);
}

int compare_command(const struct settings *settings, struct error *err)
{
    struct settings first = *settings;
    struct context bench;
    struct rivalry rivalry = {
        .bench = &bench, .settings = settings, .ratio = quantity_unknown()};
    if (check_sides(settings, err))
        return -1;
    if (settings->version)
        first.function = settings->version;
    spawn_catch_interrupt();
    context_start(&bench, &first);
    int status = compare_all(&rivalry, err);
    rivalry_release(&rivalry);
    context_release(&bench);
    return status;
}
