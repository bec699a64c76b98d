/* Profiles by name or path. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/cpu/cpu.h"
#include "core/machine/machine.h"
#include "core/machine/profile/limit.h"
#include "core/machine/profile/profile.h"

static const char folder_name[] = "core/machine/profiles";

static char *path_of(const char *folder, const char *name)
{
    char *file = xasprintf("%s.json", name), *path = path_join(folder, file);

    free(file);
    return path;
}

static int add_entry(struct machine_entry *entry, const char *folder, const char *name,
                     struct error *err)
{
    char *path = path_of(folder, name);
    struct machine machine;
    int result = machine_read(path, true, &machine, err);

    free(path);
    if (result)
        return -1;
    *entry = (struct machine_entry){.name = xstrdup(name),
                                    .cpu_model = machine.cpu_model,
                                    .microarchitecture = machine.microarchitecture,
                                    .source = machine.source,
                                    .cores = machine.cores,
                                    .curve_nr = machine.curve_nr};
    machine.cpu_model = machine.microarchitecture = machine.source = NULL;
    machine_release(&machine);
    return 0;
}

int machine_list(struct machine_entry **entry, size_t *nr, struct error *err)
{
    struct strvec names = {0};
    char *folder = NULL;
    int result = shipped_names(folder_name, &names, &folder, err);

    *entry = xcalloc(names.nr ? names.nr : 1, sizeof(**entry));
    *nr = 0;
    for (size_t i = 0; i < names.nr && !result; i++) {
        result = add_entry(&(*entry)[i], folder, names.v[i], err);
        *nr += !result;
    }
    if (result) {
        machine_list_release(*entry, *nr);
        *entry = NULL;
        *nr = 0;
    }
    strvec_release(&names);
    free(folder);
    return result;
}

void machine_list_release(struct machine_entry *entry, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        free(entry[i].name);
        free(entry[i].cpu_model);
        free(entry[i].microarchitecture);
        free(entry[i].source);
    }
    free(entry);
}

/* By the name; what is in the CPU's name ("8480") is near too, but less so than any name.
 */
static size_t entry_distance(const char *spec, const struct machine_entry *entry)
{
    size_t off = word_distance(spec, entry->name);

    if (off == SIZE_MAX && strlen(spec) >= 3 && entry->cpu_model &&
        text_holds(entry->cpu_model, spec))
        return SIZE_MAX - 1;
    return off;
}

/* Those that are equally near, "'a' or 'b'"; empty = none is. */
static void suggest(const char *spec, const struct machine_entry *entry, size_t nr,
                    struct buf *out)
{
    size_t min = SIZE_MAX;

    for (size_t i = 0; i < nr; i++) {
        size_t off = entry_distance(spec, &entry[i]);

        if (off < min)
            min = off;
    }
    for (size_t i = 0; i < nr && min != SIZE_MAX; i++)
        if (entry_distance(spec, &entry[i]) == min)
            buf_addf(out, "%s'%s'", out->length ? " or " : "", entry[i].name);
}

static int unknown_name(const char *spec, struct error *err)
{
    struct machine_entry *entry;
    struct buf near = {0}, list = {0};
    size_t nr;

    if (machine_list(&entry, &nr, err))
        return fail_in(err, "there is no machine profile '%s'", spec);
    suggest(spec, entry, nr, &near);
    for (size_t i = 0; i < nr; i++)
        buf_addf(&list, "%s%s", i ? ", " : "", entry[i].name);
    if (near.length)
        fail(err, STATUS_INPUT, "there is no machine profile '%s'; did you mean %s?",
             spec, buf_str(&near));
    else
        fail(err, STATUS_INPUT,
             "there is no machine profile '%s'; give the path of one, or one of: %s",
             spec, buf_str(&list));
    machine_list_release(entry, nr);
    buf_release(&near);
    buf_release(&list);
    return -1;
}

/* The path of the shipped profile of that name; NULL if there is none. */
static char *shipped_profile(const char *name)
{
    char *relative = path_of(folder_name, name), *path = NULL;

    if (!*name || strchr(name, '/') || shipped_path(relative, &path, NULL))
        path = NULL;
    free(relative);
    return path;
}

/* A profile of the user's own by its bare name; NULL if there is none. */
static char *own_profile(const char *name)
{
    char *dir = NULL, *path;

    if (!*name || strchr(name, '/') || config_dir(&dir, NULL))
        return NULL;
    path = path_of(dir, name);
    free(dir);
    if (file_exists(path))
        return path;
    free(path);
    return NULL;
}

/* What could be a name and is no file is not taken for the path of one. */
static bool is_path(const char *spec)
{
    return strpbrk(spec, "/.") || file_exists(spec);
}

static int path_for(const char *spec, char **path, struct error *err)
{
    *path = shipped_profile(spec);
    if (!*path && !file_exists(spec))
        *path = own_profile(spec);
    if (!*path && !is_path(spec))
        return unknown_name(spec, err);
    if (!*path)
        *path = xstrdup(spec);
    return 0;
}

/* What the probe saw stays, what the CPU's file says is what it says today: a profile of
 * a CPU that had no file when it was made gets it now, too. */
static int limits_of_today(struct machine *machine, struct error *err)
{
    const struct cpu_table *table;
    struct cpu_identity identity;
    const struct cpu *cpu;
    int result;

    if (!machine_is_probed(machine))
        return 0;
    result = cpu_table_get(&table, err);
    cpu = cpu_named(table, machine->microarchitecture);
    if (!machine->microarchitecture && !machine_contradicts(machine)) {
        cpu_identify(machine->cpu_model, &identity);
        cpu = cpu_claimed(table, &identity);
    }
    if (!result && cpu) {
        free(machine->microarchitecture);
        machine->microarchitecture = xstrdup(cpu->name);
        limit_resolve_again(&machine->l1_mshrs, limit_of_table(machine, &cpu->l1));
        limit_resolve_again(&machine->l2_mshrs, limit_of_table(machine, &cpu->l2));
        result = machine_find_core(machine, err);
    }
    return result;
}

/* As good as the program: it is not looked at whose it is. */
static bool is_shipped(const char *path)
{
    const char *base = path_base(path), *dot = strrchr(base, '.');
    char *name = xstrndup(base, dot ? (size_t)(dot - base) : 0),
         *shipped = shipped_profile(name);
    bool is = shipped && file_is_same(path, shipped);

    free(shipped);
    free(name);
    return is;
}

int machine_load(const char *spec, struct machine *machine, struct error *err)
{
    char *path;
    int result;

    *machine = (struct machine){0};
    if (path_for(spec, &path, err))
        return -1;
    result = machine_read(path, is_shipped(path), machine, err);
    free(path);
    if (!result && (result = limits_of_today(machine, err)))
        machine_release(machine);
    return result;
}

static int configured_path(char **path, struct error *err)
{
    char *dir;

    if (config_dir(&dir, err))
        return -1;
    *path = path_join(dir, "machine.json");
    free(dir);
    return 0;
}

/* NULL = not told. */
static const char *given(void)
{
    const char *spec = getenv("INFLIGHT_PROFILE");

    return spec && *spec && strcmp(spec, "here") ? spec : NULL;
}

int machine_default_path(char **path, struct error *err)
{
    const char *spec = given();

    *path = NULL;
    if (!spec)
        return configured_path(path, err);
    return path_for(spec, path, err) ? fail_in(err, "INFLIGHT_PROFILE") : 0;
}

int machine_path_to_write(char **path, struct error *err)
{
    const char *spec = given();

    *path = NULL;
    if (!spec)
        return configured_path(path, err);
    if (path_for(spec, path, NULL) == 0 && strcmp(*path, spec) == 0)
        return 0;
    free(*path);
    *path = NULL;
    return fail(err, STATUS_USAGE,
                "INFLIGHT_PROFILE is the name of a profile, '%s', which is not written; "
                "make it the path of a file ('./%s'), or name the file with -o",
                spec, spec);
}
