/* Names for people: access classes, and the isl that was linked. */
#include "variants/variants.h"

#include <isl/version.h>

const char *access_class_word(enum access_class access_class)
{
    static const char *const word[] = {"streaming", "strided", "indirect", "invariant",
                                       "irregular"};

    return word[access_class];
}

const char *kernel_isl_version(void)
{
    return isl_version();
}
