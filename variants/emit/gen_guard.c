/* What the new code must test before it runs: that arrays do not overlap, that parameters
 * are what the model assumed. */
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "variants/emit/gen.h"
#include "variants/ir/clauses.h"
#include "variants/ir/sum.h"
#include "variants/model/model_affine.h"
#include "variants/model/model_view.h"

static struct ir_expr *conjunction(struct gen *gen, struct ir_expr *a, struct ir_expr *b)
{
    return !a ? b : !b ? a : ir_binary(gen->arena, "&&", a, b);
}

/* ---- the bytes an array uses ---- */

/* First or last element used, as an expression; NULL when it cannot be said. */
static struct ir_expr *edge(struct gen *gen, const struct memory *memory, bool upper)
{
    struct nest *nest = gen->nest;
    struct ir_symbol *symbol = memory->symbol;
    struct ir_expr *expr = ir_name(gen->arena, symbol);
    size_t dims = memory->itself ? 0 : symbol_levels(symbol);
    for (size_t k = 0; k < dims; k++) {
        const struct access *outer = NULL;
        bool known = true;
        for (size_t i = 0; known && i < nest->access_nr; i++)
            if (nest->cell[nest->access[i].cell].symbol == symbol)
                known = access_take_outer(nest, k, upper, &nest->access[i], &outer);
        struct ir_expr *subscript =
            known && outer ? access_bound(nest, outer, k, upper) : NULL;
        const struct ir_expr *declared = k < symbol->dim_nr ? symbol->dim[k] : NULL;
        if (k == 0 && symbol->role == IR_PARAM && declared && declared->has_value)
            declared = NULL; /* C holds no call to it */
        if (!known && declared)
            subscript = upper ? expr_plus(gen->arena, ir_copy(gen->arena, declared), -1)
                              : ir_integer(gen->arena, 0);
        else if (!known)
            return NULL;
        struct ir_expr *index = ir_expr_new(gen->arena, IR_INDEX, 2);
        index->type = symbol->type;
        index->type.pointers = (int)(dims - k) - 1;
        index->arg[0] = expr;
        index->arg[1] = subscript;
        expr = index;
    }
    return expr;
}

static struct ir_expr *address(struct gen *gen, struct ir_expr *element, bool bytes)
{
    struct ir_expr *expr = ir_expr_new(gen->arena, IR_UNARY, 1);
    expr->op = "&";
    expr->type = element->type;
    expr->type.pointers = 1;
    expr->arg[0] = element;
    if (!bytes)
        return expr;
    struct ir_expr *cast = ir_expr_new(gen->arena, IR_CAST, 1);
    cast->type = (struct ir_type){
        .text = "char", .scalar = IR_INT, .bytes = 1, .is_const = true, .pointers = 1};
    cast->arg[0] = expr;
    return cast;
}

/* The last element of `a` lies before the first of `b`. */
static struct ir_expr *lies_before(struct gen *gen, const struct memory *a,
                                   const struct memory *b, bool bytes)
{
    struct ir_expr *last = edge(gen, a, true), *first = edge(gen, b, false);
    if (!last || !first)
        return NULL;
    bool pointer = a->itself && a->type.pointers;
    long long size = (long long)(pointer ? sizeof(void *) : a->symbol->type.bytes);
    struct ir_expr *end = address(gen, last, bytes);
    if (bytes && size > 1)
        end = ir_binary(gen->arena, "+", end, ir_integer(gen->arena, size - 1));
    return ir_binary(gen->arena, "<", end, address(gen, first, bytes));
}

static bool are_compared_by_bytes(const struct overlap *pair)
{
    const struct ir_type *a = &pair->a.symbol->type, *b = &pair->b.symbol->type;
    bool pointer = (pair->a.itself && a->pointers) || (pair->b.itself && b->pointers);
    return pointer || a->scalar != b->scalar || a->bytes != b->bytes ||
           strcmp(a->text, b->text);
}

/* ---- rows that pointers lead to ---- */

/*
 * Their addresses are looked at before the loops run (PREFIX_rows): what they span, and
 * where that is not apart, or they must not share memory among themselves, one by one in
 * the order of their addresses. Only pointers that the loops load anyway are loaded,
 * since others need not be there.
 */

enum { ROW_LEVELS_MAX = 3 /* of PREFIX_rows */, ROW_BOXES_MAX = 16 };

struct box_edges {
    const struct access *lowest[SUBSCRIPTS_MAX], *highest[SUBSCRIPTS_MAX];
    struct ir_expr *low[SUBSCRIPTS_MAX], *high[SUBSCRIPTS_MAX]; /* what these reach */
};

/* Of all that the nest uses of the array one, or one for each of its accesses; none = its
 * rows cannot be told. */
struct row_boxes {
    const struct ir_symbol *symbol;
    struct row_boxes *before; /* another array's */
    size_t nr;
    struct box_edges box[ROW_BOXES_MAX];
};

static bool widen(struct gen *gen, const struct access *access, size_t dims,
                  struct box_edges *box)
{
    struct nest *nest = gen->nest;
    bool known = true;
    for (size_t k = 0; known && k < dims; k++) {
        known = access_take_outer(nest, k, false, access, &box->lowest[k]) &&
                access_take_outer(nest, k, true, access, &box->highest[k]);
        box->low[k] = known ? access_bound(nest, box->lowest[k], k, false) : NULL;
        box->high[k] = known ? access_bound(nest, box->highest[k], k, true) : NULL;
    }
    return known;
}

/* low <= subscript <= high, in all dimensions; NULL = not affine. */
static isl_set *set_of_box(struct gen *gen, const struct box_edges *box, size_t dims)
{
    struct nest *nest = gen->nest;
    isl_space *params = isl_space_set_from_params(isl_space_copy(nest->params)),
              *space =
                  isl_space_add_dims(isl_space_copy(params), isl_dim_set, (unsigned)dims);
    isl_set *set = isl_set_universe(isl_space_copy(space));
    struct affine at = {.nest = nest, .space = space};
    for (size_t k = 0; set && k < dims; k++) {
        isl_pw_aff *low = affine_expr(&at, box->low[k]),
                   *high = affine_expr(&at, box->high[k]);
        isl_aff *here = isl_aff_var_on_domain(
            isl_local_space_from_space(isl_space_copy(space)), isl_dim_set, (unsigned)k);
        isl_pw_aff *subscript = isl_pw_aff_from_aff(here);
        if (low && high) {
            set = isl_set_intersect(set,
                                    isl_pw_aff_ge_set(isl_pw_aff_copy(subscript), low));
            set = isl_set_intersect(set,
                                    isl_pw_aff_le_set(isl_pw_aff_copy(subscript), high));
        } else {
            isl_pw_aff_free(low);
            isl_pw_aff_free(high);
            set = isl_set_free(set);
        }
        isl_pw_aff_free(subscript);
    }
    isl_space_free(params);
    isl_space_free(space);
    return set;
}

static bool is_of(const struct gen *gen, const struct access *access,
                  const struct ir_symbol *symbol)
{
    return gen->nest->cell[access->cell].symbol == symbol;
}

/* Whether it is only for some parameters; they are tested, too, then. Few columns may
 * have none that a row uses: `if ((i + j) % 2 == 0)`. */
static bool is_for_some(struct gen *gen, isl_set *unused)
{
    isl_set *bad = isl_set_remove_divs(isl_set_params(isl_set_copy(unused)));
    isl_set *good =
        isl_set_gist(isl_set_complement(bad), isl_set_copy(gen->nest->context));
    if (gen->rows_used)
        good = isl_set_intersect(good, isl_set_copy(gen->rows_used));
    isl_set *ever =
        isl_set_intersect(isl_set_copy(good), isl_set_copy(gen->nest->context));
    bool some = isl_set_is_empty(ever) == isl_bool_false;
    isl_set_free(ever);
    if (!some) {
        isl_set_free(good);
        return false;
    }
    isl_set_free(gen->rows_used);
    gen->rows_used = good;
    return true;
}

/* The loops use every row of the box, for all parameters that are let through by what is
 * tested where addresses are, or, `some`, for those to which that is added; where the box
 * is empty, the test looks at none. `only` NULL = all accesses. */
static bool uses_all_rows(struct gen *gen, const struct ir_symbol *symbol,
                          const struct access *only, const struct box_edges *box,
                          bool some)
{
    struct nest *nest = gen->nest;
    size_t dims = symbol_levels(symbol);
    isl_set *rows = set_of_box(gen, box, dims), *used = NULL;
    for (size_t i = 0; rows && i < nest->access_nr; i++) {
        const struct access *access = &nest->access[i];
        if (only ? access != only : !is_of(gen, access, symbol))
            continue;
        if (!access->exact || access->collapsed) {
            rows = isl_set_free(rows);
            break;
        }
        isl_set *range = isl_map_range(isl_map_copy(access->map));
        range = isl_set_reset_tuple_id(range);
        used = used ? isl_set_union(used, range) : range;
    }
    if (!rows || !used) {
        isl_set_free(rows);
        isl_set_free(used);
        return false;
    }
    rows = isl_set_project_out(rows, isl_dim_set, (unsigned)dims - 1, 1);
    used = isl_set_project_out(used, isl_dim_set, (unsigned)dims - 1, 1);
    rows = isl_set_intersect_params(rows, isl_set_copy(nest->context));
    rows = isl_set_intersect_params(rows, isl_set_copy(nest->assumed));
    rows = isl_set_intersect_params(rows, isl_set_copy(nest->proven));
    isl_set *unused = isl_set_subtract(rows, used);
    bool all =
        isl_set_is_empty(unused) == isl_bool_true || (some && is_for_some(gen, unused));
    isl_set_free(unused);
    return all;
}

static bool find_boxes(struct gen *gen, struct row_boxes *boxes)
{
    const struct nest *nest = gen->nest;
    size_t dims = symbol_levels(boxes->symbol);
    struct box_edges whole = {0};
    bool known = dims <= ROW_LEVELS_MAX;
    for (size_t i = 0; known && i < nest->access_nr; i++)
        if (is_of(gen, &nest->access[i], boxes->symbol))
            known = widen(gen, &nest->access[i], dims, &whole);
    bool one = known && uses_all_rows(gen, boxes->symbol, NULL, &whole, false);
    bool each = !one && dims <= ROW_LEVELS_MAX;
    for (size_t i = 0; each && i < nest->access_nr; i++) {
        const struct access *access = &nest->access[i];
        if (!is_of(gen, access, boxes->symbol))
            continue;
        struct box_edges *box = &boxes->box[boxes->nr++];
        each = boxes->nr < ROW_BOXES_MAX && widen(gen, access, dims, box) &&
               uses_all_rows(gen, boxes->symbol, access, box, false);
    }
    if (each)
        return true;
    boxes->nr = 1;
    boxes->box[0] = whole;
    return one || (known && uses_all_rows(gen, boxes->symbol, NULL, &whole, true));
}

static const struct row_boxes *boxes_of(struct gen *gen, const struct ir_symbol *symbol)
{
    struct row_boxes *boxes = gen->boxes;
    while (boxes && boxes->symbol != symbol)
        boxes = boxes->before;
    if (boxes)
        return boxes;
    boxes = ir_alloc(gen->arena, sizeof(*boxes));
    *boxes = (struct row_boxes){.symbol = symbol, .before = gen->boxes};
    gen->boxes = boxes;
    if (!find_boxes(gen, boxes))
        boxes->nr = 0;
    return boxes;
}

static struct ir_expr *helper(struct gen *gen, const char *name, size_t args)
{
    struct ir_expr *call = ir_expr_new(gen->arena, IR_CALL, args);
    call->text = name;
    call->type = (struct ir_type){.text = "int", .scalar = IR_INT, .bytes = 4};
    return call;
}

/* PREFIX_rows(a, levels, alone, first and last i, first and last j, first and last
 * element, bytes of one): of fewer levels than the array has, the pointers to the rows.
 */
static struct ir_expr *rows_call(struct gen *gen, struct ir_symbol *symbol,
                                 const struct box_edges *box, size_t levels, bool alone)
{
    struct ir_arena *arena = gen->arena;
    bool pointers = levels < symbol_levels(symbol);
    struct ir_expr *call = helper(gen, "rows", 10);
    call->arg[0] = ir_name(arena, symbol);
    call->arg[1] = ir_integer(arena, (long long)levels);
    call->arg[2] = ir_integer(arena, alone);
    for (size_t k = 0; k < 2; k++) {
        bool there = k + 1 < levels;
        call->arg[3 + 2 * k] = there ? ir_copy(arena, box->low[k]) : ir_integer(arena, 0);
        call->arg[4 + 2 * k] =
            there ? ir_copy(arena, box->high[k]) : ir_integer(arena, 0);
    }
    call->arg[7] = ir_copy(arena, box->low[levels - 1]);
    call->arg[8] = ir_copy(arena, box->high[levels - 1]);
    call->arg[9] =
        ir_integer(arena, (long long)(pointers ? sizeof(void *) : symbol->type.bytes));
    gen->need_rows = true;
    return call;
}

/* PREFIX_span(first, last, bytes) */
static struct ir_expr *span_call(struct gen *gen, const struct memory *memory)
{
    struct ir_expr *first = edge(gen, memory, false), *last = edge(gen, memory, true);
    if (!first || !last)
        return NULL;
    bool pointer = memory->itself && memory->symbol->type.pointers;
    struct ir_expr *call = helper(gen, "span", 3);
    call->arg[0] = address(gen, first, false);
    call->arg[1] = address(gen, last, false);
    call->arg[2] = ir_integer(
        gen->arena, (long long)(pointer ? sizeof(void *) : memory->symbol->type.bytes));
    return call;
}

enum { ROW_PIECES_MAX = ROW_BOXES_MAX * ROW_LEVELS_MAX };

static bool is_memory(const struct memory *a, const struct memory *b)
{
    return a->symbol == b->symbol && a->itself == b->itself && a->table == b->table;
}

static bool is_self(const struct overlap *pair)
{
    return pair->a.symbol == pair->b.symbol && pair->a.table == pair->b.table;
}

static bool is_by_rows(const struct memory *memory)
{
    return memory->table || memory_has_rows(memory);
}

/* Where the memory lies, in pieces of which PREFIX_rows or PREFIX_span tells; 0 = that
 * cannot be said. */
static size_t pieces_of(struct gen *gen, const struct memory *memory, bool alone,
                        struct ir_expr *piece[ROW_PIECES_MAX])
{
    size_t levels = symbol_levels(memory->symbol), nr = 0;
    if (!is_by_rows(memory)) {
        piece[0] = span_call(gen, memory);
        return piece[0] != NULL;
    }
    const struct row_boxes *boxes = boxes_of(gen, memory->symbol);
    for (size_t i = 0; i < boxes->nr; i++)
        for (size_t k = memory->table ? 1 : levels; k < levels + !memory->table; k++)
            piece[nr++] = rows_call(gen, memory->symbol, &boxes->box[i], k, alone);
    return nr;
}

/* PREFIX_with(all, other); NULL = cannot be tested. */
static struct ir_expr *add_with(struct gen *gen, struct ir_expr *all,
                                const struct memory *other)
{
    struct ir_expr *piece[ROW_PIECES_MAX];
    size_t nr = pieces_of(gen, other, false, piece);
    for (size_t i = 0; all && i < nr; i++) {
        struct ir_expr *call = helper(gen, "with", 2);
        call->arg[0] = all;
        call->arg[1] = piece[i];
        all = call;
    }
    return nr ? all : NULL;
}

static bool has_rows(const struct overlap *pair)
{
    return is_by_rows(&pair->a) || is_by_rows(&pair->b);
}

/* Whose rows are looked at once, for all pairs that it has. */
static const struct memory *head_of(const struct overlap *pair)
{
    bool a = memory_has_rows(&pair->a), b = memory_has_rows(&pair->b);
    if (a || b)
        return a && (pair->a.written || !b) ? &pair->a : &pair->b;
    return pair->a.table ? &pair->a : &pair->b;
}

static struct ir_expr *apart_of(struct gen *gen, struct ir_expr *all)
{
    struct ir_expr *call = helper(gen, "apart", 1);
    call->arg[0] = all;
    return call;
}

/* What is tested of the pairs of the list with that head; NULL = it cannot be. */
static struct ir_expr *rows_are_apart(struct gen *gen, const struct memory *head,
                                      const struct overlap *list, size_t nr)
{
    struct ir_expr *piece[ROW_PIECES_MAX], *guard = NULL;
    bool alone = false;
    for (size_t i = 0; i < nr; i++)
        alone = alone || (is_self(&list[i]) && is_memory(&list[i].a, head));
    size_t pieces = pieces_of(gen, head, alone, piece);
    if (pieces == 0 || (alone && pieces > 1) || gen->model->function->is_cplusplus)
        return NULL;
    for (size_t b = 0; b < pieces; b++) {
        struct ir_expr *all = piece[b];
        for (size_t i = 0; all && i < nr; i++) {
            const struct overlap *pair = &list[i];
            if (is_self(pair) || !has_rows(pair) || !is_memory(head_of(pair), head))
                continue;
            all = add_with(gen, all, is_memory(&pair->a, head) ? &pair->b : &pair->a);
        }
        if (!all)
            return NULL;
        guard = conjunction(gen, guard, apart_of(gen, all));
    }
    return guard;
}

/* NULL = what they span cannot be said. */
static struct ir_expr *are_apart(struct gen *gen, const struct overlap *pair)
{
    if (has_rows(pair))
        return rows_are_apart(gen, head_of(pair), pair, 1);
    bool bytes = are_compared_by_bytes(pair);
    struct ir_expr *before = lies_before(gen, &pair->a, &pair->b, bytes);
    struct ir_expr *after = lies_before(gen, &pair->b, &pair->a, bytes);
    return before && after ? ir_binary(gen->arena, "||", before, after) : NULL;
}

static int say_overlap(const struct gen *gen, const struct overlap *pair,
                       struct error *err)
{
    const char *a = pair->a.symbol->name, /* as assume noalias() wants */
        *b = pair->b.symbol->name;
    if (pair->a.table || pair->b.table)
        return fail(err, STATUS_ILLEGAL,
                    "stores to '%s' in the nest at line %d may change the pointers to "
                    "the rows of '%s': C's rule for types does not keep them apart",
                    pair->a.table ? b : a, gen->nest->stmt->line, pair->a.table ? a : b);
    if (is_self(pair))
        return fail(err, STATUS_ILLEGAL,
                    "rows of '%s' in the nest at line %d may overlap, and which of them "
                    "the loops use cannot be told from the sizes, so that it cannot be "
                    "tested at run time",
                    a, gen->nest->stmt->line);
    return fail(err, STATUS_ILLEGAL,
                "'%s' and '%s' in the nest at line %d may overlap, and what they span "
                "cannot be tested at run time; if they do not "
                "overlap say so: declare one `restrict`, or #pragma inflight assume "
                "noalias(%s, %s)",
                a, b, gen->nest->stmt->line, a, b);
}

/* In the call that counts two of the two arrays share memory, so that what is tested does
 * not hold there. */
static bool share_in_call(const struct gen *gen, const struct overlap *pair)
{
    const struct strvec *shared = gen->model->request.shared;
    const char *a = pair->a.symbol->name, *b = pair->b.symbol->name;
    bool found = false;
    if (pair->a.itself || pair->b.itself || pair->a.table || pair->b.table)
        return false;
    for (size_t i = 0; shared && i + 1 < shared->nr && !found; i += 2) {
        const char *one = shared->v[i], *other = shared->v[i + 1];
        found = (!strcmp(one, a) && !strcmp(other, b)) ||
                (!strcmp(one, b) && !strcmp(other, a));
    }
    return found;
}

static int say_shared(const struct overlap *pair, struct error *err)
{
    if (is_self(pair))
        return fail(err, STATUS_ILLEGAL,
                    "its run-time test does not hold in the captured call: rows of '%s' "
                    "share memory",
                    pair->a.symbol->name);
    return fail(err, STATUS_ILLEGAL,
                "its run-time test does not hold in the captured call: %s'%s' and '%s' "
                "share memory",
                has_rows(pair) ? "rows of " : "", pair->a.symbol->name,
                pair->b.symbol->name);
}

/* What nobody can test is said where it is a variable that is only read, or a field. */
static bool is_said(const struct overlap *pair)
{
    const struct memory *itself = pair->a.itself ? &pair->a : &pair->b;
    return itself->itself && (!itself->written || itself->symbol->role != IR_GLOBAL);
}

void gen_rests_on(struct gen *gen, const struct overlap *pair, struct buf *out)
{
    const struct memory *a = &pair->a, *b = &pair->b;
    if (is_self(pair) && are_apart(gen, pair))
        buf_addf(out,
                 TESTED_ROWS "'%s'" TESTED_APART "; the original loop runs if they do)\n",
                 a->symbol->name);
    else if ((a->table || b->table) && are_apart(gen, pair))
        buf_addf(
            out,
            "what is stored to '%s' and the pointers to the rows of '%s'" TESTED_APART
            "; the original loop runs if they do)\n",
            (a->table ? b : a)->symbol->name, (a->table ? a : b)->symbol->name);
    else if (are_apart(gen, pair))
        buf_addf(out,
                 "'%s' and '%s'" TESTED_APART "; the original loop runs if they do)\n",
                 a->symbol->name, b->symbol->name);
    else if (is_said(pair))
        buf_addf(out, "stores to '%s' do not change '%s'\n",
                 (a->written ? a : b)->symbol->name, (a->written ? b : a)->symbol->name);
}

/* No pair before it has its rows looked at. */
static bool is_first_of(const struct overlaps *list, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (has_rows(&list->pair[i]) &&
            is_memory(head_of(&list->pair[i]), head_of(&list->pair[at])))
            return false;
    return true;
}

static void fit_edges(struct ir_expr *expr, void *data)
{
    if (expr->kind == IR_CALL)
        for (size_t i = 1; i < expr->arg_nr; i++)
            if (expr->arg[i]->type.scalar == IR_INT && !expr->arg[i]->type.pointers &&
                expr->arg[i]->kind != IR_CALL)
                gen_fit(data, &expr->arg[i]);
}

static struct ir_expr *fitted(struct gen *gen, struct ir_expr *guard)
{
    ir_visit(guard, fit_edges, gen);
    ir_visit(guard, gen_fit_subscript, gen);
    return guard;
}

static int guard_overlaps(struct gen *gen, struct ir_expr **guard, bool *needs_else,
                          struct error *err)
{
    struct overlaps list = nest_overlaps(gen->nest, gen->work->reorders);
    int status = 0;
    for (size_t i = 0; !status && i < list.nr; i++) {
        struct ir_expr *apart = are_apart(gen, &list.pair[i]);
        *needs_else = *needs_else || apart;
        if (apart && share_in_call(gen, &list.pair[i])) {
            status = say_shared(&list.pair[i], err);
        } else if (apart && has_rows(&list.pair[i])) {
            const struct memory *head = head_of(&list.pair[i]);
            if (is_first_of(&list, i))
                *guard = conjunction(
                    gen, *guard,
                    fitted(gen, rows_are_apart(gen, head, list.pair, list.nr)));
        } else if (apart) {
            ir_visit(apart, gen_fit_subscript, gen);
            *guard = conjunction(gen, *guard, apart);
        } else if (!is_said(&list.pair[i]))
            status = say_overlap(gen, &list.pair[i], err);
    }
    overlaps_release(&list);
    return status;
}

/* ---- parameters ---- */

static bool runs_nothing_else(const struct nest *nest)
{
    bool same = true;
    for (size_t i = 0; same && i < nest->statement_nr; i++) {
        isl_set *params = isl_set_params(isl_set_copy(nest->statement[i].domain));
        same = isl_set_is_subset(params, nest->context) == isl_bool_true;
        isl_set_free(params);
    }
    return same;
}

static struct ir_expr *set_expr(struct gen *gen, isl_set *set)
{
    isl_ast_build *build = isl_ast_build_alloc(gen->model->ctx);
    struct ir_expr *expr =
        raw_finish(gen, raw_expr(gen, isl_ast_build_expr_from_set(build, set)));
    isl_ast_build_free(build);
    return expr;
}

static bool compares_addresses(struct gen *gen)
{
    struct overlaps list = nest_overlaps(gen->nest, gen->work->reorders);
    bool compared = false;
    for (size_t i = 0; !compared && i < list.nr; i++)
        compared = are_apart(gen, &list.pair[i]) != NULL;
    overlaps_release(&list);
    return compared;
}

/* The parameters that the guard tests for. Where addresses are compared, what the
 * language promises (that the arrays of parameters have elements) is tested as well:
 * callers pass sizes of zero, and then there is no last element to take the address of.
 * So it is where the code reads something early that only exists then. */
static isl_set *tested(struct gen *gen)
{
    const struct nest *nest = gen->nest;
    isl_set *needed =
        isl_set_intersect(isl_set_copy(nest->context), isl_set_copy(nest->assumed));
    if (!gen->needs_promise && !compares_addresses(gen))
        return isl_set_gist(needed, isl_set_copy(nest->guaranteed));
    return gen->rows_used ? isl_set_intersect(needed, isl_set_copy(gen->rows_used))
                          : needed;
}

/* How far from 0 a number of 64 bits may be. */
static long long far_of(const struct gen *gen, const struct ir_symbol *symbol)
{
    long long far = gen->nest->far[symbol->id];
    return far ? far : MODEL_FAR;
}

static bool is_above(const struct gen *gen, const struct ir_symbol *symbol, long long low)
{
    for (size_t i = 0; i < gen->work->when_nr; i++)
        if (gen->work->when[i].symbol == symbol && gen->work->when[i].least >= low)
            return true;
    return false;
}

/* Of 64 bits: p <= far, and -far <= p where nothing else says it. */
static struct ir_expr *is_near(struct gen *gen, struct ir_symbol *symbol)
{
    long long far = far_of(gen, symbol);
    struct ir_expr *max = ir_integer(gen->arena, far);
    struct ir_expr *below = ir_binary(gen->arena, "<=", ir_name(gen->arena, symbol), max);
    if (symbol->type.is_unsigned || is_above(gen, symbol, -far))
        return below;
    return ir_binary(gen->arena, "&&",
                     ir_binary(gen->arena, ">=", ir_name(gen->arena, symbol),
                               ir_integer(gen->arena, -far)),
                     below);
}

static bool is_huge(struct gen *gen, const struct ir_symbol *symbol)
{
    long long low, high;
    nest_param_range(gen->nest, gen->known, symbol, &low, &high);
    return low < -far_of(gen, symbol) || high > far_of(gen, symbol);
}

/* What the code makes of numbers of 64 bits overflows where they are huge; `all`: what
 * the guard makes of them, too. */
static struct ir_expr *near_params(struct gen *gen, bool all)
{
    struct ir_function *function = gen->model->function;
    struct ir_expr *guard = NULL;
    for (size_t i = 0; i < function->symbol_nr; i++) {
        struct ir_symbol *symbol = function->symbol[i];
        bool wide = gen->nest->used[i] && symbol->type.bytes == 8 &&
                    symbol_is_param(gen->nest, symbol);
        if (wide && (all || gen->nest->far[i] || gen->needs_box) &&
            (all || is_huge(gen, symbol)))
            guard = conjunction(gen, guard, is_near(gen, symbol));
    }
    return guard;
}

/* ---- linear subscripts of 32 bits ---- */

/* In double, where no product of whole numbers overflows, and which is exact below 2^53.
 * Bits that a cast drops count, too. */
static struct ir_expr *in_double(struct gen *gen, struct ir_expr *expr)
{
    static const struct ir_type type = {.text = "double", .scalar = IR_FLOAT, .bytes = 8};
    while (expr->kind == IR_CAST && expr->type.bytes >= 4)
        expr = expr->arg[0];
    if (!expr_is_polynomial(expr))
        return gen_cast(gen, &type, expr);
    bool made = expr->arg[0]->has_value || expr_is_polynomial(expr->arg[1]);
    return ir_binary(gen->arena, expr->op,
                     expr->arg[0]->has_value ? expr->arg[0]
                                             : in_double(gen, expr->arg[0]),
                     made ? in_double(gen, expr->arg[1]) : expr->arg[1]);
}

static struct ir_expr *is_narrow(struct gen *gen, struct ir_expr *subscript)
{
    return ir_binary(gen->arena, "<", in_double(gen, subscript),
                     ir_integer(gen->arena, NARROW_END));
}

/* Subscripts that may wrap around do not: of each array the greatest, where it can be
 * told, else each. */
static struct ir_expr *narrow_subscripts(struct gen *gen)
{
    struct nest *nest = gen->nest;
    struct ir_expr *guard = NULL;
    const struct access **greatest = xcalloc(nest->access_nr + 1, sizeof(*greatest));
    size_t nr = 0;
    for (size_t i = 0; i < nest->access_nr; i++) {
        const struct access *access = &nest->access[i];
        bool known = !nest->cell[access->cell].narrow;
        for (size_t k = 0; !known && k < nr; k++)
            known = greatest[k]->cell == access->cell &&
                    access_take_outer(nest, 0, true, access, &greatest[k]);
        if (!known)
            greatest[nr++] = access;
    }
    for (size_t i = 0; i < nr; i++) {
        struct ir_expr *bound = access_bound(nest, greatest[i], 0, true);
        bool tested = false;
        for (size_t k = 0; !tested && k < i; k++)
            tested = expr_equal(access_bound(nest, greatest[k], 0, true), bound);
        if (!tested)
            guard = conjunction(gen, guard, is_narrow(gen, bound));
    }
    free(greatest);
    return guard;
}

/* ---- sizes for which the plan wants the new code ---- */

static struct ir_expr *when_expr(struct gen *gen)
{
    struct ir_expr *guard = NULL;
    for (size_t i = 0; i < gen->work->when_nr; i++) {
        const struct threshold *when = &gen->work->when[i];
        guard = conjunction(gen, guard,
                            ir_binary(gen->arena, ">=", ir_name(gen->arena, when->symbol),
                                      ir_integer(gen->arena, when->least)));
    }
    return guard;
}

/* Those of the nest's parameters that are let through. The code is not made for them
 * alone: it is the one of the plan without `when`, which is verified at small sizes. */
static isl_set *when_set(const struct gen *gen)
{
    const struct nest *nest = gen->nest;
    isl_set *set = isl_set_universe(isl_space_copy(nest->params));
    for (size_t i = 0; i < gen->work->when_nr; i++) {
        const struct threshold *when = &gen->work->when[i];
        const char *id =
            ir_textf(gen->arena, "%s_%d", when->symbol->name, when->symbol->id);
        int place = isl_space_find_dim_by_name(nest->params, isl_dim_param, id);
        if (place >= 0)
            set = isl_set_lower_bound_val(
                set, isl_dim_param, (unsigned)place,
                isl_val_int_from_si(nest->model->ctx, when->least));
    }
    return set;
}

void gen_say_when(struct gen *gen, bool place, struct buf *out)
{
    for (size_t i = 0; i < gen->work->when_nr; i++)
        buf_addf(out, "%s%s >= %lld", i ? " and " : "", gen->work->when[i].symbol->name,
                 gen->work->when[i].least);
    if (gen->work->when_nr && place)
        buf_addf(out, " at line %d", gen->nest->stmt->line);
    if (gen->work->when_nr)
        buf_add(out, TESTED_SIZE "\n");
}

/* No number is taken to be in a range before it is tested. */
static struct ir_expr *tested_expr(struct gen *gen, isl_set *needed, bool *overflows)
{
    struct ir_expr *expr = set_expr(gen, needed);
    isl_set *known = gen->known;
    bool needs_box = gen->needs_box;
    gen->known = NULL;
    gen->range_nr = 0;
    gen->needs_box = false;
    gen_fit(gen, &expr);
    *overflows = gen->needs_box;
    gen->needs_box = needs_box;
    gen->known = known;
    gen->range_nr = 0;
    return expr;
}

/* Is there nothing for which the new code would run? */
static int check_ever(struct gen *gen, struct error *err)
{
    const struct nest *nest = gen->nest;
    isl_set *ever = isl_set_intersect(tested(gen), isl_set_copy(nest->ranges));
    ever = isl_set_intersect(ever, when_set(gen));
    bool never = isl_set_is_empty(ever) == isl_bool_true;
    struct buf text = {0};
    isl_set_free(ever);
    for (size_t i = 0; never && i < gen->work->when_nr; i++)
        buf_addf(&text, "%s%s >= %lld", i ? "; " : "", gen->work->when[i].symbol->name,
                 gen->work->when[i].least);
    for (size_t i = 0; never && i < nest->assumption.nr; i++)
        buf_addf(&text, "%s%s", text.length ? "; " : "", nest->assumption.v[i]);
    int status = never ? fail(err, STATUS_ILLEGAL,
                              "the nest at line %d: the new code would never run, since "
                              "it rests on something impossible: %s",
                              nest->stmt->line, buf_str(&text))
                       : 0;
    buf_release(&text);
    return status;
}

static void guard_params(struct gen *gen, struct ir_expr **guard, bool *needs_else)
{
    struct nest *nest = gen->nest;
    isl_set *needed = tested(gen);
    bool overflows = false;
    bool always = isl_set_plain_is_universe(needed) == isl_bool_true;
    if (!runs_nothing_else(nest) ||
        isl_set_is_subset(nest->ranges, nest->assumed) != isl_bool_true)
        *needs_else = *needs_else || !always;
    if (gen->work->when_nr)
        needed = isl_set_gist(needed, when_set(gen));
    struct ir_expr *guard_when = when_expr(gen), *guard_tested = NULL;
    if (isl_set_plain_is_universe(needed) == isl_bool_true)
        isl_set_free(needed);
    else
        guard_tested = tested_expr(gen, isl_set_coalesce(needed), &overflows);
    struct ir_expr *near = near_params(gen, overflows), *narrow = narrow_subscripts(gen);
    *needs_else = *needs_else || near || guard_when || narrow;
    *guard = conjunction(gen, conjunction(gen, guard_when, near), guard_tested);
    *guard = conjunction(gen, *guard, narrow);
}

/* ---- threads that come to the loop together ---- */

/* All of them must take the same way, to the new loop or to the original one: what is
 * tested must be the same for all. */
struct team {
    const struct ir_function *function;
    const struct ir_stmt *loop;   /* whose iterations they share */
    const struct ir_stmt *region; /* where they begin; NULL = in a caller */
    const struct ir_stmt *source; /* the loop as the function has it */
    bool alone;                   /* see openmp_is_alone */
    const struct ir_symbol *own;  /* found: may differ */
};

static bool is_private(const struct team *team, const struct ir_symbol *symbol)
{
    const char *at = pragma_clauses(openmp_region_pragma(team->region)->text);
    struct clause clause;
    while (clause_next(&at, &clause))
        if (clause_gives_own(&clause) &&
            (clause_is(&clause, "default") || clause_names(&clause, symbol->name)))
            return true;
    return false;
}

static bool is_uniform(const struct team *team, const struct ir_symbol *symbol);

struct uniform {
    const struct team *team;
    bool all;
};

static void look_uniform(struct ir_expr *expr, void *data)
{
    struct uniform *at = data;
    bool known = expr->kind == IR_LITERAL || expr->kind == IR_INDEX ||
                 expr->kind == IR_MEMBER || expr->kind == IR_CAST ||
                 expr->kind == IR_COND || expr->kind == IR_BINARY ||
                 (expr->kind == IR_UNARY && *expr->op != '&' && !expr_is_step(expr)) ||
                 (expr->kind == IR_NAME && is_uniform(at->team, expr->symbol));
    at->all = at->all && known && !expr->type.is_volatile;
}

struct settings {
    const struct ir_symbol *symbol;
    size_t nr;
};

static void count_setting(struct ir_expr *expr, void *data)
{
    struct settings *at = data;
    bool sets = expr_sets(expr);
    at->nr += sets && expr->arg[0]->kind == IR_NAME && expr->arg[0]->symbol == at->symbol;
}

/* What each thread makes it of before the loop, where it does so once; NULL = else.
 * Memory that they all read is the same for all: one that changed it meanwhile would race
 * with the others. */
static struct ir_expr *value_in_region(const struct team *team,
                                       const struct ir_symbol *symbol)
{
    struct settings all = {.symbol = symbol};
    struct ir_expr *value = NULL;
    stmt_exprs(team->region, count_setting, &all);
    for (size_t i = 0; i < team->region->child_nr; i++) {
        const struct ir_stmt *stmt = team->region->child[i];
        const struct ir_expr *expr = stmt->kind == IR_EXPR ? stmt->expr : NULL;
        if (stmt_holds(stmt, team->source))
            break;
        if (stmt->kind == IR_DECL && stmt->symbol == symbol && stmt->expr && !all.nr)
            value = stmt->expr;
        if (expr && expr->kind == IR_ASSIGN && !strcmp(expr->op, "=") && all.nr == 1 &&
            expr->arg[0]->kind == IR_NAME && expr->arg[0]->symbol == symbol)
            value = expr->arg[1];
    }
    return symbol->address_taken || symbol->is_static ? NULL : value;
}

/* What bounds the loop is the same for all, or the program is wrong as it is. */
static bool bounds_loop(const struct ir_stmt *loop, const struct ir_symbol *symbol)
{
    return expr_mentions(loop->lower, symbol) || expr_mentions(loop->upper, symbol);
}

static bool may_differ(const struct team *team, const struct ir_symbol *symbol)
{
    while (symbol->role == IR_FIELD && symbol->base)
        symbol = symbol->base;
    bool array = symbol->dim_nr && !symbol->pointer_to_array;
    bool local = symbol->role != IR_GLOBAL && !symbol->is_static;
    return symbol_is_of_thread(team->function, symbol) ||
           (!array && symbol->is_written) ||
           (local && (!team->region || is_private(team, symbol) ||
                      stmt_find(team->region, stmt_declares, symbol)));
}

static bool is_uniform(const struct team *team, const struct ir_symbol *symbol)
{
    struct uniform at = {.team = team, .all = true};
    if (!may_differ(team, symbol))
        return true;
    struct ir_expr *value = team->alone ? value_in_region(team, symbol) : NULL;
    if (value)
        ir_visit(value, look_uniform, &at);
    return value && at.all;
}

static void find_own(struct ir_expr *expr, void *data)
{
    struct team *team = data;
    const struct ir_symbol *symbol = expr->kind == IR_NAME ? expr->symbol : NULL;
    if (symbol && symbol->role != IR_FUNCTION && !bounds_loop(team->loop, symbol) &&
        !is_uniform(team, symbol))
        team->own = symbol;
}

static void find_unnamed(struct ir_expr *expr, void *data)
{
    struct team *team = data;
    const struct ir_symbol *symbol = expr->kind == IR_NAME ? expr->symbol : NULL;
    if (symbol && symbol->role != IR_FUNCTION && !stmt_mentions(team->region, symbol))
        team->own = symbol;
}

/* A region with default(none) names all that it uses. */
static int check_named(const struct gen *gen, struct ir_expr *guard, struct error *err)
{
    struct team team = {.region = openmp_region(gen->model->function, gen->nest->source)};
    const char *at =
        team.region ? pragma_clauses(openmp_region_pragma(team.region)->text) : "";
    struct clause clause;
    bool none = false;
    while (clause_next(&at, &clause))
        none = none || clause_is_none(&clause);
    if (none && guard)
        ir_visit(guard, find_unnamed, &team);
    if (!team.own)
        return 0;
    return fail(err, STATUS_ILLEGAL,
                "the nest at line %d: the new code would have to test '%s', which the "
                "OpenMP region around it, with default(none), does not name",
                gen->nest->stmt->line, team.own->name);
}

static int check_team(struct gen *gen, struct ir_expr *guard, struct error *err)
{
    const struct ir_stmt *loop = gen->nest->stmt;
    const struct ir_pragma *pragma = loop->pragma;
    struct team team = {.function = gen->model->function, .loop = loop};
    while (pragma && !pragma_is(pragma, PRAGMA_SHARED))
        pragma = pragma->next;
    if (!pragma || !guard)
        return 0;
    gen->together = true;
    team.region = openmp_region(team.function, gen->nest->source);
    team.source = gen->nest->source;
    team.alone = openmp_is_alone(team.function, team.source, pragma);
    ir_visit(guard, find_own, &team);
    if (!team.own)
        return 0;
    return fail(err, STATUS_ILLEGAL,
                "the nest at line %d: the new code would have to test '%s' before it "
                "runs, and the threads that share the loop may not all have the same "
                "one; of an array, declare it `restrict`, or #pragma inflight assume "
                "noalias(...)",
                loop->line, team.own->name);
}

int gen_guard(struct gen *gen, struct ir_expr **guard, bool *needs_else,
              struct error *err)
{
    isl_set_free(gen->known);
    gen->rows_used = isl_set_free(gen->rows_used);
    gen->boxes = NULL;
    gen->known = isl_set_intersect(tested(gen), isl_set_copy(gen->nest->proven));
    *guard = NULL;
    *needs_else = false;
    if (check_ever(gen, err))
        return -1;
    guard_params(gen, guard, needs_else);
    return guard_overlaps(gen, guard, needs_else, err) || check_team(gen, *guard, err) ||
                   check_named(gen, *guard, err)
               ? -1
               : 0;
}

/* Sorting takes memory, which may be there for one thread and not for the next: those
 * that must go the same way do without. */
static void add_row_order(const char *prefix, bool sorts, struct buf *out)
{
    buf_addf(out,
             "/* Are they in that order, or can they be put into it? */\n"
             "static int %s_order(struct %s_place *all)\n{\n",
             prefix, prefix);
    if (sorts)
        buf_addf(out,
                 "    __UINTPTR_TYPE__ at, *to = 0;\n    long gap = 1, k, n;\n"
                 "    if (!all->mixed || all->sorted)\n        return 1;\n"
                 "    to = (__UINTPTR_TYPE__ *)__builtin_malloc((__SIZE_TYPE__)all->nr * "
                 "sizeof(*to));\n"
                 "    for (k = 0; to && k < all->nr; k++)\n"
                 "        to[k] = %s_row(all, k);\n"
                 "    while (gap < all->nr / 3)\n        gap = 3 * gap + 1;\n"
                 "    for (; to && gap > 0; gap /= 3)\n"
                 "        for (k = gap; k < all->nr; k++) {\n"
                 "            at = to[k];\n"
                 "            for (n = k; n >= gap && to[n - gap] > at; n -= gap)\n"
                 "                to[n] = to[n - gap];\n"
                 "            to[n] = at;\n        }\n"
                 "    all->sorted = to;\n    return to != 0;\n}\n\n",
                 prefix);
    else
        buf_add(out, "    return !all->mixed;\n}\n\n");
}

static void add_row_makers(const char *prefix, bool spans, struct buf *out)
{
    buf_addf(out,
             "/* Rows a[i][j], or a[i], of which the elements first to last are used; "
             "`alone`: not apart where two\n * of them share memory. */\n"
             "static struct %s_place %s_rows(const void *a, int levels, int alone, "
             "long i_first, long i_last,\n"
             "    long j_first, long j_last, long first, long last, long bytes)\n{\n"
             "    struct %s_place all = {0};\n    __UINTPTR_TYPE__ at, before;\n"
             "    int up = 1, down = 1;\n    long k;\n    all.apart = 1;\n"
             "    if (i_first > i_last || j_first > j_last || first > last)\n"
             "        return all;\n",
             prefix, prefix, prefix);
    buf_add(out, "    all.table = (const char *)a;\n    all.levels = levels;\n"
                 "    all.i_first = i_first;\n    all.j_first = j_first;\n"
                 "    all.j_nr = j_last - j_first + 1;\n"
                 "    all.nr = (i_last - i_first + 1) * all.j_nr;\n"
                 "    all.offset = (__UINTPTR_TYPE__)(first * bytes);\n"
                 "    all.length = (__UINTPTR_TYPE__)((last - first + 1) * bytes);\n");
    buf_addf(
        out,
        "    all.first = all.end = before = %s_row(&all, 0);\n"
        "    for (k = 0; k < all.nr; k++) {\n        at = %s_row(&all, k);\n"
        "        up = up && at >= before;\n        down = down && at <= before;\n"
        "        all.first = at < all.first ? at : all.first;\n"
        "        all.end = at > all.end ? at : all.end;\n        before = at;\n    }\n"
        "    all.end += all.length;\n    all.down = !up && down;\n"
        "    all.mixed = !up && !down;\n"
        "    all.apart = !alone || %s_order(&all);\n"
        "    for (k = 1; alone && all.apart && k < all.nr; k++)\n"
        "        all.apart = %s_row(&all, k - 1) + all.length <= %s_row(&all, k);\n"
        "    return all;\n}\n\n",
        prefix, prefix, prefix, prefix, prefix);
    if (spans)
        buf_addf(out,
                 "static inline struct %s_place %s_span(const void *first, const void "
                 "*last, long bytes)\n{\n"
                 "    return %s_rows(first, 1, 0, 0, 0, 0, 0, 0, ((const char *)last - "
                 "(const char *)first) / bytes, bytes);\n}\n\n",
                 prefix, prefix, prefix);
}

void gen_row_helpers(const char *prefix, bool spans, bool pairs, bool sorts,
                     struct buf *out)
{
    buf_addf(
        out,
        "/* Rows of one length: where they lie, and whether they are apart from what "
        "they were compared with. */\n"
        "struct %s_place {\n    const char *table;\n"
        "    int levels, down, mixed, apart;\n"
        "    long i_first, j_first, j_nr, nr;\n"
        "    __UINTPTR_TYPE__ offset, length, first, end, *sorted;\n};\n\n"
        "/* The address of the k-th, from the lowest on; `mixed`: in no order before "
        "they are sorted. */\n"
        "static __UINTPTR_TYPE__ %s_row(const struct %s_place *all, long k)\n{\n"
        "    const char *at = all->table;\n"
        "    if (all->sorted)\n        return all->sorted[k];\n"
        "    if (all->down)\n        k = all->nr - 1 - k;\n",
        prefix, prefix, prefix);
    buf_add(out,
            "    if (all->levels > 1)\n"
            "        __builtin_memcpy(&at, at + (all->i_first + (all->levels > 2 ? k / "
            "all->j_nr : k)) * (long)sizeof(at), sizeof(at));\n"
            "    if (all->levels > 2)\n"
            "        __builtin_memcpy(&at, at + (all->j_first + k % all->j_nr) * "
            "(long)sizeof(at), sizeof(at));\n"
            "    return (__UINTPTR_TYPE__)at + all->offset;\n}\n\n");
    add_row_order(prefix, sorts, out);
    add_row_makers(prefix, spans, out);
    if (pairs)
        buf_addf(
            out,
            "/* What they span is compared first: rows one by one only where one lies "
            "between others. */\n"
            "static struct %s_place %s_with(struct %s_place all, struct %s_place "
            "other)\n{\n    long i = 0, k = 0;\n"
            "    int between = all.end > other.first && other.end > all.first;\n"
            "    if (between && all.apart)\n"
            "        all.apart = %s_order(&all) && %s_order(&other);\n"
            "    while (between && all.apart && i < all.nr && k < other.nr)\n"
            "        if (%s_row(&all, i) + all.length <= %s_row(&other, k))\n"
            "            i++;\n"
            "        else if (%s_row(&other, k) + other.length <= %s_row(&all, i))\n"
            "            k++;\n"
            "        else\n            all.apart = 0;\n",
            prefix, prefix, prefix, prefix, prefix, prefix, prefix, prefix, prefix,
            prefix);
    if (pairs)
        buf_addf(out, "%s    return all;\n}\n\n",
                 sorts ? "    __builtin_free(other.sorted);\n" : "");
    buf_addf(out,
             "static inline int %s_apart(struct %s_place all)\n{\n%s"
             "    return all.apart;\n}\n\n",
             prefix, prefix, sorts ? "    __builtin_free(all.sorted);\n" : "");
}
