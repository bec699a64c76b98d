/* Definition files: by name, by path, by the CPU they recognise. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/near.h"
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
        bool told, yes;

        if (traffic_cpu_recognised(&row, NULL, &told, &yes, err))
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

static int read_set(const char *path, struct metric_set **set, struct error *err)
{
    *set = xcalloc(1, sizeof(**set));
    (*set)->path = xstrdup(path);
    if (read_into(path, *set, 0, err) == 0 && metric_links_make(*set, err) == 0)
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

static bool is_of(const json_t *recognise, const char *file, const char *cpu)
{
    struct json_at top = json_top(file, recognise);
    bool yes = false, told = false;

    for (size_t i = 0; !yes && i < json_array_size(recognise); i++) {
        struct json_at row = json_element(&top, i);

        if (traffic_cpu_recognised(&row, cpu, &told, &yes, NULL))
            yes = false;
    }
    return yes && told;
}

/* Does the text name a CPU? */
static bool is_told(const char *cpu)
{
    json_t *any = json_object();
    struct json_at row = json_top("", any);
    bool told = false, yes;

    traffic_cpu_recognised(&row, cpu, &told, &yes, NULL);
    json_decref(any);
    return told;
}

enum metric_cpu metric_set_cpu(const struct metric_set *set, const char *cpu)
{
    if (is_of(set->recognise, set->path, cpu))
        return METRIC_CPU_SAME;
    return set->recognise && is_told(cpu) ? METRIC_CPU_OTHER : METRIC_CPU_NOT_TOLD;
}

/* Calls `use` for the heading of each shipped file until it gives other than 0. */
static int each_file(int (*use)(void *with, const char *path, const struct json_at *top,
                                struct error *err),
                     void *with, struct error *err)
{
    struct strvec names = {0};
    char *folder = NULL;
    int result = shipped_names(folder_name, &names, &folder, err);

    for (size_t i = 0; i < names.nr && !result; i++) {
        char *file = xasprintf("%s/%s.json", folder, names.v[i]);
        json_t *root = NULL;

        result = json_read_file(file, schema, &root, err);
        if (!result) {
            struct json_at top = json_top(file, root);
            result = use(with, file, &top, err);
        }
        json_decref(root);
        free(file);
    }
    strvec_release(&names);
    free(folder);
    return result;
}

struct wanted {
    const char *cpu;
    char *path;
};

static int take_recognised(void *with, const char *path, const struct json_at *top,
                           struct error *err)
{
    struct wanted *wanted = with;

    (void)err;
    if (is_of(json_object_get(top->node, "recognise"), path, wanted->cpu))
        wanted->path = xstrdup(path);
    return wanted->path != NULL;
}

static int load_recognised(const char *cpu, struct metric_set **set, struct error *err)
{
    struct wanted wanted = {.cpu = cpu};
    int result = each_file(take_recognised, &wanted, err);

    if (result >= 0 && !wanted.path)
        result = fail(err, STATUS_MISSING,
                      is_told(cpu)
                          ? "no metrics are defined for this CPU; --cpu takes another "
                            "one's name or a definition file (docs/metrics.md)"
                          : "what CPU it is cannot be told; --cpu names one "
                            "(docs/metrics.md)");
    else if (result > 0)
        result = read_set(wanted.path, set, err);
    free(wanted.path);
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

struct file_list {
    struct metric_file *file;
    size_t nr, alloc;
};

static int list_file(void *with, const char *path, const struct json_at *top,
                     struct error *err)
{
    struct file_list *list = with;
    const char *name, *title;

    (void)path;
    if (json_string_at(top, "name", &name, err) ||
        json_string_at(top, "title", &title, err))
        return -1;
    GROW(list->file, list->nr + 1, list->alloc);
    list->file[list->nr++] = (struct metric_file){.name = xstrdup(name),
                                                  .title = xstrdup(title),
                                                  .common = !json_has(top, "recognise")};
    return 0;
}

int metric_files(struct metric_file **file, size_t *nr, struct error *err)
{
    struct file_list list = {0};
    int result = each_file(list_file, &list, err);

    *file = list.file;
    *nr = list.nr;
    if (result) {
        metric_files_release(list.file, list.nr);
        *file = NULL;
        *nr = 0;
    }
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
