#define _DEFAULT_SOURCE /* scandir */
/* What profiles are shipped. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/profile.h"

static int is_profile(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > 5 && entry->d_name[0] != '.' &&
           strcmp(entry->d_name + length - 5, ".json") == 0;
}

static struct machine_entry entry_of(const char *file, const struct machine *machine)
{
    return (struct machine_entry){.name = xstrndup(file, strlen(file) - 5),
                                  .cpu_model = xstrdup(machine->cpu_model),
                                  .microarchitecture =
                                      xstrdup(machine->microarchitecture),
                                  .source = xstrdup(machine->source),
                                  .cores = machine->cores,
                                  .curve_nr = machine->curve_nr};
}

static void add_folder(const char *dir, struct machine_entry **entry, size_t *nr)
{
    struct dirent **file = NULL;
    int file_nr = scandir(dir, &file, is_profile, alphasort);

    for (int i = 0; i < file_nr; i++) {
        char *path = path_join(dir, file[i]->d_name);
        struct machine machine;

        if (machine_read(path, &machine, NULL) == 0) {
            *entry = xrealloc(*entry, *nr + 1, sizeof(**entry));
            (*entry)[(*nr)++] = entry_of(file[i]->d_name, &machine);
            machine_release(&machine);
        }
        free(path);
        free(file[i]);
    }
    free(file);
}

int machine_list(struct machine_entry **entry, size_t *nr, struct error *err)
{
    char *shipped;

    *entry = NULL;
    *nr = 0;
    if (shipped_path("core/machine/profiles", &shipped, err))
        return -1;
    add_folder(shipped, entry, nr);
    free(shipped);
    return 0;
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
