/* Samples and the files they fell into: which code each hit is. */
#ifndef CORE_OBSERVE_SAMPLE_PLACES_H
#define CORE_OBSERVE_SAMPLE_PLACES_H

#include "core/code/code.h"
#include "observe/sample/sample.h"

struct sample_places {
    const struct samples *samples;
    struct image **image; /* of each module; NULL = none can be read */
};
void sample_places_open(struct sample_places *places, const struct samples *samples);
void sample_places_close(struct sample_places *places);

/* False where nothing is known of it. */
bool sample_place(const struct sample_places *places, const struct sample_hit *hit,
                  struct image_place *place);

#endif
