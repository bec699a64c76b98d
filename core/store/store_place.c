#include "core/store/store_parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "core/store/store.h"

/* From linux/magic.h where it has them, else from the file system's own sources. */
static const unsigned long network_types[] = {
    0x00006969, /* nfs */
    0x0000517b, /* smb */
    0xff534d42, /* cifs */
    0xfe534d42, /* smb2, smb3 */
    0x5346414f, /* afs */
    0x6b414653, /* kafs */
    0x73757245, /* coda */
    0x01021997, /* 9p */
    0x65735546, /* fuse: sshfs and the like, also virtiofs */
    0x00c36400, /* ceph */
    0x0bd00bd0, /* lustre */
    0x47504653, /* gpfs */
    0x19830326, /* beegfs */
    0xaad7aaea, /* panfs */
    0x20030528, /* pvfs2, orangefs */
    0x01161970, /* gfs2 */
    0x7461636f, /* ocfs2 */
    0x786f4256, /* vboxsf */
};

int store_default_path(char **path, struct error *err)
{
    const char *set = getenv("INFLIGHT_DATABASE");
    char *dir;

    *path = NULL;
    if (set && *set) {
        *path = xstrdup(set);
        return 0;
    }
    if (data_dir(&dir, err))
        return -1;
    *path = path_join(dir, "sessions.db");
    free(dir);
    return 0;
}

bool place_type_is_network(unsigned long type)
{
    for (size_t i = 0; i < ARRAY_SIZE(network_types); i++)
        if (network_types[i] == (type & 0xffffffff)) /* a signed int on some systems */
            return true;
    return false;
}

bool place_is_network(const char *path)
{
    char *folder = path_absolute(path);
    struct statfs found;
    bool known = statfs(folder, &found) == 0;

    if (!known) { /* not there yet */
        *strrchr(folder, '/') = '\0';
        known = statfs(*folder ? folder : "/", &found) == 0;
    }
    free(folder);
    return known && place_type_is_network((unsigned long)found.f_type);
}
