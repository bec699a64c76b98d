/* What is told of a model: loops, arrays, accesses with their class. */
#include "variants/ir/sum.h"
#include "variants/model/poly.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- loops ---- */

static const char *text_of(struct model *model, const struct ir_expr *expr)
{
    struct buf text = {0};
    ir_print_expr(&text, expr);
    const char *kept = ir_text(model->arena, buf_str(&text));
    buf_release(&text);
    return kept;
}

/* The exclusive bound; for a downward loop the inclusive last value less one. */
static const char *upper_text(struct model *model, const struct ir_stmt *stmt)
{
    bool inclusive = stmt->cmp[1] == '=' && stmt->cmp[0] != '!';
    long long add = !inclusive ? 0 : stmt->step > 0 ? 1 : -1;
    return text_of(model,
                   expr_plus(model->arena, ir_copy(model->arena, stmt->upper), add));
}

static struct loop *modelled_loop(const struct model *model, const struct ir_stmt *stmt,
                                  int *nest)
{
    for (size_t i = 0; i < model->nest_nr; i++)
        for (size_t k = 0; !model->nest[i]->refusal && k < model->nest[i]->loop_nr; k++)
            if (model->nest[i]->loop[k]->stmt == stmt) {
                *nest = (int)i;
                return model->nest[i]->loop[k];
            }
    return NULL;
}

static int nest_of(const struct model *model, const struct ir_stmt *stmt, int outer)
{
    for (size_t i = 0; i < model->nest_nr; i++)
        if (model->nest[i]->stmt == stmt)
            return (int)i;
    return outer;
}

static bool is_loop(const struct ir_stmt *stmt, const void *data)
{
    return stmt != data && (stmt->kind == IR_FOR || stmt->kind == IR_WHILE);
}

static bool is_this(const struct ir_stmt *stmt, const void *data)
{
    return stmt == data;
}

/* The statement of a modelled nest that the loop disappears in. */
static const char *why_collapsed(const struct model *model, const struct ir_stmt *stmt)
{
    for (size_t i = 0; i < model->nest_nr; i++) {
        const struct nest *nest = model->nest[i];
        for (size_t k = 0; !nest->refusal && k < nest->statement_nr; k++)
            if (nest->statement[k].collapsed &&
                stmt_find(nest->statement[k].stmt, is_this, stmt))
                return ir_textf(model->arena, "part of one statement: %s",
                                nest->statement[k].why);
    }
    return NULL;
}

static const char *why_not(const struct model *model, const struct ir_stmt *stmt,
                           int nest)
{
    const char *why = why_collapsed(model, stmt);
    for (size_t i = 0; !why && i < model->nest_nr; i++)
        if (model->nest[i]->stmt == stmt && model->nest[i]->refusal)
            why = model->nest[i]->refusal;
    if (!why && stmt->kind == IR_WHILE)
        return "while loops stay as they are";
    return !why && nest >= 0 ? model->nest[nest]->refusal : why;
}

static bool is_perfect(const struct ir_stmt *stmt)
{
    const struct ir_stmt *body = stmt->child[0];
    if (body && body->kind == IR_BLOCK && body->child_nr == 1)
        body = body->child[0];
    return body && body->kind == IR_FOR;
}

static void add_loop(struct model *model, const struct ir_stmt *stmt, int parent,
                     int nest)
{
    GROW(model->loop, model->loop_nr + 1, model->loop_alloc);
    model->loop_stmt =
        xrealloc(model->loop_stmt, model->loop_alloc, sizeof(*model->loop_stmt));
    struct loop *loop = modelled_loop(model, stmt, &nest);
    if (loop)
        loop->view = (int)model->loop_nr;
    model->loop_stmt[model->loop_nr] = stmt;
    model->loop[model->loop_nr++] = (struct kernel_loop){
        .name = stmt->canonical        ? stmt->iterator->name
                : stmt->kind == IR_FOR ? "for"
                                       : "while",
        .nest = nest,
        .depth = parent < 0 ? 0 : model->loop[parent].depth + 1,
        .parent = parent,
        .line = stmt->line,
        .lower_text = stmt->canonical ? text_of(model, stmt->lower) : "?",
        .upper_text = stmt->canonical ? upper_text(model, stmt) : "?",
        .step = stmt->canonical ? stmt->step : 0,
        .trips = -1,
        .innermost = !stmt_find(stmt, is_loop, stmt),
        .modelled = loop != NULL,
        .perfect = is_perfect(stmt),
        .why = loop ? NULL : why_not(model, stmt, nest),
    };
}

static void add_loops(struct model *model, const struct ir_stmt *stmt, int parent,
                      int nest)
{
    if (!stmt)
        return;
    nest = nest_of(model, stmt, nest);
    if (stmt->kind == IR_FOR || stmt->kind == IR_WHILE) {
        add_loop(model, stmt, parent, nest);
        parent = (int)model->loop_nr - 1;
        nest = model->loop[parent].nest;
    }
    for (size_t i = 0; i < stmt->child_nr; i++)
        add_loops(model, stmt->child[i], parent, nest);
}

/* ---- accesses ---- */

struct contains {
    const struct ir_expr *expr;
    bool found;
};

static void find_expr(struct ir_expr *expr, void *data)
{
    struct contains *contains = data;
    contains->found = contains->found || expr == contains->expr;
}

static int innermost_loop(const struct model *model, const struct nest *nest,
                          const struct access *access)
{
    int found = -1;
    for (size_t i = 0; i < model->loop_nr; i++) {
        struct contains contains = {.expr = access->expr};
        stmt_exprs(model->loop_stmt[i], find_expr, &contains);
        if (contains.found && model->loop[i].nest == nest->index)
            found = (int)i; /* outer loops come first */
    }
    return found;
}

struct through {
    const struct model *model;
    const struct nest *nest;
    const struct ir_stmt *loop; /* the innermost one around; NULL = none */
    const struct ir_symbol *of; /* whose values are being looked at */
    int array;                  /* -1 = none so far */
    int steps;                  /* from a value to those it is made of */
    bool set_in_loop;           /* a name in the subscript */
};

/* a = key[i]; b = a & mask; x[b] */
enum { STEPS_MAX = 4 };

static void find_load(struct ir_expr *expr, void *data);

static bool sets(const struct ir_expr *expr, const struct ir_symbol *symbol)
{
    return expr->kind == IR_ASSIGN && expr->arg[0]->kind == IR_NAME &&
           expr->arg[0]->symbol == symbol;
}

static void find_value(struct ir_expr *expr, void *data)
{
    struct through *through = data;
    if (sets(expr, through->of)) {
        struct through inner = *through;
        ir_visit(expr->arg[1], find_load, &inner);
        through->array = inner.array;
    }
}

static bool is_declared_here(const struct ir_stmt *stmt, const void *data)
{
    const struct through *through = data;
    return stmt->kind == IR_DECL && stmt->symbol == through->of;
}

static void find_set(struct ir_expr *expr, void *data)
{
    struct through *through = data;
    through->set_in_loop = through->set_in_loop || sets(expr, through->of);
}

/* Through all that a variable of the nest is set to. */
static void follow(const struct ir_symbol *symbol, struct through *through)
{
    const struct ir_symbol *of = through->of;
    if (through->array >= 0 || through->steps == STEPS_MAX)
        return;
    through->of = symbol;
    through->steps++;
    const struct ir_stmt *declared =
        stmt_find(through->nest->stmt, is_declared_here, through);
    struct ir_expr *value = declared ? declared->expr : through->model->init[symbol->id];
    if (value)
        ir_visit(value, find_load, through);
    stmt_exprs(through->nest->stmt, find_value, through);
    if (through->loop && !through->loop->canonical)
        stmt_exprs(through->loop, find_set, through);
    through->steps--;
    through->of = of;
}

static void find_load(struct ir_expr *expr, void *data)
{
    struct through *through = data;
    if (expr_is_place(expr) && !expr->type.pointers && through->array < 0)
        through->array = view_place(through->model, expr);
    if (expr->kind == IR_NAME && expr->symbol->id >= 0 && !expr->symbol->type.pointers &&
        expr->symbol->type.scalar == IR_INT)
        follow(expr->symbol, through);
}

/* Bytes that the address moves from one iteration of the loop to the next, if the source
 * says so; 0 also where it is not known before sizes are. */
static bool moves(const struct access *access, const struct ir_stmt *loop, double *bytes)
{
    bool moving = false, known = true;
    *bytes = 0;
    for (size_t i = 0; i < access->subscript_nr; i++) {
        long long coefficient;
        if (!loop || !loop->canonical ||
            !expr_mentions(access->subscript[i], loop->iterator))
            continue;
        moving = true;
        known = known && access->scale[i] &&
                expr_coefficient(access->subscript[i], loop->iterator, &coefficient);
        if (known)
            *bytes += (double)(coefficient * loop->step) * (double)access->scale[i];
    }
    if (!known)
        *bytes = 0;
    return moving;
}

static void classify(struct model *model, const struct nest *nest,
                     const struct access *access, struct kernel_access *out)
{
    const struct ir_stmt *loop = out->loop < 0 ? NULL : model->loop_stmt[out->loop];
    struct through through = {.model = model, .nest = nest, .loop = loop, .array = -1};
    bool moving = moves(access, loop, &out->stride_bytes);
    for (size_t i = 0; i < access->subscript_nr; i++)
        ir_visit(access->subscript[i], find_load, &through);
    double line = model->request.line_bytes, stride = fabs(out->stride_bytes);
    out->access_class = !moving                        ? ACCESS_INVARIANT
                        : stride > 0 && stride <= line ? ACCESS_STREAMING
                                                       : ACCESS_STRIDED;
    out->through = through.array;
    if (through.array >= 0)
        out->access_class = ACCESS_INDIRECT;
    else if (through.set_in_loop || (!access->exact && !access->collapsed))
        out->access_class = ACCESS_IRREGULAR;
    if (out->access_class >= ACCESS_INDIRECT)
        out->stride_bytes = 0;
}

static void add_access(struct model *model, const struct nest *nest,
                       const struct access *access)
{
    int array = view_cell(model, &nest->cell[access->cell]);
    if (array < 0)
        return;
    struct kernel_access new = {.array = array,
                                .loop = innermost_loop(model, nest, access),
                                .write = access->write,
                                .line = access->line,
                                .text = text_of(model, access->expr)};
    classify(model, nest, access, &new);
    new.update = access->accumulates && (new.access_class == ACCESS_INDIRECT ||
                                         new.access_class == ACCESS_IRREGULAR);
    model->array[array].indirect =
        model->array[array].indirect || new.access_class == ACCESS_INDIRECT;
    GROW(model->access, model->access_nr + 1, model->access_alloc);
    model->access_expr =
        xrealloc(model->access_expr, model->access_alloc, sizeof(*model->access_expr));
    model->access_expr[model->access_nr] = access->expr;
    model->access[model->access_nr++] = new;
}

void view_build(struct model *model)
{
    add_loops(model, model->function->body, -1, -1);
    view_arrays(model);
    for (size_t i = 0; i < model->nest_nr; i++)
        for (size_t k = 0; !model->nest[i]->refusal && k < model->nest[i]->access_nr; k++)
            add_access(model, model->nest[i], &model->nest[i]->access[k]);
    for (size_t i = 0; i < model->array_nr; i++)
        if (!model->array[i].extent_text)
            model->array[i].extent_text = extent_text(model, &model->array[i]);
    view_facts(model);
}
