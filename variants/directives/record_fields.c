/* Fields of arrays of structs: which of them the function names, and where they lie. */
#include "variants/directives/record_fields.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"

struct finding {
    const struct ir_function *function;
    struct record_fields *fields;
    struct error *err;
    bool failed;
};

bool is_number_type(const struct ir_type *type)
{
    bool integer = type->scalar == IR_INT || type->scalar == IR_BOOL;
    bool real = type->scalar == IR_FLOAT && (type->bytes == 4 || type->bytes == 8);

    return (integer || real) && type->bytes <= 8 && !type->is_volatile;
}

/* p of p[i], p[i][j] and g->p[i]; NULL when it is no element of an array that somebody
 * outside supplies. */
static const struct ir_symbol *array_of(const struct ir_expr *element)
{
    if (!element || element->kind != IR_INDEX)
        return NULL;
    while (element->kind == IR_INDEX)
        element = element->arg[0];
    if (element->kind != IR_NAME || element->symbol->role == IR_LOCAL ||
        element->symbol->role == IR_FUNCTION)
        return NULL;
    return element->symbol;
}

static int fail_field(struct finding *finding, const struct ir_expr *expr,
                      const char *name, const char *why)
{
    if (!finding->failed)
        fail(finding->err, STATUS_INPUT,
             "%s:%d: field '%s' %s and cannot be supplied; the fields of an array of "
             "structs must be numbers or arrays of numbers",
             finding->function->path, expr->line, name, why);
    finding->failed = true;
    return -1;
}

static size_t product_of(const struct ir_field *field)
{
    size_t product = 1;

    for (size_t i = 0; i < field->dim_nr; i++)
        product *= (size_t)field->dim[i];
    return product;
}

/* How many elements each record has, and how far apart they are: from the one member on
 * the way that is an array. */
static int place_inside(struct finding *finding, const struct ir_expr *expr,
                        struct record_field *field)
{
    field->inside = 1;
    field->inside_bytes = field->type.bytes;
    for (const struct ir_expr *at = expr; at->kind == IR_MEMBER || at->kind == IR_INDEX;
         at = at->arg[0]) {
        size_t nr = at->kind == IR_MEMBER && at->field ? product_of(at->field) : 1;

        if (nr == 1)
            continue;
        if (nr == 0 || field->inside > 1)
            return fail_field(finding, expr, field->name, "is an array of arrays");
        field->inside = nr;
        field->inside_bytes = at->field->bytes / nr;
    }
    return 0;
}

static struct record_field *known_field(const struct record_fields *fields,
                                        const struct ir_symbol *symbol, const char *path)
{
    for (size_t i = 0; i < fields->nr; i++)
        if (fields->item[i].symbol == symbol && strcmp(fields->item[i].path, path) == 0)
            return &fields->item[i];
    return NULL;
}

const struct record_field *record_field_of(const struct record_fields *fields,
                                           const struct ir_symbol *symbol,
                                           const char *path)
{
    return known_field(fields, symbol, path);
}

static void add_field(struct finding *finding, const struct ir_expr *expr,
                      const struct ir_symbol *symbol, const char *path, size_t offset)
{
    struct record_fields *fields = finding->fields;
    struct ir_arena *arena = finding->function->arena;
    struct record_field field = {.symbol = symbol,
                                 .path = ir_text(arena, path),
                                 .name = ir_textf(arena, "%s%s", symbol->name, path),
                                 .type = expr->type,
                                 .record_bytes = symbol->type.bytes,
                                 .offset = offset};

    if (place_inside(finding, expr, &field))
        return;
    GROW(fields->item, fields->nr + 1, fields->alloc);
    fields->item[fields->nr++] = field;
}

static bool has_shared(const struct ir_expr *expr)
{
    bool shared = false;

    for (; expr->kind == IR_MEMBER || expr->kind == IR_INDEX; expr = expr->arg[0])
        shared = shared || expr->is_shared;
    return shared;
}

/* A pointer that is a member itself; arrays are pointers to the reader as well. */
static bool is_pointer_member(const struct ir_expr *expr)
{
    return expr->kind == IR_MEMBER && expr->type.pointers > 0 &&
           !(expr->field && expr->field->dim_nr > 0);
}

static void look_for_field(struct ir_expr *expr, void *data)
{
    struct finding *finding = data;
    struct buf path = {0};
    size_t offset = 0;
    const struct ir_expr *element = ir_member_base(expr, &path, &offset);
    const struct ir_symbol *symbol = array_of(element);
    char *name;

    if (!symbol || finding->failed ||
        known_field(finding->fields, symbol, buf_str(&path)))
        goto out;
    name = xasprintf("%s%s", symbol->name, buf_str(&path));
    if (is_pointer_member(expr))
        fail_field(finding, expr, name, "is a pointer");
    else if (expr->type.pointers == 0 && expr->type.scalar != IR_RECORD) {
        if (has_shared(expr))
            fail_field(finding, expr, name, "shares its bytes with others");
        else if (!is_number_type(&expr->type))
            fail_field(finding, expr, name, "is no number");
        else
            add_field(finding, expr, symbol, buf_str(&path), offset);
    }
    free(name);
out:
    buf_release(&path);
}

/* ---- which of them are written ---- */

/* ".pos" and ".pos.x" lie in each other, ".po" and ".pos" do not. */
static bool overlap(const char *a, const char *b)
{
    size_t length = strlen(a) < strlen(b) ? strlen(a) : strlen(b);

    return strncmp(a, b, length) == 0 && strchr(".", a[length]) && strchr(".", b[length]);
}

static bool is_change(const struct ir_expr *expr)
{
    const char *op = expr->kind == IR_UNARY ? ir_op_text(expr->op) : "";

    return expr->kind == IR_ASSIGN || strcmp(op, "++") == 0 || strcmp(op, "--") == 0;
}

static void look_for_change(struct ir_expr *expr, void *data)
{
    struct finding *finding = data;
    struct buf path = {0};
    const struct ir_expr *element;
    const struct ir_symbol *symbol;

    if (!is_change(expr))
        return;
    element = ir_member_base(expr->arg[0], &path, NULL);
    symbol = array_of(element ? element : expr->arg[0]);
    for (size_t i = 0; symbol && i < finding->fields->nr; i++) {
        struct record_field *field = &finding->fields->item[i];

        if (field->symbol == symbol && overlap(field->path, buf_str(&path)))
            field->is_written = true;
    }
    buf_release(&path);
}

int record_fields_find(const struct ir_function *function, struct record_fields *fields,
                       struct error *err)
{
    struct finding finding = {.function = function, .fields = fields, .err = err};

    *fields = (struct record_fields){0};
    visit_function(function, look_for_field, &finding);
    if (finding.failed) {
        record_fields_release(fields);
        return -1;
    }
    visit_function(function, look_for_change, &finding);
    for (size_t i = 0; i < fields->nr; i++)
        if (may_escape(function, fields->item[i].symbol))
            fields->item[i].is_written = true;
    return 0;
}

bool is_record_field(const struct ir_function *function, const char *name)
{
    struct record_fields fields;
    bool is = false;

    if (record_fields_find(function, &fields, NULL))
        return false;
    for (size_t i = 0; i < fields.nr; i++)
        is = is || strcmp(fields.item[i].name, name) == 0;
    record_fields_release(&fields);
    return is;
}

void record_fields_release(struct record_fields *fields)
{
    free(fields->item);
    *fields = (struct record_fields){0};
}
