/*
 * Slurm by its own commands: sbatch, squeue, scancel, sinfo. Nothing is linked and
 * nothing of Slurm's is configured.
 *
 * What the queue says is told apart from its silence: a job that squeue does not list has
 * ended, but when the controller does not answer nothing is known of any job.
 */
#ifndef ADVISOR_CLUSTER_SLURM_H
#define ADVISOR_CLUSTER_SLURM_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/array.h"

struct error;

/* ---- to submit ---- */

/* A job array of `node_nr` tasks numbered from 1, each the command on a node of its own.
 * Texts are borrowed; NULL = not given. */
struct slurm_request {
    const char *folder; /* absolute, seen by all nodes: NAME.sh, the batch script, and
                           NAME-TASK.log, what a task prints, are put there */
    const char *name; /* of the jobs; without a slash. No other submission may have it */
    const char *const *command; /* NULL-terminated */
    size_t node_nr;
    const char *partition, *account, *constraint, *time;
    bool exclusive;
    const struct strvec *options; /* of sbatch, passed on as they are, behind ours */
};

/* *id: of the array, all digits; caller frees. Not cut short by an interrupt, since the
 * job would be in the queue all the same. */
int slurm_submit(const struct slurm_request *request, char **id, struct error *err);

/* ---- the queue ---- */

enum slurm_state {
    SLURM_PENDING, /* also requeued, and while its node boots */
    SLURM_RUNNING, /* also suspended; a state that a later Slurm may have */
    SLURM_ENDING,
    SLURM_ENDED
};

struct slurm_task {
    char *id; /* of the array */
    size_t task;
    enum slurm_state state;
    char *word;   /* the state as Slurm calls it: "NODE_FAIL" */
    char *node;   /* "" = none yet */
    char *reason; /* why it waits or has ended: "Priority"; "None" */
};

struct slurm_jobs {
    bool silent;   /* the controller does not answer: the tasks are not known */
    char *silence; /* a sentence why; NULL unless silent */
    struct slurm_task *task;
    size_t task_nr, task_alloc;
};

/* What the queue knows of these arrays. A controller that is silent for `patience_s` is
 * no failure; a missing command is. */
int slurm_jobs(const struct strvec *ids, double patience_s, struct slurm_jobs *jobs,
               struct error *err);
void slurm_jobs_release(struct slurm_jobs *jobs);
/* NULL = not in the queue any more. Not to be asked when it is silent. */
const struct slurm_task *slurm_jobs_find(const struct slurm_jobs *jobs, const char *id,
                                         size_t task);

/* Pure: what squeue printed, without tasks of other arrays. Text that is no answer, or
 * cut off, fails. */
int slurm_read_jobs(const char *text, const struct strvec *ids, struct slurm_jobs *jobs,
                    struct error *err);

/* Cancels whole arrays; those that have ended already are no failure. Also after an
 * interrupt. What remains is to be asked of slurm_jobs. */
int slurm_cancel(const struct strvec *ids, double patience_s, struct error *err);

/* ---- the nodes ---- */

/* Nodes of the partition (NULL = the default one) that are up and run jobs: idle or in
 * use. Nodes that are switched off, drained or kept for something else do not count. */
int slurm_partition_nodes(const char *partition, double patience_s, size_t *nr,
                          struct error *err);
/* Pure: what sinfo printed. */
int slurm_read_nodes(const char *text, const char *partition, size_t *nr,
                     struct error *err);

#endif
