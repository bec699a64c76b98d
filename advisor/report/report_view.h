/* The sheet that the text of a report is written on; private to its parts
 * (report_*.c). */
#ifndef ADVISOR_REPORT_VIEW_H
#define ADVISOR_REPORT_VIEW_H

#include "advisor/cli/layout.h"
#include "advisor/report/report_read.h"
#include "advisor/report/report_verdict.h"

struct view {
    const json_t *report;
    struct layout layout;
    bool evidence; /* all of it: every advice in full, and what is behind each figure */
};

/* report_answer.c: the verdict in three lines, and its first one again at the end; kernel
 * and machine; what limits the loop; what came of it; the next commands. */
void view_verdict(struct view *view);
void view_last(struct view *view);
void view_head(struct view *view);
void view_limit(struct view *view);
void view_results(struct view *view);
void view_next(struct view *view);
/* To be pasted into a shell: broken between words only. */
void view_command(struct view *view, const json_t *words, size_t indent);

/* report_nodes.c: of --on: the nodes, what they took, and how far they agree. */
void view_nodes(struct view *view);

/* report_change.c: the loop in the diff of the plan that was kept; nothing without one.
 */
void view_change(struct view *view);

/* observe/in_app/in_app_text.c: the gains of --in-app, in one line and as a section;
 * nothing without them. */
void view_in_app_answer(struct view *view);
void view_in_app(struct view *view);

/* report_evidence.c: figures of the kernel as written, queues, traffic; what was left
 * out and why; every variant; where all that comes from. */
void view_evidence(struct view *view);

/* report_closing.c: what was compared with the winner at the end, and what was taken;
 * environments; the audit; where the wall time went; how often the rules were right
 * before; what of earlier sessions was taken over. Each is nothing where there is
 * nothing. */
void view_ties(struct view *view);
void view_environments(struct view *view);
void view_audit(struct view *view);
void view_time(struct view *view);
void view_record(struct view *view);
void view_reused(struct view *view);

/* "  text", wrapped, further lines `indent` from the left. */
void view_item(struct view *view, const char *text, size_t indent);

#endif
