/*
 * core/traffic: how much of what one call of a kernel moves: lines between cache levels,
 * write-backs, page walks, bytes through memory. Sources behind one interface, best
 * first: PAPI, the cache model on traced accesses, declared, recorded. Does not time. All
 * figures are per kernel call and per copy.
 */
#ifndef CORE_TRAFFIC_TRAFFIC_H
#define CORE_TRAFFIC_TRAFFIC_H

#include <sys/types.h>

#include "core/base/array.h"
#include "core/base/quantity.h"
#include "core/files/json.h"

struct error;

enum { TRAFFIC_LEVELS_MAX = 4 };

/* What crosses the lower edge of cache level k (0 = L1) towards the next level or memory.
 * Unit: lines. */
struct traffic_edge {
    struct quantity fills; /* lines brought into this level (demand loads, stores that
                              read first, prefetches) */
    struct quantity
        covered; /* of the fills, those a stream prefetcher would have fetched ahead */
    struct quantity software;   /* of the fills, those begun by a software prefetch */
    struct quantity writebacks; /* dirty lines leaving this level downwards */
    struct quantity hits; /* of the line lookups that loads and stores made in this level,
                             those that found the line; an access that crosses a line is
                             two lookups */
};

/* What one array, or one line of the source, contributes. Unit: lines per call, unless
 * said otherwise. */
struct traffic_part {
    char *name; /* of the array, "other" for what belongs to none; or "kernel.c:12" */
    int line;   /* of the source; 0 for arrays and where it is not known */
    struct quantity accesses, bytes;
    /* [k] as in struct traffic_edge. A line written back is charged to the array it lies
     * in and to the source line that first made it dirty. */
    struct quantity fills[TRAFFIC_LEVELS_MAX], covered[TRAFFIC_LEVELS_MAX],
        writebacks[TRAFFIC_LEVELS_MAX];
    struct quantity nontemporal_lines;
};

struct traffic {
    int level_nr; /* cache levels; edge[level_nr - 1] is the edge to memory */
    int line_bytes;
    struct traffic_edge edge[TRAFFIC_LEVELS_MAX];
    /* Lines filled into L1 by where they were found: [k] = level k + 2, [level_nr - 1] =
     * memory; and of these, those covered. Not the difference of two edges' fills where
     * prefetches stop in L2 or where a store's read is evaded. */
    struct quantity l1_from[TRAFFIC_LEVELS_MAX], l1_covered_from[TRAFFIC_LEVELS_MAX];
    struct quantity nontemporal_lines; /* written past the caches */
    struct quantity
        page_walks; /* misses of the last TLB level, for the page size of the run */
    struct quantity accesses, bytes;      /* issued by the program */
    struct quantity stores, stored_bytes; /* of these; not recorded in JSON */
    struct quantity instructions, flops, branches_missed; /* unknown unless counted */
    struct quantity divisions;  /* of the flops, divisions and square roots */
    struct quantity code_bytes; /* of distinct instructions that the call executes */
    enum provenance provenance;
    double traced_share; /* of the call's accesses that were simulated; 1 = all, 0 = not
                            known */
    char *note;          /* what was sampled or assumed, one sentence; may be NULL */
    /* Who causes it: by array in the order of the kernel's table, and by source line,
     * most bytes through memory first. None when the source of the figures cannot tell.
     */
    struct traffic_part *array, *site;
    size_t array_nr, site_nr;
};
void traffic_release(struct traffic *traffic);

/* Whether it was traced from the start to where the budget ended, and nobody knows how
 * much of the call that is: nothing here may be divided by the time of a call then. */
bool traffic_is_beginning(const struct traffic *traffic);

/* Widens the lines between the levels to what `other` says of the same call, simulated
 * with other sizes of the caches. The guess stays. */
void traffic_span(struct traffic *traffic, const struct traffic *other);

/* Derived: bytes through memory. */
struct quantity traffic_read_bytes(const struct traffic *traffic);
struct quantity traffic_write_bytes(const struct traffic *traffic);

/* The cache model's machine. Filled by the caller from the machine profile. */
enum traffic_inclusion {
    TRAFFIC_NON_INCLUSIVE, /* filled on the way in, evicts nothing above (default) */
    TRAFFIC_INCLUSIVE,     /* what leaves this level leaves all above */
    TRAFFIC_EXCLUSIVE      /* filled only by what leaves the level above */
};
struct traffic_cache {
    double bytes; /* effective capacity for one core */
    int ways;     /* 0 = 8 */
    enum traffic_inclusion inclusion;
    /* Copies of the kernel that share this level, each with data of its own; 0 or 1 =
     * `bytes` is this core's alone. Else `bytes` is the whole level. */
    int sharers;
};
struct traffic_geometry {
    int line_bytes;
    int level_nr;
    struct traffic_cache level[TRAFFIC_LEVELS_MAX];
    double page_bytes; /* of the run: 4096 or 2 MiB */
    int tlb_entries;   /* last level, 0 = 1536, negative = none */
    /* 0 .. 1: of the lines that a store fetches from memory and that are overwritten
     * entirely before they are read, the share that is read all the same. Applies to the
     * edge to memory: above it such a line is owned and holds a miss entry either way. */
    double store_read_factor;
    int streams; /* that a hardware prefetcher follows at once, 0 = 16, negative = none */
    /* Count as two-level simulators such as valgrind's cachegrind do (cache_model.h), for
     * comparison; with it, tlb_entries and streams are best negative. */
    bool plain;
};

/* ---- counts, whoever counted them ---- */

struct event_count {
    char *event;           /* as the source names it */
    struct quantity value; /* scaled where it was multiplexed; unknown = not counted */
    double share;          /* of the time it really counted; 1 = all, 0 = not told */
    char *why;             /* why it is unknown; may be NULL */
};
struct count_set {
    struct event_count *count;
    size_t count_nr, count_alloc;
    struct quantity seconds; /* wall time they cover; unknown = not told */
    double calls;       /* kernel calls they cover, all copies together; 0 = not told */
    int cores;          /* 0 = not told */
    char *cpu;          /* model name or "vendor family model"; NULL = not told */
    char *source;       /* "perf stat", "LIKWID", "PAPI", a file's name */
    struct strvec note; /* what was summed, scaled or left out, one sentence each */
};
void count_set_release(struct count_set *set);
/* Adds a copy of the name. */
void count_set_add(struct count_set *set, const char *event, struct quantity value,
                   double share);
/* Adds an event that was asked for and is unknown; `why` is copied. */
void count_set_add_unknown(struct count_set *set, const char *event, const char *why);
/* The first of that name, whatever its case; NULL = none. Borrowed. */
const struct event_count *count_set_find(const struct count_set *set, const char *event);
/* Whether this is what perf puts behind an event's name: ":u", ":ppp". */
bool count_is_modifier(const char *rest);
/* Its value; unknown where there is none of that name. */
struct quantity count_set_value(const struct count_set *set, const char *event);

/*
 * Counts taken elsewhere: our JSON (inflight.counts/1), a CSV of event,count[,share],
 * and what `perf stat -x` and `-j` write; which one it is, is seen from the text:
 * docs/internals/formats.md. Rows of several CPUs, sockets, threads
 * or intervals are summed. Times are in nanoseconds as the kernel counts them. An event
 * that counted a share s of the time is known to +- (1 - s) of its value: in the rest of
 * the time it may have happened not at all or twice as often. Errors name the file
 * and line.
 */
int count_set_read(const char *path, struct count_set *set, struct error *err);
/* The same from a text of that name. */
int count_set_parse(const char *name, const char *text, struct count_set *set,
                    struct error *err);
json_t *count_set_to_json(const struct count_set *set);
int count_set_from_json(const struct json_at *at, struct count_set *set,
                        struct error *err);

/*
 * Bytes through memory that the set tells outright, in the rows read_bytes, write_bytes
 * and bytes (of both, where they are not apart: taken as reads), or read_gbs, write_gbs
 * and gbs, which need no time. Bytes over `seconds` give GB/s of the node. Unknown where
 * no such row is known; of reads alone the writes are unknown. Fails for bytes without
 * seconds, and for rows that contradict each other.
 */
int count_set_bandwidth(const struct count_set *set, struct quantity *read_gbs,
                        struct quantity *write_gbs, struct error *err);

/* Run a tracing program (built by variants/, linked with the tracer runtime) and read
 * what it simulated. */
struct traffic_trace_request {
    const char *program;       /* path */
    const struct strvec *args; /* sizes and seeds for the harness */
    struct traffic_geometry geometry;
    /* The same machine with caches of other sizes: what moves between levels spans what
     * all of them give, from one run. Borrowed; at most two. */
    const struct traffic_geometry *other;
    size_t other_nr;
    double accesses_total;  /* of one call, by the loop model; 0 = unknown (then all is
                               traced or cut at the budget) */
    double accesses_min;    /* fewer (values kept in registers) contradict the loop model;
                                 0 = half of accesses_total */
    double accesses_likely; /* of a call whose end is out of reach, where accesses_total
                               is rather too much; 0 = accesses_total */
    double accesses_budget; /* simulate at most about this many; 0 = 3 % of the total,
                               but at least 6e7 and at most 3e8; beyond it
                               windows are sampled and said so */
    double limit_s;         /* of processor time; 0 = 60 */
    double wall_s; /* the same by the clock, where others want the time; 0 = none */
    /* Only count the accesses of a call, to its end; unknown where that is out of reach.
     * Nothing else of the traffic is filled. */
    bool counting;
    bool cold; /* what a call moves that finds nothing in the caches, not what the second
                  of two moves */
    const char *scratch;
    int cpu; /* pin to it, -1 = do not */
};
/* Fails (STATUS_FAILED) with the reason when the program crashes, times out or its counts
 * contradict accesses_total. */
int traffic_trace(const struct traffic_trace_request *request, struct traffic *traffic,
                  struct error *err);

/* The C files (shipped) that a tracing program is linked with, compiled once without
 * instrumentation; pushed to `paths`. Their folder is where the harness finds "tracer.h".
 * Macros for kernels: see there. */
int traffic_tracer_sources(struct strvec *paths, struct error *err);

/* PAPI: whether bandwidth events of this CPU really count here: they are added, started
 * and read around work of known size (half a second where there are any). 0 = bandwidth
 * can be counted, else -1; the status is filled either way. */
struct papi_status {
    bool usable;          /* bandwidth can be counted */
    bool software_events; /* perf software events count */
    bool sde;             /* software-defined events component present */
    char *sentence;       /* what works, or why not and the remedy */
};
int papi_probe(struct papi_status *status);
void papi_status_release(struct papi_status *status);

/* Counting around the measured region of running children: begin at the gate, end after
 * the last sample (run_opts.at_gate). Core events count the children's threads, those of
 * memory controllers whole packages, software events ("perf::PAGE-FAULTS") need no PMU
 * and no PAPI. No pids: this process. PAPI is first initialised by the first event that
 * needs it.
 *
 * An event is named as PAPI names it, preset (PAPI_TOT_INS) or native, or as perf names
 * an event of a PMU: "uncore_imc_0/cas_count_read/",
 * "amd_umc_0/event=0x0a,rdwrmask=0x1/", "cpu/event=0x9c,umask=0x1/"; these are read
 * through the kernel, in counts (perf shows the first one in MiB). More core events than
 * counters are multiplexed. A counter that overflowed is unknown. */
struct papi_counter;
struct papi_counter_opts {
    bool system_wide; /* core events on all online cpus, whoever runs there, not only in
                         the children */
    /* Begins before there is a child: software events count the programs that this
     * process starts, from their first instruction, and not this process; what belongs to
     * packages counts in all of them. Events of cores are left to the kernel, by the
     * codes of libpfm4: no presets of PAPI. They count what the kernel does for the
     * programs, too, where this user may see it; the set's note says when not. */
    bool ahead;
};
int papi_counter_new(const char *const *event, size_t event_nr,
                     const struct papi_counter_opts *opts, /* NULL = as {0} */
                     struct papi_counter **counter, struct error *err);
/* Refused, STATUS_MISSING, with one sentence that says why and what helps: no PMU,
 * permission, events that do not go together, a component that is disabled ... */
int papi_counter_begin(struct papi_counter *counter, const pid_t *pid, size_t pid_nr,
                       struct error *err);
/* Adds to `set` every event, in the order of papi_counter_new, summed over the children
 * since begin, with the share of the time that it really counted; seconds is the time
 * between begin and end. Caller releases the set, also after a failure. */
int papi_counter_end(struct papi_counter *counter, struct count_set *set,
                     struct error *err);
/* The same while they go on counting. */
int papi_counter_read(struct papi_counter *counter, struct count_set *set,
                      struct error *err);
void papi_counter_free(struct papi_counter *counter);

/* Whether the events can be counted here, and all at once (else by turns): they are
 * counted for a moment in this thread. Fails as papi_counter_begin when they cannot. */
int papi_events_fit(const struct strvec *event, const struct papi_counter_opts *opts,
                    bool *at_once, struct error *err);

/* What is known of an event before it is counted. */
struct papi_event_about {
    char component[32]; /* "kernel" for what needs no PAPI */
    bool of_process; /* PAPI attaches to threads; all else counts by itself, or ahead */
    bool level;      /* a value of this moment (watts, degrees), not a count */
    char unit[64];   /* as PAPI says it; "" = not told */
};
int papi_event_describe(const char *event, struct papi_event_about *about,
                        struct error *err);

/* PAPI's components with their events. `why` = "": it can be used; then `event` is called
 * for each event of it. Where PAPI does not start there are none, and err says why. */
struct papi_listing {
    void (*component)(void *context, const char *name, const char *why);
    void (*event)(void *context, const char *name);
    void *context;
};
int papi_list(const struct papi_listing *listing, struct error *err);

/*
 * A count that was multiplexed: `scaled` is already what was counted over the share (0 <
 * share <= 1) of the time, `counted_s` the seconds in which it counted (0 = not told, one
 * turn is assumed). Events take turns of 4 ms (the kernel's perf_event_mux_interval_ms);
 * each turn is a sample, drawn without replacement, of a rate that is taken to scatter by
 * as much as its mean, so the 95 % interval is
 *     scaled * (1 +- 1.96 sqrt((1 - share) / turns)),  turns = max(1, counted_s / 4 ms)
 * and never below what was really counted, scaled * share. Provenance: papi.
 */
struct quantity count_multiplexed(double scaled, double share, double counted_s);

/* What of the memory's bandwidth this CPU counts (its file in machines/cpus), and the
 * formulas that turn counts into bytes. */
struct bandwidth_source;
struct papi_bandwidth {
    struct strvec event; /* to be counted; boxes that are not there are left out */
    bool writebacks_included;
    bool together; /* reads cannot be told from writes: all bytes are given as read */
    char *source;  /* one sentence: what is counted, in which unit, whose traffic */
    char *remark;  /* known miscounts; may be NULL */
    struct bandwidth_source *from; /* opaque */
};
/* -1 when this CPU has none or it does not count; err says why. */
int papi_bandwidth_events(struct papi_bandwidth *bandwidth, struct error *err);
/* Only what a core counts of the thread that runs on it: requests that memory answered,
 * or misses of its caches. */
int papi_bandwidth_thread_events(struct papi_bandwidth *bandwidth, struct error *err);
/* Fails (STATUS_MISSING) naming what was not counted. write_bytes is unknown where it is
 * not counted. */
int papi_bandwidth_bytes(const struct papi_bandwidth *bandwidth,
                         const struct count_set *set, struct quantity *read_bytes,
                         struct quantity *write_bytes, struct error *err);
void papi_bandwidth_release(struct papi_bandwidth *bandwidth);

/*
 * Bytes through memory from counts taken elsewhere, by the names of PAPI, perf or LIKWID:
 * an event may stand there several times, with or without the number of its box or
 * counter ("CAS_COUNT_RD:MBOX0C1"), all are summed. What perf shows in MiB is expected in
 * counts, lines of 64 bytes. `cpu` is the text of /proc/cpuinfo, "vendor family model
 * [stepping]"
 * ("intel 6 85 4", "GenuineIntel-6-55-4" as perf writes it) or a microarchitecture
 * ("Skylake-SP"); any other text or NULL: the CPU whose events are all there; refused if
 * CPUs would answer differently. write_bytes is unknown where it is not counted. *source
 * (caller frees) says what was counted, with its remark.
 */
int traffic_bandwidth_from_counts(const char *cpu, const struct count_set *set,
                                  struct quantity *read_bytes,
                                  struct quantity *write_bytes, char **source,
                                  struct error *err);
/* The same with both directions together, which some CPUs tell alone: then read and
 * write are unknown. `both` is known where it is told, or both of them are. */
struct traffic_memory {
    struct quantity read, write, both; /* bytes */
};
int traffic_memory_from_counts(const char *cpu, const struct count_set *set,
                               struct traffic_memory *memory, struct error *err);

/* The figures of a call by the names of our software-defined events, with their
 * intervals; those of levels that there are not, and what is not known, with the reason.
 * *set is empty before. */
void traffic_to_counts(const struct traffic *traffic, struct count_set *set);
/* Twice as many calls, twice as much: all events but the length of a line. */
bool count_adds_up(const char *event);

/* Adds the figures of a call to PAPI's software-defined events "sde:::inflight::..." of
 * this process (docs/reference/counters.md names them), so that any PAPI-based tool and
 * papi_counter read them. traffic_trace does it. false = built without libsde. */
bool traffic_export(const struct traffic *traffic);

/* JSON in and out, for reports, records and tests. */
json_t *traffic_to_json(const struct traffic *traffic);
int traffic_from_json(const struct json_at *at, struct traffic *traffic,
                      struct error *err);

#endif
