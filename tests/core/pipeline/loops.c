#include "tests/core/pipeline/loops.h"

#include <stdlib.h>

#include "core/base/array.h"

struct cpu_core core_made(void)
{
    struct cpu_core core = {.dispatch_width = 8,
                            .retire_width = 8,
                            .rob_entries = 400,
                            .scheduler_entries = 200,
                            .scheduler_fp_entries = 100,
                            .load_entries = 190,
                            .store_entries = 100,
                            .mispredict_cycles = 15,
                            .l1_cycles = 4,
                            .forward_cycles = 5,
                            .code_bytes_per_cycle = 16,
                            .code_cached_bytes = 16384,
                            .l1i_bytes = 32768,
                            .loads_per_cycle = 2,
                            .stores_per_cycle = 1,
                            .fp_pipes = 4,
                            .alu_pipes = 12,
                            .vector_bits = 512};

    for (int c = 0; c < WORK_CLASS_NR; c++) {
        core.latency[c] = c == WORK_NONE ? 0 : 1;
        core.per_cycle[c] = 12;
    }
    core.latency[WORK_FP_ADD] = 3;
    core.latency[WORK_FP_FMA] = 4;
    core.per_cycle[WORK_FP_ADD] = core.per_cycle[WORK_FP_FMA] = 2;
    core.latency[WORK_FP_DIVIDE] = 13;
    core.per_cycle[WORK_FP_DIVIDE] = 0.25;
    return core;
}

struct pipeline_memory memory_made(void)
{
    return (struct pipeline_memory){.level_nr = 3,
                                    .latency = {4, 14, 50, 400},
                                    .line_cycles = {0, 1, 2, 8},
                                    .l1_mshrs = 20,
                                    .walk_cycles = 150,
                                    .walk_every = 60};
}

struct script *script_new(void)
{
    return xcalloc(1, sizeof(struct script));
}

uint32_t script_computes(struct script *loop, enum work_class class, int into, int a,
                         int b)
{
    struct pipeline_instruction *one = &loop->instruction[loop->instruction_nr];
    const int reads[] = {a, b};

    *one = (struct pipeline_instruction){
        .pc = 4096 + 4 * loop->instruction_nr,
        .bytes = 4,
        .work = {.known = true,
                 .class = class,
                 .microops = 1,
                 .memory = {.base = NO, .index = NO, .lanes = 1}}};
    if (into != NO)
        one->work.write[one->work.write_nr++] = (uint8_t)into;
    for (size_t i = 0; i < ARRAY_SIZE(reads); i++)
        if (reads[i] != NO)
            one->work.read[one->work.read_nr++] = (uint8_t)reads[i];
    return (uint32_t)loop->instruction_nr++;
}

uint32_t script_loads(struct script *loop, int into, int base)
{
    uint32_t place = script_computes(loop, WORK_NONE, into, NO, NO);

    loop->instruction[place].work.loads = true;
    loop->instruction[place].work.memory.base = (uint8_t)base;
    return place;
}

uint32_t script_stores(struct script *loop, int from, int base)
{
    uint32_t place = script_computes(loop, WORK_NONE, NO, from, NO);

    loop->instruction[place].work.stores = true;
    loop->instruction[place].work.memory.base = (uint8_t)base;
    return place;
}

void script_runs(struct script *loop, uint32_t place)
{
    loop->step[loop->step_nr++] =
        (struct pipeline_step){.place = place, .access = (uint32_t)loop->access_nr};
}

void script_touches(struct script *loop, uint32_t place, uint64_t address, int from,
                    bool covered)
{
    script_runs(loop, place);
    loop->step[loop->step_nr - 1].access_nr = 1;
    loop->access[loop->access_nr++] = (struct pipeline_access){
        .address = address, .bytes = 8, .from = (uint8_t)from, .covered = covered};
}

uint64_t script_random(struct script *loop)
{
    loop->random = loop->random * 6364136223846793005u + 1442695040888963407u;
    return loop->random >> 20;
}

struct pipeline_stream script_stream(const struct script *loop)
{
    return (struct pipeline_stream){.instruction = loop->instruction,
                                    .instruction_nr = loop->instruction_nr,
                                    .step = loop->step,
                                    .step_nr = loop->step_nr,
                                    .access = loop->access,
                                    .warm = loop->step_nr / 4};
}
