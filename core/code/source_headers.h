/* What a compiler read for one source file of a program: from its debug information. */
#ifndef CORE_CODE_SOURCE_HEADERS_H
#define CORE_CODE_SOURCE_HEADERS_H

struct strvec;

/* Adds the absolute paths of the files that lines of code or declarations of `source` are
 * from, with links resolved, those of them that are here. Nothing where the program
 * cannot be read or says nothing about that file. */
void source_headers(const char *program, const char *source, struct strvec *files);

#endif
