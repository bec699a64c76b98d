/* The loops behind the roofs of arithmetic are what they are called: how many operations
 * one instruction of their machine code does. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/code/code.h"
#include "core/machine/arch.h"
#include "tests/check.h"

/* Of instructions that compute. */
struct found {
    double most; /* operations of one */
    size_t of_most; /* that do so many */
};

/* From the first instruction to the return; the loop lies between. An instruction that
 * the decoder does not know (broadcasts of AVX-512) is passed over. */
static void walk(const struct decoder *decoder, double (*run)(size_t rounds),
                 struct found *found)
{
    const size_t bytes_max = 1 << 14; /* far beyond any of them */
    uintptr_t start = (uintptr_t)run;
    struct decoded one = {0};

    *found = (struct found){0};
    for (uintptr_t at = start; at < start + bytes_max && one.flow != FLOW_END;
         at += one.bytes) {
        uint8_t code[DECODE_BYTES];

        memcpy(code, (const void *)at, sizeof(code));
        one = decode(decoder, code, at);
        found->of_most = one.flops > found->most    ? 1
                         : one.flops == found->most ? found->of_most + 1
                                                    : found->of_most;
        found->most = fmax(found->most, one.flops);
    }
    check_eq(one.flow, FLOW_END);
}

/* Elements of a vector; a fused multiply-add is two operations. */
static void check_kernels(const struct decoder *decoder, const struct arch_flops *flops,
                          double elements)
{
    struct found scalar, simd, fma;

    walk(decoder, flops[FLOPS_SCALAR].run, &scalar);
    walk(decoder, flops[FLOPS_SIMD].run, &simd);
    walk(decoder, flops[FLOPS_FMA].run, &fma);
    check(scalar.most == 1 || scalar.most == 2);
    check_near(simd.most, elements, 0);
    check(fma.most == elements || fma.most == 2 * elements);
    check_near(fma.most, elements * scalar.most, 0); /* both fused, or none */
    check(scalar.most * (double)scalar.of_most >= flops[FLOPS_SCALAR].each);
    check(simd.most * (double)simd.of_most >= flops[FLOPS_SIMD].each);
    check(fma.most * (double)fma.of_most >= flops[FLOPS_FMA].each);
}

static void scalar_loops_hold_no_vectors(void)
{
    struct decoder *decoder = NULL;
    struct error err = {0};

    if (decode_arch_here() == DECODE_NONE ||
        decoder_new(decode_arch_here(), &decoder, &err)) {
        check_skip("machine code of this architecture cannot be read");
        return;
    }
    for (size_t i = 0; i < arch_kernels_nr(); i++) {
        const struct arch_kernels *kernels = arch_kernels_at(i);

        check_kernels(decoder, kernels->flops_double, kernels->simd_bytes / 8.0);
        check_kernels(decoder, kernels->flops_single, kernels->simd_bytes / 4.0);
    }
    decoder_free(decoder);
}

CU_TestInfo machine_flops_tests[] = {
    {"scalar loops hold no vectors", scalar_loops_hold_no_vectors},
    CU_TEST_INFO_NULL,
};
