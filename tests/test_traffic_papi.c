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

#include "core/traffic/papi_source.h"
#include "tests/check.h"

#if __has_include(<sde_lib.h>)
#include <sde_lib.h>
#endif

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
static void test_children(void)
{
    static const char *const events[] = {"perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES"};
    struct worker worker[2];
    struct papi_counter *counter = NULL;
    struct error err = {0};
    double value[2] = {-1, -1};
    pid_t pid[2];

    for (int i = 0; i < 2; i++) {
        worker_start(&worker[i]);
        pid[i] = worker[i].pid;
    }
    if (check_ok(papi_counter_new(events, 2, &counter, &err), &err)) {
        if (papi_counter_begin(counter, pid, 2, &err)) {
            check_contains(err.text, "perf_event_paranoid");
            check_skip("this user may not count");
        } else {
            for (int i = 0; i < 2; i++)
                worker_work(&worker[i]);
            check_ok(papi_counter_end(counter, value, &err), &err);
            check(value[0] >= 2 * pages && value[0] < 2 * pages + 1000);
            check(value[1] >= 2 * naps && value[1] < 1e5);
        }
    }
    papi_counter_free(counter);
    for (int i = 0; i < 2; i++)
        worker_end(&worker[i]);
}

/* Begin and end again give only what lies between. */
static void test_again(void)
{
    static const char *const events[] = {"perf::PAGE-FAULTS"};
    struct papi_counter *counter = NULL;
    struct error err = {0};
    double value = -1;

    check_ok(papi_counter_new(events, 1, &counter, &err), &err);
    for (int i = 0; i < 2; i++) {
        if (papi_counter_begin(counter, NULL, 0, &err)) {
            check_skip("this user may not count");
            break;
        }
        if (i == 0)
            work();
        check_ok(papi_counter_end(counter, &value, &err), &err);
        check(i == 0 ? value >= pages : value < 50);
    }
    papi_counter_free(counter);
}

static void test_refused(void)
{
    static const char *const unknown[] = {"perf::PAGE-FAULTS", "no_such_unit::NO_EVENT"};
    static const char *const faults[] = {"perf::PAGE-FAULTS"};
    struct papi_counter *counter = NULL;
    struct error err = {0};
    pid_t nobody = 0x3ffffff;

    check_fails(papi_counter_new(unknown, 2, &counter, &err), &err, STATUS_MISSING,
                "'no_such_unit::NO_EVENT' cannot be counted: ");
    check(counter == NULL);
    check_ok(papi_counter_new(faults, 1, &counter, &err), &err);
    check_fails(papi_counter_begin(counter, &nobody, 1, &err), &err, STATUS_FAILED,
                "is gone");
    papi_counter_free(counter);
}

/* Where there is a PMU it counts a child; where there is none the sentence says what
 * helps. */
static void test_hardware(void)
{
    static const char *const events[] = {"PAPI_TOT_INS"};
    struct papi_counter *counter = NULL;
    struct worker worker;
    struct error err = {0};
    double value = 0;

    worker_start(&worker);
    if (papi_counter_new(events, 1, &counter, &err) == 0 &&
        papi_counter_begin(counter, &worker.pid, 1, &err) == 0) {
        worker_work(&worker);
        check_ok(papi_counter_end(counter, &value, &err), &err);
        check(value > pages);
    } else {
        check_eq(err.status, STATUS_MISSING);
        check(strstr(err.text, "cache model") || strstr(err.text, "paranoid") ||
              strstr(err.text, "papi_native_avail"));
    }
    papi_counter_free(counter);
    worker_end(&worker);
}

/* What the probe says, says it on no stream of ours. */
static void test_probe(void)
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

/* A counter that the test itself sets, through the component of software-defined events.
 */
static void test_software_defined(void)
{
#if __has_include(<sde_lib.h>)
    static const char *const events[] = {"sde:::inflight_test::lines"};
    static long long lines;
    papi_handle_t handle = papi_sde_init("inflight_test");
    struct papi_counter *counter = NULL;
    struct error err = {0};
    struct papi_status status;
    double value = -1;

    papi_sde_register_counter(handle, "lines", PAPI_SDE_RO | PAPI_SDE_DELTA,
                              PAPI_SDE_long_long, &lines);
    papi_probe(&status);
    if (!status.sde) {
        check_skip("PAPI has no component for software-defined events");
    } else {
        check_ok(papi_counter_new(events, 1, &counter, &err), &err);
        lines = 5;
        check_ok(papi_counter_begin(counter, NULL, 0, &err), &err);
        lines += 42;
        check_ok(papi_counter_end(counter, &value, &err), &err);
        check_near(value, 42, 0);
        papi_counter_free(counter);
    }
    papi_status_release(&status);
#else
    check_skip("libsde is not there");
#endif
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

static void test_bandwidth_data(void)
{
    static const struct {
        const char *cpuinfo;
        size_t events;
        const char *first;
        double read_factor, last_write_factor;
    } cases[] = {
        {X86("GenuineIntel", "6", "85", "4"), 12, "skx_unc_imc0::UNC_M_CAS_COUNT:RD", 64,
         64},
        {X86("GenuineIntel", "6", "79", "1"), 16, "hswep_unc_imc0::UNC_M_CAS_COUNT:RD",
         64, 64},
        {X86("GenuineIntel", "6", "173", "1"), 48,
         "gnr_unc_imc0::UNC_M_CAS_COUNT_SCH0:RD", 64, 64},
        {X86("GenuineIntel", "6", "87", "1"), 28, "knl_unc_imc0::UNC_M_CAS_COUNT:RD", 64,
         64},
        {"processor : 0\nCPU implementer : 0x46\nCPU architecture: 8\nCPU part : 0x001\n",
         4, "arm_a64fx::L2D_CACHE_REFILL", 256, 256},
        {"processor : 0\ncpu\t\t: POWER8 (raw), altivec supported\n", 3,
         "power8::PM_DATA_ALL_FROM_MEMORY", 128, 128},
    };
    static const struct papi_asker ask = {yes, starts};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct papi_bandwidth bandwidth;
        struct error err = {0};

        if (!check_ok(papi_bandwidth_for(cases[i].cpuinfo, &ask, &bandwidth, &err), &err))
            continue;
        check_eq(bandwidth.event.nr, cases[i].events);
        check_str(bandwidth.event.v[0], cases[i].first);
        check_near(bandwidth.read_factor[0], cases[i].read_factor, 0);
        check_near(bandwidth.write_factor[bandwidth.event.nr - 1],
                   cases[i].last_write_factor, 0);
        check(bandwidth.writebacks_included && bandwidth.source);
        papi_bandwidth_release(&bandwidth);
    }
}

static void test_bandwidth_boxes(void)
{
    static const struct papi_asker four = {four_boxes, starts},
                                   stuck = {yes, never_starts};
    const char *skylake = X86("GenuineIntel", "6", "85", "4");
    struct papi_bandwidth bandwidth;
    struct error err = {0};

    check_ok(papi_bandwidth_for(skylake, &four, &bandwidth, &err), &err);
    check_eq(bandwidth.event.nr, 8);
    papi_bandwidth_release(&bandwidth);
    check_fails(papi_bandwidth_for(skylake, &stuck, &bandwidth, &err), &err,
                STATUS_MISSING, "does not start");
    check_fails(
        papi_bandwidth_for(X86("AuthenticAMD", "25", "17", "1"), &four, &bandwidth, &err),
        &err, STATUS_MISSING, "(vendor 'amd', family 19, model 11)");
}

/* Every row can be read, and is called what the table of CPUs calls it. */
static void test_bandwidth_names(void)
{
    struct buf cpus = {0};
    struct error err = {0};
    json_t *root = NULL, *row;
    size_t i;

    if (!check_ok(
            file_read(INFLIGHT_SOURCE_DIR "/core/machine/data/cpus.json", &cpus, &err),
            &err) ||
        !check_ok(json_read_file(INFLIGHT_SOURCE_DIR "/core/traffic/data/bandwidth.json",
                                 "inflight.bandwidth/1", &root, &err),
                  &err))
        goto out;
    json_array_foreach(json_object_get(root, "cpus"), i, row)
    {
        char *name = xasprintf("\"name\": \"%s\"",
                               json_string_value(json_object_get(row, "name")));

        check_contains(buf_str(&cpus), name);
        free(name);
    }
out:
    json_decref(root);
    buf_release(&cpus);
}

CU_TestInfo traffic_papi_tests[] = {
    {"software events of two children", test_children},
    {"counting again", test_again},
    {"what is refused", test_refused},
    {"hardware events of a child, or why not", test_hardware},
    {"the probe", test_probe},
    {"software-defined events", test_software_defined},
    {"bandwidth events per CPU", test_bandwidth_data},
    {"boxes that are not there are left out", test_bandwidth_boxes},
    {"CPUs are called as in the table", test_bandwidth_names},
    CU_TEST_INFO_NULL,
};
