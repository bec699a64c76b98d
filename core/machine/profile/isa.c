/* Which processor this is, as /proc/cpuinfo names it, and which of its instruction sets a
 * compiler was allowed to use. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/machine/machine.h"
#include "core/machine/topology/arch.h"

/* A line of flags is about 2000 characters on present machines. */
enum { VALUE_MAX = 16384 };

static char *value(const char *key)
{
    char *text = xcalloc(VALUE_MAX, 1);
    if (cpuinfo_value(key, text, VALUE_MAX))
        return text;
    free(text);
    return NULL;
}

static char *first_of(const char *a, const char *b)
{
    char *text = value(a);
    return text ? text : value(b);
}

/* Which lines an architecture has. */
static const struct {
    const char *architecture, *vendor, *first, *second, *features;
} systems[] = {
    {"x86_64", "vendor_id", "cpu family", "model", "flags"},
    {"aarch64", "CPU implementer", "CPU implementer", "CPU part", "Features"},
};

void machine_processor_here(struct machine_processor *out)
{
    *out = (struct machine_processor){.architecture = "other"};
    for (size_t i = 0; i < ARRAY_SIZE(systems); i++) {
        char *features = value(systems[i].features), *second = value(systems[i].second);
        if (features && second) {
            out->architecture = systems[i].architecture;
            out->vendor = value(systems[i].vendor);
            out->first = value(systems[i].first);
            out->second = xstrdup(second);
            out->name = first_of("model name", "CPU part");
            strvec_split(&out->features, features);
            i = ARRAY_SIZE(systems);
        }
        free(features);
        free(second);
    }
}

void machine_processor_release(struct machine_processor *processor)
{
    free(processor->vendor);
    free(processor->first);
    free(processor->second);
    free(processor->name);
    strvec_release(&processor->features);
    *processor = (struct machine_processor){0};
}

/* "#define __AVX2__ 1" in a line of its own; defined as 0 is not there. */
static bool is_defined(const char *macros, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = macros; (at = strstr(at, name)); at += length) {
        static const char before[] = "#define ";
        size_t skip = sizeof(before) - 1;
        bool begins = (size_t)(at - macros) >= skip && !strncmp(at - skip, before, skip);
        if (begins && at[length] == ' ' && at[length + 1] != '0')
            return true;
    }
    return false;
}

int machine_isa(const struct machine_processor *processor, const char *macros,
                struct strvec *used, struct error *err)
{
    char *path = NULL;
    json_t *root = NULL;
    const char *macro;
    json_t *word;
    int status = shipped_path("core/machine/data/isa.json", &path, err);
    if (!status)
        status = json_read_file(path, "inflight.isa/1", &root, err);
    json_object_foreach(json_object_get(root, processor->architecture), macro, word)
    {
        const char *feature = json_string_value(word);
        if (feature && is_defined(macros, macro) &&
            strvec_has(&processor->features, feature) && !strvec_has(used, feature))
            strvec_push(used, feature);
    }
    json_decref(root);
    free(path);
    return status;
}

bool machine_processor_has(const struct machine_processor *processor,
                           const struct strvec *features, struct buf *lacking)
{
    size_t before = lacking->length;
    for (size_t i = 0; i < features->nr; i++)
        if (!strvec_has(&processor->features, features->v[i]))
            buf_addf(lacking, "%s%s", lacking->length > before ? ", " : "",
                     features->v[i]);
    return lacking->length == before;
}
