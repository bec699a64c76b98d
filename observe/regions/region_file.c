/* The file of one process, checked before anything in it is believed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "observe/regions/region_parts.h"

struct regions_lane *region_file_lane(const struct region_file *file, uint32_t i)
{
    return (struct regions_lane *)(void *)(file->bytes.data + file->header->header_bytes +
                                           i * file->header->lane_bytes);
}

void region_file_release(struct region_file *file)
{
    buf_release(&file->bytes);
    free(file->unfinished);
    *file = (struct region_file){0};
}

static int damaged(const char *path, struct error *err, const char *what)
{
    return fail(err, STATUS_INPUT,
                "'%s' is damaged: %s; remove it to read what the other processes left",
                path, what);
}

static bool ends(const char *text, size_t size)
{
    return memchr(text, 0, size);
}

static int check_header(const char *path, const struct buf *bytes, struct error *err)
{
    const struct regions_header *header = (const void *)bytes->data;
    if (bytes->length < sizeof(header->magic) ||
        memcmp(header->magic, REGIONS_MAGIC, sizeof(header->magic)))
        return fail(err, STATUS_INPUT,
                    "'%s' was not written by a program with region markers; remove it",
                    path);
    if (bytes->length < sizeof(*header))
        return damaged(path, err, "it ends within its header");
    if (header->byte_order != REGIONS_BYTE_ORDER)
        return fail(err, STATUS_INPUT,
                    "'%s' was written on a machine of another byte order: read it there",
                    path);
    if (header->format != REGIONS_FORMAT)
        return fail(err, STATUS_INPUT,
                    "'%s' has format %u and this inflight reads %d: link the program "
                    "with the libinflight_regions of this version",
                    path, header->format, REGIONS_FORMAT);
    if (header->header_bytes < sizeof(*header) || header->header_bytes > bytes->length ||
        header->header_bytes % 8 || header->lane_bytes < sizeof(struct regions_lane) ||
        header->lane_bytes % 8 || header->lane_nr > REGIONS_LANES_MAX ||
        (bytes->length - header->header_bytes) / header->lane_bytes < header->lane_nr)
        return damaged(path, err, "threads are missing");
    if (header->name_nr > REGIONS_NAMES_MAX || header->event_nr > REGIONS_EVENTS_MAX ||
        !ends(header->host, sizeof(header->host)) ||
        !ends(header->program, sizeof(header->program)) ||
        !ends(header->why, sizeof(header->why)))
        return damaged(path, err, "its header contradicts itself");
    return 0;
}

static int check_texts(const char *path, const struct regions_header *header,
                       struct error *err)
{
    for (uint32_t i = 0; i < header->name_nr; i++)
        if (!ends(header->name[i].text, REGIONS_NAME_BYTES))
            return damaged(path, err, "a region's name does not end");
    for (uint32_t i = 0; i < header->event_nr; i++)
        if (!ends(header->event[i], REGIONS_EVENT_BYTES))
            return damaged(path, err, "an event's name does not end");
    return 0;
}

static bool is_lane(const struct regions_lane *lane, uint32_t names)
{
    if (lane->node_nr < 1 || lane->node_nr > REGIONS_NODES_MAX ||
        lane->depth > REGIONS_DEPTH_MAX)
        return false;
    for (uint32_t i = 1; i < lane->node_nr; i++) {
        const struct regions_node *node = &lane->node[i];
        if (node->parent >= i || node->name >= names || !isfinite(node->read_bytes) ||
            !isfinite(node->write_bytes) || !(node->random_share <= 1))
            return false;
    }
    for (uint32_t i = 0; i < lane->depth; i++)
        if (lane->frame[i].node >= lane->node_nr || lane->frame[i].name >= names)
            return false;
    return true;
}

/* ---- what was under way at the end ---- */

/* The latest that is known of the process. */
static uint64_t find_end(const struct region_file *file, const struct region_end *end)
{
    const struct regions_header *header = file->header;
    uint64_t last = header->start_ns;
    if (header->end_ns)
        return header->end_ns;
    for (uint32_t i = 0; i < header->lane_nr; i++)
        if (region_file_lane(file, i)->last_ns > last)
            last = region_file_lane(file, i)->last_ns;
    if (end && end->pid == header->pid && end->clock_s * 1e9 > (double)last)
        return (uint64_t)(end->clock_s * 1e9);
    return last;
}

static void end_frames(struct region_file *file, uint32_t number, uint64_t end_ns)
{
    struct regions_lane *lane = region_file_lane(file, number);
    for (; lane->depth; lane->depth--) {
        const struct regions_frame *frame = &lane->frame[lane->depth - 1];
        struct regions_node *node = &lane->node[frame->node];
        uint64_t ns = end_ns > frame->start_ns ? end_ns - frame->start_ns : 0;
        file->open[frame->name]++;
        if (!frame->node)
            continue;
        struct region_unfinished *unfinished =
            &file->unfinished[(size_t)number * REGIONS_NODES_MAX + frame->node];
        unfinished->nr++;
        unfinished->time_ns += ns;
        node->time_ns += ns;
        lane->node[node->parent].inside_ns += ns;
    }
}

static void end_all(struct region_file *file, const struct region_end *end)
{
    struct regions_header *header = (struct regions_header *)(void *)file->bytes.data;
    uint64_t end_ns = find_end(file, end);
    file->start_s = (double)header->start_ns * 1e-9;
    file->end_s = (double)end_ns * 1e-9;
    file->unfinished = xcalloc((size_t)header->lane_nr * REGIONS_NODES_MAX + 1,
                               sizeof(*file->unfinished));
    for (uint32_t i = 0; i < header->lane_nr; i++)
        end_frames(file, i, end_ns);
    for (uint32_t i = 0; i < header->name_nr; i++)
        if (header->name[i].inside > 0) {
            header->name[i].wall_ns += (int64_t)end_ns;
            header->name[i].last_ns = end_ns;
        }
}

/* ---- all of it ---- */

static bool is_silent(const struct buf *bytes)
{
    for (size_t i = 0; i < bytes->length && i < 16; i++)
        if (bytes->data[i])
            return false;
    return true;
}

int region_file_read(const char *path, const struct region_end *end,
                     struct region_file *file, struct error *err)
{
    *file = (struct region_file){0};
    if (file_read(path, &file->bytes, err))
        return -1;
    if (is_silent(&file->bytes)) {
        region_file_release(file);
        return 1;
    }
    int status = check_header(path, &file->bytes, err);
    file->header = (const void *)file->bytes.data;
    if (!status)
        status = check_texts(path, file->header, err);
    for (uint32_t i = 0; !status && i < file->header->lane_nr; i++)
        if (!is_lane(region_file_lane(file, i), file->header->name_nr))
            status = damaged(path, err, "what a thread counted contradicts itself");
    if (status)
        region_file_release(file);
    else
        end_all(file, end);
    return status;
}
