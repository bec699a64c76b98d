/*
 * Events of the cores by perf_event_open, where PAPI does not reach: in programs that are
 * yet to start, which a thread can open before it starts them; and events that only perf
 * has a name for ("cpu/event=0x9c,umask=0x1/").
 */
#ifndef CORE_TRAFFIC_PERF_CORE_H
#define CORE_TRAFFIC_PERF_CORE_H

#include "core/traffic/counters/papi_refuse.h"
#include "core/traffic/counters/perf_terms.h"

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
/* What nobody ran under has counted nothing, all the time. */
struct perf_count perf_count_of(const uint64_t got[3]);
int perf_core_read(const struct perf_core_calls *calls, int fd, struct perf_count *count,
                   struct error *err);

#endif
