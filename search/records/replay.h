/* Measurements saved, and explained elsewhere and later. */
#ifndef SEARCH_REPLAY_H
#define SEARCH_REPLAY_H

#include "core/machine/machine.h"
#include "search/session/measured.h"
#include "variants/kernel/kernel_view.h"

struct error;

/* What a saved measurement needs to be explained: none of it is there in documents of
 * earlier versions. Borrowed. */
struct measurement_origin {
    const struct machine *machine; /* as it explained the measurement; NULL = not told */
    int cores;                     /* loaded alike; 0 = not told */
    struct kernel_counts counts;   /* of one call */
    /* NULL = not told */
    const char *kernel, *file, *hash, *compiler, *date;
};
/* inflight.measurement/1 with its origin: measurement_to_json and the keys machine,
 * cores, counts, kernel, file, hash, compiler, date. Documented in
 * docs/internals/formats.md. */
json_t *measurement_save_json(const struct measurement *measurement,
                              const struct measurement_origin *origin);

struct measurement_replay {
    struct measurement measurement;   /* with occupancy */
    struct machine machine;           /* that explained it */
    struct measurement_origin origin; /* as saved, `cores` and `machine` as used */
    char *measured_on; /* name of the machine that it was measured on; NULL = not told */
    bool elsewhere;    /* explained by another machine's profile than it was saved with */
    json_t *document;  /* owned; the origin's texts point into it */
};
/*
 * The saved measurement with the same occupancy again; nothing is measured. `other` (NULL
 * = the saved profile) explains it instead; `cores` 0 = as saved, else as that machine
 * has. Fails where there is nothing to explain or nothing that explains it.
 */
int measurement_replay(const char *path, const struct machine *other, int cores,
                       struct measurement_replay *out, struct error *err);
void measurement_replay_release(struct measurement_replay *replay);

#endif
