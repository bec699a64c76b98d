#define _DEFAULT_SOURCE /* flock */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/files/fs.h"
#include "core/files/hash.h"
#include "tests/check.h"

SUITE(base_fs);

static char *scratch(void)
{
    struct error err = {0};
    char *dir;

    if (scratch_make(&dir, &err))
        abort();
    return dir;
}

static void check_content(const char *path, const char *want)
{
    struct error err = {0};
    struct buf text = {0};

    check_ok(file_read(path, &text, &err), &err);
    check_str(buf_str(&text), want);
    buf_release(&text);
}

TEST("files are written whole and keep their mode")
{
    char *dir = scratch(), *path = path_join(dir, "f");
    struct error err = {0};
    struct stat found;

    check_ok(file_write(path, "one", 3, &err), &err);
    check_content(path, "one");
    chmod(path, 0640);
    check_ok(file_write(path, "second", 6, &err), &err);
    check_content(path, "second");
    check_eq(stat(path, &found), 0);
    check_eq(found.st_mode & 0777, 0640);
    check(file_exists(path) && !dir_exists(path));
    unlink(path);
    check_eq(rmdir(dir), 0); /* nothing temporary is left */
    free(path);
    scratch_remove(dir);
}

TEST("links stay links")
{
    char *dir = scratch(), *path = path_join(dir, "f"), *link = path_join(dir, "l");
    struct error err = {0};
    struct stat found;

    check_ok(file_write(path, "one", 3, &err), &err);
    check_eq(symlink("f", link), 0);
    check_ok(file_write(link, "two", 3, &err), &err);
    check_content(path, "two");
    check_eq(lstat(link, &found), 0);
    check(S_ISLNK(found.st_mode));
    free(path);
    free(link);
    scratch_remove(dir);
}

TEST("pipes and devices stay what they are")
{
    char *dir = scratch(), *path = path_join(dir, "pipe"), got[8] = "";
    struct error err = {0};
    struct stat found;
    int fd;

    check_eq(mkfifo(path, 0600), 0);
    fd = open(path, O_RDONLY | O_NONBLOCK);
    check_ok(file_write(path, "text", 4, &err), &err);
    check_eq(stat(path, &found), 0);
    check(S_ISFIFO(found.st_mode));
    check_eq(read(fd, got, sizeof(got) - 1), 4);
    check_str(got, "text");
    close(fd);
    free(path);
    scratch_remove(dir);
}

TEST("failures say which file and why")
{
    struct error err = {0};
    struct buf text = {0};

    check_fails(file_read_max("/dev/zero", 1 << 20, &text, &err), &err, STATUS_INPUT,
                "'/dev/zero' holds more than 1024 KiB, the most that is read");
    check_eq(text.length, 0);
    check_fails(file_read("/nowhere/x", &text, &err), &err, STATUS_INPUT,
                "cannot read '/nowhere/x': No such file or directory");
    check_fails(file_read("/", &text, &err), &err, STATUS_INPUT,
                "cannot read '/': Is a dir");
    check_fails(file_write("/nowhere/x", "", 0, &err), &err, STATUS_FAILED,
                "cannot write '/nowhere/x': No such");
    check_fails(dir_make_all("/dev/null/x", &err), &err, STATUS_FAILED,
                "cannot make the folder '/dev/null");
    buf_release(&text);
}

TEST("folders are made and removed, links not followed")
{
    char *dir = scratch(), *deep = path_join(dir, "a/b//c/"), *top = path_join(dir, "a");
    char *outside = path_join(dir, "outside"), *link = path_join(dir, "a/b/link");
    struct error err = {0};

    check_ok(dir_make_all(deep, &err), &err);
    check_ok(dir_make_all(deep, &err), &err);
    check(dir_exists(deep));
    check_ok(file_write(outside, "x", 1, &err), &err);
    check_eq(symlink("../..", link), 0);
    for (int i = 0; i < 300; i++) { /* more than one read of the folder holds */
        char *name = xasprintf("%s/some-longer-file-name-%d", deep, i);

        check_ok(file_write(name, "", 0, &err), &err);
        free(name);
    }
    check_eq(dir_remove_all(top), 0);
    check(!dir_exists(top));
    check(file_exists(outside)); /* the link was not followed */
    check_eq(dir_remove_all(top), 0);
    free(deep);
    free(top);
    free(outside);
    free(link);
    scratch_remove(dir);
}

TEST("paths are joined")
{
    static const struct {
        const char *dir, *name, *want;
    } cases[] = {
        {"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"", "b", "b"},
        {"a", "/b", "/b"}, {"/", "b", "/b"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *joined = path_join(cases[i].dir, cases[i].name);

        check_str(joined, cases[i].want);
        free(joined);
    }
    check_str(path_base("a/b.c"), "b.c");
    check_str(path_base("b.c"), "b.c");
    char *absolute = path_absolute("x");
    check(absolute[0] == '/' && strcmp(path_base(absolute), "x") == 0);
    free(absolute);
}

TEST("scratch folders are private and removed")
{
    char *dir = scratch(), *copy = xstrdup(dir), *path = path_join(dir, "x");
    struct error err = {0};
    struct stat found;

    check_eq(stat(dir, &found), 0);
    check_eq(found.st_mode & 0777, 0700);
    check_ok(file_write(path, "x", 1, &err), &err);
    scratch_remove(dir);
    scratch_remove(NULL);
    check(!dir_exists(copy));
    free(copy);
    free(path);
}

static void restore(const char *name, char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
    free(value);
}

TEST("scratch folders follow TMPDIR")
{
    char *old = xstrdup(getenv("TMPDIR")), *dir = scratch(), *inner = NULL;
    struct error err = {0};

    setenv("TMPDIR", dir, 1);
    check_ok(scratch_make(&inner, &err), &err);
    check_contains(inner, dir);
    scratch_remove(inner);
    setenv("TMPDIR", "/nowhere", 1);
    check_fails(scratch_make(&inner, &err), &err, STATUS_MISSING, "set TMPDIR");
    restore("TMPDIR", old);
    scratch_remove(dir);
}

static void check_folder(const char *path, const char *want)
{
    char *folder = path_folder(path);

    check_str(folder, want);
    free(folder);
}

static bool is_b(const char *dir)
{
    return strcmp(path_base(dir), "b") == 0 || strcmp(dir, "/") == 0;
}

TEST("folders of paths")
{
    char *nearest = path_nearest("/a/b/c/d", is_b), *none = path_nearest("/a/c", is_b);

    check_folder("/a/b", "/a");
    check_folder("/a", "/");
    check_folder("a/b", "a");
    check_folder("a", ".");
    check_str(nearest ? nearest : "none", "/a/b");
    check(!none);
    free(nearest);
    free(none);
}

static void check_program(const char *name, const char *want)
{
    char *found = path_of_program(name);

    check_str(found ? found : "none", want);
    free(found);
}

/* Folders and what cannot be run are passed over. */
TEST("a path as it is named from a folder")
{
    static const char *const cases[][3] = {
        {"/a/b", "/a/b/c", "c"},       {"/a/b", "/a/b", "."},
        {"/a/b", "/a/bc", "../bc"},    {"/a/b/c", "/a", "../.."},
        {"/a/b", "/c/d", "../../c/d"}, {"/", "/a/b", "a/b"},
        {"/a/bc", "/a/b", "../b"},     {"/a/b c/d", "/a/b c", ".."},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *got = path_from(cases[i][0], cases[i][1]);

        check_str(got, cases[i][2]);
        free(got);
    }
}

TEST("programs are looked up")
{
    char *before = xstrdup(getenv("PATH")), *dir = scratch(),
         *first = path_join(dir, "1"), *second = path_join(dir, "2"),
         *folder = path_join(first, "tool"), *tool = path_join(second, "tool"),
         *path = xasprintf("%s:%s", first, second);
    struct error err = {0};

    setenv("PATH", path, 1);
    check_ok(dir_make_all(folder, &err), &err);
    check_ok(dir_make_all(second, &err), &err);
    check_ok(file_write(tool, "", 0, &err), &err);
    check_program("tool", "none");
    chmod(tool, 0700);
    check_program("tool", tool);
    check_program("./tool", "./tool");
    unsetenv("PATH");
    check_program("sh", "/bin/sh");
    restore("PATH", before);
    scratch_remove(dir);
    free(first);
    free(second);
    free(folder);
    free(tool);
    free(path);
}

/* What kill -9 left; not what somebody works in, nor what is new, nor what is not ours.
 */
TEST("what the killed left is removed")
{
    static const char *const names[] = {"inflight-run-left", "inflight-run-used",
                                        "inflight-run-new", "inflight-other"};
    static const bool stays[] = {false, true, true, true};
    const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    char *old = xstrdup(getenv("TMPDIR")), *dir = scratch(), *inner = NULL, *path[4];
    struct error err = {0};
    int used;

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        path[i] = path_join(dir, names[i]);
        check_ok(dir_make_all(path[i], &err), &err);
        check(i == 2 || utimensat(AT_FDCWD, path[i], long_ago, 0) == 0);
    }
    used = open(path[1], O_RDONLY | O_DIRECTORY);
    check_eq(flock(used, LOCK_EX), 0);
    setenv("TMPDIR", dir, 1);
    check_ok(scratch_make(&inner, &err), &err);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        check_eq(dir_exists(path[i]), stays[i]);
        free(path[i]);
    }
    close(used);
    scratch_remove(inner);
    restore("TMPDIR", old);
    scratch_remove(dir);
}

TEST("user folders follow XDG, then HOME")
{
    char *xdg = xstrdup(getenv("XDG_CONFIG_HOME")), *home = xstrdup(getenv("HOME"));
    char *dir = scratch(), *path = NULL, *want = path_join(dir, "x y/inflight");
    struct buf set = {0};
    struct error err = {0};

    buf_addf(&set, "%s/x y", dir);
    setenv("XDG_CONFIG_HOME", buf_str(&set), 1);
    check_ok(config_dir(&path, &err), &err);
    check_str(path, want);
    check(dir_exists(want));
    free(path);
    free(want);
    setenv("XDG_CONFIG_HOME", "relative counts not", 1);
    setenv("HOME", dir, 1);
    want = path_join(dir, ".config/inflight");
    check_ok(config_dir(&path, &err), &err);
    check_str(path, want);
    free(path);
    unsetenv("HOME");
    check_fails(config_dir(&path, &err), &err, STATUS_MISSING, "set HOME");
    restore("HOME", home);
    restore("XDG_CONFIG_HOME", xdg);
    free(want);
    buf_release(&set);
    scratch_remove(dir);
}

TEST("shipped data is found")
{
    char *old = xstrdup(getenv("INFLIGHT_DATA")), *dir = scratch(), *path = NULL;
    char *mine = path_join(dir, "LICENSE");
    struct error err = {0};

    unsetenv("INFLIGHT_DATA");
    check_ok(shipped_path("LICENSE", &path, &err), &err);
    check_str(path, INFLIGHT_SOURCE_DIR "/LICENSE");
    free(path);
    setenv("INFLIGHT_DATA", dir, 1);
    check_ok(shipped_path("LICENSE", &path, &err), &err); /* not there: the next place */
    check_str(path, INFLIGHT_SOURCE_DIR "/LICENSE");
    free(path);
    check_ok(file_write(mine, "", 0, &err), &err);
    check_ok(shipped_path("LICENSE", &path, &err), &err);
    check_str(path, mine);
    free(path);
    check_fails(shipped_path("no/such", &path, &err), &err, STATUS_MISSING, "'no/such'");
    check(path == NULL);
    restore("INFLIGHT_DATA", old);
    free(mine);
    scratch_remove(dir);
}

/* Says what file_write would, and leaves nothing. */
TEST("places can be tried")
{
    struct error err = {0};
    struct buf text = {0};
    char *dir = NULL, *path, *inside;

    if (!check_ok(scratch_make(&dir, &err), &err))
        return;
    path = path_join(dir, "x");
    inside = path_join(path, "y");
    check_ok(file_check_writable(path, &err), &err);
    check(!file_exists(path));
    check_ok(file_write(path, "old", 3, &err), &err);
    check_ok(file_check_writable(path, &err), &err);
    check_ok(file_read(path, &text, &err), &err);
    check_str(buf_str(&text), "old");
    check_fails(file_check_writable(inside, &err), &err, STATUS_FAILED, "cannot write '");
    check_fails(file_check_writable(dir, &err), &err, STATUS_FAILED, "Is a directory");
    check_fails(file_check_writable("/nowhere/x", &err), &err, STATUS_FAILED,
                "cannot write '/nowhere/x': No such file or directory");
    check_ok(file_check_writable("/dev/null", &err), &err);
    buf_release(&text);
    free(path);
    free(inside);
    scratch_remove(dir);
}

static char *hash_with(const char *dir, const char *name, const char *text)
{
    char *path = path_join(dir, name);
    struct error err = {0};

    check_ok(file_write(path, text, strlen(text), &err), &err);
    free(path);
    return hash_folder(dir, "ch");
}

TEST("folders have a hash of their files")
{
    char *dir = scratch();
    char *one = hash_with(dir, "a.c", "x"), *two = hash_with(dir, "b.h", "y");
    char *other = hash_with(dir, "c.in", "z"), *changed = hash_with(dir, "a.c", "xx");
    char *moved = hash_with(dir, "a.c", "xxy"), *back;

    check(strcmp(one, two) && strcmp(two, changed) && strcmp(changed, moved));
    check_str(other, two); /* of another ending */
    free(hash_with(dir, "b.h", "y"));
    back = hash_with(dir, "a.c", "x");
    check_str(back, two);
    free(one);
    free(two);
    free(other);
    free(changed);
    free(moved);
    free(back);
    scratch_remove(dir);
}
