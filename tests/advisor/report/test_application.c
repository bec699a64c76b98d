/* What is said of an application: as text, by hand-made samples; from outside. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "observe/report/app.h"
#include "tests/advisor/place.h"
#include "tests/check.h"

SUITE(advisor_application);

#define DATA INFLIGHT_SOURCE_DIR "/tests/data/advisor/"

/* What is made up here is never given back. */
#define TEXT(text) ((char *)(uintptr_t)(text))

static struct hot_loop sweep_loop[] = {
    {.line = 131, .first_line = 131, .last_line = 137, .samples = 5000},
    {.line = 150, .first_line = 151, .last_line = 151, .samples = 900},
    {.line = 0, .first_line = 170, .last_line = 172, .samples = 8}};
static struct hot_routine routines[] = {
    {.kind = HOT_SOURCE,
     .name = TEXT("sweep"),
     .module = TEXT("/home/me/mesh"),
     .file = TEXT("/home/me/src/mesh.c"),
     .source = TEXT("src/mesh.c"),
     .line = 120,
     .language = "C",
     .samples = 6000,
     .misses = 4000,
     .threads = 2,
     .loop = sweep_loop,
     .loop_nr = 3},
    {.kind = HOT_SOURCE,
     .name = TEXT("std::vector<int, std::allocator<int> >::operator<<"),
     .module = TEXT("/home/me/mesh"),
     .file = TEXT("/gone/io.cpp"),
     .line = 7,
     .language = "C++",
     .inlined_into = TEXT("main"),
     .samples = 2000,
     .misses = 1,
     .threads = 1},
    {.kind = HOT_SYMBOL,
     .name = TEXT("gomp_barrier_wait"),
     .module = TEXT("/usr/lib/libgomp.so.1"),
     .samples = 1000,
     .threads = 2},
    {.kind = HOT_MODULE,
     .name = TEXT("tool"),
     .module = TEXT("/opt/tool"),
     .samples = 500,
     .threads = 1},
    {.kind = HOT_NO_FILE,
     .name = TEXT("//anon"),
     .module = TEXT("//anon"),
     .samples = 300,
     .threads = 1},
    {.kind = HOT_SYMBOL,
     .name = TEXT("memcpy"),
     .module = TEXT("/lib/libc.so.6"),
     .samples = 5,
     .threads = 1}};
static struct app_row rows[] = {
    {.source = TEXT("src/mesh.c"),
     .line = 131,
     .capture = TEXT("inflight capture src/mesh.c:131 -o sweep.inputs -- ./mesh 3"),
     .tune = TEXT("inflight tune src/mesh.c:131 --inputs sweep.inputs --in-app 'BUILD && "
                  "./mesh 3'"),
     .flags_from = TEXT("the debug information of './mesh'")},
    {.why_not = TEXT("its source '/gone/io.cpp' is not on this machine")},
    {.why_not = TEXT("'libgomp.so.1' has no debug information: build it with -g")},
    {.why_not = TEXT("it was stripped")},
    {.why_not = NULL}};
static char *argv[] = {TEXT("./mesh"), TEXT("3"), NULL};

static struct app make_app(void)
{
    struct app app = {
        .samples = {.frequency_hz = 997,
                    .total = 9805,
                    .wall_s = 6,
                    .user_s = 9.8,
                    .system_s = 0.2,
                    .miss_why =
                        TEXT("the processor's counters are not available here (no PMU)"),
                    .end = SPAWN_EXITED,
                    .argv = {argv, 2, 2},
                    .dir = TEXT("/home/me")},
        .hot = {routines, 6, 6, 2, 1, 5.9, 9805, 1805},
        .cost_s = quantity_between(4e-6, 3e-6, 5e-6, 9, PROVENANCE_CLOCK),
        .row = rows,
        .row_nr = 5,
        .unknown_build = true};

    for (size_t i = 0; i < ARRAY_SIZE(routines); i++) {
        routines[i].share = sample_share(routines[i].samples, 9805);
        routines[i].cpu_s = sample_count(routines[i].samples, 1 / 997.0);
        routines[i].busiest_s = sample_count(routines[i].samples / 2, 1 / 997.0);
    }
    for (size_t i = 0; i < ARRAY_SIZE(sweep_loop); i++)
        sweep_loop[i].share = sample_share(sweep_loop[i].samples, 9805);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        rows[i].routine = &routines[i];
        rows[i].whole_if_twice = hot_whole_gain(&routines[i], 6, 2);
        rows[i].gbs = quantity_unknown();
    }
    return app;
}

TEST("the report")
{
    struct app app = make_app();
    struct buf text = {0};

    app_text(&app, false, 80, &text);
    check_golden(DATA "application.txt", buf_str(&text));
    buf_reset(&text);
    app.samples.end = SPAWN_SIGNALLED;
    app.samples.code = 11;
    app.samples.rank = TEXT("1");
    app.samples.lost = 12;
    app.hot.busiest_s = 2;
    app.cost_s = quantity_unknown();
    app.unknown_build = false;
    app.guessed_build = TEXT("make");
    app_text(&app, false, 60, &text);
    check_golden(DATA "application_60.txt", buf_str(&text));
    buf_release(&text);
}

/* ---- from outside ---- */

static bool cannot_sample(void)
{
    struct error err = {0};

    if (sample_possible(&err) == 0)
        return false;
    check_skip(err.text);
    return true;
}

/* Between them stands an attribute of the function. */
static const char before[] = "#include <stdio.h>\n"
                             "static double a[4096];\n";
static const char program[] = " double turn(int turns)\n"
                              "{\n"
                              "    double s = 0;\n"
                              "    for (int t = 0; t < turns; t++)\n"
                              "        for (int i = 0; i < 4096; i++)\n"
                              "            s += a[i] / (t + 3);\n"
                              "    return s;\n"
                              "}\n"
                              "int main(int argc, char **argv)\n"
                              "{\n"
                              "    double s = turn(90000);\n"
                              "    puts(\"done\");\n"
                              "    if (argc > 1)\n"
                              "        *(volatile int *)0 = 1;\n"
                              "    return s > 1 || argv == 0;\n"
                              "}\n";

static bool build(const struct place *place, const char *attribute)
{
    char *source = path_join(place->work, "spin.c"),
         *out = path_join(place->work, "spin");
    char *text = xasprintf("%s%s%s", before, attribute, program);
    const char *const command[] = {"gcc", "-O2", "-g", source, "-o", out, NULL};
    struct spawn_request request = {.argv = command, .timeout_s = PATIENCE_S};
    struct spawn_outcome outcome = {0};
    struct error err = {0};
    bool works = check_ok(file_write(source, text, strlen(text), &err), &err) &&
                 check_ok(spawn_run(&request, &outcome, &err), &err) &&
                 check_eq(outcome.code, 0);

    spawn_outcome_release(&outcome);
    free(text);
    free(source);
    free(out);
    return works;
}

TEST("programs that run")
{
    struct place place = {0};

    if (cannot_sample())
        return;
    place_make(&place);
    if (build(&place, "static __attribute__((noinline,noclone))")) {
        check_run(&place, "advise -- ./spin", 0,
                  "done\n./spin\n*Where the CPU time goes\n*turn, spin.c:3*in the loop "
                  "at line 7*inflight capture spin.c:7 --build BUILD -o turn.inputs -- "
                  "./spin\n*",
                  "*");
        check_run(&place, "advise --json --save s.json -- ./spin", 0,
                  "{\n  \"schema\": \"inflight.application/1\"*\"tune_command\": "
                  "\"inflight tune spin.c:7*",
                  "*done\n*");
        check_run(&place, "advise --samples s.json", 0,
                  "./spin\n*turn, spin.c:3*in the loop at line 7*", "*");
        /* it fails: what was sampled until then is told all the same */
        check_run(
            &place, "advise -- ./spin crash", 1,
            "./spin crash\n*'./spin' was ended by a signal*this covers its time*turn, "
            "spin.c:3*",
            "*inflight: './spin' was ended by a signal (Segmentation fault); the report "
            "covers its time until then\n");
    }
    place_drop(&place);
}

static void put(const struct place *place, const char *name, const char *text)
{
    char *path = path_join(place->work, name), *dir = path_folder(path);
    struct error err = {0};

    check_ok(dir_make_all(dir, &err), &err);
    check_ok(file_write(path, text, strlen(text), &err), &err);
    free(dir);
    free(path);
}

TEST("how the program is built is known, or called a guess")
{
    struct place place = {0};

    if (cannot_sample())
        return;
    place_make(&place);
    if (build(&place, "static __attribute__((noinline,noclone))")) {
        put(&place, "Makefile", "spin: spin.c\n\tgcc -O2 -g -DONE='1 2' -o $@ $<\n");
        check_run(&place, "advise -- ./spin", 0,
                  "done\n*--in-app 'make && ./spin'\n*'make' is a guess*with --build.*",
                  "*");
        check_run(&place, "advise --build 'make -B' -- ./spin", 0,
                  "done\n*inflight capture spin.c:7 --cflags *-DONE=1 2*--in-app 'make "
                  "-B && ./spin'\n*of turn: from the build 'make -B'*",
                  "watching 'make -B' in a private copy\n*");
        put(&place, "out/CMakeCache.txt", "# made\n");
        char *cache = xasprintf("# made\nCMAKE_BUILD_TYPE:STRING=Release\n"
                                "CMAKE_C_FLAGS:STRING=\nCMAKE_CXX_FLAGS:STRING=-g -O1\n"
                                "CMAKE_HOME_DIRECTORY:INTERNAL=%s\n",
                                place.work);
        put(&place, "build/CMakeCache.txt", cache);
        free(cache);
        check_run(&place, "advise -- ./spin", 0,
                  "done\n*--in-app 'cmake -S . -B build -DCMAKE_BUILD_TYPE=Release "
                  "*-DCMAKE_CXX_FLAGS=-g -O1* && cmake --build build && ./spin'\n*",
                  "*");
    }
    place_drop(&place);
}

TEST("what is always inlined is captured like any other")
{
    struct place place = {0};

    if (cannot_sample())
        return;
    place_make(&place);
    if (build(&place, "static inline __attribute__((always_inline))")) {
        struct spawn_outcome outcome = {0};

        place_run(&place, "advise -- ./spin", &outcome);
        check_eq(outcome.code, 0);
        check_contains(buf_str(&outcome.out), "inlined into main");
        check_contains(buf_str(&outcome.out), "inflight capture spin.c:7 --build BUILD");
        spawn_outcome_release(&outcome);
    }
    place_drop(&place);
}

TEST("what cannot be told")
{
    struct place place = {0};

    if (cannot_sample())
        return;
    place_make(&place);
    check_run(&place, "advise -- ./nothing", 3, "",
              "*inflight: there is no program './nothing': look at the path\n");
    check_run(&place, "advise -- nothing-of-that-name", 3, "",
              "*on the PATH: write './' before one in this folder\n");
    check_run(&place, "advise -- .", 3, "",
              "*'.' cannot be started: Permission denied\n");
    check_run(&place, "advise -- true", 1, "",
              "*samples of its CPU time in *too few to say*");
    check_run(&place, "advise -- sh -c 'exit 4'", 1, "",
              "*'sh' ended with status 4: *too few*");
    check_run(&place, "advise --save no/where.json -- true", 2, "",
              "*'no' of the output does not exist*");
    place_drop(&place);
}

/* Before anything is run: no text of the program comes. */
TEST("words that mean nothing")
{
    static const struct {
        const char *words, *err;
        int code;
    } cases[] = {
        {"--access nearly", "inflight: --access: *'nearly'*", 2},
        {"--rules none.json", "inflight: *none.json*", 3},
        {"--machine no-such", "inflight: *no-such*", 3},
        {"--machine skl --memory nine", "inflight: *nine*", 3},
    };
    struct place place = {0};

    place_make(&place);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *line =
            xasprintf("advise %s -- sh -c 'echo it ran; exit 4'", cases[i].words);

        check_run(&place, line, cases[i].code, "", cases[i].err);
        free(line);
    }
    place_drop(&place);
}
