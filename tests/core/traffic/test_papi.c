/* PAPI and the kernel's software events, on whatever machine this is. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/traffic/counters/papi_source.h"
#include "tests/check.h"

SUITE(traffic_papi);

enum { pages = 1000, naps = 20 };

/* A child that waits for a byte, does its work, says so and waits for the end. */
struct worker {
    pid_t pid;
    int go[2], done[2];
};

static void work(void)
{
    const size_t page = 4096;
    volatile char *memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct timespec nap = {0, 100000};

    for (size_t i = 0; i < pages; i++)
        memory[i * page] = 1;
    for (int i = 0; i < naps; i++)
        nanosleep(&nap, NULL);
}

static void worker_start(struct worker *worker)
{
    char byte = 0;

    if (pipe(worker->go) || pipe(worker->done))
        CU_FAIL_FATAL("no pipes");
    worker->pid = fork();
    if (worker->pid != 0)
        return;
    close(worker->go[1]);
    if (read(worker->go[0], &byte, 1) == 1)
        work();
    if (write(worker->done[1], "E", 1) == 1)
        pause();
    _exit(1);
}

static void worker_work(struct worker *worker)
{
    char byte;

    check_eq(write(worker->go[1], "R", 1), 1);
    check_eq(read(worker->done[0], &byte, 1), 1);
}

static void worker_end(struct worker *worker)
{
    kill(worker->pid, SIGKILL);
    waitpid(worker->pid, NULL, 0);
    close(worker->go[1]);
    close(worker->go[0]);
    close(worker->done[0]);
    close(worker->done[1]);
}

/* Two children, as two copies. */
TEST("software events of two children")
{
    static const char *const events[] = {"perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES"};
    struct worker worker[2];
    struct papi_counter *counter = NULL;
    struct error err = {0};
    struct count_set set = {0};
    pid_t pid[2];

    for (int i = 0; i < 2; i++) {
        worker_start(&worker[i]);
        pid[i] = worker[i].pid;
    }
    if (check_ok(papi_counter_new(events, 2, NULL, &counter, &err), &err)) {
        if (papi_counter_begin(counter, pid, 2, &err)) {
            check_contains(err.text, "perf_event_paranoid");
            check_skip("this user may not count");
        } else {
            for (int i = 0; i < 2; i++)
                worker_work(&worker[i]);
            check_ok(papi_counter_end(counter, &set, &err), &err);
            check_str(set.count[1].event, "perf::CONTEXT-SWITCHES");
            check(set.count[0].value.value >= 2 * pages &&
                  set.count[0].value.value < 2 * pages + 1000);
            check(set.count[1].value.value >= 2 * naps && set.count[1].value.value < 1e5);
            check_near(set.count[0].share, 1, 0);
        }
    }
    papi_counter_free(counter);
    count_set_release(&set);
    for (int i = 0; i < 2; i++)
        worker_end(&worker[i]);
}

/* Begin and end again give only what lies between. */
TEST("counting again")
{
    static const char *const events[] = {"perf::PAGE-FAULTS"};
    struct papi_counter *counter = NULL;
    struct error err = {0};

    check_ok(papi_counter_new(events, 1, NULL, &counter, &err), &err);
    for (int i = 0; i < 2; i++) {
        struct count_set set = {0};

        if (papi_counter_begin(counter, NULL, 0, &err)) {
            check_skip("this user may not count");
            break;
        }
        if (i == 0)
            work();
        check_ok(papi_counter_end(counter, &set, &err), &err);
        double faults = set.count[0].value.value;
        check(i == 0 ? faults >= pages : faults < 50);
        count_set_release(&set);
    }
    papi_counter_free(counter);
}

TEST("what is refused")
{
    static const char *const unknown[] = {"perf::PAGE-FAULTS", "no_such_unit::NO_EVENT"};
    static const char *const faults[] = {"perf::PAGE-FAULTS"};
    struct papi_counter *counter = NULL;
    struct error err = {0};
    pid_t nobody = 0x3ffffff;

    check_fails(papi_counter_new(unknown, 2, NULL, &counter, &err), &err, STATUS_MISSING,
                "'no_such_unit::NO_EVENT' cannot be counted: ");
    check(counter == NULL);
    check_ok(papi_counter_new(faults, 1, NULL, &counter, &err), &err);
    check_fails(papi_counter_begin(counter, &nobody, 1, &err), &err, STATUS_FAILED,
                "is gone");
    papi_counter_free(counter);
}

/* Where there is a PMU it counts a child; where there is none the sentence says what
 * helps. */
TEST("hardware events of a child, or why not")
{
    static const char *const events[] = {"PAPI_TOT_INS"};
    struct papi_counter *counter = NULL;
    struct worker worker;
    struct error err = {0};
    struct count_set set = {0};

    worker_start(&worker);
    if (papi_counter_new(events, 1, NULL, &counter, &err) == 0 &&
        papi_counter_begin(counter, &worker.pid, 1, &err) == 0) {
        worker_work(&worker);
        check_ok(papi_counter_end(counter, &set, &err), &err);
        check(set.count[0].value.value > pages);
    } else {
        check_eq(err.status, STATUS_MISSING);
        check(strstr(err.text, "cache model") || strstr(err.text, "paranoid") ||
              strstr(err.text, "papi_native_avail"));
    }
    papi_counter_free(counter);
    count_set_release(&set);
    worker_end(&worker);
}

/* What the probe says, says it on no stream of ours. */
TEST("the probe")
{
    struct papi_status status;
    FILE *captured = tmpfile();
    int saved = dup(STDERR_FILENO), result;

    dup2(fileno(captured), STDERR_FILENO);
    result = papi_probe(&status);
    dup2(saved, STDERR_FILENO);
    close(saved);
    fseek(captured, 0, SEEK_END);
    check_eq(ftell(captured), 0);
    fclose(captured);
    check_eq(result, status.usable ? 0 : -1);
    check_contains(status.sentence,
                   status.usable ? "is counted" : "memory bandwidth cannot be counted: ");
    papi_status_release(&status);
}

static bool yes(const char *event)
{
    (void)event;
    return true;
}

static bool four_boxes(const char *event)
{
    const char *box = strstr(event, "imc");

    return !box || box[3] < '4' || box[3] > '9';
}

/* Two dies of a machine. */
static void two_dies(const char *pattern, struct strvec *list)
{
    for (int die = 0; die < 2; die++)
        strvec_pushf(list, "%d%s", die, pattern);
}

static int starts(const char *const *event, size_t event_nr, struct error *err)
{
    (void)event;
    (void)event_nr;
    (void)err;
    return 0;
}

static int never_starts(const char *const *event, size_t event_nr, struct error *err)
{
    (void)event_nr;
    return fail(err, STATUS_MISSING, "'%s' does not start", event[0]);
}

#define X86(vendor, family, model, stepping)                                             \
    "processor\t: 0\nvendor_id\t: " vendor "\ncpu family\t: " family                     \
    "\nmodel\t\t: " model "\nmodel name\t: some\nstepping\t: " stepping "\n"

TEST("bandwidth events per CPU")
{
    static const struct {
        const char *cpuinfo;
        size_t events;
        const char *first;
    } cases[] = {
        {X86("GenuineIntel", "6", "85", "4"), 12, "skx_unc_imc0::UNC_M_CAS_COUNT:RD"},
        {X86("GenuineIntel", "6", "79", "1"), 16, "hswep_unc_imc0::UNC_M_CAS_COUNT:RD"},
        {X86("GenuineIntel", "6", "173", "1"), 48,
         "gnr_unc_imc0::UNC_M_CAS_COUNT_SCH0:RD"},
        {X86("GenuineIntel", "6", "87", "1"), 28, "knl_unc_imc0::UNC_M_CAS_COUNT:RD"},
        {X86("GenuineIntel", "6", "94", "3"), 4, "0uncore_imc/data_reads/"},
        {X86("AuthenticAMD", "25", "17", "1"), 4, "0amd_umc_%d/event=0x0a,rdwrmask=0x1/"},
        {X86("AuthenticAMD", "23", "49", "0"), 16, "0amd_df/event=0x07,umask=0x38/"},
        {"processor : 0\nCPU implementer : 0x46\nCPU architecture: 8\nCPU part : 0x001\n",
         4, "arm_a64fx::L2D_CACHE_REFILL"},
        {"processor : 0\nCPU implementer : 0x41\nCPU part : 0xd4f\n", 4,
         "0nvidia_scf_pmu_%d/cmem_rd_data/"},
        {"processor : 0\nCPU implementer : 0x48\nCPU part : 0xd01\n", 4,
         "0hisi_sccl%d_ddrc%d/flux_rd/"},
        {"processor : 0\ncpu\t\t: POWER8 (raw), altivec supported\n", 8,
         "powerpc_nest_mcs_read::MCS_00"},
        {"processor : 0\ncpu\t\t: POWER9, altivec supported\n", 16,
         "power9_nest_mba0::PM_MBA0_READ_BYTES"},
        {"software-defined", 4, "sde:::inflight::MEMORY_FILLS"},
    };
    static const struct papi_asker ask = {yes, two_dies, starts, false};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct papi_bandwidth bandwidth;
        struct error err = {0};

        if (!check_ok(papi_bandwidth_for(cases[i].cpuinfo, &ask, &bandwidth, &err), &err))
            continue;
        check_eq(bandwidth.event.nr, cases[i].events);
        check_str(bandwidth.event.v[0], cases[i].first);
        check(bandwidth.writebacks_included && bandwidth.source);
        papi_bandwidth_release(&bandwidth);
    }
}

/* Only the daemon's names, and only for cpu 0. */
static bool only_pcp(const char *event)
{
    return strncmp(event, "pcp:::", 6) == 0 &&
           strcmp(event + strlen(event) - 5, ":cpu0") == 0;
}

static void none(const char *pattern, struct strvec *list)
{
    (void)pattern;
    (void)list;
}

TEST("the daemon of POWER9")
{
    static const struct papi_asker ask = {only_pcp, none, starts, false};
    struct papi_bandwidth bandwidth;
    struct error err = {0};

    if (!check_ok(papi_bandwidth_for("POWER9", &ask, &bandwidth, &err), &err))
        return;
    check_eq(bandwidth.event.nr, 16);
    check_str(bandwidth.event.v[3], "pcp:::perfevent.hwcounters.nest_mba3_imc."
                                    "PM_MBA3_READ_BYTES.value:cpu0");
    check_contains(bandwidth.remark, "pmcd");
    papi_bandwidth_release(&bandwidth);
}

static bool no_event(const char *event)
{
    (void)event;
    return false;
}

TEST("boxes that are not there are left out")
{
    static const struct papi_asker four = {four_boxes, none, starts, false},
                                   stuck = {yes, none, never_starts, false},
                                   nobody = {no_event, none, starts, false};
    const char *skylake = X86("GenuineIntel", "6", "85", "4");
    struct papi_bandwidth bandwidth;
    struct error err = {0};

    check_ok(papi_bandwidth_for(skylake, &four, &bandwidth, &err), &err);
    check_eq(bandwidth.event.nr, 8);
    papi_bandwidth_release(&bandwidth);
    check_fails(papi_bandwidth_for(skylake, &stuck, &bandwidth, &err), &err,
                STATUS_MISSING, "does not start");
    check_fails(papi_bandwidth_for(skylake, &nobody, &bandwidth, &err), &err,
                STATUS_MISSING,
                "PAPI has no event 'skx_unc_imc%d::UNC_M_CAS_COUNT:RD' here");
    check_fails(papi_bandwidth_for(X86("AuthenticAMD", "26", "255", "1"), &four,
                                   &bandwidth, &err),
                &err, STATUS_MISSING, "(amd family 1A model FF stepping 1)");
}

/* The controllers would go before, but count for everybody. */
TEST("what is told by thread")
{
    static const struct papi_asker all = {yes, two_dies, starts, true};
    struct papi_bandwidth bandwidth;
    struct error err = {0};

    if (check_ok(papi_bandwidth_for(X86("GenuineIntel", "6", "85", "4"), &all, &bandwidth,
                                    &err),
                 &err))
        for (size_t i = 0; i < bandwidth.event.nr; i++)
            check(!strstr(bandwidth.event.v[i], "unc"));
    check(bandwidth.event.nr > 0 && bandwidth.event.nr <= 6);
    papi_bandwidth_release(&bandwidth);
    check_fails(papi_bandwidth_for("POWER9", &all, &bandwidth, &err), &err,
                STATUS_MISSING, "that is not available per thread");
}
