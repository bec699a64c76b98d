/* Another user prepares folders, links, pipes, files; root runs the program over them. */
#define _GNU_SOURCE /* setresuid, setresgid, setgroups */
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "core/files/trust.h"
#include "core/store/store.h"
#include "tests/advisor/place.h"
#include "tests/cases.h"

SUITE(advisor_trust);

enum { NOBODY = 65534, ATTACKS_MIN = 40, HANG_S = 120 };

static const char kernel[] = "#pragma inflight kernel\n"
                             "#pragma inflight set n = 1000\n"
                             "void scale(long n, double *restrict a, const double *b)\n"
                             "{\n"
                             "    for (long i = 0; i < n; i++)\n"
                             "        a[i] = 2 * b[i];\n"
                             "}\n";

static const char evil[] = "#include <fcntl.h>\n"
                           "#include <unistd.h>\n"
                           "static void __attribute__((constructor)) run(void)\n"
                           "{\n"
                           "    close(open(MARKER, O_WRONLY | O_CREAT, 0666));\n"
                           "}\n";

/* `top` is what both see: root's, with a folder "t" of nobody's. */
struct scene {
    char *home, *top, *victim, *marker;
    struct strvec env;
    struct error err;
};

static bool is_root(void)
{
    if (!geteuid())
        return true;
    check_skip("only root can become another user");
    return false;
}

/* In `top`; as nobody where that is said. Its status as a shell has it. */
static int shell(struct scene *scene, const char *script, bool as_nobody)
{
    int status = 0;
    pid_t child = fork();
    if (!child) {
        if (chdir(scene->top) ||
            (as_nobody && (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
                           setresuid(NOBODY, NOBODY, NOBODY))))
            _exit(127);
        for (size_t i = 0; i < scene->env.nr; i++)
            putenv(scene->env.v[i]);
        execl("/bin/sh", "sh", "-ec", script, (char *)NULL);
        _exit(127);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void put(struct scene *scene, const char *name, const char *text)
{
    char *path = path_join(scene->top, name);
    check_ok(file_write(path, text, strlen(text), &scene->err), &scene->err);
    free(path);
}

static void scene_make(struct scene *scene)
{
    struct store *store = NULL;
    check_ok(scratch_make(&scene->home, &scene->err), &scene->err);
    chmod(scene->home, 0711);
    scene->top = path_join(scene->home, "top");
    scene->victim = path_join(scene->home, "victim");
    scene->marker = path_join(scene->home, "marker");
    check_ok(dir_make_private(scene->top, &scene->err), &scene->err);
    chmod(scene->top, 0755);
    check_ok(file_write(scene->victim, "precious", 8, &scene->err), &scene->err);
    strvec_pushf(&scene->env, "HOME=%s", scene->home);
    strvec_pushf(&scene->env, "XDG_DATA_HOME=%s/data", scene->home);
    strvec_pushf(&scene->env, "XDG_CONFIG_HOME=%s/config", scene->home);
    strvec_pushf(&scene->env, "XDG_CACHE_HOME=%s/cache", scene->home);
    strvec_pushf(&scene->env, "victim=%s", scene->victim);
    strvec_push(&scene->env, "inflight=" INFLIGHT_PROGRAM);
    strvec_push(&scene->env, "marked=" REGION_PROGRAM);
    strvec_push(&scene->env, "data=" INFLIGHT_SOURCE_DIR);
    put(scene, "k.c", kernel);
    put(scene, "evil.c", evil);
    char *words = xasprintf("umask 022; mkdir t; chown nobody t\n"
                            "cp \"$data\"/core/machine/profiles/skl.json .\n" INFLIGHT_CC
                            " -DMARKER='\"%s\"' -c evil.c -o evil.o\n" INFLIGHT_CC
                            " -DMARKER='\"%s\"' -shared -fPIC evil.c -o evil.so\n",
                            scene->marker, scene->marker),
         *good = path_join(scene->top, "good.db");
    check_eq(shell(scene, words, false), 0);
    check_ok(store_open(good, &store, &scene->err), &scene->err);
    store_close(store);
    chmod(good, 0644);
    free(good);
    free(words);
}

static void scene_drop(struct scene *scene)
{
    strvec_release(&scene->env);
    free(scene->top);
    free(scene->victim);
    free(scene->marker);
    scratch_remove(scene->home);
}

/* Nothing of theirs ran, and nothing of ours is what they chose. */
static void check_unharmed(struct scene *scene, const char *what)
{
    struct buf text = {0};
    struct stat about;
    check_true_at(!file_exists(scene->marker), what, HERE);
    check_ok(file_read(scene->victim, &text, &scene->err), &scene->err);
    check_str_at(buf_str(&text), "precious", what, HERE);
    check_true_at(!lstat(scene->victim, &about) && S_ISREG(about.st_mode) &&
                      !about.st_uid && (about.st_mode & 07777) == 0644,
                  what, HERE);
    buf_release(&text);
}

/* But for the line's end. */
static void check_text(const char *got, const char *pattern, const char *what)
{
    char *text = xstrndup(got, strlen(got) - text_ends(got, "\n")),
         *want = xstrndup(pattern, strlen(pattern) - text_ends(pattern, "\n"));
    if (!text_matches(text, want))
        check_str_at(text, want, what, HERE);
    free(want);
    free(text);
}

static void attack(const struct test_case *one)
{
    struct scene scene = {0};
    struct spawn_outcome outcome = {0};
    const char *mine = case_part(one, "mine"), *theirs = case_part(one, "theirs"),
               *then = case_part(one, "then"), *out = case_part(one, "stdout"),
               *run = case_part(one, "run");
    scene_make(&scene);
    check_true_at(!mine || !shell(&scene, mine, false), one->name, HERE);
    check_true_at(!theirs || !shell(&scene, theirs, true), one->name, HERE);
    check_true_at(!then || !shell(&scene, then, false), one->name, HERE);
    struct spawn_request request = {.argv = (const char *[]){"/bin/sh", "-c", run, NULL},
                                    .env_extra = (const char *const *)scene.env.v,
                                    .dir = scene.top,
                                    .timeout_s = HANG_S};
    const struct case_part *want = NULL;
    for (size_t i = 0; i < one->part_nr; i++)
        if (text_begins(one->part[i].name, "exited"))
            want = &one->part[i];
    if (check_true_at(run && want, one->name, HERE) &&
        check_ok(spawn_run(&request, &outcome, &scene.err), &scene.err)) {
        char *end = xasprintf("%s %d", spawn_end_word(outcome.end), outcome.code);
        check_text(end, want->name, one->name);
        check_text(buf_str(&outcome.err), want->text, one->name);
        check_text(buf_str(&outcome.out), out ? out : "*", one->name);
        free(end);
        spawn_outcome_release(&outcome);
    }
    check_unharmed(&scene, one->name);
    scene_drop(&scene);
}

TEST("what another user has prepared is neither run nor believed, and overwrites nothing")
{
    struct cases cases;
    if (!is_root())
        return;
    cases_read(INFLIGHT_SOURCE_DIR "/tests/data/advisor/trust.cases", ATTACKS_MIN,
               &cases);
    for (size_t i = 0; i < cases.nr; i++)
        attack(&cases.v[i]);
    cases_release(&cases);
}

/* An access list as setfacl -m u:nobody:PERM makes it (linux/posix_acl_xattr.h). */
static int let_nobody(const char *path, unsigned char perm)
{
    unsigned char list[4 + 5 * 8] = {2};
    const unsigned char entry[5][2] = {
        {1, 7}, {2, perm}, {4, 0}, {0x10, perm}, {0x20, 0}};
    for (size_t i = 0; i < 5; i++) {
        unsigned char *at = list + 4 + 8 * i;
        at[0] = entry[i][0];
        at[2] = entry[i][1];
        memset(at + 4, 0xff, 4);
        if (i == 1)
            memcpy(at + 4, &(unsigned){NOBODY}, 4);
    }
    return setxattr(path, "system.posix_acl_access", list, sizeof(list), 0);
}

TEST("an access list that lets somebody write is seen, one that does not is none")
{
    struct scene scene = {0};
    if (!is_root())
        return;
    scene_make(&scene);
    char *box = path_join(scene.top, "box"), *file = path_join(box, "f");
    check_ok(trust_make(box, TRUST_OWN, &scene.err), &scene.err);
    check_ok(file_write(file, "", 0, &scene.err), &scene.err);
    if (let_nobody(box, 5)) {
        check_skip("this file system has no access lists");
    } else {
        check_ok(trust_folder(box, TRUST_OWN, &scene.err), &scene.err);
        check_eq(let_nobody(box, 7), 0);
        check_eq(shell(&scene, "> box/theirs", true), 0);
        check_fails(trust_folder(box, TRUST_OWN, &scene.err), &scene.err, STATUS_INPUT,
                    "type: chmod go-w ");
        check_eq(shell(&scene, "chmod go-w box; rm box/theirs", false), 0);
        check_eq(shell(&scene, "> box/theirs", true) != 0, 1);
        check_ok(trust_folder(box, TRUST_OWN, &scene.err), &scene.err);
        check_ok(trust_look(file, &scene.err), &scene.err);
        check_eq(let_nobody(file, 6), 0);
        check_fails(trust_look(file, &scene.err), &scene.err, STATUS_INPUT,
                    "others may write to ");
    }
    free(file);
    free(box);
    scene_drop(&scene);
}

TEST("what is new is for nobody else, whatever the umask")
{
    struct scene scene = {0};
    struct stat about;
    mode_t before = umask(0);
    scene_make(&scene);
    char *deep = path_join(scene.top, "a/b/c"), *file = path_join(deep, "f");
    check_ok(trust_make(deep, TRUST_OWN, &scene.err), &scene.err);
    check_ok(file_write(file, "", 0, &scene.err), &scene.err);
    check(!stat(file, &about) && (about.st_mode & 07777) == 0644);
    check_ok(trust_tree(deep, TRUST_OWN, &scene.err), &scene.err);
    umask(before);
    free(file);
    free(deep);
    scene_drop(&scene);
}

/* As ordinary users are: root's files are theirs to believe, their own group is nobody
 * else only where they are alone in it. */
TEST("another user believes root, and not a third one")
{
    struct scene scene = {0};
    if (!is_root())
        return;
    scene_make(&scene);
    check_eq(shell(&scene,
                   "mkdir -m 755 t/p; cp skl.json t/p/root.json; chown nobody t/p; "
                   "cp skl.json t/other.json; chown daemon t/other.json",
                   false),
             0);
    check_eq(shell(&scene,
                   "export HOME=$PWD/t; unset XDG_DATA_HOME XDG_CONFIG_HOME "
                   "XDG_CACHE_HOME; \"$inflight\" machine --show t/p/root.json "
                   ">/dev/null",
                   true),
             0);
    check_eq(shell(&scene,
                   "export HOME=$PWD/t; unset XDG_DATA_HOME XDG_CONFIG_HOME "
                   "XDG_CACHE_HOME; \"$inflight\" machine --show t/other.json "
                   ">/dev/null 2>&1",
                   true),
             status_exit(STATUS_INPUT));
    scene_drop(&scene);
}
