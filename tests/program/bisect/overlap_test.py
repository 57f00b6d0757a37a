"""isotick bisect commits where one search is not enough: several regressions, changes that are
meant, fixes, and no good end at hand."""

import unittest

from history import BisectTest, long_form, revision


def from_on(number, **first):
    """The rules of a revision: each from its commit on, `HURTS_FROM=(11, 40)`."""
    return {name: value for name, (begin, value) in first.items() if number >= begin}


class Overlaps(BisectTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.build("good")
        cls.record("s.isotick", "--sim ./good.so --ticks 100 --inputs random")

    def history(self, name, count, rules_of):
        repository = self.repository(name)
        for number in range(1, count + 1):
            repository.commit(revision(number, **rules_of(number)))
        return repository.write()

    def test_an_earlier_tick_hides_an_older_regression(self):
        repository = self.history("hides", 40, lambda n: from_on(n, HURTS_FROM=(12, 70),
                                                                 PUSHES_FROM=(31, 40)))
        said = self.commits(repository)
        self.assertEqual(self.found(repository, said),
                         [(31, 40, ["units[*].x"]), (12, 70, ["units[*].health"])])

    @long_form
    def test_an_older_regression_shows_first(self):
        repository = self.history("first", 40, lambda n: from_on(n, HURTS_FROM=(12, 30),
                                                                 PUSHES_FROM=(31, 60)))
        said = self.commits(repository)
        self.assertEqual(self.found(repository, said), [(12, 30, ["units[*].health"])])

    @long_form
    def test_a_regression_that_was_mended_meanwhile(self):
        def rules_of(n):
            mended = {"PUSHES_FROM": 20} if 15 <= n <= 24 else {}
            return {**mended, **from_on(n, HURTS_FROM=(30, 60))}

        repository = self.history("mended", 40, rules_of)
        said = self.commits(repository)
        self.assertIn((30, 60, ["units[*].health"]), self.found(repository, said))
        self.assertIn((15, 20, ["units[*].x"]), self.found(repository, said))

    def test_two_at_the_same_tick_are_told_apart_by_their_fields(self):
        repository = self.history("same", 40, lambda n: from_on(n, HURTS_FROM=(12, 50),
                                                                SCORES_FROM=(27, 50)))
        said = self.commits(repository)
        found = {(number, tick) for number, tick, _ in self.found(repository, said)}
        self.assertEqual(found, {(12, 50), (27, 50)})
        said = self.commits(repository, more="--expect 'tick 50, score'")
        self.assertEqual([number for number, *_ in self.found(repository, said)], [27])

    def test_a_change_that_is_meant(self):
        def rules_of(n):
            return from_on(n, PUSHES_FROM=(10, 15), HURTS_FROM=(22, 60))

        repository = self.history("meant", 30, rules_of)
        accepted = f"--accept {repository.hashes[10]}"
        said = self.commits(repository, more=accepted)
        self.assertEqual(self.found(repository, said), [(22, 60, ["units[*].health"])])
        self.assertEqual(self.commits(repository, bad=20, more=accepted)["regressions"], [])

    @long_form
    def test_a_change_that_is_meant_after_the_regression(self):
        before = self.history("before", 30, lambda n: from_on(n, HURTS_FROM=(5, 60),
                                                              PUSHES_FROM=(10, 15)))
        said = self.commits(before, more=f"--accept {before.hashes[10]}")
        self.assertEqual(self.found(before, said), [(5, 60, ["units[*].health"])])
        self.assertIn("does not lie between the ends",
                      self.commits(before, good=12, more=f"--accept {before.hashes[10]}", code=2))

    def test_accepting_the_only_change_leaves_nothing(self):
        repository = self.history("only", 12, lambda n: from_on(n, HURTS_FROM=(7, 40)))
        for bad in (7, 12):
            run = self.ends(0, "bisect commits s.isotick --repo only --good main~11 --bad "
                               f"{repository.hashes[bad]} --accept {repository.hashes[7]} --build "
                               f"'{self.how}' --sim '{{out}}/game.so' --work only.w")
            self.assertTrue(run.out.endswith("no commit but those accepted changes the hashes\n"),
                            run.out)

    def with_broken(self, name, broken, **first):
        repository = self.repository(name)
        for number in range(1, 41):
            files = revision(number, **from_on(number, **first))
            if number in broken:
                files["game.c"] = "nonsense"
            repository.commit(files)
        return repository.write()

    def hidden(self, repository, said):
        return [sorted(self.number_of(repository, one["hash"]) for one in each["found"])
                for each in said["regressions"] if len(each["found"]) > 1]

    def test_skipped_commits_hide_no_other_regression(self):
        older = self.with_broken("older", (30, 31), HURTS_FROM=(12, 70), PUSHES_FROM=(31, 40))
        said = self.commits(older, code=4)
        self.assertEqual(self.found(older, said), [(12, 70, ["units[*].health"])])
        self.assertEqual(self.hidden(older, said), [[30, 31, 32]])

    @long_form
    def test_skipped_commits_hide_none_at_the_same_tick(self):
        beside = self.with_broken("beside", (11, 12), HURTS_FROM=(12, 50), SCORES_FROM=(27, 50))
        said = self.commits(beside, code=4)
        self.assertEqual([number for number, *_ in self.found(beside, said)], [27])
        self.assertEqual(self.hidden(beside, said), [[11, 12, 13]])

    def test_a_fix(self):
        repository = self.history("fix", 30, lambda n: {"HURTS_FROM": 40} if n < 19 else {})
        ends = f"--repo fix --old {repository.hashes[1]} --new main --build '{self.how}'"
        run = self.ends(0, f"bisect commits s.isotick {ends} --sim '{{out}}/game.so' --work fix.w")
        self.assertIn(f"{repository.hashes[19][:10]} is the first fixed commit\n", run.out)
        self.assertIn(f"\n  old         {repository.hashes[1][:10]} commit 1\n"
                      f"  new         {repository.hashes[30][:10]} commit 30\n", run.out)
        said = self.read_json(0, f"bisect commits s.isotick {ends} --sim '{{out}}/game.so' "
                                 "--work fix.w")
        self.assertEqual((said["good"]["hash"], said["bad"]["hash"]),
                         (repository.hashes[30], repository.hashes[1]))
        self.assertIn("  diverged at tick 40, units[*].health\n", run.out)
        self.assertIn("units[1].health  100 → 99\n", run.out)
        wrong = ends.replace("--new main", f"--new {repository.hashes[9]}")
        self.ends(2, f"bisect commits s.isotick {wrong} --sim '{{out}}/game.so' --work fix.w",
                  "is not fixed: it diverges at tick 40")

    def test_without_a_good_end_it_gallops_back(self):
        repository = self.history("gallop", 60, lambda n: from_on(n, HURTS_FROM=(41, 40)))
        run = self.ends(0, f"bisect commits s.isotick --repo gallop --build '{self.how}' "
                           "--sim '{out}/game.so' --work gallop.w")
        self.assertIn(f"{repository.hashes[41][:10]} is the first bad commit\n", run.out)
        self.history("never", 10, lambda n: {"HURTS_FROM": 40})
        self.ends(2, f"bisect commits s.isotick --repo never --build '{self.how}' "
                     "--sim '{out}/game.so' --work never.w", "back to the first")


if __name__ == "__main__":
    unittest.main()
