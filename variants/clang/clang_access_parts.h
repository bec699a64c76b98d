/* What the clang_access*.c files share. Private to variants/clang/. */
#ifndef VARIANTS_CLANG_ACCESS_PARTS_H
#define VARIANTS_CLANG_ACCESS_PARTS_H

#include "variants/clang/clang_access.h"
#include "variants/clang/clang_cursor.h"

enum { DEPTH_LIMIT = 8, INDEX_LIMIT = 16, LITERAL_LIMIT = 127 };

/* ---- values ---- */

/* A variable, or a field of it at whatever depth, that no loop changes. */
struct place {
    const char *key;           /* the same for the same storage */
    const char *text;          /* as the function around the loop writes it */
    const char *object;        /* "domain.", "p->"; "" = this, NULL = it is a variable */
    const struct place *owner; /* likewise; NULL = it is a variable */
    CXCursor field;
    CXType type;
    bool is_const, is_visible; /* text may be written there */
};

struct walk;

enum value_kind {
    V_NONE,
    V_NUMBER,  /* text */
    V_PLACE,   /* an object, an array, a pointer, a number that is stored */
    V_ELEMENT, /* text is the index in the array of the place */
    V_ADDRESS, /* of that element */
    V_SIZE     /* of the container */
};

struct value {
    enum value_kind kind;
    struct place place;
    const char *text;
    bool is_atom;    /* text needs no parentheses */
    bool is_product; /* nor in a sum */
    bool vanishes;   /* text is 0 where all parameters of the accessor are */
};

/* The body that is read, from the call of an accessor. */
struct frame {
    CXCursor method; /* canonical; null = the loop itself */
    struct value self;
    size_t arg_nr;
    CXCursor parameter[INDEX_LIMIT];
    struct value arg[INDEX_LIMIT];
    int depth;
};

/* When an accessor is reached. */
struct when {
    bool unknown;          /* depends on what the loop computes */
    const char *condition; /* that no iteration changes; NULL = always */
};

/* An array or a number that becomes a parameter. */
struct key {
    enum value_kind kind; /* V_ELEMENT an array, V_PLACE or V_SIZE a number */
    struct place place;
    const char *stem, *name;
    CXCursor method; /* that gave it; null = none did */
    const char *element;
    struct when when;
    int line, column;
    bool met;
};

/* A function of the file that the loop hands objects to, with arrays and numbers in place
 * of them. */
struct copy {
    struct copy *outer;  /* that calls it; NULL = the loop does */
    CXCursor function;   /* the definition */
    const char *binding; /* which objects its parameters are */
    const char *name, *text;
    size_t *key; /* in access.key */
    size_t key_nr, key_alloc;
};

struct access {
    struct ct_clang *clang;
    const struct ct_function *function;
    const char *source;
    CXCursor self, statement, self_class; /* self: the function around the loop */
    size_t begin, end;                    /* of the statement */
    struct frame *outermost;              /* of the loop, or of the copy that is read */
    struct copy **copy;                   /* the called ones first */
    size_t copy_nr, copy_alloc;
    struct copy *open; /* that is read; NULL = the loop is */
    struct key *key;
    size_t key_nr, key_alloc;
    struct ct_edit *edit;
    size_t edit_nr, edit_alloc;
    struct ct_consumed *consumed;
    size_t *consumed_spelt; /* where it is written: of a macro's argument elsewhere */
    size_t consumed_nr, consumed_alloc;
    size_t leaves_at;       /* of the first statement that may end the iteration */
    bool anywhere;          /* what is read may stand in another function: its texts and
                               names are not asked for */
    const struct walk *now; /* what stands where is read; NULL = it is no use */
    struct ct_trouble trouble;
};

struct method_call {
    CXCursor target, object; /* object null = this */
    CXCursor arg[INDEX_LIMIT];
    size_t arg_nr;
    bool fits;
};

struct walk {
    struct access *access;
    CXCursor cursor;
    struct when when;
    bool written;   /* what stands here is changed, or its address is taken */
    bool is_copied; /* a reference is bound to it */
    bool in_sizeof;
};

/* clang_access_value.c: what an expression stands for */
size_t access_offset_at(CXSourceLocation location);
size_t access_begin_of(CXCursor cursor);
size_t access_end_of(CXCursor cursor);
void access_complain(struct access *access, CXCursor cursor, const char *text);
const char *access_spelling_of(const struct access *access, CXCursor cursor);
struct cursors access_operands_of(CXCursor cursor);
size_t access_operand_nr(CXCursor cursor);
CXCursor access_operand(CXCursor cursor, size_t at);
CXCursor access_peel(CXCursor cursor);
CXType access_plain(CXType type);
bool access_is_same_type(CXType a, CXType b);
bool access_is_number(CXType type);
bool access_is_integer(CXType type);
bool access_is_reference_type(CXType type);
bool access_is_record(CXType type);
bool access_is_plain_record(CXType type);
bool access_is_method(CXCursor target);
bool access_is_array_type(CXType type);
/* The row of a container of the standard library, or -1; how it gives its elements
 * (NULL = by the first one), and whether those of a const one are const. */
int access_container_of(const struct access *access, CXType type);
const char *access_container_data(int row);
bool access_container_shares_const(int row);
bool access_container_owns(int row); /* them, each container its own */
CXType access_element_type(const struct access *access, const struct place *place);
CXType access_record_of(CXType type);
bool access_is_object_type(CXType type);
bool access_is_visible(const struct access *access, CXCursor record, CXCursor member);
CXCursor access_class_of(const struct place *object);
bool access_is_word(const char *text);
const char *access_name_of(const struct key *key);
struct method_call access_method_call_of(const struct access *access, CXCursor call);
CXCursor access_only_return(CXCursor method);
bool access_is_plain_method(CXCursor method);
bool access_gives_as_it_is(const struct access *access, CXCursor method,
                           const struct value *value);
struct value access_value_of(struct access *access, CXCursor given,
                             const struct frame *frame);

/* clang_access.c: arrays and numbers that become parameters */
struct value access_this(struct access *access, CXCursor function);
struct key *access_key_for(struct access *access, enum value_kind kind,
                           const struct place *place);
const char *access_parameter_text(const struct access *access, const struct key *key);
enum CXChildVisitResult access_find_leaving(CXCursor cursor, CXCursor parent,
                                            CXClientData data);

/* clang_access_effects.c: what the loop does besides */
bool access_is_noreturn(const struct access *access, CXCursor target);
bool access_is_mathematical(const struct access *access, CXCursor target);
bool access_is_assignment(CXCursor cursor);
struct value access_value_anywhere(struct access *access, CXCursor cursor);
void access_check_effects(struct access *access);

/* clang_access_walk.c: the text of the loop */
bool access_is_invariant(const struct access *access, CXCursor given);
void access_meet(struct key *key, const struct walk *walk, CXCursor at);
bool access_is_accessor_call(CXCursor cursor);
bool access_is_class_scope(CXCursor cursor);
bool access_is_in_class_body(CXCursor function);
bool access_is_in_its_space(CXCursor function);
void access_walk_to(const struct walk *walk, CXCursor cursor);
const char *access_text_of(struct access *access, CXCursor cursor);

#endif
