/* One build, one run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "observe/in_app/in_app.h"

static const double build_limit_s = 3600, check_limit_s = 600;
enum { output_bytes_max = 16 << 20 };

void in_app_run_release(struct in_app_run *run)
{
    strvec_release(&run->facts);
    free(run->failure);
    free(run->flags);
    buf_release(&run->out);
    *run = (struct in_app_run){.seconds = run->seconds};
}

/* ---- how it ended ---- */

/* "ended with status 2: main.c:3: error: ..."; NULL = well. Caller frees. */
static char *ending(const struct spawn_outcome *outcome, double limit_s)
{
    char *complaint =
        shell_text_complaint(buf_str(&outcome->out), buf_str(&outcome->err));
    const char *said = complaint ? complaint : "it printed nothing";
    char *phrase = spawn_end_phrase(outcome->end, outcome->code), *text = NULL;
    if (outcome->end == SPAWN_TIMED_OUT)
        text = xasprintf("it had not ended after %.3g s and was stopped", limit_s);
    else if (phrase && outcome->end == SPAWN_EXITED)
        text = xasprintf("it %s: %s", phrase, said);
    else if (phrase)
        text = xasprintf("it %s", phrase);
    free(phrase);
    free(complaint);
    return text;
}

static int interrupted(struct error *err)
{
    return fail(err, STATUS_FAILED, "interrupted while the application was looked at");
}

/* ---- build ---- */

/* The mark behind it; a new file, so that no link leads back to the user's, and newer
 * than what was built from the old one. */
static int write_source(const struct in_app_side *side, const struct buf *text,
                        struct error *err)
{
    struct buf marked = {0};
    buf_add_n(&marked, buf_str(text), text->length);
    app_mark_text(side->mark, &marked);
    unlink(side->source);
    int status = file_write(side->source, buf_str(&marked), marked.length, err);
    buf_release(&marked);
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

int in_app_build(struct in_app *app, size_t side, const struct buf *text, char **failure,
                 struct error *err)
{
    struct in_app_side *at = &app->side[side];
    struct spawn_outcome outcome;
    char *folder = xasprintf("%s-folder", at->mark);
    const char *const argv[] = {
        "sh", "-c", "eval \"$1\" && pwd -P >\"$2\"", "sh", app->build, folder, NULL};
    const struct spawn_request request = {
        .argv = argv, .dir = at->cwd, .timeout_s = build_limit_s};
    *failure = NULL;
    int status = write_source(at, text, err);
    if (!status)
        status = spawn_run(&request, &outcome, err);
    if (!status) {
        *failure = ending(&outcome, build_limit_s);
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
    char *end = ending(&outcome, check_limit_s);
    if (end)
        run->failure = xasprintf("the check '%s' fails behind it: %s", text, end);
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

int in_app_run(struct in_app *app, size_t side, struct in_app_run *run, struct error *err)
{
    const struct in_app_side *at = &app->side[side];
    struct spawn_outcome outcome;
    const char *const argv[] = {"sh", "-c", app->run, NULL};
    const struct spawn_request request = {.argv = argv,
                                          .dir = at->cwd,
                                          .timeout_s = app->limit_s,
                                          .output_limit = output_bytes_max};
    *run = (struct in_app_run){
        .routine_s = NAN, .routine_share = NAN, .routine_busy_share = NAN};
    if (app_mark_reset(at->mark, err) || start(app, side, &request, &outcome, run, err))
        return -1;
    run->failure = ending(&outcome, app->limit_s);
    run->proven = app_mark_read(at->mark, &run->facts);
    buf_add_n(&run->out, buf_str(&outcome.out), outcome.out.length);
    int status = outcome.end == SPAWN_INTERRUPTED ? interrupted(err) : 0;
    spawn_outcome_release(&outcome);
    return status || check_run(app, side, run, err) ? -1 : 0;
}

char *in_app_unproven(const struct in_app *app, size_t side)
{
    return xasprintf(
        "'%s' did not run what was built from the copy of '%s'%s: its build or the run "
        "uses paths of another place (an absolute path, a build folder elsewhere, an "
        "installed program), or the file is not part of it; use paths relative to '%s', "
        "and configure anew in the build command (cmake -B ... && cmake --build ...)",
        app->run, app->project.file, side ? " with the tuned code" : "",
        app->project.root);
}
