/*
 * x86-64. What a mnemonic means for a core; numbers of micro-operations as retired by
 * Intel's cores from Skylake on (uops.info; A. Fog, "Instruction tables"), AMD's need
 * fewer for what loads and stores and more for gathers.
 */
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/code/decode_parts.h"

enum {
    FLOPS = 1,   /* one a lane, fused operations two */
    COMPLEX = 2, /* FLOPS of complex numbers: a product is four products and two sums */
    MOVES = 4,   /* nothing is computed: registers are renamed, or memory is accessed */
    MOVES_MEMORY = 8, /* the class is that between registers; with memory as MOVES */
    MOVES_OUT = 16,   /* only when it stores */
    BROADCASTS = 32,  /* only when it loads, without a mask */
    TRANSFERS = 64,   /* between kinds of registers where a general one is among them */
};

static const struct class_row other = {"", WORK_OTHER, 0, 0},
                              integer = {"", WORK_ALU, 0, 0};

static const struct class_row vector_rows[] = {
    {"movdq2q", WORK_SHUFFLE, 0, 0},
    {"movdqa", WORK_NONE, MOVES, 0},
    {"movdqu", WORK_NONE, MOVES, 0},
    {"movap", WORK_NONE, MOVES, 0},
    {"movup", WORK_NONE, MOVES, 0},
    {"lddqu", WORK_NONE, MOVES, 0},
    {"movnt", WORK_NONE, MOVES, 0},
    {"movddup", WORK_SHUFFLE, BROADCASTS, 0},
    {"movshdup", WORK_SHUFFLE, 0, 0},
    {"movsldup", WORK_SHUFFLE, 0, 0},
    {"movss$", WORK_SHUFFLE, MOVES_MEMORY, 0},
    {"movsd$", WORK_SHUFFLE, MOVES_MEMORY, 0},
    {"movmsk", WORK_TRANSFER, 0, 0},
    {"movd$", WORK_VECTOR_ALU, MOVES_MEMORY | TRANSFERS, 0},
    {"movq", WORK_VECTOR_ALU, MOVES_MEMORY | TRANSFERS, 0},
    {"movh", WORK_SHUFFLE, MOVES_OUT, 0},
    {"movl", WORK_SHUFFLE, MOVES_OUT, 0},
    {"maskmov", WORK_NONE, MOVES, 2},
    {"pmaskmov", WORK_NONE, MOVES, 2},
    {"fmaddc", WORK_FP_FMA, FLOPS | COMPLEX, 0},
    {"fcmadd", WORK_FP_FMA, FLOPS | COMPLEX, 0},
    {"fmulc", WORK_FP_MULTIPLY, FLOPS | COMPLEX, 0},
    {"fcmul", WORK_FP_MULTIPLY, FLOPS | COMPLEX, 0},
    {"fmadd", WORK_FP_FMA, FLOPS, 0},
    {"fmsub", WORK_FP_FMA, FLOPS, 0},
    {"fnmadd", WORK_FP_FMA, FLOPS, 0},
    {"fnmsub", WORK_FP_FMA, FLOPS, 0},
    {"dpbf16", WORK_FP_FMA, 0, 0},
    {"add", WORK_FP_ADD, FLOPS, 0},
    {"hadd", WORK_FP_ADD, FLOPS, 3},
    {"hsub", WORK_FP_ADD, FLOPS, 3},
    {"sub", WORK_FP_ADD, FLOPS, 0},
    {"min", WORK_FP_ADD, 0, 0},
    {"max", WORK_FP_ADD, 0, 0},
    {"cmp", WORK_FP_ADD, 0, 0},
    {"comi", WORK_FP_ADD, 0, 0},
    {"ucomi", WORK_FP_ADD, 0, 0},
    {"round", WORK_FP_ADD, 0, 2},
    {"rndscale", WORK_FP_ADD, 0, 2},
    {"reduce", WORK_FP_ADD, 0, 0},
    {"range", WORK_FP_ADD, 0, 0},
    {"getexp", WORK_FP_ADD, 0, 0},
    {"getmant", WORK_FP_ADD, 0, 0},
    {"fixupimm", WORK_FP_ADD, 0, 0},
    {"scalef", WORK_FP_ADD, 0, 2},
    {"fpclass", WORK_FP_ADD, 0, 0},
    {"mul", WORK_FP_MULTIPLY, FLOPS, 0},
    {"dpp", WORK_FP_MULTIPLY, 0, 4},
    {"div", WORK_FP_DIVIDE, FLOPS, 0},
    {"sqrt", WORK_FP_SQRT, FLOPS, 0},
    {"rsqrt", WORK_FP_MULTIPLY, 0, 0},
    {"rcp", WORK_FP_MULTIPLY, 0, 0},
    {"cvtdq2ps", WORK_FP_CONVERT, 0, 0},
    {"cvtps2dq", WORK_FP_CONVERT, 0, 0},
    {"cvttps2dq", WORK_FP_CONVERT, 0, 0},
    {"cvt", WORK_FP_CONVERT, 0, 2},
    {"and", WORK_VECTOR_ALU, 0, 0},
    {"or", WORK_VECTOR_ALU, 0, 0},
    {"xor", WORK_VECTOR_ALU, 0, 0},
    {"blendv", WORK_VECTOR_ALU, 0, 2},
    {"blend", WORK_VECTOR_ALU, 0, 0},
    {"unpck", WORK_SHUFFLE, 0, 0},
    {"shuf", WORK_SHUFFLE, 0, 0},
    {"broadcast", WORK_SHUFFLE, BROADCASTS, 0},
    {"insert", WORK_SHUFFLE, 0, 0},
    {"extractps", WORK_TRANSFER, 0, 2},
    {"extract", WORK_SHUFFLE, 0, 0},
    {"align", WORK_SHUFFLE, 0, 0},
    {"expand", WORK_SHUFFLE, 0, 2},
    {"compress", WORK_SHUFFLE, 0, 2},
    {"test", WORK_TRANSFER, 0, 2},
    {"gather", WORK_NONE, 0, 0},
    {"scatter", WORK_NONE, 0, 0},
    {"zero", WORK_NONE, 0, 0},
    {"kmov", WORK_VECTOR_ALU, MOVES_MEMORY | TRANSFERS, 0},
    {"kortest", WORK_TRANSFER, 0, 0},
    {"ktest", WORK_TRANSFER, 0, 0},
    {"kunpck", WORK_SHUFFLE, 0, 0},
    {"kshift", WORK_SHUFFLE, 0, 0},
    {"k", WORK_VECTOR_ALU, 0, 0},
    {"gf2p8", WORK_VECTOR_MULTIPLY, 0, 0},
    {"mpsadbw", WORK_VECTOR_MULTIPLY, 0, 2},
    {"dbpsadbw", WORK_VECTOR_MULTIPLY, 0, 0},
    {"pmovmskb", WORK_TRANSFER, 0, 0},
    {"pmovm2", WORK_TRANSFER, 0, 0},
    {"pmovb2m", WORK_TRANSFER, 0, 0},
    {"pmovw2m", WORK_TRANSFER, 0, 0},
    {"pmovd2m", WORK_TRANSFER, 0, 0},
    {"pmovq2m", WORK_TRANSFER, 0, 0},
    {"pmovsx", WORK_SHUFFLE, 0, 0},
    {"pmovzx", WORK_SHUFFLE, 0, 0},
    {"pmov", WORK_SHUFFLE, 0, 2},
    {"pbroadcastm", WORK_TRANSFER, 0, 0},
    {"pbroadcast", WORK_SHUFFLE, BROADCASTS | TRANSFERS, 0},
    {"pblendv", WORK_VECTOR_ALU, 0, 2},
    {"pinsr", WORK_SHUFFLE, TRANSFERS, 2},
    {"pextr", WORK_SHUFFLE, TRANSFERS, 2},
    {"pshuf", WORK_SHUFFLE, 0, 0},
    {"palign", WORK_SHUFFLE, 0, 0},
    {"punpck", WORK_SHUFFLE, 0, 0},
    {"pack", WORK_SHUFFLE, 0, 0},
    {"pslldq", WORK_SHUFFLE, 0, 0},
    {"psrldq", WORK_SHUFFLE, 0, 0},
    {"perm", WORK_SHUFFLE, 0, 0},
    {"pexpand", WORK_SHUFFLE, 0, 2},
    {"pcompress", WORK_SHUFFLE, 0, 2},
    {"pmultishift", WORK_SHUFFLE, 0, 0},
    {"pmulld", WORK_VECTOR_MULTIPLY, 0, 2},
    {"pmullq", WORK_VECTOR_MULTIPLY, 0, 3},
    {"pmul", WORK_VECTOR_MULTIPLY, 0, 0},
    {"pmadd", WORK_VECTOR_MULTIPLY, 0, 0},
    {"pdp", WORK_VECTOR_MULTIPLY, 0, 0},
    {"psadbw", WORK_VECTOR_MULTIPLY, 0, 0},
    {"phmin", WORK_VECTOR_MULTIPLY, 0, 0},
    {"pclmul", WORK_VECTOR_MULTIPLY, 0, 0},
    {"ptest$", WORK_TRANSFER, 0, 2},
    {"pcmpistr", WORK_OTHER, 0, 3},
    {"pcmpestr", WORK_OTHER, 0, 8},
    {"pconflict", WORK_OTHER, 0, 22},
    {"phadd", WORK_VECTOR_ALU, 0, 3},
    {"phsub", WORK_VECTOR_ALU, 0, 3},
    {"pgather", WORK_NONE, 0, 0},
    {"pscatter", WORK_NONE, 0, 0},
    {"p", WORK_VECTOR_ALU, 0, 0},
};

static const struct class_row general_rows[] = {
    {"mov$", WORK_NONE, MOVES, 0},
    {"movnti$", WORK_NONE, MOVES, 0},
    {"movsx", WORK_ALU, 0, 0}, /* movsxd too */
    {"movzx", WORK_ALU, 0, 0},
    {"movbe", WORK_ALU, 0, 0},
    {"movs", WORK_OTHER, 0, 5},
    {"stos", WORK_OTHER, 0, 3},
    {"lods", WORK_OTHER, 0, 3},
    {"cmps", WORK_OTHER, 0, 5},
    {"scas", WORK_OTHER, 0, 3},
    {"push", WORK_NONE, 0, 0},
    {"popcnt", WORK_ALU, 0, 0},
    {"pop", WORK_NONE, 0, 0},
    {"leave", WORK_NONE, 0, 3},
    {"lea$", WORK_ALU, 0, 0},
    {"nop", WORK_NONE, 0, 0},
    {"endbr", WORK_NONE, 0, 0},
    {"prefetch", WORK_NONE, 0, 0},
    {"rcl", WORK_ALU, 0, 3},
    {"rcr", WORK_ALU, 0, 3},
    {"bextr", WORK_ALU, 0, 2},
    {"bswap", WORK_ALU, 0, 0},
    {"cmpxchg", WORK_OTHER, 0, 5},
    {"xchg$", WORK_ALU, 0, 3},
    {"xadd$", WORK_ALU, 0, 3},
    {"pdep", WORK_MULTIPLY, 0, 0},
    {"pext", WORK_MULTIPLY, 0, 0},
    {"crc32", WORK_MULTIPLY, 0, 0},
    {"imul", WORK_MULTIPLY, 0, 0},
    {"mul", WORK_MULTIPLY, 0, 2}, /* mulx too */
    {"div$", WORK_DIVIDE, 0, 4},
    {"idiv$", WORK_DIVIDE, 0, 4},
    {"fld", WORK_NONE, 0, 0},
    {"fst", WORK_NONE, 0, 0},
    {"fxch", WORK_NONE, 0, 0},
    {"fild", WORK_FP_CONVERT, 0, 0},
    {"fist", WORK_FP_CONVERT, 0, 0},
    {"fadd", WORK_FP_ADD, FLOPS, 0},
    {"fiadd", WORK_FP_ADD, FLOPS, 0},
    {"fsub", WORK_FP_ADD, FLOPS, 0},
    {"fisub", WORK_FP_ADD, FLOPS, 0},
    {"fcom", WORK_FP_ADD, 0, 0},
    {"fucom", WORK_FP_ADD, 0, 0},
    {"fmul", WORK_FP_MULTIPLY, FLOPS, 0},
    {"fimul", WORK_FP_MULTIPLY, FLOPS, 0},
    {"fdiv", WORK_FP_DIVIDE, FLOPS, 0},
    {"fidiv", WORK_FP_DIVIDE, FLOPS, 0},
    {"fsqrt", WORK_FP_SQRT, FLOPS, 0},
    {"fabs", WORK_VECTOR_ALU, 0, 0},
    {"fchs", WORK_VECTOR_ALU, 0, 0},
};

static bool is_wide(const struct operand *operand) /* or a mask */
{
    return operand->kind == OPERAND_REGISTER && operand->reg >= WORK_REGISTER_VECTOR &&
           operand->reg < WORK_REGISTER_FLAGS;
}

/* The mnemonic without what says that it is AVX. */
static const char *stem_of(const struct assembly *text)
{
    return text->word + (text->word[0] == 'v');
}

static bool is_of_vectors(const struct assembly *text)
{
    return any_operand(text, is_wide) || text_begins(text->word, "vzero") ||
           text_begins(stem_of(text), "cvt"); /* from memory to a general register */
}

static const struct class_row *row_of(const struct assembly *text)
{
    const struct class_row *row =
        is_of_vectors(text)
            ? class_row_of(vector_rows, ARRAY_SIZE(vector_rows), stem_of(text))
            : class_row_of(general_rows, ARRAY_SIZE(general_rows), text->word);

    return row ? row : text->is_integer && !is_of_vectors(text) ? &integer : &other;
}

/* One element of a vector, or of memory. */
static bool is_scalar(const char *stem)
{
    size_t length = strlen(stem);
    const char *end = stem + length - 2;

    if (text_begins(stem, "cvt") && (strstr(stem, "si") || strstr(stem, "2ss")))
        return true;
    return length > 3 && stem[0] != 'p' && end[0] == 's' && strchr("hsd", end[1]);
}

void x86_flops(const struct assembly *text, struct decoded *out)
{
    const struct class_row *row = row_of(text);
    const struct operand *result = &text->operand[0];
    bool divides = row->class == WORK_FP_DIVIDE || row->class == WORK_FP_SQRT;

    if (!(row->flags & FLOPS))
        return;
    if (row->flags & COMPLEX)
        out->flops = row->class == WORK_FP_FMA ? 8 : 6;
    else
        out->flops = row->class == WORK_FP_FMA ? 2 : 1;
    if (operand_is_vector(result) && !is_scalar(stem_of(text)))
        out->flops *= result->bytes / result->element_bytes;
    out->divisions = divides ? out->flops : 0;
}

static bool has_same(const struct assembly *text, size_t i, size_t k)
{
    return text->operand[i].kind == OPERAND_REGISTER &&
           text->operand[k].kind == OPERAND_REGISTER &&
           text->operand[i].reg == text->operand[k].reg;
}

/* The two sources of a binary operation are one register. */
static bool sources_are_same(const struct assembly *text)
{
    return text->operand_nr == 2 ? has_same(text, 0, 1)
                                 : text->operand_nr == 3 && has_same(text, 1, 2);
}

static void add_operands(const struct assembly *text, struct instruction_work *out)
{
    const struct operand *from = NULL, *to = NULL;

    for (size_t i = 0; i < text->all_nr; i++) {
        const struct operand *operand = &text->operand[i];

        if (operand->kind == OPERAND_REGISTER) {
            if (operand->read)
                work_reads(out, operand->reg);
            if (operand->written)
                work_writes(out, operand->reg);
        } else if (operand->kind == OPERAND_MEMORY) {
            if (operand->read)
                from = operand;
            if (operand->written)
                to = operand;
            if (!operand->read && !operand->written) { /* lea */
                work_reads(out, operand->memory.base);
                work_reads(out, operand->memory.index);
            }
        }
    }
    work_reads(out, text->mask);
    out->loads = from != NULL;
    out->stores = to != NULL;
    out->is_apart = from && to && from != to;
    out->memory = from ? from->memory : to ? to->memory : work_no_memory();
    if (out->is_apart)
        out->to = to->memory;
}

/* ---- vectors ---- */

/* 0 whatever was in it; `ones` are as independent, but are computed. */
static bool is_zeroing(const char *stem)
{
    return text_begins(stem, "xorp") || text_begins(stem, "pxor") ||
           (text_begins(stem, "psub") && !text_begins(stem, "psubs") &&
            !text_begins(stem, "psubus")) ||
           text_begins(stem, "pcmpgt");
}

static bool is_ones(const char *stem)
{
    return text_begins(stem, "pcmpeq");
}

static void vector_bits(const struct assembly *text, struct instruction_work *out)
{
    unsigned vector_bytes = any_operand(text, operand_is_vector) ? text->vector_bytes : 0;
    unsigned element_bytes = 0;

    for (size_t i = 0; i < text->operand_nr; i++) {
        const struct operand *operand = &text->operand[i];

        if (operand_is_vector(operand) && operand->bytes > vector_bytes)
            vector_bytes = operand->bytes;
        if (operand->element_bytes > element_bytes)
            element_bytes = operand->element_bytes;
    }
    out->bits = element_bytes > 4 ? 64 : 32;
    out->vector_bits =
        vector_bytes && !is_scalar(stem_of(text)) ? (uint16_t)(vector_bytes * 8) : 64;
}

/* As many lanes as there are both of data and of indices; and the mask, which is emptied.
 * AVX2 has it in the last operand. */
static void as_gather(const struct assembly *text, struct instruction_work *out)
{
    struct work_memory *memory = &out->memory;
    unsigned lane_bytes;

    memory->mask = text->mask != WORK_NO_REGISTER ? text->mask : text->operand[2].reg;
    memory->index_bytes = strstr(text->word, "erq") ? 8 : 4; /* gatherqpd, scatterqd */
    lane_bytes =
        memory->bytes > memory->index_bytes ? memory->bytes : memory->index_bytes;
    memory->lanes = (uint8_t)(text->vector_bytes / lane_bytes);
    work_reads(out, memory->index_vector);
    work_writes(out, memory->mask);
    /* 2 more than lanes to gather, 3 for each to scatter: Skylake-X and Ice Lake */
    out->microops = (uint8_t)(out->loads ? memory->lanes + 2u : 3u * memory->lanes);
}

/* Those that are something else with memory, or between kinds of registers. */
static void refine(const struct assembly *text, unsigned flags,
                   struct instruction_work *out)
{
    bool memory = out->loads || out->stores, is_masked = text->mask != WORK_NO_REGISTER;

    if (flags & MOVES && !memory && is_masked)
        out->class = WORK_VECTOR_ALU;
    if (flags & TRANSFERS && any_operand(text, operand_is_general))
        out->class = WORK_TRANSFER;
    if ((flags & MOVES_MEMORY && memory) || (flags & MOVES_OUT && out->stores) ||
        (flags & BROADCASTS && out->loads && !is_masked))
        out->class = WORK_NONE;
}

static void break_dependency(const struct assembly *text, struct instruction_work *out)
{
    const char *stem = stem_of(text);
    bool is_masked =
        text->mask != WORK_NO_REGISTER || text->operand[0].reg >= WORK_REGISTER_MASK;

    if (!sources_are_same(text) || is_masked)
        return;
    if (is_zeroing(stem)) {
        out->class = WORK_NONE;
        out->read_nr = 0;
    } else if (is_ones(stem)) {
        out->read_nr = 0;
    }
}

static void vector_work(const struct assembly *text, unsigned flags,
                        struct instruction_work *out)
{
    const char *stem = stem_of(text);

    out->nontemporal = text_begins(stem, "movnt") || text_begins(stem, "maskmovd");
    if (out->memory.index_vector != WORK_NO_REGISTER)
        as_gather(text, out);
    else if (out->loads || out->stores)
        out->memory.mask = text_begins(stem, "maskmovp") || text_begins(stem, "pmaskmov")
                               ? text->operand[1].reg
                               : text->mask;
    refine(text, flags, out);
    break_dependency(text, out);
    if (out->class != WORK_NONE)
        vector_bits(text, out);
}

/* ---- general registers ---- */

/* Loads that only widen are the load's business; so are renamed registers. */
static void as_move(const struct assembly *text, struct instruction_work *out)
{
    const struct operand *to = &text->operand[0], *from = &text->operand[1];
    bool memory = out->loads || out->stores;

    if (operand_is_general(to) && to->bytes < 4) /* put into what was there */
        out->class = WORK_ALU;
    if (!memory && from->kind == OPERAND_NUMBER)
        out->class = WORK_ALU;
    out->nontemporal = !strcmp(text->word, "movnti");
}

static bool is_independent(const struct assembly *text)
{
    return (!strcmp(text->word, "xor") || !strcmp(text->word, "sub")) &&
           has_same(text, 0, 1) && text->operand[0].bytes >= 4;
}

static bool is_widening_load(const struct assembly *text,
                             const struct instruction_work *out)
{
    return (text_begins(text->word, "movzx") || text_begins(text->word, "movsx")) &&
           out->loads && text->operand[0].bytes >= 4;
}

static bool is_fence(const char *word)
{
    return !strcmp(word, "mfence") || !strcmp(word, "lfence") ||
           !strcmp(word, "sfence") || !strcmp(word, "cpuid") ||
           !strcmp(word, "serialize");
}

static void general_work(const struct assembly *text, unsigned flags,
                         struct instruction_work *out)
{
    if (flags & MOVES)
        as_move(text, out);
    if (text_begins(text->word, "prefetch")) {
        out->loads = out->stores = false;
        out->prefetches = true;
    }
    if (is_independent(text)) {
        out->class = WORK_NONE;
        out->read_nr = 0;
    }
    if (is_widening_load(text, out))
        out->class = WORK_NONE;
    if (text->word[0] == 'f') { /* x87 */
        work_reads(out, WORK_REGISTER_X87);
        work_writes(out, WORK_REGISTER_X87);
    }
    if (out->loads && out->stores && !out->is_apart && out->microops < 2)
        out->microops = 2;
    if (out->class != WORK_NONE && out->class != WORK_OTHER) {
        out->bits = text->all_nr && text->operand[0].bytes == 8 ? 64 : 32;
        out->vector_bits = 64;
    }
    out->software_lock = text->is_locked || is_fence(text->word) ||
                         (!strcmp(text->word, "xchg") && out->stores);
}

void x86_work(const struct assembly *text, struct instruction_work *out)
{
    const struct class_row *row = row_of(text);

    out->known = true;
    out->class = row->class;
    out->microops = (uint8_t)(row->microops ? row->microops : 1);
    add_operands(text, out);
    if (text->is_branch || text->is_return) {
        out->class = WORK_BRANCH;
        out->microops = text->is_call || text->is_return ? 2 : 1;
    } else if (is_of_vectors(text)) {
        vector_work(text, row->flags, out);
    } else {
        general_work(text, row->flags, out);
    }
}
