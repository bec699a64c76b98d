/* tune --try, --flags-try, --compiler A,B: environments beside plans. */
#ifndef ADVISOR_TRY_WORDS_H
#define ADVISOR_TRY_WORDS_H

#include "advisor/cli/settings.h"
#include "search/search.h"

/* What --try takes, NULL behind the last. */
extern const char *const try_words[];

/* For search_opts.option. */
struct environments {
    struct environment *item;
    size_t nr, alloc;
    bool none; /* not even huge pages */
};

/* What the settings ask for, in the order compiler, flags, smt, threads, schedule, each
 * built on those before. `cores` may be loaded; `is_clang`: the compiler tuned for. Fails
 * for an unknown word, for flags that are not taken, and for flags that reorder sums
 * without --reassociate. Caller releases. */
int environments_to_try(const struct settings *settings, bool is_clang, int cores,
                        struct environments *out, struct error *err);
void environments_release(struct environments *list);

/* The first of "gcc,clang-19": the one tuned for. Caller frees. */
char *first_compiler(const struct settings *settings);

#endif
