/* Events of the cores that the kernel counts for us: in programs that are yet to start,
 * and by perf's names. With a libpfm4 and a kernel that do as they are told, and with the
 * real kernel on a "PMU" of its software events. */
#include "core/traffic/counters/perf.h"

#include <errno.h>
#include <fcntl.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/traffic/counters/papi_source.h"
#include "tests/check.h"

SUITE(traffic_core);

/*
 * The scripted libpfm4 and kernel.
 */

struct script {
    int refuse, refuse_kernel; /* errno of opening; of opening with the kernel's part */
    int refuse_read;
    uint64_t got[3];
    /* seen */
    int opened, ahead, user_only;
    struct perf_code last;
};
static struct script script;

static int s_encode(const char *event, struct perf_code *code, struct error *err)
{
    if (strstr(event, "NO_CODE"))
        return fail(err, STATUS_MISSING, "libpfm4 has no code of '%s'", event);
    *code = (struct perf_code){.type = 4, .config = {0x151}};
    return 0;
}

static int s_open(const struct perf_code *code, const struct perf_core_who *who)
{
    if (script.refuse)
        return -script.refuse;
    if (script.refuse_kernel && !who->user_only)
        return -script.refuse_kernel;
    script.opened++;
    script.ahead += who->ahead;
    script.user_only += who->user_only;
    script.last = *code;
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int s_read(int fd, uint64_t got[3])
{
    (void)fd;
    memcpy(got, script.got, sizeof(script.got));
    return -script.refuse_read;
}

static const struct perf_core_calls kernel = {s_encode, s_open, s_read};

/* PAPI knows every name, as one of the cores. */
static enum papi_refusal p_start(void)
{
    return PAPI_DONE;
}

static enum papi_refusal p_find(const char *event, int *component)
{
    (void)event;
    *component = 0;
    return PAPI_DONE;
}

static const char *p_name(int component)
{
    (void)component;
    return "perf_event";
}

static void p_describe(const char *event, struct papi_described *described)
{
    (void)event;
    *described = (struct papi_described){0};
}

static const struct papi_calls papi = {
    .start = p_start, .find = p_find, .component_name = p_name, .describe = p_describe};

/* As far as it gets with events of programs that are yet to start. */
static int count(const char *devices, bool counters, const char *const *event, size_t nr,
                 struct count_set *set, struct error *err)
{
    struct papi_seam seam = {&papi, &kernel, devices, {counters, 2, false}};
    struct papi_counter_opts opts = {.ahead = true};
    struct papi_counter *counter;
    int result = papi_counter_make(&seam, event, nr, &opts, &counter, err);

    if (result == 0)
        result = papi_counter_begin(counter, NULL, 0, err);
    if (result == 0)
        result = papi_counter_end(counter, set, err);
    papi_counter_free(counter);
    return result;
}

static const char *const two[] = {"L1D:REPLACEMENT", "INST_RETIRED"};

TEST("programs to come")
{
    struct count_set set = {0};
    struct error err = {0};

    script = (struct script){.got = {1000, 8000000, 8000000}};
    check_ok(count("/nowhere", true, two, 2, &set, &err), &err);
    check_eq(script.opened, 2);
    check_eq(script.ahead, 2);
    check_eq(script.user_only, 0);
    check_eq(script.last.config[0], 0x151);
    if (check_eq(set.count_nr, 2)) {
        check_str(set.count[0].event, "L1D:REPLACEMENT");
        check_near(set.count[0].value.value, 1000, 0);
        check_near(set.count[1].value.low, 1000, 0);
        check_near(set.count[1].share, 1, 0);
    }
    check_eq(set.note.nr, 0);
    count_set_release(&set);
}

/* Who may not see the kernel's part counts faults without it, but not what happens in the
 * kernel alone: that would be 0. No machine without counters is to blame. */
TEST("software events of a user who may not see the kernel")
{
    static const char *const faults = "perf::PAGE-FAULTS", *const switches =
                                                               "perf::CONTEXT-SWITCHES";
    struct count_set set = {0}, none = {0};
    struct error err = {0};

    script = (struct script){.refuse_kernel = EACCES, .got = {1000, 8000000, 8000000}};
    check_ok(count("/nowhere", false, &faults, 1, &set, &err), &err);
    check_eq(script.user_only, 1);
    check_near(count_set_value(&set, faults).high, 1000, 0);
    check_eq(set.note.nr, 0); /* it tells of the cores' events */
    check_fails(count("/nowhere", false, &switches, 1, &none, &err), &err, STATUS_MISSING,
                "perf_event_paranoid is 2 and must be 1 or lower");
    count_set_release(&set);
    count_set_release(&none);
}

/* A quarter of 32 ms are two turns. */
TEST("taking turns")
{
    struct count_set set = {0};
    struct error err = {0};
    struct quantity want = count_multiplexed(4000, 0.25, 8e-3);

    script = (struct script){.got = {1000, 32000000, 8000000}};
    check_ok(count("/nowhere", true, two, 2, &set, &err), &err);
    check_near(set.count[1].share, 0.25, 0);
    check_near(set.count[1].value.value, 4000, 0);
    check_near(set.count[1].value.low, want.low, 1e-12);
    check_near(set.count[1].value.high, want.high, 1e-12);
    count_set_release(&set);
}

TEST("what is no count")
{
    static const struct {
        uint64_t got[3];
        bool known;
        const char *why;
    } cases[] = {
        {{0, 0, 0}, true, NULL}, /* nobody ran */
        {{0, 1000, 0}, false, "never gave it a counter"},
        {{1ULL << 63, 1000, 1000}, false, "overflowed"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct count_set set = {0};
        struct error err = {0};

        script = (struct script){0};
        memcpy(script.got, cases[i].got, sizeof(script.got));
        check_ok(count("/nowhere", true, two, 1, &set, &err), &err);
        check_eq(set.count[0].value.known, cases[i].known);
        if (cases[i].why)
            check_contains(set.count[0].why, cases[i].why);
        else
            check_near(set.count[0].value.value, 0, 0);
        count_set_release(&set);
    }
}

TEST("without the kernel's part")
{
    struct count_set set = {0};
    struct error err = {0};

    script = (struct script){.refuse_kernel = EACCES, .got = {5, 1, 1}};
    check_ok(count("/nowhere", true, two, 2, &set, &err), &err);
    check_eq(script.user_only, 2);
    if (check_eq(set.note.nr, 1))
        check_contains(set.note.v[0], "in user mode only");
    count_set_release(&set);
}

TEST("refusals")
{
    static const struct {
        const char *event;
        int number;
        bool counters;
        const char *part[2];
    } cases[] = {
        {"A", EACCES, true, {"'A' cannot be counted", "perf_event_paranoid is 2"}},
        {"A", ENOENT, true, {"No such file", "papi_native_avail"}},
        {"A", EBUSY, true, {"somebody else holds", "nmi_watchdog"}},
        {"A", ENOENT, false, {"'A' cannot be counted", "as most virtual machines"}},
        {"NO_CODE", 0, true, {"libpfm4 has no code", "'NO_CODE'"}},
        {"PAPI_TOT_INS", 0, true, {"the preset 'PAPI_TOT_INS'", "papi_avail -e"}},
        {"cpu/event=1/", 0, true, {"'cpu/event=1/' cannot be counted", "no PMU 'cpu'"}},
        {"cpu/event=1/", 0, false, {"no PMU 'cpu' here", "as most virtual machines"}},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct count_set set = {0};
        struct error err = {0};

        script = (struct script){.refuse = cases[i].number};
        if (check_eq(count("/nowhere", cases[i].counters, &cases[i].event, 1, &set, &err),
                     -1)) {
            check_eq(err.status, STATUS_MISSING);
            check_contains(err.text, cases[i].part[0]);
            check_contains(err.text, cases[i].part[1]);
        }
        count_set_release(&set);
    }
}

TEST("failing reads")
{
    struct count_set set = {0};
    struct error err = {0};

    script = (struct script){.refuse_read = EIO};
    check_fails(count("/nowhere", true, two, 1, &set, &err), &err, STATUS_FAILED,
                "a counter of the kernel cannot be read: Input/output error");
    count_set_release(&set);
}

/*
 * By perf's names.
 */

static void put(const char *root, const char *path, const char *text)
{
    char *file = path_join(root, path), *dir = xstrdup(file);
    struct error err = {0};

    *strrchr(dir, '/') = '\0';
    check_ok(dir_make_all(dir, &err), &err);
    check_ok(file_write(file, text, strlen(text), &err), &err);
    free(file);
    free(dir);
}

/* A core's PMU, and one that has only the kernel's software events: no cpus are told. */
static char *make_devices(void)
{
    struct error err = {0};
    char *root = NULL;

    if (!check_ok(scratch_make(&root, &err), &err))
        return NULL;
    put(root, "cpu/type", "4\n");
    put(root, "cpu/format/event", "config:0-7\n");
    put(root, "cpu/format/umask", "config:8-15\n");
    put(root, "cpu/events/slots", "event=0x00,umask=0x4\n");
    put(root, "soft/type", "1\n");
    put(root, "soft/format/event", "config:0-7\n");
    put(root, "soft/events/faults", "event=0x02\n");
    return root;
}

/* What libpfm4 does not name is counted all the same. */
TEST("names of perf")
{
    static const struct {
        const char *event;
        uint64_t config;
    } cases[] = {
        {"cpu/event=0x9c,umask=0x1/", 0x19c},
        {"cpu/slots/", 0x400},
    };
    char *devices = make_devices();

    for (size_t i = 0; devices && i < ARRAY_SIZE(cases); i++) {
        struct count_set set = {0};
        struct error err = {0};

        script = (struct script){.got = {7, 1, 1}};
        check_ok(count(devices, true, &cases[i].event, 1, &set, &err), &err);
        check_eq(script.last.type, 4);
        check_eq(script.last.config[0], cases[i].config);
        check_near(count_set_value(&set, cases[i].event).value, 7, 0);
        count_set_release(&set);
    }
    scratch_remove(devices);
}

/*
 * With the real kernel.
 */

static void run(const char *const *argv)
{
    struct spawn_request request = {.argv = argv};
    struct spawn_outcome outcome = {0};
    struct error err = {0};

    check_ok(spawn_run(&request, &outcome, &err), &err);
    check_eq(outcome.end, SPAWN_EXITED);
    spawn_outcome_release(&outcome);
}

/* All faults of a program with a child of its own, by the core's way and by that of
 * software events: the same number. */
TEST("a program is counted")
{
    static const char *const event[] = {"soft/faults/", "perf::PAGE-FAULTS"};
    static const char *const argv[] = {"sh", "-c", "true; /bin/true; exit 0", NULL};
    struct papi_seam seam = papi_seam_here();
    struct papi_counter_opts opts = {.ahead = true};
    struct papi_counter *counter = NULL;
    struct count_set set = {0};
    struct error err = {0};
    char *devices = make_devices();

    seam.devices = devices;
    if (devices &&
        check_ok(papi_counter_make(&seam, event, 2, &opts, &counter, &err), &err)) {
        if (papi_counter_begin(counter, NULL, 0, &err)) {
            check_skip(err.text);
        } else {
            run(argv);
            check_ok(papi_counter_end(counter, &set, &err), &err);
            check(set.count[0].value.value > 50);
            check_near(set.count[0].value.value, set.count[1].value.value, 0);
            check_near(set.count[0].share, 1, 0);
        }
    }
    papi_counter_free(counter);
    count_set_release(&set);
    scratch_remove(devices);
}

/*
 * libpfm4 and PAPI themselves.
 */

TEST("codes of PAPI")
{
    static const struct {
        int code;
        enum papi_refusal refusal;
    } cases[] = {
        {PAPI_OK, PAPI_DONE},
        {PAPI_ENOEVNT, PAPI_NO_EVENT},
        {PAPI_ECNFLCT, PAPI_NO_TOGETHER},
        {PAPI_ECOUNT, PAPI_NO_TOGETHER},
        {PAPI_EPERM, PAPI_NO_RIGHT},
        {PAPI_ECMP, PAPI_NO_COMPONENT},
        {PAPI_ENOCMP, PAPI_NO_COMPONENT},
        {PAPI_ECMP_DISABLED, PAPI_NO_COMPONENT},
        {PAPI_ENOINIT, PAPI_NO_LIBRARY},
        {PAPI_ESYS, PAPI_NO_OTHER},
        {PAPI_ENOMEM, PAPI_NO_OTHER},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_eq(papi_refusal_of(cases[i].code), cases[i].refusal);
}

TEST("names of libpfm4")
{
    static const struct {
        const char *event, *part; /* NULL = it is known */
    } cases[] = {
        {"perf::PAGE-FAULTS", NULL},
        {"no_pmu::X", "no tables of the PMU 'no_pmu'"},
        {"skx::NO_EVENT", "libpfm4 does not answer for the event 'skx::NO_EVENT'"},
        {"NO_EVENT", "knows no event 'NO_EVENT'"},
        {"perf::PAGE-FAULTS:colour=1", "does not take the masks"},
    };
    struct perf_code code;
    struct error err = {0};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error why = {0};

        if (cases[i].part)
            check_fails(pfm_event_check(cases[i].event, &why), &why, STATUS_MISSING,
                        cases[i].part);
        else
            check_ok(pfm_event_check(cases[i].event, &why), &why);
    }
    check(pfm_pmu_known("skx") && pfm_pmu_known("amd64_fam17h_zen2"));
    check(!pfm_pmu_known("sk") && !pfm_pmu_known("no_pmu") && pfm_pmu_known("perf"));
    if (check_ok(pfm_event_code("perf::PAGE-FAULTS", &code, &err), &err)) {
        check_eq(code.type, 1);
        check_eq(code.config[0], 2);
        check(!code.no_user && !code.no_kernel);
    }
    if (check_ok(pfm_event_code("perf::PAGE-FAULTS:u", &code, &err), &err))
        check(!code.no_user && code.no_kernel);
    if (check_ok(pfm_event_code("perf::PAGE-FAULTS:k", &code, &err), &err))
        check(code.no_user && !code.no_kernel);
}
