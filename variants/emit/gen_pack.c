/* Local buffers in the text: the statements that copy, and accesses that go to them. */
#include <stdlib.h>
#include <string.h>

#include "variants/emit/gen.h"
#include "variants/emit/gen_fetch.h"
#include "variants/ir/sum.h"
#include "variants/model/model_affine.h"
#include "variants/model/tree.h"
#include "variants/transform/packing.h"

/* Local buffers in the text: names, types and declarations. */
/* Larger ones do not go on the stack. */
enum { STACK_BYTES = 64 << 10, ALIGNMENT = 64 };
/* Elements that compilers keep in registers when all subscripts are numbers, as those of
 * unrolled loops: gcc then warns about each that may have no value. */
enum { REGISTERS = 64 };

/* ---- the buffers ---- */

static const struct ir_symbol *array_of(const struct gen *gen, const struct box *box)
{
    return gen->nest->cell[box->cell].symbol;
}

static size_t elements(const struct box *box)
{
    size_t nr = 1;
    for (size_t i = 0; i < box->dims; i++)
        nr *= (size_t)box->size[i];
    return nr;
}

static bool is_large(const struct gen *gen, const struct box *box)
{
    return elements(box) * array_of(gen, box)->type.bytes > STACK_BYTES;
}

/* "A_l"; "g_v_l" for g->v. */
static const char *buffer_name(struct gen *gen, const struct box *box)
{
    const char *suffix = box->is_scalar ? "_x" : "_l";
    return gen_name(gen, ir_textf(gen->arena, "%s%s", array_of(gen, box)->name, suffix),
                    false);
}

struct ir_symbol *gen_buffer(struct gen *gen, size_t index)
{
    struct work *work = gen->work;
    if (!gen->buffer)
        gen->buffer = ir_alloc(gen->arena, work->box_nr * sizeof(*gen->buffer));
    if (!gen->buffer[index]) {
        const struct box *box = &work->box[index];
        struct ir_type type = array_of(gen, box)->type;
        type.pointers = (int)(box->dims + box_panels(box));
        type.is_const = type.is_restrict = false;
        type.full = NULL;
        gen->buffer[index] = gen_symbol(gen, buffer_name(gen, box), &type);
    }
    return gen->buffer[index];
}

static bool is_shared_below(const struct tree *tree)
{
    bool found = false;
    for (size_t i = 0; !found && i < tree->child_nr; i++)
        found = tree->child[i]->parallel || is_shared_below(tree->child[i]);
    return found;
}

/* Each thread has its own static buffer: loops inside cannot be shared out. */
static void check_threads(struct gen *gen, const struct box *box)
{
    const struct tree *around = box->band ? box->band : gen->work->tree;
    if (is_large(gen, box) && is_shared_below(around))
        gen->problem =
            ir_textf(gen->model->arena,
                     "the buffer of '%s' belongs to one thread, and a loop inside '%s', "
                     "where it is "
                     "filled, is parallel; make '%s' or a loop outside of it parallel",
                     array_of(gen, box)->name, around->name, around->name);
}

static struct code *declaration(struct gen *gen, size_t index, const struct code *block)
{
    const struct box *box = &gen->work->box[index];
    struct ir_symbol *buffer = gen_buffer(gen, index);
    struct code *line = code_new(CODE_TEXT);
    struct buf text = {0};
    line->var = buffer;
    line->declares = true;
    check_threads(gen, box);
    bool large = is_large(gen, box);
    buf_addf(&text, "%s%s%s %s",
             large && gen->model->function->is_c89 ? "__extension__ " : "",
             large ? "static _Thread_local " : "", buffer->type.text, buffer->name);
    long long last = box->size[box->order[box->dims - 1]];
    if (box->panel)
        buf_addf(&text, "[%lld]", (last + box->panel - 1) / box->panel);
    for (size_t i = 0; i + 1 < box->dims; i++)
        buf_addf(&text, "[%lld]", box->size[box->order[i]]);
    buf_addf(&text, "[%lld]", box->panel ? box->panel : last);
    bool zero =
        elements(box) <= REGISTERS && code_fills_at_times(block, gen_buffer(gen, index));
    buf_addf(&text, " __attribute__((aligned(%d)))%s;\n", ALIGNMENT,
             zero ? " = {0}" : "");
    line->text = ir_text(gen->arena, buf_str(&text));
    buf_release(&text);
    return line;
}

static bool is_around(const struct box *box, const struct tree *band)
{
    for (size_t i = 0; i < box->prefix_nr; i++)
        if (box->prefix[i] == band)
            return true;
    return false;
}

/* The innermost block that holds every mention; values of a scalar's array may pass from
 * one iteration to the next of loops inside of those around it. */
static struct code *holder(struct code *code, const struct box *box,
                           const struct ir_symbol *symbol)
{
    struct code *only = code_only_user(code, symbol);
    if (!only ||
        (box->is_scalar && only->kind == CODE_FOR && !is_around(box, only->band)))
        return code;
    return holder(only, box, symbol);
}

void gen_buffers(struct gen *gen, struct code *code)
{
    for (size_t i = gen->buffer ? gen->work->box_nr : 0; i-- > 0;) {
        struct code *block = code;
        if (!gen->buffer[i])
            continue;
        if (!is_large(gen, &gen->work->box[i]))
            block = holder(code, &gen->work->box[i], gen->buffer[i]);
        while (block->kind != CODE_BLOCK)
            block = block->parent;
        code_insert(block, 0, declaration(gen, i, block));
    }
}

void gen_own_buffers(const struct gen *gen, struct code *loop)
{
    for (size_t i = 0; gen->buffer && i < gen->work->box_nr; i++) {
        const struct ir_symbol *buffer = gen->buffer[i];
        if (buffer && !is_large(gen, &gen->work->box[i]) &&
            is_around(&gen->work->box[i], loop->band) && code_mentions(loop, buffer) &&
            !code_declares(loop, buffer))
            strvec_push(&loop->privates, buffer->name);
    }
}

/* A buffer that every thread has its own of is filled by one and used by others: some
 * parallel loop holds only part of its mentions. */
bool gen_buffers_split(const struct gen *gen, const struct code *code)
{
    bool split = false;
    for (size_t i = gen->buffer ? gen->work->box_nr : 0; i-- > 0;) {
        const struct code *root = code;
        if (!gen->buffer[i] || !is_large(gen, &gen->work->box[i]) ||
            code->kind != CODE_FOR || !code->parallel ||
            !code_mentions(code, gen->buffer[i]))
            continue;
        while (root->parent)
            root = root->parent;
        const struct code *block =
            holder((struct code *)root, &gen->work->box[i], gen->buffer[i]);
        while (block && block != code)
            block = block->parent;
        split = split || !block;
    }
    for (size_t i = 0; !split && i < code->child_nr; i++)
        split = gen_buffers_split(gen, code->child[i]);
    return split;
}

static struct sum gen_aff_sum(struct gen *gen, isl_aff *aff,
                              struct ir_expr *const *value);

/* ---- value ---- */

/* Affine functions as C, of values that are known as expressions. */

static const char no_place[] = "the place of a local buffer cannot be written in C";

static long long gen_whole(struct gen *gen, isl_val *val)
{
    if (isl_val_is_int(val) != isl_bool_true)
        gen->problem = no_place;
    long long number = isl_val_get_num_si(val);
    isl_val_free(val);
    return number;
}

/* takes val; others are a problem */
static void gen_add_term(struct sum *sum, struct ir_arena *arena, long long factor,
                         struct ir_expr *expr)
{
    struct sum term = sum_of_expr(arena, expr);
    *sum = sum_add(sum, &term, factor);
}

static void add_params(struct gen *gen, isl_aff *aff, struct sum *sum)
{
    for (int i = 0; i < (int)isl_aff_dim(aff, isl_dim_param); i++) {
        long long factor =
            gen_whole(gen, isl_aff_get_coefficient_val(aff, isl_dim_param, i));
        isl_space *space = isl_aff_get_domain_space(aff);
        isl_id *id = isl_space_get_dim_id(space, isl_dim_param, (unsigned)i);
        struct ir_symbol *symbol;
        if (factor && param_of_id(gen->nest, id, &symbol))
            gen_add_term(sum, gen->arena, factor, ir_name(gen->arena, symbol));
        isl_id_free(id);
        isl_space_free(space);
    }
}

static struct ir_expr *floor_of_aff(struct gen *gen, isl_aff *aff,
                                    struct ir_expr *const *value)
{
    isl_val *denominator = isl_aff_get_denominator_val(aff);
    long long by = gen_whole(gen, isl_val_copy(denominator));
    struct sum sum = gen_aff_sum(gen, isl_aff_scale_val(aff, denominator), value);
    struct ir_expr *expr = sum_expr(gen->arena, &sum);
    return by > 1 ? raw_floor(gen, expr, by) : expr;
}

/* gen_value.c: an affine function of values that are raw expressions; takes aff. */
static struct sum gen_aff_sum(struct gen *gen, isl_aff *aff, struct ir_expr *const *value)
{
    struct sum sum = sum_constant(gen_whole(gen, isl_aff_get_constant_val(aff)));
    for (int i = 0; i < (int)isl_aff_dim(aff, isl_dim_in); i++) {
        long long factor =
            gen_whole(gen, isl_aff_get_coefficient_val(aff, isl_dim_in, i));
        if (factor && value[i])
            gen_add_term(&sum, gen->arena, factor, value[i]);
        else if (factor)
            gen->problem = no_place;
    }
    add_params(gen, aff, &sum);
    for (int i = 0; i < (int)isl_aff_dim(aff, isl_dim_div); i++) {
        long long factor =
            gen_whole(gen, isl_aff_get_coefficient_val(aff, isl_dim_div, i));
        if (factor)
            gen_add_term(&sum, gen->arena, factor,
                         floor_of_aff(gen, isl_aff_get_div(aff, i), value));
    }
    isl_aff_free(aff);
    return sum;
}

static isl_stat take_piece(isl_set *domain, isl_aff *aff, void *data)
{
    isl_aff **only = data;
    isl_set_free(domain);
    isl_aff_free(*only);
    *only = aff;
    return isl_stat_ok;
}

/* What a loop of one iteration, of which there is no loop in the text, counts, from the
 * iterators of the source; NULL where it is of several pieces. */
static struct ir_expr *gen_band_value(struct gen *gen, const struct tree *band,
                                      const struct statement *statement,
                                      struct ir_expr *const *raw)
{
    isl_pw_aff *f = isl_pw_aff_coalesce(band_function(band, statement));
    isl_aff *aff = NULL;
    if (band->scale)
        f = isl_pw_aff_scale_down_val(
            f, isl_val_int_from_si(gen->nest->model->ctx, band->scale));
    bool one = isl_pw_aff_n_piece(f) == 1 &&
               isl_pw_aff_foreach_piece(f, take_piece, &aff) == isl_stat_ok;
    isl_pw_aff_free(f);
    if (one)
        return floor_of_aff(gen, aff, raw);
    isl_aff_free(aff);
    return NULL;
}

/* ---- gen pack ---- */

/* ---- subscripts ---- */

/* First element of the box in dimension `dim`; value[] = those of the prefix, raw. */
static struct sum offset_of(struct gen *gen, const struct box *box, size_t dim,
                            struct ir_expr *const *value)
{
    return gen_aff_sum(gen, isl_multi_aff_get_aff(box->offset, (int)dim), value);
}

static struct ir_expr *element(struct gen *gen, struct ir_symbol *array,
                               struct ir_expr *const *subscript, size_t nr)
{
    struct ir_expr *expr = ir_name(gen->arena, array);
    for (size_t i = 0; i < nr; i++) {
        struct ir_expr *index = ir_expr_new(gen->arena, IR_INDEX, 2);
        index->type = array->type;
        index->type.full = NULL;
        index->type.pointers = (int)(nr - i) - 1;
        index->arg[0] = expr;
        index->arg[1] = subscript[i];
        expr = index;
    }
    return expr;
}

/* subscript[] by dimension of the array; of panels the number, and within it. */
static struct ir_expr *buffer_element(struct gen *gen, size_t index,
                                      struct ir_expr *const *subscript,
                                      struct ir_expr *panel)
{
    const struct box *box = &gen->work->box[index];
    struct ir_expr *ordered[SUBSCRIPTS_MAX];
    size_t first = box_panels(box);
    ordered[0] = panel;
    for (size_t i = 0; i < box->dims; i++)
        ordered[first + i] = subscript[box->order[i]];
    return element(gen, gen_buffer(gen, index), ordered, first + box->dims);
}

/* ---- accesses of the user's statements ---- */

struct redirect {
    const struct ir_expr *from[64];
    struct ir_expr *to[64];
    size_t nr;
};

static bool is_inside(const struct gen *gen, const struct box *box)
{
    bool inside = !box->band;
    for (size_t k = 0; k < gen->mark_nr; k++)
        inside = inside || gen->mark[k] == box->band;
    return inside;
}

/* False where the box is not the one in force. */
static bool prefix_values(struct gen *gen, const struct box *box,
                          const struct statement *statement, struct ir_expr *const *raw,
                          struct ir_expr **value)
{
    bool inside = is_inside(gen, box);
    for (size_t i = 0; inside && i < box->prefix_nr; i++) {
        value[i] = NULL;
        for (size_t k = 0; k < gen->level_nr; k++)
            if (gen->level[k].band == box->prefix[i])
                value[i] = ir_name(gen->arena, gen->level[k].hidden);
        if (!value[i])
            value[i] = gen_band_value(gen, box->prefix[i], statement, raw);
    }
    return inside;
}

/* The box's first element, for an expression in which the source's iterators are still to
 * be replaced: a loop variable may have the name of one and another value. */
static struct ir_expr *start_of(struct gen *gen, struct sum *offset)
{
    struct ir_symbol *symbol[4 * DEPTH_MAX];
    struct ir_expr *by[4 * DEPTH_MAX];
    for (size_t i = 0; i < gen->level_nr; i++) {
        symbol[i] = gen->level[i].var;
        by[i] = ir_name(gen->arena, gen->level[i].alias);
    }
    return ir_substitute(gen->arena, raw_finish(gen, sum_expr(gen->arena, offset)),
                         symbol, by, gen->level_nr);
}

static struct ir_expr *written(const struct access *access, size_t dim)
{
    return access->dim_nr ? access->dim[dim] : access->subscript[dim];
}

static struct ir_expr *buffer_subscript(struct gen *gen, const struct box *box,
                                        size_t dim, struct ir_expr *at,
                                        struct ir_expr *const *value)
{
    struct sum offset = offset_of(gen, box, dim, value),
               sum = sum_of_expr(gen->arena, at);
    struct sum start = sum_of_expr(gen->arena, start_of(gen, &offset));
    sum = sum_add(&sum, &start, -1);
    return sum_expr(gen->arena, &sum);
}

/* ---- panels ---- */

/* What all values of the band, as band_values has them, are multiples of. */
static long long multiple_of(const struct tree *band)
{
    return band->role == BAND_TILE && !band->scale ? band->size : 1;
}

/* The box begins where a panel of the loop, counted from 0, does. */
static bool begins_panel(struct gen *gen, const struct box *box, size_t dim)
{
    isl_aff *aff = isl_multi_aff_get_aff(box->offset, (int)dim);
    bool whole_panels = gen_whole(gen, isl_aff_get_constant_val(aff)) % box->panel == 0;
    for (size_t i = 0; i < box->prefix_nr; i++) {
        long long factor =
            gen_whole(gen, isl_aff_get_coefficient_val(aff, isl_dim_in, (int)i));
        whole_panels =
            whole_panels && factor * multiple_of(box->prefix[i]) % box->panel == 0;
    }
    for (int i = 0; i < (int)isl_aff_dim(aff, isl_dim_param); i++)
        whole_panels =
            whole_panels &&
            gen_whole(gen, isl_aff_get_coefficient_val(aff, isl_dim_param, i)) %
                    box->panel ==
                0;
    isl_aff_free(aff);
    return whole_panels;
}

/* The tile loop around whose tiles are the panels of this subscript; NULL = none. */
static const struct level *panel_loop(const struct gen *gen, const struct box *box,
                                      const struct ir_expr *subscript)
{
    const struct level *found = NULL;
    for (size_t i = 0; i < gen->level_nr; i++) {
        const struct tree *band = gen->level[i].band;
        if (band->role == BAND_TILE && band->size == box->panel && !band->base &&
            band->loop->stmt->step == 1 && band->step == 1 &&
            subscript->kind == IR_NAME && subscript->symbol == band->loop->stmt->iterator)
            found = &gen->level[i];
    }
    return found;
}

/* The panel's number; *within, so far the place in the box, becomes that in the panel. */
static struct ir_expr *take_panel(struct gen *gen, const struct box *box,
                                  struct ir_expr *subscript, struct ir_expr *const *value,
                                  struct ir_expr **within)
{
    struct ir_arena *arena = gen->arena;
    struct ir_expr *size = ir_integer(arena, box->panel);
    size_t dim = box->order[box->dims - 1];
    const struct level *level = panel_loop(gen, box, subscript);
    if (!level || !begins_panel(gen, box, dim)) {
        struct ir_expr *number = ir_binary(arena, "/", *within, size);
        *within = ir_binary(arena, "%", *within, size);
        return number;
    }
    struct sum tile = sum_constant(0);
    gen_add_term(&tile, arena, level->band->scale ? level->band->scale : 1,
                 ir_name(arena, level->hidden));
    struct ir_expr *origin = start_of(gen, &tile);
    struct sum sum = sum_of_expr(arena, subscript), start = sum_of_expr(arena, origin);
    sum = sum_add(&sum, &start, -1);
    *within = sum_expr(arena, &sum);
    return ir_binary(arena, "/", buffer_subscript(gen, box, dim, origin, value), size);
}

static void redirect_access(struct gen *gen, const struct access *access,
                            struct ir_expr *const *raw, struct redirect *redirect)
{
    struct ir_expr *value[4 * DEPTH_MAX], *subscript[SUBSCRIPTS_MAX];
    for (size_t b = 0; b < gen->work->box_nr; b++) {
        const struct box *box = &gen->work->box[b];
        if (box->is_scalar || !box_takes(gen->work, box, access) ||
            !prefix_values(gen, box, &gen->nest->statement[access->statement], raw,
                           value))
            continue;
        for (size_t i = 0; i < box->dims; i++)
            subscript[i] = buffer_subscript(gen, box, i, written(access, i), value);
        if (redirect->nr == ARRAY_SIZE(redirect->from)) {
            gen->problem = "a statement has too many accesses for local buffers";
            return;
        }
        const struct ir_symbol *factor;
        bool left;
        redirect->from[redirect->nr] =
            box->factor ? packed_product(gen->nest, access, &factor, &left)
                        : access->expr;
        size_t last = box->order[box->dims - 1];
        struct ir_expr *panel = box->panel ? take_panel(gen, box, written(access, last),
                                                        value, &subscript[last])
                                           : NULL;
        redirect->to[redirect->nr++] = buffer_element(gen, b, subscript, panel);
        return;
    }
}

static struct ir_expr *redirected(struct gen *gen, struct ir_expr *expr,
                                  const struct redirect *redirect)
{
    for (size_t i = 0; i < redirect->nr; i++)
        if (redirect->from[i] == expr)
            return redirect->to[i];
    if (!expr->arg_nr)
        return expr;
    struct ir_expr *copy = ir_expr_new(gen->arena, expr->kind, expr->arg_nr);
    struct ir_expr **arg = copy->arg;
    *copy = *expr;
    copy->arg = arg;
    for (size_t i = 0; i < expr->arg_nr; i++)
        arg[i] = redirected(gen, expr->arg[i], redirect);
    return copy;
}

/* ---- scalars that became arrays ---- */

static struct ir_stmt *assignment(struct gen *gen, struct ir_expr *to,
                                  struct ir_expr *from)
{
    struct ir_stmt *stmt = ir_stmt_new(gen->arena, IR_EXPR, 0);
    stmt->expr = ir_assign(gen->arena, "=", to, from);
    return stmt;
}

bool gen_is_expanded(const struct gen *gen, size_t cell)
{
    for (size_t b = 0; b < gen->work->box_nr; b++) {
        const struct box *box = &gen->work->box[b];
        if (box->is_scalar && box->cell == cell && is_inside(gen, box))
            return true;
    }
    return false;
}

static struct ir_expr *scalar_element(struct gen *gen, size_t index,
                                      const struct statement *statement,
                                      struct ir_expr *const *value)
{
    const struct box *box = &gen->work->box[index];
    struct ir_expr *subscript[SUBSCRIPTS_MAX];
    for (size_t i = 0; i < box->dims; i++) {
        struct ir_symbol *iterator = statement->loop[box->loop[i]]->stmt->iterator;
        struct sum offset = offset_of(gen, box, i, value),
                   sum = sum_of_expr(gen->arena, ir_name(gen->arena, iterator));
        struct sum start = sum_of_expr(gen->arena, start_of(gen, &offset));
        sum = sum_add(&sum, &start, -1);
        subscript[i] = sum_expr(gen->arena, &sum);
    }
    return buffer_element(gen, index, subscript, NULL);
}

/* T x = e as x_x[..] = e. */
static const struct ir_stmt *without_declaration(struct gen *gen,
                                                 const struct ir_stmt *stmt,
                                                 struct ir_symbol *const *symbol,
                                                 struct ir_expr *const *by, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        if (stmt->kind == IR_DECL && stmt->symbol == symbol[i])
            return assignment(gen, by[i],
                              ir_substitute(gen->arena, stmt->expr, symbol, by, nr));
    return stmt_substitute(gen->arena, stmt, symbol, by, nr);
}

static const struct ir_stmt *expanded(struct gen *gen, const struct statement *statement,
                                      const struct ir_stmt *stmt,
                                      struct ir_expr *const *raw)
{
    struct ir_symbol *symbol[16];
    struct ir_expr *by[16], *value[4 * DEPTH_MAX];
    size_t nr = 0;
    for (size_t b = 0; b < gen->work->box_nr; b++) {
        const struct box *box = &gen->work->box[b];
        bool used = false;
        for (size_t i = statement->access_begin; i < statement->access_end; i++)
            used = used || gen->nest->access[i].cell == box->cell;
        if (!used || !box->is_scalar || !prefix_values(gen, box, statement, raw, value))
            continue;
        if (nr == ARRAY_SIZE(symbol)) {
            gen->problem = "a statement has too many scalars that need arrays";
            break;
        }
        symbol[nr] = gen->nest->cell[box->cell].symbol;
        by[nr++] = scalar_element(gen, b, statement, value);
    }
    return nr ? without_declaration(gen, stmt, symbol, by, nr) : stmt;
}

const struct ir_stmt *gen_redirect(struct gen *gen, const struct statement *statement,
                                   struct ir_expr *const *raw)
{
    struct redirect redirect = {.nr = 0};
    for (size_t i = statement->access_begin; i < statement->access_end; i++)
        redirect_access(gen, &gen->nest->access[i], raw, &redirect);
    if (!redirect.nr)
        return expanded(gen, statement, statement->stmt, raw);
    struct ir_stmt *stmt = ir_alloc(gen->arena, sizeof(*stmt));
    *stmt = *statement->stmt;
    stmt->expr = redirected(gen, stmt->expr, &redirect);
    return expanded(gen, statement, stmt, raw);
}

/* ---- the copies ---- */

static struct ir_expr *user_element(struct gen *gen, const struct box *box,
                                    struct ir_expr **at)
{
    const struct cell *cell = &gen->nest->cell[box->cell];
    if (!cell->stride[0])
        return element(gen, cell->symbol, at, box->dims);
    struct ir_expr *sum = NULL;
    for (size_t i = 0; i < box->dims; i++) {
        struct ir_expr *term = cell->stride[i]->has_value && cell->stride[i]->value == 1
                                   ? at[i]
                                   : gen_plain(gen, "*", at[i], cell->stride[i]);
        sum = sum ? gen_plain(gen, "+", sum, term) : term;
    }
    return element(gen, cell->symbol, &sum, 1);
}

/* As the source has it, so that the same numbers come out. */
static struct ir_expr *with_factor(struct gen *gen, const struct box *box,
                                   struct ir_expr *user)
{
    struct ir_expr *factor = ir_name(gen->arena, (struct ir_symbol *)box->factor);
    return box->factor_left ? gen_plain(gen, "*", factor, user)
                            : gen_plain(gen, "*", user, factor);
}

static struct ir_stmt *copy_stmt(struct gen *gen, const struct copy *copy,
                                 struct ir_expr *local, struct ir_expr *user)
{
    const struct box *box = &gen->work->box[copy->box];
    if (copy->kind == COPY_FETCH) {
        struct ir_stmt *stmt = ir_stmt_new(gen->arena, IR_EXPR, 0);
        stmt->expr = fetch_call(gen, user, box->written, copy->level);
        return stmt;
    }
    if (box->factor)
        user = with_factor(gen, box, user);
    if (copy->lanes) {
        local = gen_vector_at(gen, local, copy->lanes);
        user = copy->kind == COPY_ZERO ? gen_vector_zero(gen, local)
                                       : gen_vector_at(gen, user, copy->lanes);
    }
    return copy->kind == COPY_OUT ? assignment(gen, user, local)
                                  : assignment(gen, local, user);
}

void gen_copy(struct gen *gen, struct code *block, isl_ast_expr *call, size_t index)
{
    const struct copy *copy = &gen->work->copy[index];
    const struct box *box = &gen->work->box[copy->box];
    struct ir_expr *value[4 * DEPTH_MAX], *there[SUBSCRIPTS_MAX], *here[SUBSCRIPTS_MAX];
    struct ir_expr *panel = NULL;
    size_t first = copy->kind == COPY_FETCH ? 0 : box_panels(box);
    for (size_t i = 0; i < box->prefix_nr; i++)
        value[i] = raw_expr(gen, isl_ast_expr_op_get_arg(call, (int)i + 1));
    if (first)
        panel = raw_expr(gen, isl_ast_expr_op_get_arg(call, (int)box->prefix_nr + 1));
    for (size_t i = 0; i < box->dims; i++) {
        struct ir_expr *raw = raw_expr(
            gen, isl_ast_expr_op_get_arg(call, (int)(box->prefix_nr + first + i) + 1));
        struct sum at = sum_of_expr(gen->arena, raw),
                   offset = offset_of(gen, box, i, value);
        at = sum_add(&at, &offset, -1);
        if (panel && i == box->order[box->dims - 1])
            gen_add_term(&at, gen->arena, -box->panel, panel);
        here[i] = raw_finish(gen, sum_expr(gen->arena, &at));
        there[i] = raw_finish(gen, raw);
    }
    panel = panel ? raw_finish(gen, panel) : NULL;
    struct code *code = code_new(CODE_STMT);
    code->statement = SIZE_MAX;
    code->vector = copy->lanes > 0;
    code->stmt = copy_stmt(gen, copy, buffer_element(gen, copy->box, here, panel),
                           user_element(gen, box, there));
    code_add(block, code);
}
