/* hash_array with structs: key and value of an entry in one line. */
#include <stdint.h>

struct entry {
    uint32_t key, value;
    uint64_t stamp;
};

#pragma inflight kernel
#pragma inflight set steps = 262144
#pragma inflight set n = 8388608
#pragma inflight buffer head length n
#pragma inflight buffer head = index(n)
#pragma inflight buffer entry length n
#pragma inflight buffer entry.value = uniform(0, 2000000000)
uint64_t hash_struct(uint64_t steps, uint64_t n, const uint32_t *restrict head,
                     const struct entry *restrict entry)
{
    uint64_t key = 1, sum = 0;
    for (uint64_t i = 0; i < steps; i++) {
        uint32_t at = head[((uint64_t)(uint32_t)(key * 2654435761u) * n) >> 32];
        sum += entry[at].key;
        key += entry[at].value;
    }
    return sum + key;
}
