/*
 * A fluid of soft repulsive spheres: what its parts share.
 *
 * All numbers are in reduced units (energy, mass and the larger diameter are 1). The box
 * is a cube with periodic faces. Particles keep their numbers for good, so that after
 * some time neighbours in space are anywhere in memory.
 */
#ifndef PARTICLES_H
#define PARTICLES_H

#include <stdbool.h>
#include <stdint.h>

struct site {
    double x, y, z; /* 0 <= x < box */
    double diameter;
};

struct vector {
    double x, y, z;
};

struct force {
    double x, y, z;
    double energy; /* half of that of every pair */
};

/* Who is near whom. Every pair stands twice, once with each partner, so that threads
 * never write to the same force. */
struct neighbours {
    int *start;            /* [nr + 1]: where the partners of a particle begin in list */
    int *list;             /* [start[nr]] */
    long alloc;            /* elements of list that there is room for */
    struct vector *origin; /* [nr]: where each particle was when the list was made */
    double reach;          /* pairs up to this distance are in the list */
    long made;             /* how often the list was made */
};

struct fluid {
    long nr;
    double box, density, skin, step;
    struct site *site;      /* [nr] */
    struct vector *speed;   /* [nr] */
    struct force *force;    /* [nr] */
    struct neighbours near; /* valid as long as nobody moved by skin / 2 */
};

struct setup {
    long edge; /* particles along an edge of the box: nr = edge^3 */
    long seed;
    double density, temperature, skin, step;
    bool ordered; /* numbers as in space, not shuffled */
};

/* What is conserved, and what tells how the fluid does. */
struct state {
    double potential, kinetic, temperature;
    struct vector momentum;
    uint64_t pairs; /* in the list, each once */
};

/* setup.c: lattice, diameters, velocities. The fluid owns its arrays. */
void fluid_start(struct fluid *fluid, const struct setup *setup);
void fluid_release(struct fluid *fluid);

/* neighbours.c: makes the list anew if somebody moved too far; whether it did. */
bool neighbours_renew(struct fluid *fluid);
void neighbours_release(struct neighbours *near);

/* motion.c: velocity Verlet: half a kick and a drift; the second half of the kick. */
void motion_drift(struct fluid *fluid);
void motion_kick(struct fluid *fluid);

/* state.c: sums in an order that does not depend on the number of threads. */
void state_take(const struct fluid *fluid, struct state *state);

#endif
