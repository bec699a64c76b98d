#include "core/traffic/papi_source.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/traffic/papi_crowd.h"
#include "core/traffic/papi_sets.h"
#include "core/traffic/perf_software.h"
#include "core/traffic/perf_uncore.h"

/* A descriptor of the kernel that counts one event. */
struct kernel_count {
    int fd;
    size_t event;
};

struct papi_counter {
    struct papi_seam seam;
    struct papi_counter_opts opts;
    struct strvec event;
    int *component;             /* per event: of PAPI, or one of below */
    bool *floating;             /* per event: PAPI gives the bits of a double */
    struct perf_uncore *uncore; /* per event, for those */
    struct papi_set *set;
    size_t set_nr, set_alloc;
    struct kernel_count *count;
    size_t count_nr, count_alloc;
    double began_s;
};

enum { kernel_software = -1, kernel_uncore = -2 };

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct papi_seam papi_seam_here(void)
{
    return (struct papi_seam){&papi_calls, perf_uncore_devices, papi_host_here()};
}

/*
 * Events by name.
 */

static int find_in_papi(const struct papi_seam *seam, const char *event, int *component,
                        struct error *err)
{
    char name[32];
    struct papi_refused refused = {.event = event};

    refused.why = seam->papi->start();
    if (!refused.why)
        refused.why = seam->papi->find(event, component);
    if (!refused.why)
        return 0;
    refused.words = seam->papi->text();
    if (refused.why != PAPI_NO_LIBRARY)
        refused.disabled = seam->papi->disabled(papi_component_of_name(event, name));
    return papi_refuse(&refused, &seam->host, err);
}

static int find_event(struct papi_counter *counter, size_t i, struct error *err)
{
    const char *event = counter->event.v[i];

    if (perf_software_known(event)) {
        counter->component[i] = kernel_software;
        return 0;
    }
    if (perf_uncore_is(event)) {
        counter->component[i] = kernel_uncore;
        return perf_uncore_find(counter->seam.devices, event, &counter->uncore[i], err);
    }
    return find_in_papi(&counter->seam, event, &counter->component[i], err);
}

bool papi_event_known(const char *event)
{
    struct papi_seam seam = papi_seam_here();
    int component;

    return perf_software_known(event) ||
           find_in_papi(&seam, event, &component, NULL) == 0;
}

static bool is_floating(const struct papi_counter *counter, size_t i)
{
    struct papi_described described = {0};

    if (counter->component[i] >= 0)
        counter->seam.papi->describe(counter->event.v[i], &described);
    return described.floating;
}

int papi_counter_make(const struct papi_seam *seam, const char *const *event,
                      size_t event_nr, const struct papi_counter_opts *opts,
                      struct papi_counter **counter, struct error *err)
{
    struct papi_counter *made = xcalloc(1, sizeof(*made));

    *counter = NULL;
    made->seam = *seam;
    made->opts = opts ? *opts : (struct papi_counter_opts){0};
    made->component = xcalloc(event_nr + 1, sizeof(*made->component));
    made->floating = xcalloc(event_nr + 1, sizeof(*made->floating));
    made->uncore = xcalloc(event_nr + 1, sizeof(*made->uncore));
    for (size_t i = 0; i < event_nr; i++) {
        strvec_push(&made->event, event[i]);
        if (find_event(made, i, err)) {
            papi_counter_free(made);
            return -1;
        }
        made->floating[i] = is_floating(made, i);
    }
    *counter = made;
    return 0;
}

int papi_counter_new(const char *const *event, size_t event_nr,
                     const struct papi_counter_opts *opts, struct papi_counter **counter,
                     struct error *err)
{
    struct papi_seam seam = papi_seam_here();

    return papi_counter_make(&seam, event, event_nr, opts, counter, err);
}

/*
 * Starting.
 */

static bool is_core(const struct papi_counter *counter, size_t i)
{
    return counter->component[i] >= 0 &&
           strcmp(counter->seam.papi->component_name(counter->component[i]),
                  "perf_event") == 0;
}

static bool is_uncore(const struct papi_counter *counter, size_t i)
{
    const char *name = counter->component[i] >= 0
                           ? counter->seam.papi->component_name(counter->component[i])
                           : "";

    return strstr(name, "uncore") || strstr(name, "nest");
}

/* Whether event i is the first one of its component of PAPI. */
static bool opens_component(const struct papi_counter *counter, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (counter->component[k] == counter->component[i])
            return false;
    return counter->component[i] >= 0;
}

static int open_set(struct papi_counter *counter, size_t first, struct papi_place place,
                    struct error *err)
{
    size_t *which = xcalloc(counter->event.nr, sizeof(*which)), nr = 0;
    int result;

    for (size_t i = first; i < counter->event.nr; i++)
        if (counter->component[i] == counter->component[first])
            which[nr++] = i;
    GROW(counter->set, counter->set_nr + 1, counter->set_alloc);
    result = papi_set_open(&counter->seam, &counter->event, which, nr,
                           counter->component[first], place,
                           &counter->set[counter->set_nr], err);
    counter->set_nr += result == 0;
    free(which);
    return result;
}

static void add_kernel_count(struct papi_counter *counter, int fd, size_t event)
{
    GROW(counter->count, counter->count_nr + 1, counter->count_alloc);
    counter->count[counter->count_nr++] = (struct kernel_count){fd, event};
}

static int begin_thread(struct papi_counter *counter, pid_t thread, struct error *err)
{
    for (size_t i = 0; i < counter->event.nr; i++) {
        if (counter->component[i] == kernel_software) {
            int fd =
                perf_software_open(counter->event.v[i], thread, counter->opts.ahead, err);

            if (fd < 0)
                return -1;
            add_kernel_count(counter, fd, i);
        } else if (!counter->opts.system_wide && opens_component(counter, i) &&
                   is_core(counter, i) &&
                   open_set(counter, i, (struct papi_place){thread, -1}, err)) {
            return -1;
        }
    }
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

/* A set of PAPI's for each package there is. */
static int begin_all_packages(struct papi_counter *counter, size_t i, struct error *err)
{
    long nr = sysconf(_SC_NPROCESSORS_CONF);

    for (int cpu = 0; cpu < nr; cpu++) {
        bool first = papi_cpu_is_online(cpu);

        for (int k = 0; first && k < cpu; k++)
            first = papi_package_of(k) != papi_package_of(cpu) || !papi_cpu_is_online(k);
        if (first && open_set(counter, i, (struct papi_place){0, cpu}, err))
            return -1;
    }
    return 0;
}

/* A set of PAPI's for each package that somebody runs in. */
static int begin_packages(struct papi_counter *counter, size_t i,
                          const struct papi_crowd *crowd, struct error *err)
{
    if (counter->opts.ahead)
        return begin_all_packages(counter, i, err);
    for (size_t k = 0; k < papi_crowd_nr(crowd); k++) {
        int cpu = papi_crowd_cpu(crowd, k);

        if (!papi_crowd_uses(crowd, k, papi_package_of(cpu)) &&
            open_set(counter, i, (struct papi_place){0, cpu}, err))
            return -1;
    }
    return 0;
}

/* The kernel's own counters, for the same packages. */
static int begin_uncore(struct papi_counter *counter, size_t i,
                        const struct papi_crowd *crowd, struct error *err)
{
    const struct perf_uncore *uncore = &counter->uncore[i];
    bool any = false;

    for (size_t k = 0; k < uncore->cpu_nr; k++) {
        int fd;

        if (!counter->opts.ahead && !papi_crowd_uses(crowd, papi_crowd_nr(crowd),
                                                     papi_package_of(uncore->cpu[k])))
            continue;
        fd = perf_uncore_open(uncore, counter->event.v[i], uncore->cpu[k], err);
        if (fd < 0)
            return -1;
        add_kernel_count(counter, fd, i);
        any = true;
    }
    return any ? 0
               : fail(err, STATUS_MISSING, "'%s' counts in no package that is used here",
                      counter->event.v[i]);
}

static int begin_everywhere(struct papi_counter *counter, size_t i, struct error *err)
{
    long nr = sysconf(_SC_NPROCESSORS_CONF);

    for (int cpu = 0; cpu < nr; cpu++) {
        if (papi_cpu_is_online(cpu) &&
            open_set(counter, i, (struct papi_place){0, cpu}, err))
            return -1;
    }
    return 0;
}

/* What belongs to no process. */
static int begin_shared(struct papi_counter *counter, size_t i,
                        const struct papi_crowd *crowd, struct error *err)
{
    if (counter->component[i] == kernel_uncore)
        return begin_uncore(counter, i, crowd, err);
    if (!opens_component(counter, i))
        return 0;
    if (is_core(counter, i))
        return counter->opts.system_wide ? begin_everywhere(counter, i, err) : 0;
    if (is_uncore(counter, i))
        return begin_packages(counter, i, crowd, err);
    return open_set(counter, i, (struct papi_place){0, -1}, err);
}

static int begin_all(struct papi_counter *counter, const struct papi_crowd *crowd,
                     struct error *err)
{
    for (size_t i = 0; i < counter->event.nr; i++)
        if (begin_shared(counter, i, crowd, err))
            return -1;
    for (size_t i = 0; i < crowd->nr; i++)
        if (begin_process(counter, crowd->pid[i], err))
            return -1;
    return crowd->nr ? 0 : begin_thread(counter, 0, err);
}

static void stop_all(struct papi_counter *counter)
{
    for (size_t i = 0; i < counter->set_nr; i++)
        papi_set_close(&counter->seam, &counter->set[i]);
    for (size_t i = 0; i < counter->count_nr; i++)
        close(counter->count[i].fd);
    counter->set_nr = counter->count_nr = 0;
}

int papi_counter_begin(struct papi_counter *counter, const pid_t *pid, size_t pid_nr,
                       struct error *err)
{
    struct papi_crowd crowd = {pid, pid_nr};

    if (begin_all(counter, &crowd, err)) {
        stop_all(counter);
        return -1;
    }
    counter->began_s = now_s();
    return 0;
}

/*
 * Reading.
 */

/* Rate of the kernel's turns: perf_event_mux_interval_ms, unless somebody changed it. */
static const double turn_s = 4e-3;

struct quantity count_multiplexed(double scaled, double share, double counted_s)
{
    double turns = fmax(1, counted_s / turn_s);
    double half = 1.96 * scaled * sqrt(fmax(0, 1 - share) / turns);

    return quantity_between(scaled, fmax(scaled - half, scaled * fmin(share, 1)),
                            scaled + half, 0, PROVENANCE_PAPI);
}

/* Adds one place's count to the event; counts of different places have no common error.
 */
static void tally(struct event_count *count, struct quantity value, double share)
{
    count->value =
        count->share > 0 ? quantity_add_independent(count->value, value) : value;
    if (count->share <= 0 || share < count->share)
        count->share = share;
}

static double number_of(const struct papi_counter *counter, size_t event, long long bits)
{
    double number = (double)bits;

    if (counter->floating[event])
        memcpy(&number, &bits, sizeof(number));
    return number;
}

static int read_set(const struct papi_counter *counter, const struct papi_set *set,
                    bool stop, double seconds, struct event_count *count,
                    struct error *err)
{
    long long *value = xcalloc(set->event_nr + 1, sizeof(*value));
    int result = (stop ? papi_set_stop : papi_set_read)(&counter->seam, set, value, err);

    for (size_t i = 0; result == 0 && i < set->event_nr; i++)
        tally(&count[set->event[i]],
              count_multiplexed(number_of(counter, set->event[i], value[i]), set->share,
                                seconds * set->share),
              set->share);
    free(value);
    return result;
}

static int read_uncore(int fd, struct event_count *count, struct error *err)
{
    struct perf_uncore_count got;

    if (perf_uncore_read(fd, &got, err))
        return -1;
    if (got.share > 0) {
        tally(count, count_multiplexed(got.value, got.share, got.counted_s), got.share);
        return 0;
    }
    if (!count->why)
        count->why = xstrdup("the kernel never gave it a counter: others held them all");
    return 0;
}

static int read_kernel(const struct papi_counter *counter,
                       const struct kernel_count *which, struct event_count *count,
                       struct error *err)
{
    double faults;

    count += which->event;
    if (counter->component[which->event] == kernel_uncore)
        return read_uncore(which->fd, count, err);
    if (perf_software_read(which->fd, &faults, err))
        return -1;
    tally(count, quantity_exact(faults, PROVENANCE_PAPI), 1);
    return 0;
}

static struct event_count *new_counts(const struct strvec *event, struct count_set *set)
{
    struct event_count *first;

    GROW(set->count, set->count_nr + event->nr, set->count_alloc);
    first = set->count + set->count_nr;
    for (size_t i = 0; i < event->nr; i++)
        first[i] = (struct event_count){.event = xstrdup(event->v[i]),
                                        .value = quantity_unknown()};
    set->count_nr += event->nr;
    return first;
}

static int read_all(struct papi_counter *counter, bool stop, struct count_set *set,
                    struct error *err)
{
    double seconds = now_s() - counter->began_s;
    struct event_count *count = new_counts(&counter->event, set);
    int result = 0;

    for (size_t i = 0; result == 0 && i < counter->set_nr; i++)
        result = read_set(counter, &counter->set[i], stop, seconds, count, err);
    for (size_t i = 0; result == 0 && i < counter->count_nr; i++)
        result = read_kernel(counter, &counter->count[i], count, err);
    for (size_t i = 0; i < counter->event.nr; i++)
        if (count[i].why) { /* a sum without one of its parts is none */
            count[i].value = quantity_unknown();
            count[i].share = 0;
        }
    set->seconds = quantity_exact(seconds, PROVENANCE_CLOCK);
    if (!set->source)
        set->source = xstrdup("PAPI");
    return result;
}

int papi_counter_read(struct papi_counter *counter, struct count_set *set,
                      struct error *err)
{
    return read_all(counter, false, set, err);
}

int papi_counter_end(struct papi_counter *counter, struct count_set *set,
                     struct error *err)
{
    int result = read_all(counter, true, set, err);

    stop_all(counter);
    return result;
}

void papi_counter_free(struct papi_counter *counter)
{
    if (!counter)
        return;
    stop_all(counter);
    for (size_t i = 0; i < counter->event.nr; i++)
        perf_uncore_release(&counter->uncore[i]);
    strvec_release(&counter->event);
    free(counter->uncore);
    free(counter->component);
    free(counter->floating);
    free(counter->set);
    free(counter->count);
    free(counter);
}
