/*
 * The streams that a hardware prefetcher would follow. Needs only the C library; compiled
 * with cache_model.c.
 *
 * Rule, per 4 KiB page: two misses in a page at most 4 lines apart make a stream in that
 * direction; each further miss 1 to 4 lines ahead of the last one is covered; any other
 * miss of that page makes it an untrained page again. Untrained pages are kept in a FIFO
 * of 32, streams in an LRU table of `nr`, in which only a newly trained stream may take a
 * place. So a long stream of 64-byte lines is covered to 62/64, random misses hardly
 * ever, and random misses between the lines of a stream do not end it. Lines fetched
 * beyond the end of a stream are not counted.
 */
#ifndef CORE_TRAFFIC_CACHE_STREAMS_H
#define CORE_TRAFFIC_CACHE_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CACHE_STREAMS_MAX = 64,
    CACHE_CANDIDATES = 32,  /* untrained pages that are remembered */
    CACHE_STREAM_REACH = 4, /* lines ahead that still belong to a stream */
    CACHE_STREAM_PAGE = 4096,
    CACHE_PRESENT = 1024,
};

struct cache_stream {
    int at, step;
    uint64_t stamp;
};
struct cache_streams {
    uint64_t page[CACHE_STREAMS_MAX];
    struct cache_stream stream[CACHE_STREAMS_MAX];
    uint64_t candidate_page[CACHE_CANDIDATES];
    int candidate_at[CACHE_CANDIDATES];
    int nr; /* size of the table */
    unsigned next;
    unsigned shift; /* lines of a page, log2 */
    uint64_t clock;
    int step;                       /* of the stream that was ahead last: 1 or -1 */
    uint8_t present[CACHE_PRESENT]; /* tracked pages by hash */
    uint8_t hint[CACHE_PRESENT];
};

/* nr: 0 = 16, negative = none. */
void cache_streams_init(struct cache_streams *streams, int nr, unsigned shift);
/* Takes note of a demand miss; whether a stream was ahead of it. */
bool cache_streams_miss(struct cache_streams *streams, uint64_t line);

#endif
