/* Constants of the user's file as a part of the space: which combinations there are, and
 * the way from one to a better one. */
#ifndef SEARCH_TUNABLES_H
#define SEARCH_TUNABLES_H

#include "search/session/engine.h"

/* The combinations that are counted and listed; beyond, only guided search goes. */
enum { TUNABLES_COMBINATIONS_MAX = 1000000 };

/* Values of all tunables, one row for each combination that keeps to the constraints;
 * those of the file come first, whether the list has them or not. */
struct combinations {
    long long *value; /* nr rows of `width` */
    size_t nr, width, alloc;
    bool all; /* false = there are more than TUNABLES_COMBINATIONS_MAX */
};
/* One row, the file's, when there is nothing tunable. */
void combinations_find(const struct kernel_view *view, struct combinations *out);
void combinations_release(struct combinations *combinations);

/* Puts the row's values into the choice; those that the file has already need no step. */
void choice_take(const struct kernel_view *view, const long long *value,
                 struct choice *choice);
/* The values under a choice, `view->tunable_nr` of them. */
void choice_values(const struct kernel_view *view, const struct choice *choice,
                   long long *value);

/*
 * Quick runs from measurement *best on: values whose tiles fill half of a cache level
 * first, all tunables alike, then one tunable after the other to the next smaller and
 * larger value as long as that is faster. *best becomes the fastest.
 */
int tunables_climb(struct session *session, size_t *best, struct error *err);

#endif
