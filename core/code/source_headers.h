/* What a compiler read for one source file of a program, and what it was told: from its
 * debug information. */
#ifndef CORE_CODE_SOURCE_HEADERS_H
#define CORE_CODE_SOURCE_HEADERS_H

struct strvec;

/* Adds the absolute paths of the files that lines of code or declarations of `source` are
 * from, with links resolved, those of them that are here. Nothing where the program
 * cannot be read or says nothing about that file. */
void source_headers(const char *program, const char *source, struct strvec *files);

/* As much of the command that compiled `source` as the debug information keeps: a
 * compiler of its language, the flags that its producer names, and -D and -U of its
 * macros (with -g3: those of the command line, not what compilers define by themselves).
 * `dir`: the folder that the compiler ran in; caller frees. Nothing, and NULL, where
 * nothing is said about that file. */
void source_command(const char *program, const char *source, struct strvec *command,
                    char **dir);

#endif
