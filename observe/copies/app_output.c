#include "core/files/fs.h"
#include "observe/copies/copies.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void app_output_release(struct app_output *output)
{
    buf_release(&output->text);
    free(output->changing);
    free(output->other);
    *output = (struct app_output){0};
}

/* A last line without its end counts, too. */
static size_t count_lines(const char *text)
{
    size_t nr = 0;
    for (; *text; nr++) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return nr;
}

/* ---- two lines ---- */

struct line {
    const char *text;
    size_t length;
};

/* A number with a decimal point at `*at`: its value, and how many digits tell it. False,
 * and one byte further, where there is none: what is counted is no time. */
static bool take_number(const struct line *line, size_t *at, double *value, int *digits)
{
    const char *begin = line->text + *at;
    char word[32];
    size_t length = 0;

    while (*at + length < line->length && length + 1 < sizeof(word) &&
           (isdigit((unsigned char)begin[length]) || begin[length] == '.')) {
        word[length] = begin[length];
        length++;
    }
    word[length] = '\0';
    *digits = 0;
    for (size_t i = 0; i < length && strchr(word, '.'); i++)
        *digits += word[i] != '.' && (*digits > 0 || word[i] != '0');
    *value = strtod(word, NULL);
    *at += *digits ? length : 1;
    return *digits > 0;
}

/* What a number follows that grows with the time of a run, or falls with it. */
static bool speaks_of_time(const struct line *line)
{
    static const char *const word[] = {"time", "sec",  "elapsed", "(s)",  "ms",
                                       "/s",   "rate", "per s",   "flop", " s"};
    char *text = xstrndup(line->text, line->length);
    bool found = false;

    for (char *at = text; *at; at++)
        *at = (char)tolower((unsigned char)*at);

    for (size_t i = 0; i < ARRAY_SIZE(word) && !found; i++)
        found = strstr(text, word[i]) != NULL;
    free(text);
    return found;
}

/* Numbers of so few digits may be the same in all runs of one version although they are
 * times; of more, a time would have shown itself by changing. */
enum { few_digits = 3 };
/* Of the number's ratio to that of the runs: what the rest of the run takes. */
static const double follows_within = 0.25;

static bool follows(double was, double is, double speed)
{
    double ratio = was / is;

    return fabs(log(ratio / speed)) < follows_within ||
           fabs(log(ratio * speed)) < follows_within;
}

/* Equal but for numbers that follow the time. */
static bool only_time_differs(const struct line *a, const struct line *b, double speed)
{
    size_t i = 0, k = 0;

    if (!(speed > 0) || !speaks_of_time(a))
        return false;
    while (i < a->length && k < b->length) {
        double was, is;
        int digits, others;
        char first = a->text[i], second = b->text[k];
        bool number = take_number(a, &i, &was, &digits);

        if (number != take_number(b, &k, &is, &others) || (!number && first != second))
            return false;
        if (number && was != is && (digits > few_digits || !follows(was, is, speed)))
            return false;
    }
    return i == a->length && k == b->length;
}

/* ---- two outputs ---- */

struct walk {
    const char *a, *b;
    struct line first, second;
    size_t i; /* lines taken */
};

static struct line take_line(const char **at)
{
    struct line line = {*at, strcspn(*at, "\n")};

    *at += line.length + ((*at)[line.length] == '\n');
    return line;
}

/* The next line of both; false when one has ended. */
static bool next_pair(struct walk *walk, bool *same)
{
    if (!*walk->a || !*walk->b)
        return false;
    walk->first = take_line(&walk->a);
    walk->second = take_line(&walk->b);
    *same = walk->first.length == walk->second.length &&
            !memcmp(walk->first.text, walk->second.text, walk->first.length);
    walk->i++;
    return true;
}

void app_output_add(struct app_output *output, const char *text, double seconds)
{
    struct walk walk = {.b = text};
    bool same;
    if (output->runs++ == 0) {
        buf_add(&output->text, text);
        output->seconds = seconds;
        output->line_nr = count_lines(text);
        output->changing = xcalloc(output->line_nr + 1, sizeof(bool));
        output->other = xcalloc(output->line_nr + 1, sizeof(bool));
        return;
    }
    walk.a = buf_str(&output->text);
    while (next_pair(&walk, &same))
        output->changing[walk.i - 1] |= !same;
    output->other_length |= count_lines(text) != output->line_nr;
}

void app_output_add_other(struct app_output *output, const char *text, double seconds)
{
    struct walk walk = {.a = buf_str(&output->text), .b = text};
    double speed = output->seconds / seconds;
    size_t nr = count_lines(text);
    size_t more = nr > output->line_nr ? nr - output->line_nr : output->line_nr - nr;
    bool same;

    while (next_pair(&walk, &same))
        if (!same && !only_time_differs(&walk.first, &walk.second, speed))
            output->other[walk.i - 1] = true;
    if (more > output->length_diff)
        output->length_diff = more;
}

void app_output_forget_other(struct app_output *output)
{
    for (size_t i = 0; i < output->line_nr; i++)
        output->other[i] = false;
    output->length_diff = 0;
}

size_t app_output_differs(const struct app_output *output)
{
    size_t nr = output->other_length ? 0 : output->length_diff;

    for (size_t i = 0; i < output->line_nr; i++)
        nr += output->other[i] && !output->changing[i];
    return nr;
}

size_t app_output_changing(const struct app_output *output)
{
    size_t nr = 0;
    for (size_t i = 0; i < output->line_nr; i++)
        nr += output->changing[i];
    return nr;
}
