/* Prefetches: where the elements are that later iterations touch. Private to
 * variants/emit/. */
#ifndef VARIANTS_EMIT_GEN_FETCH_H
#define VARIANTS_EMIT_GEN_FETCH_H

#include "variants/emit/gen.h"

struct error;

struct lookahead_names;

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
/* The access at its first execution in an iteration of the loop with this
 * body: false with the reason when that cannot be told. */
struct lookahead_request {
    const struct ir_stmt *body;
    const struct ir_expr *wanted; /* in it */
    struct lookahead_names
        *all; /* every iteration of inner `for` loops; NULL = the first */
    /* Scalars of which the iteration is made, or that no iteration changes. */
    bool (*known)(const struct ir_symbol *symbol, const void *data);
    const void *data;
};
/* An inner loop all of whose iterations are gone through. */
struct lookahead_loop {
    const struct ir_stmt *stmt;
    struct ir_symbol *var;
    struct ir_expr *lower, *upper, *cond; /* cond: reached then; NULL = always */
};
struct lookahead {
    struct lookahead_loop loop[DEPTH_MAX]; /* around the element, outermost first */
    size_t loop_nr;
    struct ir_expr *element;
    struct ir_expr *cond; /* reached then, in the loops; NULL = always */
    char why[160];
};
bool ahead_is_fixed(const struct nest *nest, const struct ir_symbol *symbol);
bool lookahead_find(struct gen *gen, const struct lookahead_request *request,
                    struct lookahead *out);
/* The elements of several iterations, of this step, lie in one line. */
bool fetch_is_stream(const struct gen *gen, const struct ir_expr *expr,
                     const struct ir_symbol *iterator, long long step,
                     long long *iterations);
/* Variables of loops ahead, one for each loop of the source. */
struct lookahead_names {
    const struct ir_stmt *stmt[4 * DEPTH_MAX];
    struct ir_symbol *var[4 * DEPTH_MAX];
    size_t nr;
};
struct ir_symbol *
lookahead_name(struct gen *gen, struct lookahead_names *names,
               const struct ir_stmt *loop);         /* NULL = there are too many */
void gen_later(struct gen *gen, struct code *code); /* prefetches with `at` */
int later_check(const struct model *model, const struct work *works, struct error *err);
struct ir_expr *lookahead_negated(struct ir_arena *arena, struct ir_expr *expr);
bool lookahead_says(const struct ir_expr *all, const struct ir_expr *cond);
/* A jump out of a body; with `within` one that stays in the loop is none. */
bool lookahead_leaves(const struct ir_stmt *stmt, const void *within);
bool lookahead_ends_in_jump(const struct ir_stmt *stmt);
bool lookahead_ends_early(
    const struct ir_stmt *body);                  /* of a loop: not all iterations run */
bool lookahead_wraps(const struct ir_stmt *loop); /* an unsigned iterator counts down */
bool lookahead_sets(const struct ir_stmt *stmt, const void *symbol); /* this statement */
size_t lookahead_loads(const struct lookahead *lookahead);
bool fetch_reached_later(struct gen *gen, const struct statement *statement, size_t pos,
                         const struct ir_expr *wanted, struct lookahead *lookahead);
/* As lookahead_find, with all iterations of inner loops. */
bool fetch_all_later(struct gen *gen, const struct statement *statement, size_t pos,
                     const struct ir_expr *wanted, struct lookahead_names *names,
                     struct lookahead *lookahead);
bool fetch_only_known(const struct gen *gen, const struct ir_expr *expr,
                      const struct statement *statement); /* loops, parameters */
/* As it stands, with later iterators of the band's loop, whatever the conditions. */
bool fetch_is_direct(struct gen *gen, const struct statement *statement,
                     const struct tree *band, const struct ir_expr *wanted,
                     const struct ir_expr *expr);
bool fetch_has_own_size(const struct statement *statement, const struct ir_expr *wanted);
bool fetch_is_one_line(struct gen *gen, const struct statement *statement, size_t pos,
                       const struct ir_expr *wanted);
bool lookahead_implies(const struct ir_expr *b, const struct ir_expr *a);
bool ahead_is_near(struct gen *gen, const struct ir_expr *a, const struct ir_expr *b);

void gen_prefetches(
    struct gen *gen,
    struct code *code); /* gen_prefetch.c; after gen_scalars, which must not see strips */

#endif
