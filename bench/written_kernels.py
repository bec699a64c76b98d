"""Small kernels as people write them: nests under `else` and labels, calls of all kinds, statics, casts, macros, directives of OpenMP, several
layouts. A kernel has one to three nests out of NESTS, of the class that its number says and of any; "functions" and "pragmas" are made of the
rows of the reader's tables, so that a row that is added is tried. Each nest is a text in which

    T   the elements' type        W(x)  a value that stays small       S(x)  a small int made of one
    H   a loop over i below n     H<    the same, in the plain form    J     a loop over j below m
    R   `restrict`, or nothing

and what may be used is n, m, k, r (what is returned), t (an int), a, b, c (b is only read), and what FRONT declares. Those of REFUSED must
be left as they are, those of "functions" must not. Called as the kernels of random_kernels.py are, by bench/kernel_call.h; reproducible by seed."""
import os
import re

from reports import ROOT

TYPES = (("int", "i", 4), ("int", "i", 4), ("unsigned", "u", 4), ("short", "i", 2), ("long", "i", 8), ("float", "f", 4), ("double", "f", 8))
LEFT, READ = "/* left as it is */", "/* is read */"
FUNCTIONS, OPENMP = (os.path.join(ROOT, "variants/ir", name) for name in ("functions.def", "openmp.def"))


def rows_of(path, macro):
    """The arguments of each, as they are written."""
    if not os.path.exists(path):
        return []
    with open(path) as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    return [[word.strip().strip('"') for word in row.split(",")] for row in re.findall(r"^%s\((.*)\)$" % macro, text, re.M)]

# ---- how a nest stands in the function

FRAMES = ("N", "N", "N", "N", "if (k > 2)\nN", "if (k > 2)\nN\nelse\n\tr += 1;", "if (k & 1)\n\tr += 3;\nelse\nN", "if (k > 1)\nN\nelse if (k)\n\tr++;",
          "for (int q = 0; q < 2; q++)\nN", "while (k-- > 3)\nN", "do\nN\nwhile (k-- > 3);", "again:\nN\nif (k-- > 4)\n\tgoto again;",
          "switch (k) {\ncase 3:\nN\n\tbreak;\ncase 4:\nN\ndefault:\n\tr += 2;\n}", "if (k)\n\tif (k > 2)\nN\n\telse\n\t\tr += 2;", "{\nN\n}",
          "if (n > 2) {\nN\n} else\n\tr ^= 7;", "for (int q = 0; q < 2; q++)\nif (k > q)\nN\nelse\n\tr += 5;", "if (k > 2)\nfor (int q = 0; q < 2; q++)\nN\nelse\n\tr += 9;")
# The plain ones first.
PLAIN_HEADS = ("for (int i = 0; i < n; i++)", "for (i = 0; i < n; i++)", "for (int i = 0; i < n; ++i)", "for (long i = 0; i < n; i++)")
HEADS = PLAIN_HEADS + ("for (int i = 0; i <= n - 1; i += 1)", "for (int i = n - 1; i >= 0; i--)", "for (int i = 0; i != n; i++)", "for (int i = 0, e = n; i < e; i++)",
                       "for (i = 0, t = n; i < t; i++)", "EACH(n)", "for (int i = 0; i < n; i += 2)", "for (int i = 0, m = n / 2; i < m; i++)",
                       "for (int i = 1; i < n - 1; i++)", "for (int i = 0; i < n && n < 60; i++)", "for (int i = 0; i + 2 < n; i++)", "for (i = 0; n >= i + 1; i += 3)")
PLAIN = ("H\n\ta[i] = W(a[i] + b[i]);", "H\n\tc[i] = W(b[i] + b[i + 1]);", "H\n\tr += S(b[i]);", "H {\n\ta[i] = W(b[i] + 1);\n\tc[i] = a[i];\n}",
         "H\n\tif (S(b[i]) > 2)\n\t\ta[i] = 3;\n\telse\n\t\ta[i] = W(b[i]);", "H\n\tJ\n\t\tc[j] = W(c[j] + b[i]);", "H\n\tJ\n\t\tc[i * 9 + j] = W(c[i * 9 + j] + b[j]);",
         "H\n\ta[i + 1] = W(a[i] + b[i]);", "H {\n\tc[i] = b[i];\n\tJ\n\t\tc[i] = W(c[i] + a[j]);\n}")

# ---- OpenMP: a directive, and what its loop may hold

CLAUSES = (("parallel for", "c[i] = W(b[i] + 1);"), ("parallel for private(t)", "{\n\tt = S(b[i]);\n\tc[i] = t;\n}"),
           ("parallel for firstprivate(t) schedule(static, 1)", "{\n\tt = S(b[i]) + i;\n\tc[i] = t & 63;\n}"),
           ("parallel for lastprivate(t)", "{\n\tt = S(b[i]);\n\tc[i] = t;\n}"), ("parallel for linear(t : 3)", "{\n\tc[i] = t & 63;\n\tt += 3;\n}"),
           ("parallel for reduction(+ : r)", "r += S(b[i]);"), ("parallel for reduction(max : t)", "t = t > S(b[i]) + i ? t : S(b[i]) + i;"),
           ("parallel for reduction(^ : r)", "r ^= (unsigned)S(b[i]) << 3;"), ("parallel for schedule(dynamic, 2) reduction(+ : r)", "{\n\tc[i] = W(b[i]);\n\tr += 2;\n}"),
           ("parallel for schedule(guided)", "c[i] = b[i];"), ("parallel for schedule(runtime)", "c[i] = b[i];"), ("parallel for if(n > 8)", "a[i] = W(a[i] + b[i]);"),
           ("parallel for num_threads(2)", "a[i] = W(a[i] + b[i]);"), ("parallel for shared(c) firstprivate(n)", "c[i] = b[i];"),
           ("parallel for proc_bind(close)", "c[i] = b[i];"), ("parallel for ordered", "{\n#pragma omp ordered\n\tr = r * 3 + (unsigned)S(b[i]);\n}"),
           ("parallel for collapse(2)", "J\n\tc[i * 9 + j] = W(b[j] + a[i]);"), ("parallel for private(t) reduction(+ : r)", "{\n\tt = S(b[i]);\n\tc[i] = t;\n\tr += (unsigned)t;\n}"),
           ("simd", "c[i] = W(b[i] + 1);"), ("simd reduction(+ : r)", "r += S(b[i]);"), ("simd linear(t : 2)", "{\n\tc[i] = t & 63;\n\tt += 2;\n}"),
           ("simd safelen(4)", "a[i + 4] = W(a[i] + b[i]);"), ("simd simdlen(4)", "c[i] = W(b[i]);"), ("simd private(t)", "{\n\tt = S(b[i]);\n\tc[i] = t;\n}"),
           ("simd lastprivate(t)", "t = S(b[i]);"), ("parallel for simd", "c[i] = W(b[i] + 1);"), ("parallel for simd reduction(+ : r)", "r += S(b[i]);"),
           ("parallel for", "{\n#pragma omp atomic\n\tr += S(b[i]);\n}"), ("parallel for", "{\n#pragma omp critical\n\tr += S(b[i]);\n}"),
           ("parallel for nowait", None), ("tile sizes(4)", None), ("unroll partial(2)", None))
TEAM_CLAUSES = tuple((words.replace("parallel for", "for").strip(), body) for words, body in CLAUSES
                     if words.startswith("parallel for") and body and not re.search(r"simd|if\(|num_threads|shared|proc_bind|reduction|linear|nowait", words)) + (
    ("for schedule(static) nowait", "c[i] = W(b[i] + 1);"), ("for", "{\n\tc[i] = W(b[i]);\n\tmine += S(b[i]);\n}"), ("for nowait", "mine += S(b[i]);"),
    ("for reduction(+ : r)", "r += S(b[i]);"), ("for schedule(static, 2)", "{\n\ta[i] = W(a[i] + 2);\n\tc[i] = b[i];\n}"), ("single", None), ("master", None))


def of_team(words, body):
    return ("#pragma omp parallel\n{\n\tunsigned mine = 0;\n#pragma omp %s\n%s\n#pragma omp atomic\n\tr += mine;\n}" % (
        words, "H<\n\t" + body if body else "H<\n\tc[i] = W(b[i]);"))


PAIR_FRONTS = ("parallel for", "parallel for private(t)", "parallel for schedule(static)", "parallel for reduction(+ : r)", "simd")
PAIR_BEHIND = ("", "parallel for", "parallel for schedule(dynamic)", "parallel for private(t)", "parallel for reduction(+ : r)", "parallel for reduction(max : t)")
LOOP_OF = {"private": "{\n\tt = S(b[i]);\n\tc[i] = t;\n}", "+ :": "r += S(b[i]);", "max": "t = t > S(b[i]) + i ? t : S(b[i]) + i;"}


def pair(front, behind):
    """Two neighbours; one without a directive carries a value from iteration to iteration."""
    def loop(words, default):
        return "H0\n\t" + next((body for word, body in LOOP_OF.items() if word in words), default)
    first = "#pragma omp %s\n%s" % (front, loop(front, "c[i] = W(b[i] + 2);"))
    second = ("#pragma omp %s\n%s" % (behind, loop(behind, "a[i] = W(b[i] + 1);"))) if behind else (
        "H0 {\n\tt += S(b[i]);\n\ta[i] = t & 63;\n}")
    return first + "\n" + second


# ---- the classes

NESTS = {
    "else": PLAIN,
    "sums": ("H\n\t*c += S(b[i]);", "H\n\tgtotal += S(b[i]);", "H {\n\tgtotal ^= S(b[i]) << 2;\n\tc[i] = 1;\n}", "H\n\tJ\n\t\tc[i] += S(b[j]) & 3;",
             "H\n\tJ\n\t\tgtab[j & 7] += S(b[i]);", "H\n\tfor (int j = 0; j < 4; j++)\n\t\tgtab[j] += S(b[i]);", "H\n\tJ\n\t\tc[i * 9] += S(b[j]);",
             "{\n\tint *q = &gtotal;\n\tH\n\t\t*q += S(b[i]);\n}", "J\n\tH {\n\t\tgtotal += S(b[i]) + j;\n\t\t*a = W(*a + 1);\n\t}"),
    "heads": ("for (int i = 0, m = n / 2; i < m; i++)\n\ta[i] = W(a[i] + m);", "for (int i = 0, last = 3; i < n; i++) {\n\tc[i] = last;\n\tlast = S(b[i]);\n}",
              "for (int q = 5, i = 0; i < n; i++, q += 2)\n\tc[i] = q & 63;", "for (int i = 0, k = n - 2; i < k; i++)\n\ta[i] = W(a[i] + k);",
              "for (int i = 0, q = 0; i < n; i++)\n\tfor (int j = 0; j < 4; j++)\n\t\tc[i * 4 + j] = W(b[q++]);", "for (int i = 0, q = n - 1; i < q; i++, q--)\n\ta[i] = W(b[q]);",
              "H\n\tfor (int j = 0, e = glimit[i & 3]; j < e; j++)\n\t\tc[i] = W(c[i] + b[j]);", "H\n\tfor (int j = 0, v = S(b[i]); j < 4; j++) {\n\t\tc[i * 4 + j] = v;\n\t\tv = v * 3 & 63;\n\t}",
              "for (int i = 0, *q = gtab; i < n; i++)\n\tq[i & 7] += S(b[i]);", "for (int i = 0, e = n; i < e; i++) {\n\tc[i] = 7;\n\tif (S(b[i]) == 3)\n\t\te--;\n}",
              "int i2;\nfor (i2 = 0, t = n - 1; i2 < t; i2++)\n\ta[i2] = W(b[i2] + 1);", "for (int i = 0, j = 0; i < n; i++, j += 3)\n\tc[j] = b[i];"),
    "calls": ("H\n\tmemcpy(&a[i], &b[i], sizeof a[0]);", "H {\n\tmemset(c + i, 0, sizeof c[0]);\n\tc[i] = W(c[i] + b[i] + c[i + 1]);\n}",
              "H\n\tmemmove(&c[i], &c[i + 1], 2 * sizeof *c);", "H\n\tput(&a[i + 1], a[i]);", "H\n\t*put(c + i, b[i]) += 1;", "H\n\ta[i] = *at(c, i) + 1;",
              "H {\n\tkeep(&a[i]);\n\t*gkept = W(*gkept + b[i]);\n\ta[i] = W(a[i] + 1);\n}", "H {\n\tT x;\n\tmemcpy(&x, &a[i], sizeof x);\n\ta[i + 1] = W(x + b[i]);\n}",
              "H\n\tJ {\n\t\tmemcpy(&c[j], &c[j + 1], sizeof c[0]);\n\t\tc[j + 2] = W(c[j] + b[i]);\n\t}", "H {\n\tc[i] = b[i];\n\tmemset(&c[i + 1], 0, sizeof *c);\n\tc[i] = c[i] + c[i + 1];\n}",
              "H\n\tJ\n\t\tmemcpy(&c[i * 9 + j + 1], &c[i * 9 + j], sizeof *c);", "H {\n\tbump(&t, S(b[i]));\n\tc[i] = t & 63;\n}", "H\n\tc[i] = (T)(twice(S(b[i])) & 63);",
              "J {\n\tmemcpy(c, &b[j], 4 * sizeof *c);\n\tH<\n\t\ta[i] = W(a[i] + c[i & 3]);\n}", "H\n\tr += (unsigned)memcmp(&a[i], &b[i], sizeof *a) & 1;",
              "H\n\ta[i] = W(*(const T *)memchr(b + i, ((const char *)(b + i))[0], 1) + 1);", "J {\n\tput(c, b[j]);\n\tH<\n\t\ta[i] = W(a[i] + c[0]);\n}"),
    "blocks": ("for (int i = 0; i < n; i += 4)\n\tmemcpy(c + i, b, 4 * sizeof *c);", "for (int i = 0; i < n; i += 4)\n\tmemset(c + i, 0, 4 * sizeof *c);",
               "for (int i = 0; i < n; i += 3)\n\tput(c + i, b[i]);", "for (int i = 0; i < n; i++)\n\tmemcpy(&c[i * 4], &b[i], 4 * sizeof *c);", "H\n\tput(&a[i], b[i]);"),
    "statics": ("H {\n\tstatic int last;\n\tif (i == 0)\n\t\tlast = 3;\n\tc[i] = last;\n\tlast = S(b[i]);\n}", "H {\n\tstatic T w[4];\n\tif (i == 0)\n\t\tw[1] = w[2] = 1;\n\tc[i] = w[1];\n\tw[1] = W(w[2] + b[i]);\n\tw[2] = b[i];\n}",
                "H {\n\textern int gtotal;\n\tc[i] = gtotal & 63;\n\tgtotal = S(b[i]) + 1;\n}", "H {\n\textern int gtab[8];\n\tgtab[i & 3] += S(b[i]);\n\tc[i] = gtab[(i + 1) & 3] & 63;\n}",
                "H< {\n\tstatic _Thread_local int last;\n\tif (i == 0)\n\t\tlast = 1;\n\tc[i] = last;\n\tlast += S(b[i]);\n}", "H {\n\tregister T x = b[i], y = W(x + 1), *p = &a[i];\n\t*p = W(*p + x + y);\n}",
                "H {\n\tstatic const T w[4] = {1, 2, 3, 4};\n\tenum { FOUR = 4 };\n\tT v[2];\n\tv[i & 1] = b[i];\n\tc[i] = W(v[i & 1] + w[i % FOUR]);\n}",
                "H {\n\tstatic T *p;\n\tT *q = i ? p : a;\n\tp = &a[i];\n\t*q = W(*q + 1);\n}", "H {\n\tauto int x = S(b[i]), y;\n\ty = x + 1;\n\tr += (unsigned)(x * y);\n}",
                "H {\n\tstruct { T x, y; } p = {b[i], a[i]};\n\tint s = sizeof p > 1;\n\ta[i] = W(p.x + p.y + s);\n}", "H {\n\tstatic int seen;\n\tif (!i)\n\t\tseen = 0;\n\tif (!seen && S(b[i]) > 1) {\n\t\ta[i] = 9;\n\t\tseen = 1;\n\t}\n}"),
    "address": ("H\n\ta[i] = W(b[i] + (&b[i])[1]);", "H {\n\t(&c[i])[1] = b[i];\n\tc[i] = W(c[i] + c[i + 1]);\n}", "H {\n\t((unsigned char *)a)[i * sizeof *a] ^= 1;\n\ta[i + 1] = W(a[i + 1] + a[i] * 0);\n}",
                "H {\n\tT *where[4];\n\tint q;\n\tfor (q = 0; q < 4; q++)\n\t\twhere[q] = &c[i + 1];\n\t*where[2] = b[i];\n\tc[i] = W(*where[0]);\n}",
                "H {\n\tT *const p = c;\n\tp[i + 1] = W(c[i] + 1);\n\t((T *)(void *)c)[i + 2] = p[i];\n}", "H\n\tJ {\n\t\t__builtin_prefetch(&b[(i + 1) * 9 + 500]);\n\t\tc[j] = W(c[j] + b[i]);\n\t}",
                "H {\n\tc[i] = b[i];\n\tclear(&c[i]);\n\tc[i] = W(c[i] + c[i + 1]);\n}", "H\n\tJ {\n\t\tc[j] = W(c[j] + b[i]);\n\t\tmemcpy(&a[j], &c[j], sizeof *a);\n\t\tc[j] = W(c[j] + a[j]);\n\t}",
                "H {\n\tint x = S(b[i]), *p = &x;\n\t*p += 1;\n\tc[i] = x;\n}", "H {\n\tint q = i + 2 < n - 1 ? i + 2 : n - 1;\n\t__builtin_prefetch(&b[q], 0, 3);\n\tr += S(b[i]);\n}",
                "H {\n\t((T *)a)[i] = W(*(T *)((char *)a + i * sizeof *a) + b[i]);\n\tc[i] = a[i];\n}", "int *gp = gtab;\nH<\n\t*(gp + (i & 7)) += S(*(b + i));", "H\n\t*(&t) += S(b[i]);",
                "J {\n\t((T *)c)[j] = b[j];\n\tH<\n\t\t*(T *)((char *)c + j * sizeof *c) = W(c[j] + b[i]);\n}",
                "H<\n\tJ {\n\t\tint q = i * m, at = q + j;\n\t\tif (S(b[j]) > 2)\n\t\t\tc[at] = W(c[at] + b[i]);\n\t}",
                "H<\n\tJ\n\t\tfor (int q = 0; q < 3; q++)\n\t\t\tc[(i * m + j) * 3 + q] = W(b[j] + q);",
                "H<\n\tJ {\n\t\tshort q = i * m + 1;\n\t\tif (S(b[j]) > 2)\n\t\t\tc[q + j] = W(c[q + j - 1] + b[i]);\n\t}"),
    "pads": ("{\n\tT w[8][8];\n\tmemset(&w[0][0], 0, sizeof w);\n\tE8\n\t\tF8\n\t\t\tw[j][i] = W(w[j][i] + b[i * 8 + j]);\n\tE8\n\t\tF8\n\t\t\tc[i * 8 + j] = w[i][j];\n}",
             "{\n\tT w[8][8], *p = &w[0][0];\n\tfor (int i = 0; i < 64; i++)\n\t\tp[i] = b[i];\n\tE8\n\t\tF8\n\t\t\tc[i * 8 + j] = w[j][i];\n}",
             "{\n\tT w[8][8];\n\tmemcpy(w[0], b, 64 * sizeof(T));\n\tE8\n\t\tF8\n\t\t\tc[i * 8 + j] = W(w[j][i] + w[i][j]);\n}",
             "{\n\tT w[8][8], (*p)[8] = w;\n\tE8\n\t\tF8\n\t\t\tp[i][j] = b[j * 8 + i];\n\tE8\n\t\tF8\n\t\t\tc[i * 8 + j] = W(w[i][j] + w[j][i]);\n}",
             "{\n\tT w[8][8];\n\tE8\n\t\tF8\n\t\t\tw[i][j] = b[i * 8 + j];\n\tE8\n\t\tF8\n\t\t\tc[i * 8 + j] = W(w[j][i] + (T)(sizeof w / sizeof w[0][0]));\n}",
             "{\n\tT w[8][8];\n\tE8\n\t\tF8\n\t\t\tw[i][j] = b[j * 8 + i];\n\tE8\n\t\tF8\n\t\t\tc[i * 8 + j] = W(w[i][j] + w[j][i]);\n}",
             "{\n\tT w[8][8];\n\tmemcpy(&w[0][0], b, 64 * sizeof(T));\n\tE8\n\t\tF8\n\t\t\tc[i * 8 + j] = W(w[j][i] + w[i][j]);\n}",
             "{\n\tT w[8][8];\n\tmemset(&w[0][0], 0, 64 * sizeof(T));\n\tE8\n\t\tF8\n\t\t\tw[j][i] = W(w[j][i] + b[i * 8 + j]);\n\tE8\n\t\tF8\n\t\t\tc[i * 8 + j] = w[i][j];\n}"),
    "row_tables": ("H<\n\tJ\n\t\tgx[i][j] = W(gx[i][j] + gy[i][j]);", "H<\n\tJ\n\t\tgx[i][j] = W(gy[j][i] + b[j]);", "H<\n\tJ\n\t\tc[j] = W(c[j] + gx[i][j]);",
                   "H<\n\tJ {\n\t\tgx[i][j] = W(gy[i][j] + 1);\n\t\tgy[i][j + 1] = W(b[j]);\n\t}", "H<\n\tJ\n\t\tgx[i][j] = W(gx[i][j] + gx[i + 1][j]);",
                   "H<\n\tJ\n\t\tfor (int q = 0; q < 3; q++)\n\t\t\tgx[i][j] = W(gx[i][j] + S(gy[i][q]) * S(gy[q][j]));", "PAR\nH<\n\tJ\n\t\tgx[i][j] = W(b[j] + i);",
                   "if (n > 0) {\n#pragma omp parallel\n{\n#pragma omp for\nH0\n\tfor (int j = 0; j < 5; j++)\n\t\tgx[i][j] = W(gx[i][j] + b[j]);\n}\n}"),
    "operators": ("PAR\nH<\n\tfor (int j = 1; j < 9; j++)\n\t\tc[i * 9 + j] = W(c[i * 9 + j - 1] + b[i]);", "PAR\nH<\n\tc[i] = W(b[i] + 1);\nH<\n\ta[i + 1] = W(a[i] + c[i]);",
                  "SUM(r)\nH<\n\tr += S(b[i]);", "_Pragma(\"omp simd\") H<\n\tc[i] = W(b[i] + 2);", "PAR\nH<\n\tc[i] = b[i];\nPAR\nH<\n\ta[i] = W(b[i] + 1);", "PARLOOP(n)\n\tc[i] = W(b[i] + 3);"),
    "restricts": ("{\n\tT *q = a;\n\tH<\n\t\ta[i] = W(q[i + 1] + b[i]);\n}", "{\n\tgp = a;\n\tgq = gp;\n\tH<\n\t\tgp[i] = W(gq[i + 1] + b[i]);\n}", "{\n\tT *q = c + 1;\n\tH<\n\t\tc[i] = W(q[i] + b[i]);\n}",
                  "{\n\tT *R q = a, *p = q + 1;\n\tH<\n\t\tp[i] = W(q[i] + b[i]);\n}", "{\n\tT *const q = (T *)(void *)a;\n\tH<\n\t\tq[i + 1] = W(a[i] + b[i]);\n}", "{\n\tstruct view { T *p; } v = {a};\n\tH<\n\t\tv.p[i + 1] = W(a[i] + b[i]);\n}",
                  "{\n\tT *q = k > 2 ? a : c;\n\tH<\n\t\tq[i + 1] = W(a[i] + b[i]);\n}", "{\n\tT *q = at(a, 1);\n\tH<\n\t\tq[i] = W(a[i] + b[i]);\n}"),
    "clauses": tuple("if (n > 0) {\n#pragma omp %s\nH<\n\t%s\n}" % clause for clause in CLAUSES if clause[1]),
    "teams": tuple(of_team(*clause) for clause in TEAM_CLAUSES) + (
        "#pragma omp parallel\n{\n#pragma omp for schedule(static) nowait\n\tH0\n\t\tc[i] = W(b[i] + 2);\n#pragma omp for schedule(static) nowait\n\tH0\n\t\ta[i] = W(c[i] + 1);\n}",),
    "pairs": tuple(pair(front, behind) for front in PAIR_FRONTS for behind in PAIR_BEHIND),
    "macros": ("LOOP(i, n, a[i] = W(a[i] + b[i]))", "EACH(n) {\n\tSWAP(a[i], c[i]);\n}", "H\n\tSWAP(a[i], c[i + 1]);", "H {\n\tBOTH(i)\n}", "H\n\tif (S(b[i]) > 2)\n\t\tSWAP(a[i], c[i]);\n\telse\n\t\tINC(a[i]);",
               "FIELDS", "H {\n#define LOCAL (b[i] + 1)\n\tc[i] = W(LOCAL);\n#undef LOCAL\n#define LOCAL (b[i] + 2)\n\ta[i] = W(LOCAL);\n#undef LOCAL\n}", "H {\n#ifdef NOT_DEFINED\n\tc[i] = 1;\n#else\n\tc[i] = W(b[i]);\n#endif\n}",
               "H\n\tc[i] = AT(b, i) BEHIND", "EACH(n) EACH_J\n\tc[j] = W(c[j] + AT(b, i));", "#pragma GCC ivdep\nH<\n\tc[i] = W(b[i] + 1);", "#pragma GCC unroll 4\nH<\n\tc[i] = W(b[i] + a[i]);",
               "{\n\tMIX(r, t);\n\tH\n\t\tc[i] = W(b[i] + t);\n\tif (k > 2)\n\t\tMIX(t, c[0]);\n\tr += (unsigned)t;\n}", "H {\n\tc[i] = W(b[i]);\n\tMIX(t, c[i + 1]);\n}"),
    "fields": ("H {\n\tgbits[i].a += 1;\n\tgbits[i].b = gbits[i].a * 3;\n\tgbits[i].c = S(b[i]) & 3;\n}", "H\n\tr += gbits[i].d + (unsigned)gbits[i + 1].c;", "H {\n\tgbits[i].d = gbits[i].d * 5 + gbits[i].b;\n\tgbits[i + 1].a = gbits[i].a;\n}",
               "H\n\tfor (int j = 0; j < 4; j++)\n\t\tgunion[i].c[j] = gunion[i].c[j] + (gunion[i].i & 3);", "H {\n\tgunion[i].s[1] = gunion[i].s[0];\n\tgunion[i].i ^= 77;\n}", "H {\n\tgunion[i + 1].i = S(b[i]);\n\tr += gunion[i].c[0];\n}",
               "H {\n\tgpoint[i].x = S(b[i]);\n\tgpoint[i + 1] = gpoint[i];\n}", "H {\n\tstruct point p = gpoint[i];\n\tp.y += p.x;\n\tgpoint[i] = p;\n}", "H\n\tgpoint[i].in.v[i & 1] += S(b[i]);"),
    "builtins": ("H\n\tr += (unsigned)__builtin_popcount((unsigned)S(b[i]));", "H\n\tc[i] = __builtin_ctz((unsigned)S(b[i]) | 8u);", "H\n\tr += __builtin_bswap32((unsigned)S(b[i]));", "H\n\tif (__builtin_expect(S(b[i]) > 3, 0))\n\t\ta[i] = W(b[i]);",
                 "H\n\tif (likely(S(b[i]) > 1)) {\n\t\tc[i] = 1;\n\t} else\n\t\tc[i] = 2;", "H\n\tc[i] = abs(S(b[i]) - 3);", "H {\n\tif (S(b[i]) > 7)\n\t\t__builtin_unreachable();\n\tc[i] = S(b[i]);\n}", "H\n\tr += (unsigned)__builtin_parity((unsigned)S(b[i])) + (unsigned)__builtin_clz(9u);",
                 "H\n\tc[i] = __builtin_constant_p(n) ? 1 : S(b[i]);", "H\n\tr += (unsigned)(fabs((double)S(b[i]) - 2.5) * 4) + (unsigned)fmax(S(b[i]), 2.0);", "H\n\tr += (unsigned)__builtin_ffs(S(b[i])) + (unsigned)__builtin_popcountll(5ull);"),
    "control": ("H {\n\tif (S(b[i]) == 2)\n\t\tcontinue;\n\tJ\n\t\tc[j] = W(c[j] + b[i]);\n}", "H\n\tswitch (S(b[i])) {\n\tcase 1:\n\t\tc[i] = 5;\n\t\tbreak;\n\tcase 2:\n\t\ta[i] = 4;\n\tdefault:\n\t\tc[i] = W(a[i]);\n\t}",
                "H {\n\tdo {\n\t\tif (S(b[i]) > 3)\n\t\t\tbreak;\n\t\tc[i] = 1;\n\t} while (0);\n}", "H {\n\tif (S(b[i]) > 2)\n\t\tgoto next;\n\tc[i] = 3;\nnext:\n\ta[i] = W(a[i]);\n}", "H {\n\tif (S(b[i]) == 4)\n\t\tbreak;\n\tc[i] = 3;\n}",
                "H {\n\tJ {\n\t\tif (S(b[j]) == 3)\n\t\t\tbreak;\n\t\tc[i] = W(c[i] + b[j]);\n\t}\n}", "H {\n\tJ {\n\t\tif (S(b[j]) == 3)\n\t\t\tcontinue;\n\t\tc[j] = W(c[j] + b[i]);\n\t}\n}", "H\n\tc[i] = S(b[i]) > 2 ? (t = 1, W(a[i])) : (t = 2, b[i]);",
                "H {\n\tif (S(b[i]) > 1 && (t = S(b[i])) && S(a[i]))\n\t\tc[i] = t;\n}", "H\n\tif (S(b[i]) > 2)\n\t\tif (S(a[i]) > 1)\n\t\t\tc[i] = 2;\n\t\telse\n\t\t\tc[i] = 3;", "i = 0;\nwhile (i < n) {\n\tc[i] = W(b[i]);\n\ti++;\n}",
                "i = 0;\ndo {\n\tc[i] = W(b[i] + 1);\n} while (++i < n);", "for (i = 0;; i++) {\n\tif (i >= n)\n\t\tbreak;\n\tc[i] = W(b[i]);\n}", ";\nH\n\t;\nH {\n}", "H {\n\t{\n\t\tint i = S(b[0]);\n\t\tr += (unsigned)i;\n\t}\n\tc[i] = 1;\n}",
                "H\n\tswitch (S(b[i]) & 7) {\n\tcase 0:\n\t\tc[i] = 5;\n\t\tbreak;\n\tcase 1: {\n\t\tint x = S(a[i]);\n\t\tc[i] = x & 15;\n\t\tbreak;\n\t}\n\tcase 2:\n\tcase 5:\n\t\ta[i] = W(a[i] + 1);\n\t\tc[i] = a[i];\n\t\tbreak;\n\tcase 3:\n\t\tbreak;\n\tdefault:\n\t\tr += (unsigned)S(b[i]);\n\t}",
                "H {\n\tswitch (k) {\n\tcase 1:\n\t\tJ\n\t\t\tc[j] = W(c[j] + b[i]);\n\t\tbreak;\n\tcase 2:\n\tcase 9:\n\t\tc[i] = W(b[i]);\n\t\tbreak;\n\tcase -1:\n\tcase 7:\n\t\tr += 3;\n\t}\n\ta[i] = W(a[i] + 1);\n}",
                "switch (k) {\ncase 1:\n\tr += 3;\n\tH\n\t\tc[i] = W(b[i]);\n\tr += 5;\n\tH\n\t\ta[i] = W(a[i] + c[i]);\n\tbreak;\ncase 2:\ncase 4: {\n\tH\n\t\tc[i] = W(b[i] + 1);\n\tbreak;\n}\ncase 9:\n\tH\n\t\tr += S(b[i]);\n\tbreak;\ndefault:\n\tH\n\t\tc[i] = 2;\n\tH\n\t\ta[i] = W(c[i] + a[i]);\n}",
                "H {\n\tswitch (S(b[i])) {\n\tcase 1:\n\t\tswitch (S(a[i])) {\n\t\tcase 2:\n\t\t\tc[i] = 1;\n\t\t\tbreak;\n\t\tdefault:\n\t\t\tc[i] = 4;\n\t\t}\n\t\tbreak;\n\tcase 2:\n\t\tif (S(a[i]) > 2)\n\t\t\tbreak;\n\t\tc[i] = 6;\n\t}\n}",
                "H\n\tc[i] = picked(S(b[i]) & 3, S(a[i]));",
                "H\n\tdo {\n\t\tif (S(b[i]) > 3) {\n\t\t\tc[i] = 1;\n\t\t\tbreak;\n\t\t} else\n\t\t\tc[i] = 2;\n\t\tif (S(a[i]) > 2)\n\t\t\tr += 1;\n\t\telse\n\t\t\tbreak;\n\t\tc[i] = W(c[i] + 3);\n\t} while (0);",
                "H {\n\tif (S(b[i]) > 3)\n\t\tc[i] = 1;\n\telse {\n\t\tc[i] = W(b[i]);\n\t\tcontinue;\n\t}\n\tJ\n\t\tc[i] = W(c[i] + a[j]);\n}",
                "H\n\tdo\n\t\tc[i] = W(b[i] + 1);\n\twhile (0);",
                "i = 0;\nwhile (likely(i < n)) {\n\tc[i] = W(b[i] + 3);\n\ti++;\n}\nr += (unsigned)i;",
                "{\n\tint q0 = n;\n\twhile (likely(q0-- > 0))\n\t\tc[q0] = W(b[q0]);\n\tr += (unsigned)q0;\n}",
                "for (i = 0; likely(i < n && i < 20); i++)\n\tc[i] = W(b[i] + 1);"),
    "pointers": ("{\n\tT *p = c;\n\tconst T *q = b;\n\tint q0 = n;\n\twhile (q0--)\n\t\t*p++ = W(*q++);\n}", "{\n\tT *p = a, *e = a + n;\n\twhile (p < e) {\n\t\t*p = W(*p + 1);\n\t\tp++;\n\t}\n}", "for (const T *p = b; p < b + n; p += 3)\n\tr += S(*p);",
                 "for (int i = 0, q = n - 1; i < q; i++, q--) {\n\tT x = a[i];\n\ta[i] = a[q];\n\ta[q] = x;\n}", "for (T *p = a, *e = a + n; p != e; ++p)\n\t*p = W(*p + 2);", "{\n\tconst T *q = b + n;\n\twhile (q-- > b)\n\t\tr = r * 3 + (unsigned)S(*q);\n}",
                 "H {\n\tT *p = &c[i * 9];\n\tJ\n\t\t*p++ = W(b[j]);\n}", "for (const T *p = b, *q = b + 1; q < b + n; p++, q++)\n\tr += S(*p) > S(*q);", "while (n > 3 && k-- > 0)\n\tH<\n\t\ta[i] = W(a[i] + 1);",
                 "{\n\tT *p = a, *e = k > 100 ? a : a + n;\n\twhile (p < e) {\n\t\t*p = W(*p + 1);\n\t\tp++;\n\t}\n\tr += (unsigned)(p - a);\n}",
                 "{\n\tT *p = a, *e = k > 100 ? a : a + n;\n\tfor (; p != e; ++p)\n\t\t*p = W(*p + 2);\n}",
                 "{\n\tconst T *q = b, *e = k > 100 ? b : b + n;\n\tfor (; q < e; q += 3)\n\t\tr = r * 3 + (unsigned)S(*q);\n}",
                 "{\n\tT *p = c, *e = k > 100 ? c : c + n;\n\twhile (likely(e > p))\n\t\t*--e = W(b[k] + 3);\n\tr += (unsigned)(e - c);\n}",
                 "{\n\tT *p = c, *e = k > 100 ? c : c + n;\n\twhile (p <= e)\n\t\t*p++ = 3;\n\tr += (unsigned)(p - c);\n}",
                 "{\n\tconst T *q = b + k, *e = k > 100 ? b : b + n;\n\twhile (q < e)\n\t\tr = r * 3 + (unsigned)S(*q++);\n\tr += (unsigned)(q - b);\n}",
                 "for (int q0 = 0; q0 < 3; q0++) {\n\tT *p = c + q0, *e = k > 100 ? c : c + n;\n\twhile (p < e)\n\t\t*p++ = W(b[q0]);\n}",
                 "for (int q0 = 0; q0 < 3; q0++) {\n\tT *p = c + q0, *e = k > 100 ? c : c + n;\n\twhile (p < e) {\n\t\tp[1] = W(b[q0] + p[0]);\n\t\tp++;\n\t}\n\tr += (unsigned)(p - c);\n}",
                 "{\n\tT *p = a, *e = k > 100 ? a : a + n;\n\tconst T *q = k & 1 ? a + 1 : k & 2 ? a : b;\n\twhile (p < e)\n\t\t*p++ = W(*q++);\n\tr += (unsigned)(p - a);\n}",
                 "{\n\tconst T *x, *q = b, *e = k > 100 ? b : b + n;\n\tfor (x = q + 1; x < e; x++)\n\t\tr += S(*x);\n}",
                 "{\n\tstruct point *p = gpoint, *e = k > 100 ? gpoint : gpoint + n;\n\twhile (p != e) {\n\t\tp->x += 3 + p->y;\n\t\tp++;\n\t}\n\tr += (unsigned)(p - gpoint);\n}",
                 "{\n\tT *p = c, *e = k > 100 ? c : c + n;\n\twhile (p < e) {\n\t\t*p = W(c[3] + b[0]);\n\t\tp++;\n\t}\n\tr += (unsigned)(p - c);\n}",
                 "{\n\tT *p = c + 1, *e = k > 100 ? c : c + n;\n\tt = 0;\n\twhile (p < e) {\n\t\t*p++ = W(c[t] + 1);\n\t\tt++;\n\t}\n\tr += (unsigned)(p - c);\n\tt = 2;\n}"),
    "ranges": ("{\n\tint s, j;\n\tH< {\n\t\ts = 1;\n\t\tfor (j = 0; j < m; j++)\n\t\t\ts += S(b[i + j]);\n\t\tc[i] = s & 63;\n\t\ts = S(a[i]);\n\t\tfor (j = 0; j < m; j++)\n\t\t\ts ^= S(b[j]);\n\t\ta[i] = s;\n\t}\n}",
               "{\n\tT s = 1;\n\tH {\n\t\tJ {\n\t\t\ts = b[i];\n\t\t\tc[i * 9 + j] = W(s + b[j]);\n\t\t}\n\t\tJ {\n\t\t\ts = a[j];\n\t\t\ta[j] = W(s + b[i]);\n\t\t}\n\t}\n\tr += S(s);\n}",
               "H {\n\tt = S(b[i]);\n\tif (t > 3)\n\t\tcontinue;\n\tc[i] = t;\n\tt = 2;\n}", "{\n\tint s = 1;\n\tH {\n\t\tc[i] = s;\n\t\ts = S(b[i]);\n\t\tif (s > 2)\n\t\t\tcontinue;\n\t\ta[i] = s;\n\t\ts = 1;\n\t}\n}",
               "{\n\tT s = 2;\n\tH {\n\t\tif (S(b[i]) > 2)\n\t\t\ts = a[i];\n\t\telse\n\t\t\ts = W(b[i]);\n\t\tc[i] = s;\n\t\tif (S(a[i]) > 1)\n\t\t\ts = 3;\n\t\tc[i + 1] = s;\n\t}\n}",
               "{\n\tT *p;\n\tint q;\n\tH {\n\t\tp = c + i * 3;\n\t\tJ\n\t\t\tp[j] = W(b[j] + p[0]);\n\t\tp = a + i;\n\t\t*p = W(*p + 1);\n\t\tq = i * 9;\n\t\tJ\n\t\t\tc[q + j] = b[i];\n\t}\n\tH {\n\t\tp = a + i;\n\t\tq = i + 1;\n\t\tp[1] = W(b[q]);\n\t}\n}",
               "{\n\tint s, e = 0;\n\tH {\n\t\te = glimit[i & 3];\n\t\tfor (s = 0; s < e; s++)\n\t\t\tc[i] = W(c[i] + b[s]);\n\t\te = glimit[(i + 1) & 3];\n\t\tfor (s = e; s > 0; s--)\n\t\t\tr += (unsigned)S(b[s]);\n\t\te = S(b[i]);\n\t\ta[i] = e;\n\t}\n\tr += (unsigned)e * 0;\n}",
               "{\n\tint s = 3, u;\n\tH {\n\t\tu = s;\n\t\ts = S(b[i]);\n\t\tc[i] = u + s;\n\t\tu = s * 2;\n\t\tJ {\n\t\t\ts = u + j;\n\t\t\tc[j] = s & 63;\n\t\t}\n\t}\n\tr += (unsigned)s;\n}"),
    "borders": ("H\n\tc[i] = W(b[i == 0 ? 0 : i - 1] + b[i == n - 1 ? i : i + 1]);", "H\n\tc[i] = W(b[(i + 1) % n] + b[(i + n - 1) % n]);", "H {\n\tint q = i * 9, w = i > 0 ? q - 9 : q, e = i + 1 < n ? q + 9 : q;\n\tJ\n\t\tc[q + j] = W(b[w + j] + b[e]);\n}",
                "{\n\tint i, j, p, q;\n\tfor (i = 0; i < n; i++)\n\t\tfor (j = 0; j < m; j++) {\n\t\t\tp = (i + 1) % n;\n\t\t\tq = j == m - 1 ? 0 : j + 1;\n\t\t\tc[i * 9 + j] = W(b[p * 9 + q] + b[((i + n - 1) % n) * 9 + (j + m - 1) % m]);\n\t\t}\n}",
                "H<\n\tJ {\n\t\tint s = 0;\n\t\tfor (int d = -1; d <= 1; d++)\n\t\t\tfor (int f = -1; f <= 1; f++)\n\t\t\t\ts += S(b[(i + d + n) % n * 9 + (j + f + m) % m]);\n\t\tc[i * 9 + j] = s & 63;\n\t}",
                "H\n\ta[i] = W(a[i < 2 ? 0 : i - 2] + b[i]);", "H\n\tif (i == 0 || S(b[i]) > 2)\n\t\tc[i] = i > n - 3 ? 1 : W(b[i]);\n\telse\n\t\tc[i] = 2;", "for (int i = n - 1; i >= 0; i--)\n\tc[i] = W(b[i == n - 1 ? 0 : i + 1] + b[i ? i - 1 : 0]);",
                "for (unsigned i = 0; i < (unsigned)n; i++)\n\tc[i] = W(b[(i + 1) % (unsigned)n] + b[i == 0 ? 0 : i - 1]);", "for (int i = 0; i < n; i += 3)\n\tc[i] = W(b[i < 3 ? 0 : i - 3] + b[!(i + 3 < n) ? 0 : i + 3]);",
                "H {\n\tt = i == 0 || !(i + 1 < n) ? 3 : 5;\n\tc[i] = W(b[i] + t);\n\tif (i < 1)\n\t\tcontinue;\n\ta[i] = W(a[i - 1] + t);\n}"),
    "strides": tuple(text.replace("M", "(m - 1)") for text in (
        "H<\n\tfor (int j = 0; j < M; j++)\n\t\tc[i * M + j] = W(c[i * M + j] + b[j]);", "H<\n\tJ\n\t\tc[i * M + j] = W(c[i * M + j] + b[j]);",
        "for (int j = 0; j < M; j++)\n\tH<\n\t\tc[(i + 1) * M + j] = W(c[i * M + j] + b[i]);", "for (int j = 1; j < m; j++)\n\tH<\n\t\tc[(i + 1) * M - j] = W(c[i * M + M - j] + b[j]);",
        "for (int j = 0; j + 1 < M; j++)\n\tH<\n\t\tc[i * M + M + j] = W(c[i * M + j + 1] + b[i]);",
        "for (int q = 0; q < 3; q++)\n\tfor (int j = 0; j < M; j++)\n\t\tH<\n\t\t\tif (i < 3)\n\t\t\t\tc[(i * M + j) * (k + 3) + q] = W(c[(j * M + i) * (k + 3) + q] + b[j]);")),
    "wrapping": tuple("{\n\tunsigned s = k > 4 ? 0x80000001u : 7u;\n\tfor (unsigned i = 0; i < (unsigned)n; i++)\n\t\tfor (unsigned j = 0; j < 6; j++)%s\n}" % body for body in (
        "\n\t\t\tc[2 * i * s + j] = W(c[2 * i * s + j] * 3 + b[j] + (T)i);", "\n\t\t\tc[(i + i) * s + j] = W(b[i] + b[j]);",
        "\n\t\t\tc[(size_t)(2 * i * s) + j] = W(c[(size_t)(2 * i * s) + j] * 3 + (T)i);", "\n\t\t\tc[(long)(2u * s * i) + (long)j] = W(b[i] + b[j] * 3);",
        " {\n\t\t\tunsigned at = 2 * i * s + j;\n\t\t\tc[at] = W(c[at] * 3 + b[i]);\n\t\t}", "\n\t\t\tr += (unsigned)S(c[(unsigned)(2L * i * s) + j]) * (i + j);",
        "\n\t\t\tc[(int)(2 * i * s + j)] = W(c[(int)(2 * i * s + j)] * 3 + b[i]);", "\n\t\t\tc[(2 * i + 2) * s - 2 * s + j] = W(b[j] + (T)i);")),
    "guarded": ("H\n\tfor (int q = -1; q <= 1; q++)\n\t\tif (i + q >= 0 && i + q < n)\n\t\t\tc[i] = W(c[i] + b[i + q]);",
                "H\n\tJ\n\t\tfor (int q = -1; q <= 1; q++)\n\t\t\tfor (int p = -1; p <= 1; p++)\n\t\t\t\tif (i + q >= 0 && i + q < n && j + p >= 0 && j + p < m)\n\t\t\t\t\tc[i * 9 + j] = W(c[i * 9 + j] + b[(i + q) * 9 + j + p]);",
                "H\n\tfor (int q = 0; q < 3; q++) {\n\t\tt = i - 1 + q;\n\t\tif (t >= 0 && t < n)\n\t\t\tc[i] = W(c[i] + b[t]);\n\t}",
                "H\n\tJ\n\t\tif ((i + j) % 2 == 0)\n\t\t\tc[i * 9 + j] = W(c[i * 9 + j] + 1);",
                "H<\n\tJ\n\t\tif ((i + j) % 2 == 1)\n\t\t\tgx[i][j] = W(gx[i][j] + gy[i][j]);",
                "H<\n\tJ\n\t\tfor (int q = -1; q <= 1; q++)\n\t\t\tif (i + q >= 0 && i + q < n)\n\t\t\t\tgx[i][j] = W(gx[i][j] + gy[i + q][j]);",
                "H<\n\tJ\n\t\tif (i > 0 && j + 1 < m)\n\t\t\tgx[i][j] = gx[i - 1][j + 1];\n\t\telse\n\t\t\tgx[i][j] = W(gy[i][j] + 2);",
                "H {\n\tif (i > 0)\n\t\tc[i] = b[i - 1];\n\telse\n\t\tc[i] = b[i];\n}", "H\n\tif (i < k || i == n - 1)\n\t\tc[i] = W(b[i] + 2);",
                "H\n\tif (i >= 1 && i < n - 1)\n\t\tc[i] = W(b[i - 1] + b[i + 1]);\n\telse\n\t\tc[i] = 1;", "H\n\tif (i != k && i != k + 1)\n\t\tc[i] = W(c[i] + b[i]);",
                "H\n\tJ\n\t\tif (i != j)\n\t\t\tc[i * 9 + j] = W(c[i * 9 + j] + b[j]);", "H\n\tJ\n\t\tif (j >= i && j < i + 2)\n\t\t\tc[i * 9 + j] = W(c[i * 9 + j] + b[i]);"),
    "met": ("H\n\tc[i] = W(c[i] + c[k] * 3);", "H {\n\tif (i != k)\n\t\tc[i] = W(c[i] + b[i]);\n\telse\n\t\tc[i] = 1;\n}", "H\n\tJ\n\t\tc[i * 9 + j] = W(c[i * 9 + j] + c[i * 9 + k] * b[j]);",
            "J\n\tH\n\t\tc[i] = W(c[i] + c[j] * 3 + c[k]);", "for (int q = 0; q < 6; q++)\n\tE8\n\t\tF8\n\t\t\tgx[i][j] = W(gx[i][j] + gx[i][q] * gx[q][j]);",
            "for (int q = 0; q < 6; q++)\n\tfor (int i = q + 1; i < 8; i++)\n\t\tfor (int j = q + 1; j < 8; j++)\n\t\t\tgx[i][j] = W(gx[i][j] + gx[i][q] * gx[q][j]);",
            "H {\n\ta[i] = W(a[i] + a[m]);\n\tr += (unsigned)S(a[m + 1]);\n}", "for (int q = 0; q < 6; q++)\n\tE8\n\t\tF8\n\t\t\tgx[i][j] = S(gx[i][j]) < S(gx[i][q]) + 2 ? gx[i][j] : gx[q][j];",
            "E8\n\tfor (int j = 7; j >= 0; j--)\n\t\tgx[i][j] = W(gx[i][j] + gx[i][m] + gy[i][j]);", "H\n\ta[i + 1] = W(a[i + 1] + a[k] + a[m + 3]);"),
    "corners": ("H {\n\tT s = 1;\n\tfor (int j = 0; j < i; j++)\n\t\ts = W(s * 3 + b[j]);\n\ta[i] = s;\n}", "H {\n\tT s = W(a[i]);\n\tfor (int j = i + 1; j < n; j++)\n\t\ts = W(s * 3 + b[j]);\n\tc[i] = s;\n}",
                "H {\n\tT s = 1;\n\tfor (int j = 0; j < n; j++)\n\t\tif (j != i)\n\t\t\ts = W(s * 3 + b[j]);\n\tc[i] = W(s + b[i]);\n}", "H {\n\tT s = b[i];\n\tfor (int j = 0; j < i; j++)\n\t\ts = W(s * 3 + a[j] + b[j]);\n\ta[i] = s;\n}",
                "H\n\tfor (int j = 0; j < n; j++)\n\t\tif (i == j)\n\t\t\tt ^= S(b[i]);\n\t\telse if (j > i)\n\t\t\tc[j] = W(c[j] + b[i]);\n\t\telse\n\t\t\tr = r * 3 + (unsigned)S(b[j]);",
                "H {\n\tT s = 0;\n\tfor (int j = 0; j <= i; j++)\n\t\ts = W(s * 3 + b[j]);\n\tc[i] = s;\n\tfor (int j = i; j < n; j += 2)\n\t\ts = W(s * 5 + b[j + 1]);\n\ta[i] = s;\n}",
                "H {\n\tT s = 0;\n\tJ\n\t\tfor (int q = 0; q < i; q++)\n\t\t\tif (q != j)\n\t\t\t\ts = W(s * 3 + b[q + j]);\n\tc[i] = s;\n}",
                "H {\n\tT s = 2;\n\tfor (int j = i > 3 ? i - 3 : 0; j < i + 2; j++)\n\t\ts = W(s * 3 + b[j]);\n\tc[i] = W(c[i] + s);\n}", "H<\n\tfor (int j = i; j < n; j++) {\n\t\tT s = c[i + j];\n\t\tfor (int q = i; q <= j; q++)\n\t\t\ts = W(s * 3 + b[q]);\n\t\tc[i + j] = s;\n\t}"),
    "called": ("H\n\tc[i] = row_of(b, b + i, m);", "H {\n\tT s = row_of(b + i, a, m);\n\ta[i] = W(s + b[i]);\n}", "H {\n\tT s;\n\ts = row_of(b, b + i, i);\n\tif (S(s) > t) {\n\t\tt = S(s);\n\t\tr += (unsigned)i;\n\t}\n}",
               "H\n\trow_to(c + i, b + i, m);", "H\n\tJ\n\t\trow_to(c + i * 9, b + j, m);", "H\n\tif (row_of(b, b + i, m) > turned(b + i, m))\n\t\tc[i] = 1;\n\telse\n\t\tc[i] = row_of(c, b, 3);",
               "H\n\tc[i] += row_of(c, b + i, m) * 2;", "H\n\tr += (unsigned)table_of(i, b + i, m);", "H\n\tc[i] = W(nested(b + i, m) + turned(b, m));", "H\n\tc[i] = S(b[i]) > 2 ? row_of(b, b + i, m) : turned(b, 2);",
               "if (n > 0) {\n#pragma omp parallel for\nH<\n{\n#pragma omp critical\n\tr += (unsigned)S(row_of(b, b + i, m));\n}\n}", "if (n > 0) {\n#pragma omp parallel for\nH<\n\tif (S(row_of(b, b + i, m)) > 1) {\n#pragma omp atomic\n\t\tr += (unsigned)S(b[i]);\n\t}\n}",
               "H\n\tc[i] = late(b + i, m);", "H\n\ta[i] = set_and(c, b + i, m);", "H\n\tr += (unsigned)S(set_and(c + i, b, m));", "H\n\tgtotal = S(row_of(b, b + i, m)) + gtotal;",
               "H<\n\tgx[i][0] = row_of(gx[i], gy[i], m);", "H<\n\tJ\n\t\tgx[i][j] = row_of(gy[i], gy[j], m);", "H<\n\tJ {\n\t\tint i2 = S(row_of(b + j, b + i, m)), s = i2 + 1;\n\t\tc[i * 9 + j] = row_of(b, b + s, i2);\n\t}"),
    "functions": (), "pragmas": (), "refused": (),
}

# ---- nests of the rows of tables

# What a parameter of the letter is given, see functions.def; of the builtins, which have no letters, by the name.
GIVEN = {"d": "(S(b[i]) * 0.25 + 0.125)", "i": "S(b[i])", "u": "(unsigned)S(b[i])", "l": "(long)S(b[i])", "L": "(long long)S(b[i])"}
BUILTIN = ((r"popcount|parity|ffs|clrsb", ("i",)), (r"clz|ctz", ("8 | i",)), (r"bswap", ("i",)), (r"is(nan|inf|finite|normal)|signbit", ("d",)),
           (r"isgreater|isless|isunordered", ("d", "d")), (r"huge_val|_inff?$", ()), (r"expect_with", ("i", "2", "0.5")), (r"expect$", ("i", "2")))
WHERE = {"w": "&c[i + 1]", "x": "&c[i + 1]", "r": "&b[i]", "-": "S(b[i])", "n": "2 * sizeof *c"}
NAMED = {"__builtin_prefetch": "__builtin_prefetch(&b[i]);", "__builtin_unreachable": "if (S(b[i]) > 99)\n\t\t__builtin_unreachable();", "bzero": "__builtin_bzero(&c[i + 1], sizeof *c);",
         "strlen": "t += (int)strlen(gtext + (i & 7));", "strcmp": "t += strcmp(gtext + (i & 7), gtext + 8) > 0;", "strncmp": "t += strncmp(gtext + (i & 7), gtext + 8, 3) > 0;",
         "strcpy": "strcpy(gtext + 40 + (i & 7), gtext + 8);\n\tt += gtext[41 + (i & 3)];", "strncpy": "strncpy(gtext + (i & 7), gtext + 9, 2);", "strcat": "if (i < 5)\n\t\tstrcat(gtext, \"ab\");",
         "printf": "fprintf(gout, \"%d\", i);", "fprintf": "fprintf(gout, \"%d\", i);", "fputs": "fputs(i & 1 ? \"x\" : \"yz\", gout);", "fputc": "fputc('a' + (i & 7), gout);", "putc": "putc('a' + (i & 7), gout);",
         "fflush": "fputc('a' + (i & 7), gout);\n\tfflush(gout);"}
UNTRIED = ("min", "max", "clamp", "puts", "putchar", "perror", "terminate", "__assert_fail", "__assert", "__assert_rtn", "_exit")  # of C++, headers, stdout


def of_function(name, prototype, does, memory):
    """A nest that must be read, of what prints one that must not be; None: it cannot be tried here."""
    if name in UNTRIED or does == "INPUT" or "c" in prototype[:1] + prototype[1:].replace("k", ""):
        return None
    if name in NAMED:
        body = NAMED[name]
    elif does == "ENDS":
        body = "if (S(b[i]) > 99)\n\t\t%s(%s);" % (name, "3" if "xit" in name else "")
    elif does == "MEMORY":
        call = "%s(%s)" % (name, ", ".join(WHERE[letter] for letter in memory))
        body = "r += (unsigned)(%s != 0);" % call if prototype[0] == "i" else call + ";\n\tc[i] = W(c[i + 1] + b[i]);"
    else:
        letters = prototype[1:] if prototype else next((given for words, given in BUILTIN if re.search(words, name)), None)
        if letters is None:
            return None
        call = "%s(%s)" % (name, ", ".join(GIVEN.get(letter, letter.replace("i", "(unsigned)S(b[i])")) for letter in letters))
        body = "c[i] = (T)D(%s);" % call
    return "H< %s {\n\t%s\n}" % (LEFT if does == "PRINTS" else READ, body)


NESTS["functions"] = tuple(filter(None, (of_function(*row) for row in rows_of(FUNCTIONS, "FUNCTION")))) or NESTS["builtins"]
# What a clause's loop holds, and what stands in its parentheses.
CLAUSE_BODY = {"private": ("(t)", CLAUSES[1][1]), "firstprivate": ("(t)", CLAUSES[2][1]), "lastprivate": ("(t)", CLAUSES[3][1]), "shared": ("(c)", None), "default": ("(shared)", None),
               "reduction": ("(+ : r)", "r += S(b[i]);"), "schedule": ("(static, 2)", None), "num_threads": ("(2)", None), "if": ("(n > 8)", None), "proc_bind": ("(close)", None),
               "nowait": ("", None), "collapse": ("(2)", "J\n\tc[i * 9 + j] = W(b[j] + a[i]);"), "ordered": ("", "{\n#pragma omp ordered\n\tr = r * 3 + (unsigned)S(b[i]);\n}"),
               "linear": ("(t : 3)", CLAUSES[4][1]), "safelen": ("(4)", "a[i + 4] = W(a[i] + b[i]);"), "simdlen": ("(4)", None), "order": ("(concurrent)", None), "simd": ("", None)}


def of_clause(word):
    """The clause in each directive that may have it, before one loop, and before two that may be fused."""
    value, body = CLAUSE_BODY.get(word, (None, None))
    for directive in ("parallel for", "for", "simd"):
        fits = {"num_threads": ("parallel for",), "if": ("parallel for",), "proc_bind": ("parallel for",), "shared": ("parallel for",), "default": ("parallel for",), "nowait": ("for",),
                "safelen": ("simd",), "simdlen": ("simd",), "order": ("simd",), "firstprivate": ("parallel for", "for"), "schedule": ("parallel for", "for"),
                "ordered": ("parallel for", "for"), "simd": ("parallel for", "for")}.get(word, ("parallel for", "for", "simd"))
        if value is None or directive not in fits or (directive == "for" and word in ("reduction", "linear", "lastprivate")):
            continue
        text = "#pragma omp %s %s%s\nH0\n\t%s" % (directive, word, value, body or "c[i] = W(b[i] + 1);")
        behind = "\nH0 {\n\tt += S(b[i]);\n\ta[i] = t & 63;\n}" if directive != "for" else "\n#pragma omp for\nH0\n\ta[i] = W(a[i] + 2);"
        for more in ("", behind):
            yield ("if (n > 0) {\n%s\n}" if directive != "for" else "if (n > 0) {\n#pragma omp parallel\n{\n%s\n}\n}") % (text + more)


def of_pragma(words):
    """A pragma that only counts for the loop behind it."""
    if words in ("omp simd", "omp parallel for") or not words.startswith(("omp", "STDC", "push", "pop", "message", "parallel")):
        yield "#pragma %s\nH0\n\ta[i + 1] = W(a[i] + b[i]);" % (words.replace("clang loop", "clang loop unroll_count(2)").replace("GCC unroll", "GCC unroll 4")
                                                             if "omp" not in words else "STDC FP_CONTRACT OFF")


NESTS["pragmas"] = tuple(nest for row in rows_of(OPENMP, "CLAUSE") for nest in of_clause(row[0])) + tuple(
    nest for row in rows_of(OPENMP, "PRAGMA") for nest in of_pragma(row[0])) or NESTS["clauses"]
# Nothing models them.
REFUSED = ("H {\n\t__asm__ volatile(\"\" : : : \"memory\");\n\tc[i] = b[i];\n}", "H\n\tc[i] = other(i);", "H {\n\tgvolatile = i;\n\tc[i] = b[i];\n}", "H {\n\tif (S(b[i]) > 6)\n\t\tgoto out;\n\tc[i] = b[i];\n}",
           "H {\n\tint *p = __builtin_alloca(sizeof(int));\n\t*p = i;\n\tc[i] = *p & 63;\n}", "H\n\tgchoose(&a[i]);", "H {\n\tif (S(b[i]) > 6)\n\t\treturn r;\n\tc[i] = b[i];\n}", "H {\n\tc[i] = ({ int x = S(b[i]); for (; x > 2; x--) r++; x; });\n}",
           "H {\n\t__atomic_fetch_add(&gtotal, 1, __ATOMIC_SEQ_CST);\n\tc[i] = b[i];\n}", "H {\n\tstatic void *to[] = {&&one, &&two};\n\tgoto *to[i & 1];\none:\n\tc[i] = 1;\ntwo:\n\ta[i] = 2;\n}", "H\n\tqsort(c, 4, sizeof *c, compare);",
           "H {\n\tint v[S(b[i]) + 1];\n\tv[0] = 1;\n\tc[i] = v[0];\n}", "H\n\tr += (unsigned)printf(\"%s\", \"\");")

FRONT = """#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define EACH(n) for (int i = 0; i < (n); i++)
#define EACH_J for (int j = 0; j < m; j++)
#define LOOP(i, n, body) for (int i = 0; i < (n); i++) { body; }
#define SWAP(p, q) do { T s_ = p; p = q; q = s_; } while (0)
#define INC(x) ((x) = W((x) + 1))
#define BOTH(i) a[i] = W(b[i]); c[i] = a[i];
#define ADD_(x) for (int i = 0; i < n; i++) c[i] = W(c[i] + x * b[i]);
#define FIELDS ADD_(1) ADD_(2)
#define AT(p, i) (p)[i]
#define BEHIND ;
#define MIX(x, y) x = 1; y = (union both){2}.i
#define PAR _Pragma("omp parallel for")
#define PRAGMA(x) _Pragma(#x)
#define SUM(r) PRAGMA(omp parallel for reduction(+ : r))
#define PARLOOP(n) PAR for (int i = 0; i < (n); i++)
#define likely(x) __builtin_expect(!!(x), 1)
struct bits {
	unsigned a : 3, b : 5;
	int c : 4;
	unsigned long long d : 40;
};
struct point {
	int x, y;
	struct { int v[2]; } in;
};
union both {
	int i;
	unsigned char c[4];
	short s[2];
};
extern struct bits gbits[700];
extern struct point gpoint[700];
extern union both gunion[700];
extern int gtab[8], gtotal, glimit[4];
extern char gtext[80];
extern FILE *gout;
#define D(x) ((x) > -9 && (x) < 9 ? (int)((x) * 4) & 63 : 1)
extern volatile int gvolatile;
extern int (*gother)(int);
extern void (*gchoose)(T *);
T *restrict gp, *gq, *gkept;
extern T **gx, **gy;
static T *put(T *p, T v)
{
	*p = W(v + 1);
	return p;
}
static T *at(T *p, int i) { return p + i; }
static void keep(T *p) { gkept = p; }
static void clear(T *p) { p[0] = 0; p[1] = 1; }
static void bump(int *p, int v) { *p += v; }
static int twice(int x) { return x * 2; }
static int picked(int k, int x)
{
	switch (k) {
	case 0:
		return x & 7;
	case 1:
		x += 2;
	default:
		return x & 15;
	}
}
int other(int i);
static T row_of(const T *p, const T *q, int n)
{
	int i;
	T s = 0;
	for (i = 0; i < n; i++)
		s = W(s * 3 + p[i] - q[i]);
	return s;
}
static void row_to(T *to, const T *from, int n)
{
	int j;
	for (j = 0; j < n; j++)
		to[j] = W(to[j] + from[j]);
}
static T turned(const T *p, int n)
{
	T s = *p;
	for (; n > 0; n--)
		s = W(s * 3 + p[n - 1]);
	return s;
}
static int table_of(int k, const T *p, int m)
{
	T w[4];
	int i;
	for (i = 0; i < 4; i++)
		w[i] = W(p[i] + k);
	for (i = 0; i < m; i++)
		w[i & 3] = W(w[i & 3] * 3 + p[i]);
	return S(w[k & 3]);
}
static T nested(const T *p, int n)
{
	T s = 1;
	int i;
	for (i = 0; i < 2; i++)
		s = W(s + row_of(p + i, p, n));
	return s;
}
static T late(const T *p, int n)
{
	int i;
	for (i = 0; i < n; i++)
		if (S(p[i]) == 3)
			return W(p[i] + 1);
	return *p;
}
static T set_and(T *p, const T *q, int n)
{
	T s = 0;
	int i;
	for (i = 0; i < n; i++) {
		p[i] = W(q[i] + 1);
		s = W(s * 3 + p[i]);
	}
	return s;
}
static int compare(const void *x, const void *y) { return (*(const T *)x > *(const T *)y) - (*(const T *)x < *(const T *)y); }
"""
# What is called and what it is called with; `c` is the file's.
BEHIND = """#ifdef TEST
#include "bench/kernel_call.h"
struct bits gbits[700];
struct point gpoint[700];
union both gunion[700];
int gtab[8], gtotal, glimit[4];
char gtext[80];
static char gprinted[400];
FILE *gout;
volatile int gvolatile;
static T gwork[1024];
/* Rows that lie apart, between each other, backwards, in no order; that are one, that share memory with their own or with the others. */
static T gcells[330 * 160], *gtable[2][160];
T **gx, **gy;
static void lay(int how)
{
	int i, k;
	for (i = 0; i < 160; i++)
		for (k = 0; k < 2; k++)
			gtable[k][i] = gcells + 160 * (how == 0 ? 160 * k + i : 2 * (how == 2 ? 159 - i : how == 3 ? i * 7 % 160 : i) + k);
	if (how == 4)
		gtable[0][3] = gtable[0][1];
	if (how == 5)
		gtable[0][2] = gtable[0][1] + 3;
	if (how == 6)
		gtable[0][1] = gtable[1][4] + 2;
	if (how == 7)
		gtable[1][2] = gwork + 1;
	gx = gtable[0];
	gy = gtable[1];
}
static int first(int i) { return i + 1; }
static void second(T *p) { *p = W(*p + 3); }
int (*gother)(int) = first;
void (*gchoose)(T *) = second;
int other(int i) { gtotal += i & 3; return gtotal & 63; }
static void reset(void)
{
	int i;
	memset(gbits, 0, sizeof gbits);
	memset(gpoint, 0, sizeof gpoint);
	for (i = 0; i < 700; i++)
		gunion[i].i = i * 77 % 1000;
	for (i = 0; i < 8; i++)
		gtab[i] = i * 5 & 7;
	for (i = 0; i < 4; i++)
		glimit[i] = i * 3 & 7;
	for (i = 0; i < 1024; i++)
		gwork[i] = i * 7 % 13;
	memset(gtext, 0, sizeof gtext);
	memcpy(gtext, "0123456b8012efg\\0xyz", 20);
	memset(gprinted, 0, sizeof gprinted);
	gout = gout ? gout : fmemopen(gprinted, sizeof gprinted, "w");
	rewind(gout);
	for (i = 0; i < 330 * 160; i++)
		gcells[i] = i * 5 % 11;
	gtotal = 3;
	gvolatile = 0;
	gkept = gp = gq = 0;
}
static void note(void)
{
	call_note(gbits, sizeof gbits, (struct call_type){'u', 1});
	call_note(gpoint, sizeof gpoint, (struct call_type){'u', 1});
	call_note(gunion, sizeof gunion, (struct call_type){'u', 1});
	call_note(gtab, 8, (struct call_type){'i', 4});
	call_note(gwork, 1024, (struct call_type){KIND, sizeof(T)});
	call_note(gcells, 330 * 160, (struct call_type){KIND, sizeof(T)});
	fflush(gout);
	call_note(gprinted, sizeof gprinted, (struct call_type){'u', 1});
	call_note(gtext, sizeof gtext, (struct call_type){'u', 1});
	call_note(&gtotal, 1, (struct call_type){'i', 4});
}
static void extents(const struct call *call, long *ea, long *eb)
{
	call_extend(ea, call->first + 80);
	call_extend(eb, call->first * 4 + 80);
}
static void *global_of(enum alias alias, long *length)
{
	*length = 0;
	return alias == APART ? 0 : gwork;
}
static void invoke(const struct call *call, void *a, void *b)
{
	lay((int)(call->first + call->second) % 8);
	unsigned r = kernel((int)call->first, (int)call->m, (int)call->second, a, b, gwork);
	call_note(&r, 1, (struct call_type){'u', 4});
}
static const struct call call[] = {
	{"plain", 0, 0, 3, 0, APART, 0}, {"plain", 1, 3, 1, 0, APART, 0}, {"plain", 2, 5, 4, 1, APART, 0}, {"plain", 3, 1, 2, 0, APART, 0},
	{"plain", 5, 4, 9, 0, APART, 0}, {"plain", 8, 3, 7, 2, APART, 0}, {"plain", 9, 2, 0, 0, APART, 0}, {"plain", 16, 0, 5, 1, APART, 0},
	{"plain", 17, 3, 9, 0, APART, 0}, {"plain", 33, 5, 8, 0, APART, 0}, {"plain", 67, 4, 9, 0, APART, 0}, {"plain", 67, 1, 3, 2, APART, 0}};
static const struct call_kernel table = {call, sizeof(call) / sizeof(call[0]), {KIND, sizeof(T)}, {KIND, sizeof(T)}, extents, invoke, reset, note,
	global_of};
int main(int argc, char **argv)
{
	return call_main(argc, argv, &table);
}
#endif
"""
CLASSES = tuple(NESTS)


class Written:
    """only: the class of all kernels; "" = by turns."""

    def __init__(self, seed, number, only=""):
        self.state = (seed * 7000003 + number) % 2**64
        self.what = only or CLASSES[number % len(CLASSES)]
        self.type, self.kind, self.bytes = TYPES[self.below(len(TYPES))]
        self.layout = ("", "", "", "crlf", "line", "old")[self.below(6)]
        self.other, self.reassociate = "", False
        nests = [self.nest(self.what, number + 2 * (seed - 1) if only else None)]  # bench/mutants tries two kernels a seed
        for _ in range(self.below(3)):
            nests.insert(self.below(2) * len(nests), self.nest(CLASSES[self.below(len(CLASSES))] if self.below(2) else self.what))
        if self.layout == "line" and any(LEFT in nest or READ in nest for nest in nests):
            self.layout = ""
        if any("#pragma" in nest or "\n#" in nest or "PAR" in nest or "SUM" in nest for nest in nests) and self.layout == "line":
            self.layout = ""
        self.flags = "-std=gnu89" if self.layout == "old" else ""
        self.text = self.write("\n".join(nests))

    # splitmix64, as core/base/random.c has it
    def below(self, limit):
        self.state = (self.state + 0x9e3779b97f4a7c15) % 2**64
        z = self.state
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 % 2**64
        z = (z ^ z >> 27) * 0x94d049bb133111eb % 2**64
        return (z ^ z >> 31) % limit

    def pick(self, items):
        return items[self.below(len(items))]

    def head(self, plain):
        return self.pick(PLAIN_HEADS if plain else HEADS if self.below(2) else PLAIN_HEADS)

    def nest(self, what, number=None):
        """With a number: one after the other."""
        texts = REFUSED if what == "refused" else NESTS[what]
        text = texts[number % len(texts)] if number is not None else self.pick(texts)
        if what == "refused":
            text = text.replace("H", "H " + LEFT, 1)
        same = PLAIN_HEADS[0]
        text = re.sub(r"\bH0", same, text)
        text = re.sub(r"\bH<", lambda _: self.head(True), text)
        text = re.sub(r"\bH\b", lambda _: self.head(False), text)
        text = re.sub(r"\bJ\b", "for (int j = 0; j < m; j++)", text)
        text = re.sub(r"\bE8\b", "for (int i = 0; i < 8; i++)", text)
        text = re.sub(r"\bF8\b", "for (int j = 0; j < 8; j++)", text)
        frame = self.pick(FRAMES) if what == "else" or self.below(3) == 0 else "N"
        # a frame takes one statement; a label stands once in a function
        if re.search(r"^(int|again:|#pragma omp \w+( for| simd)?.*\n)|^\S.*\n(PAR|for|H)|next:|one:|^i = 0|^;|^FIELDS", text) or "\nfor (" in re.sub(r"\n\t", "", text):
            text = "{\n%s\n}" % text
        if frame.count("N") > 1 and ("next:" in text or "one:" in text) or "again:" in frame and self.__dict__.get("labelled"):
            frame = "N"
        self.labelled = self.__dict__.get("labelled", False) or "again:" in frame
        return re.sub(r"\bN\b", lambda _: text, frame)

    def old(self, body):
        """No declarations in heads: what counts is declared in a block around the loop."""
        names = {}

        def moved(match):
            kind, rest = match.groups()
            if kind == "int" and re.fullmatch(r"\w+ = [^,;]*", rest):
                names.setdefault(rest.split()[0], kind)
                return "for (%s;" % rest
            return match.group()
        body = re.sub(r"\bfor \((int|long) ([^;]*);", moved, body)
        return body, "".join("\tint %s;\n" % name for name in names if name not in ("i", "k", "n", "m", "t"))

    def write(self, body):
        promise, front = ("restrict " if self.below(2) else ""), FRONT
        declared = ""
        if self.layout == "old":
            whole = body
            body, declared = self.old(body)
            front = front.replace("for (int i = 0; i < (n)", "for (i = 0; i < (n)").replace("for (int i = 0; i < n", "for (i = 0; i < n").replace(
                "for (int j = 0", "for (j = 0").replace("LOOP(i, n, body) for (int", "LOOP(i, n, body) for (")
            declared += "" if "\tint j;" in declared else "\tint j = 0;\n"
            # an inner counter that stands outside of the loops is shared by the threads
            shared = re.search(r"omp (parallel|for)|PAR|SUM", whole) and re.search(r"int j|EACH_J", whole)
            if shared or re.search(r"for \((int|unsigned|long|const|T|struct)\b", body):
                self.flags, self.layout = "", ""
                return self.write_rest(promise, FRONT, "", whole)
            promise = "__" + promise if promise else ""
            front = front.replace("*restrict", "*__restrict")
        return self.write_rest(promise, front, declared, body)

    def write_rest(self, promise, front, declared, body):
        body = re.sub(r"\bR\b", promise.strip() or "", body)
        left = "out:" if "goto out" in body else ""
        lines = ["/* class: %s */\n" % self.what]
        small, value = ("((int)((x) > 0.25))", "((x) * (T)0.25)") if self.kind == "f" else ("((int)((x) & 7))", "((T)((x) & 63))")
        lines.append("typedef %s T;\n#define S(x) %s\n#define W(x) %s\n" % (self.type, small, value))
        lines.append(front + "#pragma inflight kernel\n")
        function = "unsigned kernel(int n, int m, int k, T *%sa, const T *%sb, T *%sc)\n{\n\tunsigned r = 1;\n\tint i = 0, t = 2;\n%s%s\n%s\treturn r + (unsigned)t + (unsigned)(i & 1) * 0;\n}\n" % (
            promise, promise, promise, declared, "\n".join("\t" + line if not line.startswith("#") else line for line in body.split("\n")), left)
        if self.layout == "line" and "#" not in function and "//" not in function:
            function = re.sub(r"\s*\n\s*", " ", function).rstrip() + "\n"
        text = "".join(lines) + function + BEHIND.replace("KIND", "'%s'" % self.kind)
        return text.replace("\n", "\r\n") if self.layout == "crlf" else text
