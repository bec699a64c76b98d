/* Completion in shells: the scripts name everything, the shells take them, and what comes
 * out at a cursor. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/options.h"
#include "advisor/program/commands.h"
#include "advisor/program/completion.h"
#include "tests/advisor/place.h"

SUITE(advisor_completion);

static const char *const shells[] = {"bash", "zsh", "fish"};

/* A place with the script of the shell, a source with a space in its name, and a profile
 * of the user's own. */
struct fixture {
    struct place place;
    char *script;
};

static void put_file(const char *dir, const char *name, const char *text)
{
    struct error err = {0};
    char *path = path_join(dir, name);

    check_ok(dir_make_all(dir, &err), &err);
    check_ok(file_write(path, text, strlen(text), &err), &err);
    free(path);
}

static void fixture_make(struct fixture *fixture, const char *shell)
{
    struct error err = {0};
    struct buf script = {0};
    char *profiles;

    *fixture = (struct fixture){0};
    place_make(&fixture->place);
    check_ok(completion_script(shell, &script, &err), &err);
    put_file(fixture->place.home, "script", buf_str(&script));
    fixture->script = path_join(fixture->place.home, "script");
    profiles = path_join(fixture->place.home, "config/inflight");
    put_file(profiles, "cluster node.json", "{}");
    put_file(profiles, "ours.json", "{}");
    put_file(fixture->place.work, "sp ace.c", "");
    put_file(fixture->place.work, "notes.txt", "");
    free(profiles);
    buf_release(&script);
}

static void fixture_clear(struct fixture *fixture)
{
    place_drop(&fixture->place);
    free(fixture->script);
}

/* Standard output of the shell, or NULL when it is not installed. Caller frees. */
static char *shell_says(struct fixture *fixture, const char *const *argv)
{
    struct spawn_outcome outcome = {0};
    struct spawn_request request = {.argv = argv,
                                    .env_extra =
                                        (const char *const *)fixture->place.env.v,
                                    .dir = fixture->place.work,
                                    .timeout_s = PATIENCE_S};
    char *text = NULL;

    check_ok(spawn_run(&request, &outcome, &fixture->place.err), &fixture->place.err);
    if (outcome.end != SPAWN_NOT_STARTED || outcome.code != ENOENT) {
        check_str(buf_str(&outcome.err), "");
        check_eq(outcome.code, 0);
        text = xstrdup(buf_str(&outcome.out));
    }
    spawn_outcome_release(&outcome);
    return text;
}

TEST("the scripts name every command and option")
{
    for (size_t s = 0; s < ARRAY_SIZE(shells); s++) {
        const struct command *command;
        const struct option_row *row;
        struct error err = {0};
        struct buf script = {0};

        check_ok(completion_script(shells[s], &script, &err), &err);
        for (size_t i = 0; (command = command_row(i)); i++)
            check_contains(buf_str(&script), command->name);
        for (size_t i = 0; (row = option_row(i)); i++)
            check_contains(buf_str(&script), row->name);
        check(!strstr(buf_str(&script), "@TABLE@") &&
              !strstr(buf_str(&script), "@VERSION@"));
        buf_release(&script);
    }
}

TEST("other shells are refused")
{
    struct error err = {0};
    struct buf script = {0};

    check_fails(completion_script("tcsh", &script, &err), &err, STATUS_USAGE,
                "'tcsh'; known are bash, zsh and fish");
    check_str(buf_str(&script), "");
    buf_release(&script);
}

TEST("the shells can read them")
{
    for (size_t s = 0; s < ARRAY_SIZE(shells); s++) {
        struct fixture fixture;

        fixture_make(&fixture, shells[s]);
        char *output = shell_says(
            &fixture, (const char *const[]){shells[s], "-n", fixture.script, NULL});
        if (!output) {
            char *why = xasprintf("%s is not installed", shells[s]);
            check_skip(why);
            free(why);
        }
        free(output);
        fixture_clear(&fixture);
    }
}

/* The words up to the cursor as bash takes them apart, and what it may put there. */
struct cursor {
    const char *words[12], *offers;
};

static const struct cursor in_bash[] = {
    {{"inflight", "tu"}, "tune\n"},
    {{"inflight", "--v"}, "--version\n"},
    {{"inflight", "tune", "--strat"}, "--strategy\n"},
    {{"inflight", "show", "--strat"}, "\n"},
    {{"inflight", "tune", "--strategy", "gu"}, "guided\n"},
    {{"inflight", "tune", "--strategy", "=", "ex"}, "exhaustive\n"},
    {{"inflight", "measure", "k.c", "--pages", ""}, "small\nhuge\n"},
    {{"inflight", "measure", "--set", "n", "=", "4", "--start", "cold-c"}, "cold-code\n"},
    {{"inflight", "measure", "--set", "n", "=", "4"}, "\n"},
    {{"inflight", "measure", "--sweep", "pa"}, "pages=\n"},
    {{"inflight", "tune", "--try", "threads,sm"}, "threads,smt\n"},
    {{"inflight", "advise", "--what-if", "line", "=", "64,cei"}, "64,ceiling=\n"},
    {{"inflight", "apply", "a.c", "--plan", "'tile(i:32) si"}, "tile(i:32) simd\n"},
    {{"inflight", "apply", "--plan", "inter"}, "interchange\\(\ninterleave\\(\n"},
    {{"inflight", "tune", "sp"}, "sp ace.c\n"},
    {{"inflight", "tune", "note"}, "\n"},
    {{"inflight", "import", "note"}, "notes.txt\n"},
    {{"inflight", "tune", "k.c", ":", "12", "--verb"}, "--verbose\n"},
    {{"inflight", "tune", "k.c", "-o", "note"}, "notes.txt\n"},
    {{"inflight", "tune", "k.c", "--function", "no"}, "\n"},
    {{"inflight", "tune", "k.c", "--", "note"}, "notes.txt\n"},
    {{"inflight", "machine", "--show", "our"}, "ours\n"},
    {{"inflight", "rules", "lines_again.tile_"}, "lines_again.tile_lost\n"},
    {{"inflight", "rules", "hugep"}, "*hugepages\n*"},
    {{"inflight", "metrics", "--cpu", "skylake-"}, "skylake-sp\n"},
    {{"inflight", "completion", "z"}, "zsh\n"},
    {{"inflight", "nonsense", ""}, "\n"},
};

static const char bash_driver[] =
    "source \"$1\"\nshift\n"
    "COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1))\n"
    "_inflight inflight \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"\n"
    "printf '%s\\n' \"${COMPREPLY[@]}\"\n";

TEST("bash completes")
{
    struct fixture fixture;

    fixture_make(&fixture, "bash");
    for (size_t i = 0; i < ARRAY_SIZE(in_bash); i++) {
        const char *argv[20] = {"bash",      "--norc", "-c",
                                bash_driver, "bash",   fixture.script};
        char *output;

        for (size_t k = 0; in_bash[i].words[k]; k++)
            argv[6 + k] = in_bash[i].words[k];
        output = shell_says(&fixture, argv);
        if (!output) {
            check_skip("bash is not installed");
            break;
        }
        if (!text_matches(output, in_bash[i].offers))
            check_str(output, in_bash[i].offers);
        free(output);
    }
    fixture_clear(&fixture);
}

/* What zsh's own functions are told: commands, or an option or argument a line. */
static const struct {
    const char *words[4], *tells;
} in_zsh[] = {
    {{"inflight", "tu"}, "*tune:search *\nmeasure:one kernel, one variant\\: time*"},
    {{"inflight", "completion", ""},
     "-S\n-s\n*:word: _inflight_words 'bash' 'zsh' 'fish'\n(-h --help)-h[this text]\n"
     "(-h --help)--help[this text]\n--help-all[*"},
    {{"inflight", "tune", ""}, "*\n--cflags=[*"},
    {{"inflight", "nonsense", ""}, "-S\n-s\n"},
};

static const char zsh_driver[] = "compdef() { : }\n"
                                 "_describe() { print -rl -- ${(P)2} }\n"
                                 "_arguments() { print -rl -- \"$@\" }\n"
                                 "source $1\n"
                                 "words=(\"${@[2,-1]}\") CURRENT=$(($# - 1))\n"
                                 "_inflight\n";

TEST("zsh completes")
{
    struct fixture fixture;

    fixture_make(&fixture, "zsh");
    for (size_t i = 0; i < ARRAY_SIZE(in_zsh); i++) {
        const char *argv[12] = {"zsh", "-f", "-c", zsh_driver, "zsh", fixture.script};
        char *output;

        for (size_t k = 0; in_zsh[i].words[k]; k++)
            argv[6 + k] = in_zsh[i].words[k];
        output = shell_says(&fixture, argv);
        if (!output) {
            check_skip("zsh is not installed");
            break;
        }
        if (!text_matches(output, in_zsh[i].tells))
            check_str(output, in_zsh[i].tells);
        free(output);
    }
    fixture_clear(&fixture);
}

/* The line up to the cursor; what is offered, with its description behind a tab. */
static const struct {
    const char *line, *offers;
} in_fish[] = {
    {"inflight tu", "tune\tsearch *\n"},
    {"inflight tune --strat", "--strategy\t*\n"},
    {"inflight show --strat", ""},
    {"inflight tune --strategy=gu", "--strategy=guided*\n"},
    {"inflight tune --try threads,sm", "threads,smt\t*\n"},
    {"inflight apply --plan 'tile(i) si", "tile(i) simd\t*\n"},
    {"inflight tune sp", "sp ace.c*\n"},
    {"inflight machine --show our", "ours\t*\n"},
    {"inflight rules lines_again.tile_", "lines_again.tile_lost\n"},
    {"inflight completion z", "zsh\n"},
};

TEST("fish completes")
{
    struct fixture fixture;

    fixture_make(&fixture, "fish");
    for (size_t i = 0; i < ARRAY_SIZE(in_fish); i++) {
        char *output = shell_says(
            &fixture, (const char *const[]){"fish", "-N", "-c",
                                            "source $argv[1]; complete -C$argv[2]",
                                            fixture.script, in_fish[i].line, NULL});
        if (!output) {
            check_skip("fish is not installed");
            break;
        }
        if (!text_matches(output, in_fish[i].offers))
            check_str(output, in_fish[i].offers);
        free(output);
    }
    fixture_clear(&fixture);
}

TEST("the command prints them")
{
    struct place place = {0};

    place_make(&place);
    check_run(&place, "completion bash", 0, "# Completion of inflight *", "");
    check_run(&place, "completion", 2, "", "inflight: which shell*");
    check_run(&place, "completion tcsh", 2, "", "inflight: there is no completion for*");
    check_run(&place, "completion bash zsh", 2, "", "inflight: only one shell*");
    place_drop(&place);
}
