/*
 * Private to the arch_*.c files: DEFINE_KERNELS(suffix, bytes, target) defines read_,
 * copy_, simd_ and scalar_suffix with vectors of that many bytes, compiled for `target`
 * (an attribute or nothing). The sources are compiled with -ffp-contract=fast, so that x
 * * m + a is one instruction where the target has it.
 */
#ifndef CORE_MACHINE_ARCH_KERNELS_H
#define CORE_MACHINE_ARCH_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine/arch.h"
#include "core/machine/repeat.h"

/* Independent chains: at least latency x pipes of a multiply-add (8 on x86, 16 on large
 * Arm cores), and registers for them. */
#if defined(__x86_64__)
enum { KERNEL_CHAINS = 12 };
#define KERNEL_REP REP_12
#else
enum { KERNEL_CHAINS = 20 };
#define KERNEL_REP REP_20
#endif

/* A file that knows non-temporal stores defines these before it includes this one. */
#ifndef KERNEL_NONTEMPORAL
#define KERNEL_HAS_NONTEMPORAL                      false
#define KERNEL_NONTEMPORAL(vector_bytes, to, value) (*(to) = (value))
#define KERNEL_NONTEMPORAL_END()                    __asm__ volatile("" ::: "memory")
#endif

#define KERNEL_START(i)          x##i = x + (double)i;
#define KERNEL_DECLARE_VECTOR(i) vector x##i;
#define KERNEL_DECLARE_SCALAR(i) double x##i;
#define KERNEL_STEP(i)           x##i = x##i * m + a;
#define KERNEL_SUM(i)            x = x + x##i;

/* |x| stays bounded: m < 1. The asm hides the values, so that nothing is computed at
 * compile time. */
#define DEFINE_KERNELS(suffix, vector_bytes, target)                                     \
    target static double simd_##suffix(size_t rounds)                                    \
    {                                                                                    \
        typedef double vector __attribute__((vector_size(vector_bytes)));                \
        double m_one = 0.999, a_one = 0.5;                                               \
        vector x = {0}, m, a;                                                            \
        KERNEL_REP(KERNEL_DECLARE_VECTOR)                                                \
                                                                                         \
        __asm__ volatile("" : "+m"(m_one), "+m"(a_one));                                 \
        m = x + m_one;                                                                   \
        a = x + a_one;                                                                   \
        KERNEL_REP(KERNEL_START)                                                         \
        while (rounds--) {                                                               \
            KERNEL_REP(KERNEL_STEP)                                                      \
        }                                                                                \
        KERNEL_REP(KERNEL_SUM)                                                           \
        return x[0];                                                                     \
    }                                                                                    \
    target static double scalar_##suffix(size_t rounds)                                  \
    {                                                                                    \
        double m = 0.999, a = 0.5, x = 0;                                                \
        KERNEL_REP(KERNEL_DECLARE_SCALAR)                                                \
                                                                                         \
        __asm__ volatile("" : "+m"(m), "+m"(a));                                         \
        KERNEL_REP(KERNEL_START)                                                         \
        while (rounds--) {                                                               \
            KERNEL_REP(KERNEL_STEP)                                                      \
            KERNEL_REP(KERNEL_HIDE)                                                      \
        }                                                                                \
        KERNEL_REP(KERNEL_SUM)                                                           \
        return x;                                                                        \
    }                                                                                    \
    target static uint64_t read_##suffix(const void *from, size_t bytes)                 \
    {                                                                                    \
        typedef uint64_t words __attribute__((vector_size(vector_bytes), may_alias));    \
        const words *p = from, *end = p + bytes / sizeof(words);                         \
        words a = {0}, b = {0}, c = {0}, d = {0};                                        \
                                                                                         \
        for (; p < end; p += 8) {                                                        \
            a += p[0] ^ p[4];                                                            \
            b += p[1] ^ p[5];                                                            \
            c += p[2] ^ p[6];                                                            \
            d += p[3] ^ p[7];                                                            \
        }                                                                                \
        a += b + c + d;                                                                  \
        return a[0] + a[1];                                                              \
    }                                                                                    \
    target static void copy_##suffix(void *to, const void *from, size_t bytes)           \
    {                                                                                    \
        typedef uint64_t words __attribute__((vector_size(vector_bytes), may_alias));    \
        const words *p = from, *end = p + bytes / sizeof(words);                         \
        words *q = to;                                                                   \
                                                                                         \
        for (; p < end; p += 4, q += 4) {                                                \
            q[0] = p[0];                                                                 \
            q[1] = p[1];                                                                 \
            q[2] = p[2];                                                                 \
            q[3] = p[3];                                                                 \
            __asm__ volatile(                                                            \
                "" ::                                                                    \
                    : "memory"); /* no call of memcpy, it bypasses caches */             \
        }                                                                                \
    }                                                                                    \
    target static void write_##suffix(void *to, size_t bytes)                            \
    {                                                                                    \
        typedef uint64_t words __attribute__((vector_size(vector_bytes), may_alias));    \
        words *q = to, *end = q + bytes / sizeof(words), value = {1};                    \
                                                                                         \
        for (; q < end; q += 4) {                                                        \
            q[0] = value;                                                                \
            q[1] = value;                                                                \
            q[2] = value;                                                                \
            q[3] = value;                                                                \
            __asm__ volatile("" ::: "memory"); /* no call of memset */                   \
        }                                                                                \
    }                                                                                    \
    target static void nontemporal_##suffix(void *to, size_t bytes)                      \
    {                                                                                    \
        typedef uint64_t words __attribute__((vector_size(vector_bytes), may_alias));    \
        words *q = to, *end = q + bytes / sizeof(words), value = {1};                    \
                                                                                         \
        for (; q < end; q++)                                                             \
            KERNEL_NONTEMPORAL(vector_bytes, q, value);                                  \
        KERNEL_NONTEMPORAL_END();                                                        \
    }                                                                                    \
    target static void triad_##suffix(void *to, const void *a, const void *b,            \
                                      size_t bytes)                                      \
    {                                                                                    \
        typedef double vector __attribute__((vector_size(vector_bytes), may_alias));     \
        const vector *x = a, *y = b, *end = x + bytes / sizeof(vector);                  \
        vector *q = to;                                                                  \
                                                                                         \
        for (; x < end; x += 4, y += 4, q += 4) {                                        \
            q[0] = x[0] + 3.0 * y[0];                                                    \
            q[1] = x[1] + 3.0 * y[1];                                                    \
            q[2] = x[2] + 3.0 * y[2];                                                    \
            q[3] = x[3] + 3.0 * y[3];                                                    \
            __asm__ volatile("" ::: "memory");                                           \
        }                                                                                \
    }                                                                                    \
    static const struct arch_kernels kernels_##suffix = {                                \
        .simd_bytes = (vector_bytes),                                                    \
        .read = read_##suffix,                                                           \
        .copy = copy_##suffix,                                                           \
        .write = write_##suffix,                                                         \
        .nontemporal = nontemporal_##suffix,                                             \
        .has_nontemporal = KERNEL_HAS_NONTEMPORAL,                                       \
        .triad = triad_##suffix,                                                         \
        .simd = simd_##suffix,                                                           \
        .scalar = scalar_##suffix,                                                       \
        .simd_flops = 2.0 * KERNEL_CHAINS * (vector_bytes) / sizeof(double),             \
        .scalar_flops = 2.0 * KERNEL_CHAINS,                                             \
    }

#endif
