/* Axes of a kernel with the sizes n and m and the number alpha. */
#ifndef TESTS_ADVISOR_COMPARE_AXES_H
#define TESTS_ADVISOR_COMPARE_AXES_H

#include "advisor/sweep/sweep_axes.h"
#include "variants/kernel/kernel_view.h"

struct error;

static const struct kernel_param axes_params[] = {{.name = "n", .is_integer = true},
                                                  {.name = "m", .is_integer = true},
                                                  {.name = "alpha"}};
static const struct kernel_view axes_view = {.param = axes_params,
                                             .param_nr = ARRAY_SIZE(axes_params)};

/* Axes separated by spaces. */
static inline int read_axes(const char *words, struct sweep_axes *axes, struct error *err)
{
    struct strvec list = {0};
    int status;

    strvec_split(&list, words);
    status = sweep_axes_read(&list, &axes_view, axes, err);
    strvec_release(&list);
    return status;
}

#endif
