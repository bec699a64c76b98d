#include "core/files/fs.h"
#include "observe/copies/copies.h"

#include <stdlib.h>
#include <string.h>

void app_output_release(struct app_output *output)
{
    buf_release(&output->text);
    free(output->changing);
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

struct walk {
    const char *a, *b;
    size_t i; /* lines taken */
};

/* The next line of both; false when one has ended. */
static bool next_pair(struct walk *walk, bool *same)
{
    size_t a = strcspn(walk->a, "\n"), b = strcspn(walk->b, "\n");
    if (!*walk->a || !*walk->b)
        return false;
    *same = a == b && !memcmp(walk->a, walk->b, a);
    walk->a += a + (walk->a[a] == '\n');
    walk->b += b + (walk->b[b] == '\n');
    walk->i++;
    return true;
}

void app_output_add(struct app_output *output, const char *text)
{
    struct walk walk = {.b = text};
    bool same;
    if (output->runs++ == 0) {
        buf_add(&output->text, text);
        output->line_nr = count_lines(text);
        output->changing = xcalloc(output->line_nr + 1, sizeof(bool));
        return;
    }
    walk.a = buf_str(&output->text);
    while (next_pair(&walk, &same))
        output->changing[walk.i - 1] |= !same;
    output->other_length |= count_lines(text) != output->line_nr;
}

size_t app_output_differs(const struct app_output *output, const char *text)
{
    struct walk walk = {.a = buf_str(&output->text), .b = text};
    size_t other = count_lines(text), differing = 0;
    bool same;
    while (next_pair(&walk, &same))
        differing += !same && !output->changing[walk.i - 1];
    if (output->other_length)
        return differing;
    return differing +
           (other > output->line_nr ? other - output->line_nr : output->line_nr - other);
}

size_t app_output_changing(const struct app_output *output)
{
    size_t nr = 0;
    for (size_t i = 0; i < output->line_nr; i++)
        nr += output->changing[i];
    return nr;
}
