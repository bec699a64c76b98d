/* Small readers of the command line and of source: caches, renamed functions. */
#include <stdlib.h>
#include <string.h>

#include "advisor/apply/rename_source.h"
#include "advisor/cli/cli.h"
#include "core/traffic/traffic.h"
#include "tests/check.h"

SUITE(advisor_words);

/* ---- --cache and --line ---- */

TEST("caches")
{
    struct traffic_geometry geometry = {.line_bytes = 64, .tlb_entries = 99};
    struct error err = {0};

    check_ok(cache_words_read("L1=32KiB:8,L2=1M,L3=8MiB:16:inclusive,L4=1G:exclusive:4",
                              &geometry, &err),
             &err);
    check_eq(geometry.level_nr, 4);
    check_near(geometry.level[0].bytes, 32768, 0);
    check_eq(geometry.level[0].ways, 8);
    check_eq(geometry.level[0].inclusion, TRAFFIC_NON_INCLUSIVE);
    check_eq(geometry.level[1].ways, 0);
    check_eq(geometry.level[2].inclusion, TRAFFIC_INCLUSIVE);
    check_eq(geometry.level[3].inclusion, TRAFFIC_EXCLUSIVE);
    check_eq(geometry.level[3].ways, 4);
    check_eq(geometry.tlb_entries, 99);
    check_ok(cache_words_read("L1=48K", &geometry, &err), &err);
    check_eq(geometry.level_nr, 1);
    check_ok(cache_line_read(128, &geometry, &err), &err);
    check_eq(geometry.line_bytes, 128);
}

TEST("caches that are refused")
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "--cache: '' is not understood; expected levels from L1 on"},
        {"32KiB", "--cache: '32KiB' is not understood"},
        {"L2=1M", "--cache: 'L2=1M' is not understood"},
        {"L1=32K,L3=1M", "--cache: 'L3=1M' is not understood"},
        {"L1=", "--cache: '' is not understood"},
        {"L1=big", "--cache: 'big' is not a size such as 4096"},
        {"L1=8", "--cache: '8' is too small for a cache"},
        {"L1=32K:0", "--cache: expected 1 to 1024 ways, got '0'"},
        {"L1=32K:8:around", "--cache: 'around' is not a whole number"},
        {"L1=1K,L2=2K,L3=3K,L4=4K,L5=5K", "--cache: at most 4 levels are modelled"},
    };
    static const long long lines[] = {0, 4, 63, 65, 8192};
    struct error err = {0};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct traffic_geometry geometry = {0};

        check_fails(cache_words_read(cases[i].text, &geometry, &err), &err, STATUS_USAGE,
                    cases[i].message);
    }
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        struct traffic_geometry geometry = {0};

        check_fails(cache_line_read(lines[i], &geometry, &err), &err, STATUS_USAGE,
                    "--line: expected a power of two from 8 to 4096 bytes");
        check_eq(geometry.line_bytes, 0);
    }
}

/* ---- one function under another's name ---- */

static const char before[] = "#include \"beside.h\"\n"
                             "#include \"not_there.h\"\n"
                             "#include <math.h>\n"
                             " # include \"beside.h\" // fast\n"
                             "/* fast slow */ // slow\n"
                             "static const char *text = \"fast \\\" slow\";\n"
                             "static char quote = '\"', other = '\\'';\n"
                             "void slow(int n) { fast(n); }\n"
                             "void fast(int faster) { slow(0x1fast); breakfast; }\n"
                             "#define CALL slow /* unfinished";

static const char after[] = "#include \"not_there.h\"\n"
                            "#include <math.h>\n"
                            " # include \"%s\" // fast\n"
                            "/* fast slow */ // slow\n"
                            "static const char *text = \"fast \\\" slow\";\n"
                            "static char quote = '\"', other = '\\'';\n"
                            "void inflight_other_slow(int n) { slow(n); }\n"
                            "void slow(int faster) { inflight_other_slow(0x1fast); "
                            "breakfast; }\n"
                            "#define CALL inflight_other_slow /* unfinished";

TEST("a function gets another's name")
{
    struct error err = {0};
    struct buf out = {0};
    char *dir = NULL, *path, *beside, *want, *rest;

    check_ok(scratch_make(&dir, &err), &err);
    path = path_join(dir, "two.c");
    beside = path_join(dir, "beside.h");
    check_ok(file_write(path, before, strlen(before), &err), &err);
    check_ok(file_write(beside, "", 0, &err), &err);
    check_ok(rename_source(path, "fast", "slow", &out, &err), &err);
    rest = xasprintf(after, beside);
    want = xasprintf("#line 1 \"%s\"\n#include \"%s\"\n%s", path, beside, rest);
    check_str(buf_str(&out), want);
    check_fails(rename_source("no/such.c", "a", "b", &out, &err), &err, STATUS_INPUT,
                "no/such.c");
    free(want);
    free(rest);
    free(path);
    free(beside);
    buf_release(&out);
    scratch_remove(dir);
}
