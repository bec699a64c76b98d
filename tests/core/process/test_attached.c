/* Applications as a user starts them: with our streams, watched at intervals. */
#define _GNU_SOURCE /* dup3 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "tests/check.h"

SUITE(base_attached);

/* What the program writes into our stream `fd` and how it ends. */
static int run_attached(const char *script, bool out_to_err, int fd, struct buf *text)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct spawn_request request = {
        .argv = argv, .attached = true, .out_to_err = out_to_err};
    struct spawn_outcome outcome;
    struct error err = {0};
    char *folder, *path;

    check_ok(scratch_make(&folder, &err), &err);
    path = path_join(folder, "stream");
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600), kept = dup(fd);
    dup2(file, fd);
    int status = spawn_run(&request, &outcome, &err);
    dup2(kept, fd);
    close(kept);
    close(file);
    check_ok(status, &err);
    check_ok(file_read(path, text, &err), &err);
    check_eq(outcome.end, SPAWN_EXITED);
    check_eq(outcome.out.length, 0);
    int code = outcome.code;
    spawn_outcome_release(&outcome);
    free(path);
    scratch_remove(folder);
    return code;
}

TEST("streams are ours")
{
    struct buf text = {0};

    check_eq(run_attached("echo out; exit 3", false, 1, &text), 3);
    check_str(buf_str(&text), "out\n");
    buf_reset(&text);
    check_eq(run_attached("echo out; echo err >&2", true, 2, &text), 0);
    check_str(buf_str(&text), "out\nerr\n");
    buf_release(&text);
}

TEST("waiting ends in time")
{
    static const char *const argv[] = {"sleep", "60", NULL};
    struct spawn_request request = {.argv = argv, .attached = true};
    struct spawn_child *child;
    struct spawn_outcome outcome;
    struct error err = {0};

    if (!check_ok(spawn_start(&request, &child, &err), &err))
        return;
    check(!spawn_wait_for(child, 0.01));
    kill(spawn_pid(child), SIGTERM);
    check(spawn_wait_for(child, 60));
    check_ok(spawn_wait_all(&child, 1, false, &outcome, &err), &err);
    check_eq(outcome.end, SPAWN_SIGNALLED);
    check_eq(outcome.code, SIGTERM);
    spawn_outcome_release(&outcome);
}
