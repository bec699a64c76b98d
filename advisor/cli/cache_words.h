/* The caches of the model as the command line describes them. */
#ifndef ADVISOR_CACHE_WORDS_H
#define ADVISOR_CACHE_WORDS_H

#include "core/traffic/traffic.h"

/* "L1=32KiB:8,L2=1MiB:16,L3=8MiB:16:inclusive": ascending from L1, bytes, then ways and
 * inclusive or exclusive where told. Fills level and level_nr of the geometry. */
int cache_words_read(const char *text, struct traffic_geometry *geometry,
                     struct error *err);
/* --line: a power of two from 8 to 4096. */
int cache_line_read(long long bytes, struct traffic_geometry *geometry,
                    struct error *err);

#endif
