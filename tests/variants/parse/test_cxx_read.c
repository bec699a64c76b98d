/* What is read of C++ and what is refused, with the sentence. */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/random.h"
#include "tests/check.h"
#include "tests/variants/harness_kernels.h"
#include "variants/clang/clang_tree.h"
#include "variants/kernel/kernel.h"
#include "variants/kernel/kernel_view.h"
#include "variants/plan/plan.h"

SUITE(variants_cxx_read);

#define SUM  "double f(int n, const double *x)\n{\n    double s = 0;\n"
#define LOOP "    for (int i = 0; i < n; i++)\n"
#define END  "    return s;\n}\n"

#define BASE "struct B {\n    int a;\n    double v;\n};\n"

#define FOR                                                                              \
    "template <class F> void each(int n, F f)\n{\n    for (int i = 0; i < n; i++)\n    " \
    "    "                                                                               \
    "f(i);\n}\n"

static int open_text(const char *text, const char *function, struct kernel **kernel,
                     struct error *err)
{
    char *path = fixture_file("read.cpp", text);
    struct kernel_request request = {.path = path, .function = function};
    int status = kernel_open(&request, kernel, err);
    free(path);
    return status;
}

/* ---- refused ---- */

static const struct {
    const char *what, *source, *sentence; /* behind "read.cpp:" */
} refused[] = {
    {"a template",
     "template <class T> T f(int n, T *x)\n{\n    T s = 0;\n" LOOP
     "        s += x[i];\n" END,
     "1:22: the C++ function 'f' cannot be read: a function template; write the loop as "
     "a "
     "function for one type, which the template may call"},
    {"a class template",
     "template <class T> struct A {\n    int n;\n    T *x;\n    void f()\n    {\n" LOOP
     "            x[i] = 0;\n    }\n};\n",
     "4:10: the C++ function 'A::f' cannot be read: a member of a class template"},
    {"a vector",
     "#include <vector>\ndouble f(const std::vector<double> &x)\n{\n    double s = 0;\n"
     "    for (int i = 0; i < 9; i++)\n        s += x[i];\n" END,
     "2:37: the C++ function 'f' cannot be read: an object of the class "
     "'std::vector<double>'; "
     "pass the pointer that data() gives, and the size, as parameters"},
    {"a vector of the function's own",
     "#include <vector>\n" SUM "    std::vector<double> y(n);\n" LOOP
     "        s += y[i];\n" END,
     "5:25: the C++ function 'f' cannot be read: an object of the class "
     "'std::vector<double>'"},
    {"a reference to what a call gives",
     "double &pick(double *x);\ndouble f(int n, double *x)\n{\n    double &s = "
     "pick(x);\n" LOOP "        s += x[i];\n" END,
     "4:13: the C++ function 'f' cannot be read: a reference to what an expression "
     "gives, 's'"},
    {"a reference to one of two",
     "double f(int n, double *x)\n{\n    double &s = n > 3 ? x[3] : x[0];\n" LOOP
     "        s += x[i];\n" END,
     "3:13: the C++ function 'f' cannot be read: a reference to what an expression "
     "gives, 's'"},
    {"a user's own copy",
     "struct A {\n    double v;\n    A &operator=(const A &a)\n    {\n        v = a.v + "
     "1;\n        return *this;\n    }\n};\nvoid f(int n, A *x, const A *y)\n{\n" LOOP
     "        x[i] = y[i];\n}\n",
     "12:9: the C++ function 'f' cannot be read: the overloaded operator "
     "'A::operator='"},
    {"a user's own copy of a part",
     "struct B {\n    double v;\n    B(const B &b) : v(b.v + 1) {}\n};\nstruct A {\n    "
     "B b;\n};\nvoid f(int n, double *x, const A *y)\n{\n" LOOP
     "    {\n        A a = y[i];\n        x[i] = a.b.v;\n    }\n}\n",
     "12:11: the C++ function 'f' cannot be read: an object of the class 'A'"},
    {"a range-based loop",
     "double f()\n{\n    double s = 0, x[4] = {1, 2, 3, 4};\n    for (double v : x)\n"
     "        s += v;\n" END,
     "4:5: the C++ function 'f' cannot be read: a range-based for loop; count with an "
     "index "
     "instead"},
    {"a lambda",
     SUM "    auto g = [](double v) { return v * v; };\n" LOOP
         "        s += g(x[i]);\n" END,
     "4:"},
    {"an exception", SUM LOOP "        if (x[i] < 0)\n            throw 1;\n" END,
     "6:13: the C++ function 'f' cannot be read: an exception (throw); check before the "
     "loops and "
     "throw in the function around it"},
    {"a handler",
     SUM "    try {\n" LOOP "        s += x[i];\n    } catch (...) {\n    }\n" END,
     "4:5: the C++ function 'f' cannot be read: an exception handler (try)"},
    {"new", SUM LOOP "        s += *new double(x[i]);\n" END,
     "5:15: the C++ function 'f' cannot be read: new; pass the memory to the function "
     "instead"},
    {"a virtual method",
     "struct A {\n    int n;\n    double *x;\n    virtual void f()\n    {\n" LOOP
     "            x[i] = 0;\n    }\n};\n",
     "4:18: the C++ function 'A::f' cannot be read: a virtual method; move the loop to a "
     "method "
     "that is not, which this one may call"},
    {"an operator",
     "struct A {\n    int n;\n    double *x;\n    void operator()()\n    {\n" LOOP
     "            x[i] = 0;\n    }\n};\n",
     "4:10: the C++ function 'A::operator()' cannot be read: an overloaded operator"},
    {"a constructor",
     "struct A {\n    double x[9];\n    A()\n    {\n        for (int i = 0; i < 9; i++)\n"
     "            x[i] = 0;\n    }\n};\n",
     "3:5: the C++ function 'A::A' cannot be read: a constructor or destructor"},
    {"a called method",
     "struct A {\n    double *x;\n    double at(int i) const { return x[i]; }\n    "
     "double "
     "f(int n) const\n    {\n        double s = 0;\n" LOOP "            s += at(i);\n" END
     "};\n",
     "8:18: the C++ function 'A::f' cannot be read: a call of 'A::at'; write what it "
     "does in the "
     "loop, or make it a function"},
    {"an element of a vector in a class",
     "#include <vector>\nstruct A {\n    std::vector<double> x;\n    void f(int n)\n    "
     "{\n" LOOP "            x[i] = 0;\n    }\n};\n",
     "7:13: the C++ function 'A::f' cannot be read: "},
    {"a complex number",
     "#include <complex>\nvoid f(int n, std::complex<double> *x)\n{\n" LOOP
     "        x[i] = x[i] * x[i];\n}\n",
     "5:"},
    {"a called template",
     "template <class T> T twice(T x) { return x + x; }\n" SUM LOOP "        s += "
     "twice(x[i]);\n" END,
     "6:14: the C++ function 'f' cannot be read: a call of the function template "
     "'twice'; call a "
     "function for one type"},
    {"a reference to a pointer",
     "void f(int n, double *&x)\n{\n" LOOP "        x[i] = 0;\n}\n",
     "1:24: the C++ function 'f' cannot be read: a reference to a pointer or an array, "
     "'x'; pass "
     "the pointer itself"},
    {"a declaration in a condition",
     SUM LOOP "        if (double v = x[i])\n            s += v;\n" END, "5:"},
    {"a reference beside text",
     SUM LOOP
     "    {\n        const double &v = x[i];\n        while (s < v)\n            "
     "s += v;\n    }\n" END,
     "6:23: the C++ function 'f' cannot be read: a reference in a function with while, "
     "switch, "
     "labels or lists of initialisers; use a pointer"},
    {"a field that another hides",
     BASE
     "struct A : B {\n    int v;\n};\ndouble f(int n, const A *x)\n{\n    double s = "
     "0;\n" LOOP "        s += x[i].B::v;\n" END,
     "12:22: the C++ function 'f' cannot be read: a field of a base class by that "
     "class's name, "
     "'v'; give the field a name that no other has"},
    {"a field of a virtual base class",
     BASE
     "struct A : virtual B {\n    int w;\n};\nvoid f(A &x)\n{\n    for (int i = 0; i "
     "< x.a; i++)\n        x.w = 0;\n}\n",
     "10:27: the C++ function 'f' cannot be read: a field of a virtual base class, 'a'; "
     "pass it "
     "as "
     "a parameter"},
    {"a field of a base class that is there twice",
     BASE "struct C : B {};\nstruct D : B {};\nstruct A : C, D {\n    int w;\n};\nvoid "
          "f(A &x)\n{\n    for (int i = 0; i < x.C::a; i++)\n        x.w = 0;\n}\n",
     "12:30: the C++ function 'f' cannot be read: a field of a base class that the "
     "object has "
     "more "
     "than once, 'a'; pass it as a parameter"},
    {"a field that may lie in either of two places",
     "struct B {\n    B() {}\n    double v;\n    int a;\n};\nstruct C {\n    int c;\n};\n"
     "struct A : B, C {};\ndouble f(int n, const A *x)\n{\n    double s = 0;\n" LOOP
     "        s += x[i].c;\n" END,
     "14:19: the C++ function 'f' cannot be read: a field of a base class whose place in "
     "the "
     "object is not known, 'c'; pass it as a parameter"},
    {"a pointer to a base class",
     BASE
     "struct A : B {\n    int w;\n};\ndouble f(int n, const A *x)\n{\n    double s = "
     "0;\n" LOOP "        s += static_cast<const B *>(x)[i].v;\n" END,
     "12:37: the C++ function 'f' cannot be read: a conversion of 'A' to 'B', of which "
     "one is a "
     "base class of the other; use the object's fields as they are"},
    {"a reference to a base class",
     BASE "struct A : B {\n    int w;\n};\nvoid f(int n, A *x)\n{\n" LOOP
          "    {\n        B &y = x[i];\n        y.v = 0;\n    }\n}\n",
     "12:16: the C++ function 'f' cannot be read: a conversion of 'A' to 'B'"},
    {"a cast to a derived class",
     BASE "struct A : B {\n    int w;\n};\nvoid f(int n, B *x)\n{\n" LOOP
          "        static_cast<A *>(x)[i].w = 0;\n}\n",
     "11:9: the C++ function 'f' cannot be read: a conversion of 'B' to 'A'"},
    {"a lambda that returns",
     FOR "void f(int n, double *y)\n{\n    each(n, [=](int i) {\n        if (y[i] > 0)\n "
         "           return;\n        y[i] = 1;\n    });\n}\n",
     "10:13: the C++ function 'f' cannot be read: a return statement in a lambda; put "
     "what "
     "follows it under a condition"},
    {"a lambda's copy of what changes",
     FOR "void f(int n, double *y)\n{\n    double a = 1, *p = &a;\n    each(n, [=](int "
         "i) { *p = y[i] = a; });\n}\n",
     "9:38: the C++ function 'f' cannot be read: a lambda that has a copy of 'a', which "
     "may "
     "differ from the variable"},
    {"a lambda's copy of an array",
     FOR "void f(int n, double *y)\n{\n    double a[2] = {1, 2};\n    each(n, [=](int i) "
         "{ y[i] = a[i % 2]; });\n}\n",
     "9:33: the C++ function 'f' cannot be read: a lambda that has a copy of 'a'"},
    {"a lambda's copy of a reference",
     FOR "void f(int n, double &a, double *y)\n{\n    each(n, [y, a](int i) { y[i] = a; "
         "});\n}\n",
     "8:36: the C++ function 'f' cannot be read: a lambda that has a copy of 'a'"},
    {"a lambda that changes its bound",
     FOR "void f(int n, double *y)\n{\n    each(n, [&](int i) { y[i] = n--; });\n}\n",
     "8:10: the C++ function 'f' cannot be read: a bound of 'each' that may change, or "
     "is of "
     "another type than its parameter; read it into a variable of that type before the "
     "call"},
    {"a bound that another lambda changes",
     FOR "void f(int n, double *y)\n{\n    auto less = [&] { n--; };\n    each(n, "
         "[&](int i) { y[i] = 1; less(); });\n}\n",
     "9:10: the C++ function 'f' cannot be read: a bound of 'each' that may change"},
    {"a bound that a call gives",
     FOR "int size();\nvoid f(double *y)\n{\n    each(size(), [=](int i) { y[i] = 1; "
         "});\n}\n",
     "9:10: the C++ function 'f' cannot be read: a bound of 'each' that may change"},
    {"a bound of the counter's name",
     FOR "void f(int i, double *y)\n{\n    each(i, [=](int i) { y[i] = 1; });\n}\n",
     "8:10: the C++ function 'f' cannot be read: a bound of 'each' that may change"},
    {"a lambda of another number",
     FOR "void f(int n, double *y)\n{\n    each(n, [=](short i) { y[i] = 1; });\n}\n",
     "8:23: the C++ function 'f' cannot be read: a lambda whose parameter is not a "
     "'int', like the number that 'each' passes; give it that type"},
    {"a lambda that changes its number",
     FOR "void f(int n, double *y)\n{\n    each(n, [=](int i) { y[i++] = 1; });\n}\n",
     "8:28: the C++ function 'f' cannot be read: a lambda that changes its parameter "
     "'i'"},
    {"a lambda that keeps a number",
     FOR "void f(int n, double *y)\n{\n    int k = 0;\n    each(n, [=](int i) mutable { "
         "y[i] = k++; });\n}\n",
     "9:13: the C++ function 'f' cannot be read: a lambda that is more than captures, a "
     "parameter "
     "and a body; write a for loop with its body in place of this call"},
    {"a lambda with a variable of its own",
     FOR
     "void f(int n, double *y)\n{\n    each(n, [y, k = n](int i) { y[i] = k; });\n}\n",
     "8:13: the C++ function 'f' cannot be read: a lambda that captures 'k = n'; make "
     "that a "
     "variable before the call"},
    {"a lambda's copy that another name changes",
     FOR
     "void f(int n, double *y)\n{\n    double a = 1;\n    auto more = [&r = a] { r += 1; "
     "};\n    each(n, [=](int i) { y[i] = a; });\n    more();\n}\n",
     "10:26: the C++ function 'f' cannot be read: a lambda that has a copy of 'y'"},
    {"a lambda under a pragma of a macro",
     "#define FAST _Pragma(\"omp parallel for\")\ntemplate <class F> void each(int n, F "
     "f)\n{\n"
     "    FAST /* all */ for (int i = 0; i < n; i++) f(i);\n}\nvoid f(int n, double "
     "*y)\n{\n"
     "    each(n, [=](int i) { y[i] = 1; });\n}\n",
     "8:5: the C++ function 'f' cannot be read: a lambda passed to 'each' (read.cpp:3), "
     "whose loop is under a pragma or a condition; write that loop, under that pragma, "
     "with the "
     "lambda's body in place of this call"},
    {"a lambda within an if",
     FOR "void f(int n, double *y)\n{\n    if (n > 3)\n        each(n, [=](int i) { y[i] "
         "= 1; });\n}\n",
     "9:9: the C++ function 'f' cannot be read: a call with a lambda within a statement; "
     "write it "
     "as a statement of its own in braces"},
    {"a lambda given to what does more",
     FOR
     "struct Policy {\n    int n;\n};\ntemplate <class F> void other(const char *name, "
     "Policy p, const F &f)\n{\n    (void)name;\n    each(p.n, f);\n}\nvoid f(int n, "
     "double *y)\n{\n    other(\"y\", Policy{n}, [=](int i) { y[i] = 1; });\n}\n",
     "16:5: the C++ function 'f' cannot be read: a lambda passed to 'other' "
     "(read.cpp:10), which is not a template that only counts from one number to another "
     "and calls it; write a for "
     "loop with the lambda's body in place of this call"},
    {"several of one name",
     "void f(int n, float *x)\n{\n" LOOP "        x[i] = 0;\n}\nvoid f(int n, double "
     "*x)\n{\n" LOOP "        x[i] = 0;\n}\n",
     " several functions are called 'f'; there are: 'f' (line 1), 'f' (line 6); give one "
     "by its line, FILE:LINE"},
};

TEST("what is no C is refused")
{
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
        struct kernel *kernel = NULL;
        struct error err = {0};
        char *want = xasprintf("read.cpp:%s", refused[i].sentence);
        const char *function =
            strstr(refused[i].sentence, "an ov") || strstr(refused[i].sentence, "a cons")
                ? NULL
                : "f";
        check(open_text(refused[i].source, function, &kernel, &err) < 0);
        check_eq(err.status, STATUS_INPUT);
        check_contains(err.text, want);
        if (!strstr(err.text, want))
            printf("that is %s\n", refused[i].what);
        free(want);
        kernel_free(kernel);
    }
}

/* ---- read ---- */

static const struct {
    const char *what, *source, *name, *symbol;
} read[] = {
    {"a function", SUM LOOP "        s += x[i];\n" END, "f", "_Z1fiPKd"},
    {"of C", "extern \"C\" {\n" SUM LOOP "        s += x[i];\n" END "}\n", "f", "f"},
    {"in a namespace", "namespace a::b {\n" SUM LOOP "        s += x[i];\n" END "}\n",
     "f", "_ZN1a1b1fEiPKd"},
    {"a method",
     "class A {\n    int n;\n    double *x;\n    void f()\n    {\n" LOOP
     "            x[i] = 0;\n    }\n};\n",
     "f", "_ZN1A1fEv"},
    {"with fields of base classes",
     BASE "template <class T> struct C {\n    T *p;\n};\nstruct A : B, C<double> {\n    "
          "double w;\n};\nvoid f(A &x)\n{\n    for (int i = 0; i < x.a; i++)\n        "
          "x.p[i] = x.v * x.w;\n}\n",
     "f", "_Z1fR1A"},
    {"a lambda that a template calls with each number",
     FOR
     "void f(int n, double a, const double *x, double *y)\n{\n    each(n, [=](int i) { "
     "y[i] += a * x[i]; });\n}\n",
     "f", "_Z1fidPKdPd"},
    {"one of two",
     "struct A {\n    static void f(int n, double *x);\n};\nvoid A::f(int n, double *x)\n"
     "{\n" LOOP "        x[i] = 0;\n}\n" SUM LOOP "        s += x[i];\n" END,
     "f", "_Z1fiPKd"},
    {"spellings",
     "#include <cmath>\n#include <cstddef>\nusing real = double;\nauto f(std::size_t n, "
     "real const *const x) noexcept -> real\n{\n    constexpr int skip{1};\n    auto s = "
     "real{0};\n    for (auto i = std::size_t{0}; i < n; i += skip)\n        s += "
     "std::fma(static_cast<real>(x[i]), double(2), -0.0);\n" END,
     "f", "_Z1fmPKd"},
};

TEST("c in cplusplus is read")
{
    for (size_t i = 0; i < ARRAY_SIZE(read); i++) {
        struct kernel *kernel = NULL;
        struct error err = {0};
        if (!check_ok(open_text(read[i].source, "f", &kernel, &err), &err)) {
            printf("that is %s\n", read[i].what);
            continue;
        }
        check_str(kernel_name(kernel), read[i].name);
        check_str(kernel_symbol(kernel), read[i].symbol);
        check_eq(kernel_language(kernel), KERNEL_CPLUSPLUS);
        struct kernel_view view = kernel_view(kernel);
        check_eq(view.loop_nr, 1);
        for (size_t k = 0; k < view.loop_nr; k++)
            check_str(view.loop[k].why ? view.loop[k].why : "", "");
        kernel_free(kernel);
    }
}

/* Loops beside what stays as it is written; one of the two holds it, for `why`. */
static const struct {
    const char *what, *source, *why;
} beside[] = {
    {"a lambda",
     SUM "    auto g = [&](double v) { return s += v; };\n" LOOP
         "        s += x[i];\n" LOOP "        g(x[i]);\n" END,
     "line 8: the overloaded operator '(lambda at "},
    {"an exception",
     SUM LOOP "        s += x[i];\n" LOOP
              "        if (x[i] < 0)\n            throw 1;\n" END,
     "line 8: an exception (throw)"},
    {"a user's operator",
     "struct A {\n    double v;\n    A &operator+=(double d);\n};\n" SUM LOOP
     "        s += x[i];\n    A a{s};\n" LOOP "        a += x[i];\n" END,
     "line 12: the overloaded operator 'A::operator+='"},
    {"a reference that a vector gives",
     "#include <vector>\nstatic std::vector<double> v(4);\n" SUM
     "    double &r = v[1];\n" LOOP "        s += x[i];\n" LOOP
     "        r += x[i];\n" END,
     "line 10: a reference to what an expression gives, 'r'"},
    {"a structured binding",
     "struct A {\n    int a, b;\n};\n" SUM
     "    A both{n, 1};\n    auto &[first, second] = both;\n" LOOP
     "        s += x[i];\n" LOOP "        second += n;\n" END,
     "line 12: a name in a structured binding, 'second'"},
};

TEST("loops beside what is no C are read")
{
    for (size_t i = 0; i < ARRAY_SIZE(beside); i++) {
        struct kernel *kernel = NULL;
        struct error err = {0};
        bool open = check_ok(open_text(beside[i].source, "f", &kernel, &err), &err);
        struct kernel_view view = open ? kernel_view(kernel) : (struct kernel_view){0};
        if (!open || !check_eq(view.loop_nr, 2)) {
            printf("that is %s\n", beside[i].what);
        } else {
            check_str(view.loop[0].why ? view.loop[0].why : "", "");
            check_contains(view.loop[1].why ? view.loop[1].why : "", beside[i].why);
        }
        kernel_free(kernel);
    }
}

/* Whose address goes where nobody sees it may be what a pointer from there leads to. */
TEST("what names a variable may keep its address")
{
    static const struct {
        const char *what;
        bool keeps;
    } shown[] = {{"", false},
                 {"    by_value(t);\n    made_by_value(t);\n", false},
                 {"    by_reference(t);\n", true},
                 {"    by_constant(t);\n", true},
                 {"    made_by_reference(t);\n", true},
                 {"    auto g = [&] { return t; };\n", true}};
    for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
        char *text = xasprintf(
            "extern int *p;\nvoid by_value(int);\nvoid by_reference(int &);\nvoid "
            "by_constant(const int &);\ntemplate <class T> void made_by_value(T);\n"
            "template <class T> void made_by_reference(T &);\nvoid f(int n)\n{\n    int "
            "t "
            "= n / 2;\n%s" LOOP "        p[i] = t;\n}\n",
            shown[i].what);
        struct kernel *kernel = NULL;
        struct plan *plan = NULL;
        struct buf rests = {0};
        struct error err = {0};
        if (check_ok(open_text(text, "f", &kernel, &err), &err) &&
            check_ok(plan_parse("reverse(i)", &plan, &err), &err) &&
            check_ok(kernel_check(kernel, plan, &rests, &err), &err) &&
            !check_eq(strstr(buf_str(&rests), "'p' and 't' do not overlap") != NULL,
                      shown[i].keeps))
            printf("that is with\n%s", shown[i].what);
        buf_release(&rests);
        plan_free(plan);
        kernel_free(kernel);
        free(text);
    }
}

TEST("what references rest on is said")
{
    static const char source[] = "void f(const int &n, const double &a, int *k, double "
                                 "*x)\n{\n" LOOP "        x[i] *= a + k[i];\n}\n";
    struct kernel *kernel = NULL;
    struct error err = {0};
    if (!check_ok(open_text(source, "f", &kernel, &err), &err))
        return;
    struct kernel_view view = kernel_view(kernel);
    check_eq(view.assumption_nr, 0);
    struct plan *plan = NULL;
    struct buf rests = {0};
    if (check_ok(plan_parse("simd", &plan, &err), &err) &&
        check_ok(kernel_check(kernel, plan, &rests, &err), &err))
        check_contains(buf_str(&rests), "'x' and 'a' do not overlap (tested at run time");
    plan_free(plan);
    buf_release(&rests);
    kernel_free(kernel);
}

TEST("regions for threads are read where they are compiled")
{
    static const char source[] =
        "#ifdef _OPENMP\n#include <omp.h>\n#define SHIFT 1\n"
        "#else\n#define SHIFT 0\n#endif\nvoid f(int n, double *x)\n"
        "{\n" LOOP "        x[i + SHIFT] = 0;\n"
        "#ifdef _OPENMP\n" LOOP "        x[i] += 1;\n#endif\n}\n";
    char *path = fixture_file("read.cpp", source);
    for (int with = 0; with < 2; with++) {
        struct kernel *kernel = NULL;
        struct error err = {0};
        struct kernel_request request = {.path = path, .function = "f"};
        strvec_push(&request.cflags, with ? "-fopenmp" : "-fopenmp-simd");
        if (check_ok(kernel_open(&request, &kernel, &err), &err))
            check_eq(kernel_view(kernel).loop_nr, with ? 2 : 1);
        kernel_free(kernel);
        strvec_release(&request.cflags);
    }
    free(path);
}

/* ---- base classes ---- */

enum { HIERARCHIES = 200, CLASSES = 6 };

struct hierarchy {
    uint64_t random;
    struct buf text;
    int fields[CLASSES]; /* f<class>_<0 up> */
};

static int below(struct hierarchy *h, int nr)
{
    return (int)(random_next(&h->random) % (unsigned)nr);
}

static void add_class(struct hierarchy *h, int nr)
{
    static const char *const types[] = {"char", "int", "double", "short *", "bool"};
    static const char *const extra[] = {"virtual void late%d() {}", "K%d() {}",
                                        "virtual ~K%d() {}", "private:"};
    bool made = !below(h, 6);
    buf_addf(&h->text, made ? "template <class T> struct M%d" : "struct K%d", nr);
    for (int i = 0, bases = 0; i < nr && !made; i++)
        if (!below(h, 3))
            buf_addf(&h->text, "%sK%d", bases++ ? ", " : " : ", i);
    buf_add(&h->text, " {\n");
    for (int i = below(h, 6); i < (int)ARRAY_SIZE(extra) && !made; i += 1 + below(h, 4)) {
        buf_addf(&h->text, extra[i], nr);
        buf_add(&h->text, "\n");
    }
    h->fields[nr] = below(h, 4);
    for (int i = 0; i < h->fields[nr]; i++)
        if (nr && !below(h, 5))
            buf_addf(&h->text, "K%d f%d_%d;\n", below(h, nr), nr, i);
        else
            buf_addf(&h->text, "%s f%d_%d%s;\n", types[below(h, ARRAY_SIZE(types))], nr,
                     i, below(h, 4) ? "" : "[3]");
    buf_add(&h->text, "};\n");
    if (made)
        buf_addf(&h->text, "typedef M%d<int> K%d;\n", nr, nr);
}

static const struct ct_node *first_member(const struct ct_node *node)
{
    const struct ct_node *found = node->kind == CT_MEMBER ? node : NULL;
    for (size_t i = 0; i < node->child_nr && !found; i++)
        found = first_member(node->child[i]);
    return found;
}

/* false when it does not compile; `place` is empty when the field is not read. */
static bool place_of(const char *text, const char *field, struct buf *place)
{
    struct ir_arena *arena = ir_arena_new();
    struct ct_file file;
    struct strvec flags = {0};
    struct error err = {0};
    strvec_push(&flags, "-xc++");
    strvec_push(&flags, "-fno-access-control");
    bool compiles =
        !ct_open(&file, "read.cpp", text, strlen(text), &flags, arena, &err) &&
        !file.error_nr;
    if (compiles) {
        struct ct_function *f = &file.function[file.function_nr - 1];
        ct_read(&file, f, false);
        const struct ct_node *member = f->trouble.text ? NULL : first_member(f->body);
        if (member && check(member->field != NULL))
            buf_addf(place,
                     "static_assert(__builtin_offsetof(K%d, %s) == %zu && sizeof(K%d) == "
                     "%zu, \"\");\n",
                     CLASSES - 1, field, member->field->offset, CLASSES - 1,
                     member->field->record_bytes);
    }
    ct_close(&file);
    strvec_release(&flags);
    ir_arena_free(arena);
    return compiles;
}

/* The compiler itself is asked: it refuses the file when the place is another one. */
TEST("where fields of base classes lie")
{
    int asked = 0, known = 0;
    for (int i = 0; i < HIERARCHIES; i++) {
        struct hierarchy h = {.random = (uint64_t)i};
        struct buf place = {0}, again = {0};
        for (int k = 0; k < CLASSES; k++)
            add_class(&h, k);
        int of = below(&h, CLASSES - 1);
        if (h.fields[of]) {
            char *field = xasprintf("f%d_%d", of, below(&h, h.fields[of]));
            buf_addf(&h.text, "void *f(K%d *x)\n{\n    return &x[1].%s;\n}\n",
                     CLASSES - 1, field);
            if (place_of(buf_str(&h.text), field, &place)) {
                asked++;
                known += place.length > 0;
                buf_addf(&again, "%s%s", buf_str(&h.text), buf_str(&place));
                if (!check(place_of(buf_str(&again), field, &place)))
                    printf("that is\n%s", buf_str(&again));
            }
            free(field);
        }
        buf_release(&h.text);
        buf_release(&place);
        buf_release(&again);
    }
    check(asked > 20);
    check(known > asked / 2);
}
