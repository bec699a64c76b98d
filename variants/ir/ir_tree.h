/*
 * The front end's own representation of one function, its parts: no libclang type
 * survives parsing, no isl type stands here. Written by the room parse, read by the
 * model, the generator and the printer.
 */
#ifndef VARIANTS_IR_IR_TREE_H
#define VARIANTS_IR_IR_TREE_H

#include <stdbool.h>
#include <stddef.h>

struct ir_expr;
struct known_function;
struct ir_pragma;
struct ir_spelling;
struct ir_spelt_stmt;

enum ir_scalar { IR_VOID, IR_BOOL, IR_INT, IR_FLOAT, IR_RECORD, IR_OTHER };

struct ir_type {
    const char
        *text; /* as the user would write it: "double", "unsigned long", "uint32_t" */
    enum ir_scalar scalar; /* of the element, for pointers and arrays */
    bool is_unsigned, is_const, is_restrict, is_volatile;
    bool is_movable; /* RECORD: numbers all through and no pointers, so that its bytes
                        mean the same elsewhere */
    bool may_alias;  /* by an attribute of the type: C's rule for types does not hold */
    size_t bytes;    /* of the element */
    int pointers;    /* levels of indirection left when used: 0 = a scalar, 1 = pointer or
                        array of elements ... */
    const char *full; /* the whole type as C text, such as "double (*)[m]"; NULL = text
                         and `pointers` stars say it all */
};

/* What a call does to the elements that a parameter points to. */
struct ir_effect {
    size_t param;
    bool write;
    bool is_known; /* only from `first` to `last`; else any */
    long long first, last;
};

/* Of a function that touches nothing but its own variables, constants, and what its
 * parameters point to. */
struct ir_effects {
    const struct ir_effect *item;
    size_t nr;
    bool ends;          /* it may end the program */
    bool never_returns; /* it does; what it does before is of no account */
};

/* FIELD: a path of fields without subscripts from a variable, `g->nx` or `g.box.v`, as a
 * variable of its own; or one element of an array of integers that the function does not
 * change, `d[0]`, which bounds a loop: that one belongs to the array's contents. */
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
    const struct ir_effects *effects; /* FUNCTION; NULL = it may do anything */
    bool is_thread_local;
    const struct known_function *known; /* FUNCTION: of the library; no body of this file
                                           has its name. NULL = it is none */
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
    bool is_bits;         /* a bit-field, which has no address */
    const long long *dim; /* elements of an array field, outermost first */
    size_t dim_nr;
    const long long *target; /* of a pointer to arrays, `real3 *r`: those of each */
    size_t target_nr;
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
    IR_RAW, /* text the parser does not take apart; opaque; arg = the NAMEs it mentions */
    IR_SPELT /* printing only: text that says arg[0]; none = in parentheses */
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
    bool is_ours;    /* BINARY that is not the source's */
    bool by_pointer; /* INDEX that the source spells by a pointer, which may go on from a
                        row to the next */
    const char *why; /* RAW: what it is, where a message is to say that; else NULL */
    bool is_shared; /* MEMBER of a union, or a bit-field: other members share its bytes */
    const struct ir_field *field; /* MEMBER; NULL when the compiler does not tell */
    long long
        value; /* integer constants (also folded macros and enumerators) when has_value */
    int line, column;
    size_t begin, end; /* byte range in the file; 0, 0 where it has none */
    const struct ir_spelling *spelling; /* as the file has it; see ir/spelling.h */
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
    struct ir_symbol *lower_name, *upper_name; /* of a bound that is read from memory: a
                                                  name for what it is while the loop runs;
                                                  NULL = it is not */
    long long step;
    struct ir_stmt *init; /* non-canonical FOR */
    struct ir_stmt *with; /* FOR: the block around it that is made of its text, before it
                             what the head does beside counting, which may be done again,
                             behind it what it leaves; NULL = it alone */
    struct ir_expr *increment;
    bool is_do;       /* WHILE: do child[0] while (cond); */
    const char *text; /* OPAQUE, JUMP; WHILE: as in the source, if it can be told */
    const char
        *why; /* OPAQUE: what it is, for messages; WHILE, FOR: why it does not count */
    int line, end_line;
    size_t begin,
        end; /* byte range in the file, of the expansion; end is behind the ';' or '}' */
    bool from_macro;  /* starts inside a macro: its range is that of the macro call */
    bool in_block;    /* in the file it is one of the statements of a block: several may
                         stand in its place; else it is the one that what is around takes */
    bool shares_text; /* FOR: more than this loop, or only the ';' that ends it, comes
                         from a macro */
    const struct ir_spelt_stmt *spelling; /* as the file has it; see ir/spelling.h */
    const char *comments;        /* lines above it, see SPELT_LINE; NULL = none */
    const char *remark;          /* a comment behind it on its line; NULL = none */
    size_t told_begin, told_end; /* its range with both */
    bool is_spelt;               /* printing only: with its comments, see ir_spell_stmt */
    struct ir_pragma *pragma;    /* pragmas attached to this statement, linked */
};

/* `#pragma inflight WORDS` and every other pragma of the file. */
struct ir_pragma {
    const char *text;  /* behind "#pragma "; "" = not known */
    const char *macro; /* that its text is in, "#include"; NULL = none, it is known */
    bool ours;
    int line;
    size_t begin, end; /* whole line(s) with the newline; of `_Pragma("...")`, which is
                          never ours, that alone */
    struct ir_pragma *next;     /* of the same function or statement */
    struct ir_pragma *next_all; /* of the file */
    bool applies; /* ours, and before the function (behind the one above it) or anywhere
                     inside */
};

#endif
