/*
 * The track record: how often each rule was right on this machine. Counted when a session
 * ends; what was often wrong weighs less in the next search.
 */
#ifndef ADVISOR_TRACK_H
#define ADVISOR_TRACK_H

#include "core/files/json.h"

struct advice;
struct error;
struct store;

struct rule_record;
struct search_result;

struct track_rule {
    char *machine, *rule;
    size_t hits, misses;
    size_t bounds, broken; /* predictions that were tried; those that were exceeded */
};
struct track {
    struct track_rule *item;
    size_t nr, alloc;
    struct rule_record *record; /* of item[i]: borrows its rule */
};
void track_release(struct track *track);

/* Of a machine (NULL = of each), as of `until` (NULL = now), a date of the database. */
int track_read(struct store *store, const char *machine, const char *until,
               struct track *track, struct error *err);

/*
 * "hit", "miss", or "open" = not measured. A `try` hits when the measured gain is beyond
 * the noise: its interval above 1, its value 1.01 at least; an `avoid` or `stop` that was
 * measured all the same hits when there was no such gain.
 */
const char *track_outcome(const struct advice *advice);
/* What was measured lies above the predicted bound, with both intervals. */
bool track_is_broken(const struct advice *advice);

/*
 * (hits + 2) / (hits + misses + 2): the rule of succession with two hits given in
 * advance and none missed, so that no record leaves the weight as the recipe says, one
 * miss takes a third, two take half, and hits bring it back.
 */
double track_factor(size_t hits, size_t misses);

/* What the session found; saved again it is the same. */
int track_save(struct store *store, long long session, const char *machine,
               const char *kernel, const struct search_result *result, struct error *err);

/* [{"rule", "right", "judged", "bounds", "broken", "factor"}]: of the rules that the
 * search had an opinion of, in its order; NULL = none was judged before. */
json_t *track_json(const struct track *track, const struct search_result *result);

#endif
