/*
 * What one machine instruction asks of a core: which registers it waits for and which it
 * gives, how it is executed, what memory it touches. For a model of the core
 * (core/pipeline); the mnemonics and operands are read by the adapters of Zydis and
 * capstone (decode_x86.c, decode.c).
 */
#ifndef CORE_CODE_WORK_H
#define CORE_CODE_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* name, word in the files of CPUs ("latency" and "per_cycle" of their "core") */
#define WORK_CLASS_MAP(X)                                                                \
    X(NONE, "none")         /* eliminated: nop, register moves, zeroing idioms */        \
    X(ALU, "alu")           /* integer: add, logic, shift, lea, compare, setcc */        \
    X(MULTIPLY, "multiply") /* integer multiplication */                                 \
    X(DIVIDE, "divide")     /* integer division */                                       \
    X(BRANCH, "branch")                                                                  \
    X(FP_ADD, "fp_add") /* also subtract, min, max, compare; scalar or vector */         \
    X(FP_MULTIPLY, "fp_multiply")                                                        \
    X(FP_FMA, "fp_fma")                                                                  \
    X(FP_DIVIDE, "fp_divide")                                                            \
    X(FP_SQRT, "fp_sqrt")                                                                \
    X(FP_CONVERT,                                                                        \
      "fp_convert") /* between integers and floating point, and precisions */            \
    X(VECTOR_ALU, "vector_alu") /* integer or bitwise, in vector registers; blends */    \
    X(VECTOR_MULTIPLY, "vector_multiply")                                                \
    X(SHUFFLE, "shuffle")   /* lanes of vectors; broadcasts from registers */            \
    X(TRANSFER, "transfer") /* between general and vector (or mask) registers */         \
    X(OTHER, "other")       /* everything else that computes */

enum work_class {
#define X(name, word) WORK_##name,
    WORK_CLASS_MAP(X)
#undef X
        WORK_CLASS_NR
};
const char *work_class_word(enum work_class class);
enum work_class work_class_from_word(const char *word); /* WORK_CLASS_NR = none */

/* Registers by number: general ones 0 to 31 (x86: rax 0, rcx, rdx, rbx, rsp, rbp, rsi,
 * rdi, r8 ... r15; arm64: x0 ... x30, sp 31), all parts of a register are the register;
 * vectors; masks; the flags. */
enum {
    WORK_REGISTER_VECTOR = 32, /* 32 to 63 */
    WORK_REGISTER_MASK = 64,   /* 64 to 71 */
    WORK_REGISTER_FLAGS = 72,
    WORK_REGISTER_X87 = 73, /* the whole stack */
    WORK_REGISTER_NR = 74,
    WORK_NO_REGISTER = 255,
    WORK_READS_MAX = 8,
    WORK_WRITES_MAX = 4
};

/* base + index x scale + displacement; a gather or scatter has one address for each of
 * `lanes`. */
struct work_memory {
    uint8_t base, index; /* general registers, or WORK_NO_REGISTER */
    uint8_t scale;
    int8_t index_half; /* of the index only the lower half counts: 1 zero-extended, -1
                          sign-extended; 0 = all of it */
    bool pc_relative;  /* to the end of the instruction */
    bool of_thread;    /* to the thread's own memory (x86: fs) */
    int64_t displacement;
    uint16_t bytes;       /* of an access, of one lane */
    uint8_t lanes;        /* 1; gathers and scatters: elements */
    uint8_t index_vector; /* of gathers and scatters, a register from 32 on */
    uint8_t index_bytes;  /* 4 or 8, of a lane's index */
    uint8_t mask;         /* which lanes are accessed; WORK_NO_REGISTER = all */
};

struct instruction_work {
    bool known; /* false: not decoded; counts as OTHER that reads and writes nothing */
    enum work_class class;
    /* Of the arithmetic; 0 without. `bits` 64 or 32 of an element, `vector_bits` of the
     * register that is computed on (64 for scalars) */
    uint16_t bits, vector_bits;
    uint8_t microops; /* 1 at least, loads and stores included: what takes an entry of the
                         reorder buffer; 0 for what is fused into the branch behind it */
    uint8_t read[WORK_READS_MAX], read_nr;    /* data, without those of addresses */
    uint8_t write[WORK_WRITES_MAX], write_nr; /* flags only where something reads them:
                                                 all that the instruction writes */
    /* Registers of the address are in `memory`. What moves the stack pointer by the way
     * (push, pop, call, ret) does not write it: it is counted in the front end. */
    bool loads, stores, prefetches, nontemporal;
    bool software_lock; /* waits for all loads and stores before it: lock, fences */
    struct work_memory memory;
    /* It loads from `memory` and stores elsewhere, to `to`: string moves, push of memory.
     */
    bool is_apart;
    struct work_memory to;
};

#endif
