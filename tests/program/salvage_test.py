"""isotick repair, and what inspect shows of a file that is damaged."""

import json
import os
import unittest

from program import ProgramTest, row
from files_test import cut, flip, flip_middle, no_growth_beyond


class Repair(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", "--sim skirmish --config units=60 --ticks 600")
        cls.copy_with("torn.isotick", "s.isotick", flip_middle)

    def tearDown(self):
        for path in self.folder.glob("out*"):
            path.unlink()

    def test_an_intact_recording_is_copied(self):
        self.ends(0, "repair s.isotick -o out.isotick", "INTACT  600 ticks")
        self.assertEqual(self.content("out.isotick"), self.content("s.isotick"))

    def test_a_damaged_tail_is_made_anew(self):
        self.copy_with("tail.isotick", "s.isotick", flip(-1))
        self.ends(0, "repair tail.isotick -o out.isotick", "REPAIRED  all 600 ticks")
        self.assertEqual(self.content("out.isotick"), self.content("s.isotick"))

    def test_what_is_saved_can_be_used(self):
        run = self.ends(0, "repair torn.isotick -o out.isotick", "INCOMPLETE")
        first, end = (int(word) for word in row(run.out, "lost").split()[1::2])
        self.assertEqual(row(run.out, "saved").split(" in ")[0], f"ticks 0 to {first - 1}")
        self.ends(0, "inspect out.isotick")
        self.ends(0, "replay out.isotick", "IDENTICAL")
        self.ends(0, "verify out.isotick --trials 4", "IDENTICAL")
        self.ends(4, "diff out.isotick s.isotick", "a is a prefix of b")
        self.assertEqual(row(run.out, "not saved"),
                         f"ticks {end + 1} to 599: intact, but a recording cannot start there "
                         "inspect --ticks lists them")
        self.assertEqual([path.name for path in self.folder.glob("out*")], ["out.isotick"])

    def test_the_report_as_json(self):
        report = self.read_json(0, "repair torn.isotick -o out.isotick")
        lost = report["lost"][0]
        self.assertFalse(report["complete"])
        self.assertEqual(len(report["lost"]), 1)
        self.assertEqual(report["saved"],
                         {"path": "out.isotick", "ticks": lost["first"], "finished": False,
                          "bytes": len(self.content("out.isotick"))})
        self.assertEqual(report["not_saved"], [{"first": lost["end"], "end": 600}])
        self.assertEqual(report["bytes_skipped"], report["skipped"][0]["bytes"])

    def test_outputs_that_are_in_the_way(self):
        before = self.content("torn.isotick")
        self.path("out.isotick").write_text("mine", encoding="utf-8")
        self.refuses("repair torn.isotick -o out.isotick", "out.isotick: exists already")
        self.assertEqual(self.content("out.isotick"), b"mine")
        os.link(self.path("torn.isotick"), self.path("outlink"))
        os.symlink("torn.isotick", self.path("outsymlink"))
        for same in ("torn.isotick", "./torn.isotick", "outlink", "outsymlink"):
            self.refuses(f"repair torn.isotick -o {same} --force", "is the recording to repair")
        self.refuses("repair torn.isotick -o ''", "--output: the name of a file is missing")
        self.refuses("repair torn.isotick", "--output is required")
        self.ends(0, "repair torn.isotick -o out.isotick --force", "INCOMPLETE")
        self.assertEqual(self.content("torn.isotick"), before)

    def test_what_cannot_be_repaired_leaves_nothing(self):
        self.copy_with("head.isotick", "s.isotick", flip(60))
        for source, says in (("head.isotick", "head is damaged"), ("none", "cannot be opened")):
            run = self.ends(3, f"repair {source} -o out.isotick", says)
            self.assertEqual(run.out, "")
            self.assertFalse(self.path("out.isotick").exists())

    def test_where_no_tick_can_be_saved_it_fails(self):
        def flip_first_chunk(content):
            content[20 + int.from_bytes(content[12:16], "little") + 40] ^= 1
        self.copy_with("late.isotick", "s.isotick", flip_first_chunk)
        run = self.ends(3, "repair late.isotick -o out.isotick", "INCOMPLETE  0 ticks written")
        self.assertTrue(row(run.out, "lost").startswith("ticks 0 to "), run.out)
        self.assertEqual(row(run.out, "saved").split(" in ")[0], "no tick")

    def test_a_full_disk_leaves_nothing(self):
        run = self.ends(3, "repair s.isotick -o out.isotick", "out.isotick: cannot be written",
                        before=no_growth_beyond(3000))
        self.assertEqual(run.out, "")
        self.assertFalse(self.path("out.isotick").exists())
        self.ends(3, "repair s.isotick -o /dev/full --force", "No space left on device")


class Views(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", "--sim skirmish --config units=60 --ticks 600")
        cls.copy_with("torn.isotick", "s.isotick", flip_middle)
        cls.copy_with("cut.isotick", "s.isotick", cut(-100))

    def test_ranges_of_ticks(self):
        for text, first, last in (("5..7", 5, 7), ("598..", 598, 599), ("..2", 0, 2),
                                  ("64", 64, 64), ("..", 0, 599)):
            for name in ("s.isotick", "cut.isotick"):
                lines = self.ends(0, f"inspect {name} --ticks {text}").out.splitlines()[1:]
                ticks = [int(line.split()[0]) for line in lines]
                if name == "s.isotick":
                    self.assertEqual(ticks, list(range(first, last + 1)), text)

    def test_ranges_that_make_no_sense(self):
        for text in ("7..5", "600", "600..", "590..600", "..600", "x", "", "1..2..3", "5-7"):
            self.refuses(f"inspect s.isotick --ticks '{text}'", "--ticks: ")

    def test_ticks_as_json_are_those_of_the_text(self):
        report = self.read_json(0, "inspect s.isotick --ticks 50..70")
        lines = self.ends(0, "inspect s.isotick --ticks 50..70").out.splitlines()[1:]
        for tick, line in zip(report["ticks"], lines, strict=True):
            inputs = ["-" if data is None else data or '""' for data in tick["inputs"]]
            parts = [f"{name}={value}"
                     for name, value in zip(report["parts"], tick["parts"] or [])]
            self.assertEqual(line.split(), [str(tick["tick"]), *inputs, tick["hash"], *parts])
        self.assertEqual(sum(tick["parts"] is not None for tick in report["ticks"]), 1)

    def test_lost_ticks_in_a_range(self):
        report = self.read_json(3, "inspect torn.isotick --ticks ..")
        lost = report["lost"][0]
        self.assertEqual([tick["tick"] for tick in report["ticks"]],
                         [*range(lost["first"]), *range(lost["end"], 600)])
        self.assertIn("a chunk's checksum is wrong", lost["reason"])
        self.ends(0, f"inspect torn.isotick --ticks {lost['end']}..")
        self.ends(3, f"inspect torn.isotick --ticks {lost['first']}", "are lost: at byte ")

    def test_a_stdout_that_takes_nothing(self):
        for view in ("", "--json", "--ticks ..", "--ticks .. --json"):
            with open("/dev/full", "wb") as full:
                self.ends(3, f"inspect s.isotick {view}", "cannot write the results: No space",
                          stdout=full)

    def test_control_characters_are_not_sent_to_terminals(self):
        self.record("odd.isotick", "--sim spring --ticks 20 --note 'a=\x1b[31mred'")
        self.ends(0, "inspect odd.isotick", "\\u001b[31mred")
        report = json.loads(self.ends(0, "inspect odd.isotick --json").out)
        self.assertEqual(report["notes"]["a"], "\x1b[31mred")


if __name__ == "__main__":
    unittest.main()
