/* The track record for the eye: a line of a report, `inflight rules --record`, and
 * forgetting it. */
#ifndef ADVISOR_TRACK_SHOW_H
#define ADVISOR_TRACK_SHOW_H

#include "advisor/cli/settings.h"
#include "advisor/session/track.h"

struct buf;
struct error;

/* "rule wide-loads: right 3 of 4 times here, weight 0.83", of an element of track_json.
 */
void track_line(const json_t *rule, struct buf *out);

/* All rules and machines of the database, as text or, with settings->json, as an array of
 * what track_json has and "machine". */
int track_command(const struct settings *settings, struct error *err);

/* Removes the record of all machines from the database, and says how much it was. */
int track_forget_command(const struct settings *settings, struct error *err);

json_t *track_all_json(const struct track *track);

#endif
