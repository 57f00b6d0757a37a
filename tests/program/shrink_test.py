"""From a trial that fails to the plainest schedule that makes it fail, and one that a recording
brings with it."""

import os
import re
import shlex
import signal
import subprocess
import time
import unittest

from program import PROGRAM, TIME_LIMIT, ProgramTest, failing_tick, long_form, row

PLUGIN = "--sim ./provoked.so"
PROCESS = "--sim 'exec:isotick serve --sim ./provoked.so'"
HITCH = "--schedule '700xnominal, 101.4ms, jitter(60hz, 3ms, seed=5)'"

# Serves ./provoked.so, but the process of number $1 first waits until there is a file `go`.
WAITING = """\
echo >> started
if [ "$(wc -l < started)" -eq "$1" ]; then
    while [ ! -e go ]; do sleep 0.01; done
fi
exec isotick serve --sim ./provoked.so
"""


class Shrink(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("long.isotick", f"{PLUGIN} --ticks 36000")
        cls.record("short.isotick", f"{PLUGIN} --ticks 1200")

    def shrinks(self, command):
        """The report of a divergence, which what it prints reproduces."""
        run = self.ends(1, command + " -v", "DIVERGED")
        tick = failing_tick(run.out)
        again = self.shell(row(run.out, "reproduce") + " -v")
        self.assertEqual(again.code, 1, again)
        self.assertEqual(again.out.splitlines()[-1], f"DIVERGED  at {tick}")
        for what in ("computed", "recorded", "schedule"):
            self.assertEqual(row(again.out, what), row(run.out, what))
        return run

    def test_a_long_recording_ends_in_one_line(self):
        run = self.shrinks(f"verify long.isotick {PLUGIN} --trials 20 --perturb none")
        self.assertRegex(row(run.out, "schedule"), r"^199\dxnominal, \d+ms$")
        self.assertRegex(row(run.out, "why"), r"frame 199\d took \d+ms instead of 16\.666666ms, so "
                         r"(\d) ticks ran in it; tick \d+ was number \1 of the \1 in frame 199\d"
                         r"; 8 of 8 reruns with it fail, 0 of \d without$")
        took = re.match(r"in (\d+) trials from (.*), which diverged at tick (\d+)$",
                        row(run.out, "shrunk"))
        self.assertLessEqual(int(took.group(1)), 60)
        self.assertGreaterEqual(int(took.group(3)), 2000)
        again = self.ends(1, f"verify long.isotick {PLUGIN} --trials 20 --perturb none -v")
        self.assertEqual(again.out, run.out)

    @long_form
    def test_the_same_comes_of_a_process(self):
        here = self.shrinks(f"verify short.isotick {PLUGIN} {HITCH} --environment after=500")
        there = self.shrinks(f"verify short.isotick {PROCESS} {HITCH} --environment after=500")
        self.assertEqual(there.out.replace(PROCESS, PLUGIN), here.out)

    def test_what_shows_late_is_blamed_on_the_frame_that_it_needs(self):
        late = f"verify short.isotick {PLUGIN} {HITCH} --environment after=500"
        run = self.shrinks(f"{late} --environment delay=200")
        schedule = re.match(r"^(\d+)xnominal, (\d+ms), 200xnominal$", row(run.out, "schedule"))
        frame = int(schedule.group(1))
        self.assertTrue(row(run.out, "why").startswith(
            f"frame times: frame {frame} took {schedule.group(2)} instead of 16.666666ms, so 4 "
            "ticks ran in it"), run.out)
        self.assertRegex(row(self.shrinks(late).out, "why"),
                         r"; tick \d+ was number \d of the \d in ")

    def test_without_shrinking_the_cause_may_lie_before(self):
        late = (f"verify short.isotick {PLUGIN} --schedule 'jitter(60hz, 3ms, seed=5)' "
                "--environment after=500 --environment ticks=2 --shrink none")
        run = self.shrinks(f"{late} --environment delay=50")
        self.assertRegex(row(run.out, "why"), "^frame times: too many of them are "
                         "unusual to single one out; ")

    def test_a_crash_is_made_plain_too(self):
        crash = (f"verify short.isotick {PLUGIN} {HITCH} --environment after=500 "
                 "--environment crash=1")
        run = self.ends(5, crash + " -v", "CRASHED  1 of 2 trials identical")
        self.assertRegex(row(run.out, "why"), r"^the plainest drive found to fail is accumulator "
                         r"\| \d+xnominal, \d+ms$")
        self.assertTrue(row(run.out, "debugger").startswith("gdb --args isotick replay "))
        self.assertRegex(row(run.out, "schedule"), r"^\d+xnominal, \d+ms$")
        self.assertRegex(row(run.out, "shrunk"),
                         r"^in \d+ trials from .*, which crashed in step of tick 703$")
        self.assertRegex(row(run.out, "reason"),
                         r"killed by signal 6 \(Aborted\) in step of tick 5")
        again = self.shell(row(run.out, "reproduce"))
        self.assertEqual(again.code, 5, again)
        self.assertEqual(row(again.out, "reason"), row(run.out, "reason"))
        undone = self.ends(5, f"{crash} --shrink none -v", "CRASHED")
        self.assertEqual(row(undone.out, "schedule"), shlex.split(HITCH)[1])
        self.ends(0, crash.replace("after=500", "after=5000"), "IDENTICAL")

    def test_it_can_be_left_undone(self):
        run = self.shrinks(f"verify short.isotick {PLUGIN} {HITCH} --environment after=500 "
                           "--shrink none")
        self.assertEqual(row(run.out, "schedule"), shlex.split(HITCH)[1])
        self.assertNotIn("\n  shrunk ", run.out)

    def test_a_budget_that_is_used_up_is_told_of(self):
        command = f"verify long.isotick {PLUGIN} --trials 20 --perturb none"
        original = row(self.ends(1, f"{command} --shrink none -v").out, "schedule")
        run = self.shrinks(f"{command} --shrink 100")
        self.assertEqual(row(run.out, "shrunk"),
                         "no, after 1 trial: the budget of ticks was used up")
        self.assertEqual(row(run.out, "schedule"), original)
        run = self.shrinks(f"{command} --shrink 18100")  # values of memory take 8 trials of it
        self.assertIn(": the budget of ticks was used up", row(run.out, "shrunk"))

    def test_nothing_plainer_than_the_plainest_is_told_of(self):
        run = self.shrinks(f"verify long.isotick {PLUGIN} --schedule '1997xnominal, 67ms'")
        self.assertRegex(row(run.out, "shrunk"),
                         r"^no, after \d+ trials: nothing simpler was found to fail$")

    def test_machines_are_told_what_it_was_before(self):
        command = f"verify short.isotick {PLUGIN} {HITCH} --environment after=500"
        failure = self.read_json(1, command)["recordings"][0]["failures"][0]
        before = failure["shrinking"]
        self.assertEqual(before["drive"], f"accumulator | {shlex.split(HITCH)[1]}")
        self.assertEqual((before["tick"], before["unfinished"]), (703, None))
        self.assertGreater(before["trials"], 3)
        self.assertEqual(failure["schedule"], row(self.ends(1, f"{command} -v").out, "schedule"))
        failure = self.read_json(1, f"{command} --shrink none")["recordings"][0]["failures"][0]
        self.assertIsNone(failure["shrinking"])

    def test_ctrl_c_ends_it_with_the_best_so_far(self):
        options = f"{HITCH} --jobs 1 --audit none --environment after=500"
        self.path("wait").write_text(WAITING, encoding="ascii")
        simulation = "--sim 'exec:sh ./wait {}'"
        self.ends(1, f"verify short.isotick {simulation.format(0)} {options} --detect-only")
        # Others run again what failed. A few processes on, shrinking is under way.
        number = len(self.content("started").splitlines()) + 9
        self.path("started").unlink()
        command = f"isotick verify short.isotick {simulation.format(number)} {options} -v"
        with subprocess.Popen(shlex.split(command), cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"},
                              start_new_session=True) as verify:
            self.wait_for_start(number, verify)
            os.killpg(verify.pid, signal.SIGINT)  # as a terminal does
            self.path("go").touch()
            out, err = verify.communicate(timeout=TIME_LIMIT)
        self.assertEqual(verify.returncode, 1, err)
        self.assertIn("it was interrupted", row(out, "shrunk"))
        self.assertEqual(self.shell(row(out, "reproduce")).code, 1)

    def wait_for_start(self, number, verify):
        deadline = time.monotonic() + TIME_LIMIT
        while verify.poll() is None and time.monotonic() < deadline:
            started = self.path("started")
            if started.exists() and len(started.read_bytes().splitlines()) >= number:
                return
            time.sleep(0.01)
        self.fail("shrinking did not begin")


class Repro(ProgramTest):
    """The note isotick.repro: a failing case that a recording brings with it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, note in (("noted", "accumulator | 2290xnominal, 101.4ms"),
                           ("broken", "2290xnominal, 101.4ms")):
            cls.record(f"{name}.isotick", f"{PLUGIN} --ticks 2400 --note 'isotick.repro={note}'")

    def test_runs_first(self):
        run = self.ends(1, f"verify noted.isotick {PLUGIN} --trials 2 -v",
                        "\n  when        tick 2000")
        self.assertEqual(row(run.out, "repro"), "accumulator | 2290xnominal, 101.4ms: the "
                         "recording's own, as trial 1")
        self.assertIn("from 2290xnominal, 101.4ms, which diverged at tick 2293",
                      row(run.out, "shrunk"))
        self.ends(1, f"verify noted.isotick {PLUGIN} --trials 1", "1 of 2 trials identical")

    def test_is_told_to_machines(self):
        report = self.read_json(1, f"verify noted.isotick {PLUGIN} --trials 2")["recordings"][0]
        self.assertEqual(report["repro"], "accumulator | 2290xnominal, 101.4ms")
        self.assertEqual(report["failures"][0]["trial"], 1)
        report = self.read_json(0, f"verify noted.isotick {PLUGIN} --schedule nominal")
        self.assertIsNone(report["recordings"][0]["repro"])

    def test_that_no_longer_fails_is_a_trial_like_others(self):
        run = self.ends(0, f"verify noted.isotick {PLUGIN} --environment after=5000 --trials 9 -v",
                        "IDENTICAL  9 of 9 trials identical")
        self.assertIn("as trial 1", row(run.out, "repro"))

    def test_that_is_broken_proves_nothing(self):
        run = self.ends(4, f"verify broken.isotick {PLUGIN} --environment after=5000 --trials 9",
                        "INCONCLUSIVE  9 of 9 trials identical")
        self.assertEqual(row(run.out, "reason"), "the recording's isotick.repro cannot be read: "
                         "expected a loop, ' | ' and a schedule")


if __name__ == "__main__":
    unittest.main()
