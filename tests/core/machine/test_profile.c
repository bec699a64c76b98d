#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/machine/machine.h"
#include "core/machine/profile/profile.h"
#include "tests/cases.h"
#include "tests/check.h"

SUITE(machine_profile);

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

TEST("a full profile survives a round trip")
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
    check_near(machine.curve[1].point[1].gbs_high, 52.01, 1e-9);
    check_near(machine.curve[0].ceiling_gbs.low, 50.99, 1e-9);
    check(machine.curve[2].nontemporal && !machine.curve[2].ceiling_gbs.known);
    check_near(machine.peak_gbs.value, 460.8, 1e-9);
    check_near(machine.all_flops_single.fma.value, 2.2e11, 1e-9);
    check_near(machine.level[2].all_cores.nontemporal_gbs.value, 84.5, 1e-9);
    check(machine.unstable && machine.transfer_bytes == 32 && machine.note.nr == 2);
    if (check_eq(machine.memory_nr, 2)) {
        check_str(machine.memory[1].kind, "HBM");
        check(!machine.memory[1].local && machine.memory[1].bytes == 0);
        check_eq(machine.memory[0].curve[0].point_nr, 2);
    }
out:
    machine_release(&machine);
    machine_release(&copy);
    buf_release(&text);
    free(path);
    free(copy_path);
    scratch_remove(scratch);
}

/* Others on a machine make what is measured there differ by more than its value. */
TEST("what noise has measured can be read again: intervals end where values can")
{
    char *path = data_path("full.json"), *copy_path = NULL, *scratch = NULL;
    struct machine machine = {0}, copy = {0};
    struct error err = {0};

    if (!check_ok(machine_load(path, &machine, &err), &err) ||
        !check_ok(scratch_make(&scratch, &err), &err))
        goto out;
    copy_path = path_join(scratch, "copy.json");
    machine.memory_latency_ns.low = machine.node_read_gbs.low = -5;
    machine.level[0].latency_ns.low = machine.level[2].all_cores.read_gbs.low = -1e-3;
    machine.l1_mshrs.probe.low = 0.2;
    machine.curve[1].ceiling_gbs.low = machine.curve[1].point[1].latency_ns.low = -1;
    machine.memory[0].latency_ns.high = 1e9;
    if (check_ok(machine_save(&machine, copy_path, &err), &err) &&
        check_ok(machine_load(copy_path, &copy, &err), &err)) {
        check_near(copy.memory_latency_ns.low, 0.01, 0); /* ns, the least there is */
        check_near(copy.node_read_gbs.low, 0, 0);
        check_near(copy.l1_mshrs.probe.low, 1, 0);
        check_near(copy.memory[0].latency_ns.high, 1e5, 0);
    }
out:
    machine_release(&machine);
    machine_release(&copy);
    free(path);
    free(copy_path);
    scratch_remove(scratch);
}

static bool has_value(const json_t *object, const char *key)
{
    const json_t *node = json_object_get(object, key);

    return node && !json_is_null(node);
}

/* A field that is null in the full profile could be lost without a test noticing. */
TEST("the full profile is full")
{
    char *path = data_path("full.json");
    struct error err = {0};
    json_t *root = NULL;

    if (check_ok(json_read_file(path, MACHINE_SCHEMA, &root, &err), &err)) {
        const json_t *level = json_array_get(json_object_get(root, "levels"), 0);
        const json_t *curve = json_array_get(json_object_get(root, "curves"), 0);
        const json_t *memory = json_array_get(json_object_get(root, "memories"), 0);
        const struct {
            const struct field_list *list;
            const json_t *object;
        } cases[] = {{&machine_fields, root},
                     {&level_fields, level},
                     {&curve_fields, curve},
                     {&memory_fields, memory}};

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
            for (size_t j = 0; j < cases[i].list->nr; j++) {
                const char *key = cases[i].list->field[j].key;

                check_str(has_value(cases[i].object, key) ? key : "null", key);
            }
    }
    json_decref(root);
    free(path);
}

static bool same_number(const json_t *a, const json_t *b)
{
    double x = json_number_value(a), y = json_number_value(b);

    return json_is_number(a) && json_is_number(b) && fabs(x - y) <= 1e-9 * fabs(x);
}

/* Is everything that `earlier` says in `now`? What is new there may be said too. */
static bool still_says(const json_t *earlier, const json_t *now)
{
    const char *key;
    json_t *value;

    if (json_is_array(earlier)) {
        if (json_array_size(earlier) != json_array_size(now))
            return false;
        for (size_t i = 0; i < json_array_size(earlier); i++)
            if (!still_says(json_array_get(earlier, i), json_array_get(now, i)))
                return false;
        return true;
    }
    if (!json_is_object(earlier))
        return same_number(earlier, now) || json_equal(earlier, now);
    json_object_foreach((json_t *)(uintptr_t)earlier, key, value) {
        if (!still_says(value, json_object_get(now, key)))
            return check_str(key, "the same as before");
    }
    return true;
}

/* Written by the versions before ceilings, memories and notes: one made up, one of a real
 * machine. */
TEST("earlier profiles keep their values")
{
    static const char *const names[] = {"earlier.json", "earlier_probed.json"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        char *path = data_path(names[i]);
        struct machine machine = {0};
        struct error err = {0};
        json_t *earlier = NULL, *now = NULL;

        if (check_ok(json_read_file(path, MACHINE_SCHEMA, &earlier, &err), &err) &&
            check_ok(machine_load(path, &machine, &err), &err)) {
            now = machine_to_json(&machine);
            check(still_says(earlier, now));
            check(!machine.stability && !machine.peak_source && machine.note.nr == 0);
            check(!machine.one_core.write_gbs.known && machine.memory_nr == 0);
            check(!machine.curve[0].ceiling_gbs.known && machine.transfer_bytes == 0);
            check(machine.one_core.read_gbs.known && machine.flops_double.fma.known);
        }
        json_decref(earlier);
        json_decref(now);
        machine_release(&machine);
        free(path);
    }
}

TEST("empty fields are unknown")
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

static int read_profile(const struct test_case *one, const char *path, struct error *err)
{
    struct machine machine;
    int result = machine_load(path, &machine, err);

    (void)one;
    check(result == 0 || (!machine.name && !machine.curve));
    if (result == 0)
        machine_release(&machine);
    return result;
}

TEST("damaged profiles are refused")
{
    check_refused(INFLIGHT_SOURCE_DIR "/tests/data/machine/bad.cases", 62, read_profile);
}

/* NAN = unknown; gbs and latency: the last point of the curve with the most reads. */
TEST("shipped profiles load")
{
    static const struct {
        const char *name, *source;
        int cores, line;
        double l1, l2, peak, gbs, latency;
    } cases[] = {{"skl", "ISPASS 2022", 24, 64, 10, 16, 128, 109.9, 171},
                 {"knl", "ISPASS 2022", 68, 64, 12, 32, 400, 344, 238},
                 {"a64fx", "ISPASS 2022", 48, 256, 12, 20, 1024, 788, 280},
                 {"zen2-epyc7742", "Mess", 64, 64, NAN, NAN, 204.8, 138, 169},
                 {"clx-gold5218", "Mess", 16, 64, 10, 16, 140.8, 106, 158},
                 {"grace", "Mess", 72, 64, NAN, NAN, 512, 442, 308},
                 {"spr-8460y", "Mess", 40, 64, 16, 48, 307.2, 267, 223},
                 {"spr-mn5", "Mess", 56, 64, 16, 48, 307.2, 233, 223},
                 {"max9480-hbm", "Mess", 56, 64, 16, 48, 1638.4, 752, 202}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct machine machine;
        struct machine_point end;
        struct error err = {0};

        if (!check_ok(machine_load(cases[i].name, &machine, &err), &err))
            continue;
        end = machine.curve[0].point[machine.curve[0].point_nr - 1];
        check_str(machine.name, cases[i].name);
        check_eq(machine.cores, cases[i].cores);
        check_eq(machine.line_bytes, cases[i].line);
        check_eq(machine.l1_mshrs.used.known, !isnan(cases[i].l1));
        if (!isnan(cases[i].l1)) {
            check_near(machine.l1_mshrs.used.value, cases[i].l1, 0);
            check_near(machine.l2_mshrs.used.value, cases[i].l2, 0);
        }
        check_near(machine.peak_gbs.value, cases[i].peak, 0);
        check_near(end.gbs, cases[i].gbs, 0);
        check_near(end.latency_ns.value, cases[i].latency, 0);
        check_contains(machine.source, cases[i].source);
        machine_release(&machine);
    }
}

/* What lies in the folder is listed, and can be loaded by the name in the list. */
TEST("shipped profiles are listed")
{
    struct machine_entry *entry;
    struct error err = {0};
    size_t nr;

    if (!check_ok(machine_list(&entry, &nr, &err), &err))
        return;
    check(nr >= 9);
    for (size_t i = 0; i < nr; i++) {
        struct machine machine;

        check(!i || strcmp(entry[i - 1].name, entry[i].name) < 0);
        if (!check_ok(machine_load(entry[i].name, &machine, &err), &err))
            continue;
        check_str(machine.name, entry[i].name);
        check_str(machine.cpu_model, entry[i].cpu_model);
        check_str(machine.microarchitecture, entry[i].microarchitecture);
        check_str(machine.source, entry[i].source);
        check(!strchr(entry[i].source, '\n'));
        check_eq(machine.cores, entry[i].cores);
        check_eq(machine.curve_nr, entry[i].curve_nr);
        machine_release(&machine);
    }
    machine_list_release(entry, nr);
}

/* A shipped folder with two profiles and something else, as an installation has it. */
TEST("profiles are found where the data are")
{
    char *kept = xstrdup(getenv("INFLIGHT_DATA")), *scratch = NULL, *folder = NULL;
    static const char *const names[] = {"my-box.json", "another.json", "README",
                                        ".hidden.json"};
    char *min = data_path("least.json");
    struct machine_entry *entry;
    struct machine machine;
    struct buf text = {0};
    struct error err = {0};
    size_t nr;

    if (!check_ok(scratch_make(&scratch, &err), &err) ||
        !check_ok(file_read(min, &text, &err), &err))
        goto out;
    folder = path_join(scratch, "core/machine/profiles");
    check_ok(dir_make_all(folder, &err), &err);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        char *path = path_join(folder, names[i]);

        check_ok(file_write(path, buf_str(&text), text.length, &err), &err);
        free(path);
    }
    setenv("INFLIGHT_DATA", scratch, 1);
    if (check_ok(machine_list(&entry, &nr, &err), &err)) {
        if (check_eq(nr, 2)) {
            check_str(entry[0].name, "another");
            check_str(entry[1].name, "my-box");
        }
        machine_list_release(entry, nr);
    }
    if (check_ok(machine_load("my-box", &machine, &err), &err))
        machine_release(&machine);
    check_fails(machine_load("mybox", &machine, &err), &err, STATUS_INPUT,
                "did you mean 'my-box'?");
out:
    if (kept)
        setenv("INFLIGHT_DATA", kept, 1);
    else
        unsetenv("INFLIGHT_DATA");
    scratch_remove(scratch);
    buf_release(&text);
    free(kept);
    free(folder);
    free(min);
}

TEST("near names are suggested")
{
    static const struct {
        const char *spec, *output;
    } cases[] = {
        {"slk", "did you mean 'skl'?"},
        {"SKL", "did you mean 'skl'?"},
        {"a64fxx", "did you mean 'a64fx'?"},
        {"epyc", "did you mean 'zen2-epyc7742'?"},
        {"gold5218", "did you mean 'clx-gold5218'?"},
        {"spr_8460y", "did you mean 'spr-8460y'?"},
        {"zen2-epyc7724", "did you mean 'zen2-epyc7742'?"},
        {"8480", "did you mean 'spr-mn5'?"}, /* by the CPU's name */
        {"graviton", "give the path of one, or one of: a64fx, clx-gold5218, grace, knl"},
        {"x", "give the path of one, or one of: a64fx"},
        {"", "give the path of one, or one of: a64fx"},
        {"no/such.json", "no/such.json"},
        {"../data/cpus", "'../data/cpus'"},
    };
    struct machine machine;
    struct error err = {0};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_fails(machine_load(cases[i].spec, &machine, &err), &err, STATUS_INPUT,
                    cases[i].output);
}

TEST("published profiles match nowhere")
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

TEST("the default path can be told")
{
    const char *before = getenv("INFLIGHT_PROFILE");
    char *kept = xstrdup(before), *path = NULL;
    struct error err = {0};

    setenv("INFLIGHT_PROFILE", "/somewhere/p.json", 1);
    if (check_ok(machine_default_path(&path, &err), &err))
        check_str(path, "/somewhere/p.json");
    free(path);
    if (check_ok(machine_path_to_write(&path, &err), &err))
        check_str(path, "/somewhere/p.json");
    free(path);
    /* a name is that profile, and nothing to write */
    setenv("INFLIGHT_PROFILE", "skl", 1);
    if (check_ok(machine_default_path(&path, &err), &err))
        check_contains(path, "/core/machine/profiles/skl.json");
    free(path);
    check_fails(machine_path_to_write(&path, &err), &err, STATUS_USAGE,
                "INFLIGHT_PROFILE is the name of a profile, 'skl'");
    err = (struct error){0};
    setenv("INFLIGHT_PROFILE", "sk", 1);
    check_fails(machine_default_path(&path, &err), &err, STATUS_INPUT,
                "INFLIGHT_PROFILE: there is no machine profile 'sk'; did you mean 'skl'");
    err = (struct error){0};
    check_fails(machine_path_to_write(&path, &err), &err, STATUS_USAGE, "'./sk'");
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

static void check_description(const char *spec)
{
    struct machine machine;
    struct buf text = {0};
    struct error err = {0};

    if (!check_ok(machine_load(spec, &machine, &err), &err))
        return;
    machine_describe(&machine, &text);
    check(longest_line(buf_str(&text)) <= 80);
    check_contains(buf_str(&text), "L1 MSHRs");
    check(!strstr(buf_str(&text), "nan") && !strstr(buf_str(&text), "(null)"));
    machine_release(&machine);
    buf_release(&text);
}

TEST("the description fits a terminal")
{
    char *full = data_path("full.json");
    struct machine_entry *entry;
    struct error err = {0};
    size_t nr;

    check_description(full);
    if (check_ok(machine_list(&entry, &nr, &err), &err)) {
        for (size_t i = 0; i < nr; i++)
            check_description(entry[i].name);
        machine_list_release(entry, nr);
    }
    free(full);
}
