/*
 * Cold starts: data or code leave all caches. By the instruction that the architecture
 * has for one line; where there is none, or where it turns out not to work, by reading a
 * buffer larger than the last cache and, for code, by running through other code. That
 * pushes out more than it was asked to.
 */
#include <link.h>

enum {
    CACHES_LINE = 64, /* the least line of the architectures below; smaller steps do no
                         harm */
    PROBE_LINES = 64,
    PROBE_APART = 4096 + 64, /* no line that a prefetcher fetches with another */
    SWEEP_MIN = 64 << 20,
    SWEEP_MAX = 512 << 20,
    FLUSHED_IS_SLOWER = 3 /* times, walking the probe: 64 misses against 64 hits in L1 or
                             L2 make 10 and more */
};

/* ---- what one architecture has ---- */

#if defined(__x86_64__)
#include <cpuid.h>

static bool has_clflushopt(void)
{
    unsigned a = 0, b = 0, c = 0, d = 0;

    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & 1u << 23;
}

static const char *line_flusher(void)
{
    return has_clflushopt() ? "clflushopt" : "clflush";
}

/* Of every level and core, instruction caches too. */
static void flush_lines(const char *from, const char *to, bool is_code)
{
    bool weak = has_clflushopt(); /* not ordered among themselves: much faster */

    (void)is_code;
    for (const char *line = from; line < to; line += CACHES_LINE) {
        if (weak)
            __asm__ volatile("clflushopt (%0)" : : "r"(line) : "memory");
        else
            __asm__ volatile("clflush (%0)" : : "r"(line) : "memory");
    }
    __asm__ volatile("mfence" : : : "memory");
}
#elif defined(__aarch64__)
static const char *line_flusher(void)
{
    return "dc civac";
}

/* Linux lets programs use both (SCTLR_EL1.UCI). */
static void flush_lines(const char *from, const char *to, bool is_code)
{
    for (const char *line = from; line < to; line += CACHES_LINE) {
        __asm__ volatile("dc civac, %0" : : "r"(line) : "memory");
        if (is_code)
            __asm__ volatile("ic ivau, %0" : : "r"(line) : "memory");
    }
    __asm__ volatile("dsb sy\n\tisb" : : : "memory");
}
#elif defined(__powerpc64__)
static const char *line_flusher(void)
{
    return "dcbf";
}

static void flush_lines(const char *from, const char *to, bool is_code)
{
    for (const char *line = from; line < to; line += CACHES_LINE) {
        __asm__ volatile("dcbf 0, %0" : : "r"(line) : "memory");
        if (is_code)
            __asm__ volatile("icbi 0, %0" : : "r"(line) : "memory");
    }
    __asm__ volatile("sync\n\tisync" : : : "memory");
}
#else
static const char *line_flusher(void)
{
    return NULL;
}

static void flush_lines(const char *from, const char *to, bool is_code)
{
    (void)from;
    (void)to;
    (void)is_code;
}
#endif

/* ---- pushing everything out ---- */

static size_t last_level_bytes(void)
{
    static const int levels[] = {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE,
                                 _SC_LEVEL2_CACHE_SIZE};

    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        if (sysconf(levels[i]) > 0)
            return (size_t)sysconf(levels[i]);
    return 0;
}

/* Four times: victims are not chosen in strict order. */
static size_t larger_than_caches(void)
{
    size_t bytes = 4 * last_level_bytes();

    if (bytes < SWEEP_MIN)
        return SWEEP_MIN;
    return bytes < SWEEP_MAX ? bytes : SWEEP_MAX;
}

/* 65536 instructions that do nothing: 64 KiB and more, as large as any first-level
 * instruction cache. */
__attribute__((noinline)) static void run_other_code(void)
{
    __asm__ volatile(".rept 65536\n\tnop\n\t.endr");
}

static void sweep(void)
{
    static char *volatile area;
    static size_t bytes;
    unsigned sum = 0;

    if (!area) {
        bytes = larger_than_caches();
        area = must_alloc(bytes, 1);
        memset(area, 1, bytes);
    }
    for (size_t i = 0; i < bytes; i += CACHES_LINE)
        sum += (unsigned char)area[i];
    __asm__ volatile("" : : "r"(sum));
    run_other_code();
}

/* ---- does it work? ---- */

/* Lines that lead to one another in an order no prefetcher guesses. */
static void **probe_make(char *area)
{
    for (unsigned i = 0; i < PROBE_LINES; i++) {
        void *next = area + (size_t)((i * 37 + 11) % PROBE_LINES) * PROBE_APART;

        memcpy(area + (size_t)(i * 37 % PROBE_LINES) * PROBE_APART, &next, sizeof(next));
    }
    return (void **)area;
}

static long long probe_walk_ns(void **at)
{
    long long start = now_ns();

    for (int i = 0; i < PROBE_LINES; i++)
        at = *at;
    __asm__ volatile("" : : "r"(at) : "memory");
    return now_ns() - start;
}

/* Walks a chain of lines, flushed or not; the least of a few. */
static long long probe_ns(char *area, bool flushed, bool by_line)
{
    void **first = probe_make(area);
    long long min = LLONG_MAX, spent;

    for (int i = 0; i < 5; i++) {
        probe_walk_ns(first);
        if (flushed && by_line)
            flush_lines(area, area + (size_t)PROBE_LINES * PROBE_APART, false);
        else if (flushed)
            sweep();
        spent = probe_walk_ns(first);
        min = spent < min ? spent : min;
    }
    return min;
}

/* How caches are emptied here, and the proof: the probe's walk in caches and after. */
struct flusher {
    bool data, code, by_line;
    long long warm_ns, flushed_ns;
};

static struct flusher flusher_choose(bool data, bool code)
{
    struct flusher flusher = {
        .data = data, .code = code, .by_line = line_flusher() != NULL};
    char *area = must_alloc(PROBE_LINES + 1, PROBE_APART);

    flusher.warm_ns = probe_ns(area, false, false);
    flusher.flushed_ns = probe_ns(area, true, flusher.by_line);
    if (flusher.by_line && flusher.flushed_ns < FLUSHED_IS_SLOWER * flusher.warm_ns) {
        flusher.by_line = false;
        flusher.flushed_ns = probe_ns(area, true, false);
    }
    free(area);
    return flusher;
}

/*
 * All code of the program and its libraries, since what the kernel calls is code of it
 * too, but not what times the sample. Nor can that be flushed and warmed again: a run of
 * it without calls makes processors fetch the kernel's code ahead, by a guess. The clock
 * is the system's (vdso), and where it is called from is warm when it is read again.
 */
#define NEVER_FLUSHED __attribute__((section("inflight_timing"), noinline, aligned(64)))
extern const char __start_inflight_timing[], __stop_inflight_timing[];

static void flush_code(const char *from, const char *to)
{
    const char *hole = __start_inflight_timing, *behind = __stop_inflight_timing;

    behind += (CACHES_LINE - (size_t)behind % CACHES_LINE) % CACHES_LINE;
    if (hole < from || hole >= to) {
        flush_lines(from, to, true);
        return;
    }
    flush_lines(from, hole, true);
    flush_lines(behind, to, true);
}

static int flush_code_of(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    (void)data;
    if (strstr(object->dlpi_name, "vdso"))
        return 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        const char *from = (const char *)(object->dlpi_addr + part->p_vaddr);

        if (part->p_type == PT_LOAD && part->p_flags & PF_X && part->p_flags & PF_R)
            flush_code(from, from + part->p_memsz);
    }
    return 0;
}

static void flusher_run(const struct flusher *flusher, const struct buffer *buffer)
{
    if (!flusher->data && !flusher->code)
        return;
    if (!flusher->by_line) {
        sweep();
        return;
    }
    for (size_t i = 0; flusher->data && i < inflight_table.array_nr; i++) {
        const char *from = buffer[i].data;

        flush_lines(from, from + buffer[i].bytes, false);
    }
    if (flusher->code)
        dl_iterate_phdr(flush_code_of, NULL);
}
