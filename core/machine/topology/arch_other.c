/* Architectures without knowledge of their own: everything but recognition works. */
#include "core/machine/topology/arch.h"

#include <stdio.h>

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

void arch_identity(struct cpu_identity *identity)
{
    *identity = (struct cpu_identity){.vendor = "other",
                                      .family = -1,
                                      .model = -1,
                                      .stepping = -1,
                                      .implementer = -1,
                                      .part = -1};
    if (cpuinfo_value("uarch", identity->name, sizeof(identity->name))) { /* RISC-V */
        snprintf(identity->vendor, sizeof(identity->vendor), "riscv");
        snprintf(identity->core, sizeof(identity->core), "%.31s", identity->name);
    } else if (!cpuinfo_value("model name", identity->name, sizeof(identity->name))) {
        snprintf(identity->name, sizeof(identity->name), "unknown processor");
    }
}
