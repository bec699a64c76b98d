/* Architectures without knowledge of their own: everything but recognition works. */
#include "core/machine/topology/arch.h"

#include "core/machine/topology/arch_kernels.h"

const double arch_add_cycles = 0;
const int arch_default_mshrs = 12;

#define KERNEL_HIDE(i) __asm__ volatile("" : "+m"(x##i));
DEFINE_KERNELS(plain, 16, );

const struct arch_kernels *arch_kernels(void)
{
    return kernels_plain;
}

size_t arch_kernels_nr(void)
{
    return KERNEL_SETS;
}

const struct arch_kernels *arch_kernels_at(size_t i)
{
    return &kernels_plain[i];
}

void arch_relax(void) {}

void arch_flush(const void *line)
{
    (void)line;
}

int arch_core_type(void)
{
    return 0;
}
