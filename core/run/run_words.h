/* How runs begin, what runs beside them, how they end, and what disturbed them: each with
 * its word. */
#ifndef CORE_RUN_RUN_WORDS_H
#define CORE_RUN_RUN_WORDS_H

#include <stdbool.h>

struct buf;

/* How a run ended, recorded, never an error of the tool. */
#define RUN_OUTCOME_MAP(X)                                                               \
    X(OK, "ok")                                                                          \
    X(CRASHED, "crashed") /* ended by a signal of its own making */                      \
    X(TIMED_OUT, "timed-out")                                                            \
    X(OUT_OF_MEMORY, "out-of-memory") /* limit or the system's */                        \
    X(BAD_EXIT, "bad-exit")           /* non-zero exit, or exit before its results */    \
    X(WRONG_RESULT, "wrong-result")                                                      \
    X(NOT_BUILT, "not-built") /* compiler refused it */                                  \
    X(INTERRUPTED, "interrupted")                                                        \
    X(STOPPED,                                                                           \
      "stopped") /* slower than run_opts.stop_... allow: not sampled to the end */       \
    X(NOT_RUN, "not-run") /* none of its own code: what it tests did not hold */

enum run_outcome {
#define X(name, word) RUN_OUTCOME_##name,
    RUN_OUTCOME_MAP(X)
#undef X
};
const char *run_outcome_word(enum run_outcome outcome);
bool run_outcome_from_word(const char *word, enum run_outcome *outcome);

/* What the caches hold when a sample begins. Warm: whatever the calls before left (the
 * default). Cold data: the buffers are not in any cache. Cold code: neither is the
 * kernel's code. */
#define RUN_START_MAP(X)                                                                 \
    X(WARM, "warm")                                                                      \
    X(COLD_DATA, "cold-data")                                                            \
    X(COLD_CODE, "cold-code")                                                            \
    X(COLD, "cold") /* both */

enum run_start {
#define X(name, word) RUN_START_##name,
    RUN_START_MAP(X)
#undef X
        RUN_START_NR
};
const char *run_start_word(enum run_start start);
bool run_start_from_word(const char *word, enum run_start *start);

/* What the other cores do meanwhile, as an axis of an experiment. */
#define RUN_BACKGROUND_MAP(X)                                                            \
    X(IDLE, "idle") /* nothing of ours */                                                \
    X(ARITHMETIC, "arithmetic")                                                          \
    X(MEMORY, "memory")                                                                  \
    X(DISK, "disk")

enum run_background {
#define X(name, word) RUN_BACKGROUND_##name,
    RUN_BACKGROUND_MAP(X)
#undef X
        RUN_BACKGROUND_NR
};
const char *run_background_word(enum run_background background);
bool run_background_from_word(const char *word, enum run_background *background);

/* Why a sample is not believed: bits. */
#define RUN_DISTURBANCE_MAP(X)                                                           \
    X(SWITCHED, 0, "switched away")  /* involuntary context switches */                  \
    X(FAULTED, 1, "page faults")     /* major ones, or more minor ones than elsewhere */ \
    X(STOLEN, 2, "time stolen")      /* by the hypervisor */                             \
    X(SLOWED, 3, "reference slowed") /* a loop of known work beside it took longer */    \
    X(APART, 4, "copies apart") /* one was held up while the caches settled for all */

enum run_disturbance {
#define X(name, bit, word) RUN_DISTURBED_##name = 1 << (bit),
    RUN_DISTURBANCE_MAP(X)
#undef X
        RUN_DISTURBED_ALL = 31
};
/* "switched away, page faults"; nothing for 0. */
void run_disturbance_text(unsigned disturbed, struct buf *out);

#endif
