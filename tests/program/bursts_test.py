"""Trials of a long session that begin in its middle, and trials for as long as there is time."""

import re
import unittest

from program import ProgramTest, failing_tick, row, some

PROVOKED = "--sim ./provoked.so"
FAULTY_FROM = "--sim ./faulty.so --environment at=8000 --environment onwards=1"
FAULTY = "--sim ./faulty.so --environment fault=long-frame --environment at=7000"


class Bursts(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("provoked.isotick", f"{PROVOKED} --ticks 12000")
        cls.record("faulty.isotick", "--sim ./faulty.so --ticks 12000")
        cls.record("skirmish.isotick", "--sim skirmish --config units=20 --ticks 4000")

    def reproduces(self, run):
        """What a report prints runs in full, and diverges at the same tick."""
        tick = failing_tick(run.out)
        again = self.shell(row(run.out, "reproduce") + " -v")
        self.assertEqual(again.code, 1, again)
        self.assertEqual(again.out.splitlines()[-1], f"DIVERGED  at {tick}")
        self.assertEqual(row(again.out, "computed"), row(run.out, "computed"))
        return int(tick.split()[1])

    def test_what_only_comes_late_is_found_at_its_tick_and_field(self):
        command = f"verify provoked.isotick {PROVOKED} --environment after=9000"
        run = self.ends(1, command + " -v", "DIVERGED")
        self.assertGreaterEqual(self.reproduces(run), 9000)
        self.assertIn("    leaked  0 → 1", run.out)
        self.assertIn("ran parts of the session", row(run.out, "bursts"))
        self.assertIn("more were not run, since one had failed", row(run.out, "bursts"))
        self.assertEqual(self.ends(1, command + " -v --jobs 1").out.replace(" --jobs 1", ""),
                         run.out)

    def test_what_only_comes_late_and_by_an_axis_is_found_on_the_way_of_trial_0(self):
        for fault, axis, code in some((("local", "stack", 1), ("heap", "heap", 1),
                                       ("machine", "host-name", 1), ("lustrum", "clock", 1)), 1):
            with self.subTest(fault=fault):
                planted = f"{FAULTY_FROM} --environment fault={fault}"
                self.record(f"late-{fault}.isotick", planted + " --ticks 12000")
                run = self.ends(code, f"verify late-{fault}.isotick {planted} --for 10m -v")
                self.assertEqual(failing_tick(run.out), "tick 8000")
                self.assertTrue(row(run.out, "axis").startswith(axis + "="), run.out)
                self.assertIn(f"({axis}=", row(run.out, "why"))
                self.assertRegex(row(run.out, "shrunk"), f"{axis}=[^,]* from frame")
                trials = int(row(run.out, "trials").split()[0])
                self.assertTrue(row(run.out, "bursts").startswith(f"{trials - 1} of them "))
                again = self.shell(row(run.out, "reproduce"))
                self.assertEqual(again.code, code, again)

    def test_an_axis_that_begins_on_the_way_does_so_at_its_frame(self):
        planted = "--sim ./faulty.so --environment fault=local --environment at=7000"
        for frame, code in ((6999, 1), (7000, 1), (7001, 0)):
            self.ends(code, f"replay faulty.isotick {planted} "
                            f"--vary 'stack=7 from frame {frame}'", "tick 7000" if code else "")
        self.refuses(f"replay faulty.isotick {planted} --vary 'stack=7 from frame 0'",
                     "stack: expected a frame from 1 up, not '0'")
        self.refuses("replay faulty.isotick --sim 'exec:isotick serve --sim ./faulty.so' "
                     "--vary 'host-name=7 from frame 5'", "the trial's own process")

    def test_clean_twins_are_silent(self):
        for recording, how in some((("provoked", f"{PROVOKED} --environment ticks=1000"),
                                    ("faulty", "--sim ./faulty.so"), ("skirmish", "")), 1):
            for axes, bursts in (("none", 82), ("default", 76)):
                run = self.ends(0, f"verify {recording}.isotick {how} --perturb {axes} -v",
                                "IDENTICAL")
                self.assertRegex(row(run.out, "bursts"),
                                 rf"^{bursts} of them ran parts of the session: [\d,]+ ticks, "
                                 r"on \d+\.\d% of it$")
                self.assertEqual(run.out.splitlines()[-1].split("  ")[1].split(",")[0],
                                 "100 of 100 trials identical")

    def test_of_a_long_session_the_beginning_of_each_trial_is_tried_first(self):
        self.record("long.isotick", "--sim ./faulty.so --ticks 40000")
        command = "verify long.isotick --sim ./faulty.so --environment fault=leftover"
        run = self.ends(1, command + " --for 60s --jobs 2 -v", "\n  when        tick 20;")
        self.assertIn("5 run, ", row(run.out, "trials"))
        self.assertRegex(row(run.out, "bursts"), "^5 of them ran parts of the session: ")
        self.assertIn("(restart=", row(run.out, "why"))
        again = self.shell(row(run.out, "reproduce"))
        self.assertEqual(again.out.splitlines()[-1], "DIVERGED  at tick 20")
        run = self.ends(1, command + " -v", "\n  when        tick 20;")
        self.assertIn("118 run, ", row(run.out, "trials"))
        clean = self.ends(0, "verify long.isotick --sim ./faulty.so --trials 60 -v", "IDENTICAL")
        self.assertIn("78 run, ", row(clean.out, "trials"))

    def test_all_run_in_full_where_that_is_wanted_or_the_session_is_short(self):
        run = self.ends(0, "verify skirmish.isotick --bursts none --trials 16 --perturb none -v")
        self.assertNotIn("bursts", run.out)
        self.assertIn("64,000 hashes", row(run.out, "compared"))
        self.record("short.isotick", "--sim skirmish --config units=20 --ticks 3000")
        self.assertNotIn("bursts", self.ends(0, "verify short.isotick --trials 20 -v").out)

    def test_a_process_is_run_in_full_and_the_report_says_why(self):
        process = f"--sim 'exec:isotick serve {PROVOKED}' --environment ticks=1000"
        run = self.ends(0, f"verify provoked.isotick {process} --trials 16 --perturb none -v")
        self.assertRegex(row(run.out, "bursts"), "^in full instead: .*process of its own$")
        self.assertIn("192,000 hashes", row(run.out, "compared"))

    def test_every_loop_and_setting_has_bursts(self):
        one = self.read_json(0, "verify skirmish.isotick --loop all")["recordings"][0]
        self.assertGreater(one["bursts"]["trials"], 50)
        self.assertEqual(one["trials"], 100)

    def test_a_budget_is_spent_or_ends_with_a_failure(self):
        one = self.read_json(0, "verify skirmish.isotick --for 1s")["recordings"][0]
        self.assertEqual(one["budget"]["asked_ms"], 1000)
        self.assertGreaterEqual(one["budget"]["spent_ms"], 1000)
        self.assertGreater(one["bursts"]["trials"], 0)
        self.assertLessEqual(one["bursts"]["covered"], 4000)
        run = self.ends(1, f"verify faulty.isotick {FAULTY} --for 10m -v", "DIVERGED")
        self.assertGreaterEqual(self.reproduces(run), 7000)
        self.assertRegex(row(run.out, "budget"), r" s of 600.0 s spent .*first that failed$")

    def test_what_is_only_detected_is_not_confirmed(self):
        run = self.ends(1, f"verify faulty.isotick {FAULTY} --for 10m --detect-only", "DIVERGED")
        self.assertEqual(row(run.out, "why"), "not looked for: --detect-only")

    def test_a_budget_is_a_duration(self):
        for text in ("5x", "0s", "-3s", "5", "m", "mm", "5mm", "1000000h", "5s 3"):
            self.refuses(f"verify skirmish.isotick --for '{text}'", "is no duration")
        self.refuses("verify skirmish.isotick --for 5s --schedule 17ms", "only one of both")


if __name__ == "__main__":
    unittest.main()
