"""What the machine runs out of is named, and so is what a simulation says when it cannot start."""

import os
import shlex
import unittest
from pathlib import Path

from program import ProgramTest


# UndefinedBehaviorSanitizer needs a pipe to tell whether memory can be read.
@unittest.skipIf("ISOTICK_WITHOUT_MEMORY_LIMIT" in os.environ, "sanitizers take their own")
class FileDescriptors(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", "--sim spring --ticks 30")

    def runs_out(self, options):
        """With every limit that may be too low, the reason is the limit."""
        codes = set()
        for most in range(5, 28):
            run = self.shell(f"ulimit -n {most}; isotick verify s.isotick --trials 2 {options}")
            codes.add(run.code)
            if run.code != 0:
                self.assertEqual(run.code, 3, (most, run))
                self.assertIn("Too many open files", run.err, most)
        self.assertEqual(codes, {0, 3})

    def test_that_run_out_are_the_reason(self):
        self.runs_out("--jobs 2")

    def test_that_run_out_are_the_reason_with_processes_too(self):
        self.runs_out("--jobs 1 --sim 'exec:isotick serve --sim spring'")


class Starts(ProgramTest):
    def test_that_fail_come_with_what_was_printed(self):
        for command in ("echo why >&2; exit 3", "echo why >&2; kill -9 $$"):
            run = self.isotick(f"record -o x.isotick --sim {shlex.quote(f'exec:{command}')}")
            self.assertIn("the simulation printed:\n  | why\n", run.err)
            self.assertFalse(self.path("x.isotick").exists())

    def test_of_a_simulation_with_a_sanitizer_are_not_short_of_memory(self):
        program = Path(os.environ["ISOTICK_OWN_PROGRAMS"]) / "own_sanitized"
        run = self.shell(f"{program} record -o s.isotick --inputs none --ticks 10")
        self.assertEqual(run.code, 0, run.err)


if __name__ == "__main__":
    unittest.main()
