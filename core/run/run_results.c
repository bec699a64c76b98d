#include "core/run/run_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/run/run.h"

enum { file_max_bytes = 1 << 20, words_max = 4 };

/* How far one file has been read: the protocol allows most lines only once. */
struct reader {
    struct copy_results *results;
    size_t samples_max;
    unsigned seen; /* bit i: line kind i has been there */
};

struct line_kind {
    const char *key;
    int word_nr; /* after the key */
    bool repeats;
    bool (*read)(struct reader *reader, char *const *word);
};

void copy_results_release(struct copy_results *results)
{
    free(results->sample);
    free(results->denormal);
    free(results->flush);
    *results = (struct copy_results){0};
}

/* strtod alone would take "", "inf", blanks and rubbish after the number. */
static bool read_number(const char *text, double low, double *number)
{
    char *end;

    if (!strchr("-.0123456789", text[0]))
        return false;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*number) && *number >= low;
}

static bool read_buffers(struct reader *reader, char *const *word)
{
    return read_number(word[0], 0, &reader->results->buffer_bytes);
}

static bool read_huge(struct reader *reader, char *const *word)
{
    return read_number(word[0], -1, &reader->results->huge_bytes);
}

static bool read_warm(struct reader *reader, char *const *word)
{
    return read_number(word[0], 0, &reader->results->warm_s);
}

static bool read_sample(struct reader *reader, char *const *word)
{
    struct copy_results *to = reader->results;
    struct timed_sample sample;

    if (!read_number(word[0], 0, &sample.seconds) || sample.seconds <= 0 ||
        !read_number(word[1], 1, &sample.calls) || sample.calls != floor(sample.calls) ||
        to->sample_nr == reader->samples_max)
        return false;
    sample.disturbed = 0;
    sample.waited_s = 0;
    sample.waits_inside = false;
    GROW(to->sample, to->sample_nr + 1, to->sample_alloc);
    to->sample[to->sample_nr++] = sample;
    return true;
}

/* Of the sample before it, once. */
static bool read_disturbed(struct reader *reader, char *const *word)
{
    struct copy_results *to = reader->results;
    double bits;

    if (!read_number(word[0], 1, &bits) || bits > RUN_DISTURBED_ALL ||
        bits != floor(bits) || to->sample_nr == 0 ||
        to->sample[to->sample_nr - 1].disturbed)
        return false;
    to->sample[to->sample_nr - 1].disturbed = (unsigned)bits;
    return true;
}

/* Likewise. Within the sample's time it is no longer than that. */
static bool read_waited(struct reader *reader, char *const *word)
{
    struct copy_results *to = reader->results;
    struct timed_sample *sample = to->sample_nr ? &to->sample[to->sample_nr - 1] : NULL;
    bool inside = strcmp(word[1], "inside") == 0;

    if (!sample || sample->waited_s > 0 || !read_number(word[0], 0, &sample->waited_s) ||
        (!inside && strcmp(word[1], "beside") != 0))
        return false;
    sample->waits_inside = inside;
    return sample->waited_s > 0 &&
           (!inside || sample->waited_s <= sample->seconds * 1.01 + 1e-6);
}

/* A clock that steps by more than a second, or an empty call that takes one, is none. */
static bool read_clock(struct reader *reader, char *const *word)
{
    struct copy_results *to = reader->results;

    return read_number(word[0], 0, &to->clock_step_s) && to->clock_step_s < 1 &&
           read_number(word[1], 0, &to->call_overhead_s) && to->call_overhead_s < 1 &&
           read_number(word[2], 0, &to->empty_call_s) && to->empty_call_s < 1;
}

static bool read_flush(struct reader *reader, char *const *word)
{
    struct copy_results *to = reader->results;

    if (strcmp(word[0], "by-line") != 0 && strcmp(word[0], "by-sweep") != 0)
        return false;
    to->flush = xstrdup(word[0]);
    return read_number(word[1], 0, &to->flush_warm_s) &&
           read_number(word[2], 0, &to->flush_cold_s);
}

static bool read_denormal(struct reader *reader, char *const *word)
{
    if (!reader->results->denormal) /* the first one is enough to say */
        reader->results->denormal = xstrdup(word[0]);
    return true;
}

static bool read_stopped(struct reader *reader, char *const *word)
{
    (void)word;
    reader->results->stopped = true;
    return true;
}

static bool read_original(struct reader *reader, char *const *word)
{
    (void)word;
    reader->results->original = true;
    return true;
}

static bool read_done(struct reader *reader, char *const *word)
{
    (void)reader;
    (void)word;
    return true;
}

enum { kind_done = 11 };
static const struct line_kind kinds[] = {
    {"buffers", 1, false, read_buffers},   {"huge", 1, false, read_huge},
    {"warm", 1, false, read_warm},         {"sample", 2, true, read_sample},
    {"denormal", 1, true, read_denormal},  {"clock", 3, false, read_clock},
    {"flush", 3, false, read_flush},       {"disturbed", 1, true, read_disturbed},
    {"waited", 2, true, read_waited},      {"stopped", 0, false, read_stopped},
    {"original", 0, false, read_original}, [kind_done] = {"done", 0, false, read_done},
};

/* Splits at single spaces. Returns how many words there are, -1 if too many. */
static int split(char *line, char *word[words_max])
{
    for (int nr = 0; nr < words_max; nr++) {
        word[nr] = line;
        line = strchr(line, ' ');
        if (!line)
            return nr + 1;
        *line++ = '\0';
    }
    return -1;
}

static bool read_line(struct reader *reader, char *line)
{
    char *word[words_max];
    int nr = split(line, word);

    if (reader->seen & 1u << kind_done) /* it is the last line */
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        if (strcmp(kinds[i].key, word[0]) != 0)
            continue;
        if (nr != kinds[i].word_nr + 1 || (reader->seen & 1u << i && !kinds[i].repeats))
            return false;
        reader->seen |= 1u << i;
        return kinds[i].read(reader, word + 1);
    }
    return false;
}

static int read_lines(struct reader *reader, char *text, struct error *err)
{
    int number = 0;

    for (char *line = text, *end; *line; line = end + 1) {
        char *shown;
        bool good;

        number++;
        end = strchr(line, '\n');
        if (!end)
            break; /* it ended while writing */
        *end = '\0';
        shown = xstrndup(line, 40);
        good = read_line(reader, line);
        if (!good)
            fail(err, STATUS_FAILED, "its results make no sense in line %d: '%s'", number,
                 shown);
        free(shown);
        if (!good)
            return -1;
    }
    if (!(reader->seen & 1u << kind_done))
        return fail(err, STATUS_FAILED, "it ended before its results were complete");
    return 0;
}

/* A long first call counts as the one sample: see the harness protocol. */
static bool warm_is_sample(const struct copy_results *results)
{
    return results->sample_nr == 1 &&
           fabs(results->sample[0].seconds - results->warm_s) < 1e-8;
}

static int check_times(const struct copy_results *results, double wall_s,
                       struct error *err)
{
    double sum = warm_is_sample(results) ? 0 : results->warm_s;

    for (size_t i = 0; i < results->sample_nr; i++)
        sum += (results->sample[i].seconds +
                (results->sample[i].waits_inside ? 0 : results->sample[i].waited_s)) *
               results->sample[i].calls;
    if (results->sample_nr == 0 && !results->stopped)
        return fail(err, STATUS_FAILED, "its results hold no sample");
    if (sum > wall_s * 1.01 + 1e-3) /* two clock readings apart */
        return fail(err, STATUS_FAILED,
                    "its results make no sense: %g s timed in a run of %g s", sum,
                    wall_s);
    return 0;
}

/* A regular file of sensible size: reading a pipe or a device would not end. */
static int read_text(const char *path, struct buf *text, struct error *err)
{
    struct stat found;

    if (lstat(path, &found))
        return fail(err, STATUS_FAILED, "it ended without writing results");
    if (!S_ISREG(found.st_mode) || found.st_size > file_max_bytes)
        return fail(err, STATUS_FAILED, "its results are no file of sensible size");
    if (file_read(path, text, err))
        return -1;
    for (size_t i = 0; i < text->length; i++)
        if (text->data[i] != '\n' && (text->data[i] < ' ' || text->data[i] > '~'))
            return fail(err, STATUS_FAILED, "its results are not text");
    return 0;
}

int copy_results_read(const char *path, size_t samples_max, double wall_s,
                      struct copy_results *results, struct error *err)
{
    struct reader reader = {.results = results, .samples_max = samples_max};
    struct buf text = {0};
    char *lines = NULL;
    int result = -1;

    *results = (struct copy_results){.huge_bytes = -1};
    if (read_text(path, &text, err) == 0) {
        lines = buf_detach(&text);
        result = read_lines(&reader, lines, err) || check_times(results, wall_s, err);
    }
    free(lines);
    buf_release(&text);
    return result ? -1 : 0;
}
