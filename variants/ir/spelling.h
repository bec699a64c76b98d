/*
 * How the file spells what the tree holds. Each expression and statement that was read
 * remembers what it was then and where it stands; where a part of the new code is still
 * just that, the file's own text is its text, with its macros, comments and line breaks.
 * Whatever has changed is compared away, so a pass over the tree need not know of it.
 */
#ifndef VARIANTS_IR_SPELLING_H
#define VARIANTS_IR_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

struct ir_arena;
struct ir_expr;
struct ir_function;
struct ir_stmt;

struct ir_spelling {
    const struct ir_function *function;
    const struct ir_expr *was; /* its parts have spellings, too */
    size_t begin, end;         /* that is its text in the file; 0, 0 = none is */
};

struct ir_spelt_stmt {
    const struct ir_function *function;
    const struct ir_stmt *was;
    size_t begin, end; /* as above */
};

/* A use of a macro in the body, arguments included. */
struct ir_use {
    size_t begin, end;
    bool pastes;         /* `#` or `##` on the way: its arguments are not only tokens */
    bool is_enclosed;    /* it becomes `( ... )` */
    bool ends_statement; /* what it becomes ends in ';' or '}' */
    const char *placed; /* a macro of the compiler that it is made of, whose value depends
                           on the place, such as "__LINE__"; NULL = none */
};

/* Begins a line of spelt text behind the margin of its statement: the blanks that follow
 * are the user's, beyond his margin there. */
enum { SPELT_LINE = '\1' };

/* Of the blanks, behind tabs of eight. */
enum { SPELT_TAB = 8 };
int spelt_columns(const char *blanks, size_t length);

/* A copy to be printed, in which what the file says is IR_SPELT; on one line. */
struct ir_expr *ir_spell(struct ir_arena *arena, const struct ir_expr *expr);
/* The same; statements that the file says are IR_OPAQUE. Every line of those, and the
 * further lines of what is said in part, begin with SPELT_LINE behind the margin. */
struct ir_stmt *ir_spell_stmt(struct ir_arena *arena, const struct ir_stmt *stmt);

#endif
