/* The small sizes at which a variant is compared with the original. Private to variants.
 */
#ifndef VARIANTS_VERIFY_CASES_H
#define VARIANTS_VERIFY_CASES_H

#include "variants/kernel/kernel_parts.h"

enum { VERIFY_EXTRA_MAX = 16 };

struct verify_case {
    char *text;  /* "n=3 m=5" */
    char *brief; /* "3 x 5" */
    struct strvec args;
};
struct verify_cases {
    struct verify_case *item;
    size_t nr, alloc;
};
void verify_case_release(struct verify_case *item);
void verify_cases_release(struct verify_cases *cases);

/* All size parameters not alike, and each far above and far below the others; then alike,
 * around each constant both, and behind the product of two; never above what the kernel
 * is bound to, since a function may hold no more. `extra`: constants to try sizes around.
 * Then the ends of narrow types and no trips at all, where the function can be told to be
 * defined there. Then what `rests_on` (as kernel_check says it; may be NULL) promises to
 * be tested at run time: sizes on both sides of those from which on the new loops run,
 * and calls in which arrays overlap. Sizes of more than `bytes_max` are left out. The
 * kernel's own sizes are as before afterwards. */
int verify_cases_make(struct kernel *kernel, const long long *extra, size_t extra_nr,
                      double bytes_max, const char *rests_on, struct verify_cases *cases,
                      struct error *err);

/* The present sizes; caller frees. */
char *sizes_text(const struct kernel *kernel);  /* "n=3 m=5" */
char *sizes_brief(const struct kernel *kernel); /* "3 x 5" */
char *sizes_names(const struct kernel *kernel); /* "n x m" */

#endif
