#include "advisor/cluster/kinds.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/report/report_nodes.h"
#include "advisor/report/report_read.h"
#include "core/base.h"

static bool name_is_taken(const struct kinds *kinds, const char *name)
{
    for (size_t i = 0; i < kinds->nr; i++)
        if (!strcmp(kinds->item[i].name, name))
            return true;
    return false;
}

static char *free_name(const struct kinds *kinds, const json_t *hello, long long cores)
{
    char *name = xasprintf("%s-%lldc", report_word(hello, "cpu"), cores);
    for (int nr = 2; name_is_taken(kinds, name); nr++) {
        free(name);
        name = xasprintf("%s-%lldc-%d", report_word(hello, "cpu"), cores, nr);
    }
    return name;
}

struct kind *kinds_of(struct kinds *kinds, const char *folder, const json_t *hello)
{
    const char *key = report_word(hello, "kind");
    for (size_t i = 0; i < kinds->nr; i++)
        if (!strcmp(kinds->item[i].key, key))
            return &kinds->item[i];
    long long cores = json_integer_value(json_object_get(hello, "cores"));
    char *name = free_name(kinds, hello, cores);
    GROW(kinds->item, kinds->nr + 1, kinds->alloc);
    struct kind *kind = &kinds->item[kinds->nr++];
    *kind =
        (struct kind){.name = name,
                      .model = xstrdup(report_word(hello, "cpu_model")),
                      .key = xstrdup(key),
                      .folder = xasprintf("%s/kind-%s.%ld", folder, name, (long)getpid()),
                      .cores = cores};
    return kind;
}

void kinds_release(struct kinds *kinds)
{
    for (size_t i = 0; i < kinds->nr; i++) {
        struct kind *kind = &kinds->item[i];
        free(kind->name);
        free(kind->model);
        free(kind->key);
        free(kind->folder);
        free(kind->trouble);
        strvec_release(&kind->worker);
        strvec_release(&kind->job);
        free(kind->winner);
        json_decref(kind->told);
        json_decref(kind->report);
    }
    free(kinds->item);
}

json_t *kinds_json(const struct kinds *kinds)
{
    json_t *list = json_array();
    for (size_t i = 0; i < kinds->nr; i++) {
        const struct kind *kind = &kinds->item[i];
        char *slow = report_slow_node(kind->report),
             *scatter = report_scatter(kind->report);
        json_t *entry = json_pack(
            "{s:s, s:s, s:I, s:I, s:o, s:o, s:o}", "name", kind->name, "cpu_model",
            kind->model, "cores", (json_int_t)kind->cores, "workers",
            (json_int_t)kind->worker.nr, "trouble", text_json(kind->trouble), "scatter",
            text_json(scatter), "slow_node", text_json(slow));
        if (kind->report)
            json_object_set(entry, "report", kind->report);
        json_array_append_new(list, entry);
        free(slow);
        free(scatter);
    }
    struct strvec sentences = {0};
    kinds_sentences(kinds, &sentences);
    json_t *comparison = json_strvec(&sentences);
    strvec_release(&sentences);
    return json_pack("{s:s, s:s, s:o, s:o}", "schema", "inflight.campaign/1", "version",
                     INFLIGHT_VERSION, "kinds", list, "comparison", comparison);
}
