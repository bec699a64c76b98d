/* What was changed, in the program: is it faster, and does it print what it printed? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/application/tuning.h"
#include "advisor/cli/settings.h"
#include "advisor/session/emitted.h"
#include "core/base.h"

void tuning_share(struct tuning *tuning, double share)
{
    double left_s = tuning->end_s - clock_s();

    tuning->until_s = isinf(left_s) ? left_s : clock_s() + left_s * share;
}

double tuning_left_s(const struct tuning *tuning, double spared_s)
{
    double left_s = tuning->until_s - clock_s() - spared_s;

    return isinf(left_s) ? 0 : fmax(left_s, 1);
}

double tuning_pairs_s(const struct tuning *tuning, int pairs)
{
    /* Each is run once before, which counts where it is long. */
    bool counts = tuning->run_s >= IN_APP_LONG_S && tuning->build_s < tuning->run_s;
    return 2 * tuning->build_s + 2 * (pairs + !counts) * tuning->run_s;
}

char *tuning_too_late(const struct tuning *tuning, double need_s)
{
    double left_s = fmax(tuning->end_s - clock_s(), 0);

    if (need_s <= left_s)
        return NULL;
    return xasprintf("the budget is used up: %.0f s are left, and it takes %.0f s at "
                     "least to try and confirm a change",
                     left_s, ceil(need_s));
}

/* ---- two versions ---- */

int tuning_open(const struct tuning *tuning, struct comparing *comparing,
                const struct comparison *comparison, struct error *err)
{
    struct project project = {tuning->trees.tree[comparison->tree].root,
                              (char *)comparison->file,
                              (char *)tuning->trees.project.cwd};
    *comparing = (struct comparing){.settings = *tuning->settings};
    comparing->in_app = xasprintf("%s && %s", tuning->app->build, tuning->app->command);
    comparing->below = xasprintf("%s/confirm", tuning->scratch);
    comparing->settings.in_app = comparing->in_app;
    if (dir_make_all(comparing->below, err) ||
        in_app_prepare_in(&comparing->app, &comparing->settings, tuning->progress,
                          comparing->below, &project, tuning->trees.project.root,
                          comparison->function, err))
        return -1;
    comparing->app.end_s = isinf(tuning->end_s) ? 0 : tuning->end_s;
    return 0;
}

int tuning_confirm(const struct tuning *tuning, struct comparing *comparing,
                   const struct comparison *comparison, struct in_app_result *result,
                   struct error *err)
{
    struct in_app *app = &comparing->app;
    double left_s = tuning_left_s(tuning, tuning->build_s + tuning->run_s);
    const char *env[2][2] = {{comparison->environment[0], NULL},
                             {comparison->environment[1], NULL}};

    if (left_s > 0) /* the fewest pairs that give an interval may take three times that */
        app->budget_s = fmax(left_s, 2.3 * tuning->run_s);
    app->further = comparison->further;
    app->further_nr = comparison->further_nr;
    for (size_t side = 0; side < 2; side++)
        app->env[side] = env[side];
    int status = in_app_confirm(app, comparison->text, result, err);
    app->env[0] = app->env[1] = NULL;
    if (result->sentence) {
        char *sentence = trees_in_project(&tuning->trees, result->sentence);

        free(result->sentence);
        result->sentence = sentence;
    }
    return status;
}

void tuning_close(struct comparing *comparing)
{
    in_app_release(&comparing->app);
    if (comparing->below)
        dir_remove_all(comparing->below);
    free(comparing->below);
    free(comparing->in_app);
    *comparing = (struct comparing){0};
}

int tuning_compare(const struct tuning *tuning, const struct comparison *comparison,
                   struct in_app_result *result, struct error *err)
{
    struct comparing comparing;
    int status = tuning_open(tuning, &comparing, comparison, err);

    if (!status)
        status = tuning_confirm(tuning, &comparing, comparison, result, err);
    tuning_close(&comparing);
    return status;
}

static bool gains(const struct in_app_result *result)
{
    return result->end == IN_APP_MEASURED && !result->sentence && !result->output &&
           in_app_claim_of(result->program) == IN_APP_FASTER;
}

/* Caller frees. */
static char *no_gain(const struct in_app_result *result)
{
    if (result->sentence)
        return xstrdup(result->sentence);
    if (result->output)
        return xasprintf("the program prints something else: %s", result->output);
    char *phrase = in_app_gain_phrase(result->program),
         *sentence = xasprintf("the program as a whole: %s", phrase);
    free(phrase);
    return sentence;
}

int tuning_judge(const struct tuning *tuning, int failed, const struct error *failure,
                 const struct in_app_result *result, char **why, struct error *err)
{
    *why = NULL;
    if (failed && spawn_interrupted())
        return fail_as(err, failure);
    if (failed)
        *why = trees_in_project(&tuning->trees, failure->text);
    else if (!gains(result))
        *why = no_gain(result);
    return 0;
}

/* ---- the patch ---- */

int tuning_keep(const struct tuning *tuning, const char *path, const struct buf *text,
                struct error *err)
{
    struct application *app = tuning->app;
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
    return trees_write(&tuning->trees, TREE_CURRENT, path, text, err) ||
                   tuning_write_patch(tuning, err)
               ? -1
               : 0;
}

static void say_gain(struct buf *out, const char *what,
                     const struct in_app_result *result)
{
    char *phrase = in_app_gain_phrase(result->program);

    buf_addf(out, "%s; the program %s\n", what, phrase);
    free(phrase);
}

static void about(const struct application *app, struct buf *out)
{
    buf_addf(out, "Written by inflight %s for: %s\n", INFLIGHT_VERSION, app->command);
    if (app->environment)
        buf_addf(out, "To be run with %s\n", app->environment);
    for (size_t i = 0; i < MEMORY_NR; i++)
        if (app->memory[i].end == LOOP_CONFIRMED)
            say_gain(out, memory_name((enum memory_change)i), &app->memory[i].in_app);
    for (size_t i = 0; i < app->loop_nr; i++)
        if (app->loop[i].end == LOOP_CONFIRMED) {
            char *what = xasprintf("%s, %s: plan %s", app->loop[i].file,
                                   app->loop[i].function, app->loop[i].plan);

            say_gain(out, what, &app->loop[i].in_app);
            free(what);
        }
}

/* Again after each change that is confirmed: what an interrupt leaves is whole. */
int tuning_write_patch(const struct tuning *tuning, struct error *err)
{
    const struct application *app = tuning->app;
    struct buf out = {0}, facts = {0};
    int status = 0;

    about(app, &facts);
    for (size_t i = 0; i < app->file_nr && !status; i++) {
        struct buf old = {0};

        status = trees_read(&tuning->trees, TREE_ORIGINAL, app->file[i].path, &old, err);
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
