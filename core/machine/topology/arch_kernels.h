/*
 * Private to the arch_*.c files: DEFINE_KERNELS(suffix, bytes, target) defines the array
 * kernels_suffix[KERNEL_SETS] with vectors of that many bytes (16, 32 or 64), compiled
 * for `target` (an attribute or nothing). The sources are compiled with
 * -ffp-contract=fast, so that x * m + a is one instruction where the target has it.
 */
#ifndef CORE_MACHINE_ARCH_KERNELS_H
#define CORE_MACHINE_ARCH_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine/sampling/repeat.h"
#include "core/machine/topology/arch.h"

/* Independent chains: at least latency x pipes of a multiply-add (8 on x86, 16 on large
 * Arm cores), as many of multiplications and additions together (12 on Zen: 3 x 4), and
 * registers for them. */
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

/* The compiler must neither merge the stores into a call of memset or memcpy, which
 * bypass caches, nor move them over the end of a turn. */
#define KERNEL_BARRIER() __asm__ volatile("" ::: "memory")

/* Arithmetic. m is hidden from the compiler, so that nothing is computed at compile time.
 * Fused, x m + x overwrites x on every architecture, and |x| hardly moves since m is
 * small. Apart, half of the chains multiply and half add: no addition follows a
 * multiplication, so that none can be fused with it. */
#define KERNEL_START(i)          x##i = x + (i + 1);
#define KERNEL_DECLARE_VECTOR(i) vector x##i;
#define KERNEL_DECLARE_SCALAR(i) scalar x##i;
#define KERNEL_STEP(i)           x##i = x##i * m + x##i;
#define KERNEL_APART(i)          x##i = (i) % 2 ? x##i + m : x##i * m;
#define KERNEL_SUM(i)            x = x + x##i;

#define DEFINE_VECTOR_FLOPS(name, type, vector_bytes, target, m_value, STEP)             \
    target static double name(size_t rounds)                                             \
    {                                                                                    \
        typedef type vector __attribute__((vector_size(vector_bytes)));                  \
        type m_one = (type)(m_value);                                                    \
        vector x = {0}, m;                                                               \
        KERNEL_REP(KERNEL_DECLARE_VECTOR)                                                \
                                                                                         \
        __asm__ volatile("" : "+m"(m_one));                                              \
        m = x + m_one;                                                                   \
        KERNEL_REP(KERNEL_START)                                                         \
        while (rounds--) {                                                               \
            KERNEL_REP(STEP)                                                             \
        }                                                                                \
        KERNEL_REP(KERNEL_SUM)                                                           \
        return (double)x[0];                                                             \
    }

#define DEFINE_SCALAR_FLOPS(name, type, target)                                          \
    target static double name(size_t rounds)                                             \
    {                                                                                    \
        typedef type scalar;                                                             \
        scalar m = (type)1e-10, x = 0;                                                   \
        KERNEL_REP(KERNEL_DECLARE_SCALAR)                                                \
                                                                                         \
        __asm__ volatile("" : "+m"(m));                                                  \
        KERNEL_REP(KERNEL_START)                                                         \
        while (rounds--) {                                                               \
            KERNEL_REP(KERNEL_STEP)                                                      \
            KERNEL_REP(KERNEL_HIDE)                                                      \
        }                                                                                \
        KERNEL_REP(KERNEL_SUM)                                                           \
        return (double)x;                                                                \
    }

#define DEFINE_FLOPS(suffix, type, vector_bytes, target)                                 \
    DEFINE_SCALAR_FLOPS(scalar_##type##_##suffix, type, target)                          \
    DEFINE_VECTOR_FLOPS(fma_##type##_##suffix, type, vector_bytes, target, 1e-10,        \
                        KERNEL_STEP)                                                     \
    DEFINE_VECTOR_FLOPS(simd_##type##_##suffix, type, vector_bytes, target, 1,           \
                        KERNEL_APART)                                                    \
    static const struct arch_flops flops_##type##_##suffix[FLOPS_KINDS] = {              \
        [FLOPS_SCALAR] = {scalar_##type##_##suffix, 2.0 * KERNEL_CHAINS},                \
        [FLOPS_SIMD] = {simd_##type##_##suffix,                                          \
                        1.0 * KERNEL_CHAINS * (vector_bytes) / sizeof(type)},            \
        [FLOPS_FMA] = {fma_##type##_##suffix,                                            \
                       2.0 * KERNEL_CHAINS * (vector_bytes) / sizeof(type)},             \
    };

/* Memory. One turn of a loop does ARCH_KERNEL_BYTES, an equal part of each piece. */
#define KERNEL_ALL_16(M)  REP_32(M)
#define KERNEL_ALL_32(M)  REP_16(M)
#define KERNEL_ALL_64(M)  REP_8(M)
#define KERNEL_HALF_16(M) REP_16(M)
#define KERNEL_HALF_32(M) REP_8(M)
#define KERNEL_HALF_64(M) REP_4(M)

#define KERNEL_AT(p, i)     (p)[(size_t)((i) / part) * piece + (i) % part]
#define KERNEL_AHEAD_P(i)   __builtin_prefetch((const char *)p + ahead + 64 * (i));
#define KERNEL_AHEAD_Y(i)   __builtin_prefetch((const char *)y + ahead + 64 * (i));
#define KERNEL_READ_TWO(i)  sum[(i) % 4] += KERNEL_AT(p, i) ^ KERNEL_AT(p, (i) + all / 2);
#define KERNEL_COPY_ONE(i)  KERNEL_AT(q, i) = KERNEL_AT(p, i);
#define KERNEL_WRITE_ONE(i) KERNEL_AT(q, i) = value;
#define KERNEL_TRIAD_ONE(i) KERNEL_AT(q, i) = KERNEL_AT(p, i) + 3.0 * KERNEL_AT(y, i);
#define KERNEL_STREAM_16(i) KERNEL_NONTEMPORAL(16, &KERNEL_AT(q, i), value);
#define KERNEL_STREAM_32(i) KERNEL_NONTEMPORAL(32, &KERNEL_AT(q, i), value);
#define KERNEL_STREAM_64(i) KERNEL_NONTEMPORAL(64, &KERNEL_AT(q, i), value);

/* Vectors in one turn, of them in each piece, and the distance from piece to piece. */
#define KERNEL_WALK(element, vector_bytes, piece_nr)                                     \
    typedef element vector __attribute__((vector_size(vector_bytes), may_alias));        \
    enum { all = ARCH_KERNEL_BYTES / (vector_bytes), part = all / (piece_nr) };          \
    const size_t piece = bytes / (vector_bytes) / (piece_nr)

#define DEFINE_LOADS(suffix, vector_bytes, target, piece_nr, ahead_bytes)                \
    target static uint64_t read_##suffix(const void *from, size_t bytes)                 \
    {                                                                                    \
        KERNEL_WALK(uint64_t, vector_bytes, piece_nr);                                   \
        const size_t ahead = (ahead_bytes);                                              \
        const vector *p = from, *end = p + piece;                                        \
        vector sum[4] = {{0}};                                                           \
        uint64_t total = 0;                                                              \
                                                                                         \
        for (; p < end; p += part) {                                                     \
            if (ahead) {                                                                 \
                REP_8(KERNEL_AHEAD_P)                                                    \
            }                                                                            \
            KERNEL_HALF_##vector_bytes(KERNEL_READ_TWO)                                  \
        }                                                                                \
        sum[0] += sum[1] + sum[2] + sum[3];                                              \
        for (size_t i = 0; i < (vector_bytes) / sizeof(uint64_t); i++)                   \
            total += sum[0][i];                                                          \
        return total;                                                                    \
    }                                                                                    \
    target static void copy_##suffix(void *to, const void *from, size_t bytes)           \
    {                                                                                    \
        KERNEL_WALK(uint64_t, vector_bytes, piece_nr);                                   \
        const size_t ahead = (ahead_bytes);                                              \
        const vector *p = from, *end = p + piece;                                        \
        vector *q = to;                                                                  \
                                                                                         \
        for (; p < end; p += part, q += part) {                                          \
            if (ahead) {                                                                 \
                REP_8(KERNEL_AHEAD_P)                                                    \
            }                                                                            \
            KERNEL_ALL_##vector_bytes(KERNEL_COPY_ONE) KERNEL_BARRIER();                 \
        }                                                                                \
    }                                                                                    \
    target static void triad_##suffix(void *to, const void *a, const void *b,            \
                                      size_t bytes)                                      \
    {                                                                                    \
        KERNEL_WALK(double, vector_bytes, piece_nr);                                     \
        const size_t ahead = (ahead_bytes);                                              \
        const vector *p = a, *y = b, *end = p + piece;                                   \
        vector *q = to;                                                                  \
                                                                                         \
        for (; p < end; p += part, y += part, q += part) {                               \
            if (ahead) {                                                                 \
                REP_8(KERNEL_AHEAD_P)                                                    \
                REP_8(KERNEL_AHEAD_Y)                                                    \
            }                                                                            \
            KERNEL_ALL_##vector_bytes(KERNEL_TRIAD_ONE) KERNEL_BARRIER();                \
        }                                                                                \
    }

#define DEFINE_STORES(suffix, vector_bytes, target, piece_nr)                            \
    target static void write_##suffix(void *to, size_t bytes)                            \
    {                                                                                    \
        KERNEL_WALK(uint64_t, vector_bytes, piece_nr);                                   \
        vector *q = to, *end = q + piece, value = (vector){0} + ARCH_KERNEL_VALUE;       \
                                                                                         \
        for (; q < end; q += part) {                                                     \
            KERNEL_ALL_##vector_bytes(KERNEL_WRITE_ONE) KERNEL_BARRIER();                \
        }                                                                                \
    }                                                                                    \
    target static void nontemporal_##suffix(void *to, size_t bytes)                      \
    {                                                                                    \
        KERNEL_WALK(uint64_t, vector_bytes, piece_nr);                                   \
        vector *q = to, *end = q + piece, value = (vector){0} + ARCH_KERNEL_VALUE;       \
                                                                                         \
        for (; q < end; q += part) {                                                     \
            KERNEL_ALL_##vector_bytes(KERNEL_STREAM_##vector_bytes)                      \
        }                                                                                \
        KERNEL_NONTEMPORAL_END();                                                        \
    }

#define DEFINE_PIECES(suffix, vector_bytes, target, piece_nr)                            \
    DEFINE_LOADS(suffix##_##piece_nr, vector_bytes, target, piece_nr, 0)                 \
    DEFINE_STORES(suffix##_##piece_nr, vector_bytes, target, piece_nr)

#define KERNEL_SET(suffix, text, vector_bytes, set, stores)                              \
    {                                                                                    \
        .name = #suffix text, .simd_bytes = (vector_bytes), .read = read_##suffix##set,  \
        .copy = copy_##suffix##set, .triad = triad_##suffix##set, stores,                \
        .has_nontemporal = KERNEL_HAS_NONTEMPORAL,                                       \
        .flops_double = flops_double_##suffix, .flops_single = flops_float_##suffix      \
    }
#define KERNEL_STORES(suffix) .write = write_##suffix, .nontemporal = nontemporal_##suffix

/* One to four pieces: more of them keep more hardware prefetchers busy. 4 KiB ahead: many
 * of those stop at the end of a page. */
enum { KERNEL_SETS = 4, KERNEL_AHEAD_BYTES = 4096 };
#define DEFINE_KERNELS(suffix, vector_bytes, target)                                     \
    DEFINE_FLOPS(suffix, double, vector_bytes, target)                                   \
    DEFINE_FLOPS(suffix, float, vector_bytes, target)                                    \
    DEFINE_PIECES(suffix, vector_bytes, target, 1)                                       \
    DEFINE_PIECES(suffix, vector_bytes, target, 2)                                       \
    DEFINE_PIECES(suffix, vector_bytes, target, 4)                                       \
    DEFINE_LOADS(suffix##_ahead, vector_bytes, target, 1, KERNEL_AHEAD_BYTES)            \
    static const struct arch_kernels kernels_##suffix[KERNEL_SETS] = {                   \
        KERNEL_SET(suffix, "", vector_bytes, _1, KERNEL_STORES(suffix##_1)),             \
        KERNEL_SET(suffix, ", 2 pieces", vector_bytes, _2, KERNEL_STORES(suffix##_2)),   \
        KERNEL_SET(suffix, ", 4 pieces", vector_bytes, _4, KERNEL_STORES(suffix##_4)),   \
        KERNEL_SET(suffix, ", prefetch", vector_bytes, _ahead, .write = NULL),           \
    }

#endif
