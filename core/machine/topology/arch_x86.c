#include "core/machine/topology/arch.h"

#include <cpuid.h>

#include "core/base/array.h"

/* One store instruction per vector size; the end orders them before whatever follows. */
#define STREAM_OF_16           "movntps %1, %0"
#define STREAM_OF_32           "vmovntps %1, %0"
#define STREAM_OF_64           "vmovntps %1, %0"
#define KERNEL_HAS_NONTEMPORAL true
#define KERNEL_NONTEMPORAL(vector_bytes, to, value)                                      \
    __asm__ volatile(STREAM_OF_##vector_bytes : "=m"(*(to)) : "v"(value))
#define KERNEL_NONTEMPORAL_END() __asm__ volatile("sfence" ::: "memory")
#include "core/machine/topology/arch_kernels.h"

const double arch_add_cycles = 1;
const int arch_default_mshrs = 12;

/* Keeps the scalar chains scalar: each value must be in a register of its own after every
 * step. */
#define KERNEL_HIDE(i)  __asm__ volatile("" : "+x"(x##i));
#define TARGET(options) __attribute__((target(options)))

DEFINE_KERNELS(sse2, 16, );
DEFINE_KERNELS(avx2, 32, TARGET("avx2,fma"));
DEFINE_KERNELS(avx512, 64, TARGET("avx512f,fma"));

/* By width; those that this processor lacks stand first. */
static const struct arch_kernels *const width[] = {kernels_avx512, kernels_avx2,
                                                   kernels_sse2};

static size_t first_width(void)
{
    if (__builtin_cpu_supports("avx512f"))
        return 0;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 1 : 2;
}

const struct arch_kernels *arch_kernels(void)
{
    return width[first_width()];
}

size_t arch_kernels_nr(void)
{
    return (ARRAY_SIZE(width) - first_width()) * KERNEL_SETS;
}

const struct arch_kernels *arch_kernels_at(size_t i)
{
    return &width[first_width() + i / KERNEL_SETS][i % KERNEL_SETS];
}

void arch_relax(void)
{
    __builtin_ia32_pause();
}

void arch_flush(const void *line)
{
    __builtin_ia32_clflush(line);
}

struct leaf {
    unsigned eax, ebx, ecx, edx;
};

static struct leaf leaf(unsigned number)
{
    struct leaf l = {0};

    __get_cpuid_count(number, 0, &l.eax, &l.ebx, &l.ecx, &l.edx);
    return l;
}

int arch_core_type(void)
{
    return leaf(7).edx >> 15 & 1 ? (int)(leaf(0x1a).eax >> 24) : 0;
}
