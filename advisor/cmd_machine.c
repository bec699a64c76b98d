/* inflight machine: probe this machine and keep its profile, or show one that exists. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/commands.h"
#include "core/machine/machine.h"

static int print_machine(const struct settings *settings, const struct machine *machine,
                         struct error *err)
{
    struct buf text = {0};
    int status;
    if (settings->json) {
        json_t *document = machine_to_json(machine);
        status = print_json(document, err);
        json_decref(document);
        return status;
    }
    machine_describe(machine, &text);
    status = print_text(buf_str(&text), err);
    buf_release(&text);
    return status;
}

static int probe(const struct settings *settings, struct machine *machine,
                 struct error *err)
{
    struct progress progress;
    char *path = settings->output ? xstrdup(settings->output) : NULL;
    if (!path && machine_default_path(&path, err))
        return -1;
    spawn_catch_interrupt();
    progress_start(&progress, settings->quiet, settings->verbose);
    struct machine_probe_opts opts = {.quick = settings->quick, .progress = &progress};
    int status = machine_probe(&opts, machine, err);
    progress_clear(&progress);
    if (!status)
        status = machine_save(machine, path, err);
    if (!status && !settings->quiet)
        fprintf(stderr, "profile written to '%s'\n", path);
    free(path);
    return status;
}

int machine_command(const struct settings *settings, struct error *err)
{
    struct machine machine = {0};
    int status = settings->machine ? machine_load(settings->machine, &machine, err)
                                   : probe(settings, &machine, err);
    if (!status)
        status = print_machine(settings, &machine, err);
    machine_release(&machine);
    return status;
}
