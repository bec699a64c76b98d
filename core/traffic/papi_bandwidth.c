/* The bandwidth formula of this CPU, from data/bandwidth.json. */
#include "core/traffic/papi_source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* As in the data: hexadecimal in capitals, without leading zeros but for an Arm part. */
struct identity {
    const char *vendor;
    char family[8], model[8], stepping[8], implementer[8], part[8], core[16];
};

/* The first "name : value" of /proc/cpuinfo. */
static char *cpuinfo_value(const char *text, const char *name)
{
    size_t length = strlen(name);

    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0) {
            const char *at = line + length + strspn(line + length, " \t");

            if (*at == ':')
                return xstrndup(at + 1 + strspn(at + 1, " \t"),
                                strcspn(at + 1 + strspn(at + 1, " \t"), "\n"));
        }
    }
    return NULL;
}

/* Decimal or 0x-numbers as capital hexadecimal with at least `digits`. */
static void take_hex(const char *text, const char *name, int digits, char out[8])
{
    char *value = cpuinfo_value(text, name);

    if (value)
        snprintf(out, 8, "%0*lX", digits, strtoul(value, NULL, 0) & 0xffffff);
    free(value);
}

static void take_vendor(const char *text, struct identity *cpu)
{
    char *vendor = cpuinfo_value(text, "vendor_id"), *core = cpuinfo_value(text, "cpu");

    if (vendor && strcmp(vendor, "GenuineIntel") == 0)
        cpu->vendor = "intel";
    else if (vendor && strcmp(vendor, "AuthenticAMD") == 0)
        cpu->vendor = "amd";
    else if (*cpu->implementer)
        cpu->vendor = "arm";
    else if (core && strncmp(core, "POWER", 5) == 0) {
        cpu->vendor = "power";
        snprintf(cpu->core, sizeof(cpu->core), "%.*s", (int)strcspn(core, " ,("), core);
    }
    free(vendor);
    free(core);
}

static void identify(const char *text, struct identity *cpu)
{
    *cpu = (struct identity){.vendor = ""};
    take_hex(text, "cpu family", 1, cpu->family);
    take_hex(text, "model", 1, cpu->model);
    take_hex(text, "stepping", 1, cpu->stepping);
    take_hex(text, "CPU implementer", 2, cpu->implementer);
    take_hex(text, "CPU part", 3, cpu->part);
    take_vendor(text, cpu);
}

static bool listed(const struct json_at *recognise, const char *key, const char *value)
{
    struct json_at list;
    size_t nr;

    if (!json_has(recognise, key))
        return true;
    if (json_array_at(recognise, key, &list, &nr, NULL))
        return false;
    for (size_t i = 0; i < nr; i++) {
        struct json_at item = json_element(&list, i);
        const char *one;

        if (json_string_here(&item, &one, NULL) == 0 && strcmp(one, value) == 0)
            return true;
    }
    return false;
}

static bool equals(const struct json_at *recognise, const char *key, const char *value)
{
    const char *wanted;

    return !json_has(recognise, key) ||
           (json_string_at(recognise, key, &wanted, NULL) == 0 &&
            strcmp(wanted, value) == 0);
}

static int recognises(const struct json_at *row, const struct identity *cpu, bool *yes,
                      struct error *err)
{
    struct json_at recognise;

    if (json_only_keys(row, "name recognise sources", err) ||
        json_object_at(row, "recognise", &recognise, err) ||
        json_only_keys(&recognise,
                       "vendor family models steppings implementer parts core", err))
        return -1;
    *yes = equals(&recognise, "vendor", cpu->vendor) &&
           equals(&recognise, "family", cpu->family) &&
           listed(&recognise, "models", cpu->model) &&
           listed(&recognise, "steppings", cpu->stepping) &&
           equals(&recognise, "implementer", cpu->implementer) &&
           listed(&recognise, "parts", cpu->part) &&
           equals(&recognise, "core", cpu->core);
    return 0;
}

static void add_event(struct papi_bandwidth *bandwidth, const char *name,
                      double read_bytes, double write_bytes)
{
    size_t nr = bandwidth->event.nr;

    strvec_push(&bandwidth->event, name);
    bandwidth->read_factor =
        xrealloc(bandwidth->read_factor, nr + 1, sizeof(*bandwidth->read_factor));
    bandwidth->write_factor =
        xrealloc(bandwidth->write_factor, nr + 1, sizeof(*bandwidth->write_factor));
    bandwidth->read_factor[nr] = read_bytes;
    bandwidth->write_factor[nr] = write_bytes;
}

/* "%d" in a name stands for the number of a box. */
static char *name_of_box(const char *name, long long box)
{
    const char *at = strstr(name, "%d");

    return at ? xasprintf("%.*s%lld%s", (int)(at - name), name, box, at + 2)
              : xstrdup(name);
}

/* Adds the boxes there are; an event without any is not there. `known` tells which (NULL
 * = all are). */
static int take_event(const struct json_at *at, const struct papi_asker *ask,
                      struct papi_bandwidth *bandwidth, struct error *err)
{
    long long boxes = 1;
    double read_bytes, write_bytes;
    const char *name;
    size_t before = bandwidth->event.nr;

    if (json_only_keys(at, "name boxes read_bytes write_bytes", err) ||
        json_string_at(at, "name", &name, err) ||
        json_number_at(at, "read_bytes", -4096, 4096, &read_bytes, err) ||
        json_number_at(at, "write_bytes", -4096, 4096, &write_bytes, err) ||
        (json_has(at, "boxes") && json_integer_at(at, "boxes", 1, 64, &boxes, err)))
        return -1;
    for (long long box = 0; box < boxes; box++) {
        char *event = name_of_box(name, box);

        if (ask->known(event))
            add_event(bandwidth, event, read_bytes, write_bytes);
        free(event);
    }
    if (bandwidth->event.nr > before)
        return 0;
    return fail(err, STATUS_MISSING, "PAPI does not know the event '%s' here", name);
}

static int take_source(const struct json_at *at, const struct papi_asker *ask,
                       struct papi_bandwidth *bandwidth, struct error *err)
{
    struct json_at events;
    const char *source;
    size_t nr;

    if (json_only_keys(at, "events writebacks_included source", err) ||
        json_array_at(at, "events", &events, &nr, err) ||
        json_bool_at(at, "writebacks_included", &bandwidth->writebacks_included, err) ||
        json_string_at(at, "source", &source, err))
        return -1;
    for (size_t i = 0; i < nr; i++) {
        struct json_at event = json_element(&events, i);

        if (take_event(&event, ask, bandwidth, err))
            return -1;
    }
    bandwidth->source = xstrdup(source);
    return 0;
}

/* The first source of a row whose events all start. */
static int take_row(const struct json_at *row, const struct papi_asker *ask,
                    struct papi_bandwidth *bandwidth, struct error *err)
{
    struct json_at sources;
    size_t nr;

    if (json_array_at(row, "sources", &sources, &nr, err))
        return -1;
    for (size_t i = 0; i < nr; i++) {
        struct json_at source = json_element(&sources, i);

        error_clear(err);
        if (take_source(&source, ask, bandwidth, err) == 0 &&
            ask->start((const char *const *)bandwidth->event.v, bandwidth->event.nr,
                       err) == 0)
            return 0;
        papi_bandwidth_release(bandwidth);
    }
    return -1;
}

static int find_row(const struct json_at *top, const struct identity *cpu,
                    struct json_at *rows, size_t *found, struct error *err)
{
    size_t nr;

    if (json_array_at(top, "cpus", rows, &nr, err))
        return -1;
    for (*found = 0; *found < nr; ++*found) {
        struct json_at row = json_element(rows, *found);
        bool yes;

        if (recognises(&row, cpu, &yes, err))
            return -1;
        if (yes)
            return 0;
    }
    return fail(
        err, STATUS_MISSING,
        "no memory bandwidth events are known for this CPU (vendor '%s', family %s, "
        "model %s); the cache model needs none",
        cpu->vendor, cpu->family, cpu->model);
}

static int events_for(const char *cpuinfo, const struct json_at *top,
                      const struct papi_asker *ask, struct papi_bandwidth *bandwidth,
                      struct error *err)
{
    struct identity cpu;
    struct json_at rows, row;
    size_t found;

    identify(cpuinfo, &cpu);
    if (find_row(top, &cpu, &rows, &found, err))
        return -1;
    row = json_element(&rows, found);
    return take_row(&row, ask, bandwidth, err);
}

int papi_bandwidth_for(const char *cpuinfo, const struct papi_asker *ask,
                       struct papi_bandwidth *bandwidth, struct error *err)
{
    struct error local = {0};
    char *path = NULL;
    json_t *root = NULL;
    int result = -1;

    *bandwidth = (struct papi_bandwidth){0};
    err = err ? err : &local;
    if (shipped_path("core/traffic/data/bandwidth.json", &path, err) == 0 &&
        json_read_file(path, "inflight.bandwidth/1", &root, err) == 0) {
        struct json_at top = json_top(path, root);

        result = events_for(cpuinfo, &top, ask, bandwidth, err);
    }
    json_decref(root);
    free(path);
    return result;
}

int papi_bandwidth_events(struct papi_bandwidth *bandwidth, struct error *err)
{
    static const struct papi_asker ask = {papi_event_known, papi_events_start};
    struct buf cpuinfo = {0};
    int result = file_read("/proc/cpuinfo", &cpuinfo, err);

    *bandwidth = (struct papi_bandwidth){0};
    if (result == 0)
        result = papi_bandwidth_for(buf_str(&cpuinfo), &ask, bandwidth, err);
    buf_release(&cpuinfo);
    return result;
}

void papi_bandwidth_release(struct papi_bandwidth *bandwidth)
{
    strvec_release(&bandwidth->event);
    free(bandwidth->read_factor);
    free(bandwidth->write_factor);
    free(bandwidth->source);
    *bandwidth = (struct papi_bandwidth){0};
}
