/* The run: one instruction after the other, each with the times of its events. */
#include "core/pipeline/pipeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/pipeline/pipeline_parts.h"

/* ---- slots of a unit that takes a number of things a cycle ---- */

enum { SLOTS = 1 << 13 }; /* more than any access waits for, in slots */

struct slots {
    double rate;     /* a cycle; 0 = unlimited */
    int64_t *number; /* of the slot that lies here, plus 1; 0 = none yet */
    uint32_t *who;
};

static void slots_open(struct slots *slots, double rate)
{
    *slots = (struct slots){.rate = rate > 0 && isfinite(rate) ? rate : 0};
    if (slots->rate <= 0)
        return;
    slots->number = xcalloc(SLOTS, sizeof(*slots->number));
    slots->who = xcalloc(SLOTS, sizeof(*slots->who));
}

static void slots_close(struct slots *slots)
{
    free(slots->number);
    free(slots->who);
}

/* The first one that is free from `from` on. *before: who has the one before it, where
 * that had to be waited for; else UINT32_MAX. */
static double slots_take(struct slots *slots, double from, uint32_t me, uint32_t *before)
{
    int64_t first, at;

    *before = UINT32_MAX;
    if (slots->rate <= 0)
        return from;
    first = at = (int64_t)floor(from * slots->rate);
    while (slots->number[at & (SLOTS - 1)] == at + 1)
        at++;
    slots->number[at & (SLOTS - 1)] = at + 1;
    slots->who[at & (SLOTS - 1)] = me;
    if (at > first + 1) /* by chance two may come at once, also where there is room */
        *before = slots->who[(at - 1) & (SLOTS - 1)];
    return fmax(from, (double)at / slots->rate);
}

/* ---- entries that are given free in any order ---- */

struct entry {
    double free_at;
    uint32_t who;
};
struct entries {
    struct entry *heap;
    size_t nr, room; /* room 0 = unlimited */
};

static void entries_open(struct entries *entries, double room)
{
    *entries = (struct entries){.room = room > 0 ? (size_t)room : 0};
    entries->heap = xcalloc(entries->room + 1, sizeof(*entries->heap));
}

static void swap(struct entry *a, struct entry *b)
{
    struct entry kept = *a;

    *a = *b;
    *b = kept;
}

static void entries_push(struct entries *entries, double free_at, uint32_t who)
{
    size_t i = entries->nr;

    if (!entries->room)
        return;
    entries->heap[entries->nr++] = (struct entry){free_at, who};
    for (; i && entries->heap[(i - 1) / 2].free_at > entries->heap[i].free_at;
         i = (i - 1) / 2)
        swap(&entries->heap[(i - 1) / 2], &entries->heap[i]);
}

static struct entry entries_pop(struct entries *entries)
{
    struct entry top = entries->heap[0];
    size_t i = 0;

    entries->heap[0] = entries->heap[--entries->nr];
    for (;;) {
        size_t child = 2 * i + 1;

        if (child + 1 < entries->nr &&
            entries->heap[child + 1].free_at < entries->heap[child].free_at)
            child++;
        if (child >= entries->nr ||
            entries->heap[i].free_at <= entries->heap[child].free_at)
            return top;
        swap(&entries->heap[i], &entries->heap[child]);
        i = child;
    }
}

/* Moves `time` to when one is free: true when that had to be waited for. */
static bool entries_wait(struct entries *entries, double *time, uint32_t *who)
{
    while (entries->nr && entries->heap[0].free_at <= *time)
        entries_pop(entries);
    if (!entries->room || entries->nr < entries->room)
        return false;
    struct entry first = entries_pop(entries);
    *time = first.free_at;
    *who = first.who;
    return true;
}

/* ---- a buffer that is given free in order ---- */

struct ring {
    uint32_t *who;
    uint8_t *size;
    size_t first, nr, used, room; /* used: sum of sizes */
};

static void ring_open(struct ring *ring, double room, size_t steps)
{
    *ring = (struct ring){.room = room > 0 ? (size_t)room : SIZE_MAX};
    ring->who = xcalloc(steps + 1, sizeof(*ring->who));
    ring->size = xcalloc(steps + 1, sizeof(*ring->size));
}

static void ring_close(struct ring *ring)
{
    free(ring->who);
    free(ring->size);
}

static void ring_push(struct ring *ring, uint32_t who, uint8_t size)
{
    ring->who[ring->nr] = who;
    ring->size[ring->nr++] = size;
    ring->used += size;
}

/* ---- what stands where, by address ---- */

struct slot {
    uint64_t key;
    double time;
    uint32_t who;
    bool used;
};
struct map {
    struct slot *slot;
    size_t room;
};

static void map_open(struct map *map, size_t nr)
{
    map->room = 1024;
    while (map->room < 4 * nr)
        map->room *= 2;
    map->slot = xcalloc(map->room, sizeof(*map->slot));
}

static struct slot *map_at(const struct map *map, uint64_t key)
{
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 24) & (map->room - 1);

    while (map->slot[i].used && map->slot[i].key != key)
        i = (i + 1) & (map->room - 1);
    return &map->slot[i];
}

static void map_set(struct map *map, uint64_t key, double time, uint32_t who)
{
    *map_at(map, key) = (struct slot){key, time, who, true};
}

/* ---- the core ---- */

enum { LINE_BITS = 6, GRANULE_BITS = 3, CODE_LINES_MAX = 1 << 12 };

struct in_flight {
    double from, to;
};

struct run {
    const struct pipeline_stream *stream;
    const struct cpu_core *core;
    const struct pipeline_memory *memory;
    unsigned without;
    struct events *events;
    uint32_t writer[WORK_REGISTER_NR];
    struct ring rob, loads, stores;
    struct entries scheduler, fp_scheduler, mshrs;
    struct slots unit[WORK_CLASS_NR], integer, vector, load_port, walker,
        channel[PIPELINE_LEVELS_MAX];
    struct map lines, stored;
    struct map code;   /* line of code -> when it was run last, in lines of code */
    double code_bytes; /* of all instructions */
    double code_time;
    uint64_t code_line;
    double fetched; /* no dispatch before */
    struct wait for_fetch;
    double dispatch_at, retire_at; /* of the step before */
    uint32_t store_before;
    struct in_flight *miss; /* the lines that L1 waited for */
    size_t miss_nr;
};

static bool is_off(const struct run *run, enum cause cause)
{
    return run->without >> cause & 1;
}

static bool is_vector_class(enum work_class class)
{
    return class >= WORK_FP_ADD && class <= WORK_TRANSFER;
}

static double rate_unless(const struct run *run, enum cause cause, double rate)
{
    return is_off(run, cause) ? 0 : rate;
}

static double room_unless(const struct run *run, enum cause cause, double room)
{
    return is_off(run, cause) ? 0 : room;
}

enum cause bandwidth_cause(const struct pipeline_memory *memory, int from)
{
    return from >= memory->level_nr ? CAUSE_MEMORY_BANDWIDTH
           : from == 1              ? CAUSE_L2_BANDWIDTH
                                    : CAUSE_L3_BANDWIDTH;
}

static void run_open(struct run *run)
{
    const struct cpu_core *core = run->core;
    size_t steps = run->stream->step_nr, accesses = 0;

    for (size_t i = 0; i < steps; i++)
        accesses += run->stream->step[i].access_nr;
    run->events = xcalloc(steps, sizeof(*run->events));
    run->miss = xcalloc(accesses + 1, sizeof(*run->miss));
    for (int r = 0; r < WORK_REGISTER_NR; r++)
        run->writer[r] = UINT32_MAX;
    for (size_t i = 0; i < run->stream->instruction_nr; i++)
        run->code_bytes += run->stream->instruction[i].bytes;
    run->store_before = UINT32_MAX;
    run->code_line = UINT64_MAX;
    ring_open(&run->rob, room_unless(run, CAUSE_REORDER_BUFFER, core->rob_entries),
              steps);
    ring_open(&run->loads, room_unless(run, CAUSE_LOAD_BUFFER, core->load_entries),
              steps);
    ring_open(&run->stores, room_unless(run, CAUSE_STORES, core->store_entries), steps);
    entries_open(&run->scheduler,
                 room_unless(run, CAUSE_SCHEDULER, core->scheduler_entries));
    entries_open(&run->fp_scheduler,
                 room_unless(run, CAUSE_SCHEDULER, core->scheduler_fp_entries));
    entries_open(&run->mshrs, room_unless(run, CAUSE_L1_MSHRS, run->memory->l1_mshrs));
    for (int c = 0; c < WORK_CLASS_NR; c++)
        slots_open(&run->unit[c], rate_unless(run, CAUSE_ARITHMETIC, core->per_cycle[c]));
    slots_open(&run->integer, rate_unless(run, CAUSE_ARITHMETIC, core->alu_pipes));
    slots_open(&run->vector, rate_unless(run, CAUSE_ARITHMETIC, core->fp_pipes));
    slots_open(&run->load_port,
               rate_unless(run, CAUSE_L1_BANDWIDTH, core->loads_per_cycle));
    slots_open(
        &run->walker,
        rate_unless(run, CAUSE_PAGE_WALKS,
                    run->memory->walk_every > 0 ? 1 / run->memory->walk_every : 0));
    for (int k = 1; k <= run->memory->level_nr; k++)
        slots_open(&run->channel[k], rate_unless(run, bandwidth_cause(run->memory, k),
                                                 run->memory->line_cycles[k] > 0
                                                     ? 1 / run->memory->line_cycles[k]
                                                     : 0));
    map_open(&run->lines, accesses);
    map_open(&run->stored, accesses * 2);
    map_open(&run->code, run->stream->instruction_nr * 2);
}

static void run_close(struct run *run)
{
    free(run->events);
    free(run->miss);
    ring_close(&run->rob);
    ring_close(&run->loads);
    ring_close(&run->stores);
    free(run->scheduler.heap);
    free(run->fp_scheduler.heap);
    free(run->mshrs.heap);
    for (int c = 0; c < WORK_CLASS_NR; c++)
        slots_close(&run->unit[c]);
    slots_close(&run->integer);
    slots_close(&run->vector);
    slots_close(&run->load_port);
    slots_close(&run->walker);
    for (int k = 1; k <= run->memory->level_nr; k++)
        slots_close(&run->channel[k]);
    free(run->lines.slot);
    free(run->stored.slot);
    free(run->code.slot);
}

/* ---- in order: fetch and dispatch ---- */

/* Later of both, with what it was. */
static void wait_until(double time, enum wait_for what, uint32_t at, double *until,
                       struct wait *wait)
{
    if (time <= *until)
        return;
    *until = time;
    *wait = (struct wait){what, at};
}

/* Lines of code since this one was run last: what did not stay in the cache of decoded
 * code is decoded anew, what did not stay in the instruction cache comes from L2 first.
 */
static void fetch(struct run *run, const struct pipeline_instruction *code, uint32_t me)
{
    const struct cpu_core *core = run->core;
    uint64_t line = code->pc >> LINE_BITS;
    const double bytes = 1 << LINE_BITS;
    double cycles = 0;

    if (line == run->code_line || is_off(run, CAUSE_FRONT_END))
        return;
    run->code_line = line;
    run->code_time++;
    struct slot *slot = map_at(&run->code, line);
    /* what was not seen before was run so long ago that all else came between */
    double age = slot->used ? (run->code_time - slot->time) * bytes : run->code_bytes;
    if (age > core->code_cached_bytes && core->code_bytes_per_cycle > 0)
        cycles = bytes / core->code_bytes_per_cycle;
    if (age > core->l1i_bytes && core->l1i_bytes > 0)
        cycles += run->memory->line_cycles[1] > 0 ? run->memory->line_cycles[1]
                                                  : run->memory->latency[1] / 4;
    map_set(&run->code, line, run->code_time, me);
    wait_until(run->dispatch_at + cycles, WAIT_FETCH, me - 1, &run->fetched,
               &run->for_fetch);
}

/* `me` takes `size` places. */
static void make_room(struct run *run, struct ring *ring, enum wait_for what,
                      uint8_t size, double *time, struct wait *wait)
{
    while (ring->used + size > ring->room && ring->first < ring->nr) {
        const struct events *oldest = &run->events[ring->who[ring->first]];
        double free_at = what == WAIT_STORES ? oldest->committed : oldest->retired;

        wait_until(free_at, what, ring->who[ring->first], time, wait);
        ring->used -= ring->size[ring->first++];
    }
}

static void dispatch(struct run *run, uint32_t me)
{
    const struct pipeline_step *step = &run->stream->step[me];
    const struct pipeline_instruction *code = &run->stream->instruction[step->place];
    const struct instruction_work *work = &code->work;
    struct events *now = &run->events[me];
    bool vector = is_vector_class(work->class) && run->core->scheduler_fp_entries > 0;
    struct entries *scheduler = vector ? &run->fp_scheduler : &run->scheduler;
    double width = is_off(run, CAUSE_ISSUE_WIDTH) ? INFINITY : run->core->dispatch_width;
    uint32_t who = 0;
    double time;

    fetch(run, code, me);
    now->for_dispatch = (struct wait){me ? WAIT_ORDER : WAIT_START, me - 1};
    time = me ? run->dispatch_at + work->microops / width : 0;
    wait_until(run->fetched, run->for_fetch.what, run->for_fetch.at, &time,
               &now->for_dispatch);
    make_room(run, &run->rob, WAIT_ROB, work->microops, &time, &now->for_dispatch);
    if (work->loads)
        make_room(run, &run->loads, WAIT_LOADS, 1, &time, &now->for_dispatch);
    if (work->stores)
        make_room(run, &run->stores, WAIT_STORES, 1, &time, &now->for_dispatch);
    if ((work->class != WORK_NONE || work->loads || work->stores) &&
        entries_wait(scheduler, &time, &who))
        now->for_dispatch = (struct wait){WAIT_SCHEDULER, who};
    now->dispatched = run->dispatch_at = time;
    ring_push(&run->rob, me, work->microops);
    if (work->loads)
        ring_push(&run->loads, me, 1);
    if (work->stores)
        ring_push(&run->stores, me, 1);
}

/* ---- memory ---- */

static void register_ready(const struct run *run, uint8_t number, double *time,
                           struct wait *wait)
{
    uint32_t writer = number < WORK_REGISTER_NR ? run->writer[number] : UINT32_MAX;

    if (writer != UINT32_MAX)
        wait_until(run->events[writer].done, WAIT_DATA, writer, time, wait);
}

static void address_ready(const struct run *run, const struct work_memory *memory,
                          struct events *now)
{
    now->addressed = now->dispatched + 1;
    now->for_address = (struct wait){WAIT_DISPATCH, 0};
    if (is_off(run, CAUSE_DEPENDENT_LOADS))
        return;
    register_ready(run, memory->base, &now->addressed, &now->for_address);
    register_ready(run, memory->index, &now->addressed, &now->for_address);
    if (memory->lanes > 1)
        register_ready(run, memory->index_vector, &now->addressed, &now->for_address);
}

/* When the line is in L1, if it is asked for at `time`; fills what that waited for. */
static double fill(struct run *run, const struct pipeline_access *access, double time,
                   uint32_t me, struct events *now)
{
    const struct pipeline_memory *memory = run->memory;
    double latency = memory->latency[access->from], begun, came;
    uint32_t before = UINT32_MAX;

    now->walked = time;
    now->for_walk = (struct wait){WAIT_START, 0};
    if (access->walk && !access->covered && !is_off(run, CAUSE_PAGE_WALKS)) {
        double slot = slots_take(&run->walker, time, me, &before);

        if (before != UINT32_MAX)
            now->for_walk = (struct wait){WAIT_WALKER, before};
        now->walked = slot + memory->walk_cycles;
    }
    begun = now->walked;
    now->for_begin = (struct wait){WAIT_START, 0};
    uint32_t who = 0;
    if (entries_wait(&run->mshrs, &begun, &who))
        now->for_begin = (struct wait){WAIT_MSHR, who};
    now->begun = begun;
    if (access->covered) {
        /* Asked for as long ahead as it takes, as far as the bandwidth allows. */
        double ahead = fmax(begun - latency, 0),
               slot = slots_take(&run->channel[access->from], ahead, me, &before);

        came = begun + memory->latency[1];
        now->for_load = (struct wait){WAIT_START, 0};
        if (before != UINT32_MAX)
            wait_until(slot + latency, WAIT_CHANNEL, before, &came, &now->for_load);
    } else {
        double slot = slots_take(&run->channel[access->from], begun, me, &before);

        came = slot + latency;
        now->for_load =
            (struct wait){before == UINT32_MAX ? WAIT_START : WAIT_CHANNEL, before};
    }
    entries_push(&run->mshrs, came, me);
    double waited = begun - now->walked; /* for an entry */
    run->miss[run->miss_nr++] = (struct in_flight){time + waited, came};
    map_set(&run->lines, access->address >> LINE_BITS, came, me);
    now->level = access->from;
    now->missed = true;
    now->came = came;
    return came;
}

/* The store, still in its buffer, that wrote the first or last bytes of it. */
static uint32_t forwarding(const struct run *run, const struct pipeline_access *access,
                           double time)
{
    const uint64_t at[] = {access->address >> GRANULE_BITS,
                           (access->address + access->bytes - 1) >> GRANULE_BITS};

    for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
        const struct slot *slot = map_at(&run->stored, at[i]);

        if (slot->used && run->events[slot->who].committed > time)
            return slot->who;
    }
    return UINT32_MAX;
}

static void load_one(struct run *run, const struct pipeline_access *access, uint32_t me,
                     struct events *now)
{
    struct events one = *now;
    uint32_t before;
    double port = slots_take(&run->load_port, now->addressed, me, &before);
    double loaded = port + run->core->l1_cycles;
    const struct slot *line = map_at(&run->lines, access->address >> LINE_BITS);
    uint32_t store = forwarding(run, access, port);

    one.issued = port;
    one.for_load = (struct wait){WAIT_START, 0};
    one.level = 0;
    one.missed = false;
    one.walked = one.begun = port;
    one.for_walk = one.for_begin = (struct wait){WAIT_START, 0};
    if (store != UINT32_MAX && access->from == 0) {
        double forward = is_off(run, CAUSE_RECURRENCE) ? 0 : run->core->forward_cycles;

        wait_until(fmax(port, run->events[store].done) + forward, WAIT_FORWARD, store,
                   &loaded, &one.for_load);
    } else if (access->from > 0) {
        loaded = fill(run, access, port, me, &one);
    } else if (line->used && line->time > loaded) {
        wait_until(line->time, WAIT_LINE, line->who, &loaded, &one.for_load);
    }
    one.loaded = loaded;
    if (loaded > now->loaded)
        *now = one;
}

/* Accesses at the end that are stores to elsewhere than it loads from. */
static uint32_t stores_apart(const struct run *run, const struct pipeline_step *step)
{
    return run->stream->instruction[step->place].work.is_apart && step->access_nr > 1;
}

static void load(struct run *run, uint32_t me)
{
    const struct pipeline_step *step = &run->stream->step[me];
    struct events *now = &run->events[me];

    now->loaded = -1;
    now->for_load = (struct wait){WAIT_START, 0};
    for (uint32_t i = 0; i < step->access_nr - stores_apart(run, step); i++)
        load_one(run, &run->stream->access[step->access + i], me, now);
    if (now->loaded < 0) { /* its address is not known */
        now->issued = now->walked = now->begun = now->addressed;
        now->loaded = now->addressed + run->core->l1_cycles;
    }
}

/* The line is asked for when the address is known. */
static void store(struct run *run, uint32_t me)
{
    const struct pipeline_step *step = &run->stream->step[me];
    struct events *now = &run->events[me];
    uint32_t first = stores_apart(run, step) ? step->access_nr - 1 : 0;
    /* what it has loaded it has asked for already */
    bool own = first || !run->stream->instruction[step->place].work.loads;

    now->filled = now->addressed;
    if (own)
        now->issued = now->walked = now->begun = now->addressed;
    for (uint32_t i = first; i < step->access_nr; i++) {
        const struct pipeline_access *access = &run->stream->access[step->access + i];
        const struct slot *line = map_at(&run->lines, access->address >> LINE_BITS);
        double came = now->addressed;

        if (access->from > 0 && own)
            came = fill(run, access, now->addressed, me, now);
        else if (line->used)
            came = line->time;
        now->filled = fmax(now->filled, came);
    }
}

static void note_stored(struct run *run, uint32_t me)
{
    const struct pipeline_step *step = &run->stream->step[me];

    for (uint32_t i = 0; i < step->access_nr; i++) {
        const struct pipeline_access *access = &run->stream->access[step->access + i];

        for (uint64_t at = access->address >> GRANULE_BITS;
             at <= (access->address + access->bytes - 1) >> GRANULE_BITS; at++)
            map_set(&run->stored, at, 0, me);
    }
}

/* In order, behind its retirement. */
static void commit(struct run *run, uint32_t me)
{
    struct events *now = &run->events[me];
    double every = run->core->stores_per_cycle > 0 && !is_off(run, CAUSE_STORES)
                       ? 1 / run->core->stores_per_cycle
                       : 0;

    now->committed = now->retired;
    now->for_commit = (struct wait){WAIT_RETIRED, 0};
    if (run->store_before != UINT32_MAX)
        wait_until(run->events[run->store_before].committed + every, WAIT_ORDER,
                   run->store_before, &now->committed, &now->for_commit);
    wait_until(now->filled, WAIT_LINE, me, &now->committed, &now->for_commit);
    run->store_before = me;
    note_stored(run, me);
}

/* ---- execution ---- */

/* Operations that a wider register than the units have is split into. */
static int parts_of(const struct run *run, const struct instruction_work *work)
{
    bool divides = work->class == WORK_FP_DIVIDE || work->class == WORK_FP_SQRT;
    int bits = divides ? run->core->divide_bits : run->core->vector_bits;

    return bits > 0 && work->vector_bits > bits ? work->vector_bits / bits : 1;
}

static double take_unit(struct run *run, const struct instruction_work *work, uint32_t me,
                        double ready)
{
    struct slots *group = is_vector_class(work->class) ? &run->vector : &run->integer;
    double time = ready;
    uint32_t before;

    if (work->class == WORK_NONE || !work->microops) /* done with the branch behind it */
        return ready;
    for (int i = 0; i < parts_of(run, work); i++) {
        double own = slots_take(&run->unit[work->class], ready, me, &before);

        time = fmax(time, slots_take(group, own, me, &before));
    }
    return time;
}

static double latency_of(const struct run *run, const struct instruction_work *work)
{
    return is_off(run, CAUSE_RECURRENCE) ? 0 : run->core->latency[work->class];
}

static void execute(struct run *run, uint32_t me)
{
    const struct pipeline_step *step = &run->stream->step[me];
    const struct instruction_work *work = &run->stream->instruction[step->place].work;
    struct events *now = &run->events[me];
    bool vector = is_vector_class(work->class) && run->core->scheduler_fp_entries > 0;

    if (work->loads || work->stores || work->prefetches)
        address_ready(run, &work->memory, now);
    now->ready = now->dispatched + 1;
    now->for_ready = (struct wait){WAIT_DISPATCH, 0};
    if (work->loads) {
        load(run, me);
        wait_until(now->loaded, WAIT_LOADED, me, &now->ready, &now->for_ready);
    }
    for (int i = 0; i < work->read_nr; i++)
        register_ready(run, work->read[i], &now->ready, &now->for_ready);
    if (work->stores || work->prefetches)
        store(run, me);
    if (work->software_lock && me)
        wait_until(run->retire_at, WAIT_ROB, me - 1, &now->ready, &now->for_ready);
    now->executed = take_unit(run, work, me, now->ready);
    now->done = now->executed + latency_of(run, work);
    if (work->stores && work->class == WORK_NONE)
        now->done = fmax(now->ready, now->addressed);
    if (work->class != WORK_NONE || work->loads || work->stores)
        entries_push(
            vector ? &run->fp_scheduler : &run->scheduler,
            work->loads && work->class == WORK_NONE ? now->issued : now->executed, me);
    for (int i = 0; i < work->write_nr; i++)
        if (work->write[i] < WORK_REGISTER_NR)
            run->writer[work->write[i]] = me;
}

static void retire(struct run *run, uint32_t me)
{
    const struct pipeline_step *step = &run->stream->step[me];
    const struct instruction_work *work = &run->stream->instruction[step->place].work;
    struct events *now = &run->events[me];
    double width = is_off(run, CAUSE_ISSUE_WIDTH) || run->core->retire_width <= 0
                       ? INFINITY
                       : run->core->retire_width;

    now->retired = me ? run->retire_at + work->microops / width : 0;
    now->for_retire = (struct wait){me ? WAIT_ORDER : WAIT_START, me - 1};
    wait_until(now->done, WAIT_DONE, me, &now->retired, &now->for_retire);
    run->retire_at = now->retired;
    if (work->stores)
        commit(run, me);
    if (step->mispredicted && !is_off(run, CAUSE_BRANCHES))
        wait_until(now->done + run->core->mispredict_cycles, WAIT_BRANCH, me,
                   &run->fetched, &run->for_fetch);
}

/* ---- the outward calls ---- */

/* Mean of the misses in flight, walks included, from `from` to when the last step was
 * dispatched: until then the core had as much work before it as it could hold. */
static double mean_in_flight(const struct run *run, double from)
{
    double to = run->dispatch_at, cycles = 0;

    if (to <= from)
        to = run->retire_at;
    for (size_t i = 0; i < run->miss_nr; i++)
        cycles += fmax(fmin(run->miss[i].to, to) - fmax(run->miss[i].from, from), 0);
    return to > from ? cycles / (to - from) : 0;
}

int pipeline_run(const struct pipeline_stream *stream, const struct cpu_core *core,
                 const struct pipeline_memory *memory, unsigned without,
                 struct pipeline_result *out)
{
    struct run run = {
        .stream = stream, .core = core, .memory = memory, .without = without};
    size_t nr = stream->step_nr, warm = stream->warm;
    double warm_s;
    struct path path;

    *out = (struct pipeline_result){0};
    if (nr < 2 || warm + 1 >= nr || !(core->dispatch_width > 0) || core->rob_entries <= 0)
        return -1;
    run_open(&run);
    for (uint32_t i = 0; i < nr; i++) {
        dispatch(&run, i);
        execute(&run, i);
        retire(&run, i);
    }
    warm_s = run.events[warm].retired;
    path_follow(stream, memory, run.events, warm_s, &path);
    out->cycles = run.events[nr - 1].retired - warm_s;
    out->instructions = (double)(nr - 1 - warm);
    out->n_in_flight = mean_in_flight(&run, warm_s);
    out->chained_walks = path.chained_walks;
    memcpy(out->path, path.cycles, sizeof(out->path));
    memcpy(out->blamed, path.blamed, sizeof(out->blamed));
    run_close(&run);
    return 0;
}

void pipeline_add(struct pipeline_result *sum, const struct pipeline_result *one)
{
    if (!(sum->instructions > 0)) {
        *sum = *one;
        return;
    }
    for (int c = 0; c < CAUSE_NR; c++) {
        /* the place that the longer path goes through */
        if (one->path[c] > sum->path[c])
            sum->blamed[c] = one->blamed[c];
        sum->path[c] += one->path[c];
    }
    sum->n_in_flight = (sum->n_in_flight * sum->cycles + one->n_in_flight * one->cycles) /
                       (sum->cycles + one->cycles);
    sum->cycles += one->cycles;
    sum->instructions += one->instructions;
    sum->chained_walks += one->chained_walks;
}
