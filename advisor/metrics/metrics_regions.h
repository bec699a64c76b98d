/* inflight metrics --regions: what a program with markers left, a column for each of its
 * regions, summed over threads and processes. */
#ifndef ADVISOR_METRICS_REGIONS_H
#define ADVISOR_METRICS_REGIONS_H

#include "advisor/metrics/metrics_columns.h"
#include "observe/observe.h"

/* The `source` of their counts: columns of one origin that have it are parts of one
 * program, and not versions of each other. */
#define METRICS_REGIONS_SOURCE "region markers"

/* Runs of one program, each with a folder of its own. */
struct metrics_regions {
    const char *origin;           /* as the user named them */
    const struct strvec *folder;  /* one a run */
    const struct strvec *name;    /* of the runs, for notes */
    const struct region_end *end; /* one a run; NULL = nothing is known of their ends */
    bool here;                    /* they ran on this machine; else their hosts tell */
};

/* Adds a column for each region, that with most time of its own first: the runs that have
 * it made one, by its calls. Refused: a folder that is none or holds nothing, runs of
 * different programs. `note`: of all columns. */
int metrics_add_regions(struct metrics_report *report, const struct metrics_regions *from,
                        const struct strvec *note, struct error *err);

/* settings->regions, FOLDER[,FOLDER...]. */
int metrics_read_regions(struct metrics_report *report, struct error *err);
/* settings->program: run once for each set of events that its threads can count at once.
 * What it leaves is kept in settings->regions/1, /2, ... unless that is "--". */
int metrics_run_regions(struct metrics_report *report, struct error *err);

/* What one run counted of a region; events that did not count all of it are unknown. */
struct count_set metrics_region_counts(const struct region_profile *profile,
                                       const struct region *region);
/* Adds to note what to mind of them. */
void metrics_region_notes(const struct region_profile *profile,
                          const struct region *region, struct strvec *note);

#endif
