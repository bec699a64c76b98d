/*
 * A Slurm of its own on this machine, with as many nodes as are asked for, in a scratch
 * folder: slurmctld, and a slurmd a node, each of which (with all its jobs) has one
 * processor, in turn. Needs no root, no munge, no service; without authentication, so
 * never for others.
 *
 * Every daemon has a guard, a process of ours that all descendants of the daemon belong
 * to. A guard ends them all when it is told to, and when we end in whatever way.
 *
 *     partitions p (all nodes, the default), q (the last), u (all, preempts jobs of p)
 *     features n1, n2 ... of the nodes, for --constraint
 */
#ifndef TESTS_ADVISOR_CLUSTER_SLURM_FIXTURE_H
#define TESTS_ADVISOR_CLUSTER_SLURM_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct error;

enum { SLURM_FIXTURE_NODES_MAX = 16 };

struct slurm_fixture {
    char *dir, *conf; /* conf: for SLURM_CONF, which is set in our environment */
    size_t node_nr;
    struct slurm_daemon *daemons; /* the controller, then the nodes; shared with guards */
    char *conf_before;            /* of our environment; NULL = none */
};

/* Waits until all nodes are idle. `last_cpus`: processors that the last node tells of, 0
 * = one as the others. On failure nothing is left. */
int slurm_fixture_start(struct slurm_fixture *fixture, size_t node_nr, int last_cpus,
                        struct error *err);
/* Ends all that was started; also after a failed start, and twice. */
void slurm_fixture_stop(struct slurm_fixture *fixture);

/* Processes of this machine that have to do with it, but the guards. */
size_t slurm_fixture_processes(const char *dir);

/* Nodes are numbered from 1 as their names: n1, n2 ... */

/* The node dies with all that runs on it. */
void slurm_fixture_kill_node(struct slurm_fixture *fixture, size_t node);
/* Its daemon alone dies, its jobs go on. */
void slurm_fixture_kill_daemon(struct slurm_fixture *fixture, size_t node);
/* A node, or a daemon, that was killed is there again; returns before it is idle. */
void slurm_fixture_start_node(struct slurm_fixture *fixture, size_t node);

/* It ends in order; who asks is refused the connection. */
void slurm_fixture_end_controller(struct slurm_fixture *fixture);
/* It dies, and may forget what it has not written yet (of the last 5 s). */
void slurm_fixture_kill_controller(struct slurm_fixture *fixture);
/* It dies, and forgets all jobs. */
void slurm_fixture_forget(struct slurm_fixture *fixture);
/* It stands still; who asks waits for an answer. */
void slurm_fixture_freeze_controller(struct slurm_fixture *fixture);
/* Whatever was done to it, it is there again and answers. */
int slurm_fixture_start_controller(struct slurm_fixture *fixture, struct error *err);

#endif
