#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/files/fs.h"
#include "tests/check.h"
#include "variants/plan/plan.h"

SUITE(variants_plan);

TEST("canonical text")
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", ""},
        {"  tile( i : 64 , j:8 )  simd ", "tile(i:64,j:8) simd"},
        {"interchange(i,k,j)unroll_jam(i:4)", "interchange(i,k,j) unroll_jam(i:4)"},
        {"simd(j) unroll(k:2)", "simd(j) unroll(k:2)"},
        {"prefetch(a:16)", "prefetch(a:16)"},
        {"prefetch(a:16,to:L1)", "prefetch(a:16)"},
        {"prefetch(to:16,to:L2)", "prefetch(to:16,to:L2)"},
        {"prefetch(a:16,b_2:8,to:L2)", "prefetch(a:16,b_2:8,to:L2)"},
        {"prefetch(p.x:16,g->v:8,to:NT)", "prefetch(p.x:16,g->v:8,to:NT)"},
        {"prefetch( a:2 , at : i )", "prefetch(a:2,at:i)"},
        {"prefetch(at:2,at:i,to:L2)", "prefetch(at:2,to:L2,at:i)"},
        {"prefetch(p.x:2,at:row_2)", "prefetch(p.x:2,at:row_2)"},
        {"skew(i, t:-1)", "skew(i,t:-1)"},
        {"fuse(i,shift:2) distribute(j)", "fuse(i,shift:2) distribute(j)"},
        {"simd(width:8)", "simd(width:8)"},
        {"simd(j,interleave:2,width:8)", "simd(j,width:8,interleave:2)"},
        {"parallel(i,chunk:4,schedule:dynamic)", "parallel(i,schedule:dynamic,chunk:4)"},
        {"set(TILE:0,U:-3)", "set(TILE:0,U:-3)"},
        {"tile(i:8) when( n : 256 )", "tile(i:8) when(n:256)"},
        {"when(n:256,g->m:-3) simd", "when(n:256,g->m:-3) simd"},
        {"when(p.n:8589934592)", "when(p.n:8589934592)"},
        {" nest( 2 )tile(i:8) nest(2) simd nest(all) fuse(i) nest(1)",
         "nest(2) tile(i:8) simd nest(all) fuse(i)"},
        {"nest(1) nest(3) simd", "nest(3) simd"},
        {"pack(B,kt) vec(j:8) full(i) pad(a:8)", "pack(B,kt) vec(j:8) full(i) pad(a:8)"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct plan *plan = NULL;
        struct error err = {0};
        if (!check_ok(plan_parse(cases[i].text, &plan, &err), &err))
            continue;
        char *text = plan_text(plan);
        check_str(text, cases[i].want);
        free(text);
        plan_free(plan);
    }
}

TEST("names of the field and of the advice are understood")
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"Tile(i:8)", "tile(i:8)"},
        {"blocking(i:8,j:8) strip-mine(k:4)", "tile(i:8,j:8) tile(k:4)"},
        {"unroll-and-jam(i:4)", "unroll_jam(i:4)"},
        {"unroll_and_jam(i:4) Unroll-Jam(j:2)", "unroll_jam(i:4) unroll_jam(j:2)"},
        {"loop-interchange(i,j)", "interchange(i,j)"},
        {"fission(i) fusion(j)", "distribute(i) fuse(j)"},
        {"skew(i,t:1)", "skew(i,t:1)"}, /* not skew_tile, which rules call so */
        {"vectorize vectorise(j)", "simd simd(j)"},
        {"prefetch_l1(a:16)", "prefetch(a:16)"},
        {"prefetch_l2(a:16)", "prefetch(a:16,to:L2)"},
        {"prefetch-l2(a:16,at:i)", "prefetch(a:16,to:L2,at:i)"},
        {"non-temporal(a)", "nontemporal(a)"},
        {"streaming_stores(a)", "nontemporal(a)"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct plan *plan = NULL;
        struct error err = {0};
        if (!check_ok(plan_parse(cases[i].text, &plan, &err), &err))
            continue;
        char *text = plan_text(plan);
        check_str(text, cases[i].want);
        free(text);
        plan_free(plan);
    }
}

TEST("no name means two transformations")
{
    size_t nr, variant;
    const struct transformation *all = transformations(&nr);
    for (size_t i = 0; i < nr; i++) {
        struct strvec also = {0};
        strvec_split(&also, all[i].also ? all[i].also : "");
        check_eq(step_kind_named(all[i].name, &variant), i);
        for (size_t k = 0; k < also.nr; k++)
            check_eq(step_kind_named(also.v[k], &variant), i);
        strvec_release(&also);
    }
}

TEST("wrong plans are explained")
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"tyle(i:4)", "unknown transformation 'tyle' in the plan; did you mean 'tile'? "
                      "There are tile, skew_tile, interchange"},
        {"qqqq(i:4)", "unknown transformation 'qqqq' in the plan; there are tile, "},
        {"tile(i:4),simd", "',' is between steps of the plan; separate steps by blanks, "
                           "as in 'tile(i:32,j:32) simd'"},
        {"tile(i:4) ; simd", "';' is between steps of the plan"},
        {"hugepages", "'hugepages' is not a step of a plan: huge pages are the caller's"},
        {"Huge-Pages",
         "'Huge-Pages' is not a step of a plan: huge pages are the caller's"},
        {"collapse(i)", "'collapse' is not a step of a plan: it is done by hand"},
        {"prefetch_l2", "prefetch needs at least 1 name; write prefetch(a:16,to:L2)"},
        {"unroll-and-jam", "unroll_jam needs at least 1 name; write unroll_jam(i:4)"},
        {"4", "unknown transformation '4'"},
        {"nest(0) simd", "nest takes the number of a nest"},
        {"nest(x) simd", "nest takes the number of a nest"},
        {"nest simd", "nest takes the number of a nest"},
        {"nest(2 simd", "nest takes the number of a nest"},
        {"tile", "tile needs at least 1 name; write tile(i:64,j:64)"},
        {"tile(i)", "'i' in tile needs a number"},
        {"tile(i:x)", "'i' in tile needs a number"},
        {"tile(i:-4)", "'i' in tile needs a number"},
        {"tile(i:1)", "'i:1' in tile is not within 2 to"},
        {"tile(i:4", "a ')' is missing in tile"},
        {"tile(i:4,i:8)", "'i' appears twice in tile"},
        {"tile(,)", "a name is missing in tile"},
        {"interchange(i)", "interchange needs at least 2 names"},
        {"unroll(i:1000)", "is not within 2 to 64"},
        {"prefetch(a:8,to:L3)", "prefetch takes to:L1, to:L2, to:NT"},
        {"prefetch(a:8,at:)", "at in prefetch names one loop, as in prefetch(a:2,at:i)"},
        {"prefetch(a:8,at:i,at:j)", "at in prefetch names one loop"},
        {"prefetch(at:i)", "prefetch needs at least 1 name"},
        {"tile(i:8,at:j)", "'at' in tile needs a number"},
        {"simd(j,width:0)", "width in simd is a number from 1 to"},
        {"parallel(i,schedule:fair)", "parallel takes schedule:static, schedule:dynamic"},
        {"tile(i:4,to:L2)", "'to' in tile needs a number"},
        {"skew(i)", "skew needs at least 2 names"},
        {"when", "when needs at least 1 name; write when(n:256)"},
        {"when(n)", "'n' in when needs a number, as in when(n:256)"},
        {"when(n:256,n:512)", "'n' appears twice in when"},
        {"when(n:99999999999999999999)", "in when is not within -1152921504606846976 to"},
        {"p.:4", "unknown transformation"},
        {"prefetch(to:L2)", "prefetch needs at least 1 name"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct plan *plan = NULL;
        struct error err = {0};
        check_fails(plan_parse(cases[i].text, &plan, &err), &err, STATUS_USAGE,
                    cases[i].part);
    }
}

TEST("examples of the table parse")
{
    size_t nr;
    const struct transformation *all = transformations(&nr);
    check(nr >= 6);
    for (size_t i = 0; i < nr; i++) {
        struct plan *plan = NULL;
        struct error err = {0};
        check_ok(plan_parse(all[i].syntax, &plan, &err), &err);
        check(strncmp(all[i].syntax, all[i].name, strlen(all[i].name)) == 0);
        plan_free(plan);
    }
}

static struct plan plan_of(const char *text)
{
    struct plan plan = {0};
    struct error err = {0};
    check_ok(plan_read(text, &plan, &err), &err);
    return plan;
}

TEST("plans are values")
{
    struct plan plan = plan_of("tile(i:64,j:8) simd nest(2) prefetch(a:2,at:i)"),
                again =
                    plan_of(" tile( i:64,j:8 ) simd nest(2) prefetch(a:2,to:L1,at:i)"),
                other = plan_of("tile(i:64,j:8) simd prefetch(a:2,at:i)");
    check(plans_equal(&plan, &again) && plan_hash(&plan) == plan_hash(&again));
    check(!plans_equal(&plan, &other) && plan_hash(&plan) != plan_hash(&other));
    check(plan.step[0] == other.step[0] && plan.step[2] != other.step[2]);
    check(plan_step_with_nest(plan.step[2], 0) == other.step[2]);
    check(plan_has_step(&plan, other.step[1]) && !plan_has_step(&plan, other.step[2]));
    again = plan;
    plan_remove(&again, 1);
    check(plan_insert(&again, 0, plan.step[1]));
    char *text = plan_text(&again);
    check_str(text, "simd tile(i:64,j:8) nest(2) prefetch(a:2,at:i)");
    free(text);
}

TEST("steps are changed by making others")
{
    struct plan plan = plan_of("tile(i:64,j:8)"), larger = plan_of("tile(i:64,j:16)");
    const struct step_arg arg[] = {{"i", 64, true}, {"j", 16, true}};
    check(plan_step_with_args(plan.step[0], arg, 2) == larger.step[0]);
    check_eq(plan_step_arg(plan.step[0], "j")->value, 8);
    check(!plan_step_arg(plan.step[0], "k"));
    check(plan_step_with_args(plan.step[0], arg, 1) != larger.step[0]);
}

TEST("steps of a kind are left out")
{
    struct plan plan = plan_of("when(n:8) tile(i:64) nest(2) simd when(m:8)"),
                rest = plan_without(&plan, STEP_WHEN),
                want = plan_of("tile(i:64) nest(2) simd");
    check(plans_equal(&rest, &want));
    check(plan_has(&plan, STEP_WHEN) && !plan_has(&rest, STEP_WHEN));
}

TEST("plans have an end")
{
    struct plan plan = {0}, simd = plan_of("simd");
    struct buf text = {0};
    struct error err = {0};
    for (int i = 0; i < PLAN_STEPS_MAX; i++) {
        check(plan_append(&plan, simd.step[0]));
        buf_add(&text, "simd ");
    }
    check(!plan_append(&plan, simd.step[0]));
    check_ok(plan_read(buf_str(&text), &plan, &err), &err);
    buf_add(&text, "simd");
    check_fails(plan_read(buf_str(&text), &plan, &err), &err, STATUS_USAGE,
                "a plan has at most");
    buf_release(&text);
}

/* What search, rules and exports take from a row fits the other rows. */
TEST("rows fit together")
{
    enum step_kind kind[STEP_KIND_NR];
    size_t nr, placed = step_kinds_placed(kind), variant;
    const struct transformation *all = transformations(&nr);
    check_eq(nr, STEP_KIND_NR);
    for (size_t i = 0; i < nr; i++) {
        const struct step_search *search = &all[i].search;
        check(all[i].name && all[i].meaning);
        check(search->place != PLACE_SHAPE);
        check(!search->repeats || search->steps_max > 1);
        check(!search->scaled || all[i].values == VALUES_EACH);
        check(!search->in_grid || all[i].rule[0].word);
        for (size_t k = 0; k < 2; k++)
            check(
                !all[i].rule[k].word ||
                (step_kind_of_rule(all[i].rule[k].word, &variant) == i && variant == k));
    }
    for (size_t i = 1; i < placed; i++)
        check(all[kind[i - 1]].search.place < all[kind[i]].search.place);
    check_eq(step_kind_of_rule("hugepages", &variant), STEP_KIND_NR);
}

TEST("proposals are for words of rules")
{
    static const char *const words[] = {
#define PROPOSED(word, function, of_all) #word,
#include "variants/plan/transformations.def"
    };
    size_t variant;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (step_kind_of_rule(words[i], &variant) == STEP_KIND_NR)
            check_str(words[i], "a word of some row's .rule");
}

/* A line of its table "All steps" begins with each of them. */
TEST("all steps are documented")
{
    struct buf page = {0};
    struct error err = {0};
    size_t nr;
    const struct transformation *all = transformations(&nr);
    check_ok(file_read(INFLIGHT_SOURCE_DIR "/docs/reference/plans.md", &page, &err),
             &err);
    for (size_t i = 0; i < nr; i++) {
        bool found = false;
        for (const char *line = buf_str(&page); line && !found;
             line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
            size_t length = strlen(all[i].name);
            const char *cell = strncmp(line, "| ", 2) ? "" : line + 2;
            for (const char *at = cell; *at && *at != '\n' && *at != '|'; at++)
                found = found || (*at == '`' && !strncmp(at + 1, all[i].name, length) &&
                                  strchr("(`", at[1 + length]));
        }
        if (!found)
            check_str(all[i].name, "a step in the table of docs/reference/plans.md");
    }
    buf_release(&page);
}

TEST("steps have the words of rules")
{
    struct plan plan = plan_of("skew_tile(t:8,i:64) prefetch(a:16) prefetch(a:16,to:L2) "
                               "prefetch(a:16,to:NT) full(i)");
    check_str(plan_step_rule(plan.step[0]), "skew");
    check_str(plan_step_rule(plan.step[1]), "prefetch_l1");
    check_str(plan_step_rule(plan.step[2]), "prefetch_l2");
    check_str(plan_step_rule(plan.step[3]), "prefetch_l1");
    check(!plan_step_rule(plan.step[4]));
}
