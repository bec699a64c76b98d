/* What the files entry*.c share. Private to core/code. */
#ifndef CORE_CODE_ENTRY_PARTS_H
#define CORE_CODE_ENTRY_PARTS_H

#include <elfutils/libdw.h>
#include <gelf.h>

#include "core/code/entry.h"

struct entry_file {
    char *path;
    int fd;
    Elf *elf;
    Dwarf *dwarf; /* NULL = no debug information */
};

/* Calls `look` for every symbol with a value; stops when it returns false. */
typedef bool symbol_look(void *data, const char *name, const GElf_Sym *symbol);
void entry_each_symbol(const struct entry_file *file, symbol_look *look, void *data);

#endif
