/* From a profile of regions to occupancy, advice and the report; and the command. */
#include <stdlib.h>
#include <string.h>

#include "observe/report/regions_report.h"
#include "tests/advisor/place.h"

SUITE(advisor_regions);

#define PROGRAM "'" INFLIGHT_BINARY_DIR "/inflight_region_program' "

/* Of one machine: one process that was in it for 2 s, 24 threads all the time. */
static struct region *add_region(struct region_profile *profile, const char *name)
{
    GROW(profile->region, profile->region_nr + 1, profile->region_alloc);
    struct region *region = &profile->region[profile->region_nr++];
    *region = (struct region){.name = xstrdup(name),
                              .numbers = {.calls = 240,
                                          .thread_s = 48,
                                          .own_s = 48,
                                          .min_s = 0.1,
                                          .max_s = 0.4,
                                          .random_share = -1},
                              .wall_s = quantity_exact(2, PROVENANCE_CLOCK),
                              .hosts_s = 2,
                              .processes_at_once = 1,
                              .pairs = 240,
                              .marker_s = 240e-7,
                              .thread = {24, 2, 2, 2},
                              .process = {1, 2, 2, 2}};
    return region;
}

static void declare(struct region *region, double read_bytes, double write_bytes)
{
    region->numbers.declared = 240;
    region->numbers.read_bytes = read_bytes;
    region->numbers.write_bytes = write_bytes;
}

static struct settings skl(void)
{
    return (struct settings){.command = "profile", .machine = "skl", .cores = -1};
}

/* Mehta 2022, table IV: 106.9 GB/s at random on SKL, 145 ns, 10.1 lines per core. */
TEST("bytes become occupancy")
{
    struct settings settings = skl();
    struct regions_report report = {.settings = &settings, .wall_s = 4};
    struct error err = {0};
    struct region *region = add_region(&report.profile, "count");
    declare(region, 2 * 106.9e9, 0);
    region->numbers.random_share = 1;
    if (check_ok(regions_answers(&report, &err), &err)) {
        const struct region_answer *one = &report.answer[0];
        check_str(one->why_not, NULL);
        check_near(one->read_gbs.value, 106.9, 1e-9);
        check_near(one->cores.value, 24, 1e-9);
        check_eq(one->answer.cores, 24);
        check_near(one->answer.occupancy.latency_ns.value, 145, 0.01);
        check_near(one->answer.occupancy.paper_n.value, 106.9 * 145 / 64 / 24, 0.01);
        check_eq(one->answer.occupancy.diagnosis.cause, CAUSE_L1_MSHRS);
        check(one->answer.verdicts.nr > 0);
        check_str(one->given.source, "declared by inflight_region_bytes");
    }
    regions_report_release(&report);
}

/* Top-down of one routine, not of the whole program: 40 % of the slots retire, a tenth is
 * the front end's. */
TEST("counters tell of a region")
{
    static const struct {
        const char *event;
        double count;
    } counted[] = {
        {"CPU_CLK_UNHALTED:THREAD_P", 1e11}, {"IDQ_UOPS_NOT_DELIVERED:CORE", 4e10},
        {"UOPS_ISSUED:ANY", 1.6e11},         {"UOPS_RETIRED:RETIRE_SLOTS", 1.6e11},
        {"INT_MISC:RECOVERY_CYCLES", 0},     {"ARITH:DIVIDER_ACTIVE", 8e10}};
    struct settings settings = skl();
    struct regions_report report = {
        .settings = &settings, .wall_s = 4, .program = xstrdup("solver")};
    struct error err = {0};
    struct region *region = add_region(&report.profile, "divide");
    declare(region, 2 * 6e9, 0);
    region->numbers.random_share = 1;
    for (size_t i = 0; i < ARRAY_SIZE(counted); i++) {
        report.profile.event[report.profile.event_nr++] = xstrdup(counted[i].event);
        region->numbers.count[i] = counted[i].count;
    }
    if (check_ok(regions_answers(&report, &err), &err)) {
        const struct region_answer *one = &report.answer[0];
        const struct rule_verdict *smt =
            rule_verdicts_deciding(&one->answer.verdicts, "smt");
        struct buf text = {0};
        check_str(smt ? smt->rule : NULL, "full.shared_core");
        regions_text(&report, &text);
        check(text_matches(buf_str(&text),
                           "*Counters beside it, by the definitions of skylake-sp:\n"
                           "    Frontend_Bound     10 % of slots\n*"
                           "    Retiring           40 % of slots\n"
                           "    Division           80 % of cycles\n*"
                           "[core.simd]\n*"));
        buf_release(&text);
    }
    regions_report_release(&report);
}

/* Two processes of 12 threads that overlap only in part: between 2 s and 3 s. */
TEST("overlapping processes make an interval")
{
    struct settings settings = skl();
    struct regions_report report = {.settings = &settings, .wall_s = 4};
    struct error err = {0};
    struct region *region = add_region(&report.profile, "count");
    declare(region, 90e9, 30e9);
    region->wall_s = quantity_between(2, 2, 3, 0, PROVENANCE_CLOCK);
    if (check_ok(regions_answers(&report, &err), &err)) {
        check_near(report.answer[0].read_gbs.value, 45, 1e-9);
        check_near(report.answer[0].read_gbs.low, 30, 1e-9);
        check_near(report.answer[0].read_gbs.high, 45, 1e-9);
        check_near(report.answer[0].write_gbs.value, 15, 1e-9);
        check_near(report.answer[0].answer.gbs, 60, 1e-9);
    }
    regions_report_release(&report);
}

/* Threads that are not marked show in the processor time; those that wait do not. */
TEST("processor time goes before marks")
{
    struct settings settings = skl();
    struct regions_report report = {.settings = &settings, .wall_s = 4};
    struct error err = {0};
    struct region *one_thread = add_region(&report.profile, "parallel inside");
    one_thread->numbers.thread_s = 2;
    one_thread->numbers.asked_s = 2;
    one_thread->numbers.processor_s = 16;
    struct region *asked_once = add_region(&report.profile, "short calls");
    asked_once->numbers.asked_s = 0.1;
    asked_once->numbers.processor_s = 0.1;
    if (check_ok(regions_answers(&report, &err), &err)) {
        check_near(report.answer[0].cores.value, 8, 1e-9);
        check(report.answer[0].by_processor_time);
        check_near(report.answer[1].cores.value, 24, 1e-9);
        check(!report.answer[1].by_processor_time);
    }
    regions_report_release(&report);
}

TEST("unknown occupancy says why")
{
    struct settings settings = skl();
    struct regions_report report = {.settings = &settings, .wall_s = 4};
    struct error err = {0};
    add_region(&report.profile, "silent");
    declare(add_region(&report.profile, "cached"), 0, 0);
    declare(add_region(&report.profile, "filled"), 0, 1e9);
    declare(add_region(&report.profile, "boastful"), 2000e9, 0);
    struct region *outer = add_region(&report.profile, "outer");
    outer->inner_read_bytes = 20e9;
    if (check_ok(regions_answers(&report, &err), &err)) {
        check_contains(report.answer[0].why_not,
                       "declare them with inflight_region_bytes");
        check_contains(report.answer[1].why_not, "moves nothing through memory");
        check_contains(report.answer[2].why_not, "nothing is read from memory");
        check_contains(report.answer[3].why_not, "region 'boastful': 1000 GB/s is");
        check_contains(report.answer[3].why_not, "what stays in the caches");
        check_str(report.answer[4].why_not,
                  "only the regions within it declare bytes, 10 GB/s of its time");
    }
    regions_report_release(&report);
}

/* Counts go before what was declared: 1e9 lines of 64 bytes in 2 s. */
TEST("counts go before declared bytes")
{
    struct settings settings = skl();
    struct regions_report report = {.settings = &settings, .wall_s = 4};
    struct error err = {0};
    struct region *region = add_region(&report.profile, "count");
    declare(region, 1e9, 0);
    report.profile.event[report.profile.event_nr++] = xstrdup("PAPI_TOT_CYC");
    report.profile.event[report.profile.event_nr++] = xstrdup("LLC-misses");
    region->numbers.count[0] = region->numbers.count[1] = 1e9;
    if (check_ok(regions_answers(&report, &err), &err)) {
        check_near(report.answer[0].read_gbs.value, 32, 1e-9);
        check_eq(report.answer[0].read_gbs.provenance, PROVENANCE_PAPI);
        check(!strstr(report.answer[0].given.source, "declared"));
    }
    regions_report_release(&report);
}

TEST("notes name the mistake")
{
    struct settings settings = skl();
    struct regions_report report = {.settings = &settings, .wall_s = 4};
    struct region *region = add_region(&report.profile, "a\nb");
    region->crossed = 2;
    region->left_open = 1;
    region->marker_s = 12;
    report.profile.unrecorded_names = 3;
    regions_notes(&report);
    char *text = strvec_join(&report.note, "\n");
    check_str(
        text,
        "region 'a?b' crossed the end of a region around it (2 times), and was ended "
        "there: end the last begun first\n"
        "region 'a?b' was still open when the program ended (1 time); its time "
        "counts up to there\n"
        "the markers themselves are a tenth of the time or more of 'a?b' (25 %): "
        "mark a longer stretch, such as the loop around it\n"
        "begins are missing (3): a program may have 256 different names of regions");
    free(text);
    regions_report_release(&report);
}

/* ---- the command ---- */

TEST("the command reports")
{
    static const struct {
        const char *args;
        int code;
        const char *out, *err;
    } cases[] = {
        {"profile", 2, "", "*profile takes either a program, as in*"},
        {"profile --regions . -- true", 2, "", "*profile takes either*"},
        {"profile --regions . --events X", 2, "", "*--events says*"},
        {"profile --machine nosuch -- touch ran", 3, "", "*no machine profile 'nosuch'*"},
        {"profile --access odd -- touch ran", 2, "", "*--access: expected random*"},
        {"profile --events A,,B -- touch ran", 2, "",
         "*names of 1 to 63 letters*'A,,B'*"},
        {"profile --events 1,2,3,4,5,6,7,8,9 -- touch ran", 2, "", "*at most 8*got 9*"},
        {"profile -- ./nosuch", 3, "", "*cannot start './nosuch': No such file*"},
        {"profile --regions nosuch", 3, "", "*cannot read the folder 'nosuch'*"},
        {"profile --regions .", 0, "*No process left anything in '.'. Was*", ""},
        {"profile -- true", 0,
         "true: *No process of the program has region markers.*inflight advise -- true*",
         ""},
        {"profile -- sh -c 'exit 7'", 1, "sh -c exit 7: *; it ended with status 7*",
         "*'sh' ended with status 7; the report covers what it did until then\n"},
        {"profile --machine skl -- " PROGRAM "nested", 0,
         "*Regions, within what calls them\n*  step   *  sweep  *own: without*sweep\n*"
         "25 % random access*Notes\n*A pair of markers cost*",
         ""},
        {"profile -- " PROGRAM "nested", 0,
         "*Occupancy unknown: there is no machine profile*'inflight machine'*", ""},
        {"profile --machine skl -- " PROGRAM "killed", 1,
         "*it was ended by signal 9*the last*1 of 1 processes did not come*",
         "*was ended by signal 9*"},
        {"profile --machine skl -- " PROGRAM "mistakes", 0,
         "*a \"name\"??*region 'never begun' was ended*calls without a name (NULL), or "
         "outside of all*2*",
         ""},
        {"profile --machine skl -- " PROGRAM "forked", 0,
         "*3 processes,*only the regions within it declare*1 of 3 processes*did not "
         "come*",
         ""},
    };
    struct place place = {0};
    place_make(&place);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_run(&place, cases[i].args, cases[i].code, cases[i].out, cases[i].err);
    char *ran = path_join(place.work, "ran");
    check(!file_exists(ran)); /* refused before anything was run */
    free(ran);
    place_drop(&place);
}
