/* Heat in a plate of n x n points. */
#ifndef STEP_H
#define STEP_H

#define CONDUCTIVITY 0.125

/* One step in time; the rim keeps its heat. */
void step(long n, double next[n][n], const double now[n][n]);

#endif
