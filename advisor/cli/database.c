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
