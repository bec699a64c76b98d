/* From a C or C++ file to the tree of one function. */
#ifndef VARIANTS_PARSE_PARSE_H
#define VARIANTS_PARSE_PARSE_H

struct error;
struct strvec;

struct ir_function;

/* Finds and reads the function. `line` and `function` as in kernel_request.
 * `text`: what stands in place of the file's contents (tunables with other values); NULL
 * = the file's own. */
int ir_parse(const char *path, const char *text, int line, const char *function,
             const struct strvec *cflags, struct ir_function **out, struct error *err);

#endif
