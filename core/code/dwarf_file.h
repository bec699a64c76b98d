/* Private to core/code: the debug information of a program by its path. */
#ifndef CORE_CODE_DWARF_FILE_H
#define CORE_CODE_DWARF_FILE_H

#include <elfutils/libdw.h>

struct dwarf_file {
    int fd;
    Dwarf *dwarf; /* NULL = it cannot be read, or has none */
};

/* Caller closes, also what has none. */
struct dwarf_file dwarf_file_open(const char *path);
void dwarf_file_close(struct dwarf_file *file);

#endif
