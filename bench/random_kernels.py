"""Small kernels of the kinds that were once made into wrong code, with the calls that showed it: counters and bounds at the ends of their
types, aliases, sums of mixed types, clauses of OpenMP, macros with names of ours. Reproducible by seed. What they are called by is
bench/kernel_call.h."""
import re
from collections import namedtuple

from random_helpers import Helper

CLASSES = ("sums",  # of mixed types
           "counters",  # narrow, and at the ends of their ranges
           "globals",  # that are passed as arrays too
           "wraps",  # unsigned bounds that wrap around
           "clauses",  # of OpenMP
           "functions",  # named as those of <math.h> are
           "types",  # different ones in the same memory
           "macros",  # with the names that we would give
           "reused",  # variables of the whole function: bounds that are set in the loop, values that are needed behind it or not
           "overlaps",  # of parameters
           "builds",  # with other macros than the plan was made with
           *("forms",) * 2,  # loops that count in other ways than `for (int i = 0; i < n; i++)`
           *("rows",) * 2,  # of a sparse matrix: bounds of the inner loop that are read from memory
           *("helpers",) * 3)  # functions of the file with effects, see random_helpers.py; there are many kinds of them
WORK_MAX = 40000

# kind: 'i', 'u', 'f', 'b' (_Bool); start: of a sum
Number = namedtuple("Number", "name kind bits start")
NUMBERS = [Number(*row) for row in (
    ("signed char", "i", 8, "1"), ("unsigned char", "u", 8, "100"), ("short", "i", 16, "1000"), ("uint16_t", "u", 16, "30000"),
    ("int", "i", 32, "100000"), ("unsigned", "u", 32, "16777215"), ("long", "i", 64, "100000"), ("uint64_t", "u", 64, "1000000"),
    ("float", "f", 32, "16777215.0f"), ("double", "f", 64, "9007199254740991.0"), ("_Bool", "b", 8, "0"),
    ("uint32_t", "u", 32, "16777210"), ("int8_t", "i", 8, "2"), ("int16_t", "i", 16, "1000"), ("unsigned short", "u", 16, "30000"),
    ("long long", "i", 64, "100000"))]
INT, LONG, DOUBLE = NUMBERS[4], NUMBERS[6], NUMBERS[9]

# Some that a tool like ours would use, the likeliest more than once.
LIKELY_NAMES = ("it jt it jt i0 j0 a_0 b_0 s_0 it2 jt2 i_0 j_0 it_0 jts acc a_1 next end rest w x_0 t stop ib jb js lanes a_pack galpha_0 "
                "part out in to from a_line").split()
UNLIKELY_VALUES = ("i", "5", "0", "(a)", "", "+", "second")
FUNCTIONS = ("sqrt", "fabs", "exp", "floor", "sin", "cbrt")

# V stands for a number that is read, in these and in what is stored. The first ones set what the loop leaves behind, which a part of it may
# not. Not with schedule(dynamic): what LLVM's own runtime (19) leaves in `last` then is not always that of the last iteration.
LEAVING_CLAUSES = 4
CLAUSES = (("omp parallel for lastprivate(last)", "last = (int)V;"),
           ("omp parallel for schedule(static, 2) lastprivate(last)", "last = V > 1 ? 3 : 4;"),
           ("omp parallel for simd lastprivate(last)", "last = V > 1 ? 3 : 4;"),
           ("omp simd lastprivate(last)", "last = (int)V;"),
           ("omp parallel for firstprivate(last) schedule(static, 3)", None),
           ("omp parallel for reduction(+ : last)", "last += V > 1 ? 2 : 1;"),
           ("omp parallel for reduction(max : last) schedule(guided)", "last = last > (int)V + 5 ? last : (int)V + 5;"),
           ("omp parallel for schedule(dynamic, 2) reduction(+ : last)", "last += V > 1;"),
           ("omp parallel for ordered", "\n\t\t#pragma omp ordered\n\t\tlast = last / 2 + (int)V;"),
           ("omp simd linear(last : 2)", "last += 2;"),
           ("omp simd reduction(+ : last)", "last += V > 1;"),
           ("omp for", None),
           ("omp for schedule(static, 2) nowait", None),
           ("omp for reduction(+ : last)", "last += V > 1;"),
           ("omp parallel for collapse(2)", None))

# Of `end` and `t`, see "reused": what ends the inner loop, and what comes behind the loops.
ENDS = ("end = m;", "end = m / 2;", "end = m > 3 ? 3 : m;", "end = m / 2;\n\t\tif (second > 3)\n\t\t\tend = m;")
BEHIND = ("return 1;", "return t;", "if (second > 3)\n\t\tt = 5;\n\treturn t;", "t = 4;\n\treturn t;",
          "for (int k = 0; k < 3; k++) {\n\t\tt = k;\n\t\tend += t;\n\t}\n\treturn (int)end;")

# The outer loop, whose parameters are `first` and `second`.
HEADS = {"count": "i = 0; i < first; i++",
         "range": "i = first; i < second; i++",
         "up_to": "i = first; i <= second; i++",
         "down": "i = first - 1; i >= 0; i--",
         "steps": "i = 0; i < first; i += 3",
         "plus": "i = 0; i < first + second; i++",
         "minus": "i = 0; i < first - second; i++",
         "times": "i = 0; i < first * 0x80000001u; i++"}
BOUNDS = list(HEADS)
SUBSCRIPTS = (("i", "(i - first)"), ("i + 1", "i - first + 1"), ("2 * i", "2 * (i - first)"), ("i * 48 + j", "(i - first) * 48 + j"),
              ("j * 48 + i", "j * 48 + (i - first)"), ("j", "j"))


def extremes(number):
    """The smallest and the largest number of a type of integers, as far as `long long` has them."""
    bits = min(number.bits - (number.kind == "i"), 63)
    return (-(1 << bits) if number.kind == "i" else 0), (1 << bits) - 1


# How a loop counts: the statement that steps is the body's last, its first, or stands between others; declared: the counter is, where it is set.
Form = namedtuple("Form", "word step declared")
FORMS = [Form(word, step, declared) for word in ("while", "for") for step in ("last", "first", "between") for declared in (False, True)
         if word == "while" or step == "last"]

# Of "rows": the inner loop, with the row of the outer loop's iteration in the place of R, and how the kernel comes to the table of rows. Rows
# may be empty, begin anywhere, and change in the loop.
ROW_HEADS = ("for (J j = grow[R]; j < grow[R + 1]; j++)", "for (J j = grow[R]; j < grow[R + 1]; j++)",
             "int lo = grow[R], hi = grow[R + 1];\n\t\tfor (J j = lo; j < hi; j++)", "for (J j = grow[R + 1] - 1; j >= grow[R]; j--)",
             "for (J j = 0; j < grow[R] / 4; j++)", "for (J j = grow[R]; j < (grow[R] > 9 ? grow[R + 1] : 9); j += 2)")
ROW_TABLES = ("int", "int", "long", "short", "unsigned")
ROW_SUBSCRIPTS = ("j", "gcol[j]", "i * 0 + gcol[j]", "R * 48 + j", "gcol[j] + R", "R")
ROWS, ROW_END = 41, 100

# What the text of "builds" rests on: as it is, and what another build makes of it. COUNT is the bound of the inner loop, ROW the elements of a
# row, ELEMENT the type of a.
BUILDS = (("COUNT", "9", "5"), ("ROW", "48", "50"), ("FACTOR(x)", "(x)", "((x)*3)"), ("ELEMENT", None, None), ("LIMIT", None, "1"))


class Kernel:
    def __init__(self, seed, number):
        self.state = (seed * 1000003 + number) % 2**64
        self.what = CLASSES[number % len(CLASSES)]
        self.function, self.function_behind, self.clause, self.last, self.last_behind = None, False, None, None, False
        self.draw_numbers()
        self.draw_loops()
        self.ia, self.ib = self.subscript(True), self.subscript(False)
        self.draw_rows()
        self.restricted = self.what not in ("globals", "types", "overlaps") and self.below(4) > 0
        scalar = self.below(5) % 4 % 3 if self.what == "globals" else self.below(6)
        self.is_global, self.table, self.pointer = scalar == 0, scalar == 1, scalar == 2 and not self.restricted
        if self.what == "functions":
            self.function = FUNCTIONS[self.below(len(FUNCTIONS))]
            self.function_behind = self.below(3) == 0
        if self.what == "clauses":
            every = len(CLAUSES) - (0 if self.j else 1)
            self.clause, self.last = CLAUSES[self.below(LEAVING_CLAUSES if self.below(2) else every)]
            self.last_behind = self.below(3) == 0
        self.end, self.behind = ENDS[self.below(len(ENDS))], BEHIND[self.below(len(BEHIND))]
        self.limit = self.what == "reused" and self.below(3) == 0  # an element ends the inner loop
        self.draw_forms()
        self.draw_macros()
        self.draw_builds()
        self.draw_helpers()
        self.lines = []
        self.add_front()
        self.add_kernel()
        if self.function_behind:
            self.add_function()
        self.add_calls()
        self.text = "".join(self.lines)
        self.flags = "-fno-strict-aliasing" if self.what == "types" else ""
        real = self.sum and self.sum.kind == "f" or self.helpers and self.a.kind == "f"
        self.reassociate = not real  # without a floating-point sum the option must change nothing

    # splitmix64, as core/base/random.c has it
    def below(self, limit):
        self.state = (self.state + 0x9e3779b97f4a7c15) % 2**64
        z = self.state
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 % 2**64
        z = (z ^ z >> 27) * 0x94d049bb133111eb % 2**64
        return (z ^ z >> 31) % limit

    def some_number(self, kinds, bits):
        while True:
            number = NUMBERS[self.below(len(NUMBERS))]
            if number.kind in kinds and number.bits <= bits:
                return number

    # ---- what is drawn

    def draw_numbers(self):
        self.a = self.some_number("iuf", 64)
        self.b = self.a if self.below(3) else self.some_number("iuf", 64)
        self.sum = None
        if self.what == "sums":
            self.sum = self.some_number("u" if self.below(2) else "iufb", 64)
            self.b = self.some_number("f" if self.below(2) else "iu", 64)
        elif self.what not in ("clauses", "reused", "helpers") and self.below(4) == 0:
            self.sum = self.some_number("iuf", 64)
        if self.what == "functions":
            self.a = self.b = DOUBLE
        while self.what == "helpers" and self.a.bits == 8 and self.below(4):  # what such a pointer writes may be any variable
            self.a = self.some_number("iuf", 64)
        while self.what == "types" and self.b.kind == self.a.kind:
            self.b = self.some_number("iuf", 64)
        while self.what == "clauses" and self.b.kind == "f":
            self.b = self.some_number("iu", 32)
        if self.what == "overlaps" and self.below(4):
            self.b = self.a

    def draw_loops(self):
        wraps, clauses = self.what == "wraps", self.what == "clauses"
        self.i = self.some_number("u" if wraps else "iu", 64)
        while wraps and self.i.bits < 32:  # narrower ones become int
            self.i = self.some_number("u", 64)
        if self.what != "counters" and not wraps and self.below(3):
            self.i = INT if self.below(2) else LONG
        self.bounds = "count" if clauses else BOUNDS[5 + self.below(3)] if wraps else BOUNDS[self.below(5)]
        if self.bounds == "down" and self.i.kind == "u":
            self.bounds = "range"
        nested = self.below(6 if clauses else 3) > 0 or self.what in ("globals", "types", "reused", "builds")
        self.j = self.some_number("iu", 16 if self.what == "counters" else 64) if nested else None
        self.is_triangle = nested and self.bounds == "count" and not wraps and not clauses and self.below(5) == 0

    def subscript(self, of_a):
        fixed = of_a and self.what == "clauses"
        which = (3 if self.j else 0) + (0 if fixed else self.below(3))
        if self.j and not fixed and self.below(4) == 0:
            which = 0
        if of_a and self.what in ("globals", "types") and self.below(4):
            which = 5
        text = SUBSCRIPTS[which][self.bounds in ("range", "up_to")]
        return text.replace("48", "ROW") if self.what == "builds" else text

    def draw_forms(self):
        """Of the outer and of the inner loop; and whether the outer one's counter is returned."""
        self.outer_form = self.inner_form = None
        self.counter_used, self.pointers, self.pair = False, False, None
        if self.what == "forms":
            self.outer_form, self.inner_form = self.form_for(self.i), self.form_for(self.j or self.i)
            self.counter_used = not self.sum and self.below(2) == 0
            rows = [text for text in (self.ia, self.ib) if re.search(r"\bj\b", text)]
            self.pointers = bool(rows) and all(re.search(r"^(.* \+ )?j$", text) for text in rows) and self.ia in rows and self.below(2) == 0
            if self.below(3) == 0:  # a second iterator of the outer loop, with its start and its step
                self.outer_form = Form("for", "last", not self.counter_used)
                self.pair = ("second", "first", "5", "first - 1")[self.below(4)], ("k--", "k++", "k += 2", "k -= 3")[self.below(4)]

    def form_for(self, number):
        while True:
            form = FORMS[self.below(len(FORMS))]
            if form.step == "last" or number.bits >= 32:  # behind the step narrower ones may wrap around
                return form

    def draw_rows(self):
        """Neither the order of the rows nor where they begin is sure; the table may be the file's, a struct's, or a parameter that `a` is too."""
        self.row_head, self.row_from, self.row_changes = None, "file", False
        if self.what != "rows":
            return
        self.i, self.j = (INT, LONG)[self.below(2)], (INT, INT, LONG)[self.below(3)]
        self.bounds, self.is_triangle = ("count", "count", "range", "down")[self.below(4)], False
        row = "(i - first)" if self.bounds == "range" else "i"
        self.row_head = ROW_HEADS[self.below(len(ROW_HEADS))].replace("R", row).replace("J", self.j.name)
        self.row_type = ROW_TABLES[self.below(len(ROW_TABLES))]
        if "--" in self.row_head or "- 1" in self.row_head:
            self.row_type = "int"
        self.row_from = ("file", "struct", "parameter", "parameter")[self.below(4)]
        self.row_changes = self.below(6) == 0
        self.ia, self.ib = (ROW_SUBSCRIPTS[self.below(len(ROW_SUBSCRIPTS))].replace("R", row) for _ in range(2))
        if self.below(2):  # as people write it
            self.sum, self.ib = self.some_number("iuf", 64), "gcol[j]"
        kind, end = self.below(4), 0
        self.row_table = [end]
        for number in range(ROWS):
            end = min(ROW_END, end + self.below(6) * (kind < 2 or self.below(2)))
            self.row_table.append(self.below(ROW_END) if kind == 3 and self.below(4) == 0 else end)
        self.row_table = self.row_table[:ROWS]

    def draw_macros(self):
        self.macros = {}
        for _ in range(2 + self.below(5) if self.what == "macros" else 0):
            name = LIKELY_NAMES[self.below(len(LIKELY_NAMES))]
            while name in self.macros:
                name = LIKELY_NAMES[self.below(len(LIKELY_NAMES))]
            self.macros[name] = UNLIKELY_VALUES[self.below(len(UNLIKELY_VALUES))]

    def draw_builds(self):
        """A macro for each, of which another build has one or two in another way."""
        self.other = ""
        if self.what != "builds":
            return
        narrow = "float" if self.a.kind == "f" else "short"
        for _ in range(1 + self.below(2)):
            name, _, value = BUILDS[self.below(len(BUILDS))]
            self.other += " -D%s=%s" % (name, narrow if name == "ELEMENT" else value)
        self.wide, self.a = self.a.name, self.a._replace(name="element")

    def draw_helpers(self):
        """With what they may change: `work`, which is the file's, the kernel's own or a parameter, `t` and `k` of the kernel, a struct's rows."""
        self.helpers, self.box, self.counting, self.work, self.hides = [], False, False, None, False
        if self.what != "helpers":
            return
        self.box, self.counting, self.hides = self.below(3) == 0, self.below(6) == 0, self.below(6) == 0
        self.work = ("gwork", "work", "own")[self.below(3)]
        for number in range(1 + self.below(4)):
            self.helpers.append(Helper(number, self, self.helpers[:]))

    # ---- the kernel's text

    def add(self, text):
        self.lines.append(text)

    def outer(self):
        return "for (%s %s)" % (self.i.name, HEADS[self.bounds])

    def inner(self, end=False):
        if self.row_head:
            return self.row_head if not end else self.row_head.replace("grow", {"struct": "matrix->row", "parameter": "row"}.get(self.row_from, "grow"))
        bound = ("i" if self.is_triangle else "COUNT" if self.what == "builds" else "glimit[1]" if end and self.limit else
                 "end" if end else "m")
        return "for (%s j = 0; j < %s; j++)" % (self.j.name, bound)

    def form(self, form, ib):
        """With the element written in the place of A, the value read in the place of V."""
        scalar = " * galpha" if self.is_global else " * gtable[2]" if self.table else " * *p" if self.pointer else ""
        value = ("%s(b[%s])%s" % (self.function, ib, scalar)) if self.function else "b[%s]%s" % (ib, scalar)
        if self.what == "builds":
            value = "FACTOR(%s)" % value
        return "".join("a[%s]" % self.ia if c == "A" else "(%s)" % value if c == "V" else c for c in form)

    # Integers stay small.
    def store(self):
        real = self.b.kind == "f" or ((self.is_global or self.table or self.pointer) and self.a.kind == "f")
        forms = (("A = A * 0.5 + V;", "A = V;", "A += V;", "A = -V;") if self.a.kind == "f" else
                 ("A = A / 2 + (V > 1 ? 3 : 1);", "A = V > 1;", "A = A ^ (V > 1 ? 5 : 3);", "if (V > 1)\n\t\t\t\tA = 3;") if real else
                 ("A = (A / 2 + V) & 0x3f;", "A = V & 0x7f;", "A = (A ^ V) & 0x7f;", "A = V > 2 ? 3 : A;"))
        self.add("\t\t\t%s\n" % self.form(forms[self.below(4)], self.ib))

    def add_sum(self):
        forms = ("s += V;", "s += V * 0.5f;", "s += V > 1;", "s += (V > 1) * 3;", "s -= V;", "s = V > s ? V : s;", "s = V - s;",
                 "s += V * V;", "s = V + s;", "if (V > 1)\n\t\t\t\ts += V;")
        self.add("\t\t\t%s\n" % self.form(forms[self.below(len(forms))], self.ib))

    def add_loop(self, form, number, name, head, add_body, margin):
        """A loop of that form around what add_body adds."""
        start, condition, step = head[head.index("(") + 1:-1].split("; ")
        start = "%s = %s" % (name, start.split(" = ", 1)[1])
        if number is self.i and self.pair and name == "i":
            start, step = "%s, k = %s" % (start, self.pair[0]), "%s, %s" % (step, self.pair[1])
            start = (self.i.name + " " if form.declared else "") + start
        else:
            self.add("%s%s%s;\n" % (margin, number.name + " " if form.declared else "", start))
        self.add(margin + ("for (%s; %s; %s) {\n" % (start, condition, step) if form.word == "for" else "while (%s) {\n" % condition))
        step = "%s\t%s;\n" % (margin, step)
        behind = "(%s %s)" % (name, {"++": "- 1", "--": "+ 1"}.get(step.strip()[-3:-1], "- 3"))
        if form.step == "first":
            self.add(step)
        begin = len(self.lines)
        add_body()
        body = "".join(self.lines[begin:])
        moved = re.sub(r"\b%s\b" % name, behind, body)
        self.lines[begin:] = [moved if form.step == "first" else body]
        if form.word == "while" and form.step != "first":
            self.add(step)
        if form.step == "between":
            self.add("%s\t{\n%s%s\t}\n" % (margin, moved, margin) if number is self.i and self.j else moved)
        self.add(margin + "}\n")

    def add_inside(self):
        self.store()
        if self.pair:
            self.add("\t\t\tif (k & 1)\n\t\t\t\ta[%s] = 3;\n" % self.ia)
        if self.sum:
            self.add_sum()

    def add_pointers(self):
        """The inner loop, by pointers to the elements of a and, where they follow one another, of b."""
        start = self.ia[:-4] or "0"
        if self.ib.endswith("j"):
            self.add("\t\tconst %s *q = b + (%s);\n" % (self.b.name, self.ib[:-4] or "0"))
        self.add("\t\tfor (%s *p = a + %s; p %s a + %s + m; %sp++) {\n" % (
            self.a.name, start, ("<", "!=")[self.below(2)], start, "q++, " if self.ib.endswith("j") else ""))
        begin = len(self.lines)
        self.add_inside()
        self.lines[begin:] = [line.replace("a[%s]" % self.ia, "*p").replace("b[%s]" % self.ib, "(*q)" if self.ib.endswith("j") else "b[%s]" % self.ib)
                              for line in self.lines[begin:]]
        self.add("\t\t}\n")

    def add_forms(self):
        """Both loops; the counters that are not declared where they are set are declared first."""
        for form, number, name in ((self.outer_form, self.i, "i"), (self.inner_form, self.j, "j")):
            if number and not form.declared:
                self.add("\t%s %s%s;\n" % (number.name, name, ", k" if self.pair and name == "i" else ""))

        def inside():
            if self.pointers:
                self.add_pointers()
            elif self.j:
                self.add_loop(self.inner_form, self.j, "j", self.inner(), self.add_inside, "\t\t")
            else:
                self.add_inside()
        self.add_loop(self.outer_form, self.i, "i", self.outer(), inside, "\t")

    def add_body(self):
        last = self.last and "\t\t%s\n" % self.form(self.last, "i")  # read where the inner counter is not there
        if last and not self.last_behind:
            self.add(last)
        reused = self.what == "reused"
        if reused:
            self.add("\t\t%s\n" % self.end)
        if self.j:
            self.add("\t\t%s {\n" % self.inner(reused or self.row_head is not None))
        if reused:
            self.add("\t\t\t%s\n" % self.form(("t = V > 1;", "t = V > 1 ? 3 : 2;", "if (V > 1)\n\t\t\t\tt = 7;")[self.below(3)], self.ib))
            self.add("\t\t\t%s\n" % self.form("A = t > 2 ? V > 1 : t;", self.ib))
        stores = not self.sum and not self.helpers or self.below(3) == 0
        if stores or self.what == "globals":
            self.store()
        if self.what == "builds":
            self.add("#ifdef LIMIT\n\t\t\tif (a[%s] > LIMIT)\n\t\t\t\ta[%s] = LIMIT;\n#endif\n" % (self.ia, self.ia))
        if self.sum:
            self.add_sum()
        if self.helpers:
            self.add_uses()
        if self.row_changes:  # rows only become shorter
            self.add("\t\t\tif (%s && grow[j & 31] > 0)\n\t\t\t\tgrow[j & 31]--;\n" % self.form("V > 1", self.ib))
        if self.j:
            self.add("\t\t}\n")
        if last and self.last_behind:
            self.add(last)

    def add_uses(self):
        skips = self.below(6)  # what stands behind it does not run each time
        for number in range(1 + self.below(2)):
            self.add("\t\t\t%s\n" % self.helpers[self.below(len(self.helpers))].use())
            if number == skips:
                self.add("\t\t\tif (%s)\n\t\t\t\tcontinue;\n" % (
                    "m > 5", "first > 2", "box->nr > 2" if self.box else "m < 9", "t > 2", "b[%s] > 1" % self.ib)[self.below(5)])
        if self.box and self.below(2):
            self.add("\t\t\tbox->r[%s][%d] = %s;\n" % (self.ia, self.below(3), ("1", "t", "box->r[%s][1]" % self.ia)[self.below(3)]))

    def add_helpers(self):
        element = self.a.name
        self.add("static int gk;\n%s gscale = 2;\n%s gwork[8];\n" % (element, element))
        if self.box:
            self.add("typedef %s triple[3];\nstruct box {\n\tint nr;\n\ttriple *r;\n};\n" % element)
        if self.counting:
            self.add("static int gcounted;\nstatic int help_count(void)\n{\n\treturn ++gcounted & 3;\n}\n")
        for helper in self.helpers:
            self.add(helper.text())

    def add_function(self):
        self.add("static int gcalls;\n%sdouble %s(double x)\n{\n\tgcalls++;\n\treturn x * gcalls;\n}\n" % (
            "" if self.function_behind else "static ", self.function))

    def add_front(self):
        self.add("/* class: %s */\n#include <stdint.h>\n" % self.what)
        for name, value in self.macros.items():
            self.add("#define %s %s\n" % (name, value))
        if self.what == "builds":
            for name, value, _ in BUILDS:
                if name != "LIMIT":
                    self.add("#ifndef %s\n#define %s %s\n#endif\n" % (name.split("(")[0], name, value or self.wide))
            self.add("typedef ELEMENT element;\n")
        if self.is_global:
            self.add("%s galpha;\n" % self.a.name)
        if self.table:
            self.add("%s gtable[8];\n" % self.a.name)
        if self.limit:
            self.add("%s glimit[2];\n" % self.j.name)
        if self.row_head:
            text = ", ".join(map(str, self.row_table))
            self.add("#define ROW_TABLE {%s}\nstatic %s grow[%d] = ROW_TABLE;\n" % (text, self.row_type, ROWS))
            self.add("static int gcol[%d];\n" % max(max(self.row_table), 10))
            self.add("struct matrix {\n\tint nr;\n\t%s *row;\n};\n" % self.row_type if self.row_from == "struct" else "")
        if self.function_behind:
            self.add("double %s(double);\n" % self.function)
        elif self.function:
            self.add_function()
        if self.helpers:
            self.add_helpers()

    def returns_int(self):
        return self.clause or self.what in ("reused", "helpers") or (self.counter_used and not self.sum)

    def add_kernel(self):
        result = self.sum.name if self.sum else "int" if self.returns_int() else "void"
        promise = "restrict " if self.restricted else ""
        self.add("#pragma inflight kernel\n%s kernel(%s first, %s second, %s m, %s *%sa, const %s *%sb%s%s%s%s)\n{\n" % (
            result, self.i.name, self.i.name, self.j.name if self.j else "int",
            self.a.name, promise, self.b.name, promise, ", const %s *p" % self.a.name if self.pointer else "",
            ", %s *work" % self.a.name if self.work == "work" else "", ", struct box *box" if self.box else "",
            {"struct": ", const struct matrix *matrix", "parameter": ", const %s *%srow" % (self.row_type, promise) if self.row_head else ""}.get(
                self.row_from, "")))
        if self.helpers:
            self.add("\tint k = 0, order[4] = {1, 0, 3, 2};\n\t%s t = 1%s;\n" % (
                self.a.name, ", own[8] = {1, 2, 3, 4, 5}" if self.work == "own" else ""))
            self.add("\tint gscale = 5;\n" if self.hides else "")
        if self.sum:
            self.add("\t%s s = %s;\n" % (self.sum.name, self.sum.start))
        if self.what == "reused":
            self.add("\t%s end = 0;\n\tint t = 0;\n" % self.j.name)
        in_team = self.clause and self.clause.startswith("omp for")
        if self.clause:
            self.add("\tint last = 7;\n%s\t#pragma %s\n" % ("\t#pragma omp parallel\n\t{\n" if in_team else "", self.clause))
        if self.what == "forms":
            self.add_forms()
            self.add("\treturn s;\n}\n" if self.sum else "\treturn (int)(i & 0xff);\n}\n" if self.counter_used else "}\n")
            return
        bare = self.j and not self.last and self.what != "reused"  # nothing may stand between the loops of collapse
        bare = self.j and not self.last and self.what not in ("reused", "rows")  # nothing may stand between the loops of collapse
        self.add("\t" + self.outer() + ("\n" if bare else " {\n"))
        self.add_body()
        if not bare:
            self.add("\t}\n")
        if in_team:
            self.add("\t}\n")
        self.add("\treturn s;\n}\n" if self.sum else "\treturn last;\n}\n" if self.clause else
                 "\t%s\n}\n" % self.behind if self.what == "reused" else
                 "\treturn k + (t > 2) * 1000 + (%s[k & 7] > 2) * 2000 + order[2]%s;\n}\n" % (
                     self.work, " + gscale" if self.hides else "") if self.helpers else "}\n")

    # ---- the calls: sizes and bounds at the ends of the types, arguments that are one another. Those that the kernel does not bear are
    # dropped by who calls it.

    def rows(self):
        """Bounds of the outer loop, the harmless ones first."""
        least, most = extremes(self.i)
        wrap = -1 if self.i.kind != "i" and self.i.bits >= 64 else most  # an unsigned type's -1
        count = [("plain", 0, 0), ("plain", 1, 1), ("plain", 3, 0), ("plain", 33, 2), ("end", most if self.i.bits <= 16 else 40, most),
                 ("end", least, most)]
        return {"count": count, "down": count[:4], "steps": count[:4],
                "range": [("plain", 0, 5), ("plain", 2, 35), ("plain", 5, 2), ("end", most - 37, most), ("end", most - 3, most),
                          ("end", least, least + 1), ("end", least, least + 37), ("end", most, least), ("end", least, least),
                          ("end", wrap - 37, wrap), ("end", wrap, 5), ("plain", -9 if self.i.kind == "i" else 0, 30)],
                "up_to": [("plain", 0, 0), ("plain", 2, 35), ("plain", 9, 3), ("end", most - 40, most - 1), ("end", least, least + 33),
                          ("end", least, least)],
                "plus": [("plain", 30, 3), ("plain", 0, 0), ("wrap", 30, wrap - 2), ("wrap", 40, wrap), ("wrap", 1, wrap)],
                "minus": [("plain", 30, 3), ("plain", 3, 3), ("wrap", 10, wrap - 4), ("wrap", 0, wrap - 32)],
                "times": [("plain", 0, 0), ("wrap", 20, 0), ("wrap", 36, 0), ("wrap", 2, 0)]}[self.bounds]

    def add_row(self, kind, first, second, m, rest):
        numbers = ("INT64_MIN, " if number == -2**63 else "%dLL, " % number for number in (first, second, m))
        self.add("\t\t{\"%s\", %s%s},\n" % (kind, "".join(numbers), rest))

    def add_sizes(self):
        rows = self.rows()
        for i, (kind, first, second) in enumerate(rows):
            many = kind == "end" and first > 200 and self.bounds == "count"
            if self.what == "clauses" and (first <= 0 or many):  # clauses leave open what comes out of no iterations
                continue
            self.add_row(kind, first, second, 1 if many else (40, 7, 3, 33, 1, 0, 13)[i % 7], "1, APART, 0" if i % 3 == 2 else "0, APART, 0")
            if i < 4:
                self.add_row(kind, first, second, 9, "2, APART, 0")
        if self.j and self.j.bits <= 16:
            for m in reversed(extremes(self.j)):
                self.add_row("end", rows[1][1], rows[1][2], m, "0, APART, 0")

    def add_aliases(self):
        rows = self.rows()
        if self.restricted or self.clause:
            return
        if self.a is self.b or self.what == "types":
            for shift in (0, 1, -1, 3, -7, 48):
                self.add_row("overlap", rows[1][1], rows[1][2], 33, "0, SHIFTED, %d" % shift)
                self.add_row("overlap", rows[3][1], rows[3][2], 5, "0, SHIFTED, %d" % shift)
        alias = "GLOBAL" if self.row_head or self.is_global else "TABLE" if self.table else "SCALAR" if self.pointer else None
        for m in (1, 3, 8) if alias else ():
            for k in range(8):  # contents 0 begin with a zero, which would hide the global behind it
                self.add_row("global", rows[k % 4][1], rows[k % 4][2], m, "%d, %s, 0" % (k < 4, alias))

    def note(self, at, nr, number):
        return "\tcall_note(%s, %s, (struct call_type){'%s', sizeof(%s)});\n" % (at, nr, number.kind, number.name)

    def add_globals(self):
        self.add("static void reset(void)\n{\n")
        if self.is_global:
            self.add("\tgalpha = 3;\n")
        if self.table:
            self.add("\tfor (int k = 0; k < 8; k++)\n\t\tgtable[k] = k + 1;\n")
        if self.function:
            self.add("\tgcalls = 0;\n")
        if self.row_head:
            self.add("\tstatic const %s table[] = ROW_TABLE;\n\tfor (int k = 0; k < %d; k++)\n\t\tgrow[k] = table[k];\n" % (self.row_type, ROWS))
            self.add("\tfor (int k = 0; k < (int)(sizeof(gcol) / sizeof(gcol[0])); k++)\n\t\tgcol[k] = k * %d %% %d;\n" % (
                1 + 6 * self.below(3), 7 + self.below(30)))
        if self.helpers:
            self.add("\tgk = 0;\n\tfor (int k = 0; k < 8; k++)\n\t\tgwork[k] = k + 1;\n%s" % ("\tgcounted = 0;\n" if self.counting else ""))
        self.add("}\nstatic void note(void)\n{\n")
        if self.is_global:
            self.add(self.note("&galpha", 1, self.a))
        if self.table:
            self.add(self.note("gtable", 8, self.a))
        if self.row_head:
            self.add("\tcall_note(grow, %d, (struct call_type){'%s', sizeof(%s)});\n" % (
                ROWS, "u" if self.row_type == "unsigned" else "i", self.row_type))
        if self.function:
            self.add(self.note("&gcalls", 1, INT))
        if self.helpers:
            self.add(self.note("&gk", 1, INT) + self.note("gwork", 8, self.a) + (self.note("&gcounted", 1, INT) if self.counting else ""))
        self.add("}\nstatic void *global_of(enum alias alias, long *length)\n{\n\t*length = %s;\n\treturn %s;\n}\n" % (
            str(ROWS) if self.row_head else "alias == TABLE ? 8 : 1",
            "grow" if self.row_head else "&galpha" if self.is_global else "gtable" if self.table else "&call_scalar" if self.pointer else
            "(void *)0"))

    # The kernel's own loops say how long the arrays must be.
    def add_extents(self):
        i, j = self.i.name, self.j.name if self.j else "int"
        self.add("static void extents(const struct call *call, long *ea, long *eb)\n"
                 "{\n\t%s first = (%s)call->first, second = (%s)call->second;\n\t%s m = (%s)call->m;\n\tlong work = 0;\n\t(void)second;\n"
                 "\t(void)m;\n\t%s {\n\t\t" % (i, i, i, j, j, self.outer()))
        if self.last:  # it reads b[i]
            self.add("call_extend(eb, (long long)(i));\n\t\t")
        if self.j:
            self.add(self.inner())
        self.add(" {\n\t\t\tcall_extend(&work, work > %d ? -1 : work);\n\t\t\tcall_extend(ea, (long long)(%s));\n"
                 "\t\t\tcall_extend(eb, (long long)(%s));\n\t\t}\n\t}\n}\n" % (WORK_MAX, self.ia, self.ib))

    def add_invoke(self):
        result = self.sum or (INT if self.returns_int() else None)
        self.add("static void invoke(const struct call *call, void *a, void *b)\n{\n")
        if self.pointer:
            self.add("\tcall_scalar = 2;\n")
        if self.limit:
            self.add("\tglimit[1] = (%s)call->m;\n" % self.j.name)
        if self.box:
            self.add("\tlong ea = 0, eb = 0;\n\textents(call, &ea, &eb);\n\tstruct box box = {3, calloc((size_t)ea + 1, sizeof(triple))};\n"
                     "\tfor (long k = 0; k < 3 * ea; k++)\n\t\tbox.r[k / 3][k % 3] = k % 5;\n")
        if self.row_from == "struct":
            self.add("\tstruct matrix matrix = {%d, grow};\n" % ROWS)
        self.add("\t%skernel((%s)call->first, (%s)call->second, (%s)call->m, a, b%s%s%s%s);\n" % (
            result.name + " result = " if result else "", self.i.name, self.i.name, self.j.name if self.j else "int",
            ", &call_scalar" if self.pointer else "", ", gwork" if self.work == "work" else "", ", &box" if self.box else "",
            {"struct": ", &matrix", "parameter": ", grow"}.get(self.row_from, "")))
        if self.box:
            self.add(self.note("box.r", "3 * ea", self.a) + "\tfree(box.r);\n")
        if result:
            self.add(self.note("&result", 1, result))
        if self.pointer:
            self.add(self.note("&call_scalar", 1, self.a))
        self.add("}\n")

    def add_calls(self):
        self.add("#ifdef TEST\n" + "".join("#undef %s\n" % name for name in self.macros) + "#include <stdlib.h>\n#include \"bench/kernel_call.h\"\n")
        if self.pointer:
            self.add("static %s call_scalar;\n" % self.a.name)
        self.add("static const struct call call[] = {\n")
        self.add_sizes()
        self.add_aliases()
        self.add("};\n")
        self.add_globals()
        self.add_extents()
        self.add_invoke()
        self.add("static const struct call_kernel table = {call, sizeof(call) / sizeof(call[0]),\n"
                 "\t{'%s', sizeof(%s)}, {'%s', sizeof(%s)}, extents, invoke, reset, note, global_of};\n"
                 "int main(int argc, char **argv)\n{\n\treturn call_main(argc, argv, &table);\n}\n#endif\n" % (
                     self.a.kind, self.a.name, self.b.kind, self.b.name))
