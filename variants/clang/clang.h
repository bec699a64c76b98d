/*
 * The flags that a source is read and compiled with, and C++ beside C: which files are
 * C++, who compiles them, and C text as C++ spells it.
 */
#ifndef VARIANTS_CLANG_CLANG_H
#define VARIANTS_CLANG_CLANG_H

#include <stdbool.h>

struct error;
struct strvec;

/*
 * The flags to read and compile `source` with: what a compile_commands.json says and
 * `own`, which wins: its folders are searched first, its other flags come last. Of the
 * database only what changes the meaning of the source is taken: -I, -isystem, -iquote,
 * -idirafter, -include, -imacros (made absolute by the entry's "directory"), -D, -U,
 * -std=, -ansi, -pthread, -m32, -m64, -mx32, and of -f: [un]signed-char, short-enums,
 * wrapv, no-strict-aliasing, ms- and plan9-extensions, gnu89-inline, no-exceptions,
 * no-rtti, permissive, [no-]char8_t, concepts. A file that is compiled as C++ and does
 * not look like it gets -xc++. `database`: its path, "none", or NULL = the first that
 * names the source among those beside it, in the folders above, and in their build/, then
 * those of the folder of `program` (NULL = none) likewise; then none is fine. A named one
 * must exist and name the source. `flags` is added to. `found` (may be NULL): the one
 * that names the source; caller frees; NULL = none.
 */
int compile_commands_flags(const char *database, const char *source, const char *program,
                           const struct strvec *own, struct strvec *flags, char **found,
                           struct error *err);
/* The same of a command that was told otherwise: `command` begins with the compiler,
 * `dir` (NULL = not known) is where it ran. */
void command_flags(const struct strvec *command, const char *dir, const char *source,
                   const struct strvec *own, struct strvec *flags);

/* Are these flags fit for a kernel? Taken are -I, -D, -U, -std= and their kin, -O, -f,
 * -m, -W and -g, as far as none loads code (plugins), starts another program, reads
 * options from a file or writes one. STATUS_USAGE with the first that is not. */
int flags_check(const struct strvec *flags, struct error *err);
/* Of a record, which may be somebody else's: -O, -f and -m alone (STATUS_INPUT). */
int flags_check_recorded(const struct strvec *flags, struct error *err);

/* By the flags (-x c++), else by the ending of the name. */
bool cxx_is_source(const char *path, const struct strvec *flags);
/* Does the compiler's name, or do its flags, say C++? `command` begins with the compiler.
 */
bool cxx_is_command(const struct strvec *command);

/* The compiler of the same kind and version that takes C++, "g++-12" for "gcc-12", or C.
 * A name that says neither stays as it is. Caller frees. */
char *cxx_compiler(const char *compiler, bool cplusplus);

/* Generated C with the words that C++ spells differently, such as restrict. Caller frees.
 */
char *cxx_spelling(const char *text);

#endif
