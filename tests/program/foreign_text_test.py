"""Whatever stands in a file, in a path, or comes from a simulation: it steers no terminal, and
passes for no line of a report."""

import json
import os
import pty
import re
import shlex
import subprocess
import unittest

from foreign import ForeignTest
from program import PROJECT, PROGRAM, some

FORGED = "IDENTICAL  999 of 999 trials identical"
# A line of its own; escape sequences, also of a single character and a single byte; backspace,
# delete; writing that runs backwards; bytes that are no UTF-8.
HOSTILE = (f"a\n{FORGED}\n\r\x1b[2J\x1b[1;32m\x08\x7f\x9b31m\u202egnp\u2066\u200f\u2028\u2029"
           "ß世").encode() + b"\xff\x9b\xc0\x8a"
SHOWN = (f"a\\n{FORGED}\\n\\r\\u001b[2J\\u001b[1;32m\\u0008\\u007f\\u009b31m"
         "\\u202egnp\\u2066\\u200f\\u2028\\u2029ß世\\xff\\x9b\\xc0\\x8a")
STEERS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

SPRING = f"python3 {shlex.quote(str(PROJECT / 'tests/process/spring_sim.py'))}"


class ForeignText(ForeignTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        everywhere = {"notes": [[HOSTILE, HOSTILE]], "hash_algorithm": HOSTILE,
                      "nan_policy": HOSTILE, "config": [[HOSTILE, HOSTILE]]}
        cls.foreign("all.isotick", simulation=HOSTILE, **everywhere)
        cls.foreign("other.isotick", simulation=HOSTILE, **everywhere,
                    last_hash="0123456789abcdef")
        cls.foreign("name.isotick", simulation=HOSTILE)
        cls.foreign("config.isotick", config=[[HOSTILE, HOSTILE]])
        cls.foreign("algorithm.isotick", hash_algorithm=HOSTILE)
        cls.foreign("policy.isotick", nan_policy=HOSTILE)
        for note in ("schedule", "loop", "repro", "build"):
            cls.foreign(f"{note}.isotick", notes={f"isotick.{note}": HOSTILE})
        cls.record("battle.isotick", "--sim control:alpha --config units=60 --ticks 200")
        parts = json.loads(cls.isotick("inspect battle.isotick --json").out)["parts"]
        cls.foreign("parts.isotick", of="battle.isotick",
                    part_names=[HOSTILE + bytes([65 + i]) for i in range(len(parts))])

    def is_harmless(self, run):
        for stream in (run.out, run.err):
            self.assertIsNone(STEERS.search(stream), repr(stream))
            for line in stream.splitlines():
                self.assertFalse(line.startswith(FORGED), stream)
        return run

    # Every line that has to do with the hostile text has it escaped, and whole.
    def shows_escaped(self, run):
        self.is_harmless(run)
        self.assertIn(SHOWN, run.out + run.err)
        return run

    def test_of_a_recording_in_every_report(self):
        for name in some(("all", "name", "config", "algorithm", "policy", "parts", "schedule",
                          "loop", "repro", "build"), 3):
            inspected = self.is_harmless(self.ends(0, f"inspect {name}.isotick"))
            self.assertEqual(SHOWN in inspected.out, name != "policy")  # which it does not show
            for command in ("inspect {} --ticks 0..70", "replay {}",
                            "verify {} --trials 3", "audit {}", "minimize {} -o m.isotick --force",
                            "diff {} honest.isotick", "diff {} all.isotick", "export {}",
                            "repair {} -o r.isotick --force", "export {} -o e.jsonl --force",
                            "import e.jsonl -o i.isotick --force"):
                with self.subTest(name=name, command=command):
                    self.is_harmless(self.isotick(command.format(f"{name}.isotick")))

    def test_where_it_is_the_reason_for_an_error(self):
        for command in ("verify name.isotick", "replay name.isotick", "audit name.isotick",
                        "minimize name.isotick -o m.isotick", "verify config.isotick",
                        "verify name.isotick --sim spring", "verify algorithm.isotick",
                        "diff all.isotick other.isotick --fields", "verify policy.isotick"):
            with self.subTest(command):
                run = self.shows_escaped(self.isotick(command))
                self.assertIn(run.code, (2, 5), command)
                self.assertEqual(run.err.count("\n"), 1 if run.code == 2 else run.err.count("\n"))

    def test_in_part_names_of_a_difference(self):
        lines = self.isotick("export parts.isotick").out.splitlines()
        text = [json.loads(line) for line in lines]
        tick = next(line for line in text if line.get("t") == 179)
        tick.update(hash="0" * 16, parts=["0" * 16] * len(tick["parts"]))
        self.path("p.jsonl").write_text("".join(json.dumps(line) + "\n" for line in text))
        self.ends(0, "import p.jsonl -o differs.isotick")
        self.shows_escaped(self.ends(1, "diff parts.isotick differs.isotick"))
        self.shows_escaped(self.ends(0, "inspect parts.isotick --ticks 0..70"))

    def test_json_is_printable_and_parses(self):
        for command in ("inspect all.isotick", "diff all.isotick name.isotick",
                        "repair all.isotick -o j.isotick"):
            run = self.is_harmless(self.isotick(f"{command} --json"))
            self.assertIn("999 of 999", json.dumps(json.loads(run.out)), command)
        shown = json.loads(self.isotick("inspect all.isotick --json").out)
        self.assertEqual(shown["session"]["simulation"], SHOWN)
        # What is UTF-8 keeps its characters.
        self.foreign("utf8.isotick", simulation="a\x1b\x7f\x9b\u202e\\xff")
        shown = json.loads(self.is_harmless(self.isotick("inspect utf8.isotick --json")).out)
        self.assertEqual(shown["session"]["simulation"], "a\x1b\x7f\x9b\u202e\\xff")

    def test_text_comes_back_as_it_was(self):
        self.ends(0, "export all.isotick -o all.jsonl")
        self.ends(0, "import all.jsonl -o again.isotick")
        self.assertEqual(self.content("again.isotick"), self.content("all.isotick"))

    def test_in_paths(self):
        path = HOSTILE.replace(b"/", b"")
        for words in (["verify"], ["replay"], ["inspect"], ["audit"], ["export"],
                      ["diff", "honest.isotick"], ["replay", "honest.isotick", "--sim"],
                      ["replay", "honest.isotick", "--schedule"], ["frobnicate"], [],
                      ["replay", "honest.isotick", "--sim", b"exec:" + path],
                      ["record", "--sim", "spring", "--ticks", "9", "-o"],
                      ["inspect"], ["verify", "--trials", "2"],
                      ["record", "--sim", "spring", "-o"]):
            with self.subTest(words):
                self.is_harmless(self.start([self.program, *words, path]))

    def test_in_what_a_simulation_prints_and_says(self):
        self.path("hostile").write_bytes(HOSTILE)
        printing = f"--sim 'exec:cat hostile >&2; exec {SPRING}'"
        run = self.ends(0, f"record {printing} --ticks 9 -o printed.isotick")
        self.is_harmless(run)
        self.assertIn(f"isotick: the simulation printed:\n  | a\n  | {FORGED}\n  | \\r\\u001b[2J",
                      run.err)
        self.path("named.py").write_text(
            f"import sys\nsys.path.insert(0, {str(PROJECT / 'harness/python')!r})\n"
            "import isotick\n"
            f"TEXT = {HOSTILE[:-4].decode()!r}\n"
            "class Named:\n"
            "    info = isotick.Info(TEXT, TEXT)\n"
            "    parts = [TEXT]\n"
            "    def __init__(self, setup):\n        self.steps = 0\n"
            "    def step(self, step):\n        raise KeyError(TEXT)\n"
            "    def hash(self):\n        return [self.steps]\n"
            "isotick.serve(Named)\n", encoding="utf-8")
        for command in ("sims", "record -o named.isotick --sim", "sims --check"):
            run = self.is_harmless(self.isotick(f"{command} 'exec:python3 named.py'"))
            self.assertIn(SHOWN[:60], run.out + run.err, command)

    def test_on_a_terminal_the_colours_are_isoticks_own(self):
        ours, theirs = pty.openpty()
        path = f"\x1b[1;32m{FORGED}\x1b[0m.isotick"
        self.path(path).write_bytes(self.content("honest.isotick"))
        words = [str(PROGRAM), "verify", path, "--trials", "2"]
        with subprocess.Popen(words, cwd=self.folder, stdout=theirs, stderr=subprocess.DEVNULL,
                              env={**os.environ, "NO_COLOR": ""}) as running:
            os.close(theirs)
            running.wait()
        shown = os.read(ours, 1 << 16).decode()
        os.close(ours)
        self.assertIn("\x1b[1;32mIDENTICAL\x1b[0m  2 of 2", shown)
        self.assertEqual(shown.count("\x1b"), 2, shown)


if __name__ == "__main__":
    unittest.main()
