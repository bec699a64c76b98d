/*
 * The front end's own representation of one function, and how parts of it are made,
 * walked and printed. Everything is owned by the ir_function's arena and freed with it.
 */
#ifndef VARIANTS_IR_IR_H
#define VARIANTS_IR_IR_H

#include <stdbool.h>
#include <stddef.h>

#include "variants/ir/functions.h"
#include "variants/ir/ir_tree.h"

struct buf;

struct ir_arena;
struct ir_use;

/*
 * What stands elsewhere than in the text of the function and decides on what that text
 * means: the model knows the value only, so rewritten code is right for that alone.
 */
enum ir_frozen_kind {
    FROZEN_TEXT,  /* a use of a macro: subject is the use, value what it becomes */
    FROZEN_VALUE, /* subject == value */
    FROZEN_TYPE,  /* subject is a type, or `__typeof__(x)`; value the one that it is */
    FROZEN_HOLDS, /* subject is a condition */
    FROZEN_BRANCH /* subject: the lines of an #if without what they enclose, a line
                     "#error" in each branch that was left out */
};
struct ir_frozen {
    enum ir_frozen_kind kind;
    const char *name, *subject, *value; /* name = value is said to the reader */
};

/* What the calls in the file give for an integer parameter, where they all give the same.
 */
struct ir_given {
    const struct ir_symbol *param;
    long long value;
    const char *caller; /* the function that makes the first of the calls */
    int line;
};

/* A call of the function in a loop of another one of the file. */
struct ir_caller {
    const char *name; /* of the other one */
    int line;
};

/* How a C++ function is called from outside of all scopes; of a C function only
 * `symbol`. */
struct ir_linkage {
    const char *symbol; /* for the linker: mangled, or the plain name */
    const char *callee; /* "ns::Matrix::scale" */
    const char *type;   /* of the function, without its class: "void (int, double *)" */
    const char *record; /* the class that it is called for, "ns::Matrix"; NULL = none */
    const char *scope;  /* namespaces around it, "ns::detail"; "" = none */
};

/* In the order of strcmp. */
struct ir_names {
    const char **item;
    size_t nr;
};
bool ir_has_name(const struct ir_names *names, const char *name);

struct ir_function {
    const char *path;
    const char *name; /* no other function of the file is found by it: "scale", of C++
                         "Matrix::scale" or "scale(int, double *)" if need be */
    const char *word; /* the name alone, for identifiers made of it */
    bool is_cplusplus;
    const char *kept; /* C++: there are statements that stay as they are written: the
                         first of them, as a whole sentence; NULL = there are none */
    const char
        *asks; /* the first of those that uses an object that only the caller has */
    struct ir_linkage linkage;
    const char *source; /* the whole file */
    size_t source_length;
    struct ir_type result;
    struct ir_symbol **symbol; /* all: parameters first, in order */
    size_t symbol_nr, param_nr;
    const bool *apart; /* by parameters, [a * param_nr + b]: all calls give the two
                          different arrays; NULL = not known */
    struct ir_stmt *body;
    int line, end_line;
    size_t begin, end;           /* byte range of the definition */
    size_t body_begin, body_end; /* byte range of the { ... } body */
    bool is_static;
    const struct ir_frozen *frozen;
    size_t frozen_nr;
    const struct ir_given *given;
    size_t given_nr;
    const struct ir_caller *caller;
    size_t caller_nr;
    const struct ir_use *use; /* macros in the body: see spelling.h */
    size_t use_nr;
    size_t placed_end; /* in the file, behind the last macro such as __LINE__, whose value
                          depends on the place; 0 = there is none */
    struct ir_names macros;       /* defined before the function's end */
    struct ir_names plain_macros; /* those of them without parameters */
    struct ir_names declared;     /* outside of all functions, also in headers */
    bool types_alias;         /* -fno-strict-aliasing: memory may be of several types */
    bool sets_errno;          /* no -fno-math-errno */
    struct ir_names args;     /* that libclang reads it with */
    bool is_c89;              /* by the flags: what is written must be C89, too */
    struct ir_pragma *pragma; /* ours that belong to the function: before it, or inside
                                 before the first loop */
    struct ir_pragma *all_pragma; /* every pragma of the file, in order, chained through a
                                     second list: see next_all */
    struct ir_arena *arena;
};

void ir_function_free(struct ir_function *function);

/* Memory that lives as long as the function. The generator uses it too. */
struct ir_arena *ir_arena_new(void);
void ir_arena_free(struct ir_arena *arena);           /* NULL is fine */
void *ir_alloc(struct ir_arena *arena, size_t bytes); /* cleared */
const char *ir_text(struct ir_arena *arena, const char *text);
const char *ir_textf(struct ir_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
struct ir_expr *ir_expr_new(struct ir_arena *arena, enum ir_kind kind, size_t args);
struct ir_expr *ir_integer(struct ir_arena *arena, long long value);
struct ir_expr *ir_name(struct ir_arena *arena, struct ir_symbol *symbol);
struct ir_expr *ir_binary(struct ir_arena *arena, const char *op, struct ir_expr *a,
                          struct ir_expr *b);
/* A comparison, or what joins or turns them: its value is 0 or 1. */
bool expr_is_truth(const struct ir_expr *expr);
bool expr_is_step(const struct ir_expr *expr);       /* ++ or -- */
bool expr_is_polynomial(const struct ir_expr *expr); /* a + b, a - b, a * b */
bool expr_sets(const struct ir_expr *expr);          /* that, or any assignment */
/* Evaluated once more it gives the same, and does nothing. */
bool expr_is_repeatable(struct ir_expr *expr);
extern const struct ir_type ir_int, ir_long;
struct ir_type ir_unsigned(const struct ir_type *type); /* of an integer, by its size */
struct ir_expr *ir_to_long(struct ir_arena *arena, struct ir_expr *expr); /* a cast */
/* op: "=", "+=", ... */
struct ir_expr *ir_assign(struct ir_arena *arena, const char *op, struct ir_expr *to,
                          struct ir_expr *value);
struct ir_expr *ir_copy(struct ir_arena *arena, const struct ir_expr *expr);
/* A copy of expr with every NAME of symbol[i] replaced by a copy of by[i]. */
struct ir_expr *ir_substitute(struct ir_arena *arena, const struct ir_expr *expr,
                              struct ir_symbol *const *symbol, struct ir_expr *const *by,
                              size_t nr);
struct ir_stmt *ir_stmt_new(struct ir_arena *arena, enum ir_stmt_kind kind,
                            size_t children);

/* A pointer to pointers to numbers: `double **a`, whose rows lie wherever its pointers
 * say. What it points to cannot be pointers to records, nor be of a qualified level. */
bool symbol_has_rows(const struct ir_symbol *symbol);
/* Subscripts from the variable to its elements: those that are declared, or one for each
 * level of pointers; 0 = a scalar. */
size_t symbol_levels(const struct ir_symbol *symbol);

/* Where the expression reaches the array otherwise than by its elements, each named by
 * all subscripts in the array's own type: its address, a row, a cast, what is handed on.
 * A prefetch of an element is none of these. NULL = nowhere. */
const struct ir_expr *expr_other_use(const struct ir_expr *expr,
                                     const struct ir_symbol *array);

/* The element that a chain of members and of subscripts between them starts from, such as
 * p[i] of p[i].pos.x[k]; NULL when expr is no MEMBER, or when a pointer is followed on
 * the way (`p[i].next->x`). `path` (".pos.x") and `offset` (of its first element from the
 * start of the record, bytes) are added to what they hold; NULL = not wanted. Its size is
 * the `type.bytes` of what is returned. */
struct ir_expr *ir_member_base(const struct ir_expr *expr, struct buf *path,
                               size_t *offset);

/* "post++" for both spellings: the operator as it stands in C text. */
const char *ir_op_text(const char *op);
/* Length of the byte order mark that a source begins with: 3, or 0 without one.
 * Compilers take it at the start of a file only. */
size_t ir_mark_bytes(const char *source);
/* The variable that the element or member is of; NULL = it is of none. */
const struct ir_symbol *expr_root(const struct ir_expr *expr);
/* Calls visit for expr and all below, parents first. */
void ir_visit(struct ir_expr *expr, void (*visit)(struct ir_expr *expr, void *data),
              void *data);

/* A FIELD that is an element: "d[0]". */
bool symbol_is_element(const struct ir_symbol *symbol);
/* A struct that the function reaches into, and not only through a subscript. */
bool symbol_has_fields(const struct ir_function *function,
                       const struct ir_symbol *symbol);
bool stmt_breaks_out(const struct ir_stmt *
                         body); /* break or continue that binds to the loop around body */
/* What the iterator of the canonical loop is behind it, where its bounds are left alone;
 * NULL = that cannot be written. */
struct ir_expr *ir_end_value(struct ir_arena *arena, const struct ir_stmt *loop);
const struct ir_stmt *stmt_find(const struct ir_stmt *stmt,
                                bool (*is)(const struct ir_stmt *, const void *),
                                const void *data);
/* A loop of a function that is called: it has no text of its own here. */
bool stmt_is_put_in(const struct ir_stmt *stmt);
/* Where no loop runs, it reads a variable that nothing has set: `int at; for (...) if
 * (...) at = i; return at;`. */
bool ir_needs_rounds(const struct ir_function *function);
/* It is the other one, or that is below. */
bool stmt_holds(const struct ir_stmt *stmt, const struct ir_stmt *other);
/* Every expression below stmt, once each, in order. */
void stmt_exprs(const struct ir_stmt *stmt,
                void (*visit)(struct ir_expr *expr, void *data), void *data);

/* C text with minimal parentheses; integer sums of constants folded. */
void ir_print_expr(struct buf *out, const struct ir_expr *expr);
/* A size of several, "n x (m + 1)"; `more`: behind others. */
void ir_print_extent(struct buf *out, const struct ir_expr *size, bool more);
void ir_print_stmt(struct buf *out, const struct ir_stmt *stmt, int indent);
void ir_print_declaration(
    struct buf *out, const struct ir_symbol *symbol); /* "double A[n][m]" without ';' */

#endif
