/*
 * The out-of-order core as its documents and measurements describe it: the object "core"
 * of a CPU's file (docs/internals/porting.md). For a model of the core; nothing of it is
 * measured by this program.
 */
#ifndef CORE_CPU_CPU_CORE_H
#define CORE_CPU_CPU_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/code/work.h"

struct cpu;
struct error;
struct json_at;

/* Of one hardware thread alone on its core. What a CPU's file does not tell is of the
 * file `generic` after cpu_core_of; in struct cpu it is 0. */
struct cpu_core {
    double dispatch_width; /* micro-operations a cycle into the reorder buffer */
    double retire_width;
    double decode_width; /* instructions a cycle that come from the instruction cache */
    int rob_entries;     /* "rob_entries" of the file itself */
    /* Where dispatch stops: queues before a scheduler count with it. */
    int scheduler_entries;           /* integer and memory; all where it is unified */
    int scheduler_fp_entries;        /* 0 = unified with that */
    int load_entries, store_entries; /* load buffer, store buffer */
    double mispredict_cycles;        /* from a wrong branch's execution to dispatch on the
                                        right way */
    double l1_cycles;                /* load to use, general registers */
    double forward_cycles;           /* store to load of the same address */
    double code_bytes_per_cycle;     /* decoded at most, beside decode_width */
    double code_cached_bytes; /* of code that a cache of micro-operations holds, about: 4
                                 an entry; 0 = there is none */
    double l1i_bytes;
    double loads_per_cycle, stores_per_cycle; /* of floating-point scalars: integers can
                                                 have more */
    double load_bytes_per_cycle, store_bytes_per_cycle; /* L1: wide ones are fewer */
    double latency[WORK_CLASS_NR]; /* cycles, from register to register */
    /* Instructions a cycle, of scalars and of registers of up to vector_bits; of
     * floating-point divisions and roots: double, up to divide_bits. Integer division: of
     * 32 bits. Shuffles: within 128 bits. */
    double per_cycle[WORK_CLASS_NR];
    double fp_pipes;    /* all floating-point and vector classes together, a cycle */
    double alu_pipes;   /* all integer classes and branches together, a cycle */
    double pipes;       /* all of both together: less than their sum where they share */
    int vector_bits;    /* wider registers are split into parts of so many bits */
    int divide_bits;    /* the same for floating-point divisions and roots */
    const char *source; /* of these figures; borrowed as struct cpu's texts */
    uint64_t told;      /* a bit for each figure that the CPU's own file tells */
};

/* Of an object "core"; rob_entries is not in it. */
int cpu_core_read(const struct json_at *at, struct cpu_core *core, struct error *err);

/* All figures: of the CPU's file (NULL = unknown), and what that does not tell of the
 * file `generic`, whose source stands there if nothing is told. */
int cpu_core_of(const struct cpu *cpu, struct cpu_core *out, struct error *err);

/* How many of all figures are of the CPU's own file, 0 to 1: 0 = generic. */
double cpu_core_told_share(const struct cpu_core *core);

#endif
