/*
 * inflight metrics on counts as they come: of CPUs that nobody named, negative, the same
 * event twice, through a pipe.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/advisor/place.h"

SUITE(advisor_metrics_odd);

#define TOY INFLIGHT_SOURCE_DIR "/tests/data/advisor/metrics/toy.json"

static void put(struct place *place, const char *name, const char *text)
{
    char *path = path_join(place->work, name);

    check_ok(file_write(path, text, strlen(text), &place->err), &place->err);
    free(path);
}

/* With the definitions of a made-up CPU. */
static void begin(struct place *place)
{
    struct buf text = {0};

    place_make(place);
    check_ok(file_read(TOY, &text, &place->err), &place->err);
    put(place, "toy.json", buf_str(&text));
    buf_release(&text);
}

/* Of what all CPUs count, and of much that only another one than this does. */
TEST("counts of another CPU are not this one's")
{
    struct place place = {0};

    begin(&place);
    put(&place, "whose.csv",
        "cycles,1000\ninstructions,2000\nFP_DP_FIXED_OPS_SPEC,1\n"
        "LD_COMP_WAIT_L2_MISS_EX,100\n0INST_COMMIT,500\n4INST_COMMIT,9\n");
    check_run(&place, "metrics --counts whose.csv", 3, "",
              "*do not say which CPU*(most of the events are those of a64fx)*");
    place_drop(&place);
}

/* A counter that was set back is not known; all else is told. */
TEST("negative counts are unknown")
{
    struct place place = {0};

    begin(&place);
    put(&place, "back.csv", "CYCLES,1000\nFRONT,400\nBAD,-5\nINSTRUCTIONS,500\n");
    check_run(&place, "metrics --counts back.csv --cpu ./toy.json", 0,
              "*Frontend_Bound * 10.0 %*'BAD' was not counted: its count is negative*",
              "");
    place_drop(&place);
}

/* Two names of one event with different counts; one that was not counted is no count. */
TEST("one event twice is said")
{
    struct place place = {0};

    begin(&place);
    put(&place, "modes.csv", "cycles:u,1000\ncycles:k,500\nFRONT,400\n");
    check_run(&place, "metrics --counts modes.csv --cpu ./toy.json --model topdown", 0,
              "*Frontend_Bound * 10.0 %*'cycles:u' (1000) and 'cycles:k' (500) are the "
              "same event: only*",
              "");
    put(&place, "modes.csv", "cycles:u,<not counted>\nCYCLES,1000\nFRONT,400\n");
    check_run(&place, "metrics --counts modes.csv --cpu ./toy.json --model topdown", 0,
              "*Frontend_Bound * 10.0 %*", "");
    place_drop(&place);
}

/* An event whose name is a code is called as perf calls it. */
TEST("codes are named")
{
    struct place place = {0};

    begin(&place);
    put(&place, "zen.csv", "cycles,1000\ncpu,AuthenticAMD-26-2-1\n");
    check_run(&place, "metrics --counts zen.csv --cpu zen5 --model portable", 6,
              "*'ex_ret_instr' is not among the counts*", "*no metric of 'zen5'*");
    place_drop(&place);
}

static _Noreturn void write_once(const char *path, const char *text)
{
    int out = open(path, O_WRONLY);
    _exit(write(out, text, strlen(text)) < 0);
}

/* "--counts <(perf stat ...)" of a shell: read once, without a length. */
TEST("pipes are read")
{
    static const char text[] = "CYCLES,1000\nFRONT,400\n";
    struct place place = {0};

    begin(&place);
    char *path = path_join(place.work, "pipe");
    check_eq(mkfifo(path, 0600), 0);
    pid_t writer = fork();
    if (writer == 0)
        write_once(path, text);
    check_run(&place, "metrics --counts pipe --cpu ./toy.json --model topdown", 0,
              "*Frontend_Bound * 10.0 %*", "");
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
    free(path);
    place_drop(&place);
}

/* Ctrl-C ends the program, not the report of what it did until then. */
TEST("interrupted programs are reported")
{
    struct place place = {0};
    struct spawn_outcome outcome = {0};

    begin(&place);
    place_run(&place, "metrics -- sh -c 'kill -INT $PPID; sleep 50'", &outcome);
    check_contains(buf_str(&outcome.out), "sh -c 'kill -INT $PPID; sleep 50'");
    check_contains(buf_str(&outcome.out), "- interrupted: the metrics cover what had");
    spawn_outcome_release(&outcome);
    place_drop(&place);
}
