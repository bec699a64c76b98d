/* What `cmake --install`, the target `uninstall` and cpack make of this build folder.
 * Only in the preset ci: elsewhere man pages are not built, and sanitizers are not
 * installed. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/program/commands.h"
#include "tests/advisor/place.h"

SUITE(advisor_install);

#ifndef INFLIGHT_INSTALL_CMAKE
#define INFLIGHT_INSTALL_CMAKE ""
#define INFLIGHT_INSTALL_CPACK ""
#endif

static const char manifest[] = INFLIGHT_BINARY_DIR "/install_manifest.txt";
static const char record[] = INFLIGHT_BINARY_DIR "/install_folders.txt";

/* A place, and what an earlier installation from here left, to be put back. */
struct site {
    struct place place;
    struct buf manifest, record;
    bool installed;
    char *prefix; /* with a space in it */
};

static bool not_here(void)
{
    const char *why = !*INFLIGHT_INSTALL_CMAKE ? "only in the preset ci"
                      : access(INFLIGHT_BINARY_DIR, W_OK)
                          ? "the build folder is not ours: " INFLIGHT_BINARY_DIR
                          : NULL;

    if (why)
        check_skip(why);
    return why != NULL;
}

static void site_make(struct site *site)
{
    *site = (struct site){0};
    place_make(&site->place);
    for (size_t i = 0; i < site->place.env.nr; i++)
        if (!strncmp(site->place.env.v[i], "INFLIGHT_DATA=", 14))
            site->place.env.v[i][14] = '\0'; /* its own data is to be found */
    site->prefix = path_join(site->place.home, "a prefix");
    site->installed = file_exists(manifest);
    if (site->installed) {
        check_ok(file_read(manifest, &site->manifest, &site->place.err),
                 &site->place.err);
        file_read(record, &site->record, NULL);
    }
    unlink(record);
}

static void site_clear(struct site *site)
{
    unlink(manifest);
    unlink(record);
    if (site->installed) {
        file_write(manifest, buf_str(&site->manifest), site->manifest.length, NULL);
        file_write(record, buf_str(&site->record), site->record.length, NULL);
    }
    buf_release(&site->manifest);
    buf_release(&site->record);
    free(site->prefix);
    place_drop(&site->place);
}

/* Status, with both streams in `out`; -1 = there is no such program. */
static int run(struct site *site, const char *const *argv, struct buf *out)
{
    struct spawn_outcome outcome = {0};
    struct spawn_request request = {.argv = argv,
                                    .env_extra = (const char *const *)site->place.env.v,
                                    .dir = site->place.work,
                                    .timeout_s = PATIENCE_S};
    int status;

    check_ok(spawn_run(&request, &outcome, &site->place.err), &site->place.err);
    buf_reset(out);
    buf_addf(out, "%s%s", buf_str(&outcome.out), buf_str(&outcome.err));
    status = outcome.end == SPAWN_NOT_STARTED ? -1 : outcome.code;
    spawn_outcome_release(&outcome);
    return status;
}

#define RUN(site, out, ...) run((site), (const char *const[]){__VA_ARGS__, NULL}, (out))

static void install(struct site *site, const char *prefix)
{
    struct buf out = {0};

    if (RUN(site, &out, INFLIGHT_INSTALL_CMAKE, "--install", INFLIGHT_BINARY_DIR,
            "--prefix", prefix))
        check_str(buf_str(&out), "installed");
    buf_release(&out);
}

static void uninstall(struct site *site, const char *expected)
{
    struct buf out = {0};

    RUN(site, &out, INFLIGHT_INSTALL_CMAKE, "-P", INFLIGHT_BINARY_DIR "/uninstall.cmake");
    if (!text_matches(buf_str(&out), expected))
        check_str(buf_str(&out), expected);
    buf_release(&out);
}

static bool is_there(const char *dir, const char *name)
{
    char *path = path_join(dir, name);
    bool found = file_exists(path) || dir_exists(path);

    free(path);
    return found;
}

static void check_there(const char *dir, const char *name)
{
    if (!is_there(dir, name))
        check_str(name, "installed");
}

/* A page for every command, which groff has nothing to say about. */
static void check_pages(struct site *site, const char *dir)
{
    const struct command *command;
    struct buf out = {0};

    for (size_t i = 0; (command = command_row(i)); i++) {
        char *page = xasprintf("%s/inflight-%s.1", dir, command->name);
        int status = RUN(site, &out, "groff", "-ww", "-man", "-Tutf8", "-z", page);

        if (status == -1)
            check_skip("groff is not installed");
        else
            check_str(buf_str(&out), "");
        check(file_exists(page));
        free(page);
    }
    check_there(dir, "inflight.1");
    buf_release(&out);
}

TEST("everything has its place")
{
    static const char *const files[] = {
        "bin/inflight",
        "bin/inflight-exchange",
        "bin/inflight-plot",
        "lib/inflight/inflight-slurm",
        "share/inflight/rules/recipe.json",
        "share/inflight/core/machine/profiles/skl.json",
        "share/inflight/observe/data/timeline_events.json",
        "share/inflight/templates/kernels/transpose.c",
        "share/inflight/templates/harness/program_time.c",
        "share/inflight/schemas/report-1.json",
        "share/doc/inflight/README.md",
        "share/doc/inflight/LICENSE",
        "share/doc/inflight/docs/internals/method.md",
        "share/pkgconfig/inflight.pc",
        "include/inflight.h",
        "share/inflight/inflight_regions.f90",
        "share/bash-completion/completions/inflight",
        "share/zsh/site-functions/_inflight",
        "share/fish/vendor_completions.d/inflight.fish",
    };
    struct site site;
    char *pages;

    if (not_here())
        return;
    site_make(&site);
    install(&site, site.prefix);
    for (size_t i = 0; i < ARRAY_SIZE(files); i++)
        check_there(site.prefix, files[i]);
    pages = path_join(site.prefix, "share/man/man1");
    check_pages(&site, pages);
    free(pages);
    site_clear(&site);
}

/* The program, pkg-config and the data go together to another folder. */
TEST("an installation can be moved")
{
    struct site site;
    struct buf out = {0};
    char *moved, *program, *profile, *pc;

    if (not_here())
        return;
    site_make(&site);
    install(&site, site.prefix);
    moved = path_join(site.place.home, "moved/to here");
    program = path_join(moved, "bin/inflight");
    profile = path_join(moved, "share/inflight/core/machine/profiles/knl.json");
    pc = xasprintf("PKG_CONFIG_PATH=%s/share/pkgconfig", moved);
    check_ok(dir_make_all(moved, &site.place.err), &site.place.err);
    rmdir(moved);
    check_eq(rename(site.prefix, moved), 0);
    check_eq(unlink(profile), 0); /* so that it is seen which data is read */
    check_eq(RUN(&site, &out, program, "machine", "--list"), 0);
    check_contains(buf_str(&out), "\nskl ");
    check(!strstr(buf_str(&out), "\nknl "));
    check_eq(RUN(&site, &out, program, "show", "transpose.c"), 0);
    strvec_push(&site.place.env, pc);
    check_eq(RUN(&site, &out, "pkg-config", "--variable=makefile", "inflight"), 0);
    check_contains(buf_str(&out),
                   "here/share/pkgconfig/../../share/inflight/inflight.mk");
    check_eq(RUN(&site, &out, "pkg-config", "--modversion", "inflight"), 0);
    free(pc);
    free(profile);
    free(program);
    free(moved);
    buf_release(&out);
    site_clear(&site);
}

/* What somebody else put there stays, and the folders that it needs. */
TEST("uninstall takes its own only")
{
    struct site site;
    struct error err = {0};
    char *foreign;

    if (not_here())
        return;
    site_make(&site);
    install(&site, site.prefix);
    install(&site, site.prefix); /* twice is no more than once */
    foreign = path_join(site.prefix, "share/inflight/templates/kernels/mine.c");
    check_ok(file_write(foreign, "int x;\n", 7, &err), &err);
    uninstall(&site, "-- Removed * files and * empty folders. Profiles and sessions *");
    check(file_exists(foreign));
    check(!is_there(site.prefix, "bin") && !is_there(site.prefix, "share/man") &&
          !is_there(site.prefix, "share/inflight/templates/kernels/transpose.c"));
    uninstall(&site, "CMake Error *Nothing was installed from here*");
    check(file_exists(foreign));
    free(foreign);
    site_clear(&site);
}

/* With DESTDIR, where some folders were there: these stay, and nothing else does. */
TEST("staging can be taken back")
{
    static const char *const before[] = {"opt/lib", "opt/share/man", "opt/share", "opt"};
    struct site site;
    char *stage, *output, *path;

    if (not_here())
        return;
    site_make(&site);
    stage = path_join(site.place.home, "my stage");
    output = xasprintf("DESTDIR=%s", stage);
    strvec_push(&site.place.env, output);
    for (size_t i = 0; i < 2; i++) {
        path = path_join(stage, before[i]);
        check_ok(dir_make_all(path, &site.place.err), &site.place.err);
        free(path);
    }
    install(&site, "/opt");
    check_there(stage, "opt/bin/inflight");
    check_there(stage, "opt/share/man/man1/inflight.1");
    uninstall(&site, "-- Removed *");
    for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
        path = path_join(stage, before[i]);
        if (rmdir(path))
            check_str(path, "empty");
        free(path);
    }
    free(output);
    free(stage);
    site_clear(&site);
}

/* ---- Debian packages ---- */

static void unpack(struct site *site, const char *dir, const char *root, size_t *nr)
{
    struct dirent **names = NULL;
    struct buf out = {0};
    int found = scandir(dir, &names, NULL, alphasort);

    for (int i = 0; i < found; i++) {
        char *path = path_join(dir, names[i]->d_name);

        if (strstr(names[i]->d_name, ".deb")) {
            check_eq(RUN(site, &out, "dpkg-deb", "-x", path, root), 0);
            ++*nr;
        }
        if (!strncmp(names[i]->d_name, "inflight_", 9)) {
            check_eq(RUN(site, &out, "dpkg-deb", "-f", path, "Depends"), 0);
            check_contains(buf_str(&out), "libclang-common-");
            check_contains(buf_str(&out), "libjansson4");
        }
        free(path);
        free(names[i]);
    }
    free(names);
    buf_release(&out);
}

TEST("packages are made")
{
    static const char *const files[] = {
        "usr/bin/inflight",
        "usr/share/man/man1/inflight-tune.1.gz",
        "usr/share/zsh/vendor-completions/_inflight",
        "usr/share/doc/inflight/copyright",
        "usr/share/doc/inflight/changelog.Debian.gz",
        "usr/share/doc/inflight-build/copyright",
        "usr/share/pkgconfig/inflight.pc",
        "usr/include/inflight.h",
        "usr/share/doc/inflight-regions/copyright",
    };
    struct site site;
    struct buf out = {0};
    char *root, *program, *packages;
    size_t nr = 0;

    if (not_here())
        return;
    site_make(&site);
    root = path_join(site.place.home, "root");
    packages = path_join(site.place.home, "packages");
    program = path_join(root, "usr/bin/inflight");
    if (RUN(&site, &out, "dpkg-shlibdeps", "--version")) {
        check_skip("dpkg-shlibdeps is not installed (Debian: dpkg-dev)");
    } else if (RUN(&site, &out, INFLIGHT_INSTALL_CPACK, "--config",
                   INFLIGHT_BINARY_DIR "/CPackConfig.cmake", "-B", packages)) {
        check_str(buf_str(&out), "packages");
    } else {
        unpack(&site, packages, root, &nr);
        check_eq(nr, 3);
        for (size_t i = 0; i < ARRAY_SIZE(files); i++)
            check_there(root, files[i]);
        check_eq(RUN(&site, &out, program, "rules", "lines_again.tile"), 0);
        check(!file_exists(record)); /* packing is no installation */
    }
    free(program);
    free(packages);
    free(root);
    buf_release(&out);
    site_clear(&site);
}
