/* The sheet that the text of a report is written on; private to its parts
 * (report_*.c). */
#ifndef ADVISOR_REPORT_SHEET_H
#define ADVISOR_REPORT_SHEET_H

#include "advisor/cli/page.h"
#include "advisor/report/report_read.h"

struct sheet {
    const json_t *report;
    struct page page;
    bool evidence; /* all of it: every advice in full, and what is behind each figure */
    const char *database; /* as named on the command line; NULL = it was not */
};

/* report_answer.c: kernel and machine; what limits the loop, in plain words; what was
 * gained, apart for the source and what is beside it; the next command. */
/* "What limits the loop: memory bandwidth": text of ours alone. Caller frees. */
char *report_limit_title(const json_t *report);
void sheet_head(struct sheet *sheet);
void sheet_limit(struct sheet *sheet);
void sheet_gained(struct sheet *sheet);
void sheet_next(struct sheet *sheet);

/* observe/in_app/in_app_text.c: the gains of --in-app, in one line and as a section;
 * nothing without them. */
void sheet_in_app_answer(struct sheet *sheet);
void sheet_in_app(struct sheet *sheet);

/* report_evidence.c: figures of the kernel as written, queues, traffic; what was left
 * out and why; every variant; where all that comes from. */
void sheet_evidence(struct sheet *sheet);

/* report_closing.c: what was compared with the winner at the end, and what was taken;
 * environments; the audit; where the wall time went; how often the rules were right
 * before; what of earlier sessions was taken over. Each is nothing where there is
 * nothing. */
void sheet_ties(struct sheet *sheet);
void sheet_environments(struct sheet *sheet);
void sheet_audit(struct sheet *sheet);
void sheet_time(struct sheet *sheet);
void sheet_record(struct sheet *sheet);
void sheet_reused(struct sheet *sheet);

/* "  text", wrapped, further lines `indent` from the left. */
void sheet_item(struct sheet *sheet, const char *text, size_t indent);

#endif
