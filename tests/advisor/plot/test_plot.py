#!/usr/bin/env python3
"""Pictures by advisor/plot/inflight-plot: gnuplot's scripts against files of tests/data/plot (UPDATE_GOLDEN=1 rewrites them),
what gnuplot makes of them, and what is refused.

    test_plot.py [TEST...]
"""
import copy
import importlib.machinery
import importlib.util
import io
import json
import os
import shutil
import sys
import tempfile
import unittest
from contextlib import redirect_stderr
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "tests/data/plot"
UPDATE = "UPDATE_GOLDEN" in os.environ


def load_script():
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("plot", str(ROOT / "advisor/plot/inflight-plot"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("plot", loader))
    sys.modules["plot"] = module
    loader.exec_module(module)
    return module


plot = load_script()


def document(name):
    return json.loads((DATA / name).read_text())


def sweep():
    return document("../advisor/series/series.json")


def words():
    """A sweep along an axis of words: pages alone, two measured points, no limits."""
    series = sweep()
    series["limits"] = dict.fromkeys(series["limits"])
    series["axes"], series["title"] = series["axes"][1:], None
    series["points"] = [point for point in series["points"] if point["state"] == "measured"][:2]
    for point, pages in zip(series["points"], ("small", "huge")):
        point["at"] = {"pages": pages}
        point["figures"] = copy.deepcopy(series["points"][0]["figures"])
    return series


def run(*arguments):
    """Status and standard error of the script."""
    errors = io.StringIO()
    with redirect_stderr(errors):
        status = plot.main([str(argument) for argument in arguments])
    return status, errors.getvalue()


class Scripts(unittest.TestCase):
    maxDiff = None

    def check(self, golden, kind, *documents):
        path, got = DATA / golden, plot.draw(list(documents), kind).script()
        if UPDATE:
            path.write_text(got)
        self.assertEqual(got, path.read_text())

    def test_machines(self):
        whole, other = document("machine.json"), document("machine.json")
        other["name"] = "other"
        self.check("machine_svg.txt", "svg", whole)
        self.check("machine_terminal.txt", "dumb", whole)
        self.check("machine_two.txt", "pngcairo", whole, other)

    def test_sweeps(self):
        self.check("sweep_svg.txt", "svg", sweep())
        self.check("sweep_terminal.txt", "dumb", sweep())
        self.check("sweep_words.txt", "pngcairo", words())

    def test_time_lines(self):
        self.check("timeline_svg.txt", "svg", document("../advisor/timeline/memory.json"))

    def test_roofs(self):
        self.check("roofs_svg.txt", "svg", document("roofs.json"))
        self.check("roofs_terminal.txt", "dumb", document("roofs.json"))

    def test_columns_under_other_roofs_are_left_out(self):
        roofs = document("roofs.json")
        roofs["roofline"][1]["cores"] += 1
        script = plot.draw([roofs], "svg").script()
        self.assertIn("2 left out", script)
        self.assertNotIn(roofs["columns"][1]["label"], script)

    def test_every_shipped_profile(self):
        for path in sorted((ROOT / "core/machine/profiles").glob("*.json")):
            machine = json.loads(path.read_text())  # a file need not have every key
            script = plot.draw([machine], "svg").script()
            self.assertEqual("L1 queue full" in script, bool(machine["l1_mshrs"].get("used")))

    def test_numbers(self):
        for number, text in ((0.82449, "0.824"), (999.4, "999"), (3650.7, "3651"), (114e6, "114 M"), (1.5e9, "1.50 G"),
                             (1.2e-5, "1.20e-5"), (2e15, "2.00e15"), (float("inf"), "infinite"), (0, "0")):
            self.assertEqual(plot.number_text(number), text)


class Refusals(unittest.TestCase):
    def check(self, pattern, *documents):
        with self.assertRaisesRegex(plot.Refused, pattern):
            plot.draw(list(documents), "svg")

    def test_nothing_to_draw(self):
        bare, series, roofs = document("machine.json"), sweep(), document("roofs.json")
        timeline = document("../advisor/timeline/memory.json")
        bare["curves"] = []
        series["points"] = [point for point in series["points"] if point["state"] != "measured"]
        roofs["roofline"] = [None] * len(roofs["columns"])
        timeline["bins"]["values"] = [[0] * len(values) for values in timeline["bins"]["values"]]
        self.check("holds no curve", bare)
        self.check("no point was measured", series)
        self.check("there is nothing to draw", roofs)
        self.check("nothing was read", timeline)

    def test_other_documents(self):
        self.check("inflight.report/1", {"schema": "inflight.report/1"})
        self.check("no schema", [])
        self.check("only profiles of machines are drawn together", sweep(), document("machine.json"))
        self.check("not as inflight writes it: KeyError", {"schema": "inflight.series/1"})

    def test_endings(self):
        self.assertEqual([plot.kind_of(path) for path in (None, "a.svg", "/x/y.z.PNG", "my plot.Svg")],
                         ["dumb", "svg", "pngcairo", "svg"])
        for path in "a.pdf", "a", ".svg", "svg", "", "a.svg.txt", "-":
            with self.assertRaisesRegex(plot.Refused, "must end in .svg or .png"):
                plot.kind_of(path)

    def test_files(self):
        self.assertRegex(run("/no/such.json")[1], "^inflight-plot: .*No such file")
        self.assertRegex(run(Path(__file__))[1], "is no JSON")
        self.assertRegex(run("/dev/null")[1], "is empty")
        with mock.patch.dict(os.environ, PATH="/nosuchfolder"):
            self.assertEqual(run(DATA / "machine.json"),
                             (3, "inflight-plot: gnuplot is not installed; on Debian: apt install gnuplot-nox\n"))


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class Drawn(unittest.TestCase):
    """gnuplot understands every script."""

    def test_all_kinds(self):
        for each in (document("machine.json"), sweep(), words(), document("../advisor/timeline/memory.json"),
                     document("roofs.json")):
            self.assertTrue(plot.drawn(plot.draw([each], "svg")).startswith(b"<?xml"))
            self.assertTrue(plot.drawn(plot.draw([each], "pngcairo")).startswith(b"\x89PNG"))
            self.assertGreater(len(plot.drawn(plot.draw([each], "dumb"))), 1000)

    def test_any_name(self):
        """With everything that a language of commands could stumble over."""
        hit = Path(tempfile.gettempdir()) / f"hit-{os.getpid()}"
        for name in (f"it's `touch {hit}` $(touch {hit})", 'a_b^c {x} \\n "q" @x # %d', "two\nlines\ttab"):
            machine = document("machine.json")
            machine["name"] = machine["cpu_model"] = machine["source"] = name
            self.assertTrue(plot.drawn(plot.draw([machine, machine], "svg")).startswith(b"<?xml"))
        self.assertFalse(hit.exists())

    def test_the_file_is_whole_or_as_it_was(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a b.svg"
            self.assertEqual(run(DATA / "machine.json", "-o", path), (0, ""))
            self.assertTrue(path.read_bytes().startswith(b"<?xml"))
            self.assertEqual(os.listdir(folder), ["a b.svg"])
        self.assertEqual(run(DATA / "machine.json", "-o", "/nosuchfolder/x.svg")[0], 3)


if __name__ == "__main__":
    unittest.main()
