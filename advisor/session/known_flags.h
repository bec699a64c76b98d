/* With which flags a source is read, and who says so. */
#ifndef ADVISOR_KNOWN_FLAGS_H
#define ADVISOR_KNOWN_FLAGS_H

#include <stdbool.h>

#include "core/base/array.h"

struct error;
struct settings;

struct known_flags {
    struct strvec flags; /* what was given by hand wins */
    char *from;          /* "the command line and build/compile_commands.json"; NULL =
                            nobody says any */
    bool with_source;    /* all of it is known from the source and the settings alone,
                            wherever the program is */
};
/* `from` where nobody else says any. */
#define FLAGS_OF_COMMAND_LINE "the command line"
void known_flags_release(struct known_flags *known);

/*
 * In this order, each where those before it say nothing: --compile-commands or --build; a
 * compile_commands.json around the source or `program`; the debug information of
 * `program` (NULL = none): -std and the like, -D where macros are kept (-g3), the folders
 * in which headers were found. Flags given by hand are added to any.
 */
int known_flags_find(const struct settings *settings, const char *source,
                     const char *program, struct known_flags *known, struct error *err);

#endif
