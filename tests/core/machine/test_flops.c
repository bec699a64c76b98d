/* The loop behind the roof of "one element at a time" is what it is called: how many
 * operations one instruction of its machine code does. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/code/code.h"
#include "core/machine/topology/arch.h"
#include "tests/check.h"

SUITE(machine_flops);

/* Operations. */
struct found {
    double max; /* of one instruction */
    double all;
};

/* From the first instruction to the return; the loop lies between. */
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
        if (!check(one.known))
            return;
        found->max = fmax(found->max, one.flops);
        found->all += one.flops;
    }
    check_eq(one.flow, FLOW_END);
}

/* A fused multiply-add is two operations. */
static void check_scalar(const struct decoder *decoder, const struct arch_flops *scalar)
{
    struct found found;

    walk(decoder, scalar->run, &found);
    check(found.max == 1 || found.max == 2);
    check(found.all >= scalar->each);
}

TEST("scalar loops hold no vectors")
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

        check_scalar(decoder, &kernels->flops_double[FLOPS_SCALAR]);
        check_scalar(decoder, &kernels->flops_single[FLOPS_SCALAR]);
    }
    decoder_free(decoder);
}
