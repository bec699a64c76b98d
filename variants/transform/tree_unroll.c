/*
 * Unrolling and unroll-and-jam. Instances whose block of `factor` iterations is complete
 * go to a loop over blocks with the copies written out innermost. What else those blocks
 * hold (the corner of a triangle, the diagonal) is a loop inside of that loop, where it
 * belongs in the order of each copy, and blocks in which nothing is complete are a loop
 * behind it, or before it. So the copies need no guards, and the rest is plain code.
 */

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/error.h"
#include "variants/model/tree.h"
#include "variants/transform/steps.h"

/* ---- building the trees ---- */

/* The domains of the leaves become those of the part; leaves without instances go. False
 * when nothing is left. */
static bool restrict_leaves(struct tree *tree, const struct leaves *leaves, size_t *next,
                            enum part part)
{
    if (tree->kind == TREE_LEAF) {
        isl_set_free(tree->domain);
        tree->domain = isl_set_copy(leaves->part[part][(*next)++]);
        return isl_set_is_empty(tree->domain) != isl_bool_true;
    }
    size_t kept = 0;
    for (size_t i = 0; i < tree->child_nr; i++)
        if (restrict_leaves(tree->child[i], leaves, next, part))
            tree->child[kept++] = tree->child[i];
        else
            tree_free(tree->child[i]);
    tree->child_nr = kept;
    return kept > 0;
}

/* Takes the copy, whose leaves are those from the first one on. */
static struct tree *part_from(struct tree *copy, const struct leaves *leaves,
                              size_t first, enum part part)
{
    if (restrict_leaves(copy, leaves, &first, part)) {
        copy->rest = part != PART_FULL && part != PART_AFTER;
        return copy;
    }
    tree_free(copy);
    return NULL;
}

struct tree *leaves_part(const struct tree *tree, const struct leaves *leaves,
                         enum part part)
{
    return part_from(tree_copy(tree), leaves, 0, part);
}

static struct tree *copies(const struct unroll *at, struct tree *inner)
{
    struct tree *band = tree_new(TREE_BAND);
    band->loop = at->band->loop;
    band->name = "";
    band->role = BAND_COPY;
    band->size = at->size;
    band->base = at->band->base;
    band->step = at->band->step;
    band->f = isl_union_pw_aff_copy(at->band->f);
    tree_add(band, inner);
    return band;
}

static struct tree *jam(const struct unroll *at, struct tree *tree)
{
    if (tree_is_straight(tree))
        return copies(at, tree);
    for (size_t i = 0; i < tree->child_nr; i++)
        tree->child[i] = jam(at, tree->child[i]);
    return tree;
}

static void add_block_values(const struct unroll *at, const struct tree *tree,
                             isl_union_pw_aff **f)
{
    if (tree->kind == TREE_LEAF)
        *f = function_add(*f, unroll_block(at, unroll_statement(at, tree)));
    for (size_t i = 0; i < tree->child_nr; i++)
        add_block_values(at, tree->child[i], f);
}

static struct tree *block_band(const struct unroll *at, struct tree *inner)
{
    struct tree *band = tree_new(TREE_BAND);
    band->loop = at->band->loop;
    band->name = at->band->name;
    band->role = BAND_BLOCK;
    band->size = at->size;
    band->accumulators = at->accumulates ? at->size / band_unit(at->band) : 0;
    band->tables = at->tables ? at->size / band_unit(at->band) : 0;
    band->scale = at->from_start ? 0 : at->size;
    band->base = at->band->base;
    band->step = at->band->step;
    band->f = isl_union_pw_aff_empty(isl_space_copy(at->nest->params));
    add_block_values(at, at->band, &band->f);
    tree_add(band, inner);
    return band;
}

struct tree *trees_in_order(struct tree *const *part, size_t nr)
{
    struct tree *seq = tree_new(TREE_SEQ);
    for (size_t i = 0; i < nr; i++)
        if (part[i])
            tree_add(seq, part[i]);
    if (seq->child_nr > 1)
        return seq;
    struct tree *only = seq->child[0];
    seq->child_nr = 0;
    tree_free(seq);
    return only;
}

static bool has_part(const struct leaves *leaves, enum part part)
{
    for (size_t i = 0; i < leaves->nr; i++)
        if (leaves->part[part][i] &&
            isl_set_is_empty(leaves->part[part][i]) != isl_bool_true)
            return true;
    return false;
}

/* The corner of a part of the body, copy by copy: in a loop, the variables of the copies
 * that the parts share would be elements of arrays, which stay in memory. */
static struct tree *corner_copies(const struct unroll *at, const struct leaves *leaves,
                                  size_t first, const struct tree *part)
{
    struct tree *corner = part_from(tree_copy(part), leaves, first, PART_CORNER);
    return corner ? copies(at, corner) : NULL;
}

/* A part of the body, in all copies of a block: what is complete, the corner, and what is
 * complete behind it. */
static void add_parts(const struct unroll *at, const struct leaves *leaves, size_t *first,
                      const struct tree *part, struct tree *seq)
{
    struct tree *full = part_from(tree_copy(part), leaves, *first, PART_FULL),
                *after = part_from(tree_copy(part), leaves, *first, PART_AFTER),
                *corner = corner_copies(at, leaves, *first, part);
    struct leaves own = {0};
    if (full)
        tree_add(seq, jam(at, full));
    if (corner)
        tree_add(seq, corner);
    if (after)
        tree_add(seq, jam(at, after));
    leaves_find(part, &own);
    *first += own.nr;
    free(own.leaf);
}

/* The body, part by part: each copy of a block does them in its order. */
static struct tree *jam_by_parts(const struct unroll *at, const struct leaves *leaves)
{
    const struct tree *body = at->band->child[0];
    struct tree *seq = tree_new(TREE_SEQ);
    size_t first = 0;
    for (size_t i = 0; i < body->child_nr; i++)
        add_parts(at, leaves, &first, body->child[i], seq);
    return seq;
}

/* NULL when no block is complete. */
static struct tree *assemble(const struct unroll *at, const struct leaves *leaves,
                             bool with_jam)
{
    bool corner = has_part(leaves, PART_CORNER), by_parts = leaves->part[PART_AFTER][0];
    if (!has_part(leaves, PART_FULL) && !has_part(leaves, PART_AFTER))
        return NULL;
    struct tree *rest = leaves_part(at->band, leaves, PART_REST), *body;
    if (by_parts) {
        body = jam_by_parts(at, leaves);
    } else {
        struct tree *inner = leaves_part(at->band->child[0], leaves, PART_FULL);
        struct tree *both[] = {with_jam ? jam(at, inner) : copies(at, inner),
                               leaves_part(at->band, leaves, PART_CORNER)};
        body = trees_in_order(both, ARRAY_SIZE(both));
    }
    struct tree *blocks = block_band(at, body);
    if (corner) /* a loop of the user's name is inside */
        blocks->name = ir_textf(at->nest->model->arena, "%sb", at->band->name);
    struct tree *head = leaves_part(at->band, leaves, PART_HEAD);
    struct tree *all[] = {head, blocks, rest};
    return trees_in_order(all, ARRAY_SIZE(all));
}

/* Of a body with loops and statements beside them. */
static bool has_statements_beside_loops(const struct tree *body)
{
    bool any = false;
    for (size_t i = 0; body->kind == TREE_SEQ && i < body->child_nr; i++)
        any = any || tree_is_straight(body->child[i]);
    return any && !tree_is_straight(body);
}

static struct tree *unroll_band(const struct unroll *at, bool with_jam)
{
    struct leaves leaves = {0};
    unroll_split(at, &leaves);
    if (with_jam && has_statements_beside_loops(at->band->child[0]) &&
        has_part(&leaves, PART_CORNER))
        unroll_split_after(at, &leaves);
    struct tree *new = assemble(at, &leaves, with_jam);
    leaves_release(&leaves);
    return new;
}

/* ---- finding the bands ---- */

struct search {
    struct work *work;
    const char *name; /* NULL: loops that update tables of the work */
    long long factor;
    enum copies copies;
    struct buf why; /* a loop of that name has nothing to accumulate */
    const struct tree *above[4 * DEPTH_MAX];
    size_t above_nr, done;
};

static bool is_tiled(const struct search *at, const struct tree *band)
{
    for (size_t i = 0; i < at->above_nr; i++)
        if (at->above[i]->role == BAND_TILE && at->above[i]->loop == band->loop)
            return true;
    return false;
}

/* All statements stem from the loop's own body. */
static bool is_own(const struct nest *nest, const struct tree *band,
                   const struct tree *below)
{
    const struct statement *statement = &nest->statement[below->statement];
    size_t pos = (size_t)band->loop->depth;
    bool own = below->kind != TREE_LEAF ||
               (pos < statement->depth && statement->loop[pos] == band->loop);
    for (size_t i = 0; own && i < below->child_nr; i++)
        own = is_own(nest, band, below->child[i]);
    return own;
}

/* A loop that begins at an outer iterator: blocks from there on have a rest at the end
 * only. In tiles most blocks begin where the tile does. */
static bool counts_from_start(const struct search *at, const struct tree *band)
{
    const struct ir_expr *lower = band->loop->stmt->lower;
    return !band->base && !band->skewed && !band_is_turned(band) && !lower->has_value &&
           (band_unit(band) != 1 || !is_tiled(at, band)) &&
           is_own(at->work->nest, band, band);
}

static struct tree *unroll_found(const struct search *at, const struct tree *band)
{
    struct unroll unroll = {.nest = at->work->nest,
                            .band = band,
                            .above = at->above,
                            .above_nr = at->above_nr,
                            .size = at->factor * band_unit(band),
                            .accumulates = at->copies == COPIES_ACCUMULATE,
                            .tables = !at->name,
                            .from_start = counts_from_start(at, band)};
    return unroll_band(&unroll, at->copies == COPIES_JAMMED);
}

/* An element is kept in a variable first, which rests on what arrays overlap. */
static bool may_be_unrolled(struct search *at, const struct tree *band)
{
    bool element = false;
    if (at->copies != COPIES_ACCUMULATE)
        return true;
    if (!band_accumulates(at->work->nest, band, 0, &element, &at->why))
        return false;
    at->work->reorders = at->work->reorders || element;
    return true;
}

static bool updates_tables(struct search *at, const struct tree *band)
{
    bool any = false;
    for (size_t i = 0; i < at->work->table_nr; i++)
        if (!band_updates(at->work->nest, band, &at->work->table[i], &any, &at->why))
            return false;
    return any;
}

static bool is_meant(struct search *at, const struct tree *band)
{
    if (band->role != BAND_LOOP)
        return false;
    return at->name ? !strcmp(band->name, at->name) && may_be_unrolled(at, band)
                    : updates_tables(at, band);
}

static struct tree *search_below(struct search *at, struct tree *tree)
{
    bool band = tree->kind == TREE_BAND;
    if (band && tree->rest)
        return tree;
    if (band && is_meant(at, tree)) {
        struct tree *new = unroll_found(at, tree);
        at->done++;
        if (!new)
            return tree;
        tree_free(tree);
        return new;
    }
    if (band && at->above_nr < ARRAY_SIZE(at->above))
        at->above[at->above_nr++] = tree;
    for (size_t i = 0; i < tree->child_nr; i++)
        tree->child[i] = search_below(at, tree->child[i]);
    at->above_nr -= band;
    return tree;
}

int tree_unroll(struct work *work, const char *name, long long factor, enum copies copies,
                struct error *err)
{
    struct search search = {
        .work = work, .name = name, .factor = factor, .copies = copies};
    work->tree = search_below(&search, work->tree);
    if (!search.done && search.why.length)
        fail(err, STATUS_ILLEGAL,
             "the loop over %s has nothing that several accumulators could "
             "share: %s",
             name, buf_str(&search.why));
    buf_release(&search.why);
    if (err && err->status)
        return -1;
    if (!search.done)
        return fail(err, STATUS_USAGE,
                    "'%s' is not a loop of the source that could be unrolled once", name);
    return 0;
}

size_t tree_unroll_tables(struct work *work, long long factor, struct buf *why)
{
    struct search search = {.work = work, .factor = factor};
    work->tree = search_below(&search, work->tree);
    buf_add(why, buf_str(&search.why));
    buf_release(&search.why);
    return search.done;
}
