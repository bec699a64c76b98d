#include "advisor/cli/page.h"

#include <math.h>
#include <stdlib.h>
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

void add_interval(struct buf *out, struct quantity quantity, double scale,
                  const char *unit)
{
    if (!quantity.known) {
        buf_add(out, "unknown");
        return;
    }
    buf_add_number(out, quantity.value * scale);
    buf_addf(out, "%s%s", *unit ? " " : "", unit);
    if (quantity.low == quantity.high)
        return;
    buf_add(out, " [");
    buf_add_number(out, quantity.low * scale);
    buf_add(out, ", ");
    buf_add_number(out, quantity.high * scale);
    buf_add(out, "]");
}

/* The unit that suits the value serves its interval, too. */
void add_seconds(struct buf *out, struct quantity seconds)
{
    static const struct {
        double from_s;
        const char *unit;
    } unit[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {0, "ns"}};
    size_t i = 0;
    while (i + 1 < ARRAY_SIZE(unit) && seconds.known && seconds.value < unit[i].from_s)
        i++;
    add_interval(out, seconds, unit[i].from_s > 0 ? 1 / unit[i].from_s : 1e9,
                 unit[i].unit);
}

void page_quantity(struct page *page, const char *label, struct quantity quantity,
                   double scale, const char *unit, const char *more)
{
    struct buf text = {0};
    add_interval(&text, quantity, scale, unit);
    if (quantity.known)
        buf_addf(&text, " (%s)", provenance_word(quantity.provenance));
    buf_addf(&text, "%s%s", *more ? " " : "", more);
    add_labelled(page, label, buf_str(&text));
    buf_release(&text);
}

void add_column(struct buf *out, struct quantity quantity, double scale, int width)
{
    struct buf cell = {0};
    if (quantity.known)
        buf_add_number(&cell, quantity.value * scale);
    else
        buf_add(&cell, "?");
    buf_addf(out, "%*s", width, buf_str(&cell));
    buf_release(&cell);
}

void add_bytes(struct buf *out, double bytes)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB"};
    size_t i = 0;
    for (; i + 1 < ARRAY_SIZE(unit) && fabs(bytes) >= 999.5; i++)
        bytes /= 1000;
    buf_add_number(out, bytes);
    buf_addf(out, " %s", unit[i]);
}

void add_ratio(struct buf *out, struct quantity ratio)
{
    if (!ratio.known) {
        buf_add(out, "unknown");
        return;
    }
    buf_addf(out, "%.3gx", ratio.value);
    if (ratio.low != ratio.high)
        buf_addf(out, " [%.3g, %.3g]", ratio.low, ratio.high);
}

static void add_percent(struct buf *out, double share)
{
    if (isfinite(share))
        buf_addf(out, "%.0f", 100 * share);
    else
        buf_add(out, "?");
}

void add_share(struct buf *out, struct quantity share, int width)
{
    struct buf cell = {0};
    if (share.known) {
        add_percent(&cell, share.value);
        buf_add(&cell, "% (");
        add_percent(&cell, share.low);
        buf_add(&cell, "-");
        add_percent(&cell, share.high);
        buf_add(&cell, ")");
    } else {
        buf_add(&cell, "?");
    }
    buf_addf(out, "%*s", width, buf_str(&cell));
    buf_release(&cell);
}
