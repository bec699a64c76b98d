/*
 * The table of a key-value service: open addressing with linear probing.
 *
 * A slot is 32 bytes. Key 0 marks an empty slot, so it is no key.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct slot {
    uint64_t key;
    uint64_t value;
    uint64_t expires; /* tick from which the entry is no longer served */
    uint64_t version; /* 1 when stored first, one more with each update */
};

/* What the service answers to one key. */
struct answer {
    uint64_t value;
    uint64_t version; /* 0: no such key, or expired */
};

struct table {
    uint64_t mask; /* slots - 1; slots are a power of two */
    uint64_t entries;
    struct slot *slot;
};

/* Where the search for a key begins: Stafford's mixing function, variant 13. */
static inline uint64_t table_hash(uint64_t key)
{
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
    return key ^ (key >> 31);
}

/* A table for at least `entries` entries, at most `load` of its slots in use. */
void table_start(struct table *table, uint64_t entries, double load);
void table_release(struct table *table);

/* Where the key is, or the empty slot where it would be. */
struct slot *table_place(struct table *table, uint64_t key);

/* Stores or updates an entry; false if the table is full. */
bool table_put(struct table *table, uint64_t key, uint64_t value, uint64_t expires);

/* How many slots a successful search looks at. */
struct table_probes {
    double mean;
    uint64_t longest;
};

void table_probes(const struct table *table, struct table_probes *probes);

/* Answers n keys at tick `now`: answer[i] to key[i]. */
void table_lookup(long n, uint64_t mask, uint64_t now, const uint64_t *restrict key,
                  const struct slot *restrict slot, struct answer *restrict answer);

#endif
