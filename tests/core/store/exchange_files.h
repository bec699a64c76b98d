/* Files of other tuners in tests/data/exchange. */
#ifndef TESTS_CORE_STORE_EXCHANGE_FILES_H
#define TESTS_CORE_STORE_EXCHANGE_FILES_H

#include <stdlib.h>

#include "core/files/fs.h"
#include "core/store/exchange.h"
#include "tests/check.h"

static inline char *data_path(const char *name)
{
    return path_join(INFLIGHT_SOURCE_DIR "/tests/data/exchange", name);
}

/* The file as a space; false when it was refused, which is a failure. */
static inline bool load(const char *name, enum exchange_format want,
                        struct exchange_space *out)
{
    char *path = data_path(name), *note = NULL;
    enum exchange_format format = EXCHANGE_FORMAT_NR;
    struct error err = {0};
    bool good = check_ok(exchange_read(path, &format, out, &note, &err), &err);

    if (good)
        check_eq(format, want);
    free(note);
    free(path);
    return good;
}

#endif
