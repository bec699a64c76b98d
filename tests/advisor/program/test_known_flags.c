/* With which flags a source is read: given, of a database, of a build that is watched, of
 * the program's debug information. */
#include <stdlib.h>
#include <string.h>

#include "tests/advisor/place.h"

SUITE(advisor_flags);

static const char *const project[][2] = {
    {"src/kernel.c", "#include \"size.h\"\n"
                     "#ifndef N\n#error say N=4 or so\n#endif\n"
                     "real y[N], x[N];\n"
                     "void scale(double f)\n{\n"
                     "    for (int i = 0; i < N - ONE; i++)\n"
                     "        y[i] = f * x[i];\n}\n"},
    {"src/main.c", "void scale(double f);\nint main(void)\n{\n"
                   "    scale(2);\n    return 0;\n}\n"},
    {"in c/size.h", "typedef double real;\n#define ONE 1\n"},
    {"Makefile", "CLASS = nothing\nFLAGS = -O1 '-DN=$(CLASS)' -I'in c' -std=gnu11\n"
                 "app: kernel.o main.o\n\t$(CC) -o $@ $^\n"
                 "%.o: src/%.c\n\t$(CC) $(FLAGS) $(MORE) -c $< -o $@\n"
                 "clean:\n\trm -f *.o app\n"},
};

static void make_project(struct place *place)
{
    place_make(place);
    for (size_t i = 0; i < ARRAY_SIZE(project); i++) {
        char *path = path_join(place->work, project[i][0]), *dir = path_folder(path);
        check_ok(dir_make_all(dir, &place->err), &place->err);
        check_ok(file_write(path, project[i][1], strlen(project[i][1]), &place->err),
                 &place->err);
        free(path);
        free(dir);
    }
}

static void make(struct place *place, const char *words)
{
    char *command = xasprintf("make clean && make app %s", words);
    const char *const argv[] = {"sh", "-c", command, NULL};
    struct spawn_request request = {
        .argv = argv, .dir = place->work, .timeout_s = PATIENCE_S};
    struct spawn_outcome outcome = {0};
    check_ok(spawn_run(&request, &outcome, &place->err), &place->err);
    check_eq(outcome.code, 0);
    spawn_outcome_release(&outcome);
    free(command);
}

TEST("what is missing is said with its remedies, which work")
{
    static const struct {
        const char *words, *out, *err;
        int code;
    } cases[] = {
        {"", "",
         "inflight: *kernel.c:1:10: 'size.h' file not found; give its folder with -I, a "
         "compile_commands.json, or --build 'make'\n",
         3},
        {"-I 'in c'", "",
         "inflight: *kernel.c:3:2: #error say N=4 or so; define what its build defines, "
         "with --cflags -DN=4, a compile_commands.json, or --build 'make'\n",
         3},
        {"-I 'in c' --cflags -DN=4", "scale in src/kernel.c, line 6\n\nloops\n*", "*", 0},
        {"-I 'in c' -- -DN=4", "scale in src/kernel.c, line 6\n\nloops\n*", "*", 0},
        {"--build 'make CLASS=64'",
         "scale in src/kernel.c, line 6\nread with the flags of the build 'make "
         "CLASS=64': -DN=64 -std=gnu11 *in c'*",
         "watching 'make CLASS=64' in a private copy\n", 0},
        {"--build 'make CLASS=64' --cflags -DN=65",
         "scale in src/kernel.c, line 6\nread with the flags of the command line and the "
         "build 'make CLASS=64': -DN=64*-std=gnu11 -DN=65 *",
         "*", 0},
        {"--build 'make main.o'", "",
         "*inflight: --build: 'make main.o' does not compile 'src/kernel.c'\n", 3},
        {"--build 'make CLASS=no'", "",
         "*inflight: --build: 'make CLASS=no' ended with status 2 in a copy of '*': "
         "*error: *\n",
         1},
        {"--build make --compile-commands none", "",
         "*--build and --compile-commands both tell the flags*", 2},
    };
    struct place place = {0};
    make_project(&place);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *line = xasprintf("show src/kernel.c %s", cases[i].words);
        check_run(&place, line, cases[i].code, cases[i].out, cases[i].err);
        free(line);
    }
    place_drop(&place);
}

TEST("objects that are up to date are built anew in the copy, and stay in the tree")
{
    struct place place = {0};
    make_project(&place);
    make(&place, "CLASS=32");
    check_run(&place, "show src/kernel.c --build 'make CLASS=64'", 0, "*-DN=64*", "*");
    char *command = xasprintf("cd '%s' && make -q app CLASS=32", place.work);
    const char *const argv[] = {"sh", "-c", command, NULL};
    struct spawn_request request = {.argv = argv, .timeout_s = PATIENCE_S};
    struct spawn_outcome outcome = {0};
    check_ok(spawn_run(&request, &outcome, &place.err), &place.err);
    check_eq(outcome.code, 0);
    spawn_outcome_release(&outcome);
    free(command);
    place_drop(&place);
}

TEST("debug information tells folders, the standard, and macros where it keeps them")
{
    struct place place = {0};
    make_project(&place);
    make(&place, "CLASS=16 MORE=-g3");
    check_run(&place, "capture src/kernel.c --build 'make CLASS=16' -- ./app", 0,
              "void scale(double), call 1 of ./app\n*", "inputs written to *");
    check_run(&place, "show src/kernel.c --inputs scale.inputs", 0,
              "scale in src/kernel.c, line 6, *read with the flags of the debug "
              "information of*app': -std=gnu11 -DN=16*in c'*",
              "*");
    make(&place, "CLASS=16 MORE=-g");
    check_run(&place, "show src/kernel.c --inputs scale.inputs", 3, "",
              "*kernel.c:3:2: #error say N=4 or so; *");
    check_run(&place, "show src/kernel.c --inputs scale.inputs --cflags -DN=16", 0,
              "*the flags of the command line and the debug information of*", "*");
    place_drop(&place);
}

TEST("a database in the program's folder is found")
{
    static const char text[] = "[{\"directory\": \"..\", \"file\": \"src/kernel.c\", "
                               "\"command\": \"cc -DN=16 '-Iin c' -c src/kernel.c\"}]";
    struct place place = {0};
    make_project(&place);
    make(&place, "CLASS=16 MORE=-g");
    char *out = path_join(place.work, "out"), *file = path_join(out, "app"),
         *old = path_join(place.work, "app"),
         *database = path_join(out, "compile_commands.json"),
         *entry = xasprintf("[{\"directory\": \"%s\"%s", place.work, strchr(text, ','));
    check_ok(dir_make_all(out, &place.err), &place.err);
    check_eq(rename(old, file), 0);
    check_ok(file_write(database, entry, strlen(entry), &place.err), &place.err);
    check_run(&place,
              "capture src/kernel.c --build 'make CLASS=16 && mv app out/app' -- out/app",
              0, "*", "inputs written to *");
    check_run(&place, "show src/kernel.c --inputs scale.inputs", 0,
              "*captured from out/app, call 1*", "*");
    check_run(&place, "show src/kernel.c", 3, "", "*file not found*");
    free(out);
    free(file);
    free(old);
    free(database);
    free(entry);
    place_drop(&place);
}
