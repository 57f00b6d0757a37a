"""Axes besides loop and schedule: named with --vary, drawn with --perturb, given with --drive."""

import re
import unittest
from pathlib import Path

from program import ProgramTest, row

FAULTY = "--sim ./faulty.so"
PLANTED = f"{FAULTY} --environment fault=environ"
HAS_FMA = " fma " in Path("/proc/cpuinfo").read_text(encoding="utf-8")
DRAWN = ["beside", "cpu", "environment-size", "malloc-fill", "malloc-threshold", "reload",
         "restart", "rollback", "time-zone"]
FOUND_BY = {"block-order": "malloc-threshold", "environ": "environment-size", "history": "reload",
            "leftover": "restart", "libm": "cpu", "neighbor": "beside", "time-zone": "time-zone"}
FOUND_BY_ROLLBACK = {"late-input": "inputs", "missing-member": "inputs",
                     "predicted-leak": "inputs", "stale-cache": "counter", "static": "counter"}


class Axes(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", f"{FAULTY} --ticks 60")

    def test_an_environment_that_matters_is_caught_and_shrunk(self):
        run = self.ends(1, f"verify s.isotick {PLANTED} --perturb all --trials 40 --jobs 2",
                        "diverged at tick 20\n")
        for axis in DRAWN:
            self.assertRegex(row(run.out, "perturbed"), rf"{axis} in \d+")
        shown = re.fullmatch(r"environment-size=(\d+): bytes of padding in the environment of the "
                             "process", row(run.out, "axis"))
        self.assertLessEqual(int(shown[1]), 32768)  # alone enough, whatever else is set here
        self.assertEqual(row(run.out, "cause"), "environment-size: the same trial without it gives "
                         "the recorded hash")
        self.assertEqual(row(run.out, "schedule"), "nominal")
        self.assertIn("environment-size=", row(run.out, "shrunk"))
        again = self.shell(row(run.out, "reproduce"))
        self.assertEqual(again.code, 1, again)
        self.assertEqual(row(again.out, "cause"), row(run.out, "cause"))

    def test_the_clean_twin_is_identical(self):
        run = self.ends(0, f"verify s.isotick {FAULTY} --perturb all --trials 40",
                        "IDENTICAL  40 of 40 trials")
        self.assertIn("environment-size in ", row(run.out, "perturbed"))
        self.ends(0, f"verify s.isotick {PLANTED} --trials 40", "IDENTICAL  40 of 40 trials")

    def test_each_axis_finds_what_no_other_does(self):
        for fault, axis in FOUND_BY.items():
            if fault == "libm" and not HAS_FMA:
                continue  # every processor that could be tried is this one
            with self.subTest(fault=fault):
                planted = f"s-{fault}.isotick {FAULTY} --environment fault={fault}"
                self.record(f"s-{fault}.isotick",
                            f"{FAULTY} --environment fault={fault} --ticks 60")
                # Snapshots and other instances take memory: blocks come to lie elsewhere.
                moves = ({"beside", "reload", "restart", "rollback"} if fault == "block-order"
                         else set())
                others = ",".join(name for name in DRAWN if name not in {axis} | moves)
                self.ends(0, f"verify {planted} --perturb {others} --trials 30", "IDENTICAL")
                run = self.ends(1, f"verify {planted} --perturb all --trials 30",
                                "diverged at tick 20\n")
                self.assertTrue(row(run.out, "axis").startswith(f"{axis}="), run.out)
                self.assertEqual(row(run.out, "cause"), f"{axis}: the same trial without it gives "
                                 "the recorded hash")
                self.assertIn("counter", row(run.out, "differs in"))
                self.assertEqual(row(run.out, "schedule"), "nominal")

    def test_rollback_finds_what_load_does_not_undo(self):
        for at in 20, 7000:
            self.record(f"by-{at}.isotick", f"{FAULTY} --ticks {at + 40} --inputs random")
            for fault, field in FOUND_BY_ROLLBACK.items():
                with self.subTest(fault=fault, at=at):
                    planted = (f"by-{at}.isotick {FAULTY} --environment fault={fault} "
                               f"--environment at={at}")
                    self.ends(0, f"verify {planted} --trials 20 --perturb none", "IDENTICAL")
                    self.ends(1, f"verify {planted} --trials 20", "DIVERGED")
                    run = self.ends(1, f"verify {planted} --trials 20 --perturb rollback",
                                    "DIVERGED")
                    self.assertRegex(row(run.out, "axis"), r"^rollback=[12] every [12][^:]*: ticks")
                    self.assertEqual(row(run.out, "cause"), "rollback: the same trial without it "
                                     "gives the recorded hash")
                    self.assertRegex(row(run.out, "leak"), r"in tick \d+: load does not undo "
                                     "everything$")
                    self.assertEqual(row(run.out, "differs in"), field)
                    self.assertEqual(row(run.out, f"in {field}"), "1 field")
                    again = self.shell(row(run.out, "reproduce"))
                    self.assertEqual((again.code, row(again.out, "leak")),
                                     (1, row(run.out, "leak")))

    def test_rollback_finds_the_first_load_that_does_not_undo_everything(self):
        for at in 20, 7000:
            self.record(f"at-{at}.isotick", f"{FAULTY} --ticks {at + 40} --inputs random")
            for fault in "missing-member", "stale-cache", "static":
                with self.subTest(fault=fault, at=at):
                    self.ends(1, f"replay at-{at}.isotick {FAULTY} --environment fault={fault} "
                              f"--environment at={at} --rollback 1,1",
                              f"DIVERGED  at tick {at}\n")

    def test_rollback_is_shrunk_to_how_far_and_on_what_inputs(self):
        self.record("r.isotick", f"{FAULTY} --ticks 60 --inputs random")
        run = self.ends(1, f"verify r.isotick {FAULTY} --environment fault=missing-member "
                        "--perturb rollback", "diverged at tick 20\n")
        self.assertTrue(row(run.out, "axis").startswith("rollback=1 every 1 right:"), run.out)
        self.assertEqual(row(run.out, "leak"), "of what ran ahead on the same inputs and was "
                         "undone, in tick 20: load does not undo everything")
        run = self.ends(1, f"verify r.isotick {FAULTY} --environment fault=predicted-leak "
                        "--perturb rollback", "DIVERGED")
        self.assertNotIn("right", row(run.out, "axis"))
        self.assertIn("on guessed inputs", row(run.out, "leak"))

    def test_rollback_undoes_each_tick(self):
        self.record("all.isotick", f"{FAULTY} --ticks 600 --inputs random")
        run = self.ends(0, f"verify all.isotick {FAULTY} --perturb rollback", "IDENTICAL  100 of")
        self.assertRegex(row(run.out, "state loads"),
                         r"^[\d,]+, 1 to 1\d ticks back, \d+% of ticks run again$")
        for how, loads in (("16", r"\d\d, 1 to 16 ticks back, 100%"),
                           ("16,16", "38, 16 ticks back, 101%"),
                           ("8,1", "593, 8 ticks back, 790%"),
                           ("3,50", "13, 3 ticks back, 6%")):
            with self.subTest(rollback=how):
                run = self.ends(0, f"replay all.isotick {FAULTY} --rollback {how}", "IDENTICAL")
                self.assertRegex(row(run.out, "state loads"), rf"^{loads} of ticks run again$")
                self.assertIn("600 hashes in", row(run.out, "compared"))
        run = self.ends(0, f"verify all.isotick {FAULTY} --rollback 8,2 --trials 3 --perturb none",
                        "IDENTICAL  3 of 3")
        self.assertTrue(row(run.out, "varied").startswith("rollback=8 every 2: "), run.out)

    def test_no_snapshots_no_rollback(self):
        plain = "--sim ./tanks_plain.so"
        self.record("tanks.isotick", f"{plain} --ticks 60 --inputs random")
        run = self.ends(0, f"verify tanks.isotick {plain} --trials 20", "IDENTICAL")
        self.assertIn("the simulation takes no snapshots", row(run.out, "not varied"))
        self.refuses(f"verify tanks.isotick {plain} --rollback 8",
                     "takes no snapshots (save and load)")

    def test_a_nominal_replay_that_fails_is_tried_with_other_values(self):
        for fault, value, variables in (
                ("libm", "cpu=no-fma", "GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-AVX2"),
                ("time-zone", "time-zone=XYZ-5:45", "TZ=XYZ-5:45"),
                ("block-order", "malloc-threshold=4096",
                 "GLIBC_TUNABLES=glibc.malloc.mmap_threshold=4096")):
            if fault == "libm" and not HAS_FMA:
                continue
            with self.subTest(fault=fault):
                planted = f"{FAULTY} --environment fault={fault}"
                made = self.shell(f"{variables} isotick record -o elsewhere-{fault}.isotick "
                                  f"{planted} --ticks 60")
                self.assertEqual(made.code, 0, made)
                run = self.ends(1, f"verify elsewhere-{fault}.isotick {planted} --trials 10",
                                "NONDETERMINISTIC")
                self.assertIn(f"in a fresh process with {value} was identical",
                              row(run.out, "reason"))
                self.ends(0, f"replay elsewhere-{fault}.isotick {planted} "
                          f"--drive 'accumulator | nominal | {value}'", "IDENTICAL")

    def test_a_simulation_that_hears_of_no_frames_is_perturbed_in_all_trials(self):
        self.record("chunks.isotick", "--sim ./chunks.so --ticks 60 --inputs random")
        run = self.ends(0, "verify chunks.isotick --sim ./chunks.so --trials 40 --perturb none",
                        "IDENTICAL  13 of 13 trials identical, but no schedule can reach")
        self.assertTrue(row(run.out, "try").startswith("--perturb all, --vary"), run.out)
        run = self.ends(0, "verify chunks.isotick --sim ./chunks.so --trials 40 --perturb all",
                        "IDENTICAL  40 of 40 trials")
        self.assertTrue(row(run.out, "try").startswith("--vary"), run.out)

    def test_what_the_user_tells_glibc_stays(self):
        run = self.shell(f"GLIBC_TUNABLES=glibc.malloc.tcache_count=3 isotick replay s.isotick "
                         f"{FAULTY} --environment fault=print-tunables --drive 'accumulator | "
                         "nominal | malloc-threshold=4096'")
        self.assertIn("GLIBC_TUNABLES=glibc.malloc.tcache_count=3:glibc.malloc.mmap_threshold=4096:"
                      "glibc.malloc.tcache_count=0", run.out + run.err)

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
                     "expected default, all, none, or once each of " + ", ".join(DRAWN))
        self.refuses(f"verify s.isotick {FAULTY} --perturb malloc-fill,malloc-fill", "once each")
        self.refuses(f"verify s.isotick {FAULTY} --vary malloc-fill=1,300", "up to 255")
        for value in "0", "257", "8 every 0", "8 seed", "8 right right", "eight":
            self.refuses(f"verify s.isotick {FAULTY} --vary 'rollback={value}'", "ticks to go back")
        self.refuses(f"replay s.isotick {FAULTY} --in-process --vary malloc-fill=1",
                     "before a process starts")
        self.refuses(f"replay s.isotick {FAULTY} --drive accumulator", "a schedule")
        self.refuses(f"replay s.isotick {FAULTY} --drive 'accumulator | 60hz' --schedule 60hz",
                     "--schedule excludes --drive")


if __name__ == "__main__":
    unittest.main()
