/* Bytes through memory where the counts say them outright. */
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/traffic/traffic.h"

/* GB/s of a row in bytes or in GB/s. */
static int rate_of(const struct count_set *set, const char *bytes_row,
                   const char *gbs_row, struct quantity *gbs, struct error *err)
{
    struct quantity bytes = count_set_value(set, bytes_row);
    *gbs = count_set_value(set, gbs_row);
    if (gbs->known && bytes.known)
        return fail(err, STATUS_INPUT,
                    "the counts hold both '%s' and '%s'; leave one of them out",
                    bytes_row, gbs_row);
    if (!bytes.known)
        return 0;
    *gbs = quantity_scale(quantity_divide(bytes, set->seconds), 1e-9);
    if (!gbs->known)
        return fail(err, STATUS_INPUT,
                    "the counts do not say what time they cover: add a row 'seconds' or "
                    "--seconds TIME, or count with 'perf stat -e duration_time,...'");
    return 0;
}

/* What both directions together exceed the reads by: the writes. */
static struct quantity rest_of(struct quantity all, struct quantity read)
{
    struct quantity rest = quantity_subtract(all, read);
    if (!rest.known)
        return rest;
    return quantity_between(fmax(rest.value, 0), fmax(rest.low, 0), fmax(rest.high, 0),
                            rest.runs, rest.provenance);
}

int count_set_bandwidth(const struct count_set *set, struct quantity *read_gbs,
                        struct quantity *write_gbs, struct error *err)
{
    struct quantity all = quantity_unknown();
    if (rate_of(set, "read_bytes", "read_gbs", read_gbs, err) ||
        rate_of(set, "write_bytes", "write_gbs", write_gbs, err) ||
        rate_of(set, "bytes", "gbs", &all, err))
        return -1;
    if (!all.known || (read_gbs->known && write_gbs->known))
        return 0;
    if (read_gbs->known && all.high < read_gbs->low)
        return fail(err, STATUS_INPUT,
                    "the counts contradict each other: %.4g GB/s are read, and %.4g GB/s "
                    "read and written",
                    read_gbs->value, all.value);
    if (read_gbs->known) {
        *write_gbs = rest_of(all, *read_gbs);
        return 0;
    }
    *read_gbs = write_gbs->known ? rest_of(all, *write_gbs) : all;
    if (!write_gbs->known)
        *write_gbs = quantity_exact(0, PROVENANCE_RECORDED);
    return 0;
}
