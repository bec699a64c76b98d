#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/files/fs.h"
#include "core/process/spawn.h"
#include "core/process/term.h"
#include "tests/check.h"

SUITE(base_spawn);

static const char helper[] = INFLIGHT_BINARY_DIR "/inflight_test_helper";

/* Runs a shell script with the rest of the request as given. */
static struct spawn_outcome shell(const char *script, struct spawn_request request)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct spawn_outcome outcome;
    struct error err = {0};

    request.argv = argv;
    check_ok(spawn_run(&request, &outcome, &err), &err);
    return outcome;
}

static void pause_s(double seconds)
{
    struct timespec time = {.tv_nsec = (long)(seconds * 1e9)};

    nanosleep(&time, NULL);
}

/* Neither running nor only waiting to be reaped by somebody else. */
static bool is_running(long pid)
{
    char *path = xasprintf("/proc/%ld/stat", pid);
    struct buf text = {0};
    const char *state;
    bool running;

    running = file_read(path, &text, NULL) == 0 &&
              (state = strrchr(buf_str(&text), ')')) && state[2] != 'Z';
    free(path);
    buf_release(&text);
    return running;
}

/* A killed process may take a moment. */
static bool ends_soon(long pid)
{
    for (int i = 0; i < 3000 && is_running(pid); i++)
        pause_s(0.02);
    return !is_running(pid);
}

TEST("every end is told")
{
    static const struct {
        const char *script;
        enum spawn_end end;
        int code;
        const char *phrase;
    } cases[] = {
        {"exit 0", SPAWN_EXITED, 0, "none"},
        {"exit 3", SPAWN_EXITED, 3, "ended with status 3"},
        {"exit 137", SPAWN_EXITED, 137, "ended with status 137"},
        {"kill -SEGV $$", SPAWN_SIGNALLED, SIGSEGV, "was ended by signal 11 (Seg"},
        {"kill -KILL $$", SPAWN_SIGNALLED, SIGKILL, "was ended by signal 9 (Killed)"},
        {"exec >&- 2>&-; exit 5", SPAWN_EXITED, 5, "ended with status 5"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct spawn_outcome outcome = shell(cases[i].script, (struct spawn_request){0});
        char *phrase = spawn_end_phrase(outcome.end, outcome.code);

        check_eq(outcome.end, cases[i].end);
        check_eq(outcome.code, cases[i].code);
        check_contains(phrase ? phrase : "none", cases[i].phrase);
        free(phrase);
        spawn_outcome_release(&outcome);
    }
    check_str(spawn_end_word(SPAWN_TIMED_OUT), "timed out");
}

TEST("a missing program is an outcome")
{
    const char *const argv[] = {"no-such-program-anywhere", NULL};
    struct spawn_outcome outcome;
    struct error err = {0};

    check_ok(spawn_run(&(struct spawn_request){.argv = argv}, &outcome, &err), &err);
    check_eq(outcome.end, SPAWN_NOT_STARTED);
    check_eq(outcome.code, ENOENT);
    spawn_outcome_release(&outcome);
}

TEST("both streams are kept, input is empty")
{
    struct spawn_outcome outcome;
    int end[2], ours = dup(0);

    /* Something to read on our own input, which is not the child's. */
    check_eq(pipe(end), 0);
    check_eq(write(end[1], "input\n", 6), 6);
    dup2(end[0], 0);
    outcome = shell("echo out; echo err >&2; head -n 1", (struct spawn_request){0});
    dup2(ours, 0);
    close(ours);
    close(end[0]);
    close(end[1]);
    check_str(buf_str(&outcome.out), "out\n");
    check_str(buf_str(&outcome.err), "err\n");
    spawn_outcome_release(&outcome);
}

TEST("much output does not block, the limit holds")
{
    struct spawn_outcome outcome =
        shell("head -c 3000000 /dev/zero | tr '\\0' e >&2; head -c 3000000 /dev/zero",
              (struct spawn_request){.output_limit = 1000, .timeout_s = PATIENCE_S});

    check_eq(outcome.end, SPAWN_EXITED);
    check_eq(outcome.out.length, 1000);
    check_eq(outcome.err.length, 1000);
    spawn_outcome_release(&outcome);
}

TEST("environment and folder are set")
{
    static const char *const extra[] = {"INFLIGHT_A=new", "INFLIGHT_B=x y", NULL};
    static const char *const env[] = {"env", NULL};
    struct spawn_outcome outcome;
    struct error err = {0};

    setenv("INFLIGHT_A", "old", 1);
    setenv("INFLIGHT_AB", "kept", 1);
    outcome = shell("echo $INFLIGHT_A,$INFLIGHT_B,$INFLIGHT_AB,$(pwd)",
                    (struct spawn_request){.env_extra = extra, .dir = "/usr"});
    check_str(buf_str(&outcome.out), "new,x y,kept,/usr\n");
    spawn_outcome_release(&outcome);
    check_ok(spawn_run(&(struct spawn_request){.argv = env, .env_extra = extra}, &outcome,
                       &err),
             &err);
    check(strstr(buf_str(&outcome.out), "INFLIGHT_A=old") == NULL);
    spawn_outcome_release(&outcome);
    unsetenv("INFLIGHT_A");
    unsetenv("INFLIGHT_AB");
}

TEST("descriptors are passed or closed")
{
    struct spawn_outcome outcome;
    char *script;
    int end[2];

    check_eq(pipe(end), 0);
    fcntl(end[0], F_SETFD, FD_CLOEXEC);
    fcntl(end[1], F_SETFD, FD_CLOEXEC);
    check_eq(write(end[1], "token\n", 6), 6);
    script = xasprintf("read x <&%d; echo $x; test ! -e /proc/$$/fd/%d || echo leaked",
                       end[0], end[1]);
    outcome = shell(script, (struct spawn_request){.pass_fd = {end[0]}});
    check_str(buf_str(&outcome.out), "token\n");
    spawn_outcome_release(&outcome);
    free(script);
    close(end[0]);
    close(end[1]);
}

TEST("signal mask and handlers start fresh")
{
    struct spawn_outcome outcome;
    sigset_t set, old;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, &old);
    signal(SIGUSR1, SIG_IGN);
    outcome = shell("kill -TERM $$; echo blocked", (struct spawn_request){0});
    check_eq(outcome.code, SIGTERM);
    spawn_outcome_release(&outcome);
    outcome = shell("kill -USR1 $$; echo ignored", (struct spawn_request){0});
    check_eq(outcome.code, SIGUSR1);
    spawn_outcome_release(&outcome);
    signal(SIGUSR1, SIG_DFL);
    sigprocmask(SIG_SETMASK, &old, NULL);
}

TEST("a timeout kills the whole group")
{
    static const char *const scripts[] = {
        "echo $$; exec sleep 60",
        "trap '' TERM; echo $$; sleep 60; sleep 60", /* ignores SIGTERM */
        "sh -c 'trap \"\" TERM; echo $$; sleep 60; sleep 60' & wait", /* so does its child
                                                                       */
        "exec 2>&-; echo $$; exec >&-; sleep 60", /* closes its streams */
        "echo $$; kill -STOP $$",
    };

    for (size_t i = 0; i < ARRAY_SIZE(scripts); i++) {
        struct spawn_outcome outcome =
            shell(scripts[i], (struct spawn_request){.timeout_s = 2});

        check_eq(outcome.end, SPAWN_TIMED_OUT);
        check(outcome.wall_s >= 1.9);
        check(atol(buf_str(&outcome.out)) > 1);
        check(ends_soon(atol(buf_str(&outcome.out))));
        spawn_outcome_release(&outcome);
    }
}

TEST("a timeout asks first")
{
    struct spawn_outcome outcome = shell("trap 'echo bye; exit 0' TERM; sleep 60 & wait",
                                         (struct spawn_request){.timeout_s = 2});

    check_eq(outcome.end, SPAWN_TIMED_OUT);
    check_str(buf_str(&outcome.out), "bye\n");
    spawn_outcome_release(&outcome);
}

static void start_shell(const char *script, struct spawn_child **child)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct error err = {0};

    check_ok(spawn_start(&(struct spawn_request){.argv = argv}, child, &err), &err);
}

TEST("what a child leaves behind does not hang us")
{
    double started = clock_s();
    struct spawn_outcome outcome = shell("sleep 60 & echo $!", (struct spawn_request){0});

    check_eq(outcome.end, SPAWN_EXITED);
    check(ends_soon(atol(buf_str(&outcome.out))));
    spawn_outcome_release(&outcome);
    /* Nor does one that left the group and writes for ever. */
    outcome = shell("setsid sh -c 'echo $$; while :; do echo x; done' & sleep 0.2",
                    (struct spawn_request){.output_limit = 100});
    check_eq(outcome.end, SPAWN_EXITED);
    check(atol(buf_str(&outcome.out)) > 1);
    check(ends_soon(atol(buf_str(&outcome.out))));
    check(outcome.left_behind >= 1);
    check(clock_s() - started < 20);
    spawn_outcome_release(&outcome);
}

/* Sessions of their own, orphans of orphans, deaf ones, one that has changed its
 * environment's value but not lost the mark. */
TEST("strays are ended")
{
    static const char *const scripts[] = {
        "setsid sleep 61 & echo $!; sleep 0.1",
        "(setsid sh -c 'echo $$; exec sleep 62' &); sleep 0.1",
        ("setsid sh -c 'trap \"\" TERM HUP; setsid sh -c \"echo \\$\\$; exec sleep 63\" "
         "& "
         "sleep 64' & sleep 0.2"),
        "setsid sh -c 'echo $$; exec sleep 65' & sleep 0.1; kill -KILL $$",
        "INFLIGHT_A=1 setsid sh -c 'echo $$; exec sleep 66' & sleep 0.1; exit 3",
    };

    for (size_t i = 0; i < ARRAY_SIZE(scripts); i++) {
        struct spawn_outcome outcome = shell(scripts[i], (struct spawn_request){0});

        check(atol(buf_str(&outcome.out)) > 1);
        check(!is_running(atol(buf_str(&outcome.out))));
        check(outcome.left_behind >= 1);
        spawn_outcome_release(&outcome);
    }
}

/* Neither of another spawned child that still runs, nor of a fork by somebody else. */
TEST("strays of others are left alone")
{
    struct spawn_outcome outcome, first;
    struct spawn_child *child;
    struct error err = {0};
    pid_t other = fork();
    int status = 0;

    if (other == 0) {
        setsid();
        for (;;)
            pause();
    }
    start_shell("(setsid sh -c 'sleep 1; echo alive' &); sleep 0.1; sleep 1.5", &child);
    pause_s(0.3);
    outcome = shell("setsid sleep 60 & sleep 0.1", (struct spawn_request){0});
    check(outcome.left_behind >= 1);
    check(is_running(other));
    check_ok(spawn_wait_all(&child, 1, false, &first, &err), &err);
    check_str(buf_str(&first.out), "alive\n");
    check_eq(first.left_behind, 0);
    kill(other, SIGKILL);
    check_eq(waitpid(other, &status, 0), other);
    check(WIFSIGNALED(status));
    spawn_outcome_release(&outcome);
    spawn_outcome_release(&first);
}

TEST("usage is measured")
{
    struct spawn_outcome outcome = shell(
        "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done", (struct spawn_request){0});

    check(outcome.wall_s > 0);
    check(outcome.user_s + outcome.system_s > 0);
    check(outcome.user_s + outcome.system_s <= outcome.wall_s + 0.05);
    check(outcome.max_rss_kib > 100);
    check(outcome.minor_faults > 0);
    spawn_outcome_release(&outcome);
}

TEST("several run at once")
{
    struct spawn_child *child[3];
    struct spawn_outcome outcome[3];
    struct error err = {0};

    start_shell("sleep 0.2; echo a", &child[0]);
    start_shell("echo b; exit 4", &child[1]);
    start_shell("sleep 0.2; echo c", &child[2]);
    check(spawn_pid(child[0]) > 0);
    check_ok(spawn_wait_all(child, 3, false, outcome, &err), &err);
    check_str(buf_str(&outcome[0].out), "a\n");
    check_eq(outcome[1].code, 4);
    check_str(buf_str(&outcome[2].out), "c\n");
    for (int i = 0; i < 3; i++)
        spawn_outcome_release(&outcome[i]);
}

TEST("children do not share descriptors")
{
    static const char count[] = "set -- /proc/$$/fd/*; echo $#";
    struct spawn_outcome alone = shell(count, (struct spawn_request){0}), beside, first;
    struct spawn_child *child;
    struct error err = {0};

    start_shell("sleep 0.2", &child);
    beside = shell(count, (struct spawn_request){0});
    check_str(buf_str(&beside.out), buf_str(&alone.out));
    check_ok(spawn_wait_all(&child, 1, false, &first, &err), &err);
    spawn_outcome_release(&first);
    spawn_outcome_release(&alone);
    spawn_outcome_release(&beside);
}

TEST("all or none kills the others")
{
    const char *const missing[] = {"no-such-program-anywhere", NULL};
    struct spawn_child *child[3];
    struct spawn_outcome outcome[3];
    struct error err = {0};

    start_shell("sleep 60", &child[0]);
    start_shell("exit 4", &child[1]);
    check_ok(spawn_start(&(struct spawn_request){.argv = missing}, &child[2], &err),
             &err);
    check_eq(spawn_pid(child[2]), 0);
    check_ok(spawn_wait_all(child, 3, true, outcome, &err), &err);
    check_eq(outcome[0].end, SPAWN_SIGNALLED);
    check_eq(outcome[0].code, SIGKILL);
    check_eq(outcome[2].end, SPAWN_NOT_STARTED);
    check(outcome[0].wall_s < 10);
    for (int i = 0; i < 3; i++)
        spawn_outcome_release(&outcome[i]);
}

/* Lets the helper set up in `dir`, sends it the signals (0 = none) and waits for it. */
static struct spawn_outcome run_helper(const char *mode, const char *dir,
                                       int signal_number, int times)
{
    char *tmpdir = xasprintf("TMPDIR=%s", dir), *ready = path_join(dir, "ready");
    const char *const argv[] = {helper, mode, NULL}, *const extra[] = {tmpdir, NULL};
    struct spawn_request request = {
        .argv = argv, .env_extra = extra, .timeout_s = PATIENCE_S};
    struct spawn_outcome outcome = {0};
    struct spawn_child *child;
    struct error err = {0};

    if (check_ok(spawn_start(&request, &child, &err), &err)) {
        for (int i = 0; i < 500 && signal_number && !file_exists(ready); i++)
            pause_s(0.02);
        for (int i = 0; i < times && spawn_pid(child) > 0; i++)
            kill(spawn_pid(child), signal_number);
        check_ok(spawn_wait_all(&child, 1, false, &outcome, &err), &err);
    }
    check(file_exists(ready));
    unlink(ready);
    free(tmpdir);
    free(ready);
    return outcome;
}

TEST("our own end leaves no process and no folder")
{
    static const struct {
        const char *mode;
        int signal_number, times;
        enum spawn_end end;
        int code;
    } cases[] = {
        {"return", 0, 0, SPAWN_EXITED, 0},
        {"abort", 0, 0, SPAWN_SIGNALLED, SIGABRT},
        {"wait", SIGINT, 1, SPAWN_SIGNALLED, SIGINT},
        {"wait", SIGTERM, 1, SPAWN_SIGNALLED, SIGTERM},
        {"wait", SIGHUP, 1, SPAWN_SIGNALLED, SIGHUP},
        {"catch", SIGINT, 1, SPAWN_EXITED, 0},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};
        struct spawn_outcome outcome;
        char *dir;

        if (!check_ok(scratch_make(&dir, &err), &err))
            return;
        outcome = run_helper(cases[i].mode, dir, cases[i].signal_number, cases[i].times);
        check_eq(outcome.end, cases[i].end);
        check_eq(outcome.code, cases[i].code);
        check(atol(buf_str(&outcome.out)) > 1);
        check(ends_soon(atol(buf_str(&outcome.out))));
        check_eq(rmdir(dir), 0); /* empty: the helper's scratch folder is gone */
        if (strcmp(cases[i].mode, "catch") == 0)
            check_contains(buf_str(&outcome.out),
                           "interrupted 2\nlater exited 0\nlater interrupted 2\n");
        spawn_outcome_release(&outcome);
        scratch_remove(dir);
    }
}

/* Also when we are ended by a signal while it runs. */
TEST("our own end leaves no stray")
{
    struct error err = {0};
    struct spawn_outcome outcome;
    struct buf number = {0};
    char *dir, *tmpdir, *path;
    struct spawn_child *child;

    if (!check_ok(scratch_make(&dir, &err), &err))
        return;
    tmpdir = xasprintf("TMPDIR=%s", dir);
    path = path_join(dir, "stray");
    const char *const argv[] = {helper, "stray", NULL}, *const extra[] = {tmpdir, NULL};
    if (check_ok(spawn_start(&(struct spawn_request){.argv = argv, .env_extra = extra},
                             &child, &err),
                 &err)) {
        for (int i = 0; i < 500 && !number.length; i++) {
            pause_s(0.02);
            if (file_exists(path))
                file_read(path, &number, NULL);
        }
        check(atol(buf_str(&number)) > 1);
        kill(spawn_pid(child), SIGTERM);
        /* Not by us, though we would: it is gone before its starter is reaped. */
        check(ends_soon(atol(buf_str(&number))));
        check_ok(spawn_wait_all(&child, 1, false, &outcome, &err), &err);
        check_eq(outcome.left_behind, 0);
        spawn_outcome_release(&outcome);
    }
    buf_release(&number);
    free(tmpdir);
    free(path);
    scratch_remove(dir);
}
