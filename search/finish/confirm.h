/* The experiments, one by one. Private to search/ and its tests. */
#ifndef SEARCH_CONFIRM_H
#define SEARCH_CONFIRM_H

#include "search/search.h"

/* What the experiment would show; false = it says nothing about this diagnosis, or is not
 * possible here. */
bool confirm_predict(const struct confirm_case *about, enum confirm_kind kind,
                     struct quantity *predicted, struct quantity *rival);
/* The first experiment of the table whose outcome differs with the diagnosis; NONE when
 * there is none. */
struct confirm_setup confirm_choose(const struct confirm_case *about,
                                    struct confirm_result *result);
enum confirm_verdict confirm_judge(struct quantity predicted, struct quantity rival,
                                   struct quantity observed);
/* All of it in sentences. `why`: it was not measured; NULL = not told. Caller frees. */
char *confirm_say(const struct confirm_case *about, const struct confirm_result *result,
                  const char *why);

#endif
