#include "advisor/cli/cli.h"

#include "advisor/cli/settings.h"
#include "core/base/buf.h"
#include "core/run/run.h"

const char *const pages_words[] = {"small", "huge", NULL};

#define X(name, word) word,
const char *const start_words[] = {RUN_START_MAP(X) NULL};
const char *const background_words[] = {RUN_BACKGROUND_MAP(X) NULL};
#undef X

static const char *const start_text[] = {
    [RUN_START_WARM] = "caches as earlier calls left them",
    [RUN_START_COLD_DATA] = "data cold",
    [RUN_START_COLD_CODE] = "code cold",
    [RUN_START_COLD] = "data and code cold",
};

static const char *const background_text[] = {
    [RUN_BACKGROUND_IDLE] = "other cores idle",
    [RUN_BACKGROUND_ARITHMETIC] = "arithmetic on other cores",
    [RUN_BACKGROUND_MEMORY] = "memory load from other cores",
    [RUN_BACKGROUND_DISK] = "disk load from other cores",
};

char *environment_text(const struct settings *settings)
{
    struct buf text = {0};
    buf_addf(&text, "%s; %s; %s",
             settings->pages    ? "huge pages"
             : settings->inputs ? "pages as in the application"
                                : "small pages",
             start_text[settings->start], background_text[settings->background]);
    if (settings->min_of > 1)
        buf_addf(&text, "; a sample is the least of %lld", settings->min_of);
    return buf_detach(&text);
}

json_t *environment_json(const struct settings *settings)
{
    return json_pack("{s:s, s:s, s:s, s:I}", "pages", pages_words[settings->pages],
                     "start", start_words[settings->start], "background",
                     background_words[settings->background], "minimum_of",
                     (json_int_t)(settings->min_of > 1 ? settings->min_of : 1));
}
