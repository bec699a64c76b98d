/* The table of options, and what each word becomes. */
#include "advisor/cli/options.h"

#include <string.h>

#include "advisor/cli/cli.h"
#include "core/base.h"
#include "core/store/store.h"
#include "variants/plan/plan.h"

static const char *const colour_words[] = {"auto", "always", "never", NULL};

/* Of the options of kind CHOICE. */
static const struct {
    const char *option;
    const char *const *word;
} choices[] = {{"color", colour_words},
               {"pages", pages_words},
               {"start", start_words},
               {"background", background_words}};

static const struct option_row rows[] = {
#define AT(field) offsetof(struct settings, field)
    {"function", 'f', "NAME", TEXT, AT(function),
     "the kernel's function, when the file has several"},
    {"set", 's', "NAME=VALUE", WORD, 0,
     "the value of a parameter: n=4000, n=1e6, n=64k (= 65536; k, M and G are powers of "
     "1024), n=2*m; several: n=100,m=50 (repeatable)"},
    {"buffer", 'b', "WORDS", WORD, 0,
     "an array's contents or length, such as 'key = index(m)' (repeatable)"},
    {"assume", 'a', "WORDS", WORD, 0,
     "what you vouch for: 'noalias(a,b)', 'independent(i)' (repeatable)"},
    {"tunable", 't', "WORDS", WORD, 0,
     "a macro or constant of the file that a plan may set: 'TILE in {8,16,32}', 'TILE in "
     "8:128:x2', 'TILE in 8:128:+8' (repeatable)"},
    {"constraint", 0, "WORDS", WORD, 0,
     "between tunables and parameters: 'TI * TJ * 8 <= 32768' (repeatable)"},
    {"inputs", 0, "FILE", TEXT, AT(inputs),
     "sizes and contents of a call that 'inflight capture' recorded, instead of made-up "
     "ones; --set wins"},
    {"cflags", 0, "FLAGS", FLAGS, AT(cflags),
     "flags to read the C file with, such as '-Iinclude -DN=4'"},
    {"call", 0, "N", COUNT, AT(call), "the N-th call of the function, default the first"},
    {"limit", 0, "BYTES", SIZE, AT(limit_bytes),
     "of the arrays together, such as 512MiB; default 4GiB, and never more than is free "
     "on the disk"},
    {"sizes", 0, NULL, FLAG, AT(sizes),
     "only list with which sizes the function is called, by at most 10000 of its calls, "
     "and end the "
     "application then"},
    {"stop", 0, NULL, FLAG, AT(stop),
     "end the application at that call instead of letting it go on"},
    {"include", 'I', "DIR", INCLUDE, 0,
     "a folder in which headers are looked for (repeatable)"},
    {"compile-commands", 0, "FILE", TEXT, AT(compile_commands),
     "compile_commands.json with the file's -I, -D and -std; default the one beside it "
     "or in a folder above or its build/; none = do without"},
    {"build", 0, "CMD", TEXT, AT(build),
     "shell text that builds it all, such as 'make CLASS=B': run in a private copy, to "
     "see which flags the file is compiled with"},
    {"compiler", 'c', "CC", TEXT, AT(compiler), "the compiler, default gcc"},
    {"flags", 0, "FLAGS", FLAGS, AT(flags),
     "its optimisation flags, default '-O3 -march=native'"},
    {"flags-try", 0, "FLAGS", LIST, AT(flags_try),
     "other flags to try on the kernel as written and on the winner (repeatable)"},
    {"try", 0, "WORDS", TEXT, AT(try),
     "environments to try likewise: compiler, flags, smt, threads, schedule; or none: "
     "not "
     "even huge pages"},
    {"machine", 'm', "PROFILE", TEXT, AT(machine),
     "machine profile: a file, here, or a name that 'inflight machine' lists; default "
     "this machine's"},
    {"output", 'o', "FILE", TEXT, AT(output),
     "where the result is written; default standard output"},
    {"emit-header", 0, "FILE.h", TEXT, AT(header),
     "the best values of the tunables as macros"},
    {"build-record", 0, "FILE", TEXT, AT(build_record),
     "write what a build needs: this machine's entry of the record FILE, such as "
     "kernel.inflight.json beside the source, and the tuned C beside it (docs/build.md)"},
    {"on", 0, "WHERE", TEXT, AT(on),
     "where it is measured: slurm, or a folder that workers look into ('inflight worker "
     "FOLDER'); default here (docs/reference/cluster.md)"},
    {"nodes", 0, "N", COUNT, AT(nodes),
     "of each partition, default all that are up; a node judges one variant at a time"},
    {"partition", 0, "LIST", TEXT, AT(partition),
     "partitions whose nodes measure, such as zen4,spr; each kind of node is tuned for"},
    {"account", 0, "NAME", TEXT, AT(account), "of the jobs, as of sbatch"},
    {"node-constraint", 0, "LIST", TEXT, AT(slurm_constraint),
     "features that the nodes must have, as -C of sbatch"},
    {"time", 0, "TIME", TEXT, AT(time_limit), "of each job, as of sbatch: 2:00:00"},
    {"exclusive", 0, NULL, FLAG, AT(exclusive),
     "nodes that no other job uses, as of sbatch: neighbours make times noisy"},
    {"slurm-options", 0, "WORDS", LIST, AT(slurm_options),
     "any other words for sbatch, such as '-q short -L matlab' (repeatable)"},
    {"node-hours", 0, "N", NUMBER, AT(node_hours),
     "what the campaign may use of all nodes together, such as 2 or 0.5"},
    {"in-app", 0, "'BUILD && RUN'", TEXT, AT(in_app),
     "does the gain survive in the application? Builds it with the winner and as it is, "
     "in copies of the project, and runs both in turn; shell text such as 'make app && "
     "./app args' (docs/reference/in-app.md)"},
    {"top", 0, "N", COUNT, AT(top), "of a program: the N hottest loops, default 3"},
    {"dry-run", 0, NULL, FLAG, AT(dry_run),
     "of a program: which loops would be tuned and which not, and why; nothing is tuned "
     "or written"},
    {"in-app-budget", 0, "TIME", TIME, AT(in_app_budget_s),
     "time for these runs, such as 5m; default 60s, more for a program that runs for "
     "more "
     "than 4 s"},
    {"in-app-dir", 0, "DIR", TEXT, AT(in_app_dir),
     "the project folder that is copied; default the git work tree of the file, else the "
     "current folder"},
    {"in-app-check", 0, "CMD", TEXT, AT(in_app_check),
     "shell text that must succeed after each run, such as './check out.txt'"},
    {"source", 0, "FILE.c", TEXT, AT(source),
     "the kernel's file, where it does not lie beside its record"},
    {"strict", 0, NULL, FLAG, AT(strict),
     "end with status 1 when anything drifted or the gain is gone"},
    {"plan", 'p', "PLAN", TEXT, AT(plan),
     "transformations, such as 'tile(i:32,j:32) simd'"},
    {"from", 0, "FILE", TEXT, AT(from),
     "the plan and the comment of a file written by tune or apply, for the same file "
     "again"},
    {"patch", 0, NULL, FLAG, AT(patch),
     "a unified diff against the file instead of a whole one, for patch -p1"},
    {"force", 0, NULL, FLAG, AT(force),
     "write a plan that is not legal, and say so: for experiments"},
    {"budget", 0, "TIME", TIME, AT(budget_s),
     "time for the runs of both in turn, such as 30s; default 10s"},
    {"variants", 0, "N", COUNT, AT(variants), "measure at most N variants"},
    {"strategy", 0, "NAME", TEXT, AT(strategy),
     "guided (default), exhaustive, random, local (hill climbing) or population "
     "(genetic)"},
    {"seed", 0, "N", COUNT, AT(seed),
     "of the strategies random, local and population, default 1; with --replay times are "
     "drawn anew from their intervals, without it they are as recorded"},
    {"rules", 0, "FILE", LIST, AT(rules),
     "your own rules, asked before the shipped ones; only:FILE = without the shipped "
     "ones "
     "(repeatable, see docs/reference/rules.md)"},
    {"cores", 0, "N", COUNT, AT(cores),
     "cores loaded alike, default all that this process may use"},
    {"tolerance", 0, "X", NUMBER, AT(tolerance),
     "relative difference allowed in floating-point results, default 1e-9 (float: "
     "1e-4)"},
    {"tolerance-absolute", 0, "X", NUMBER, AT(tolerance_absolute),
     "absolute difference allowed in addition, default 0"},
    {"reassociate", 0, NULL, FLAG, AT(reassociate),
     "allow floating-point sums to be reordered"},
    {"audit", 0, NULL, FLAG, AT(audit),
     "measure what the rules pruned, too: how much was wrongly discarded, and what that "
     "cost"},
    {"replay", 0, "FILE", TEXT, AT(replay),
     "search a recorded space (inflight.space/1) instead of a C file: nothing is built "
     "or "
     "run"},
    {"fresh", 0, NULL, FLAG, AT(fresh), "do not continue an unfinished session"},
    {"reuse", 0, NULL, FLAG, AT(reuse),
     "what earlier sessions measured of the same kernel, sizes, contents, compiler, "
     "flags and machine is not measured again; off, because machines change from day to "
     "day: the report says how much it was and how old"},
    {"no-record", 0, NULL, FLAG, AT(no_record),
     "do not let the rules' track record on this machine change their weight"},
    {"record", 0, NULL, FLAG, AT(record),
     "how often each rule was right on this machine"},
    {"forget-record", 0, NULL, FLAG, AT(forget_record),
     "forget how often the rules were right, of all machines of the database"},
    {"database", 0, "FILE", TEXT, AT(database),
     "session database, default in the user's data folder"},
    {"bandwidth", 0, "RATE", BANDWIDTH, AT(bandwidth_gbs),
     "of the routine through memory, all cores, such as 106.9GB/s"},
    {"latency", 0, "NS", NANOSECONDS, AT(latency_ns),
     "loaded latency, such as 145 or 145ns; default from the profile's curve"},
    {"access", 0, "KIND", TEXT, AT(access),
     "random, streaming, or the random share such as 0.3"},
    {"regions", 0, "FOLDER", TEXT, AT(regions),
     "what a program with markers left in its INFLIGHT_REGIONS=FOLDER, of one or several "
     "processes and machines"},
    {"events", 0, "LIST", TEXT, AT(events),
     "what PAPI counts in the regions: names between commas (at most 8), none, or auto "
     "(default): cycles, instructions and lines from memory where they count here; with "
     "--timeline any that --list names"},
    {"timeline", 0, "TIME", TIME, AT(timeline_s),
     "the program over time instead of by regions: a reading every TIME (1ms to 1h) of "
     "what --events names, or of all that counts here; with --list what there is"},
    {"counts", 0, "FILE", LIST, AT(counts),
     "counts taken elsewhere: 'perf stat -x,' or -j, CSV or JSON"},
    {"cpu", 0, "NAME", TEXT, AT(cpu),
     "whose metrics: a name that 'inflight metrics' lists or a file of your own; "
     "default the CPU that was counted"},
    {"model", 0, "NAME", TEXT, AT(model), "only this tree, such as topdown or portable"},
    {"runs", 0, "N", COUNT, AT(runs),
     "number of runs: sets of events that do not fit the counters together are spread "
     "over the runs, or take turns in one; default one run for each set"},
    {"seconds", 0, "TIME", TIME, AT(seconds_s),
     "what the counts cover, where their file does not say it"},
    {"measurement", 0, "FILE", TEXT, AT(measurement),
     "a saved measurement: the same report again, measuring nothing"},
    {"samples", 0, "FILE", TEXT, AT(samples),
     "samples of an application that --save wrote: the report again, running nothing"},
    {"frequency", 0, "N", COUNT, AT(frequency),
     "samples per second of each running thread of an application, default 997"},
    {"what-if", 0, "KEY=VALUE,...", TEXT, AT(what_if),
     "the answer for a machine that differs in these: l1_mshrs, l2_mshrs, ceiling (best "
     "bandwidth of the memory), line"},
    {"quick", 0, NULL, FLAG, AT(quick),
     "a third of the time that suits the kernel, wider intervals"},
    {"thorough", 0, NULL, FLAG, AT(thorough),
     "four times the time that suits the kernel"},
    {"longer", 0, "TIME", TIME, AT(longer_s),
     "more rounds for big or noisy machines, such as 10m; more than 120 s"},
    {"peak", 0, "RATE", BANDWIDTH, AT(peak_gbs),
     "theoretical memory bandwidth of this machine, such as 307GB/s"},
    {"show", 0, "NAME", TEXT, AT(show),
     "a profile that exists, measuring nothing: a name of --list, a file, or here "
     "(this machine's); --machine does the same"},
    {"memory", 0, "NAME", TEXT, AT(memory),
     "the profile's memory of that name (a NUMA node, HBM) instead of its first"},
    {"pages", 0, "KIND", CHOICE, AT(pages), "of the arrays: small (default) or huge"},
    {"start", 0, "STATE", CHOICE, AT(start),
     "of the caches when a sample begins: warm (default), cold-data, cold-code or cold"},
    {"background", 0, "LOAD", CHOICE, AT(background),
     "on the cores left over: idle (default), arithmetic, memory or disk"},
    {"min-of", 0, "K", COUNT, AT(min_of),
     "a sample is the least of K batches of calls, default 1"},
    {"cache", 0, "LEVELS", TEXT, AT(cache),
     "caches of the model instead of this machine's, such as "
     "L1=32KiB:8,L2=1MiB:16,L3=8MiB:16:inclusive (bytes, ways, inclusive or exclusive)"},
    {"line", 0, "BYTES", COUNT, AT(line_bytes),
     "cache line of the model, a power of two, default this machine's"},
    {"sweep", 0, "AXIS", LIST, AT(sweep),
     "measure at several values: n=64:8192:x2, n=0:4096:+512, n=64,100 or n,m=64,100; "
     "also pages, cores, start and background (repeatable: every combination)"},
    {"csv", 0, "FILE", TEXT, AT(csv), "the series as CSV"},
    {"save", 0, "FILE", TEXT, AT(save), "the measurement as JSON, to be read again"},
    {"test", 0, "FILE", TEXT, AT(rule_test),
     "judge situations with the verdicts expected in them (inflight.rules-test/1), or a "
     "saved measurement"},
    {"metrics", 0, NULL, FLAG, AT(metrics), "what conditions may be about, with units"},
    {"transformations", 0, NULL, FLAG, AT(transformations), "what rules may be about"},
    {"list", 'l', NULL, FLAG, AT(list), "list what there is"},
    {"evidence", 'e', NULL, FLAG, AT(evidence),
     "what the report rests on: queues, traffic, every advice and variant, what was "
     "left out by which rule, where each figure comes from"},
    {"html", 0, "FILE", TEXT, AT(html),
     "the report as one page for a browser, with plots, every variant and its C; opens "
     "from disk, needs no network"},
    {"json", 0, NULL, FLAG, AT(json), "the result as JSON on standard output"},
    {"sarif", 0, "FILE", TEXT, AT(sarif),
     "verdict and advice as SARIF 2.1.0, for editors and for a forge's code scanning"},
    {"diagnostics", 0, NULL, FLAG, AT(diagnostics),
     "the same as a compiler's lines on standard error: 'file:line:column: note: ...'"},
    {"quiet", 'q', NULL, FLAG, AT(quiet), "no progress"},
    {"verbose", 'v', NULL, FLAG, AT(verbose),
     "progress line by line, with the seconds since the start"},
    {"color", 0, "WHEN", CHOICE, AT(colour), "auto (default), always or never"},
    {"help", 'h', NULL, FLAG, AT(help), "this text"},
    {"help-all", 0, NULL, FLAG, AT(help_all), "this text with every option"},
    {"version", 0, NULL, FLAG, AT(version_asked), "the version of inflight"},
#undef AT
};

/* Where a command means something of its own by an option. */
static const struct {
    const char *command, *option, *help;
} own_help[] = {
    {"advise", "save", "the samples of a program, to be read again with --samples"},
    {"capture", "output", "where the inputs are written, default NAME.inputs"},
    {"capture", "show", "what such a file holds, running nothing"},
    {"compare", "plan", "a plan instead of a second version: 'tile(i:32,j:32) simd'"},
    {"machine", "output", "where the profile is kept, default in the user's folder"},
    {"machine", "quick", "at most 20 seconds, rougher figures"},
    {"measure", "budget", "of a sweep: time until the prompt comes back, default 10m"},
    {"measure", "csv", "the series of a sweep as CSV"},
    {"measure", "thorough", "half a minute instead of 5 s"},
    {"metrics", "counts",
     "[LABEL=]FILE[,FILE...] with counts taken elsewhere ('perf stat -x,', CSV, "
     "JSON): a column each time (repeatable), files between commas being runs of the "
     "same work with other events"},
    {"metrics", "cpu",
     "whose definitions: a name of --list or a file of your own, one for all columns or "
     "one for each between commas; default the CPU that was counted"},
    {"metrics", "evidence", "every tree in full, and why something cannot be computed"},
    {"metrics", "html",
     "the metrics as one page for a browser; opens from disk, needs no network"},
    {"metrics", "regions",
     "FOLDER[,FOLDER...]: runs of a program with markers, with other events each; with a "
     "program where its runs are kept; '--regions -- PROGRAM' keeps nothing"},
    {"metrics", "save", "the counts as JSON, to be read again with --counts"},
    {"outline", "compiler",
     "whose attribute keeps the function from being inlined, default gcc"},
    {"profile", "list", "of --timeline: what can be read here"},
    {"report", "list", "name all sessions"},
    {"show", "evidence", "also what is not legal or does not apply, and why"},
    {"tune", "budget",
     "time until the prompt comes back, all included, such as 90s or 5m; default what "
     "suits the kernel (30s to 5m, said at the start)"},
    {"tune", "compiler",
     "compiler to tune for, default gcc; the others of a list such as gcc,clang-19 are "
     "tried on the kernel as written and on the winner"},
    {"tune", "output", "the faster version; of a program FILE.patch"},
    {"tune", "tolerance",
     "relative difference allowed in floating-point results, default 1e-9 (float: 1e-4); "
     "of an application also in the numbers that it prints, by default none"},
    {"tune", "patch", "write a unified diff instead of a whole file, for patch -p1"},
    {"tune", "save", "all that was measured, as a recorded space for --replay"},
};

const char *option_help(const struct option_row *row, const char *command)
{
    for (size_t i = 0; command && i < ARRAY_SIZE(own_help); i++)
        if (!strcmp(own_help[i].command, command) &&
            !strcmp(own_help[i].option, row->name))
            return own_help[i].help;
    return row->help;
}

const struct option_row *option_row(size_t i)
{
    return i < ARRAY_SIZE(rows) ? &rows[i] : NULL;
}

const struct option_row *option_named(const char *name, size_t length)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (strlen(rows[i].name) == length && !strncmp(rows[i].name, name, length))
            return &rows[i];
    return NULL;
}

/* Of kind CHOICE: its words, NULL behind the last. */
static const char *const *option_words(const struct option_row *row)
{
    for (size_t i = 0; i < ARRAY_SIZE(choices); i++)
        if (!strcmp(choices[i].option, row->name))
            return choices[i].word;
    return NULL;
}

bool option_is_single(const struct option_row *row)
{
    return row->kind != FLAG && row->kind != WORD && row->kind != FLAGS &&
           row->kind != LIST && row->kind != INCLUDE;
}

static int read_choice(const struct option_row *row, const char *text, int *field,
                       struct error *err)
{
    const char *const *choice = option_words(row);
    struct buf known = {0};
    size_t i = 0;
    for (; choice[i] && strcmp(text, choice[i]); i++)
        buf_addf(&known, "%s%s", !i ? "" : choice[i + 1] ? ", " : " or ", choice[i]);
    int status = choice[i] ? 0
                           : fail(err, STATUS_USAGE, "--%s: expected %s, got '%s'",
                                  row->name, buf_str(&known), text);
    *field = choice[i] ? (int)i : *field;
    buf_release(&known);
    return status;
}

/* Numbers that are given are above 0: the default has its own mark. */
static int read_number(const struct option_row *row, const char *text, void *field,
                       struct error *err)
{
    struct buf what = {0};
    double number = 0;
    long long count = 0;
    int status;
    buf_addf(&what, "--%s", row->name);
    if (row->kind == COUNT)
        status = parse_count(text, buf_str(&what), &count, err);
    else
        status = (row->kind == TIME        ? parse_time
                  : row->kind == SIZE      ? parse_size
                  : row->kind == BANDWIDTH ? parse_bandwidth
                  : row->kind == NANOSECONDS
                      ? parse_latency
                      : parse_number)(text, buf_str(&what), &number, err);
    if (!status && !(number > 0 || count > 0))
        status =
            fail(err, STATUS_USAGE, "--%s must be above 0, got '%s'", row->name, text);
    if (row->kind == COUNT)
        *(long long *)field = count;
    else
        *(double *)field = number;
    buf_release(&what);
    return status;
}

void option_reset(const struct option_row *row, struct settings *settings)
{
    void *field = (char *)settings + row->offset;
    switch (row->kind) {
    case COUNT:
        *(long long *)field = -1;
        return;
    case NUMBER:
    case TIME:
    case BANDWIDTH:
    case NANOSECONDS:
    case SIZE:
        *(double *)field = -1;
        return;
    default:
        return;
    }
}

/* "n=100,m=50": a word each, apart at the commas outside of parentheses. */
static int read_set(const char *text, struct strvec *words, struct error *err)
{
    while (*text) {
        size_t length = 0;
        for (int depth = 0; text[length] && (text[length] != ',' || depth > 0); length++)
            depth += (text[length] == '(') - (text[length] == ')');
        if (!memchr(text, '=', length))
            return fail(err, STATUS_USAGE, "--set '%.*s': write --set NAME=VALUE",
                        (int)length, text);
        int name = (int)strcspn(text, "=") + 1;
        for (size_t i = 0; i < words->nr; i++)
            if (!strncmp(words->v[i], "set ", 4) &&
                !strncmp(words->v[i] + 4, text, (size_t)name) &&
                (strlen(words->v[i] + 4) != length ||
                 strncmp(words->v[i] + 4, text, length) != 0))
                return fail(err, STATUS_USAGE,
                            "--set gives two values, '%s' and '%.*s'; give one",
                            words->v[i] + 4, (int)length, text);
        strvec_pushf(words, "set %.*s", (int)length, text);
        text += length + (text[length] == ',');
    }
    return 0;
}

int option_read(const struct option_row *row, const char *text, struct settings *settings,
                struct error *err)
{
    char *field = (char *)settings + row->offset;
    switch (row->kind) {
    case FLAG:
        *(bool *)field = true;
        return 0;
    case TEXT:
        *(const char **)field = text;
        return 0;
    case WORD:
        if (!strcmp(row->name, "set"))
            return read_set(text, &settings->words, err);
        strvec_pushf(&settings->words, "%s %s", row->name, text);
        return 0;
    case INCLUDE:
        strvec_push(&settings->cflags, "-I");
        strvec_push(&settings->cflags, text);
        return 0;
    case FLAGS:
        strvec_split((struct strvec *)field, text);
        return 0;
    case LIST:
        strvec_push((struct strvec *)(void *)field, text);
        return 0;
    case CHOICE:
        return read_choice(row, text, (int *)(void *)field, err);
    default:
        return read_number(row, text, field, err);
    }
}
