"""The same cases over the three ways in: linked into a program, a plug-in, a process of its own.

Everything said on stdout must be the same to the byte, but for the command line and what the
operating system only says of a process: by which signal a program ended that another one started.
"""

import json
import os
import re
import unittest
from pathlib import Path

from program import PROJECT, ProgramTest, differing, failing_tick, row, some

OWN_PROGRAMS = Path(os.environ.get("ISOTICK_OWN_PROGRAMS", PROJECT / "build/dev/tests/program"))
HASH = re.compile(r"\b[0-9a-f]{16}\b")


def linked(simulation, command):
    return f"{OWN_PROGRAMS}/own_{simulation} {command}"


def plugin(simulation, command):
    return f"isotick {command} --sim ./{simulation}.so"


def process(simulation, command):
    return f"isotick {command} --sim 'exec:isotick serve --sim ./{simulation}.so'"


WAYS = (linked, plugin, process)


def neutral(text):
    """Without what must differ: how the program is called, how it finds its simulation, whether
    it can be run in a debugger, what is ruled out, which takes axes that reach it, and which code
    was running, which is not known of processes."""
    text = without_rows(text, "debugger")
    text = re.sub(r"  (?:ruled out|written by|comes from|crashed in|hangs in) .*\n(?: {14}.*\n)*",
                  "", text)
    text = re.sub(rf"{re.escape(str(OWN_PROGRAMS))}/own_\w+", "isotick", text)
    return re.sub(r" --sim ('exec:[^']*'|\S+\.so)", "", text)


def without_rows(text, *names):
    return "".join(line for line in text.splitlines(keepends=True)
                   if not line.startswith(tuple(f"  {name} " for name in names)))


class ThreeWays(ProgramTest):
    simulation = "faulty"
    inputs = "bot"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", f"--sim ./{cls.simulation}.so --ticks 60 --inputs {cls.inputs}")

    def same(self, code, command, says="", but=neutral):
        """Ends with this code and says the same, whichever way the simulation comes in. Not all
        axes reach all of them."""
        if command.startswith("verify"):
            command += " --perturb none"
        first = None
        for way in WAYS:
            with self.subTest(way=way.__name__, command=command):
                run = self.shell(way(self.simulation, command))
                self.assertEqual(run.code, code, f"{run.out}{run.err}")
                self.assertIn(says, run.out + run.err)
                out = but(neutral(run.out))
                first = out if first is None else first
                self.assertEqual(out, first)
        return first

    def same_file(self, code, command, name, says=""):
        """The command, whose file is called NAME in it, leaves the same file behind."""
        if command.startswith("verify"):
            command += " --perturb none"
        contents = set()
        for way in WAYS:
            with self.subTest(way=way.__name__, command=command):
                path = f"{way.__name__}.{name}"
                run = self.shell(way(self.simulation, command.replace("NAME", path)))
                self.assertEqual(run.code, code, f"{run.out}{run.err}")
                self.assertIn(says, run.out + run.err)
                contents.add(self.content(path))
        self.assertEqual(len(contents), 1)
        return contents.pop()


class Identical(ThreeWays):
    def test_recordings(self):
        for how in some(("--inputs bot", "--inputs random --players 3 --seed 9",
                         "--schedule 'mix(seed=4)' --rate 30000/1001", "--inputs none"), 2):
            self.same_file(0, f"record --force -o NAME --ticks 60 {how}", "isotick")

    def test_replays(self):
        for schedule in some(("nominal", "45hz", "240hz", "mix(seed=7)"), 2):
            self.same(0, f"replay s.isotick --schedule '{schedule}'", "IDENTICAL")
        self.same(0, "replay s.isotick --json")

    def test_a_run_of_many_trials(self):
        self.same(0, "verify s.isotick --trials 20", "IDENTICAL  20 of 20 trials identical")
        self.same(0, "verify s.isotick --trials 5 --jobs 1 --json")

    def test_fields_of_a_tick(self):
        self.same(0, "replay s.isotick --until 30 --print ''", "\nafter tick 30\n")
        self.same(0, "replay s.isotick --watch counter", "tick,counter\n0,2\n")

    def test_dumped_states(self):
        self.same_file(0, "replay s.isotick --until 30 --state NAME", "state")

    def test_snapshots_restore(self):
        told = self.same(0, "audit s.isotick", "8 of 8 restored states behave like the original",
                         but=lambda text: row(text, "snapshot") + row(text, "liveness"))
        self.assertIn("the hash changes, inputs matter", told)


class Refused(ThreeWays):
    def test_recordings_of_another_simulation(self):
        self.record("other.isotick", "--sim spring --ticks 30")
        self.same(2, "replay other.isotick", "spring")

    def test_players_and_settings(self):
        self.same(2, "record -o no.isotick --players 9", "faulty takes 0 to 4 players, not 9")
        self.same(2, "record -o no.isotick --environment at=noon", "at=noon is not a whole number")
        self.same(2, "replay s.isotick --environment at=noon", "at=noon is not a whole number")
        self.assertFalse(self.path("no.isotick").exists())


class Found(ThreeWays):
    """Planted faults, each at its exact place, with the same words."""

    def test_another_build_at_its_tick(self):
        for at in some((20, 0, 1, 59, *range(21, 28)), 1):
            told = self.same(1, f"replay s.isotick --environment fault=build --environment at={at} "
                             "--schedule 100hz", f"\nDIVERGED  at tick {at}\n")
            self.assertEqual(failing_tick(told), f"tick {at}")

    def test_a_new_part(self):
        self.same(2, "replay s.isotick --environment fault=nan",
                  "the simulation's state has a part that the recording lacks: ratio")

    def test_another_build_with_parts_and_fields(self):
        self.same_file(0, "record -o NAME --ticks 60 --environment fault=build", "changed")
        self.same(1, "replay plugin.changed --sim-a ./other_build.so",
                  "\n              counter  ")
        told = self.same(1, "verify s.isotick --environment fault=build --environment at=23",
                         "DIVERGED")
        self.assertEqual(row(told, "when"), "tick 23; the same through tick 22")

    def test_nondeterminism_with_tick_and_field(self):
        def but_values(text):
            return re.sub(r"counter  \d+ → \d+", "counter  A → B", HASH.sub("HASH", text))
        told = self.same(1, "verify s.isotick --environment fault=process",
                         "NONDETERMINISTIC", but=but_values)
        self.assertEqual(failing_tick(told), "tick 20")
        self.assertEqual(differing(told), "counter (1 field)")

    def test_what_is_thrown(self):
        for call, place in some((("step", "tick 20: step"), ("hash", "hash"), ("render", "render"),
                                 ("begin_frame", "begin_frame"), ("create", "create")), 1):
            fault = f"--environment fault=throw --environment in={call}"
            for command in ("replay s.isotick", "verify s.isotick --trials 2"):
                told = self.same(5, f"{command} {fault}", "planted")
                self.assertIn(f"{place} failed: ", row(told, "reason"))
            self.same(5, f"record -o {call}.isotick --force --ticks 60 {fault}", "planted")

    def test_a_crash_at_its_tick(self):
        ends = {"abort": r"killed by signal 6 \(Aborted\)",
                "segfault": r"killed by signal 11 \(Segmentation fault\)",
                "exit": r"ended (its process )?with exit code \d+"}
        for fault, end in some(ends.items(), 1):
            told = self.same(5, f"replay s.isotick --environment fault={fault}", "\nCRASHED\n",
                             but=lambda text: without_rows(text, "reason"))
            self.assertIn("the replay with one tick in each frame fails", row(told, "why"))
            for way in WAYS:
                run = self.shell(way(self.simulation,
                                     f"replay s.isotick --environment fault={fault}"))
                self.assertRegex(row(run.out, "reason"), f"^{end} in step of tick 20$|"
                                 f"^tick 20: step failed: its process (was )?{end}$")

    def test_a_hang_at_its_tick(self):
        told = self.same(5, "replay s.isotick --environment fault=hang --timeout 2",
                         "\nTIMED-OUT\n")
        self.assertEqual(row(told, "reason"), "no progress for 2000 ms in step of tick 20")

    def test_what_proves_nothing(self):
        self.same(4, "replay s.isotick --schedule 1ns --most-frames 1000", "INCONCLUSIVE")
        constant = "--environment fault=constant"
        self.same_file(0, f"record -o NAME --ticks 60 --inputs none --players 0 {constant}",
                       "constant")
        self.same(4, f"verify plugin.constant {constant} --trials 5", "the hash never changed")


class ReproducingCommands(ThreeWays):
    def test_end_the_same_way(self):
        for fault in some(("throw", "build"), 1):
            for way in WAYS:
                with self.subTest(way=way.__name__, fault=fault):
                    run = self.shell(way(self.simulation,
                                         f"verify s.isotick --environment fault={fault}"))
                    again = self.shell(row(run.out, "reproduce"))
                    self.assertEqual(again.code, run.code, again)
                    self.assertEqual(row(again.out, "reproduce"), row(run.out, "reproduce"))


class Varied(ThreeWays):
    simulation = "chunks"
    inputs = "random"

    def test_a_setting_that_matters_is_caught_with_its_fields(self):
        told = self.same(1, "verify s.isotick --trials 6 --vary workers=1,2,4",
                         "\n  when        tick 40; ")
        self.assertEqual(differing(told), "momentum (1 field)")

    def test_one_that_does_not_is_silent(self):
        self.record("fixed.isotick",
                    "--sim ./chunks.so --ticks 60 --inputs random --config reduction=fixed")
        self.same(0, "verify fixed.isotick --trials 6 --vary workers=1,2,4", "IDENTICAL")

    def test_settings_that_are_refused(self):
        self.same(2, "verify s.isotick --vary workers=1,99", "workers=99")
        self.same(2, "record -o no.isotick --config wrokers=2", "there is no setting 'wrokers'")


class Described(ThreeWays):
    simulation = "describing"

    def test_inputs_in_words_and_back(self):
        text = self.same_file(0, "export s.isotick -o NAME", "jsonl").decode()
        described = [json.loads(line) for line in text.splitlines()]
        self.assertIn('"length":', text)
        self.assertEqual(described[-1]["ticks"], 60)
        back = self.same_file(0, "import plugin.jsonl -o NAME --rehash", "back")
        self.assertEqual(back, self.content("s.isotick"))


if __name__ == "__main__":
    unittest.main()
