/* The text of the user's pragmas: what they are, and the clauses of OpenMP's. */
#ifndef VARIANTS_IR_CLAUSES_H
#define VARIANTS_IR_CLAUSES_H

#include <stdbool.h>
#include <stddef.h>

struct ir_function;
struct ir_symbol;

bool pragma_is_simd(const char *text);    /* omp simd, and no other word before it */
bool pragma_shares_out(const char *text); /* `omp parallel for` or `omp for` */
bool pragma_is_for(const char *text);     /* `omp for`, among threads that are there */
/* It says something of the statement behind it; others (`scop`, `STDC FP_CONTRACT`) are
 * about the place. */
bool pragma_binds(const char *text);
/* What stands behind those words; NULL = it is another pragma. */
const char *pragma_clauses(const char *text);
/* The clauses of `omp parallel` with a region behind it; NULL = it is another pragma. */
const char *pragma_team(const char *text);
/* Of one that shares out. */
bool pragma_has_clause(const char *pragma, const char *word);

/* One after the other, with what stands in parentheses; false = no more. */
struct clause {
    const char *word, *value; /* value: behind the '(' */
    size_t word_length, value_length;
};
bool clause_next(const char **at, struct clause *clause);
bool clause_is(const struct clause *clause, const char *word);
bool clause_names(const struct clause *clause, const char *word); /* in parentheses */
/* What it names, or all with default(private), is each thread's own. */
bool clause_gives_own(const struct clause *clause);

/* Each thread has a variable of its own by that name. */
bool symbol_is_of_thread(const struct ir_function *function,
                         const struct ir_symbol *symbol);

#endif
