#!/usr/bin/env python3
"""Files of other tuners, read, written and refused by advisor/exchange/inflight-exchange. Those of tests/data/exchange are in
the form of the tuners' own. UPDATE_GOLDEN=1 rewrites *_results.json, written*, session_* and the errors of *.cases there.

    test_exchange.py [TEST...]
"""
import importlib.machinery
import importlib.util
import io
import json
import os
import re
import sys
import tempfile
import unittest
from contextlib import redirect_stderr
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "tests/data/exchange"
UPDATE = "UPDATE_GOLDEN" in os.environ


def load_script():
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("exchange", str(ROOT / "advisor/exchange/inflight-exchange"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("exchange", loader))
    sys.modules["exchange"] = module
    loader.exec_module(module)
    return module


exchange = load_script()


def space_of(name):
    return exchange.read_space((DATA / name).read_text())


def run(path, *arguments):
    """Status and standard error of the script."""
    errors = io.StringIO()
    with redirect_stderr(errors):
        status = exchange.main([str(path), *arguments])
    return status, errors.getvalue()


class Files(unittest.TestCase):
    maxDiff = None

    def check_golden(self, name, got):
        path = DATA / name
        if UPDATE:
            path.write_bytes(got.encode())
        self.assertEqual(got, path.read_bytes().decode())

    def check_written(self, name, to, golden):
        self.check_golden(golden, exchange.write_space(space_of(name), to))


class Read(Files):
    def test_cache_files(self):
        space = space_of("cache.json")
        first = space.results[0]
        self.assertEqual((space.kernel, space.device, space.objective), ("blur", "NVIDIA A100-PCIE-40GB", "time"))
        self.assertEqual(list(space.parameters), ["block_size_x", "unroll", "layout", "scale"])
        self.assertEqual([result.outcome for result in space.results],
                         ["correct", "correct", "compile", "runtime", "runtime", "constraints"])
        self.assertEqual([result.time_s is None for result in space.results], [False] * 2 + [True] * 4)
        self.assertAlmostEqual(first.time_s, 2.5e-3, 12)
        self.assertAlmostEqual(first.samples_s[0], 2.75e-3, 12)
        self.assertAlmostEqual(first.phases_s["compilation"], 0.4005, 12)
        self.assertEqual(first.figure("GFLOP/s"), 310.5)
        # what other times leave over may come out below 0 there
        self.assertNotIn("framework", space.results[1].phases_s)
        self.assertEqual(space.results[2].detail, "CompilationFailedConfig")

    def test_cache_files_of_kernel_tuner_1_4(self):
        """A list of objectives, and errors in a key of their own."""
        space = space_of("cache_1_4.json")
        self.assertEqual((space.objective, space.problem_size), ("time", 1000))
        self.assertEqual([result.outcome for result in space.results], ["correct", "correct", "compile", "runtime"])
        self.assertEqual(space.results[1].figure("work"), 0.5)
        self.assertEqual(space.results[2].detail, "CompilationFailedConfig")

    def test_open_cache_files(self):
        """Kernel Tuner closes its two objects only at the end."""
        text = (DATA / "cache_open.json").read_text()
        text = text[:text.rindex("}") + 1]
        for end in "", ",", ",\n", "\n":
            space = exchange.read_space(text + end)
            self.assertEqual(len(space.results), 6)
            self.assertIn("last two braces", space.note)
        with self.assertRaisesRegex(exchange.Refused, r"\d+:\d+: "):
            exchange.read_space(text[:-20])  # within an entry

    def test_t4_as_found_in_the_wild(self):
        space = space_of("t4_hub.json")
        first, second = space.results
        self.assertAlmostEqual(first.time_s, 2.5e-3, 12)
        self.assertAlmostEqual(first.phases_s["validation"], 2e-3, 12)
        self.assertEqual((second.outcome, second.detail, second.time_s), ("runtime", "RuntimeFailedConfig", None))
        self.assertEqual(exchange.key_of(second), "32,False,1.0")  # in the order of the first result

    def test_t4_as_the_schema_has_it(self):
        first, second = space_of("t4_schema.json").results
        self.assertAlmostEqual(first.time_s, 0.375, 12)  # seconds; the mean of the runs
        self.assertAlmostEqual(first.phases_s["compilation"], 0.25, 12)
        self.assertEqual((first.correctness, second.outcome), (1, "timeout"))
        space = space_of("t4_score.json")
        self.assertEqual((space.objective, space.results[0].figure("score"), space.results[0].time_s),
                         ("score", -0.429, None))

    def test_units_of_time(self):
        """Kernel Tuner's own T4 files say no unit of their times, but that of the measurement."""
        for head, unit, want_s in (({}, "ms", 3e-3), ({}, "", 3), ({"timeunit": "nanoseconds"}, "", 3e-9),
                                   ({"timeunit": "Milliseconds"}, "us", 3e-6)):
            result = {"configuration": {"a": 1}, "times": {}, "invalidity": "correct", "correctness": 1,
                      "measurements": [{"name": "time", "value": 3, "unit": unit}]}
            space = exchange.read_space(json.dumps({"metadata": head, "results": [result]}))
            self.assertAlmostEqual(space.results[0].time_s, want_s, 12)

    def test_recorded_spaces(self):
        document = {"plan": "tile(i:64,j:32)", "environment": {}, "outcome": "ok", "verified": True, "cost_s": 0.5,
                    "time_ns": {"median": 3e6, "low": 2e6, "high": 4e6, "runs": 1}, "samples_ns": [[3e6, 3e6, 0]]}
        root = {"schema": "inflight.space/1", "date": "2026-01-31T12:00:00Z", "machine": {"name": "SKX"},
                "kernel": {"function": "blur", "file": "blur.c", "words": ["set n = 100", "buffer a = uniform(0, 1)",
                                                                           "set m = 50"]},
                "measurements": [document]}
        space = exchange.read_space(json.dumps(root))
        self.assertEqual((space.kernel, space.device, space.problem_size), ("blur", "SKX", [100, 50]))
        self.assertEqual(space.results[0].timestamp, "2026-01-31T12:00:00+00:00")
        self.assertEqual(space.results[0].configuration, {"tile_i": 64, "tile_j": 32})
        self.assertEqual(space.results[0].phases_s, {"benchmark": 0.5})
        with self.assertRaisesRegex(exchange.Refused, "there are none that came to their end"):
            exchange.read_space(json.dumps(dict(root, measurements=[])))


class Written(Files):
    def test_golden(self):
        self.check_written("cache.json", "t4", "written_t4.json")
        self.check_written("cache.json", "csv", "written.csv")
        self.check_written("cache.json", "kernel-tuner", "written_cache.json")
        self.check_written("t4_hub.json", "kernel-tuner", "written_cache_hub.json")
        self.check_written("t4_score.json", "kernel-tuner", "written_cache_score.json")
        self.check_written("session.json", "t4", "session_t4.json")
        self.check_written("session.json", "kernel-tuner", "session_cache.json")
        for name in "cache", "t4_hub", "t4_score":  # what `inflight import` reads
            self.check_written(name + ".json", "inflight", name + "_results.json")

    def test_what_comes_back(self):
        """What is written is read again, and written alike, also by way of `inflight import` and `export`."""
        for name in ("written_t4", "written_cache", "written_cache_hub", "written_cache_score", "session_t4",
                     "session_cache"):
            to = "kernel-tuner" if "cache" in name else "t4"
            self.assertEqual(exchange.write_space(space_of(name + ".json"), to), (DATA / (name + ".json")).read_text())
            results = exchange.read_space(exchange.write_space(space_of(name + ".json"), "inflight"))
            self.assertEqual(exchange.write_space(results, to), (DATA / (name + ".json")).read_text())

    def test_plans_from_parameters_alone(self):
        """Other programs may keep the parameters only."""
        root = json.loads((DATA / "session_cache.json").read_text())
        for entry in root["cache"].values():
            del entry["plan"], entry["inflight"]
        documents = json.loads(exchange.write_space(exchange.read_space(json.dumps(root)), "inflight"))["measurements"]
        got = [(document["plan"], document["environment"]["pages"], document["outcome"]) for document in documents]
        for want in (("interchange(j,i) tile(j:32,i:64) simd", "small", "ok"), ("", "huge", "ok"),
                     ("prefetch(a:16,to:L2) prefetch(b:8)", "small", "timed-out"),
                     ("pack(B,kt) vec(j:8)", "small", "crashed")):
            self.assertIn(want, got)

    def test_the_last_measurement_of_a_variant_is_there(self):
        space = space_of("session.json")
        self.assertEqual([round(result.time_s * 1e3, 9) for result in space.results if result.time_s],
                         [4.0, 2.75, 2.5, 3.75])
        self.assertEqual(space.results[1].phases_s["benchmark"], 0.5 + 2.75)  # what both took
        self.assertEqual(space.results[0].samples_s, [4e-3, 6e-3])  # not the disturbed one

    def test_what_a_format_cannot_hold(self):
        result = exchange.Result({"time": 1})
        space = exchange.Space(results=[result, exchange.Result({"time": 1})])
        space.find_parameters("r")
        with self.assertRaisesRegex(exchange.Refused, "two results have the same values of all parameters: 1"):
            exchange.write_space(space, "t4")
        space.results.pop()
        with self.assertRaisesRegex(exchange.Refused, "a parameter called 'time' cannot be in a cache file"):
            exchange.write_space(space, "kernel-tuner")

    def test_compressed_files(self):
        with tempfile.TemporaryDirectory() as folder:
            packed, cut = Path(folder, "t4.json.gz"), Path(folder, "cut.json.gz")
            self.assertEqual(run(DATA / "session.json", "-o", str(packed)), (0, ""))
            self.assertEqual(exchange.read_text(packed), (DATA / "session_t4.json").read_text())
            cut.write_bytes(packed.read_bytes()[:-9])
            status, errors = run(cut)
            self.assertEqual(status, 3)
            self.assertIn("cut.json.gz", errors)
            status, errors = run(Path(folder, "nowhere.json"))
            self.assertEqual(status, 3)
            self.assertIn("No such file", errors)
            self.assertEqual(run(packed, "-o", str(Path(folder, "no", "where.json")))[0], 3)
            self.assertEqual(sorted(path.name for path in Path(folder).iterdir()), ["cut.json.gz", "t4.json.gz"])


class AsKernelTunerReadsIt(unittest.TestCase):
    """The conditions of its readers, which the schema 1.1.0 has in part. bench/exchange asks Kernel Tuner itself."""

    def check_entry(self, root, key, entry):
        values = [entry[name] for name in root["tune_params_keys"]]
        for name, value in zip(root["tune_params_keys"], values):
            self.assertIn(value, root["tune_params"][name])
        self.assertEqual(key, ",".join([str(i) for i in values]))  # simulation.py
        # result["compile_time"] + ...; the schema asks for all five and the timestamp
        for name in "compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time":
            self.assertIsInstance(entry[name], float)
        self.assertIsInstance(entry["timestamp"], str)
        # util.py, get_best_config: isinstance(x[objective], float); read_cache: three names of errors
        self.assertTrue(isinstance(entry["time"], float) or
                        entry["time"] in ("InvalidConfig", "CompilationFailedConfig", "RuntimeFailedConfig"))
        self.assertNotEqual(entry.get("times"), [])  # autotuning_methodology: len(times) of the first that has any

    def test_cache_files(self):
        for name in "written_cache.json", "written_cache_hub.json", "session_cache.json":
            text = (DATA / name).read_text()
            root = json.loads(text)
            for key in "schema_version", "device_name", "kernel_name", "objective":
                self.assertIsInstance(root[key], str)
            self.assertEqual(root["tune_params_keys"], list(root["tune_params"]))
            self.assertTrue(all(root["tune_params"].values()))
            for key, entry in root["cache"].items():
                self.check_entry(root, key, entry)
            # correct_open_cache: three characters less of the stripped text and a comma make it open
            self.assertEqual(text.strip()[-3:], "}\n}")
            longer = json.loads(text.strip()[:-3] + ',\n"new": {}}\n}')
            self.assertEqual(len(longer["cache"]), len(root["cache"]) + 1)

    def test_t4_keeps_to_its_schema(self):
        """What 1.0.0 asks for, and 1.1.0's narrower words."""
        for name in "written_t4.json", "session_t4.json":
            root = json.loads((DATA / name).read_text())
            self.assertEqual((root["schema_version"], root["metadata"]["timeunit"]), ("1.0.0", "milliseconds"))
            for result in root["results"]:
                self.assertIn(result["invalidity"], exchange.OUTCOMES)
                self.assertEqual(result["correctness"], int(result["invalidity"] == "correct"))
                self.assertEqual(result["times"]["compilation"], result["times"]["compilation_time"])
                for phase in exchange.PHASES:  # autotuning_methodology asks every result for every one of them
                    self.assertIsInstance(result["times"][phase], float)
                self.assertIsInstance(result["objectives"][0], str)
                for measurement in result["measurements"]:
                    self.assertIsInstance(measurement["name"] + measurement["unit"], str)


class CasesOfFiles(unittest.TestCase):
    """Cases of *.cases (tests/cases.h): a text, and behind "-- error: " why it is refused, or behind "-- read" a document."""
    maxDiff = None

    def check(self, name, least, read):
        path = DATA / name
        parts = re.split(r"(?m)^== (.*)\n", path.read_text())
        self.assertGreaterEqual(len(parts), 2 * least + 1)
        for i in range(1, len(parts), 2):
            text, part, want = re.fullmatch(r"(.*?)^(-- error: |-- read\n)(.*?)\n*", parts[i + 1], re.S | re.M).groups()
            with self.subTest(parts[i]):
                try:
                    got = read(text)
                except exchange.Refused as refused:
                    got = str(refused)
                if part == "-- read\n":
                    self.assertEqual(json.loads(got), json.loads(want))
                elif not UPDATE:
                    self.assertEqual(got, want)
            parts[i] = f"== {parts[i]}\n"
            parts[i + 1] = text + part + (got if "error" in part else want) + ("\n\n" if i + 2 < len(parts) else "\n")
        if UPDATE:
            path.write_text("".join(parts))


class Likwid(CasesOfFiles):
    def test_counts(self):
        self.check("likwid.cases", 9, lambda text: exchange.convert(text, None, None)[0])

    def test_regions_are_chosen_by_name(self):
        text = (DATA / "likwid_markers.csv").read_text()
        with self.assertRaisesRegex(exchange.Refused, "line 16: there are several regions, 'init' and 'solve'"):
            exchange.convert(text, None, None)
        with self.assertRaisesRegex(exchange.Refused, "there is no region 'other'"):
            exchange.convert(text, None, "other")
        root = json.loads(exchange.convert(text, None, "solve")[0])
        self.assertEqual((root["source"], root["seconds"], root["calls"]), ("LIKWID, region solve", 2.1, 100))
        self.assertEqual({event["event"]: event["value"] for event in root["events"]},
                         {"CAS_COUNT_RD": 7e6, "CAS_COUNT_WR": 3e6, "bytes": 0.64e9})

    def test_cut_files_do_no_harm(self):
        text = (DATA / "likwid_markers.csv").read_text()
        for length in range(len(text)):
            try:
                exchange.counts_of_likwid(text[:length], "solve")
            except exchange.Refused:
                pass


class Refused(CasesOfFiles):
    def test_bad_files(self):
        """Each is refused with its place."""
        self.check("bad.cases", 31, exchange.read_space)

    def test_strangers_are_named(self):
        status, errors = run(DATA / "t1_problem.json")
        self.assertEqual(status, 3)
        self.assertIn("t1_problem.json: this is a T1 problem: it says what may be tuned and holds no results", errors)

    def test_damaged_documents_of_ours(self):
        root = json.loads((DATA / "session.json").read_text())
        for key, value in ("measurements", None), ("measurements", [{}]), ("measurements", 7), ("measurements", []), \
                ("parameters", 3), ("more", "x"), ("schema", {}), ("objective", []):
            with self.subTest(key=key, value=value), self.assertRaises(exchange.Refused):
                exchange.convert(json.dumps(dict(root, **{key: value})), "kernel-tuner", None)
        root["measurements"][0]["cost_s"] = "long"
        with self.assertRaisesRegex(exchange.Refused, "is not as inflight writes it"):
            exchange.convert(json.dumps(root), None, None)


class PlansAsRows(unittest.TestCase):
    def columns(self, *plans):
        """Every row gives its plan again, and no two are alike."""
        columns = exchange.Columns(plans)
        rows = [columns.row(plan) for plan in plans]
        self.assertEqual([exchange.plan_of_row(row) for row in rows], list(plans))
        self.assertEqual(len({json.dumps(row) for row in rows}), len(plans))
        return columns, rows

    def test_steps_become_columns(self):
        columns, rows = self.columns(
            "", "tile(i:64,j:32) unroll_jam(i:4) simd",
            "interchange(i,k,j) tile(j:16) prefetch(a:16,to:L2) prefetch(b:8)",
            "tile(i:64,k:8,j:32) simd parallel(it,schedule:dynamic,chunk:4)",
            "prefetch(a:2,at:i) nontemporal(c,d)",
            "fuse(i,i2,shift:1) distribute(k) distribute(j) unroll(j:4)")
        self.assertFalse(columns.whole)
        self.assertEqual(list(rows[1].items()), list({
            "fuse": "none", "distribute": "none", "order": "as_written", "tile_i": 64, "tile_k": 0, "tile_j": 32, "jam_i": 4,
            "unroll_j": 0, "simd": 1, "parallel": "none", "prefetch_a": "none", "prefetch_b": 0, "nontemporal_c": 0,
            "nontemporal_d": 0}.items()))
        self.assertEqual((rows[2]["order"], rows[2]["prefetch_a"]), ("i>k>j", "16;to:L2"))
        self.assertEqual((rows[3]["parallel"], rows[5]["distribute"]), ("it;schedule:dynamic;chunk:4", "k+j"))

    def test_the_order_of_tiles_follows_that_of_loops(self):
        columns, _ = self.columns("tile(i:64,j:32)", "interchange(j,i) tile(j:32,i:64)",
                                  "interchange(j,i) tile(j:32,i:64) unroll_jam(j:2,i:4)", "unroll_jam(i:4,j:2)",
                                  "interchange(k,j) tile(i:64,k:16,j:32)")
        self.assertFalse(columns.whole)

    def test_orders_have_columns_where_they_must(self):
        """Neither the columns' order nor the loops' says it then."""
        columns, rows = self.columns("tile(i:64,j:32)", "tile(j:32,i:64)", "tile(i:8)", "unroll_jam(i:4,j:2) simd")
        self.assertFalse(columns.whole)
        self.assertEqual(rows[1], {"order_tile": "j>i", "tile_i": 64, "tile_j": 32, "jam_i": 0, "jam_j": 0, "simd": 0})
        self.assertEqual(rows[2]["order_tile"], "none")

    def test_other_plans_stand_whole(self):
        columns, rows = self.columns(
            "tile(i:64,j:32)", "tile(i:64) tile(j:32)",  # one after the other
            "simd tile(i:64)",  # in another order
            "pack(B,kt,j:32) vec(j:8) simd", "nest(2) tile(i:8)",  # no columns for these
            "parallel(none)",  # looks like none
            "simd")
        self.assertEqual(len(columns.whole), 5)
        self.assertEqual(rows[0], {"tile_i": 64, "tile_j": 32, "simd": 0, "other": "none"})
        self.assertEqual(rows[1], {"tile_i": 0, "tile_j": 0, "simd": 0, "other": "tile(i:64) tile(j:32)"})

    def test_settings_tell_0_from_none(self):
        """Of a tunable every value may be meant, also 0."""
        _, rows = self.columns("", "set(PAD:0)", "set(PAD:8,T:-4)", "set(PAD:8) simd")
        self.assertEqual(rows[1], {"set_PAD": "0", "set_T": "as_written", "simd": 0})
        _, rows = self.columns("set(PAD:0)", "set(PAD:8)")
        self.assertEqual(rows[0], {"set_PAD": 0})

    def test_fields_have_names_for_programs(self):
        columns, rows = self.columns("prefetch(p.x:16) prefetch(g->v:8)", "prefetch(a_dot_b:4)", "nontemporal(p.x)")
        self.assertEqual(rows[0], {"prefetch_p_dot_x": 16, "prefetch_g_at_v": 8, "nontemporal_p_dot_x": 0, "other": "none"})
        self.assertEqual(len(columns.whole), 1)

    def test_a_row_of_others_gives_no_plan(self):
        self.assertEqual(exchange.plan_of_row({"block_size_x": 32, "layout": "row", "pad": True}), "")


if __name__ == "__main__":
    done = unittest.main(exit=False).result
    failed = len({test.id().split(" ")[0] for test, _ in done.failures + done.errors})
    sys.stderr.flush()
    print(f"{done.testsRun - failed} passed, {failed} failed")
    sys.exit(0 if done.wasSuccessful() else 1)
