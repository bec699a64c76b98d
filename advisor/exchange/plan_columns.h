/*
 * Plans as rows of a table, for tuners whose configurations are a value for each of a
 * fixed list of parameters: tile(i:64,j:32) simd is tile_i = 64, tile_j = 32, simd = 1.
 * Lossless: different plans have different rows, and a row alone gives its plan again.
 * docs/reference/exchange.md has the table of columns.
 */
#ifndef ADVISOR_PLAN_COLUMNS_H
#define ADVISOR_PLAN_COLUMNS_H

#include "core/base.h"

struct plan_column {
    char *name;
    bool numbers; /* all values are integers; 0 = no such step */
};

struct plan_columns {
    struct plan_column *column;
    size_t nr, alloc;
    uint64_t ordered; /* kinds of steps with a column for the order of their names */
    char **whole;     /* plans that stand in the column "other" as they are */
    size_t whole_nr, whole_alloc;
};

/* The columns that hold all of these plans (canonical texts, "" = as written). */
void plan_columns_find(const char *const *plan, size_t nr, struct plan_columns *out);
void plan_columns_release(struct plan_columns *columns);
/* Object: a value for each column, in their order. `plan` is one of those found. */
json_t *plan_columns_row(const struct plan_columns *columns, const char *plan);

/* The plan of a row of ours; names that are no columns are passed over. Caller frees. */
char *plan_of_row(const json_t *row);
/* The name is that of a column that plans can have. */
bool plan_is_column(const char *name);

#endif
