/* The subcommands, one file each. */
#ifndef ADVISOR_COMMANDS_H
#define ADVISOR_COMMANDS_H

#include "advisor/cli/settings.h"
#include "core/files/json.h"

struct buf;
struct error;

const struct command *command_find(const char *name); /* NULL when there is none */
const struct command *command_row(size_t i);          /* NULL behind the last */
void commands_help(FILE *stream);
/* Fails with STATUS_USAGE and what may be meant instead. Returns -1. */
int command_unknown(const char *word, struct error *err);
/* "a and b" of the commands that take the option; adds nothing where none does. */
void command_owners(const char *option, struct buf *out);

int machine_command(const struct settings *settings, struct error *err);
int show_command(const struct settings *settings, struct error *err);
int tune_command(const struct settings *settings, struct error *err);
int advise_command(const struct settings *settings, struct error *err);
int profile_command(const struct settings *settings, struct error *err);
int metrics_command(const struct settings *settings, struct error *err);
int measure_command(const struct settings *settings, struct error *err);
int compare_command(const struct settings *settings, struct error *err);
int outline_command(const struct settings *settings, struct error *err);
int capture_command(const struct settings *settings, struct error *err);
int check_command(const struct settings *settings, struct error *err);
int apply_command(const struct settings *settings, struct error *err);
int report_command(const struct settings *settings, struct error *err);
int rules_command(const struct settings *settings, struct error *err);
int export_command(const struct settings *settings, struct error *err);
int import_command(const struct settings *settings, struct error *err);
int doctor_command(const struct settings *settings, struct error *err);
int worker_command(const struct settings *settings, struct error *err);

/* Beside what goes to standard output: the files of --html and --sarif, and the lines of
 * --diagnostics, of a settled report. */
int report_faces(const struct settings *settings, const json_t *report,
                 struct error *err);

/* Adds what `outline` would do for the FILE:LINE of another command, whose function is
 * not read as a whole; false = nothing. */
bool outline_next(const struct settings *settings, struct buf *out);

/* profile --timeline, and with --list. */
int profile_timeline(const struct settings *settings, struct error *err);

/* advise from numbers alone: --machine, --bandwidth, --cores, --access. */
int advise_numbers(const struct settings *settings, struct error *err);

#endif
