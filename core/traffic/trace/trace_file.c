#include "core/traffic/trace/trace_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/code/code.h"

/* The lines of a window. */
static const struct {
    const char *name;
    size_t at; /* of a uint64_t, or of an array of one per level */
    bool per_level;
} fields[] = {
#define X(name) {#name, offsetof(struct trace_window, counts.name), false},
    CACHE_COUNT_MAP(X)
#undef X
#define X(name) {#name, offsetof(struct trace_window, counts.name), true},
        CACHE_LEVEL_COUNT_MAP(X)
#undef X
            {"warm", offsetof(struct trace_window, warm), true},
    {"left", offsetof(struct trace_window, left), true},
};

static const char *const end_words[] = {
#define X(name, word) word,
    TRACE_END_MAP(X)
#undef X
};

static int read_numbers(const char *text, uint64_t *value, int nr)
{
    for (int i = 0; i < nr; i++) {
        char *end;

        errno = 0;
        value[i] = strtoull(text, &end, 10);
        if (end == text || errno)
            return -1;
        text = end;
    }
    return *text ? -1 : 0;
}

static int take_end(struct trace_file *file, const char *word)
{
    for (int i = 0; i < TRACE_END_NR; i++)
        if (strcmp(word, end_words[i]) == 0) {
            file->end = (enum trace_end)i;
            return 0;
        }
    return -1;
}

static int take_window(struct trace_file *file, const char *values)
{
    GROW(file->window, file->window_nr + 1, file->window_alloc);
    memset(&file->window[file->window_nr], 0, sizeof(*file->window));
    file->current = &file->window[file->window_nr++];
    return read_numbers(values, &file->current->first, 1);
}

/* The same window in a further cache. */
static int take_other(struct trace_file *file, const char *values)
{
    struct trace_others *others;
    uint64_t value[2];

    if (read_numbers(values, value, 2) || value[0] >= TRACE_OTHERS_MAX)
        return -1;
    others = &file->other[value[0]];
    GROW(others->window, others->nr + 1, others->alloc);
    file->current = &others->window[others->nr++];
    *file->current = (struct trace_window){.first = value[1]};
    return 0;
}

static int take_part(struct trace_file *file, const char *values)
{
    uint64_t value[2];

    if (read_numbers(values, value, 2) || value[0] > file->array.nr)
        return -1;
    GROW(file->part, file->part_nr + 1, file->part_alloc);
    file->part[file->part_nr++] =
        (struct trace_part){.array = (size_t)value[0], .address = value[1]};
    return 0;
}

/* In the order in which tracer_parts_write_window() writes. */
static void take_counts(const uint64_t *value, int level_nr, struct trace_charge *charge)
{
#define X(name) charge->counts.name = *value++;
    CACHE_COUNT_MAP(X)
#undef X
#define X(name)                                                                          \
    memcpy(charge->counts.name, value, (size_t)level_nr * sizeof(*value));               \
    value += level_nr;
    CACHE_LEVEL_COUNT_MAP(X)
#undef X
    memcpy(charge->left, value, (size_t)level_nr * sizeof(*value));
}

static int take_charge(struct trace_file *file, const char *values, int level_nr)
{
#define X(name) +1
    enum { COUNTS = 0 CACHE_COUNT_MAP(X), PER_LEVEL = 1 CACHE_LEVEL_COUNT_MAP(X) };
#undef X
    uint64_t value[1 + COUNTS + PER_LEVEL * CACHE_LEVELS_MAX];
    struct trace_window *window;

    if (file->window_nr == 0 ||
        read_numbers(values, value, 1 + COUNTS + PER_LEVEL * level_nr) ||
        value[0] >= file->part_nr)
        return -1;
    window = &file->window[file->window_nr - 1];
    GROW(window->charge, window->charge_nr + 1, window->charge_alloc);
    window->charge[window->charge_nr] = (struct trace_charge){.part = (size_t)value[0]};
    take_counts(value + 1, level_nr, &window->charge[window->charge_nr++]);
    return 0;
}

static int take_field(struct trace_file *file, const char *name, const char *values,
                      int level_nr)
{
    if (!file->current)
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
        if (strcmp(name, fields[i].name) == 0) {
            char *window = (char *)file->current;

            return read_numbers(values, (uint64_t *)(void *)(window + fields[i].at),
                                fields[i].per_level ? level_nr : 1);
        }
    return -1;
}

static int take_line(struct trace_file *file, char *line, int level_nr)
{
    char *values = strchr(line, ' ');

    if (!values)
        return -1;
    *values++ = '\0';
    if (strcmp(line, "end") == 0)
        return take_end(file, values);
    if (strcmp(line, "call") == 0)
        return read_numbers(values, &file->call, 1);
    if (strcmp(line, "instrumented") == 0)
        return read_numbers(values, &file->instrumented, 1);
    if (strcmp(line, "seen") == 0)
        return read_numbers(values, &file->seen, 1);
    if (strcmp(line, "window") == 0)
        return take_window(file, values);
    if (strcmp(line, "other") == 0)
        return take_other(file, values);
    if (strcmp(line, "array") == 0) {
        strvec_push(&file->array, values);
        return 0;
    }
    if (strcmp(line, "part") == 0)
        return take_part(file, values);
    if (strcmp(line, "charged") == 0)
        return take_charge(file, values, level_nr);
    return take_field(file, line, values, level_nr);
}

static int take_text(struct trace_file *file, char *text, int level_nr, struct error *err)
{
    char *next;

    for (char *line = text; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        if (strcmp(line, "done") == 0 && *next == '\0')
            return 0;
        if (take_line(file, line, level_nr))
            return fail(err, STATUS_FAILED, "unexpected line '%s'", line);
    }
    return fail(err, STATUS_FAILED, "the last line 'done' is missing");
}

int trace_file_read(const char *path, int level_nr, struct trace_file *file,
                    struct error *err)
{
    struct buf text = {0};
    int result = -1;

    *file = (struct trace_file){0};
    if (file_read(path, &text, err) == 0) {
        char *lines = buf_detach(&text);

        result = take_text(file, lines, level_nr, err);
        free(lines);
    }
    buf_release(&text);
    if (result)
        fail_in(err, "what the tracing program wrote ('%s') cannot be used", path);
    return result;
}

void trace_file_places(struct trace_file *file, const char *program)
{
    uint64_t *address = xcalloc(file->part_nr + 1, sizeof(*address));
    struct source_line *line = xcalloc(file->part_nr + 1, sizeof(*line));

    /* Of an address behind a call, the byte before belongs to the call. */
    for (size_t i = 0; i < file->part_nr; i++)
        address[i] = file->part[i].address ? file->part[i].address - 1 : 0;
    source_lines_find(program, address, file->part_nr, line);
    for (size_t i = 0; i < file->part_nr; i++) {
        file->part[i].file = line[i].file;
        file->part[i].line = line[i].line;
    }
    free(address);
    free(line);
}

void trace_file_release(struct trace_file *file)
{
    for (size_t i = 0; i < file->window_nr; i++)
        free(file->window[i].charge);
    for (size_t i = 0; i < file->part_nr; i++)
        free(file->part[i].file);
    for (int i = 0; i < TRACE_OTHERS_MAX; i++)
        free(file->other[i].window);
    strvec_release(&file->array);
    free(file->part);
    free(file->window);
    *file = (struct trace_file){0};
}
