#define _XOPEN_SOURCE 700 /* gethostname */
#include "advisor/cluster/jobs.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "advisor/cli/cli.h"
#include "advisor/cli/settings.h"
#include "core/base.h"
#include "core/files/json.h"
#include "core/process/progress.h"
#include "core/process/spawn.h"
#include "search/remote/mailbox.h"

/* Between two questions to Slurm, and how long it may be silent to one of them. */
static const double ask_s = 5, ask_patience_s = 5, slurm_patience_s = 20, cancel_s = 40;
/* What others wait for is worth waiting for a folder that is full. */
static const struct mailbox_patience patience = {.seconds = MAILBOX_PATIENCE_S};
/* So often in a row nodes are asked for of which no worker comes. */
enum { fruitless_max = 3 };

static const char campaign_file[] = "campaign.json";

/* ---- for the next campaign in the same folder ---- */

static int save(const struct jobs *jobs, struct error *err)
{
    const struct settings *settings = jobs->settings;
    char host[256] = "";
    json_t *arrays = json_array();
    gethostname(host, sizeof(host) - 1);
    for (size_t i = 0; i < jobs->nr; i++)
        json_array_append_new(arrays, json_string(jobs->array[i].id));
    json_t *document = json_pack(
        "{s:s, s:s, s:I, s:s, s:o, s:o}", "message", "jobs", "host", host, "pid",
        (json_int_t)getpid(), "version", INFLIGHT_VERSION, "words",
        json_strings((const char *const *)settings->given, (size_t)settings->given_nr),
        "arrays", arrays);
    int status = mailbox_put(jobs->folder, "", campaign_file, document, &patience, err);
    json_decref(document);
    return status;
}

int jobs_clear_old(const char *folder, struct error *err)
{
    json_t *old = mailbox_read(folder, "", campaign_file);
    struct json_at at = json_top(campaign_file, old);
    struct strvec ids = {0};
    char host[256] = "";
    int status = 0;
    gethostname(host, sizeof(host) - 1);
    pid_t pid = (pid_t)json_integer_value(json_object_get(old, "pid"));
    const char *its_host = json_string_value(json_object_get(old, "host"));
    if (old && its_host && !strcmp(its_host, host) && pid > 0 && pid != getpid() &&
        kill(pid, 0) == 0)
        status = fail(err, STATUS_USAGE,
                      "the same campaign is under way (process %ld); wait for it, or end "
                      "it with: kill -INT %ld",
                      (long)pid, (long)pid);
    if (!status && old && json_strings_at(&at, "arrays", &ids, NULL) == 0 && ids.nr)
        status = slurm_cancel(&ids, slurm_patience_s, err);
    strvec_release(&ids);
    json_decref(old);
    return status ? -1 : 0;
}

/* ---- to submit ---- */

/* Takes the texts of the array, but for its id, which it gets here. */
static int submit(struct jobs *jobs, struct job_array array, struct error *err)
{
    const struct settings *settings = jobs->settings;
    char *self = program_inflight(),
         *name = xasprintf("inflight-%.12s-%zu", path_base(jobs->folder), jobs->nr + 1);
    struct strvec options = {0};
    const char *command[] = {self, "worker", jobs->folder, NULL};
    struct slurm_request request = {.folder = jobs->folder,
                                    .name = name,
                                    .command = command,
                                    .node_nr = array.node_nr,
                                    .partition = array.partition,
                                    .account = settings->account,
                                    .constraint = settings->slurm_constraint,
                                    .time = settings->time_limit,
                                    .exclusive = settings->exclusive,
                                    .options = &options};
    for (size_t i = 0; i < settings->slurm_options.nr; i++)
        strvec_split(&options, settings->slurm_options.v[i]);
    int status = slurm_submit(&request, &array.id, err);
    strvec_release(&options);
    free(self);
    free(name);
    if (status) {
        free(array.partition);
        return status;
    }
    GROW(jobs->array, jobs->nr + 1, jobs->alloc);
    jobs->array[jobs->nr++] = array;
    jobs->any_left = true;
    progress_note(jobs->progress, "job %s: %zu node%s of partition %s", array.id,
                  array.node_nr, array.node_nr == 1 ? "" : "s",
                  array.partition ? array.partition : "(default)");
    return save(jobs, err);
}

static int submit_first(struct jobs *jobs, const char *partition, struct error *err)
{
    const struct settings *settings = jobs->settings;
    size_t nodes = settings->nodes > 0 ? (size_t)settings->nodes : 0;
    if (!nodes && slurm_partition_nodes(partition, slurm_patience_s, &nodes, err))
        return -1;
    return submit(jobs,
                  (struct job_array){.partition = partition ? xstrdup(partition) : NULL,
                                     .node_nr = nodes},
                  err);
}

int jobs_submit(struct jobs *jobs, struct error *err)
{
    const char *rest = jobs->settings->partition;
    int status = 0;
    if (!rest)
        return submit_first(jobs, NULL, err);
    while (!status && *rest) {
        size_t length = strcspn(rest, ",");
        char *one = xstrndup(rest, length);
        if (length)
            status = submit_first(jobs, one, err);
        rest += length + (rest[length] == ',');
        free(one);
    }
    return status;
}

/* Refused, the search goes on with the nodes that are left. */
static void submit_again(struct jobs *jobs, size_t number)
{
    struct job_array again = jobs->array[number];
    struct error why = {0};
    progress_note(jobs->progress,
                  "job %s has left the queue before the search was over: it is submitted "
                  "again",
                  again.id);
    again.partition = again.partition ? xstrdup(again.partition) : NULL;
    again.over = false;
    again.fruitless++;
    if (submit(jobs, again, &why))
        progress_note(jobs->progress, "%s", why.text);
}

/* ---- to watch ---- */

/* Ended from outside although it could have gone on; not: by somebody's will, or because
 * it failed. */
static bool was_cut_short(const char *word)
{
    static const char *const words[] = {"BOOT_FAIL", "NODE_FAIL", "PREEMPTED", "TIMEOUT"};
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (!strcmp(words[i], word))
            return true;
    return false;
}

bool job_array_is_lost(struct job_array *array, const struct slurm_jobs *queue)
{
    bool listed = false, cut_short = false;
    if (array->over || queue->silent)
        return false;
    for (size_t i = 0; i < queue->task_nr; i++) {
        const struct slurm_task *task = &queue->task[i];
        if (strcmp(task->id, array->id) != 0)
            continue;
        if (task->state != SLURM_ENDED)
            return false;
        listed = true;
        cut_short = cut_short || was_cut_short(task->word);
    }
    array->over = true;
    return (!listed || cut_short) && array->fruitless < fruitless_max;
}

/* The queue knows for minutes of jobs that have ended. */
static size_t count_left(const struct slurm_jobs *queue, enum slurm_state last)
{
    size_t nr = 0;
    for (size_t i = 0; i < queue->task_nr; i++)
        nr += queue->task[i].state <= last;
    return nr;
}

static void all_ids(const struct jobs *jobs, struct strvec *ids)
{
    for (size_t i = 0; i < jobs->nr; i++)
        strvec_push_once(ids, jobs->array[i].id);
}

int jobs_watch(struct jobs *jobs, bool *told, struct error *err)
{
    struct strvec ids = {0};
    bool was_silent = jobs->queue.silent;
    *told = false;
    if (!jobs->nr || clock_s() - jobs->asked_s < ask_s)
        return 0;
    all_ids(jobs, &ids);
    int status = slurm_jobs(&ids, ask_patience_s, &jobs->queue, err);
    strvec_release(&ids);
    jobs->asked_s = clock_s();
    if (status)
        return status;
    *told = !jobs->queue.silent;
    if (*told)
        jobs->any_left = count_left(&jobs->queue, SLURM_RUNNING) > 0;
    else if (!was_silent)
        progress_note(jobs->progress, "%s; what runs goes on", jobs->queue.silence);
    for (size_t i = 0, nr = jobs->nr; i < nr && !spawn_interrupted(); i++)
        if (job_array_is_lost(&jobs->array[i], &jobs->queue))
            submit_again(jobs, i);
    return 0;
}

void jobs_came(struct jobs *jobs, const char *job)
{
    for (size_t i = 0; i < jobs->nr; i++) {
        struct job_array *array = &jobs->array[i];
        size_t length = strlen(array->id);
        if (strncmp(job, array->id, length) != 0 || job[length] != '_')
            continue;
        array->came = true;
        array->fruitless = 0;
    }
}

char *jobs_over(const struct jobs *jobs, const char *job)
{
    const char *line = strchr(job, '_');
    if (!line || jobs->queue.silent)
        return NULL;
    char *id = xstrndup(job, (size_t)(line - job));
    const struct slurm_task *task =
        slurm_jobs_find(&jobs->queue, id, (size_t)strtoul(line + 1, NULL, 10));
    free(id);
    if (!task)
        return xstrdup("its job is over");
    return task->state == SLURM_ENDED || task->state == SLURM_PENDING
               ? xasprintf("its job is over (%s)", task->word)
               : NULL;
}

bool jobs_first_may_come(const struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->nr; i++)
        if (!jobs->array[i].over && !jobs->array[i].came)
            return jobs->any_left;
    return false;
}

bool jobs_ended(const struct jobs *jobs)
{
    return jobs->nr && !jobs->any_left && !jobs->queue.silent;
}

/* ---- the end ---- */

bool jobs_cancel(struct jobs *jobs)
{
    struct strvec ids = {0};
    struct error why = {0};
    double until_s = clock_s() + cancel_s;
    size_t left = 0;
    bool known = false;
    all_ids(jobs, &ids);
    if (!ids.nr)
        return true;
    if (slurm_cancel(&ids, slurm_patience_s, &why))
        progress_note(jobs->progress, "%s", why.text);
    for (;;) {
        known = slurm_jobs(&ids, slurm_patience_s, &jobs->queue, NULL) == 0 &&
                !jobs->queue.silent;
        left = count_left(&jobs->queue, SLURM_ENDING);
        if (!left || !known || clock_s() >= until_s)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    }
    char *list = strvec_join(&ids, " ");
    if (jobs->queue.silent)
        progress_note(jobs->progress, "%s; what may remain in the queue: scancel %s",
                      jobs->queue.silence, list);
    else if (left)
        progress_note(jobs->progress, "%zu job%s in the queue: scancel %s", left,
                      left == 1 ? " remains" : "s remain", list);
    free(list);
    strvec_release(&ids);
    return known && !left;
}

void jobs_release(struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->nr; i++) {
        free(jobs->array[i].id);
        free(jobs->array[i].partition);
    }
    free(jobs->array);
    slurm_jobs_release(&jobs->queue);
}
