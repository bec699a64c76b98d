#!/usr/bin/env python3
"""What Slurm's commands print is understood by advisor/cluster/inflight-slurm, and what they are given; played by small
scripts in front of PATH. test_slurm.c asks the real ones. UPDATE_GOLDEN=1 rewrites what is expected in tests/data/cluster.

    test_cluster.py [TEST...]
"""
import importlib.machinery
import importlib.util
import io
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "tests/data/cluster"
UPDATE = "UPDATE_GOLDEN" in os.environ


def load_script():
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("slurm", str(ROOT / "advisor/cluster/inflight-slurm"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("slurm", loader))
    sys.modules["slurm"] = module
    loader.exec_module(module)
    return module


slurm = load_script()


# ---- what they print ----

class Printed(unittest.TestCase):
    maxDiff = None

    def check_cases(self, name, least, part, read):
        """Each text gives what stands behind "-- PART", or is refused by what stands behind "-- error: "."""
        path = DATA / name
        pieces = re.split(r"(?m)^== (.*)\n", path.read_text())
        self.assertGreaterEqual(len(pieces), 2 * least + 1)
        for i in range(1, len(pieces), 2):
            text, mark, want = re.fullmatch(rf"(.*?)^(-- error: |-- {part}[\n:] ?)(.*?)\n*", pieces[i + 1],
                                            re.S | re.M).groups()
            try:
                got, failed = read(text), False
            except (slurm.Refused, slurm.Silent) as why:
                got, failed = str(why), True
            with self.subTest(pieces[i]):
                self.assertEqual(failed, "error" in mark)
                if not UPDATE:
                    self.assertEqual(got, want)
            pieces[i] = f"== {pieces[i]}\n"
            pieces[i + 1] = text + mark + got + ("\n\n" if i + 2 < len(pieces) else "\n")
        if UPDATE:
            path.write_text("".join(pieces))

    def test_queue(self):
        def read(text):
            words = {state: word for states, word in ((slurm.PENDING, "pending"), (slurm.ENDING, "ending"),
                                                      (slurm.ENDED, "ended")) for state in states}
            tasks = slurm.read_tasks(text, ["7", "9"])
            return "\n".join(f"{id}_{task} {words.get(state, 'running')}: {state}" for (id, task), state in tasks.items())

        self.check_cases("squeue.cases", 11, "read", read)

    def test_nodes(self):
        def read(text):
            lines, partition = re.fullmatch(r"(.*?)-- partition: (.*)\n", text, re.S).groups()
            return str(slurm.read_nodes(lines, None if partition == "-" else partition))

        self.check_cases("sinfo.cases", 12, "nodes", read)

    def test_an_answer_that_is_cut_off_is_none(self):
        """It must not make tasks look gone; only where a line ends is it one that squeue could have given."""
        whole = "7|1|RUNNING\n9|12|PENDING\n"
        for length in range(len(whole) + 1):
            if length in (0, 12, len(whole)):
                slurm.read_tasks(whole[:length], ["7", "9"])
            else:
                with self.assertRaisesRegex(slurm.Silent, "ends within a line"):
                    slurm.read_tasks(whole[:length], ["7", "9"])

    def test_which_arrays_are_lost(self):
        """Those that were forgotten or cut short, not those that wait, failed or were cancelled."""
        for states, over, lost in ((["PENDING"], False, False), (["RUNNING", "TIMEOUT"], False, False),
                                   (["COMPLETING"], False, False), ([], True, True), (["COMPLETED", "TIMEOUT"], True, True),
                                   (["NODE_FAIL"], True, True), (["FAILED"], True, False),
                                   (["CANCELLED", "COMPLETED"], True, False)):
            tasks = {("7", i): state for i, state in enumerate(states)} | {("9", 1): "RUNNING"}
            for fruitless in (0, 3):
                array = {"id": "7", "over": False, "fruitless": fruitless}
                with self.subTest(states=states, fruitless=fruitless):
                    self.assertEqual(slurm.is_lost(array, tasks), lost and fruitless == 0)
                    self.assertEqual(array["over"], over)
                    self.assertFalse(over and slurm.is_lost(array, tasks))  # told once

    def test_which_workers_cannot_be_there(self):
        tasks = {("7", 1): "RUNNING", ("7", 2): "PENDING", ("7", 3): "FAILED", ("7", 4): "COMPLETING"}
        self.assertEqual([slurm.why_over(f"7_{task}", tasks) for task in range(1, 6)],
                         [None, "its job is over (PENDING)", "its job is over (FAILED)", None, "its job is over"])


# ---- what they are given ----

class Played(unittest.TestCase):
    """A folder with a blank and a quote in its name, and commands that are played."""
    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.bin, self.folder = Path(scratch.name) / "bin", Path(scratch.name) / "it's a 100% folder"
        self.bin.mkdir()
        (self.folder / "workers").mkdir(parents=True)
        before = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before)))
        os.environ["PATH"] = f"{self.bin}:{os.environ['PATH']}"

    def play(self, **deeds):
        """Each is from now on a script that writes its arguments to COMMAND.given and its variables to COMMAND.env, a line
        each, and does this."""
        for command, deed in deeds.items():
            path = self.bin / command
            path.write_text(f"#!/bin/sh\nfor word; do echo \"$word\"; done >'{path}.given'\nenv >'{path}.env'\n{deed}\n")
            path.chmod(0o755)

    def run_script(self, action, *words):
        """Status, what it printed as JSON, and what it said."""
        out, errors = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(errors):
            status = slurm.main([action, str(self.folder), "--program=/opt/my tools/inflight", *words])
        return status, json.loads(out.getvalue() or "null"), errors.getvalue()

    def good(self, action, *words):
        status, told, said = self.run_script(action, *words)
        self.assertEqual((status, said), (0, ""))
        return told

    def refused(self, status, sentence, action, *words):
        got, _, said = self.run_script(action, *words)
        self.assertIn(sentence, said)
        self.assertEqual(got, status)

    def submit(self):
        """Array 7 of partition p, array 9 of q."""
        for id, partition in (("7", "p"), ("9", "q")):
            self.play(sbatch=f"echo {id}")
            self.good("submit", f"--partition={partition}", "--nodes=2")

    def given(self, name):
        return (self.bin / name).read_text()

    def test_an_array_is_submitted(self):
        self.play(sbatch="echo 'Welcome to this cluster!'; echo 4711")
        told = self.good("submit", "--nodes=20", "--partition=p", "--account=proj 1", "--constraint=zen5&ib", "--time=1:00:00",
                         "--exclusive", "--option=--mem=2G", "--option=-q", "--option=high")
        self.assertEqual(told, {"awaited": ["4711"], "notes": ["job 4711: 20 nodes of partition p"]})
        name, folder = "inflight-it's a 100% -1", str(self.folder)
        self.assertEqual(self.given("sbatch.given"), "\n".join((
            "--parsable", "--requeue", "--open-mode=append", "--nodes=1", "--ntasks=1", "--array=1-20", f"--job-name={name}",
            f"--output={folder.replace('%', '%%')}/{name}-%a.log", "--partition=p", "--account=proj 1",
            "--constraint=zen5&ib", "--time=1:00:00", "--exclusive", "--mem=2G", "-q", "high", f"{folder}/{name}.sh", "")))
        script = (self.folder / f"{name}.sh").read_text()
        self.assertEqual(script.splitlines()[0], "#!/bin/sh")
        words = subprocess.run(["sh", "-c", script.replace("exec ", "printf '%s\\n' ")], capture_output=True, text=True)
        self.assertEqual(words.stdout, f"/opt/my tools/inflight\nworker\n{folder}\n")

    def test_one_array_for_each_partition_of_as_many_nodes_as_are_up(self):
        self.play(sbatch="echo 5", sinfo="echo 'p*|up|3|idle'; echo 'q|up|1|mixed'")
        self.assertEqual(self.good("submit", "--partition=p,q")["notes"],
                         ["job 5: 3 nodes of partition p", "job 5: 1 node of partition q"])
        self.assertEqual(self.good("submit")["notes"], ["job 5: 3 nodes of partition (default)"])
        self.assertNotIn("partition", self.given("sbatch.given"))

    def test_what_sbatch_says_is_passed_on(self):
        for deed, status, sentence in (
                ("echo 'sbatch: error: Batch job submission failed: Invalid account' >&2; exit 1", slurm.INPUT,
                 "Slurm does not take the jobs for partition 'p': Batch job submission failed: Invalid account; change what "
                 "this names (--partition"),
                ("printf 'sbatch: error: first\\n\\nsbatch: second\\n' >&2; exit 1", slurm.INPUT, "'p': first; second; change"),
                ("exit 3", slurm.INPUT, "it does not say why"),
                ("echo Submitted batch job 12", slurm.FAILED, "sbatch ended, and printed no number of a job; if it is in the "
                 "queue all the same, this removes it: scancel --name=inflight-"),
                ("echo '12;north'", slurm.FAILED, "no number of a job"),
                (":", slurm.FAILED, "no number of a job"),
                ("echo 12; kill -9 $$", slurm.FAILED, "sbatch was ended by signal 9 (SIGKILL)")):
            self.play(sbatch=deed)
            self.refused(status, sentence, "submit", "--partition=p", "--nodes=2")

    def test_options_that_inflight_decides_itself_are_refused(self):
        self.play(sbatch="echo 5")
        for word in ("--array=1-3", "-a", "--nodes=2", "-N2", "--output=x", "-o", "--wait", "-W", "--wrap=ls", "--clus=x", "-Mx",
                     "--test-only"):
            self.refused(slurm.USAGE, "cannot be among the options", "submit", "--nodes=2", f"--option={word}")
        for word in ("--nodelist=n1", "--ntasks-per-core=1", "--wait-all-nodes=1", "-w", "-A", "--mem=1G"):
            self.good("submit", "--nodes=2", f"--option={word}")

    def test_what_no_batch_script_or_log_can_have_is_refused(self):
        self.play(sbatch="echo 5")
        self.refused(slurm.USAGE, "control character in its word 1", "submit", "--nodes=2", "--program=a\nb")
        self.folder = Path("/tmp/a\\b")
        self.refused(slurm.USAGE, "backslash", "submit", "--nodes=2")
        os.environ["SLURM_CLUSTERS"] = "north,south"
        self.refused(slurm.USAGE, "SLURM_CLUSTERS is set ('north,south')", "submit", "--nodes=2")

    def test_settings_of_the_user_do_not_change_what_is_asked(self):
        """Each would hide jobs, change lines or wait for an answer."""
        variables = {"squeue": "SQUEUE_STATES", "scancel": "SCANCEL_INTERACTIVE", "sinfo": "SINFO_PARTITION",
                     "sbatch": "SBATCH_WAIT"}
        os.environ.update(dict.fromkeys(variables.values(), "1") | {"SBATCH_ACCOUNT": "mine"})
        self.play(sbatch="echo 7", squeue=":", scancel=":", sinfo="echo 'p*|up|2|idle'")
        self.good("submit")
        self.assertEqual(self.good("cancel"), {"over": True, "notes": []})
        for command, variable in variables.items():
            self.assertNotIn(f"{variable}=", self.given(f"{command}.env"))
            self.assertIn("SBATCH_ACCOUNT=mine", self.given(f"{command}.env"))
        self.assertEqual(self.given("scancel.given"), "--quiet\n7\n")

    def test_who_is_there(self):
        self.submit()
        for job in ("7_1", "7_2"):
            (self.folder / f"workers/{job}.json").write_text(json.dumps({"job": job}))
        self.play(squeue="printf '7|1|RUNNING\\n7|2|NODE_FAIL\\n9|1|PENDING\\n'")
        told = {"over": {"7_2": "its job is over (NODE_FAIL)"}, "ended": False, "awaited": ["9"], "notes": []}
        self.assertEqual(self.good("watch"), told)
        (self.folder / "workers/9_1.json").write_text(json.dumps({"job": "9_1"}))
        self.play(squeue="printf '7|1|RUNNING\\n7|2|NODE_FAIL\\n9|1|RUNNING\\n'")
        self.assertEqual(self.good("watch"), told | {"awaited": []})
        self.play(squeue="printf '7|1|COMPLETED\\n7|2|COMPLETED\\n9|1|FAILED\\n'")
        self.assertEqual(self.good("watch"), told | {"awaited": [], "ended": True, "over": {
            "7_1": "its job is over (COMPLETED)", "7_2": "its job is over (COMPLETED)", "9_1": "its job is over (FAILED)"}})

    def test_nodes_that_were_lost_are_asked_for_again_up_to_three_times(self):
        self.play(sbatch="echo 1", squeue=":")
        self.good("submit", "--partition=p", "--nodes=2")
        (self.folder / "workers/n1.json").write_text(json.dumps({"job": "4_1"}))  # a worker of the fourth one comes
        for id in range(2, 8):
            self.play(sbatch=f"echo {id}")
            told = self.good("watch", "--nodes=99")
            self.assertEqual((told["ended"], told["notes"]), (False, [
                f"job {id - 1} has left the queue before the search was over: it is submitted again",
                f"job {id}: 2 nodes of partition p"]))
        told = self.good("watch")
        self.assertEqual((told["ended"], told["notes"]), (True, []))

    def test_what_cannot_be_submitted_again_is_said(self):
        self.submit()
        (self.folder / "workers/n1.json").write_text("no JS")  # is being written
        self.play(squeue="echo '9|1|RUNNING'", sbatch="exit 1")
        told = self.good("watch")
        self.assertEqual((told["ended"], len(told["notes"])), (False, 2))
        self.assertIn("Slurm does not take the jobs for partition 'p'", told["notes"][1])

    def test_a_controller_that_does_not_answer_is_told_from_jobs_that_are_gone(self):
        self.submit()
        slurm.ASK_PATIENCE_S, before = 0.2, slurm.ASK_PATIENCE_S
        self.addCleanup(lambda: setattr(slurm, "ASK_PATIENCE_S", before))
        for deed, silence in (
                ("echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; exit 1",
                 "squeue ended with status 1: slurm_load_jobs error: Unable to contact slurm controller (connect failure)"),
                ("sleep 60", "squeue did not answer within 0.2 s"),
                ("trap '' TERM; echo '7|1|RUNNING'; while :; do sleep 1; done", "squeue did not answer within 0.2 s"),
                ("printf '7|1|RUNNING\\n7|2|RUNN'", "the answer of squeue ends within a line: '7|2|RUNN'"),
                ("echo '7|1|RUNNING'; kill -9 $$", "squeue was ended by signal 9 (SIGKILL)")):
            self.play(squeue=deed)
            self.assertEqual(self.good("watch"), {"silence": silence, "notes": []})

    def test_what_cannot_be_cancelled_is_said_with_a_remedy(self):
        self.submit()
        self.play(scancel="echo 'scancel: error: Socket timed out' >&2; exit 1", squeue="exit 1")
        self.assertEqual(self.good("cancel"), {"over": False, "notes": [
            "cannot cancel what was submitted to Slurm: scancel ended with status 1: Socket timed out; later this will: scancel "
            "7 9", "squeue ended with status 1; what may remain in the queue: scancel 7 9"]})
        slurm.CANCEL_S, before = 0, slurm.CANCEL_S
        self.addCleanup(lambda: setattr(slurm, "CANCEL_S", before))
        self.play(scancel=":", squeue="echo '7|1|RUNNING'")
        self.assertEqual(self.good("cancel"), {"over": False, "notes": ["1 job remains in the queue: scancel 7 9"]})
        self.play(sinfo="echo 'sinfo: error: no configuration' >&2; exit 1")
        self.refused(slurm.MISSING, "Slurm does not answer: sinfo ended with status 1: no configuration; try again later",
                     "submit")

    def test_what_an_ended_campaign_left_is_cancelled(self):
        self.play(scancel=":")
        self.good("clear")  # nothing
        self.submit()
        self.good("clear")
        self.assertEqual(self.given("scancel.given"), "--quiet\n7\n9\n")
        campaign = json.loads((self.folder / "campaign.json").read_text())
        self.assertEqual((campaign["host"], campaign["pid"]), (socket.gethostname(), os.getppid()))
        (self.folder / "campaign.json").write_text(json.dumps(campaign | {"pid": os.getpid()}))
        self.refused(slurm.USAGE, f"the same campaign is under way (process {os.getpid()}); wait for it", "clear")

    def test_a_command_that_is_not_there_is_named(self):
        self.submit()
        os.environ["PATH"] = str(self.bin)
        (self.bin / "sbatch").unlink()
        self.refused(slurm.MISSING, "there is no command 'sbatch' here, and Slurm is used by its commands; load its module "
                     "(module load slurm), or start the workers yourself and name their folder (--on FOLDER)", "submit",
                     "--nodes=1")
        for action, command in (("watch", "squeue"), ("clear", "scancel"), ("submit", "sinfo")):
            self.refused(slurm.MISSING, f"there is no command '{command}' here", action)


if __name__ == "__main__":
    done = unittest.main(exit=False).result
    failed = len({test.id().split(" ")[0] for test, _ in done.failures + done.errors})
    sys.stderr.flush()
    print(f"{done.testsRun - failed} passed, {failed} failed")
    sys.exit(0 if done.wasSuccessful() else 1)
