#include <string.h>
#include <sys/prctl.h>

#include "core/machine/topology/topology.h"

enum { sse_bits = 128, neon_bits = 128 };

static bool has(const struct machine_processor *processor, const char *feature)
{
    return strvec_has(&processor->features, feature);
}

/* Scalable vectors are as long as the kernel says to this process. */
static int scalable_bits(void)
{
    int got = prctl(PR_SVE_GET_VL);

    return got < 0 ? 0 : (got & PR_SVE_VL_LEN_MASK) * 8;
}

int machine_vector_bits(const struct machine_processor *processor)
{
    if (strcmp(processor->architecture, "x86_64") == 0)
        return has(processor, "avx512f") ? 512 : has(processor, "avx") ? 256 : sse_bits;
    if (strcmp(processor->architecture, "aarch64") == 0)
        return has(processor, "sve") ? scalable_bits() : neon_bits;
    return 0;
}

int machine_line_bytes(void)
{
    struct topology topology;
    int bytes;

    if (topology_load(NULL, &topology, NULL))
        return 0;
    bytes = topology_reported_line_bytes(&topology);
    topology_release(&topology);
    return bytes;
}

double machine_last_cache_bytes(void)
{
    struct topology topology;
    double bytes = 0;

    if (topology_load(NULL, &topology, NULL))
        return 0;
    for (size_t i = 0; i < topology.cache_nr; i++)
        if (!topology.cache[i].instruction && topology.cache[i].bytes > bytes)
            bytes = topology.cache[i].bytes;
    topology_release(&topology);
    return bytes;
}
