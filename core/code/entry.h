/*
 * A compiled program or library: where its variables end, by the symbol table, and how
 * much memory those without an initial value take. Addresses are those of the file.
 */
#ifndef CORE_CODE_ENTRY_H
#define CORE_CODE_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

struct error;

struct entry_file; /* an open program or library */

/* STATUS_INPUT when it is no ELF file that this machine could run; the sentence names
 * it. */
int entry_file_open(const char *path, struct entry_file **file, struct error *err);
void entry_file_close(struct entry_file *file); /* NULL is fine */

/* Behind the last byte of the variable that holds the byte at the address: no pointer
 * into it may go further. 0 = of no variable. */
uint64_t entry_variable_end(const struct entry_file *file, uint64_t address);

/* Of variables without an initial value (.bss). */
uint64_t entry_zero_bytes(const struct entry_file *file);

/* What a mapping of the file's byte `offset` to `address` in memory adds to the addresses
 * of the file; false when that part of the file is not loaded, or no code. */
bool entry_bias(const struct entry_file *file, uint64_t offset, uint64_t address,
                uint64_t *bias);

#endif
