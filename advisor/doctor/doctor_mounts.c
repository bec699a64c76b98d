/* On what file systems programs are built and the database lies. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/doctor/doctor.h"

/* Mount tables write a blank as \040. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        if (from[0] == '\\' && isdigit((unsigned char)from[1]) && from[2] && from[3]) {
            *to = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = 0;
}

static bool lies_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return !strcmp(folder, "/") ||
           (!strncmp(path, folder, length) && (!path[length] || path[length] == '/'));
}

struct mount {
    char place[1024], type[64], options[1024];
};

/* The mount that the path lies on: the longest, of equal ones the last. */
static bool find_mount(const char *root, const char *path, struct mount *found)
{
    char *whole = xasprintf("%s/proc/self/mounts", root);
    struct buf text = {0};
    size_t longest = 0;
    if (!file_read(whole, &text, NULL))
        for (const char *line = buf_str(&text); line && *line;
             line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
            struct mount mount;
            if (sscanf(line, "%*s %1023s %63s %1023s", mount.place, mount.type,
                       mount.options) != 3)
                continue;
            unescape(mount.place);
            if (!lies_below(path, mount.place) || strlen(mount.place) < longest)
                continue;
            longest = strlen(mount.place);
            *found = mount;
        }
    buf_release(&text);
    free(whole);
    return longest > 0;
}

static bool has_option(const char *options, const char *name)
{
    size_t length = strlen(name);
    for (; options; options = strchr(options, ',') ? strchr(options, ',') + 1 : NULL)
        if (!strncmp(options, name, length) &&
            (!options[length] || options[length] == ','))
            return true;
    return false;
}

static void look_at_scratch(struct doctor *doctor, const char *root, const char *scratch)
{
    struct mount mount;
    if (find_mount(root, scratch, &mount) && has_option(mount.options, "noexec"))
        doctor_add(doctor, DOCTOR_MISSING, "scratch space",
                   (struct remedy){"mkdir -p ~/.cache/inflight-tmp && export "
                                   "TMPDIR=~/.cache/inflight-tmp",
                                   false},
                   "'%s' is mounted noexec: the variants that are built there cannot be "
                   "started",
                   mount.place);
}

/* SQLite needs locks that other machines see. */
static void look_at_network(struct doctor *doctor, const char *root, const char *database)
{
    static const char *const remote[] = {"nfs",    "nfs4",   "cifs",       "smb3",
                                         "ceph",   "lustre", "fuse.sshfs", "afs",
                                         "beegfs", "gpfs"};
    struct mount mount;
    if (!database || !find_mount(root, database, &mount))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(remote); i++)
        if (!strcmp(mount.type, remote[i]))
            doctor_add(doctor, DOCTOR_LIMITED, "database",
                       (struct remedy){"export INFLIGHT_DATABASE=/var/tmp/inflight-"
                                       "$USER.db",
                                       false},
                       "'%s' lies on a network file system (%s at '%s'), where locks may "
                       "not hold: two sessions at once could become one",
                       database, mount.type, mount.place);
}

void doctor_mounts(struct doctor *doctor, const char *root, const char *scratch,
                   const char *database)
{
    look_at_scratch(doctor, root, scratch);
    look_at_network(doctor, root, database);
}
