/* From addresses in a program's file to lines of its source. */
#ifndef CORE_CODE_SOURCE_LINES_H
#define CORE_CODE_SOURCE_LINES_H

#include <stddef.h>
#include <stdint.h>

struct source_line {
    char *file; /* as the compiler was told it; caller frees. NULL = not known */
    int line;
};

/* Fills `line` for each address, which counts as the program's file does, wherever the
 * program was loaded. Code that was inlined has the line it was written on. A program
 * that cannot be read, or that says nothing about lines, leaves them unknown; so does
 * address 0. */
void source_lines_find(const char *program, const uint64_t *address, size_t nr,
                       struct source_line *line);

#endif
