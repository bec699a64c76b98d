/* With what a source file of a program was compiled, where debug information tells. */
#ifndef CORE_CODE_PRODUCER_H
#define CORE_CODE_PRODUCER_H

/* DW_AT_producer of the unit that was compiled from `file` (its name without folders):
 * "GNU C17 12.2.0 -march=x86-64 -g -O2"; gcc puts its flags there, clang only with
 * -grecord-command-line. NULL = not known. Caller frees. */
char *producer_of(const char *program, const char *file);

/* The flags in it that decide how fast code is (-O, -march, -mavx2, -ffast-math,
 * -fopenmp ...), separated by blanks; "" = it has none. Caller frees. */
char *producer_flags(const char *producer);

#endif
