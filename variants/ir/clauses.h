/* The text of the user's pragmas: what they are, and the clauses of OpenMP's. */
#ifndef VARIANTS_IR_CLAUSES_H
#define VARIANTS_IR_CLAUSES_H

#include <stdbool.h>
#include <stddef.h>

/* It says something of the statement behind it; others (`scop`, `STDC FP_CONTRACT`) are
 * about the place. */
bool pragma_binds(const char *text);
bool pragma_is_simd(const char *text);         /* omp simd, and no other word before it */
bool pragma_is_parallel_for(const char *text); /* `omp parallel for` and clauses */
/* What stands behind those words; NULL = it is another pragma. */
const char *pragma_clauses(const char *text);
/* Of an `omp parallel for`. */
bool pragma_has_clause(const char *pragma, const char *word);

/* One after the other, with what stands in parentheses; false = no more. */
struct clause {
    const char *word, *value; /* value: behind the '(' */
    size_t word_length, value_length;
};
bool clause_next(const char **at, struct clause *clause);
bool clause_is(const struct clause *clause, const char *word);

#endif
