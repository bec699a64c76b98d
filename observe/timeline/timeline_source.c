#include "observe/timeline/timeline_source.h"

static const struct timeline_reading unknown = {.share = 1};

size_t timeline_readings_add(struct timeline_readings *readings,
                             const struct timeline_event *event)
{
    size_t place = timeline_add_event(readings->timeline, event);

    GROW(readings->v, place + 1, readings->alloc);
    readings->v[place] = unknown;
    return place;
}

void timeline_readings_begin(struct timeline_readings *readings, double at_s)
{
    readings->at_s = at_s;
    for (size_t i = 0; i < readings->timeline->event_nr; i++)
        readings->v[i] = unknown;
}

void timeline_readings_set(struct timeline_readings *readings, size_t event, double value)
{
    readings->v[event] = (struct timeline_reading){true, value, 1};
}
