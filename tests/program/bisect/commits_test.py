"""isotick bisect commits: the commit, its tick and its fields, and a repository left alone."""

import unittest

from history import BUILD, BisectTest, long_form, revision, some
from program import KNOWS_LINES, row


class Commits(BisectTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.build("good")
        cls.record("s.isotick", "--sim ./good.so --ticks 100 --inputs random")

    def history(self, name, count, rules_of):
        repository = self.repository(name)
        for number in range(1, count + 1):
            files = rules_of(number)
            repository.commit(revision(number, **files) if isinstance(files, dict) else files[0])
        return repository.write()

    def test_names_commit_tick_and_fields(self):
        repository = self.history("plain", 40, lambda n: {"HURTS_FROM": 40} if n >= 17 else {})
        said = self.commits(repository)
        self.assertEqual(self.found(repository, said), [(17, 40, ["units[*].health"])])
        one = said["regressions"][0]
        self.assertEqual(one["found"][0]["subject"], "commit 17")
        self.assertEqual(one["found"][0]["author_date"], "2023-11-14T22:13:37+00:00")
        self.assertEqual(one["found"][0]["files"], ["notes.txt", "rules.h"])
        self.assertEqual(one["fields"]["listed"][0]["path"], "units[1].health")
        self.assertLessEqual(said["builds"], 8)
        again = self.commits(repository)
        self.assertEqual((again["builds"], again["from_cache"]), (0, said["builds"]))
        self.assertEqual(again["regressions"][0]["found"], one["found"])

    def test_text_says_it_in_gits_words(self):
        repository = self.history("text", 12, lambda n: {"PUSHES_FROM": 7} if n >= 5 else {})
        run = self.ends(0, f"bisect commits s.isotick --repo text --good {repository.hashes[1]} "
                           f"--build '{BUILD}' --sim '{{out}}/game.so' --work text.work")
        bad = repository.hashes[5]
        self.assertIn(f"  commit      {bad}\n  author date 2023-11-14T22:13:25+00:00\n"
                      "  subject     commit 5\n  files       notes.txt, rules.h\n", run.out)
        self.assertIn("  diverges at tick 7, units[*].x\n", run.out)
        self.assertIn("              units[2].x  44 → 45", run.out)
        self.assertTrue(run.out.endswith(f"{bad[:10]} is the first bad commit\n"), run.out)
        again = run.out.partition("  again       isotick ")[2].partition("\n")[0]
        self.assertIn("is the first bad commit", self.ends(0, again).out)

    def history_of_code(self, name, change):
        """Five revisions; the fourth changes the code by `change`, from text to text."""
        repository = self.repository(name)
        for number in range(1, 6):
            files = revision(number)
            if number >= 4:
                self.assertIn(change[0], files["game.c"])
                files["game.c"] = files["game.c"].replace(*change)
            repository.commit(files)
        return repository.write()

    @unittest.skipUnless(KNOWS_LINES, "nothing here reads debug information")
    def test_names_the_line_that_the_commit_changed(self):
        line = "game->units[1].health -= tick >= HURTS_FROM;"
        for name, change, made in (
                ("changed", (line, "game->units[1].health -= tick > 50;"), ("100", "99")),
                ("added", (line, f"game->score += 0;\n{line}game->units[1].health -= tick > 50;"),
                 ("100", "99")),
                ("removed", ("        game->score = game->score * 31 +", "        game->score +="),
                 None)):
            with self.subTest(name):
                repository = self.history_of_code(name, change)
                one = self.commits(repository)["regressions"][0]
                self.assertEqual(self.number_of(repository, one["found"][0]["hash"]), 4)
                text = repository.git("show", "main:game.c").decode().splitlines()
                self.assertEqual(one["changed"]["file"], "game.c")
                self.assertIn(change[1].splitlines()[-1], text[one["changed"]["line"] - 1])
                written = one["write"]["computed"]
                self.assertEqual((written["code"][0]["function"], written["code"][0]["file"]),
                                 ("step", "game.c"))
                if made:
                    self.assertEqual((written["path"], written["from"], written["to"]),
                                     ("units[1].health", *made))

    @unittest.skipUnless(KNOWS_LINES, "nothing here reads debug information")
    def test_names_a_line_that_the_commit_took_away(self):
        """That is in the parent's build alone."""
        line = "game->weather = (int32_t)(tick / 10);"
        repository = self.repository("taken-away")
        for number in range(1, 4):
            files = revision(number, HAS_WEATHER=1)
            files["game.c"] = files["game.c"].replace(line, line if number < 3 else "")
            repository.commit(files)
        repository.write()
        self.build("weather", HAS_WEATHER=1)
        self.record("weather.isotick", "--sim ./weather.so --ticks 100 --inputs none")
        one = self.commits(repository, recording="weather.isotick")["regressions"][0]
        self.assertIsNone(one["write"]["computed"])
        text = repository.git("show", "main~1:game.c").decode().splitlines()
        self.assertIn(line, text[one["changed"]["line"] - 1])

    @unittest.skipUnless(KNOWS_LINES, "nothing here reads debug information")
    def test_blames_no_line_that_the_commit_left_alone(self):
        """The number that the line uses is in a header, which the commit changes."""
        repository = self.history("header", 6, lambda n: {"HURTS_FROM": 40} if n >= 4 else {})
        one = self.commits(repository)["regressions"][0]
        self.assertIsNone(one["changed"])
        self.assertEqual(one["write"]["computed"]["path"], "units[1].health")
        run = self.ends(0, f"bisect commits s.isotick --repo header --good {repository.hashes[1]} "
                           f"--build '{BUILD}' --sim '{{out}}/game.so' --work header.work")
        self.assertRegex(row(run.out, "written by"),
                         r"^step \(game\.c:\d+\); first difference: this code sets "
                         r"units\[1\]\.health to 99 \(was 100\); in the parent commit, it makes no "
                         r"such write here; this commit changed none of these lines$")
        plain = BUILD.replace(" -g ", " ")
        run = self.ends(0, f"bisect commits s.isotick --repo header --good {repository.hashes[1]} "
                           f"--build '{plain}' --sim '{{out}}/game.so' --work header.work")
        self.assertRegex(row(run.out, "written by"), "; its lines are not known: build with -g$")

    def test_what_cannot_be_tried_is_skipped_and_counted(self):
        def rules_of(n):
            if n in (10, 11):
                return ({**revision(n), "game.c": "nonsense"},)
            wrong = {14: {"CRASHES_FROM": 3}, 15: {"FLAKY_FROM": 20}, 16: {"RENAMED": 1}}
            return wrong.get(n, {"HURTS_FROM": 40} if n >= 18 else {})

        repository = self.history("skips", 20, rules_of)
        said = self.commits(repository)
        self.assertEqual(self.found(repository, said), [(18, 40, ["units[*].health"])])
        verdicts = {self.number_of(repository, step["commit"]): step["verdict"]
                    for step in said["regressions"][0]["steps"]}
        expected = {10: "does not build", 11: "does not build", 14: "crashes",
                    15: "nondeterministic", 16: "is another simulation"}
        for number, verdict in verdicts.items():
            good = "good" if number < 18 else "bad"
            self.assertEqual(verdict, expected.get(number, good), number)

    def test_skipped_commits_may_hide_the_first_bad_one(self):
        def rules_of(n):
            return ({**revision(n), "game.c": "nonsense"},) if n in (5, 6) else \
                {"HURTS_FROM": 40} if n >= 6 else {}

        repository = self.history("hidden", 10, rules_of)
        said = self.commits(repository, code=4)
        found = [self.number_of(repository, one["hash"]) for one in said["regressions"][0]["found"]]
        self.assertEqual(sorted(found), [5, 6, 7])

    def test_merges_and_reverts(self):
        repository = self.repository("merges")
        for number in range(1, 6):
            repository.commit(revision(number))
        side = 5
        for number in range(6, 16):  # a branch whose third commit hurts units
            given = {"HURTS_FROM": 40} if number >= 8 else {}
            side = repository.commit(revision(number, **given), parents=[side])
        main = 5
        for number in range(16, 26):  # meanwhile on main something is done and reverted
            given = {"PUSHES_FROM": 3} if number == 20 else {}
            main = repository.commit(revision(number, **given), parents=[main])
        merged = repository.commit(revision(26, HURTS_FROM=40), parents=[main, side])
        for number in range(27, 31):
            merged = repository.commit(revision(number, HURTS_FROM=40), parents=[merged])
        repository.write()
        said = self.commits(repository)
        self.assertEqual(self.found(repository, said), [(8, 40, ["units[*].health"])])
        first = self.commits(repository, more="--first-parent")
        self.assertEqual(self.found(repository, first),  # and what was met on the way
                         [(20, 3, ["units[*].x"]), (26, 40, ["units[*].health"])])

    def test_only_commits_that_touch_the_paths_are_tried(self):
        repository = self.history("paths", 60, lambda n: {"HURTS_FROM": 40} if n >= 30 else {})
        said = self.commits(repository, more="-- game.c rules.h")
        self.assertEqual(self.found(repository, said), [(30, 40, ["units[*].health"])])
        self.assertEqual(said["builds"], 2)

    def test_glue_that_fits_only_half(self):
        # Up to commit 12 the game stands in a folder; the glue is laid over either.
        def rules_of(n):
            files = revision(n, **({"HURTS_FROM": 40} if n >= 17 else {}))
            files.pop("game.c")
            files["code" if n > 12 else "code/readme"] = "text"
            return (files,)

        repository = self.history("glue", 24, rules_of)
        self.path("overlay").mkdir(exist_ok=True)
        (self.path("overlay") / "code").mkdir(exist_ok=True)
        (self.path("overlay") / "code/game.c").write_text(revision(0)["game.c"])
        build = BUILD.replace("{src}/game.c", "{src}/code/game.c")
        wrong = self.commits(repository, more="--overlay overlay", build=build, code=2)
        self.assertIn("does not fit: it has a folder where the revision has a file: code", wrong)
        flat = self.path("flat")
        flat.mkdir(exist_ok=True)
        (flat / "game.c").write_text(revision(0)["game.c"])
        said = self.commits(repository, more="--overlay flat")
        self.assertEqual(self.found(repository, said), [(17, 40, ["units[*].health"])])

    def test_glue_from_another_revision(self):
        def rules_of(n):
            files = revision(n, **({"HURTS_FROM": 40} if n >= 9 else {}))
            if n < 14:
                files.pop("game.c")
            return (files,)

        repository = self.history("later", 16, rules_of)
        said = self.commits(repository, more="--glue-from main --glue game.c")
        self.assertEqual(self.found(repository, said), [(9, 40, ["units[*].health"])])
        self.commits(repository, more="--glue-from main --glue none.c", code=2)

    def test_expects_what_it_is_told_to(self):
        def rules_of(n):
            return {**({"HURTS_FROM": 40} if n >= 17 else {}),
                    **({"SCORES_FROM": 40} if n >= 8 else {})}

        repository = self.history("expect", 24, rules_of)
        said = self.commits(repository, more="--expect 'tick 40, units[*].health'")
        self.assertEqual(self.found(repository, said), [(17, 40, ["units[*].health", "score"])])

    @long_form
    def test_a_thousand_commits_take_few_builds(self):
        self.build("hurts", HURTS_FROM=40)
        link = f"ln -s {self.folder}/$(cat {{src}}/which).so {{out}}/game.so"
        for name, first, broken in some((("broken", 620, range(100, 1000, 7)), ("early", 3, ()),
                                         ("late", 997, ()), ("middle", 501, ())), 1):
            repository = self.repository(name)
            for number in range(1, 1001):
                which = "hurts" if number >= first else "good"
                repository.commit({"which": "none" if number in broken else which,
                                   "n": str(number)})
            repository.write()
            said = self.commits(repository, build=f"{link} && test -e {{out}}/game.so")
            self.assertEqual(self.found(repository, said), [(first, 40, ["units[*].health"])])
            skips = sum(step["verdict"] == "does not build"
                        for step in said["regressions"][0]["steps"])
            self.assertLessEqual(said["builds"], 13 + skips + (3 if skips else 0), name)
            again = self.commits(repository, build=f"{link} && test -e {{out}}/game.so")
            self.assertEqual((again["builds"], again["regressions"][0]["found"]),
                             (skips, said["regressions"][0]["found"]))


if __name__ == "__main__":
    unittest.main()
