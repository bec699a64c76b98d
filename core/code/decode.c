#include "core/code/decode.h"

#include <capstone/capstone.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/error.h"

struct decoder {
    enum decode_arch arch;
    csh handle;
};

enum decode_arch decode_arch_here(void)
{
#if defined(__x86_64__)
    return DECODE_X86;
#elif defined(__aarch64__)
    return DECODE_ARM64;
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
    return DECODE_POWER;
#else
    return DECODE_NONE;
#endif
}

int decoder_new(enum decode_arch arch, struct decoder **out, struct error *err)
{
    static const struct {
        cs_arch arch;
        cs_mode mode;
    } of[] = {
        [DECODE_X86] = {CS_ARCH_X86, CS_MODE_64},
        [DECODE_ARM64] = {CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN},
        [DECODE_POWER] = {CS_ARCH_PPC, CS_MODE_64},
    };
    struct decoder *decoder = xcalloc(1, sizeof(*decoder));

    decoder->arch = arch;
    if (arch == DECODE_NONE ||
        cs_open(of[arch].arch, of[arch].mode, &decoder->handle) != CS_ERR_OK) {
        free(decoder);
        return fail(err, STATUS_MISSING,
                    "instructions of this processor's architecture cannot be decoded, so "
                    "they are not counted; a PMU that PAPI can read would count them");
    }
    cs_option(decoder->handle, CS_OPT_DETAIL, CS_OPT_ON);
    *out = decoder;
    return 0;
}

void decoder_free(struct decoder *decoder)
{
    if (!decoder)
        return;
    cs_close(&decoder->handle);
    free(decoder);
}

/* ---- arithmetic, told by the mnemonic ---- */

/* The text behind `start`, or NULL. */
static const char *behind(const char *text, const char *start)
{
    size_t length = strlen(start);

    return strncmp(text, start, length) == 0 ? text + length : NULL;
}

/* One of the words, longest first, at the beginning: returns what follows it. `fused`:
 * the first words, which count 2; `divides`: the last ones, which divide. */
struct operations {
    const char *const *word;
    size_t nr, fused, divides;
};

static const char *operation(const struct operations *table, const char *text,
                             struct decoded *out)
{
    for (size_t i = 0; i < table->nr; i++) {
        const char *rest = behind(text, table->word[i]);

        if (!rest)
            continue;
        out->flops = i < table->fused ? 2 : 1;
        out->divisions = i >= table->nr - table->divides;
        return rest;
    }
    return NULL;
}

static void scale(struct decoded *out, double lanes)
{
    out->flops *= lanes;
    out->divisions *= lanes;
}

static void no_arithmetic(struct decoded *out)
{
    out->flops = out->divisions = 0;
}

static double x86_register_bytes(const char *operands)
{
    return strstr(operands, "zmm") ? 64 : strstr(operands, "ymm") ? 32 : 16;
}

/* [v]addpd, vfmadd231ss, ...: operation, order of operands, packed or scalar, size. */
static void arithmetic_sse(const char *mnemonic, const char *operands,
                           struct decoded *out)
{
    static const char *const words[] = {
        "fmaddsub", "fmsubadd", "fnmadd", "fnmsub", "fmadd", "fmsub", "addsub",
        "hadd",     "hsub",     "add",    "sub",    "mul",   "div",   "sqrt"};
    static const struct operations table = {words, ARRAY_SIZE(words), 6, 2};
    const char *rest = operation(&table, mnemonic + (mnemonic[0] == 'v'), out);

    if (rest)
        rest += strspn(rest, "0123456789");
    if (rest && (rest[0] == 's' || rest[0] == 'p') && strchr("hsd", rest[1]) && rest[1] &&
        !rest[2])
        scale(out, rest[0] == 's'
                       ? 1
                       : x86_register_bytes(operands) / (rest[1] == 'd'   ? 8
                                                         : rest[1] == 's' ? 4
                                                                          : 2));
    else
        no_arithmetic(out);
}

static void arithmetic_x87(const char *mnemonic, struct decoded *out)
{
    static const char *const words[] = {"fadd",  "fsub", "fmul",  "fiadd", "fisub",
                                        "fimul", "fdiv", "fidiv", "fsqrt"};
    static const struct operations table = {words, ARRAY_SIZE(words), 0, 3};
    const char *rest = operation(&table, mnemonic, out);

    /* fsubr, fsubrp: reversed, and popped */
    if (!rest || rest[strspn(rest, "rp")])
        no_arithmetic(out);
}

static void arithmetic_x86(const char *mnemonic, const char *operands,
                           struct decoded *out)
{
    arithmetic_sse(mnemonic, operands, out);
    if (out->flops <= 0)
        arithmetic_x87(mnemonic, out);
}

/* fadd d0, ...; fmla v0.2d, ... */
static void arithmetic_arm64(const char *mnemonic, const char *operands,
                             struct decoded *out)
{
    static const char *const words[] = {"fnmadd", "fnmsub", "fmadd", "fmsub", "fmla",
                                        "fmls",   "fnmul",  "faddp", "fadd",  "fsub",
                                        "fmul",   "fabd",   "fdiv",  "fsqrt"};
    static const struct operations table = {words, ARRAY_SIZE(words), 6, 2};
    const char *rest = operation(&table, mnemonic, out), *dot;

    if (!rest || *rest) {
        no_arithmetic(out);
        return;
    }
    dot = operands[0] == 'v' ? strchr(operands, '.') : NULL;
    scale(out, dot && isdigit((unsigned char)dot[1]) ? atoi(dot + 1) : 1);
}

/* xvmaddadp, xsadddp; fmadds, fadd. */
static void arithmetic_power(const char *mnemonic, struct decoded *out)
{
    static const char *const words[] = {"nmadd", "nmsub", "madd", "msub", "add",
                                        "sub",   "mul",   "div",  "sqrt"};
    static const struct operations table = {words, ARRAY_SIZE(words), 4, 2};
    bool vector = behind(mnemonic, "xv"), vsx = vector || behind(mnemonic, "xs");
    const char *rest;

    if (!vsx && mnemonic[0] != 'f')
        return;
    rest = operation(&table, mnemonic + (vsx ? 2 : 1), out);
    if (rest && vsx && (*rest == 'a' || *rest == 'm')) /* which operand is replaced */
        rest++;
    if (rest &&
        (vsx ? !strcmp(rest, "dp") || !strcmp(rest, "sp") : !*rest || !strcmp(rest, "s")))
        scale(out, !vector ? 1 : rest[0] == 'd' ? 2 : 4);
    else
        no_arithmetic(out);
}

static void arithmetic(const struct decoder *decoder, const cs_insn *insn,
                       struct decoded *out)
{
    if (decoder->arch == DECODE_X86)
        arithmetic_x86(insn->mnemonic, insn->op_str, out);
    else if (decoder->arch == DECODE_ARM64)
        arithmetic_arm64(insn->mnemonic, insn->op_str, out);
    else
        arithmetic_power(insn->mnemonic, out);
}

/* ---- branches ---- */

static bool jumps(const struct decoder *decoder, const cs_insn *insn)
{
    if (decoder->arch == DECODE_POWER) /* not all are in the library's group */
        return insn->mnemonic[0] == 'b' && !behind(insn->mnemonic, "bpermd") &&
               !behind(insn->mnemonic, "blr");
    return cs_insn_group(decoder->handle, insn, CS_GRP_JUMP) ||
           cs_insn_group(decoder->handle, insn, CS_GRP_CALL);
}

/* A target in the code is printed as a number, behind what else the branch looks at. */
static enum decoded_branch branch_of(const struct decoder *decoder, const cs_insn *insn)
{
    const char *last = strrchr(insn->op_str, ' ');

    if (!jumps(decoder, insn))
        return BRANCH_NONE;
    last = last ? last + 1 : insn->op_str;
    last += *last == '#';
    return isdigit((unsigned char)*last) ? BRANCH_DIRECT : BRANCH_INDIRECT;
}

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(word, *list))
            return true;
    return false;
}

/* What goes to its target always, and what ends here; calls come back; other branches may
 * or may not be taken. Power's conditional returns go on, if they do not. */
static enum decoded_flow flow_of(const struct decoder *decoder, const cs_insn *insn)
{
    static const char *const jump[] = {"jmp", "ljmp", "b", "br", "ba", "bctr", NULL};
    static const char *const end[] = {"ret", "retq", "retf", "iretq", "ud2",  "hlt",
                                      "blr", "trap", "udf",  "brk",   "int3", NULL};
    static const char *const call[] = {"call",  "lcall", "bl",  "bla", "blr",
                                       "bctrl", "blrl",  "bcl", NULL};
    const char *word = insn->mnemonic;
    size_t length = strlen(word);

    if (decoder->arch == DECODE_ARM64 && !strcmp(word, "blr"))
        return FLOW_NEXT;
    if (is_one_of(word, end))
        return FLOW_END;
    if (!jumps(decoder, insn) || is_one_of(word, call))
        return FLOW_NEXT;
    if (is_one_of(word, jump))
        return FLOW_JUMP;
    if (decoder->arch == DECODE_POWER && length > 3 && !strcmp(word + length - 2, "lr"))
        return FLOW_NEXT;
    return FLOW_CONDITIONAL;
}

static uint64_t target_of(const cs_insn *insn)
{
    const char *last = strrchr(insn->op_str, ' ');

    last = last ? last + 1 : insn->op_str;
    return strtoull(last + (*last == '#'), NULL, 0);
}

static bool repeats(const struct decoder *decoder, const cs_insn *insn)
{
    return decoder->arch == DECODE_X86 && behind(insn->mnemonic, "rep");
}

struct decoded decode(const struct decoder *decoder, const uint8_t code[DECODE_BYTES],
                      uint64_t pc)
{
    struct decoded out = {.bytes = 4};
    cs_insn *insn;

    if (cs_disasm(decoder->handle, code, DECODE_BYTES, pc, 1, &insn) != 1)
        return out;
    out.known = true;
    out.bytes = insn->size;
    out.branch = branch_of(decoder, insn);
    out.flow = flow_of(decoder, insn);
    out.target = out.branch == BRANCH_DIRECT ? target_of(insn) : 0;
    out.repeats = repeats(decoder, insn);
    arithmetic(decoder, insn, &out);
    cs_free(insn, 1);
    return out;
}
