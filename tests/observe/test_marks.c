/* The marker library, as programs use it: what a program with markers leaves behind. */
#include <stdlib.h>
#include <string.h>

#include "core/files/fs.h"
#include "core/process/term.h"
#include "observe/observe.h"
#include "tests/check.h"

SUITE(regions_marks);

#define INCLUDE "-I" INFLIGHT_SOURCE_DIR "/regions"

struct visit {
    char *home, *folder; /* folder: with a space in its name */
    struct strvec env;
    struct spawn_outcome outcome;
    struct region_profile profile;
    struct error err;
};

static bool visit_make(struct visit *visit)
{
    *visit = (struct visit){0};
    if (!check_ok(scratch_make(&visit->home, &visit->err), &visit->err))
        return false;
    visit->folder = path_join(visit->home, "a folder");
    strvec_pushf(&visit->env, "INFLIGHT_REGIONS=%s", visit->folder);
    return true;
}

/* Of variables that are there twice the first counts. */
static void set_last(struct visit *visit, const char *variable)
{
    char **last = &visit->env.v[visit->env.nr - 1];
    free(*last);
    *last = xstrdup(variable);
}

static void visit_drop(struct visit *visit)
{
    region_profile_release(&visit->profile);
    spawn_outcome_release(&visit->outcome);
    strvec_release(&visit->env);
    free(visit->folder);
    scratch_remove(visit->home);
}

static void run(struct visit *visit, const char *const *argv)
{
    struct spawn_request request = {.argv = argv,
                                    .env_extra = (const char *const *)visit->env.v,
                                    .dir = visit->home,
                                    .timeout_s = PATIENCE_S};
    spawn_outcome_release(&visit->outcome);
    check_ok(spawn_run(&request, &visit->outcome, &visit->err), &visit->err);
}

#define RUN(visit, ...) run((visit), (const char *const[]){__VA_ARGS__, NULL})

/* Runs the program in that way and reads what it left. */
static bool visit_way(struct visit *visit, const char *way)
{
    if (!visit_make(visit))
        return false;
    RUN(visit, REGION_PROGRAM, way);
    check_str(buf_str(&visit->outcome.err), "");
    return check_ok(
        region_profile_read(visit->folder, NULL, &visit->profile, &visit->err),
        &visit->err);
}

static const struct region *region(const struct visit *visit, const char *name)
{
    static const struct region none;
    for (size_t i = 0; i < visit->profile.region_nr; i++)
        if (!strcmp(visit->profile.region[i].name, name))
            return &visit->profile.region[i];
    check_str("no such region", name);
    return &none;
}

/* "step>sweep" */
static const struct region_numbers *path(const struct visit *visit, const char *callers)
{
    static const struct region_numbers none;
    const struct region_profile *profile = &visit->profile;
    for (size_t i = 0; i < profile->path_nr; i++) {
        char *name = xstrdup(profile->path[i].name);
        for (size_t k = profile->path[i].parent; k != SIZE_MAX;
             k = profile->path[k].parent) {
            char *longer = xasprintf("%s>%s", profile->path[k].name, name);
            free(name);
            name = longer;
        }
        bool found = !strcmp(name, callers);
        free(name);
        if (found)
            return &profile->path[i].numbers;
    }
    check_str("no such path", callers);
    return &none;
}

TEST("calls, times and bytes add up")
{
    struct visit visit;
    if (!visit_way(&visit, "nested"))
        return;
    const struct region *step = region(&visit, "step"), *sweep = region(&visit, "sweep");
    check_eq(visit.profile.process_nr, 1);
    check_str(visit.profile.process[0].program, "inflight_region_program");
    check(visit.profile.process[0].ended);
    check(visit.profile.process[0].pair_ns > 0);
    check_eq(visit.profile.region_nr, 2);
    check_eq(step->numbers.calls, 100);
    check_eq(sweep->numbers.calls, 200);
    check_eq(sweep->numbers.declared, 400);
    check_eq(sweep->numbers.read_bytes, 200 * 64);
    check_eq(sweep->numbers.write_bytes, 200 * 4);
    check_near(sweep->numbers.random_share, 0.25, 0);
    check(step->numbers.random_share < 0);
    check_eq(step->numbers.write_bytes, 800);
    check_eq(step->inner_read_bytes, 200 * 64);
    check_eq(step->inner_write_bytes, 200 * 4);
    check_eq(step->pairs, 300);
    check_near(step->numbers.own_s + sweep->numbers.own_s, step->numbers.thread_s, 1e-9);
    check_near(step->wall_s.value, step->numbers.thread_s, 1e-9);
    check(sweep->numbers.min_s <= sweep->numbers.max_s && sweep->numbers.max_s > 0);
    check_eq(path(&visit, "step>sweep")->calls, 200);
    check_eq(visit.profile.path_nr, 2);
    visit_drop(&visit);
}

TEST("threads are added and united")
{
    struct visit visit;
    if (!visit_way(&visit, "threads"))
        return;
    const struct region *step = region(&visit, "step");
    check_eq(visit.profile.process[0].threads, 6);
    check_eq(step->numbers.calls, 500);
    check_eq(region(&visit, "sweep")->numbers.calls, 1000);
    check(step->wall_s.value <= step->numbers.thread_s * (1 + 1e-9));
    check(step->thread.nr >= 1 && step->thread.nr <= 5);
    check_eq(region(&visit, "left by its thread")->abandoned, 1);
    check_eq(region(&visit, "left by its thread")->numbers.calls, 1);
    visit_drop(&visit);
}

TEST("a region within itself counts once")
{
    struct visit visit;
    if (!visit_way(&visit, "recursion"))
        return;
    const struct region *again = region(&visit, "again");
    check_eq(again->numbers.calls, 5);
    check_eq(visit.profile.path_nr, 5);
    check_near(again->numbers.thread_s, path(&visit, "again")->thread_s, 1e-12);
    check_near(again->numbers.own_s, again->numbers.thread_s, 1e-9);
    check_near(again->wall_s.value, again->numbers.thread_s, 1e-9);
    visit_drop(&visit);
}

TEST("mistakes are counted by name")
{
    struct visit visit;
    char cut[128];
    if (!visit_way(&visit, "mistakes"))
        return;
    memset(cut, 'n', sizeof(cut) - 1);
    cut[sizeof(cut) - 1] = 0;
    check_eq(region(&visit, "never begun")->unbegun, 1);
    check_eq(region(&visit, "crossing")->crossed, 1);
    check_eq(region(&visit, "crossing")->forgotten, 0);
    check_eq(region(&visit, "crossing")->unbegun, 0);
    check_eq(region(&visit, "forgotten")->forgotten, 1);
    check_eq(region(&visit, "outer")->numbers.calls, 3);
    check_eq(region(&visit, "outer")->outside, 1);
    check_eq(region(&visit, "outer")->impossible, 2);
    check_eq(region(&visit, "outer")->numbers.declared, 0);
    check_eq(region(&visit, cut)->numbers.calls, 1);
    check_eq(region(&visit, "a \"name\"\n\xff")->left_open, 1);
    check_eq(region(&visit, "a \"name\"\n\xff")->numbers.unfinished, 1);
    check_eq(visit.profile.nameless, 2);
    visit_drop(&visit);
}

TEST("numbers of regions are bounded")
{
    struct visit visit;
    if (!visit_way(&visit, "too_many"))
        return;
    check_eq(visit.outcome.code, 0);
    check_eq(visit.profile.region_nr, 256);
    check_eq(visit.profile.unrecorded_names, 44 * 2);
    check_eq(visit.profile.unrecorded, 6);
    check_eq(region(&visit, "region 0")->numbers.calls, 1 + 64);
    check_eq(region(&visit, "region 1")->numbers.calls, 2);
    check_eq(region(&visit, "region 0")->unbegun, 0);
    visit_drop(&visit);
}

TEST("each process has its own counts")
{
    struct visit visit;
    if (!visit_way(&visit, "forked"))
        return;
    check_eq(visit.profile.process_nr, 3);
    check_eq(path(&visit, "step")->calls, 100);
    check_eq(path(&visit, "around fork>step")->calls, 100 + 100 + 100 + 0);
    check_eq(region(&visit, "around fork")->numbers.calls, 3);
    check_eq(region(&visit, "around fork")->process.nr, 3);
    check_eq(region(&visit, "around fork")->left_open, 0);
    size_t ended = 0;
    for (size_t i = 0; i < visit.profile.process_nr; i++)
        ended += visit.profile.process[i].ended;
    check_eq(ended, 2); /* one called _exit */
    visit_drop(&visit);
}

TEST("what is killed leaves its counts")
{
    struct visit visit;
    if (!visit_way(&visit, "killed"))
        return;
    check_eq(visit.outcome.end, SPAWN_SIGNALLED);
    check(!visit.profile.process[0].ended);
    check_eq(region(&visit, "sweep")->numbers.calls, 200);
    check_eq(region(&visit, "the last")->numbers.calls, 0);
    check_eq(region(&visit, "the last")->numbers.unfinished, 1);
    check_eq(region(&visit, "word")->left_open, 0); /* no mistake of the program */
    /* who knows when it was gone counts up to there */
    struct region_end end = {visit.profile.process[0].pid, clock_s() + 1000};
    region_profile_release(&visit.profile);
    check_ok(region_profile_read(visit.folder, &end, &visit.profile, &visit.err),
             &visit.err);
    check(region(&visit, "word")->wall_s.value > 999);
    check(region(&visit, "word")->numbers.thread_s > 999);
    check(region(&visit, "the last")->numbers.own_s < 100);
    visit_drop(&visit);
}

TEST("nothing is left unless asked")
{
    struct visit visit;
    if (!visit_make(&visit))
        return;
    set_last(&visit, "INFLIGHT_REGIONS=");
    RUN(&visit, REGION_PROGRAM, "mistakes");
    check_eq(visit.outcome.code, 0);
    check_str(buf_str(&visit.outcome.err), "");
    check(!dir_exists(visit.folder));
    visit_drop(&visit);
}

/* No folder, no room: one line, and the program runs on. */
TEST("no place to record is said once")
{
    struct visit visit;
    if (!visit_make(&visit))
        return;
    char *folder = xstrdup(visit.env.v[0]);
    set_last(&visit, "INFLIGHT_REGIONS=/dev/null/x");
    RUN(&visit, REGION_PROGRAM, "threads");
    check_eq(visit.outcome.code, 0);
    check_str(
        buf_str(&visit.outcome.err),
        "inflight: regions are not recorded: cannot write into '/dev/null/x': Not a "
        "directory\n");
    set_last(&visit, folder);
    RUN(&visit, "sh", "-c", "ulimit -f 100; exec \"$0\" threads", REGION_PROGRAM);
    check_eq(visit.outcome.end, SPAWN_EXITED);
    check_eq(visit.outcome.code, 0);
    check_contains(buf_str(&visit.outcome.err), "regions are not recorded");
    check_contains(buf_str(&visit.outcome.err), "File too large");
    free(folder);
    visit_drop(&visit);
}

TEST("threads without room are said")
{
    struct visit visit;
    if (!visit_make(&visit))
        return;
    /* room for the head and two lanes */
    RUN(&visit, "sh", "-c", "ulimit -f 1000; exec \"$0\" threads", REGION_PROGRAM);
    check_eq(visit.outcome.code, 0);
    check_ok(region_profile_read(visit.folder, NULL, &visit.profile, &visit.err),
             &visit.err);
    check(visit.profile.unrecorded_threads >= 1 || visit.profile.process[0].threads == 6);
    visit_drop(&visit);
}

TEST("events are counted where they count")
{
    struct visit visit;
    if (!visit_make(&visit))
        return;
    strvec_push(&visit.env, "INFLIGHT_PAPI=" FAKE_PAPI);
    strvec_push(&visit.env, "INFLIGHT_REGIONS_EVENTS=ONE,TWO");
    RUN(&visit, REGION_PROGRAM, "nested");
    check_ok(region_profile_read(visit.folder, NULL, &visit.profile, &visit.err),
             &visit.err);
    check_eq(visit.profile.event_nr, 2);
    check_str(visit.profile.event[1], "TWO");
    /* one read at begin, one at end; "step" has four more within */
    check_eq(region(&visit, "sweep")->numbers.count[0], 200 * 10);
    check_eq(region(&visit, "sweep")->numbers.count[1], 200 * 20);
    check_eq(region(&visit, "step")->numbers.count[0], 100 * 50);
    visit_drop(&visit);
}

TEST("events that do not count are said")
{
    struct visit visit;
    if (!visit_make(&visit))
        return;
    strvec_push(&visit.env, "INFLIGHT_REGIONS_EVENTS=ONE,NONE");
    strvec_push(&visit.env, "INFLIGHT_PAPI=" FAKE_PAPI);
    RUN(&visit, REGION_PROGRAM, "nested");
    set_last(&visit, "INFLIGHT_PAPI=/there/is/none.so");
    RUN(&visit, REGION_PROGRAM, "nested");
    check_ok(region_profile_read(visit.folder, NULL, &visit.profile, &visit.err),
             &visit.err);
    check_eq(visit.profile.process_nr, 2);
    check_eq(visit.profile.event_nr, 0);
    check_str(visit.profile.process[0].why,
              "PAPI cannot count NONE here: Event does not exist");
    check_str(visit.profile.process[1].why, "PAPI is not installed (libpapi.so)");
    check_eq(region(&visit, "sweep")->numbers.calls, 400);
    visit_drop(&visit);
}

/* ---- other languages ---- */

static bool compiler_is_there(struct visit *visit, const char *compiler)
{
    RUN(visit, compiler, "--version");
    if (ONLY_OWN_CODE) {
        check_skip(
            "the library is built with sanitizers, which other compilers' programs "
            "lack");
        return false;
    }
    if (visit->outcome.end != SPAWN_NOT_STARTED)
        return true;
    char *why = xasprintf("%s is not installed", compiler);
    check_skip(why);
    free(why);
    return false;
}

static void put(struct visit *visit, const char *name, const char *text)
{
    char *file = path_join(visit->home, name);
    check_ok(file_write(file, text, strlen(text), &visit->err), &visit->err);
    free(file);
}

/* Runs ./program of the folder and reads what it left. */
static void run_built(struct visit *visit)
{
    check_str(buf_str(&visit->outcome.err), "");
    if (!check_eq(visit->outcome.code, 0))
        return;
    RUN(visit, "./program");
    check_eq(visit->outcome.code, 0);
    check_ok(region_profile_read(visit->folder, NULL, &visit->profile, &visit->err),
             &visit->err);
}

TEST("C++ regions end with their block")
{
    static const char text[] =
        "#include <inflight.h>\n"
        "static void f(int i)\n{\n    inflight::region here(\"f\");\n"
        "    here.bytes(64, 0);\n    here.access(1);\n    if (i == 3)\n        throw "
        "i;\n}\n"
        "int main()\n{\n    for (int i = 0; i < 5; i++)\n        try {\n            "
        "f(i);\n"
        "        } catch (int) {\n        }\n    inflight_region_begin(\"plain\");\n"
        "    inflight_region_end(\"plain\");\n}\n";
    struct visit visit;
    if (!visit_make(&visit))
        return;
    if (compiler_is_there(&visit, "g++")) {
        put(&visit, "program.cpp", text);
        RUN(&visit, "g++", "-std=c++98", "-Wall", "-Wextra", "-Werror", INCLUDE,
            "program.cpp", REGIONS_STATIC, "-o", "program");
        run_built(&visit);
        check_eq(region(&visit, "f")->numbers.calls, 5);
        check_eq(region(&visit, "f")->numbers.read_bytes, 5 * 64);
        check_eq(region(&visit, "f")->left_open, 0);
        check_eq(region(&visit, "plain")->numbers.calls, 1);
    }
    visit_drop(&visit);
}

TEST("Fortran calls it")
{
    static const char text[] = "program p\n  use inflight_regions\n  implicit none\n"
                               "  integer :: i\n  do i = 1, 7\n"
                               "    call inflight_region_begin('outer')\n"
                               "    call inflight_region_begin('inner loop  ')\n"
                               "    call inflight_region_bytes('inner loop', "
                               "bytes_written=8d0)\n"
                               "    call inflight_region_access('inner loop', 1d0)\n"
                               "    call inflight_region_end('inner loop')\n"
                               "    call inflight_region_end('outer')\n  end do\n"
                               "  if (.not. inflight_regions_active()) stop 1\n"
                               "end program p\n";
    struct visit visit;
    if (!visit_make(&visit))
        return;
    if (compiler_is_there(&visit, "gfortran")) {
        put(&visit, "program.f90", text);
        RUN(&visit, "gfortran", "-std=f2008", "-Wall", "-Werror",
            INFLIGHT_SOURCE_DIR "/regions/inflight_regions.f90", "program.f90",
            REGIONS_SHARED, "-Wl,-rpath," REGIONS_FOLDER, "-o", "program");
        run_built(&visit);
        check_eq(path(&visit, "outer>inner loop")->calls, 7);
        check_eq(path(&visit, "outer>inner loop")->write_bytes, 56);
        check_near(path(&visit, "outer>inner loop")->random_share, 1, 0);
    }
    visit_drop(&visit);
}

/* C that asks for nothing beyond C99 and POSIX, and needs no library when disabled. */
TEST("it can be compiled out")
{
    static const char text[] =
        "#include <inflight.h>\nint main(void)\n{\n    inflight_region_begin(\"f\");\n"
        "    inflight_region_bytes(\"f\", 1, 1);\n    inflight_region_access(\"f\", 1);\n"
        "    inflight_region_end(\"f\");\n"
        "    return inflight_regions_active() || !*inflight_regions_version();\n}\n";
    struct visit visit;
    if (!visit_make(&visit))
        return;
    if (compiler_is_there(&visit, "gcc")) {
        put(&visit, "program.c", text);
        RUN(&visit, "gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic",
            "-DINFLIGHT_DISABLE", INCLUDE, "program.c", "-o", "program");
        check_str(buf_str(&visit.outcome.err), "");
        RUN(&visit, "./program");
        check_eq(visit.outcome.code, 0);
        check(!dir_exists(visit.folder));
    }
    visit_drop(&visit);
}

TEST("nothing but libc is needed")
{
    struct visit visit;
    if (!visit_make(&visit))
        return;
    if (compiler_is_there(&visit, "readelf")) {
        RUN(&visit, "readelf", "-d", "-W", REGIONS_SHARED);
        const char *text = buf_str(&visit.outcome.out), *needed = text;
        for (; (needed = strstr(needed, "(NEEDED)")); needed++)
            if (strncmp(needed + strcspn(needed, "["), "[libc.so", 8))
                check_str(needed, "libc only");
        check_contains(text, "libinflight_regions.so.1");
    }
    visit_drop(&visit);
}
