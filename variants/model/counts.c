/*
 * Iterations, accesses and operations of one call, counted by walking the loops. A loop
 * whose inside does not depend on its iterator is counted once and multiplied, and so are
 * iterations next to one another for all of which bounds and conditions inside say the
 * same: halves are looked at until they do.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "variants/ir/sum.h"
#include "variants/model/loop_view.h"
#include "variants/model/model_view.h"

enum { STEPS_MAX = 50000000, NAMES_MAX = 64, KNOWN_MAX = 64 };

struct tally {
    double accesses, bytes, flops;
};

/* What an execution of it costs, whatever the iterators are. */
struct known_cost {
    const struct ir_expr *expr;
    struct tally tally;
};

struct count {
    struct model *model;
    struct model_value
        item[NAMES_MAX]; /* parameters, then iterators of the loops around */
    long long
        further[NAMES_MAX]; /* how far the iterations that are counted together go */
    size_t nr;
    double iterations;
    struct tally total;
    struct known_cost known[KNOWN_MAX];
    size_t known_nr;
    double *entries, *trips; /* by loop of the view */
    long long steps;
    bool unknown, flops_unknown;
    bool undecided; /* not all iterations that are counted together are alike */
};

/* ---- integer expressions ---- */

static bool arithmetic(const char *op, long long a, long long b, long long *out)
{
    enum { WITH_EQUALS = '=' << 8, AND = '&' | '&' << 8, OR = '|' | '|' << 8 };
    switch (op[0] ? op[0] | op[1] << 8 : 0) {
    case '+':
        return !__builtin_add_overflow(a, b, out);
    case '-':
        return !__builtin_sub_overflow(a, b, out);
    case '*':
        return !__builtin_mul_overflow(a, b, out);
    case '/':
    case '%':
        if (!b || (b == -1 && a == LLONG_MIN))
            return false;
        *out = op[0] == '/' ? a / b : a % b;
        return true;
    case '<':
        *out = a < b;
        return true;
    case '<' | WITH_EQUALS:
        *out = a <= b;
        return true;
    case '>':
        *out = a > b;
        return true;
    case '>' | WITH_EQUALS:
        *out = a >= b;
        return true;
    case '=' | WITH_EQUALS:
        *out = a == b;
        return true;
    case '!' | WITH_EQUALS:
        *out = a != b;
        return true;
    case AND:
        *out = a && b;
        return true;
    case OR:
        *out = a || b;
        return true;
    case '&':
        *out = a & b;
        return true;
    case '|':
        *out = a | b;
        return true;
    case '^':
        *out = a ^ b;
        return true;
    default:
        return false;
    }
}

/* The values that an expression has in the iterations that are counted together. */
struct span {
    long long low, high;
};

static bool span_of(const struct count *at, const struct ir_expr *expr, struct span *out);

static bool span_of_name(const struct count *at, const struct ir_symbol *symbol,
                         struct span *out)
{
    for (size_t i = at->nr; i-- > 0;)
        if (at->item[i].symbol == symbol) {
            *out = (struct span){at->item[i].value, at->item[i].value + at->further[i]};
            return true;
        }
    const struct ir_expr *init = symbol->id >= 0 ? at->model->init[symbol->id] : NULL;
    return symbol->role == IR_LOCAL && init && span_of(at, init, out);
}

/* Of operators that grow or fall with each operand: the least and greatest result is at
 * ends of both. */
static bool is_monotonic(const char *op)
{
    return (strchr("+-*<>", op[0]) && (!op[1] || op[1] == '=')) || !strcmp(op, "&&") ||
           !strcmp(op, "||");
}

static bool span_of_binary(const struct count *at, const struct ir_expr *expr,
                           struct span *out)
{
    struct span a, b;
    bool known = span_of(at, expr->arg[0], &a) && span_of(at, expr->arg[1], &b),
         single = known && a.low == a.high && b.low == b.high;
    int ends = single ? 1 : 4;
    known = known && (single || is_monotonic(expr->op));
    *out = (struct span){LLONG_MAX, LLONG_MIN};
    for (int end = 0; known && end < ends; end++) {
        long long value;
        known = arithmetic(expr->op, end & 1 ? a.high : a.low, end & 2 ? b.high : b.low,
                           &value);
        out->low = known && value < out->low ? value : out->low;
        out->high = known && value > out->high ? value : out->high;
    }
    return known;
}

/* False where it is not known, or may be other numbers between. */
static bool span_of(const struct count *at, const struct ir_expr *expr, struct span *out)
{
    struct span cond;
    if (expr->has_value) {
        *out = (struct span){expr->value, expr->value};
        return true;
    }
    if (expr->type.pointers || expr->type.scalar == IR_FLOAT)
        return false;
    switch (expr->kind) {
    case IR_NAME:
        return span_of_name(at, expr->symbol, out);
    case IR_CAST:
        return span_of(at, expr->arg[0], out);
    case IR_UNARY:
        if (expr->op[1] || !strchr("+-!", expr->op[0]) ||
            !span_of(at, expr->arg[0], &cond))
            return false;
        *out = expr->op[0] == '-'   ? (struct span){-cond.high, -cond.low}
               : expr->op[0] == '!' ? (struct span){cond.low == 0 && cond.high == 0,
                                                    cond.low <= 0 && cond.high >= 0}
                                    : cond;
        return true;
    case IR_BINARY:
        return span_of_binary(at, expr, out);
    case IR_COND:
        return span_of(at, expr->arg[0], &cond) && !cond.low == !cond.high &&
               span_of(at, expr->arg[cond.low ? 1 : 2], out);
    default:
        return false;
    }
}

/* The one number that it is. */
static bool evaluate(const struct count *at, const struct ir_expr *expr, long long *out)
{
    struct span span;
    bool known = span_of(at, expr, &span) && span.low == span.high;
    *out = known ? span.low : 0;
    return known;
}

bool count_value(struct model *model, const struct model_values *values,
                 const struct ir_expr *expr, long long *out)
{
    struct count *at = xcalloc(1, sizeof(*at));
    at->model = model;
    for (size_t i = 0; i < values->nr && at->nr < NAMES_MAX; i++)
        at->item[at->nr++] = values->item[i];
    bool known = evaluate(at, expr, out);
    free(at);
    return known;
}

/* ---- one execution of an expression ---- */

struct cost {
    struct count *at;
    struct tally tally;
};

static void cost_of(struct cost *cost, const struct ir_expr *expr);

/* An element of a buffer, also through local row pointers. */
static bool is_buffer(const struct cost *cost, const struct ir_expr *expr)
{
    return expr->kind != IR_NAME && view_place(cost->at->model, expr) >= 0;
}

static void cost_subscripts(struct cost *cost, const struct ir_expr *expr)
{
    for (; expr->kind != IR_NAME; expr = expr->arg[0]) {
        if (expr->kind == IR_INDEX)
            cost_of(cost, expr->arg[1]);
        if (expr->kind == IR_BINARY || !expr->arg_nr)
            return;
    }
}

/* Through a pointer that walks, or that is not known to point into a buffer. */
static bool is_through_pointer(const struct ir_expr *place)
{
    if (place->kind == IR_NAME)
        return false;
    while (place->arg_nr)
        place = place->arg[place->kind == IR_BINARY && !place->arg[0]->type.pointers];
    return place->kind == IR_NAME && place->symbol->type.pointers > 0 &&
           !place->symbol->dim_nr;
}

static void cost_place(struct cost *cost, const struct ir_expr *expr, int times)
{
    if (expr->kind != IR_NAME)
        cost_subscripts(cost, expr);
    if (!is_buffer(cost, expr)) {
        cost->at->unknown = cost->at->unknown || is_through_pointer(expr);
        return;
    }
    cost->tally.accesses += times;
    cost->tally.bytes += times * (double)expr->type.bytes;
}

static bool is_float(const struct ir_expr *expr)
{
    return expr->type.scalar == IR_FLOAT && !expr->type.pointers;
}

static void cost_call(struct cost *cost, const struct ir_expr *expr)
{
    const char *name = expr->text ? expr->text : "";
    const char *plain = strncmp(name, "std::", 5) ? name : name + 5;
    if (function_is(expr_function(expr), FUNCTION_NOTHING)) {
        for (size_t i = 0; i < expr->arg_nr; i++)
            cost_of(cost, expr->arg[i]);
        return;
    }
    if (expr->symbol && expr->symbol->is_pure)
        cost->at->flops_unknown = true; /* what it computes is not seen */
    else if (!expr_is_math(expr))
        cost->at->unknown = true;
    cost->tally.flops +=
        !strncmp(plain, "fma", 3) && strncmp(plain, "fmax", 4) ? 2 : is_float(expr);
    for (size_t i = 0; i < expr->arg_nr; i++)
        cost_of(cost, expr->arg[i]);
}

/* What is executed only sometimes must cost nothing, else the count is unknown. */
static void cost_maybe(struct cost *cost, const struct ir_expr *expr)
{
    struct cost arms = {.at = cost->at};
    cost_of(cost, expr->arg[0]);
    for (size_t i = 1; i < expr->arg_nr; i++)
        cost_of(&arms, expr->arg[i]);
    if (arms.tally.accesses > 0 || arms.tally.flops > 0)
        cost->at->unknown = true;
}

static void cost_operator(struct cost *cost, const struct ir_expr *expr)
{
    if (strstr(expr->op, "++") || strstr(expr->op, "--")) {
        cost_place(cost, expr->arg[0], 2);
        cost->tally.flops += is_float(expr);
    } else if (strcmp(expr->op, "&"))
        cost_of(cost, expr->arg[0]);
    else if (expr->arg[0]->kind != IR_NAME)
        cost_subscripts(cost, expr->arg[0]);
}

static void cost_of(struct cost *cost, const struct ir_expr *expr)
{
    if (expr_is_place(expr)) {
        cost_place(cost, expr, !expr->type.pointers);
        return;
    }
    switch (expr->kind) {
    case IR_UNARY:
        cost_operator(cost, expr);
        break;
    case IR_ASSIGN:
        cost_of(cost, expr->arg[1]);
        cost_place(cost, expr->arg[0], expr->op[0] == '=' ? 1 : 2);
        cost->tally.flops += expr->op[0] != '=' && is_float(expr);
        break;
    case IR_COND:
        cost_maybe(cost, expr);
        break;
    case IR_BINARY:
        if (!strcmp(expr->op, "&&") || !strcmp(expr->op, "||")) {
            cost_maybe(cost, expr);
            break;
        }
        cost->tally.flops +=
            is_float(expr) && strchr("+-*/", expr->op[0]) && !expr->op[1];
        cost_of(cost, expr->arg[0]);
        cost_of(cost, expr->arg[1]);
        break;
    case IR_CALL:
        cost_call(cost, expr);
        break;
    case IR_RAW:
        cost->at->unknown = true;
        break;
    case IR_CAST:
        cost_of(cost, expr->arg[0]);
        break;
    default:
        break;
    }
}

/* Triangular loops are walked, and come to the same few expressions millions of times. */
static struct tally known_cost_of(struct count *at, const struct ir_expr *expr)
{
    struct cost cost = {.at = at};
    for (size_t i = 0; i < at->known_nr; i++)
        if (at->known[i].expr == expr)
            return at->known[i].tally;
    cost_of(&cost, expr);
    if (at->known_nr < KNOWN_MAX)
        at->known[at->known_nr++] = (struct known_cost){expr, cost.tally};
    return cost.tally;
}

static void add_expr(struct count *at, const struct ir_expr *expr, double times)
{
    if (!expr)
        return;
    struct tally tally = known_cost_of(at, expr);
    at->total.accesses += times * tally.accesses;
    at->total.bytes += times * tally.bytes;
    at->total.flops += times * tally.flops;
}

/* ---- loops ---- */

static void count_stmt(struct count *at, const struct ir_stmt *stmt, double times);

struct control {
    const struct model *model;
    const struct ir_symbol *iterator;
    bool found;
};

static void find_in_control(struct ir_expr *expr, void *data)
{
    struct control *control = data;
    if (expr->kind != IR_NAME)
        return;
    const struct ir_expr *init =
        expr->symbol->id >= 0 ? control->model->init[expr->symbol->id] : NULL;
    if (expr->symbol == control->iterator ||
        (init && expr_mentions(init, control->iterator)))
        control->found = true;
}

/* Does a bound or condition inside depend on the iterator? */
static bool controls(const struct count *at, const struct ir_stmt *stmt,
                     const struct ir_symbol *iterator)
{
    struct control control = {.model = at->model, .iterator = iterator};
    if (!stmt)
        return false;
    if (stmt->kind == IR_FOR && stmt->canonical) {
        ir_visit(stmt->lower, find_in_control, &control);
        ir_visit(stmt->upper, find_in_control, &control);
    } else if (stmt->cond)
        ir_visit(stmt->cond, find_in_control, &control);
    for (size_t i = 0; !control.found && i < stmt->child_nr; i++)
        control.found = controls(at, stmt->child[i], iterator);
    return control.found;
}

static bool loop_trips(struct count *at, const struct ir_stmt *stmt, long long *lower,
                       long long *trips)
{
    long long upper, size = stmt->step < 0 ? -stmt->step : stmt->step;
    if (!evaluate(at, stmt->lower, lower) || !evaluate(at, stmt->upper, &upper) || !size)
        return false;
    long long span = stmt->step > 0 ? upper - *lower : *lower - upper;
    span += stmt->cmp[1] == '=' && stmt->cmp[0] != '!';
    *trips = span > 0 ? (span + size - 1) / size : 0;
    return true;
}

static int view_loop(const struct count *at, const struct ir_stmt *stmt)
{
    for (size_t i = 0; i < at->model->loop_nr; i++)
        if (at->model->loop_stmt[i] == stmt)
            return (int)i;
    return -1;
}

/* What was counted so far. */
struct counted {
    double iterations, *by_loop; /* entries, then trips */
    struct tally total;
};

static struct counted counted_so_far(const struct count *at)
{
    size_t nr = at->model->loop_nr;
    struct counted kept = {at->iterations, xcalloc(2 * nr + 1, sizeof(double)),
                           at->total};
    memcpy(kept.by_loop, at->entries, nr * sizeof(double));
    memcpy(kept.by_loop + nr, at->trips, nr * sizeof(double));
    return kept;
}

static void count_again(struct count *at, const struct counted *kept)
{
    size_t nr = at->model->loop_nr;
    at->iterations = kept->iterations;
    at->total = kept->total;
    memcpy(at->entries, kept->by_loop, nr * sizeof(double));
    memcpy(at->trips, kept->by_loop + nr, nr * sizeof(double));
    at->undecided = false;
}

/* `undecided` is left where loops around decide on what they do. */
static void count_each(struct count *at, const struct ir_stmt *stmt, double times,
                       long long lower, long long trips)
{
    size_t iterator = at->nr - 1;
    long long last = lower + (trips - 1) * stmt->step, half = trips / 2;
    if (at->steps++ > STEPS_MAX)
        at->unknown = true;
    at->item[iterator].value = last < lower ? last : lower;
    at->further[iterator] = last < lower ? lower - last : last - lower;
    if (trips <= 1) {
        if (trips)
            count_stmt(at, stmt->child[0], times);
        return;
    }
    struct counted before = counted_so_far(at);
    count_stmt(at, stmt->child[0], times * (double)trips);
    if (at->undecided && !at->unknown) {
        count_again(at, &before);
        count_each(at, stmt, times, lower, half);
        if (!at->undecided)
            count_each(at, stmt, times, lower + half * stmt->step, trips - half);
    }
    free(before.by_loop);
}

static bool counts_together(const struct count *at)
{
    bool together = false;
    for (size_t i = 0; !together && i < at->nr; i++)
        together = at->further[i] != 0;
    return together;
}

/* A bound or a condition is not one number. */
static void note_open(struct count *at)
{
    if (counts_together(at))
        at->undecided = true;
    else
        at->unknown = true;
}

static void count_loop(struct count *at, const struct ir_stmt *stmt, double times)
{
    long long lower, trips;
    int view = view_loop(at, stmt);
    if (!stmt->canonical || stmt_breaks_out(stmt->child[0]) || at->nr == NAMES_MAX) {
        at->unknown = true;
        return;
    }
    if (!loop_trips(at, stmt, &lower, &trips)) {
        note_open(at);
        return;
    }
    if (view >= 0) {
        at->entries[view] += times;
        at->trips[view] += times * (double)trips;
        if (at->model->loop[view].innermost)
            at->iterations += times * (double)trips;
    }
    at->further[at->nr] = 0;
    at->item[at->nr++] = (struct model_value){.symbol = stmt->iterator, .value = lower};
    if (controls(at, stmt->child[0], stmt->iterator))
        count_each(at, stmt, times, lower, trips);
    else if (trips)
        count_stmt(at, stmt->child[0], times * (double)trips);
    at->nr--;
}

static void count_if(struct count *at, const struct ir_stmt *stmt, double times)
{
    long long truth;
    add_expr(at, stmt->cond, times);
    if (!evaluate(at, stmt->cond, &truth))
        note_open(at);
    else if (truth)
        count_stmt(at, stmt->child[0], times);
    else if (stmt->child_nr > 1)
        count_stmt(at, stmt->child[1], times);
}

static void count_stmt(struct count *at, const struct ir_stmt *stmt, double times)
{
    if (!stmt || at->unknown || at->undecided)
        return;
    switch (stmt->kind) {
    case IR_FOR:
        count_loop(at, stmt, times);
        break;
    case IR_IF:
        count_if(at, stmt, times);
        break;
    case IR_WHILE:
    case IR_OPAQUE:
    case IR_JUMP:
        at->unknown = true;
        break;
    default:
        add_expr(at, stmt->expr, times);
        for (size_t i = 0; i < stmt->child_nr; i++)
            count_stmt(at, stmt->child[i], times);
    }
}

/* ---- strides that depend on parameters ---- */

/* Elements of each level of rows that pointers lead to; 0 = not known. */
struct row_sizes {
    long long level[SUBSCRIPTS_MAX];
};

static struct row_sizes row_sizes_of(struct count *at, int array,
                                     const struct ir_symbol *symbol)
{
    const struct model_values values = {at->item, at->nr};
    struct row_sizes sizes = {{0}};
    struct error err = {0};
    if (symbol_has_rows(symbol) && at->model->array[array].dims <= SUBSCRIPTS_MAX &&
        model_extent(at->model, array, &values, NULL, sizes.level, &err))
        sizes = (struct row_sizes){{0}};
    return sizes;
}

/* Bytes from the start of the array at the present values of the iterators. Rows that
 * pointers lead to are taken to stand one behind the other, as they mostly are when they
 * come out of one loop of allocations. */
static bool address(struct count *at, const struct cell *cell,
                    const struct access *access, const struct row_sizes *rows,
                    long long *bytes)
{
    const struct ir_symbol *symbol = cell->symbol;
    bool has_rows = symbol_has_rows(symbol);
    long long elements = 0, fields = 0;
    for (size_t i = 0; i < access->subscript_nr; i++) {
        long long subscript, size = rows->level[i];
        if (!evaluate(at, access->subscript[i], &subscript))
            return false;
        if (i >= cell->symbol_dims) {
            if (!access->scale[i])
                return false;
            fields += subscript * access->scale[i];
            continue;
        }
        if (i && (has_rows ? size <= 0
                           : !symbol->dim[i] || !evaluate(at, symbol->dim[i], &size)))
            return false;
        elements = elements * size + subscript;
    }
    *bytes = elements * (long long)symbol->type.bytes + fields;
    return true;
}

/* The canonical loops around the access, innermost first, all at iteration value 1. */
static size_t enter_loops(struct count *at, int innermost, int *loop)
{
    size_t nr = 0;
    for (int i = innermost; i >= 0 && at->nr < NAMES_MAX && nr < KERNEL_DEPTH_MAX;
         i = at->model->loop[i].parent)
        if (at->model->loop_stmt[i]->canonical) {
            at->item[at->nr++] = (struct model_value){
                .symbol = at->model->loop_stmt[i]->iterator, .value = 1};
            loop[nr++] = i;
        }
    return nr;
}

/* How far the address is from where it was when the iterator goes on by a step: nowhere
 * also where it is back in a few steps, as of u[t % 2]. NaN = not known. */
static double moved(struct count *at, const struct cell *cell,
                    const struct access *access, const struct row_sizes *rows,
                    long long here, struct model_value *iterator, long long step)
{
    enum { BACK_SOON = 4 };
    double stride = NAN;
    bool known = true;
    for (int k = 1; k <= BACK_SOON && known && stride != 0; k++) {
        long long there;
        iterator->value = 1 + k * step;
        known = address(at, cell, access, rows, &there);
        if (known && (k == 1 || there == here))
            stride = (double)(there - here);
    }
    iterator->value = 1;
    return stride;
}

static void measure_stride(struct count *at, struct kernel_access *view,
                           const struct nest *nest, const struct access *access)
{
    const struct cell *cell = &nest->cell[access->cell];
    int loop[KERNEL_DEPTH_MAX];
    const struct row_sizes rows = row_sizes_of(at, view->array, cell->symbol);
    size_t kept = at->nr, nr = enter_loops(at, view->loop, loop);
    long long here;
    for (size_t d = 0; d < KERNEL_DEPTH_MAX; d++)
        view->stride_at[d] = NAN;
    bool known = address(at, cell, access, &rows, &here);
    for (size_t i = 0; known && i < nr; i++) {
        int depth = at->model->loop[loop[i]].depth;
        if (depth < KERNEL_DEPTH_MAX)
            view->stride_at[depth] =
                moved(at, cell, access, &rows, here, &at->item[kept + i],
                      at->model->loop_stmt[loop[i]]->step);
        if (!depth)
            break; /* of a row: what is around it has depths of its own */
    }
    if (view->access_class == ACCESS_STRIDED && view->loop >= 0 &&
        !isnan(view->stride_at[at->model->loop[view->loop].depth]))
        view->stride_bytes = view->stride_at[at->model->loop[view->loop].depth];
    at->nr = kept;
}

static void measure_strides(struct count *at)
{
    for (size_t v = 0; v < at->model->access_nr; v++)
        for (size_t i = 0; i < at->model->nest_nr; i++) {
            const struct nest *nest = at->model->nest[i];
            for (size_t k = 0; !nest->refusal && k < nest->access_nr; k++)
                if (nest->access[k].expr == at->model->access_expr[v])
                    measure_stride(at, &at->model->access[v], nest, &nest->access[k]);
        }
}

struct model_counts model_measure(struct model *model, const struct model_values *values)
{
    struct count *at = xcalloc(1, sizeof(*at));
    struct model_counts counts = {quantity_unknown(), quantity_unknown(),
                                  quantity_unknown(), quantity_unknown()};
    at->model = model;
    at->entries = xcalloc(model->loop_nr + 1, sizeof(double));
    at->trips = xcalloc(model->loop_nr + 1, sizeof(double));
    for (size_t i = 0; i < values->nr && at->nr < NAMES_MAX; i++)
        if (!values->item[i].symbol->is_written)
            at->item[at->nr++] = values->item[i];
    measure_strides(at);
    count_stmt(at, model->function->body, 1);
    for (size_t i = 0; i < model->loop_nr; i++)
        model->loop[i].trips =
            at->entries[i] > 0 && !at->unknown ? at->trips[i] / at->entries[i] : -1;
    if (!at->unknown) {
        counts.iterations = quantity_exact(at->iterations, PROVENANCE_SOURCE);
        counts.accesses = quantity_exact(at->total.accesses, PROVENANCE_SOURCE);
        counts.bytes = quantity_exact(at->total.bytes, PROVENANCE_SOURCE);
        if (!at->flops_unknown)
            counts.flops = quantity_exact(at->total.flops, PROVENANCE_SOURCE);
    }
    free(at->entries);
    free(at->trips);
    free(at);
    return counts;
}
