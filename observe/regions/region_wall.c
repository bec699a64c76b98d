/* When several processes were in a region. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "observe/regions/region_parts.h"

static int by_host_and_begin(const void *a, const void *b)
{
    const struct region_stay *left = a, *right = b;
    int order = strcmp(left->host, right->host);
    return order ? order
                 : (left->first_s > right->first_s) - (left->first_s < right->first_s);
}

/* Stays on one machine, each of which begins before those before it have ended: between
 * the longest and the sum. Sets *nr_used. */
static struct quantity unite_overlapping(const struct region_stay *stay, size_t nr,
                                         size_t *used)
{
    double longest = 0, sum = 0, end = stay[0].last_s;
    size_t i = 0;
    for (; i < nr && !strcmp(stay[i].host, stay[0].host) && (!i || stay[i].first_s < end);
         i++) {
        longest = fmax(longest, stay[i].wall_s);
        sum += stay[i].wall_s;
        end = fmax(end, stay[i].last_s);
    }
    *used = i;
    double most = fmax(longest, fmin(sum, end - stay[0].first_s));
    return quantity_between(longest, longest, most, 0, PROVENANCE_CLOCK);
}

struct quantity region_unite(struct region_stay *stay, size_t nr, double *hosts_s,
                             double *at_once)
{
    struct quantity most = quantity_exact(0, PROVENANCE_CLOCK), host = most;
    double sum = 0;
    *hosts_s = 0;
    if (nr)
        qsort(stay, nr, sizeof(*stay), by_host_and_begin);
    for (size_t i = 0, used; i < nr; i += used) {
        struct quantity together = unite_overlapping(stay + i, nr - i, &used);
        bool same = i && !strcmp(stay[i].host, stay[i - 1].host);
        host = same ? quantity_add(host, together) : together;
        *hosts_s += together.value;
        if (host.value > most.value)
            most = host;
    }
    for (size_t i = 0; i < nr; i++)
        sum += stay[i].wall_s;
    *at_once = *hosts_s > 0 ? sum / *hosts_s : 1;
    return most;
}
