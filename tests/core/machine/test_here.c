/* What containers allow of this machine, threads on its cores, and whether a profile is
 * of it. */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/base.h"
#include "core/machine/probe/probe.h"
#include "core/machine/profile/here.h"
#include "core/machine/topology/cgroup.h"
#include "core/machine/topology/team.h"
#include "tests/check.h"

SUITE(machine_here);

struct file {
    const char *path, *text;
};

static const struct group_case {
    struct file file[4];
    double processors, bytes;
    const char *note; /* on eight cores */
} group_cases[] = {
    {{{"proc/self/cgroup", "0::/\n"}}, INFINITY, INFINITY, NULL},
    {{{"proc/self/cgroup", "0::/\n"},
      {"sys/fs/cgroup/cpu.max", "max 100000\n"},
      {"sys/fs/cgroup/memory.max", "max\n"}},
     INFINITY,
     INFINITY,
     NULL},
    {{{"proc/self/cgroup", "0::/\n"},
      {"sys/fs/cgroup/cpu.max", "250000 100000\n"},
      {"sys/fs/cgroup/memory.max", "1073741824\n"}},
     2.5,
     1 << 30,
     "a container's quota allows 2 of 8 cores"},
    /* a group above ours is tighter */
    {{{"proc/self/cgroup", "0::/pod/box\n"},
      {"sys/fs/cgroup/pod/box/cpu.max", "600000 100000\n"},
      {"sys/fs/cgroup/pod/cpu.max", "300000 100000\n"},
      {"sys/fs/cgroup/pod/box/memory.max", "4096\n"}},
     3,
     4096,
     "a container's quota allows 3 of 8 cores"},
    {{{"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", "50000 100000\n"}},
     0.5,
     INFINITY,
     "a container's quota allows 0.5 of one core: what runs here is throttled"},
    {{{"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", "6400000 100000\n"}},
     64,
     INFINITY,
     NULL},
    /* version 1; the group that the engine names is not in our mount */
    {{{"proc/self/cgroup",
       "11:cpuset:/\n4:cpu,cpuacct:/docker/1f\n3:memory:/docker/1f\n"},
      {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "150000\n"},
      {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000\n"},
      {"sys/fs/cgroup/memory/memory.limit_in_bytes", "65536\n"}},
     3,
     65536,
     "a container's quota allows 3 of 8 cores"},
    {{{"proc/self/cgroup", "4:cpu,cpuacct:/a\n0::/\n"},
      {"sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n"},
      {"sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"}},
     INFINITY,
     INFINITY,
     NULL},
    {{{"proc/self/cgroup", "broken"}, {"sys/fs/cgroup/cpu.max", "garbage\n"}},
     INFINITY,
     INFINITY,
     NULL},
};

static void write_file(const char *root, const struct file *file)
{
    char *path = path_join(root, file->path), *folder = xstrdup(path);
    struct error err = {0};

    *strrchr(folder, '/') = '\0';
    check_ok(dir_make_all(folder, &err), &err);
    check_ok(file_write(path, file->text, strlen(file->text), &err), &err);
    free(folder);
    free(path);
}

static void check_limit(double got, double want)
{
    if (isinf(want))
        check(isinf(got));
    else
        check_near(got, want, 0);
}

static void check_group(const struct group_case *c)
{
    struct topology_source source = {.spec = "package:1 core:8 pu:2"};
    struct topology topology;
    struct error err = {0};
    char *root;

    if (!check_ok(scratch_make(&root, &err), &err))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(c->file) && c->file[i].path; i++)
        write_file(root, &c->file[i]);
    check_limit(cgroup_processors(root), c->processors);
    check_limit(cgroup_memory_bytes(root), c->bytes);
    source.cgroup_root = root;
    if (check_ok(topology_load_from(&source, &topology, &err), &err)) {
        size_t cores = c->processors < 8 ? (size_t)fmax(c->processors, 1) : 8;

        check_eq(topology.cpus.cpu_nr, cores);
        if (check_eq(topology.note.nr, c->note ? 1 : 0) && c->note)
            check_str(topology.note.v[0], c->note);
        topology_release(&topology);
    }
    scratch_remove(root);
}

TEST("quotas are respected")
{
    for (size_t i = 0; i < ARRAY_SIZE(group_cases); i++)
        check_group(&group_cases[i]);
    check(isinf(cgroup_processors("/no/such/root")));
}

/* Files that the kernel can drop are no loss; a group above ours may be fuller. */
TEST("what a group has used is gone")
{
    static const struct {
        struct file file[6];
        double left;
    } cases[] = {
        {{{"proc/self/cgroup", "0::/box\n"},
          {"sys/fs/cgroup/box/memory.max", "1000\n"},
          {"sys/fs/cgroup/box/memory.current", "700\n"},
          {"sys/fs/cgroup/box/memory.stat", "anon 300\nfile 400\nfile_mapped 9\n"}},
         700},
        {{{"proc/self/cgroup", "3:memory:/box\n"},
          {"sys/fs/cgroup/memory/box/memory.limit_in_bytes", "1000\n"},
          {"sys/fs/cgroup/memory/box/memory.usage_in_bytes", "900\n"},
          {"sys/fs/cgroup/memory/box/memory.stat", "cache 7\ntotal_cache 100\n"},
          {"sys/fs/cgroup/memory/memory.limit_in_bytes", "150\n"}},
         150},
        {{{"proc/self/cgroup", "0::/\n"},
          {"sys/fs/cgroup/memory.max", "1000\n"},
          {"sys/fs/cgroup/memory.current", "1200\n"}},
         0},
        {{{"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/memory.current", "1200\n"}},
         INFINITY},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};
        char *root;

        if (!check_ok(scratch_make(&root, &err), &err))
            return;
        for (size_t f = 0; f < ARRAY_SIZE(cases[i].file) && cases[i].file[f].path; f++)
            write_file(root, &cases[i].file[f]);
        check_limit(cgroup_memory_left_bytes(root), cases[i].left);
        scratch_remove(root);
    }
}

static size_t threads_of_this_process(void)
{
    DIR *dir = opendir("/proc/self/task");
    size_t nr = 0;

    while (dir && readdir(dir))
        nr++;
    if (dir)
        closedir(dir);
    return nr ? nr - 2 : 0; /* "." and ".." */
}

static const char big[] = "package:8 numa:1 l3:8 l2:8 core:1 pu:2"; /* 512 cores */

enum { MEETINGS = 3 };

struct meeting {
    atomic_size_t here[MEETINGS], short_of;
};

static void meet(struct team_member *member)
{
    struct meeting *meeting = member->task;

    for (int i = 0; i < MEETINGS; i++) {
        atomic_fetch_add(&meeting->here[i], 1);
        team_wait(member);
        if (atomic_load(&meeting->here[i]) != member->team->member_nr)
            atomic_fetch_add(&meeting->short_of, 1);
    }
}

/* Nobody goes on before all are there, with as many threads as cores of a big machine. */
TEST("hundreds of threads meet")
{
    static const size_t size[] = {1, 2, 37, 512};
    struct topology topology;

    if (!check_ok(topology_load(big, &topology, NULL), NULL))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(size); i++) {
        struct meeting meeting = {0};
        struct error err = {0};

        check_ok(team_run(&topology, size[i], meet, &meeting, &err), &err);
        check_eq(atomic_load(&meeting.here[MEETINGS - 1]), size[i]);
        check_eq(atomic_load(&meeting.short_of), 0);
    }
    check_eq(threads_of_this_process(), 1);
    topology_release(&topology);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

/* With room for some stacks only. */
TEST("a team that cannot start leaves nothing")
{
    const char *const room = "VmSize:";
    struct rlimit before, tight;
    struct topology topology;
    struct meeting meeting = {0};
    struct buf status = {0};
    struct error err = {0};

    if (sanitized) {
        check_skip("address space cannot be limited under a sanitizer");
        return;
    }
    if (!check_ok(topology_load(big, &topology, &err), &err) ||
        !check_ok(file_read("/proc/self/status", &status, &err), &err))
        return;
    getrlimit(RLIMIT_AS, &before);
    tight = before;
    tight.rlim_cur =
        (rlim_t)strtoul(strstr(buf_str(&status), room) + strlen(room), NULL, 10) * 1024 +
        (64 << 20);
    check(setrlimit(RLIMIT_AS, &tight) == 0);
    check_fails(team_run(&topology, 512, meet, &meeting, &err), &err, STATUS_MISSING,
                "cannot start 512 threads");
    setrlimit(RLIMIT_AS, &before);
    check_eq(atomic_load(&meeting.here[0]), 0);
    check_eq(threads_of_this_process(), 1);
    buf_release(&status);
    topology_release(&topology);
}

/* A processor that is not there refuses for real. */
TEST("refused pinning is noted")
{
    struct topology topology;
    struct machine pinned = {0}, loose = {0};
    struct error err = {0};

    if (!check_ok(topology_load(NULL, &topology, &err), &err))
        return;
    machine_identify(&topology, &pinned);
    check_eq(pinned.note.nr, topology.note.nr);
    topology.cpus.cpu[0] = 100000;
    machine_identify(&topology, &loose);
    if (check_eq(loose.note.nr, topology.note.nr + 1))
        check_contains(loose.note.v[topology.note.nr], "threads could not be pinned (");
    check_str(loose.cpu_model, pinned.cpu_model);
    machine_release(&pinned);
    machine_release(&loose);
    topology_release(&topology);
}

/* A profile of all cores, in a container that allows one of them. */
TEST("fewer cores are told with the reason")
{
    struct machine machine = {.name = NULL};
    struct buf why = {0};
    struct topology topology;
    struct error err = {0};
    struct topology_source one = {.affinity = NULL};
    char *first;

    if (!check_ok(topology_load(NULL, &topology, &err), &err))
        return;
    machine_identify(&topology, &machine);
    check(machine_matches_here(&machine, &why));
    if (topology.cpus.cpu_nr < 2) {
        check_skip("one core");
    } else {
        first = xasprintf("%d", topology.cpus.cpu[0]);
        one.affinity = first;
        check(!machine_matches(&machine, &one, &why));
        check_contains(buf_str(&why), "1 usable here: affinity allows 1 of ");
        free(first);
    }
    buf_release(&why);
    machine_release(&machine);
    topology_release(&topology);
}

TEST("only a node that is there can be bound to")
{
    struct topology topology;
    struct error err = {0};
    size_t bytes = 1 << 20;
    void *memory = aligned_alloc(4096, bytes);

    if (check_ok(topology_load(NULL, &topology, &err), &err)) {
        check_eq(topology_bind_memory(&topology, memory, bytes, 1000), -1);
        check(topology_free_bytes(topology.node[0].os_index) >= 0);
        check_near(topology_free_bytes(1000), 0, 0);
        topology_release(&topology);
    }
    free(memory);
}

/* Ticks since the machine started: user, nice, system, idle, iowait, irq, softirq, steal.
 */
TEST("what else runs is seen")
{
    static const struct {
        const char *before, *after;
        double busy; /* NAN = not told */
    } cases[] = {
        {"cpu  100 0 50 1000 0 0 0 0 0 0\ncpu0 ...", "cpu  100 0 50 1050 0 0 0 0 0 0", 0},
        {"cpu  100 0 50 1000 0 0 0 0 0 0", "cpu  120 5 65 1010 0 0 0 0 0 0", 0.8},
        {"cpu  100 0 50 1000 0 0 0 0 0 0", "cpu  100 0 50 1040 0 0 0 10 0 0", 0.2},
        {"cpu  100 0 50 1000 5 0 0 0", "cpu  100 0 50 1010 45 0 0 0", 0},
        {"cpu  100 0 50 1000 0 0 0 0 0 0", "cpu  100 0 50 1000 0 0 0 0 0 0", NAN},
        {"cpu  100 0 50 1000 0 0 0", "cpu  100 0 50 1040 0 0 0", NAN},
        {"intr 5", "cpu  100 0 50 1040 0 0 0 0", NAN},
        {"", "", NAN},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        double busy = busy_between(cases[i].before, cases[i].after);

        if (isnan(cases[i].busy))
            check(isnan(busy));
        else
            check_near(busy, cases[i].busy, 1e-9);
    }
}
