/*
 * An arena: the arrays are mapped and filled once, and variants, each a library, are
 * loaded into it and timed in turn, two at a time, on the same arrays: `program --set
 * n=100 --buffer a=100:zero --commands 5,6`. What the neighbours do and where the pages
 * lie hits both of two alike. The commands, one a line, each answered by one letter, are
 * in docs/internals/design.md, "Harness protocol".
 */
#include "program_turns.c"

static struct slot *slot_of(struct arena *arena, long long number)
{
    if (number < 0 || number >= SLOTS)
        stop(EXIT_ARGUMENTS, "there is no slot %lld", number);
    return &arena->slot[number];
}

/* "load 3 PATH" */
static char do_load(struct arena *arena, const char *text)
{
    long long number;
    int at = 0;

    if (sscanf(text, "%lld %n", &number, &at) != 1 || at == 0)
        stop(EXIT_ARGUMENTS, "load: expected SLOT PATH, got '%s'", text);
    return load(arena, slot_of(arena, number), text + at) ? 'L' : 'N';
}

/* "turns 0 3 1 24 1000000 50000000 2e9 0 0 PATH": slots, the side that comes first,
 * samples, the least time of a sample, of settling, of all, the first limit, the ratio */
static char do_turns(struct arena *arena, const char *text)
{
    struct request *request = &arena->request;
    struct turns turns = {.arena = arena};
    long long slot[2], limit_ns;
    int at = 0;

    if (sscanf(text, "%lld %lld %d %lld %lld %lld %lld %lf %lf %n", &slot[0], &slot[1],
               &turns.first, &request->samples, &request->sample_min_ns, &turns.settle_ns,
               &limit_ns, &turns.first_limit_ns, &request->stop_ratio, &at) != 9 ||
        at == 0 || slot[0] == slot[1] || (turns.first & ~1))
        stop(EXIT_ARGUMENTS, "turns: '%s' makes no sense", text);
    request->limit_ns = limit_ns;
    for (int i = 0; i < 2; i++) {
        turns.side[i] = slot_of(arena, slot[i]);
        if (!turns.side[i]->library)
            stop(EXIT_ARGUMENTS, "turns: nothing is loaded in slot %lld", slot[i]);
    }
    restore(arena, turns.side);
    take_out(arena, &turns, text + at);
    return 'D';
}

static void serve(struct arena *arena)
{
    FILE *in = fdopen(arena->request.commands_in, "r");
    char *line = NULL;
    size_t room = 0;
    ssize_t length;

    while (in && (length = getline(&line, &room, in)) > 0) {
        char answer = '?';

        line[length - 1] = '\0';
        if (strncmp(line, "load ", 5) == 0)
            answer = do_load(arena, line + 5);
        else if (strncmp(line, "turns ", 6) == 0)
            answer = do_turns(arena, line + 6);
        else
            stop(EXIT_ARGUMENTS, "unknown command '%s'", line);
        while (write(arena->request.commands_out, &answer, 1) < 0 && errno == EINTR)
            ;
    }
    free(line);
}

int main(int argc, char **argv)
{
    struct arena arena = {.request = read_args(argc, argv, FOR_TIME | FOR_ARENA)};

    limit_self(&arena.request);
    if (arena.request.background)
        load_run(&arena.request);
    arena.shared = open_barrier(&arena.request);
    arena.turn = turn_of(arena.shared, &arena.request);
    fill_all(&arena);
    arena.sampler = sampler_make(&arena.request, arena.buffer);
    arena.huge_bytes = huge_bytes();
    serve(&arena);
    return 0;
}
