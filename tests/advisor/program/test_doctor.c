/*
 * What inflight doctor says of systems that are not this one: their /proc and /sys are
 * folders, the texts are tests/data/advisor/doctor/. UPDATE_GOLDEN=1 rewrites them.
 */
#include <stdlib.h>
#include <string.h>

#include "advisor/doctor/doctor.h"
#include "core/base.h"
#include "tests/check.h"

SUITE(advisor_doctor);

static const char folder[] = INFLIGHT_SOURCE_DIR "/tests/data/advisor/doctor";

struct file {
    const char *path, *text;
};

#define CLOCKS      "sys/devices/system/clocksource/clocksource0/"
#define THP         "sys/kernel/mm/transparent_hugepage/enabled"
#define FREE_16_GIB "MemTotal: 33554432 kB\nMemAvailable: 16777216 kB\n"

/* A workstation as distributions set it up. */
static const struct file workstation[] = {
    {"sys/bus/event_source/devices/cpu/type", "4\n"},
    {"proc/sys/kernel/perf_event_paranoid", "4\n"},
    {"proc/cpuinfo", "processor : 0\nflags\t\t: fpu vme sse2 avx2\n"},
    {THP, "always [madvise] never\n"},
    {"proc/self/cgroup", "0::/user.slice\n"},
    {"proc/self/status", "Name:\tdoctor\nCpus_allowed_list:\t0-15\n"},
    {"sys/devices/system/cpu/online", "0-15\n"},
    {"sys/devices/system/cpu/smt/control", "on\n"},
    {CLOCKS "current_clocksource", "tsc\n"},
    {"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"},
    {"sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"},
    {"proc/stat", "cpu  1000 0 1000 98000 0 0 0 0 0 0\n"},
    {"proc/meminfo", FREE_16_GIB},
    {"proc/sys/vm/mmap_rnd_bits", "32\n"},
    {"proc/sys/kernel/yama/ptrace_scope", "1\n"},
    {"proc/self/limits", "Limit Soft Hard Units\nMax stack size   8388608   "
                         "unlimited   bytes\n"},
    {"proc/self/mounts", "/dev/sda1 / ext4 rw 0 0\ntmpfs /tmp tmpfs rw,nosuid 0 0\n"},
    {0}};

/* docker run --cpus=1.5 --memory=1g, in a guest of a busy host. */
static const struct file container[] = {
    {"proc/cpuinfo", "processor : 0\nflags\t\t: fpu sse2 hypervisor avx2\n"},
    {THP, "always [madvise] never\n"},
    {"proc/self/cgroup", "0::/\n"},
    {"sys/fs/cgroup/cpu.max", "150000 100000\n"},
    {"sys/fs/cgroup/memory.max", "1073741824\n"},
    {"sys/fs/cgroup/memory.current", "268435456\n"},
    {"sys/fs/cgroup/memory.stat", "inactive_file 0\n"},
    {"proc/self/status", "Cpus_allowed_list:\t2-3,7\n"},
    {"sys/devices/system/cpu/online", "0-7\n"},
    {"sys/devices/system/cpu/smt/control", "notsupported\n"},
    {CLOCKS "current_clocksource", "kvm-clock\n"},
    {"proc/stat", "cpu  1000 0 1000 6000 0 0 0 2000 0 0\n"},
    {"proc/meminfo", FREE_16_GIB},
    {"proc/self/mounts", "overlay / overlay rw 0 0\n"},
    {0}};

/* A hardened server: nothing runs from /tmp, homes lie elsewhere. */
static const struct file hardened[] = {
    {"sys/bus/event_source/devices/cpu/type", "4\n"},
    {"proc/sys/kernel/perf_event_paranoid", "-1\n"},
    {THP, "always madvise [never]\n"},
    {"proc/self/status", "Cpus_allowed_list:\t0-3\n"},
    {"sys/devices/system/cpu/online", "0-3\n"},
    {"sys/devices/system/cpu/smt/control", "off\n"},
    {CLOCKS "current_clocksource", "hpet\n"},
    {CLOCKS "available_clocksource", "hpet acpi_pm\n"},
    {"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"},
    {"sys/devices/system/cpu/cpufreq/boost", "0\n"},
    {"proc/meminfo", "MemAvailable: 524288 kB\n"},
    {"proc/sys/vm/mmap_rnd_bits", "28\n"},
    {"proc/sys/kernel/yama/ptrace_scope", "3\n"},
    {"proc/self/limits", "Max stack size            1048576    1048576    bytes\n"},
    {"proc/self/mounts",
     "/dev/sda1 / ext4 rw 0 0\ntmpfs /tmp tmpfs rw,nosuid,noexec 0 0\n"
     "filer:/home /home\\040here nfs4 rw,vers=4.2 0 0\n"},
    {0}};

/* The kernel tells nothing at all. */
static const struct file silent[] = {{0}};

/* Kernels whose clock can be set, and whose boost is of the other kind. */
static const struct file old[] = {
    {"sys/bus/event_source/devices/cpu_core/type", "4\n"},
    {"proc/sys/kernel/perf_event_paranoid", "2\n"},
    {THP, "[always] madvise never\n"},
    {"sys/devices/system/cpu/smt/control", "forceoff\n"},
    {CLOCKS "current_clocksource", "acpi_pm\n"},
    {CLOCKS "available_clocksource", "hpet tsc acpi_pm\n"},
    {"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "ondemand\n"},
    {"sys/devices/system/cpu/cpufreq/boost", "1\n"},
    {"proc/meminfo", FREE_16_GIB},
    {"proc/sys/kernel/yama/ptrace_scope", "2\n"},
    {"proc/self/limits", "Max stack size            unlimited  unlimited  bytes\n"},
    {"proc/self/mounts", "broken\n/dev/sda1 / ext4 rw,noexec 0 0\n"
                         "tmpfs /tmp tmpfs rw,exec 0 0\n"},
    {0}};

static void write_file(const char *root, const struct file *file)
{
    char *path = path_join(root, file->path), *dir = xstrdup(path);
    struct error err = {0};

    *strrchr(dir, '/') = '\0';
    check_ok(dir_make_all(dir, &err), &err);
    check_ok(file_write(path, file->text, strlen(file->text), &err), &err);
    free(dir);
    free(path);
}

static bool look(const struct file *file, struct doctor *doctor)
{
    struct error err = {0};
    char *root = NULL;

    if (!check_ok(scratch_make(&root, &err), &err))
        return false;
    for (; file->path; file++)
        write_file(root, file);
    doctor_system(doctor, root, "/tmp", "/home here/me/.local/share/inflight/s.db");
    scratch_remove(root);
    return true;
}

static void check_width(const char *text, size_t columns)
{
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        check(strcspn(line, "\n") <= columns || strstr(line, "root: ") ||
              strstr(line, "remedy: "));
}

static void check_system(const char *name, const struct file *file, size_t missing)
{
    struct doctor doctor = {0};
    struct buf text = {0}, narrow = {0};
    char *path = xasprintf("%s/%s.txt", folder, name);

    if (look(file, &doctor)) {
        doctor_text(&doctor, false, 80, &text);
        doctor_text(&doctor, false, 60, &narrow);
        check_golden(path, buf_str(&text));
        check_width(buf_str(&text), 80);
        check_width(buf_str(&narrow), 60);
        check_eq(doctor.missing, missing);
    }
    buf_release(&text);
    buf_release(&narrow);
    doctor_release(&doctor);
    free(path);
}

TEST("systems that are not this one")
{
    check_system("workstation", workstation, 0);
    check_system("container", container, 0);
    check_system("hardened", hardened, 1);
    check_system("silent", silent, 0);
    check_system("old", old, 0);
}

/* All of it, for programs. */
TEST("the document")
{
    struct doctor doctor = {0};
    const json_t *finding;
    json_t *document;
    size_t i, remedies = 0;

    if (!look(hardened, &doctor))
        return;
    document = doctor_json(&doctor);
    check_str(json_string_value(json_object_get(document, "schema")),
              "inflight.doctor/1");
    check(json_is_false(json_object_get(document, "usable")));
    json_array_foreach(json_object_get(document, "findings"), i, finding) {
        check(json_is_string(json_object_get(finding, "what")));
        check(json_is_string(json_object_get(finding, "state")));
        check(json_is_string(json_object_get(finding, "finding")));
        check(json_is_boolean(json_object_get(finding, "as_root")));
        remedies += json_is_string(json_object_get(finding, "remedy"));
    }
    check(remedies >= 4);
    json_decref(document);
    doctor_release(&doctor);
}

TEST("nothing in the way")
{
    struct doctor doctor = {0};
    struct buf text = {0};

    doctor_add(&doctor, DOCTOR_OK, "rules", (struct remedy){0}, "%d rules", 3);
    doctor_text(&doctor, true, 80, &text);
    check_str(buf_str(&text), "\033[32mok      \033[0mrules           3 rules\n\n"
                              "inflight can tune here, with nothing in its way\n");
    buf_release(&text);
    doctor_release(&doctor);
}
