/* The levels below L1, the TLB and the streams. Private to cache_model.c. */
#ifndef CORE_TRAFFIC_CACHE_BELOW_H
#define CORE_TRAFFIC_CACHE_BELOW_H

#include "core/traffic/cache_model.h"

enum cache_what {
    CACHE_FETCH,       /* into `slot` of L1, demanded */
    CACHE_FETCH_PAIR,  /* this line and the next one, as one lookup */
    CACHE_FETCH_AHEAD, /* into `level`, unless it is there or above, from L2 on */
    CACHE_VICTIM,      /* dirty, from L1 */
    CACHE_VICTIM_CLEAN,
    CACHE_DROP,        /* from all levels below L1 */
    CACHE_OVERWRITTEN, /* the line in `slot`, if it came from memory */
};

/* Done some requests later, or at once where the model is coupled or so small that
 * nothing is won by waiting. Its sets are filled in here. */
void cache_below_ask(struct cache_model *model, struct cache_request request);
/* Does all that was asked. */
void cache_below_settle(struct cache_model *model);

#endif
