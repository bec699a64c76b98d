/* Names of files, compilers and words in C and in C++. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "variants/clang/clang.h"

/* ---- files ---- */

static bool says_language(const struct strvec *flags, bool *cplusplus)
{
    bool reported = false;
    for (size_t i = 0; flags && i < flags->nr; i++) {
        const char *flag = flags->v[i], *language = NULL;
        if (strcmp(flag, "-x") == 0 && i + 1 < flags->nr)
            language = flags->v[++i];
        else if (strncmp(flag, "-x", 2) == 0)
            language = flag + 2;
        if (!language)
            continue;
        *cplusplus = strncmp(language, "c++", 3) == 0;
        reported = true;
    }
    return reported;
}

bool cxx_is_source(const char *path, const struct strvec *flags)
{
    static const char *const endings[] = {".cpp", ".cc",  ".cxx", ".c++", ".C",  ".CPP",
                                          ".cp",  ".hpp", ".hh",  ".hxx", ".h++"};
    const char *dot = strrchr(path_base(path), '.');
    bool cplusplus = false;
    if (says_language(flags, &cplusplus))
        return cplusplus;
    for (size_t i = 0; dot && i < ARRAY_SIZE(endings); i++)
        if (strcmp(dot, endings[i]) == 0)
            return true;
    return false;
}

bool cxx_is_command(const struct strvec *command)
{
    bool cplusplus = false;
    if (says_language(command, &cplusplus))
        return cplusplus;
    for (size_t i = 1; i < command->nr; i++)
        if (strncmp(command->v[i], "-std=c++", 8) == 0 ||
            strncmp(command->v[i], "-std=gnu++", 10) == 0)
            return true;
    return command->nr > 0 && strstr(path_base(command->v[0]), "++");
}

/* ---- compilers ---- */

/* `of_c` may end in a longer one: "cc" is looked for last. */
static const struct {
    const char *of_c, *of_cplusplus;
} compilers[] = {
    {"gcc", "g++"}, {"clang", "clang++"}, {"icx", "icpx"}, {"icc", "icpc"}, {"cc", "c++"},
};

static char *replaced(const char *text, const char *at, const char *old, const char *new)
{
    return xasprintf("%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
}

char *cxx_compiler(const char *compiler, bool cplusplus)
{
    const char *base = path_base(compiler);
    if ((strstr(base, "++") || strstr(base, "icp")) == cplusplus)
        return xstrdup(compiler);
    for (size_t i = 0; i < ARRAY_SIZE(compilers); i++) {
        const char *old = cplusplus ? compilers[i].of_c : compilers[i].of_cplusplus;
        const char *new = cplusplus ? compilers[i].of_cplusplus : compilers[i].of_c;
        const char *at = strstr(base, old);
        if (at)
            return replaced(compiler, at, old, new);
    }
    return xstrdup(compiler);
}

/* ---- words ---- */

/* `{0}` of an array of arrays makes clang++ ask for more braces. */
static const struct {
    const char *of_c, *of_cplusplus;
} words[] = {{"restrict", "__restrict"}, {"_Bool", "bool"}},
  phrases[] = {{" = {0};", " = {};"}};

static const char *phrase_at(const char *text, size_t *length)
{
    for (size_t i = 0; i < ARRAY_SIZE(phrases); i++) {
        size_t own = strlen(phrases[i].of_c);
        if (strncmp(text, phrases[i].of_c, own) != 0)
            continue;
        *length = own;
        return phrases[i].of_cplusplus;
    }
    return NULL;
}

char *cxx_spelling(const char *text)
{
    struct buf out = {0};
    while (*text) {
        size_t length = text_word_length(text);
        const char *word = length ? NULL : phrase_at(text, &length);
        for (size_t i = 0; length && i < ARRAY_SIZE(words); i++)
            if (strlen(words[i].of_c) == length &&
                strncmp(words[i].of_c, text, length) == 0)
                word = words[i].of_cplusplus;
        if (word)
            buf_add(&out, word);
        else
            buf_add_n(&out, text, length ? length : 1);
        text += length ? length : 1;
    }
    return buf_detach(&out);
}
