#include "core/traffic/papi_source.h"

#include <dirent.h>
#include <fcntl.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/traffic/perf_software.h"

/* One running PAPI event set: the events of one component for one thread, one package, or
 * this process. */
struct counter_set {
    int handle;
    size_t *event; /* which of the counter's events */
    size_t event_nr, event_alloc;
};

struct software_count {
    int fd;
    size_t event;
};

struct papi_counter {
    struct strvec event;
    int *component; /* per event; software = not PAPI's */
    struct counter_set *set;
    size_t set_nr, set_alloc;
    struct software_count *count;
    size_t count_nr, count_alloc;
};

enum { software = -1 };

/*
 * The library.
 */

/* PAPI writes to stderr as it likes. */
static int silence(void)
{
    int saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (saved >= 0 && nothing >= 0)
        dup2(nothing, STDERR_FILENO);
    if (nothing >= 0)
        close(nothing);
    return saved;
}

static void speak_again(int saved)
{
    if (saved < 0)
        return;
    dup2(saved, STDERR_FILENO);
    close(saved);
}

static int start_library(struct error *err)
{
    int saved, version;

    if (PAPI_is_initialized() != PAPI_NOT_INITED)
        return 0;
    saved = silence();
    version = PAPI_library_init(PAPI_VER_CURRENT);
    speak_again(saved);
    if (version != PAPI_VER_CURRENT)
        return fail(
            err, STATUS_MISSING,
            "PAPI does not start: %s; is the installed library the one compiled against?",
            version > 0 ? "it is of another version" : PAPI_strerror(version));
    return 0;
}

static bool no_core_counters(void)
{
    return !dir_exists("/sys/bus/event_source/devices/cpu") &&
           !dir_exists("/sys/bus/event_source/devices/cpu_core") &&
           !dir_exists("/sys/bus/event_source/devices/armv8_pmuv3_0");
}

static long paranoid(void)
{
    struct buf text = {0};
    long level = -1;

    if (file_read("/proc/sys/kernel/perf_event_paranoid", &text, NULL) == 0)
        level = strtol(buf_str(&text), NULL, 10);
    buf_release(&text);
    return level;
}

static const char *remedy(void)
{
    if (no_core_counters())
        return "this machine shows no hardware counters, as most virtual machines; the "
               "cache "
               "model needs none";
    if (geteuid() != 0 && paranoid() > 0)
        return "lower /proc/sys/kernel/perf_event_paranoid to 0 or run as root";
    return "papi_native_avail lists what this machine counts";
}

static int refuse(const char *event, int code, struct error *err)
{
    return fail(err, STATUS_MISSING, "the event '%s' cannot be counted: %s; %s", event,
                PAPI_strerror(code), remedy());
}

/* Makes a PAPI call with stderr silenced. */
#define QUIETLY(result, call)                                                            \
    do {                                                                                 \
        int saved_ = silence();                                                          \
        (result) = (call);                                                               \
        speak_again(saved_);                                                             \
    } while (0)

static int component_of(const char *event, int *component, struct error *err)
{
    int code, result;

    if (perf_software_known(event)) {
        *component = software;
        return 0;
    }
    if (start_library(err))
        return -1;
    QUIETLY(result, PAPI_event_name_to_code(event, &code));
    if (result != PAPI_OK)
        return refuse(event, result, err);
    *component = PAPI_get_event_component(code);
    return 0;
}

bool papi_event_known(const char *event)
{
    int component;

    return component_of(event, &component, NULL) == 0;
}

/*
 * Event sets.
 */

static bool is_uncore(int component)
{
    const PAPI_component_info_t *info = PAPI_get_component_info(component);

    return info && (strstr(info->name, "uncore") || strstr(info->name, "nest"));
}

static bool is_core(int component)
{
    const PAPI_component_info_t *info = PAPI_get_component_info(component);

    return info && strcmp(info->name, "perf_event") == 0;
}

/* A whole package is counted, from one of its cpus. */
static int attach_cpu(int handle, int component, int cpu)
{
    PAPI_option_t option = {0};
    int result;

    option.domain = (PAPI_domain_option_t){component, handle, PAPI_DOM_ALL};
    PAPI_set_opt(PAPI_DOMAIN, &option);
    option = (PAPI_option_t){0};
    option.granularity = (PAPI_granularity_option_t){
        .def_cidx = component, .eventset = handle, .granularity = PAPI_GRN_SYS};
    PAPI_set_opt(PAPI_GRANUL, &option);
    option = (PAPI_option_t){0};
    option.cpu = (PAPI_cpu_option_t){.eventset = handle, .cpu_num = (unsigned)cpu};
    result = PAPI_set_opt(PAPI_CPU_ATTACH, &option);
    return result;
}

static int attach_thread(int handle, pid_t thread)
{
    PAPI_option_t option = {0};

    option.inherit =
        (PAPI_inherit_option_t){.eventset = handle, .inherit = PAPI_INHERIT_ALL};
    PAPI_set_opt(PAPI_INHERIT, &option); /* threads started later; without it as before */
    return PAPI_attach(handle, (unsigned long)thread);
}

static int set_add_events(struct papi_counter *counter, struct counter_set *set,
                          int component, struct error *err)
{
    for (size_t i = 0; i < counter->event.nr; i++) {
        int result;

        if (counter->component[i] != component)
            continue;
        QUIETLY(result, PAPI_add_named_event(set->handle, counter->event.v[i]));
        if (result != PAPI_OK)
            return refuse(counter->event.v[i], result, err);
        GROW(set->event, set->event_nr + 1, set->event_alloc);
        set->event[set->event_nr++] = i;
    }
    return 0;
}

/* Where a set counts: a thread of another process, a package by one of its cpus, or here
 * (both 0 and -1). */
struct place {
    pid_t thread;
    int cpu;
};

static int attach(int handle, int component, struct place place)
{
    int result = PAPI_assign_eventset_component(handle, component);

    if (result == PAPI_OK && place.cpu >= 0)
        result = attach_cpu(handle, component, place.cpu);
    else if (result == PAPI_OK && place.thread > 0)
        result = attach_thread(handle, place.thread);
    return result;
}

static int open_set(struct papi_counter *counter, int component, struct place place,
                    struct error *err)
{
    struct counter_set *set;
    int result;

    GROW(counter->set, counter->set_nr + 1, counter->set_alloc);
    set = &counter->set[counter->set_nr++];
    *set = (struct counter_set){.handle = PAPI_NULL};
    result = PAPI_create_eventset(&set->handle);
    if (result == PAPI_OK)
        QUIETLY(result, attach(set->handle, component, place));
    if (result != PAPI_OK)
        return fail(err, STATUS_MISSING,
                    "PAPI cannot count for another process or package: %s; %s",
                    PAPI_strerror(result), remedy());
    if (set_add_events(counter, set, component, err))
        return -1;
    QUIETLY(result, PAPI_start(set->handle));
    return result == PAPI_OK ? 0 : refuse(counter->event.v[set->event[0]], result, err);
}

static void close_set(struct counter_set *set)
{
    long long *value = xcalloc(set->event_nr + 1, sizeof(*value));
    int state = 0;

    if (set->handle != PAPI_NULL) {
        if (PAPI_state(set->handle, &state) == PAPI_OK && state & PAPI_RUNNING)
            PAPI_stop(set->handle, value);
        PAPI_cleanup_eventset(set->handle);
        PAPI_destroy_eventset(&set->handle);
    }
    free(value);
    free(set->event);
}

/*
 * Counters.
 */

int papi_counter_new(const char *const *event, size_t event_nr,
                     struct papi_counter **counter, struct error *err)
{
    struct papi_counter *made = xcalloc(1, sizeof(*made));

    *counter = NULL;
    made->component = xcalloc(event_nr + 1, sizeof(*made->component));
    for (size_t i = 0; i < event_nr; i++) {
        strvec_push(&made->event, event[i]);
        if (component_of(event[i], &made->component[i], err)) {
            papi_counter_free(made);
            return -1;
        }
    }
    *counter = made;
    return 0;
}

static void stop_all(struct papi_counter *counter)
{
    for (size_t i = 0; i < counter->set_nr; i++)
        close_set(&counter->set[i]);
    for (size_t i = 0; i < counter->count_nr; i++)
        close(counter->count[i].fd);
    counter->set_nr = counter->count_nr = 0;
}

static int begin_software(struct papi_counter *counter, pid_t thread, struct error *err)
{
    for (size_t i = 0; i < counter->event.nr; i++) {
        int fd;

        if (counter->component[i] != software)
            continue;
        fd = perf_software_open(counter->event.v[i], thread, err);
        if (fd < 0)
            return -1;
        GROW(counter->count, counter->count_nr + 1, counter->count_alloc);
        counter->count[counter->count_nr++] = (struct software_count){fd, i};
    }
    return 0;
}

/* Whether event i is the first one of its component. */
static bool opens_component(const struct papi_counter *counter, size_t i)
{
    if (counter->component[i] == software)
        return false;
    for (size_t k = 0; k < i; k++)
        if (counter->component[k] == counter->component[i])
            return false;
    return true;
}

static int begin_thread(struct papi_counter *counter, pid_t thread, struct error *err)
{
    if (begin_software(counter, thread, err))
        return -1;
    for (size_t i = 0; i < counter->event.nr; i++)
        if (opens_component(counter, i) && is_core(counter->component[i]) &&
            open_set(counter, counter->component[i], (struct place){thread, -1}, err))
            return -1;
    return 0;
}

/* Threads that run already, such as those of OpenMP after the warm call, do not inherit.
 */
static int begin_process(struct papi_counter *counter, pid_t pid, struct error *err)
{
    char *path = xasprintf("/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);
    struct dirent *task;
    int result = 0;

    free(path);
    if (!tasks)
        return fail(err, STATUS_FAILED, "process %d is gone before it could be counted",
                    (int)pid);
    while (result == 0 && (task = readdir(tasks)) != NULL)
        if (task->d_name[0] != '.')
            result = begin_thread(counter, (pid_t)strtol(task->d_name, NULL, 10), err);
    closedir(tasks);
    return result;
}

/* A cpu that the process may run on, 0 if that cannot be told. */
static int first_cpu(pid_t pid)
{
    char *path = xasprintf("/proc/%d/status", (int)(pid ? pid : getpid()));
    struct buf text = {0};
    const char *list;
    int cpu = 0;

    if (file_read(path, &text, NULL) == 0 &&
        (list = strstr(buf_str(&text), "Cpus_allowed_list:")) != NULL)
        cpu = (int)strtol(list + strlen("Cpus_allowed_list:"), NULL, 10);
    buf_release(&text);
    free(path);
    return cpu;
}

static long package_of(int cpu)
{
    char *path =
        xasprintf("/sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
    struct buf text = {0};
    long package = 0;

    if (file_read(path, &text, NULL) == 0)
        package = strtol(buf_str(&text), NULL, 10);
    buf_release(&text);
    free(path);
    return package;
}

/* Events that belong to no process: per package that a process runs on, or just once. */
static int begin_shared(struct papi_counter *counter, const pid_t *pid, size_t pid_nr,
                        size_t at, struct error *err)
{
    int component = counter->component[at];

    if (!is_uncore(component))
        return open_set(counter, component, (struct place){0, -1}, err);
    for (size_t i = 0; i < (pid_nr ? pid_nr : 1); i++) {
        int cpu = first_cpu(pid_nr ? pid[i] : 0);
        bool again = false;

        for (size_t k = 0; k < i; k++)
            again |= package_of(first_cpu(pid[k])) == package_of(cpu);
        if (!again && open_set(counter, component, (struct place){0, cpu}, err))
            return -1;
    }
    return 0;
}

static int begin_all(struct papi_counter *counter, const pid_t *pid, size_t pid_nr,
                     struct error *err)
{
    for (size_t i = 0; i < counter->event.nr; i++)
        if (opens_component(counter, i) && !is_core(counter->component[i]) &&
            begin_shared(counter, pid, pid_nr, i, err))
            return -1;
    for (size_t i = 0; i < pid_nr; i++)
        if (begin_process(counter, pid[i], err))
            return -1;
    return pid_nr ? 0 : begin_thread(counter, 0, err);
}

int papi_counter_begin(struct papi_counter *counter, const pid_t *pid, size_t pid_nr,
                       struct error *err)
{
    if (begin_all(counter, pid, pid_nr, err) == 0)
        return 0;
    stop_all(counter);
    return -1;
}

static int read_set(const struct counter_set *set, double *value, struct error *err)
{
    long long *count = xcalloc(set->event_nr + 1, sizeof(*count));
    int result = PAPI_stop(set->handle, count);

    for (size_t i = 0; i < set->event_nr; i++)
        value[set->event[i]] += (double)count[i];
    free(count);
    return result == PAPI_OK
               ? 0
               : fail(err, STATUS_FAILED, "PAPI cannot read its counters: %s",
                      PAPI_strerror(result));
}

int papi_counter_end(struct papi_counter *counter, double *value, struct error *err)
{
    int result = 0;

    for (size_t i = 0; i < counter->event.nr; i++)
        value[i] = 0;
    for (size_t i = 0; result == 0 && i < counter->set_nr; i++)
        result = read_set(&counter->set[i], value, err);
    for (size_t i = 0; result == 0 && i < counter->count_nr; i++) {
        double one = 0;

        result = perf_software_read(counter->count[i].fd, &one, err);
        value[counter->count[i].event] += one;
    }
    stop_all(counter);
    return result;
}

void papi_counter_free(struct papi_counter *counter)
{
    if (!counter)
        return;
    stop_all(counter);
    strvec_release(&counter->event);
    free(counter->component);
    free(counter->set);
    free(counter->count);
    free(counter);
}

int papi_events_start(const char *const *event, size_t event_nr, struct error *err)
{
    struct papi_counter *counter;
    double *value = xcalloc(event_nr + 1, sizeof(*value));
    int result = papi_counter_new(event, event_nr, &counter, err);

    if (result == 0)
        result = papi_counter_begin(counter, NULL, 0, err);
    if (result == 0)
        result = papi_counter_end(counter, value, err);
    papi_counter_free(counter);
    free(value);
    return result;
}

bool papi_has_component(const char *name, const char **why_not)
{
    *why_not = "PAPI does not start";
    if (start_library(NULL))
        return false;
    *why_not = "this PAPI was built without it";
    for (int i = 0; i < PAPI_num_components(); i++) {
        const PAPI_component_info_t *info = PAPI_get_component_info(i);

        if (!info || strcmp(info->name, name) != 0)
            continue;
        *why_not = info->disabled ? info->disabled_reason : "";
        return !info->disabled;
    }
    return false;
}
