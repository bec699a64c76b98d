/* Records that builds read: written, read back, damaged in every way. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base.h"
#include "core/store/record.h"
#include "tests/check.h"
#include "tests/core/store/records_by_hand.h"

SUITE(store_record);

TEST("what is written is read back")
{
    struct record record = record_fixture("3.0"), again;
    char *text = record_text(&record), *second;
    struct error err = {0};

    if (check_ok(record_read_text(text, "r.json", &again, &err), &err)) {
        check_eq(again.machine_nr, 2);
        check_str(again.function, "sum");
        check_str(again.machine[0].plan, "tile(i:32)");
        check_str(again.machine[0].isa.v[1], "avx2");
        check_eq(again.machine[0].file_nr, 2);
        check_near(again.machine[0].gain.low, 1.5, 0);
        check(again.machine[0].genuine && again.machine[1].genuine);
        check_str(again.machine[1].plan, "");
        check(!again.machine[1].code && !again.machine[1].gain.known);
        second = record_text(&again);
        check_str(second, text);
        free(second);
        record_release(&again);
    }
    free(text);
    record_release(&record);
}

/* What the tuned C rests on; records of earlier versions do not say it. */
TEST("frozen values are kept")
{
    struct record record = record_fixture("3.0"), again;
    struct error err = {0};
    struct record_machine *machine = &record.machine[0];
    record_add_frozen(machine, "#if A > 1", "#if A > 1\n#error\n#endif\n", "left out");
    char *text = record_text(&record);
    if (check_ok(record_read_text(text, "r.json", &again, &err), &err)) {
        const struct record_machine *read = &again.machine[0];
        check(read->knows_frozen && read->genuine);
        check_str(read->definitions.v[0], "ROWS=512");
        if (check_eq(read->frozen_nr, 2)) {
            check_str(read->frozen[0].value, "512");
            check_str(read->frozen[1].use, "#if A > 1\n#error\n#endif\n");
        }
        record_release(&again);
    }
    free(text);
    machine->knows_frozen = false;
    text = record_text(&record);
    check(!strstr(text, "#if A"));
    if (check_ok(record_read_text(text, "r.json", &again, &err), &err)) {
        check(!again.machine[0].knows_frozen && !again.machine[0].frozen_nr);
        check(again.machine[0].genuine);
        record_release(&again);
    }
    free(text);
    record_release(&record);
}

/* Of tune --in-app; a routine that could not be sampled stays unknown. */
TEST("gains in applications are kept")
{
    struct record record = record_fixture("3.0"), again;
    struct error err = {0};
    record.machine[0].in_app = (struct record_in_app){
        .command = xstrdup("make -s && ./app \"a b\""),
        .routine = quantity_unknown(),
        .program = quantity_between(1.25, 1.2, 1.3, 9, PROVENANCE_CLOCK),
        .pairs = 9,
        .date = xstrdup("2026-02-01T12:00:00Z")};
    char *text = record_text(&record);
    if (check_ok(record_read_text(text, "r.json", &again, &err), &err)) {
        const struct record_in_app *in_app = &again.machine[0].in_app;
        check_str(in_app->command, "make -s && ./app \"a b\"");
        check(!in_app->routine.known && in_app->program.known);
        check_near(in_app->program.low, 1.2, 0);
        check_eq(in_app->pairs, 9);
        check(again.machine[0].genuine && !again.machine[1].in_app.command);
        record_release(&again);
    }
    char *changed = replaced(text, "\"pairs\": 9", "\"pairs\": -9");
    check_fails(record_read_text(changed, "r.json", &again, &err), &err, STATUS_INPUT,
                "in_app.pairs");
    free(changed);
    changed = replaced(text, "\"low\": 1.2", "\"low\": 1.1");
    if (check_ok(record_read_text(changed, "r.json", &again, &err), &err)) {
        check(!again.machine[0].genuine);
        record_release(&again);
    }
    free(changed);
    free(text);
    record_release(&record);
}

/* Every change of a value is noticed, in the entry that it was made in. */
TEST("changes by hand are noticed")
{
    static const char *const changes[][2] = {
        {"tile(i:32)", "tile(i:64)"},
        {"\"low\": 1.5", "\"low\": 1.7"},
        {"\"cores\": 2", "\"cores\": 3"},
        {"avx2", "avx"},
        {"ROWS=512", "ROWS=513"},
        {"\"value\": \"512\"", "\"value\": \"513\""},
        {"set n = 512", "set n = 513"},
        {"sum.inflight.amd-25-17.c", "sum.inflight.x.c"},
        {"\"-O3\"", "\"-O2\""},
    };
    struct record record = record_fixture("3.0"), again;
    struct error err = {0};

    for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
        char *text = record_text(&record);
        char *changed = replaced(text, changes[i][0], changes[i][1]);
        if (check_ok(record_read_text(changed, "r.json", &again, &err), &err)) {
            if (!check(!again.machine[0].genuine))
                check_str(changes[i][0], "is noticed");
            check(again.machine[1].genuine);
            record_release(&again);
        }
        free(changed);
        free(text);
    }
    record_release(&record);
}

TEST("the head belongs to every entry")
{
    struct record record = record_fixture("3.0"), again;
    char *text = record_text(&record);
    char *changed = replaced(text, "\"function\": \"sum\"", "\"function\": \"other\"");
    struct error err = {0};

    check_ok(record_read_text(changed, "r.json", &again, &err), &err);
    check(!again.machine[0].genuine && !again.machine[1].genuine);
    record_release(&again);
    record_release(&record);
    free(changed);
    free(text);
}

/* Another indentation and line ends of another system are no change. */
TEST("layout is no change")
{
    struct record record = record_fixture("3.0"), again;
    char *text = record_text(&record);
    char *wide = replaced_all(text, "\n  ", "\n\t  "),
         *crlf = replaced_all(wide, "\n", "\r\n");
    struct error err = {0};

    if (check_ok(record_read_text(crlf, "r.json", &again, &err), &err)) {
        check(again.machine[0].genuine && again.machine[1].genuine);
        record_release(&again);
    }
    record_release(&record);
    free(crlf);
    free(wide);
    free(text);
}

TEST("what is not valid is located")
{
    static const struct {
        const char *from, *to, *want;
    } cases[] = {
        {"inflight.record/1", "inflight.record/2", "of another version of inflight"},
        {"sum.inflight.amd-25-17.c", "../evil.c",
         "machines[0].code: '../evil.c' is not a plain file name"},
        {"sum.inflight.amd-25-17.c", "/etc/evil.c", "machines[0].code: '/etc/evil.c'"},
        {"sum.inflight.amd-25-17.c", "-fplugin.c", "machines[0].code: '-fplugin.c'"},
        {"sum.inflight.amd-25-17.c", "evil.so",
         "machines[0].code: 'evil.so' is no C file"},
        {"\"name\": \"gcc\"", "\"name\": \"/else/gcc\"",
         "machines[0].compiler.name: '/else/gcc' is not a plain file name"},
        {"\"source\": \"sum.c\"", "\"source\": \"a/sum.c\"", "source: 'a/sum.c'"},
        {"\"-fopenmp-simd\"", "\"-fplugin=x\"",
         "machines[0].needs: expected -fopenmp or"},
        {"pni avx2", "pni $(rm)", "machines[0].isa: expected words such as avx2"},
        {"\"path\": \"sum.c\"", "\"path\": \"/etc/passwd\"",
         "not a path relative to the record"},
        {"\"cores\": 2", "\"cores\": \"two\"", "machines[0].cores: expected an integer"},
        {"\"cores\": 2", "\"cores\": 0", "machines[0].cores"},
        {"\"plan\": \"tile(i:32)\"", "\"plan\": \"\"", "an empty plan has no code"},
        {"\"model\": \"18\"", "\"model\": \"17\"",
         "machines[1]: there is an entry of this CPU already"},
        {"\"words\"", "\"wrods\"", "wrods"},
        {"\"use\"", "\"sue\"", "machines[0].frozen[0]"},
        {"\"value\": \"512\"", "\"value\": 512", "machines[0].frozen[0].value"},
        {"\"ROWS=512\"", "512", "machines[0].definitions"},
        {"\"checksum\": \"", "\"checksum\": \"g", "expected 64 hexadecimal digits"},
        {"\"machines\": [", "\"machines\": [[],", "machines[0]"},
        {"}\n", "", "r.json:"},
    };
    struct record record = record_fixture("3.0"), again;
    struct error err = {0};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *text = record_text(&record);
        char *changed = replaced(text, cases[i].from, cases[i].to);
        check_fails(record_read_text(changed, "r.json", &again, &err), &err, STATUS_INPUT,
                    cases[i].want);
        free(changed);
        free(text);
    }
    record_release(&record);
}

/* What another machine wrote stays, also what was changed in it by hand. */
TEST("other entries stay")
{
    struct record record = record_fixture("3.0"), again;
    char *text = record_text(&record), *changed = replaced(text, "\"18\"", "\"19\""),
         *after;
    struct record_machine mine = record_entry_fixture("4.0");
    struct error err = {0};

    if (check_ok(record_read_text(changed, "r.json", &again, &err), &err)) {
        char *before = xstrdup(again.machine[1].checksum);
        record_put(&again, &mine);
        after = record_text(&again);
        check_eq(again.machine_nr, 2);
        record_release(&again);
        if (check_ok(record_read_text(after, "r.json", &again, &err), &err)) {
            check(again.machine[0].genuine);
            check_str(again.machine[0].inflight, "4.0");
            check(!again.machine[1].genuine);
            check_str(again.machine[1].checksum, before);
            record_release(&again);
        }
        free(after);
        free(before);
    }
    record_release(&record);
    free(changed);
    free(text);
}

static void check_name(const char *const cpu[4], const char *source, const char *want)
{
    struct record_machine machine = {.cpu = {xstrdup(cpu[0]), xstrdup(cpu[1]),
                                             xstrdup(cpu[2]), xstrdup(cpu[3]), NULL}};
    char *name = record_code_name(source, &machine.cpu);

    check_str(name, want);
    check(record_is_plain_name(name));
    free(name);
    record_machine_release(&machine);
}

TEST("names follow from CPU and source")
{
    check_name((const char *const[]){"x86_64", "AuthenticAMD", "25", "17"}, "src/a.b.c",
               "a.b.inflight.amd-25-17.c");
    check_name((const char *const[]){"aarch64", "0x41", "0x41", "0xd40"}, "k.c",
               "k.inflight.arm-0x41-0xd40.c");
    check_name((const char *const[]){"x86_64", "A/../b", "2 5", "1"}, "k.c",
               "k.inflight.a....b-2.5-1.c");
}

static void check_file(const char *path, const char *want)
{
    struct buf text = {0};
    struct error err = {0};

    if (!want)
        check(!file_exists(path));
    else if (check_ok(file_read(path, &text, &err), &err))
        check_str(buf_str(&text), want);
    buf_release(&text);
}

/* Where the record cannot be written its code is not either. */
TEST("both are written or neither")
{
    struct record record = record_fixture("3.0");
    struct buf code = {0}, newer = {0};
    struct error err = {0};
    char *dir, *good, *bad, *file;

    if (!check_ok(scratch_make(&dir, &err), &err))
        return;
    good = path_join(dir, "r.json");
    bad = path_join(dir, "folder.json");
    file = path_join(dir, "k.c");
    mkdir(bad, 0777);
    buf_add(&code, "int a;\n");
    buf_add(&newer, "int b;\n");
    check_fails(record_write(bad, &record, "k.c", &code, NULL, &err), &err, STATUS_FAILED,
                "folder.json");
    check_file(file, NULL);
    check_ok(record_write(good, &record, "k.c", &code, NULL, &err), &err);
    check_file(file, "int a;\n");
    check_fails(record_write(bad, &record, "k.c", &newer, NULL, &err), &err,
                STATUS_FAILED, "folder.json");
    check_file(file, "int a;\n");
    check_ok(record_write(good, &record, NULL, NULL, "k.c", &err), &err);
    check_file(file, NULL);
    buf_release(&code);
    buf_release(&newer);
    record_release(&record);
    free(good);
    free(bad);
    free(file);
    scratch_remove(dir);
}

TEST("SHA-256 is that of the standard")
{
    /* FIPS 180-4, example of one block */
    char *hex = sha256_hex("abc", 3);

    check_str(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    free(hex);
}
