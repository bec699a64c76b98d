/* How much isl may do. */
#ifndef VARIANTS_MODEL_BUDGET_H
#define VARIANTS_MODEL_BUDGET_H

#include <stdbool.h>

struct error;
struct model;

/* So many operations of isl, and as many numbers made by it, from here on; 0 =
 * no limit, for what is no analysis. One model at a time. */
void isl_budget(struct model *model, unsigned long operations);
bool isl_ran_out(const struct model *model); /* since isl_budget */
/* Fails when the operations ran out or isl reported an error since isl_budget; puts the
 * context in order again. */
int isl_check(struct model *model, bool null, struct error *err);

#endif
