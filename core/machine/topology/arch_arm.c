#define _GNU_SOURCE /* sched_getcpu: in this one file */
#include "core/machine/topology/arch.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/files/fs.h"

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

/* Of the processor that we run on: where there are several kinds they differ. */
static bool midr_of_kernel(unsigned long *midr)
{
    int cpu = sched_getcpu();
    char *path = xasprintf("/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1",
                           cpu < 0 ? 0 : cpu);
    struct buf text = {0};
    bool found = !file_read(path, &text, NULL);

    if (found)
        *midr = strtoul(buf_str(&text), NULL, 16);
    buf_release(&text);
    free(path);
    return found;
}

void arch_identity(struct cpu_identity *identity)
{
    const unsigned long hwcap_sve = 1ul << 22; /* asm/hwcap.h */
    unsigned long midr;
    char text[32];

    *identity = (struct cpu_identity){.vendor = "arm",
                                      .family = -1,
                                      .model = -1,
                                      .stepping = -1,
                                      .implementer = -1,
                                      .part = -1};
    if (midr_of_kernel(&midr)) {
        identity->implementer = (int)(midr >> 24 & 0xff);
        identity->part = (int)(midr >> 4 & 0xfff);
    } else {
        if (cpuinfo_value("CPU implementer", text, sizeof(text)))
            identity->implementer = (int)strtol(text, NULL, 0);
        if (cpuinfo_value("CPU part", text, sizeof(text)))
            identity->part = (int)strtol(text, NULL, 0);
    }
    if (getauxval(AT_HWCAP) & hwcap_sve)
        identity->features |= 1u << CPU_FEATURE_SVE;
    if (!cpuinfo_value("model name", identity->name, sizeof(identity->name)))
        snprintf(identity->name, sizeof(identity->name),
                 "Arm implementer 0x%02x part 0x%03x", (unsigned)identity->implementer,
                 (unsigned)identity->part);
}
