#include "core/base/ranges.h"

#include <ctype.h>
#include <stdlib.h>

static int read_number(const char **at, long *number)
{
    char *end;

    if (!isdigit((unsigned char)**at))
        return -1;
    *number = strtol(*at, &end, 10);
    *at = end;
    return 0;
}

int range_next(const char **at, long *low, long *high)
{
    if (!**at || **at == '\n')
        return 0;
    if (read_number(at, low))
        return -1;
    *high = *low;
    if (**at == '-' && (++*at, read_number(at, high)))
        return -1;
    if (*high < *low || (**at && **at != ',' && **at != '\n'))
        return -1;
    *at += **at == ',';
    return 1;
}
