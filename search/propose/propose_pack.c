/* Register blocks with packed operands for products of matrices. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/machine/machine.h"
#include "search/propose/propose_blocks.h"
#include "search/propose/propose_sums.h"
#include "search/propose/uses.h"

struct product {
    /* By the loop, of the last three, that does not move them. */
    const char *array[3][BLOCK_OPERANDS_MAX];
    int written; /* that of the result; its loop adds up */
    int along;   /* the loop along the result's rows */
    size_t element_bytes;
};

static int still_loop(const struct nest *nest, const struct kernel_access *access)
{
    for (int d = 0; d < 3; d++)
        if (access->stride_at[nest->nr - 3 + (size_t)d] == 0)
            return d;
    return -1;
}

static int unit_loop(const struct nest *nest, const struct kernel_access *access,
                     size_t bytes)
{
    for (int d = 0; d < 3; d++)
        if (fabs(access->stride_at[nest->nr - 3 + (size_t)d]) == (double)bytes)
            return d;
    return -1;
}

/* NULL = there are too many of them. */
static const char **place_of(struct product *product, int still, const char *array)
{
    for (size_t i = 0; i < BLOCK_OPERANDS_MAX; i++)
        if (!product->array[still][i] || !strcmp(product->array[still][i], array))
            return &product->array[still][i];
    return NULL;
}

/* What is read elsewhere while it is written has one packed copy only. */
static bool result_is_apart(const struct product *product)
{
    const char *result = product->array[product->written][0];
    for (int d = 0; d < 3; d++)
        for (size_t i = 0; d != product->written && i < BLOCK_OPERANDS_MAX; i++)
            if (product->array[d][i] && !strcmp(product->array[d][i], result))
                return false;
    return !product->array[product->written][1];
}

static bool take_access(const struct nest *nest, const struct kernel_access *access,
                        int still, struct product *product)
{
    const struct kernel_array *array = &nest->view->array[access->array];
    const char **place = place_of(product, still, array->name);
    if (!place ||
        (product->element_bytes && product->element_bytes != array->element_bytes) ||
        (access->write && product->written >= 0 && product->written != still))
        return false;
    *place = array->name;
    product->element_bytes = array->element_bytes;
    if (access->write) {
        product->written = still;
        product->along = unit_loop(nest, access, array->element_bytes);
    }
    return true;
}

/* In the innermost loop: arrays for each loop, one of them written; elements of one size.
 */
static bool read_product(const struct nest *nest, struct product *product)
{
    const struct kernel_view *view = nest->view;
    *product = (struct product){.written = -1, .along = -1};
    for (size_t i = 0; i < view->access_nr; i++) {
        const struct kernel_access *access = &view->access[i];
        bool inside = nest_holds(nest, access) &&
                      (size_t)view->loop[access->loop].depth + 1 == nest->nr;
        int still = inside ? still_loop(nest, access) : -1;
        if (still >= 0 && !take_access(nest, access, still, product))
            return false;
    }
    return product->array[0][0] && product->array[1][0] && product->array[2][0] &&
           product->written >= 0 && product->along >= 0 && result_is_apart(product);
}

/* Intel's and AMD's cores have 32 vector registers with AVX-512, 16 without (Intel
 * manual, volume 1, section 15.1); vectors of 16 bytes are also Arm's, with 32. */
struct block_machine block_machine(const struct machine *machine, size_t element)
{
    int bytes = machine->simd_bytes > 0 ? machine->simd_bytes : 16;
    return (struct block_machine){.l2_bytes = machine_share_guess_bytes(machine, 1),
                                  .registers = bytes >= 64 ? 32 : 16,
                                  .vector_bytes = bytes,
                                  .element_bytes = (long long)element};
}

/* What stands beside the inner loops (C[i][j] *= beta) gets loops of its own, from the
 * inside: only loops that hold nothing else change places. */
static void distribute_parts(const struct nest *nest, struct buf *plan)
{
    bool parts = false;
    for (size_t d = nest->nr - 1; d-- > nest->nr - 3;) {
        parts = parts || !nest->loop[d]->perfect;
        if (parts)
            buf_addf(plan, "distribute(%s) ", nest->loop[d]->name);
    }
}

static void add_text(const struct propose *about, const char *plan, bool fallback,
                     struct choices *out)
{
    struct choice choice;
    if (!choice_shaped(about->now, plan, &choice))
        return;
    choice.fallback = fallback;
    choices_add(out, &choice);
}

/* As many blocks as the depth needs, all of about the same depth: a last one that is
 * short loads and stores the result for little. */
static long long even_depth(long long depth, double trips)
{
    enum { STEP = 8 };
    double even = ceil(trips / ceil(trips / (double)depth) / STEP) * STEP;
    return even >= STEP && even < (double)depth ? (long long)even : depth;
}

/* What stands beside the product runs in the first of its tiles, or before them all. */
static void add_shape(const struct propose *about, const struct block_shape *shape,
                      const struct block_names *names, struct choices *out)
{
    struct buf split = {0}, before = {0};
    struct block_shape even = *shape;
    struct block_names inside = *names;
    int k = nest_depth(about->nest, names->k);
    even.depth = even_depth(shape->depth, about->nest->trips[k]);
    distribute_parts(about->nest, &split);
    inside.split = buf_str(&split);
    char *plan = propose_blocks_plan(&even, &inside);
    add_text(about, plan, false, out);
    free(plan);
    plan = propose_blocks_plan(&even, names);
    buf_addf(&before, "%s%s", buf_str(&split), plan);
    if (split.length)
        add_text(about, buf_str(&before), true, out);
    free(plan);
    buf_release(&split);
    buf_release(&before);
}

/* The shape by the formulas first, then twice as deep, fewer rows, and more. A block
 * without packing goes before them where its columns of the one operand stay in L2 from
 * one row of blocks to the next, else behind the first. */
static void add_shapes(const struct propose *about, const struct product *product,
                       struct choices *out)
{
    const struct nest *nest = about->nest;
    int k = product->written, j = product->along, i = 3 - k - j;
    size_t first = nest->nr - 3;
    struct block_names names = {.i = nest->loop[first + (size_t)i]->name,
                                .j = nest->loop[first + (size_t)j]->name,
                                .k = nest->loop[first + (size_t)k]->name,
                                .c = product->array[k][0]};
    struct block_machine machine = block_machine(about->machine, product->element_bytes);
    memcpy(names.a, product->array[j], sizeof(names.a));
    memcpy(names.b, product->array[i], sizeof(names.b));
    machine.triangle = is_triangle(nest, first);
    struct block_shape shape = propose_blocks(&machine), other = shape;
    struct sum_block block;
    bool plain = sum_block_find(nest, &block) && block.lanes,
         fits = nest->trips[first + (size_t)k] * (double)shape.columns *
                    (double)machine.element_bytes <=
                machine.l2_bytes / 2;
    if (plain && fits)
        add_block(about, &block, out);
    add_shape(about, &shape, &names, out);
    if (plain && !fits)
        add_block(about, &block, out);
    other.depth = shape.depth * 2;
    add_shape(about, &other, &names, out);
    other.i_blocks = shape.i_blocks / 2 / shape.rows * shape.rows;
    if (other.i_blocks >= shape.rows)
        add_shape(about, &other, &names, out);
    other = shape;
    other.i_blocks *= 2;
    add_shape(about, &other, &names, out);
}

void propose_pack(const struct propose *about, struct choices *out, struct buf *why_not)
{
    struct product product;
    struct sum_block block;
    if (about->now->shape_nr) {
        buf_add(why_not, "the plan keeps results in registers already");
        return;
    }
    if (is_contraction(about->nest) && read_product(about->nest, &product))
        add_shapes(about, &product, out);
    else if (sum_block_find(about->nest, &block))
        add_block(about, &block, out);
    if (out->nr == 0)
        buf_add(why_not, "the hot nest does not add up products of arrays");
}
