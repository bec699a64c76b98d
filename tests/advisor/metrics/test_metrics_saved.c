/*
 * inflight metrics on its own documents: what was computed is computed anew from the raw
 * counts, with what is typed now and the definitions of now.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/advisor/metrics/metric_place.h"

SUITE(advisor_metrics_saved);

static void same_output(struct place *place, const char *first, const char *second)
{
    struct spawn_outcome one = {0}, two = {0};

    place_run(place, first, &one);
    place_run(place, second, &two);
    check_eq(one.code, 0);
    check_eq(two.code, 0);
    check_str(buf_str(&two.out), buf_str(&one.out));
    spawn_outcome_release(&one);
    spawn_outcome_release(&two);
}

/* A document holds the raw counts: all is computed anew from it. */
TEST("documents are read again")
{
    struct place place = {0};

    metric_place_make(&place);
    metric_place_print(
        &place,
        "metrics --counts old=old.csv --counts new=new.csv --cpu ./toy.json "
        "--json",
        "both.json");
    same_output(&place,
                "metrics --counts a=old.csv --counts b=new.csv --cpu ./toy.json "
                "--model topdown --json --quiet",
                "metrics --counts a=old.csv --counts b=new.csv --cpu ./toy.json "
                "--model topdown --json");
    metric_place_print(&place, "metrics --counts both.json --json", "again.json");
    check_run(&place, "metrics --counts both.json --model topdown", 0,
              "old: *\n  both.json, *\nnew: *\n  both.json, *", "");
    check_run(&place, "metrics --counts x=both.json --model topdown", 0,
              "x old: *\nx new: *", "");
    check_run(&place, "metrics --counts old.csv,both.json --cpu ./toy.json", 3, "",
              "*holds 2 columns*");
    place_drop(&place);
}

/* What is typed goes before what the file says. */
TEST("cores are those that are named")
{
    struct place place = {0};

    metric_place_make(&place);
    check_run(&place, "metrics --counts old.csv --cpu ./toy.json --evidence", 0,
              "*cores = 4 (recorded)*", "");
    check_run(&place, "metrics --counts old.csv --cpu ./toy.json --evidence --cores 3", 0,
              "*cores = 3 (declared)*", "");
    metric_place_print(&place, "metrics --counts old.csv --cpu ./toy.json --json",
                       "then.json");
    check_run(&place, "metrics --counts then.json --evidence --cores 3", 0,
              "*cores = 3 (declared)*", "");
    place_drop(&place);
}

/* Nobody says how many processors a program from outside uses. */
TEST("cores of programs are not guessed")
{
    struct place place = {0};
    struct spawn_outcome outcome = {0};

    metric_place_make(&place);
    place_run(&place, "metrics --evidence -- true", &outcome);
    check(strstr(buf_str(&outcome.out), "cores = ") == NULL);
    bool counts = outcome.code == 0;
    spawn_outcome_release(&outcome);
    if (counts)
        check_run(&place, "metrics --evidence --cores 3 -- true", 0,
                  "*cores = 3 (declared)*", "*");
    place_drop(&place);
}

/* Whatever a document says is given, also more than we ever write. */
TEST("many given values are read")
{
    static const char *const name[] = {
        "seconds",           "calls",        "line_bytes",        "vector_bits", "cores",
        "memory_read_bytes", "memory_bytes", "memory_write_bytes"};
    struct place place = {0};
    json_error_t syntax;

    metric_place_make(&place);
    metric_place_print(&place,
                       "metrics --counts expected.csv --cpu ./expected.json --json",
                       "then.json");
    char *path = path_join(place.work, "then.json");
    json_t *root = json_load_file(path, 0, &syntax), *given = json_object();
    json_t *column = json_array_get(json_object_get(root, "columns"), 0);
    for (size_t i = 0; i < ARRAY_SIZE(name); i++)
        json_object_set_new(given, name[i],
                            json_quantity(quantity_exact(64, PROVENANCE_RECORDED)));
    check_eq(json_object_set_new(column, "given", given), 0);
    check_eq(json_dump_file(root, path, 0), 0);
    check_run(&place, "metrics --counts then.json --evidence", 0,
              "*memory_bytes = 64 (recorded)\n*flops_expected = *", "");
    json_decref(root);
    free(path);
    place_drop(&place);
}

/* Values of then, definitions of now. */
TEST("changed definitions are said")
{
    struct place place = {0};
    struct spawn_outcome outcome = {0};
    struct buf text = {0};
    char *path;

    metric_place_make(&place);
    metric_place_print(&place, "metrics --counts old.csv --cpu ./toy.json --json",
                       "then.json");
    place_run(&place, "metrics --counts then.json", &outcome);
    check(strstr(buf_str(&outcome.out), "other definitions") == NULL);
    spawn_outcome_release(&outcome);
    path = path_join(place.work, "toy.json");
    check_ok(file_read(path, &text, &place.err), &place.err);
    buf_add(&text, " ");
    check_ok(file_write(path, buf_str(&text), text.length, &place.err), &place.err);
    check_run(&place, "metrics --counts then.json", 0,
              "*'then.json' was computed with other definitions than 'toy' has now*", "");
    buf_release(&text);
    free(path);
    place_drop(&place);
}

/* Also in a file that an included one includes. */
TEST("changed includes are said")
{
    static const char toy[] =
        "{\"schema\": \"inflight.metrics/1\", \"name\": \"inner\", \"title\": \"t\",\n"
        "\"sources\": [\"s\"], \"events\": [{\"name\": \"CYCLES\"}],\n"
        "\"models\": [{\"name\": \"m\", \"title\": \"M\", \"roots\": \"part\", "
        "\"about\": \"a\", \"source\": \"s\"}],\n"
        "\"metrics\": [{\"name\": \"c\", \"model\": \"m\", \"formula\": \"CYCLES\", "
        "\"unit\": \"cycles\", \"about\": \"%s\"}]}";
    static const char including[] =
        "{\"schema\": \"inflight.metrics/1\", \"name\": \"%s\", \"title\": \"t\",\n"
        "\"sources\": [\"s\"], \"include\": [\"%s\"]}";
    static const char note[] = "computed with other definitions";
    char *then = xasprintf(toy, "a"), *now = xasprintf(toy, "b"),
         *middle = xasprintf(including, "middle", "inner"),
         *outer = xasprintf(including, "outer", "middle");
    struct spawn_outcome outcome = {0};
    struct place place = {0};

    metric_place_make(&place);
    metric_place_write(&place, "inner.json", then);
    metric_place_write(&place, "middle.json", middle);
    metric_place_write(&place, "outer.json", outer);
    metric_place_print(&place, "metrics --counts old.csv --cpu ./outer.json --json",
                       "then.json");
    place_run(&place, "metrics --counts then.json", &outcome);
    check_eq(outcome.code, 0);
    check(strstr(buf_str(&outcome.out), note) == NULL);
    metric_place_write(&place, "inner.json", now);
    check_run(&place, "metrics --counts then.json", 0,
              "*computed with other definitions*", "");
    spawn_outcome_release(&outcome);
    free(then);
    free(now);
    free(middle);
    free(outer);
    place_drop(&place);
}

static char *hash_of(struct place *place, const char *args)
{
    struct spawn_outcome outcome = {0};

    place_run(place, args, &outcome);
    json_t *root = json_loads(buf_str(&outcome.out), 0, NULL);
    const json_t *column = json_array_get(json_object_get(root, "columns"), 0);
    const char *hash = json_string_value(
        json_object_get(json_object_get(column, "definition"), "sha256"));
    char *copy = xstrdup(hash ? hash : "");
    json_decref(root);
    spawn_outcome_release(&outcome);
    return copy;
}

/* The kernel's events stand in a file of their own, which is read where they count. */
TEST("hashes are of all that is read")
{
    struct place place = {0};

    metric_place_make(&place);
    metric_place_write(&place, "plain.csv", "event,count\nseconds,1\nCYCLES,1000\n");
    metric_place_write(&place, "faults.csv",
                       "event,count\nseconds,1\nCYCLES,1000\nperf::PAGE-FAULTS,7\n");
    char *plain = hash_of(&place, "metrics --counts plain.csv --cpu ./toy.json --json"),
         *faults = hash_of(&place, "metrics --counts faults.csv --cpu ./toy.json --json");
    check_eq(strlen(plain), 64);
    check_eq(strlen(faults), 64);
    check(strcmp(plain, faults) != 0);
    metric_place_print(&place, "metrics --counts faults.csv --cpu ./toy.json --json",
                       "then.json");
    char *again = hash_of(&place, "metrics --counts then.json --json");
    check_str(again, faults);
    free(plain);
    free(faults);
    free(again);
    place_drop(&place);
}

TEST("saved counts are counts")
{
    struct place place = {0};

    metric_place_make(&place);
    check_run(&place, "metrics --counts old.csv --cpu ./toy.json --save kept.json", 0,
              "*Backend_Bound *57.0 % of slots*", "");
    check_run(&place, "metrics --counts kept.json --cpu ./toy.json --model cycles", 0,
              "*> Stalled *50.0 % of cycles*[45.8, 54.2]*", "");
    place_drop(&place);
}

/* Names of files are bytes; documents are UTF-8. */
TEST("names may be any bytes")
{
    struct place place = {0};

    metric_place_make(&place);
    metric_place_write(&place, "o\xff.csv", "event,count\nseconds,1\nCYCLES,1000\n");
    check_run(&place,
              "metrics --counts old.csv --counts 'o\xff.csv' --cpu ./toy.json --json", 0,
              "*\"label\": \"o?.csv\"*", "");
    place_drop(&place);
}

/* Family, model and stepping are a name of the profile's CPU, too. */
TEST("profiles are of the counted CPU")
{
    static const char counts[] = "seconds,1\ncycles,1000000000\n";
    char *intel = xasprintf("cpu,GenuineIntel-6-55-7\n%s", counts),
         *amd = xasprintf("cpu,AuthenticAMD-23-31-0\n%s", counts);
    struct place place = {0};
    struct spawn_outcome outcome = {0};

    metric_place_make(&place);
    metric_place_write(&place, "intel.csv", intel);
    metric_place_write(&place, "amd.csv", amd);
    place_run(&place, "metrics --counts intel.csv --machine clx-gold5218", &outcome);
    check_contains(buf_str(&outcome.out), "cycles");
    check(strstr(buf_str(&outcome.out), "is not used for") == NULL);
    spawn_outcome_release(&outcome);
    place_run(&place, "metrics --counts amd.csv --cpu zen2 --machine clx-gold5218",
              &outcome);
    check_contains(buf_str(&outcome.out), "the profile 'clx-gold5218' is of");
    spawn_outcome_release(&outcome);
    free(intel);
    free(amd);
    place_drop(&place);
}

TEST("empty documents are refused")
{
    struct place place = {0};

    metric_place_make(&place);
    metric_place_write(&place, "none.json",
                       "{\"schema\": \"inflight.metrics-result/1\", \"columns\": []}");
    check_run(&place, "metrics --counts none.json", 3, "",
              "*none.json: columns: there are no columns in it\n");
    place_drop(&place);
}
