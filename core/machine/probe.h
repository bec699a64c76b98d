/* Private to core/machine: the stages of machine_probe. Each fills its part of the
 * profile. */
#ifndef CORE_MACHINE_PROBE_H
#define CORE_MACHINE_PROBE_H

#include "core/machine/knee.h"
#include "core/machine/memory.h"
#include "core/machine/pointer_chase.h"
#include "core/machine/topology.h"
#include "core/machine/trial.h"

struct probe {
    struct topology topology;
    struct machine *machine;
    struct progress *progress; /* may be NULL */
    bool quick;
    double end_s;      /* of clock_s */
    double seconds;    /* for all stages together */
    size_t node_bytes; /* two lines: keeps the adjacent-line prefetcher out */
    size_t memory_set_bytes;
    struct region huge, small; /* mapped by probe_memory, kept for probe_load */
    struct chase chaser;       /* block-local, in the better of the two */
    struct knee l3_knee, memory_knee;
    size_t knee_runs;
    double stage_wall_s, stage_cpu_s; /* of the stages on the first core */
    struct error err;                 /* of a stage inside a thread */
};

/* What is done now; says also how far the whole is and how long it still takes. */
void probe_say(struct probe *probe, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* When a stage that may take this share of the whole time has to end. */
double probe_until(const struct probe *probe, double share);

int probe_core(struct probe *probe, struct error *err); /* clock, FLOP/s */
int probe_capacity(struct probe *probe,
                   struct error *err); /* effective size of each level */
int probe_caches(struct probe *probe,
                 struct error *err); /* latency, throughput, knee in the last level */
int probe_memory(struct probe *probe,
                 struct error *err); /* latency, translation, walks, throughput, knee */
int probe_rates(struct probe *probe,
                struct error *err); /* bandwidth of one and all cores */
int probe_curves(struct probe *probe, struct error *err); /* latency against load */
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
size_t add_chase(struct trials *trials, struct chase *chase, int lanes, bool warm,
                 double target_s);
struct piece {
    const char *base;
    size_t bytes, at;
};
/* One unit of work reads piece.bytes from base on. */
size_t add_read(struct trials *trials, struct piece *piece, double target_s);
/* Most lanes x steps per second over trials that are chases of one set with different
 * lane numbers. */
struct quantity best_rate(const struct trials *trials, const size_t *index, size_t nr);

#endif
