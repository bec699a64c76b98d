/* Facts for advice: arrays of structs of which a nest uses a part, arrays that are
 * scalars in disguise. */
#include "variants/model/poly.h"

#include <stdlib.h>
#include <string.h>

static bool is_used(const struct nest *nest, size_t cell)
{
    for (size_t i = 0; i < nest->access_nr; i++)
        if (nest->access[i].cell == cell)
            return true;
    return false;
}

static int first_line(const struct nest *nest, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < nest->access_nr; i++)
        if (nest->cell[nest->access[i].cell].symbol == symbol)
            return nest->access[i].line;
    return nest->stmt->line;
}

static size_t field_bytes(const struct model *model, const struct cell *cell)
{
    int array = view_cell(model, cell);
    size_t elements = array < 0 ? 1 : model->array[array].record_elements;
    return cell->type.bytes * elements;
}

static void add_record(struct model *model, const struct nest *nest,
                       const struct ir_symbol *symbol)
{
    struct kernel_record record = {.nest = nest->index,
                                   .name = symbol->name,
                                   .record_bytes = symbol->type.bytes,
                                   .line = first_line(nest, symbol)};
    struct buf fields = {0};
    for (size_t i = 0; i < nest->cell_nr; i++) {
        const struct cell *cell = &nest->cell[i];
        if (cell->symbol != symbol || !is_used(nest, i))
            continue;
        record.used_bytes += field_bytes(model, cell);
        if (*cell->path)
            buf_addf(&fields, "%s%s", fields.length ? ", " : "", cell->path + 1);
    }
    record.fields = ir_text(model->arena, buf_str(&fields));
    buf_release(&fields);
    GROW(model->record, model->record_nr + 1, model->record_alloc);
    model->record[model->record_nr++] = record;
}

static bool is_first(const struct nest *nest, size_t cell)
{
    for (size_t i = 0; i < cell; i++)
        if (nest->cell[i].symbol == nest->cell[cell].symbol)
            return false;
    return true;
}

static void nest_facts(struct model *model, const struct nest *nest)
{
    for (size_t i = 0; i < nest->cell_nr; i++) {
        const struct cell *cell = &nest->cell[i];
        if (cell->symbol_dims && cell->symbol->type.scalar == IR_RECORD &&
            is_first(nest, i))
            add_record(model, nest, cell->symbol);
        if (cell_is_temporary(nest, i))
            strvec_push(&model->temporary, cell->name);
    }
}

void view_facts(struct model *model)
{
    isl_budget(model, model->request.operation_limit);
    for (size_t i = 0; i < model->nest_nr; i++)
        if (!model->nest[i]->refusal)
            nest_facts(model, model->nest[i]);
    isl_check(model, false, NULL);
}
