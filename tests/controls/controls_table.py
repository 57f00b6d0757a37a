"""Verifies each planted desync and its clean twin: see scripts/controls.

Usage: controls_table.py ISOTICK CONTROLS.SO [options]
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from catalogue import CONTROLS, START, parts_of  # noqa: E402

COLUMNS = ["control", "what is wrong", "to be caught by", "caught by", "trials needed",
           "right tick", "right field", "right blame", "false alarms"]
BEGIN, END = "<!-- controls -->", "<!-- end of controls -->"
LEAST_RIGHT = 0.95  # of all that are caught, the share that is blamed on the right axis
CAUGHT = ["diverged", "nondeterministic", "crashed", "timed-out", "stalled"]
SHORT = ["address-in-text", "current-game", "frame-time-in-state", "local-date", "log-level",
         "mapped-chunks", "pointer-in-snapshot", "pointer-keyed-map", "shows-much-later",
         "sorted-for-drawing", "sum-of-workers", "tail-of-realloc"]


class Bench:
    """Where recordings are made and verified."""

    def __init__(self, asked, folder):
        self.asked = asked
        self.folder = Path(folder)
        (self.folder / "rules.txt").write_text("5\n", encoding="ascii")
        (self.folder / "maps").mkdir()
        for name in ("forest", "harbor", "desert", "canyon", "marsh", "castle", "mine", "moon"):
            (self.folder / "maps" / name).touch()

    def run(self, command, name, options, codes):
        words = [self.asked.isotick, command, "--sim", self.asked.plugin, "--environment",
                 f"control={name}", "--environment", f"assets={self.folder}", "--json", *options]
        environment = {**os.environ, "LC_ALL": "C", "USER": "player", "HOME": "/home/player"}
        done = subprocess.run([str(word) for word in words], cwd=self.folder, text=True,
                              env=environment, capture_output=True, check=False,
                              stdin=subprocess.DEVNULL)
        if done.returncode not in codes:
            raise RuntimeError(f"{shlex.join(map(str, words))} ended with {done.returncode}:\n"
                               f"{done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def verify(self, control, name):
        """What `verify` says of a recording of that control, or of its twin, for each seed."""
        recording = self.folder / f"{name}.isotick"
        config = ["--config", "workers=1"] if "config.workers" in control.options else []
        self.run("record", name, ["-o", recording, "--ticks", control.ticks, *config], [0])
        perturb = self.asked.perturb or control.perturb
        options = ["--audit", "none", "--perturb", perturb, "--trials",
                   control.trials or self.asked.trials, *shlex.split(control.options)]
        for seed in range(1, self.asked.seeds + 1):
            report = self.run("verify", name, [recording, *options, "--seed", seed],
                              [0, 1, 4, 5])["recordings"][0]
            if self.asked.reports:
                path = self.asked.reports / f"{name}-{seed}.json"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(json.dumps(report, indent=1), encoding="utf-8")
            yield report


class Finding:
    """What one report says: who is to blame, where it showed, in which fields."""

    def __init__(self, report):
        self.is_caught = report["verdict"] in CAUGHT
        self.trials, self.blamed, self.tick, self.fields = None, set(), None, set()
        self.values = set()
        if not report["failures"]:
            return
        self.trials = report["failures"][0]["trial"] + 1
        explained = [failure for failure in report["failures"] if failure["explanation"]]
        if explained:
            self._read(explained[0], explained[0]["explanation"])

    def _read(self, failure, explanation):
        self.blamed = {axis["axis"] for axis in explanation["provoking_axes"]}
        self.values = {f"{axis['axis']}={axis['value']}" for axis in explanation["provoking_axes"]}
        if not self.blamed:
            by_chance = failure["verdict"] == "nondeterministic"
            self.blamed = {"chance" if by_chance else
                           "nominal" if explanation["nominal"] else "schedule"}
        where = explanation["disagreement"] or explanation
        self.tick = START if where["tick"] is None else where["tick"]
        fields = where["fields"]
        self.fields = {kind["path"] for kind in fields.get("kinds", [])}

    def blames(self, control):
        """That control alone, by an axis of its own."""
        axes = set(control.axes)
        return bool(self.blamed) and (self.blamed <= axes or
                                      self.values <= axes and bool(self.values))

    def shows(self, control, what):
        """Its tick or its field, where that is known."""
        if what == "tick":
            return control.tick in (None, self.tick)
        return control.field is None or control.field in self.fields


def share(findings, is_right):
    """`3 of 3`, and whether it is all."""
    right = sum(map(bool, map(is_right, findings)))
    return f"{right} of {len(findings)}", right == len(findings)


def measure(bench, control):
    """The cells of a row, whether it is caught as it must be, and where the blame was right."""
    findings = [Finding(report) for report in bench.verify(control, control.name)]
    caught = [finding for finding in findings if finding.is_caught]
    alarms = [report["verdict"] for report in bench.verify(control, f"{control.name}-clean")
              if report["verdict"] != "identical"]
    blamed = sorted(set().union(*(finding.blamed for finding in caught)))
    trials = [finding.trials for finding in caught if finding.trials]
    drawn = "" if control.perturb == "default" else f" (`--perturb {control.perturb}`)"
    cells = [f"`{control.name}`", control.summary, ", ".join(control.axes) + drawn,
             f"{', '.join(blamed)} ({len(caught)} of {len(findings)})" if caught else "nothing",
             f"{min(trials)} to {max(trials)}" if trials else "–"]
    holds = len(caught) == len(findings) and not alarms
    parts = parts_of(control.name)
    blamed_right = [any(finding.blames(part) for part in parts) for finding in caught]
    for what in ("tick", "field"):
        known = any(getattr(part, what) is not None for part in parts)
        text, all_are = share(caught, lambda finding: any(  # pylint: disable=cell-var-from-loop
            finding.blames(part) and finding.shows(part, what) for part in parts))
        cells.append(text if caught and known else "–")
        holds = holds and (all_are or not known)
    cells.append(f"{sum(blamed_right)} of {len(caught)}")
    cells.append(f"{len(alarms)} of {len(findings)}" if not alarms else
                 f"{len(alarms)} of {len(findings)}: {', '.join(sorted(set(alarms)))}")
    return cells, holds, blamed_right


def check_names():
    """The catalogue has what the rules have."""
    rules = "".join(path.read_text(encoding="utf-8") for path in HERE.glob("rules/*.cpp"))
    built = set(re.findall(r'\{"([a-z0-9-]+)",\s*make<', rules))
    listed = {part.name for control in CONTROLS for part in parts_of(control.name)}
    if built != listed:
        raise RuntimeError(f"only in rules or catalogue: {built ^ listed}")


def write_readme(lines):
    readme = HERE / "README.md"
    before, rest = readme.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    readme.write_text("\n".join([before + BEGIN, *lines, END + after]), encoding="utf-8")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("isotick", type=Path)
    parser.add_argument("plugin", type=Path)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--trials", type=int)
    parser.add_argument("--perturb")
    parser.add_argument("--only", action="append")
    parser.add_argument("--reports", type=Path)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    seeds, trials = (1, 40) if asked.short else (3, 100)
    asked.seeds = asked.seeds or seeds
    asked.trials = asked.trials or trials
    if asked.short:
        asked.perturb = asked.perturb or "all,fpenv"
    return asked


def main():
    asked = arguments()
    only = SHORT if asked.short else asked.only
    check_names()
    chosen = [c for c in CONTROLS if not only or c.name in only or c.theme in only]
    missed, blamed_right = [], []
    lines = [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
    with tempfile.TemporaryDirectory(prefix="isotick-controls-") as folder:
        bench = Bench(asked, folder)
        print("\n".join(lines), flush=True)
        for control in chosen:
            cells, holds, right = measure(bench, control)
            blamed_right += right
            lines.append(f"| {' | '.join(cells)} |")
            print(lines[-1], flush=True)
            missed += [] if holds else [control.name]
    if asked.write:
        write_readme(lines)
    print(f"{len(chosen) - len(missed)} of {len(chosen)} controls as claimed", file=sys.stderr)
    if missed:
        print(f"not as claimed: {', '.join(missed)}", file=sys.stderr)
    print(f"blamed right: {sum(blamed_right)} of {len(blamed_right)}", file=sys.stderr)
    return 1 if missed or sum(blamed_right) < LEAST_RIGHT * len(blamed_right) else 0


sys.exit(main())
