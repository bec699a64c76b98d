#include "core/base/text.h"

#include <string.h>

bool text_begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}
