/* What lies in a shipped folder. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/fs.h"

/* NULL if it is no JSON file's. */
static char *name_of(const char *file)
{
    static const char suffix[] = ".json";
    size_t length = strlen(file), end = strlen(suffix);

    if (file[0] == '.' || length <= end || strcmp(file + length - end, suffix) != 0)
        return NULL;
    return xstrndup(file, length - end);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int shipped_names(const char *name, struct strvec *names, char **folder,
                  struct error *err)
{
    struct dirent *entry;
    DIR *dir;

    if (shipped_path(name, folder, err))
        return -1;
    dir = opendir(*folder);
    if (!dir)
        return fail(err, STATUS_MISSING, "cannot read '%s': %s", *folder,
                    strerror(errno));
    while ((entry = readdir(dir))) {
        char *one = name_of(entry->d_name);

        if (one)
            strvec_push(names, one);
        free(one);
    }
    closedir(dir);
    if (names->nr)
        qsort(names->v, names->nr, sizeof(*names->v), by_text);
    return 0;
}
