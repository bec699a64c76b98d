/* Building ahead what a list of choices will need. */
#ifndef SEARCH_PREBUILD_H
#define SEARCH_PREBUILD_H

#include "search/session/engine.h"

/* The i-th choice of a list. */
struct ahead_list {
    void *data;
    struct choice (*at)(void *data, size_t i);
    size_t nr;
    bool unasked;           /* whoever measures may ask whether they are legal */
    size_t ready;           /* those before it have been prepared; begins as 0 */
    size_t max;             /* as many were built together last time; begins as 0 */
    size_t asked, measured; /* of those that were prepared without a gap: how many, and
                               measurements before the first of them; begin as 0 */
};

/*
 * Call it before choice i is measured. When none from i on has been prepared, the next
 * legal ones that were not measured yet are built together (search_runner.prepare), each
 * time twice as many as before, up to what the runner wants and the number of variants
 * allows: what was built for a list that is left early is no more than what was measured
 * of it. Does nothing where the runner has nothing to prepare.
 */
int session_prebuild(struct session *session, struct ahead_list *list, size_t i,
                     struct error *err);

/* list->at for struct choices: data = the list. */
struct choice choices_at(void *data, size_t i);

#endif
