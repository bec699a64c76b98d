#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/code/image_parts.h"

static enum decode_arch arch_of(const Elf64_Ehdr *header)
{
    switch (header->e_machine) {
    case EM_X86_64:
        return DECODE_X86;
    case EM_AARCH64:
        return DECODE_ARM64;
    case EM_PPC64:
        return DECODE_POWER;
    default:
        return DECODE_NONE;
    }
}

static int read_segments(struct image *image, const Elf64_Ehdr *header, const char *path,
                         struct error *err)
{
    for (int i = 0; i < header->e_phnum; i++) {
        off_t at = (off_t)(header->e_phoff + (uint64_t)i * header->e_phentsize);
        Elf64_Phdr segment;

        if (pread(image->fd, &segment, sizeof(segment), at) != (ssize_t)sizeof(segment))
            return fail(err, STATUS_INPUT, "'%s' is cut off: its segments are not there",
                        path);
        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
            continue;
        GROW(image->segment, image->segment_nr + 1, image->segment_alloc);
        image->segment[image->segment_nr++] =
            (struct image_segment){segment.p_vaddr, segment.p_offset, segment.p_filesz};
    }
    return 0;
}

int image_read_headers(struct image *image, const char *path, struct error *err)
{
    const uint16_t one = 1;
    const uint8_t order = *(const uint8_t *)&one ? ELFDATA2LSB : ELFDATA2MSB;
    Elf64_Ehdr header;

    image->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (image->fd < 0)
        return fail(err, STATUS_INPUT, "cannot read '%s': %s", path, strerror(errno));
    if (pread(image->fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return fail(err, STATUS_INPUT, "'%s' is no program in ELF format", path);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != order)
        return fail(err, STATUS_INPUT,
                    "'%s' is a program for another kind of machine: only those of 64 "
                    "bits in this one's byte order are read",
                    path);
    image->arch = arch_of(&header);
    return read_segments(image, &header, path, err);
}

uint64_t image_address(const struct image *image, uint64_t file_offset)
{
    for (size_t i = 0; i < image->segment_nr; i++) {
        const struct image_segment *segment = &image->segment[i];

        if (file_offset >= segment->offset &&
            file_offset - segment->offset < segment->bytes)
            return segment->address + (file_offset - segment->offset);
    }
    return UINT64_MAX;
}

size_t image_read_code(const struct image *image, uint64_t address, uint8_t *out,
                       size_t bytes)
{
    for (size_t i = 0; i < image->segment_nr; i++) {
        const struct image_segment *segment = &image->segment[i];
        uint64_t inside = address - segment->address;
        ssize_t got;

        if (address < segment->address || inside >= segment->bytes)
            continue;
        if (bytes > segment->bytes - inside)
            bytes = (size_t)(segment->bytes - inside);
        got = pread(image->fd, out, bytes, (off_t)(segment->offset + inside));
        return got > 0 ? (size_t)got : 0;
    }
    return 0;
}
