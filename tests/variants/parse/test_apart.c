/* Which parameters lead to different arrays, by all calls of the function. */
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "tests/check.h"
#include "variants/ir/ir.h"
#include "variants/parse/parse.h"

SUITE(variants_apart);

static const struct ir_symbol *param_of(const struct ir_function *function,
                                        const char *name)
{
    for (size_t i = 0; i < function->param_nr; i++)
        if (!strcmp(function->symbol[i]->name, name))
            return function->symbol[i];
    return NULL;
}

/* Of `static void loop(...)` in the text, and the same for b and a. */
static bool are_apart(const char *path, const char *text, const char *a, const char *b)
{
    struct ir_function *function = NULL;
    struct error err = {0};
    bool apart = false;
    if (!check_ok(ir_parse(path, text, 0, "loop", NULL, &function, &err), &err))
        return false;
    const struct ir_symbol *one = param_of(function, a), *other = param_of(function, b);
    if (check(one && other)) {
        size_t nr = function->param_nr, i = (size_t)one->id, k = (size_t)other->id;
        apart = function->apart && function->apart[i * nr + k];
        check_eq(function->apart && function->apart[k * nr + i], apart);
    }
    ir_function_free(function);
    return apart;
}

struct pair_case {
    const char *what, *text;
    bool apart; /* p and q */
};

#define LOOP                                                                             \
    "static void loop(int n, double *p, double *q)\n{\n"                                 \
    "    for (int i = 0; i < n; i++)\n        p[i] = q[i];\n}\n"

static const struct pair_case in_c[] = {
    {"two arrays of the file",
     LOOP "double a[9], b[9];\nvoid f(void)\n{\n    loop(9, a, b);\n}\n", true},
    {"one array", LOOP "double a[9];\nvoid f(void)\n{\n    loop(9, a, a);\n}\n", false},
    {"rows of one array",
     LOOP "double a[2][9];\nvoid f(void)\n{\n    loop(9, a[0], a[1]);\n}\n", false},
    {"parameters", LOOP "void f(double *a, double *b)\n{\n    loop(9, a, b);\n}\n",
     false},
    {"parameters declared as arrays",
     LOOP "void f(double a[9], double b[9])\n{\n    loop(9, a, b);\n}\n", false},
    {"a parameter and an array",
     LOOP "double a[9];\nvoid f(double *b)\n{\n    loop(9, a, b);\n}\n", false},
    {"one of two calls gives one array",
     LOOP
     "double a[9], b[9];\nvoid f(void)\n{\n    loop(9, a, b);\n    loop(9, b, b);\n}\n",
     false},
    {"two calls",
     LOOP
     "double a[9], b[9];\nvoid f(void)\n{\n    loop(9, a, b);\n    loop(9, b, a);\n}\n",
     true},
    {"a pointer to the function",
     LOOP "double a[9], b[9];\nvoid (*g)(int, double *, double *) = loop;\n"
          "void f(void)\n{\n    loop(9, a, b);\n}\n",
     false},
    {"others may call it",
     "void loop(int n, double *p, double *q)\n{\n    for (int i = 0; i < n; i++)\n"
     "        p[i] = q[i];\n}\ndouble a[9], b[9];\nvoid f(void)\n{\n    loop(9, a, "
     "b);\n}\n",
     false},
    {"two fields of one struct",
     LOOP "struct s { double a[9], b[9]; };\nvoid f(struct s *s)\n{\n"
          "    loop(9, s->a, s->b);\n}\n",
     true},
    {"one field of two structs that may be one",
     LOOP "struct s { double a[9]; };\nvoid f(struct s *s, struct s *t)\n{\n"
          "    loop(9, s->a, t->a);\n}\n",
     false},
    {"two fields of two structs of one type",
     LOOP "struct s { double a[9], b[9]; };\nvoid f(struct s *s, struct s *t)\n{\n"
          "    loop(9, s->a, t->b);\n}\n",
     true},
    {"members of a union",
     LOOP "union u { double a[9], b[9]; };\nvoid f(union u *u)\n{\n"
          "    loop(9, u->a, u->b);\n}\n",
     false},
    {"two fields that are pointers",
     LOOP "struct s { double *a, *b; };\nvoid f(struct s *s)\n{\n"
          "    loop(9, s->a, s->b);\n}\n",
     false},
    {"new blocks",
     LOOP "#include <stdlib.h>\nvoid f(void)\n{\n    double *a = malloc(72), *b;\n"
          "    b = calloc(9, 8);\n    loop(9, a, b);\n    free(a);\n    free(b);\n}\n",
     true},
    {"a new block and a copy of it",
     LOOP "#include <stdlib.h>\nvoid f(void)\n{\n    double *a = malloc(72), *b = a;\n"
          "    loop(9, a, b);\n}\n",
     false},
    {"a new block that is set to another",
     LOOP "#include <stdlib.h>\nvoid f(void)\n{\n    double *a = malloc(72);\n"
          "    double *b = malloc(72);\n    b = a;\n    loop(9, a, b);\n}\n",
     false},
    {"a pointer to the variable before the call",
     LOOP
     "#include <stdlib.h>\nvoid g(double **);\nvoid f(void)\n{\n"
     "    double *a = malloc(72), *b = malloc(72);\n    g(&a);\n    loop(9, a, b);\n}\n",
     false},
    {"a pointer to the variable behind the call",
     LOOP
     "#include <stdlib.h>\nvoid g(double **);\nvoid f(void)\n{\n"
     "    double *a = malloc(72), *b = malloc(72);\n    loop(9, a, b);\n    g(&a);\n}\n",
     true},
    {"a pointer to the variable behind the call in a loop",
     LOOP "#include <stdlib.h>\nvoid g(double **);\nvoid f(void)\n{\n"
          "    double *a = malloc(72), *b = malloc(72);\n"
          "    for (int k = 0; k < 2; k++) {\n        loop(9, a, b);\n        g(&a);\n"
          "    }\n}\n",
     false},
    {"a new block and a parameter, which is older",
     LOOP "#include <stdlib.h>\nvoid f(double *b)\n{\n    double *a = malloc(72);\n"
          "    loop(9, a, b);\n}\n",
     true},
    {"a new block and a parameter that is set",
     LOOP "#include <stdlib.h>\nvoid f(double *b)\n{\n    double *a = malloc(72);\n"
          "    b = a;\n    loop(9, a, b);\n}\n",
     false},
    {"what the caller's callers give",
     LOOP "double a[9], b[9];\nstatic void g(double *a, double *b)\n{\n"
          "    loop(9, a, b);\n}\nvoid f(void)\n{\n    g(a, b);\n}\n",
     true},
    {"what one of the caller's callers gives",
     LOOP "double a[9], b[9];\nstatic void g(double *a, double *b)\n{\n"
          "    loop(9, a, b);\n}\nvoid f(void)\n{\n    g(a, b);\n    g(a, a);\n}\n",
     false},
};

#define MESH                                                                             \
    "#include <cstdlib>\n#include <vector>\n"                                            \
    "template <class T> T *make(std::size_t n)\n{\n"                                     \
    "    return static_cast<T *>(malloc(n * sizeof(T)));\n}\n"                           \
    "struct Mesh {\n    std::vector<double> m_x, m_y;\n    double *m_p, *m_q;\n"         \
    "    std::vector<double> &m_r;\n    double m_a[9], m_b[9];\n"                        \
    "    double &x(int i) { return m_x[i]; }\n    double &y(int i) { return m_y[i]; }\n" \
    "    double &again(int i) { return m_x[i]; }\n"                                      \
    "    double &p(int i) { return m_p[i]; }\n    double &q(int i) { return m_q[i]; }\n" \
    "    double &r(int i) { return m_r[i]; }\n    double &a(int i) { return m_a[i]; }\n" \
    "    double &b(int i) { return m_b[i]; }\n};\n" LOOP

static const struct pair_case in_cxx[] = {
    {"two vectors of one object",
     MESH "void f(Mesh &m)\n{\n    loop(9, &m.x(0), &m.y(0));\n}\n", true},
    {"two vectors of two objects",
     MESH "void f(Mesh &m, Mesh &o)\n{\n    loop(9, &m.x(0), &o.y(0));\n}\n", true},
    {"one vector of two objects that may be one",
     MESH "void f(Mesh &m, Mesh &o)\n{\n    loop(9, &m.x(0), &o.x(0));\n}\n", false},
    {"one vector of two variables",
     MESH "void f(Mesh m, Mesh o)\n{\n    loop(9, &m.x(0), &o.x(0));\n}\n", true},
    {"one vector by two names",
     MESH "void f(Mesh &m)\n{\n    loop(9, &m.x(0), &m.again(0));\n}\n", false},
    {"two pointers of one object",
     MESH "void f(Mesh &m)\n{\n    loop(9, &m.p(0), &m.q(0));\n}\n", false},
    {"a pointer and a vector",
     MESH "void f(Mesh &m)\n{\n    loop(9, &m.p(0), &m.x(0));\n}\n", false},
    {"a reference to a vector",
     MESH "void f(Mesh &m)\n{\n    loop(9, &m.r(0), &m.x(0));\n}\n", false},
    {"two arrays of one object",
     MESH "void f(Mesh &m)\n{\n    loop(9, &m.a(0), &m.b(0));\n}\n", true},
    {"a new block and a vector",
     MESH "void f(Mesh &m)\n{\n    double *t = make<double>(9);\n"
          "    loop(9, t, m.m_x.empty() ? nullptr : &m.x(0));\n    free(t);\n}\n",
     false},
    {"a new block and a vector that may be empty",
     MESH "void f(Mesh &m, bool b)\n{\n    double *t = make<double>(9);\n"
          "    loop(9, t, b ? &m.x(0) : nullptr);\n    free(t);\n}\n",
     true},
    {"new in its place",
     MESH "#include <new>\nvoid f(Mesh &m)\n{\n"
          "    double *t = new (&m.x(0)) double[9];\n    loop(9, t, &m.x(0));\n}\n",
     false},
    {"new",
     MESH "void f(Mesh &m)\n{\n    double *t = new double[9];\n"
          "    loop(9, t, &m.x(0));\n    delete[] t;\n}\n",
     true},
    {"a parameter and a vector",
     MESH "void f(Mesh &m, double *t)\n{\n    loop(9, t, &m.x(0));\n}\n", false},
    {"a parameter that always is a new block, and a vector",
     MESH "static void g(Mesh &m, double t[])\n{\n    loop(9, t, &m.x(0));\n}\n"
          "void f(Mesh &m)\n{\n    double *t = make<double>(9);\n    g(m, t);\n}\n",
     true},
    {"a template calls it",
     MESH "template <class T> void g(T t)\n{\n    loop(9, t, t);\n}\n"
          "void f(Mesh &m)\n{\n    loop(9, &m.x(0), &m.y(0));\n    g(&m.x(0));\n}\n",
     false},
    {"parameters that are vectors",
     MESH "void f(std::vector<double> &a, std::vector<double> &b)\n{\n"
          "    loop(9, a.data(), b.data());\n}\n",
     false},
    {"vectors of the function's own",
     MESH "void f()\n{\n    std::vector<double> a(9), b(9);\n"
          "    loop(9, a.data(), b.data());\n}\n",
     true},
};

static void check_pairs(const char *path, const struct pair_case *all, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        bool apart = are_apart(path, all[i].text, "p", "q");
        if (apart != all[i].apart)
            check_str(apart ? "apart" : "perhaps one", all[i].what);
    }
}

TEST("of C, arrays that all calls tell apart")
{
    check_pairs("k.c", in_c, ARRAY_SIZE(in_c));
}

TEST("of C++, arrays that all calls tell apart")
{
    check_pairs("k.cpp", in_cxx, ARRAY_SIZE(in_cxx));
}
