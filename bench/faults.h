/*
 * Broken variants (tests/data/harness/broken.c) and what is recorded of each: by the
 * verifying program, which is where the search meets them, and by the measuring one, if
 * the variant got so far. The instrument of the suite variants_faults.
 */
#ifndef BENCH_FAULTS_H
#define BENCH_FAULTS_H

#include "core/run/run.h"
#include "variants/build/build.h"

struct error;

struct fault {
    const char *kind;
    enum run_outcome verified, timed, in_turn; /* in_turn: in an arena */
    const char *sentence;                      /* in the verifying one's, NULL = none */
};

/* What lies beside an array that is measured is chance. */
#define FAULT_EITHER RUN_OUTCOME_NOT_BUILT

#define FAULT_ALWAYS(outcome) outcome, outcome, outcome

/* fork, closed output and megabytes of it harm nobody: results are right, and what is
 * left behind is ended. A wrong result is not seen by a program that only measures. */
static const struct fault faults[] = {
    {"wild write", FAULT_ALWAYS(RUN_OUTCOME_CRASHED), "SIGSEGV"},
    {"write beside an array", RUN_OUTCOME_WRONG_RESULT, FAULT_EITHER, FAULT_EITHER,
     "writes outside array 'a'"},
    {"infinite loop", FAULT_ALWAYS(RUN_OUTCOME_TIMED_OUT), "was killed"},
    {"fork", FAULT_ALWAYS(RUN_OUTCOME_OK), NULL},
    {"abort", FAULT_ALWAYS(RUN_OUTCOME_CRASHED), "SIGABRT"},
    {"exit(0) early", FAULT_ALWAYS(RUN_OUTCOME_BAD_EXIT), "exit status 0"},
    {"stack overflow", FAULT_ALWAYS(RUN_OUTCOME_CRASHED), "SIGSEGV"},
    {"memory hog", FAULT_ALWAYS(RUN_OUTCOME_OUT_OF_MEMORY), "used up the memory"},
    {"closes stdout", FAULT_ALWAYS(RUN_OUTCOME_OK), NULL},
    {"closes our descriptors", FAULT_ALWAYS(RUN_OUTCOME_BAD_EXIT), "exit status 1"},
    {"writes to our descriptors", RUN_OUTCOME_OK, RUN_OUTCOME_BAD_EXIT,
     RUN_OUTCOME_BAD_EXIT, NULL},
    {"prints megabytes", FAULT_ALWAYS(RUN_OUTCOME_OK), NULL},
    {"raises SIGSTOP", FAULT_ALWAYS(RUN_OUTCOME_TIMED_OUT), "was killed"},
    {"raises SIGUSR1", FAULT_ALWAYS(RUN_OUTCOME_CRASHED), "SIGUSR1"},
    {"raises SIGKILL", FAULT_ALWAYS(RUN_OUTCOME_CRASHED), "SIGKILL"},
    {"ignores SIGTERM", FAULT_ALWAYS(RUN_OUTCOME_TIMED_OUT), "was killed"},
    {"wrong result", RUN_OUTCOME_WRONG_RESULT, RUN_OUTCOME_OK, RUN_OUTCOME_OK,
     "instead of"},
};

/* What became of one of them. */
struct fault_record {
    enum run_outcome verified, timed;
    char *sentence, *timed_sentence, *note; /* may be NULL */
    enum run_outcome in_turn;
    char *turn_sentence; /* may be NULL */
    bool blames_other;   /* the kernel beside it has an outcome of its own */
    bool goes_on;        /* the arena works behind it */
    unsigned starts;     /* of the arena's processes */
    size_t processes_left, files_left;
};

/* The programs, built once for all kinds. */
struct fault_bench {
    struct kernel *kernel;
    char *dir, *scratch; /* of the build; of the runs, shall be empty after each */
    char *verifying, *timing;
    char *arena, *library[2];
    struct strvec args;
};
int fault_bench_make(const struct toolchain *toolchain, struct fault_bench *bench,
                     struct error *err);
void fault_bench_release(struct fault_bench *bench);

/* Runs the kind through verification and timing with limits of `limit_s` each; kind NULL:
 * the variant as it should be. Caller releases the record. */
int fault_run(struct fault_bench *bench, const char *kind, double limit_s,
              struct fault_record *record, struct error *err);
void fault_record_release(struct fault_record *record);
/* Everything as the table says, and nothing left. */
bool fault_is_expected(const struct fault *fault, const struct fault_record *record);

#endif
