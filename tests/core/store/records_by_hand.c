#include "tests/core/store/records_by_hand.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"

#define ZEROS "00000000000000000000000000000000"

static void add_file(struct record_machine *machine, const char *path)
{
    GROW(machine->file, machine->file_nr + 1, machine->file_alloc);
    machine->file[machine->file_nr++] =
        (struct record_file){xstrdup(path), xstrdup(ZEROS ZEROS)};
}

struct record_machine record_entry_fixture(const char *inflight)
{
    struct record_machine machine = {
        .cpu = {xstrdup("x86_64"), xstrdup("AuthenticAMD"), xstrdup("25"), xstrdup("17"),
                xstrdup("AMD EPYC")},
        .plan = xstrdup("tile(i:32)"),
        .code = xstrdup("sum.inflight.amd-25-17.c"),
        .code_sha256 = xstrdup(ZEROS ZEROS),
        .compiler = xstrdup("gcc"),
        .compiler_version = xstrdup("gcc (Debian) 12.2.0"),
        .profile = xstrdup("AMD EPYC"),
        .cores = 2,
        .gain = quantity_between(1.75, 1.5, 2, 3, PROVENANCE_CLOCK),
        .environment_gain = quantity_unknown(),
        .tolerance = quantity_exact(1e-9, PROVENANCE_DECLARED),
        .verified = xstrdup("n=1, 2, 512"),
        .date = xstrdup("2026-01-31T12:00:00Z"),
        .inflight = xstrdup(inflight)};

    strvec_split(&machine.isa, "pni avx2");
    strvec_push(&machine.words, "set n = 512");
    strvec_push(&machine.needs, "-fopenmp-simd");
    strvec_push(&machine.flags, "-O3");
    strvec_push(&machine.definitions, "ROWS=512");
    record_add_frozen(&machine, "ROWS", "ROWS", "512");
    machine.knows_frozen = true;
    add_file(&machine, "sum.c");
    add_file(&machine, "../include/sum.h");
    return machine;
}

struct record record_fixture(const char *inflight)
{
    struct record record = {.source = xstrdup("sum.c"), .function = xstrdup("sum")};
    struct record_machine tuned = record_entry_fixture(inflight),
                          plain = record_entry_fixture(inflight);

    free(plain.cpu.model);
    free(plain.plan);
    free(plain.code);
    free(plain.code_sha256);
    plain.cpu.model = xstrdup("18");
    plain.plan = xstrdup("");
    plain.code = plain.code_sha256 = NULL;
    plain.gain = quantity_unknown();
    strvec_release(&plain.needs);
    plain.needs = (struct strvec){0};
    record_put(&record, &tuned);
    record_put(&record, &plain);
    return record;
}

char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);

    if (!at)
        return xstrdup(text);
    return xasprintf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

char *replaced_all(const char *text, const char *from, const char *to)
{
    struct buf out = {0};

    for (const char *at; (at = strstr(text, from)); text = at + strlen(from)) {
        buf_add_n(&out, text, (size_t)(at - text));
        buf_add(&out, to);
    }
    buf_add(&out, text);
    return buf_detach(&out);
}
