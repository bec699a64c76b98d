#define _GNU_SOURCE /* struct user_regs_struct */
#include "core/run/run_stretch.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "core/base.h"
#include "core/files/fs.h"
#include "core/run/run_parts.h"
#include "core/run/run_step.h"

/* Between looks at the clock. */
enum { steps_between = 256 };

/* A shorter call is stepped through from its beginning: a stop at a moment within it is
 * late by what waking up takes, some 0.1 ms on a busy machine. */
static const double call_min_s = 4e-3;

/* ---- registers ---- */

enum { GENERAL_NR = 32, STATE_BYTES_MAX = 16384 };

/* Of the child, where it stands. */
struct registers {
    uint64_t pc, general[GENERAL_NR]; /* numbered as in struct work_memory */
    uint64_t thread;                  /* where its own memory begins (x86: fs) */
};

#if defined(__x86_64__)

static bool registers_read(pid_t pid, struct registers *out)
{
    struct user_regs_struct regs;

    if (ptrace(PTRACE_GETREGS, pid, NULL, &regs) != 0)
        return false;
    *out = (struct registers){.pc = regs.rip,
                              .general = {regs.rax, regs.rcx, regs.rdx, regs.rbx,
                                          regs.rsp, regs.rbp, regs.rsi, regs.rdi, regs.r8,
                                          regs.r9, regs.r10, regs.r11, regs.r12, regs.r13,
                                          regs.r14, regs.r15},
                              .thread = regs.fs_base};
    return true;
}

/* The components of XSAVE's standard format (Intel's manual, volume 1, chapter 13). */
enum { STATE_YMM = 2, STATE_MASKS = 5, STATE_ZMM = 6, STATE_ZMM_HIGH = 7 };
enum { STATE_XMM_AT = 160 };

static size_t state_at(unsigned component)
{
    unsigned bytes, at, c, d;

    return __get_cpuid_count(0xd, component, &bytes, &at, &c, &d) && bytes ? at : 0;
}

/* Vectors and masks of the child. */
struct wide_registers {
    uint8_t state[STATE_BYTES_MAX];
    size_t bytes;
};

static bool wide_read(pid_t pid, struct wide_registers *out)
{
    struct iovec into = {out->state, sizeof(out->state)};

    if (ptrace(PTRACE_GETREGSET, pid, (void *)(long)NT_X86_XSTATE, &into) != 0)
        return false;
    out->bytes = into.iov_len;
    return true;
}

static void wide_copy(const struct wide_registers *wide, size_t at, void *to,
                      size_t bytes)
{
    if (at && at + bytes <= wide->bytes)
        memcpy(to, wide->state + at, bytes);
}

static void wide_vector(const struct wide_registers *wide, unsigned number,
                        uint8_t to[64])
{
    size_t ymm = state_at(STATE_YMM), zmm = state_at(STATE_ZMM),
           high = state_at(STATE_ZMM_HIGH);

    memset(to, 0, 64);
    if (number >= 16) {
        wide_copy(wide, high ? high + 64 * (number - 16) : 0, to, 64);
        return;
    }
    wide_copy(wide, STATE_XMM_AT + 16 * number, to, 16);
    wide_copy(wide, ymm ? ymm + 16 * number : 0, to + 16, 16);
    wide_copy(wide, zmm ? zmm + 32 * number : 0, to + 32, 32);
}

static uint64_t wide_mask(const struct wide_registers *wide, unsigned number)
{
    size_t masks = state_at(STATE_MASKS);
    uint64_t mask = 0;

    wide_copy(wide, masks ? masks + 8 * number : 0, &mask, sizeof(mask));
    return mask;
}

#elif defined(__aarch64__)

static bool registers_read(pid_t pid, struct registers *out)
{
    struct user_regs_struct regs;
    struct iovec into = {&regs, sizeof(regs)};

    if (ptrace(PTRACE_GETREGSET, pid, (void *)(long)NT_PRSTATUS, &into) != 0)
        return false;
    *out = (struct registers){.pc = regs.pc};
    memcpy(out->general, regs.regs, 31 * sizeof(regs.regs[0]));
    out->general[31] = regs.sp;
    return true;
}

#else

static bool registers_read(pid_t pid, struct registers *out)
{
    *out = (struct registers){0};
    return stepping_pc(pid, &out->pc);
}

#endif

/* ---- addresses ---- */

struct stretching {
    const struct stretch_request *request;
    const struct decoder *decoder;
    const char *program; /* the path as started */
    pid_t pid;
    double until_s;
    double call_s; /* 0: from the beginning */
    struct stretches *out;
    struct slot *slot; /* of places, by where they are in memory; open addressing */
    size_t slot_nr, room;
    bool ended; /* the call was followed to its end */
};

static uint64_t index_of(const struct work_memory *memory, const struct registers *regs)
{
    uint64_t index = regs->general[memory->index];

    if (memory->index_half)
        index = memory->index_half < 0 ? (uint64_t)(int64_t)(int32_t)index
                                       : (uint64_t)(uint32_t)index;
    return index * memory->scale;
}

/* Without the index of a gather. */
static uint64_t address_of(const struct work_memory *memory, const struct registers *regs,
                           unsigned instruction_bytes)
{
    uint64_t address = (uint64_t)memory->displacement;

    if (memory->base < GENERAL_NR)
        address += regs->general[memory->base];
    if (memory->index < GENERAL_NR)
        address += index_of(memory, regs);
    if (memory->pc_relative)
        address += regs->pc + instruction_bytes;
    if (memory->of_thread)
        address += regs->thread;
    return address;
}

static void push_address(struct stretches *out, uint64_t address)
{
    GROW(out->address, out->address_nr + 1, out->address_alloc);
    out->address[out->address_nr++] = address;
}

#if defined(__x86_64__)

/* By the bit of a mask, or the sign of the lane in a vector. */
static bool lane_is_on(const struct work_memory *memory,
                       const struct wide_registers *wide, unsigned lane)
{
    uint8_t vector[64];

    if (memory->mask == WORK_NO_REGISTER)
        return true;
    if (memory->mask >= WORK_REGISTER_MASK)
        return wide_mask(wide, memory->mask - WORK_REGISTER_MASK) >> lane & 1;
    wide_vector(wide, memory->mask - WORK_REGISTER_VECTOR, vector);
    return vector[(lane + 1) * memory->bytes - 1] >> 7;
}

static void push_lanes(struct stretching *stretching, const struct work_memory *memory,
                       uint64_t base)
{
    static struct wide_registers wide;
    uint8_t index[64];

    if (!wide_read(stretching->pid, &wide))
        return;
    wide_vector(&wide, memory->index_vector - WORK_REGISTER_VECTOR, index);
    for (unsigned lane = 0; lane < memory->lanes; lane++) {
        int64_t at = 0;
        int32_t half;

        if (!lane_is_on(memory, &wide, lane))
            continue;
        if (memory->index_bytes == 8) {
            memcpy(&at, index + 8 * lane, sizeof(at));
        } else {
            memcpy(&half, index + 4 * lane, sizeof(half));
            at = half;
        }
        push_address(stretching->out, base + (uint64_t)at * memory->scale);
    }
}

#else

static void push_lanes(struct stretching *stretching, const struct work_memory *memory,
                       uint64_t base)
{
    (void)stretching;
    (void)memory;
    (void)base; /* none are decoded there */
}

#endif

static void push_addresses(struct stretching *stretching,
                           const struct stretch_place *place,
                           const struct registers *regs)
{
    const struct instruction_work *work = &place->work;
    uint64_t address;

    if (!work->known || !(work->loads || work->stores || work->prefetches))
        return;
    address = address_of(&work->memory, regs, place->what.bytes);
    if (work->memory.index_vector != WORK_NO_REGISTER)
        push_lanes(stretching, &work->memory, address);
    else
        push_address(stretching->out, address);
    if (work->is_apart)
        push_address(stretching->out, address_of(&work->to, regs, place->what.bytes));
}

/* ---- places ---- */

struct slot {
    uint64_t pc;
    uint32_t place; /* + 1; 0 = free */
};

enum { room_first = 1024 };

static struct slot *slot_in(struct slot *slot, size_t room, uint64_t pc)
{
    size_t i = (size_t)(pc * 0x9e3779b97f4a7c15u >> 20) & (room - 1);

    while (slot[i].place && slot[i].pc != pc)
        i = (i + 1) & (room - 1);
    return &slot[i];
}

static void grow_slots(struct stretching *stretching)
{
    size_t room = stretching->room ? 2 * stretching->room : room_first;
    struct slot *wider = xcalloc(room, sizeof(*wider));

    for (size_t i = 0; i < stretching->room; i++)
        if (stretching->slot[i].place)
            *slot_in(wider, room, stretching->slot[i].pc) = stretching->slot[i];
    free(stretching->slot);
    stretching->slot = wider;
    stretching->room = room;
}

static uint32_t place_at(struct stretching *stretching, uint64_t pc)
{
    struct stretches *out = stretching->out;
    uint8_t code[DECODE_BYTES] = {0};
    struct slot *slot;

    if (2 * stretching->slot_nr >= stretching->room)
        grow_slots(stretching);
    slot = slot_in(stretching->slot, stretching->room, pc);
    if (slot->place)
        return slot->place - 1;
    stepping_code(stretching->pid, pc, code);
    GROW(out->place, out->place_nr + 1, out->place_alloc);
    out->place[out->place_nr] =
        (struct stretch_place){.pc = pc,
                               .what = decode(stretching->decoder, code, pc),
                               .work = decode_work(stretching->decoder, code, pc)};
    *slot = (struct slot){.pc = pc, .place = (uint32_t)++out->place_nr};
    stretching->slot_nr++;
    return slot->place - 1;
}

/* ---- steps ---- */

static void push_step(struct stretching *stretching, const struct registers *regs)
{
    struct stretches *out = stretching->out;
    uint32_t place = place_at(stretching, regs->pc), from = (uint32_t)out->address_nr;

    push_addresses(stretching, &out->place[place], regs);
    GROW(out->step, out->step_nr + 1, out->step_alloc);
    out->step[out->step_nr++] = (struct stretch_step){
        .place = place, .address = from, .address_nr = (uint32_t)out->address_nr - from};
}

/* The instruction that was executed last has come to `pc`. */
static void note_taken(struct stretches *out, uint64_t before, uint64_t pc)
{
    struct stretch_step *step = &out->step[out->step_nr - 1];
    const struct stretch_place *place = &out->place[step->place];

    step->taken = place->work.class == WORK_BRANCH || place->what.branch != BRANCH_NONE
                      ? pc != before + place->what.bytes
                      : false;
}

static bool is_enough(const struct stretching *stretching, size_t steps)
{
    return steps >= stretching->request->instructions ||
           (steps % steps_between == 0 &&
            (clock_s() > stretching->until_s || spawn_interrupted()));
}

/* From where the child stands. */
static enum stepping walk(struct stretching *stretching)
{
    struct stretches *out = stretching->out;
    struct registers regs;

    GROW(out->begin, out->begin_nr + 1, out->begin_alloc);
    out->begin[out->begin_nr++] = out->step_nr;
    if (!registers_read(stretching->pid, &regs))
        return STEPPING_GONE;
    for (size_t i = 1;; i++) {
        uint64_t before = regs.pc;
        enum stepping at;

        push_step(stretching, &regs);
        at = stepping_next(stretching->pid);
        if (at != STEPPING_STEP)
            return at;
        if (!registers_read(stretching->pid, &regs))
            return STEPPING_GONE;
        note_taken(out, before, regs.pc);
        if (is_enough(stretching, i))
            return STEPPING_STEP;
    }
}

/* ---- where the program lies ---- */

/* A part of the program's file in memory. */
struct part {
    uint64_t from, to, offset;
};

enum { PARTS_MAX = 16 };

static size_t parts_of(pid_t pid, struct part *part)
{
    char path[64], line[4096], program[2048];
    size_t nr = 0;
    ssize_t length;
    FILE *maps;

    snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
    length = readlink(path, program, sizeof(program) - 1);
    snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
    maps = length > 0 ? fopen(path, "r") : NULL;
    while (maps && nr < PARTS_MAX && fgets(line, sizeof(line), maps)) {
        struct part found;
        int name = 0;

        line[strcspn(line, "\n")] = '\0';
        program[length] = '\0';
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n",
                   &found.from, &found.to, &found.offset, &name) == 3 &&
            name && strcmp(line + name, program) == 0)
            part[nr++] = found;
    }
    if (maps)
        fclose(maps);
    return nr;
}

/* Of the file, as its debug information counts; UINT64_MAX: it is not of it. */
static uint64_t file_address(const struct image *image, const struct part *part,
                             size_t nr, uint64_t pc)
{
    for (size_t i = 0; i < nr; i++)
        if (pc >= part[i].from && pc < part[i].to)
            return image_address(image, pc - part[i].from + part[i].offset);
    return UINT64_MAX;
}

/* The calling functions have a name that is no file (variants/build/harness.c). */
static bool is_source(const struct source_line *line)
{
    return line->file && !strstr(line->file, "the calling functions of inflight");
}

static const char *file_once(struct strvec *files, const char *name)
{
    for (size_t i = 0; i < files->nr; i++)
        if (strcmp(files->v[i], name) == 0)
            return files->v[i];
    strvec_push(files, name);
    return files->v[files->nr - 1];
}

static void find_lines(const char *program, struct stretches *out)
{
    uint64_t *address = xcalloc(out->place_nr, sizeof(*address));
    struct source_line *line = xcalloc(out->place_nr, sizeof(*line));

    for (size_t i = 0; i < out->place_nr; i++)
        address[i] = out->place[i].in_kernel ? out->place[i].pc : 0;
    source_lines_find(program, address, out->place_nr, line);
    for (size_t i = 0; i < out->place_nr; i++) {
        if (is_source(&line[i])) {
            out->place[i].file = file_once(&out->file, line[i].file);
            out->place[i].line = line[i].line;
        }
        free(line[i].file);
    }
    free(address);
    free(line);
}

/* While the child is there. */
static void find_places(struct stretching *stretching)
{
    struct stretches *out = stretching->out;
    struct part part[PARTS_MAX];
    size_t nr = parts_of(stretching->pid, part);
    struct image *image = NULL;
    char *path = xasprintf("/proc/%d/exe", (int)stretching->pid);

    if (image_open(path, &image, NULL) == 0) {
        for (size_t i = 0; i < out->place_nr; i++) {
            uint64_t found = file_address(image, part, nr, out->place[i].pc);

            out->place[i].in_kernel = found != UINT64_MAX;
            if (out->place[i].in_kernel)
                out->place[i].pc = found;
        }
        image_free(image);
        find_lines(path, out);
    }
    free(path);
}

/* ---- a call ---- */

/* What comes before the first instruction with a line is the harness: the way back from
 * the mark, and to the kernel; so is what follows the last one of a whole call. Without
 * any lines it stays. */
static void drop_harness(struct stretches *out)
{
    size_t first = 0;

    while (first < out->step_nr && !out->place[out->step[first].place].line)
        first++;
    while (out->whole && out->step_nr > first &&
           !out->place[out->step[out->step_nr - 1].place].line)
        out->step_nr--;
    if (first == 0 || first == out->step_nr)
        return;
    out->step_nr -= first;
    memmove(out->step, out->step + first, out->step_nr * sizeof(*out->step));
}

static enum stepping follow_spread(struct stretching *stretching)
{
    const struct stretch_request *request = stretching->request;
    double between_s = stretching->call_s / (double)request->nr;

    for (size_t k = 0; k < request->nr; k++) {
        enum stepping at = stepping_skip(stretching->pid, k ? between_s : between_s / 2,
                                         stretching->until_s);

        if (at == STEPPING_STEP)
            at = walk(stretching);
        if (at != STEPPING_STEP)
            return at;
    }
    return STEPPING_STEP;
}

static int follow(void *data, pid_t pid, struct error *err)
{
    struct stretching *stretching = data;
    struct stretches *out = stretching->out;
    enum stepping at;

    stretching->pid = pid;
    at = stepping_begin(pid, stretching->until_s - clock_s());
    if (at == STEPPING_MARK)
        at = stepping_skip(pid, 0, stretching->until_s);
    if (at != STEPPING_MARK && clock_s() >= stretching->until_s)
        return fail(err, STATUS_FAILED,
                    "its program had not come to the call after %.3g s",
                    stretching->request->limit_s);
    if (at != STEPPING_MARK)
        return fail(err, STATUS_FAILED, "the call ended before it could be followed");
    if (stretching->call_s > 0) {
        at = follow_spread(stretching);
        stretching->ended = at == STEPPING_MARK;
    } else {
        at = walk(stretching);
        stretching->ended = out->whole = at == STEPPING_MARK;
    }
    find_places(stretching);
    if (stretching->call_s <= 0)
        drop_harness(out);
    if (out->step_nr == 0 && !stretching->ended)
        return fail(err, STATUS_FAILED, "the call ended before it could be followed");
    return 0;
}

/* ---- arrays ---- */

/* "array NAME ADDRESS BYTES" */
static void read_arrays(const char *path, struct stretches *out)
{
    struct buf text = {0};
    size_t alloc = out->array_nr;

    if (file_read(path, &text, NULL) == 0)
        for (const char *at = buf_str(&text); *at; at += at[0] == '\n') {
            char name[256];
            uint64_t from, bytes;

            if (sscanf(at, "array %255s %" SCNu64 " %" SCNu64, name, &from, &bytes) ==
                3) {
                GROW(out->array, out->array_nr + 1, alloc);
                out->array[out->array_nr++] =
                    (struct stretch_array){xstrdup(name), from, bytes};
            }
            at += strcspn(at, "\n");
        }
    buf_release(&text);
}

void stretches_release(struct stretches *stretches)
{
    for (size_t i = 0; i < stretches->array_nr; i++)
        free(stretches->array[i].name);
    free(stretches->array);
    free(stretches->place);
    free(stretches->step);
    free(stretches->address);
    free(stretches->begin);
    strvec_release(&stretches->file);
    *stretches = (struct stretches){0};
}

static int run_once_through(const struct run_program *program,
                            const struct run_opts *opts, const char *out,
                            struct stretching *stretching, struct error *err)
{
    int result;

    stretches_release(stretching->out);
    result = stepping_run(program, opts, out, follow, stretching, err);
    if (result == 0)
        read_arrays(out, stretching->out);
    free(stretching->slot);
    stretching->slot = NULL;
    stretching->slot_nr = stretching->room = 0;
    return result;
}

static int run_in(const char *folder, const struct run_program *program,
                  const struct run_opts *opts, struct stretching *stretching,
                  struct error *err)
{
    char *out = path_join(folder, "arrays");
    int result = run_once_through(program, opts, out, stretching, err);

    if (result == 0 && stretching->out->step_nr == 0) {
        stretching->call_s = 0; /* it was shorter than thought */
        result = run_once_through(program, opts, out, stretching, err);
    }
    free(out);
    return result;
}

/* A real predictor has seen the loop for longer than a stretch is: the model sees all of
 * them once before its mistakes count. */
static void find_mispredicted(struct stretches *out)
{
    struct perceptron *perceptron = xcalloc(out->place_nr + 1, sizeof(*perceptron));
    uint64_t *target = xcalloc(out->place_nr + 1, sizeof(*target));

    for (int pass = 0; pass < 2; pass++) {
        struct branch_history history = {0};

        for (size_t i = 0; i + 1 < out->step_nr; i++) {
            struct stretch_step *step = &out->step[i];
            enum decoded_branch branch = out->place[step->place].what.branch;
            uint64_t next = out->place[step[1].place].pc;

            if (branch == BRANCH_DIRECT)
                step->mispredicted =
                    !predict(&perceptron[step->place], &history, step->taken);
            else if (branch == BRANCH_INDIRECT)
                step->mispredicted = target[step->place] != next;
            target[step->place] = next;
        }
    }
    free(perceptron);
    free(target);
}

/* ---- what was executed ---- */

static bool is_in_arrays(const struct stretches *stretches, uint64_t address)
{
    for (size_t i = 0; i < stretches->array_nr; i++)
        if (address - stretches->array[i].from < stretches->array[i].bytes)
            return true;
    return false;
}

/* What adds to memory loads and stores at one address. */
static double array_bytes_of(const struct stretches *stretches,
                             const struct stretch_step *step)
{
    const struct instruction_work *work = &stretches->place[step->place].work;
    double bytes = work->memory.bytes ? work->memory.bytes : 8, all = 0;

    if (work->loads && work->stores && !work->is_apart)
        bytes *= 2;
    for (uint32_t i = step->address; i < step->address + step->address_nr; i++)
        if ((work->loads || work->stores) &&
            is_in_arrays(stretches, stretches->address[i]))
            all += bytes;
    return all;
}

/* Of gathers the lanes that are on have addresses. */
static bool is_masked(const struct instruction_work *work)
{
    return work->memory.mask != WORK_NO_REGISTER &&
           work->memory.index_vector == WORK_NO_REGISTER;
}

struct stretch_counts stretches_count(const struct stretches *stretches, size_t first,
                                      size_t end)
{
    struct stretch_counts counts = {0};
    bool *executed = xcalloc(stretches->place_nr + 1, sizeof(*executed));

    for (size_t i = first; i < end; i++) {
        const struct stretch_step *step = &stretches->step[i];
        const struct decoded *what = &stretches->place[step->place].what;

        double bytes = array_bytes_of(stretches, step);
        counts.array_bytes += bytes;
        counts.masked_bytes += is_masked(&stretches->place[step->place].work) ? bytes : 0;
        if (i > first && what->repeats && step[-1].place == step->place)
            continue;
        counts.instructions++;
        counts.flops += what->flops;
        counts.divisions += what->divisions;
        counts.undecoded += !what->known;
        counts.branches_missed += step->mispredicted;
        counts.code_bytes += executed[step->place] ? 0 : what->bytes;
        executed[step->place] = true;
    }
    free(executed);
    return counts;
}

int run_stretches(const struct run_program *program, const struct run_opts *opts,
                  const struct stretch_request *request, struct stretches *out,
                  struct error *err)
{
    struct run_opts full = launch_defaults(opts);
    struct stretching stretching = {
        .request = request,
        .until_s = clock_s() + request->limit_s,
        .call_s = request->call_s >= call_min_s && request->nr ? request->call_s : 0,
        .out = out};
    struct decoder *decoder = NULL;
    char *folder = NULL;
    bool own;
    int result = -1;

    *out = (struct stretches){0};
    if (decoder_new(decode_arch_here(), &decoder, err))
        return -1;
    stretching.decoder = decoder;
    if (launch_make_folder(&full, &folder, &own, err) == 0) {
        result = run_in(folder, program, &full, &stretching, err);
        launch_remove_folder(folder, own);
    }
    decoder_free(decoder);
    if (result)
        stretches_release(out);
    else
        find_mispredicted(out);
    return result;
}
