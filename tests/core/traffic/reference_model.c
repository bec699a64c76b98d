#include "tests/core/traffic/reference_model.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/base/array.h"

static void ref_level_init(struct ref_level *level, uint64_t lines, uint64_t ways,
                           bool folded)
{
    level->way_nr = lines < ways ? lines : ways;
    level->set_nr = lines / level->way_nr;
    level->fold = folded ? level->set_nr : 0;
    level->way = xcalloc(level->set_nr * level->way_nr, sizeof(*level->way));
}

/* A line's set: line mod sets, after xoring the two next groups of bits into the lowest
 * ones. */
static struct ref_line *ref_set(const struct ref_level *level, uint64_t line)
{
    uint64_t block = 1;

    while (2 * block <= level->fold)
        block *= 2;
    if (level->fold > 1)
        line = line / block * block +
               (line % block ^ line / block % block ^ line / block / block % block);
    return &level->way[line % level->set_nr * level->way_nr];
}

static struct ref_line *ref_find(const struct ref_level *level, uint64_t line)
{
    struct ref_line *set = ref_set(level, line);

    for (uint64_t i = 0; i < level->way_nr; i++)
        if (set[i].used && set[i].line == line)
            return &set[i];
    return NULL;
}

static void ref_leave(struct reference *ref, int k, struct ref_line *old);

static struct ref_line *ref_insert(struct reference *ref, int k, struct ref_level *level,
                                   uint64_t line)
{
    struct ref_line *oldest = ref_set(level, line), old;

    for (uint64_t i = 1; i < level->way_nr; i++)
        if (ref_set(level, line)[i].used < oldest->used)
            oldest = &ref_set(level, line)[i];
    old = *oldest;
    memset(oldest, 0, sizeof(*oldest));
    oldest->line = line;
    oldest->used = ++*ref->time;
    if (old.used && level != &ref->tlb)
        ref_leave(ref, k, &old);
    return oldest;
}

/* What levels above have of a line that level k loses; dirt crosses every edge. */
static void ref_take_back(struct reference *ref, int k, struct ref_line *old)
{
    bool dirty = false;
    int owner = 0;

    for (int above = 0; above < k; above++) {
        struct ref_line *there = ref_find(&ref->level[above], old->line);

        if (there && there->dirty) {
            dirty = true;
            owner = there->owner;
        }
        if (there)
            memset(there, 0, sizeof(*there));
        if (dirty)
            ref->counts[owner].writebacks[above]++;
    }
    if (dirty && !old->dirty) {
        old->dirty = true;
        old->owner = owner;
    }
}

/* A line that has just been taken out of level k goes where it must. */
static void ref_leave(struct reference *ref, int k, struct ref_line *old)
{
    struct ref_level *level = &ref->level[k + 1];
    struct ref_line *below;

    if (ref->level[k].inclusion == CACHE_INCLUSIVE)
        ref_take_back(ref, k, old);
    if (old->dirty)
        ref->counts[old->owner].writebacks[k]++;
    if (k + 1 == ref->geometry->level_nr ||
        (!old->dirty && level->inclusion != CACHE_EXCLUSIVE))
        return;
    below = ref_find(level, old->line);
    if (!below && ref->geometry->plain) {
        ref_leave(ref, k + 1, old);
        return;
    }
    if (!below)
        below = ref_insert(ref, k + 1, level, old->line);
    if (level->inclusion == CACHE_EXCLUSIVE)
        below->used = ++*ref->time;
    if (old->dirty && !below->dirty)
        below->owner = old->owner;
    below->dirty |= old->dirty;
}

static void ref_translate(struct reference *ref, uint64_t line)
{
    uint64_t page = line * ref->line_bytes / ref->geometry->page_bytes;
    struct ref_line *entry = ref_find(&ref->tlb, page);

    if (entry) {
        entry->used = ++*ref->time;
        return;
    }
    ref->counts[ref->part].walks++;
    ref_insert(ref, 0, &ref->tlb, page);
}

static void ref_candidate(struct reference *ref, uint64_t page, int at)
{
    ref->candidate[ref->next_candidate++ % CACHE_CANDIDATES] =
        (struct ref_page){page, 1, at, 0};
}

static struct ref_page *ref_oldest_stream(struct reference *ref)
{
    struct ref_page *oldest = &ref->stream[0];

    for (int i = 1; i < ref->geometry->streams; i++)
        if (ref->stream[i].used < oldest->used)
            oldest = &ref->stream[i];
    return oldest;
}

static bool ref_covered(struct reference *ref, uint64_t line)
{
    uint64_t page = line * ref->line_bytes / 4096;
    int at = (int)(line % (4096 / ref->line_bytes)), step;

    for (int i = 0; i < ref->geometry->streams; i++) {
        struct ref_page *stream = &ref->stream[i];

        if (!stream->used || stream->page != page)
            continue;
        step = (at - stream->at) * stream->step;
        stream->at = at;
        stream->used = step >= 1 && step <= 4 ? ++*ref->time : 0;
        if (!stream->used)
            ref_candidate(ref, page, at);
        return stream->used != 0;
    }
    for (int i = 0; i < CACHE_CANDIDATES; i++) {
        struct ref_page *candidate = &ref->candidate[i];

        if (!candidate->used || candidate->page != page)
            continue;
        step = at - candidate->at;
        candidate->at = at;
        if (step == 0 || abs(step) > 4)
            return false;
        candidate->used = 0;
        *ref_oldest_stream(ref) =
            (struct ref_page){page, ++*ref->time, at, step > 0 ? 1 : -1};
        return false;
    }
    ref_candidate(ref, page, at);
    return false;
}

/* A miss of level `to`: counts for every level down to where the line is, then fills
 * upwards; an exclusive level gives its line away and is not filled. */
static struct ref_line *ref_fetch(struct reference *ref, uint64_t line, int to,
                                  bool software, int *found)
{
    struct cache_counts *counts = &ref->counts[ref->part];
    int level_nr = ref->geometry->level_nr;
    struct ref_line *got = NULL, taken = {0};
    bool covered;

    ref_translate(ref, line);
    covered = !software && ref->geometry->streams > 0 && ref_covered(ref, line);
    for (*found = to + 1; *found < level_nr; ++*found)
        if ((got = ref_find(&ref->level[*found], line)) != NULL)
            break;
    if (got)
        got->used = ++*ref->time;
    if (got && !software)
        counts->hits[*found]++;
    if (got && ref->level[*found].inclusion == CACHE_EXCLUSIVE) {
        taken = *got;
        memset(got, 0, sizeof(*got));
    }
    for (int k = *found - 1; k >= to; k--) {
        counts->fills[k]++;
        counts->covered[k] += covered;
        counts->software[k] += software;
        if (k > to && ref->level[k].inclusion == CACHE_EXCLUSIVE)
            continue;
        got = ref_insert(ref, k, &ref->level[k], line);
        got->dirty = taken.dirty;
        got->owner = taken.owner;
        taken.dirty = false;
    }
    counts->l1_from[*found - 1] += to == 0;
    counts->l1_covered[*found - 1] += to == 0 && covered;
    return got;
}

static bool all_written(const struct reference *ref, const struct ref_line *line,
                        uint64_t from, uint64_t bytes)
{
    (void)ref;
    for (uint64_t i = from; i < from + bytes; i++)
        if (!line->written[i])
            return false;
    return true;
}

static void ref_note(struct reference *ref, struct ref_line *line, uint64_t offset,
                     uint64_t bytes, bool write)
{
    if (!line->pending)
        return;
    if (!write) {
        line->pending = all_written(ref, line, offset, bytes);
        return;
    }
    memset(line->written + offset, true, bytes);
    if (all_written(ref, line, 0, ref->line_bytes)) {
        ref->counts[line->owner].overwritten++;
        line->pending = false;
    }
}

static void ref_touch(struct reference *ref, uint64_t line, uint64_t offset,
                      uint64_t bytes, bool write)
{
    struct ref_line *got = ref_find(&ref->level[0], line);
    int found;

    if (!got) {
        got = ref_fetch(ref, line, 0, false, &found);
        got->pending = write && found == ref->geometry->level_nr;
    } else {
        ref->counts[ref->part].hits[0]++;
    }
    got->used = ++*ref->time;
    if (write && !got->dirty)
        got->owner = ref->part;
    got->dirty |= write;
    ref_note(ref, got, offset, bytes, write);
}

/* Calls `each` line's part of an access. */
void reference_access(struct reference *ref, uint64_t address, uint64_t bytes, bool write)
{
    ref->counts[ref->part].accesses++;
    ref->counts[ref->part].bytes += bytes;
    ref->counts[ref->part].stores += write;
    ref->counts[ref->part].stored += write ? bytes : 0;
    for (uint64_t end = address + bytes; address < end;) {
        uint64_t next = (address / ref->line_bytes + 1) * ref->line_bytes;
        uint64_t here = (next < end ? next : end) - address;

        ref_touch(ref, address / ref->line_bytes, address % ref->line_bytes, here, write);
        address += here;
    }
}

void reference_prefetch(struct reference *ref, uint64_t address, int level)
{
    uint64_t line = address / ref->line_bytes;
    int found;

    if (level >= ref->geometry->level_nr)
        level = ref->geometry->level_nr - 1;
    for (int k = 0; k <= level; k++)
        if (ref_find(&ref->level[k], line))
            return;
    ref_fetch(ref, line, level, true, &found);
}

static struct ref_line *ref_buffer(struct reference *ref, uint64_t line)
{
    struct ref_line *buffer, *cached;

    for (int i = 0; i < CACHE_LINE_BUFFERS; i++)
        if (ref->buffer[i].used && ref->buffer[i].line == line)
            return &ref->buffer[i];
    buffer = &ref->buffer[ref->next_buffer++ % CACHE_LINE_BUFFERS];
    if (buffer->used)
        ref->counts[buffer->owner].nontemporal++;
    memset(buffer, 0, sizeof(*buffer));
    buffer->line = line;
    buffer->owner = ref->part;
    buffer->used = 1;
    for (int k = 0; k < ref->geometry->level_nr; k++)
        if ((cached = ref_find(&ref->level[k], line)) != NULL)
            memset(cached, 0, sizeof(*cached));
    return buffer;
}

void reference_nontemporal(struct reference *ref, uint64_t address, uint64_t bytes)
{
    ref->counts[ref->part].accesses++;
    ref->counts[ref->part].bytes += bytes;
    ref->counts[ref->part].stores++;
    ref->counts[ref->part].stored += bytes;
    for (uint64_t i = 0; i < bytes; i++) {
        struct ref_line *buffer = ref_buffer(ref, (address + i) / ref->line_bytes);

        buffer->written[(address + i) % ref->line_bytes] = true;
        if (all_written(ref, buffer, 0, ref->line_bytes)) {
            ref->counts[buffer->owner].nontemporal++;
            buffer->used = 0;
        }
    }
}

struct reference *reference_new(const struct cache_geometry *geometry)
{
    struct reference *ref = xcalloc(1, sizeof(*ref));

    ref->geometry = geometry;
    ref->time = &ref->own_time;
    ref->line_bytes = (uint64_t)geometry->line_bytes;
    for (int k = 0; k < geometry->level_nr; k++) {
        ref_level_init(&ref->level[k], geometry->level[k].bytes / ref->line_bytes,
                       (uint64_t)geometry->level[k].ways, geometry->level[k].folded);
        ref->level[k].inclusion = geometry->level[k].inclusion;
    }
    ref_level_init(&ref->tlb, (uint64_t)geometry->tlb_entries, 16, true);
    return ref;
}

void reference_free(struct reference *ref)
{
    for (int k = 0; k < ref->geometry->level_nr; k++)
        free(ref->level[k].way);
    free(ref->tlb.way);
    free(ref);
}

uint64_t random_below(uint64_t *state, uint64_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (*state >> 16) % below;
}
