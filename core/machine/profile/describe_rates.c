/* What loops that do nothing else reach: bandwidths and arithmetic, as tables. */
#include "core/machine/profile/describe.h"

#include <math.h>
#include <stdlib.h>

enum { COLUMN = 9 };

struct table {
    struct buf *out;
    const char *heading, *columns;
    bool open, has_floors;
};

/* ">6.3": or more. */
static void add_cell(struct table *table, struct quantity quantity, double scale)
{
    struct buf text = {0};
    bool is_floor = quantity.known && isinf(quantity.high);

    if (is_floor)
        buf_add(&text, ">");
    if (quantity.known)
        buf_add_number(&text, quantity.value * scale);
    buf_addf(table->out, "%*s", COLUMN, quantity.known ? buf_str(&text) : "?");
    table->has_floors |= is_floor;
    buf_release(&text);
}

static void close_table(const struct table *table)
{
    if (table->has_floors)
        buf_add(table->out, "  > at least: other processes kept the cores busy\n");
}

/* The first row with something known opens the table, and says where all come from. */
static void open_table(struct table *table, struct quantity first)
{
    if (!table->open)
        buf_addf(table->out, "\n%s (%s)\n%s\n", table->heading,
                 describe_origin(first.provenance), table->columns);
    table->open = true;
}

/* A row of quantities; left out when all are unknown. */
static void add_row(struct table *table, const char *name,
                    const struct quantity *quantity, const double *scale, size_t nr)
{
    size_t first = 0;

    while (first < nr && !quantity[first].known)
        first++;
    if (first == nr)
        return;
    open_table(table, quantity[first]);
    buf_addf(table->out, "  %-*s", DESCRIBE_INDENT - 2, name);
    for (size_t i = 0; i < nr; i++)
        add_cell(table, quantity[i], scale[i]);
    buf_add(table->out, "\n");
}

static void add_rates(struct table *table, const char *name,
                      const struct machine_rates *rates)
{
    const struct quantity row[] = {rates->read_gbs,        rates->write_gbs,
                                   rates->copy_gbs,        rates->triad_gbs,
                                   rates->nontemporal_gbs, rates->random_lines_per_s};
    const double scale[] = {1, 1, 1, 1, 1, 1e-6};

    add_row(table, name, row, scale, ARRAY_SIZE(row));
}

void describe_bandwidths(const struct machine *machine, struct buf *out)
{
    struct table table = {
        .out = out,
        .heading = "Bandwidths, GB/s of the program's own bytes; random lines in M/s",
        .columns = "                       read    write     copy    triad  nt store   "
                   "random"};

    for (int i = 0; i < machine->level_nr; i++) {
        const struct machine_level *level = &machine->level[i];
        char *one = xasprintf("L%d, one core", level->level),
             *all = xasprintf("L%d, all cores", level->level);

        add_rates(&table, one, &level->one_core);
        add_rates(&table, all, &level->all_cores);
        free(one);
        free(all);
    }
    add_rates(&table, "mem., one core", &machine->one_core);
    add_rates(&table, "mem., all cores", &machine->all_cores);
    close_table(&table);
}

static void add_flops(struct table *table, const char *name,
                      const struct machine_flops *flops)
{
    const struct quantity row[] = {flops->scalar, flops->simd, flops->fma};
    const double scale[] = {1e-9, 1e-9, 1e-9};

    add_row(table, name, row, scale, ARRAY_SIZE(row));
}

void describe_arithmetic(const struct machine *machine, struct buf *out)
{
    char *heading =
        machine->simd_bytes > 0
            ? xasprintf("Arithmetic, GFLOP/s, vectors of %d B", machine->simd_bytes)
            : xstrdup("Arithmetic, GFLOP/s");
    struct table table = {.out = out,
                          .heading = heading,
                          .columns = "                     scalar  vectors    fused"};

    add_flops(&table, "double, one core", &machine->flops_double);
    add_flops(&table, "double, all", &machine->all_flops_double);
    add_flops(&table, "single, one core", &machine->flops_single);
    add_flops(&table, "single, all", &machine->all_flops_single);
    close_table(&table);
    free(heading);
}
