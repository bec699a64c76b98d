#include "advisor/exchange/plan_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "variants/plan/plan.h"

/* Beside the forms of the table: the order of the names of the kind that follows, where
 * neither the order of the columns nor that of the loops says it. */
enum { PLAN_ORDER = COLUMN_APART + 1 };

struct plan_kind {
    enum step_kind step;
    char column[40];
    int form;           /* enum column_form, PLAN_ORDER */
    char joint;         /* between names, instead of the comma that separates keys */
    const char *absent; /* value without such a step, where not all values are numbers */
};

struct plan_cell {
    char *column, *value;
};

struct plan_cells {
    struct plan_cell *item;
    size_t nr, alloc;
};

/* ---- cells ---- */

/* From the table of transformations, in the order in which a search puts steps together.
 */
static struct {
    struct plan_kind item[2 * STEP_KIND_NR];
    size_t nr;
} kinds;

/* A column of its own before them for the order of names in one step. */
static void add_kind(enum step_kind step)
{
    const struct step_column *column = &transformation_of(step)->column;
    struct plan_kind *kind = &kinds.item[kinds.nr];
    if (column->form == COLUMN_NONE)
        return;
    if (column->form == COLUMN_EACH || column->form == COLUMN_FLAGS) {
        *kind = (struct plan_kind){STEP_KIND_NR, "", PLAN_ORDER, '>', "none"};
        snprintf(kind->column, sizeof(kind->column), "order_%.*s",
                 (int)strlen(column->name) - 1, column->name);
        kind++;
    }
    *kind++ = (struct plan_kind){step, "", column->form, column->joint, column->absent};
    snprintf(kind[-1].column, sizeof(kind->column), "%s", column->name);
    kinds.nr = (size_t)(kind - kinds.item);
}

static void find_kinds(void)
{
    enum step_kind step[STEP_KIND_NR];
    size_t nr = kinds.nr ? 0 : step_kinds_placed(step);
    for (size_t i = 0; i < nr; i++)
        add_kind(step[i]);
}

static bool is_one_column(const struct plan_kind *kind)
{
    return kind->form == COLUMN_WHOLE || kind->form == PLAN_ORDER;
}

/* NULL = no such column. skew_tile_ stands before tile_ and is no beginning of it. */
static const struct plan_kind *plan_kind_of(const char *name)
{
    find_kinds();
    for (size_t i = 0; i < kinds.nr; i++)
        if (is_one_column(&kinds.item[i]) ? !strcmp(name, kinds.item[i].column)
                                          : text_begins(name, kinds.item[i].column) &&
                                                name[strlen(kinds.item[i].column)])
            return &kinds.item[i];
    return NULL;
}

/* ---- a plan as cells ---- */

static void plan_cells_release(struct plan_cells *cells)
{
    for (size_t i = 0; i < cells->nr; i++) {
        free(cells->item[i].column);
        free(cells->item[i].value);
    }
    free(cells->item);
    *cells = (struct plan_cells){0};
}

static const struct plan_cell *plan_cell_find(const struct plan_cells *cells,
                                              const char *column)
{
    for (size_t i = 0; i < cells->nr; i++)
        if (!strcmp(cells->item[i].column, column))
            return &cells->item[i];
    return NULL;
}

/* A second value of one column stands behind the first one. Takes both texts. */
static void plan_cell_add(struct plan_cells *cells, char *column, char *value)
{
    struct plan_cell *old = (struct plan_cell *)plan_cell_find(cells, column);
    if (old) {
        char *both = xasprintf("%s+%s", old->value, value);
        free(old->value);
        free(column);
        free(value);
        old->value = both;
        return;
    }
    GROW(cells->item, cells->nr + 1, cells->alloc);
    cells->item[cells->nr++] = (struct plan_cell){column, value};
}

/* A copy; caller frees. */
static char *char_replaced(const char *text, char from, char to)
{
    char *copy = xstrdup(text);
    for (char *c = copy; *c; c++)
        if (*c == from)
            *c = to;
    return copy;
}

/* Fields of structures: p.x, g->v. */
static char *name_for_column(const char *name)
{
    struct buf out = {0};
    for (size_t i = 0; name[i]; i++) {
        bool arrow = name[i] == '-' && name[i + 1] == '>';
        if (arrow)
            buf_add(&out, "_at_");
        else if (name[i] == '.')
            buf_add(&out, "_dot_");
        else
            buf_add_n(&out, &name[i], 1);
        i += arrow;
    }
    return buf_detach(&out);
}

static char *name_of_column(const char *name)
{
    struct buf out = {0};
    while (*name) {
        bool arrow = text_begins(name, "_at_"), dot = text_begins(name, "_dot_");
        if (arrow || dot)
            buf_add(&out, arrow ? "->" : ".");
        else
            buf_add_n(&out, name, 1);
        name += arrow ? 4 : dot ? 5 : 1;
    }
    return buf_detach(&out);
}

static void add_named(struct plan_cells *cells, const struct plan_kind *kind,
                      const char *name, char *value)
{
    char *text = name_for_column(name);
    plan_cell_add(cells, xasprintf("%s%s", kind->column, text), value);
    free(text);
}

/* What is in the brackets: "a:16,to:L2"; caller frees. */
static char *body_of(const struct plan_step *step)
{
    struct buf text = {0};
    plan_step_text(step, &text);
    const char *open = strchr(buf_str(&text), '(');
    char *body = open ? xstrndup(open + 1, strlen(open) - 2) : xstrdup("");
    buf_release(&text);
    return body;
}

/* All names in one step, with a column for each. */
static bool plan_kind_is_together(const struct plan_kind *kind)
{
    return kind->form == COLUMN_EACH || kind->form == COLUMN_FLAGS;
}

/* "i:64,j:32" -> order_tile = i>j; not for a single name, and not where other plans need
 * no such column. */
static void add_order(struct plan_cells *cells, const struct plan_kind *kind,
                      const struct plan_step *step, uint64_t ordered)
{
    struct buf out = {0};
    if (!(ordered & UINT64_C(1) << (kind - kinds.item)) || step->arg_nr < 2)
        return;
    for (size_t i = 0; i < step->arg_nr; i++) {
        char *name = name_for_column(step->arg[i].name);
        buf_addf(&out, "%s%s", i ? ">" : "", name);
        free(name);
    }
    plan_cell_add(cells, xstrdup(kind[-1].column), buf_detach(&out));
}

/* tile(i:64) -> tile_i = 64; prefetch(a:16,to:L2) -> prefetch_a = 16;to:L2;
 * nontemporal(a) -> nontemporal_a = 1. False when there is no column for such a step. */
static bool add_step(struct plan_cells *cells, const struct plan_step *step,
                     uint64_t ordered)
{
    const struct plan_kind *kind = kinds.item, *end = kinds.item + kinds.nr;
    while (kind < end && kind->step != step->kind)
        kind++;
    if (kind == end || step->nest)
        return false;
    if (plan_kind_is_together(kind)) {
        for (size_t i = 0; i < step->arg_nr; i++)
            add_named(cells, kind, step->arg[i].name,
                      step->arg[i].has_value ? xasprintf("%lld", step->arg[i].value)
                                             : xstrdup("1"));
        add_order(cells, kind, step, ordered);
        return true;
    }
    char *body = body_of(step);
    if (kind->form == COLUMN_WHOLE)
        plan_cell_add(cells, xstrdup(kind->column),
                      *body ? char_replaced(body, ',', kind->joint) : xstrdup("1"));
    else
        add_named(cells, kind, step->arg[0].name,
                  char_replaced(strchr(body, ':') + 1, ',', kind->joint));
    free(body);
    return true;
}

/* Cells in the order of the plan. `ordered`: kinds whose order of names is a cell, too, a
 * bit for each. False when a step has no column. */
static bool plan_cells_read(const char *text, uint64_t ordered, struct plan_cells *cells)
{
    struct plan plan;
    bool good = !plan_read(text, &plan, NULL);
    find_kinds();
    for (size_t i = 0; good && i < plan.step_nr; i++)
        good = add_step(cells, plan.step[i], ordered);
    return good;
}

/* The kinds, a bit for each, that have several names in one step of the plan. */
static uint64_t plan_orders(const char *plan)
{
    struct plan_cells cells = {0};
    uint64_t found = 0;
    plan_cells_read(plan, UINT64_MAX, &cells);
    for (size_t k = 1; k < kinds.nr; k++)
        if (plan_kind_is_together(&kinds.item[k]) &&
            plan_cell_find(&cells, kinds.item[k - 1].column))
            found |= UINT64_C(1) << k;
    plan_cells_release(&cells);
    return found;
}

/* ---- cells as a plan ---- */

static void add_value(struct buf *out, const struct plan_kind *kind,
                      const struct plan_cell *cell)
{
    char *name = name_of_column(cell->column + strlen(kind->column));
    char *value = char_replaced(cell->value, kind->joint ? kind->joint : ',', ',');
    if (kind->form == COLUMN_FLAGS)
        buf_add(out, name);
    else
        buf_addf(out, "%s:%s", name, value);
    free(name);
    free(value);
}

/* Columns that are one step each, or several: "k+j" is distribute(k) distribute(j). */
static void add_steps(struct buf *out, const struct plan_kind *kind,
                      const struct plan_cell *cell)
{
    const char *name = transformation_of(kind->step)->name;
    for (const char *at = cell->value; *at;) {
        size_t length = strcspn(at, "+");
        struct plan_cell part = {cell->column, xstrndup(at, length)};
        char *body = char_replaced(part.value, kind->joint, ',');
        if (kind->form == COLUMN_WHOLE && !strcmp(body, "1")) {
            buf_addf(out, " %s", name);
        } else if (kind->form == COLUMN_WHOLE) {
            buf_addf(out, " %s(%s)", name, body);
        } else {
            buf_addf(out, " %s(", name);
            add_value(out, kind, &part);
            buf_add(out, ")");
        }
        free(body);
        free(part.value);
        at += length;
        at += *at == '+';
    }
}

/* Where the plan's own order of loops, "i>k>j", has the column's loop, from 1 on; 0 = it
 * does not name it: loops that stay where they were are the outer ones. */
static size_t place_in_order(const struct plan_kind *kind, const char *order,
                             const struct plan_cell *cell)
{
    const char *name = cell->column + strlen(kind->column);
    for (size_t place = 1; *order; place++) {
        size_t length = strcspn(order, ">");
        if (length == strlen(name) && !strncmp(order, name, length))
            return place;
        order += length;
        order += *order == '>';
    }
    return 0;
}

/* The names of one step, outermost first where the plan orders the loops, else in the
 * order of their columns. */
static void add_together(struct buf *out, const struct plan_kind *kind,
                         const struct plan_cells *cells)
{
    const struct plan_cell *own = plan_cell_find(cells, kind[-1].column),
                           *ordered = own ? own : plan_cell_find(cells, "order");
    const char *order = ordered ? ordered->value : "";
    size_t places = strlen(order) + 2, nr = 0;
    for (size_t place = 0; place < places; place++)
        for (size_t i = 0; i < cells->nr; i++) {
            const struct plan_cell *cell = &cells->item[i];
            if (plan_kind_of(cell->column) != kind ||
                place_in_order(kind, order, cell) != place)
                continue;
            if (!nr++)
                buf_addf(out, " %s(", transformation_of(kind->step)->name);
            else
                buf_add(out, ",");
            add_value(out, kind, cell);
        }
    if (nr)
        buf_add(out, ")");
}

/* Cells in the order of their columns. */
static char *plan_cells_text(const struct plan_cells *cells)
{
    struct buf out = {0};
    find_kinds();
    for (const struct plan_kind *kind = kinds.item; kind < kinds.item + kinds.nr;
         kind++) {
        if (plan_kind_is_together(kind))
            add_together(&out, kind, cells);
        for (size_t i = 0; i < cells->nr && !plan_kind_is_together(kind); i++)
            if (kind->form != PLAN_ORDER && plan_kind_of(cells->item[i].column) == kind)
                add_steps(&out, kind, &cells->item[i]);
    }
    char *text = xstrdup(out.length ? buf_str(&out) + 1 : "");
    buf_release(&out);
    return text;
}

/* ---- plan columns ---- */

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
    uint64_t missing = plan_orders(plan) & ~columns->ordered;
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
    json_object_foreach((json_t *)row, name, value)
        if (plan_kind_of(name))
            take_cell(&cells, name, value);
    char *plan = plan_cells_text(&cells);
    plan_cells_release(&cells);
    return plan;
}
