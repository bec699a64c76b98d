/* What one instruction is, and how branches are foreseen. */
#include <stdlib.h>
#include <string.h>

#include "core/run/run_parts.h"
#include "tests/check.h"

SUITE(run_predict);

/* ---- instructions ---- */

struct sample {
    enum decode_arch arch;
    const char *what;
    uint8_t code[DECODE_BYTES];
    unsigned bytes;
    double flops, divisions;
    enum decoded_branch branch;
};

static const struct sample samples[] = {
    {DECODE_X86, "vfmadd231pd zmm", {0x62, 0xf2, 0xed, 0x48, 0xb8, 0xd9}, 6, 16, 0, 0},
    {DECODE_X86, "masked, 1to8", {0x62, 0xf2, 0xed, 0x59, 0xb8, 0x18}, 6, 16, 0, 0},
    {DECODE_X86, "vaddpd ymm", {0xc5, 0xed, 0x58, 0xd9}, 4, 4, 0, 0},
    {DECODE_X86, "vmulsd", {0xc5, 0xeb, 0x59, 0xd9}, 4, 1, 0, 0},
    {DECODE_X86, "addps xmm", {0x0f, 0x58, 0xd1}, 3, 4, 0, 0},
    {DECODE_X86, "vdivpd zmm", {0x62, 0xf1, 0xed, 0x48, 0x5e, 0xd9}, 6, 8, 8, 0},
    {DECODE_X86, "sqrtsd", {0xf2, 0x0f, 0x51, 0xd1}, 4, 1, 1, 0},
    {DECODE_X86, "vfnmadd132ss", {0xc4, 0xe2, 0x69, 0x9d, 0xd9}, 5, 2, 0, 0},
    {DECODE_X86, "vhaddpd xmm", {0xc5, 0xe9, 0x7c, 0xd9}, 4, 2, 0, 0},
    {DECODE_X86, "vaddsubpd ymm", {0xc5, 0xed, 0xd0, 0xd9}, 4, 4, 0, 0},
    {DECODE_X86, "vaddph zmm", {0x62, 0xf5, 0x6c, 0x48, 0x58, 0xd9}, 6, 32, 0, 0},
    {DECODE_X86, "vfmaddcph", {0x62, 0xf6, 0x6e, 0x48, 0x56, 0xd9}, 6, 128, 0, 0},
    {DECODE_X86, "fmulp", {0xde, 0xc9}, 2, 1, 0, 0},
    {DECODE_X86, "fdiv", {0xd8, 0x30}, 2, 1, 1, 0},
    {DECODE_X86, "integer mul", {0x48, 0xf7, 0xe1}, 3, 0, 0, 0},
    {DECODE_X86, "integer div", {0x48, 0xf7, 0xf1}, 3, 0, 0, 0},
    {DECODE_X86, "integer sub", {0x48, 0x83, 0xe8, 0x01}, 4, 0, 0, 0},
    {DECODE_X86, "vpaddq zmm", {0x62, 0xf1, 0xed, 0x48, 0xd4, 0xd9}, 6, 0, 0, 0},
    {DECODE_X86, "vmaxpd", {0xc5, 0xed, 0x5f, 0xd9}, 4, 0, 0, 0},
    {DECODE_X86, "jne", {0x75, 0xfe}, 2, 0, 0, BRANCH_DIRECT},
    {DECODE_X86, "jmp rax", {0xff, 0xe0}, 2, 0, 0, BRANCH_INDIRECT},
    {DECODE_X86, "jmp [rip]", {0xff, 0x25, 1, 0, 0, 0}, 6, 0, 0, BRANCH_INDIRECT},
    {DECODE_X86, "loop", {0xe2, 0xfe}, 2, 0, 0, BRANCH_DIRECT},
    {DECODE_X86, "call [rax]", {0xff, 0x10}, 2, 0, 0, BRANCH_INDIRECT},
    {DECODE_X86, "ret", {0xc3}, 1, 0, 0, BRANCH_NONE},
    {DECODE_ARM64, "fmadd d", {0x61, 0x08, 0x41, 0x1f}, 4, 2, 0, 0},
    {DECODE_ARM64, "fsqrt d", {0x40, 0xc0, 0x61, 0x1e}, 4, 1, 1, 0},
    {DECODE_ARM64, "fmla 2d", {0x01, 0xcc, 0x62, 0x4e}, 4, 4, 0, 0},
    {DECODE_ARM64, "fdiv 4s", {0x20, 0xfc, 0x20, 0x6e}, 4, 4, 4, 0},
    {DECODE_ARM64, "subs", {0x6b, 0x11, 0x00, 0xf1}, 4, 0, 0, 0},
    {DECODE_ARM64, "b.ne", {0xe1, 0xfe, 0xff, 0x54}, 4, 0, 0, BRANCH_DIRECT},
    {DECODE_POWER, "xsmaddadp", {0x08, 0x11, 0x01, 0xf0}, 4, 2, 0, 0},
    {DECODE_POWER, "xssqrtdp", {0x2c, 0x19, 0x20, 0xf0}, 4, 1, 1, 0},
    {DECODE_POWER, "xvmaddadp", {0x08, 0x03, 0x21, 0xf1}, 4, 4, 0, 0},
    {DECODE_POWER, "stfd", {0xf8, 0xff, 0xe1, 0xdb}, 4, 0, 0, 0},
    {DECODE_POWER, "bdnz", {0x74, 0xff, 0x00, 0x42}, 4, 0, 0, BRANCH_DIRECT},
};

TEST("instructions are told apart")
{
    for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
        const struct sample *sample = &samples[i];
        struct decoder *decoder = NULL;
        struct error err = {0};
        struct decoded got;
        char *text, *want;

        if (!check_ok(decoder_new(sample->arch, &decoder, &err), &err))
            continue;
        got = decode(decoder, sample->code, 0x1000);
        text = xasprintf("%s: %u bytes, %g flops, %g divisions, branch %d", sample->what,
                         got.bytes, got.flops, got.divisions, (int)got.branch);
        want = xasprintf("%s: %u bytes, %g flops, %g divisions, branch %d", sample->what,
                         sample->bytes, sample->flops, sample->divisions,
                         (int)sample->branch);
        check(got.known);
        check_str(text, want);
        free(text);
        free(want);
        decoder_free(decoder);
    }
}

TEST("what cannot be decoded is said")
{
    static const uint8_t nothing[DECODE_BYTES] = {0};
    struct decoder *decoder = NULL;
    struct error err = {0};

    if (!check_ok(decoder_new(DECODE_ARM64, &decoder, &err), &err))
        return;
    check(!decode(decoder, nothing, 0).known);
    check_eq(decode(decoder, nothing, 0).bytes, 4);
    decoder_free(decoder);
    check_fails(decoder_new(DECODE_NONE, &decoder, &err), &err, STATUS_MISSING,
                "cannot be decoded");
}

/* ---- branches ---- */

static uint32_t random_next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* Misses among the second half of `nr` executions; what(i) says if it is taken. */
static size_t misses(size_t nr, bool (*what)(size_t i, uint32_t *state))
{
    struct perceptron perceptron = {0};
    struct branch_history history = {0};
    uint32_t state = 1;
    size_t missed = 0;

    for (size_t i = 0; i < nr; i++) {
        bool foreseen = predict(&perceptron, &history, what(i, &state));

        missed += i >= nr / 2 && !foreseen;
    }
    return missed;
}

static bool always(size_t i, uint32_t *state)
{
    return (void)i, (void)state, true;
}

static bool never(size_t i, uint32_t *state)
{
    return (void)i, (void)state, false;
}

static bool seven_of_eight(size_t i, uint32_t *state)
{
    return (void)state, i % 8 != 7;
}

static bool ninety_nine_of_a_hundred(size_t i, uint32_t *state)
{
    return (void)state, i % 100 != 99;
}

static bool all_but_one_of_two_thousand(size_t i, uint32_t *state)
{
    return (void)state, i % 2000 != 1999;
}

static bool coin(size_t i, uint32_t *state)
{
    return (void)i, random_next(state) & 1;
}

static bool one_in_ten(size_t i, uint32_t *state)
{
    return (void)i, random_next(state) % 10 == 0;
}

TEST("regular branches are foreseen")
{
    static const struct {
        bool (*what)(size_t i, uint32_t *state);
        size_t min, max; /* of 10000 */
    } cases[] = {
        {always, 0, 0},
        {never, 0, 0},
        {seven_of_eight, 0, 0},
        {ninety_nine_of_a_hundred, 0, 0}, /* longer than the history, but counted */
        {all_but_one_of_two_thousand, 5, 5},
        {coin, 4500, 5500},
        {one_in_ten, 900, 1500},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        size_t got = misses(20000, cases[i].what);

        check(got >= cases[i].min);
        check(got <= cases[i].max);
    }
}
