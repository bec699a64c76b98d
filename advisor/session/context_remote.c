#include "advisor/session/context_remote.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "advisor/cli/cli.h"
#include "advisor/cli/settings.h"
#include "advisor/session/code_diffs.h"
#include "advisor/session/context.h"
#include "core/base.h"
#include "core/files/hash.h"
#include "core/files/trust.h"
#include "core/process/spawn.h"
#include "core/traffic/traffic.h"
#include "search/remote/mailbox.h"
#include "search/remote/questions.h"
#include "search/remote/remote.h"
#include "search/session/advice.h"
#include "search/session/measured.h"
#include "search/session/result.h"
#include "search/session/session.h"

static const double room_s = 1800, progress_s = 0.5, told_s = 0.25, used_s = 2;
/* A search takes so long at least. */
static const double least_budget_s = 30;
/* Of the node-seconds, for the winners of other kinds at most. */
static const double others_share = 0.25;
enum { profile_tries = 3 };

struct told {
    json_t *document; /* as it was read last; NULL = it was not */
    double read_s, used_said_s;
    bool unkept;
};

bool remote_is_asked(const struct settings *settings)
{
    char *path = settings->on ? path_join(settings->on, KIND_FILE) : NULL;
    bool asked = path && file_exists(path);
    free(path);
    return asked;
}

static void say(void *data, const char *sentence)
{
    struct context *bench = data;
    context_remote_progress(bench, sentence, 0, 0, 0);
    progress_say(&bench->progress, "%s", sentence);
}

/* ---- what the campaign tells ---- */

const json_t *context_remote_told(struct context *bench)
{
    struct told *told = bench->told;
    if (!told)
        return NULL;
    if (told->document && clock_s() - told->read_s < told_s)
        return told->document;
    json_t *document = mailbox_read(bench->settings->on, "", KIND_TOLD);
    told->read_s = clock_s();
    if (document) {
        json_decref(told->document);
        told->document = document;
    }
    return told->document;
}

static void say_used(struct context *bench, double node_s)
{
    const struct mailbox_patience none = {0};
    if (clock_s() - bench->told->used_said_s < used_s)
        return;
    bench->told->used_said_s = clock_s();
    json_t *used = json_pack("{s:s, s:f}", "message", "used", "node_s", node_s);
    mailbox_put(bench->settings->on, "", KIND_USED, used, &none, NULL);
    json_decref(used);
}

/* The search leaves what its home needs for the winners of the other kinds. */
static double kept_s(const struct context *bench, const json_t *told, double node_s)
{
    size_t nr = json_array_size(json_object_get(told, "others"));
    double one_s = 2 * search_closing_s(bench->budget.seconds);
    return bench->told->unkept ? 0 : fmin((double)nr * one_s, others_share * node_s);
}

static double node_seconds(void *data, double used_node_s)
{
    struct context *bench = data;
    const json_t *told = context_remote_told(bench),
                 *limit = json_object_get(told, "node_s");
    double node_s = json_is_number(limit) ? json_number_value(limit) : INFINITY;
    say_used(bench, used_node_s);
    return isinf(node_s) ? node_s : node_s - kept_s(bench, told, node_s);
}

void context_remote_unkeep(struct context *bench)
{
    if (bench->told)
        bench->told->unkept = true;
}

double context_left_s(const struct context *bench)
{
    double left_s = budget_left_s(&bench->budget);
    return bench->remote ? fmin(left_s, remote_left_s(bench->remote)) : left_s;
}

static int begin_told(struct context *bench, bool *limited, struct error *err)
{
    bench->told = xcalloc(1, sizeof(*bench->told));
    const json_t *limit = json_object_get(context_remote_told(bench), "node_s");
    *limited = json_is_number(limit);
    return *limited && json_number_value(limit) <= 0
               ? fail(err, STATUS_FAILED,
                      "the node-hours were used up before its first node came")
               : 0;
}

/* ---- the profile of the kind ---- */

int kind_profile_path(const char *kind, char **path, struct error *err)
{
    struct hash hash = hash_begin();
    char *dir = NULL;
    if (config_dir(&dir, err))
        return -1;
    hash_text(&hash, kind);
    char *hex = hash_hex(&hash);
    char *nodes = path_join(dir, "nodes");
    int status = trust_make(nodes, TRUST_KEPT, err);
    *path = xasprintf("%s/%s.json", nodes, hex);
    free(hex);
    free(nodes);
    free(dir);
    return status;
}

/* What the noise of a node has spoiled is not kept. */
static int ask_profile(struct context *bench, const char *path, struct error *err)
{
    json_t *question = question_new("profile"), *answer = NULL;
    json_object_set_new(question, "quick", json_true());
    say(bench, "a node makes the profile of its kind, about 20 s");
    double began_s = clock_s();
    if (remote_ask_first(bench->remote, question, &answer, err))
        return -1;
    bench->profile_s = clock_s() - began_s;
    const json_t *machine = json_object_get(answer, "machine");
    int status = machine ? json_write_file(path, machine, err)
                         : fail(err, STATUS_FAILED, "a node made no profile");
    json_decref(answer);
    status = status || machine_load(path, &bench->machine, err) ? -1 : 0;
    if (status)
        unlink(path);
    else
        bench->machine_note = xstrdup("profile made now, on a node of this kind");
    return status;
}

static int kept_profile(struct context *bench, const char *kind, struct error *err)
{
    char *kept = NULL;
    int status = kind_profile_path(kind, &kept, err);
    if (!status && file_exists(kept)) {
        status = machine_load(kept, &bench->machine, err);
    } else if (!status) {
        int tries = 0;
        do {
            error_clear(err);
            status = ask_profile(bench, kept, err);
        } while (status && ++tries < profile_tries && err->status == STATUS_INPUT);
    }
    free(kept);
    return status;
}

/* What was named, else that of the kind; and where the nodes see it, too. */
static int load_profile(struct context *bench, const char *kind, char **shared,
                        struct error *err)
{
    const char *named = bench->settings->machine;
    *shared = path_join(bench->settings->on, "machine.json");
    return (named ? profile_read(named, NULL, &bench->machine, err)
                  : kept_profile(bench, kind, err)) ||
                   machine_save(&bench->machine, *shared, err)
               ? -1
               : 0;
}

/* ---- what all questions begin with ---- */

static json_t *about(const struct context *bench, const char *what, const char *machine)
{
    const struct settings *settings = bench->settings;
    json_t *question = question_new(what);
    char *folder = path_absolute(".");
    json_object_set_new(
        question, "words",
        json_strings((const char *const *)settings->given, (size_t)settings->given_nr));
    json_object_set_new(question, "folder", json_string(folder));
    json_object_set_new(question, "machine", json_string(machine));
    json_object_set_new(question, "cores",
                        json_integer(settings->cores > 0 ? settings->cores : 0));
    free(folder);
    return question;
}

static int ask_look(struct context *bench, const char *machine, size_t *copies,
                    struct error *err)
{
    json_t *answer = NULL;
    long long nr = 0;
    say(bench, "a node looks how long a call takes");
    if (remote_ask_first(bench->remote, about(bench, "look", machine), &answer, err))
        return -1;
    struct json_at at = json_top("a worker's answer", answer);
    int status =
        json_integer_at(&at, "copies", 1, 1 << 20, &nr, err) ||
                json_number_at(&at, "call_s", 0, INFINITY, &bench->look.call_s, err) ||
                json_number_at(&at, "fill_s", 0, INFINITY, &bench->look.fill_s, err)
            ? -1
            : 0;
    *copies = (size_t)nr;
    json_decref(answer);
    return status;
}

/* A campaign that was killed leaves no search behind, which would take the answers of the
 * next one. */
static void follow_campaign(const char *folder)
{
    json_t *kind = mailbox_read(folder, "", KIND_FILE);
    pid_t campaign = (pid_t)json_integer_value(json_object_get(kind, "campaign"));
    if (campaign > 0)
        spawn_end_with_parent(campaign);
    json_decref(kind);
}

int context_remote_start(struct context *bench, size_t *copies, struct error *err)
{
    const struct settings *settings = bench->settings;
    bool limited;
    follow_campaign(settings->on);
    if (begin_told(bench, &limited, err))
        return -1;
    struct remote_opts opts = {.folder = settings->on,
                               .last = KIND_LAST,
                               .node_s = limited ? node_seconds : NULL,
                               .lasts_s = settings->budget_s > 0 ? settings->budget_s
                                                                 : least_budget_s,
                               .say = say,
                               .data = bench};
    if (remote_new(&opts, &bench->remote, err))
        return -1;
    const json_t *hello = remote_first(bench->remote, err);
    const char *kind = json_string_value(json_object_get(hello, "kind"));
    if (!hello)
        return -1;
    if (load_profile(bench, kind ? kind : "", &bench->remote_machine, err))
        return -1;
    return ask_look(bench, bench->remote_machine, copies, err);
}

int context_remote_open(struct context *bench, struct error *err)
{
    json_t *question = about(bench, "open", bench->remote_machine);
    json_object_set_new(question, "call_s", json_real(bench->look.call_s));
    json_object_set_new(question, "fill_s", json_real(bench->look.fill_s));
    json_object_set_new(question, "budget_s", json_real(bench->budget.seconds));
    json_object_set_new(question, "trace_s", json_real(bench->budget.trace_s));
    json_object_set_new(question, "trace_one_s", json_real(bench->budget.trace_one_s));
    remote_until(bench->remote, bench->budget.began_s + bench->budget.seconds);
    if (remote_open(bench->remote, question, err))
        return -1;
    bench->live_runner = remote_runner(bench->remote, &bench->subject, &bench->machine,
                                       (int)live_copies(bench->live));
    return 0;
}

int context_remote_file(struct context *bench, const char *source,
                        struct compared *comparison, struct error *err)
{
    struct buf text = {0};
    json_t *answer = NULL;
    if (file_read(source, &text, err))
        return -1;
    json_t *question =
        question_file(buf_str(&text), comparison->b.plan, &comparison->a.environment,
                      &comparison->b.environment, comparison->seconds);
    buf_release(&text);
    if (remote_ask(bench->remote, question, &answer, err) || !answer)
        return err->status ? -1 : 0;
    struct json_at at = json_top("a worker's answer", answer);
    int status = answer_status(&at, err) || answer_ratio(&at, &comparison->ratio, err) ||
                         json_bool_at(&at, "verified", &comparison->verified, err)
                     ? -1
                     : 0;
    json_decref(answer);
    return status;
}

/* What needs no more than to be asked of the home. Caller json_decref's, also on failure.
 */
static int ask_home(struct context *bench, const char *what, json_t **answer,
                    struct error *err)
{
    *answer = NULL;
    if (remote_ask(bench->remote, question_new(what), answer, err))
        return -1;
    struct json_at at = json_top("a worker's answer", *answer);
    return *answer ? answer_status(&at, err) : fail(err, STATUS_FAILED, "interrupted");
}

int context_remote_counts(struct context *bench, struct count_set *counts,
                          struct error *err)
{
    json_t *answer;
    struct json_at told;
    *counts = (struct count_set){0};
    int status = ask_home(bench, "counts", &answer, err);
    struct json_at at = json_top("a worker's answer", answer);
    if (!status && (json_object_at(&at, "counts", &told, err) ||
                    count_set_from_json(&told, counts, err)))
        status = -1;
    json_decref(answer);
    return status;
}

int context_remote_processor(struct context *bench, json_t **out, struct error *err)
{
    json_t *answer;
    int status = ask_home(bench, "processor", &answer, err);
    *out = status ? NULL : json_incref(json_object_get(answer, "processor"));
    json_decref(answer);
    return status;
}

json_t *context_remote_json(const struct context *bench, size_t measured, size_t pruned)
{
    if (!bench->remote)
        return NULL;
    double all_s = remote_node_s(bench->remote),
           each_s = all_s / (double)(measured ? measured : 1);
    return json_pack("{s:o, s:f, s:f, s:I, s:f}", "nodes",
                     remote_workers_json(bench->remote), "node_seconds", all_s,
                     "variant_node_seconds", each_s, "pruned", (json_int_t)pruned,
                     "saved_node_seconds", each_s * (double)pruned);
}

bool context_remote_waits(struct context *bench, double *until_s, struct error *err)
{
    if (!bench->remote || err->status != STATUS_MISSING || spawn_interrupted() ||
        (*until_s > 0 && clock_s() > *until_s))
        return false;
    if (!(*until_s > 0)) {
        char *sentence = xasprintf("waiting: %s", err->text);
        say(bench, sentence);
        free(sentence);
        *until_s = clock_s() + room_s;
    }
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    error_clear(err);
    return true;
}

json_t *context_remote_words(const struct context *bench)
{
    json_t *kind =
               bench->remote ? mailbox_read(bench->settings->on, "", KIND_FILE) : NULL,
           *words = json_incref(json_object_get(kind, "words"));
    json_decref(kind);
    return words;
}

static int by_time(const void *a, const void *b)
{
    const struct measurement *one = *(const struct measurement *const *)a,
                             *other = *(const struct measurement *const *)b;
    return (one->time_s.value > other->time_s.value) -
           (one->time_s.value < other->time_s.value);
}

void context_remote_codes(struct context *bench, const struct search_result *result)
{
    enum { CODES_MAX = 100 };
    if (!bench->remote || !result->measurement_nr)
        return;
    const struct measurement **fastest =
        xcalloc(result->measurement_nr, sizeof(*fastest));
    size_t nr = 0;
    for (size_t i = 0; i < result->measurement_nr; i++)
        if (result->measurement[i].time_s.known)
            fastest[nr++] = &result->measurement[i];
    if (nr)
        qsort(fastest, nr, sizeof(*fastest), by_time);
    code_diffs_add(&bench->code, bench->kernel, result->measurement[result->best].plan);
    for (size_t i = 0; i < nr && i < CODES_MAX; i++)
        code_diffs_add(&bench->code, bench->kernel, fastest[i]->plan);
    for (size_t i = 0; i < result->advice_nr; i++)
        if (result->advice[i].tried_plan)
            code_diffs_add(&bench->code, bench->kernel, result->advice[i].tried_plan);
    free(fastest);
}

int context_remote_keep(const struct context *bench, const json_t *report,
                        struct error *err)
{
    const struct mailbox_patience patience = {.seconds = MAILBOX_PATIENCE_S};
    return mailbox_put(bench->settings->on, "", KIND_REPORT, report, &patience, err);
}

void context_remote_progress(struct context *bench, const char *doing, size_t variants,
                             double best, double left_s)
{
    const struct mailbox_patience none = {0};
    double now_s = clock_s();
    if (!bench->remote || now_s - bench->remote_said_s < progress_s)
        return;
    bench->remote_said_s = now_s;
    json_t *progress = json_pack("{s:s, s:o, s:I, s:f, s:f}", "message", "progress",
                                 "doing", text_json(doing), "variants",
                                 (json_int_t)variants, "best", best, "left_s", left_s);
    mailbox_put(bench->settings->on, "", KIND_PROGRESS, progress, &none, NULL);
    json_decref(progress);
}

void context_remote_end(struct context *bench)
{
    remote_free(bench->remote);
    bench->remote = NULL;
    if (bench->told)
        json_decref(bench->told->document);
    free(bench->told);
    bench->told = NULL;
    free(bench->remote_machine);
    bench->remote_machine = NULL;
}
