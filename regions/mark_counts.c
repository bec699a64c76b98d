#define _GNU_SOURCE /* RUSAGE_THREAD, secure_getenv */
#include "regions/mark_counts.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Weak: what is linked statically has none, and counts nothing. */
void *dlopen(const char *, int) __attribute__((weak));
void *dlsym(void *, const char *) __attribute__((weak));

/* Of papi.h, which is not needed to build: the binary interface of PAPI 5.7 to 7. */
enum { papi_null = -1, papi_ok = 0, papi_major_first = 5, papi_major_last = 8 };

static struct {
    int (*library_init)(int version);
    int (*thread_init)(unsigned long (*id)(void));
    int (*create_eventset)(int *set);
    int (*add_named_event)(int set, const char *event);
    int (*start)(int set);
    int (*read)(int set, long long *value);
    int (*stop)(int set, long long *value);
    int (*cleanup_eventset)(int set);
    int (*destroy_eventset)(int *set);
    int (*register_thread)(void);
    int (*unregister_thread)(void);
    char *(*strerror)(int code);
} papi;

static bool ready;        /* events can be added */
static bool inherited;    /* PAPI's descriptors are those of the parent */
static char problem[200]; /* what the last event set failed at */
static char event[REGIONS_EVENTS_MAX][REGIONS_EVENT_BYTES];
static uint32_t event_nr;

static unsigned long thread_number(void)
{
    return (unsigned long)pthread_self();
}

bool inflight_marks_trust(const char *path)
{
    struct stat about;
    if (stat(path, &about) || (about.st_uid && about.st_uid != geteuid()))
        return false;
    mode_t others = geteuid() && about.st_gid == getegid() ? S_IWOTH : S_IWGRP | S_IWOTH;
    return !(about.st_mode & others) ||
           (S_ISDIR(about.st_mode) && (about.st_mode & S_ISVTX));
}

static void *open_library(void)
{
    static const char *const name[] = {
        "libpapi.so",     "libpapi.so.7.2", "libpapi.so.7.1",
        "libpapi.so.7.0", "libpapi.so.7",   "libpapi.so.6.0",
        "libpapi.so.6",   "libpapi.so.5.7", "libpapi.so.5"};
    const char *given = secure_getenv("INFLIGHT_PAPI");
    void *library = given ? dlopen(given, RTLD_NOW) : NULL;
    for (size_t i = 0; !given && !library && i < sizeof(name) / sizeof(*name); i++)
        library = dlopen(name[i], RTLD_NOW);
    return library;
}

static bool find_calls(void *library)
{
    const struct {
        const char *name;
        void *place;
    } call[] = {{"PAPI_library_init", &papi.library_init},
                {"PAPI_thread_init", &papi.thread_init},
                {"PAPI_create_eventset", &papi.create_eventset},
                {"PAPI_add_named_event", &papi.add_named_event},
                {"PAPI_start", &papi.start},
                {"PAPI_read", &papi.read},
                {"PAPI_stop", &papi.stop},
                {"PAPI_cleanup_eventset", &papi.cleanup_eventset},
                {"PAPI_destroy_eventset", &papi.destroy_eventset},
                {"PAPI_register_thread", &papi.register_thread},
                {"PAPI_unregister_thread", &papi.unregister_thread},
                {"PAPI_strerror", &papi.strerror}};
    bool all = true;
    for (size_t i = 0; i < sizeof(call) / sizeof(*call); i++) {
        void *found = dlsym(library, call[i].name);
        memcpy(call[i].place, &found, sizeof(found));
        all = all && found;
    }
    return all;
}

/* The library wants to be called by its own version, and does not tell it before. */
static bool init_library(void)
{
    for (int major = papi_major_last; major >= papi_major_first; major--)
        for (int minor = 0; minor < 10; minor++) {
            int version = major << 24 | minor << 16;
            if (papi.library_init(version) == version)
                return papi.thread_init(thread_number) == papi_ok;
        }
    return false;
}

static const char *load_papi(void)
{
    if (papi.library_init)
        return NULL;
    const char *given = secure_getenv("INFLIGHT_PAPI");
    if (given && access(given, F_OK) == 0 && !inflight_marks_trust(given))
        return "INFLIGHT_PAPI is another user's, or others may write to it "
               "(chmod go-w)";
    if (!dlopen || !dlsym)
        return "the program is linked statically, and PAPI is loaded at run time only";
    void *library = open_library();
    if (!library)
        return "PAPI is not installed (libpapi.so)";
    if (!find_calls(library) || !init_library()) {
        papi.library_init = NULL;
        return "PAPI does not start, or is older than 5.7";
    }
    return NULL;
}

static void split_events(const char *list)
{
    for (event_nr = 0; *list && event_nr < REGIONS_EVENTS_MAX;) {
        size_t length = strcspn(list, ",");
        if (length && length < REGIONS_EVENT_BYTES) {
            memcpy(event[event_nr], list, length);
            event[event_nr++][length] = 0;
        }
        list += length + (list[length] == ',');
    }
}

/* An event set with all events; negative, with `problem`, if any does not count. */
static int make_set(void)
{
    int set = papi_null, code = papi.create_eventset(&set);
    uint32_t i = 0;
    while (code == papi_ok && i < event_nr)
        code = papi.add_named_event(set, event[i++]);
    if (code == papi_ok) {
        i = 0;
        code = papi.start(set);
    }
    if (code == papi_ok)
        return set;
    snprintf(problem, sizeof(problem), "PAPI cannot count %s here: %s",
             i ? event[i - 1] : "these events", papi.strerror(code));
    if (set != papi_null) {
        papi.cleanup_eventset(set);
        papi.destroy_eventset(&set);
    }
    return -1;
}

static const char *find_problem(void)
{
    if (inherited)
        return "a child behind fork is not counted, only what is started by exec";
    if (!event_nr)
        return "no event was named";
    const char *why = load_papi();
    if (why)
        return why;
    int set = make_set();
    if (set < 0)
        return problem;
    inflight_counters_leave(set);
    return NULL;
}

void inflight_counters_start(struct regions_header *header, const char *list)
{
    if (!*list)
        return;
    split_events(list);
    const char *why = find_problem();
    ready = !why;
    if (why) {
        snprintf(header->why, sizeof(header->why), "%s", why);
        return;
    }
    memcpy(header->event, event, sizeof(event));
    header->event_nr = event_nr;
}

int inflight_counters_join(void)
{
    if (!ready)
        return -1;
    papi.register_thread();
    return make_set();
}

void inflight_counters_read(int set, uint64_t count[REGIONS_EVENTS_MAX])
{
    long long value[REGIONS_EVENTS_MAX] = {0};
    papi.read(set, value);
    for (int i = 0; i < REGIONS_EVENTS_MAX; i++)
        count[i] = (uint64_t)value[i];
}

void inflight_counters_leave(int set)
{
    long long value[REGIONS_EVENTS_MAX];
    if (set < 0)
        return;
    papi.stop(set, value);
    papi.cleanup_eventset(set);
    papi.destroy_eventset(&set);
    papi.unregister_thread();
}

void inflight_counters_forget(void)
{
    inherited = papi.library_init;
    ready = false;
}

void inflight_counters_ask(struct regions_frame *frame)
{
    struct rusage usage = {0};
    struct timespec used = {0};
    getrusage(RUSAGE_THREAD, &usage);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    frame->processor_ns = (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
    frame->minor_faults = (uint64_t)usage.ru_minflt;
    frame->major_faults = (uint64_t)usage.ru_majflt;
    frame->switches = (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw);
}
