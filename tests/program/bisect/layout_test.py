"""isotick bisect commits where the layout of the state changes: hashes made again from the inputs,
and fields compared where hashes cannot be."""

import unittest

from history import BisectTest, long_form, revision, some


class Layouts(BisectTest):
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

    def visits(self, repository, said):
        return {self.number_of(repository, step["commit"]): step
                for step in said["regressions"][0]["steps"]}

    def test_an_old_recording_gives_inputs_alone(self):
        # The recording is of a state without moods; both ends have them.
        def rules_of(n):
            return {"HAS_MOODS": 1, **({"HURTS_FROM": 40} if n >= 11 else {})}

        repository = self.history("old", 20, rules_of)
        said = self.commits(repository)
        self.assertTrue(said["recorded_again"])
        self.assertEqual(self.found(repository, said), [(11, 40, ["units[*].health"])])
        same = self.commits(repository, bad=9, code=2)
        self.assertIn("is good: it comes to the same as the good end", same)

    def test_another_part_in_the_state(self):
        for rule in ("HAS_WEATHER", "HAS_MOODS"):  # a part more, and a field more in each unit
            def rules_of(n, rule=rule):
                return {**({rule: 1} if n >= 8 else {}), **({"HURTS_FROM": 40} if n >= 14 else {})}

            repository = self.history(rule, 20, rules_of)
            said = self.commits(repository)
            self.assertFalse(said["recorded_again"])
            self.assertEqual(self.found(repository, said), [(14, 40, ["units[*].health"])])
            listed = said["regressions"][0]["fields"]["listed"]
            self.assertEqual([(one["path"], one["before"], one["after"]) for one in listed],
                             [("units[1].health", "100", "99")])
            for number, step in self.visits(repository, said).items():
                self.assertEqual(step["by_fields"], number >= 8, number)
            clean = self.commits(repository, bad=13, code=2)
            self.assertIn("is good", clean)

    @long_form
    def test_what_is_another_each_time_is_told_by_fields_too(self):
        def rules_of(n):
            return {"HAS_WEATHER": 1, "FLAKY_FROM": 20} if 9 <= n <= 10 else \
                {"HAS_WEATHER": 1, **({"HURTS_FROM": 40} if n >= 13 else {})} if n > 1 else {}

        repository = self.history("flaky", 18, rules_of)
        said = self.commits(repository)
        self.assertEqual(self.found(repository, said), [(13, 40, ["units[*].health"])])
        flaky = [self.visits(repository, said)[number] for number in (9, 10)
                 if number in self.visits(repository, said)]
        self.assertTrue(flaky)
        for visit in flaky:
            self.assertEqual((visit["verdict"], visit["signature"]["tick"],
                              visit["signature"]["fields"]),
                             ("nondeterministic", 20, ["units[*].x"]))

    def test_fields_that_do_not_count(self):
        def rules_of(n):
            return {**({"SCORES_FROM": 5} if n >= 4 else {}),
                    **({"HURTS_FROM": 40} if n >= 11 else {})}

        repository = self.history("ignored", 16, rules_of)
        for more in some(("--only 'units[*].health, units[*].x'", "--ignore score",
                          "--only units"), 1):
            said = self.commits(repository, more=more)
            self.assertEqual(self.found(repository, said), [(11, 40, ["units[*].health"])], more)
        said = self.commits(repository, more="--ignore 'units[*]'")
        self.assertEqual(self.found(repository, said), [(4, 5, ["score"])])
        self.assertIn("is good", self.commits(repository, code=2,
                                               more="--ignore 'score, units[*].health'"))
        self.assertIn("no field to compare",
                      self.commits(repository, more="--ignore score,units", code=2))

    def test_the_good_end_makes_the_hashes_where_the_user_says_so(self):
        # A change that all revisions here have, and the recording has not.
        def rules_of(n):
            return {"SCORES_FROM": 5, **({"HURTS_FROM": 40} if n >= 6 else {})}

        repository = self.history("meant", 9, rules_of)
        wrong = self.commits(repository, code=2)
        self.assertIn("is bad: it diverges at tick 5; name an older one, or take it as right with "
                      "--inputs-of", wrong)
        said = self.commits(repository, recording="--inputs-of s.isotick")
        self.assertEqual(self.found(repository, said), [(6, 40, ["units[*].health"])])
        self.assertTrue(said["recorded_again"])
        said = self.commits(repository, recording="--inputs-of s.isotick", more="-- rules.h game.c")
        self.assertEqual(self.found(repository, said), [(6, 40, ["units[*].health"])])
        self.assertTrue(said["again"].endswith(" -- rules.h game.c"), said["again"])
        self.ends(2, "bisect commits s.isotick --inputs-of s.isotick --good v1 --build x --sim x",
                  "name a recording, or one with --inputs-of")

    def test_ends_that_are_swapped_are_told(self):
        repository = self.history("swapped", 6, lambda n: {"HURTS_FROM": 40} if n >= 4 else {})
        wrong = self.commits(repository, good=6, bad=1, code=2)
        self.assertIn("they are swapped; what a fix did is found with --old and --new", wrong)

    @long_form
    def test_steps_of_others_compare_fields_too(self):
        self.build("moody", HAS_MOODS=1)
        self.build("hurt", HAS_WEATHER=1, HURTS_FROM=40)
        step = "bisect step s.isotick --sim-a ./good.so --sim"
        self.ends(0, f"{step} ./moody.so", "identical")
        self.ends(1, f"{step} ./hurt.so", "at          tick 40, units[*].health\n")
        self.ends(0, f"{step} ./hurt.so --ignore units", "identical")
        self.ends(125, "bisect step s.isotick --sim ./hurt.so", "cannot be compared")


if __name__ == "__main__":
    unittest.main()
