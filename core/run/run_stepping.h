/*
 * A child under ptrace that goes on one instruction at a time. What differs between
 * architectures is where its program counter stands. Private to core/run.
 */
#ifndef CORE_RUN_RUN_STEPPING_H
#define CORE_RUN_RUN_STEPPING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/code/code.h"

enum stepping { STEPPING_STEP, STEPPING_MARK, STEPPING_GONE };

/* Waits until it stops at its first mark (a SIGSTOP of its own); GONE when it ended, or
 * has not come there after `limit_s`. */
enum stepping stepping_begin(pid_t pid, double limit_s);
/* One instruction further: STEP, or MARK when that was one. */
enum stepping stepping_next(pid_t pid);
/* False where it cannot be told. */
bool stepping_pc(pid_t pid, uint64_t *pc);
/* The bytes there; what cannot be read is 0. */
void stepping_code(pid_t pid, uint64_t pc, uint8_t code[DECODE_BYTES]);

#endif
