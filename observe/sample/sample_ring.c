#define _GNU_SOURCE /* syscall */
#include "observe/sample/sample_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/base.h"
#include "observe/sample/sample_decode.h"

/* Of one processor; 6500 samples, or some 2000 mappings. Together with its page of
 * management below what perf_event_mlock_kb grants each user by default (516 KiB). */
enum { ring_bytes = 256 << 10 };

/* Lines for one sample: 12.8 MB; a core that moves 10 GB/s gives 780 samples a second.
 * Prime. */
enum { miss_period = 200003 };

struct ring {
    int clock_fd, miss_fd; /* -1 = none */
    struct perf_event_mmap_page *page;
    size_t mapped_bytes, data_bytes;
};

struct sample_rings {
    struct ring *ring;
    size_t nr, alloc;
    struct sample_ids ids;
    struct sample_record *record; /* not yet handed over */
    size_t record_nr, record_alloc;
};

/* ---- opening ---- */

static int open_event(const struct perf_event_attr *attr, int cpu)
{
    return (int)syscall(SYS_perf_event_open, attr, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* On ourselves, asleep: whoever we start inherits it and wakes it by exec. */
static struct perf_event_attr inherited(uint32_t type, uint64_t config, uint64_t period)
{
    return (struct perf_event_attr){
        .type = type,
        .size = sizeof(struct perf_event_attr),
        .config = config,
        .sample_period = period,
        .sample_type = SAMPLE_DECODE_FIELDS,
        .disabled = 1,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .enable_on_exec = 1,
        .sample_id_all = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };
}

static struct perf_event_attr clock_attr(double frequency_hz)
{
    struct perf_event_attr attr = inherited(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
                                            (uint64_t)(1e9 / frequency_hz));

    attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = attr.task = 1;
    return attr;
}

static int cannot_open(int cause, struct error *err)
{
    if (cause == EACCES || cause == EPERM)
        return fail(err, STATUS_MISSING,
                    "the kernel does not let this user sample programs (%s); "
                    "'sysctl kernel.perf_event_paranoid=2' as root permits it, in a "
                    "container its seccomp profile must permit perf_event_open, too",
                    strerror(cause));
    if (cause == ENOSYS || cause == ENOENT)
        return fail(err, STATUS_MISSING,
                    "this kernel cannot sample programs: it was built without "
                    "perf_event (%s)",
                    strerror(cause));
    if (cause == EMFILE)
        return fail(err, STATUS_MISSING,
                    "sampling takes a file for each processor, and no more can be "
                    "opened; raise the limit with 'ulimit -n'");
    return fail(err, STATUS_MISSING, "programs cannot be sampled here: %s",
                strerror(cause));
}

static uint64_t id_of(int fd)
{
    uint64_t id = 0;

    return ioctl(fd, PERF_EVENT_IOC_ID, &id) ? 0 : id;
}

/* As large as the kernel grants, down to a page. */
static int map_ring(struct ring *ring, struct error *err)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = ring_bytes;

    for (bytes = bytes < page ? page : bytes; bytes >= page; bytes /= 2) {
        void *at = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                        ring->clock_fd, 0);

        if (at != MAP_FAILED) {
            ring->page = at;
            ring->mapped_bytes = page + bytes;
            ring->data_bytes = bytes;
            return 0;
        }
        if (errno != EPERM && errno != ENOMEM)
            break;
    }
    return fail(err, STATUS_MISSING,
                "the memory for samples cannot be locked (%s); raise "
                "/proc/sys/kernel/perf_event_mlock_kb or 'ulimit -l'",
                strerror(errno));
}

/* 0 also for a processor that is not there (any more). */
static int open_ring(struct sample_rings *rings, int cpu, double frequency_hz,
                     struct error *err)
{
    struct perf_event_attr attr = clock_attr(frequency_hz);
    int fd = open_event(&attr, cpu);
    struct ring *ring;

    if (fd < 0)
        return errno == ENODEV || errno == EINVAL ? 0 : cannot_open(errno, err);
    GROW(rings->ring, rings->nr + 1, rings->alloc);
    ring = &rings->ring[rings->nr++];
    *ring = (struct ring){.clock_fd = fd, .miss_fd = -1};
    return map_ring(ring, err);
}

static void close_miss(struct ring *ring)
{
    if (ring->miss_fd >= 0)
        close(ring->miss_fd);
    ring->miss_fd = -1;
}

static int open_miss(struct sample_rings *rings, size_t i, int cpu)
{
    struct perf_event_attr attr =
        inherited(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, miss_period);
    struct ring *ring = &rings->ring[i];

    ring->miss_fd = open_event(&attr, cpu);
    if (ring->miss_fd < 0)
        return -1;
    if (ioctl(ring->miss_fd, PERF_EVENT_IOC_SET_OUTPUT, ring->clock_fd) == 0)
        return 0;
    close_miss(ring);
    return -1;
}

/* All processors or none: shares of a part would mislead. */
static void open_misses(struct sample_rings *rings, const int *cpu,
                        struct samples *samples)
{
    for (size_t i = 0; i < rings->nr; i++) {
        if (open_miss(rings, i, cpu[i]) == 0)
            continue;
        samples->miss_why = xasprintf(
            "the processor's counters are not available here (%s)",
            errno == ENOENT || errno == EOPNOTSUPP ? "no PMU" : strerror(errno));
        for (size_t k = 0; k <= i; k++)
            close_miss(&rings->ring[k]);
        return;
    }
    samples->miss_event = xstrdup("cache-misses");
    samples->miss_period = miss_period;
}

static void note_ids(struct sample_rings *rings)
{
    struct sample_ids *ids = &rings->ids;

    ids->miss = xcalloc(rings->nr + 1, sizeof(*ids->miss));
    for (size_t i = 0; i < rings->nr; i++)
        if (rings->ring[i].miss_fd >= 0)
            ids->miss[ids->miss_nr++] = id_of(rings->ring[i].miss_fd);
}

static int open_all(struct sample_rings *rings, const struct sample_options *options,
                    struct samples *samples, struct error *err)
{
    struct buf text = {0};
    long low, high;
    int *cpu = NULL, status = file_read("/sys/devices/system/cpu/online", &text, NULL);
    const char *at = status ? "0" : buf_str(&text);
    size_t alloc = 0;

    for (status = 0; status == 0 && range_next(&at, &low, &high) > 0;)
        for (long i = low; status == 0 && i <= high; i++) {
            size_t before = rings->nr;

            status = open_ring(rings, (int)i, samples->frequency_hz, err);
            GROW(cpu, rings->nr + 1, alloc);
            if (rings->nr > before)
                cpu[before] = (int)i;
        }
    if (status == 0 && rings->nr == 0)
        status = cannot_open(ENODEV, err);
    if (status == 0 && options->misses)
        open_misses(rings, cpu, samples);
    note_ids(rings);
    free(cpu);
    buf_release(&text);
    return status;
}

int sample_rings_open(const struct sample_options *options, struct samples *samples,
                      struct sample_rings **out, struct error *err)
{
    struct sample_rings *rings = xcalloc(1, sizeof(*rings));

    samples->frequency_hz =
        options->frequency_hz > 0 ? options->frequency_hz : SAMPLE_FREQUENCY_HZ;
    if (open_all(rings, options, samples, err)) {
        sample_rings_close(rings);
        return -1;
    }
    *out = rings;
    return 0;
}

void sample_rings_close(struct sample_rings *rings)
{
    if (!rings)
        return;
    for (size_t i = 0; i < rings->nr; i++) {
        close_miss(&rings->ring[i]);
        if (rings->ring[i].page)
            munmap(rings->ring[i].page, rings->ring[i].mapped_bytes);
        close(rings->ring[i].clock_fd);
    }
    for (size_t i = 0; i < rings->record_nr; i++)
        free(rings->record[i].path);
    free(rings->record);
    free(rings->ids.miss);
    free(rings->ring);
    free(rings);
}

/* ---- reading ---- */

/* The record at `tail`, in one piece: it may run over the end of the ring. */
static const struct perf_event_header *whole(const struct ring *ring, uint64_t tail,
                                             uint8_t copy[SAMPLE_RECORD_MAX])
{
    const uint8_t *data =
        (const uint8_t *)ring->page + (ring->mapped_bytes - ring->data_bytes);
    size_t at = (size_t)(tail % ring->data_bytes);
    const struct perf_event_header *header = (const void *)(data + at);
    size_t first = ring->data_bytes - at;

    if (header->size <= first)
        return header;
    memcpy(copy, data + at, first);
    memcpy(copy + first, data, header->size - first);
    return (const void *)copy;
}

static void drain_ring(struct sample_rings *rings, struct ring *ring)
{
    _Alignas(8) uint8_t copy[SAMPLE_RECORD_MAX];
    uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = ring->page->data_tail;

    while (tail < head) {
        const struct perf_event_header *header = whole(ring, tail, copy);

        GROW(rings->record, rings->record_nr + 1, rings->record_alloc);
        if (sample_decode(header, &rings->ids, &rings->record[rings->record_nr]))
            rings->record_nr++;
        tail += header->size;
    }
    __atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

static int by_time(const void *a, const void *b)
{
    const struct sample_record *x = a, *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return (x->kind < SAMPLE_MAP) - (y->kind < SAMPLE_MAP); /* first what is mapped */
}

void sample_rings_drain(struct sample_rings *rings, struct sample_fold *fold, bool all)
{
    uint64_t until = (uint64_t)(clock_s() * 1e9);
    size_t done = 0;

    for (size_t i = 0; i < rings->nr; i++)
        drain_ring(rings, &rings->ring[i]);
    if (rings->record_nr)
        qsort(rings->record, rings->record_nr, sizeof(*rings->record), by_time);
    for (; done < rings->record_nr && (all || rings->record[done].time_ns < until);
         done++) {
        sample_fold_add(fold, &rings->record[done]);
        free(rings->record[done].path);
    }
    rings->record_nr -= done;
    if (rings->record_nr)
        memmove(rings->record, rings->record + done,
                rings->record_nr * sizeof(*rings->record));
}
