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
/* Is `inner` within `outer`? */
bool place_holds(const struct place *outer, const struct place *inner);
bool is_read(const struct frozen *frozen, const struct place *place);

/* What is there already is not added twice. */
void frozen_add(struct frozen *frozen, enum ir_frozen_kind kind, const char *name,
                const char *subject, const char *value);

/* The tokens of the place as text without comments, blanks made one. */
const char *place_text(struct ct_clang *clang, const struct place *place);

/* clang_macro.c: what the macros in the text that counts become. */
void frozen_macros(struct frozen *frozen);
/* A macro is used there. */
bool place_has_macro(const struct frozen *frozen, const struct place *place);

/* clang_branch.c: the #if in that text, and around that of other functions. */
void frozen_branches(struct frozen *frozen);
/* Does the place of the main file lie in an #if? */
bool place_is_conditional(const struct frozen *frozen, const struct place *place);

#endif
