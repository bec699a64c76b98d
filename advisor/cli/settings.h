/* What the command line said. One table of options serves parsing, --help and the tests.
 */
#ifndef ADVISOR_SETTINGS_H
#define ADVISOR_SETTINGS_H

#include "core/base/array.h"
#include "core/process/term.h"

struct error;

struct settings {
    const char *command; /* "tune" ... */
    double began_s;      /* of clock_s(): when the process began; 0 = not told */
    char *const *given;  /* the words, from the command on; borrowed */
    int given_nr;
    const char *unknown; /* the option that could not be read and resembles none of the
                            command's; without dashes; NULL = none */
    bool help, help_all, version_asked;
    char *file; /* positional; NULL = none */
    int line;   /* FILE:LINE, 0 = none */
    const char *function;
    struct strvec
        words; /* "set n = 4096", "buffer key = index(m)", "assume noalias(a,b)" */
    struct strvec cflags;  /* behind --, of the compiler */
    struct strvec program; /* behind --, of commands that run an application */
    const char *compile_commands;
    const char *build;    /* the command that builds it all, to be watched; NULL = none */
    const char *compiler; /* default "gcc"; tune: "gcc,clang-19" tries the others too */
    struct strvec flags;  /* --flags, empty = -O3 -march=native */
    const char *machine;  /* profile: name or path; NULL = this machine's */
    const char *from;     /* an earlier output whose plan and comment are used */
    const char *database, *output, *plan, *strategy, *access;
    const char *show;         /* a profile */
    const char *rule;         /* rules: the one to explain */
    const char *rule_test;    /* rules: what to judge */
    const char *replay;       /* tune: a recorded space to search */
    const char *header;       /* tune: where the best constants are written */
    const char *html, *sarif; /* where the report is written as such */
    const char *build_record; /* tune: the record that builds read */
    const char *source;       /* check: the kernel's file */
    /* tune: 'BUILD && RUN' of the application, its folder, a command behind each run */
    const char *in_app, *in_app_dir, *in_app_check;
    const char *memory, *what_if, *cache, *csv, *save;
    const char *inputs;           /* what a call was given: of capture */
    const char *regions, *events; /* profile: a folder to read; what is counted */
    const char *measurement;      /* a file to explain instead of measuring */
    const char *samples;          /* likewise: of an application */
    const char *cpu, *model;      /* metrics: whose definitions; which tree of them */
    /* of compare: FILE:FUNCTION of each, and where the second one stands */
    const char *version, *rival_version;
    char *rival_file;
    int rival_line;
    const char *try;         /* environments to try: "compiler,threads"; NULL = none */
    struct strvec counts;    /* files of counts; metrics: [LABEL=]FILE[,FILE...] */
    struct strvec rules;     /* files of rules, see rule_set_load_given() */
    struct strvec flags_try; /* likewise, sets of flags */
    struct strvec sweep;     /* axes as they were given */
    int pages;               /* 0 small, 1 huge */
    int start;               /* enum run_start */
    int background;          /* enum run_background */
    /* negative = not given */
    double budget_s, bandwidth_gbs, latency_ns, longer_s, peak_gbs, seconds_s;
    double in_app_budget_s;                                       /* likewise */
    long long variants, seed, cores, session, min_of, line_bytes; /* likewise */
    long long frequency, top;                                     /* likewise */
    /* Where variants are judged: "slurm", or a folder of workers; NULL = here */
    const char *on;
    const char *partition, *account, *slurm_constraint, *time_limit; /* NULL = not said */
    struct strvec slurm_options;                                     /* verbatim */
    long long nodes;   /* negative = all that are up */
    double node_hours; /* negative = no limit */
    double timeline_s; /* profile: interval of readings; negative = not given */
    double tolerance, tolerance_absolute; /* negative = default */
    bool reuse, no_record, record, forget_record;
    bool json, quick, thorough, quiet, verbose, fresh, audit, reassociate, list, evidence,
        patch, force, metrics, transformations;
    enum colour_when colour;
    bool strict, stop, dry_run, sizes, diagnostics, exclusive;
    double limit_bytes; /* capture; negative = default */
    long long call;     /* capture; negative = the first */
    long long runs;     /* metrics; negative = as many as the events need */
};

/* A command's words that are no options. */
enum operand {
    OPERAND_NONE,
    OPERAND_SOURCE,   /* FILE or FILE:LINE */
    OPERAND_VERSIONS, /* FILE, FILE:LINE or FILE:FUNCTION, twice */
    OPERAND_RESULTS,  /* a file that is no source */
    OPERAND_SESSION,  /* its number */
    OPERAND_PROFILE,  /* the second one of --compare */
    OPERAND_RULE      /* or a transformation */
};

/* What stands behind --. */
enum behind {
    BEHIND_FLAGS,           /* of the compiler, where the command reads C at all */
    BEHIND_PROGRAM,         /* an application and its arguments */
    BEHIND_PROGRAM_OR_FLAGS /* flags where a file was named */
};

/* Under which heading the overview lists a command. */
#define COMMAND_GROUPS(X)                                                                \
    X(START, "Start here")                                                               \
    X(APPLICATION, "Applications")                                                       \
    X(BUILD, "Builds and plans by hand")                                                 \
    X(SETUP, "This machine")                                                             \
    X(MORE, "More")

enum command_group {
#define X(name, heading) GROUP_##name,
    COMMAND_GROUPS(X)
#undef X
};

struct command {
    enum command_group group;
    const char *name, *summary, *usage, *details;
    /* Names from the table, separated by blanks. Those behind a "|" are shown by
     * --help-all alone. */
    const char *options;
    enum operand operand;
    enum behind behind;
    int (*run)(const struct settings *settings, struct error *err);
};

/* Fails with STATUS_USAGE: the reason and "try 'inflight COMMAND --help'". argv[0] is the
 * command's name. */
int settings_parse(const struct command *command, int argc, char **argv,
                   struct settings *settings, struct error *err);
void settings_release(struct settings *settings);
/* The words as they were given, from the command on, without these options (names between
 * blanks) and their arguments; those in `more` stand in front of "--", or at the end. */
void settings_words(const struct command *command, const struct settings *settings,
                    const char *without, const struct strvec *more, struct strvec *out);
/* "help", "help-all" and "version" are taken by all. */
bool command_takes(const struct command *command, const char *option);
/* `all`: every option, not only those that most calls need. */
void command_help(const struct command *command, bool all, FILE *stream);

#endif
