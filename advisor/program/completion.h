/* What may stand where on the command line, from the tables of commands and options, and
 * the scripts by which shells complete it. */
#ifndef ADVISOR_COMPLETION_H
#define ADVISOR_COMPLETION_H

#include "advisor/cli/options.h"

struct buf;
struct error;

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

#endif
