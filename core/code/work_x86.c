/*
 * x86-64. What a mnemonic means for a core; numbers of micro-operations as retired by
 * Intel's cores from Skylake on (uops.info; A. Fog, "Instruction tables"), AMD's need
 * fewer for what loads and stores and more for gathers.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/code/decode_parts.h"

enum {
    RAX = 0,
    RSP = 4,
    RBP = 5,
};

/* What the first operand is, beside what is said by the number of operands. */
enum {
    KEEPS = 1,    /* it is read too, AVX or not */
    REPLACES = 2, /* it is only written, SSE too */
    COMPARES = 4, /* it is only read; flags are written */
    MOVES = 8,    /* nothing is computed: registers are renamed, or memory is accessed */
    SCALAR_MOVE = 16, /* MOVES with memory, else joins two registers */
};

static const struct class_row other = {"", WORK_OTHER, 0, 0};

/* ---- vectors ---- */

static const struct class_row vector_rows[] = {
    {"movdq2q", WORK_SHUFFLE, REPLACES, 0},
    {"movdqa", WORK_NONE, MOVES, 0},
    {"movdqu", WORK_NONE, MOVES, 0},
    {"movap", WORK_NONE, MOVES, 0},
    {"movup", WORK_NONE, MOVES, 0},
    {"lddqu", WORK_NONE, MOVES, 0},
    {"movnt", WORK_NONE, MOVES, 0},
    {"movddup", WORK_SHUFFLE, REPLACES, 0},
    {"movshdup", WORK_SHUFFLE, REPLACES, 0},
    {"movsldup", WORK_SHUFFLE, REPLACES, 0},
    {"movss$", WORK_SHUFFLE, SCALAR_MOVE, 0},
    {"movsd$", WORK_SHUFFLE, SCALAR_MOVE, 0},
    {"movmsk", WORK_TRANSFER, 0, 0},
    {"movd$", WORK_TRANSFER, REPLACES, 0},
    {"movq", WORK_TRANSFER, REPLACES, 0},
    {"movh", WORK_SHUFFLE, 0, 0},
    {"movl", WORK_SHUFFLE, 0, 0},
    {"maskmov", WORK_NONE, MOVES, 2},
    {"pmaskmov", WORK_NONE, MOVES, 2},
    {"fmadd", WORK_FP_FMA, KEEPS, 0},
    {"fmsub", WORK_FP_FMA, KEEPS, 0},
    {"fnmadd", WORK_FP_FMA, KEEPS, 0},
    {"fnmsub", WORK_FP_FMA, KEEPS, 0},
    {"dpbf16", WORK_FP_FMA, KEEPS, 0},
    {"addsub", WORK_FP_ADD, 0, 0},
    {"add", WORK_FP_ADD, 0, 0},
    {"hadd", WORK_FP_ADD, 0, 3},
    {"hsub", WORK_FP_ADD, 0, 3},
    {"sub", WORK_FP_ADD, 0, 0},
    {"min", WORK_FP_ADD, 0, 0},
    {"max", WORK_FP_ADD, 0, 0},
    {"cmp", WORK_FP_ADD, 0, 0},
    {"comi", WORK_FP_ADD, COMPARES, 0},
    {"ucomi", WORK_FP_ADD, COMPARES, 0},
    {"roundp", WORK_FP_ADD, REPLACES, 2},
    {"round", WORK_FP_ADD, 0, 2},
    {"rndscale", WORK_FP_ADD, 0, 2},
    {"reduce", WORK_FP_ADD, 0, 0},
    {"range", WORK_FP_ADD, 0, 0},
    {"getexp", WORK_FP_ADD, 0, 0},
    {"getmant", WORK_FP_ADD, 0, 0},
    {"fixupimm", WORK_FP_ADD, KEEPS, 0},
    {"scalef", WORK_FP_ADD, 0, 2},
    {"fpclass", WORK_FP_ADD, 0, 0},
    {"mul", WORK_FP_MULTIPLY, 0, 0},
    {"dpp", WORK_FP_MULTIPLY, 0, 4},
    {"div", WORK_FP_DIVIDE, 0, 0},
    {"sqrtp", WORK_FP_SQRT, REPLACES, 0},
    {"sqrt", WORK_FP_SQRT, 0, 0},
    {"rsqrtp", WORK_FP_MULTIPLY, REPLACES, 0},
    {"rsqrt", WORK_FP_MULTIPLY, 0, 0},
    {"rcpp", WORK_FP_MULTIPLY, REPLACES, 0},
    {"rcp", WORK_FP_MULTIPLY, 0, 0},
    {"cvtsi2s", WORK_FP_CONVERT, 0, 2},
    {"cvtusi2s", WORK_FP_CONVERT, 0, 2},
    {"cvtss2sd", WORK_FP_CONVERT, 0, 2},
    {"cvtsd2ss", WORK_FP_CONVERT, 0, 2},
    {"cvtdq2ps", WORK_FP_CONVERT, REPLACES, 0},
    {"cvtps2dq", WORK_FP_CONVERT, REPLACES, 0},
    {"cvttps2dq", WORK_FP_CONVERT, REPLACES, 0},
    {"cvt", WORK_FP_CONVERT, REPLACES, 2},
    {"and", WORK_VECTOR_ALU, 0, 0},
    {"or", WORK_VECTOR_ALU, 0, 0},
    {"xor", WORK_VECTOR_ALU, 0, 0},
    {"blendv", WORK_VECTOR_ALU, 0, 2},
    {"blend", WORK_VECTOR_ALU, 0, 0},
    {"unpck", WORK_SHUFFLE, 0, 0},
    {"shuf", WORK_SHUFFLE, 0, 0},
    {"permt2", WORK_SHUFFLE, KEEPS, 0},
    {"permi2", WORK_SHUFFLE, KEEPS, 0},
    {"perm", WORK_SHUFFLE, 0, 0},
    {"broadcast", WORK_SHUFFLE, REPLACES, 0},
    {"insert", WORK_SHUFFLE, 0, 0},
    {"extractps", WORK_TRANSFER, REPLACES, 2},
    {"extract", WORK_SHUFFLE, REPLACES, 0},
    {"align", WORK_SHUFFLE, 0, 0},
    {"expand", WORK_SHUFFLE, REPLACES, 2},
    {"compress", WORK_SHUFFLE, REPLACES, 2},
    {"test", WORK_TRANSFER, COMPARES, 2},
    {"gather", WORK_NONE, 0, 0},
    {"scatter", WORK_NONE, 0, 0},
    {"zero", WORK_NONE, 0, 0},
    {"aes", WORK_OTHER, 0, 0},
    {"sha", WORK_OTHER, 0, 0},
    {"kmov", WORK_TRANSFER, REPLACES, 0},
    {"kortest", WORK_TRANSFER, COMPARES, 0},
    {"ktest", WORK_TRANSFER, COMPARES, 0},
    {"kunpck", WORK_SHUFFLE, REPLACES, 0},
    {"kshift", WORK_SHUFFLE, REPLACES, 0},
    {"k", WORK_VECTOR_ALU, REPLACES, 0},
    {"gf2p8", WORK_VECTOR_MULTIPLY, 0, 0},
    {"mpsadbw", WORK_VECTOR_MULTIPLY, 0, 2},
    {"dbpsadbw", WORK_VECTOR_MULTIPLY, 0, 0},
    {"pmovmskb", WORK_TRANSFER, REPLACES, 0},
    {"pmovm2", WORK_TRANSFER, REPLACES, 0},
    {"pmovb2m", WORK_TRANSFER, REPLACES, 0},
    {"pmovw2m", WORK_TRANSFER, REPLACES, 0},
    {"pmovd2m", WORK_TRANSFER, REPLACES, 0},
    {"pmovq2m", WORK_TRANSFER, REPLACES, 0},
    {"pmovsx", WORK_SHUFFLE, REPLACES, 0},
    {"pmovzx", WORK_SHUFFLE, REPLACES, 0},
    {"pmov", WORK_SHUFFLE, REPLACES, 2},
    {"pbroadcastm", WORK_TRANSFER, REPLACES, 0},
    {"pbroadcast", WORK_SHUFFLE, REPLACES, 0},
    {"pblendv", WORK_VECTOR_ALU, 0, 2},
    {"pinsr", WORK_SHUFFLE, 0, 2},
    {"pextr", WORK_SHUFFLE, REPLACES, 2},
    {"pshufb", WORK_SHUFFLE, 0, 0},
    {"pshuf", WORK_SHUFFLE, REPLACES, 0},
    {"pshldv", WORK_VECTOR_ALU, KEEPS, 0},
    {"pshrdv", WORK_VECTOR_ALU, KEEPS, 0},
    {"palign", WORK_SHUFFLE, 0, 0},
    {"punpck", WORK_SHUFFLE, 0, 0},
    {"pack", WORK_SHUFFLE, 0, 0},
    {"pslldq", WORK_SHUFFLE, 0, 0},
    {"psrldq", WORK_SHUFFLE, 0, 0},
    {"perm", WORK_SHUFFLE, 0, 0},
    {"pexpand", WORK_SHUFFLE, REPLACES, 2},
    {"pcompress", WORK_SHUFFLE, REPLACES, 2},
    {"pmultishift", WORK_SHUFFLE, 0, 0},
    {"pmulld", WORK_VECTOR_MULTIPLY, 0, 2},
    {"pmullq", WORK_VECTOR_MULTIPLY, 0, 3},
    {"pmul", WORK_VECTOR_MULTIPLY, 0, 0},
    {"pmadd52", WORK_VECTOR_MULTIPLY, KEEPS, 0},
    {"pmadd", WORK_VECTOR_MULTIPLY, 0, 0},
    {"pdp", WORK_VECTOR_MULTIPLY, KEEPS, 0},
    {"psadbw", WORK_VECTOR_MULTIPLY, 0, 0},
    {"phmin", WORK_VECTOR_MULTIPLY, REPLACES, 0},
    {"pclmul", WORK_VECTOR_MULTIPLY, 0, 0},
    {"pternlog", WORK_VECTOR_ALU, KEEPS, 0},
    {"ptest$", WORK_TRANSFER, COMPARES, 2},
    {"pcmpistr", WORK_OTHER, COMPARES, 3},
    {"pcmpestr", WORK_OTHER, COMPARES, 8},
    {"pconflict", WORK_OTHER, REPLACES, 22},
    {"phadd", WORK_VECTOR_ALU, 0, 3},
    {"phsub", WORK_VECTOR_ALU, 0, 3},
    {"pabs", WORK_VECTOR_ALU, REPLACES, 0},
    {"plzcnt", WORK_VECTOR_ALU, REPLACES, 0},
    {"popcnt", WORK_VECTOR_ALU, REPLACES, 0},
    {"pgather", WORK_NONE, 0, 0},
    {"pscatter", WORK_NONE, 0, 0},
    {"p", WORK_VECTOR_ALU, 0, 0},
};

static bool is_general(const struct operand *operand)
{
    return operand->kind == OPERAND_REGISTER && operand->reg < WORK_REGISTER_VECTOR;
}

static bool is_vector(const struct operand *operand)
{
    return operand->kind == OPERAND_REGISTER && operand->reg >= WORK_REGISTER_VECTOR &&
           operand->reg < WORK_REGISTER_MASK;
}

static bool is_wide(const struct operand *operand) /* or a mask */
{
    return operand->kind == OPERAND_REGISTER && operand->reg >= WORK_REGISTER_VECTOR &&
           operand->reg < WORK_REGISTER_FLAGS;
}

static bool any(const struct assembly *text, bool (*is)(const struct operand *))
{
    for (size_t i = 0; i < text->operand_nr; i++)
        if (is(&text->operand[i]))
            return true;
    return false;
}

static bool is_memory(const struct operand *operand)
{
    return operand->kind == OPERAND_MEMORY;
}

static bool begins(const char *word, const char *start)
{
    return strncmp(word, start, strlen(start)) == 0;
}

static bool has_same(const struct assembly *text, size_t i, size_t k)
{
    return text->operand_nr > i && text->operand_nr > k &&
           text->operand[i].kind == OPERAND_REGISTER &&
           text->operand[k].kind == OPERAND_REGISTER &&
           text->operand[i].reg == text->operand[k].reg;
}

/* The two sources of a binary operation are one register. */
static bool sources_are_same(const struct assembly *text)
{
    return text->operand_nr == 2 ? has_same(text, 0, 1)
                                 : text->operand_nr == 3 && has_same(text, 1, 2);
}

/* 0 whatever was in it; `ones` are as independent, but are computed. */
static bool is_zeroing(const char *stem)
{
    return begins(stem, "xorp") || begins(stem, "pxor") ||
           (begins(stem, "psub") && !begins(stem, "psubs") && !begins(stem, "psubus")) ||
           begins(stem, "pcmpgt");
}

static bool is_ones(const char *stem)
{
    return begins(stem, "pcmpeq");
}

/* Of an element, by the end of the mnemonic: "ps", "sd"; "d", "q". */
static unsigned element_bits(const char *stem)
{
    size_t length = strlen(stem);

    if (begins(stem, "cvt"))
        return strstr(stem, "sd") || strstr(stem, "pd") || strstr(stem, "qq") ? 64 : 32;
    if (length < 2 || strstr(stem, "64"))
        return 64;
    return stem[length - 1] == 'q' || !strcmp(stem + length - 2, "pd") ||
                   (!strcmp(stem + length - 2, "sd") && stem[0] != 'p')
               ? 64
               : 32;
}

static bool is_scalar(const char *stem)
{
    size_t length = strlen(stem);
    const char *end = stem + length - 2;

    if (begins(stem, "cvt") && (strstr(stem, "si") || strstr(stem, "2ss")))
        return true;
    return length > 3 && stem[0] != 'p' && end[0] == 's' &&
           (end[1] == 's' || end[1] == 'd');
}

static unsigned widest_bits(const struct assembly *text)
{
    unsigned bytes = 0;

    for (size_t i = 0; i < text->operand_nr; i++)
        if (is_vector(&text->operand[i]) && text->operand[i].bytes > bytes)
            bytes = text->operand[i].bytes;
    return bytes * 8;
}

static void set_bits(const struct assembly *text, const char *stem,
                     struct instruction_work *out)
{
    out->bits = (uint16_t)element_bits(stem);
    out->vector_bits = (uint16_t)(is_scalar(stem) ? 64 : widest_bits(text));
    if (!out->vector_bits)
        out->vector_bits = 64;
}

/* What no mask says stays as it was. */
static bool merges(const struct assembly *text)
{
    return text->mask != WORK_NO_REGISTER && !text->zeroes;
}

static bool reads_first(const struct assembly *text, const struct class_row *row,
                        bool is_avx)
{
    const struct operand *first = &text->operand[0];

    if (row->flags & KEEPS || row->flags & COMPARES)
        return true;
    if (is_general(first) || (!is_vector(first) && first->kind == OPERAND_REGISTER))
        return false; /* masks are zeroed where another mask says so */
    if (merges(text))
        return true;
    if (is_avx || row->flags & (REPLACES | MOVES))
        return false;
    if (row->flags & SCALAR_MOVE)
        return !any(text, is_memory);
    return true;
}

static void add_operands(const struct assembly *text, const struct class_row *row,
                         bool is_avx, struct instruction_work *out)
{
    for (size_t i = 0; i < text->operand_nr; i++) {
        const struct operand *operand = &text->operand[i];

        if (operand->kind == OPERAND_MEMORY) {
            out->memory = operand->memory;
            out->stores = i == 0 && !(row->flags & COMPARES);
            out->loads = !out->stores;
        }
        if (operand->kind != OPERAND_REGISTER)
            continue;
        if (i > 0 || reads_first(text, row, is_avx))
            work_reads(out, operand->reg);
        if (i == 0 && !(row->flags & COMPARES))
            work_writes(out, operand->reg);
    }
    work_reads(out, text->mask);
    for (size_t i = 0; i < text->implied_read_nr; i++)
        work_reads(out, text->implied_read[i]);
    if (row->flags & COMPARES)
        work_writes(out, WORK_REGISTER_FLAGS);
}

/* Lanes, and the mask, which is emptied. AVX2 has it in the last operand. */
static void as_gather(const struct assembly *text, const char *stem,
                      struct instruction_work *out)
{
    struct work_memory *memory = &out->memory;
    const char *name = strchr(stem, 'r') + 1; /* "gather", "scatter": dpd, qd ... */

    if (!begins(name, "d") && !begins(name, "q"))
        name = stem + strlen(stem) - (stem[0] == 'p' ? 2 : 3);
    if (text->mask == WORK_NO_REGISTER && text->operand_nr > 2) {
        memory->mask = text->operand[2].reg;
        memory->index_bytes = name[0] == 'q' ? 8 : 4;
        memory->bytes = stem[strlen(stem) - 1] == 'd' && stem[0] != 'p'   ? 8
                        : stem[strlen(stem) - 1] == 'q' && stem[0] == 'p' ? 8
                                                                          : 4;
    }
    if (text->mask == WORK_NO_REGISTER) {
        unsigned data = text->operand[0].bytes / memory->bytes;
        unsigned index = text->operand[0].bytes / memory->index_bytes;

        memory->lanes = (uint8_t)(index < data ? index : data);
    }
    work_reads(out, memory->index_vector);
    work_reads(out, memory->mask);
    work_writes(out, memory->mask);
    if (out->loads)
        work_reads(out, text->operand[0].reg); /* lanes without their bit stay */
    /* 2 more than lanes to gather, 3 for each to scatter: Skylake-X and Ice Lake */
    out->microops = (uint8_t)(out->loads ? memory->lanes + 2u : 3u * memory->lanes);
}

static void as_move(const struct assembly *text, struct instruction_work *out)
{
    bool is_plain = text->mask == WORK_NO_REGISTER;

    if (!out->loads && !out->stores && !is_plain)
        out->class = WORK_VECTOR_ALU;
}

/* Those that are something else with memory, or between kinds of registers. */
static void refine(const struct assembly *text, const char *stem,
                   const struct class_row *row, struct instruction_work *out)
{
    bool memory = out->loads || out->stores, general = any(text, is_general);

    if (row->flags & SCALAR_MOVE && memory)
        out->class = WORK_NONE;
    if (row->flags & MOVES)
        as_move(text, out);
    if (!strcmp(stem, "movd") || begins(stem, "movq"))
        out->class = memory ? WORK_NONE : general ? WORK_TRANSFER : WORK_VECTOR_ALU;
    if ((begins(stem, "movh") || begins(stem, "movl")) && out->stores)
        out->class = WORK_NONE;
    if (begins(stem, "kmov") && !general)
        out->class = memory ? WORK_NONE : WORK_VECTOR_ALU;
    if (begins(stem, "pbroadcast") && general)
        out->class = WORK_TRANSFER;
    if ((begins(stem, "broadcast") || begins(stem, "pbroadcast") ||
         begins(stem, "movddup")) &&
        memory && text->mask == WORK_NO_REGISTER)
        out->class = WORK_NONE; /* the load does it */
    if ((begins(stem, "pinsr") || begins(stem, "pextr")) && general)
        out->class = WORK_TRANSFER;
    if (begins(stem, "cvt") && general && out->loads)
        out->microops = 2;
}

static void break_dependency(const struct assembly *text, const char *stem,
                             struct instruction_work *out)
{
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

static void vector_work(const struct assembly *text, struct instruction_work *out)
{
    bool is_avx = text->word[0] == 'v';
    const char *stem = text->word + is_avx;
    const struct class_row *row =
        class_row_of(vector_rows, ARRAY_SIZE(vector_rows), stem);

    if (!row)
        row = &other;
    out->class = row->class;
    out->microops = (uint8_t)(row->microops ? row->microops : 1);
    add_operands(text, row, is_avx, out);
    out->nontemporal = begins(stem, "movnt") || begins(stem, "maskmovd");
    if (strstr(stem, "gather") || strstr(stem, "scatter"))
        as_gather(text, stem, out);
    refine(text, stem, row, out);
    break_dependency(text, stem, out);
    if (out->class != WORK_NONE)
        set_bits(text, stem, out);
}

/* ---- general registers ---- */

enum {
    PLAIN_MOVE = 1,
    STRING = 2,
    PUSH = 4,
    POP = 8,
    NO_DATA = 16,
    CALL = 32,
    RETURN = 64
};

static const struct class_row general_rows[] = {
    {"mov$", WORK_NONE, PLAIN_MOVE, 0},
    {"movabs$", WORK_NONE, PLAIN_MOVE, 0},
    {"movnti$", WORK_NONE, PLAIN_MOVE, 0},
    {"movsb$", WORK_OTHER, STRING, 5},
    {"movsw$", WORK_OTHER, STRING, 5},
    {"movsd$", WORK_OTHER, STRING, 5},
    {"movsq$", WORK_OTHER, STRING, 5},
    {"stos", WORK_OTHER, STRING, 3},
    {"lods", WORK_OTHER, STRING, 3},
    {"cmpsb$", WORK_OTHER, STRING, 5},
    {"cmpsw$", WORK_OTHER, STRING, 5},
    {"cmpsd$", WORK_OTHER, STRING, 5},
    {"cmpsq$", WORK_OTHER, STRING, 5},
    {"scas", WORK_OTHER, STRING, 3},
    {"movbe", WORK_ALU, 0, 0},
    {"movsx", WORK_ALU, 0, 0}, /* movsxd too */
    {"movzx", WORK_ALU, 0, 0},
    {"push", WORK_NONE, PUSH, 0},
    {"popcnt", WORK_ALU, 0, 0},
    {"pop", WORK_NONE, POP, 0},
    {"leave", WORK_NONE, 0, 3},
    {"lea$", WORK_ALU, NO_DATA, 0},
    {"nop", WORK_NONE, NO_DATA, 0},
    {"endbr", WORK_NONE, NO_DATA, 0},
    {"prefetch", WORK_NONE, 0, 0},
    {"adc", WORK_ALU, 0, 0},
    {"add", WORK_ALU, 0, 0},
    {"adox", WORK_ALU, 0, 0},
    {"sub$", WORK_ALU, 0, 0},
    {"sbb", WORK_ALU, 0, 0},
    {"andn", WORK_ALU, 0, 0},
    {"and$", WORK_ALU, 0, 0},
    {"or$", WORK_ALU, 0, 0},
    {"xor$", WORK_ALU, 0, 0},
    {"not$", WORK_ALU, 0, 0},
    {"neg$", WORK_ALU, 0, 0},
    {"inc$", WORK_ALU, 0, 0},
    {"dec$", WORK_ALU, 0, 0},
    {"cmpxchg", WORK_OTHER, 0, 5},
    {"cmp$", WORK_ALU, 0, 0},
    {"test$", WORK_ALU, 0, 0},
    {"sh", WORK_ALU, 0, 0},
    {"sa", WORK_ALU, 0, 0},
    {"ro", WORK_ALU, 0, 0},
    {"rc", WORK_ALU, 0, 3},
    {"bt", WORK_ALU, 0, 0},
    {"bs", WORK_ALU, 0, 0}, /* bsf, bsr, bswap */
    {"bl", WORK_ALU, 0, 0},
    {"be", WORK_ALU, 0, 2},
    {"bz", WORK_ALU, 0, 0},
    {"tzcnt", WORK_ALU, 0, 0},
    {"lzcnt", WORK_ALU, 0, 0},
    {"cmov", WORK_ALU, 0, 0},
    {"set", WORK_ALU, 0, 0},
    {"cbw", WORK_ALU, 0, 0},
    {"cwd", WORK_ALU, 0, 0},
    {"cdq", WORK_ALU, 0, 0},
    {"cqo", WORK_ALU, 0, 0},
    {"xchg$", WORK_ALU, 0, 3},
    {"xadd$", WORK_ALU, 0, 3},
    {"pdep", WORK_MULTIPLY, 0, 0},
    {"pext", WORK_MULTIPLY, 0, 0},
    {"crc32", WORK_MULTIPLY, 0, 0},
    {"imul", WORK_MULTIPLY, 0, 0},
    {"mul", WORK_MULTIPLY, 0, 2}, /* mulx too */
    {"div$", WORK_DIVIDE, 0, 4},
    {"idiv$", WORK_DIVIDE, 0, 4},
    {"lahf", WORK_ALU, 0, 0},
    {"sahf", WORK_ALU, 0, 0},
    {"stc", WORK_ALU, 0, 0},
    {"clc", WORK_ALU, 0, 0},
    {"cmc", WORK_ALU, 0, 0},
    {"fld", WORK_NONE, 0, 0},
    {"fst", WORK_NONE, 0, 0},
    {"fxch", WORK_NONE, 0, 0},
    {"fild", WORK_FP_CONVERT, 0, 0},
    {"fist", WORK_FP_CONVERT, 0, 0},
    {"fadd", WORK_FP_ADD, 0, 0},
    {"fiadd", WORK_FP_ADD, 0, 0},
    {"fsub", WORK_FP_ADD, 0, 0},
    {"fisub", WORK_FP_ADD, 0, 0},
    {"fcom", WORK_FP_ADD, 0, 0},
    {"fucom", WORK_FP_ADD, 0, 0},
    {"fmul", WORK_FP_MULTIPLY, 0, 0},
    {"fimul", WORK_FP_MULTIPLY, 0, 0},
    {"fdiv", WORK_FP_DIVIDE, 0, 0},
    {"fidiv", WORK_FP_DIVIDE, 0, 0},
    {"fsqrt", WORK_FP_SQRT, 0, 0},
    {"fabs", WORK_VECTOR_ALU, 0, 0},
    {"fchs", WORK_VECTOR_ALU, 0, 0},
};

/* 8 and 16 bits are put into the register that was there. */
static bool keeps_rest(const struct operand *operand)
{
    return is_general(operand) && operand->bytes < 4;
}

static void add_general(const struct assembly *text, bool is_data,
                        struct instruction_work *out)
{
    for (size_t i = 0; i < text->operand_nr; i++) {
        const struct operand *operand = &text->operand[i];

        if (operand->kind == OPERAND_MEMORY && is_data) {
            out->memory = operand->memory;
            out->loads |= operand->read;
            out->stores |= operand->written;
        }
        if (operand->kind != OPERAND_REGISTER)
            continue;
        if (operand->read || (operand->written && keeps_rest(operand)))
            work_reads(out, operand->reg);
        if (operand->written)
            work_writes(out, operand->reg);
    }
    for (size_t i = 0; i < text->implied_read_nr; i++)
        work_reads(out, text->implied_read[i]);
    for (size_t i = 0; i < text->implied_write_nr; i++)
        work_writes(out, text->implied_write[i]);
}

static struct work_memory at_stack(unsigned reg, int64_t displacement)
{
    return (struct work_memory){.base = (uint8_t)reg,
                                .index = WORK_NO_REGISTER,
                                .index_vector = WORK_NO_REGISTER,
                                .mask = WORK_NO_REGISTER,
                                .scale = 1,
                                .lanes = 1,
                                .displacement = displacement,
                                .bytes = 8};
}

static void drop(uint8_t *list, uint8_t *nr, uint8_t reg)
{
    uint8_t kept = 0;

    for (uint8_t i = 0; i < *nr; i++)
        if (list[i] != reg)
            list[kept++] = list[i];
    *nr = kept;
}

/* The stack pointer is counted in the front end: nothing waits for it, and nothing
 * computes it. */
static void forget_stack_pointer(struct instruction_work *out)
{
    drop(out->read, &out->read_nr, RSP);
    drop(out->write, &out->write_nr, RSP);
}

/* To the top of the stack, from a register or from `memory`. */
static void stores_to_stack(struct instruction_work *out)
{
    struct work_memory top = at_stack(RSP, -8);

    out->stores = true;
    if (out->loads) {
        out->is_apart = true;
        out->to = top;
    } else {
        out->memory = top;
    }
}

static void loads_from_stack(struct instruction_work *out)
{
    if (out->stores) {
        out->is_apart = true;
        out->to = out->memory;
    }
    out->loads = true;
    out->memory = at_stack(RSP, 0);
}

/* The decoder gives movs as two operands in memory, the first one written. */
static void as_string(const struct assembly *text, struct instruction_work *out)
{
    for (size_t i = 0; i < text->operand_nr && i < 2; i++) {
        const struct operand *operand = &text->operand[i];

        if (operand->kind != OPERAND_MEMORY)
            continue;
        if (out->loads && out->stores && operand->written) {
            out->is_apart = true;
            out->to = operand->memory;
        } else {
            out->memory = operand->memory;
        }
    }
    drop(out->read, &out->read_nr, WORK_REGISTER_FLAGS); /* the direction */
    if (begins(text->word, "cmps") || begins(text->word, "scas"))
        work_writes(out, WORK_REGISTER_FLAGS);
}

static void as_prefetch(struct instruction_work *out)
{
    out->loads = out->stores = false;
    out->prefetches = true;
}

static void general_bits(const struct assembly *text, struct instruction_work *out)
{
    unsigned bytes = text->operand_nr ? text->operand[0].bytes : 0;

    out->bits = bytes == 8 || !strcmp(text->word, "cqo") ? 64 : 32;
    out->vector_bits = 64;
}

static bool is_independent(const struct assembly *text)
{
    return (!strcmp(text->word, "xor") || !strcmp(text->word, "sub")) &&
           text->operand_nr == 2 && has_same(text, 0, 1) && text->operand[0].bytes >= 4;
}

static void as_address(const struct assembly *text, struct instruction_work *out)
{
    for (size_t i = 0; i < text->operand_nr; i++)
        if (text->operand[i].kind == OPERAND_MEMORY) {
            work_reads(out, text->operand[i].memory.base);
            work_reads(out, text->operand[i].memory.index);
        }
}

/* Loads that only widen are the load's business; so are renamed registers. */
static void as_plain_move(const struct assembly *text, struct instruction_work *out)
{
    bool is_immediate = text->operand_nr == 2 && text->operand[1].kind == OPERAND_NUMBER;

    if (!out->loads && !out->stores && (is_immediate || keeps_rest(&text->operand[0])))
        out->class = WORK_ALU;
    if (out->loads && keeps_rest(&text->operand[0]))
        out->class = WORK_ALU;
    if (!strcmp(text->word, "movnti"))
        out->nontemporal = true;
}

static bool is_x87(const struct assembly *text)
{
    return text->word[0] == 'f';
}

static void fix_access(struct assembly *text)
{
    struct operand *first = &text->operand[0];
    const char *word = text->word;

    if (begins(word, "fst") || begins(word, "fist") || !strcmp(word, "movnti"))
        for (size_t i = 0; i < text->operand_nr; i++)
            if (text->operand[i].kind == OPERAND_MEMORY) {
                text->operand[i].written = true;
                text->operand[i].read = false;
            }
    if (begins(word, "cmpxchg"))
        first->read = first->written = true; /* rax and the flags: below */
    if (!strcmp(word, "bsf") || !strcmp(word, "bsr"))
        first->read = true; /* it stays where there is no bit */
    if (!strcmp(word, "bts") || !strcmp(word, "btr") || !strcmp(word, "btc"))
        first->read = first->written = true;
    if (!strcmp(word, "xadd") || !strcmp(word, "xchg"))
        first->read = first->written = text->operand[1].read = text->operand[1].written =
            true;
}

static void as_lock(struct instruction_work *out)
{
    out->software_lock = true;
}

static void branch_work(const struct assembly *text, struct instruction_work *out)
{
    out->class = WORK_BRANCH;
    out->microops = 1;
    add_general(text, true, out);
    out->stores = false;
    if (text->is_call) {
        stores_to_stack(out);
        out->microops = 2;
    }
    if (text->is_return) {
        out->loads = true;
        out->memory = at_stack(RSP, 0);
        out->microops = 2;
    }
    forget_stack_pointer(out);
}

static bool is_fence(const char *word)
{
    return !strcmp(word, "mfence") || !strcmp(word, "lfence") ||
           !strcmp(word, "sfence") || !strcmp(word, "cpuid") ||
           !strcmp(word, "serialize");
}

static void general_work(const struct assembly *given, struct instruction_work *out)
{
    struct assembly text = *given;
    const struct class_row *row =
        class_row_of(general_rows, ARRAY_SIZE(general_rows), text.word);

    if (!row)
        row = &other;
    fix_access(&text);
    out->class = row->class;
    out->microops = (uint8_t)(row->microops ? row->microops : 1);
    if (!(row->flags & NO_DATA) || out->class == WORK_ALU)
        add_general(&text, !(row->flags & NO_DATA), out);
    if (!strcmp(row->start, "lea$"))
        as_address(&text, out);
    if (row->flags & PLAIN_MOVE)
        as_plain_move(&text, out);
    if (row->flags & STRING)
        as_string(&text, out);
    if (row->flags & PUSH)
        stores_to_stack(out);
    if (row->flags & POP)
        loads_from_stack(out);
    if (row->flags & (PUSH | POP))
        forget_stack_pointer(out);
    if (!strcmp(row->start, "leave")) {
        out->loads = true;
        out->memory = at_stack(RBP, 0);
        drop(out->read, &out->read_nr, RSP);
    }
    if (begins(text.word, "prefetch"))
        as_prefetch(out);
    if (is_independent(&text)) {
        out->class = WORK_NONE;
        out->read_nr = 0;
    }
    if (out->class == WORK_ALU && out->loads && !out->stores &&
        (begins(text.word, "movzx") || begins(text.word, "movsx")) &&
        text.operand[0].bytes >= 4)
        out->class = WORK_NONE;
    if (begins(text.word, "cmpxchg")) {
        work_writes(out, RAX);
        work_writes(out, WORK_REGISTER_FLAGS);
    }
    if (is_x87(&text)) {
        work_reads(out, WORK_REGISTER_X87);
        work_writes(out, WORK_REGISTER_X87);
    }
    if (out->loads && out->stores && !out->is_apart && out->microops < 2)
        out->microops = 2;
    if (out->class != WORK_NONE && out->class != WORK_OTHER)
        general_bits(&text, out);
    if (text.is_locked || is_fence(text.word) ||
        (!strcmp(text.word, "xchg") && out->stores))
        as_lock(out);
}

void x86_work(const struct assembly *text, struct instruction_work *out)
{
    bool is_mask_word = text->word[0] == 'k';

    out->known = true;
    out->memory = at_stack(WORK_NO_REGISTER, 0);
    if (text->is_branch || text->is_call || text->is_return)
        branch_work(text, out);
    else if (any(text, is_wide) || is_mask_word ||
             (text->word[0] == 'v' && begins(text->word, "vzero")))
        vector_work(text, out);
    else
        general_work(text, out);
}
