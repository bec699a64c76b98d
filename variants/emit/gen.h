/*
 * From a checked loop tree to C text: isl AST -> code tree -> passes over it (private
 * scalars, scalar replacement, prefetches) -> text. Private to gen*.c.
 */
#ifndef VARIANTS_GEN_H
#define VARIANTS_GEN_H

#include <isl/ast.h>
#include <isl/ast_build.h>

#include "variants/ir/sum.h"
#include "variants/model/poly.h"

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
    const char *kept;  /* pragmas of the user's */
    const char *fence; /* parallel, with stores past the caches: what orders them */
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

/* One loop around the place where code is being made. */
struct level {
    const struct tree *band;
    struct ir_symbol *hidden, *var; /* isl's c<depth>; the variable in the text */
    struct ir_symbol *alias; /* the variable, where the source's iterators, which may have
                                its name, are still to be replaced */
};

/* From low to high, for numbers of 64 bits and what is made of them. */
__extension__ typedef __int128 gen_number;
struct range {
    gen_number low, high;
};
struct ranged {
    const struct ir_symbol *symbol;
    struct range value;
};

struct local {
    size_t cell;
    const char *suffix;
    struct ir_symbol *symbol;
};

struct gen {
    struct work *work;
    struct nest *nest;
    struct model *model;
    struct ir_arena *arena;
    struct level level[4 * DEPTH_MAX];
    size_t level_nr;
    const struct tree *copy[DEPTH_MAX]; /* bands of copies around it */
    size_t copy_nr;
    const struct tree
        *mark[4 * DEPTH_MAX]; /* bands around it, also those without a loop */
    size_t mark_nr;
    const struct tree *gathered; /* the copies for which one stands; NULL = none */
    long long moved[DEPTH_MAX];  /* the copy that is made, in the source's iterators */
    isl_set *known;     /* parameters for which the new code runs: see gen_guard */
    isl_set *premise;   /* what proofs rest on, while one is made */
    bool needs_promise; /* the guard must test for sizes of zero: see gen_proof.c */
    bool needs_box;     /* and that numbers of 64 bits are not huge: see gen_range.c */
    struct ranged *range;
    size_t range_nr, range_alloc;
    struct local *local;
    size_t local_nr, local_alloc;
    struct strvec taken;                        /* names given out */
    bool need_min, need_max, need_floord, wide; /* helpers; wide = they work on long */
    bool need_quiet; /* a simd loop is there: clang warns, at the function's place, about
                        those that it makes no vectors of, which is not for the user */
    bool quiet_to_end; /* one of them in a parallel loop, of which clang makes a function
                          of its own: its warning names no place, and what is said at
                          the end of the file decides */
    bool need_stream;
    const char *problem;       /* why no code could be made */
    struct ir_symbol **buffer; /* of work.box[] */
    struct strvec vector_type; /* definitions, a line each */
    long long vector_bits;     /* of the widest one */
};
/* gen_vector.c: the types of one nest join those of the file; their text. */
void gen_vectors_join(struct gen *all, const struct gen *gen);
void gen_vectors_text(const struct gen *all, struct buf *types, struct buf *attribute);

struct edits;

struct code *code_new(enum code_kind kind);
void code_add(struct code *parent, struct code *child);
void code_insert(struct code *parent, size_t at, struct code *child);
size_t code_index(const struct code *child); /* in its parent */
bool code_has_loop(const struct code *code);
void code_free(struct code *code);
void code_print(struct gen *gen, struct buf *out, const struct code *code, int indent);
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
/* What the names of helpers begin with: no such name stands in the source. */
const char *gen_prefix(const struct model *model);
/* In the file, or a macro or declared in its headers. */
bool gen_word_in_source(const struct gen *gen, const char *word);
/* gen_expr.c: isl expressions. `raw` ones hold isl's iterators; finishing puts the
 * variables of the text in their place. */
struct ir_expr *raw_expr(struct gen *gen, isl_ast_expr *expr); /* takes expr */
struct ir_expr *raw_map(struct gen *gen, struct ir_expr *raw, struct ir_expr *base,
                        long long step); /* base + step * raw */
/* Of c <= raw, or c < raw: the limit of the variable base + step * c, exclusive. */
struct ir_expr *raw_bound(struct gen *gen, struct ir_expr *raw, bool inclusive,
                          struct ir_expr *base, long long step);
/* name(a, b): "min", "max" or "floord" get their names when all code is there. */
struct ir_expr *gen_call(struct gen *gen, const char *name, struct ir_expr *a,
                         struct ir_expr *b);
struct ir_expr *raw_finish(struct gen *gen, struct ir_expr *raw);
struct ir_expr *raw_floor(struct gen *gen, struct ir_expr *raw,
                          long long size); /* floor(raw / size) */

struct code *gen_code(struct gen *gen); /* gen_ast.c; NULL = gen->problem */
void gen_locals(struct gen *gen,
                struct code *code); /* gen_local.c: declarations of private scalars */
struct ir_symbol *gen_local_symbol(struct gen *gen, size_t cell, const char *suffix);
struct ir_stmt *stmt_substitute(struct ir_arena *arena, const struct ir_stmt *stmt,
                                struct ir_symbol *const *symbol,
                                struct ir_expr *const *by, size_t nr);
/* gen_buffer.c: local buffers and their declarations, small ones in the innermost block.
 */
struct ir_symbol *gen_buffer(struct gen *gen, size_t index);
void gen_buffers(struct gen *gen, struct code *code);
/* Those of the loop's iterations that are declared outside of it: into its privates. */
void gen_own_buffers(const struct gen *gen, struct code *loop);
bool gen_buffers_split(const struct gen *gen, const struct code *code);
/* gen_pack.c: accesses that go to local buffers, raw[] = the source's iterators here; the
 * copies. */
const struct ir_stmt *gen_redirect(struct gen *gen, const struct statement *statement,
                                   struct ir_expr *const *raw);
bool gen_is_expanded(const struct gen *gen, size_t cell); /* an array, here */
void gen_copy(struct gen *gen, struct code *block, isl_ast_expr *call, size_t index);
/* gen_vector.c: the statement for all lanes of the band, or gen->problem. */
const struct ir_stmt *gen_vector(struct gen *gen, const struct ir_stmt *stmt,
                                 const struct tree *band);
struct ir_expr *gen_vector_at(struct gen *gen, struct ir_expr *element, long long lanes);
struct ir_expr *gen_vector_zero(struct gen *gen, const struct ir_expr *like);
/* Certainly different elements or rows: some subscripts differ by a number. */
bool elements_differ(struct gen *gen, const struct ir_expr *a, const struct ir_expr *b);
void gen_scalars(struct gen *gen, struct code *code);
/* gen_fetch.c */
const struct ir_symbol *fetch_root(const struct ir_expr *expr); /* NULL = none */
struct ir_expr *fetch_pick(struct gen *gen, const char *name, struct ir_expr *a,
                           struct ir_expr *b); /* min or max of two */
struct ir_expr *loop_last(struct gen *gen,
                          const struct ir_stmt *loop); /* value of its iterator */
/* Of the source's loop, as the band runs through it. */
struct ir_expr *run_last(struct gen *gen, const struct tree *band);
long long run_step(const struct tree *band);
struct ir_expr *fetch_clamped(struct gen *gen, long long step, struct ir_expr *now,
                              struct ir_expr *last, long long distance);
struct ir_expr *fetch_resolved(struct gen *gen, struct ir_expr *expr);
bool fetch_names(const struct prefetch *prefetch, const struct ir_expr *expr);
bool fetch_is_packed(const struct work *work, const struct prefetch *prefetch);
const struct prefetch *fetch_wanted(const struct gen *gen, const struct ir_expr *expr);
struct ir_expr *fetch_call(struct gen *gen, struct ir_expr *element, bool write,
                           int level);
struct ir_stmt *fetch_stmt(struct gen *gen, struct ir_expr *element, struct ir_expr *cond,
                           bool write, int level); /* cond NULL = always */
struct ir_symbol *fetch_later(struct gen *gen, const struct ir_symbol *iterator);
bool expr_loads(const struct ir_expr *expr);  /* holds an element */
bool fetch_loads(const struct ir_expr *expr); /* its subscripts hold elements */
bool fetch_is_safe(const struct gen *gen, const struct ir_expr *expr);
size_t fetch_copies(const struct work *work);
bool fetch_may_change(const struct nest *nest, const struct ir_symbol *array);
/* gen_ahead.c: the access at its first execution in an iteration of the loop with this
 * body: false with the reason when that cannot be told. */
struct ahead_request {
    const struct ir_stmt *body;
    const struct ir_expr *wanted; /* in it */
    struct ahead_names *all; /* every iteration of inner `for` loops; NULL = the first */
    /* Scalars of which the iteration is made, or that no iteration changes. */
    bool (*known)(const struct ir_symbol *symbol, const void *data);
    const void *data;
};
/* An inner loop all of whose iterations are gone through. */
struct ahead_loop {
    const struct ir_stmt *stmt;
    struct ir_symbol *var;
    struct ir_expr *lower, *upper, *cond; /* cond: reached then; NULL = always */
};
struct ahead {
    struct ahead_loop loop[DEPTH_MAX]; /* around the element, outermost first */
    size_t loop_nr;
    struct ir_expr *element;
    struct ir_expr *cond; /* reached then, in the loops; NULL = always */
    char why[160];
};
bool ahead_is_fixed(const struct nest *nest, const struct ir_symbol *symbol);
bool ahead_find(struct gen *gen, const struct ahead_request *request, struct ahead *out);
/* gen_prefetch.c: the elements of several iterations, of this step, lie in one line. */
bool fetch_is_stream(const struct gen *gen, const struct ir_expr *expr,
                     const struct ir_symbol *iterator, long long step,
                     long long *iterations);
/* gen_later.c: variables of loops ahead, one for each loop of the source. */
struct ahead_names {
    const struct ir_stmt *stmt[4 * DEPTH_MAX];
    struct ir_symbol *var[4 * DEPTH_MAX];
    size_t nr;
};
struct ir_symbol *ahead_name(struct gen *gen, struct ahead_names *names,
                             const struct ir_stmt *loop); /* NULL = there are too many */
void gen_later(struct gen *gen, struct code *code);       /* prefetches with `at` */
int later_check(const struct model *model, const struct work *works, struct error *err);
/* gen_reach.c */
struct ir_expr *ahead_negated(struct ir_arena *arena, struct ir_expr *expr);
bool ahead_says(const struct ir_expr *all, const struct ir_expr *cond);
/* A jump out of a body; with `within` one that stays in the loop is none. */
bool ahead_leaves(const struct ir_stmt *stmt, const void *within);
bool ahead_ends_in_jump(const struct ir_stmt *stmt);
bool ahead_ends_early(const struct ir_stmt *body); /* of a loop: not all iterations run */
bool ahead_wraps(const struct ir_stmt *loop);      /* an unsigned iterator counts down */
bool ahead_sets(const struct ir_stmt *stmt, const void *symbol); /* this statement */
size_t ahead_loads(const struct ahead *ahead);
bool fetch_reached_later(struct gen *gen, const struct statement *statement, size_t pos,
                         const struct ir_expr *wanted, struct ahead *ahead);
/* As ahead_find, with all iterations of inner loops. */
bool fetch_all_later(struct gen *gen, const struct statement *statement, size_t pos,
                     const struct ir_expr *wanted, struct ahead_names *names,
                     struct ahead *ahead);
bool fetch_only_known(const struct gen *gen, const struct ir_expr *expr,
                      const struct statement *statement); /* loops, parameters */
/* As it stands, with later iterators of the band's loop, whatever the conditions. */
bool fetch_is_direct(struct gen *gen, const struct statement *statement,
                     const struct tree *band, const struct ir_expr *wanted,
                     const struct ir_expr *expr);
bool fetch_has_own_size(const struct statement *statement, const struct ir_expr *wanted);
bool fetch_is_one_line(struct gen *gen, const struct statement *statement, size_t pos,
                       const struct ir_expr *wanted);
bool ahead_implies(const struct ir_expr *b, const struct ir_expr *a);
bool ahead_is_near(struct gen *gen, const struct ir_expr *a, const struct ir_expr *b);
/* gen_stream.c: stores past the caches. */
void gen_streams(struct gen *gen, struct code *code);
void gen_stream_helpers(const char *function, struct buf *out);
void gen_pads(struct gen *gen, struct code *code); /* gen_pad.c */
/* gen_pragma.c: clauses of parallel loops; lines before a loop, "" = none. */
void gen_teams(const struct gen *gen, struct code *code);
/* The variable is declared in it, or by it. */
bool code_declares(const struct code *code, const struct ir_symbol *symbol);
bool code_has_pragma(const struct code *loop);
void print_pragma(struct buf *out, const struct code *loop, int indent);
/* Fewer iterations than `limit`, whatever the sizes. */
bool loop_is_few(struct ir_arena *arena, struct ir_expr *lower, struct ir_expr *upper,
                 long long limit);
/* The same where no size is zero, as C promises; to be tested where the code needs it. */
bool loop_runs_by_promise(struct gen *gen, const struct code *loop);
/* Is it inside of its array, as declared, whenever the place before the loop is reached?
 */
bool element_is_declared(struct gen *gen, const struct code *loop,
                         const struct ir_expr *element);
bool loop_runs(
    struct gen *gen,
    const struct code *loop); /* gen_proof.c: at least one iteration, for certain */
void gen_prefetches(
    struct gen *gen,
    struct code *code); /* gen_prefetch.c; after gen_scalars, which must not see strips */

/* gen_let.c: `const int i = is - t;` in innermost loops; the last pass. */
void gen_lets(struct gen *gen, struct code *code);
void gen_drop_lets(struct code *code); /* that nothing uses */

/* gen_range.c: the expression, made in a type that holds it; its values. A copy replaces
 * it. */
struct range gen_fit(struct gen *gen, struct ir_expr **at);
/* The same of a subscript, for ir_visit. */
void gen_fit_subscript(struct ir_expr *expr, void *gen);
void gen_set_range(struct gen *gen, const struct ir_symbol *symbol, struct range range);
/* What the counter is in the body; lower and upper are made to fit. */
struct range gen_loop_range(struct gen *gen, struct code *loop);
/* Does the type hold what the counter of the loop becomes, behind the last iteration
 * too? */
bool gen_holds(struct gen *gen, const struct ir_type *type, struct code *loop,
               struct range range);
void gen_fit_code(struct gen *gen, struct code *code); /* the last pass of all */

/* gen_guard.c: the condition under which the new code may run, NULL = always;
 * *needs_else: the original must remain. Sets gen->known. */
int gen_guard(struct gen *gen, struct ir_expr **guard, bool *needs_else,
              struct error *err);
/* Adds what code rests on that may not run where the two overlap: it tests it, or else
 * takes it for granted. */
void gen_rests_on(struct gen *gen, const struct overlap *pair, struct buf *out);

/* ---- gen_edits.c: the user's file with ranges replaced ---- */

/* The nest's text in the file without our pragmas, one level further in: his lines keep
 * what they have beyond his margin. Caller frees. */
char *nest_original_shifted(const struct nest *nest, bool tabs);

struct edit {
    size_t begin, end;
    char *text; /* owned */
};
struct edits {
    struct edit *item; /* in the order of the file */
    size_t nr, alloc;
};
void edits_add(struct edits *edits, size_t begin, size_t end,
               char *text); /* takes text */
void edits_release(struct edits *edits);
void edits_splice(const struct model *model, const struct edits *edits, struct buf *out);
size_t line_begin(const char *source, size_t at); /* of the line that holds `at` */
char *margin_of(const char *source, size_t at);   /* blanks before it; caller frees */
bool uses_tabs(const struct ir_function *function);
void edits_add_lines(struct buf *out, const char *text, const char *margin, bool tabs);
/* gen_pad.c: declarations with longer rows. */
int gen_paddings(const struct model *model, const struct work *works, struct edits *edits,
                 struct error *err);
/* Before the comment and the pragmas that belong to the function. */
size_t function_start(const struct ir_function *function);

#endif
