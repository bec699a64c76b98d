#include "advisor/program/completion.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/cli/cli.h"
#include "advisor/commands/what_if.h"
#include "advisor/program/commands.h"
#include "advisor/sweep/sweep_axes.h"
#include "core/base/error.h"
#include "core/machine/machine.h"
#include "core/metrics/metrics.h"
#include "core/store/store.h"
#include "rules/rules.h"
#include "search/strategy/strategy.h"
#include "variants/plan/plan.h"

static const char *completes_word(enum completes_kind kind);
static void completes_release(struct completes *completes);
static int completes_option(const struct option_row *row, struct completes *out,
                            struct error *err);
static int completes_operand(const struct command *command, struct completes *out,
                             struct error *err);
static int completes_each_operand(void (*add)(const struct command *command,
                                              const struct completes *completes,
                                              struct buf *out),
                                  struct buf *out, struct error *err);
static char *completion_hint(const struct option_row *row, const char *command);

/* ---- bash ---- */

/* For bash: three case statements. */

static int write_commands(struct buf *out, struct error *err)
{
    const struct command *command;
    (void)err;
    for (size_t i = 0; (command = command_row(i)); i++)
        buf_addf(out, "%s%s", i ? " " : "", command->name);
    return 0;
}

static int write_options(struct buf *out, struct error *err)
{
    const struct command *command;
    const struct option_row *row;
    (void)err;
    for (size_t i = 0; (command = command_row(i)); i++) {
        buf_addf(out, "    %s) words='", command->name);
        for (size_t k = 0, nr = 0; (row = option_row(k)); k++)
            if (command_takes(command, row->name))
                buf_addf(out, "%s--%s", nr++ ? " " : "", row->name);
        buf_add(out, "' ;;\n");
    }
    return 0;
}

static void add_case(const char *pattern, const struct completes *completes,
                     struct buf *out)
{
    buf_addf(out, "    %s) kind=%s", pattern, completes_word(completes->kind));
    char *words = strvec_join(&completes->words, " ");
    if (*words)
        buf_addf(out, " words='%s'", words);
    buf_add(out, " ;;\n");
    free(words);
}

static int write_arguments(struct buf *out, struct error *err)
{
    const struct option_row *row;
    for (size_t i = 0; (row = option_row(i)); i++) {
        struct completes completes = {0};
        char letter[] = {' ', '|', ' ', '-', (char)row->letter, 0};
        struct buf pattern = {0};
        if (!row->argument)
            continue;
        buf_addf(&pattern, "--%s%s", row->name, row->letter ? letter : "");
        int status = completes_option(row, &completes, err);
        if (!status)
            add_case(buf_str(&pattern), &completes, out);
        buf_release(&pattern);
        completes_release(&completes);
        if (status)
            return -1;
    }
    return 0;
}

static void add_operand(const struct command *command, const struct completes *completes,
                        struct buf *out)
{
    add_case(command->name, completes, out);
}

static int write_operands(struct buf *out, struct error *err)
{
    return completes_each_operand(add_operand, out, err);
}

const struct completion_part completion_bash[] = {
    {"COMMANDS", write_commands},
    {"OPTIONS", write_options},
    {"ARGUMENTS", write_arguments},
    {"OPERANDS", write_operands},
    {NULL, NULL},
};

/* ---- fish ---- */

/* For fish: a `complete` for each command, each option and each command's words. */

static void add_quoted(struct buf *out, const char *text)
{
    buf_add(out, "'");
    for (; *text; text++)
        buf_addf(out, "%s%c", strchr("\\'", *text) ? "\\" : "", *text);
    buf_add(out, "'");
}

static int fish_write_commands(struct buf *out, struct error *err)
{
    const struct command *command;
    (void)err;
    for (size_t i = 0; (command = command_row(i)); i++) {
        buf_addf(out, "complete -c inflight -n __inflight_first -a %s -d ",
                 command->name);
        add_quoted(out, command->summary);
        buf_add(out, "\n");
    }
    return 0;
}

/* The words, or what prints them; files are offered where -F stands. */
static void add_words(const struct completes *completes, struct buf *out)
{
    static const char *const before[] = {
        [COMPLETES_NOTHING] = "",
        [COMPLETES_ANY] = "",
        [COMPLETES_FILES] = " -F",
        [COMPLETES_SOURCES] = " -k -a '(__fish_complete_suffix .c",
        [COMPLETES_WORDS] = " -a '",
        [COMPLETES_LIST] = " -a '(__inflight_list",
        [COMPLETES_PLAN] = " -a '(__inflight_plan",
        [COMPLETES_PROFILES] = " -F -a '(__inflight_profiles",
        [COMPLETES_PROGRAMS] = " -a '(__fish_complete_command",
    };
    buf_add(out, before[completes->kind]);
    for (size_t i = 0; i < completes->words.nr; i++)
        buf_addf(out, "%s\"%s\"", i || completes->kind != COMPLETES_WORDS ? " " : "",
                 completes->words.v[i]);
    if (strchr(before[completes->kind], '\''))
        buf_add(out, completes->kind == COMPLETES_WORDS ? "'" : ")'");
}

static void add_condition(const struct option_row *row, struct buf *out)
{
    const struct command *command;
    buf_add(out, "complete -c inflight -n '__inflight_in");
    for (size_t i = 0; (command = command_row(i)); i++)
        if (command_takes(command, row->name))
            buf_addf(out, " %s", command->name);
    buf_addf(out, "' -l %s", row->name);
    if (row->letter)
        buf_addf(out, " -s %c", row->letter);
}

static int fish_write_options(struct buf *out, struct error *err)
{
    const struct option_row *row;
    for (size_t i = 0; (row = option_row(i)); i++) {
        struct completes completes;
        char *hint = completion_hint(row, NULL);
        int status = completes_option(row, &completes, err);
        add_condition(row, out);
        if (row->argument)
            buf_add(out, " -r");
        add_words(&completes, out);
        buf_add(out, " -d ");
        add_quoted(out, hint);
        buf_add(out, "\n");
        free(hint);
        completes_release(&completes);
        if (status)
            return -1;
    }
    return 0;
}

static void fish_add_operand(const struct command *command,
                             const struct completes *completes, struct buf *out)
{
    if (completes->kind == COMPLETES_NOTHING)
        return;
    buf_addf(out, "complete -c inflight -n '__inflight_in %s'", command->name);
    add_words(completes, out);
    buf_add(out, "\n");
}

static int fish_write_operands(struct buf *out, struct error *err)
{
    return completes_each_operand(fish_add_operand, out, err);
}

const struct completion_part completion_fish[] = {
    {"COMMANDS", fish_write_commands},
    {"OPTIONS", fish_write_options},
    {"OPERANDS", fish_write_operands},
    {NULL, NULL},
};

/* ---- zsh ---- */

/* For zsh: a list of commands, and what _arguments takes for each. */

/* Within '...': brackets and colons mean something to _arguments and _describe. */
static void zsh_add_quoted(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("[]:\\", *text))
            buf_addf(out, "\\%c", *text);
        else if (*text == '\'')
            buf_add(out, "'\\''");
        else
            buf_add_n(out, text, 1);
    }
}

static int zsh_write_commands(struct buf *out, struct error *err)
{
    const struct command *command;
    (void)err;
    for (size_t i = 0; (command = command_row(i)); i++) {
        buf_addf(out, "    '%s:", command->name);
        zsh_add_quoted(out, command->summary);
        buf_add(out, "'\n");
    }
    return 0;
}

/* The action of _arguments: ":what:action"; behind a space it is called with its own
 * words only. */
static void add_action(const char *what, const struct completes *completes,
                       struct buf *out)
{
    static const char *const action[] = {
        [COMPLETES_NOTHING] = "",
        [COMPLETES_ANY] = "",
        [COMPLETES_FILES] = "_files",
        [COMPLETES_SOURCES] = "_files -g \"*.(c|cc|cpp|cxx)(-.)\"",
        [COMPLETES_WORDS] = " _inflight_words",
        [COMPLETES_LIST] = " _inflight_list",
        [COMPLETES_PLAN] = " _inflight_plan",
        [COMPLETES_PROFILES] = " _inflight_profiles",
        [COMPLETES_PROGRAMS] = "_command_names -e",
    };
    buf_add(out, ":");
    zsh_add_quoted(out, what);
    buf_addf(out, ":%s", action[completes->kind]);
    for (size_t i = 0; i < completes->words.nr; i++)
        buf_addf(out, " \"%s\"", completes->words.v[i]);
}

/* '(-f --function)'{-f,--function}'[hint]:NAME:action' */
static int add_option(const struct option_row *row, const char *command, struct buf *out,
                      struct error *err)
{
    char *hint = completion_hint(row, command);
    bool repeats = row->kind == WORD || row->kind == LIST;
    struct completes completes;
    int status = completes_option(row, &completes, err);
    buf_add(out, "        ");
    const char *equals = row->argument ? "=" : "";
    if (row->letter && repeats)
        buf_addf(out, "\\*{-%c,--%s%s}'[", row->letter, row->name, equals);
    else if (row->letter)
        buf_addf(out, "'(-%c --%s)'{-%c,--%s%s}'[", row->letter, row->name, row->letter,
                 row->name, equals);
    else
        buf_addf(out, "'%s--%s%s[", repeats ? "*" : "", row->name, equals);
    zsh_add_quoted(out, hint);
    buf_add(out, "]");
    if (row->argument)
        add_action(row->argument, &completes, out);
    buf_add(out, "' \\\n");
    free(hint);
    completes_release(&completes);
    return status;
}

static int add_command(const struct command *command, struct buf *out, struct error *err)
{
    const struct option_row *row;
    struct completes completes;
    int status = completes_operand(command, &completes, err);
    buf_addf(out, "    (%s)\n        _arguments -S -s \\\n", command->name);
    for (size_t i = 0; !status && (row = option_row(i)); i++)
        if (command_takes(command, row->name))
            status = add_option(row, command->name, out, err);
    buf_add(out, "        '*");
    add_action("word", &completes, out);
    buf_add(out, "' ;;\n");
    completes_release(&completes);
    return status;
}

static int zsh_write_arguments(struct buf *out, struct error *err)
{
    const struct command *command;
    for (size_t i = 0; (command = command_row(i)); i++)
        if (add_command(command, out, err))
            return -1;
    return 0;
}

const struct completion_part completion_zsh[] = {
    {"COMMANDS", zsh_write_commands},
    {"ARGUMENTS", zsh_write_arguments},
    {NULL, NULL},
};

/* ---- completion ---- */

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

/* ---- completion ---- */

static const char *completes_word(enum completes_kind kind)
{
    static const char *const word[] = {
#define X(name, word) word,
        COMPLETES_MAP(X)
#undef X
    };
    return word[kind];
}

static void completes_release(struct completes *completes)
{
    strvec_release(&completes->words);
    *completes = (struct completes){0};
}

static void push_words(struct completes *out, const char *const *word)
{
    for (; *word; word++)
        strvec_push(&out->words, *word);
}

/* ---- the words of one option ---- */

static int add_access(struct completes *out, struct error *err)
{
    (void)err;
    strvec_split(&out->words, "random streaming");
    return 0;
}

static int add_axes(struct completes *out, struct error *err)
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
static int add_cpus(struct completes *out, struct error *err)
{
    struct metric_file *file = NULL;
    size_t nr = 0;
    int status = metric_files(&file, &nr, err);
    for (size_t i = 0; i < nr; i++)
        strvec_push(&out->words, file[i].name);
    metric_files_release(file, nr);
    return status;
}

static int add_profiles(struct completes *out, struct error *err)
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

static int add_strategies(struct completes *out, struct error *err)
{
    size_t nr;
    const struct search_strategy *strategy = search_strategies(&nr);
    (void)err;
    for (size_t i = 0; i < nr; i++)
        strvec_push(&out->words, strategy[i].name);
    return 0;
}

static int add_transformations(struct completes *out, struct error *err)
{
    size_t nr;
    const struct transformation *all = transformations(&nr);
    (void)err;
    for (size_t i = 0; i < nr; i++)
        strvec_pushf(&out->words, "%s%s", all[i].name,
                     strchr(all[i].syntax, '(') ? "(" : "");
    return 0;
}

static int add_try_words(struct completes *out, struct error *err)
{
    (void)err;
    push_words(out, try_words);
    return 0;
}

static int add_what_if_keys(struct completes *out, struct error *err)
{
    (void)err;
    for (size_t i = 0; what_if_key(i); i++)
        strvec_pushf(&out->words, "%s=", what_if_key(i));
    return 0;
}

/* What neither the option's kind nor its argument's name says. */
static const struct {
    const char *option;
    enum completes_kind kind;
    int (*add)(struct completes *out, struct error *err);
} known[] = {
    {"access", COMPLETES_WORDS, add_access},
    {"compare", COMPLETES_PROFILES, add_profiles},
    {"compiler", COMPLETES_PROGRAMS, NULL},
    {"cpu", COMPLETES_WORDS, add_cpus},
    {"machine", COMPLETES_PROFILES, add_profiles},
    {"plan", COMPLETES_PLAN, add_transformations},
    {"show", COMPLETES_PROFILES, add_profiles},
    {"strategy", COMPLETES_WORDS, add_strategies},
    {"sweep", COMPLETES_WORDS, add_axes},
    {"try", COMPLETES_LIST, add_try_words},
    {"what-if", COMPLETES_LIST, add_what_if_keys},
};

/* What an option's argument may be, and a command's words that are no options. Each fails
 * only where shipped data (profiles, rules) cannot be read. Caller releases. */
static int completes_option(const struct option_row *row, struct completes *out,
                            struct error *err)
{
    const char *const *word = option_words(row);
    *out = (struct completes){0};
    if (word) {
        out->kind = COMPLETES_WORDS;
        push_words(out, word);
        return 0;
    }
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (!strcmp(known[i].option, row->name)) {
            out->kind = known[i].kind;
            return known[i].add ? known[i].add(out, err) : 0;
        }
    out->kind = !row->argument                  ? COMPLETES_NOTHING
                : strstr(row->argument, "FILE") ? COMPLETES_FILES
                                                : COMPLETES_ANY;
    return 0;
}

/* ---- the words of one command ---- */

static int add_rules(struct completes *out, struct error *err)
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

static int add_shells(struct completes *out, struct error *err)
{
    (void)err;
    strvec_split(&out->words, "bash zsh fish");
    return 0;
}

static int completes_operand(const struct command *command, struct completes *out,
                             struct error *err)
{
    static const struct {
        enum completes_kind kind;
        int (*add)(struct completes *out, struct error *err);
    } operands[OPERAND_NR] = {
        [OPERAND_NONE] = {COMPLETES_NOTHING, NULL},
        [OPERAND_SOURCE] = {COMPLETES_SOURCES, NULL},
        [OPERAND_VERSIONS] = {COMPLETES_SOURCES, NULL},
        [OPERAND_RESULTS] = {COMPLETES_FILES, NULL},
        [OPERAND_SESSION] = {COMPLETES_NOTHING, NULL},
        [OPERAND_PROFILE] = {COMPLETES_PROFILES, add_profiles},
        [OPERAND_RULE] = {COMPLETES_WORDS, add_rules},
        [OPERAND_SHELL] = {COMPLETES_WORDS, add_shells},
    };
    *out = (struct completes){.kind = operands[command->operand].kind};
    return operands[command->operand].add ? operands[command->operand].add(out, err) : 0;
}

/* For each command the words that are no options. */
static int completes_each_operand(void (*add)(const struct command *command,
                                              const struct completes *completes,
                                              struct buf *out),
                                  struct buf *out, struct error *err)
{
    const struct command *command;
    for (size_t i = 0; (command = command_row(i)); i++) {
        struct completes completes;
        int status = completes_operand(command, &completes, err);
        if (!status)
            add(command, &completes, out);
        completes_release(&completes);
        if (status)
            return -1;
    }
    return 0;
}

/* ---- the scripts ---- */

/* An option's help for the command (NULL = for all) up to where its details begin. Caller
 * frees. */
static char *completion_hint(const struct option_row *row, const char *command)
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

static int write_part(const struct completion_part *part, const char *name, size_t length,
                      struct buf *out, struct error *err)
{
    for (; part->name; part++)
        if (strlen(part->name) == length && !strncmp(part->name, name, length))
            return part->write(out, err);
    buf_add(out, INFLIGHT_VERSION);
    return 0;
}

/* Each @NAME@ is replaced by its part. */
static int fill_template(const char *text, const struct completion_part *parts,
                         struct buf *out, struct error *err)
{
    static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (const char *at; (at = strchr(text, '@')); text = at) {
        size_t length = strspn(++at, capitals);
        if (!length || at[length] != '@') {
            buf_add_n(out, text, (size_t)(at - text));
            continue;
        }
        buf_add_n(out, text, (size_t)(at - 1 - text));
        if (write_part(parts, at, length, out, err))
            return -1;
        at += length + 1;
    }
    buf_add(out, text);
    return 0;
}

int completion_script(const char *shell, struct buf *out, struct error *err)
{
    static const struct {
        const char *shell, *file;
        const struct completion_part *parts;
    } scripts[] = {{"bash", "templates/completion/bash.in", completion_bash},
                   {"zsh", "templates/completion/zsh.in", completion_zsh},
                   {"fish", "templates/completion/fish.in", completion_fish}};
    struct buf text = {0};
    char *path = NULL;
    size_t i = 0;
    while (i < ARRAY_SIZE(scripts) && strcmp(scripts[i].shell, shell))
        i++;
    if (i == ARRAY_SIZE(scripts))
        return fail(err, STATUS_USAGE,
                    "there is no completion for '%s'; known are bash, "
                    "zsh and fish",
                    shell);
    int status = shipped_path(scripts[i].file, &path, err) ||
                 file_read(path, &text, err) ||
                 fill_template(buf_str(&text), scripts[i].parts, out, err);
    free(path);
    buf_release(&text);
    return status ? -1 : 0;
}
