/* What a build decides from a record: every way in which it may not fit, and the other
 * things that the script for CMake and make does without the program. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/advisor/site.h"
#include "tests/check.h"

SUITE(advisor_build);

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

static void check_reported(struct site *site, const char *args, bool tuned,
                           const char *want)
{
    struct buf output = {0};
    char *old = path_join(site->dir, "out.c.said");

    unlink(old); /* it is said once otherwise */
    check_eq(site_select(site, args, &output), 0);
    if (*want)
        check_contains(buf_str(&output), want);
    else
        check_str(buf_str(&output), "");
    check_chosen(site, tuned);
    buf_release(&output);
    free(old);
}

TEST("a record that fits is used")
{
    struct site site;

    if (!site_make(&site, false))
        return;
    check_reported(
        &site, "", true,
        "inflight: sum.c: built as tuned, 1.76x (1.50 to 2.25) on 2026-01-31\n");
    site_change(&site, "sum.inflight.json", "\n      \"words\"", "\r\n  \"words\"");
    check_reported(&site, "", true, "built as tuned");
    site_drop(&site);
}

TEST("a record that does not fit is not")
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
        struct buf output = {0};
        if (!site_make(&site, false))
            return;
        site_change(&site, cases[i].file, cases[i].from, cases[i].to);
        check_reported(&site, "", false, cases[i].want);
        check_reported(&site, "", false, "inflight: sum.c: built as written, because ");
        check(site_select(&site, "-DINFLIGHT_WORDS=STRICT", &output) != 0);
        check_contains(buf_str(&output), "STRICT asks for the tuned code");
        buf_release(&output);
        site_drop(&site);
    }
}

TEST("what is gone is said")
{
    struct site site;

    if (!site_make(&site, false))
        return;
    char *code = path_join(site.dir, site.code), *header = path_join(site.dir, "sum.h"),
         *record = path_join(site.dir, "sum.inflight.json");
    char *text = site_get(&site, "sum.h");
    unlink(code);
    check_reported(&site, "", false, "is missing or was changed");
    unlink(header);
    check_reported(&site, "", false, "'sum.h' changed since it was tuned");
    unlink(record);
    check_reported(
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
TEST("a name that leaves the folder is refused")
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
        check_reported(&site, "", false, want);
        free(want);
    }
    site_drop(&site);
}

TEST("drift of compiler and flags is a note")
{
    struct site site;

    if (!site_make(&site, false))
        return;
    check_reported(&site, "'-DINFLIGHT_FLAGS=-g -O3 -march=native -Wall'", true,
                   "note: tuned at '-O2', built at '-O3 -march=native'");
    check_reported(&site, "'-DINFLIGHT_FLAGS=-O0 -Iinclude -O2 -fPIC'", true,
                   "(1.50 to 2.25) on 2026-01-31\n");
    check_reported(&site, "-DINFLIGHT_COMPILER_ID=GNU -DINFLIGHT_COMPILER_VERSION=13.1.0",
                   true, "tuned with 'gcc (Debian) 12.2.0', built with GNU 13.1.0");
    check_reported(&site,
                   "-DINFLIGHT_COMPILER_ID=Clang -DINFLIGHT_COMPILER_VERSION=12.2.0",
                   true, "built with Clang 12.2.0");
    site_change(&site, "cpuinfo", "AMD EPYC", "AMD EPYC 9");
    check_reported(
        &site, "", true,
        "tuned on 'AMD EPYC', this is 'AMD EPYC 9' of the same family and model");
    site_drop(&site);
}

/* Tuned with CHOICE=3, which the header names, and OTHER, which nothing does. */
TEST("other definitions build the source")
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
        check_reported(&site, args, tuned, tuned ? "built as tuned" : cases[i].want);
        free(args);
    }
    check_reported(&site, "'-DINFLIGHT_DEFINITIONS=CHOICE=3;-DOTHER'", true, "as tuned");
    check_reported(&site, "'-DINFLIGHT_DEFINITIONS=CHOICE=5;OTHER'", false, "is 5 now");
    site.definition = NULL; /* a record of an earlier version: compilers find it out */
    site_record(&site, false);
    check_reported(&site, "-DINFLIGHT_DEFINITIONS=CHOICE=5", true, "as tuned");
    site_drop(&site);
}

TEST("words are checked")
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
        struct buf output = {0};
        char *args = xasprintf("'-DINFLIGHT_WORDS=%s'", cases[i][0]);
        check(site_select(&site, args, &output) != 0);
        check_contains(buf_str(&output), cases[i][1]);
        buf_release(&output);
        free(args);
    }
    check_reported(&site, "'-DINFLIGHT_WORDS=FUNCTION other'", false,
                   "is of function 'which', not of 'other'");
    check_reported(&site, "'-DINFLIGHT_WORDS=FUNCTION which SET n=8 m=9'", true,
                   "as tuned");
    site_drop(&site);
}

/* No gain is no reason to say anything; where every build asks, it is said once. */
TEST("nobody reads more than is new")
{
    struct site site;
    struct buf output = {0};

    if (!site_make(&site, false))
        return;
    site.no_gain = true;
    site_record(&site, false);
    check_reported(&site, "", false, "");
    char *job = xasprintf("set(INFLIGHT_SOURCE \"%s/sum.c\")\n"
                          "set(INFLIGHT_OUTPUT \"%s/out.c\")\n"
                          "set(INFLIGHT_RECORD \"%s/none.json\")\n"
                          "set(INFLIGHT_KEEP_TIME ON)\n",
                          site.dir, site.dir, site.dir);
    site_put(&site, "job.cmake", job);
    check_reported(&site, "-DINFLIGHT_JOB=job.cmake", false,
                   "there is no record 'none.json'");
    check_eq(site_select(&site, "-DINFLIGHT_JOB=job.cmake", &output), 0);
    check_str(buf_str(&output), "");
    buf_release(&output);
    free(job);
    site_drop(&site);
}

/* A mark at the beginning of a file is an error anywhere else. */
TEST("a byte order mark is left out")
{
    struct site site;

    if (!site_make(&site, false))
        return;
    char *text = site_get(&site, "sum.c"), *marked = xasprintf("\xef\xbb\xbf%s", text);
    site_put(&site, "sum.c", marked);
    check_reported(&site, "", false, "changed since");
    free(text);
    free(marked);
    text = site_get(&site, "out.c");
    check(!strstr(text, "\xef\xbb\xbf"));
    free(text);
    site_drop(&site);
}

/* CMake takes each of these for "no" where it asks if(NAME). */
TEST("headers may have any name")
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
        check_reported(&site, "", true, "built as tuned");
        site_put(&site, names[i], "enum { more = 2 };\n");
        check_reported(&site, "", false, want);
        unlink(path);
        check_reported(&site, "", false, want);
        free(path);
        free(want);
        site_drop(&site);
    }
}

/* What is not there has no checksum, and an empty one is that of nothing. */
TEST("an empty checksum fits no missing file")
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
    check_reported(&site, "", false, "'more.h' changed since it was tuned");
    free(more);
    /* the tuned C alone */
    site.more = NULL;
    site_record(&site, false);
    unlink(code);
    check_reported(&site, "", false, "is missing or was changed");
    free(code);
    site_drop(&site);
}

/* Tuning and checking say what they miss; building misses nothing. */
TEST("without the program only builds work")
{
    static const char *const modes[] = {"tune", "check"};
    struct site site;

    if (!site_make(&site, false))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
        struct buf output = {0};
        char *command = xasprintf(
            "'" CMAKE_PROGRAM "' -E env PATH=/nowhere '" CMAKE_PROGRAM
            "' -DINFLIGHT_MODE=%s -DINFLIGHT_SOURCE=sum.c -DINFLIGHT_OUTPUT=out.c -P "
            "'" INFLIGHT_SOURCE_DIR "/cmake/inflight-tune.cmake'",
            modes[i]);
        check(site_run(&site, command, &output) != 0);
        check_contains(buf_str(&output), "'inflight' is not installed");
        buf_release(&output);
        free(command);
    }
    site_drop(&site);
}
