/* What instructions ask of a core: tables of encodings, read once by eye. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/code/code.h"
#include "core/files/fs.h"
#include "tests/check.h"

SUITE(code_work);

static void add_registers(struct buf *out, const char *what, const uint8_t *reg,
                          size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        buf_add(out, i ? " " : what);
        if (reg[i] < WORK_REGISTER_VECTOR)
            buf_addf(out, "r%d", reg[i]);
        else if (reg[i] < WORK_REGISTER_MASK)
            buf_addf(out, "v%d", reg[i] - WORK_REGISTER_VECTOR);
        else if (reg[i] < WORK_REGISTER_FLAGS)
            buf_addf(out, "k%d", reg[i] - WORK_REGISTER_MASK);
        else
            buf_add(out, reg[i] == WORK_REGISTER_FLAGS ? "flags" : "x87");
    }
}

static void add_memory(struct buf *out, const struct work_memory *memory)
{
    buf_addf(out, " %d at", memory->bytes);
    if (memory->lanes != 1)
        buf_addf(out, " %d x", memory->lanes);
    if (memory->pc_relative || memory->of_thread)
        buf_add(out, memory->pc_relative ? " pc" : " thread");
    add_registers(out, " ", &memory->base, memory->base != WORK_NO_REGISTER);
    add_registers(out, " + ", &memory->index, memory->index != WORK_NO_REGISTER);
    add_registers(out, " + ", &memory->index_vector,
                  memory->index_vector != WORK_NO_REGISTER);
    if (memory->index_half)
        buf_add(out, memory->index_half < 0 ? " signed" : " unsigned");
    if (memory->index_bytes)
        buf_addf(out, " of %d", memory->index_bytes);
    if (memory->scale != 1)
        buf_addf(out, " x %d", memory->scale);
    if (memory->displacement)
        buf_addf(out, " %+lld", (long long)memory->displacement);
    add_registers(out, " if ", &memory->mask, memory->mask != WORK_NO_REGISTER);
}

/* Caller frees. */
static char *describe(const struct instruction_work *work)
{
    struct buf out = {0};

    if (!work->known)
        return xstrdup("unknown");
    buf_add(&out, work_class_word(work->class));
    if (work->bits)
        buf_addf(&out, " %d/%d", work->bits, work->vector_bits);
    if (work->microops != 1)
        buf_addf(&out, " %d microops", work->microops);
    add_registers(&out, "; reads ", work->read, work->read_nr);
    add_registers(&out, "; writes ", work->write, work->write_nr);
    if (work->loads || work->stores || work->prefetches) {
        buf_add(&out, work->prefetches                                 ? "; prefetches"
                      : work->loads && work->stores && !work->is_apart ? "; changes"
                      : work->loads                                    ? "; loads"
                                                                       : "; stores");
        add_memory(&out, &work->memory);
    }
    if (work->is_apart) {
        buf_add(&out, "; stores");
        add_memory(&out, &work->to);
    }
    buf_add(&out, work->nontemporal ? "; past the caches" : "");
    buf_add(&out, work->software_lock ? "; waits for memory" : "");
    return buf_detach(&out);
}

static struct decoder *decoder_for(enum decode_arch arch)
{
    struct decoder *decoder = NULL;
    struct error err = {0};

    check_ok(decoder_new(arch, &decoder, &err), &err);
    return decoder;
}

static size_t read_code(const char *text, uint8_t code[DECODE_BYTES])
{
    size_t nr = 0;
    char *end;

    for (; nr < DECODE_BYTES; nr++, text = end) {
        unsigned long byte = strtoul(text, &end, 16);

        if (end == text)
            break;
        code[nr] = (uint8_t)byte;
    }
    return nr;
}

/* A line "instruction | bytes | ..." with what is found. */
static void describe_line(const struct decoder *decoder, const char *line,
                          struct buf *out)
{
    const char *bytes = strstr(line, " | ");
    const char *want = bytes ? strstr(bytes + 3, " | ") : NULL;
    uint8_t code[DECODE_BYTES] = {0};
    struct instruction_work work;
    char *text;

    if (!check(want != NULL))
        return;
    size_t nr = read_code(bytes + 3, code);
    check_eq(decode(decoder, code, 0x1000).bytes, nr);
    work = decode_work(decoder, code, 0x1000);
    text = describe(&work);
    buf_add_n(out, line, (size_t)(want - line) + 3);
    buf_addf(out, "%s\n", text);
    free(text);
}

static void check_table(enum decode_arch arch, const char *path, size_t nr_min)
{
    struct decoder *decoder = decoder_for(arch);
    struct buf text = {0}, got = {0};
    struct error err = {0};
    size_t nr = 0;

    if (!decoder || !check_ok(file_read(path, &text, &err), &err))
        return;
    for (char *line = text.data, *end; line && *line; line = end + 1, nr++) {
        end = strchr(line, '\n');
        *end = '\0';
        if (line[0] == '#')
            buf_addf(&got, "%s\n", line);
        else
            describe_line(decoder, line, &got);
    }
    check(nr > nr_min);
    check_golden(path, buf_str(&got));
    buf_release(&text);
    buf_release(&got);
    decoder_free(decoder);
}

TEST("x86-64")
{
    check_table(DECODE_X86, INFLIGHT_SOURCE_DIR "/tests/data/work/x86.txt", 180);
}

TEST("arm64")
{
    check_table(DECODE_ARM64, INFLIGHT_SOURCE_DIR "/tests/data/work/arm64.txt", 80);
}

TEST("what is not decoded is said to be unknown")
{
    static const uint8_t nothing[DECODE_BYTES] = {0x06},
                         power[DECODE_BYTES] = {0xf8, 0xff, 0xe1, 0xdb};
    static const uint8_t sve[DECODE_BYTES] = {0x20, 0x00, 0xe2, 0x65};
    struct decoder *decoder = decoder_for(DECODE_X86);

    check(!decode_work(decoder, nothing, 0).known);
    decoder_free(decoder);
    decoder = decoder_for(DECODE_POWER);
    check(!decode_work(decoder, power, 0).known);
    decoder_free(decoder);
    decoder = decoder_for(DECODE_ARM64);
    check(!decode_work(decoder, sve, 0).known);
    check_eq(decode_work(decoder, sve, 0).microops, 1);
    decoder_free(decoder);
}

TEST("classes have words")
{
    for (int i = 0; i < WORK_CLASS_NR; i++)
        check_eq(work_class_from_word(work_class_word((enum work_class)i)), i);
    check_eq(work_class_from_word("nothing of the kind"), WORK_CLASS_NR);
}
