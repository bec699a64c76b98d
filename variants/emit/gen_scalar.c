/*
 * Scalar replacement in innermost loops: elements that do not change with the loop are
 * read before it (and written behind it), elements that occur several times in one
 * iteration are kept in a scalar. Compilers do part of this themselves, but not across
 * writes to arrays they cannot tell apart, and gcc not for the copies of unroll-and-jam.
 */
#include <stdlib.h>
#include <string.h>

#include "variants/emit/gen.h"
#include "variants/ir/sum.h"
#include "variants/model/model_affine.h"

enum { SCALARS_MAX = 64 };

struct element {
    struct ir_expr *expr; /* first mention */
    const struct ir_symbol *array;
    size_t mentions;
    bool written, read_first, varies, movable;
    bool sure, maybe; /* used in each iteration; used where that depends */
    struct ir_symbol *scalar;
    bool sums; /* only ever x += e */
};

struct elements {
    struct gen *gen;
    struct code *loop;
    struct element item[4 * SCALARS_MAX];
    size_t nr;
    size_t behind; /* statements put behind the loop */
    bool too_many, in_maybe;
    bool runs, promised; /* the loop or what is left of it; if no size is zero */
};

static const struct ir_symbol *root_of(const struct ir_expr *expr)
{
    while (expr->kind == IR_INDEX)
        expr = expr->arg[0];
    return expr->kind == IR_NAME ? expr->symbol : NULL;
}

static bool is_element(const struct ir_expr *expr)
{
    return expr->kind == IR_INDEX && !expr->type.pointers &&
           expr->type.scalar != IR_RECORD && root_of(expr) != NULL;
}

/* ---- collecting ---- */

static bool is_loop_value(const struct elements *all, const struct ir_symbol *symbol)
{
    if (symbol->id >= 0)
        return symbol_is_param(all->gen->nest, symbol) ||
               all->gen->nest->declared[symbol->id];
    for (const struct code *at = all->loop; at; at = at->parent)
        if (at->var == symbol)
            return true;
    for (size_t i = 0; i < all->loop->parent->child_nr; i++)
        if (all->loop->parent->child[i]->var == symbol)
            return true;
    return false;
}

/* Subscripts of loop variables and parameters only can be read earlier and compared. */
static bool is_plain(const struct elements *all, const struct ir_expr *expr)
{
    if (expr->kind == IR_NAME)
        return is_loop_value(all, expr->symbol);
    if (expr->kind != IR_LITERAL && expr->kind != IR_BINARY && expr->kind != IR_CAST)
        return false;
    for (size_t i = 0; i < expr->arg_nr; i++)
        if (!is_plain(all, expr->arg[i]))
            return false;
    return true;
}

static bool subscripts_plain(const struct elements *all, const struct ir_expr *expr)
{
    for (; expr->kind == IR_INDEX; expr = expr->arg[0])
        if (!is_plain(all, expr->arg[1]))
            return false;
    return true;
}

/* An array that each iteration declares: outside of it there is none to be read. */
static bool is_private(const struct gen *gen, const struct ir_symbol *array)
{
    for (size_t i = 0; i < gen->local_nr; i++)
        if (gen->local[i].symbol == array)
            return true;
    return false;
}

/* ---- other ways to an array ---- */

enum { POINTERS_DEPTH = 8 };

static bool meets(const struct gen *gen, const struct ir_symbol *a,
                  const struct ir_symbol *b, int depth);

/* What a pointer was set to, which is never changed again; NULL = it is none such. */
static const struct ir_expr *init_of(const struct gen *gen,
                                     const struct ir_symbol *symbol)
{
    bool pointer = symbol->id >= 0 && symbol->type.pointers && !symbol->dim_nr;
    return pointer ? gen->model->init[symbol->id] : NULL;
}

static bool init_meets(const struct gen *gen, const struct ir_expr *init,
                       const struct ir_symbol *other, int depth)
{
    bool found = init->kind == IR_NAME && init->symbol->type.pointers &&
                 meets(gen, init->symbol, other, depth);
    for (size_t i = 0; !found && i < init->arg_nr; i++)
        found = init_meets(gen, init->arg[i], other, depth);
    return found;
}

/* Both point into one array. */
static bool meets(const struct gen *gen, const struct ir_symbol *a,
                  const struct ir_symbol *b, int depth)
{
    const struct ir_expr *first = init_of(gen, a), *second = init_of(gen, b);
    return a == b || depth == POINTERS_DEPTH ||
           (first && init_meets(gen, first, b, depth + 1)) ||
           (second && init_meets(gen, second, a, depth + 1));
}

struct way {
    const struct gen *gen;
    const struct ir_symbol *array;
    bool other;
};

/* Another pointer into the same memory, or the structure that the array belongs to. */
static void find_second_name(struct ir_expr *expr, void *data)
{
    struct way *way = data;
    const struct ir_symbol *symbol = expr->kind == IR_NAME ? expr->symbol : NULL;
    if (symbol && symbol != way->array)
        way->other = way->other || symbol == way->array->base ||
                     (symbol->type.pointers && meets(way->gen, symbol, way->array, 0));
}

bool code_reaches_otherwise(const struct gen *gen, const struct code *code,
                            const struct ir_symbol *array)
{
    struct way way = {.gen = gen, .array = array};
    const struct ir_expr *part[] = {code->lower, code->upper, code->cond,
                                    code->stmt ? code->stmt->expr : NULL};
    for (size_t i = 0; i < ARRAY_SIZE(part); i++) {
        if (!part[i])
            continue;
        way.other = way.other || expr_other_use(part[i], array);
        ir_visit((struct ir_expr *)part[i], find_second_name, &way);
    }
    for (size_t i = 0; !way.other && i < code->child_nr; i++)
        way.other = code_reaches_otherwise(gen, code->child[i], array);
    return way.other;
}

static bool is_movable(const struct elements *all, const struct ir_expr *expr)
{
    const struct ir_symbol *array = root_of(expr);
    return subscripts_plain(all, expr) && !is_private(all->gen, array) &&
           !code_reaches_otherwise(all->gen, all->loop, array);
}

static struct element *element_of(struct elements *all, struct ir_expr *expr)
{
    for (size_t i = 0; i < all->nr; i++)
        if (expr_equal(all->item[i].expr, expr))
            return &all->item[i];
    if (all->nr == ARRAY_SIZE(all->item)) {
        all->too_many = true;
        return NULL;
    }
    all->item[all->nr] = (struct element){.expr = expr,
                                          .array = root_of(expr),
                                          .read_first = true,
                                          .sums = true,
                                          .movable = is_movable(all, expr),
                                          .varies = expr_mentions(expr, all->loop->var)};
    return &all->item[all->nr++];
}

static void mention(struct elements *all, struct ir_expr *expr, bool read, bool write,
                    bool sum)
{
    struct element *element = element_of(all, expr);
    if (!element)
        return;
    if (!read && !element->mentions)
        element->read_first = false;
    element->mentions++;
    element->written = element->written || write;
    element->sums = element->sums && sum;
    element->movable = element->movable && !(write && all->in_maybe);
    element->sure = element->sure || !all->in_maybe;
    element->maybe = element->maybe || all->in_maybe;
}

static void collect(struct elements *all, struct ir_expr *expr);

/* Only its first operand is always evaluated. */
static bool chooses(const struct ir_expr *expr)
{
    return expr->kind == IR_COND ||
           (expr->kind == IR_BINARY &&
            (!strcmp(expr->op, "&&") || !strcmp(expr->op, "||")));
}

static void collect_children(struct elements *all, struct ir_expr *expr)
{
    bool before = all->in_maybe, maybe = chooses(expr);
    for (size_t i = 0; i < expr->arg_nr; i++) {
        all->in_maybe = before || (maybe && i > 0);
        collect(all, expr->arg[i]);
    }
    all->in_maybe = before;
}

static void collect_subscripts(struct elements *all, struct ir_expr *expr)
{
    for (; expr->kind == IR_INDEX; expr = expr->arg[0])
        collect(all, expr->arg[1]);
    if (expr->kind != IR_NAME)
        collect(all, expr);
}

static void collect(struct elements *all, struct ir_expr *expr)
{
    bool step = expr_is_step(expr);
    if (expr->kind == IR_UNARY && !strcmp(expr->op, "&")) { /* nothing is read there */
        collect_subscripts(all, expr->arg[0]);
        return;
    }
    if (expr->kind == IR_ASSIGN) /* what is assigned is read first */
        collect(all, expr->arg[1]);
    if (expr->kind == IR_ASSIGN && !is_element(expr->arg[0])) {
        collect(all, expr->arg[0]);
        return;
    }
    if ((expr->kind == IR_ASSIGN || step) && is_element(expr->arg[0])) {
        bool sum = !step && (!strcmp(expr->op, "+=") || !strcmp(expr->op, "-="));
        bool reads = step || strcmp(expr->op, "=");
        collect_subscripts(all, expr->arg[0]);
        mention(all, expr->arg[0], reads, true, sum);
        return;
    }
    if (is_element(expr)) {
        collect_subscripts(all, expr);
        mention(all, expr, true, false, false);
        return;
    }
    collect_children(all, expr);
}

/* ---- which may become scalars ---- */

bool elements_differ(struct gen *gen, const struct ir_expr *a, const struct ir_expr *b)
{
    for (; a->kind == IR_INDEX && b->kind == IR_INDEX; a = a->arg[0], b = b->arg[0]) {
        struct sum first = sum_of_expr(gen->arena, a->arg[1]),
                   second = sum_of_expr(gen->arena, b->arg[1]);
        struct sum difference = sum_add(&first, &second, -1);
        if (!difference.nr && difference.constant)
            return true;
    }
    return false;
}

/* What is always evaluated reads it. */
static bool reads_surely(const struct ir_expr *expr, const struct ir_expr *element)
{
    bool place = expr->kind == IR_ASSIGN && !strcmp(expr->op, "=");
    bool reads = expr_equal(expr, element);
    if (expr->kind != IR_BINARY && expr->kind != IR_COND && expr->kind != IR_ASSIGN &&
        expr->kind != IR_INDEX && expr->kind != IR_CAST)
        return false;
    for (size_t i = place; !reads && i < (chooses(expr) ? 1 : expr->arg_nr); i++)
        reads = reads_surely(expr->arg[i], element);
    return reads;
}

/* A statement beside the loop reads it, so that it is there also where the loop does not
 * run. What is written back would be written there, too. */
static bool is_read_beside(const struct elements *all, const struct element *element)
{
    const struct code *block = all->loop->parent;
    bool found = false;
    for (size_t i = 0; !found && !element->written && i < block->child_nr; i++) {
        const struct code *child = block->child[i];
        found = child->kind == CODE_STMT && child->stmt->kind == IR_EXPR &&
                !child->vector && reads_surely(child->stmt->expr, element->expr);
    }
    return found;
}

static bool array_is_written(const struct elements *all, const struct ir_symbol *array)
{
    for (size_t i = 0; i < all->nr; i++)
        if (all->item[i].array == array && all->item[i].written)
            return true;
    return false;
}

/* No value of the loop's variable makes `varies`, a subscript of the one, the other:
 * all of them lie above it (begin), or below it. */
static bool lies_beside(const struct elements *all, struct ir_expr *varies,
                        struct ir_expr *stays, const struct ir_expr *edge, bool begin)
{
    struct ir_arena *arena = all->gen->arena;
    if (gen_is_helper(edge, begin ? "max" : "min"))
        return lies_beside(all, varies, stays, edge->arg[0], begin) ||
               lies_beside(all, varies, stays, edge->arg[1], begin);
    struct sum at = sum_of_expr(arena, varies), from = sum_of_expr(arena, stays),
               variable = sum_of_expr(arena, ir_name(arena, all->loop->var)),
               value = sum_of_expr(arena, (struct ir_expr *)edge);
    struct sum apart = sum_add(&at, &from, -1);
    apart = sum_add(&apart, &variable, -1); /* there must be one of it */
    apart = sum_add(&apart, &value, 1);
    return !apart.nr && (begin ? apart.constant > 0 : apart.constant <= 0);
}

/* One changes with the loop and the other does not: in no iteration are they the same. */
static bool never_meet(const struct elements *all, const struct ir_expr *varies,
                       const struct ir_expr *stays)
{
    const struct code *loop = all->loop;
    bool apart = false;
    for (; !apart && varies->kind == IR_INDEX && stays->kind == IR_INDEX;
         varies = varies->arg[0], stays = stays->arg[0])
        apart = loop->step > 0 && expr_mentions(varies->arg[1], loop->var) &&
                !expr_mentions(stays->arg[1], loop->var) &&
                (lies_beside(all, varies->arg[1], stays->arg[1], loop->lower, true) ||
                 lies_beside(all, varies->arg[1], stays->arg[1], loop->upper, false));
    return apart;
}

/* No other element of the array may be the same one while one of them is written; across
 * iterations, if it is to live through the loop. */
static bool stands_alone(const struct elements *all, const struct element *element)
{
    for (size_t i = 0; i < all->nr; i++) {
        const struct element *other = &all->item[i];
        if (other == element || other->array != element->array ||
            (!other->written && !element->written))
            continue;
        bool apart = element->varies == other->varies
                         ? elements_differ(all->gen, other->expr, element->expr)
                     : element->varies ? never_meet(all, element->expr, other->expr)
                                       : never_meet(all, other->expr, element->expr);
        if (!other->movable || !apart)
            return false;
    }
    return true;
}

/* An element that varies is worth a scalar when it is used again; one that does not,
 * always. */
static bool is_worth_it(const struct elements *all, const struct element *element)
{
    bool runs = all->runs || all->promised || is_read_beside(all, element);
    bool written = array_is_written(all, element->array);
    if (!element->movable || !element->sure || element->array->type.is_volatile)
        return false;
    if (!element->varies && (!runs || (all->loop->parallel && element->written)))
        return false;
    if (element->varies && (element->mentions < 2 || element->maybe))
        return false;
    return !written || stands_alone(all, element);
}

/* ---- replacing ---- */

/* `place`: it is not read, its address is taken. */
static struct ir_expr *replaced(struct elements *all, struct ir_expr *expr, bool place)
{
    struct ir_arena *arena = all->gen->arena;
    bool address = expr->kind == IR_UNARY && !strcmp(expr->op, "&");
    bool path = place && (expr->kind == IR_INDEX || expr->kind == IR_MEMBER);
    if (!place && is_element(expr))
        for (size_t i = 0; i < all->nr; i++)
            if (all->item[i].scalar && expr_equal(all->item[i].expr, expr))
                return ir_name(arena, all->item[i].scalar);
    if (!expr->arg_nr)
        return expr;
    struct ir_expr *copy = ir_expr_new(arena, expr->kind, expr->arg_nr),
                   **arg = copy->arg;
    *copy = *expr;
    copy->arg = arg;
    for (size_t i = 0; i < expr->arg_nr; i++)
        copy->arg[i] = replaced(all, expr->arg[i], !i && (address || path));
    return copy;
}

static struct code *declaration(struct gen *gen, const struct element *element)
{
    /* what the loop would only write is read too, lest compilers doubt that the loop runs
     */
    struct code *code = code_statement(
        gen, IR_DECL, element->read_first || !element->varies ? element->expr : NULL);
    code->stmt->symbol = element->scalar;
    return code;
}

static struct code *write_back(struct gen *gen, const struct element *element)
{
    return code_statement(
        gen, IR_EXPR,
        ir_assign(gen->arena, "=", element->expr, ir_name(gen->arena, element->scalar)));
}

static void place(struct elements *all, const struct element *element)
{
    struct gen *gen = all->gen;
    struct code *block = element->varies ? all->loop->child[0] : all->loop->parent;
    size_t before = element->varies ? 0 : code_index(all->loop);
    while (element->varies && before < block->child_nr &&
           block->child[before]->kind == CODE_STMT &&
           block->child[before]->stmt->kind == IR_DECL &&
           block->child[before]->statement == SIZE_MAX)
        before++;
    code_insert(block, before, declaration(gen, element));
    if (element->written)
        code_insert(block,
                    element->varies ? block->child_nr
                                    : code_index(all->loop) + ++all->behind,
                    write_back(gen, element));
}

/* Read before a loop that sizes of zero keep from running, it must exist then too. */
static void rest_on(struct elements *all, const struct element *element)
{
    struct gen *gen = all->gen;
    if (!element->varies && !all->runs && !is_read_beside(all, element) &&
        !element_is_declared(gen, all->loop, element->expr))
        gen->needs_promise = true;
}

static void choose(struct elements *all)
{
    size_t nr = 0;
    bool *yes = xcalloc(all->nr + 1, sizeof(bool));
    for (size_t i = 0; i < all->nr; i++)
        yes[i] = is_worth_it(all, &all->item[i]);
    for (size_t i = 0; i < all->nr && nr < SCALARS_MAX; i++) {
        struct element *element = &all->item[i];
        if (!yes[i])
            continue;
        rest_on(all, element);
        struct ir_type type = element->expr->type;
        type.is_const = !element->written;
        element->scalar =
            gen_symbol(all->gen, gen_name(all->gen, element->array->name, true), &type);
        nr++;
    }
    free(yes);
}

static void rewrite(struct elements *all)
{
    struct code *block = all->loop->child[0];
    for (size_t i = 0; i < block->child_nr; i++)
        if (block->child[i]->stmt->expr)
            block->child[i]->stmt->expr =
                replaced(all, block->child[i]->stmt->expr, false);
    for (size_t i = 0; i < all->nr; i++)
        if (all->item[i].scalar)
            place(all, &all->item[i]);
}

/* A function that is called may use the elements themselves. */
static bool calls(const struct gen *gen, const struct code *child)
{
    return child->statement != SIZE_MAX && gen->nest->statement[child->statement].calls;
}

/* Only straight code: expressions and declarations. */
static bool is_straight(const struct gen *gen, const struct code *block)
{
    for (size_t i = 0; i < block->child_nr; i++) {
        const struct code *child = block->child[i];
        if (child->kind != CODE_STMT || calls(gen, child) || child->vector ||
            (child->stmt->kind != IR_EXPR && child->stmt->kind != IR_DECL))
            return false;
    }
    return block->child_nr > 0;
}

static void treat_loop(struct gen *gen, struct code *loop)
{
    struct elements *all = xcalloc(1, sizeof(*all));
    struct code *block = loop->child[0];
    all->gen = gen;
    all->loop = loop;
    for (size_t i = 0; i < block->child_nr; i++)
        if (block->child[i]->stmt->expr)
            collect(all, block->child[i]->stmt->expr);
    if (!all->too_many) {
        all->runs = loop_or_rest_runs(gen, loop);
        all->promised = all->runs || loop_runs_by_promise(gen, loop);
        choose(all);
        rewrite(all);
    }
    free(all);
}

void gen_scalars(struct gen *gen, struct code *code)
{
    bool innermost = code->kind == CODE_FOR && !code_has_loop(code->child[0]);
    if (innermost && is_straight(gen, code->child[0])) {
        treat_loop(gen, code);
        return;
    }
    for (size_t i = 0; i < code->child_nr;
         i++) { /* declarations put before a loop shift it */
        struct code *child = code->child[i];
        gen_scalars(gen, child);
        i = code_index(child);
    }
}
