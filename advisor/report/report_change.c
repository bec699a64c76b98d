/* The report for a terminal: the loop as it was and as it is, in a few lines. */
#include <stdlib.h>
#include <string.h>

#include "advisor/report/report_view.h"
#include "core/base.h"

enum { LINES_MAX = 14, TAB = 4 };

/* Of a plan's diff in `code` (code_diffs.h), "0-12 40 3": its lines, in order. False when
 * it is damaged. */
static bool expand(const json_t *code, const char *ranges, struct strvec *lines)
{
    const json_t *known = json_object_get(code, "lines");
    while (*ranges) {
        char *end;
        unsigned long first = strtoul(ranges, &end, 10), last = first;
        if (end == ranges)
            return false;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (last < first || last >= json_array_size(known) || (*end && *end != ' '))
            return false;
        for (; first <= last; first++)
            strvec_push(lines, json_string_value(json_array_get(known, first)));
        ranges = end + strspn(end, " ");
    }
    return true;
}

static bool is_changed(const char *line)
{
    return (line[0] == '-' || line[0] == '+') && strncmp(line, "--- ", 4) &&
           strncmp(line, "+++ ", 4);
}

/* The hunk that takes the most of the original away is the loop's; the others are what it
 * needs around it. *end is behind its last line. */
static size_t main_hunk(const struct strvec *lines, size_t *end)
{
    size_t best = lines->nr, most = 0;
    for (size_t i = 0; i < lines->nr;) {
        size_t next = i + 1, taken = 0;
        for (; next < lines->nr && strncmp(lines->v[next], "@@ ", 3); next++)
            taken += lines->v[next][0] == '-' && is_changed(lines->v[next]);
        if (!strncmp(lines->v[i], "@@ ", 3) && taken > most) {
            most = taken;
            best = i + 1;
            *end = next;
        }
        i = next;
    }
    return best;
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

void view_change(struct view *view)
{
    const json_t *code = json_object_get(view->report, "code");
    const char *plan = report_word(json_object_get(view->report, "best"), "plan");
    struct strvec lines = {0};
    size_t end = 0, shown = 0, left = 0;
    if (!*plan ||
        !expand(code, report_word(json_object_get(code, "diffs"), plan), &lines)) {
        strvec_release(&lines);
        return;
    }
    for (size_t i = main_hunk(&lines, &end); i < end; i++) {
        if (!is_changed(lines.v[i]))
            continue;
        if (!shown)
            layout_heading(&view->layout, "What was changed");
        if (shown == LINES_MAX)
            left++;
        else if (++shown)
            show_line(view, lines.v[i]);
    }
    if (left)
        buf_addf(view->layout.out, "    and %zu lines more\n", left);
    strvec_release(&lines);
}
