/*
 * The front end's own representation of one function: no libclang type survives parsing,
 * no isl type stands here. Written by parse.c, read by the model, the generator and the
 * printer. Everything is owned by the ir_function's arena and freed with it.
 */
#ifndef VARIANTS_IR_H
#define VARIANTS_IR_H

#include "core/base.h"

enum ir_scalar { IR_VOID, IR_BOOL, IR_INT, IR_FLOAT, IR_RECORD, IR_OTHER };

struct ir_type {
    const char
        *text; /* as the user would write it: "double", "unsigned long", "uint32_t" */
    enum ir_scalar scalar; /* of the element, for pointers and arrays */
    bool is_unsigned, is_const, is_restrict, is_volatile;
    bool may_alias; /* by an attribute of the type: C's rule for types does not hold */
    size_t bytes;   /* of the element */
    int pointers;   /* levels of indirection left when used: 0 = a scalar, 1 = pointer or
                       array of elements ... */
    const char *full; /* the whole type as C text, such as "double (*)[m]"; NULL = text
                         and `pointers` stars say it all */
};

/* FIELD: a path of fields without subscripts from a variable, `g->nx` or `g.box.v`, as a
 * variable of its own. */
enum ir_role { IR_PARAM, IR_LOCAL, IR_GLOBAL, IR_FUNCTION, IR_FIELD };

struct ir_symbol {
    const char *name;
    enum ir_role role;
    struct ir_type type;
    struct ir_expr **dim; /* declared array dimensions, outermost first; NULL entry = not
                             given (first one of A[][m]) */
    size_t dim_nr;        /* 0 for scalars and plain pointers */
    bool is_written; /* assigned anywhere in the function (the variable itself, not what
                        it points to) */
    bool in_loop;    /* declared inside a loop */
    bool is_static;  /* storage class of a local or global */
    bool pointer_to_array;  /* declared as (*A)[m]: dim[0] is NULL, dim[1] is m */
    bool address_taken;     /* & somewhere; counts as written too */
    bool is_reference;      /* PARAM of C++: `const int &n`, `Grid &g`; type is what it
                               refers to */
    const char *as_written; /* declaration text (no initialiser) of a type that the fields
                               above cannot describe; else NULL */
    struct ir_symbol *base; /* FIELD: the variable it is reached from */
    const char *path;       /* FIELD: what follows the base: "->nx"; name = both */
    bool is_pure; /* FUNCTION defined in this file: reads its arguments and constants
                     only, writes its own locals only, calls nothing that is not pure */
    bool is_thread_local;
    bool is_math; /* FUNCTION: one of <math.h>; no body of this file has its name */
    bool
        is_replaced; /* a pointer whose uses became uses of what it points into; it has
                        no mention left, but its declaration may stand outside the nest */
    int id;          /* index in ir_function.symbol */
    int line;
};

/* What MEMBER says of the field. */
struct ir_field {
    size_t record_bytes;  /* of the struct or union that it is a member of */
    size_t offset;        /* in it, bytes; of a bit-field that of the byte it begins in */
    size_t bytes;         /* of the whole field, arrays included */
    const long long *dim; /* elements of an array field, outermost first */
    size_t dim_nr;
};

enum ir_kind {
    IR_LITERAL, /* text; value when integer */
    IR_NAME,    /* symbol */
    IR_INDEX,   /* arg[0][arg[1]] */
    IR_MEMBER,  /* arg[0].text or arg[0]->text (is_arrow) */
    IR_UNARY,   /* op arg[0]; includes ++ -- (prefix or postfix), & and * */
    IR_BINARY,  /* arg[0] op arg[1], also "," */
    IR_ASSIGN,  /* arg[0] op arg[1], op "=", "+=" ... */
    IR_COND,    /* arg[0] ? arg[1] : arg[2] */
    IR_CALL, /* text = callee as printed; symbol when it is a name declared in the source;
                args */
    IR_CAST, /* (type) arg[0], explicit ones only */
    IR_RAW /* text the parser does not take apart; opaque; arg = the NAMEs it mentions */
};

struct ir_expr {
    enum ir_kind kind;
    const char
        *op; /* operator as written, static string; "post++" and "post--" for postfix */
    const char *text;         /* literal, member name, raw text, callee */
    struct ir_symbol *symbol; /* NAME, and CALL when declared here */
    struct ir_type type;      /* of the value; for CAST the target */
    struct ir_expr **arg;
    size_t arg_nr;
    bool is_arrow, has_value;
    bool is_ours;   /* BINARY that is not the source's */
    bool is_shared; /* MEMBER of a union, or a bit-field: other members share its bytes */
    const struct ir_field *field; /* MEMBER; NULL when the compiler does not tell */
    long long
        value; /* integer constants (also folded macros and enumerators) when has_value */
    int line, column;
};

enum ir_stmt_kind {
    IR_BLOCK,  /* child[] */
    IR_FOR,    /* see loop fields */
    IR_WHILE,  /* while and do: opaque control; cond, child[0] */
    IR_IF,     /* cond; child[0] then, child[1] else (may be NULL) */
    IR_EXPR,   /* expr */
    IR_DECL,   /* symbol, expr = initialiser or NULL */
    IR_RETURN, /* expr or NULL */
    IR_JUMP,   /* break, continue, goto: text */
    IR_EMPTY,
    IR_OPAQUE /* anything else: text, why it is opaque, expr = RAW with the NAMEs it
                 mentions */
};

struct ir_stmt {
    enum ir_stmt_kind kind;
    struct ir_stmt **child;
    size_t child_nr;
    struct ir_expr *expr;     /* EXPR, DECL, RETURN */
    struct ir_expr *cond;     /* IF, WHILE, FOR (as written) */
    struct ir_symbol *symbol; /* DECL */
    /* FOR in the form `for (it = lower; it < upper; it += step)`: canonical is set and
     * these are filled; other forms keep only init/cond/increment. For downward loops
     * step is negative and cmp is > or >=. */
    bool canonical;         /* when not: init, cond and increment may each be NULL */
    bool declares_iterator; /* for (int i = ...) */
    struct ir_symbol *iterator;
    struct ir_expr *lower, *upper; /* as written; cmp says whether upper is inclusive */
    const char *cmp;               /* "<" "<=" ">" ">=" "!=" */
    long long step;
    struct ir_stmt *init; /* non-canonical FOR */
    struct ir_expr *increment;
    bool is_do;       /* WHILE: do child[0] while (cond); */
    const char *text; /* OPAQUE, JUMP; WHILE: as in the source, if it can be told */
    const char *why;  /* OPAQUE: what it is, for messages */
    int line, end_line;
    size_t begin,
        end; /* byte range in the file, of the expansion; end is behind the ';' or '}' */
    bool from_macro; /* starts inside a macro: its range is that of the macro call */
    struct ir_pragma *pragma; /* pragmas attached to this statement, linked */
};

/* `#pragma inflight WORDS` and every other pragma of the file. */
struct ir_pragma {
    const char *text; /* behind "#pragma " */
    bool ours;
    int line;
    size_t begin, end; /* whole line(s) with the newline; of `_Pragma("...")`, which is
                          never ours, that alone */
    struct ir_pragma *next;     /* of the same function or statement */
    struct ir_pragma *next_all; /* of the file */
    bool applies; /* ours, and before the function (behind the one above it) or anywhere
                     inside */
};

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
    struct ir_linkage linkage;
    const char *source; /* the whole file */
    size_t source_length;
    struct ir_type result;
    struct ir_symbol **symbol; /* all: parameters first, in order */
    size_t symbol_nr, param_nr;
    struct ir_stmt *body;
    int line, end_line;
    size_t begin, end;           /* byte range of the definition */
    size_t body_begin, body_end; /* byte range of the { ... } body */
    bool is_static;
    const struct ir_frozen *frozen;
    size_t frozen_nr;
    struct ir_names macros;   /* defined before the function's end */
    struct ir_names declared; /* outside of all functions, also in headers */
    bool types_alias;         /* -fno-strict-aliasing: memory may be of several types */
    struct ir_pragma *pragma; /* ours that belong to the function: before it, or inside
                                 before the first loop */
    struct ir_pragma *all_pragma; /* every pragma of the file, in order, chained through a
                                     second list: see next_all */
    struct ir_arena *arena;
};

/* parse.c: finds and reads the function. `line` and `function` as in kernel_request.
 * `text`: what stands in place of the file's contents (tunables with other values); NULL
 * = the file's own. */
int ir_parse(const char *path, const char *text, int line, const char *function,
             const struct strvec *cflags, struct ir_function **out, struct error *err);
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
struct ir_expr *ir_copy(struct ir_arena *arena, const struct ir_expr *expr);
/* A copy of expr with every NAME of symbol[i] replaced by a copy of by[i]. */
struct ir_expr *ir_substitute(struct ir_arena *arena, const struct ir_expr *expr,
                              struct ir_symbol *const *symbol, struct ir_expr *const *by,
                              size_t nr);
struct ir_stmt *ir_stmt_new(struct ir_arena *arena, enum ir_stmt_kind kind,
                            size_t children);

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
/* Calls visit for expr and all below, parents first. */
void ir_visit(struct ir_expr *expr, void (*visit)(struct ir_expr *expr, void *data),
              void *data);

/* ---- ir_walk.c ---- */

bool stmt_breaks_out(const struct ir_stmt *
                         body); /* break or continue that binds to the loop around body */
const struct ir_stmt *stmt_find(const struct ir_stmt *stmt,
                                bool (*is)(const struct ir_stmt *, const void *),
                                const void *data);
/* Every expression below stmt, once each, in order. */
void stmt_exprs(const struct ir_stmt *stmt,
                void (*visit)(struct ir_expr *expr, void *data), void *data);

/* math_functions.c: a function of <math.h>, or of C++ "std::sqrt", "std::max<double>",
 * that depends on its arguments alone. */
bool math_function(const char *name);
/* It is declared as the standard has it: "double (double)". */
bool math_prototype(const char *name, const char *type);
/* A call of such a function, which no body in the file makes another. */
bool expr_is_math(const struct ir_expr *call);

/* print.c: C text with minimal parentheses; integer sums of constants folded. */
void ir_print_expr(struct buf *out, const struct ir_expr *expr);
void ir_print_stmt(struct buf *out, const struct ir_stmt *stmt, int indent);
void ir_print_declaration(
    struct buf *out, const struct ir_symbol *symbol); /* "double A[n][m]" without ';' */

#endif
