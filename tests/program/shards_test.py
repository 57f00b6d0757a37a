"""verify --shard and merge: a run in parts gives the report of the whole run, or an error."""

import json
import re
import unittest

from program import ProgramTest

SHARDS = 4


def without_seconds(text):
    """JUnit says how long things took: another time in each run."""
    return re.sub(r'time="[0-9.]+"', "", text)


class Shards(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        names = []
        for seed in (1, 2):
            names.append(cls.record(f"time-{seed}.isotick",
                                    f"--sim control:frame-time --ticks {100 + seed} --seed {seed}"))
        for seed in range(1, 7):
            names.append(cls.record(f"fine-{seed}.isotick",
                                    f"--sim spring --ticks 60 --seed {seed}"))
        cls.path("text.isotick").write_text("hello\n" * 100, encoding="utf-8")
        cls.names = f"{' '.join(names)} text.isotick"
        cls.verify = f"verify {cls.names} --trials 6 --fields 3"

    def run_shards(self, folder, numbers=range(1, SHARDS + 1), more=""):
        self.path(folder).mkdir(exist_ok=True)
        for number in numbers:
            run = self.isotick(f"{self.verify} --shard {number}/{SHARDS} {more} "
                               f"--report result:{folder}/{number}.json")
            self.assertIn(run.code, (0, 1, 3), run)
            self.assertRegex(run.err, rf"isotick: shard {number}/{SHARDS}: \d+ of 9 recordings\n")

    def test_together_come_to_the_report_of_one_run(self):
        self.run_shards("together", more="--jobs 1")
        kinds = "--report {0}.out --report junit:{0}.xml"
        whole = self.isotick(f"{self.verify} {kinds.format('whole')}")
        merged = self.isotick(f"merge together {kinds.format('merged')}")
        self.assertEqual((merged.code, merged.out), (whole.code, whole.out))
        self.assertEqual(without_seconds(self.content("merged.xml").decode()),
                         without_seconds(self.content("whole.xml").decode()))
        for end in ("txt", "json", "md", "html"):
            self.assertEqual(self.content(f"merged.out/report.{end}"),
                             self.content(f"whole.out/report.{end}"))
        self.isotick("merge together --report result:together.json")
        self.assertEqual(self.isotick("merge together.json").out, whole.out)
        self.assertEqual(self.isotick("merge together --json").out,
                         self.isotick(f"{self.verify} --json").out)

    def test_a_recording_more_moves_no_other(self):
        def assigned(more):
            found = {}
            for number in range(1, SHARDS + 1):
                run = self.isotick(f"verify {more} {self.names} --detect-only --trials 1 "
                                   f"--perturb none --shard {number}/{SHARDS} --json")
                for one in json.loads(run.out)["recordings"]:
                    found[one["recording"]] = number
            return found
        before = assigned("")
        self.assertEqual(len(before), 9)
        self.assertGreater(len({*before.values()}), 1)
        self.record("more.isotick", "--sim spring --ticks 60")
        after = assigned("more.isotick")
        self.assertEqual({name: after[name] for name in before}, before)

    def test_one_without_recordings_has_a_result_too(self):
        run = self.ends(0, "verify fine-1.isotick --trials 2 --shard 1/50 "
                           "--report result:none.json")
        self.assertIn("0 of 1 recording", run.err)
        self.assertEqual(json.loads(self.content("none.json"))["recordings"], [])

    def test_what_runs_in_parts_is_recognized(self):
        for variables, says in (
                ({"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "4",
                  "SLURM_ARRAY_TASK_MIN": "5"}, "3/4 (SLURM_ARRAY_TASK_ID)"),
                ({"CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "3"}, "2/3 (CI_NODE_INDEX)"),
                ({"BUILDKITE_PARALLEL_JOB": "0", "BUILDKITE_PARALLEL_JOB_COUNT": "2"},
                 "1/2 (BUILDKITE_PARALLEL_JOB)"),
                ({"CIRCLE_NODE_INDEX": "1", "CIRCLE_NODE_TOTAL": "2"}, "2/2 (CIRCLE_NODE_INDEX)"),
                ({"GTEST_SHARD_INDEX": "1", "GTEST_TOTAL_SHARDS": "2"}, "2/2 (GTEST_SHARD_INDEX)"),
                ({"TEST_SHARD_INDEX": "0", "TEST_TOTAL_SHARDS": "2", "CI_NODE_INDEX": "2",
                  "CI_NODE_TOTAL": "3", "TEST_SHARD_STATUS_FILE": str(self.path("bazel"))},
                 "1/2 (TEST_SHARD_INDEX)")):
            with self.subTest(says=says):
                run = self.isotick("verify fine-1.isotick --trials 2 --shard auto", more=variables)
                self.assertIn(f"shard {says}: ", run.err)
        self.assertTrue(self.path("bazel").exists())
        run = self.isotick("verify fine-1.isotick --trials 2 --shard auto/9",
                           more={"JOB_COMPLETION_INDEX": "8"})
        self.assertIn("shard 9/9 (JOB_COMPLETION_INDEX): ", run.err)

    def test_only_who_asks_for_a_part_gets_one(self):
        self.ends(0, "verify fine-1.isotick fine-2.isotick --trials 2", "2 recordings",
                  more={"CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "3"})

    def test_mistakes_are_refused(self):
        for shard, more, says in (("0/4", {}, "there is no part 0 of 4"),
                                  ("5/4", {}, "there is no part 5 of 4"),
                                  ("2", {}, "expected a part such as 2/4"),
                                  ("2/x", {}, "expected a part such as 2/4"),
                                  ("auto", {}, "says which part this is"),
                                  ("auto", {"CI_NODE_INDEX": "2"}, "CI_NODE_TOTAL is not set"),
                                  ("auto", {"CI_NODE_INDEX": "x", "CI_NODE_TOTAL": "3"},
                                   "CI_NODE_INDEX is no number"),
                                  ("auto", {"JOB_COMPLETION_INDEX": "1"}, "auto/COUNT")):
            with self.subTest(shard=shard):
                self.refused(f"verify fine-1.isotick --shard {shard}", says, more)

    def refused(self, command, says, more=None, code=2):
        run = self.isotick(command, more=more)
        self.assertEqual((run.code, run.out), (code, ""), run)
        self.assertIn(says, run.err)

    def test_what_is_missing_doubled_or_foreign_is_refused(self):
        self.run_shards("strict")
        parts = [f"strict/{number}.json" for number in range(1, SHARDS + 1)]
        self.refused(f"merge {' '.join(parts[1:])}", "part 1 of 4 of this run is missing", code=3)
        self.path("strict.copy").write_bytes(self.content(parts[0]))
        self.refused(f"merge {' '.join(parts)} strict.copy", "strict.copy: is part 1 of 4, as ",
                     code=3)
        self.isotick(f"{self.verify} --seed 5 --shard 4/4 --report result:other.json")
        self.refused(f"merge {' '.join(parts[:3])} other.json", "other.json: is of another run",
                     code=3)
        self.path("empty").mkdir()
        self.refused("merge empty", "no results (*.json) are there", code=3)
        self.refused("merge none.here", "none.here", code=3)
        self.refused("merge", "", code=2)

    def test_what_is_damaged_is_refused_wherever_it_is(self):
        self.run_shards("damaged", numbers=(1,))
        whole = self.content("damaged/1.json")
        for cut in (*range(0, len(whole) - 2, max(1, len(whole) // 60)), len(whole) - 3):
            self.path("cut.json").write_bytes(whole[:cut])
            self.refused("merge cut.json", "cut.json: ", code=3)
        document = json.loads(whole)

        def refused(change, says):
            changed = json.loads(whole)
            change(changed)
            self.path("changed.json").write_text(json.dumps(changed), encoding="utf-8")
            self.refused("merge changed.json", says, code=3)
        refused(lambda one: one.update(isotick="9.9"), "another version")
        refused(lambda one: one.update(format="isotick report 1"), "is not a complete result")
        refused(lambda one: one.update(shard=9), "is damaged")
        refused(lambda one: one.update(verdict="fine"), "is damaged")
        refused(lambda one: one["recordings"].pop(), "")
        refused(lambda one: one["recordings"].reverse(), "")
        for member in document["recordings"][0]:
            refused(lambda one, member=member: one["recordings"][0].pop(member), "is damaged")
            if member != "result":
                refused(lambda one, member=member: one["recordings"][0].update({member: {}}),
                        "is damaged")

    def test_an_interrupted_part_leaves_no_result(self):
        self.ends(3, "verify fine-1.isotick --trials 2 --shard 1/1 --report result:none/1.json")
        self.run_shards("again", numbers=(1, 2, 4))
        self.refused("merge again", "part 3 of 4 of this run is missing", code=3)
        self.run_shards("again", numbers=(3,))
        self.assertEqual(self.isotick("merge again").out, self.isotick(self.verify).out)

    def test_strict_is_so_after_merging_too(self):
        self.path("cut.isotick").write_bytes(self.content("fine-1.isotick")[:-40])
        command = "verify cut.isotick --trials 2 --strict"
        whole = self.isotick(command)
        self.isotick(f"{command} --shard 1/1 --report result:strict.json")
        self.assertEqual(self.isotick("merge strict.json").code, whole.code)


if __name__ == "__main__":
    unittest.main()
