#include "observe/sample/sample_decode.h"

#include <stddef.h>
#include <string.h>

/* The end of records other than samples (sample_id_all). */
struct trailer {
    uint32_t process, thread;
    uint64_t time_ns, id;
};

struct sample_body {
    struct perf_event_header header;
    uint64_t id, address;
    uint32_t process, thread;
    uint64_t time_ns;
};

struct mmap_body { /* PERF_RECORD_MMAP2 */
    struct perf_event_header header;
    uint32_t process, thread;
    uint64_t address, length, offset;
    uint64_t inode_or_build_id[3];
    uint32_t protection, flags;
    char path[];
};

struct task_body { /* PERF_RECORD_FORK */
    struct perf_event_header header;
    uint32_t process, parent, thread, parent_thread;
    uint64_t time_ns;
};

struct lost_body {
    struct perf_event_header header;
    uint64_t id, count;
};

static bool is_miss(const struct sample_ids *ids, uint64_t id)
{
    for (size_t i = 0; i < ids->miss_nr; i++)
        if (ids->miss[i] == id)
            return true;
    return false;
}

static bool decode_sample(const void *at, const struct sample_ids *ids,
                          struct sample_record *record)
{
    const struct sample_body *body = at;

    *record = (struct sample_record){
        .kind = is_miss(ids, body->id) ? SAMPLE_MISS : SAMPLE_CLOCK,
        .time_ns = body->time_ns,
        .process = (int)body->process,
        .thread = (int)body->thread,
        .address = body->address,
    };
    return true;
}

static void decode_trailer(const struct perf_event_header *header,
                           struct sample_record *record)
{
    struct trailer trailer;

    memcpy(&trailer, (const char *)header + header->size - sizeof(trailer),
           sizeof(trailer));
    *record = (struct sample_record){.time_ns = trailer.time_ns,
                                     .process = (int)trailer.process,
                                     .thread = (int)trailer.thread};
}

static bool decode_map(const void *at, struct sample_record *record)
{
    const struct mmap_body *body = at;
    size_t room =
        body->header.size - offsetof(struct mmap_body, path) - sizeof(struct trailer);

    record->kind = SAMPLE_MAP;
    record->process = (int)body->process;
    record->address = body->address;
    record->length = body->length;
    record->offset = body->offset;
    record->path = xstrndup(body->path, strnlen(body->path, room));
    return true;
}

static bool decode_fork(const void *at, struct sample_record *record)
{
    const struct task_body *body = at;

    record->kind = SAMPLE_FORK;
    record->process = (int)body->process;
    record->thread = (int)body->thread;
    record->parent = (int)body->parent;
    return true;
}

bool sample_decode(const struct perf_event_header *header, const struct sample_ids *ids,
                   struct sample_record *record)
{
    if (header->type == PERF_RECORD_SAMPLE)
        return decode_sample(header, ids, record);
    decode_trailer(header, record);
    switch (header->type) {
    case PERF_RECORD_MMAP2:
        return decode_map(header, record);
    case PERF_RECORD_FORK:
        return decode_fork(header, record);
    case PERF_RECORD_COMM:
        record->kind = SAMPLE_EXEC;
        return header->misc & PERF_RECORD_MISC_COMM_EXEC;
    case PERF_RECORD_LOST:
        record->kind = SAMPLE_LOST;
        record->count = ((const struct lost_body *)(const void *)header)->count;
        return true;
    default:
        return false;
    }
}
