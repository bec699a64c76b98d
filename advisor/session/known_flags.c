#include "advisor/session/known_flags.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/cli/settings.h"
#include "core/base.h"
#include "core/code/code.h"
#include "observe/observe.h"
#include "variants/clang/clang.h"

void known_flags_release(struct known_flags *known)
{
    strvec_release(&known->flags);
    free(known->from);
    *known = (struct known_flags){0};
}

/* Where nothing else tells. */
static void ask_program(const struct settings *settings, const char *source,
                        const char *program, struct known_flags *known)
{
    struct strvec command = {0}, folders = {0}, told = {0}, none = {0};
    char *dir = NULL;
    source_command(program, source, &command, &dir);
    program_include_folders(program, source, &folders);
    if (command.nr)
        command_flags(&command, dir, source, &none, &told);
    for (size_t i = 0; i < folders.nr; i++) {
        strvec_push(&told, "-I");
        strvec_push(&told, folders.v[i]);
    }
    if (told.nr) {
        strvec_release(&known->flags);
        strvec_push_all(&known->flags, &told);
        strvec_push_all(&known->flags, &settings->cflags);
        known->from = xasprintf("the debug information of '%s'", program);
        known->with_source = false;
    }
    strvec_release(&command);
    strvec_release(&folders);
    strvec_release(&told);
    free(dir);
}

static void add_own(const struct settings *settings, struct known_flags *known)
{
    if (!settings->cflags.nr)
        return;
    char *other = known->from;
    known->from = other ? xasprintf(FLAGS_OF_COMMAND_LINE " and %s", other)
                        : xstrdup(FLAGS_OF_COMMAND_LINE);
    free(other);
}

int known_flags_find(const struct settings *settings, const char *source,
                     const char *program, struct known_flags *known, struct error *err)
{
    char *found = NULL, *beside = NULL;
    struct strvec alone = {0};
    struct error why = {0};
    *known = (struct known_flags){.with_source = true};
    if (flags_check(&settings->cflags, err))
        return -1;
    int status = compile_commands_flags(settings->compile_commands, source, program,
                                        &settings->cflags, &known->flags, &found, &why);
    if (status && settings->build && !settings->file) { /* asked for many sources */
        strvec_push_all(&known->flags, &settings->cflags);
        status = 0;
    } else if (status && settings->build)
        fail(err, STATUS_INPUT, "--build: '%s' does not compile '%s'", settings->build,
             source);
    else if (status)
        fail_as(err, &why);
    if (found)
        known->from = settings->build ? xasprintf("the build '%s'", settings->build)
                                      : xasprintf("'%s'", found);
    if (found && !settings->compile_commands &&
        !compile_commands_flags(NULL, source, NULL, &settings->cflags, &alone, &beside,
                                NULL))
        known->with_source = beside != NULL;
    if (found && settings->build)
        known->with_source = false; /* the copy is gone by then */
    if (!status && !found && program)
        ask_program(settings, source, program, known);
    if (!status)
        add_own(settings, known);
    else
        known_flags_release(known);
    strvec_release(&alone);
    free(beside);
    free(found);
    return status;
}
