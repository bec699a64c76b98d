/* The table of options that parsing, --help and the tests read. */
#ifndef ADVISOR_OPTIONS_H
#define ADVISOR_OPTIONS_H

#include "advisor/cli/settings.h"

struct error;

enum option_kind {
    FLAG,
    TEXT,
    WORD,  /* for the kernel: "NAME words" is pushed to settings.words */
    FLAGS, /* split as a shell would */
    LIST,  /* each time one more */
    NUMBER,
    COUNT,
    TIME,
    BANDWIDTH,
    NANOSECONDS,
    SIZE,
    INCLUDE, /* of the compiler's -I */
    CHOICE   /* one of several words; the field is an int or an enum */
};

struct option_row {
    const char *name;
    int letter;           /* or 0 */
    const char *argument; /* its name; NULL = takes none */
    enum option_kind kind;
    size_t offset;    /* in struct settings */
    const char *help; /* where a command has no text of its own: option_help() */
};

/* Of one command; of all together. */
enum { OPTIONS_MAX = 96, OPTIONS_ALL_MAX = 160 };

/* NULL behind the last. */
const struct option_row *option_row(size_t i);
/* Of that long name; NULL = none has it. */
const struct option_row *option_named(const char *name, size_t length);
/* That which a word of the command line is; NULL = none. *apart: its argument is the next
 * word. The command (NULL = not told) says what may be shortened. */
const struct option_row *option_of_word(const struct command *command, const char *word,
                                        bool *apart);
/* What it means to this command (NULL = to any). */
const char *option_help(const struct option_row *row, const char *command);
/* It takes one value: a second one would replace the first. */
bool option_is_single(const struct option_row *row);
/* A number that is not given is negative. */
void option_reset(const struct option_row *row, struct settings *settings);
/* STATUS_USAGE with the option's name and what was expected. */
int option_read(const struct option_row *row, const char *text, struct settings *settings,
                struct error *err);

#endif
