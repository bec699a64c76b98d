#define _GNU_SOURCE /* secure_getenv, program_invocation_name */
#include "regions/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "regions/inflight.h"
#include "regions/mark_counts.h"

int inflight_regions_recording;
struct regions_header *inflight_recorder_header;

static __thread struct inflight_thread *self __attribute__((tls_model("initial-exec")));
static __thread int refused __attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below, and new names */
static pthread_key_t thread_key;
static char folder[4096], events[1024];
static char path[sizeof(folder) + REGIONS_TEXT_BYTES + 64]; /* of our file */
static bool forked; /* the header is the parent's: our own comes with the next call */
static uint32_t generation;
static struct regions_lane *lane[REGIONS_LANES_MAX];
static uint32_t free_lane[REGIONS_LANES_MAX], free_nr;

uint64_t inflight_recorder_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The one thing that the library ever prints, once. */
static void give_up(const char *why)
{
    fprintf(stderr, "inflight: regions are not recorded: cannot write into '%s': %s\n",
            folder, why);
    inflight_regions_recording = 0;
}

/* ---- the file ---- */

/* What `ulimit -f` allows: beyond it the program would be ended by SIGXFSZ. */
static bool fits(uint64_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY ||
           bytes <= limit.rlim_cur;
}

/*
 * Room is taken before it is mapped: a full disk must not end the program with SIGBUS. No
 * descriptor stays open: the program may close it, and give its number to a file of its
 * own. `flags`: of open, besides. NULL with errno.
 */
static void *map(int flags, uint64_t offset, size_t bytes)
{
    int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
    void *place = MAP_FAILED;
    if (file < 0)
        return NULL;
    int cause =
        fits(offset + bytes) ? posix_fallocate(file, (off_t)offset, (off_t)bytes) : EFBIG;
    if (!cause) {
        place =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)offset);
        cause = errno;
    }
    close(file);
    if (place == MAP_FAILED && flags)
        unlink(path);
    errno = cause;
    return place == MAP_FAILED ? NULL : place;
}

static size_t whole_pages(size_t bytes)
{
    size_t page = 65536; /* of any machine */
    return (bytes + page - 1) / page * page;
}

/* The last part of the path. */
static const char *program_name(void)
{
    const char *slash = strrchr(program_invocation_name, '/');
    return slash ? slash + 1 : program_invocation_name;
}

static void fill_header(struct regions_header *header, const char *host, int64_t epoch_ns)
{
    *header =
        (struct regions_header){.format = REGIONS_FORMAT,
                                .byte_order = REGIONS_BYTE_ORDER,
                                .header_bytes = whole_pages(sizeof(*header)),
                                .lane_bytes = whole_pages(sizeof(struct regions_lane)),
                                .pid = getpid(),
                                .parent_pid = getppid(),
                                .start_ns = inflight_recorder_now(),
                                .start_epoch_ns = epoch_ns};
    snprintf(header->host, sizeof(header->host), "%s", host);
    snprintf(header->program, sizeof(header->program), "%s", program_name());
    memcpy(header->magic, REGIONS_MAGIC, sizeof(header->magic));
}

/* With the lock held. */
static bool begin_file(void)
{
    char host[REGIONS_TEXT_BYTES] = "";
    struct timespec epoch;
    gethostname(host, sizeof(host) - 1);
    for (char *c = host; *c; c++)
        if (*c == '/')
            *c = '_';
    clock_gettime(CLOCK_REALTIME, &epoch);
    int64_t epoch_ns = (int64_t)epoch.tv_sec * 1000000000 + epoch.tv_nsec;
    snprintf(path, sizeof(path), "%s/%s-%ld-%lld" REGIONS_SUFFIX, folder, host,
             (long)getpid(), (long long)epoch_ns);
    struct regions_header *header =
        map(O_CREAT | O_EXCL, 0, whole_pages(sizeof(*header)));
    if (!header) {
        give_up(strerror(errno));
        return false;
    }
    fill_header(header, host, epoch_ns);
    inflight_recorder_header = header;
    return true;
}

/* ---- threads ---- */

/* With the lock held. NULL when there is no room. */
static struct regions_lane *take_lane(void)
{
    struct regions_header *header = inflight_recorder_header;
    if (free_nr)
        return lane[free_lane[--free_nr]];
    if (header->lane_nr == REGIONS_LANES_MAX)
        return NULL;
    struct regions_lane *place =
        map(0, header->header_bytes + header->lane_nr * header->lane_bytes,
            header->lane_bytes);
    if (!place)
        return NULL;
    place->node_nr = 1;
    lane[header->lane_nr++] = place;
    return place;
}

static void give_lane_back(const struct regions_lane *of)
{
    for (uint32_t i = 0; i < inflight_recorder_header->lane_nr; i++)
        if (lane[i] == of)
            free_lane[free_nr++] = i;
}

static struct inflight_thread *thread_new(struct regions_lane *of)
{
    struct inflight_thread *thread = calloc(1, sizeof(*thread));
    if (!thread)
        return NULL;
    thread->lane = of;
    thread->generation = generation;
    thread->events = inflight_counters_join();
    of->threads++;
    of->counted |= thread->events >= 0;
    pthread_setspecific(thread_key, thread);
    return thread;
}

/* What was open at the fork goes on in the child. */
static void reopen_kept(struct inflight_thread *thread,
                        const struct inflight_thread *kept)
{
    for (uint32_t i = 0; i < kept->kept_nr; i++)
        inflight_recorder_open(thread, kept->kept_from->name[kept->kept[i].name].text);
}

/* Behind fork: a file of the child's own. The parent's names stay mapped, for threads
 * that come later. With the lock held. */
static void begin_again(void)
{
    const struct regions_header *old = inflight_recorder_header;
    forked = false;
    if (!begin_file())
        return;
    inflight_recorder_header->pair_ns = old->pair_ns;
    inflight_recorder_header->empty_ns = old->empty_ns;
    inflight_counters_start(inflight_recorder_header, events);
}

/* The slow way of inflight_recorder_thread: the first call of a thread, or of a child. */
static struct inflight_thread *join(void)
{
    struct regions_lane *of = NULL;
    struct inflight_thread *kept = self;
    if (refused)
        return NULL;
    pthread_mutex_lock(&lock);
    if (forked)
        begin_again();
    if (inflight_regions_recording) {
        of = take_lane();
        if (!of)
            inflight_recorder_header->unrecorded_threads++;
    }
    pthread_mutex_unlock(&lock);
    self = of ? thread_new(of) : NULL;
    refused = !self;
    if (self && kept)
        reopen_kept(self, kept);
    free(kept);
    return self;
}

struct inflight_thread *inflight_recorder_thread(void)
{
    return self && self->generation == generation ? self : join();
}

/* At the end of a thread. What it left open ends here. */
static void thread_end(void *data)
{
    struct inflight_thread *thread = data;
    struct regions_header *header = inflight_recorder_header;
    if (thread->generation == generation) {
        uint64_t now = inflight_recorder_now();
        while (thread->lane->depth) {
            uint32_t name = thread->lane->frame[thread->lane->depth - 1].name;
            __atomic_fetch_add(&header->name[name].abandoned, 1, __ATOMIC_RELAXED);
            inflight_recorder_close(thread, now);
        }
        inflight_counters_leave(thread->events);
        pthread_mutex_lock(&lock);
        give_lane_back(thread->lane);
        pthread_mutex_unlock(&lock);
    }
    self = NULL;
    free(thread);
}

/* ---- names ---- */

static uint32_t search_name(const char *text, uint32_t nr)
{
    const struct regions_name *name = inflight_recorder_header->name;
    uint32_t i = 0;
    while (i < nr && strncmp(name[i].text, text, REGIONS_NAME_BYTES - 1))
        i++;
    return i;
}

uint32_t inflight_recorder_name(const char *text)
{
    struct regions_header *header = inflight_recorder_header;
    uint32_t nr = __atomic_load_n(&header->name_nr, __ATOMIC_ACQUIRE);
    uint32_t found = search_name(text, nr);
    if (found < nr)
        return found;
    pthread_mutex_lock(&lock);
    nr = header->name_nr;
    found = search_name(text, nr);
    if (found == nr && nr < REGIONS_NAMES_MAX) {
        size_t length = strnlen(text, REGIONS_NAME_BYTES - 1);
        memcpy(header->name[nr].text, text, length);
        __atomic_store_n(&header->name_nr, nr + 1, __ATOMIC_RELEASE);
    } else if (found == nr) {
        header->unrecorded_names++;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* ---- fork ---- */

/* What is open is noted before the child is there: the lane is shared memory, in which
 * the parent goes on at once. */
static void before_fork(void)
{
    pthread_mutex_lock(&lock);
    if (forked || !self || self->generation != generation)
        return;
    self->kept_nr = self->lane->depth;
    self->kept_from = inflight_recorder_header;
    memcpy(self->kept, self->lane->frame, sizeof(self->kept));
}

static void in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

/* Nothing of the parent's is written to from here on. */
static void in_child(void)
{
    struct regions_header *header = inflight_recorder_header;
    pthread_mutex_init(&lock, NULL);
    if (forked || !inflight_regions_recording)
        return;
    for (uint32_t i = 0; i < header->lane_nr; i++)
        if (lane[i])
            munmap(lane[i], header->lane_bytes);
    memset(lane, 0, sizeof(lane));
    free_nr = 0;
    generation++;
    inflight_counters_forget();
    forked = true;
}

/* ---- begin and end of the process ---- */

enum { calibration_pairs = 64, calibration_rounds = 8 };

/* What a pair costs when all it needs is at hand. Leaves no trace in the file. */
static void calibrate(struct inflight_thread *thread)
{
    struct regions_header *header = inflight_recorder_header;
    uint64_t min = UINT64_MAX;
    for (int round = 0; round < calibration_rounds; round++) {
        uint64_t before = inflight_recorder_now();
        for (int i = 0; i < calibration_pairs; i++) {
            inflight_region_begin("calibration");
            inflight_region_end("calibration");
        }
        uint64_t ns = inflight_recorder_now() - before;
        min = ns < min ? ns : min;
    }
    const struct regions_node *node = &thread->lane->node[1];
    header->pair_ns = (double)min / calibration_pairs;
    header->empty_ns = node->calls ? (double)node->min_ns : 0;
    header->name[0] = (struct regions_name){0};
    memset(thread->lane->node, 0, 2 * sizeof(struct regions_node));
    memset(thread->cache, 0, sizeof(thread->cache));
    thread->lane->node_nr = 1;
    header->name_nr = 0;
}

static bool take_environment(void)
{
    const char *asked = secure_getenv("INFLIGHT_REGIONS");
    const char *list = secure_getenv("INFLIGHT_REGIONS_EVENTS");
    if (!asked || !*asked)
        return false;
    snprintf(folder, sizeof(folder), "%s", asked);
    if (list && strlen(list) < sizeof(events))
        memcpy(events, list, strlen(list) + 1);
    return true;
}

/* A relative folder stays the same wherever the program goes. */
static bool find_folder(void)
{
    char whole[sizeof(folder)];
    if (mkdir(folder, 0700) && errno != EEXIST)
        return false;
    if (!realpath(folder, whole))
        return false;
    memcpy(folder, whole, strlen(whole) + 1);
    return true;
}

__attribute__((constructor)) static void process_begin(void)
{
    if (!take_environment())
        return;
    inflight_regions_recording = 1;
    bool found = find_folder();
    /* Files could be put in the place of ours. */
    if (!found || !inflight_marks_trust(folder)) {
        give_up(found ? "it is another user's, or others may write to it (chmod go-w)"
                      : strerror(errno));
        return;
    }
    if (!begin_file() || pthread_key_create(&thread_key, thread_end) ||
        pthread_atfork(before_fork, in_parent, in_child)) {
        inflight_regions_recording = 0;
        return;
    }
    inflight_counters_start(inflight_recorder_header, events);
    struct inflight_thread *thread = inflight_recorder_thread();
    if (thread)
        calibrate(thread);
}

__attribute__((destructor)) static void process_end(void)
{
    if (inflight_regions_recording && !forked)
        inflight_recorder_header->end_ns = inflight_recorder_now();
}
