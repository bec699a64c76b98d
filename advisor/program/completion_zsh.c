/* For zsh: a list of commands, and what _arguments takes for each. */
#include <stdlib.h>
#include <string.h>

#include "advisor/program/commands.h"
#include "advisor/program/completion.h"

/* Within '...': brackets and colons mean something to _arguments and _describe. */
static void add_quoted(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("[]:\\", *text))
            buf_addf(out, "\\%c", *text);
        else if (*text == '\'')
            buf_add(out, "'\\''");
        else
            buf_add_n(out, text, 1);
    }
}

static int write_commands(struct buf *out, struct error *err)
{
    const struct command *command;
    (void)err;
    for (size_t i = 0; (command = command_row(i)); i++) {
        buf_addf(out, "    '%s:", command->name);
        add_quoted(out, command->summary);
        buf_add(out, "'\n");
    }
    return 0;
}

/* The action of _arguments: ":what:action"; behind a space it is called with its own
 * words only. */
static void add_action(const char *what, const struct completes *completes,
                       struct buf *out)
{
    static const char *const action[] = {
        [COMPLETES_NOTHING] = "",
        [COMPLETES_ANY] = "",
        [COMPLETES_FILES] = "_files",
        [COMPLETES_SOURCES] = "_files -g \"*.(c|cc|cpp|cxx)(-.)\"",
        [COMPLETES_WORDS] = " _inflight_words",
        [COMPLETES_LIST] = " _inflight_list",
        [COMPLETES_PLAN] = " _inflight_plan",
        [COMPLETES_PROFILES] = " _inflight_profiles",
        [COMPLETES_PROGRAMS] = "_command_names -e",
    };
    buf_add(out, ":");
    add_quoted(out, what);
    buf_addf(out, ":%s", action[completes->kind]);
    for (size_t i = 0; i < completes->words.nr; i++)
        buf_addf(out, " \"%s\"", completes->words.v[i]);
}

/* '(-f --function)'{-f,--function}'[hint]:NAME:action' */
static int add_option(const struct option_row *row, struct buf *out, struct error *err)
{
    char *hint = completion_hint(row);
    bool repeats = row->kind == WORD || row->kind == LIST;
    struct completes completes;
    int status = completes_option(row, &completes, err);
    buf_add(out, "        ");
    const char *equals = row->argument ? "=" : "";
    if (row->letter && repeats)
        buf_addf(out, "\\*{-%c,--%s%s}'[", row->letter, row->name, equals);
    else if (row->letter)
        buf_addf(out, "'(-%c --%s)'{-%c,--%s%s}'[", row->letter, row->name, row->letter,
                 row->name, equals);
    else
        buf_addf(out, "'%s--%s%s[", repeats ? "*" : "", row->name, equals);
    add_quoted(out, hint);
    buf_add(out, "]");
    if (row->argument)
        add_action(row->argument, &completes, out);
    buf_add(out, "' \\\n");
    free(hint);
    completes_release(&completes);
    return status;
}

static int add_command(const struct command *command, struct buf *out, struct error *err)
{
    const struct option_row *row;
    struct completes completes;
    int status = completes_operand(command, &completes, err);
    buf_addf(out, "    (%s)\n        _arguments -S -s \\\n", command->name);
    for (size_t i = 0; !status && (row = option_row(i)); i++)
        if (command_takes(command, row->name))
            status = add_option(row, out, err);
    buf_add(out, "        '*");
    add_action("word", &completes, out);
    buf_add(out, "' ;;\n");
    completes_release(&completes);
    return status;
}

static int write_arguments(struct buf *out, struct error *err)
{
    const struct command *command;
    for (size_t i = 0; (command = command_row(i)); i++)
        if (add_command(command, out, err))
            return -1;
    return 0;
}

const struct completion_part completion_zsh[] = {
    {"COMMANDS", write_commands},
    {"ARGUMENTS", write_arguments},
    {NULL, NULL},
};
