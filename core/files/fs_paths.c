#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/base/error.h"
#include "core/files/fs.h"
#include "core/files/trust.h"

char *path_join(const char *dir, const char *name)
{
    size_t length = strlen(dir);

    if (length == 0 || name[0] == '/')
        return xstrdup(name);
    return xasprintf("%s%s%s", dir, dir[length - 1] == '/' ? "" : "/", name);
}

char *path_absolute(const char *path)
{
    char here[PATH_MAX];

    if (path[0] == '/' || !getcwd(here, sizeof(here)))
        return xstrdup(path);
    return path_join(here, path);
}

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

char *path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == path ? xstrdup("/")
           : slash       ? xstrndup(path, (size_t)(slash - path))
                         : xstrdup(".");
}

char *path_from(const char *dir, const char *path)
{
    struct buf out = {0};
    size_t same = 0, at = 0;

    /* Up to the last end of a name that both have. */
    for (;; at++) {
        if ((!dir[at] || dir[at] == '/') && (!path[at] || path[at] == '/'))
            same = at;
        if (!dir[at] || dir[at] != path[at])
            break;
    }
    for (const char *rest = dir + same; *rest; rest++)
        if (rest[0] == '/' && rest[1])
            buf_add(&out, out.length ? "/.." : "..");
    const char *rest = path + same + (path[same] == '/');
    buf_addf(&out, "%s%s", out.length && *rest ? "/" : "", rest);
    if (!out.length)
        buf_add(&out, ".");
    return buf_detach(&out);
}

char *path_nearest(const char *dir, bool (*is_one)(const char *dir))
{
    char *at = xstrdup(dir);

    assert(dir[0] == '/');
    while (strcmp(at, "/") != 0 && !is_one(at)) {
        char *up = path_folder(at);

        free(at);
        at = up;
    }
    if (strcmp(at, "/") != 0)
        return at;
    free(at);
    return NULL;
}

char *path_of_program(const char *name)
{
    const char *path = getenv("PATH"), *at = path ? path : "/bin:/usr/bin";

    if (strchr(name, '/'))
        return xstrdup(name);
    for (;; at++) {
        size_t length = strcspn(at, ":");
        char *file = length ? xasprintf("%.*s/%s", (int)length, at, name) : xstrdup(name);

        if (access(file, X_OK) == 0 && !dir_exists(file))
            return file;
        free(file);
        at += length;
        if (!*at)
            return NULL;
    }
}

/* The XDG rule: the variable counts only if it is an absolute path. */
static int user_dir(const char *variable, const char *below_home, char **path,
                    struct error *err)
{
    const char *set = getenv(variable), *home = getenv("HOME");
    struct error why = {0};
    char *base;

    *path = NULL;
    if (set && set[0] == '/')
        base = xstrdup(set);
    else if (home && home[0] == '/')
        base = path_join(home, below_home);
    else
        return fail(err, STATUS_MISSING, "no folder for user files: set HOME or %s",
                    variable);
    *path = path_join(base, "inflight");
    free(base);
    if (!trust_make(*path, TRUST_KEPT, &why))
        return 0;
    fail(err, STATUS_FAILED, "%s; set HOME or %s to a folder of yours", why.text,
         variable);
    free(*path);
    *path = NULL;
    return -1;
}

int config_dir(char **path, struct error *err)
{
    return user_dir("XDG_CONFIG_HOME", ".config", path, err);
}

int data_dir(char **path, struct error *err)
{
    return user_dir("XDG_DATA_HOME", ".local/share", path, err);
}

int cache_dir(char **path, struct error *err)
{
    return user_dir("XDG_CACHE_HOME", ".cache", path, err);
}

char *program_dir(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

    if (length <= 0)
        return xstrdup("");
    path[length] = '\0';
    path[path_base(path) - path] = '\0';
    return xstrdup(path);
}

char *program_inflight(void)
{
    char *folder = program_dir(), *path = xasprintf("%sinflight", folder);
    free(folder);
    return path;
}

char *helper_path(const char *name)
{
    static const char *const place[] = {"", INFLIGHT_HELPERS_BESIDE "/"};
    char *folder = program_dir(), *found = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(place) && !found; i++) {
        char *file = xasprintf("%s%s", place[i], name);

        found = path_join(folder, file);
        free(file);
        if (!file_exists(found)) {
            free(found);
            found = NULL;
        }
    }
    free(folder);
    return found;
}

static bool is_below(const char *path, const char *dir)
{
    size_t length = strlen(dir);

    return strncmp(path, dir, length) == 0 && path[length] == '/';
}

void program_data_dirs(struct strvec *dirs)
{
    char *program = program_dir();

    if (*program)
        strvec_pushf(dirs, "%s%s", program, INFLIGHT_DATA_BESIDE);
    /* A program run from its build folder must not find an older installation first; an
     * installed one must not trust a folder that anybody could make on that machine. */
    if (is_below(program, INFLIGHT_SOURCE_DIR) || is_below(program, INFLIGHT_BINARY_DIR))
        strvec_push(dirs, INFLIGHT_SOURCE_DIR);
    strvec_push(dirs, INFLIGHT_INSTALL_DATA);
    free(program);
}

/* What is beside the program is as good as the program; what the environment names is
 * looked at, once: templates are compiled, rules believed. */
static int look_at_named(const char *set, const struct strvec *own, struct error *err)
{
    static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
    static char *seen;
    int result = 0;

    if (!dir_exists(set))
        return 0;
    for (size_t i = 0; i < own->nr; i++)
        if (file_is_same(set, own->v[i]))
            return 0;
    pthread_mutex_lock(&guard);
    if (!seen || strcmp(seen, set) != 0)
        result = trust_tree(set, TRUST_KEPT, err);
    if (!result) {
        free(seen);
        seen = xstrdup(set);
    }
    pthread_mutex_unlock(&guard);
    return result ? fail_in(err, "INFLIGHT_DATA") : 0;
}

int shipped_path(const char *name, char **path, struct error *err)
{
    const char *set = getenv("INFLIGHT_DATA");
    struct strvec dirs = {0}, own = {0};
    int result = -1;

    *path = NULL;
    program_data_dirs(&own);
    if (set && *set)
        strvec_push(&dirs, set);
    strvec_push_all(&dirs, &own);
    if (dirs.nr > own.nr && look_at_named(set, &own, err))
        goto out;
    for (size_t i = 0; i < dirs.nr && result; i++) {
        *path = path_join(dirs.v[i], name);
        if (access(*path, F_OK) == 0) {
            result = 0;
            break;
        }
        free(*path);
        *path = NULL;
    }
    if (result)
        fail(err, STATUS_MISSING, "cannot find '%s'; set INFLIGHT_DATA to its folder",
             name);
out:
    strvec_release(&own);
    strvec_release(&dirs);
    return result;
}

/* What lies in a shipped folder. */
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
