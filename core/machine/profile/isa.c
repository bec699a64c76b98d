/* Which processor this is, as /proc/cpuinfo names it, and which of its instruction sets a
 * compiler was allowed to use. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/cpu/cpu.h"
#include "core/machine/machine.h"

/* Which lines an architecture has. */
static const struct {
    const char *architecture, *vendor, *first, *second, *features;
} systems[] = {
    {"x86_64", "vendor_id", "cpu family", "model", "flags"},
    {"aarch64", "CPU implementer", "CPU implementer", "CPU part", "Features"},
};

void machine_processor_here(struct machine_processor *out)
{
    struct buf text = {0};
    const char *cpu;

    *out = (struct machine_processor){.architecture = "other"};
    cpuinfo_read(&text, NULL);
    cpu = buf_str(&text);
    for (size_t i = 0; i < ARRAY_SIZE(systems); i++) {
        char *features = cpuinfo_field(cpu, systems[i].features),
             *second = cpuinfo_field(cpu, systems[i].second);
        if (features && second) {
            out->architecture = systems[i].architecture;
            out->vendor = cpuinfo_field(cpu, systems[i].vendor);
            out->first = cpuinfo_field(cpu, systems[i].first);
            out->second = xstrdup(second);
            out->name = cpuinfo_field(cpu, "model name");
            if (!out->name)
                out->name = cpuinfo_field(cpu, "CPU part");
            strvec_split(&out->features, features);
            i = ARRAY_SIZE(systems);
        }
        free(features);
        free(second);
    }
    buf_release(&text);
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
    json_object_foreach(json_object_get(root, processor->architecture), macro, word) {
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
