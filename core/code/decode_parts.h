/* One instruction as a mnemonic and operands, whoever decoded it. Private to core/code.
 */
#ifndef CORE_CODE_DECODE_PARTS_H
#define CORE_CODE_DECODE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/code/decode.h"

enum operand_kind { OPERAND_NUMBER, OPERAND_REGISTER, OPERAND_MEMORY };

struct operand {
    enum operand_kind kind;
    uint8_t reg;    /* as in work.h; WORK_NO_REGISTER for what it does not count */
    uint16_t bytes; /* of the register, of the access; a vector of arm64: in use */
    uint16_t element_bytes; /* of a vector; 0 = not told */
    /* x86. A register that keeps some of what it held is read, too; memory that is
     * neither gives its address only. */
    bool read, written;
    bool is_lane; /* arm64, v0.d[1]: the others stay */
    struct work_memory memory;
};

enum { OPERANDS_MAX = 16 };

struct assembly {
    char word[32]; /* the mnemonic, without prefixes; the same for all conditions */
    struct operand operand[OPERANDS_MAX];
    size_t operand_nr;     /* as they are written; a mask is not among them */
    size_t all_nr;         /* behind those the implied ones; arm64: what is read */
    uint16_t vector_bytes; /* of AVX: what the instruction works on; else 0 */
    uint8_t mask;          /* of AVX-512; WORK_NO_REGISTER = all lanes */
    bool is_integer;   /* x86: what the general registers' own units compute, mostly */
    bool is_locked;    /* prefix */
    bool writes_back;  /* arm64: the address register */
    bool writes_flags; /* arm64 */
    bool is_scalable;  /* arm64: SVE */
    bool is_branch, is_call, is_return;
};

/* `text` and, but for the FLOP, `out`, which are empty. False for what is no instruction.
 */
bool x86_decode(const uint8_t code[DECODE_BYTES], uint64_t pc, struct decoded *out,
                struct assembly *text);
/* Into `out`, which has none. */
void x86_flops(const struct assembly *text, struct decoded *out);

/* `out` is empty. */
void x86_work(const struct assembly *text, struct instruction_work *out);
void arm64_work(const struct assembly *text, struct instruction_work *out);

bool operand_is_general(const struct operand *operand); /* a register of that kind */
bool operand_is_vector(const struct operand *operand);
/* Of those that are written. */
bool any_operand(const struct assembly *text, bool (*is)(const struct operand *));

struct work_memory work_no_memory(void);

/* Once each; WORK_NO_REGISTER is left out, and what finds no room. */
void work_reads(struct instruction_work *work, uint8_t reg);
void work_writes(struct instruction_work *work, uint8_t reg);

/* The first row whose `start` the word begins with; with a '$' at its end the word must
 * be that. */
struct class_row {
    const char *start;
    enum work_class class;
    unsigned flags;
    unsigned microops; /* 0 = 1 */
};
const struct class_row *class_row_of(const struct class_row *row, size_t nr,
                                     const char *word);

#endif
