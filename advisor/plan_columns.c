#include "advisor/plan_columns.h"

#include <stdlib.h>
#include <string.h>

/* How the names within a step become columns. */
enum form {
    TOGETHER, /* one step, a column for each name: tile(i:64,j:32) */
    APART,    /* a column for each name, a step each: prefetch(a:16) prefetch(b:8) */
    FLAGS,    /* one step, a column for each name, without values: nontemporal(a,b) */
    WHOLE     /* one column, what is in the brackets as text */
};

/* In the order in which the search puts steps together (search/choice.h). */
static const struct kind {
    const char *step, *column;
    enum form form;
    char joint;         /* between names, instead of the comma that separates keys */
    const char *absent; /* value without such a step, where not all values are numbers */
} kinds[] = {
    {"set", "set_", TOGETHER, 0, "as_written"},
    {"fuse", "fuse", WHOLE, ';', "none"},
    {"distribute", "distribute", WHOLE, ';', "none"},
    {"interchange", "order", WHOLE, '>', "as_written"},
    {"skew_tile", "skew_tile_", TOGETHER, 0, "none"},
    {"tile", "tile_", TOGETHER, 0, "none"},
    {"unroll_jam", "jam_", TOGETHER, 0, "none"},
    {"unroll", "unroll_", TOGETHER, 0, "none"},
    {"simd", "simd", WHOLE, ';', "none"},
    {"parallel", "parallel", WHOLE, ';', "none"},
    {"prefetch", "prefetch_", APART, ';', "none"},
    {"nontemporal", "nontemporal_", FLAGS, 0, "none"},
};
static const char other[] = "other";

static bool starts_with(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

/* NULL = no such column. skew_tile_ stands before tile_ and is no beginning of it. */
static const struct kind *kind_of_column(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (kinds[i].form == WHOLE
                ? !strcmp(name, kinds[i].column)
                : starts_with(name, kinds[i].column) && name[strlen(kinds[i].column)])
            return &kinds[i];
    return NULL;
}

bool plan_is_column(const char *name)
{
    return kind_of_column(name) || !strcmp(name, other);
}

/* ---- a plan as cells ---- */

struct cell {
    char *column, *value;
};

struct cells {
    struct cell *item;
    size_t nr, alloc;
};

static void cells_release(struct cells *cells)
{
    for (size_t i = 0; i < cells->nr; i++) {
        free(cells->item[i].column);
        free(cells->item[i].value);
    }
    free(cells->item);
    *cells = (struct cells){0};
}

static const struct cell *cell_find(const struct cells *cells, const char *column)
{
    for (size_t i = 0; i < cells->nr; i++)
        if (!strcmp(cells->item[i].column, column))
            return &cells->item[i];
    return NULL;
}

/* A second value of one column stands behind the first one. Takes both texts. */
static void cell_add(struct cells *cells, char *column, char *value)
{
    struct cell *old = (struct cell *)cell_find(cells, column);
    if (old) {
        char *both = xasprintf("%s+%s", old->value, value);
        free(old->value);
        free(column);
        free(value);
        old->value = both;
        return;
    }
    GROW(cells->item, cells->nr + 1, cells->alloc);
    cells->item[cells->nr++] = (struct cell){column, value};
}

static char *replaced(const char *text, char from, char to)
{
    char *copy = xstrdup(text);
    for (char *c = copy; *c; c++)
        if (*c == from)
            *c = to;
    return copy;
}

/* Fields of structures: p.x, g->v. */
static char *name_for_column(const char *name, size_t length)
{
    struct buf out = {0};
    for (size_t i = 0; i < length; i++) {
        bool arrow = i + 1 < length && name[i] == '-' && name[i + 1] == '>';
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
        bool arrow = starts_with(name, "_at_"), dot = starts_with(name, "_dot_");
        if (arrow || dot)
            buf_add(&out, arrow ? "->" : ".");
        else
            buf_add_n(&out, name, 1);
        name += arrow ? 4 : dot ? 5 : 1;
    }
    return buf_detach(&out);
}

/* "i:64" -> tile_i = 64; "a:16,to:L2" -> prefetch_a = 16;to:L2; "a" -> nontemporal_a = 1
 */
static void add_named(struct cells *cells, const struct kind *kind, const char *body)
{
    while (*body) {
        size_t all = kind->form == APART ? strlen(body) : strcspn(body, ",");
        size_t name = strcspn(body, ":,");
        char *text = name_for_column(body, name);
        char *value = name < all ? xstrndup(body + name + 1, all - name - 1) : NULL;
        cell_add(cells, xasprintf("%s%s", kind->column, text),
                 value ? replaced(value, ',', kind->joint) : xstrdup("1"));
        free(text);
        free(value);
        body += all;
        body += *body == ',';
    }
}

/* False when there is no column for such a step. */
static bool add_step(struct cells *cells, const char *step)
{
    size_t name = strcspn(step, "(");
    const char *end = strrchr(step, ')');
    char *body = step[name] && end
                     ? xstrndup(step + name + 1, (size_t)(end - step) - name - 1)
                     : xstrdup("");
    size_t k = 0;
    while (k < ARRAY_SIZE(kinds) &&
           (strncmp(kinds[k].step, step, name) != 0 || kinds[k].step[name]))
        k++;
    if (k < ARRAY_SIZE(kinds) && kinds[k].form == WHOLE)
        cell_add(cells, xstrdup(kinds[k].column),
                 *body ? replaced(body, ',', kinds[k].joint) : xstrdup("1"));
    else if (k < ARRAY_SIZE(kinds))
        add_named(cells, &kinds[k], body);
    free(body);
    return k < ARRAY_SIZE(kinds);
}

/* Steps are separated by spaces, and hold none. */
static bool cells_of_plan(const char *plan, struct cells *cells)
{
    struct strvec steps = {0};
    bool good = true;
    strvec_split(&steps, plan);
    for (size_t i = 0; i < steps.nr && good; i++)
        good = add_step(cells, steps.v[i]);
    strvec_release(&steps);
    return good;
}

/* ---- cells as a plan ---- */

static void add_value(struct buf *out, const struct kind *kind, const struct cell *cell)
{
    char *name = name_of_column(cell->column + strlen(kind->column));
    char *value = replaced(cell->value, kind->joint ? kind->joint : ',', ',');
    if (kind->form == FLAGS)
        buf_add(out, name);
    else
        buf_addf(out, "%s:%s", name, value);
    free(name);
    free(value);
}

/* Columns that are one step each, or several: "k+j" is distribute(k) distribute(j). */
static void add_steps(struct buf *out, const struct kind *kind, const struct cell *cell)
{
    for (const char *at = cell->value; *at;) {
        size_t length = strcspn(at, "+");
        struct cell part = {cell->column, xstrndup(at, length)};
        char *body = replaced(part.value, kind->joint, ',');
        if (kind->form == WHOLE && !strcmp(body, "1")) {
            buf_addf(out, " %s", kind->step);
        } else if (kind->form == WHOLE) {
            buf_addf(out, " %s(%s)", kind->step, body);
        } else {
            buf_addf(out, " %s(", kind->step);
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
static size_t place_in_order(const struct kind *kind, const char *order,
                             const struct cell *cell)
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
static void add_together(struct buf *out, const struct kind *kind,
                         const struct cells *cells)
{
    const struct cell *ordered = cell_find(cells, "order");
    const char *order = ordered ? ordered->value : "";
    size_t places = strlen(order) + 2, nr = 0;
    for (size_t place = 0; place < places; place++)
        for (size_t i = 0; i < cells->nr; i++) {
            const struct cell *cell = &cells->item[i];
            if (kind_of_column(cell->column) != kind ||
                place_in_order(kind, order, cell) != place)
                continue;
            if (!nr++)
                buf_addf(out, " %s(", kind->step);
            else
                buf_add(out, ",");
            add_value(out, kind, cell);
        }
    if (nr)
        buf_add(out, ")");
}

/* Cells in the order of their columns. */
static char *plan_of_cells(const struct cells *cells)
{
    struct buf out = {0};
    for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
        bool one = kinds[k].form == TOGETHER || kinds[k].form == FLAGS;
        if (one)
            add_together(&out, &kinds[k], cells);
        for (size_t i = 0; i < cells->nr && !one; i++)
            if (kind_of_column(cells->item[i].column) == &kinds[k])
                add_steps(&out, &kinds[k], &cells->item[i]);
    }
    char *text = xstrdup(out.length ? buf_str(&out) + 1 : "");
    buf_release(&out);
    return text;
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
static void add_column(struct plan_columns *columns, const struct cells *cells,
                       size_t cell)
{
    const struct kind *kind = kind_of_column(cells->item[cell].column);
    size_t at = columns->nr;
    for (size_t next = cell + 1; next < cells->nr && at == columns->nr; next++)
        if (kind_of_column(cells->item[next].column) == kind)
            at = column_at(columns, cells->item[next].column);
    for (size_t i = 0; i < columns->nr && at == columns->nr; i++)
        if (kind_of_column(columns->column[i].name) > kind)
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
    struct cells cells = {0};
    if (!cells_of_plan(plan, &cells))
        add_whole(columns, plan);
    else if (!cell_find(&cells, "order") == !ordered)
        for (size_t k = cells.nr; k-- > 0;)
            if (column_at(columns, cells.item[k].column) == columns->nr)
                add_column(columns, &cells, k);
    cells_release(&cells);
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
        struct cells cells = {0};
        if (!is_whole(columns, plan[i]))
            cells_of_plan(plan[i], &cells);
        for (size_t c = 0; c < columns->nr; c++) {
            struct plan_column *column = &columns->column[c];
            const struct cell *cell = cell_find(&cells, column->name);
            bool setting = starts_with(column->name, kinds[0].column);
            if (cell ? !is_integer(cell->value) : setting)
                column->numbers = false;
        }
        cells_release(&cells);
    }
}

/* Plans that their rows do not give again stand as they are. */
static bool all_come_back(const char *const *plan, size_t nr,
                          struct plan_columns *columns)
{
    size_t before = columns->whole_nr;
    for (size_t i = 0; i < nr; i++) {
        if (is_whole(columns, plan[i]))
            continue;
        json_t *row = plan_columns_row(columns, plan[i]);
        char *back = plan_of_row(row);
        if (strcmp(back, plan[i]) != 0)
            add_whole(columns, plan[i]);
        free(back);
        json_decref(row);
    }
    return columns->whole_nr == before;
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

static json_t *value_json(const struct plan_column *column, const struct cell *cell)
{
    if (column->numbers)
        return json_integer(cell ? strtoll(cell->value, NULL, 10) : 0);
    return json_string(cell ? cell->value : kind_of_column(column->name)->absent);
}

json_t *plan_columns_row(const struct plan_columns *columns, const char *plan)
{
    bool whole = is_whole(columns, plan);
    json_t *row = json_object();
    struct cells cells = {0};
    if (!whole)
        cells_of_plan(plan, &cells);
    for (size_t i = 0; i < columns->nr; i++) {
        const struct plan_column *column = &columns->column[i];
        json_object_set_new(row, column->name,
                            value_json(column, cell_find(&cells, column->name)));
    }
    cells_release(&cells);
    if (!columns->whole_nr)
        return row;
    char *text = whole ? replaced(plan, ',', ';') : xstrdup("none");
    json_object_set_new(row, other, json_string(text));
    free(text);
    return row;
}

static void take_cell(struct cells *cells, const char *name, const json_t *value)
{
    const struct kind *kind = kind_of_column(name);
    const char *text = json_string_value(value);
    bool setting = kind == &kinds[0];
    if (text && strcmp(text, kind->absent) != 0)
        cell_add(cells, xstrdup(name), xstrdup(text));
    else if (json_is_integer(value) && (setting || json_integer_value(value)))
        cell_add(cells, xstrdup(name),
                 xasprintf("%lld", (long long)json_integer_value(value)));
}

char *plan_of_row(const json_t *row)
{
    const char *whole = json_string_value(json_object_get(row, other)), *name;
    struct cells cells = {0};
    json_t *value;
    if (whole && strcmp(whole, "none") != 0)
        return replaced(whole, ';', ',');
    json_object_foreach((json_t *)row, name, value) if (kind_of_column(name))
        take_cell(&cells, name, value);
    char *plan = plan_of_cells(&cells);
    cells_release(&cells);
    return plan;
}
