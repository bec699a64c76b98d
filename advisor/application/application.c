#define _XOPEN_SOURCE 700 /* realpath */
#include "advisor/application/application.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/application/trees.h"
#include "advisor/cli/cli.h"
#include "advisor/session/emitted.h"
#include "core/base.h"
#include "observe/in_app/in_app.h"

/* Of the hot loops, where --top is not given: what is further down is seldom worth the
 * minutes that each takes. */
enum { top_default = 3 };
/* Of what is left for a loop: for the search; the rest is for runs of the program. */
static const double search_share = 0.6;
/* A report with all its variants. */
enum { report_bytes_max = 256 << 20 };
static const double step_limit_s = 6 * 3600;

struct tuning {
    struct application *app;
    const struct settings *settings;
    struct progress *progress;
    char *scratch;
    struct trees trees;
    double end_s; /* of clock_s(); 0 = no budget */
};

static void loop_end(struct application_loop *loop, enum loop_end end, char *why)
{
    free(loop->why);
    loop->end = end;
    loop->why = why;
}

/* Files of the trees under the names that they have in the project. Caller frees. */
static char *in_project(const struct trees *trees, const char *sentence)
{
    struct buf out = {0};

    while (*sentence) {
        size_t skipped = 0;

        for (int tree = 0; tree < TREE_NR && !skipped; tree++) {
            const char *root = trees->tree[tree].root;

            if (text_begins(sentence, root) && sentence[strlen(root)] == '/')
                skipped = strlen(root) + 1;
        }
        if (!skipped)
            buf_add_n(&out, sentence, 1);
        sentence += skipped ? skipped : 1;
    }
    return buf_detach(&out);
}

/* ---- steps, by our own commands ---- */

/* What a command said last: its failure. Caller frees. */
static char *said(const struct spawn_outcome *outcome)
{
    const char *text = buf_str(&outcome->err), *line = text, *colon;
    size_t length = strlen(text);

    while (length > 0 && text[length - 1] == '\n')
        length--;
    for (size_t i = 0; i + 1 < length; i++)
        if (text[i] == '\n')
            line = text + i + 1;
    colon = strncmp(line, "inflight: ", 10) ? line : line + 10;
    if (colon < text + length)
        return xstrndup(colon, (size_t)(text + length - colon));
    char *phrase = spawn_end_phrase(outcome->end, outcome->code);
    char *sentence = xasprintf("it %s", phrase ? phrase : "was stopped");
    free(phrase);
    return sentence;
}

/* 0 with *why NULL when it went well; -1 only where nothing could be tried, or
 * interrupted. */
static int step(const struct tuning *tuning, const struct strvec *words, struct buf *out,
                char **why, struct error *err)
{
    struct spawn_outcome outcome;
    const struct spawn_request request = {.argv = (const char *const *)words->v,
                                          .dir = tuning->trees.tree[TREE_PREPARED].cwd,
                                          .timeout_s = step_limit_s,
                                          .output_limit = report_bytes_max};
    *why = NULL;
    if (spawn_run(&request, &outcome, err))
        return -1;
    if (outcome.end != SPAWN_EXITED || outcome.code) {
        char *sentence = said(&outcome);

        *why = in_project(&tuning->trees, sentence);
        free(sentence);
    }
    buf_add_n(out, buf_str(&outcome.out), outcome.out.length);
    spawn_outcome_release(&outcome);
    return spawn_interrupted() ? fail(err, STATUS_FAILED, "interrupted") : 0;
}

static void begin_step(const struct tuning *tuning, const char *command,
                       const char *source, const struct application_loop *loop,
                       struct strvec *words)
{
    char *dir = program_dir();

    strvec_pushf(words, "%sinflight", dir);
    strvec_push(words, command);
    strvec_push(words, source);
    strvec_push(words, "--function");
    strvec_push(words, loop->function);
    trees_add_flags(&tuning->trees, words);
    free(dir);
}

static int capture(const struct tuning *tuning, struct application_loop *loop,
                   const char *source, const char *inputs, struct error *err)
{
    struct strvec words = {0};
    struct buf out = {0};
    char *why = NULL;

    progress_say(tuning->progress, "taking the inputs of %s", loop->function);
    begin_step(tuning, "capture", source, loop, &words);
    strvec_push(&words, "--stop");
    strvec_push(&words, "-o");
    strvec_push(&words, inputs);
    strvec_push(&words, "--");
    strvec_push_all(&words, &tuning->trees.argv);
    int status = step(tuning, &words, &out, &why, err);
    if (why)
        loop_end(loop, LOOP_FAILED, xasprintf("its inputs cannot be taken: %s", why));
    free(why);
    buf_release(&out);
    strvec_release(&words);
    return status;
}

/* Of this loop, for the search or for all; 0 = no budget. */
static double loop_budget_s(const struct tuning *tuning, size_t loops_left, double share)
{
    if (tuning->end_s <= 0)
        return 0;
    return fmax((tuning->end_s - clock_s()) / (double)loops_left * share, 1);
}

static int read_report(struct application_loop *loop, const char *text, struct error *err)
{
    json_t *document = NULL;
    struct json_at top, best;
    const char *plan = "", *stop = "";

    if (json_read_text(text, "the report of inflight tune", "inflight.report/1",
                       &document, err))
        return -1;
    top = json_top("the report of inflight tune", document);
    if (json_has(&top, "best")) {
        if (json_object_at(&top, "best", &best, err) == 0 && json_has(&best, "plan"))
            json_string_at(&best, "plan", &plan, err);
        if (json_has(&top, "emitted_gain"))
            json_quantity_at(&top, "emitted_gain", &loop->alone, err);
    }
    if (*plan)
        loop->plan = xstrdup(plan);
    else
        loop_end(
            loop, LOOP_NOTHING,
            xasprintf("no plan was faster beyond the noise; the search ended because "
                      "%s",
                      json_has(&top, "stop") && !json_string_at(&top, "stop", &stop, err)
                          ? stop
                          : "it was done"));
    json_decref(document);
    return 0;
}

/* Of the settings, what `tune FILE` takes as well. */
static void add_search_options(const struct tuning *tuning, double budget_s,
                               struct strvec *words)
{
    const struct settings *settings = tuning->settings;

    if (budget_s > 0)
        strvec_pushf(words, "--budget=%.0fs", budget_s);
    else if (settings->quick || settings->thorough)
        strvec_push(words, settings->quick ? "--quick" : "--thorough");
    if (settings->machine)
        strvec_pushf(words, "--machine=%s", settings->machine);
    if (settings->reassociate)
        strvec_push(words, "--reassociate");
    if (settings->cores > 0)
        strvec_pushf(words, "--cores=%lld", settings->cores);
    for (size_t i = 0; i < settings->rules.nr; i++)
        strvec_pushf(words, "--rules=%s", settings->rules.v[i]);
}

static int search(const struct tuning *tuning, struct application_loop *loop,
                  const char *source, const char *inputs, double budget_s,
                  const char *written, struct error *err)
{
    struct strvec words = {0};
    struct buf out = {0};
    char *why = NULL;

    progress_say(tuning->progress, "tuning %s", loop->function);
    begin_step(tuning, "tune", source, loop, &words);
    add_search_options(tuning, budget_s, &words);
    trees_add_compiler(&tuning->trees, loop->file, &words);
    strvec_push(&words, "--inputs");
    strvec_push(&words, inputs);
    strvec_pushf(&words, "--database=%s/sessions.db", tuning->scratch);
    strvec_push(&words, "--json");
    strvec_push(&words, "-o");
    strvec_push(&words, written);
    int status = step(tuning, &words, &out, &why, err);
    if (why)
        loop_end(loop, LOOP_FAILED, xasprintf("it was not tuned: %s", why));
    else if (!status)
        status = read_report(loop, buf_str(&out), err);
    free(why);
    buf_release(&out);
    strvec_release(&words);
    return status;
}

/* ---- in the program ---- */

static void keep_file(struct application *app, const char *path, const struct buf *text)
{
    struct application_file *file = NULL;

    for (size_t i = 0; i < app->file_nr; i++)
        if (!strcmp(app->file[i].path, path))
            file = &app->file[i];
    if (!file) {
        GROW(app->file, app->file_nr + 1, app->file_alloc);
        file = &app->file[app->file_nr++];
        *file = (struct application_file){.path = xstrdup(path)};
    }
    buf_reset(&file->text);
    buf_add_n(&file->text, buf_str(text), text->length);
}

static char *build_and_run(const struct application *app)
{
    return xasprintf("%s && %s", app->build, app->command);
}

/* A tree against itself with `file` as `text` and those `further` on top. */
static int compare(const struct tuning *tuning, enum tree tree, const char *file,
                   const struct buf *text, const struct in_app_file *further,
                   size_t further_nr, double budget_s, const char *function,
                   struct in_app_result *result, struct error *err)
{
    struct settings settings = *tuning->settings;
    char *in_app = build_and_run(tuning->app), *below = NULL;
    struct project project = {tuning->trees.tree[tree].root, (char *)file,
                              (char *)tuning->trees.project.cwd};
    struct in_app app = {0};

    below = xasprintf("%s/confirm", tuning->scratch);
    settings.in_app = in_app;
    if (budget_s > 0)
        settings.in_app_budget_s = budget_s;
    int status = dir_make_all(below, err);
    if (!status)
        status = in_app_prepare_in(&app, &settings, tuning->progress, below, &project,
                                   function, err);
    app.further = further;
    app.further_nr = further_nr;
    if (!status)
        status = in_app_confirm(&app, text, result, err);
    in_app_release(&app);
    dir_remove_all(below);
    free(below);
    free(in_app);
    return status;
}

static bool gains(const struct in_app_result *result)
{
    return result->end == IN_APP_MEASURED && !result->sentence && !result->output &&
           in_app_claim_of(result->program) == IN_APP_FASTER;
}

/* Why what was tried is not kept. Caller frees. */
static char *no_gain(const struct in_app_result *result)
{
    if (result->sentence)
        return xstrdup(result->sentence);
    if (result->output)
        return xasprintf("%s: what the program prints is not what it printed before",
                         result->output);
    char *phrase = in_app_gain_phrase(result->program),
         *sentence = xasprintf("the program as a whole: %s", phrase);
    free(phrase);
    return sentence;
}

static int confirm(const struct tuning *tuning, struct application_loop *loop,
                   const struct buf *text, double budget_s, struct error *err)
{
    bool same_name = !strcmp(loop->function, loop->row->routine->name);
    struct error why = {0};

    if (compare(tuning, TREE_CURRENT, loop->file, text, NULL, 0, budget_s,
                same_name ? loop->function : NULL, &loop->in_app, &why)) {
        if (spawn_interrupted())
            return fail_as(err, &why);
        loop_end(loop, LOOP_UNCONFIRMED, in_project(&tuning->trees, why.text));
        return 0; /* what other loops gained is not lost */
    }
    if (!gains(&loop->in_app)) {
        loop_end(loop, LOOP_UNCONFIRMED, no_gain(&loop->in_app));
        return 0;
    }
    loop_end(loop, LOOP_CONFIRMED, NULL);
    keep_file(tuning->app, loop->file, text);
    return trees_write(&tuning->trees, TREE_CURRENT, loop->file, text, err);
}

/* ---- a loop ---- */

/* Ready, or refused with the reason. The prepared tree is built with what is to be
 * captured. */
static int make_ready(struct tuning *tuning, struct application_loop *loop,
                      struct error *err)
{
    struct error why = {0};

    if (trees_prepare(&tuning->trees, loop, &why) == 0) {
        loop_end(loop, LOOP_READY, NULL);
        return 0;
    }
    if (spawn_interrupted())
        return fail_as(err, &why);
    loop_end(loop, LOOP_REFUSED, in_project(&tuning->trees, why.text));
    return 0;
}

static int tune_ready(struct tuning *tuning, struct application_loop *loop,
                      size_t loops_left, struct error *err)
{
    char *source = path_join(tuning->trees.tree[TREE_PREPARED].root, loop->file),
         *inputs = xasprintf("%s/%s.inputs", tuning->scratch, loop->function),
         *written = xasprintf("%s/tuned%s", tuning->scratch, strrchr(loop->file, '.'));
    double search_s = loop_budget_s(tuning, loops_left, search_share);
    struct buf text = {0};

    int status = capture(tuning, loop, source, inputs, err);
    if (!status && loop->end == LOOP_READY)
        status = search(tuning, loop, source, inputs, search_s, written, err);
    if (!status && loop->end == LOOP_READY)
        status = trees_tuned_text(loop, written, &text, err);
    if (!status && loop->end == LOOP_READY)
        status = confirm(tuning, loop, &text, loop_budget_s(tuning, loops_left, 1), err);
    unlink(inputs);
    unlink(written);
    buf_release(&text);
    free(source);
    free(inputs);
    free(written);
    return status;
}

static int write_patch(const struct tuning *tuning, struct error *err);

static int tune_loops(struct tuning *tuning, struct error *err)
{
    struct application *app = tuning->app;
    int status = 0;

    for (size_t i = 0; i < app->loop_nr && !status; i++) {
        struct application_loop *loop = &app->loop[i];

        status = make_ready(tuning, loop, err);
        if (!status && loop->end == LOOP_READY && !tuning->settings->dry_run)
            status = tune_ready(tuning, loop, app->loop_nr - i, err);
        if (!status && loop->end == LOOP_CONFIRMED)
            status = write_patch(tuning, err);
    }
    return status;
}

/* ---- all together ---- */

static int read_original(const struct tuning *tuning, const char *path, struct buf *text,
                         struct error *err)
{
    char *file = path_join(tuning->trees.tree[TREE_ORIGINAL].root, path);
    int status = file_read(file, text, err);

    free(file);
    return status;
}

static void about(const struct application *app, struct buf *out)
{
    buf_addf(out, "Written by inflight %s for: %s\n", INFLIGHT_VERSION, app->command);
    for (size_t i = 0; i < app->loop_nr; i++)
        if (app->loop[i].end == LOOP_CONFIRMED) {
            char *phrase = in_app_gain_phrase(app->loop[i].in_app.program);

            buf_addf(out, "%s, %s: plan %s; the program %s\n", app->loop[i].file,
                     app->loop[i].function, app->loop[i].plan, phrase);
            free(phrase);
        }
}

/* Again after each loop that is confirmed: what an interrupt leaves is whole. */
static int write_patch(const struct tuning *tuning, struct error *err)
{
    const struct application *app = tuning->app;
    struct buf out = {0}, facts = {0};
    int status = 0;

    about(app, &facts);
    for (size_t i = 0; i < app->file_nr && !status; i++) {
        struct buf old = {0};

        status = read_original(tuning, app->file[i].path, &old, err);
        if (!status)
            patch_text(app->file[i].path, buf_str(&old), buf_str(&app->file[i].text),
                       i == 0 ? buf_str(&facts) : "", &out);
        buf_release(&old);
    }
    if (!status)
        status = file_write(app->output, buf_str(&out), out.length, err);
    buf_release(&out);
    buf_release(&facts);
    return status;
}

/* One loop alone was measured against the program as written. */
static int confirm_all(const struct tuning *tuning, struct error *err)
{
    struct application *app = tuning->app;
    struct in_app_file *further;
    const struct application_loop *only = NULL;
    size_t nr = 0;

    for (size_t i = 0; i < app->loop_nr; i++)
        if (app->loop[i].end == LOOP_CONFIRMED) {
            only = &app->loop[i];
            nr++;
        }
    if (nr < 2) {
        app->whole.end = only ? IN_APP_MEASURED : IN_APP_NO_WINNER;
        app->whole.program = only ? only->in_app.program : quantity_unknown();
        for (int side = 0; side < 2; side++)
            app->whole.program_s[side] =
                only ? only->in_app.program_s[side] : quantity_unknown();
        return 0;
    }
    progress_say(tuning->progress, "confirming all loops together");
    further = xcalloc(app->file_nr, sizeof(*further));
    for (size_t i = 1; i < app->file_nr; i++)
        further[i - 1] = (struct in_app_file){app->file[i].path, &app->file[i].text};
    int status =
        compare(tuning, TREE_ORIGINAL, app->file[0].path, &app->file[0].text, further,
                app->file_nr - 1, loop_budget_s(tuning, 1, 1), NULL, &app->whole, err);
    free(further);
    return status;
}

/* ---- from the program to its loops ---- */

static int sample(struct tuning *tuning, struct error *err)
{
    const struct settings *settings = tuning->settings;
    const struct tree_place *tree = &tuning->trees.tree[TREE_ORIGINAL];
    struct spawn_request request = {.argv = (const char *const *)tuning->trees.argv.v,
                                    .dir = tree->cwd,
                                    .timeout_s = step_limit_s};
    struct sample_options options = {.frequency_hz = settings->frequency > 0
                                                         ? (double)settings->frequency
                                                         : SAMPLE_FREQUENCY_HZ,
                                     .misses = true};
    struct spawn_outcome outcome;

    progress_say(tuning->progress, "running %s, to see where its time goes",
                 tuning->app->command);
    if (sample_run(&request, &options, &tuning->app->app.samples, &outcome, err))
        return -1;
    char *end = spawn_end_phrase(outcome.end, outcome.code),
         *complaint = shell_text_complaint(buf_str(&outcome.out), buf_str(&outcome.err));
    int status = 0;
    if (spawn_interrupted())
        status = fail(err, STATUS_FAILED, "interrupted before anything was known");
    else if (end || outcome.end != SPAWN_EXITED)
        status = fail(err, STATUS_FAILED, "%s, in a copy of the project: it %s%s%s",
                      tuning->app->command, end ? end : "did not end",
                      complaint ? ": " : "", complaint ? complaint : "");
    free(complaint);
    free(end);
    spawn_outcome_release(&outcome);
    return status;
}

static void take_loop(struct tuning *tuning, const struct app_row *row)
{
    struct application *app = tuning->app;
    struct application_loop *loop = &app->loop[app->loop_nr++];
    const char *file = row->source ? trees_file(&tuning->trees, row->source) : NULL;

    *loop = (struct application_loop){.row = row,
                                      .file = xstrdup(file),
                                      .line = row->line,
                                      .function = xstrdup(row->routine->name),
                                      .alone = quantity_unknown()};
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
    return 0;
}

static int prepare(struct tuning *tuning, struct error *err)
{
    struct application *app = tuning->app;

    if (scratch_make(&tuning->scratch, err) ||
        trees_open(&tuning->trees, tuning->settings, tuning->scratch, tuning->progress,
                   err))
        return -1;
    struct buf command = {0};
    buf_add_shell_words(&command, (const char *const *)tuning->trees.argv.v);
    app->command = buf_detach(&command);
    app->root = xstrdup(tuning->trees.project.root);
    app->build = xstrdup(tuning->trees.build);
    app->build_is_guessed = tuning->trees.build_is_guessed;
    return file_check_writable(app->output, err);
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
                  {settings->save, "--save"},
                  {settings->audit, "--audit"},
                  {settings->confirm, "--confirm"},
                  {settings->patch, "--patch (it always writes one)"}};

    for (size_t i = 0; i < ARRAY_SIZE(option); i++)
        if (option[i].given)
            return fail(err, STATUS_USAGE,
                        "%s does not go with a program behind '--'; try 'inflight tune "
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
        free(loop->function);
        free(loop->prepared);
        outlined_release(&loop->outlined);
        free(loop->why);
        free(loop->plan);
        in_app_result_release(&loop->in_app);
    }
    for (size_t i = 0; i < app->file_nr; i++) {
        free(app->file[i].path);
        buf_release(&app->file[i].text);
    }
    in_app_result_release(&app->whole);
    app_release(&app->app);
    free(app->loop);
    free(app->file);
    free(app->command);
    free(app->root);
    free(app->build);
    free(app->output);
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

/* What was confirmed by then is told, and stands in the patch. */
static int note_interrupt(struct application *app, int status, struct error *err)
{
    if (!status || !spawn_interrupted() || !app->loop_nr)
        return status;
    app->interrupted = true;
    *err = (struct error){0};
    return 0;
}

static int work(struct tuning *tuning, struct error *err)
{
    struct application *app = tuning->app;
    int status = prepare(tuning, err);

    if (!status)
        status = trees_build(&tuning->trees, err);
    if (!status)
        status = sample(tuning, err);
    if (!status)
        status = find_loops(tuning, err);
    if (!status)
        status = tune_loops(tuning, err);
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
    if (settings->budget_s > 0)
        tuning.end_s = clock_s() + settings->budget_s;
    app.output = settings->output
                     ? xstrdup(settings->output)
                     : xasprintf("%s.patch", path_base(settings->program.v[0]));
    app.whole.program = quantity_unknown();
    int status = work(&tuning, err);
    trees_close(&tuning.trees);
    application_release(&app);
    scratch_remove(tuning.scratch);
    return status;
}
