/*
 * The jobs of a campaign: submitted, one array for each partition, watched, submitted
 * again where the controller has forgotten them or their time was up, and cancelled. All
 * that knows of Slurm is the script inflight-slurm, which is started for each of these.
 */
#ifndef ADVISOR_JOBS_H
#define ADVISOR_JOBS_H

#include <stdbool.h>

#include "core/files/json.h"

struct error;
struct progress;
struct settings;

struct jobs {
    const struct settings *settings;
    const char *folder; /* of the campaign: "campaign.json", scripts and logs */
    struct progress *progress;
    bool any;     /* they were asked for */
    json_t *told; /* of the queue, as it was told last; NULL = not yet */
    bool silent;  /* the controller did not answer then */
    double asked_s;
};

/* Cancels what a campaign in this folder has left in the queue; fails if that campaign is
 * under way. */
int jobs_clear_old(const struct jobs *jobs, struct error *err);
/* As the settings want. */
int jobs_submit(struct jobs *jobs, struct error *err);
/* Now and then asks the queue. *told: it was asked now, and has answered. */
int jobs_watch(struct jobs *jobs, bool *told, struct error *err);
/* A worker of the job "12_3" is there. */
void jobs_came(struct jobs *jobs, const char *job);
/* Why a worker of "12_3" cannot be there any more, by what the queue has told; NULL = it
 * may be. Borrowed until it is asked again. */
const char *jobs_over(const struct jobs *jobs, const char *job);
/* The first worker of some partition may still come. */
bool jobs_first_may_come(const struct jobs *jobs);
/* None waits or runs, and the queue is not silent about it. */
bool jobs_ended(const struct jobs *jobs);
/* Cancels them all, and says what remains; true = nothing does. */
bool jobs_cancel(struct jobs *jobs);
void jobs_release(struct jobs *jobs);

#endif
