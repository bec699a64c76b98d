#include "advisor/cluster/jobs.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/cli/settings.h"
#include "core/base.h"
#include "core/base/text.h"
#include "core/process/progress.h"
#include "core/process/spawn.h"

static const char script_name[] = "inflight-slurm";
/* Between two looks at the queue. */
static const double ask_s = 5;

/* ---- the script ---- */

static void push_given(struct strvec *words, const char *option, const char *value)
{
    if (value)
        strvec_pushf(words, "--%s=%s", option, value);
}

static void push_settings(const struct settings *settings, struct strvec *words)
{
    struct strvec options = {0};
    char *self = program_inflight();
    push_given(words, "program", self);
    if (settings->nodes > 0)
        strvec_pushf(words, "--nodes=%lld", settings->nodes);
    push_given(words, "partition", settings->partition);
    push_given(words, "account", settings->account);
    push_given(words, "constraint", settings->slurm_constraint);
    push_given(words, "time", settings->time_limit);
    if (settings->exclusive)
        strvec_push(words, "--exclusive");
    for (size_t i = 0; i < settings->slurm_options.nr; i++)
        strvec_split(&options, settings->slurm_options.v[i]);
    for (size_t i = 0; i < options.nr; i++)
        push_given(words, "option", options.v[i]);
    strvec_release(&options);
    free(self);
}

/* A sentence and a status of ours, where the script got so far. */
static int fail_script(const struct spawn_outcome *outcome, struct error *err)
{
    const char *said = buf_str(&outcome->err);
    int length = (int)strlen(said);
    while (length && said[length - 1] == '\n')
        length--;
    if (outcome->end == SPAWN_EXITED && outcome->code >= STATUS_FAILED &&
        outcome->code <= STATUS_INTERNAL)
        return fail(err, (enum status)outcome->code, "%.*s", length, said);
    char *end = spawn_end_phrase(outcome->end, outcome->code);
    fail(err, STATUS_MISSING,
         "Slurm is spoken with by a script in Python, and '%s' %s: %.*s", script_name,
         end ? end : "ended", length, said);
    free(end);
    return -1;
}

/* What it says beside its answer is for the user. Caller json_decref's *answer. */
static int run_script(const struct jobs *jobs, const char *action, json_t **answer,
                      struct error *err)
{
    struct strvec words = {0};
    struct spawn_outcome outcome = {0};
    char *path = helper_path(script_name);
    *answer = NULL;
    if (!path)
        return fail(err, STATUS_MISSING,
                    "'%s' is not where inflight is installed; install inflight again",
                    script_name);
    strvec_push(&words, path);
    strvec_push(&words, action);
    strvec_push(&words, jobs->folder);
    push_settings(jobs->settings, &words);
    /* A job that is being submitted would be in the queue all the same. */
    struct spawn_request request = {.argv = (const char *const *)words.v,
                                    .output_limit = 64 << 20,
                                    .after_interrupt = true};
    int status = spawn_run(&request, &outcome, err);
    if (!status && (outcome.end != SPAWN_EXITED || outcome.code))
        status = fail_script(&outcome, err);
    if (!status)
        status = json_read_text(buf_str(&outcome.out), script_name, NULL, answer, err);
    const json_t *note;
    size_t i;
    json_array_foreach(json_object_get(*answer, "notes"), i, note)
        progress_note(jobs->progress, "%s", json_string_value(note));
    spawn_outcome_release(&outcome);
    strvec_release(&words);
    free(path);
    return status;
}

/* ---- to submit, and to watch ---- */

int jobs_clear_old(const struct jobs *jobs, struct error *err)
{
    json_t *answer;
    int status = run_script(jobs, "clear", &answer, err);
    json_decref(answer);
    return status;
}

int jobs_submit(struct jobs *jobs, struct error *err)
{
    jobs->any = true;
    return run_script(jobs, "submit", &jobs->told, err);
}

int jobs_watch(struct jobs *jobs, bool *told, struct error *err)
{
    json_t *answer;
    *told = false;
    if (!jobs->any || clock_s() - jobs->asked_s < ask_s)
        return 0;
    int status = run_script(jobs, "watch", &answer, err);
    jobs->asked_s = clock_s();
    if (status)
        return status;
    const char *silence = json_string_value(json_object_get(answer, "silence"));
    if (silence && !jobs->silent)
        progress_note(jobs->progress, "%s; what runs goes on", silence);
    jobs->silent = silence;
    *told = !silence;
    if (silence) {
        json_decref(answer);
        return 0;
    }
    json_decref(jobs->told);
    jobs->told = answer;
    return 0;
}

void jobs_came(struct jobs *jobs, const char *job)
{
    json_t *awaited = json_object_get(jobs->told, "awaited");
    for (size_t i = json_array_size(awaited); i-- > 0;) {
        const char *id = json_string_value(json_array_get(awaited, i));
        if (strlen(id) == strcspn(job, "_") && text_begins(job, id))
            json_array_remove(awaited, i);
    }
}

const char *jobs_over(const struct jobs *jobs, const char *job)
{
    return json_string_value(json_object_get(json_object_get(jobs->told, "over"), job));
}

bool jobs_first_may_come(const struct jobs *jobs)
{
    return json_array_size(json_object_get(jobs->told, "awaited")) > 0;
}

bool jobs_ended(const struct jobs *jobs)
{
    return !jobs->silent && json_is_true(json_object_get(jobs->told, "ended"));
}

/* ---- the end ---- */

bool jobs_cancel(struct jobs *jobs)
{
    struct error why = {0};
    json_t *answer;
    if (!jobs->any)
        return true;
    if (run_script(jobs, "cancel", &answer, &why))
        progress_note(jobs->progress, "%s", why.text);
    bool over = json_is_true(json_object_get(answer, "over"));
    json_decref(answer);
    return over;
}

void jobs_release(struct jobs *jobs)
{
    json_decref(jobs->told);
}
