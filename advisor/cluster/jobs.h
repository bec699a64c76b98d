/*
 * The jobs of a campaign: submitted, one array for each partition, watched, submitted
 * again where the controller has forgotten them or their time was up, and cancelled.
 */
#ifndef ADVISOR_JOBS_H
#define ADVISOR_JOBS_H

#include <stdbool.h>
#include <stddef.h>

#include "advisor/cluster/slurm.h"

struct error;
struct progress;
struct settings;

struct job_array {
    char *id, *partition; /* partition: NULL = the default one */
    size_t node_nr;
    bool came;        /* a worker of this partition has */
    bool over;        /* it has left the queue, or all its tasks have ended */
    size_t fruitless; /* arrays before it since the last worker of this partition came */
};

struct jobs {
    const struct settings *settings;
    const char *folder; /* of the campaign: "campaign.json", scripts and logs */
    struct progress *progress;
    struct job_array *array; /* also those that are over: whatever is left of them is
                                cancelled at the end */
    size_t nr, alloc;
    struct slurm_jobs queue; /* as it was told last */
    bool any_left;           /* a job waits or runs */
    double asked_s;
};

/* Cancels what a campaign in this folder has left in the queue; fails if that campaign is
 * under way. */
int jobs_clear_old(const char *folder, struct error *err);
/* As the settings want. */
int jobs_submit(struct jobs *jobs, struct error *err);
/* Now and then asks the queue. *told: it was asked now, and has answered. */
int jobs_watch(struct jobs *jobs, bool *told, struct error *err);
/* A worker of the job "12_3" is there. */
void jobs_came(struct jobs *jobs, const char *job);
/* Why a worker of "12_3" cannot be there any more, by what the queue has told; NULL = it
 * may be. Caller frees. */
char *jobs_over(const struct jobs *jobs, const char *job);
/* The first worker of some partition may still come. */
bool jobs_first_may_come(const struct jobs *jobs);
/* None waits or runs, and the queue is not silent about it. */
bool jobs_ended(const struct jobs *jobs);
/* Cancels them all, and says what remains; true = nothing does. */
bool jobs_cancel(struct jobs *jobs);
void jobs_release(struct jobs *jobs);

/* Pure: notes whether the array is over, by what the queue tells; true = it is, and its
 * nodes are to be asked for again. */
bool job_array_is_lost(struct job_array *array, const struct slurm_jobs *queue);

#endif
