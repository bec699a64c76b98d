/* What inflight doctor found: each obstacle with its remedy, as text and as a document
 * (inflight.doctor/1). */
#ifndef ADVISOR_DOCTOR_H
#define ADVISOR_DOCTOR_H

#include "core/files/json.h"

struct buf;

enum doctor_state {
    DOCTOR_OK,
    DOCTOR_LIMITED, /* it works, but less well, or something cannot be tried */
    DOCTOR_MISSING  /* without it inflight cannot measure or tune here */
};

struct doctor {
    json_t *findings; /* in the order found */
    size_t missing;   /* how many */
};

/* A remedy is a command to paste, as root where `as_root`; NULL = none is needed or none
 * is possible, and the sentence says which. */
struct remedy {
    const char *command;
    bool as_root;
};
void doctor_add(struct doctor *doctor, enum doctor_state state, const char *what,
                struct remedy remedy, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void doctor_release(struct doctor *doctor);

/* For a terminal of `columns`. */
void doctor_text(const struct doctor *doctor, bool colour, int columns, struct buf *out);
json_t *doctor_json(const struct doctor *doctor);

/*
 * What the files of the kernel say: counters, page sizes, limits of processors and
 * memory, hardware threads, clock, frequencies, address randomisation, stepping, stack,
 * where programs may not be started, and a database on another machine. `root` stands
 * before /proc and /sys ("" = this machine). `scratch`: where programs are built;
 * `database`: absolute, NULL = not known.
 */
void doctor_system(struct doctor *doctor, const char *root, const char *scratch,
                   const char *database);

#endif
