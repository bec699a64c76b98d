#include "advisor/program/completion.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/cli/try_words.h"
#include "advisor/cli/version.h"
#include "advisor/commands/what_if.h"
#include "advisor/sweep/sweep_axes.h"
#include "core/machine/machine.h"
#include "core/metrics/metrics.h"
#include "core/store/store.h"
#include "rules/rules.h"
#include "variants/plan/plan.h"

const char *completes_word(enum completes_kind kind)
{
    static const char *const word[] = {
#define X(name, word) word,
        COMPLETES_MAP(X)
#undef X
    };
    return word[kind];
}

void completes_release(struct completes *completes)
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

static int add_formats(struct completes *out, struct error *err)
{
    (void)err;
    for (int i = 0; i < EXCHANGE_FORMAT_NR; i++)
        strvec_push(&out->words, exchange_format_word((enum exchange_format)i));
    return 0;
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
    {"format", COMPLETES_WORDS, add_formats},
    {"machine", COMPLETES_PROFILES, add_profiles},
    {"plan", COMPLETES_PLAN, add_transformations},
    {"show", COMPLETES_PROFILES, add_profiles},
    {"strategy", COMPLETES_WORDS, add_strategies},
    {"sweep", COMPLETES_WORDS, add_axes},
    {"try", COMPLETES_LIST, add_try_words},
    {"what-if", COMPLETES_LIST, add_what_if_keys},
};

int completes_option(const struct option_row *row, struct completes *out,
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
    json_array_foreach(rules, i, rule)
    {
        strvec_push(&out->words, json_string_value(json_object_get(rule, "id")));
    }
    for (i = 0; i < nr; i++)
        strvec_push(&out->words, all[i].name);
    json_decref(rules);
    rule_set_free(set);
    return 0;
}

int completes_operand(const struct command *command, struct completes *out,
                      struct error *err)
{
    *out = (struct completes){0};
    if (!strcmp(command->name, "rules")) {
        out->kind = COMPLETES_WORDS;
        return add_rules(out, err);
    }
    if (!strcmp(command->name, "completion")) {
        out->kind = COMPLETES_WORDS;
        strvec_split(&out->words, "bash zsh fish");
        return 0;
    }
    if (!strcmp(command->name, "machine")) { /* the second of --compare */
        out->kind = COMPLETES_PROFILES;
        return add_profiles(out, err);
    }
    if (strstr(command->usage, "FILE.c") || strstr(command->usage, "NEW.c"))
        out->kind = COMPLETES_SOURCES;
    else if (strstr(command->usage, " FILE") || strstr(command->usage, ".json"))
        out->kind = COMPLETES_FILES;
    return 0;
}

int completes_each_operand(void (*add)(const struct command *command,
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

char *completion_hint(const struct option_row *row)
{
    static const char *const details[] = {"; ", " (", ": "};
    enum { LEAST = 20 }; /* characters that tell enough */
    size_t length = strlen(row->help);
    for (size_t i = 0; i < ARRAY_SIZE(details); i++) {
        const char *at = length > LEAST ? strstr(row->help + LEAST, details[i]) : NULL;
        if (at && (size_t)(at - row->help) < length)
            length = (size_t)(at - row->help);
    }
    return xstrndup(row->help, length);
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
