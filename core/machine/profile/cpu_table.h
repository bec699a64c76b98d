/* Private to core/machine: the CPU table (data/cpus.json, schema inflight.cpus/1) and who
 * we are in it. */
#ifndef CORE_MACHINE_CPU_TABLE_H
#define CORE_MACHINE_CPU_TABLE_H

#include "core/machine/machine.h"
#include "core/machine/topology/arch.h"

enum { CPU_RANGES_MAX = 24, CPU_SIZES_MAX = 4 };

struct cpu_range {
    int low, high;
};

struct cpu_limit {
    struct quantity entries; /* provenance table; high = infinity: "at least" */
    char confidence;         /* V, M, P, S, I; 0 = unknown */
    char *source, *scope;
};

/* Sizes in KiB that products of the row have, to catch a hypervisor's false model; none =
 * not checked. */
struct cpu_geometry {
    int l1d_kib[CPU_SIZES_MAX], l1i_kib[CPU_SIZES_MAX], l2_kib[CPU_SIZES_MAX];
    unsigned has, lacks; /* features */
};

struct cpu_row {
    char *name, *note;
    char *vendor, *core;                 /* core: POWER's name, else NULL */
    int family, implementer;             /* -1 = not by this */
    struct cpu_range id[CPU_RANGES_MAX]; /* x86 models or Arm parts */
    size_t id_nr;
    struct cpu_range stepping;        /* 0-15 unless the row says otherwise */
    int core_type;                    /* hybrid leaf 1A: 20h, 40h; 0 = any */
    int line_bytes, rob_entries, smt; /* 0 = unknown */
    int transfer_bytes;               /* what one miss moves; 0 = a whole line */
    struct cpu_limit l1, l2;
    struct cpu_geometry geometry;
};

struct cpu_table {
    struct cpu_row *row;
    size_t row_nr, row_alloc;
};

int cpu_table_load(struct cpu_table *table, struct error *err);
int cpu_table_read(struct cpu_table *table, const char *path, struct error *err);
void cpu_table_release(struct cpu_table *table);

/* Data and instruction cache sizes as the system says them, 0 = not said. */
struct cpu_caches {
    int l1d_kib, l1i_kib, l2_kib;
};

/* The row of this CPU, NULL = not recognised; changeable by the owner of the table.
 * `sentence` tells how, contradictions included; `doubtful` that there are some. */
struct cpu_row *cpu_recognise(const struct cpu_table *table,
                              const struct cpu_identity *identity,
                              const struct cpu_caches *caches, bool *doubtful,
                              struct buf *sentence);

#endif
