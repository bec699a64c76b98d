/*
 * What the parts of the reader that rewrite the tree share: walking it, putting
 * expressions in place of names, saying what an expression may read or change.
 */
#ifndef VARIANTS_PARSE_REWRITE_H
#define VARIANTS_PARSE_REWRITE_H

#include "variants/parse/parse_parts.h"

/* Puts what `rewrite` returns in place of every expression of the statement and below,
 * operands first. Text that is not taken apart stays. */
typedef struct ir_expr *rewriter(struct ir_expr *expr, void *data);
struct ir_expr *rewrite_expr(struct ir_expr *expr, rewriter *rewrite, void *data);
void rewrite_stmt(struct ir_stmt *stmt, rewriter *rewrite, void *data);

/* Calls visit for every expression of the statement and below, each once, parents first;
 * also for the NAMEs that text mentions. */
typedef void visitor(struct ir_expr *expr, void *data);
void visit_stmt(const struct ir_stmt *stmt, visitor *visit, void *data);

/* A copy of expr with `by` in place of the NAME `symbol`: a[j] with a = &b[i] becomes
 * b[i + j], a->x with a = &b[i] becomes b[i].x, *a with a = b + i becomes b[i]. */
struct ir_expr *rewrite_put(struct ir_arena *arena, const struct ir_expr *expr,
                            const struct ir_symbol *symbol, const struct ir_expr *by);
void rewrite_put_stmt(struct ir_arena *arena, struct ir_stmt *stmt,
                      const struct ir_symbol *symbol, const struct ir_expr *by);

/* The variable that this very node assigns (also ++ and --); NULL = none. */
struct ir_symbol *rewrite_assigned(const struct ir_expr *expr);
bool rewrite_is_zero(const struct ir_expr *expr);
bool rewrite_mentions(const struct ir_expr *expr, const struct ir_symbol *symbol);
bool rewrite_is_simple(const struct ir_stmt *stmt); /* an expression, a value set */
/* `x = e;` or `int x = e;` */
bool rewrite_sets(const struct ir_stmt *stmt, const struct ir_symbol *symbol);
size_t rewrite_count(const struct ir_stmt *stmt, const struct ir_symbol *symbol);
/* Text that is not taken apart, the callee of a call included, mentions it. */
bool rewrite_in_text(const struct ir_stmt *stmt, const struct ir_symbol *symbol);
/* A variable of expr has the name of another one that the statement or what is below
 * declares: there, its name means that one. */
bool rewrite_is_hidden(const struct ir_stmt *stmt, const struct ir_expr *expr);
/* Of a symbol, a macro or anything declared: new variables have other names. */
bool rewrite_is_name_taken(const struct ir_function *function, const char *name);
/* Assignments, calls of what is neither pure nor a math function, text, volatile. */
bool rewrite_has_effects(const struct ir_expr *expr);

/* The passes. `body` is p->function->body; each works on what the one before left. */
void parse_follow_counts(struct parse *p);
/* Of a `for` that is not canonical. */
bool parse_count_head(struct parse *p, struct ir_stmt *loop);
/* The block of the loop, now canonical, and of what else its head sets; the loop itself
 * where that cannot be. */
struct ir_stmt *parse_take_out(struct parse *p, struct ir_stmt *loop);
/* loop->with: room for `nr` statements and the loop. */
struct ir_stmt *parse_with(struct ir_arena *arena, struct ir_stmt *loop, size_t nr);
/* `end - start` in elements, for a loop whose condition compares such pointers and which
 * does not change `end`; NULL = that cannot be said. */
struct ir_expr *parse_difference(struct ir_arena *arena, const struct ir_stmt *loop,
                                 const struct ir_expr *end, const struct ir_expr *start);
struct ir_symbol *parse_new_counter(struct parse *p, const struct ir_type *type,
                                    int line);
/* A variable of the function that nothing else can change. */
bool parse_is_own(const struct ir_symbol *symbol);
/* The statement, or what is below it, sets it, or might. */
bool parse_changes(const struct ir_stmt *stmt, const struct ir_symbol *symbol);
/* An integer of the function's own variables and numbers that the loop does not change.
 */
bool parse_is_steady(const struct ir_stmt *loop, const struct ir_expr *expr);
void parse_expand_helpers(struct parse *p);
void parse_make_fields(struct parse *p);
void parse_settle(struct parse *p);
void parse_split_ranges(struct parse *p);
void parse_follow_walks(struct parse *p);
void parse_follow_rows(struct parse *p);
void parse_follow_matrices(struct parse *p);
void parse_name_bounds(struct parse *p);
#endif
