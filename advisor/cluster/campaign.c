#define _XOPEN_SOURCE 700 /* gethostname */
#include "advisor/cluster/campaign.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "advisor/cli/cli.h"
#include "advisor/cli/settings.h"
#include "advisor/cluster/kinds.h"
#include "advisor/cluster/slurm.h"
#include "advisor/program/commands.h"
#include "advisor/report/report.h"
#include "advisor/report/report_read.h"
#include "advisor/report/report_verdict.h"
#include "advisor/session/context_remote.h"
#include "core/base.h"
#include "core/files/hash.h"
#include "core/process/progress.h"
#include "core/process/spawn.h"
#include "core/store/store.h"
#include "search/remote/mailbox.h"
#include "search/remote/questions.h"
#include "search/remote/remote.h"

/* Between two questions to Slurm, and how long it may be silent to one of them. */
static const double ask_jobs_s = 5, ask_patience_s = 5, slurm_patience_s = 20,
                    cancel_s = 40;
/* Between two looks at who came and how far the searches are. */
static const double look_s = 0.5;
/* What others wait for is worth waiting for a folder that is full. */
static const struct mailbox_patience patience = {.seconds = 600};

struct array {
    char *id;
    bool came; /* a worker of it has */
};

struct campaign {
    const struct settings *settings;
    const struct command *command;
    bool slurm, search;
    char *folder;
    struct array *array;
    size_t array_nr, array_alloc;
    struct kinds kinds;
    struct strvec known; /* workers */
    struct mailbox_beater *beater;
    struct progress progress;
    bool is_silent, any_left; /* of Slurm: it does not answer; jobs are queued or run */
    double asked_s, looked_s;
};

/* Of a campaign, and what the searches of kinds write elsewhere. */
static const char own_options[] =
    "on nodes partition account node-constraint time exclusive slurm-options node-hours "
    "output save emit-header html sarif diagnostics json markdown evidence quiet verbose "
    "color";

/* ---- the folder ---- */

/* The same command in the same folder has the same one, so that what an ended campaign
 * left is found. */
static int campaign_folder(struct campaign *campaign, struct error *err)
{
    const struct settings *settings = campaign->settings;
    struct hash hash = hash_begin();
    char *base = NULL, *here = path_absolute(".");
    if (!campaign->slurm) {
        campaign->folder = path_absolute(settings->on);
        free(here);
        return mailbox_make(campaign->folder, err);
    }
    hash_text(&hash, here);
    for (int i = 0; i < settings->given_nr; i++)
        hash_text(&hash, settings->given[i]);
    char *name = hash_hex(&hash);
    int status = data_dir(&base, err);
    if (!status)
        campaign->folder = xasprintf("%s/campaigns/%s", base, name);
    free(name);
    free(base);
    free(here);
    return status;
}

static json_t *campaign_json(const struct campaign *campaign)
{
    char host[256] = "";
    json_t *arrays = json_array();
    gethostname(host, sizeof(host) - 1);
    for (size_t i = 0; i < campaign->array_nr; i++)
        json_array_append_new(arrays, json_string(campaign->array[i].id));
    return json_pack("{s:s, s:s, s:I, s:s, s:o, s:o}", "message", "jobs", "host", host,
                     "pid", (json_int_t)getpid(), "version", INFLIGHT_VERSION, "words",
                     json_strings((const char *const *)campaign->settings->given,
                                  (size_t)campaign->settings->given_nr),
                     "arrays", arrays);
}

static int save_campaign(const struct campaign *campaign, struct error *err)
{
    json_t *document = campaign_json(campaign);
    int status =
        mailbox_put(campaign->folder, "", "campaign.json", document, &patience, err);
    json_decref(document);
    return status;
}

/* What a campaign that was ended the hard way has left: its jobs are cancelled, its
 * results are in the database. */
static int clear_old(struct campaign *campaign, struct error *err)
{
    json_t *old = mailbox_read(campaign->folder, "", "campaign.json");
    struct json_at at = json_top("campaign.json", old);
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
    if (status)
        return -1;
    dir_remove_all(campaign->folder);
    return mailbox_make(campaign->folder, err);
}

/* ---- jobs ---- */

static int submit(struct campaign *campaign, const char *partition, size_t number,
                  struct error *err)
{
    const struct settings *settings = campaign->settings;
    size_t nodes = settings->nodes > 0 ? (size_t)settings->nodes : 0;
    if (!nodes && slurm_partition_nodes(partition, slurm_patience_s, &nodes, err))
        return -1;
    if (!nodes)
        return fail(err, STATUS_MISSING,
                    "no node of partition '%s' is up; name another one with --partition",
                    partition ? partition : "(default)");
    char *self = program_inflight(),
         *name = xasprintf("inflight-%.12s-%zu", path_base(campaign->folder), number);
    struct strvec options = {0};
    const char *command[] = {self, "worker", campaign->folder, NULL};
    struct slurm_request request = {.folder = campaign->folder,
                                    .name = name,
                                    .command = command,
                                    .node_nr = nodes,
                                    .partition = partition,
                                    .account = settings->account,
                                    .constraint = settings->slurm_constraint,
                                    .time = settings->time_limit,
                                    .exclusive = settings->exclusive,
                                    .options = &options};
    char *id = NULL;
    for (size_t i = 0; i < settings->slurm_options.nr; i++)
        strvec_split(&options, settings->slurm_options.v[i]);
    int status = slurm_submit(&request, &id, err);
    if (!status) {
        GROW(campaign->array, campaign->array_nr + 1, campaign->array_alloc);
        campaign->array[campaign->array_nr++] = (struct array){.id = id};
        progress_note(&campaign->progress, "job %s: %zu node%s of partition %s", id,
                      nodes, nodes == 1 ? "" : "s", partition ? partition : "(default)");
        status = save_campaign(campaign, err);
    }
    strvec_release(&options);
    free(self);
    free(name);
    return status;
}

static int submit_all(struct campaign *campaign, struct error *err)
{
    const char *rest = campaign->settings->partition;
    int status = 0;
    size_t number = 1;
    if (!rest)
        return submit(campaign, NULL, number, err);
    while (!status && *rest) {
        size_t length = strcspn(rest, ",");
        char *one = xstrndup(rest, length);
        if (length)
            status = submit(campaign, one, number++, err);
        rest += length + (rest[length] == ',');
        free(one);
    }
    return status;
}

static void job_ids(const struct campaign *campaign, struct strvec *ids)
{
    for (size_t i = 0; i < campaign->array_nr; i++)
        strvec_push(ids, campaign->array[i].id);
}

/* "12_3" of one of our arrays. */
static const struct slurm_task *task_of(const struct slurm_jobs *jobs, const char *job)
{
    const char *line = strchr(job, '_');
    if (!line)
        return NULL;
    char *id = xstrndup(job, (size_t)(line - job));
    const struct slurm_task *task =
        slurm_jobs_find(jobs, id, (size_t)strtoul(line + 1, NULL, 10));
    free(id);
    return task;
}

static void note_left(const struct kind *kind, const char *worker, const char *why)
{
    char *bye = xasprintf("%s/" MAILBOX_WORKERS "/%s.bye", kind->folder, worker);
    if (!file_exists(bye))
        mailbox_bye(kind->folder, worker, why);
    free(bye);
}

/* A worker cannot say good-bye when its node died or its job was killed. */
static void note_lost(struct campaign *campaign, const struct slurm_jobs *jobs)
{
    for (size_t i = 0; i < campaign->kinds.nr; i++) {
        const struct kind *kind = &campaign->kinds.item[i];
        for (size_t k = 0; k < kind->worker.nr; k++) {
            const struct slurm_task *task = task_of(jobs, kind->job.v[k]);
            if (!*kind->job.v[k] ||
                (task && task->state != SLURM_ENDED && task->state != SLURM_PENDING))
                continue;
            char *why = task ? xasprintf("its job is over (%s)", task->word)
                             : xstrdup("its job is over");
            note_left(kind, kind->worker.v[k], why);
            free(why);
        }
    }
}

/* A task that began anew, of which the queue says only that it runs. */
static void note_replaced(const struct campaign *campaign, const char *job)
{
    for (size_t i = 0; campaign->slurm && *job && i < campaign->kinds.nr; i++) {
        const struct kind *kind = &campaign->kinds.item[i];
        for (size_t k = 0; k < kind->worker.nr; k++)
            if (!strcmp(kind->job.v[k], job))
                note_left(kind, kind->worker.v[k], "its job began anew");
    }
}

/* The queue knows for minutes of jobs that have ended. */
static size_t jobs_left(const struct slurm_jobs *jobs, enum slurm_state last)
{
    size_t nr = 0;
    for (size_t i = 0; i < jobs->task_nr; i++)
        nr += jobs->task[i].state <= last;
    return nr;
}

static int ask_jobs(struct campaign *campaign, struct error *err)
{
    struct strvec ids = {0};
    struct slurm_jobs jobs = {0};
    if (!campaign->slurm || clock_s() - campaign->asked_s < ask_jobs_s)
        return 0;
    job_ids(campaign, &ids);
    int status = slurm_jobs(&ids, ask_patience_s, &jobs, err);
    if (!status && jobs.silent && !campaign->is_silent)
        progress_note(&campaign->progress, "%s; what runs goes on", jobs.silence);
    if (!status && !jobs.silent) {
        note_lost(campaign, &jobs);
        campaign->any_left = jobs_left(&jobs, SLURM_RUNNING) > 0;
    }
    campaign->is_silent = !status && jobs.silent;
    campaign->asked_s = clock_s();
    slurm_jobs_release(&jobs);
    strvec_release(&ids);
    return status;
}

/* ---- workers and kinds ---- */

/* What the search of a kind is asked: the user's words, but for where and what of the
 * campaign; what it writes goes to the kind's folder first. */
static void kind_words(const struct campaign *campaign, const struct kind *kind,
                       struct strvec *out)
{
    const struct settings *settings = campaign->settings;
    struct strvec more = {0}, words = {0};
    char *self = program_inflight();
    strvec_push(&more, "--on");
    strvec_push(&more, kind->folder);
    strvec_push(&more, "--quiet");
    strvec_push(&more, "--json");
    if (settings->output)
        strvec_pushf(&more, "--output=%s/output", kind->folder);
    if (settings->save)
        strvec_pushf(&more, "--save=%s/save%s", kind->folder,
                     text_ends(settings->save, ".gz") ? ".gz" : "");
    if (settings->header)
        strvec_pushf(&more, "--emit-header=%s/header", kind->folder);
    if (settings->node_hours > 0)
        strvec_pushf(&more, "--node-hours=%.17g",
                     settings->node_hours /
                         (double)(campaign->array_nr ? campaign->array_nr : 1));
    strvec_push(out, self);
    settings_words(campaign->command, settings, own_options, &more, &words);
    strvec_push_all(out, &words);
    strvec_release(&words);
    strvec_release(&more);
    free(self);
}

static int kind_write(const struct campaign *campaign, const struct kind *kind,
                      const json_t *hello, struct error *err)
{
    const struct settings *settings = campaign->settings;
    json_t *document = json_pack(
        "{s:s, s:s, s:o, s:O}", "message", "kind", "name", kind->name, "words",
        json_strings((const char *const *)settings->given, (size_t)settings->given_nr),
        "hello", hello);
    int status =
        mailbox_make(kind->folder, err) ||
                mailbox_put(kind->folder, "", KIND_FILE, document, &patience, err)
            ? -1
            : 0;
    json_decref(document);
    return status;
}

static int kind_begin(const struct campaign *campaign, struct kind *kind,
                      const json_t *hello, struct error *err)
{
    struct strvec words = {0};
    if (kind_write(campaign, kind, hello, err))
        return -1;
    if (!campaign->search)
        return 0;
    kind_words(campaign, kind, &words);
    struct spawn_request request = {.argv = (const char *const *)words.v,
                                    .output_limit = 64 << 20,
                                    .after_interrupt = true};
    int status = spawn_start(&request, &kind->child, err);
    strvec_release(&words);
    return status;
}

static void note_partition(struct campaign *campaign, const char *job)
{
    for (size_t i = 0; i < campaign->array_nr; i++) {
        size_t length = strlen(campaign->array[i].id);
        if (!strncmp(job, campaign->array[i].id, length) && job[length] == '_')
            campaign->array[i].came = true;
    }
}

/* Of another version it would misunderstand the questions. */
static bool is_of_ours(struct campaign *campaign, const json_t *hello)
{
    const char *version = report_word(hello, "version");
    if (!strcmp(version, INFLIGHT_VERSION))
        return true;
    progress_note(&campaign->progress,
                  "the worker on %s is of version '%s', not %s: it is left out",
                  report_word(hello, "node"), version, INFLIGHT_VERSION);
    return false;
}

static int welcome(struct campaign *campaign, const char *id, const json_t *hello,
                   struct error *err)
{
    if (!is_of_ours(campaign, hello))
        return 0;
    size_t before = campaign->kinds.nr;
    struct kind *kind = kinds_of(&campaign->kinds, campaign->folder, hello);
    if (campaign->kinds.nr > before && kind_begin(campaign, kind, hello, err))
        return -1;
    const char *job = report_word(hello, "job");
    note_partition(campaign, job);
    note_replaced(campaign, job);
    strvec_push(&kind->worker, id);
    strvec_push(&kind->job, job);
    json_t *join = question_new("join");
    json_object_set_new(join, "folder", json_string(kind->folder));
    char *inbox = xasprintf(MAILBOX_INBOX "/%s", id);
    int status =
        mailbox_put(campaign->folder, inbox, "0-join.json", join, &patience, err);
    free(inbox);
    json_decref(join);
    return status;
}

static int look_for_workers(struct campaign *campaign, struct error *err)
{
    struct strvec names = {0};
    int status = 0;
    mailbox_list(campaign->folder, MAILBOX_WORKERS, &names);
    for (size_t i = 0; i < names.nr && !status; i++) {
        if (!text_ends(names.v[i], ".json") || strvec_has(&campaign->known, names.v[i]))
            continue;
        json_t *hello = mailbox_read(campaign->folder, MAILBOX_WORKERS, names.v[i]);
        if (!hello)
            continue;
        char *id = xstrndup(names.v[i], strlen(names.v[i]) - strlen(".json"));
        char *bye = xasprintf("%s.bye", id);
        strvec_push(&campaign->known, names.v[i]);
        if (!strvec_has(&names, bye))
            status = welcome(campaign, id, hello, err);
        json_decref(hello);
        free(bye);
        free(id);
    }
    strvec_release(&names);
    return status;
}

/* ---- searches ---- */

static void kind_end(struct kind *kind, struct error *err)
{
    struct spawn_outcome outcome;
    if (spawn_wait_all(&kind->child, 1, false, &outcome, err))
        return;
    kind->child = NULL;
    kind->ended = true;
    kind->status = outcome.end == SPAWN_EXITED ? outcome.code : STATUS_FAILED;
    kind->report = mailbox_read(kind->folder, "", KIND_REPORT);
    if (!kind->report) {
        const char *said = buf_str(&outcome.err);
        const char *text = text_behind(said, "inflight: ");
        kind->trouble = xstrndup(text, strcspn(text, "\n"));
    }
    spawn_outcome_release(&outcome);
}

/* No partition is left of which a worker may still come for the first time. */
static bool all_came(const struct campaign *campaign)
{
    for (size_t i = 0; i < campaign->array_nr; i++)
        if (!campaign->array[i].came && campaign->any_left)
            return false;
    return campaign->kinds.nr > 0;
}

static bool all_ended(const struct campaign *campaign)
{
    for (size_t i = 0; i < campaign->kinds.nr; i++)
        if (!campaign->kinds.item[i].ended)
            return false;
    return campaign->kinds.nr && (spawn_interrupted() || all_came(campaign));
}

static void show(struct campaign *campaign)
{
    struct buf line = {0};
    double best = 0;
    size_t variants = 0;
    for (size_t i = 0; i < campaign->kinds.nr; i++) {
        const struct kind *kind = &campaign->kinds.item[i];
        json_t *progress = mailbox_read(kind->folder, "", KIND_PROGRESS);
        const char *doing = json_string_value(json_object_get(progress, "doing"));
        buf_addf(&line, "%s%s (%zu node%s): %s", i ? "; " : "", kind->name,
                 kind->worker.nr, kind->worker.nr == 1 ? "" : "s",
                 kind->ended ? "done"
                 : doing     ? doing
                             : "beginning");
        variants += (size_t)json_integer_value(json_object_get(progress, "variants"));
        best = fmax(best, json_number_value(json_object_get(progress, "best")));
        json_decref(progress);
    }
    if (!campaign->kinds.nr)
        buf_addf(&line, "waiting for a worker%s%s",
                 campaign->slurm ? "" : ": inflight worker ",
                 campaign->slurm ? "" : campaign->folder);
    progress_show(&campaign->progress, &(struct progress_status){.doing = buf_str(&line),
                                                                 .variants = variants,
                                                                 .best = best,
                                                                 .left_s = 0});
    buf_release(&line);
}

static void mark_kinds(const struct campaign *campaign, const char *name)
{
    for (size_t i = 0; i < campaign->kinds.nr; i++)
        mailbox_mark(campaign->kinds.item[i].folder, name);
}

static void interrupt_searches(const struct campaign *campaign)
{
    for (size_t i = 0; i < campaign->kinds.nr; i++)
        if (campaign->kinds.item[i].child)
            kill(spawn_pid(campaign->kinds.item[i].child), SIGINT);
}

static int fail_no_worker(const struct campaign *campaign, struct error *err)
{
    return fail(err, STATUS_MISSING,
                "the jobs have ended before a worker came; what they printed is in "
                "'%s/*.log'",
                campaign->folder);
}

/* One round of waiting: who came, what the queue says. */
static int turn(struct campaign *campaign, struct mailbox_nap *nap, struct error *err)
{
    if (ask_jobs(campaign, err))
        return -1;
    if (clock_s() - campaign->looked_s >= look_s) {
        campaign->looked_s = clock_s();
        if (look_for_workers(campaign, err))
            return -1;
        show(campaign);
    }
    if (spawn_interrupted() && !campaign->kinds.nr)
        return fail(err, STATUS_FAILED, "interrupted before a worker came");
    if (campaign->slurm && !campaign->any_left && !campaign->is_silent &&
        !campaign->kinds.nr)
        return fail_no_worker(campaign, err);
    mailbox_nap(nap);
    return 0;
}

static int run_searches(struct campaign *campaign, struct error *err)
{
    struct mailbox_nap nap = {0};
    bool told = false, told_last = false;
    while (!all_ended(campaign)) {
        if (turn(campaign, &nap, err))
            return -1;
        for (size_t i = 0; i < campaign->kinds.nr; i++) {
            struct kind *kind = &campaign->kinds.item[i];
            if (kind->child && spawn_wait_for(kind->child, 0))
                kind_end(kind, err);
        }
        if (spawn_interrupted() && !told)
            interrupt_searches(campaign);
        told = told || spawn_interrupted();
        bool last = campaign->slurm && !campaign->any_left && !campaign->is_silent;
        if (last && !told_last)
            mark_kinds(campaign, KIND_LAST);
        told_last = told_last || last;
    }
    return 0;
}

/* ---- another command, on one node of each kind ---- */

static int run_on(struct campaign *campaign, struct kind *kind, struct error *err)
{
    const struct settings *settings = campaign->settings;
    struct remote_opts opts = {.folder = kind->folder, .last = KIND_LAST};
    struct remote *remote = NULL;
    struct strvec words = {0}, none = {0};
    json_t *question = question_new("run"), *answer = NULL;
    char *here = path_absolute(".");
    settings_words(campaign->command, settings,
                   "on nodes partition account node-constraint time exclusive "
                   "slurm-options node-hours",
                   &none, &words);
    json_object_set_new(question, "words",
                        json_strings((const char *const *)words.v, words.nr));
    json_object_set_new(question, "folder", json_string(here));
    int status = remote_new(&opts, &remote, err);
    if (!status)
        status = remote_ask_first(remote, json_incref(question), &answer, err);
    if (!status) {
        progress_clear(&campaign->progress);
        if (!settings->quiet)
            fprintf(stderr, "inflight: on %s (%s)\n", kind->name, kind->model);
        const char *said = json_string_value(json_object_get(answer, "err"));
        fputs(said ? said : "", stderr);
        said = json_string_value(json_object_get(answer, "out"));
        status = print_text(said ? said : "", err);
        kind->status = (int)json_integer_value(json_object_get(answer, "status"));
    }
    kind->ended = true;
    remote_free(remote);
    json_decref(answer);
    json_decref(question);
    strvec_release(&words);
    free(here);
    return status;
}

static int run_commands(struct campaign *campaign, struct error *err)
{
    struct mailbox_nap nap = {0};
    int status = 0;
    while (!all_came(campaign)) {
        if (turn(campaign, &nap, err))
            return -1;
        if (spawn_interrupted())
            return fail(err, STATUS_FAILED, "interrupted before a worker came");
    }
    for (size_t i = 0; i < campaign->kinds.nr && !status && !spawn_interrupted(); i++)
        status = run_on(campaign, &campaign->kinds.item[i], err);
    return status;
}

/* ---- the end ---- */

/* Cancels what was submitted, and says what remains; whether nothing does. */
static bool cancel(struct campaign *campaign)
{
    struct strvec ids = {0};
    struct error why = {0};
    struct slurm_jobs jobs = {0};
    double until_s = clock_s() + cancel_s;
    size_t left = 0;
    bool known = false;
    job_ids(campaign, &ids);
    if (!ids.nr)
        return true;
    if (slurm_cancel(&ids, slurm_patience_s, &why))
        progress_note(&campaign->progress, "%s", why.text);
    for (;;) {
        known = slurm_jobs(&ids, slurm_patience_s, &jobs, NULL) == 0 && !jobs.silent;
        left = jobs_left(&jobs, SLURM_ENDING);
        if (!left || !known || clock_s() >= until_s)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    }
    char *list = strvec_join(&ids, " ");
    if (jobs.silent)
        progress_note(&campaign->progress, "%s; what may remain in the queue: scancel %s",
                      jobs.silence, list);
    else if (left)
        progress_note(&campaign->progress, "%zu job%s in the queue: scancel %s", left,
                      left == 1 ? " remains" : "s remain", list);
    free(list);
    slurm_jobs_release(&jobs);
    strvec_release(&ids);
    return known && !left;
}

/* "tuned.c" of one kind; of several "tuned.amd-26-17-2c.c". Caller frees. */
static char *name_for(const struct campaign *campaign, const struct kind *kind,
                      const char *path)
{
    const char *dot = strrchr(path_base(path), '.');
    if (campaign->kinds.nr < 2)
        return xstrdup(path);
    if (!dot)
        return xasprintf("%s.%s", path, kind->name);
    return xasprintf("%.*s.%s%s", (int)(dot - path), path, kind->name, dot);
}

/* What the user reads names his file. */
static void say_output(const struct campaign *campaign, const struct kind *kind)
{
    if (!campaign->settings->output || !report_has(kind->report, "output"))
        return;
    char *name = name_for(campaign, kind, campaign->settings->output),
         *path = path_absolute(name);
    json_object_set_new(kind->report, "output", text_json(path));
    report_settle(kind->report);
    free(path);
    free(name);
}

static int deliver_one(const struct campaign *campaign, const struct kind *kind,
                       const char *from, const char *to, struct error *err)
{
    struct buf text = {0};
    char *path = path_join(kind->folder, from),
         *name = to ? name_for(campaign, kind, to) : NULL;
    int status = 0;
    if (name && file_exists(path))
        status = file_read(path, &text, err) ||
                         file_write(name, buf_str(&text), text.length, err)
                     ? -1
                     : 0;
    buf_release(&text);
    free(path);
    free(name);
    return status;
}

static int deliver_faces(const struct campaign *campaign, const struct kind *kind,
                         struct error *err)
{
    struct settings own = *campaign->settings;
    char *html = own.html ? name_for(campaign, kind, own.html) : NULL,
         *sarif = own.sarif ? name_for(campaign, kind, own.sarif) : NULL;
    own.html = html;
    own.sarif = sarif;
    int status = report_faces(&own, kind->report, err);
    free(html);
    free(sarif);
    return status;
}

static int deliver(const struct campaign *campaign, struct error *err)
{
    const struct settings *settings = campaign->settings;
    int status = 0;
    for (size_t i = 0; i < campaign->kinds.nr && !status; i++) {
        const struct kind *kind = &campaign->kinds.item[i];
        const char *save =
            settings->save && text_ends(settings->save, ".gz") ? "save.gz" : "save";
        if (kind->report)
            say_output(campaign, kind);
        status = deliver_one(campaign, kind, "output", settings->output, err) ||
                 deliver_one(campaign, kind, save, settings->save, err) ||
                 deliver_one(campaign, kind, "header", settings->header, err) ||
                 (kind->report && deliver_faces(campaign, kind, err));
    }
    return status ? -1 : 0;
}

static int print(const struct campaign *campaign, struct error *err)
{
    const struct settings *settings = campaign->settings;
    const struct kinds *kinds = &campaign->kinds;
    struct buf text = {0};
    if (settings->json) {
        json_t *document = kinds_json(kinds);
        int status = print_json(document, err);
        json_decref(document);
        return status;
    }
    if (kinds->nr == 1 && kinds->item->report)
        report_text(kinds->item->report, term_colour(stdout, settings->colour),
                    settings->evidence, term_columns(stdout), &text);
    else
        kinds_text(kinds, &text);
    int status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

static int judge(const struct campaign *campaign, struct error *err)
{
    for (size_t i = 0; i < campaign->kinds.nr; i++) {
        const struct kind *kind = &campaign->kinds.item[i];
        if (campaign->search && !kind->report)
            return fail(err, kind->status ? (enum status)kind->status : STATUS_FAILED,
                        "%s: %s", kind->name,
                        kind->trouble && *kind->trouble ? kind->trouble
                                                        : "its search ended without a "
                                                          "report");
        if (!campaign->search && kind->status)
            return fail(err, (enum status)kind->status,
                        "on %s the command ended with status %d", kind->name,
                        kind->status);
    }
    return 0;
}

static void campaign_release(struct campaign *campaign)
{
    mailbox_beater_stop(campaign->beater);
    for (size_t i = 0; i < campaign->array_nr; i++) {
        free(campaign->array[i].id);
    }
    free(campaign->array);
    kinds_release(&campaign->kinds);
    strvec_release(&campaign->known);
    free(campaign->folder);
}

static int begin(struct campaign *campaign, struct error *err)
{
    const struct settings *settings = campaign->settings;
    campaign->any_left = true;
    if (campaign_folder(campaign, err) || (campaign->slurm && clear_old(campaign, err)))
        return -1;
    char *end = path_join(campaign->folder, MAILBOX_END);
    unlink(end); /* of an earlier search in the same folder */
    free(end);
    progress_start(&campaign->progress, settings->quiet, settings->verbose);
    return mailbox_beater_start(campaign->folder, MAILBOX_HEAD, &campaign->beater, err) ||
                   (campaign->slurm && submit_all(campaign, err))
               ? -1
               : 0;
}

int campaign_command(const struct settings *settings, struct error *err)
{
    struct campaign campaign = {.settings = settings,
                                .command = command_find(settings->command),
                                .slurm = !strcmp(settings->on, "slurm"),
                                .search =
                                    !strcmp(settings->command, "tune") && settings->file};
    if (campaign_check(settings, err))
        return -1;
    spawn_catch_interrupt();
    int status = begin(&campaign, err);
    if (!status)
        status = (campaign.search ? run_searches : run_commands)(&campaign, err);
    if (status)
        interrupt_searches(&campaign);
    for (size_t i = 0; i < campaign.kinds.nr; i++)
        if (campaign.kinds.item[i].child)
            kind_end(&campaign.kinds.item[i], NULL);
    if (campaign.folder)
        mailbox_mark(campaign.folder, MAILBOX_END);
    mark_kinds(&campaign, MAILBOX_END);
    bool over = cancel(&campaign);
    progress_clear(&campaign.progress);
    if (!status && campaign.search)
        status = deliver(&campaign, err) || print(&campaign, err) ? -1 : 0;
    if (!status)
        status = judge(&campaign, err);
    /* What remains in the queue finds there that it is over, and the next one its ids. */
    if ((!status || spawn_interrupted()) && campaign.slurm && over)
        dir_remove_all(campaign.folder);
    for (size_t i = 0; !status && i < campaign.kinds.nr; i++)
        dir_remove_all(campaign.kinds.item[i].folder);
    campaign_release(&campaign);
    return status;
}

int campaign_check(const struct settings *settings, struct error *err)
{
    bool slurm = settings->on && !strcmp(settings->on, "slurm");
    const char *odd = settings->partition          ? "--partition"
                      : settings->account          ? "--account"
                      : settings->slurm_constraint ? "--node-constraint"
                      : settings->time_limit       ? "--time"
                      : settings->exclusive        ? "--exclusive"
                      : settings->slurm_options.nr ? "--slurm-options"
                      : settings->nodes >= 0       ? "--nodes"
                                                   : NULL;
    if (odd && !slurm)
        return fail(err, STATUS_USAGE, "%s is for jobs: it needs --on slurm%s", odd,
                    settings->time_limit ? "; a search's own time is --budget" : "");
    if (settings->node_hours >= 0 && !settings->on)
        return fail(err, STATUS_USAGE, "--node-hours needs --on");
    if (settings->node_hours == 0)
        return fail(err, STATUS_USAGE, "--node-hours: expected a number above 0");
    if (settings->nodes == 0)
        return fail(err, STATUS_USAGE, "--nodes: expected 1 or more");
    if (settings->on && (settings->in_app || settings->confirm))
        return fail(err, STATUS_USAGE,
                    "--%s runs on this machine: without --on, on a node that is like "
                    "those",
                    settings->in_app ? "in-app" : "confirm");
    if (settings->on && settings->replay)
        return fail(err, STATUS_USAGE, "a replay measures nothing: without --on");
    return 0;
}
