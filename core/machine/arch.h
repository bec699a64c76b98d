/*
 * Private to core/machine: what differs by architecture. One file arch_*.c per
 * architecture implements all of it; the build picks the file.
 */
#ifndef CORE_MACHINE_ARCH_H
#define CORE_MACHINE_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* name, word in data/cpus.json */
#define CPU_FEATURE_MAP(X)                                                               \
    X(AVX2, "avx2")                                                                      \
    X(AVX512, "avx512")                                                                  \
    X(AMX, "amx")                                                                        \
    X(SERIALIZE, "serialize")                                                            \
    X(CLDEMOTE, "cldemote")                                                              \
    X(SVE, "sve")

enum cpu_feature {
#define X(name, word) CPU_FEATURE_##name,
    CPU_FEATURE_MAP(X)
#undef X
        CPU_FEATURE_NR
};

/* Who this CPU says it is. Numbers that its architecture does not have are -1. */
struct cpu_identity {
    char vendor[16]; /* "intel", "amd", "arm" (any implementer), "power", "riscv" or
                        "other" */
    char name[128];  /* for people */
    char core[32];   /* POWER: the word of /proc/cpuinfo, such as "POWER9" */
    int family, model, stepping,
        core_type;         /* x86; core_type: hybrid leaf 1A, 0 = not hybrid */
    int implementer, part; /* Arm MIDR */
    unsigned features;     /* bits 1 << CPU_FEATURE_x */
    bool guest;            /* runs under a hypervisor, as far as it says so */
};

/* Of the processor that the calling thread runs on. */
void arch_identity(struct cpu_identity *identity);

/* Kernels with the widest vectors that this processor has. */
struct arch_kernels {
    int simd_bytes;
    uint64_t (*read)(const void *from, size_t bytes);       /* bytes a multiple of 512 */
    void (*copy)(void *to, const void *from, size_t bytes); /* plain stores; the same */
    void (*write)(void *to, size_t bytes);                  /* plain stores; the same */
    void (*nontemporal)(void *to,
                        size_t bytes); /* the same; plain where there are none */
    bool has_nontemporal;
    /* doubles, to = a + 3 b; plain stores; the same */
    void (*triad)(void *to, const void *a, const void *b, size_t bytes);
    double (*simd)(size_t rounds); /* multiply-adds in all lanes */
    double (*scalar)(size_t rounds);
    double simd_flops, scalar_flops; /* of one round, a multiply-add counted as two */
};
const struct arch_kernels *arch_kernels(void);

/* Cycles of one step in a chain of dependent integer additions; 0 = not known. */
extern const double arch_add_cycles;

/* Lets the other hardware thread run while we wait. */
void arch_relax(void);
/* Throws the line out of all caches, where a program may do that. */
void arch_flush(const void *line);

/* The misses a core can have when nothing better is known (google/highway,
 * DefaultPrefetchLimits). */
extern const int arch_default_mshrs;

/* The value of the first line "key : value" of /proc/cpuinfo; false if there is none. */
bool cpuinfo_value(const char *key, char *value, size_t size);

#endif
