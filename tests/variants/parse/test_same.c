/* A written file read again: what an edit may do, and what is told of one that does more.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "tests/cases.h"
#include "tests/check.h"
#include "variants/clang/clang_tree.h"

SUITE(variants_same);

#define CASES INFLIGHT_SOURCE_DIR "/tests/data/parse/same.cases"

enum { EDITS_MAX = 8 };

struct file {
    struct buf was, now;
    struct ct_change edit[EDITS_MAX];
    size_t nr;
};

/* "@{old@|new@}" is an edit, "@^" a mark that a printer has left. */
static void read_case(const char *text, struct file *file)
{
    struct ct_change *edit = NULL;
    bool is_new = false;
    for (; *text; text++) {
        bool mark = *text == '@' && text[1] && strchr("{|}^", text[1]);
        if (!mark) {
            if (!is_new)
                buf_add_n(&file->was, text, 1);
            if (!edit || is_new)
                buf_add_n(&file->now, text, 1);
            continue;
        }
        text++;
        if (*text == '{' && file->nr < EDITS_MAX) {
            edit = &file->edit[file->nr++];
            edit->begin = file->was.length;
            edit->now_begin = file->now.length;
        } else if (*text == '|')
            is_new = true;
        else if (*text == '^')
            buf_add(&file->now, "\1");
        else if (edit) {
            edit->end = file->was.length;
            edit->now_end = file->now.length;
            edit = NULL;
            is_new = false;
        }
    }
}

/* Of the same length: "from>to". */
static void change_bytes(struct buf *text, const char *how)
{
    size_t length = how ? strcspn(how, ">") : 0;
    char *from = how ? xstrndup(how, length) : NULL;
    char *at = from ? strstr(text->data, from) : NULL;
    if (at)
        memcpy(at, how + length + 1, length);
    free(from);
}

TEST("edits that change more than they should are told")
{
    struct cases cases;
    if (!cases_read(CASES, 20, &cases))
        return;
    for (size_t i = 0; i < cases.nr; i++) {
        struct test_case *one = &cases.v[i];
        const char *flag = case_part(one, "flag");
        const char *args[] = {"-xc", "-w", flag};
        struct ir_names names = {args, flag ? 3 : 2};
        struct file file = {.nr = 0};
        struct error err = {0};
        read_case(one->text, &file);
        change_bytes(&file.now, case_part(one, "byte"));
        for (size_t k = 0; k < file.nr; k++) {
            file.edit[k].is_size = case_part(one, "size") != NULL;
            file.edit[k].is_several = case_part(one, "several") != NULL;
        }
        struct ct_same *same =
            ct_same_open("same.c", buf_str(&file.was), file.was.length, &names);
        int status = ct_same_check(same, buf_str(&file.now), file.now.length, file.edit,
                                   file.nr, &err);
        check_eq(err.status, status ? STATUS_INTERNAL : STATUS_OK);
        check_case(&cases, one, "told", status ? err.text : "nothing");
        ct_same_close(same);
        buf_release(&file.was);
        buf_release(&file.now);
    }
    cases_release(&cases);
}
