#include "core/machine/probe/probe_pages.h"

#include <math.h>
#include <unistd.h>

/* Offsets in a line: 0 and 8 belong to the chases of probe_memory.c; two dense chases can
 * meet in one region. */
enum {
    FIRST_PAGES = 128,
    MOST_PAGES = 16384,
    SPREAD_OFFSET = 16,
    DENSE_OFFSET = 24,
    DENSE_SAME_OFFSET = 32
};

static const int many_lanes[PAGE_LANES] = {4, 8, 12, 16, 24, 32, 40};

/* Each count takes pages of its own: all of them together are some 4.5 times the largest.
 */
static void choose_counts(struct page_probe *pages, const struct region *region,
                          size_t page)
{
    double room = (double)(region->bytes / page) / 6, most = fmin(room, MOST_PAGES);

    for (size_t i = 0; i < PAGE_COUNTS; i++)
        pages->pages[i] = (size_t)(FIRST_PAGES * pow(most / FIRST_PAGES,
                                                     (double)i / (PAGE_COUNTS - 1)));
}

static void build(struct page_probe *pages, const struct region *spread,
                  const struct region *dense, size_t page, size_t line)
{
    size_t page_at = 0, line_at = 0;
    bool same = spread->base == dense->base;

    for (size_t i = 0; i < PAGE_COUNTS; i++) {
        size_t nr = pages->pages[i];

        chase_build(&pages->spread[i],
                    &(struct chase_plan){.base = spread->base + page_at * page,
                                         .bytes = nr * page,
                                         .spacing = page,
                                         .offset = SPREAD_OFFSET,
                                         .line = line,
                                         .order = CHASE_PAGES,
                                         .seed = i + 1});
        chase_build(
            &pages->dense[i],
            &(struct chase_plan){.base = dense->base + line_at * line,
                                 .bytes = nr * line,
                                 .spacing = line,
                                 .offset = same ? DENSE_SAME_OFFSET : DENSE_OFFSET,
                                 .order = CHASE_RANDOM,
                                 .seed = i + 1});
        page_at += nr;
        line_at += nr;
    }
}

void page_probe_add(struct page_probe *pages, struct trials *trials,
                    const struct region *spread, const struct region *dense, size_t line)
{
    const double target_s = 0.3e-3;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    choose_counts(pages, spread, page);
    build(pages, spread, dense, page, line);
    for (size_t i = 0; i < PAGE_COUNTS; i++) {
        pages->spread_trial[i] = add_chase(trials, &pages->spread[i], 1, true, target_s);
        pages->dense_trial[i] = add_chase(trials, &pages->dense[i], 1, true, target_s);
    }
    for (size_t i = 0; i < PAGE_LANES; i++) {
        pages->spread_many[i] = add_chase(trials, &pages->spread[PAGE_COUNTS - 1],
                                          many_lanes[i], true, target_s);
        pages->dense_many[i] = add_chase(trials, &pages->dense[PAGE_COUNTS - 1],
                                         many_lanes[i], true, target_s);
    }
}

double tlb_reach(const size_t *pages, const double *extra_ns, size_t nr)
{
    double few = fmin(extra_ns[0], fmin(extra_ns[1], extra_ns[2])),
           many = extra_ns[nr - 1];
    double bar = (few + many) / 2;

    if (many < 2 * fmax(few, 0) || many - few < 2) /* less is no walk */
        return 0;
    for (size_t i = 1; i < nr; i++)
        if (extra_ns[i] > bar) {
            double share = (bar - extra_ns[i - 1]) / (extra_ns[i] - extra_ns[i - 1]);
            double low = (double)pages[i - 1], high = (double)pages[i];

            return round(low * pow(high / low, fmin(fmax(share, 0), 1)));
        }
    return 0;
}

void page_probe_read(const struct page_probe *pages, const struct trials *trials,
                     struct machine_pages *to)
{
    struct quantity spread = best_rate(trials, pages->spread_many, PAGE_LANES);
    struct quantity dense = best_rate(trials, pages->dense_many, PAGE_LANES);
    double extra_ns[PAGE_COUNTS];

    for (size_t i = 0; i < PAGE_COUNTS; i++)
        extra_ns[i] = trial_ns(trials, pages->spread_trial[i]).value -
                      trial_ns(trials, pages->dense_trial[i]).value;
    to->tlb_entries = tlb_reach(pages->pages, extra_ns, PAGE_COUNTS);
    if (to->tlb_entries <= 0) /* nothing walked */
        return;
    to->walks_per_s = spread;
    /* Where the lines themselves are nearly as slow, the walkers may have been idle in
     * between. */
    to->walks_is_floor = dense.value < 1.5 * spread.value;
}
