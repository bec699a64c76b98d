/* Which cells share bytes: records taken as one where a field and the whole are both
 * used, and fields that other names may reach. */
#include "variants/model/poly.h"

#include <stdlib.h>
#include <string.h>

/* ---- one cell for a record and its fields ---- */

static bool is_record(const struct cell *cell)
{
    return cell->type.scalar == IR_RECORD && !cell->type.pointers;
}

/* ".pos" holds ".pos.x". */
static bool holds(const char *outer, const char *inner)
{
    size_t length = strlen(outer);
    return !strncmp(outer, inner, length) && (inner[length] == '.' || !inner[length]);
}

/* Accesses to the field become accesses to a part of the record. */
static void merge(struct nest *nest, size_t field, size_t record)
{
    for (size_t i = 0; i < nest->access_nr; i++) {
        struct access *access = &nest->access[i];
        if (access->cell != field)
            continue;
        access->cell = record;
        access->subscript_nr = nest->cell[record].dims;
        access->must = false;
        access->accumulates = ACCUMULATES_NOT;
    }
}

static void drop_cell(struct nest *nest, size_t cell)
{
    for (size_t i = 0; i < nest->access_nr; i++)
        nest->access[i].cell -= nest->access[i].cell > cell;
    memmove(&nest->cell[cell], &nest->cell[cell + 1],
            (--nest->cell_nr - cell) * sizeof(nest->cell[0]));
}

static bool merge_one(struct nest *nest)
{
    for (size_t a = 0; a < nest->cell_nr; a++)
        for (size_t b = 0; b < nest->cell_nr; b++)
            if (a != b && nest->cell[a].symbol == nest->cell[b].symbol &&
                is_record(&nest->cell[a]) &&
                holds(nest->cell[a].path, nest->cell[b].path)) {
                merge(nest, b, a);
                drop_cell(nest, b);
                return true;
            }
    return false;
}

/* ---- fields as variables: `g->nx` ---- */

static bool cell_written(const struct nest *nest, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < nest->access_nr; i++)
        if (nest->access[i].write && nest->cell[nest->access[i].cell].symbol == symbol)
            return true;
    return false;
}

/* g->pos.x and g->pos, g->x and g[i]. */
static bool same_bytes(const struct ir_symbol *field, const struct ir_symbol *other)
{
    if (field == other)
        return false;
    if (field->base == other)
        return true;
    if (other->role != IR_FIELD || other->base != field->base)
        return false;
    size_t length = strlen(other->path);
    return !strncmp(other->path, field->path, length) && field->path[length] == '.';
}

/* An in-place part of what `field` names is written under another name. */
static int check_field(struct nest *nest, const struct ir_symbol *field)
{
    for (size_t i = 0; i < nest->cell_nr; i++) {
        const struct ir_symbol *other = nest->cell[i].symbol;
        if (same_bytes(field, other) &&
            (cell_written(nest, field) || cell_written(nest, other)))
            return nest_refuse(nest, nest->stmt->line,
                               "'%s' and '%s' are used under both names in one nest and "
                               "may be the same memory; copy the field to a local "
                               "variable before the loop",
                               field->name, nest->cell[i].name);
    }
    return 0;
}

static int check_fields(struct nest *nest)
{
    const struct ir_function *function = nest->model->function;
    for (size_t i = 0; i < function->symbol_nr; i++) {
        const struct ir_symbol *symbol = function->symbol[i];
        if (symbol->role == IR_FIELD && nest->used[i] && check_field(nest, symbol))
            return -1;
    }
    return 0;
}

/* What is written out again would be the macro's. */
static int check_macros(struct nest *nest)
{
    const struct ir_function *function = nest->model->function;
    for (size_t i = 0; i < function->symbol_nr; i++) {
        const struct ir_symbol *symbol = function->symbol[i];
        if (nest->used[i] && symbol->role != IR_FIELD &&
            ir_has_name(&function->macros, symbol->name))
            return nest_refuse(nest, nest->stmt->line,
                               "'%s' is a variable and a macro; give one of them another "
                               "name",
                               symbol->name);
    }
    return 0;
}

int nest_cells(struct nest *nest)
{
    while (merge_one(nest))
        ;
    return check_macros(nest) ? -1 : check_fields(nest);
}
