/* The force on every particle from those near to it. */
#ifndef FORCES_H
#define FORCES_H

#include "particles.h"

/* Forces and energies of the particles begin .. end - 1 into force[begin .. end - 1]:
 * Weeks, Chandler and Andersen's potential, 4 e (s^12 - s^6) + e up to its minimum, with
 * s the mean diameter of the pair over the distance. `start`, `list`: struct neighbours.
 */
void forces_range(long begin, long end, double box, const int *restrict start,
                  const int *restrict list, const struct site *restrict site,
                  struct force *restrict force);

/* The same for all particles, by all threads. */
void forces_all(struct fluid *fluid);

#endif
