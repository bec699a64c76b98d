/* A text of counts: which tool wrote it, and all that it holds. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base.h"
#include "core/traffic/counts/counts.h"
#include "core/traffic/traffic.h"

static bool line_starts(const char *text, const char *start)
{
    size_t length = strlen(start);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, start, length))
            return true;
    }
    return false;
}

static bool first_row_is_perf(const char *text)
{
    struct csv_lines lines = {.rest = text};
    struct strvec field = {0};
    bool found = false;
    while (csv_next(&lines)) {
        const char *line = buf_str(&lines.line);
        if (csv_is_blank(line) || *line == '#')
            continue;
        csv_fields(line, csv_separator(line), &field);
        found = counts_is_perf_row(&field);
        break;
    }
    strvec_release(&field);
    buf_release(&lines.line);
    return found;
}

static int refuse(const char *name, const char *text, struct error *err)
{
    if (csv_is_blank(text))
        return fail(err, STATUS_INPUT, "'%s' is empty: it holds no counts", name);
    if (strstr(text, "Performance counter stats for") ||
        strstr(text, "counts unit events"))
        return fail(err, STATUS_INPUT,
                    "'%s' holds perf's table for people; 'perf stat -x,' and 'perf stat "
                    "-j' write what can be read here",
                    name);
    if (line_starts(text, "TABLE,") || line_starts(text, "+--") ||
        line_starts(text, "# HWThreads"))
        return fail(err, STATUS_INPUT,
                    "'%s' is LIKWID's: of what 'likwid-perfctr -O' prints, "
                    "'inflight-exchange FILE -o counts.json' makes what can be read here",
                    name);
    return 0;
}

static int read_json(const char *name, const char *text, struct count_set *set,
                     struct error *err)
{
    json_t *root = NULL;
    if (strstr(text, "\"counter-value\"") || strstr(text, "\"metric-value\""))
        return counts_read_perf(name, text, true, set, err);
    if (json_read_text(text, name, "inflight.counts/1", &root, err))
        return -1;
    struct json_at at = json_top(name, root);
    int status = count_set_from_json(&at, set, err);
    json_decref(root);
    return status;
}

static int read_form(const char *name, const char *text, struct count_set *set,
                     struct error *err)
{
    if (refuse(name, text, err))
        return -1;
    if (text[strspn(text, " \t\r\n")] == '{' || line_starts(text, "{\""))
        return read_json(name, text, set, err);
    return first_row_is_perf(text) ? counts_read_perf(name, text, false, set, err)
                                   : counts_read_csv(name, text, set, err);
}

/* Spreadsheets begin a text with it. */
static const char byte_order_mark[] = "\xEF\xBB\xBF";

int count_set_parse(const char *name, const char *text, struct count_set *set,
                    struct error *err)
{
    struct count_set out = {.seconds = quantity_unknown()};
    size_t mark = text_begins(text, byte_order_mark) ? strlen(byte_order_mark) : 0;
    int status = read_form(name, text + mark, &out, err);
    if (!status && !out.count_nr)
        status = fail(err, STATUS_INPUT, "'%s' holds no counts", name);
    if (status)
        count_set_release(&out);
    *set = out;
    return status;
}

int count_set_read(const char *path, struct count_set *set, struct error *err)
{
    struct buf text = {0};
    *set = (struct count_set){.seconds = quantity_unknown()};
    int status = file_read_max(path, GZ_LIMIT_BYTES, &text, err);
    if (!status && strlen(buf_str(&text)) < text.length)
        status = fail(err, STATUS_INPUT, "'%s' is not text%s", path,
                      !strncmp(buf_str(&text), "PERFILE", 7)
                          ? ": it is what 'perf record' writes; counts are what 'perf "
                            "stat -x,' writes"
                          : "");
    if (!status)
        status = count_set_parse(path, buf_str(&text), set, err);
    buf_release(&text);
    return status;
}
