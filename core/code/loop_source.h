/* From lines of a machine loop to the loop of the source. Pure. */
#ifndef CORE_CODE_LOOP_SOURCE_H
#define CORE_CODE_LOOP_SOURCE_H

#include <stddef.h>

/* The line, counted from 1, on which the loop begins that code of these lines (ascending)
 * belongs to: the first of them with a word that begins loops in this language; else the
 * nearest line above them that has one, down to the function's own line. 0 = not found.
 * `language` as of image_function; NULL = C. */
int loop_source_line(const char *text, const char *language, const int *line, size_t nr,
                     int function_line);

#endif
