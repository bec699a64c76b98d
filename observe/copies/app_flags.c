#include "observe/copies/copies.h"

#include <stdlib.h>
#include <string.h>

#include "core/code/code.h"
#include "observe/sample/sample.h"

/* gcc's begins so: "GNU C17 12.2.0 -march=x86-64 -g". */
static bool has_flags(const char *producer)
{
    return strstr(producer, " -") != NULL;
}

char *app_flags(const struct samples *samples, const char *file)
{
    char *flags = NULL;
    for (size_t i = 0; i < samples->module_nr && !flags; i++) {
        char *producer = producer_of(samples->module[i].path, file);
        if (producer && has_flags(producer))
            flags = producer_flags(producer);
        free(producer);
    }
    return flags;
}
