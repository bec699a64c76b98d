#include "variants/poly.h"

int tree_pad(struct work *work, const struct plan_step *step, struct error *err)
{
    (void)work, (void)step;
    return fail(err, STATUS_ILLEGAL, "to be written by the owner of this file");
}

int tree_nontemporal(struct work *work, const struct plan_step *step, struct error *err)
{
    (void)work, (void)step;
    return fail(err, STATUS_ILLEGAL, "to be written by the owner of this file");
}

void work_memory_free(struct work *work)
{
    free(work->padding);
    free(work->streamed);
}
