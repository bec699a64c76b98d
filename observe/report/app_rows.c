/* The routines worth a look, and what sampled cache misses say of each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/profiles.h"
#include "observe/report/app.h"

/* A page of them; what is further down is below 1 % or noise in most programs. */
enum { rows_max = 12 };

/* Misses fetch whole lines; what is written back is not among them. */
static struct quantity bytes_of(const struct app *app, const struct hot_routine *routine,
                                const struct machine *machine)
{
    return sample_count(routine->misses, app->samples.miss_period * machine->line_bytes);
}

static struct quantity rate_of(const struct app *app, const struct hot_routine *routine,
                               const struct machine *machine)
{
    struct quantity wall = quantity_scale(routine->cpu_s, 1.0 / (double)routine->threads);
    return quantity_scale(quantity_divide(bytes_of(app, routine, machine), wall), 1e-9);
}

static int ask(struct app_row *row, const struct settings *settings,
               const struct machine *machine, const struct rule_set *rules,
               struct error *err)
{
    struct question question = {
        .machine = settings->machine ? settings->machine : "here",
        .memory = settings->memory,
        .read_gbs = row->gbs,
        .write_gbs = quantity_exact(0, PROVENANCE_SAMPLED),
        .gbs = row->gbs.value,
        .random_share = quantity_unknown(),
        .cores = (int)row->routine->threads < machine->cores ? (int)row->routine->threads
                                                             : machine->cores,
    };
    struct error why = {0};
    if (settings->access &&
        access_parse(settings->access, "--access", &question.random_share, err))
        return -1;
    row->answer = xcalloc(1, sizeof(*row->answer));
    if (answer_question(&question, rules, row->answer, &why)) {
        row->answer_why = xstrdup(why.text);
        answer_release(row->answer);
        free(row->answer);
        row->answer = NULL;
    }
    return 0;
}

static int explain_misses(struct app *app, const struct settings *settings,
                          struct error *err)
{
    struct machine machine = {0};
    struct error why = {0};
    int status = 0;
    bool known = !profile_load(settings->machine ? settings->machine : "here",
                               settings->memory, &machine, &why);
    if (known)
        status = rule_set_load_given(&settings->rules, &app->rules, err);
    for (size_t i = 0; i < app->row_nr && !status; i++) {
        struct app_row *row = &app->row[i];
        if (!known)
            row->answer_why = xstrdup(why.text);
        else if (row->routine->misses < HOT_SAMPLES_MIN)
            row->answer_why = xstrdup("hardly any cache misses: not limited by memory");
        else {
            row->gbs = rate_of(app, row->routine, &machine);
            status = ask(row, settings, &machine, app->rules, err);
        }
    }
    machine_release(&machine);
    return status;
}

int app_explain(struct app *app, const struct settings *settings, struct error *err)
{
    app->row = xcalloc(rows_max, sizeof(*app->row));
    for (size_t i = 0; i < app->hot.nr && app->row_nr < rows_max; i++) {
        const struct hot_routine *routine = &app->hot.routine[i];
        if (!hot_matters(routine->samples, routine->share))
            continue;
        app->row[app->row_nr++] = (struct app_row){
            .routine = routine,
            .gbs = quantity_unknown(),
            .whole_if_twice =
                hot_whole_gain(routine, hot_running_s(&app->hot, &app->samples), 2),
        };
    }
    return app->samples.miss_event ? explain_misses(app, settings, err) : 0;
}
