/* For fish: a `complete` for each command, each option and each command's words. */
#include <stdlib.h>
#include <string.h>

#include "advisor/program/commands.h"
#include "advisor/program/completion.h"

static void add_quoted(struct buf *out, const char *text)
{
    buf_add(out, "'");
    for (; *text; text++)
        buf_addf(out, "%s%c", strchr("\\'", *text) ? "\\" : "", *text);
    buf_add(out, "'");
}

static int write_commands(struct buf *out, struct error *err)
{
    const struct command *command;
    (void)err;
    for (size_t i = 0; (command = command_row(i)); i++) {
        buf_addf(out, "complete -c inflight -n __inflight_first -a %s -d ",
                 command->name);
        add_quoted(out, command->summary);
        buf_add(out, "\n");
    }
    return 0;
}

/* The words, or what prints them; files are offered where -F stands. */
static void add_words(const struct completes *completes, struct buf *out)
{
    static const char *const before[] = {
        [COMPLETES_NOTHING] = "",
        [COMPLETES_ANY] = "",
        [COMPLETES_FILES] = " -F",
        [COMPLETES_SOURCES] = " -k -a '(__fish_complete_suffix .c",
        [COMPLETES_WORDS] = " -a '",
        [COMPLETES_LIST] = " -a '(__inflight_list",
        [COMPLETES_PLAN] = " -a '(__inflight_plan",
        [COMPLETES_PROFILES] = " -F -a '(__inflight_profiles",
        [COMPLETES_PROGRAMS] = " -a '(__fish_complete_command",
    };
    buf_add(out, before[completes->kind]);
    for (size_t i = 0; i < completes->words.nr; i++)
        buf_addf(out, "%s\"%s\"", i || completes->kind != COMPLETES_WORDS ? " " : "",
                 completes->words.v[i]);
    if (strchr(before[completes->kind], '\''))
        buf_add(out, completes->kind == COMPLETES_WORDS ? "'" : ")'");
}

static void add_condition(const struct option_row *row, struct buf *out)
{
    const struct command *command;
    buf_add(out, "complete -c inflight -n '__inflight_in");
    for (size_t i = 0; (command = command_row(i)); i++)
        if (command_takes(command, row->name))
            buf_addf(out, " %s", command->name);
    buf_addf(out, "' -l %s", row->name);
    if (row->letter)
        buf_addf(out, " -s %c", row->letter);
}

static int write_options(struct buf *out, struct error *err)
{
    const struct option_row *row;
    for (size_t i = 0; (row = option_row(i)); i++) {
        struct completes completes;
        char *hint = completion_hint(row);
        int status = completes_option(row, &completes, err);
        add_condition(row, out);
        if (row->argument)
            buf_add(out, " -r");
        add_words(&completes, out);
        buf_add(out, " -d ");
        add_quoted(out, hint);
        buf_add(out, "\n");
        free(hint);
        completes_release(&completes);
        if (status)
            return -1;
    }
    return 0;
}

static void add_operand(const struct command *command, const struct completes *completes,
                        struct buf *out)
{
    if (completes->kind == COMPLETES_NOTHING)
        return;
    buf_addf(out, "complete -c inflight -n '__inflight_in %s'", command->name);
    add_words(completes, out);
    buf_add(out, "\n");
}

static int write_operands(struct buf *out, struct error *err)
{
    return completes_each_operand(add_operand, out, err);
}

const struct completion_part completion_fish[] = {
    {"COMMANDS", write_commands},
    {"OPTIONS", write_options},
    {"OPERANDS", write_operands},
    {NULL, NULL},
};
