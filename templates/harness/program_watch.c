/*
 * Was this sample disturbed? Told from causes only, never from how long the sample took:
 * repeating slow samples would make every kernel look faster than it is.
 *
 * Thresholds follow from what an event costs and from how long a sample was planned to
 * take (known before it begins). An involuntary switch gives the core away for up to a
 * time slice (3 ms): one in 100 ms is tolerated, and any number where they took less than
 * a fiftieth of the time, which is no part of what was measured (a thread of the kernel
 * is away again within 0.05 ms). A minor page fault costs about 1 us: one in 1 ms is
 * tolerated beyond what the kernel itself always causes. Stolen time comes in ticks of 10
 * ms: one in 0.5 s is tolerated. Major faults wait for a disk: none is tolerated. The
 * reference loop is compared with what it usually takes here, not with the least ever
 * seen, which on a core whose clock wanders by 3 % is 6 % off: 5 % above the lower
 * quartile is another clock or a busy sibling.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

enum {
    SWITCHED = 1 << 0,
    FAULTED = 1 << 1,
    STOLEN = 1 << 2,
    SLOWED = 1 << 3,
    APART = 1 << 4 /* of pairs */
};
enum {
    SWITCH_EVERY_NS = 100000000,
    WAITED_PART = 50,
    FAULT_EVERY_NS = 1000000,
    TICK_EVERY_NS = 500000000,
    REFERENCE_NS = 20000, /* of one loop; three stand before and three after a sample */
    REFERENCE_LOOPS = 3,
    REFERENCE_READINGS = 64, /* that tell what it usually takes */
    STAT_BYTES = 32768
};
static const double slowed_from = 1.05;

struct watch {
    const char *cpu; /* list as in --cpu; NULL = anywhere */
    double planned_ns, calls;
    double min_faults; /* minor ones a call, the least seen; negative = none seen */
    long switches, minor, major;
    long long stolen;
    int stat;
    bool slowed;
};

/* Registers only; each turn waits for the one before. */
static long long reference_loop_ns(long long turns)
{
    long long start = now_ns();
    unsigned long long x = 1;

    for (long long i = 0; i < turns; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x));
    }
    return now_ns() - start;
}

/* Of the process: the core is the same, whatever is timed on it. */
static struct {
    long long turns; /* of the loop; 0 = not found yet */
    long long ns[REFERENCE_READINGS];
    size_t nr; /* ever taken */
} reference;

static long long usual_reading_ns(void)
{
    long long sorted[REFERENCE_READINGS];
    size_t nr = reference.nr < REFERENCE_READINGS ? reference.nr : REFERENCE_READINGS;

    memcpy(sorted, reference.ns, nr * sizeof(*sorted));
    qsort(sorted, nr, sizeof(*sorted), by_size);
    return sorted[nr / 4];
}

/* The least of a few: an interrupt in one of them is no slower core. */
static bool reference_slowed(void)
{
    long long min = LLONG_MAX;

    for (int i = 0; i < REFERENCE_LOOPS; i++) {
        long long spent = reference_loop_ns(reference.turns);

        min = spent < min ? spent : min;
    }
    reference.ns[reference.nr++ % REFERENCE_READINGS] = min;
    return (double)min > slowed_from * (double)usual_reading_ns();
}

/* ---- stolen time ---- */

static bool is_listed_cpu(const char *list, long cpu)
{
    for (const char *at = list; *at; at += *at == ',') {
        char *end;

        if (strtol(at, &end, 10) == cpu)
            return true;
        at = end;
    }
    return false;
}

/* The eighth number of a line "cpu3 user nice system idle iowait irq softirq steal ..."
 */
static long long steal_of_line(const char *line)
{
    long long steal;

    if (sscanf(line, "%*s %*d %*d %*d %*d %*d %*d %*d %lld", &steal) == 1)
        return steal;
    return 0;
}

/* Ticks stolen from our cpus, or from all when we are not bound to any. */
static long long stolen_ticks(const struct watch *watch)
{
    static char text[STAT_BYTES];
    ssize_t got = watch->stat >= 0 ? pread(watch->stat, text, sizeof(text) - 1, 0) : -1;
    long long ticks = 0;

    if (got <= 0)
        return 0;
    text[got] = '\0';
    for (char *line = text; strncmp(line, "cpu", 3) == 0;) {
        bool is_sum = line[3] == ' ';
        char *end = strchr(line, '\n');

        if (watch->cpu ? !is_sum && is_listed_cpu(watch->cpu, atol(line + 3)) : is_sum)
            ticks += steal_of_line(line);
        if (!end)
            break;
        line = end + 1;
    }
    return ticks;
}

/* ---- the time that it really ran ---- */

/* Clocks that stand still while something else has the processor. */
struct ran {
    long long thread_ns, process_ns;
    long long delay_ns; /* of several: all that were ready and without a processor */
    long pauses;        /* of its own will: it may have waited for something */
};

/* What a stretch of the clock on the wall was made of. */
struct spent {
    long long ns;        /* without `waited_ns`, unless that is part of it */
    long long waited_ns; /* ready to run, and something else had the processor */
    bool inside;         /* who waited for whom cannot be told: `ns` holds it */
};

static long long clock_ns(clockid_t which)
{
    struct timespec now;

    return clock_gettime(which, &now) ? 0 : now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* The second number of /proc/self/task/ID/schedstat; 0 where the kernel counts none. */
static long long delay_of_task(DIR *tasks, const char *id)
{
    char path[64], text[96];
    long long delay = 0;
    ssize_t got = -1;
    int fd;

    snprintf(path, sizeof(path), "%.20s/schedstat", id);
    fd = openat(dirfd(tasks), path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        got = read(fd, text, sizeof(text) - 1);
        close(fd);
    }
    if (got > 0) {
        text[got] = '\0';
        sscanf(text, "%*d %lld", &delay);
    }
    return delay;
}

static long long delay_of_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    long long delay = 0;

    for (struct dirent *task; tasks && (task = readdir(tasks));)
        if (task->d_name[0] != '.')
            delay += delay_of_task(tasks, task->d_name);
    if (tasks)
        closedir(tasks);
    return delay;
}

static bool has_threads(void)
{
    struct stat tasks;

    return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 3;
}

static struct ran ran_so_far(void)
{
    struct ran ran = {.delay_ns = has_threads() ? delay_of_threads() : 0};
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    ran.pauses = usage.ru_nvcsw;
    ran.process_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    ran.thread_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return ran;
}

/*
 * One thread alone that never paused: what the clock on the wall shows beyond its own was
 * taken from it, and is no part of its time. Of several threads each may wait for one
 * that waits for a processor, so the wall's time stands, with what they waited beside it.
 */
static struct spent spent_between(const struct ran *from, const struct ran *to,
                                  long long wall_ns)
{
    long long own = to->thread_ns - from->thread_ns,
              others = to->process_ns - from->process_ns - own,
              delay = to->delay_ns - from->delay_ns, waited = wall_ns - own;

    if (others > wall_ns / 20 || to->pauses > from->pauses) {
        waited = others > wall_ns / 20 ? delay : waited;
        waited = waited < 0 ? 0 : waited > wall_ns ? wall_ns : waited;
        return (struct spent){wall_ns, waited, true};
    }
    waited = waited < 0 || own <= 0 ? 0 : waited;
    return (struct spent){wall_ns - waited, waited, false};
}

/* ---- a sample ---- */

static void read_usage(struct watch *watch)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage); /* all threads of a parallel kernel */
    watch->switches = usage.ru_nivcsw;
    watch->minor = usage.ru_minflt;
    watch->major = usage.ru_majflt;
}

/* Once: readings of loops of another length say nothing of each other. */
static void find_reference(void)
{
    if (reference.turns)
        return;
    reference.turns = 1000;
    while (reference_loop_ns(reference.turns) < REFERENCE_NS)
        reference.turns *= 2;
}

/* With readings of what the reference loop takes. */
static struct watch watch_make(const char *cpu)
{
    struct watch watch = {
        .cpu = cpu, .min_faults = -1, .stat = open("/proc/stat", O_RDONLY | O_CLOEXEC)};

    find_reference();
    for (int i = 0; i < 10; i++)
        reference_slowed();
    watch.stolen = stolen_ticks(&watch);
    return watch;
}

/* How long the next samples are meant to take. */
static void watch_plan(struct watch *watch, double planned_ns, double calls)
{
    watch->planned_ns = planned_ns;
    watch->calls = calls;
}

/* Before all copies meet. */
static void watch_before(struct watch *watch)
{
    watch->slowed = reference_slowed();
}

/* Right before the clock is read: waiting for the others gives the core away. */
static void watch_begin(struct watch *watch)
{
    read_usage(watch);
}

static bool is_faulted(struct watch *watch, const struct watch *before)
{
    double faults = (double)(watch->minor - before->minor) / watch->calls;
    double usual = watch->min_faults;

    if (usual < 0 || faults < usual)
        watch->min_faults = faults;
    if (watch->major > before->major)
        return true;
    return usual >= 0 &&
           (faults - usual) * watch->calls > 1 + watch->planned_ns / FAULT_EVERY_NS;
}

/* What one thread waited is known, and no part of its time: what is left is that others
 * used its caches meanwhile. */
static bool is_switched(const struct watch *watch, const struct watch *before,
                        const struct spent *spent)
{
    double waited_ns = (double)spent->waited_ns;

    return (double)(watch->switches - before->switches) >
               watch->planned_ns / SWITCH_EVERY_NS &&
           (spent->inside || waited_ns * WAITED_PART > watch->planned_ns);
}

static unsigned watch_end(struct watch *watch, const struct spent *spent)
{
    struct watch before = *watch;
    unsigned causes = 0;

    read_usage(watch);
    if (is_switched(watch, &before, spent))
        causes |= SWITCHED;
    if (is_faulted(watch, &before))
        causes |= FAULTED;
    if (reference_slowed() || before.slowed)
        causes |= SLOWED;
    watch->stolen = stolen_ticks(watch);
    if ((double)(watch->stolen - before.stolen) > watch->planned_ns / TICK_EVERY_NS)
        causes |= STOLEN;
    return causes;
}
