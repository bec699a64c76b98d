/* What is told of a model: loops, arrays, accesses with their class. */
#include "variants/poly.h"
#include "variants/sum.h"

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
        .trips = -1,
        .innermost = !stmt_find(stmt, is_loop, stmt),
        .modelled = loop != NULL,
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

/* ---- arrays ---- */

struct use {
    const struct model *model;
    bool *read, *written; /* by symbol id */
};

static bool is_step(const struct ir_expr *expr)
{
    return expr->kind == IR_UNARY && (strstr(expr->op, "++") || strstr(expr->op, "--"));
}

static bool is_place(const struct ir_expr *expr)
{
    return expr->kind == IR_INDEX || expr->kind == IR_MEMBER ||
           (expr->kind == IR_UNARY && !strcmp(expr->op, "*"));
}

static const struct ir_symbol *root_of(const struct ir_expr *expr)
{
    while (expr->arg_nr && (is_place(expr) || is_step(expr) || expr->kind == IR_CAST ||
                            expr->type.pointers))
        expr = expr->kind == IR_BINARY && !expr->arg[0]->type.pointers ? expr->arg[1]
                                                                       : expr->arg[0];
    return expr->kind == IR_NAME ? expr->symbol : NULL;
}

static void note_place(struct use *use, const struct ir_expr *place, bool read,
                       bool write)
{
    const struct ir_symbol *symbol = root_of(place);
    while (symbol && symbol->role == IR_LOCAL && symbol->type.pointers &&
           !symbol->dim_nr && use->model->init[symbol->id])
        symbol = root_of(use->model->init[symbol->id]);
    if (!symbol || symbol->id < 0)
        return;
    use->read[symbol->id] = use->read[symbol->id] || read;
    use->written[symbol->id] = use->written[symbol->id] || write;
}

static void note_uses(struct use *use, const struct ir_expr *expr)
{
    const struct ir_expr *target =
        expr->kind == IR_ASSIGN || is_step(expr) ? expr->arg[0] : NULL;
    if (is_place(expr))
        note_place(use, expr, true, false);
    if (target && is_place(target)) {
        note_place(use, target, is_step(expr) || strcmp(expr->op, "="), true);
        for (size_t i = 0; i < target->arg_nr; i++) /* the place itself is not read */
            if (!is_place(target->arg[i]) || !target->arg[i]->type.pointers)
                note_uses(use, target->arg[i]);
    }
    for (size_t i = target && is_place(target); i < expr->arg_nr; i++) {
        if (expr->kind == IR_CALL && expr->arg[i]->type.pointers)
            note_place(use, expr->arg[i], true, true);
        note_uses(use, expr->arg[i]);
    }
}

static void note_stmt(struct use *use, const struct ir_stmt *stmt)
{
    const struct ir_expr *part[] = {stmt->expr, stmt->cond, stmt->increment,
                                    stmt->canonical ? stmt->lower : NULL};
    for (size_t i = 0; i < ARRAY_SIZE(part); i++)
        if (part[i])
            note_uses(use, part[i]);
    if (stmt->init)
        note_stmt(use, stmt->init);
    for (size_t i = 0; i < stmt->child_nr; i++)
        if (stmt->child[i])
            note_stmt(use, stmt->child[i]);
}

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

static void add_array(struct model *model, struct ir_symbol *symbol, bool read,
                      bool written)
{
    GROW(model->array, model->array_nr + 1, model->array_alloc);
    model->array[model->array_nr++] = (struct model_array){
        .symbol = symbol,
        .name = symbol->name,
        .element_type = symbol->type.text,
        .element_bytes = symbol->type.bytes,
        .is_float = symbol->type.scalar == IR_FLOAT,
        .read = read,
        .written = written,
        .dims = symbol->dim_nr ? (int)symbol->dim_nr : 1,
        .extent_text = declared_extent(model, symbol),
    };
}

static void add_arrays(struct model *model)
{
    struct ir_function *function = model->function;
    size_t nr = function->symbol_nr + 1;
    struct use use = {model, xcalloc(nr, sizeof(bool)), xcalloc(nr, sizeof(bool))};
    note_stmt(&use, function->body);
    for (size_t i = 0; i < function->symbol_nr; i++) {
        struct ir_symbol *symbol = function->symbol[i];
        bool buffer = symbol->type.pointers > 0 &&
                      (symbol->role == IR_PARAM || symbol->role == IR_GLOBAL);
        if (buffer && (symbol->role == IR_PARAM || use.read[i] || use.written[i]))
            add_array(model, symbol, use.read[i], use.written[i]);
    }
    free(use.read);
    free(use.written);
}

int view_array(const struct model *model, const struct ir_symbol *symbol)
{
    for (size_t i = 0; i < model->array_nr; i++)
        if (model->array[i].symbol == symbol)
            return (int)i;
    return -1;
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
    int array;
};

static void find_load(struct ir_expr *expr, void *data)
{
    struct through *through = data;
    if (expr->kind == IR_INDEX && through->array < 0 && root_of(expr))
        through->array = view_array(through->model, root_of(expr));
    if (expr->kind == IR_NAME && expr->symbol->id >= 0 &&
        through->model->init[expr->symbol->id] && through->array < 0)
        ir_visit(through->model->init[expr->symbol->id], find_load, through);
}

static void classify(struct model *model, const struct access *access,
                     struct kernel_access *out)
{
    struct through through = {.model = model, .array = -1};
    const struct ir_stmt *loop = out->loop < 0 ? NULL : model->loop_stmt[out->loop];
    out->access_class = ACCESS_INVARIANT;
    for (size_t i = 0; i < access->subscript_nr; i++) {
        long long coefficient;
        ir_visit(access->subscript[i], find_load, &through);
        if (!loop || !loop->canonical ||
            !expr_mentions(access->subscript[i], loop->iterator))
            continue;
        bool unit = i + 1 == access->subscript_nr &&
                    expr_coefficient(access->subscript[i], loop->iterator, &coefficient);
        out->stride_bytes =
            unit ? (double)(coefficient * loop->step) * (double)out->stride_bytes : 0;
        bool near = unit && out->stride_bytes <= model->request.line_bytes &&
                    out->stride_bytes >= -model->request.line_bytes;
        out->access_class = near && out->access_class == ACCESS_INVARIANT
                                ? ACCESS_STREAMING
                                : ACCESS_STRIDED;
    }
    if (out->access_class == ACCESS_INVARIANT)
        out->stride_bytes = 0;
    out->through = through.array;
    if (through.array >= 0)
        out->access_class = ACCESS_INDIRECT;
    else if (!access->exact && !access->collapsed)
        out->access_class = ACCESS_IRREGULAR;
    if (out->access_class >= ACCESS_INDIRECT)
        out->stride_bytes = 0;
}

static void add_access(struct model *model, const struct nest *nest,
                       const struct access *access)
{
    const struct ir_symbol *symbol = nest->cell[access->cell].symbol;
    int array = view_array(model, symbol);
    if (array < 0)
        return;
    struct kernel_access new = {.array = array,
                                .loop = innermost_loop(model, nest, access),
                                .write = access->write,
                                .line = access->line,
                                .stride_bytes = (double)symbol->type.bytes,
                                .text = text_of(model, access->expr)};
    classify(model, access, &new);
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
    add_arrays(model);
    for (size_t i = 0; i < model->nest_nr; i++)
        for (size_t k = 0; !model->nest[i]->refusal && k < model->nest[i]->access_nr; k++)
            add_access(model, model->nest[i], &model->nest[i]->access[k]);
    for (size_t i = 0; i < model->array_nr; i++)
        if (!model->array[i].extent_text)
            model->array[i].extent_text = extent_text(model, model->array[i].symbol);
}
