"""isotick bisect step: the exit code says what git bisect run is to think of a build."""

import json
import unittest

from history import BisectTest

STEP = "bisect step s.isotick --sim"


def flip_middle(content):
    content[len(content) * 2 // 5] ^= 1


class Steps(BisectTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.build("good")
        cls.build("hurts", HURTS_FROM=40)
        cls.build("both", HURTS_FROM=40, PUSHES_FROM=70)
        cls.record("s.isotick", "--sim ./good.so --ticks 100 --inputs random")

    def test_the_build_that_recorded_is_good(self):
        self.ends(0, f"{STEP} ./good.so", "finding     identical\nexit 0: good")

    def test_what_diverges_is_bad_with_its_tick_and_its_fields(self):
        self.ends(1, f"{STEP} ./hurts.so", "at          tick 40\nexit 1: bad")
        run = self.ends(1, f"{STEP} ./hurts.so --sim-a ./good.so")
        self.assertIn("at          tick 40, units[*].health\n", run.out)
        self.assertIn("    units[1].health  100 → 99\n", run.out)

    def test_only_what_is_looked_for_is_bad(self):
        self.ends(1, f"{STEP} ./hurts.so --expect 'tick 40'")
        self.ends(125, f"{STEP} ./hurts.so --expect 'tick 41'", "not the divergence looked for")
        self.ends(0, f"{STEP} ./hurts.so --expect 'tick 39'", "good")
        known = f"{STEP} ./hurts.so --sim-a ./good.so --expect"
        for expected in ("units[*].health", "tick 40, units[1].health", "score, units"):
            self.ends(1, f"{known} '{expected}'")
        for expected in ("units[*].x", "score"):
            self.ends(125, f"{known} '{expected}'", "not the divergence looked for")
        for expected in ("tick 40, units[*].heal", "tick 40, score"):
            self.ends(0, f"{known} '{expected}'", "what is looked for does not differ there")

    def test_the_first_tick_is_exact_where_few_hashes_are_recorded(self):
        self.record("k.isotick", "--sim ./good.so --ticks 100 --inputs random --hash-every 60")
        far = self.read_json(1, "bisect step k.isotick --sim ./hurts.so")["signature"]
        self.assertEqual((far["exact"], far["tick"]), (False, 59))
        self.ends(1, "bisect step k.isotick --sim ./hurts.so --expect 'tick 40'")
        run = self.read_json(1, "bisect step k.isotick --sim ./hurts.so --sim-a ./good.so")
        self.assertEqual(run["signature"]["tick"], 40)
        self.assertTrue(run["signature"]["exact"])

    def test_what_cannot_be_judged_is_skipped(self):
        self.build("crashes", CRASHES_FROM=30)
        self.ends(125, f"{STEP} ./crashes.so", "finding     crashes")
        self.path("text.so").write_text("no library")
        self.ends(125, f"{STEP} ./text.so", "finding     does not load")
        self.ends(125, f"{STEP} ./none.so", "finding     does not load")
        self.build("weather", HAS_WEATHER=1)
        self.ends(125, f"{STEP} ./weather.so", "a part that the recording lacks: weather")

    def test_what_is_another_each_time_is_skipped_unless_it_counts_as_bad(self):
        self.build("flaky", FLAKY_FROM=20)
        run = self.ends(125, f"{STEP} ./flaky.so", "finding     nondeterministic")
        self.assertIn("at          tick 20, units[*].x\n", run.out)
        self.ends(1, f"{STEP} ./flaky.so --flaky bad", "exit 1: bad")

    def test_what_no_commit_can_help_ends_the_search(self):
        for wrong in ("--nonsense", "--expect 'tick x'", "--expect 'units[*].x'", "--expect ,",
                      "--flaky perhaps", "--drive nonsense"):
            run = self.ends(128, f"{STEP} ./good.so {wrong}")
            self.assertEqual(run.out, "", wrong)
            self.assertTrue(run.err.startswith("isotick: error: "), run.err)
        self.ends(128, "bisect step --sim ./good.so", "recording is required")
        self.ends(128, "bisect step s.isotick", "--sim is required")
        self.ends(128, "bisect step none.isotick --sim ./good.so", "none.isotick")
        self.copy_with("torn.isotick", "s.isotick", flip_middle)
        self.ends(128, "bisect step torn.isotick --sim ./good.so", "damaged at byte")
        self.build("renamed", RENAMED=1)
        self.ends(128, f"{STEP} ./renamed.so", "the recording is of 'tiny'")

    def test_a_full_disk_is_no_verdict(self):
        for build, output in (("good", "/dev/full"), ("hurts", "/dev/full")):
            with open(output, "wb") as full:
                self.ends(128, f"{STEP} ./{build}.so", "cannot write the results", stdout=full)

    def test_json_says_the_same(self):
        said = self.read_json(1, f"{STEP} ./both.so --sim-a ./good.so --expect 'tick 40'")
        self.assertEqual(said["signature"], {"tick": 40, "exact": True, "fields_known": True,
                                             "fields": ["units[*].health"]})
        self.assertEqual((said["finding"], said["exit_code"]), ("diverged", 1))

    def test_git_bisect_run_ends_at_the_right_commit(self):
        # In the tenth commit of twenty units are hurt; three around it do not build.
        script = """
            set -e; export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
            git init -q repo; cd repo; git config user.email a@b.c; git config user.name a
            for i in $(seq 20); do
              echo $i > n; git add n; git commit -q -m "commit $i"
            done
            git bisect start HEAD HEAD~19 > /dev/null
            git bisect run sh -c '
              n=$(cat n)
              case $n in 7|9|11) exit 125 ;; esac
              [ $n -ge 10 ] && build=hurts || build=good
              isotick bisect step ../s.isotick --sim ../$build.so' > log 2>&1 || true
            cat log"""
        log = self.shell(script).out
        self.assertIn("There are only 'skip'ped commits left to test.", log)
        self.path("repo2").mkdir()
        quick = script.replace("7|9|11", "7|12").replace("repo;", "repo2;")
        self.assertIn("commit 10\n", self.shell(quick).out.rpartition("is the first bad commit")[2])


if __name__ == "__main__":
    unittest.main()
