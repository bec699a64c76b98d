/* Every kind of access is seen by the tracer, whoever compiles: bytes issued, and what
 * that moves, of kernels whose figures are known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/traffic/traffic.h"
#include "tests/check.h"
#include "tests/variants/harness_kernels.h"
#include "variants/kernel/kernel.h"

SUITE(variants_traced);

/* Bytes of one iteration. */
struct kind {
    const char *name;
    int issued; /* 0: compilers differ (padding, read-modify-write) */
    int read, written, nontemporal;
};

static const struct kind plain[] = {
    {"chars", 2, 2, 1, 0},
    {"shorts", 4, 4, 2, 0},
    {"ints", 8, 8, 4, 0},
    {"doubles", 16, 16, 8, 0},
    {"updates", 24, 16, 8, 0},
    {"long_doubles", 0, 32, 16, 0},
    {"complexes", 32, 32, 16, 0},
    {"wide_integers", 32, 32, 16, 0},
    {"volatiles", 16, 16, 8, 0},
    {"odd_addresses", 16, 18, 9, 0},
    {"vectors_2", 32, 32, 16, 0},
    {"vectors_4", 64, 64, 32, 0},
    {"vectors_8", 128, 128, 64, 0},
    {"vectors_unaligned", 64, 66, 33, 0},
    {"structs", 48, 48, 24, 0},
    {"big_structs", 512, 512, 256, 0},
    {"bit_fields", 0, 4, 4, 0},
    {"atomics", 0, 8, 8, 0},
    {"copies", 200, 200, 100, 0},
    {"builtin_copies", 200, 200, 100, 0},
    {"checked_copies", 200, 200, 100, 0},
    {"moves", 200, 200, 100, 0},
    {"fills", 100, 100, 100, 0},
    {"builtin_fills", 100, 100, 100, 0},
    {"prefetches", 16, 16, 8, 0},
};
static const struct kind sse2[] = {
    {"loads_128", 32, 32, 16, 0},       {"streams_128", 32, 16, 0, 16},
    {"streams_integer", 32, 16, 0, 16}, {"streams_64", 16, 8, 0, 8},
    {"streams_32", 8, 4, 0, 4},         {"hints", 16, 16, 8, 0},
};
static const struct kind avx2[] = {
    {"loads_256", 64, 64, 32, 0},      {"loads_unaligned", 64, 64, 32, 0},
    {"streams_256", 64, 32, 0, 32},    {"streams_256_integer", 64, 32, 0, 32},
    {"masked_256", 32, 64, 32, 0},     {"gathers_256", 64, 64, 32, 0},
    {"gathers_masked", 48, 64, 32, 0},
};
static const struct kind avx512[] = {
    {"loads_512", 128, 128, 64, 0},   {"streams_512", 128, 64, 0, 64},
    {"masked_512", 64, 128, 64, 0},   {"packed_512", 96, 128, 64, 0},
    {"gathers_512", 128, 128, 64, 0}, {"scatters_512", 128, 128, 64, 0},
};

/* Written arrays alone exceed these caches. */
static const struct traffic_geometry tiny = {
    .line_bytes = 64,
    .level_nr = 2,
    .level = {{.bytes = 4096, .ways = 8}, {.bytes = 16384, .ways = 8}},
    .page_bytes = 4096,
    .store_read_factor = 1,
};

/* A traced kernel is compiled for the instruction set that these flags say. */
static char *build_native(struct kernel *kernel, const struct toolchain *toolchain)
{
    struct toolchain native = *toolchain;
    char *program;

    native.flags = (struct strvec){0};
    strvec_split(&native.flags, "-O2 -march=native");
    program = fixture_build(kernel, NULL, &native, VARIANT_TRACE);
    strvec_release(&native.flags);
    return program;
}

static struct kernel *open_kind(const char *file, const struct kind *kind, size_t at,
                                long n)
{
    struct kernel_request request = {0};
    struct kernel *kernel = NULL;
    struct error err = {0};
    char *path = fixture_data(file);
    long widest = kind->read > kind->nontemporal ? kind->read : kind->nontemporal;

    request.path = path;
    strvec_pushf(&request.words, "set n = %ld", n);
    strvec_pushf(&request.words, "set kind = %zu", at);
    strvec_pushf(&request.words, "set m = %ld", n * widest / 8 + 128);
    if (!check_ok(kernel_open(&request, &kernel, &err), &err) ||
        !check_ok(kernel_bind(kernel, &err), &err)) {
        kernel_free(kernel);
        kernel = NULL;
    }
    strvec_release(&request.words);
    free(path);
    return kernel;
}

static bool trace(struct kernel *kernel, const char *program, struct traffic *traffic)
{
    struct strvec args = {0};
    struct error err = {0};
    struct traffic_trace_request request = {.program = program,
                                            .args = &args,
                                            .geometry = tiny,
                                            .scratch = fixture_dir(),
                                            .cpu = -1};
    bool done;

    variant_args(kernel, &args);
    done = check_ok(traffic_trace(&request, traffic, &err), &err);
    strvec_release(&args);
    return done;
}

static void say(bool good, const struct toolchain *toolchain, const struct kind *kind)
{
    if (!good)
        fprintf(stderr, "    (%s, %s)\n", kind->name, toolchain->compiler);
}

/* kind: at this place of its table. */
static void check_kind(const char *file, const struct kind *kind, size_t at,
                       const struct toolchain *toolchain)
{
    long n = kind->written > 16 || kind->nontemporal > 16 ? 5000 : 40000;
    struct kernel *kernel = open_kind(file, kind, at, n);
    char *program = kernel ? build_native(kernel, toolchain) : NULL;
    struct traffic traffic = {0};
    double nr = (double)n;

    if (program && trace(kernel, program, &traffic)) {
        bool good = true;

        if (kind->issued)
            good &= check_near(traffic.bytes.value, nr * kind->issued, 0.001);
        good &= check_near(traffic_read_bytes(&traffic).value, nr * kind->read, 0.02);
        good &=
            check_near(traffic.edge[1].writebacks.value * 64, nr * kind->written, 0.02);
        good &= check_near(traffic.nontemporal_lines.value * 64, nr * kind->nontemporal,
                           0.02);
        say(good, toolchain, kind);
    }
    traffic_release(&traffic);
    free(program);
    kernel_free(kernel);
}

static void check_kinds(const char *file, const struct kind *kind, size_t kind_nr)
{
    const struct toolchain *toolchain;
    size_t nr = fixture_toolchains(&toolchain);

    for (size_t i = 0; i < nr; i++)
        for (size_t k = 0; k < kind_nr; k++)
            check_kind(file, &kind[k], k, &toolchain[i]);
}

TEST("every access of plain C is seen")
{
    check_kinds("accesses.c", plain, ARRAY_SIZE(plain));
}

#ifdef __x86_64__
#define CPU_HAS(what) __builtin_cpu_supports(what)
#else
#define CPU_HAS(what) false
#endif

TEST("accesses of SSE2 intrinsics are seen")
{
    if (!CPU_HAS("sse2"))
        check_skip("this CPU has no SSE2");
    else
        check_kinds("accesses_sse2.c", sse2, ARRAY_SIZE(sse2));
}

TEST("accesses of AVX2 intrinsics are seen")
{
    if (!CPU_HAS("avx2"))
        check_skip("this CPU has no AVX2");
    else
        check_kinds("accesses_avx2.c", avx2, ARRAY_SIZE(avx2));
}

TEST("accesses of AVX-512 intrinsics are seen")
{
    if (!CPU_HAS("avx512f"))
        check_skip("this CPU has no AVX-512");
    else
        check_kinds("accesses_avx512.c", avx512, ARRAY_SIZE(avx512));
}
