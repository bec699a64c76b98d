/* Private to core/machine: the part of a latency curve that cannot be measured. */
#ifndef CORE_MACHINE_PREDICT_H
#define CORE_MACHINE_PREDICT_H

#include "core/machine/curves/shapes.h"

struct error;

/*
 * Adds predicted points beyond the last measured one: up to `reach_gbs`, what all cores
 * together were seen to draw of this mix (0 = not known), and where curve->ceiling_gbs is
 * known up to 0.9 of its low end. Never moves or removes what was measured. The curve has
 * at least one point, the first is the unloaded latency. Adds nothing for a read share
 * that no measured machine comes near. Fails when the shipped shapes cannot be read.
 */
int curve_predict(struct machine_curve *curve, double reach_gbs, struct error *err);

/* The same from shapes at hand. */
void curve_predict_from(const struct shapes *shapes, struct machine_curve *curve,
                        double reach_gbs);

#endif
