/* The buffers of a function, as its whole body uses them: one array per field of an array
 * of structs. */
#include "variants/model/poly.h"

#include <stdlib.h>
#include <string.h>

bool expr_is_step(const struct ir_expr *expr)
{
    return expr->kind == IR_UNARY && (strstr(expr->op, "++") || strstr(expr->op, "--"));
}

bool expr_is_place(const struct ir_expr *expr)
{
    return expr->kind == IR_INDEX || expr->kind == IR_MEMBER ||
           (expr->kind == IR_UNARY && !strcmp(expr->op, "*"));
}

/* One step towards the variable: from a[i] to a, from p + i to p. */
static const struct ir_expr *inward(const struct ir_expr *expr)
{
    return expr->kind == IR_BINARY && !expr->arg[0]->type.pointers ? expr->arg[1]
                                                                   : expr->arg[0];
}

static bool leads_inward(const struct ir_expr *expr)
{
    return expr->arg_nr && (expr_is_place(expr) || expr_is_step(expr) ||
                            expr->kind == IR_CAST || expr->type.pointers);
}

/* What local pointers that are set once point into. */
static const struct ir_expr *source_of(const struct model *model,
                                       const struct ir_symbol *symbol)
{
    bool follow = symbol->role == IR_LOCAL && symbol->type.pointers && !symbol->dim_nr &&
                  symbol->id >= 0;
    return follow ? model->init[symbol->id] : NULL;
}

/* ---- one array ---- */

/* The path of fields behind the subscripts and the type of what it names. */
struct fields {
    struct buf path;
    struct ir_type type;
    size_t offset, elements;
};

static const char *declared_extent(struct model *model, const struct ir_symbol *symbol)
{
    struct buf text = {0};
    for (size_t i = 0; i < symbol->dim_nr; i++) {
        if (!symbol->dim[i]) {
            buf_release(&text);
            return NULL;
        }
        buf_add(&text, i ? " x " : "");
        ir_print_expr(&text, symbol->dim[i]);
    }
    const char *kept = text.length ? ir_text(model->arena, buf_str(&text)) : NULL;
    buf_release(&text);
    return kept;
}

static struct model_array *find_array(struct model *model, const struct ir_symbol *symbol,
                                      const char *path)
{
    for (size_t i = 0; i < model->array_nr; i++)
        if (model->array[i].symbol == symbol && !strcmp(model->array[i].path, path))
            return &model->array[i];
    return NULL;
}

int view_array(const struct model *model, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < model->array_nr; i++)
        if (model->array[i].symbol == symbol)
            return (int)i;
    return -1;
}

int view_cell(const struct model *model, const struct cell *cell)
{
    struct model_array *array =
        find_array((struct model *)model, cell->symbol, cell->path);
    return array ? (int)(array - model->array) : view_array(model, cell->symbol);
}

static struct model_array *add_array(struct model *model, const struct ir_symbol *symbol,
                                     const char *path, const struct fields *fields)
{
    const struct ir_type *type = *path ? &fields->type : &symbol->type;
    const char *name =
        *path ? ir_textf(model->arena, "%s%s", symbol->name, path) : symbol->name;
    GROW(model->array, model->array_nr + 1, model->array_alloc);
    struct model_array *array = &model->array[model->array_nr++];
    *array = (struct model_array){
        .symbol = symbol,
        .path = ir_text(model->arena, path),
        .name = name,
        .element_type = type->text,
        .element_bytes = type->bytes,
        .record_bytes = symbol->type.bytes,
        .record_offset = fields ? fields->offset : 0,
        .record_elements = fields ? fields->elements : 1,
        .is_float = type->scalar == IR_FLOAT,
        .dims = symbol->dim_nr ? (int)symbol->dim_nr : 1,
        .extent_text = declared_extent(model, symbol),
    };
    return array;
}

/* ---- uses ---- */

static void add_field(struct fields *fields, const struct ir_expr *member)
{
    if (member->is_shared) { /* the record is taken as one */
        buf_reset(&fields->path);
        fields->type = member->arg[0]->type;
        fields->offset = 0;
        fields->elements = 1;
        return;
    }
    char *inner = xstrdup(buf_str(&fields->path));
    if (!*inner)
        fields->type = member->type;
    buf_reset(&fields->path);
    buf_addf(&fields->path, ".%s%s", member->text, inner);
    free(inner);
    if (!member->field)
        return;
    fields->offset += member->field->offset;
    for (size_t i = 0; i < member->field->dim_nr; i++)
        fields->elements *= (size_t)member->field->dim[i];
}

/* The buffer that a place is in, through local pointers; NULL when it is none. The path
 * is released by the caller. */
static const struct ir_symbol *
buffer_of(const struct model *model, const struct ir_expr *place, struct fields *fields)
{
    const struct ir_expr *at = place;
    *fields = (struct fields){.type = place->type, .elements = 1};
    for (;;) {
        for (; leads_inward(at); at = inward(at))
            if (at->kind == IR_MEMBER)
                add_field(fields, at);
        if (at->kind != IR_NAME || !source_of(model, at->symbol))
            break;
        at = source_of(model, at->symbol);
    }
    const struct ir_symbol *symbol = at->kind == IR_NAME ? at->symbol : NULL;
    bool buffer = symbol && symbol->id >= 0 && symbol->type.pointers > 0 &&
                  (symbol->role == IR_PARAM || symbol->role == IR_GLOBAL ||
                   symbol->role == IR_FIELD);
    if (buffer && symbol->type.scalar != IR_RECORD) { /* structs by a cast only */
        buf_reset(&fields->path);
        *fields =
            (struct fields){.path = fields->path, .type = symbol->type, .elements = 1};
    }
    return buffer ? symbol : NULL;
}

int view_place(const struct model *model, const struct ir_expr *place)
{
    struct fields fields;
    const struct ir_symbol *symbol = buffer_of(model, place, &fields);
    struct model_array *array =
        symbol ? find_array((struct model *)model, symbol, buf_str(&fields.path)) : NULL;
    buf_release(&fields.path);
    return array ? (int)(array - model->array) : symbol ? view_array(model, symbol) : -1;
}

static void note_place(struct model *model, const struct ir_expr *place, bool read,
                       bool write)
{
    struct fields fields;
    const struct ir_symbol *symbol = buffer_of(model, place, &fields);
    const char *path = buf_str(&fields.path);
    struct model_array *array = symbol ? find_array(model, symbol, path) : NULL;
    if (symbol && !array)
        array = add_array(model, symbol, path, &fields);
    if (array) {
        array->read = array->read || read;
        array->written = array->written || write;
    }
    buf_release(&fields.path);
}

static void note_uses(struct model *model, const struct ir_expr *expr);

static void note_subscripts(struct model *model, const struct ir_expr *place)
{
    for (; leads_inward(place); place = inward(place))
        if (place->kind == IR_INDEX)
            note_uses(model, place->arg[1]);
        else if (place->kind == IR_BINARY)
            note_uses(model, place->arg[place->arg[0]->type.pointers > 0]);
}

static void note_target(struct model *model, const struct ir_expr *expr)
{
    const struct ir_expr *target = expr->arg[0];
    bool read = expr_is_step(expr) || strcmp(expr->op, "=");
    note_place(model, target, read, true);
    note_subscripts(model, target);
    for (size_t i = 1; i < expr->arg_nr; i++)
        note_uses(model, expr->arg[i]);
}

static void note_uses(struct model *model, const struct ir_expr *expr)
{
    bool changes = expr->kind == IR_ASSIGN || expr_is_step(expr);
    if (changes && expr_is_place(expr->arg[0])) {
        note_target(model, expr);
        return;
    }
    if (expr_is_place(expr)) {
        note_place(model, expr, true, false);
        note_subscripts(model, expr);
        return;
    }
    for (size_t i = 0; i < expr->arg_nr; i++) {
        if (expr->kind == IR_CALL && expr->arg[i]->type.pointers)
            note_place(model, expr->arg[i], true, true);
        note_uses(model, expr->arg[i]);
    }
}

static void note_stmt(struct model *model, const struct ir_stmt *stmt)
{
    const struct ir_expr *part[] = {stmt->expr, stmt->cond, stmt->increment,
                                    stmt->canonical ? stmt->lower : NULL};
    for (size_t i = 0; i < ARRAY_SIZE(part); i++)
        if (part[i])
            note_uses(model, part[i]);
    if (stmt->init)
        note_stmt(model, stmt->init);
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (stmt->child[i])
            note_stmt(model, stmt->child[i]);
}

static int by_symbol(const void *a, const void *b)
{
    const struct model_array *first = a, *second = b;
    int order = first->symbol->id - second->symbol->id;
    return order ? order : strcmp(first->path, second->path);
}

/* A struct that the function reaches into, and never through a subscript. */
static bool is_single_struct(const struct ir_function *function,
                             const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < function->symbol_nr; i++)
        if (function->symbol[i]->role == IR_FIELD && function->symbol[i]->base == symbol)
            return true;
    return false;
}

void view_arrays(struct model *model)
{
    struct ir_function *function = model->function;
    note_stmt(model, function->body);
    for (size_t i = 0; i < function->param_nr; i++)
        if (function->symbol[i]->type.pointers > 0 &&
            view_array(model, function->symbol[i]) < 0 &&
            !is_single_struct(function, function->symbol[i]))
            add_array(model, function->symbol[i], "", NULL);
    qsort(model->array, model->array_nr, sizeof(model->array[0]), by_symbol);
}
