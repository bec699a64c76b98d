/* Accessors in a statement of C++ that becomes a function of its own. */
#ifndef VARIANTS_CLANG_ACCESS_H
#define VARIANTS_CLANG_ACCESS_H

#include "variants/clang/clang_tree.h"

/* An array or a number of an object, as a parameter. */
struct ct_parameter {
    const char *name, *declaration; /* "x", "double *x" */
    const char *argument;           /* "&domain.x(0)" */
    bool is_array;
};

struct ct_edit {
    size_t begin, end; /* in the source; inside of another one it does not count */
    const char *text;
};

/* A use of a variable that the new text does not name. */
struct ct_consumed {
    const struct ct_decl *decl;
    size_t at; /* as in ct_use */
};

struct ct_access {
    const struct ct_parameter *parameter;
    size_t parameter_nr;
    const struct ct_edit *edit;
    size_t edit_nr;
    const struct ct_consumed *consumed;
    size_t consumed_nr;
    const char *helpers;       /* functions that it calls and that got objects */
    const char *guard;         /* when the arguments may be asked for; NULL = always */
    struct ct_trouble trouble; /* why not */
};

/* Of the loop at begin in the function; empty in C. `source` is the file's text. */
struct ct_access ct_access(struct ct_file *file, const struct ct_function *function,
                           const char *source, size_t begin, size_t end);

#endif
