#define _DEFAULT_SOURCE /* scandir, alphasort */
#include "advisor/cli/cli.h"
#include "core/base.h"
#include "core/store/store.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int profile_read(const char *spec, const char *memory, struct machine *machine,
                 struct error *err)
{
    *machine = (struct machine){0};
    if (!strcmp(spec, "here") ? load_here(machine, err)
                              : machine_load(spec, machine, err))
        return -1;
    if (!memory || !machine_use_memory(machine, memory, err))
        return 0;
    machine_release(machine);
    return -1;
}

char *profile_rough(const struct machine *machine)
{
    if (!machine->unstable)
        return NULL;
    return xasprintf("%s while the profile '%s' was made, so its limits are rough: "
                     "'inflight machine' on a quiet machine makes a better one",
                     machine->busy ? "other processes kept the machine busy"
                                   : "the latency of memory moved",
                     machine->name);
}

int profile_load(const char *spec, const char *memory, struct machine *machine,
                 struct error *err)
{
    if (profile_read(spec, memory, machine, err))
        return -1;
    char *rough = profile_rough(machine);
    if (rough)
        fprintf(stderr, "inflight: warning: %s\n", rough);
    free(rough);
    return 0;
}

/* ---- --list ---- */

static void add_profile(const char *name, struct profile **profile, size_t *nr)
{
    struct error why = {0};
    *profile = xrealloc(*profile, *nr + 1, sizeof(**profile));
    struct profile *added = &(*profile)[(*nr)++];
    *added = (struct profile){.name = xstrdup(name)};
    if (profile_read(name, NULL, &added->machine, &why))
        added->problem = xstrdup(why.text);
}

static int is_profile(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && entry->d_name[0] != '.' &&
           !strcmp(entry->d_name + length - 5, ".json") &&
           strcmp(entry->d_name, "machine.json") != 0;
}

static void add_own(struct profile **profile, size_t *nr)
{
    struct dirent **file = NULL;
    char *dir = NULL;
    int file_nr = config_dir(&dir, NULL) ? 0 : scandir(dir, &file, is_profile, alphasort);
    for (int i = 0; i < file_nr; i++) {
        file[i]->d_name[strlen(file[i]->d_name) - 5] = '\0';
        add_profile(file[i]->d_name, profile, nr);
        free(file[i]);
    }
    free(file);
    free(dir);
}

int profiles_find(struct profile **profile, size_t *nr, struct error *err)
{
    struct machine_entry *shipped = NULL;
    size_t shipped_nr = 0;
    char *here = NULL;
    *profile = NULL;
    *nr = 0;
    if (machine_list(&shipped, &shipped_nr, err))
        return -1;
    for (size_t i = 0; i < shipped_nr; i++)
        add_profile(shipped[i].name, profile, nr);
    machine_list_release(shipped, shipped_nr);
    add_own(profile, nr);
    if (machine_default_path(&here, NULL) == 0 && file_exists(here))
        add_profile("here", profile, nr);
    free(here);
    return 0;
}

void profiles_release(struct profile *profile, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        machine_release(&profile[i].machine);
        free(profile[i].name);
        free(profile[i].problem);
    }
    free(profile);
}

static void add_value(struct buf *out, struct quantity quantity, const char *unit,
                      int width)
{
    struct buf text = {0};
    if (quantity.known)
        buf_add_value(&text, quantity, 1, unit);
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

void profiles_text(const struct profile *profile, size_t nr, struct buf *out)
{
    buf_addf(out, "%-24s%6s%12s%14s%8s\n", "name", "cores", "unloaded", "peak", "curves");
    for (size_t i = 0; i < nr; i++) {
        const struct machine *machine = &profile[i].machine;
        if (profile[i].problem) {
            buf_addf(out, "%s\n", profile[i].name);
            add_detail(out, profile[i].problem);
            continue;
        }
        buf_addf(out, "%-24s%6d", profile[i].name, machine->cores);
        add_value(out, machine->memory_latency_ns, "ns", 12);
        add_value(out, machine->peak_gbs, "GB/s", 14);
        buf_addf(out, "%8zu\n", machine->curve_nr);
        add_detail(out, machine->cpu_model);
        add_detail(out, machine->source);
    }
}

static json_t *profile_json(const struct profile *profile)
{
    const struct machine *machine = &profile->machine;
    if (profile->problem)
        return json_pack("{s:o, s:o}", "name", text_json(profile->name), "problem",
                         text_json(profile->problem));
    return json_pack("{s:o, s:o, s:o, s:i, s:o, s:o, s:i, s:o}", "name",
                     text_json(profile->name), "cpu_model", text_json(machine->cpu_model),
                     "microarchitecture", text_json(machine->microarchitecture), "cores",
                     machine->cores, "memory_latency_ns",
                     json_quantity(machine->memory_latency_ns), "peak_gbs",
                     json_quantity(machine->peak_gbs), "curves", (int)machine->curve_nr,
                     "source", text_json(machine->source));
}

json_t *profiles_json(const struct profile *profile, size_t nr)
{
    json_t *list = json_array();
    for (size_t i = 0; i < nr; i++)
        json_array_append_new(list, profile_json(&profile[i]));
    return json_pack("{s:s, s:o}", "schema", "inflight.profiles/1", "profiles", list);
}
