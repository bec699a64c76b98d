#include "advisor/cli/layout.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/figures.h"

enum { LABEL = 23, NARROWEST = 60, WIDEST = 100 };

struct layout layout_on(struct buf *out, bool colour, int columns)
{
    return (struct layout){out, colour,
                           columns < NARROWEST ? NARROWEST
                           : columns > WIDEST  ? WIDEST
                                               : (size_t)columns};
}

void layout_heading(struct layout *layout, const char *text)
{
    struct buf wrapped = {0};
    buf_add_wrapped(&wrapped, text, 2, layout->width); /* colours take no columns */
    buf_addf(layout->out, "\n%s%s%s\n", layout->colour ? "\033[1m" : "",
             buf_str(&wrapped), layout->colour ? "\033[0m" : "");
    buf_release(&wrapped);
}

void layout_paragraph(struct layout *layout, const char *format, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_addf_va(&text, format, args);
    va_end(args);
    buf_add(layout->out, "  ");
    buf_add_wrapped(layout->out, buf_str(&text), 2, layout->width);
    buf_add(layout->out, "\n");
    buf_release(&text);
}

static void add_labelled(struct layout *layout, const char *label, const char *text)
{
    buf_addf(layout->out, "  %-*s", LABEL - 2, label);
    if (strlen(label) > LABEL - 3)
        buf_add(layout->out, " ");
    buf_add_wrapped(layout->out, text, LABEL, layout->width);
    buf_add(layout->out, "\n");
}

void layout_line(struct layout *layout, const char *label, const char *format, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_addf_va(&text, format, args);
    va_end(args);
    add_labelled(layout, label, buf_str(&text));
    buf_release(&text);
}

void layout_quantity(struct layout *layout, const char *label, struct quantity quantity,
                     double scale, const char *unit, const char *more)
{
    struct buf text = {0};
    buf_add_figure(&text, quantity, scale, unit);
    if (quantity.known)
        buf_addf(&text, " (%s)", provenance_word(quantity.provenance));
    buf_addf(&text, "%s%s", *more ? " " : "", more);
    add_labelled(layout, label, buf_str(&text));
    buf_release(&text);
}
