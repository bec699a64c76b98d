#include "core/machine/profile/peak.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/near.h"

struct peak_row {
    const char *source; /* borrowed */
    double gbs;         /* of one socket; 0 = cannot be told */
    bool exact;
};

static int hex_at(const struct json_at *at, const char *text, char **end, long *number,
                  struct error *err)
{
    *number = strtol(text, end, 16);
    return *end > text
               ? 0
               : json_fail(at, err, "expected hexadecimal numbers, got \"%s\"", text);
}

/* "A0-AF" or "31". */
static int in_range(const struct json_at *at, int model, bool *holds, struct error *err)
{
    const char *text;
    char *end;
    long low, high;

    if (json_string_here(at, &text, err) || hex_at(at, text, &end, &low, err))
        return -1;
    high = low;
    if (*end == '-' && hex_at(at, end + 1, &end, &high, err))
        return -1;
    if (*end)
        return json_fail(at, err, "expected \"A0-AF\" or \"31\", got \"%s\"", text);
    *holds |= model >= low && model <= high;
    return 0;
}

static int in_name(const struct json_at *at, const char *name, bool *holds,
                   struct error *err)
{
    const char *part;

    if (json_string_here(at, &part, err))
        return -1;
    *holds |= text_holds(name, part);
    return 0;
}

/* Does the row allow this processor? A row without the key allows all. */
static int allows(const struct json_at *row, const char *key,
                  const struct cpu_identity *identity, bool *fits, struct error *err)
{
    bool names = strcmp(key, "names") == 0, holds = false;
    struct json_at list;
    size_t nr;

    if (!json_has(row, key))
        return 0;
    if (json_array_at(row, key, &list, &nr, err))
        return -1;
    for (size_t i = 0; i < nr; i++) {
        struct json_at item = json_element(&list, i);

        if (names ? in_name(&item, identity->name, &holds, err)
                  : in_range(&item, identity->model, &holds, err))
            return -1;
    }
    *fits &= holds;
    return 0;
}

static int read_gbs(const struct json_at *at, struct peak_row *row, struct error *err)
{
    const double channel_bytes = 8;
    long long channels, mts;

    if (json_has(at, "gbs"))
        return json_number_at(at, "gbs", 1, 1e5, &row->gbs, err);
    if (!json_has(at, "channels"))
        return 0;
    if (json_integer_at(at, "channels", 1, 64, &channels, err) ||
        json_integer_at(at, "mts", 100, 100000, &mts, err))
        return -1;
    row->gbs = channel_bytes * (double)(channels * mts) / 1000;
    return 0;
}

static int read_row(const struct json_at *at, const struct machine *machine,
                    const struct cpu_identity *identity, struct peak_row *row, bool *fits,
                    struct error *err)
{
    const char *microarchitecture;

    *row = (struct peak_row){0};
    if (json_only_keys(at, "microarchitecture models names channels mts gbs exact source",
                       err) ||
        json_string_at(at, "microarchitecture", &microarchitecture, err) ||
        json_string_at(at, "source", &row->source, err) || read_gbs(at, row, err))
        return -1;
    if (json_has(at, "exact") && json_bool_at(at, "exact", &row->exact, err))
        return -1;
    *fits = machine->microarchitecture &&
            strcmp(microarchitecture, machine->microarchitecture) == 0;
    return allows(at, "models", identity, fits, err) ||
                   allows(at, "names", identity, fits, err)
               ? -1
               : 0;
}

static void set_from_row(struct machine *machine, const struct peak_row *row)
{
    double gbs = row->gbs * machine->sockets;

    machine->peak_gbs =
        quantity_between(gbs, row->exact ? gbs : 0, gbs, 0, PROVENANCE_TABLE);
    machine->peak_source = xasprintf(
        "%s%s%s", row->exact ? "" : "the most it takes: ", row->source,
        row->exact ? "" : "; fewer where channels are empty or memory is slower");
}

/* The first row that fits; gbs 0 = none. All rows are read, so that a damaged one is
 * found wherever it is. */
static int look_up(const struct json_at *top, const struct machine *machine,
                   const struct cpu_identity *identity, struct peak_row *found,
                   struct error *err)
{
    struct json_at list;
    bool done = false;
    size_t nr;

    *found = (struct peak_row){0};
    if (json_only_keys(top, "schema source note rows", err) ||
        json_array_at(top, "rows", &list, &nr, err))
        return -1;
    for (size_t i = 0; i < nr; i++) {
        struct json_at item = json_element(&list, i);
        struct peak_row row;
        bool fits;

        if (read_row(&item, machine, identity, &row, &fits, err))
            return -1;
        if (fits && !done)
            *found = row;
        done |= fits;
    }
    return 0;
}

static void set_peak(struct machine *machine, double told_gbs, const struct peak_row *row)
{
    double most = row->gbs * machine->sockets;

    machine->peak_gbs = quantity_unknown();
    free(machine->peak_source);
    machine->peak_source = NULL;
    if (told_gbs > 0) {
        machine->peak_gbs = quantity_exact(told_gbs, PROVENANCE_DECLARED);
        machine->peak_source =
            most > 0 && told_gbs > most
                ? xasprintf("as told, though it is more than %g GB/s: %s", most,
                            row->source)
                : xstrdup("as told");
    } else if (most > 0) {
        set_from_row(machine, row);
    }
}

int peak_find(struct machine *machine, const struct cpu_identity *identity,
              double told_gbs, struct error *err)
{
    struct peak_row row;
    json_t *root = NULL;
    char *path = NULL;
    int result = -1;

    if (shipped_path("core/machine/data/memory.json", &path, err) == 0 &&
        json_read_file(path, "inflight.memory/1", &root, err) == 0) {
        struct json_at top = json_top(path, root);

        result = look_up(&top, machine, identity, &row, err);
        if (!result)
            set_peak(machine, told_gbs, &row);
    }
    json_decref(root);
    free(path);
    return result;
}

void peak_check(struct machine *machine)
{
    /* Whether stores read their lines first is not sure; the program's own bytes are. */
    const struct quantity drawn[] = {machine->node_read_gbs, machine->all_cores.copy_gbs,
                                     machine->all_cores.triad_gbs};
    double most = 0;

    for (size_t i = 0; i < ARRAY_SIZE(drawn); i++)
        if (drawn[i].known)
            most = fmax(most, drawn[i].low);
    if (!machine->peak_gbs.known || most <= machine->peak_gbs.high)
        return;
    strvec_pushf(&machine->note,
                 "the peak of memory is not %.4g GB/s (%s): %.3g GB/s were measured; "
                 "'inflight machine --peak RATE' tells another",
                 machine->peak_gbs.high, machine->peak_source, most);
    machine->peak_gbs = quantity_unknown();
    free(machine->peak_source);
    machine->peak_source = NULL;
}
