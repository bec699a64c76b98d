/* The code tree: text to be, still to be asked and changed. Private to variants/emit/. */
#ifndef VARIANTS_EMIT_GEN_CODE_H
#define VARIANTS_EMIT_GEN_CODE_H

#include "variants/model/poly.h"

struct buf;

struct gen;

enum code_kind {
    CODE_BLOCK, /* child[] */
    CODE_FOR,   /* child[0] is a block */
    CODE_IF,    /* child[0], child[1] blocks; the second may be missing */
    CODE_LET,   /* a loop of one iteration: const T var = lower; */
    CODE_STMT,  /* stmt */
    CODE_TEXT   /* lines as they are */
};

struct code {
    enum code_kind kind;
    struct code *parent, **child;
    size_t child_nr, child_alloc;
    struct ir_symbol *var;
    struct ir_expr *lower, *upper; /* var < upper, or var > upper when step is negative */
    long long step;
    bool declares, simd, parallel;
    long long chunk; /* parallel: iterations handed out at once, 0 = the runtime's */
    const struct tree *band;
    struct ir_symbol *busy; /* FOR: run again until it stays 0; NULL = run once */
    const char *kept;       /* pragmas of the user's */
    const char *fence;      /* parallel, with stores past the caches: what orders them */
    long long line; /* so many iterations make a line of what is stored past the caches */
    bool no_fetch;  /* too short for prefetches */
    unsigned long long followed;  /* STMT: bit i: loops inside fetch prefetch[i] of the
                                     work across their rows */
    struct strvec sums, products; /* variables of its reduction clauses */
    struct strvec privates;       /* and of its private clause */
    struct ir_expr *cond;
    struct ir_stmt *stmt;
    bool vector; /* STMT: works on several elements at once */
    size_t statement;
    struct ir_expr *iterator[DEPTH_MAX]; /* STMT: what the source's iterators are here */
    size_t iterator_nr;
    const char *text;
};

struct code *code_new(enum code_kind kind);
/* A statement of ours of this kind. */
struct code *code_statement(struct gen *gen, enum ir_stmt_kind kind,
                            struct ir_expr *expr);
void code_add(struct code *parent, struct code *child);
void code_insert(struct code *parent, size_t at, struct code *child);
size_t code_index(const struct code *child); /* in its parent */
/* The same loop once more, before it, with this alone in each iteration. */
void gen_repeat(struct gen *gen, const struct code *loop, struct ir_expr *expr);
bool code_has_loop(const struct code *code);
void code_free(struct code *code);
void code_print(struct gen *gen, struct buf *out, const struct code *code, int indent);
/* Comments of the file in [begin, end) that `printed` lacks; NULL = those that go with no
 * statement. */
void code_print_comments(const struct nest *nest, size_t begin, size_t end,
                         const char *printed, struct buf *out, int indent);
/* Below the code it is set, declared, counted with, or its address is taken. */
bool code_sets(const struct code *code, const struct ir_symbol *symbol);
/* As the source's arithmetic: never made in a wider type. */
struct ir_expr *gen_plain(struct gen *gen, const char *op, struct ir_expr *a,
                          struct ir_expr *b);
struct ir_expr *gen_cast(struct gen *gen, const struct ir_type *type,
                         struct ir_expr *expr);
/* It assigns, calls, reads what is volatile, or nobody knows. */
bool expr_has_effect(struct ir_expr *expr);
/* Whatever the values, `all` evaluates the expression. */
bool expr_evaluates(const struct ir_expr *all, const struct ir_expr *expr);
bool code_mentions(const struct code *code, const struct ir_symbol *symbol);
/* The one child below which every mention stands; NULL where there is none, or it is a
 * statement. */
struct code *code_only_user(const struct code *code, const struct ir_symbol *symbol);

/* Is it, a scalar or an array, first given a value in a branch? Compilers do not see that
 * it is only used when it has one. */
bool code_fills_at_times(const struct code *block, const struct ir_symbol *symbol);

/* A name that stands nowhere in the source: "A_0" ... from "A". */
const char *gen_name(struct gen *gen, const char *stem, bool number);
struct ir_symbol *gen_symbol(struct gen *gen, const char *name,
                             const struct ir_type *type);
/* A local array of so many elements of the type. */
struct ir_symbol *gen_array(struct gen *gen, const char *name, const struct ir_type *type,
                            long long elements);
/* What new code defines outside of the function, behind a prefix; those that it calls by
 * their word until names are given come first. */
enum { GEN_HELPERS_CALLED = 9, GEN_HELPER_WORDS = 15 };
extern const char *const gen_helper_words[GEN_HELPER_WORDS];
/* What their names begin with: no such name stands in the source. */
const char *gen_prefix(const struct model *model);
/* In the file, or a macro or declared in its headers. */
bool gen_word_in_source(const struct gen *gen, const char *word);

/* Clauses of parallel loops; lines before a loop, "" = none. */
void gen_teams(struct gen *gen, struct code *code);
/* The variable is declared in it, or by it. */
bool stmt_declares(const struct ir_stmt *stmt, const void *symbol); /* for stmt_find */
bool code_declares(const struct code *code, const struct ir_symbol *symbol);
bool code_in_team(const struct code *code); /* it, or what is around, is shared out */
bool code_has_pragma(const struct code *loop);
void print_pragma(struct buf *out, const struct code *loop, int indent);
/* Fewer iterations than `limit`, whatever the sizes. */
bool loop_is_few(struct ir_arena *arena, struct ir_expr *lower, struct ir_expr *upper,
                 long long limit);

#endif
