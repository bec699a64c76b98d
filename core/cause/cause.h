/* What may set the pace of a loop: names that reports, rules and documents share, all of
 * them out of causes.def. */
#ifndef CORE_CAUSE_CAUSE_H
#define CORE_CAUSE_CAUSE_H

enum cause {
#define CAUSE(name, word, kind, phrase, sentence) CAUSE_##name,
#define RESOURCE(name, cause, phrase)
#include "core/cause/causes.def"
#undef CAUSE
#undef RESOURCE
    CAUSE_NR
};
const char *cause_word(enum cause cause);
const char *cause_phrase(enum cause cause);
const char *cause_sentence(enum cause cause);       /* with "%s" for the place; or NULL */
enum cause cause_from_word(const char *word);       /* CAUSE_NR = none */
extern const char *const cause_words[CAUSE_NR + 1]; /* ended by NULL */

/* What helps against it: fewer lines or earlier ones; more chains, or shorter ones; less
 * work. */
#define CAUSE_KIND_MAP(X)                                                                \
    X(UNKNOWN, "unknown")                                                                \
    X(MEMORY, "memory")                                                                  \
    X(LATENCY, "latency")                                                                \
    X(CORE, "core")

enum cause_kind {
#define X(name, word) CAUSE_KIND_##name,
    CAUSE_KIND_MAP(X)
#undef X
        CAUSE_KIND_NR
};
enum cause_kind cause_kind(enum cause cause);
const char *cause_kind_word(enum cause_kind kind);
extern const char *const cause_kind_words[CAUSE_KIND_NR + 1]; /* ended by NULL */

/* The resources that may limit a loop. */
enum resource {
#define CAUSE(name, word, kind, phrase, sentence)
#define RESOURCE(name, cause, phrase) RESOURCE_##name,
#include "core/cause/causes.def"
#undef CAUSE
#undef RESOURCE
    RESOURCE_NR
};
enum cause cause_of_resource(enum resource resource); /* when it is full */
const char *resource_word(enum resource resource);    /* its cause's; "none" */
const char *resource_phrase(enum resource resource);
enum resource resource_from_word(const char *word); /* RESOURCE_NR when unknown */

#endif
