/* PMUs outside the cores as the kernel describes them, in a folder of our own. */
#include "core/traffic/counters/perf.h"

#include <stdlib.h>
#include <string.h>

#include "core/traffic/counters/papi_source.h"
#include "tests/check.h"

SUITE(traffic_uncore);

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

static void put_imc(const char *root, const char *pmu, const char *type)
{
    static const struct {
        const char *file, *text;
    } files[] = {
        {"cpumask", "0,18\n"},
        {"format/event", "config:0-7\n"},
        {"format/umask", "config:8-15\n"},
        {"format/edge", "config:18\n"},
        {"format/wide", "config:0-7,32-35\n"},
        {"format/other", "config1:4-7\n"},
        {"events/cas_count_read", "event=0x04,umask=0x03\n"},
        {"events/cas_count_read.scale", "6.103515625e-5\n"},
        {"events/broken", "event=0x04,colour=3\n"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        char *path = xasprintf("%s/%s", pmu, files[i].file);

        put(root, path, files[i].text);
        free(path);
    }
    char *path = xasprintf("%s/type", pmu);
    put(root, path, type);
    free(path);
}

static char *make_devices(void)
{
    struct error err = {0};
    char *root = NULL;

    if (!check_ok(scratch_make(&root, &err), &err))
        return NULL;
    put_imc(root, "uncore_imc_0", "14\n");
    put_imc(root, "uncore_imc_2", "16\n");
    put_imc(root, "uncore_imc_10", "24\n");
    put_imc(root, "uncore_imc_free_running_0", "30\n");
    put(root, "nest_mba3_imc/type", "9\n");
    put(root, "nest_mba3_imc/cpumask", "8-9\n");
    put(root, "nest_mba3_imc/format/event", "config:0-31\n");
    put(root, "nest_mba3_imc/events/PM_MBA3_READ_BYTES", "event=0x80\n");
    put(root, "cpu/type", "4\n");
    put(root, "cpu/format/event", "config:0-7\n");
    return root;
}

TEST("events are found")
{
    static const struct {
        const char *event;
        uint64_t config, config1;
    } cases[] = {
        {"uncore_imc_0/cas_count_read/", 0x304, 0},
        {"uncore_imc_0/event=0x04,umask=0x0c/", 0xc04, 0},
        {"uncore_imc_0/event=4,edge/", 0x40004, 0},
        {"uncore_imc_0/wide=0x7fe,other=0xb/", 0x7000000fe, 0xb0},
        {"uncore_imc_0/config=0x1234,config1=0x2/", 0x1234, 2},
    };
    char *devices = make_devices();

    for (size_t i = 0; devices && i < ARRAY_SIZE(cases); i++) {
        struct perf_uncore found;
        struct error err = {0};

        if (!check_ok(perf_uncore_find(devices, cases[i].event, &found, &err), &err))
            continue;
        check_eq(found.code.type, 14);
        check_eq(found.code.config[0], cases[i].config);
        check_eq(found.code.config[1], cases[i].config1);
        check_eq(found.cpu_nr, 2);
        check_eq(found.cpu[1], 18);
        perf_uncore_release(&found);
    }
    scratch_remove(devices);
}

TEST("what is not found")
{
    static const struct {
        const char *event, *part;
    } cases[] = {
        {"amd_umc_0/event=1/", "the kernel shows no PMU 'amd_umc_0' here"},
        {"cpu/event=0x3c/", "names no CPUs on which it counts for all"},
        {"uncore_imc_0/nothing/", "has no 'nothing'"},
        {"uncore_imc_0/broken/", "has no 'colour'"},
        {"uncore_imc_0/event=0x100/", "has no 'event' that takes this value"},
        {"uncore_imc_0/event=0x1g/", "'0x1g' is not a number"},
        {"uncore_imc_0/event=/", "'' is not a number"},
    };
    char *devices = make_devices();

    for (size_t i = 0; devices && i < ARRAY_SIZE(cases); i++) {
        struct perf_uncore found;
        struct error err = {0};

        check_fails(perf_uncore_find(devices, cases[i].event, &found, &err), &err,
                    i == 5 || i == 6 ? STATUS_INPUT : STATUS_MISSING, cases[i].part);
    }
    check(perf_terms_is("uncore_imc_0/x/") && !perf_terms_is("a::b") &&
          !perf_terms_is("/x/") && !perf_terms_is("a/") && !perf_terms_is("a/b"));
    check(perf_uncore_is(devices, "uncore_imc_0/x/") &&
          !perf_uncore_is(devices, "cpu/event=0x3c/") &&
          !perf_uncore_is(devices, "amd_umc_0/event=1/"));
    scratch_remove(devices);
}

TEST("boxes are listed")
{
    char *devices = make_devices();
    struct strvec list = {0};

    if (!devices)
        return;
    perf_uncore_expand(devices, "uncore_imc_%d/cas_count_read/", &list);
    perf_uncore_expand(devices, "uncore_imc_%d/no_event/", &list);
    perf_uncore_expand(devices, "nest_mba%d_imc/PM_MBA%d_READ_BYTES/", &list);
    perf_uncore_expand("/nowhere", "uncore_imc_%d/cas_count_read/", &list);
    if (check_eq(list.nr, 4)) {
        check_str(list.v[0], "uncore_imc_0/cas_count_read/");
        check_str(list.v[1], "uncore_imc_2/cas_count_read/");
        check_str(list.v[2], "uncore_imc_10/cas_count_read/");
        check_str(list.v[3], "nest_mba3_imc/PM_MBA3_READ_BYTES/");
    }
    strvec_release(&list);
    scratch_remove(devices);
}

static void touch_pages(void)
{
    enum { pages = 2000, page = 4096 };
    volatile char *memory = xcalloc(pages + 512, page);

    for (size_t i = 0; i < pages + 512; i++)
        memory[i * page] = 1;
    free((void *)memory);
}

/* A "PMU" of the kernel's software events, which are there without hardware: all of cpu
 * 0's page faults. The whole way from sysfs to the count. */
TEST("a PMU counts")
{
    static const char *const events[] = {"uncore_soft_0/faults/"};
    struct papi_seam seam = papi_seam_here();
    struct papi_counter *counter = NULL;
    struct count_set set = {0};
    struct error err = {0};
    char *devices = make_devices();

    if (!devices)
        return;
    put(devices, "uncore_soft_0/type", "1\n");
    put(devices, "uncore_soft_0/cpumask", "0\n");
    put(devices, "uncore_soft_0/format/event", "config:0-7\n");
    put(devices, "uncore_soft_0/events/faults", "event=0x02\n");
    seam.devices = devices;
    if (!check_ok(papi_counter_make(&seam, events, 1, NULL, &counter, &err), &err)) {
        scratch_remove(devices);
        return;
    }
    if (papi_counter_begin(counter, NULL, 0, &err)) {
        check_contains(err.text, "perf_event_paranoid");
        check_skip("this user may not count for everybody");
    } else {
        touch_pages();
        check_ok(papi_counter_end(counter, &set, &err), &err);
        check_eq(set.count_nr, 1);
        check_str(set.count[0].event, events[0]);
        check(set.count[0].value.known && set.count[0].value.value >= 0);
        check_near(set.count[0].share, 1, 0);
        check(set.seconds.known && set.seconds.value > 0);
    }
    papi_counter_free(counter);
    count_set_release(&set);
    scratch_remove(devices);
}
