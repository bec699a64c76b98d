#include "tests/advisor/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cases.h"

static const char cli[] = INFLIGHT_SOURCE_DIR "/tests/data/advisor/cli";

void place_copy(struct place *place, const char *folder, const char *name)
{
    char *from = path_join(folder, name), *to = path_join(place->work, name);
    struct buf text = {0};

    check_ok(file_read(from, &text, &place->err), &place->err);
    check_ok(file_write(to, buf_str(&text), text.length, &place->err), &place->err);
    buf_release(&text);
    free(from);
    free(to);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Sorted; freed by the caller like scandir's. */
int place_list(const char *dir, struct dirent ***names)
{
    int nr = scandir(dir, names, is_visible, alphasort);

    check(nr > 0);
    return nr;
}

static void copy_files(struct place *place)
{
    char *dir = path_join(cli, "files");
    struct dirent **names = NULL;
    int nr = place_list(dir, &names);

    for (int i = 0; i < nr; i++) {
        place_copy(place, dir, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    free(dir);
}

void place_make(struct place *place)
{
    check_ok(scratch_make(&place->home, &place->err), &place->err);
    place->work = path_join(place->home, "work");
    check_ok(dir_make_private(place->work, &place->err), &place->err);
    strvec_pushf(&place->env, "HOME=%s", place->home);
    strvec_pushf(&place->env, "XDG_CONFIG_HOME=%s/config", place->home);
    strvec_pushf(&place->env, "XDG_DATA_HOME=%s/data", place->home);
    strvec_pushf(&place->env, "INFLIGHT_DATA=%s", INFLIGHT_SOURCE_DIR);
    unsetenv("INFLIGHT_PROFILE");
    unsetenv("INFLIGHT_DATABASE");
    copy_files(place);
}

void place_drop(struct place *place)
{
    strvec_release(&place->env);
    free(place->work);
    scratch_remove(place->home);
}

void place_run(struct place *place, const char *args, struct spawn_outcome *outcome)
{
    struct strvec argv = {0};
    struct spawn_request request = {.env_extra = (const char *const *)place->env.v,
                                    .dir = place->work,
                                    .timeout_s = PATIENCE_S};

    strvec_push(&argv, INFLIGHT_PROGRAM);
    strvec_split(&argv, args);
    request.argv = (const char *const *)argv.v;
    check_ok(spawn_run(&request, outcome, &place->err), &place->err);
    strvec_release(&argv);
}

/* `*` stands for anything, also for nothing and for several lines. */
bool text_matches(const char *text, const char *pattern)
{
    const char *star = NULL, *from = NULL;

    for (;;) {
        if (*pattern == '*') {
            star = pattern++;
            from = text;
        } else if (*pattern == *text && *text) {
            pattern++;
            text++;
        } else if (!*pattern && !*text) {
            return true;
        } else if (star && *from) {
            pattern = star + 1;
            text = ++from;
        } else {
            return false;
        }
    }
}

void check_run(struct place *place, const char *args, int code, const char *out,
               const char *err)
{
    struct spawn_outcome outcome = {0};

    place_run(place, args, &outcome);
    check_eq(outcome.end, SPAWN_EXITED);
    check_eq(outcome.code, code);
    if (!text_matches(buf_str(&outcome.out), out))
        check_str(buf_str(&outcome.out), out);
    if (!text_matches(buf_str(&outcome.err), err))
        check_str(buf_str(&outcome.err), err);
    spawn_outcome_release(&outcome);
}

/* ---- cases ---- */

static void check_output(const char *args, const char *got, const char *want)
{
    if (!text_matches(got, want ? want : ""))
        check_str_at(got, want, args, HERE);
}

static void check_command(struct cases *cases, struct test_case *one, const char *before,
                          struct place *place)
{
    struct spawn_outcome outcome = {0};
    char *args = xasprintf("%s%s", before, one->name), *end;

    place_run(place, args, &outcome);
    end = xasprintf("%s %d", spawn_end_word(outcome.end), outcome.code);
    check_str_at(end, one->part[0].name, one->name, HERE);
    check_output(one->name, buf_str(&outcome.err), one->part[0].text);
    if (case_part(one, "output"))
        check_case(cases, one, "output", buf_str(&outcome.out));
    else
        check_output(one->name, buf_str(&outcome.out), case_part(one, "stdout"));
    free(end);
    free(args);
    spawn_outcome_release(&outcome);
}

size_t check_commands(const char *path, const char *before,
                      void (*make)(struct place *place))
{
    struct cases cases;
    size_t nr;

    cases_read(path, 1, &cases);
    nr = cases.nr;
    for (size_t i = 0; i < nr; i++)
        if (check(cases.v[i].part_nr > 0)) {
            struct place place = {0};

            make(&place);
            check_command(&cases, &cases.v[i], before, &place);
            place_drop(&place);
        }
    cases_release(&cases);
    return nr;
}
