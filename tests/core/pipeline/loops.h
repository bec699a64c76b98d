/* Loops written down instruction by instruction, for a core and a memory of ours. */
#ifndef TESTS_CORE_PIPELINE_LOOPS_H
#define TESTS_CORE_PIPELINE_LOOPS_H

#include "core/pipeline/pipeline_account.h"
#include "tests/check.h"

enum { SCRIPT_INSTRUCTIONS = 600, SCRIPT_STEPS = 24000 };

struct script {
    struct pipeline_instruction instruction[SCRIPT_INSTRUCTIONS];
    struct pipeline_step step[SCRIPT_STEPS];
    struct pipeline_access access[SCRIPT_STEPS];
    size_t instruction_nr, step_nr, access_nr;
    uint64_t random;
};

/* 8 wide, ROB 400, schedulers 200 and 100, 20 MSHRs; latency of memory 400 cycles. */
struct cpu_core core_made(void);
struct pipeline_memory memory_made(void);

struct script *script_new(void);
/* A computation: NO = none. Vector register n is V(n). */
#define NO   255
#define V(n) (WORK_REGISTER_VECTOR + (n))
uint32_t script_computes(struct script *loop, enum work_class class, int into, int a,
                         int b);
uint32_t script_loads(struct script *loop, int into, int base);
uint32_t script_stores(struct script *loop, int from, int base);
/* One more turn of an instruction. */
void script_runs(struct script *loop, uint32_t place);
/* from: 0 = L1, 1 = L2 ... of a line that is touched anew; covered ones are prefetched.
 */
void script_touches(struct script *loop, uint32_t place, uint64_t address, int from,
                    bool covered);
uint64_t script_random(struct script *loop);
struct pipeline_stream script_stream(const struct script *loop);

#endif
