#include "core/machine/topology/arch.h"

#include <cpuid.h>
#include <stdio.h>
#include <string.h>

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

static void read_vendor(struct cpu_identity *identity)
{
    struct leaf l = leaf(0);
    char id[13] = "";

    memcpy(id, &l.ebx, 4);
    memcpy(id + 4, &l.edx, 4);
    memcpy(id + 8, &l.ecx, 4);
    snprintf(identity->vendor, sizeof(identity->vendor), "%s",
             strcmp(id, "GenuineIntel") == 0 ? "intel"
             : strcmp(id, "AuthenticAMD") == 0 || strcmp(id, "HygonGenuine") == 0
                 ? "amd"
                 : "other");
}

static void read_model(struct cpu_identity *identity, unsigned signature)
{
    int family = signature >> 8 & 15, model = signature >> 4 & 15;

    if (family == 6 || family == 15)
        model |= signature >> 12 & 0xf0;
    if (family == 15)
        family += signature >> 20 & 255;
    identity->family = family;
    identity->model = model;
    identity->stepping = signature & 15;
}

static void read_name(struct cpu_identity *identity)
{
    const char *start;
    char name[49] = "";

    if (__get_cpuid_max(0x80000000, NULL) < 0x80000004)
        return;
    for (unsigned i = 0; i < 3; i++) {
        struct leaf l = leaf(0x80000002 + i);

        memcpy(name + 16 * i, &l, 16);
    }
    start = name + strspn(name, " ");
    snprintf(identity->name, sizeof(identity->name), "%s", start);
    for (size_t n = strlen(identity->name); n && identity->name[n - 1] == ' ';)
        identity->name[--n] = '\0';
}

static void read_features(struct cpu_identity *identity)
{
    /* CPUID leaf 7; Intel SDM volume 2, CPUID */
    static const struct {
        enum cpu_feature feature;
        char reg;
        int bit;
    } table[] = {
        {CPU_FEATURE_AVX2, 'b', 5},      {CPU_FEATURE_AVX512, 'b', 16},
        {CPU_FEATURE_CLDEMOTE, 'c', 25}, {CPU_FEATURE_SERIALIZE, 'd', 14},
        {CPU_FEATURE_AMX, 'd', 24},
    };
    struct leaf seven = leaf(7);

    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        unsigned word = table[i].reg == 'b'   ? seven.ebx
                        : table[i].reg == 'c' ? seven.ecx
                                              : seven.edx;

        if (word >> table[i].bit & 1)
            identity->features |= 1u << table[i].feature;
    }
    if (seven.edx >> 15 & 1) /* hybrid */
        identity->core_type = (int)(leaf(0x1a).eax >> 24);
}

void arch_identity(struct cpu_identity *identity)
{
    struct leaf one = leaf(1);

    *identity = (struct cpu_identity){.implementer = -1, .part = -1};
    read_vendor(identity);
    read_model(identity, one.eax);
    read_name(identity);
    read_features(identity);
    identity->guest = one.ecx >> 31 & 1;
}
