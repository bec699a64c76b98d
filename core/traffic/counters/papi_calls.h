/*
 * What we ask of PAPI, as a table of functions: the real one, or a test's that fails as
 * it is told. Only papi_calls.c includes <papi.h>.
 */
#ifndef CORE_TRAFFIC_PAPI_CALLS_H
#define CORE_TRAFFIC_PAPI_CALLS_H

#include <sys/types.h>

#include "core/base.h"
#include "core/traffic/traffic.h"

/* Ways in which a call of PAPI is refused, by what helps. */
enum papi_refusal {
    PAPI_DONE,
    PAPI_NO_LIBRARY,   /* does not start */
    PAPI_NO_EVENT,     /* PAPI_ENOEVNT: the name means nothing here */
    PAPI_NO_TOGETHER,  /* PAPI_ECNFLCT, PAPI_ECOUNT: not with the others */
    PAPI_NO_RIGHT,     /* PAPI_EPERM, or the kernel's EACCES */
    PAPI_NO_COMPONENT, /* PAPI_ECMP, PAPI_ENOCMP, PAPI_ESBSTR: disabled or not built */
    PAPI_NO_OTHER      /* everything else: `text` says it */
};

/* Where a set counts: a thread of another process, everything on a cpu, or here (0, -1).
 */
struct papi_place {
    pid_t thread;
    int cpu;
};

/* Of an event: its unit ("" = not told), whether it is a level instead of a count, and
 * whether PAPI's 64 bits are those of a double. */
struct papi_described {
    char unit[64];
    bool level, floating;
};

/* Sets are handles of PAPI; values stand in the order of `add`. All are silent. */
struct papi_calls {
    enum papi_refusal (*start)(void); /* once or more often */
    enum papi_refusal (*find)(const char *event, int *component);
    enum papi_refusal (*create)(int component, struct papi_place place, bool multiplexed,
                                int *set);
    enum papi_refusal (*add)(int set, const char *event);
    enum papi_refusal (*run)(int set);
    enum papi_refusal (*stop)(int set, long long *value);
    void (*destroy)(int set);
    const char *(*text)(void); /* PAPI's words for the last refusal; borrowed */
    /* Of a component: its name, how many events count at once. */
    const char *(*component_name)(int component);
    int (*counters)(int component);
    /* Why a component cannot be used; NULL = it can, "" = PAPI was built without. */
    const char *(*disabled)(const char *component);
    enum papi_refusal (*read)(int set, long long *value); /* while it runs */
    /* What is said of an event; as if nothing were said where it is not known. */
    void (*describe)(const char *event, struct papi_described *described);
    /* `found` is called for every event of a component that is not disabled. */
    void (*list)(int component, void (*found)(void *context, const char *event),
                 void *context);
};
extern const struct papi_calls papi_calls;

/* A code of papi.h, for tests of this table. */
enum papi_refusal papi_refusal_of(int code);

/* ---- why an event is not counted, and what helps: one sentence ---- */

/* What decides on the remedy. */
struct papi_host {
    bool core_counters; /* the kernel shows a PMU of the cores */
    long paranoid;      /* perf_event_paranoid; -1 also when it cannot be read */
    bool privileged;    /* root, or as good as */
};
struct papi_host papi_host_here(void);

struct papi_refused {
    const char *event;
    enum papi_refusal why;
    const char *words; /* PAPI's own */
    /* "perf_event", "pcp" ...; NULL = guessed from the event's name */
    const char *component;
    const char *disabled; /* papi_calls.disabled of it */
    bool shared;          /* counts for everybody: a package, a cpu */
    bool in_kernel;       /* there is nothing to count in user mode */
};

/* STATUS_MISSING. */
int papi_refuse(const struct papi_refused *refused, const struct papi_host *host,
                struct error *err);

/* The component that an event's name belongs to. */
const char *papi_component_of_name(const char *event, char out[32]);

#endif
