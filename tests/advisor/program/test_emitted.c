/* Patches, applied again here, and plans read back from written files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/session/emitted.h"
#include "core/base.h"
#include "tests/check.h"

SUITE(advisor_emitted);

/* Applies a patch as `patch` does, strictly; NULL when it does not fit. */
static char *patched(const char *old, const char *patch)
{
    struct buf out = {0};
    const char *from = old;
    size_t line = 1, first, old_nr, new_first, new_nr;
    const char *at = strstr(patch, "@@ ");
    while (at && sscanf(at, "@@ -%zu,%zu +%zu,%zu @@", &first, &old_nr, &new_first,
                        &new_nr) == 4) {
        first += old_nr == 0;
        for (; line < first; line++) {
            size_t length = strcspn(from, "\n") + 1;
            buf_add_n(&out, from, length);
            from += length;
        }
        for (at = strchr(at, '\n') + 1; *at && *at != '@';) {
            size_t length = strcspn(at, "\n");
            bool open = at[length + 1] == '\\'; /* no newline at the end */
            if (*at != '+') {
                size_t have = length - 1 + !open;
                if (strncmp(from, at + 1, have)) {
                    buf_release(&out);
                    return NULL;
                }
                from += have;
                line++;
                old_nr--;
            }
            if (*at != '-') {
                buf_add_n(&out, at + 1, length - 1 + !open);
                new_nr--;
            }
            at += length + 1;
            if (open)
                at += strcspn(at, "\n") + 1;
        }
        check_eq(old_nr, 0);
        check_eq(new_nr, 0);
        at = *at ? at : NULL;
    }
    buf_add(&out, from);
    return buf_detach(&out);
}

static void round_trip(const char *old, const char *new)
{
    struct buf patch = {0};
    patch_text("/a/b.c", old, new, "Plan: x\n", &patch);
    char *got = patched(old, buf_str(&patch));
    check_str(got ? got : "it does not fit", new);
    free(got);
    buf_release(&patch);
}

static char *random_text(unsigned *state)
{
    struct buf out = {0};
    *state = *state * 1664525u + 1013904223u;
    size_t nr = (*state >> 16) % 30;
    for (size_t i = 0; i < nr; i++) {
        *state = *state * 1664525u + 1013904223u;
        buf_addf(&out, "%c%s", 'a' + (*state >> 16) % 4,
                 i + 1 < nr || *state & 4096 ? "\n" : "");
    }
    return out.length ? buf_detach(&out) : xstrdup("");
}

TEST("patches apply")
{
    unsigned state = 5;
    round_trip("", "a\n");
    round_trip("a\n", "");
    round_trip("a", "a\n");
    for (size_t i = 0; i < 300; i++) {
        char *old = random_text(&state), *new = random_text(&state);
        round_trip(old, new);
        free(old);
        free(new);
    }
}

TEST("patches are small")
{
    struct buf patch = {0};
    patch_text("./k.c", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
               "Plan: x\n", &patch);
    check_str(buf_str(&patch),
              "# Plan: x\n--- a/k.c\n+++ b/k.c\n@@ -2,7 +2,7 @@\n 2\n 3\n "
              "4\n-5\n+five\n 6\n 7\n 8\n");
    buf_release(&patch);
    patch_text("k.c", "same\n", "same\n", "Plan: x\n", &patch);
    check_eq(patch.length, 0);
    buf_release(&patch);
}

TEST("plans are read back")
{
    struct error err = {0};
    char *dir, *path, *comment, *plan;
    if (!check_ok(scratch_make(&dir, &err), &err))
        return;
    path = path_join(dir, "k.c");
    const char text[] =
        "/*\n * Written.\n * Plan: tile(i:8) simd\n *\n * Rests on: x\n */\n";
    check_ok(file_write(path, text, sizeof(text) - 1, &err), &err);
    if (check_ok(emitted_read(path, &comment, &plan, &err), &err)) {
        check_str(plan, "tile(i:8) simd");
        check_str(comment, "Written.\nPlan: tile(i:8) simd\n\nRests on: x\n");
        free(comment);
        free(plan);
    }
    const char marked[] =
        "\xef\xbb\xbf/*\r\n * W\r\n * Plan: simd\r\n *\r\n * x\r\n */\r\n";
    check_ok(file_write(path, marked, sizeof(marked) - 1, &err), &err);
    if (check_ok(emitted_read(path, &comment, &plan, &err), &err)) {
        check_str(plan, "simd");
        check_str(comment, "W\nPlan: simd\n\nx\n");
        free(comment);
        free(plan);
    }
    check_ok(file_write(path, "int x;\n", 7, &err), &err);
    check_fails(emitted_read(path, &comment, &plan, &err), &err, STATUS_INPUT,
                "does not begin with the comment that inflight writes");
    free(path);
    scratch_remove(dir);
}
