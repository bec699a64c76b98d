#include <stdlib.h>
#include <string.h>

#include "core/run/run.h"
#include "tests/check.h"
#include "tests/variants/harness_kernels.h"
#include "variants/kernel/kernel.h"
#include "variants/plan/plan.h"

SUITE(variants_arena);

static const struct run_opts few = {
    .launches_min = 1, .launches_max = 1, .samples_per_launch = 2, .sample_min_s = 1e-4};

#define SCALE "double scale(int n, double s, const double *a, double *b)\n"

/* The arena, and a library for each side; what is not needed stays NULL. */
struct built {
    char *program, *library[2];
};

static void forget(struct built *built)
{
    free(built->program);
    free(built->library[0]);
    free(built->library[1]);
}

/* A side is text of a file when it begins with '#' or '/', else a plan. */
static bool build_side(struct kernel *kernel, const char *text, const char *file,
                       const struct toolchain *toolchain, char **library)
{
    struct variant_side side = {0};
    struct plan *plan = NULL;
    char *source = NULL;
    struct error err = {0};
    bool good;

    if (*text && strchr("#/", *text))
        side.source = source = fixture_file(file, text);
    else if (check_ok(plan_parse(text, &plan, &err), &err))
        side.plan = plan;
    good = check_ok(
        variant_build_library(kernel, &side, toolchain, fixture_dir(), library, &err),
        &err);
    free(source);
    plan_free(plan);
    return good;
}

static bool build(struct kernel *kernel, const char *const text[2],
                  const struct toolchain *toolchain, struct built *built)
{
    static const char *const names[] = {"one.c", "other.c"};
    struct error err = {0};
    bool good = check_ok(
        variant_build_arena(kernel, toolchain, fixture_dir(), &built->program, &err),
        &err);

    for (int i = 0; good && i < 2; i++)
        good = build_side(kernel, text[i], names[i], toolchain, &built->library[i]);
    return good;
}

static void measure(const char *name, const char *const text[2],
                    const struct toolchain *toolchain, const struct run_opts *opts,
                    struct run_result result[2])
{
    struct kernel *kernel = fixture_bound(name, NULL);
    struct strvec args = {0};
    struct error err = {0};
    struct built built = {0};

    result[0] = result[1] = (struct run_result){.outcome = RUN_OUTCOME_NOT_BUILT};
    if (kernel && build(kernel, text, toolchain, &built)) {
        const struct run_program program = {.path = built.program, .args = &args};
        const char *const library[2] = {built.library[0], built.library[1]};

        variant_args(kernel, &args);
        check_ok(run_measure_together(&program, library, opts, result, &err), &err);
    }
    strvec_release(&args);
    forget(&built);
    kernel_free(kernel);
}

/* With the compiler of this build; false: there is none. */
static bool measure_here(const char *name, const char *const text[2],
                         const struct run_opts *opts, struct run_result result[2])
{
    const struct toolchain *toolchain;

    if (fixture_toolchains(&toolchain) == 0)
        return false;
    measure(name, text, &toolchain[0], opts, result);
    return true;
}

static void release(struct run_result result[2])
{
    run_result_release(&result[0]);
    run_result_release(&result[1]);
}

static void check_good(const struct run_result result[2], double bytes)
{
    for (int i = 0; i < 2; i++) {
        check_eq(result[i].outcome, RUN_OUTCOME_OK);
        check_str(result[i].detail ? result[i].detail : "", "");
        check(result[i].sample_nr >= 2 && result[i].sample_nr <= 4);
        check_eq(result[i].sample_nr, result[0].sample_nr);
        check(result[i].calls >= 2 && result[i].warm_s > 0);
        check_near(result[i].buffer_bytes, bytes, 0);
    }
    check(run_ratio(&result[0], &result[1]).known);
}

TEST("kernels are timed in pairs")
{
    static const struct {
        const char *file, *side[2];
        double bytes;
    } cases[] = {
        {"plain", {"", ""}, 80000},
        {"plain", {"unroll(i:4)", ""}, 80000},
        {"vla", {"", ""}, 4 * (6300 + 70 + 90)},
        {"sparse", {"", ""}, 4 * (201 + 1600) + 8 * (1600 + 300 + 200)},
        {"globals", {"", "simd"}, 6400},
        {"clashing", {"", ""}, 4800 + 32},
    };
    const struct toolchain *toolchain;
    size_t nr = fixture_toolchains(&toolchain);

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct run_result result[2];

        measure(cases[i].file, cases[i].side, &toolchain[i % nr], &few, result);
        check_good(result, cases[i].bytes);
        release(result);
    }
}

TEST("copies wait for each other")
{
    static const char *const sides[] = {"", ""};
    struct run_opts opts = few;
    struct run_result result[2];

    opts.copies = 3;
    if (!measure_here("vla", sides, &opts, result))
        return;
    check_good(result, 4 * (6300 + 70 + 90));
    release(result);
}

/* The second needs twelve calls, twenty times as long, to get over the first's. */
TEST("caches settle before samples")
{
    static const char text[] =
        "#line 1\n" SCALE "{\n"
        "    static int since;\n"
        "    volatile double sum = 0;\n"
        "    since = b[0] == %d ? since + 1 : 0;\n"
        "    b[0] = %d;\n"
        "    for (int i = 0; i < (since < %d ? 200000 : 10000); i++)\n"
        "        sum += 1;\n"
        "    return sum;\n"
        "}\n";
    char *first = xasprintf(text, 1, 1, 0), *second = xasprintf(text, 2, 2, 12);
    const char *const sides[] = {first, second};
    struct run_result result[2];

    if (measure_here("plain", sides, &few, result)) {
        check_good(result, 80000);
        check(run_ratio(&result[1], &result[0]).value < 5);
        release(result);
    }
    free(first);
    free(second);
}

/* After A B B A, when the second is slower by the ratio in all of them; the limits here
 * are such that any kernel is, or none. */
TEST("the slow are stopped")
{
    static const char *const sides[] = {"", "unroll(i:4)"};
    struct run_opts opts = few;
    struct run_result result[2];

    opts.copies = 2;
    opts.samples_per_launch = 6;
    opts.stop_ratio = 1e-6;
    if (!measure_here("plain", sides, &opts, result))
        return;
    check_eq(result[0].outcome, RUN_OUTCOME_OK);
    check_eq(result[1].outcome, RUN_OUTCOME_STOPPED);
    check_eq(result[0].sample_nr, 2);
    check_eq(result[1].sample_nr, 2);
    check(result[1].at_least_ratio > 0 && result[1].at_least_s > 0);
    check(!run_time_s(&result[1]).known && run_time_s(&result[0]).known);
    release(result);
    opts.stop_ratio = 1e6;
    if (!measure_here("plain", sides, &opts, result))
        return;
    check_eq(result[1].outcome, RUN_OUTCOME_OK);
    check(result[1].sample_nr >= 6);
    release(result);
}

static const char other_globals[] = "enum { SIZE = 400 };\n"
                                    "double table[SIZE];\n"
                                    "static double result[SIZE];\n"
                                    "int shift;\n"
                                    "static int main(void) { return 3; }\n"
                                    "void smooth(int n)\n"
                                    "{\n"
                                    "    for (int i = 0; i < n; i++)\n"
                                    "        result[i] = 1e-310 + 0 * table[i];\n"
                                    "}\n";

/* What one of them does to its global arrays, the other does not see; what it does to the
 * arrays that it is given, it does. */
TEST("globals are there twice")
{
    static const char idle[] = "#line 1\n" SCALE "{\n"
                               "    return n * s * a[0] * b[0];\n"
                               "}\n";
    static const char tiny[] = "#line 1\n" SCALE "{\n"
                               "    for (int i = 0; i < n; i++)\n"
                               "        b[i] = 1e-310 + 0 * s * a[i];\n"
                               "    return 0;\n"
                               "}\n";
    char *globals = xasprintf("#define OTHER 1\n%s", other_globals);
    const char *const apart[] = {"", globals}, *const shared[] = {idle, tiny};
    const struct toolchain *toolchain;
    size_t nr = fixture_toolchains(&toolchain);

    for (size_t i = 0; i < nr; i++) {
        struct run_result result[2];

        measure("globals", apart, &toolchain[i], &few, result);
        check_good(result, 6400);
        check(result[0].denormal == NULL);
        check_str(result[1].denormal ? result[1].denormal : "", "result");
        release(result);
        measure("plain", shared, &toolchain[i], &few, result);
        check_good(result, 80000);
        check_str(result[0].denormal ? result[0].denormal : "", "b");
        check_str(result[1].denormal ? result[1].denormal : "", "b");
        release(result);
    }
    free(globals);
}

TEST("faults are their own")
{
    static const struct {
        const char *text;
        int broken; /* the side that it is */
        double limit_s;
        enum run_outcome outcome;
        const char *detail;
    } cases[] = {
        {"#include <stdlib.h>\n" SCALE "{ return *(volatile double *)0; }\n", 0, 30,
         RUN_OUTCOME_CRASHED, "SIGSEGV"},
        {"#include <stdlib.h>\n" SCALE "{ exit(0); }\n", 1, 30, RUN_OUTCOME_BAD_EXIT,
         "before its results were complete"},
        {"#include <stdlib.h>\n"
         "static int calls;\n" SCALE "{ while (calls++ > 2) calls = 9; return 0; }\n",
         1, 10, RUN_OUTCOME_TIMED_OUT, "within 10 s"},
    };
    struct run_opts opts = few;

    for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
        int broken = cases[k].broken;
        const char *const side[] = {broken ? "" : cases[k].text,
                                    broken ? cases[k].text : ""};
        struct run_result result[2];

        opts.launch_limit_s = cases[k].limit_s;
        if (!measure_here("plain", side, &opts, result))
            return;
        check_eq(result[broken].outcome, cases[k].outcome);
        check_contains(result[broken].detail ? result[broken].detail : "",
                       cases[k].detail);
        check_eq(result[!broken].outcome, RUN_OUTCOME_OK);
        release(result);
    }
}

TEST("cold starts work in pairs")
{
    static const char *const sides[] = {"", ""};
    struct run_opts opts = few;
    struct run_result result[2];

    opts.start = RUN_START_COLD;
    if (!measure_here("plain", sides, &opts, result))
        return;
    check_good(result, 80000);
    check_near(result[1].calls, (double)result[1].sample_nr, 0); /* one call a sample */
    release(result);
}

/* ---- an arena that stays ---- */

struct session {
    struct kernel *kernel;
    struct strvec args;
    struct built built;
    struct run_arena *arena;
};

static bool session_open(const char *name, const char *const text[2], size_t copies,
                         struct session *session)
{
    const struct toolchain *toolchain;
    const struct run_opts opts = {.copies = copies, .launch_limit_s = 30};
    struct error err = {0};

    *session = (struct session){.kernel = fixture_bound(name, NULL)};
    if (!session->kernel || fixture_toolchains(&toolchain) == 0 ||
        !build(session->kernel, text, &toolchain[0], &session->built))
        return false;
    variant_args(session->kernel, &session->args);
    const struct run_program program = {.path = session->built.program,
                                        .args = &session->args};
    return check_ok(run_arena_open(&program, &opts, &session->arena, &err), &err);
}

static void session_close(struct session *session)
{
    run_arena_close(session->arena);
    strvec_release(&session->args);
    forget(&session->built);
    kernel_free(session->kernel);
}

static void turns_within(const struct session *session, int first, int second,
                         double limit_s, struct run_result result[2])
{
    const char *const library[2] = {session->built.library[first],
                                    session->built.library[second]};
    const struct run_turns how = {
        .pairs = 2, .sample_min_s = 1e-4, .settle_s = 1e-3, .limit_s = limit_s};
    struct error err = {0};

    check_ok(run_arena_turns(session->arena, library, &how, result, &err), &err);
}

static void turns(const struct session *session, int first, int second,
                  struct run_result result[2])
{
    turns_within(session, first, second, 1, result);
}

/* Each call of it finds what the one before left, and a hundred too many end it; the
 * turns before began with what was there at first. */
TEST("what a kernel changes comes back")
{
    static const char counting[] = "#include <stdlib.h>\n" SCALE "{\n"
                                   "    b[0] = b[0] + 1;\n"
                                   "    if (b[0] > 4000)\n"
                                   "        abort();\n"
                                   "    for (volatile int i = 0; i < 40000; i++)\n"
                                   "        ;\n"
                                   "    return b[1];\n"
                                   "}\n";
    const char *const sides[] = {counting, counting};
    struct session session;
    struct run_result result[2] = {{0}, {0}};

    if (session_open("plain", sides, 1, &session)) {
        for (int i = 0; i < 80; i++)
            turns(&session, i % 2, !(i % 2), result);
        check_eq(result[0].outcome, RUN_OUTCOME_OK);
        check_eq(result[1].outcome, RUN_OUTCOME_OK);
        check(result[0].sample_nr >= 160);
        check_eq(run_arena_starts(session.arena), 1);
    }
    release(result);
    session_close(&session);
}

/* Once its processes are no more there are new ones with the next turns. */
TEST("what breaks costs a start")
{
    static const char *const broken[] = {
        "#include <stdlib.h>\n" SCALE "{ abort(); }\n",
        /* what it is given to read it cannot write */
        "#include <stdlib.h>\n" SCALE "{ ((double *)a)[5] = 1; return 0; }\n",
        "#include <stdlib.h>\n" SCALE "{ _Exit(0); }\n",
    };

    for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
        const char *const sides[] = {"", broken[i]};
        struct session session;
        struct run_result result[2] = {{0}, {0}};

        if (session_open("plain", sides, 2, &session)) {
            turns(&session, 0, 0, result);
            check_eq(result[0].outcome, RUN_OUTCOME_OK);
            check(result[0].starting_s > 0);
            check(run_arena_is_fresh(session.arena));
            release(result);
            turns(&session, 0, 1, result);
            check_eq(result[0].outcome, RUN_OUTCOME_OK);
            check(result[0].starting_s == 0); /* it ran before */
            check(result[1].outcome == RUN_OUTCOME_CRASHED ||
                  result[1].outcome == RUN_OUTCOME_BAD_EXIT);
            check(!run_arena_is_fresh(session.arena));
            release(result);
            turns(&session, 0, 0, result);
            check_eq(result[0].outcome, RUN_OUTCOME_OK);
            check(result[0].sample_nr >= 2);
            check_eq(run_arena_starts(session.arena), 2);
        }
        release(result);
        session_close(&session);
    }
}

/* A first call that takes all the time there is leaves a sample of each side. */
TEST("long calls are samples")
{
    static const char slow[] = SCALE "{\n"
                                     "    for (volatile int i = 0; i < 4000000; i++)\n"
                                     "        ;\n"
                                     "    return 0;\n"
                                     "}\n";
    char *text = xasprintf("#line 1\n%s", slow);
    const char *const sides[] = {"", text};
    struct session session;
    struct run_result result[2] = {{0}, {0}};

    if (session_open("plain", sides, 2, &session)) {
        turns(&session, 0, 0, result);
        release(result);
        turns_within(&session, 0, 1, 1e-5, result);
        for (int i = 0; i < 2; i++) {
            check_eq(result[i].outcome, RUN_OUTCOME_OK);
            check_eq(result[i].sample_nr, 1);
        }
        check_eq(run_arena_starts(session.arena), 1);
    }
    release(result);
    session_close(&session);
    free(text);
}
