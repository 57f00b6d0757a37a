"""What Linux recorded, replayed by the same simulations on Windows (wine), which serve themselves.

Needs the program and the plug-ins of build/dev.
"""

import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "program"))

from program import PROJECT, TIME_LIMIT, ProgramTest, row  # noqa: E402

PROGRAMS = Path(os.environ.get("ISOTICK_WINDOWS_PROGRAMS", PROJECT / "build/mingw/tests/windows"))


class OnWindows(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path("wine").symlink_to(PROJECT / "scripts/lib/under-wine")
        for program in PROGRAMS.glob("*.exe"):
            cls.path(program.name).symlink_to(program)
        # When its last program ends, Wine ends its own processes too. If a trial had to start them
        # again, they would be killed with the trial. So one program waits for input throughout.
        cls.resident = subprocess.Popen([cls.path("wine"), "cmd.exe"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        cls.resident.stdout.read(1)

    @classmethod
    def tearDownClass(cls):
        cls.resident.communicate(timeout=TIME_LIMIT)
        super().tearDownClass()

    def test_the_same_bits_are_computed(self):
        for name in ("skirmish", "spring"):
            with self.subTest(name):
                self.record(f"{name}.isotick", f"--sim {name} --ticks 300")
                served = f"--sim 'exec:./wine reference.exe {name}'"
                self.ends(0, f"replay {name}.isotick {served}", "IDENTICAL")
                self.ends(0, f"verify {name}.isotick {served} --trials 3", "IDENTICAL")

    def test_a_total_that_is_too_wide_for_long_is_found_where_it_starts_over(self):
        self.record("narrow.isotick", "--sim ./narrow.so --inputs none --ticks 20")
        run = self.ends(1, "replay narrow.isotick --sim 'exec:./wine narrow.exe' "
                           "--sim-a ./narrow.so")
        self.assertIn("DIVERGED  narrow.isotick at tick 7\n", run.out)
        self.assertIn("total  4294967296 → 0\n", run.out)
        self.assertIn("the build: ", row(run.out, "why"))

    def test_bytes_that_windows_takes_for_text_pass_unchanged(self):
        # 10, 13 and 26 are ends of lines and of files there.
        self.record("long.isotick", "--sim skirmish --config units=26 --ticks 1310")
        self.ends(0, "replay long.isotick --sim 'exec:./wine reference.exe skirmish'")


if __name__ == "__main__":
    unittest.main()
