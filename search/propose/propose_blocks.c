/* Block sizes of a matrix product. */
#include "search/propose/propose_blocks.h"

#include "core/base.h"
#include "core/machine/machine.h"

enum { DEPTH_MIN = 32, DEPTH_STEP = 32, L2_DEFAULT = 256 << 10, B_PER_L2 = 4 };

long long propose_block_rows(long long registers, long long vectors)
{
    long long rows = (registers - 1 - vectors) / vectors;
    return rows > 2 ? rows - rows % 2 : rows;
}

double propose_block_value(long long rows, long long vectors)
{
    return (double)(rows * vectors) / (double)(rows + vectors);
}

/* The best block with a power of 2 of vectors, so that usual sizes are multiples. */
static void choose_registers(const struct block_machine *machine,
                             struct block_shape *shape)
{
    double best = 0;
    for (long long vectors = 1; vectors <= 4; vectors *= 2) {
        long long rows = propose_block_rows(machine->registers, vectors);
        while (machine->triangle && rows & (rows - 1)) /* they divide the columns then */
            rows &= rows - 1;
        double value = propose_block_value(rows, vectors);
        if (rows < 1 || value <= best)
            continue;
        best = value;
        shape->rows = rows;
        shape->columns = vectors * shape->lanes;
    }
}

/* Goto and van de Geijn, section 6.3: the block of A fills most of L2 (3/4), the panel of
 * B streams past it (1/16). For cores with 32 KiB of L1 and 256 KiB of L2 that is half of
 * L1, as they say; with vectors of 64 bytes L2 delivers the panel fast enough. The block
 * of B comes from behind L2, once for each block of A; it is large so that A is packed
 * seldom (4 times L2: with the other two some 2,000 columns). */
struct block_shape propose_blocks(const struct block_machine *machine)
{
    struct block_shape shape = {.lanes = machine->vector_bytes / machine->element_bytes};
    double l2 = machine->l2_bytes > 0 ? machine->l2_bytes : L2_DEFAULT;
    choose_registers(machine, &shape);
    shape.depth = (long long)(l2 / 16 / (double)(shape.columns * machine->element_bytes));
    shape.depth -= shape.depth % DEPTH_STEP;
    shape.depth = shape.depth < DEPTH_MIN ? DEPTH_MIN : shape.depth;
    shape.i_blocks =
        (long long)(l2 * 3 / 4 / (double)(shape.depth * machine->element_bytes));
    long long unit = shape.rows;
    if (machine->triangle)
        unit = shape.columns > shape.rows ? shape.columns : shape.rows;
    shape.i_blocks -= shape.i_blocks % unit;
    shape.i_blocks = shape.i_blocks < unit ? unit : shape.i_blocks;
    shape.j_blocks =
        (long long)(l2 * B_PER_L2 / (double)(shape.depth * machine->element_bytes));
    shape.j_blocks -= shape.j_blocks % shape.columns;
    return shape;
}

char *propose_blocks_plan(const struct block_shape *shape,
                          const struct block_names *names)
{
    const char *i = names->i, *j = names->j, *k = names->k;
    struct buf plan = {0};
    buf_addf(
        &plan,
        "tile(%s:%lld,%s:%lld,%s:%lld) tile(%s:%lld,%s:%lld) %sinterchange(%s,%s,%s) "
        "full(%s,%s)",
        k, shape->depth, j, shape->j_blocks, i, shape->i_blocks, j, shape->columns, i,
        shape->rows, names->split ? names->split : "", k, i, j, i, j);
    for (size_t n = 0; n < BLOCK_OPERANDS_MAX && names->a[n]; n++)
        buf_addf(&plan, " pack(%s,%st)", names->a[n], i);
    for (size_t n = 0; n < BLOCK_OPERANDS_MAX && names->b[n]; n++)
        buf_addf(&plan, " pack(%s,%st,%s:%lld)", names->b[n], j, j, shape->columns);
    buf_addf(&plan, " pack(%s,%st2) vec(%s:%lld) prefetch(%s:1)", names->c, i, j,
             shape->lanes, names->c);
    return buf_detach(&plan);
}
