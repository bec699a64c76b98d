#include "core/run/run_words.h"

#include <string.h>

#include "core/base.h"

static const char *const starts[] = {
#define X(name, word) [RUN_START_##name] = word,
    RUN_START_MAP(X)
#undef X
};

static const char *const backgrounds[] = {
#define X(name, word) [RUN_BACKGROUND_##name] = word,
    RUN_BACKGROUND_MAP(X)
#undef X
};

/* The place of a word in a table, or `nr`. */
static size_t place_of(const char *const *words, size_t nr, const char *word)
{
    size_t i = 0;

    while (i < nr && strcmp(words[i], word) != 0)
        i++;
    return i;
}

const char *run_start_word(enum run_start start)
{
    return starts[start];
}

bool run_start_from_word(const char *word, enum run_start *start)
{
    size_t place = place_of(starts, ARRAY_SIZE(starts), word);

    if (place == ARRAY_SIZE(starts))
        return false;
    *start = (enum run_start)place;
    return true;
}

const char *run_background_word(enum run_background background)
{
    return backgrounds[background];
}

bool run_background_from_word(const char *word, enum run_background *background)
{
    size_t place = place_of(backgrounds, ARRAY_SIZE(backgrounds), word);

    if (place == ARRAY_SIZE(backgrounds))
        return false;
    *background = (enum run_background)place;
    return true;
}

void run_disturbance_text(unsigned disturbed, struct buf *out)
{
    static const struct {
        unsigned bit;
        const char *word;
    } causes[] = {
#define X(name, bit, word) {RUN_DISTURBED_##name, word},
        RUN_DISTURBANCE_MAP(X)
#undef X
    };
    bool first = true;

    for (size_t i = 0; i < ARRAY_SIZE(causes); i++) {
        if (!(disturbed & causes[i].bit))
            continue;
        buf_addf(out, "%s%s", first ? "" : ", ", causes[i].word);
        first = false;
    }
}
