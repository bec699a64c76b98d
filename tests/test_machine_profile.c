#include <CUnit/CUnit.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/profile.h"
#include "tests/check.h"

static char *data_path(const char *name)
{
    return path_join(INFLIGHT_SOURCE_DIR "/tests/data/machine", name);
}

static char *text_of(const struct machine *machine)
{
    json_t *root = machine_to_json(machine);
    char *text = json_text(root);

    json_decref(root);
    return text;
}

static void full_profile_round_trip(void)
{
    char *path = data_path("full.json"), *copy_path = NULL, *scratch = NULL;
    struct machine machine = {0}, copy = {0};
    struct buf text = {0};
    struct error err = {0};

    if (!check_ok(machine_load(path, &machine, &err), &err) ||
        !check_ok(file_read(path, &text, &err), &err) ||
        !check_ok(scratch_make(&scratch, &err), &err))
        goto out;
    copy_path = path_join(scratch, "copy.json");
    if (check_ok(machine_save(&machine, copy_path, &err), &err) &&
        check_ok(machine_load(copy_path, &copy, &err), &err)) {
        char *again = text_of(&copy);

        check_str(again,
                  buf_str(&text)); /* nothing lost, nothing added, nothing reordered */
        free(again);
    }
    check_eq(machine.level_nr, 3);
    check(isinf(machine.l2_mshrs.used.high));
    check_near(machine.curve[1].point[1].latency_ns.value, 169, 1e-9);
    check(!machine.peak_gbs.known);
out:
    machine_release(&machine);
    machine_release(&copy);
    buf_release(&text);
    free(path);
    free(copy_path);
    scratch_remove(scratch);
}

static void empty_fields_are_unknown(void)
{
    char *path = data_path("least.json");
    struct machine machine;
    struct error err = {0};

    if (check_ok(machine_load(path, &machine, &err), &err)) {
        check(!machine.memory_latency_ns.known);
        check(!machine.small_pages.walks_per_s.known);
        check(!machine.l1_mshrs.used.known);
        check(!machine.level[0].latency_ns.known);
        check(machine.ghz == 0 && machine.curve_nr == 0 && !machine.cpu_model);
        machine_release(&machine);
    }
    free(path);
}

/* tests/data/machine/bad/<case>: input.json must fail with the text of expected.error
 * after "input.json:". */
static void check_bad(const char *folder, const char *name)
{
    char *dir = path_join(folder, name), *input = path_join(dir, "input.json");
    char *expected = path_join(dir, "expected.error");
    struct buf want = {0};
    struct machine machine;
    struct error err = {0};

    if (check_ok(file_read(expected, &want, &err), &err)) {
        const char *got = machine_load(input, &machine, &err)
                              ? strstr(err.text, "input.json:")
                              : "no failure";

        buf_truncate(&want, strcspn(buf_str(&want), "\n"));
        check_eq(err.status, STATUS_INPUT);
        check_str(got ? got + strlen("input.json:") : err.text, buf_str(&want));
        check(machine.name == NULL && machine.curve == NULL);
    }
    buf_release(&want);
    free(dir);
    free(input);
    free(expected);
}

static void damaged_profiles_are_refused(void)
{
    char *folder = data_path("bad");
    DIR *dir = opendir(folder);
    struct dirent *entry;
    int nr = 0;

    while (dir && (entry = readdir(dir)))
        if (entry->d_name[0] != '.') {
            check_bad(folder, entry->d_name);
            nr++;
        }
    if (dir)
        closedir(dir);
    check(nr >= 15);
    free(folder);
}

static void shipped_profiles_load(void)
{
    static const struct {
        const char *name;
        int cores, line;
        double l1, l2, peak;
    } cases[] = {{"skl", 24, 64, 10, 16, 128},
                 {"knl", 68, 64, 12, 32, 400},
                 {"a64fx", 48, 256, 12, 20, 1024}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct machine machine;
        struct error err = {0};

        if (!check_ok(machine_load(cases[i].name, &machine, &err), &err))
            continue;
        check_str(machine.name, cases[i].name);
        check_eq(machine.cores, cases[i].cores);
        check_eq(machine.line_bytes, cases[i].line);
        check_near(machine.l1_mshrs.used.value, cases[i].l1, 0);
        check_near(machine.l2_mshrs.used.value, cases[i].l2, 0);
        check_near(machine.peak_gbs.value, cases[i].peak, 0);
        check_contains(machine.source, "ISPASS 2022");
        machine_release(&machine);
    }
}

static void near_names_are_suggested(void)
{
    struct machine machine;
    struct error err = {0};

    check_fails(machine_load("slk", &machine, &err), &err, STATUS_INPUT,
                "did you mean 'skl'?");
    check_fails(machine_load("a64fxx", &machine, &err), &err, STATUS_INPUT,
                "did you mean 'a64fx'?");
    check_fails(machine_load("graviton", &machine, &err), &err, STATUS_INPUT,
                "one of: skl, knl, a64fx");
    check_fails(machine_load("no/such.json", &machine, &err), &err, STATUS_INPUT,
                "no/such.json");
}

static void published_profiles_match_nowhere(void)
{
    struct machine machine;
    struct error err = {0};
    struct buf why = {0};

    if (check_ok(machine_load("skl", &machine, &err), &err)) {
        check(!machine_matches_here(&machine, &why));
        check_contains(buf_str(&why), "published");
        buf_reset(&why);
        machine.fingerprint = xstrdup("cpu=Z80; cores=1");
        check(!machine_matches_here(&machine, &why));
        check_contains(buf_str(&why), "made with cpu=Z80");
        machine_release(&machine);
    }
    buf_release(&why);
}

static void default_path_can_be_told(void)
{
    const char *before = getenv("INFLIGHT_PROFILE");
    char *kept = xstrdup(before), *path = NULL;
    struct error err = {0};

    setenv("INFLIGHT_PROFILE", "/somewhere/p.json", 1);
    if (check_ok(machine_default_path(&path, &err), &err))
        check_str(path, "/somewhere/p.json");
    free(path);
    if (kept)
        setenv("INFLIGHT_PROFILE", kept, 1);
    else
        unsetenv("INFLIGHT_PROFILE");
    free(kept);
}

static size_t longest_line(const char *text)
{
    size_t longest = 0;

    while (*text) {
        size_t length = strcspn(text, "\n");

        longest = length > longest ? length : longest;
        text += length + (text[length] == '\n');
    }
    return longest;
}

static void description_fits_a_terminal(void)
{
    static const char *const names[] = {"skl", "knl", "a64fx"};
    char *full = data_path("full.json");

    for (size_t i = 0; i <= ARRAY_SIZE(names); i++) {
        struct machine machine;
        struct buf text = {0};
        struct error err = {0};

        if (!check_ok(
                machine_load(i < ARRAY_SIZE(names) ? names[i] : full, &machine, &err),
                &err))
            continue;
        machine_describe(&machine, &text);
        check(longest_line(buf_str(&text)) <= 80);
        check_contains(buf_str(&text), "L1 MSHRs");
        check(!strstr(buf_str(&text), "nan") && !strstr(buf_str(&text), "(null)"));
        machine_release(&machine);
        buf_release(&text);
    }
    free(full);
}

CU_TestInfo machine_profile_tests[] = {
    {"a full profile survives a round trip", full_profile_round_trip},
    {"empty fields are unknown", empty_fields_are_unknown},
    {"damaged profiles are refused", damaged_profiles_are_refused},
    {"shipped profiles load", shipped_profiles_load},
    {"near names are suggested", near_names_are_suggested},
    {"published profiles match nowhere", published_profiles_match_nowhere},
    {"the default path can be told", default_path_can_be_told},
    {"the description fits a terminal", description_fits_a_terminal},
    CU_TEST_INFO_NULL,
};
