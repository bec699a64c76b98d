"""Small functions of the file that a random kernel calls (random_kernels.py, class "helpers"): of one statement or several, with a value or
without, that write through pointers, change what they are given on the way, call one another. What C leaves open is not drawn: an effect
shares its expression with nothing that it may change, but behind a sequence point."""
import re

# Of parameters and locals; some are those of the kernel's own variables.
NAMES = "p q at v n r t i j k a b x y first m w".split()
SHAPES = (("at", "to"), ("at", "to"), ("at", "to", "to"), ("to", "number"), ("at", "to", "number"), ("to", "from"), ("to", "to", "number"), ("at", "number", "to"), ("number",),
          ("from", "number"), ("at", "to", "from"), ("at", "number"), ("to",))
CHANGED = r"\bk \+=|\bk\+\+|\+\+k\b"
BOX_SHAPES = (("box", "row", "number"), ("box", "row", "to"), ("box", "row", "at", "number"))


class Helper:
    """below: of the kernel; element, other: the numbers of a and b."""

    def __init__(self, number, kernel, earlier):
        self.name, self.kernel, self.below, self.earlier = "help%d" % number, kernel, kernel.below, earlier
        self.real, self.element, self.other = kernel.a.kind == "f", kernel.a.name, kernel.b.name
        boxed = kernel.box and self.below(3) == 0
        self.shape = BOX_SHAPES[self.below(len(BOX_SHAPES))] if boxed else SHAPES[self.below(len(SHAPES))]
        self.left = list(NAMES)
        self.names = [self.fresh() for _ in self.shape]
        self.locals, self.has_effects = [], False
        self.has_value = not {"to", "at", "box"} & set(self.shape) or self.below(8) == 0
        self.apart = False  # what it writes through one pointer is not what another one points to
        self.body = self.draw_body()

    def fresh(self):
        return self.left.pop(self.below(len(self.left)))

    def of(self, *kinds):
        return [name for kind, name in zip(self.shape, self.names) if kind in kinds]

    def pick(self, items):
        return items[self.below(len(items))]

    # ---- expressions: small numbers

    def atom(self):
        """Without effects; `*at` is not in it."""
        atoms = ["1", "2", "3"] + self.of("number") * 2 + self.locals * 2 + ["*" + name for name in self.of("to") * 2]
        atoms += ["(*%s > 1)" % name if self.kernel.b.kind == "f" and not self.real else "%s[0]" % name for name in self.of("from") * 2]
        atoms += ["%s->r[%s][%d]" % (*self.of("box", "row"), self.below(3))] * 3 if "box" in self.shape else []
        return self.pick(atoms + ["gscale"])

    def read(self, depth):
        if depth == 0 or self.below(3) == 0:
            return self.atom()
        left, right = self.read(depth - 1), self.read(depth - 1)
        return self.pick(("(%s + %s)", "(%s - %s)", "(%s * 0.5 + %s)" if self.real else "(%s ^ (int)%s)" if self.below(2) else "(%s / 2 + %s)",
                          "(%s > 1 ? %s : 2)", "(%s > %s ? 3 : 1)")) % (left, right)

    def change(self):
        """An expression that changes something, and which names it may not stand beside."""
        at, number, to = self.of("at"), self.of("number"), self.of("to")
        changes = ["(*%s += %d)" % (name, 1 + self.below(2)) for name in at * 3] + ["(*%s)++" % name for name in at]
        changes += ["++*%s" % name for name in at] + ["(%s += 1)" % name for name in number]
        changes += ["help_count()"] if self.kernel.counting and self.below(3) == 0 else []
        if len(to) == 2:
            changes += ["(*%s = %s)" % (to[1], self.narrow(self.pick(("1", "2", "gscale"))))] * 2
        if not changes:
            return None
        self.has_effects = True
        change = self.pick(changes)
        self.apart = self.apart or change.startswith("(*%s = " % to[-1] if to else "none")
        return change

    def value(self, depth, beside=""):
        """`beside`: what else is evaluated, in no order."""
        change = self.change() if self.below(3) else None
        if not change:
            return self.read(depth)
        name = re.search(r"[a-z_0-9]+", change).group()
        rest = self.read(depth)
        form = self.below(5)
        if form == 0 and not re.search(r"\b%s\b" % name, rest + beside):
            return "(%s + %s)" % (change, rest)
        if form in (1, 3) and name not in beside:
            return "(%s, %s)" % (change, rest)
        if form == 2 and name not in beside:
            return "(%s > 3 ? %s : %s)" % (change, rest, self.read(depth - 1))
        return change if name not in beside else rest

    def narrow(self, text):
        return "%s * 0.5" % text if self.real else "(%s) & 0x3f" % text

    # ---- statements

    def assign(self, place):
        self.has_effects = True
        if self.below(4) == 0:
            return "%s %s %s;" % (place, self.pick(("+=", "-=")), self.narrow("(%s)" % self.read(1)))
        beside = place
        return "%s = %s;" % (place, self.narrow("(%s)" % self.value(2, beside)))

    def places(self):
        places = ["*" + name for name in self.of("to") * 3] + ["%s[0]" % name for name in self.of("to")] + self.of("number")
        places += [] if self.single else self.locals
        return places + (["%s->r[%s][%d]" % (*self.of("box", "row"), self.below(3))] * 4 if "box" in self.shape else [])

    def call(self):
        """Of an earlier one, with what this one was given."""
        fitting = [helper for helper in self.earlier if set(helper.shape) <= set(self.shape) and not helper.apart]
        if not fitting:
            return None
        helper = self.pick(fitting)
        args = [self.read(1) if kind == "number" else self.pick(self.of(kind)) for kind in helper.shape]
        self.has_effects = self.has_effects or helper.has_effects
        return "%s(%s);" % (helper.name, ", ".join(args))

    def statement(self, depth, indent="\t"):
        kind = self.below(12)
        at = self.of("at")
        if kind < 2 and at:
            self.has_effects = True
            return indent + self.pick(("*%s += 1;", "*%s = (*%s + 2) & 0xff;", "++*%s;", "(*%s)--;")).replace("%s", at[0])
        if kind == 2 and depth:
            other = "\n%selse\n%s" % (indent, self.statement(0, indent + "\t")) if self.below(2) else ""
            return "%sif (%s > 1)%s\n%s%s%s" % (indent, self.value(1), " {" if not other else "", self.statement(0, indent + "\t"),
                                              "\n%s\n%s}" % (self.statement(0, indent + "\t"), indent) if not other else "", other)
        if kind == 3:
            call = self.call()
            if call:
                return indent + call
        if kind == 4 and not self.below(6):
            self.has_effects = True
            return indent + "gk++;"
        if kind == 5 and not self.has_value and not self.below(6):
            return "%sif (%s > 2)\n%s\treturn;" % (indent, self.read(1), indent)
        places = self.places()
        return indent + (self.assign(self.pick(places)) if places else "gk += 2;")

    def draw_body(self):
        lines = []
        single = self.single = self.below(12 if self.has_value else 2) < (11 if self.has_value else 1)
        for _ in range(self.below(3) if not single else self.below(4) == 0):
            name = self.fresh()
            lines.append("\t%s%s %s = %s;" % ("const " if single else "", self.element, name,
                                             self.narrow(self.read(1) if single else self.value(1))))
            self.locals.append(name)
        for _ in range(0 if single else 1 + self.below(3)):
            lines.append(self.statement(1))
        if self.has_value:
            value = self.value(2) if self.below(6) == 0 else self.read(2)
            lines.append("\treturn %s;" % self.narrow("(%s)" % value))
        elif single:
            lines.append("\t" + self.assign(self.pick(["*" + name for name in self.of("to")])) if self.of("to") else self.statement(0))
        return "\n".join(lines)

    def text(self):
        types = {"at": "int *", "to": self.element + " *", "from": "const %s *" % self.other, "number": self.element + " ", "row": "long ",
                 "box": "struct box *"}
        params = ", ".join(types[kind] + name for kind, name in zip(self.shape, self.names))
        return "static %s%s %s(%s)\n{\n%s\n}\n" % ("inline " if self.below(2) else "", self.element if self.has_value else "void", self.name,
                                               params, self.body)

    # ---- calls in the kernel

    def argument(self, kind, first_to):
        kernel = self.kernel
        element, work, real = "a[%s]" % kernel.ia, kernel.work, kernel.b.kind == "f" and not self.real
        if kind == "to":
            to = ["&" + element, "a + (%s)" % kernel.ia, "&%s[2]" % work]
            to = ["&t"] if self.apart and not first_to else to + (["&%s[k & 7]" % work, "%s + (k & 3)" % work] if self.below(2) else [])
            return self.pick(to + ([] if self.apart else ["&t"]))
        return self.pick({
            "at": ("&k",) * 6 + ("&gk", "&order[k & 3]"), "from": ("&b[%s]" % kernel.ib, "b + (%s)" % kernel.ib), "box": ("box",),
            "row": ("(%s)" % kernel.ia,),
            "number": ("b[%s] > 1" % kernel.ib if real else "b[%s]" % kernel.ib, element, "%s[k & 7]" % work, "t", "k & 7", "2",
                       "%s[order[0] & 7]" % work)}[kind])

    def called(self):
        """With k read in one place only when it changes on the way to the call."""
        while True:
            call = self.draw_call()
            if not re.search(CHANGED, call) or len(re.findall(r"(?<!&)\bk\b", call)) == 1:
                return call

    def draw_call(self):
        args, firsts = [], True
        for kind in self.shape:
            args.append(self.argument(kind, firsts))
            firsts = firsts and kind != "to"
        plain = [helper for helper in self.earlier if helper.has_value and not helper.has_effects]
        for i, kind in enumerate(self.shape):
            if kind == "number" and self.below(24) == 0:
                args[i] = self.pick(("(k += 1) & 7", "k++ & 3"))
            elif kind == "number" and self.below(6) == 0 and plain:
                args[i] = self.pick(plain).called()
            elif kind == "to" and self.below(32) == 0 and not self.apart:
                args[i] = "&%s[++k & 7]" % self.kernel.work
        return "%s(%s)" % (self.name, ", ".join(args))

    def use(self):
        """A statement of the kernel."""
        call = self.called()
        if not self.has_value or self.below(5) == 0:
            return call + ";"
        small = self.narrow(call)
        return self.pick(("t = %s;" % small, "a[%s] = %s;" % (self.kernel.ia, small), "if (%s > 1)\n\t\t\t\tt = 1;" % call,
                          "%s[2] = %s;" % (self.kernel.work, small)) + (() if self.has_effects else (
                              "a[%s] += %s;" % (self.kernel.ia, small), "k = (k + (%s > 1)) & 0xff;" % call)[:1 if re.search(CHANGED, call) else 2]))
