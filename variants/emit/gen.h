/*
 * From a checked loop tree to C text: isl AST -> code tree -> passes over it (private
 * scalars, scalar replacement, prefetches) -> text. Private to variants/emit/.
 */
#ifndef VARIANTS_EMIT_GEN_H
#define VARIANTS_EMIT_GEN_H

#include <isl/ast.h>
#include <isl/ast_build.h>

#include "variants/emit/gen_code.h"
#include "variants/model/model_overlap.h"
#include "variants/transform/transform.h"

struct error;

struct edits;

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

/* A nest inside of a statement, and what it has become. */
struct gen_row {
    const struct ir_stmt *source, *now;
};

struct gen {
    struct work *work, *works; /* works: of all nests */
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
    isl_set *known;      /* parameters for which the new code runs: see gen_guard */
    isl_set *hypothesis; /* what proofs rest on, while one is made */
    isl_set *rows_used; /* parameters for which all rows are used that are looked at; NULL
                           = all: see gen_guard */
    struct row_boxes *boxes; /* where rows lie, of the arrays that were asked for */
    bool needs_promise;      /* the guard must test for sizes of zero: see gen_proof.c */
    bool needs_box; /* and that numbers of 64 bits are not huge: see gen_range.c */
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
    bool need_stream, need_rows;
    bool together;             /* threads that come to a loop together compute a guard */
    const char *problem;       /* why no code could be made */
    struct ir_symbol **buffer; /* of work.box[] */
    struct strvec vector_type; /* definitions, a line each */
    long long vector_bits;     /* of the widest one */
    bool is_row;               /* it becomes part of a statement of another nest */
    struct gen_row *row;
    size_t row_nr, row_alloc;
};
/* The statement with what the plan makes of nests inside of it; the same where there is
 * none. */
const struct ir_stmt *gen_rows(struct gen *gen, const struct ir_stmt *stmt);
/* gen_block.c: the code as a statement that declares the names of the nest's bounds;
 * guard, needs_else: as gen_guard has them. */
struct ir_stmt *gen_block(struct gen *gen, const struct code *code, struct ir_expr *guard,
                          bool needs_else);
/* The types of one nest join those of the file; their text. */
void gen_vectors_join(struct gen *all, const struct gen *gen);
void gen_vectors_text(const struct gen *all, struct buf *types, struct buf *attribute);

/* Isl expressions. `raw` ones hold isl's iterators; finishing puts the
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
bool gen_is_helper(const struct ir_expr *expr, const char *name); /* such a call */
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
/* Local buffers and their declarations, small ones in the innermost block.
 */
struct ir_symbol *gen_buffer(struct gen *gen, size_t index);
void gen_buffers(struct gen *gen, struct code *code);
/* Those of the loop's iterations that are declared outside of it: into its privates. */
void gen_own_buffers(const struct gen *gen, struct code *loop);
bool gen_buffers_split(const struct gen *gen, const struct code *code);
/* Accesses that go to local buffers, raw[] = the source's iterators here; the
 * copies. */
const struct ir_stmt *gen_redirect(struct gen *gen, const struct statement *statement,
                                   struct ir_expr *const *raw);
/* With what is decided in a loop that borders were split off: gen_borders.c */
const struct ir_stmt *gen_borders(struct gen *gen, const struct ir_stmt *stmt,
                                  size_t statement);
bool gen_is_expanded(const struct gen *gen, size_t cell); /* an array, here */
void gen_copy(struct gen *gen, struct code *block, isl_ast_expr *call, size_t index);
/* The statement for all lanes of the band, or gen->problem. */
const struct ir_stmt *gen_vector(struct gen *gen, const struct ir_stmt *stmt,
                                 const struct tree *band);
struct ir_expr *gen_vector_at(struct gen *gen, struct ir_expr *element, long long lanes);
struct ir_expr *gen_vector_zero(struct gen *gen, const struct ir_expr *like);
/* Certainly different elements or rows: some subscripts differ by a number. */
bool elements_differ(struct gen *gen, const struct ir_expr *a, const struct ir_expr *b);
/* The code reaches the array's memory otherwise than by its elements: see expr_other_use;
 * by a second name, too. */
bool code_reaches_otherwise(const struct gen *gen, const struct code *code,
                            const struct ir_symbol *array);
void gen_scalars(struct gen *gen, struct code *code);
void gen_tables(struct gen *gen, struct code *code);
void gen_accumulators(struct gen *gen, struct code *code); /* gen_accumulate.c */
void gen_rounds(struct gen *gen, struct code *code); /* of bands that go in rounds */
void gen_skips(struct gen *gen, struct code *code);  /* that ask first */
/* gen_flags.c: an innermost loop that counts where a condition begins, or ends, asks it
 * of the iteration before. */
void gen_flag(struct gen *gen, struct code *loop);
void gen_narrow_counters(struct gen *gen, struct code *code);
/* gen_reciprocal.c, gen_branch.c: what was done is in work.dividing, work.branching. */
void gen_reciprocals(struct gen *gen, struct code *code);
void gen_branches(struct gen *gen, struct code *code, bool within);

/* Of a loop that the user's own directive shares out; else true. False: gen->problem. */
bool gen_allows(struct gen *gen, const struct code *loop, enum loop_change change);
/* Stores past the caches. */
void gen_streams(struct gen *gen, struct code *code);
void gen_stream_helpers(const char *function, struct buf *out);
void gen_pads(struct gen *gen, struct code *code);

/* gen_proof.c: at least one iteration, for certain. */
bool loop_runs(struct gen *gen, const struct code *loop);
/* The same of the loop and of what it leaves to the one behind it, where it runs whole
 * blocks of iterations: elements that do not change with the loop are accessed then. */
bool loop_or_rest_runs(struct gen *gen, const struct code *loop);
/* This where no size is zero, as C promises; to be tested where the code needs it. */
bool loop_runs_by_promise(struct gen *gen, const struct code *loop);
/* Is it inside of its array, as declared, whenever the place before the loop is reached?
 */
bool element_is_declared(struct gen *gen, const struct code *loop,
                         const struct ir_expr *element);

/* `const int i = is - t;` in innermost loops; the last pass. */
void gen_lets(struct gen *gen, struct code *code);
void gen_drop_lets(struct code *code); /* and pointers, that nothing uses */
/* Declarations where C89 has them; behind all passes. */
void gen_c89(struct gen *gen, struct code *code);
struct ir_stmt *gen_c89_stmt(struct gen *gen, struct ir_stmt *stmt);

/* The expression, made in a type that holds it; its values. A copy replaces
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

/* The condition under which the new code may run, NULL = always;
 * *needs_else: the original must remain. Sets gen->known. */
int gen_guard(struct gen *gen, struct ir_expr **guard, bool *needs_else,
              struct error *err);
/* Adds what code rests on that may not run where the two overlap: it tests it, or else
 * takes it for granted. */
/* What the condition calls where pointers lead to rows. */
void gen_row_helpers(const char *prefix, bool spans, bool pairs, bool sorts,
                     struct buf *out);
void gen_rests_on(struct gen *gen, const struct overlap *pair, struct buf *out);

/* The same of the sizes that the plan's `when` names. place: with the line of the nest.
 */
void gen_say_when(struct gen *gen, bool place, struct buf *out);

/* Declarations with longer rows. */
int gen_paddings(const struct model *model, const struct work *works, struct edits *edits,
                 struct error *err);

#endif
