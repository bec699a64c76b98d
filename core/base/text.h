/* Questions to a text: what it holds, which word was meant. */
#ifndef CORE_BASE_TEXT_H
#define CORE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

bool text_begins(const char *text, const char *start);
bool text_ends(const char *text, const char *end);
/* What is behind the start; the text where it begins otherwise. */
const char *text_behind(const char *text, const char *start);
/* Where its line of that number begins, from 1; NULL = it has not so many. */
const char *text_line(const char *text, int line);
int text_line_ends(const char *text, size_t length);
/* Is `word` in it, with no letter, digit or _ at either side? */
bool text_has_word(const char *text, const char *word);

bool is_word_char(char c); /* letter, digit or _ */
/* Of the letters, digits and _ that the text begins with. */
size_t text_word_length(const char *text);
size_t text_name_length(const char *text); /* 0 where the first is a digit */

/* Of a list of numbers as Linux writes it, "0-3,8", the next range at *at, which moves
 * behind it: 1; 0 at the end of the text or line, -1 where the list is none. low <= high,
 * neither is negative. */
int range_next(const char **at, long *low, long *high);

/* ---- the word that was meant ---- */

/* Changed, missing, additional and swapped letters between the two, whatever their case
 * (Damerau and Levenshtein, each letter touched once). */
size_t letters_between(const char *a, const char *b);

/* Is `part` somewhere in `text`, whatever the case? */
bool text_holds(const char *text, const char *part);

/* How far `meant` is from `word`: 0 = the same, small numbers = likely meant. Words that
 * hold one another are near. SIZE_MAX = too far to suggest it. */
size_t word_distance(const char *word, const char *meant);
/* The first of those that are nearest; NULL = none is near. */
const char *nearest_word(const char *word, const char *const *words, size_t nr);
/* Words that are no misspelling of what is meant. */
struct synonym {
    const char *word, *meant;
};
/* What a synonym says, where that is among the words, whatever the case; else the
 * nearest. NULL = nothing is near. */
const char *meant_word(const char *word, const char *const *words, size_t nr,
                       const struct synonym *synonyms, size_t synonym_nr);
/* Behind "unknown x": "; did you mean "y"?", else "; known are: ...". */
void buf_add_known(struct buf *out, const char *word, const char *const *words,
                   size_t nr);

#endif
