/* One measurement per point of a series, kept in the session database as it goes. */
#ifndef ADVISOR_SWEEP_H
#define ADVISOR_SWEEP_H

#include <stddef.h>

struct context;
struct error;
struct progress;
struct series;
struct series_point;
struct store;
struct sweep_axes;

struct sweep_runner {
    void *data;
    /* Fills the point's state and figures. A failure is one of this point: its reason is
     * recorded and the sweep goes on. A point left pending was cut short. */
    int (*measure)(void *data, const struct sweep_axes *axes, struct series_point *point,
                   struct error *err);
};

/* Takes over the points that the session has already; what cannot be read is measured
 * again. *nr: how many. */
int series_load(struct series *series, struct store *store, long long session, size_t *nr,
                struct error *err);

/* Measures the points that are pending, in order, until done, interrupted, or over the
 * budget (seconds; a point that began is ended). Each is saved before the next begins. */
int series_measure(struct series *series, const struct sweep_runner *runner,
                   struct store *store, long long session, double budget_s,
                   struct progress *progress, struct error *err);

/* The runner that measures: the workbench's kernel at the point's sizes, its plan. */
struct sweep_runner sweep_live(struct context *bench);

/* inflight measure --sweep. */
int sweep_command(struct context *bench, struct error *err);

#endif
