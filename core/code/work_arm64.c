/* arm64: integers, floating point and NEON; not SVE. */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/code/decode_parts.h"

enum { KEEPS = 1, COMPARES = 2, SHUFFLES_GENERAL = 4 };

static const struct class_row rows[] = {
    {"fmadd", WORK_FP_FMA, 0, 0},
    {"fmsub", WORK_FP_FMA, 0, 0},
    {"fnmadd", WORK_FP_FMA, 0, 0},
    {"fnmsub", WORK_FP_FMA, 0, 0},
    {"fmla", WORK_FP_FMA, KEEPS, 0},
    {"fmls", WORK_FP_FMA, KEEPS, 0},
    {"fcmla", WORK_FP_FMA, KEEPS, 0},
    {"fmulx", WORK_FP_MULTIPLY, 0, 0},
    {"fmul", WORK_FP_MULTIPLY, 0, 0},
    {"fnmul", WORK_FP_MULTIPLY, 0, 0},
    {"frecp", WORK_FP_MULTIPLY, 0, 0},
    {"frsqrt", WORK_FP_MULTIPLY, 0, 0},
    {"fdiv", WORK_FP_DIVIDE, 0, 0},
    {"fsqrt", WORK_FP_SQRT, 0, 0},
    {"fcvtn2", WORK_FP_CONVERT, KEEPS, 0},
    {"fcvt", WORK_FP_CONVERT, 0, 0},
    {"scvtf", WORK_FP_CONVERT, 0, 0},
    {"ucvtf", WORK_FP_CONVERT, 0, 0},
    {"fcmp$", WORK_FP_ADD, COMPARES, 0},
    {"fcmpe$", WORK_FP_ADD, COMPARES, 0},
    {"fccmp", WORK_FP_ADD, COMPARES, 0},
    {"fcsel", WORK_VECTOR_ALU, 0, 0},
    {"fneg", WORK_VECTOR_ALU, 0, 0},
    {"fabs", WORK_VECTOR_ALU, 0, 0},
    {"fmov", WORK_VECTOR_ALU, SHUFFLES_GENERAL, 0},
    {"fadd", WORK_FP_ADD, 0, 0},
    {"fsub", WORK_FP_ADD, 0, 0},
    {"fabd", WORK_FP_ADD, 0, 0},
    {"fmax", WORK_FP_ADD, 0, 0},
    {"fmin", WORK_FP_ADD, 0, 0},
    {"fcm", WORK_FP_ADD, 0, 0},
    {"fac", WORK_FP_ADD, 0, 0},
    {"frint", WORK_FP_ADD, 0, 0},
    {"sdiv", WORK_DIVIDE, 0, 0},
    {"udiv", WORK_DIVIDE, 0, 0},
    {"madd", WORK_MULTIPLY, 0, 0},
    {"msub", WORK_MULTIPLY, 0, 0},
    {"mneg", WORK_MULTIPLY, 0, 0},
    {"smaddl", WORK_MULTIPLY, 0, 0},
    {"umaddl", WORK_MULTIPLY, 0, 0},
    {"smsubl", WORK_MULTIPLY, 0, 0},
    {"umsubl", WORK_MULTIPLY, 0, 0},
    {"smulh", WORK_MULTIPLY, 0, 0},
    {"umulh", WORK_MULTIPLY, 0, 0},
    {"mul", WORK_MULTIPLY, 0, 0},
    {"smull", WORK_MULTIPLY, 0, 0},
    {"umull", WORK_MULTIPLY, 0, 0},
    {"pmul", WORK_MULTIPLY, 0, 0},
    {"mla", WORK_MULTIPLY, KEEPS, 0},
    {"mls", WORK_MULTIPLY, KEEPS, 0},
    {"smlal", WORK_MULTIPLY, KEEPS, 0},
    {"umlal", WORK_MULTIPLY, KEEPS, 0},
    {"smlsl", WORK_MULTIPLY, KEEPS, 0},
    {"umlsl", WORK_MULTIPLY, KEEPS, 0},
    {"sqdmlal", WORK_MULTIPLY, KEEPS, 0},
    {"sqdmlsl", WORK_MULTIPLY, KEEPS, 0},
    {"sqdmul", WORK_MULTIPLY, 0, 0},
    {"sqrdmul", WORK_MULTIPLY, 0, 0},
    {"sdot", WORK_MULTIPLY, KEEPS, 0},
    {"udot", WORK_MULTIPLY, KEEPS, 0},
    {"dup", WORK_SHUFFLE, SHUFFLES_GENERAL, 0},
    {"ins", WORK_SHUFFLE, SHUFFLES_GENERAL, 0},
    {"umov", WORK_SHUFFLE, SHUFFLES_GENERAL, 0},
    {"smov", WORK_SHUFFLE, SHUFFLES_GENERAL, 0},
    {"ext$", WORK_SHUFFLE, 0, 0},
    {"zip", WORK_SHUFFLE, 0, 0},
    {"uzp", WORK_SHUFFLE, 0, 0},
    {"trn", WORK_SHUFFLE, 0, 0},
    {"tbl", WORK_SHUFFLE, 0, 0},
    {"tbx", WORK_SHUFFLE, KEEPS, 0},
    {"cmp$", WORK_ALU, COMPARES, 0},
    {"cmn$", WORK_ALU, COMPARES, 0},
    {"tst$", WORK_ALU, COMPARES, 0},
    {"ccmp", WORK_ALU, COMPARES, 0},
    {"ccmn", WORK_ALU, COMPARES, 0},
    {"movk", WORK_ALU, KEEPS, 0},
    {"movi", WORK_ALU, 0, 0},
    {"movz", WORK_ALU, 0, 0},
    {"movn", WORK_ALU, 0, 0},
    {"mov$", WORK_NONE, 0, 0},
    {"bfi", WORK_ALU, KEEPS, 0},
    {"bfxil", WORK_ALU, KEEPS, 0},
    {"bfm", WORK_ALU, KEEPS, 0},
    {"bsl", WORK_ALU, KEEPS, 0},
    {"bit$", WORK_ALU, KEEPS, 0},
    {"bif", WORK_ALU, KEEPS, 0},
    {"sri", WORK_ALU, KEEPS, 0},
    {"sli", WORK_ALU, KEEPS, 0},
    {"ssra", WORK_ALU, KEEPS, 0},
    {"usra", WORK_ALU, KEEPS, 0},
    {"srsra", WORK_ALU, KEEPS, 0},
    {"ursra", WORK_ALU, KEEPS, 0},
    {"sadalp", WORK_ALU, KEEPS, 0},
    {"uadalp", WORK_ALU, KEEPS, 0},
    {"saba", WORK_ALU, KEEPS, 0},
    {"uaba", WORK_ALU, KEEPS, 0},
    {"xtn2", WORK_ALU, KEEPS, 0},
    {"sqxtn2", WORK_ALU, KEEPS, 0},
    {"uqxtn2", WORK_ALU, KEEPS, 0},
    {"shrn2", WORK_ALU, KEEPS, 0},
    {"addhn2", WORK_ALU, KEEPS, 0},
    {"nop", WORK_NONE, 0, 0},
    {"hint", WORK_NONE, 0, 0},
    {"bti", WORK_NONE, 0, 0},
    {"pac", WORK_OTHER, 0, 0},
    {"aut", WORK_OTHER, 0, 0},
    {"mrs", WORK_OTHER, 0, 0},
    {"msr", WORK_OTHER, 0, 0},
    {"svc", WORK_OTHER, 0, 0},
};

static bool is_register(const struct operand *operand)
{
    return operand->kind == OPERAND_REGISTER;
}

/* ---- memory ---- */

static unsigned data_bytes(const struct assembly *text)
{
    unsigned bytes = 0;

    for (size_t i = 0; i < text->operand_nr && is_register(&text->operand[i]); i++)
        bytes += text->operand[i].bytes;
    return bytes;
}

/* Of the access: by the name, else as much as the registers hold. */
static unsigned access_bytes(const struct assembly *text)
{
    const char *word = text->word;
    size_t length = strlen(word);
    bool is_pair = text_begins(word, "ldp") || text_begins(word, "ldnp") ||
                   text_begins(word, "stp") || text_begins(word, "stnp") ||
                   text_begins(word, "ldpsw");

    if (text_begins(word, "ldpsw"))
        return 8;
    if (text_begins(word, "ld1r"))
        return text->operand[0].element_bytes;
    if (strchr("1234", word[2]) || is_pair)
        return text->operand[0].is_lane ? text->operand[0].element_bytes
                                        : data_bytes(text);
    if (word[length - 1] == 'b')
        return 1;
    if (word[length - 1] == 'h')
        return 2;
    if (word[length - 1] == 'w')
        return 4;
    if (text_begins(word, "stx") || text_begins(word, "stlx"))
        return text->operand[1].bytes;
    return text->operand[0].bytes;
}

static bool is_atomic(const char *word)
{
    static const char *const words[] = {"ldadd",  "ldclr",  "ldeor",  "ldset", "ldsmax",
                                        "ldsmin", "ldumax", "ldumin", "swp",   "cas"};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (text_begins(word, words[i]))
            return true;
    return false;
}

static void memory_work(const struct assembly *text, struct instruction_work *out)
{
    const char *word = text->word;
    bool atomic = is_atomic(word);

    out->class = WORK_NONE;
    out->stores = atomic || text_begins(word, "st");
    out->loads = atomic || text_begins(word, "ld");
    out->nontemporal = text_begins(word, "ldnp") || text_begins(word, "stnp");
    for (size_t i = 0; i < text->operand_nr; i++) {
        const struct operand *operand = &text->operand[i];
        bool is_status =
            i == 0 && (text_begins(word, "stx") || text_begins(word, "stlx"));
        /* ldadd from, to, [address] */
        bool written = is_status || (out->loads && (!atomic || i == 1));

        if (operand->kind == OPERAND_MEMORY) {
            out->memory = operand->memory;
            if (text->writes_back)
                work_writes(out, operand->memory.base);
        }
        if (!is_register(operand))
            continue;
        if (written)
            work_writes(out, operand->reg);
        if (!written || operand->is_lane)
            work_reads(out, operand->reg);
    }
    out->memory.bytes = (uint16_t)access_bytes(text);
    if (out->loads && out->stores)
        out->microops = 2;
}

/* ---- the rest ---- */

static void set_bits(const struct assembly *text, struct instruction_work *out)
{
    const struct operand *widest = NULL;

    for (size_t i = 0; i < text->operand_nr; i++)
        if (is_register(&text->operand[i]) &&
            (!widest || text->operand[i].bytes > widest->bytes))
            widest = &text->operand[i];
    if (!widest)
        return;
    out->bits =
        (widest->element_bytes ? widest->element_bytes : widest->bytes) > 4 ? 64 : 32;
    out->vector_bits =
        (uint16_t)(widest->element_bytes && !widest->is_lane ? widest->bytes * 8 : 64);
}

/* The same mnemonic stands for both kinds of registers. */
static enum work_class class_of(const struct assembly *text, const struct class_row *row)
{
    enum work_class class = row ? row->class : WORK_ALU;
    bool vector = any_operand(text, operand_is_vector),
         general = any_operand(text, operand_is_general);

    if (row && row->flags & SHUFFLES_GENERAL && vector && general)
        return WORK_TRANSFER;
    if (class == WORK_NONE && row && !strcmp(row->start, "mov$")) {
        if (vector && general)
            return WORK_TRANSFER;
        if (vector)
            return text->operand[0].is_lane ? WORK_SHUFFLE : WORK_VECTOR_ALU;
        return text->operand_nr > 1 && is_register(&text->operand[1]) ? WORK_NONE
                                                                      : WORK_ALU;
    }
    if (vector && class == WORK_ALU)
        return text_begins(text->word, "rev") ? WORK_SHUFFLE : WORK_VECTOR_ALU;
    if (vector && class == WORK_MULTIPLY)
        return WORK_VECTOR_MULTIPLY;
    return class;
}

static void compute_work(const struct assembly *text, struct instruction_work *out)
{
    const struct class_row *row = class_row_of(rows, ARRAY_SIZE(rows), text->word);
    bool compares = row && row->flags & COMPARES;

    out->class = class_of(text, row);
    for (size_t i = 0; i < text->operand_nr; i++) {
        const struct operand *operand = &text->operand[i];

        if (!is_register(operand))
            continue;
        if (i == 0 && !compares)
            work_writes(out, operand->reg);
        if (i > 0 || compares || operand->is_lane || (row && row->flags & KEEPS))
            work_reads(out, operand->reg);
    }
    for (size_t i = text->operand_nr; i < text->all_nr; i++)
        work_reads(out, text->operand[i].reg);
    if (text->writes_flags || compares)
        work_writes(out, WORK_REGISTER_FLAGS);
    if (out->class != WORK_NONE && out->class != WORK_OTHER)
        set_bits(text, out);
}

static void branch_work(const struct assembly *text, struct instruction_work *out)
{
    out->class = WORK_BRANCH;
    for (size_t i = 0; i < text->operand_nr; i++)
        if (is_register(&text->operand[i]))
            work_reads(out, text->operand[i].reg);
    for (size_t i = text->operand_nr; i < text->all_nr; i++)
        work_reads(out, text->operand[i].reg);
    if (text->is_call)
        work_writes(out, 30);
    if (text->is_return && !text->operand_nr)
        work_reads(out, 30);
}

void arm64_work(const struct assembly *text, struct instruction_work *out)
{
    const char *word = text->word;

    out->known = !text->is_scalable;
    out->microops = 1;
    out->memory = work_no_memory();
    if (!out->known)
        return;
    if (text->is_branch || text->is_call || text->is_return) {
        branch_work(text, out);
    } else if (text_begins(word, "prf")) {
        out->class = WORK_NONE;
        out->prefetches = true;
        for (size_t i = 0; i < text->operand_nr; i++)
            if (text->operand[i].kind == OPERAND_MEMORY)
                out->memory = text->operand[i].memory;
        out->memory.bytes = 1;
    } else if (text_begins(word, "dmb") || text_begins(word, "dsb") ||
               text_begins(word, "isb")) {
        out->class = WORK_OTHER;
        out->software_lock = true;
    } else if (text_begins(word, "ld") || text_begins(word, "st") || is_atomic(word)) {
        memory_work(text, out);
    } else {
        compute_work(text, out);
    }
}
