#include "observe/in_app/in_app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/cli/settings.h"
#include "core/base.h"
#include "core/base/random.h"
#include "observe/observe.h"

static int in_app_run(struct in_app *app, size_t side, struct in_app_run *run,
                      struct error *err);

/* ---- app runs ---- */

/* One build, one run. */

static const double build_limit_s = 3600, check_limit_s = 600;
enum { output_bytes_max = 16 << 20 };

static void in_app_run_release(struct in_app_run *run)
{
    strvec_release(&run->facts);
    free(run->failure);
    free(run->flags);
    buf_release(&run->out);
    *run = (struct in_app_run){.seconds = run->seconds};
}

static int interrupted(struct error *err)
{
    return fail(err, STATUS_FAILED, "interrupted while the application was examined");
}

/* ---- build ---- */

/* The mark behind it. */
static int write_source(const struct in_app_side *side, const struct buf *text,
                        struct error *err)
{
    struct buf marked = {0};
    buf_add_n(&marked, buf_str(text), text->length);
    app_mark_text(side->mark, &marked);
    int status = project_write(side->source, &marked, err);
    buf_release(&marked);
    return status;
}

static int write_further(const struct in_app *app, struct error *err)
{
    int status = 0;
    for (size_t i = 0; i < app->further_nr && !status; i++) {
        char *path = path_join(app->side[1].root, app->further[i].path);
        status = project_write(path, app->further[i].text, err);
        free(path);
    }
    return status;
}

/* A build may end in another folder than it began in: cd build && cmake .. && make */
static int take_folder(struct in_app_side *side, const char *path, struct error *err)
{
    struct buf text = {0};
    if (file_read(path, &text, err))
        return -1;
    free(side->cwd);
    side->cwd = xstrndup(buf_str(&text), strcspn(buf_str(&text), "\n"));
    buf_release(&text);
    return 0;
}

static int in_app_build(struct in_app *app, size_t side, const struct buf *text,
                        char **failure, struct error *err)
{
    struct in_app_side *at = &app->side[side];
    struct spawn_outcome outcome;
    char *folder = xasprintf("%s-folder", at->mark);
    const char *const argv[] = {
        "sh", "-c", "eval \"$1\" && pwd -P >\"$2\"", "sh", app->build, folder, NULL};
    /* __DATE__ and __TIME__ of both, unless the user says what they are to be. */
    const char *const dates[] = {"SOURCE_DATE_EPOCH=946684800", NULL};
    const struct spawn_request request = {.argv = argv,
                                          .dir = at->cwd,
                                          .env_extra =
                                              getenv("SOURCE_DATE_EPOCH") ? NULL : dates,
                                          .timeout_s = build_limit_s,
                                          .account = ACCOUNT_COMPILING};
    *failure = NULL;
    int status = write_source(at, text, err);
    if (!status && side == 1)
        status = write_further(app, err);
    char *word = xstrndup(app->run, strcspn(app->run, " \t")),
         *program = program_aside(at->cwd, word);
    if (!status)
        status = spawn_run(&request, &outcome, err);
    program_back(program);
    free(word);
    if (!status) {
        *failure = shell_text_ending(&outcome, build_limit_s);
        status = outcome.end == SPAWN_INTERRUPTED ? interrupted(err) : 0;
        spawn_outcome_release(&outcome);
    }
    if (!status && !*failure)
        status = take_folder(at, folder, err);
    free(folder);
    return status;
}

/* ---- run ---- */

static int check_run(const struct in_app *app, size_t side, struct in_app_run *run,
                     struct error *err)
{
    struct spawn_outcome outcome;
    const char *text = app->settings->in_app_check;
    const char *const argv[] = {"sh", "-c", text, NULL};
    const struct spawn_request request = {
        .argv = argv, .dir = app->side[side].cwd, .timeout_s = check_limit_s};
    if (!text || run->failure)
        return 0;
    if (spawn_run(&request, &outcome, err))
        return -1;
    char *end = shell_text_ending(&outcome, check_limit_s);
    if (end)
        run->failure = xasprintf("the check '%s' fails after it: %s", text, end);
    int status = outcome.end == SPAWN_INTERRUPTED ? interrupted(err) : 0;
    free(end);
    spawn_outcome_release(&outcome);
    return status;
}

/* The longest thread's: what the program waits for. Without a sample in it, not known. */
static void take_samples(const struct in_app *app, size_t side,
                         const struct samples *samples, struct in_app_run *run)
{
    struct sample_routine routine = {.function = app->function,
                                     .file = app->side[side].source};
    struct sample_seconds in = samples_in_routine(samples, &routine);
    routine.file = NULL; /* where debug information was told other paths */
    if (in.samples == 0)
        in = samples_in_routine(samples, &routine);
    if (in.samples == 0)
        return;
    run->routine_s = in.busiest_s.value;
    double busy_s = fmin(run->seconds, samples->user_s + samples->system_s);
    run->routine_share = in.busiest_s.value / run->seconds;
    run->routine_busy_share = fmin(in.busiest_s.value / busy_s, 1);
    run->threads = in.threads;
    run->flags = app_flags(samples, app->project.file);
}

static int start(const struct in_app *app, size_t side,
                 const struct spawn_request *request, struct spawn_outcome *outcome,
                 struct in_app_run *run, struct error *err)
{
    const struct sample_options options = {.frequency_hz = app->frequency_hz};
    struct samples samples;
    if (app->frequency_hz <= 0) {
        if (spawn_run(request, outcome, err))
            return -1;
        run->seconds = outcome->wall_s;
        return 0;
    }
    int status = sample_run(request, &options, &samples, outcome, err);
    run->seconds = outcome->wall_s;
    if (!status)
        take_samples(app, side, &samples, run);
    samples_release(&samples);
    return status;
}

/* A run that is twice as slow is none that is waited for when the time is up. */
static double limit_now_s(const struct in_app *app)
{
    if (app->end_s <= 0 || app->output.runs == 0)
        return app->limit_s;
    return fmin(app->limit_s, fmax(app->end_s - clock_s(), 2 * app->output.seconds + 1));
}

/* The copies' names have the same length. */
static void name_like_first(const struct in_app *app, size_t side, struct buf *out)
{
    const char *name = app->side[side].root, *first = app->side[0].root;

    for (char *at = out->data; side && at && (at = strstr(at, name));)
        at = (char *)memcpy(at, first, strlen(first)) + strlen(first);
}

/* -1 only when nothing could be tried, or it was interrupted. */
static int in_app_run(struct in_app *app, size_t side, struct in_app_run *run,
                      struct error *err)
{
    const struct in_app_side *at = &app->side[side];
    struct spawn_outcome outcome;
    const char *const argv[] = {"sh", "-c", app->run, NULL};
    const struct spawn_request request = {.argv = argv,
                                          .dir = at->cwd,
                                          .env_extra = app->env[side],
                                          .timeout_s = limit_now_s(app),
                                          .output_limit = output_bytes_max};
    *run = (struct in_app_run){
        .routine_s = NAN, .routine_share = NAN, .routine_busy_share = NAN};
    if (app_mark_reset(at->mark, err) || start(app, side, &request, &outcome, run, err))
        return -1;
    run->failure = shell_text_ending(&outcome, app->limit_s);
    run->peak_kib = outcome.max_rss_kib;
    run->proven = app_mark_read(at->mark, &run->facts);
    buf_add_n(&run->out, buf_str(&outcome.out), outcome.out.length);
    name_like_first(app, side, &run->out);
    int status = outcome.end == SPAWN_INTERRUPTED ? interrupted(err) : 0;
    spawn_outcome_release(&outcome);
    return status || check_run(app, side, run, err) ? -1 : 0;
}

/* Why nothing is claimed: caller frees. */
static char *in_app_unproven(const struct in_app *app, size_t side)
{
    return xasprintf(
        "'%s' did not run what was built from the copy of '%s'%s: its build or the run "
        "uses paths of another place (an absolute path, a build folder elsewhere, an "
        "installed program), or the file is not part of it; use paths relative to '%s', "
        "and configure anew in the build command (cmake -B ... && cmake --build ...)",
        app->run, app->project.file, side ? " with the tuned code" : "", app->root);
}

/* ---- in app ---- */

/* For a program that runs for less: what a busy machine may add. */
static const double limit_min_s = 10;
static const double limit_times = 10; /* the first run as written */
/* Without --in-app-budget: seven pairs, within these bounds. */
static const double budget_min_s = 60, budget_max_s = 600, budget_runs = 14;
static const double first_limit_s = 300;
enum { settling_runs = 5 };
/* Of a run, where that takes no more of the machine than 1 %. */
static const double samples_wanted = 2000, frequency_max_hz = 4001;

int in_app_check(const struct settings *settings, struct error *err)
{
    char *build = NULL, *run = NULL;
    if (!settings->in_app) {
        const char *without = settings->in_app_check          ? "--in-app-check"
                              : settings->in_app_dir          ? "--in-app-dir"
                              : settings->in_app_budget_s > 0 ? "--in-app-budget"
                                                              : NULL;
        return without ? fail(err, STATUS_USAGE,
                              "%s is about --in-app 'BUILD && RUN', which was not given",
                              without)
                       : 0;
    }
    int status = shell_text_split(settings->in_app, &build, &run, err);
    free(build);
    free(run);
    return status;
}

/* ---- two copies ---- */

static int copy_side(struct in_app *app, size_t side, const struct project_list *list,
                     const char *scratch, struct error *err)
{
    static const char *const name[] = {"as-is", "tuned"}; /* equally long paths */
    struct in_app_side *at = &app->side[side];
    at->mark = xasprintf("%s/in-app-%s", scratch, name[side]);
    char *above = xasprintf("%s/app-%s", scratch, name[side]);
    at->root = path_join(above, path_base(app->project.root));
    at->source = path_join(at->root, app->project.file);
    at->cwd =
        *app->project.cwd ? path_join(at->root, app->project.cwd) : xstrdup(at->root);
    free(above);
    return project_copy(&app->project, list, at->root, err) || dir_make_all(at->cwd, err);
}

static int copy_both(struct in_app *app, const char *scratch, struct error *err)
{
    struct project_list list = {0};
    int status = project_list_make(&app->project, scratch, &list, err);
    if (!status)
        status = project_check_room(&app->project, &list, scratch, 2, err);
    for (size_t i = 0; i < 2 && !status; i++)
        status = copy_side(app, i, &list, scratch, err);
    app->left_out = list.build;
    list.build = NULL;
    project_list_release(&list);
    return status ? -1 : 0;
}

/* ---- as it is, before the search ---- */

static int first_failure(const struct in_app *app, const char *what, const char *text,
                         struct error *err)
{
    char *hint = app->left_out
                     ? xasprintf(" (the build folder '%s' is not copied, since it names "
                                 "the old place: configure in the build command, too, as "
                                 "by cmake -B %s)",
                                 app->left_out, app->left_out)
                     : NULL;
    fail(err, STATUS_FAILED, "--in-app: %s in a copy of '%s': %s%s; nothing was tuned",
         what, app->root, text, hint ? hint : "");
    free(hint);
    return -1;
}

static int run_first(struct in_app *app, struct error *err)
{
    struct in_app_run run = {0};
    bool given = app->settings->in_app_budget_s > 0;
    app->limit_s = given ? 3 * app->settings->in_app_budget_s : first_limit_s;
    progress_say(&app->progress[0], "running the application as it is");
    int status = in_app_run(app, 0, &run, err);
    if (!status && run.failure)
        status = first_failure(app, "the application fails as it is", run.failure, err);
    if (!status && !run.proven) {
        char *text = in_app_unproven(app, 0);
        status = fail(err, STATUS_FAILED, "--in-app: %s; nothing was tuned", text);
        free(text);
    }
    app->limit_s = fmax(limit_min_s, limit_times * run.seconds);
    app->budget_s =
        given ? app->settings->in_app_budget_s
              : fmin(fmax(budget_runs * run.seconds, budget_min_s), budget_max_s);
    if (app->frequency_hz > 0)
        app->frequency_hz = fmin(fmax(samples_wanted / run.seconds, SAMPLE_FREQUENCY_HZ),
                                 frequency_max_hz);
    app->output.known = app->run;
    app->output.tolerance = fmax(app->settings->tolerance, 0);
    app_output_add(&app->output, buf_str(&run.out), run.seconds);
    app->first = (struct in_app_pair){{run.seconds, NAN},
                                      {run.routine_s, NAN},
                                      run.routine_share,
                                      run.routine_busy_share};
    app->first_end_s = clock_s();
    in_app_run_release(&run);
    return status;
}

static int build_first(struct in_app *app, struct error *err)
{
    struct buf text = {0};
    char *failure = NULL;
    progress_say(app->progress, "building the application as it is, in a copy");
    int status = file_read(app->side[0].source, &text, err);
    if (!status)
        status = in_app_build(app, 0, &text, &failure, err);
    if (!status && failure)
        status =
            first_failure(app, "the application does not build as it is", failure, err);
    free(failure);
    buf_release(&text);
    return status;
}

/* Whose project is known. */
static int prepare(struct in_app *app, const char *scratch, struct error *err)
{
    struct error why = {0};
    int status = shell_text_split(app->settings->in_app, &app->build, &app->run, err);
    app->random = (uint64_t)getpid() * 2654435761u;
    app->frequency_hz = app->function && !sample_possible(&why) ? SAMPLE_FREQUENCY_HZ : 0;
    if (app->frequency_hz <= 0)
        app->unsampled = xstrdup(
            app->function ? why.text : "it is not a separate function in both versions");
    if (!status) {
        progress_say(app->progress, "copying '%s' twice", app->root);
        status = copy_both(app, scratch, err);
    }
    if (!status)
        status = build_first(app, err);
    return status ? -1 : run_first(app, err);
}

int in_app_prepare(struct in_app *app, const struct settings *settings,
                   struct progress *progress, const char *scratch, const char *function,
                   struct error *err)
{
    *app = (struct in_app){.settings = settings, .progress = progress};
    if (!settings->in_app)
        return 0;
    app->function = xstrdup(function);
    if (project_find(settings->file, settings->in_app_dir, &app->project, err))
        return -1;
    app->root = app->project.root;
    return prepare(app, scratch, err);
}

int in_app_prepare_in(struct in_app *app, const struct settings *settings,
                      struct progress *progress, const char *scratch,
                      const struct project *project, const char *root,
                      const char *function, struct error *err)
{
    *app = (struct in_app){.settings = settings,
                           .progress = progress,
                           .root = root,
                           .project = {xstrdup(project->root), xstrdup(project->file),
                                       xstrdup(project->cwd)},
                           .function = xstrdup(function)};
    return prepare(app, scratch, err);
}

void in_app_release(struct in_app *app)
{
    for (size_t i = 0; i < 2; i++) {
        free(app->side[i].root);
        free(app->side[i].source);
        free(app->side[i].mark);
        free(app->side[i].cwd);
    }
    project_release(&app->project);
    app_output_release(&app->output);
    free(app->left_out);
    free(app->build);
    free(app->run);
    free(app->function);
    free(app->unsampled);
    *app = (struct in_app){0};
}

/* ---- both ---- */

static void end_with(struct in_app_result *result, enum in_app_end end, char *sentence)
{
    result->end = end;
    free(result->sentence);
    result->sentence = sentence;
}

/* False when that is the end. */
static bool accept_run(const struct in_app *app, size_t side,
                       const struct in_app_run *run, struct in_app_result *result)
{
    if (run->failure)
        end_with(result, IN_APP_FAILED,
                 xasprintf("the application %s: %s; no gain is claimed",
                           side ? "with the tuned code fails" : "as written failed later",
                           run->failure));
    else if (!run->proven)
        end_with(result, IN_APP_UNPROVEN, in_app_unproven(app, side));
    return !result->sentence;
}

static void note_output(struct in_app *app, struct in_app_result *result)
{
    struct app_output_state state = app_output_state(&app->output);
    struct buf out = {0};

    free(result->output);
    result->output = NULL;
    result->shown = state;
    if (!state.differs)
        return;
    buf_addf(&out, "the outputs of the two differ in %zu line%s", state.differs,
             state.differs == 1 ? "" : "s");
    if (state.varies)
        buf_addf(&out,
                 ", besides %zu that var%s from run to run of the program as written",
                 state.varies, state.varies == 1 ? "ies" : "y");
    if (state.digits >= APP_OUTPUT_ROUNDED)
        buf_addf(&out,
                 "; their numbers agree to %d digits, which --tolerance 1e-%d permits",
                 state.digits, state.digits);
    result->output = buf_detach(&out);
}

struct pairing {
    struct in_app *app;
    struct in_app_result *result;
};

static int run_side(struct pairing *pairing, size_t side, struct in_app_pair *pair,
                    bool *good, struct error *err)
{
    struct in_app_run run = {0};
    struct in_app *app = pairing->app;
    if (in_app_run(app, side, &run, err)) {
        in_app_run_release(&run);
        return -1;
    }
    *good = accept_run(app, side, &run, pairing->result);
    pair->program_s[side] = run.seconds;
    pair->routine_s[side] = run.routine_s;
    if (side == 0) {
        pair->share = run.routine_share;
        pair->busy_share = run.routine_busy_share;
    }
    if (*good && side == 0)
        app_output_add(&app->output, buf_str(&run.out), run.seconds);
    if (*good && side == 1)
        app_output_add_other(&app->output, buf_str(&run.out), run.seconds);
    if (run.peak_kib > pairing->result->peak_kib[side])
        pairing->result->peak_kib[side] = run.peak_kib;
    if (run.threads > pairing->result->threads)
        pairing->result->threads = run.threads;
    if (side == 1 && !pairing->result->flags && run.flags)
        pairing->result->flags = xstrdup(run.flags);
    struct strvec *facts = &pairing->result->facts[side];
    if (!facts->nr)
        strvec_push_all(facts, &run.facts);
    in_app_run_release(&run);
    return 0;
}

static int run_pair(struct pairing *pairing, bool *good, struct error *err)
{
    struct in_app_pair pair = {{NAN, NAN}, {NAN, NAN}, NAN, NAN};
    size_t first = random_next(&pairing->app->random) >> 63;
    for (size_t i = 0; i < 2 && *good; i++)
        if (run_side(pairing, i ? 1 - first : first, &pair, good, err))
            return -1;
    if (*good)
        in_app_add_pair(pairing->result, &pair);
    return 0;
}

/* The first run of each has cold files. They are a pair where that is nothing beside
 * their time and they were in turn: no search in between, and no other setting. */
static int warm_up(struct pairing *pairing, bool *good, struct error *err)
{
    struct in_app *app = pairing->app;
    struct in_app_pair pair = app->first;
    bool counts = pair.program_s[0] >= IN_APP_LONG_S &&
                  (!app->env[0] || !app->env[0][0]) &&
                  clock_s() - app->first_end_s <= pair.program_s[0];
    progress_say(app->progress, "running the application with the tuned code");
    int status = run_side(pairing, 1, &pair, good, err);
    if (!status && *good && counts)
        in_app_add_pair(pairing->result, &pair);
    return status;
}

/* Another pair would be over in time. */
static bool has_time(const struct in_app *app)
{
    return app->end_s <= 0 || clock_s() + 2 * app->output.seconds <= app->end_s;
}

/* The fewest pairs that give an interval may take three times as long. */
static bool goes_on(const struct in_app *app, const struct in_app_result *result,
                    double begin_s)
{
    double gone_s = clock_s() - begin_s, budget = app->budget_s;
    if ((app->pairs_max && result->pair_nr >= app->pairs_max) || !has_time(app))
        return false;
    return gone_s < (result->pair_nr < IN_APP_PAIRS_MIN ? 3 * budget : budget) &&
           !in_app_is_enough(result);
}

/* What the two print otherwise may be what varies anyhow: more runs of the program as
 * written tell. */
static int settle_output(struct pairing *pairing, bool *good, struct error *err)
{
    struct in_app *app = pairing->app;
    struct in_app_pair ignored;
    int status = 0;

    for (int i = 0; i < settling_runs && !status && *good && has_time(app) &&
                    app_output_state(&app->output).differs;
         i++)
        status = run_side(pairing, 0, &ignored, good, err);
    return status;
}

static int run_pairs(struct pairing *pairing, struct error *err)
{
    struct in_app *app = pairing->app;
    bool good = true;
    double begin_s = clock_s();
    int status = warm_up(pairing, &good, err);
    while (!status && good && goes_on(app, pairing->result, begin_s)) {
        size_t nr = pairing->result->pair_nr;
        progress_say(app->progress, "running the application, pair %zu", nr + 1);
        status = run_pair(pairing, &good, err);
        in_app_judge(pairing->result);
    }
    if (!status)
        status = settle_output(pairing, &good, err);
    note_output(app, pairing->result);
    return status;
}

/* Why the routine's gain is not known. */
static void note_routine(const struct in_app *app, struct in_app_result *result)
{
    if (result->routine.known || result->unsampled || !result->pair_nr)
        return;
    result->unsampled = xasprintf(
        "no sample fell into '%s': the program runs too short, or has neither symbols "
        "nor debug information (build with -g and without -s)",
        app->function);
}

static int build_tuned(struct in_app *app, const struct buf *tuned,
                       struct in_app_result *result, struct error *err)
{
    char *failure = NULL;
    progress_say(app->progress, "building the application with the tuned code");
    int status = in_app_build(app, 1, tuned, &failure, err);
    if (!status && failure)
        end_with(result, IN_APP_FAILED,
                 xasprintf("the application does not build with the tuned code: %s; no "
                           "gain is claimed",
                           failure));
    free(failure);
    return status;
}

int in_app_confirm(struct in_app *app, const struct buf *tuned,
                   struct in_app_result *result, struct error *err)
{
    struct pairing pairing = {.app = app, .result = result};
    *result = (struct in_app_result){.end = IN_APP_MEASURED,
                                     .build = xstrdup(app->build),
                                     .run = xstrdup(app->run),
                                     .root = xstrdup(app->root),
                                     .date = date_now(),
                                     .unsampled = xstrdup(app->unsampled)};
    in_app_judge(result);
    app_output_forget_other(&app->output);
    int status = build_tuned(app, tuned, result, err);
    if (!status && !result->sentence)
        status = run_pairs(&pairing, err);
    if (status && spawn_interrupted() && result->pair_nr == 0)
        end_with(result, IN_APP_INTERRUPTED,
                 xstrdup("interrupted before a pair of runs "
                         "was complete"));
    note_routine(app, result);
    if (!status && !result->sentence && result->pair_nr < IN_APP_PAIRS_MIN)
        result->sentence = xasprintf(
            "%zu pair%s of runs in %.3g s: three at least are needed for an interval; "
            "give %s more time",
            result->pair_nr, result->pair_nr == 1 ? "" : "s", app->budget_s,
            app->settings->program.nr ? "--budget" : "--in-app-budget");
    return status;
}
