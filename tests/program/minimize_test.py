"""isotick minimize: the smallest recording that still fails, as a user meets it."""

import json
import re
import unittest

from program import ProgramTest, failing_tick, long_form, row

# Which input begins with which byte is seen in the recording.
NEEDED = ((503, 0), (1234, 2), (2011, 3))


class Minimize(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("leak.isotick", "--sim control:long-frame --ticks 900")
        cls.record("clean.isotick", "--sim twin:long-frame --ticks 200")
        cls.record("faulty.isotick", "--sim ./faulty.so --ticks 300")
        cls.record("four.isotick", "--sim ./provoked.so --players 4 --ticks 3600")

    def first_byte(self, recording, tick, player):
        for line in self.isotick(f"export {recording} --sim ./provoked.so").out.splitlines():
            entry = json.loads(line)
            if entry.get("t") == tick:
                return int(entry["hex"][str(player)][:2], 16)
        return self.fail(f"{recording} has no tick {tick}")

    def test_verify_alone_shows_what_was_minimized(self):
        run = self.ends(0, "minimize leak.isotick -o small.isotick --trials 30")
        schedule = row(run.out, "schedule")
        self.assertRegex(schedule, r"^(\d+xnominal, )?\d+ms$")
        self.assertRegex(row(run.out, "inputs"), r"^none is needed; in \d trials? of both sides$")
        shown = self.ends(1, "verify small.isotick --trials 2 -v",
                          "DIVERGED  1 of 2 trials identical")
        self.assertIn(f"accumulator | {schedule}: ", row(shown.out, "repro"))
        tick = re.search(r"at tick (\d+)", row(run.out, "diverges")).group(1)
        self.assertEqual(failing_tick(shown.out), f"tick {tick}")
        self.assertEqual(row(shown.out, "session").split(", ")[2], f"{int(tick) + 1} ticks at 60hz")

    def test_only_the_inputs_that_are_needed_are_left(self):
        cells = ",".join(f"{tick}/{player}/{self.first_byte('four.isotick', tick, player)}"
                         for tick, player in NEEDED)
        fault = f"--sim ./provoked.so --environment after=0 --environment inputs={cells}"
        run = self.ends(0, f"minimize four.isotick -o three.isotick {fault}")
        self.assertIn("3 inputs left", run.out)
        for tick, player in NEEDED:
            self.assertIn(f"tick {tick}, player {player}\n", run.out)
        self.assertEqual(row(run.out, "diverges"), "at tick 2011")
        self.ends(1, f"verify three.isotick {fault} --trials 2", "\n  when        tick 2011")
        done = self.ends(0, f"minimize four.isotick -o json.isotick --json {fault}")
        kept = json.loads(done.out)["inputs"]["kept"]
        self.assertEqual([(cell["tick"], cell["player"]) for cell in kept], list(NEEDED))

    def test_with_fewer_inputs_the_schedule_shrinks_further(self):
        fault = "--sim ./faulty.so --environment fault=guarded --environment at=10"
        self.record("guarded.isotick", f"{fault} --ticks 300 --players 4 --inputs random")
        run = self.ends(0, f"minimize guarded.isotick -o unguarded.isotick {fault}")
        self.assertRegex(row(run.out, "schedule"), r"^\d+ms$")
        self.assertEqual(row(run.out, "diverges"), "at tick 0")
        self.assertTrue(row(run.out, "inputs").startswith("none is needed"), run.out)
        shown = self.ends(1, f"verify unguarded.isotick {fault} -v", "\n  when        tick 0")
        self.assertEqual(row(shown.out, "session").split(", ")[2], "1 tick at 60hz")
        self.assertTrue(row(shown.out, "shrunk").startswith("no, "), shown.out)

    def test_a_share_of_the_session_is_one_of_the_whole_session(self):
        fault = "--sim ./faulty.so --environment fault=history --environment at=200"
        self.record("history.isotick", f"{fault} --ticks 300")
        run = self.ends(0, f"minimize history.isotick -o short.isotick {fault}")
        self.assertEqual(row(run.out, "diverges"), "at tick 200")

    def inputs_in(self, recording):
        lines = self.isotick(f"export {recording} --sim ./provoked.so").out.splitlines()
        return sum(len(json.loads(line).get("hex", {})) for line in lines)

    def test_inputs_that_are_held_on_are_counted(self):
        fault = "--sim ./provoked.so --environment after=0 --environment held=900"
        done = self.ends(0, f"minimize four.isotick -o held.isotick --json {fault}")
        inputs = json.loads(done.out)["inputs"]
        self.assertGreaterEqual(inputs["present"], 900)
        self.assertLess(len(inputs["kept"]), inputs["present"])
        self.assertEqual(self.inputs_in("held.isotick"), inputs["present"])
        run = self.ends(0, f"minimize four.isotick -o held.isotick --force {fault}")
        self.assertTrue(row(run.out, "inputs").startswith(f"{inputs['present']} inputs left: "))

    def test_a_crash_is_minimized_too(self):
        cells = f"503/1/{self.first_byte('four.isotick', 503, 1)}"
        fault = (f"--sim ./provoked.so --environment after=0 --environment crash=1 "
                 f"--environment inputs={cells}")
        run = self.ends(0, f"minimize four.isotick -o crash.isotick {fault}")
        tick = row(run.out, "crashes")
        self.assertRegex(tick, r"^at tick 5\d\d$")
        self.assertIn("tick 503, player 1\n", run.out)
        shown = self.ends(5, f"verify crash.isotick {fault} --trials 2",
                          "CRASHED  1 of 2 trials identical\n")
        self.assertIn(f"in step of {tick[3:]}", row(shown.out, "reason"))

    @long_form
    def test_the_same_command_writes_the_same_bytes(self):
        outputs = []
        for name in ("a.isotick", "b.isotick"):
            self.ends(0, f"minimize leak.isotick -o {name} --trials 30")
            outputs.append((self.folder / name).read_bytes())
        self.assertEqual(*outputs)

    def test_between_two_builds_both_sides_run_where_both_are_named(self):
        run = self.ends(0, "minimize faulty.isotick -o builds.isotick --sim ./other_build.so "
                           "--sim-a ./faulty.so")
        self.assertEqual(row(run.out, "session").split(", ")[2], "21 ticks at 60hz")
        self.assertEqual(row(run.out, "inputs"), "none is needed; in 1 trial of both sides")
        self.assertEqual(row(run.out, "to see it"), "isotick verify builds.isotick --sim "
                         "./other_build.so --sim-a ./faulty.so")
        self.ends(1, "verify builds.isotick --sim ./other_build.so",
                  "\n  when        tick 20")
        self.ends(0, "replay builds.isotick --sim ./faulty.so")

    def test_where_one_side_runs_the_session_is_cut_and_says_why(self):
        run = self.ends(0, "minimize faulty.isotick -o cut.isotick --sim ./other_build.so")
        self.assertIn("name the recording's build with --sim-a", row(run.out, "inputs"))
        self.ends(1, "verify cut.isotick --sim ./other_build.so", "\n  when        tick 20")

    def test_what_does_not_fail_is_not_minimized(self):
        run = self.ends(4, "minimize clean.isotick -o nothing.isotick --trials 5",
                        "nothing to minimize")
        self.assertEqual(run.out, "")
        self.assertFalse((self.folder / "nothing.isotick").exists())

    def test_nothing_is_overwritten(self):
        (self.folder / "there.isotick").write_text("mine")
        self.refuses("minimize leak.isotick -o there.isotick", "there.isotick exists")
        self.assertEqual((self.folder / "there.isotick").read_text(), "mine")
        self.ends(0, "minimize leak.isotick -o there.isotick --force --trials 30")

    def test_mistakes_are_refused(self):
        self.refuses("minimize leak.isotick", "--output")
        self.refuses("minimize leak.isotick -o x.isotick --shrink soon", "--shrink: ")
        self.refuses("minimize leak.isotick -o x.isotick --sim spring", "leak.isotick")


if __name__ == "__main__":
    unittest.main()
