/*
 * Messages between a search and its workers: JSON files of a folder that both see, and
 * nothing else. Each file has one writer and appears whole (written under another name,
 * then renamed). No clock is compared between machines.
 *
 *     workers/ID.json      the worker's hello     workers/ID.beat  its mtime counts up
 *     workers/ID.bye       why it ended           inbox/ID/NAME    a question to it
 *     answers/NAME         an answer              head.beat        of the search
 *     end                  it is over: workers leave
 */
#ifndef SEARCH_MAILBOX_H
#define SEARCH_MAILBOX_H

#include <stdbool.h>

#include "core/files/json.h"

struct error;
struct strvec;

#define MAILBOX_WORKERS "workers"
#define MAILBOX_INBOX   "inbox"
#define MAILBOX_ANSWERS "answers"
#define MAILBOX_END     "end"
#define MAILBOX_HEAD    "head"

/* Seconds between two beats; whoever listens allows for many. */
#define MAILBOX_BEAT_S 2.0

/* Makes the folder, if there is none, and its rooms, for nobody but the user: who could
 * write there would have his code run. One that is there is refused where that is not so,
 * or where another user has put something (trust.h). */
int mailbox_make(const char *folder, struct error *err);
/* One more room of it. */
int mailbox_make_room(const char *folder, const char *room, struct error *err);
bool mailbox_is_one(const char *folder);
/* room/name of the folder. Caller frees. */
char *mailbox_path(const char *folder, const char *room, const char *name);

/* Of a head that others wait for. */
#define MAILBOX_PATIENCE_S 600.0

/*
 * The document under that name. A folder that is full or out of reach is tried again, for
 * `patience_s` at most and until an interrupt; `say` (may be NULL) is told once that it
 * waits, and why.
 */
struct mailbox_patience {
    double seconds;
    void (*say)(void *data, const char *sentence);
    void *data;
};
int mailbox_put(const char *folder, const char *room, const char *name,
                const json_t *document, const struct mailbox_patience *patience,
                struct error *err);
/* A file that says by being there what there is to say; not where it cannot be written
 * now. */
void mailbox_mark(const char *folder, const char *name);
/* The worker has left, and why; likewise. */
void mailbox_bye(const char *folder, const char *worker, const char *why);
/* Names of what is there whole, sorted. A room that cannot be read now is an empty one.
 */
void mailbox_list(const char *folder, const char *room, struct strvec *names);
/* Reads it; NULL = it cannot be read (yet), or is not of the user's own. Caller
 * json_decref's. */
json_t *mailbox_read(const char *folder, const char *room, const char *name);
void mailbox_remove(const char *folder, const char *room, const char *name);

/* The count that a beat stands at; -1 = there is none. */
long long mailbox_beat(const char *folder, const char *name);

/* A thread that counts a beat up, also while this process waits for what it measures. It
 * takes some microseconds every two seconds. */
struct mailbox_beater;
int mailbox_beater_start(const char *folder, const char *name,
                         struct mailbox_beater **beater, struct error *err);
void mailbox_beater_stop(struct mailbox_beater *beater);

/* Waiting between looks at a folder, behind one that found nothing: 1 ms at first ({0}),
 * up to 50 ms, so that a file server is asked 20 times a second at most. */
struct mailbox_nap {
    double seconds;
};
void mailbox_nap(struct mailbox_nap *nap);

#endif
