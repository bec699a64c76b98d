/* inflight advise -- PROGRAM */
#include "observe/report/app.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/output.h"

/* Fewer say nothing: the share of a routine that has all of the time would be known to
 * some 7 %, of one that has half of it to 14 %. */
enum { samples_min = 50 };

void app_release(struct app *app)
{
    for (size_t i = 0; i < app->row_nr; i++) {
        struct app_row *row = &app->row[i];
        if (row->answer)
            answer_release(row->answer);
        free(row->answer);
        free(row->answer_why);
        free(row->source);
        free(row->capture);
        free(row->tune);
        free(row->why_not);
    }
    free(app->row);
    rule_set_free(app->rules);
    hot_release(&app->hot);
    samples_release(&app->samples);
    *app = (struct app){0};
}

void app_command(const struct samples *samples, struct buf *out)
{
    buf_add_shell_words(out, (const char *const *)samples->argv.v);
}

char *app_end(const struct samples *samples)
{
    const char *name = samples->argv.nr ? samples->argv.v[0] : "the program";
    if (samples->end == SPAWN_SIGNALLED || samples->end == SPAWN_INTERRUPTED)
        return xasprintf("'%s' was ended by a signal (%s)", name,
                         strsignal(samples->code));
    if (samples->end == SPAWN_EXITED && samples->code)
        return xasprintf("'%s' ended with status %d", name, samples->code);
    return xstrdup("");
}

struct quantity app_overhead(const struct app *app)
{
    return quantity_scale(app->cost_s, app->samples.frequency_hz);
}

double app_seen(const struct samples *samples)
{
    double seen = (double)samples->total / samples->frequency_hz;
    return samples->user_s > 0 ? fmin(1, seen / samples->user_s) : 1;
}

static int cannot_start(const char *name, int cause, struct error *err)
{
    if (cause == ENOENT)
        return fail(err, STATUS_INPUT, "there is no program '%s'%s: %s", name,
                    strchr(name, '/') ? "" : " on the PATH",
                    strchr(name, '/') ? "look at the path"
                                      : "write './' before one in this folder");
    return fail(err, STATUS_INPUT, "'%s' cannot be started: %s", name, strerror(cause));
}

/* Interrupted by us before it began there is nothing to tell. */
static int run_program(const struct settings *settings, struct app *app,
                       struct error *err)
{
    struct spawn_request request = {
        .argv = (const char *const *)settings->program.v,
        .attached = true,
        .out_to_err = settings->json,
    };
    struct sample_options options = {
        .frequency_hz =
            settings->frequency > 0 ? (double)settings->frequency : SAMPLE_FREQUENCY_HZ,
        .misses = true,
    };
    struct spawn_outcome outcome = {0};
    int status;
    if (options.frequency_hz > SAMPLE_FREQUENCY_MAX)
        return fail(err, STATUS_USAGE,
                    "--frequency: at most %d samples a second, got %lld",
                    SAMPLE_FREQUENCY_MAX, settings->frequency);
    if (settings->save && file_check_writable(settings->save, err))
        return -1;
    app->cost_s = sample_cost();
    fflush(stdout);
    status = sample_run(&request, &options, &app->samples, &outcome, err);
    if (!status && outcome.end == SPAWN_NOT_STARTED)
        status = cannot_start(settings->program.v[0], outcome.code, err);
    if (!status && settings->save)
        status = samples_write(settings->save, &app->samples, err);
    spawn_outcome_release(&outcome);
    return status;
}

static int take_samples(const struct settings *settings, struct app *app,
                        struct error *err)
{
    if (!settings->samples)
        return run_program(settings, app, err);
    app->recorded = true;
    app->cost_s = quantity_unknown();
    return samples_read(settings->samples, &app->samples, err);
}

static int check_enough(const struct samples *samples, struct error *err)
{
    char *end = app_end(samples);
    int status = 0;
    bool short_lived = samples->user_s > 1 && app_seen(samples) < 0.5;
    if (samples->total < samples_min)
        status = fail(err, STATUS_FAILED,
                      "%s%s%llu samples of its CPU time in %.2f s are too few to say "
                      "where it goes (%d are needed): %s with --frequency %d",
                      end, *end ? ": " : "", (unsigned long long)samples->total,
                      samples->wall_s, samples_min,
                      short_lived ? "its processes end before their first sample is due; "
                                    "take more"
                                  : "give it more to do, or take more",
                      SAMPLE_FREQUENCY_MAX / 2);
    free(end);
    return status;
}

static int print_app(const struct settings *settings, const struct app *app,
                     struct error *err)
{
    struct buf text = {0};
    int status;
    if (settings->json) {
        json_t *document = app_json(app);
        status = print_json(document, err);
        json_decref(document);
        return status;
    }
    app_text(app, term_colour(stdout, settings->colour), term_columns(stdout), &text);
    status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

/* What was sampled until a program failed is reported all the same; that it failed is
 * ours to pass on. A Ctrl-C was meant. */
static int pass_on(const struct samples *samples, struct error *err)
{
    bool meant = samples->end == SPAWN_INTERRUPTED ||
                 (samples->end == SPAWN_SIGNALLED &&
                  (samples->code == SIGINT || samples->code == SIGTERM));
    char *end = app_end(samples);
    int status = *end && !meant ? fail(err, STATUS_FAILED,
                                       "%s; the report is of its time until then", end)
                                : 0;
    free(end);
    return status;
}

static int check_usage(const struct settings *settings, struct error *err)
{
    const struct {
        bool given;
        const char *name;
    } option[] = {{settings->counts.nr, "--counts"},
                  {settings->measurement, "--measurement"},
                  {settings->bandwidth_gbs >= 0, "--bandwidth"},
                  {settings->seconds_s >= 0, "--seconds"},
                  {settings->what_if, "--what-if"},
                  {settings->cpu, "--cpu"},
                  {settings->html, "--html"},
                  {settings->confirm, "--confirm"}};
    for (size_t i = 0; i < ARRAY_SIZE(option); i++)
        if (option[i].given)
            return fail(err, STATUS_USAGE, "%s does not go with a program behind '--'",
                        option[i].name);
    if (settings->samples && settings->program.nr)
        return fail(err, STATUS_USAGE,
                    "--samples FILE reads what was sampled before: no program is run");
    if (settings->samples && settings->save)
        return fail(err, STATUS_USAGE,
                    "--save writes what is sampled now, --samples reads it: give one of "
                    "them");
    return question_check(settings, err);
}

int advise_program(const struct settings *settings, struct error *err)
{
    struct app app = {.cost_s = quantity_unknown()};
    int status = check_usage(settings, err);
    spawn_catch_interrupt();
    if (!status)
        status = take_samples(settings, &app, err);
    if (!status)
        status = check_enough(&app.samples, err);
    if (!status)
        hot_find(&app.samples, &app.hot);
    if (!status)
        status = app_explain(&app, settings, err);
    if (!status)
        app_next(&app, settings);
    if (!status)
        status = print_app(settings, &app, err);
    if (!status && !app.recorded)
        status = pass_on(&app.samples, err);
    app_release(&app);
    return status;
}
