/* What can be read of the system, and what helps. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/doctor/doctor.h"
#include "core/base/buf.h"
#include "core/base/text.h"
#include "core/machine/machine.h"

/* ---- mounts ---- */

/* On what file systems programs are built and the database lies. */

/* Mount tables write a blank as \040. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        if (from[0] == '\\' && isdigit((unsigned char)from[1]) && from[2] && from[3]) {
            *to = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = 0;
}

static bool lies_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return !strcmp(folder, "/") ||
           (!strncmp(path, folder, length) && (!path[length] || path[length] == '/'));
}

struct mount {
    char place[1024], type[64], options[1024];
};

/* The mount that the path lies on: the longest, of equal ones the last. */
static bool find_mount(const char *root, const char *path, struct mount *found)
{
    char *whole = xasprintf("%s/proc/self/mounts", root);
    struct buf text = {0};
    size_t longest = 0;
    if (!file_read(whole, &text, NULL))
        for (const char *line = buf_str(&text); line && *line;
             line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
            struct mount mount;
            if (sscanf(line, "%*s %1023s %63s %1023s", mount.place, mount.type,
                       mount.options) != 3)
                continue;
            unescape(mount.place);
            if (!lies_below(path, mount.place) || strlen(mount.place) < longest)
                continue;
            longest = strlen(mount.place);
            *found = mount;
        }
    buf_release(&text);
    free(whole);
    return longest > 0;
}

static bool has_option(const char *options, const char *name)
{
    size_t length = strlen(name);
    for (; options; options = strchr(options, ',') ? strchr(options, ',') + 1 : NULL)
        if (!strncmp(options, name, length) &&
            (!options[length] || options[length] == ','))
            return true;
    return false;
}

static void look_at_scratch(struct doctor *doctor, const char *root, const char *scratch)
{
    struct mount mount;
    if (find_mount(root, scratch, &mount) && has_option(mount.options, "noexec"))
        doctor_add(doctor, DOCTOR_MISSING, "scratch space",
                   (struct remedy){"mkdir -p ~/.cache/inflight-tmp && export "
                                   "TMPDIR=~/.cache/inflight-tmp",
                                   false},
                   "'%s' is mounted noexec: the variants that are built there cannot be "
                   "started",
                   mount.place);
}

/* SQLite needs locks that other machines see. */
static void look_at_network(struct doctor *doctor, const char *root, const char *database)
{
    static const char *const remote[] = {"nfs",    "nfs4",   "cifs",       "smb3",
                                         "ceph",   "lustre", "fuse.sshfs", "afs",
                                         "beegfs", "gpfs"};
    struct mount mount;
    if (!database || !find_mount(root, database, &mount))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(remote); i++)
        if (!strcmp(mount.type, remote[i]))
            doctor_add(
                doctor, DOCTOR_LIMITED, "database",
                (struct remedy){"mkdir -p -m 700 /var/tmp/inflight-$USER && export "
                                "INFLIGHT_DATABASE=/var/tmp/inflight-$USER/"
                                "sessions.db",
                                false},
                "'%s' lies on a network file system (%s at '%s'), where locks may "
                "not hold: two simultaneous sessions could be merged into one",
                database, mount.type, mount.place);
}

/* Its last part: the mounts that these two lie on. */
static void doctor_mounts(struct doctor *doctor, const char *root, const char *scratch,
                          const char *database)
{
    look_at_scratch(doctor, root, scratch);
    look_at_network(doctor, root, database);
}

/* ---- doctor system ---- */

static const struct remedy none = {0};

/* ---- reading ---- */

/* The first line of a file below root, without its end; false = it cannot be read. */
static bool read_line(const char *root, const char *path, struct buf *out)
{
    char *whole = xasprintf("%s%s", root, path);
    buf_reset(out);
    bool there = file_read(whole, out, NULL) == 0;
    if (there)
        buf_truncate(out, strcspn(buf_str(out), "\n"));
    free(whole);
    return there;
}

static bool read_number(const char *root, const char *path, double *number)
{
    struct buf line = {0};
    char *end = NULL;
    bool there = read_line(root, path, &line);
    if (there) {
        *number = strtod(buf_str(&line), &end);
        there = end != buf_str(&line);
    }
    buf_release(&line);
    return there;
}

static bool exists(const char *root, const char *path)
{
    char *whole = xasprintf("%s%s", root, path);
    bool there = file_exists(whole);
    free(whole);
    return there;
}

/* What stands behind `key` at the start of a line of the file; caller frees; NULL = it is
 * not there. */
static char *field_of(const char *root, const char *path, const char *key)
{
    char *whole = xasprintf("%s%s", root, path), *value = NULL;
    struct buf text = {0};
    if (!file_read(whole, &text, NULL))
        for (const char *line = buf_str(&text); line && *line && !value;
             line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
            const char *at = line + strlen(key);
            if (strncmp(line, key, strlen(key)))
                continue;
            at += strspn(at, " \t:");
            value = xasprintf("%.*s", (int)strcspn(at, "\n"), at);
        }
    buf_release(&text);
    free(whole);
    return value;
}

static bool is_virtual(const char *root)
{
    char *flags = field_of(root, "/proc/cpuinfo", "flags");
    bool yes = flags && strstr(flags, " hypervisor");
    free(flags);
    return yes;
}

/* ---- counters ---- */

static bool has_pmu(const char *root)
{
    static const char *const device[] = {"cpu", "cpu_core", "armv8_pmuv3_0",
                                         "armv8_pmuv3", "armv9_pmuv3_0"};
    bool found = false;
    for (size_t i = 0; i < ARRAY_SIZE(device); i++) {
        char *path = xasprintf("/sys/bus/event_source/devices/%s/type", device[i]);
        found = found || exists(root, path);
        free(path);
    }
    return found;
}

static void look_at_pmu(struct doctor *doctor, const char *root)
{
    static const char otherwise[] = "the cache model on traced accesses is used instead";
    double paranoid = 0;
    if (!has_pmu(root))
        doctor_add(doctor, DOCTOR_LIMITED, "counters", none,
                   "this %s exposes no hardware counters, and nothing inside it can "
                   "change that; %s",
                   is_virtual(root) ? "virtual machine" : "machine", otherwise);
    else if (!read_number(root, "/proc/sys/kernel/perf_event_paranoid", &paranoid))
        doctor_add(doctor, DOCTOR_LIMITED, "counters", none,
                   "this kernel was built without performance events; %s", otherwise);
    else if (paranoid > 0)
        doctor_add(doctor, DOCTOR_LIMITED, "counters",
                   (struct remedy){"sysctl kernel.perf_event_paranoid=-1", true},
                   "kernel.perf_event_paranoid is %.0f: a user may not count memory "
                   "traffic; %s (a line of /etc/sysctl.d/ keeps the remedy)",
                   paranoid, otherwise);
    else
        doctor_add(doctor, DOCTOR_OK, "counters", none,
                   "the kernel lets users count (kernel.perf_event_paranoid is %.0f)",
                   paranoid);
}

/* ---- pages ---- */

static void look_at_pages(struct doctor *doctor, const char *root)
{
    static const char path[] = "/sys/kernel/mm/transparent_hugepage/enabled";
    struct buf mode = {0};
    if (!read_line(root, path, &mode))
        doctor_add(doctor, DOCTOR_LIMITED, "huge pages", none,
                   "this kernel was built without transparent huge pages, so their "
                   "effect cannot be measured");
    else if (strstr(buf_str(&mode), "[never]"))
        doctor_add(
            doctor, DOCTOR_LIMITED, "huge pages",
            (struct remedy){"echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
                            true},
            "transparent huge pages are off, so their effect cannot be measured");
    else
        doctor_add(doctor, DOCTOR_OK, "huge pages", none, "transparent huge pages: %s",
                   buf_str(&mode));
    buf_release(&mode);
}

/* ---- processors ---- */

/* How many CPUs a list such as "0-3,8" names; 0 = it is none. */
static long cpus_in(const char *list)
{
    long nr = 0, low, high;
    while (list && range_next(&list, &low, &high) > 0)
        nr += high - low + 1;
    return nr;
}

static void look_at_allowed(struct doctor *doctor, const char *root)
{
    char *allowed = field_of(root, "/proc/self/status", "Cpus_allowed_list");
    struct buf online = {0};
    bool known =
        read_line(root, "/sys/devices/system/cpu/online", &online) && cpus_in(allowed);
    char *command = xasprintf("taskset -c %s inflight ...", buf_str(&online));
    if (known && cpus_in(allowed) < cpus_in(buf_str(&online)))
        doctor_add(doctor, DOCTOR_LIMITED, "pinning", (struct remedy){command, false},
                   "only CPUs %s of %s may be used (taskset, cpuset or a container's "
                   "--cpuset-cpus): memory is not loaded as the whole machine would load "
                   "it; if the limit is the container's, start it without that limit",
                   allowed, buf_str(&online));
    free(command);
    free(allowed);
    buf_release(&online);
}

static void look_at_quota(struct doctor *doctor, const char *root)
{
    double processors = group_processors(root);
    if (isinf(processors))
        doctor_add(doctor, DOCTOR_OK, "CPU quota", none,
                   "no control group limits the processor time");
    else
        doctor_add(
            doctor, DOCTOR_LIMITED, "CPU quota", none,
            "a control group allows %.3g processors: when they are used up, "
            "everything stands still for the rest of 0.1 s. Start the container "
            "without --cpus, or on whole CPUs: docker run --cpuset-cpus=0-%d; of a "
            "systemd unit unset CPUQuota=",
            processors, processors >= 2 ? (int)processors - 1 : 0);
}

static void look_at_smt(struct doctor *doctor, const char *root)
{
    struct buf control = {0};
    bool known = read_line(root, "/sys/devices/system/cpu/smt/control", &control);
    const char *word = buf_str(&control);
    if (known && !strcmp(word, "off"))
        doctor_add(doctor, DOCTOR_LIMITED, "SMT",
                   (struct remedy){"echo on > /sys/devices/system/cpu/smt/control", true},
                   "hardware threads are switched off: advice on them is given but "
                   "cannot be tried");
    else if (known && !strcmp(word, "forceoff"))
        doctor_add(doctor, DOCTOR_LIMITED, "SMT", none,
                   "hardware threads are switched off by the kernel's command line "
                   "(nosmt=force in /etc/default/grub): advice on them is given but "
                   "cannot be tried");
    else if (known && !strcmp(word, "on"))
        doctor_add(doctor, DOCTOR_OK, "SMT", none,
                   "hardware threads are on: --try smt can try them");
    else
        doctor_add(
            doctor, DOCTOR_OK, "SMT", none,
            "one hardware thread per core: advice to use more cannot be tried here");
    buf_release(&control);
}

/* ---- time ---- */

static bool is_good_clock(const char *source)
{
    static const char *const good[] = {"tsc", "kvm-clock", "arch_sys_counter",
                                       "hyperv_clocksource_tsc_page"};
    for (size_t i = 0; i < ARRAY_SIZE(good); i++)
        if (!strcmp(good[i], source))
            return true;
    return false;
}

static void look_at_clock(struct doctor *doctor, const char *root)
{
    static const char current[] = "/sys/devices/system/clocksource/clocksource0/"
                                  "current_clocksource",
                      available[] = "/sys/devices/system/clocksource/clocksource0/"
                                    "available_clocksource";
    struct buf source = {0}, others = {0};
    bool known = read_line(root, current, &source), offered = false;
    if (read_line(root, available, &others))
        for (const char *at = buf_str(&others); (at = strstr(at, "tsc")); at += 3)
            offered = offered || ((at == buf_str(&others) || at[-1] == ' ') &&
                                  (!at[3] || at[3] == ' '));
    char *command = xasprintf("echo tsc > %s", current);
    if (!known)
        doctor_add(doctor, DOCTOR_LIMITED, "clock source", none,
                   "the kernel does not say which clock it reads");
    else if (is_good_clock(buf_str(&source)))
        doctor_add(doctor, DOCTOR_OK, "clock source", none, "%s", buf_str(&source));
    else
        doctor_add(doctor, DOCTOR_LIMITED, "clock source",
                   offered ? (struct remedy){command, true} : none,
                   "the clock is %s, which is slow to read, so short kernels are timed "
                   "less exactly%s",
                   buf_str(&source),
                   offered ? ""
                           : "; the kernel does not trust the TSC here (dmesg | grep -i "
                             "tsc says why; tsc=reliable on its command line overrules "
                             "it)");
    free(command);
    buf_release(&source);
    buf_release(&others);
}

static void look_at_governor(struct doctor *doctor, const char *root)
{
    struct buf governor = {0};
    if (!read_line(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
                   &governor))
        doctor_add(doctor, DOCTOR_OK, "frequency", none,
                   "this system does not scale it itself%s",
                   is_virtual(root) ? " (a virtual machine: its host may)" : "");
    else if (!strcmp(buf_str(&governor), "performance"))
        doctor_add(doctor, DOCTOR_OK, "frequency", none, "governor performance");
    else
        doctor_add(doctor, DOCTOR_LIMITED, "frequency",
                   (struct remedy){"for f in /sys/devices/system/cpu/cpu*/cpufreq/"
                                   "scaling_governor; do echo performance > $f; done",
                                   true},
                   "governor %s: cores start slowly, so intervals are wider",
                   buf_str(&governor));
    buf_release(&governor);
}

static void look_at_turbo(struct doctor *doctor, const char *root)
{
    static const char intel[] = "/sys/devices/system/cpu/intel_pstate/no_turbo",
                      others[] = "/sys/devices/system/cpu/cpufreq/boost";
    double value = 0;
    const char *command = NULL;
    if (read_number(root, intel, &value))
        command =
            value == 0 ? "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo" : NULL;
    else if (read_number(root, others, &value))
        command = value != 0 ? "echo 0 > /sys/devices/system/cpu/cpufreq/boost" : NULL;
    else
        return;
    if (command)
        doctor_add(doctor, DOCTOR_LIMITED, "turbo", (struct remedy){command, true},
                   "on: the clock rate varies with heat and with the number of busy "
                   "cores; what is compared runs in turn, so gains hold, but times vary");
    else
        doctor_add(doctor, DOCTOR_OK, "turbo", none, "off");
}

/* Of all time since the start: what the hypervisor gave to others. */
static void look_at_steal(struct doctor *doctor, const char *root)
{
    enum { FIELDS = 8, STEAL = 7 };
    char *line = field_of(root, "/proc/stat", "cpu "), *at = line;
    double all = 0, stolen = 0;
    for (int i = 0; at && i < FIELDS; i++) {
        char *end;
        double ticks = strtod(at, &end);
        if (end == at)
            break;
        all += ticks;
        stolen = i == STEAL ? ticks : stolen;
        at = end;
    }
    if (all > 0 && stolen > 0.01 * all)
        doctor_add(doctor, DOCTOR_LIMITED, "stolen time", none,
                   "the hypervisor gave %.0f %% of the processors' time to other guests: "
                   "disturbed samples are repeated, and intervals are wider",
                   100 * stolen / all);
    free(line);
}

/* ---- memory ---- */

/* The test kernels that miss every cache have 1 GiB; a fifth is left to others. */
static const double memory_wanted = 1073741824 / 0.8;

static void look_at_memory(struct doctor *doctor, const char *root)
{
    char *line = field_of(root, "/proc/meminfo", "MemAvailable");
    double machine = line ? 1024 * strtod(line, NULL) : INFINITY,
           group = group_bytes_left(root), bytes = fmin(machine, group);
    free(line);
    if (isinf(bytes))
        doctor_add(doctor, DOCTOR_LIMITED, "memory", none,
                   "the kernel does not say how much is free");
    else if (bytes >= memory_wanted)
        doctor_add(doctor, DOCTOR_OK, "memory", none, "%.1f GiB are free",
                   bytes / 1073741824);
    else
        doctor_add(doctor, DOCTOR_LIMITED, "memory", none,
                   "%.2f GiB are free%s, kernels that miss every cache need 1.25: %s",
                   bytes / 1073741824,
                   group < machine ? " within the limit of a control group" : "",
                   group < machine ? "start the container with --memory=4g, or set "
                                     "smaller sizes (--set n=...)"
                                   : "end other programs, or set smaller sizes (--set "
                                     "n=...)");
}

/* ---- what programs may do ---- */

static void look_at_randomisation(struct doctor *doctor, const char *root)
{
    enum { MAX = 28 }; /* what the thread sanitizer of gcc 12 and clang 14 bears */
    double bits = 0;
    if (read_number(root, "/proc/sys/vm/mmap_rnd_bits", &bits) && bits > MAX)
        doctor_add(doctor, DOCTOR_LIMITED, "addresses",
                   (struct remedy){"sysctl vm.mmap_rnd_bits=28", true},
                   "vm.mmap_rnd_bits is %.0f: programs under sanitizers of older "
                   "compilers stop at once, so variants are checked without them",
                   bits);
}

static void look_at_stepping(struct doctor *doctor, const char *root)
{
    double scope = 0;
    if (read_number(root, "/proc/sys/kernel/yama/ptrace_scope", &scope) && scope >= 2)
        doctor_add(doctor, DOCTOR_LIMITED, "stepping",
                   scope < 3 ? (struct remedy){"sysctl kernel.yama.ptrace_scope=1", true}
                             : none,
                   "kernel.yama.ptrace_scope is %.0f: instructions are not counted by "
                   "stepping%s",
                   scope, scope < 3 ? "" : ", and this can be changed only by a restart");
}

static void look_at_stack(struct doctor *doctor, const char *root)
{
    const double wanted_bytes = 8388608;
    char *line = field_of(root, "/proc/self/limits", "Max stack size"), *end = NULL;
    double bytes = line && isdigit((unsigned char)*line) ? strtod(line, &end) : INFINITY,
           max = end ? strtod(end, NULL) : INFINITY; /* 0: it says unlimited */
    bool can = max == 0 || max >= wanted_bytes;
    if (bytes < wanted_bytes)
        doctor_add(doctor, DOCTOR_LIMITED, "stack",
                   can ? (struct remedy){"ulimit -s 8192", false} : none,
                   "the stack is limited to %.0f KiB: kernels with large local arrays "
                   "crash%s",
                   bytes / 1024,
                   can ? ""
                       : "; the hard limit is set in /etc/security/limits.conf (stack), "
                         "or by --ulimit stack= of the container");
    free(line);
}

void doctor_system(struct doctor *doctor, const char *root, const char *scratch,
                   const char *database)
{
    look_at_pmu(doctor, root);
    look_at_pages(doctor, root);
    look_at_quota(doctor, root);
    look_at_allowed(doctor, root);
    look_at_smt(doctor, root);
    look_at_clock(doctor, root);
    look_at_governor(doctor, root);
    look_at_turbo(doctor, root);
    look_at_steal(doctor, root);
    look_at_memory(doctor, root);
    look_at_randomisation(doctor, root);
    look_at_stepping(doctor, root);
    look_at_stack(doctor, root);
    doctor_mounts(doctor, root, scratch, database);
}
