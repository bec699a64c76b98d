/* One plan as values under names, and back: the half of plan_columns.h that knows how
 * steps are written. */
#ifndef ADVISOR_PLAN_CELLS_H
#define ADVISOR_PLAN_CELLS_H

#include "core/base.h"

/* How the names within a step become columns. */
enum plan_form {
    TOGETHER, /* one step, a column for each name: tile(i:64,j:32) */
    APART,    /* a column for each name, a step each: prefetch(a:16) prefetch(b:8) */
    FLAGS,    /* one step, a column for each name, without values: nontemporal(a,b) */
    WHOLE,    /* one column, what is in the brackets as text */
    ORDER     /* one column: the order of the names of the kind that follows, where
                 neither the order of the columns nor that of the loops says it */
};

struct plan_kind {
    const char *step, *column;
    enum plan_form form;
    char joint;         /* between names, instead of the comma that separates keys */
    const char *absent; /* value without such a step, where not all values are numbers */
};

/* NULL = no such column. Kinds stand in one array, in the order of their columns. */
const struct plan_kind *plan_kind_of(const char *column);
/* All names in one step, with a column for each. */
bool plan_kind_is_together(const struct plan_kind *kind);

struct plan_cell {
    char *column, *value;
};

struct plan_cells {
    struct plan_cell *item;
    size_t nr, alloc;
};
void plan_cells_release(struct plan_cells *cells);
const struct plan_cell *plan_cell_find(const struct plan_cells *cells,
                                       const char *column);
/* A second value of one column stands behind the first one. Takes both texts. */
void plan_cell_add(struct plan_cells *cells, char *column, char *value);

/* Cells in the order of the plan. `ordered`: kinds whose order of names is a cell, too, a
 * bit for each. False when a step has no column. */
bool plan_cells_read(const char *plan, unsigned ordered, struct plan_cells *cells);
/* The kinds, a bit for each, that have several names in one step of the plan. */
unsigned plan_orders(const char *plan);
/* The plan of cells in the order of their columns. Caller frees. */
char *plan_cells_text(const struct plan_cells *cells);

/* A copy; caller frees. */
char *char_replaced(const char *text, char from, char to);

#endif
