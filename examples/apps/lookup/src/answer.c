/* Answering a batch of keys: what the service spends its time on. */
#include "table.h"

void table_lookup(long n, uint64_t mask, uint64_t now, const uint64_t *restrict key,
                  const struct slot *restrict slot, struct answer *restrict answer)
{
    for (long i = 0; i < n; i++) {
        uint64_t at = table_hash(key[i]) & mask;

        while (slot[at].key != 0 && slot[at].key != key[i])
            at = (at + 1) & mask;
        if (slot[at].key != 0 && slot[at].expires > now) {
            answer[i].value = slot[at].value;
            answer[i].version = slot[at].version;
        } else {
            answer[i].value = 0;
            answer[i].version = 0;
        }
    }
}
