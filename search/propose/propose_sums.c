/* Strips and blocks of results that inner loops add up. */
#include "search/propose/propose_sums.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/text.h"
#include "core/machine/machine.h"
#include "search/propose/nest.h"
#include "search/propose/propose_blocks.h"
#include "search/space/choice.h"
#include "variants/kernel/kernel_view.h"

/* ---- text ---- */

static void add_shaped(const struct propose *about, struct buf *text, bool fallback,
                       struct choices *out)
{
    struct choice choice;
    if (choice_shaped(about->now, buf_str(text), &choice)) {
        choice.fallback = fallback;
        choices_add(out, &choice);
    }
    buf_release(text);
}

static const char *name_at(const struct nest *nest, size_t depth)
{
    return nest->loop[depth]->name;
}

/* ", " between the names of loops first .. end - 1. */
static void add_names(const struct nest *nest, size_t first, size_t end, struct buf *text)
{
    for (size_t d = first; d < end; d++)
        buf_addf(text, "%s,", name_at(nest, d));
}

/* ---- blocks ---- */

static size_t bytes_of(const struct nest *nest, const struct kernel_access *access)
{
    return nest->view->array[access->array].element_bytes;
}

/* Depth of the outer one of its loops; the other is the next. */
static size_t outer_of(const struct sum_block *block)
{
    return block->along < block->across ? block->along : block->across;
}

/* The loop adds up: its iterations are for the same results. */
static bool is_summed(const struct sum_block *block, size_t depth)
{
    return block->around ? depth < outer_of(block) : depth > outer_of(block) + 1;
}

/* The access fits lanes along the loop, if wanted, and registers that the loops that add
 * up leave alone. */
static bool fits(const struct nest *nest, const struct kernel_access *access,
                 const struct sum_block *block)
{
    double stride = access->stride_at[block->along];
    for (size_t d = 0; d < nest->nr; d++)
        if (isnan(access->stride_at[d]) ||
            (access->write && is_summed(block, d) && access->stride_at[d] != 0))
            return false;
    if (access->write && (stride == 0 || access->stride_at[block->across] == 0))
        return false; /* that loop adds up, too */
    return stride == 0 || !block->lanes ||
           (stride == (double)bytes_of(nest, access) &&
            (!block->element_bytes || block->element_bytes == bytes_of(nest, access)));
}

/* What is stored to may be read at the same place only. */
static bool is_own_operand(const struct nest *nest, const struct sum_block *block)
{
    const struct kernel_view *view = nest->view;
    const double *stride = NULL;
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < view->access_nr; i++) {
            const struct kernel_access *access = &view->access[i];
            if (!nest_holds_innermost(nest, access) || !block->result ||
                strcmp(view->array[access->array].name, block->result))
                continue;
            if (access->write && !stride)
                stride = access->stride_at;
            else if (stride &&
                     memcmp(stride, access->stride_at, nest->nr * sizeof(*stride)))
                return true;
        }
    return false;
}

static bool fits_all(const struct nest *nest, struct sum_block *block)
{
    const struct kernel_view *view = nest->view;
    bool reused = block->around, again = block->lanes;
    for (size_t i = 0; i < view->access_nr; i++) {
        const struct kernel_access *access = &view->access[i];
        const char *array = view->array[access->array].name;
        if (!nest_holds_innermost(nest, access))
            continue;
        if (!fits(nest, access, block) ||
            (access->write && block->result && strcmp(block->result, array)))
            return false;
        if (access->stride_at[block->along] != 0)
            block->element_bytes = bytes_of(nest, access);
        bool along = access->stride_at[block->along] != 0,
             across = access->stride_at[block->across] != 0;
        reused |= along && !across;
        again |= across && !along;
        if (access->write)
            block->result = array;
    }
    return reused && again && block->element_bytes && !is_own_operand(nest, block);
}

static bool mentions(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; at && (at = strstr(at, name)); at += length)
        if ((at == text || !is_word_char(at[-1])) && !is_word_char(at[length]))
            return true;
    return false;
}

bool is_triangle(const struct nest *nest, size_t first)
{
    for (size_t inner = first; inner < nest->nr; inner++)
        for (size_t outer = first; outer < inner; outer++)
            if (mentions(nest->loop[inner]->lower_text, name_at(nest, outer)) ||
                mentions(nest->loop[inner]->upper_text, name_at(nest, outer)))
                return true;
    return false;
}

/* The deeper of the two begins or ends where the other one stands. */
static bool block_is_triangle(const struct nest *nest, const struct sum_block *block)
{
    const struct kernel_loop *inner = nest->loop[outer_of(block) + 1];
    const char *outer = name_at(nest, outer_of(block));
    return mentions(inner->lower_text, outer) || mentions(inner->upper_text, outer);
}

static bool find_block(const struct nest *nest, bool lanes, struct sum_block *block)
{
    for (size_t inner = nest->nr - 2; inner > 0; inner--)
        for (size_t turn = 0; turn < 2; turn++) {
            *block = (struct sum_block){
                .along = inner - turn, .across = inner + turn - 1, .lanes = lanes};
            if (fits_all(nest, block) && (lanes || !block_is_triangle(nest, block)))
                return true;
        }
    return false;
}

/* The two innermost loops of a perfect nest go over results, again for each iteration of
 * all others. */
static bool find_inside(const struct nest *nest, struct sum_block *block)
{
    *block = (struct sum_block){
        .along = nest->nr - 1, .across = nest->nr - 2, .lanes = true, .around = true};
    for (size_t d = 0; d + 1 < nest->nr; d++)
        if (!nest->loop[d]->perfect)
            return false;
    return fits_all(nest, block) && block->result && !block_is_triangle(nest, block);
}

bool sum_block_find(const struct nest *nest, struct sum_block *block)
{
    return nest->nr >= 3 && (find_block(nest, true, block) ||
                             find_block(nest, false, block) || find_inside(nest, block));
}

/* Of a short loop what is left beside blocks would be a large part, and slow: its blocks
 * are so wide, of narrower vectors if need be, that nothing is. */
static void fit_short(double along, int registers, struct block_shape *shape)
{
    enum { SHORT = 4, VECTORS_MAX = 4 };
    long long lanes = shape->lanes;
    double best = 0;
    if (along < (double)lanes || along >= (double)(SHORT * shape->columns) ||
        fmod(along, (double)shape->columns) == 0)
        return;
    if (fmod(along, (double)lanes) != 0)
        lanes /= 2; /* narrower ones would cost more than what is left */
    for (long long vectors = 1; lanes > 1 && vectors <= VECTORS_MAX; vectors++) {
        long long rows = propose_block_rows(registers, vectors);
        double value = propose_block_value(rows, vectors);
        if (rows < 1 || fmod(along, (double)(vectors * lanes)) != 0 || value <= best)
            continue;
        best = value;
        shape->lanes = lanes;
        shape->columns = vectors * lanes;
        shape->rows = rows;
    }
}

static struct block_shape shape_of(const struct propose *about,
                                   const struct sum_block *block)
{
    struct block_machine machine = block_machine(about->machine, block->element_bytes);
    machine.registers /= 2;
    struct block_shape shape = propose_blocks(&machine);
    if (!block->lanes) { /* each result is a register, or a lane that is gathered */
        shape.columns = shape.lanes;
        shape.rows = shape.rows < 4 ? shape.rows : 4;
    }
    double along = about->nest->trips[block->along],
           across = about->nest->trips[block->across];
    if (block->lanes)
        fit_short(along, machine.registers, &shape);
    while (shape.columns > shape.lanes && (double)shape.columns > along)
        shape.columns /= 2;
    while (shape.rows > 1 && (double)shape.rows > across)
        shape.rows /= 2;
    return shape;
}

double sum_block_cost_ns(const struct propose *about, const struct sum_block *block)
{
    const struct nest *nest = about->nest;
    struct block_shape shape = shape_of(about, block);
    size_t nr = 0;
    struct choice choice = {0};
    const char *order[CHOICE_LOOPS_MAX];
    struct loop_size tile[CHOICE_LOOPS_MAX] = {
        {name_at(nest, block->along), (long)shape.columns},
        {name_at(nest, block->across), (long)shape.rows}};
    size_t tiles = 2;
    for (size_t d = 0; d < outer_of(block) && !block->around; d++)
        order[nr++] = name_at(nest, d);
    for (size_t d = 0; d < nest->nr; d++) {
        if (!is_summed(block, d))
            continue;
        order[nr++] = name_at(nest, d);
        tile[tiles++] = (struct loop_size){name_at(nest, d), (long)ceil(nest->trips[d])};
    }
    order[nr++] = name_at(nest, block->across);
    order[nr++] = name_at(nest, block->along);
    choice_put_order(&choice, order, nr, 0);
    choice_put_sizes(&choice, STEP_TILE, tile, tiles);
    return nest_cost_ns(nest, about->machine, &choice);
}

/* What stands beside the sum gets loops of its own, from the inside. */
static void split_block(const struct nest *nest, size_t outermost, struct buf *text)
{
    bool parts = false;
    for (size_t d = outermost + 2; d-- > outermost;) {
        parts = parts || !nest->loop[d]->perfect;
        if (parts)
            buf_addf(text, "distribute(%s) ", name_at(nest, d));
    }
}

void add_block(const struct propose *about, const struct sum_block *block,
               struct choices *out)
{
    const struct nest *nest = about->nest;
    struct block_shape shape = shape_of(about, block);
    const char *along = name_at(nest, block->along),
               *across = name_at(nest, block->across);
    size_t outermost = outer_of(block), summed = block->around ? 0 : outermost + 2,
           summed_end = block->around ? outermost : nest->nr;
    struct buf text = {0};
    if ((double)shape.columns > nest->trips[block->along] || shape.rows < 2)
        return;
    if (block->around) {
        buf_add(&text, "interchange(");
        add_names(nest, outermost, nest->nr, &text);
        add_names(nest, summed, summed_end, &text);
        buf_truncate(&text, text.length - 1);
        buf_add(&text, ") ");
    } else if (block->result)
        split_block(nest, outermost, &text);
    buf_addf(&text, "tile(%s:%lld,%s:%lld) ", along, shape.columns, across, shape.rows);
    if (!block->result) /* a scalar needs the constant size of the tile */
        split_block(nest, outermost, &text);
    buf_add(&text, "interchange(");
    add_names(nest, summed, summed_end, &text);
    buf_addf(&text, "%s,%s) full(%s,%s)", across, along, across, along);
    if (block->result && block->lanes)
        buf_addf(&text, " pack(%s,%st)", block->result, across);
    if (block->lanes)
        buf_addf(&text, " vec(%s:%lld)", along, shape.lanes);
    add_shaped(about, &text, false, out);
}

/* ---- strips ---- */

static double half_share(const struct machine *machine, int level)
{
    return machine_share_guess_bytes(machine, level) / 2;
}

/* Bytes of one element of the strip, and of the panel below it: what the loops inside of
 * `along` touch at one of its values. */
static void weigh(const struct nest *nest, size_t along, double *element, double *panel)
{
    *element = *panel = 0;
    for (size_t i = 0; i < nest->view->access_nr; i++) {
        const struct kernel_access *access = &nest->view->access[i];
        double bytes = (double)bytes_of(nest, access);
        if (!nest_holds(nest, access) || access->stride_at[along] != bytes)
            continue;
        *element = fmax(*element, bytes);
        double column = bytes;
        for (size_t d = along + 1; d < nest->nr; d++)
            if (access->stride_at[d] != 0 && !isnan(access->stride_at[d]))
                column *= nest->trips[d];
        *panel = fmax(*panel, column);
    }
}

/* The other loops are where they were. */
static bool moves_one(const struct nest *nest, const char *const *order, size_t along)
{
    for (size_t d = 0, at = 0; d < nest->nr; d++)
        if (d != along && strcmp(order[at++], name_at(nest, d)))
            return false;
    return true;
}

static bool other_nest_has(const struct nest *nest, const char *name)
{
    for (size_t i = 0; i < nest->view->loop_nr; i++)
        if (nest->view->loop[i].nest != nest->loop[0]->nest &&
            !strcmp(nest->view->loop[i].name, name))
            return true;
    return false;
}

/* Blocks of `length` iterations of loop `along` with the innermost loop around them. */
static void put_strip(const struct nest *nest, size_t along, long length, bool full,
                      struct buf *text)
{
    size_t last = nest->nr - 1;
    const char *name = name_at(nest, along);
    bool parts = !nest->loop[last - 1]->perfect;
    buf_addf(text, "tile(%s:%ld) ", name, length);
    if (along + 1 < last) {
        buf_add(text, "interchange(");
        add_names(nest, along + 1, last, text);
        buf_addf(text, "%s) ", name);
    }
    if (parts)
        buf_addf(text, "distribute(%s) ", name);
    buf_addf(text, "interchange(%s,%s)", name_at(nest, last), name);
    if (full)
        buf_addf(text, " full(%s)", name);
    if (parts || full)
        buf_add(text, " simd");
}

static void add_strip(const struct propose *about, size_t along, long length,
                      bool fallback, struct choices *out)
{
    struct buf text = {0};
    put_strip(about->nest, along, length, false, &text);
    add_shaped(about, &text, fallback, out);
}

char *lanes_plan(const struct nest *nest, long length)
{
    enum { APART_MAX = 4 }; /* elements: beyond it a vector is gathered from many lines */
    size_t along = nest->nr - 2;
    bool near = nest->nr >= 2;
    for (size_t i = 0; near && i < nest->view->access_nr; i++) {
        const struct kernel_access *access = &nest->view->access[i];
        double most = APART_MAX * (double)bytes_of(nest, access);
        if (nest_holds_innermost(nest, access))
            near = fabs(access->stride_at[along]) <= most; /* of NaN neither is true */
    }
    if (!near || nest->trips[along] < (double)length)
        return NULL;
    struct buf text = {0};
    put_strip(nest, along, length, true, &text);
    return buf_detach(&text);
}

void add_lanes(const struct propose *about, struct choices *out)
{
    static const long lengths[] = {64, 256, 32};
    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
        char *plan = lanes_plan(about->nest, lengths[i]);
        struct choice choice;
        if (plan && choice_shaped(about->now, plan, &choice) &&
            propose_may_be(about, &choice))
            choices_add(out, &choice);
        free(plan);
    }
}

/* Iterations of the innermost loop where its bounds are numbers and it is so short that
 * it can be written out; else 0. */
static long short_trips(const struct nest *nest)
{
    enum { SHORT = 16 }; /* as many values stay in registers */
    const struct kernel_loop *loop = nest->loop[nest->nr - 1];
    char *end[2];
    double trips = strtod(loop->upper_text, &end[1]) - strtod(loop->lower_text, &end[0]);
    bool are_numbers = *loop->lower_text && !*end[0] && *loop->upper_text && !*end[1];
    return are_numbers && loop->step == 1 && trips >= 2 && trips <= SHORT ? (long)trips
                                                                          : 0;
}

/* What its iteration reads the next one reads, too: they move as the innermost loop does.
 */
static bool slides(const struct nest *nest, size_t depth)
{
    for (size_t i = 0; i < nest->view->access_nr; i++) {
        const struct kernel_access *access = &nest->view->access[i];
        double stride = access->stride_at[depth];
        if (nest_holds_innermost(nest, access) && stride != 0 &&
            stride == access->stride_at[nest->nr - 1])
            return true;
    }
    return false;
}

/* Loops `along` .. last - 1 with `along` behind the others; the innermost written out, so
 * that vectors run along `along`; first with some iterations of a loop outside of it that
 * share what they read. */
static void add_written_out(const struct propose *about, size_t along,
                            struct choices *out)
{
    enum { ROWS = 4 };
    const struct nest *nest = about->nest;
    size_t last = nest->nr - 1, across = last;
    long trips = short_trips(nest);
    for (size_t d = 0; d < last; d++)
        across = d != along && slides(nest, d) ? d : across;
    for (int rows = across < last ? ROWS : 1; trips && rows >= 1; rows -= ROWS - 1) {
        struct buf text = {0};
        if (along + 1 < last) {
            buf_add(&text, "interchange(");
            add_names(nest, along + 1, last, &text);
            buf_addf(&text, "%s) ", name_at(nest, along));
        }
        if (rows > 1)
            buf_addf(&text, "unroll_jam(%s:%d) ", name_at(nest, across), rows);
        buf_addf(&text, "unroll(%s:%ld)", name_at(nest, last), trips);
        add_shaped(about, &text, false, out);
    }
}

static long power_below(double max)
{
    return max >= 1 ? (long)exp2(floor(log2(max))) : 0;
}

void add_strips(const struct propose *about, const struct choice *order,
                struct choices *out)
{
    const struct nest *nest = about->nest;
    size_t last = nest->nr - 1;
    const char *name[CHOICE_LOOPS_MAX];
    if (choice_order(order, name) != nest->nr)
        return;
    int along = nest_depth(nest, name[last]);
    double element, panel;
    if (along < 0 || (size_t)along == last || !moves_one(nest, name, (size_t)along))
        return;
    add_written_out(about, (size_t)along, out);
    weigh(nest, (size_t)along, &element, &panel);
    if (element <= 0)
        return;
    bool parts = !nest->loop[last - 1]->perfect;
    long whole = (long)exp2(ceil(log2(fmax(nest->trips[along], 2)))),
         max = power_below(half_share(about->machine, 0) / element);
    long length = max > 0 && max < whole ? max : whole;
    if (parts)
        add_strip(about, (size_t)along, length, nest->nr > 2, out);
    long narrow = power_below(half_share(about->machine, 1) / panel);
    if (parts && narrow >= 16 && narrow < length)
        add_strip(about, (size_t)along, narrow, false, out);
    /* The plan changes all nests with these names: some lines of either order. */
    long lines = (long)(4 * about->machine->line_bytes / element);
    if (!parts && other_nest_has(nest, name_at(nest, (size_t)along)) &&
        other_nest_has(nest, name_at(nest, last)) && lines > 1)
        add_strip(about, (size_t)along, lines, false, out);
}
