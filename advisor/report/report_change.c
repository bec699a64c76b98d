/* The report for a terminal: the loop as it was and as it is, in a few lines. */
#include <stdlib.h>
#include <string.h>

#include "advisor/report/report_view.h"
#include "advisor/session/code_diffs.h"
#include "core/base.h"
#include "core/base/text.h"

enum { LINES_MAX = 14, TAB = 4 };

static bool is_changed(const char *line)
{
    return (line[0] == '-' || line[0] == '+') && !text_begins(line, "--- ") &&
           !text_begins(line, "+++ ");
}

/* The hunk that takes the most of the original away is the loop's; the others are what it
 * needs around it. Its lines alone are left. */
static void keep_main_hunk(struct strvec *lines)
{
    struct strvec best = {0};
    size_t most = 0;
    for (size_t i = 0, next; i < lines->nr; i = next) {
        size_t taken = 0;
        for (next = i + 1; next < lines->nr && !text_begins(lines->v[next], "@@ ");
             next++)
            taken += lines->v[next][0] == '-' && is_changed(lines->v[next]);
        if (!text_begins(lines->v[i], "@@ ") || taken <= most)
            continue;
        most = taken;
        strvec_release(&best);
        for (size_t k = i + 1; k < next; k++)
            if (is_changed(lines->v[k]))
                strvec_push(&best, lines->v[k]);
    }
    strvec_release(lines);
    *lines = best;
}

/* Tabs take `TAB` columns; what does not fit is cut. */
static void show_line(struct view *view, const char *line)
{
    struct buf text = {0};
    for (; *line; line++)
        if (*line == '\t')
            buf_add_repeat(&text, ' ', TAB);
        else
            buf_add_n(&text, line, 1);
    size_t room = view->layout.width - 4;
    bool fits = text.length <= room;
    buf_addf(view->layout.out, "    %.*s%s\n", (int)(fits ? text.length : room - 3),
             buf_str(&text), fits ? "" : "...");
    buf_release(&text);
}

static void split_lines(const char *text, struct strvec *lines)
{
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        strvec_pushf(lines, "%.*s", (int)length, text);
    }
}

void view_change(struct view *view)
{
    const char *plan = report_word(json_object_get(view->report, "best"), "plan");
    struct strvec lines = {0};
    struct buf diff = {0};
    if (*plan && code_diffs_text(json_object_get(view->report, "code"), plan, &diff))
        split_lines(buf_str(&diff), &lines);
    keep_main_hunk(&lines);
    if (lines.nr)
        layout_heading(&view->layout, "What was changed");
    for (size_t i = 0; i < lines.nr && i < LINES_MAX; i++)
        show_line(view, lines.v[i]);
    if (lines.nr > LINES_MAX)
        buf_addf(view->layout.out, "    and %zu lines more\n", lines.nr - LINES_MAX);
    strvec_release(&lines);
    buf_release(&diff);
}
