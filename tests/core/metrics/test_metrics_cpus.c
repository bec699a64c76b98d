/* The definitions of AMD's, Arm's and IBM's CPUs on counts made from known distributions
 * (cases as data), whose they are, and the codes of their events. */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/files/fs.h"
#include "core/metrics/metrics.h"
#include "tests/check.h"
#include "tests/core/metrics/metric_cases.h"

SUITE(metrics_cpus);

TEST("every case comes out")
{
    /* What the data fabric moves it does not tell apart by direction on Zen 2 and 3, and
     * what is written to memory most of Arm's do not count: no portable metric of it. */
    static const char amd[] = "topdown stalls occupancy fills prefetch mix";
    static const char arm[] = "topdown cycles stalls limits prefetch mix";
    static const struct {
        const char *name, *models;
    } cpus[] = {{"zen2", amd},        {"zen3", amd},        {"zen4", NULL},
                {"zen5", NULL},       {"a64fx", NULL},      {"kunpeng920", arm},
                {"neoverse-n1", arm}, {"neoverse-n2", arm}, {"neoverse-n2-r0p0", arm},
                {"neoverse-v1", arm}, {"neoverse-v2", arm}, {"power9", NULL}};

    for (size_t i = 0; i < ARRAY_SIZE(cpus); i++) {
        struct strvec covered = {0};

        metric_cases_run(cpus[i].name, &covered);
        metric_cases_cover(cpus[i].name, cpus[i].models, &covered);
        strvec_release(&covered);
    }
}

/* The memory branch is six levels deep, as in the source. */
TEST("memory branch is six deep")
{
    struct metric_set *set = NULL;
    struct error err = {0};
    int depth = 0;

    if (!check_ok(metric_set_load("power9", NULL, &set, &err), &err))
        return;
    for (int at = metric_find(set, "Remote_Chip"); at != METRIC_NONE;
         at = set->metric[at].parent)
        depth++;
    check_eq(depth, 6);
    metric_set_free(set);
}

#define ARM(implementer, part, revision)                                                 \
    "processor\t: 0\nCPU implementer\t: " implementer "\nCPU architecture: 8\n"          \
    "CPU variant\t: 0x0\nCPU part\t: " part "\nCPU revision\t: " revision "\n"
#define AMD(family, model)                                                               \
    "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: " family                   \
    "\nmodel\t\t: " model "\nstepping\t: 1\n"

/* Definitions are found by what /proc/cpuinfo, a file of counts, perf or a profile says;
 * the two kinds of the Neoverse N2 by its revision. perf writes AMD's family in decimal,
 * the rest in hexadecimal. */
TEST("cpus are recognised")
{
    static const struct {
        const char *text, *name; /* NULL = none */
    } cpus[] = {
        {ARM("0x46", "0x001", "0"), "a64fx"},
        {ARM("0x48", "0xd01", "0"), "kunpeng920"},
        {ARM("0x41", "0xd0c", "1"), "neoverse-n1"},
        {ARM("0x41", "0xd49", "0"), "neoverse-n2-r0p0"},
        {ARM("0x41", "0xd49", "2"), "neoverse-n2-r0p0"},
        {ARM("0x41", "0xd49", "3"), "neoverse-n2"},
        {ARM("0x41", "0xd40", "1"), "neoverse-v1"},
        {ARM("0x41", "0xd4f", "0"), "neoverse-v2"},
        {ARM("0x41", "0xd05", "0"), NULL},
        {"arm 0x46 0x001", "a64fx"},
        {"arm 0x41 0xd49 3", "neoverse-n2"},
        {"arm 0x41 0xd49", NULL}, /* which of the two is not told */
        {"0x00000000410fd490", "neoverse-n2-r0p0"},
        {"0x410fd493", "neoverse-n2"},
        {"0x00000000413fd0c1", "neoverse-n1"},
        {"0x413f", NULL},
        {"Arm implementer 0x41 part 0xd4f", "neoverse-v2"},
        {AMD("23", "49"), "zen2"},
        {AMD("23", "113"), "zen2"},
        {AMD("25", "1"), "zen3"},
        {AMD("25", "33"), "zen3"},
        {AMD("25", "17"), "zen4"},
        {AMD("25", "97"), "zen4"},
        {AMD("25", "160"), "zen4"},
        {AMD("26", "2"), "zen5"},
        {AMD("26", "68"), "zen5"},
        {"AuthenticAMD-23-31-0", "zen2"},
        {"AuthenticAMD-25-1-1", "zen3"},
        {"AuthenticAMD-25-11-1", "zen4"},
        {"AuthenticAMD-26-2-1", "zen5"},
        {"processor\t: 0\ncpu\t\t: POWER9, altivec supported\nclock\t\t: 3783.000000MHz\n"
         "revision\t: 2.2 (pvr 004e 1202)\n",
         "power9"}};

    for (size_t i = 0; i < ARRAY_SIZE(cpus); i++) {
        struct metric_set *set = NULL;
        struct error err = {0};
        int result = metric_set_load(NULL, cpus[i].text, &set, &err);

        if (!cpus[i].name)
            check_fails(result, &err, STATUS_MISSING, "--cpu");
        else if (check_ok(result, &err))
            check_str(set->name, cpus[i].name);
        metric_set_free(set);
    }
}

/* The code of "rCODE", perf's name for an event without one; 0 = it is none. */
static unsigned long raw_code(const char *name)
{
    char *end;
    unsigned long code = *name == 'r' ? strtoul(name + 1, &end, 16) : 0;

    return code && !*end ? code : 0;
}

/* Where libpfm4 knows the event, what it said (tests/data/metrics/libpfm4), else what
 * stands in the name. */
static unsigned long code_of(const char *list, const struct metric_event *event)
{
    char *line = xasprintf("\n%s 0x", event->name);
    const char *at = event->note ? strstr(event->name, "event=0x") : strstr(list, line);
    unsigned long code = 0;

    if (at)
        code = strtoul(at + (event->note ? strlen("event=0x") : strlen(line)), NULL, 16);
    free(line);
    return code;
}

static void check_codes(const struct metric_set *set, const char *pmu)
{
    char *path = xasprintf(INFLIGHT_SOURCE_DIR "/tests/data/metrics/libpfm4/%s.txt", pmu);
    struct buf list = {0};
    struct error err = {0};

    check_ok(file_read(path, &list, &err), &err);
    for (size_t i = 0; i < set->event_nr; i++) {
        const struct metric_event *event = &set->event[i];
        size_t raw = 0;

        for (size_t k = 0; k < event->alias.nr; k++) {
            unsigned long code = raw_code(event->alias.v[k]);
            if (!code)
                continue;
            raw++;
            if (code != code_of(buf_str(&list), event))
                check_str(event->alias.v[k], event->name);
        }
        if (!raw)
            check_str(event->name, "an alias with its code");
    }
    buf_release(&list);
    free(path);
}

/* What "perf stat -e rCODE" counted is found by the code. */
TEST("raw names are the codes of libpfm4")
{
    static const char *const names[] = {"a64fx",       "kunpeng920",       "neoverse-n1",
                                        "neoverse-n2", "neoverse-n2-r0p0", "neoverse-v1",
                                        "neoverse-v2"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        struct metric_set *set = NULL;
        struct error err = {0};

        if (check_ok(metric_set_load(names[i], NULL, &set, &err), &err))
            check_codes(set, set->pmu.v[0]);
        metric_set_free(set);
    }
}
