/* array.h, buf.h and text.h */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/buf.h"
#include "core/base/text.h"
#include "tests/check.h"

SUITE(base_text);

TEST("arrays grow")
{
    int *item = NULL;
    size_t item_nr = 0, item_alloc = 0;

    for (int i = 0; i < 1000; i++) {
        GROW(item, item_nr + 1, item_alloc);
        item[item_nr++] = i;
    }
    check_eq(item[0], 0);
    check_eq(item[999], 999);
    check(item_alloc >= item_nr);
    GROW(item, 5000, item_alloc);
    check_eq(item_alloc, 5000);
    free(item);
}

TEST("strings are copied")
{
    char *text = xasprintf("%s-%d", "a", 7), *part = xstrndup("abcdef", 3);

    check_str(text, "a-7");
    check_str(part, "abc");
    check(xstrdup(NULL) == NULL);
    free(text);
    free(part);
}

TEST("strvec is NULL-terminated")
{
    struct strvec list = {0}, other = {0};

    strvec_push(&list, "one");
    strvec_pushf(&list, "%d", 2);
    strvec_push(&other, "three");
    strvec_push_all(&list, &other);
    check_eq(list.nr, 3);
    check_str(list.v[0], "one");
    check_str(list.v[1], "2");
    check_str(list.v[2], "three");
    check(list.v[3] == NULL);
    for (int i = 0; i < 100; i++)
        strvec_push(&list, "x");
    check(list.v[103] == NULL);
    strvec_release(&list);
    strvec_release(&other);
    check_eq(list.nr, 0);
}

TEST("strvec splits as a shell does, expanding nothing")
{
    static const struct {
        const char *text, *words; /* joined by | */
    } cases[] = {
        {"", ""},
        {"  \t ", ""},
        {"a b  c", "a|b|c"},
        {" -O3 -DX='a b' ", "-O3|-DX=a b"},
        {"\"a b\"c d", "a bc|d"},
        {"a\\ b 'c\\d' \"e\\\"f\"", "a b|c\\d|e\"f"},
        {"'' b", "|b"},
        {"$HOME *.c `x`", "$HOME|*.c|`x`"},
        {"'left open", "left open"},
        {"end\\", "end\\"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct strvec list = {0};
        struct buf joined = {0};

        strvec_split(&list, cases[i].text);
        for (size_t k = 0; k < list.nr; k++)
            buf_addf(&joined, "%s%s", k ? "|" : "", list.v[k]);
        check_str(buf_str(&joined), cases[i].words);
        strvec_release(&list);
        buf_release(&joined);
    }
}

TEST("buf_str and buf_detach never give NULL")
{
    struct buf buf = {0};
    char *text;

    check_str(buf_str(&buf), "");
    buf_truncate(&buf, 0);
    buf_reset(&buf);
    text = buf_detach(&buf);
    check_str(text, "");
    free(text);
    buf_release(&buf);
}

TEST("buf appends and truncates")
{
    struct buf buf = {0};

    buf_add(&buf, "ab");
    buf_addf(&buf, "%d", 12);
    buf_add_repeat(&buf, '.', 3);
    buf_add_n(&buf, "x\0y", 3);
    check_eq(buf.length, 10);
    check(memcmp(buf.data, "ab12...x\0y", 11) == 0);
    buf_truncate(&buf, 4);
    check_str(buf_str(&buf), "ab12");
    buf_truncate(&buf, 40);
    check_eq(buf.length, 4);
    for (int i = 0; i < 2000; i++)
        buf_add(&buf, "0123456789");
    check_eq(strlen(buf_str(&buf)), 20004);
    buf_reset(&buf);
    check_str(buf_str(&buf), "");
    buf_release(&buf);
}

TEST("buf wraps text by columns")
{
    static const struct {
        const char *start, *text, *want;
    } cases[] = {
        {"", "one two three four", "one two\n  three\n  four"},
        {"try: ", "one two", "try: one\n  two"},
        {"x\nab ", "cd ef", "x\nab cd ef"},
        {"", "muchlongerthanthewidth a", "muchlongerthanthewidth\n  a"},
        {"", "a\nb", "a\n  b"},
        {"", "  a   b ", "a b"},
        {"", "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4 \xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc",
         "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4 \xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct buf buf = {0};

        buf_add(&buf, cases[i].start);
        buf_add_wrapped(&buf, cases[i].text, 2, 10);
        check_str(buf_str(&buf), cases[i].want);
        buf_release(&buf);
    }
}

/* What a shell makes of it is the word again. */
TEST("words for a shell")
{
    static const struct {
        const char *word, *want;
    } cases[] = {{"tuned.c", "tuned.c"},
                 {"n=5", "n=5"},
                 {"", "''"},
                 {"out put.c", "'out put.c'"},
                 {"tile(i:32)", "'tile(i:32)'"},
                 {"it's", "'it'\\''s'"},
                 {"$(rm) `x` \"", "'$(rm) `x` \"'"},
                 {"a\nb'\\\033", "$'a\\012b\\'\\\\\\033'"},
                 {"\xc3\xa4.c", "'\xc3\xa4.c'"}};

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct buf buf = {0};

        buf_add_shell_word(&buf, cases[i].word);
        check_str(buf_str(&buf), cases[i].want);
        buf_release(&buf);
    }
}

TEST("commands for a shell")
{
    static const char *const words[] = {"./app", "", "3", "a b", NULL};
    struct buf buf = {0};

    buf_add_shell_words(&buf, NULL);
    check_str(buf_str(&buf), "");
    buf_add(&buf, "-- ");
    buf_add_shell_words(&buf, words);
    check_str(buf_str(&buf), "-- ./app '' 3 'a b'");
    buf_release(&buf);
}

TEST("texts begin with others")
{
    check(text_begins("-O2", "-O") && text_begins("-O", "-O") && text_begins("x", ""));
    check(!text_begins("-", "-O") && !text_begins("", "-O") && !text_begins("O", "-O"));
}
