#include "core/code/dwarf_file.h"

#include <fcntl.h>
#include <unistd.h>

struct dwarf_file dwarf_file_open(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    return (struct dwarf_file){.fd = fd,
                               .dwarf = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ)};
}

void dwarf_file_close(struct dwarf_file *file)
{
    if (file->dwarf)
        dwarf_end(file->dwarf);
    if (file->fd >= 0)
        close(file->fd);
    *file = (struct dwarf_file){.fd = -1};
}
