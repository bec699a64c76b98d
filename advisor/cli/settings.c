#include "advisor/cli/settings.h"

#include <ctype.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/cli/options.h"
#include "core/base.h"

/* The word stands between blanks in the list. */
static const char *find_listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = list; (p = strstr(p, word)); p += length)
        if ((p == list || p[-1] == ' ') && (p[length] == ' ' || !p[length]))
            return p;
    return NULL;
}

bool command_takes(const struct command *command, const char *option)
{
    static const char of_all[] = "help help-all version";
    return find_listed(command->options, option) || find_listed(of_all, option);
}

/* What --help alone shows. */
static bool command_shows(const struct command *command, const char *option)
{
    const char *at = find_listed(command->options, option),
               *rest = strchr(command->options, '|');
    return at && (!rest || at < rest);
}

/* "n=5": a word of --set that was typed without it. */
static bool is_value(const char *text)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                                 "0123456789>-");
    return length > 0 && !isdigit((unsigned char)*text) && *text != '-' &&
           text[length] == '=' && !file_exists(text);
}

/* The colon before the digits at the end of the first `length` characters; NULL = there
 * is none. */
static const char *number_colon(const char *text, size_t length)
{
    size_t at = length;
    while (at > 0 && isdigit((unsigned char)text[at - 1]))
        at--;
    return at > 0 && at < length && text[at - 1] == ':' ? text + at - 1 : NULL;
}

/* FILE, FILE:LINE or, as compilers print it, FILE:LINE:COLUMN. A file whose name ends in
 * digits behind a colon is taken as it is when it exists. */
static int read_file(const char *text, struct settings *settings, struct error *err)
{
    const char *colon = number_colon(text, strlen(text));
    const char *before = colon ? number_colon(text, (size_t)(colon - text)) : NULL;
    if (settings->file)
        return fail(err, STATUS_USAGE, "only one FILE is taken, got '%s' and '%s'",
                    settings->file, text);
    if (!colon || file_exists(text)) {
        settings->file = xstrdup(text);
        return 0;
    }
    colon = before ? before : colon;
    char *number = xstrndup(colon + 1, strspn(colon + 1, "0123456789"));
    long long line = 0;
    int status = parse_count(number, "LINE", &line, err);
    free(number);
    if (status)
        return -1;
    if (line < 1 || line > INT_MAX)
        return fail(err, STATUS_USAGE, "'%s': there is no line %lld", text, line);
    settings->file = xstrndup(text, (size_t)(colon - text));
    settings->line = (int)line;
    return 0;
}

/* The colon between file and function, of "a.cpp:ns::f" the first; NULL = there is none.
 */
static const char *function_colon(const char *text)
{
    const char *colon = strrchr(text, ':');
    while (colon && colon > text && colon[-1] == ':') {
        const char *at = colon - 1;
        while (at > text && at[-1] != ':')
            at--;
        colon = at > text ? at - 1 : NULL;
    }
    return colon;
}

/* FILE, FILE:LINE or FILE:FUNCTION, twice: two versions of one function. */
static int read_version(const char *text, struct settings *settings, struct error *err)
{
    const char *colon = function_colon(text);
    const char *name = colon ? colon + 1 : "";
    bool first = !settings->file;
    bool named = colon && colon > text &&
                 (isalpha((unsigned char)*name) || *name == '_') &&
                 !strpbrk(name, "/.") && !file_exists(text);
    if (settings->rival_file)
        return fail(err, STATUS_USAGE,
                    "compare takes two versions, or one and --plan; got '%s' as well",
                    text);
    char *file = named ? xstrndup(text, (size_t)(colon - text)) : xstrdup(text);
    char *before = settings->file;
    int line = settings->line;
    settings->file = NULL;
    settings->line = 0;
    int status = read_file(file, settings, err);
    free(file);
    *(first ? &settings->version : &settings->rival_version) = named ? name : NULL;
    if (first)
        return status;
    settings->rival_file = settings->file;
    settings->rival_line = settings->line;
    settings->file = before;
    settings->line = line;
    return status;
}

/* Of commands that know profiles by options alone. */
static int refuse_profile(const char *text, const struct settings *settings,
                          struct error *err)
{
    if (!settings->list && !settings->show)
        return fail(err, STATUS_USAGE,
                    "unexpected word '%s'; write --show %s for a profile that exists; "
                    "try 'inflight %s --help'",
                    text, text, settings->command);
    return fail(err, STATUS_USAGE, "unexpected word '%s'; try 'inflight %s --help'", text,
                settings->command);
}

/* A file that is no source: a colon is a part of its name. */
static int read_results(const char *text, struct settings *settings, struct error *err)
{
    if (settings->session >= 0)
        return fail(err, STATUS_USAGE,
                    "either SESSION or FILE is taken, got %lld and '%s'",
                    settings->session, text);
    if (settings->file)
        return fail(err, STATUS_USAGE, "only one FILE is taken, got '%s' and '%s'",
                    settings->file, text);
    settings->file = xstrdup(text);
    return 0;
}

static int read_session(const char *text, struct settings *settings, struct error *err)
{
    if (settings->file)
        return fail(err, STATUS_USAGE,
                    "either SESSION or FILE is taken, got '%s' and '%s'", settings->file,
                    text);
    if (settings->session >= 0)
        return fail(err, STATUS_USAGE, "only one SESSION is taken, got %lld and '%s'",
                    settings->session, text);
    if (text[strspn(text, "0123456789")] || !text[strspn(text, "0")])
        return fail(err, STATUS_USAGE,
                    "'%s' is not a session number; 'inflight report --list' names the "
                    "sessions",
                    text);
    return parse_count(text, "SESSION", &settings->session, err);
}

static int read_rule(const char *text, struct settings *settings, struct error *err)
{
    if (settings->rule)
        return fail(err, STATUS_USAGE, "only one rule is taken, got '%s' and '%s'",
                    settings->rule, text);
    settings->rule = text;
    return 0;
}

/* getopt's code of option_row(0) as a long option: above all letters. */
enum { FIRST_CODE = 1000 };

static size_t fill_getopt(const struct command *command, struct option *longs,
                          char *shorts)
{
    size_t nr = 0;
    *shorts++ = '+';
    *shorts++ = ':';
    const struct option_row *row;
    for (size_t i = 0; (row = option_row(i)) && nr < OPTIONS_MAX; i++) {
        if (!command_takes(command, row->name))
            continue;
        longs[nr++] =
            (struct option){row->name, row->argument ? required_argument : no_argument,
                            NULL, FIRST_CODE + (int)i};
        if (row->letter) {
            *shorts++ = (char)row->letter;
            if (row->argument)
                *shorts++ = ':';
        }
    }
    longs[nr] = (struct option){0};
    *shorts = 0;
    return nr;
}

static const struct option_row *row_of(int code)
{
    const struct option_row *row;
    for (size_t i = 0; (row = option_row(i)); i++)
        if (code == FIRST_CODE + (int)i || (row->letter && code == row->letter))
            return row;
    return NULL;
}

static int usage(const struct settings *settings, struct error *err, const char *problem,
                 const char *word)
{
    return fail(err, STATUS_USAGE, "%s '%s'; try 'inflight %s --help'", problem, word,
                settings->command);
}

/* ---- options that are none ---- */

static const struct synonym option_synonyms[] = {
    {"size", "set"},      {"sizes", "set"},         {"param", "set"},
    {"parameter", "set"}, {"define", "set"},        {"value", "set"},
    {"array", "buffer"},  {"contents", "buffer"},   {"kernel", "function"},
    {"name", "function"}, {"threads", "cores"},     {"jobs", "cores"},
    {"cpus", "cores"},    {"timeout", "budget"},    {"time", "budget"},
    {"limit", "budget"},  {"cc", "compiler"},       {"command", "build"},
    {"make", "build"},    {"transform", "plan"},    {"transformation", "plan"},
    {"steps", "plan"},    {"epsilon", "tolerance"}, {"fast-math", "reassociate"},
    {"colour", "color"},  {"silent", "quiet"},      {"debug", "verbose"},
    {"usage", "help"},    {"all", "help-all"},      {"details", "evidence"},
    {"report", "html"},   {"page", "html"},         {"out", "output"},
};

/* The option of the command that may be meant; NULL = none is near. */
static const char *meant_option(const struct command *command, const char *name)
{
    const char *names[OPTIONS_ALL_MAX];
    size_t nr = 0;
    const struct option_row *row;
    for (size_t i = 0; (row = option_row(i)) && nr < ARRAY_SIZE(names); i++)
        if (command_takes(command, row->name))
            names[nr++] = row->name;
    return meant_word(name, names, nr, option_synonyms, ARRAY_SIZE(option_synonyms));
}

/* "--html, --help": the options that begin like this, which getopt could not tell apart.
 */
static void add_begun(const struct command *command, const char *name, struct buf *out)
{
    const struct option_row *row;
    for (size_t i = 0; (row = option_row(i)); i++)
        if (command_takes(command, row->name) && text_begins(row->name, name))
            buf_addf(out, "%s--%s", out->length ? ", " : "", row->name);
}

/* Options that there were, and what does their work now. */
static const struct {
    const char *name, *remedy;
} removed[] = {
    {"plot", "inflight-plot draws what --json of 'machine', 'measure --sweep', 'metrics' "
             "and 'profile --timeline' prints: 'inflight ... --json | inflight-plot - -o "
             "FILE.svg'"},
    {"confirm", "reports decide between causes by experiments of their own, and by hand "
                "'measure' does with '--cores N', '--pages huge' or other sizes"},
    {"csv", "the series of 'measure --sweep' is written as CSV; 'profile --timeline' has "
            "the same columns in --json"},
    {"compare", "'inflight machine --show NAME' shows one profile after the other, and "
                "with --json to a script"},
};

static const char *remedy_of(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(removed); i++)
        if (!strcmp(removed[i].name, name))
            return removed[i].remedy;
    return NULL;
}

static int unknown_long(const struct command *command, const char *word,
                        struct settings *settings, struct error *err)
{
    char *name = xstrndup(word + 2, strcspn(word + 2, "="));
    struct buf several = {0};
    add_begun(command, name, &several);
    /* One of other commands is meant as it stands. */
    bool known = option_named(name, strlen(name));
    const char *meant = known ? NULL : meant_option(command, name);
    if (several.length)
        fail(err, STATUS_USAGE, "'%s' is short for several: %s; write one of them", word,
             buf_str(&several));
    else if (remedy_of(name))
        fail(err, STATUS_USAGE, "unknown option '%s'; %s", word, remedy_of(name));
    else if (meant)
        fail(err, STATUS_USAGE,
             "unknown option '%s'; did you mean '--%s'? Try 'inflight %s --help-all'",
             word, meant, settings->command);
    else
        fail(err, STATUS_USAGE, "unknown option '%s'; try 'inflight %s --help-all'", word,
             settings->command);
    if (known && !several.length)
        settings->unknown = word + 2;
    buf_release(&several);
    free(name);
    return -1;
}

/* -O3, -Wall: of the compiler. */
static int unknown_letter(const struct command *command, char letter, const char *word,
                          const struct settings *settings, struct error *err)
{
    bool takes_flags =
        command->behind != BEHIND_PROGRAM &&
        (command_takes(command, "cflags") || command_takes(command, "flags"));
    if (takes_flags && strchr("DLOUWgw", letter))
        return fail(
            err, STATUS_USAGE,
            "unknown option '-%c'; flags to read the file with go after '--'%s; try "
            "'inflight %s --help-all'",
            letter,
            command_takes(command, "flags") ? ", those to tune for in --flags '...'" : "",
            settings->command);
    (void)word;
    return fail(err, STATUS_USAGE, "unknown option '-%c'; try 'inflight %s --help-all'",
                letter, settings->command);
}

/* What getopt stumbled over: a letter within "-qxv" or a whole word. */
static int bad_option(const struct command *command, int code, char **argv,
                      struct settings *settings, struct error *err)
{
    const struct option_row *row = row_of(optopt);
    char letter[] = {'-', (char)optopt, 0};
    bool is_letter = optopt > 0 && optopt < FIRST_CODE;
    const char *word = is_letter ? letter : argv[optind - 1];
    if (code == ':')
        return usage(settings, err, "an argument is missing after", word);
    if (row && !is_letter)
        return usage(settings, err, "no argument is taken in", word);
    return is_letter ? unknown_letter(command, letter[1], word, settings, err)
                     : unknown_long(command, word, settings, err);
}

/* "-fopenmp", "-march=native", "-std=c11", "-lm": getopt would read a function's name, a
 * profile or a value. Those of -f that could be a name are these; others hold a '-'. */
static int check_flag(const struct command *command, const char *word, struct error *err)
{
    static const char *const names[] = {"openmp", "lto", "pic", "PIC", "pie", "PIE"};
    if (command->behind == BEHIND_PROGRAM || !command_takes(command, "cflags") ||
        *word != '-')
        return 0;
    bool is_flag = (word[1] == 'f' && strchr(word + 2, '-')) ||
                   (word[1] == 'm' && strchr(word + 2, '=')) ||
                   text_begins(word, "-std=");
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        is_flag = is_flag || (word[1] == 'f' && !strcmp(word + 2, names[i]));
    return is_flag
               ? fail(err, STATUS_USAGE,
                      "'%s' is a flag of the compiler; flags to read the file with stand "
                      "behind '--'%s",
                      word,
                      command_takes(command, "flags")
                          ? ", those to tune for in --flags '...'"
                          : "")
               : 0;
}

/* "-set n=5": getopt would read -s with the argument "et". */
static int check_dashes(const struct command *command, const char *word,
                        const struct settings *settings, struct error *err)
{
    enum { NAME_MIN = 3 }; /* letters: shorter ones may be letters together */
    char *name = xstrndup(word, strcspn(word, "="));
    bool wrong = *name == '-' && name[1] != '-' && strlen(name + 1) >= NAME_MIN &&
                 option_named(name + 1, strlen(name + 1)) &&
                 command_takes(command, name + 1);
    int status = wrong ? fail(err, STATUS_USAGE,
                              "write '-%s' with two dashes, not '%s'; try 'inflight %s "
                              "--help'",
                              name, name, settings->command)
                       : 0;
    free(name);
    return status;
}

/* What takes one value got it before, and another one: which is meant? */
static int check_once(const struct option_row *row, const char **before,
                      struct error *err)
{
    if (!optarg || !option_is_single(row))
        return 0;
    if (*before && strcmp(*before, optarg) != 0)
        return fail(err, STATUS_USAGE,
                    "--%s is given twice, as '%s' and as '%s'; give it once", row->name,
                    *before, optarg);
    *before = optarg;
    return 0;
}

/* Options up to the next word that is none; `at` moves behind them. */
static int read_options(const struct command *command, int argc, char **argv,
                        const char *shorts, const struct option *longs,
                        const char **before, struct settings *settings, struct error *err)
{
    opterr = 0;
    for (;;) {
        int at = optind ? optind : 1; /* within "-qxv" it is where it was */
        if (at < argc && (check_dashes(command, argv[at], settings, err) ||
                          check_flag(command, argv[at], err)))
            return -1;
        int code = getopt_long(argc, argv, shorts, longs, NULL);
        if (code == -1)
            return 0;
        const struct option_row *row = row_of(code);
        if (code == ':' || !row)
            return bad_option(command, code, argv, settings, err);
        if (check_once(row, &before[row - option_row(0)], err) ||
            option_read(row, optarg, settings, err))
            return -1;
    }
}

static int read_operand(const struct command *command, const char *word,
                        struct settings *settings, struct error *err)
{
    switch (command->operand) {
    case OPERAND_SOURCE:
        return read_file(word, settings, err);
    case OPERAND_VERSIONS:
        return read_version(word, settings, err);
    case OPERAND_RESULTS:
        return read_results(word, settings, err);
    case OPERAND_SESSION:
        return read_session(word, settings, err);
    case OPERAND_PROFILE:
        return refuse_profile(word, settings, err);
    case OPERAND_RULE:
        return read_rule(word, settings, err);
    default:
        if (command->behind == BEHIND_PROGRAM)
            return fail(err, STATUS_USAGE,
                        "unexpected word '%s'; a program stands behind '--', as in "
                        "'inflight %s -- %s'",
                        word, settings->command, word);
        return usage(settings, err, "unexpected word", word);
    }
}

static struct strvec *list_behind(enum behind behind, struct settings *settings)
{
    bool program = behind == BEHIND_PROGRAM ||
                   (behind == BEHIND_PROGRAM_OR_FLAGS && !settings->file);
    return program ? &settings->program : &settings->cflags;
}

static int read_words(const struct command *command, int argc, char **argv,
                      struct settings *settings, struct error *err)
{
    struct option longs[OPTIONS_MAX + 1];
    char shorts[2 * OPTIONS_MAX + 3];
    const char *before[OPTIONS_ALL_MAX] = {NULL};
    fill_getopt(command, longs, shorts);
    optind = 0; /* glibc: also forget where it stopped last time */
    while (optind < argc) {
        if (read_options(command, argc, argv, shorts, longs, before, settings, err))
            return -1;
        bool rest = optind > 1 && !strcmp(argv[optind - 1], "--");
        struct strvec *list = list_behind(command->behind, settings);
        for (; rest && optind < argc; optind++)
            strvec_push(list, argv[optind]);
        if (optind >= argc)
            break;
        const char *word = argv[optind++];
        if (is_value(word) && command_takes(command, "set"))
            return fail(err, STATUS_USAGE, "'%s' is not a file; write --set %s", word,
                        word);
        if (read_operand(command, word, settings, err))
            return -1;
    }
    return 0;
}

int settings_parse(const struct command *command, int argc, char **argv,
                   struct settings *settings, struct error *err)
{
    const struct option_row *row;
    *settings = (struct settings){.command = argv[0],
                                  .given = argv,
                                  .given_nr = argc,
                                  .compiler = "gcc",
                                  .session = -1};
    for (size_t i = 0; (row = option_row(i)); i++)
        option_reset(row, settings);
    return read_words(command, argc, argv, settings, err);
}

void settings_release(struct settings *settings)
{
    free(settings->file);
    strvec_release(&settings->words);
    strvec_release(&settings->cflags);
    strvec_release(&settings->program);
    strvec_release(&settings->flags);
    strvec_release(&settings->sweep);
    strvec_release(&settings->counts);
    strvec_release(&settings->rules);
    strvec_release(&settings->flags_try);
    strvec_release(&settings->slurm_options);
    free(settings->rival_file);
}

/* ---- help ---- */

static void add_option_help(const struct option_row *row, const char *command,
                            struct buf *out)
{
    size_t start = out->length;
    if (row->letter)
        buf_addf(out, "  -%c, ", row->letter);
    else
        buf_add(out, "      ");
    buf_addf(out, "--%s%s%s", row->name, row->argument ? " " : "",
             row->argument ? row->argument : "");
    size_t width = out->length - start;
    if (width >= 27)
        buf_add(out, "\n");
    buf_add_repeat(out, ' ', width < 27 ? 27 - width : 27);
    buf_add_wrapped(out, option_help(row, command), 27, 79);
    buf_add(out, "\n");
}

void command_help(const struct command *command, bool all, FILE *stream)
{
    struct buf out = {0};
    size_t left = 0;
    buf_addf(&out, "usage: inflight %s\n\n%s\n\noptions:\n", command->usage,
             command->details);
    const struct option_row *row;
    for (size_t i = 0; (row = option_row(i)); i++) {
        if (!command_takes(command, row->name))
            continue;
        if (all || command_shows(command, row->name))
            add_option_help(row, command->name, &out);
        else
            left++;
    }
    if (left)
        buf_addf(&out, "\n'inflight %s --help-all' shows %zu more options.\n",
                 command->name, left);
    fputs(buf_str(&out), stream);
    buf_release(&out);
}

/* ---- the words again ---- */

/* Of "name", "na" or "name=value"; shortened as getopt takes it, where the command is
 * told. */
static const struct option_row *row_of_long(const struct command *command,
                                            const char *name)
{
    size_t length = strcspn(name, "=");
    const struct option_row *row, *found = option_named(name, length);
    if (!command || (found && command_takes(command, found->name)))
        return found;
    found = NULL;
    for (size_t i = 0; (row = option_row(i)); i++)
        if (command_takes(command, row->name) && !strncmp(row->name, name, length))
            found = row;
    return found;
}

const struct option_row *option_of_word(const struct command *command, const char *word,
                                        bool *apart)
{
    *apart = false;
    if (word[0] != '-' || !word[1])
        return NULL;
    const struct option_row *row =
        word[1] == '-' ? row_of_long(command, word + 2) : row_of(word[1]);
    bool has_value = word[1] == '-' ? strchr(word, '=') != NULL : word[2] != 0;
    *apart = row && row->argument && !has_value;
    return row;
}

void settings_words(const struct command *command, const struct settings *settings,
                    const char *without, const struct strvec *more, struct strvec *out)
{
    struct strvec names = {0};
    strvec_split(&names, without);
    strvec_push(out, settings->given[0]);
    int i = 1;
    for (; i < settings->given_nr && strcmp(settings->given[i], "--"); i++) {
        bool apart;
        const struct option_row *row =
            option_of_word(command, settings->given[i], &apart);
        bool leave_out = row && strvec_has(&names, row->name);
        if (!leave_out)
            strvec_push(out, settings->given[i]);
        if (apart && i + 1 < settings->given_nr) {
            i++;
            if (!leave_out)
                strvec_push(out, settings->given[i]);
        }
    }
    strvec_push_all(out, more);
    for (; i < settings->given_nr; i++)
        strvec_push(out, settings->given[i]);
    strvec_release(&names);
}
