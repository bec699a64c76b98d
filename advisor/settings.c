#include "advisor/settings.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum kind {
    FLAG,
    TEXT,
    WORD,
    FLAGS,
    NUMBER,
    COUNT,
    TIME,
    BANDWIDTH,
    NANOSECONDS,
    COLOUR
};

/* name, one letter or 0, argument's name, kind, place in struct settings, help; WORD:
 * prefix of the pragma word */
static const struct option_row {
    const char *name;
    int letter;
    const char *argument;
    enum kind kind;
    size_t offset;
    const char *help;
} rows[] = {
#define AT(field) offsetof(struct settings, field)
    {"function", 'f', "NAME", TEXT, AT(function),
     "the kernel's function, when the file has several"},
    {"set", 's', "NAME=VALUE", WORD, 0,
     "a scalar parameter, as '#pragma inflight set' (repeatable)"},
    {"buffer", 'b', "WORDS", WORD, 0,
     "an array's contents or length, such as 'key = index(m)' (repeatable)"},
    {"assume", 'a', "WORDS", WORD, 0,
     "what you vouch for: 'noalias(a,b)', 'independent(i)' (repeatable)"},
    {"compiler", 'c', "CC", TEXT, AT(compiler), "compiler to tune for, default gcc"},
    {"flags", 0, "FLAGS", FLAGS, AT(flags),
     "its optimisation flags, default '-O3 -march=native'"},
    {"machine", 'm', "PROFILE", TEXT, AT(machine),
     "machine profile: a file, here, or a name that 'inflight machine' lists; default "
     "this machine's"},
    {"output", 'o', "FILE", TEXT, AT(output), "where the result is written"},
    {"plan", 'p', "PLAN", TEXT, AT(plan),
     "transformations, such as 'tile(i:32,j:32) simd'"},
    {"budget", 0, "TIME", TIME, AT(budget_s),
     "time for the search, such as 90s or 5m, default 100s"},
    {"variants", 0, "N", COUNT, AT(variants), "measure at most N variants"},
    {"strategy", 0, "NAME", TEXT, AT(strategy), "guided (default), exhaustive or random"},
    {"seed", 0, "N", COUNT, AT(seed), "of the random strategy, default 1"},
    {"rules", 0, "FILE", TEXT, AT(rules), "rules to use instead of the shipped recipe"},
    {"cores", 0, "N", COUNT, AT(cores),
     "cores loaded alike, default all that this process may use"},
    {"tolerance", 0, "X", NUMBER, AT(tolerance),
     "relative difference allowed in floating-point results, default 1e-9"},
    {"reassociate", 0, NULL, FLAG, AT(reassociate),
     "allow floating-point sums to be reordered"},
    {"audit", 0, NULL, FLAG, AT(audit), "measure what the rules pruned, too"},
    {"fresh", 0, NULL, FLAG, AT(fresh), "do not continue an unfinished session"},
    {"database", 0, "FILE", TEXT, AT(database),
     "session database, default in the user's data folder"},
    {"bandwidth", 0, "RATE", BANDWIDTH, AT(bandwidth_gbs),
     "of the routine through memory, all cores, such as 106.9GB/s"},
    {"latency", 0, "NS", NANOSECONDS, AT(latency_ns),
     "loaded latency, such as 145 or 145ns; default from the profile's curve"},
    {"access", 0, "KIND", TEXT, AT(access),
     "random, streaming, or the random share such as 0.3"},
    {"counts", 0, "FILE", TEXT, AT(counts),
     "counts taken elsewhere: 'perf stat' output (-x, too), LIKWID's -O, CSV or JSON"},
    {"seconds", 0, "TIME", TIME, AT(seconds_s),
     "what the counts cover, where their file does not say it"},
    {"measurement", 0, "FILE", TEXT, AT(measurement),
     "a saved measurement: the same report again, measuring nothing"},
    {"what-if", 0, "KEY=VALUE,...", TEXT, AT(what_if),
     "how the answer moves if these were otherwise: l1_mshrs, l2_mshrs, latency, "
     "bandwidth, ceiling, cores, line, access, memory, machine"},
    {"quick", 0, NULL, FLAG, AT(quick), "at most 20 seconds, rougher figures"},
    {"longer", 0, "TIME", TIME, AT(longer_s),
     "more rounds for big or noisy machines, such as 10m; more than 120 s"},
    {"peak", 0, "RATE", BANDWIDTH, AT(peak_gbs),
     "theoretical memory bandwidth of this machine, such as 307GB/s"},
    {"show", 0, "NAME", TEXT, AT(show),
     "a profile that exists, measuring nothing: a name of --list, a file, or here "
     "(this machine's); --machine does the same"},
    {"compare", 0, "A B", TEXT, AT(compare), "two profiles side by side"},
    {"plot", 0, "FILE", TEXT, AT(plot),
     "draw latency over bandwidth: FILE.svg, FILE.png, or - for the terminal"},
    {"memory", 0, "NAME", TEXT, AT(memory),
     "the profile's memory of that name (a NUMA node, HBM) instead of its first"},
    {"list", 'l', NULL, FLAG, AT(list), "list what there is"},
    {"evidence", 'e', NULL, FLAG, AT(evidence),
     "every variant and every pruned plan, too"},
    {"json", 0, NULL, FLAG, AT(json), "the result as JSON on standard output"},
    {"quiet", 'q', NULL, FLAG, AT(quiet), "no progress"},
    {"verbose", 'v', NULL, FLAG, AT(verbose), "progress line by line"},
    {"color", 0, "WHEN", COLOUR, AT(colour), "auto (default), always or never"},
    {"help", 'h', NULL, FLAG, AT(help), "this text"},
#undef AT
};

static bool takes(const struct command *command, const char *option)
{
    size_t length = strlen(option);
    for (const char *p = command->options; (p = strstr(p, option)); p += length)
        if ((p == command->options || p[-1] == ' ') && (p[length] == ' ' || !p[length]))
            return true;
    return !strcmp(option, "help");
}

static int read_colour(const char *text, enum colour_when *when, struct error *err)
{
    static const char *const word[] = {"auto", "always", "never"};
    for (size_t i = 0; i < ARRAY_SIZE(word); i++)
        if (!strcmp(text, word[i])) {
            *when = (enum colour_when)i;
            return 0;
        }
    return fail(err, STATUS_USAGE, "--color: expected auto, always or never, got '%s'",
                text);
}

/* Numbers that are given are above 0: the default has its own mark. */
static int read_number(const struct option_row *row, const char *text, void *field,
                       struct error *err)
{
    struct buf what = {0};
    double number = 0;
    long long count = 0;
    int status;
    buf_addf(&what, "--%s", row->name);
    if (row->kind == COUNT)
        status = parse_count(text, buf_str(&what), &count, err);
    else
        status = (row->kind == TIME        ? parse_time
                  : row->kind == BANDWIDTH ? parse_bandwidth
                  : row->kind == NANOSECONDS
                      ? parse_latency
                      : parse_number)(text, buf_str(&what), &number, err);
    if (!status && !(number > 0 || count > 0))
        status =
            fail(err, STATUS_USAGE, "--%s must be above 0, got '%s'", row->name, text);
    if (row->kind == COUNT)
        *(long long *)field = count;
    else
        *(double *)field = number;
    buf_release(&what);
    return status;
}

static int read_option(const struct option_row *row, const char *text,
                       struct settings *settings, struct error *err)
{
    char *field = (char *)settings + row->offset;
    switch (row->kind) {
    case FLAG:
        *(bool *)field = true;
        return 0;
    case TEXT:
        *(const char **)field = text;
        return 0;
    case WORD:
        strvec_pushf(&settings->words, "%s %s", row->name, text);
        return 0;
    case FLAGS:
        strvec_split((struct strvec *)field, text);
        return 0;
    case COLOUR:
        return read_colour(text, &settings->colour, err);
    default:
        return read_number(row, text, field, err);
    }
}

/* FILE or FILE:LINE. A file whose name ends in digits behind a colon is taken as it is
 * when it exists. */
static int read_file(const char *text, struct settings *settings, struct error *err)
{
    const char *colon = strrchr(text, ':');
    if (settings->file)
        return fail(err, STATUS_USAGE, "only one FILE is taken, got '%s' and '%s'",
                    settings->file, text);
    if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")] ||
        file_exists(text)) {
        settings->file = xstrdup(text);
        return 0;
    }
    long long line = 0;
    if (parse_count(colon + 1, "LINE", &line, err))
        return -1;
    if (line < 1 || line > INT_MAX)
        return fail(err, STATUS_USAGE, "'%s': there is no line %lld", text, line);
    settings->file = xstrndup(text, (size_t)(colon - text));
    settings->line = (int)line;
    return 0;
}

/* The second profile of --compare A B. */
static int read_rival(const char *text, struct settings *settings, struct error *err)
{
    if (!settings->compare || settings->rival)
        return fail(err, STATUS_USAGE, "unexpected word '%s'; try 'inflight %s --help'",
                    text, settings->command);
    settings->rival = text;
    return 0;
}

static int read_session(const char *text, struct settings *settings, struct error *err)
{
    if (settings->session >= 0)
        return fail(err, STATUS_USAGE, "only one SESSION is taken, got %lld and '%s'",
                    settings->session, text);
    return parse_count(text, "SESSION", &settings->session, err);
}

/* getopt's code of rows[0] as a long option: above all letters. */
enum { FIRST_CODE = 1000 };

static size_t fill_getopt(const struct command *command, struct option *longs,
                          char *shorts)
{
    size_t nr = 0;
    *shorts++ = '+';
    *shorts++ = ':';
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (!takes(command, rows[i].name))
            continue;
        longs[nr++] = (struct option){rows[i].name,
                                      rows[i].argument ? required_argument : no_argument,
                                      NULL, FIRST_CODE + (int)i};
        if (rows[i].letter) {
            *shorts++ = (char)rows[i].letter;
            if (rows[i].argument)
                *shorts++ = ':';
        }
    }
    longs[nr] = (struct option){0};
    *shorts = 0;
    return nr;
}

static const struct option_row *row_of(int code)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (code == FIRST_CODE + (int)i || (rows[i].letter && code == rows[i].letter))
            return &rows[i];
    return NULL;
}

static int usage(const struct settings *settings, struct error *err, const char *problem,
                 const char *word)
{
    return fail(err, STATUS_USAGE, "%s '%s'; try 'inflight %s --help'", problem, word,
                settings->command);
}

/* What getopt stumbled over: a letter within "-qxv" or a whole word. */
static int bad_option(int code, char **argv, const struct settings *settings,
                      struct error *err)
{
    const struct option_row *row = row_of(optopt);
    char letter[] = {'-', (char)optopt, 0};
    bool is_letter = optopt > 0 && optopt < FIRST_CODE;
    const char *word = is_letter ? letter : argv[optind - 1];
    if (code == ':')
        return usage(settings, err, "an argument is missing behind", word);
    if (row && !is_letter)
        return usage(settings, err, "no argument is taken in", word);
    return usage(settings, err, "unknown option", word);
}

/* Options up to the next word that is none; `at` moves behind them. */
static int read_options(int argc, char **argv, const char *shorts,
                        const struct option *longs, struct settings *settings,
                        struct error *err)
{
    int code;
    opterr = 0;
    while ((code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        const struct option_row *row = row_of(code);
        if (code == ':' || !row)
            return bad_option(code, argv, settings, err);
        if (read_option(row, optarg, settings, err))
            return -1;
    }
    return 0;
}

static int read_word(const struct command *command, const char *word,
                     struct settings *settings, struct error *err)
{
    if (strstr(command->usage, "SESSION"))
        return read_session(word, settings, err);
    if (takes(command, "compare"))
        return read_rival(word, settings, err);
    if (strstr(command->usage, "FILE.c"))
        return read_file(word, settings, err);
    return usage(settings, err, "unexpected word", word);
}

static int read_words(const struct command *command, int argc, char **argv,
                      struct settings *settings, struct error *err)
{
    struct option longs[ARRAY_SIZE(rows) + 1];
    char shorts[2 * ARRAY_SIZE(rows) + 3];
    fill_getopt(command, longs, shorts);
    optind = 0; /* glibc: also forget where it stopped last time */
    while (optind < argc) {
        if (read_options(argc, argv, shorts, longs, settings, err))
            return -1;
        bool rest = optind > 1 && !strcmp(argv[optind - 1], "--");
        for (; rest && optind < argc; optind++)
            strvec_push(&settings->cflags, argv[optind]);
        if (optind >= argc)
            break;
        if (read_word(command, argv[optind++], settings, err))
            return -1;
    }
    return 0;
}

int settings_parse(int argc, char **argv, struct settings *settings, struct error *err)
{
    const struct command *command = command_find(argv[0]);
    *settings = (struct settings){.command = argv[0],
                                  .compiler = "gcc",
                                  .budget_s = -1,
                                  .bandwidth_gbs = -1,
                                  .latency_ns = -1,
                                  .longer_s = -1,
                                  .peak_gbs = -1,
                                  .seconds_s = -1,
                                  .variants = -1,
                                  .seed = -1,
                                  .cores = -1,
                                  .session = -1,
                                  .tolerance = -1};
    if (!command)
        return fail(err, STATUS_USAGE, "there is no command '%s'; try 'inflight --help'",
                    argv[0]);
    return read_words(command, argc, argv, settings, err);
}

void settings_release(struct settings *settings)
{
    free(settings->file);
    strvec_release(&settings->words);
    strvec_release(&settings->cflags);
    strvec_release(&settings->flags);
}

/* ---- help ---- */

static void option_help(const struct option_row *row, struct buf *out)
{
    size_t start = out->length;
    if (row->letter)
        buf_addf(out, "  -%c, ", row->letter);
    else
        buf_add(out, "      ");
    buf_addf(out, "--%s%s%s", row->name, row->argument ? " " : "",
             row->argument ? row->argument : "");
    size_t width = out->length - start;
    buf_add_repeat(out, ' ', width < 27 ? 27 - width : 1);
    buf_add_wrapped(out, row->help, 27, 79);
    buf_add(out, "\n");
}

void command_help(const struct command *command, FILE *stream)
{
    struct buf out = {0};
    buf_addf(&out, "usage: inflight %s\n\n%s\n\noptions:\n", command->usage,
             command->details);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (takes(command, rows[i].name))
            option_help(&rows[i], &out);
    fputs(buf_str(&out), stream);
    buf_release(&out);
}
