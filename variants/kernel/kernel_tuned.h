/*
 * A kernel with other values of its tunables: models of the edited text, made when a plan
 * asks for them and kept for the next one. Private to variants/kernel*.c.
 */
#ifndef VARIANTS_KERNEL_TUNED_H
#define VARIANTS_KERNEL_TUNED_H

#include "variants/directives/tunable.h"
#include "variants/emit/emit.h"
#include "variants/kernel/kernel_view.h"

struct buf;

struct kernel;

/* The function and its model with these values. */
struct tuned {
    long long *value; /* one for each tunable */
    struct ir_function *function;
    struct model *model;
    unsigned long used; /* larger = later */
};

enum { TUNED_MAX = 8 };

struct kernel_tuned {
    struct tunables tunables;
    struct kernel_tunable *view;
    struct tuned item[TUNED_MAX];
    unsigned long clock;
};

/* Finds what the kernel's words call tunable. */
int kernel_tuned_open(struct kernel *kernel, struct error *err);
void kernel_tuned_release(struct kernel *kernel);
/* tunable and constraint of the view */
void kernel_tuned_view(const struct kernel *kernel, struct kernel_view *view);
/*
 * The model that the plan works on: of the file as it is, or with what its set steps say.
 * Borrowed until TUNED_MAX others were asked for. STATUS_USAGE for a tunable that there
 * is not, a value that is not among those listed, a constraint that is not kept. `notes`
 * (may be NULL) gets constraints that could not be looked at, a sentence a line.
 */
int kernel_tuned_model(struct kernel *kernel, const struct plan *plan,
                       struct model **model, struct buf *notes, struct error *err);

#endif
