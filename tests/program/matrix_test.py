"""merge --matrix: compares platforms that verified the same recordings."""

import json
import re
import shutil
import unittest

import junit
from program import ProgramTest

HERE = "--sim ./faulty.so"
OTHER = "--sim ./other_build.so"  # which counts otherwise from tick 20 on


class Matrix(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("a.isotick", f"{HERE} --ticks 60 --parts-every 1")
        cls.record("b.isotick", f"{HERE} --ticks 90 --seed 2")
        cls.leg("x86", HERE)
        cls.leg("arm", f"{HERE} --perturb none", folder="elsewhere")
        cls.leg("other", OTHER)

    @classmethod
    def leg(cls, name, options, recordings="a.isotick b.isotick", folder="."):
        """What a machine leaves that verified these, in a folder that may be another there."""
        if folder != ".":
            cls.path(folder).mkdir()
            for recording in recordings.split():
                shutil.copy(cls.path(recording), cls.path(folder))
        names = " ".join(f"{folder}/{one}" for one in recordings.split())
        cls.isotick(f"verify {names} --trials 6 {options} --report result:{name}.json")

    def table(self, code, command):
        """The rows of cells, the heads first."""
        lines = self.ends(code, f"merge --matrix {command}").out.partition("\n\n")[0].splitlines()
        return [re.split("  +", line) for line in lines]

    def test_legs_that_agree_are_identical(self):
        self.assertEqual(self.table(0, "x86.json arm.json"),
                         [["recording", "x86", "arm"],
                          ["./a.isotick", "identical", "identical"],
                          ["./b.isotick", "identical", "identical"]])
        self.assertTrue(self.isotick("merge --matrix x86.json arm.json").out.endswith(
            "\n\nIDENTICAL  2 recordings on 2 legs\n"))

    def test_a_leg_that_differs_is_named_with_tick_and_part(self):
        self.assertEqual(self.table(1, "x86.json other.json arm=arm.json")[1:],
                         [["./a.isotick", "identical", "diverged at tick 20 in counter",
                           "identical"],
                          ["./b.isotick", "identical", "diverged at tick 20; at tick 59 in counter",
                           "identical"]])
        found = self.read_json(1, "merge --matrix x86.json other.json")
        self.assertEqual(found["legs"], [{"leg": "x86", "missing": False},
                                         {"leg": "other", "missing": False}])
        a, b = found["recordings"]
        self.assertEqual([(one["leg"], one["verdict"], one["tick"], one["parts"],
                           one["parts_tick"]) for one in a["legs"] + b["legs"]],
                         [("x86", "identical", None, [], None),
                          ("other", "diverged", 20, ["counter"], None),
                          ("x86", "identical", None, [], None),
                          ("other", "diverged", 20, ["counter"], 59)])
        shown = self.isotick("merge --matrix x86.json other.json").out
        self.assertIn("\nother: DIVERGED  ./a.isotick", shown)
        self.assertTrue(shown.endswith("\nDIVERGED  2 recordings on 2 legs\n"), shown)

    def test_a_leg_that_has_the_recorded_side_names_the_fields(self):
        self.leg("fields", f"{OTHER} --sim-a ./faulty.so", "b.isotick")
        self.assertEqual(self.table(1, "x86.json fields.json")[2][2],
                         "diverged at tick 20 in counter")
        _, b = self.read_json(1, "merge --matrix x86.json fields.json")["recordings"]
        self.assertEqual(b["legs"][1]["fields"], ["counter"])

    def test_a_leg_without_a_result_proves_nothing(self):
        self.path("empty").mkdir()
        for place, name in (("arm=none.json", "arm"), ("none/arm.json", "arm"),
                            ("arm=empty", "arm")):
            with self.subTest(place=place):
                rows = self.table(4, f"x86.json {place}")
                self.assertEqual([row[-1] for row in rows], [name, "no result", "no result"])
        self.assertEqual(self.read_json(4, "merge --matrix x86.json arm=none.json")["legs"][1],
                         {"leg": "arm", "missing": True})
        self.assertEqual(self.table(4, "a=none b=none"), [["recording", "a", "b"]])
        self.table(1, "x86.json other.json arm=none.json")  # graver

    def test_a_recording_that_a_leg_has_not_verified_proves_nothing(self):
        self.leg("half", HERE, "b.isotick")
        self.assertEqual(self.table(4, "x86.json half.json")[1:],
                         [["./a.isotick", "identical", "not verified"],
                          ["./b.isotick", "identical", "identical"]])

    def test_recordings_are_the_same_by_what_they_hold(self):
        """Not by their names: another session, or the same with another build's hashes."""
        for name, options in (("session", f"{HERE} --ticks 60 --seed 5"),
                              ("hashes", f"{OTHER} --ticks 60 --parts-every 1")):
            with self.subTest(name):
                self.path(name).mkdir()
                self.record(f"{name}/a.isotick", options)
                build = options.split(" --ticks")[0]
                self.isotick(f"verify {name}/a.isotick {build} --trials 6 "
                             f"--report result:foreign.json")
                self.assertEqual(self.table(4, "x86.json foreign.json")[1:],
                                 [["./a.isotick", "identical", "another recording"],
                                  ["./b.isotick", "identical", "not verified"],
                                  [f"{name}/a.isotick", "another recording", "identical"]])
        self.path("renamed.isotick").write_bytes(self.content("a.isotick"))
        self.leg("renamed", HERE, "renamed.isotick b.isotick")
        self.assertEqual(len(self.table(0, "x86.json renamed.json")), 3)

    def test_what_a_leg_cannot_read_is_in_the_row_of_its_name(self):
        self.path("torn").mkdir()
        self.path("torn/a.isotick").write_text("hello" * 100, encoding="utf-8")
        shutil.copy(self.path("b.isotick"), self.path("torn"))
        self.isotick(f"verify torn/b.isotick torn/a.isotick {HERE} --trials 6 "
                     "--report result:torn.json")
        self.assertEqual(self.table(3, "x86.json torn.json")[1:],
                         [["./a.isotick", "identical", "unreadable"],
                          ["./b.isotick", "identical", "identical"]])

    def test_a_leg_may_have_run_in_parts(self):
        self.path("parts").mkdir()
        for number in (1, 2):
            self.isotick(f"verify a.isotick b.isotick {HERE} --trials 6 --shard {number}/2 "
                         f"--report result:parts/{number}.json")
        self.assertEqual(self.table(0, "x86.json arm=parts")[0], ["recording", "x86", "arm"])
        self.path("parts/1.json").unlink()
        self.ends(3, "merge --matrix x86.json arm=parts", "part 1 of 2 of this run is missing")

    def test_a_folder_has_a_leg_in_each_file(self):
        self.path("legs").mkdir()
        for name in ("x86", "arm"):
            shutil.copy(self.path(f"{name}.json"), self.path("legs"))
        self.assertEqual(self.table(0, "legs")[0], ["recording", "arm", "x86"])

    def test_reports_have_each_leg(self):
        self.ends(1, "merge --matrix x86.json other.json --report out --report markdown:m.md")
        markdown = self.content("m.md").decode()
        self.assertIn("| recording | x86 | other |\n|---|---|---|\n"
                      "| ./a.isotick | identical | diverged at tick 20 in counter |\n", markdown)
        self.assertEqual(markdown.count("<details"), 2, "only what has failed")
        tests = junit.suites(self.path("out/report.xml"))
        self.assertEqual([(test.get("name"), [child.tag for child in test])
                          for test in tests.iter("testcase")],
                         [("./a.isotick on x86", []), ("./a.isotick on other", ["failure"]),
                          ("./b.isotick on x86", []), ("./b.isotick on other", ["failure"])])
        self.assertEqual(self.content("out/report.json").decode(),
                         self.ends(1, "merge --matrix x86.json other.json --json").out)
        self.assertEqual(self.content("out/report.txt").decode(),
                         self.ends(1, "merge --matrix x86.json other.json").out)
        self.assertIn(b"./a.isotick on other", self.content("out/report.html"))

    def test_names_are_no_markup(self):
        name = "w|<b>\u202e`x`.isotick"
        shutil.copy(self.path("a.isotick"), self.path(name))
        for leg in ("l1", "l2"):
            self.start([self.program, "verify", name, "--sim", "./faulty.so", "--trials", "6",
                        "--report", f"result:{leg}.json"])
        self.start([self.program, "merge", "--matrix", "a|<i>\n=l1.json", "l2.json", "--report",
                    "markdown:names.md"])
        self.assertIn("| recording | a\\|\\<i\\>\\\\n | l2 |\n|---|---|---|\n"
                      "| w\\|\\<b\\>\\\\u202e\\`x\\`.isotick | identical | identical |\n",
                      self.content("names.md").decode())

    def test_mistakes_are_refused(self):
        self.refuses("merge --matrix x86.json", "name at least two legs")
        self.refuses("merge --matrix x86.json x86=arm.json", "two legs are called x86")
        self.refuses("merge --matrix x86.json arm.json --report result:all.json",
                     "a matrix cannot be merged again")
        self.path("bad.json").write_text("{}", encoding="utf-8")
        self.ends(3, "merge --matrix x86.json bad.json", "bad.json: is not a complete result")
        for change in (lambda one: one.pop("hash_digest"),
                       lambda one: one.update(session_digest=7),
                       lambda one: one.update(failures=7)):
            result = json.loads(self.content("arm.json"))
            change(result["recordings"][0]["result"])
            self.path("changed.json").write_text(json.dumps(result), encoding="utf-8")
            run = self.ends(3, "merge --matrix x86.json changed.json",
                            "changed.json: this leg's result is damaged")
            self.assertEqual(run.out, "")


if __name__ == "__main__":
    unittest.main()
