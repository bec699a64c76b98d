/* Counters through the kernel (perf_event), and libpfm4's codes of events. */
#ifndef CORE_TRAFFIC_COUNTERS_PERF_H
#define CORE_TRAFFIC_COUNTERS_PERF_H

#include "core/base.h"
#include "core/traffic/counters/papi_calls.h"

/*
 * libpfm4: from an event's name to what the kernel wants to know of it. Only perf_core.c
 * includes its headers. With LIBPFM_ENCODE_INACTIVE=1 in the environment before the first
 * call it answers for CPUs that are not here, too.
 */

/* An event as perf_event_open takes it. */
struct perf_code {
    uint32_t type;
    uint64_t config[3];
    bool no_user, no_kernel; /* left out: ":k", ":u" behind its name */
};

/* Whether libpfm4 was built with tables of that PMU ("skx"), here or not. */
bool pfm_pmu_known(const char *pmu);

/* "skx::L1D:REPLACEMENT", or without PMU: then of those that are here. Fails
 * (STATUS_MISSING) with a sentence that names the event: no such PMU, not of this
 * machine, no such event, no such mask. */
int pfm_event_code(const char *event, struct perf_code *code, struct error *err);
/* Whether the name means something; also for PMUs outside the cores of other machines,
 * whose number only their kernel knows. */
int pfm_event_check(const char *event, struct error *err);

/*
 * Events by perf_event_open, where PAPI does not reach: those of the cores in programs
 * that are yet to start, which a thread can open before it starts them; events that only
 * perf has a name for ("cpu/event=0x9c,umask=0x1/"); and the kernel's software events of
 * other processes ("perf::PAGE-FAULTS"), which PAPI counts for its own process only where
 * there is no hardware counter: before attaching it tries an instruction counter.
 */

bool perf_software_find(const char *event, struct perf_code *code);

/* Who is counted: a thread and those it will start (0 = the calling one), or everybody on
 * a cpu. */
struct perf_core_who {
    struct papi_place place;
    bool ahead; /* not the thread itself but the programs that it will start */
    bool user_only;
};

/* What we ask of libpfm4 and the kernel: the real ones, or a test's. */
struct perf_core_calls {
    int (*encode)(const char *event, struct perf_code *code, struct error *err);
    /* A descriptor, or the negative errno. */
    int (*open)(const struct perf_code *code, const struct perf_core_who *who);
    /* Count, ns enabled, ns running. */
    int (*read)(int fd, uint64_t got[3]);
};
extern const struct perf_core_calls perf_core_calls;

/* Counts the kernel's part, too, where that is allowed, and else says user_only. A
 * descriptor to be closed, or -1: STATUS_MISSING with what helps. */
int perf_core_open(const struct perf_core_calls *calls, const struct papi_host *host,
                   const char *event, const struct perf_code *code,
                   struct perf_core_who *who, struct error *err);

/* value: scaled up to the whole time, in counts (perf shows some as MiB: 64 bytes a
 * count); share: of the time that it really counted, 0 = never (value then is 0);
 * counted_s: the seconds of that. */
struct perf_count {
    double value, share, counted_s;
    bool overflowed; /* `value` means nothing */
};
int perf_core_read(const struct perf_core_calls *calls, int fd, struct perf_count *count,
                   struct error *err);

/*
 * Events as perf names them, "pmu/terms/" ("uncore_imc_0/cas_count_read/",
 * "cpu/event=0x9c,umask=0x1/"), by the descriptions that the kernel keeps in
 * /sys/bus/event_source/devices. `devices` is that folder, or a test's.
 */

bool perf_terms_is(const char *event); /* by its form */
int perf_terms_find(const char *devices, const char *event, struct perf_code *code,
                    struct error *err);
/* The first line of a file of the PMU's, in `folder` of it ("" = itself); NULL if it is
 * not there. Caller frees. */
char *perf_pmu_line(const char *devices, const char *pmu, const char *folder,
                    const char *name);

/*
 * Events of PMUs outside the cores, as perf names them ("uncore_imc_0/cas_count_read/",
 * "amd_df/event=0x1f,umask=0x7fe/"), by perf_event_open. For what libpfm4, and so PAPI,
 * has no table of.
 */

extern const char perf_uncore_devices[];

struct perf_uncore {
    struct perf_code code;
    int *cpu; /* one of each package, where it is counted */
    size_t cpu_nr;
};

/* By its form, and by what the kernel says of the PMU; false where there is none. */
bool perf_uncore_is(const char *devices, const char *event);
int perf_uncore_find(const char *devices, const char *event, struct perf_uncore *found,
                     struct error *err);
void perf_uncore_release(struct perf_uncore *found);

/* Pushes the events there are for a name with "%d" for numbers; in the part behind the
 * first slash they are the first number of the PMU's name. */
void perf_uncore_expand(const char *devices, const char *pattern, struct strvec *list);
void perf_uncore_expand_here(const char *pattern, struct strvec *list);

#endif
