#include "core/code/decode.h"

#include <capstone/capstone.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/error.h"
#include "core/code/decode_parts.h"

struct decoder {
    enum decode_arch arch;
    csh handle; /* 0 = of x86-64, for which Zydis needs none */
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
        [DECODE_ARM64] = {CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN},
        [DECODE_POWER] = {CS_ARCH_PPC, CS_MODE_64},
    };
    struct decoder *decoder = xcalloc(1, sizeof(*decoder));

    decoder->arch = arch;
    if (arch == DECODE_NONE ||
        (arch != DECODE_X86 &&
         cs_open(of[arch].arch, of[arch].mode, &decoder->handle) != CS_ERR_OK)) {
        free(decoder);
        return fail(err, STATUS_MISSING,
                    "instructions of this processor's architecture cannot be decoded, so "
                    "they are not counted; a PMU that PAPI can read would count them");
    }
    if (decoder->handle)
        cs_option(decoder->handle, CS_OPT_DETAIL, CS_OPT_ON);
    *out = decoder;
    return 0;
}

void decoder_free(struct decoder *decoder)
{
    if (!decoder)
        return;
    if (decoder->handle)
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
    if (decoder->arch == DECODE_ARM64)
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

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(word, *list))
            return true;
    return false;
}

static const char *const calls[] = {"bl", "bla", "blr", "bctrl", "blrl", "bcl", NULL};

/* What goes to its target always, and what ends here; calls come back; other branches may
 * or may not be taken. Power's conditional returns go on, if they do not. */
static enum decoded_flow flow_of(const struct decoder *decoder, const cs_insn *insn)
{
    static const char *const jump[] = {"b", "br", "ba", "bctr", NULL};
    static const char *const end[] = {"ret", "blr", "trap", "udf", "brk", "hlt", NULL};
    const char *word = insn->mnemonic;
    size_t length = strlen(word);

    if (decoder->arch == DECODE_ARM64 && !strcmp(word, "blr"))
        return FLOW_NEXT;
    if (is_one_of(word, end))
        return FLOW_END;
    if (!jumps(decoder, insn) || is_one_of(word, calls))
        return FLOW_NEXT;
    if (is_one_of(word, jump))
        return FLOW_JUMP;
    if (decoder->arch == DECODE_POWER && length > 3 && !strcmp(word + length - 2, "lr"))
        return FLOW_NEXT;
    return FLOW_CONDITIONAL;
}

/* A target in the code is printed as a number, behind what else the branch looks at. */
static void follow(const struct decoder *decoder, const cs_insn *insn,
                   struct decoded *out)
{
    const char *last = strrchr(insn->op_str, ' ');

    out->flow = flow_of(decoder, insn);
    if (!jumps(decoder, insn))
        return;
    last = last ? last + 1 : insn->op_str;
    last += *last == '#';
    out->branch = isdigit((unsigned char)*last) ? BRANCH_DIRECT : BRANCH_INDIRECT;
    if (out->branch == BRANCH_DIRECT)
        out->target = strtoull(last, NULL, 0);
}

/* ---- operands ---- */

static uint8_t numbered(const char *digits, unsigned first, unsigned nr)
{
    char *end;
    unsigned long number = strtoul(digits, &end, 10);

    return end == digits || number >= nr ? WORK_NO_REGISTER : (uint8_t)(first + number);
}

/* x0, w0, sp; b0, h0, s0, d0, q0, v0; what reads as 0 is none. */
static uint8_t register_of(const struct decoder *decoder, unsigned reg, uint16_t *bytes)
{
    static const char vectors[] = "bhsdqv";
    const char *name = cs_reg_name(decoder->handle, reg), *vector;

    *bytes = 0;
    if (!name)
        return WORK_NO_REGISTER;
    vector = strchr(vectors, name[0]);
    *bytes = name[0] == 'w' ? 4 : 8;
    if (!strcmp(name, "sp") || !strcmp(name, "wsp"))
        return 31;
    if (!strcmp(name, "fp") || !strcmp(name, "lr"))
        return name[0] == 'f' ? 29 : 30;
    if (!strcmp(name, "nzcv"))
        return WORK_REGISTER_FLAGS;
    if (!isdigit((unsigned char)name[1]))
        return WORK_NO_REGISTER;
    if (name[0] == 'x' || name[0] == 'w')
        return numbered(name + 1, 0, 31);
    if (!vector)
        return WORK_NO_REGISTER;
    *bytes = *vector == 'v' ? 16 : (uint16_t)(1u << (vector - vectors));
    return numbered(name + 1, WORK_REGISTER_VECTOR, 32);
}

static const struct {
    arm64_vas vas;
    uint16_t bytes, element_bytes;
} arrangements[] = {
    {ARM64_VAS_8B, 8, 1},  {ARM64_VAS_16B, 16, 1}, {ARM64_VAS_4H, 8, 2},
    {ARM64_VAS_8H, 16, 2}, {ARM64_VAS_2S, 8, 4},   {ARM64_VAS_4S, 16, 4},
    {ARM64_VAS_1D, 8, 8},  {ARM64_VAS_2D, 16, 8},
};

static void arrange(const cs_arm64_op *op, struct operand *operand)
{
    for (size_t i = 0; i < ARRAY_SIZE(arrangements); i++)
        if (arrangements[i].vas == op->vas) {
            operand->bytes = arrangements[i].bytes;
            operand->element_bytes = arrangements[i].element_bytes;
        }
    operand->is_lane = op->vector_index >= 0;
}

static struct work_memory arm64_memory(const struct decoder *decoder,
                                       const cs_arm64_op *op)
{
    struct work_memory out = work_no_memory();
    uint16_t bytes;

    out.base = register_of(decoder, op->mem.base, &bytes);
    if (op->mem.index != ARM64_REG_INVALID)
        out.index = register_of(decoder, op->mem.index, &bytes);
    out.scale =
        (uint8_t)(op->shift.type == ARM64_SFT_LSL ? 1u << (op->shift.value & 7) : 1u);
    out.index_half = op->ext == ARM64_EXT_UXTW ? 1 : op->ext == ARM64_EXT_SXTW ? -1 : 0;
    out.displacement = op->mem.disp;
    return out;
}

/* A number where a load has its memory: the address itself. */
static struct work_memory arm64_literal(const cs_arm64_op *op, uint64_t pc)
{
    struct work_memory out = work_no_memory();

    out.pc_relative = true;
    out.displacement = op->imm - (int64_t)(pc + 4);
    return out;
}

/* z0 and p0 of SVE */
static bool is_scalable(const char *name)
{
    return name && (name[0] == 'z' || name[0] == 'p') && isdigit((unsigned char)name[1]);
}

static void arm64_operands(const struct decoder *decoder, const cs_insn *insn,
                           struct assembly *out)
{
    const cs_arm64 *arm64 = &insn->detail->arm64;
    bool is_literal = behind(insn->mnemonic, "ldr") && !strchr(insn->op_str, '[');

    for (size_t i = 0; i < arm64->op_count; i++) {
        const cs_arm64_op *op = &arm64->operands[i];
        struct operand *operand = &out->operand[out->operand_nr++];

        *operand = (struct operand){.reg = WORK_NO_REGISTER};
        if (op->type == ARM64_OP_REG) {
            operand->kind = OPERAND_REGISTER;
            operand->reg = register_of(decoder, op->reg, &operand->bytes);
            out->is_scalable |= is_scalable(cs_reg_name(decoder->handle, op->reg));
            arrange(op, operand);
        } else if (op->type == ARM64_OP_MEM) {
            operand->kind = OPERAND_MEMORY;
            operand->memory = arm64_memory(decoder, op);
        } else if (is_literal && i == 1) {
            operand->kind = OPERAND_MEMORY;
            operand->memory = arm64_literal(op, insn->address);
        }
    }
    out->writes_back = arm64->writeback;
    out->writes_flags = arm64->update_flags;
}

static void assembly_of(const struct decoder *decoder, const cs_insn *insn,
                        struct assembly *out)
{
    const cs_detail *detail = insn->detail;

    *out = (struct assembly){.mask = WORK_NO_REGISTER};
    snprintf(out->word, sizeof(out->word), "%s", insn->mnemonic);
    out->is_return =
        cs_insn_group(decoder->handle, insn, CS_GRP_RET) || behind(insn->mnemonic, "ret");
    out->is_call = is_one_of(out->word, calls);
    out->is_branch = jumps(decoder, insn);
    arm64_operands(decoder, insn, out);
    out->all_nr = out->operand_nr;
    for (size_t i = 0; i < detail->regs_read_count && out->all_nr < OPERANDS_MAX; i++) {
        struct operand *operand = &out->operand[out->all_nr++];

        operand->kind = OPERAND_REGISTER;
        operand->reg = register_of(decoder, detail->regs_read[i], &operand->bytes);
    }
}

/* ---- one instruction ---- */

struct decoded decode(const struct decoder *decoder, const uint8_t code[DECODE_BYTES],
                      uint64_t pc)
{
    struct decoded out = {.bytes = 4};
    struct assembly text;
    cs_insn *insn;

    if (decoder->arch == DECODE_X86) {
        if (x86_decode(code, pc, &out, &text))
            x86_flops(&text, &out);
        return out;
    }
    if (cs_disasm(decoder->handle, code, DECODE_BYTES, pc, 1, &insn) != 1)
        return out;
    out.known = true;
    out.bytes = insn->size;
    follow(decoder, insn, &out);
    arithmetic(decoder, insn, &out);
    cs_free(insn, 1);
    return out;
}

struct instruction_work decode_work(const struct decoder *decoder,
                                    const uint8_t code[DECODE_BYTES], uint64_t pc)
{
    struct instruction_work out = {.class = WORK_OTHER, .microops = 1};
    struct decoded decoded = {0};
    struct assembly text;
    cs_insn *insn;

    if (decoder->arch == DECODE_X86 && x86_decode(code, pc, &decoded, &text)) {
        x86_work(&text, &out);
    } else if (decoder->arch == DECODE_ARM64 &&
               cs_disasm(decoder->handle, code, DECODE_BYTES, pc, 1, &insn) == 1) {
        assembly_of(decoder, insn, &text);
        cs_free(insn, 1);
        arm64_work(&text, &out);
    }
    return out;
}
