#include "advisor/cli/cli.h"
#include "advisor/cli/settings.h"
#include "core/base/error.h"
#include "core/store/store.h"

#include <stdlib.h>

int database_open(const struct settings *settings, bool to_read, struct store **store,
                  struct error *err)
{
    char *path = settings->database ? xstrdup(settings->database) : NULL;
    int status = path ? 0 : store_default_path(&path, err);
    if (!status && settings->database && to_read && !file_exists(path) &&
        !dir_exists(path))
        status = fail(err, STATUS_INPUT,
                      "there is no session database '%s'; without --database your own is "
                      "read",
                      path);
    if (!status)
        status = store_open(path, store, err);
    free(path);
    return status;
}

int database_check(const struct settings *settings, struct error *err)
{
    const char *path = settings->database;
    if (!path || file_exists(path))
        return 0;
    if (!*path || dir_exists(path))
        return fail(err, STATUS_USAGE, "--database: '%s' is %s; name a file", path,
                    *path ? "a folder" : "empty");
    char *dir = path_folder(path);
    int status =
        dir_exists(dir)
            ? 0
            : fail(err, STATUS_USAGE, "--database: the folder '%s' does not exist", dir);
    free(dir);
    return status;
}
