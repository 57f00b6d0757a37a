"""verify --shard-trials and merge: one session on several machines gives the report of one run."""

import json
import re
import shutil
import unittest

from program import ProgramTest, row


class TrialShards(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("fine.isotick", "--sim spring --ticks 200")
        cls.record("frames.isotick", "--sim control:frame-time --ticks 80")
        cls.path("text.isotick").write_text("hello\n" * 100, encoding="utf-8")
        cls.run_parts("frames.isotick --trials 9", "two", 2)

    @classmethod
    def run_parts(cls, command, folder, count, numbers=None):
        """The exit codes of the parts, whose results are in the folder."""
        cls.path(folder).mkdir(exist_ok=True)
        codes = []
        for number in numbers or range(1, count + 1):
            run = cls.isotick(f"verify {command} --shard {number}/{count} --shard-trials "
                              f"--report result:{folder}/{number}.json")
            if f"isotick: shard {number}/{count}: a part of the trials of " not in run.err:
                raise RuntimeError(f"does not say which part it is: {run}")
            codes.append(run.code)
        return codes

    def merges_to_the_report_of_one_run(self, command, folder, count, code):
        """Text, Markdown and JSON byte for byte."""
        whole = self.ends(code, f"verify {command} --report {folder}-whole")
        self.run_parts(command, folder, count)
        merged = self.ends(code, f"merge {folder} --report {folder}-merged")
        self.assertEqual(merged.out, whole.out)
        for end in ("txt", "md", "json"):
            self.assertEqual(self.content(f"{folder}-merged/report.{end}"),
                             self.content(f"{folder}-whole/report.{end}"), end)
        self.assertEqual(self.isotick(f"merge {folder} --json").out,
                         self.isotick(f"verify {command} --json").out)
        return merged

    def test_identical_parts_merge_to_the_report_of_one_run(self):
        for count in (2, 5):
            with self.subTest(parts=count):
                run = self.merges_to_the_report_of_one_run(
                    "fine.isotick --trials 30 -v", f"fine-{count}", count, 0)
                self.assertIn("IDENTICAL  30 of 30 trials identical", run.out)

    def test_so_do_bursts_of_a_long_session_under_several_loops(self):
        self.record("long.isotick", "--sim spring --ticks 6000")
        run = self.merges_to_the_report_of_one_run(
            "long.isotick --trials 70 --loop all -v", "long", 3, 0)
        self.assertIn("of them ran parts of the session", row(run.out, "bursts"))

    def test_what_no_part_can_prove_is_inconclusive_after_merging_only(self):
        self.assertEqual(self.run_parts("fine.isotick --trials 1", "once", 2), [0, 0])
        self.merges_to_the_report_of_one_run("fine.isotick --trials 1", "once", 2, 4)

    def test_a_part_says_that_it_is_one(self):
        self.path("said").mkdir()
        run = self.ends(0, "verify fine.isotick --trials 9 --shard 2/3 --shard-trials --json")
        one = json.loads(run.out)["recordings"][0]
        self.assertEqual(one["share"], {"number": 2, "count": 3})
        self.assertEqual(one["trials"], 4)  # trial 0 and one of every three
        text = self.ends(0, "verify fine.isotick --trials 9 --shard 2/3 --shard-trials").out
        self.assertEqual(row(text, "part"), "2 of 3 of the trials; isotick merge reports on all")

    def fails_as_one_run(self, command, folder, count):
        """Verdict, exit code, tick, parts and fields; the merged document and the failing parts."""
        whole = self.read_json(1, f"verify {command} --report text:{folder}.txt")
        codes = self.run_parts(command, folder, count)
        merged = self.read_json(1, f"merge {folder}")
        ours, theirs = ([one["failures"] for one in report["recordings"]]
                        for report in (merged, whole))
        self.assertEqual([[one["trial"] for one in failures] for failures in ours],
                         [[one["trial"] for one in failures] for failures in theirs])
        self.assertEqual([one for failures in ours for one in failures if one["explanation"]],
                         [one for failures in theirs for one in failures if one["explanation"]])
        for report in (merged, whole):
            for one in report["recordings"]:
                del one["failures"]
        self.assertEqual(merged, whole)
        text = self.ends(1, f"merge {folder}").out
        self.assertEqual(text, self.content(f"{folder}.txt").decode())
        return whole, codes

    def test_many_failing_trials_are_shown_as_by_one_run(self):
        self.fails_as_one_run("frames.isotick --trials 20 --fields all", "frames", 3)

    def test_a_single_failing_trial_decides(self):
        self.record("pause.isotick", "--sim control:long-frame --ticks 60 --seed 2")
        command = "pause.isotick --trials 10 --perturb none --fields all"
        whole, codes = self.fails_as_one_run(command, "pause", 4)
        self.assertEqual(whole["recordings"][0]["trials_identical"], 9)
        self.assertEqual(sorted(codes), [0, 0, 0, 1])

    def test_trial_0_that_fails_counts_once(self):
        self.record("other.isotick", "--sim ./faulty.so --ticks 40")
        command = "other.isotick --sim ./faulty.so --environment fault=build --with-environment"
        whole, codes = self.fails_as_one_run(f"{command} --trials 9 --fields all", "other", 3)
        self.assertEqual(whole["recordings"][0]["trials"], 1)
        self.assertEqual(codes, [1, 1, 1])

    def test_a_crash_is_shown_as_by_one_run(self):
        self.record("crash.isotick", "--sim ./faulty.so --ticks 40")
        command = ("crash.isotick --sim ./faulty.so --environment fault=segfault --trials 6 "
                   "--with-environment")
        whole = self.ends(5, f"verify {command}")
        self.assertEqual(self.run_parts(command, "crash", 2), [5, 5])
        self.assertEqual(self.ends(5, "merge crash").out, whole.out)

    def test_several_recordings_and_unreadable_ones_merge_in_order(self):
        command = "frames.isotick text.isotick fine.isotick --trials 8"
        whole = self.ends(1, f"verify {command}")
        self.assertEqual(self.run_parts(command, "several", 2), [1, 1])
        self.assertEqual(self.ends(1, "merge several").out, whole.out)

    def test_a_part_that_could_not_verify_decides_and_says_which(self):
        self.record("lost.isotick", "--sim spring --ticks 50")
        self.run_parts("lost.isotick --trials 8", "lost", 3, [1, 3])
        shutil.copy(self.path("text.isotick"), self.path("lost.isotick"))
        self.assertEqual(self.run_parts("lost.isotick --trials 8", "lost", 3, [2]), [3])
        run = self.ends(3, "merge lost")
        self.assertIn("part 2 of 3: ", row(run.out, "reason"))
        self.assertTrue(run.out.startswith("UNREADABLE  lost.isotick: "), run.out)

    def test_a_damaged_recording_is_verified_up_to_its_damage(self):
        self.record("hurt.isotick", "--sim spring --ticks 600")
        self.copy_with("hurt.isotick", "hurt.isotick",
                       lambda content: content.__setitem__(len(content) // 2, 0x55))
        whole = self.ends(3, "verify hurt.isotick --trials 8")
        self.run_parts("hurt.isotick --trials 8", "hurt", 2)
        self.assertEqual(self.ends(3, "merge hurt").out, whole.out)

    def test_chance_is_called_so_after_merging_too(self):
        self.record("dice.isotick", "--sim ./faulty.so --ticks 40")
        self.run_parts("dice.isotick --sim ./faulty.so --environment fault=process --trials 6",
                       "dice", 2)
        run = self.ends(1, "merge dice")
        self.assertTrue(run.out.startswith("NONDETERMINISTIC  "), run.out)
        self.assertTrue(run.out.endswith("NONDETERMINISTIC  0 of 1 trials identical\n"), run.out)

    def test_merged_again_it_stays_the_same(self):
        first = self.ends(1, "merge two --report result:again.json").out
        self.assertEqual(self.ends(1, "merge again.json").out, first)

    def test_a_leg_of_a_matrix_may_be_split_so(self):
        self.isotick("verify frames.isotick --trials 9 --report result:plain.json")
        run = self.ends(1, "merge --matrix one=plain.json two=two")
        cells = re.search(r"frames\.isotick +(diverged at .*?) {2,}(.*)", run.out)
        self.assertEqual(cells[1], cells[2])

    def test_strict_is_so_after_merging_too(self):
        self.path("cut.isotick").write_bytes(self.content("fine.isotick")[:-150])
        command = "cut.isotick --trials 6 --strict"
        whole = self.ends(1, f"verify {command}")
        self.run_parts(command, "cut", 2)
        self.assertEqual(self.ends(1, "merge cut").out, whole.out)

    def test_values_of_the_environment_stay_hidden(self):
        self.record("secret.isotick", "--sim ./faulty.so --ticks 40")
        self.run_parts("secret.isotick --sim ./faulty.so --environment fault=build --trials 3 -v "
                       "--environment with=Open-Sesame", "secret", 2)
        for number in (1, 2):
            content = self.content(f"secret/{number}.json")
            self.assertNotIn(b"Open-Sesame", content)
            self.assertNotIn(b"Open-Sesame".hex().encode(), content)
        self.assertIn("values are left out here", self.ends(1, "merge secret").out)

    def test_what_cannot_be_split_is_refused(self):
        for more, says in (("--shard-trials", "--shard-trials needs --shard"),
                           ("--shard 1/2 --shard-trials --for 5s", "--for: --shard-trials cannot"),
                           ("--shard 1/2 --shard-trials --seed random", "--seed random: "),
                           ("--shard 1/2 --shard-trials --schedule 30hz", "--schedule leaves no"),
                           ("--shard 1/2 --shard-trials --propose", "--propose: ")):
            with self.subTest(more=more):
                self.refuses(f"verify fine.isotick {more}", says)

    def test_no_verdict_on_a_part_is_kept_or_taken(self):
        self.ends(0, "verify fine.isotick --trials 6 --cache cache")
        for _ in range(2):
            run = self.ends(0, "verify fine.isotick --trials 6 --cache cache --shard 1/2 "
                            "--shard-trials", "the cache is not used: with --shard-trials")
            self.assertNotIn("nothing has changed", run.out)
        whole = self.ends(0, "verify fine.isotick --trials 6 --cache cache")
        self.assertIn("6 of 6 trials identical", whole.out)

    def refused(self, places, says):
        run = self.ends(3, f"merge {places}", says)
        self.assertEqual(run.out, "")

    def test_what_is_missing_doubled_or_foreign_is_refused(self):
        self.run_parts("fine.isotick --trials 6", "parts", 3)
        self.refused("parts/1.json parts/3.json", "part 2 of 3 of this run is missing")
        shutil.copy(self.path("parts/2.json"), self.path("copy.json"))
        self.refused("parts copy.json", "copy.json: is part 2 of 3, as ")
        self.run_parts("fine.isotick --trials 7", "more", 3, [2])
        self.refused("parts/1.json more/2.json parts/3.json", "more/2.json: is of another run")
        self.ends(0, "verify fine.isotick --trials 6 --shard 3/3 --report result:whole.json")
        self.refused("parts/1.json parts/2.json whole.json",
                     "whole.json: is split by recordings, and parts/1.json by trials")

    def test_parts_of_different_recordings_are_refused(self):
        self.record("same.isotick", "--sim spring --ticks 60 --seed 1")
        self.run_parts("same.isotick --trials 4", "same", 2, [1])
        self.record("same.isotick", "--sim spring --ticks 60 --seed 2 --force")
        self.run_parts("same.isotick --trials 4", "same", 2, [2])
        self.refused("same", "same/2.json: had another recording as same.isotick")

    def test_what_is_damaged_is_refused_wherever_it_is(self):
        text = self.content("two/1.json")

        def refused(change):
            document = json.loads(text)
            change(document, document["recordings"][0]["share"])
            self.path("bad.json").write_text(json.dumps(document), encoding="utf-8")
            self.refused("bad.json two/2.json", "bad.json: is damaged")
        for member in json.loads(text)["recordings"][0]["share"]:
            refused(lambda _, share, member=member: share.pop(member))
            refused(lambda _, share, member=member: share.update({member: {}}))
        refused(lambda document, _: document.update(split_by="hours"))
        refused(lambda document, _: document.update(split_by="recordings"))
        refused(lambda document, _: document.update(shard=2))
        refused(lambda document, _: document["recordings"][0].update(share=None))
        refused(lambda _, share: share.update(report=share["report"][:-2]))
        refused(lambda _, share: share.update(report="no digits"))
        refused(lambda _, share: share["failures"].append(
            {"trial": 9, "varied": "", "of_frames": False}))
        refused(lambda _, share: share.update(
            shown=None if share["shown"] else {"trial": 9, "rank": [0] * 5,
                                               "is_mixture_of_frames": False}))


if __name__ == "__main__":
    unittest.main()
