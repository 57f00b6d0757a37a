"""Axes besides loop and schedule: named with --vary, drawn with --perturb, given with --drive."""

import re
import unittest

from program import ProgramTest, row

FAULTY = "--sim ./faulty.so"
PLANTED = f"{FAULTY} --environment fault=environ"


class Axes(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", f"{FAULTY} --ticks 60")

    def test_an_environment_that_matters_is_caught_and_shrunk(self):
        run = self.ends(1, f"verify s.isotick {PLANTED} --perturb all --trials 40 --jobs 2",
                        "diverged at tick 20\n")
        self.assertRegex(row(run.out, "perturbed"), r"^environment-size in \d+ of 40 trials$")
        self.assertRegex(run.out, r"perturbed   malloc-fill in \d+ of 40 trials")
        shown = re.fullmatch(r"environment-size=(\d+): bytes of padding in the environment of the "
                             "process", row(run.out, "axis"))
        self.assertLessEqual(int(shown[1]), 32768)  # alone enough, whatever else is set here
        self.assertEqual(row(run.out, "cause"), "environment-size: the same trial without it gives "
                         "the recorded hash")
        self.assertEqual(row(run.out, "schedule"), "nominal")
        self.assertIn(" with environment-size=", row(run.out, "shrunk"))
        again = self.shell(row(run.out, "reproduce"))
        self.assertEqual(again.code, 1, again)
        self.assertEqual(row(again.out, "cause"), row(run.out, "cause"))

    def test_the_clean_twin_is_identical(self):
        run = self.ends(0, f"verify s.isotick {FAULTY} --perturb all --trials 40",
                        "IDENTICAL  40 of 40 trials")
        self.assertIn("environment-size", row(run.out, "perturbed"))
        self.ends(0, f"verify s.isotick {PLANTED} --trials 40", "IDENTICAL  40 of 40 trials")

    def test_a_value_that_is_named_is_tried_first(self):
        report = self.read_json(1, f"verify s.isotick {PLANTED} --vary environment-size=100,40000 "
                                   "--shrink none")["recordings"][0]
        first = report["failures"][0]
        self.assertEqual((first["trial"], first["drive"]),
                         (2, "accumulator | nominal | environment-size=40000"))
        self.assertEqual(first["explanation"]["provoking_axes"],
                         [{"axis": "environment-size", "value": "40000"}])
        again = self.ends(1, f"replay s.isotick {PLANTED} --drive '{first['drive']}'",
                          "DIVERGED  at tick 20\n")
        self.assertEqual(row(again.out, "differs in"), "counter")

    def test_a_line_drives_a_replay(self):
        line = "accumulator | 40x16.667ms, 101.4ms | environment.fault=silent | malloc-fill=9"
        report = self.read_json(0, f"replay s.isotick {FAULTY} --drive '{line}'")
        self.assertEqual(report["drive"], line)
        self.assertEqual(report["schedule"], "40x16.667ms, 101.4ms")

    def test_a_line_names_captures(self):
        (self.folder / "run.csv").write_text("MsBetweenPresents\n" + "16.7\n" * 30,
                                             encoding="utf-8")
        line = 'accumulator | capture("run.csv")'
        report = self.read_json(0, f"replay s.isotick {FAULTY} --drive '{line}'")
        self.assertEqual(report["drive"], line)

    def test_a_recording_sets_no_environment(self):
        note = "accumulator | nominal | environment.fault=abort"
        self.record("hostile.isotick", f"{FAULTY} --ticks 60 --note 'isotick.repro={note}'")
        run = self.ends(4, f"verify hostile.isotick {FAULTY} --trials 5", "INCONCLUSIVE")
        self.assertEqual(row(run.out, "reason"), "the recording's isotick.repro cannot be read: a "
                         "file must not set environment.fault; if you trust it, pass --vary "
                         "environment.fault=abort")
        note = "accumulator | nominal | malloc-fill=3"
        self.record("friendly.isotick", f"{FAULTY} --ticks 60 --note 'isotick.repro={note}'")
        run = self.ends(0, f"verify friendly.isotick {FAULTY} --trials 5", "IDENTICAL")
        self.assertEqual(row(run.out, "repro"), f"{note}: the recording's own, as trial 1")

    def test_mistakes_are_refused(self):
        self.refuses(f"verify s.isotick {FAULTY} --perturb heat",
                     "expected all, none, or once each of environment-size, malloc-fill")
        self.refuses(f"verify s.isotick {FAULTY} --perturb malloc-fill,malloc-fill", "once each")
        self.refuses(f"verify s.isotick {FAULTY} --vary malloc-fill=1,300", "up to 255")
        self.refuses(f"replay s.isotick {FAULTY} --in-process --vary malloc-fill=1",
                     "before a process starts")
        self.refuses(f"replay s.isotick {FAULTY} --drive accumulator", "a schedule")
        self.refuses(f"replay s.isotick {FAULTY} --drive 'accumulator | 60hz' --schedule 60hz",
                     "--schedule excludes --drive")


if __name__ == "__main__":
    unittest.main()
