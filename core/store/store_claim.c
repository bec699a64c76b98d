#define _GNU_SOURCE    /* F_OFD_SETLK: locks of this store, not of all that the process  \
                          opens */
#include "core/store/store_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* As the database has it, so that who may write the one may write the other. */
static mode_t mode_of(const char *path)
{
    struct stat found;
    return stat(path, &found) ? 0600 : found.st_mode & 0666;
}

static void open_claims(struct store *store)
{
    char *path = xasprintf("%s-claims", store->path);

    if (store->claims < 0)
        store->claims = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode_of(store->path));
    free(path);
}

static int set_lock(const struct store *store, long long session, int type)
{
    struct flock lock = {.l_type = (short)type,
                         .l_whence = SEEK_SET,
                         .l_start = (off_t)session,
                         .l_len = 1};
    int result;

    do
        result = fcntl(store->claims, F_OFD_SETLK, &lock);
    while (result && errno == EINTR);
    return result;
}

bool claim_take(struct store *store, long long session)
{
    open_claims(store);
    if (store->claims < 0 || set_lock(store, session, F_WRLCK) == 0)
        return true;
    return errno != EAGAIN && errno != EACCES;
}

void claim_release(struct store *store, long long session)
{
    if (store->claims >= 0)
        set_lock(store, session, F_UNLCK);
}

void claims_close(struct store *store)
{
    if (store->claims >= 0)
        close(store->claims);
    store->claims = -1;
}
