#include "advisor/exchange/plan_cells.h"

#include <stdlib.h>
#include <string.h>

/* In the order in which the search puts steps together (search/space/choice.h). */
static const struct plan_kind kinds[] = {
    {"", "order_set", ORDER, '>', "none"},
    {"set", "set_", TOGETHER, 0, "as_written"},
    {"fuse", "fuse", WHOLE, ';', "none"},
    {"distribute", "distribute", WHOLE, ';', "none"},
    {"interchange", "order", WHOLE, '>', "as_written"},
    {"", "order_skew_tile", ORDER, '>', "none"},
    {"skew_tile", "skew_tile_", TOGETHER, 0, "none"},
    {"", "order_tile", ORDER, '>', "none"},
    {"tile", "tile_", TOGETHER, 0, "none"},
    {"", "order_jam", ORDER, '>', "none"},
    {"unroll_jam", "jam_", TOGETHER, 0, "none"},
    {"", "order_unroll", ORDER, '>', "none"},
    {"unroll", "unroll_", TOGETHER, 0, "none"},
    {"simd", "simd", WHOLE, ';', "none"},
    {"parallel", "parallel", WHOLE, ';', "none"},
    {"prefetch", "prefetch_", APART, ';', "none"},
    {"", "order_nontemporal", ORDER, '>', "none"},
    {"nontemporal", "nontemporal_", FLAGS, 0, "none"},
};

/* NULL = no such column. skew_tile_ stands before tile_ and is no beginning of it. */
const struct plan_kind *plan_kind_of(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (kinds[i].form == WHOLE || kinds[i].form == ORDER
                ? !strcmp(name, kinds[i].column)
                : text_begins(name, kinds[i].column) && name[strlen(kinds[i].column)])
            return &kinds[i];
    return NULL;
}

/* ---- a plan as cells ---- */

void plan_cells_release(struct plan_cells *cells)
{
    for (size_t i = 0; i < cells->nr; i++) {
        free(cells->item[i].column);
        free(cells->item[i].value);
    }
    free(cells->item);
    *cells = (struct plan_cells){0};
}

const struct plan_cell *plan_cell_find(const struct plan_cells *cells, const char *column)
{
    for (size_t i = 0; i < cells->nr; i++)
        if (!strcmp(cells->item[i].column, column))
            return &cells->item[i];
    return NULL;
}

/* A second value of one column stands behind the first one. Takes both texts. */
void plan_cell_add(struct plan_cells *cells, char *column, char *value)
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

char *char_replaced(const char *text, char from, char to)
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
        bool arrow = text_begins(name, "_at_"), dot = text_begins(name, "_dot_");
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
static void add_named(struct plan_cells *cells, const struct plan_kind *kind,
                      const char *body)
{
    while (*body) {
        size_t all = kind->form == APART ? strlen(body) : strcspn(body, ",");
        size_t name = strcspn(body, ":,");
        char *text = name_for_column(body, name);
        char *value = name < all ? xstrndup(body + name + 1, all - name - 1) : NULL;
        plan_cell_add(cells, xasprintf("%s%s", kind->column, text),
                      value ? char_replaced(value, ',', kind->joint) : xstrdup("1"));
        free(text);
        free(value);
        body += all;
        body += *body == ',';
    }
}

bool plan_kind_is_together(const struct plan_kind *kind)
{
    return kind->form == TOGETHER || kind->form == FLAGS;
}

/* "i:64,j:32" -> order_tile = i>j; not for a single name, and not where other plans need
 * no such column. */
static void add_order(struct plan_cells *cells, const struct plan_kind *kind,
                      const char *body, unsigned ordered)
{
    struct buf out = {0};
    if (!(ordered & 1U << (kind - kinds)) || !strchr(body, ','))
        return;
    while (*body) {
        char *name = name_for_column(body, strcspn(body, ":,"));
        buf_addf(&out, "%s%s", out.length ? ">" : "", name);
        free(name);
        body += strcspn(body, ",");
        body += *body == ',';
    }
    plan_cell_add(cells, xstrdup(kind[-1].column), buf_detach(&out));
}

/* False when there is no column for such a step. */
static bool add_step(struct plan_cells *cells, const char *step, unsigned ordered)
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
        plan_cell_add(cells, xstrdup(kinds[k].column),
                      *body ? char_replaced(body, ',', kinds[k].joint) : xstrdup("1"));
    else if (k < ARRAY_SIZE(kinds))
        add_named(cells, &kinds[k], body);
    if (k < ARRAY_SIZE(kinds) && plan_kind_is_together(&kinds[k]))
        add_order(cells, &kinds[k], body, ordered);
    free(body);
    return k < ARRAY_SIZE(kinds);
}

/* Steps are separated by spaces, and hold none. */
bool plan_cells_read(const char *plan, unsigned ordered, struct plan_cells *cells)
{
    struct strvec steps = {0};
    bool good = true;
    strvec_split(&steps, plan);
    for (size_t i = 0; i < steps.nr && good; i++)
        good = add_step(cells, steps.v[i], ordered);
    strvec_release(&steps);
    return good;
}

unsigned plan_orders(const char *plan)
{
    const unsigned all = (1U << ARRAY_SIZE(kinds)) - 1;
    struct plan_cells cells = {0};
    unsigned found = 0;
    plan_cells_read(plan, all, &cells);
    for (size_t k = 1; k < ARRAY_SIZE(kinds); k++)
        if (plan_kind_is_together(&kinds[k]) &&
            plan_cell_find(&cells, kinds[k - 1].column))
            found |= 1U << k;
    plan_cells_release(&cells);
    return found;
}

/* ---- cells as a plan ---- */

static void add_value(struct buf *out, const struct plan_kind *kind,
                      const struct plan_cell *cell)
{
    char *name = name_of_column(cell->column + strlen(kind->column));
    char *value = char_replaced(cell->value, kind->joint ? kind->joint : ',', ',');
    if (kind->form == FLAGS)
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
    for (const char *at = cell->value; *at;) {
        size_t length = strcspn(at, "+");
        struct plan_cell part = {cell->column, xstrndup(at, length)};
        char *body = char_replaced(part.value, kind->joint, ',');
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
                buf_addf(out, " %s(", kind->step);
            else
                buf_add(out, ",");
            add_value(out, kind, cell);
        }
    if (nr)
        buf_add(out, ")");
}

/* Cells in the order of their columns. */
char *plan_cells_text(const struct plan_cells *cells)
{
    struct buf out = {0};
    for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
        if (plan_kind_is_together(&kinds[k]))
            add_together(&out, &kinds[k], cells);
        for (size_t i = 0; i < cells->nr && !plan_kind_is_together(&kinds[k]); i++)
            if (kinds[k].form != ORDER &&
                plan_kind_of(cells->item[i].column) == &kinds[k])
                add_steps(&out, &kinds[k], &cells->item[i]);
    }
    char *text = xstrdup(out.length ? buf_str(&out) + 1 : "");
    buf_release(&out);
    return text;
}
