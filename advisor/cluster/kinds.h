/* Kinds of nodes in a campaign, and what came of each. */
#ifndef ADVISOR_KINDS_H
#define ADVISOR_KINDS_H

#include "core/base/array.h"
#include "core/files/json.h"

struct buf;
struct spawn_child;

struct kind {
    char *name;   /* "amd-26-17-2c": of its CPU and its cores */
    char *model;  /* as the system says */
    char *key;    /* what it is told by */
    char *folder; /* of its search, and of no other: one that an ended campaign has left
                     behind finds its own gone */
    long long cores;
    struct strvec worker, job; /* ids; worker i is of job i, "" = of none */
    struct spawn_child *child; /* its search; NULL = not begun, or ended */
    bool ended;
    char *winner;   /* its plan, "" = the kernel as written; NULL = not known (yet) */
    double node_s;  /* used so far, as its search says */
    json_t *told;   /* KIND_TOLD, as it was written last; NULL = it was not */
    int status;     /* of the search */
    char *trouble;  /* what it said when it failed; NULL = it did not */
    json_t *report; /* settled; NULL = none */
};

struct kinds {
    struct kind *item;
    size_t nr, alloc;
};

/* Of that hello, new or known. */
struct kind *kinds_of(struct kinds *kinds, const char *folder, const json_t *hello);
void kinds_release(struct kinds *kinds);

/* The kinds side by side: winner, gain, limit, nodes; where the same plan wins and where
 * not, and by which limits they differ. */
void kinds_text(const struct kinds *kinds, struct buf *out);
/* The sentences of these that compare kinds. */
void kinds_sentences(const struct kinds *kinds, struct strvec *out);
/* inflight.campaign/1. Caller json_decref's. */
json_t *kinds_json(const struct kinds *kinds);

#endif
