/* What a program's file says of its code: programs are built here. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/code/code.h"
#include "tests/check.h"

SUITE(code_image);

static const char program[] =
    "static inline double twice(double x)\n"                    /* 1 */
    "{\n"                                                       /* 2 */
    "    return x + x;\n"                                       /* 3 */
    "}\n"                                                       /* 4 */
    "__attribute__((noinline)) double sum(double *a, long n)\n" /* 5 */
    "{\n"                                                       /* 6 */
    "    double s = 0;\n"                                       /* 7 */
    "    for (long i = 0; i < n; i++)\n"                        /* 8 */
    "        s += twice(a[i]) / 3;\n"                           /* 9 */
    "    return s;\n"                                           /* 10 */
    "}\n"                                                       /* 11 */
    "static double fill(double *a, long n)\n"                   /* 12 */
    "{\n"                                                       /* 13 */
    "    for (long i = 0; i < n; i++)\n"                        /* 14 */
    "        a[i] = sum(a, i) / 7;\n"                           /* 15 */
    "    return a[0];\n"                                        /* 16 */
    "}\n"                                                       /* 17 */
    "int main(int argc, char **argv)\n"                         /* 18 */
    "{\n"                                                       /* 19 */
    "    static double a[64];\n"                                /* 20 */
    "    (void)argv;\n"                                         /* 21 */
    "    return fill(a, argc) > 1;\n"                           /* 22 */
    "}\n";                                                      /* 23 */

struct built {
    char *folder, *source, *program;
};

static bool build(struct built *built, const char *compiler, const char *flag,
                  const char *more)
{
    const char *const argv[] = {compiler,      "-O2", flag,           more,
                                built->source, "-o",  built->program, NULL};
    struct spawn_request request = {.argv = argv, .timeout_s = PATIENCE_S};
    struct spawn_outcome outcome = {0};
    struct error err = {0};
    bool works = check_ok(spawn_run(&request, &outcome, &err), &err) &&
                 check_str(buf_str(&outcome.err), "") && check_eq(outcome.code, 0);

    spawn_outcome_release(&outcome);
    return works;
}

static bool set_up(struct built *built, const char *compiler, const char *flag,
                   const char *more)
{
    struct error err = {0};
    char *dir;

    check_ok(scratch_make(&built->folder, &err), &err);
    dir = path_join(built->folder, "a folder");
    check_ok(dir_make_all(dir, &err), &err);
    built->source = path_join(dir, "some.c");
    built->program = path_join(dir, "some program");
    check_ok(file_write(built->source, program, sizeof(program) - 1, &err), &err);
    free(dir);
    return build(built, compiler, flag, more);
}

static void tear_down(struct built *built)
{
    free(built->source);
    free(built->program);
    scratch_remove(built->folder);
}

/* The first address whose line is this one and that lies in a loop, if asked for. */
static bool find_line(struct image *image, int line, bool in_loop,
                      struct image_place *place)
{
    for (uint64_t offset = 0; offset < 1 << 16; offset++) {
        uint64_t address = image_address(image, offset);

        if (address == UINT64_MAX)
            continue;
        image_find(image, address, place);
        if (place->line == line && place->file && (!in_loop || place->loop))
            return true;
    }
    return false;
}

static struct image *open_image(const struct built *built)
{
    struct image *image = NULL;
    struct error err = {0};

    check_ok(image_open(built->program, &image, &err), &err);
    return image;
}

static void check_function(const struct built *built,
                           const struct image_function *function, const char *name,
                           int line)
{
    check_str(function->name, name);
    check_eq(function->line, line);
    check_str(function->language ? function->language : "", "C");
    check(function->file && image_file_is(function->file, built->source));
}

static void check_sum(const struct built *built, struct image *image)
{
    struct image_place place;

    if (!check(find_line(image, 3, true, &place)) || !check_eq(place.frame_nr, 2))
        return;
    check_str(place.symbol, "sum");
    check_function(built, place.frame[0], "twice", 1);
    check_function(built, place.frame[1], "sum", 5);
    /* the loop is of the function around, as is its line */
    check_eq(place.loop->depth, 0);
    check(place.loop->line_nr > 0 && place.loop->line[0] == 8);
    check(place.loop->bytes > 4 && place.loop->bytes < 400);
    if (check(find_line(image, 11, false, &place) ||
              find_line(image, 10, false, &place))) /* compilers differ */
        check(!place.loop);
}

static void check_main(const struct built *built, struct image *image)
{
    struct image_place place;

    if (!check(find_line(image, 15, true, &place)) || !check_eq(place.frame_nr, 2))
        return;
    check_str(place.symbol, "main");
    check_function(built, place.frame[0], "fill", 12);
    check_function(built, place.frame[1], "main", 18);
    check_eq(place.loop->depth, 1);
}

static void check_whole(const char *compiler, const char *flag, const char *more)
{
    struct built built;
    struct image *image;

    if (set_up(&built, compiler, flag, more) && (image = open_image(&built))) {
        check_sum(&built, image);
        check_main(&built, image);
        image_free(image);
    }
    tear_down(&built);
}

TEST("functions, lines and loops")
{
    check_whole("gcc", "-g", "-pie");
    check_whole("gcc", "-g", "-no-pie");
    check_whole("gcc", "-gdwarf-4", "-pie");
    check_whole("gcc", "-g", "-static");
}

TEST("of clang")
{
    static const char *const argv[] = {"clang-19", "--version", NULL};
    struct spawn_request request = {.argv = argv, .timeout_s = PATIENCE_S};
    struct spawn_outcome outcome = {0};
    struct error err = {0};

    check_ok(spawn_run(&request, &outcome, &err), &err);
    if (outcome.end == SPAWN_NOT_STARTED)
        check_skip("clang-19 is not installed");
    else {
        check_whole("clang-19", "-g", "-fno-vectorize");
        check_whole("clang-19", "-gdwarf-4", "-fno-vectorize");
    }
    spawn_outcome_release(&outcome);
}

TEST("without debug information")
{
    struct built built;
    struct image *image;
    struct image_place place = {0};
    bool found = false;

    if (set_up(&built, "gcc", "-g0", "-pie") && (image = open_image(&built))) {
        for (uint64_t offset = 0; !found && offset < 1 << 16; offset++) {
            uint64_t address = image_address(image, offset);

            if (address != UINT64_MAX)
                image_find(image, address, &place);
            found = place.symbol && !strcmp(place.symbol, "sum") && place.loop;
        }
        if (check(found) && check_eq(place.frame_nr, 1)) {
            check_str(place.frame[0]->name, "sum");
            check(!place.frame[0]->file && !place.file);
        }
        image_free(image);
    }
    tear_down(&built);
}

TEST("stripped")
{
    struct built built;
    struct image *image;
    struct image_place place;

    if (set_up(&built, "gcc", "-s", "-static") && (image = open_image(&built))) {
        image_find(image, 0x401000, &place);
        check(!place.frame_nr && !place.symbol && !place.loop);
        image_free(image);
    }
    tear_down(&built);
}

TEST("what is no program")
{
    struct image *image;
    struct error err = {0};

    check_fails(image_open("/nowhere/program", &image, &err), &err, STATUS_INPUT,
                "cannot read '/nowhere/program'");
    check_fails(image_open(INFLIGHT_SOURCE_DIR "/README.md", &image, &err), &err,
                STATUS_INPUT, "is not a program in ELF format");
}

TEST("names")
{
    static const struct {
        const char *found, *asked;
        bool want;
    } cases[] = {
        {"f", "f", true},           {"f.part.0", "f", true},
        {"f._omp_fn.0", "f", true}, {"box::Grid::f", "f", true},
        {"box::f", "box::f", true}, {"ff", "f", false},
        {"f2", "f", false},         {"box::off", "f", false},
        {"g", "f", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_eq(image_name_is(cases[i].found, cases[i].asked), cases[i].want);
    check(image_file_is("/nowhere/src/a.c", "src/a.c"));
    check(image_file_is("/nowhere/src/a.c", "./src/a.c"));
    check(!image_file_is("/nowhere/src/aa.c", "a.c"));
    check(!image_file_is("/nowhere/src/a.c", "lib/a.c"));
}
