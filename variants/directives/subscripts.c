/* What decides on addresses and trip counts, and what may be written: found by a walk
 * over the function, whether its loops can be modelled or not. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/directives/record_fields.h"

/* Follows values from one symbol through the function's variables. */
struct trace {
    const struct ir_function *function;
    const struct ir_symbol *origin; /* an array: its elements; a scalar: itself */
    const char *path;               /* a field of an array of structs: ".cell"; or NULL */
    bool *tainted;                  /* by symbol id: holds such a value */
    bool grew, found, in_bound;
    const struct ir_symbol *indexed; /* the array that is subscripted, if found */
    size_t place;                    /* by which of its subscripts */
};

struct use {
    struct trace *trace;
    bool held;
};

/* The array or pointer that a subscript or * starts from; NULL if it is no plain one. */
static const struct ir_symbol *root_of(const struct ir_expr *expr)
{
    while (expr && expr->kind != IR_NAME)
        expr = expr->arg_nr ? expr->arg[0] : NULL;
    return expr ? expr->symbol : NULL;
}

static bool is_load(const struct ir_expr *expr)
{
    return expr->kind == IR_INDEX ||
           (expr->kind == IR_UNARY && strcmp(expr->op, "*") == 0);
}

/* p[i].cell */
static bool is_field_load(const struct trace *trace, const struct ir_expr *expr)
{
    struct buf path = {0};
    const struct ir_expr *element = ir_member_base(expr, &path, NULL);
    bool is = element && root_of(element) == trace->origin &&
              strcmp(buf_str(&path), trace->path) == 0;

    buf_release(&path);
    return is;
}

static void look_for_value(struct ir_expr *expr, void *data)
{
    struct use *use = data;
    const struct trace *trace = use->trace;
    bool array = trace->origin->type.pointers > 0;

    if (trace->path && is_field_load(trace, expr))
        use->held = true;

    if (expr->kind == IR_NAME && expr->symbol)
        use->held = use->held || trace->tainted[expr->symbol->id] ||
                    (!array && expr->symbol == trace->origin);
    else if (array && !trace->path && is_load(expr))
        use->held = use->held || root_of(expr->arg[0]) == trace->origin;
}

static bool holds_value(struct trace *trace, struct ir_expr *expr)
{
    struct use use = {.trace = trace};

    ir_visit(expr, look_for_value, &use);
    return use.held;
}

static void taint(struct trace *trace, const struct ir_symbol *symbol,
                  struct ir_expr *value)
{
    if (!symbol || symbol->role != IR_LOCAL || trace->tainted[symbol->id] ||
        !holds_value(trace, value))
        return;
    trace->tainted[symbol->id] = true;
    trace->grew = true;
}

static size_t subscripts_below(const struct ir_expr *expr)
{
    return expr->kind == IR_INDEX ? 1 + subscripts_below(expr->arg[0]) : 0;
}

static void look_at_expr(struct ir_expr *expr, void *data)
{
    struct trace *trace = data;
    struct ir_expr *address = NULL;

    if (expr->kind == IR_ASSIGN && expr->arg[0]->kind == IR_NAME)
        taint(trace, expr->arg[0]->symbol, expr->arg[1]);
    if (is_load(expr))
        address = expr->arg[expr->arg_nr - 1];
    if (!address || trace->found || !holds_value(trace, address))
        return;
    trace->found = true;
    trace->indexed = root_of(expr->arg[0]);
    trace->place = expr->kind == IR_INDEX ? subscripts_below(expr->arg[0]) : 0;
}

static void look_at_bound(struct trace *trace, struct ir_expr *expr)
{
    if (expr && holds_value(trace, expr))
        trace->in_bound = true;
}

static void visit_expressions(const struct ir_stmt *stmt,
                              void (*visit)(struct ir_expr *expr, void *data), void *data)
{
    struct ir_expr *const all[] = {stmt->expr, stmt->cond, stmt->increment, stmt->lower,
                                   stmt->upper};

    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        ir_visit(all[i], visit, data);
}

struct visiting {
    void (*visit)(struct ir_expr *expr, void *data);
    void *data;
};

static void visit_below(const struct visiting *visiting, const struct ir_stmt *stmt)
{
    if (!stmt)
        return;
    visit_expressions(stmt, visiting->visit, visiting->data);
    visit_below(visiting, stmt->init);
    for (size_t i = 0; i < stmt->child_nr; i++)
        visit_below(visiting, stmt->child[i]);
}

void visit_function(const struct ir_function *function,
                    void (*visit)(struct ir_expr *expr, void *data), void *data)
{
    visit_below(&(struct visiting){visit, data}, function->body);
}

static void walk(struct trace *trace, const struct ir_stmt *stmt)
{
    if (!stmt)
        return;
    if (stmt->kind == IR_DECL)
        taint(trace, stmt->symbol, stmt->expr);
    if (stmt->kind == IR_FOR || stmt->kind == IR_WHILE) {
        look_at_bound(trace, stmt->lower);
        look_at_bound(trace, stmt->upper);
        look_at_bound(trace, stmt->cond);
    }
    visit_expressions(stmt, look_at_expr, trace);
    walk(trace, stmt->init);
    for (size_t i = 0; i < stmt->child_nr; i++)
        walk(trace, stmt->child[i]);
}

static void follow(struct trace *trace)
{
    trace->tainted = xcalloc(trace->function->symbol_nr + 1, sizeof(*trace->tainted));
    do {
        trace->grew = false;
        walk(trace, trace->function->body);
    } while (trace->grew);
    free(trace->tainted);
    trace->tainted = NULL;
}

static const char *hint_for(const struct trace *trace)
{
    const struct ir_symbol *indexed = trace->indexed;
    struct buf text = {0};
    const char *hint;

    if (!trace->found)
        return "offsets(8)";
    if (indexed && trace->place < indexed->dim_nr && indexed->dim[trace->place]) {
        buf_add(&text, "index(");
        ir_print_expr(&text, indexed->dim[trace->place]);
        buf_add(&text, ")");
    } else {
        buf_add(&text, "index(m)");
    }
    hint = ir_text(trace->function->arena, buf_str(&text));
    buf_release(&text);
    return hint;
}

const char *subscript_hint(const struct ir_function *function,
                           const struct ir_symbol *array, const char *path)
{
    struct trace trace = {.function = function, .origin = array, .path = path};

    if (array->type.pointers == 0)
        return NULL;
    follow(&trace);
    return trace.found || trace.in_bound ? hint_for(&trace) : NULL;
}

bool is_size_symbol(const struct ir_function *function, const struct ir_symbol *scalar)
{
    struct trace trace = {.function = function, .origin = scalar};
    struct use use = {.trace = &trace};

    trace.tainted = xcalloc(function->symbol_nr + 1, sizeof(*trace.tainted));
    for (size_t i = 0; i < function->symbol_nr && !use.held; i++)
        for (size_t k = 0; k < function->symbol[i]->dim_nr; k++)
            ir_visit(function->symbol[i]->dim[k], look_for_value, &use);
    free(trace.tainted);
    follow(&trace);
    return use.held || trace.in_bound || trace.found;
}

/* ---- writes ---- */

struct writes {
    const struct ir_symbol *array;
    bool assigned;
    size_t pointers,
        subscripted; /* values that point into the array; those that are only indexed */
};

static bool points_into(const struct writes *writes, const struct ir_expr *expr)
{
    bool place =
        expr->kind == IR_NAME || expr->kind == IR_INDEX || expr->kind == IR_MEMBER;
    bool address = expr->kind == IR_UNARY && strcmp(expr->op, "&") == 0;

    return (place || address) && expr->type.pointers > 0 &&
           root_of(expr) == writes->array;
}

static bool is_assignment(const struct ir_expr *expr)
{
    const char *op = expr->kind == IR_UNARY ? ir_op_text(expr->op) : "";

    return expr->kind == IR_ASSIGN || strcmp(op, "++") == 0 || strcmp(op, "--") == 0;
}

static void look_for_writes(struct ir_expr *expr, void *data)
{
    struct writes *writes = data;

    if (is_assignment(expr) && root_of(expr->arg[0]) == writes->array)
        writes->assigned = true;
    writes->pointers += points_into(writes, expr);
    writes->subscripted += expr->kind == IR_INDEX && points_into(writes, expr->arg[0]);
}

static bool hands_on(const struct writes *writes)
{
    return !writes->array->type.is_const && writes->pointers > writes->subscripted;
}

bool may_be_written(const struct ir_function *function, const struct ir_symbol *array)
{
    struct writes writes = {.array = array};

    visit_function(function, look_for_writes, &writes);
    return writes.assigned || hands_on(&writes);
}

bool may_escape(const struct ir_function *function, const struct ir_symbol *array)
{
    struct writes writes = {.array = array};

    visit_function(function, look_for_writes, &writes);
    return hands_on(&writes);
}
