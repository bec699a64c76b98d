/* inflight doctor: what works here, each obstacle with the remedy. What the kernel's
 * files say is in doctor_system.c; this asks compilers, cores, clock, folders. */
#define _XOPEN_SOURCE 700 /* strptime */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "advisor/cli/cli.h"
#include "advisor/doctor/doctor.h"
#include "advisor/program/commands.h"
#include "core/base/error.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/store/store.h"
#include "core/traffic/traffic.h"
#include "observe/observe.h"
#include "rules/rules.h"
#include "variants/build/build.h"
#include "variants/kernel/kernel.h"
#include "variants/model/model.h"

static const struct remedy none = {0};

/* ---- compilers ---- */

/* By the package manager that is there; "" = none that is known. */
static const char *install_words(void)
{
    static const struct {
        const char *program, *words;
    } manager[] = {{"/usr/bin/apt-get", "apt-get install -y "},
                   {"/usr/bin/dnf", "dnf install -y "},
                   {"/usr/bin/zypper", "zypper install -y "},
                   {"/usr/bin/pacman", "pacman -S --noconfirm "}};
    for (size_t i = 0; i < ARRAY_SIZE(manager); i++)
        if (file_exists(manager[i].program))
            return manager[i].words;
    return "";
}

static void add_to_install(struct doctor *doctor, enum doctor_state state,
                           const char *what, const char *package, const char *sentence)
{
    char *command = xasprintf("%s%s", install_words(), package);
    doctor_add(doctor, state, what,
               *install_words() ? (struct remedy){command, true} : none, "%s", sentence);
    free(command);
}

/* The kinds of programs that are built of every variant. */
static void look_at_programs(struct doctor *doctor, const struct toolchain *toolchain,
                             const char *scratch)
{
    static const struct {
        enum variant_program program;
        enum doctor_state state;
        const char *what, *otherwise;
    } kind[] = {
        {VARIANT_TRACE, DOCTOR_LIMITED, "tracing", "traffic is not known without it"},
        {VARIANT_ADDRESS, DOCTOR_LIMITED, "sanitizers",
         "variants are checked by their results only"},
        {VARIANT_THREADS, DOCTOR_LIMITED, "thread checks",
         "parallel variants are checked by their results only"}};
    for (size_t i = 0; i < ARRAY_SIZE(kind); i++) {
        struct error why = {0};
        if (toolchain_try(toolchain, kind[i].program, scratch, &why))
            doctor_add(doctor, kind[i].state, kind[i].what, none, "%s; %s", why.text,
                       kind[i].otherwise);
        else
            doctor_add(doctor, DOCTOR_OK, kind[i].what, none, "%s can build and run it",
                       toolchain->compiler);
    }
}

static void look_at_cplusplus(struct doctor *doctor, const struct toolchain *toolchain)
{
    struct error why = {0};
    char *compiler = NULL;
    if (toolchain_try_cplusplus(toolchain, &compiler, &why))
        add_to_install(doctor, DOCTOR_LIMITED, "C++",
                       toolchain->is_clang ? "clang-19 libstdc++-12-dev" : "g++",
                       why.text);
    else
        doctor_add(doctor, DOCTOR_OK, "C++", none, "%s compiles kernels of C++",
                   compiler);
    free(compiler);
}

static void look_at_openmp(struct doctor *doctor, const struct toolchain *toolchain,
                           const char *scratch)
{
    static const char source[] = "#include <omp.h>\n"
                                 "int main(void) { return omp_get_max_threads() < 1; }\n";
    char *file = path_join(scratch, "openmp.c"), *program = path_join(scratch, "openmp");
    const char *const argv[] = {
        toolchain->compiler, "-fopenmp", file, "-o", program, NULL};
    struct spawn_request request = {.argv = argv, .timeout_s = 60};
    struct spawn_outcome outcome = {0};
    bool works = !file_write(file, source, sizeof(source) - 1, NULL) &&
                 !spawn_run(&request, &outcome, NULL) && outcome.end == SPAWN_EXITED &&
                 outcome.code == 0;
    if (works)
        doctor_add(doctor, DOCTOR_OK, "OpenMP", none, "%s -fopenmp works",
                   toolchain->compiler);
    else
        add_to_install(
            doctor, DOCTOR_LIMITED, "OpenMP",
            toolchain->is_clang ? "libomp-dev" : "libgomp1",
            "programs with -fopenmp cannot be built: plans with 'parallel' and "
            "--try threads cannot be tried");
    spawn_outcome_release(&outcome);
    free(file);
    free(program);
}

static void look_at_compiler(struct doctor *doctor, const char *name, bool needed,
                             const char *scratch)
{
    struct toolchain toolchain = {0};
    struct error why = {0};
    if (toolchain_find(name, NULL, &toolchain, &why)) {
        add_to_install(doctor, needed ? DOCTOR_MISSING : DOCTOR_LIMITED, name, name,
                       why.text);
    } else {
        doctor_add(doctor, DOCTOR_OK, name, none, "%s", toolchain.version);
        if (needed && scratch) {
            look_at_programs(doctor, &toolchain, scratch);
            look_at_openmp(doctor, &toolchain, scratch);
            look_at_cplusplus(doctor, &toolchain);
        }
    }
    toolchain_release(&toolchain);
}

/* Kernels are read with libclang, which brings headers of its own. */
static void look_at_headers(struct doctor *doctor, const char *scratch)
{
    static const char source[] = "#include <stddef.h>\n#include <math.h>\n"
                                 "#pragma inflight kernel\n"
                                 "void scale(size_t n, double a[n])\n{\n"
                                 "    for (size_t i = 0; i < n; i++)\n"
                                 "        a[i] *= 2;\n}\n";
    char *file = path_join(scratch, "headers.c");
    struct kernel_request request = {.path = file};
    struct kernel *kernel = NULL;
    struct error why = {0};
    const char *isl = model_isl_version();
    bool works = !file_write(file, source, sizeof(source) - 1, &why) &&
                 !kernel_open(&request, &kernel, &why);
    if (works)
        doctor_add(doctor, DOCTOR_OK, "reading C", none, "libclang and %.*s",
                   (int)strcspn(isl, "\n"), isl);
    else
        add_to_install(doctor, DOCTOR_MISSING, "reading C",
                       "libc6-dev libclang-common-" INFLIGHT_LIBCLANG_MAJOR "-dev",
                       why.text);
    kernel_free(kernel);
    free(file);
}

/* ---- what counts, steps, runs ---- */

static void look_at_papi(struct doctor *doctor)
{
    struct papi_status status = {0};
    papi_probe(&status);
    doctor_add(doctor, status.usable ? DOCTOR_OK : DOCTOR_LIMITED, "PAPI", none, "%s",
               status.sentence ? status.sentence : "it could not be asked");
    papi_status_release(&status);
}

static void look_at_sampling(struct doctor *doctor)
{
    static const char command[] = "sysctl kernel.perf_event_paranoid=2";
    struct error why = {0};
    if (sample_possible(&why))
        doctor_add(doctor, DOCTOR_LIMITED, "sampling",
                   strstr(why.text, command) ? (struct remedy){command, true} : none,
                   "applications cannot be sampled (advise -- PROGRAM): %s", why.text);
    else
        doctor_add(doctor, DOCTOR_OK, "sampling", none,
                   "the kernel lets this user sample applications");
}

/* Containers may forbid it where the kernel does not. */
static void look_at_stepping(struct doctor *doctor)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        _exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0);
    if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
        WEXITSTATUS(status) == 0)
        doctor_add(doctor, DOCTOR_OK, "stepping", none,
                   "programs may be stepped through, to count instructions");
    else
        doctor_add(doctor, DOCTOR_LIMITED, "stepping", none,
                   "programs may not be stepped through, so instructions are not "
                   "counted; start the container with --cap-add=SYS_PTRACE");
}

static void look_at_cores(struct doctor *doctor)
{
    struct machine_cpus cpus = {0};
    struct error why = {0};
    if (machine_cpus(NULL, &cpus, &why)) {
        doctor_add(doctor, DOCTOR_MISSING, "cores", none, "%s", why.text);
        return;
    }
    doctor_add(
        doctor, cpus.cpu_nr > 1 ? DOCTOR_OK : DOCTOR_LIMITED, "cores", none,
        "%zu physical core%s may be used%s", cpus.cpu_nr, cpus.cpu_nr == 1 ? "" : "s",
        cpus.cpu_nr > 1 ? "" : "; with only one, a loaded machine cannot be measured");
    free(cpus.cpu);
}

static void look_at_clock(struct doctor *doctor)
{
    double min = 1, start = clock_s();
    for (int i = 0; i < 1000; i++) {
        double before = clock_s(), after = clock_s();
        while (after <= before)
            after = clock_s();
        min = after - before < min ? after - before : min;
    }
    doctor_add(doctor, min < 1e-6 ? DOCTOR_OK : DOCTOR_LIMITED, "clock", none,
               "steps of %.0f ns, %.0f ns a reading", min * 1e9,
               (clock_s() - start) / 2000 * 1e9);
}

/* The same short arithmetic again and again: how much its time varies is what neighbours
 * and clocks do. */
static void look_at_noise(struct doctor *doctor)
{
    enum { ROUNDS = 41 };
    double seconds[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        volatile double x = 1;
        double start = clock_s();
        for (int i = 0; i < 400000; i++)
            x = x * 0.999999 + 1e-6;
        seconds[r] = clock_s() - start;
    }
    struct quantity time = run_statistics(seconds, ROUNDS, PROVENANCE_CLOCK);
    double min = seconds[0], max = seconds[0];
    for (int r = 1; r < ROUNDS; r++) {
        min = seconds[r] < min ? seconds[r] : min;
        max = seconds[r] > max ? seconds[r] : max;
    }
    bool quiet = (max - min) / time.value < 0.1;
    doctor_add(doctor, quiet ? DOCTOR_OK : DOCTOR_LIMITED, "noise", none,
               "the same work of %.1f ms varies by %.0f %%%s", time.value * 1e3,
               100 * (max - min) / time.value,
               quiet ? ""
                     : "; other work shares this machine, so runs are interleaved and "
                       "repeated; end other programs");
}

/* ---- folders and files ---- */

static const char *scratch_place(void)
{
    const char *dir = getenv("TMPDIR");
    return dir && *dir ? dir : "/tmp";
}

static void look_at_space(struct doctor *doctor)
{
    const double wanted_bytes = 268435456;
    const char *dir = scratch_place();
    struct statvfs file_system;
    struct remedy elsewhere = {"export TMPDIR=/var/tmp", false};
    if (statvfs(dir, &file_system) || access(dir, W_OK | X_OK)) {
        doctor_add(doctor, DOCTOR_MISSING, "scratch space", elsewhere,
                   "'%s' is not a writable folder", dir);
        return;
    }
    double free_bytes = (double)file_system.f_bavail * (double)file_system.f_frsize;
    if (free_bytes > wanted_bytes)
        doctor_add(doctor, DOCTOR_OK, "free space", none, "%.1f GiB in '%s'",
                   free_bytes / 1073741824, dir);
    else
        doctor_add(
            doctor, DOCTOR_LIMITED, "free space", elsewhere,
            "%.0f MiB are free in '%s', and 256 are needed: set TMPDIR to another folder",
            free_bytes / 1048576, dir);
}

/* Kernel and microcode decide on page tables and on what mitigations cost. */
static bool is_newer(const char *path, time_t than)
{
    struct stat entry;
    return stat(path, &entry) == 0 && entry.st_mtime > than;
}

/* What was installed after the profile was made; NULL = nothing. */
static const char *newer_than(const struct machine *machine)
{
    struct utsname name;
    struct tm utc = {0};
    if (!machine->date || !strptime(machine->date, "%Y-%m-%dT%H:%M:%SZ", &utc) ||
        uname(&name))
        return NULL;
    time_t made = mktime(&utc) - timezone;
    char *modules = xasprintf("/lib/modules/%s/modules.builtin", name.release);
    bool kernel = is_newer(modules, made),
         microcode = is_newer("/lib/firmware/intel-ucode", made) ||
                     is_newer("/lib/firmware/amd-ucode", made);
    free(modules);
    return kernel ? "the kernel" : microcode ? "the processor's microcode" : NULL;
}

static void judge_profile(struct doctor *doctor, const char *path,
                          const struct machine *machine)
{
    struct remedy again = {"inflight machine", false};
    struct buf other = {0};
    const char *newer = newer_than(machine);
    if (!machine_matches_here(machine, &other))
        doctor_add(doctor, DOCTOR_LIMITED, "profile", again, "'%s' does not fit here: %s",
                   path, buf_str(&other));
    else if (machine->unstable)
        doctor_add(doctor, DOCTOR_LIMITED, "profile", again,
                   "'%s' was made while the machine was busy", path);
    else if (machine->quick)
        doctor_add(doctor, DOCTOR_LIMITED, "profile", again,
                   "'%s' is a quick profile: two minutes make a better one", path);
    else if (newer)
        doctor_add(doctor, DOCTOR_LIMITED, "profile", again,
                   "'%s' was made on %.10s, and %s is newer", path, machine->date, newer);
    else
        doctor_add(doctor, DOCTOR_OK, "profile", none, "'%s'", path);
    buf_release(&other);
}

static void look_at_profile(struct doctor *doctor)
{
    struct remedy make = {"inflight machine", false};
    struct machine machine = {0};
    struct error why = {0};
    char *path = NULL;
    if (machine_default_path(&path, &why))
        doctor_add(doctor, DOCTOR_MISSING, "profile",
                   (struct remedy){"export HOME=$(getent passwd $(id -un) | cut -d: -f6)",
                                   false},
                   "%s", why.text);
    else if (!file_exists(path))
        doctor_add(
            doctor, DOCTOR_LIMITED, "profile", make,
            "none yet: two minutes make one; otherwise the first tune makes a quick one");
    else if (machine_load(path, &machine, &why))
        doctor_add(doctor, DOCTOR_MISSING, "profile", make, "%s", why.text);
    else
        judge_profile(doctor, path, &machine);
    machine_release(&machine);
    free(path);
}

static char *database_path(const struct settings *settings, struct error *why)
{
    char *path = NULL;
    if (settings->database)
        return path_absolute(settings->database);
    return store_default_path(&path, why) ? NULL : path;
}

static void look_at_database(struct doctor *doctor, const char *path, struct error *why)
{
    struct store *store = NULL;
    if (!path || store_open(path, &store, why))
        doctor_add(
            doctor, DOCTOR_MISSING, "database",
            (struct remedy){"mkdir -p -m 700 /var/tmp/inflight-$USER && export "
                            "INFLIGHT_DATABASE=/var/tmp/inflight-$USER/sessions.db",
                            false},
            "%s", why->text);
    else
        doctor_add(doctor, DOCTOR_OK, "database", none, "'%s'", path);
    store_close(store);
}

/* Without it programs are built as ever, but nothing is kept for the next run. */
static void look_at_cache(struct doctor *doctor)
{
    struct error why = {0};
    char *path = NULL;
    if (cache_dir(&path, &why))
        doctor_add(doctor, DOCTOR_LIMITED, "cache",
                   (struct remedy){"export XDG_CACHE_HOME=$(mktemp -d)", false},
                   "kept builds are left alone: %s", why.text);
    free(path);
}

static void look_at_rules(struct doctor *doctor)
{
    struct rule_set *set = NULL;
    struct error why = {0};
    if (rule_set_load(NULL, &set, &why))
        doctor_add(doctor, DOCTOR_MISSING, "rules", none, "%s; install inflight again",
                   why.text);
    else
        doctor_add(doctor, DOCTOR_OK, "rules", none, "%zu rules", rule_set_nr(set));
    rule_set_free(set);
}

/* ---- the command ---- */

static void look_at_tools(struct doctor *doctor, const struct settings *settings)
{
    struct error why = {0};
    char *scratch = NULL;
    if (scratch_make(&scratch, &why))
        doctor_add(doctor, DOCTOR_MISSING, "scratch space",
                   (struct remedy){"export TMPDIR=/var/tmp", false}, "%s", why.text);
    look_at_compiler(doctor, settings->compiler, true, scratch);
    if (strcmp(settings->compiler, "clang"))
        look_at_compiler(doctor, "clang", false, scratch);
    if (scratch) {
        look_at_headers(doctor, scratch);
        scratch_remove(scratch);
    }
}

static void look_at_all(struct doctor *doctor, const struct settings *settings)
{
    struct error why = {0};
    char *database = database_path(settings, &why),
         *scratch = path_absolute(scratch_place());
    look_at_tools(doctor, settings);
    look_at_papi(doctor);
    look_at_cores(doctor);
    doctor_system(doctor, "", scratch, database);
    look_at_sampling(doctor);
    look_at_stepping(doctor);
    look_at_clock(doctor);
    look_at_noise(doctor);
    look_at_space(doctor);
    look_at_rules(doctor);
    look_at_profile(doctor);
    look_at_database(doctor, database, &why);
    look_at_cache(doctor);
    free(scratch);
    free(database);
}

int doctor_command(const struct settings *settings, struct error *err)
{
    struct doctor doctor = {0};
    struct buf text = {0};
    look_at_all(&doctor, settings);
    json_t *document = doctor_json(&doctor);
    doctor_text(&doctor, term_colour(stdout, settings->colour), term_columns(stdout),
                &text);
    int status =
        settings->json ? print_json(document, err) : print_text(buf_str(&text), err);
    if (!status && doctor.missing)
        status =
            fail(err, STATUS_MISSING, "%zu of the things inflight needs %s missing here",
                 doctor.missing, doctor.missing == 1 ? "is" : "are");
    json_decref(document);
    doctor_release(&doctor);
    buf_release(&text);
    return status;
}
