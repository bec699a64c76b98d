#include "variants/poly.h"

int tree_parallel(struct work *work, const struct plan_step *step, struct error *err)
{
    (void)work, (void)step;
    return fail(err, STATUS_ILLEGAL, "to be written by the owner of this file");
}
