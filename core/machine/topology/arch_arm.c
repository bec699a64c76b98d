#include "core/machine/topology/arch.h"

/* STNP stores a pair: the two halves of one vector. */
#define KERNEL_HAS_NONTEMPORAL true
#define KERNEL_NONTEMPORAL(vector_bytes, to, value)                                      \
    __asm__ volatile("stnp %d1, %d2, %0" : "=Q"(*(to)) : "w"((value)[0]), "w"((value)[1]))
#define KERNEL_NONTEMPORAL_END() __asm__ volatile("" ::: "memory")
#include "core/machine/topology/arch_kernels.h"

const double arch_add_cycles = 1;
const int arch_default_mshrs = 24;

#define KERNEL_HIDE(i) __asm__ volatile("" : "+w"(x##i));
/* SVE registers have no size that a vector type could name; where they are wider than 16
 * bytes the SIMD figures are too low, and simd_bytes says what was measured. */
DEFINE_KERNELS(neon, 16, );

const struct arch_kernels *arch_kernels(void)
{
    return kernels_neon;
}

size_t arch_kernels_nr(void)
{
    return KERNEL_SETS;
}

const struct arch_kernels *arch_kernels_at(size_t i)
{
    return &kernels_neon[i];
}

void arch_relax(void)
{
    __asm__ volatile("yield");
}

void arch_flush(const void *line)
{
    __asm__ volatile("dc civac, %0" ::"r"(line) : "memory");
}

int arch_core_type(void)
{
    return 0;
}
