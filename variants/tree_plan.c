/* What each step of a plan does to the loop tree. Whether the result is legal is asked
 * afterwards, of the whole. */
#include "variants/poly.h"

#include <stdlib.h>
#include <string.h>

bool tree_is_straight(const struct tree *tree)
{
    if (tree->kind == TREE_BAND && tree->role != BAND_COPY)
        return false;
    for (size_t i = 0; i < tree->child_nr; i++)
        if (!tree_is_straight(tree->child[i]))
            return false;
    return true;
}

isl_pw_aff *band_function(const struct tree *band, const struct statement *statement)
{
    isl_space *space = isl_space_map_from_domain_and_range(
        isl_set_get_space(statement->domain), isl_union_pw_aff_get_space(band->f));
    isl_space_free(space);
    space = isl_space_from_domain(isl_set_get_space(statement->domain));
    return isl_union_pw_aff_extract_pw_aff(band->f,
                                           isl_space_add_dims(space, isl_dim_out, 1));
}

isl_pw_aff *pw_aff_block(isl_pw_aff *pa, long long size)
{
    isl_val *val = isl_val_int_from_si(isl_pw_aff_get_ctx(pa), size);
    pa = isl_pw_aff_floor(isl_pw_aff_scale_down_val(pa, isl_val_copy(val)));
    return isl_pw_aff_scale_val(pa, val);
}

static bool has_all(const struct tree *tree, const struct plan_step *step, size_t first)
{
    for (size_t i = first; i < step->arg_nr; i++)
        if (!tree_has(tree, step->arg[i].name))
            return false;
    return true;
}

/* ---- tile ---- */

/* First or last value of the loop as a statement outside of it sees it; 0 where that
 * cannot be said. */
static isl_pw_aff *edge_value(struct nest *nest, const struct tree *band,
                              const struct statement *statement, bool last)
{
    struct affine at = affine_of(nest, statement);
    const struct ir_stmt *stmt = band->loop->stmt;
    bool inclusive = strchr(stmt->cmp, '=') != NULL && strcmp(stmt->cmp, "!=");
    isl_pw_aff *value = last         ? affine_expr(&at, stmt->upper)
                        : band->base ? NULL
                                     : affine_expr(&at, stmt->lower);
    if (!value)
        value = isl_pw_aff_from_aff(
            isl_aff_zero_on_domain(isl_local_space_from_space(isl_space_copy(at.space))));
    else if (last && band->base)
        value = isl_pw_aff_sub(value, affine_expr(&at, band->base));
    if (stmt->step < 0)
        value = isl_pw_aff_neg(value);
    if (last && !inclusive)
        value =
            isl_pw_aff_add_constant_val(value, isl_val_int_from_si(nest->model->ctx, -1));
    long long size = stmt->step < 0 ? -stmt->step : stmt->step;
    if (last && size > 1)
        value = isl_pw_aff_floor(isl_pw_aff_scale_down_val(
            value, isl_val_int_from_si(nest->model->ctx, size)));
    isl_space_free(at.space);
    return value;
}

struct tiling {
    struct nest *nest;
    const char *name;
    long long size;
    isl_union_pw_aff *f;
    const struct tree *first; /* first band of this name met */
    bool mixed;               /* bands of this name with different origins */
};

static void tile_leaf(struct tiling *at, const struct tree *leaf,
                      const struct tree *under, const struct tree *edge)
{
    const struct statement *statement = &at->nest->statement[leaf->statement];
    isl_pw_aff *value = under ? band_function(under, statement)
                              : edge_value(at->nest, edge, statement, at->first != NULL);
    isl_union_pw_aff *f = isl_union_pw_aff_from_pw_aff(pw_aff_block(value, at->size));
    at->f = isl_union_pw_aff_union_add(at->f, f);
}

/* A statement outside of the tiled loop goes to its first tile when it precedes it, to
 * the last when it follows. */
static void tile_below(struct tiling *at, const struct tree *tree,
                       const struct tree *under, const struct tree *edge)
{
    if (tree->kind == TREE_LEAF) {
        tile_leaf(at, tree, under, edge);
        return;
    }
    bool named = tree->kind == TREE_BAND && !under && !strcmp(tree->name, at->name);
    if (named) {
        at->mixed = at->mixed || (at->first && (at->first->base != tree->base ||
                                                at->first->step != tree->step));
        at->first = at->first ? at->first : tree;
    }
    for (size_t i = 0; i < tree->child_nr; i++)
        tile_below(at, tree->child[i], named ? tree : under, edge);
}

static const struct tree *find_band(const struct tree *tree, const char *name)
{
    if (tree->kind == TREE_BAND && !strcmp(tree->name, name))
        return tree;
    const struct tree *found = NULL;
    for (size_t i = 0; !found && i < tree->child_nr; i++)
        found = find_band(tree->child[i], name);
    return found;
}

static bool name_taken(const struct work *work, const char *name)
{
    const struct ir_function *function = work->nest->model->function;
    for (size_t i = 0; i < function->symbol_nr; i++)
        if (!strcmp(function->symbol[i]->name, name))
            return true;
    return tree_has(work->tree, name);
}

static const char *tile_name(const struct work *work, const char *loop)
{
    struct ir_arena *arena = work->nest->model->arena;
    const char *name = ir_textf(arena, "%st", loop);
    for (int i = 2; name_taken(work, name); i++)
        name = ir_textf(arena, "%st%d", loop, i);
    return name;
}

/* The statements of a split loop occur twice below; each gets its function once. */
static isl_union_pw_aff *once(const struct nest *nest)
{
    return isl_union_pw_aff_empty(isl_space_copy(nest->params));
}

static struct tree *tile_band(struct work *work, const struct tree *root,
                              const struct step_arg *arg, const char *name)
{
    const struct tree *band = find_band(root, arg->name);
    struct tiling at = {
        .nest = work->nest, .name = arg->name, .size = arg->value, .f = once(work->nest)};
    struct tree *tile = tree_new(TREE_BAND);
    tile_below(&at, root, NULL, band);
    tile->loop = band->loop;
    tile->name = name;
    tile->role = BAND_TILE;
    tile->size = arg->value;
    tile->base = at.mixed ? NULL : band->base;
    tile->step = at.mixed ? 1 : band->step;
    tile->f = at.f;
    return tile;
}

/* Puts tile bands over the outermost named loops; returns the new subtree. */
static struct tree *tile_tree(struct work *work, struct tree *tree,
                              const struct plan_step *step, const char *const *name)
{
    struct tree *top = NULL, *bottom = NULL;
    bool named = false;
    for (size_t i = 0; i < step->arg_nr; i++)
        named =
            named || (tree->kind == TREE_BAND && !strcmp(tree->name, step->arg[i].name));
    if (!named) {
        for (size_t i = 0; i < tree->child_nr; i++)
            tree->child[i] = tile_tree(work, tree->child[i], step, name);
        return tree;
    }
    for (size_t i = 0; i < step->arg_nr; i++) {
        if (!tree_has(tree, step->arg[i].name))
            continue;
        struct tree *tile = tile_band(work, tree, &step->arg[i], name[i]);
        if (bottom)
            tree_add(bottom, tile);
        top = top ? top : tile;
        bottom = tile;
    }
    tree_add(bottom, tree);
    return top;
}

static int apply_tile(struct work *work, const struct plan_step *step, struct error *err)
{
    const char **name = xcalloc(step->arg_nr, sizeof(*name));
    (void)err;
    for (size_t i = 0; i < step->arg_nr; i++)
        name[i] = tile_name(work, step->arg[i].name);
    work->tree = tile_tree(work, work->tree, step, name);
    free(name);
    work->reorders = true;
    return 0;
}

/* ---- interchange ---- */

static bool names_it(const struct plan_step *step, const struct tree *tree)
{
    for (size_t i = 0; i < step->arg_nr; i++)
        if (tree->kind == TREE_BAND && !strcmp(tree->name, step->arg[i].name))
            return true;
    return false;
}

/* Everything but the place in the tree. */
static void swap_bands(struct tree *a, struct tree *b)
{
    struct tree first = *a, second = *b;
    *a = second;
    *b = first;
    a->child = first.child, a->child_nr = first.child_nr,
    a->child_alloc = first.child_alloc;
    b->child = second.child, b->child_nr = second.child_nr,
    b->child_alloc = second.child_alloc;
}

static void sort_chain(struct tree **place, const struct plan_step *step)
{
    for (size_t i = 0; i < step->arg_nr; i++)
        for (size_t k = i; k < step->arg_nr; k++)
            if (k != i && !strcmp(place[k]->name, step->arg[i].name))
                swap_bands(place[i], place[k]);
}

static int permute(struct tree *tree, const struct plan_step *step, size_t *done,
                   struct error *err)
{
    struct tree **place = xcalloc(step->arg_nr, sizeof(*place));
    size_t found = 0;
    for (struct tree *at = tree; at->kind == TREE_BAND && found < step->arg_nr;
         at = at->child[0])
        if (names_it(step, at))
            place[found++] = at;
    if (found == step->arg_nr) {
        sort_chain(place, step);
        ++*done;
    } else
        fail(err, STATUS_ILLEGAL,
             "the loops of the interchange are not perfectly nested in one another at "
             "line %d",
             tree->loop->stmt->line);
    free(place);
    return found == step->arg_nr ? 0 : -1;
}

static int interchange_below(struct tree *tree, const struct plan_step *step,
                             size_t *done, struct error *err)
{
    if (names_it(step, tree))
        return tree->rest ? 0 : permute(tree, step, done, err);
    for (size_t i = 0; i < tree->child_nr; i++)
        if (interchange_below(tree->child[i], step, done, err))
            return -1;
    return 0;
}

static int apply_interchange(struct work *work, const struct plan_step *step,
                             struct error *err)
{
    size_t done = 0;
    work->reorders = true;
    return interchange_below(work->tree, step, &done, err);
}

/* ---- unrolling, prefetching ---- */

static int apply_unroll(struct work *work, const struct plan_step *step,
                        struct error *err)
{
    bool jam = step->kind == STEP_UNROLL_JAM;
    for (size_t i = 0; i < step->arg_nr; i++)
        if (tree_unroll(work, step->arg[i].name, step->arg[i].value, jam, err))
            return -1;
    work->reorders = work->reorders || jam;
    return 0;
}

static struct cell *find_array(const struct nest *nest, const char *name)
{
    for (size_t i = 0; i < nest->cell_nr; i++)
        if (!nest->cell[i].is_private && nest->cell[i].dims &&
            !strcmp(nest->cell[i].symbol->name, name))
            return &nest->cell[i];
    return NULL;
}

static int apply_prefetch(struct work *work, const struct plan_step *step,
                          struct error *err)
{
    (void)err;
    for (size_t i = 0; i < step->arg_nr; i++) {
        const struct cell *cell = find_array(work->nest, step->arg[i].name);
        if (!cell)
            continue;
        GROW(work->prefetch, work->prefetch_nr + 1, work->prefetch_alloc);
        work->prefetch[work->prefetch_nr++] = (struct prefetch){
            .name = step->arg[i].name,
            .array = cell->symbol,
            .distance = step->arg[i].value,
            .level = step->option[OPTION_TO] ? (int)step->option[OPTION_TO] : 1};
    }
    return 0;
}

static int apply_simd(struct work *work, const struct plan_step *step, struct error *err)
{
    (void)step, (void)err;
    work->simd_wanted = true; /* decided when the tree is final: work_simd */
    return 0;
}

/* ---- the whole plan ---- */

typedef int (*apply_fn)(struct work *work, const struct plan_step *step,
                        struct error *err);

static apply_fn apply_of(enum step_kind kind)
{
    static const apply_fn by_kind[STEP_KIND_NR] = {
        [STEP_TILE] = apply_tile,
        [STEP_SKEW_TILE] = tree_skew_tile,
        [STEP_INTERCHANGE] = apply_interchange,
        [STEP_SKEW] = tree_skew,
        [STEP_FUSE] = tree_fuse,
        [STEP_DISTRIBUTE] = tree_distribute,
        [STEP_UNROLL_JAM] = apply_unroll,
        [STEP_UNROLL] = apply_unroll,
        [STEP_FULL] = tree_full,
        [STEP_PACK] = tree_pack,
        [STEP_VEC] = tree_vec,
        [STEP_PAD] = tree_pad,
        [STEP_SIMD] = apply_simd,
        [STEP_PARALLEL] = tree_parallel,
        [STEP_PREFETCH] = apply_prefetch,
        [STEP_NONTEMPORAL] = tree_nontemporal,
    };
    return by_kind[kind];
}

/* How many of the step's first names are arrays; the others are loops. */
static size_t array_names(const struct plan_step *step)
{
    if (step->kind == STEP_PREFETCH || step->kind == STEP_NONTEMPORAL ||
        step->kind == STEP_PAD)
        return step->arg_nr;
    return step->kind == STEP_PACK;
}

static bool concerns(const struct work *work, const struct plan_step *step)
{
    size_t arrays = array_names(step), found = 0;
    if (!work->tree)
        return false;
    for (size_t i = 0; i < arrays; i++)
        found += find_array(work->nest, step->arg[i].name) != NULL;
    return (found || !arrays) && has_all(work->tree, step, arrays);
}

static void add_name(struct buf *out, const char *name)
{
    struct buf padded = {0}, have = {0};
    buf_addf(&padded, ", %s,", name);
    buf_addf(&have, ", %s,", buf_str(out));
    if (!strstr(buf_str(&have), buf_str(&padded)))
        buf_addf(out, "%s%s", out->length ? ", " : "", name);
    buf_release(&padded);
    buf_release(&have);
}

static void name_bands(const struct tree *tree, struct buf *out)
{
    if (tree->kind == TREE_BAND && tree->role != BAND_COPY)
        add_name(out, tree->name);
    for (size_t i = 0; i < tree->child_nr; i++)
        name_bands(tree->child[i], out);
}

static void name_arrays(const struct nest *nest, struct buf *out)
{
    for (size_t i = 0; i < nest->cell_nr; i++)
        if (!nest->cell[i].is_private && nest->cell[i].dims)
            add_name(out, nest->cell[i].symbol->name);
}

static int nothing_named(const struct model *model, const struct plan_step *step,
                         const struct work *works, struct error *err)
{
    struct buf have = {0}, text = {0};
    bool array = array_names(step) == step->arg_nr && step->arg_nr;
    for (size_t i = 0; i < model->nest_nr; i++)
        if (works[i].tree && array)
            name_arrays(model->nest[i], &have);
        else if (works[i].tree)
            name_bands(works[i].tree, &have);
    plan_step_text(step, &text);
    if (!have.length)
        fail(err, STATUS_ILLEGAL, "no loop can be transformed: %s",
             model->refusal.nr ? model->refusal.v[0] : "none is modelled");
    else
        fail(err, STATUS_USAGE, "no nest has %s named in '%s'; there are %s",
             array ? "the array" : "the loops", buf_str(&text), buf_str(&have));
    buf_release(&have);
    buf_release(&text);
    return -1;
}

static int apply_step(struct model *model, const struct plan_step *step,
                      struct work *works, struct error *err)
{
    size_t done = 0;
    for (size_t i = 0; i < model->nest_nr; i++) {
        if (!concerns(&works[i], step))
            continue;
        if (apply_of(step->kind)(&works[i], step, err))
            return -1;
        works[i].touched = works[i].touched || step->kind != STEP_SIMD;
        done++;
    }
    return done ? 0 : nothing_named(model, step, works, err);
}

static int apply_simds(struct model *model, const struct plan *plan, struct work *works,
                       struct error *err)
{
    for (size_t k = 0; k < plan->step_nr; k++) {
        const struct plan_step *step = &plan->step[k];
        size_t found = 0, first = SIZE_MAX;
        if (step->kind != STEP_SIMD)
            continue;
        for (size_t i = 0; i < model->nest_nr; i++) {
            if (!concerns(&works[i], step))
                continue;
            if (work_simd(&works[i], step, err))
                return -1;
            found += works[i].simd_found;
            first = first == SIZE_MAX ? i : first;
        }
        if (!found)
            return fail(err, STATUS_ILLEGAL, "no innermost loop can be vectorised: %s",
                        buf_str(&works[first].simd_reason));
    }
    return 0;
}

int plan_apply(struct model *model, const struct plan *plan, struct work *works,
               struct error *err)
{
    for (size_t i = 0; i < model->nest_nr; i++) {
        works[i] = (struct work){.nest = model->nest[i]};
        works[i].tree = model->nest[i]->refusal ? NULL : tree_copy(model->nest[i]->tree);
    }
    for (size_t k = 0; k < plan->step_nr; k++)
        if (plan->step[k].kind != STEP_SET && /* it made this model: see kernel.c */
            apply_step(model, &plan->step[k], works, err))
            return -1;
    return apply_simds(model, plan, works, err);
}

void works_free(struct model *model, struct work *works)
{
    for (size_t i = 0; i < model->nest_nr; i++) {
        tree_free(works[i].tree);
        free(works[i].prefetch);
        buf_release(&works[i].simd_reason);
        free(works[i].parallel);
        strvec_release(&works[i].said);
        work_memory_free(&works[i]);
    }
}
