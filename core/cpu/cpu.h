/*
 * core/cpu: which CPU this is, or a text speaks of, and what is documented of CPUs: one
 * file each (machines/cpus/NAME.json, schema inflight.cpu/1, docs/internals/porting.md).
 */
#ifndef CORE_CPU_CPU_H
#define CORE_CPU_CPU_H

#include "core/base/array.h"
#include "core/base/quantity.h"
#include "core/cpu/cpu_core.h"
#include "core/files/json.h"

struct buf;
struct error;

/* ---- who a CPU says it is ---- */

/* name, word in the files of CPUs, word in /proc/cpuinfo */
#define CPU_FEATURE_MAP(X)                                                               \
    X(AVX2, "avx2", "avx2")                                                              \
    X(AVX512, "avx512", "avx512f")                                                       \
    X(AMX, "amx", "amx_tile")                                                            \
    X(SERIALIZE, "serialize", "serialize")                                               \
    X(CLDEMOTE, "cldemote", "cldemote")                                                  \
    X(SVE, "sve", "sve")

enum cpu_feature {
#define X(name, word, flag) CPU_FEATURE_##name,
    CPU_FEATURE_MAP(X)
#undef X
        CPU_FEATURE_NR
};

/* Numbers that its architecture does not have, or that are not told, are -1. */
struct cpu_identity {
    char vendor[24]; /* "intel", "amd", "arm" (any implementer), "power" or "riscv"; "" =
                        not told */
    char name[128];  /* for people */
    char core[32];   /* POWER, RISC-V: the word of /proc/cpuinfo, such as "POWER9" */
    int family, model, stepping; /* x86; stepping: of Arm, its revision */
    int core_type;               /* of hybrid x86: 20h, 40h; 0 = not hybrid, not told */
    int implementer, part;       /* Arm MIDR */
    unsigned features;           /* bits 1 << CPU_FEATURE_x */
    bool guest;                  /* runs under a hypervisor, as far as it says so */
};

int cpuinfo_read(struct buf *text, struct error *err); /* /proc/cpuinfo */
/* The value of its first line "key : value", NULL if there is none. Caller frees. */
char *cpuinfo_field(const char *text, const char *key);

/* Of the processor that the calling thread runs on, but for core_type. */
void cpu_identity_here(struct cpu_identity *cpu);
/* The text of /proc/cpuinfo, "vendor family model [stepping]" in decimal, "arm 0x41 0xd49
 * [revision]", perf's "GenuineIntel-6-55-4" in hexadecimal and "0x410fd493" of Arm (the
 * register MIDR), or what profiles of machines have, "Intel(R) ..., family 6 model 55
 * stepping 4". Vendor "" = none of these, or NULL. */
void cpu_identify(const char *text, struct cpu_identity *cpu);
/* "amd family 19 model 11 stepping 1", "Arm implementer 41 part D0C". */
void cpu_identity_say(const struct cpu_identity *cpu, struct buf *out);

/* Do both name the same CPU? "Intel(R) Xeon(R) Platinum 8160 CPU @ 2.10GHz" and "Intel
 * Xeon Platinum 8160 (Skylake-SP)" do. */
bool cpu_names_agree(const char *a, const char *b);
/* The vendor of a name as sold, as in cpu_identity; NULL = it does not tell. */
const char *cpu_vendor_of_name(const char *name);

/* ---- what is documented of CPUs ---- */

enum {
    CPU_RANGES_MAX = 24,
    CPU_NUMBERS = 6,
    CPU_RULES_MAX = 2,
    CPU_SIZES_MAX = 4,
    CPU_MEMORIES_MAX = 4,
    CPU_METRICS_MAX = 2
};

struct cpu_ranges { /* none = any number */
    struct {
        int low, high;
    } range[CPU_RANGES_MAX];
    size_t nr;
};

/* "1A" or "10-1F", hexadecimal. */
int cpu_ranges_add(const struct json_at *at, const char *text, struct cpu_ranges *ranges,
                   struct error *err);
/* One such text, or several in a list; missing = any. */
int cpu_ranges_read(const struct json_at *at, const char *key, struct cpu_ranges *ranges,
                    struct error *err);
bool cpu_ranges_hold(const struct cpu_ranges *ranges, int number);

/* What a CPU is recognised by: all that it names must be the CPU's. A stepping that is
 * not told excludes nothing. */
struct cpu_rule {
    char vendor[24], core[32]; /* "" = any */
    struct cpu_ranges number[CPU_NUMBERS];
};
/* Of an object with vendor, family, models ... */
int cpu_rule_read(const struct json_at *at, struct cpu_rule *rule, struct error *err);
bool cpu_rule_fits(const struct cpu_rule *rule, const struct cpu_identity *cpu);
/* Is there a CPU that both fit? */
bool cpu_rules_meet(const struct cpu_rule *a, const struct cpu_rule *b);

struct cpu_limit {
    struct quantity entries; /* provenance table; high = infinity: "at least" */
    char confidence;         /* V, M, P, S, I; 0 = unknown */
    const char *source, *scope;
};

/* Sizes in KiB that products have, to catch a hypervisor's false model; none = not
 * checked. */
struct cpu_geometry {
    int l1d_kib[CPU_SIZES_MAX], l1i_kib[CPU_SIZES_MAX], l2_kib[CPU_SIZES_MAX];
    unsigned has, lacks; /* features */
};

/* What memory it takes at most, for some of its models. */
struct cpu_memory {
    struct cpu_ranges models;
    struct strvec name; /* parts of the CPU's name, one of them is in it; none = any */
    double gbs;         /* of one socket; 0 = cannot be told */
    bool exact;         /* the memory is part of the package */
    const char *source;
};

struct cpu_metrics {
    const char *name; /* rules/metrics/NAME.json */
    struct cpu_ranges steppings;
};

/* Texts are borrowed from its file. */
struct cpu {
    char *path;
    json_t *root; /* "bandwidth" of it is read by core/traffic */
    const char *name;
    struct cpu_rule rule[CPU_RULES_MAX];
    size_t rule_nr;
    int line_bytes, rob_entries; /* 0 = unknown */
    int transfer_bytes;          /* what one miss moves; 0 = a whole line */
    struct cpu_core core;        /* as told, without rob_entries: see cpu_core_of */
    struct cpu_limit l1, l2;
    struct cpu_geometry geometry;
    struct cpu_memory memory[CPU_MEMORIES_MAX];
    size_t memory_nr;
    struct cpu_metrics metrics[CPU_METRICS_MAX];
    size_t metrics_nr;
};

struct cpu_table {
    struct cpu *cpu;
    size_t cpu_nr, cpu_alloc;
};

/* All files, by name, read once a process; *table is borrowed until INFLIGHT_DATA names
 * other files, empty on failure. Not for several threads at a time. */
int cpu_table_get(const struct cpu_table **table, struct error *err);

/* NULL = none; letters' case does not matter. */
const struct cpu *cpu_named(const struct cpu_table *table, const char *name);
/* The one whose rules fit; NULL = none, or several where the stepping is not told. */
const struct cpu *cpu_claimed(const struct cpu_table *table,
                              const struct cpu_identity *cpu);
/* The metrics of this CPU, NULL = none, or which is not told. */
const char *cpu_metrics_name(const struct cpu_table *table,
                             const struct cpu_identity *cpu);

/* The first of its memories that takes this model and name; NULL = none. */
const struct cpu_memory *cpu_memory_of(const struct cpu *cpu,
                                       const struct cpu_identity *identity);

/* Data and instruction cache sizes as the system says them, 0 = not said. */
struct cpu_caches {
    int l1d_kib, l1i_kib, l2_kib;
};

/* As cpu_claimed, but what the CPU claims must not contradict what it has. `sentence`
 * tells how it was recognised; where there are contradictions it holds CPU_CONTRADICTS.
 */
#define CPU_CONTRADICTS "contradicts what it has"
const struct cpu *cpu_recognise(const struct cpu_table *table,
                                const struct cpu_identity *identity,
                                const struct cpu_caches *caches, struct buf *sentence);

#endif
