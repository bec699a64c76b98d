/*
 * Where a function of a compiled program begins, and where the values that it is called
 * with are at that moment: by the debug information (DWARF), or by the symbol table
 * alone. Addresses are those of the program's file.
 */
#ifndef CORE_CODE_ENTRY_H
#define CORE_CODE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/array.h"

struct error;

struct entry_file; /* an open program or library */

/* One copy of the function in the code; compilers make several, such as
 * "f.constprop.0". */
struct entry_point {
    uint64_t address;
    char *symbol;   /* NULL = not in the symbol table */
    bool is_clone;  /* not called as its declaration says */
    bool is_public; /* others may call it, so that it is called as its declaration says */
    uint64_t debug; /* its place in the debug information; 0 = there is none */
};
struct entry_points {
    struct entry_point *item;
    size_t nr, alloc;
    char *source; /* the file that defines it, as the compiler was told; NULL = unknown */
    int line;
    size_t inlined;           /* places where it was inlined instead of being called */
    struct strvec inlined_at; /* the first few: "app.c:120" */
    bool has_debug;           /* the file has debug information at all */
};

/* STATUS_INPUT when it is no ELF file that this machine could run; the sentence names
 * it. */
int entry_file_open(const char *path, struct entry_file **file, struct error *err);
void entry_file_close(struct entry_file *file);

/* All copies of `function`. `source`: of a file that ends so only ("kernel.c", its last
 * name is compared); NULL = any. Nothing found is no failure: nr is 0. */
void entry_points_find(const struct entry_file *file, const char *function,
                       const char *source, struct entry_points *points);
void entry_points_release(struct entry_points *points);
/* Is there a symbol of that name, or of a copy of it? Cheap. */
bool entry_has_symbol(const struct entry_file *file, const char *function);

/* Behind the last byte of the variable that holds the byte at the address, by the symbol
 * table: no pointer into it may go further. 0 = of no variable. */
uint64_t entry_variable_end(const struct entry_file *file, uint64_t address);

/* Of variables without an initial value (.bss). */
uint64_t entry_zero_bytes(const struct entry_file *file);

/* What a mapping of the file's byte `offset` to `address` in memory adds to the addresses
 * of the file; false when that part of the file is not loaded. */
bool entry_bias(const struct entry_file *file, uint64_t offset, uint64_t address,
                uint64_t *bias);

/* The state of a thread at the function's first instruction. Registers are numbered as
 * DWARF does. */
enum { ENTRY_REGISTERS = 128 };
struct entry_frame {
    uint64_t bias; /* of the file in this process */
    uint8_t value[ENTRY_REGISTERS][16];
    bool is_known[ENTRY_REGISTERS];
    uint64_t cfa; /* stack pointer before the call: where arguments in memory begin */
    /* Reads the process's memory; 0 or -1. */
    int (*read)(void *data, uint64_t address, void *to, size_t bytes);
    void *data;
    /* Places by the calling convention, one for each parameter; false = it does not say
     */
    const struct entry_place *passed;
    size_t passed_nr;
};
struct entry_place {
    enum { ENTRY_NOWHERE, ENTRY_IN_REGISTER, ENTRY_IN_MEMORY } kind;
    int number;       /* register */
    uint64_t address; /* in memory */
};

/* An object: a number, a pointer, a struct or an array. */
struct entry_object {
    bool in_memory;
    uint64_t address;  /* in memory */
    uint8_t bytes[16]; /* else */
    size_t size;       /* in bytes, if the debug information says it; else 0 */
};
/*
 * The object that `path` leads to from `root`: "" is the variable itself, "->box.v" a
 * field. `param`: the root's place among the parameters, -1 = a global variable. What
 * cannot be told is STATUS_INPUT; the sentence names it and, where there is one, the
 * remedy. STATUS_MISSING: a global variable that the program does not have (any more).
 */
struct entry_path {
    const char *root, *path;
    int param;
};
int entry_find_object(const struct entry_file *file, const struct entry_point *point,
                      const struct entry_frame *frame, const struct entry_path *path,
                      struct entry_object *object, struct error *err);

#endif
