/*
 * A time line as CSV: a line that begins with "# {" and says in JSON what the columns are
 * (inflight.timeline-csv/1), a header, a line for each bin: from_s, to_s, missed, then
 * each event's value, "NAME [UNIT]", and where it was multiplexed its share, "NAME
 * share". Empty = not known.
 */
#ifndef CORE_OBSERVE_TIMELINE_CSV_H
#define CORE_OBSERVE_TIMELINE_CSV_H

#include "core/files/json.h"

struct buf;
struct error;
struct timeline;

void timeline_csv_text(const struct timeline *timeline, struct buf *out);
int timeline_csv_write(const struct timeline *timeline, const char *path,
                       struct error *err);
/* program, end, interval_s, own_cpu_s, events, notes: what the JSON document begins with.
 */
json_t *timeline_about_json(const struct timeline *timeline, const char *schema);

#endif
