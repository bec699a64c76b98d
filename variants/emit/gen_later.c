/*
 * Prefetches of all that a later iteration of an outer loop touches: prefetch(a:2,at:b).
 * The inner loops of the source are gone through ahead, as far as the access depends on
 * them, a line at a time where they walk along one; nothing is loaded that the later
 * iteration does not load itself. See gen_lookahead.c.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/emit/gen_fetch.h"
#include "variants/ir/sum.h"
#include "variants/model/tree.h"

struct later {
    struct code *place; /* the loop */
    struct ir_expr *iteration;
    struct ir_symbol *var;
    struct lookahead lookahead; /* of that iteration */
    bool write;
    int level;
    long long line; /* so many iterations of the innermost loop take a line; 0 = not */
};

struct laters {
    struct gen *gen;
    struct later *item;
    size_t nr, alloc;
    struct lookahead_names names;
};

struct ir_symbol *lookahead_name(struct gen *gen, struct lookahead_names *names,
                                 const struct ir_stmt *loop)
{
    for (size_t i = 0; i < names->nr; i++)
        if (names->stmt[i] == loop)
            return names->var[i];
    if (names->nr == ARRAY_SIZE(names->stmt))
        return NULL;
    struct ir_type type = loop->iterator->type;
    type.is_const = false;
    const char *stem = ir_textf(gen->arena, "%s_ahead", loop->iterator->name);
    names->stmt[names->nr] = loop;
    return names->var[names->nr++] = gen_symbol(gen, gen_name(gen, stem, false), &type);
}

/* ---- where, and for which iteration ---- */

static bool mentions_any(struct ir_expr *const *expr, size_t nr,
                         const struct ir_symbol *symbol)
{
    bool found = false;
    for (size_t i = 0; symbol && !found && i < nr; i++)
        found = expr_mentions(expr[i], symbol);
    return found;
}

static bool sets_below(const struct code *code, struct ir_expr *const *expr, size_t nr)
{
    bool found = false;
    for (size_t i = 0; !found && i < code->child_nr; i++)
        found = mentions_any(expr, nr, code->child[i]->var) ||
                sets_below(code->child[i], expr, nr);
    return found;
}

static bool asks_for_vectors(const char *pragma)
{
    return pragma && (text_has_word(pragma, "simd") || strstr(pragma, "vectorize"));
}

/* By the plan, or by the user's own pragma. */
static bool works_on_vectors(const struct code *loop)
{
    return loop->simd || loop->line || asks_for_vectors(loop->kept) ||
           asks_for_vectors(loop->band->pragma);
}

/* The loop of the new code whose iterations are those of the source's loop at pos, as
 * far as the statement runs in each of them. */
static struct code *place_of(const struct gen *gen, const struct code *stmt, size_t pos,
                             const char **why)
{
    struct code *at = stmt->parent;
    *why = "the plan's other steps took that loop apart";
    for (;
         at && !(at->kind == CODE_FOR && mentions_any(stmt->iterator, pos + 1, at->var));
         at = at->parent)
        if (at->kind == CODE_IF && at->cond) {
            *why = "in the new code it is under a condition";
            return NULL;
        }
    if (!at || !at->band ||
        (at->band->role != BAND_LOOP && at->band->role != BAND_BLOCK) ||
        at->band->skewed || band_is_turned(at->band) || at->no_fetch ||
        sets_below(at, stmt->iterator, pos + 1))
        return NULL;
    if (gen->work->box_nr)
        *why = "other arrays are packed, or blocks padded";
    else if (works_on_vectors(at))
        *why = "that loop works on vectors";
    else
        return at;
    return NULL;
}

static size_t loop_position(const struct statement *statement, const char *name)
{
    size_t pos = statement->depth;
    while (pos > 0 && strcmp(statement->loop[pos - 1]->stmt->iterator->name, name))
        pos--;
    return pos - 1; /* SIZE_MAX = not around it */
}

static void substitute_all(struct gen *gen, struct lookahead *lookahead,
                           struct ir_symbol *const *symbol, struct ir_expr *const *by,
                           size_t nr)
{
    struct ir_expr **part[3 * DEPTH_MAX + 2] = {&lookahead->element, &lookahead->cond};
    size_t parts = 2;
    for (size_t i = 0; i < lookahead->loop_nr; i++) {
        part[parts++] = &lookahead->loop[i].lower;
        part[parts++] = &lookahead->loop[i].upper;
        part[parts++] = &lookahead->loop[i].cond;
    }
    for (size_t i = 0; i < parts; i++)
        if (*part[i])
            *part[i] = ir_substitute(gen->arena, *part[i], symbol, by, nr);
}

/* ---- the loops ahead ---- */

static struct ir_expr *both(struct gen *gen, struct ir_expr *a, struct ir_expr *b)
{
    if (!a || !b)
        return a ? a : b;
    return ir_binary(gen->arena, "&&", a, b);
}

/* The loop has an iteration; NULL = for certain. */
static struct ir_expr *runs_once(struct gen *gen, const struct lookahead_loop *loop)
{
    bool up = loop->stmt->step > 0,
         numbers = loop->lower->has_value && loop->upper->has_value;
    if (numbers && (up ? loop->lower->value < loop->upper->value
                       : loop->lower->value > loop->upper->value))
        return NULL;
    return ir_binary(gen->arena, loop->stmt->cmp, loop->lower, loop->upper);
}

static bool is_used(const struct lookahead *lookahead, size_t index)
{
    const struct ir_symbol *var = lookahead->loop[index].var;
    bool used = expr_mentions(lookahead->element, var) ||
                (lookahead->cond && expr_mentions(lookahead->cond, var));
    for (size_t i = index + 1; !used && i < lookahead->loop_nr; i++)
        used = expr_mentions(lookahead->loop[i].lower, var) ||
               expr_mentions(lookahead->loop[i].upper, var) ||
               (lookahead->loop[i].cond && expr_mentions(lookahead->loop[i].cond, var));
    return used;
}

/* Loops that come by the same elements each time: once is enough. */
static void drop_unused(struct gen *gen, struct lookahead *lookahead)
{
    for (size_t i = lookahead->loop_nr; i-- > 0;) {
        if (is_used(lookahead, i))
            continue;
        struct lookahead_loop *loop = &lookahead->loop[i];
        struct ir_expr *cond = both(gen, loop->cond, runs_once(gen, loop));
        bool last = i + 1 == lookahead->loop_nr;
        struct ir_expr **next = last ? &lookahead->cond : &loop[1].cond;
        *next = both(gen, cond, *next);
        lookahead->loop_nr--;
        memmove(loop, loop + 1, (lookahead->loop_nr - i) * sizeof(*loop));
    }
}

static bool moves_with(const struct lookahead *lookahead,
                       const struct ir_symbol *iterator)
{
    bool moves = expr_mentions(lookahead->element, iterator);
    for (size_t i = 0; !moves && i < lookahead->loop_nr; i++)
        moves = expr_mentions(lookahead->loop[i].lower, iterator) ||
                expr_mentions(lookahead->loop[i].upper, iterator);
    return moves;
}

/* Iterators narrower than int might wrap around in steps of a line. */
static long long line_of(struct gen *gen, const struct lookahead *lookahead)
{
    const struct lookahead_loop *loop =
        lookahead->loop_nr ? &lookahead->loop[lookahead->loop_nr - 1] : NULL;
    long long iterations;
    if (!loop || lookahead->cond || loop->var->type.bytes < sizeof(int) ||
        !fetch_is_stream(gen, lookahead->element, loop->var, loop->stmt->step,
                         &iterations))
        return 0;
    return iterations;
}

static bool same_or_none(const struct ir_expr *a, const struct ir_expr *b)
{
    return a && b ? expr_equal(a, b) : !a && !b;
}

/* But for the condition that they stand under. */
static bool same_loops(const struct later *a, const struct later *b)
{
    bool same = a->place == b->place && a->var == b->var && !a->line == !b->line &&
                a->lookahead.loop_nr == b->lookahead.loop_nr;
    for (size_t i = 0; same && i < a->lookahead.loop_nr; i++) {
        const struct lookahead_loop *one = &a->lookahead.loop[i],
                                    *other = &b->lookahead.loop[i];
        same = one->var == other->var && expr_equal(one->lower, other->lower) &&
               expr_equal(one->upper, other->upper) &&
               same_or_none(one->cond, other->cond);
    }
    return same;
}

static bool same_way(const struct later *a, const struct later *b)
{
    return same_or_none(a->lookahead.cond, b->lookahead.cond) && same_loops(a, b);
}

static void add_later(struct laters *all, const struct later *new)
{
    for (size_t i = 0; i < all->nr; i++) {
        struct later *old = &all->item[i];
        if (!lookahead_implies(new->lookahead.cond, old->lookahead.cond) ||
            !same_loops(old, new) ||
            (!expr_equal(old->lookahead.element, new->lookahead.element) &&
             !ahead_is_near(all->gen, old->lookahead.element, new->lookahead.element)))
            continue;
        old->write = old->write || new->write;
        return;
    }
    GROW(all->item, all->nr + 1, all->alloc);
    all->item[all->nr++] = *new;
}

static struct ir_symbol *iteration_name(struct laters *all, const struct later *new,
                                        const struct ir_symbol *iterator)
{
    for (size_t i = 0; i < all->nr; i++)
        if (all->item[i].place == new->place &&
            expr_equal(all->item[i].iteration, new->iteration))
            return all->item[i].var;
    return fetch_later(all->gen, iterator);
}

static void set_iteration(struct laters *all, const struct code *code, size_t pos,
                          long long distance, struct later *new)
{
    struct gen *gen = all->gen;
    const struct statement *statement = &gen->nest->statement[code->statement];
    const struct ir_stmt *loop = statement->loop[pos]->stmt;
    struct ir_symbol *symbol[DEPTH_MAX];
    struct ir_expr *by[DEPTH_MAX];
    for (size_t i = 0; i <= pos; i++) {
        symbol[i] = statement->loop[i]->stmt->iterator;
        by[i] = code->iterator[i];
    }
    struct ir_expr *last =
        ir_substitute(gen->arena, loop_last(gen, loop), symbol, by, pos);
    new->iteration = fetch_clamped(gen, loop->step, by[pos],
                                   expr_simplify(gen->arena, last), distance);
    new->var = iteration_name(all, new, loop->iterator);
    by[pos] = ir_name(gen->arena, new->var);
    substitute_all(gen, &new->lookahead, symbol, by, pos + 1);
}

static const char *find_later(struct laters *all, const struct code *code,
                              const struct access *access,
                              const struct prefetch *prefetch)
{
    struct gen *gen = all->gen;
    const struct statement *statement = &gen->nest->statement[code->statement];
    size_t pos = loop_position(statement, prefetch->at);
    struct later new = {.write = access->write, .level = prefetch->level};
    const char *why = "that loop is not around it";
    if (pos == SIZE_MAX || !(new.place = place_of(gen, code, pos, &why)))
        return why;
    if (lookahead_wraps(statement->loop[pos]->stmt))
        return "that loop counts down without a sign";
    if (fetch_is_packed(gen->work, prefetch))
        return "it is packed, and what is copied is fetched as prefetch without at: says";
    if (!fetch_all_later(gen, statement, pos, access->expr, &all->names, &new.lookahead))
        return ir_text(gen->model->arena, new.lookahead.why);
    if (!moves_with(&new.lookahead, statement->loop[pos]->stmt->iterator))
        return "each iteration of that loop touches the same elements";
    set_iteration(all, code, pos, prefetch->distance, &new);
    drop_unused(gen, &new.lookahead);
    new.line = line_of(gen, &new.lookahead);
    add_later(all, &new);
    return NULL;
}

static void find_laters(struct laters *all, const struct code *code)
{
    struct gen *gen = all->gen;
    bool own = code->kind == CODE_STMT && code->statement < gen->nest->statement_nr;
    const struct statement *statement =
        own ? &gen->nest->statement[code->statement] : NULL;
    for (size_t i = own ? statement->access_begin : 0; own && i < statement->access_end;
         i++)
        for (size_t k = 0; k < gen->work->prefetch_nr; k++) {
            struct prefetch *prefetch = &gen->work->prefetch[k];
            const struct access *access = &gen->nest->access[i];
            if (!prefetch->at || access->in_call || !fetch_names(prefetch, access->expr))
                continue;
            const char *why = find_later(all, code, access, prefetch);
            prefetch->places += !why;
            prefetch->why_not = why && !prefetch->why_not ? why : prefetch->why_not;
        }
    for (size_t i = 0; i < code->child_nr; i++)
        find_laters(all, code->child[i]);
}

/* ---- their text ---- */

static struct ir_stmt *under(struct gen *gen, struct ir_expr *cond, struct ir_stmt *stmt)
{
    if (!cond)
        return stmt;
    struct ir_stmt *branch = ir_stmt_new(gen->arena, IR_IF, 2);
    branch->cond = cond;
    branch->child[0] = stmt;
    return branch;
}

/* The prefetches of all that go the same way as the first, with its innermost loop at
 * `by`; NULL = the loop's variable. */
static struct ir_stmt *fetch_all(struct laters *all, size_t first, struct ir_expr *by)
{
    struct gen *gen = all->gen;
    const struct later *like = &all->item[first];
    struct ir_stmt *block = ir_stmt_new(gen->arena, IR_BLOCK, all->nr - first);
    block->child_nr = 0;
    for (size_t i = first; i < all->nr; i++) {
        const struct later *item = &all->item[i];
        if (!same_way(like, item))
            continue;
        struct ir_expr *element = item->lookahead.element;
        if (by)
            element = ir_substitute(
                gen->arena, element,
                &like->lookahead.loop[like->lookahead.loop_nr - 1].var, &by, 1);
        if (by && element->kind == IR_INDEX)
            element->arg[1] = expr_simplify(gen->arena, element->arg[1]);
        block->child[block->child_nr++] =
            fetch_stmt(gen, element, NULL, item->write, item->level);
    }
    return block->child_nr == 1 ? block->child[0] : block;
}

static struct ir_stmt *loop_of(struct gen *gen, const struct lookahead_loop *loop,
                               long long times, struct ir_stmt *body)
{
    struct ir_stmt *stmt = ir_stmt_new(gen->arena, IR_FOR, 1);
    bool differs = *loop->stmt->cmp == '!';
    stmt->canonical = stmt->declares_iterator = true;
    stmt->iterator = loop->var;
    stmt->lower = loop->lower;
    stmt->upper = loop->upper;
    stmt->step = loop->stmt->step * times;
    stmt->cmp = !differs ? loop->stmt->cmp : stmt->step > 0 ? "<" : ">";
    stmt->child[0] = body;
    return stmt;
}

/* Elements at the begin of the lines, if the first one is; and the last one. */
static struct ir_stmt *walk_lines(struct laters *all, size_t first, long long line)
{
    struct gen *gen = all->gen;
    const struct later *item = &all->item[first];
    const struct lookahead_loop *loop =
        &item->lookahead.loop[item->lookahead.loop_nr - 1];
    struct ir_stmt *block = ir_stmt_new(gen->arena, IR_BLOCK, 2);
    struct ir_stmt *as_written = loop_of(gen, loop, 1, NULL);
    struct ir_expr *last = expr_simplify(gen->arena, loop_last(gen, as_written));
    bool few =
        loop->lower->has_value && loop->upper->has_value &&
        llabs(loop->upper->value - loop->lower->value) <= line * llabs(loop->stmt->step);
    if (few)
        block->child[0] =
            under(gen, runs_once(gen, loop), fetch_all(all, first, loop->lower));
    else
        block->child[0] = loop_of(gen, loop, line, fetch_all(all, first, NULL));
    block->child[1] = under(gen, runs_once(gen, loop), fetch_all(all, first, last));
    return block;
}

static struct ir_stmt *later_stmt(struct laters *all, size_t first)
{
    struct gen *gen = all->gen;
    const struct later *item = &all->item[first];
    const struct lookahead *lookahead = &item->lookahead;
    long long line = item->line;
    for (size_t i = first; i < all->nr; i++)
        if (same_way(item, &all->item[i]) && all->item[i].line < line)
            line = all->item[i].line;
    struct ir_stmt *stmt =
        line ? walk_lines(all, first, line) : fetch_all(all, first, NULL);
    stmt = under(gen, lookahead->cond, stmt);
    for (size_t i = lookahead->loop_nr; i-- > 0;) {
        if (!line || i + 1 < lookahead->loop_nr)
            stmt = loop_of(gen, &lookahead->loop[i], 1, stmt);
        stmt = under(gen, lookahead->loop[i].cond, stmt);
    }
    return stmt;
}

static void put_line(struct code *block, size_t at, struct ir_stmt *stmt)
{
    struct code *code = code_new(CODE_STMT);
    code->statement = SIZE_MAX;
    code->stmt = stmt;
    code_insert(block, at, code);
}

static void put_later(struct laters *all, size_t index)
{
    const struct later *item = &all->item[index];
    struct code *block = item->place->child[0];
    for (size_t i = 0; i < index; i++)
        if (same_way(&all->item[i], item))
            return;
    size_t at = 0;
    while (at < block->child_nr && block->child[at]->var != item->var)
        at++;
    if (at == block->child_nr) {
        struct code *line = code_new(CODE_LET);
        line->var = item->var;
        line->lower = item->iteration;
        code_insert(block, at = 0, line);
    }
    struct ir_stmt *stmt = later_stmt(all, index);
    bool lines = stmt->kind == IR_BLOCK;
    for (size_t i = lines ? stmt->child_nr : 1; i-- > 0;)
        put_line(block, at + 1, lines ? stmt->child[i] : stmt);
}

void gen_later(struct gen *gen, struct code *code)
{
    struct laters all = {.gen = gen};
    find_laters(&all, code);
    for (size_t i = all.nr; i-- > 0;)
        put_later(&all, i);
    gen->work->fetched += all.nr;
    free(all.item);
}

/* One of the nests has it. */
static bool is_placed(const struct model *model, const struct work *works,
                      const struct prefetch *wanted, const char **why)
{
    bool placed = false;
    *why = NULL;
    for (size_t i = 0; i < model->nest_nr; i++)
        for (size_t k = 0; k < works[i].prefetch_nr; k++) {
            const struct prefetch *other = &works[i].prefetch[k];
            if (!other->at || strcmp(other->at, wanted->at) ||
                strcmp(other->name, wanted->name))
                continue;
            placed = placed || other->places;
            *why = *why ? *why : other->why_not;
        }
    return placed;
}

int later_check(const struct model *model, const struct work *works, struct error *err)
{
    const char *why;
    for (size_t i = 0; i < model->nest_nr; i++)
        for (size_t k = 0; k < works[i].prefetch_nr; k++) {
            const struct prefetch *wanted = &works[i].prefetch[k];
            if (wanted->at && !is_placed(model, works, wanted, &why))
                return fail(err, STATUS_ILLEGAL,
                            "what later iterations of '%s' touch of '%s' cannot be "
                            "fetched ahead: %s; prefetch(%s:%lld) looks ahead in the "
                            "innermost loop",
                            wanted->at, wanted->name,
                            why ? why : "the new code does not hold it", wanted->name,
                            wanted->distance);
        }
    return 0;
}
