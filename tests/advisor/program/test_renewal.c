/* A profile that was made on a busy machine, and what becomes of it: made anew when the
 * machine is quiet, not when it is busy still, nor when its user declines. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/cli/cli.h"
#include "advisor/cli/settings.h"
#include "advisor/session/context.h"
#include "core/base.h"
#include "core/machine/machine.h"
#include "tests/check.h"

SUITE(advisor_renewal);

/* ---- a machine by hand: how busy it is now, and what a probe finds ---- */

static double now_busy;
static int probes;

static bool fits(const struct machine *machine, struct buf *why)
{
    (void)machine, (void)why;
    return true;
}

static double busy_now(void)
{
    return now_busy;
}

static int read_full(struct machine *machine, bool busy, struct error *err)
{
    if (machine_load(INFLIGHT_SOURCE_DIR "/tests/data/machine/full.json", machine, err))
        return -1;
    machine->busy = machine->unstable = busy;
    return 0;
}

static int probe(const struct machine_probe_opts *opts, struct machine *machine,
                 struct error *err)
{
    check(opts->quick);
    probes++;
    return read_full(machine, false, err);
}

static const struct machine_source by_hand = {
    .matches = fits, .busy_now = busy_now, .probe = probe};

/* ---- the profile of its user ---- */

struct home {
    char *dir, *path, *kept;
    struct error err;
};

static void home_make(struct home *home, bool busy)
{
    struct machine machine = {0};

    check_ok(scratch_make(&home->dir, &home->err), &home->err);
    setenv("XDG_CONFIG_HOME", home->dir, 1);
    check_ok(machine_default_path(&home->path, &home->err), &home->err);
    home->kept = xasprintf("%s.busy", home->path);
    check_ok(read_full(&machine, busy, &home->err), &home->err);
    check_ok(machine_save(&machine, home->path, &home->err), &home->err);
    machine_release(&machine);
}

static void home_drop(struct home *home)
{
    unsetenv("XDG_CONFIG_HOME");
    scratch_remove(home->dir);
    free(home->path);
    free(home->kept);
}

static bool is_busy(const char *path)
{
    struct machine machine = {0};
    struct error err = {0};
    bool busy = check_ok(machine_load(path, &machine, &err), &err) && machine.busy;

    machine_release(&machine);
    return busy;
}

/* What a command gets, and whether it was made anew. */
static bool is_renewed(struct home *home)
{
    struct settings settings = {.quiet = true};
    struct context bench;
    bool renewed;

    probes = 0;
    context_start(&bench, &settings);
    bench.source = &by_hand;
    check_ok(context_machine(&bench, &home->err), &home->err);
    renewed = file_exists(home->kept);
    check_eq(probes, renewed);
    check_eq(bench.machine.busy, is_busy(home->path));
    if (renewed) {
        check(!bench.machine.busy && is_busy(home->kept));
        check_contains(bench.machine_note, "which is no longer so: kept as '");
    }
    context_release(&bench);
    return renewed;
}

TEST("a busy profile is made anew when the machine is quiet")
{
    static const struct {
        const char *what, *variable;
        double now_busy;
        bool was_busy, renewed;
    } cases[] = {
        {"quiet now", NULL, 0.02, true, true},
        {"busy still", NULL, 0.5, true, false},
        {"not known", NULL, NAN, true, false},
        {"made on a quiet machine", NULL, 0.02, false, false},
        {"its user declines", "INFLIGHT_KEEP_PROFILE", 0.02, true, false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct home home = {0};

        home_make(&home, cases[i].was_busy);
        if (cases[i].variable)
            setenv(cases[i].variable, "1", 1);
        now_busy = cases[i].now_busy;
        if (!check_eq(is_renewed(&home), cases[i].renewed))
            fprintf(stderr, "%s\n", cases[i].what);
        if (cases[i].variable)
            unsetenv(cases[i].variable);
        home_drop(&home);
    }
}

/* Once is enough, and an earlier one that was kept gives way. */
TEST("a profile that was made anew stays")
{
    struct home home = {0};

    home_make(&home, true);
    now_busy = 0;
    check_ok(file_write(home.kept, "older", 5, &home.err), &home.err);
    check(is_renewed(&home));
    check(is_busy(home.kept));
    check_ok(remove(home.kept), &home.err);
    check(!is_renewed(&home));
    home_drop(&home);
}

TEST("a profile that its user names is never moved away")
{
    struct home home = {0};

    home_make(&home, true);
    now_busy = 0;
    setenv("INFLIGHT_PROFILE", home.path, 1);
    check(!is_renewed(&home));
    unsetenv("INFLIGHT_PROFILE");
    home_drop(&home);
}

/* What a command says on standard error while it takes the profile. */
static void warnings(struct home *home, bool in_answer, struct buf *said)
{
    struct settings settings = {.quiet = true};
    char *path = path_join(home->dir, "said");
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), before = dup(2);
    struct context bench;

    context_start(&bench, &settings);
    bench.source = &by_hand;
    bench.note_in_answer = in_answer;
    fflush(stderr);
    dup2(file, 2);
    check_ok(context_machine(&bench, &home->err), &home->err);
    dup2(before, 2);
    close(file);
    close(before);
    check_contains(bench.machine_note, "other processes kept the machine busy");
    context_release(&bench);
    check_ok(file_read(path, said, &home->err), &home->err);
    free(path);
}

TEST("a busy profile is said to be one once")
{
    struct home home = {0};

    home_make(&home, true);
    now_busy = 1;
    for (int in_answer = 0; in_answer <= 1; in_answer++) {
        struct buf said = {0};

        warnings(&home, in_answer, &said);
        check_eq(strstr(buf_str(&said), "kept the machine busy") != NULL, !in_answer);
        buf_release(&said);
    }
    home_drop(&home);
}
