#include "core/machine/topology/cgroup.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/files/fs.h"

/* The limit that the group in this folder sets; INFINITY = none. */
typedef double limit_of(const char *folder);

/* Numbers of a file, up to two; how many there are. "max" is none. */
static int read_numbers(const char *folder, const char *name, double number[2])
{
    char *path = path_join(folder, name);
    struct buf text = {0};
    int nr = 0;

    if (!file_read(path, &text, NULL)) {
        const char *at = buf_str(&text);
        char *end;

        for (; nr < 2; nr++, at = end) {
            number[nr] = strtod(at, &end);
            if (end == at)
                break;
        }
    }
    buf_release(&text);
    free(path);
    return nr;
}

static double memory_v2(const char *folder)
{
    double bytes[2];

    return read_numbers(folder, "memory.max", bytes) >= 1 ? bytes[0] : INFINITY;
}

static double memory_v1(const char *folder)
{
    double bytes[2];

    return read_numbers(folder, "memory.limit_in_bytes", bytes) >= 1 ? bytes[0]
                                                                     : INFINITY;
}

/* The number after `key`, a whole word at the start of a line of memory.stat; 0 if it is
 * not there. */
static double stat_bytes(const char *folder, const char *key)
{
    char *path = path_join(folder, "memory.stat"), *line = xasprintf("\n%s ", key);
    struct buf text = {0};
    double bytes = 0;
    const char *found;

    buf_add(&text, "\n");
    if (!file_read(path, &text, NULL) && (found = strstr(buf_str(&text), line)))
        bytes = strtod(found + strlen(line), NULL);
    buf_release(&text);
    free(line);
    free(path);
    return bytes;
}

static double left_of(const char *folder, double limit, const char *used_name,
                      const char *files_key)
{
    double used[2];

    if (isinf(limit) || read_numbers(folder, used_name, used) < 1)
        return limit;
    return fmax(0, limit - fmax(0, used[0] - stat_bytes(folder, files_key)));
}

static double memory_left_v2(const char *folder)
{
    return left_of(folder, memory_v2(folder), "memory.current", "file");
}

static double memory_left_v1(const char *folder)
{
    return left_of(folder, memory_v1(folder), "memory.usage_in_bytes", "total_cache");
}

static double over_period(double quota, double period)
{
    return quota > 0 && period > 0 ? quota / period : INFINITY;
}

static double processors_v2(const char *folder)
{
    double pair[2]; /* "200000 100000", or "max 100000" */

    return read_numbers(folder, "cpu.max", pair) == 2 ? over_period(pair[0], pair[1])
                                                      : INFINITY;
}

static double processors_v1(const char *folder)
{
    double quota[2], period[2]; /* a quota of -1: none */

    return read_numbers(folder, "cpu.cfs_quota_us", quota) >= 1 &&
                   read_numbers(folder, "cpu.cfs_period_us", period) >= 1
               ? over_period(quota[0], period[0])
               : INFINITY;
}

/* `mount` itself and all folders on the way to mount/group. */
static double min_above(const char *mount, const char *group, limit_of *limit)
{
    char *folder = xasprintf("%s%s", mount, group);
    double min = INFINITY;

    for (;;) {
        char *slash = strrchr(folder, '/');

        min = fmin(min, limit(folder));
        if (!slash || (size_t)(slash - folder) < strlen(mount))
            break;
        *slash = '\0';
    }
    free(folder);
    return min;
}

/* Is `word` in a list of `length` characters, separated by commas? */
static bool lists(const char *list, size_t length, const char *word)
{
    for (const char *end = list + length; list < end; list += strcspn(list, ",:") + 1)
        if (strcspn(list, ",:") == strlen(word) && strncmp(list, word, strlen(word)) == 0)
            return true;
    return false;
}

/* The path in the first line "id:controllers:path" that has the controller; that of
 * version 2 has none and the id 0. Caller frees; NULL if there is none. */
static char *group_of(const char *groups, const char *controller)
{
    for (const char *line = groups; *line; line += strcspn(line, "\n"), line += !!*line) {
        const char *list = line + strcspn(line, ":\n"), *path;

        if (*list != ':')
            continue;
        list++;
        path = list + strcspn(list, ":\n");
        if (*path != ':')
            continue;
        if (controller ? lists(list, (size_t)(path - list), controller)
                       : path == list && line[0] == '0')
            return xstrndup(path + 1, strcspn(path + 1, "\n"));
    }
    return NULL;
}

static double min_in(const char *root, const char *groups, const char *controller,
                     const char *mounted, limit_of *limit)
{
    char *group = group_of(groups, controller);
    char *mount = xasprintf("%s/sys/fs/cgroup%s", root, mounted);
    double min = min_above(mount, group ? group : "", limit);

    free(group);
    free(mount);
    return min;
}

/* Where systemd and the container engines mount them. On a hybrid system version 2 lies
 * in a folder of its own and limits nothing. */
static double min_limit(const char *root, const char *controller, limit_of *v2,
                        limit_of *v1)
{
    char *path = xasprintf("%s/proc/self/cgroup", root);
    char *mounted = xasprintf("/%s", controller);
    struct buf groups = {0};
    double min = INFINITY;

    if (!file_read(path, &groups, NULL))
        min = fmin(min_in(root, buf_str(&groups), NULL, "", v2),
                   min_in(root, buf_str(&groups), controller, mounted, v1));
    buf_release(&groups);
    free(mounted);
    free(path);
    return min;
}

double cgroup_memory_bytes(const char *root)
{
    return min_limit(root, "memory", memory_v2, memory_v1);
}

double cgroup_memory_left_bytes(const char *root)
{
    return min_limit(root, "memory", memory_left_v2, memory_left_v1);
}

double cgroup_processors(const char *root)
{
    return min_limit(root, "cpu", processors_v2, processors_v1);
}
