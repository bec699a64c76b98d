/* What is seen of builds, and that they do not notice it. */
#define _XOPEN_SOURCE 700 /* realpath, setenv */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "observe/observe.h"
#include "tests/cases.h"
#include "tests/check.h"
#include "variants/clang/clang.h"

SUITE(observe_build);

static const char *const project_file[][2] = {
    {"k.c", "int k(void)\n{\n    return 1;\n}\n"},
    {"m.c", "int m(void)\n{\n    return 2;\n}\n"},
    {"main.c", "#include <stdio.h>\nint k(void), m(void);\nint main(void)\n{\n"
               "    return printf(\"%d\\n\", k() + m()) < 0;\n}\n"},
    {"in c/name.h", "#define NAME 1\n"},
    {"Makefile", "app: k.o m.o main.o\n\t$(CC) -o $@ $^\n"},
    {"CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\nproject(app C)\n"
                       "add_executable(app k.c m.c main.c)\n"
                       "target_compile_definitions(app PRIVATE \"TEXT=\\\"a b\\\"\")\n"
                       "target_include_directories(app PRIVATE \"in c\")\n"},
};

static void put(const char *root, const char *name, const char *text)
{
    struct error err = {0};
    char *path = path_join(root, name), *dir = path_folder(path);
    check_ok(dir_make_all(dir, &err), &err);
    check_ok(file_write(path, text, strlen(text), &err), &err);
    free(dir);
    free(path);
}

/* Two copies of the project, in folders of one length, and a folder for the watch. */
struct place {
    char *dir, *watched, *plain, *front;
    struct build_watch watch;
};

static bool place_open(struct place *place)
{
    struct error err = {0};
    char *dir = NULL;
    *place = (struct place){0};
    if (!check_ok(scratch_make(&dir, &err), &err))
        return false;
    place->dir = realpath(dir, NULL);
    free(dir);
    place->watched = path_join(place->dir, "a copy");
    place->plain = path_join(place->dir, "a tree");
    place->front = path_join(place->dir, "front");
    for (size_t i = 0; i < ARRAY_SIZE(project_file); i++) {
        put(place->watched, project_file[i][0], project_file[i][1]);
        put(place->plain, project_file[i][0], project_file[i][1]);
    }
    return true;
}

static bool place_watch(struct place *place)
{
    struct error err = {0};
    return check_ok(build_watch_begin(place->front, &place->watch, &err), &err);
}

static void place_close(struct place *place)
{
    build_watch_release(&place->watch);
    free(place->watched);
    free(place->plain);
    free(place->front);
    scratch_remove(place->dir);
}

/* The folder's own name left out, as far as its name and what is behind it go. */
static char *without(const char *text, const char *folder)
{
    struct buf out = {0};
    size_t length = strlen(folder);
    for (const char *at; (at = strstr(text, folder)); text = at + length)
        buf_add_n(&out, text, (size_t)(at - text));
    buf_add(&out, text);
    return buf_detach(&out);
}

/* How it ended and what it printed. */
static char *run(const char *command, const char *dir, const struct build_watch *watch)
{
    const char *const argv[] = {"sh", "-c", command, NULL};
    struct spawn_request request = {.argv = argv,
                                    .dir = dir,
                                    .timeout_s = PATIENCE_S,
                                    .env_extra =
                                        watch ? (const char *const *)watch->env.v : NULL};
    struct spawn_outcome outcome;
    struct error err = {0};
    if (!check_ok(spawn_run(&request, &outcome, &err), &err))
        return xstrdup("");
    char *all = xasprintf("%d %d\n%s\n%s", outcome.end, outcome.code,
                          buf_str(&outcome.out), buf_str(&outcome.err)),
         *same = without(all, dir);
    free(all);
    spawn_outcome_release(&outcome);
    return same;
}

static void check_built(const char *command, const char *dir,
                        const struct build_watch *watch)
{
    char *text = run(command, dir, watch);
    check_eq(strncmp(text, "0 0\n", 4), 0);
    if (strncmp(text, "0 0\n", 4) != 0)
        fprintf(stderr, "%s\n", text);
    free(text);
}

static struct build_seen seen_in(struct place *place, const char *copy, const char *own)
{
    struct build_seen seen = {0};
    struct error err = {0};
    check_ok(build_watch_end(&place->watch, copy, own, &seen, &err), &err);
    return seen;
}

static void add_entry(const struct json_at *entry, const char *root, struct buf *out)
{
    struct error err = {0};
    struct strvec words = {0};
    const char *directory = "", *file = "";
    if (!check_ok(json_string_at(entry, "directory", &directory, &err), &err) ||
        !check_ok(json_string_at(entry, "file", &file, &err), &err) ||
        !check_ok(json_strings_at(entry, "arguments", &words, &err), &err))
        return;
    check(words.nr && words.v[0][0] == '/' && !strstr(words.v[0], "/front/"));
    buf_add(out, directory + strlen(root) + (directory[strlen(root)] == '/'));
    buf_add(out, strcmp(directory, root) ? ": " : "");
    buf_addf(out, "%s: ", file);
    buf_add_shell_words(out, (const char *const *)words.v + 1);
    buf_add(out, "\n");
    strvec_release(&words);
}

static char *seen_text(const struct build_seen *seen, const char *root)
{
    struct buf out = {0};
    struct error err = {0};
    json_t *top = NULL;
    if (!seen->database) {
        char *note = without(seen->note, root);
        buf_addf(&out, "nothing: %.*s\n", (int)(strstr(note, ", so") - note), note);
        free(note);
        return buf_detach(&out);
    }
    buf_addf(&out, "%zu seen, %zu without -g\n", seen->compilations, seen->debug_added);
    if (check_ok(json_read_file(seen->database, NULL, &top, &err), &err))
        for (size_t i = 0; i < json_array_size(top); i++) {
            struct json_at list = json_top("database", top),
                           entry = json_element(&list, i);
            add_entry(&entry, root, &out);
        }
    json_decref(top);
    char *whole = buf_detach(&out), *text = without(whole, root);
    free(whole);
    return text;
}

TEST("what is called is seen, and all goes on as without us")
{
    struct cases cases;
    cases_read(INFLIGHT_SOURCE_DIR "/tests/data/observe/build.cases", 20, &cases);
    for (size_t i = 0; i < cases.nr; i++) {
        struct place place;
        if (!place_open(&place) || !place_watch(&place))
            break;
        char *plain = run(cases.v[i].text, place.plain, NULL),
             *watched = run(cases.v[i].text, place.watched, &place.watch),
             *files = run("find . | LC_ALL=C sort", place.plain, NULL),
             *left = run("find . | LC_ALL=C sort", place.watched, NULL);
        check_str(watched, plain);
        check_str(left, files);
        struct build_seen seen = seen_in(&place, place.watched, NULL);
        char *text = seen_text(&seen, place.watched);
        check_case(&cases, &cases.v[i], "seen", text);
        free(plain);
        free(watched);
        free(files);
        free(left);
        free(text);
        build_seen_release(&seen);
        place_close(&place);
    }
    cases_release(&cases);
}

TEST("debug information is there, and only where none was asked for")
{
    struct place place;
    if (!place_open(&place))
        return;
    if (place_watch(&place)) {
        check_built("gcc -c k.c && gcc -g0 -c m.c && gcc -E k.c > text && "
                    "gcc -E -g0 k.c | cmp - text && "
                    "readelf -S k.o | grep -q debug_info && "
                    "! readelf -S m.o | grep -q debug_info",
                    place.watched, &place.watch);
    }
    place_close(&place);
}

TEST("PATH is what it was to compilers, and they are called as they were")
{
    struct place place;
    if (!place_open(&place))
        return;
    /* A compiler of a name of its own, which shows what it is given. */
    put(place.dir, "tools/show.c",
        "#include <stdio.h>\n#include <stdlib.h>\nint main(int n, char **v)\n{\n"
        "    return printf(\"%s %d %s\\n\", v[0], n, getenv(\"PATH\")) < 0;\n}\n");
    check_built("cd tools && gcc show.c -o gcc-3.3", place.dir, NULL);
    char *old = xstrdup(getenv("PATH")), *path = xasprintf("%s/tools:%s", place.dir, old);
    setenv("PATH", path, 1);
    if (place_watch(&place)) {
        char *with = run("gcc-3.3 -v", place.watched, &place.watch),
             *plain = run("gcc-3.3 -v", place.watched, NULL);
        check_str(with, plain);
        free(with);
        free(plain);
    }
    setenv("PATH", old, 1);
    free(old);
    free(path);
    place_close(&place);
}

TEST("parallel builds lose nothing")
{
    struct place place;
    struct buf makefile = {0};
    if (!place_open(&place))
        return;
    buf_add(&makefile, "all: ");
    for (int i = 0; i < 60; i++) {
        char *name = xasprintf("part%d.c", i);
        put(place.watched, name, "int x;\n");
        buf_addf(&makefile, "part%d.o ", i);
        free(name);
    }
    buf_add(&makefile, "\n");
    put(place.watched, "Makefile", buf_str(&makefile));
    if (place_watch(&place)) {
        check_built("make -j8", place.watched, &place.watch);
        struct build_seen seen = seen_in(&place, place.watched, NULL);
        check_eq(seen.compilations, 60);
        build_seen_release(&seen);
        /* up to date: what was seen stays known; built anew when it is out of date */
        check_ok(build_outdate(place.watched, NULL), NULL);
        check_built("rm -f ../front/seen; make -j8", place.watched, &place.watch);
        seen = seen_in(&place, place.watched, NULL);
        check_eq(seen.compilations, 60);
        build_seen_release(&seen);
    }
    buf_release(&makefile);
    place_close(&place);
}

static char *flags_of(const struct build_seen *seen, const char *root, const char *source)
{
    struct strvec own = {0}, flags = {0};
    struct error err = {0};
    char *path = path_join(root, source);
    check_ok(compile_commands_flags(seen->database, path, NULL, &own, &flags, NULL, &err),
             &err);
    char *text = strvec_join(&flags, "|");
    strvec_release(&flags);
    free(path);
    return text;
}

TEST("CMake builds with it, and the flags hold for the copy and its origin")
{
    struct place place;
    if (!place_open(&place))
        return;
    if (place_watch(&place)) {
        check_built("cmake -S . -B out >log && cmake --build out -j2 >log && out/app",
                    place.watched, &place.watch);
        struct build_seen seen = seen_in(&place, place.watched, place.plain);
        check_eq(seen.compilations, 3);
        check_eq(seen.debug_added, 3);
        char *copy = flags_of(&seen, place.watched, "m.c"),
             *own = flags_of(&seen, place.plain, "m.c"),
             *want_copy = xasprintf("-DTEXT=\"a b\"|-I|%s/in c", place.watched),
             *want_own = xasprintf("-DTEXT=\"a b\"|-I|%s/in c", place.plain);
        check_str(copy, want_copy);
        check_str(own, want_own);
        free(copy);
        free(own);
        free(want_copy);
        free(want_own);
        build_seen_release(&seen);
        /* once more, after an edit: the names of compilers that CMake keeps still do */
        check_built("touch m.c && cmake --build out", place.watched, &place.watch);
    }
    place_close(&place);
}

TEST("headers that only the build has made are found for the origin")
{
    struct place place;
    if (!place_open(&place))
        return;
    put(place.plain, "deep/x.c", "int x;\n");
    put(place.watched, "deep/x.c", "int x;\n");
    if (place_watch(&place)) {
        check_built("mkdir gen && echo > gen/made.h && echo > 'in c/also.h' && "
                    "echo > deep/beside.h && cd deep && "
                    "gcc -I../gen -I '../in c' -I.. -include ../gen/made.h -c x.c",
                    place.watched, &place.watch);
        struct build_seen seen = seen_in(&place, place.watched, place.plain);
        char *flags = flags_of(&seen, place.plain, "deep/x.c"),
             *want = xasprintf("-I|%s/deep/../gen|-I|%s/deep/../in c|-I|%s/deep/../in c|"
                               "-I|%s/deep/..|-include|%s/deep/../gen/made.h|-iquote|%s/"
                               "deep",
                               place.watched, place.plain, place.watched, place.plain,
                               place.watched, place.watched);
        check_str(flags, want);
        free(flags);
        free(want);
        build_seen_release(&seen);
    }
    place_close(&place);
}

TEST("$CC that names a compiler by its path is seen")
{
    struct place place;
    if (!place_open(&place))
        return;
    char *gcc = path_of_program("gcc"), *old = xstrdup(getenv("CC")),
         *cc = xasprintf("%s -DFROM_CC", gcc);
    setenv("CC", cc, 1);
    if (place_watch(&place)) {
        check_built("make -e && cc -c k.c -o other.o", place.watched, &place.watch);
        struct build_seen seen = seen_in(&place, place.watched, NULL);
        char *text = seen_text(&seen, place.watched);
        check_contains(text, "k.c: -DFROM_CC -c -o k.o k.c\n");
        check_contains(text, "k.c: -c k.c -o other.o\n");
        free(text);
        build_seen_release(&seen);
    }
    if (old)
        setenv("CC", old, 1);
    else
        unsetenv("CC");
    free(old);
    free(cc);
    free(gcc);
    place_close(&place);
}

TEST("launchers are seen through")
{
    struct place place;
    if (!place_open(&place))
        return;
    put(place.dir, "tools/ccache", "#!/bin/sh\necho $# > ccache.words\nexec \"$@\"\n");
    char *old = xstrdup(getenv("PATH")), *path = xasprintf("%s/tools:%s", place.dir, old);
    check_built("chmod +x tools/ccache", place.dir, NULL);
    setenv("PATH", path, 1);
    if (place_watch(&place)) {
        check_built("make CC='ccache gcc' && ./app && readelf -S k.o | grep -q "
                    "debug_info",
                    place.watched, &place.watch);
        struct build_seen seen = seen_in(&place, place.watched, NULL);
        check_eq(seen.compilations, 3);
        check_eq(seen.debug_added, 3);
        char *text = seen_text(&seen, place.watched);
        check_contains(text, "k.c: -c -o k.o k.c\n");
        free(text);
        build_seen_release(&seen);
    }
    setenv("PATH", old, 1);
    free(old);
    free(path);
    place_close(&place);
}
