/* Which transformations are legal on a kernel, each on its typical plans. Private to
 * advisor. */
#ifndef ADVISOR_SHOW_PLANS_H
#define ADVISOR_SHOW_PLANS_H

#include "core/base.h"
#include "core/files/json.h"
#include "variants/kernel/kernel_view.h"

/* A list of {transformation, plan, legal, verdict, reason, assumptions}; verdict is
 * "legal", "legal under assumptions", "illegal" or "not applicable". New reference. */
json_t *show_plans_json(struct kernel *kernel, const struct kernel_view *view);
/* The same as lines; assumptions are numbered and listed below. */
void show_plans_text(const json_t *plans, struct buf *out);

#endif
