#include "bench/plan_try.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/random.h"
#include "variants/plan/plan_table.h"

enum { NAMES_MAX = 24, STEPS_MAX = 4 };

struct names {
    const char *item[NAMES_MAX];
    size_t nr;
};

/* What one plan can name: the loops of one nest, outermost first, the tile loops made so
 * far, arrays, parameters. */
struct draw {
    struct plan_random *random;
    struct kernel_view view;
    struct names loops, tiled, arrays, locals, sizes;
    struct strvec made;
};

static size_t below(struct draw *draw, size_t limit)
{
    return limit ? random_next(&draw->random->state) % limit : 0;
}

struct plan_random plan_random_begin(const struct kernel *kernel, uint64_t seed)
{
    struct plan_random random = {.state = seed, .kernel = kernel};

    for (const char *c = kernel_name(kernel); *c; c++) {
        random.state ^= (unsigned char)*c;
        random_next(&random.state);
    }
    return random;
}

/* ---- names ---- */

static void add_name(struct names *names, const char *name)
{
    for (size_t i = 0; i < names->nr; i++)
        if (!strcmp(names->item[i], name))
            return;
    if (names->nr < NAMES_MAX)
        names->item[names->nr++] = name;
}

static const char *any(struct draw *draw, const struct names *names)
{
    return names->nr ? names->item[below(draw, names->nr)] : "none";
}

static const char *any_loop(struct draw *draw)
{
    bool tile = draw->made.nr && below(draw, 3) == 0;

    return tile ? draw->made.v[below(draw, draw->made.nr)] : any(draw, &draw->loops);
}

/* Mostly the innermost one. */
static const char *inner_loop(struct draw *draw)
{
    return draw->loops.nr && below(draw, 4) ? draw->loops.item[draw->loops.nr - 1]
                                            : any_loop(draw);
}

/* Returns the nest that its loops are of. */
static int find_names(struct draw *draw)
{
    const struct kernel *kernel = draw->random->kernel;
    int nests = 0;

    for (size_t i = 0; i < draw->view.loop_nr; i++)
        if (draw->view.loop[i].modelled && draw->view.loop[i].nest >= nests)
            nests = draw->view.loop[i].nest + 1;
    int nest = (int)below(draw, (size_t)nests);
    for (size_t i = 0; i < draw->view.loop_nr; i++)
        if (draw->view.loop[i].modelled && draw->view.loop[i].nest == nest)
            add_name(&draw->loops, draw->view.loop[i].name);
    for (size_t i = 0; i < draw->view.array_nr; i++)
        add_name(&draw->arrays, draw->view.array[i].name);
    for (size_t i = 0; i < draw->view.param_nr; i++)
        if (draw->view.param[i].is_integer)
            add_name(&draw->sizes, draw->view.param[i].name);
    for (size_t i = 0; i < kernel->function->symbol_nr; i++)
        if (kernel->function->symbol[i]->role == IR_LOCAL &&
            kernel->function->symbol[i]->dim_nr)
            add_name(&draw->locals, kernel->function->symbol[i]->name);
    return nest;
}

/* ---- steps with names of their own choice ---- */

static int small(struct draw *draw)
{
    static const int sizes[] = {2, 3, 4, 5, 7, 8, 16, 32};

    return sizes[below(draw, ARRAY_SIZE(sizes))];
}

/* Between `least` and `most` different loops where there are so many, in any order or as
 * they stand. */
static struct names some_loops(struct draw *draw, size_t min, size_t max)
{
    struct names some = {0}, left = draw->loops;
    size_t nr = min + below(draw, max - min + 1);

    if (below(draw, 2) == 0)
        while (left.nr > nr) {
            size_t at = below(draw, left.nr--);

            memmove(left.item + at, left.item + at + 1,
                    (left.nr - at) * sizeof(left.item[0]));
        }
    else
        for (size_t i = left.nr; i > 1; i--) {
            size_t at = below(draw, i);
            const char *kept = left.item[i - 1];

            left.item[i - 1] = left.item[at];
            left.item[at] = kept;
        }
    for (size_t i = 0; i < left.nr && i < nr; i++)
        add_name(&some, left.item[i]);
    return some;
}

static void add_blocks(struct draw *draw, const char *step, size_t max, struct buf *plan)
{
    struct names some = some_loops(draw, 1, max);

    buf_addf(plan, "%s(", step);
    for (size_t i = 0; i < some.nr; i++) {
        buf_addf(plan, "%s%s:%d", i ? "," : "", some.item[i], small(draw));
        bool again = false;
        for (size_t k = 0; k < draw->tiled.nr; k++)
            again = again || !strcmp(draw->tiled.item[k], some.item[i]);
        strvec_pushf(&draw->made, "%st%s", some.item[i], again ? "2" : "");
        add_name(&draw->tiled, some.item[i]);
    }
    buf_add(plan, ")");
}

static void add_tile(struct draw *draw, struct buf *plan)
{
    add_blocks(draw, "tile", 3, plan);
}

static void add_skew_tile(struct draw *draw, struct buf *plan)
{
    add_blocks(draw, "skew_tile", 4, plan);
}

static void add_interchange(struct draw *draw, struct buf *plan)
{
    struct names some = some_loops(draw, 2, 3);

    if (below(draw, 3) == 0 && draw->made.nr)
        add_name(&some, draw->made.v[below(draw, draw->made.nr)]);
    buf_add(plan, "interchange(");
    for (size_t i = 0; i < some.nr; i++)
        buf_addf(plan, "%s%s", i ? "," : "", some.item[i]);
    buf_add(plan, some.nr < 2 ? ",none)" : ")");
}

static void add_skew(struct draw *draw, struct buf *plan)
{
    struct names some = some_loops(draw, 2, 2);

    buf_addf(plan, "skew(%s,%s:%d)", some.nr > 1 ? some.item[1] : "none",
             some.nr ? some.item[0] : "nothing", (int)below(draw, 7) - 3);
}

static void add_full(struct draw *draw, struct buf *plan)
{
    buf_addf(plan, "full(%s)", draw->tiled.nr ? any(draw, &draw->tiled) : any_loop(draw));
}

static void add_pack(struct draw *draw, struct buf *plan)
{
    const char *at =
        draw->made.nr ? draw->made.v[below(draw, draw->made.nr)] : any_loop(draw);

    buf_addf(plan, "pack(%s,%s", any(draw, &draw->arrays), at);
    if (below(draw, 3) == 0)
        buf_addf(plan, ",%s:%zu", any_loop(draw), 2 + below(draw, 8));
    buf_add(plan, ")");
}

static void add_vec(struct draw *draw, struct buf *plan)
{
    static const int lanes[] = {2, 4, 8};

    buf_addf(plan, "vec(%s:%d)", inner_loop(draw), lanes[below(draw, ARRAY_SIZE(lanes))]);
}

static void add_set(struct draw *draw, struct buf *plan)
{
    size_t which = below(draw, draw->view.tunable_nr);

    if (!draw->view.tunable_nr) {
        add_tile(draw, plan);
        return;
    }
    const struct kernel_tunable *tunable = &draw->view.tunable[which];
    buf_addf(plan, "set(%s:%lld)", tunable->name,
             tunable->value[below(draw, tunable->value_nr)]);
}

/* ---- whole recipes ---- */

static void add_distributes(struct draw *draw, const struct names *loops,
                            struct buf *plan)
{
    for (size_t i = loops->nr; i-- > 0;)
        if (below(draw, 2))
            buf_addf(plan, "distribute(%s) ", loops->item[i]);
}

static void add_packs(struct draw *draw, const struct names *loops, int columns,
                      struct buf *plan)
{
    const char *i = loops->item[2], *j = loops->item[1];
    size_t nr = 1 + below(draw, 4);

    for (size_t n = 0; n < nr; n++)
        switch (below(draw, 3)) {
        case 0:
            buf_addf(plan, " pack(%s,%st)", any(draw, &draw->arrays), i);
            break;
        case 1:
            buf_addf(plan, " pack(%s,%st,%s:%d)", any(draw, &draw->arrays), j, j,
                     columns);
            break;
        default:
            buf_addf(plan, " pack(%s,%st2)", any(draw, &draw->arrays), i);
        }
}

/* As propose_blocks_plan has it, with loops and arrays at random: steps drawn one by one
 * hardly ever come to it. */
static void add_product(struct draw *draw, struct buf *plan)
{
    static const int lanes[] = {2, 4, 8};
    struct names loops = some_loops(draw, 3, 3);
    int width = lanes[below(draw, ARRAY_SIZE(lanes))],
        columns = width * (1 + (int)below(draw, 3)), rows = 1 + (int)below(draw, 5);

    if (loops.nr < 3) {
        add_tile(draw, plan);
        return;
    }
    const char *k = loops.item[0], *j = loops.item[1], *i = loops.item[2];
    bool first = below(draw, 2);
    if (first)
        add_distributes(draw, &draw->loops, plan);
    buf_addf(plan, "tile(%s:%d,%s:%d,%s:%d) tile(%s:%d,%s:%d) ", k, 2 + small(draw), j,
             columns * (1 + (int)below(draw, 3)), i, (rows + 1) * (1 + small(draw)), j,
             columns, i, rows + 1);
    if (!first)
        add_distributes(draw, &draw->loops, plan);
    buf_addf(plan, "interchange(%s,%s,%s)", k, i, j);
    if (below(draw, 4))
        buf_addf(plan, " full(%s,%s)", i, j);
    add_packs(draw, &loops, columns, plan);
    if (below(draw, 4))
        buf_addf(plan, " vec(%s:%d)", j, width);
}

/* ---- any step, by its row ---- */

static const char *any_name(struct draw *draw, const struct transformation *row, size_t i,
                            const struct names *loops)
{
    if (row->names == NAMES_ARRAYS || (row->names == NAMES_ARRAY_THEN_LOOPS && !i))
        return any(draw, draw->locals.nr && (row == transformation_of(STEP_PAD) ||
                                             below(draw, 4) == 0)
                             ? &draw->locals
                             : &draw->arrays);
    if (row->names == NAMES_PARAMETERS)
        return any(draw, &draw->sizes);
    return i < loops->nr ? loops->item[i] : any_loop(draw);
}

static long long any_value(struct draw *draw, const struct transformation *row)
{
    static const int factors[] = {2, 2, 3, 4};
    long long value = row->high > 64  ? small(draw)
                      : row->low >= 0 ? factors[below(draw, ARRAY_SIZE(factors))]
                                      : (long long)below(draw, 7) - 3;

    return value < row->low ? row->low : value > row->high ? row->high : value;
}

static void add_options(struct draw *draw, const struct transformation *row,
                        struct plan_step *step)
{
    for (size_t i = 0; i < OPTION_NR; i++) {
        const struct option_shape *option = option_shape((enum step_option)i);
        size_t words = 0;

        if (!(row->options >> i & 1) || below(draw, 3))
            continue;
        while (words < ARRAY_SIZE(option->word) && option->word[words])
            words++;
        if (!words && !option->high)
            step->at = any_loop(draw);
        step->option[i] = words          ? (long long)(1 + below(draw, words))
                          : option->high ? 1 << below(draw, 4)
                                         : 1;
    }
}

static void add_by_row(struct draw *draw, enum step_kind kind, struct buf *plan)
{
    const struct transformation *row = transformation_of(kind);
    struct step_arg arg[NAMES_MAX];
    struct plan_step step = {.kind = kind, .arg = arg};
    size_t nr = row->names_min + (below(draw, 3) == 0);
    struct names loops = some_loops(draw, nr, nr);

    for (size_t i = 0; i < nr; i++) {
        bool value =
            row->values == VALUES_EACH || (row->values == VALUES_MAY && below(draw, 2));

        arg[i] = (struct step_arg){any_name(draw, row, i, &loops), 0, value};
        arg[i].value = value ? any_value(draw, row) : 0;
    }
    step.arg_nr = nr;
    add_options(draw, row, &step);
    plan_step_text(&step, plan);
}

static void add_step(struct draw *draw, struct buf *plan)
{
    /* What makes names for others, or hardly ever comes to something by its row. */
    static void (*const by_kind[STEP_KIND_NR])(struct draw * draw, struct buf * plan) = {
        [STEP_TILE] = add_tile, [STEP_SKEW_TILE] = add_skew_tile,
        [STEP_SKEW] = add_skew, [STEP_INTERCHANGE] = add_interchange,
        [STEP_FULL] = add_full, [STEP_PACK] = add_pack,
        [STEP_VEC] = add_vec,   [STEP_SET] = add_set,
    };
    enum step_kind kind = (enum step_kind)below(draw, STEP_KIND_NR);

    if (by_kind[kind])
        by_kind[kind](draw, plan);
    else
        add_by_row(draw, kind, plan);
}

/* One plan in four is for its nest alone, one in four a recipe where loops suffice. */
char *plan_random_next(struct plan_random *random)
{
    struct draw draw = {.random = random, .view = kernel_view(random->kernel)};
    struct buf plan = {0};
    int nest = find_names(&draw);

    if (below(&draw, 4) == 0)
        buf_addf(&plan, "nest(%d) ", nest + 1);
    size_t nr = 1 + below(&draw, STEPS_MAX);
    if (draw.loops.nr >= 3 && below(&draw, 4) == 0) {
        add_product(&draw, &plan);
        nr = below(&draw, 2);
        buf_add(&plan, nr ? " " : "");
    }
    for (size_t i = 0; i < nr; i++) {
        buf_add(&plan, i ? " " : "");
        add_step(&draw, &plan);
    }
    strvec_release(&draw.made);
    return buf_detach(&plan);
}
