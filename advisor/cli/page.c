#include "advisor/cli/page.h"

#include <string.h>

enum { LABEL = 23, NARROWEST = 60, WIDEST = 100 };

struct page page_on(struct buf *out, bool colour, int columns)
{
    return (struct page){out, colour,
                         columns < NARROWEST ? NARROWEST
                         : columns > WIDEST  ? WIDEST
                                             : (size_t)columns};
}

void page_heading(struct page *page, const char *text)
{
    struct buf wrapped = {0};
    buf_add_wrapped(&wrapped, text, 2, page->width); /* colours take no columns */
    buf_addf(page->out, "\n%s%s%s\n", page->colour ? "\033[1m" : "", buf_str(&wrapped),
             page->colour ? "\033[0m" : "");
    buf_release(&wrapped);
}

void page_paragraph(struct page *page, const char *format, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_addf_va(&text, format, args);
    va_end(args);
    buf_add(page->out, "  ");
    buf_add_wrapped(page->out, buf_str(&text), 2, page->width);
    buf_add(page->out, "\n");
    buf_release(&text);
}

static void add_labelled(struct page *page, const char *label, const char *text)
{
    buf_addf(page->out, "  %-*s", LABEL - 2, label);
    if (strlen(label) > LABEL - 3)
        buf_add(page->out, " ");
    buf_add_wrapped(page->out, text, LABEL, page->width);
    buf_add(page->out, "\n");
}

void page_line(struct page *page, const char *label, const char *format, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_addf_va(&text, format, args);
    va_end(args);
    add_labelled(page, label, buf_str(&text));
    buf_release(&text);
}

void page_quantity(struct page *page, const char *label, struct quantity quantity,
                   double scale, const char *unit, const char *more)
{
    struct buf text = {0};
    buf_add_figure(&text, quantity, scale, unit);
    if (quantity.known)
        buf_addf(&text, " (%s)", provenance_word(quantity.provenance));
    buf_addf(&text, "%s%s", *more ? " " : "", more);
    add_labelled(page, label, buf_str(&text));
    buf_release(&text);
}
