#include "core/machine/topology/arch.h"

#include "core/machine/topology/arch_kernels.h"

const double arch_add_cycles =
    2; /* POWER8 and later: no back-to-back issue of dependent integer operations */
const int arch_default_mshrs = 12;

#define KERNEL_HIDE(i) __asm__ volatile("" : "+wa"(x##i));
DEFINE_KERNELS(vsx, 16, );

const struct arch_kernels *arch_kernels(void)
{
    return kernels_vsx;
}

size_t arch_kernels_nr(void)
{
    return KERNEL_SETS;
}

const struct arch_kernels *arch_kernels_at(size_t i)
{
    return &kernels_vsx[i];
}

void arch_relax(void)
{
    __asm__ volatile("or 27,27,27");
}

void arch_flush(const void *line)
{
    __asm__ volatile("dcbf 0, %0" ::"r"(line) : "memory");
}

int arch_core_type(void)
{
    return 0;
}
