/* The names by which compilers report loads and stores. */
#include "core/traffic/tracer/tracer.h"
#include "core/traffic/tracer/tracer_hot.h"
#include "core/traffic/tracer/tracer_state.h"

/* The first access of a phase, or one of another thread. */
static __attribute__((noinline)) void look_again(const void *address, uint64_t bytes,
                                                 uintptr_t pc, bool store)
{
    struct cache_part *part;

    if (!tracer_looks())
        return;
    part = tracer_part(pc, (uintptr_t)address);
    if (store)
        tracer_simulate_store(part, (uintptr_t)address, bytes);
    else
        tracer_simulate_load(part, (uintptr_t)address, bytes);
}

/* Other caches see it too. */
static __attribute__((noinline)) void look_apart(const void *address, uint64_t bytes,
                                                 struct cache_part *part, bool store)
{
    if (store)
        tracer_simulate_store(part, (uintptr_t)address, bytes);
    else
        tracer_simulate_load(part, (uintptr_t)address, bytes);
}

/* The program will make the access itself in a moment: what it has to wait for is fetched
 * while it is simulated. What is rare stands in functions of its own, called last, so
 * that the usual access saves no registers. */

void tracer_look_load(const void *address, uint64_t bytes, uintptr_t pc)
{
    const struct tracer_site *site = tracer_site_of(pc);

    __builtin_prefetch(address);
    if (!tracer_here || tracer_hot.left == 0 ||
        !tracer_site_is(site, pc, (uintptr_t)address)) {
        look_again(address, bytes, pc, false);
        return;
    }
    tracer_hot.left--;
    if (tracer_apart_nr)
        look_apart(address, bytes, site->part, false);
    else
        cache_model_load(&tracer_hot.model, site->part, (uintptr_t)address, bytes);
}

void tracer_look_store(const void *address, uint64_t bytes, uintptr_t pc)
{
    const struct tracer_site *site = tracer_site_of(pc);

    __builtin_prefetch(address);
    if ((uintptr_t)address - tracer_hot.announced < tracer_hot.announced_bytes) {
        tracer_announced_store((uintptr_t)address, bytes);
        return;
    }
    if (!tracer_here || tracer_hot.left == 0 ||
        !tracer_site_is(site, pc, (uintptr_t)address)) {
        look_again(address, bytes, pc, true);
        return;
    }
    tracer_hot.left--;
    if (tracer_apart_nr)
        look_apart(address, bytes, site->part, true);
    else
        cache_model_store(&tracer_hot.model, site->part, (uintptr_t)address, bytes);
}

/* clang -fsanitize-coverage */

#define COVERAGE(bytes)                                                                  \
    void __sanitizer_cov_load##bytes(const void *address);                               \
    void __sanitizer_cov_store##bytes(const void *address);                              \
    void __sanitizer_cov_load##bytes(const void *address)                                \
    {                                                                                    \
        tracer_load(address, bytes, FROM);                                               \
    }                                                                                    \
    void __sanitizer_cov_store##bytes(const void *address)                               \
    {                                                                                    \
        tracer_store(address, bytes, FROM);                                              \
    }

COVERAGE(1)
COVERAGE(2)
COVERAGE(4)
COVERAGE(8)
COVERAGE(16)

void __sanitizer_cov_trace_pc_guard(unsigned *guard);
void __sanitizer_cov_trace_pc_guard_init(unsigned *start, unsigned *stop);

void __sanitizer_cov_trace_pc_guard(unsigned *guard)
{
    (void)guard;
}

void __sanitizer_cov_trace_pc_guard_init(unsigned *start, unsigned *stop)
{
    (void)start;
    (void)stop;
}

/* clang -fsanitize=address, with calls for every access; `N` is any other width. */

#define ADDRESS(bytes)                                                                   \
    void __asan_load##bytes(const void *address);                                        \
    void __asan_store##bytes(const void *address);                                       \
    void __asan_load##bytes(const void *address)                                         \
    {                                                                                    \
        tracer_load(address, bytes, FROM);                                               \
    }                                                                                    \
    void __asan_store##bytes(const void *address)                                        \
    {                                                                                    \
        tracer_store(address, bytes, FROM);                                              \
    }

ADDRESS(1)
ADDRESS(2)
ADDRESS(4)
ADDRESS(8)
ADDRESS(16)

void __asan_loadN(const void *address, size_t bytes);
void __asan_storeN(const void *address, size_t bytes);
void *__asan_memcpy(void *destination, const void *source, size_t bytes);
void *__asan_memmove(void *destination, const void *source, size_t bytes);
void *__asan_memset(void *destination, int value, size_t bytes);
void __asan_init(void);
void __asan_version_mismatch_check_v8(void);
void __asan_handle_no_return(void);

void __asan_loadN(const void *address, size_t bytes)
{
    tracer_load(address, bytes, FROM);
}

void __asan_storeN(const void *address, size_t bytes)
{
    tracer_store(address, bytes, FROM);
}

void *__asan_memcpy(void *destination, const void *source, size_t bytes)
{
    tracer_copy_from(FROM, destination, source, bytes);
    return __builtin_memcpy(destination, source, bytes);
}

void *__asan_memmove(void *destination, const void *source, size_t bytes)
{
    tracer_copy_from(FROM, destination, source, bytes);
    return __builtin_memmove(destination, source, bytes);
}

void *__asan_memset(void *destination, int value, size_t bytes)
{
    tracer_set_from(FROM, destination, bytes);
    return __builtin_memset(destination, value, bytes);
}

void __asan_init(void)
{
    tracer_instrumented = true;
}

void __asan_version_mismatch_check_v8(void) {}

void __asan_handle_no_return(void) {}

/* gcc and clang -fsanitize=thread */

#define THREAD_ACCESS(prefix, bytes)                                                     \
    void __tsan_##prefix##read##bytes(const void *address);                              \
    void __tsan_##prefix##write##bytes(const void *address);                             \
    void __tsan_##prefix##read##bytes(const void *address)                               \
    {                                                                                    \
        tracer_load(address, bytes, FROM);                                               \
    }                                                                                    \
    void __tsan_##prefix##write##bytes(const void *address)                              \
    {                                                                                    \
        tracer_store(address, bytes, FROM);                                              \
    }
#define THREAD_BOTH(prefix, bytes)                                                       \
    THREAD_ACCESS(prefix, bytes)                                                         \
    void __tsan_##prefix##read_write##bytes(const void *address);                        \
    void __tsan_##prefix##read_write##bytes(const void *address)                         \
    {                                                                                    \
        tracer_load(address, bytes, FROM);                                               \
        tracer_store(address, bytes, FROM);                                              \
    }

THREAD_BOTH(, 1)
THREAD_BOTH(, 2)
THREAD_BOTH(, 4)
THREAD_BOTH(, 8)
THREAD_BOTH(, 16)
THREAD_BOTH(unaligned_, 2)
THREAD_BOTH(unaligned_, 4)
THREAD_BOTH(unaligned_, 8)
THREAD_BOTH(unaligned_, 16)
THREAD_ACCESS(volatile_, 1)
THREAD_ACCESS(volatile_, 2)
THREAD_ACCESS(volatile_, 4)
THREAD_ACCESS(volatile_, 8)
THREAD_ACCESS(volatile_, 16)
THREAD_ACCESS(unaligned_volatile_, 2)
THREAD_ACCESS(unaligned_volatile_, 4)
THREAD_ACCESS(unaligned_volatile_, 8)
THREAD_ACCESS(unaligned_volatile_, 16)

void __tsan_read_range(const void *address, size_t bytes);
void __tsan_write_range(const void *address, size_t bytes);
void __tsan_init(void);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);
void __tsan_vptr_read(const void *address);
void __tsan_vptr_update(const void *address, const void *value);
void *__tsan_memcpy(void *destination, const void *source, size_t bytes);
void *__tsan_memmove(void *destination, const void *source, size_t bytes);
void *__tsan_memset(void *destination, int value, size_t bytes);

void __tsan_read_range(const void *address, size_t bytes)
{
    tracer_load(address, bytes, FROM);
}

void __tsan_write_range(const void *address, size_t bytes)
{
    tracer_store(address, bytes, FROM);
}

void __tsan_init(void)
{
    tracer_instrumented = true;
}

void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void) {}

void __tsan_vptr_read(const void *address)
{
    tracer_load(address, sizeof(void *), FROM);
}

void __tsan_vptr_update(const void *address, const void *value)
{
    (void)value;
    tracer_store(address, sizeof(void *), FROM);
}

void *__tsan_memcpy(void *destination, const void *source, size_t bytes)
{
    tracer_copy_from(FROM, destination, source, bytes);
    return __builtin_memcpy(destination, source, bytes);
}

void *__tsan_memmove(void *destination, const void *source, size_t bytes)
{
    tracer_copy_from(FROM, destination, source, bytes);
    return __builtin_memmove(destination, source, bytes);
}

void *__tsan_memset(void *destination, int value, size_t bytes)
{
    tracer_set_from(FROM, destination, bytes);
    return __builtin_memset(destination, value, bytes);
}

/* Atomics: done with the strongest order, counted as one load, one store or both. */

#define ATOMIC_UPDATE(bits, type, name)                                                  \
    type __tsan_atomic##bits##_##name(volatile type *address, type value, int order);    \
    type __tsan_atomic##bits##_##name(volatile type *address, type value, int order)     \
    {                                                                                    \
        (void)order;                                                                     \
        tracer_load((const void *)address, sizeof(type), FROM);                          \
        tracer_store((const void *)address, sizeof(type), FROM);                         \
        return ATOMIC_##name(address, value);                                            \
    }
#define ATOMIC_exchange(address, value)                                                  \
    __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST)
#define ATOMIC_fetch_add(address, value)                                                 \
    __atomic_fetch_add(address, value, __ATOMIC_SEQ_CST)
#define ATOMIC_fetch_sub(address, value)                                                 \
    __atomic_fetch_sub(address, value, __ATOMIC_SEQ_CST)
#define ATOMIC_fetch_and(address, value)                                                 \
    __atomic_fetch_and(address, value, __ATOMIC_SEQ_CST)
#define ATOMIC_fetch_or(address, value)                                                  \
    __atomic_fetch_or(address, value, __ATOMIC_SEQ_CST)
#define ATOMIC_fetch_xor(address, value)                                                 \
    __atomic_fetch_xor(address, value, __ATOMIC_SEQ_CST)

#define ATOMIC_COMPARE(bits, type, strength)                                             \
    int __tsan_atomic##bits##_compare_exchange_##strength(                               \
        volatile type *address, type *expected, type value, int order, int failed);      \
    int __tsan_atomic##bits##_compare_exchange_##strength(                               \
        volatile type *address, type *expected, type value, int order, int failed)       \
    {                                                                                    \
        (void)order;                                                                     \
        (void)failed;                                                                    \
        tracer_load((const void *)address, sizeof(type), FROM);                          \
        tracer_store((const void *)address, sizeof(type), FROM);                         \
        return __atomic_compare_exchange_n(address, expected, value, 0,                  \
                                           __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);          \
    }

#define ATOMIC(bits, type)                                                               \
    type __tsan_atomic##bits##_load(const volatile type *address, int order);            \
    void __tsan_atomic##bits##_store(volatile type *address, type value, int order);     \
    type __tsan_atomic##bits##_compare_exchange_val(                                     \
        volatile type *address, type expected, type value, int order, int failed);       \
    type __tsan_atomic##bits##_load(const volatile type *address, int order)             \
    {                                                                                    \
        (void)order;                                                                     \
        tracer_load((const void *)address, sizeof(type), FROM);                          \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                               \
    }                                                                                    \
    void __tsan_atomic##bits##_store(volatile type *address, type value, int order)      \
    {                                                                                    \
        (void)order;                                                                     \
        tracer_store((const void *)address, sizeof(type), FROM);                         \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                              \
    }                                                                                    \
    ATOMIC_UPDATE(bits, type, exchange)                                                  \
    ATOMIC_UPDATE(bits, type, fetch_add)                                                 \
    ATOMIC_UPDATE(bits, type, fetch_sub)                                                 \
    ATOMIC_UPDATE(bits, type, fetch_and)                                                 \
    ATOMIC_UPDATE(bits, type, fetch_or)                                                  \
    ATOMIC_UPDATE(bits, type, fetch_xor)                                                 \
    ATOMIC_COMPARE(bits, type, strong)                                                   \
    ATOMIC_COMPARE(bits, type, weak)                                                     \
    type __tsan_atomic##bits##_compare_exchange_val(                                     \
        volatile type *address, type expected, type value, int order, int failed)        \
    {                                                                                    \
        __tsan_atomic##bits##_compare_exchange_strong(address, &expected, value, order,  \
                                                      failed);                           \
        return expected;                                                                 \
    }

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_signal_fence(int order);

void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
