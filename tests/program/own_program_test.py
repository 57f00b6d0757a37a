"""A program that links isotick::main has the whole command line for its one simulation."""

import os
import re
import unittest

from program import ProgramTest


class OwnProgram(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.program = os.environ["ISOTICK_OWN_PROGRAM"]
        super().setUpClass()
        cls.record("s.isotick", "--inputs random --ticks 600")

    def test_knows_its_simulation_alone(self):
        listed = self.ends(0, "sims").out
        self.assertIn("bounce", listed)
        self.assertNotIn("skirmish", listed)

    def test_verifies_in_processes_of_its_own(self):
        self.ends(0, "verify s.isotick --trials 20", "IDENTICAL")
        self.ends(0, "audit --ticks 100")

    def test_says_how_to_call_it_again(self):
        run = self.ends(4, "replay s.isotick --schedule 1ns --most-frames 100")
        self.assertIn(f"reproduce   {self.program} replay s.isotick", run.out)

    def test_shows_examples_that_can_be_typed(self):
        for command in ("", "record ", "replay ", "verify ", "audit "):
            shown = self.ends(0, f"{command}--help").out
            examples = re.findall(r"^  (\S+) (?:record|replay|verify|audit)\b", shown, re.MULTILINE)
            self.assertTrue(examples)
            self.assertEqual(set(examples), {os.path.basename(self.program)})
            self.assertNotIn("skirmish", shown)

    def test_refuses_by_its_own_name(self):
        name = os.path.basename(self.program)
        run = self.ends(2, "frobnicate")
        self.assertRegex(run.err, rf"^{name}: error: .*\(see {name} --help\)")


if __name__ == "__main__":
    unittest.main()
