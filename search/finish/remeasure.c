#include "search/finish/remeasure.h"

#include <math.h>
#include <stdlib.h>

#include "search/finish/headroom.h"
#include "search/session/prebuild.h"

/* One launch tells of itself: where its pages lie and what the neighbours do changes
 * others by some per cent, beyond the interval of its own samples. */
static const double launch_scatter = 0.05;
/* What is less is not worth another launch; twice the scatter, so that two that are
 * equal are not measured again for that alone. */
static const double matters = 1.1;
enum { ROUNDS = 2 };

/* Places in result->measurement of what was tried together. */
struct field {
    size_t *item;
    size_t nr, alloc;
};

static void field_add(struct field *field, size_t index)
{
    for (size_t i = 0; i < field->nr; i++)
        if (field->item[i] == index)
            return;
    GROW(field->item, field->nr + 1, field->alloc);
    field->item[field->nr++] = index;
}

static void field_release(struct field *field)
{
    free(field->item);
    *field = (struct field){0};
}

static double time_of(const struct session *session, size_t i)
{
    return session->result->measurement[i].time_s.value;
}

static double scatter_of(const struct session *session, size_t i)
{
    unsigned launches = session->result->measurement[i].launches;
    return 1 + launch_scatter / sqrt(launches ? launches : 1);
}

double remeasure_optimistic_s(const struct session *session, size_t i)
{
    return session->result->measurement[i].time_s.low / scatter_of(session, i);
}

double remeasure_pessimistic_s(const struct session *session, size_t i)
{
    return session->result->measurement[i].time_s.high * scatter_of(session, i);
}

static size_t fastest(const struct session *session, const struct field *field,
                      size_t best)
{
    for (size_t i = 0; i < field->nr; i++)
        if (session_timed(session, field->item[i]) &&
            time_of(session, field->item[i]) < time_of(session, best))
            best = field->item[i];
    return best;
}

/* Insertion: fields are short. */
static void add_sorted(const struct session *session, size_t index, struct field *field)
{
    size_t at = field->nr;
    field_add(field, index);
    for (; at > 0 && time_of(session, index) < time_of(session, field->item[at - 1]);
         at--)
        field->item[at] = field->item[at - 1];
    field->item[at] = index;
}

/* Those of `field` that may be faster than `leader` by what matters, fastest first. */
static void find_rivals(const struct session *session, const struct field *field,
                        size_t leader, struct field *rivals)
{
    for (size_t i = 0; i < field->nr; i++)
        if (field->item[i] != leader && session_timed(session, field->item[i]) &&
            remeasure_optimistic_s(session, field->item[i]) * matters <
                time_of(session, leader))
            add_sorted(session, field->item[i], rivals);
}

static int measure_again(struct session *session, const struct field *field,
                         struct error *err)
{
    for (size_t i = 0; i < field->nr && !session_over(session); i++)
        if (session_repeat(session, field->item[i], err))
            return -1;
    return 0;
}

static int settle(struct session *session, size_t now, const struct field *field,
                  size_t *best, struct error *err)
{
    size_t max = field->nr;
    int status = 0;
    for (int round = 0; !status && round < ROUNDS; round++) {
        struct field rivals = {0};
        size_t leader = fastest(session, field, *best);
        find_rivals(session, field, leader, &rivals);
        max = (max + 1) / 2;
        rivals.nr = rivals.nr < max ? rivals.nr : max;
        if (rivals.nr && leader != now)
            field_add(&rivals, leader);
        status = measure_again(session, &rivals, err);
        field_release(&rivals);
    }
    *best = fastest(session, field, session_timed(session, *best) ? *best : now);
    return status;
}

/*
 * Half slower than the fastest so far: what is stopped there is not the winner. It is
 * stopped only when every sample of it, two or more, is slower than every sample of what
 * runs beside it by that factor (or two samples of a launch of its own are), while
 * launches differ by a twentieth (launch_scatter) and two samples of a busy machine by a
 * fifth (live_paired.c): both against it at once make 1.26. What is slow by less is
 * measured to the end like all others, so the times that are compared with each other
 * are never cut.
 */
static const double hopeless = 1.5;

/* Another that does the same was measured. */
static bool is_repeated(const struct session *session, const struct choice *choice)
{
    return session_find_alike(session, choice) != session_find(session, choice);
}

static int try_choice(struct session *session, const struct choice *choice, size_t best,
                      struct field *field, struct error *err)
{
    double limit = time_of(session, best) * hopeless;
    size_t index = 0;
    char *plan = choice_text(choice);
    session_say(session, "trying %s", plan);
    free(plan);
    if (session_measure(session, choice, false, MEASURE_QUICK, limit, &index, err))
        return -1;
    field_add(field, index);
    return 0;
}

int remeasure_list(struct session *session, const struct choices *list, size_t now,
                   size_t *best, struct error *err)
{
    struct field field = {0};
    struct choices all = *list;
    struct ahead_list ahead = {.data = &all, .at = choices_at, .nr = list->nr};
    bool legal = false;
    int status = 0;
    for (size_t i = 0; !status && i < list->nr && !session_over(session) &&
                       !session_enough(session, now);
         i++) {
        if (list->item[i].fallback && legal)
            continue;
        struct choice choice = list->item[i];
        legal = session_remedied(session, &choice);
        status = session_prebuild(session, &ahead, i, err);
        if (legal && !status && !is_repeated(session, &choice))
            status = try_choice(session, &choice, fastest(session, &field, *best), &field,
                                err);
    }
    if (!status)
        status = settle(session, now, &field, best, err);
    field_release(&field);
    return status;
}
