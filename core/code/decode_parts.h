/* One instruction as a mnemonic and operands, whoever decoded it. Private to core/code.
 */
#ifndef CORE_CODE_DECODE_PARTS_H
#define CORE_CODE_DECODE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/code/work.h"

enum operand_kind { OPERAND_NUMBER, OPERAND_REGISTER, OPERAND_MEMORY };

struct operand {
    enum operand_kind kind;
    uint8_t reg;    /* as in work.h; WORK_NO_REGISTER for what it does not count */
    uint16_t bytes; /* of the register, of the access; a vector of arm64: in use */
    uint16_t element_bytes; /* of a vector of arm64; 0 = not told */
    bool read, written;     /* as the decoder says: of general registers only */
    bool is_lane;           /* v0.d[1]: the others stay */
    int64_t number;
    struct work_memory memory;
};

enum { OPERANDS_MAX = 8, IMPLIED_MAX = 8 };

struct assembly {
    char word[32]; /* the mnemonic, without prefixes; the same for all conditions */
    unsigned bytes;
    struct operand operand[OPERANDS_MAX];
    size_t operand_nr;
    uint8_t implied_read[IMPLIED_MAX], implied_write[IMPLIED_MAX];
    size_t implied_read_nr, implied_write_nr;
    uint8_t mask;      /* of AVX-512; WORK_NO_REGISTER = all lanes */
    bool zeroes;       /* lanes that the mask leaves out; else they stay */
    bool is_locked;    /* prefix */
    bool is_repeated;  /* rep */
    bool writes_back;  /* arm64: the address register */
    bool writes_flags; /* arm64 */
    bool is_scalable;  /* arm64: SVE */
    bool is_branch, is_call, is_return;
};

/*
 * AVX-512 (EVEX) and instructions on masks, of which capstone 4 knows fewer than half.
 * False for what is none, or not known. At least 15 bytes.
 */
bool x86_decode_evex(const uint8_t *code, struct assembly *out);

/* `out` is empty. */
void x86_work(const struct assembly *text, struct instruction_work *out);
void arm64_work(const struct assembly *text, struct instruction_work *out);

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
