/* One region of one run: its counts, and what they do not cover. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/metrics/metrics_regions.h"
#include "observe/report/regions_report.h"

/* Ours: of the region's time that counts may miss and still stand for it. */
#define MISSED_MOST 0.01
/* Ours: processors at work in a process for each of its threads that marks regions;
 * beyond it there are threads at work that do not. */
#define UNMARKED_LEAST 1.25
/* As the markers' report says it (docs/regions.md). */
#define MARKERS_MOST 0.1

static double share_of(double part_s, const struct region *region)
{
    return region->numbers.thread_s > 0 ? part_s / region->numbers.thread_s : 0;
}

/* ---- counts ---- */

static bool is_missed(const struct region *region)
{
    return share_of(region->numbers.uncounted_s, region) > MISSED_MOST;
}

static bool is_asked(const struct region *region)
{
    return share_of(region->numbers.asked_s, region) >= 1 - MISSED_MOST;
}

/* Caller frees. */
static char *why_missed(const struct region *region)
{
    return xasprintf("%.3g %% of the region's time was not counted: in threads whose "
                     "events do not count, or in calls that had not ended",
                     100 * share_of(region->numbers.uncounted_s, region));
}

static char *why_not_asked(const struct region *region)
{
    return xasprintf("the system is asked for page faults in calls of 0.2 ms and more, "
                     "which are %.3g %% of the region's time",
                     100 * share_of(region->numbers.asked_s, region));
}

static void add_one(struct count_set *set, const char *event, struct quantity value,
                    const char *why)
{
    if (why)
        count_set_add_unknown(set, event, why);
    else
        count_set_add(set, event, value, 1);
}

static void add_counted(const struct region_profile *profile, const struct region *region,
                        struct count_set *set)
{
    char *why = is_missed(region) ? why_missed(region) : NULL;
    for (size_t i = 0; i < profile->event_nr; i++)
        add_one(set, profile->event[i],
                quantity_exact(region->numbers.count[i], PROVENANCE_PAPI), why);
    free(why);
}

/* What the system tells of long calls, by the names of the kernel's events. */
static void add_told(const struct region *region, struct count_set *set)
{
    const struct region_numbers *numbers = &region->numbers;
    const struct {
        const char *event;
        double count;
    } told[] = {{"perf::PAGE-FAULTS", numbers->minor_faults + numbers->major_faults},
                {"perf::MINOR-FAULTS", numbers->minor_faults},
                {"perf::MAJOR-FAULTS", numbers->major_faults},
                {"perf::CONTEXT-SWITCHES", numbers->switches}};
    char *why = is_asked(region) ? NULL : why_not_asked(region);
    for (size_t i = 0; i < ARRAY_SIZE(told); i++)
        if (!count_set_find(set, told[i].event))
            add_one(set, told[i].event, quantity_exact(told[i].count, PROVENANCE_CLOCK),
                    why);
    free(why);
}

struct count_set metrics_region_counts(const struct region_profile *profile,
                                       const struct region *region)
{
    struct count_set set = {.source = xstrdup(METRICS_REGIONS_SOURCE),
                            .seconds = region->wall_s.value > 0 ? region->wall_s
                                                                : quantity_unknown(),
                            .calls = region->numbers.calls};
    if (region->wall_s.value > 0)
        set.cores = (int)fmax(1, round(region->numbers.thread_s / region->wall_s.value));
    add_counted(profile, region, &set);
    add_told(region, &set);
    return set;
}

/* ---- notes ---- */

static size_t hosts_of(const struct region *region)
{
    size_t nr = 0;
    for (size_t i = 0; i < region->stay_nr; i++)
        nr += !i || strcmp(region->stay[i].host, region->stay[i - 1].host) != 0;
    return nr;
}

static const char *plural(double nr)
{
    return nr == 1 ? "" : "s";
}

static void note_size(const struct region *region, struct strvec *note)
{
    size_t hosts = hosts_of(region);
    strvec_pushf(note, "%.0f call%s, by at most %zu thread%s at once of %zu process%s",
                 region->numbers.calls, plural(region->numbers.calls), region->thread.nr,
                 plural((double)region->thread.nr), region->process.nr,
                 region->process.nr == 1 ? "" : "es");
    if (hosts > 1)
        strvec_pushf(note,
                     "it ran on %zu machines: counts and rates are of all of them "
                     "together, and must not be held against the roofs of one",
                     hosts);
}

/* Threads that mark regions, of a process. */
static double threads_of(const struct region_profile *profile)
{
    double threads = 0;
    for (size_t i = 0; i < profile->process_nr; i++)
        threads += (double)profile->process[i].threads;
    return threads / (double)profile->process_nr;
}

/* Threads that work meanwhile, and mark nothing, are not counted. */
static void note_unmarked(const struct region_profile *profile,
                          const struct region *region, struct strvec *note)
{
    const struct region_numbers *numbers = &region->numbers;
    double busy = numbers->asked_s > 0 ? numbers->processor_s / numbers->asked_s : 0;
    double threads = threads_of(profile);
    if (profile->event_nr && busy > UNMARKED_LEAST * fmax(threads, 1))
        strvec_pushf(note,
                     "%.3g processors are at work in a process meanwhile, and %.3g "
                     "thread%s of it mark%s regions: the events of the others are not "
                     "among the counts. Put the markers inside of the parallel part",
                     busy, threads, plural(threads), threads == 1 ? "s" : "");
}

static void note_missed(const struct region_profile *profile, const struct region *region,
                        struct strvec *note)
{
    double missed = share_of(region->numbers.uncounted_s, region);
    char *why = NULL;
    if (profile->event_nr && is_missed(region))
        why = why_missed(region);
    else if (profile->event_nr && missed > 0)
        why = xasprintf("%.2g %% of its time was not counted", 100 * missed);
    if (why)
        strvec_push(note, why);
    free(why);
    why = is_asked(region) ? NULL : why_not_asked(region);
    if (why)
        strvec_push(note, why);
    free(why);
}

void metrics_region_notes(const struct region_profile *profile,
                          const struct region *region, struct strvec *note)
{
    double markers = region_marker_share(region);
    note_size(region, note);
    note_unmarked(profile, region, note);
    note_missed(profile, region, note);
    if (markers >= MARKERS_MOST)
        strvec_pushf(note,
                     "the markers themselves are %.0f %% of its time, and of what is "
                     "counted: mark a longer stretch, such as the loop around it",
                     100 * markers);
}
