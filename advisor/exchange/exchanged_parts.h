/* What the two halves of exchanged.h share. */
#ifndef ADVISOR_EXCHANGED_PARTS_H
#define ADVISOR_EXCHANGED_PARTS_H

#include "core/store/store.h"

/* inflight.measurement/1, one a variant, each with its timestamp. */
struct documents {
    json_t **item;
    size_t nr, alloc;
    struct error *err; /* of the callback that fills it */
};
#endif
