/* Private to core/machine: the stages of machine_probe. Each fills its part of the
 * profile. */
#ifndef CORE_MACHINE_PROBE_H
#define CORE_MACHINE_PROBE_H

#include "core/base/error.h"
#include "core/base/quantity.h"
#include "core/machine/curves/rate_sets.h"
#include "core/machine/profile/limit.h"
#include "core/machine/sampling/capacity.h"
#include "core/machine/sampling/looks.h"
#include "core/machine/sampling/pointer_chase.h"
#include "core/machine/topology/memory.h"
#include "core/machine/topology/topology.h"

struct progress;
struct trials;

/* One look at the unloaded latency of memory. */
struct anchor {
    double at_s, ns; /* since the start of the probe; median over some 0.1 s */
};
enum { ANCHORS_MAX = 64 };
/* What fully random accesses go over: page tables of some MiB. */
enum { PROBE_RANDOM_BYTES = 1 << 30 };

enum page_kind { PAGE_SMALL, PAGE_HUGE, PAGE_KINDS };

/* Rates of memory, of one core and of all: several looks. */
enum { ONE_CORE, ALL_CORES, CORE_CHOICES };
struct rates_seen {
    struct looks look[CORE_CHOICES][RATE_KINDS];
    const char *winner[CORE_CHOICES][RATE_KINDS]; /* the loops that were best */
};

struct probe {
    struct topology topology;
    struct machine *machine;
    struct progress *progress; /* may be NULL */
    bool quick;
    bool guest;        /* beside others on a host */
    bool crowded;      /* others run: less is mapped, and page walks are not looked at */
    double end_s;      /* of clock_s: when all must be over */
    double seconds;    /* that the stages share */
    size_t node_bytes; /* two lines: keeps the adjacent-line prefetcher out */
    size_t memory_set_bytes;
    double available_bytes; /* of memory, when the probe began; 0 = not known */
    struct region huge;     /* mapped by probe_settle, kept for all stages; small
                               pages where there are no huge ones */
    struct chase chaser;    /* block-local */
    struct region small;    /* mapped by probe_memory where there are huge pages, too */
    struct chase random_chaser[PAGE_KINDS]; /* fully random, in their region */
    struct looks walk[PAGE_KINDS];          /* nanoseconds a step beyond a local one */
    struct looks queue;                     /* misses that fill it */
    double burst_ns;                        /* of one miss alone; 0 = not seen */
    struct rates_seen rates;
    double start_s, settled_s; /* of clock_s; how long settling took */
    bool settled;
    struct anchor anchor[ANCHORS_MAX];
    size_t anchor_nr;
    struct capacity last_capacity; /* of the last level */
    struct knee l3_knee, memory_knee;
    struct quantity burst_step; /* misses that fill the queue; unknown = no step */
    size_t knee_runs;
    struct quantity prefetch_lines;   /* most in flight with software prefetch to L2 */
    struct quantity prefetch_l1_gain; /* as prefetch_l2_gain of the machine */
    struct error err;                 /* of a stage inside a thread */
};

/* What is done now; says also how far the whole is and how long it still takes. */
void probe_say(struct probe *probe, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* When a stage that may take this share of the whole time has to end. */
double probe_until(const struct probe *probe, double share);
/* When it has to give up, where other processes slow it down. */
double probe_stop(const struct probe *probe, double share);

/* What was degraded, one sentence for the profile. */
void probe_note(struct probe *probe, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Maps the memory sets, as large as they can be, and chases until the latency stays. */
int probe_settle(struct probe *probe, struct error *err);
/* So many bytes, or what can be had. */
int probe_map(struct region *region, size_t *bytes, bool huge, struct error *err);
/* When the caches are known: was the set large beside them? */
void probe_note_size(struct probe *probe);
/* Looks at the unloaded latency, at the miss queue and, when their memory is there, at
 * page walks once more; between the stages. */
int probe_look(struct probe *probe, struct error *err);
void probe_look_at_queue(struct probe *probe);
void probe_look_at_walks(struct probe *probe);
/* What follows from all looks. */
void probe_end_queue(struct probe *probe);
void probe_end_walks(struct probe *probe);
void anchor_add(struct probe *probe, double at_s, double ns);
/* Latency of memory and how stable it was, from the anchors so far; sorts them. */
void probe_stability(struct probe *probe);
struct stability {
    struct quantity latency_ns; /* lower quartile of the looks, with their tenths */
    bool unstable;
};
/* `sorted`: by ns; at least one. */
struct stability stability_of(const struct anchor *sorted, size_t nr, bool guest);

/* Share of the processors' time that was not idle between two readings of /proc/stat; NaN
 * = they do not tell. */
double busy_between(const char *before, const char *after);

int probe_core(struct probe *probe, struct error *err); /* clock, FLOP/s */
int probe_capacity(struct probe *probe,
                   struct error *err); /* effective size of each level */
int probe_capacity_again(struct probe *probe,
                         struct error *err); /* ... of the last, seconds later */
int probe_caches(struct probe *probe,
                 struct error *err); /* latency, throughput, knee in the last level */
int probe_memory(struct probe *probe,
                 struct error *err); /* translation, walks, throughput, knee */
int probe_queues(struct probe *probe, struct error *err); /* prefetch to L2 */
int probe_rates(struct probe *probe,
                struct error *err); /* bandwidth of one and all cores */
int probe_rates_again(struct probe *probe, struct error *err); /* ... of memory */
int probe_curves(struct probe *probe, struct error *err);      /* latency against load */
/* The same of each memory, where there is more than one. */
int probe_memories(struct probe *probe, struct error *err);
/* One of them, in about `seconds`; adds it to the profile, or a note why it could not be
 * measured. */
int probe_memory_site(struct probe *probe, const struct memory_site *site, double seconds,
                      struct error *err);

/* Runs one stage on a thread pinned to the first core; the stage leaves its failure in
 * probe->err. */
int probe_on_first_core(struct probe *probe, void (*stage)(struct probe *),
                        struct error *err);

/* Trials of chases and reads. */
size_t add_chase(struct trials *trials, struct chase *chase, int chains, bool warm,
                 double target_s);
/* Chases of one set for the knee: every number of lanes up to 40, every second beyond. */
bool knee_chains(int chains);
/* `index`: trials that are chases of one set, all of knee_chains among them. */
struct knee trials_knee(const struct trials *trials, const size_t *index, size_t nr,
                        double residency_ns);
/* Unloaded latency in windows of 2 ms; windows that another process disturbed count only
 * where there are no others. */
struct quantity chase_latency(struct chase *chase, double seconds);
/* Most lanes x steps per second over trials that are chases of one set with different
 * lane numbers. */
struct quantity best_rate(const struct trials *trials, const size_t *index, size_t nr);

#endif
