/* For bash: three case statements. */
#include <stdlib.h>
#include <string.h>

#include "advisor/program/commands.h"
#include "advisor/program/completion.h"

static int write_commands(struct buf *out, struct error *err)
{
    const struct command *command;
    (void)err;
    for (size_t i = 0; (command = command_row(i)); i++)
        buf_addf(out, "%s%s", i ? " " : "", command->name);
    return 0;
}

static int write_options(struct buf *out, struct error *err)
{
    const struct command *command;
    const struct option_row *row;
    (void)err;
    for (size_t i = 0; (command = command_row(i)); i++) {
        buf_addf(out, "    %s) words='", command->name);
        for (size_t k = 0, nr = 0; (row = option_row(k)); k++)
            if (command_takes(command, row->name))
                buf_addf(out, "%s--%s", nr++ ? " " : "", row->name);
        buf_add(out, "' ;;\n");
    }
    return 0;
}

static void add_case(const char *pattern, const struct completes *completes,
                     struct buf *out)
{
    buf_addf(out, "    %s) kind=%s", pattern, completes_word(completes->kind));
    char *words = strvec_join(&completes->words, " ");
    if (*words)
        buf_addf(out, " words='%s'", words);
    buf_add(out, " ;;\n");
    free(words);
}

static int write_arguments(struct buf *out, struct error *err)
{
    const struct option_row *row;
    for (size_t i = 0; (row = option_row(i)); i++) {
        struct completes completes = {0};
        char letter[] = {' ', '|', ' ', '-', (char)row->letter, 0};
        struct buf pattern = {0};
        if (!row->argument)
            continue;
        buf_addf(&pattern, "--%s%s", row->name, row->letter ? letter : "");
        int status = completes_option(row, &completes, err);
        if (!status)
            add_case(buf_str(&pattern), &completes, out);
        buf_release(&pattern);
        completes_release(&completes);
        if (status)
            return -1;
    }
    return 0;
}

static void add_operand(const struct command *command, const struct completes *completes,
                        struct buf *out)
{
    add_case(command->name, completes, out);
}

static int write_operands(struct buf *out, struct error *err)
{
    return completes_each_operand(add_operand, out, err);
}

const struct completion_part completion_bash[] = {
    {"COMMANDS", write_commands},
    {"OPTIONS", write_options},
    {"ARGUMENTS", write_arguments},
    {"OPERANDS", write_operands},
    {NULL, NULL},
};
