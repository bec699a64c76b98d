/* Which kind of file it is, what is put right before it is read, and what all readers
 * check alike. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/store/exchange_parts.h"

/* ---- csv ---- */

/* One row a result, after RFC 4180. */

static void add_number(struct buf *out, double value)
{
    if (!isnan(value))
        buf_addf(out, "%.15g", value);
}

/* The figures of all results: "bandwidth_GB/s". */
static void find_figures(const struct exchange_space *space, struct strvec *names,
                         struct strvec *titles)
{
    for (size_t i = 0; i < space->result_nr; i++)
        for (size_t k = 0; k < space->result[i].figure_nr; k++) {
            const struct exchange_figure *figure = &space->result[i].figure[k];
            size_t at = 0;
            while (at < names->nr && strcmp(names->v[at], figure->name) != 0)
                at++;
            if (at < names->nr)
                continue;
            strvec_push(names, figure->name);
            strvec_pushf(titles, "%s%s%s", figure->name, *figure->unit ? "_" : "",
                         figure->unit);
        }
}

static void add_head(const struct exchange_space *space, const struct strvec *titles,
                     struct buf *out)
{
    for (size_t i = 0; i < space->parameter_nr; i++) {
        csv_add(out, space->parameter[i].name);
        buf_add(out, ",");
    }
    buf_add(out, "invalidity,correctness,time_ms,samples");
    for (unsigned i = 0; i < EXCHANGE_PHASE_NR; i++)
        buf_addf(out, ",%s_ms", exchange_phase_t4(i));
    for (size_t i = 0; i < titles->nr; i++) {
        buf_add(out, ",");
        csv_add(out, titles->v[i]);
    }
    buf_add(out, ",timestamp,plan\r\n");
}

static void add_configuration(const struct exchange_result *result, struct buf *out)
{
    const char *name;
    json_t *value;
    json_object_foreach(result->configuration, name, value) {
        json_t *one = json_pack("{s:O}", name, value);
        char *text = exchange_key(one);
        csv_add(out, text);
        buf_add(out, ",");
        free(text);
        json_decref(one);
    }
}

static void add_row(const struct exchange_result *result, const struct strvec *names,
                    struct buf *out)
{
    const char *plan = json_string_value(json_object_get(result->extra, "plan"));
    add_configuration(result, out);
    buf_addf(out, "%s,", exchange_outcome_word(result->outcome));
    add_number(out, result->correctness);
    buf_add(out, ",");
    add_number(out, result->time_s * 1e3);
    buf_addf(out, ",%zu", result->sample_nr);
    for (int i = 0; i < EXCHANGE_PHASE_NR; i++) {
        buf_add(out, ",");
        add_number(out, result->phase_s[i] * 1e3);
    }
    for (size_t i = 0; i < names->nr; i++) {
        buf_add(out, ",");
        add_number(out, exchange_figure(result, names->v[i]));
    }
    buf_add(out, ",");
    csv_add(out, result->timestamp ? result->timestamp : "");
    buf_add(out, ",");
    csv_add(out, plan ? plan : "");
    buf_add(out, "\r\n");
}

static void exchange_write_csv(const struct exchange_space *space, struct buf *out)
{
    struct strvec names = {0}, titles = {0};
    find_figures(space, &names, &titles);
    add_head(space, &titles, out);
    for (size_t i = 0; i < space->result_nr; i++)
        add_row(&space->result[i], &names, out);
    strvec_release(&names);
    strvec_release(&titles);
}

/* ---- exchange file ---- */

/* ---- formats ---- */

static const struct {
    const char *word, *meaning;
} formats[] = {
#define X(name, word, meaning) [EXCHANGE_FORMAT_##name] = {word, meaning},
    EXCHANGE_FORMAT_MAP(X)
#undef X
};

const char *exchange_format_word(enum exchange_format format)
{
    return formats[format].word;
}

int exchange_format_from_word(const char *word, enum exchange_format *format,
                              struct error *err)
{
    struct buf all = {0};
    for (unsigned i = 0; i < EXCHANGE_FORMAT_NR; i++) {
        buf_addf(&all, "%s%s (%s)", i ? ", " : "", formats[i].word, formats[i].meaning);
        if (strcmp(formats[i].word, word))
            continue;
        buf_release(&all);
        *format = i;
        return 0;
    }
    fail(err, STATUS_USAGE, "unknown format '%s'; there are %s", word, buf_str(&all));
    buf_release(&all);
    return -1;
}

/* ---- what it is ---- */

/* Documents that are taken for results, by a key that only they have. */
static const struct {
    const char *key, *what;
} strangers[] = {
    {"ConfigurationSpace",
     "a T1 problem: it says what may be tuned and holds no results"},
    {"Results", "KTT's own output, which is not read: convert it to T4"},
    {"schema", "a document of inflight; 'inflight advise --measurement' explains a saved "
               "measurement, sessions are in the database"},
    {"hardware", "metadata of a machine: it holds no results"},
};

static int recognise(const struct json_at *top, enum exchange_format *format,
                     struct error *err)
{
    if (!json_is_object(top->node))
        return json_fail(top, err,
                         "expected an object with \"results\" (T4) or \"cache\" (Kernel "
                         "Tuner)");
    if (json_has(top, "results"))
        *format = EXCHANGE_FORMAT_T4;
    else if (json_has(top, "cache"))
        *format = EXCHANGE_FORMAT_KERNEL_TUNER;
    if (*format != EXCHANGE_FORMAT_NR)
        return 0;
    for (size_t i = 0; i < ARRAY_SIZE(strangers); i++)
        if (json_has(top, strangers[i].key))
            return json_fail(top, err, "this is %s", strangers[i].what);
    return json_fail(top, err,
                     "this is neither T4 results, which have \"results\", nor a cache "
                     "file of Kernel Tuner, which has \"cache\"");
}

/* ---- cache files that were not closed ---- */

/*
 * Kernel Tuner appends one entry after the other, each with a comma behind it, and closes
 * the two objects only at the end: a run that was stopped leaves them open. NULL when the
 * text is none of this kind. Caller frees.
 */
static char *close_cache(const struct buf *text)
{
    size_t length = text->length;
    while (length && isspace((unsigned char)text->data[length - 1]))
        length--;
    if (length && text->data[length - 1] == ',')
        length--;
    if (!length || text->data[0] != '{' || !strstr(text->data, "\"cache\""))
        return NULL;
    return xasprintf("%.*s}\n}", (int)length, text->data);
}

static int parse(const char *path, const struct buf *text, json_t **root, char **note,
                 struct error *err)
{
    if (!json_read_text(buf_str(text), path, NULL, root, err))
        return 0;
    char *closed = text->length ? close_cache(text) : NULL;
    if (!closed)
        return -1;
    int status = json_read_text(closed, path, NULL, root, NULL);
    free(closed);
    if (status)
        return -1;
    error_clear(err);
    *note = xasprintf("the tuning that wrote '%s' did not end: its last two braces are "
                      "missing; what is there was read",
                      path);
    return 0;
}

static int read_as(const struct json_at *top, enum exchange_format format,
                   struct exchange_space *out, struct error *err)
{
    if (!json_is_object(top->node))
        return json_fail(top, err, "expected an object");
    return format == EXCHANGE_FORMAT_T4 ? exchange_read_t4(top, out, err)
                                        : exchange_read_kernel_tuner(top, out, err);
}

int exchange_read(const char *path, enum exchange_format *format,
                  struct exchange_space *out, char **note, struct error *err)
{
    struct buf text = {0};
    json_t *root = NULL;
    *out = (struct exchange_space){0};
    *note = NULL;
    if (*format == EXCHANGE_FORMAT_CSV)
        return fail(err, STATUS_USAGE,
                    "csv is only written; t4 and kernel-tuner are read as well");
    int status = file_read_gz(path, &text, err);
    if (!status && memchr(buf_str(&text), 0, text.length))
        status = fail(err, STATUS_INPUT, "'%s' is not text", path);
    if (!status)
        status = parse(path, &text, &root, note, err);
    buf_release(&text);
    struct json_at top = json_top(path, root);
    if (!status && *format == EXCHANGE_FORMAT_NR)
        status = recognise(&top, format, err);
    if (!status)
        status = read_as(&top, *format, out, err);
    json_decref(root);
    if (!status)
        return 0;
    exchange_space_release(out);
    free(*note);
    *note = NULL;
    return -1;
}

/* ---- what all readers check ---- */

struct json_at exchange_child(const struct json_at *object, const char *key)
{
    return (struct json_at){.file = object->file,
                            .node = json_object_get(object->node, key),
                            .parent = object,
                            .key = key};
}

int exchange_time_here(const struct json_at *at, double unit_s, double *out,
                       struct error *err)
{
    double number = 0;
    if (json_number_here(at, 0, EXCHANGE_TIME_MAX_S / unit_s, &number, err))
        return -1;
    *out = number * unit_s;
    return 0;
}

int exchange_samples(const struct json_at *at, double unit_s, struct exchange_result *out,
                     struct error *err)
{
    if (!json_is_array(at->node))
        return json_fail(at, err, "expected an array of times");
    size_t nr = json_array_size(at->node);
    out->sample_s = xcalloc(nr + 1, sizeof(*out->sample_s));
    for (size_t i = 0; i < nr; i++) {
        struct json_at one = json_element(at, i);
        if (exchange_time_here(&one, unit_s, &out->sample_s[i], err))
            return -1;
        out->sample_nr++;
    }
    return 0;
}

int exchange_check_configuration(const struct json_at *at, struct error *err)
{
    const char *name;
    json_t *value;
    if (!json_is_object(at->node) || !json_object_size(at->node))
        return json_fail(at, err, "expected an object with the values of parameters");
    json_object_foreach((json_t *)at->node, name, value) {
        struct json_at place = exchange_child(at, name);
        if (json_is_object(value) || json_is_array(value))
            return json_fail(&place, err, "expected a number, a string, true or false");
    }
    return 0;
}

/* ---- writing ---- */

static int check_keys(const struct exchange_space *space, struct error *err)
{
    json_t *seen = json_object();
    int status = 0;
    for (size_t i = 0; i < space->result_nr && !status; i++) {
        char *key = exchange_key(space->result[i].configuration);
        if (json_object_get(seen, key))
            status = fail(err, STATUS_INPUT,
                          "two results have the same values of all parameters: %s", key);
        json_object_set_new(seen, key, json_true());
        free(key);
    }
    json_decref(seen);
    return status;
}

int exchange_text(const struct exchange_space *space, enum exchange_format format,
                  struct buf *out, struct error *err)
{
    if (check_keys(space, err))
        return -1;
    if (format == EXCHANGE_FORMAT_KERNEL_TUNER)
        return exchange_write_kernel_tuner(space, out, err);
    if (format == EXCHANGE_FORMAT_T4)
        exchange_write_t4(space, out);
    else
        exchange_write_csv(space, out);
    return 0;
}
