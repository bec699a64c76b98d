#include "core/machine/topology/arch.h"

#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/files/fs.h"

/* The line's value if its key, without the blanks before the colon, is `key`. */
static const char *value_of(const char *line, const char *key)
{
    size_t length = strlen(key);

    if (strncmp(line, key, length) != 0)
        return NULL;
    line += length;
    line += strspn(line, " \t");
    return *line == ':' ? line + 1 + strspn(line + 1, " \t") : NULL;
}

bool cpuinfo_value(const char *key, char *value, size_t size)
{
    struct buf text = {0};
    const char *line = "", *found = NULL;

    if (!file_read("/proc/cpuinfo", &text, NULL))
        line = buf_str(&text);
    while (*line && !(found = value_of(line, key))) {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    if (found)
        snprintf(value, size, "%.*s", (int)strcspn(found, "\n"), found);
    buf_release(&text);
    return found != NULL;
}
