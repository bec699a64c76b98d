/* What the searches of a campaign have written goes where the user wants it. */
#ifndef ADVISOR_DELIVER_H
#define ADVISOR_DELIVER_H

struct error;
struct kinds;
struct settings;

/* Files, under the name of their kind where there are several, and what is printed. */
int campaign_deliver(const struct settings *settings, const struct kinds *kinds,
                     struct error *err);

#endif
