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
void documents_release(struct documents *documents);

/* Results and parameters of at least one document; the head is the caller's. */
int documents_space(const struct documents *documents, struct exchange_space *out,
                    struct error *err);

/* "" when there is no such string. */
const char *document_word(const json_t *object, const char *key);

#endif
