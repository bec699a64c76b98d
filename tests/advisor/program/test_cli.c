/*
 * The program from outside: tests/data/advisor/cli/COMMAND.cases, by check_commands, and
 * what needs more than one look.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/advisor/place.h"

SUITE(advisor_cli);

static const char cli[] = INFLIGHT_SOURCE_DIR "/tests/data/advisor/cli";

TEST("every case of tests/data/advisor/cli")
{
    struct dirent **names = NULL;
    int nr = place_list(cli, &names);
    size_t commands = 0;

    for (int i = 0; i < nr; i++) {
        if (strcmp(names[i]->d_name, "files") != 0) {
            char *path = path_join(cli, names[i]->d_name);

            commands += check_commands(path, "", place_make);
            free(path);
        }
        free(names[i]);
    }
    free(names);
    check(commands >= 321);
}

/* ---- what needs more than one look ---- */

TEST("the pattern language")
{
    check(text_matches("", "") && text_matches("abc", "abc") &&
          text_matches("abc", "a*"));
    check(text_matches("abc\nabd", "*abd") && text_matches("abab", "*ab") &&
          text_matches("", "*"));
    check(!text_matches("abc", "ab") && !text_matches("ab", "abc") &&
          !text_matches("abc", "*b"));
}

/* The emitted file is the one that standard output would have got; the old one is
 * replaced as a whole. */
TEST("apply writes what it would print")
{
    struct place place = {0};
    struct spawn_outcome printed = {0};
    struct buf written = {0};
    char *path;

    place_make(&place);
    place_run(&place, "apply transpose.c --plan 'tile(i:16,j:16)'", &printed);
    check_run(&place, "apply transpose.c --plan 'tile(i:16,j:16)' -o out.c", 0, "", "*");
    path = path_join(place.work, "out.c");
    check_ok(file_read(path, &written, &place.err), &place.err);
    check_str(buf_str(&written), buf_str(&printed.out));
    /* the same again from what was written, and as a patch */
    check_run(&place, "apply transpose.c --from out.c -o again.c", 0, "", "*");
    free(path);
    path = path_join(place.work, "again.c");
    buf_reset(&written);
    check_ok(file_read(path, &written, &place.err), &place.err);
    check_str(buf_str(&written), buf_str(&printed.out));
    check_run(&place, "apply transpose.c --from out.c --patch", 0,
              "# Written by inflight *\n--- a/transpose.c\n+++ b/transpose.c\n@@ -*",
              "*");
    check_run(&place, "apply transpose.c --from out.c --plan simd", 2, "", "*a plan is*");
    check_run(&place, "apply transpose.c --from out.c -o ../work/transpose.c", 2, "",
              "*'../work/transpose.c' is the source itself; name another file*");
    /* what was written is a kernel again */
    check_run(&place, "show out.c -f transpose", 0, "transpose in out.c, *jt*", "*");
    /* dozens of statements in one body: some plans are decided, some are said to be left
     */
    place_copy(&place, INFLIGHT_SOURCE_DIR "/tests/data/gen", "sweep.c");
    check_run(&place, "show sweep.c --evidence", 0,
              "*not decided: it takes more work*simd(m): legal*", "");
    free(path);
    buf_release(&written);
    spawn_outcome_release(&printed);
    place_drop(&place);
}

TEST("a damaged profile of this machine is named")
{
    struct place place = {0};
    char *dir, *path;

    place_make(&place);
    dir = path_join(place.home, "config/inflight");
    path = path_join(dir, "machine.json");
    check_ok(dir_make_all(dir, &place.err), &place.err);
    check_ok(file_write(path, "{\"schema\": 1}\n", 14, &place.err), &place.err);
    check_run(&place, "advise transpose.c --quiet", 3, "",
              "inflight: */config/inflight/machine.json: schema: *");
    free(path);
    free(dir);
    place_drop(&place);
}

/* A damaged database stays as it is. */
TEST("a damaged database is left alone")
{
    struct place place = {0};
    struct buf before = {0}, after = {0};
    char *path;

    place_make(&place);
    path = path_join(place.work, "damaged.db");
    check_ok(file_read(path, &before, &place.err), &place.err);
    check_run(&place, "report --list --database damaged.db", 3, "",
              "inflight: *damaged.db*");
    check_ok(file_read(path, &after, &place.err), &place.err);
    check_str(buf_str(&after), buf_str(&before));
    free(path);
    buf_release(&before);
    buf_release(&after);
    place_drop(&place);
}

/* "k\xe4se.c" is a file name, but no UTF-8. */
TEST("names in other encodings")
{
    struct place place = {0};
    struct buf source = {0};
    char *from, *to;

    place_make(&place);
    from = path_join(place.work, "two.c");
    to = path_join(place.work, "k\xe4se.c");
    check_ok(file_read(from, &source, &place.err), &place.err);
    check_ok(file_write(to, buf_str(&source), source.length, &place.err), &place.err);
    check_run(&place, "show --json 'k\xe4se.c' --function first", 0,
              "{*\"file\": \"k?se.c\"*}\n", "");
    free(from);
    free(to);
    buf_release(&source);
    place_drop(&place);
}

/* ---- profiles ---- */

static void put_profile(struct place *place, const char *name, const char *from)
{
    char *dir = path_join(place->home, "config/inflight"), *path = path_join(dir, name);
    struct buf text = {0};

    check_ok(dir_make_all(dir, &place->err), &place->err);
    check_ok(file_read(from, &text, &place->err), &place->err);
    check_ok(file_write(path, buf_str(&text), text.length, &place->err), &place->err);
    buf_release(&text);
    free(dir);
    free(path);
}

/* By "here" or by the name of its file; one of another machine is said to be. */
TEST("the user's own profiles")
{
    static const char full[] = INFLIGHT_SOURCE_DIR "/tests/data/machine/full.json";
    struct place place = {0};

    place_make(&place);
    put_profile(&place, "machine.json", full);
    put_profile(&place, "lab-3.json", full);
    put_profile(&place, "torn.json", INFLIGHT_SOURCE_DIR "/LICENSE");
    check_run(&place, "machine --list", 0, "*\nlab-3 *\ntorn\n *torn.json:*\nhere *", "");
    check_run(&place, "machine --show lab-3", 0, "Test CPU*", "");
    check_run(&place, "machine --show here", 0, "Test CPU*",
              "inflight: warning: this is of another machine (the profile was made with "
              "cpu=Test CPU, here it is *); 'inflight machine' makes a new one\n");
    check_run(&place, "advise --machine here --bandwidth 5GB/s --access random", 0,
              "Test CPU*in flight per core*",
              "inflight: warning: other processes kept the machine busy*");
    place_drop(&place);
}

/* Ctrl-C while the machine is characterised: ends by that signal, the old profile is
 * there as it was. */
TEST("an interrupted probe writes nothing")
{
    const char *const argv[] = {INFLIGHT_PROGRAM, "machine", "-o", "old.json", NULL};
    struct place place = {0};
    struct spawn_request request = {.argv = argv, .timeout_s = PATIENCE_S};
    struct spawn_child *child = NULL;
    struct spawn_outcome outcome = {0};
    struct timespec well_into_the_probe = {.tv_sec = 5}; /* of some 100 s */
    struct buf text = {0};
    char *path;

    place_make(&place);
    request.env_extra = (const char *const *)place.env.v;
    request.dir = place.work;
    path = path_join(place.work, "old.json");
    check_ok(file_write(path, "old", 3, &place.err), &place.err);
    if (check_ok(spawn_start(&request, &child, &place.err), &place.err)) {
        nanosleep(&well_into_the_probe, NULL);
        kill(spawn_pid(child), SIGINT);
        check_ok(spawn_wait_all(&child, 1, false, &outcome, &place.err), &place.err);
        check_eq(outcome.end, SPAWN_SIGNALLED);
        check_eq(outcome.code, SIGINT);
        check_str(buf_str(&outcome.out), "");
        check_str(
            buf_str(&outcome.err),
            "inflight: interrupted: no profile was written, an earlier one is as it "
            "was; the same command begins again\n");
    }
    check_ok(file_read(path, &text, &place.err), &place.err);
    check_str(buf_str(&text), "old");
    buf_release(&text);
    free(path);
    spawn_outcome_release(&outcome);
    place_drop(&place);
}

/* A name in INFLIGHT_PROFILE is that profile, not a file to be made. */
TEST("a profile named by the environment is only read")
{
    static const char *const made[] = {"skl", "sk"};
    struct place place = {0};

    place_make(&place);
    strvec_push(&place.env, "INFLIGHT_PROFILE=skl");
    check_run(&place, "machine --show here --json", 0, "*\"name\": \"skl\"*",
              "*is a published profile*");
    check_run(&place, "measure transpose.c --set n=64 -q", 0, "*Time*",
              "*because INFLIGHT_PROFILE names it*");
    check_run(&place, "machine --quick", 2, "", "*'skl', which is not written*");
    place.env.v[place.env.nr - 1][strlen("INFLIGHT_PROFILE=sk")] = '\0';
    check_run(&place, "measure transpose.c --set n=64 -q", 3, "",
              "*there is no machine profile 'sk'; did you mean 'skl'*");
    for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
        char *path = path_join(place.work, made[i]);
        check(!file_exists(path));
        free(path);
    }
    place_drop(&place);
}

TEST("JSON is JSON")
{
    static const char *const args[] = {
        "machine --list --json",
        "advise --machine skl --bandwidth 9GB/s --access 1 --what-if line=128 --json",
        "show transpose.c --json",
        "machine --machine knl --json",
        "report --list --json",
        "advise --machine skl --bandwidth 100GB/s --access random --json"};
    struct place place = {0};

    place_make(&place);
    for (size_t i = 0; i < ARRAY_SIZE(args); i++) {
        struct spawn_outcome outcome = {0};
        json_t *root = NULL;

        place_run(&place, args[i], &outcome);
        check_eq(outcome.code, 0);
        check_ok(json_read_text(buf_str(&outcome.out), args[i], NULL, &root, &place.err),
                 &place.err);
        json_decref(root);
        spawn_outcome_release(&outcome);
    }
    place_drop(&place);
}

/* The kernel does not link, which is found when a session was begun. */
TEST("what never measured leaves no session")
{
    struct place place = {0};

    place_make(&place);
    check_run(&place,
              "tune outside.c --set n=1000 --buffer 'a length 1000' --machine skl -q", 1,
              "", "*it calls or uses 'g', which is in another file*");
    check_run(&place, "report --list", 0, "no session yet*", "");
    place_drop(&place);
}

/* One real measurement: what it said is what the database says again. */
TEST("a stored session prints as it did")
{
    struct place place = {0};
    struct spawn_outcome live = {0}, stored = {0};

    place_make(&place);
    place_run(&place, "advise two.c:8 --set n=1000 --machine skl --cores 1 --quiet",
              &live);
    check_eq(live.code, 0);
    check(text_matches(buf_str(&live.out),
                       "second: *\nsecond in two.c, n = 1000\n*\nWhat limits the "
                       "loop: *\nsecond: * confidence*)\n"));
    check_str(buf_str(&live.err),
              "inflight: warning: the profile does not fit here ('skl' is a published "
              "profile, not one of this machine): its limits are used because you named "
              "it; without --machine this machine's own are\n");
    check(text_matches(buf_str(&live.out),
                       "*inflight tune two.c:8 --set n=1000 --machine skl --cores 1 "
                       "*-o two_tuned.c\n*"));
    place_run(&place, "report", &stored);
    check_eq(stored.code, 0);
    check_str(buf_str(&stored.out), buf_str(&live.out));
    check_run(&place, "report --list", 0, "*1 *advise *second *1 variant* finished\n",
              "");
    check_run(&place, "report 2", 3, "", "inflight: there is no session 2 in *");
    spawn_outcome_release(&live);
    spawn_outcome_release(&stored);
    place_drop(&place);
}
