#include <stdlib.h>
#include <string.h>

#include "core/store/record.h"
#include "core/store/store_parts.h"

static void cpu_release(struct record_cpu *cpu)
{
    free(cpu->architecture);
    free(cpu->vendor);
    free(cpu->family);
    free(cpu->model);
    free(cpu->name);
}

void record_machine_release(struct record_machine *machine)
{
    cpu_release(&machine->cpu);
    strvec_release(&machine->isa);
    strvec_release(&machine->words);
    strvec_release(&machine->needs);
    strvec_release(&machine->flags);
    for (size_t i = 0; i < machine->file_nr; i++) {
        free(machine->file[i].path);
        free(machine->file[i].sha256);
    }
    free(machine->file);
    strvec_release(&machine->definitions);
    for (size_t i = 0; i < machine->frozen_nr; i++) {
        free(machine->frozen[i].name);
        free(machine->frozen[i].use);
        free(machine->frozen[i].value);
    }
    free(machine->frozen);
    free(machine->plan);
    free(machine->code);
    free(machine->code_sha256);
    free(machine->compiler);
    free(machine->compiler_version);
    free(machine->profile);
    free(machine->in_app.command);
    free(machine->in_app.date);
    free(machine->verified);
    free(machine->date);
    free(machine->inflight);
    free(machine->checksum);
    *machine = (struct record_machine){0};
}

void record_release(struct record *record)
{
    for (size_t i = 0; i < record->machine_nr; i++)
        record_machine_release(&record->machine[i]);
    free(record->machine);
    free(record->source);
    free(record->function);
    *record = (struct record){0};
}

/* ---- members ---- */

static int read_words(const struct json_at *at, const char *key, struct strvec *out,
                      struct error *err)
{
    struct json_at member;
    const char *text;
    if (json_string_at(at, key, &text, err) || json_member(at, key, &member, err))
        return -1;
    if (text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_. ")])
        return json_fail(&member, err, "expected words such as avx2, got '%s'", text);
    strvec_split(out, text);
    return 0;
}

/* Null is fine. */
static int read_positive(const struct json_at *at, const char *key, struct quantity *out,
                         struct error *err)
{
    double number;
    *out = quantity_unknown();
    if (!json_has(at, key))
        return 0;
    if (json_number_at(at, key, 0, 1e300, &number, err))
        return -1;
    *out = quantity_exact(number, PROVENANCE_DECLARED);
    return 0;
}

static int read_sha256(const struct json_at *at, const char *key, char **out,
                       struct error *err)
{
    struct json_at member;
    if (json_copy_at(at, key, out, err) || json_member(at, key, &member, err))
        return -1;
    if (strlen(*out) != 64 || (*out)[strspn(*out, "0123456789abcdef")])
        return json_fail(&member, err, "expected 64 hexadecimal digits, got '%s'", *out);
    return 0;
}

bool record_is_plain_name(const char *name)
{
    return *name && *name != '.' && *name != '-' && *name != '@' &&
           !strpbrk(name, "/\\\n\r");
}

static int read_name(const struct json_at *at, const char *key, char **out,
                     struct error *err)
{
    struct json_at member;
    if (json_copy_at(at, key, out, err) || json_member(at, key, &member, err))
        return -1;
    if (!record_is_plain_name(*out))
        return json_fail(&member, err,
                         "'%s' is not a plain file name: a record names files of its own "
                         "folder only",
                         *out);
    return 0;
}

static int read_cpu(const struct json_at *at, struct record_cpu *cpu, struct error *err)
{
    struct json_at member;
    return json_object_at(at, "cpu", &member, err) ||
                   json_only_keys(&member, "architecture vendor family model name",
                                  err) ||
                   json_copy_at(&member, "architecture", &cpu->architecture, err) ||
                   json_copy_at(&member, "vendor", &cpu->vendor, err) ||
                   json_copy_at(&member, "family", &cpu->family, err) ||
                   json_copy_at(&member, "model", &cpu->model, err) ||
                   json_copy_at(&member, "name", &cpu->name, err)
               ? -1
               : 0;
}

static int read_file(const struct json_at *at, void *into, struct error *err)
{
    struct record_machine *machine = into;
    GROW(machine->file, machine->file_nr + 1, machine->file_alloc);
    struct record_file *file = &machine->file[machine->file_nr++];
    *file = (struct record_file){0};
    if (json_only_keys(at, "path sha256", err) ||
        json_copy_at(at, "path", &file->path, err))
        return -1;
    if (!*file->path || *file->path == '/' || *file->path == '-')
        return json_fail(at, err, "'%s' is not a path relative to the record",
                         file->path);
    return read_sha256(at, "sha256", &file->sha256, err);
}

void record_add_frozen(struct record_machine *machine, const char *name, const char *use,
                       const char *value)
{
    GROW(machine->frozen, machine->frozen_nr + 1, machine->frozen_alloc);
    machine->frozen[machine->frozen_nr++] =
        (struct record_frozen){xstrdup(name), xstrdup(use), xstrdup(value)};
}

static int read_frozen_item(const struct json_at *at, void *into, struct error *err)
{
    struct record_machine *machine = into;
    const char *name, *use, *value;
    if (json_only_keys(at, "name use value", err) ||
        json_string_at(at, "name", &name, err) || json_string_at(at, "use", &use, err) ||
        json_string_at(at, "value", &value, err))
        return -1;
    record_add_frozen(machine, name, use, value);
    return 0;
}

/* Records of earlier versions have neither. */
static int read_frozen(const struct json_at *at, struct record_machine *machine,
                       struct error *err)
{
    machine->knows_frozen = json_has(at, "frozen");
    if (!machine->knows_frozen)
        return 0;
    return json_strings_at(at, "definitions", &machine->definitions, err) ||
                   json_each(at, "frozen", 0, RECORD_FROZEN_MAX, read_frozen_item,
                             machine, err)
               ? -1
               : 0;
}

static int read_compiler(const struct json_at *at, struct record_machine *machine,
                         struct error *err)
{
    struct json_at member;
    if (json_object_at(at, "compiler", &member, err) ||
        json_only_keys(&member, "name version flags", err) ||
        read_name(&member, "name", &machine->compiler, err) ||
        json_copy_at(&member, "version", &machine->compiler_version, err) ||
        json_strings_at(&member, "flags", &machine->flags, err))
        return -1;
    return 0;
}

/* Flags that code may need: two, and no others. */
static int read_needs(const struct json_at *at, struct record_machine *machine,
                      struct error *err)
{
    struct json_at member;
    if (json_strings_at(at, "needs", &machine->needs, err) ||
        json_member(at, "needs", &member, err))
        return -1;
    for (size_t i = 0; i < machine->needs.nr; i++)
        if (strcmp(machine->needs.v[i], "-fopenmp") &&
            strcmp(machine->needs.v[i], "-fopenmp-simd"))
            return json_fail(&member, err, "expected -fopenmp or -fopenmp-simd, got '%s'",
                             machine->needs.v[i]);
    return 0;
}

/* A plan has its code, and only a plan has. */
static int read_code(const struct json_at *at, struct record_machine *machine,
                     struct error *err)
{
    struct json_at member;
    size_t length;
    if (json_copy_at(at, "plan", &machine->plan, err))
        return -1;
    if (!*machine->plan && !json_has(at, "code") && !json_has(at, "code_sha256"))
        return 0;
    if (!*machine->plan)
        return json_fail(at, err, "an empty plan has no code");
    if (read_name(at, "code", &machine->code, err) ||
        json_member(at, "code", &member, err) ||
        read_sha256(at, "code_sha256", &machine->code_sha256, err))
        return -1;
    length = strlen(machine->code);
    if (length < 3 || strcmp(machine->code + length - 2, ".c"))
        return json_fail(&member, err, "'%s' is no C file", machine->code);
    return 0;
}

static int read_in_app(const struct json_at *at, struct record_in_app *in_app,
                       struct error *err)
{
    struct json_at member;
    if (!json_has(at, "in_app"))
        return 0;
    return json_object_at(at, "in_app", &member, err) ||
                   json_only_keys(&member, "command routine_gain program_gain pairs date",
                                  err) ||
                   json_copy_at(&member, "command", &in_app->command, err) ||
                   json_quantity_at(&member, "routine_gain", &in_app->routine, err) ||
                   json_quantity_at(&member, "program_gain", &in_app->program, err) ||
                   json_integer_at(&member, "pairs", 0, 1000000000, &in_app->pairs,
                                   err) ||
                   json_copy_at(&member, "date", &in_app->date, err)
               ? -1
               : 0;
}

static int read_members(const struct json_at *at, struct record_machine *machine,
                        struct error *err)
{
    return read_cpu(at, &machine->cpu, err) ||
                   read_words(at, "isa", &machine->isa, err) ||
                   json_strings_at(at, "words", &machine->words, err) ||
                   json_bool_at(at, "reassociate", &machine->reassociate, err) ||
                   read_positive(at, "tolerance", &machine->tolerance, err) ||
                   read_positive(at, "tolerance_absolute", &machine->tolerance_absolute,
                                 err) ||
                   read_frozen(at, machine, err) ||
                   json_each(at, "sources", 1, RECORD_FILES_MAX, read_file, machine,
                             err) ||
                   read_code(at, machine, err) || read_needs(at, machine, err) ||
                   read_compiler(at, machine, err) ||
                   json_copy_at(at, "profile", &machine->profile, err) ||
                   json_integer_at(at, "cores", 1, 1000000, &machine->cores, err) ||
                   json_quantity_at(at, "gain", &machine->gain, err) ||
                   json_quantity_at(at, "environment_gain", &machine->environment_gain,
                                    err) ||
                   read_in_app(at, &machine->in_app, err) ||
                   json_copy_at(at, "verified", &machine->verified, err) ||
                   json_copy_at(at, "date", &machine->date, err) ||
                   json_copy_at(at, "inflight", &machine->inflight, err) ||
                   read_sha256(at, "checksum", &machine->checksum, err)
               ? -1
               : 0;
}

static bool is_same_cpu(const struct record_cpu *a, const struct record_cpu *b)
{
    return !strcmp(a->architecture, b->architecture) && !strcmp(a->vendor, b->vendor) &&
           !strcmp(a->family, b->family) && !strcmp(a->model, b->model);
}

struct record_machine *record_find(struct record *record, const struct record_cpu *cpu)
{
    for (size_t i = 0; i < record->machine_nr; i++)
        if (is_same_cpu(&record->machine[i].cpu, cpu))
            return &record->machine[i];
    return NULL;
}

static int read_machine(const struct json_at *at, void *into, struct error *err)
{
    struct record *record = into;
    static const char keys[] =
        "cpu isa plan words reassociate tolerance tolerance_absolute definitions frozen "
        "sources code "
        "code_sha256 needs compiler profile cores gain environment_gain in_app verified "
        "date inflight checksum";
    struct record_machine machine = {0};
    if (json_only_keys(at, keys, err) || read_members(at, &machine, err)) {
        record_machine_release(&machine);
        return -1;
    }
    if (record_find(record, &machine.cpu)) {
        record_machine_release(&machine);
        return json_fail(at, err, "there is an entry of this CPU already; keep one");
    }
    GROW(record->machine, record->machine_nr + 1, record->machine_alloc);
    record->machine[record->machine_nr++] = machine;
    return 0;
}

/* ---- the document ---- */

static void judge_checksums(const char *text, struct record *record)
{
    struct record_checksum *sum = xcalloc(record->machine_nr + 1, sizeof(*sum));
    size_t nr = record_checksums(text, sum, record->machine_nr + 1);
    for (size_t i = 0; i < nr; i++) {
        if (nr == record->machine_nr)
            record->machine[i].genuine =
                !strcmp(sum[i].right, record->machine[i].checksum);
        free(sum[i].right);
    }
    free(sum);
}

static int read_document(const struct json_at *top, struct record *record,
                         struct error *err)
{
    return json_only_keys(top, "schema source function machines", err) ||
                   read_name(top, "source", &record->source, err) ||
                   json_copy_at(top, "function", &record->function, err) ||
                   json_each(top, "machines", 0, RECORD_MACHINES_MAX, read_machine,
                             record, err)
               ? -1
               : 0;
}

int record_read_text(const char *text, const char *name, struct record *record,
                     struct error *err)
{
    json_t *root = NULL;
    *record = (struct record){0};
    if (json_read_text(text, name, "inflight.record/1", &root, err))
        return -1;
    struct json_at top = json_top(name, root);
    int status = read_document(&top, record, err);
    if (status)
        record_release(record);
    else
        judge_checksums(text, record);
    json_decref(root);
    return status;
}

int record_read(const char *path, struct record *record, struct error *err)
{
    struct buf text = {0};
    *record = (struct record){0};
    int status = file_read_own(path, GZ_LIMIT_BYTES, &text, err);
    if (!status)
        status = record_read_text(buf_str(&text), path, record, err);
    buf_release(&text);
    return status;
}
