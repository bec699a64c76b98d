#include "core/traffic/tracer/cache_streams.h"

#include <string.h>

#define NO_PAGE UINT64_MAX

static inline unsigned page_hash(uint64_t page)
{
    return (unsigned)(page * UINT64_C(0x9e3779b97f4a7c15) >> 54) % CACHE_PRESENT;
}

void cache_streams_init(struct cache_streams *streams, int nr, unsigned shift)
{
    memset(streams, 0, sizeof(*streams));
    memset(streams->page, 0xff, sizeof(streams->page));
    memset(streams->candidate_page, 0xff, sizeof(streams->candidate_page));
    streams->nr = nr == 0 ? 16 : nr < 0 ? 0 : nr;
    if (streams->nr > CACHE_STREAMS_MAX)
        streams->nr = CACHE_STREAMS_MAX;
    streams->shift = shift;
}

static inline void replace_page(struct cache_streams *streams, uint64_t *place,
                                uint64_t page)
{
    if (*place != NO_PAGE)
        streams->present[page_hash(*place)]--;
    if (page != NO_PAGE)
        streams->present[page_hash(page)]++;
    *place = page;
}

static void add_candidate(struct cache_streams *streams, uint64_t page, int at)
{
    unsigned i = streams->next++ % CACHE_CANDIDATES;

    replace_page(streams, &streams->candidate_page[i], page);
    streams->candidate_at[i] = at;
}

static void follow(struct cache_streams *streams, uint64_t page, int at, int step)
{
    int oldest = 0;

    for (int i = 1; i < streams->nr; i++)
        if (streams->stream[i].stamp < streams->stream[oldest].stamp)
            oldest = i;
    replace_page(streams, &streams->page[oldest], page);
    streams->stream[oldest] = (struct cache_stream){at, step, ++streams->clock};
}

static bool follows(struct cache_streams *streams, int i, int at)
{
    struct cache_stream *stream = &streams->stream[i];
    int ahead = (at - stream->at) * stream->step;

    if (ahead < 1 || ahead > CACHE_STREAM_REACH) {
        uint64_t page = streams->page[i];

        replace_page(streams, &streams->page[i], NO_PAGE);
        stream->stamp = 0;
        add_candidate(streams, page, at);
        return false;
    }
    stream->at = at;
    stream->stamp = ++streams->clock;
    streams->step = stream->step;
    return true;
}

static void train(struct cache_streams *streams, int i, int at)
{
    int step = at - streams->candidate_at[i];

    streams->candidate_at[i] = at;
    if (step == 0 || step < -CACHE_STREAM_REACH || step > CACHE_STREAM_REACH)
        return;
    follow(streams, streams->candidate_page[i], at, step > 0 ? 1 : -1);
    replace_page(streams, &streams->candidate_page[i], NO_PAGE);
}

/* The stream that follows the page, -1 = none; the hint is where the last one of this
 * hash was. */
static int find_stream(struct cache_streams *streams, uint64_t page)
{
    uint8_t *hint = &streams->hint[page_hash(page)];

    if (streams->page[*hint] == page)
        return *hint;
    for (int i = 0; i < streams->nr; i++)
        if (streams->page[i] == page) {
            *hint = (uint8_t)i;
            return i;
        }
    return -1;
}

bool cache_streams_miss(struct cache_streams *streams, uint64_t line)
{
    uint64_t page = line >> streams->shift;
    int at = (int)(line & ((UINT64_C(1) << streams->shift) - 1)), stream;

    if (streams->nr == 0)
        return false;
    if (streams->present[page_hash(page)]) {
        stream = find_stream(streams, page);
        if (stream >= 0)
            return follows(streams, stream, at);
        for (int i = 0; i < CACHE_CANDIDATES; i++)
            if (streams->candidate_page[i] == page) {
                train(streams, i, at);
                return false;
            }
    }
    add_candidate(streams, page, at);
    return false;
}
