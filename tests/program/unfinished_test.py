"""A recording without an end: every command says the same of it, and --strict demands an end."""

import unittest

from program import ProgramTest, row
from files_test import chunks, cut, flip_middle

SAYS = "unfinished: the writer was interrupted, or the file was cut"


class Unfinished(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("whole.isotick", "--sim skirmish --config units=60 --ticks 300")
        places = chunks(cls.content("whole.isotick"))
        cls.copy_with("cut.isotick", "whole.isotick", cut(places[2]))
        cls.copy_with("torn.isotick", "whole.isotick", cut(places[2] + 100))
        cls.copy_with("header.isotick", "whole.isotick", cut(places[2] + 10))
        # The last chunk is short: only a finished recording has one.
        cls.copy_with("short.isotick", "whole.isotick", cut(places[-4]))
        cls.copy_with("tail.isotick", "whole.isotick", cut(places[-3]))

    def notes(self, name):
        reports = [self.ends(0, f"{command} {name}").out
                   for command in ("inspect", "replay", "verify --trials 4",
                                   f"repair -o {name}.out --force")]
        return [row(report, "note") if "\n  note " in report else "" for report in reports]

    def as_json(self, name):
        verified = self.read_json(0, f"verify --trials 4 {name}")["recordings"][0]
        repaired = self.read_json(0, f"repair {name} -o {name}.out --force")
        return [report["unfinished"]
                for report in (self.read_json(0, f"inspect {name}"), verified, repaired)]

    def test_all_commands_say_the_same(self):
        for name in ("cut.isotick", "torn.isotick", "header.isotick", "short.isotick"):
            self.assertEqual(self.notes(name), [SAYS] * 4, name)
            self.assertEqual(self.as_json(name), [True] * 3, name)

    def test_none_says_it_of_a_finished_one(self):
        for name in ("whole.isotick", "tail.isotick"):
            self.assertEqual(self.notes(name), [""] * 4, name)
            self.assertEqual(self.as_json(name), [False] * 3, name)

    def test_strict_demands_an_end(self):
        for name in ("cut.isotick", "short.isotick"):
            run = self.ends(1, f"verify --strict --trials 4 {name}", "IDENTICAL")
            self.assertEqual(row(run.out, "strict"), "fails: the recording is unfinished")
            found = self.read_json(1, f"verify --strict --trials 4 {name}")
            self.assertEqual(found["recordings"][0]["strict"], ["the recording is unfinished"])
        for name in ("whole.isotick", "tail.isotick"):
            self.ends(0, f"verify --strict --trials 4 {name}")
        self.ends(1, "verify --strict --trials 4 whole.isotick cut.isotick", "IDENTICAL")

    def test_a_chunk_that_is_cut_is_no_damage(self):
        for name in ("cut.isotick", "torn.isotick", "header.isotick"):
            self.ends(0, f"export {name} -o text --force")
            self.ends(4, f"minimize {name} --trials 4 -o small", "verify says identical of 4")
            run = self.ends(4, f"diff {name} whole.isotick", "unfinished")
            self.assertNotIn("damaged", run.out)
            self.ends(0, f"inspect {name} --ticks 0..127")

    def test_damage_before_the_cut_is_damage(self):
        def flip_and_cut(content):
            content[len(content) // 4] ^= 1
            del content[len(content) // 2:]
        self.copy_with("both.isotick", "whole.isotick", flip_and_cut)
        for command in ("inspect", "replay", "verify --trials 4", "export -o text --force"):
            self.ends(3, f"{command} both.isotick", "checksum is wrong")
        self.assertFalse(self.read_json(3, "inspect both.isotick")["unfinished"])

    def test_damage_counts_more(self):
        self.copy_with("damaged.isotick", "whole.isotick", flip_middle)
        self.ends(3, "verify --strict --trials 4 damaged.isotick")
        self.ends(3, "verify --strict --trials 4 cut.isotick damaged.isotick")

    def test_strict_demands_no_blind_spot(self):
        self.record("stale.isotick", "--sim fault:stale-cache --ticks 200")
        self.ends(0, "verify --trials 4 --perturb none stale.isotick")
        run = self.ends(1, "verify --strict --trials 4 --perturb none stale.isotick", "IDENTICAL")
        self.assertRegex(row(run.out, "strict"), r"^fails: \d blind spots?$")
        self.ends(0, "verify --strict --audit none --trials 4 --perturb none stale.isotick")


if __name__ == "__main__":
    unittest.main()
