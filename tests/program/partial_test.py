"""verify of many recordings: what it shows while it runs, and what is left when Ctrl-C ends it."""

import json
import os
import pty
import signal
import subprocess
import time
import unittest

import junit
from program import PROGRAM, TIME_LIMIT, ProgramTest

# The simulation makes the file `here` at tick 20, and then no progress.
STUCK = "--sim ./faulty.so --environment fault=hang --environment once=here --timeout 0"
REST = "interrupted before it was verified"


def environment():
    return {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "LC_ALL": "C"}


class Partial(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, ticks in (("short", 15), ("long", 60), ("other", 16)):
            cls.record(f"{name}.isotick", f"--sim ./faulty.so --ticks {ticks}")
        cls.record("bad.isotick", "--sim control:frame-time --ticks 60")
        cls.record("good.isotick", "--sim spring --ticks 60")
        cls.record("better.isotick", "--sim spring --ticks 60 --seed 2")

    def interrupt(self, recordings, options):
        """Ctrl-C while long.isotick is under way."""
        here = self.path("here")
        here.unlink(missing_ok=True)
        command = f"isotick verify {recordings} {STUCK} {options}"
        with subprocess.Popen(command.split(), cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=environment()) as verify:
            deadline = time.monotonic() + TIME_LIMIT
            while not here.exists() and time.monotonic() < deadline:
                time.sleep(0.005)
            verify.send_signal(signal.SIGINT)
            out, err = verify.communicate(timeout=TIME_LIMIT)
        return verify.returncode, out, err

    def test_ctrl_c_leaves_a_report_on_what_was_verified(self):
        code, out, err = self.interrupt(
            "short.isotick long.isotick other.isotick",
            "--trials 3 --audit none --with-environment --report made --report result:1.json")
        self.assertEqual(code, 4, err)
        self.assertTrue(out.startswith("short.isotick\n"), out)
        self.assertIn("IDENTICAL  3 of 3 trials identical\n", out)
        self.assertNotIn("long.isotick\n", out)
        self.assertTrue(out.endswith(
            "\nINCONCLUSIVE  2 of 3 recordings, 2 not verified: interrupted\n"), out)
        report = json.loads(self.content("made/report.json"))
        self.assertEqual([(one["verdict"], one.get("reasons")) for one in report["recordings"]],
                         [("identical", []), ("inconclusive", [REST]), ("inconclusive", [REST])])
        cases = junit.suites(self.path("made/report.xml")).iter("testcase")
        self.assertEqual([None if case.find("skipped") is None else
                          case.find("skipped").get("message") for case in cases],
                         [None, REST, REST])
        self.assertIn('"partial":true', self.content("made/report.html").decode())
        merged = self.ends(4, "merge 1.json")
        self.assertEqual(merged.out, out)

    def test_ctrl_c_leaves_nothing_of_a_single_recording(self):
        code, out, _ = self.interrupt("long.isotick", "--report single")
        self.assertEqual((code, out), (-signal.SIGINT, ""))
        self.assertFalse(self.path("single").exists())

    def on_terminal(self, options, recordings="bad.isotick good.isotick"):
        """What a terminal is sent on stderr."""
        ours, theirs = pty.openpty()
        command = f"isotick verify {recordings} --trials 4 --audit none {options}"
        with subprocess.Popen(command.split(), cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=theirs, env=environment()) as run:
            os.close(theirs)
            shown = b""
            try:
                while block := os.read(ours, 65536):
                    shown += block
            except OSError:  # how Linux says that the other end is closed
                pass
            run.wait(TIME_LIMIT)
        os.close(ours)
        return shown.decode()

    def test_a_terminal_shows_the_whole_run_and_failures_at_once(self):
        shown = self.on_terminal("")
        lines = [line for line in shown.split("\r\x1b[K") if line.startswith("1 of 2 recordings")]
        self.assertRegex(lines[-1], r"^1 of 2 recordings, 1 failed, \d+ s left: good\.isotick: "
                                    r"\d+ of \d+")
        self.assertLess(shown.index("isotick: bad.isotick: diverged\r\n"), shown.index(lines[0]))
        self.assertTrue(shown.endswith("\r\x1b[K"), "the last line is taken back")

    def test_what_is_known_already_says_nothing_of_the_time_left(self):
        self.ends(0, "verify good.isotick --trials 4 --audit none --cache known")
        shown = self.on_terminal("--cache known", "good.isotick bad.isotick better.isotick")
        self.assertRegex(shown, r"1 of 3 recordings: bad\.isotick: ")
        self.assertRegex(shown, r"2 of 3 recordings, 1 failed, \d+ s left: better\.isotick: ")

    def test_quiet_shows_failures_alone(self):
        self.assertEqual(self.on_terminal("--quiet"), "isotick: bad.isotick: diverged\r\n")


if __name__ == "__main__":
    unittest.main()
