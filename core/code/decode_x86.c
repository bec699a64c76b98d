/* x86-64: the adapter of Zydis. */
#include <Zydis/Zydis.h>
#include <stdio.h>

#include "core/code/decode_parts.h"

/* ---- branches ---- */

static enum decoded_flow flow_of(const ZydisDecodedInstruction *is)
{
    switch (is->mnemonic) {
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_HLT:
    case ZYDIS_MNEMONIC_INT3:
        return FLOW_END;
    case ZYDIS_MNEMONIC_XABORT: /* their categories say branch, but they go on */
    case ZYDIS_MNEMONIC_XEND:
        return FLOW_NEXT;
    default:
        break;
    }
    switch (is->meta.category) {
    case ZYDIS_CATEGORY_RET:
        return FLOW_END;
    case ZYDIS_CATEGORY_UNCOND_BR:
        return FLOW_JUMP;
    case ZYDIS_CATEGORY_COND_BR:
        return FLOW_CONDITIONAL;
    default:
        return FLOW_NEXT;
    }
}

static void follow(const ZydisDecodedInstruction *is, const ZydisDecodedOperand *first,
                   uint64_t pc, struct decoded *out)
{
    bool is_call = is->meta.category == ZYDIS_CATEGORY_CALL;

    out->flow = flow_of(is);
    if (!is_call && out->flow != FLOW_JUMP && out->flow != FLOW_CONDITIONAL)
        return;
    out->branch = BRANCH_INDIRECT;
    if (first->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && first->imm.is_relative) {
        out->branch = BRANCH_DIRECT;
        ZydisCalcAbsoluteAddress(is, first, pc, &out->target);
    }
}

/* ---- operands ---- */

/* All parts of a register are the register. */
static ZydisRegister whole_of(ZydisRegister reg)
{
    ZydisRegister whole =
        ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

    return whole != ZYDIS_REGISTER_NONE ? whole : reg;
}

static uint8_t register_of(ZydisRegister reg)
{
    ZydisRegister whole = whole_of(reg);
    int id = ZydisRegisterGetId(whole);

    switch (ZydisRegisterGetClass(whole)) {
    case ZYDIS_REGCLASS_GPR64:
        return (uint8_t)id;
    case ZYDIS_REGCLASS_ZMM:
    case ZYDIS_REGCLASS_MMX:
        return (uint8_t)(WORK_REGISTER_VECTOR + id);
    case ZYDIS_REGCLASS_MASK:
        return (uint8_t)(WORK_REGISTER_MASK + id);
    case ZYDIS_REGCLASS_FLAGS:
        return WORK_REGISTER_FLAGS;
    default:
        return WORK_NO_REGISTER;
    }
}

/* Of what is written: 8 and 16 bits go into the general register that was there, scalars
 * and halves of SSE into the vector. VEX and EVEX zero the rest. */
static bool keeps_rest(const ZydisDecodedInstruction *is, const ZydisDecodedOperand *op)
{
    switch (ZydisRegisterGetClass(whole_of(op->reg.value))) {
    case ZYDIS_REGCLASS_GPR64:
        return op->size < 32;
    case ZYDIS_REGCLASS_ZMM:
        return op->size < 128 && is->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
    default:
        return false;
    }
}

static void access_register(const ZydisDecodedInstruction *is,
                            const ZydisDecodedOperand *op, struct operand *out)
{
    bool may_stay = op->actions & ZYDIS_OPERAND_ACTION_CONDWRITE ||
                    is->mnemonic == ZYDIS_MNEMONIC_BSF || /* where there is no bit */
                    is->mnemonic == ZYDIS_MNEMONIC_BSR;

    out->kind = OPERAND_REGISTER;
    out->reg = register_of(op->reg.value);
    out->bytes = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, op->reg.value) / 8;
    if (out->reg == WORK_REGISTER_FLAGS) {
        const ZydisAccessedFlags *flags = is->cpu_flags;

        /* the direction of strings hardly ever changes, and what repeats looks at
         * flags of its own */
        out->read = flags->tested && is->meta.category != ZYDIS_CATEGORY_STRINGOP;
        out->written = flags->modified | flags->set_0 | flags->set_1 | flags->undefined;
    } else if (op->reg.value == ZYDIS_REGISTER_RSP &&
               op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN) {
        /* it is counted in the front end: nothing waits for it, and nothing but leave,
         * which has it from another register, computes it */
        out->read = false;
        out->written = is->mnemonic == ZYDIS_MNEMONIC_LEAVE;
    } else if (out->written) {
        out->read |= may_stay || keeps_rest(is, op);
    }
}

static struct work_memory memory_of(const ZydisDecodedOperand *op)
{
    struct work_memory out = work_no_memory();
    uint8_t index = register_of(op->mem.index);
    bool pushes = op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
                  op->mem.base == ZYDIS_REGISTER_RSP &&
                  op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;

    out.pc_relative = ZydisRegisterGetClass(op->mem.base) == ZYDIS_REGCLASS_IP;
    out.of_thread = op->mem.segment == ZYDIS_REGISTER_FS;
    out.base = register_of(op->mem.base);
    if (op->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
        out.index_vector = index;
    else
        out.index = index;
    if (op->mem.scale)
        out.scale = op->mem.scale;
    out.bytes = op->size / 8;
    out.displacement = pushes ? -(int64_t)out.bytes : op->mem.disp.value;
    return out;
}

static void add_operand(const ZydisDecodedInstruction *is, const ZydisDecodedOperand *op,
                        struct assembly *out)
{
    struct operand *operand = &out->operand[out->all_nr++];

    *operand = (struct operand){
        .reg = WORK_NO_REGISTER,
        .bytes = op->size / 8,
        .element_bytes = op->element_size / 8,
        .read = op->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
        .written = op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE,
    };
    if (op->type == ZYDIS_OPERAND_TYPE_REGISTER) {
        access_register(is, op, operand);
    } else if (op->type == ZYDIS_OPERAND_TYPE_MEMORY) {
        operand->kind = OPERAND_MEMORY;
        operand->memory = memory_of(op);
        /* moved on: Zydis 4.0 does not say it of cmps and scas */
        if (is->meta.category == ZYDIS_CATEGORY_STRINGOP)
            out->operand[out->all_nr++] = (struct operand){.kind = OPERAND_REGISTER,
                                                           .reg = operand->memory.base,
                                                           .bytes = 8,
                                                           .read = true,
                                                           .written = true};
    }
}

/* What is computed in general registers, but for what work_x86.c names. */
static bool is_integer(ZydisInstructionCategory category)
{
    switch (category) {
    case ZYDIS_CATEGORY_ADOX_ADCX:
    case ZYDIS_CATEGORY_BINARY:
    case ZYDIS_CATEGORY_BITBYTE:
    case ZYDIS_CATEGORY_BMI1:
    case ZYDIS_CATEGORY_BMI2:
    case ZYDIS_CATEGORY_CMOV:
    case ZYDIS_CATEGORY_CONVERT:
    case ZYDIS_CATEGORY_FLAGOP:
    case ZYDIS_CATEGORY_LOGICAL:
    case ZYDIS_CATEGORY_LZCNT:
    case ZYDIS_CATEGORY_ROTATE:
    case ZYDIS_CATEGORY_SETCC:
    case ZYDIS_CATEGORY_SHIFT:
        return true;
    default:
        return false;
    }
}

static void assembly_of(const ZydisDecodedInstruction *is, const ZydisDecodedOperand *op,
                        struct assembly *out)
{
    ZydisInstructionCategory category = is->meta.category;

    *out = (struct assembly){.vector_bytes = is->avx.vector_length / 8,
                             .mask = WORK_NO_REGISTER};
    snprintf(out->word, sizeof(out->word), "%s", ZydisMnemonicGetString(is->mnemonic));
    out->is_integer = is_integer(category);
    out->is_locked = is->attributes & ZYDIS_ATTRIB_HAS_LOCK;
    out->is_call = category == ZYDIS_CATEGORY_CALL;
    out->is_return = category == ZYDIS_CATEGORY_RET;
    if (category == ZYDIS_CATEGORY_NOP || category == ZYDIS_CATEGORY_WIDENOP)
        return; /* neither computes the address nor reads the register it has */
    for (size_t i = 0; i < is->operand_count; i++) {
        if (op[i].encoding == ZYDIS_OPERAND_ENCODING_MASK) {
            if (op[i].reg.value != ZYDIS_REGISTER_K0)
                out->mask = register_of(op[i].reg.value);
            continue;
        }
        add_operand(is, &op[i], out);
        if (op[i].visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN)
            out->operand_nr = out->all_nr;
    }
}

bool x86_decode(const uint8_t code[DECODE_BYTES], uint64_t pc, struct decoded *out,
                struct assembly *text)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction is;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];

    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, DECODE_BYTES, &is, op)))
        return false;
    out->known = true;
    out->bytes = is.length;
    out->repeats = is.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
                                    ZYDIS_ATTRIB_HAS_REPNE);
    follow(&is, op, pc, out);
    assembly_of(&is, op, text);
    text->is_branch = out->branch != BRANCH_NONE;
    return true;
}
