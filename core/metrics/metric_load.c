/* Definition files: by name, by path, by the CPU whose file names them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/near.h"
#include "core/cpu/cpu.h"
#include "core/metrics/metric_parts.h"

static const char folder_name[] = "rules/metrics", schema[] = "inflight.metrics/1";

/* Includes within includes. */
enum { include_depth_most = 4 };

static int read_into(const char *path, struct metric_set *set, int depth,
                     struct error *err);

/* ---- reading ---- */

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

    if (!result && names.nr && depth >= include_depth_most)
        result = json_fail(at, err, "more than %d files include one another",
                           include_depth_most);
    for (size_t i = 0; i < names.nr && !result; i++) {
        char *path = included_file(at->file, names.v[i], err);

        result = path ? read_into(path, set, depth + 1, err)
                      : fail_in(err, "%s includes '%s'", at->file, names.v[i]);
        free(path);
    }
    strvec_release(&names);
    return result;
}

static int read_heading(const struct json_at *at, struct metric_set *set,
                        struct error *err)
{
    struct json_at recognise;
    size_t nr;

    if (metric_text_at(at, "name", &set->name, err) ||
        metric_text_at(at, "title", &set->title, err))
        return -1;
    if (!json_has(at, "recognise"))
        return 0;
    if (json_array_at(at, "recognise", &recognise, &nr, err))
        return -1;
    for (size_t i = 0; i < nr; i++) {
        struct json_at row = json_element(&recognise, i);
        struct cpu_rule rule;

        if (cpu_rule_read(&row, &rule, err))
            return -1;
    }
    set->recognise = json_deep_copy(recognise.node);
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
        result = metric_fields_read(&top, set, err);
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
    json_t *said = json_object_get(cpu->root, "recognise");

    if (!set->recognise)
        set->recognise = json_array();
    for (size_t i = 0; i < cpu->rule_nr; i++) {
        json_t *row =
            json_deep_copy(json_is_array(said) ? json_array_get(said, i) : said);

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
    struct cpu_table table;
    bool own = set->recognise != NULL;
    int result = cpu_table_load(&table, err);

    for (size_t i = 0; i < table.cpu_nr && !result; i++) {
        const struct cpu *cpu = &table.cpu[i];
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
    cpu_table_release(&table);
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
    size_t least = SIZE_MAX, near = 0;
    char *all;

    for (size_t i = 0; i < names->nr; i++)
        if (word_distance(spec, names->v[i]) < least) {
            least = word_distance(spec, names->v[i]);
            near = i;
        }
    if (least != SIZE_MAX)
        return fail(err, STATUS_INPUT, "there are no metrics of '%s'; did you mean '%s'?",
                    spec, names->v[near]);
    all = strvec_join(names, ", ");
    fail(
        err, STATUS_INPUT,
        "there are no metrics of '%s'; give the path of a definition file, or one of: %s",
        spec, all);
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
        return METRIC_CPU_NOT_TOLD;
    return any_rule(set, fits, &identity) ? METRIC_CPU_SAME : METRIC_CPU_OTHER;
}

static int load_recognised(const char *cpu, struct metric_set **set, struct error *err)
{
    struct cpu_table table;
    struct cpu_identity identity;
    const char *name;
    int result = cpu_table_load(&table, err);

    cpu_identify(cpu, &identity);
    name = result ? NULL : cpu_metrics_name(&table, &identity);
    if (name)
        result = load_named(name, set, err);
    else if (!result)
        result = fail(err, STATUS_MISSING,
                      *identity.vendor
                          ? "no metrics are defined for this CPU; --cpu takes another "
                            "one's name or a definition file (docs/metrics.md)"
                          : "what CPU it is cannot be told; --cpu names one "
                            "(docs/metrics.md)");
    cpu_table_release(&table);
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
    struct cpu_table table;
    char *folder = NULL;
    int result = cpu_table_load(&table, err);

    *nr = 0;
    if (!result)
        result = shipped_names(folder_name, &names, &folder, err);
    *file = xcalloc(names.nr + 1, sizeof(**file));
    for (; *nr < names.nr && !result; ++*nr) {
        char *path = xasprintf("%s/%s.json", folder, names.v[*nr]);

        result = list_file(path, &table, &(*file)[*nr], err);
        free(path);
    }
    if (result) {
        metric_files_release(*file, *nr);
        *file = NULL;
        *nr = 0;
    }
    cpu_table_release(&table);
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
