/*
 * Private to core/machine: address translation alone. One cached line in each of many
 * pages costs what the line costs and what its translation costs; the same number of
 * lines packed densely costs the first only.
 */
#ifndef CORE_MACHINE_PROBE_PAGES_H
#define CORE_MACHINE_PROBE_PAGES_H

#include "core/machine/probe/probe.h"

struct trials;

enum { PAGE_COUNTS = 12, PAGE_LANES = 7 };

struct page_probe {
    size_t pages[PAGE_COUNTS]; /* how many, ascending; [PAGE_COUNTS - 1] is beyond every
                                  TLB, memory allowing */
    struct chase spread[PAGE_COUNTS], dense[PAGE_COUNTS];
    size_t spread_trial[PAGE_COUNTS], dense_trial[PAGE_COUNTS]; /* one lane */
    size_t spread_many[PAGE_LANES], dense_many[PAGE_LANES]; /* many lanes, most pages */
};

/* Both regions also hold other chases: offsets below 16 of each line are theirs. */
void page_probe_add(struct page_probe *pages, struct trials *trials,
                    const struct region *spread, const struct region *dense, size_t line);
void page_probe_read(const struct page_probe *pages, const struct trials *trials,
                     struct machine_pages *to);
/* Pages that the TLBs hold, from the extra nanoseconds per count; 0 = no step seen. */
double tlb_reach(const size_t *pages, const double *extra_ns, size_t nr);

#endif
