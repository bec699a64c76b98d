#include "core/base/text.h"
#include "observe/copies/copies.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the byte of the first run's text at which an item or a line begins. */
enum mark {
    ITEM_VARIES = 1,  /* a later run of the program itself has another one there */
    ITEM_DIFFERS = 2, /* a run of the other version has, beyond the tolerance */
    LINE_VARIES = 4,  /* likewise, in what is between the items */
    LINE_DIFFERS = 8
};

void app_output_release(struct app_output *output)
{
    buf_release(&output->text);
    free(output->mark);
    free(output->digits);
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

/* ---- items: words and numbers, and what is between them ---- */

struct line {
    const char *text;
    size_t length;
};

struct item {
    size_t blanks; /* before it */
    const char *text;
    size_t length; /* 0 = the line has ended */
    bool is_plain; /* one sign or the like: no word, no number */
};

static bool is_word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || (unsigned char)c >= 0x80;
}

/* A sign belongs to a number that it stands in front of, unless it joins two: those of
 * 2026-01-31 do. */
static bool is_sign(const struct line *line, size_t at)
{
    const char *text = line->text + at;

    return (*text == '-' || *text == '+') && at + 1 < line->length &&
           (isdigit((unsigned char)text[1]) || text[1] == '.') &&
           (at == 0 || !is_word_byte(text[-1]));
}

static struct item take_item(const struct line *line, size_t *at)
{
    struct item item = {0};
    size_t end;

    for (; *at < line->length && isspace((unsigned char)line->text[*at]); ++*at)
        item.blanks++;
    item.text = line->text + *at;
    end = *at + is_sign(line, *at);
    item.is_plain = end < line->length && !is_word_byte(line->text[end]);
    for (; end < line->length && is_word_byte(line->text[end]); end++)
        if ((line->text[end] == 'e' || line->text[end] == 'E') &&
            end + 2 < line->length && isdigit((unsigned char)line->text[end + 2]) &&
            end > *at &&
            (isdigit((unsigned char)line->text[end - 1]) || line->text[end - 1] == '.'))
            end += line->text[end + 1] == '-' || line->text[end + 1] == '+';
    item.length = end - *at + item.is_plain;
    *at += item.length;
    return item;
}

static bool is_equal(const struct item *a, const struct item *b)
{
    return a->length == b->length && (!a->length || !memcmp(a->text, b->text, a->length));
}

struct number {
    double value;
    int digits; /* that tell it: without zeros in front and behind */
    bool has_point;
};

/* Not "nan" or "0x1f", which are words. */
static bool is_number(const struct item *item, struct number *number)
{
    char word[64], *end;
    int zeros = 0;

    if (item->length == 0 || item->length >= sizeof(word))
        return false;
    memcpy(word, item->text, item->length);
    word[item->length] = '\0';
    if (strspn(word, "+-.0123456789eE") != item->length || !strpbrk(word, "0123456789"))
        return false;
    *number = (struct number){.value = strtod(word, &end),
                              .has_point = strpbrk(word, ".eE") != NULL};
    for (const char *at = word; *at && *at != 'e' && *at != 'E'; at++) {
        zeros = *at == '0' && number->digits ? zeros + 1 : zeros;
        if (isdigit((unsigned char)*at) && *at != '0') {
            number->digits += zeros + 1;
            zeros = 0;
        }
    }
    return !*end;
}

/* ---- times and rates ---- */

enum { RATE = -1 };

/* Of a word in small letters: of how many seconds it is the unit; RATE; 0 = of neither.
 */
static double unit_of(const char *word)
{
    static const struct {
        const char *name;
        double seconds;
    } unit[] = {{"s", 1},           {"sec", 1},     {"secs", 1},
                {"second", 1},      {"seconds", 1}, {"minutes", 60},
                {"ms", 1e-3},       {"msec", 1e-3}, {"milliseconds", 1e-3},
                {"us", 1e-6},       {"usec", 1e-6}, {"microseconds", 1e-6},
                {"ns", 1e-9},       {"nsec", 1e-9}, {"nanoseconds", 1e-9},
                {"\xc2\xb5s", 1e-6}};
    static const char *const rate[] = {"flops", "lups", "mips", "fps", "bps"};
    /* What moves in a model has a speed as well. */
    static const char *const physical[] = {"m",   "km", "cm",  "mm",  "nm", "g", "kg",
                                           "mol", "l",  "rad", "deg", "j",  "ev"};
    const char *slash = strchr(word, '/');

    for (size_t i = 0; i < ARRAY_SIZE(unit); i++)
        if (!strcmp(word, unit[i].name))
            return unit[i].seconds;
    for (size_t i = 0; i < ARRAY_SIZE(rate); i++)
        if (text_ends(word, rate[i]))
            return RATE;
    for (size_t i = 0; slash && i < ARRAY_SIZE(physical); i++)
        if (strlen(physical[i]) == (size_t)(slash - word) &&
            text_begins(word, physical[i]))
            return 0;
    return slash && unit_of(slash + 1) > 0 ? RATE : 0;
}

/* The same of a word of a label, such as "Elapsed time:", which is of seconds. */
static double label_of(const char *word)
{
    static const char *const time[] = {"time",     "times",   "elapsed", "took",
                                       "walltime", "runtime", "cpu",     "duration",
                                       "seconds",  "sec",     "secs"};
    static const char *const rate[] = {"bandwidth", "throughput"};

    for (size_t i = 0; i < ARRAY_SIZE(time); i++)
        if (!strcmp(word, time[i]))
            return 1;
    for (size_t i = 0; i < ARRAY_SIZE(rate); i++)
        if (!strcmp(word, rate[i]))
            return RATE;
    return unit_of(word) < 0 ? RATE : 0;
}

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* The next word of letters, "MB/s" being one, in small ones; false = there is none. */
static bool take_word(const char **at, const char *end, char *word, size_t size)
{
    size_t length = 0;

    while (*at < end && !is_letter(**at))
        ++*at;
    for (; *at < end && (is_letter(**at) || **at == '/'); ++*at)
        if (length + 1 < size)
            word[length++] = (char)tolower((unsigned char)**at);
    word[length] = '\0';
    return length > 0;
}

/* A number and what stands beside it in its line. */
struct beside {
    const char *label, *label_end; /* in front of it, behind the number before and its
                                      unit; of a list of numbers, of the first */
    const char *behind, *end;
};

/* Of the number, by the word right behind it, which *unread is behind then. */
static double unit_behind(const struct beside *beside, const char **unread)
{
    const char *at = beside->behind;
    char word[32];
    double unit = 0;

    while (at < beside->end && strchr(" \t([", *at))
        at++;
    if (at < beside->end && is_letter(*at) &&
        take_word(&at, beside->end, word, sizeof(word)))
        unit = unit_of(word);
    *unread = unit != 0 ? at : beside->behind;
    return unit;
}

/* Of how many seconds the number is told; RATE; 0 = it is neither time nor rate. What is
 * counted is a time only where a unit says so. */
static double time_unit(const struct beside *beside, bool has_point)
{
    const char *at = beside->label, *ignored;
    char word[32];
    double unit = unit_behind(beside, &ignored);

    while (unit == 0 && take_word(&at, beside->label_end, word, sizeof(word))) {
        const char *begin = at - strlen(word);

        if (begin > beside->label && strchr("([", begin[-1]))
            unit = unit_of(word);
    }
    at = beside->label;
    while (unit == 0 && has_point &&
           take_word(&at, beside->label_end, word, sizeof(word)))
        unit = label_of(word);
    return unit;
}

/* Numbers of so few digits may be the same in all runs of one version although they are
 * times; of more, a time would have shown itself by changing. */
enum { few_digits = 3 };
/* A run's clock and ours are not the same one. */
static const double clocks_agree = 1.1;

/* Times that each fit into their run. */
static bool is_time(double unit, const struct number *was, const struct number *is,
                    const double seconds[2])
{
    if (unit == 0 || was->digits > few_digits || is->digits > few_digits ||
        was->value < 0 || is->value < 0)
        return false;
    return unit < 0 || (was->value * unit <= seconds[0] * clocks_agree &&
                        is->value * unit <= seconds[1] * clocks_agree);
}

/* ---- two lines ---- */

/* Of two different numbers: relative to the larger one. */
static double relative(double a, double b)
{
    double larger = fmax(fabs(a), fabs(b));

    return larger > 0 ? fabs(a - b) / larger : 0;
}

static void differ(struct app_output *output, size_t at, int digits, bool beyond)
{
    if (digits < output->digits[at])
        output->digits[at] = (unsigned char)digits;
    if (beyond)
        output->mark[at] |= ITEM_DIFFERS;
}

/* An item that the other version has otherwise, at `at` of the first text. */
static void judge_item(struct app_output *output, size_t at, const struct item *a,
                       const struct item *b, const struct beside *beside,
                       const double seconds[2])
{
    struct number was, is;

    if (!is_number(a, &was) || !is_number(b, &is)) {
        differ(output, at, 0, true);
        return;
    }
    if (is_time(time_unit(beside, was.has_point), &was, &is, seconds))
        return;
    double apart = relative(was.value, is.value);
    int digits = apart > 0 ? (int)fmin(fmax(-log10(apart), 0), APP_OUTPUT_SAME - 1)
                           : APP_OUTPUT_SAME - 1;
    differ(output, at, digits, apart > output->tolerance || output->tolerance <= 0);
}

/* Equal but for the blanks that fill up a column, whose number is that of what stands
 * beside them. */
static bool stands_alike(const struct item before[2], const struct item now[2])
{
    bool filled = !is_equal(&now[0], &now[1]) || !is_equal(&before[0], &before[1]);

    return (now[0].blanks == now[1].blanks || filled) &&
           !now[0].length == !now[1].length && now[0].is_plain == now[1].is_plain &&
           (!now[0].is_plain || is_equal(&now[0], &now[1]));
}

/* Behind an item, which may be a number. */
static void step(struct beside *beside, const struct item *item, const char **unread)
{
    struct number ignored;
    const char *label = *unread;
    char word[2];

    if (!is_number(item, &ignored))
        return;
    if (take_word(&label, item->text, word, sizeof(word))) {
        beside->label = *unread;
        beside->label_end = item->text;
    }
    beside->behind = item->text + item->length;
    unit_behind(beside, unread);
}

/* `seconds`: of the two runs; NULL = both are of the program itself. */
static void compare_lines(struct app_output *output, const struct line *a,
                          const struct line *b, const double *seconds)
{
    const char *text = buf_str(&output->text), *unread = a->text;
    struct beside beside = {a->text, a->text, a->text, a->text + a->length};
    struct item now[2] = {0}, before[2];
    size_t i = 0, k = 0;

    do {
        memcpy(before, now, sizeof(now));
        now[0] = take_item(a, &i);
        now[1] = take_item(b, &k);
        if (!stands_alike(before, now)) {
            output->mark[a->text - text] |= seconds ? LINE_DIFFERS : LINE_VARIES;
            return;
        }
        step(&beside, &now[0], &unread);
        size_t at = (size_t)(now[0].text - text);
        if (!is_equal(&now[0], &now[1]) && !seconds)
            output->mark[at] |= ITEM_VARIES;
        else if (!is_equal(&now[0], &now[1]))
            judge_item(output, at, &now[0], &now[1], &beside, seconds);
    } while (now[0].length);
}

/* ---- two outputs ---- */

static struct line take_line(const char **at)
{
    struct line line = {*at, strcspn(*at, "\n")};

    *at += line.length + ((*at)[line.length] == '\n');
    return line;
}

static void compare(struct app_output *output, const char *other, const double *seconds)
{
    const char *text = buf_str(&output->text);

    while (*text && *other) {
        struct line a = take_line(&text), b = take_line(&other);

        if (a.length != b.length || memcmp(a.text, b.text, a.length) != 0)
            compare_lines(output, &a, &b, seconds);
    }
}

void app_output_add(struct app_output *output, const char *text, double seconds)
{
    if (output->runs++ == 0) {
        buf_add(&output->text, text);
        output->seconds = seconds;
        output->line_nr = count_lines(text);
        output->mark = xcalloc(output->text.length + 1, 1);
        output->digits = xcalloc(output->text.length + 1, 1);
        app_output_forget_other(output);
        return;
    }
    compare(output, text, NULL);
    output->other_length |= count_lines(text) != output->line_nr;
}

void app_output_add_other(struct app_output *output, const char *text, double seconds)
{
    const double both[] = {output->seconds, seconds};
    size_t nr = count_lines(text);
    size_t more = nr > output->line_nr ? nr - output->line_nr : output->line_nr - nr;

    compare(output, text, both);
    if (more > output->length_diff)
        output->length_diff = more;
}

void app_output_forget_other(struct app_output *output)
{
    for (size_t i = 0; i <= output->text.length; i++) {
        output->mark[i] &= (unsigned char)~(ITEM_DIFFERS | LINE_DIFFERS);
        output->digits[i] = APP_OUTPUT_SAME;
    }
    output->length_diff = 0;
}

/* May it be a result? */
static bool is_result(const struct app_output *output, const struct item *item,
                      const struct beside *beside)
{
    struct number number;
    bool is = is_number(item, &number) && time_unit(beside, number.has_point) == 0;
    char *word = is && output->known ? xstrndup(item->text, item->length) : NULL;

    is = is && !(word && text_has_word(output->known, word));
    free(word);
    return is;
}

/* What the program prints is drawn anew in each run (a seed that is the time): of small
 * numbers many are the same ones by chance in a few runs, and none of them says anything.
 */
static bool is_drawn(size_t vary, size_t repeated)
{
    enum { LEAST = 8, SHARE = 3 };

    return vary >= LEAST && vary >= SHARE * repeated;
}

struct app_output_state app_output_state(const struct app_output *output)
{
    struct app_output_state state = {.digits = APP_OUTPUT_SAME};
    const char *text = buf_str(&output->text), *at = text;
    size_t vary = 0, by_words = 0; /* results; lines that differ by more than items */

    while (*at) {
        struct line line = take_line(&at);
        size_t begin = (size_t)(line.text - text), i = 0;
        struct beside beside = {line.text, line.text, line.text, line.text + line.length};
        const char *unread = line.text;
        bool varies = output->mark[begin] & LINE_VARIES, some = varies,
             words = !varies && (output->mark[begin] & LINE_DIFFERS), differs = words;

        for (struct item item; !varies && (item = take_item(&line, &i)).length;) {
            size_t place = (size_t)(item.text - text);

            step(&beside, &item, &unread);
            if (output->mark[place] & ITEM_VARIES) {
                some = true;
                vary += is_result(output, &item, &beside);
                continue;
            }
            differs |= output->mark[place] & ITEM_DIFFERS;
            state.compared += is_result(output, &item, &beside);
            if (output->digits[place] < state.digits)
                state.digits = output->digits[place];
        }
        state.varies += some;
        state.differs += differs;
        by_words += words;
    }
    if (is_drawn(vary, state.compared)) {
        state.compared = 0;
        state.digits = APP_OUTPUT_SAME;
        state.differs = by_words;
    }
    size_t lines = output->other_length ? 0 : output->length_diff;
    if (by_words || (lines && !state.differs))
        state.digits = 0;
    state.differs += lines;
    return state;
}
