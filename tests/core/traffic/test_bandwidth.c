/* "bandwidth" of the files of CPUs: every source, and bytes from counts that others took.
 */
#include <stdlib.h>
#include <string.h>

#include "core/cpu/cpu.h"
#include "core/traffic/counters/bandwidth_source.h"
#include "core/traffic/counters/papi_source.h"
#include "core/traffic/counters/perf.h"
#include "tests/check.h"

SUITE(traffic_bandwidth);

/* Calls `use` for every source of every CPU. */
static void each_source(void (*use)(const struct bandwidth_source *source, size_t *all),
                        size_t *all)
{
    const struct cpu_table *table;
    struct error err = {0};

    check_ok(cpu_table_get(&table, &err), &err);
    for (size_t i = 0; i < table->cpu_nr; i++) {
        struct json_at top = json_top(table->cpu[i].path, table->cpu[i].root), sources;
        size_t nr = 0;

        if (json_has(&top, "bandwidth"))
            check_ok(json_array_at(&top, "bandwidth", &sources, &nr, &err), &err);
        for (size_t k = 0; k < nr; k++) {
            struct json_at at = json_element(&sources, k);
            struct bandwidth_source source;

            if (check_ok(bandwidth_source_read(&at, &source, &err), &err)) {
                use(&source, all);
                bandwidth_source_release(&source);
            }
        }
    }
}

static void check_source(const struct bandwidth_source *source, size_t *all)
{
    check(source->write || !source->writebacks_included || source->together);
    ++*all;
}

/* Every source can be read, every formula parses and asks for its events. */
TEST("every source is sound")
{
    size_t all = 0;

    each_source(check_source, &all);
    check(all > 80);
}

/* Whether the event's PMU is in the tables of the libpfm4 that is here, and what it
 * counts is then one of its names. */
static bool is_in_libpfm4(const struct bandwidth_event *event)
{
    const char *end = strstr(event->name, "::"), *box = strstr(event->name, "%d");
    struct buf name = {0};
    struct error err = {0};
    bool known = false;

    if (end && end[2] != ':') {
        buf_add_n(&name, event->name, (size_t)((box ? box : end) - event->name));
        buf_add(&name, box ? "0" : "");
        known = pfm_pmu_known(buf_str(&name));
        buf_add(&name, end);
        if (known)
            check_ok(pfm_event_check(buf_str(&name), &err), &err);
    }
    buf_release(&name);
    return known;
}

static void count_known(const struct bandwidth_source *source, size_t *all)
{
    for (size_t e = 0; e < source->event_nr; e++)
        *all += is_in_libpfm4(&source->event[e]);
}

/* Libpfm4 answers for all CPUs that it has tables of. */
TEST("libpfm4 knows the names")
{
    size_t all = 0;

    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    if (pfm_event_check("skx::L1D:REPLACEMENT", NULL)) {
        check_skip("libpfm4 answers for this machine's CPU only");
        return;
    }
    each_source(count_known, &all);
    check(all >= 20);
}

TEST("bad sources are refused")
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"{\"scope\":\"moon\"}", "no scope 'moon'"},
        {"{\"scope\":\"core\",\"events\":[{\"name\":\"a\"}],\"read_bytes\":\"a * \","
         "\"writebacks_included\":false,\"source\":\"s\"}",
         "read_bytes: formula 'a * ', column 5"},
        {"{\"scope\":\"core\",\"events\":[{\"name\":\"a\"}],\"read_bytes\":\"a * b\","
         "\"writebacks_included\":false,\"source\":\"s\"}",
         "read_bytes asks for 'b', which is none of the events"},
        {"{\"scope\":\"core\",\"events\":[{\"name\":\"a\"},{\"name\":\"b\"}],"
         "\"read_bytes\":\"a\",\"writebacks_included\":false,\"source\":\"s\"}",
         "no formula needs the event 'b'"},
        {"{\"scope\":\"core\",\"events\":[{\"name\":\"a\"}],\"read_bytes\":\"a\","
         "\"writebacks_included\":false,\"source\":\"s\",\"factor\":64}",
         "factor"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct bandwidth_source source;
        struct error err = {0};
        json_t *root = NULL;

        check_ok(json_read_text(cases[i].text, "x.json", NULL, &root, &err), &err);
        struct json_at top = json_top("x.json", root);
        check_fails(bandwidth_source_read(&top, &source, &err), &err, STATUS_INPUT,
                    cases[i].part);
        json_decref(root);
    }
}

TEST("names match")
{
    static const struct {
        const char *pattern, *event;
        bool matches;
    } cases[] = {
        {"a::B:RD", "a::B:RD", true},
        {"a::B:RD", "A::b:rd", true},
        {"a::B:RD", "a::B:WR", false},
        {"a::B", "a::B:u", true},
        {"a::B", "a::B:ukh", true},
        {"a::B", "a::B:RD", false},
        {"a::B", "a::BC", false},
        {"x_imc%d::B", "x_imc12::B", true},
        {"x_imc%d::B", "x_imc::B", false},
        {"hisi_sccl%d_ddrc%d/flux_rd/", "hisi_sccl3_ddrc0/flux_rd/", true},
        {"nest:cpu%c", "nest:cpu175", true},
        {"CAS:MBOX%dC%d", "CAS:MBOX7C1", true},
        {"", "", true},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_eq(bandwidth_names(cases[i].pattern, cases[i].event), cases[i].matches);
}

struct count {
    const char *event;
    double value;
};

static void fill(struct count_set *set, const struct count *count)
{
    for (; count->event; count++)
        count_set_add(set, count->event,
                      quantity_exact(count->value, PROVENANCE_RECORDED), 1);
}

static const struct count papi_skx[] = {{"skx_unc_imc0::UNC_M_CAS_COUNT:RD", 100},
                                        {"skx_unc_imc1::UNC_M_CAS_COUNT:RD", 20},
                                        {"skx_unc_imc0::UNC_M_CAS_COUNT:WR", 3},
                                        {"skx_unc_imc5::UNC_M_CAS_COUNT:WR", 4},
                                        {"PAPI_TOT_INS", 1e9},
                                        {0}};
static const struct count likwid_skx[] = {
    {"INSTR_RETIRED_ANY", 1e9}, {"CAS_COUNT_RD", 100}, {"CAS_COUNT_WR", 3},
    {"CAS_COUNT_RD", 20},       {"CAS_COUNT_WR", 4},   {0}};
static const struct count both_skx[] = {
    {"longest_lat_cache.miss", 9}, {"CAS_COUNT_RD", 120}, {"CAS_COUNT_WR", 7}, {0}};
static const struct count perf_skx[] = {{"uncore_imc_0/cas_count_read/", 100},
                                        {"uncore_imc_4/cas_count_read/", 20},
                                        {"uncore_imc_0/cas_count_write/", 7},
                                        {0}};
static const struct count perf_zen4[] = {
    {"umc_cas_cmd.rd", 64}, {"umc_cas_cmd.wr", 32}, {0}};
static const struct count zen2[] = {{"dram_channel_data_controller_0", 1},
                                    {"dram_channel_data_controller_1", 1},
                                    {"dram_channel_data_controller_2", 1},
                                    {"dram_channel_data_controller_3", 1},
                                    {"dram_channel_data_controller_4", 1},
                                    {"dram_channel_data_controller_5", 1},
                                    {"dram_channel_data_controller_6", 1},
                                    {"dram_channel_data_controller_7", 3},
                                    {0}};
static const struct count a64fx[] = {{"L2D_CACHE_REFILL", 100},
                                     {"L2D_SWAP_DM", 20},
                                     {"L2D_CACHE_MIBMCH_PRF", 30},
                                     {"L2D_CACHE_WB", 7},
                                     {0}};
static const struct count grace[] = {{"nvidia_scf_pmu_0/cmem_rd_data/", 10},
                                     {"nvidia_scf_pmu_1/cmem_rd_data/", 10},
                                     {"nvidia_scf_pmu_0/cmem_wr_total_bytes/", 640},
                                     {0}};
static const struct count summit[] = {
    {"pcp:::perfevent.hwcounters.nest_mba0_imc.PM_MBA0_READ_BYTES.value:cpu87", 1000},
    {"pcp:::perfevent.hwcounters.nest_mba7_imc.PM_MBA7_READ_BYTES.value:cpu175", 24},
    {"pcp:::perfevent.hwcounters.nest_mba3_imc.PM_MBA3_WRITE_BYTES.value:cpu87", 512},
    {0}};
static const struct count n1[] = {{"ll_cache_miss_rd:u", 5}, {0}};
static const struct count one_channel[] = {
    {"DRAM_CHANNEL_0", 10}, {"DRAM_CHANNEL_1", 10}, {0}};

TEST("bytes from counts")
{
    static const struct {
        const char *cpu;
        const struct count *count;
        double read, write; /* -1 = unknown */
        const char *source;
    } cases[] = {
        {"Skylake-SP", papi_skx, 120 * 64, 7 * 64, "through PAPI"},
        {"intel 6 85 4", likwid_skx, 120 * 64, 7 * 64, "CAS commands"},
        {"GenuineIntel-6-55-7", perf_skx, 120 * 64, 7 * 64, "the kernel (perf)"},
        {NULL, papi_skx, 120 * 64, 7 * 64, "CAS commands"},
        {NULL, likwid_skx, 120 * 64, 7 * 64, "CAS commands"},
        {NULL, both_skx, 120 * 64, 7 * 64, "CAS commands"},
        {NULL, perf_skx, 120 * 64, 7 * 64, "CAS commands"},
        {"Intel(R) Xeon(R) Platinum 8160", papi_skx, 120 * 64, 7 * 64, "CAS commands"},
        {"AuthenticAMD 25 17 1", perf_zen4, 4096, 2048, "unified memory controllers"},
        {"zen 2", zen2, 640, -1, "reads and writes together"},
        {"A64FX", a64fx, 50 * 256, 7 * 256, "refills of L2"},
        {NULL, a64fx, 50 * 256, 7 * 256, "calibrate"},
        {NULL, grace, 640, 640, "NVIDIA Grace"},
        {"processor : 0\ncpu : POWER9, altivec supported\n", summit, 1024, 512,
         "Performance Co-Pilot"},
        {"Neoverse N1", n1, 320, -1, "a proxy without write-backs"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct count_set set = {0};
        struct quantity read, write;
        struct error err = {0};
        char *source = NULL;

        fill(&set, cases[i].count);
        if (check_ok(traffic_bandwidth_from_counts(cases[i].cpu, &set, &read, &write,
                                                   &source, &err),
                     &err)) {
            check_near(read.value, cases[i].read, 1e-12);
            check_eq(read.provenance, PROVENANCE_RECORDED);
            check_eq(write.known, cases[i].write >= 0);
            if (write.known)
                check_near(write.value, cases[i].write, 1e-12);
            check_contains(source, cases[i].source);
        }
        free(source);
        count_set_release(&set);
    }
}

/* Both directions: their sum, what a CPU tells of them together, or nothing where one is
 * not counted. */
TEST("both directions from counts")
{
    static const struct {
        const char *cpu;
        const struct count *count;
        double read, write, both; /* -1 = unknown */
    } cases[] = {{"Skylake-SP", papi_skx, 120 * 64, 7 * 64, 127 * 64},
                 {"zen 2", zen2, -1, -1, 640},
                 {"Neoverse N1", n1, 320, -1, -1},
                 {"Skylake-SP", zen2, -1, -1, -1}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct count_set set = {0};
        struct traffic_memory memory;
        struct error err = {0};

        fill(&set, cases[i].count);
        check_eq(traffic_memory_from_counts(cases[i].cpu, &set, &memory, &err),
                 i == 3 ? -1 : 0);
        check_near(memory.read.known ? memory.read.value : -1, cases[i].read, 1e-12);
        check_near(memory.write.known ? memory.write.value : -1, cases[i].write, 1e-12);
        check_near(memory.both.known ? memory.both.value : -1, cases[i].both, 1e-12);
        error_clear(&err);
        count_set_release(&set);
    }
}

TEST("counts that do not do")
{
    static const struct count nothing[] = {{"instructions", 1}, {0}},
                              half[] = {{"skx_unc_imc0::UNC_M_CAS_COUNT:RD", 5}, {0}};
    static const struct {
        const char *cpu;
        const struct count *count;
        enum status status;
        const char *part;
    } cases[] = {
        {NULL, nothing, STATUS_MISSING, "these counts hold no memory traffic"},
        {"Skylake-SP", half, STATUS_MISSING,
         "'skx_unc_imc%d::UNC_M_CAS_COUNT:WR' is not among the counts"},
        {"Zen 2", one_channel, STATUS_MISSING, "is not among the counts"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct count_set set = {0};
        struct quantity read, write;
        struct error err = {0};
        char *source;

        fill(&set, cases[i].count);
        check_fails(traffic_bandwidth_from_counts(cases[i].cpu, &set, &read, &write,
                                                  &source, &err),
                    &err, cases[i].status, cases[i].part);
        check(!read.known && !write.known && !source);
        count_set_release(&set);
    }
}

/* One event unknown, and why; boxes with intervals. */
TEST("uncertain counts")
{
    struct count_set set = {0};
    struct quantity read, write;
    struct error err = {0};
    char *source;

    count_set_add(&set, "CAS_COUNT_RD",
                  quantity_between(100, 97, 103, 0, PROVENANCE_RECORDED), 0.5);
    count_set_add(&set, "CAS_COUNT_RD",
                  quantity_between(200, 196, 204, 0, PROVENANCE_RECORDED), 0.5);
    count_set_add(&set, "CAS_COUNT_WR", quantity_exact(10, PROVENANCE_RECORDED), 1);
    check_ok(
        traffic_bandwidth_from_counts("Skylake-SP", &set, &read, &write, &source, &err),
        &err);
    check_near(read.low, (300 - 5) * 64, 1e-12);
    check_near(read.high, (300 + 5) * 64, 1e-12);
    free(source);
    set.count[2].value = quantity_unknown();
    check_fails(
        traffic_bandwidth_from_counts("Skylake-SP", &set, &read, &write, &source, &err),
        &err, STATUS_MISSING, "");
    count_set_release(&set);
}

/* The same counts, which two CPUs mean differently. */
TEST("ambiguous counts ask for the cpu")
{
    static const struct count both[] = {{"DRAM_READS", 5},
                                        {"DRAM_WRITES", 5},
                                        {"MEMORY_READS", 7},
                                        {"MEMORY_WRITES", 7},
                                        {0}};
    struct count_set set = {0};
    struct quantity read, write;
    struct error err = {0};
    char *source;

    fill(&set, both);
    check_fails(traffic_bandwidth_from_counts(NULL, &set, &read, &write, &source, &err),
                &err, STATUS_INPUT, "say which CPU they are from");
    check_ok(traffic_bandwidth_from_counts("ThunderX2 (Vulcan)", &set, &read, &write,
                                           &source, &err),
             &err);
    check_near(read.value, 7 * 64, 1e-12);
    free(source);
    count_set_release(&set);
}
