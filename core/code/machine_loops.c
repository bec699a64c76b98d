#include "core/code/machine_loops.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"

/* Instructions that only their first is jumped to. Block 0 is the way in, before the
 * first instruction: it leads to the beginning and to what nothing else leads to. */
struct block {
    size_t first, end; /* instructions */
    int next[2], next_nr;
    bool anywhere; /* ends in a jump whose target is not in the code */
    int order;     /* in reverse postorder; -1 = not reached */
    int part;      /* 1 = reached from the beginning, 2.. = else, from the part's first */
    int dominator;
};

struct graph {
    struct block *block;
    int nr;
    int *entry, entry_nr; /* what block 0 leads to */
    int *anywhere, anywhere_nr;
    int *sequence, sequence_nr; /* reverse postorder */
    int *pred, *pred_at;        /* of block b: pred[pred_at[b]] .. pred[pred_at[b + 1]] */
};

static size_t find_address(const struct machine_instruction *code, size_t nr,
                           uint64_t address)
{
    size_t low = 0, high = nr;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (code[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < nr && code[low].address == address ? low : nr;
}

static bool *find_leaders(const struct machine_instruction *code, size_t nr)
{
    bool *leader = xcalloc(nr + 1, sizeof(*leader));

    leader[0] = true;
    for (size_t i = 0; i < nr; i++) {
        if (code[i].flow == FLOW_NEXT)
            continue;
        leader[i + 1] = true;
        leader[find_address(code, nr, code[i].target)] = true;
    }
    return leader;
}

/* Returns, for each instruction, its block. */
static int *cut(struct graph *graph, const bool *leader, size_t nr)
{
    int *block_of = xcalloc(nr, sizeof(*block_of));

    graph->block = xcalloc(nr + 1, sizeof(*graph->block));
    graph->nr = 1;
    for (size_t i = 0; i < nr; i++) {
        if (leader[i])
            graph->block[graph->nr++].first = i;
        block_of[i] = graph->nr - 1;
        graph->block[graph->nr - 1].end = i + 1;
    }
    return block_of;
}

static void connect(struct graph *graph, const struct machine_instruction *code,
                    size_t nr, const int *block_of)
{
    for (int b = 1; b < graph->nr; b++) {
        struct block *block = &graph->block[b];
        const struct machine_instruction *last = &code[block->end - 1];
        size_t target = find_address(code, nr, last->target);
        bool branches = last->flow == FLOW_JUMP || last->flow == FLOW_CONDITIONAL;

        if ((last->flow == FLOW_NEXT || last->flow == FLOW_CONDITIONAL) &&
            block->end < nr)
            block->next[block->next_nr++] = block_of[block->end];
        if (branches && target < nr)
            block->next[block->next_nr++] = block_of[target];
        block->anywhere = last->flow == FLOW_JUMP && !last->target;
    }
}

/* What no edge leads to is reached by jumps through tables, if there are any. */
static void find_entries(struct graph *graph)
{
    bool *led_to = xcalloc((size_t)graph->nr, sizeof(*led_to));

    for (int b = 1; b < graph->nr; b++)
        for (int k = 0; k < graph->block[b].next_nr; k++)
            led_to[graph->block[b].next[k]] = true;
    graph->entry = xcalloc((size_t)graph->nr, sizeof(*graph->entry));
    graph->anywhere = xcalloc((size_t)graph->nr, sizeof(*graph->anywhere));
    graph->entry[graph->entry_nr++] = 1;
    for (int b = 2; b < graph->nr; b++)
        if (!led_to[b])
            graph->anywhere[graph->anywhere_nr++] = b;
    free(led_to);
}

static int next_nr(const struct graph *graph, int b)
{
    return b == 0 ? graph->entry_nr
                  : graph->block[b].next_nr +
                        (graph->block[b].anywhere ? graph->anywhere_nr : 0);
}

static int next_of(const struct graph *graph, int b, int k)
{
    const struct block *block = &graph->block[b];

    if (b == 0)
        return graph->entry[k];
    return k < block->next_nr ? block->next[k] : graph->anywhere[k - block->next_nr];
}

/* Code that is never reached from the beginning (for exceptions) is led to from outside.
 */
static bool enter_unreached(struct graph *graph, int *from)
{
    for (; *from < graph->nr; ++*from)
        if (graph->block[*from].order < 0) {
            graph->entry[graph->entry_nr++] = *from;
            return true;
        }
    return false;
}

/* Depth first, without recursion: functions may have 100,000 blocks. */
static void order_blocks(struct graph *graph)
{
    size_t nr = (size_t)graph->nr;
    int *stack = xcalloc(nr, sizeof(*stack)), *at = xcalloc(nr, sizeof(*at)), depth = 1;
    int left = graph->nr, from = 1, part = 1;

    graph->sequence = xcalloc(nr, sizeof(*graph->sequence));
    for (int b = 0; b < graph->nr; b++)
        graph->block[b].order = -1;
    graph->block[0].order = 0; /* on the stack; the real one follows */
    while (depth > 0) {
        int b = stack[depth - 1];

        bool done = at[b] == next_nr(graph, b),
             more = done && b == 0 && enter_unreached(graph, &from);

        if (done && !more) {
            graph->sequence[--left] = b;
            depth--;
            continue;
        }
        part += more;
        int next = next_of(graph, b, at[b]++);

        if (graph->block[next].order < 0) {
            graph->block[next].order = 0;
            graph->block[next].part = part;
            stack[depth++] = next;
        }
    }
    graph->sequence_nr = graph->nr - left;
    memmove(graph->sequence, graph->sequence + left,
            (size_t)graph->sequence_nr * sizeof(*graph->sequence));
    for (int i = 0; i < graph->sequence_nr; i++)
        graph->block[graph->sequence[i]].order = i;
    free(stack);
    free(at);
}

/* Code that is not reached, such as the padding behind a jump, is no way into what is: it
 * would make a second way into the loop behind it. */
static bool counts(const struct graph *graph, int from, int to)
{
    return from == 0 || graph->block[from].part == graph->block[to].part;
}

static void find_predecessors(struct graph *graph)
{
    int *at = xcalloc((size_t)graph->nr + 2, sizeof(*at));

    for (int i = 0; i < graph->sequence_nr; i++)
        for (int b = graph->sequence[i], k = 0; k < next_nr(graph, b); k++)
            at[next_of(graph, b, k) + 2] += counts(graph, b, next_of(graph, b, k));
    for (int b = 2; b <= graph->nr + 1; b++)
        at[b] += at[b - 1];
    graph->pred = xcalloc((size_t)at[graph->nr + 1] + 1, sizeof(*graph->pred));
    for (int i = 0; i < graph->sequence_nr; i++)
        for (int b = graph->sequence[i], k = 0; k < next_nr(graph, b); k++)
            if (counts(graph, b, next_of(graph, b, k)))
                graph->pred[at[next_of(graph, b, k) + 1]++] = b;
    graph->pred_at = at;
}

static int meet(const struct graph *graph, int a, int b)
{
    while (a != b) {
        while (graph->block[a].order > graph->block[b].order)
            a = graph->block[a].dominator;
        while (graph->block[b].order > graph->block[a].order)
            b = graph->block[b].dominator;
    }
    return a;
}

/* K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm" (2001). */
static void find_dominators(struct graph *graph)
{
    bool changed = true;

    for (int b = 0; b < graph->nr; b++)
        graph->block[b].dominator = b == 0 ? 0 : -1;
    while (changed) {
        changed = false;
        for (int i = 1; i < graph->sequence_nr; i++) {
            int b = graph->sequence[i], found = -1;

            for (int k = graph->pred_at[b]; k < graph->pred_at[b + 1]; k++) {
                int p = graph->pred[k];

                if (graph->block[p].dominator >= 0)
                    found = found < 0 ? p : meet(graph, p, found);
            }
            changed |= found != graph->block[b].dominator;
            graph->block[b].dominator = found;
        }
    }
}

static bool dominates(const struct graph *graph, int above, int b)
{
    while (graph->block[b].order > graph->block[above].order)
        b = graph->block[b].dominator;
    return b == above;
}

/* What reaches the header's back edges becomes loop number `found`; false if nothing
 * leads back. */
static bool collect(const struct graph *graph, int header, int found, int *loop_of_block,
                    int *stack)
{
    int depth = 0;

    for (int k = graph->pred_at[header]; k < graph->pred_at[header + 1]; k++)
        if (dominates(graph, header, graph->pred[k]))
            stack[depth++] = graph->pred[k];
    if (depth == 0)
        return false;
    loop_of_block[header] = found;
    while (depth > 0) {
        int b = stack[--depth];

        if (loop_of_block[b] == found)
            continue;
        loop_of_block[b] = found;
        for (int k = graph->pred_at[b]; k < graph->pred_at[b + 1]; k++)
            if (loop_of_block[graph->pred[k]] != found)
                stack[depth++] = graph->pred[k];
    }
    return true;
}

/* Headers in reverse postorder: an inner loop comes behind the ones around it and takes
 * its blocks over. */
static size_t find_loops(const struct graph *graph, int *loop_of_block)
{
    int *stack =
        xcalloc((size_t)graph->pred_at[graph->nr] + 1, sizeof(*stack)); /* edges */
    int found = 0;

    for (int b = 0; b < graph->nr; b++)
        loop_of_block[b] = -1;
    for (int i = 1; i < graph->sequence_nr; i++)
        found += collect(graph, graph->sequence[i], found, loop_of_block, stack);
    free(stack);
    return (size_t)found;
}

static void graph_release(struct graph *graph)
{
    free(graph->block);
    free(graph->entry);
    free(graph->anywhere);
    free(graph->sequence);
    free(graph->pred);
    free(graph->pred_at);
}

size_t machine_loops_find(const struct machine_instruction *code, size_t nr, int *loop)
{
    struct graph graph = {0};
    size_t found;

    if (nr == 0)
        return 0;
    bool *leader = find_leaders(code, nr);
    int *block_of = cut(&graph, leader, nr);
    int *loop_of_block = xcalloc((size_t)graph.nr, sizeof(*loop_of_block));

    connect(&graph, code, nr, block_of);
    find_entries(&graph);
    order_blocks(&graph);
    find_predecessors(&graph);
    find_dominators(&graph);
    found = find_loops(&graph, loop_of_block);
    for (size_t i = 0; i < nr; i++)
        loop[i] = loop_of_block[block_of[i]];
    graph_release(&graph);
    free(loop_of_block);
    free(block_of);
    free(leader);
    return found;
}
