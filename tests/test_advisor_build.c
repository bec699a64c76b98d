/* What a build decides from a record: every way in which it may not fit, and the other
 * things that the script for CMake and make does without the program. */
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/check.h"
#include "tests/test_advisor_site.h"

/* The file that was chosen: its marks, and where its lines are said to come from. */
static void check_chosen(struct site *site, bool tuned)
{
    char *text = site_get(site, "out.c");
    char *line =
        xasprintf("#line 1 \"%s/%s\"\n", site->dir, tuned ? site->code : "sum.c");
    char *options = site_get(site, "out.c.options");

    check(strncmp(text, line, strlen(line)) == 0);
    check_contains(text, tuned ? "AS_TUNED" : "AS_WRITTEN");
    check_str(options, tuned ? "-fopenmp-simd\n" : "\n");
    free(text);
    free(line);
    free(options);
}

static void check_said(struct site *site, const char *args, bool tuned, const char *want)
{
    struct buf said = {0};
    char *old = path_join(site->dir, "out.c.said");

    unlink(old); /* it is said once otherwise */
    check_eq(site_select(site, args, &said), 0);
    if (*want)
        check_contains(buf_str(&said), want);
    else
        check_str(buf_str(&said), "");
    check_chosen(site, tuned);
    buf_release(&said);
    free(old);
}

static void a_record_that_fits_is_used(void)
{
    struct site site;

    if (!site_make(&site, false))
        return;
    check_said(&site, "", true,
               "inflight: sum.c: built as tuned, 1.76x (1.50 to 2.25) on 2026-01-31\n");
    site_change(&site, "sum.inflight.json", "\n      \"words\"", "\r\n  \"words\"");
    check_said(&site, "", true, "built as tuned");
    site_drop(&site);
}

static void a_record_that_does_not_fit_is_not(void)
{
    static const struct {
        const char *file, *from, *to, *want;
    } cases[] = {
        {"sum.inflight.json", "inflight.record/1", "inflight.record/2",
         "the record 'sum.inflight.json' is of another version, 'inflight.record/2'"},
        {"sum.inflight.json", "{", "", "'sum.inflight.json' is damaged"},
        {"sum.inflight.json", "\"schema\"", "\"scheme\"", "is damaged"},
        {"sum.inflight.json", "\"simd\"", "\"tile(i:8)\"", "was changed by hand"},
        {"sum.inflight.json", "\"runs\": 3", "\"runs\": 4", "was changed by hand"},
        {"sum.inflight.json", "\"machines\"", "\"machine\"", "knows no machine"},
        {"sum.inflight.json", "\"code\": \"sum", "\"code\": \"../sum", "changed by hand"},
        {"sum.c", "AS_WRITTEN;", "AS_WRITTEN; ", "'sum.c' changed since it was tuned"},
        {"sum.h", "enum", "enum ", "'sum.h' changed since it was tuned"},
        {"cpuinfo", "model\t\t: 17", "model\t\t: 18",
         "does not know this machine ('AMD EPYC', AuthenticAMD family 25 model 18), only "
         "'AMD EPYC'"},
        {"cpuinfo", "vendor_id", "vendor", "does not know this machine"},
        {"cpuinfo", "avx avx2", "avx",
         "this machine lacks instructions that the tuned code was compiled with: avx2"},
        {"sum.inflight.amd-25-17.c", "AS_TUNED", "EVIL",
         "'sum.inflight.amd-25-17.c' is missing or was changed"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct site site;
        struct buf said = {0};
        if (!site_make(&site, false))
            return;
        site_change(&site, cases[i].file, cases[i].from, cases[i].to);
        check_said(&site, "", false, cases[i].want);
        check_said(&site, "", false, "inflight: sum.c: built as written, because ");
        check(site_select(&site, "-DINFLIGHT_WORDS=STRICT", &said) != 0);
        check_contains(buf_str(&said), "STRICT asks for the tuned code");
        buf_release(&said);
        site_drop(&site);
    }
}

static void what_is_gone_is_said(void)
{
    struct site site;

    if (!site_make(&site, false))
        return;
    char *code = path_join(site.dir, site.code), *header = path_join(site.dir, "sum.h"),
         *record = path_join(site.dir, "sum.inflight.json");
    char *text = site_get(&site, "sum.h");
    unlink(code);
    check_said(&site, "", false, "is missing or was changed");
    unlink(header);
    check_said(&site, "", false, "'sum.h' changed since it was tuned");
    unlink(record);
    check_said(
        &site, "", false,
        "there is no record 'sum.inflight.json' yet; tune it on this machine: make "
        "inflight-tune\n");
    free(text);
    free(code);
    free(header);
    free(record);
    site_drop(&site);
}

/* A record may be written to mislead, with right checksums. */
static void a_name_that_leaves_the_folder_is_refused(void)
{
    static const char *const names[] = {"../x.c", "/etc/x.c", "a/b.c",
                                        "x.so",   ".x.c",     "-x.c"};
    struct site site;

    if (!site_make(&site, false))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        char *want = xasprintf("names the file '%s', which is no plain name of a C file",
                               names[i]);
        site.forged = names[i];
        site_record(&site, false);
        check_said(&site, "", false, want);
        free(want);
    }
    site_drop(&site);
}

static void drift_of_compiler_and_flags_is_a_note(void)
{
    struct site site;

    if (!site_make(&site, false))
        return;
    check_said(&site, "'-DINFLIGHT_FLAGS=-g -O3 -march=native -Wall'", true,
               "note: tuned at '-O2', built at '-O3 -march=native'");
    check_said(&site, "'-DINFLIGHT_FLAGS=-O0 -Iinclude -O2 -fPIC'", true,
               "(1.50 to 2.25) on 2026-01-31\n");
    check_said(&site, "-DINFLIGHT_COMPILER_ID=GNU -DINFLIGHT_COMPILER_VERSION=13.1.0",
               true, "tuned with 'gcc (Debian) 12.2.0', built with GNU 13.1.0");
    check_said(&site, "-DINFLIGHT_COMPILER_ID=Clang -DINFLIGHT_COMPILER_VERSION=12.2.0",
               true, "built with Clang 12.2.0");
    site_change(&site, "cpuinfo", "AMD EPYC", "AMD EPYC 9");
    check_said(&site, "", true,
               "tuned on 'AMD EPYC', this is 'AMD EPYC 9' of the same family and model");
    site_drop(&site);
}

/* Tuned with CHOICE=3, which the header names, and OTHER, which nothing does. */
static void other_definitions_build_the_source(void)
{
    static const struct {
        const char *flags, *want; /* "" = as tuned */
    } cases[] = {
        {"-DCHOICE=3", ""},
        {"-D CHOICE=3", ""},
        {"-DCHOICE=4 -UCHOICE -DCHOICE=3", ""},
        {"-DCHOICE=3 -DOTHER=5 -DCHOICES=2", ""},
        {"-DCHOICE=4", "CHOICE was 3 when it was tuned and is 4 now; build with that"},
        {"-DCHOICE=3 -DCHOICE", "CHOICE was 3 when it was tuned and is 1 now"},
        {"-DCHOICE=3 -U CHOICE", "CHOICE was 3 when it was tuned and is not defined now"},
        {"-O2", "CHOICE was 3 when it was tuned and is not defined now"},
        {"-DCHOICE=3 -DEXTRA=int", "EXTRA was not defined when it was tuned and is int "
                                   "now"},
    };
    struct site site;

    if (!site_make(&site, false))
        return;
    site_put(&site, "sum.h",
             "#ifdef EXTRA\n#endif\nenum { AS_WRITTEN = CHOICE, AS_TUNED = 2 };\n");
    site.definition = "CHOICE=3";
    site_record(&site, false);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *args = xasprintf("'-DINFLIGHT_FLAGS=-O2 %s'", cases[i].flags);
        bool tuned = !*cases[i].want;
        check_said(&site, args, tuned, tuned ? "built as tuned" : cases[i].want);
        free(args);
    }
    check_said(&site, "'-DINFLIGHT_DEFINITIONS=CHOICE=3;-DOTHER'", true, "as tuned");
    check_said(&site, "'-DINFLIGHT_DEFINITIONS=CHOICE=5;OTHER'", false, "is 5 now");
    site.definition = NULL; /* a record of an earlier version: compilers find it out */
    site_record(&site, false);
    check_said(&site, "-DINFLIGHT_DEFINITIONS=CHOICE=5", true, "as tuned");
    site_drop(&site);
}

static void words_are_checked(void)
{
    static const char *const cases[][2] = {
        {"BUGDET 60s", "it does not know 'BUGDET;60s'"},
        {"BUDGET", "a value is missing behind BUDGET"},
        {"BUDGET soon", "BUDGET takes a time such as 60s"},
        {"SET n", "SET takes NAME=VALUE"},
        {"FUNCTION 2f", "FUNCTION takes the name of a C function"},
    };
    struct site site;

    if (!site_make(&site, false))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct buf said = {0};
        char *args = xasprintf("'-DINFLIGHT_WORDS=%s'", cases[i][0]);
        check(site_select(&site, args, &said) != 0);
        check_contains(buf_str(&said), cases[i][1]);
        buf_release(&said);
        free(args);
    }
    check_said(&site, "'-DINFLIGHT_WORDS=FUNCTION other'", false,
               "is of function 'which', not of 'other'");
    check_said(&site, "'-DINFLIGHT_WORDS=FUNCTION which SET n=8 m=9'", true, "as tuned");
    site_drop(&site);
}

/* No gain is no reason to say anything; where every build asks, it is said once. */
static void nobody_reads_more_than_is_new(void)
{
    struct site site;
    struct buf said = {0};

    if (!site_make(&site, false))
        return;
    site.no_gain = true;
    site_record(&site, false);
    check_said(&site, "", false, "");
    char *job = xasprintf("set(INFLIGHT_SOURCE \"%s/sum.c\")\n"
                          "set(INFLIGHT_OUTPUT \"%s/out.c\")\n"
                          "set(INFLIGHT_RECORD \"%s/none.json\")\n"
                          "set(INFLIGHT_KEEP_TIME ON)\n",
                          site.dir, site.dir, site.dir);
    site_put(&site, "job.cmake", job);
    check_said(&site, "-DINFLIGHT_JOB=job.cmake", false,
               "there is no record 'none.json'");
    check_eq(site_select(&site, "-DINFLIGHT_JOB=job.cmake", &said), 0);
    check_str(buf_str(&said), "");
    buf_release(&said);
    free(job);
    site_drop(&site);
}

/* A mark at the beginning of a file is an error anywhere else. */
static void a_byte_order_mark_is_left_out(void)
{
    struct site site;

    if (!site_make(&site, false))
        return;
    char *text = site_get(&site, "sum.c"), *marked = xasprintf("\xef\xbb\xbf%s", text);
    site_put(&site, "sum.c", marked);
    check_said(&site, "", false, "changed since");
    free(text);
    free(marked);
    text = site_get(&site, "out.c");
    check(!strstr(text, "\xef\xbb\xbf"));
    free(text);
    site_drop(&site);
}

/* CMake takes each of these for "no" where it asks if(NAME). */
static void headers_may_have_any_name(void)
{
    static const char *const names[] = {"n",          "N",      "off",   "no",
                                        "0",          "y",      "FALSE", "ok",
                                        "x-NOTFOUND", "IGNORE", "a b",   "NOTFOUND"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        struct site site;
        if (!site_make(&site, false))
            return;
        char *path = path_join(site.dir, names[i]);
        char *want = xasprintf("'%s' changed since it was tuned", names[i]);
        site.more = names[i];
        site_put(&site, names[i], "enum { more = 1 };\n");
        site_record(&site, false);
        check_said(&site, "", true, "built as tuned");
        site_put(&site, names[i], "enum { more = 2 };\n");
        check_said(&site, "", false, want);
        unlink(path);
        check_said(&site, "", false, want);
        free(path);
        free(want);
        site_drop(&site);
    }
}

/* What is not there has no checksum, and an empty one is that of nothing. */
static void an_empty_checksum_fits_no_missing_file(void)
{
    struct site site;

    if (!site_make(&site, false))
        return;
    char *more = path_join(site.dir, "more.h"), *code = path_join(site.dir, site.code);
    site.more = "more.h";
    site_put(&site, "more.h", "enum { more };\n");
    site.no_sums = true;
    site_record(&site, false);
    unlink(more);
    check_said(&site, "", false, "'more.h' changed since it was tuned");
    free(more);
    /* the tuned C alone */
    site.more = NULL;
    site_record(&site, false);
    unlink(code);
    check_said(&site, "", false, "is missing or was changed");
    free(code);
    site_drop(&site);
}

/* Tuning and checking say what they miss; building misses nothing. */
static void without_the_program_only_builds_work(void)
{
    static const char *const modes[] = {"tune", "check"};
    struct site site;

    if (!site_make(&site, false))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
        struct buf said = {0};
        char *command = xasprintf(
            "'" CMAKE_PROGRAM "' -E env PATH=/nowhere '" CMAKE_PROGRAM
            "' -DINFLIGHT_MODE=%s -DINFLIGHT_SOURCE=sum.c -DINFLIGHT_OUTPUT=out.c -P "
            "'" INFLIGHT_SOURCE_DIR "/cmake/inflight-tune.cmake'",
            modes[i]);
        check(site_run(&site, command, &said) != 0);
        check_contains(buf_str(&said), "'inflight' is not installed");
        buf_release(&said);
        free(command);
    }
    site_drop(&site);
}

CU_TestInfo advisor_build_tests[] = {
    {"a record that fits is used", a_record_that_fits_is_used},
    {"a record that does not fit is not", a_record_that_does_not_fit_is_not},
    {"what is gone is said", what_is_gone_is_said},
    {"a name that leaves the folder is refused",
     a_name_that_leaves_the_folder_is_refused},
    {"drift of compiler and flags is a note", drift_of_compiler_and_flags_is_a_note},
    {"other definitions build the source", other_definitions_build_the_source},
    {"words are checked", words_are_checked},
    {"nobody reads more than is new", nobody_reads_more_than_is_new},
    {"a byte order mark is left out", a_byte_order_mark_is_left_out},
    {"headers may have any name", headers_may_have_any_name},
    {"an empty checksum fits no missing file", an_empty_checksum_fits_no_missing_file},
    {"without the program only builds work", without_the_program_only_builds_work},
    CU_TEST_INFO_NULL,
};
