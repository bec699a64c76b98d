/*
 * Branches on data in innermost loops, which the processor guesses wrong as the data
 * come.
 *
 * Kept elements, `if (c) { out[m] = x; m++; }`: blocks of iterations store x each time
 * into a local array, at a place that c moves on, and copy what was kept behind the
 * block. So nothing is stored to `out` but what the source stores. The stores come later,
 * the last ones by a block: nothing else in the loop may reach `out` or m.
 *
 * What is evaluated each time and was not before must neither fail nor overflow.
 *
 * Chosen elements, `if (c) a[j] = x;` where c looks at a[j] in any case: a[j] = c ? x :
 * a[j], which compilers make vectors of.
 */
#include <string.h>

#include "variants/emit/gen.h"
#include "variants/ir/sum.h"

enum { KEPT_IN_BLOCK = 256, ELEMENT_MAX = 16, STORES_MAX = 8, CHOICES_MAX = 8 };

struct store {
    struct ir_expr *target, *value; /* the target names the count, unchanged */
    struct ir_symbol *buffer;
};

/* What one side of a branch stores, and counts. */
struct side {
    struct store store[STORES_MAX];
    size_t nr;
    struct ir_symbol *count, *local; /* of the loop, of a block; NULL = no side */
};

struct choice {
    struct code *code;       /* the statement, an IR_IF */
    struct side side[2];     /* where the condition holds, and where not */
    struct ir_symbol *taken; /* of two sides: which */
};

struct branching {
    struct gen *gen;
    struct code *loop;
    struct choice choice[CHOICES_MAX]; /* those that keep elements */
    size_t nr;
    const struct ir_expr *cond; /* of the one that is looked at, in `code` */
    struct code *code;
    struct strvec declared; /* arrays that their declarations say are long enough */
    const char *why;
};

/* ---- what may be evaluated each time ---- */

static bool refuse(struct branching *at, const char *why)
{
    at->why = why;
    return false;
}

static bool is_safe(struct branching *at, struct ir_expr *expr);

static bool are_safe(struct branching *at, struct ir_expr *expr)
{
    for (size_t i = 0; i < expr->arg_nr; i++)
        if (!is_safe(at, expr->arg[i]))
            return false;
    return true;
}

static bool is_safe_operation(struct branching *at, struct ir_expr *expr)
{
    const struct ir_type *a = &expr->arg[0]->type, *b = &expr->arg[1]->type;
    char op = expr->op[0];
    bool wraps = expr->type.scalar == IR_FLOAT || expr->type.is_unsigned;
    bool small =
        a->scalar == IR_INT && b->scalar == IR_INT && a->bytes < 4 && b->bytes < 4;
    if (a->pointers || b->pointers)
        return false;
    if (expr_is_truth(expr) || (strchr("&|^", op) && !expr->op[1]))
        return are_safe(at, expr);
    if ((op == '+' || op == '-') && (wraps || small))
        return are_safe(at, expr);
    return op == '*' && wraps && are_safe(at, expr);
}

/* It cannot fail, nor leave what C defines, where the branch is not taken. */
static bool is_safe(struct branching *at, struct ir_expr *expr)
{
    if (expr_evaluates(at->cond, expr))
        return true;
    switch (expr->kind) {
    case IR_LITERAL:
        return true;
    case IR_NAME:
        return !expr->type.pointers;
    case IR_CAST:
        return !expr->type.pointers && !expr->arg[0]->type.pointers &&
               (expr->type.scalar == IR_FLOAT || expr->arg[0]->type.scalar != IR_FLOAT) &&
               are_safe(at, expr);
    case IR_BINARY:
        return is_safe_operation(at, expr);
    case IR_COND:
        return are_safe(at, expr);
    case IR_INDEX:
        if (expr->type.pointers || !element_is_declared(at->gen, at->code, expr))
            return false;
        while (expr->kind == IR_INDEX)
            expr = expr->arg[0];
        strvec_push_once(&at->declared, expr->symbol->name);
        return true;
    default:
        return false;
    }
}

/* ---- what a side of a branch keeps ---- */

static bool is_step_of(const struct ir_expr *expr, const struct ir_symbol **count)
{
    bool steps = (expr->kind == IR_UNARY && strstr(expr->op, "++")) ||
                 (expr->kind == IR_ASSIGN && !strcmp(expr->op, "+=") &&
                  expr->arg[1]->has_value && expr->arg[1]->value == 1);
    if (!steps || expr->arg[0]->kind != IR_NAME)
        return false;
    *count = expr->arg[0]->symbol;
    return true;
}

/* out[m++] as out[m]. */
static struct ir_expr *without_step(struct gen *gen, struct ir_expr *target,
                                    const struct ir_symbol **count)
{
    struct ir_expr *copy = ir_copy(gen->arena, target);
    if (copy->kind == IR_INDEX &&
        !strncmp(copy->arg[1]->op ? copy->arg[1]->op : "", "post", 4) &&
        is_step_of(copy->arg[1], count))
        copy->arg[1] = copy->arg[1]->arg[0];
    return copy;
}

static bool add_statement(struct branching *at, struct side *side,
                          const struct ir_stmt *stmt)
{
    const struct ir_symbol *count = NULL;
    if (stmt->kind == IR_EMPTY)
        return true;
    if (stmt->kind == IR_BLOCK) {
        for (size_t i = 0; i < stmt->child_nr; i++)
            if (!add_statement(at, side, stmt->child[i]))
                return false;
        return true;
    }
    if (stmt->kind != IR_EXPR || side->count) /* nothing stands behind the step */
        return false;
    if (is_step_of(stmt->expr, &count)) {
        side->count = (struct ir_symbol *)count;
        return true;
    }
    if (stmt->expr->kind != IR_ASSIGN || strcmp(stmt->expr->op, "=") ||
        side->nr == STORES_MAX)
        return false;
    struct store *store = &side->store[side->nr++];
    store->target = without_step(at->gen, stmt->expr->arg[0], &count);
    store->value = stmt->expr->arg[1];
    side->count = (struct ir_symbol *)count;
    return store->target->kind == IR_INDEX || store->target->kind == IR_MEMBER;
}

struct varying {
    const struct branching *at;
    const struct ir_symbol *count;
    size_t elements;
    bool found, counted;
};

/* Where it is stored moves with the count alone, and nothing is loaded for it. */
static void look_varying(struct ir_expr *expr, void *data)
{
    struct varying *varying = data;
    const struct ir_symbol *symbol = expr->kind == IR_NAME ? expr->symbol : NULL;
    bool pointed =
        expr->is_arrow || expr->kind == IR_UNARY || (symbol && symbol_has_rows(symbol));
    varying->elements += expr->kind == IR_INDEX && !expr->type.pointers;
    varying->counted = varying->counted || symbol == varying->count;
    varying->found =
        varying->found || pointed || varying->elements > 1 ||
        (symbol && symbol != varying->count &&
         (symbol == varying->at->loop->var || code_sets(varying->at->loop, symbol)));
}

static bool is_kept(struct branching *at, const struct side *side)
{
    const struct ir_symbol *count = side->count;
    if (!count || !side->nr)
        return false;
    bool plain = (count->role == IR_LOCAL || count->role == IR_PARAM) &&
                 count->type.scalar == IR_INT && count->type.bytes >= 4 &&
                 !count->type.pointers && !count->address_taken && !count->is_static &&
                 !count->is_reference && !code_declares(at->loop, count);
    for (size_t i = 0; plain && i < side->nr; i++) {
        struct varying varying = {.at = at, .count = count};
        ir_visit(side->store[i].target, look_varying, &varying);
        if (varying.found || !varying.counted || expr_has_effect(side->store[i].target) ||
            expr_mentions(side->store[i].value, count))
            return false;
        const struct ir_type *kept = &side->store[i].target->type,
                             *value = &side->store[i].value->type;
        if (kept->pointers || kept->full)
            return refuse(at, "what it keeps are pointers");
        if (kept->bytes > ELEMENT_MAX)
            return refuse(at, "its elements are too large to be kept twice");
        if ((value->scalar == IR_FLOAT && kept->scalar != IR_FLOAT) ||
            !is_safe(at, side->store[i].value))
            return refuse(at, "what it keeps cannot be evaluated each time");
    }
    return plain ||
           refuse(at, "what it counts with is no plain variable of the function");
}

/* ---- nothing else reaches what is stored late ---- */

static bool is_in_loop(const struct code *code, size_t statement)
{
    bool found = code->kind == CODE_STMT && code->statement == statement;
    for (size_t i = 0; !found && i < code->child_nr; i++)
        found = is_in_loop(code->child[i], statement);
    return found;
}

/* By the model, which sees through second names. */
static bool is_alone(struct branching *at, size_t stores)
{
    const struct nest *nest = at->gen->nest;
    size_t written = 0;
    for (size_t i = 0; i < nest->access_nr; i++) {
        const struct access *store = &nest->access[i];
        if (!store->write || store->statement != at->code->statement ||
            !nest->cell[store->cell].dims)
            continue;
        written++;
        for (size_t k = 0; k < nest->access_nr; k++)
            if (k != i && is_in_loop(at->loop, nest->access[k].statement) &&
                nest->cell[nest->access[k].cell].symbol == nest->cell[store->cell].symbol)
                return false;
    }
    return written == stores;
}

static bool is_counted_here(struct branching *at, const struct ir_symbol *count)
{
    const struct code *block = at->loop->child[0];
    bool elsewhere = expr_mentions(at->loop->lower, count) ||
                     expr_mentions(at->loop->upper, count) ||
                     expr_mentions(at->cond, count);
    for (size_t i = 0; i < block->child_nr; i++)
        elsewhere = elsewhere || (block->child[i] != at->code &&
                                  code_mentions(block->child[i], count));
    return !elsewhere;
}

static bool mentions_other(const struct side *side, const struct side *other)
{
    for (size_t i = 0; i < side->nr; i++)
        if (expr_mentions(side->store[i].value, other->count) ||
            expr_mentions(side->store[i].target, other->count))
            return true;
    return false;
}

/* False: it is of another kind; or at->why says what forbids it. */
static bool keeps(struct branching *at, struct choice *choice)
{
    const struct ir_stmt *stmt = at->code->stmt;
    struct side *side = choice->side;
    bool two = stmt->child_nr > 1 && stmt->child[1];
    choice->code = at->code;
    for (size_t i = 0; i < 1 + (size_t)two; i++)
        if (!add_statement(at, &side[i], stmt->child[i]) || !is_kept(at, &side[i]))
            return false;
    if (two && (side[0].count == side[1].count || mentions_other(&side[0], &side[1]) ||
                mentions_other(&side[1], &side[0])))
        return false;
    for (size_t i = 0; i < 1 + (size_t)two; i++)
        if (!is_counted_here(at, side[i].count))
            return refuse(at, "what it counts is used elsewhere in the loop");
    if (!is_alone(at, side[0].nr + side[1].nr))
        return refuse(at, "what it stores to is used elsewhere in the loop");
    if (at->loop->parallel || at->loop->simd || at->loop->kept || at->loop->step < 0)
        return refuse(at, "its loop has a pragma or runs downward");
    return true;
}

/* ---- blocks ---- */

static struct ir_symbol *own_symbol(struct branching *at, const char *stem,
                                    const struct ir_type *like)
{
    struct ir_type type = *like;
    type.is_const = type.is_restrict = false;
    type.full = NULL;
    return gen_symbol(at->gen, gen_name(at->gen, stem, true), &type);
}

static struct code *declaration(struct branching *at, struct ir_symbol *symbol,
                                struct ir_expr *value)
{
    struct code *code = code_statement(at->gen, IR_DECL, value);
    code->stmt->symbol = symbol;
    return code;
}

static const char *stem_of(const struct ir_expr *target)
{
    const struct ir_symbol *root = expr_root(target);
    return root ? root->name : "kept";
}

static void declare_side(struct branching *at, struct code *block, struct side *side)
{
    struct gen *gen = at->gen;
    for (size_t i = 0; i < side->nr; i++) {
        struct store *store = &side->store[i];
        store->buffer = gen_array(gen, gen_name(gen, stem_of(store->target), true),
                                  &store->target->type, KEPT_IN_BLOCK);
        code_add(block, declaration(at, store->buffer, NULL));
    }
    if (!side->count)
        return;
    side->local = own_symbol(at, side->count->name, &ir_int);
    gen_set_range(gen, side->local, (struct range){0, KEPT_IN_BLOCK});
    code_add(block, declaration(at, side->local, ir_integer(gen->arena, 0)));
}

static struct ir_expr *element(struct branching *at, const struct store *store,
                               struct ir_symbol *place)
{
    struct ir_expr *expr = ir_expr_new(at->gen->arena, IR_INDEX, 2);
    expr->type = store->target->type;
    expr->arg[0] = ir_name(at->gen->arena, store->buffer);
    expr->arg[1] = ir_name(at->gen->arena, place);
    return expr;
}

/* 1 where it holds, else 0. */
static struct ir_expr *truth(struct branching *at, struct ir_expr *cond, bool holds)
{
    struct ir_arena *arena = at->gen->arena;
    if (holds && cond->kind == IR_BINARY && expr_is_truth(cond))
        return cond;
    return gen_plain(at->gen, holds ? "!=" : "==", cond, ir_integer(arena, 0));
}

/* In place of the branch: each time, to where the next one is kept. */
static void put_stores(struct branching *at, struct choice *choice)
{
    struct ir_arena *arena = at->gen->arena;
    struct code *block = choice->code->parent, *old = choice->code;
    struct ir_expr *cond = old->stmt->cond;
    size_t place = code_index(old);
    bool two = choice->side[1].count != NULL;
    if (two) {
        struct ir_symbol *taken = own_symbol(at, "taken", &ir_int);
        code_insert(block, place++, declaration(at, taken, truth(at, cond, true)));
        cond = ir_name(arena, taken);
    }
    for (size_t s = 0; s < 1 + (size_t)two; s++) {
        const struct side *side = &choice->side[s];
        for (size_t i = 0; i < side->nr; i++)
            code_insert(
                block, place++,
                code_statement(at->gen, IR_EXPR,
                               ir_assign(arena, "=",
                                         element(at, &side->store[i], side->local),
                                         side->store[i].value)));
        struct ir_expr *step = two && !s ? cond : truth(at, cond, !s);
        code_insert(
            block, place++,
            code_statement(at->gen, IR_EXPR,
                           ir_assign(arena, "+=", ir_name(arena, side->local), step)));
    }
    memmove(&block->child[place], &block->child[place + 1],
            (--block->child_nr - place) * sizeof(block->child[0]));
    code_free(old);
}

static struct code *loop_like(const struct code *loop, struct ir_symbol *var)
{
    struct code *code = code_new(CODE_FOR);
    code->band = loop->band;
    code->declares = true;
    code->no_fetch = true;
    code->var = var;
    code_add(code, code_new(CODE_BLOCK));
    return code;
}

/* Behind a block: for (k = 0; k < m_0; k++) out[m + k] = out_0[k]; m += m_0; */
static void put_copies(struct branching *at, struct code *block, const struct side *side)
{
    struct ir_arena *arena = at->gen->arena;
    struct ir_symbol *var = gen_symbol(at->gen, gen_name(at->gen, "k", false), &ir_int);
    struct ir_symbol *count = side->count;
    struct code *loop = loop_like(at->loop, var);
    loop->lower = ir_integer(arena, 0);
    loop->upper = ir_name(arena, side->local);
    struct ir_expr *place =
        gen_plain(at->gen, "+", ir_name(arena, count), ir_name(arena, var));
    for (size_t i = 0; i < side->nr; i++) {
        const struct store *store = &side->store[i];
        struct ir_expr *target = ir_substitute(arena, store->target, &count, &place, 1);
        code_add(loop->child[0],
                 code_statement(at->gen, IR_EXPR,
                                ir_assign(arena, "=", target, element(at, store, var))));
    }
    code_add(block, loop);
    code_add(block, code_statement(at->gen, IR_EXPR,
                                   ir_assign(arena, "+=", ir_name(arena, count),
                                             ir_name(arena, side->local))));
}

static void put_blocks(struct branching *at)
{
    struct gen *gen = at->gen;
    struct code *loop = at->loop, *parent = loop->parent;
    long long length = KEPT_IN_BLOCK * loop->step;
    /* long: behind the last block it is by up to a block beyond the last iteration */
    struct code *outer = loop_like(loop, own_symbol(at, loop->var->name, &ir_long));
    struct code *block = outer->child[0];
    outer->lower = loop->lower;
    outer->upper = loop->upper;
    outer->step = length;
    gen_set_range(gen, outer->var, gen_loop_range(gen, outer));
    parent->child[code_index(loop)] = outer;
    outer->parent = parent;
    for (size_t i = 0; i < at->nr; i++) {
        declare_side(at, block, &at->choice[i].side[0]);
        declare_side(at, block, &at->choice[i].side[1]);
    }
    loop->lower = ir_name(gen->arena, outer->var);
    loop->upper = gen_call(gen, "min", expr_plus(gen->arena, loop->lower, length),
                           ir_copy(gen->arena, outer->upper));
    gen->need_min = true;
    code_add(block, loop);
    for (size_t i = 0; i < at->nr; i++)
        put_stores(at, &at->choice[i]);
    for (size_t i = 0; i < at->nr; i++)
        for (size_t s = 0; s < 2; s++)
            if (at->choice[i].side[s].count)
                put_copies(at, block, &at->choice[i].side[s]);
}

/* ---- elements that are chosen ---- */

static bool chooses(struct branching *at, const struct ir_stmt *stmt)
{
    if (stmt->kind == IR_BLOCK) {
        for (size_t i = 0; i < stmt->child_nr; i++)
            if (!chooses(at, stmt->child[i]))
                return false;
        return stmt->child_nr > 0;
    }
    const struct ir_expr *expr = stmt->kind == IR_EXPR ? stmt->expr : NULL;
    if (!expr || expr->kind != IR_ASSIGN || strcmp(expr->op, "=") ||
        expr->arg[0]->kind != IR_INDEX || expr->arg[0]->type.pointers ||
        expr->arg[0]->type.scalar == IR_RECORD)
        return false;
    if (!expr_evaluates(at->cond, expr->arg[0]))
        return refuse(at, "its condition does not look at the element that it sets");
    return true;
}

static void choose(struct branching *at, struct ir_stmt *stmt, struct ir_expr *cond)
{
    for (size_t i = 0; stmt->kind == IR_BLOCK && i < stmt->child_nr; i++)
        choose(at, stmt->child[i], cond);
    if (stmt->kind != IR_EXPR)
        return;
    struct ir_expr *value = ir_expr_new(at->gen->arena, IR_COND, 3);
    const struct ir_type *type = &stmt->expr->arg[0]->type;
    struct ir_expr *chosen = stmt->expr->arg[1];
    bool same = type->scalar == chosen->type.scalar && type->bytes == chosen->type.bytes;
    value->type = *type;
    value->arg[0] = cond;
    value->arg[1] = same ? chosen : gen_cast(at->gen, type, chosen);
    value->arg[2] = ir_copy(at->gen->arena, stmt->expr->arg[0]);
    stmt->expr = ir_assign(at->gen->arena, "=", stmt->expr->arg[0], value);
}

static void put_choice(struct branching *at)
{
    struct code *code = at->code, *block = code->parent;
    struct ir_stmt *then =
        stmt_substitute(at->gen->arena, code->stmt->child[0], NULL, NULL, 0);
    struct ir_expr *cond = code->stmt->cond;
    if (then->kind == IR_BLOCK && then->child_nr > 1) { /* the first may change it */
        struct ir_symbol *taken = own_symbol(at, "taken", &ir_int);
        code_insert(block, code_index(code),
                    declaration(at, taken, truth(at, cond, true)));
        cond = ir_name(at->gen->arena, taken);
    }
    choose(at, then, cond);
    code->stmt = then->kind == IR_BLOCK && then->child_nr == 1 ? then->child[0] : then;
    strvec_push_once(&at->gen->work->told,
                     "elements that a condition leaves as they are are stored again: "
                     "they can be written, and no other thread sets them meanwhile");
}

/* ---- loops ---- */

static bool leaves(const struct ir_stmt *stmt, const void *unused)
{
    (void)unused;
    return stmt->kind == IR_JUMP || stmt->kind == IR_RETURN || stmt->kind == IR_OPAQUE;
}

static bool is_plain(const struct gen *gen, const struct code *block)
{
    for (size_t i = 0; i < block->child_nr; i++) {
        const struct code *child = block->child[i];
        if (child->kind != CODE_STMT || child->vector ||
            stmt_find(child->stmt, leaves, NULL) ||
            (child->statement < gen->nest->statement_nr &&
             gen->nest->statement[child->statement].ends))
            return false;
    }
    return true;
}

static void look_at(struct branching *at)
{
    const struct ir_stmt *stmt = at->code->stmt;
    bool two = stmt->child_nr > 1 && stmt->child[1];
    struct choice choice = {.code = NULL};
    at->cond = stmt->cond;
    at->why = NULL;
    strvec_release(&at->declared);
    if (expr_has_effect(stmt->cond)) {
        at->why = "its condition calls or assigns";
        return;
    }
    bool kept = at->nr < CHOICES_MAX && keeps(at, &choice);
    bool chosen = !kept && !two && !at->why && chooses(at, stmt->child[0]);
    if (kept)
        at->choice[at->nr++] = choice;
    if (chosen)
        put_choice(at);
    if (!kept && !chosen) {
        at->why = at->why ? at->why : "it neither keeps elements nor replaces them";
        return;
    }
    at->gen->work->branching.done++;
    at->why = NULL;
    for (size_t i = 0; i < at->declared.nr; i++)
        strvec_pushf(&at->gen->work->told,
                     "'%s' has the elements that it is declared with: they are read also "
                     "where a condition does not hold",
                     at->declared.v[i]);
}

static void treat_loop(struct gen *gen, struct code *loop)
{
    struct branching at = {.gen = gen, .loop = loop};
    struct code *block = loop->child[0];
    for (size_t i = 0; is_plain(gen, block) && i < block->child_nr; i++) {
        at.code = block->child[i];
        if (at.code->stmt->kind != IR_IF)
            continue;
        int line = at.code->stmt->line;
        look_at(&at);
        i = code_index(at.code);
        if (at.why) {
            gen->work->branching.why_not = at.why;
            gen->work->branching.line = line;
        }
    }
    if (at.nr)
        put_blocks(&at);
    strvec_release(&at.declared);
}

void gen_branches(struct gen *gen, struct code *code, bool within)
{
    bool loop = code->kind == CODE_FOR;
    within =
        within || (loop && strvec_has(&gen->work->branching.loops, code->band->name));
    if (loop && within && !code_has_loop(code->child[0])) {
        treat_loop(gen, code);
        return;
    }
    for (size_t i = 0; i < code->child_nr; i++)
        gen_branches(gen, code->child[i], within);
}
