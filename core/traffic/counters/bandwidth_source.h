/*
 * One way to count a CPU's memory traffic, "bandwidth" of its file: events, and formulas
 * from counts to bytes. In a name, "%d" stands for any number (of boxes, which are
 * summed; several of them for the same box where events are asked for one by one), "%c"
 * for the number of a cpu.
 */
#ifndef CORE_TRAFFIC_BANDWIDTH_SOURCE_H
#define CORE_TRAFFIC_BANDWIDTH_SOURCE_H

#include "core/base/formula.h"
#include "core/traffic/traffic.h"

/* Best first: what really crossed to memory, then what one core asked for. */
#define BANDWIDTH_SCOPE_MAP(X)                                                           \
    X(SOFTWARE, "software") /* our own counts */                                         \
    X(UNCORE, "uncore")     /* memory controllers, whole packages */                     \
    X(DAEMON, "daemon")     /* the same through a daemon with the privilege */           \
    X(OFFCORE, "offcore")   /* requests of a core that memory answered */                \
    X(CORE, "core")         /* misses of a core's caches */

enum bandwidth_scope {
#define X(name, word) BANDWIDTH_##name,
    BANDWIDTH_SCOPE_MAP(X)
#undef X
};

struct bandwidth_event {
    char *name;          /* for PAPI, or "pmu/terms/" for the kernel */
    long long boxes;     /* 0 .. boxes - 1 are tried; the kernel's PMUs are listed */
    struct strvec alias; /* what other tools call it, with the same unit */
};

struct bandwidth_source {
    enum bandwidth_scope scope;
    struct bandwidth_event *event;
    size_t event_nr;
    struct formula *read, *write; /* write may be NULL */
    bool together, writebacks_included;
    char *source, *remark;
};

/* Every name of the formulas must be an event, every event must be in a formula. */
int bandwidth_source_read(const struct json_at *at, struct bandwidth_source *source,
                          struct error *err);
void bandwidth_source_release(struct bandwidth_source *source);

/* Whether `event` is what the pattern says; modifiers of perf (":u") are passed over,
 * letters' case does not matter. */
bool bandwidth_names(const char *pattern, const char *event);

/* Bytes, from counts under any of the events' names; -1 says what is missing. */
int bandwidth_source_bytes(const struct bandwidth_source *source,
                           const struct count_set *set, struct quantity *read_bytes,
                           struct quantity *write_bytes, struct error *err);

#endif
