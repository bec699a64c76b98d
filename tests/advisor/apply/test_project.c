/* inflight_tune() in projects of CMake, and the rule for make: built, built again, run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/advisor/site.h"
#include "tests/check.h"

SUITE(advisor_project);

static const char main_c[] = "#include <stdio.h>\n#include \"sum.h\"\nint which(void);\n"
                             "int main(void)\n{\n    printf(\"which %d\\n\", which());\n"
                             "    return 0;\n}\n";

static const char head[] =
    "cmake_minimum_required(VERSION 3.20)\n"
    "project(p LANGUAGES C)\n"
    "set(CMAKE_C_FLAGS -O2)\n"
    "include(\"" INFLIGHT_SOURCE_DIR "/cmake/inflight-tune.cmake\")\n";

static bool has(const char *program)
{
    const char *const argv[] = {program, "--version", NULL};
    struct spawn_outcome outcome = {0};
    bool works = spawn_run(&(struct spawn_request){.argv = argv, .timeout_s = PATIENCE_S},
                           &outcome, NULL) == 0 &&
                 outcome.end == SPAWN_EXITED && outcome.code == 0;

    spawn_outcome_release(&outcome);
    return works;
}

static void put_project(struct site *site, const char *text)
{
    char *all = xasprintf("%s%s", head, text);

    site_put(site, "main.c", main_c);
    site_put(site, "CMakeLists.txt", all);
    free(all);
}

/* The compiler is known to work: asking again takes most of the time. */
static int configure(struct site *site, const char *generator, struct buf *output)
{
    char *command = xasprintf("'" CMAKE_PROGRAM "' -G '%s' -DCMAKE_C_COMPILER=cc "
                              "-DCMAKE_C_COMPILER_WORKS=1 -S . -B b",
                              generator);
    int code = site_run(site, command, output);

    free(command);
    return code;
}

static int build(struct site *site, const char *args, struct buf *output)
{
    char *command = xasprintf("'" CMAKE_PROGRAM "' --build b %s", args);
    int code = site_run(site, command, output);

    free(command);
    return code;
}

/* Builds, and checks what the program says and what the build said; "" = nothing of
 * ours. */
static void check_build(struct site *site, const char *which, const char *want)
{
    struct buf output = {0}, ran = {0};

    if (!check_eq(build(site, "-j 4", &output), 0))
        check_str(buf_str(&output), "builds");
    if (*want)
        check_contains(buf_str(&output), want);
    else
        check(!strstr(buf_str(&output), "inflight: ") &&
              !strstr(buf_str(&output), "Building"));
    check_eq(site_run(site, "b/app", &ran), 0);
    check_str(buf_str(&ran), which);
    buf_release(&output);
    buf_release(&ran);
}

/* Whatever changes is seen by the next build, and undone by the one after. */
static void check_changes(struct site *site)
{
    char *text = site_get(site, "sum.inflight.json");
    char *record = path_join(site->dir, "sum.inflight.json");

    check_build(site, "which 2\n", "inflight: sum.c: built as tuned");
    check_build(site, "which 2\n", "");
    sleep(1); /* make compares times of whole seconds on some file systems */
    site_change(site, "sum.h", "enum", "enum ");
    check_build(site, "which 1\n", "'sum.h' changed since it was tuned");
    check_build(site, "which 1\n", "");
    site_change(site, "sum.h", "enum ", "enum");
    check_build(site, "which 2\n", "built as tuned");
    unlink(record);
    check_build(site, "which 1\n", "there is no record 'sum.inflight.json' yet");
    check_build(site, "which 1\n", "");
    site_put(site, "sum.inflight.json", text);
    check_build(site, "which 2\n", "built as tuned");
    check_build(site, "which 2\n", "");
    free(text);
    free(record);
}

static void with_generator(const char *generator, const char *program)
{
    struct site site;
    struct buf output = {0};

    if (!has(program)) {
        check_skip(program);
        return;
    }
    if (!site_make(&site, true)) {
        check_skip("this machine's CPU is not named in /proc/cpuinfo");
        return;
    }
    put_project(&site, "add_executable(app main.c sum.c)\n"
                       "inflight_tune(TARGET app KERNEL sum.c)\n");
    if (check_eq(configure(&site, generator, &output), 0))
        check_changes(&site);
    buf_release(&output);
    site_drop(&site);
}

TEST("ninja builds what was chosen")
{
    with_generator("Ninja", "ninja");
}

TEST("makefiles build what was chosen")
{
    with_generator("Unix Makefiles", "make");
}

/* Libraries of every kind, options and definitions of the source, two targets that share
 * one kernel, several configurations, a kernel below a folder. */
static const char every_kind[] =
    "set_source_files_properties(sum.c PROPERTIES COMPILE_DEFINITIONS SEEN=1 "
    "COMPILE_OPTIONS "
    "-DOPTION=1)\n"
    "add_library(one STATIC sum.c)\n"
    "add_library(two SHARED sum.c)\n"
    "add_library(three OBJECT sum.c)\n"
    "add_executable(app main.c)\n"
    "add_executable(app3 main.c)\n"
    "target_link_libraries(app PRIVATE one)\n"
    "target_link_libraries(app3 PRIVATE three)\n"
    "target_compile_options(two PRIVATE $<$<COMPILE_LANGUAGE:C>:-DLANGUAGE=1>)\n"
    "foreach(target one two three)\n"
    "  inflight_tune(TARGET ${target} KERNEL sum.c FUNCTION which SET n=8 BUDGET 5s)\n"
    "endforeach()\n";

static void check_job(struct site *site)
{
    struct buf output = {0};
    char *jobs;

    check_eq(site_run(site, "find b/inflight -name *.txt", &output), 0);
    buf_release(&output);
    jobs = site_get(site, "b/inflight/jobs-.txt");
    check_contains(jobs, "/b/inflight/one/");
    check(!strstr(jobs, "/b/inflight/two/")); /* one kernel is tuned once */
    free(jobs);
}

TEST("every kind of target is served")
{
    struct site site;
    struct buf output = {0};

    if (!has("ninja") || !site_make(&site, true))
        return;
    put_project(&site, every_kind);
    site_change(&site, "sum.c", "int which",
                "#if !SEEN || !OPTION\n#error lost\n#endif\nint which");
    site_record(&site, true);
    check_eq(configure(&site, "Ninja", &output), 0);
    check_build(&site, "which 2\n", "built as tuned");
    buf_reset(&output);
    check_eq(site_run(&site, "b/app3", &output), 0);
    check_str(buf_str(&output), "which 2\n");
    check_job(&site);
    site_change(&site, "sum.c", "int which", "int  which");
    check_build(&site, "which 1\n", "'sum.c' changed"); /* the properties reach it, too */
    buf_release(&output);
    site_drop(&site);
}

/* What is wrong with a call, in the words of the person who wrote it. */
TEST("wrong calls are refused")
{
    static const char *const cases[][2] = {
        {"inflight_tune(KERNEL sum.c)", "TARGET is missing"},
        {"inflight_tune(TARGET app)", "KERNEL is missing"},
        {"inflight_tune(TARGET app KERNEL sum.c BUGDET 3s)", "does not know"},
        {"inflight_tune(TARGET app KERNEL sum.c BUDGET 3)", "BUDGET takes a time"},
        {"inflight_tune(TARGET none KERNEL sum.c)", "there is no target 'none' yet"},
        {"inflight_tune(TARGET app KERNEL none.c)", "there is no file"},
        {"inflight_tune(TARGET app KERNEL sum.h)", "is no C file"},
        {"add_library(i INTERFACE)\ninflight_tune(TARGET i KERNEL sum.c)",
         "compiles nothing itself"},
        {"add_executable(app2 main.c)\ninflight_tune(TARGET app2 KERNEL sum.c)",
         "does not compile 'sum.c'"},
        {"inflight_tune(TARGET app KERNEL sum.c FUNCTION which)\ninflight_tune(TARGET "
         "app "
         "KERNEL sum.c FUNCTION other)",
         "is tuned already"},
        {"add_library(l sum.c)\ninflight_tune(TARGET app KERNEL sum.c SET n=1)\n"
         "inflight_tune(TARGET l KERNEL sum.c SET n=2)",
         "do not ask for the"},
    };
    struct site site;

    if (!has("ninja") || !site_make(&site, true))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *text = xasprintf("add_executable(app main.c sum.c)\n%s\n", cases[i][0]);
        struct buf output = {0};
        put_project(&site, text);
        check(configure(&site, "Ninja", &output) != 0);
        check_contains(buf_str(&output), cases[i][1]);
        buf_release(&output);
        free(text);
    }
    site_drop(&site);
}

/* Diagnostics point to the file that a person edits, and a broken kernel stays broken. */
TEST("a kernel that does not compile is shown")
{
    struct site site;
    struct buf output = {0};

    if (!has("ninja") || !site_make(&site, true))
        return;
    put_project(&site, "add_executable(app main.c sum.c)\n"
                       "inflight_tune(TARGET app KERNEL sum.c)\n");
    site_change(&site, "sum.c", "return AS_WRITTEN", "return AS_WRITEN");
    check_eq(configure(&site, "Ninja", &output), 0);
    check(build(&site, "", &output) != 0);
    char *place = xasprintf("%s/sum.c:4:", site.dir);
    check_contains(buf_str(&output), place);
    check_contains(buf_str(&output), "'sum.c' changed since it was tuned");
    buf_release(&output);
    free(place);
    site_drop(&site);
}

TEST("strict builds nothing else")
{
    struct site site;
    struct buf output = {0};

    if (!has("ninja") || !site_make(&site, true))
        return;
    put_project(&site, "add_executable(app main.c sum.c)\n"
                       "inflight_tune(TARGET app KERNEL sum.c STRICT)\n");
    check_eq(configure(&site, "Ninja", &output), 0);
    check_build(&site, "which 2\n", "built as tuned");
    site_change(&site, "sum.h", "enum", "enum ");
    check(build(&site, "", &output) != 0);
    check_contains(buf_str(&output), "not built, because 'sum.h' changed");
    buf_release(&output);
    site_drop(&site);
}

/* A source tree that nobody may write to is none of a build's business. */
TEST("a read-only source tree is built")
{
    struct site site;
    struct buf output = {0};

    if (!has("ninja") || !site_make(&site, true))
        return;
    put_project(&site, "add_executable(app main.c sum.c)\n"
                       "inflight_tune(TARGET app KERNEL sum.c)\n");
    char *b = path_join(site.dir, "b");
    check_eq(mkdir(b, 0777), 0);
    check_eq(chmod(site.dir, 0555), 0);
    check_eq(configure(&site, "Ninja", &output), 0);
    check_build(&site, "which 2\n", "built as tuned");
    check_eq(chmod(site.dir, 0755), 0);
    buf_release(&output);
    free(b);
    site_drop(&site);
}

/* Beside the Makefile: a folder with a space would be beyond make. */
static void copy_rule(struct site *site)
{
    static const char *const name[] = {"inflight.mk", "inflight-tune.cmake"};

    for (size_t i = 0; i < ARRAY_SIZE(name); i++) {
        char *path = path_join(INFLIGHT_SOURCE_DIR "/cmake", name[i]);
        struct buf text = {0};

        check_ok(file_read(path, &text, &site->err), &site->err);
        site_put(site, name[i], buf_str(&text));
        buf_release(&text);
        free(path);
    }
}

TEST("make has the same rule")
{
    static const char makefile[] = "CFLAGS = -O2\n"
                                   "include inflight.mk\n"
                                   "$(eval $(call inflight_tune,b/sum.o,sum.c,SET n=8))\n"
                                   "b/app: main.c b/sum.o\n\t$(CC) -o $@ $^\n";
    struct site site;
    struct buf output = {0};

    if (!has("make")) {
        check_skip("make");
        return;
    }
    if (!site_make(&site, true))
        return;
    site_put(&site, "main.c", main_c);
    site_put(&site, "Makefile", makefile);
    copy_rule(&site);
    check_eq(site_run(&site, "make", &output), 0);
    check_contains(buf_str(&output), "inflight: sum.c: built as tuned");
    buf_reset(&output);
    check_eq(site_run(&site, "b/app", &output), 0);
    check_str(buf_str(&output), "which 2\n");
    char *record = path_join(site.dir, "sum.inflight.json");
    unlink(record);
    buf_reset(&output);
    check_eq(site_run(&site, "make", &output), 0);
    check_contains(buf_str(&output), "there is no record");
    buf_reset(&output);
    check_eq(site_run(&site, "make -q", &output), 0);
    check_eq(site_run(&site, "b/app", &output), 0);
    check_str(buf_str(&output), "which 1\n");
    free(record);
    buf_release(&output);
    site_drop(&site);
}
