#include "advisor/exchange/exchanged.h"

#include <stdlib.h>
#include <string.h>

#include "search/live/live.h"
#include "search/records/records.h"
#include "search/session/measured.h"
#include "search/session/result.h"
#include "variants/kernel/kernel.h"

static json_t *plain_json(const struct search_result *result)
{
    const struct environment plain = {0};
    json_t *list = json_array();
    for (size_t i = 0; i < result->measurement_nr; i++)
        if (environments_equal(&result->measurement[i].environment, &plain))
            json_array_append_new(list,
                                  dataset_measurement_json(&result->measurement[i]));
    return list;
}

static int write_space(const struct context *bench, const struct dataset_about *about,
                       const struct search_result *result, struct error *err)
{
    json_t *root = dataset_json(about);
    json_object_set_new(root, "measurements", plain_json(result));
    int status = json_write_file(bench->settings->save, root, err);
    json_decref(root);
    return status;
}

int save_space(struct context *bench, const struct search_result *result,
               struct error *err)
{
    const struct settings *settings = bench->settings;
    struct strvec cflags = {0};
    struct buf source = {0};
    if (!settings->save || result->measurement_nr == 0)
        return 0;
    int status = context_cflags(settings, settings->file, &cflags, err);
    if (!status)
        status = file_read(kernel_path(bench->kernel), &source, err);
    struct dataset_about about = {.name = kernel_name(bench->kernel),
                                  .file = path_base(kernel_path(bench->kernel)),
                                  .source = buf_str(&source),
                                  .words = &settings->words,
                                  .cflags = &cflags,
                                  .machine = &bench->machine,
                                  .cores = (int)live_copies(bench->live),
                                  .compiler = bench->toolchain.version,
                                  .flags = &bench->toolchain.flags};
    if (!status)
        status = write_space(bench, &about, result, err);
    if (!status)
        progress_note(&bench->progress,
                      "space written to '%s'; 'inflight tune --replay' searches it",
                      settings->save);
    buf_release(&source);
    strvec_release(&cflags);
    return status;
}
