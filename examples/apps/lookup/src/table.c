/* Storing entries; looking them up is in answer.c. */
#include "table.h"

#include <stdlib.h>

#include "common/app.h"

void table_start(struct table *table, uint64_t entries, double load)
{
    uint64_t slots = 8;

    while ((double)slots * load < (double)entries)
        slots *= 2;
    *table = (struct table){.mask = slots - 1};
    table->slot = app_array((size_t)slots, sizeof(*table->slot));
}

void table_release(struct table *table)
{
    free(table->slot);
    *table = (struct table){0};
}

struct slot *table_place(struct table *table, uint64_t key)
{
    uint64_t at = table_hash(key) & table->mask;

    while (table->slot[at].key != 0 && table->slot[at].key != key)
        at = (at + 1) & table->mask;
    return &table->slot[at];
}

bool table_put(struct table *table, uint64_t key, uint64_t value, uint64_t expires)
{
    struct slot *slot = table_place(table, key);

    if (slot->key == 0) {
        if (table->entries + 1 > table->mask)
            return false; /* one slot stays empty: it ends every search */
        table->entries++;
    }
    slot->key = key;
    slot->value = value;
    slot->expires = expires;
    slot->version++;
    return true;
}

void table_probes(const struct table *table, struct table_probes *probes)
{
    *probes = (struct table_probes){0};
    for (uint64_t at = 0; at <= table->mask; at++) {
        uint64_t key = table->slot[at].key;
        if (!key)
            continue;
        uint64_t away = ((at - table_hash(key)) & table->mask) + 1;
        probes->mean += (double)away;
        probes->longest = away > probes->longest ? away : probes->longest;
    }
    if (table->entries)
        probes->mean /= (double)table->entries;
}
