/*
 * inflight: an optimization advisor and autotuner guided by the number of cache misses in
 * flight.
 *
 *     $ inflight tune transpose.c -o fast.c
 *     transpose in transpose.c, n = 6000
 *     What limits it
 *       ...
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/program/commands.h"
#include "core/base/buf.h"
#include "core/base/error.h"
#include "core/process/spawn.h"
#include "observe/observe.h"

static bool is_word(const char *word, const char *const *words)
{
    while (*words && strcmp(*words, word))
        words++;
    return *words;
}

static void add_text(struct error *err, const struct buf *text)
{
    size_t length = strlen(err->text);
    if (length + strlen("; ") + text->length < sizeof(err->text))
        snprintf(err->text + length, sizeof(err->text) - length, "; %s", buf_str(text));
}

/* The option is one of other commands. */
static void add_owners(const char *option, struct error *err)
{
    struct buf owners = {0}, text = {0};
    command_owners(option, &owners);
    buf_addf(&text, "it is an option of %s", buf_str(&owners));
    if (owners.length)
        add_text(err, &text);
    buf_release(&owners);
    buf_release(&text);
}

/* The command failed: for its line something else may work. */
static void add_next(const struct settings *settings, struct error *err)
{
    struct buf next = {0};
    if (err->status == STATUS_INPUT && !spawn_interrupted() &&
        outline_next(settings, &next))
        add_text(err, &next);
    buf_release(&next);
}

/* --build: what it compiles with what is known to the command by then. */
static int watch_build(struct settings *settings, struct build_seen *seen,
                       struct error *err)
{
    if (!strcmp(settings->command, "capture") ||
        (!settings->file && !strcmp(settings->command, "tune")))
        return 0; /* of a program: they build their own copies */
    if (settings->compile_commands)
        return fail(
            err, STATUS_USAGE,
            "--build and --compile-commands both tell the flags: give one of them");
    if (!settings->quiet)
        fprintf(stderr, "watching '%s' in a private copy\n", settings->build);
    const char *file = settings->source ? settings->source
                       : settings->file ? settings->file
                                        : ".";
    if (build_learn(settings->build, file, seen, err))
        return -1;
    settings->compile_commands = seen->database;
    if (seen->note && !settings->quiet)
        fprintf(stderr, "inflight: warning: %s\n", seen->note);
    return 0;
}

/* Words of their own instead of a command; "help tune" and "--help tune" are "tune
 * --help". */
static int run_word(int argc, char **argv, bool *done, struct error *err)
{
    static const char *const help[] = {"--help", "-h", "help", "--help-all", NULL},
                             *const version[] = {"--version", "-v", "-V", "version",
                                                 NULL};
    *done = true;
    if (is_word(argv[0], version)) {
        puts("inflight " INFLIGHT_VERSION);
        return 0;
    }
    *done = is_word(argv[0], help);
    if (!*done)
        return 0;
    if (argc < 2) {
        commands_help(stdout);
        return 0;
    }
    const struct command *command = command_find(argv[1]);
    if (!command)
        return command_unknown(argv[1], err);
    command_help(command, !strcmp(argv[0], "--help-all"), stdout);
    return 0;
}

static int run(int argc, char **argv, struct error *err)
{
    struct settings settings;
    struct build_seen seen = {0};
    double began_s = clock_s();
    bool done = false;
    int status = run_word(argc, argv, &done, err);
    if (done)
        return status;
    const struct command *command = command_find(argv[0]);
    if (!command)
        return command_unknown(argv[0], err);
    status = settings_parse(command, argc, argv, &settings, err);
    settings.began_s = began_s;
    print_colour(term_colour(stdout, settings.colour));
    bool asked = settings.help || settings.help_all || settings.version_asked;
    if (!status && settings.version_asked)
        puts("inflight " INFLIGHT_VERSION);
    else if (!status && asked)
        command_help(command, settings.help_all, stdout);
    else if (!status)
        status = outputs_check(&settings, err) || database_check(&settings, err) ? -1 : 0;
    if (!status && !asked && settings.build)
        status = watch_build(&settings, &seen, err);
    if (!status && !asked)
        status = command->run(&settings, err);
    if (status && settings.unknown)
        add_owners(settings.unknown, err);
    else if (status)
        add_next(&settings, err);
    settings_release(&settings);
    build_seen_release(&seen);
    return status;
}

/* What was said must have arrived, whatever said it. */
static int end_output(struct error *err)
{
    if (!fflush(stdout) && !ferror(stdout))
        return 0;
    return fail(err, STATUS_FAILED, "cannot write to standard output: %s",
                strerror(errno));
}

/* The shell must see that a signal ended us. */
static void end_by_signal(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

int main(int argc, char **argv)
{
    struct error err = {0};
    if (argc < 2) {
        commands_help(stderr);
        return status_exit(STATUS_USAGE);
    }
    int status = run(argc - 1, argv + 1, &err);
    if (!status)
        status = end_output(&err);
    if (status && spawn_interrupted())
        fprintf(stderr, "inflight: interrupted before there was a result: nothing was "
                        "written; the same command tries again\n");
    else if (status)
        fprintf(stderr, "inflight: %s\n", err.text);
    if (spawn_interrupted())
        end_by_signal(spawn_interrupted());
    return status ? status_exit(err.status) : 0;
}
