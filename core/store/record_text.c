/*
 * The text of a record. An entry's checksum is the SHA-256 of the document's text up to
 * "machines": [ and of the entry's text from "cpu": { up to its checksum, both without
 * the white space around line ends: it survives another indentation, other line ends and
 * another place among the entries, and nothing else.
 */
#include <stdlib.h>
#include <string.h>

#include "core/store/record.h"
#include "core/store/store_parts.h"

static const char no_checksum[] =
    "0000000000000000000000000000000000000000000000000000000000000000";

/* One line instead of fifty. */
static json_t *words_json(const struct strvec *list)
{
    char *text = strvec_join(list, " ");
    json_t *string = json_string(text);
    free(text);
    return string;
}

static json_t *tolerance(struct quantity quantity)
{
    return quantity.known ? json_real(quantity.value) : json_null();
}

static json_t *cpu_json(const struct record_cpu *cpu)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "architecture", cpu->architecture,
                     "vendor", cpu->vendor, "family", cpu->family, "model", cpu->model,
                     "name", cpu->name);
}

static json_t *files_json(const struct record_machine *machine)
{
    json_t *array = json_array();
    for (size_t i = 0; i < machine->file_nr; i++)
        json_array_append_new(array,
                              json_pack("{s:s, s:s}", "path", machine->file[i].path,
                                        "sha256", machine->file[i].sha256));
    return array;
}

/* NULL = not known, as where there is no tuned C. */
static json_t *definitions_json(const struct record_machine *machine)
{
    return machine->knows_frozen ? json_strvec(&machine->definitions) : NULL;
}

static json_t *frozen_json(const struct record_machine *machine)
{
    if (!machine->knows_frozen)
        return NULL;
    json_t *array = json_array();
    for (size_t i = 0; i < machine->frozen_nr; i++) {
        const struct record_frozen *frozen = &machine->frozen[i];
        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:s}", "name", frozen->name, "use",
                                        frozen->use, "value", frozen->value));
    }
    return array;
}

/* NULL = it was not asked for. */
static json_t *in_app_json(const struct record_in_app *in_app)
{
    return in_app->command
               ? json_pack("{s:s, s:o, s:o, s:I, s:s}", "command", in_app->command,
                           "routine_gain", json_quantity(in_app->routine), "program_gain",
                           json_quantity(in_app->program), "pairs",
                           (json_int_t)in_app->pairs, "date", in_app->date)
               : NULL;
}

static json_t *machine_json(const struct record_machine *machine)
{
    return json_pack(
        "{s:o, s:o, s:s, s:o, s:b, s:o, s:o, s:o*, s:o*, s:o, s:s?, s:s?, s:o, s:{s:s, "
        "s:s, s:o}, "
        "s:s, s:I, s:o, s:o, s:o*, s:s, s:s, s:s, s:s}",
        "cpu", cpu_json(&machine->cpu), "isa", words_json(&machine->isa), "plan",
        machine->plan, "words", json_strvec(&machine->words), "reassociate",
        (int)machine->reassociate, "tolerance", tolerance(machine->tolerance),
        "tolerance_absolute", tolerance(machine->tolerance_absolute), "definitions",
        definitions_json(machine), "frozen", frozen_json(machine), "sources",
        files_json(machine), "code", machine->code, "code_sha256", machine->code_sha256,
        "needs", json_strvec(&machine->needs), "compiler", "name", machine->compiler,
        "version", machine->compiler_version, "flags", json_strvec(&machine->flags),
        "profile", machine->profile, "cores", (json_int_t)machine->cores, "gain",
        json_quantity(machine->gain), "environment_gain",
        json_quantity(machine->environment_gain), "in_app", in_app_json(&machine->in_app),
        "verified", machine->verified, "date", machine->date, "inflight",
        machine->inflight, "checksum",
        machine->checksum ? machine->checksum : no_checksum);
}

/* ---- checksums ---- */

static const char machines_begin[] = "\"machines\": [";
static const char entry_begin[] = "\"cpu\": {";
static const char checksum_begin[] = "\"checksum\": \"";

enum { HEX_DIGITS = 64 };

/* Without the white space before and behind line ends. */
static void add_normal(struct buf *out, const char *text, size_t length)
{
    const char *end = text + length;
    while (text < end) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        const char *last = line_end ? line_end : end;
        while (line_end && last > text && strchr(" \t\r", last[-1]))
            last--;
        buf_add_n(out, text, (size_t)(last - text));
        if (!line_end)
            return;
        buf_add(out, "\n");
        for (text = line_end + 1; text < end && (*text == ' ' || *text == '\t');)
            text++;
    }
}

static char *checksum_of(const struct buf *head, const char *entry, size_t length)
{
    struct buf text = {0};
    buf_add_n(&text, buf_str(head), head->length);
    add_normal(&text, entry, length);
    char *hex = sha256_hex(buf_str(&text), text.length);
    buf_release(&text);
    return hex;
}

size_t record_checksums(const char *text, struct record_checksum *out, size_t max)
{
    struct buf head = {0};
    const char *at = strstr(text, machines_begin), *found;
    size_t nr = 0;
    if (!at)
        return 0;
    add_normal(&head, text, (size_t)(at - text));
    at += strlen(machines_begin);
    while (nr < max && (at = strstr(at, entry_begin)) &&
           (found = strstr(at, checksum_begin))) {
        const char *hex = found + strlen(checksum_begin);
        if (strspn(hex, "0123456789abcdef") < HEX_DIGITS)
            break;
        out[nr].offset = (size_t)(hex - text);
        out[nr++].right = checksum_of(&head, at, (size_t)(found - at));
        at = hex + HEX_DIGITS;
    }
    buf_release(&head);
    return nr;
}

/* ---- the document ---- */

char *record_text(const struct record *record)
{
    json_t *list = json_array();
    for (size_t i = 0; i < record->machine_nr; i++)
        json_array_append_new(list, machine_json(&record->machine[i]));
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:o}", "schema", "inflight.record/1", "source",
                  record->source, "function", record->function, "machines", list);
    char *text = json_text(root);
    struct record_checksum *sum = xcalloc(record->machine_nr + 1, sizeof(*sum));
    size_t nr = record_checksums(text, sum, record->machine_nr);
    for (size_t i = 0; i < nr; i++) {
        if (!record->machine[i].checksum)
            memcpy(text + sum[i].offset, sum[i].right, HEX_DIGITS);
        free(sum[i].right);
    }
    free(sum);
    json_decref(root);
    return text;
}
