#include "tests/advisor/site.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/apply/keep_record.h"

static const char source[] = "#include \"sum.h\"\n"
                             "int which(void)\n{\n    return AS_WRITTEN;\n}\n";
static const char header[] = "enum { AS_WRITTEN = 1, AS_TUNED = 2 };\n";
static const char tuned[] = "/*\n * Written by hand.\n */\n#include \"sum.h\"\n"
                            "int which(void)\n{\n    return AS_TUNED;\n}\n";
static const char cpuinfo[] = "processor\t: 0\nvendor_id\t: AuthenticAMD\n"
                              "cpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n"
                              "flags\t\t: fpu pni avx avx2\n\nprocessor\t: 1\n"
                              "flags\t\t: fpu pni avx avx2 avx512f\n";

void site_put(struct site *site, const char *name, const char *text)
{
    char *path = path_join(site->dir, name);

    check_ok(file_write(path, text, strlen(text), &site->err), &site->err);
    free(path);
}

char *site_get(struct site *site, const char *name)
{
    char *path = path_join(site->dir, name);
    struct buf text = {0};

    check_ok(file_read(path, &text, &site->err), &site->err);
    free(path);
    return buf_detach(&text);
}

void site_change(struct site *site, const char *name, const char *from, const char *to)
{
    char *text = site_get(site, name), *at = strstr(text, from);

    if (check(at != NULL)) {
        char *changed =
            xasprintf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
        site_put(site, name, changed);
        free(changed);
    }
    free(text);
}

static void add_file(struct site *site, struct record_machine *machine, const char *name)
{
    char *path = path_join(site->dir, name), *hex = NULL;

    check_ok(sha256_file(path, &hex, &site->err), &site->err);
    GROW(machine->file, machine->file_nr + 1, machine->file_alloc);
    machine->file[machine->file_nr++] = (struct record_file){xstrdup(name), hex};
    free(path);
}

static struct record_cpu amd(void)
{
    return (struct record_cpu){xstrdup("x86_64"), xstrdup("AuthenticAMD"), xstrdup("25"),
                               xstrdup("17"), xstrdup("AMD EPYC")};
}

static struct record_cpu this_cpu(void)
{
    struct machine_processor here;
    struct record_cpu cpu;

    machine_processor_here(&here);
    cpu = keep_record_cpu(&here);
    machine_processor_release(&here);
    return cpu;
}

void site_record(struct site *site, bool here)
{
    struct record record = {.source = xstrdup("sum.c"), .function = xstrdup("which")};
    struct record_machine machine = {
        .cpu = here ? this_cpu() : amd(),
        .plan = xstrdup(site->no_gain ? "" : "simd"),
        .compiler = xstrdup("gcc"),
        .compiler_version = xstrdup("gcc (Debian) 12.2.0"),
        .profile = xstrdup(""),
        .cores = 2,
        .gain = quantity_between(1.756, 1.5, 2.25, 3, PROVENANCE_CLOCK),
        .environment_gain = quantity_unknown(),
        .tolerance = quantity_unknown(),
        .tolerance_absolute = quantity_unknown(),
        .verified = xstrdup("n=1"),
        .date = xstrdup("2026-01-31T12:00:00Z"),
        .inflight = xstrdup("0.1.0")};
    struct buf code = {0};
    char *path = path_join(site->dir, "sum.inflight.json");

    free(site->code);
    site->code = record_code_name("sum.c", &machine.cpu);
    buf_add(&code, tuned);
    if (!site->no_gain) {
        machine.code = xstrdup(site->forged ? site->forged : site->code);
        machine.code_sha256 = sha256_hex(tuned, strlen(tuned));
    }
    if (site->isa || !here)
        strvec_split(&machine.isa, site->isa ? site->isa : "pni avx2");
    strvec_push(&machine.flags, site->flag ? site->flag : "-O2");
    strvec_push(&machine.needs, "-fopenmp-simd");
    if (site->definition) {
        machine.knows_frozen = true;
        strvec_push(&machine.definitions, site->definition);
        record_add_frozen(&machine, "CHOICE", "CHOICE", "3");
    }
    add_file(site, &machine, "sum.c");
    add_file(site, &machine, "sum.h");
    if (site->more)
        add_file(site, &machine, site->more);
    if (site->no_sums)
        *machine.code_sha256 = '\0';
    if (site->no_sums && site->more)
        *machine.file[machine.file_nr - 1].sha256 = '\0';
    record_put(&record, &machine);
    check_ok(record_write(path, &record, site->code, &code, NULL, &site->err),
             &site->err);
    record_release(&record);
    buf_release(&code);
    free(path);
}

bool site_make(struct site *site, bool here)
{
    char *top;
    struct machine_processor processor;

    *site = (struct site){0};
    machine_processor_here(&processor);
    bool known = strcmp(processor.architecture, "other") != 0;
    machine_processor_release(&processor);
    if ((here && !known) || !check_ok(scratch_make(&top, &site->err), &site->err))
        return false;
    site->dir = path_join(top, "with space");
    free(top);
    check_ok(dir_make_all(site->dir, &site->err), &site->err);
    site_put(site, "sum.c", source);
    site_put(site, "sum.h", header);
    site_put(site, "cpuinfo", cpuinfo);
    site_record(site, here);
    return true;
}

void site_drop(struct site *site)
{
    if (site->dir) {
        *strrchr(site->dir, '/') = '\0';
        scratch_remove(site->dir);
    }
    free(site->code);
    *site = (struct site){0};
}

int site_run(struct site *site, const char *args, struct buf *output)
{
    struct strvec argv = {0}, env = {0};
    struct spawn_outcome outcome = {0};

    strvec_split(&argv, args);
    strvec_pushf(&env, "HOME=%s", site->dir);
    strvec_push(&env, "INFLIGHT_DATA=" INFLIGHT_SOURCE_DIR);
    struct spawn_request request = {.argv = (const char *const *)argv.v,
                                    .env_extra = (const char *const *)env.v,
                                    .dir = site->dir,
                                    .timeout_s = PATIENCE_S};
    check_ok(spawn_run(&request, &outcome, &site->err), &site->err);
    check_eq(outcome.end, SPAWN_EXITED);
    buf_add(output, buf_str(&outcome.out));
    buf_add(output, buf_str(&outcome.err));
    int code = outcome.code;
    spawn_outcome_release(&outcome);
    strvec_release(&argv);
    strvec_release(&env);
    return code;
}

int site_select(struct site *site, const char *args, struct buf *output)
{
    char *command =
        xasprintf("'" CMAKE_PROGRAM "' -DINFLIGHT_MODE=select "
                  "-DINFLIGHT_SOURCE=sum.c -DINFLIGHT_OUTPUT=out.c "
                  "-DINFLIGHT_CPUINFO='%s/cpuinfo' -DINFLIGHT_FLAGS=-O2 %s -P "
                  "'" INFLIGHT_SOURCE_DIR "/cmake/inflight-tune.cmake'",
                  site->dir, args);
    int code = site_run(site, command, output);

    free(command);
    return code;
}
