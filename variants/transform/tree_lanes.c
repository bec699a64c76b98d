/* vec(j:8): complete blocks of a loop become one operation on vectors. */
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "variants/model/tree.h"
#include "variants/transform/packing.h"
#include "variants/transform/steps.h"

struct lane_search {
    struct work *work;
    const struct lanes_wanted *vec;
    const struct tree *above[4 * DEPTH_MAX];
    size_t nr, done;
    struct error *err;
};

static int check_carried(const struct lane_search *at, const struct tree *band)
{
    struct buf why = {0};
    int status = band_check_apart(at->work, band, at->above, at->nr,
                                  "so its iterations cannot be lanes of a vector", &why);
    if (status)
        fail(at->err, STATUS_ILLEGAL, "vec(%s:%lld) is not legal: %s", at->vec->loop,
             at->vec->lanes, buf_str(&why));
    buf_release(&why);
    return status;
}

/* The first iteration of each complete block. */
static isl_set *first_lanes(const struct lane_search *at, const struct tree *band,
                            isl_set *whole, const struct statement *statement)
{
    isl_pw_aff *value = band_function(band, statement);
    value = isl_pw_aff_mod_val(
        value, isl_val_int_from_si(at->work->nest->model->ctx, at->vec->lanes));
    return isl_set_intersect(whole, isl_pw_aff_zero_set(value));
}

static bool restrict_to(const struct lane_search *at, const struct tree *band,
                        struct tree *leaf, bool vectors)
{
    const struct statement *statement = &at->work->nest->statement[leaf->statement];
    isl_set *broken =
        block_incomplete(at->work->nest, band, at->vec->lanes, at->above, at->nr, leaf);
    if (vectors)
        leaf->domain =
            first_lanes(at, band, isl_set_subtract(leaf->domain, broken), statement);
    else
        leaf->domain = isl_set_intersect(leaf->domain, broken);
    leaf->domain = isl_set_coalesce(leaf->domain);
    return isl_set_is_empty(leaf->domain) != isl_bool_true;
}

static struct tree *part(const struct lane_search *at, const struct tree *band,
                         bool vectors)
{
    struct tree *copy = tree_copy(band), *leaf = copy->child[0];
    if (!restrict_to(at, band, leaf, vectors)) {
        tree_free(copy);
        return NULL;
    }
    copy->lanes = vectors ? at->vec->lanes : 0;
    copy->rest = !vectors;
    copy->simd = copy->simd && !vectors;
    return copy;
}

static struct tree *vectorise(struct lane_search *at, struct tree *band)
{
    struct tree *vectors = part(at, band, true), *rest = part(at, band, false);
    if (!vectors) {
        tree_free(rest);
        return band;
    }
    at->done++;
    tree_free(band);
    if (!rest)
        return vectors;
    struct tree *seq = tree_new(TREE_SEQ);
    tree_add(seq, vectors);
    tree_add(seq, rest);
    return seq;
}

static bool is_single(const struct work *work, const struct tree *band)
{
    const struct tree *child = band->child[0];
    return band->child_nr == 1 && child->kind == TREE_LEAF &&
           child->statement < work->nest->statement_nr;
}

static int lanes_below(struct lane_search *at, struct tree **place)
{
    struct tree *tree = *place;
    bool band = tree->kind == TREE_BAND;
    if (band && (tree->rest || tree->role == BAND_ELEMENT))
        return 0;
    if (band && tree->role == BAND_LOOP && !strcmp(tree->name, at->vec->loop)) {
        if (!is_single(at->work, tree))
            return fail(at->err, STATUS_ILLEGAL,
                        "vec(%s:%lld) needs an innermost loop of one statement; "
                        "interchange it inwards or distribute it",
                        at->vec->loop, at->vec->lanes);
        if (check_carried(at, tree))
            return -1;
        *place = vectorise(at, tree);
        return 0;
    }
    if (band && at->nr < ARRAY_SIZE(at->above))
        at->above[at->nr++] = tree;
    else
        band = false;
    int status = 0;
    for (size_t i = 0; !status && i < tree->child_nr; i++)
        status = lanes_below(at, &tree->child[i]);
    at->nr -= band;
    return status;
}

int tree_lanes(struct work *work, const struct lanes_wanted *vec, struct error *err)
{
    struct lane_search at = {.work = work, .vec = vec, .err = err};
    if (lanes_below(&at, &work->tree))
        return -1;
    if (!at.done)
        return fail(err, STATUS_ILLEGAL,
                    "vec(%s:%lld): no block of %lld iterations of the loop is complete",
                    vec->loop, vec->lanes, vec->lanes);
    return 0;
}
