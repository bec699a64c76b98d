/*
 * Private to core/machine: what differs by architecture. One file arch_*.c per
 * architecture implements all of it; the build picks the file.
 */
#ifndef CORE_MACHINE_ARCH_H
#define CORE_MACHINE_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the hybrid processor that the calling thread runs on: 20h, 40h; 0 = not hybrid. */
int arch_core_type(void);

/* How a loop computes: one element at a time, fused where the CPU can; widest vectors
 * with multiplications and additions apart; widest vectors, fused where the CPU can. */
enum flops_kind { FLOPS_SCALAR, FLOPS_SIMD, FLOPS_FMA, FLOPS_KINDS };

struct arch_flops {
    double (*run)(size_t rounds); /* in registers; the value means nothing */
    double each;                  /* FLOP of one round, a multiply-add counted as two */
};

/*
 * Loops through memory. All addresses are multiples of 64, all sizes of
 * ARCH_KERNEL_BYTES. Several sets do the same in different ways (vector width, pieces
 * walked side by side, prefetch): which one is fastest depends on the CPU and on where
 * the data is. NULL = would not differ from another set of the same width.
 */
enum { ARCH_KERNEL_BYTES = 512 };
/* What is written, 8 bytes: a normal double, and not zeros. Non-temporal stores of lines
 * that are zero in half of their bytes ran at twice the rate on Zen 4 (Linux guest, 54
 * instead of 27 GB/s), and memory that was never written may be one page of zeros. */
#define ARCH_KERNEL_VALUE 0x3ff9e3779b97f4a7u /* the golden ratio */
struct arch_kernels {
    const char *name; /* "avx2, 4 pieces" */
    int simd_bytes;
    uint64_t (*read)(const void *from, size_t bytes); /* every word is in the value */
    void (*copy)(void *to, const void *from, size_t bytes); /* plain stores */
    void (*write)(void *to, size_t bytes); /* plain stores of ARCH_KERNEL_VALUE */
    /* The same values with non-temporal stores, plain ones where there are none. */
    void (*nontemporal)(void *to, size_t bytes);
    bool has_nontemporal;
    /* doubles, to = a + 3 b; plain stores */
    void (*triad)(void *to, const void *a, const void *b, size_t bytes);
    const struct arch_flops *flops_double, *flops_single; /* [FLOPS_KINDS] */
};
/* The widest vectors that this processor has, one piece: nothing in it is NULL. */
const struct arch_kernels *arch_kernels(void);
/* All sets that this processor can run, the one above first. */
size_t arch_kernels_nr(void);
const struct arch_kernels *arch_kernels_at(size_t i);

/* Cycles of one step in a chain of dependent integer additions; 0 = not known. */
extern const double arch_add_cycles;

/* Lets the other hardware thread run while we wait. */
void arch_relax(void);
/* Throws the line out of all caches, where a program may do that. */
void arch_flush(const void *line);

/* The misses a core can have when nothing better is known (google/highway,
 * DefaultPrefetchLimits). */
extern const int arch_default_mshrs;

#endif
