/* Stepping through a call of a program of VARIANT_TIME (ptrace), between the marks of
 * `--stepped` (docs/internals/design.md, "Harness protocol"). Private to core/run. */
#ifndef CORE_RUN_RUN_STEP_H
#define CORE_RUN_RUN_STEP_H

#include <stdint.h>
#include <sys/types.h>

#include "core/code/code.h"

struct error;
struct run_opts;
struct run_program;

enum stepping { STEPPING_STEP, STEPPING_MARK, STEPPING_GONE };

/* What is done with the child while it is there; 0 or -1, with the reason in `err`. */
typedef int stepping_follow(void *data, pid_t pid, struct error *err);

/*
 * Starts the program with its results in the file `out` and gives it to `follow` before
 * it comes to its first mark; when that returns the child is killed. It and this process
 * have one processor meanwhile. opts: launch_defaults(). Where the child itself says why
 * it failed that is the error.
 */
int stepping_run(const struct run_program *program, const struct run_opts *opts,
                 const char *out, stepping_follow *follow, void *data, struct error *err);

/* Waits until it stops at its first mark (a SIGSTOP of its own); GONE when it ended, or
 * has not come there after `limit_s`. */
enum stepping stepping_begin(pid_t pid, double limit_s);
/* One instruction further: STEP, or MARK when that was one. */
enum stepping stepping_next(pid_t pid);
/* It runs on by itself, for `seconds` of its processor's time (0 = without end): STEP
 * when that is over, MARK when it came to a mark. GONE when it ended, and where
 * clock_s() came to `until_s` or an interrupt was caught. */
enum stepping stepping_skip(pid_t pid, double seconds, double until_s);

/* The bytes there; what cannot be read is 0. */
void stepping_code(pid_t pid, uint64_t pc, uint8_t code[DECODE_BYTES]);

#endif
