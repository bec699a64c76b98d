#include "advisor/program/completion.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/cli/options.h"
#include "advisor/commands/what_if.h"
#include "advisor/program/commands.h"
#include "advisor/sweep/sweep_axes.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/machine/machine.h"
#include "core/metrics/metrics.h"
#include "core/store/store.h"
#include "rules/rules.h"
#include "search/strategy/strategy.h"
#include "variants/plan/plan.h"

/* What may stand where on the command line. */
enum takes {
    TAKES_NOTHING,
    TAKES_ANY, /* a word that nobody can guess */
    TAKES_FILES,
    TAKES_SOURCES, /* *.c */
    TAKES_WORDS,
    TAKES_LIST,     /* words joined by commas */
    TAKES_PLAN,     /* words separated by spaces within one argument */
    TAKES_PROFILES, /* words, the user's own profiles, files */
    TAKES_PROGRAMS
};

struct taken {
    enum takes kind;
    struct strvec words;
};

static void push_words(struct taken *out, const char *const *word)
{
    for (; *word; word++)
        strvec_push(&out->words, *word);
}

/* ---- the words of one option ---- */

static int add_access(struct taken *out, struct error *err)
{
    (void)err;
    strvec_split(&out->words, "random streaming");
    return 0;
}

static int add_axes(struct taken *out, struct error *err)
{
    static const char *const axis[] = {
#define X(name, word) word,
        AXIS_MAP(X)
#undef X
    };
    (void)err;
    for (size_t i = 0; i < ARRAY_SIZE(axis); i++)
        if (*axis[i])
            strvec_pushf(&out->words, "%s=", axis[i]);
    return 0;
}

/* The shipped definitions of metrics; a file of one's own is typed. */
static int add_cpus(struct taken *out, struct error *err)
{
    struct metric_file *file = NULL;
    size_t nr = 0;
    int status = metric_files(&file, &nr, err);
    for (size_t i = 0; i < nr; i++)
        strvec_push(&out->words, file[i].name);
    metric_files_release(file, nr);
    return status;
}

static int add_profiles(struct taken *out, struct error *err)
{
    struct machine_entry *entry = NULL;
    size_t nr = 0;
    if (machine_list(&entry, &nr, err))
        return -1;
    strvec_push(&out->words, "here");
    for (size_t i = 0; i < nr; i++)
        strvec_push(&out->words, entry[i].name);
    machine_list_release(entry, nr);
    return 0;
}

static int add_strategies(struct taken *out, struct error *err)
{
    size_t nr;
    const struct search_strategy *strategy = search_strategies(&nr);
    (void)err;
    for (size_t i = 0; i < nr; i++)
        strvec_push(&out->words, strategy[i].name);
    return 0;
}

static int add_transformations(struct taken *out, struct error *err)
{
    size_t nr;
    const struct transformation *all = transformations(&nr);
    (void)err;
    for (size_t i = 0; i < nr; i++)
        strvec_pushf(&out->words, "%s%s", all[i].name,
                     strchr(all[i].syntax, '(') ? "(" : "");
    return 0;
}

static int add_try_words(struct taken *out, struct error *err)
{
    (void)err;
    push_words(out, try_words);
    return 0;
}

static int add_what_if_keys(struct taken *out, struct error *err)
{
    (void)err;
    for (size_t i = 0; what_if_key(i); i++)
        strvec_pushf(&out->words, "%s=", what_if_key(i));
    return 0;
}

/* What neither the option's kind nor its argument's name says. */
static const struct {
    const char *option;
    enum takes kind;
    int (*add)(struct taken *out, struct error *err);
} known[] = {
    {"access", TAKES_WORDS, add_access},
    {"compiler", TAKES_PROGRAMS, NULL},
    {"cpu", TAKES_WORDS, add_cpus},
    {"machine", TAKES_PROFILES, add_profiles},
    {"plan", TAKES_PLAN, add_transformations},
    {"show", TAKES_PROFILES, add_profiles},
    {"strategy", TAKES_WORDS, add_strategies},
    {"sweep", TAKES_WORDS, add_axes},
    {"try", TAKES_LIST, add_try_words},
    {"what-if", TAKES_LIST, add_what_if_keys},
};

/* What an option's argument may be, and a command's words that are no options. Each fails
 * only where shipped data (profiles, rules) cannot be read. Caller releases. */
static int taken_by_option(const struct option_row *row, struct taken *out,
                           struct error *err)
{
    const char *const *word = option_words(row);
    *out = (struct taken){0};
    if (word) {
        out->kind = TAKES_WORDS;
        push_words(out, word);
        return 0;
    }
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (!strcmp(known[i].option, row->name)) {
            out->kind = known[i].kind;
            return known[i].add ? known[i].add(out, err) : 0;
        }
    out->kind = !row->argument                  ? TAKES_NOTHING
                : strstr(row->argument, "FILE") ? TAKES_FILES
                                                : TAKES_ANY;
    return 0;
}

/* ---- the words of one command ---- */

static int add_rules(struct taken *out, struct error *err)
{
    struct rule_set *set = NULL;
    size_t nr;
    const struct rule_transformation *all = rule_transformations(&nr);
    if (rule_set_load(NULL, &set, err))
        return -1;
    json_t *rules = rule_set_to_json(set), *rule;
    size_t i;
    json_array_foreach(rules, i, rule) {
        strvec_push(&out->words, json_string_value(json_object_get(rule, "id")));
    }
    for (i = 0; i < nr; i++)
        strvec_push(&out->words, all[i].name);
    json_decref(rules);
    rule_set_free(set);
    return 0;
}

static int add_shells(struct taken *out, struct error *err)
{
    (void)err;
    strvec_split(&out->words, "bash zsh fish");
    return 0;
}

static int taken_by_command(const struct command *command, struct taken *out,
                            struct error *err)
{
    static const struct {
        enum takes kind;
        int (*add)(struct taken *out, struct error *err);
    } operands[OPERAND_NR] = {
        [OPERAND_NONE] = {TAKES_NOTHING, NULL},
        [OPERAND_SOURCE] = {TAKES_SOURCES, NULL},
        [OPERAND_VERSIONS] = {TAKES_SOURCES, NULL},
        [OPERAND_RESULTS] = {TAKES_FILES, NULL},
        [OPERAND_SESSION] = {TAKES_NOTHING, NULL},
        [OPERAND_PROFILE] = {TAKES_PROFILES, add_profiles},
        [OPERAND_RULE] = {TAKES_WORDS, add_rules},
        [OPERAND_SHELL] = {TAKES_WORDS, add_shells},
    };
    *out = (struct taken){.kind = operands[command->operand].kind};
    return operands[command->operand].add ? operands[command->operand].add(out, err) : 0;
}

/* ---- the table ---- */

/* An option's help for the command (NULL = for all) up to where its details begin. Caller
 * frees. */
static char *hint_of(const struct option_row *row, const char *command)
{
    static const char *const details[] = {"; ", " (", ": "};
    enum { MIN = 20 }; /* characters that tell enough */
    const char *help = option_help(row, command);
    size_t length = strlen(help);
    for (size_t i = 0; i < ARRAY_SIZE(details); i++) {
        const char *at = length > MIN ? strstr(help + MIN, details[i]) : NULL;
        if (at && (size_t)(at - help) < length)
            length = (size_t)(at - help);
    }
    return xstrndup(help, length);
}

/* In single quotes, whose end the shell writes as it likes. */
struct table {
    struct buf text;
    const char *apostrophe;
};

/* "name|letter|argument|repeats|takes|words|text": what a command or an option is for,
 * and what follows it. The options of a command follow it. */
static void add_row(struct table *table, const char *name,
                    const struct option_row *option, const struct taken *taken,
                    const char *text)
{
    static const char *const word[] = {
        [TAKES_NOTHING] = "",          [TAKES_ANY] = "any",
        [TAKES_FILES] = "files",       [TAKES_SOURCES] = "sources",
        [TAKES_WORDS] = "words",       [TAKES_LIST] = "list",
        [TAKES_PLAN] = "plan",         [TAKES_PROFILES] = "profiles",
        [TAKES_PROGRAMS] = "programs",
    };
    struct buf row = {0};
    char letter[] = {'-', (char)(option ? option->letter : 0), 0};
    bool repeats = option && (option->kind == WORD || option->kind == LIST);
    char *words = strvec_join(&taken->words, " ");
    buf_addf(&row, "%s%s|%s|%s|%s|%s|%s|%s", option ? "--" : "", name,
             letter[1] ? letter : "", option && option->argument ? option->argument : "",
             repeats ? "repeats" : "", word[taken->kind], words, text);
    buf_add(&table->text, table->text.length ? "\n" : "");
    for (const char *at = buf_str(&row); *at; at++)
        if (*at == '\'')
            buf_add(&table->text, table->apostrophe);
        else
            buf_add_n(&table->text, at, 1);
    buf_release(&row);
    free(words);
}

static int add_command(struct table *table, const struct command *command,
                       struct error *err)
{
    const struct option_row *row;
    struct taken taken;
    int status = taken_by_command(command, &taken, err);
    add_row(table, command->name, NULL, &taken, command->summary);
    strvec_release(&taken.words);
    for (size_t i = 0; !status && (row = option_row(i)); i++) {
        if (!command_takes(command, row->name))
            continue;
        char *hint = hint_of(row, command->name);
        status = taken_by_option(row, &taken, err);
        add_row(table, row->name, row, &taken, hint);
        strvec_release(&taken.words);
        free(hint);
    }
    return status;
}

/* ---- the scripts ---- */

/* A shell's script stands in templates/completion but for the table. */
static void fill(const char *script, const struct table *table, struct buf *out)
{
    static const char version[] = "@VERSION@", rows[] = "@TABLE@";
    for (; *script; script++)
        if (text_begins(script, version)) {
            buf_add(out, INFLIGHT_VERSION);
            script += strlen(version) - 1;
        } else if (text_begins(script, rows)) {
            buf_add(out, buf_str(&table->text));
            script += strlen(rows) - 1;
        } else {
            buf_add_n(out, script, 1);
        }
}

int completion_script(const char *shell, struct buf *out, struct error *err)
{
    bool fish = !strcmp(shell, "fish");
    if (!fish && strcmp(shell, "bash") != 0 && strcmp(shell, "zsh") != 0)
        return fail(err, STATUS_USAGE,
                    "there is no completion for '%s'; known are bash, "
                    "zsh and fish",
                    shell);
    struct table table = {.apostrophe = fish ? "\\'" : "'\\''"};
    const struct command *command;
    struct buf script = {0};
    char *name = xasprintf("templates/completion/%s.in", shell), *path = NULL;
    int status = shipped_path(name, &path, err) || file_read(path, &script, err);
    for (size_t i = 0; !status && (command = command_row(i)); i++)
        status = add_command(&table, command, err);
    if (!status)
        fill(buf_str(&script), &table, out);
    free(name);
    free(path);
    buf_release(&script);
    buf_release(&table.text);
    return status ? -1 : 0;
}

/* inflight completion: the script by which a shell completes inflight's words. */
int completion_command(const struct settings *settings, struct error *err)
{
    struct buf script = {0};
    if (!settings->shell)
        return fail(err, STATUS_USAGE,
                    "which shell: bash, zsh or fish? Try 'inflight completion --help'");
    int status = completion_script(settings->shell, &script, err) ||
                 print_data(buf_str(&script), err);
    buf_release(&script);
    return status ? -1 : 0;
}
