/* The page: a picture of gnuplot's SVG terminal as a part of an HTML page. A reader of
 * tags, not of SVG: it drops and renames attributes and leaves the drawing alone. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/html/html_text.h"

struct open_tag {
    size_t start, end; /* in `out`: of the tag, and behind it */
};

struct rewriting {
    const char *prefix;
    const struct strvec *tip;
    struct buf *out;
    struct open_tag *open;
    size_t open_nr, open_alloc;
    long mark;      /* of the tag just read; -1 = none */
    bool in_title;  /* its text is left out */
    long title_tip; /* what is put there instead; -1 = nothing */
};

/* ---- attributes ---- */

/* "rgb(  0, 114, 178)" as "#0072b2"; black is the text's colour. */
static void add_value(struct buf *out, const char *name, const char *value)
{
    unsigned red, green, blue;
    bool paints =
        !strcmp(name, "stroke") || !strcmp(name, "fill") || !strcmp(name, "color");
    bool mixed = paints && sscanf(value, "rgb(%u,%u,%u)", &red, &green, &blue) == 3;
    bool black = paints && (!strcmp(value, "black") || !strcmp(value, "#000000"));
    if (black || (mixed && red + green + blue == 0))
        buf_add(out, "currentColor");
    else if (mixed)
        buf_addf(out, "#%02x%02x%02x", red & 255, green & 255, blue & 255);
    else
        buf_add(out, value);
}

/* What is left out: defaults, sizes and fonts that the page sets, names of other places,
 * calls of scripts, and the colour of text. */
static bool is_dropped(const char *tag, const char *name, const char *value)
{
    static const char *const always[] = {"stroke-linecap", "stroke-linejoin",
                                         "font-family", "id", "standalone"};
    if (!strncmp(name, "on", 2) || !strncmp(name, "xmlns", 5))
        return true;
    if (!strcmp(tag, "svg") && (!strcmp(name, "width") || !strcmp(name, "height")))
        return true;
    if (!strcmp(name, "color") && (!strcmp(value, "black") || !strcmp(value, "white")))
        return true;
    if (!strcmp(name, "id"))
        return strncmp(value, "gp", 2) != 0;
    for (size_t i = 0; i < ARRAY_SIZE(always); i++)
        if (!strcmp(name, always[i]))
            return true;
    return false;
}

static void add_attribute(struct rewriting *to, const char *tag, const char *name,
                          const char *value)
{
    const char *at = !strncmp(name, "on", 2) ? strstr(value, "'@") : NULL;
    if (at)
        to->mark = strtol(at + 2, NULL, 10);
    if (is_dropped(tag, name, value))
        return;
    bool link = !strcmp(name, "xlink:href") || !strcmp(name, "href");
    if (link && *value != '#')
        return;
    buf_addf(to->out, " %s=\"", link ? "href" : name);
    if (link)
        buf_addf(to->out, "#%s-%s", to->prefix, value + 1);
    else if (!strcmp(name, "id"))
        buf_addf(to->out, "%s-%s", to->prefix, value);
    else
        add_value(to->out, name, value);
    buf_add(to->out, "\"");
}

/* name="value" or name='value'; what is behind it, NULL = there is none. The text is
 * cut into pieces. */
static char *take_attribute(char *at, char **name, char **value)
{
    at += strspn(at, " \t\n\r");
    *name = at;
    at += strcspn(at, " \t\n\r=/>");
    char *end = at;
    at += strspn(at, " \t\n\r");
    if (end == *name || *at != '=')
        return NULL;
    at++;
    at += strspn(at, " \t\n\r");
    char quote = *at;
    if (quote != '"' && quote != '\'')
        return NULL;
    *value = ++at;
    at = strchr(at, quote);
    if (!at)
        return NULL;
    *end = 0;
    *at = 0;
    return at + 1;
}

/* ---- tags ---- */

/* A group in which nothing was drawn leaves no trace. */
static void close_tag(struct rewriting *to, const char *tag)
{
    struct open_tag *last = to->open_nr ? &to->open[--to->open_nr] : NULL;
    if (last && last->end == to->out->length && !strcmp(tag, "g"))
        buf_truncate(to->out, last->start);
    else
        buf_addf(to->out, "</%s>", tag);
}

static void open_tag(struct rewriting *to, size_t start)
{
    GROW(to->open, to->open_nr + 1, to->open_alloc);
    to->open[to->open_nr++] = (struct open_tag){start, to->out->length};
}

static void add_title(struct rewriting *to)
{
    if (to->title_tip < 0 || (size_t)to->title_tip >= to->tip->nr)
        return;
    buf_add(to->out, "<title>");
    html_text(to->out, to->tip->v[to->title_tip]);
    buf_add(to->out, "</title>");
    to->title_tip = -1;
}

/* `text`: what is between "<" and ">", cut into pieces. */
static void add_tag(struct rewriting *to, char *text)
{
    size_t start = to->out->length, length = strlen(text);
    bool alone = length && text[length - 1] == '/';
    char *name = text, *value, *at = text + strcspn(text, " \t\n\r/");
    bool last = !*at;
    *at = 0;
    if (!strcmp(name, "title") || !strcmp(name, "desc")) {
        to->in_title = true;
        return;
    }
    buf_addf(to->out, "<%s", name);
    to->mark = -1;
    for (char *key; !last && (at = take_attribute(at + 1, &key, &value)); at--)
        add_attribute(to, name, key, value);
    buf_add(to->out, alone ? "/>" : ">");
    if (!alone)
        open_tag(to, start);
    if (to->mark >= 0)
        to->title_tip = to->mark;
    add_title(to);
}

static bool skip_definitions(const char **at)
{
    static const char *const skipped[][2] = {{"<?", "?>"},
                                             {"<!--", "-->"},
                                             {"<!", ">"},
                                             {"<script", "</script>"},
                                             {"<filter", "</filter>"}};
    for (size_t i = 0; i < ARRAY_SIZE(skipped); i++) {
        const char *end = strncmp(*at, skipped[i][0], strlen(skipped[i][0]))
                              ? NULL
                              : strstr(*at, skipped[i][1]);
        if (end) {
            *at = end + strlen(skipped[i][1]);
            return true;
        }
    }
    return false;
}

/* Blank space between tags is left out, text is not. */
static void add_between(struct rewriting *to, const char *text, size_t length)
{
    size_t blank = 0;
    while (blank < length && isspace((unsigned char)text[blank]))
        blank++;
    if (blank < length && !to->in_title)
        buf_add_n(to->out, text, length);
}

static void rewrite(struct rewriting *to, const char *at)
{
    while (*at) {
        size_t length = strcspn(at, "<");
        add_between(to, at, length);
        at += length;
        if (!*at || skip_definitions(&at))
            continue;
        const char *end = strchr(at, '>');
        if (!end)
            return;
        char *tag = xstrndup(at + 1, (size_t)(end - at - 1));
        if (*tag != '/')
            add_tag(to, tag);
        else if (to->in_title)
            to->in_title = false;
        else
            close_tag(to, tag + 1);
        free(tag);
        at = end + 1;
    }
}

bool html_svg(const char *svg, const char *prefix, const char *label,
              const struct strvec *tip, struct buf *out)
{
    const char *start = strstr(svg, "<svg"), *end = strstr(svg, "</svg>");
    struct rewriting to = {
        .prefix = prefix, .tip = tip, .out = out, .mark = -1, .title_tip = -1};
    if (!start || !end || end < start)
        return false;
    size_t at = out->length;
    rewrite(&to, start);
    free(to.open);
    struct buf head = {0}, body = {0};
    buf_add(&body, buf_str(out) + at + strlen("<svg"));
    buf_truncate(out, at);
    buf_add(&head, "<svg role=\"img\" class=\"plot\" aria-label=\"");
    html_text(&head, label);
    buf_addf(out, "%s\"%s\n", buf_str(&head), buf_str(&body));
    buf_release(&head);
    buf_release(&body);
    return true;
}

/* As templates/report/page.css names marks. */
static const char *mark_of(const struct plot_series *series)
{
    static const char *const names[] = {[PLOT_CROSS] = "cross",
                                        [PLOT_SQUARE] = "square",
                                        [PLOT_SQUARE - 1] = "square open",
                                        [PLOT_DOT] = "dot",
                                        [PLOT_RING] = "ring",
                                        [PLOT_UP] = "up",
                                        [PLOT_UP - 1] = "up open",
                                        [PLOT_DOWN] = "down",
                                        [PLOT_DOWN - 1] = "down open",
                                        [PLOT_DIAMOND] = "diamond",
                                        [PLOT_DIAMOND - 1] = "diamond open"};
    return series->mark    ? names[series->mark]
           : !series->line ? "box"
           : series->dash  ? "dash"
                           : "line";
}

void html_legend(const struct plot_panel *panel, struct buf *out)
{
    buf_add(out, "<ul class=\"legend\">\n");
    for (size_t i = 0; i < panel->series_nr; i++) {
        const struct plot_series *series = &panel->series[i];
        if (!series->title)
            continue;
        buf_addf(out, "<li><i class=\"mark %s c-%s\" aria-hidden=\"true\"></i>",
                 mark_of(series), series->colour + 1);
        html_text(out, series->title);
        buf_add(out, "</li>\n");
    }
    buf_add(out, "</ul>\n");
}
