/* One hot loop: its inputs are taken, it is tuned with them, and kept if the program is
 * faster with it. Our own commands do it, as children. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/application/tuning.h"
#include "advisor/cli/cli.h"
#include "core/base.h"

/* Of what is left for a loop: for the search; the rest is for runs of the program. */
static const double search_share = 0.6;
/* A report with all its variants. */
enum { report_bytes_max = 256 << 20 };
static const double step_limit_s = 6 * 3600;

void loop_end(struct application_loop *loop, enum loop_end end, char *why)
{
    free(loop->why);
    loop->end = end;
    loop->why = why;
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

int loop_step(const struct tuning *tuning, const struct strvec *words, struct buf *out,
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

        *why = trees_in_project(&tuning->trees, sentence);
        free(sentence);
    }
    buf_add_n(out, buf_str(&outcome.out), outcome.out.length);
    spawn_outcome_release(&outcome);
    return spawn_interrupted() ? fail(err, STATUS_FAILED, "interrupted") : 0;
}

void loop_begin_step(const struct tuning *tuning, const char *command, const char *source,
                     const struct application_loop *loop, struct strvec *words)
{
    char *self = program_inflight();

    strvec_push(words, self);
    strvec_push(words, command);
    strvec_push(words, source);
    strvec_push(words, "--function");
    strvec_push(words, loop->function);
    trees_add_flags(&tuning->trees, words);
    free(self);
}

struct recording_request loop_recording(const struct tuning *tuning,
                                        const struct application_loop *loop,
                                        const char *source, struct settings *settings)
{
    const struct trees *trees = &tuning->trees;

    *settings = *tuning->settings;
    settings->build = NULL;
    settings->compile_commands = trees->tree[TREE_PREPARED].seen.database;
    settings->file = (char *)(uintptr_t)source; /* which is not written to */
    settings->function = loop->function;
    return (struct recording_request){.argv = (const char *const *)trees->argv.v,
                                      .dir = trees->tree[TREE_PREPARED].cwd,
                                      .ends = true,
                                      .is_hidden = true};
}

int loop_capture(const struct tuning *tuning, const struct application_loop *loop,
                 const char *source, long long call, const char *inputs, char **why,
                 struct error *err)
{
    struct settings settings;
    const struct trees *trees = &tuning->trees;
    struct capturing capturing = {.settings = &settings,
                                  .output = inputs,
                                  .copy = trees->tree[TREE_PREPARED].root,
                                  .root = trees->project.root};
    struct recording_outcome outcome;
    struct error failure = {0};

    progress_say(tuning->progress, "taking the inputs of %s", loop->function);
    struct recording_request how = loop_recording(tuning, loop, source, &settings);
    how.call = settings.call = call;
    *why = inputs_record(how, &capturing, &outcome, &failure)
               ? trees_in_project(&tuning->trees, failure.text)
               : NULL;
    recording_outcome_release(&outcome);
    capturing_release(&capturing);
    return spawn_interrupted() ? fail(err, STATUS_FAILED, "interrupted") : 0;
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
    loop_begin_step(tuning, "tune", source, loop, &words);
    add_search_options(tuning, budget_s, &words);
    trees_add_compiler(&tuning->trees, loop->file, &words);
    strvec_push(&words, "--inputs");
    strvec_push(&words, inputs);
    strvec_pushf(&words, "--database=%s/sessions.db", tuning->scratch);
    strvec_push(&words, "--json");
    strvec_push(&words, "-o");
    strvec_push(&words, written);
    int status = loop_step(tuning, &words, &out, &why, err);
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

static int confirm(const struct tuning *tuning, struct application_loop *loop,
                   const struct buf *text, double budget_s, struct error *err)
{
    bool same_name = !strcmp(loop->function, loop->row->routine->name);
    const char *environment = tuning->app->environment;
    const struct comparison comparison = {.tree = TREE_CURRENT,
                                          .file = loop->file,
                                          .text = text,
                                          .environment = {environment, environment},
                                          .function = same_name ? loop->function : NULL,
                                          .budget_s = budget_s};
    struct error failure = {0};
    char *why;
    int failed = tuning_compare(tuning, &comparison, &loop->in_app, &failure);

    if (tuning_judge(tuning, failed, &failure, &loop->in_app, &why, err))
        return -1;
    if (why) { /* what other loops gained is not lost */
        loop_end(loop, LOOP_UNCONFIRMED, why);
        return 0;
    }
    loop_end(loop, LOOP_CONFIRMED, NULL);
    return tuning_keep(tuning, loop->file, text, err);
}

/* ---- a loop ---- */

/* Ready, or refused with the reason. The prepared tree is built with what is to be
 * captured. */
int loop_make_ready(struct tuning *tuning, struct application_loop *loop,
                    struct error *err)
{
    struct error why = {0};

    if (trees_prepare(&tuning->trees, loop, &why) == 0) {
        loop_end(loop, LOOP_READY, NULL);
        return 0;
    }
    if (spawn_interrupted())
        return fail_as(err, &why);
    loop_end(loop, LOOP_REFUSED, trees_in_project(&tuning->trees, why.text));
    return 0;
}

int loop_tune(struct tuning *tuning, struct application_loop *loop, size_t loops_left,
              struct error *err)
{
    char *source = path_join(tuning->trees.tree[TREE_PREPARED].root, loop->file),
         *inputs = xasprintf("%s/%s.inputs", tuning->scratch, loop->function),
         *written = xasprintf("%s/tuned%s", tuning->scratch, strrchr(loop->file, '.'));
    double search_s = tuning_budget_s(tuning, loops_left, search_share);
    struct buf text = {0};
    char *why = NULL;

    int status = sizes_look(tuning, loop, source, err);
    if (!status)
        status = loop_capture(tuning, loop, source,
                              loop->size_nr ? loop->size[0].captured_call : 1, inputs,
                              &why, err);
    if (!status && why)
        loop_end(loop, LOOP_FAILED, xasprintf("its inputs cannot be taken: %s", why));
    free(why);
    if (!status && loop->end == LOOP_READY)
        status = search(tuning, loop, source, inputs, search_s, written, err);
    if (!status && loop->end == LOOP_READY)
        status = sizes_judge(tuning, loop, source, inputs, written, err);
    if (!status && loop->end == LOOP_READY)
        status = trees_tuned_text(written, &text, err);
    if (!status && loop->end == LOOP_READY)
        status =
            confirm(tuning, loop, &text, tuning_budget_s(tuning, loops_left, 1), err);
    unlink(inputs);
    unlink(written);
    buf_release(&text);
    free(source);
    free(inputs);
    free(written);
    return status;
}
