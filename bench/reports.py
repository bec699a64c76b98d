"""What the scripts of bench/ share: the release is built and run, and its documents are read and kept in build/bench."""
import json
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.join(ROOT, "build/bench")
INFLIGHT = os.path.join(ROOT, "build/release/inflight")


def build(*targets):
    for words in (["--preset", "release"], ["--build", "--preset", "release", "--target", *targets]):
        subprocess.run(["cmake", *words], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    os.makedirs(OUT, exist_ok=True)


def say(text):
    print(text, flush=True)


def warn(text):
    print("bench: " + text, file=sys.stderr, flush=True)


def document(name, *words):
    """What `inflight WORDS` prints as JSON, {} with a sentence on stderr when it fails; and the seconds that it took."""
    warn(name + " ...")
    begun = time.monotonic()
    done = subprocess.run([INFLIGHT, *words], stdout=subprocess.PIPE, text=True)
    seconds = time.monotonic() - begun
    if done.returncode:
        warn("inflight failed on " + name)
        return {}, seconds
    with open(os.path.join(OUT, name + ".json"), "w") as file:
        file.write(done.stdout)
    return json.loads(done.stdout), seconds


def profile(name, quick):
    """A profile made by `inflight machine`, its path, and the seconds that it took."""
    path = os.path.join(OUT, name + ".json")
    begun = time.monotonic()
    done = subprocess.run([INFLIGHT, "machine", "--quiet", "--output", path, *(["--quick"] if quick else [])])
    if done.returncode:
        sys.exit("bench: inflight machine failed")
    with open(path) as file:
        return json.load(file), path, time.monotonic() - begun


def at(node, *keys):
    """The value under the keys, one below the other; of a quantity its value. NaN = there is none."""
    for key in keys:
        node = node.get(key) if isinstance(node, dict) else None
    if isinstance(node, dict):
        node = node.get("value")
    return node if isinstance(node, (int, float)) else float("nan")


def gain_of_pages(name, path, *words):
    """Time of the kernel of a file with small pages over time with huge ones, and its ends: what both intervals together allow. None =
    not measured."""
    series, _ = document(name, "measure", path, "--sweep", "pages=small,huge", "--fresh", "--json", *words)
    took = {point["at"]["pages"]: point["figures"]["time_ns"] for point in series.get("points", []) if point.get("state") == "measured"}
    if len(took) < 2:
        return None
    small, huge = took["small"], took["huge"]
    return at(small) / at(huge), at(small, "low") / at(huge, "high"), at(small, "high") / at(huge, "low")


def interval(node, digits=2):
    """1.85 (1.80 to 1.91)"""
    if not isinstance(node, dict) or node.get("value") is None:
        return "-"
    return "%.*f (%.*f to %.*f)" % (digits, node["value"], digits, at(node, "low"), digits, at(node, "high"))
