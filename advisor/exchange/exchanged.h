/*
 * Sessions as spaces that other tuners read (core/store/exchange.h), and such spaces as
 * sessions. A measurement is an inflight.measurement/1 document; one that came from
 * elsewhere has the keys configuration, figures, costs_ns, correctness, timestamp, more
 * beside (docs/formats.md).
 */
#ifndef ADVISOR_EXCHANGED_H
#define ADVISOR_EXCHANGED_H

#include "core/store/store.h"

/* The session's measurements: of each variant the last, or the last that is explained.
 * Fails for sessions without any, and for those of sweeps. */
int space_of_session(struct store *store, const struct store_session *session,
                     struct exchange_space *out, struct error *err);

/* The same of a space that was recorded whole, a file of inflight.space/1. */
int space_of_dataset(const char *path, struct exchange_space *out, struct error *err);

/* What import stores. */
struct imported {
    const char *path;
    enum exchange_format format;
    const char *note; /* what was put right in the file; NULL = nothing */
};

/* One finished session with all results, or nothing: command "import", title the kernel's
 * name, report inflight.imported/1. */
int session_of_space(struct store *store, const struct exchange_space *space,
                     const struct imported *imported, long long *session,
                     struct error *err);

/* The report inflight.imported/1 for people: the fastest configurations, or with
 * `evidence` all of them. */
void space_text(const json_t *report, bool colour, bool evidence, int columns,
                struct buf *out);

#endif
