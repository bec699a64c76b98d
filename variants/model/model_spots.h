/* What a person may change though no plan does: seen in the source of a function, whether
 * its loops are modelled or not. */
#ifndef VARIANTS_MODEL_SPOTS_H
#define VARIANTS_MODEL_SPOTS_H

#include "variants/model/loop_view.h"

#include <stddef.h>

struct ir_function;

/* All there is, each once, in the order of the source; the caller frees each `what` and
 * the array. */
size_t model_spots(const struct ir_function *function, struct kernel_found **found);

#endif
