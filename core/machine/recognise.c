#include <string.h>

#include "core/machine/cpu_table.h"

static bool in_ranges(const struct cpu_row *row, int id)
{
    for (size_t i = 0; i < row->id_nr; i++)
        if (id >= row->id[i].low && id <= row->id[i].high)
            return true;
    return false;
}

static bool is_x86(const struct cpu_identity *identity)
{
    return identity->family >= 0;
}

static bool claims(const struct cpu_row *row, const struct cpu_identity *identity)
{
    if (strcmp(row->vendor, identity->vendor) != 0)
        return false;
    if (row->core)
        return strcmp(row->core, identity->core) == 0;
    if (!is_x86(identity))
        return row->implementer == identity->implementer &&
               in_ranges(row, identity->part);
    return row->family == identity->family && in_ranges(row, identity->model) &&
           identity->stepping >= row->stepping.low &&
           identity->stepping <= row->stepping.high &&
           (!row->core_type || row->core_type == identity->core_type);
}

/* Unknown on either side fits everything. */
static bool size_fits(const int *allowed, int kib)
{
    if (!allowed[0] || !kib)
        return true;
    for (size_t i = 0; i < CPU_SIZES_MAX; i++)
        if (allowed[i] == kib)
            return true;
    return false;
}

static bool sizes_fit(const struct cpu_row *row, const struct cpu_caches *caches)
{
    return size_fits(row->geometry.l1d_kib, caches->l1d_kib) &&
           size_fits(row->geometry.l1i_kib, caches->l1i_kib) &&
           size_fits(row->geometry.l2_kib, caches->l2_kib);
}

/* A guest may lack a feature that its hypervisor hides; what it has, it has. */
static bool features_fit(const struct cpu_row *row, const struct cpu_identity *identity)
{
    bool missing = row->geometry.has & ~identity->features;

    return !(row->geometry.lacks & identity->features) && (!missing || identity->guest);
}

/* Rows without any size cannot be told by geometry. */
static bool is_described(const struct cpu_row *row)
{
    return row->geometry.l1d_kib[0] && row->geometry.l1i_kib[0] &&
           row->geometry.l2_kib[0];
}

/* The one row of the vendor that the sizes and features leave; NULL if there are none or
 * several. */
static const struct cpu_row *only_fitting(const struct cpu_table *table,
                                          const struct cpu_identity *identity,
                                          const struct cpu_caches *caches)
{
    const struct cpu_row *found = NULL;

    for (size_t i = 0; i < table->row_nr; i++) {
        const struct cpu_row *row = &table->row[i];

        if (strcmp(row->vendor, identity->vendor) != 0 || !is_described(row) ||
            !sizes_fit(row, caches) || !features_fit(row, identity) ||
            (row->geometry.has & ~identity->features))
            continue;
        if (found)
            return NULL;
        found = row;
    }
    return found;
}

static void describe_identity(const struct cpu_identity *identity, struct buf *sentence)
{
    if (is_x86(identity))
        buf_addf(sentence, "%s family %X model %X stepping %X", identity->vendor,
                 (unsigned)identity->family, (unsigned)identity->model,
                 (unsigned)identity->stepping);
    else if (identity->implementer >= 0)
        buf_addf(sentence, "Arm implementer %02X part %03X",
                 (unsigned)identity->implementer, (unsigned)identity->part);
    else
        buf_add(sentence, identity->core[0] ? identity->core : identity->name);
}

static void describe_here(const struct cpu_identity *identity,
                          const struct cpu_caches *caches, struct buf *sentence)
{
    static const char *const word[] = {
#define X(name, text) text,
        CPU_FEATURE_MAP(X)
#undef X
    };

    buf_addf(sentence, "%d KiB L1D, %d KiB L1I, %d KiB L2", caches->l1d_kib,
             caches->l1i_kib, caches->l2_kib);
    for (size_t i = 0; i < CPU_FEATURE_NR; i++)
        if (identity->features >> i & 1)
            buf_addf(sentence, ", %s", word[i]);
}

static const struct cpu_row *resolve(const struct cpu_table *table,
                                     const struct cpu_row *row,
                                     const struct cpu_identity *identity,
                                     const struct cpu_caches *caches,
                                     struct buf *sentence)
{
    const struct cpu_row *better = only_fitting(table, identity, caches);

    buf_addf(sentence, "; but that contradicts what it has (");
    describe_here(identity, caches, sentence);
    if (better) {
        buf_addf(sentence, "), which fits %s: taken as that", better->name);
        return better;
    }
    if (!features_fit(row, identity)) {
        buf_add(sentence, "), and no row of the CPU table fits: taken as unknown");
        return NULL;
    }
    buf_addf(sentence, "); a hypervisor may have made up the sizes: still taken as %s",
             row->name);
    return row;
}

const struct cpu_row *cpu_recognise(const struct cpu_table *table,
                                    const struct cpu_identity *identity,
                                    const struct cpu_caches *caches, struct buf *sentence)
{
    const struct cpu_row *row = NULL;

    for (size_t i = 0; i < table->row_nr && !row; i++)
        if (claims(&table->row[i], identity))
            row = &table->row[i];
    describe_identity(identity, sentence);
    if (!row) {
        buf_add(sentence, " is in no row of the CPU table");
        return NULL;
    }
    buf_addf(sentence, " says %s", row->name);
    if (!sizes_fit(row, caches) || !features_fit(row, identity))
        return resolve(table, row, identity, caches, sentence);
    buf_add(sentence, ", and its caches and features agree");
    return row;
}
