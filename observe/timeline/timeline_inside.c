/*
 * libinflight_watch.so: in the application, by LD_PRELOAD. Learns of software-defined
 * events when they are registered (its functions of libsde's names are found first and
 * call the real ones), and then has a thread that reads them through libsde, as PAPI
 * would, and publishes them. A program that registers none has no thread and no file
 * open. Only the C library is linked.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "observe/timeline/timeline_watch.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* libsde's, from its sde_lib.h: modes and types of counters, and a refusal. */
enum { sde_instant = 0x10, sde_double = 2, sde_float = 3, sde_no_component = -4 };

#define OFFERED __attribute__((visibility("default")))

typedef long long (*callback)(void *);

/* What registering said of an event. */
struct known {
    char name[WATCH_NAME];
    int mode, type;
};

static struct {
    pthread_mutex_t lock; /* of all below but for `place`'s readers */
    struct watch *watch;
    struct watch_process *place;
    struct known known[WATCH_EVENTS];
    size_t known_nr;
    bool ended;
    int (*number)(void);
    int (*read)(uint32_t event, long long *value);
    char *(*name)(int event);
} inside = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Function and object pointers are of one size where there is dlsym. */
static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (!found)
        found = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &found, sizeof(found));
}

/*
 * Publishing.
 */

/* libsde names events "library::EVENT"; registering tells the last part only. */
static const struct known *known_of(const char *name)
{
    const char *last = strstr(name, "::");

    for (size_t i = inside.known_nr; last && i-- > 0;)
        if (strcmp(inside.known[i].name, last + 2) == 0)
            return &inside.known[i];
    return NULL;
}

/* The count that libsde keeps of each recorder, under a name of its own. */
static bool is_recorder_count(const char *name)
{
    size_t length = strlen(name);

    return length > 4 && strcmp(name + length - 4, ":CNT") == 0;
}

static double number_of(long long bits, int type)
{
    double number = (double)bits;
    float small;

    if (type == sde_double)
        memcpy(&number, &bits, sizeof(number));
    if (type == sde_float) {
        memcpy(&small, &bits, sizeof(small));
        number = (double)small;
    }
    return number;
}

static void publish_event(uint32_t event, struct watch_process *place)
{
    const char *name = inside.name((int)event);
    const struct known *known = name ? known_of(name) : NULL;
    struct watch_event *out;
    long long bits = 0;

    if (!name || (!known && !is_recorder_count(name)) || strlen(name) >= WATCH_NAME ||
        place->event_nr == WATCH_EVENTS) {
        place->left_out += name != NULL;
        return;
    }
    out = &place->event[place->event_nr++];
    strncpy(out->name, name, WATCH_NAME - 1);
    out->level = known && known->mode & sde_instant;
    out->known = inside.read(event, &bits) == 0;
    out->value = number_of(bits, known ? known->type : 0);
}

/* Under the lock. */
static void publish(void)
{
    struct watch_process *place = inside.place;
    int nr = inside.number();

    __atomic_fetch_add(&place->sequence, 1, __ATOMIC_SEQ_CST);
    place->event_nr = place->left_out = 0;
    for (int i = 0; i < nr; i++)
        publish_event((uint32_t)i, place);
    place->at_ns = now_ns();
    __atomic_fetch_add(&place->sequence, 1, __ATOMIC_SEQ_CST);
}

/* Half an interval before the reader's next deadline. */
static int64_t next_ns(void)
{
    int64_t interval = inside.watch->interval_ns;
    int64_t first = inside.watch->start_ns + interval / 2, now = now_ns();

    return now < first ? first : first + ((now - first) / interval + 1) * interval;
}

static void *follow(void *unused)
{
    for (;;) {
        int64_t next = next_ns();
        struct timespec until = {.tv_sec = (time_t)(next / 1000000000),
                                 .tv_nsec = (long)(next % 1000000000)};

        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
            ;
        pthread_mutex_lock(&inside.lock);
        if (!inside.ended)
            publish();
        pthread_mutex_unlock(&inside.lock);
    }
    return unused;
}

static bool map_file(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *map = MAP_FAILED;

    if (fd >= 0) {
        map = mmap(NULL, sizeof(struct watch), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        close(fd);
    }
    if (map == MAP_FAILED)
        return false;
    inside.watch = map;
    return inside.watch->magic == WATCH_MAGIC && inside.watch->interval_ns > 0;
}

static bool take_place(void)
{
    uint32_t place = __atomic_fetch_add(&inside.watch->process_nr, 1, __ATOMIC_SEQ_CST);

    if (place >= WATCH_PROCESSES)
        return false;
    inside.place = &inside.watch->process[place];
    inside.place->pid = (int32_t)getpid();
    return true;
}

/* The application's signals are not this thread's. */
static void start_thread(void)
{
    sigset_t all, old;
    pthread_t thread;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (pthread_create(&thread, NULL, follow, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void lock(void)
{
    pthread_mutex_lock(&inside.lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&inside.lock);
}

/* With the first event; under the lock. A fork finds neither us nor libsde at work. */
static void begin(void)
{
    static bool tried;
    const char *path = getenv(WATCH_VARIABLE);

    if (tried)
        return;
    tried = true;
    find("sde_ti_get_num_reg_events", &inside.number);
    find("sde_ti_read_counter", &inside.read);
    find("sde_ti_get_event_name", &inside.name);
    if (!path || !inside.number || !inside.read || !inside.name || !map_file(path) ||
        !take_place())
        return;
    pthread_atfork(lock, unlock, unlock);
    start_thread();
}

/* What was counted since the thread looked last. */
static void end(void)
{
    lock();
    if (inside.place && inside.place->pid == getpid() && !inside.ended)
        publish();
    inside.ended = true;
    unlock();
}

/* The end is registered with each event, so that it comes before whatever holds the
 * event's value is taken down. */
static void learn(const char *name, int mode, int type)
{
    lock();
    if (name && strlen(name) < WATCH_NAME && inside.known_nr < WATCH_EVENTS) {
        struct known *known = &inside.known[inside.known_nr++];

        strncpy(known->name, name, WATCH_NAME - 1);
        known->mode = mode;
        known->type = type;
        atexit(end);
    }
    begin();
    unlock();
}

/*
 * libsde's functions.
 */

OFFERED int papi_sde_register_counter(void *handle, const char *name, int mode, int type,
                                      void *counter);
OFFERED int papi_sde_register_counter_cb(void *handle, const char *name, int mode,
                                         int type, callback function, void *param);
OFFERED int papi_sde_create_counter(void *handle, const char *name, int mode,
                                    void **counter);

int papi_sde_register_counter(void *handle, const char *name, int mode, int type,
                              void *counter)
{
    int (*real)(void *, const char *, int, int, void *);
    int result;

    find("papi_sde_register_counter", &real);
    if (!real || real == papi_sde_register_counter)
        return sde_no_component;
    result = real(handle, name, mode, type, counter);
    learn(name, mode, type);
    return result;
}

int papi_sde_register_counter_cb(void *handle, const char *name, int mode, int type,
                                 callback function, void *param)
{
    int (*real)(void *, const char *, int, int, callback, void *);
    int result;

    find("papi_sde_register_counter_cb", &real);
    if (!real || real == papi_sde_register_counter_cb)
        return sde_no_component;
    result = real(handle, name, mode, type, function, param);
    learn(name, mode, type);
    return result;
}

int papi_sde_create_counter(void *handle, const char *name, int mode, void **counter)
{
    int (*real)(void *, const char *, int, void **);
    int result;

    find("papi_sde_create_counter", &real);
    if (!real || real == papi_sde_create_counter)
        return sde_no_component;
    result = real(handle, name, mode, counter);
    learn(name, mode, 0);
    return result;
}
