#include "search/remote/serve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/files/trust.h"
#include "core/process/spawn.h"
#include "core/process/term.h"
#include "search/remote/mailbox.h"
#include "search/remote/questions.h"

/* An answer that finds no room on the disk is worth waiting for. */
static const double patience_s = 1800, silent_s = 600;
/* A question that cannot be read for so long never will be: it is asked again. */
static const double unreadable_s = 10;

struct serving {
    const struct serve_opts *opts;
    char *folder, *inbox; /* inbox: "inbox/ID" */
    struct mailbox_beater *beater;
    struct mailbox_patience patience;
    long long heard; /* the search's beat, and when it came */
    double heard_at_s;
    double unread_s;    /* since when the next question cannot be read; 0 = it can */
    const char *why;    /* it ends; NULL = it goes on */
    struct strvec seen; /* questions that were told to `prepare` */
};

static int move_in(struct serving *serving, const char *folder, struct error *err)
{
    char *hello = xasprintf("%s.json", serving->opts->id),
         *beat = xasprintf(MAILBOX_WORKERS "/%s", serving->opts->id);
    mailbox_beater_stop(serving->beater);
    serving->beater = NULL;
    free(serving->folder);
    serving->folder = xstrdup(folder);
    serving->heard = -1;
    serving->heard_at_s = clock_s();
    json_t *told = json_copy((json_t *)serving->opts->hello);
    double ran_s = clock_s() - serving->opts->began_s;
    json_object_set_new(told, "ran_s", json_real(ran_s > 0 ? ran_s : 0));
    int status =
        trust_tree(folder, TRUST_OWN, err) ||
                mailbox_make_room(folder, serving->inbox, err) ||
                mailbox_beater_start(folder, beat, &serving->beater, err) ||
                mailbox_put(folder, MAILBOX_WORKERS, hello, told, &serving->patience, err)
            ? -1
            : 0;
    json_decref(told);
    free(hello);
    free(beat);
    return status;
}

/* ---- one question ---- */

static void set_end(const struct json_at *question)
{
    double within_s = 0;
    if (json_has(question, "within_s") &&
        json_number_at(question, "within_s", 0, INFINITY, &within_s, NULL) == 0)
        spawn_end_at(clock_s() + within_s);
}

static int put_answer(const struct serving *serving, const char *name,
                      const json_t *answer, struct error *err)
{
    char *as =
        xasprintf("%.*s@%s.json", (int)strcspn(name, "."), name, serving->opts->id);
    int status = mailbox_put(serving->folder, MAILBOX_ANSWERS, as, answer,
                             &serving->patience, err);
    free(as);
    return status;
}

/* What fails is the answer; only one that cannot be given ends the worker. */
static int answer_one(struct serving *serving, const char *name, const json_t *document,
                      struct error *err)
{
    const struct serve_opts *opts = serving->opts;
    struct json_at question = json_top(name, document);
    struct error why = {0};
    json_t *answer = answer_new(name, opts->id);
    double began_s = clock_s();
    set_end(&question);
    if (opts->answer(opts->data, &question, answer, &why))
        answer_failed(answer, &why);
    spawn_end_at(0);
    json_object_set_new(answer, "took_s", json_real(clock_s() - began_s));
    /* Cut short by a signal, it says nothing: others are asked. */
    int status = spawn_interrupted() ? 0 : put_answer(serving, name, answer, err);
    json_decref(answer);
    return status;
}

static bool asks(const json_t *document, const char *what)
{
    const char *asked = json_string_value(json_object_get(document, "what"));
    return asked && !strcmp(asked, what);
}

static void prepare(struct serving *serving, const struct strvec *names)
{
    const struct serve_opts *opts = serving->opts;
    json_t **fresh = xcalloc(names->nr + 1, sizeof(*fresh));
    struct strvec still = {0};
    size_t nr = 0;
    for (size_t i = 0; i < names->nr; i++) {
        if (strvec_has(&serving->seen, names->v[i]))
            strvec_push(&still, names->v[i]);
        else if ((fresh[nr] = mailbox_read(serving->folder, serving->inbox, names->v[i])))
            nr++;
    }
    /* Alone, the first one is built when it is answered. */
    if (nr > 1 || (nr && names->nr > nr)) {
        opts->prepare(opts->data, (const json_t *const *)fresh, nr);
        strvec_release(&still);
        strvec_push_all(&still, names);
    }
    strvec_release(&serving->seen);
    serving->seen = still;
    for (size_t i = 0; i < nr; i++)
        json_decref(fresh[i]);
    free(fresh);
}

static void note_unread(struct serving *serving)
{
    if (serving->unread_s <= 0)
        serving->unread_s = clock_s();
    if (clock_s() - serving->unread_s > unreadable_s)
        serving->why = "a question could not be read";
}

/* The first of the names; *came: there was one. */
static int serve_next(struct serving *serving, bool *came, struct error *err)
{
    struct strvec names = {0};
    mailbox_list(serving->folder, serving->inbox, &names);
    if (names.nr > 1 && serving->opts->prepare)
        prepare(serving, &names);
    json_t *document =
        names.nr ? mailbox_read(serving->folder, serving->inbox, names.v[0]) : NULL;
    int status = 0;
    *came = document != NULL;
    if (names.nr && !document)
        note_unread(serving);
    else
        serving->unread_s = 0;
    if (document) {
        const char *folder = json_string_value(json_object_get(document, "folder"));
        bool join = asks(document, "join") && folder, leave = asks(document, "leave");
        if (leave)
            serving->why = "it was sent away";
        else if (!join)
            status = answer_one(serving, names.v[0], document, err);
        if (!spawn_interrupted())
            mailbox_remove(serving->folder, serving->inbox, names.v[0]);
        if (join)
            status = move_in(serving, folder, err);
    }
    json_decref(document);
    strvec_release(&names);
    return status;
}

/* ---- its end ---- */

static bool is_over(const struct serving *serving)
{
    char *path = mailbox_path(serving->folder, "", MAILBOX_END);
    bool over = file_exists(path) || !mailbox_is_one(serving->folder);
    free(path);
    return over;
}

static void look_around(struct serving *serving)
{
    long long beat = mailbox_beat(serving->folder, MAILBOX_HEAD);
    if (beat != serving->heard) {
        serving->heard = beat;
        serving->heard_at_s = clock_s();
    }
    if (spawn_interrupted())
        serving->why = "it was ended by a signal";
    else if (is_over(serving))
        serving->why = "the search is over";
    else if (clock_s() - serving->heard_at_s > silent_s)
        serving->why = "nothing was heard of the search any more";
}

int serve(const struct serve_opts *opts, struct error *err)
{
    struct serving serving = {.opts = opts,
                              .inbox = xasprintf(MAILBOX_INBOX "/%s", opts->id),
                              .patience = {patience_s, opts->say, opts->data}};
    struct mailbox_nap nap = {0};
    int status = move_in(&serving, opts->folder, err);
    while (!status) {
        bool came = false;
        look_around(&serving);
        if (serving.why)
            break;
        status = serve_next(&serving, &came, err);
        if (status && is_over(&serving)) { /* nobody wants that answer any more */
            if (err)
                error_clear(err);
            status = 0;
        }
        if (!came)
            mailbox_nap(&nap);
        else
            nap.seconds = 0;
    }
    mailbox_beater_stop(serving.beater);
    if (serving.folder)
        mailbox_bye(serving.folder, opts->id, status ? err->text : serving.why);
    strvec_release(&serving.seen);
    free(serving.folder);
    free(serving.inbox);
    return status;
}
