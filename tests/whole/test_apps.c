/* The applications of examples/apps: they build without a warning, compute what they
 * computed before with any number of threads, refuse what they do not take, and inflight
 * reads the routine that matters in each. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "tests/check.h"

SUITE(advisor_apps);

static const struct {
    const char *name, *result; /* of a small problem, without fused multiplications */
    const char *hot, *function, *plan;
} apps[] = {
    {"particles", "result energy 2.061058507 potential 0.502205 pairs 74402 lists 2\n",
     "src/forces.c", "forces_range", "prefetch(site.x:16): legal"},
    {"mesh",
     "result t 13.142766682 energy 6.672735728e+06 residual 1.069747e-02 fastest "
     "1.264148\n",
     "src/sweep.c", "sweep_edges", "prefetch(water.mx:16): legal"},
    {"lookup", "result hits 39428 misses 10572 updates 677 checksum 91c7777efbc7edcd\n",
     "src/answer.c", "table_lookup", "prefetch(slot.key:16): legal"},
};
enum { APPS = sizeof(apps) / sizeof(*apps) };

static struct {
    char *dir; /* with a space in its name; apps/ below */
    struct error err;
} place;

static bool is_installed(const char *program)
{
    const char *const argv[] = {program, "--version", NULL};
    struct spawn_outcome outcome = {0};
    struct error none = {0};
    bool there = spawn_run(&(struct spawn_request){.argv = argv, .timeout_s = PATIENCE_S},
                           &outcome, &none) == 0 &&
                 outcome.end == SPAWN_EXITED && outcome.code == 0;

    spawn_outcome_release(&outcome);
    return there;
}

static bool place_start(void)
{
    if (!is_installed("make")) {
        check_skip("make is not installed");
        return false;
    }
    place.err = (struct error){0};
    if (!check_ok(scratch_make(&place.dir, &place.err), &place.err))
        return false;
    char *below = path_join(place.dir, "my apps");
    const char *const argv[] = {"cp", "-r", INFLIGHT_SOURCE_DIR "/examples/apps", below,
                                NULL};
    struct spawn_outcome outcome = {0};
    bool done =
        check_ok(spawn_run(&(struct spawn_request){.argv = argv, .timeout_s = PATIENCE_S},
                           &outcome, &place.err),
                 &place.err) &&
        check_eq(outcome.code, 0);

    spawn_outcome_release(&outcome);
    free(below);
    return done;
}

/* The words, in the folder of an application; what was said, on both streams. */
static int run(const char *app, const char *const *argv, struct buf *output)
{
    char *dir = xasprintf("%s/my apps/%s", place.dir, app);
    struct spawn_outcome outcome = {0};
    int code = -1;

    if (check_ok(spawn_run(&(struct spawn_request){.argv = argv,
                                                   .dir = dir,
                                                   .timeout_s = PATIENCE_S},
                           &outcome, &place.err),
                 &place.err))
        code = outcome.end == SPAWN_EXITED ? outcome.code : -1;
    buf_reset(output);
    buf_add(output, buf_str(&outcome.out));
    buf_add(output, buf_str(&outcome.err));
    spawn_outcome_release(&outcome);
    free(dir);
    return code;
}

static int run_app(const char *app, const char *words, struct buf *output)
{
    struct strvec argv = {0};

    strvec_pushf(&argv, "build/%s", app);
    strvec_split(&argv, words);
    int code = run(app, (const char *const *)argv.v, output);
    strvec_release(&argv);
    return code;
}

/* Built anew, with warnings as errors. */
static void build(const char *app, const char *compiler, const char *openmp)
{
    char *cc = xasprintf("CC=%s", compiler), *threads = xasprintf("OPENMP=%s", openmp);
    const char *const argv[] = {
        "make",
        "-B",
        cc,
        threads,
        "CFLAGS=-O2 -g -ffp-contract=off -Werror -Wshadow -Wconversion "
        "-Wstrict-prototypes -Wmissing-prototypes -Wundef",
        NULL};
    struct buf output = {0};

    if (!check_eq(run(app, argv, &output), 0))
        check_str(buf_str(&output), "");
    buf_release(&output);
    free(cc);
    free(threads);
}

TEST("results are those recorded")
{
    struct buf output = {0};

    if (!place_start())
        return;
    for (size_t i = 0; i < APPS; i++) {
        build(apps[i].name, "gcc", "-fopenmp");
        check_eq(run_app(apps[i].name, "--small", &output), 0);
        check_contains(buf_str(&output), apps[i].result);
        check_contains(buf_str(&output), ": good\n");
    }
    for (int threads = 1; threads <= 3; threads += 2) {
        char *words = xasprintf("--small --threads %d", threads);
        check_eq(run_app(apps[0].name, words, &output), 0);
        check_contains(buf_str(&output), apps[0].result);
        free(words);
    }
    buf_release(&output);
    scratch_remove(place.dir);
}

/* Whose OpenMP needs a package of its own: without. */
TEST("clang builds the same")
{
    struct buf output = {0};

    if (!is_installed("clang-19")) {
        check_skip("clang-19 is not installed");
        return;
    }
    if (!place_start())
        return;
    for (size_t i = 0; i < APPS; i++) {
        build(apps[i].name, "clang-19", "");
        check_eq(run_app(apps[i].name, "--small", &output), 0);
        check_contains(buf_str(&output), apps[i].result);
    }
    buf_release(&output);
    scratch_remove(place.dir);
}

/* With the library of a clone, recording and not. */
TEST("markers change nothing")
{
    static const char *const argv[] = {"make",
                                       "-B",
                                       "CC=gcc",
                                       "REGIONS=../clone",
                                       "CFLAGS=-O2 -g -ffp-contract=off -Werror",
                                       NULL};
    static const char *const profile[] = {INFLIGHT_PROGRAM, "profile", "--json", "--",
                                          "build/mesh",     "--small", NULL};
    struct buf output = {0};

    if (!place_start())
        return;
    char *clone = xasprintf("%s/my apps/clone", place.dir);
    check_eq(symlink(INFLIGHT_SOURCE_DIR, clone), 0);
    if (!check_eq(run("mesh", argv, &output), 0))
        check_str(buf_str(&output), "");
    check_eq(run_app("mesh", "--small", &output), 0);
    check_contains(buf_str(&output), apps[1].result);
    check_eq(run("mesh", profile, &output), 0);
    check_contains(buf_str(&output), "\"sweep\"");
    check_contains(buf_str(&output), apps[1].result);
    free(clone);
    buf_release(&output);
    scratch_remove(place.dir);
}

TEST("what they do not take is refused")
{
    static const struct {
        size_t app;
        const char *words;
        int code;
        const char *says;
    } cases[] = {
        {0, "--bogus", 2, "build/particles: '--bogus' is no option; --help lists them\n"},
        {0, "--edge", 2, "--edge takes a whole number from 8 to 600\n"},
        {0, "--edge 12.5", 2, "--edge takes a whole number from 8 to 600\n"},
        {0, "--density 2", 2, "--density takes a number from 0.01 to 0.8\n"},
        {1, "--rows many", 2, "--rows takes a whole number from 4 to 20000\n"},
        {1, "--courant nan", 2, "--courant takes a number from 0.01 to 0.4\n"},
        {2, "--trace nowhere", 1, "cannot open the trace 'nowhere': "},
        {2, "--small --trace keys", 1, "keys:3: a key is a whole number from 1 on\n"},
        {2, "--small --trace empty", 1, "the trace 'empty' has no requests\n"},
        {2, "--trace", 2, "--trace takes a FILE of requests"},
        {2, "--help", 0, "(default 16777216)\n"},
    };
    struct buf output = {0};

    if (!place_start())
        return;
    for (size_t i = 0; i < APPS; i++)
        build(apps[i].name, "gcc", "-fopenmp");
    char *keys = xasprintf("%s/my apps/lookup/keys", place.dir),
         *empty = xasprintf("%s/my apps/lookup/empty", place.dir);
    check_ok(file_write(keys, "7\n12\n13x\n", 9, &place.err), &place.err);
    check_ok(file_write(empty, "", 0, &place.err), &place.err);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        check_eq(run_app(apps[cases[i].app].name, cases[i].words, &output),
                 cases[i].code);
        check_contains(buf_str(&output), cases[i].says);
    }
    free(keys);
    free(empty);
    buf_release(&output);
    scratch_remove(place.dir);
}

TEST("the hot routines are read")
{
    struct buf output = {0};

    if (!place_start())
        return;
    for (size_t i = 0; i < APPS; i++) {
        const char *const argv[] = {INFLIGHT_PROGRAM, "show",           apps[i].hot,
                                    "--function",     apps[i].function, "--",
                                    "-Isrc",          "-I..",           NULL};
        check_eq(run(apps[i].name, argv, &output), 0);
        check_contains(buf_str(&output), apps[i].plan);
    }
    buf_release(&output);
    scratch_remove(place.dir);
}
