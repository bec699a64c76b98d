/* A worker: answers the questions of a folder, one after the other, until the search is
 * over. */
#ifndef SEARCH_SERVE_H
#define SEARCH_SERVE_H

#include "core/files/json.h"

struct error;

struct serve_opts {
    const char *folder;
    const char *id;      /* of this worker: a plain file name */
    const json_t *hello; /* what it is: "worker"; "ran_s" is added */
    double began_s;      /* of clock_s(): when its job began; NAN = it has none */
    /* Fills the answer to one question. Not asked: "join" {"folder"}, the questions that
     * follow are in that folder, and "leave". */
    int (*answer)(void *data, const struct json_at *question, json_t *answer,
                  struct error *err);
    /* Questions that wait, told once before the first of them is answered: what they need
     * can be built together. May be NULL. */
    void (*prepare)(void *data, const json_t *const *question, size_t nr);
    void *data;
    void (*say)(void *data, const char *sentence); /* may be NULL */
};

/* 0 when the search is over or an interrupt came, which the folder is told. */
int serve(const struct serve_opts *opts, struct error *err);

#endif
