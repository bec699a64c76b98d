#include "core/cause/cause.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *phrase, *sentence;
    enum cause_kind kind;
} causes[] = {
#define CAUSE(name, word, kind, phrase, sentence)                                        \
    [CAUSE_##name] = {phrase, sentence, CAUSE_KIND_##kind},
#define RESOURCE(name, cause, phrase)
#include "core/cause/causes.def"
#undef CAUSE
#undef RESOURCE
};

static const struct {
    enum cause cause;
    const char *phrase;
} resources[] = {
#define CAUSE(name, word, kind, phrase, sentence)
#define RESOURCE(name, cause, phrase) [RESOURCE_##name] = {CAUSE_##cause, phrase},
#include "core/cause/causes.def"
#undef CAUSE
#undef RESOURCE
};

const char *cause_word(enum cause cause)
{
    return cause_words[cause];
}

const char *cause_phrase(enum cause cause)
{
    return causes[cause].phrase;
}

const char *cause_sentence(enum cause cause)
{
    return causes[cause].sentence;
}

enum cause cause_from_word(const char *word)
{
    int c = 0;

    while (c < CAUSE_NR && strcmp(cause_words[c], word) != 0)
        c++;
    return (enum cause)c;
}

const char *const cause_words[] = {
#define CAUSE(name, word, kind, phrase, sentence) [CAUSE_##name] = word,
#define RESOURCE(name, cause, phrase)
#include "core/cause/causes.def"
#undef CAUSE
#undef RESOURCE
    [CAUSE_NR] = NULL};

enum cause_kind cause_kind(enum cause cause)
{
    return causes[cause].kind;
}

const char *const cause_kind_words[] = {
#define X(name, word) [CAUSE_KIND_##name] = word,
    CAUSE_KIND_MAP(X)
#undef X
        [CAUSE_KIND_NR] = NULL};

const char *cause_kind_word(enum cause_kind kind)
{
    return cause_kind_words[kind];
}

enum cause cause_of_resource(enum resource resource)
{
    return resources[resource].cause;
}

const char *resource_word(enum resource resource)
{
    return resource == RESOURCE_NONE ? "none" : cause_word(resources[resource].cause);
}

const char *resource_phrase(enum resource resource)
{
    return resources[resource].phrase;
}

enum resource resource_from_word(const char *word)
{
    int r = 0;

    while (r < RESOURCE_NR && strcmp(resource_word((enum resource)r), word) != 0)
        r++;
    return (enum resource)r;
}
