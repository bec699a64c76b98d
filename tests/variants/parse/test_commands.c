#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "tests/check.h"
#include "variants/clang/clang.h"

SUITE(variants_commands);

struct place {
    char *dir, *source;
};

static void put(const struct place *place, const char *name, const char *text)
{
    struct error err = {0};
    char *path = path_join(place->dir, name), *dir = xstrdup(path);
    *strrchr(dir, '/') = '\0';
    check_ok(dir_make_all(dir, &err), &err);
    check_ok(file_write(path, text, strlen(text), &err), &err);
    free(dir);
    free(path);
}

static bool open_place(struct place *place)
{
    struct error err = {0};
    if (!check_ok(scratch_make(&place->dir, &err), &err))
        return false;
    put(place, "a b/src/k.c", "void k(void) {}\n");
    place->source = path_join(place->dir, "a b/src/k.c");
    return true;
}

static void close_place(struct place *place)
{
    free(place->source);
    scratch_remove(place->dir);
}

/* The flags as one text, the folder's own path left out. */
static char *flags_of(const struct place *place, const char *database, const char *own,
                      struct error *err)
{
    struct strvec mine = {0}, flags = {0};
    struct buf text = {0};
    size_t length = strlen(place->dir);
    strvec_split(&mine, own);
    int status =
        compile_commands_flags(database, place->source, NULL, &mine, &flags, NULL, err);
    for (size_t i = 0; status == 0 && i < flags.nr; i++) {
        bool inside = strncmp(flags.v[i], place->dir, length) == 0;
        buf_addf(&text, "%s%s", i ? " " : "", flags.v[i] + (inside ? length : 0));
    }
    strvec_release(&mine);
    strvec_release(&flags);
    if (status == 0)
        return buf_detach(&text);
    buf_release(&text);
    return NULL;
}

static void check_flags(const struct place *place, const char *database, const char *own,
                        const char *want)
{
    struct error err = {0};
    char *got = flags_of(place, database, own, &err);
    check_str(got ? got : err.text, want);
    free(got);
}

/* One entry for the source; `how` is its command or arguments. */
static char *entry(const struct place *place, const char *how)
{
    return xasprintf("[{\"directory\": \"%s/a b\", \"file\": \"other.c\", \"command\": "
                     "\"cc -DOTHER\"},\n {\"directory\": \"%s/a b\", \"file\": "
                     "\"src/k.c\", %s}]\n",
                     place->dir, place->dir, how);
}

TEST("what changes the meaning is taken")
{
    static const char *const cases[][2] = {
        {"\"command\": \"gcc -c -O2 -g -Wall -DN=4 -U X -std=gnu11 -o k.o src/k.c\"",
         "-DN=4 -UX -std=gnu11"},
        {"\"arguments\": [\"gcc\", \"-Iinc\", \"-I\", \"/abs\", \"-isystem\", \"sys\", "
         "\"-include\", \"pre.h\", \"-march=native\", \"-fopenmp\", \"-MF\", \"x.d\"]",
         "-fopenmp -I /a b/inc -I /abs -isystem /a b/sys -include /a b/pre.h"},
        {"\"command\": \"clang -fopenmp=libomp -fopenmp-simd -fopenmp-targets=x "
         "src/k.c\"",
         "-fopenmp"},
        {"\"command\": \"clang -fplugin=x.so -Xclang -load -funsigned-char -m32 "
         "-ffast-math @more -DQ='\\\"a b\\\"' src/k.c\"",
         "-funsigned-char -m32 -ffast-math -DQ=\"a b\""},
        {"\"command\": \"gcc src/k.c -I\"", ""},
    };
    struct place place;
    if (!open_place(&place))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *text = entry(&place, cases[i][0]);
        put(&place, "a b/build/compile_commands.json", text);
        check_flags(&place, NULL, "", cases[i][1]);
        free(text);
    }
    close_place(&place);
}

TEST("what is given wins")
{
    struct place place;
    if (!open_place(&place))
        return;
    char *text = entry(&place, "\"command\": \"gcc -Iinc -DN=4 -std=c99 src/k.c\"");
    put(&place, "compile_commands.json", text);
    check_flags(&place, NULL, "-DN=8 -Imine", "-DN=4 -std=c99 -DN=8 -Imine -I /a b/inc");
    check_flags(&place, "none", "-DN=8", "-DN=8");
    put(&place, "a b/src/compile_commands.json", "[]");
    check_flags(&place, NULL, "", "-DN=4 -std=c99 -I /a b/inc");
    free(text);
    close_place(&place);
}

TEST("a database that is named must fit")
{
    struct place place;
    struct error err = {0};
    if (!open_place(&place))
        return;
    char *other = path_join(place.dir, "other.json");
    check(flags_of(&place, other, "", &err) == NULL);
    check_contains(err.text, "other.json");
    err = (struct error){0};
    put(&place, "other.json", "[]");
    check(flags_of(&place, other, "", &err) == NULL);
    check_contains(err.text, "is not among the files that are compiled there");
    err = (struct error){0};
    put(&place, "other.json", "{}");
    check(flags_of(&place, other, "", &err) == NULL);
    check_contains(err.text, "other.json: expected a list of compile commands");
    err = (struct error){0};
    put(&place, "other.json", "[{\"directory\": 3}]");
    check(flags_of(&place, other, "", &err) == NULL);
    check_contains(err.text, "[0].directory: expected");
    err = (struct error){0};
    put(&place, "other.json", "[\n{]");
    check(flags_of(&place, other, "", &err) == NULL);
    check_contains(err.text, "other.json:2:");
    free(other);
    close_place(&place);
}

TEST("a header is read as a file that includes it is")
{
    static const char database[] = "[{\"directory\": \"/\", \"file\": \"%s/other.c\", "
                                   "\"command\": \"gcc -DOTHER other.c\"},"
                                   " {\"directory\": \"/\", \"file\": \"%s/main.c\", "
                                   "\"command\": \"gcc -DMAIN main.c\"}]";
    struct place place;
    struct error err = {0};
    if (!open_place(&place))
        return;
    put(&place, "other.c", "#include <math.h>\n// #include \"k.h\"\n");
    put(&place, "main.c", "int a;\n #  include \"parts/all.h\"\n");
    put(&place, "parts/all.h", "#include \"k.h\"\n");
    put(&place, "parts/k.h", "#include \"all.h\"\nvoid k(void) {}\n");
    free(place.source);
    place.source = path_join(place.dir, "parts/k.h");
    char *other = path_join(place.dir, "other.json"),
         *text = xasprintf(database, place.dir, place.dir);
    put(&place, "other.json", text);
    char *flags = flags_of(&place, other, "", &err);
    check_str(flags, "-DMAIN");
    free(flags);
    free(text);
    free(other);
    close_place(&place);
}

TEST("cplusplus is told by a flag")
{
    static const char *const commands[] = {
        "g++ -c src/k.c", "/usr/bin/clang++-19 src/k.c", "gcc -x c++ src/k.c",
        "gcc -std=gnu++17 src/k.c"};
    struct place place;
    if (!open_place(&place))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        struct error err = {0};
        char *how = xasprintf("\"command\": \"%s\"", commands[i]);
        char *text = entry(&place, how);
        put(&place, "compile_commands.json", text);
        char *flags = flags_of(&place, NULL, "", &err);
        check_contains(flags ? flags : "", "-xc++");
        free(flags);
        free(how);
        free(text);
    }
    close_place(&place);
}
