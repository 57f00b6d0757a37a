"""Reports name the line of Python that first differs, and the extra draw."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "program"))

from host import HERE, python_command  # noqa: E402
from program import LONG, ProgramTest, line_of  # noqa: E402

FAULTS = {
    "render-draws": ("render", "Painting.render"),
    "frame-time": ("step", "Painting.step"),
    "new-spark": ("step", "Painting.step"),
    "shuffle": ("step", "Painting.step"),
    "helper": ("step", "Painting.remember"),
    "element": ("step", "Painting.step"),
    "begin-frame": ("begin_frame", "Painting.begin_frame"),
    "draws-again": ("step", "Painting.step"),
    "appended": ("step", "Painting.step"),
    "sorted": ("step", "Painting.step"),
}
QUICK = ("helper", "sorted")


class Lines(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sim = f"--sim {python_command('painting_sim.py')}"

    def record_with(self, fault):
        sim = f"{self.sim} --environment fault={fault}"
        self.record("s.isotick", f"{sim} --ticks 60 --seed 3 --inputs none --force")
        return f"s.isotick {sim} --trials 6 --audit none"

    def explained(self, fault, options=""):
        report = self.read_json(1, f"verify {self.record_with(fault)} {options}")
        return next(failure["explanation"] for failure in report["recordings"][0]["failures"]
                    if failure["explanation"])

    def test_the_planted_line_is_named(self):
        for fault in FAULTS if LONG else QUICK:
            during, function = FAULTS[fault]
            with self.subTest(fault):
                found = self.explained(fault)["write"]
                write = found["computed"] or found["recorded"]
                self.assertIsNotNone(write, found)
                self.assertEqual((write["during"], write["code"][0]["function"],
                                  write["code"][0]["line"]),
                                 (during, function, line_of(HERE / "painting_sim.py",
                                                            f"# planted: {fault}")), write)

    def test_without_a_fault_nothing_is_said(self):
        self.ends(0, f"verify {self.record_with('none')}", "IDENTICAL")

    def test_each_draw_of_a_line_counts(self):
        draws = self.explained("draws-again", "--draws chance")["draws"]
        self.assertEqual((draws["recorded"], draws["computed"], draws["same"]), (2, 3, 2))
        self.assertEqual([draw["side"] for draw in draws["draws"]], ["computed"])
        self.assertEqual(draws["draws"][0]["code"][0]["line"],
                         line_of(HERE / "painting_sim.py", "# planted: draws-again"))


if __name__ == "__main__":
    unittest.main()
