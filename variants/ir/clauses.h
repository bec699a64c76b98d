/* The text of the user's pragmas: what they are, and the clauses of OpenMP's. */
#ifndef VARIANTS_IR_CLAUSES_H
#define VARIANTS_IR_CLAUSES_H

#include <stdbool.h>
#include <stddef.h>

struct ir_function;
struct ir_pragma;
struct ir_stmt;
struct ir_symbol;

/* What a plan makes of the loop behind a pragma; see openmp.def. */
enum loop_change {
#define CHANGE(name, said) CHANGE_##name,
#include "variants/ir/openmp.def"
    CHANGE_NR
};
/* "nontemporal divides by lines"; "%s": the word of the plan's step. */
const char *change_said(enum loop_change change);

enum pragma_kind {
    PRAGMA_TEAM,    /* shares the loop out among threads that it starts */
    PRAGMA_SHARED,  /* among threads that are there */
    PRAGMA_SIMD,    /* of one loop for the compiler, with clauses of variables */
    PRAGMA_HINT,    /* the same without; all four belong to the loop behind them */
    PRAGMA_THREADS, /* of the statement behind it, where threads begin */
    PRAGMA_REGION,  /* of the statement behind it, which is no loop to us */
    PRAGMA_PLACE,   /* of its place in the file */
    PRAGMA_FLOATS,  /* with ON: how all that follows rounds can be seen */
    PRAGMA_MARK     /* nothing to a compiler */
};
enum pragma_cell {
    CELL_NO, /* what has no row, too */
    CELL_YES,
    CELL_VALUE, /* see openmp.def */
    CELL_OWN,
    CELL_ALONE
};
struct pragma_row {
    const char *words;
    enum pragma_kind kind;
    enum pragma_cell cell[CHANGE_NR];
};
/* Fills what stands behind its words; NULL = the table has no such pragma. */
const struct pragma_row *pragma_row(const char *text, const char **clauses);
bool pragma_is(const struct ir_pragma *pragma, enum pragma_kind kind); /* not of ours */
bool pragma_shares_out(const struct ir_pragma *pragma);
/* It says something of the loop behind it; others are about the place. */
bool pragma_binds(const struct ir_pragma *pragma);
const char *pragma_clauses(const char *text); /* "" of a pragma without a row */

/* One after the other, with what stands in parentheses; false = no more. */
struct clause {
    const char *word, *value; /* value: behind the '(' */
    size_t word_length, value_length;
};
bool clause_next(const char **at, struct clause *clause);
/* The table has it, and it means what it has there. */
bool clause_is_known(const struct clause *clause);
enum pragma_cell clause_cell(const struct clause *clause, enum loop_change change);
enum pragma_cell clause_around(const struct clause *clause);
bool clause_is(const struct clause *clause, const char *word);
bool clause_names(const struct clause *clause, const char *word); /* in parentheses */
bool clause_is_none(const struct clause *clause);                 /* default(none) */
/* What it names, or all with default(private), is each thread's own. */
bool clause_gives_own(const struct clause *clause);

/* The innermost `omp parallel` around the loop; NULL = in this function there is none. */
const struct ir_stmt *openmp_region(const struct ir_function *function,
                                    const struct ir_stmt *loop);
const struct ir_pragma *openmp_region_pragma(const struct ir_stmt *region);
/* The loop behind the pragma is all that the threads of such a region share out, and they
 * call nothing there. */
bool openmp_is_alone(const struct ir_function *function, const struct ir_stmt *loop,
                     const struct ir_pragma *pragma);

/* Each thread has a variable of its own by that name. */
bool symbol_is_of_thread(const struct ir_function *function,
                         const struct ir_symbol *symbol);

#endif
