/* What a time line can show on this machine. */
#include <string.h>

#include "observe/report/timeline_show.h"

static const char *state_of(const struct timeline_offer *offer)
{
    return offer->why ? "no" : offer->shown ? "shown" : "asked";
}

/* The reasons, each once, with the events it keeps away. */
static void add_reasons(const struct timeline_offers *offers, struct buf *out)
{
    for (size_t i = 0; i < offers->nr; i++) {
        const char *why = offers->offer[i].why;
        struct buf line = {0};
        bool said = false;
        for (size_t k = 0; why && k < i && !said; k++)
            said = offers->offer[k].why && !strcmp(offers->offer[k].why, why);
        if (!why || said)
            continue;
        buf_addf(&line, "* %s: %s", offers->offer[i].wish.event.name, why);
        buf_add_wrapped(out, buf_str(&line), 2, 79);
        buf_add(out, "\n");
        buf_release(&line);
    }
}

void timeline_offers_text(const struct timeline_offers *offers, struct buf *out)
{
    buf_addf(out, "%-32s %-20s %-7s %s\n", "event", "called", "unit", "here");
    for (size_t i = 0; i < offers->nr; i++) {
        const struct timeline_event *event = &offers->offer[i].wish.event;
        buf_addf(out, "%-32s %-20s %-7s %s\n", event->name, event->label, event->unit,
                 state_of(&offers->offer[i]));
    }
    buf_add(out, "\nshown: by default; asked: with --events, for a list of names with "
                 "commas\nbetween them; no: does not count here, because:\n");
    add_reasons(offers, out);
    for (size_t i = 0; i < offers->note.nr; i++) {
        struct buf line = {0};
        buf_addf(&line, "* %s", offers->note.v[i]);
        buf_add_wrapped(out, buf_str(&line), 2, 79);
        buf_add(out, "\n");
        buf_release(&line);
    }
}
