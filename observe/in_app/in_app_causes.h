/* Why a gain of the kernel alone and that in the application differ: what differs between
 * the two is found out, and the kernel alone is timed again under that condition. */
#ifndef ADVISOR_IN_APP_CAUSES_H
#define ADVISOR_IN_APP_CAUSES_H

#include "advisor/session/context.h"
#include "observe/in_app/in_app.h"
#include "search/space/space.h"

struct error;

/* What was measured alone: the file of the winner, under which environment. */
struct in_app_alone {
    const char *source;                /* the written file, in the scratch folder */
    struct environment environment[2]; /* as written, and of that file */
    struct quantity gain;
};

/* Where the two gains of the routine differ (in_app_differs): tests each cause, about 5 s
 * each, and fills result->cause and result->why. */
int in_app_causes(struct context *bench, const struct in_app_alone *alone,
                  struct in_app_result *result, struct error *err);

/* How compiler and flags of the two differ, a phrase: "the application is compiled with
 * -O2, without __AVX2__". `macros`: of the compiler alone, as it prints them; `facts` and
 * `flags` (NULL = not known): of the application; `alone`: the flags alone. NULL = they
 * do not differ in what is known. Caller frees. */
char *in_app_flags_differ(const char *macros, const struct strvec *alone,
                          const struct strvec *facts, const char *flags);

/* The flags of the application as far as its macros tell them. Caller frees. */
char *in_app_flags_guess(const struct strvec *facts);

#endif
