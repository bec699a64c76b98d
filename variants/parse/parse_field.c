/* Fields that are reached without a subscript: variables of their own. */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "variants/parse/parse_rewrite.h"

/* As C text. Text that is not taken apart may do either to whatever it mentions. */
struct fields {
    struct parse *p;
    struct strvec changed, exposed; /* assigned; with its address taken */
    struct strvec array;            /* pointers that point to more than one record */
    struct strvec touched;          /* arrays with elements that may change */
};

static char *text_of(const struct ir_expr *expr)
{
    struct buf text = {0};
    ir_print_expr(&text, expr);
    return buf_detach(&text);
}

static void note_changed(struct ir_expr *expr, void *data)
{
    struct fields *fields = data;
    bool changes =
        expr->kind == IR_ASSIGN ||
        (expr->kind == IR_UNARY && (strstr(expr->op, "++") || strstr(expr->op, "--")));
    bool exposes = expr->kind == IR_UNARY && strcmp(expr->op, "&") == 0;
    const struct ir_expr *target = changes || exposes ? expr->arg[0] : NULL;
    if (target && (target->kind == IR_NAME || target->kind == IR_MEMBER)) {
        char *text = text_of(target);
        strvec_push(changes ? &fields->changed : &fields->exposed, text);
        free(text);
    }
    if (expr->kind == IR_RAW)
        for (size_t i = 0; i < expr->arg_nr; i++)
            if (!fields->p->function->is_cplusplus ||
                strcmp(expr->arg[i]->symbol->name, "this") != 0) /* nobody can set it */
                strvec_push(&fields->changed, expr->arg[i]->symbol->name);
}

/* The array that an element, or a pointer to one, is of. */
static const struct ir_symbol *root_of(const struct ir_expr *expr)
{
    while (expr->arg_nr && (expr->kind == IR_INDEX || expr->kind == IR_CAST ||
                            expr->kind == IR_BINARY || expr->kind == IR_UNARY)) {
        bool second = expr->kind == IR_BINARY && expr->arg[0]->type.pointers == 0;
        expr = expr->arg[second];
    }
    return expr->kind == IR_NAME ? expr->symbol : NULL;
}

/* Assigned to, handed over, or copied to another pointer. */
static void note_touched(struct ir_expr *expr, void *data)
{
    struct fields *fields = data;
    bool writes =
        expr->kind == IR_ASSIGN ||
        (expr->kind == IR_UNARY &&
         (strstr(expr->op, "++") || strstr(expr->op, "--") || !strcmp(expr->op, "&")));
    for (size_t i = 0; i < expr->arg_nr; i++) {
        const struct ir_expr *arg = expr->arg[i];
        bool hands =
            (expr->kind == IR_CALL || expr->kind == IR_ASSIGN || expr->kind == IR_RAW ||
             expr->kind == IR_COND || expr->kind == IR_CAST) &&
            (arg->type.pointers > 0 || expr->kind == IR_RAW);
        const struct ir_symbol *root = hands || (writes && i == 0) ? root_of(arg) : NULL;
        if (root && !root->type.is_const)
            strvec_push_once(&fields->touched, root->name);
    }
}

static void note_array(struct ir_expr *expr, void *data)
{
    struct fields *fields = data;
    bool reaches = expr->kind == IR_INDEX || expr->kind == IR_BINARY ||
                   (expr->kind == IR_UNARY && strcmp(expr->op, "*") == 0);
    for (size_t i = 0; reaches && i < expr->arg_nr; i++)
        if (expr->arg[i]->type.pointers > 0) {
            char *text = text_of(expr->arg[i]);
            strvec_push(&fields->array, text);
            free(text);
        }
}

static bool is_among(const struct strvec *texts, const struct ir_expr *expr)
{
    char *text = text_of(expr);
    bool found = strvec_has(texts, text);
    free(text);
    return found;
}

/* ---- the path ---- */

/* The variable that a path of fields starts from; NULL when it is no such path. */
static struct ir_symbol *base_of(const struct ir_expr *expr)
{
    while (expr->kind == IR_MEMBER && !expr->is_shared)
        expr = expr->arg[0];
    if (expr->kind != IR_NAME || expr->symbol->role == IR_FIELD ||
        expr->symbol->role == IR_FUNCTION || expr->symbol->in_loop ||
        expr->symbol->type.is_volatile || expr->symbol->dim_nr)
        return NULL;
    return expr->symbol;
}

/* Neither the variable nor a pointer on the way is changed; p->x is no variable beside
 * p[i].x. */
static bool is_steady(const struct fields *fields, const struct ir_expr *expr)
{
    for (const struct ir_expr *at = expr->arg[0];; at = at->arg[0]) {
        bool pointer = at->type.pointers > 0;
        if (at->type.is_volatile || is_among(&fields->changed, at) ||
            (pointer && (is_among(&fields->exposed, at) || is_among(&fields->array, at))))
            return false;
        if (at->kind == IR_NAME)
            return true;
    }
}

static struct ir_symbol *known_field(const struct parse *p, const struct ir_symbol *base,
                                     const char *name)
{
    for (size_t i = 0; i < p->function->symbol_nr; i++) {
        struct ir_symbol *symbol = p->function->symbol[i];
        if (symbol->role == IR_FIELD && symbol->base == base &&
            strcmp(symbol->name, name) == 0)
            return symbol;
    }
    return NULL;
}

/* Of a pointer to arrays the first one is not known. */
static void set_dims(struct parse *p, struct ir_symbol *symbol,
                     const struct ir_field *field)
{
    size_t open = field && field->target_nr > 0;
    size_t nr = field ? open + (open ? field->target_nr : field->dim_nr) : 0;
    if (nr == 0)
        return;
    symbol->pointer_to_array = open;
    symbol->dim_nr = nr;
    symbol->dim = ir_alloc(p->arena, nr * sizeof(struct ir_expr *));
    for (size_t i = open; i < nr; i++)
        symbol->dim[i] =
            ir_integer(p->arena, open ? field->target[i - 1] : field->dim[i]);
}

static struct ir_symbol *field_symbol(struct fields *fields, const struct ir_expr *expr,
                                      struct ir_symbol *base)
{
    struct parse *p = fields->p;
    char *text = text_of(expr);
    struct ir_symbol *symbol = known_field(p, base, text);
    if (!symbol) {
        symbol = parse_add_symbol(p, NULL);
        symbol->name = ir_text(p->arena, text);
        symbol->path = symbol->name + strlen(base->name);
        symbol->role = IR_FIELD;
        symbol->base = base;
        symbol->type = expr->type;
        symbol->line = base->line;
        set_dims(p, symbol, expr->field);
        symbol->address_taken = is_among(&fields->exposed, expr);
        symbol->is_written = symbol->address_taken || is_among(&fields->changed, expr);
    }
    free(text);
    return symbol;
}

/* ---- elements that bound loops, or are in subscripts ---- */

/* A steady array of integers whose element has constant subscripts; NULL = it is none. */
static struct ir_symbol *array_of(const struct fields *fields, const struct ir_expr *expr)
{
    if (expr->kind != IR_INDEX || expr->type.scalar != IR_INT || expr->type.pointers ||
        expr->type.is_volatile)
        return NULL;
    size_t dims = 0;
    for (; expr->kind == IR_INDEX; expr = expr->arg[0], dims++)
        if (!expr->arg[1]->has_value || expr->arg[1]->value < 0)
            return NULL;
    struct ir_symbol *symbol = expr->kind == IR_NAME ? expr->symbol : NULL;
    bool outer = symbol && (symbol->role == IR_GLOBAL || symbol->role == IR_PARAM);
    return outer && !symbol->is_written && !symbol->address_taken &&
                   !symbol->is_reference &&
                   dims == (symbol->dim_nr ? symbol->dim_nr : 1) &&
                   !strvec_has(&fields->touched, symbol->name)
               ? symbol
               : NULL;
}

static struct ir_expr *make_element(struct fields *fields, struct ir_expr *expr)
{
    struct ir_symbol *base = expr ? array_of(fields, expr) : NULL;
    if (base) {
        struct ir_symbol *symbol = field_symbol(fields, expr, base);
        symbol->path = symbol->name + strcspn(symbol->name, "[");
        return ir_name(fields->p->arena, symbol);
    }
    for (size_t i = 0; expr && i < expr->arg_nr; i++)
        expr->arg[i] = make_element(fields, expr->arg[i]);
    return expr;
}

/* ---- putting them in ---- */

/* The longest path first: operands are not looked at once it is taken. */
static struct ir_expr *make(struct fields *fields, struct ir_expr *expr)
{
    if (!expr || expr->kind == IR_RAW)
        return expr;
    struct ir_symbol *base = expr->kind == IR_MEMBER ? base_of(expr) : NULL;
    bool record = expr->type.scalar == IR_RECORD && !expr->type.pointers;
    if (base && !record && !expr->type.is_volatile && is_steady(fields, expr)) {
        struct ir_expr *name =
            ir_name(fields->p->arena, field_symbol(fields, expr, base));
        name->line = expr->line;
        name->column = expr->column;
        return name;
    }
    for (size_t i = 0; i < expr->arg_nr; i++)
        expr->arg[i] = make(fields, expr->arg[i]);
    if (expr->kind == IR_INDEX)
        expr->arg[1] = make_element(fields, expr->arg[1]);
    return expr;
}

/* `int k = i * dims[1] + j;`, `last = dims[0] - 1;`: what subscripts and bounds are made
 * of. */
static struct ir_expr *make_number(struct fields *fields, const struct ir_stmt *stmt)
{
    struct ir_expr *expr = stmt->expr;
    bool sets = stmt->kind == IR_EXPR && expr->kind == IR_ASSIGN &&
                expr->arg[0]->kind == IR_NAME && expr->type.scalar == IR_INT &&
                !expr->type.pointers;
    if (stmt->kind == IR_DECL && expr && stmt->symbol->type.scalar == IR_INT &&
        !stmt->symbol->type.pointers)
        return make_element(fields, expr);
    if (sets)
        expr->arg[1] = make_element(fields, expr->arg[1]);
    return expr;
}

static void make_in(struct fields *fields, struct ir_stmt *stmt)
{
    if (!stmt)
        return;
    struct ir_expr *before = stmt->upper;
    stmt->expr = make(fields, stmt->expr);
    stmt->expr = make_number(fields, stmt);
    make_in(fields, stmt->init);
    stmt->lower = make(fields, stmt->lower);
    stmt->upper = make(fields, stmt->upper);
    if (stmt->canonical) {
        stmt->lower = make_element(fields, stmt->lower);
        stmt->upper = make_element(fields, stmt->upper);
    }
    for (size_t i = 0; stmt->canonical && stmt->cond && i < stmt->cond->arg_nr; i++)
        if (stmt->cond->arg[i] == before)
            stmt->cond->arg[i] = stmt->upper;
    if (!stmt->canonical) {
        stmt->cond = make(fields, stmt->cond);
        stmt->increment = make(fields, stmt->increment);
    }
    for (size_t i = 0; i < stmt->child_nr; i++)
        make_in(fields, stmt->child[i]);
}

void parse_make_fields(struct parse *p)
{
    struct fields fields = {.p = p};
    visit_stmt(p->function->body, note_changed, &fields);
    visit_stmt(p->function->body, note_array, &fields);
    visit_stmt(p->function->body, note_touched, &fields);
    make_in(&fields, p->function->body);
    for (size_t i = 0; i < p->function->symbol_nr; i++) {
        struct ir_symbol *symbol = p->function->symbol[i];
        for (size_t k = 0; k < symbol->dim_nr; k++)
            symbol->dim[k] = make(&fields, symbol->dim[k]);
    }
    strvec_release(&fields.changed);
    strvec_release(&fields.exposed);
    strvec_release(&fields.array);
    strvec_release(&fields.touched);
}
