/* What clang_frozen.c, clang_macro.c and clang_branch.c share: from where a function's
 * meaning comes that is not in its text. */
#ifndef VARIANTS_CLANG_FROZEN_H
#define VARIANTS_CLANG_FROZEN_H

#include "variants/clang/clang_cursor.h"

struct place {
    CXFile file;
    unsigned begin, end;
};

struct frozen {
    struct ct_clang *clang;
    const char *path, *source; /* of the main file */
    const struct strvec *args;
    size_t body;         /* behind the brace that opens the function's body */
    struct cursors read; /* functions and constants whose text counts; the first is the
                            function itself */
    struct cursors expansion, definition; /* of macros, in the whole unit */
    struct ir_frozen *item;
    size_t nr, alloc;
};

struct place extent_of(CXCursor cursor);
#endif
