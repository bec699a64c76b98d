#include "core/traffic/counters/perf.h"

#include <stdlib.h>
#include <string.h>

char *perf_pmu_line(const char *devices, const char *pmu, const char *folder,
                    const char *name)
{
    char *path =
        xasprintf("%s/%s/%s%s%s", devices, pmu, folder, *folder ? "/" : "", name);
    struct buf text = {0};
    char *line = NULL;

    if (file_read(path, &text, NULL) == 0)
        line = xstrndup(buf_str(&text), strcspn(buf_str(&text), "\n"));
    buf_release(&text);
    free(path);
    return line;
}

/* Puts the value's low bits where the format says: "config1:0-7,32-35". */
static int place_bits(const char *format, uint64_t value, struct perf_code *code)
{
    const char *at = strchr(format, ':');
    int word = strncmp(format, "config1:", 8) == 0   ? 1
               : strncmp(format, "config2:", 8) == 0 ? 2
                                                     : 0;
    long low, high;
    int read;

    if (!at || strncmp(format, "config", 6) != 0)
        return -1;
    for (at++; (read = range_next(&at, &low, &high)) > 0 && high <= 63;)
        for (long bit = low; bit <= high; bit++, value >>= 1)
            code->config[word] |= (value & 1) << bit;
    return read || value ? -1 : 0;
}

static int place_term(const char *devices, const char *pmu, const char *term,
                      struct perf_code *code, struct error *err)
{
    size_t length = strcspn(term, "=");
    char *name = xstrndup(term, length), *end = NULL, *format;
    uint64_t value = term[length] ? strtoull(term + length + 1, &end, 0) : 1;
    int result = -1;

    format = perf_pmu_line(devices, pmu, "format", name);
    if (end && (*end || end == term + length + 1))
        fail(err, STATUS_INPUT, "'%s' is not a number", term + length + 1);
    else if (format)
        result = place_bits(format, value, code);
    else if (strncmp(name, "config", 6) == 0 && strchr("12", name[6]) &&
             strlen(name) < 8) {
        code->config[name[6] ? name[6] - '0' : 0] |= value;
        result = 0;
    }
    if (result)
        fail(err, STATUS_MISSING, "the PMU '%s' has no '%s' that takes this value", pmu,
             name);
    free(format);
    free(name);
    return result;
}

static int place_terms(const char *devices, const char *pmu, const char *terms,
                       struct perf_code *code, struct error *err)
{
    int result = 0;

    while (result == 0 && *terms) {
        size_t length = strcspn(terms, ",");
        char *term = xstrndup(terms, length);

        result = place_term(devices, pmu, term, code, err);
        free(term);
        terms += length + (terms[length] == ',');
    }
    return result;
}

/* A name of the PMU's folder of events stands for its terms. */
static int place_event(const char *devices, const char *pmu, const char *text,
                       struct perf_code *code, struct error *err)
{
    char *terms =
        strpbrk(text, "=,") ? NULL : perf_pmu_line(devices, pmu, "events", text);
    int result = place_terms(devices, pmu, terms ? terms : text, code, err);

    free(terms);
    return result;
}

static int find_type(const char *devices, const char *pmu, struct perf_code *code,
                     struct error *err)
{
    char *type = perf_pmu_line(devices, pmu, "", "type");

    if (!type)
        return fail(err, STATUS_MISSING, "the kernel shows no PMU '%s' here", pmu);
    code->type = (uint32_t)strtoul(type, NULL, 10);
    free(type);
    return 0;
}

bool perf_terms_is(const char *event)
{
    const char *slash = strchr(event, '/');

    return slash && slash > event && slash[1] && event[strlen(event) - 1] == '/';
}

int perf_terms_find(const char *devices, const char *event, struct perf_code *code,
                    struct error *err)
{
    size_t length = strcspn(event, "/");
    char *pmu = xstrndup(event, length);
    char *text = xstrndup(event + length + 1, strcspn(event + length + 1, "/"));
    int result;

    *code = (struct perf_code){0};
    result =
        find_type(devices, pmu, code, err) || place_event(devices, pmu, text, code, err);
    free(pmu);
    free(text);
    return result ? -1 : 0;
}
