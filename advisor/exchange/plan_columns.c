#include "advisor/exchange/plan_columns.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/exchange/plan_cells.h"

static const char other[] = "other", settings_column[] = "set_";

static bool is_setting(const char *column)
{
    return !strncmp(column, settings_column, strlen(settings_column));
}

bool plan_is_column(const char *name)
{
    return plan_kind_of(name) || !strcmp(name, other);
}

/* ---- the columns of many plans ---- */

static size_t column_at(const struct plan_columns *columns, const char *name)
{
    size_t at = 0;
    while (at < columns->nr && strcmp(columns->column[at].name, name) != 0)
        at++;
    return at;
}

/* Where a column that the plan names before cell `next` belongs: in front of the next one
 * of the plan's that is there already, so that the plan's own order is kept. */
static void add_column(struct plan_columns *columns, const struct plan_cells *cells,
                       size_t cell)
{
    const struct plan_kind *kind = plan_kind_of(cells->item[cell].column);
    size_t at = columns->nr;
    for (size_t next = cell + 1; next < cells->nr && at == columns->nr; next++)
        if (plan_kind_of(cells->item[next].column) == kind)
            at = column_at(columns, cells->item[next].column);
    for (size_t i = 0; i < columns->nr && at == columns->nr; i++)
        if (plan_kind_of(columns->column[i].name) > kind)
            at = i;
    GROW(columns->column, columns->nr + 1, columns->alloc);
    memmove(&columns->column[at + 1], &columns->column[at],
            (columns->nr - at) * sizeof(*columns->column));
    columns->column[at] = (struct plan_column){xstrdup(cells->item[cell].column), false};
    columns->nr++;
}

static bool is_whole(const struct plan_columns *columns, const char *plan)
{
    for (size_t i = 0; i < columns->whole_nr; i++)
        if (!strcmp(columns->whole[i], plan))
            return true;
    return false;
}

static void add_whole(struct plan_columns *columns, const char *plan)
{
    GROW(columns->whole, columns->whole_nr + 1, columns->whole_alloc);
    columns->whole[columns->whole_nr++] = xstrdup(plan);
}

static void columns_forget(struct plan_columns *columns)
{
    for (size_t i = 0; i < columns->nr; i++)
        free(columns->column[i].name);
    columns->nr = 0;
}

void plan_columns_release(struct plan_columns *columns)
{
    columns_forget(columns);
    free(columns->column);
    for (size_t i = 0; i < columns->whole_nr; i++)
        free(columns->whole[i]);
    free(columns->whole);
    *columns = (struct plan_columns){0};
}

static void add_columns(const char *plan, bool ordered, struct plan_columns *columns)
{
    struct plan_cells cells = {0};
    if (!plan_cells_read(plan, columns->ordered, &cells))
        add_whole(columns, plan);
    else if (!plan_cell_find(&cells, "order") == !ordered)
        for (size_t k = cells.nr; k-- > 0;)
            if (column_at(columns, cells.item[k].column) == columns->nr)
                add_column(columns, &cells, k);
    plan_cells_release(&cells);
}

/* First the plans that leave the loops' order as it is: theirs becomes that of the
 * columns. */
static void gather(const char *const *plan, size_t nr, struct plan_columns *columns)
{
    columns_forget(columns);
    for (int ordered = 0; ordered <= 1; ordered++)
        for (size_t i = 0; i < nr; i++)
            if (!is_whole(columns, plan[i]))
                add_columns(plan[i], ordered, columns);
}

static bool is_integer(const char *text)
{
    char *end;
    (void)strtoll(text, &end, 10);
    return *text && !*end && (text[0] != '0' || !text[1]) && strlen(text) < 19;
}

/* Numbers where all are: 0 is free for "no such step" but in set. */
static void choose_types(const char *const *plan, size_t nr, struct plan_columns *columns)
{
    for (size_t c = 0; c < columns->nr; c++)
        columns->column[c].numbers = true;
    for (size_t i = 0; i < nr; i++) {
        struct plan_cells cells = {0};
        if (!is_whole(columns, plan[i]))
            plan_cells_read(plan[i], columns->ordered, &cells);
        for (size_t c = 0; c < columns->nr; c++) {
            struct plan_column *column = &columns->column[c];
            const struct plan_cell *cell = plan_cell_find(&cells, column->name);
            bool setting = is_setting(column->name);
            if (cell ? !is_integer(cell->value) : setting)
                column->numbers = false;
        }
        plan_cells_release(&cells);
    }
}

/* For a plan that its row does not give again: orders get columns of their own, one kind
 * of step after the other; when they have, the plan stands as it is. */
static void widen(struct plan_columns *columns, const char *plan)
{
    unsigned missing = plan_orders(plan) & ~columns->ordered;
    if (missing)
        columns->ordered |= missing & ~(missing - 1);
    else
        add_whole(columns, plan);
}

static bool all_come_back(const char *const *plan, size_t nr,
                          struct plan_columns *columns)
{
    for (size_t i = 0; i < nr; i++) {
        if (is_whole(columns, plan[i]))
            continue;
        json_t *row = plan_columns_row(columns, plan[i]);
        char *back = plan_of_row(row);
        bool same = !strcmp(back, plan[i]);
        free(back);
        json_decref(row);
        if (same)
            continue;
        widen(columns, plan[i]);
        return false;
    }
    return true;
}

void plan_columns_find(const char *const *plan, size_t nr, struct plan_columns *out)
{
    *out = (struct plan_columns){0};
    do {
        gather(plan, nr, out);
        choose_types(plan, nr, out);
    } while (!all_come_back(plan, nr, out));
}

/* ---- rows ---- */

static json_t *value_json(const struct plan_column *column, const struct plan_cell *cell)
{
    if (column->numbers)
        return json_integer(cell ? strtoll(cell->value, NULL, 10) : 0);
    return json_string(cell ? cell->value : plan_kind_of(column->name)->absent);
}

json_t *plan_columns_row(const struct plan_columns *columns, const char *plan)
{
    bool whole = is_whole(columns, plan);
    json_t *row = json_object();
    struct plan_cells cells = {0};
    if (!whole)
        plan_cells_read(plan, columns->ordered, &cells);
    for (size_t i = 0; i < columns->nr; i++) {
        const struct plan_column *column = &columns->column[i];
        json_object_set_new(row, column->name,
                            value_json(column, plan_cell_find(&cells, column->name)));
    }
    plan_cells_release(&cells);
    if (!columns->whole_nr)
        return row;
    char *text = whole ? char_replaced(plan, ',', ';') : xstrdup("none");
    json_object_set_new(row, other, json_string(text));
    free(text);
    return row;
}

static void take_cell(struct plan_cells *cells, const char *name, const json_t *value)
{
    const struct plan_kind *kind = plan_kind_of(name);
    const char *text = json_string_value(value);
    bool setting = is_setting(name);
    if (text && strcmp(text, kind->absent) != 0)
        plan_cell_add(cells, xstrdup(name), xstrdup(text));
    else if (json_is_integer(value) && (setting || json_integer_value(value)))
        plan_cell_add(cells, xstrdup(name),
                      xasprintf("%lld", (long long)json_integer_value(value)));
}

char *plan_of_row(const json_t *row)
{
    const char *whole = json_string_value(json_object_get(row, other)), *name;
    struct plan_cells cells = {0};
    json_t *value;
    if (whole && strcmp(whole, "none") != 0)
        return char_replaced(whole, ';', ',');
    json_object_foreach((json_t *)row, name, value) if (plan_kind_of(name))
        take_cell(&cells, name, value);
    char *plan = plan_cells_text(&cells);
    plan_cells_release(&cells);
    return plan;
}
