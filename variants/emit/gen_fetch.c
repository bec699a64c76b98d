/* What prefetches are made of, and what they load on the way. */
#include "variants/emit/gen_fetch.h"

#include <stdlib.h>
#include <string.h>

#include "variants/ir/sum.h"
#include "variants/model/tree.h"
#include "variants/transform/packing.h"

struct ir_expr *fetch_pick(struct gen *gen, const char *name, struct ir_expr *a,
                           struct ir_expr *b)
{
    gen->need_min = gen->need_min || !strcmp(name, "min");
    return gen_call(gen, name, a, b);
}

/* The last value that the loop's iterator takes. */
struct ir_expr *loop_last(struct gen *gen, const struct ir_stmt *loop)
{
    struct ir_arena *arena = gen->arena;
    bool inclusive = loop->cmp[1] == '=' && loop->cmp[0] != '!';
    long long add = inclusive ? 0 : loop->step > 0 ? -1 : 1;
    struct ir_expr *end = expr_plus(arena, ir_copy(arena, loop->upper), add);
    if (loop->step == 1 || loop->step == -1)
        return end;
    struct ir_expr *span =
        expr_simplify(arena, ir_binary(arena, "-", end, ir_copy(arena, loop->lower)));
    struct ir_expr *whole =
        ir_binary(arena, "*", ir_binary(arena, "/", span, ir_integer(arena, loop->step)),
                  ir_integer(arena, loop->step));
    return expr_simplify(arena,
                         ir_binary(arena, "+", ir_copy(arena, loop->lower), whole));
}

struct ir_expr *run_last(struct gen *gen, const struct tree *band)
{
    const struct ir_stmt *loop = band->loop->stmt;
    return band_is_turned(band) ? ir_copy(gen->arena, loop->lower) : loop_last(gen, loop);
}

long long run_step(const struct tree *band)
{
    return (band_is_turned(band) ? -1 : 1) * band->loop->stmt->step;
}

struct ir_expr *fetch_clamped(struct gen *gen, long long step, struct ir_expr *now,
                              struct ir_expr *last, long long distance)
{
    struct ir_expr *lookahead = expr_plus(gen->arena, now, distance * step);
    bool up = step > 0;
    gen->need_max = gen->need_max || !up;
    struct ir_expr *expr = fetch_pick(gen, up ? "min" : "max", lookahead, last);
    return expr;
}

/* Locals set once are replaced by what they are set to: count[c] with c = key[i]. */
struct ir_expr *fetch_resolved(struct gen *gen, struct ir_expr *expr)
{
    const struct nest *nest = gen->nest;
    if (expr->kind == IR_NAME && expr->symbol->id >= 0 &&
        nest->declared[expr->symbol->id] && gen->model->init[expr->symbol->id])
        return fetch_resolved(gen, gen->model->init[expr->symbol->id]);
    if (!expr->arg_nr)
        return expr;
    struct ir_expr *copy = ir_expr_new(gen->arena, expr->kind, expr->arg_nr),
                   **arg = copy->arg;
    *copy = *expr;
    copy->arg = arg;
    for (size_t i = 0; i < expr->arg_nr; i++)
        copy->arg[i] = fetch_resolved(gen, expr->arg[i]);
    return copy;
}

/* What stands behind the subscripts: ".pos.x" of p[i].pos.x. */
static void add_path(const struct ir_expr *expr, struct buf *out)
{
    if (expr->kind != IR_MEMBER && expr->kind != IR_INDEX)
        return;
    add_path(expr->arg[0], out);
    if (expr->kind == IR_MEMBER)
        buf_addf(out, "%s%s", expr->is_arrow ? "->" : ".", expr->text);
}

bool fetch_names(const struct prefetch *prefetch, const struct ir_expr *expr)
{
    struct buf path = {0};
    const char *wanted = prefetch->name + strlen(prefetch->array->name);
    add_path(expr, &path);
    bool same = expr_root(expr) == prefetch->array &&
                !strncmp(buf_str(&path), wanted, strlen(wanted));
    buf_release(&path);
    return same;
}

struct inside {
    const struct nest *nest;
    int depth;
    bool found;
};

static void find_index(struct ir_expr *expr, void *data)
{
    struct inside *inside = data;
    inside->found = inside->found || expr->kind == IR_INDEX ||
                    (expr->kind == IR_UNARY && !strcmp(expr->op, "*"));
}

/* Then it is what the next buffer will hold that is fetched: see tree_copy.c. */
bool fetch_is_packed(const struct work *work, const struct prefetch *prefetch)
{
    bool packed = false;
    for (size_t i = 0; !packed && i < work->packing_nr; i++)
        packed = !strcmp(work->nest->cell[work->packing[i].cell].name, prefetch->name);
    return packed;
}

size_t fetch_copies(const struct work *work)
{
    size_t nr = 0;
    for (size_t i = 0; i < work->copy_nr; i++)
        nr += work->copy[i].kind == COPY_FETCH;
    return nr;
}

const struct prefetch *fetch_wanted(const struct gen *gen, const struct ir_expr *expr)
{
    for (size_t i = 0; i < gen->work->prefetch_nr; i++)
        if (!gen->work->prefetch[i].at && fetch_names(&gen->work->prefetch[i], expr) &&
            !fetch_is_packed(gen->work, &gen->work->prefetch[i]))
            return &gen->work->prefetch[i];
    return NULL;
}

/* A bit-field has no address: the record around it, or the pointer to that. */
static struct ir_expr *addressable(struct ir_expr *element, bool *pointer)
{
    for (struct ir_expr *at = element; at->kind == IR_INDEX || at->kind == IR_MEMBER;
         at = at->arg[0])
        if (at->kind == IR_MEMBER && at->is_shared &&
            (!at->field || at->field->is_bits)) {
            element = at->arg[0];
            *pointer = at->is_arrow;
        }
    return element;
}

/* To L2 without the write hint, also for what is stored to: on x86 the hint becomes
 * PREFETCHW, which goes to L1 whatever the locality says. */
struct ir_expr *fetch_call(struct gen *gen, struct ir_expr *element, bool write,
                           int level)
{
    bool pointer = false;
    struct ir_expr *call = ir_expr_new(gen->arena, IR_CALL, 3);
    struct ir_expr *address = ir_expr_new(gen->arena, IR_UNARY, 1);
    element = addressable(element, &pointer);
    address->op = "&";
    address->type = element->type;
    address->type.pointers++;
    address->arg[0] = element;
    call->text = "__builtin_prefetch";
    call->type = (struct ir_type){.text = "void", .scalar = IR_VOID};
    call->arg[0] = pointer ? element : address;
    call->arg[1] = ir_integer(gen->arena, write && level == 1);
    static const int locality[] = {3, 3, 2, 0}; /* L1; L2 only; past the caches */
    call->arg[2] = ir_integer(gen->arena, locality[level]);
    return call;
}

/* A name for the iteration fetched for. */
struct ir_symbol *fetch_later(struct gen *gen, const struct ir_symbol *iterator)
{
    const char *stem = ir_textf(gen->arena, "%s_later", iterator->name);
    struct ir_type type = iterator->type;
    type.is_const = true;
    return gen_symbol(gen, gen_name(gen, stem, false), &type);
}

/* if (cond) prefetch; cond NULL = always. */
struct ir_stmt *fetch_stmt(struct gen *gen, struct ir_expr *element, struct ir_expr *cond,
                           bool write, int level)
{
    struct ir_stmt *stmt = ir_stmt_new(gen->arena, IR_EXPR, 0), *branch;
    stmt->expr = fetch_call(gen, element, write, level);
    if (!cond)
        return stmt;
    branch = ir_stmt_new(gen->arena, IR_IF, 2);
    branch->cond = cond;
    branch->child[0] = stmt;
    return branch;
}

/* ---- what is loaded on the way ---- */

bool expr_loads(const struct ir_expr *expr)
{
    struct inside inside = {.found = false};
    ir_visit((struct ir_expr *)expr, find_index, &inside);
    return inside.found;
}

/* Elements in subscripts are loaded, not merely fetched: they must be there; and so are
 * pointers to rows. */
bool fetch_loads(const struct ir_expr *expr)
{
    const struct ir_symbol *root = expr_root(expr);
    if (root && symbol_has_rows(root))
        return true;
    for (; expr->kind == IR_INDEX || expr->kind == IR_MEMBER; expr = expr->arg[0])
        if (expr->kind == IR_INDEX && expr_loads(expr->arg[1]))
            return true;
    return false;
}

bool fetch_may_change(const struct nest *nest, const struct ir_symbol *array)
{
    struct overlaps list = nest_overlaps(nest, true);
    bool found = array == NULL;
    for (size_t i = 0; !found && i < nest->access_nr; i++)
        found = nest->access[i].write && nest->cell[nest->access[i].cell].symbol == array;
    for (size_t i = 0; !found && i < list.nr; i++)
        found = list.pair[i].a.symbol == array || list.pair[i].b.symbol == array;
    overlaps_release(&list);
    return found;
}

static void check_index(struct ir_expr *expr, void *data)
{
    struct inside *inside = data;
    if (expr->kind == IR_INDEX && inside->depth)
        inside->found = inside->found || fetch_may_change(inside->nest, expr_root(expr));
}

static void check_load(struct ir_expr *expr, void *data)
{
    struct inside deeper = *(struct inside *)data;
    deeper.depth = 1;
    if (expr->kind == IR_INDEX)
        ir_visit(expr->arg[1], check_index, &deeper);
    ((struct inside *)data)->found = deeper.found;
}

/* a[b[c[i]]]: b is read ahead at what c holds now, which must be what it will hold. */
bool fetch_is_safe(const struct gen *gen, const struct ir_expr *expr)
{
    struct inside inside = {.nest = gen->nest};
    for (; expr->kind == IR_INDEX || expr->kind == IR_MEMBER; expr = expr->arg[0])
        if (expr->kind == IR_INDEX)
            ir_visit(expr->arg[1], check_load, &inside);
    return !inside.found;
}
