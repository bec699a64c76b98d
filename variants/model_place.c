/* Taking a[i][j], *(p + i), s[i].field[k] and row pointers apart. */
#include "variants/model_place.h"

#include <string.h>

static void place_push(struct place *place, struct ir_expr *subscript)
{
    if (place->nr == SUBSCRIPTS_MAX)
        place->problem = "has too many subscripts";
    else
        place->subscript[place->nr++] = subscript;
}

/* The last subscript read goes up by `by`: p[i] with p = a + k is a[k + i]. */
static void place_shift(struct nest *nest, struct place *place, struct ir_expr *by)
{
    if (!place->nr) {
        place_push(place, by);
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

static void place_name(struct nest *nest, const struct ir_expr *expr, struct place *place)
{
    struct ir_symbol *symbol = expr->symbol;
    place->symbol = symbol;
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
        place_push(place, ir_integer(nest->model->arena, 0));
        place_read(nest, inner, place);
    } else if (expr->kind == IR_UNARY && !strcmp(expr->op, "&") &&
               inner->kind == IR_INDEX && place->nr) {
        struct ir_expr *last = place->subscript[--place->nr];
        place_push(place, ir_binary(nest->model->arena, "+", inner->arg[1], last));
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
    place_shift(nest, place, expr->arg[left]);
    place_read(nest, expr->arg[!left], place);
}

static void place_member(struct nest *nest, const struct ir_expr *expr,
                         struct place *place)
{
    if (expr->is_arrow || expr->type.pointers > (int)place->nr) {
        place->problem =
            "is reached through a structure; pass the pointer as a parameter";
        return;
    }
    place->nr = 0; /* all fields of one element are taken as one */
    place->member = true;
    place_read(nest, expr->arg[0], place);
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
        place_push(place, expr->arg[1]);
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
            expr->type.bytes == expr->arg[0]->type.bytes) {
            place_read(nest, expr->arg[0], place);
            break;
        }
        /* fall through */
    default:
        place->problem = "is reached in a way that cannot be followed";
    }
}
