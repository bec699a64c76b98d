/*
 * core/machine: everything known of a machine, as one profile: topology, cache levels as
 * claimed and as they are, MSHR limits from the CPU table and from the probe, latencies
 * with translation kept apart, page-walk throughput, ceilings, and the bandwidth-latency
 * curves. Profiles are JSON (schema inflight.machine/1). Knows nothing of kernels.
 */
#ifndef CORE_MACHINE_MACHINE_H
#define CORE_MACHINE_MACHINE_H

#include "core/base/array.h"
#include "core/base/quantity.h"
#include "core/cpu/cpu_core.h"
#include "core/files/fs.h"
#include "core/files/json.h"

struct buf;
struct error;
struct progress;

enum { MACHINE_LEVELS_MAX = 4 };

/* How many lines a core can have outstanding at one cache level. */
struct machine_limit {
    /* high = infinity in any of them means "at least". */
    struct quantity table; /* documented; unknown when no source gives it */
    struct quantity probe; /* knee of the throughput of k chases; for L2 a floor */
    struct quantity used; /* the one that rules: tight knee > table > floor > heuristic */
    bool probe_is_floor;  /* the probe says "at least" */
    char *scope;          /* "core", "tile" or "cluster" */
    char *source;         /* where `used` comes from, one phrase for reports */
};

/* What loops that do nothing else draw, in the program's own bytes: a copy of n bytes
 * counts n read and n written, lines that plain stores read first do not count. */
struct machine_rates {
    struct quantity read_gbs, write_gbs, copy_gbs,
        triad_gbs;                      /* sequential, plain stores */
    struct quantity nontemporal_gbs;    /* sequential, non-temporal stores */
    struct quantity random_lines_per_s; /* independent block-local random reads */
};

/* FLOP/s. */
struct machine_flops {
    struct quantity scalar; /* one element at a time, fused where the CPU can */
    struct quantity simd;   /* widest vectors, multiplication and addition apart */
    struct quantity fma;    /* widest vectors, fused, counted as two; simd where none */
};

struct machine_level {
    int level;            /* 1 = L1D */
    double claimed_bytes; /* per instance, as the system says; 0 = not said */
    /* What one core really gets when all cores run; 0 = unknown. Where it was measured it
     * lies between low and high; high 0 = no end was seen: "at least" what was proven. */
    double effective_bytes, effective_low_bytes, effective_high_bytes;
    int ways;          /* associativity; 0 = unknown, the cache model then takes 8 */
    int cores_sharing; /* physical cores that share one instance */
    struct quantity latency_ns; /* load to use, block-local order: translation excluded */
    struct machine_rates one_core, all_cores; /* served by this level */
};

struct machine_point {
    double gbs; /* total through the memory node, reads and write-backs, all cores */
    double gbs_low, gbs_high;   /* spread over the rounds; both 0 = not told */
    struct quantity latency_ns; /* provenance probe, table or predicted */
};

/* Latency of memory against the load on it. Points ascend in gbs. Never extrapolated:
 * beyond the last point is unknown. Where all cores together draw more than could be
 * measured with one of them chasing, the last point is predicted and says so. */
struct machine_curve {
    double read_share; /* of the traffic at the node: 1 = all reads */
    bool nontemporal;  /* the writes are non-temporal stores */
    /* The best bandwidth that this mix reaches, from measured saturation or from what was
     * told of the memory; unknown = neither: then nothing is predicted beyond what the
     * cores of this machine draw together. */
    struct quantity ceiling_gbs;
    struct machine_point *point;
    size_t point_nr, point_alloc;
};

struct machine_pages {
    struct quantity translation_ns; /* extra latency of a fully random access over a
                                       block-local one */
    struct quantity random_accesses_per_s; /* one core, independent fully random reads
                                              over 1 GiB or more */
    struct quantity walks_per_s; /* one core's page walk throughput; a floor when walks
                                    never bound the probe */
    bool walks_is_floor;
    /* Effective reach of the TLBs in base pages; 0 = unknown or no end seen. An end for
     * huge pages shows a hypervisor that backs them with small ones. */
    double tlb_entries;
};

/* One NUMA node or kind of memory, seen from the cores of the first node. */
struct machine_memory {
    char *name; /* "node 1", "HBM 2": unique in the profile */
    char *kind; /* "DRAM", "HBM", "MCDRAM", "NVM" ... */
    int node;   /* of the operating system */
    bool local; /* to the cores that loaded it */
    int cores;  /* that loaded it, the chasing one included */
    double bytes;
    struct quantity latency_ns;                   /* unloaded, block-local */
    struct quantity node_read_gbs, node_copy_gbs; /* all `cores` together */
    struct machine_curve *curve;
    size_t curve_nr, curve_alloc;
};

struct machine {
    char *name;      /* "this machine" profiles: the CPU's name; published: "skl" ... */
    char *cpu_model; /* as the system says */
    char *microarchitecture; /* "name" of its file, NULL = not recognised */
    char *recognition; /* one sentence: how it was recognised, contradictions included */
    /* What must be the same for the profile to apply: "cpu=...; cores=...; L1 bytes=...".
     * NULL for published profiles. */
    char *fingerprint;
    char *source; /* published profiles: paper and table; else "probed here" and how quiet
                     the machine was */
    char *date;   /* ISO 8601 */
    bool quick;   /* made by the quick characterisation */
    /* The unloaded latency of memory moved too much while the profile was made, or other
     * processes took the core (`source` says so). */
    bool unstable;
    /* Of these two the latter: to be made anew when nothing else runs. */
    bool busy;
    char *stability;    /* how much it moved, also when little; NULL = not observed */
    struct strvec note; /* what was degraded and why, one sentence each */
    int cores;          /* physical cores usable by this process */
    int threads_per_core, sockets, numa_nodes;
    double memory_bytes;
    double ghz; /* measured core clock under load, 0 = unknown */
    int line_bytes;
    int transfer_bytes; /* what one miss moves, where less than a line; 0 = a line */
    int rob_entries;    /* reorder buffer, 0 = unknown */
    /* What is documented of the core, looked up by `microarchitecture` whenever a profile
     * is read or made (generic without), not kept in it; rob_entries as above. */
    struct cpu_core core;
    struct machine_level level[MACHINE_LEVELS_MAX]; /* caches, ascending */
    int level_nr;
    /* Unloaded, block-local order: fill without translation. */
    struct quantity memory_latency_ns;
    struct machine_rates one_core, all_cores; /* served by memory */
    struct quantity node_read_gbs;            /* all cores together */
    /* All cores, bytes read + written at the node (2:1 mix of a plain-store copy). */
    struct quantity node_copy_gbs;
    struct quantity peak_gbs;         /* theoretical: told or looked up; often unknown */
    char *peak_source;                /* NULL = unknown */
    struct machine_pages small_pages; /* base pages, mostly 4 KiB */
    struct machine_pages huge_pages;  /* transparent huge pages */
    bool huge_pages_available;
    struct machine_limit l1_mshrs, l2_mshrs;
    /* Rate of random reads with prefetch to L2 over the best rate without: about 1 = on
     * this machine that prefetch brings nothing once the L1 queue is full. */
    struct quantity prefetch_l2_gain;
    struct machine_flops flops_double, flops_single; /* one core */
    struct machine_flops all_flops_double, all_flops_single;
    int simd_bytes;              /* of the widest vectors */
    double store_read_factor;    /* 1: a plain store reads its line first; 0: evaded */
    char *store_read_source;     /* NULL = assumed */
    struct machine_curve *curve; /* all cores, each with memory of its own node */
    size_t curve_nr, curve_alloc;
    struct machine_memory *memory; /* where there is more than one node */
    size_t memory_nr, memory_alloc;
};

void machine_release(struct machine *machine);

/* Whether prefetch to L2 brings anything here beyond what the L1 queue carries: less than
 * a tenth does not show in a program. The gain must be known. rules/recipe.json has the
 * same bar. */
#define MACHINE_PREFETCH_GAINS 1.1
static inline bool machine_prefetch_gains(struct quantity l2_gain)
{
    return l2_gain.value > MACHINE_PREFETCH_GAINS;
}

/* Bytes that one miss moves: what Little's law counts. */
static inline int machine_transfer_bytes(const struct machine *machine)
{
    return machine->transfer_bytes > 0 ? machine->transfer_bytes : machine->line_bytes;
}

/* What this process may use, through hwloc: physical cores (their first PU each),
 * respecting cpuset. `synthetic` is an hwloc synthetic description for tests, NULL = this
 * machine. Caller frees cpu. */
struct machine_cpus {
    int *cpu; /* OS index of the first hardware thread of each physical core */
    size_t cpu_nr;
    int threads_per_core;
};
int machine_cpus(const char *synthetic, struct machine_cpus *cpus, struct error *err);
/* So many hardware threads of every core, those of a core side by side. STATUS_MISSING
 * when a core has fewer. */
int machine_cpus_smt(const char *synthetic, int threads, struct machine_cpus *cpus,
                     struct error *err);

/* What this process can still take, from MemAvailable and the cgroups' limits; 0 = not
 * known. */
double memory_available_bytes(void);
/* "always", "madvise", "never" or "none" (no transparent huge pages). Borrowed. */
const char *memory_thp_mode(void);
/* What control groups allow this process; `root` stands before /proc and /sys: "" is this
 * machine, tests have folders. Processor time per time ("--cpus=2.5" gives 2.5), and
 * bytes still to be had. INFINITY = no limit. */
double group_processors(const char *root);
double group_bytes_left(const char *root);

struct machine_probe_opts {
    bool quick;                /* at most some 20 s, else up to 120 s */
    double seconds;            /* > 0: spend this long at most */
    double peak_gbs;           /* > 0: theoretical bandwidth of the memory that the cores
                                  at hand use, as told; else it is looked up */
    struct progress *progress; /* may be NULL */
};
/* Characterises this machine. Caller releases. */
int machine_probe(const struct machine_probe_opts *opts, struct machine *machine,
                  struct error *err);

/* `spec`: the name of a shipped profile ("skl"), a path, or the name of one in the config
 * dir, in this order; near names are suggested. The limits of one that was probed are
 * resolved anew, with what the files of CPUs say now. */
int machine_load(const char *spec, struct machine *machine, struct error *err);
/* One shipped profile; everything but the name may be NULL or 0 = unknown. */
struct machine_entry {
    char *name; /* for machine_load */
    char *cpu_model, *microarchitecture, *source;
    int cores;
    size_t curve_nr;
};
/* All shipped profiles, sorted by name: what lies in the folder of profiles. */
int machine_list(struct machine_entry **entry, size_t *nr, struct error *err);
void machine_list_release(struct machine_entry *entry, size_t nr);
int machine_save(const struct machine *machine, const char *path, struct error *err);
json_t *machine_to_json(const struct machine *machine);
json_t *machine_limit_json(const struct machine_limit *limit);
/* A profile within another document; its "schema" is not looked at. Caller releases. */
int machine_from_json(const struct json_at *at, struct machine *machine,
                      struct error *err);
/* Of $INFLIGHT_PROFILE, which machine_load would take (a name is the path of that
 * profile, an unknown one an error), else <config dir>/machine.json. Caller frees. */
int machine_default_path(char **path, struct error *err);
/* The same for a profile that is to be written: a name is none. */
int machine_path_to_write(char **path, struct error *err);
/* False with a sentence in `why` when the profile was made on another machine than this
 * one. */
bool machine_matches_here(const struct machine *machine, struct buf *why);
/* Made on this machine, though perhaps with more or fewer cores usable than now: what one
 * core can do still holds. */
bool machine_is_this_hardware(const struct machine *machine);

/* Made on a machine, not published. */
bool machine_is_probed(const struct machine *machine);

/* The cache of that level, from 1; NULL = none. */
const struct machine_level *machine_cache(const struct machine *machine, int level);

/* ---- what a core gets of a cache, levels counted from 0 ---- */

/* Cores of the machine that share one cache of the level, at least 1. */
int machine_level_users(const struct machine *machine, int level);

/* While all cores run: as measured; of a published profile its part of the documented
 * size. Where nothing was measured on a machine that was probed, the claim proves
 * nothing: at least as much as of the level before (of the first one what is claimed),
 * open above. Unknown without that level. */
struct quantity machine_share_bytes(const struct machine *machine, int level);
/* The guess alone, where what follows from it is measured; 0 = unknown. */
double machine_share_guess_bytes(const struct machine *machine, int level);
/* No more than that for certain, to leave nothing out: where no end was seen its part of
 * what is claimed, which hypervisors overstate, or what was proven, if that is more. */
double machine_share_max_bytes(const struct machine *machine, int level);
/* The sets that follow from size and ways are the real ones: false where a core gets less
 * than half of a level that is said to be its own. */
bool machine_level_is_as_claimed(const struct machine *machine, int level);

/* Makes one of machine->memory the machine's own: its unloaded latency, node bandwidths,
 * size and curves. What is only known of the machine's own memory (rates of one core and
 * of all, theoretical peak) becomes unknown. An unknown name is told with those there
 * are. */
int machine_use_memory(struct machine *machine, const char *name, struct error *err);

/* The curve with the nearest read share; that of non-temporal stores only where less than
 * a quarter is read, or where there is no other. NULL without curves. Borrowed. */
const struct machine_curve *machine_curve_near(const struct machine *machine,
                                               double read_share);
/* Loaded latency of memory at `gbs` total node traffic: interpolated between measured
 * points of the curve with the nearest read share; below the first point the first
 * point's; beyond the last one unknown. */
struct quantity machine_latency_ns(const struct machine *machine, double gbs,
                                   double read_share);

/* The ceiling is known from above only: from a theoretical peak, while what was measured
 * lies far below it. */
bool machine_ceiling_is_bound(const struct machine_curve *curve);

/* The bandwidth at which n lines in flight per core on `cores` cores settle: the fixed
 * point of gbs = n * line * cores / latency(gbs). Unknown when the curve ends before it
 * (then *floor_gbs, if not NULL, is the curve's end). */
struct quantity machine_bandwidth_of(const struct machine *machine, double n, int cores,
                                     double read_share, double *floor_gbs);

/* The unloaded latency of memory at this moment (block-local order, huge pages where
 * there are any), in about a fifth of a second. Compare with memory_latency_ns of the
 * profile. */
int machine_latency_now(struct quantity *latency_ns, struct error *err);
/* The share of this machine's processor time that something else takes at this moment, 0
 * .. 1, the host included; looks for a quarter of a second. NaN = the system does not
 * tell. */
double machine_busy_now(void);
/* Multiplies the latency of memory, unloaded and at every point of the curves. */
void machine_scale_latency(struct machine *machine, double factor);

/* For people: at most 80 columns, some 50 lines. */
void machine_describe(const struct machine *machine, struct buf *out);

/* ---- who the processor is, as /proc/cpuinfo says it ---- */

/* Texts are NULL where the system does not say them. x86: vendor_id, cpu family, model;
 * aarch64: implementer, implementer, part. */
struct machine_processor {
    const char *architecture; /* "x86_64", "aarch64" or "other"; static */
    char *vendor, *first, *second, *name;
    struct strvec features; /* "avx2" ... */
};
void machine_processor_here(struct machine_processor *out); /* of the first processor */
void machine_processor_release(struct machine_processor *processor);
/* The features of this processor that a compiler uses whose predefined macros are
 * `macros` ("#define __AVX2__ 1" ...), from data/isa.json. */
int machine_isa(const struct machine_processor *processor, const char *macros,
                struct strvec *used, struct error *err);
/* machine.cpu_model of this machine. Caller frees. */
char *machine_cpu_model(void);
/* machine.fingerprint of this machine: what kind it is. NULL = it cannot be told. Caller
 * frees. */
char *machine_fingerprint_here(void);
/* Of its widest vector registers; scalable ones are as long as this process has them. 0 =
 * not known. */
int machine_vector_bits(const struct machine_processor *processor);
/* Bytes of a cache line of this machine; 0 = not told. */
int machine_line_bytes(void);
/* Of the largest data cache of this machine, one instance; 0 = not told. */
double machine_last_cache_bytes(void);
/* Has it all of them? Those it lacks are added to `lacking`, separated by commas. */
bool machine_processor_has(const struct machine_processor *processor,
                           const struct strvec *features, struct buf *lacking);

#endif
