/* The experiment that the diagnosis must survive. */
#ifndef SEARCH_CONFIRM_H
#define SEARCH_CONFIRM_H

#include <stdbool.h>

#include "core/base/quantity.h"
#include "core/files/json.h"
#include "core/occupancy/occupancy.h"

struct error;

struct measurement;
struct search_subject;

/* ---- the counter-experiment: one cheap change of the setting that must move the time of
 * a call if the diagnosis is right, and by how much the model says. Pure: what runs is
 * behind a table ---- */

/* name, word, what is changed */
#define CONFIRM_MAP(X)                                                                   \
    X(HUGE_PAGES, "huge-pages", "with the arrays on huge pages")                         \
    X(ORDERED, "ordered-indices", "with the indices in ascending order")                 \
    X(HALF_COPIES, "half-copies", "with half of the copies")                             \
    X(SMALLER, "smaller-footprint", "with data that fit L2")                             \
    X(NONE, "none", "")

enum confirm_kind {
#define X(name, word, phrase) CONFIRM_##name,
    CONFIRM_MAP(X)
#undef X
};
const char *confirm_word(enum confirm_kind kind);

/* What the diagnosis rests on, and what can be changed here. */
struct confirm_case {
    struct occupancy_case input;
    const struct occupancy *now; /* computed from it */
    double footprint_bytes;      /* of one copy */
    double l2_bytes;             /* of one core; 0 = not known */
    double table_bytes;        /* of what indices that could be ordered lead to; 0 = there
                                  are none */
    bool huge_pages_available; /* and not used now */
    bool can_shrink;           /* sizes can be reduced, and iterations are counted */
};

struct confirm_setup {
    enum confirm_kind kind;
    int copies;             /* HALF_COPIES */
    double footprint_bytes; /* SMALLER: at most, of one copy */
};

struct confirm_runner {
    void *data;
    /* Time of one innermost iteration as it is over that with the change, above 1 =
     * faster with it. Unknown when it cannot be had: *why then says so (caller frees). */
    int (*compare)(void *data, const struct confirm_setup *setup, struct quantity *ratio,
                   char **why, struct error *err);
};

#define CONFIRM_VERDICT_MAP(X)                                                           \
    X(NOT_DONE, "not-done")   /* no experiment decides here, or it could not run */      \
    X(CONFIRMED, "confirmed") /* as the diagnosis says, not as any other would */        \
    X(REFUTED, "refuted")     /* not as the diagnosis says */                            \
    X(UNDECIDED, "undecided") /* both, within the noise */
enum confirm_verdict {
#define X(name, word) CONFIRM_VERDICT_##name,
    CONFIRM_VERDICT_MAP(X)
#undef X
};
const char *confirm_verdict_word(enum confirm_verdict verdict);

struct confirm_result {
    enum confirm_verdict verdict;
    enum confirm_kind kind;
    struct quantity predicted; /* if the diagnosis is right; open above = at least */
    struct quantity rival;     /* if it is wrong */
    struct quantity observed;
    char *sentence;
};
void confirm_release(struct confirm_result *result);
/* The case of an explained measurement; `copies` of it ran. */
int confirm_case_of(const struct measurement *of, const struct search_subject *subject,
                    struct confirm_case *out, struct error *err);
/* Chooses, runs, judges, and says it. */
int confirm_run(const struct confirm_case *about, const struct confirm_runner *runner,
                struct confirm_result *result, struct error *err);
json_t *confirm_to_json(const struct confirm_result *result);

/* ---- its steps ---- */

/* What the experiment would show; false = it says nothing about this diagnosis, or is not
 * possible here. */
bool confirm_predict(const struct confirm_case *about, enum confirm_kind kind,
                     struct quantity *predicted, struct quantity *rival);
enum confirm_verdict confirm_judge(struct quantity predicted, struct quantity rival,
                                   struct quantity observed);
/* All of it in sentences. `why`: it was not measured; NULL = not told. Caller frees. */
char *confirm_say(const struct confirm_case *about, const struct confirm_result *result,
                  const char *why);

#endif
