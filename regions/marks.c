/* The calls of inflight.h: what happens in each begin and end. */
#include "regions/inflight.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "regions/mark_counts.h"
#include "regions/recorder.h"

/* Calls that take as long on average are worth asking the system about: it answers in
 * about a microsecond. */
static const uint64_t worth_asking_ns = 200000;

static void add(uint64_t *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* ---- finding the call path ---- */

static uint32_t mix(const char *name, uint32_t parent)
{
    uint32_t hash = 2166136261u ^ parent;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash ^ hash >> 15;
}

static uint32_t search_children(struct regions_lane *lane, uint32_t parent, uint32_t name)
{
    uint32_t node = lane->node[parent].child;
    while (node && lane->node[node].name != name)
        node = lane->node[node].sibling;
    if (node || lane->node_nr == REGIONS_NODES_MAX)
        return node;
    node = lane->node_nr;
    lane->node[node] = (struct regions_node){.name = name,
                                             .parent = parent,
                                             .sibling = lane->node[parent].child,
                                             .random_share = -1};
    lane->node[parent].child = node;
    lane->node_nr++;
    return node;
}

/* Sets the name's number; the node, or 0 where there is no room. */
static uint32_t find_node(struct inflight_thread *thread, const char *text,
                          uint32_t *name)
{
    struct regions_lane *lane = thread->lane;
    uint32_t parent = lane->depth ? lane->frame[lane->depth - 1].node : 0;
    bool unrecorded = lane->depth && !parent;
    uint32_t *cached = &thread->cache[mix(text, parent) & 255];
    const struct regions_node *node = &lane->node[*cached];
    if (!unrecorded && *cached && node->parent == parent &&
        !strcmp(inflight_recorder_header->name[node->name].text, text)) {
        *name = node->name;
        return *cached;
    }
    *name = inflight_recorder_name(text);
    if (*name == REGIONS_NAMES_MAX || unrecorded) {
        lane->lost += *name != REGIONS_NAMES_MAX;
        return 0;
    }
    uint32_t found = search_children(lane, parent, *name);
    lane->lost += !found;
    if (found)
        *cached = found;
    return found;
}

/* ---- begin ---- */

static void enter(struct inflight_thread *thread, uint32_t number, uint64_t now)
{
    struct regions_name *name = &inflight_recorder_header->name[number];
    uint64_t never = 0;
    if (thread->open[number]++)
        return;
    if (__atomic_fetch_add(&name->inside, 1, __ATOMIC_RELAXED))
        return;
    __atomic_fetch_sub(&name->wall_ns, (int64_t)now, __ATOMIC_RELAXED);
    if (!name->first_ns)
        __atomic_compare_exchange_n(&name->first_ns, &never, now, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
}

void inflight_recorder_open(struct inflight_thread *thread, const char *name)
{
    struct regions_lane *lane = thread->lane;
    uint32_t number;
    if (lane->depth == REGIONS_DEPTH_MAX || thread->too_deep) {
        thread->too_deep++;
        lane->lost++;
        return;
    }
    uint32_t found = find_node(thread, name, &number);
    if (number == REGIONS_NAMES_MAX)
        return;
    struct regions_frame *frame = &lane->frame[lane->depth];
    const struct regions_node *node = &lane->node[found];
    frame->name = number;
    frame->node = found;
    frame->asked =
        found && (!node->calls || node->time_ns / node->calls >= worth_asking_ns);
    if (frame->asked)
        inflight_counters_ask(frame);
    if (thread->events >= 0)
        inflight_counters_read(thread->events, frame->count);
    frame->start_ns = inflight_recorder_now();
    lane->depth++;
    lane->last_ns = frame->start_ns;
    enter(thread, number, frame->start_ns);
}

void inflight_record_begin(const char *name)
{
    struct inflight_thread *thread = inflight_recorder_thread();
    if (!thread)
        return;
    if (name)
        inflight_recorder_open(thread, name);
    else
        add(&inflight_recorder_header->nameless);
}

/* ---- end ---- */

static void leave(struct inflight_thread *thread, uint32_t number, uint64_t now)
{
    struct regions_name *name = &inflight_recorder_header->name[number];
    if (--thread->open[number])
        return;
    if (__atomic_fetch_sub(&name->inside, 1, __ATOMIC_RELAXED) != 1)
        return;
    __atomic_fetch_add(&name->wall_ns, (int64_t)now, __ATOMIC_RELAXED);
    __atomic_store_n(&name->last_ns, now, __ATOMIC_RELAXED);
}

static void add_answers(const struct regions_frame *frame, struct regions_node *node,
                        uint64_t ns)
{
    struct regions_frame after;
    inflight_counters_ask(&after);
    node->asked_ns += ns;
    node->processor_ns += after.processor_ns - frame->processor_ns;
    node->minor_faults += after.minor_faults - frame->minor_faults;
    node->major_faults += after.major_faults - frame->major_faults;
    node->switches += after.switches - frame->switches;
}

static void add_counts(int set, const struct regions_frame *frame,
                       struct regions_node *node)
{
    uint64_t count[REGIONS_EVENTS_MAX] = {0};
    inflight_counters_read(set, count);
    for (int i = 0; i < REGIONS_EVENTS_MAX; i++)
        node->count[i] += count[i] - frame->count[i];
}

void inflight_recorder_close(struct inflight_thread *thread, uint64_t now)
{
    struct regions_lane *lane = thread->lane;
    struct regions_frame *frame = &lane->frame[lane->depth - 1];
    struct regions_node *node = &lane->node[frame->node];
    uint64_t ns = now - frame->start_ns;
    if (thread->events >= 0 && frame->node)
        add_counts(thread->events, frame, node);
    if (frame->asked)
        add_answers(frame, node, ns);
    if (frame->node) {
        node->min_ns = !node->calls || ns < node->min_ns ? ns : node->min_ns;
        node->max_ns = ns > node->max_ns ? ns : node->max_ns;
        node->time_ns += ns;
        node->calls++;
        lane->node[node->parent].inside_ns += ns;
    }
    lane->last_ns = now;
    lane->depth--;
    leave(thread, frame->name, now);
}

/* `name` is not the innermost region. */
static void end_another(struct inflight_thread *thread, const char *name, uint64_t now)
{
    struct regions_header *header = inflight_recorder_header;
    struct regions_lane *lane = thread->lane;
    uint32_t number = inflight_recorder_name(name);
    if (number == REGIONS_NAMES_MAX)
        return;
    if (!thread->open[number] && thread->closed[number]) {
        thread->closed[number]--;
        add(&header->name[number].crossed);
        return;
    }
    if (!thread->open[number]) {
        add(&header->name[number].unbegun);
        return;
    }
    for (; lane->frame[lane->depth - 1].name != number;
         inflight_recorder_close(thread, now)) {
        uint32_t inner = lane->frame[lane->depth - 1].name;
        thread->closed[inner]++;
        add(&header->name[inner].closed);
    }
    inflight_recorder_close(thread, now);
}

void inflight_record_end(const char *name)
{
    uint64_t now = inflight_recorder_now();
    struct inflight_thread *thread = inflight_recorder_thread();
    if (!thread)
        return;
    const struct regions_lane *lane = thread->lane;
    if (!name)
        add(&inflight_recorder_header->nameless);
    else if (thread->too_deep)
        thread->too_deep--;
    else if (lane->depth &&
             !strcmp(
                 inflight_recorder_header->name[lane->frame[lane->depth - 1].name].text,
                 name))
        inflight_recorder_close(thread, now);
    else
        end_another(thread, name, now);
}

/* ---- what is told ---- */

/* The innermost open call path of that name; NULL where there is none. */
static struct regions_node *find_open(struct inflight_thread *thread, const char *name,
                                      uint32_t *number)
{
    struct regions_lane *lane = thread->lane;
    *number = name ? inflight_recorder_name(name) : REGIONS_NAMES_MAX;
    for (uint32_t i = lane->depth; i-- > 0;)
        if (!name || lane->frame[i].name == *number) {
            *number = lane->frame[i].name;
            return &lane->node[lane->frame[i].node];
        }
    return NULL;
}

/* What is told of a region that may be none, and cannot be: counted with its name. */
static struct regions_node *node_to_tell(const char *name, bool possible)
{
    struct inflight_thread *thread = inflight_recorder_thread();
    struct regions_header *header = inflight_recorder_header;
    uint32_t number;
    if (!thread || thread->too_deep)
        return NULL;
    struct regions_node *node = find_open(thread, name, &number);
    if (number == REGIONS_NAMES_MAX) {
        if (!name)
            add(&header->nameless);
        return NULL;
    }
    if (!node)
        add(&header->name[number].outside);
    else if (!possible)
        add(&header->name[number].negative);
    return possible && node != thread->lane->node ? node : NULL;
}

void inflight_record_bytes(const char *name, double bytes_read, double bytes_written)
{
    bool possible = bytes_read >= 0 && bytes_read < 1e30 && bytes_written >= 0 &&
                    bytes_written < 1e30;
    struct regions_node *node = node_to_tell(name, possible);
    if (!node)
        return;
    node->read_bytes += bytes_read;
    node->write_bytes += bytes_written;
    node->declared++;
}

void inflight_record_access(const char *name, double random_share)
{
    struct regions_node *node =
        node_to_tell(name, random_share >= 0 && random_share <= 1);
    if (node)
        node->random_share = random_share;
}

const char *inflight_regions_version(void)
{
#define TEXT_OF(number)              #number
#define VERSION(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)
    return VERSION(INFLIGHT_REGIONS_MAJOR, INFLIGHT_REGIONS_MINOR,
                   INFLIGHT_REGIONS_PATCH);
}
