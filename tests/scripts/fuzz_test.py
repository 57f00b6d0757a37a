"""What scripts/fuzz makes of fuzzers, played by programs that stand in for them."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUNNER = Path(__file__).resolve().parents[2] / "scripts/lib/run_fuzzers.py"
FINE = 'echo "stat::number_of_executed_units: 1200" >&2'
BREAKS = 'echo "Test unit written to /found/it" >&2; ' + FINE + "; exit 77"


class Fuzz(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="isotick-fuzz-test-")
        self.addCleanup(folder.cleanup)
        self.project = Path(folder.name)
        self.targets = self.project / "tests/fuzz/targets"
        self.targets.mkdir(parents=True)

    def stand_in(self, name, body, build="fuzz"):
        (self.targets / f"{name}.cpp").touch()
        program = self.project / "build" / build / "tests/fuzz" / f"fuzz_{name}"
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        program.chmod(0o755)

    def run_fuzzers(self, *arguments):
        return subprocess.run([sys.executable, str(RUNNER), str(self.project), *arguments],
                              check=False, capture_output=True, text=True)

    def test_counts_what_all_targets_did(self):
        self.stand_in("one", FINE)
        self.stand_in("other", FINE)
        ran = self.run_fuzzers()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("1,200 executions", ran.stdout)
        self.assertIn("2 targets: 2,400 executions, 0.00 CPU hours, 0 findings\n", ran.stdout)

    def test_says_where_a_finding_is_and_how_to_see_it(self):
        self.stand_in("one", FINE)
        self.stand_in("other", BREAKS)
        ran = self.run_fuzzers()
        self.assertEqual(ran.returncode, 1)
        self.assertIn("1 findings\nother found /found/it; to see it again:\n", ran.stdout)
        self.assertRegex(ran.stdout, r"\n  \S+/fuzz_other -timeout=\S+ .* /found/it\n")

    def test_a_target_that_ends_otherwise_is_a_finding_too(self):
        self.stand_in("one", "exit 1")
        ran = self.run_fuzzers()
        self.assertEqual(ran.returncode, 1)
        self.assertIn("one failed; see ", ran.stdout)

    def test_passes_on_seed_and_limits(self):
        self.stand_in("one", 'echo "$*" >&2')
        self.run_fuzzers("--seed", "7", "--runs", "50", "one")
        log = (self.project / "build/fuzz/findings/one.log").read_text(encoding="utf-8")
        self.assertIn("-seed=7 -runs=50 ", log)

    def test_begins_with_what_another_build_found(self):
        keeps = 'for last; do :; done; ls "$last" >&2; touch "$last/kept"'
        self.stand_in("one", keeps, "fuzz-fast")
        self.stand_in("one", keeps)
        self.run_fuzzers("--build", "fuzz-fast", "one")
        self.run_fuzzers("one")
        log = (self.project / "build/fuzz/findings/one.log").read_text(encoding="utf-8")
        self.assertIn("kept", log)

    def test_names_the_targets_where_there_is_no_such(self):
        self.stand_in("one", FINE)
        ran = self.run_fuzzers("two")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("no such target: two; there are one\n", ran.stderr)


if __name__ == "__main__":
    unittest.main()
