/*
 * What the user says about a kernel, in the source (`#pragma inflight WORDS`) or on the
 * command line (the same words):
 *
 *     kernel                      this function is meant
 *     set NAME = EXPR             value of a scalar parameter
 *     buffer NAME = CONTENTS      such as zero, uniform(0, 1), index(m)
 *     buffer NAME length EXPR     elements, where the subscripts do not tell
 *     assume independent(i)       iterations of loop i; also noalias(a, b), associative
 *     flops EXPR                  of one call
 *     tunable NAME in {8,16,32}   a constant of the file that a plan may set; also
 *                                 NAME in 8:128:x2, NAME in 8:128:+8
 *     constraint EXPR <= EXPR     between tunables and parameters
 *
 * The last two stand anywhere in the file, the others before the function or in it.
 *
 * The command line overrides the source. Private to variants.
 */
#ifndef VARIANTS_PRAGMA_H
#define VARIANTS_PRAGMA_H

#include "core/base/array.h"
#include "core/base/error.h"
#include "variants/ir/ir.h"

enum word_kind {
    DIRECTIVE_KERNEL,
    DIRECTIVE_SET,
    DIRECTIVE_BUFFER,
    WORD_LENGTH,
    DIRECTIVE_INDEPENDENT,
    DIRECTIVE_NOALIAS,
    DIRECTIVE_SHARED, /* two arrays of a captured call */
    DIRECTIVE_ASSOCIATIVE,
    DIRECTIVE_FLOPS,
    DIRECTIVE_TUNABLE,
    DIRECTIVE_CONSTRAINT
};

struct kernel_directive {
    enum word_kind kind;
    /* SET, BUFFER, LENGTH: one; INDEPENDENT: loops; NOALIAS: two or more arrays */
    struct strvec name;
    char *text; /* EXPR, CONTENTS or values as written; else NULL */
    /* for messages: "triad.c:12" or "'set n = 4' on the command line" */
    char *where;
    int line;           /* 0 = from the command line */
    const char *caller; /* SET: nobody says it, the function's call of the kernel in that
                           line gives it; borrowed; else NULL */
};

struct kernel_directives {
    struct kernel_directive *item;
    size_t item_nr, item_alloc;
};

/* All that applies to the function, then `command` (may be NULL), checked: known
 * words, expressions that parse, names that the function has. */
int kernel_directives_read(const struct ir_function *function,
                           const struct strvec *command, struct kernel_directives *words,
                           struct error *err);
void kernel_directives_release(struct kernel_directives *words);

/* The word about `name` (NULL for KERNEL, ASSOCIATIVE, FLOPS), or NULL. */
const struct kernel_directive *
kernel_directives_find(const struct kernel_directives *words, enum word_kind kind,
                       const char *name);
/* Puts in front of a failure which word it is about; a word of the command line that is
 * no good is wrong use. Returns -1. */
int directive_fail_in(const struct kernel_directive *word, struct error *err);

/* `index(m)` -> "index" and its arguments as texts; `zero` -> "zero" and none. Caller
 * frees *name and releases args. */
int directive_call(const char *contents, char **name, struct strvec *args,
                   struct error *err);

/* Of an identifier with the fields behind it: "g->nx", "p.pos.x". 0 = there is none. */
size_t directive_path_length(const char *text);

/* ---- expressions: + - * / % ( ), numbers, names (with fields) ---- */

struct directive_number {
    bool is_integer;
    long long integer;
    double real; /* always set */
};
struct directive_number directive_integer(long long value);
struct directive_number directive_real(double value);

/* 0 and *out when the name is known, else -1. */
typedef int directive_lookup(void *data, const char *name, struct directive_number *out);

/* Integers as in C; an integer result beyond 64 bits goes on as a real one. A NULL
 * lookup knows no names. */
int directive_eval(const char *expr, directive_lookup *lookup, void *data,
                   struct directive_number *out, struct error *err);
/* The same for a size: fails unless the result is an integer. */
int directive_eval_integer(const char *expr, directive_lookup *lookup, void *data,
                           long long *out, struct error *err);
/* Is it an expression? Names and values do not matter. */
int directive_check(const char *expr, struct error *err);

#endif
