#define _GNU_SOURCE /* sched_getaffinity, CPU_COUNT */
#include "variants/build/compile.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/machine/machine.h"

enum job_state { JOB_WAITING, JOB_RUNNING, JOB_ENDED };

struct job {
    struct strvec argv, needs;
    char *made, *path;
    const char *what;
    bool lasting;
    enum job_state state;
    struct spawn_child *child;
};

struct variant_queue {
    struct job *item;
    size_t nr, alloc;
    size_t running;
    int status; /* -1 when something could not be started, with the reason */
    struct error why;
};

struct variant_queue *variant_queue_new(void)
{
    return xcalloc(1, sizeof(struct variant_queue));
}

static void queue_clear(struct variant_queue *queue)
{
    for (size_t i = 0; i < queue->nr; i++) {
        strvec_release(&queue->item[i].argv);
        strvec_release(&queue->item[i].needs);
        free(queue->item[i].made);
        free(queue->item[i].path);
    }
    queue->nr = 0;
}

static bool is_queued(const struct variant_queue *queue, const char *path)
{
    for (size_t i = 0; i < queue->nr; i++)
        if (strcmp(queue->item[i].path, path) == 0)
            return true;
    return false;
}

/* ---- what was refused ---- */

static char *note_path(const char *path)
{
    return xasprintf("%s.refused", path);
}

int compile_was_refused(const char *path, struct error *err)
{
    char *note = note_path(path);
    struct buf text = {0};
    int result = 0;

    if (file_exists(note) && file_read(note, &text, NULL) == 0)
        result = fail(err, STATUS_FAILED, "%s", buf_str(&text));
    buf_release(&text);
    free(note);
    return result;
}

/* Beside others a compiler has less memory than alone: that is no refusal. */
static bool is_for_want_of_memory(const struct spawn_outcome *outcome)
{
    static const char *const signs[] = {"out of memory", "emory exhausted", "bad_alloc",
                                        "annot allocate memory"};

    for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
        if (strstr(buf_str(&outcome->err), signs[i]))
            return true;
    return false;
}

static void note_refusal(const struct job *job, const struct spawn_outcome *outcome,
                         const struct error *why)
{
    bool own_fault = outcome->end == SPAWN_EXITED ||
                     (outcome->end == SPAWN_TIMED_OUT && !spawn_is_late());

    if (!own_fault || job->lasting || why->status != STATUS_FAILED ||
        is_for_want_of_memory(outcome))
        return;
    char *note = note_path(job->path);
    file_write(note, why->text, strlen(why->text), NULL); /* else it is asked again */
    free(note);
}

/* ---- running ---- */

static bool is_ready(const struct job *job)
{
    for (size_t i = 0; i < job->needs.nr; i++)
        if (!file_exists(job->needs.v[i]))
            return false;
    return true;
}

static struct job *next_ready(struct variant_queue *queue)
{
    for (size_t i = 0; i < queue->nr; i++)
        if (queue->item[i].state == JOB_WAITING && is_ready(&queue->item[i]))
            return &queue->item[i];
    return NULL;
}

static void start_job(struct variant_queue *queue, struct job *job, size_t at_once)
{
    struct spawn_request request = compile_spawn(&job->argv, at_once);

    queue->status = spawn_start(&request, &job->child, &queue->why);
    if (queue->status)
        return;
    job->state = JOB_RUNNING;
    queue->running++;
}

static void end_job(struct variant_queue *queue, struct job *job)
{
    struct spawn_outcome outcome;
    struct error why = {0};

    spawn_wait_all(&job->child, 1, false, &outcome, NULL);
    job->state = JOB_ENDED;
    queue->running--;
    if (compile_judge(&outcome, job->argv.v[0], job->what, &why) == 0) {
        rename(job->made, job->path); /* else it is built again when it is asked for */
    } else {
        unlink(job->made);
        note_refusal(job, &outcome, &why);
    }
    spawn_outcome_release(&outcome);
}

/* Waits for one of those that run. */
static void reap_one(struct variant_queue *queue)
{
    struct spawn_child **child = xcalloc(queue->nr, sizeof(struct spawn_child *));
    struct job **job = xcalloc(queue->nr, sizeof(struct job *));
    size_t nr = 0;

    for (size_t i = 0; i < queue->nr; i++) {
        if (queue->item[i].state != JOB_RUNNING)
            continue;
        child[nr] = queue->item[i].child;
        job[nr++] = &queue->item[i];
    }
    if (nr)
        end_job(queue, job[spawn_wait_one(child, nr)]);
    free(child);
    free(job);
}

/* As many as there are processors. */
static void start_ready(struct variant_queue *queue)
{
    size_t at_once = variant_queue_processors();

    while (queue->running < at_once && !queue->status && !spawn_interrupted()) {
        struct job *job = next_ready(queue);

        if (!job)
            return;
        start_job(queue, job, at_once);
    }
}

static void reap_ended(struct variant_queue *queue)
{
    for (size_t i = 0; i < queue->nr; i++)
        if (queue->item[i].state == JOB_RUNNING &&
            spawn_wait_for(queue->item[i].child, 0))
            end_job(queue, &queue->item[i]);
}

/* Compilers run while the next file is written. */
void compile_queue_add(struct variant_queue *queue, const struct queued_command *command)
{
    if (is_queued(queue, command->path))
        return;
    GROW(queue->item, queue->nr + 1, queue->alloc);
    struct job *job = &queue->item[queue->nr++];
    *job = (struct job){.made = xstrdup(command->made),
                        .path = xstrdup(command->path),
                        .what = command->what,
                        .lasting = command->lasting};
    strvec_push_all(&job->argv, command->argv);
    if (command->needs)
        strvec_push_all(&job->needs, command->needs);
    reap_ended(queue);
    start_ready(queue);
}

size_t variant_queue_processors(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof(set), &set))
        return 1;
    return (size_t)CPU_COUNT(&set);
}

void variant_queue_free(struct variant_queue *queue)
{
    if (!queue)
        return;
    while (queue->running > 0)
        reap_one(queue);
    queue_clear(queue);
    free(queue->item);
    free(queue);
}

int variant_queue_build(struct variant_queue *queue, struct error *err)
{
    enum account before = account_switch(ACCOUNT_COMPILING);
    int status;

    for (start_ready(queue); queue->running > 0; start_ready(queue))
        reap_one(queue);
    status = queue->status ? fail(err, queue->why.status, "%s", queue->why.text) : 0;
    queue->status = 0;
    queue_clear(queue);
    account_switch(before);
    return status;
}
