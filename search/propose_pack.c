/* Register blocks with packed operands for products of matrices. */
#include "search/propose_pack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/propose_steps.h"
#include "search/propose_sums.h"
#include "search/uses.h"

struct product {
    const char *array[3]; /* by the loop, of the last three, that does not move it */
    int written;          /* which of them is the result; its loop adds up */
    int along;            /* the loop along the result's rows */
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

/* Of one array there is one packed copy. */
static bool is_twice(const struct product *product)
{
    const char *const *array = product->array;
    return !strcmp(array[0], array[1]) || !strcmp(array[0], array[2]) ||
           !strcmp(array[1], array[2]);
}

/* In the innermost loop: one array for each loop, one of them written; elements of one
 * size. */
static bool read_product(const struct nest *nest, struct product *product)
{
    const struct kernel_view *view = nest->view;
    *product = (struct product){.written = -1, .along = -1};
    for (size_t i = 0; i < view->access_nr; i++) {
        const struct kernel_access *access = &view->access[i];
        const struct kernel_array *array = &view->array[access->array];
        bool inside = nest_holds(nest, access) &&
                      (size_t)view->loop[access->loop].depth + 1 == nest->nr;
        int still = inside ? still_loop(nest, access) : -1;
        if (still < 0)
            continue;
        if ((product->array[still] && strcmp(product->array[still], array->name)) ||
            (product->element_bytes && product->element_bytes != array->element_bytes))
            return false;
        product->array[still] = array->name;
        product->element_bytes = array->element_bytes;
        if (access->write && product->written >= 0 && product->written != still)
            return false;
        if (access->write) {
            product->written = still;
            product->along = unit_loop(nest, access, array->element_bytes);
        }
    }
    return product->array[0] && product->array[1] && product->array[2] &&
           product->written >= 0 && product->along >= 0 && !is_twice(product);
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
    const struct kernel_view *view = nest->view;
    bool parts = false;
    for (size_t d = nest->nr - 1; d-- > nest->nr - 3;) {
        for (size_t i = 0; i < view->access_nr; i++)
            parts = parts || (nest_holds(nest, &view->access[i]) &&
                              (size_t)view->loop[view->access[i].loop].depth == d);
        if (parts)
            buf_addf(plan, "distribute(%s) ", nest->loop[d]->name);
    }
}

/* The steps name the loops of all nests: the innermost loop of another one with the same
 * names around. */
static bool is_twin(const struct nest *nest, const struct kernel_loop *loop)
{
    const struct kernel_loop *all = nest->view->loop;
    if (!loop->innermost || loop->nest == nest->loop[0]->nest ||
        (size_t)loop->depth + 1 != nest->nr)
        return false;
    for (; strcmp(loop->name, nest->loop[loop->depth]->name) == 0;
         loop = &all[loop->parent])
        if (loop->parent < 0)
            return true;
    return false;
}

/* What stands in another product in the place of `names` is packed likewise, each array
 * once. */
static void pack_twins(const struct nest *nest, const struct block_names *names,
                       long long columns, struct buf *plan)
{
    const struct kernel_view *view = nest->view;
    for (size_t i = 0; i < view->access_nr; i++) {
        const struct kernel_access *access = &view->access[i];
        const char *array = view->array[access->array].name;
        if (access->loop < 0 || !is_twin(nest, &view->loop[access->loop]))
            continue;
        int still = still_loop(nest, access);
        const char *loop =
            still < 0 ? NULL : nest->loop[nest->nr - 3 + (size_t)still]->name;
        char *step = xasprintf(" pack(%s,", array);
        if (loop && !strstr(buf_str(plan), step)) {
            buf_add(plan, step);
            if (!strcmp(loop, names->i)) /* as b */
                buf_addf(plan, "%st,%s:%lld)", names->j, names->j, columns);
            else if (!strcmp(loop, names->k)) /* as c */
                buf_addf(plan, "%st2) prefetch(%s:1)", names->i, array);
            else
                buf_addf(plan, "%st)", names->i);
        }
        free(step);
    }
}

/* Returns whether it is not too long. */
static bool add_text(const struct propose *about, const char *plan, bool fallback,
                     struct choices *out)
{
    struct choice choice = choice_unshaped(about->now);
    bool fits = strlen(plan) < sizeof(choice.shape);
    choice.fallback = fallback;
    if (fits) {
        snprintf(choice.shape, sizeof(choice.shape), "%s", plan);
        choices_add(out, &choice);
    }
    return fits;
}

static void add_shape(const struct propose *about, const struct block_shape *shape,
                      const struct block_names *names, struct choices *out)
{
    struct buf text = {0};
    char *blocks = propose_blocks_plan(shape, names);
    distribute_parts(about->nest, &text);
    buf_add(&text, blocks);
    free(blocks);
    char *alone = xstrdup(buf_str(&text));
    pack_twins(about->nest, names, shape->columns, &text);
    bool twins =
        strcmp(alone, buf_str(&text)) != 0 && add_text(about, buf_str(&text), false, out);
    add_text(about, alone, twins, out);
    free(alone);
    buf_release(&text);
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
                                .a = product->array[j],
                                .b = product->array[i],
                                .c = product->array[k]};
    struct block_machine machine = block_machine(about->machine, product->element_bytes);
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
    if (*about->now->shape) {
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
