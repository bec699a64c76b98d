#include "search/session/race.h"

#include <math.h>
#include <stdint.h>

/* What is expected to be gained by less than this is not worth a comparison. */
static const double matters = 0.0005;
/* One comparison takes so long at most; one that sees its answer ends sooner, and whom to
 * compare next is asked behind each. */
static const double comparison_s = 0.3;
/* A newcomer is judged in passing; all of them together at the end. */
static const double newcomer_matters = 0.01;
enum { NEWCOMER_MAX = 3, RACE_MAX = 400 };

static bool takes_part(const struct session *session, size_t i)
{
    const struct environment plain = {0};
    return session_timed(session, i) && evidence_has(&session->evidence, i) &&
           environments_equal(&session->result->measurement[i].environment, &plain);
}

size_t race_next(struct session *session, size_t after)
{
    size_t next = SIZE_MAX;
    double min = INFINITY,
           from = after == SIZE_MAX ? 0 : evidence_s(&session->evidence, after);
    for (size_t i = 0; i < session->result->measurement_nr; i++) {
        if (i == after || !takes_part(session, i))
            continue;
        double seconds = evidence_s(&session->evidence, i);
        bool behind = seconds > from || (seconds == from && i > after);
        if ((after == SIZE_MAX || behind) && seconds < min) {
            min = seconds;
            next = i;
        }
    }
    return next;
}

size_t race_leader(struct session *session)
{
    return race_next(session, SIZE_MAX);
}

/* After P. I. Frazier, W. B. Powell and S. Dayanik, "A knowledge-gradient policy for
 * sequential information collection" (SIAM J. Control and Optimization 47, 2008): what is
 * not known counts as far as the next comparison can tell of it. */
double race_hope(struct session *session, size_t leader, size_t i)
{
    const double two_pi = 6.283185307179586, normal_95 = 1.96;
    struct quantity ratio = evidence_ratio(&session->evidence, leader, i);
    if (!ratio.known || !(ratio.low > 0) || ratio.low == ratio.high)
        return 0;
    double deviation = log(ratio.high / ratio.low) / 2 / normal_95,
           next = evidence_next_variance(&session->evidence, leader, i),
           given = deviation * deviation / sqrt(deviation * deviation + next),
           faster = log(ratio.value), z = faster / given;
    return faster * erfc(-z / sqrt(2)) / 2 + given * exp(-z * z / 2) / sqrt(two_pi);
}

static int compare(struct session *session, size_t a, size_t b, struct error *err)
{
    struct quantity ratio;
    session_say(session, "comparing %s with the fastest so far",
                session->result->measurement[b].plan[0]
                    ? session->result->measurement[b].plan
                    : "the kernel as written");
    return session_look(session, a, b, comparison_s, &ratio, err);
}

int race_newcomer(struct session *session, size_t i, struct error *err)
{
    for (int n = 0; n < NEWCOMER_MAX && !session_over(session); n++) {
        size_t now = race_leader(session), other = now == i ? race_next(session, i) : i;
        if (other == SIZE_MAX || race_hope(session, now, other) < newcomer_matters)
            break;
        if (compare(session, now, other, err))
            return -1;
    }
    return 0;
}

/* Of whom more is to be hoped than of all others; SIZE_MAX = of nobody what matters. */
static size_t most_hopeful(struct session *session, size_t leader)
{
    size_t best = SIZE_MAX;
    double max = matters;
    for (size_t i = 0; i < session->result->measurement_nr; i++) {
        if (i == leader || !takes_part(session, i))
            continue;
        double hope = race_hope(session, leader, i);
        if (hope > max) {
            max = hope;
            best = i;
        }
    }
    return best;
}

/*
 * Compares the leader with whoever has most hope of being faster, again and again, until
 * nobody has any that matters, or until `end_s` of session_now_s. The fewer seconds, the
 * fewer contenders are looked at. Returns the leader in *leader.
 */
static int run(struct session *session, double end_s, size_t *leader, struct error *err)
{
    *leader = race_leader(session);
    for (int n = 0; n < RACE_MAX; n++) {
        size_t rival = most_hopeful(session, *leader);
        if (rival == SIZE_MAX || spawn_interrupted() || session_now_s(session) >= end_s)
            break;
        if (compare(session, *leader, rival, err))
            return -1;
        *leader = race_leader(session);
    }
    return 0;
}

static bool is_decided(struct quantity gain)
{
    return !gain.known || session_is_gain(gain) || gain.high < SESSION_MIN_GAIN;
}

/* Compares the two until all that is known of them says whether b is faster than a, or
 * until `end_s`. *gain: time(a) / time(b). */
static int decide(struct session *session, size_t a, size_t b, double end_s,
                  struct quantity *gain, struct error *err)
{
    enum { DECIDE_MAX = 24 };
    *gain = evidence_ratio(&session->evidence, a, b);
    for (int n = 0; n < DECIDE_MAX && !is_decided(*gain); n++) {
        if (spawn_interrupted() || session_now_s(session) >= end_s)
            break;
        if (compare(session, a, b, err))
            return -1;
        *gain = evidence_ratio(&session->evidence, a, b);
    }
    return 0;
}

/* By all that is known: beyond the noise over the kernel as written; of two others the
 * one that is likely to be faster. */
static bool is_better(size_t now, struct quantity gain)
{
    return now ? gain.known && gain.value >= SESSION_MIN_GAIN : session_is_gain(gain);
}

int race_remeasure(struct session *session, double end_s, size_t *best,
                   struct quantity *gain, struct error *err)
{
    *gain = quantity_exact(1, PROVENANCE_CLOCK);
    while (!spawn_interrupted()) {
        size_t leader = *best;
        bool right;
        if (run(session, end_s, &leader, err))
            return -1;
        if (leader == *best || leader == SIZE_MAX)
            return 0;
        if (decide(session, *best, leader, end_s, gain, err))
            return -1;
        if (!is_better(*best, *gain))
            return 0;
        if (session_explain(session, leader, &right, err))
            return -1;
        if (right) {
            *best = leader;
            return 0;
        }
    }
    return 0;
}
