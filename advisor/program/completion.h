/* The scripts by which shells complete the command line. */
#ifndef ADVISOR_COMPLETION_H
#define ADVISOR_COMPLETION_H

struct buf;
struct error;

/* Appends the script for "bash", "zsh" or "fish"; STATUS_USAGE for another shell. */
int completion_script(const char *shell, struct buf *out, struct error *err);

#endif
