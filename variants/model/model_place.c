/* Taking a[i][j], *(p + i), s[i].field[k] and row pointers apart. */
#include "variants/model/model_place.h"

#include <string.h>

/* Of an element; a row's length is not looked at. */
static long long bytes_of(const struct ir_type *type)
{
    return type->pointers ? 0 : (long long)type->bytes;
}

static void place_push(struct place *place, struct ir_expr *subscript, long long scale)
{
    if (place->nr == SUBSCRIPTS_MAX) {
        place->problem = "has too many subscripts";
        return;
    }
    place->scale[place->nr] = scale;
    place->subscript[place->nr++] = subscript;
}

/* What a pointer points to, in bytes; 0 for rows whose length is not constant. */
static long long target_bytes(const struct ir_type *type)
{
    return type->pointers == 1 ? (long long)type->bytes : 0;
}

/* The last subscript read goes up by `by`: p[i] with p = a + k is a[k + i]. */
static void place_shift(struct nest *nest, struct place *place, struct ir_expr *by,
                        long long scale)
{
    if (!place->nr) {
        place_push(place, by, scale);
        return;
    }
    struct ir_expr **last = &place->subscript[place->nr - 1];
    *last = ir_binary(nest->model->arena, "+", by, *last);
}

static void find_changing(struct ir_expr *expr, void *data)
{
    struct place *place = data;
    if (expr->kind == IR_NAME && expr->symbol->is_written &&
        expr->symbol->role != IR_LOCAL)
        place->problem = "points to something that changes";
}

/* q->x where the nest sets q: the x of what q points to. */
static bool place_field(struct nest *nest, const struct ir_symbol *symbol,
                        struct place *place)
{
    const struct ir_symbol *base = symbol->base;
    if (symbol->role != IR_FIELD || !base || base->id < 0 || !nest->declared[base->id] ||
        !base->type.pointers)
        return false;
    if (strncmp(symbol->path, "->", 2) || strstr(symbol->path + 2, "->") ||
        symbol->type.pointers || !nest->model->init[base->id]) {
        place->problem = "is reached through a pointer that the loop sets";
        return true;
    }
    place->path = ir_textf(nest->model->arena, ".%s%s", symbol->path + 2, place->path);
    place->field_nr = place->nr;
    place_push(place, ir_integer(nest->model->arena, 0), target_bytes(&base->type));
    ir_visit(nest->model->init[base->id], find_changing, place);
    place_read(nest, nest->model->init[base->id], place);
    return true;
}

static void place_name(struct nest *nest, const struct ir_expr *expr, struct place *place)
{
    struct ir_symbol *symbol = expr->symbol;
    place->symbol = symbol;
    if (place_field(nest, symbol, place))
        return;
    if (symbol->role == IR_FIELD && symbol->base && symbol->base->id >= 0 &&
        nest->written[symbol->base->id])
        place->problem = "belongs to a structure that changes in the loop";
    if (symbol->type.is_volatile)
        place->problem = "is volatile";
    if (symbol->type.pointers && !symbol->dim_nr && nest->written[symbol->id])
        place->problem = "is a pointer that moves in the loop; write a[i]";
    else if (symbol->role == IR_LOCAL && symbol->pointer_to_array)
        place->problem = "points to rows of memory that has another name";
    else if (symbol->role == IR_LOCAL && symbol->type.pointers && !symbol->dim_nr &&
             place->nr && nest->model->init[symbol->id]) {
        ir_visit(nest->model->init[symbol->id], find_changing, place);
        place_read(nest, nest->model->init[symbol->id], place);
    }
}

static void place_pointer(struct nest *nest, const struct ir_expr *expr,
                          struct place *place)
{
    const struct ir_expr *inner = expr->arg[0];
    if (expr->kind == IR_UNARY && !strcmp(expr->op, "*")) {
        place_push(place, ir_integer(nest->model->arena, 0), target_bytes(&inner->type));
        place_read(nest, inner, place);
    } else if (expr->kind == IR_UNARY && !strcmp(expr->op, "&") &&
               inner->kind == IR_INDEX && place->nr) {
        struct ir_expr *last = place->subscript[--place->nr];
        place_push(place, ir_binary(nest->model->arena, "+", inner->arg[1], last),
                   place->scale[place->nr]);
        place_read(nest, inner->arg[0], place);
    } else if (strstr(expr->op, "++") || strstr(expr->op, "--")) {
        place->symbol = inner->kind == IR_NAME ? inner->symbol : NULL;
        place->problem = "is a pointer that moves in the loop; write a[i]";
    } else
        place->problem = "is reached in a way that cannot be followed";
}

static void place_sum(struct nest *nest, const struct ir_expr *expr, struct place *place)
{
    bool left = expr->arg[0]->type.pointers > 0;
    if (strcmp(expr->op, "+") || (!left && !expr->arg[1]->type.pointers)) {
        place->problem = "is reached through arithmetic that cannot be followed";
        return;
    }
    place_shift(nest, place, expr->arg[left], target_bytes(&expr->arg[!left]->type));
    place_read(nest, expr->arg[!left], place);
}

/* Members of a union and bit-fields share their bytes: the record around them is taken as
 * one. */
static void share(const struct ir_expr *expr, struct place *place)
{
    place->nr = 0;
    place->path = "";
    place->offset = 0;
    place->partial = true;
    place->type = expr->arg[0]->type;
    if (expr->is_arrow)
        place->type.pointers--;
}

/* The subscripts read last are those of the field, innermost first. */
static void set_scales(const struct ir_field *field, struct place *place)
{
    long long bytes = (long long)field->bytes;
    for (size_t i = 0; i < field->dim_nr; i++) {
        bytes /= field->dim[i] ? field->dim[i] : 1;
        place->scale[place->nr - 1 - i] = bytes;
    }
}

static void place_member(struct nest *nest, const struct ir_expr *expr,
                         struct place *place)
{
    size_t dims = place->nr - place->field_nr;
    const struct ir_field *field = expr->field;
    if (!field || (expr->type.pointers && field->dim_nr != (size_t)expr->type.pointers)) {
        place->problem =
            "is reached through a pointer in a structure; pass the pointer as a "
            "parameter";
        return;
    }
    if (expr->type.is_volatile)
        place->problem = "is volatile";
    if (dims != field->dim_nr)
        place->problem = "is used without its subscripts";
    else if (expr->is_shared)
        share(expr, place);
    else {
        place->path = ir_textf(nest->model->arena, ".%s%s", expr->text, place->path);
        place->offset += (long long)field->offset;
        set_scales(field, place);
    }
    place->field_nr = place->nr;
    if (expr->is_arrow)
        place_push(place, ir_integer(nest->model->arena, 0),
                   target_bytes(&expr->arg[0]->type));
    place_read(nest, expr->arg[0], place);
}

struct place place_of(struct nest *nest, const struct ir_expr *expr)
{
    struct place place = {.path = "", .type = expr->type};
    place_read(nest, expr, &place);
    return place;
}

void place_read(struct nest *nest, const struct ir_expr *expr, struct place *place)
{
    if (place->problem)
        return;
    switch (expr->kind) {
    case IR_NAME:
        place_name(nest, expr, place);
        break;
    case IR_INDEX:
        place_push(place, expr->arg[1], bytes_of(&expr->type));
        place_read(nest, expr->arg[0], place);
        break;
    case IR_MEMBER:
        place_member(nest, expr, place);
        break;
    case IR_UNARY:
        place_pointer(nest, expr, place);
        break;
    case IR_BINARY:
        place_sum(nest, expr, place);
        break;
    case IR_CAST:
        if (expr->type.pointers == 1 && expr->arg[0]->type.pointers == 1 &&
            expr->type.bytes == expr->arg[0]->type.bytes &&
            expr->type.scalar != IR_RECORD) {
            place_read(nest, expr->arg[0], place);
            break;
        }
        /* fall through */
    default:
        place->problem = "is reached in a way that cannot be followed";
    }
}
