#include "core/run/run_parts.h"

#include <stdlib.h>

struct place {
    uint64_t pc;
    bool used, aside, counted;
    struct decoded what;
    uint64_t target; /* the last one, of an indirect branch */
    struct perceptron *perceptron;
};

struct steps {
    const struct decoder *decoder;
    struct place *place; /* open addressing */
    size_t nr, room;     /* room: a power of two */
    uint64_t before;     /* the instruction that was executed last, 0 = none */
    struct branch_history history;
    struct run_steps total;
};

enum { room_first = 1024 };

struct steps *steps_new(const struct decoder *decoder)
{
    struct steps *steps = xcalloc(1, sizeof(*steps));

    steps->decoder = decoder;
    steps->room = room_first;
    steps->place = xcalloc(steps->room, sizeof(*steps->place));
    return steps;
}

void steps_free(struct steps *steps)
{
    if (!steps)
        return;
    for (size_t i = 0; i < steps->room; i++)
        free(steps->place[i].perceptron);
    free(steps->place);
    free(steps);
}

static struct place *slot_in(struct place *place, size_t room, uint64_t pc)
{
    size_t i = (size_t)(pc * 0x9e3779b97f4a7c15u >> 20) & (room - 1);

    while (place[i].used && place[i].pc != pc)
        i = (i + 1) & (room - 1);
    return &place[i];
}

static void grow(struct steps *steps)
{
    size_t room = steps->room * 2;
    struct place *wider = xcalloc(room, sizeof(*wider));

    for (size_t i = 0; i < steps->room; i++)
        if (steps->place[i].used)
            *slot_in(wider, room, steps->place[i].pc) = steps->place[i];
    free(steps->place);
    steps->place = wider;
    steps->room = room;
}

static struct place *place_at(struct steps *steps, uint64_t pc, bool aside,
                              steps_code code, void *data)
{
    struct place *place = slot_in(steps->place, steps->room, pc);
    uint8_t bytes[DECODE_BYTES] = {0};

    if (place->used)
        return place;
    if (2 * ++steps->nr > steps->room) {
        grow(steps);
        place = slot_in(steps->place, steps->room, pc);
    }
    code(data, pc, bytes);
    *place = (struct place){.pc = pc, .used = true, .aside = aside};
    place->what = decode(steps->decoder, bytes, pc);
    return place;
}

/* Where the branch went is where we are now. */
static void count_branch(struct steps *steps, struct place *place, uint64_t pc)
{
    bool foreseen = place->target == pc, first = !place->target;

    if (place->what.branch == BRANCH_DIRECT) {
        if (!place->perceptron)
            place->perceptron = xcalloc(1, sizeof(*place->perceptron));
        foreseen = predict(place->perceptron, &steps->history,
                           pc != place->pc + place->what.bytes);
        first = false;
    }
    place->target = pc;
    steps->total.branches++;
    steps->total.branches_missed += !foreseen && !first;
}

static void count(struct steps *steps, struct place *place)
{
    struct run_steps *total = &steps->total;

    total->instructions++;
    total->flops += place->what.flops;
    total->divisions += place->what.divisions;
    total->undecoded += !place->what.known;
    total->code_bytes += place->counted ? 0 : place->what.bytes;
    place->counted = true;
}

void steps_add(struct steps *steps, uint64_t pc, bool aside, steps_code code, void *data)
{
    struct place *before =
        steps->before ? slot_in(steps->place, steps->room, steps->before) : NULL;
    bool again = before && before->pc == pc && before->what.repeats;

    if (before && before->what.branch != BRANCH_NONE && !before->aside)
        count_branch(steps, before, pc);
    if (!again) {
        struct place *place = place_at(steps, pc, aside, code, data);

        if (!place->aside)
            count(steps, place);
    }
    steps->before = pc;
}

struct run_steps steps_total(const struct steps *steps)
{
    return steps->total;
}
