/* One hot loop: its inputs are taken, it is tuned with them, and kept if the program is
 * faster with it. Our own commands do it, as children. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/application/tuning.h"
#include "advisor/cli/cli.h"
#include "core/base.h"
#include "core/machine/machine.h"
#include "rules/rules.h"

/* A search of less has no time for a plan. */
static const double search_min_s = 8;
/* Pairs of runs that are spared for the program when a loop is searched. */
enum { pairs_wanted = 5 };
/* What a permission has to promise, for the question to be one. */
static const double worth_asking = 1.1;
/* A command ends a little behind its time. */
static const double late_s = 2;
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

/* Of what is at hand, within its part of the budget. */
static double step_timeout_s(const struct tuning *tuning)
{
    return fmax(fmin(tuning->until_s - clock_s(), step_limit_s), late_s);
}

int loop_step(const struct tuning *tuning, const struct strvec *words, struct buf *out,
              char **why, struct error *err)
{
    struct spawn_outcome outcome;
    const struct spawn_request request = {.argv = (const char *const *)words->v,
                                          .dir = tuning->trees.tree[TREE_PREPARED].cwd,
                                          .timeout_s = step_timeout_s(tuning),
                                          .grace_s = late_s,
                                          .output_limit = report_bytes_max};
    *why = NULL;
    if (spawn_run(&request, &outcome, err))
        return -1;
    if (outcome.end == SPAWN_TIMED_OUT && outcome.out.length == 0) {
        *why = xasprintf("its part of the budget, %.0f s, was over before it ended",
                         request.timeout_s);
    } else if (outcome.end != SPAWN_TIMED_OUT &&
               (outcome.end != SPAWN_EXITED || outcome.code)) {
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
                                      .timeout_s = step_timeout_s(tuning),
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
    inputs_release(&capturing.inputs);
    return spawn_interrupted() ? fail(err, STATUS_FAILED, "interrupted") : 0;
}

/* What came of a search. */
struct found {
    char *plan;            /* owned; NULL = none was faster */
    struct quantity alone; /* gain of the written code by itself */
    char *why;             /* owned; there is no plan, why: a sentence */
    double permitted; /* gain that is expected of what --reassociate would permit; 0 =
                         nothing is */
    double parallel;  /* likewise, of more threads */
};

static void found_release(struct found *found)
{
    free(found->plan);
    free(found->why);
    *found = (struct found){.alone = quantity_unknown()};
}

/* Of advice that is not followed, the most that a verdict promises: of what waits for a
 * permission, or of one transformation. */
static double promised(const json_t *document, enum verdict verdict, const char *name)
{
    const json_t *advice;
    double most = 0;
    size_t i;

    json_array_foreach(json_object_get(document, "advice"), i, advice) {
        const char *about = json_string_value(json_object_get(advice, "transformation"));
        const struct rule_transformation *row = transformation_find(about);

        if (row && row->in_plan && (!name || !strcmp(about, name)) &&
            !strcmp(json_string_value(json_object_get(advice, "verdict")),
                    verdict_word(verdict)))
            most = fmax(most, json_number_value(json_object_get(
                                  json_object_get(advice, "expected"), "value")));
    }
    return most;
}

static int read_report(const char *text, struct found *found, struct error *err)
{
    json_t *document = NULL;
    struct json_at top, best;
    const char *plan = "", *stop = "it was done";

    if (json_read_text(text, "the report of inflight tune", "inflight.report/1",
                       &document, err))
        return -1;
    top = json_top("the report of inflight tune", document);
    if (json_has(&top, "best")) {
        if (json_object_at(&top, "best", &best, err) == 0 && json_has(&best, "plan"))
            json_string_at(&best, "plan", &plan, err);
        if (json_has(&top, "emitted_gain"))
            json_quantity_at(&top, "emitted_gain", &found->alone, err);
    }
    found->permitted = promised(document, VERDICT_ALLOW, NULL);
    found->parallel = promised(document, VERDICT_TRY, "parallel");
    if (json_is_true(json_object_get(document, "interrupted"))) /* by us */
        stop = "its part of the budget was used up";
    else if (json_has(&top, "stop"))
        json_string_at(&top, "stop", &stop, err);
    if (*plan)
        found->plan = xstrdup(plan);
    else
        found->why = xasprintf("no plan was faster beyond the noise; the search ended "
                               "because %s",
                               stop);
    json_decref(document);
    return 0;
}

/* A program may have more threads than there are cores for them. */
static long long cores_of(const struct application_loop *loop)
{
    struct machine_cpus cpus;
    if (machine_cpus(NULL, &cpus, NULL))
        return loop->threads;
    long long most = (long long)cpus.cpu_nr;

    free(cpus.cpu);
    return loop->threads < most ? loop->threads : most;
}

/* Of the settings, what `tune FILE` takes as well. */
static void add_search_options(const struct tuning *tuning,
                               const struct application_loop *loop, double budget_s,
                               bool reassociate, struct strvec *words)
{
    const struct settings *settings = tuning->settings;

    if (budget_s > 0)
        strvec_pushf(words, "--budget=%.0fs", budget_s);
    else if (settings->quick || settings->thorough)
        strvec_push(words, settings->quick ? "--quick" : "--thorough");
    if (settings->machine)
        strvec_pushf(words, "--machine=%s", settings->machine);
    if (reassociate)
        strvec_push(words, "--reassociate");
    if (settings->tolerance > 0)
        strvec_pushf(words, "--tolerance=%.17g", settings->tolerance);
    strvec_pushf(words, "--cores=%lld",
                 settings->cores > 0 ? settings->cores : cores_of(loop));
    for (size_t i = 0; i < settings->rules.nr; i++)
        strvec_pushf(words, "--rules=%s", settings->rules.v[i]);
}

/* What there is to tune with. */
struct material {
    const char *source;  /* prepared */
    const char *inputs;  /* a call's */
    const char *written; /* where the tuned file goes */
};

/* In so much time; 0 = as the settings say. */
static int search(struct tuning *tuning, const struct application_loop *loop,
                  const struct material *material, double budget_s, bool reassociate,
                  struct found *found, struct error *err)
{
    struct strvec words = {0};
    struct buf out = {0};
    double until_s = tuning->until_s;
    char *why = NULL;

    progress_say(tuning->progress, "tuning %s%s", loop->function,
                 reassociate ? ", its sums in another order" : "");
    *found = (struct found){.alone = quantity_unknown()};
    loop_begin_step(tuning, "tune", material->source, loop, &words);
    add_search_options(tuning, loop, budget_s, reassociate, &words);
    trees_add_compiler(&tuning->trees, loop->file, &words);
    strvec_push(&words, "--inputs");
    strvec_push(&words, material->inputs);
    strvec_pushf(&words, "--database=%s/sessions.db", tuning->scratch);
    strvec_push(&words, "--json");
    strvec_push(&words, "-o");
    strvec_push(&words, material->written);
    if (budget_s > 0)
        tuning->until_s = clock_s() + 1.05 * budget_s + late_s;
    int status = loop_step(tuning, &words, &out, &why, err);
    tuning->until_s = until_s;
    if (why)
        found->why = xasprintf("it was not tuned: %s", why);
    else if (!status)
        status = read_report(buf_str(&out), found, err);
    if (found->plan && !file_exists(material->written)) { /* stopped before it stood */
        found_release(found);
        found->why = xstrdup("the time was over before a plan that looked faster was "
                             "checked");
    }
    free(why);
    buf_release(&out);
    strvec_release(&words);
    return status;
}

/* ---- in the program ---- */

static int compare(const struct tuning *tuning, const struct application_loop *loop,
                   const struct buf *text, struct in_app_result *result,
                   struct error *failure)
{
    bool same_name = !strcmp(loop->function, loop->routine);
    const char *environment = tuning->app->environment;
    const struct comparison comparison = {.tree = TREE_CURRENT,
                                          .file = loop->file,
                                          .text = text,
                                          .environment = {environment, environment},
                                          .function = same_name ? loop->function : NULL};

    return tuning_compare(tuning, &comparison, result, failure);
}

static int confirm(const struct tuning *tuning, struct application_loop *loop,
                   const struct buf *text, struct error *err)
{
    struct error failure = {0};
    char *why;
    int failed = compare(tuning, loop, text, &loop->in_app, &failure);

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

double loop_least_s(const struct tuning *tuning)
{
    /* It is built, built again where one file has changed, and run twice until its inputs
     * are taken. */
    return 1.5 * tuning->build_s + 2 * tuning->run_s + search_min_s +
           tuning_pairs_s(tuning, IN_APP_PAIRS_MIN);
}

/* With the time that is left when the program has been compared; false = it is too
 * little. More pairs than must be are run where the search has half of the time. Without
 * a budget as the settings say. */
static bool time_to_search(const struct tuning *tuning, double *seconds)
{
    double spared_s = tuning_pairs_s(tuning, pairs_wanted);

    if (tuning->until_s - clock_s() < 2 * spared_s)
        spared_s = tuning_pairs_s(tuning, IN_APP_PAIRS_MIN);
    *seconds = tuning_left_s(tuning, spared_s);
    return *seconds <= 0 || *seconds >= search_min_s;
}

/* The plan in the program. */
static int try_plan(struct tuning *tuning, struct application_loop *loop,
                    const struct material *material, struct error *err)
{
    struct buf text = {0};
    int status = sizes_judge(tuning, loop, material->source, material->inputs,
                             material->written, err);

    if (!status)
        status = trees_tuned_text(material->written, &text, err);
    if (!status)
        status = confirm(tuning, loop, &text, err);
    buf_release(&text);
    return status;
}

/* What a permission would bring, in the program as it is tuned so far: measured, told and
 * not kept. */
static int ask(struct tuning *tuning, struct application_loop *loop,
               const struct material *material, double expected, struct error *err)
{
    struct application_question *question = &loop->question;
    struct found found = {.alone = quantity_unknown()};
    struct error failure = {0};
    struct buf text = {0};
    double seconds = 0;
    int status = 0;

    question->expected = expected;
    if (!time_to_search(tuning, &seconds))
        question->why = xstrdup("the budget is used up");
    else
        status = search(tuning, loop, material, seconds, true, &found, err);
    if (!status && found.plan &&
        (trees_tuned_text(material->written, &text, &failure) ||
         compare(tuning, loop, &text, &question->in_app, &failure))) {
        status = spawn_interrupted() ? fail_as(err, &failure) : 0;
        question->why = trees_in_project(&tuning->trees, failure.text);
    }
    if (found.why)
        question->why = xstrdup(found.why);
    question->plan = xstrdup(found.plan);
    question->alone = found.alone;
    found_release(&found);
    buf_release(&text);
    return status;
}

/* Of the loop's time, spared for the question that its search may leave: a quarter, where
 * that is enough for an answer. */
static double asking_s(const struct tuning *tuning)
{
    double part_s = (tuning->until_s - clock_s()) / 4,
           least_s = search_min_s + tuning_pairs_s(tuning, IN_APP_PAIRS_MIN);

    return tuning->settings->reassociate || isinf(part_s) || part_s < least_s ? 0
                                                                              : part_s;
}

static int search_and_try(struct tuning *tuning, struct application_loop *loop,
                          const struct material *material, struct error *err)
{
    bool reassociate = tuning->settings->reassociate;
    struct found found = {.alone = quantity_unknown()};
    double seconds = 0, permitted, until_s = tuning->until_s, ask_s = asking_s(tuning);
    int status = 0;

    tuning->until_s -= ask_s;
    if (!time_to_search(tuning, &seconds)) {
        loop_end(loop, LOOP_FAILED,
                 xstrdup("the budget was used up when its inputs were taken"));
        return 0;
    }
    if (search(tuning, loop, material, seconds, reassociate, &found, err))
        return -1;
    permitted = found.permitted;
    if (reassociate || permitted <= worth_asking)
        tuning->until_s = until_s;
    /* More than there are cores is a kernel that was timed on a busy machine. */
    if (found.parallel > worth_asking &&
        found.parallel <= (double)sysconf(_SC_NPROCESSORS_ONLN))
        loop->parallel = found.parallel;
    loop->plan = xstrdup(found.plan);
    loop->alone = found.alone;
    if (found.plan)
        status = try_plan(tuning, loop, material, err);
    else
        loop_end(loop, LOOP_NOTHING, xstrdup(found.why));
    found_release(&found);
    tuning->until_s = until_s;
    if (!status && !reassociate && permitted > worth_asking)
        status = ask(tuning, loop, material, permitted, err);
    return status;
}

int loop_tune(struct tuning *tuning, struct application_loop *loop, struct error *err)
{
    char *source = path_join(tuning->trees.tree[TREE_PREPARED].root, loop->file),
         *inputs = xasprintf("%s/%s.inputs", tuning->scratch, loop->function),
         *written = xasprintf("%s/tuned%s", tuning->scratch, strrchr(loop->file, '.'));
    const struct material material = {source, inputs, written};
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
        status = search_and_try(tuning, loop, &material, err);
    unlink(inputs);
    unlink(written);
    free(source);
    free(inputs);
    free(written);
    return status;
}
