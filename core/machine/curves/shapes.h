/*
 * Private to core/machine: how the latency of memory rises with the load on machines that
 * were measured (data/shapes.json, schema inflight.shapes/1). A shape is y(u): latency
 * over unloaded latency, against bandwidth over the best bandwidth of that read share.
 */
#ifndef CORE_MACHINE_SHAPES_H
#define CORE_MACHINE_SHAPES_H

#include "core/machine/machine.h"

struct error;

enum { SHAPE_MACHINES_MAX = 32 };

/* Several result sets of one CPU type with one kind of memory are one machine: their mean
 * counts. */
struct shape_machine {
    char *name;
    struct machine *profile;
    size_t profile_nr, profile_alloc;
};

struct shapes {
    struct shape_machine *machine;
    size_t machine_nr, machine_alloc;
    double widening;         /* >= 1: of the least and the greatest rise over machines */
    double read_share_reach; /* how far beyond a machine's curves they still serve */
};

/* `without`: the name of a profile; its machine is left out (to test against it). NULL =
 * all. Caller releases. */
int shapes_load(const char *without, struct shapes *shapes, struct error *err);
void shapes_release(struct shapes *shapes);

/* Has this machine curves near enough to that read share? */
bool shape_serves(const struct shapes *shapes, const struct shape_machine *machine,
                  double read_share);
/* y at u, linear between measured points and between read shares; u outside [0, 1] is
 * taken as the near end. */
double shape_y(const struct shape_machine *machine, double read_share, double u);
/* The least u with that y; 0 for y <= 1, 1 for more than the shape has. */
double shape_u(const struct shape_machine *machine, double read_share, double y);

/* Of the rises of n >= 1 machines (any order, >= 0; reordered): the median, between the
 * least divided and the greatest multiplied by the widening. */
struct quantity shapes_spread(const struct shapes *shapes, double *rise, size_t nr);

#endif
