/* Definition files (inflight.metrics/1): their members as they stand there; found by
 * name, by path, by the CPU whose file names them; two sets made one. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/cpu/cpu.h"
#include "core/metrics/metric_parts.h"

static const char folder_name[] = "rules/metrics", schema[] = "inflight.metrics/1";

/* ---- members of the file, and where they go ---- */

enum kind {
    TEXT,     /* holds something, */
    ANY_TEXT, /* or may be empty */
    STRINGS,
    BOOL,
    NUMBER,
    SUM,
    FORMULA, /* a struct metric_formula */
    OTHER,   /* a key that is read elsewhere */
    OWNED    /* no key: a formula that is made of others */
};

enum { MUST, MAY }; /* be there */

struct field {
    const char *key; /* NULL = the end of the list */
    enum kind kind;
    size_t at; /* in the struct */
    int optional;
};

#define AT(type, member) offsetof(struct type, member)

static const struct field constant_fields[] = {
    {"name", TEXT, AT(metric_constant, name), MUST},
    {"value", NUMBER, AT(metric_constant, value), MUST},
    {"unit", TEXT, AT(metric_constant, unit), MUST},
    {"source", TEXT, AT(metric_constant, source), MUST},
    {NULL, OTHER, 0, MAY},
};
static const struct field event_fields[] = {
    {"name", TEXT, AT(metric_event, name), MUST},
    {"aliases", STRINGS, AT(metric_event, alias), MAY},
    {"note", TEXT, AT(metric_event, note), MAY},
    {NULL, OTHER, 0, MAY},
};
static const struct field event_set_fields[] = {
    {"name", TEXT, AT(metric_event_set, name), MUST},
    {"events", STRINGS, AT(metric_event_set, event), MUST},
    {NULL, OTHER, 0, MAY},
};
static const struct field absent_fields[] = {
    {"name", TEXT, AT(metric_absent, name), MUST},
    {"why", TEXT, AT(metric_absent, why), MUST},
    {NULL, OTHER, 0, MAY},
};
static const struct field model_fields[] = {
    {"name", TEXT, AT(metric_model, name), MUST},
    {"title", TEXT, AT(metric_model, title), MUST},
    {"about", TEXT, AT(metric_model, about), MUST},
    {"source", TEXT, AT(metric_model, source), MUST},
    {"roots", SUM, AT(metric_model, roots), MUST},
    {"losses", BOOL, AT(metric_model, losses), MAY},
    {"", OWNED, AT(metric_model, rest), MAY},
    {NULL, OTHER, 0, MAY},
};
static const struct field metric_fields[] = {
    {"name", TEXT, AT(metric, name), MUST},
    {"unit", ANY_TEXT, AT(metric, unit), MUST},
    {"group", TEXT, AT(metric, group), MAY},
    {"about", TEXT, AT(metric, about), MUST},
    {"source", TEXT, AT(metric, source), MAY},
    {"fact", TEXT, AT(metric, fact), MAY},
    {"useful", BOOL, AT(metric, useful), MAY},
    {"estimated", BOOL, AT(metric, estimated), MAY},
    {"children", SUM, AT(metric, children), MAY},
    {"of", TEXT, AT(metric, of), MAY},
    {"formula", TEXT, AT(metric, text), MUST},
    {"model", OTHER, 0, MAY},
    {"parent", OTHER, 0, MAY},
    {"low", OTHER, 0, MAY},
    {"high", OTHER, 0, MAY},
    {"", OWNED, AT(metric, formula), MAY},
    {"", OWNED, AT(metric, flat), MAY},
    {"", OWNED, AT(metric, rest), MAY},
    {NULL, OTHER, 0, MAY},
};
static const struct field identity_fields[] = {
    {"left", FORMULA, AT(metric_identity, left), MUST},
    {"right", FORMULA, AT(metric_identity, right), MUST},
    {"about", TEXT, AT(metric_identity, about), MUST},
    {NULL, OTHER, 0, MAY},
};
static const struct field warning_fields[] = {
    {"when", OTHER, 0, MAY},
    {"sentence", TEXT, AT(metric_warning, sentence), MUST},
    {NULL, OTHER, 0, MAY},
};

static int text_at(const struct json_at *at, const char *key, char **out,
                   struct error *err)
{
    const char *text;

    if (json_string_at(at, key, &text, err))
        return -1;
    if (!*text)
        return json_fail(at, err, "\"%s\" is empty", key);
    *out = xstrdup(text);
    return 0;
}

static int formula_at(const struct json_at *at, const char *key,
                      struct metric_formula *out, struct error *err)
{
    if (text_at(at, key, &out->text, err))
        return -1;
    if (formula_parse(out->text, &out->formula, err) == 0)
        return 0;
    return fail_in(err, "%s: \"%s\"", at->file, key);
}

static const char *const sum_words[] = {
#define X(name, word) word,
    METRIC_SUM_MAP(X)
#undef X
};

const char *metric_sum_word(enum metric_sum sum)
{
    return sum_words[sum];
}

static int sum_at(const struct json_at *at, const char *key, enum metric_sum *out,
                  struct error *err)
{
    int sum = json_word_at(at, key, "kind of sum", sum_words, ARRAY_SIZE(sum_words), err);

    *out = sum < 0 ? METRIC_SUM_PART : (enum metric_sum)sum;
    return sum < 0 ? -1 : 0;
}

static int read_field(const struct json_at *at, const struct field *field, void *to,
                      struct error *err)
{
    if (field->optional && !json_has(at, field->key))
        return 0;
    switch (field->kind) {
    case TEXT:
        return text_at(at, field->key, to, err);
    case ANY_TEXT:
        return json_copy_at(at, field->key, to, err);
    case STRINGS:
        return json_strings_at(at, field->key, to, err);
    case BOOL:
        return json_bool_at(at, field->key, to, err);
    case NUMBER:
        return json_number_at(at, field->key, -1e300, 1e300, to, err);
    case SUM:
        return sum_at(at, field->key, to, err);
    case FORMULA:
        return formula_at(at, field->key, to, err);
    default:
        return 0;
    }
}

static int read_fields(const struct json_at *at, const struct field *fields, void *out,
                       struct error *err)
{
    struct buf keys = {0};
    int result;

    for (const struct field *field = fields; field->key; field++)
        buf_addf(&keys, "%s%s", keys.length && *field->key ? " " : "", field->key);
    result = json_only_keys(at, buf_str(&keys), err);
    for (const struct field *field = fields; field->key && !result; field++)
        result = read_field(at, field, (char *)out + field->at, err);
    buf_release(&keys);
    return result;
}

static void release_formula(struct metric_formula *formula)
{
    free(formula->text);
    formula_free(formula->formula);
    formula_free(formula->flat);
}

static void release_fields(const struct field *fields, void *item)
{
    for (const struct field *field = fields; field->key; field++) {
        void *at = (char *)item + field->at;

        if (field->kind == TEXT || field->kind == ANY_TEXT)
            free(*(char **)at);
        else if (field->kind == STRINGS)
            strvec_release(at);
        else if (field->kind == FORMULA)
            release_formula(at);
        else if (field->kind == OWNED)
            formula_free(*(struct formula **)at);
    }
}

/* ---- one of each ---- */

/* A further item of a list of the set, read by its fields. */
#define READER(item, fields)                                                             \
    static int read_##item(const struct json_at *at, void *into, struct error *err)      \
    {                                                                                    \
        struct metric_set *set = into;                                                   \
        GROW(set->item, set->item##_nr + 1, set->item##_alloc);                          \
        memset(&set->item[set->item##_nr], 0, sizeof(*set->item));                       \
        return read_fields(at, fields, &set->item[set->item##_nr++], err);               \
    }
READER(constant, constant_fields)
READER(event, event_fields)
READER(event_set, event_set_fields)
READER(absent, absent_fields)
READER(model, model_fields)
#undef READER

static int read_identity(const struct json_at *at, void *into, struct error *err)
{
    struct metric_set *set = into;
    struct metric_identity *identity;

    GROW(set->identity, set->identity_nr + 1, set->identity_alloc);
    identity = &set->identity[set->identity_nr++];
    *identity = (struct metric_identity){0};
    if (read_fields(at, identity_fields, identity, err))
        return -1;
    identity->gap.text =
        xasprintf("(%s) - (%s)", identity->left.text, identity->right.text);
    return formula_parse(identity->gap.text, &identity->gap.formula, err);
}

static int read_condition(const struct json_at *at, void *into, struct error *err)
{
    struct metric_warning *warning = into;
    struct metric_condition *condition = &warning->when[warning->when_nr++];

    return json_only_keys(at, "formula op value", err) ||
                   formula_at(at, "formula", &condition->formula, err) ||
                   condition_read_numbers(at, 1, &condition->is, err)
               ? -1
               : 0;
}

static int read_warning(const struct json_at *at, void *into, struct error *err)
{
    struct metric_set *set = into;
    struct metric_warning *warning;
    struct json_at list, here;
    size_t nr;

    GROW(set->warning, set->warning_nr + 1, set->warning_alloc);
    warning = &set->warning[set->warning_nr++];
    *warning = (struct metric_warning){0};
    if (read_fields(at, warning_fields, warning, err) ||
        json_member(at, "sentence", &here, err) ||
        sentence_names(&here, warning->sentence, &warning->named, err) ||
        json_array_at(at, "when", &list, &nr, err))
        return -1;
    if (nr == 0)
        return json_fail(at, err, "a warning without conditions");
    warning->when = xcalloc(nr, sizeof(*warning->when));
    return json_each_here(&list, read_condition, warning, err);
}

/* ---- a metric ---- */

/* null = there is no end. */
static int bound_at(const struct json_at *at, const char *key, double usual, double none,
                    double *out, struct error *err)
{
    struct json_at member;

    *out = usual;
    if (json_member(at, key, &member, NULL))
        return 0;
    if (json_is_null(member.node)) {
        *out = none;
        return 0;
    }
    return json_number_at(at, key, -1e300, 1e300, out, err);
}

static int range_at(const struct json_at *at, struct metric *metric, struct error *err)
{
    if (bound_at(at, "low", 0, -INFINITY, &metric->low, err) ||
        bound_at(at, "high", metric->of ? 1 : INFINITY, INFINITY, &metric->high, err))
        return -1;
    if (metric->low > metric->high)
        return json_fail(at, err, "'%s': \"low\" is above \"high\"", metric->name);
    return 0;
}

static int model_at(const struct json_at *at, const struct metric_set *set,
                    struct metric *metric, struct error *err)
{
    const char *word;

    if (json_has(at, "model")) {
        if (json_string_at(at, "model", &word, err))
            return -1;
        for (size_t i = 0; i < set->model_nr; i++)
            if (!strcmp(set->model[i].name, word))
                metric->model = (int)i;
        if (metric->model == METRIC_NONE)
            return json_fail(at, err, "'%s': the file has no model '%s'", metric->name,
                             word);
    }
    if (!json_has(at, "parent"))
        return 0;
    if (json_string_at(at, "parent", &word, err))
        return -1;
    metric->parent = metric_find(set, word);
    if (metric->parent == METRIC_NONE || &set->metric[metric->parent] == metric ||
        set->metric[metric->parent].model != metric->model ||
        metric->model == METRIC_NONE)
        return json_fail(at, err,
                         "'%s': its parent '%s' does not stand before it in its model",
                         metric->name, word);
    return 0;
}

static int share_at(const struct json_at *at, struct metric *metric, struct error *err)
{
    bool share = !strcmp(metric->unit, "share");

    if (share != (metric->of != NULL))
        return json_fail(at, err,
                         "'%s': \"of\" says what a share is of, and a share must say it",
                         metric->name);
    if (share && !strcmp(metric->of, "parent") && metric->parent == METRIC_NONE)
        return json_fail(at, err, "'%s' is a share of its parent and has none",
                         metric->name);
    return 0;
}

static int read_metric(const struct json_at *at, void *into, struct error *err)
{
    struct metric_set *set = into;
    struct metric *metric;

    GROW(set->metric, set->metric_nr + 1, set->metric_alloc);
    metric = &set->metric[set->metric_nr++];
    *metric = (struct metric){.model = METRIC_NONE, .parent = METRIC_NONE};
    if (read_fields(at, metric_fields, metric, err) || model_at(at, set, metric, err) ||
        share_at(at, metric, err) || range_at(at, metric, err))
        return -1;
    if (formula_parse(metric->text, &metric->formula, err) == 0)
        return 0;
    return fail_in(err, "%s: metric '%s'", at->file, metric->name);
}

/* ---- the lists ---- */

static int read_lists(const struct json_at *at, struct metric_set *set, struct error *err)
{
    return json_only_keys(at,
                          "schema name title recognise pmus include sources constants "
                          "events sets absent models metrics identities warnings",
                          err) ||
                   (json_has(at, "pmus") &&
                    json_strings_at(at, "pmus", &set->pmu, err)) ||
                   json_strings_at(at, "sources", &set->source, err) ||
                   json_each_if(at, "constants", read_constant, set, err) ||
                   json_each_if(at, "events", read_event, set, err) ||
                   json_each_if(at, "sets", read_event_set, set, err) ||
                   json_each_if(at, "absent", read_absent, set, err) ||
                   json_each_if(at, "models", read_model, set, err) ||
                   json_each_if(at, "metrics", read_metric, set, err) ||
                   json_each_if(at, "identities", read_identity, set, err) ||
                   json_each_if(at, "warnings", read_warning, set, err)
               ? -1
               : 0;
}

/* ---- files ---- */

/* Includes within includes. */
enum { include_depth_max = 4 };

static int read_into(const char *path, struct metric_set *set, int depth,
                     struct error *err);

static char *shipped_file(const char *name, struct error *err)
{
    char *relative = xasprintf("%s/%s.json", folder_name, name), *path = NULL;

    shipped_path(relative, &path, err);
    free(relative);
    return path;
}

/* Beside the file, else the shipped one. */
static char *included_file(const char *from, const char *name, struct error *err)
{
    char *folder = xstrndup(from, (size_t)(path_base(from) - from));
    char *beside = xasprintf("%s%s.json", folder, name);

    free(folder);
    if (file_exists(beside))
        return beside;
    free(beside);
    return shipped_file(name, err);
}

static int read_includes(const struct json_at *at, struct metric_set *set, int depth,
                         struct error *err)
{
    struct strvec names = {0};
    int result =
        json_has(at, "include") ? json_strings_at(at, "include", &names, err) : 0;

    if (!result && names.nr && depth >= include_depth_max)
        result = json_fail(at, err, "more than %d files include one another",
                           include_depth_max);
    for (size_t i = 0; i < names.nr && !result; i++) {
        char *path = included_file(at->file, names.v[i], err);

        result = path ? read_into(path, set, depth + 1, err)
                      : fail_in(err, "%s includes '%s'", at->file, names.v[i]);
        free(path);
    }
    strvec_release(&names);
    return result;
}

static int check_rule(const struct json_at *at, void *unused, struct error *err)
{
    struct cpu_rule rule;

    (void)unused;
    return cpu_rule_read(at, &rule, err);
}

static int read_heading(const struct json_at *at, struct metric_set *set,
                        struct error *err)
{
    if (text_at(at, "name", &set->name, err) || text_at(at, "title", &set->title, err) ||
        json_each_if(at, "recognise", check_rule, NULL, err))
        return -1;
    if (json_has(at, "recognise"))
        set->recognise = json_deep_copy(json_object_get(at->node, "recognise"));
    return 0;
}

static int read_into(const char *path, struct metric_set *set, int depth,
                     struct error *err)
{
    json_t *root;
    struct json_at top;
    int result;

    if (json_read_file(path, schema, &root, err))
        return -1;
    top = json_top(path, root);
    strvec_push(&set->file, path);
    result = depth ? 0 : read_heading(&top, set, err);
    if (!result)
        result = read_lists(&top, set, err);
    if (!result)
        result = read_includes(&top, set, depth, err);
    json_decref(root);
    return result;
}

/* ---- of which CPUs ---- */

/* Reads the file's rows, which were checked, until one says yes. */
static bool any_rule(const struct metric_set *set,
                     bool (*yes)(const struct cpu_rule *rule, const void *with),
                     const void *with)
{
    struct json_at list = json_top(set->path, set->recognise);
    bool found = false;

    for (size_t i = 0; !found && i < json_array_size(set->recognise); i++) {
        struct json_at row = json_element(&list, i);
        struct cpu_rule rule;

        found = !cpu_rule_read(&row, &rule, NULL) && yes(&rule, with);
    }
    return found;
}

static bool meets(const struct cpu_rule *rule, const void *with)
{
    const struct cpu *cpu = with;

    for (size_t i = 0; i < cpu->rule_nr; i++)
        if (cpu_rules_meet(rule, &cpu->rule[i]))
            return true;
    return false;
}

static bool fits(const struct cpu_rule *rule, const void *with)
{
    return cpu_rule_fits(rule, with);
}

/* What the CPU is recognised by, as if the definitions said so. */
static void add_rows(struct metric_set *set, const struct cpu *cpu,
                     const struct cpu_metrics *metrics)
{
    json_t *reported = json_object_get(cpu->root, "recognise");

    if (!set->recognise)
        set->recognise = json_array();
    for (size_t i = 0; i < cpu->rule_nr; i++) {
        json_t *row = json_deep_copy(json_is_array(reported) ? json_array_get(reported, i)
                                                             : reported);

        if (metrics->steppings.nr) {
            char *text = xasprintf("%X-%X", (unsigned)metrics->steppings.range[0].low,
                                   (unsigned)metrics->steppings.range[0].high);

            json_object_set_new(row, "steppings", json_string(text));
            free(text);
        }
        json_array_append_new(set->recognise, row);
    }
}

/* Those whose files name the definitions; what says itself which CPUs it is of is asked
 * for those. */
static int find_cpus(struct metric_set *set, struct error *err)
{
    const struct cpu_table *table;
    bool own = set->recognise != NULL;
    int result = cpu_table_get(&table, err);

    for (size_t i = 0; i < table->cpu_nr && !result; i++) {
        const struct cpu *cpu = &table->cpu[i];
        bool is = own && any_rule(set, meets, cpu);

        for (size_t k = 0; k < cpu->metrics_nr && !own; k++)
            if (strcmp(cpu->metrics[k].name, set->name) == 0) {
                add_rows(set, cpu, &cpu->metrics[k]);
                is = true;
            }
        if (is)
            strvec_push(&set->microarchitecture, cpu->name);
        if (is && !set->line_bytes)
            set->line_bytes = cpu->line_bytes;
    }
    return result;
}

static int read_set(const char *path, struct metric_set **set, struct error *err)
{
    *set = xcalloc(1, sizeof(**set));
    (*set)->path = xstrdup(path);
    if (read_into(path, *set, 0, err) == 0 && find_cpus(*set, err) == 0 &&
        metric_links_make(*set, err) == 0)
        return 0;
    metric_set_free(*set);
    *set = NULL;
    return -1;
}

/* ---- which one ---- */

static int unknown_name(const char *spec, const struct strvec *names, struct error *err)
{
    const char *near = nearest_word(spec, (const char *const *)names->v, names->nr);
    char *all = strvec_join(names, ", ");

    fail(err, STATUS_INPUT,
         near
             ? "there are no metrics of '%s'; did you mean '%s'?"
             : "there are no metrics of '%s'; give the path of a definition file, or one "
               "of: %s",
         spec, near ? near : all);
    free(all);
    return -1;
}

static int load_named(const char *spec, struct metric_set **set, struct error *err)
{
    struct strvec names = {0};
    char *folder = NULL, *path;
    int result = shipped_names(folder_name, &names, &folder, err);

    if (!result && !strvec_has(&names, spec))
        result = unknown_name(spec, &names, err);
    if (!result) {
        path = shipped_file(spec, err);
        result = path ? read_set(path, set, err) : -1;
        free(path);
    }
    strvec_release(&names);
    free(folder);
    return result;
}

enum metric_cpu metric_set_cpu(const struct metric_set *set, const char *cpu)
{
    struct cpu_identity identity;

    cpu_identify(cpu, &identity);
    if (!*identity.vendor || !set->recognise)
        return METRIC_CPU_NOT_GIVEN;
    return any_rule(set, fits, &identity) ? METRIC_CPU_SAME : METRIC_CPU_OTHER;
}

static int load_recognised(const char *cpu, struct metric_set **set, struct error *err)
{
    const struct cpu_table *table;
    struct cpu_identity identity;
    const char *name;
    int result = cpu_table_get(&table, err);

    cpu_identify(cpu, &identity);
    name = result ? NULL : cpu_metrics_name(table, &identity);
    if (name)
        result = load_named(name, set, err);
    else if (!result)
        result = fail(err, STATUS_MISSING,
                      *identity.vendor
                          ? "no metrics are defined for this CPU; --cpu takes another "
                            "one's name or a definition file (docs/reference/metrics.md)"
                          : "the CPU cannot be identified; --cpu names one "
                            "(docs/reference/metrics.md)");
    return result;
}

int metric_set_load(const char *spec, const char *cpu, struct metric_set **set,
                    struct error *err)
{
    *set = NULL;
    if (!spec)
        return load_recognised(cpu, set, err);
    if (strchr(spec, '/') || file_exists(spec))
        return read_set(spec, set, err);
    return load_named(spec, set, err);
}

/* ---- the list ---- */

static bool is_named(const struct cpu_table *table, const char *metrics)
{
    for (size_t i = 0; i < table->cpu_nr; i++)
        for (size_t k = 0; k < table->cpu[i].metrics_nr; k++)
            if (strcmp(table->cpu[i].metrics[k].name, metrics) == 0)
                return true;
    return false;
}

static int list_file(const char *path, const struct cpu_table *table,
                     struct metric_file *file, struct error *err)
{
    const char *name, *title;
    json_t *root = NULL;
    struct json_at top;
    int result = json_read_file(path, schema, &root, err);

    top = json_top(path, root);
    if (!result && !(result = json_string_at(&top, "name", &name, err)) &&
        !(result = json_string_at(&top, "title", &title, err)))
        *file = (struct metric_file){.name = xstrdup(name),
                                     .title = xstrdup(title),
                                     .common = !is_named(table, name)};
    json_decref(root);
    return result;
}

int metric_files(struct metric_file **file, size_t *nr, struct error *err)
{
    struct strvec names = {0};
    const struct cpu_table *table;
    char *folder = NULL;
    int result = cpu_table_get(&table, err);

    *nr = 0;
    if (!result)
        result = shipped_names(folder_name, &names, &folder, err);
    *file = xcalloc(names.nr + 1, sizeof(**file));
    for (; *nr < names.nr && !result; ++*nr) {
        char *path = xasprintf("%s/%s.json", folder, names.v[*nr]);

        result = list_file(path, table, &(*file)[*nr], err);
        free(path);
    }
    if (result) {
        metric_files_release(*file, *nr);
        *file = NULL;
        *nr = 0;
    }
    strvec_release(&names);
    free(folder);
    return result;
}

void metric_files_release(struct metric_file *file, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        free(file[i].name);
        free(file[i].title);
    }
    free(file);
}

/* ---- ownership ---- */

#define RELEASE(item, fields)                                                            \
    do {                                                                                 \
        for (size_t i_ = 0; i_ < set->item##_nr; i_++)                                   \
            release_fields(fields, &set->item[i_]);                                      \
        free(set->item);                                                                 \
    } while (0)

void metric_set_free(struct metric_set *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->identity_nr; i++)
        release_formula(&set->identity[i].gap);
    for (size_t i = 0; i < set->warning_nr; i++) {
        for (size_t k = 0; k < set->warning[i].when_nr; k++)
            release_formula(&set->warning[i].when[k].formula);
        free(set->warning[i].when);
        strvec_release(&set->warning[i].named);
    }
    RELEASE(constant, constant_fields);
    RELEASE(event, event_fields);
    RELEASE(event_set, event_set_fields);
    RELEASE(absent, absent_fields);
    RELEASE(model, model_fields);
    RELEASE(metric, metric_fields);
    RELEASE(identity, identity_fields);
    RELEASE(warning, warning_fields);
    free(set->name);
    free(set->title);
    free(set->path);
    json_decref(set->recognise);
    strvec_release(&set->microarchitecture);
    strvec_release(&set->file);
    strvec_release(&set->pmu);
    strvec_release(&set->source);
    free(set);
}

/* ---- two made one ---- */

/* Moves all items of one array behind those of the other. */
#define TAKE(set, more, item)                                                            \
    do {                                                                                 \
        GROW((set)->item, (set)->item##_nr + (more)->item##_nr, (set)->item##_alloc);    \
        for (size_t i_ = 0; i_ < (more)->item##_nr; i_++)                                \
            (set)->item[(set)->item##_nr++] = (more)->item[i_];                          \
        (more)->item##_nr = 0;                                                           \
    } while (0)

/* What both count is the same event. */
static void take_events(struct metric_set *set, struct metric_set *more)
{
    GROW(set->event, set->event_nr + more->event_nr, set->event_alloc);
    for (size_t i = 0; i < more->event_nr; i++)
        if (metric_event_named(set, more->event[i].name))
            release_fields(event_fields, &more->event[i]);
        else
            set->event[set->event_nr++] = more->event[i];
    more->event_nr = 0;
}

static int check_merged(const struct metric_set *set, const struct metric_set *more,
                        struct error *err)
{
    for (size_t i = 0; i < more->metric_nr; i++)
        if (metric_find(set, more->metric[i].name) != METRIC_NONE)
            return fail(err, STATUS_INPUT, "'%s' and '%s' both define the metric '%s'",
                        set->path, more->path, more->metric[i].name);
    for (size_t i = 0; i < more->model_nr; i++)
        for (size_t k = 0; k < set->model_nr; k++)
            if (!strcmp(set->model[k].name, more->model[i].name))
                return fail(err, STATUS_INPUT, "'%s' and '%s' both define the model '%s'",
                            set->path, more->path, more->model[i].name);
    return 0;
}

int metric_set_merge(struct metric_set *set, struct metric_set *more, struct error *err)
{
    int metrics = (int)set->metric_nr, models = (int)set->model_nr;
    int result = check_merged(set, more, err);

    for (size_t i = 0; !result && i < more->metric_nr; i++) {
        more->metric[i].parent += more->metric[i].parent == METRIC_NONE ? 0 : metrics;
        more->metric[i].model += more->metric[i].model == METRIC_NONE ? 0 : models;
    }
    if (!result) {
        TAKE(set, more, metric);
        TAKE(set, more, model);
        take_events(set, more);
        TAKE(set, more, event_set);
        TAKE(set, more, constant);
        TAKE(set, more, absent);
        TAKE(set, more, identity);
        TAKE(set, more, warning);
        for (size_t i = 0; i < more->pmu.nr; i++)
            strvec_push_once(&set->pmu, more->pmu.v[i]);
        strvec_push_all(&set->source, &more->source);
    }
    metric_set_free(more);
    return result;
}
