#define _DEFAULT_SOURCE /* usleep */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/run/run_parts.h"
#include "tests/core/run/fake_runs.h"

SUITE(run_outcomes);

struct end_case {
    const char *deed;
    enum run_outcome outcome;
    const char *detail; /* NULL: none */
};

static void check_end(const struct run_result *result, const struct end_case *want,
                      const char *deed)
{
    if (!check_str(run_outcome_word(result->outcome), run_outcome_word(want->outcome)))
        fprintf(stderr, "    (deed '%s', detail '%s')\n", deed,
                result->detail ? result->detail : "");
    if (want->detail)
        check_contains(result->detail ? result->detail : "", want->detail);
    else
        check(result->detail == NULL);
    check_eq(result->sample_nr > 0, want->outcome == RUN_OUTCOME_OK);
}

static void check_deed(struct fixture *fixture, const struct end_case *want)
{
    char *args = xasprintf("--do '%s'", want->deed);
    struct run_result result = measure_fake(fixture, args);

    check_end(&result, want, want->deed);
    run_result_release(&result);
    free(args);
}

TEST("every end is recorded under its name")
{
    static const struct end_case cases[] = {
        {"crash", RUN_OUTCOME_CRASHED, "ended by SIGSEGV (invalid memory access)"},
        {"null", RUN_OUTCOME_CRASHED, "ended by SIGSEGV (invalid memory access)"},
        {"term", RUN_OUTCOME_CRASHED, "ended by SIGTERM"},
        {"abort", RUN_OUTCOME_CRASHED, "ended by SIGABRT"},
        {"kill", RUN_OUTCOME_CRASHED, "ended by SIGKILL"},
        {"exit", RUN_OUTCOME_BAD_EXIT, "it ended before its results were complete"},
        {"fail", RUN_OUTCOME_BAD_EXIT, "exit status 7: cannot go on: ?[31mno reason"},
        {"no such deed", RUN_OUTCOME_BAD_EXIT, "exit status 2: no deed 'no such deed'"},
        {"remove", RUN_OUTCOME_BAD_EXIT, "it ended without writing results"},
        {"pipe", RUN_OUTCOME_BAD_EXIT, "its results are no file of sensible size"},
        {"print", RUN_OUTCOME_OK, NULL},
        {"close", RUN_OUTCOME_OK, NULL},
        {"denormal", RUN_OUTCOME_OK, NULL},
    };
    struct fixture fixture = fixture_make();

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_deed(&fixture, &cases[i]);
    fixture_drop(&fixture);
}

TEST("a result file with garbage gives no number")
{
#define HEAD "text:buffers 1;huge -1;warm 1e-6;"
    static const struct end_case cases[] = {
        {HEAD "sample 1e-6 1;done;", RUN_OUTCOME_OK, NULL},
        {"text:", RUN_OUTCOME_BAD_EXIT, "complete"},
        {HEAD "sample 1e-6 1;", RUN_OUTCOME_BAD_EXIT, "complete"},
        {HEAD "sample 1e-6 1;done", RUN_OUTCOME_BAD_EXIT, "complete"},
        {HEAD "done;", RUN_OUTCOME_BAD_EXIT, "no sample"},
        {HEAD "sample 1e-6 1;done;done;", RUN_OUTCOME_BAD_EXIT, "line 6: 'done'"},
        {HEAD "sample 1e-6 1;done;sample 1e-6 1;", RUN_OUTCOME_BAD_EXIT, "line 6"},
        {HEAD "sample 1e-6;done;", RUN_OUTCOME_BAD_EXIT, "line 4: 'sample 1e-6'"},
        {HEAD "sample 1e-6 1 1;done;", RUN_OUTCOME_BAD_EXIT, "line 4"},
        {HEAD "sample  1e-6 1;done;", RUN_OUTCOME_BAD_EXIT, "line 4"},
        {HEAD "sample 1e-6x 1;done;", RUN_OUTCOME_BAD_EXIT, "line 4"},
        {HEAD "sample nan 1;done;", RUN_OUTCOME_BAD_EXIT, "line 4"},
        {HEAD "sample inf 1;done;", RUN_OUTCOME_BAD_EXIT, "line 4"},
        {HEAD "sample 1e-999 1;done;", RUN_OUTCOME_BAD_EXIT, "line 4"},
        {HEAD "sample 1e999 1;done;", RUN_OUTCOME_BAD_EXIT, "line 4"},
        {HEAD "sample 0 1;done;", RUN_OUTCOME_BAD_EXIT, "line 4"},
        {HEAD "sample -1e-6 1;done;", RUN_OUTCOME_BAD_EXIT, "line 4"},
        {HEAD "sample 1e-6 0;done;", RUN_OUTCOME_BAD_EXIT, "line 4"},
        {HEAD "sample 1e-6 1.5;done;", RUN_OUTCOME_BAD_EXIT, "line 4"},
        {HEAD "sample 1e-6 1;warm 1e-6;done;", RUN_OUTCOME_BAD_EXIT, "line 5"},
        {HEAD "sample 3600 1;done;", RUN_OUTCOME_BAD_EXIT, "3600 s timed in a run of"},
        {HEAD "sample 1e-6 1e12;done;", RUN_OUTCOME_BAD_EXIT, "timed in a run of"},
        {HEAD
         "sample 1e-6 1;sample 1e-6 1;sample 1e-6 1;sample 1e-6 1;sample 1e-6 1;done;",
         RUN_OUTCOME_BAD_EXIT, "line 8"}, /* asked for two, twice as many at most */
        {HEAD "sample 1e-6 1;disturbed 5;done;", RUN_OUTCOME_OK, NULL},
        {HEAD "disturbed 1;sample 1e-6 1;done;", RUN_OUTCOME_BAD_EXIT, "line 4"},
        {HEAD "sample 1e-6 1;disturbed 1;disturbed 2;done;", RUN_OUTCOME_BAD_EXIT,
         "line 6"},
        {HEAD "sample 1e-6 1;disturbed 0;done;", RUN_OUTCOME_BAD_EXIT, "line 5"},
        {HEAD "sample 1e-6 1;disturbed 32;done;", RUN_OUTCOME_BAD_EXIT, "line 5"},
        {HEAD "sample 1e-6 1;disturbed 1.5;done;", RUN_OUTCOME_BAD_EXIT, "line 5"},
        {HEAD "clock 1e-9 2e-8 3e-9;sample 1e-6 1;done;", RUN_OUTCOME_OK, NULL},
        {HEAD "clock 1e-9 2e-8;sample 1e-6 1;done;", RUN_OUTCOME_BAD_EXIT, "line 4"},
        {HEAD "clock 1e-9 -1 3e-9;sample 1e-6 1;done;", RUN_OUTCOME_BAD_EXIT, "line 4"},
        {HEAD "clock 1e-9 2e-8 7;sample 1e-6 1;done;", RUN_OUTCOME_BAD_EXIT, "line 4"},
        {HEAD "clock 1e-9 2e-8 3e-9;clock 1e-9 2e-8 3e-9;done;", RUN_OUTCOME_BAD_EXIT,
         "line 5"},
        {HEAD "flush by-line 1e-7 1e-5;sample 1e-6 1;done;", RUN_OUTCOME_OK, NULL},
        {HEAD "flush by-magic 1e-7 1e-5;sample 1e-6 1;done;", RUN_OUTCOME_BAD_EXIT,
         "line 4"},
        {HEAD "flush by-line 1e-7 x;sample 1e-6 1;done;", RUN_OUTCOME_BAD_EXIT, "line 4"},
        {HEAD "denormal;sample 1e-6 1;done;", RUN_OUTCOME_BAD_EXIT, "line 4"},
        {HEAD "samples 1e-6 1;done;", RUN_OUTCOME_BAD_EXIT, "line 4"},
        {HEAD ";sample 1e-6 1;done;", RUN_OUTCOME_BAD_EXIT, "line 4: ''"},
        {HEAD "~sample 1e-6 1;done;", RUN_OUTCOME_BAD_EXIT, "not text"},
    };
    struct fixture fixture = fixture_make();

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_deed(&fixture, &cases[i]);
    fixture_drop(&fixture);
}

/* Beside the sample's time it must fit into the launch, within it into the sample. */
TEST("waits are read or refused")
{
    static const struct end_case cases[] = {
        {HEAD "sample 1e-6 1;waited 2e-6 beside;done;", RUN_OUTCOME_OK, NULL},
        {HEAD "sample 1e-6 1;waited 5e-7 inside;disturbed 1;done;", RUN_OUTCOME_OK, NULL},
        {HEAD "waited 2e-6 beside;sample 1e-6 1;done;", RUN_OUTCOME_BAD_EXIT, "line 4"},
        {HEAD "sample 1e-6 1;waited 1e-6 beside;waited 1e-6 beside;done;",
         RUN_OUTCOME_BAD_EXIT, "line 6"},
        {HEAD "sample 1e-6 1;waited 0 beside;done;", RUN_OUTCOME_BAD_EXIT, "line 5"},
        {HEAD "sample 1e-6 1;waited 1e-6 below;done;", RUN_OUTCOME_BAD_EXIT, "line 5"},
        {HEAD "sample 1e-6 1;waited 1e-3 inside;done;", RUN_OUTCOME_BAD_EXIT, "line 5"},
        {HEAD "sample 1e-6 1;waited 3600 beside;done;", RUN_OUTCOME_BAD_EXIT,
         "timed in a run of"},
    };
    struct fixture fixture = fixture_make();

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_deed(&fixture, &cases[i]);
    fixture_drop(&fixture);
}

TEST("an endless result file is refused")
{
    struct fixture fixture = fixture_make();
    char *path = path_join(fixture.side, "results");
    char *text = xcalloc(3 << 20, 1);
    struct copy_results results;

    memset(text, '\n', 3 << 20);
    check_ok(file_write(path, text, 3 << 20, &fixture.err), &fixture.err);
    check_fails(copy_results_read(path, 5, 1, &results, &fixture.err), &fixture.err,
                STATUS_FAILED, "sensible size");
    copy_results_release(&results);
    free(text);
    free(path);
    fixture_drop(&fixture);
}

TEST("hanging programs are killed")
{
    static const struct end_case cases[] = {
        {"hang", RUN_OUTCOME_TIMED_OUT, "did not end within 0.3 s"},
        {"deaf", RUN_OUTCOME_TIMED_OUT, "did not end within 0.3 s"},
    };
    struct fixture fixture = fixture_make();

    fixture.opts.launch_limit_s = 0.3;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_deed(&fixture, &cases[i]);
    fixture_drop(&fixture);
}

TEST("too much memory has its name")
{
    static const struct end_case want = {"hog", RUN_OUTCOME_OUT_OF_MEMORY,
                                         "not enough memory: cannot map 64 MiB"};
    struct fixture fixture = fixture_make();

    fixture.opts.memory_limit_bytes = 512e6;
    check_deed(&fixture, &want);
    fixture_drop(&fixture);
}

/* The system's killer cannot be called up in a test; what it leaves is a count and a
 * SIGKILL. */
TEST("killed by the system is out of memory")
{
    static const struct {
        long long before, after;
        enum run_outcome outcome;
        const char *detail;
    } cases[] = {
        {3, 4, RUN_OUTCOME_OUT_OF_MEMORY, "killed by the system for lack of memory"},
        {3, 3, RUN_OUTCOME_CRASHED, "ended by SIGKILL (not sent by us, and the system"},
        {-1, -1, RUN_OUTCOME_OUT_OF_MEMORY, "most likely killed by the system"},
    };
    struct spawn_outcome end = {.end = SPAWN_SIGNALLED, .code = SIGKILL};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct circumstances around = {.kills_before = cases[i].before,
                                       .kills_after = cases[i].after};
        struct verdict verdict = verdict_of_end(&end, &around);

        check_eq(verdict.outcome, cases[i].outcome);
        check_contains(verdict.detail, cases[i].detail);
        free(verdict.detail);
    }
}

/* The one at fault is named, not those that had to be killed or waited in vain for it. */
TEST("faults of one copy are its own")
{
    static const struct {
        const char *args;
        double limit_s;
        enum run_outcome outcome;
        const char *detail;
    } cases[] = {
        {"--who 1 --do crash", 30, RUN_OUTCOME_CRASHED, "SIGSEGV"},
        {"--who 0 --do fail", 30, RUN_OUTCOME_BAD_EXIT, "exit status 7"},
        {"--who 2 --do exit", 10, RUN_OUTCOME_BAD_EXIT, "before its results"},
        {"--who 2 --do hang", 0.3, RUN_OUTCOME_TIMED_OUT, "did not end within"},
        {"--who 1 --do kill", 30, RUN_OUTCOME_CRASHED, "SIGKILL"},
    };
    struct fixture fixture = fixture_make();

    fixture.opts.copies = 3;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct run_result result;

        fixture.opts.launch_limit_s = cases[i].limit_s;
        result = measure_fake(&fixture, cases[i].args);
        check_end(&result, &(struct end_case){NULL, cases[i].outcome, cases[i].detail},
                  cases[i].args);
        run_result_release(&result);
    }
    fixture_drop(&fixture);
}

static bool is_alive(pid_t pid)
{
    char *path = xasprintf("/proc/%ld/stat", (long)pid);
    struct buf text = {0};
    const char *name_end =
        file_read(path, &text, NULL) == 0 ? strrchr(buf_str(&text), ')') : NULL;
    bool alive = name_end && name_end[2] != 'Z';

    buf_release(&text);
    free(path);
    return alive;
}

static void check_grandchild(struct fixture *fixture, const char *deed,
                             enum run_outcome want)
{
    char *path = path_join(fixture->side, deed);
    char *args = xasprintf("--do %s --counter %s", deed, path);
    struct run_result result = measure_fake(fixture, args);
    struct buf text = {0};
    pid_t pid;

    check_eq(result.outcome, want);
    check_ok(file_read(path, &text, &fixture->err), &fixture->err);
    pid = (pid_t)atol(buf_str(&text));
    check(pid > 1);
    for (int i = 0; i < 6000 && is_alive(pid); i++)
        usleep(10000); /* a signal takes a moment */
    check(!is_alive(pid));
    run_result_release(&result);
    buf_release(&text);
    free(args);
    free(path);
}

TEST("grandchildren are not left behind")
{
    struct fixture fixture = fixture_make();

    check_grandchild(&fixture, "fork", RUN_OUTCOME_OK);
    check_grandchild(&fixture, "fork-crash", RUN_OUTCOME_CRASHED);
    fixture_drop(&fixture);
}

TEST("numbers too small to be normal are told")
{
    struct fixture fixture = fixture_make();
    struct run_result result = measure_fake(&fixture, "--do denormal");

    check_str(result.denormal, "c");
    run_result_release(&result);
    fixture_drop(&fixture);
}

/* What cannot be started is no outcome of a program. */
TEST("what cannot be started is an error")
{
    struct fixture fixture = fixture_make();
    struct run_program program = {.path = "/nonexistent/program"};
    struct run_result result;
    enum run_outcome outcome;
    char *detail;

    fixture.opts.copies = 2;
    check_fails(run_measure(&program, &fixture.opts, &result, &fixture.err), &fixture.err,
                STATUS_FAILED, "cannot start '/nonexistent/program'");
    check_eq(result.sample_nr, 0);
    check_fails(run_once(&program, &fixture.opts, &outcome, &detail, NULL, &fixture.err),
                &fixture.err, STATUS_FAILED, "cannot start '/nonexistent/program'");
    check(detail == NULL);
    program.path = FAKE_HARNESS;
    fixture.opts.scratch = "/nonexistent";
    check_fails(run_measure(&program, &fixture.opts, &result, &fixture.err), &fixture.err,
                STATUS_MISSING, "cannot make a folder in '/nonexistent'");
    fixture_drop(&fixture);
}

struct once_case {
    const char *args;
    enum run_outcome outcome;
    const char *detail, *output;
};

static void check_once(struct fixture *fixture, const struct once_case *want)
{
    struct strvec args = {0};
    struct run_program program = fake(&args, want->args);
    struct buf output = {0};
    enum run_outcome outcome = RUN_OUTCOME_NOT_BUILT;
    char *detail;

    check_ok(
        run_once(&program, &fixture->opts, &outcome, &detail, &output, &fixture->err),
        &fixture->err);
    check_str(run_outcome_word(outcome), run_outcome_word(want->outcome));
    if (want->detail)
        check_contains(detail ? detail : "", want->detail);
    else
        check(detail == NULL);
    check_str(buf_str(&output), want->output);
    free(detail);
    buf_release(&output);
    strvec_release(&args);
}

TEST("programs run once")
{
    static const struct once_case cases[] = {
        {"--seed 1", RUN_OUTCOME_OK, NULL, ""},
        {"--do differ", RUN_OUTCOME_WRONG_RESULT, "exit status 4", "differ c 17 1 2\n"},
        {"--do environment", RUN_OUTCOME_OK, NULL,
         "OMP_NUM_THREADS=2\nOMP_PLACES={0},{1}\nOMP_PROC_BIND=close\n"},
        {"--do crash", RUN_OUTCOME_CRASHED, "SIGSEGV", ""},
        {"--do fail", RUN_OUTCOME_BAD_EXIT, "exit status 7", ""},
        {"--do hog", RUN_OUTCOME_OUT_OF_MEMORY, "not enough memory", ""},
    };
    static const struct once_case hang = {"--do hang", RUN_OUTCOME_TIMED_OUT,
                                          "did not end within 0.3 s", ""};
    struct fixture fixture = fixture_make();

    fixture.opts.memory_limit_bytes = 512e6;
    fixture.opts.cpu = (const int[]){0, 1};
    fixture.opts.threads = 2;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_once(&fixture, &cases[i]);
    fixture.opts.launch_limit_s = 0.3;
    check_once(&fixture, &hang);
    fixture_drop(&fixture);
}

/* In a process of its own, since the interrupt flag stays set. */
static int interrupted_child(struct fixture *fixture)
{
    struct run_result result;

    spawn_catch_interrupt();
    alarm(PATIENCE_S);
    if (fork() == 0) {
        usleep(300000);
        kill(getppid(), SIGINT);
        _exit(0);
    }
    result = measure_fake(fixture, "--do deaf");
    return result.outcome == RUN_OUTCOME_INTERRUPTED && result.sample_nr == 0 &&
                   entries_in(fixture->scratch) == 0
               ? 0
               : 1;
}

TEST("interrupts end a measurement")
{
    struct fixture fixture = fixture_make();
    int status = -1;
    pid_t pid = fork();

    if (pid == 0)
        _exit(interrupted_child(&fixture));
    waitpid(pid, &status, 0);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    fixture_drop(&fixture);
}

TEST("outcomes have words")
{
    enum run_outcome outcome;

    for (int i = RUN_OUTCOME_OK; i <= RUN_OUTCOME_INTERRUPTED; i++) {
        check(run_outcome_from_word(run_outcome_word((enum run_outcome)i), &outcome));
        check_eq(outcome, i);
    }
    check(!run_outcome_from_word("slow", &outcome));
}
