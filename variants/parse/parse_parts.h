/* What the parse*.c files share: from the clang tree to the ir. Private to
 * variants/parse/. */
#ifndef VARIANTS_PARSE_PARSE_PARTS_H
#define VARIANTS_PARSE_PARSE_PARTS_H

#include "variants/clang/clang_tree.h"
#include "variants/ir/ir.h"

struct error;
struct strvec;

struct parse {
    struct ir_function *function;
    struct ir_arena *arena;
    struct ct_file file;
    size_t symbol_alloc;
    struct ct_decl **declared; /* of function->symbol[i]; NULL for what has none */
    struct parse *caller;      /* while a helper's body is read: who calls it */
    size_t put_in;             /* expressions of helpers of several statements */
    /* the first node that can neither be taken apart nor copied as text */
    const struct ct_node *trouble;
    struct ct_trouble lambda; /* parse_open: of a call that is no loop */
};

/* "path:line:column: the C++ function 'scale' cannot be read: a lambda; ..."; NULL =
 * there is no trouble. In the arena. */
const char *parse_trouble(const struct parse *p, const struct ct_function *chosen,
                          const struct ct_trouble *trouble);

/* The symbol of a declaration, made on first use. */
struct ir_symbol *parse_symbol(struct parse *p, struct ct_decl *decl);

/* One more symbol of the function; `decl` may be NULL. */
struct ir_symbol *parse_add_symbol(struct parse *p, struct ct_decl *decl);

/* Of all that is declared and written in a body: in_loop, is_written, address_taken; sets
 * p->trouble where a part of it is in another file. */
void parse_survey(struct parse *p, const struct ct_node *body);

void parse_params(struct parse *p, const struct ct_function *chosen);
bool parse_is_loop(const struct ct_node *node);
/* Fills function->given and caller. */
void parse_calls(struct parse *p, const struct ct_function *chosen);

/* Sets symbol.effects of the functions that are called. */
void parse_effects(struct parse *p);
/* It ends the program, perhaps with words about why. */
bool parse_never_returns(struct parse *p, const struct ct_function *function);

/* NULL when the expression cannot be told; its statement is then kept as
 * text. */
struct ir_expr *parse_expr(struct parse *p, const struct ct_node *node);
/* Of a loop: without `__builtin_expect`. */
struct ir_expr *parse_condition(struct parse *p, const struct ct_node *node);
struct ir_expr *parse_initialiser(struct parse *p, const struct ct_node *node);
/* RAW */
struct ir_expr *parse_mentions(struct parse *p, const struct ct_node *node,
                               const char *text);

/* NULL when neither the statement nor its text can be told (p->trouble
 * says what it was). */
struct ir_stmt *parse_body(struct parse *p, const struct ct_node *node);

struct ir_stmt *parse_for(struct parse *p, const struct ct_node *node,
                          struct ir_stmt *body);
/* A `for` of init, cond and increment becomes canonical if it counts. */
bool parse_counts(struct parse *p, struct ir_stmt *loop);
/* What `i++`, `i -= 2`, `i = i + 1` add to i; 0 = it is none of these. */
long long parse_step(const struct ir_expr *increment, const struct ir_symbol *iterator);
/* The body with one more statement. */
struct ir_stmt *parse_at_the_end(struct parse *p, struct ir_stmt *body,
                                 struct ir_expr *expr);
/* The variable that this very node assigns or takes the address of (then *address, if
 * wanted); NULL = none. */
struct ct_decl *parse_written(const struct ct_node *node, bool *address);

/* Behind the comment, the string or the one character that stands at `at`. */
size_t scan_piece(const char *source, size_t at, size_t end);
/* behind spaces and comments */
size_t scan_blank(const char *source, size_t at, size_t end);
/* The end of a directive's last line, its newline included; a backslash continues it. */
size_t scan_directive(const char *source, size_t at, size_t end);
/* behind a `;` that follows next, else `at` */
size_t scan_semicolon(const char *source, size_t at, size_t end);
/* behind the `f(...)` at `at` */
size_t scan_call(const char *source, size_t at, size_t end);
/* `for (;;)` at `at` */
bool scan_for_head(const char *source, size_t at, size_t end, size_t semicolon[2]);
/* The directive, at the `#` that begins its line, or the operator `_Pragma`; NULL when
 * neither stands at `at`. Its line is not set. */
struct ir_pragma *scan_pragma(struct ir_arena *arena, const char *source, size_t at,
                              size_t end);
struct ir_pragma *scan_pragmas(struct ir_arena *arena, const char *source, size_t length,
                               const struct ct_file *file);

/* What the file says of each expression and statement, and its comments: the last step.
 */
void parse_spellings(struct parse *p, const struct ct_outside *outside);

/* The flags that concern parsing of `source`; the first says the language.
 */
void parse_args(const struct strvec *cflags, const char *source, bool cplusplus,
                struct strvec *out);

/* -fno-strict-aliasing: what the last of such flags says. */
bool parse_types_alias(const struct strvec *cflags);
/* Opens the file, or `text` in its place (NULL = what it holds), and finds the function.
 * Calls that only run a lambda for each number (the one at `lambda_line`; 0 = all of the
 * function) are loops in the source then, or its trouble. */
int parse_open(struct parse *p, const char *text, int line, const char *name,
               const struct strvec *cflags, int lambda_line, struct strvec *args,
               struct ct_function **chosen, struct error *err);
/* The function that is meant. */
struct ct_function *parse_select(const struct parse *p, int line, const char *name,
                                 struct error *err);
/* Placed before the function, behind the one above it, or inside. */
bool parse_applies(const struct ct_file *file, const struct ct_function *function,
                   const struct ir_pragma *pragma);

#endif
