"""Where in its tick a divergence begins, by the checkpoints that the simulation makes there."""

import unittest

from program import ProgramTest, row

BETWEEN = 'between its checkpoints "production" and "movement"'
AT_FIRST = 'before its first checkpoint, "orders"'
SKIPPED = 'after "production" one run goes on to "movement", the other to its end'


class Phases(ProgramTest):
    def test_of_what_leaks_are_where_it_first_shows(self):
        for control, phase in (("frame-time", BETWEEN), ("long-frame", SKIPPED),
                               ("render-random", AT_FIRST)):
            with self.subTest(control):
                name = f"control:{control}"
                self.record("s.isotick", f"--sim {name} --ticks 360 --config units=80 --force")
                run = self.ends(1, "verify s.isotick --trials 20 --perturb none", "DIVERGED")
                self.assertIn(phase, row(run.out, "when"))
                again = self.shell(row(run.out, "reproduce"))
                self.assertIn(phase, row(again.out, "when"))
                self.ends(1, "why s.isotick --trials 20 --perturb none", phase)

    def test_of_a_plugin_in_c_are_at_the_tick_of_its_fault(self):
        sim = "--sim ./tanks.so"
        self.record("c.isotick", f"{sim} --ticks 120 --force")
        self.ends(0, f"replay c.isotick {sim} --vary at=77", "IDENTICAL")
        run = self.ends(1, f"replay c.isotick {sim} --vary fault=build --environment at=77",
                        "\nDIVERGED  at tick 77\n")
        self.assertIn('between its checkpoints "flow" and "leak"', row(run.out, "when"))
        hand = "--sim ./tanks_c.so"
        self.record("hand.isotick", f"{hand} --ticks 60")
        run = self.ends(1, f"replay hand.isotick {hand} --vary fault=build",
                        "\nDIVERGED  at tick 20\n")
        self.assertIn('between its checkpoints "flow" and "leak"', row(run.out, "when"))

    def test_as_json(self):
        self.record("s.isotick", "--sim control:frame-time --ticks 60 --config units=80 --force")
        failures = self.read_json(1, "verify s.isotick --perturb none")["recordings"][0]["failures"]
        found = [failure["explanation"]["phases"] for failure in failures
                 if failure["explanation"]][0]
        self.assertEqual(found, {"after": {"name": "production", "number": 0},
                                 "before": {"name": "movement", "number": 0},
                                 "parts": ["units"], "forks": False, "other": None,
                                 "unknown": ""})

    def test_of_a_process_are_not_known(self):
        self.record("c.isotick", "--sim ./tanks.so --ticks 60 --force")
        run = self.ends(1, "replay c.isotick --sim 'exec:isotick serve --sim ./tanks.so' "
                        "--vary fault=build", "\nDIVERGED  at tick 20\n")
        self.assertNotIn("checkpoint", row(run.out, "when"))


if __name__ == "__main__":
    unittest.main()
