/*
 * What libclang knows of a C or C++ file, as a plain tree: no cursor leaves the clang_*.c
 * files.
 * Macros are expanded; parentheses, implicit casts and attributed statements are stepped
 * through. Everything but the open file lives in the arena given to ct_open.
 */
#ifndef VARIANTS_CLANG_TREE_H
#define VARIANTS_CLANG_TREE_H

#include "core/base/array.h"
#include "core/base/error.h"
#include "variants/ir/ir.h"

enum ct_kind {
    CT_LITERAL, /* text, value; also enumerators */
    CT_NAME,    /* decl */
    CT_INDEX,
    CT_MEMBER, /* text; child[0] the base */
    CT_UNARY,  /* op */
    CT_BINARY,
    CT_ASSIGN,
    CT_COND,
    CT_CALL,   /* child[0] the callee */
    CT_CAST,   /* child[0]; type is the target */
    CT_SIZEOF, /* value if constant */
    CT_LIST,   /* { ... } */
    CT_EXPR,   /* any other expression */
    CT_BLOCK,
    CT_IF,
    CT_FOR,   /* those of its four parts that are there */
    CT_WHILE, /* condition, body */
    CT_DO,    /* body, condition */
    CT_RETURN,
    CT_JUMP, /* text "break", "continue" */
    CT_EMPTY,
    CT_DECLS, /* children CT_VAR, or others */
    CT_VAR,   /* decl; child[0] = initialiser */
    CT_STMT   /* any other statement or declaration */
};

struct ct_decl {
    /* as_written: only for types that the rest cannot tell, as in ir_symbol */
    const char *name, *as_written;
    enum ir_role role;
    struct ir_type type;
    struct ct_node **dim; /* outermost first; NULL entry = not given */
    size_t dim_nr;
    bool pointer_to_array, is_static, has_value, is_reference;
    bool by_pointer; /* a local reference, read as the pointer that it could be */
    bool implicit;   /* a builtin: declared nowhere */
    bool is_thread_local;
    const struct known_function *known; /* FUNCTION: as ir_symbol.known */
    struct ct_function *body; /* FUNCTION: once asked for by ct_body; NULL = not defined
                                 in this file or its headers */
    bool body_sought;
    enum { CT_PURE_UNKNOWN, CT_PURE, CT_IMPURE } pure; /* for the reader */
    const struct ir_effects *effects; /* FUNCTION, for the reader: once asked for */
    bool effects_sought;
    long long value; /* of a const integer with a constant initialiser */
    int line;
    struct ir_symbol *symbol; /* for the reader */
};

struct ct_node {
    enum ct_kind kind;
    const char *what; /* the construct in words: "a switch statement" */
    const char *text, *op;
    struct ct_decl *decl;
    struct ir_type type;
    bool arrow, shared, has_value;
    bool is_label;   /* STMT: `name: statement`, whose statement is the child */
    bool is_switch;  /* STMT: the number, the block */
    bool is_case;    /* STMT: the number, not of `default`, and the statement */
    bool is_touched; /* a place: perhaps set where it stands, its address kept */
    bool is_kept;    /* C++ that is not read: EXPR or STMT, `what` says why; the children
                        are the names in it, and what it declares */
    const struct ir_field *field; /* MEMBER */
    long long value;
    /* starts in the expansion of a macro; begin and end are those of the macro call */
    bool in_macro;
    bool elsewhere; /* stands in another file */
    int line, column, end_line;
    size_t begin, end;
    /* Of an argument of a macro, where that is written; else as begin and end. */
    size_t spelt_begin, spelt_end;
    struct ct_node **child;
    size_t child_nr;
};

/* What stands in the way of a function. text NULL = nothing. */
struct ct_trouble {
    const char *text; /* the construct, and behind "; " the remedy if there is one */
    int line, column;
};

struct ct_function {
    const char *name;      /* without its scopes */
    const char *qualified; /* with them: "ns::Matrix::scale" */
    const char *full;      /* and with the types of its parameters */
    bool is_static, has_loop;
    int line, end_line;
    size_t begin, end;
    struct ct_trouble trouble;
    bool has_error; /* the trouble is that libclang takes it for no C, or no C++ */
    struct ct_trouble asks; /* what is kept and uses an object that the caller has */
    /* The rest is filled by ct_read. */
    struct ir_type result;
    struct ir_linkage linkage;
    struct ct_decl **param;
    size_t param_nr;
    struct ct_node *body;
};

struct ct_range {
    size_t begin, end;
};

/* A macro used in the file, and the tokens that it becomes. */
struct ct_macro_use {
    struct ct_range place; /* arguments included */
    const char *text;      /* NULL = not known */
    bool pastes;           /* `#` or `##` on the way */
    const char *placed;    /* "__LINE__", __COUNTER__ and others that it is made of, whose
                              value depends on the place; NULL = none */
};

/* A pragma that the file has under another name: in a macro, or what it includes inside
 * of a function, which may hold any. */
struct ct_pragma {
    struct ct_range place; /* of the use of the macro, arguments included */
    const char *name;      /* of the macro; "#include" */
    const char *text;      /* behind "#pragma "; NULL = not known */
};

struct ct_file {
    struct ct_function *function; /* definitions in the file itself, in order */
    size_t function_nr;
    struct ct_range *skipped; /* left out by the preprocessor */
    size_t skipped_nr;
    struct ct_pragma *pragma; /* in order */
    size_t pragma_nr;
    bool is_cplusplus;
    size_t
        error_nr; /* all inside of functions: the compiler may know more than libclang */
    const char *error; /* the first, with its place; NULL = none */
    struct ct_clang *clang;
};

/* Parses source (the content of path). A compile error outside of all functions is
 * STATUS_INPUT with the compiler's first message and its place; one inside is trouble of
 * that function, which is not read, nor where others call it. ct_close in either case. */
int ct_open(struct ct_file *file, const char *path, const char *source, size_t length,
            const struct strvec *args, struct ir_arena *arena, struct error *err);
void ct_close(struct ct_file *file);

/* A function that is not among those of the file, though it is defined once this is
 * compiled: by a macro at `line`, or in a header (path; NULL = by a macro). */
struct ct_elsewhere {
    const char *name, *path;
    int line;
};
/* One of this name; else of a macro at this line; else one with a loop. name NULL = none.
 */
struct ct_elsewhere ct_find_elsewhere(const struct ct_file *file, const char *name,
                                      int line);

/* C++: calls in the function that only run a lambda for each number, as the loops that
 * they are: the text of the whole file, its lines where they were; NULL = there are none.
 * `line`: only the call that is there; 0 = all, -1 = none. `trouble`: of the first that
 * is not the same as a loop. In the arena. */
const char *ct_written_loops(struct ct_file *file, const struct ct_function *function,
                             const char *source, int line, struct ct_trouble *trouble);
/* Reads the parameters and the body; of a method `this` is the first parameter. Nothing
 * is read where there is trouble, unless all of it can be kept and `keeps` asks for that:
 * then `trouble` says the first that is. */
void ct_read(struct ct_file *file, struct ct_function *function, bool keeps);
/* The body alone, whatever stands in the way of the function as a whole: for what is
 * taken out of it. Of templates nothing. */
void ct_read_body(struct ct_file *file, struct ct_function *function);
/* Names that new code in the function meets: macros that are defined before its end,
 * predefined ones too; `plain` those that have no parameters; and what is declared
 * outside of all functions. */
void ct_read_names(struct ct_file *file, const struct ct_function *function,
                   struct ir_names *macros, struct ir_names *plain,
                   struct ir_names *declared);
/* The function as it is defined in this file or one of its headers, read; NULL when it is
 * not. */
struct ct_function *ct_body(struct ct_file *file, struct ct_decl *decl);

/* A variable of the function that it names somewhere. */
struct ct_use {
    struct ct_decl *decl;
    size_t at;
    bool is_inside; /* of the statement that was asked about */
};
/* All of them in the function, in order, also in the sizes of types; in the arena.
 * `trouble`: the first thing that keeps the statement at begin from being moved out of
 * the function. */
size_t ct_uses(struct ct_file *file, const struct ct_function *function, size_t begin,
               size_t end, const struct ct_use **use, struct ct_trouble *trouble);

struct ct_storage {
    bool is_static, is_register, is_array, is_param, is_reference, has_initialiser;
    size_t at;              /* of its name */
    const char *type;       /* "double", "double[8][m]", "double (*)[5]" */
    const char *dimensions; /* of an array, as written: "[N][M]"; NULL = as in `type` */
    const char *trouble;    /* why nothing outside of the function can be of its type */
};
struct ct_storage ct_storage(struct ct_file *file, const struct ct_decl *decl);
/* "double *sum_out" for the declarator "*sum_out". */
const char *ct_declaration(struct ir_arena *arena, const struct ct_storage *storage,
                           const char *declarator);
/* Of a function of the file. */
struct ct_decl *ct_declared(struct ct_file *file, const struct ct_function *function);
/* The functions of the file that call `function`, read, of C++ no methods; in the arena.
 */
size_t ct_callers(struct ct_file *file, const struct ct_function *function,
                  struct ct_function ***callers);

/* By parameters, [a * param_nr + b]: every call of the function gives the two different
 * arrays, or none. NULL = not all calls are known. In the arena. */
const bool *ct_apart(struct ct_file *file, const struct ct_function *function,
                     const char *source);

struct ct_outside {
    const struct ir_frozen *frozen;
    size_t frozen_nr;
    const struct ct_macro_use *use; /* macros in the body, those in the file itself */
    size_t use_nr;
    size_t placed_end; /* in the file, behind the last macro with `placed`; 0 = none */
};

/*
 * What the meaning of the function that was read, and of those that it calls and that
 * have a body here, rests on outside of their text: macros, enumerators, constants, types
 * of the user's, #if. `source` and `args` as given to ct_open. In the arena.
 */
struct ct_outside ct_frozen(struct ct_file *file, const struct ct_function *function,
                            const char *path, const char *source,
                            const struct strvec *args);

/* ---- a file before and after ---- */

/* What stood in [begin, end), which may be empty, is [now_begin, now_end) now. */
struct ct_change {
    size_t begin, end, now_begin, now_end;
    bool is_size;    /* of an array, whose type changes by it */
    bool is_several; /* in a block several statements may stand there */
};

/* The file as it was read, with the arguments of ct_open, which all outlive it. */
struct ct_same;
struct ct_same *ct_same_open(const char *path, const char *source, size_t length,
                             const struct ir_names *args);
void ct_same_close(struct ct_same *same);
/* The new text compiles, and outside of the edits, which are in order, it is the file:
 * byte by byte, and as the compiler sees it. Each edit that takes something out puts one
 * statement in its place; what is put in where nothing was declares something. Else
 * STATUS_INTERNAL. */
int ct_same_check(struct ct_same *same, const char *text, size_t length,
                  const struct ct_change *edit, size_t nr, struct error *err);
#endif
