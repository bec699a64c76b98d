/* inflight check: what it says of a gain, and of records that do not hold any more. None
 * of the latter has its code run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/apply/check_items.h"
#include "advisor/apply/keep_record.h"
#include "tests/advisor/site.h"
#include "tests/check.h"

SUITE(advisor_check);

static struct quantity between(double low, double high)
{
    return quantity_between(sqrt(low * high), low, high, 4, PROVENANCE_CLOCK);
}

/* What noise could explain is never called a loss. */
TEST("a gain is judged by intervals")
{
    static const struct {
        double recorded[2], now[2]; /* now 0, 0: not known */
        enum check_state state;
        const char *want;
    } cases[] = {
        {{1.5, 2}, {1.6, 1.9}, CHECK_GOOD, "1.74x (1.60 to 1.90) now, recorded 1.73x"},
        {{1.5, 2}, {1.3, 1.6}, CHECK_GOOD, "now, recorded"},
        {{1.5, 2}, {2.5, 3}, CHECK_GOOD, "now, recorded"},
        {{1.5, 2}, {1.2, 1.4}, CHECK_DRIFT, "still faster, but less so"},
        {{1.5, 2}, {0.9, 1.1}, CHECK_DRIFT, "the gain is gone"},
        {{1.5, 2}, {0.5, 0.9}, CHECK_DRIFT, "the gain is gone"},
        {{1.1, 2}, {0.5, 0.9}, CHECK_DRIFT, "the gain is gone"},
        {{1.5, 2}, {0.8, 1.7}, CHECK_NOTE, "too noisy to be told"},
        {{1.02, 1.2}, {0.99, 1.1}, CHECK_NOTE, "too noisy to be told"},
        {{1.5, 2}, {0, 0}, CHECK_DRIFT, "could not be timed"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct check_items items = {0};
        const double *now = cases[i].now;
        check_gain(between(cases[i].recorded[0], cases[i].recorded[1]),
                   now[1] > 0 ? between(now[0], now[1]) : quantity_unknown(), &items);
        if (!check_eq(items.item[0].state, cases[i].state))
            check_str(items.item[0].sentence, cases[i].want);
        check_contains(items.item[0].sentence, cases[i].want);
        check_items_release(&items);
    }
}

TEST("a busy machine says nothing")
{
    struct check_items items = {0};
    struct quantity now = between(0.5, 0.9);

    now.doubted = true;
    now.disturbed = 0.5;
    check(!kept_gain_is_real(now));
    check_gain(between(1.5, 2), now, &items);
    check_eq(items.item[0].state, CHECK_NOTE);
    check_contains(items.item[0].sentence, "not believed: the machine was busy (others "
                                           "had the processor for 50 % of the time)");
    check_items_release(&items);
    now = between(1.5, 2);
    now.doubted = true;
    check(!kept_gain_is_real(now));
}

static int run_check(struct site *site, const char *args, struct buf *output)
{
    char *command = xasprintf("'%s' check sum.inflight.json --compiler cc %s",
                              INFLIGHT_PROGRAM, args);
    int code = site_run(site, command, output);

    free(command);
    return code;
}

/* Of each: what is said; that it is a warning; and a failure when asked for one. */
static void check_drift(struct site *site, const char *want)
{
    struct buf output = {0};

    if (!check_eq(run_check(site, "", &output), 0))
        check_str(buf_str(&output), "a warning");
    check_contains(buf_str(&output), want);
    check_contains(buf_str(&output), "by sum.inflight.json: drifted\n");
    check(!strstr(buf_str(&output), " results  ")); /* nothing was run */
    buf_reset(&output);
    check_eq(run_check(site, "--strict", &output), 1);
    check_contains(buf_str(&output), "it has drifted, and --strict was given");
    buf_release(&output);
}

TEST("what does not hold is not run")
{
    static const struct {
        const char *file, *from, *to, *want;
    } cases[] = {
        {"sum.c", "int which", "int  which", "drift  source"},
        {"sum.h", "enum", "enum ", "drift  headers"},
        {"sum.inflight.json", "simd", "tile(i:8)", "drift  record"},
        {"sum.inflight.json", "\"family\": \"", "\"family\": \"x",
         "the record does not know this machine"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct site site;
        if (!site_make(&site, true)) {
            check_skip("this machine's CPU is not named in /proc/cpuinfo");
            return;
        }
        site_change(&site, cases[i].file, cases[i].from, cases[i].to);
        check_drift(&site, cases[i].want);
        site_drop(&site);
    }
}

TEST("tuned code that changed is not run")
{
    struct site site;

    if (!site_make(&site, true))
        return;
    site_change(&site, site.code, "AS_TUNED", "EVIL");
    check_drift(&site, "drift  tuned code");
    site_drop(&site);
}

TEST("code for another instruction set is not run")
{
    struct site site;

    if (!site_make(&site, true))
        return;
    site.isa = "avx512nowhere";
    site_record(&site, true);
    check_drift(&site, "this CPU lacks instructions");
    site_drop(&site);
}

TEST("values are told apart")
{
    static const struct {
        const char *name, *use, *value; /* beside A, which is 1 */
        enum check_state state;
        const char *want;
    } cases[] = {
        {"B", "B", "2", CHECK_GOOD, "2 of macros, sizes, types and branches, all as"},
        {"B", "B", "3", CHECK_DRIFT, "B was 2 when it was tuned and is 3 now"},
        {"B", "B == 3", "2", CHECK_DRIFT, "B chooses another branch than when it was"},
        {"C", "C", "2", CHECK_DRIFT,
         "B was 2 when it was tuned and is not used now, C is 2 now and was not used"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct record_machine then = {0}, now = {0};
        struct check_items items = {0};
        record_add_frozen(&then, "A", "A", "1");
        record_add_frozen(&then, "B", "B", "2");
        record_add_frozen(&now, cases[i].name, cases[i].use, cases[i].value);
        record_add_frozen(&now, "A", "A", "1");
        check_eq(check_frozen(&then, &now, &items), cases[i].state == CHECK_GOOD);
        check_eq(items.item[0].state, cases[i].state);
        check_contains(items.item[0].sentence, cases[i].want);
        check(!strstr(items.item[0].sentence, "A was"));
        check_items_release(&items);
        record_machine_release(&then);
        record_machine_release(&now);
    }
}

/* The files are what was tuned, the flags are not. */
TEST("code for another value is not run")
{
    struct site site;
    struct buf output = {0};

    if (!site_make(&site, true))
        return;
    site_put(&site, "sum.c",
             "void which(double a[64])\n{\n"
             "    for (int i = 0; i < CHOICE; i++)\n        a[i] = 2 * a[i];\n}\n");
    site.definition = "CHOICE=3";
    site_record(&site, true);
    check_eq(run_check(&site, "--strict -- -DCHOICE=4", &output), 1);
    check_contains(buf_str(&output), "CHOICE was 3 when it was tuned and is 4 now");
    check_contains(buf_str(&output), "not checked, because of the above");
    check(!strstr(buf_str(&output), " results  "));
    buf_release(&output);
    site_drop(&site);
}

/* Flags of a record that would load code are refused before anything is started. */
TEST("flags of a stranger are refused")
{
    struct site site;
    struct buf output = {0};

    if (!site_make(&site, true))
        return;
    site.flag = "-fplugin=evil.so";
    site_record(&site, true);
    check_eq(run_check(&site, "", &output), 3);
    check_contains(buf_str(&output), "the record's compiler flag '-fplugin=evil.so'");
    buf_release(&output);
    site_drop(&site);
}

TEST("another function is refused")
{
    struct site site;
    struct buf output = {0};

    if (!site_make(&site, true))
        return;
    check_eq(run_check(&site, "--function other", &output), 2);
    check_contains(buf_str(&output), "is of function 'which', not of 'other'");
    buf_release(&output);
    site_drop(&site);
}

TEST("it is there as JSON")
{
    struct site site;
    struct buf output = {0};
    json_t *root = NULL;

    if (!site_make(&site, true))
        return;
    site_change(&site, "sum.h", "enum", "enum ");
    check_eq(run_check(&site, "--json", &output), 0);
    if (check_ok(json_read_text(buf_str(&output), "check", "inflight.check/1", &root,
                                &site.err),
                 &site.err)) {
        check_str(json_string_value(json_object_get(root, "verdict")), "drifted");
        check_str(json_string_value(json_object_get(root, "function")), "which");
        check(json_array_size(json_object_get(root, "items")) >= 6);
    }
    json_decref(root);
    buf_release(&output);
    site_drop(&site);
}
