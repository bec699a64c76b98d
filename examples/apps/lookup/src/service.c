#include "service.h"

#include <stdlib.h>

#include "common/app.h"

enum { UPDATE_EVERY = 64 };

/* What is stored under a key in its version: told from nothing else, so that answers can
 * be checked without a second table. */
static uint64_t value_of(uint64_t key, uint64_t version)
{
    return table_hash(key ^ (version << 56));
}

/* The tick from which an entry is no longer served. */
static uint64_t expiry_of(uint64_t key, long ticks)
{
    uint64_t random = table_hash(key + 1);

    return random % 4 ? UINT64_MAX : 1 + (random >> 2) % (uint64_t)ticks;
}

void service_start(struct service *service, long entries, double load, long batch)
{
    *service = (struct service){.batch = batch};
    table_start(&service->table, (uint64_t)entries, load);
    service->answer = app_array((size_t)batch, sizeof(*service->answer));
}

void service_release(struct service *service)
{
    table_release(&service->table);
    free(service->answer);
    service->answer = NULL;
}

void service_fill(struct service *service, long entries, long ticks)
{
    for (long rank = 0; rank < entries; rank++) {
        uint64_t key = trace_key((uint64_t)rank);
        table_put(&service->table, key, value_of(key, 1), expiry_of(key, ticks));
    }
}

/* What becomes of the answers: counted, checked, summed up as if they were sent. */
static void answers_send(struct service *service, const uint64_t *key, long n)
{
    for (long i = 0; i < n; i++) {
        const struct answer *answer = &service->answer[i];

        service->checksum = service->checksum * 31 + answer->value;
        if (!answer->version) {
            service->misses++;
            continue;
        }
        service->hits++;
        service->wrong += answer->value != value_of(key[i], answer->version);
    }
}

/* Writers: an entry that is there and served gets its next version, and stays for good.
 */
static void entries_update(struct service *service, const uint64_t *key, long n)
{
    for (long i = 0; i < n; i += UPDATE_EVERY) {
        const struct slot *slot = table_place(&service->table, key[i]);

        if (slot->key == 0 || slot->expires <= service->tick)
            continue;
        table_put(&service->table, key[i], value_of(key[i], slot->version + 1),
                  UINT64_MAX);
        service->updates++;
    }
}

void service_tick(struct service *service, const uint64_t *key, long n)
{
    double begin = app_seconds();

    service->tick++;
    table_lookup(n, service->table.mask, service->tick, key, service->table.slot,
                 service->answer);
    double middle = app_seconds();
    answers_send(service, key, n);
    entries_update(service, key, n);
    service->lookup_s += middle - begin;
    service->rest_s += app_seconds() - middle;
    histogram_add(&service->batch_ns, (uint64_t)(1e9 * (middle - begin)));
}
