/* Choices of the search, written as plans. */
#ifndef TESTS_SEARCH_CHOICES_H
#define TESTS_SEARCH_CHOICES_H

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "search/space/choice.h"
#include "tests/check.h"

/* Steps in the order in which a search puts them together. */
static inline struct choice choice_of(const char *plan)
{
    struct choice choice = {0};
    struct error err = {0};

    check_ok(plan_read(plan, &choice.plan, &err), &err);
    return choice;
}

/* One whole shape. */
static inline struct choice shape_of(const char *steps)
{
    const struct choice none = {0};
    struct choice choice;

    check(choice_shaped(&none, steps, &choice));
    return choice;
}

static inline bool choice_is(const struct choice *choice, const char *plan)
{
    struct choice other = choice_of(plan);

    return choice_equal(choice, &other);
}

static inline bool choice_begins(const struct choice *choice, const char *begin)
{
    char *text = choice_text(choice);
    bool begins = text_begins(text, begin);

    free(text);
    return begins;
}

static inline bool choice_holds(const struct choice *choice, const char *part)
{
    char *text = choice_text(choice);
    bool holds = strstr(text, part) != NULL;

    free(text);
    return holds;
}

#endif
