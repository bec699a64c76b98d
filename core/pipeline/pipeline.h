/*
 * core/pipeline: a model of the out-of-order core. It runs a stream of instructions with
 * the lines that they touch through the buffers, units and caches of a core, notes of
 * every event what it had to wait for, and follows these notes backwards from the last
 * instruction: so each cycle of the run gets its cause (the critical path; B. Fields, S.
 * Rubin, R. Bodik, "Focusing Processor Policies via Critical-Path Prediction", ISCA
 * 2001). What a cause costs is told by a run without it. Pure: measures nothing, knows no
 * kernels. The model and what it leaves out: docs/internals/method.md, "Why, by a model
 * of the core".
 */
#ifndef CORE_PIPELINE_PIPELINE_H
#define CORE_PIPELINE_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cause/cause.h"
#include "core/code/work.h"
#include "core/cpu/cpu_core.h"

enum { PIPELINE_LEVELS_MAX = 5 }; /* caches and memory */

/* Of one core while all that run are loaded alike. Cycles of its clock. */
struct pipeline_memory {
    int level_nr; /* caches; level_nr itself stands for memory */
    /* [k]: load to use of what is found in level k + 1; [level_nr]: in memory, at the
     * load of the run */
    double latency[PIPELINE_LEVELS_MAX];
    /* [k]: from one line to the next, by the bandwidth of that level that a core gets; 0
     * = unlimited */
    double line_cycles[PIPELINE_LEVELS_MAX];
    double l1_mshrs;    /* 0 = not known: unlimited */
    double walk_cycles; /* of a page walk that a miss waits for */
    double walk_every;  /* from one walk to the next, by throughput; 0 = unlimited */
};

/* What an access finds; an access that crosses a line is taken for one to its first. */
struct pipeline_access {
    uint64_t address;
    uint16_t bytes;
    uint8_t from; /* 0 = L1, or the line is on its way; else latency[from] */
    bool covered; /* a prefetcher asked for the line ahead of time */
    bool walk;    /* its page has to be found first */
};

/* One instruction as it was executed. */
struct pipeline_step {
    uint32_t place;             /* of the program: instruction[place] */
    uint32_t access, access_nr; /* of access[] */
    bool mispredicted;          /* a branch that went the other way than foreseen */
};
struct pipeline_instruction {
    struct instruction_work work;
    uint64_t pc;
    uint8_t bytes; /* of its code */
};

struct pipeline_pattern;

struct pipeline_stream {
    const struct pipeline_instruction *instruction;
    size_t instruction_nr;
    const struct pipeline_step *step;
    size_t step_nr;
    const struct pipeline_access *access;
    const struct pipeline_pattern *pattern; /* by instruction; NULL = not known */
    size_t warm; /* steps before this one fill the core and do not count; < step_nr */
};

/* Sums over what counts. */
struct pipeline_result {
    double cycles, instructions;
    double path[CAUSE_NR]; /* cycles of the critical path, sum = cycles */
    double chained_walks;  /* page walks among them of loads that wait for one another */
    double n_in_flight;    /* lines that L1 waits for, their walks included; mean */
    /* Of the array that most cycles of path[] go through (or of none) the place with the
     * most, or UINT32_MAX. */
    uint32_t blamed[CAUSE_NR];
};

/* `without`: bits 1 << CAUSE_x of what costs nothing. -1 where the stream is empty or the
 * core is not described (out is empty then). */
int pipeline_run(const struct pipeline_stream *stream, const struct cpu_core *core,
                 const struct pipeline_memory *memory, unsigned without,
                 struct pipeline_result *out);
/* Adds a further stretch of the same program. */
void pipeline_add(struct pipeline_result *sum, const struct pipeline_result *one);

#endif
