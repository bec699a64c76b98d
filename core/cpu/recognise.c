#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/cpu/cpu.h"

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

static bool sizes_fit(const struct cpu *row, const struct cpu_caches *caches)
{
    return size_fits(row->geometry.l1d_kib, caches->l1d_kib) &&
           size_fits(row->geometry.l1i_kib, caches->l1i_kib) &&
           size_fits(row->geometry.l2_kib, caches->l2_kib);
}

/* What a CPU has, it has; what it lacks, a hypervisor or the firmware may hide. */
static bool features_possible(const struct cpu *row, const struct cpu_identity *identity)
{
    return !(row->geometry.lacks & identity->features);
}

static unsigned hidden_features(const struct cpu *row,
                                const struct cpu_identity *identity)
{
    return row->geometry.has & ~identity->features;
}

/* Something of what the row says can be compared with what is here. */
static bool is_comparable(const struct cpu *row, const struct cpu_caches *caches)
{
    const struct cpu_geometry *geometry = &row->geometry;

    return (geometry->l1d_kib[0] && caches->l1d_kib) ||
           (geometry->l1i_kib[0] && caches->l1i_kib) ||
           (geometry->l2_kib[0] && caches->l2_kib) || geometry->has || geometry->lacks;
}

/* Without all sizes on both sides a row cannot be told by geometry. */
static bool is_described(const struct cpu *row, const struct cpu_caches *caches)
{
    return row->geometry.l1d_kib[0] && row->geometry.l1i_kib[0] &&
           row->geometry.l2_kib[0] && caches->l1d_kib && caches->l1i_kib &&
           caches->l2_kib;
}

/* The one row of the vendor that the sizes and features leave; NULL if there are none or
 * several. */
static const struct cpu *only_fitting(const struct cpu_table *table,
                                      const struct cpu_identity *identity,
                                      const struct cpu_caches *caches, bool may_hide)
{
    const struct cpu *found = NULL;

    for (size_t i = 0; i < table->cpu_nr; i++) {
        const struct cpu *row = &table->cpu[i];

        if (strcmp(row->rule[0].vendor, identity->vendor) != 0 ||
            !is_described(row, caches) || !sizes_fit(row, caches) ||
            !features_possible(row, identity) ||
            (!may_hide && hidden_features(row, identity)))
            continue;
        if (found)
            return NULL;
        found = row;
    }
    return found;
}

static void list(const char *item, struct buf *sentence, bool *more)
{
    buf_addf(sentence, "%s%s", *more ? ", " : "", item);
    *more = true;
}

static void list_features(unsigned features, struct buf *sentence, bool *more)
{
    static const char *const word[] = {
#define X(name, text, flag) text,
        CPU_FEATURE_MAP(X)
#undef X
    };

    for (size_t i = 0; i < CPU_FEATURE_NR; i++)
        if (features >> i & 1)
            list(word[i], sentence, more);
}

static void describe_here(const struct cpu_identity *identity,
                          const struct cpu_caches *caches, struct buf *sentence)
{
    const struct {
        int kib;
        const char *name;
    } size[] = {
        {caches->l1d_kib, "L1D"}, {caches->l1i_kib, "L1I"}, {caches->l2_kib, "L2"}};
    bool more = false;

    for (size_t i = 0; i < ARRAY_SIZE(size); i++)
        if (size[i].kib) {
            char *item = xasprintf("%d KiB %s", size[i].kib, size[i].name);

            list(item, sentence, &more);
            free(item);
        }
    list_features(identity->features, sentence, &more);
}

/* The CPU has what the model it claims cannot have. */
static const struct cpu *resolve(const struct cpu_table *table, const struct cpu *claimed,
                                 const struct cpu_identity *identity,
                                 const struct cpu_caches *caches, struct buf *sentence)
{
    const struct cpu *better = only_fitting(table, identity, caches, false);

    if (!better)
        better = only_fitting(table, identity, caches, true);
    buf_add(sentence, ", but that " CPU_CONTRADICTS " (");
    describe_here(identity, caches, sentence);
    if (better) {
        buf_addf(sentence, "), which fits %s only: taken as that", better->name);
        return better;
    }
    if (!features_possible(claimed, identity)) {
        buf_add(sentence, "), and no row of the CPU table fits: taken as unknown");
        return NULL;
    }
    buf_addf(sentence, "); %s: still taken as that",
             identity->guest ? "a hypervisor may have made up the sizes"
                             : "the CPU table may not know all sizes of it");
    return claimed;
}

static void say_agreement(const struct cpu *row, const struct cpu_identity *identity,
                          const struct cpu_caches *caches, struct buf *sentence)
{
    unsigned hidden = hidden_features(row, identity);
    bool more = false;

    if (!is_comparable(row, caches)) {
        buf_add(sentence, "; the CPU table has nothing to check that against");
        return;
    }
    buf_add(sentence, ", and its caches and features agree");
    if (!hidden)
        return;
    buf_add(sentence, ", though it hides ");
    list_features(hidden, sentence, &more);
}

const struct cpu *cpu_recognise(const struct cpu_table *table,
                                const struct cpu_identity *identity,
                                const struct cpu_caches *caches, struct buf *sentence)
{
    const struct cpu *row = cpu_claimed(table, identity);

    cpu_identity_say(identity, sentence);
    if (!row) {
        buf_add(sentence, " is in no row of the CPU table, which may be older than it: "
                          "unknown, limits are measured or defaults");
        return NULL;
    }
    buf_addf(sentence, " says %s", row->name);
    if (!sizes_fit(row, caches) || !features_possible(row, identity))
        return resolve(table, row, identity, caches, sentence);
    say_agreement(row, identity, caches, sentence);
    return row;
}
