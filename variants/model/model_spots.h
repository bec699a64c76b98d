/* What a person may change though no plan does: seen in the source of a function, whether
 * its loops are modelled or not. */
#ifndef VARIANTS_MODEL_SPOTS_H
#define VARIANTS_MODEL_SPOTS_H

#include "variants/model/loop_view.h"

struct ir_function;
struct strvec;

/* Adds to each list what there is, with its line: "lines (line 11)". */
void model_spots(const struct ir_function *function,
                 struct strvec *found); /* of KERNEL_SPOT_NR */

#endif
