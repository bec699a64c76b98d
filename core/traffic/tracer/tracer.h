/*
 * The runtime of a tracing program (docs/internals/design.md, "Harness protocol"). Needs
 * only the C library; compiled without instrumentation with the files that
 * traffic_tracer_sources() names, linked to the instrumented kernel. The callbacks of gcc
 * -fsanitize=thread and clang -fsanitize=address (with calls for every access, see
 * variants/build/build.c), given when compiling, not when linking, arrive here; those of
 * -fsanitize=thread and -fsanitize-coverage=trace-loads,trace-stores of clang too, which
 * report less.
 *
 * The compiler must not turn loops into memcpy or memset
 * (-fno-tree-loop-distribute-patterns for gcc, -fno-builtin for clang): no callback
 * reports them. One thread is traced, the one that called tracer_start().
 *
 *     if (tracer_configure(geometry, total, budget, out))
 *         return 2;
 *     for (int calls = tracer_calls(); calls > 0; calls--) {
 *         tracer_start();
 *         kernel(...);
 *         tracer_stop();
 *     }
 *
 * Two calls are asked for when a whole call can be simulated: the first fills the caches,
 * the second counts. One when cold caches are asked for; a harness that makes one call
 * only gets the counts of that call from empty caches, too. A call of more than `budget`
 * accesses is sampled: windows spread over the call, each with a part that refills the
 * caches and is not counted; in between accesses are only counted. The program ends
 * inside the call, exit 0, when nothing is left to learn.
 */
#ifndef CORE_TRAFFIC_TRACER_H
#define CORE_TRAFFIC_TRACER_H

#include <stddef.h>
#include <stdint.h>

/*
 * geometry: words "name=value" with spaces between them, made by trace.c:
 *   line=64 page=4096 tlb=1536 streams=16   as in struct cache_geometry; -1 = none
 *   level=BYTES:WAYS:FOLDED[:INCLUSION[:COPIES]]  once per level, L1 first; numbers as
 *                                                 there
 *   overwritten=0|1                         look for lines whose read can be evaded
 *   plain=0|1                               count as two-level simulators do
 *   limit=SECONDS                       of processor time, from here on; then the program
 *                                       ends, 0 = none
 *   wall=SECONDS                        likewise, of the clock on the wall
 *   cold=0|1                                one call, from empty caches
 *   other=1                             behind all others: the levels that follow are
 *                                       those of a further cache that sees the same
 *                                       accesses; two at most
 * total: accesses of one call as the loop model has it, 0 = unknown: then one call is
 * traced up to the budget. budget: accesses to be simulated, 0
 * = 6e7. Returns 0, or -1 after a sentence on stderr.
 */
int tracer_configure(const char *geometry, double total, double budget, const char *out);
/* An array whose accesses are to be told apart; after tracer_configure(). */
void tracer_array(const char *name, const void *base, size_t bytes);
/* The same for one field of an array of structs: of each `record_bytes` the `field_bytes`
 * from `offset` on. */
void tracer_field(const char *name, const void *base, size_t bytes, size_t record_bytes,
                  size_t offset, size_t field_bytes);
int tracer_calls(void);
void tracer_start(void);
void tracer_stop(void); /* writes the file */

/* What no callback reports; the harness's macros call these. rw and locality as in
 * __builtin_prefetch: 3 and 0 go to L1, 2 and 1 to L2. A copy counts as one load and one
 * store per line. A non-temporal store is announced BEFORE the plain store that does it
 * in the traced program; that store is then not seen. */
void tracer_prefetch(const void *address, int rw, int locality);
void tracer_nontemporal_store(const void *address, size_t bytes);
void tracer_copy(const void *destination, const void *source, size_t bytes);
void tracer_set(const void *destination, size_t bytes); /* one store per line */
/* Accesses of vector intrinsics that the compiler does not report at all: no plain access
 * follows. */
void tracer_read(const void *address, size_t bytes);
void tracer_write(const void *address, size_t bytes);
void tracer_nontemporal(const void *address, size_t bytes);
/* The same on behalf of the code that `pc` returns to, for what stands between it and the
 * tracer. */
void tracer_copy_from(uintptr_t pc, const void *destination, const void *source,
                      size_t bytes);
void tracer_set_from(uintptr_t pc, const void *destination, size_t bytes);
void tracer_write_from(uintptr_t pc, const void *address, size_t bytes);

#endif
