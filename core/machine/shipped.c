/* Profiles by name or path. */
#include <stdlib.h>
#include <string.h>

#include "core/machine/profile.h"

static const char *const shipped[] = {"skl", "knl", "a64fx"};

/* Levenshtein's distance; the names are short. */
static size_t distance(const char *a, const char *b)
{
    size_t row[64], length = strlen(b);

    if (length + 1 > ARRAY_SIZE(row))
        return length;
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            size_t gap = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;

            diagonal = row[j];
            row[j] = change < gap ? change : gap;
        }
    }
    return row[length];
}

static int unknown_name(const char *spec, struct error *err)
{
    struct buf list = {0};
    const char *near = NULL;
    size_t least = 3;

    for (size_t i = 0; i < ARRAY_SIZE(shipped); i++) {
        size_t off = distance(spec, shipped[i]);

        buf_addf(&list, "%s%s", i ? ", " : "", shipped[i]);
        if (off < least) {
            least = off;
            near = shipped[i];
        }
    }
    if (near)
        fail(err, STATUS_INPUT, "there is no machine profile '%s'; did you mean '%s'?",
             spec, near);
    else
        fail(err, STATUS_INPUT,
             "there is no machine profile '%s'; give the path of one, or one of: %s",
             spec, buf_str(&list));
    buf_release(&list);
    return -1;
}

int machine_load(const char *spec, struct machine *machine, struct error *err)
{
    *machine = (struct machine){0};
    for (size_t i = 0; i < ARRAY_SIZE(shipped); i++)
        if (strcmp(spec, shipped[i]) == 0) {
            char *name = xasprintf("core/machine/profiles/%s.json", spec), *path = NULL;
            int result =
                shipped_path(name, &path, err) || machine_read(path, machine, err) ? -1
                                                                                   : 0;

            free(name);
            free(path);
            return result;
        }
    if (!file_exists(spec) && !strpbrk(spec, "/."))
        return unknown_name(spec, err);
    return machine_read(spec, machine, err);
}
