#include "search/remote/remote.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/files/hash.h"
#include "core/process/spawn.h"
#include "core/process/term.h"
#include "search/records/records.h"
#include "search/remote/dispatch.h"
#include "search/remote/mailbox.h"
#include "search/remote/questions.h"
#include "search/session/measured.h"
#include "search/session/pace.h"
#include "search/session/subject.h"
#include "search/space/environment.h"

/* Between two looks at who came and who is still there. */
static const double look_around_s = 0.5, patience_s = 1800;
/* Beats come every 2 s: some are missing then. */
static const double missed_s = 15;
/* Answers are taken in order, so that many more are asked ahead than one worker has
 * (bench/cluster_simulation). */
enum { DEPTH_MIN = 2, DEPTH_MAX = 8, AHEAD_EACH = 16 };
/* A file that cannot be read for so long never will be. */
static const double unreadable_s = 10;

enum worker_state { WORKER_HELD, WORKER_OPENING, WORKER_OPEN, WORKER_GONE };

struct remote_worker {
    char *id, *inbox;
    json_t *hello;
    enum worker_state state;
    size_t number; /* of the dispatch, once it is open */
    long long beat;
    double came_s, left_s, heard_s; /* came: its node was taken into use */
    char *direct; /* the question that it was asked past the dispatch; NULL = none */
    json_t *direct_answer;
    struct quantity original_s;
    size_t reference; /* the last one that it was told */
    size_t answers;
    char *why; /* it has left */
};

struct remote_question {
    json_t *document, *answer;
    char *name;
    enum dispatch_kind kind;
    uint64_t variant; /* of what is measured ahead; 0 = it is something else */
    bool taken;       /* the search has it, or does not want it any more */
};

struct remote {
    struct remote_opts opts;
    struct dispatch *dispatch;
    struct remote_worker *worker;
    size_t worker_nr, worker_alloc;
    struct remote_question *question; /* by their numbers of the dispatch */
    size_t question_nr, question_alloc;
    size_t direct_nr, ahead_begin;
    json_t *opening;
    struct {
        json_t *document; /* {"plan", "time_s"}; NULL = none */
        size_t number;    /* counts up */
    } reference;
    struct search_costs costs;
    double stop_at_s; /* of the last first run */
    double end_s;     /* of the search; 0 = not known */
    double node_s;    /* that may be used in all */
    bool is_closing;  /* the home alone stays */
    double looked_s;
    bool is_removed; /* the folder */
    char *unread;    /* an answer's name that cannot be read; NULL = none */
    double unread_s;
    struct mailbox_beater *beater;
    struct mailbox_nap nap;
    struct mailbox_patience patience;
    const struct search_subject *subject;
    struct machine *machine;
    int cores;
};

int remote_new(const struct remote_opts *opts, struct remote **out, struct error *err)
{
    struct remote *remote = xcalloc(1, sizeof(*remote));
    remote->opts = *opts;
    remote->node_s = opts->node_s ? opts->node_s(opts->data, 0) : INFINITY;
    remote->patience = (struct mailbox_patience){patience_s, opts->say, opts->data};
    remote->dispatch = dispatch_new(
        &(struct dispatch_opts){.silent_s = opts->silent_s, .least_s = missed_s});
    if (mailbox_make(opts->folder, err) ||
        mailbox_beater_start(opts->folder, MAILBOX_HEAD, &remote->beater, err)) {
        remote_free(remote);
        return -1;
    }
    *out = remote;
    return 0;
}

static void worker_release(struct remote_worker *worker)
{
    free(worker->id);
    free(worker->inbox);
    free(worker->direct);
    free(worker->why);
    json_decref(worker->hello);
    json_decref(worker->direct_answer);
}

static void question_release(struct remote_question *question)
{
    free(question->name);
    json_decref(question->document);
    json_decref(question->answer);
    *question = (struct remote_question){.taken = true};
}

static void tell_to_leave(const struct remote *remote, const struct remote_worker *worker,
                          const struct mailbox_patience *patience)
{
    json_t *question = question_new("leave");
    mailbox_put(remote->opts.folder, worker->inbox, "0-leave.json", question, patience,
                NULL);
    json_decref(question);
}

/* Those who are there need not find out that there is an end where there was none: a file
 * server's clients believe that for a minute. */
static void end_all(const struct remote *remote)
{
    const struct mailbox_patience none = {0};
    mailbox_mark(remote->opts.folder, MAILBOX_END);
    for (size_t i = 0; i < remote->worker_nr; i++)
        if (remote->worker[i].state != WORKER_GONE)
            tell_to_leave(remote, &remote->worker[i], &none);
}

void remote_free(struct remote *remote)
{
    if (!remote)
        return;
    if (remote->beater)
        end_all(remote);
    mailbox_beater_stop(remote->beater);
    for (size_t i = 0; i < remote->worker_nr; i++)
        worker_release(&remote->worker[i]);
    for (size_t i = 0; i < remote->question_nr; i++)
        question_release(&remote->question[i]);
    free(remote->worker);
    free(remote->question);
    free(remote->unread);
    json_decref(remote->opening);
    json_decref(remote->reference.document);
    dispatch_free(remote->dispatch);
    free(remote);
}

static void say(const struct remote *remote, const char *sentence)
{
    if (remote->opts.say)
        remote->opts.say(remote->opts.data, sentence);
}

/* ---- who is there ---- */

static const char *hello_text(const struct remote_worker *worker, const char *key)
{
    const char *text = json_string_value(json_object_get(worker->hello, key));
    return text ? text : "";
}

static struct remote_worker *find_worker(const struct remote *remote, const char *id)
{
    for (size_t i = 0; i < remote->worker_nr; i++)
        if (!strcmp(remote->worker[i].id, id))
            return &remote->worker[i];
    return NULL;
}

/* As the dispatch sees it, which knows of those that are open only. */
static bool is_silent(const struct remote *remote, const struct remote_worker *worker)
{
    double silent_s =
        remote->opts.silent_s > 0 ? remote->opts.silent_s : DISPATCH_SILENT_S;
    return clock_s() - worker->heard_s > silent_s;
}

/* One that is heard of, if any is. */
static struct remote_worker *first_there(const struct remote *remote)
{
    struct remote_worker *silent = NULL;
    for (size_t i = 0; i < remote->worker_nr; i++) {
        struct remote_worker *worker = &remote->worker[i];
        if (worker->state == WORKER_GONE)
            continue;
        if (!is_silent(remote, worker))
            return worker;
        silent = silent ? silent : worker;
    }
    return silent;
}

static void leave(struct remote *remote, struct remote_worker *worker, const char *why)
{
    if (worker->state == WORKER_GONE)
        return;
    if (worker->state == WORKER_OPEN)
        dispatch_leave(remote->dispatch, worker->number);
    worker->state = WORKER_GONE;
    worker->left_s = clock_s();
    worker->why = xstrdup(why);
}

static void admit(struct remote *remote, const char *id)
{
    char *file = xasprintf("%s.json", id);
    json_t *hello = mailbox_read(remote->opts.folder, MAILBOX_WORKERS, file);
    free(file);
    if (!hello)
        return;
    double ran_s = json_number_value(json_object_get(hello, "ran_s"));
    GROW(remote->worker, remote->worker_nr + 1, remote->worker_alloc);
    remote->worker[remote->worker_nr++] =
        (struct remote_worker){.id = xstrdup(id),
                               .inbox = xasprintf(MAILBOX_INBOX "/%s", id),
                               .hello = hello,
                               .number = SIZE_MAX,
                               .beat = -1,
                               .came_s = clock_s() - ran_s,
                               .heard_s = clock_s(),
                               .original_s = quantity_unknown()};
}

static void read_bye(struct remote *remote, const char *id)
{
    struct remote_worker *worker = find_worker(remote, id);
    if (!worker || worker->state == WORKER_GONE)
        return;
    char *file = xasprintf("%s.bye", id);
    json_t *bye = mailbox_read(remote->opts.folder, MAILBOX_WORKERS, file);
    const char *why = json_string_value(json_object_get(bye, "why"));
    leave(remote, worker, why ? why : "it has left");
    json_decref(bye);
    free(file);
}

static void hear(struct remote *remote, struct remote_worker *worker)
{
    char *name = xasprintf(MAILBOX_WORKERS "/%s", worker->id);
    long long beat = mailbox_beat(remote->opts.folder, name);
    free(name);
    if (beat == worker->beat)
        return;
    worker->beat = beat;
    worker->heard_s = clock_s();
    if (worker->state == WORKER_OPEN)
        dispatch_heard(remote->dispatch, worker->number, clock_s());
}

static void send_away(struct remote *remote, struct remote_worker *worker,
                      const char *why)
{
    tell_to_leave(remote, worker, &remote->patience);
    leave(remote, worker, why);
}

/* More workers than the node-seconds that are left last for are sent away, the last ones
 * first; one stays. */
static void save_nodes(struct remote *remote)
{
    double used_node_s = remote_node_s(remote);
    size_t there = 0;
    if (!remote->opts.node_s)
        return;
    remote->node_s = remote->opts.node_s(remote->opts.data, used_node_s);
    double left_node_s = remote->node_s - used_node_s,
           left_s = remote->end_s > 0 ? fmax(remote->end_s - clock_s(), 0)
                                      : remote->opts.lasts_s;
    for (size_t i = 0; i < remote->worker_nr; i++) {
        struct remote_worker *worker = &remote->worker[i];
        there += worker->state != WORKER_GONE;
        if (worker->state == WORKER_GONE || there < 2 ||
            (left_node_s > 0 && (double)there * left_s <= left_node_s))
            continue;
        send_away(remote, worker, "its node-hours are for the others");
        there--;
    }
}

static void look_around(struct remote *remote)
{
    struct strvec names = {0};
    if (clock_s() - remote->looked_s < look_around_s)
        return;
    remote->is_removed = !mailbox_is_one(remote->opts.folder);
    mailbox_list(remote->opts.folder, MAILBOX_WORKERS, &names);
    for (size_t i = 0; i < names.nr; i++) {
        char *dot = strrchr(names.v[i], '.');
        const char *ending = dot ? dot + 1 : "";
        if (dot)
            *dot = 0;
        if (!strcmp(ending, "json") && !find_worker(remote, names.v[i]))
            admit(remote, names.v[i]);
        else if (!strcmp(ending, "bye"))
            read_bye(remote, names.v[i]);
    }
    strvec_release(&names);
    for (size_t i = 0; i < remote->worker_nr; i++)
        if (remote->worker[i].state != WORKER_GONE)
            hear(remote, &remote->worker[i]);
    if (!first_there(remote))
        say(remote, remote->worker_nr ? "waiting: no worker is left; others may come"
                                      : "waiting for a worker");
    save_nodes(remote);
    dispatch_tick(remote->dispatch, clock_s());
    remote->looked_s = clock_s();
}

/* ---- letters ---- */

static int send(struct remote *remote, struct remote_worker *worker, const char *name,
                const json_t *document, struct error *err)
{
    char *file = xasprintf("%s.json", name);
    int status = mailbox_put(remote->opts.folder, worker->inbox, file, document,
                             &remote->patience, err);
    free(file);
    return status;
}

static void limit(json_t *question)
{
    double left_s = spawn_left_s();
    if (!isinf(left_s))
        json_object_set_new(question, "within_s", json_real(left_s));
}

/* Past the dispatch: to this worker alone. Takes the question. */
static int send_direct(struct remote *remote, struct remote_worker *worker,
                       json_t *question, struct error *err)
{
    free(worker->direct);
    json_decref(worker->direct_answer);
    worker->direct_answer = NULL;
    worker->direct = xasprintf("0-first-%zu", ++remote->direct_nr);
    int status = send(remote, worker, worker->direct, question, err);
    json_decref(question);
    return status;
}

/* What is compared with is told with the kernel as written, which then is proved and
 * timed. Before there is any, that is done while the first one, the home, explains it. */
static json_t *opening_for(struct remote *remote, struct remote_worker *worker)
{
    json_t *question = json_copy(remote->opening);
    if (remote->reference.document)
        json_object_set(question, "reference", remote->reference.document);
    else if (worker != first_there(remote))
        json_object_set_new(question, "original", json_true());
    worker->reference = remote->reference.number;
    return question;
}

static int open_workers(struct remote *remote, struct error *err)
{
    for (size_t i = 0; remote->opening && !remote->is_closing && i < remote->worker_nr;
         i++) {
        struct remote_worker *worker = &remote->worker[i];
        if (worker->state != WORKER_HELD)
            continue;
        worker->state = WORKER_OPENING;
        if (send_direct(remote, worker, opening_for(remote, worker), err))
            return -1;
    }
    return 0;
}

static size_t depth_of(const struct remote_worker *worker)
{
    double processors = json_number_value(json_object_get(worker->hello, "processors"));
    return processors > DEPTH_MAX   ? DEPTH_MAX
           : processors > DEPTH_MIN ? (size_t)processors
                                    : DEPTH_MIN;
}

/* It was refused: another node may do better. */
static void opened(struct remote *remote, struct remote_worker *worker)
{
    struct json_at at = json_top("answer", worker->direct_answer);
    struct error why = {0};
    if (answer_status(&at, &why)) {
        send_away(remote, worker, why.text);
        return;
    }
    worker->state = WORKER_OPEN;
    worker->number = dispatch_join(remote->dispatch, depth_of(worker), clock_s());
}

static struct remote_worker *worker_at(const struct remote *remote, size_t number)
{
    for (size_t i = 0; i < remote->worker_nr; i++)
        if (remote->worker[i].state >= WORKER_OPEN && remote->worker[i].number == number)
            return &remote->worker[i];
    return NULL;
}

static struct remote_question *find_question(const struct remote *remote,
                                             const char *name, size_t *number)
{
    const char *dash = strchr(name, '-');
    *number = dash ? strtoul(dash + 1, NULL, 10) : remote->question_nr;
    return *number < remote->question_nr && remote->question[*number].name &&
                   !strcmp(remote->question[*number].name, name)
               ? &remote->question[*number]
               : NULL;
}

static void take_original(struct remote_worker *worker, const json_t *document)
{
    struct json_at at = json_top("answer", document);
    if (json_has(&at, "original_s"))
        json_quantity_at(&at, "original_s", &worker->original_s, NULL);
}

/* What a node cannot do (no room on its disk, no compiler) others can: it is sent away.
 * Alone, its reason is the answer. */
static bool fails_alone(struct remote *remote, struct remote_worker *worker,
                        const json_t *document)
{
    struct json_at at = json_top("answer", document);
    struct error why = {0};
    if (worker->state != WORKER_OPEN || !answer_status(&at, &why) ||
        why.status == STATUS_ILLEGAL || why.status == STATUS_USAGE || /* the plan is */
        dispatch_working(remote->dispatch) < 2)
        return false;
    send_away(remote, worker, why.text);
    return true;
}

/* Takes the document. */
static void take_answer(struct remote *remote, struct remote_worker *worker,
                        const char *name, json_t *document)
{
    size_t number = 0;
    struct remote_question *question = find_question(remote, name, &number);
    take_original(worker, document);
    if (worker->direct && !strcmp(worker->direct, name)) {
        worker->direct_answer = json_incref(document);
        if (worker->state == WORKER_OPENING)
            opened(remote, worker);
    } else if (question && fails_alone(remote, worker, document)) {
        /* others are asked */
    } else if (question && worker->state >= WORKER_OPEN &&
               dispatch_take(remote->dispatch, worker->number, number, clock_s())) {
        question->answer = json_incref(document);
        worker->answers++;
        answer_costs(document, &remote->costs);
    }
    json_decref(document);
}

/* A full disk may have left it so. */
static void note_unread(struct remote *remote, const char *name)
{
    if (!remote->unread || strcmp(remote->unread, name)) {
        free(remote->unread);
        remote->unread = xstrdup(name);
        remote->unread_s = clock_s();
        return;
    }
    const char *at = strchr(name, '@');
    char *id = at ? xstrndup(at + 1, strlen(at + 1) - strlen(".json")) : NULL;
    struct remote_worker *worker = id ? find_worker(remote, id) : NULL;
    if (clock_s() - remote->unread_s > unreadable_s) {
        mailbox_remove(remote->opts.folder, MAILBOX_ANSWERS, name);
        if (worker && worker->state != WORKER_GONE)
            send_away(remote, worker, "an answer of it cannot be read");
    }
    free(id);
}

/* "0-000012@host.17.json" */
static void read_answer(struct remote *remote, char *name, json_t *document)
{
    char *at = strchr(name, '@'), *end = at ? strrchr(at, '.') : NULL;
    mailbox_remove(remote->opts.folder, MAILBOX_ANSWERS, name);
    if (end)
        *at = *end = 0;
    struct remote_worker *worker = end ? find_worker(remote, at + 1) : NULL;
    if (worker)
        take_answer(remote, worker, name, document);
    else
        json_decref(document);
}

static bool read_answers(struct remote *remote)
{
    struct strvec names = {0};
    bool any = false;
    mailbox_list(remote->opts.folder, MAILBOX_ANSWERS, &names);
    for (size_t i = 0; i < names.nr; i++) {
        json_t *document = mailbox_read(remote->opts.folder, MAILBOX_ANSWERS, names.v[i]);
        any = any || document;
        if (document)
            read_answer(remote, names.v[i], document);
        else
            note_unread(remote, names.v[i]);
    }
    strvec_release(&names);
    return any;
}

static int send_questions(struct remote *remote, struct error *err)
{
    size_t to, number;
    while (dispatch_next(remote->dispatch, &to, &number)) {
        struct remote_worker *worker = worker_at(remote, to);
        struct remote_question *question = &remote->question[number];
        limit(question->document);
        if (remote->reference.document && worker->reference != remote->reference.number)
            json_object_set(question->document, "reference", remote->reference.document);
        worker->reference = remote->reference.number;
        int status = send(remote, worker, question->name, question->document, err);
        json_object_del(question->document, "reference");
        if (status)
            return -1;
    }
    return 0;
}

/* One round. *any: an answer has come. */
static int go_round(struct remote *remote, bool *any, struct error *err)
{
    *any = read_answers(remote);
    if (*any)
        remote->nap.seconds = 0;
    look_around(remote);
    if (remote->is_removed)
        return fail(err, STATUS_FAILED,
                    "the folder '%s' is gone: another search may have "
                    "begun in its place",
                    remote->opts.folder);
    return open_workers(remote, err) || send_questions(remote, err) ? -1 : 0;
}

/* One round; waits a little where nothing came. */
static int turn(struct remote *remote, struct error *err)
{
    bool any;
    if (go_round(remote, &any, err))
        return -1;
    if (!any)
        mailbox_nap(&remote->nap);
    return 0;
}

/* ---- asking ---- */

static size_t put_question(struct remote *remote, json_t *document,
                           enum dispatch_kind kind)
{
    size_t number = dispatch_put(remote->dispatch, kind);
    GROW(remote->question, number + 1, remote->question_alloc);
    remote->question[number] =
        (struct remote_question){.document = document,
                                 .name = xasprintf("%d-%08zu", (int)kind, number),
                                 .kind = kind};
    remote->question_nr = number + 1;
    return number;
}

static int fail_lost(const struct remote *remote, struct error *err)
{
    const char *why = NULL, *node = "";
    for (size_t i = 0; i < remote->worker_nr; i++)
        if (remote->worker[i].why) {
            why = remote->worker[i].why;
            node = hello_text(&remote->worker[i], "node");
        }
    return fail(err, STATUS_FAILED,
                "each worker that was asked was lost%s%s%s%s; their output is in '%s'",
                why ? ", the last one on " : "", node, why ? ": " : "", why ? why : "",
                remote->opts.folder);
}

static int fail_home(struct error *err)
{
    return fail(err, STATUS_FAILED, "the node that was left was lost");
}

static bool are_all(const struct remote *remote)
{
    char *path = remote->opts.last
                     ? mailbox_path(remote->opts.folder, "", remote->opts.last)
                     : NULL;
    bool all = path && file_exists(path);
    free(path);
    return all;
}

/* Nobody is there who could be asked, and nobody will come. */
static bool is_deserted(const struct remote *remote)
{
    return remote->is_closing ? !dispatch_working(remote->dispatch)
                              : !first_there(remote) && are_all(remote);
}

/* NULL in *answer: interrupted. */
static int wait_for(struct remote *remote, size_t number, json_t **answer,
                    struct error *err)
{
    *answer = NULL;
    while (!spawn_interrupted()) {
        struct remote_question *question = &remote->question[number];
        enum dispatch_state state = dispatch_state(remote->dispatch, number);
        if (state == DISPATCH_GIVEN_UP || is_deserted(remote))
            return remote->is_closing ? fail_home(err) : fail_lost(remote, err);
        if (state == DISPATCH_ANSWERED) {
            *answer = json_incref(question->answer);
            question_release(question);
            return 0;
        }
        if (turn(remote, err))
            return -1;
    }
    dispatch_drop(remote->dispatch, number);
    return 0;
}

int remote_ask(struct remote *remote, json_t *question, json_t **answer,
               struct error *err)
{
    return wait_for(remote, put_question(remote, question, DISPATCH_HOME), answer, err);
}

const json_t *remote_first(struct remote *remote, struct error *err)
{
    while (!spawn_interrupted()) {
        struct remote_worker *worker = first_there(remote);
        if (worker)
            return worker->hello;
        if (are_all(remote)) {
            fail_lost(remote, err);
            return NULL;
        }
        if (turn(remote, err))
            return NULL;
    }
    fail(err, STATUS_FAILED, "interrupted before a worker came");
    return NULL;
}

/* Until it has answered or left, or is silent while another one is not. */
static int ask_one(struct remote *remote, struct remote_worker *worker, json_t *question,
                   json_t **answer, struct error *err)
{
    size_t number = (size_t)(worker - remote->worker); /* others come meanwhile */
    int status = send_direct(remote, worker, question, err);
    while (!status && !spawn_interrupted()) {
        worker = &remote->worker[number];
        if (worker->state == WORKER_GONE || worker->direct_answer ||
            (is_silent(remote, worker) && first_there(remote) != worker))
            break;
        status = turn(remote, err);
    }
    *answer = json_incref(remote->worker[number].direct_answer);
    return status;
}

int remote_ask_first(struct remote *remote, json_t *question, json_t **answer,
                     struct error *err)
{
    *answer = NULL;
    for (int tries = 0; tries < 3 && !*answer && !spawn_interrupted(); tries++)
        if (!remote_first(remote, err) ||
            ask_one(remote, first_there(remote), json_incref(question), answer, err))
            break;
    json_decref(question);
    if (!*answer)
        return err->status           ? -1
               : spawn_interrupted() ? fail(err, STATUS_FAILED, "interrupted")
                                     : fail_lost(remote, err);
    struct json_at at = json_top("answer", *answer);
    if (!answer_status(&at, err))
        return 0;
    json_decref(*answer);
    *answer = NULL;
    return -1;
}

int remote_open(struct remote *remote, json_t *question, struct error *err)
{
    size_t home;
    remote->opening = question;
    while (!spawn_interrupted() && !dispatch_home(remote->dispatch, &home)) {
        if (turn(remote, err))
            return -1;
        if (!first_there(remote) && are_all(remote))
            return fail_lost(remote, err);
    }
    return spawn_interrupted() ? fail(err, STATUS_FAILED, "interrupted") : 0;
}

void remote_until(struct remote *remote, double end_s)
{
    remote->end_s = end_s;
}

int remote_stay(struct remote *remote, struct error *err)
{
    size_t home;
    remote->is_closing = true;
    save_nodes(remote);
    if (!dispatch_home(remote->dispatch, &home))
        return fail_home(err);
    const struct remote_worker *stays = worker_at(remote, home);
    for (size_t i = 0; i < remote->worker_nr; i++) {
        struct remote_worker *worker = &remote->worker[i];
        if (worker != stays && worker->state != WORKER_GONE)
            send_away(remote, worker, "all variants were measured");
    }
    return turn(remote, err);
}

/* ---- the runner ---- */

static uint64_t variant_of(const struct candidate *candidate)
{
    struct hash hash = hash_begin();
    char *text = candidate_text(candidate);
    hash_text(&hash, text);
    free(text);
    return hash.word[0] ? hash.word[0] : 1;
}

/* The one that was asked ahead; false = none was. */
static bool find_ahead(struct remote *remote, uint64_t variant, size_t *number)
{
    while (remote->ahead_begin < remote->question_nr &&
           remote->question[remote->ahead_begin].taken)
        remote->ahead_begin++;
    for (*number = remote->ahead_begin; *number < remote->question_nr; (*number)++)
        if (remote->question[*number].variant == variant &&
            !remote->question[*number].taken &&
            dispatch_state(remote->dispatch, *number) != DISPATCH_GIVEN_UP)
            return true;
    return false;
}

/* What the others compare with from now on. */
static void take_reference(struct remote *remote, const struct measurement *measurement)
{
    const struct environment plain = {0};
    if (measurement->outcome != RUN_OUTCOME_OK || !measurement->time_s.known ||
        !environments_equal(&measurement->environment, &plain))
        return;
    json_decref(remote->reference.document);
    remote->reference.document = json_pack("{s:s, s:o}", "plan", measurement->plan,
                                           "time_s", json_quantity(measurement->time_s));
    remote->reference.number++;
    size_t home;
    if (!dispatch_home(remote->dispatch, &home))
        return;
    struct remote_worker *worker = worker_at(remote, home); /* knows it already */
    worker->reference = remote->reference.number;
    if (!*measurement->plan)
        worker->original_s = measurement->time_s;
}

static int read_measurement(struct remote *remote, const json_t *answer,
                            struct measurement *out, struct error *err)
{
    struct json_at at = json_top("a worker's answer", answer), here;
    if (answer_status(&at, err) || json_object_at(&at, "measurement", &here, err) ||
        measurement_from_json(&here, out, err))
        return -1;
    return recorded_explain(out, remote->subject, remote->machine, remote->cores, err);
}

static int measure(void *data, const struct candidate *candidate,
                   enum measure_effort effort, double stop_at_s, struct measurement *out,
                   struct error *err)
{
    struct remote *remote = data;
    json_t *answer = NULL;
    size_t number;
    if (effort == MEASURE_QUICK)
        remote->stop_at_s = stop_at_s;
    if (effort != MEASURE_QUICK || !find_ahead(remote, variant_of(candidate), &number))
        number = put_question(remote, question_measure(candidate, effort, stop_at_s),
                              DISPATCH_HOME);
    if (wait_for(remote, number, &answer, err))
        return -1;
    if (!answer) {
        *out = measurement_begun(candidate, RUN_OUTCOME_INTERRUPTED);
        return 0;
    }
    int status = read_measurement(remote, answer, out, err);
    json_decref(answer);
    if (!status && effort == MEASURE_EXPLAIN)
        take_reference(remote, out);
    return status;
}

static int ask_ratio(struct remote *remote, json_t *question, struct quantity *ratio,
                     struct error *err)
{
    json_t *answer = NULL;
    *ratio = quantity_unknown();
    if (remote_ask(remote, question, &answer, err))
        return -1;
    if (!answer)
        return 0;
    struct json_at at = json_top("a worker's answer", answer);
    int status = answer_status(&at, err) || answer_ratio(&at, ratio, err) ? -1 : 0;
    json_decref(answer);
    return status;
}

static int compare(void *data, const struct candidate *a, const struct candidate *b,
                   double seconds, struct quantity *ratio, struct error *err)
{
    return ask_ratio(data, question_compare(a, b, false, seconds), ratio, err);
}

static int look(void *data, const struct candidate *a, const struct candidate *b,
                double seconds, struct quantity *ratio, struct error *err)
{
    return ask_ratio(data, question_compare(a, b, true, seconds), ratio, err);
}

/* As many as answers are taken in order for: more than its depth for each. */
static void window(void *data, size_t *max, size_t *ahead)
{
    const struct remote *remote = data;
    size_t nr = dispatch_working(remote->dispatch);
    *max = AHEAD_EACH * (nr ? nr : 1);
    *ahead = *max / 2;
}

/* What the search has turned away from, beyond what it may come back to. */
static void drop_old(struct remote *remote, size_t most)
{
    size_t open = 0;
    for (size_t i = remote->question_nr; i > remote->ahead_begin; i--) {
        struct remote_question *question = &remote->question[i - 1];
        if (!question->variant || question->taken || open++ < most)
            continue;
        dispatch_drop(remote->dispatch, i - 1);
        question_release(question);
    }
}

/* All that will be asked for, by whoever is free. Nothing is waited for. */
static int prepare(void *data, const struct candidate *candidate, size_t nr,
                   struct error *err)
{
    struct remote *remote = data;
    size_t number, max, ahead;
    bool any;
    for (size_t i = 0; i < nr; i++) {
        uint64_t variant = variant_of(&candidate[i]);
        if (find_ahead(remote, variant, &number))
            continue;
        number = put_question(
            remote, question_measure(&candidate[i], MEASURE_QUICK, remote->stop_at_s),
            DISPATCH_ANY);
        remote->question[number].variant = variant;
    }
    window(remote, &max, &ahead);
    drop_old(remote, 2 * max);
    return go_round(remote, &any, err);
}

/* One more than the home stays, should that be lost. */
static void no_more(void *data)
{
    struct remote *remote = data;
    size_t stay = 2;
    for (size_t i = 0; i < remote->worker_nr; i++) {
        struct remote_worker *worker = &remote->worker[i];
        if (worker->state == WORKER_GONE)
            continue;
        if (worker->state == WORKER_OPEN && stay)
            stay--;
        else if (worker->state == WORKER_OPEN)
            send_away(remote, worker, "all variants were measured");
    }
}

static void costs(void *data, struct search_costs *costs)
{
    *costs = ((struct remote *)data)->costs;
}

static double left_s(void *data)
{
    return remote_left_s(data);
}

struct search_runner remote_runner(struct remote *remote,
                                   const struct search_subject *subject,
                                   struct machine *machine, int cores)
{
    remote->subject = subject;
    remote->machine = machine;
    remote->cores = cores;
    return (struct search_runner){.data = remote,
                                  .measure = measure,
                                  .compare = compare,
                                  .look = look,
                                  .prepare = prepare,
                                  .prepare_min = DEPTH_MIN,
                                  .window = window,
                                  .asks_legality = true,
                                  .no_more = no_more,
                                  .costs = costs,
                                  .left_s = remote->opts.node_s ? left_s : NULL,
                                  .left_of = "its share of the node-hours"};
}

/* ---- what it took ---- */

static double seconds_of(const struct remote_worker *worker)
{
    return (worker->state == WORKER_GONE ? worker->left_s : clock_s()) - worker->came_s;
}

double remote_node_s(const struct remote *remote)
{
    double sum = 0;
    for (size_t i = 0; i < remote->worker_nr; i++)
        sum += seconds_of(&remote->worker[i]);
    return sum;
}

double remote_left_s(const struct remote *remote)
{
    size_t there = 0;
    for (size_t i = 0; i < remote->worker_nr; i++)
        there += remote->worker[i].state != WORKER_GONE;
    return fmax(remote->node_s - remote_node_s(remote), 0) / (double)(there ? there : 1);
}

json_t *remote_workers_json(const struct remote *remote)
{
    json_t *list = json_array();
    for (size_t i = 0; i < remote->worker_nr; i++) {
        const struct remote_worker *worker = &remote->worker[i];
        bool lost = worker->state == WORKER_OPEN &&
                    !dispatch_works(remote->dispatch, worker->number);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:f, s:I, s:o, s:s, s:s?}",
                                              "node", hello_text(worker, "node"), "job",
                                              hello_text(worker, "job"), "id", worker->id,
                                              "seconds", seconds_of(worker), "answers",
                                              (json_int_t)worker->answers, "original_s",
                                              json_quantity(worker->original_s), "state",
                                              worker->state == WORKER_GONE   ? "gone"
                                              : lost                         ? "silent"
                                              : worker->state == WORKER_OPEN ? "working"
                                                                             : "starting",
                                              "why", worker->why));
    }
    return list;
}
