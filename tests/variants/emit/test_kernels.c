/* The suite of kernels in tests/kernels: each is modelled fully, partly or refused with
 * the sentence that its manifest says. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "tests/check.h"
#include "variants/kernel/kernel_parts.h"

SUITE(variants_kernels);

#define TEMPLATES INFLIGHT_SOURCE_DIR "/templates/kernels"

enum { FULL_MIN = 50, KERNELS_MIN = 72, TEMPLATES_MIN = 21 };

static json_t *read_manifest(void)
{
    struct error err = {0};
    json_t *manifest = NULL;

    if (!check_ok(json_read_file(INFLIGHT_SOURCE_DIR "/tests/kernels/manifest.json",
                                 "inflight.kernels/1", &manifest, &err),
                  &err))
        return NULL;
    return manifest;
}

static const char *text_of(const json_t *entry, const char *key)
{
    const char *text = json_string_value(json_object_get(entry, key));

    return text ? text : "";
}

/* NULL when it cannot be run by us: read or supplied. */
static struct kernel *open_kernel(const char *name, struct error *err)
{
    char *path = xasprintf("%s/tests/kernels/%s.c", INFLIGHT_SOURCE_DIR, name);
    struct kernel_request request = {.path = path};
    struct kernel *kernel = NULL;

    if (kernel_open(&request, &kernel, err) == 0 && kernel->unsupplied.status) {
        *err = kernel->unsupplied;
        kernel_free(kernel);
        kernel = NULL;
    }
    free(path);
    return kernel;
}

/* full: every loop is modelled; part: some; none: no loop. `why` gets what was refused.
 */
static const char *modelled(const struct kernel *kernel, const struct error *err,
                            struct buf *why)
{
    size_t yes = 0;

    if (!kernel) {
        buf_add(why, err->text);
        return "none";
    }
    struct model_view view = model_view(kernel->model);
    for (size_t i = 0; i < view.refusal_nr; i++)
        buf_addf(why, "%s%s", i ? "; " : "", view.refusal[i]);
    for (size_t i = 0; i < view.loop_nr; i++) {
        yes += view.loop[i].modelled;
        if (!view.loop[i].modelled && !why->length)
            buf_addf(why, "line %d: loop '%s' is kept as it is", view.loop[i].line,
                     view.loop[i].name);
    }
    return yes == 0 ? "none" : yes < view.loop_nr || view.refusal_nr ? "part" : "full";
}

/* What goes wrong with one kernel, or nothing. Sizes and contents are said, so that it
 * can be run. */
static void judge(const json_t *entry, size_t *full, struct buf *wrong)
{
    const char *name = text_of(entry, "name"), *want = text_of(entry, "model");
    struct error err = {0};
    struct buf why = {0};
    struct kernel *kernel = open_kernel(name, &err);
    const char *got = modelled(kernel, &err, &why);

    *full += !strcmp(got, "full");
    if (strcmp(got, want))
        buf_addf(wrong, "%s: %s instead of %s: %s\n", name, got, want, buf_str(&why));
    else if (!strstr(buf_str(&why), text_of(entry, "sentence")))
        buf_addf(wrong, "%s: '%s' is not said, but: %s\n", name,
                 text_of(entry, "sentence"), buf_str(&why));
    else if (kernel && kernel_bind(kernel, &err))
        buf_addf(wrong, "%s: %s\n", name, err.text);
    kernel_free(kernel);
    buf_release(&why);
}

TEST("each kernel's model")
{
    json_t *manifest = read_manifest(), *entry;
    const json_t *all = json_object_get(manifest, "kernels");
    struct buf wrong = {0};
    size_t i, full = 0;

    json_array_foreach(all, i, entry)
        judge(entry, &full, &wrong);
    check_str(buf_str(&wrong), "");
    check(json_array_size(all) >= KERNELS_MIN);
    check(full >= FULL_MIN);
    buf_release(&wrong);
    json_decref(manifest);
}

/* At least a third cannot be helped, and each class is one of these. */
TEST("classes")
{
    static const char *const known[] = {"order", "prefetch", "hopeless", "other"};
    json_t *manifest = read_manifest(), *entry;
    const json_t *all = json_object_get(manifest, "kernels");
    size_t i, nr[ARRAY_SIZE(known)] = {0}, sum = 0;

    json_array_foreach(all, i, entry) {
        for (size_t k = 0; k < ARRAY_SIZE(known); k++)
            nr[k] += !strcmp(text_of(entry, "class"), known[k]);
    }
    for (size_t k = 0; k < ARRAY_SIZE(known); k++)
        sum += nr[k];
    check_eq(sum, json_array_size(all));
    check(3 * nr[2] >= sum);
    json_decref(manifest);
}

/* Every template opens and says all that is needed to run it, and
 * docs/reference/templates.md has it. */
TEST("each template")
{
    struct buf page = {0};
    struct error err = {0};
    struct dirent **entry = NULL;
    int nr = scandir(TEMPLATES, &entry, NULL, alphasort), kernels = 0;

    check_ok(file_read(INFLIGHT_SOURCE_DIR "/docs/reference/templates.md", &page, &err),
             &err);
    for (int i = 0; i < nr; i++) {
        const char *name = entry[i]->d_name;
        char *path = xasprintf("%s/%s", TEMPLATES, name);
        struct kernel_request request = {.path = path};
        struct kernel *kernel = NULL;

        if (strstr(name, ".c") && check_ok(kernel_open(&request, &kernel, &err), &err)) {
            check_ok(kernel_bind(kernel, &err), &err);
            check_contains(buf_str(&page), name);
            kernels++;
        }
        kernel_free(kernel);
        free(path);
        free(entry[i]);
    }
    check(kernels >= TEMPLATES_MIN);
    free(entry);
    buf_release(&page);
}
