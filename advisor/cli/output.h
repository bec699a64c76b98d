/* What the program prints on standard output. */
#ifndef ADVISOR_OUTPUT_H
#define ADVISOR_OUTPUT_H

#include "core/base.h"

/* Each returns 0, or -1 when standard output cannot take it. */
/* A result document as it is. */
int print_json(const json_t *document, struct error *err);
/* A text for people: what a terminal could take for a command is replaced. */
int print_text(const char *text, struct error *err);
/* As it is: source code, documents, pictures. */
int print_data(const char *text, struct error *err);
/* Whether the texts for people have colours, which print_text() lets through. */
void print_colour(bool colour);

#endif
