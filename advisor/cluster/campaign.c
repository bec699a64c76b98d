#include "advisor/cluster/campaign.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/cli/cli.h"
#include "advisor/cli/settings.h"
#include "advisor/cluster/deliver.h"
#include "advisor/cluster/jobs.h"
#include "advisor/cluster/kinds.h"
#include "advisor/cluster/share.h"
#include "advisor/program/commands.h"
#include "advisor/report/report_read.h"
#include "advisor/session/context_remote.h"
#include "core/base.h"
#include "core/files/hash.h"
#include "core/files/trust.h"
#include "core/process/progress.h"
#include "core/process/spawn.h"
#include "core/store/store.h"
#include "search/remote/mailbox.h"
#include "search/remote/questions.h"
#include "search/remote/remote.h"

/* Between two looks at who came and how far the searches are. */
static const double look_s = 0.5;
/* What others wait for is worth waiting for a folder that is full. */
static const struct mailbox_patience patience = {.seconds = MAILBOX_PATIENCE_S},
                                     none = {0};

struct campaign {
    const struct settings *settings;
    const struct command *command;
    bool slurm, search;
    char *folder;
    struct jobs jobs; /* none but for Slurm */
    struct kinds kinds;
    struct strvec known; /* workers */
    json_t *before;      /* of those that were here before: where their beats stood */
    struct mailbox_beater *beater;
    struct progress progress;
    double looked_s;
};

/* Of a campaign, and what the searches of kinds write elsewhere. */
static const char own_options[] =
    "on nodes partition account node-constraint time exclusive slurm-options node-hours "
    "output save emit-header html sarif diagnostics json evidence quiet verbose "
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

/* What a campaign that was ended the hard way has left: its jobs are cancelled, its
 * results are in the database. */
static int clear_old(struct campaign *campaign, struct error *err)
{
    if (trust_make(campaign->folder, TRUST_OWN, err) ||
        jobs_clear_old(&campaign->jobs, err))
        return -1;
    dir_remove_all(campaign->folder);
    return mailbox_make(campaign->folder, err);
}

/* Of "ID.json". Caller frees. */
static char *id_of(const char *file)
{
    return xstrndup(file, strlen(file) - strlen(".json"));
}

static long long beat_of(const struct campaign *campaign, const char *file)
{
    char *id = id_of(file), *name = xasprintf(MAILBOX_WORKERS "/%s", id);
    long long beat = mailbox_beat(campaign->folder, name);
    free(name);
    free(id);
    return beat;
}

/* From now on it asks for questions in that folder. */
static int send_to(const char *folder, const char *id, const char *other,
                   const struct mailbox_patience *how_long, struct error *err)
{
    json_t *join = question_new("join");
    json_object_set_new(join, "folder", json_string(other));
    char *inbox = xasprintf(MAILBOX_INBOX "/%s", id);
    int status = mailbox_put(folder, inbox, "0-join.json", join, how_long, err);
    free(inbox);
    json_decref(join);
    return status;
}

/* The workers that a killed campaign has taken along. */
static void call_back(const struct campaign *campaign, const char *kind)
{
    struct strvec names = {0};
    char *folder = path_join(campaign->folder, kind);
    mailbox_list(folder, MAILBOX_WORKERS, &names);
    for (size_t i = 0; i < names.nr; i++) {
        if (!text_ends(names.v[i], ".json"))
            continue;
        char *id = id_of(names.v[i]);
        send_to(folder, id, campaign->folder, &none, NULL);
        free(id);
    }
    strvec_release(&names);
    free(folder);
}

/* A folder that had searches before: who of its workers is still there? */
static void look_back(struct campaign *campaign)
{
    struct strvec names = {0};
    campaign->before = json_object();
    mailbox_list(campaign->folder, "", &names);
    for (size_t i = 0; i < names.nr; i++)
        if (text_begins(names.v[i], "kind-"))
            call_back(campaign, names.v[i]);
    strvec_release(&names);
    mailbox_list(campaign->folder, MAILBOX_WORKERS, &names);
    for (size_t i = 0; i < names.nr; i++)
        if (text_ends(names.v[i], ".json"))
            json_object_set_new(campaign->before, names.v[i],
                                json_integer(beat_of(campaign, names.v[i])));
    strvec_release(&names);
}

static bool is_still_there(const struct campaign *campaign, const char *file)
{
    const json_t *before = json_object_get(campaign->before, file);
    return !before || json_integer_value(before) != beat_of(campaign, file);
}

/* ---- who has left ---- */

static void note_left(const struct kind *kind, const char *worker, const char *why)
{
    char *bye = xasprintf("%s/" MAILBOX_WORKERS "/%s.bye", kind->folder, worker);
    if (!file_exists(bye))
        mailbox_bye(kind->folder, worker, why);
    free(bye);
}

/* A worker cannot say good-bye when its node died or its job was killed. */
static void note_lost(const struct campaign *campaign)
{
    for (size_t i = 0; i < campaign->kinds.nr; i++) {
        const struct kind *kind = &campaign->kinds.item[i];
        for (size_t k = 0; k < kind->worker.nr; k++) {
            const char *why = jobs_over(&campaign->jobs, kind->job.v[k]);
            if (why)
                note_left(kind, kind->worker.v[k], why);
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
        "{s:s, s:s, s:I, s:o, s:O}", "message", "kind", "name", kind->name, "campaign",
        (json_int_t)getpid(), "words",
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

static double campaign_node_s(const struct campaign *campaign)
{
    double hours = campaign->settings->node_hours;
    return hours > 0 ? hours * 3600 : INFINITY;
}

static int kind_begin(struct campaign *campaign, struct kind *kind, const json_t *hello,
                      struct error *err)
{
    struct strvec words = {0};
    if (kind_write(campaign, kind, hello, err))
        return -1;
    if (!campaign->search)
        return 0;
    share_tell(&campaign->kinds, campaign_node_s(campaign));
    kind_words(campaign, kind, &words);
    struct spawn_request request = {.argv = (const char *const *)words.v,
                                    .output_limit = 64 << 20,
                                    .after_interrupt = true};
    int status = spawn_start(&request, &kind->child, err);
    strvec_release(&words);
    return status;
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
    jobs_came(&campaign->jobs, job);
    note_replaced(campaign, job);
    strvec_push(&kind->worker, id);
    strvec_push(&kind->job, job);
    return send_to(campaign->folder, id, kind->folder, &patience, err);
}

static int look_for_workers(struct campaign *campaign, struct error *err)
{
    struct strvec names = {0};
    int status = 0;
    mailbox_list(campaign->folder, MAILBOX_WORKERS, &names);
    for (size_t i = 0; i < names.nr && !status; i++) {
        if (!text_ends(names.v[i], ".json") || strvec_has(&campaign->known, names.v[i]) ||
            !is_still_there(campaign, names.v[i]))
            continue;
        json_t *hello = mailbox_read(campaign->folder, MAILBOX_WORKERS, names.v[i]);
        if (!hello)
            continue;
        char *id = id_of(names.v[i]);
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

static bool all_ended(const struct campaign *campaign)
{
    for (size_t i = 0; i < campaign->kinds.nr; i++)
        if (!campaign->kinds.item[i].ended)
            return false;
    return campaign->kinds.nr &&
           (spawn_interrupted() || !jobs_first_may_come(&campaign->jobs));
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

/* An interrupt of our own has reached them by itself; a second one would end them at
 * once. */
static void interrupt_searches(const struct campaign *campaign)
{
    for (size_t i = 0; !spawn_interrupted() && i < campaign->kinds.nr; i++)
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
    bool told;
    if (jobs_watch(&campaign->jobs, &told, err))
        return -1;
    if (told)
        note_lost(campaign);
    if (clock_s() - campaign->looked_s >= look_s) {
        campaign->looked_s = clock_s();
        if (!spawn_interrupted() && look_for_workers(campaign, err))
            return -1;
        if (campaign->search)
            share_tell(&campaign->kinds, campaign_node_s(campaign));
        show(campaign);
    }
    if (spawn_interrupted() && !campaign->kinds.nr)
        return fail(err, STATUS_FAILED, "interrupted before a worker came");
    if (jobs_ended(&campaign->jobs) && !campaign->kinds.nr)
        return fail_no_worker(campaign, err);
    mailbox_nap(nap);
    return 0;
}

static int run_searches(struct campaign *campaign, struct error *err)
{
    struct mailbox_nap nap = {0};
    bool told_last = false;
    while (!all_ended(campaign)) {
        if (turn(campaign, &nap, err))
            return -1;
        for (size_t i = 0; i < campaign->kinds.nr; i++) {
            struct kind *kind = &campaign->kinds.item[i];
            if (kind->child && spawn_wait_for(kind->child, 0))
                kind_end(kind, err);
        }
        bool last = jobs_ended(&campaign->jobs);
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
    struct strvec words = {0}, nothing = {0};
    json_t *question = question_new("run"), *answer = NULL;
    char *here = path_absolute(".");
    settings_words(campaign->command, settings,
                   "on nodes partition account node-constraint time exclusive "
                   "slurm-options node-hours",
                   &nothing, &words);
    json_object_set_new(question, "words", json_strvec(&words));
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
    while (!campaign->kinds.nr || jobs_first_may_come(&campaign->jobs)) {
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
    jobs_release(&campaign->jobs);
    kinds_release(&campaign->kinds);
    strvec_release(&campaign->known);
    json_decref(campaign->before);
    free(campaign->folder);
}

static int begin(struct campaign *campaign, struct error *err)
{
    const struct settings *settings = campaign->settings;
    if (campaign_folder(campaign, err))
        return -1;
    campaign->jobs = (struct jobs){.settings = settings,
                                   .folder = campaign->folder,
                                   .progress = &campaign->progress};
    if (campaign->slurm && clear_old(campaign, err))
        return -1;
    char *end = path_join(campaign->folder, MAILBOX_END);
    unlink(end); /* of an earlier search in the same folder */
    free(end);
    look_back(campaign);
    progress_start(&campaign->progress, settings->quiet, settings->verbose);
    return mailbox_beater_start(campaign->folder, MAILBOX_HEAD, &campaign->beater, err) ||
                   (campaign->slurm && jobs_submit(&campaign->jobs, err))
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
    bool over = jobs_cancel(&campaign.jobs);
    progress_clear(&campaign.progress);
    if (!status && campaign.search)
        status = campaign_deliver(settings, &campaign.kinds, err);
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
    if (settings->on && settings->in_app)
        return fail(err, STATUS_USAGE,
                    "--in-app runs on this machine: without --on, on a node that is like "
                    "those");
    if (settings->on && settings->replay)
        return fail(err, STATUS_USAGE, "a replay measures nothing: without --on");
    return 0;
}
