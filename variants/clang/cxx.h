/*
 * C++ beside C: which files are C++, who compiles them, and C text as C++ spells it. What
 * is read of C++ is in clang_cxx.c. Private to variants.
 */
#ifndef VARIANTS_CXX_H
#define VARIANTS_CXX_H

#include "core/base.h"

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
