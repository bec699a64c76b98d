#define _XOPEN_SOURCE 700 /* realpath, S_ISSOCK */
#include "core/base.h"
#include "observe/copies/copies.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Beside the copies themselves, for what two builds make. */
static const double build_room_bytes = 64 << 20;
/* Words of one cp: well below the 128 KiB that every Linux takes. */
enum { argument_bytes_max = 96 << 10 };

void project_release(struct project *project)
{
    free(project->root);
    free(project->file);
    free(project->cwd);
    *project = (struct project){0};
}

void project_list_release(struct project_list *list)
{
    strvec_release(&list->item);
    free(list->build);
    *list = (struct project_list){0};
}

/* ---- which folder ---- */

static bool has_entry(const char *dir, const char *name)
{
    struct stat about;
    char *path = path_join(dir, name);
    bool found = lstat(path, &about) == 0;
    free(path);
    return found;
}

static bool is_work_tree(const char *dir)
{
    return has_entry(dir, ".git");
}

/* Caller frees; NULL = the file is in none. */
static char *work_tree_of(const char *file)
{
    char *folder = dir_exists(file) ? xstrdup(file) : path_folder(file),
         *found = path_nearest(folder, is_work_tree);
    free(folder);
    return found;
}

/* What of `path` is behind `dir`; NULL = it is not below. Both absolute, without links.
 */
static const char *behind(const char *dir, const char *path)
{
    size_t length = strcmp(dir, "/") ? strlen(dir) : 0;
    if (strncmp(dir, path, length) || (path[length] && path[length] != '/'))
        return NULL;
    return path + length + (path[length] == '/');
}

static int place_in(struct project *project, const char *given, const char *file,
                    const char *here, struct error *err)
{
    const char *inside = behind(project->root, file), *cwd = behind(project->root, here);
    if (!inside)
        return fail(err, STATUS_INPUT,
                    "'%s' is not in the project folder '%s'%s; name the folder that the "
                    "application is built from with --in-app-dir",
                    file, project->root,
                    given ? "" : ", the folder that inflight was started in");
    project->file = xstrdup(inside);
    project->cwd = xstrdup(cwd ? cwd : "");
    return 0;
}

int project_find(const char *file, const char *dir, struct project *project,
                 struct error *err)
{
    char *source = realpath(file, NULL), *here = realpath(".", NULL);
    *project = (struct project){0};
    int status = 0;
    if (!source || !here)
        status = fail(err, STATUS_INPUT, "cannot find '%s': %s", source ? "." : file,
                      strerror(errno));
    else if (dir)
        project->root = realpath(dir, NULL);
    else if (!(project->root = work_tree_of(source)))
        project->root = xstrdup(here);
    if (!status && (!project->root || !dir_exists(project->root)))
        status = fail(err, STATUS_USAGE, "--in-app-dir: there is no folder '%s'", dir);
    if (!status)
        status = place_in(project, dir, source, here, err);
    free(source);
    free(here);
    if (status)
        project_release(project);
    return status;
}

/* ---- what of it ---- */

struct lister {
    const char *root;
    dev_t device; /* of the folder that is left out, since the copies lie in it */
    ino_t inode;
    bool has_without;
    struct project_list *list;
    struct error *err;
};

static bool is_left_out(const struct lister *lister, const char *path, const char *name,
                        const struct stat *about)
{
    if (!strcmp(name, ".git") || S_ISSOCK(about->st_mode) || S_ISBLK(about->st_mode) ||
        S_ISCHR(about->st_mode))
        return true;
    if (!S_ISDIR(about->st_mode))
        return false;
    return (lister->has_without && about->st_dev == lister->device &&
            about->st_ino == lister->inode) ||
           has_entry(path, "CMakeCache.txt");
}

static int list_folder(const struct lister *lister, const char *relative,
                       struct strvec *item, bool *whole);

/* Pushes what is to be copied of one entry. */
static int list_entry(const struct lister *lister, const char *relative, const char *name,
                      struct strvec *item, bool *whole)
{
    struct stat about;
    char *path = path_join(lister->root, relative);
    struct strvec below = {0};
    bool all = true;
    int status = 0;
    if (lstat(path, &about)) {
        status = errno == ENOENT ? 0
                                 : fail(lister->err, STATUS_INPUT,
                                        "cannot look at '%s': %s", path, strerror(errno));
    } else if (is_left_out(lister, path, name, &about)) {
        lister->list->left_out++;
        if (S_ISDIR(about.st_mode) && strcmp(name, ".git") && !lister->list->build)
            lister->list->build = xstrdup(relative);
        *whole = false;
    } else {
        lister->list->bytes += (double)about.st_blocks * 512;
        if (S_ISDIR(about.st_mode))
            status = list_folder(lister, relative, &below, &all);
        if (all)
            strvec_push(item, relative);
        else
            strvec_push_all(item, &below);
        *whole = *whole && all;
    }
    strvec_release(&below);
    free(path);
    return status;
}

/* `*whole` stays true when nothing below was left out. */
static int list_folder(const struct lister *lister, const char *relative,
                       struct strvec *item, bool *whole)
{
    char *path = *relative ? path_join(lister->root, relative) : xstrdup(lister->root);
    DIR *dir = opendir(path);
    int status = dir ? 0
                     : fail(lister->err, STATUS_INPUT, "cannot read the folder '%s': %s",
                            path, strerror(errno));
    for (struct dirent *entry; !status && (entry = readdir(dir));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        char *below =
            *relative ? path_join(relative, entry->d_name) : xstrdup(entry->d_name);
        status = list_entry(lister, below, entry->d_name, item, whole);
        free(below);
    }
    if (dir)
        closedir(dir);
    free(path);
    return status;
}

int project_list_make(const struct project *project, const char *without,
                      struct project_list *list, struct error *err)
{
    struct stat about;
    bool whole = true;
    *list = (struct project_list){0};
    struct lister lister = {.root = project->root, .list = list, .err = err};
    if (without && stat(without, &about) == 0) {
        lister.has_without = true;
        lister.device = about.st_dev;
        lister.inode = about.st_ino;
    }
    return list_folder(&lister, "", &list->item, &whole);
}

int project_check_room(const struct project *project, const struct project_list *list,
                       const char *to, size_t copies, struct error *err)
{
    struct statvfs disk;
    double need = (double)copies * list->bytes + build_room_bytes;
    if (statvfs(to, &disk))
        return fail(err, STATUS_FAILED, "cannot look at the disk of '%s': %s", to,
                    strerror(errno));
    double room = (double)disk.f_bavail * (double)disk.f_frsize;
    if (room >= need)
        return 0;
    return fail(err, STATUS_MISSING,
                "%zu copies of the project folder '%s' need %.0f MB, and '%s' has %.0f "
                "MB left; set TMPDIR to a folder on a larger disk, or name a smaller "
                "project folder with --in-app-dir",
                copies, project->root, need / 1e6, to, room / 1e6);
}

/* ---- copying ---- */

static int copy_some(const struct project *project, const struct strvec *words,
                     struct error *err)
{
    struct spawn_outcome outcome;
    struct spawn_request request = {.argv = (const char *const *)words->v,
                                    .dir = project->root};
    if (spawn_run(&request, &outcome, err))
        return -1;
    int status = 0;
    if (outcome.end == SPAWN_INTERRUPTED)
        status =
            fail(err, STATUS_FAILED, "interrupted while copying '%s'", project->root);
    else if (outcome.end != SPAWN_EXITED || outcome.code)
        status = fail(err, STATUS_FAILED, "cannot copy the project folder '%s': %.*s",
                      project->root, (int)strcspn(buf_str(&outcome.err), "\n"),
                      outcome.err.length ? buf_str(&outcome.err) : "cp failed");
    spawn_outcome_release(&outcome);
    return status;
}

int project_copy(const struct project *project, const struct project_list *list,
                 const char *to, struct error *err)
{
    int status = dir_make_all(to, err);
    for (size_t i = 0; i < list->item.nr && !status;) {
        struct strvec words = {0};
        size_t bytes = 0;
        strvec_split(&words, "cp -a --reflink=auto --parents -t");
        strvec_push(&words, to);
        strvec_push(&words, "--");
        for (; i < list->item.nr && bytes < argument_bytes_max; i++) {
            bytes += strlen(list->item.v[i]) + 1;
            strvec_push(&words, list->item.v[i]);
        }
        status = copy_some(project, &words, err);
        strvec_release(&words);
    }
    return status;
}

/* ---- in it ---- */

int project_write(const char *path, const struct buf *text, struct error *err)
{
    unlink(path);
    return file_write(path, buf_str(text), text->length, err);
}

static bool is_program(const char *path)
{
    char magic[4] = "";
    FILE *file = fopen(path, "rbe");
    bool read = file && fread(magic, 1, sizeof(magic), file) == sizeof(magic);
    if (file)
        fclose(file);
    return read && !memcmp(magic, "\177ELF", sizeof(magic));
}

static char *aside_of(const char *path)
{
    return xasprintf("%s.aside", path);
}

char *program_aside(const char *cwd, const char *program)
{
    char *path = *program == '/' ? NULL : path_join(cwd, program);
    if (!path)
        return NULL;
    char *aside = aside_of(path);
    bool moved = is_program(path) && rename(path, aside) == 0;
    free(aside);
    if (!moved)
        free(path);
    return moved ? path : NULL;
}

void program_back(char *path)
{
    if (!path)
        return;
    char *aside = aside_of(path);
    if (file_exists(path))
        unlink(aside);
    else
        rename(aside, path);
    free(aside);
    free(path);
}

const char *project_build(const char *dir)
{
    static const char *const made[][2] = {{"Makefile", "make"},
                                          {"makefile", "make"},
                                          {"GNUmakefile", "make"},
                                          {"build.ninja", "ninja"}};
    const char *found = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(made) && !found; i++) {
        char *file = path_join(dir, made[i][0]);
        if (file_exists(file))
            found = made[i][1];
        free(file);
    }
    return found;
}
