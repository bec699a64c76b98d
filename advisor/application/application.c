#define _XOPEN_SOURCE 700 /* realpath */
#include "advisor/application/application.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/application/tuning.h"
#include "advisor/cli/cli.h"
#include "advisor/session/emitted.h"
#include "core/base.h"

/* Of the hot loops, where --top is not given: what is further down is seldom worth the
 * minutes that each takes. */
enum { top_default = 3 };
static const double run_limit_s = 6 * 3600;

static size_t kept(const struct application *app, const struct in_app_result **last)
{
    size_t nr = 0;

    for (size_t i = 0; i < MEMORY_NR + app->loop_nr; i++) {
        bool is_memory = i < MEMORY_NR;
        const struct application_loop *loop =
            is_memory ? NULL : &app->loop[i - MEMORY_NR];

        if ((is_memory ? app->memory[i].end : loop->end) != LOOP_CONFIRMED)
            continue;
        *last = is_memory ? &app->memory[i].in_app : &loop->in_app;
        nr++;
    }
    return nr;
}

/* What is measured all together in the end has its time, once there is something. */
static void spare(struct tuning *tuning)
{
    const struct in_app_result *ignored;
    bool any = kept(tuning->app, &ignored) > 0;

    tuning->end_s =
        tuning->budget_end_s - (any ? tuning_pairs_s(tuning, IN_APP_PAIRS_MIN) : 0);
}

static bool is_tunable(const struct application_loop *loop)
{
    return loop->row->is_ours && loop->file;
}

/* What a loop gets of the time: code of libraries is not tuned. */
static double weight(const struct application_loop *loop)
{
    return is_tunable(loop) && !loop->with ? loop->row->routine->share.value : 0;
}

/* Of the loops from this one on; its part of their time. What one leaves is the next
 * ones'. */
static double share_of(const struct application *app, size_t loop)
{
    double all = 0;

    for (size_t i = loop; i < app->loop_nr; i++)
        all += weight(&app->loop[i]);
    return all > 0 ? weight(&app->loop[loop]) / all : 1;
}

static int tune_loops(struct tuning *tuning, struct error *err)
{
    struct application *app = tuning->app;
    int status = 0;

    for (size_t i = 0; i < app->loop_nr && !status; i++) {
        struct application_loop *loop = &app->loop[i];
        bool dry = tuning->settings->dry_run;
        double least_s = loop_least_s(tuning);

        spare(tuning);
        char *late = weight(loop) > 0 && !dry ? tuning_too_late(tuning, least_s) : NULL;

        if (late || loop->with) {
            loop_end(loop, LOOP_REFUSED,
                     late ? late
                          : xasprintf("it is tuned together with %s",
                                      loop->with->row->routine->name));
            continue;
        }
        tuning_share(tuning, share_of(app, i));
        tuning->until_s = fmax(tuning->until_s, clock_s() + least_s);
        status = loop_make_ready(tuning, loop, err);
        if (!status && loop->end == LOOP_READY && !dry)
            status = loop_tune(tuning, loop, err);
    }
    return status;
}

/* ---- all together ---- */

static void take_whole(struct application *app, const struct in_app_result *only)
{
    app->whole.end = only ? IN_APP_MEASURED : IN_APP_NO_WINNER;
    app->whole.program = only ? only->program : quantity_unknown();
    app->whole.pair_nr = only ? only->pair_nr : 0;
    app->whole.shown = only ? only->shown : (struct app_output_state){0};
    for (int side = 0; side < 2; side++)
        app->whole.program_s[side] = only ? only->program_s[side] : quantity_unknown();
}

/* The program as written, without a setting, against all. */
static int compare_all(const struct tuning *tuning, struct error *err)
{
    struct application *app = tuning->app;
    struct in_app_file *further = xcalloc(app->file_nr + 1, sizeof(*further));
    struct buf same = {0};
    struct comparison comparison = {.tree = TREE_ORIGINAL,
                                    .file = app->source,
                                    .text = &same,
                                    .further = further,
                                    .environment = {NULL, app->environment}};
    int status = 0;

    if (app->file_nr) {
        comparison.file = app->file[0].path;
        comparison.text = &app->file[0].text;
    } else {
        status = trees_read(&tuning->trees, TREE_ORIGINAL, app->source, &same, err);
    }
    for (size_t i = 1; i < app->file_nr; i++)
        further[comparison.further_nr++] =
            (struct in_app_file){app->file[i].path, &app->file[i].text};
    if (!status)
        status = tuning_compare(tuning, &comparison, &app->whole, err);
    buf_release(&same);
    free(further);
    return status;
}

/* What was kept alone was measured against the program as written. */
static int confirm_all(struct tuning *tuning, struct error *err)
{
    const struct in_app_result *only = NULL;

    if (kept(tuning->app, &only) < 2) {
        take_whole(tuning->app, only);
        return 0;
    }
    tuning->end_s = tuning->budget_end_s;
    if ((tuning->app->late =
             tuning_too_late(tuning, tuning_pairs_s(tuning, IN_APP_PAIRS_MIN))))
        return 0;
    tuning_share(tuning, 1);
    progress_say(tuning->progress, "confirming all together");
    return compare_all(tuning, err);
}

/* ---- from the program to its loops ---- */

static int sample(struct tuning *tuning, struct error *err)
{
    const struct settings *settings = tuning->settings;
    const struct tree_place *tree = &tuning->trees.tree[TREE_ORIGINAL];
    struct spawn_request request = {.argv = (const char *const *)tuning->trees.argv.v,
                                    .dir = tree->cwd,
                                    .timeout_s = run_limit_s};
    struct sample_options options = {.frequency_hz = settings->frequency > 0
                                                         ? (double)settings->frequency
                                                         : SAMPLE_FREQUENCY_HZ,
                                     .misses = true};
    struct spawn_outcome outcome;

    progress_say(tuning->progress, "running %s, to see where its time goes",
                 tuning->app->command);
    if (sample_run(&request, &options, &tuning->app->app.samples, &outcome, err))
        return -1;
    tuning->app->page_faults = outcome.minor_faults;
    tuning->run_s = outcome.wall_s;
    char *end = shell_text_ending(&outcome, run_limit_s);
    int status = 0;
    if (spawn_interrupted())
        status = fail(err, STATUS_FAILED, "interrupted before anything was known");
    else if (end)
        status = fail(err, STATUS_FAILED, "%s, in a copy of the project: %s",
                      tuning->app->command, end);
    free(end);
    spawn_outcome_release(&outcome);
    return status;
}

/* Threads that are in it at a time: processes that run one after the other are one. */
static long long threads_in(const struct hot_routine *routine)
{
    double ratio = routine->busiest_s.value > 0
                       ? routine->cpu_s.value / routine->busiest_s.value
                       : 1;

    return llround(fmin(fmax(ratio, 1), (double)routine->threads));
}

static void take_loop(struct tuning *tuning, const struct app_row *row)
{
    struct application *app = tuning->app;
    struct application_loop *loop = &app->loop[app->loop_nr++];
    const char *file = row->source ? trees_file(&tuning->trees, row->source) : NULL,
               *module = row->routine->module ? row->routine->module : "";

    *loop = (struct application_loop){.row = row,
                                      .file = xstrdup(file),
                                      .module = trees_in_project(&tuning->trees, module),
                                      .line = row->line,
                                      .routine = xstrdup(row->routine->name),
                                      .function = xstrdup(row->routine->name),
                                      .threads = threads_in(row->routine),
                                      .alone = quantity_unknown()};
}

static bool has_loop_of(const struct application_loop *whole,
                        const struct application_loop *part)
{
    return is_tunable(whole) && !whole->with && !strcmp(whole->file, part->file) &&
           !strcmp(whole->routine, part->routine);
}

static void join_earlier(struct application *app, size_t which)
{
    struct application_loop *loop = &app->loop[which];

    for (size_t k = 0; k < which && !loop->with; k++)
        if (is_tunable(loop) && has_loop_of(&app->loop[k], loop))
            loop->with = &app->loop[k];
}

/* Of a routine and the one with the loop that calls it, the first is tuned, which takes
 * more of the time, and as the loop with the other in it. */
static void join_callers(struct tuning *tuning)
{
    struct application *app = tuning->app;

    for (size_t i = 0; i < app->loop_nr; i++) {
        struct application_loop *loop = &app->loop[i];

        join_earlier(app, i); /* as it is */
        if (is_tunable(loop) && !loop->with) {
            trees_find_caller(&tuning->trees, loop);
            join_earlier(app, i); /* by the loop that it is a part of */
        }
    }
}

static int find_loops(struct tuning *tuning, struct error *err)
{
    struct application *app = tuning->app;
    struct settings settings = *tuning->settings;
    long long top = settings.top > 0 ? settings.top : top_default;

    settings.build = NULL;
    settings.compile_commands = tuning->trees.tree[TREE_ORIGINAL].seen.database;
    if (app_find(&app->app, &settings, err))
        return -1;
    app->loop = xcalloc(app->app.row_nr + 1, sizeof(*app->loop));
    /* What is not ours is told, but does not count. */
    for (size_t i = 0; i < app->app.row_nr && top > 0; i++) {
        take_loop(tuning, &app->app.row[i]);
        top -= app->app.row[i].is_ours;
    }
    if (!app->loop_nr)
        return fail(err, STATUS_FAILED,
                    "no routine of '%s' takes a share of its time that is worth a look",
                    app->command);
    join_callers(tuning);
    return 0;
}

static int prepare(struct tuning *tuning, struct error *err)
{
    struct application *app = tuning->app;

    if (scratch_make(&tuning->scratch, err) ||
        trees_open(&tuning->trees, tuning->settings, TREE_ORIGINAL, tuning->scratch,
                   tuning->progress, err))
        return -1;
    struct buf command = {0};
    buf_add_shell_words(&command, (const char *const *)tuning->trees.argv.v);
    app->command = buf_detach(&command);
    app->root = xstrdup(tuning->trees.project.root);
    app->build = xstrdup(tuning->trees.build);
    app->build_is_guessed = tuning->trees.build_is_guessed;
    return file_check_writable(app->output, err);
}

static int build(struct tuning *tuning, struct error *err)
{
    double began_s = clock_s();
    int status = trees_build(&tuning->trees, err);

    tuning->build_s = clock_s() - began_s;
    return status;
}

/* How long a run takes, and what the budget is for. */
static void announce(const struct tuning *tuning, bool memory_first)
{
    const struct application *app = tuning->app;
    double left_s = tuning->end_s - clock_s(),
           least_s = tuning_pairs_s(tuning, IN_APP_PAIRS_MIN);
    struct buf loops = {0}, run = {0};

    for (size_t i = 0; i < app->loop_nr; i++)
        if (weight(&app->loop[i]) > 0)
            buf_addf(&loops, "%s%s (%.0f %%)", loops.length ? ", " : "",
                     app->loop[i].row->routine->name, 100 * weight(&app->loop[i]));
    buf_add_time(&run, tuning->run_s);
    progress_note(tuning->progress, "a run of %s takes %s, a build %.1f s", app->command,
                  buf_str(&run), tuning->build_s);
    if (isfinite(left_s))
        progress_note(tuning->progress,
                      "the %.0f s that are left go to %s%s%s; %.0f s at least to confirm "
                      "a change",
                      left_s, memory_first ? "its memory, then " : "",
                      loops.length ? buf_str(&loops) : "no loop",
                      memory_first ? "" : ", then its memory", ceil(least_s));
    buf_release(&loops);
    buf_release(&run);
}

/* Page faults come first where they cost: then the loops are measured without them. */
static int tune_all(struct tuning *tuning, struct error *err)
{
    struct application *app = tuning->app;
    double kernel = memory_kernel_share(app), loops = 0;
    bool dry = tuning->settings->dry_run;
    int status = 0;

    for (size_t i = 0; i < app->loop_nr; i++)
        loops += weight(&app->loop[i]);
    double share = kernel > 0 ? kernel / (kernel + (1 - kernel) * loops) : 0;
    bool first = !dry && memory_is_first(tuning, share);

    memory_look(tuning);
    if (!dry)
        announce(tuning, first);
    if (first)
        status = memory_try(tuning, share, err);
    if (!status)
        status = tune_loops(tuning, err);
    spare(tuning);
    if (!status && !dry)
        status = memory_try(tuning, 1, err);
    if (!status && !dry)
        memory_end(tuning);
    return status;
}

/* ---- the command ---- */

static int check_words(const struct settings *settings, struct error *err)
{
    const struct {
        bool given;
        const char *name;
    } option[] = {{settings->in_app, "--in-app"},
                  {settings->inputs, "--inputs"},
                  {settings->function, "--function"},
                  {settings->words.nr, "--set, --buffer, --assume and --tunable"},
                  {settings->build_record, "--build-record"},
                  {settings->header, "--emit-header"},
                  {settings->html, "--html"},
                  {settings->sarif, "--sarif"},
                  {settings->diagnostics, "--diagnostics"},
                  {settings->save, "--save"},
                  {settings->audit, "--audit"},
                  {settings->patch, "--patch (it always writes one)"}};

    for (size_t i = 0; i < ARRAY_SIZE(option); i++)
        if (option[i].given)
            return fail(err, STATUS_USAGE,
                        "%s does not go with a program after '--'; try 'inflight tune "
                        "--help'",
                        option[i].name);
    return 0;
}

static void application_release(struct application *app)
{
    progress_clear(&app->progress);
    for (size_t i = 0; i < app->loop_nr; i++) {
        struct application_loop *loop = &app->loop[i];

        free(loop->file);
        free(loop->module);
        free(loop->routine);
        free(loop->function);
        free(loop->prepared);
        outlined_release(&loop->outlined);
        free(loop->why);
        free(loop->plan);
        loop_sizes_release(loop);
        in_app_result_release(&loop->in_app);
        free(loop->question.plan);
        free(loop->question.why);
        in_app_result_release(&loop->question.in_app);
    }
    for (size_t i = 0; i < app->file_nr; i++) {
        free(app->file[i].path);
        buf_release(&app->file[i].text);
    }
    for (size_t i = 0; i < MEMORY_NR; i++) {
        free(app->memory[i].why);
        in_app_result_release(&app->memory[i].in_app);
    }
    in_app_result_release(&app->whole);
    app_release(&app->app);
    free(app->loop);
    free(app->file);
    free(app->command);
    free(app->root);
    free(app->build);
    free(app->output);
    free(app->source);
    free(app->environment);
    free(app->late);
}

static int print(struct application *app, struct error *err)
{
    struct buf text = {0};
    int status;

    progress_clear(&app->progress);
    if (app->settings->json) {
        json_t *document = application_json(app);
        status = print_json(document, err);
        json_decref(document);
        return status;
    }
    application_text(app, term_colour(stdout, app->settings->colour),
                     term_columns(stdout), &text);
    status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

/* That nobody came to, or was at. */
static bool is_open(enum loop_end end, const char *why)
{
    return end == LOOP_READY || (end == LOOP_REFUSED && !why);
}

void application_interrupt(struct application *app)
{
    app->interrupted = true;
    for (size_t i = 0; i < app->loop_nr; i++)
        if (is_open(app->loop[i].end, app->loop[i].why))
            app->loop[i].end = LOOP_UNDECIDED;
    for (size_t i = 0; i < MEMORY_NR; i++)
        if (is_open(app->memory[i].end, app->memory[i].why))
            app->memory[i].end = LOOP_UNDECIDED;
}

/* What was confirmed by then is told, and stands in the patch. */
static int note_interrupt(struct application *app, int status, struct error *err)
{
    if (!status || !spawn_interrupted() || !app->loop_nr)
        return status;
    application_interrupt(app);
    *err = (struct error){0};
    return 0;
}

static int work(struct tuning *tuning, struct error *err)
{
    struct application *app = tuning->app;
    int status = prepare(tuning, err);

    if (!status)
        status = build(tuning, err);
    if (!status)
        status = sample(tuning, err);
    if (!status)
        status = find_loops(tuning, err);
    if (!status)
        status = tune_all(tuning, err);
    if (!status && !tuning->settings->dry_run)
        status = confirm_all(tuning, err);
    status = note_interrupt(app, status, err);
    if (!status)
        status = print(app, err);
    if (!status && application_doubt(app))
        status = fail(err, STATUS_FAILED, "all together: %s", application_doubt(app));
    return status;
}

int tune_program(const struct settings *settings, struct error *err)
{
    struct application app = {.settings = settings};
    struct tuning tuning = {.app = &app, .settings = settings};

    if (check_words(settings, err))
        return -1;
    spawn_catch_interrupt();
    progress_start(&app.progress, settings->quiet, settings->verbose);
    tuning.progress = &app.progress;
    tuning.budget_end_s =
        settings->budget_s > 0 ? clock_s() + settings->budget_s : INFINITY;
    tuning.until_s = tuning.end_s = tuning.budget_end_s;
    app.output = settings->output
                     ? xstrdup(settings->output)
                     : xasprintf("%s.patch", path_base(settings->program.v[0]));
    app.whole.program = quantity_unknown();
    int status = work(&tuning, err);
    if (status) {
        char *sentence = trees_in_project(&tuning.trees, err->text);

        snprintf(err->text, sizeof(err->text), "%s", sentence);
        free(sentence);
    }
    trees_close(&tuning.trees);
    application_release(&app);
    scratch_remove(tuning.scratch);
    return status;
}
