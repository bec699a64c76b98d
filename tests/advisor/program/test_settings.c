/* The command line: what each word becomes, what is refused and how. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/cli/options.h"
#include "advisor/program/commands.h"
#include "core/base.h"
#include "core/run/run.h"
#include "tests/check.h"

SUITE(advisor_settings);

static const char *const commands[] = {"tune",   "advise", "show",    "apply",  "machine",
                                       "report", "doctor", "measure", "compare"};

/* The line as a shell would split it; the words live until the next call. */
static int parse(const char *line, struct settings *settings, struct error *err)
{
    static struct strvec words;

    strvec_release(&words);
    strvec_split(&words, line);
    return settings_parse(command_find(words.v[0]), (int)words.nr, words.v, settings,
                          err);
}

static bool parsed(const char *line, struct settings *settings)
{
    struct error err = {0};

    return check_ok(parse(line, settings, &err), &err);
}

TEST("nothing given means defaults")
{
    struct settings s;

    if (!parsed("tune", &s))
        return;
    check_str(s.command, "tune");
    check_str(s.compiler, "gcc");
    check(!s.file && !s.function && !s.machine && !s.output && !s.strategy &&
          !s.rules.nr);
    check(!s.help && !s.json && !s.quiet && !s.audit && !s.fresh && !s.reassociate);
    check(s.budget_s < 0 && s.variants < 0 && s.seed < 0 && s.cores < 0);
    check(s.tolerance < 0 && s.bandwidth_gbs < 0 && s.session < 0);
    check_eq(s.colour, COLOUR_AUTO);
    check_eq(s.words.nr + s.cflags.nr + s.flags.nr, 0);
    settings_release(&s);
}

TEST("every option of tune")
{
    struct settings s;

    if (!parsed("tune k.c:12 --function f --set n=40 -s m=2 --buffer 'a = index(n)' "
                "--assume 'noalias(a,b)' --compiler clang-19 --flags '-O2 -g' "
                "--machine skl --output o.c --budget 5m --variants 7 --strategy random "
                "--seed 3 --rules r.json --cores 2 --tolerance 1e-6 --reassociate "
                "--audit --fresh --database d.db --evidence --json --quiet "
                "--verbose "
                "--color never -- -I inc -DX=1",
                &s))
        return;
    check_str(s.file, "k.c");
    check_eq(s.line, 12);
    check_str(s.function, "f");
    check_eq(s.words.nr, 4);
    check_str(s.words.v[0], "set n=40");
    check_str(s.words.v[1], "set m=2");
    check_str(s.words.v[2], "buffer a = index(n)");
    check_str(s.words.v[3], "assume noalias(a,b)");
    check_str(s.compiler, "clang-19");
    check_eq(s.flags.nr, 2);
    check_str(s.flags.v[1], "-g");
    check_str(s.machine, "skl");
    check_str(s.output, "o.c");
    check_near(s.budget_s, 300, 0);
    check_eq(s.variants, 7);
    check_str(s.strategy, "random");
    check_eq(s.seed, 3);
    check_str(s.rules.v[0], "r.json");
    check_eq(s.cores, 2);
    check_near(s.tolerance, 1e-6, 0);
    check(s.reassociate && s.audit && s.fresh && s.evidence && s.json && s.quiet);
    check(s.verbose);
    check_str(s.database, "d.db");
    check_eq(s.colour, COLOUR_NEVER);
    check_eq(s.cflags.nr, 3);
    check_str(s.cflags.v[0], "-I");
    check_str(s.cflags.v[2], "-DX=1");
    settings_release(&s);
}

TEST("options of the other commands")
{
    struct settings s;

    if (parsed("advise --machine skl --bandwidth 800MB/s --latency 145 --access random",
               &s)) {
        check_near(s.bandwidth_gbs, 0.8, 1e-12);
        check_near(s.latency_ns, 145, 0);
        check_str(s.access, "random");
        settings_release(&s);
    }
    if (parsed("apply -p 'tile(i:8)' k.c -o out.c", &s)) {
        check_str(s.plan, "tile(i:8)");
        check_str(s.file, "k.c");
        check_str(s.output, "out.c");
        settings_release(&s);
    }
    if (parsed("report 12 -l -e", &s)) {
        check_eq(s.session, 12);
        check(s.list && s.evidence && !s.file);
        settings_release(&s);
    }
    if (parsed("machine --longer 10m --peak 307GB/s", &s)) {
        check_near(s.longer_s, 600, 0);
        check_near(s.peak_gbs, 307, 0);
        check(!s.show && !s.memory);
        settings_release(&s);
    }
    if (parsed("machine --show knl --memory 'HBM 2' --list", &s)) {
        check_str(s.show, "knl");
        check_str(s.memory, "HBM 2");
        check(s.list);
        settings_release(&s);
    }
    if (parsed("advise --what-if l1_mshrs=24 --latency 145ns", &s)) {
        check_str(s.what_if, "l1_mshrs=24");
        check_near(s.latency_ns, 145, 0);
        settings_release(&s);
    }
    if (parsed("machine --quick", &s)) {
        check(s.quick);
        settings_release(&s);
    }
}

TEST("options of measure")
{
    struct settings s;

    if (parsed(
            "measure k.c --pages huge --start cold-data --background memory --min-of 5 "
            "--cache L1=32K --line 128 --sweep n=1,2 --sweep pages=small,huge --csv "
            "a.csv --save m.json",
            &s)) {
        check_eq(s.pages, 1);
        check_eq(s.start, RUN_START_COLD_DATA);
        check_eq(s.background, RUN_BACKGROUND_MEMORY);
        check_eq(s.min_of, 5);
        check_str(s.cache, "L1=32K");
        check_eq(s.line_bytes, 128);
        check_eq(s.sweep.nr, 2);
        check_str(s.sweep.v[1], "pages=small,huge");
        check_str(s.csv, "a.csv");
        check_str(s.save, "m.json");
        settings_release(&s);
    }
}

/* Words and options in any order; "=" or the next word; letters together. */
TEST("options in every form")
{
    static const char *const line[] = {"tune -qv -o out.c k.c", "tune k.c -qoout.c -v",
                                       "tune --output=out.c --quiet k.c --verbose",
                                       "tune k.c -q -v --outp out.c --"};

    for (size_t i = 0; i < ARRAY_SIZE(line); i++) {
        struct settings s;

        if (!parsed(line[i], &s))
            continue;
        check(s.quiet && s.verbose && !s.json);
        check_str(s.output, "out.c");
        check_str(s.file, "k.c");
        check_eq(s.cflags.nr, 0);
        settings_release(&s);
    }
}

TEST("behind two dashes are compiler flags")
{
    struct settings s;

    if (!parsed("show k.c -- -DA --json -- x", &s))
        return;
    check(!s.json);
    check_eq(s.cflags.nr, 4);
    check_str(s.cflags.v[1], "--json");
    check_str(s.cflags.v[2], "--");
    settings_release(&s);
}

static void check_file(const char *word, const char *file, int line)
{
    char *all = xasprintf("show '%s'", word);
    struct settings s;

    if (parsed(all, &s)) {
        check_str(s.file, file);
        check_eq(s.line, line);
        settings_release(&s);
    }
    free(all);
}

TEST("a file may name a line")
{
    check_file("k.c", "k.c", 0);
    check_file("k.c:7", "k.c", 7);
    check_file("dir:3/k.c:7", "dir:3/k.c", 7);
    check_file("k.c:", "k.c:", 0);
    check_file("k.c:x7", "k.c:x7", 0);
    check_file("dir:3/k.c", "dir:3/k.c", 0);
    check_file("with space.c:2", "with space.c", 2);
}

TEST("a file that is called so has no line")
{
    struct error err = {0};
    char *folder = NULL, *path;

    check_ok(scratch_make(&folder, &err), &err);
    path = path_join(folder, "k.c:7");
    check_ok(file_write(path, "", 0, &err), &err);
    check_file(path, path, 0);
    free(path);
    scratch_remove(folder);
}

static void check_version(const char *file, int line, const char *function,
                          const char *want_file, int want_line, const char *want_function)
{
    check_str(file, want_file);
    check_eq(line, want_line);
    check_str(function, want_function);
}

/* compare takes two places: a file, a line or a function of it. */
TEST("versions of compare")
{
    struct settings s;

    if (parsed("compare dir:a/old.c:plain -q new.c:12", &s)) {
        check_version(s.file, s.line, s.version, "dir:a/old.c", 0, "plain");
        check_version(s.rival_file, s.rival_line, s.rival_version, "new.c", 12, NULL);
        settings_release(&s);
    }
    if (parsed("compare k.c:7 k.c:_fast2", &s)) {
        check_version(s.file, s.line, s.version, "k.c", 7, NULL);
        check_version(s.rival_file, s.rival_line, s.rival_version, "k.c", 0, "_fast2");
        settings_release(&s);
    }
    if (parsed("compare a.c --plan simd", &s)) {
        check_version(s.file, s.line, s.version, "a.c", 0, NULL);
        check(!s.rival_file);
        settings_release(&s);
    }
}

TEST("wrong words are refused")
{
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"tune --frob", "unknown option '--frob'; try 'inflight tune --help-all'"},
        {"tune -z", "unknown option '-z'; try 'inflight tune --help-all'"},
        {"tune -qzv k.c", "unknown option '-z'; try 'inflight tune --help-all'"},
        {"tune k.c --longer 5m",
         "unknown option '--longer'; try 'inflight tune --help-all'"},
        {"doctor --plan x", "unknown option '--plan'; try 'inflight doctor --help-all'"},
        {"tune k.c -o", "an argument is missing after '-o'; try 'inflight tune --help'"},
        {"tune --budget",
         "an argument is missing after '--budget'; try 'inflight tune --help'"},
        {"tune --json=yes",
         "no argument is taken in '--json=yes'; try 'inflight tune --help'"},
        {"tune a.c b.c", "only one FILE is taken, got 'a.c' and 'b.c'"},
        {"tune a.c:99999999999", "'a.c:99999999999': there is no line 99999999999"},
        {"tune a.c:0", "'a.c:0': there is no line 0"},
        {"doctor now", "unexpected word 'now'; try 'inflight doctor --help'"},
        {"machine skl", "unexpected word 'skl'; write --show skl for a profile that "
                        "exists; try 'inflight machine --help'"},
        {"report last",
         "'last' is not a session number; 'inflight report --list' names the sessions"},
        {"report 1 2", "only one SESSION is taken, got 1 and '2'"},
        {"tune --budget soon",
         "--budget: 'soon' is not a time such as 2s, 500ms, 10us or 5m"},
        {"tune --budget -3s", "--budget: '-3s' is negative"},
        {"tune --budget 0", "--budget must be above 0, got '0'"},
        {"tune --variants 1.5", "--variants: '1.5' is not a whole number below 2^53"},
        {"tune --variants 0", "--variants must be above 0, got '0'"},
        {"tune --cores -2", "--cores must be above 0, got '-2'"},
        {"tune --seed x",
         "--seed: 'x' is not a whole number such as 8, 1e6 or 64k (65536)"},
        {"tune --tolerance -1", "--tolerance must be above 0, got '-1'"},
        {"tune --tolerance small", "--tolerance: 'small' is not a number"},
        {"advise --bandwidth fast",
         "--bandwidth: 'fast' is not a bandwidth such as 106.9GB/s or 800MB/s"},
        {"advise --latency 0", "--latency must be above 0, got '0'"},
        {"compare a.c b.c c.c",
         "compare takes two versions, or one and --plan; got 'c.c' as well"},
        {"compare a.c b.c:0", "'b.c:0': there is no line 0"},
        {"measure --pages large", "--pages: expected small or huge, got 'large'"},
        {"measure --start hot",
         "--start: expected warm, cold-data, cold-code or cold, got 'hot'"},
        {"measure --background noise",
         "--background: expected idle, arithmetic, memory or disk, got 'noise'"},
        {"measure --min-of 0", "--min-of must be above 0, got '0'"},
        {"compare a.c b.c --sweep n=1",
         "unknown option '--sweep'; try 'inflight compare --help-all'"},
        {"tune --size n=5",
         "unknown option '--size'; did you mean '--set'? Try 'inflight tune --help-all'"},
        {"tune --bugdet=5s k.c", "unknown option '--bugdet=5s'; did you mean "
                                 "'--budget'? Try 'inflight tune --help-all'"},
        {"tune -set n=5 k.c",
         "write '--set' with two dashes, not '-set'; try 'inflight tune --help'"},
        {"tune k.c n=5 m=5", "'n=5' is not a file; write --set n=5"},
        {"tune k.c --set n", "--set 'n': write --set NAME=VALUE"},
        {"tune k.c --set n=5,m", "--set 'm': write --set NAME=VALUE"},
        {"tune -O3 k.c", "unknown option '-O'; flags to read the file with go after "
                         "'--', those to tune for in --flags '...'; try 'inflight tune "
                         "--help-all'"},
        {"advise --bandwidth 106.9",
         "--bandwidth: '106.9' has no unit; write 106.9GB/s, or MB/s or TB/s"},
        {"tune k.c --budget 5s --quick --budget 6s",
         "--budget is given twice, as '5s' and as '6s'; give it once"},
        {"tune k.c --set n=5,m=5 --set n=5 --set nn=6 --set m=6",
         "--set gives two values, 'm=5' and 'm=6'; give one"},
        {"tune k.c -ffast-math", "'-ffast-math' is a flag of the compiler; flags to read "
                                 "the file with stand behind '--', those to tune for in "
                                 "--flags '...'"},
        {"tune k.c --ver",
         "'--ver' is short for several: --verbose, --version; write one "
         "of them"},
        {"tune --color blue", "--color: expected auto, always or never, got 'blue'"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct settings settings;
        struct error err = {0};

        check_eq(parse(cases[i].line, &settings, &err), -1);
        check_eq(err.status, STATUS_USAGE);
        check_str(err.text, cases[i].message);
        settings_release(&settings);
    }
}

/* ---- help ---- */

static char *help_of(const char *command, bool all)
{
    struct buf out = {0};
    char text[4096];
    FILE *stream = tmpfile();
    size_t nr;

    if (command)
        command_help(command_find(command), all, stream);
    else
        commands_help(stream);
    rewind(stream);
    while ((nr = fread(text, 1, sizeof(text), stream)))
        buf_add_n(&out, text, nr);
    fclose(stream);
    return buf_detach(&out);
}

static void check_width(const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        size_t width = strcspn(line, "\n");

        if (width > 80) {
            char *wide = xstrndup(line, width);
            check_str(wide, "a line of at most 80 columns");
            free(wide);
        }
        if (!line[width])
            break;
    }
}

TEST("help fits a terminal")
{
    for (size_t i = 0; i <= ARRAY_SIZE(commands); i++) {
        char *text = help_of(i < ARRAY_SIZE(commands) ? commands[i] : NULL, true);

        check(strlen(text) > 200);
        check_width(text);
        free(text);
    }
}

/* Each "--option" of the help is taken by the command, with or without an argument. */
TEST("help names only options that are taken")
{
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        char *text = help_of(commands[i], true);

        for (char *at = text; (at = strstr(at, "--")); at += 2) {
            size_t length = 2 + strspn(at + 2, "abcdefghijklmnopqrstuvwxyz-");
            char *line = xasprintf("%s %.*s", commands[i], (int)length, at);
            struct settings settings;
            struct error err = {0};

            if (length > 2 && parse(line, &settings, &err))
                check_contains(err.text, "an argument is missing after");
            if (length > 2)
                settings_release(&settings);
            free(line);
        }
        free(text);
    }
}

TEST("help names every option and an example")
{
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        const struct command *command = command_find(commands[i]);
        struct strvec options = {0};
        char *text = help_of(commands[i], true);

        strvec_split(&options, command->options);
        for (size_t k = 0; k < options.nr; k++) {
            char *option = xasprintf("--%s", options.v[k]);

            if (strcmp(options.v[k], "|"))
                check_contains(text, option);
            free(option);
        }
        check_contains(text, "example: inflight ");
        strvec_release(&options);
        free(text);
    }
}

/* The lines of the list of options. */
static size_t options_of(const char *text)
{
    size_t nr = 0;

    for (const char *at = strstr(text, "\noptions:\n"); at && (at = strstr(at, "\n  "));
         at++)
        nr += at[3] == '-' || !strncmp(at + 3, "    --", 6);
    return nr;
}

TEST("short help has at most 15 options, all of them are more")
{
    const struct command *command;

    for (size_t i = 0; (command = command_row(i)); i++) {
        char *few = help_of(command->name, false), *all = help_of(command->name, true);
        size_t shown = options_of(few);

        check(shown >= 1 && shown <= 15 && shown < options_of(all));
        check_contains(few, "--help-all' shows ");
        check(!strstr(all, "--help-all' shows "));
        check_contains(few, "  -h, --help ");
        free(few);
        free(all);
    }
}

TEST("a text of help is about its own command")
{
    const struct command *command, *other;
    const struct option_row *row;

    for (size_t i = 0; (command = command_row(i)); i++)
        for (size_t k = 0; (row = option_row(k)); k++)
            for (size_t j = 0; (other = command_row(j)); j++) {
                char *start = xasprintf("%s: ", other->name);

                if (command_takes(command, row->name) &&
                    text_begins(option_help(row, command->name), start))
                    check_str(option_help(row, command->name), "of no command by name");
                free(start);
            }
}

TEST("words that are no command")
{
    static const struct {
        const char *word, *message;
    } cases[] = {
        {"bake", "there is no command 'bake'; try 'inflight --help'"},
        {"tun", "there is no command 'tun'; did you mean 'tune'? Try 'inflight --help'"},
        {"optimise",
         "there is no command 'optimise'; did you mean 'tune'? Try 'inflight --help'"},
        {"--hepl", "unknown option '--hepl'; did you mean '--help'?"},
        {"--json", "a command is expected, got '--json': options follow the command, as "
                   "in 'inflight tune --json'; try 'inflight --help'"},
        {"k.c", "there is no command 'k.c'; a file follows the command, as in "
                "'inflight advise k.c'; try 'inflight --help'"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};

        check_eq(command_unknown(cases[i].word, &err), -1);
        check_eq(err.status, STATUS_USAGE);
        check_str(err.text, cases[i].message);
    }
}

TEST("values of one --set stand apart")
{
    struct settings s;

    if (!parsed("tune k.c --set n=100,m=(n+1)*2 --set 'c = 1.5'", &s))
        return;
    check_eq(s.words.nr, 3);
    check_str(s.words.v[0], "set n=100");
    check_str(s.words.v[1], "set m=(n+1)*2");
    check_str(s.words.v[2], "set c = 1.5");
    settings_release(&s);
}

TEST("the overview names commands and exit statuses")
{
    char *text = help_of(NULL, true);

    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        char *line =
            xasprintf("\n  %-10s %s\n", commands[i], command_find(commands[i])->summary);

        check_contains(text, line);
        free(line);
    }
    check_contains(text, "\n  2  wrong use of the command line\n");
    check_contains(text, "\n  4  the plan is not legal for this kernel\n");
    check(!command_find("bake"));
    free(text);
}

/* In every form that an option can have. */
TEST("the words again, without some options")
{
    static const struct {
        const char *line, *left;
    } lines[] = {
        {"tune a.c -o out.c --on here -q", "tune a.c -q + more"},
        {"tune -oout.c a.c --on=here --json", "tune a.c --json + more"},
        {"tune a.c --outp out.c -s n=5 --on here -- -DN=1",
         "tune a.c -s n=5 + more -- -DN=1"},
        {"tune a.c --set o=1 -- -o x", "tune a.c --set o=1 + more -- -o x"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        struct settings settings;
        struct strvec more = {0}, words = {0};
        if (!parsed(lines[i].line, &settings))
            continue;
        strvec_push(&more, "+");
        strvec_push(&more, "more");
        settings_words(command_find("tune"), &settings, "on output", &more, &words);
        char *left = strvec_join(&words, " ");
        check_str(left, lines[i].left);
        free(left);
        strvec_release(&words);
        strvec_release(&more);
        settings_release(&settings);
    }
}
