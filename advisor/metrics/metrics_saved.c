#include "advisor/metrics/metrics_saved.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "advisor/metrics/metrics_cpu.h"

/* ---- the definitions ---- */

/* NULL = nothing is shipped under that name. Caller frees. */
static char *shipped_definition(const char *name)
{
    char *relative = xasprintf("rules/metrics/%s.json", name), *path = NULL;
    shipped_path(relative, &path, NULL);
    free(relative);
    return path;
}

bool metrics_definition_is_own(const struct metric_set *set)
{
    char *shipped = shipped_definition(set->name);
    bool own = !shipped || strcmp(shipped, set->path) != 0;
    free(shipped);
    return own;
}

/* The files of the set, then that of the kernel's events where some were counted. */
static void add_files(const struct metrics_column *column, struct strvec *out)
{
    char *software = shipped_definition(metrics_software);
    strvec_push_all(out, &column->set->file);
    if (software && metrics_counts_software(column))
        strvec_push_once(out, software);
    free(software);
}

char *metrics_definition_hash(const struct metrics_column *column)
{
    struct strvec file = {0};
    struct buf text = {0};
    int status = 0;
    add_files(column, &file);
    for (size_t i = 0; i < file.nr && !status; i++)
        status = file_read(file.v[i], &text, NULL);
    char *hash = status ? NULL : sha256_hex(buf_str(&text), text.length);
    buf_release(&text);
    strvec_release(&file);
    return hash;
}

void metrics_saved_compare(const struct metrics_saved_column *then,
                           struct metrics_column *now)
{
    char *hash = metrics_definition_hash(now);
    if (then->sha256 && hash && strcmp(then->sha256, hash) != 0)
        strvec_pushf(&now->note,
                     "'%s' was computed with other definitions than '%s' has now: the "
                     "values may differ from those that it holds",
                     now->origin, now->set->name);
    free(hash);
}

/* ---- the document ---- */

static int read_runs(const struct json_at *at, struct metrics_saved_column *column,
                     struct error *err)
{
    struct json_at runs = {0};
    size_t nr = 0;
    if (json_array_at(at, "runs", &runs, &nr, err))
        return -1;
    if (!nr)
        return json_fail(&runs, err, "there are no counts in it");
    column->run = xcalloc(nr, sizeof(*column->run));
    for (; column->run_nr < nr; column->run_nr++) {
        struct json_at one = json_element(&runs, column->run_nr);
        if (count_set_from_json(&one, &column->run[column->run_nr], err))
            return -1;
    }
    return 0;
}

static int read_definition(const struct json_at *at, struct metrics_saved_column *column,
                           struct error *err)
{
    struct json_at definition = {0};
    const char *name = NULL, *path = NULL, *hash = NULL;
    if (json_object_at(at, "definition", &definition, err) ||
        json_string_at(&definition, "name", &name, err) ||
        (json_has(&definition, "path") &&
         json_string_at(&definition, "path", &path, err)) ||
        (json_has(&definition, "sha256") &&
         json_string_at(&definition, "sha256", &hash, err)))
        return -1;
    column->definition = xstrdup(path ? path : name);
    column->sha256 = xstrdup(hash);
    return 0;
}

static int read_given(const struct json_at *at, struct metrics_saved_column *column,
                      struct error *err)
{
    struct json_at given = {0};
    if (!json_has(at, "given"))
        return 0;
    if (json_object_at(at, "given", &given, err))
        return -1;
    for (const char *const *name = metric_given_names; *name; name++) {
        if (!json_has(&given, *name))
            continue;
        struct metric_given *one = &column->given[column->given_nr++];
        one->name = *name;
        if (json_quantity_at(&given, *name, &one->value, err))
            return -1;
    }
    return 0;
}

static int read_column(const struct json_at *at, struct metrics_saved_column *column,
                       struct error *err)
{
    const char *label = NULL;
    if (json_string_at(at, "label", &label, err) || read_definition(at, column, err))
        return -1;
    column->label = xstrdup(label);
    return read_given(at, column, err) || read_runs(at, column, err) ? -1 : 0;
}

static int read_document(const char *path, const json_t *root,
                         struct metrics_saved *saved, struct error *err)
{
    struct json_at top = json_top(path, root), columns = {0};
    size_t nr = 0;
    if (json_array_at(&top, "columns", &columns, &nr, err))
        return -1;
    if (!nr)
        return json_fail(&columns, err, "there are no columns in it");
    saved->column = xcalloc(nr, sizeof(*saved->column));
    for (; saved->nr < nr;) {
        struct json_at one = json_element(&columns, saved->nr);
        if (read_column(&one, &saved->column[saved->nr++], err))
            return -1;
    }
    return 0;
}

/* A pipe can be read once only: what it holds is counts. */
static bool is_lasting(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

int metrics_saved_read(const char *path, struct metrics_saved *saved, bool *is_saved,
                       struct error *err)
{
    json_t *root = NULL;
    *is_saved = false;
    if (!is_lasting(path) || json_read_file(path, NULL, &root, NULL))
        return 0;
    const char *schema = json_string_value(json_object_get(root, "schema"));
    *is_saved = schema && !strcmp(schema, "inflight.metrics-result/1");
    int status = *is_saved ? read_document(path, root, saved, err) : 0;
    json_decref(root);
    return status;
}

void metrics_saved_release(struct metrics_saved *saved)
{
    for (size_t i = 0; i < saved->nr; i++) {
        struct metrics_saved_column *column = &saved->column[i];
        for (size_t k = 0; k < column->run_nr; k++)
            count_set_release(&column->run[k]);
        free(column->run);
        free(column->label);
        free(column->definition);
        free(column->sha256);
    }
    free(saved->column);
    *saved = (struct metrics_saved){0};
}
