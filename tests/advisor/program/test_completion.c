/* Completion in shells: the scripts of templates/completion can be read, and what comes
 * out at a cursor. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/advisor/place.h"

SUITE(advisor_completion);

#define SCRIPTS INFLIGHT_SOURCE_DIR "/templates/completion/"

/* A place with a source with a space in its name, where the shell finds the program. */
static void fixture_make(struct place *place)
{
    static const char *const names[] = {"sp ace.c", "notes.txt"};
    struct error err = {0};

    place_make(place);
    strvec_pushf(&place->env, "PATH=%s:%s", INFLIGHT_BINARY_DIR, getenv("PATH"));
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        char *path = path_join(place->work, names[i]);

        check_ok(file_write(path, "", 0, &err), &err);
        free(path);
    }
}

/* Standard output of the shell; skips and is NULL when it is not installed. Caller
 * frees. */
static char *shell_says(struct place *place, const char *const *argv)
{
    struct spawn_outcome outcome = {0};
    struct spawn_request request = {.argv = argv,
                                    .env_extra = (const char *const *)place->env.v,
                                    .dir = place->work,
                                    .timeout_s = PATIENCE_S};
    char *text = NULL;

    check_ok(spawn_run(&request, &outcome, &place->err), &place->err);
    if (outcome.end == SPAWN_NOT_STARTED && outcome.code == ENOENT) {
        char *why = xasprintf("%s is not installed", argv[0]);
        check_skip(why);
        free(why);
    } else {
        check_str(buf_str(&outcome.err), "");
        check_eq(outcome.code, 0);
        text = xstrdup(buf_str(&outcome.out));
    }
    spawn_outcome_release(&outcome);
    return text;
}

TEST("the shells can read them")
{
    static const char *const shells[] = {"bash", "zsh", "fish"};
    struct place place = {0};

    fixture_make(&place);
    for (size_t s = 0; s < ARRAY_SIZE(shells); s++) {
        char *script = xasprintf("%s%s", SCRIPTS, shells[s]);
        const char *const argv[] = {shells[s], "-n", script, NULL};

        free(shell_says(&place, argv));
        free(script);
    }
    place_drop(&place);
}

/* The words up to the cursor and what is offered there, as the shell's driver prints it.
 */
struct cursor {
    const char *words[8], *offers;
};

static void check_cursors(const char *const *shell, const struct cursor *cursor,
                          size_t nr)
{
    struct place place = {0};

    fixture_make(&place);
    for (size_t i = 0; i < nr; i++) {
        struct strvec argv = {0};

        for (size_t k = 0; shell[k]; k++)
            strvec_push(&argv, shell[k]);
        for (size_t k = 0; cursor[i].words[k]; k++)
            strvec_push(&argv, cursor[i].words[k]);
        char *output = shell_says(&place, (const char *const *)argv.v);
        if (output && !text_matches(output, cursor[i].offers))
            check_str(output, cursor[i].offers);
        bool missing = !output;
        free(output);
        strvec_release(&argv);
        if (missing)
            break;
    }
    place_drop(&place);
}

TEST("bash completes")
{
    static const char driver[] = "source \"$1\"\nshift\n"
                                 "COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1))\n"
                                 "_inflight inflight \"${COMP_WORDS[COMP_CWORD]}\" "
                                 "\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
                                 "printf '%s\\n' \"${COMPREPLY[@]}\"\n";
    static const struct cursor cursors[] = {
        {{"inflight", "tu"}, "tune\n"},
        {{"inflight", "--v"}, "--version\n"},
        {{"inflight", "tune", "--strat"}, "--strategy\n"},
        {{"inflight", "show", "--strat"}, "\n"},
        {{"inflight", "tune", "sp"}, "sp ace.c\n"},
        {{"inflight", "tune", "--reassociate", "sp"}, "sp ace.c\n"},
        {{"inflight", "tune", "k.c", "-o", "note"}, "notes.txt\n"},
        {{"inflight", "tune", "--inputs", "=", "note"}, "notes.txt\n"},
        {{"inflight", "tune", "--inputs", "="}, "*notes.txt\n*"},
        {{"inflight", "tune", "k.c", "--function", "no"}, "\n"},
        {{"inflight", "tune", "k.c", "-f", "no"}, "\n"},
        {{"inflight", "tune", "k.c", ":", "12", "--verb"}, "--verbose\n"},
        {{"inflight", "tune", "k.c", "--", "note"}, "notes.txt\n"},
        {{"inflight", "nonsense", "--"}, "\n"},
    };

    check_cursors((const char *const[]){"bash", "--norc", "-c", driver, "bash",
                                        SCRIPTS "bash", NULL},
                  cursors, ARRAY_SIZE(cursors));
}

TEST("zsh completes")
{
    /* what zsh's own functions are told */
    static const char driver[] = "compdef() { : }\n"
                                 "compset() { : }\n"
                                 "_files() { print files }\n"
                                 "_describe() { print -rl -- $1 ${(P)2} }\n"
                                 "source $1\n"
                                 "words=(\"${@[2,-1]}\") CURRENT=$(($# - 1))\n"
                                 "_inflight\n";
    static const struct cursor cursors[] = {
        {{"inflight", "tu"}, "command\ntune:search *\nadvise:*"},
        {{"inflight", "tune", "--s"},
         "option\n--function:the kernel*\n--reassociate:allow *"},
        {{"inflight", "tune", "--inputs="}, "files\n"},
        {{"inflight", "tune", ""}, "files\n"},
        {{"inflight", "nonsense", "--"}, "option\n*"},
    };

    check_cursors(
        (const char *const[]){"zsh", "-f", "-c", driver, "zsh", SCRIPTS "zsh", NULL},
        cursors, ARRAY_SIZE(cursors));
}

TEST("fish completes")
{
    /* the line up to the cursor; descriptions stand behind a tab */
    static const struct cursor cursors[] = {
        {{"inflight tu"}, "tune\tsearch *\n"},
        {{"inflight tune --strat"}, "--strategy\t*\n"},
        {{"inflight show --strategyq"}, ""},
        {{"inflight tune sp"}, "sp ace.c*\n"},
        {{"inflight tune --inputs=note"}, "--inputs=notes.txt*\n"},
    };

    check_cursors((const char *const[]){"fish", "-N", "-c",
                                        "source $argv[1]; complete -C$argv[2]",
                                        SCRIPTS "fish", NULL},
                  cursors, ARRAY_SIZE(cursors));
}
