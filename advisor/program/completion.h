/* What may stand where on the command line, from the tables of commands and options, and
 * the scripts by which shells complete it. */
#ifndef ADVISOR_COMPLETION_H
#define ADVISOR_COMPLETION_H

#include "advisor/cli/options.h"

#define COMPLETES_MAP(X)                                                                 \
    X(NOTHING, "nothing") /* it takes no word */                                         \
    X(ANY, "any")         /* a word that nobody can guess */                             \
    X(FILES, "files")                                                                    \
    X(SOURCES, "sources") /* *.c */                                                      \
    X(WORDS, "words")                                                                    \
    X(LIST, "list")         /* words joined by commas */                                 \
    X(PLAN, "plan")         /* words separated by spaces within one argument */          \
    X(PROFILES, "profiles") /* words, the user's own profiles, files */                  \
    X(PROGRAMS, "programs")

enum completes_kind {
#define X(name, word) COMPLETES_##name,
    COMPLETES_MAP(X)
#undef X
};

struct completes {
    enum completes_kind kind;
    struct strvec words;
};

/* What an option's argument may be, and a command's words that are no options. Each fails
 * only where shipped data (profiles, rules) cannot be read. Caller releases. */
int completes_option(const struct option_row *row, struct completes *out,
                     struct error *err);
int completes_operand(const struct command *command, struct completes *out,
                      struct error *err);
void completes_release(struct completes *completes);
/* For each command the words that are no options. */
int completes_each_operand(void (*add)(const struct command *command,
                                       const struct completes *completes,
                                       struct buf *out),
                           struct buf *out, struct error *err);
const char *completes_word(enum completes_kind kind);

/* Appends the script for "bash", "zsh" or "fish"; STATUS_USAGE for another shell. */
int completion_script(const char *shell, struct buf *out, struct error *err);

/* The parts of the scripts that come from the tables, one for each @NAME@ of
 * templates/completion/SHELL.in. */
struct completion_part {
    const char *name;
    int (*write)(struct buf *out, struct error *err);
};
extern const struct completion_part completion_bash[], completion_zsh[],
    completion_fish[]; /* the last one has no name */

/* An option's help up to where its details begin. Caller frees. */
char *completion_hint(const struct option_row *row);

#endif
