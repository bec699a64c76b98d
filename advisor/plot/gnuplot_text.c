#include "advisor/plot/gnuplot_text.h"

#include <string.h>

const char *gnuplot_colour(size_t curve)
{
    static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                          "#E69F00", "#56B4E9", "#000000"};
    return colours[curve % ARRAY_SIZE(colours)];
}

void gnuplot_quote(struct buf *out, const char *text)
{
    buf_add(out, "'");
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            buf_add(out, " ");
        else
            buf_add_n(out, *text == '\'' ? "''" : text, *text == '\'' ? 2 : 1);
    buf_add(out, "'");
}

void gnuplot_quote_lines(struct buf *out, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        struct buf line = {0};
        buf_add_n(&line, text, length);
        gnuplot_quote(out, buf_str(&line));
        buf_release(&line);
        text += length;
        if (*text == '\n') {
            buf_add(out, ". \"\\n\" . ");
            text++;
        }
    }
}

void gnuplot_begin_item(struct buf *items)
{
    buf_add(items, items->length ? ", \\\n  " : "plot ");
}

void gnuplot_title(struct buf *items, const char *title, bool terminal)
{
    buf_add(items, !title ? " notitle" : terminal ? " title ' ' . " : " title ");
    if (title)
        gnuplot_quote(items, title);
}
