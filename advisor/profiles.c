#include "advisor/profiles.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/commands.h"
#include "search/search.h"

static int load_here(struct machine *machine, struct error *err)
{
    char *path = NULL;
    int status = machine_default_path(&path, err);
    if (!status && !file_exists(path))
        status =
            fail(err, STATUS_INPUT,
                 "there is no profile of this machine yet ('%s'); 'inflight machine' "
                 "makes one",
                 path);
    if (!status)
        status = machine_load(path, machine, err);
    free(path);
    return status;
}

/* A profile of the user's own by its bare name; NULL if there is none. Caller frees. */
static char *own_path(const char *name)
{
    char *dir = NULL, *path = NULL;
    if (strchr(name, '/') || config_dir(&dir, NULL))
        return NULL;
    path = xasprintf("%s/%s.json", dir, name);
    free(dir);
    if (file_exists(path))
        return path;
    free(path);
    return NULL;
}

/* A file of that name goes before a profile of the user's own, a shipped one before both.
 */
static int load_named(const char *spec, struct machine *machine, struct error *err)
{
    struct error why = {0};
    int status = machine_load(spec, machine, &why);
    char *own = status && !file_exists(spec) ? own_path(spec) : NULL;
    if (own)
        status = machine_load(own, machine, err);
    else if (status)
        fail(err, why.status, "%s", why.text);
    free(own);
    return status;
}

int profile_load(const char *spec, const char *memory, struct machine *machine,
                 struct error *err)
{
    *machine = (struct machine){0};
    if (!strcmp(spec, "here") ? load_here(machine, err) : load_named(spec, machine, err))
        return -1;
    if (!memory || !machine_use_memory(machine, memory, err))
        return 0;
    machine_release(machine);
    return -1;
}

/* ---- --list ---- */

static void add_value(struct buf *out, struct quantity quantity, const char *unit,
                      int width)
{
    struct buf text = {0};
    if (quantity.known) {
        buf_add_number(&text, quantity.value);
        buf_addf(&text, " %s", unit);
    }
    buf_addf(out, "%*s", width, text.length ? buf_str(&text) : "?");
    buf_release(&text);
}

static void add_detail(struct buf *out, const char *text)
{
    if (!text)
        return;
    buf_add(out, "    ");
    buf_add_wrapped(out, text, 4, 79);
    buf_add(out, "\n");
}

void profiles_text(const struct machine_entry *entry, size_t nr, struct buf *out)
{
    buf_addf(out, "%-24s%6s%12s%14s%8s\n", "name", "cores", "unloaded", "peak", "curves");
    for (size_t i = 0; i < nr; i++) {
        buf_addf(out, "%-24s%6d", entry[i].name, entry[i].cores);
        add_value(out, entry[i].memory_latency_ns, "ns", 12);
        add_value(out, entry[i].peak_gbs, "GB/s", 14);
        buf_addf(out, "%8zu\n", entry[i].curve_nr);
        add_detail(out, entry[i].cpu_model);
        add_detail(out, entry[i].source);
    }
}

static json_t *profiles_json(const struct machine_entry *entry, size_t nr)
{
    json_t *list = json_array();
    for (size_t i = 0; i < nr; i++)
        json_array_append_new(
            list,
            json_pack("{s:o, s:o, s:s?, s:i, s:o, s:o, s:i, s:o}", "name",
                      text_json(entry[i].name), "cpu_model",
                      text_json(entry[i].cpu_model), "microarchitecture",
                      entry[i].microarchitecture, "cores", entry[i].cores,
                      "memory_latency_ns", json_quantity(entry[i].memory_latency_ns),
                      "peak_gbs", json_quantity(entry[i].peak_gbs), "curves",
                      (int)entry[i].curve_nr, "source", text_json(entry[i].source)));
    return json_pack("{s:s, s:o}", "schema", "inflight.profiles/1", "profiles", list);
}

int profiles_list(bool json, struct error *err)
{
    struct machine_entry *entry = NULL;
    struct buf text = {0};
    size_t nr = 0;
    if (machine_list(&entry, &nr, err))
        return -1;
    json_t *document = json ? profiles_json(entry, nr) : NULL;
    if (!json)
        profiles_text(entry, nr, &text);
    int status = json ? print_json(document, err) : print_text(buf_str(&text), err);
    json_decref(document);
    buf_release(&text);
    machine_entries_release(entry, nr);
    return status;
}
